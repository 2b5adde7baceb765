/* SPDX-License-Identifier: MIT */
/* filter_select.c - matches a record with the lists of a selection. */
#include "filter.h"
#include "src/codec/record_role.h"
#include "src/schema/fail.h"
#include "src/session/record_words.h"
#include "src/session/tasks/task_flow.h"
#include "src/support/wrap.h"
#include <stdio.h>
#include <string.h>

static bool add_all(struct pi_idmap *m, const uint32_t *ids, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!pi_idmap_add(m, ids[i], 0))
            return false;
    return true;
}

/* ":123" as perf calls a thread that was never named, the number being signed. */
static bool parse_nameless(const char *name, uint32_t *tid)
{
    const bool negative = name[0] == ':' && name[1] == '-';
    const char *digits = name + 1 + negative;
    uint64_t n = 0;
    if (*name != ':' || *digits < '0' || *digits > '9' || (*digits == '0' && (digits[1] || negative)))
        return false;
    for (; *digits >= '0' && *digits <= '9' && n <= INT32_MAX; digits++)
        n = n * 10 + (uint64_t)(*digits - '0');
    *tid = (uint32_t)(negative ? pi_negated(n) : n);
    return *digits == 0 && n <= (uint64_t)INT32_MAX + negative;
}

enum pd_code pi_criteria_init(struct pi_criteria *c, const struct pd_filter_lists *lists,
                              const struct pd_allocator *allocator, struct pd_error *error)
{
    *c = (struct pi_criteria){.lists = lists,
                              .allocator = allocator,
                              .pids.allocator = allocator,
                              .tids.allocator = allocator,
                              .types.allocator = allocator,
                              .events.allocator = allocator,
                              .nameless.allocator = allocator};
    bool ok = add_all(&c->pids, lists->pids, lists->n_pids) &&
              add_all(&c->tids, lists->tids, lists->n_tids) &&
              add_all(&c->types, lists->types, lists->n_types) &&
              add_all(&c->events, lists->events, lists->n_events) &&
              pi_names_init(&c->names, lists->comms, lists->n_comms, allocator);
    for (size_t i = 0; ok && i < lists->n_comms; i++) {
        uint32_t tid;
        if (parse_nameless(lists->comms[i], &tid))
            ok = pi_idmap_add(&c->nameless, tid, 0);
    }
    return ok ? PD_OK : pi_fail(error, PD_ENOMEM, PD_NOWHERE, "lists", 0, c->pids.size * 16);
}

void pi_criteria_free(struct pi_criteria *c)
{
    pi_idmap_free(&c->pids);
    pi_idmap_free(&c->tids);
    pi_idmap_free(&c->types);
    pi_idmap_free(&c->events);
    pi_idmap_free(&c->nameless);
    pi_names_free(&c->names);
    pi_release(c->allocator, c->comms);
}

/*
 * The number behind the last is that of all names that are not told apart (pi_tasks_flow()); these are not
 * listed.
 */
enum pd_code pi_criteria_names(struct pi_criteria *c, const struct pd_tasks *tasks, struct pd_error *error)
{
    const size_t n = pd_tasks_n_comms(tasks);
    if (c->lists->comms == NULL)
        return PD_OK;
    c->comms = pi_resize(c->allocator, NULL, n + 1);
    if (c->comms == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "names", 0, n);
    for (uint32_t i = 0; i <= n; i++) {
        const char *name = pd_tasks_comm(tasks, i);
        c->comms[i] = i != PD_COMM_NONE && i < n && pi_names_has(&c->names, name);
    }
    return PD_OK;
}

void pi_criteria_tell_names(const struct pi_criteria *c, const struct pd_tasks *tasks,
                            const struct pd_filter_options *o)
{
    for (uint32_t i = 1; c->names.n && i < pd_tasks_n_comms(tasks); i++)
        if (pi_tasks_has_name(tasks, i))
            pi_names_know(&c->names, o, PD_NAME_COMM, pd_tasks_comm(tasks, i));
    for (size_t i = 0; i < c->names.n; i++)
        c->names.met[i] |= *c->names.names[i] == ':'; /* for tasks without a name */
    pi_names_tell(&c->names, o, PD_NAME_COMM);
}

bool pi_criteria_need_tasks(const struct pi_criteria *c)
{
    return c->lists->pids || c->lists->comms;
}

void pi_subject_init(struct pi_subject *s, const struct pd_record *rec)
{
    s->rec = rec;
    s->time = UINT64_MAX;
    s->pid = s->tid = s->cpu = UINT32_MAX;
    s->task = (struct pd_task){UINT32_MAX, PD_COMM_NONE};
    s->name = NULL;
    s->sides = 0;
    s->has_time = pi_word_time(rec, &s->time);
    s->has_cpu = pi_word_cpu(rec, &s->cpu) && s->cpu != UINT32_MAX;
    s->has_task = pi_word_task(rec, &s->pid, &s->tid);
    if (rec->type == PD_RECORD_SAMPLE) /* perf takes missing values of a sample as -1 */
        s->has_time = s->has_task = true;
}

