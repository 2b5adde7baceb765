/* SPDX-License-Identifier: MIT */
/* complete.c - counts, sizes and flags that follow from what a program gave, through the schema's tables. */
#include "complete.h"
#include "src/codec/interpret.h"
#include "src/schema/fail.h"
#include "src/schema/passes/follow.h"
#include "src/schema/passes/walk.h"
#include <perfdata/session/complete.h>
#include <string.h>

/* ---- What a struct gives */

static uint64_t count_given(const void *v, const struct pd_op *op)
{
    const void *member = (const uint8_t *)v + op->offset;
    switch (op->kind) {
    case PI_OP_BYTES: return ((const struct pd_bytes *)member)->n;
    case PI_OP_SLOT: return ((const struct pd_str *)member)->len;
    case PI_OP_LIST:
    case PI_OP_ITEMS: return ((const struct pd_list *)member)->n;
    default: return ((const struct pd_vec *)member)->n;
    }
}

static bool is_given(const void *v, const struct pd_op *op)
{
    return pi_says(op, v);
}

static struct pi_given given_in(const void *v)
{
    return (struct pi_given){count_given, is_given, v};
}

/* ---- Numbers */

/* The number that counts the fields of `op`, or is their size. */
static struct pd_op counter_of(const struct pd_op *op)
{
    return (struct pd_op){.kind = op->count_width == 2   ? PI_OP_U16
                                  : op->count_width == 4 ? PI_OP_U32
                                                         : PI_OP_U64,
                          .offset = op->count_offset};
}

/* A number that is too large stays 0, which the encoder refuses. */
static void set_number(const struct pd_op *op, void *v, uint64_t n)
{
    const unsigned width = pi_scalar_width(op) ? pi_scalar_width(op) : 8;
    if (width == 8 || n >> 8 * width == 0)
        pi_scalar_set(op, v, n);
}

/* The size of the attrs in the list behind it: that of the first. */
static uint32_t passed_attr_size(const struct pd_op *of, const void *v)
{
    _Alignas(8) uint8_t element[PI_ELEMENT_MAX];
    for (const struct pd_op *op = of + 1; op->kind != PI_OP_END; op++) {
        struct pd_list l = {0};
        if (op->kind != PI_OP_ITEMS)
            continue;
        memcpy(&l, (const uint8_t *)v + op->offset, sizeof l);
        if (!pi_list_take(&l, op->sub(), element))
            continue;
        for (const struct pd_op *in = op->sub() + 1; in->kind != PI_OP_END; in++) {
            const struct pd_attr *attr = (const void *)(element + in->offset);
            if (in->kind == PI_OP_SIZED && in->sub() == pi_layout_attr())
                return attr->size ? attr->size : pi_follow_attr_size(attr);
        }
    }
    return 0;
}

static void complete_number(const struct pd_op *op, void *v, bool all)
{
    const struct pi_given given = given_in(v);
    uint64_t n;
    if (pi_follow_is_attr_size(op))
        n = pi_scalar_get(op, v) ? 0 : passed_attr_size(op, v);
    else if (all && pi_follow_items(&given, op, &n))
        return set_number(op, v, n);
    else
        n = pi_scalar_get(op, v) ? 0 : pi_follow_count(&given, op);
    if (n)
        set_number(op, v, n);
}

/* ---- Members that are not in the stream */

/* True if fields follow only where the flag is 1. */
static bool is_flag_of_one(const struct pd_op *flag)
{
    for (const struct pd_op *op = flag + 1; op->kind != PI_OP_END; op++)
        if (op->kind == PI_OP_IS && op->count_offset == flag->offset && op->arg == 1)
            return true;
    return false;
}

