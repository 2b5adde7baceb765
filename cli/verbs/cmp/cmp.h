/* SPDX-License-Identifier: MIT */
/*
 * cmp.h - the parts of `perfdata cmp`: cmp.c compares recordings, cmp_files.c the other files of directories,
 * and cmp_lines.c is shared by both.
 */
#ifndef PERFDATA_CLI_CMP_H
#define PERFDATA_CLI_CMP_H

#include "cli/lib/cli.h"

enum { RED = 31, GREEN = 32, BOLD = 1 };

struct cmp {
    struct cli *cli;
    struct cli_input in[2];
    unsigned ignore;
    uint64_t limit, n;
    size_t n_findings;
};

/* "only in FILE" */
void cmp_put_only(struct cmp *c, int side);
/* One more difference was printed; false: the limit is reached. */
bool cmp_count(struct cmp *c);

/*
 * Compares the files of directories that hold no records, by their bytes; if only one input is a directory,
 * it lists them.
 */
void cmp_other_files(struct cmp *c);

#endif
