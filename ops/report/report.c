/* SPDX-License-Identifier: MIT */
/* report.c - sums of what a recording's samples counted, by task, file, cpu, cgroup or time. */
#define _GNU_SOURCE
#include "ops/filter/build_id.h"
#include "ops/filter/chosen.h"
#include "src/schema/fail.h"
#include "src/schema/options.h"
#include "src/session/record_words.h"
#include "src/support/limits.h"
#include "src/support/scale.h"
#include "src/support/texts.h"
#include "src/support/wrap.h"
#include <perfdata/ops/report.h>
#include <stdio.h>
#include <stdlib.h>
#include <assert.h>

static_assert((int)PD_REPORT_MOST_KEYS == (int)PI_LIMIT_REPORT_KEYS, "the table of limits");

struct event {
    struct pd_report_event is; /* first: what is handed out */
    struct pd_report_row *rows;
    size_t cap;
    bool unwanted; /* the selection excludes what it counts */
};

struct pd_report {
    struct pd_report_options options;
    const struct pd_allocator *allocator;
    enum pd_report_key keys[PD_REPORT_MOST_KEYS];
    struct pd_filter_options selection; /* without events: a sample of another may count them */
    struct pd_filter_lists keep, drop;  /* as given */
    struct event *events;               /* see place_of() */
    size_t n_events, events_cap;
    size_t *shown; /* events with samples */
    size_t n_shown;
    struct pi_texts texts;
    uint32_t unknown;     /* numbers of texts */
    struct pi_ids places; /* from hashes of event and values to rows */
    struct pi_key key;
    uint64_t bytes; /* of rows */
    bool damaged, no_memory;
};

static enum pd_code fail_memory(struct pd_error *error)
{
    return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "report", 0, 0);
}

/* ---- Values of a sample */

static uint32_t number_text(struct pd_report *r, const char *text)
{
    uint32_t number = 0;
    r->no_memory |= !pi_texts_add(&r->texts, text, strlen(text), &number);
    return number;
}

static uint32_t tag_dso(void *user, const struct pd_mapping *m)
{
    char name[UINT16_MAX + 1];
    pd_mapping_short_name(m, name, sizeof name);
    return number_text(user, name);
}

static uint32_t find_comm(struct pd_report *r, struct pd_session *session, uint32_t tid)
{
    char number[16];
    const struct pd_session_task *task = pd_session_find_task(session, tid);
    if (task && *task->comm)
        return number_text(r, task->comm);
    snprintf(number, sizeof number, ":%d", (int)tid);
    return number_text(r, number);
}

static uint32_t find_dso(const struct pd_report *r, struct pi_chosen *c, const struct pd_record *rec)
{
    bool has;
    const struct pd_mapping *m = pi_sample_mapping(c->session, rec, &has);
    return m ? pi_chosen_tag(m) : r->unknown;
}

static uint32_t find_function(struct pd_report *r, struct pi_chosen *c, const struct pd_record *rec)
{
    const struct pd_report_options *o = &r->options;
    struct pd_symbol symbol;
    char file[UINT16_MAX + 1], id[41] = "";
    uint64_t ip;
    bool has;
    const struct pd_mapping *m = pi_sample_mapping(c->session, rec, &has);
    if (m == NULL || !pi_word_ip(rec, &ip))
        return r->unknown;
    if (m->kind == PD_MAPPING_SYMBOL)
        return number_text(r, m->file);
    pd_mapping_dso(m, file, sizeof file);
    pi_mapping_build_id(m, c->reader, o->build_id, o->user, id);
    return o->symbol(o->user, file, id, pd_mapping_offset(m, ip), &symbol) ? number_text(r, symbol.name)
                                                                           : r->unknown;
}

static uint32_t find_cgroup(struct pd_report *r, const struct pd_session *session, uint64_t id)
{
    const char *path = id ? pd_session_find_cgroup(session, id) : "N/A";
    return number_text(r, path ? path : "unknown");
}

