/* SPDX-License-Identifier: MIT */
/*
 * changes.h - the times at which names or mappings of tasks may change, noted ahead of the samples: between
 * two of them, a session says the same of a task.
 */
#ifndef PERFDATA_CHANGES_H
#define PERFDATA_CHANGES_H

#include "src/support/idmap.h"
#include <perfdata/session/tasks.h>

struct pi_change {
    uint64_t time;
    uint32_t id; /* pid or tid */
};

/*
 * The time around a sample in which nothing changes for its task: since the last change, itself excluded, up
 * to the next one, excluded, as far as is known. Of one task, `since` tells two of them apart.
 */
struct pi_change_span {
    uint64_t task; /* pid and tid, as recorded */
    uint64_t since, to;
};

#define PI_CHANGE_SPANS ((size_t)256)

/* All zeros but the allocators: empty. */
struct pi_changes {
    const struct pd_allocator *allocator;
    /* Those that samples may still be around. */
    struct pi_change *some; /* of a task; by id, then time, once sorted */
    size_t n_some, cap_some;
    uint64_t *all; /* of all tasks; ascending, once sorted */
    size_t n_all, cap_all;
    bool sorted; /* nothing was noted since pi_changes_settle() */
    bool broken; /* some were lost, for lack of memory */
    /* The last ones before these. */
    struct pi_idmap ids; /* to places of `last` */
    uint64_t *last;
    size_t n_last, cap_last;
    uint64_t last_all;
    uint64_t known;                                /* all before this time are noted */
    struct pi_change_span recent[PI_CHANGE_SPANS]; /* that were asked for, by the last bits of the tid */
};

/* Notes what a record that is no sample may change; decodes it. False: too many, or no memory. */
bool pi_changes_note(struct pi_changes *c, struct pd_record *rec, const struct pd_moment *when);
/*
 * All changes before the time `known`, excluded, are noted; no sample before the time `done`, excluded, is to
 * come. False: no memory; pi_changes_span() must not be called.
 */
bool pi_changes_settle(struct pi_changes *c, uint64_t done, uint64_t known);
/*
 * The span around a sample of a task, pid and tid as recorded in this machine's byte order, valid until the
 * next call. NULL: something changes at that very time, or later ones are not known yet.
 */
const struct pi_change_span *pi_changes_find(struct pi_changes *c, uint64_t task, uint64_t time);
/* Where the last span of a task that was asked for is, unless another task's is there. */
static inline struct pi_change_span *pi_changes_slot(struct pi_changes *c, uint64_t task)
{
    return &c->recent[(task >> 32) % PI_CHANGE_SPANS];
}
/* The same, which looks at those that were asked for first. */
static inline const struct pi_change_span *pi_changes_span(struct pi_changes *c, uint64_t task, uint64_t time)
{
    const struct pi_change_span *s = pi_changes_slot(c, task);
    return s->task == task && time > s->since && time < s->to ? s : pi_changes_find(c, task, time);
}
void pi_changes_free(struct pi_changes *c);

#endif
