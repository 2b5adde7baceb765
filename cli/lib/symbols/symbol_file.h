/* SPDX-License-Identifier: MIT */
/*
 * symbol_file.h - symbols that `perfdata symbols` wrote; PD_EXPORT_SYMBOLS of perfdata/ops/export.h has their
 * form. Symbols of several files are united.
 */
#ifndef PERFDATA_CLI_SYMBOL_FILE_H
#define PERFDATA_CLI_SYMBOL_FILE_H

#include "cli/lib/command.h"
#include <perfdata/ops/symbol.h>

struct cli_symbol_file {
    struct cli *cli;
    struct cli_symbol_text *texts; /* of the files that were read */
    struct cli_symbol_part *parts; /* of each file that has symbols */
    size_t *by_name, *by_id;       /* places of parts, in order; those without a build id first */
    size_t n_texts, n_parts;
    struct cli_known_symbol *all;
    const char **inlined;
    size_t n_all, n_inlined;
};

/*
 * Reads a file; damaged lines are printed and left out. False: it cannot be read, or is no such file, which
 * is printed.
 */
bool cli_symbols_read(struct cli_symbol_file *s, struct cli *cli, const char *path);
/* A pd_symbol_finder, with the struct as its user. */
bool cli_symbols_find(void *user, const char *file, const char *build_id, uint64_t offset,
                      struct pd_symbol *symbol);
void cli_symbols_free(struct cli_symbol_file *s);

#endif
