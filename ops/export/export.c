/* SPDX-License-Identifier: MIT */
/*
 * export.c - pd_export_add(): a session takes the records in order of time, and each sample becomes a stack.
 * The hash of a sample finds the stack that an equal sample had before, as long as the mappings of its
 * process are the same; its frames are not looked up again.
 */
#include "branches.h"
#include "rows.h"
#include "ops/filter/build_id.h"
#include "src/schema/fail.h"
#include "src/schema/options.h"
#include "src/session/record_words.h"
#include <perfdata/session/event.h>
#include <inttypes.h>
#include <stdio.h>
#include <xxhash.h>

#define STACK_PLACES ((size_t)1 << 15)
#define COMM_PLACES ((size_t)1 << 10)

/* Cache of stacks; an entry is valid as long as the stacks in memory are the same. */
struct pi_stack_place {
    XXH128_hash_t hash;
    uint64_t round; /* 0: empty */
    struct pi_stack *at;
};

/* Cache of tasks' names; an entry is valid until a record may change a name. */
struct pi_comm_place {
    uint64_t generation; /* 0: empty */
    uint32_t tid, number;
};

/* ---- The export */

enum pd_code pd_export_new(struct pd_export **out, const struct pd_export_options *options,
                           struct pd_error *error)
{
    const uint32_t keys = PD_EXPORT_COMM | PD_EXPORT_PID | PD_EXPORT_TID | PD_EXPORT_CPU | PD_EXPORT_CGROUP;
    struct pd_export_options own;
    uint32_t unmapped;
    *out = NULL;
    enum pd_code code = PI_TAKE_OPTIONS(pd_export_options, &own, options, error);
    if (code)
        return code;
    if (own.format > PD_EXPORT_PARQUET)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "format", own.format, PD_EXPORT_PARQUET);
    if (own.keys & ~keys)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "keys", own.keys, keys);
    if (own.format >= PD_EXPORT_BOLT && own.format <= PD_EXPORT_AUTOFDO &&
        (!own.open_member || !own.close_member))
        return pi_fail(error, PD_EARG, PD_NOWHERE, "open_member", 0, 0);
    if (own.format == PD_EXPORT_SYMBOLS && !own.symbol)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "symbol", 0, 0);
    if (own.format == PD_EXPORT_PARQUET && !own.sink)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "sink", 0, 0);
    if (own.n_fields > PI_LIMIT_EXPORT_FIELDS)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "fields", own.n_fields, PI_LIMIT_EXPORT_FIELDS);
    struct pd_export *e = pi_resize(own.allocator, NULL, sizeof *e);
    if (e == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "export", 0, sizeof *e);
    *e = (struct pd_export){.options = own};
    if (own.allocator) {
        e->own_allocator = *own.allocator;
        e->allocator = &e->own_allocator;
    }
    e->comms.allocator = e->cgroups.allocator = e->events.allocator = e->declared.allocator = own.allocator;
    e->dsos.allocator = e->functions.allocator = e->ids.allocator = own.allocator;
    code = pi_stacks_init(&e->stacks, own.allocator, own.memory ? own.memory : PI_LIMIT_EXPORT_MEMORY,
                          own.tmpdir, error);
    if (!code)
        code = pi_export_text(&e->dsos, " [unknown]", 10, &unmapped, error);
    if (code)
        pd_export_free(e);
    else
        *out = e;
    return code;
}

void pd_export_free(struct pd_export *e)
{
    if (e == NULL)
        return;
    const struct pd_allocator *allocator = e->options.allocator;
    pi_rows_free(e->rows); /* first: workers may still read the texts */
    pi_texts_free(&e->comms);
    pi_texts_free(&e->cgroups);
    pi_texts_free(&e->events);
    pi_texts_free(&e->declared);
    pi_texts_free(&e->dsos);
    pi_texts_free(&e->functions);
    pi_texts_free(&e->ids);
    pi_stacks_free(&e->stacks);
    pi_release(allocator, e->nanoseconds);
    pi_release(allocator, e->profiled);
    pi_release(allocator, e->first_of);
    pi_release(allocator, e->twins);
    pi_release(allocator, e);
}

void pd_export_get_stats(const struct pd_export *e, struct pd_export_stats *stats)
{
    *stats = e->stats;
    stats->stacks = e->stacks.added;
    stats->spilled = e->stacks.spilled;
    stats->unfound = e->rows ? pi_rows_unfound(e->rows) : NULL;
}

