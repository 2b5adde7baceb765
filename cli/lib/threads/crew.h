/* SPDX-License-Identifier: MIT */
/*
 * crew.h - the records of a recording shared among threads (-j), the results in the order of the records. The
 * caller's thread reads and frames; any free thread, including the caller's, does the independent work on
 * records, a batch at a time. Results wait for earlier ones, and the thread that made them writes them, since
 * they are in its cache.
 */
#ifndef PERFDATA_CLI_CREW_H
#define PERFDATA_CLI_CREW_H

#include "cli/lib/cli.h"
#include <perfdata/session/tasks.h>

/*
 * Two cache lines, which are fetched together: data that one thread writes is at least this far from data
 * that others read.
 */
#define CLI_APART 128

struct cli_crew;

struct cli_crew_job {
    /*
     * In any thread: appends the result of the record to `out`. The record is framed, its moment the one that
     * was given with it. `memory` belongs to the thread. False: the record is one for own(), and the appended
     * text is dropped.
     */
    bool (*work)(void *user, void *memory, struct pd_record *rec, const struct pd_moment *when,
                 struct pd_out *out);
    /* In the caller's thread, when the results of all records before it have been written. */
    void (*own)(void *user, struct pd_record *rec, const struct pd_moment *when);
    /*
     * Results, in order: in one thread at a time, and not while own() runs. False: it failed, and so will all
     * later calls.
     */
    bool (*write)(void *user, const char *text, size_t n);
    bool anywhere; /* write() may be called in any thread, else in the caller's alone */
    /*
     * In the caller's thread: the moment of a sample that cli_crew_give_following() takes. NULL: not needed.
     */
    void (*stamp)(void *user, const struct pd_record *rec, struct pd_moment *when);
    void *user;
    size_t memory; /* bytes that each thread has, all zero at first */
};

/* NULL: one thread was requested, or there is no memory for more: then the caller does all work. */
struct cli_crew *cli_crew_new(unsigned threads, const struct cli_crew_job *job);
/* Finishes. */
void cli_crew_free(struct cli_crew *crew);
/*
 * Copies the record, without its decoded fields; its plan and attr must stay valid. `when` may be NULL.
 * False: write() is known to have failed.
 */
bool cli_crew_give(struct cli_crew *crew, const struct pd_record *rec, const struct pd_moment *when);
/*
 * Behind that, takes the samples that follow in the reader, as pi_reader_pass() has them, as far as they go
 * into the same batch. Returns how many, of *bytes bytes; *rec may be the last of them then. A tenth of the
 * work of giving each.
 */
size_t cli_crew_give_following(struct cli_crew *crew, struct pd_reader *reader, struct pd_record *rec,
                               uint64_t most, size_t *bytes);
/*
 * Waits until all given records are done and written, and the threads are idle. Does nothing with NULL, and
 * within own(). False: write() has failed.
 */
bool cli_crew_finish(struct cli_crew *crew);

#endif
