/* SPDX-License-Identifier: MIT */
/* elf_reading.h - bytes of an ELF file, of 32 or 64 bits, in either byte order. */
#ifndef PERFDATA_CLI_ELF_READING_H
#define PERFDATA_CLI_ELF_READING_H

#include "elf.h"
#include "src/support/wire.h"

struct cli_elf_reading {
    int fd;
    bool wide; /* 64 bits */
    enum pd_order order;
    uint8_t header[64];
};

/* Opens the file. NULL, or the reason why it cannot be read as ELF. */
const char *cli_elf_open(struct cli_elf_reading *r, const char *path);
bool cli_elf_read_at(const struct cli_elf_reading *r, void *to, size_t n, uint64_t offset);
/* A number whose size depends on the class of the file: at `wide` (64 bits) or `narrow` (32 bits). */
static inline uint64_t cli_elf_load(const struct cli_elf_reading *r, const uint8_t *p, size_t wide,
                                    size_t narrow)
{
    return r->wide ? pi_load64(p + wide, r->order) : pi_load32(p + narrow, r->order);
}

#endif
