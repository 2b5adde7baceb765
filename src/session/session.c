/* SPDX-License-Identifier: MIT */
/* session.c - interprets records in one pass: tasks, mappings, cgroups and namespaces. */
#include <perfdata/session/event.h>
#include <perfdata/session/session.h>
#include "mappings.h"
#include "record_words.h"
#include "session_inside.h"
#include "src/schema/fail.h"
#include "src/codec/record_role.h"
#include "src/schema/options.h"
#include "src/support/limits.h"
#include "src/session/tasks/task_flow.h"

/* The data of a task besides its name and process. */
struct more {
    uint32_t tid;
    uint32_t ppid, ptid;
    struct namespace_set *namespaces; /* shared with the tasks it forked; NULL: none */
    uint64_t cgroup;
};

struct namespace_set {
    uint32_t refs, n;
    size_t bytes;
    struct pd_namespace_entry all[];
};

struct cgroup {
    uint64_t id;
    char *path;
};

struct pd_session {
    const struct pd_allocator *allocator;
    uint64_t memory;
    uint32_t parts;
    struct pd_tasks *tasks;
    struct pi_mappings mappings;
    struct pi_idmap tids; /* from tids to `more` */
    struct more *more;
    size_t more_cap;
    struct cgroup *cgroups; /* a hash table by id, at most half full; an entry without a path is free */
    size_t n_cgroups, cgroups_size;
    struct pi_key key;           /* of the table */
    uint64_t bytes;              /* of all but tasks and mappings */
    uint64_t order;              /* records so far */
    struct pd_session_task task; /* the answer */
};

static enum pd_code no_memory(struct pd_error *error, size_t bytes)
{
    return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "session", 0, bytes);
}

/* Checks the limit before memory is taken. */
static enum pd_code afford(struct pd_session *s, size_t bytes, struct pd_error *error)
{
    if (bytes > s->memory || s->bytes > s->memory - bytes)
        return pi_fail(error, PD_ELIMIT, PD_NOWHERE, "memory of the session", s->bytes + bytes, s->memory);
    s->bytes += bytes;
    return PD_OK;
}

/* ---- Namespaces */

static struct namespace_set *share_set(struct namespace_set *set)
{
    if (set)
        set->refs++;
    return set;
}

static void drop_set(struct pd_session *s, struct namespace_set *set)
{
    if (set == NULL || --set->refs)
        return;
    s->bytes -= set->bytes;
    pi_release(s->allocator, set);
}

static enum pd_code make_set(struct pd_session *s, const struct pd_list *namespaces,
                             struct namespace_set **out, struct pd_error *error)
{
    const size_t n = namespaces->n, bytes = sizeof **out + n * sizeof *(*out)->all;
    struct pd_list list = *namespaces;
    const enum pd_code code = afford(s, bytes, error);
    if (code)
        return code;
    struct namespace_set *set = *out = pi_resize(s->allocator, NULL, bytes);
    if (set == NULL) {
        s->bytes -= bytes;
        return no_memory(error, bytes);
    }
    *set = (struct namespace_set){.refs = 1, .bytes = bytes};
    while (set->n < n && pd_namespace_entry_next(&list, &set->all[set->n]))
        set->n++;
    return PD_OK;
}

/* ---- Data of tasks besides names */

static const struct more *find_more(const struct pd_session *s, uint32_t tid)
{
    const uint32_t i = pi_idmap_get(&s->tids, tid);
    return i == PI_IDMAP_NONE ? NULL : &s->more[i];
}

static enum pd_code more_of(struct pd_session *s, uint32_t tid, struct more **more, struct pd_error *error)
{
    uint32_t i = pi_idmap_get(&s->tids, tid);
    if (i == PI_IDMAP_NONE) {
        const enum pd_code code = afford(s, sizeof **more + 4 * sizeof *s->tids.slots, error);
        i = (uint32_t)s->tids.n;
        if (code)
            return code;
        if (!pi_grow(s->allocator, (void **)&s->more, i, &s->more_cap, sizeof *s->more) ||
            !pi_idmap_add(&s->tids, tid, i))
            return no_memory(error, sizeof *s->more);
        s->more[i] = (struct more){.tid = tid, .ppid = UINT32_MAX, .ptid = UINT32_MAX};
    }
    *more = &s->more[i];
    return PD_OK;
}

static enum pd_code take_namespaces(struct pd_session *s, const struct pd_namespaces *r,
                                    struct pd_error *error)
{
    struct more *more;
    struct namespace_set *set;
    enum pd_code code = more_of(s, r->tid, &more, error);
    if (code || (code = make_set(s, &r->namespaces, &set, error)) != PD_OK)
        return code;
    drop_set(s, more->namespaces);
    more->namespaces = set;
    return PD_OK;
}

