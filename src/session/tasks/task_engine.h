/* SPDX-License-Identifier: MIT */
/*
 * task_engine.h - all that is known about tasks; the inside of pd_tasks.
 *
 * An engine is fed record by record, and keeps what its question (task_questions.h) needs: states, the
 * default, or what task_uses.c, task_tellers.c or task_last.c answers.
 *
 * States: information from a record is noted with its moment (tasks.c) and waits. When it is settled, perf's
 * rules (task_rules.c) process it in the order of moments, which gives a list of the changes of each task;
 * lookups search that list. There are two ways to use it: collect all, then pd_tasks_finish(), which settles
 * everything; or pi_tasks_flow() for a stream that is read once: settle entries when no older ones can come
 * any more, and forget those that nobody will ask for.
 */
#ifndef PERFDATA_TASK_ENGINE_H
#define PERFDATA_TASK_ENGINE_H

#include "src/schema/fail.h"
#include "src/support/idmap.h"
#include "src/support/ids.h"
#include "task_flow.h"
#include "task_graph.h"
#include "task_questions.h"

static inline enum pd_code pi_tasks_no_memory(struct pd_error *error, uint64_t bytes)
{
    return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "tasks", 0, bytes);
}

enum pi_task_kind {
    PI_TASK_COMM,
    PI_TASK_FORK,
    PI_TASK_MAKING_FORK, /* it created its parent, too */
    PI_TASK_MENTION,
};

/* Information about a task from a record. */
struct pi_task_entry {
    uint64_t at, time, order; /* its moment */
    uint32_t round;
    uint32_t kind;
    uint32_t pid, tid;
    uint32_t other; /* COMM: the name; FORK: the parent's tid */
    uint32_t ppid;  /* FORK */
};

static inline struct pd_moment pi_task_moment(const struct pi_task_entry *e)
{
    return (struct pd_moment){e->at, e->time, e->order, e->round};
}

static inline bool pi_task_entry_before(const struct pi_task_entry *a, const struct pi_task_entry *b)
{
    const struct pd_moment x = pi_task_moment(a), y = pi_task_moment(b);
    return pd_moment_before(&x, &y);
}

/*
 * A tid: its state after all settled entries, and the first record that mentions it, other than COMM and
 * FORK.
 */
struct pi_task_of_tid {
    struct pd_moment when; /* of the mention that waits */
    uint32_t mentioned;    /* the process it says; UINT32_MAX: none waits */
    uint32_t pid, comm;
    bool there;
    union {
        struct { /* collected */
            uint32_t tid;
            uint32_t any; /* a process that some record gave it; UINT32_MAX: none did */
        };
        struct pd_task before; /* flowing: its state before the changes that are not forgotten */
    };
};

/* The state of a tid from an entry on. */
struct pi_task_state {
    uint32_t after; /* number of entries processed; the last of them made the change */
    uint32_t pid, comm;
};

struct pi_task_change {
    struct pi_task_state state;
    uint32_t task;
};

/* Ids that must be kept or dropped together. */
struct pi_task_alias {
    uint32_t a, b;
};

/* PI_TASKS_USES: a number stands for all tasks that have it, as pid or tid, at any time. */
struct pi_task_use {
    uint64_t last; /* order of the last record that refers to it, or to a task forked from it;
                      UINT64_MAX: none */
    uint32_t pid;  /* the last process that a record gave it */
    bool needed;   /* some piece needed it */
    bool written;  /* one that is written did */
    bool spoken_of;
};

struct pi_task_uses {
    struct pi_task_use *of;
    size_t cap;
    uint64_t *pieces; /* that need each task, while they are collected: `words` numbers of bits */
    size_t words, pieces_cap;
    struct pi_task_graph forks; /* each task depends on its ancestors */
    struct pi_task_turn {
        uint64_t last;
        uint32_t task;
    } * turns; /* room for all tasks */
    size_t turns_cap;
};

struct pi_task_tellers {
    struct pi_ids by; /* from machine << 33 | subject to the sources that told the last of it, as bits */
    struct pi_task_source now; /* of the next record */
};

struct pi_task_lasts {
    struct pi_task_last *of;
    size_t cap;
    struct pi_tid_set met;
};

