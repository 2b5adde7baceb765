/* SPDX-License-Identifier: MIT */
/*
 * interpret.c - the reference decoder: walks the schema's tables field by field, each one checked by itself. The
 * straight-line decoder calls it to find out which field is wrong; tests compare the two on every record.
 */
#include "codec_internal.h"
#include "walk.h"
#include "wire.h"

struct reader {
    const struct pd_shape *shape;
    enum pd_order order;
    const struct pd_record *rec;
    const uint8_t *p;
    size_t left; /* before the trailer */
    struct pd_error *error;
};

static enum pd_code fail(const struct reader *r, enum pd_code code, const struct pd_op *op, uint64_t found,
                         uint64_t expected)
{
    return pd_fail_record(r->error, code, r->rec, r->rec ? (size_t)(r->p - r->rec->raw) : 0, op->name, found, expected);
}

static void advance(struct reader *r, size_t n)
{
    r->p += n;
    r->left -= n;
}

static enum pd_code read_scalar(struct reader *r, const struct pd_op *op, void *v)
{
    const unsigned width = pd_scalar_width(op);
    if (r->left < width)
        return fail(r, PD_ESHORT, op, r->left, width);
    uint64_t value = pd_load(r->p, width, r->order);
    if ((op->kind == PD_OP_B32 || op->kind == PD_OP_B64) && r->order == PD_BIG)
        value = pd_mirror_from_big(op->set, value);
    pd_scalar_set(op, v, value);
    advance(r, width);
    return PD_OK;
}

static void read_str(struct reader *r, struct pd_str *s)
{
    *s = (struct pd_str){(const char *)r->p, strnlen((const char *)r->p, r->left), r->left};
    advance(r, r->left);
}

static enum pd_code read_items(struct reader *r, const struct pd_op *op, uint64_t n, size_t stride, void *member)
{
    if (n > r->left / stride)
        return fail(r, PD_ECOUNT, op, n, r->left / stride);
    if (op->kind == PD_OP_LIST)
        *(struct pd_list *)member =
            (struct pd_list){r->p, (size_t)n, (uint32_t)stride, (uint8_t)r->order, r->shape->read_format};
    else if (op->kind == PD_OP_BYTES || op->kind == PD_OP_REST)
        *(struct pd_bytes *)member = (struct pd_bytes){r->p, (size_t)n};
    else
        *(struct pd_vec *)member = (struct pd_vec){r->p, (size_t)n, 8, (uint8_t)r->order};
    advance(r, (size_t)n * stride);
    return PD_OK;
}

static enum pd_code read_layout(struct reader *r, const struct pd_op *head, void *v);

static enum pd_code read_field(struct reader *r, const struct pd_op *op, void *v)
{
    void *member = (uint8_t *)v + op->offset;
    switch (op->kind) {
    case PD_OP_ARR:
        if (r->left < op->arg)
            return fail(r, PD_ESHORT, op, r->left, op->arg);
        memcpy(member, r->p, op->arg);
        advance(r, op->arg);
        return PD_OK;
    case PD_OP_STR: read_str(r, member); return PD_OK;
    case PD_OP_REST: return read_items(r, op, r->left, 1, member);
    case PD_OP_VECR64: return read_items(r, op, r->left / 8, 8, member);
    case PD_OP_BYTES: return read_items(r, op, pd_count(op, r->shape, v), 1, member);
    case PD_OP_VEC64:
    case PD_OP_REGS: return read_items(r, op, pd_count(op, r->shape, v), 8, member);
    case PD_OP_LIST:
        return read_items(r, op, pd_count(op, r->shape, v), pd_layout_bytes(op->sub(), r->shape), member);
    case PD_OP_SUB: return read_layout(r, op->sub(), member);
    case PD_OP_OPT64: return pd_count(op, r->shape, v) ? read_scalar(r, op, v) : PD_OK;
    default: return read_scalar(r, op, v);
    }
}

static enum pd_code read_layout(struct reader *r, const struct pd_op *head, void *v)
{
    for (const struct pd_op *op = pd_present(head, r->shape); op->kind != PD_OP_END; op = pd_present(op + 1, r->shape)) {
        enum pd_code code = read_field(r, op, v);
        if (code)
            return code;
    }
    return PD_OK;
}

static const struct pd_op no_fields[] = {{.kind = PD_OP_HEAD}, {.kind = PD_OP_END}};
static const struct pd_op trailer_op = {.name = "sample_id"};

enum pd_code pd_interpret_decode(const struct pd_plan *plan, struct pd_record *rec, union pd_payload *u,
                                 struct pd_error *error)
{
    union pd_payload scratch = {0};
    struct pd_shape shape = plan->shape;
    const struct pd_op *layout = rec->layout ? rec->layout : no_fields;
    shape.misc = rec->misc;
    shape.variant = rec->variant;
    struct reader r = {&shape, plan->order, rec, rec->raw + 8, rec->size - 8u, error};
    const size_t trailer = pd_has_id(plan, rec) ? plan->trailer : 0;
    if (r.left < trailer)
        return fail(&r, PD_ESHORT, &trailer_op, r.left, trailer);
    r.left -= trailer;
    enum pd_code code = read_layout(&r, layout, u ? u : &scratch);
    if (code)
        return code;
    rec->rest = (struct pd_bytes){r.p, r.left};
    advance(&r, r.left);
    r.left = trailer;
    return trailer ? read_layout(&r, pd_layout_sample_id(), &rec->id) : PD_OK;
}

void pd_list_get(const struct pd_list *l, const struct pd_op *layout, size_t i, void *out)
{
    const uint8_t *p = (const uint8_t *)l->ptr + i * l->stride;
    const struct pd_shape shape = {.read_format = l->when};
    struct reader r = {&shape, (enum pd_order)l->form, NULL, p, l->stride, NULL};
    memset(out, 0, layout->offset);
    if (l->form == PD_FORM_STRUCT)
        memcpy(out, p, layout->offset);
    else
        read_layout(&r, layout, out);
}
