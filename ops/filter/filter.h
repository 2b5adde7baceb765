/* SPDX-License-Identifier: MIT */
/*
 * filter.h - shared by the parts of the filter: filter.c (the passes, and the work on a record),
 * filter_stream.c (one pass over an input that cannot seek), filter_select.c (the selection), …
 */
#ifndef PERFDATA_FILTER_INTERNAL_H
#define PERFDATA_FILTER_INTERNAL_H

#include "names.h"
#include "ops/output/output.h"
#include "ops/output/reads.h"
#include "ops/output/progress.h"
#include "src/support/idmap.h"
#include "encode/container/writer.h"
#include "src/session/offcpu.h"
#include "src/session/tasks/told.h"
#include <perfdata/ops/filter.h>

/* ---- filter_select.c: matches records with the lists */

/* The values of a record that the lists are matched with. */
struct pd_subject {
    const struct pd_record *rec;
    uint64_t time;
    uint32_t pid, tid, cpu;
    struct pd_task task; /* pid and name at the time; only if the lists ask for them */
    bool has_task, has_time, has_cpu;
    const char *name; /* of the task, from a session; NULL: see `task` */
    uint8_t sides;    /* of the criteria that a task has from its parents, see selector.h */
};

/* Lists, prepared for quick answers. */
struct pd_criteria {
    const struct pd_filter_lists *lists;
    const struct pd_allocator *allocator;
    struct pd_idmap pids, tids, types, events;
    struct pd_idmap nameless; /* tids in the list of names, as ":TID" */
    struct pd_names names;    /* of tasks */
    uint8_t *comms;           /* by number of the name: whether it is in the list */
    uint8_t side;             /* 0, or PD_SELECT_… */
};

enum pd_code pd_criteria_init(struct pd_criteria *c, const struct pd_filter_lists *lists,
                              const struct pd_allocator *allocator, struct pd_error *error);
void pd_criteria_free(struct pd_criteria *c);
/* Looks up the listed names, once all tasks are known. */
enum pd_code pd_criteria_names(struct pd_criteria *c, const struct pd_tasks *tasks, struct pd_error *error);
/* When all records have come: `known` and `unmatched` of the options, for names of tasks. */
void pd_criteria_tell_names(const struct pd_criteria *c, const struct pd_tasks *tasks,
                            const struct pd_filter_options *o);
/* True if the lists need data of pd_tasks. */
bool pd_criteria_need_tasks(const struct pd_criteria *c);

/* Fills all but `task`, from the words of a sample or of a sample_id. */
void pd_subject_init(struct pd_subject *s, const struct pd_record *rec);
/* Time and cpu alone, as perf looks at them before it looks at the task. */
bool pd_meets_early(const struct pd_criteria *c, const struct pd_subject *s);
/* Pid, tid and name. */
bool pd_meets_task(const struct pd_criteria *c, const struct pd_subject *s);
bool pd_meets_event(const struct pd_criteria *c, const struct pd_subject *s);
/* All lists of `keep` but the types. */
bool pd_meets_all(const struct pd_criteria *c, const struct pd_subject *s);
/* One of the lists of `drop`, the types included. */
bool pd_meets_any(const struct pd_criteria *c, const struct pd_subject *s);
/* One of the lists of times, cpus and events. */
bool pd_meets_any_itself(const struct pd_criteria *c, const struct pd_subject *s);
/* One of the lists of pids, tids and comms. */
bool pd_meets_any_task(const struct pd_criteria *c, const struct pd_subject *s);
/* all_user, all_kernel */
bool pd_meets_mode(const struct pd_filter_options *o, const struct pd_record *rec);
bool pd_lists_type(const struct pd_criteria *c, uint32_t type);
/* True if it has a list that pd_meets_any() knows. */
bool pd_lists_any(const struct pd_filter_lists *l);

/* ---- time_ranges.c */

/* pd_time_match() */
static inline bool pd_time_in(const struct pd_time_range *ranges, size_t n, uint64_t time)
{
    for (size_t i = 0; i < n && time; i++)
        if (time >= ranges[i].start && (ranges[i].end == 0 || time <= ranges[i].end))
            return true;
    return time == 0;
}

/* ---- filter_chains.c: deferred call chains, by cookie and thread */

struct pd_chains {
    const struct pd_allocator *allocator;
    struct pd_chain {
        uint64_t cookie;
        uint32_t tid;
        bool used;
    } * slots;
    size_t size, n;
    struct pd_key key;
};

bool pd_chains_add(struct pd_chains *c, uint64_t cookie, uint32_t tid); /* false: no memory */
bool pd_chains_has(const struct pd_chains *c, uint64_t cookie, uint32_t tid);
void pd_chains_free(struct pd_chains *c);
/* The cookie at the end of a decoded sample's call chain; false: the chain is whole. */
bool pd_chain_cookie(const struct pd_record *rec, uint64_t *cookie);

/* ---- filter_ordered.c: lists that depend on what comes before a sample in time */

struct pd_ordered;
struct pd_filtering;

/* True if the selection has such lists. */
bool pd_filter_asks_order(const struct pd_filtering *f);
/*
 * Reads the recording once, and takes those lists out of f->asked. f->ordered is to be freed in any case.
 */
enum pd_code pd_filter_find_ordered(struct pd_filtering *f);
/* True if those lists want the sample, or the record that goes with its task. */
bool pd_ordered_meets(const struct pd_ordered *o, const struct pd_record *rec);
void pd_ordered_free(struct pd_ordered *o);

/* ---- filter_common.c */

/* The argument of pd_tasks_need(). */
#define PD_TOLD 64
struct pd_needed {
    uint32_t pid, tid, process;
    bool known;
};

