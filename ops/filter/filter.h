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
struct pi_subject {
    const struct pd_record *rec;
    uint64_t time;
    uint32_t pid, tid, cpu;
    struct pd_task task; /* pid and name at the time; only if the lists ask for them */
    bool has_task, has_time, has_cpu;
    const char *name; /* of the task, from a session; NULL: see `task` */
    uint8_t sides;    /* of the criteria that a task has from its parents, see selector.h */
};

/* Lists, prepared for quick answers. */
struct pi_criteria {
    const struct pd_filter_lists *lists;
    const struct pd_allocator *allocator;
    struct pi_idmap pids, tids, types, events;
    struct pi_idmap nameless; /* tids in the list of names, as ":TID" */
    struct pi_names names;    /* of tasks */
    uint8_t *comms;           /* by number of the name: whether it is in the list */
    uint8_t side;             /* 0, or PI_SELECT_… */
};

enum pd_code pi_criteria_init(struct pi_criteria *c, const struct pd_filter_lists *lists,
                              const struct pd_allocator *allocator, struct pd_error *error);
void pi_criteria_free(struct pi_criteria *c);
/* Looks up the listed names, once all tasks are known. */
enum pd_code pi_criteria_names(struct pi_criteria *c, const struct pd_tasks *tasks, struct pd_error *error);
/* When all records have come: `known` and `unmatched` of the options, for names of tasks. */
void pi_criteria_tell_names(const struct pi_criteria *c, const struct pd_tasks *tasks,
                            const struct pd_filter_options *o);
/* True if the lists need data of pd_tasks. */
bool pi_criteria_need_tasks(const struct pi_criteria *c);

/* Fills all but `task`, from the words of a sample or of a sample_id. */
void pi_subject_init(struct pi_subject *s, const struct pd_record *rec);
/* Time and cpu alone, as perf looks at them before it looks at the task. */
bool pi_meets_early(const struct pi_criteria *c, const struct pi_subject *s);
/* Pid, tid and name. */
bool pi_meets_task(const struct pi_criteria *c, const struct pi_subject *s);
bool pi_meets_event(const struct pi_criteria *c, const struct pi_subject *s);
/* All lists of `keep` but the types. */
bool pi_meets_all(const struct pi_criteria *c, const struct pi_subject *s);
/* One of the lists of `drop`, the types included. */
bool pi_meets_any(const struct pi_criteria *c, const struct pi_subject *s);
/* One of the lists of times, cpus and events. */
bool pi_meets_any_itself(const struct pi_criteria *c, const struct pi_subject *s);
/* One of the lists of pids, tids and comms. */
bool pi_meets_any_task(const struct pi_criteria *c, const struct pi_subject *s);
/* all_user, all_kernel */
bool pi_meets_mode(const struct pd_filter_options *o, const struct pd_record *rec);
bool pi_lists_type(const struct pi_criteria *c, uint32_t type);
/* True if it has a list that pi_meets_any() knows. */
bool pi_lists_any(const struct pd_filter_lists *l);

/* ---- time_ranges.c */

/* pd_time_match() */
static inline bool pi_time_in(const struct pd_time_range *ranges, size_t n, uint64_t time)
{
    for (size_t i = 0; i < n && time; i++)
        if (time >= ranges[i].start && (ranges[i].end == 0 || time <= ranges[i].end))
            return true;
    return time == 0;
}

/* ---- filter_chains.c: deferred call chains, by cookie and thread */

struct pi_chains {
    const struct pd_allocator *allocator;
    struct pi_chain {
        uint64_t cookie;
        uint64_t pieces; /* of `split`: a bit for each that has a sample of it */
        uint32_t tid;
        bool used;
        bool put; /* of `split`: it is in a piece */
    } * slots;
    size_t size, n;
    struct pi_key key;
};

struct pi_chain *pi_chains_add(struct pi_chains *c, uint64_t cookie, uint32_t tid); /* NULL: no memory */
struct pi_chain *pi_chains_find(const struct pi_chains *c, uint64_t cookie, uint32_t tid); /* NULL: none */
void pi_chains_free(struct pi_chains *c);
/* The cookie at the end of a call chain; false: the chain is whole. */
bool pi_chain_is_deferred(const struct pd_vec *ips, uint64_t *cookie);
/* True if a sample waits for a deferred call chain; decodes it if its event has such. */
bool pi_sample_waits(struct pd_reader *r, struct pd_record *rec, uint64_t *cookie);

/* ---- filter_ordered.c: lists that depend on what comes before a sample in time */

struct pi_ordered;
struct pi_filtering;

/* True if the selection has such lists. */
bool pi_filter_asks_order(const struct pi_filtering *f);
/* Takes those lists out of f->asked; f->ordered is to be freed in any case. */
enum pd_code pi_filter_take_ordered(struct pi_filtering *f);
/* Reads the recording once. */
enum pd_code pi_filter_find_ordered(struct pi_filtering *f);
/* True if those lists want the sample, or the record that goes with its task. */
bool pi_ordered_meets(const struct pi_ordered *o, const struct pd_record *rec);
void pi_ordered_free(struct pi_ordered *o);

/* ---- filter_common.c */

/* The argument of pd_tasks_need(). */
#define PI_TOLD 64
struct pi_needed {
    uint32_t pid, tid, process;
    bool known;
};

/* ---- filter_scan.c: selects samples while skipping them, and remembers the choice for the copy */

/* The position of a pass, to continue from there. */
struct pi_place {
    struct pd_clock clock;
    uint64_t at, index;
    uint64_t met, taken; /* see pi_filtering */
};

