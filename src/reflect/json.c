/* SPDX-License-Identifier: MIT */
/*
 * json.c - records and attrs as JSON, by way of the schema's tables; the rules are in
 * perfdata/session/text.h.
 */
#include "emit.h"
#include "reflect.h"
#include "straight.h"
#include "command_text.h"
#include "src/codec/variant.h"
#include "src/schema/schema.h"
#include <perfdata/feature.h>
#include <perfdata/session/tracepoint.h>

/* An object under construction. */
struct json {
    struct pd_out *out;
    const struct pd_shape *shape;
    bool empty; /* nothing in the object so far */
    bool plain; /* without counts and sizes */
    bool apart; /* without the raw data of a sample, which is shown taken apart */
};

static void put_separator(struct json *j)
{
    if (!j->empty)
        pi_emit_char(j->out, ',');
    j->empty = false;
}

static void put_key(struct json *j, const char *name)
{
    put_separator(j);
    pi_emit_char(j->out, '"');
    pi_emit_str(j->out, name);
    PI_EMIT(j->out, "\":");
}

/* The same of a constant name. */
#define PUT_KEY(j_, name_)                    \
    do {                                      \
        put_separator(j_);                    \
        PI_EMIT((j_)->out, "\"" name_ "\":"); \
    } while (0)

static void put_bytes(struct json *j, const void *bytes, size_t n)
{
    pi_emit_char(j->out, '"');
    pd_out_hex_bytes(j->out, bytes, n);
    pi_emit_char(j->out, '"');
}

static void put_hex(struct json *j, const char *name, const void *bytes, size_t n)
{
    put_key(j, name);
    put_bytes(j, bytes, n);
}

static void put_str(struct json *j, const struct pd_op *op, const struct pd_str *s)
{
    put_key(j, op->name);
    pd_out_json_text(j->out, s->ptr, s->len);
    if (pi_str_is_plain(op, s))
        return;
    PI_EMIT(j->out, ",\"");
    pi_emit_str(j->out, op->name);
    PI_EMIT(j->out, "_pad\":");
    if (s->ptr)
        put_bytes(j, s->ptr + s->len, s->size - s->len);
    else
        put_bytes(j, NULL, 0);
}

static void put_vec(struct json *j, const struct pd_op *op, const struct pd_vec *v)
{
    put_key(j, op->name);
    pi_emit_char(j->out, '[');
    for (size_t i = 0; i < v->n; i++) {
        if (i)
            pi_emit_char(j->out, ',');
        pd_out_json_value(j->out, op->set, pd_vec_at(v, i), pi_vec_width(op));
    }
    pi_emit_char(j->out, ']');
}

static void put_object(const struct json *j, const struct pd_op *head, const void *v);

static void put_list(struct json *j, const struct pd_op *op, const struct pd_list *list)
{
    _Alignas(8) uint8_t element[PI_ELEMENT_MAX];
    struct pd_list l = *list;
    put_key(j, op->name);
    pi_emit_char(j->out, '[');
    while (pi_list_take(&l, op->sub(), element)) {
        put_object(j, op->sub(), element);
        if (l.n)
            pi_emit_char(j->out, ',');
    }
    pi_emit_char(j->out, ']');
}

/* Prints the fields that are present: all that the number covers. */
static bool is_counted(const struct pd_op *op)
{
    switch (op->kind) {
    case PI_OP_VEC16:
    case PI_OP_VEC32:
    case PI_OP_VEC64:
    case PI_OP_VECR64:
    case PI_OP_BYTES:
    case PI_OP_LIST:
    case PI_OP_ITEMS:
    case PI_OP_ITEMSR:
    case PI_OP_SIZED: return op->ref != NULL;
    default: return false;
    }
}

static bool is_count(const struct pd_op *op)
{
    for (const struct pd_op *o = op + 1; o->kind != PI_OP_END; o++)
        if (is_counted(o) && strcmp(o->ref, op->name) == 0)
            return true;
    return false;
}

static void put_number(struct json *j, const struct pd_op *op, const void *v)
{
    if (j->plain && is_count(op))
        return;
    put_key(j, op->name);
    pd_out_json_value(j->out, op->set, pi_scalar_value(op, v),
                      op->kind == PI_OP_VARINT ? 8 : pi_scalar_width(op));
}

static void put_sized(const struct json *j, const struct pd_op *head, const void *v, uint32_t size);

