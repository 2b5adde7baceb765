/* SPDX-License-Identifier: MIT */
/*
 * layouts.h - the passes over the schema that give each layout its contracts: how many bytes its scalars take
 * under a shape, that the budget is this number, and that decoding reads these and the slack, no more.
 */
/* clang-format off */
#include "src/schema/passes/when.h"
#include "src/schema/schema.h"

/*@ lemma fits: \forall integer n, each, room; 0 < each && 0 <= n && 0 <= room ==>
  @     (n <= room / each <==> each * n <= room);
  @*/

#define SHAPE \
    integer sample_type, integer read_format, integer branch_sample_type, integer misc, integer variant
#define IN_SHAPE (sample_type, read_format, branch_sample_type, misc, variant)
#define OF_S (s->sample_type, s->read_format, s->branch_sample_type, s->misc, s->variant)

#define CUT_U8(f_, set_, doc_) +1
#define CUT_U16(f_, set_, doc_) +2
#define CUT_U32(f_, set_, doc_) +4
#define CUT_S32(f_, set_, doc_) +4
#define CUT_B32(f_, set_, doc_) +4
#define CUT_U64(f_, set_, doc_) +8
#define CUT_B64(f_, set_, doc_) +8
#define CUT_ARR(f_, n_, doc_) +n_
#define CUT_STR(...)
#define CUT_REST(...)
#define CUT_BYTES(...)
#define CUT_VEC64(...)
#define CUT_VECR64(...)
#define CUT_GRID64(...)
#define CUT_REGS(...)
#define CUT_OPT64(...)
#define CUT_LIST(...)
#define CUT_LATE(...)

/* rest_LAYOUT_n(shape): bytes of the scalars behind the first n lines; rest_LAYOUT_0 is the budget. */
#define LAYOUT(name_, doc_)
#define RECORD(name_, type_, misc_, trailer_, doc_)
#define END(name_)                                                                       \
    ACSL_ logic integer rest_##name_(SHAPE) = rest_##name_##_0 IN_SHAPE;                 \
    lemma some_##name_: \forall SHAPE; 0 <= rest_##name_ IN_SHAPE; _ACSL
#define CUT_END(name_, n_) ACSL_ logic integer rest_##name_##_##n_(SHAPE) = 0; _ACSL
#define CUT_LINE(name_, n_, before_, ...)                                                                   \
    ACSL_ logic integer rest_##name_##_##before_(SHAPE) = (0 __VA_ARGS__) + rest_##name_##_##n_ IN_SHAPE;   \
    lemma some_##name_##_##before_: \forall SHAPE; 0 <= rest_##name_##_##before_ IN_SHAPE; _ACSL
#define CUT_SUB(f_, layout_, doc_) +rest_##layout_ IN_SHAPE
#define CUT_WHEN(src_, bit_) +((src_ & PI_MASK_##src_(bit_)) != 0 ? 0
#define CUT_UNLESS(src_, bit_) +((src_ & PI_MASK_##src_(bit_)) == 0 ? 0
#define CUT_DONE : 0)
#define PI_EACH_FAST
#include "src/schema/passes/each.h"
#undef CUT_SUB
#undef CUT_WHEN
#undef CUT_UNLESS
#undef CUT_DONE
#undef END

/* more_LAYOUT_n: the same with all conditions met. So no budget is above more_LAYOUT_0. */
#define END(name_) ACSL_ logic integer more_##name_ = more_##name_##_0; _ACSL
#define CUT_END(name_, n_) ACSL_ logic integer more_##name_##_##n_ = 0; _ACSL
#define CUT_LINE(name_, n_, before_, ...) \
    ACSL_ logic integer more_##name_##_##before_ = (0 __VA_ARGS__) + more_##name_##_##n_; _ACSL
#define CUT_SUB(f_, layout_, doc_) +more_##layout_
#define CUT_WHEN(src_, bit_)
#define CUT_UNLESS(src_, bit_)
#define CUT_DONE
#define PI_EACH_FAST
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END

/* The budget pass, a function for each line. */
#define BUDGETS(name_, n_)                                                        \
    ACSL_ requires \valid_read(s);                                                         \
    assigns \nothing;                                                                      \
    ensures \result == rest_##name_##n_ OF_S && \result <= more_##name_##n_;               \
    _ACSL static inline size_t budget_##name_##n_(const struct pd_shape *s);
#define LAYOUT(name_, doc_) BUDGETS(name_, )
#define RECORD(name_, type_, misc_, trailer_, doc_) LAYOUT(name_, doc_)
#define CUT(name_, n_) BUDGETS(name_, _##n_)
#define END(name_)
#define PI_EACH_FAST
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END

#undef CUT_HERE
#define CUT_HERE(name_, n_)                                              \
    return n + budget_##name_##_##n_(s);                                 \
    }                                                                    \
    static inline size_t budget_##name_##_##n_(const struct pd_shape *s) \
    {                                                                    \
        size_t n = 0;
#include "src/schema/passes/budget.h"

#include "src/codec/cursor.h"

/* The decode pass, the same. */
#define DECODES(name_, n_, order_)                                                                       \
    ACSL_ requires \valid(c) && \valid_read(s) && \valid(v);                                             \
    requires \separated(c, s, v);                                                                        \
    requires c->slack <= 65535;                                                                          \
    requires \valid_read(c->p + (0 .. rest_##name_##n_ OF_S + c->slack - 1));                            \
    assigns *c, *v;                                                                                      \
    ensures \result ==>                                                                                  \
        c->p + c->slack == \old(c->p) + (\old(c->slack) + \old(rest_##name_##n_ OF_S));                 \
    ensures \result ==> c->slack <= \old(c->slack);                                                     \
    _ACSL static inline bool decode_##name_##n_##order_(struct pi_take *c, const struct pd_shape *s,     \
                                                        struct pd_##name_ *restrict v);
#define LAYOUT(name_, doc_) DECODES(name_, , _le) DECODES(name_, , _be)
#define RECORD(name_, type_, misc_, trailer_, doc_) LAYOUT(name_, doc_)
#define CUT(name_, n_) DECODES(name_, _##n_, _le) DECODES(name_, _##n_, _be)
#define END(name_)
#define PI_EACH_FAST
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END

#undef CUT_HERE
#define CUT_HERE(name_, n_)                     \
    return FN(decode_##name_##_##n_)(c, s, v);  \
    }                                           \
    static inline bool FN(decode_##name_##_##n_)(struct pi_take *c, const struct pd_shape *s, \
                                                 struct pd_##name_ *restrict v) \
    {                                           \
        (void)c, (void)s, (void)v;
