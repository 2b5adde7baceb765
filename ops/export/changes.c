/* SPDX-License-Identifier: MIT */
/* changes.c - see changes.h. */
#include "changes.h"
#include "src/session/tasks/told.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include <stdlib.h>

static bool note_for_all(struct pi_changes *c, uint64_t time)
{
    if (c->n_all >= PD_LIMIT_EXPORT_CHANGES ||
        !pi_grow(c->allocator, (void **)&c->all, c->n_all, &c->cap_all, sizeof *c->all))
        return false;
    c->all[c->n_all++] = time;
    return true;
}

static bool note_for_one(struct pi_changes *c, uint32_t id, uint64_t time)
{
    if (c->n_some >= PD_LIMIT_EXPORT_CHANGES ||
        !pi_grow(c->allocator, (void **)&c->some, c->n_some, &c->cap_some, sizeof *c->some))
        return false;
    c->some[c->n_some++] = (struct pi_change){time, id};
    return true;
}

bool pi_changes_note(struct pi_changes *c, struct pd_record *rec, const struct pd_moment *when)
{
    uint32_t ids[PD_TOLD_MOST];
    size_t n;
    bool fits = true;
    if (!pi_told_changes(rec, ids, &n))
        return true;
    for (size_t i = 0; fits && i < n; i++)
        fits = note_for_one(c, ids[i], when->time);
    return n ? fits : note_for_all(c, when->time);
}

static int by_id(const void *a, const void *b)
{
    const struct pi_change *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return (x->time > y->time) - (x->time < y->time);
}

static int by_time(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void pi_changes_sort(struct pi_changes *c)
{
    if (c->n_some)
        qsort(c->some, c->n_some, sizeof *c->some, by_id);
    if (c->n_all)
        qsort(c->all, c->n_all, sizeof *c->all, by_time);
    c->sorted = true;
}

/* Narrows the time between `from` and `to` to that between the changes around `time`. False: one is there. */
static bool narrow(uint64_t change, uint64_t time, uint64_t *from, uint64_t *to)
{
    if (change < time && change > *from)
        *from = change;
    if (change > time && change < *to)
        *to = change;
    return change != time;
}

static bool narrow_by_all(const struct pi_changes *c, uint64_t time, uint64_t *from, uint64_t *to)
{
    size_t low = 0, high = c->n_all;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (c->all[middle] < time)
            low = middle + 1;
        else
            high = middle;
    }
    return (low == 0 || narrow(c->all[low - 1], time, from, to)) &&
           (low == c->n_all || narrow(c->all[low], time, from, to));
}

static bool narrow_by_id(const struct pi_changes *c, uint32_t id, uint64_t time, uint64_t *from, uint64_t *to)
{
    const struct pi_change *some = c->some, wanted = {time, id};
    size_t low = 0, high = c->n_some;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (by_id(&some[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return (low == 0 || some[low - 1].id != id || narrow(some[low - 1].time, time, from, to)) &&
           (low == c->n_some || some[low].id != id || narrow(some[low].time, time, from, to));
}

bool pi_changes_span(struct pi_changes *c, uint32_t pid, uint32_t tid, uint64_t time, uint64_t *from,
                     uint64_t *to)
{
    struct pi_change_span *s = &c->recent[tid % PD_CHANGE_SPANS];
    if (s->to == 0 || s->pid != pid || s->tid != tid || time <= s->from || time >= s->to) {
        *s = (struct pi_change_span){.pid = pid, .tid = tid, .to = UINT64_MAX};
        if (!narrow_by_all(c, time, &s->from, &s->to) || !narrow_by_id(c, pid, time, &s->from, &s->to) ||
            (pid != tid && !narrow_by_id(c, tid, time, &s->from, &s->to)))
            s->to = 0;
    }
    *from = s->from;
    *to = s->to;
    return s->to != 0;
}

void pi_changes_free(struct pi_changes *c)
{
    pi_release(c->allocator, c->some);
    pi_release(c->allocator, c->all);
}
