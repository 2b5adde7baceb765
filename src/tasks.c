/* SPDX-License-Identifier: MIT */
/* tasks.c - perf's order of records, and what it knows of tasks at each point of it. */
#include "codec_internal.h"
#include "file.h"
#include "idmap.h"
#include "wire.h"
#include "word.h"
#include <perfdata/tasks.h>
#include <xxhash.h>

/* ---- Words of a framed record */

bool pd_record_time(const struct pd_record *rec, uint64_t *time)
{
    return pd_word_time(rec, time);
}

bool pd_record_task(const struct pd_record *rec, uint32_t *pid, uint32_t *tid)
{
    return pd_word_task(rec, pid, tid);
}

bool pd_record_cpu(const struct pd_record *rec, uint32_t *cpu)
{
    return pd_word_cpu(rec, cpu);
}

/* ---- The order in which perf processes records */

bool pd_clock_is_timed(const struct pd_reader *reader)
{
    const struct pd_event_attr *first = pd_reader_attr(reader, 0);
    return pd_reader_info(reader)->container == PD_CONTAINER_PIPE || (first && first->plan.id_all);
}

void pd_clock_init(struct pd_clock *clock, bool timed)
{
    *clock = (struct pd_clock){.timed = timed};
}

/* The end of a round: what is not newer than the newest of the round before is processed. */
void pd_clock_end_round(struct pd_clock *c)
{
    if (!c->waiting)
        return;
    if (c->limit > c->done)
        c->done = c->limit;
    if (c->newest <= c->limit)
        c->waiting = false;
    c->limit = c->newest;
    c->round++;
}

void pd_clock_stamp(struct pd_clock *c, const struct pd_record *rec, struct pd_moment *when)
{
    pd_clock_stamp_here(c, rec, when);
}

/* ---- Tasks: collecting */

enum entry_kind { COMM, FORK, MAKING_FORK, MENTION }; /* MAKING: it made its parent, too */

struct entry {
    uint64_t at, time, order;
    uint32_t round;
    uint32_t kind;
    uint32_t pid, tid;
    uint32_t other; /* COMM: the name; FORK: the parent's tid */
    uint32_t ppid;  /* FORK */
};

/* The first that speaks of a tid, if it says the process, other than COMM and FORK. */
struct mention {
    struct pd_moment when;
    uint32_t tid;
    uint32_t pid; /* UINT32_MAX: there is none */
    uint32_t any; /* a process that some record gave it; UINT32_MAX: none did */
};

/* A change of what is known of a tid. Those of one tid are consecutive, in order. */
struct state {
    uint32_t after; /* number of entries processed; the last of them made the change */
    uint32_t pid, comm;
};

/* What one of these numbers needs the other needs, too. */
struct alias {
    uint32_t a, b;
};

struct pd_tasks {
    const struct pd_allocator *allocator;
    struct pd_idmap tids; /* to the index of what follows */
    struct mention *mentions;
    size_t mentions_cap;
    uint32_t *first; /* by tid: its first state; one more at the end */
    struct entry *entries;
    size_t n_entries, entries_cap;
    struct state *states;
    /* names: numbers in a hash table, the texts one behind the other */
    char *text;
    size_t text_n, text_cap;
    size_t *comms; /* where each name starts */
    size_t n_comms, comms_cap;
    uint32_t *table;
    size_t table_size;
    struct pd_key key; /* of the table */
    struct pd_idmap needed;
    uint64_t *making; /* numbers of the MAKING_FORK records, ascending */
    size_t n_making, making_cap;
    struct alias *aliases;
    size_t n_aliases, aliases_cap;
    uint64_t left; /* bytes that collecting may still take */
    bool full;     /* it wanted more */
    bool several;  /* some tid was given more than one process */
    bool finished;
};

static enum pd_code no_memory(struct pd_error *error, uint64_t bytes)
{
    return pd_fail(error, PD_ENOMEM, PD_NOWHERE, "tasks", 0, bytes);
}

/* Compressed records may say of millions of tasks in a few bytes. */
#define MOST_BYTES (UINT64_C(1) << 30)

