/* SPDX-License-Identifier: MIT */
/* copy.c - a record with all that it points to, in one block. */
#include "reflect.h"
#include "src/schema/fail.h"
#include "src/support/memory.h"
#include <perfdata/session/compare.h>

/* Goes through everything twice: to measure, and to copy. */
struct copying {
    uint8_t *block; /* NULL: only measure */
    size_t n;       /* bytes of it that are taken */
    const uint8_t *raw, *raw_copy;
    size_t raw_n;
};

/* The place of n bytes at p in the block. Views mostly show parts of the raw bytes, which are copied once. */
static const void *keep(struct copying *c, const void *p, size_t n)
{
    const uintptr_t at = (uintptr_t)p, raw = (uintptr_t)c->raw;
    if (n == 0)
        return p ? "" : NULL;
    if (c->raw && at >= raw && at - raw <= c->raw_n && n <= c->raw_n - (at - raw))
        return c->raw_copy ? c->raw_copy + (at - raw) : NULL;
    void *place = c->block ? c->block + c->n : NULL;
    if (place)
        memcpy(place, p, n);
    c->n += (n + 7) & ~(size_t)7;
    return place;
}

static void keep_layout(struct copying *c, const struct pd_op *head, const struct pd_shape *shape,
                        const void *from, void *to);

static void keep_list(struct copying *c, const struct pd_op *op, const struct pd_shape *shape,
                      const struct pd_list *from, struct pd_list *to)
{
    const bool structs = from->form == PD_FORM_STRUCT;
    const size_t n = from->varying && !structs ? from->stride : from->n * from->stride;
    const void *copy = keep(c, from->ptr, n);
    if (to)
        to->ptr = copy;
    for (size_t i = 0; structs && i < from->n; i++)
        keep_layout(c, op->sub(), shape, (const uint8_t *)from->ptr + i * from->stride,
                    copy ? (uint8_t *)(uintptr_t)copy + i * from->stride : NULL);
}

static void keep_field(struct copying *c, const struct pd_op *op, const struct pd_shape *shape,
                       const void *from, void *to)
{
    const void *in = (const uint8_t *)from + op->offset;
    void *out = to ? (uint8_t *)to + op->offset : NULL;
    const struct pd_str *s = in;
    const struct pd_bytes *b = in;
    const struct pd_vec *v = in;
    const void *copy;
    switch (op->kind) {
    case PI_OP_STR:
    case PI_OP_CSTR:
    case PI_OP_STR64:
    case PI_OP_STRV:
    case PI_OP_STRN:
    case PI_OP_STRMAX:
    case PI_OP_SLOT:
        copy = keep(c, s->ptr, s->size == PD_AUTO ? s->len : s->size);
        if (out)
            ((struct pd_str *)out)->ptr = copy;
        break;
    case PI_OP_BYTES:
    case PI_OP_REST:
        copy = keep(c, b->ptr, b->n);
        if (out)
            ((struct pd_bytes *)out)->ptr = copy;
        break;
    case PI_OP_VEC16:
    case PI_OP_VEC32:
    case PI_OP_VEC64:
    case PI_OP_VECR64:
    case PI_OP_GRID64:
    case PI_OP_REGS:
        copy = keep(c, v->ptr, v->n * v->width);
        if (out)
            ((struct pd_vec *)out)->ptr = copy;
        break;
    case PI_OP_LIST:
    case PI_OP_ITEMS:
    case PI_OP_ITEMSR:
    case PI_OP_MESSAGE: keep_list(c, op, shape, in, out); break;
    case PI_OP_ATTR:
    case PI_OP_SUB:
    case PI_OP_SIZED: keep_layout(c, op->sub(), shape, in, out); break;
    default: break;
    }
}

static void keep_layout(struct copying *c, const struct pd_op *head, const struct pd_shape *shape,
                        const void *from, void *to)
{
    for (const struct pd_op *op = pi_present(head, shape, from); op->kind != PI_OP_END;
         op = pi_present(op + 1, shape, from))
        keep_field(c, op, shape, from, to);
}

/* Copies the plan and the attr, too: they may be of a reader that is closed earlier. */
static void keep_event(struct copying *c, const struct pd_record *rec, struct pd_record *to)
{
    const struct pd_shape all = {0};
    const struct pd_plan *plan = rec->plan ? keep(c, rec->plan, sizeof *rec->plan) : NULL;
    const struct pd_attr *attr = rec->attr ? keep(c, rec->attr, sizeof *rec->attr) : NULL;
    if (rec->attr)
        keep_layout(c, pi_layout_attr(), &all, rec->attr, (void *)(uintptr_t)attr);
    if (to) {
        to->plan = plan;
        to->attr = attr;
    }
}

static void keep_record(struct copying *c, const struct pd_record *rec, struct pd_record *to)
{
    const struct pi_view view = pi_view_of(rec);
    struct pd_record *own = (void *)(uintptr_t)keep(c, rec, sizeof *rec);
    c->raw_copy = rec->raw ? keep(c, rec->raw, rec->size) : NULL;
    c->raw = rec->raw;
    c->raw_n = rec->raw ? rec->size : 0;
    keep_event(c, rec, own);
    if (view.open && view.layout && !rec->old_feature)
        keep_layout(c, view.layout, &view.shape, &rec->u, own ? &own->u : NULL);
    const void *rest = view.open ? keep(c, rec->rest.ptr, rec->rest.n) : NULL;
    if (to) {
        own->raw = c->raw_copy;
        own->rest.ptr = rest;
    }
}

enum pd_code pd_record_copy(struct pd_record **copy, const struct pd_record *rec,
                            const struct pd_allocator *allocator, struct pd_error *error)
{
    struct copying measure = {0}, c = {0};
    keep_record(&measure, rec, NULL);
    *copy = NULL;
    if ((c.block = pi_resize(allocator, NULL, measure.n)) == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "copy of a record", 0, measure.n);
    *copy = (struct pd_record *)(void *)c.block;
    keep_record(&c, rec, *copy);
    return PD_OK;
}

void pd_record_free(struct pd_record *copy, const struct pd_allocator *allocator)
{
    pi_release(allocator, copy);
}