static enum pd_code write_rows(struct pd_export *e, struct pd_error *error)
{
    const enum pd_code code = e->rows ? PD_OK : pi_rows_open(&e->rows, e, NULL, error);
    return code ? code : pi_rows_end(e->rows, error);
}

enum pd_code pd_export_write(struct pd_export *e, const struct pd_sink *sink, struct pd_error *error)
{
    if (e->broken)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "export", 0, 0);
    e->broken = true; /* the stacks are released as they are written */
    switch (e->options.format) {
    case PD_EXPORT_PPROF: return pi_export_pprof(e, sink, error);
    case PD_EXPORT_SPEEDSCOPE: return pi_export_speedscope(e, sink, error);
    case PD_EXPORT_FIREFOX: return pi_export_firefox(e, sink, error);
    case PD_EXPORT_FOLDED: return pi_export_folded(e, sink, error);
    case PD_EXPORT_SYMBOLS: return pi_export_symbols(e, sink, error);
    case PD_EXPORT_PARQUET: return write_rows(e, error);
    default: return pi_export_profiles(e, error);
    }
}

/* ---- Names */

static enum pd_code enlarge_text(struct pi_exporting *x, size_t n)
{
    if (n <= x->text_cap)
        return PD_OK;
    char *text = pi_resize(x->allocator, x->text, n);
    if (text == NULL)
        return pi_fail(x->error, PD_ENOMEM, PD_NOWHERE, "names", 0, n);
    x->text = text;
    x->text_cap = n;
    return PD_OK;
}

/* True if the names of files have build ids: the other formats do not write them. */
static bool has_ids(const struct pd_export *e)
{
    return e->options.format == PD_EXPORT_PPROF || e->options.format >= PD_EXPORT_BOLT || e->options.symbol;
}

/* The number of a mapping's file; what fails is kept in x->failed. */
static uint32_t name_mapping(void *user, const struct pd_mapping *mapping)
{
    struct pi_exporting *x = user;
    const struct pd_export_options *o = &x->all->options;
    uint32_t number = 0;
    const size_t n = pd_mapping_dso(mapping, NULL, 0);
    enum pd_code code = enlarge_text(x, n + 43);
    if (!code) {
        size_t at = 0;
        if (has_ids(x->all)) {
            const bool same = pd_mapping_offset(mapping, mapping->start) == mapping->start;
            x->text[at++] = same ? PI_DSO_ADDRESSES : PI_DSO_OFFSETS;
            at += pi_mapping_build_id(mapping, x->chosen.reader, o->build_id, o->user, x->text + at);
        }
        x->text[at++] = ' ';
        pd_mapping_dso(mapping, x->text + at, n + 1);
        code = pi_export_text(&x->all->dsos, x->text, at + n, &number, x->error);
    }
    if (!code && pi_export_is_branches(x->all))
        code = pi_export_profiled(x, mapping, &number);
    else if (!code && x->all->options.format == PD_EXPORT_PPROF)
        code = pi_export_note_code(x, mapping, number);
    if (!x->failed)
        x->failed = code;
    return number;
}

static size_t event_name(struct pi_exporting *x, uint32_t attr)
{
    const struct pd_export_options *o = &x->all->options;
    const struct pd_attr *a = &pd_reader_attr(x->chosen.reader, attr)->attr;
    return o->event_name
               ? o->event_name(o->user, x->chosen.reader, attr, x->text, x->text_cap)
               : pd_event_format(a->type, a->config, a->bp_addr, a->bp_type, a->bp_len, x->text, x->text_cap);
}

/* Notes whether the periods of an event are times; events of one name agree in this. */
static enum pd_code note_unit(struct pi_exporting *x, uint32_t attr, uint32_t event)
{
    struct pd_export *e = x->all;
    const struct pd_event_attr *a = pd_reader_attr(x->chosen.reader, attr);
    const bool clock = a->attr.type == PD_TYPE_SOFTWARE &&
                       (a->attr.config == PD_SW_CPU_CLOCK || a->attr.config == PD_SW_TASK_CLOCK);
    if (!pi_grow(x->allocator, (void **)&e->nanoseconds, event, &e->cap_nanoseconds, sizeof *e->nanoseconds))
        return pi_fail(x->error, PD_ENOMEM, PD_NOWHERE, "events", 0, event);
    e->nanoseconds[event] = clock || a->plan.offcpu;
    return PD_OK;
}