/* The part of the time that a sample is in; the last part includes the last moment. */
static uint64_t find_slice(const struct pd_report_options *o, const struct pi_subject *s)
{
    const uint64_t span = o->last - o->first;
    if (s->time == UINT64_MAX || s->time < o->first || s->time > o->last)
        return UINT64_MAX;
    const uint64_t at = pi_scale(o->slices, s->time - o->first, span ? span : 1, NULL);
    return at < o->slices ? at : o->slices - 1;
}

static uint64_t find_value(struct pd_report *r, struct pi_chosen *c, const struct pi_subject *s,
                           enum pd_report_key key)
{
    const struct pd_record *rec = s->rec;
    uint64_t cgroup;
    switch (key) {
    case PD_KEY_COMM: return find_comm(r, c->session, s->tid);
    case PD_KEY_DSO: return find_dso(r, c, rec);
    case PD_KEY_PID: return s->pid;
    case PD_KEY_TID: return s->tid;
    case PD_KEY_CPU: return s->cpu;
    case PD_KEY_CGROUP: return find_cgroup(r, c->session, pi_sample_cgroup(rec, &cgroup) ? cgroup : 0);
    case PD_KEY_SYM: return find_function(r, c, rec);
    case PD_KEY_TIME: return find_slice(&r->options, s);
    default: return 0; /* of the event, which is known later */
    }
}

/* ---- Rows */

PI_WRAPS static uint64_t hash_row(const struct pd_report *r, size_t event, const uint64_t *values)
{
    uint64_t h = pi_keyed(&r->key, event);
    for (size_t i = 0; i < r->options.n_keys; i++)
        h = pi_keyed(&r->key, h ^ values[i]);
    return h;
}

static uint64_t add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* The row of these values, a new one if there was none; NULL: no memory. */
PI_WRAPS static struct pd_report_row *find_row(struct pd_report *r, struct event *e, const uint64_t *values)
{
    uint64_t hash = hash_row(r, (size_t)(e - r->events), values), at;
    const size_t size = r->options.n_keys * sizeof *values;
    for (; pi_ids_get(&r->places, hash, &at); hash++)
        if (at >> 32 == (uint64_t)(e - r->events) && memcmp(e->rows[(uint32_t)at].values, values, size) == 0)
            return &e->rows[(uint32_t)at];
    at = (uint64_t)(e - r->events) << 32 | e->is.n_rows;
    if (e->is.n_rows >= UINT32_MAX ||
        !pi_grow(r->allocator, (void **)&e->rows, e->is.n_rows, &e->cap, sizeof *e->rows) ||
        !pi_ids_set(&r->places, hash, at))
        return NULL;
    struct pd_report_row *row = &e->rows[e->is.n_rows++];
    *row = (struct pd_report_row){0};
    memcpy(row->values, values, size);
    r->bytes += 2 * sizeof *row + 4 * sizeof *r->places.slots;
    return row;
}

/* Takes events that have come since: the attrs of a stream are among its records. */
static bool add_events(struct pd_report *r, size_t n)
{
    while (r->n_events <= n) {
        if (!pi_grow(r->allocator, (void **)&r->events, r->n_events, &r->events_cap, sizeof *r->events))
            return false;
        const uint32_t attr = r->n_events ? (uint32_t)r->n_events - 1 : UINT32_MAX;
        r->events[r->n_events++] =
            (struct event){.is.attr_index = attr,
                           .unwanted = (r->keep.events && !pi_chosen_lists(&r->keep, attr)) ||
                                       pi_chosen_lists(&r->drop, attr)};
    }
    return true;
}

/* Number 0 is for unknown events, since attrs may still come. */
static size_t place_of(uint32_t attr)
{
    return attr == UINT32_MAX ? 0 : (size_t)attr + 1;
}