static void put_field(struct json *j, const struct pd_op *op, const void *v)
{
    const void *member = (const uint8_t *)v + op->offset;
    const struct pd_bytes *bytes = member;
    switch (op->kind) {
    case PI_OP_ARR: put_hex(j, op->name, member, (size_t)op->arg); break;
    case PI_OP_STR:
    case PI_OP_CSTR:
    case PI_OP_STR64:
    case PI_OP_STRV:
    case PI_OP_STRN:
    case PI_OP_STRMAX:
    case PI_OP_SLOT: put_str(j, op, member); break;
    case PI_OP_VEC16:
    case PI_OP_VEC32:
    case PI_OP_VEC64:
    case PI_OP_VECR64:
    case PI_OP_GRID64:
    case PI_OP_REGS: put_vec(j, op, member); break;
    case PI_OP_BYTES: put_hex(j, op->name, bytes->ptr, bytes->n); break;
    case PI_OP_REST:
        if (bytes->n)
            put_hex(j, op->name, bytes->ptr, bytes->n);
        break;
    case PI_OP_LIST:
    case PI_OP_ITEMS:
    case PI_OP_ITEMSR:
    case PI_OP_MESSAGE: put_list(j, op, member); break;
    case PI_OP_SIZED:
    case PI_OP_ATTR:
        put_key(j, op->name);
        put_sized(j, op->sub(), member, pi_stated_size(op, j->shape, v));
        break;
    case PI_OP_SUB:
        if (j->apart && op->sub() == pi_layout_raw_data())
            break;
        put_key(j, op->name);
        put_object(j, op->sub(), member);
        break;
    case PI_OP_OPT64:
        if (pi_count(op, j->shape, v))
            put_number(j, op, v);
        break;
    default: put_number(j, op, v); break;
    }
}

static void put_fields(struct json *j, const struct pd_op *op, const void *v)
{
    for (op = pi_visible(op, j->shape, v); op->kind != PI_OP_END; op = pi_visible(op + 1, j->shape, v))
        put_field(j, op, v);
}

static void put_object(const struct json *j, const struct pd_op *head, const void *v)
{
    struct json inner = {j->out, j->shape, true, j->plain, j->apart};
    pi_emit_char(j->out, '{');
    put_fields(&inner, head, v);
    pi_emit_char(j->out, '}');
}

/* A part of stated size: without the numbers that it has no room for. */
static void put_sized(const struct json *j, const struct pd_op *head, const void *v, uint32_t size)
{
    struct json inner = {j->out, j->shape, true, j->plain, j->apart};
    uint32_t at = 0;
    pi_emit_char(j->out, '{');
    for (const struct pd_op *op = pi_visible(head, j->shape, v); op->kind != PI_OP_END;
         op = pi_visible(op + 1, j->shape, v)) {
        const uint32_t width = pi_fixed_width(op);
        if (width == 0 || (at <= size && width <= size - at))
            put_field(&inner, op, v);
        else
            at = UINT32_MAX - width;
        at += width;
    }
    pi_emit_char(j->out, '}');
}

static void put_feature(struct pd_out *out, const struct pd_feature *f, bool plain)
{
    const struct pd_shape shape = {.given = f->nr_cpus_avail, .variant = f->variant};
    struct json j = {.out = out, .shape = &shape, .empty = true, .plain = plain};
    pi_emit_char(out, '{');
    if (f->layout)
        put_fields(&j, f->layout, &f->u);
    if (f->rest.n)
        put_hex(&j, "rest", f->rest.ptr, f->rest.n);
    pi_emit_char(out, '}');
}

/* ---- Records. */

#include "json_layout.h"

static void put_type(struct json *j, uint32_t type)
{
    const char *name = pi_type_name(type);
    PUT_KEY(j, "type");
    if (name == NULL) {
        pi_emit_dec(j->out, type);
        return;
    }
    pi_emit_char(j->out, '"');
    pi_emit_str(j->out, name);
    pi_emit_char(j->out, '"');
}

static void put_header(struct json *j, const struct pd_record *rec, const struct pd_op *layout)
{
    put_type(j, rec->type);
    PUT_KEY(j, "misc");
    pd_out_json_value(j->out, layout ? layout->set : &pd_set_DEC, rec->misc, 2);
    if (j->plain)
        return;
    PUT_KEY(j, "size");
    pi_emit_dec(j->out, rec->size);
}

static void put_offset(struct json *j, uint64_t offset)
{
    pi_emit_char(j->out, '"');
    pi_emit_dec(j->out, offset);
    pi_emit_char(j->out, '"');
}

static void put_context(struct json *j, const struct pd_record *rec, unsigned flags)
{
    if (flags & PD_JSON_OFFSET) {
        PUT_KEY(j, "offset");
        put_offset(j, rec->offset);
    }
    if (flags & PD_JSON_OFFSET && rec->depth) {
        PUT_KEY(j, "inner_offset");
        put_offset(j, rec->inner_offset);
    }
    if (flags & PD_JSON_ATTR && rec->attr_index != UINT32_MAX) {
        PUT_KEY(j, "attr");
        pi_emit_dec(j->out, rec->attr_index);
    }
}