/* A task begins with the data of the task that forked it. */
static enum pd_code take_fork(struct pd_session *s, const struct pd_record *rec, struct pd_error *error)
{
    struct more *child;
    uint32_t pid, tid, ppid, ptid;
    if (!pi_told_task(rec, &pid, &tid) || !pi_told_parent(rec, &ppid, &ptid))
        return PD_OK;
    const enum pd_code code = more_of(s, tid, &child, error);
    if (code)
        return code;
    const struct more *parent = find_more(s, ptid);
    struct namespace_set *set = parent ? share_set(parent->namespaces) : NULL;
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): more_of() made room */
    drop_set(s, child->namespaces);
    *child = (struct more){tid, ppid, ptid, set, parent ? parent->cgroup : 0};
    return PD_OK;
}

static enum pd_code set_cgroup(struct pd_session *s, uint32_t tid, uint64_t cgroup, struct pd_error *error)
{
    struct more *more;
    const enum pd_code code = more_of(s, tid, &more, error);
    if (!code)
        more->cgroup = cgroup;
    return code;
}

static enum pd_code take_sample(struct pd_session *s, struct pd_record *rec, struct pd_error *error)
{
    struct pd_offcpu offcpu;
    if (rec->plan->offcpu && pd_offcpu_of(rec, &offcpu))
        return set_cgroup(s, offcpu.tid, offcpu.cgroup, error);
    if (!(rec->plan->shape.sample_type & PD_SAMPLE_CGROUP) || !(rec->plan->shape.sample_type & PD_SAMPLE_TID))
        return PD_OK;
    const enum pd_code code = pd_record_decode_framed(rec->plan, rec, error);
    return code ? code : set_cgroup(s, rec->u.sample.tid, rec->u.sample.cgroup, error);
}

/* ---- Cgroups */

static struct cgroup *cgroup_place(const struct pd_session *s, uint64_t id)
{
    size_t i = (size_t)pi_keyed(&s->key, id) & (s->cgroups_size - 1);
    while (s->cgroups[i].path && s->cgroups[i].id != id)
        i = (i + 1) & (s->cgroups_size - 1);
    return &s->cgroups[i];
}

static bool grow_cgroups(struct pd_session *s)
{
    struct cgroup *old = s->cgroups;
    const size_t n = s->cgroups_size, size = n ? 2 * n : 64;
    struct cgroup *all = pi_array(s->allocator, NULL, size, sizeof *all);
    if (all == NULL)
        return false;
    memset(all, 0, size * sizeof *all);
    s->cgroups = all;
    s->cgroups_size = size;
    for (size_t i = 0; i < n; i++)
        if (old[i].path)
            *cgroup_place(s, old[i].id) = old[i];
    pi_release(s->allocator, old);
    return true;
}

static enum pd_code take_cgroup(struct pd_session *s, const struct pd_cgroup *r, struct pd_error *error)
{
    const size_t bytes = r->path.len + 1 + 2 * sizeof *s->cgroups;
    const enum pd_code code = afford(s, bytes, error);
    if (code)
        return code;
    char *path = pi_resize(s->allocator, NULL, r->path.len + 1);
    if (path == NULL || (s->n_cgroups >= s->cgroups_size / 2 && !grow_cgroups(s))) {
        pi_release(s->allocator, path);
        s->bytes -= bytes;
        return no_memory(error, bytes);
    }
    if (r->path.len)
        memcpy(path, r->path.ptr, r->path.len);
    path[r->path.len] = 0;
    struct cgroup *place = cgroup_place(s, r->id);
    if (place->path)
        s->bytes -= strlen(place->path) + 1 + 2 * sizeof *s->cgroups;
    else
        s->n_cgroups++;
    pi_release(s->allocator, place->path);
    *place = (struct cgroup){r->id, path};
    return PD_OK;
}

/* ---- Life */

enum pd_code pd_session_new(struct pd_session **out, const struct pd_session_options *given,
                            struct pd_error *error)
{
    struct pd_session_options o;
    enum pd_code code = PI_TAKE_OPTIONS(pd_session_options, &o, given, error);
    if (code)
        return code;
    struct pd_session *s = pi_resize(o.allocator, NULL, sizeof *s);
    if (s == NULL)
        return no_memory(error, sizeof *s);
    *s = (struct pd_session){.allocator = o.allocator,
                             .tids.allocator = o.allocator,
                             .memory = o.memory ? o.memory : PI_LIMIT_SESSION,
                             .parts = o.parts ? o.parts : UINT32_MAX,
                             .key = pi_key_draw()};
    const struct pi_mappings_options how = {o.memory, o.exited, o.tag, o.user};
    if (!pi_mappings_init(&s->mappings, o.allocator, &how))
        code = no_memory(error, sizeof *s->mappings.spaces);
    if (!code && (code = pd_tasks_new(&s->tasks, o.allocator, error)) == PD_OK &&
        (code = pi_tasks_flow(s->tasks, error)) == PD_OK) {
        pd_tasks_limit(s->tasks, o.memory ? o.memory : PI_LIMIT_TASKS);
        pi_tasks_learn_names(s->tasks);
        if (!pi_tasks_settle(s->tasks, NULL))
            code = no_memory(error, 0);
    }
    if (code)
        pd_session_free(s);
    else
        *out = s;
    return code;
}