static enum pd_code count(struct pd_report *r, const struct pi_counted *counted, uint64_t *values,
                          struct pd_error *error)
{
    const size_t place = place_of(counted->attr_index);
    if (!add_events(r, place))
        return fail_memory(error);
    struct event *e = &r->events[place];
    if (e->unwanted)
        return PD_OK;
    for (size_t i = 0; i < r->options.n_keys; i++)
        if (r->keys[i] == PD_KEY_EVENT)
            values[i] = counted->attr_index;
    struct pd_report_row *row = find_row(r, e, values);
    if (row == NULL || r->no_memory)
        return fail_memory(error);
    if (r->bytes + r->texts.bytes > r->options.memory)
        return pi_fail(error, PD_ELIMIT, PD_NOWHERE, "memory of the report", r->bytes + r->texts.bytes,
                       r->options.memory);
    row->samples++;
    row->period = add(row->period, counted->period);
    e->is.samples++;
    e->is.period = add(e->is.period, counted->period);
    return PD_OK;
}

static enum pd_code take(struct pd_report *r, struct pi_chosen *c, const struct pd_record *rec,
                         struct pd_error *error)
{
    uint64_t values[PD_REPORT_MOST_KEYS];
    struct pi_subject s;
    struct pi_counted counted;
    enum pd_code code;
    pi_subject_init(&s, rec);
    for (size_t i = 0; i < r->options.n_keys; i++)
        values[i] = find_value(r, c, &s, r->keys[i]);
    pi_counts_begin(&c->counts);
    while ((code = pi_counts_next(&c->counts, c->reader, rec, &counted)) == PD_OK)
        if ((code = count(r, &counted, values, error)) != PD_OK)
            return code;
    return code == PD_END ? PD_OK : fail_memory(error);
}

/* ---- All of it */

/* Compares rows by period, then by their values as they are shown. */
static int compare_values(const struct pd_report *r, enum pd_report_key key, uint64_t a, uint64_t b)
{
    const char *x = pd_report_text(r, key, a), *y = pd_report_text(r, key, b);
    if (x && y)
        return strcmp(x, y);
    return (a > b) - (a < b);
}

static int compare_rows(const void *a, const void *b, void *user)
{
    const struct pd_report_row *x = a, *y = b;
    const struct pd_report *r = user;
    int order = (y->period > x->period) - (y->period < x->period);
    for (size_t i = 0; order == 0 && i < r->options.n_keys; i++)
        order = compare_values(r, r->keys[i], x->values[i], y->values[i]);
    return order;
}

static enum pd_code order_events(struct pd_report *r, struct pd_error *error)
{
    r->shown = pi_array(r->allocator, NULL, r->n_events + 1, sizeof *r->shown);
    if (r->shown == NULL)
        return fail_memory(error);
    for (size_t i = 1; i <= r->n_events; i++) {
        const size_t place = i < r->n_events ? i : 0; /* unknown events last */
        struct event *e = &r->events[place];
        if (r->n_events == 0 || e->is.n_rows == 0)
            continue;
        qsort_r(e->rows, e->is.n_rows, sizeof *e->rows, compare_rows, r);
        e->is.rows = e->rows;
        r->shown[r->n_shown++] = place;
    }
    return PD_OK;
}

static uint32_t parts_of(const struct pd_report *r)
{
    uint32_t parts = 0;
    for (size_t i = 0; i < r->options.n_keys; i++)
        parts |= r->keys[i] == PD_KEY_COMM     ? PD_SESSION_TASKS
                 : r->keys[i] == PD_KEY_DSO    ? PD_SESSION_MAPPINGS
                 : r->keys[i] == PD_KEY_SYM    ? PD_SESSION_MAPPINGS
                 : r->keys[i] == PD_KEY_CGROUP ? PD_SESSION_ORIGINS
                                               : 0u;
    return parts;
}

static enum pd_code read_all(struct pd_report *r, struct pd_reader *reader, struct pd_error *error)
{
    struct pi_chosen c;
    struct pd_record rec = {0};
    const struct pi_chosen_options how = {.selection = &r->selection,
                                          .parts = parts_of(r),
                                          .tag = tag_dso,
                                          .finding = r->options.finding,
                                          .progress = r->options.progress,
                                          .user = r->options.user,
                                          .tag_user = r};
    enum pd_code code = pi_chosen_open(&c, reader, &how, error);
    while (!code && (code = pi_chosen_next(&c, &rec, error)) == PD_OK)
        code = take(r, &c, &rec, error);
    r->damaged = c.damaged;
    pi_chosen_close(&c);
    return code == PD_END ? PD_OK : code;
}

