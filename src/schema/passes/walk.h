/* SPDX-License-Identifier: MIT */
/*
 * walk.h - iterates over the lines of a layout that are present under a shape. All table-driven code starts
 * here.
 */
#ifndef PERFDATA_WALK_H
#define PERFDATA_WALK_H

#include "src/schema/schema.h"
#include "when.h"

/* A number of 1, 2, 4 or 8 bytes in a C struct. */
static inline uint64_t pi_value_of(const void *v, unsigned offset, unsigned width)
{
    const void *p = (const uint8_t *)v + offset;
    switch (width) {
    case 1: return *(const uint8_t *)p;
    case 2: return *(const uint16_t *)p;
    case 4: return *(const uint32_t *)p;
    default: return *(const uint64_t *)p;
    }
}

static inline bool pi_is_condition(const struct pd_op *op)
{
    return op->kind >= PI_OP_WHEN && op->kind <= PI_OP_LACKS;
}

/* A condition that the value of a field decides, not the shape. */
static inline bool pi_is_field_test(const struct pd_op *op)
{
    return pi_is_condition(op) && op->kind >= PI_OP_IS;
}

/* A test of a field; without value (only the layout is known) it holds. */
static inline bool pi_test_field(const struct pd_op *op, const void *v)
{
    const uint64_t value = v ? pi_value_of(v, op->count_offset, op->count_width) : 0;
    switch (op->kind) {
    case PI_OP_IS: return !v || value == op->arg;
    case PI_OP_FROM: return !v || value >= op->arg;
    case PI_OP_HAS: return !v || (value & op->arg) != 0;
    default: return !v || (value & op->arg) == 0;
    }
}

static inline bool pi_test(const struct pd_op *op, const struct pd_shape *s, const void *v)
{
    if (op->kind >= PI_OP_IS)
        return pi_test_field(op, v);
    uint64_t value;
    switch (op->src) {
    case PI_SRC_sample_type: value = s->sample_type; break;
    case PI_SRC_read_format: value = s->read_format; break;
    case PI_SRC_branch_sample_type: value = s->branch_sample_type; break;
    case PI_SRC_misc: value = s->misc; break;
    default: value = s->variant; break;
    }
    return !(value & op->arg) == (op->kind == PI_OP_UNLESS);
}

/* The DONE that belongs to the condition `op`. */
static inline const struct pd_op *pi_done(const struct pd_op *op)
{
    for (int depth = 0;; op++) {
        depth += pi_is_condition(op) - (op->kind == PI_OP_DONE);
        if (depth == 0)
            return op;
    }
}

/*
 * The first member at or after `op` that is present in the struct v (see pi_test_field()), or the PI_OP_END.
 */
static inline const struct pd_op *pi_present(const struct pd_op *op, const struct pd_shape *s, const void *v)
{
    for (;; op++) {
        if (pi_is_condition(op) && !pi_test(op, s, v))
            op = pi_done(op);
        else if (op->kind != PI_OP_HEAD && op->kind < PI_OP_ALIAS)
            return op;
        else if (op->kind == PI_OP_END)
            return op;
    }
}

/* The same, without the members that are not in the stream. */
static inline const struct pd_op *pi_visible(const struct pd_op *op, const struct pd_shape *s, const void *v)
{
    do
        op = pi_present(op, s, v);
    while (op->kind >= PI_OP_GIVEN && op->kind <= PI_OP_ORDER && op++);
    return op;
}

/* Bytes of a scalar in the stream and in the struct; 0 for other kinds. */
static inline unsigned pi_scalar_width(const struct pd_op *op)
{
    switch (op->kind) {
    case PI_OP_U8: return 1;
    case PI_OP_U16: return 2;
    case PI_OP_U32:
    case PI_OP_S32:
    case PI_OP_B32: return 4;
    case PI_OP_U64:
    case PI_OP_B64:
    case PI_OP_OPT64: return 8;
    default: return 0;
    }
}