static bool afford(struct pd_tasks *t, size_t bytes)
{
    t->full |= bytes > t->left;
    t->left -= t->full ? 0 : bytes;
    return !t->full;
}

/* What could not be collected: because of the limit, or of memory. */
static enum pd_code refused(const struct pd_tasks *t, struct pd_error *error, uint64_t bytes)
{
    return t->full ? pd_fail(error, PD_ELIMIT, PD_NOWHERE, "memory for tasks", bytes, t->left) : no_memory(error, bytes);
}

static size_t name_slot(const struct pd_tasks *t, const char *s, size_t n)
{
    size_t i = (size_t)XXH3_64bits_withSeed(s, n, t->key.before) & (t->table_size - 1);
    for (; t->table[i]; i = (i + 1) & (t->table_size - 1)) {
        const char *name = t->text + t->comms[t->table[i]];
        if (strlen(name) == n && memcmp(name, s, n) == 0)
            break;
    }
    return i;
}

static bool grow_table(struct pd_tasks *t)
{
    const size_t size = t->table_size ? t->table_size * 2 : 64;
    uint32_t *table = pd_array(t->allocator, NULL, size, sizeof *table);
    if (table == NULL)
        return false;
    pd_release(t->allocator, t->table);
    memset(table, 0, size * sizeof *table);
    t->table = table;
    t->table_size = size;
    for (uint32_t i = 1; i < t->n_comms; i++) {
        const char *name = t->text + t->comms[i];
        t->table[name_slot(t, name, strlen(name))] = i;
    }
    return true;
}

/* Appends a name, without looking whether it is there. */
static bool append_name(struct pd_tasks *t, const char *s, size_t n)
{
    if (!afford(t, n + 1 + sizeof *t->comms + 2 * sizeof *t->table))
        return false;
    while (t->text_cap - t->text_n <= n) {
        const size_t more = t->text_cap ? t->text_cap * 2 : 256;
        char *p = pd_resize(t->allocator, t->text, more);
        if (p == NULL)
            return false;
        t->text = p;
        t->text_cap = more;
    }
    if (!pd_grow(t->allocator, (void **)&t->comms, t->n_comms, &t->comms_cap, sizeof *t->comms))
        return false;
    t->comms[t->n_comms++] = t->text_n;
    if (n)
        memcpy(t->text + t->text_n, s, n);
    t->text[t->text_n + n] = 0;
    t->text_n += n + 1;
    return true;
}

/* The number of a name. False: no memory. */
static bool intern(struct pd_tasks *t, const char *s, size_t n, uint32_t *comm)
{
    if (t->n_comms >= t->table_size / 2 && !grow_table(t))
        return false;
    const size_t slot = name_slot(t, s, n);
    if (t->table[slot] == 0) {
        if (t->n_comms == UINT32_MAX || !append_name(t, s, n))
            return false;
        t->table[slot] = (uint32_t)(t->n_comms - 1);
    }
    *comm = t->table[slot];
    return true;
}

enum pd_code pd_tasks_new(struct pd_tasks **out, const struct pd_allocator *allocator, struct pd_error *error)
{
    uint32_t swapper;
    struct pd_tasks *t = pd_resize(allocator, NULL, sizeof *t);
    if (t == NULL)
        return no_memory(error, sizeof *t);
    *t = (struct pd_tasks){
        .allocator = allocator, .tids.allocator = allocator, .needed.allocator = allocator, .left = MOST_BYTES, .key = pd_key_draw()};
    if (!append_name(t, "", 0) || !intern(t, "swapper", 7, &swapper)) {
        pd_tasks_free(t);
        return no_memory(error, 256);
    }
    *out = t;
    return PD_OK;
}

void pd_tasks_limit(struct pd_tasks *t, uint64_t bytes)
{
    t->left = bytes;
}

