/* SPDX-License-Identifier: MIT */
/* nearest.h - of some words the one that a mistyped word most resembles. */
#ifndef PERFDATA_CLI_NEAREST_H
#define PERFDATA_CLI_NEAREST_H

#include <stddef.h>

struct cli_nearest {
    const char *word;
    char best[64]; /* "": none is near enough */
    size_t distance;
};

/* No word is too long; a distance of more than a third of it, or of 3, is too far. */
void cli_nearest_start(struct cli_nearest *n, const char *word);
void cli_nearest_try(struct cli_nearest *n, const char *candidate);
/* "; did you mean \"WORD\"", or "" when there is none. Valid until the next call. */
const char *cli_nearest_text(const struct cli_nearest *n);

#endif
