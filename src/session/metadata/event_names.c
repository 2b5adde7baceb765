/* SPDX-License-Identifier: MIT */
/* event_names.c - the names of events, from all sources of names. */
#include "src/codec/parts.h"
#include "src/schema/fail.h"
#include "metadata.h"
#include "src/container/reader/reader_internal.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include "src/support/wrap.h"
#include <perfdata/session/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* A copy of a name of n bytes, with a NUL behind it. */
static char *copy_name(struct pd_metadata *m, const char *text, size_t n)
{
    char *p = pi_resize(m->allocator, NULL, n + 1);
    m->out_of_memory |= !p;
    if (p) {
        memcpy(p, text, n);
        p[n] = '\0';
    }
    return p;
}

/* The only copy of this text, valid until names are forgotten; NULL: no memory. */
PI_WRAPS static const char *the_text(struct pd_metadata *m, const char *text, size_t n)
{
    uint32_t known, hash = (uint32_t)XXH3_64bits_withSeed(text, n, m->key.before);
    for (; (known = pi_idmap_get(&m->by_text, hash)) != PI_IDMAP_NONE; hash++)
        if (strlen(m->texts[known]) == n && memcmp(m->texts[known], text, n) == 0)
            return m->texts[known];
    char *copy = copy_name(m, text, n);
    if (!copy || !pi_grow(m->allocator, (void **)&m->texts, m->n_texts, &m->cap_texts, sizeof *m->texts) ||
        !pi_idmap_add(&m->by_text, hash, (uint32_t)m->n_texts)) {
        pi_release(m->allocator, copy);
        m->out_of_memory = true;
        return NULL;
    }
    return m->texts[m->n_texts++] = copy;
}

/* ---- The event_types section. */

static enum pd_code keep_old_name(struct pd_metadata *m, const struct pd_event_type *type,
                                  struct pd_error *error)
{
    const char *name = (const char *)type->name;
    char *copy = copy_name(m, name, strnlen(name, sizeof type->name));
    if (!copy ||
        !pi_grow(m->allocator, (void **)&m->old_names, m->n_old, &m->cap_old, sizeof *m->old_names)) {
        pi_release(m->allocator, copy);
        return pi_meta_no_memory(error, sizeof type->name);
    }
    m->old_names[m->n_old++] = (struct pi_old_name){type->event_id, copy};
    return PD_OK;
}

enum pd_code pi_meta_read_old_names(struct pd_metadata *m, struct pd_reader *r, struct pd_error *error)
{
    const uint64_t offset = pd_reader_info(r)->header.event_types.offset;
    enum pd_code code = PD_OK;
    struct pd_error what;
    const size_t n = pd_reader_n_event_types(r);
    for (size_t i = 0;
         !code && i < n && pi_meta_charge(m, offset + i * PI_BYTES_event_type, PI_BYTES_event_type); i++) {
        struct pd_event_type type;
        code = pd_reader_event_type(r, i, &type, &what);
        if (!code)
            code = keep_old_name(m, &type, error);
        else if (pd_is_failure(code) && error)
            *error = what;
        else if (!pd_is_failure(code)) /* others may exist */
            code = PD_OK;
    }
    return pi_meta_noted(m, code, error);
}

/* ---- Tracepoints. */

const struct pd_tracepoints *pd_metadata_tracepoints(struct pd_metadata *m)
{
    const struct pd_feature *f = pi_meta_decoded(m, PD_FEAT_TRACING_DATA);
    if (f && !m->parsed) {
        m->parsed = true;
        const enum pd_code code = pd_tracepoints_new(&m->tracepoints, &f->u.tracing_data, m->allocator, NULL);
        if (code)
            m->tracepoints = NULL;
        m->out_of_memory |= code == PD_ENOMEM;
    }
    return m->tracepoints;
}

/* ---- All names are sorted once: there may be as many names as events to look up. */

static bool know(struct pd_metadata *m, enum pi_name_source source, uint64_t number, uint64_t type,
                 size_t order, const char *text, size_t len)
{
    if (!pi_grow(m->allocator, (void **)&m->known, m->n_known, &m->cap_known, sizeof *m->known)) {
        m->out_of_memory = true;
        return false;
    }
    m->known[m->n_known++] = (struct pi_known_name){source, number, type, order, text, len, NULL};
    return true;
}

