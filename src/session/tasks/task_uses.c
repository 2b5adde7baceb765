/* SPDX-License-Identifier: MIT */
/*
 * task_uses.c - PI_TASKS_USES: until when records refer to the number of a task, so that its names and maps
 * must be carried, and which pieces of a recording need it.
 */
#include "src/session/record_words.h"
#include "task_engine.h"
#include "told.h"

void pi_task_uses_free(struct pd_tasks *t)
{
    pi_task_graph_free(&t->uses.forks);
    pi_release(t->allocator, t->uses.of);
    pi_release(t->allocator, t->uses.turns);
    pi_release(t->allocator, t->uses.pieces);
}

static uint64_t *pieces_of(const struct pi_task_uses *u, size_t task)
{
    return u->pieces + task * u->words;
}

/* Room for the pieces of one more task. */
static bool add_pieces(struct pd_tasks *t)
{
    struct pi_task_uses *u = &t->uses;
    const size_t bytes = u->words * sizeof *u->pieces;
    if (!pi_tasks_afford(t, bytes) ||
        !pi_grow(t->allocator, (void **)&u->pieces, t->tids.n, &u->pieces_cap, bytes))
        return false;
    memset(pieces_of(u, t->tids.n), 0, bytes);
    return true;
}

__attribute__((noinline)) static uint32_t add_number(struct pd_tasks *t, uint32_t id)
{
    const struct pi_task_use fresh = {.last = UINT64_MAX};
    struct pi_task_uses *u = &t->uses;
    return pi_tasks_afford(t, sizeof *u->turns + sizeof *u->forks.nodes) &&
                   pi_grow(t->allocator, (void **)&u->turns, t->tids.n, &u->turns_cap, sizeof *u->turns) &&
                   pi_task_graph_add(&u->forks) && add_pieces(t) &&
                   pi_tasks_admit(t, id, (void **)&u->of, &u->cap, sizeof fresh, &fresh)
               ? (uint32_t)t->tids.n - 1
               : PI_IDMAP_NONE;
}

/* The index of a number; PI_IDMAP_NONE: refused. */
static inline uint32_t index_of(struct pd_tasks *t, uint32_t id)
{
    const uint32_t i = pi_idmap_get(&t->tids, id);
    return i != PI_IDMAP_NONE ? i : add_number(t, id);
}

static enum pd_code refused(const struct pd_tasks *t, struct pd_error *error)
{
    return pi_tasks_refused(t, error, sizeof *t->uses.of);
}

static bool use(struct pd_tasks *t, uint32_t id, uint64_t order)
{
    const uint32_t i = index_of(t, id);
    if (i != PI_IDMAP_NONE)
        t->uses.of[i].last = order;
    return i != PI_IDMAP_NONE;
}

/* The child is used already. */
static bool add_fork(struct pd_tasks *t, const struct pi_told *fork, uint64_t order)
{
    struct pi_task_graph *forks = &t->uses.forks;
    if (!use(t, fork->ptid, order) || !use(t, fork->ppid, order) ||
        !pi_tasks_afford(t, 2 * sizeof *forks->edges))
        return false;
    const uint32_t child = pi_idmap_get(&t->tids, fork->tid);
    return pi_task_graph_connect(forks, child, pi_idmap_get(&t->tids, fork->ptid)) &&
           (fork->ptid == fork->ppid ||
            pi_task_graph_connect(forks, child, pi_idmap_get(&t->tids, fork->ppid)));
}

enum pd_code pi_task_uses_record(struct pd_tasks *t, struct pd_record *rec, uint64_t order,
                                 struct pd_error *error)
{
    struct pi_told told;
    uint32_t pid, tid;
    if (pi_record_owner(rec, &pid, &tid) && !(use(t, pid, order) && use(t, tid, order)))
        return refused(t, error);
    if (pi_role_of(rec) != PI_ROLE_OF_TASK || pi_told_of(rec, &told, NULL))
        return PD_OK;
    if (!use(t, told.pid, order) || !use(t, told.tid, order))
        return refused(t, error);
    return told.tells != PI_TELLS_BIRTH || !told.has_parent || add_fork(t, &told, order) ? PD_OK
                                                                                         : refused(t, error);
}

enum pd_code pi_task_uses_mention(struct pd_tasks *t, uint32_t pid, uint32_t tid, uint64_t order,
                                  struct pd_error *error)
{
    return use(t, pid, order) && use(t, tid, order) ? PD_OK : refused(t, error);
}

bool pi_tasks_widen(struct pd_tasks *t, size_t words)
{
    struct pi_task_uses *u = &t->uses;
    const size_t n = t->tids.n, bytes = words * sizeof *u->pieces, before = u->words * sizeof *u->pieces;
    if (!pi_tasks_afford(t, n * (bytes - before)))
        return false;
    uint64_t *pieces = n ? pi_array(t->allocator, NULL, n, bytes) : NULL;
    if (n && pieces == NULL) {
        t->left += n * (bytes - before);
        return false;
    }
    if (n)
        memset(pieces, 0, n * bytes);
    pi_release(t->allocator, u->pieces);
    u->pieces = pieces;
    u->pieces_cap = n;
    u->words = words;
    return true;
}

enum pd_code pi_tasks_need_in(struct pd_tasks *t, uint32_t pid, uint32_t tid, size_t piece,
                              struct pd_error *error)
{
    const uint32_t thread = index_of(t, tid);
    const uint32_t process = thread == PI_IDMAP_NONE ? PI_IDMAP_NONE : index_of(t, pid);
    if (process == PI_IDMAP_NONE)
        return refused(t, error);
    pieces_of(&t->uses, thread)[piece / 64] |= UINT64_C(1) << piece % 64;
    pieces_of(&t->uses, process)[piece / 64] |= UINT64_C(1) << piece % 64;
    return PD_OK;
}