void pd_tasks_free(struct pd_tasks *t)
{
    if (t == NULL)
        return;
    pd_idmap_free(&t->tids);
    pd_idmap_free(&t->needed);
    pd_release(t->allocator, t->mentions);
    pd_release(t->allocator, t->first);
    pd_release(t->allocator, t->entries);
    pd_release(t->allocator, t->states);
    pd_release(t->allocator, t->text);
    pd_release(t->allocator, t->comms);
    pd_release(t->allocator, t->table);
    pd_release(t->allocator, t->making);
    pd_release(t->allocator, t->aliases);
    pd_release(t->allocator, t);
}

/* The index of a tid, given one if it has none. PD_IDMAP_NONE: refused. */
static uint32_t index_of(struct pd_tasks *t, uint32_t tid)
{
    uint32_t i = pd_idmap_get(&t->tids, tid);
    if (i != PD_IDMAP_NONE)
        return i;
    if (!afford(t, sizeof *t->mentions + 4 * sizeof *t->tids.slots) ||
        !pd_grow(t->allocator, (void **)&t->mentions, t->tids.n, &t->mentions_cap, sizeof *t->mentions))
        return PD_IDMAP_NONE;
    i = (uint32_t)t->tids.n;
    t->mentions[i].tid = tid;
    t->mentions[i].pid = UINT32_MAX;
    t->mentions[i].any = tid ? UINT32_MAX : 0; /* swapper is there from the start */
    return pd_idmap_add(&t->tids, tid, i) ? i : PD_IDMAP_NONE;
}

/* Notes whether a tid, which has an index, is given more than one process. */
static void note_process(struct pd_tasks *t, uint32_t tid, uint32_t pid)
{
    struct mention *m = &t->mentions[pd_idmap_get(&t->tids, tid)];
    if (pid == UINT32_MAX)
        return;
    t->several |= m->any != UINT32_MAX && m->any != pid;
    m->any = pid;
    if (tid != pid)
        note_process(t, pid, pid);
}

static enum pd_code add_entry(struct pd_tasks *t, const struct entry *e, struct pd_error *error)
{
    if (t->n_entries >= INT32_MAX)
        return pd_fail(error, PD_ELIMIT, PD_NOWHERE, "tasks", t->n_entries, INT32_MAX);
    if (!afford(t, sizeof *e + sizeof *t->states) ||
        !pd_grow(t->allocator, (void **)&t->entries, t->n_entries, &t->entries_cap, sizeof *t->entries))
        return refused(t, error, t->entries_cap * 2 * sizeof *t->entries);
    t->entries[t->n_entries++] = *e;
    return PD_OK;
}

static struct entry entry_at(const struct pd_moment *when, enum entry_kind kind, uint32_t pid, uint32_t tid)
{
    return (struct entry){.at = when->at,
                          .time = when->time,
                          .order = when->order,
                          .round = when->round,
                          .kind = kind,
                          .pid = pid,
                          .tid = tid,
                          .ppid = UINT32_MAX};
}

static enum pd_code add_comm(struct pd_tasks *t, const struct pd_comm *c, const struct pd_moment *when,
                             struct pd_error *error)
{
    struct entry e = entry_at(when, COMM, c->pid, c->tid);
    if (!intern(t, c->comm.ptr, c->comm.len, &e.other) || index_of(t, c->tid) == PD_IDMAP_NONE ||
        index_of(t, c->pid) == PD_IDMAP_NONE)
        return refused(t, error, c->comm.len);
    note_process(t, c->tid, c->pid);
    return add_entry(t, &e, error);
}

static enum pd_code add_fork(struct pd_tasks *t, const struct pd_fork *f, const struct pd_moment *when,
                             struct pd_error *error)
{
    const uint32_t ids[] = {f->tid, f->pid, f->ptid, f->ppid};
    struct entry e = entry_at(when, FORK, f->pid, f->tid);
    e.other = f->ptid;
    e.ppid = f->ppid;
    for (size_t i = 0; i < 4; i++)
        if (index_of(t, ids[i]) == PD_IDMAP_NONE)
            return refused(t, error, sizeof *t->mentions);
    note_process(t, f->tid, f->pid);
    note_process(t, f->ptid, f->ppid);
    return add_entry(t, &e, error);
}

