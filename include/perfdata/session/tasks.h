/* SPDX-License-Identifier: MIT */
/*
 * perfdata/session/tasks.h - which task a record belongs to, and what that task was called at the time.
 *
 * perf reads ring buffers one after the other, so the records of a file are not in order of time, and a COMM
 * may come far behind the samples it names. perf sorts while it reads: pd_clock tells the position of each
 * record in that order, and pd_tasks what perf would know about a task there.
 *
 *     struct pd_clock clock; // pass 1: collect
 *     pd_clock_init(&clock, pd_clock_is_timed(reader));
 *     while (pd_reader_next(reader, &rec, &error) == PD_OK) {
 *         pd_clock_stamp(&clock, &rec, &when);
 *         pd_tasks_record(tasks, &rec, &when, &error);
 *     }
 *     pd_tasks_finish(tasks, &error);
 *     pd_clock_init(&clock, pd_clock_is_timed(again)); // pass 2: a second reader of the same recording
 *     while (pd_reader_next(again, &rec, &error) == PD_OK) {
 *         pd_clock_stamp(&clock, &rec, &when);
 *         if (pd_record_task(&rec, &pid, &tid) && pd_tasks_find(tasks, &when, tid, &task))
 *             puts(pd_tasks_comm(tasks, task.comm));
 *     }
 */
#ifndef PERFDATA_SESSION_TASKS_H
#define PERFDATA_SESSION_TASKS_H

#include <perfdata/reader.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Words of a framed record, found through its plan without decoding it */

/*
 * False: the record has none (also when its event is not known). Times are in nanoseconds. A SAMPLE has them
 * in its body, other kernel records in their sample_id.
 */
PD_EXPERIMENTAL bool pd_record_time(const struct pd_record *rec, uint64_t *time);
PD_EXPERIMENTAL bool pd_record_task(const struct pd_record *rec, uint32_t *pid, uint32_t *tid);
PD_EXPERIMENTAL bool pd_record_cpu(const struct pd_record *rec, uint32_t *cpu);

/*
 * All of them at once, and the event id. They come from the body of a SAMPLE, or the sample_id of another
 * kernel record, or else its payload: the task that FORK or MMAP is about, the time of EXIT, the id of LOST
 * or STAT; for that the record is decoded, if possible. A word that it lacks is 0, and its flag false.
 */
struct pd_record_words {
    bool has_task, has_time, has_id, has_cpu;
    uint32_t pid, tid, cpu;
    uint64_t time, id;
};
PD_EXPERIMENTAL void pd_record_common(struct pd_record *rec, struct pd_record_words *out);

/* ---- The order in which perf processes records */

/*
 * A record's position in that order. Records with a time are ordered by time, equal times by their order in
 * the file. A record without a time, or with time 0 (those that perf synthesizes), is processed as soon as it
 * is read, before all records that still wait for the end of their round; so is, after them, a record that is
 * older than those already processed.
 */
struct pd_moment {
    uint64_t at;    /* nanoseconds; all records of earlier rounds up to this time come before */
    uint64_t time;  /* the record's own, 0 when it has none */
    uint64_t order; /* its number in the file */
    uint32_t round; /* FINISHED_ROUND records before it that mattered */
};