static bool are_keys(const struct pd_report_options *o)
{
    unsigned seen = 0;
    for (size_t i = 0; i < o->n_keys && i < PD_REPORT_MOST_KEYS; i++) {
        if ((unsigned)o->keys[i] > PD_KEY_SYM || seen & 1u << o->keys[i])
            return false;
        seen |= 1u << o->keys[i];
        if (o->keys[i] == PD_KEY_SYM && !o->symbol)
            return false;
        if (o->keys[i] == PD_KEY_TIME && (o->slices == 0 || o->last < o->first))
            return false;
    }
    return o->n_keys >= 1 && o->n_keys <= PD_REPORT_MOST_KEYS;
}

static enum pd_code take_options(struct pd_report *r, const struct pd_report_options *o,
                                 struct pd_error *error)
{
    enum pd_code code = PD_OK;
    if (o->selection)
        code = PI_TAKE_OPTIONS(pd_filter_options, &r->selection, o->selection, error);
    if (code)
        return code;
    r->options = *o;
    if (o->memory == 0)
        r->options.memory = PI_LIMIT_REPORT;
    memcpy(r->keys, o->keys, o->n_keys * sizeof *o->keys);
    r->keep = r->selection.keep;
    r->drop = r->selection.drop;
    r->selection.keep.events = r->selection.drop.events = NULL;
    r->selection.keep.n_events = r->selection.drop.n_events = 0;
    r->texts.allocator = r->places.allocator = r->allocator;
    r->key = pi_key_draw();
    r->unknown = number_text(r, "[unknown]");
    return r->no_memory ? fail_memory(error) : PD_OK;
}

enum pd_code pd_report_new(struct pd_report **out, struct pd_reader *reader,
                           const struct pd_report_options *options, struct pd_error *error)
{
    static const enum pd_report_key usual[] = {PD_KEY_COMM, PD_KEY_DSO};
    struct pd_report_options own;
    enum pd_code code = PI_TAKE_OPTIONS(pd_report_options, &own, options, error);
    if (code)
        return code;
    if (own.n_keys == 0) {
        own.keys = usual;
        own.n_keys = sizeof usual / sizeof *usual;
    }
    if (!are_keys(&own))
        return pi_fail(error, PD_EARG, PD_NOWHERE, "keys", own.n_keys, PD_REPORT_MOST_KEYS);
    const struct pd_allocator *allocator = own.selection ? own.selection->allocator : NULL;
    struct pd_report *r = pi_resize(allocator, NULL, sizeof *r);
    if (r == NULL)
        return fail_memory(error);
    *r = (struct pd_report){.allocator = allocator};
    code = take_options(r, &own, error);
    if (!code)
        code = read_all(r, reader, error);
    if (!code)
        code = order_events(r, error);
    if (code)
        pd_report_free(r);
    else
        *out = r;
    return code;
}

void pd_report_free(struct pd_report *r)
{
    if (r == NULL)
        return;
    for (size_t i = 0; i < r->n_events; i++)
        pi_release(r->allocator, r->events[i].rows);
    pi_release(r->allocator, r->events);
    pi_release(r->allocator, r->shown);
    pi_texts_free(&r->texts);
    pi_ids_free(&r->places);
    pi_release(r->allocator, r);
}

size_t pd_report_n_events(const struct pd_report *r)
{
    return r->n_shown;
}

const struct pd_report_event *pd_report_get_event(const struct pd_report *r, size_t i)
{
    return i < r->n_shown ? &r->events[r->shown[i]].is : NULL;
}

const char *pd_report_text(const struct pd_report *r, enum pd_report_key key, uint64_t value)
{
    const bool is_text = key == PD_KEY_COMM || key == PD_KEY_DSO || key == PD_KEY_SYM || key == PD_KEY_CGROUP;
    return is_text && value < r->texts.n ? r->texts.all[value] : NULL;
}

bool pd_report_is_damaged(const struct pd_report *r)
{
    return r->damaged;
}
