/* SPDX-License-Identifier: MIT */
/*
 * inlined.h - functions that are inlined at an address, from the DWARF of a file, by libdw if it is
 * installed.
 */
#ifndef PERFDATA_CLI_INLINED_H
#define PERFDATA_CLI_INLINED_H

#include "src/support/limits.h"
#include <stddef.h>
#include <stdint.h>

struct cli_dwarf;

/* False as a number: this build does not know DWARF. */
int cli_knows_dwarf(void);
/* NULL: there is none. */
struct cli_dwarf *cli_dwarf_open(const char *path);
void cli_dwarf_close(struct cli_dwarf *d);
/* Their names, for linkers if DWARF has these; the outermost first. */
size_t cli_dwarf_inlined(struct cli_dwarf *d, uint64_t address, const char *names[PI_LIMIT_SYMBOLS_INLINED]);

#endif
