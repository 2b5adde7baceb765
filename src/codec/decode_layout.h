/* SPDX-License-Identifier: MIT */
/*
 * decode_layout.h - the decode pass over the schema for one byte order; included by decode.c once per order
 * with ORDER defined as PD_LITTLE or PD_BIG and FN(name) as the order's function name. The scalars' bytes
 * have been checked against the budget before; only items of variable size draw on the cursor's slack. With
 * DECODE_PARTS, which is undefined afterwards, without the function for a whole record.
 */

#define LAYOUT(name_, doc_)                                                             \
    static inline bool FN(decode_##name_)(struct pi_take * c, const struct pd_shape *s, \
                                          struct pd_##name_ *restrict v)                \
    {                                                                                   \
        (void)c, (void)s, (void)v;
#define RECORD(name_, type_, misc_, trailer_, doc_) LAYOUT(name_, doc_)
#define END(name_) \
    return true;   \
    }

#define U8(f_, set_, doc_) v->f_ = *c->p++;
#define U16(f_, set_, doc_) v->f_ = pi_load16(c->p, ORDER), c->p += 2;
#define U32(f_, set_, doc_) v->f_ = pi_load32(c->p, ORDER), c->p += 4;
#define S32(f_, set_, doc_) v->f_ = (int32_t)pi_load32(c->p, ORDER), c->p += 4;
#define U64(f_, set_, doc_) v->f_ = pi_load64(c->p, ORDER), c->p += 8;
#define B32(f_, set_, doc_) \
    v->f_ = (uint32_t)take_bits(&pd_set_##set_, pi_load32(c->p, ORDER), ORDER), c->p += 4;
#define B64(f_, set_, doc_) v->f_ = take_bits(&pd_set_##set_, pi_load64(c->p, ORDER), ORDER), c->p += 8;
#define ARR(f_, n_, doc_) memcpy(v->f_, c->p, n_), c->p += (n_);
#define STR(f_, doc_) take_str(c, &v->f_);
#define REST(f_, doc_) take_rest(c, &v->f_);
#define BYTES(f_, n_, doc_)            \
    if (!take_bytes(c, v->n_, &v->f_)) \
        return false;
#define VEC64(f_, n_, set_, doc_)           \
    if (!take_vec(c, v->n_, ORDER, &v->f_)) \
        return false;
#define VECR64(f_, set_, doc_) take_vec(c, c->slack / 8, ORDER, &v->f_);
#define GRID64(f_, rows_, columns_, set_, doc_)                        \
    if (!take_vec(c, (uint64_t)v->rows_ * v->columns_, ORDER, &v->f_)) \
        return false;
#define REGS(f_, abi_, which_, doc_)                                            \
    if (!take_vec(c, v->abi_ ? s->n_regs[PI_REGS_##which_] : 0, ORDER, &v->f_)) \
        return false;
#define OPT64(f_, n_, set_, doc_)               \
    v->f_ = 0;                                  \
    if (v->n_ && !take_opt64(c, ORDER, &v->f_)) \
        return false;
#define SUB(f_, layout_, doc_)               \
    if (!FN(decode_##layout_)(c, s, &v->f_)) \
        return false;
#define LATE(f_, abi_, bit_, layout_, doc_)            \
    if (pi_abi_unusual(v->abi_)) /* the tables know */ \
        return false;
#define LIST(f_, n_, layout_, doc_)                                               \
    if (!take_list(c, v->n_, budget_##layout_(s), s->read_format, ORDER, &v->f_)) \
        return false;
#define WHEN(src_, bit_) if (s->src_ & PI_MASK_##src_(bit_)) {
#define UNLESS(src_, bit_) if (!(s->src_ & PI_MASK_##src_(bit_))) {
#define DONE }
#define PI_EACH_FAST
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END

#ifdef DECODE_PARTS
#undef DECODE_PARTS
#else
/* One record: the budget check, the payload, what is left, the trailer. */
static inline bool FN(decode_end)(struct pi_take *c, const struct pd_shape *s, struct pd_record *rec)
{
    take_rest(c, &rec->rest);
    return !rec->has_id || FN(decode_sample_id)(c, s, &rec->id);
}

static bool FN(decode_payload)(const struct pd_plan *plan, const struct pd_shape *s, struct pd_record *rec)
{
    const size_t trailer = rec->has_id ? plan->trailer : 0;
    struct pi_take c = {rec->raw + 8, rec->size - 8u};
    if (!take_budget(&c, trailer))
        return false;
    if (rec->type == PD_RECORD_SAMPLE && s->variant == 0) /* the plan has it summed up */
        return take_budget(&c, plan->budget) && FN(decode_sample)(&c, s, &rec->u.sample) &&
               FN(decode_end)(&c, s, rec);
    switch (rec->type) {
#define LAYOUT(name_, doc_)
#define RECORD(name_, type_, misc_, trailer_, doc_)                                              \
    case PD_RECORD_##type_:                                                                      \
        return take_budget(&c, budget_##name_(s)) && FN(decode_##name_)(&c, s, &rec->u.name_) && \
               FN(decode_end)(&c, s, rec);
#define END(name_)
#define PI_EACH_FAST
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END
    default: /* layouts that only the tables know, or unknown ones */
        return rec->layout ? pi_interpret_decode(plan, rec, &rec->u, NULL) == PD_OK
                           : FN(decode_end)(&c, s, rec);
    }
}
#endif
