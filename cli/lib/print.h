/* SPDX-License-Identifier: MIT */
/* print.h - standard output. */
#ifndef PERFDATA_CLI_PRINT_H
#define PERFDATA_CLI_PRINT_H

#include "command.h"

void cli_out_init(struct cli *cli);
__attribute__((format(printf, 2, 3))) void cli_print(struct cli *cli, const char *format, ...);
/* The same into any buffer. */
__attribute__((format(printf, 2, 3))) void cli_print_to(struct pd_out *out, const char *format, ...);
/*
 * Much text at once, which is written without a copy in the buffer. False: writing failed. Another thread
 * than the reading one may do it, in its turn, unless cli->terminal: then the progress is shown there, too.
 */
bool cli_print_much(struct cli *cli, const char *text, size_t n);
/* From here on standard output is in that colour, the n of ESC[nm, if results are coloured; 0: as usual. */
void cli_color(struct cli *cli, unsigned color);
/* Writes the buffered bytes of standard output and of the recording being written. */
void cli_flush(struct cli *cli);

/* Writes the buffered bytes of standard output alone. */
void cli_flush_text(struct cli *cli);

#endif
