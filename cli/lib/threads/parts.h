/* SPDX-License-Identifier: MIT */
/*
 * parts.h - the data of a file shared among threads by stripes (-j), for what needs neither the records
 * before nor their order: see pd_reader_open_part(). The first stripe of which there is something to be told
 * is left to one thread, with all behind it.
 */
#ifndef PERFDATA_CLI_PARTS_H
#define PERFDATA_CLI_PARTS_H

#include "cli/lib/cli.h"
#include <perfdata/ops/rewrite.h>

struct cli_parts_job {
    /*
     * In any thread, which has `memory` for itself: goes through a part, to its end, and counts at least its
     * records. False: there is something to be told, an error included. It tells nothing itself.
     */
    bool (*work)(void *user, void *memory, struct pd_reader *part, struct pd_rewrite_stats *stats);
    /*
     * One at a time, in their order: what parts came to of which, as of all before, there is nothing to be
     * told.
     */
    void (*take)(void *user, const struct pd_rewrite_stats *stats);
    void *user;
    size_t memory; /* bytes */
};

/*
 * The records that were taken; one thread goes on at `end` with the one of index `records`. Equal: none were.
 */
struct cli_proven {
    uint64_t begin, end, records;
};

/* With cli->threads; of one thread, of what is no file, or too small, it takes none. Shows the progress. */
struct cli_proven cli_parts_run(struct cli *cli, const struct pd_reader *reader,
                                const struct cli_parts_job *job);

#endif
