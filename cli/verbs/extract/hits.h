/* SPDX-License-Identifier: MIT */
/* hits.h - the files that the addresses of samples are in. */
#ifndef PERFDATA_CLI_HITS_H
#define PERFDATA_CLI_HITS_H

#include "cli/lib/cli.h"

/* All zeros: none. */
struct hits {
    void *names; /* tree of texts: as recorded, and as perf shows them */
    bool kernel;
};

/* Reads all records of an input that can seek, as perf processes them. False: failed, which is printed. */
bool find_hits(struct cli_input *in, struct hits *hits);
/* True if a sample is in the file with this build id, a kernel image under any name included. */
bool hits_file(const struct hits *hits, const struct pd_build_id *b);
void free_hits(struct hits *hits);

#endif
