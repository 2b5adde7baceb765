/* SPDX-License-Identifier: MIT */
/* elf.h - the program headers and the build id of an ELF file. */
#ifndef PERFDATA_CLI_ELF_H
#define PERFDATA_CLI_ELF_H

#include <perfdata/ops/export.h>

struct cli_elf {
    struct pd_export_segment *segments;
    size_t n;
    char build_id[41]; /* hexadecimal digits; "": none */
};

/* NULL, or the reason why the file cannot be read as ELF, static. To be freed after success. */
const char *cli_elf_read(struct cli_elf *elf, const char *path);
void cli_elf_free(struct cli_elf *elf);

#endif