void pd_session_free(struct pd_session *s)
{
    if (s == NULL)
        return;
    pi_mappings_free(&s->mappings);
    pd_tasks_free(s->tasks);
    for (size_t i = 0; i < s->tids.n; i++)
        drop_set(s, s->more[i].namespaces);
    pi_idmap_free(&s->tids);
    pi_release(s->allocator, s->more);
    for (size_t i = 0; i < s->cgroups_size; i++)
        pi_release(s->allocator, s->cgroups[i].path);
    pi_release(s->allocator, s->cgroups);
    pi_release(s->allocator, s);
}

/* ---- Records */

static enum pd_code tell_tasks(struct pd_session *s, struct pd_record *rec, struct pd_error *error)
{
    const struct pd_moment when = {.at = s->order, .order = s->order};
    uint32_t pid, tid;
    enum pd_code code = PD_OK;
    if (rec->type != PD_RECORD_SAMPLE)
        code = pd_tasks_record(s->tasks, rec, &when, error);
    else if (pi_word_task(rec, &pid, &tid))
        code = pd_tasks_mention(s->tasks, &when, pid, tid, error);
    if (!code && !pi_tasks_settle(s->tasks, NULL))
        code = no_memory(error, 0);
    pi_tasks_forget(s->tasks, NULL);
    s->order++;
    return code;
}

static enum pd_code tell_more(struct pd_session *s, struct pd_record *rec, struct pd_error *error)
{
    enum pd_code code;
    if (rec->type == PD_RECORD_SAMPLE)
        return take_sample(s, rec, error);
    if (pi_tells_of(rec) != PI_TELLS_BIRTH && rec->type != PD_RECORD_NAMESPACES &&
        rec->type != PD_RECORD_CGROUP)
        return PD_OK;
    if ((code = pd_record_decode_framed(rec->plan, rec, error)) != PD_OK)
        return code;
    if (rec->type == PD_RECORD_CGROUP)
        return take_cgroup(s, &rec->u.cgroup, error);
    return rec->type == PD_RECORD_NAMESPACES ? take_namespaces(s, &rec->u.namespaces, error)
                                             : take_fork(s, rec, error);
}

enum pd_code pd_session_record(struct pd_session *s, struct pd_record *rec, struct pd_error *error)
{
    if (rec->plan == NULL)
        return PD_OK;
    enum pd_code code = s->parts & PD_SESSION_TASKS ? tell_tasks(s, rec, error) : PD_OK;
    if (!code && s->parts & PD_SESSION_MAPPINGS)
        code = pi_mappings_record(&s->mappings, rec, error);
    return !code && s->parts & PD_SESSION_ORIGINS ? tell_more(s, rec, error) : code;
}

/* ---- Answers */

const struct pd_mapping *pd_session_find_mapping(struct pd_session *s, uint32_t pid, uint64_t address,
                                                 unsigned cpumode)
{
    return pi_mappings_find(&s->mappings, pid, address, cpumode);
}

const struct pd_mapping *pi_session_find_range(struct pd_session *s, uint32_t pid, uint64_t address,
                                               unsigned cpumode, uint64_t *first, uint64_t *last)
{
    return pi_mappings_find_range(&s->mappings, pid, address, cpumode, first, last);
}

const struct pd_session_task *pd_session_find_task(struct pd_session *s, uint32_t tid)
{
    const struct pd_moment now = {.at = s->order, .order = s->order};
    const struct more *more = find_more(s, tid);
    struct pd_task task;
    if (!pd_tasks_find(s->tasks, &now, tid, &task) && more == NULL)
        return NULL;
    s->task = (struct pd_session_task){.pid = task.pid,
                                       .tid = tid,
                                       .ppid = UINT32_MAX,
                                       .ptid = UINT32_MAX,
                                       .comm = pd_tasks_comm(s->tasks, task.comm)};
    if (more) {
        s->task.ppid = more->ppid;
        s->task.ptid = more->ptid;
        s->task.cgroup = more->cgroup;
        s->task.n_namespaces = more->namespaces ? more->namespaces->n : 0;
        s->task.namespaces = more->namespaces ? more->namespaces->all : NULL;
    }
    return &s->task;
}

const char *pd_session_find_cgroup(const struct pd_session *s, uint64_t id)
{
    return s->cgroups_size ? cgroup_place(s, id)->path : NULL;
}

const char *pi_session_next_cgroup(const struct pd_session *s, size_t *at)
{
    while (*at < s->cgroups_size) {
        const char *path = s->cgroups[(*at)++].path;
        if (path)
            return path;
    }
    return NULL;
}

void pi_session_keep_names(struct pd_session *s)
{
    pi_tasks_keep_names(s->tasks);
}

const struct pd_tasks *pi_session_tasks(const struct pd_session *s)
{
    return s->tasks;
}