static void complete_derived(const struct pd_op *op, struct pd_shape *shape, void *v)
{
    const struct pi_given given = given_in(v);
    uint8_t *member = (uint8_t *)v + op->offset;
    uint32_t *number = (uint32_t *)(void *)member;
    uint64_t *large = (uint64_t *)(void *)member;
    switch (op->kind) {
    case PI_OP_GIVEN:
        if (*number == 0 && shape->given == 0)
            shape->given = (uint32_t)pi_follow_count(&given, op);
        *number = *number ? *number : shape->given;
        break;
    case PI_OP_ROOM:
    case PI_OP_ROOMN:
    case PI_OP_TEXT:
    case PI_OP_ODD64:
        if (*member == 0 && is_flag_of_one(op))
            *member = pi_follow_flag(&given, op);
        break;
    case PI_OP_SINCE:
        if (pi_is_number(op, v))
            *member = pi_is_since(op, v);
        break;
    case PI_OP_PASS: shape->given = (uint32_t)pi_count(op, shape, v); break;
    case PI_OP_LITTLE:
    case PI_OP_ORDER: break;
    default: *large = *large ? *large : pi_derived(op, v); break;
    }
}

/* ---- Parts */

static void complete_attr(struct pd_attr *attr, uint32_t size)
{
    if (attr->size == 0 && (size || pi_follow_attr_needs(attr) > PD_ATTR_SIZE_VER0))
        attr->size = size ? size : pi_follow_attr_size(attr);
}

/* For the encoder: an element of a list, which it has copied. */
static void complete_copy(const struct pd_op *layout, const struct pd_shape *around, void *v)
{
    struct pd_shape shape = *around;
    pi_complete_struct(layout, &shape, v, PI_COMPLETE_ZEROS);
}

/* Sets the stated size of a part to that of its fields. */
static void complete_sized(const struct pd_op *op, struct pd_shape *shape, void *v, enum pi_completing how)
{
    static const struct pd_bytes none;
    void *member = (uint8_t *)v + op->offset;
    const struct pd_op counter = counter_of(op);
    size_t n = 0;
    if (op->sub() == pi_layout_attr()) {
        complete_attr(member, (uint32_t)pi_count(op, shape, v));
        return;
    }
    pi_complete_struct(op->sub(), shape, member, how);
    if (how != PI_COMPLETE_ALL && pi_count(op, shape, v))
        return;
    if (!pi_interpret_put_section_with(op->sub(), shape, PD_HOST_ORDER, member, &none, complete_copy, NULL, 0,
                                       &n, NULL))
        set_number(&counter, v, n + op->arg);
}

static void complete_elements(const struct pd_op *op, const struct pd_shape *shape, const struct pd_list *l)
{
    for (size_t i = 0; l->form == PD_FORM_STRUCT && i < l->n; i++) {
        struct pd_shape inner = *shape;
        pi_complete_struct(op->sub(), &inner, (uint8_t *)(uintptr_t)l->ptr + i * l->stride,
                           PI_COMPLETE_ELEMENTS);
    }
}

static void complete_constant(const struct pd_op *op, void *v)
{
    struct pd_str *s = (void *)((uint8_t *)v + op->offset);
    if (op->ref == NULL || pi_says(op, v))
        return;
    if (op->kind == PI_OP_ARR)
        memcpy((uint8_t *)v + op->offset, op->ref, (size_t)op->arg);
    else
        *s = PD_STR(op->ref);
}

static void complete_field(const struct pd_op *op, struct pd_shape *shape, void *v, enum pi_completing how)
{
    void *member = (uint8_t *)v + op->offset;
    switch (op->kind) {
    case PI_OP_U8:
    case PI_OP_U16:
    case PI_OP_U32:
    case PI_OP_U64:
    case PI_OP_VARINT: complete_number(op, v, how == PI_COMPLETE_ALL); break;
    case PI_OP_ARR:
    case PI_OP_CSTR: complete_constant(op, v); break;
    case PI_OP_SUB: pi_complete_struct(op->sub(), shape, member, how); break;
    case PI_OP_SIZED: complete_sized(op, shape, v, how); break;
    case PI_OP_ATTR: complete_attr(member, 0); break;
    case PI_OP_LIST:
    case PI_OP_ITEMS:
    case PI_OP_ITEMSR:
    case PI_OP_MESSAGE:
        if (how != PI_COMPLETE_ZEROS)
            complete_elements(op, shape, member);
        break;
    default:
        if (op->kind >= PI_OP_GIVEN)
            complete_derived(op, shape, v);
        break;
    }
}