/* The number of the name of an event among these. */
static enum pd_code name_event(struct pi_exporting *x, uint32_t attr, struct pi_texts *names,
                               uint32_t *number)
{
    enum pd_code code = enlarge_text(x, 512);
    size_t n = code ? 0 : event_name(x, attr);
    if (!code && n >= x->text_cap && !(code = enlarge_text(x, n + 1)))
        n = event_name(x, attr);
    return code ? code
                : pi_export_text(names, x->text, n < x->text_cap ? n : x->text_cap - 1, number, x->error);
}

/* The number of the name of an event that has samples. */
static enum pd_code find_event(struct pi_exporting *x, uint32_t attr, uint32_t *event)
{
    if (attr >= x->n_events) {
        const size_t n = pd_reader_n_attrs(x->chosen.reader);
        uint32_t *events = pi_array(x->allocator, x->events, n, sizeof *events);
        if (events == NULL)
            return pi_fail(x->error, PD_ENOMEM, PD_NOWHERE, "events", 0, n * sizeof *events);
        memset(events + x->n_events, 0, (n - x->n_events) * sizeof *events);
        x->events = events;
        x->n_events = n;
    }
    if (x->events[attr] == 0) {
        enum pd_code code = name_event(x, attr, &x->all->events, event);
        if (!code)
            code = note_unit(x, attr, *event);
        if (code)
            return code;
        x->events[attr] = *event + 1;
    }
    *event = x->events[attr] - 1;
    return PD_OK;
}

/*
 * Notes up to two names of events that are to be exported, whether they have samples or not: pieces of a
 * recording agree in these. dummy:u, which perf adds, never has any.
 */
static enum pd_code note_declared(struct pi_exporting *x)
{
    struct pi_texts *names = &x->all->declared;
    const size_t n = pd_reader_n_attrs(x->chosen.reader);
    enum pd_code code = PD_OK;
    for (uint32_t attr = 0, number; !code && attr < n && names->n < 2; attr++) {
        const struct pd_attr *a = &pd_reader_attr(x->chosen.reader, attr)->attr;
        if (!pi_export_wants(x, attr) || pi_is_dummy(a))
            continue;
        if (attr >= x->n_events || x->events[attr] == 0) {
            code = name_event(x, attr, names, &number);
        } else {
            const char *name = x->all->events.all[x->events[attr] - 1];
            code = pi_export_text(names, name, strlen(name), &number, x->error);
        }
    }
    return code;
}

static enum pd_code find_comm(struct pi_exporting *x, uint32_t tid, uint32_t *number)
{
    const struct pd_session_task *task = pd_session_find_task(x->chosen.session, tid);
    char none[16];
    const char *name = none;
    if (task && *task->comm)
        name = task->comm;
    else
        snprintf(none, sizeof none, ":%d", (int)tid);
    return pi_export_text(&x->all->comms, name, strlen(name), number, x->error);
}

/* The same, with the cache. */
static enum pd_code number_comm(struct pi_exporting *x, uint32_t tid, uint32_t *number)
{
    struct pi_comm_place *place = &x->comm_places[tid & (COMM_PLACES - 1)];
    if (place->generation != x->comm_generation || place->tid != tid) {
        const enum pd_code code = find_comm(x, tid, &place->number);
        if (code)
            return code;
        place->generation = x->comm_generation;
        place->tid = tid;
    }
    *number = place->number;
    return PD_OK;
}

static enum pd_code put_comm(struct pi_exporting *x, uint32_t tid)
{
    uint32_t number;
    const enum pd_code code = number_comm(x, tid, &number);
    if (!code)
        x->n_head += pi_put_number(x->head + x->n_head, number);
    return code;
}

/* The path of the sample's own cgroup, or its id where no record names it; as perf, "N/A" without one. */
static enum pd_code put_cgroup(struct pi_exporting *x, const struct pd_record *rec)
{
    uint64_t id;
    if (!pi_sample_cgroup(rec, &id))
        id = 0;
    const char *path = id ? pd_session_find_cgroup(x->chosen.session, id) : "N/A";
    char none[32];
    uint32_t number;
    if (path == NULL) {
        snprintf(none, sizeof none, "cgroup %" PRIu64, id);
        path = none;
    }
    const enum pd_code code = pi_export_text(&x->all->cgroups, path, strlen(path), &number, x->error);
    if (!code)
        x->n_head += pi_put_number(x->head + x->n_head, number);
    return code;
}

