/* SPDX-License-Identifier: MIT */
/* changes.c - see changes.h. */
#include "changes.h"
#include "src/session/tasks/told.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include <stdlib.h>
#include <string.h>

static bool note_for_all(struct pi_changes *c, uint64_t time)
{
    if (c->n_all >= PI_LIMIT_EXPORT_CHANGES ||
        !pi_grow(c->allocator, (void **)&c->all, c->n_all, &c->cap_all, sizeof *c->all))
        return false;
    c->all[c->n_all++] = time;
    c->sorted = false;
    return true;
}

static bool note_for_one(struct pi_changes *c, uint32_t id, uint64_t time)
{
    if (c->n_some >= PI_LIMIT_EXPORT_CHANGES ||
        !pi_grow(c->allocator, (void **)&c->some, c->n_some, &c->cap_some, sizeof *c->some))
        return false;
    c->some[c->n_some++] = (struct pi_change){time, id};
    c->sorted = false;
    return true;
}

bool pi_changes_note(struct pi_changes *c, struct pd_record *rec, const struct pd_moment *when)
{
    uint32_t ids[PI_TOLD_MOST];
    size_t n;
    bool fits = true;
    if (when->time == 0 || !pi_told_changes(rec, ids, &n)) /* it comes before all samples with a time */
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

/* Notes the last change of a task before those that are kept. */
static bool note_last(struct pi_changes *c, const struct pi_change *change)
{
    uint32_t at = pi_idmap_get(&c->ids, change->id);
    if (at == PI_IDMAP_NONE) {
        at = (uint32_t)c->n_last;
        if (c->n_last >= PI_LIMIT_EXPORT_CHANGES ||
            !pi_grow(c->allocator, (void **)&c->last, c->n_last, &c->cap_last, sizeof *c->last) ||
            !pi_idmap_add(&c->ids, change->id, at))
            return false;
        c->last[c->n_last++] = 0;
    }
    if (change->time > c->last[at])
        c->last[at] = change->time;
    return true;
}

/* Drops changes before the time `done`, but for the last of each task and of all. */
static bool drop(struct pi_changes *c, uint64_t done)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_all; i++)
        if (c->all[i] >= done)
            c->all[n++] = c->all[i];
        else if (c->all[i] > c->last_all)
            c->last_all = c->all[i];
    c->n_all = n;
    n = 0;
    for (size_t i = 0; i < c->n_some; i++)
        if (c->some[i].time >= done)
            c->some[n++] = c->some[i];
        else if (!note_last(c, &c->some[i]))
            return false;
    c->n_some = n;
    return true;
}

bool pi_changes_settle(struct pi_changes *c, uint64_t done, uint64_t known)
{
    c->known = known;
    if (c->sorted || c->broken)
        return c->sorted;
    c->broken = !drop(c, done);
    if (c->broken)
        return false;
    if (c->n_some)
        qsort(c->some, c->n_some, sizeof *c->some, by_id);
    if (c->n_all)
        qsort(c->all, c->n_all, sizeof *c->all, by_time);
    c->sorted = true;
    return true;
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
    size_t low = 0, high = c->n_some;
    const struct pi_change *some = c->some, wanted = {time, id};
    const uint32_t at = pi_idmap_get(&c->ids, id);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (by_id(&some[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return (at == PI_IDMAP_NONE || narrow(c->last[at], time, from, to)) &&
           (low == 0 || some[low - 1].id != id || narrow(some[low - 1].time, time, from, to)) &&
           (low == c->n_some || some[low].id != id || narrow(some[low].time, time, from, to));
}

const struct pi_change_span *pi_changes_find(struct pi_changes *c, uint64_t task, uint64_t time)
{
    struct pi_change_span *s = pi_changes_slot(c, task);
    uint32_t ids[2];
    memcpy(ids, &task, sizeof ids);
    *s = (struct pi_change_span){.task = task, .since = c->last_all, .to = c->known};
    if (!c->sorted || !narrow_by_all(c, time, &s->since, &s->to) ||
        !narrow_by_id(c, ids[0], time, &s->since, &s->to) ||
        (ids[0] != ids[1] && !narrow_by_id(c, ids[1], time, &s->since, &s->to)))
        s->to = 0;
    return time > s->since && time < s->to ? s : NULL;
}

void pi_changes_free(struct pi_changes *c)
{
    pi_idmap_free(&c->ids);
    pi_release(c->allocator, c->last);
    pi_release(c->allocator, c->some);
    pi_release(c->allocator, c->all);
}
