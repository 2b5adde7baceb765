/* SPDX-License-Identifier: MIT */
/* tasks.c - collects the information about tasks in records, for task_rules.c to process. */
#include "src/container/reader/sample_run.h"
#include "src/schema/fail.h"
#include "src/support/limits.h"
#include "src/session/order/clock.h"
#include "task_engine.h"
#include "told.h"

enum pd_code pd_tasks_new(struct pd_tasks **out, const struct pd_allocator *allocator, struct pd_error *error)
{
    return pi_tasks_ask(out, PI_TASKS_STATES, allocator, error);
}

enum pd_code pi_tasks_ask(struct pd_tasks **out, enum pi_task_question question,
                          const struct pd_allocator *allocator, struct pd_error *error)
{
    struct pd_tasks *t = pi_resize(allocator, NULL, sizeof *t);
    if (t == NULL)
        return pi_tasks_no_memory(error, sizeof *t);
    *t = (struct pd_tasks){.allocator = allocator,
                           .question = question,
                           .uses.words = 1,
                           .tids.allocator = allocator,
                           .tellers.by.allocator = allocator,
                           .needed.allocator = allocator,
                           .limit = PI_LIMIT_TASKS,
                           .left = PI_LIMIT_TASKS};
    pi_task_graph_init(&t->uses.forks, allocator);
    if ((question == PI_TASKS_STATES || question == PI_TASKS_LAST) && !pi_tasks_init_names(t)) {
        pd_tasks_free(t);
        return pi_tasks_no_memory(error, 256);
    }
    *out = t;
    return PD_OK;
}

void pd_tasks_limit(struct pd_tasks *t, uint64_t bytes)
{
    t->limit = t->left = bytes;
}

void pd_tasks_free(struct pd_tasks *t)
{
    if (t == NULL)
        return;
    pi_idmap_free(&t->tids);
    pi_idmap_free(&t->needed);
    pi_task_uses_free(t);
    pi_ids_free(&t->tellers.by);
    pi_release(t->allocator, t->lasts.of);
    pi_release(t->allocator, t->lasts.met.bits);
    pi_release(t->allocator, t->tasks);
    pi_release(t->allocator, t->entries);
    pi_release(t->allocator, t->changes);
    pi_release(t->allocator, t->states);
    pi_release(t->allocator, t->first);
    pi_release(t->allocator, t->text);
    pi_release(t->allocator, t->comms);
    pi_release(t->allocator, t->came);
    pi_release(t->allocator, t->table);
    pi_release(t->allocator, t->making);
    pi_release(t->allocator, t->aliases);
    pi_release(t->allocator, t);
}

/* ---- Collecting */

/* The index of a tid, given one if it has none. PI_IDMAP_NONE: refused. */
static uint32_t index_of(struct pd_tasks *t, uint32_t tid)
{
    const uint32_t i = pi_idmap_get(&t->tids, tid);
    if (i != PI_IDMAP_NONE)
        return i;
    struct pi_task_of_tid task = {.mentioned = UINT32_MAX, .pid = UINT32_MAX, .comm = PD_COMM_NONE};
    if (t->flowing)
        task.before = (struct pd_task){UINT32_MAX, PD_COMM_NONE};
    else
        task.tid = tid, task.any = tid ? UINT32_MAX : 0; /* swapper is there from the start */
    return pi_tasks_admit(t, tid, (void **)&t->tasks, &t->tasks_cap, sizeof task, &task)
               ? (uint32_t)t->tids.n - 1
               : PI_IDMAP_NONE;
}

/* Notes whether a tid, which has an index, gets more than one process. */
static void note_process(struct pd_tasks *t, uint32_t tid, uint32_t pid)
{
    if (pid == UINT32_MAX || t->flowing)
        return;
    struct pi_task_of_tid *task = &t->tasks[pi_idmap_get(&t->tids, tid)];
    t->several |= task->any != UINT32_MAX && task->any != pid;
    task->any = pid;
    if (tid != pid)
        note_process(t, pid, pid);
}

static enum pd_code add_entry(struct pd_tasks *t, const struct pd_moment *when,
                              const struct pi_task_entry *told, struct pd_error *error)
{
    struct pi_task_entry *e;
    if (t->n_entries >= INT32_MAX)
        return pi_fail(error, PD_ELIMIT, PD_NOWHERE, "tasks", t->n_entries, INT32_MAX);
    if (!pi_tasks_afford(t, PI_TASK_ENTRY_BYTES) ||
        !pi_grow(t->allocator, (void **)&t->entries, t->n_entries, &t->entries_cap, sizeof *t->entries))
        return pi_tasks_refused(t, error, sizeof *t->entries);
    e = &t->entries[t->n_entries];
    *e = *told;
    e->at = when->at;
    e->time = when->time;
    e->order = when->order;
    e->round = when->round;
    if (t->flowing)
        t->sorted = t->n_entries == t->n_settled || (t->sorted && !pi_task_entry_before(e, e - 1));
    t->n_entries++;
    return PD_OK;
}