static bool in(const struct pi_idmap *m, uint32_t id)
{
    return pi_idmap_get(m, id) != PI_IDMAP_NONE;
}

static bool in_cpus(const struct pd_filter_lists *l, uint32_t cpu)
{
    for (size_t i = 0; i < l->n_cpus; i++)
        if (cpu >= l->cpus[i].first && cpu <= l->cpus[i].last)
            return true;
    return false;
}

/* The process that perf assigns to the thread; if unknown, that of the record. */
static uint32_t process_of(const struct pi_subject *s)
{
    return s->task.pid != UINT32_MAX ? s->task.pid : s->pid;
}

/* perf calls it ":TID". */
static bool in_nameless(const struct pi_criteria *c, uint32_t tid)
{
    char name[16];
    if (c->names.n_patterns == 0)
        return in(&c->nameless, tid);
    snprintf(name, sizeof name, ":%d", (int)tid);
    return pi_names_has(&c->names, name);
}

static bool in_names(const struct pi_criteria *c, const struct pi_subject *s)
{
    if (s->name && *s->name)
        return pi_names_has(&c->names, s->name);
    return s->task.comm == PD_COMM_NONE ? in_nameless(c, s->tid) : c->comms[s->task.comm];
}

static bool has_event(const struct pi_subject *s)
{
    const uint32_t type = s->rec->type;
    return s->rec->attr_index != UINT32_MAX && (type == PD_RECORD_SAMPLE || type == PD_RECORD_READ);
}

bool pi_meets_early(const struct pi_criteria *c, const struct pi_subject *s)
{
    const struct pd_filter_lists *l = c->lists;
    return (!l->times || !s->has_time || pd_time_match(l->times, l->n_times, s->time)) &&
           (!l->cpus || !s->has_cpu || in_cpus(l, s->cpu));
}

bool pi_meets_task(const struct pi_criteria *c, const struct pi_subject *s)
{
    const struct pd_filter_lists *l = c->lists;
    return (s->sides & c->side) ||
           ((!l->tids || in(&c->tids, s->tid)) && (!l->pids || in(&c->pids, process_of(s))) &&
            (!l->comms || in_names(c, s)));
}

bool pi_meets_any_task(const struct pi_criteria *c, const struct pi_subject *s)
{
    const struct pd_filter_lists *l = c->lists;
    return (s->sides & c->side) || (l->tids && in(&c->tids, s->tid)) ||
           (l->pids && in(&c->pids, process_of(s))) || (l->comms && in_names(c, s));
}

bool pi_meets_mode(const struct pd_filter_options *o, const struct pd_record *rec)
{
    const unsigned mode = rec->misc & PD_MISC_CPUMODE;
    const bool user = mode == PD_CPUMODE_USER || mode == PD_CPUMODE_GUEST_USER;
    return !(o->all_user && pi_in_kernel(rec)) && !(o->all_kernel && user);
}

static bool in_events(const struct pi_criteria *c, const struct pi_subject *s)
{
    return in(&c->events, s->rec->attr_index);
}

bool pi_meets_event(const struct pi_criteria *c, const struct pi_subject *s)
{
    return !c->lists->events || !has_event(s) || in_events(c, s);
}

bool pi_meets_all(const struct pi_criteria *c, const struct pi_subject *s)
{
    return pi_meets_early(c, s) && pi_meets_event(c, s) && (!s->has_task || pi_meets_task(c, s));
}

bool pi_meets_any_itself(const struct pi_criteria *c, const struct pi_subject *s)
{
    const struct pd_filter_lists *l = c->lists;
    return (l->times && pi_is_time(s->time) && pd_time_match(l->times, l->n_times, s->time)) ||
           (l->cpus && s->has_cpu && in_cpus(l, s->cpu)) || (l->events && has_event(s) && in_events(c, s));
}

bool pi_meets_any(const struct pi_criteria *c, const struct pi_subject *s)
{
    return (c->lists->types && pi_lists_type(c, s->rec->type)) || pi_meets_any_itself(c, s) ||
           (s->has_task && pi_meets_any_task(c, s));
}

bool pi_lists_any(const struct pd_filter_lists *l)
{
    return l->types || l->times || l->cpus || l->events || l->tids || l->pids || l->comms;
}

bool pi_lists_type(const struct pi_criteria *c, uint32_t type)
{
    return in(&c->types, type);
}
