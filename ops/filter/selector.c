/* SPDX-License-Identifier: MIT */
/* selector.c - which samples a selection wants, asked in order of time. */
#include "selector.h"
#include "src/codec/record_role.h"
#include "src/schema/fail.h"
#include "src/session/record_words.h"
#include "src/session/session_inside.h"

static bool init_names(struct pi_selector *s)
{
    const struct pd_filter_lists *keep = &s->options->keep, *drop = &s->options->drop;
    const struct pd_allocator *allocator = s->options->allocator;
    return pi_names_init(&s->keep_dsos, keep->dsos, keep->n_dsos, allocator) &&
           pi_names_init(&s->drop_dsos, drop->dsos, drop->n_dsos, allocator) &&
           pi_names_init(&s->keep_cgroups, keep->cgroups, keep->n_cgroups, allocator) &&
           pi_names_init(&s->drop_cgroups, drop->cgroups, drop->n_cgroups, allocator);
}

#define UNKNOWN "[unknown]" /* perf's word for what no file is known of */

static uint32_t judge_name(const struct pi_selector *s, const char *name)
{
    return (pi_names_meet(&s->keep_dsos, name) ? PI_SELECT_KEEP : 0u) |
           (pi_names_meet(&s->drop_dsos, name) ? PI_SELECT_DROP : 0u);
}

enum pd_code pi_selector_init(struct pi_selector *s, const struct pd_filter_options *options,
                              struct pd_error *error)
{
    const struct pd_allocator *allocator = options->allocator;
    *s = (struct pi_selector){.options = options, .heirs.allocator = allocator};
    s->drops = pi_lists_any(&options->drop);
    enum pd_code code = pi_criteria_init(&s->keep, &options->keep, allocator, error);
    if (!code)
        code = pi_criteria_init(&s->drop, &options->drop, allocator, error);
    s->keep.side = PI_SELECT_KEEP;
    s->drop.side = PI_SELECT_DROP;
    if (!code && !init_names(s))
        code = pi_fail(error, PD_ENOMEM, PD_NOWHERE, "names", 0, 0);
    if (!code)
        judge_name(s, UNKNOWN); /* a name that is there whichever samples are */
    return code;
}

void pi_selector_free(struct pi_selector *s)
{
    if (s->options == NULL)
        return;
    pi_criteria_free(&s->keep);
    pi_criteria_free(&s->drop);
    pi_names_free(&s->keep_dsos);
    pi_names_free(&s->drop_dsos);
    pi_names_free(&s->keep_cgroups);
    pi_names_free(&s->drop_cgroups);
    pi_idmap_free(&s->heirs);
    pi_release(s->options->allocator, s->sides);
}

static bool asks_tasks(const struct pi_selector *s)
{
    return pi_criteria_need_tasks(&s->keep) || pi_criteria_need_tasks(&s->drop);
}

uint32_t pi_selector_parts(const struct pi_selector *s)
{
    const struct pd_filter_lists *keep = &s->options->keep, *drop = &s->options->drop;
    return (asks_tasks(s) ? PD_SESSION_TASKS : 0u) | (keep->dsos || drop->dsos ? PD_SESSION_MAPPINGS : 0u) |
           (keep->cgroups || drop->cgroups ? PD_SESSION_ORIGINS : 0u);
}

/* ---- Mappings */

/* Compares a path, and its last part, which perf calls the short name. */
static uint32_t judge_path(const struct pi_selector *s, const char *path)
{
    const char *slash = strrchr(path, '/');
    return judge_name(s, path) | (slash ? judge_name(s, slash + 1) : 0);
}

/* True if the recorded name of the file, or the one that perf shows, is in the list. */
uint32_t pi_selector_judge_mapping(const struct pi_selector *s, const struct pd_mapping *m)
{
    char dso[UINT16_MAX + 1], base[UINT16_MAX + 1];
    if (m == NULL)
        return judge_name(s, UNKNOWN);
    pd_mapping_dso(m, dso, sizeof dso);
    pd_mapping_short_name(m, base, sizeof base);
    if (s->options->known)
        s->options->known(s->options->user, PD_NAME_DSO, base);
    const uint32_t sides = judge_path(s, m->file) | judge_path(s, dso) | judge_name(s, base);
    return m->kind == PD_MAPPING_KERNEL
               ? sides | judge_name(s, "[kernel.vmlinux]") | judge_name(s, "[kernel]")
               : sides;
}

const struct pd_mapping *pi_sample_mapping(struct pd_session *session, const struct pd_record *rec, bool *has)
{
    uint32_t pid = UINT32_MAX, tid;
    uint64_t ip;
    *has = pi_word_ip(rec, &ip);
    if (!*has)
        return NULL;
    pi_word_task(rec, &pid, &tid);
    return pd_session_find_mapping(session, pid, ip, rec->misc & PD_MISC_CPUMODE);
}

/* A sample without an address counts as in the kept files. */
static bool meets_dsos(const struct pi_selector *s, uint32_t mapping)
{
    return (s->options->keep.dsos == NULL || mapping & PI_SELECT_KEEP) && !(mapping & PI_SELECT_DROP);
}

