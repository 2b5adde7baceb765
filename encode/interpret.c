/* SPDX-License-Identifier: MIT */
/*
 * interpret.c - the reference encoder, the mirror of src/interpret.c: checks and writes field by field, and names the
 * field that cannot be encoded.
 */
#include "codec_internal.h"
#include "walk.h"
#include "wire.h"

struct writer {
    const struct pd_shape *shape;
    enum pd_order order;
    const struct pd_record *rec;
    uint8_t *out; /* NULL: only count */
    size_t cap;
    size_t at;
    struct pd_error *error;
};

static enum pd_code fail(const struct writer *w, enum pd_code code, const char *field, uint64_t found, uint64_t expected)
{
    return pd_fail_record(w->error, code, w->rec, w->at, field, found, expected);
}

/* Copies n bytes (NULL: zero bytes), where there is room; `at` counts on regardless. */
static void write_bytes(struct writer *w, const void *p, size_t n)
{
    if (w->out && w->at <= w->cap && n <= w->cap - w->at) {
        if (p && n)
            memcpy(w->out + w->at, p, n);
        else
            memset(w->out + w->at, 0, n);
    }
    w->at += n;
}

static void write_number(struct writer *w, uint64_t value, unsigned width)
{
    uint8_t b[8];
    pd_store(b, value, width, w->order);
    write_bytes(w, b, width);
}

static enum pd_code write_scalar(struct writer *w, const struct pd_op *op, const void *v)
{
    uint64_t value = pd_scalar_get(op, v);
    if ((op->kind == PD_OP_B32 || op->kind == PD_OP_B64) && w->order == PD_BIG)
        value = pd_mirror_to_big(op->set, value);
    write_number(w, value, pd_scalar_width(op));
    return PD_OK;
}

static enum pd_code write_str(struct writer *w, const struct pd_op *op, const struct pd_str *s)
{
    if (s->len > UINT16_MAX || (s->size != PD_AUTO && s->size > UINT16_MAX))
        return fail(w, PD_ELIMIT, op->name, s->len, UINT16_MAX);
    if (s->size != PD_AUTO && s->len > s->size)
        return fail(w, PD_ECOUNT, op->name, s->len, s->size);
    if (s->size != PD_AUTO && s->len < s->size && s->ptr[s->len])
        return fail(w, PD_EVALUE, op->name, (uint8_t)s->ptr[s->len], 0);
    const size_t readable = s->size == PD_AUTO ? s->len : s->size;
    const size_t size = s->size == PD_AUTO ? pd_align8(s->len + 1) : s->size;
    write_bytes(w, s->ptr, readable);
    write_bytes(w, NULL, size - readable);
    return PD_OK;
}

static enum pd_code check_many(struct writer *w, const struct pd_op *op, size_t n)
{
    return n <= UINT16_MAX ? PD_OK : fail(w, PD_ELIMIT, op->name, n, UINT16_MAX);
}

static enum pd_code write_counted(struct writer *w, const struct pd_op *op, const void *v, size_t n)
{
    const uint64_t count = pd_count(op, w->shape, v);
    return n == count ? check_many(w, op, n) : fail(w, PD_ECOUNT, op->ref, count, n);
}

static void write_vec(struct writer *w, const struct pd_vec *v)
{
    for (size_t i = 0; i < v->n; i++)
        write_number(w, pd_vec_at(v, i), 8);
}

static enum pd_code write_layout(struct writer *w, const struct pd_op *head, const void *v);

static enum pd_code write_list(struct writer *w, const struct pd_op *op, const struct pd_list *l)
{
    _Alignas(8) uint8_t element[64];
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < l->n && w->at <= UINT16_MAX; i++) {
        pd_list_get(l, op->sub(), i, element);
        code = write_layout(w, op->sub(), element);
    }
    return code;
}

