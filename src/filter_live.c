/* SPDX-License-Identifier: MIT */
/*
 * filter_live.c - what perf knows of tasks at each moment of an input that flows. The rules are those of
 * tasks.c, which knows the whole input; here only what can still be asked for is kept: the present, and the
 * changes not yet forgotten. Of names it is enough to know whether they are listed.
 */
#include "filter.h"
#include "codec_internal.h"
#include <stdlib.h>

enum kind { COMM, FORK, MENTION };

/* Something that was read, and waits for its moment. */
struct event {
    struct pd_moment when;
    enum kind kind;
    uint32_t pid, tid;
    uint32_t other; /* COMM: the name; FORK: the parent's tid */
    uint32_t ppid;  /* FORK */
};

struct task {
    uint32_t pid, comm;
    bool there;
    bool mentioned;        /* a mention of it waits, */
    struct pd_moment when; /* the first one for this moment */
};

/* A change of a task, as it was before and is after. */
struct change {
    uint32_t task;
    uint64_t number; /* in the order of the moments */
    struct pd_moment when;
    struct pd_task before, after;
};

struct pd_live {
    const struct pd_filter_options *options;
    struct pd_idmap tids; /* to the index of a task */
    struct task *tasks;   /* now, that is when all that is settled has happened */
    size_t tasks_cap;
    struct event *events;
    size_t n_events, events_cap;
    bool sorted;            /* the events are */
    struct change *changes; /* by task, then by number */
    size_t n_changes, changes_cap;
    uint64_t next_number;
    bool failed; /* no memory */
};

/* ---- Tasks */

/* The index of a tid, given one if it has none. UINT32_MAX: no memory. */
static uint32_t index_of(struct pd_live *l, uint32_t tid)
{
    uint32_t i = pd_idmap_get(&l->tids, tid);
    if (i != PD_IDMAP_NONE)
        return i;
    i = (uint32_t)l->tids.n;
    if (!pd_grow(l->options->allocator, (void **)&l->tasks, i, &l->tasks_cap, sizeof *l->tasks) ||
        !pd_idmap_add(&l->tids, tid, i))
        return UINT32_MAX;
    l->tasks[i] = (struct task){.pid = UINT32_MAX, .comm = PD_COMM_NONE};
    return i;
}

static uint32_t find(const struct pd_live *l, uint32_t tid)
{
    return pd_idmap_get(&l->tids, tid); /* every tid of an event was given an index */
}

static struct pd_task state_of(const struct pd_live *l, uint32_t i)
{
    return (struct pd_task){l->tasks[i].pid, l->tasks[i].comm};
}

/* Notes a change by an event; several by one are one. */
static void changed(struct pd_live *l, uint32_t i, struct pd_task before, const struct pd_moment *when)
{
    for (size_t k = l->n_changes; k > 0 && l->changes[k - 1].when.order == when->order; k--)
        if (l->changes[k - 1].task == i) {
            l->changes[k - 1].after = state_of(l, i);
            return;
        }
    if (!pd_grow(l->options->allocator, (void **)&l->changes, l->n_changes, &l->changes_cap,
                 sizeof *l->changes)) {
        l->failed = true;
        return;
    }
    l->changes[l->n_changes++] = (struct change){i, l->next_number++, *when, before, state_of(l, i)};
}

/* The task of a tid, made if it is not there. A task whose process is not known gets this one. */
static uint32_t find_or_make(struct pd_live *l, uint32_t pid, uint32_t tid, const struct pd_moment *when)
{
    const uint32_t i = find(l, tid);
    struct task *task = &l->tasks[i];
    const struct pd_task before = state_of(l, i);
    if (task->there && (task->pid != UINT32_MAX || pid == UINT32_MAX))
        return i;
    task->there = true;
    task->pid = pid;
    changed(l, i, before, when);
    if (pid != tid && pid != UINT32_MAX)
        find_or_make(l, pid, pid, when);
    return i;
}

/* Whatever was known of a tid, it is a new task now. */
static void make_anew(struct pd_live *l, uint32_t pid, uint32_t tid, const struct pd_moment *when)
{
    const uint32_t i = find(l, tid);
    const struct pd_task before = state_of(l, i);
    l->tasks[i].there = true;
    l->tasks[i].pid = pid;
    l->tasks[i].comm = PD_COMM_NONE;
    changed(l, i, before, when);
    if (pid != tid && pid != UINT32_MAX)
        find_or_make(l, pid, pid, when);
}