static void put_payload(struct json *j, const struct pd_record *rec, const struct pi_view *view)
{
    const uint8_t usual = rec->plan ? pi_usual_variant(rec->plan, rec->type) : 0;
    struct pd_feature feature;
    const bool is_feature = pd_feature_of_record(rec, &feature), twice = j->plain && is_feature;
    if (rec->variant != usual) {
        put_key(j, "variant");
        pi_emit_dec(j->out, rec->variant);
    }
    if (view->layout && twice) {
        put_key(j, view->layout->name);
        PI_EMIT(j->out, "{\"feat_id\":");
        pd_out_json_value(j->out, &pd_set_feature, rec->u.header_feature.feat_id, 8);
        pi_emit_char(j->out, '}');
    } else if (view->layout && (j->plain || j->apart || !put_straight(j, rec, view))) {
        put_key(j, view->layout->name);
        put_object(j, view->layout, &rec->u);
    }
    if (is_feature) {
        put_key(j, "feature");
        put_feature(j->out, &feature, j->plain);
    }
    if (rec->rest.n && !(twice && rec->old_feature))
        put_hex(j, "rest", rec->rest.ptr, rec->rest.n);
    if (view->has_id) {
        const struct straight t = {j->out, view->shape};
        put_key(j, "sample_id");
        object_sample_id(&t, &rec->id);
    }
}

void pd_record_json(const struct pd_record *rec, unsigned flags, struct pd_out *out)
{
    pd_record_json_trace(rec, flags, NULL, out);
}

static void put_record(struct json *j, const struct pd_record *rec, const struct pi_view *view,
                       unsigned flags)
{
    put_header(j, rec, view->layout);
    put_context(j, rec, flags);
    if (view->open)
        put_payload(j, rec, view);
    else
        put_hex(j, "raw", rec->raw + 8, rec->size > 8 ? rec->size - 8u : 0);
}

void pd_record_json_offcpu(const struct pd_record *rec, unsigned flags, const struct pd_offcpu *offcpu,
                           struct pd_out *out)
{
    const struct pi_view view = pi_view_of(rec);
    const bool plain = (flags & PD_JSON_PLAIN) != 0;
    struct json j = {out, &view.shape, true, plain, plain};
    pi_emit_char(out, '{');
    put_record(&j, rec, &view, flags);
    put_key(&j, "offcpu");
    put_object(&j, pi_layout_offcpu(), offcpu);
    pi_emit_char(out, '}');
}

void pd_record_json_trace(const struct pd_record *rec, unsigned flags, const struct pd_tracepoint *tracepoint,
                          struct pd_out *out)
{
    const struct pi_view view = pi_view_of(rec);
    struct json j = {.out = out, .shape = &view.shape, .empty = true, .plain = (flags & PD_JSON_PLAIN) != 0};
    pi_emit_char(out, '{');
    put_record(&j, rec, &view, flags);
    if (tracepoint && view.open && rec->type == PD_RECORD_SAMPLE && rec->plan) {
        put_key(&j, "trace");
        pd_tracepoint_json(tracepoint, (enum pd_order)tracepoint->order, rec->u.sample.raw.data.ptr,
                           rec->u.sample.raw.data.n, 0, out);
    }
    pi_emit_char(out, '}');
}

/* ---- Attrs and others. */

/*
 * A field past the attr's size is shown only if it is not 0, which encoding will refuse: the text loses
 * nothing. The available part of a field that the size cuts is in the tail.
 */
void pd_attr_json(const struct pd_attr *attr, struct pd_out *out)
{
    const struct pd_shape shape = {0};
    struct json j = {.out = out, .shape = &shape, .empty = true};
    const struct pd_op *op = pi_layout_attr();
    uint32_t at = 0;
    pi_emit_char(out, '{');
    for (op = pi_present(op, &shape, attr); op->kind != PI_OP_END; op = pi_present(op + 1, &shape, attr)) {
        const unsigned width = pi_scalar_width(op);
        if (width == 0 || at + width <= pi_attr_known(attr) || pi_scalar_get(op, attr))
            put_field(&j, op, attr);
        at += width;
    }
    pi_emit_char(out, '}');
}

void pd_feature_json(const struct pd_feature *f, struct pd_out *out)
{
    put_feature(out, f, false);
}

void pi_feature_json_plain(const struct pd_feature *f, struct pd_out *out)
{
    put_feature(out, f, true);
}

/* Reflection's view of one field is enough to find its struct again. */
void pd_fields_json(struct pd_fields *it, struct pd_out *out)
{
    struct json j = {.out = out, .shape = &it->shape, .empty = true};
    struct pd_field f;
    pi_emit_char(out, '{');
    while (pd_fields_next(it, &f)) {
        if (f.u.ptr)
            put_field(&j, f.op, (const uint8_t *)f.u.ptr - f.op->offset);
    }
    pi_emit_char(out, '}');
}
