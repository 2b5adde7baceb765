/* SPDX-License-Identifier: MIT */
/* sink.h - bytes of an output that is open. */
#ifndef PERFDATA_CLI_SINK_H
#define PERFDATA_CLI_SINK_H

#include "output.h"

#define CLI_SINK_BYTES ((size_t)256 << 10) /* that out->buf has at first */
#define CLI_MANY_BYTES ((size_t)32 << 10)  /* that of one of many has */

/* What a verb writes to. */
struct pd_sink cli_output_sink(struct cli_output *out, bool patches);
/* Writes the buffered bytes; 0, or the errno of the first failure. */
int cli_output_flush(struct cli_output *out);

/* Waits for what is being written, and frees the buffers. */
void cli_output_free_buffers(struct cli_output *out);

/*
 * Appends n bytes of a file from an offset without reading them into memory. Returns the number of bytes
 * appended; if that is impossible or fails, 0 or fewer than n. Pass the others to the sink, which reports the
 * error.
 */
uint64_t cli_output_copy(struct cli_output *out, int fd, uint64_t offset, uint64_t n);

#endif
