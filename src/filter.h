/* SPDX-License-Identifier: MIT */
/*
 * filter.h - what the parts of the filter share: filter.c (the passes, and what is done with a record), filter_stream.c
 * (one pass over what cannot seek), filter_live.c (tasks meanwhile), filter_out.c (where records go), filter_select.c (the
 * choice), …
 */
#ifndef PERFDATA_FILTER_INTERNAL_H
#define PERFDATA_FILTER_INTERNAL_H

#include "idmap.h"
#include "writer.h"
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
/* The same for names as pd_live numbers them: `bit` of a number less 1 tells whether such names are listed. */
enum pd_code pd_criteria_live_names(struct pd_criteria *c, unsigned bit, struct pd_error *error);
/* Is the name in the list? */
bool pd_lists_name(const struct pd_filter_lists *lists, const char *name, size_t n);
/* Do the lists ask for what only pd_tasks knows? */
bool pd_criteria_need_tasks(const struct pd_criteria *c);

/* Fills all but `task`, from the words of a sample or of a sample_id. */
void pd_subject_init(struct pd_subject *s, const struct pd_record *rec);
/* Time and cpu alone, as perf looks at them before it looks at the task. */
bool pd_meets_early(const struct pd_criteria *c, const struct pd_subject *s);
/* Pid, tid and name. */
bool pd_meets_task(const struct pd_criteria *c, const struct pd_subject *s);
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
    struct pd_key key;
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
    bool keep_time; /* SAMPLE_TIME as it is */
    bool keep_dir;
    bool own_zstd; /* the COMPRESSED feature of the input is not kept */
    const bool *skip; /* of 256 features: not kept; may be NULL */
    struct pd_reader *like; /* of another recording, whose features are taken where the input has none; may be NULL */
    bool new_dir;  /* a DIR_FORMAT is written where the input has none */
    struct pd_error *error;
};

/*
 * Opens the writer, and gives it the attrs and event types. `zip`: the type of the records that carry compressed ones, or
 * 0; `keep_dir`: the output is a directory if the input is one.
 */
enum pd_code pd_sections_begin(struct pd_sections *s, const struct pd_sink *sink, uint32_t zip, int level, bool keep_dir);
/* The features, and the end. */
enum pd_code pd_sections_end(struct pd_sections *s);
/* What the feature SAMPLE_TIME says, for the samples that were kept. */
void pd_put_sample_time(uint8_t times[16], const struct pd_filter_stats *stats, enum pd_order order);
/* Does the COMPRESSED feature of the input say that records are? *level receives theirs. */
bool pd_sections_zstd(struct pd_sections *s, int *level);

/* ---- filter_out.c: where the kept records go */

struct pd_filter_out {
    struct pd_sections *sections; /* its writer is that of a file, of a directory's `data`, or of a stream */
    const struct pd_sink *sink;
    struct pd_writer *member; /* of a directory: the file beside `data` that is being written */
    struct pd_sink data_sink, member_sink;
    bool data_open, member_open; /* close_member() is due */
    uint32_t at;                 /* number of the current member */
    uint64_t bytes;              /* of records in the files that are finished */
    bool pipe, dir;
    uint32_t zip; /* type of the records that carry compressed ones; 0: none yet */
    int level;
    bool due; /* a stream: our own COMPRESSED feature is still to be written */
    bool runs; /* set by who calls pd_filter_out_flush() before the reader's window moves: neighbours are written at once */
    const uint8_t *run; /* bytes in the window that are to be written */
    size_t run_n;
};

enum pd_code pd_filter_out_begin(struct pd_filter_out *o);
/* To be called for each COMPRESSED record of the input, whose place is taken by what is inside. */
enum pd_code pd_filter_out_wrapper(struct pd_filter_out *o, const struct pd_record *rec);
/* The bytes of a record: its own, or others of as many. */
enum pd_code pd_filter_out_record(struct pd_filter_out *o, const struct pd_record *rec, const uint8_t *bytes);
/* What follows a record, a piece at a time. */
enum pd_code pd_filter_out_payload(struct pd_filter_out *o, const uint8_t *bytes, size_t n);
/* Writes what records are still in the reader's window: to be called before that moves. */
enum pd_code pd_filter_out_flush(struct pd_filter_out *o);
/* Completes the output. */
enum pd_code pd_filter_out_end(struct pd_filter_out *o);
/* Frees what it has. */
void pd_filter_out_close(struct pd_filter_out *o);