/* Puts the numbers of the keys, which stand before the frames. */
static enum pd_code put_head(struct pi_exporting *x, const struct pi_export_sample *s)
{
    const uint32_t keys = x->all->options.keys;
    x->n_head = pi_put_number(x->head, s->event);
    enum pd_code code = keys & PD_EXPORT_COMM ? put_comm(x, s->tid) : PD_OK;
    if (keys & PD_EXPORT_PID)
        x->n_head += pi_put_number(x->head + x->n_head, s->pid);
    if (keys & PD_EXPORT_TID)
        x->n_head += pi_put_number(x->head + x->n_head, s->tid);
    if (keys & PD_EXPORT_CPU)
        x->n_head += pi_put_number(x->head + x->n_head, s->cpu);
    if (!code && keys & PD_EXPORT_CGROUP)
        code = put_cgroup(x, s->rec);
    return code;
}

/* ---- A sample */

/* Finds the frames of a sample. *whole is false if some come later. */
static enum pd_code find_frames(struct pi_exporting *x, const struct pi_export_sample *s, bool *whole)
{
    uint64_t cookie;
    x->frames.n = 0;
    enum pd_code code = s->ips.n ? pi_export_chain(x, s->process, &s->ips) : PD_OK;
    *whole = !pi_chain_is_deferred(&s->ips, &cookie);
    if (!code && !*whole)
        return pi_export_defer(x, s, cookie);
    if (!code && x->frames.n == 0 && s->has_ip)
        code = pi_export_frame(x, s->process, s->ip, s->rec->misc & PD_MISC_CPUMODE);
    return code;
}

static enum pd_code add_later(struct pi_exporting *x, struct pi_export_later *l)
{
    struct pi_stack *at;
    if (!l->waits)
        return PD_OK;
    l->waits = false;
    const enum pd_code code =
        pi_stacks_add_hashed(&x->all->stacks, l->hash, l->key, l->n, l->weight, &at, x->error);
    if (!code)
        pi_alike_seen(&x->alike, &l->awaited, at);
    return code;
}

static enum pd_code add_all_later(struct pi_exporting *x)
{
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < PI_EXPORT_LATER; i++)
        code = add_later(x, &x->later[i]);
    return code;
}

/* Adds the stack of a sample that others may be like, later. */
static enum pd_code add_awaited(struct pi_exporting *x, const struct pi_export_sample *s)
{
    const struct pi_stacks *stacks = &x->all->stacks;
    struct pi_export_later *new = &x->later[x->turn];
    const unsigned oldest = (x->turn + 1) % PI_EXPORT_LATER, last = (x->turn + 2) % PI_EXPORT_LATER;
    bool whole;
    pi_alike_await(&x->alike, s->rec, &new->awaited);
    enum pd_code code = find_frames(x, s, &whole);
    if (code || !whole)
        return code;
    code = pi_export_make_key(x, &new->key, &new->n);
    if (!code)
        code = add_later(x, &x->later[oldest]);
    if (code)
        return code;
    new->weight = s->weight;
    new->hash = pi_stacks_hash(stacks, new->key, new->n);
    new->waits = true;
    x->turn = oldest;
    pi_stacks_fetch_entry(stacks, new->hash);
    if (x->later[last].waits)
        pi_stacks_fetch_key(stacks, x->later[last].hash);
    return PD_OK;
}

/* The hash of all that a stack depends on. */
PI_WRAPS static XXH128_hash_t hash_of(struct pi_exporting *x, const struct pi_export_sample *s)
{
    const struct pi_key key = {x->all->stacks.seed, 0};
    uint64_t head[sizeof x->head / 8] = {0}, seed;
    memcpy(head, x->head, x->n_head);
    seed = pi_keyed(&key, pi_export_number(x, s->process));
    seed = pi_keyed(&key, seed + s->ip); /* the stack of a call chain without a frame */
    for (size_t i = 0; i < (x->n_head + 7) / 8; i++)
        seed = pi_keyed(&key, seed + head[i]);
    if (s->ips.n)
        return XXH3_128bits_withSeed(s->ips.ptr, s->ips.n * s->ips.width, seed);
    const uint64_t place[] = {s->rec->misc & PD_MISC_CPUMODE, s->ip};
    /* A chain may have such words, too; with seeds that are neighbours, XXH3 gives many of them one hash. */
    return XXH3_128bits_withSeed(place, sizeof place, pi_keyed(&key, seed));
}

