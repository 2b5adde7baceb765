/* SPDX-License-Identifier: MIT */
/*
 * parts.h - the data of a file shared among threads by stripes (-j), for work that needs neither earlier
 * records nor their order: see pd_reader_open_part(). The first stripe with a message, and all behind it, are
 * left to one thread.
 */
#ifndef PERFDATA_CLI_PARTS_H
#define PERFDATA_CLI_PARTS_H

#include "cli/lib/cli.h"
#include <perfdata/ops/rewrite.h>

struct cli_parts_job {
    /*
     * In any thread, with its private `memory`: goes through a part, to its end, and counts at least its
     * records. False: there is a message or an error; this function prints nothing.
     */
    bool (*work)(void *user, void *memory, struct pd_reader *part, struct pd_rewrite_stats *stats);
    /* One at a time, in order: the results of parts without messages, up to the first part with one. */
    void (*take)(void *user, const struct pd_rewrite_stats *stats);
    void *user;
    size_t memory; /* bytes */
};

/*
 * The records that were taken; one thread goes on at `end` with the one of index `records`. Equal: none were.
 */
struct cli_proven {
    uint64_t begin, end, records;
};

/*
 * With cli->threads; takes no parts with one thread, of an input that is not a file, or of a small one. Shows
 * the progress.
 */
struct cli_proven cli_parts_run(struct cli *cli, const struct pd_reader *reader,
                                const struct cli_parts_job *job);

#endif
