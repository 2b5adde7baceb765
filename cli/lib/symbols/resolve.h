/* SPDX-License-Identifier: MIT */
/*
 * resolve.h - finds functions at addresses in the files of this machine. A file is used only if its build id
 * is that of the recording, or one of the two has none.
 */
#ifndef PERFDATA_CLI_RESOLVE_H
#define PERFDATA_CLI_RESOLVE_H

#include "elf.h"
#include "inlined.h"
#include "cli/lib/command.h"

/* The kernel of a recording. */
struct cli_recorded_kernel {
    char build_id[41]; /* empty: not known */
    const char *dir;   /* the recording, which may have kcore_dir; NULL: it is no directory */
};

/* Where a kernel was while it was recorded: the address of one of its symbols. */
struct cli_kernel_place {
    char *file, build_id[41], *symbol;
    uint64_t address;
};

struct cli_resolver {
    struct cli *cli;
    const char **roots; /* directories to look below before / */
    size_t n_roots;
    struct cli_recorded_kernel *recorded; /* of each recording */
    size_t n_recorded;
    struct cli_kernel_place *kernels;
    size_t n_kernels;
    bool too_many_kernels;
    bool inlined;
    size_t n_files, n_unknown; /* asked for; of these, without symbols */
    /* private: of the last file */
    char *file, build_id[41];
    bool by_address, is_kernel;
    uint64_t base; /* by address: that of offset 0 */
    struct cli_elf elf;
    struct cli_table table;
    struct cli_dwarf *dwarf;
    char (*names)[PI_LIMIT_SYMBOLS_NAME + 1];
    const char *pointers[PI_LIMIT_SYMBOLS_INLINED];
};

/* Adds the directory in cli->arg to `roots`. False, after a message: there is none. */
bool cli_take_root(struct cli_resolver *r);
/* A pd_symbol_finder, with the struct as its user. Quick if calls for the same file follow each other. */
bool cli_resolve(void *user, const char *file, const char *build_id, uint64_t offset,
                 struct pd_symbol *symbol);
/*
 * Notes the kernel of a recording, before cli_resolve(): its build id, n bytes, 20 at most, and the
 * directory, which must outlive the resolver, or NULL. False, after a message: no memory.
 */
bool cli_note_recorded(struct cli_resolver *r, const uint8_t *id, size_t n, const char *dir);
/* Notes where a kernel was, before cli_resolve() is asked for its functions. */
void cli_note_kernel(struct cli_resolver *r, const char *file, const char *build_id, const char *symbol,
                     uint64_t address);
/*
 * Looks for the first file of the recording, with that build id, below roots, in / and ~/.debug. Gives its
 * path, to be freed, and its headers in `elf`. NULL: there is none.
 */
char *cli_find_binary(struct cli_resolver *r, const char *file, const char *build_id, struct cli_elf *elf);
void cli_resolver_close(struct cli_resolver *r);

#endif