/* ---- Tasks and their families */

static uint8_t sides_of(const struct pi_selector *s, uint32_t tid)
{
    const uint32_t i = pi_idmap_get(&s->heirs, tid);
    return i == PI_IDMAP_NONE ? 0 : s->sides[i];
}

static bool set_sides(struct pi_selector *s, uint32_t tid, uint8_t sides)
{
    uint32_t i = pi_idmap_get(&s->heirs, tid);
    if (i == PI_IDMAP_NONE) {
        if (sides == 0)
            return true;
        i = (uint32_t)s->heirs.n;
        if (!pi_grow(s->options->allocator, (void **)&s->sides, i, &s->sides_cap, 1) ||
            !pi_idmap_add(&s->heirs, tid, i))
            return false;
    }
    s->sides[i] = sides;
    return true;
}

/* Adds to a subject what the session knows of its task. */
static void find_task(const struct pi_selector *s, struct pd_session *session, struct pi_subject *subject)
{
    subject->name = "";
    if (!subject->has_task)
        return;
    subject->sides = s->heirs.n ? sides_of(s, subject->tid) : 0;
    if (!asks_tasks(s))
        return;
    const struct pd_session_task *task = pd_session_find_task(session, subject->tid);
    if (task) {
        subject->task.pid = task->pid;
        subject->name = task->comm;
    }
}

static bool lists_tasks(const struct pd_filter_lists *l)
{
    return l->pids || l->tids || l->comms;
}

bool pi_selector_record(struct pi_selector *s, struct pd_session *session, struct pd_record *rec)
{
    struct pi_subject parent = {.rec = rec, .has_task = true, .task.pid = UINT32_MAX};
    uint32_t pid, tid;
    if (!s->options->with_children || rec->plan == NULL || pi_tells_of(rec) != PI_TELLS_BIRTH ||
        pd_record_decode_framed(rec->plan, rec, NULL) || !pi_told_task(rec, &pid, &tid) ||
        !pi_told_parent(rec, &parent.pid, &parent.tid))
        return true;
    find_task(s, session, &parent);
    const bool kept = lists_tasks(&s->options->keep) && pi_meets_task(&s->keep, &parent);
    const bool dropped = pi_meets_any_task(&s->drop, &parent);
    return set_sides(s, tid, (uint8_t)((kept ? PI_SELECT_KEEP : 0) | (dropped ? PI_SELECT_DROP : 0)));
}

bool pi_selector_meets_task(struct pi_selector *s, struct pd_session *session, struct pd_record *rec)
{
    struct pi_subject subject;
    pi_subject_init(&subject, rec);
    subject.has_task = subject.has_task || pi_record_owner(rec, &subject.pid, &subject.tid);
    find_task(s, session, &subject);
    return pi_meets_all(&s->keep, &subject) && !(s->drops && pi_meets_any(&s->drop, &subject));
}

/* ---- Cgroups */

/* A sample without a cgroup counts as in the kept ones; one whose cgroup has no recorded path does not. */
static bool meets_cgroups(const struct pi_selector *s, const struct pd_session *session,
                          struct pd_record *rec)
{
    const struct pd_filter_lists *keep = &s->options->keep, *drop = &s->options->drop;
    uint64_t id;
    if ((keep->cgroups == NULL && drop->cgroups == NULL) || rec->plan == NULL ||
        pd_record_decode_framed(rec->plan, rec, NULL) || !pi_sample_cgroup(rec, &id))
        return true;
    const char *path = pd_session_find_cgroup(session, id);
    return (keep->cgroups == NULL || (path && pi_names_has(&s->keep_cgroups, path))) &&
           !(path && pi_names_has(&s->drop_cgroups, path));
}

static void tell_cgroups(const struct pi_selector *s, const struct pd_session *session,
                         const struct pi_names *names)
{
    const char *path;
    for (size_t at = 0; names->n && session && (path = pi_session_next_cgroup(session, &at));)
        pi_names_know(names, s->options, PD_NAME_CGROUP, path);
    pi_names_tell(names, s->options, PD_NAME_CGROUP);
}

void pi_selector_tell_names(const struct pi_selector *s, const struct pd_session *session)
{
    if (session) {
        pi_criteria_tell_names(&s->keep, pi_session_tasks(session), s->options);
        pi_criteria_tell_names(&s->drop, pi_session_tasks(session), s->options);
    }
    pi_names_tell(&s->keep_dsos, s->options, PD_NAME_DSO);
    pi_names_tell(&s->drop_dsos, s->options, PD_NAME_DSO);
    tell_cgroups(s, session, &s->keep_cgroups);
    tell_cgroups(s, session, &s->drop_cgroups);
}

bool pi_selector_meets(struct pi_selector *s, struct pd_session *session, struct pd_record *rec,
                       uint32_t mapping)
{
    return pi_meets_mode(s->options, rec) && pi_selector_meets_task(s, session, rec) &&
           meets_dsos(s, mapping) && meets_cgroups(s, session, rec) &&
           (!s->options->predicate || s->options->predicate(s->options->user, rec));
}
