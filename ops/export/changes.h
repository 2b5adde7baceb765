/* SPDX-License-Identifier: MIT */
/*
 * changes.h - the times at which names or mappings of tasks may change, known from a first reading: between
 * two of them, a session says the same of a task.
 */
#ifndef PERFDATA_CHANGES_H
#define PERFDATA_CHANGES_H

#include <perfdata/session/tasks.h>

struct pd_change {
    uint64_t time;
    uint32_t id; /* pid or tid */
};

/* All zeros but the allocator: empty. */
struct pd_changes {
    const struct pd_allocator *allocator;
    struct pd_change *some; /* of a task; by id, then time, once sorted */
    size_t n_some, cap_some;
    uint64_t *all; /* of all tasks; ascending, once sorted */
    size_t n_all, cap_all;
    bool sorted; /* by pd_changes_sort() */
};

/* Notes what a record that is no sample may change; decodes it. False: too many, or no memory. */
bool pd_changes_note(struct pd_changes *c, struct pd_record *rec, const struct pd_moment *when);
/* After the last was noted. */
void pd_changes_sort(struct pd_changes *c);
/*
 * The time around `time`, from and to excluded, in which nothing changes for a task. False: something does at
 * that very time.
 */
bool pd_changes_span(const struct pd_changes *c, uint32_t pid, uint32_t tid, uint64_t time, uint64_t *from,
                     uint64_t *to);
void pd_changes_free(struct pd_changes *c);

#endif