bool pd_tasks_note(struct pd_tasks *t, uint32_t pid, uint32_t tid)
{
    if (index_of(t, tid) == PD_IDMAP_NONE || index_of(t, pid) == PD_IDMAP_NONE)
        return false;
    note_process(t, tid, pid);
    return true;
}

enum pd_code pd_tasks_mention(struct pd_tasks *t, const struct pd_moment *when, uint32_t pid, uint32_t tid,
                              struct pd_error *error)
{
    if (pid == UINT32_MAX)
        return PD_OK;
    const uint32_t i = index_of(t, tid);
    if (i == PD_IDMAP_NONE)
        return refused(t, error, sizeof *t->mentions);
    const bool earlier = t->mentions[i].pid == UINT32_MAX || pd_moment_before(when, &t->mentions[i].when);
    if (!earlier && t->mentions[i].pid == pid)
        return PD_OK;
    if (pid != tid && index_of(t, pid) == PD_IDMAP_NONE)
        return refused(t, error, sizeof *t->mentions);
    note_process(t, tid, pid);
    if (earlier)
        t->mentions[i].when = *when, t->mentions[i].pid = pid;
    return PD_OK;
}

/* Is it a map of a process, or namespaces? The kernel's maps belong to none. Decodes what may be one. */
static bool map_of_task(struct pd_record *rec, uint32_t *pid, uint32_t *tid)
{
    const unsigned mode = rec->misc & PD_MISC_CPUMODE;
    const bool of_kernel = mode == PD_CPUMODE_KERNEL || mode == PD_CPUMODE_GUEST_KERNEL;
    switch (rec->type) {
    case PD_RECORD_MMAP:
        if (of_kernel || !rec->plan || pd_record_decode_framed(rec->plan, rec, NULL))
            return false;
        *pid = rec->u.mmap.pid, *tid = rec->u.mmap.tid;
        return true;
    case PD_RECORD_MMAP2:
        if (of_kernel || !rec->plan || pd_record_decode_framed(rec->plan, rec, NULL))
            return false;
        *pid = rec->u.mmap2.pid, *tid = rec->u.mmap2.tid;
        return true;
    case PD_RECORD_NAMESPACES:
        if (!rec->plan || pd_record_decode_framed(rec->plan, rec, NULL))
            return false;
        *pid = rec->u.namespaces.pid, *tid = rec->u.namespaces.tid;
        return true;
    default: return false;
    }
}

enum pd_code pd_tasks_record(struct pd_tasks *t, struct pd_record *rec, const struct pd_moment *when,
                             struct pd_error *error)
{
    uint32_t pid, tid;
    if (map_of_task(rec, &pid, &tid))
        return pd_tasks_mention(t, when, pid, tid, error);
    if (rec->plan == NULL || (rec->type != PD_RECORD_COMM && rec->type != PD_RECORD_FORK))
        return PD_OK;
    const enum pd_code code = pd_record_decode_framed(rec->plan, rec, error);
    if (code)
        return code;
    return rec->type == PD_RECORD_COMM ? add_comm(t, &rec->u.comm, when, error)
                                       : add_fork(t, &rec->u.fork, when, error);
}

/*
 * A sample says of nearly every task what one before it has said. Those that do are passed over by a small table, in a loop of
 * their own: half the work of framing each record for it.
 */
struct known {
    uint32_t pid, tid;
    uint64_t at; /* the sample's moment */
};

#define KNOWN 256