static enum pd_code add_stack(struct pi_exporting *x, const struct pi_export_sample *s)
{
    struct pi_stack *at;
    bool whole;
    if (pi_alike_suits(&x->alike, s->rec)) /* another table has those that are like an earlier one */
        return add_awaited(x, s);
    const XXH128_hash_t hash = hash_of(x, s);
    struct pi_stack_place *place = &x->stack_places[hash.low64 & (STACK_PLACES - 1)];
    if (place->round == x->all->stacks.round && XXH128_isEqual(place->hash, hash)) {
        place->at->sum = pi_stacks_sum(place->at->sum, s->weight);
        return PD_OK;
    }
    enum pd_code code = find_frames(x, s, &whole);
    if (code || !whole)
        return code;
    code = pi_export_put(x, s, &at);
    if (!code)
        *place = (struct pi_stack_place){hash, x->all->stacks.round, at};
    return code;
}

/*
 * Takes the stack in raw data. perf's BPF program on a little-endian machine swaps thread and process, and
 * perf reads them swapped.
 */
static void take_offcpu(struct pi_exporting *x, struct pi_export_sample *s, const struct pd_offcpu *offcpu)
{
    const struct pd_session_task *task = pd_session_find_task(x->chosen.session, offcpu->pid);
    s->process = task && task->pid == offcpu->tid ? offcpu->tid : offcpu->pid;
    s->ips = offcpu->ips;
}

/* Adds the sample for one of the events that it counted. */
static enum pd_code add_count(struct pi_exporting *x, struct pi_export_sample *s,
                              const struct pi_counted *counted)
{
    if (!pi_export_wants(x, counted->attr_index))
        return PD_OK;
    s->weight = x->all->options.count ? 1 : counted->period;
    enum pd_code code = find_event(x, counted->attr_index, &s->event);
    if (!code)
        code = put_head(x, s);
    return code ? code : add_stack(x, s);
}

/* What the sample counts of its own event. */
static enum pd_code find_period(struct pi_exporting *x, const struct pd_record *rec, uint64_t *period)
{
    struct pi_counted counted;
    enum pd_code code;
    *period = 0;
    pi_counts_begin(&x->chosen.counts);
    while ((code = pi_counts_next(&x->chosen.counts, x->chosen.reader, rec, &counted)) == PD_OK)
        if (counted.attr_index == rec->attr_index)
            *period = counted.period;
    return code == PD_END ? PD_OK : pi_fail(x->error, code, PD_NOWHERE, "counters", 0, 0);
}

static enum pd_code add_row(struct pi_exporting *x, struct pi_export_sample *s)
{
    struct pi_row row = {.sample = s, .has_place = s->has_ip};
    uint32_t pid, tid;
    uint64_t cookie;
    struct pi_stack *at;
    enum pd_code code = find_period(x, s->rec, &row.period);
    if (code || !pi_export_wants(x, s->rec->attr_index))
        return code;
    code = find_event(x, s->rec->attr_index, &s->event);
    if (!code && (row.has_comm = pi_word_task(s->rec, &pid, &tid)))
        code = number_comm(x, s->tid, &row.comm);
    if (!code && s->has_ip) {
        row.place = pi_export_find_function(x, s->process, s->ip, s->rec->misc & PD_MISC_CPUMODE);
        code = x->failed;
    }
    x->frames.n = 0;
    if (!code)
        code = pi_rows_make(x, &row);
    if (!code)
        code = pi_export_chain(x, s->process, &s->ips);
    if (!code && pi_chain_is_deferred(&s->ips, &cookie))
        return pi_export_defer(x, s, cookie);
    return code ? code : pi_export_put(x, s, &at);
}

static enum pd_code add_addresses(struct pi_exporting *x, const struct pi_export_sample *s)
{
    const enum pd_code code =
        s->has_ip ? pi_export_address(x, s->process, s->ip, s->rec->misc & PD_MISC_CPUMODE) : PD_OK;
    return code || !s->ips.n ? code : pi_export_addresses(x, s->process, &s->ips);
}

