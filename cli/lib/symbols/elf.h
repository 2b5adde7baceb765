/* SPDX-License-Identifier: MIT */
/* elf.h - the program headers, the build id and the functions of an ELF file. */
#ifndef PERFDATA_CLI_ELF_H
#define PERFDATA_CLI_ELF_H

#include "table.h"
#include <perfdata/ops/export.h>

enum cli_elf_symbols { CLI_ELF_NONE, CLI_ELF_DYNAMIC, CLI_ELF_ALL }; /* those for the linker, or all */

struct cli_elf {
    struct pd_export_segment *segments;
    size_t n;
    char build_id[41]; /* hexadecimal digits; "": none */
    /* What its sections have, after cli_elf_look(). */
    char debug_link[256]; /* the name of a file with more symbols; "": none */
    enum cli_elf_symbols symbols;
    bool has_dwarf;
};

/*
 * Reads the headers. NULL, or the reason why the file cannot be read as ELF (static). To be freed after
 * success.
 */
const char *cli_elf_read(struct cli_elf *elf, const char *path);
void cli_elf_free(struct cli_elf *elf);

/* Sets what the sections have. */
void cli_elf_look(struct cli_elf *elf, const char *path);

/*
 * Adds the functions of the file, at the addresses in its program headers; and the entries of its procedure
 * linkage table. The list ends at damage. False: no memory.
 */
bool cli_elf_functions(const char *path, struct cli_table *functions);
bool cli_elf_linkage(const char *path, struct cli_table *functions);
/* The address of a byte of the file. False: it is in no segment. */
bool cli_elf_address(const struct cli_elf *elf, uint64_t offset, uint64_t *address);

#endif