/* Uses and needs of a task are those of its parent. */
static bool pass_to_parent(void *user, uint32_t from, uint32_t to)
{
    const struct pi_task_uses *u = user;
    const struct pi_task_use *child = &u->of[from];
    struct pi_task_use *parent = &u->of[to];
    const bool later =
        child->last != UINT64_MAX && (parent->last == UINT64_MAX || child->last > parent->last);
    const uint64_t *needed = pieces_of(u, from);
    uint64_t *known = pieces_of(u, to), more = 0;
    for (size_t i = 0; i < u->words; i++) {
        more |= needed[i] & ~known[i];
        known[i] |= needed[i];
    }
    if (later)
        parent->last = child->last;
    return later || more;
}

/* Those without a record have the greatest number, and nothing to pass on but pieces. */
static int latest_first(const void *pa, const void *pb)
{
    const struct pi_task_turn *a = pa, *b = pb;
    return (a->last < b->last) - (a->last > b->last);
}

/*
 * Numbers are used again, and a file may have its forks in any order, even in circles. If it begins with the
 * task that is used last, no `last` is set twice; the pieces of a task grow at most as often as there are
 * some. So each fork is visited a number of times that does not depend on the number of forks.
 */
void pi_tasks_spread_uses(struct pd_tasks *t)
{
    struct pi_task_uses *u = &t->uses;
    const size_t n = t->tids.n;
    for (size_t i = 0; i < n; i++)
        u->turns[i] = (struct pi_task_turn){u->of[i].last, (uint32_t)i};
    if (n)
        qsort(u->turns, n, sizeof *u->turns, latest_first);
    for (size_t i = 0; i < n; i++) {
        pi_task_graph_wait(&u->forks, u->turns[i].task);
        pi_task_graph_spread(&u->forks, pass_to_parent, u);
    }
}

void pi_tasks_clear_needs(struct pd_tasks *t, bool written)
{
    for (size_t i = 0; i < t->tids.n; i++)
        for (size_t k = 0; k < t->uses.words; k++) {
            const bool needed = pieces_of(&t->uses, i)[k] != 0;
            t->uses.of[i].needed |= needed;
            t->uses.of[i].written |= needed && written;
            pieces_of(&t->uses, i)[k] = 0;
        }
}

void pi_tasks_rewind(struct pd_tasks *t)
{
    for (size_t i = 0; i < t->tids.n; i++)
        t->uses.of[i].spoken_of = false;
}

static struct pi_task_use *find(const struct pd_tasks *t, uint32_t id)
{
    const uint32_t i = pi_idmap_get(&t->tids, id);
    return i == PI_IDMAP_NONE ? NULL : &t->uses.of[i];
}

/* True if this is the first record that speaks of a task, or it gives the number to another process. */
static bool is_news(struct pd_tasks *t, uint32_t tid, uint32_t pid)
{
    struct pi_task_use *task = find(t, tid);
    if (task == NULL)
        return true;
    const bool news = !task->spoken_of || task->pid != pid;
    task->spoken_of = true;
    task->pid = pid;
    return news;
}

/*
 * A map belongs to its process; COMM, FORK, EXIT and NAMESPACES belong to their thread. But a FORK that is
 * the first to speak of its parent, or of a new process of that number, creates the parent, too. A piece may
 * have neither samples before the record nor other threads' records, so these do not count here, although
 * they do in task_rules.c.
 */
void pi_tasks_owners(struct pd_tasks *t, struct pd_record *rec, struct pi_task_owners *owners)
{
    struct pi_told told;
    owners->n = 0;
    if (pi_told_of(rec, &told, NULL) || told.of_kernel)
        return;
    is_news(t, told.tid, told.pid);
    owners->task[owners->n++] = told.tid;
    if (told.tells == PI_TELLS_MAP && told.pid != told.tid)
        owners->task[owners->n++] = told.pid;
    else if (told.tells == PI_TELLS_BIRTH && told.has_parent && is_news(t, told.ptid, told.ppid))
        owners->task[owners->n++] = told.ptid;
}

bool pi_tasks_used_from(const struct pd_tasks *t, const struct pi_task_owners *owners, uint64_t order)
{
    for (unsigned i = 0; i < owners->n; i++) {
        const struct pi_task_use *task = find(t, owners->task[i]);
        if (task == NULL || (task->last != UINT64_MAX && task->last >= order))
            return true;
    }
    return owners->n == 0;
}

bool pi_tasks_were_written(const struct pd_tasks *t, const struct pi_task_owners *owners)
{
    bool written = owners->n == 0;
    for (unsigned i = 0; i < owners->n; i++) {
        const struct pi_task_use *task = find(t, owners->task[i]);
        written |= task && task->written;
    }
    return written;
}

bool pi_tasks_needed_in(const struct pd_tasks *t, const struct pi_task_owners *owners,
                        struct pi_piece_set *pieces)
{
    bool needed = owners->n == 0;
    memset(pieces, needed ? 0xff : 0, sizeof *pieces);
    for (unsigned i = 0; i < owners->n; i++) {
        const uint32_t task = pi_idmap_get(&t->tids, owners->task[i]);
        if (task == PI_IDMAP_NONE)
            continue;
        for (size_t k = 0; k < t->uses.words; k++)
            pieces->words[k] |= pieces_of(&t->uses, task)[k];
        needed |= t->uses.of[task].needed;
    }
    return needed;
}