/* Passes over samples that say nothing new. */
static void pass_known(struct pd_reader *r, struct pd_clock *clock, const struct known known[KNOWN])
{
    const uint8_t *p = r->src->next, *const stop = r->src->stop;
    struct pd_samples run = pd_samples_of(r);
    struct pd_clock now = *clock;
    uint64_t n = 0, time;
    uint32_t task[2];
    while (pd_samples_next(r, p, (size_t)(stop - p), &run, &time)) {
        memcpy(task, p + run.plan->pid, sizeof task);
        const struct known *k = &known[task[1] % KNOWN];
        if (k->tid != task[1] || k->pid != task[0] || (now.timed ? (time > now.done ? time : now.done) : r->index + n) <= k->at)
            break;
        if (now.timed)
            pd_clock_follow(&now, time);
        p += run.size;
        n++;
    }
    *clock = now;
    pd_reader_passed(r, p, n);
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
    while (code != PD_ENOMEM && code != PD_ELIMIT) {
        pass_known(r, &clock, known);
        if (!pd_reader_next_quick(r, &rec) && (end = pd_reader_next(r, &rec, &what)))
            break;
        pd_clock_stamp_here(&clock, &rec, &when);
        if (rec.type != PD_RECORD_SAMPLE) {
            code = pd_tasks_record(t, &rec, &when, error);
            continue;
        }
        if (!pd_word_task(&rec, &pid, &tid))
            continue;
        known[tid % KNOWN] = (struct known){pid, tid, clock.timed ? when.at : when.order};
        code = pd_tasks_mention(t, &when, pid, tid, error);
    }
    if (end == PD_ENOMEM) { /* damage is told by who reads it next, but then there may be memory */
        code = end;
        if (error)
            *error = what;
    }
    return code == PD_ENOMEM || code == PD_ELIMIT ? code : PD_OK;
}

/* ---- Tasks: replaying */

/* Notes that what one number needs the other needs. False: no memory. */
static bool alias(struct pd_tasks *t, uint32_t a, uint32_t b)
{
    const struct alias *last = t->n_aliases ? &t->aliases[t->n_aliases - 1] : NULL;
    if (a == b || (last && last->a == a && last->b == b))
        return true;
    if (!pd_grow(t->allocator, (void **)&t->aliases, t->n_aliases, &t->aliases_cap, sizeof *t->aliases))
        return false;
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): pd_grow() made room */
    t->aliases[t->n_aliases++] = (struct alias){a, b};
    return true;
}

/* What is known of a tid, at the current entry. */
struct task {
    bool there;
    uint32_t pid, comm;
    uint32_t last; /* its last change, 0: none; else counted from 1 */
};

struct change {
    uint32_t task;
    struct state state;
};

struct replay {
    struct pd_tasks *t;
    struct task *tasks;
    struct change *changes;
    size_t n_changes, changes_cap;
    uint32_t after; /* entries processed, the current one included */
    bool failed;    /* no memory */
};

/* Notes what is known of a task from here on; several changes by one entry are one. */
static void changed(struct replay *r, uint32_t i)
{
    struct task *task = &r->tasks[i];
    const struct state now = {r->after, task->pid, task->comm};
    if (task->last && r->changes[task->last - 1].state.after == r->after) {
        r->changes[task->last - 1].state = now;
        return;
    }
    if (r->n_changes == UINT32_MAX - 1 ||
        !pd_grow(r->t->allocator, (void **)&r->changes, r->n_changes, &r->changes_cap, sizeof *r->changes)) {
        r->failed = true;
        return;
    }
    r->changes[r->n_changes++] = (struct change){i, now};
    task->last = (uint32_t)r->n_changes;
}

/* The task of a tid, made if it is not there. A task whose process is not known gets this one. */
static uint32_t find_or_make(struct replay *r, uint32_t pid, uint32_t tid)
{
    const uint32_t i = pd_idmap_get(&r->t->tids, tid);
    struct task *task = &r->tasks[i];
    /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Branch): there is a task for each tid, which replay_all() cleared */
    if (task->there && (task->pid != UINT32_MAX || pid == UINT32_MAX)) {
        if (task->pid != pid && pid != UINT32_MAX && (!alias(r->t, task->pid, pid) || !alias(r->t, tid, pid)))
            r->failed = true;
        return i;
    }
    task->there = true;
    task->pid = pid;
    changed(r, i);
    if (pid != tid && pid != UINT32_MAX)
        find_or_make(r, pid, pid);
    return i;
}

static void forget(struct replay *r, uint32_t i)
{
    r->tasks[i].there = false;
    r->tasks[i].pid = UINT32_MAX;
    r->tasks[i].comm = PD_COMM_NONE;
}