/*
 * The decision for the samples of a task at the moments whose `at` is between `from` and `to`, both excluded.
 */
struct pi_seen {
    uint64_t from, to;
    uint32_t task[2]; /* pid, tid */
    bool keep;        /* the lists of tasks want it */
    bool needed;      /* and it is marked as needed */
};

#define PI_SEEN 256

/* What the lists say of a sample without its task: the same of all of a cpu and an event. */
struct pi_verdict {
    uint32_t cpu, event;
    bool known;
    bool early; /* its time and cpu are selected */
    bool keep;  /* its event is, too, and none of the lists that drop has it */
};

#define PI_VERDICTS 256
#define PI_FIRST_PARTS ((size_t)4001) /* bytes to start with, doubled when more are needed */

struct pi_scan {
    bool quick;                   /* pi_scan_samples() may choose: by time, task, cpu and event alone */
    struct pi_seen seen[PI_SEEN]; /* by the last bits of the tid */
    struct pi_verdict verdicts[PI_VERDICTS]; /* by those of the cpu, and the event */
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
    struct pi_place end; /* its end: from there on, the copy chooses again */
    uint64_t samples, kept_samples, others, kept_others;
    struct pd_record first; /* of samples that are written together; a KiB of zeros but for its header */
};

struct pi_filtering {
    struct pi_scan scan;
    struct pd_reader *reader;
    const struct pd_filter_options *options;
    struct pd_filter_options *asked;       /* the same, a copy of: */
    const struct pd_filter_options *given; /* the caller's, whose lists may still change in begin() */
    struct pd_filter_stats *stats;
    struct pd_error *error;
    struct pd_tasks *tasks;     /* NULL: nothing asks for them */
    struct pi_ordered *ordered; /* NULL: nothing asks for it */
    struct pi_offcpu_names names;
    struct pi_criteria keep, drop;
    bool ask_tasks;                   /* the lists do */
    bool guesses;                     /* but the first pass chooses, as if each tid had one process */
    bool wrong;                       /* that was not so */
    bool drops;                       /* `drop` has a list */
    struct pi_needed needed[PI_TOLD]; /* by the last bits of the tid */
    bool flowing;                     /* one pass over an input that cannot seek */
    struct pi_chains chains;
    bool deferred; /* some event has deferred call chains */
    bool reads;    /* some event samples READ */
    struct pi_reads counters;
    struct pi_ids sums;  /* of the counters, in the output */
    uint64_t met, taken; /* samples, for `every` and `limit` */
    struct pi_output out;
    bool last_pass;
    bool kept;           /* the last record given to pi_filter_copy() */
    uint64_t unreadable; /* index of the record that was reported last */
    struct pi_progress progress;
    uint64_t pass; /* bytes of records in one pass */
};

/* Prepares the lists. */
enum pd_code pi_filter_lists_init(struct pi_filtering *f);
/* Takes the information about tasks in a record; damage is reported when it is copied. */
enum pd_code pi_filter_collect(struct pi_filtering *f, struct pd_record *rec, const struct pd_moment *when);
/* Writes a record if it is kept, and its payload in the reader. */
enum pd_code pi_filter_copy(struct pi_filtering *f, struct pd_record *rec, const struct pd_moment *when);
/* A record that cannot be read. *over: it is the end. A failure: the whole run fails. */
enum pd_code pi_filter_damage(struct pi_filtering *f, const struct pd_error *what, bool *over);
/* Damage is reported once, by the last pass. */
void pi_filter_report(struct pi_filtering *f, const struct pd_error *what);

/* Takes samples as long as they can be decided at once, and does so. */
enum pd_code pi_scan_samples(struct pi_filtering *f, struct pd_clock *clock);
/* The same in the pass that copies: writes those that are kept. */
enum pd_code pi_scan_copy_samples(struct pi_filtering *f, struct pd_clock *clock);
/* Starts to remember, with the next pass. */
void pi_scan_start(struct pi_filtering *f);
/* A record at `at` is kept or not. False: there is no memory for that. */
bool pi_scan_note(struct pi_scan *s, const struct pd_allocator *allocator, uint64_t at, bool keep);
/* The same for this record. */
bool pi_scan_note_record(struct pi_scan *s, const struct pd_allocator *allocator, const struct pd_record *rec,
                         bool keep);
/* The same for one that goes with its task. Decodes it; false, too: it cannot be decoded. */
bool pi_scan_note_task(struct pi_scan *s, const struct pd_allocator *allocator, struct pd_record *rec,
                       const struct pd_moment *when);
/* pd_tasks_check() for all of them. */
enum pd_code pi_scan_check(struct pi_filtering *f);
/* Remembering ends here. */
void pi_scan_end(struct pi_scan *s, const struct pi_place *end);
/* Writes the records remembered as kept. *over: the input has become shorter. */
enum pd_code pi_scan_copy(struct pi_filtering *f, bool *over);
/* True if the task record number `order` belongs to a needed task. */
bool pi_filter_is_needed(const struct pi_filtering *f, const struct pi_told *told, uint64_t order);

static inline bool pi_filter_is_pipe(const struct pi_filtering *f)
{
    return pd_reader_info(f->reader)->container == PD_CONTAINER_PIPE;
}

/* filter_passes.c: prepares the passes; selects the records; writes them. */
enum pd_code pi_filter_prepare(struct pi_filtering *f);
enum pd_code pi_filter_learn(struct pi_filtering *f);
enum pd_code pi_filter_write(struct pi_filtering *f);

/* Filters a pipe stream that cannot seek. */
enum pd_code pi_filter_stream(struct pi_filtering *f);

#endif