static enum pd_code add_sample(struct pi_exporting *x, struct pd_record *rec)
{
    struct pi_export_sample s = {.pid = UINT32_MAX, .tid = UINT32_MAX, .cpu = UINT32_MAX, .rec = rec};
    struct pi_counted counted;
    struct pd_offcpu offcpu;
    enum pd_code code;
    pi_word_task(rec, &s.pid, &s.tid);
    pi_word_cpu(rec, &s.cpu);
    s.has_ip = pi_word_ip(rec, &s.ip);
    s.process = s.pid;
    if (pi_export_is_branches(x->all))
        return pi_export_wants(x, rec->attr_index) ? pi_export_branches(x, s.pid, rec) : PD_OK;
    if (rec->attr->sample_type & PD_SAMPLE_CALLCHAIN)
        s.ips = rec->u.sample.callchain.ips;
    if (pd_offcpu_of(rec, &offcpu))
        take_offcpu(x, &s, &offcpu);
    if (x->all->options.format == PD_EXPORT_SYMBOLS)
        return add_addresses(x, &s);
    if (x->all->rows)
        return add_row(x, &s);
    pi_counts_begin(&x->chosen.counts);
    while ((code = pi_counts_next(&x->chosen.counts, x->chosen.reader, rec, &counted)) == PD_OK)
        if ((code = add_count(x, &s, &counted)) != PD_OK)
            return code;
    if (code != PD_END)
        return pi_fail(x->error, code, PD_NOWHERE, "counters", 0, 0);
    return pi_alike_learn(&x->alike, rec, pi_export_wants(x, rec->attr_index), x->error);
}

/* ---- The records of a recording */

/* A record that is no sample. */
static enum pd_code take_other(void *user, struct pd_record *rec, struct pd_error *error)
{
    struct pi_exporting *x = user;
    enum pd_code code = x->failed;
    if (!code && rec->type == PD_RECORD_CALLCHAIN_DEFERRED && rec->decoded)
        return pi_export_join(x, rec);
    if (!code)
        code = pi_offcpu_learn(&x->offcpu, x->chosen.reader, rec, error);
    if (!code)
        pi_export_note_change(x, rec);
    return code;
}

static enum pd_code export_records(struct pi_exporting *x)
{
    struct pd_record rec = {0};
    enum pd_code code = PD_OK;
    while (!code && (code = pi_chosen_next(&x->chosen, &rec, x->error)) == PD_OK) {
        if (x->failed)
            return x->failed;
        if (rec.attr)
            code = add_sample(x, &rec);
        *(rec.attr ? &x->all->stats.exported : &x->all->stats.unknown) += 1;
    }
    if (code == PD_END && x->failed)
        return x->failed;
    code = code == PD_END ? add_all_later(x) : code;
    return code ? code : pi_export_unjoined(x);
}

static enum pd_code make_places(struct pi_exporting *x)
{
    const size_t stacks = STACK_PLACES * sizeof *x->stack_places,
                 comms = COMM_PLACES * sizeof *x->comm_places;
    x->stack_places = pi_resize(x->allocator, NULL, stacks);
    x->comm_places = pi_resize(x->allocator, NULL, comms);
    if (x->stack_places == NULL || x->comm_places == NULL)
        return pi_fail(x->error, PD_ENOMEM, PD_NOWHERE, "stacks", 0, stacks + comms);
    memset(x->stack_places, 0, stacks);
    memset(x->comm_places, 0, comms);
    const enum pd_code code = pi_export_make_places(x);
    return code || !pi_export_is_branches(x->all) ? code : pi_branches_make_places(x);
}

/* ---- Samples that are taken before they are put in order */

static bool look_ahead(void *user, struct pd_record *rec, const struct pd_moment *when)
{
    return pi_changes_note(&((struct pi_exporting *)user)->changes, rec, when);
}

static void take_run(void *user, struct pd_reader *reader, struct pd_clock *clock, uint64_t settled,
                     uint64_t known)
{
    struct pi_exporting *x = user;
    if (pi_export_is_branches(x->all))
        pi_branches_take_run(x, reader, clock, settled, known);
    else
        pi_alike_take_run(&x->alike, reader, clock, settled, known);
}

static bool take_sample(void *user, struct pd_record *rec, uint64_t time, uint64_t settled)
{
    struct pi_exporting *x = user;
    return pi_export_is_branches(x->all) ? pi_branches_take(x, rec, time, settled)
                                         : pi_alike_take(&x->alike, rec, settled);
}

static void settle_taken(void *user)
{
    struct pi_exporting *x = user;
    pi_alike_settle(&x->alike);
    pi_branches_settle(x);
}

