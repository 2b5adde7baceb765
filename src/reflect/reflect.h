/* SPDX-License-Identifier: MIT */
/* reflect.h - shared by reflection, text, comparison and random values: the shape of a given record. */
#ifndef PERFDATA_REFLECT_H
#define PERFDATA_REFLECT_H

#include "src/codec/variant.h"
#include "src/schema/schema.h"
#include "src/schema/passes/walk.h"
#include "src/support/wire.h"

/* A record for the table-driven passes. */
struct pi_view {
    struct pd_shape shape;
    const struct pd_op *layout; /* NULL: unknown type, all in `rest` */
    bool open;                  /* payload, rest and id are valid; else only the raw bytes are */
    bool has_id;
};

/* A record without bytes was made by a program, which need not set the fields that decoding sets. */
static inline struct pi_view pi_view_of(const struct pd_record *rec)
{
    struct pi_view v = {.open = rec->decoded || !rec->raw, .has_id = rec->has_id};
    v.layout = rec->decoded || rec->old_feature ? rec->layout : pi_layout_of(rec->type);
    if (rec->plan) {
        v.shape = rec->plan->shape;
        v.has_id = pi_has_id(rec->plan, rec->type, rec->variant);
    }
    v.shape.misc = rec->misc;
    v.shape.given = rec->misc;
    v.shape.variant = rec->variant;
    return v;
}

/* Is it one of those that straight-line code can know? Others are left to the tables. */
static inline bool pi_view_is_usual(const struct pi_view *view, const struct pd_record *rec)
{
    return !rec->old_feature && !(view->shape.variant & PI_VARIANT_UNKNOWN_REGS);
}

/* The name of a type of record, or NULL. The kernel's are numbered from 1 without a gap. */
static inline const char *pi_type_name(uint32_t type)
{
    const struct pd_set *set = &pd_set_record_type;
    const bool there = type && type <= set->n && set->names[type - 1].value == type;
    return there ? set->names[type - 1].name : pd_set_name(set, type);
}

/* A scalar's value; where its sign counts, sign-extended. */
static inline uint64_t pi_scalar_value(const struct pd_op *op, const void *v)
{
    const uint64_t value = pi_scalar_get(op, v);
    if (op->set->kind != PD_SET_SDEC)
        return value;
    switch (pi_scalar_width(op)) {
    case 1: return (uint64_t)(int64_t)(int8_t)value;
    case 2: return (uint64_t)(int64_t)(int16_t)value;
    case 4: return (uint64_t)(int64_t)(int32_t)value;
    default: return value;
    }
}

/* True if the bytes of a slot behind its text are those of PD_AUTO. */
static inline bool pi_str_is_plain(const struct pd_op *op, const struct pd_str *s)
{
    if (s->size == PD_AUTO)
        return true;
    if (s->size != pi_slot_of(op, s->len))
        return false;
    for (size_t i = s->len; i < s->size; i++)
        if (s->ptr[i])
            return false;
    return true;
}

/* Bytes that a part of stated size takes; UINT32_MAX: it is of no stated size. */
static inline uint32_t pi_stated_size(const struct pd_op *op, const struct pd_shape *s, const void *v)
{
    const struct pd_attr *attr = (const void *)((const uint8_t *)v + op->offset);
    if (op->kind == PI_OP_ATTR)
        return attr->size ? attr->size : PD_ATTR_SIZE_VER0;
    if (op->kind != PI_OP_SIZED)
        return UINT32_MAX;
    const uint64_t size = pi_count(op, s, v);
    return size < op->arg ? 0 : size - op->arg < UINT32_MAX ? (uint32_t)(size - op->arg) : UINT32_MAX;
}

/* Bytes of a number or array in the stream, 0 for others. */
static inline uint32_t pi_fixed_width(const struct pd_op *op)
{
    return op->kind == PI_OP_ARR ? (uint32_t)op->arg : op->kind == PI_OP_OPT64 ? 0 : pi_scalar_width(op);
}

/* Bytes of the attr's known fields that its size covers. */
static inline uint32_t pi_attr_known(const struct pd_attr *attr)
{
    return attr->size < PD_ATTR_SIZE_VER0 ? PD_ATTR_SIZE_VER0 : attr->size;
}

#endif