static enum pd_code add_comm(struct pd_tasks *t, const struct pi_told *told, const struct pd_str *name,
                             const struct pd_moment *when, struct pd_error *error)
{
    struct pi_task_entry e = {.kind = PI_TASK_COMM, .pid = told->pid, .tid = told->tid, .ppid = UINT32_MAX};
    if (!pi_tasks_number_name(t, name->ptr, name->len, &e.other) || index_of(t, told->tid) == PI_IDMAP_NONE ||
        index_of(t, told->pid) == PI_IDMAP_NONE)
        return pi_tasks_refused(t, error, name->len);
    pi_tasks_name_came(t, e.other);
    note_process(t, told->tid, told->pid);
    return add_entry(t, when, &e, error);
}

static enum pd_code add_fork(struct pd_tasks *t, const struct pi_told *told, const struct pd_moment *when,
                             struct pd_error *error)
{
    const uint32_t ids[] = {told->tid, told->pid, told->ptid, told->ppid};
    const struct pi_task_entry e = {
        .kind = PI_TASK_FORK, .pid = told->pid, .tid = told->tid, .other = told->ptid, .ppid = told->ppid};
    for (size_t i = 0; i < 4; i++)
        if (index_of(t, ids[i]) == PI_IDMAP_NONE)
            return pi_tasks_refused(t, error, sizeof *t->tasks);
    note_process(t, told->tid, told->pid);
    note_process(t, told->ptid, told->ppid);
    return add_entry(t, when, &e, error);
}

static enum pd_code add_mention(struct pd_tasks *t, const struct pd_moment *when, uint32_t pid, uint32_t tid,
                                struct pd_error *error)
{
    const struct pi_task_entry e = {.kind = PI_TASK_MENTION, .pid = pid, .tid = tid, .ppid = UINT32_MAX};
    return add_entry(t, when, &e, error);
}

bool pi_tasks_note(struct pd_tasks *t, uint32_t pid, uint32_t tid)
{
    if (index_of(t, tid) == PI_IDMAP_NONE || index_of(t, pid) == PI_IDMAP_NONE)
        return false;
    note_process(t, tid, pid);
    return true;
}

/*
 * A mention of a task counts if it is the first: it waits in its place, and while the tasks flow also among
 * the entries.
 */
enum pd_code pd_tasks_mention(struct pd_tasks *t, const struct pd_moment *when, uint32_t pid, uint32_t tid,
                              struct pd_error *error)
{
    if (t->question == PI_TASKS_COUNT || t->question == PI_TASKS_LAST)
        return pi_task_last_mention(t, tid, error);
    if (t->question == PI_TASKS_USES)
        return pi_task_uses_mention(t, pid, tid, when->order, error);
    if (pid == UINT32_MAX)
        return PD_OK;
    const uint32_t i = index_of(t, tid);
    if (i == PI_IDMAP_NONE)
        return pi_tasks_refused(t, error, sizeof *t->tasks);
    const struct pi_task_of_tid *task = &t->tasks[i];
    const bool earlier = task->mentioned == UINT32_MAX || pd_moment_before(when, &task->when);
    if (!earlier && (task->mentioned == pid || t->flowing))
        return PD_OK;
    if (t->flowing && task->there && task->pid != UINT32_MAX) /* known already */
        return PD_OK;
    if (pid != tid && index_of(t, pid) == PI_IDMAP_NONE)
        return pi_tasks_refused(t, error, sizeof *t->tasks);
    note_process(t, tid, pid);
    if (earlier)
        t->tasks[i].when = *when, t->tasks[i].mentioned = pid;
    return t->flowing ? add_mention(t, when, pid, tid, error) : PD_OK;
}

/* Of a record that tells something of a task's state. */
__attribute__((noinline)) static enum pd_code
take_states(struct pd_tasks *t, struct pd_record *rec, const struct pd_moment *when, struct pd_error *error)
{
    const enum pi_tells tells = pi_tells_of(rec);
    struct pi_told told;
    enum pd_code code;
    switch (tells) {
    case PI_TELLS_TASK:
    case PI_TELLS_MAP:
        return pi_told_map(rec, &told) ? pd_tasks_mention(t, when, told.pid, told.tid, error) : PD_OK;
    case PI_TELLS_NAME:
    case PI_TELLS_BIRTH:
        code = rec->plan ? pi_told_of(rec, &told, error) : PD_OK;
        if (code || rec->plan == NULL || (tells == PI_TELLS_BIRTH && !told.has_parent))
            return code;
        return tells == PI_TELLS_NAME ? add_comm(t, &told, &rec->u.comm.comm, when, error)
                                      : add_fork(t, &told, when, error);
    default: return PD_OK; /* EXIT changes nothing */
    }
}

