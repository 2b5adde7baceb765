/* SPDX-License-Identifier: MIT */
/* info_scan.c - one pass over the records for `perfdata info`. */
#include "info.h"
#include "src/codec/record_role.h"
#include "src/container/reader/skim.h"
#include <inttypes.h>
#include <perfdata/constants.h>
#include <stdlib.h>
#include <string.h>

/* ---- Counts */

/* The index of a type among the sorted ones, or its insertion point. */
static size_t type_place(const struct info *info, uint32_t type)
{
    size_t lo = 0, hi = info->n_types;
    while (lo < hi) {
        const size_t mid = (lo + hi) / 2;
        if (info->types[mid].type < type)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* The counter of a type; a new one if there is room. */
static struct info_type *counter_of(struct info *info, uint32_t type)
{
    const size_t at = type_place(info, type);
    struct info_type *t = &info->types[at];
    if (at < info->n_types && t->type == type)
        return t;
    if (info->n_types == INFO_TYPES)
        return &info->other;
    memmove(t + 1, t, (info->n_types++ - at) * sizeof *t);
    *t = (struct info_type){.type = type, .named = pd_set_name(&pd_set_record_type, type) != NULL};
    return t;
}

static void count_type(struct info *info, const struct pd_record *rec)
{
    struct info_type *t = info->latest; /* mostly the same as before */
    if (t == NULL || t == &info->other || t->type != rec->type)
        t = info->latest = counter_of(info, rec->type);
    t->n++;
    t->bytes += rec->size;
    if (t->named || (t == &info->other && pd_set_name(&pd_set_record_type, rec->type)))
        return;
    if (info->unknown.n++ == 0) {
        info->unknown.type = rec->type;
        info->unknown_offset = rec->offset;
    }
}

/* The event of a record; NULL: it is not known. */
static struct info_event *event_of(struct info *info, const struct pd_record *rec)
{
    const size_t i = rec->attr_index;
    if (i >= info->n_events) {
        const size_t n = pd_reader_n_attrs(info->in->reader);
        struct info_event *more = i < n ? cli_reallocarray(info->events, n, sizeof *more) : NULL;
        if (more == NULL)
            return NULL;
        memset(more + info->n_events, 0, (n - info->n_events) * sizeof *more);
        info->events = more;
        info->n_events = n;
    }
    return &info->events[i];
}

static void count_sample(struct info *info, const struct pd_record *rec)
{
    struct info_event *e = event_of(info, rec);
    if (e)
        e->samples++;
    else
        info->unowned++;
}

/* Damage may claim any number: a sum that does not fit stays the largest. */
static void add_lost(uint64_t *sum, uint64_t lost)
{
    if (__builtin_add_overflow(*sum, lost, sum))
        *sum = UINT64_MAX;
}

static void count_lost_samples(struct info *info, const struct pd_record *rec)
{
    struct info_event *e = event_of(info, rec);
    info->lost_samples_records++;
    add_lost(&info->lost_samples, rec->u.lost_samples.lost);
    if (e)
        add_lost(&e->lost, rec->u.lost_samples.lost);
}

static void count_time(struct info_times *t, uint64_t time)
{
    if (t->n++ == 0)
        t->first = t->last = time;
    else if (time > t->last)
        t->last = time;
    else if (time < t->first)
        t->first = time;
}

/* ---- Tasks */

/* Once is enough: what comes later is refused for the same reason. */
static void tell_refusal(struct info *info, const struct pd_error *error)
{
    if (!info->refused)
        cli_input_error(info->in, error);
    info->refused = true;
}

static void note_new(struct info *info, uint32_t tid)
{
    struct pd_error error;
    if (pd_tasks_mention(info->tasks, NULL, UINT32_MAX, tid, &error))
        tell_refusal(info, &error);
}

static inline void note_task(struct info *info, uint32_t tid)
{
    if (!pi_tid_set_has(info->tids, tid))
        note_new(info, tid);
}

/* ---- Mappings */

void info_take_mmap(const struct pd_record *rec, struct info_mmap *map)
{
    if (rec->type == PD_RECORD_MMAP) {
        const struct pd_mmap *m = &rec->u.mmap;
        *map = (struct info_mmap){m->pid, m->tid, m->addr, m->len, m->pgoff, "--x-", NULL, 0, m->filename};
        if (rec->misc & PD_MISC_MMAP_DATA)
            memcpy(map->prot, "r---", 4);
        return;
    }
    const struct pd_mmap2 *m = &rec->u.mmap2;
    *map = (struct info_mmap){m->pid, m->tid, m->addr, m->len, m->pgoff, "----", m, 0, m->filename};
    map->prot[0] = m->prot & PD_PROT_READ ? 'r' : '-';
    map->prot[1] = m->prot & PD_PROT_WRITE ? 'w' : '-';
    map->prot[2] = m->prot & PD_PROT_EXEC ? 'x' : '-';
    map->prot[3] = (m->flags & PD_MAP_TYPE) == PD_MAP_SHARED ? 's' : 'p';
    if (rec->misc & PD_MISC_MMAP_BUILD_ID)
        map->build_id_size =
            m->build_id_size < sizeof m->build_id ? m->build_id_size : (unsigned)sizeof m->build_id;
}

/* ---- The pass */

/* Records of which more counts than their number. */
static void take_decoded(struct info *info, struct pd_record *rec)
{
    struct pd_error error;
    switch (rec->type) {
    case PD_RECORD_LOST: info->lost_records++, add_lost(&info->lost, rec->u.lost.lost); return;
    case PD_RECORD_LOST_SAMPLES: count_lost_samples(info, rec); return;
    case PD_RECORD_MMAP:
    case PD_RECORD_MMAP2:
        if (info->on_mmap)
            info->on_mmap(info, rec);
        return;
    default:
        if (pd_tasks_record(info->tasks, rec, NULL, &error))
            tell_refusal(info, &error);
    }
}

/* A sample that may be anything. */
static void take_sample(struct info *info, const struct pd_record *rec, bool intact)
{
    uint64_t time;
    uint32_t pid, tid;
    count_sample(info, rec);
    if (intact ? rec->plan->time != 0 : pd_record_time(rec, &time)) {
        time = intact ? rec->u.sample.time : time;
        if (time)
            count_time(&info->sample_time, time);
        else
            info->untimed++;
    }
    if (intact && !rec->plan->offcpu) {
        if (rec->plan->pid)
            note_task(info, rec->u.sample.tid);
    } else if (pd_record_task(rec, &pid, &tid)) {
        note_task(info, tid);
    }
}

static void count_record(struct info *info, struct pd_record *rec)
{
    const bool intact = rec->decoded && rec->layout;
    uint64_t time;
    count_type(info, rec);
    if (rec->depth)
        info->inflated += rec->size;
    if (rec->type == PD_RECORD_SAMPLE) {
        take_sample(info, rec, intact);
        return;
    }
    info->payload += rec->payload_size;
    if (!rec->depth && pi_is_wrapper(rec))
        info->compressed += rec->size;
    if (pd_record_time(rec, &time) && time)
        count_time(&info->time, time);
    if (intact)
        take_decoded(info, rec);
}

/* The next record behind samples that are only counted. */
static inline bool next(struct info *info, struct pd_record *rec, struct info_times *t)
{
    if (info->n_events == 1 && info->tids->bits && info->latest) {
        struct pi_skim skim = {
            .tids = info->tids->bits, .n_tids = PI_TID_SET_BITS, .first = t->first, .last = t->last};
        pi_reader_skim(info->in->reader, &skim);
        t->first = skim.first, t->last = skim.last;
        t->n += skim.samples;
        info->events[0].samples += skim.samples;
        info->latest->n += skim.samples;
        info->latest->bytes += skim.bytes;
        info->inflated += skim.inflated;
    }
    return cli_next_decoded(info->in, rec);
}

/*
 * Counts the record, and following samples that differ only in numbers. One function, with the sums in
 * registers, halves the work per sample. False: there are no more records.
 */
static bool count_records(struct info *info, struct pd_record *rec)
{
    uint64_t n = 0, bytes = 0, inflated = 0;
    bool more;
    count_record(info, rec);
    if (rec->type != PD_RECORD_SAMPLE || info->sample_time.n == 0)
        return cli_next_decoded(info->in, rec);
    struct info_times t = info->sample_time;
    while ((more = next(info, rec, &t)) && rec->type == PD_RECORD_SAMPLE && rec->decoded &&
           rec->attr_index < info->n_events && rec->u.sample.time && rec->u.sample.tid &&
           !rec->plan->offcpu) {
        const uint64_t time = rec->u.sample.time;
        n++;
        bytes += rec->size;
        inflated += rec->depth ? rec->size : 0;
        info->events[rec->attr_index].samples++;
        if (time > t.last)
            t.last = time;
        else if (time < t.first)
            t.first = time;
        note_task(info, rec->u.sample.tid);
    }
    info->latest->n += n;
    info->latest->bytes += bytes;
    info->inflated += inflated;
    t.n += n;
    info->sample_time = t;
    return more;
}

/* Values derived from the counts. */
static void sum_up(struct info *info)
{
    const struct info_times s = info->sample_time;
    for (size_t i = 0; i <= info->n_types; i++) {
        const struct info_type *t = i < info->n_types ? &info->types[i] : &info->other;
        info->records += t->n;
        info->bytes += t->bytes;
    }
    if (s.n) {
        count_time(&info->time, s.first);
        count_time(&info->time, s.last);
        info->time.n = info->time.n - 2 + s.n;
    }
    if (info->untimed)
        count_time(&info->sample_time, 0);
    info->sample_time.n = s.n + info->untimed;
}

/* ---- With an index */

/* Leaves out all samples that it has sums of. False: that failed, which is printed. */
static bool use_index(struct info *info)
{
    info->indexed = cli_index_find(info->in) && cli_index_select(info->in, NULL, 0);
    return info->in->cli->status < CLI_OUTPUT;
}

static void add_type(void *user, uint32_t type, uint64_t n, uint64_t bytes)
{
    struct info *info = user;
    struct info_type *t = counter_of(info, type);
    t->n += n;
    t->bytes += bytes;
    if (pi_is_wrapper_type(type))
        info->compressed += bytes;
}

static void add_events(struct info *info)
{
    const size_t n = pd_reader_n_attrs(info->in->reader);
    uint64_t *samples = cli_calloc(n, sizeof *samples);
    struct pd_error error;
    if (samples && pd_index_event_sums(cli_index_of(info->in), samples, n, &error))
        cli_error(info->cli, info->in->name, &error);
    for (size_t i = 0; samples && i < n; i++) {
        const struct pd_record rec = {.attr_index = (uint32_t)i};
        struct info_event *e = samples[i] ? event_of(info, &rec) : NULL;
        if (e)
            e->samples += samples[i];
    }
    free(samples);
}

/* What was left out; the first and the last of these records were read. */
static void add_index(struct info *info)
{
    struct pd_index_sums s;
    struct pd_error error;
    pd_index_get_sums(cli_index_of(info->in), &s);
    info->inflated += s.inside;
    info->sample_time.n += s.samples;
    info->time.n += s.others;
    add_events(info);
    if (pd_index_type_sums(cli_index_of(info->in), add_type, info, &error) ||
        pd_index_select_all(cli_index_of(info->in), &error))
        cli_input_error(info->in, &error);
}

/* ---- Features */

/*
 * With --header-only: a pipe stream begins with its features, before the first record of the kernel; those of
 * a file that cannot seek come after the last record.
 */
void info_scan(struct info *info)
{
    struct pd_record rec = {0};
    struct pd_error error;
    const bool stream = pd_reader_info(info->in->reader)->container == PD_CONTAINER_PIPE;
    if (info->header_only && !stream && (info->in->seekable || S_ISDIR(info->in->st.st_mode)))
        return;
    if (info->header_only)
        while (cli_next_record(info->in, &rec) && !(stream && rec.type < PD_RECORD_HEADER_ATTR))
            ;
    else if (use_index(info))
        for (bool more = cli_next_decoded(info->in, &rec); more;)
            more = count_records(info, &rec);
    if (info->indexed)
        add_index(info);
    sum_up(info);
    cli_progress_end(info->cli);
    if (pd_metadata_finish(info->in->meta, info->in->reader, &error))
        cli_input_error(info->in, &error);
    cli_tell_findings(info->in);
}

void info_free(struct info *info)
{
    free(info->events);
    pd_tasks_free(info->tasks);
}