/* Does a come before b? */
PD_EXPERIMENTAL_INLINE bool pd_moment_before(const struct pd_moment *a, const struct pd_moment *b)
{
    if (a->at != b->at)
        return a->at < b->at;
    if (a->round != b->round)
        return a->round < b->round;
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

/*
 * Follows the records of a file, in file order, from the first. Plain memory. Exact unless late records make
 * the end of a round smaller than that of the previous round, which no writer does.
 */
struct pd_clock {
    bool timed;      /* false: perf processes the records in file order */
    bool waiting;    /* records are queued */
    uint64_t limit;  /* the next round's end processes up to this time */
    uint64_t done;   /* all records up to this time have been processed */
    uint64_t newest; /* time in the queue */
    uint32_t round;
};

/* True if perf sorts this recording: the first event has sample_id_all, or it is a pipe stream. */
PD_EXPERIMENTAL bool pd_clock_is_timed(const struct pd_reader *reader);
PD_EXPERIMENTAL void pd_clock_init(struct pd_clock *clock, bool timed);
/* To be called for every record, whatever its type. */
PD_EXPERIMENTAL void pd_clock_stamp(struct pd_clock *clock, const struct pd_record *rec,
                                    struct pd_moment *when);

/* ---- Tasks */

/*
 * Takes about 60 bytes for each COMM and FORK record and as many for each tid, twice that while it is
 * collecting and while pd_tasks_finish() and pd_tasks_ancestors() run; each different name once. Samples and
 * maps take nothing.
 *
 * The rules are perf's: a task is a tid. COMM names it. FORK creates it again, with the current name of its
 * parent; if the parent was never named, it has none. If the parent's tid is known to belong to another
 * process than FORK says, that task is gone and the parent is created again, too. EXIT changes nothing: a
 * task keeps its name until its tid is used again. A task belongs to the process that its first record or
 * sample names. Tid 0 is "swapper".
 */
struct pd_tasks;

struct pd_task {
    uint32_t pid;  /* process; UINT32_MAX when not known */
    uint32_t comm; /* for pd_tasks_comm(); PD_COMM_NONE: never named, perf shows ":TID" */
};

#define PD_COMM_NONE 0

/* allocator NULL: malloc; else it must outlive the tracker. */
PD_EXPERIMENTAL enum pd_code pd_tasks_new(struct pd_tasks **tasks, const struct pd_allocator *allocator,
                                          struct pd_error *error);
/*
 * Call it before collecting: PD_ELIMIT when collecting takes more than this many bytes. Default: 1 GiB, which
 * is enough for about 10 million COMM and FORK records.
 */
PD_EXPERIMENTAL void pd_tasks_limit(struct pd_tasks *tasks, uint64_t bytes);
/* NULL is fine. */
PD_EXPERIMENTAL void pd_tasks_free(struct pd_tasks *tasks);

/*
 * Collects the information about tasks in a framed record; other records are ignored. May decode the record.
 * PD_ENOMEM, PD_ELIMIT, or the error of decoding it, after which the tracker is as before.
 */
PD_EXPERIMENTAL enum pd_code pd_tasks_record(struct pd_tasks *tasks, struct pd_record *rec,
                                             const struct pd_moment *when, struct pd_error *error);
/* Collects that a sample, or another record, refers to a task. PD_ENOMEM, PD_ELIMIT. */
PD_EXPERIMENTAL enum pd_code pd_tasks_mention(struct pd_tasks *tasks, const struct pd_moment *when,
                                              uint32_t pid, uint32_t tid, struct pd_error *error);
/*
 * Both for all records from the reader's position to the end, or to damage that ends the reading. The damage
 * is not reported here, but when the records are read again. PD_ENOMEM, PD_ELIMIT.
 */
PD_EXPERIMENTAL enum pd_code pd_tasks_collect(struct pd_tasks *tasks, struct pd_reader *reader,
                                              struct pd_error *error);
/*
 * Sorts and replays the collected information. From then on nothing can be added, and lookups are possible.
 * PD_ENOMEM, PD_ELIMIT.
 */
PD_EXPERIMENTAL enum pd_code pd_tasks_finish(struct pd_tasks *tasks, struct pd_error *error);

/*
 * The state of a task at that moment, including the record there. False: it is unknown, *task is {UINT32_MAX,
 * PD_COMM_NONE}.
 */
PD_EXPERIMENTAL bool pd_tasks_find(const struct pd_tasks *tasks, const struct pd_moment *when, uint32_t tid,
                                   struct pd_task *task);
/*
 * The same, and how long the state is valid: for all moments whose `at` is between *from and *to, both
 * excluded.
 */
PD_EXPERIMENTAL bool pd_tasks_find_span(const struct pd_tasks *tasks, const struct pd_moment *when,
                                        uint32_t tid, struct pd_task *task, uint64_t *from, uint64_t *to);

/*
 * Names: numbers 1 … pd_tasks_n_comms() - 1; the text is valid as long as the tracker. PD_COMM_NONE has "".
 */
PD_EXPERIMENTAL size_t pd_tasks_n_comms(const struct pd_tasks *tasks);
PD_EXPERIMENTAL const char *pd_tasks_comm(const struct pd_tasks *tasks, uint32_t comm);

/* ---- Which tasks a selection depends on */

/*
 * Marks a process or thread as needed: a number stands for all tasks that have it, as pid or tid, at any
 * time. Call it before pd_tasks_ancestors().
 */
PD_EXPERIMENTAL enum pd_code pd_tasks_need(struct pd_tasks *tasks, uint32_t id, struct pd_error *error);
/*
 * Checks whether perf would assign a map to another process, because it missed that the tid is used again:
 * then a need for one of the two processes is a need for both. For every record, between pd_tasks_finish()
 * and pd_tasks_ancestors(); may decode it.
 */
PD_EXPERIMENTAL enum pd_code pd_tasks_check(struct pd_tasks *tasks, struct pd_record *rec,
                                            const struct pd_moment *when, struct pd_error *error);
/* True if some tid had more than one process. If false, pd_tasks_check() has nothing to find. */
PD_EXPERIMENTAL bool pd_tasks_several(const struct pd_tasks *tasks);
/* Marks all ancestors of the marked tasks. */
PD_EXPERIMENTAL enum pd_code pd_tasks_ancestors(struct pd_tasks *tasks, struct pd_error *error);
PD_EXPERIMENTAL bool pd_tasks_needed(const struct pd_tasks *tasks, uint32_t id);
/*
 * True if the FORK record with this number in the file was the first to name its parent, or found the
 * parent's tid with another process and created it again. Then the parent depends on it.
 */
PD_EXPERIMENTAL bool pd_tasks_fork_made_parent(const struct pd_tasks *tasks, uint64_t order);

#ifdef __cplusplus
}
#endif
#endif
