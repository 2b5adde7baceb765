/* SPDX-License-Identifier: MIT */
/* pieces_tasks.c - what depends on which task: until when its names and maps must be carried, and into which
 * pieces. */
#include "pieces.h"
#include <perfdata/constants.h>
#include <stdlib.h>

void pd_kin_init(struct pd_kin *k, const struct pd_allocator *allocator)
{
    *k = (struct pd_kin){.allocator = allocator, .map = {.allocator = allocator}};
}

void pd_kin_free(struct pd_kin *k)
{
    pd_idmap_free(&k->map);
    pd_release(k->allocator, k->tasks);
    pd_release(k->allocator, k->forks);
    pd_release(k->allocator, k->turns);
}

/* The task with a number; NULL: no memory. */
static struct pd_kin_task *task(struct pd_kin *k, uint32_t id)
{
    uint32_t i = pd_idmap_get(&k->map, id);
    if (i != PD_IDMAP_NONE)
        return &k->tasks[i];
    i = (uint32_t)k->n;
    if (!pd_grow(k->allocator, (void **)&k->tasks, k->n, &k->cap, sizeof *k->tasks) ||
        !pd_grow(k->allocator, (void **)&k->turns, k->n, &k->turns_cap, sizeof *k->turns) ||
        !pd_idmap_add(&k->map, id, i))
        return NULL;
    k->tasks[k->n++] = (struct pd_kin_task){.last = UINT64_MAX};
    return &k->tasks[i];
}

static bool mention(struct pd_kin *k, uint32_t id, uint64_t seq)
{
    struct pd_kin_task *t = task(k, id);
    if (t)
        t->last = seq;
    return t != NULL;
}

static bool add_fork(struct pd_kin *k, const struct pd_record *rec, uint64_t seq)
{
    const uint32_t tid = rec->u.fork.ptid, pid = rec->u.fork.ppid;
    if (!mention(k, tid, seq) || !mention(k, pid, seq) ||
        !pd_grow(k->allocator, (void **)&k->forks, k->n_forks, &k->forks_cap, sizeof *k->forks))
        return false;
    struct pd_kin_task *child = &k->tasks[pd_idmap_get(&k->map, rec->u.fork.tid)];
    k->forks[k->n_forks++] =
        (struct pd_kin_fork){pd_idmap_get(&k->map, tid), pd_idmap_get(&k->map, pid), child->forks};
    child->forks = k->n_forks;
    return true;
}

bool pd_kin_record(struct pd_kin *k, struct pd_record *rec, uint64_t seq)
{
    uint32_t pid, tid;
    if (pd_record_task(rec, &pid, &tid) && !(mention(k, pid, seq) && mention(k, tid, seq)))
        return false;
    if (pd_filter_role(rec) != PD_ROLE_OF_TASK || !pd_filter_task_of(rec, &pid, &tid, NULL))
        return true;
    if (!mention(k, pid, seq) || !mention(k, tid, seq))
        return false;
    return rec->type != PD_RECORD_FORK || add_fork(k, rec, seq);
}

bool pd_kin_need(struct pd_kin *k, uint32_t pid, uint32_t tid, uint64_t mask)
{
    struct pd_kin_task *t = task(k, tid);
    if (t)
        t->mask |= mask;
    struct pd_kin_task *p = t ? task(k, pid) : NULL;
    if (p)
        p->mask |= mask;
    return p != NULL;
}

static bool inherit(struct pd_kin_task *parent, const struct pd_kin_task *child)
{
    const bool later =
        child->last != UINT64_MAX && (parent->last == UINT64_MAX || child->last > parent->last);
    const bool more = child->mask & ~parent->mask;
    if (later)
        parent->last = child->last;
    parent->mask |= child->mask;
    return later || more;
}

/* A task is at most once among those that wait. */
static void wait_in_turn(struct pd_kin *k, uint32_t i, uint32_t *top)
{
    struct pd_kin_task *const t = &k->tasks[i];
    if (t->waits)
        return;
    t->waits = true;
    t->below = *top;
    *top = i;
}

