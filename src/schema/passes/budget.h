/* SPDX-License-Identifier: MIT */
/* budget.h - the budget pass over the schema: bytes of the scalars that a layout has under a shape. */
#ifndef PERFDATA_BUDGET_H
#define PERFDATA_BUDGET_H

#include "when.h"

#define LAYOUT(name_, doc_)                                       \
    static inline size_t budget_##name_(const struct pd_shape *s) \
    {                                                             \
        size_t n = 0;                                             \
        (void)s;
#define RECORD(name_, type_, misc_, trailer_, doc_) LAYOUT(name_, doc_)
#define END(name_) \
    return n;      \
    }
#define U8(f_, set_, doc_) n += 1;
#define U16(f_, set_, doc_) n += 2;
#define U32(f_, set_, doc_) n += 4;
#define S32(f_, set_, doc_) n += 4;
#define B32(f_, set_, doc_) n += 4;
#define U64(f_, set_, doc_) n += 8;
#define B64(f_, set_, doc_) n += 8;
#define ARR(f_, n_, doc_) n += (n_);
#define SUB(f_, layout_, doc_) n += budget_##layout_(s);
#define WHEN(src_, bit_) if (s->src_ & PI_MASK_##src_(bit_)) {
#define UNLESS(src_, bit_) if (!(s->src_ & PI_MASK_##src_(bit_))) {
#define DONE }
#define PI_EACH_FAST
#include "each.h"
#undef LAYOUT
#undef RECORD
#undef END

#endif
