/* SPDX-License-Identifier: MIT */
/*
 * fuzz_tracing.c - tracing data of any bytes: its events can be found by number and name, fields and their
 * values are inside the bytes they were taken from, and the text of raw bytes is complete, and valid as JSON.
 * Checks R1, R2, R3, R5, R10, R12.
 *
 * Input: a byte whose lowest bit is the order, the number of raw bytes, these, then the section.
 */
#include "harness.h"
#include "mutator.h"
#include <jansson.h>
#include <perfdata/feature.h>
#include <perfdata/session/tracepoint.h>

#define MOST 60000
#define RAW_AT 2

struct trial {
    const uint8_t *raw, *text;
    size_t n_raw, n_text;
};

static bool is_inside(const void *part, size_t n, const void *whole, size_t size)
{
    const uintptr_t p = (uintptr_t)part, w = (uintptr_t)whole;
    return n == 0 || (p >= w && p - w <= size && n <= size - (p - w));
}

static void check_value(const struct trial *t, const struct pd_tracepoint *tp,
                        const struct pd_tracepoint_field *f)
{
    struct pd_tracepoint_data d;
    uint8_t *raw = malloc(t->n_raw); /* of exactly this size */
    CHECK(raw || t->n_raw == 0);
    if (t->n_raw)
        memcpy(raw, t->raw, t->n_raw);
    if (pd_tracepoint_value(f, (enum pd_order)tp->order, raw, t->n_raw, &d)) {
        CHECK(d.field == f && is_inside(d.bytes.ptr, d.bytes.n, raw, t->n_raw));
        CHECK(is_inside(d.text.ptr, d.text.size, raw, t->n_raw) && d.text.len <= d.text.size);
        CHECK(f->kind != PD_TRACEPOINT_ARRAY || (f->width && d.n == d.bytes.n / f->width));
        for (size_t i = 0; f->kind == PD_TRACEPOINT_ARRAY && i < d.n; i++)
            CHECK(f->width == 8 || f->is_signed || pd_tracepoint_element(&d, i) >> 8 * f->width == 0);
    }
    free(raw);
}

static void check_field(const struct trial *t, const struct pd_tracepoint *tp,
                        const struct pd_tracepoint_field *f)
{
    CHECK(f->name.len && is_inside(f->name.ptr, f->name.len, t->text, t->n_text));
    CHECK(is_inside(f->type.ptr, f->type.len, t->text, t->n_text));
    CHECK(f->kind <= PD_TRACEPOINT_BYTES && f->place <= PD_TRACEPOINT_REL_LOC);
    CHECK(f->kind == PD_TRACEPOINT_BYTES ? f->width == 0
                                         : f->width && f->width <= 8 && !(f->width & (f->width - 1)));
    CHECK(pd_tracepoint_find(tp, f->name.ptr, f->name.len) == f); /* a name is there once */
    check_value(t, tp, f);
}

static void check_text(const struct trial *t, const struct pd_tracepoint *tp, unsigned flags)
{
    struct pd_out out = {.more = pd_out_grow};
    pd_tracepoint_print(tp, (enum pd_order)tp->order, t->raw, t->n_raw, flags, &out);
    CHECK(out.lost == 0 && (out.n == 0 || !memchr(out.buf, '\n', out.n)));
    out.n = 0;
    pd_tracepoint_json(tp, (enum pd_order)tp->order, t->raw, t->n_raw, flags, &out);
    json_t *json = json_loadb(out.buf, out.n, 0, NULL);
    CHECK(out.lost == 0 && json_is_object(json));
    json_decref(json);
    free(out.buf);
}

static void check_name(const struct pd_tracepoints *all, const struct pd_tracepoint *tp)
{
    const size_t n = tp->system.len + 1 + tp->name.len;
    char *name = malloc(n);
    CHECK(name);
    memcpy(name, tp->system.ptr, tp->system.len);
    name[tp->system.len] = ':';
    memcpy(name + tp->system.len + 1, tp->name.ptr, tp->name.len);
    const struct pd_tracepoint *first = pd_tracepoints_by_name(all, name, n);
    CHECK(memchr(name, ':', tp->system.len) || (first && first->index <= tp->index));
    free(name);
}

static void check_tracepoint(const struct trial *t, const struct pd_tracepoints *all, size_t i)
{
    const struct pd_tracepoint *tp = pd_tracepoints_at(all, i), *first = pd_tracepoints_by_id(all, tp->id);
    CHECK(tp->index == i && first && first->id == tp->id && first->index <= i);
    check_name(all, tp);
    for (uint32_t k = 0; k < tp->n_fields && k < 100; k++)
        check_field(t, tp, &tp->fields[k]);
    if (i < 20) {
        check_text(t, tp, 0);
        check_text(t, tp, PD_TRACEPOINT_COMMON);
    }
}

static void check_all(const struct trial *t, const struct pd_tracepoints *all)
{
    CHECK(pd_tracepoints_at(all, 0) || pd_tracepoints_n(all) == 0);
    for (size_t i = 0; i < pd_tracepoints_n(all); i++)
        check_tracepoint(t, all, i);
}