/* To its parents, theirs and so on, as long as that changes something. */
static void pass_on(struct pd_kin *k, uint32_t i)
{
    uint32_t top = PD_IDMAP_NONE;
    wait_in_turn(k, i, &top);
    while (top != PD_IDMAP_NONE) {
        struct pd_kin_task *const t = &k->tasks[top];
        top = t->below;
        t->waits = false;
        for (size_t at = t->forks; at; at = k->forks[at - 1].before) {
            const struct pd_kin_fork *const f = &k->forks[at - 1];
            if (inherit(&k->tasks[f->tid], t))
                wait_in_turn(k, f->tid, &top);
            if (inherit(&k->tasks[f->pid], t))
                wait_in_turn(k, f->pid, &top);
        }
    }
}

/* Those without a record have the greatest number, and nothing to pass on but a mask. */
static int latest_first(const void *pa, const void *pb)
{
    const struct pd_kin_turn *a = pa, *b = pb;
    return (a->last < b->last) - (a->last > b->last);
}

/*
 * Numbers are used again, and a file may have its forks in any order, even in circles. Beginning with the
 * task that is spoken of last, nobody's `last` is set twice; a mask grows as often as it has bits. So a fork
 * is looked at a number of times that does not depend on how many there are.
 */
void pd_kin_settle(struct pd_kin *k)
{
    for (size_t i = 0; i < k->n; i++)
        k->turns[i] = (struct pd_kin_turn){k->tasks[i].last, (uint32_t)i};
    if (k->n)
        qsort(k->turns, k->n, sizeof *k->turns, latest_first);
    for (size_t i = 0; i < k->n; i++)
        pass_on(k, k->turns[i].task);
}

void pd_kin_clear(struct pd_kin *k)
{
    for (size_t i = 0; i < k->n; i++) {
        k->tasks[i].sampled |= k->tasks[i].mask != 0;
        k->tasks[i].mask = 0;
    }
}

void pd_kin_rewind(struct pd_kin *k)
{
    for (size_t i = 0; i < k->n; i++)
        k->tasks[i].spoken_of = false;
}

/* Is this the first that is said of a task, or does it say that the number now belongs to another process? */
static bool is_news(struct pd_kin *k, uint32_t tid, uint32_t pid)
{
    const uint32_t i = pd_idmap_get(&k->map, tid);
    if (i == PD_IDMAP_NONE)
        return true;
    struct pd_kin_task *t = &k->tasks[i];
    const bool news = !t->spoken_of || t->pid != pid;
    t->spoken_of = true;
    t->pid = pid;
    return news;
}

/*
 * A map is its process's; COMM, FORK, EXIT and NAMESPACES are their thread's. But a FORK that is the first to
 * speak of its parent, or of a new process of that number, makes the parent, too.
 */
void pd_kin_owners(struct pd_kin *k, struct pd_record *rec, struct pd_owners *owners)
{
    uint32_t pid, tid;
    owners->n = 0;
    if (!pd_filter_task_of(rec, &pid, &tid, NULL) || pd_filter_of_kernel(rec, pid))
        return;
    const bool map = rec->type == PD_RECORD_MMAP || rec->type == PD_RECORD_MMAP2;
    is_news(k, tid, pid);
    owners->task[owners->n++] = tid;
    if (map && pid != tid)
        owners->task[owners->n++] = pid;
    else if (rec->type == PD_RECORD_FORK && is_news(k, rec->u.fork.ptid, rec->u.fork.ppid))
        owners->task[owners->n++] = rec->u.fork.ptid;
}

static const struct pd_kin_task *known(const struct pd_kin *k, uint32_t id)
{
    const uint32_t i = pd_idmap_get(&k->map, id);
    return i == PD_IDMAP_NONE ? NULL : &k->tasks[i];
}

bool pd_kin_alive(const struct pd_kin *k, const struct pd_owners *owners, uint64_t seq)
{
    for (unsigned i = 0; i < owners->n; i++) {
        const struct pd_kin_task *t = known(k, owners->task[i]);
        if (t == NULL || (t->last != UINT64_MAX && t->last >= seq))
            return true;
    }
    return owners->n == 0;
}

uint64_t pd_kin_mask(const struct pd_kin *k, const struct pd_owners *owners, bool *sampled)
{
    uint64_t mask = owners->n ? 0 : UINT64_MAX;
    *sampled = owners->n == 0;
    for (unsigned i = 0; i < owners->n; i++) {
        const struct pd_kin_task *t = known(k, owners->task[i]);
        mask |= t ? t->mask : 0;
        *sampled |= t && t->sampled;
    }
    return mask;
}
