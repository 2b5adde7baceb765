/* SPDX-License-Identifier: MIT */
/*
 * size.h - the size pass over the schema: bytes of a value's items of variable size, with every count checked
 * against its elements. False: a count is wrong; the reference interpreter then finds it.
 */
#ifndef PERFDATA_SIZE_H
#define PERFDATA_SIZE_H

#include "src/schema/passes/budget.h"

#define LAYOUT(name_, doc_)                                                                          \
    static inline bool size_##name_(const struct pd_shape *s, const struct pd_##name_ *v, size_t *n) \
    {                                                                                                \
        (void)s, (void)v, (void)n;
#define RECORD(name_, type_, misc_, trailer_, doc_) LAYOUT(name_, doc_)
#define END(name_) \
    return true;   \
    }
#define STR(f_, doc_)         \
    if (!size_str(&v->f_, n)) \
        return false;
#define REST(f_, doc_)                       \
    if (!size_items(v->f_.n, v->f_.n, 1, n)) \
        return false;
#define BYTES(f_, n_, doc_)                \
    if (!size_items(v->f_.n, v->n_, 1, n)) \
        return false;
#define VEC64(f_, n_, set_, doc_)          \
    if (!size_items(v->f_.n, v->n_, 8, n)) \
        return false;
#define VECR64(f_, set_, doc_)               \
    if (!size_items(v->f_.n, v->f_.n, 8, n)) \
        return false;
#define GRID64(f_, rows_, columns_, set_, doc_)                       \
    if (!size_items(v->f_.n, (uint64_t)v->rows_ * v->columns_, 8, n)) \
        return false;
#define REGS(f_, abi_, which_, doc_)                                           \
    if (!size_items(v->f_.n, v->abi_ ? s->n_regs[PI_REGS_##which_] : 0, 8, n)) \
        return false;
#define OPT64(f_, n_, set_, doc_) \
    if (v->n_)                    \
        *n += 8;                  \
    else if (v->f_)               \
        return false;
#define SUB(f_, layout_, doc_)         \
    if (!size_##layout_(s, &v->f_, n)) \
        return false;
#define LATE(f_, abi_, bit_, layout_, doc_)            \
    if (pi_abi_unusual(v->abi_)) /* the tables know */ \
        return false;
#define LIST(f_, n_, layout_, doc_)                          \
    if (!size_items(v->f_.n, v->n_, budget_##layout_(s), n)) \
        return false;
#define WHEN(src_, bit_) if (s->src_ & PI_MASK_##src_(bit_)) {
#define UNLESS(src_, bit_) if (!(s->src_ & PI_MASK_##src_(bit_))) {
#define DONE }

/* A slot holds its string, and its padding starts with a NUL when there is any. */
static inline bool size_str(const struct pd_str *s, size_t *n)
{
    if ((s->size == PD_AUTO ? s->len : s->size) > UINT16_MAX)
        return false;
    *n += s->size == PD_AUTO ? pi_align8(s->len + 1) : s->size;
    return s->size == PD_AUTO || s->len == s->size || (s->len < s->size && s->ptr[s->len] == 0);
}

/* Checks that the items are as many as counted, and fit in a record. */
static inline bool size_items(uint64_t items, uint64_t count, size_t bytes, size_t *n)
{
    if (items != count || items > UINT16_MAX)
        return false;
    *n += (size_t)items * bytes;
    return true;
}

#define PI_EACH_FAST
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END

#endif