struct pd_tasks {
    const struct pd_allocator *allocator;
    enum pi_task_question question;
    struct pi_idmap tids; /* to the index of what follows, but for tellers */
    struct pi_task_uses uses;
    struct pi_task_tellers tellers;
    struct pi_task_lasts lasts;
    struct pi_task_of_tid *tasks;
    size_t tasks_cap;
    struct pi_task_entry *entries; /* those settled, in the order of moments, then those that wait */
    size_t n_entries, n_settled, entries_cap;
    struct pi_task_change *changes; /* by those settled; while it flows by task, then in order */
    size_t n_changes, changes_cap;
    struct pi_task_state *states; /* the same when it is finished, those of one tid together */
    uint32_t *first;              /* by tid: its first state; one more at the end */
    /* names: numbers in a hash table, the texts one behind the other */
    char *text;
    size_t text_n, text_cap;
    size_t text_swept; /* bytes that were left when names were last swept */
    size_t *comms;     /* where each name starts */
    size_t n_comms, comms_cap;
    bool *came; /* by name: a record had it */
    size_t came_cap;
    uint32_t *table;
    size_t table_size;
    struct pi_key key; /* of the table */
    /* task_deps.c */
    struct pi_idmap needed;
    uint64_t *making; /* numbers of the MAKING_FORK records, ascending */
    size_t n_making, making_cap;
    struct pi_task_alias *aliases;
    size_t n_aliases, aliases_cap;
    uint64_t limit, left; /* bytes that collecting may take, and still may */
    size_t lacks;         /* bytes that were refused last; 0: they were there */
    bool several;         /* some tid was given more than one process */
    bool sorted;          /* the entries that wait are */
    bool begun;           /* swapper is there */
    bool flowing;
    bool learns;   /* names, although tasks flow */
    bool keeps;    /* names stay when no task has them any more */
    bool finished; /* lookups are possible */
};

/* Compressed records may mention millions of tasks in a few bytes. */
static inline bool pi_tasks_afford(struct pd_tasks *t, size_t bytes)
{
    t->lacks = bytes > t->left ? bytes : 0;
    t->left -= t->lacks ? 0 : bytes;
    return !t->lacks;
}

/* What an entry is charged until it is forgotten. */
#define PI_TASK_ENTRY_BYTES (sizeof(struct pi_task_entry) + sizeof(struct pi_task_state))

/*
 * Gives a tid the next index, where a row begins like this one. False: no memory, or more than is allowed.
 * Where tasks flow, room for an entry stays, so that those that are known go on.
 */
static inline bool pi_tasks_admit(struct pd_tasks *t, uint32_t tid, void **rows, size_t *cap, size_t size,
                                  const void *row)
{
    const size_t n = t->tids.n, stays = t->flowing ? PI_TASK_ENTRY_BYTES : 0;
    if (!pi_tasks_afford(t, size + 4 * sizeof *t->tids.slots + stays))
        return false;
    t->left += stays;
    if (!pi_grow(t->allocator, rows, n, cap, size))
        return false;
    memcpy((char *)*rows + n * size, row, size);
    return pi_idmap_add(&t->tids, tid, (uint32_t)n);
}

/* The error of what was refused: the limit, or memory. */
static inline enum pd_code pi_tasks_refused(const struct pd_tasks *t, struct pd_error *error, uint64_t bytes)
{
    return t->lacks ? pi_fail(error, PD_ELIMIT, PD_NOWHERE, "memory for tasks", t->limit - t->left + t->lacks,
                              t->limit)
                    : pi_tasks_no_memory(error, bytes);
}

/* ---- What other questions than that of states need of a record */

enum pd_code pi_task_uses_record(struct pd_tasks *t, struct pd_record *rec, uint64_t order,
                                 struct pd_error *error);
enum pd_code pi_task_uses_mention(struct pd_tasks *t, uint32_t pid, uint32_t tid, uint64_t order,
                                  struct pd_error *error);
void pi_task_uses_free(struct pd_tasks *t);
enum pd_code pi_task_tellers_record(struct pd_tasks *t, struct pd_record *rec, struct pd_error *error);
enum pd_code pi_task_last_record(struct pd_tasks *t, struct pd_record *rec, struct pd_error *error);
enum pd_code pi_task_last_mention(struct pd_tasks *t, uint32_t tid, struct pd_error *error);

/* ---- task_names.c */

/* Makes PD_COMM_NONE and "swapper", which is 1. False, as in all that follows: no memory, or more than is
 * allowed. */
bool pi_tasks_init_names(struct pd_tasks *t);
/* The number of a name; while the tasks flow, pd_tasks_n_comms() for any that is new. */
bool pi_tasks_number_name(struct pd_tasks *t, const char *s, size_t n, uint32_t *comm);
/*
 * At times forgets the names that no task has; the others get new numbers. For a flow that learns, when no
 * entry is left.
 */
void pi_tasks_sweep_names(struct pd_tasks *t);
/* Notes that a record has the name. */
void pi_tasks_name_came(struct pd_tasks *t, uint32_t comm);

/* ---- task_rules.c */

#define PI_SWAPPER 1 /* its name */

/* Makes the states of the settled entries. */
bool pi_tasks_index_states(struct pd_tasks *t);
/* Notes that a need for one id is a need for the other. */
bool pi_tasks_join(struct pd_tasks *t, uint32_t a, uint32_t b);

/* ---- task_deps.c */

/* Finds the forks that created their parents, for pd_tasks_fork_made_parent(). */
bool pi_tasks_list_making(struct pd_tasks *t);

#endif