/* The last update of an id counts; of the entries of event_types, the first. */
static bool know_records(struct pd_metadata *m)
{
    bool ok = true;
    for (size_t i = 0; ok && i < m->n_records; i++) {
        const struct pd_record *rec = &m->records[i]->rec;
        const struct pd_event_update *u = &rec->u.event_update;
        if (rec->type == PD_RECORD_EVENT_UPDATE && u->type == PD_EVENT_UPDATE_NAME)
            ok = know(m, PI_NAME_FROM_UPDATE, u->id, 0, SIZE_MAX - i, u->name.ptr, u->name.len);
        else if (rec->type == PD_RECORD_HEADER_EVENT_TYPE)
            ok = know(m, PI_NAME_FROM_OLD, rec->u.header_event_type.event_id, 0, m->n_old + i,
                      rec->u.header_event_type.name.ptr, rec->u.header_event_type.name.len);
    }
    for (size_t i = 0; ok && i < m->n_old; i++)
        ok = know(m, PI_NAME_FROM_OLD, m->old_names[i].id, 0, i, m->old_names[i].text,
                  strlen(m->old_names[i].text));
    return ok;
}

static bool know_desc(struct pd_metadata *m)
{
    const struct pd_feature *f = pi_meta_decoded(m, PD_FEAT_EVENT_DESC);
    struct pd_list l = f ? f->u.event_desc.events : (struct pd_list){0};
    struct pd_event_desc d;
    bool ok = true;
    for (uint32_t i = 0; ok && pd_event_desc_next(&l, &d); i++)
        ok = d.name.len == 0 || know(m, PI_NAME_FROM_DESC, i, 0, 0, d.name.ptr, d.name.len);
    return ok;
}

/* simpleperf: a line "name,type,config" for each event. */
static bool know_lines(struct pd_metadata *m, const struct pd_str *lines)
{
    const char *p = lines->ptr, *end = lines->ptr + lines->len;
    bool ok = true;
    for (size_t i = 0; ok && p < end; i++) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        const char *line_end = stop ? stop : end, *comma = memchr(p, ',', (size_t)(line_end - p));
        char numbers[64] = "";
        unsigned long long type, config;
        if (comma && (size_t)(line_end - comma) < sizeof numbers) {
            memcpy(numbers, comma + 1, (size_t)(line_end - comma) - 1);
            if (sscanf(numbers, "%llu,%llu", &type, &config) == 2)
                ok = know(m, PI_NAME_FROM_LINES, config, type, i, p, (size_t)(comma - p));
        }
        p = line_end + 1;
    }
    return ok;
}

static bool know_meta_info(struct pd_metadata *m)
{
    static const char key[] = "event_type_info";
    const struct pd_feature *f = pi_meta_decoded(m, PD_FEAT_SIMPLEPERF_META_INFO);
    struct pd_list l = f ? f->u.simpleperf_meta_info.entries : (struct pd_list){0};
    struct pd_meta_info e;
    while (pd_meta_info_next(&l, &e))
        if (e.key.len == sizeof key - 1 && memcmp(e.key.ptr, key, e.key.len) == 0)
            return know_lines(m, &e.value);
    return true;
}