static void replay_fork(struct replay *r, struct entry *e)
{
    const uint32_t child = pd_idmap_get(&r->t->tids, e->tid);
    uint32_t parent = pd_idmap_get(&r->t->tids, e->other);
    if (!r->tasks[parent].there)
        e->kind = MAKING_FORK;
    find_or_make(r, e->ppid, e->other);
    if (r->tasks[parent].pid != e->ppid) {
        e->kind = MAKING_FORK;
        forget(r, parent);
        parent = find_or_make(r, e->ppid, e->other);
    }
    const uint32_t comm = r->tasks[parent].comm;
    forget(r, child);
    find_or_make(r, e->pid, e->tid);
    r->tasks[child].comm = comm;
    changed(r, child);
}

static void replay_entry(struct replay *r, struct entry *e)
{
    uint32_t i;
    r->after++;
    switch (e->kind) {
    case COMM:
        i = find_or_make(r, e->pid, e->tid);
        r->tasks[i].comm = e->other;
        changed(r, i);
        return;
    case MENTION: find_or_make(r, e->pid, e->tid); return;
    default: replay_fork(r, e); return;
    }
}

static int by_moment(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->round != y->round)
        return x->round < y->round ? -1 : 1;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* The changes of each tid together; their own order stays. */
static bool sort_changes(struct replay *r)
{
    struct pd_tasks *t = r->t;
    const size_t n = t->tids.n;
    t->first = pd_array(t->allocator, NULL, n + 2, sizeof *t->first);
    t->states = pd_array(t->allocator, NULL, r->n_changes, sizeof *t->states);
    if (t->first == NULL || t->states == NULL)
        return false;
    memset(t->first, 0, (n + 2) * sizeof *t->first);
    for (size_t i = 0; i < r->n_changes; i++)
        t->first[r->changes[i].task + 2]++;
    for (size_t i = 2; i < n + 2; i++)
        t->first[i] += t->first[i - 1];
    for (size_t i = 0; i < r->n_changes; i++) /* afterwards first[i + 1] is where the states of i end */
        t->states[t->first[r->changes[i].task + 1]++] = r->changes[i].state;
    return true;
}

static bool replay_all(struct replay *r)
{
    struct pd_tasks *t = r->t;
    r->tasks = pd_array(t->allocator, NULL, t->tids.n, sizeof *r->tasks);
    if (r->tasks == NULL)
        return false;
    for (size_t i = 0; i < t->tids.n; i++)
        r->tasks[i] = (struct task){false, UINT32_MAX, PD_COMM_NONE, 0};
    r->tasks[find_or_make(r, 0, 0)].comm = 1;
    changed(r, pd_idmap_get(&t->tids, 0));
    for (size_t i = 0; i < t->n_entries; i++)
        replay_entry(r, &t->entries[i]);
    return !r->failed && sort_changes(r);
}

static int by_number(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static bool list_making(struct pd_tasks *t)
{
    for (size_t i = 0; i < t->n_entries; i++) {
        if (t->entries[i].kind != MAKING_FORK)
            continue;
        if (!pd_grow(t->allocator, (void **)&t->making, t->n_making, &t->making_cap, sizeof *t->making))
            return false;
        t->making[t->n_making++] = t->entries[i].order;
    }
    if (t->n_making)
        qsort(t->making, t->n_making, sizeof *t->making, by_number);
    return true;
}

/* Each tid's first mention becomes an entry. */
static enum pd_code add_mentions(struct pd_tasks *t, struct pd_error *error)
{
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < t->tids.n; i++) {
        const struct mention *m = &t->mentions[i];
        if (m->pid != UINT32_MAX) {
            const struct entry e = entry_at(&m->when, MENTION, m->pid, m->tid);
            code = add_entry(t, &e, error);
        }
    }
    return code;
}

