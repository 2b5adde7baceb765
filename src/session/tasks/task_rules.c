/* SPDX-License-Identifier: MIT */
/*
 * task_rules.c - perf's rules of tasks, applied to the collected information in the order of moments, and
 * lookups of the result.
 */
#include "task_engine.h"

/* ---- The rules */

bool pi_tasks_join(struct pd_tasks *t, uint32_t a, uint32_t b)
{
    const struct pi_task_alias *last = t->n_aliases ? &t->aliases[t->n_aliases - 1] : NULL;
    if (a == b || t->flowing || (last && last->a == a && last->b == b))
        return true;
    if (!pi_grow(t->allocator, (void **)&t->aliases, t->n_aliases, &t->aliases_cap, sizeof *t->aliases))
        return false;
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): pi_grow() made room */
    t->aliases[t->n_aliases++] = (struct pi_task_alias){a, b};
    return true;
}

/*
 * Notes the state of a task from the current entry on; several changes by one entry are one. False: no
 * memory.
 */
static bool note_change(struct pd_tasks *t, uint32_t i)
{
    const struct pi_task_state now = {(uint32_t)t->n_settled, t->tasks[i].pid, t->tasks[i].comm};
    for (size_t k = t->n_changes; k && t->changes[k - 1].state.after == now.after; k--)
        if (t->changes[k - 1].task == i) {
            t->changes[k - 1].state = now;
            return true;
        }
    if (t->n_changes == UINT32_MAX - 1 ||
        !pi_grow(t->allocator, (void **)&t->changes, t->n_changes, &t->changes_cap, sizeof *t->changes))
        return false;
    t->changes[t->n_changes++] = (struct pi_task_change){now, i};
    return true;
}

/* The task of a tid, made if it is not there. A task whose process is not known gets this one. False: no
 * memory. */
static bool find_or_make(struct pd_tasks *t, uint32_t pid, uint32_t tid, uint32_t *index)
{
    const uint32_t i = *index = pi_idmap_get(&t->tids, tid);
    struct pi_task_of_tid *task = &t->tasks[i];
    uint32_t leader;
    if (task->there && (task->pid != UINT32_MAX || pid == UINT32_MAX))
        return task->pid == pid || pid == UINT32_MAX ||
               (pi_tasks_join(t, task->pid, pid) && pi_tasks_join(t, tid, pid));
    task->there = true;
    task->pid = pid;
    return note_change(t, i) && (pid == tid || pid == UINT32_MAX || find_or_make(t, pid, pid, &leader));
}

/* The tid becomes a new task, whatever its state was. */
static bool make_anew(struct pd_tasks *t, uint32_t pid, uint32_t tid, uint32_t *index)
{
    struct pi_task_of_tid *task = &t->tasks[pi_idmap_get(&t->tids, tid)];
    task->there = false;
    task->pid = UINT32_MAX;
    task->comm = PD_COMM_NONE;
    return find_or_make(t, pid, tid, index);
}

static bool name_task(struct pd_tasks *t, uint32_t i, uint32_t comm)
{
    t->tasks[i].comm = comm;
    return note_change(t, i);
}

static bool begin_task(struct pd_tasks *t, struct pi_task_entry *e)
{
    uint32_t parent = pi_idmap_get(&t->tids, e->other), child;
    if (!t->tasks[parent].there)
        e->kind = PI_TASK_MAKING_FORK;
    if (!find_or_make(t, e->ppid, e->other, &parent))
        return false;
    if (t->tasks[parent].pid != e->ppid) {
        e->kind = PI_TASK_MAKING_FORK;
        if (!make_anew(t, e->ppid, e->other, &parent))
            return false;
    }
    const uint32_t comm = t->tasks[parent].comm;
    return make_anew(t, e->pid, e->tid, &child) && name_task(t, child, comm);
}

static bool process(struct pd_tasks *t, struct pi_task_entry *e)
{
    uint32_t i;
    switch (e->kind) {
    case PI_TASK_COMM: return find_or_make(t, e->pid, e->tid, &i) && name_task(t, i, e->other);
    case PI_TASK_MENTION:
        if (!find_or_make(t, e->pid, e->tid, &i))
            return false;
        t->tasks[i].mentioned = UINT32_MAX;
        return true;
    default: return begin_task(t, e);
    }
}

/* ---- The order of moments */

static int by_moment(const void *a, const void *b)
{
    return pi_task_entry_before(a, b) ? -1 : pi_task_entry_before(b, a);
}

static int by_task(const void *a, const void *b)
{
    const struct pi_task_change *x = a, *y = b;
    if (x->task != y->task)
        return x->task < y->task ? -1 : 1;
    return (x->state.after > y->state.after) - (x->state.after < y->state.after);
}

static bool begin(struct pd_tasks *t)
{
    uint32_t swapper;
    t->begun = true;
    return find_or_make(t, 0, 0, &swapper) && name_task(t, swapper, PI_SWAPPER);
}

bool pi_tasks_settle(struct pd_tasks *t, const struct pd_moment *until)
{
    const size_t settled = t->n_settled;
    if (t->begun && settled == t->n_entries)
        return true;
    if (!t->begun && !begin(t))
        return false;
    if (!t->sorted && settled < t->n_entries)
        qsort(t->entries + settled, t->n_entries - settled, sizeof *t->entries, by_moment);
    t->sorted = true;
    while (t->n_settled < t->n_entries) {
        struct pi_task_entry *e = &t->entries[t->n_settled];
        const struct pd_moment when = pi_task_moment(e);
        if (until && !pd_moment_before(&when, until))
            break;
        t->n_settled++;
        if (!process(t, e))
            return false;
    }
    if (t->flowing && t->n_settled != settled && t->n_changes)
        qsort(t->changes, t->n_changes, sizeof *t->changes, by_task);
    return true;
}