static void rename_task(struct pd_live *l, uint32_t i, uint32_t comm, const struct pd_moment *when)
{
    const struct pd_task before = state_of(l, i);
    l->tasks[i].comm = comm;
    changed(l, i, before, when);
}

static void do_fork(struct pd_live *l, const struct event *e)
{
    const uint32_t parent = find_or_make(l, e->ppid, e->other, &e->when);
    if (l->tasks[parent].pid != e->ppid)
        make_anew(l, e->ppid, e->other, &e->when);
    const uint32_t comm = l->tasks[parent].comm;
    make_anew(l, e->pid, e->tid, &e->when);
    rename_task(l, find(l, e->tid), comm, &e->when);
}

static void apply(struct pd_live *l, const struct event *e)
{
    switch (e->kind) {
    case COMM: rename_task(l, find_or_make(l, e->pid, e->tid, &e->when), e->other, &e->when); return;
    case FORK: do_fork(l, e); return;
    default: l->tasks[find(l, e->tid)].mentioned = false; find_or_make(l, e->pid, e->tid, &e->when);
    }
}

/* ---- Opening and closing */

enum pd_code pd_live_new(struct pd_live **live, const struct pd_filter_options *options,
                         struct pd_error *error)
{
    struct pd_live *l = pd_resize(options->allocator, NULL, sizeof *l);
    if (l)
        *l = (struct pd_live){.options = options, .tids.allocator = options->allocator};
    *live = l;
    const uint32_t i = l ? index_of(l, 0) : UINT32_MAX;
    if (i == UINT32_MAX || l->tasks == NULL)
        return pd_fail(error, PD_ENOMEM, PD_NOWHERE, "tasks", 0, sizeof *l);
    const bool kept = pd_lists_name(&options->keep, "swapper", 7),
               dropped = pd_lists_name(&options->drop, "swapper", 7);
    l->tasks[i] = (struct task){.pid = 0, .comm = 1u + kept + 2u * dropped, .there = true};
    return PD_OK;
}

void pd_live_free(struct pd_live *l)
{
    if (l == NULL)
        return;
    const struct pd_allocator *allocator = l->options->allocator;
    pd_idmap_free(&l->tids);
    pd_release(allocator, l->tasks);
    pd_release(allocator, l->events);
    pd_release(allocator, l->changes);
    pd_release(allocator, l);
}

/* ---- Events */

/* Takes an event, and gives all tids that it speaks of an index. */
static bool add(struct pd_live *l, const struct event *e)
{
    const uint32_t ids[] = {e->tid, e->pid, e->kind == FORK ? e->other : e->tid,
                            e->kind == FORK ? e->ppid : e->tid};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (index_of(l, ids[i]) == UINT32_MAX)
            return false;
    if (!pd_grow(l->options->allocator, (void **)&l->events, l->n_events, &l->events_cap, sizeof *l->events))
        return false;
    l->sorted =
        l->n_events == 0 || (l->sorted && !pd_moment_before(&e->when, &l->events[l->n_events - 1].when));
    l->events[l->n_events++] = *e;
    return true;
}

/* A record speaks of a task: that counts if it is the first to do so. */
static bool mention(struct pd_live *l, const struct pd_moment *when, uint32_t pid, uint32_t tid)
{
    const uint32_t i = index_of(l, tid);
    if (i == UINT32_MAX)
        return false;
    struct task *task = &l->tasks[i];
    const bool known = task->there && task->pid != UINT32_MAX;
    if (pid == UINT32_MAX || known || (task->mentioned && !pd_moment_before(when, &task->when)))
        return true;
    task->mentioned = true;
    task->when = *when;
    return add(l, &(struct event){.when = *when, .kind = MENTION, .pid = pid, .tid = tid});
}

/* Names are numbered by the lists that they are in. */
static uint32_t number_of(const struct pd_live *l, const struct pd_str *name)
{
    return 1u + pd_lists_name(&l->options->keep, name->ptr, name->len) +
           2u * pd_lists_name(&l->options->drop, name->ptr, name->len);
}

