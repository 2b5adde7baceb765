/* SPDX-License-Identifier: MIT */
/* nearest.h - choices of words, and the one that a mistyped word most resembles. */
#ifndef PERFDATA_CLI_NEAREST_H
#define PERFDATA_CLI_NEAREST_H

#include "cli/lib/command.h"
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

/*
 * Which entry of a table is the word of n bytes; each begins with its name, NULL being none. -1: none, which
 * is printed with the names that there are.
 */
int cli_find_word(struct cli *cli, const char *option, const char *word, size_t n, const void *table,
                  size_t size, size_t stride);
#define CLI_FIND_WORD(cli_, option_, word_, n_, table_)                                          \
    cli_find_word((cli_), (option_), (word_), (n_), (table_), sizeof(table_) / sizeof *(table_), \
                  sizeof *(table_))
/* The same, and prints in any case; false. */
bool cli_no_word(struct cli *cli, const char *option, const char *word, size_t n, const void *table,
                 size_t size, size_t stride);
#define CLI_NO_WORD(cli_, option_, word_, n_, table_)                                          \
    cli_no_word((cli_), (option_), (word_), (n_), (table_), sizeof(table_) / sizeof *(table_), \
                sizeof *(table_))
/* For names of a set, like types of records. */
#define CLI_NOT_IN_SET(cli_, option_, word_, n_, set_) \
    cli_no_word((cli_), (option_), (word_), (n_), &(set_)->names->name, (set_)->n, sizeof *(set_)->names)

#endif