/* ---- filter_scan.c: selects samples while skipping them, and remembers the choice for the copy */

/* The position of a pass, to continue from there. */
struct pd_place {
    struct pd_clock clock;
    uint64_t at, index;
    uint64_t met, taken; /* see pd_filtering */
};

/*
 * The decision for the samples of a task at the moments whose `at` is between `from` and `to`, both excluded.
 */
struct pd_seen {
    uint64_t from, to;
    uint32_t pid, tid;
    bool keep;   /* the lists of tasks want it */
    bool needed; /* and it is marked as needed */
};

#define PD_SEEN 256
#define PD_FIRST_PARTS ((size_t)4001) /* bytes to start with, doubled when more are needed */

struct pd_scan {
    bool quick;                   /* pd_scan_samples() may choose: by time, task, cpu and event alone */
    struct pd_seen seen[PD_SEEN]; /* by the last bits of the tid */
    /*
     * The remembered choices: parts of the data from its start on, kept or not, or a record that goes with
     * its task.
     */
    bool on;               /* it goes on */
    bool complete;         /* `end` is set */
    bool kept;             /* the part that goes on */
    uint64_t start;        /* where that began */
    struct pd_moment last; /* of the records whose moment, or number, is in it */
    uint8_t *parts;
    size_t n, cap;
    size_t bytes;        /* of records, among them */
    struct pd_place end; /* its end: from there on, the copy chooses again */
    uint64_t samples, kept_samples, others, kept_others;
};

struct pd_filtering {
    struct pd_scan scan;
    struct pd_reader *reader;
    const struct pd_filter_options *options;
    struct pd_filter_options *asked;       /* the same, a copy of: */
    const struct pd_filter_options *given; /* the caller's, whose lists may still change in begin() */
    struct pd_filter_stats *stats;
    struct pd_error *error;
    struct pd_tasks *tasks;     /* NULL: nothing asks for them */
    struct pd_ordered *ordered; /* NULL: nothing asks for it */
    struct pd_offcpu_names names;
    struct pd_criteria keep, drop;
    bool ask_tasks;                   /* the lists do */
    bool guesses;                     /* but the first pass chooses, as if each tid had one process */
    bool wrong;                       /* that was not so */
    bool drops;                       /* `drop` has a list */
    struct pd_needed needed[PD_TOLD]; /* by the last bits of the tid */
    bool flowing;                     /* one pass over an input that cannot seek */
    struct pd_chains chains;
    bool deferred; /* some event has deferred call chains */
    bool reads;    /* some event samples READ */
    struct pd_reads counters;
    struct pd_ids sums;  /* of the counters, in the output */
    uint64_t met, taken; /* samples, for `every` and `limit` */
    struct pd_output out;
    bool last_pass;
    bool kept;           /* the last record given to pd_filter_copy() */
    uint64_t unreadable; /* index of the record that was reported last */
    struct pd_progress progress;
    uint64_t pass; /* bytes of records in one pass */
};

/* Prepares the lists. */
enum pd_code pd_filter_lists_init(struct pd_filtering *f);
/* Takes the information about tasks in a record; damage is reported when it is copied. */
enum pd_code pd_filter_collect(struct pd_filtering *f, struct pd_record *rec, const struct pd_moment *when);
/* Writes a record if it is kept, and its payload in the reader. */
enum pd_code pd_filter_copy(struct pd_filtering *f, struct pd_record *rec, const struct pd_moment *when);
/* A record that cannot be read. *over: it is the end. A failure: the whole run fails. */
enum pd_code pd_filter_damage(struct pd_filtering *f, const struct pd_error *what, bool *over);
/* Damage is reported once, by the last pass. */
void pd_filter_report(struct pd_filtering *f, const struct pd_error *what);

/* Takes samples as long as they can be decided at once, and does so. */
void pd_scan_samples(struct pd_filtering *f, struct pd_clock *clock);
/* Starts to remember, with the next pass. */
void pd_scan_start(struct pd_filtering *f);
/* A record at `at` is kept or not. False: there is no memory for that. */
bool pd_scan_note(struct pd_scan *s, const struct pd_allocator *allocator, uint64_t at, bool keep);
/* The same for this record. */
bool pd_scan_note_record(struct pd_scan *s, const struct pd_allocator *allocator, const struct pd_record *rec,
                         bool keep);
/* The same for one that goes with its task. Decodes it; false, too: it cannot be decoded. */
bool pd_scan_note_task(struct pd_scan *s, const struct pd_allocator *allocator, struct pd_record *rec,
                       const struct pd_moment *when);
/* pd_tasks_check() for all of them. */
enum pd_code pd_scan_check(struct pd_filtering *f);
/* Remembering ends here. */
void pd_scan_end(struct pd_scan *s, const struct pd_place *end);
/* Writes the records remembered as kept. *over: the input has become shorter. */
enum pd_code pd_scan_copy(struct pd_filtering *f, bool *over);
/* True if the task record number `order` belongs to a needed task. */
bool pd_filter_is_needed(const struct pd_filtering *f, const struct pd_told *told, uint64_t order);

static inline bool pd_filter_is_pipe(const struct pd_filtering *f)
{
    return pd_reader_info(f->reader)->container == PD_CONTAINER_PIPE;
}

/* filter_passes.c: prepares the passes; selects the records; writes them. */
enum pd_code pd_filter_prepare(struct pd_filtering *f);
enum pd_code pd_filter_learn(struct pd_filtering *f);
enum pd_code pd_filter_write(struct pd_filtering *f);

/* Filters a pipe stream that cannot seek. */
enum pd_code pd_filter_stream(struct pd_filtering *f);

#endif
