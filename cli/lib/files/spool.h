/* SPDX-License-Identifier: MIT */
/*
 * spool.h - a recording that is written to a temporary file first, and from there in another form or
 * container.
 */
#ifndef PERFDATA_CLI_SPOOL_H
#define PERFDATA_CLI_SPOOL_H

#include "cli/lib/command.h"
#include <perfdata/ops/convert.h>

struct cli_spool {
    FILE *file;
    struct pd_sink sink; /* its destination */
};

/* A failure of the file is PD_ETEMP. */
enum pd_code cli_spool_open(struct cli_spool *spool, struct pd_error *error);
/*
 * `code` is the result of writing to the spool; if it is PD_OK, converts the spool to the sink. Closes the
 * spool.
 */
enum pd_code cli_spool_convert(struct cli_spool *spool, enum pd_code code,
                               const struct pd_convert_options *how, const struct pd_sink *sink,
                               struct pd_error *error);

/* ---- Recordings in the input's container, or another */

/* --to file, pipe or dir. False: it is none of these; that is printed. */
bool cli_take_to(struct cli *cli, enum pd_convert_to *to);
/* The argument of --endian, enum pd_order. -1: it is wrong, which is printed. */
int cli_take_order(struct cli *cli);
/* The container to write: the requested one, else a stream on standard output, else that of the input. */
enum pd_convert_to cli_container(const struct cli *cli, const struct pd_reader *reader,
                                 enum pd_convert_to asked);
/* True if a verb that keeps the container can write that one. From a directory it can write a file, too. */
bool cli_is_direct(const struct pd_reader *reader, enum pd_convert_to to);
#endif