/* The number that counts `op`'s items, from the struct. */
static inline uint64_t pi_count(const struct pd_op *op, const struct pd_shape *s, const void *v)
{
    const uint64_t n = pi_value_of(v, op->count_offset, op->count_width);
    if (op->kind == PI_OP_GRID64)
        return n * pi_value_of(v, (unsigned)op->arg, op->count_width);
    return op->kind == PI_OP_REGS ? (n ? s->n_regs[op->src] : 0) : n;
}

/* A scalar's value; that of a varint, whose width is not fixed, too. */
static inline uint64_t pi_scalar_get(const struct pd_op *op, const void *v)
{
    const void *p = (const uint8_t *)v + op->offset;
    switch (pi_scalar_width(op)) {
    case 1: return *(const uint8_t *)p;
    case 2: return *(const uint16_t *)p;
    case 4: return op->kind == PI_OP_S32 ? (uint64_t)(int64_t) * (const int32_t *)p : *(const uint32_t *)p;
    default: return *(const uint64_t *)p;
    }
}

static inline void pi_scalar_set(const struct pd_op *op, void *v, uint64_t value)
{
    void *p = (uint8_t *)v + op->offset;
    switch (pi_scalar_width(op)) {
    case 1: *(uint8_t *)p = (uint8_t)value; break;
    case 2: *(uint16_t *)p = (uint16_t)value; break;
    case 4: *(uint32_t *)p = (uint32_t)value; break;
    default: *(uint64_t *)p = value; break;
    }
}

/* Bytes of the scalars of a layout: what a list element takes. */
static inline size_t pi_layout_bytes(const struct pd_op *head, const struct pd_shape *s)
{
    size_t n = 0;
    for (const struct pd_op *op = pi_present(head, s, NULL); op->kind != PI_OP_END;
         op = pi_present(op + 1, s, NULL)) {
        if (op->kind == PI_OP_SUB)
            n += pi_layout_bytes(op->sub(), s);
        else if (op->kind == PI_OP_ARR)
            n += (size_t)op->arg;
        else if (op->kind != PI_OP_OPT64)
            n += pi_scalar_width(op);
    }
    return n;
}

/*
 * Element `i` of a list whose elements are of `layout` and of one size, into a struct of it: through the
 * tables.
 */
void pi_list_get(const struct pd_list *l, const struct pd_op *layout, size_t i, void *out);

/* Takes the first element off any list, into a struct of its layout; false: there is none. */
bool pi_list_take(struct pd_list *l, const struct pd_op *layout, void *out);

/* Bytes of the fields that an attr of this size holds, without one that the size cuts. */
static inline uint32_t pi_attr_whole(uint32_t size)
{
    uint32_t at = 0;
    for (const struct pd_op *op = pi_layout_attr() + 1;
         op->kind != PI_OP_END && pi_scalar_width(op) <= size - at; op++)
        at += pi_scalar_width(op);
    return at;
}

/* Bytes of the slot that the encoder makes for a string without one, in a field of this kind. */
static inline size_t pi_slot_of(const struct pd_op *op, size_t len)
{
    switch (op->kind) {
    case PI_OP_CSTR: return len + 1;
    case PI_OP_STR64: return (len + 64) & ~(size_t)63;
    case PI_OP_STRV: return len;
    case PI_OP_STRN:
    case PI_OP_STRMAX: return len > op->arg ? len : (size_t)op->arg;
    default: return (len + 8) & ~(size_t)7;
    }
}

/* Bytes of an element of a vector of this kind. */
static inline unsigned pi_vec_width(const struct pd_op *op)
{
    return op->kind == PI_OP_VEC16 ? 2 : op->kind == PI_OP_VEC32 ? 4 : 8;
}

/*
 * The kind TEXT: do the n bytes begin with a name rather than with a u64 that is an address, and a name
 * behind it?
 */