enum pd_code pd_tasks_record(struct pd_tasks *t, struct pd_record *rec, const struct pd_moment *when,
                             struct pd_error *error)
{
    switch (t->question) {
    case PI_TASKS_USES: return pi_task_uses_record(t, rec, when->order, error);
    case PI_TASKS_TELLERS: return pi_task_tellers_record(t, rec, error);
    case PI_TASKS_COUNT:
    case PI_TASKS_LAST: return pi_task_last_record(t, rec, error);
    default: return take_states(t, rec, when, error);
    }
}

/*
 * Nearly every sample repeats a mention of an earlier one. A small table skips these, in a separate loop:
 * half the work of framing each record.
 */
struct known {
    uint32_t pid, tid;
    uint64_t at; /* the sample's moment */
};

#define KNOWN 256

/* Skips samples without new mentions. */
static void pass_known(struct pd_reader *r, struct pd_clock *clock, const struct known known[KNOWN])
{
    const uint8_t *stop, *p = pi_reader_sees(r, &stop);
    struct pi_samples run = pi_samples_of(r);
    struct pd_clock now = *clock;
    uint64_t n = 0, time;
    uint32_t task[2];
    while (pi_samples_next(p, (size_t)(stop - p), &run, &time)) {
        memcpy(task, p + run.plan->pid, sizeof task);
        const struct known *k = &known[task[1] % KNOWN];
        if (k->tid != task[1] || k->pid != task[0] ||
            (now.timed ? (time > now.done ? time : now.done) : r->index + n) <= k->at)
            break;
        if (now.timed)
            pi_clock_follow(&now, time);
        p += run.size;
        n++;
    }
    *clock = now;
    pi_reader_passed(r, p, n);
}

enum pd_code pd_tasks_collect(struct pd_tasks *t, struct pd_reader *r, struct pd_error *error)
{
    struct known known[KNOWN];
    struct pd_record rec = {0};
    struct pd_error what;
    struct pd_clock clock;
    struct pd_moment when;
    enum pd_code code = PD_OK, end = PD_OK;
    uint32_t pid, tid;
    for (size_t i = 0; i < KNOWN; i++)
        known[i] = (struct known){0, 0, UINT64_MAX};
    pd_clock_init(&clock, pd_clock_is_timed(r));
    while (!pi_ends_pass(code)) {
        pass_known(r, &clock, known);
        if (!pi_reader_next_quick(r, &rec) && (end = pd_reader_next(r, &rec, &what)))
            break;
        pi_clock_stamp_here(&clock, &rec, &when);
        if (rec.type != PD_RECORD_SAMPLE) {
            code = pd_tasks_record(t, &rec, &when, error);
            continue;
        }
        if (!pi_word_task(&rec, &pid, &tid))
            continue;
        known[tid % KNOWN] = (struct known){pid, tid, clock.timed ? when.at : when.order};
        code = pd_tasks_mention(t, &when, pid, tid, error);
    }
    if (pd_is_failure(end)) { /* the next reader reports damage, but a lack of memory must be reported now */
        code = end;
        if (error)
            *error = what;
    }
    return pi_ends_pass(code) ? code : PD_OK;
}

/* ---- Processing all collected entries, or those of a stream */

/* Each tid's first mention becomes an entry. */
static enum pd_code add_mentions(struct pd_tasks *t, struct pd_error *error)
{
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < t->tids.n; i++) {
        const struct pi_task_of_tid *task = &t->tasks[i];
        if (task->mentioned != UINT32_MAX)
            code = add_mention(t, &task->when, task->mentioned, task->tid, error);
    }
    return code;
}

enum pd_code pd_tasks_finish(struct pd_tasks *t, struct pd_error *error)
{
    if (t->finished)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "tasks finished twice", 0, 0);
    if (index_of(t, 0) == PI_IDMAP_NONE)
        return pi_tasks_no_memory(error, sizeof *t->tasks);
    enum pd_code code = add_mentions(t, error);
    if (code)
        return code;
    if (!pi_tasks_settle(t, NULL) || !pi_tasks_index_states(t) || !pi_tasks_list_making(t))
        code = pi_tasks_no_memory(error, t->n_entries * sizeof *t->changes);
    pi_release(t->allocator, t->tasks);
    pi_release(t->allocator, t->changes);
    t->tasks = NULL;
    t->changes = NULL;
    t->finished = code == PD_OK;
    return code;
}

enum pd_code pi_tasks_flow(struct pd_tasks *t, struct pd_error *error)
{
    pd_tasks_limit(t, UINT64_MAX);
    t->flowing = t->finished = true;
    return index_of(t, 0) == PI_IDMAP_NONE ? pi_tasks_no_memory(error, sizeof *t->tasks) : PD_OK;
}