static int by_number(const void *pa, const void *pb)
{
    const struct pi_known_name *a = pa, *b = pb;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    if (a->type != b->type)
        return a->type < b->type ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static bool index_names(struct pd_metadata *m)
{
    m->n_known = 0;
    m->indexed = know_records(m) && know_desc(m) && know_meta_info(m);
    if (m->indexed && m->n_known)
        qsort(m->known, m->n_known, sizeof *m->known, by_number);
    return m->indexed;
}

/* The first known name for this number, or NULL. */
static struct pi_known_name *find_name(const struct pd_metadata *m, enum pi_name_source source,
                                       uint64_t number, uint64_t type)
{
    const struct pi_known_name wanted = {source, number, type, 0, NULL, 0, NULL};
    size_t low = 0, high = m->n_known;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (by_number(&m->known[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    struct pi_known_name *k = low < m->n_known ? &m->known[low] : NULL;
    return k && k->source == source && k->number == number && k->type == type ? k : NULL;
}

/* The text up to a NUL, even if its length says more. */
static const char *text_of(struct pd_metadata *m, struct pi_known_name *k)
{
    if (k && !k->made)
        k->made = the_text(m, k->text, strnlen(k->text, k->len));
    return k ? k->made : NULL;
}

/* ---- Answers. */

/* Of the updates of an event's ids, the last one. */
static const char *name_from_update(struct pd_metadata *m, const struct pd_event_attr *e)
{
    struct pi_known_name *last = NULL;
    if (m->n_known == 0 || m->known[0].source != PI_NAME_FROM_UPDATE)
        return NULL;
    for (size_t i = 0; i < e->n_ids; i++) {
        struct pi_known_name *k = find_name(m, PI_NAME_FROM_UPDATE, e->ids[i], 0);
        if (k && (!last || k->order < last->order))
            last = k;
    }
    return text_of(m, last);
}

static const char *name_from_tracing(struct pd_metadata *m, const struct pd_attr *attr)
{
    const struct pd_tracepoints *t = attr->type == PD_TYPE_TRACEPOINT ? pd_metadata_tracepoints(m) : NULL;
    const struct pd_tracepoint *tp = t ? pd_tracepoints_by_id(t, attr->config) : NULL;
    if (!tp)
        return NULL;
    char name[PI_LIMIT_EVENT_NAME + 2]; /* a colon and a NUL */
    if (tp->system.len + tp->name.len > PI_LIMIT_EVENT_NAME) {
        struct pd_error e;
        pi_fail(&e, PD_ELIMIT, PD_NOWHERE, "name of an event in the tracing data",
                tp->system.len + tp->name.len, PI_LIMIT_EVENT_NAME);
        pi_meta_note(m, &e);
        return NULL;
    }
    snprintf(name, sizeof name, "%.*s:%.*s", (int)tp->system.len, tp->system.ptr, (int)tp->name.len,
             tp->name.ptr);
    return the_text(m, name, strlen(name));
}

static const char *make_name(struct pd_metadata *m, const struct pd_reader *r, uint32_t attr)
{
    const struct pd_event_attr *e = pd_reader_attr(r, attr);
    const char *name = name_from_update(m, e);
    if (!name)
        name = text_of(m, find_name(m, PI_NAME_FROM_DESC, attr, 0));
    if (!name)
        name = name_from_tracing(m, &e->attr);
    if (!name)
        name = text_of(m, find_name(m, PI_NAME_FROM_LINES, e->attr.config, e->attr.type));
    return name ? name : text_of(m, find_name(m, PI_NAME_FROM_OLD, e->attr.config, 0));
}

const char *pd_metadata_event_name(struct pd_metadata *m, const struct pd_reader *r, uint32_t attr)
{
    const size_t n = pd_reader_n_attrs(r);
    if (attr >= n)
        return NULL;
    if (n > m->n_names) {
        const char **names = pi_array(m->allocator, m->names, n, sizeof *names);
        m->out_of_memory |= !names;
        if (!names)
            return NULL;
        memset(names + m->n_names, 0, (n - m->n_names) * sizeof *names);
        m->names = names;
        m->n_names = n;
    }
    if (!m->names[attr] && (m->indexed || index_names(m)))
        m->names[attr] = make_name(m, r, attr);
    if (!m->names[attr])
        m->names[attr] = ""; /* so that the next sample does not search again */
    return m->names[attr] && *m->names[attr] ? m->names[attr] : NULL;
}

/* ---- Off-cpu events, which the reader needs to know. */

static bool is_offcpu(const struct pd_str *name)
{
    static const char offcpu[] = PD_OFFCPU_EVENT;
    return strnlen(name->ptr, name->len) == sizeof offcpu - 1 &&
           memcmp(name->ptr, offcpu, sizeof offcpu - 1) == 0;
}

void pi_meta_tell_desc(const struct pd_metadata *m, struct pd_reader *r)
{
    const struct pd_feature *f = pi_meta_decoded(m, PD_FEAT_EVENT_DESC);
    struct pd_list l = f ? f->u.event_desc.events : (struct pd_list){0};
    struct pd_event_desc d;
    for (uint32_t i = 0; pd_event_desc_next(&l, &d); i++)
        if (d.name.len)
            pi_reader_name_offcpu(r, i, is_offcpu(&d.name), false);
}

void pi_meta_tell_update(struct pd_reader *r, const struct pd_record *rec)
{
    struct pd_record copy = *rec;
    const struct pd_event_update *u = &copy.u.event_update;
    if (pd_reader_decode(r, &copy, NULL) == PD_OK && u->type == PD_EVENT_UPDATE_NAME)
        pi_reader_name_offcpu(r, pd_reader_find_id(r, u->id), is_offcpu(&u->name), true);
}
