/* SPDX-License-Identifier: MIT */
/*
 * pieces_tasks.c - dependencies on tasks: until when the names and maps of a task must be carried, and into
 * which pieces.
 */
#include "pieces.h"
#include <perfdata/constants.h>
#include <stdlib.h>

void pd_kin_init(struct pd_kin *k, const struct pd_allocator *allocator)
{
    *k = (struct pd_kin){.allocator = allocator, .map = {.allocator = allocator}};
    pd_task_graph_init(&k->forks, allocator);
}

void pd_kin_free(struct pd_kin *k)
{
    pd_idmap_free(&k->map);
    pd_task_graph_free(&k->forks);
    pd_release(k->allocator, k->tasks);
    pd_release(k->allocator, k->turns);
}

/* The index of the task with a number; PD_IDMAP_NONE: no memory. */
static uint32_t index_of(struct pd_kin *k, uint32_t id)
{
    uint32_t i = pd_idmap_get(&k->map, id);
    if (i != PD_IDMAP_NONE)
        return i;
    i = (uint32_t)k->n;
    if (!pd_grow(k->allocator, (void **)&k->tasks, k->n, &k->cap, sizeof *k->tasks) ||
        !pd_grow(k->allocator, (void **)&k->turns, k->n, &k->turns_cap, sizeof *k->turns) ||
        !pd_task_graph_add(&k->forks) || !pd_idmap_add(&k->map, id, i))
        return PD_IDMAP_NONE;
    k->tasks[k->n++] = (struct pd_kin_task){.last = UINT64_MAX};
    return i;
}

static bool mention(struct pd_kin *k, uint32_t id, uint64_t seq)
{
    const uint32_t i = index_of(k, id);
    if (i != PD_IDMAP_NONE)
        k->tasks[i].last = seq;
    return i != PD_IDMAP_NONE;
}

/* The child is mentioned already. */
static bool add_fork(struct pd_kin *k, const struct pd_told *fork, uint64_t seq)
{
    if (!mention(k, fork->ptid, seq) || !mention(k, fork->ppid, seq))
        return false;
    const uint32_t child = pd_idmap_get(&k->map, fork->tid);
    return pd_task_graph_connect(&k->forks, child, pd_idmap_get(&k->map, fork->ptid)) &&
           (fork->ptid == fork->ppid ||
            pd_task_graph_connect(&k->forks, child, pd_idmap_get(&k->map, fork->ppid)));
}

bool pd_kin_record(struct pd_kin *k, struct pd_record *rec, uint64_t seq)
{
    struct pd_told told;
    uint32_t pid, tid;
    if (pd_record_task(rec, &pid, &tid) && !(mention(k, pid, seq) && mention(k, tid, seq)))
        return false;
    if (pd_role_of(rec) != PD_ROLE_OF_TASK || pd_told_of(rec, &told, NULL))
        return true;
    if (!mention(k, told.pid, seq) || !mention(k, told.tid, seq))
        return false;
    return told.tells != PD_TELLS_BIRTH || !told.has_parent || add_fork(k, &told, seq);
}

bool pd_kin_need(struct pd_kin *k, uint32_t pid, uint32_t tid, uint64_t mask)
{
    const uint32_t t = index_of(k, tid), p = t == PD_IDMAP_NONE ? PD_IDMAP_NONE : index_of(k, pid);
    if (p == PD_IDMAP_NONE)
        return false;
    k->tasks[t].mask |= mask;
    k->tasks[p].mask |= mask;
    return true;
}

/* Dependencies on a task are dependencies on its parent. */
static bool pass_to_parent(void *user, uint32_t from, uint32_t to)
{
    const struct pd_kin *k = user;
    const struct pd_kin_task *child = &k->tasks[from];
    struct pd_kin_task *parent = &k->tasks[to];
    const bool later =
        child->last != UINT64_MAX && (parent->last == UINT64_MAX || child->last > parent->last);
    const bool more = child->mask & ~parent->mask;
    if (later)
        parent->last = child->last;
    parent->mask |= child->mask;
    return later || more;
}

/* Those without a record have the greatest number, and nothing to pass on but a mask. */
static int latest_first(const void *pa, const void *pb)
{
    const struct pd_kin_turn *a = pa, *b = pb;
    return (a->last < b->last) - (a->last > b->last);
}

/*
 * Numbers are used again, and a file may have its forks in any order, even in circles. If it begins with the
 * task that is mentioned last, no `last` is set twice; a mask grows as often as it has bits. So each fork is
 * visited a number of times that does not depend on the number of forks.
 */
void pd_kin_settle(struct pd_kin *k)
{
    for (size_t i = 0; i < k->n; i++)
        k->turns[i] = (struct pd_kin_turn){k->tasks[i].last, (uint32_t)i};
    if (k->n)
        qsort(k->turns, k->n, sizeof *k->turns, latest_first);
    for (size_t i = 0; i < k->n; i++) {
        pd_task_graph_wait(&k->forks, k->turns[i].task);
        pd_task_graph_spread(&k->forks, pass_to_parent, k);
    }
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

/* True if this is the first mention of a task, or gives the number to another process. */
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
 * A map belongs to its process; COMM, FORK, EXIT and NAMESPACES belong to their thread. But a FORK that is
 * the first to mention its parent, or a new process of that number, creates the parent, too.
 */
void pd_kin_owners(struct pd_kin *k, struct pd_record *rec, struct pd_owners *owners)
{
    struct pd_told told;
    owners->n = 0;
    if (pd_told_of(rec, &told, NULL) || told.of_kernel)
        return;
    is_news(k, told.tid, told.pid);
    owners->task[owners->n++] = told.tid;
    if (told.tells == PD_TELLS_MAP && told.pid != told.tid)
        owners->task[owners->n++] = told.pid;
    else if (told.tells == PD_TELLS_BIRTH && told.has_parent && is_news(k, told.ptid, told.ppid))
        owners->task[owners->n++] = told.ptid;
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
