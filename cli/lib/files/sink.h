/* SPDX-License-Identifier: MIT */
/* sink.h - bytes of an output that is open. */
#ifndef PERFDATA_CLI_SINK_H
#define PERFDATA_CLI_SINK_H

#include "output.h"

#define CLI_SINK_BYTES ((size_t)256 << 10) /* that out->buf has */

/* What a verb writes to. */
struct pd_sink cli_output_sink(struct cli_output *out, bool patches);
/* Writes out what is buffered; 0, or the errno of the first failure. */
int cli_output_flush(struct cli_output *out);

/*
 * Appends n bytes of a file from an offset without bringing them here. Returns how many; where that does not
 * work, or fails, 0 or fewer than n, and the others are to be given to the sink, which tells why.
 */
uint64_t cli_output_copy(struct cli_output *out, int fd, uint64_t offset, uint64_t n);

#endif
