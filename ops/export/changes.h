/* SPDX-License-Identifier: MIT */
/*
 * changes.h - the times at which names or mappings of tasks may change, known from a first reading: between
 * two of them, a session says the same of a task.
 */
#ifndef PERFDATA_CHANGES_H
#define PERFDATA_CHANGES_H

#include <perfdata/session/tasks.h>

struct pi_change {
    uint64_t time;
    uint32_t id; /* pid or tid */
};

/* The time around a sample, from and to excluded, in which nothing changes for its task; to 0: there is none.
 */
struct pi_change_span {
    uint32_t pid, tid;
    uint64_t from, to;
};

#define PD_CHANGE_SPANS ((size_t)64)

/* All zeros but the allocator: empty. */
struct pi_changes {
    const struct pd_allocator *allocator;
    struct pi_change *some; /* of a task; by id, then time, once sorted */
    size_t n_some, cap_some;
    uint64_t *all; /* of all tasks; ascending, once sorted */
    size_t n_all, cap_all;
    bool sorted;                                   /* by pi_changes_sort() */
    struct pi_change_span recent[PD_CHANGE_SPANS]; /* that were asked for, by the last bits of the tid */
};

/* Notes what a record that is no sample may change; decodes it. False: too many, or no memory. */
bool pi_changes_note(struct pi_changes *c, struct pd_record *rec, const struct pd_moment *when);
/* After the last was noted. */
void pi_changes_sort(struct pi_changes *c);
/*
 * The time around `time`, from and to excluded, in which nothing changes for a task. False: something does at
 * that very time.
 */
bool pi_changes_span(struct pi_changes *c, uint32_t pid, uint32_t tid, uint64_t time, uint64_t *from,
                     uint64_t *to);
void pi_changes_free(struct pi_changes *c);

#endif