static enum pd_code open_taker(struct pi_exporting *x)
{
    struct pd_export *e = x->all;
    const enum pd_code code = pi_alike_init(&x->alike, x->allocator, e->stacks.limit, &x->changes, x->error);
    x->alike.count = e->options.count;
    x->alike.with_cpu = e->options.keys & PD_EXPORT_CPU;
    x->taker = (struct pi_taker){look_ahead, take_run, take_sample, x};
    e->stacks.settle = settle_taken;
    e->stacks.settle_user = x;
    return code;
}

static void close_taker(struct pi_exporting *x)
{
    settle_taken(x);
    pi_alike_free(&x->alike);
    pi_changes_free(&x->changes);
    x->all->stats.exported += x->alike.taken;
    x->all->stacks.settle = NULL;
}

static enum pd_code open_all(struct pi_exporting *x, struct pd_reader *reader)
{
    const struct pd_export_options *o = &x->all->options;
    const uint32_t origins = o->keys & PD_EXPORT_CGROUP ? PD_SESSION_ORIGINS : 0u;
    const struct pi_chosen_options how = {.selection = &x->select,
                                          .parts = PD_SESSION_TASKS | PD_SESSION_MAPPINGS | origins,
                                          .tag = name_mapping,
                                          .other = take_other,
                                          .tag_user = x,
                                          .few = true,
                                          .in_order = o->format == PD_EXPORT_PARQUET,
                                          .taker = o->format == PD_EXPORT_PARQUET ? NULL : &x->taker,
                                          .finding = o->finding,
                                          .progress = o->progress,
                                          .user = o->user};
    enum pd_code code = make_places(x);
    if (!code && o->format == PD_EXPORT_PARQUET && x->all->rows == NULL)
        code = pi_rows_open(&x->all->rows, x->all, reader, x->error);
    if (!code)
        code = open_taker(x);
    if (!code)
        code = pi_offcpu_open(&x->offcpu, reader, x->allocator, x->error);
    if (!code)
        code = pi_chosen_open(&x->chosen, reader, &how, x->error);
    return code;
}

static void close_all(struct pi_exporting *x)
{
    close_taker(x);
    pi_chosen_close(&x->chosen);
    pi_offcpu_close(&x->offcpu);
    pi_export_processes_free(&x->processes, x->allocator);
    for (size_t i = x->unjoined.first; i < x->unjoined.n; i++)
        pi_release(x->allocator, x->unjoined.all[i].frames);
    pi_release(x->allocator, x->unjoined.all);
    pi_release(x->allocator, x->frame_places);
    pi_release(x->allocator, x->frame_whats);
    pi_release(x->allocator, x->stack_places);
    pi_release(x->allocator, x->comm_places);
    pi_branches_free(x);
    pi_release(x->allocator, x->events);
    pi_release(x->allocator, x->text);
    pi_release(x->allocator, x->frames.all);
    pi_release(x->allocator, x->key);
    for (size_t i = 0; i < PI_EXPORT_LATER; i++)
        pi_release(x->allocator, x->later[i].key);
    pi_release(x->allocator, x->row.buf);
    pi_release(x->allocator, x->field_places);
}

enum pd_code pd_export_add(struct pd_export *e, struct pd_reader *reader,
                           const struct pd_filter_options *select, struct pd_error *error)
{
    const struct pd_allocator *allocator = e->options.allocator;
    uint64_t others = 0;
    struct pd_error own;
    struct pi_exporting x = {.all = e,
                             .error = error ? error : &own,
                             .allocator = allocator,
                             .processes.pids.allocator = allocator,
                             .changes.allocator = allocator,
                             .changes.ids.allocator = allocator,
                             .comm_generation = 1};
    enum pd_code code = PI_TAKE_OPTIONS(pd_filter_options, &x.select, select, x.error);
    if (code)
        return code;
    if (e->broken)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "export", 0, 0);
    x.row = (struct pd_out){.more = pd_out_grow, .user = e->allocator};
    x.select.allocator = allocator;
    x.keep = x.select.keep;
    x.drop = x.select.drop;
    x.select.keep.events = x.select.drop.events = NULL;
    x.select.keep.n_events = x.select.drop.n_events = 0;
    code = open_all(&x, reader);
    if (!code)
        code = export_records(&x);
    if (!code)
        code = note_declared(&x);
    e->stats.samples += x.chosen.samples;
    pi_reader_left_out(reader, &e->stats.samples, &others);
    close_all(&x);
    e->broken |= code != PD_OK;
    return code;
}