/*@ requires \valid_read(p + (0 .. n - 1));
  @ assigns \nothing;
  @*/
static inline bool pi_is_text(const uint8_t *p, size_t n, enum pd_order order)
{
    if (n <= 8)
        return n == 8;
    const uint8_t lowest = p[order == PD_BIG ? 7 : 0];
    return lowest >= ' ' && lowest < 0x7f;
}

/* The kind SINCE: does the string begin with a decimal number, and is it as large? */
/*@ predicate has_text(struct pd_op *op, void *v) =
  @     \let s = (struct pd_str *)((uint8_t *)v + op->count_offset);
  @     \valid_read(op) && \valid_read(s) && s->len < SIZE_MAX && \valid_read(s->ptr + (0 .. s->len - 1));
  @*/

/*@ requires has_text(op, v);
  @ assigns \nothing;
  @*/
static inline uint8_t pi_first_character(const struct pd_op *op, const void *v)
{
    const struct pd_str *s = (const void *)((const uint8_t *)v + op->count_offset);
    return s->len ? (uint8_t)s->ptr[0] : 0;
}

/*@ requires has_text(op, v);
  @ assigns \nothing;
  @*/
static inline bool pi_is_number(const struct pd_op *op, const void *v)
{
    const struct pd_str *s = (const void *)((const uint8_t *)v + op->count_offset);
    size_t i = 0;
    /*@ loop invariant i <= s->len;
      @ loop assigns i;
      @ loop variant s->len - i;
      @*/
    while (i < s->len && s->ptr[i] >= '0' && s->ptr[i] <= '9')
        i++;
    return i && i + 1 < s->len && s->ptr[i] == '.' && s->ptr[i + 1] >= '0' && s->ptr[i + 1] <= '9';
}

/*@ requires has_text(op, v);
  @ assigns \nothing;
  @*/
static inline bool pi_is_since(const struct pd_op *op, const void *v)
{
    const struct pd_str *s = (const void *)((const uint8_t *)v + op->count_offset);
    uint64_t tenths = 0;
    size_t i = 0;
    /*@ loop invariant i <= s->len;
      @ loop assigns i, tenths;
      @ loop variant s->len - i;
      @*/
    for (; i < s->len && s->ptr[i] >= '0' && s->ptr[i] <= '9' && tenths <= op->arg; i++)
        tenths = 10 * tenths + 10 * (uint64_t)(s->ptr[i] - '0');
    if (i + 1 < s->len && s->ptr[i] == '.' && s->ptr[i + 1] >= '0' && s->ptr[i + 1] <= '9')
        tenths += (uint64_t)(s->ptr[i + 1] - '0');
    return tenths >= op->arg;
}

/* The kind OTHER: wire types end at 5, numbers of fields begin at 1. */
#define PI_WIRE_TYPE_LAST 5
#define PI_WIRE_TYPE_NAMED 8

static inline uint64_t pi_wire_type(const struct pd_op *op, uint64_t key)
{
    for (const struct pd_op *named = op + 1; named->kind != PI_OP_END; named++)
        if (named->kind == PI_OP_IS && named->count_offset == op->count_offset && named->arg == key)
            return PI_WIRE_TYPE_NAMED;
    return key & 7;
}

/* What the kinds LOW, LESS, UNITS, ONES and OTHER make of the field they are derived from. */
static inline uint64_t pi_derived(const struct pd_op *op, const void *v)
{
    const uint64_t of = pi_value_of(v, op->count_offset, op->count_width);
    switch (op->kind) {
    case PI_OP_LOW: return of & op->arg;
    case PI_OP_LESS: return of > op->arg ? of - op->arg : 0;
    case PI_OP_OTHER: return pi_wire_type(op, of);
    case PI_OP_UNITS: return of / op->arg + (of % op->arg != 0);
    default: return (uint64_t)__builtin_popcountll(of);
    }
}

#endif
