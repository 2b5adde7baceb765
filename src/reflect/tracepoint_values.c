/* SPDX-License-Identifier: MIT */
/*
 * tracepoint_values.c - the values of fields that a format file describes, as numbers and bytes, as text and
 * as JSON. It needs one event's description, not the collection that tracepoint.c makes. Each place that the
 * description names is checked against the raw bytes.
 */
#include "emit.h"
#include "src/support/limits.h"
#include "reflect.h"
#include <perfdata/session/tracepoint.h>

/* ---- Values */

static uint64_t load_number(const uint8_t *p, const struct pd_tracepoint_field *f, enum pd_order order)
{
    const uint64_t value = pi_load(p, f->width, order);
    const unsigned shift = 64 - 8u * f->width;
    return f->is_signed ? (uint64_t)((int64_t)(value << shift) >> shift) : value;
}

/* Where a field's bytes are in the n raw bytes. */
static bool locate(const struct pd_tracepoint_field *f, enum pd_order order, const uint8_t *raw, size_t n,
                   uint64_t *at, uint64_t *size)
{
    *at = f->offset;
    *size = f->size;
    if (*at > n || *size > n - *at)
        return false;
    if (f->place == PD_TRACEPOINT_FIXED) {
        if (f->is_array && f->size == 0)
            *size = n - *at;
        return true;
    }
    const uint32_t word = pi_load32(raw + *at, order);
    *size = word >> 16;
    *at = (word & 0xffff) + (f->place == PD_TRACEPOINT_REL_LOC ? *at + 4 : 0);
    if (*size == 0)
        *at = 0; /* the kernel always sets the offset */
    return *at + *size <= n;
}

static struct pd_str text_in(struct pd_bytes b)
{
    const uint8_t *end = b.n ? memchr(b.ptr, 0, b.n) : NULL;
    return (struct pd_str){(const char *)b.ptr, end ? (size_t)(end - b.ptr) : b.n, b.n};
}

bool pd_tracepoint_value(const struct pd_tracepoint_field *f, enum pd_order order, const void *raw, size_t n,
                         struct pd_tracepoint_data *d)
{
    static const uint8_t nothing[1];
    const uint8_t *bytes = n ? raw : nothing;
    uint64_t at, size;
    *d = (struct pd_tracepoint_data){.field = f, .n = 1, .order = (uint8_t)order};
    if (!locate(f, order, bytes, n, &at, &size))
        return false;
    d->bytes = (struct pd_bytes){bytes + at, (size_t)size};
    switch (f->kind) {
    case PD_TRACEPOINT_NUMBER:
    case PD_TRACEPOINT_POINTER: d->number = load_number(d->bytes.ptr, f, order); break;
    case PD_TRACEPOINT_STRING:
        d->text = text_in(d->bytes);
        d->n = d->bytes.n;
        break;
    case PD_TRACEPOINT_ARRAY: d->n = d->bytes.n / f->width; break;
    default: d->n = d->bytes.n; break;
    }
    return true;
}

uint64_t pd_tracepoint_element(const struct pd_tracepoint_data *d, size_t i)
{
    return load_number(d->bytes.ptr + i * d->field->width, d->field, (enum pd_order)d->order);
}

/* ---- Text */

/* Hexadecimal digits have no sign: those of the field's own bytes, also where the line says that it is
 * signed. */
static uint64_t unsigned_value(const struct pd_tracepoint_field *f, uint64_t value)
{
    return f->width < 8 ? value & ((UINT64_C(1) << 8 * f->width) - 1) : value;
}

static void print_number(struct pd_out *out, const struct pd_tracepoint_field *f, uint64_t value)
{
    if (f->is_hex)
        pi_emit_hex(out, unsigned_value(f, value));
    else if (f->is_signed)
        pi_emit_sdec(out, value);
    else
        pi_emit_dec(out, value);
}

static void json_number(struct pd_out *out, const struct pd_tracepoint_field *f, uint64_t value)
{
    const struct pd_set *set = f->is_hex ? &pd_set_HEX : f->is_signed ? &pd_set_SDEC : &pd_set_DEC;
    pd_out_json_value(out, set, f->is_hex ? unsigned_value(f, value) : value, f->width);
}

typedef void put_number(struct pd_out *, const struct pd_tracepoint_field *, uint64_t);

static void put_array(struct pd_out *out, const struct pd_tracepoint_data *d, put_number *put)
{
    pi_emit_char(out, '[');
    for (size_t i = 0; i < d->n; i++) {
        if (i)
            pi_emit_char(out, ',');
        put(out, d->field, pd_tracepoint_element(d, i));
    }
    pi_emit_char(out, ']');
}

