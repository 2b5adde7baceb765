/* SPDX-License-Identifier: MIT */
/*
 * task_questions.h - internal functions of pd_tasks for operations and the command: questions about tasks
 * other than that of their states. Each needs less memory than states do.
 *
 * An engine answers one question. It is fed like any other: pd_tasks_record() for records, in the order that
 * the question needs, and pd_tasks_mention() for what else refers to a task.
 */
#ifndef PERFDATA_TASK_QUESTIONS_H
#define PERFDATA_TASK_QUESTIONS_H

#include "src/support/limits.h"
#include "told.h"
#include <perfdata/session/tasks.h>

enum pi_task_question {
    PI_TASKS_STATES,  /* process and name of a task at a moment: pd_tasks_find() */
    PI_TASKS_USES,    /* until when records refer to a number, and which pieces of a recording need it */
    PI_TASKS_TELLERS, /* which of several recordings told the last of a task */
    PI_TASKS_COUNT,   /* the number of tids */
    PI_TASKS_LAST,    /* that, and what the last records of a tid in the file say */
};

/* pd_tasks_new() for any question. */
enum pd_code pi_tasks_ask(struct pd_tasks **tasks, enum pi_task_question question,
                          const struct pd_allocator *allocator, struct pd_error *error);

/*
 * ---- PI_TASKS_USES
 *
 * A number stands for all tasks that have it, as pid or tid, at any time. pd_tasks_record() takes every
 * record, in the order of processing, and of its moment only `order`, the number in that order;
 * pd_tasks_mention() takes a sample's task and moment instead, or those of the last of several alike.
 */

/* Pieces, as bits: of one word, unless pi_tasks_widen() asks for more. */
#define PI_PIECE_WORDS (PI_LIMIT_PIECES_AT_ONCE / 64)
struct pi_piece_set {
    uint64_t words[PI_PIECE_WORDS];
};
/*
 * So many words of pieces are told apart from now on. No task is needed in any. False: there is no memory, or
 * more would be than is allowed, and all is as before.
 */
bool pi_tasks_widen(struct pd_tasks *t, size_t words);
/* A piece needs a task and its process. */
enum pd_code pi_tasks_need_in(struct pd_tasks *t, uint32_t pid, uint32_t tid, size_t piece,
                              struct pd_error *error);
/* All records and needs have come: a use, or a need, of a task is one of those that it was forked from. */
void pi_tasks_spread_uses(struct pd_tasks *t);
/* Notes which tasks some piece needs, and forgets which piece it was. `written`: these pieces are written. */
void pi_tasks_clear_needs(struct pd_tasks *t, bool written);
/* Another reading with pi_tasks_owners() begins. */
void pi_tasks_rewind(struct pd_tasks *t);

/*
 * The tasks that a PI_ROLE_OF_TASK record matters to; up to two numbers, none if it matters to all, or cannot
 * be decoded. To be called for each such record, in order.
 */
struct pi_task_owners {
    uint32_t task[2];
    unsigned n; /* 0: all */
};
void pi_tasks_owners(struct pd_tasks *t, struct pd_record *rec, struct pi_task_owners *owners);
/* True if a record from number `order` on refers to one of them. */
bool pi_tasks_used_from(const struct pd_tasks *t, const struct pi_task_owners *owners, uint64_t order);
/* True if one of them was needed in a piece that is written. */
bool pi_tasks_were_written(const struct pd_tasks *t, const struct pi_task_owners *owners);
/* The pieces that need one of them; false: none does, or did. */
bool pi_tasks_needed_in(const struct pd_tasks *t, const struct pi_task_owners *owners,
                        struct pi_piece_set *pieces);

/*
 * ---- PI_TASKS_TELLERS
 *
 * pd_tasks_record() takes records in order of time, each from the source set before. Of a task, sources tell
 * two things: its maps, or all else. Beyond pd_tasks_limit(), further ones are not noted.
 */
#define PI_TASK_TELLER_BYTES 96 /* what each counts for */

struct pi_task_source {
    uint32_t machine;
    uint32_t input; /* 64 inputs are told apart */
    bool again;     /* the record repeats what other sources told */
};
void pi_tasks_from(struct pd_tasks *t, struct pi_task_source source);
/* True if other sources alone told the last of the same. */
bool pi_tasks_told_by_others(const struct pd_tasks *t, const struct pi_task_source *source,
                             const struct pi_told *told);

/*
 * ---- PI_TASKS_COUNT, PI_TASKS_LAST
 *
 * pd_tasks_mention() needs no moment. What counts is mentions, names and births.
 */

/* Tids up to PID_MAX_LIMIT; Linux has no larger ones. */
struct pi_tid_set {
    uint64_t *bits; /* tid n is bit n % 64 of bits[n / 64]; NULL: empty */
    uint64_t n;     /* tids in it */
};
#define PI_TID_SET_BITS (UINT32_C(1) << 22)

static inline bool pi_tid_set_has(const struct pi_tid_set *s, uint32_t tid)
{
    return s->bits && tid < PI_TID_SET_BITS && (s->bits[tid / 64] >> tid % 64 & 1) != 0;
}

/* The tids that have come. It stays where it is, and changes while records come. */
const struct pi_tid_set *pi_tasks_met(const struct pd_tasks *t);

struct pi_task_last {
    uint32_t pid, tid, ppid; /* ppid UINT32_MAX: not told */
    uint32_t comm;           /* for pd_tasks_comm() */
};
/* Those that a name or a birth told of, in order of appearance. */
const struct pi_task_last *pi_tasks_last(const struct pd_tasks *t, size_t *n);

#endif