/* The number of settled entries before a moment; NULL: all. */
static size_t count_before(const struct pd_tasks *t, const struct pd_moment *until)
{
    size_t n = until ? 0 : t->n_settled;
    for (; n < t->n_settled; n++) {
        const struct pd_moment when = pi_task_moment(&t->entries[n]);
        if (!pd_moment_before(&when, until))
            break;
    }
    return n;
}

void pi_tasks_forget(struct pd_tasks *t, const struct pd_moment *until)
{
    const uint32_t gone = (uint32_t)count_before(t, until);
    size_t n = 0;
    for (size_t k = 0; k < t->n_changes; k++) {
        const struct pi_task_change *c = &t->changes[k];
        if (c->state.after <= gone)
            t->tasks[c->task].before = (struct pd_task){c->state.pid, c->state.comm};
        else
            t->changes[n++] =
                (struct pi_task_change){{c->state.after - gone, c->state.pid, c->state.comm}, c->task};
    }
    t->n_changes = n;
    t->left += gone * PI_TASK_ENTRY_BYTES;
    t->n_entries -= gone;
    t->n_settled -= gone;
    if (gone && t->n_entries)
        memmove(t->entries, t->entries + gone, t->n_entries * sizeof *t->entries);
    pi_tasks_sweep_names(t);
}

/* ---- Looking up */

/* The changes of each tid together; their own order stays. */
bool pi_tasks_index_states(struct pd_tasks *t)
{
    const size_t n = t->tids.n;
    t->first = pi_array(t->allocator, NULL, n + 2, sizeof *t->first);
    t->states = pi_array(t->allocator, NULL, t->n_changes, sizeof *t->states);
    if (t->first == NULL || t->states == NULL)
        return false;
    memset(t->first, 0, (n + 2) * sizeof *t->first);
    for (size_t i = 0; i < t->n_changes; i++)
        t->first[t->changes[i].task + 2]++;
    for (size_t i = 2; i < n + 2; i++)
        t->first[i] += t->first[i - 1];
    for (size_t i = 0; i < t->n_changes; i++) /* afterwards first[i + 1] is where the states of i end */
        t->states[t->first[t->changes[i].task + 1]++] = t->changes[i].state;
    return true;
}

/* While the tasks flow, their states are the changes; `flowing` is known to the compiler where it looks for
 * one. */
#define INLINE static inline __attribute__((always_inline))

INLINE const struct pi_task_state *state_at(const struct pd_tasks *t, bool flowing, size_t k)
{
    return flowing ? &t->changes[k].state : &t->states[k];
}

/* True if state k is at or before the moment, for task i. */
INLINE bool is_up_to(const struct pd_tasks *t, bool flowing, size_t k, uint32_t i,
                     const struct pd_moment *when)
{
    if (flowing && t->changes[k].task != i)
        return t->changes[k].task < i;
    const uint32_t after = state_at(t, flowing, k)->after;
    if (after == 0)
        return true;
    const struct pd_moment then = pi_task_moment(&t->entries[after - 1]);
    return !pd_moment_before(when, &then);
}

/* Task i among the states from `low` to `high`. */
INLINE const struct pi_task_state *find_state(const struct pd_tasks *t, bool flowing, size_t low, size_t high,
                                              uint32_t i, const struct pd_moment *when, uint64_t *to)
{
    const size_t first = low, end = high;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (is_up_to(t, flowing, middle, i, when))
            low = middle + 1;
        else
            high = middle;
    }
    if (low < end && (!flowing || t->changes[low].task == i))
        *to = t->entries[state_at(t, flowing, low)->after - 1].at;
    return low > first && (!flowing || t->changes[low - 1].task == i) ? state_at(t, flowing, low - 1) : NULL;
}

bool pd_tasks_find_span(const struct pd_tasks *t, const struct pd_moment *when, uint32_t tid,
                        struct pd_task *task, uint64_t *from, uint64_t *to)
{
    const uint32_t i = t->finished ? pi_idmap_get(&t->tids, tid) : PI_IDMAP_NONE;
    *task = (struct pd_task){UINT32_MAX, PD_COMM_NONE};
    *from = 0;
    *to = UINT64_MAX;
    if (i == PI_IDMAP_NONE)
        return false;
    const struct pi_task_state *state = t->flowing
                                            ? find_state(t, true, 0, t->n_changes, i, when, to)
                                            : find_state(t, false, t->first[i], t->first[i + 1], i, when, to);
    if (state == NULL) {
        if (t->flowing)
            *task = t->tasks[i].before;
        return task->pid != UINT32_MAX || task->comm != PD_COMM_NONE;
    }
    *from = state->after ? t->entries[state->after - 1].at : 0;
    *task = (struct pd_task){state->pid, state->comm};
    return true;
}

bool pd_tasks_find(const struct pd_tasks *t, const struct pd_moment *when, uint32_t tid, struct pd_task *task)
{
    uint64_t from, to;
    return pd_tasks_find_span(t, when, tid, task, &from, &to);
}