enum pd_code pd_tasks_finish(struct pd_tasks *t, struct pd_error *error)
{
    struct replay r = {.t = t};
    if (t->finished)
        return pd_fail(error, PD_EARG, PD_NOWHERE, "tasks finished twice", 0, 0);
    if (index_of(t, 0) == PD_IDMAP_NONE)
        return no_memory(error, sizeof *t->mentions);
    enum pd_code code = add_mentions(t, error);
    if (code)
        return code;
    if (t->n_entries)
        qsort(t->entries, t->n_entries, sizeof *t->entries, by_moment);
    if (!replay_all(&r) || !list_making(t))
        code = no_memory(error, t->n_entries * sizeof(struct change));
    pd_release(t->allocator, t->mentions);
    t->mentions = NULL;
    pd_release(t->allocator, r.tasks);
    pd_release(t->allocator, r.changes);
    t->finished = code == PD_OK;
    return code;
}

/* ---- Tasks: looking up */

static bool is_before(const struct entry *e, const struct pd_moment *when)
{
    const struct pd_moment entry = {e->at, e->time, e->order, e->round};
    return !pd_moment_before(when, &entry);
}

bool pd_tasks_find_span(const struct pd_tasks *t, const struct pd_moment *when, uint32_t tid, struct pd_task *task,
                        uint64_t *from, uint64_t *to)
{
    const uint32_t i = t->finished ? pd_idmap_get(&t->tids, tid) : PD_IDMAP_NONE;
    *task = (struct pd_task){UINT32_MAX, PD_COMM_NONE};
    *from = 0;
    *to = UINT64_MAX;
    if (i == PD_IDMAP_NONE)
        return false;
    uint32_t low = t->first[i], high = t->first[i + 1];
    const uint32_t first = low, end = high;
    while (low < high) { /* the states before `low` are not after the moment, those from `high` on are */
        const uint32_t middle = low + (high - low) / 2;
        const uint32_t after = t->states[middle].after;
        if (after == 0 || is_before(&t->entries[after - 1], when))
            low = middle + 1;
        else
            high = middle;
    }
    if (low < end)
        *to = t->entries[t->states[low].after - 1].at;
    if (low == first)
        return false;
    const struct state *state = &t->states[low - 1];
    *from = state->after ? t->entries[state->after - 1].at : 0;
    *task = (struct pd_task){state->pid, state->comm};
    return true;
}

bool pd_tasks_find(const struct pd_tasks *t, const struct pd_moment *when, uint32_t tid, struct pd_task *task)
{
    uint64_t from, to;
    return pd_tasks_find_span(t, when, tid, task, &from, &to);
}

size_t pd_tasks_n_comms(const struct pd_tasks *t)
{
    return t->n_comms;
}

const char *pd_tasks_comm(const struct pd_tasks *t, uint32_t comm)
{
    return t->text + t->comms[comm < t->n_comms ? comm : PD_COMM_NONE];
}

/* ---- Which tasks a selection depends on */

enum pd_code pd_tasks_need(struct pd_tasks *t, uint32_t id, struct pd_error *error)
{
    return pd_idmap_add(&t->needed, id, 0) ? PD_OK
                                           : no_memory(error, t->needed.size * 2 * sizeof *t->needed.slots);
}

void pd_tasks_need_none(struct pd_tasks *t)
{
    pd_idmap_free(&t->needed);
}

bool pd_tasks_needed(const struct pd_tasks *t, uint32_t id)
{
    return pd_idmap_get(&t->needed, id) != PD_IDMAP_NONE;
}

/* Which numbers need which others. */
struct edge {
    uint32_t to, next;
};

struct edges {
    uint32_t *head; /* by tid index: its first edge; UINT32_MAX: none */
    struct edge *edge;
    size_t n;
};

static void connect(const struct pd_tasks *t, struct edges *e, uint32_t from, uint32_t to)
{
    uint32_t *head = &e->head[pd_idmap_get(&t->tids, from)];
    if (from == to)
        return;
    e->edge[e->n] = (struct edge){to, *head};
    *head = (uint32_t)e->n++;
}

