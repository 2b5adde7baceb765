/* SPDX-License-Identifier: MIT */
/*
 * resolve.h - the functions at addresses, from the files on this machine. A file counts only if its build id
 * is that of the recording, or one of both has none.
 */
#ifndef PERFDATA_CLI_RESOLVE_H
#define PERFDATA_CLI_RESOLVE_H

#include "elf.h"
#include "inlined.h"
#include "cli/lib/command.h"

struct cli_resolver {
    struct cli *cli;
    const char **roots; /* directories that stand for / before it */
    size_t n_roots;
    const char *kernel_dir; /* the directory of the recording, which may have kcore_dir; NULL: none */
    bool inlined;
    size_t n_files, n_unknown, n_others; /* asked for; without symbols; of another build id */
    /* private: of the last file */
    char *file, build_id[41];
    bool by_address;
    struct cli_elf elf;
    struct cli_table table;
    struct cli_dwarf *dwarf;
    char (*names)[PD_LIMIT_SYMBOLS_NAME];
    const char *pointers[PD_LIMIT_SYMBOLS_INLINED];
};

/* A pd_symbol_finder, with the struct as its user; asked for file by file. */
bool cli_resolve(void *user, const char *file, const char *build_id, uint64_t offset,
                 struct pd_symbol *symbol);
/*
 * The path of a file of the recording, from roots, / and ~/.debug, with that build id; its headers go to
 * `elf`. NULL: there is none. To be freed.
 */
char *cli_find_binary(struct cli_resolver *r, const char *file, const char *build_id, struct cli_elf *elf);
void cli_resolver_close(struct cli_resolver *r);

#endif