/* ---- filter_live.c: what perf knows of tasks, while the input flows */

struct pd_live;

enum pd_code pd_live_new(struct pd_live **live, const struct pd_filter_options *options, struct pd_error *error);
void pd_live_free(struct pd_live *l);
/*
 * Takes what a record says of tasks, as pd_tasks_record() and pd_tasks_mention() do; a sample is only to be given if it is
 * one that perf does not pass over early. May decode the record. False: no memory.
 */
bool pd_live_record(struct pd_live *l, struct pd_record *rec, const struct pd_moment *when);
/* Nothing that is before the moment is still to come (NULL: nothing at all): processes what was taken up to there. */
bool pd_live_settle(struct pd_live *l, const struct pd_moment *until);
/* Nobody will ask for anything before the moment any more (NULL: for anything that was settled). */
void pd_live_forget(struct pd_live *l, const struct pd_moment *until);
/* What is known of a task at a moment that is settled and not forgotten, the record there included. */
void pd_live_find(const struct pd_live *l, const struct pd_moment *when, uint32_t tid, struct pd_task *task);

/* ---- filter_dsos.c: what samples' addresses are mapped from */

struct pd_dsos;
struct pd_filtering;

/* Reads the recording once. f->dsos is to be freed in any case. */
enum pd_code pd_filter_find_dsos(struct pd_filtering *f);
/* Do the lists of dsos want the sample? */
bool pd_dsos_meet(const struct pd_filtering *f, const struct pd_record *rec);
void pd_dsos_free(struct pd_dsos *d);

/* ---- filter.c, filter_stream.c: the run */

/* What the filter does with a record, by type. */
enum pd_role {
    PD_ROLE_KERNEL,    /* stays, unless only samples are wanted */
    PD_ROLE_SAMPLE,    /* is selected */
    PD_ROLE_WITH_TASK, /* goes with the samples of its task */
    PD_ROLE_OF_TASK,   /* names or maps of a task: stays when the task is needed */
    PD_ROLE_CHAIN,     /* stays with the sample whose call chain it completes */
    PD_ROLE_TOOL,      /* stays */
    PD_ROLE_WRAPPER,   /* goes: what is inside is written instead */
};

enum pd_role pd_filter_role(const struct pd_record *rec);
/* The task that a PD_ROLE_OF_TASK record names or maps; the child's, of FORK. False: it cannot be decoded. */
bool pd_filter_task_of(struct pd_record *rec, uint32_t *pid, uint32_t *tid, struct pd_error *what);
/* Is it a map of the kernel's? */
bool pd_filter_of_kernel(const struct pd_record *rec, uint32_t pid);

/* What pd_tasks_need() was told of. */
#define PD_TOLD 64
struct pd_needed {
    uint32_t pid, tid, process;
    bool known;
};

/* ---- filter_scan.c: samples chosen as they are passed over, and remembered for the copy */

/* Where a pass is, to go on from there. */
struct pd_place {
    struct pd_clock clock;
    uint64_t at, index;
    uint64_t met, taken; /* see pd_filtering */
};

/* What holds for the samples of a task at the moments whose `at` is between `from` and `to`, both excluded. */
struct pd_seen {
    uint64_t from, to;
    uint32_t pid, tid;
    bool keep;   /* the lists of tasks want it */
    bool needed; /* and it is marked as needed */
};

#define PD_SEEN 256
#define PD_FIRST_PARTS ((size_t)4001) /* bytes to start with, doubled when more are needed */

