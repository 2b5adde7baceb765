/* SPDX-License-Identifier: MIT */
/* elf.h - the program headers, the build id and the functions of an ELF file. */
#ifndef PERFDATA_CLI_ELF_H
#define PERFDATA_CLI_ELF_H

#include "table.h"
#include <perfdata/ops/export.h>

struct cli_elf {
    struct pd_export_segment *segments;
    size_t n;
    char build_id[41];    /* hexadecimal digits; "": none */
    char debug_link[256]; /* the name of a file with more symbols; "": none */
    bool has_symtab;      /* with all symbols, not just those for the linker */
};

/*
 * Reads the headers. NULL, or the reason why the file cannot be read as ELF (static). To be freed after
 * success.
 */
const char *cli_elf_read(struct cli_elf *elf, const char *path);
void cli_elf_free(struct cli_elf *elf);

/*
 * Adds the functions of the file, at the addresses in its program headers, and sets debug_link and
 * has_symtab. The list ends at damage. False: no memory.
 */
bool cli_elf_functions(const char *path, struct cli_elf *elf, struct cli_table *functions);
/* The address of a byte of the file. False: it is in no segment. */
bool cli_elf_address(const struct cli_elf *elf, uint64_t offset, uint64_t *address);

#endif
