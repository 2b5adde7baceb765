/* SPDX-License-Identifier: MIT */
/* filter.h - what the parts of the filter share: filter.c (the passes), select.c (the choice), … */
#ifndef PERFDATA_FILTER_INTERNAL_H
#define PERFDATA_FILTER_INTERNAL_H

#include "idmap.h"
#include <perfdata/filter.h>

/* ---- filter_select.c: does a record meet the lists? */

/* What a record is judged by. */
struct pd_subject {
    const struct pd_record *rec;
    uint64_t time;
    uint32_t pid, tid, cpu;
    struct pd_task task; /* pid and name at the time; only if the lists ask for them */
    bool has_task, has_time, has_cpu;
};

/* Lists, prepared for quick answers. */
struct pd_criteria {
    const struct pd_filter_lists *lists;
    const struct pd_allocator *allocator;
    struct pd_idmap pids, tids, types, events;
    struct pd_idmap nameless; /* tids in the list of names, as ":TID" */
    uint8_t *comms;           /* by number of the name: is it in the list? */
    size_t n_comms;
};

enum pd_code pd_criteria_init(struct pd_criteria *c, const struct pd_filter_lists *lists,
                              const struct pd_allocator *allocator, struct pd_error *error);
void pd_criteria_free(struct pd_criteria *c);
/* Looks up the listed names, once all tasks are known. */
enum pd_code pd_criteria_names(struct pd_criteria *c, const struct pd_tasks *tasks, struct pd_error *error);
/* Do the lists ask for what only pd_tasks knows? */
bool pd_criteria_need_tasks(const struct pd_criteria *c);

/* Fills all but `task`, from the words of a sample or of a sample_id. */
void pd_subject_init(struct pd_subject *s, const struct pd_record *rec);
/* Time and cpu alone, as perf looks at them before it looks at the task. */
bool pd_meets_early(const struct pd_criteria *c, const struct pd_subject *s);
/* All lists of `keep` but the types. */
bool pd_meets_all(const struct pd_criteria *c, const struct pd_subject *s);
/* One of the lists of `drop`, the types included. */
bool pd_meets_any(const struct pd_criteria *c, const struct pd_subject *s);
bool pd_lists_type(const struct pd_criteria *c, uint32_t type);

/* ---- filter_chains.c: deferred call chains, by cookie and thread */

struct pd_chains {
    const struct pd_allocator *allocator;
    struct pd_chain {
        uint64_t cookie;
        uint32_t tid;
        bool used;
    } *slots;
    size_t size, n;
};

bool pd_chains_add(struct pd_chains *c, uint64_t cookie, uint32_t tid); /* false: no memory */
bool pd_chains_has(const struct pd_chains *c, uint64_t cookie, uint32_t tid);
void pd_chains_free(struct pd_chains *c);
/* The cookie at the end of a decoded sample's call chain; false: the chain is whole. */
bool pd_chain_cookie(const struct pd_record *rec, uint64_t *cookie);

/* ---- filter_sections.c: what stands around the records */

/* Where an AUXTRACE record was, and is. */
struct pd_moved {
    uint64_t from, to;
};

struct pd_sections {
    struct pd_reader *reader;
    struct pd_writer *writer;
    const struct pd_filter_options *options;
    const struct pd_filter_stats *stats;
    const struct pd_moved *moved; /* ascending */
    size_t n_moved;
    bool no_aux; /* AUXTRACE records were dropped */
    struct pd_error *error;
};

/* Opens the writer, and gives it the attrs and event types. */
enum pd_code pd_sections_begin(struct pd_sections *s, const struct pd_sink *sink);
/* The features, and the end. */
enum pd_code pd_sections_end(struct pd_sections *s);

#endif