struct pd_scan {
    bool quick; /* pd_scan_samples() may choose: nothing but times and tasks is asked for */
    struct pd_seen seen[PD_SEEN]; /* by the last bits of the tid */
    /* What is remembered: parts of the data from its begin on, kept or not, or a record that goes with its task. */
    bool on;        /* it goes on */
    bool complete;  /* `end` is set */
    bool kept;      /* the part that goes on */
    uint64_t start; /* where that began */
    struct pd_moment last; /* of the records whose moment, or number, is in it */
    uint8_t *parts;
    size_t n, cap;
    size_t bytes;   /* of records, among them */
    struct pd_place end; /* where it ends: from there on, the copy chooses anew */
    uint64_t samples, kept_samples, others, kept_others;
};

struct pd_filtering {
    struct pd_scan scan;
    struct pd_reader *reader;
    const struct pd_filter_options *options;
    struct pd_filter_stats *stats;
    struct pd_error *error;
    struct pd_tasks *tasks; /* NULL: nothing asks for them */
    struct pd_live *live;   /* the same, of an input that cannot seek */
    struct pd_dsos *dsos;   /* NULL: nothing asks for them */
    struct pd_criteria keep, drop;
    bool ask_tasks; /* the lists do */
    bool guesses;   /* yet the first pass chooses, as if each tid had one process */
    bool wrong;     /* that was not so */
    bool drops;     /* `drop` has a list */
    struct pd_needed needed[PD_TOLD]; /* by the last bits of the tid */
    bool flowing;   /* one pass over an input that cannot seek */
    struct pd_chains chains;
    bool deferred;       /* some event has deferred call chains */
    uint64_t met, taken; /* samples, for `every` and `limit` */
    struct pd_sections sections;
    struct pd_filter_out out;
    struct pd_moved *moved;
    size_t moved_cap;
    bool last_pass;
    bool kept;              /* the last record given to pd_filter_copy() */
    uint64_t unreadable;    /* index of the record that was reported last */
    uint64_t passed, total; /* bytes, for `progress` */
    uint64_t pass;          /* of them, those of one pass */
    uint32_t tick;
};

/* Prepares the lists. */
enum pd_code pd_filter_lists_init(struct pd_filtering *f);
/* Writes a record if it is to be kept, and what follows it in the reader. */
enum pd_code pd_filter_copy(struct pd_filtering *f, struct pd_record *rec, const struct pd_moment *when);
/* A record that cannot be read. *over: it is the end. PD_EIO, PD_ENOMEM: the whole run fails. */
enum pd_code pd_filter_damage(struct pd_filtering *f, const struct pd_error *what, bool *over);
void pd_filter_progress(struct pd_filtering *f, const struct pd_record *rec);
/* So many bytes have been passed at once. */
void pd_filter_passed(struct pd_filtering *f, uint64_t bytes);

/* Takes samples as long as it is clear at once what to do with them, and does it. */
void pd_scan_samples(struct pd_filtering *f, struct pd_clock *clock);
/* Starts to remember, with the next pass. */
void pd_scan_start(struct pd_filtering *f);
/* A record at `at` is kept or not. False: there is no memory for that. */
bool pd_scan_note(struct pd_scan *s, const struct pd_allocator *allocator, uint64_t at, bool keep);
/* The same for this record. */
bool pd_scan_note_record(struct pd_scan *s, const struct pd_allocator *allocator, const struct pd_record *rec, bool keep);
/* The same for one that goes with its task. Decodes it; false, too: it cannot be decoded. */
bool pd_scan_note_task(struct pd_scan *s, const struct pd_allocator *allocator, struct pd_record *rec,
                       const struct pd_moment *when);
/* pd_tasks_check() for all of them. */
enum pd_code pd_scan_check(struct pd_filtering *f);
/* What is remembered ends here. */
void pd_scan_end(struct pd_scan *s, const struct pd_place *end);
/* Writes what is remembered to be kept. *over: the input has become shorter. */
enum pd_code pd_scan_copy(struct pd_filtering *f, bool *over);
/* Does a record go with the tasks that are needed? It is of a PD_ROLE_OF_TASK, and decoded. */
bool pd_filter_is_needed(const struct pd_filtering *f, const struct pd_record *rec, uint32_t pid, uint32_t tid);

/* Filters a pipe stream that cannot seek. */
enum pd_code pd_filter_stream(struct pd_filtering *f);

#endif