static void print_value(struct pd_out *out, const struct pd_tracepoint_data *d)
{
    switch (d->field->kind) {
    case PD_TRACEPOINT_NUMBER:
    case PD_TRACEPOINT_POINTER: print_number(out, d->field, d->number); break;
    case PD_TRACEPOINT_STRING: pd_out_plain(out, d->text.ptr, d->text.len); break;
    case PD_TRACEPOINT_ARRAY: put_array(out, d, print_number); break;
    default: pd_out_hex_bytes(out, d->bytes.ptr, d->bytes.n); break;
    }
}

static void json_value(struct pd_out *out, const struct pd_tracepoint_data *d)
{
    switch (d->field->kind) {
    case PD_TRACEPOINT_NUMBER:
    case PD_TRACEPOINT_POINTER: json_number(out, d->field, d->number); break;
    case PD_TRACEPOINT_STRING: pd_out_json_text(out, d->text.ptr, d->text.len); break;
    case PD_TRACEPOINT_ARRAY: put_array(out, d, json_number); break;
    default:
        pi_emit_char(out, '"');
        pd_out_hex_bytes(out, d->bytes.ptr, d->bytes.n);
        pi_emit_char(out, '"');
        break;
    }
}

/*
 * Any number of fields may claim all of the raw bytes, with names of any length; printing all of that for
 * each sample would give far more text than the file has bytes. Real fields do not overlap, and their names
 * have some hundred bytes in all.
 */
struct shown {
    const struct pd_tracepoint *event;
    const uint8_t *raw;
    size_t n;
    uint64_t room; /* remaining number of bytes of names and raw bytes to show */
    uint32_t next, left_out;
    enum pd_order order;
    bool common, any;                /* any: was shown */
    bool there;                      /* does the field have a value? */
    struct pd_tracepoint_data value; /* of the field */
};

static struct shown show_fields(const struct pd_tracepoint *e, enum pd_order order, const void *raw, size_t n,
                                unsigned flags)
{
    return (struct shown){.event = e,
                          .raw = raw,
                          .n = n,
                          .room = PI_LIMIT_FIELDS_SHOWN + PI_LIMIT_FIELDS_TIMES * (uint64_t)n,
                          .order = order,
                          .common = (flags & PD_TRACEPOINT_COMMON) != 0};
}

/* The next field for which there is room; NULL: that is all. `any` is not yet about this one. */
static const struct pd_tracepoint_field *next_shown(struct shown *s)
{
    while (s->next < s->event->n_fields) {
        const struct pd_tracepoint_field *const f = &s->event->fields[s->next++];
        uint64_t at, size = 0;
        if (f->is_common && !s->common)
            continue;
        s->there = locate(f, s->order, s->raw, s->n, &at, &size);
        const uint64_t takes = f->name.len + 1 + (s->there ? size : 0);
        if (takes <= s->room) {
            s->room -= takes;
            if (s->there)
                pd_tracepoint_value(f, s->order, s->raw, s->n, &s->value);
            return f;
        }
        s->left_out++;
    }
    return NULL;
}

/* How fields are written one behind the other; inlined, so that their lengths are known. */
struct look {
    const char *open, *between, *before_name, *behind_name, *missing, *left_out, *close;
    void (*value)(struct pd_out *out, const struct pd_tracepoint_data *value);
};

static inline __attribute__((always_inline)) void put_shown(struct pd_out *out, struct shown s,
                                                            const struct look *look)
{
    pi_emit_str(out, look->open);
    for (const struct pd_tracepoint_field *f; (f = next_shown(&s)) != NULL; s.any = true) {
        pi_emit_str(out, s.any ? look->between : "");
        pi_emit_str(out, look->before_name);
        pi_emit(out, f->name.ptr, f->name.len);
        pi_emit_str(out, look->behind_name);
        if (s.there)
            look->value(out, &s.value);
        else
            pi_emit_str(out, look->missing);
    }
    if (s.left_out) {
        pi_emit_str(out, s.any ? look->between : "");
        pi_emit_str(out, look->left_out);
        pi_emit_dec(out, s.left_out);
    }
    pi_emit_str(out, look->close);
}

void pd_tracepoint_print(const struct pd_tracepoint *e, enum pd_order order, const void *raw, size_t n,
                         unsigned flags, struct pd_out *out)
{
    static const struct look look = {"", " ", "", "=", "?", "...=", "", print_value};
    put_shown(out, show_fields(e, order, raw, n, flags), &look);
}

void pd_tracepoint_json(const struct pd_tracepoint *e, enum pd_order order, const void *raw, size_t n,
                        unsigned flags, struct pd_out *out)
{
    static const struct look look = {"{", ",", "\"", "\":", "null", "\"...\":", "}", json_value};
    put_shown(out, show_fields(e, order, raw, n, flags), &look);
}