/* As an event's format file, too. */
static void check_added(const struct trial *t, const struct pd_allocator *allocator)
{
    struct pd_tracepoints *one;
    struct pd_error error = {0};
    CHECK(pd_tracepoints_new(&one, NULL, allocator, NULL) == PD_OK);
    const enum pd_code code = pd_tracepoints_add(one, "system", (const char *)t->text, t->n_text, 8, &error);
    CHECK(code == PD_OK || (code == PD_EVALUE && error.code == code && error.field));
    CHECK(pd_tracepoints_n(one) == (code == PD_OK));
    check_all(t, one);
    pd_tracepoints_free(one);
}

static void check_section(const struct trial *t, enum pd_order order, const struct pd_allocator *allocator)
{
    struct pd_feature f;
    struct pd_tracepoints *all;
    struct pd_error error = {0};
    size_t n = 0;
    if (pd_feature_decode(order, PD_FEAT_TRACING_DATA, 0, t->text, t->n_text, &f, &error)) {
        CHECK(error.field && error.offset <= t->n_text);
        return;
    }
    if (!f.layout) /* empty */
        return;
    CHECK(pd_tracepoints_new(&all, &f.u.tracing_data, allocator, NULL) == PD_OK);
    check_all(t, all);
    pd_tracepoints_free(all);
    uint8_t *out = malloc(t->n_text);
    CHECK(out && pd_feature_encode(order, &f, out, t->n_text, &n, NULL) == PD_OK);
    CHECK(n == t->n_text && memcmp(out, t->text, n) == 0);
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct heap heap = {0};
    const struct pd_allocator allocator = {heap_resize, heap_release, &heap};
    if (size < RAW_AT || size > MOST || size - RAW_AT < data[1])
        return 0;
    const struct trial t = {data + RAW_AT, data + RAW_AT + data[1], data[1], size - RAW_AT - data[1]};
    check_section(&t, data[0] & 1 ? PD_BIG : PD_LITTLE, &allocator);
    check_added(&t, &allocator);
    CHECK(heap.peak <= 16 * t.n_text + 65536);
    CHECK(heap.blocks == 0 && heap.bytes == 0);
    return 0;
}

/* ---- Changes that keep the sizes of texts */

/* A format file of the section, chosen at random; false: there is none. */
static bool pick_format(struct mutation *m, size_t at, struct pd_format_file *file, enum pd_order *order)
{
    struct pd_feature f;
    struct pd_event_system system;
    struct pd_format_file one;
    uint64_t seen = 0;
    if (pd_feature_decode(m->order, PD_FEAT_TRACING_DATA, 0, m->data + at, m->size - at, &f, NULL) ||
        !f.layout)
        return false;
    *order = f.u.tracing_data.bigendian ? PD_BIG : PD_LITTLE;
    struct pd_list list = f.u.tracing_data.ftrace, systems = f.u.tracing_data.systems;
    do {
        while (pd_format_file_next(&list, &one))
            if (one.text.n && mutation_random(m, ++seen) == 0)
                *file = one;
    } while (pd_event_system_next(&systems, &system) && (list = system.events, true));
    return seen != 0;
}

/* Some bytes of a format file are taken away, or said twice. */
static void mutate_format(struct mutation *m, size_t at)
{
    struct pd_format_file file;
    enum pd_order order;
    if (!pick_format(m, at, &file, &order))
        return;
    const size_t start = (size_t)(file.text.ptr - m->data),
                 from = start + (size_t)mutation_random(m, file.text.n);
    size_t n = 1 + (size_t)mutation_random(m, 40);
    n = n < start + file.text.n - from ? n : start + file.text.n - from;
    if (mutation_random(m, 2) && n <= m->max - m->size) {
        memmove(m->data + from + n, m->data + from, m->size - from);
        m->size += n;
        pi_store64(m->data + start - 8, file.text.n + n, order);
    } else {
        memmove(m->data + from, m->data + from + n, m->size - from - n);
        m->size -= n;
        pi_store64(m->data + start - 8, file.text.n - n, order);
    }
}

/* A digit for another. */
static void mutate_digit(struct mutation *m, size_t at)
{
    size_t p = at + (size_t)mutation_random(m, m->size - at);
    while (p < m->size && (m->data[p] < '0' || m->data[p] > '9'))
        p++;
    if (p < m->size)
        m->data[p] = (uint8_t)('0' + mutation_random(m, 10));
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    struct mutation m = {.data = data, .size = size, .max = max, .state = seed};
    const size_t at = size > RAW_AT ? RAW_AT + (size_t)data[1] : size;
    if (at >= size || mutation_random(&m, 4) == 0)
        return mutate_blindly(data, size, max);
    m.order = data[0] & 1 ? PD_BIG : PD_LITTLE;
    switch (mutation_random(&m, 4)) {
    case 0: mutate_format(&m, at); break;
    case 1: mutate_in_place(&m, RAW_AT, at - RAW_AT); break;
    case 2: mutate_in_place(&m, at, m.size - at); break;
    default: mutate_digit(&m, at); break;
    }
    return m.size;
}