void pi_complete_struct(const struct pd_op *layout, struct pd_shape *shape, void *v, enum pi_completing how)
{
    const uint32_t given = shape->given;
    uint32_t set = given;
    for (const struct pd_op *op = pi_present(layout, shape, v); op->kind != PI_OP_END;
         op = pi_present(op + 1, shape, v)) {
        complete_field(op, shape, v, how);
        if (op->kind == PI_OP_GIVEN && given == 0)
            set = shape->given;
    }
    shape->given = set;
}

/* ---- Records and features */

static void complete_record(const struct pd_plan *plan, struct pd_record *rec, enum pi_completing how)
{
    const struct pd_op *layout = rec->old_feature ? NULL : pi_layout_of(rec->type);
    struct pd_shape shape = plan->shape;
    shape.misc = rec->misc;
    shape.given = rec->misc;
    shape.variant = rec->variant;
    if (layout)
        pi_complete_struct(layout, &shape, &rec->u, how);
}

enum pd_code pd_record_complete(const struct pd_plan *plan, struct pd_record *rec, struct pd_error *error)
{
    size_t size;
    pd_record_changed(rec);
    complete_record(plan, rec, PI_COMPLETE_ALL);
    rec->size = 0;
    const enum pd_code code = pd_record_size(plan, rec, &size, error);
    if (!code)
        rec->size = (uint16_t)size;
    return code;
}

enum pd_code pi_record_encode_completed(const struct pd_plan *plan, const struct pd_record *rec, void *out,
                                        size_t cap, size_t *size, struct pd_error *error)
{
    struct pd_record own = *rec;
    complete_record(plan, &own, PI_COMPLETE_ZEROS);
    return pi_interpret_encode_with(plan, &own, complete_copy, out, cap, size, error);
}

static const struct pd_op nothing[] = {{.kind = PI_OP_HEAD}, {.kind = PI_OP_END}};

/* The layout that a feature made by a program has, or a decoded one. */
static const struct pd_op *layout_of(const struct pd_feature *f)
{
    const bool made = !f->layout && f->rest.n == 0 && !f->raw.ptr;
    return made ? pi_layout_of_feature(f->id) : f->layout ? f->layout : nothing;
}

static void complete_feature(struct pd_feature *f, enum pi_completing how)
{
    const struct pd_op *layout = layout_of(f);
    struct pd_shape shape = {.given = f->nr_cpus_avail, .variant = f->variant};
    if (layout)
        pi_complete_struct(layout, &shape, &f->u, how);
    f->nr_cpus_avail = shape.given;
}

enum pd_code pd_feature_complete(struct pd_feature *f, size_t *size, struct pd_error *error)
{
    size_t n;
    complete_feature(f, PI_COMPLETE_ALL);
    return pd_feature_encode(PD_HOST_ORDER, f, NULL, 0, size ? size : &n, error);
}

enum pd_code pi_feature_encode_completed(enum pd_order order, const struct pd_feature *f, void *out,
                                         size_t cap, size_t *size, struct pd_error *error)
{
    struct pd_feature own = *f;
    const struct pd_op *layout = layout_of(f);
    if (!layout)
        return pi_fail(error, PD_EUNKNOWN, PD_NOWHERE, "feature", f->id, 0);
    complete_feature(&own, PI_COMPLETE_ZEROS);
    const struct pd_shape shape = {.given = own.nr_cpus_avail, .variant = own.variant};
    return pi_interpret_put_section_with(layout, &shape, order, &own.u, &own.rest, complete_copy, out, cap,
                                         size, error);
}
