/* SPDX-License-Identifier: MIT */
/* task_deps.c - the tasks that a selection depends on. */
#include "task_engine.h"
#include "task_graph.h"
#include "told.h"

/* ---- Forks that created their parents */

static int by_number(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

bool pi_tasks_list_making(struct pd_tasks *t)
{
    for (size_t i = 0; i < t->n_entries; i++) {
        if (t->entries[i].kind != PI_TASK_MAKING_FORK)
            continue;
        if (!pi_grow(t->allocator, (void **)&t->making, t->n_making, &t->making_cap, sizeof *t->making))
            return false;
        t->making[t->n_making++] = t->entries[i].order;
    }
    if (t->n_making)
        qsort(t->making, t->n_making, sizeof *t->making, by_number);
    return true;
}

bool pd_tasks_fork_made_parent(const struct pd_tasks *t, uint64_t order)
{
    return t->n_making && bsearch(&order, t->making, t->n_making, sizeof order, by_number) != NULL;
}

/* ---- Maps of a process that perf assigns to another */

bool pd_tasks_several(const struct pd_tasks *t)
{
    return t->several;
}

enum pd_code pi_tasks_check_map(struct pd_tasks *t, uint32_t pid, uint32_t tid, const struct pd_moment *when,
                                struct pd_error *error)
{
    struct pd_task task;
    if (!pd_tasks_find(t, when, tid, &task) || task.pid == UINT32_MAX || pid == UINT32_MAX || task.pid == pid)
        return PD_OK;
    return pi_tasks_join(t, task.pid, pid) && pi_tasks_join(t, tid, pid)
               ? PD_OK
               : pi_tasks_no_memory(error, sizeof *t->aliases);
}

enum pd_code pd_tasks_check(struct pd_tasks *t, struct pd_record *rec, const struct pd_moment *when,
                            struct pd_error *error)
{
    struct pi_told told;
    return pi_told_map(rec, &told) ? pi_tasks_check_map(t, told.pid, told.tid, when, error) : PD_OK;
}

/* ---- What is needed */

enum pd_code pd_tasks_need(struct pd_tasks *t, uint32_t id, struct pd_error *error)
{
    return pi_idmap_add(&t->needed, id, 0)
               ? PD_OK
               : pi_tasks_no_memory(error, t->needed.size * 2 * sizeof *t->needed.slots);
}

void pi_tasks_need_none(struct pd_tasks *t)
{
    pi_idmap_free(&t->needed);
}

bool pd_tasks_needed(const struct pd_tasks *t, uint32_t id)
{
    return pi_idmap_get(&t->needed, id) != PI_IDMAP_NONE;
}

static bool connect(const struct pd_tasks *t, struct pi_task_graph *g, uint32_t from, uint32_t to)
{
    return pi_task_graph_connect(g, pi_idmap_get(&t->tids, from), pi_idmap_get(&t->tids, to));
}

static bool connect_fork(const struct pd_tasks *t, struct pi_task_graph *g, const struct pi_task_entry *fork)
{
    const bool twice = fork->other != fork->ppid;
    return connect(t, g, fork->pid, fork->ppid) && (!twice || connect(t, g, fork->pid, fork->other)) &&
           (fork->tid == fork->pid ||
            (connect(t, g, fork->tid, fork->ppid) && (!twice || connect(t, g, fork->tid, fork->other))));
}

static bool is_fork(const struct pi_task_entry *e)
{
    return e->kind == PI_TASK_FORK || e->kind == PI_TASK_MAKING_FORK;
}

/* At most four edges for each FORK, and two for each alias. */
static bool make_graph(const struct pd_tasks *t, struct pi_task_graph *g)
{
    size_t n = 2 * t->n_aliases;
    for (size_t i = 0; i < t->n_entries; i++)
        n += is_fork(&t->entries[i]) ? 4 : 0;
    bool ok = n < UINT32_MAX && pi_task_graph_make(g, t->tids.n, n);
    for (size_t i = 0; ok && i < t->n_aliases; i++)
        ok = connect(t, g, t->aliases[i].a, t->aliases[i].b) &&
             connect(t, g, t->aliases[i].b, t->aliases[i].a);
    for (size_t i = 0; ok && i < t->n_entries; i++)
        ok = !is_fork(&t->entries[i]) || connect_fork(t, g, &t->entries[i]);
    return ok;
}

/* Whether each node is needed. */
struct needs {
    struct pd_tasks *t;
    uint32_t *ids; /* of the nodes */
    bool failed;   /* no memory */
};

/* The tasks that a needed task depends on become needed. */
static bool pass_need(void *user, uint32_t from, uint32_t to)
{
    struct needs *needs = user;
    (void)from;
    if (pd_tasks_needed(needs->t, needs->ids[to]))
        return false;
    needs->failed |= !pi_idmap_add(&needs->t->needed, needs->ids[to], 0);
    return !needs->failed;
}

/* Needed nodes wait to pass that on. */
static void begin_needs(const struct needs *needs, struct pi_task_graph *g)
{
    const struct pi_idmap *tids = &needs->t->tids, *needed = &needs->t->needed;
    for (size_t i = 0; i < tids->size; i++)
        if (tids->slots[i].value != PI_IDMAP_NONE)
            needs->ids[tids->slots[i].value] = tids->slots[i].id;
    for (size_t i = 0; i < needed->size; i++) {
        const struct pi_idmap_slot *slot = &needed->slots[i];
        const uint32_t node = slot->value == PI_IDMAP_NONE ? PI_IDMAP_NONE : pi_idmap_get(tids, slot->id);
        if (node != PI_IDMAP_NONE)
            pi_task_graph_wait(g, node);
    }
}

enum pd_code pd_tasks_ancestors(struct pd_tasks *t, struct pd_error *error)
{
    struct pi_task_graph g;
    struct needs needs = {.t = t, .ids = pi_array(t->allocator, NULL, t->tids.n, sizeof *needs.ids)};
    pi_task_graph_init(&g, t->allocator);
    const bool ok = needs.ids && make_graph(t, &g);
    if (ok) {
        begin_needs(&needs, &g);
        pi_task_graph_spread(&g, pass_need, &needs);
    }
    pi_task_graph_free(&g);
    pi_release(t->allocator, needs.ids);
    return ok && !needs.failed ? PD_OK : pi_tasks_no_memory(error, t->n_entries * 4 * sizeof *g.edges);
}
