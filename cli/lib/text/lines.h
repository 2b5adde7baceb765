/* SPDX-License-Identifier: MIT */
/* lines.h - the lines of a text, read and encoded. */
#ifndef PERFDATA_CLI_LINES_H
#define PERFDATA_CLI_LINES_H

#include "text.h"

/*
 * Encodes all lines of the input, which was opened for its bytes, and finishes the text. With -j other
 * threads encode records of lines behind, which are written when their turn comes; the bytes and messages are
 * the same. False: the message is printed and cli->status set.
 */
bool text_lines(struct cli *cli, struct cli_input *in, struct text *t);

#endif