static enum pd_code write_field(struct writer *w, const struct pd_op *op, const void *v)
{
    const void *member = (const uint8_t *)v + op->offset;
    const struct pd_bytes *bytes = member;
    const struct pd_vec *vec = member;
    const struct pd_list *list = member;
    enum pd_code code;
    switch (op->kind) {
    case PD_OP_ARR: write_bytes(w, member, op->arg); return PD_OK;
    case PD_OP_STR: return write_str(w, op, member);
    case PD_OP_REST:
        if ((code = check_many(w, op, bytes->n)) == PD_OK)
            write_bytes(w, bytes->ptr, bytes->n);
        return code;
    case PD_OP_BYTES:
        if ((code = write_counted(w, op, v, bytes->n)) == PD_OK)
            write_bytes(w, bytes->ptr, bytes->n);
        return code;
    case PD_OP_VECR64:
        if ((code = check_many(w, op, vec->n)) == PD_OK)
            write_vec(w, vec);
        return code;
    case PD_OP_VEC64:
    case PD_OP_REGS:
        if ((code = write_counted(w, op, v, vec->n)) == PD_OK)
            write_vec(w, vec);
        return code;
    case PD_OP_LIST: return (code = write_counted(w, op, v, list->n)) ? code : write_list(w, op, list);
    case PD_OP_SUB: return write_layout(w, op->sub(), member);
    case PD_OP_OPT64:
        if (pd_count(op, w->shape, v) == 0)
            return pd_scalar_get(op, v) ? fail(w, PD_EVALUE, op->name, pd_scalar_get(op, v), 0) : PD_OK;
        return write_scalar(w, op, v);
    default: return write_scalar(w, op, v);
    }
}

static enum pd_code write_layout(struct writer *w, const struct pd_op *head, const void *v)
{
    for (const struct pd_op *op = pd_present(head, w->shape); op->kind != PD_OP_END; op = pd_present(op + 1, w->shape)) {
        enum pd_code code = write_field(w, op, v);
        if (code)
            return code;
        if (w->at > UINT16_MAX)
            return fail(w, PD_ELIMIT, op->name, w->at, UINT16_MAX);
    }
    return PD_OK;
}

enum pd_code pd_interpret_encode(const struct pd_plan *plan, const struct pd_record *rec, void *out, size_t cap,
                                 size_t *size, struct pd_error *error)
{
    struct pd_shape shape = plan->shape;
    const struct pd_op *layout = rec->old_feature ? NULL : pd_layout_of(rec->type);
    const struct pd_record r = {.type = rec->type, .variant = rec->variant, .layout = layout};
    shape.misc = rec->misc;
    shape.variant = rec->variant;
    struct writer w = {&shape, plan->order, rec, out, cap, 8, error};
    if (pd_layout_unknown(plan, rec->type))
        return fail(&w, PD_EUNKNOWN, "sample_type", plan->shape.sample_type, 0);
    if (!pd_variant_possible(rec))
        return fail(&w, PD_EVALUE, "hw_idx", rec->u.sample.branch_stack.nr, 0);
    enum pd_code code = layout ? write_layout(&w, layout, &rec->u) : PD_OK;
    if (code)
        return code;
    if (rec->rest.n > UINT16_MAX)
        return fail(&w, PD_ELIMIT, "rest", rec->rest.n, UINT16_MAX);
    write_bytes(&w, rec->rest.ptr, rec->rest.n);
    if (pd_has_id(plan, &r) && (code = write_layout(&w, pd_layout_sample_id(), &rec->id)))
        return code;
    if (w.at > UINT16_MAX)
        return fail(&w, PD_ELIMIT, "size", w.at, UINT16_MAX);
    if (rec->size && rec->size != w.at)
        return fail(&w, PD_ECOUNT, "size", rec->size, w.at);
    *size = w.at;
    w.at = 0;
    write_number(&w, rec->type, 4);
    write_number(&w, rec->misc, 2);
    write_number(&w, *size, 2);
    return out && *size > cap ? fail(&w, PD_ESPACE, "record", cap, *size) : PD_OK;
}