static bool of_kernel(const struct pd_record *rec)
{
    const unsigned mode = rec->misc & PD_MISC_CPUMODE;
    return mode == PD_CPUMODE_KERNEL || mode == PD_CPUMODE_GUEST_KERNEL;
}

bool pd_live_record(struct pd_live *l, struct pd_record *rec, const struct pd_moment *when)
{
    struct event e = {.when = *when};
    struct pd_subject s;
    if (rec->type == PD_RECORD_SAMPLE) {
        pd_subject_init(&s, rec);
        return mention(l, when, s.pid, s.tid);
    }
    switch (rec->type) {
    case PD_RECORD_COMM:
    case PD_RECORD_FORK:
    case PD_RECORD_MMAP:
    case PD_RECORD_MMAP2:
    case PD_RECORD_NAMESPACES: break;
    default: return true;
    }
    if (rec->plan == NULL || pd_record_decode_framed(rec->plan, rec, NULL))
        return true; /* what cannot be decoded is reported when it is copied */
    switch (rec->type) {
    case PD_RECORD_COMM:
        e.kind = COMM, e.pid = rec->u.comm.pid, e.tid = rec->u.comm.tid;
        e.other = number_of(l, &rec->u.comm.comm);
        return add(l, &e);
    case PD_RECORD_FORK:
        e.kind = FORK, e.pid = rec->u.fork.pid, e.tid = rec->u.fork.tid;
        e.other = rec->u.fork.ptid, e.ppid = rec->u.fork.ppid;
        return add(l, &e);
    case PD_RECORD_MMAP: return of_kernel(rec) || mention(l, when, rec->u.mmap.pid, rec->u.mmap.tid);
    case PD_RECORD_MMAP2: return of_kernel(rec) || mention(l, when, rec->u.mmap2.pid, rec->u.mmap2.tid);
    default: return mention(l, when, rec->u.namespaces.pid, rec->u.namespaces.tid);
    }
}

/* ---- Time passes */

static int by_moment(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    return pd_moment_before(&x->when, &y->when) ? -1 : pd_moment_before(&y->when, &x->when);
}

static int by_task(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    if (x->task != y->task)
        return x->task < y->task ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

bool pd_live_settle(struct pd_live *l, const struct pd_moment *until)
{
    size_t n = 0;
    if (l->n_events == 0)
        return true;
    if (!l->sorted)
        qsort(l->events, l->n_events, sizeof *l->events, by_moment);
    l->sorted = true;
    for (; n < l->n_events && (until == NULL || pd_moment_before(&l->events[n].when, until)); n++)
        apply(l, &l->events[n]);
    l->n_events -= n;
    if (n && l->n_events)
        memmove(l->events, l->events + n, l->n_events * sizeof *l->events);
    if (n && l->n_changes)
        qsort(l->changes, l->n_changes, sizeof *l->changes, by_task);
    return !l->failed;
}

void pd_live_forget(struct pd_live *l, const struct pd_moment *until)
{
    size_t n = 0;
    for (size_t i = 0; until && i < l->n_changes; i++)
        if (!pd_moment_before(&l->changes[i].when, until))
            l->changes[n++] = l->changes[i];
    l->n_changes = n;
    if (n == 0)
        l->next_number = 0;
}

/* ---- Looking up */

/* Is change k before the place of task i at the moment, that change included? */
static bool is_before(const struct change *c, uint32_t i, const struct pd_moment *when)
{
    return c->task != i ? c->task < i : !pd_moment_before(when, &c->when);
}

void pd_live_find(const struct pd_live *l, const struct pd_moment *when, uint32_t tid, struct pd_task *task)
{
    const uint32_t i = pd_idmap_get(&l->tids, tid);
    size_t low = 0, high = l->n_changes;
    *task = (struct pd_task){UINT32_MAX, PD_COMM_NONE};
    if (i == PD_IDMAP_NONE)
        return;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (is_before(&l->changes[middle], i, when))
            low = middle + 1;
        else
            high = middle;
    }
    if (low && l->changes[low - 1].task == i)
        *task = l->changes[low - 1].after;
    else if (low < l->n_changes && l->changes[low].task == i)
        *task = l->changes[low].before;
    else
        *task = state_of(l, i);
}