/* At most four for each FORK, and two for each alias. */
static bool make_edges(const struct pd_tasks *t, struct edges *e)
{
    size_t n = 2 * t->n_aliases;
    for (size_t i = 0; i < t->n_entries; i++)
        n += t->entries[i].kind == FORK || t->entries[i].kind == MAKING_FORK ? 4 : 0;
    e->head = pd_array(t->allocator, NULL, t->tids.n, sizeof *e->head);
    e->edge = n < UINT32_MAX ? pd_array(t->allocator, NULL, n, sizeof *e->edge) : NULL;
    if (e->head == NULL || e->edge == NULL)
        return false;
    memset(e->head, 0xff, t->tids.n * sizeof *e->head);
    for (size_t i = 0; i < t->n_aliases; i++) {
        connect(t, e, t->aliases[i].a, t->aliases[i].b);
        connect(t, e, t->aliases[i].b, t->aliases[i].a);
    }
    for (size_t i = 0; i < t->n_entries; i++) {
        const struct entry *fork = &t->entries[i];
        if (fork->kind != FORK && fork->kind != MAKING_FORK)
            continue;
        connect(t, e, fork->pid, fork->ppid);
        connect(t, e, fork->pid, fork->other);
        if (fork->tid == fork->pid)
            continue;
        connect(t, e, fork->tid, fork->ppid);
        connect(t, e, fork->tid, fork->other);
    }
    return true;
}

/* Marks a number, and puts it on the list of those to follow, unless it was marked before. */
static bool want(struct pd_tasks *t, uint32_t id, uint32_t *list, size_t *n)
{
    if (pd_tasks_needed(t, id))
        return true;
    list[(*n)++] = pd_idmap_get(&t->tids, id);
    return pd_idmap_add(&t->needed, id, 0);
}

enum pd_code pd_tasks_ancestors(struct pd_tasks *t, struct pd_error *error)
{
    struct edges e = {0};
    size_t n = 0;
    uint32_t *list = pd_array(t->allocator, NULL, t->tids.n, sizeof *list);
    bool ok = list && make_edges(t, &e);
    for (size_t i = 0; ok && i < t->needed.size; i++) {
        const struct pd_idmap_slot *slot = &t->needed.slots[i];
        const uint32_t index =
            slot->value == PD_IDMAP_NONE ? PD_IDMAP_NONE : pd_idmap_get(&t->tids, slot->id);
        if (index != PD_IDMAP_NONE)
            list[n++] = index;
    }
    while (ok && n)
        for (uint32_t at = e.head[list[--n]]; ok && at != UINT32_MAX; at = e.edge[at].next)
            /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): `at` is an edge that make_edges() made */
            ok = want(t, e.edge[at].to, list, &n);
    pd_release(t->allocator, e.head);
    pd_release(t->allocator, e.edge);
    pd_release(t->allocator, list);
    return ok ? PD_OK : no_memory(error, t->n_entries * 4 * sizeof *e.edge);
}

bool pd_tasks_several(const struct pd_tasks *t)
{
    return t->several;
}

enum pd_code pd_tasks_check_map(struct pd_tasks *t, uint32_t pid, uint32_t tid, const struct pd_moment *when,
                                struct pd_error *error)
{
    struct pd_task task;
    if (!pd_tasks_find(t, when, tid, &task) || task.pid == UINT32_MAX || pid == UINT32_MAX || task.pid == pid)
        return PD_OK;
    return alias(t, task.pid, pid) && alias(t, tid, pid)
               ? PD_OK
               : no_memory(error, t->aliases_cap * 2 * sizeof *t->aliases);
}

enum pd_code pd_tasks_check(struct pd_tasks *t, struct pd_record *rec, const struct pd_moment *when,
                            struct pd_error *error)
{
    uint32_t pid, tid;
    return map_of_task(rec, &pid, &tid) ? pd_tasks_check_map(t, pid, tid, when, error) : PD_OK;
}

bool pd_tasks_fork_made_parent(const struct pd_tasks *t, uint64_t order)
{
    return t->n_making && bsearch(&order, t->making, t->n_making, sizeof order, by_number) != NULL;
}
