/* SPDX-License-Identifier: MIT */
/*
 * encode_layout.h - the encode pass over the schema for one byte order; included by encode.c once per order,
 * the mirror of src/codec/decode_layout.h. The record has passed the size pass: there is room, and counts
 * agree.
 */

#define LAYOUT(name_, doc_)                                                            \
    static inline void FN(encode_##name_)(struct pi_put * c, const struct pd_shape *s, \
                                          const struct pd_##name_ *v)                  \
    {                                                                                  \
        (void)c, (void)s, (void)v;
#define RECORD(name_, type_, misc_, trailer_, doc_) LAYOUT(name_, doc_)
#define END(name_) }

#define U8(f_, set_, doc_) *c->p++ = v->f_;
#define U16(f_, set_, doc_) pi_store16(c->p, v->f_, ORDER), c->p += 2;
#define U32(f_, set_, doc_) pi_store32(c->p, v->f_, ORDER), c->p += 4;
#define S32(f_, set_, doc_) pi_store32(c->p, (uint32_t)v->f_, ORDER), c->p += 4;
#define U64(f_, set_, doc_) pi_store64(c->p, v->f_, ORDER), c->p += 8;
#define B32(f_, set_, doc_) \
    pi_store32(c->p, (uint32_t)put_bits(&pd_set_##set_, v->f_, ORDER), ORDER), c->p += 4;
#define B64(f_, set_, doc_) pi_store64(c->p, put_bits(&pd_set_##set_, v->f_, ORDER), ORDER), c->p += 8;
#define ARR(f_, n_, doc_) memcpy(c->p, v->f_, n_), c->p += (n_);
#define STR(f_, doc_) put_str(c, &v->f_);
#define REST(f_, doc_) put_bytes(c, &v->f_);
#define BYTES(f_, n_, doc_) put_bytes(c, &v->f_);
#define VEC64(f_, n_, set_, doc_) put_vec(c, ORDER, &v->f_);
#define VECR64(f_, set_, doc_) put_vec(c, ORDER, &v->f_);
#define GRID64(f_, rows_, columns_, set_, doc_) put_vec(c, ORDER, &v->f_);
#define REGS(f_, abi_, which_, doc_) put_vec(c, ORDER, &v->f_);
#define OPT64(f_, n_, set_, doc_) \
    if (v->n_)                    \
    U64(f_, set_, doc_)
#define SUB(f_, layout_, doc_) FN(encode_##layout_)(c, s, &v->f_);
#define LIST(f_, n_, layout_, doc_)                                             \
    if (!put_list_as_is(c, ORDER, s->read_format, budget_##layout_(s), &v->f_)) \
        for (size_t i = 0; i < v->f_.n; i++) {                                  \
            struct pd_##layout_ element;                                        \
            pd_##layout_##_at(&v->f_, i, &element);                             \
            FN(encode_##layout_)(c, s, &element);                               \
        }
#define WHEN(src_, bit_) if (s->src_ & PI_MASK_##src_(bit_)) {
#define UNLESS(src_, bit_) if (!(s->src_ & PI_MASK_##src_(bit_))) {
#define DONE }
#define PI_EACH_FAST
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END

static void FN(encode_record)(struct pi_put *c, const struct pd_shape *s, const struct pd_record *rec,
                              size_t size, bool has_id)
{
    pi_store32(c->p, rec->type, ORDER);
    pi_store16(c->p + 4, rec->misc, ORDER);
    pi_store16(c->p + 6, (uint16_t)size, ORDER);
    c->p += 8;
    switch (rec->old_feature ? 0 : rec->type) {
#define LAYOUT(name_, doc_)
#define RECORD(name_, type_, misc_, trailer_, doc_) \
    case PD_RECORD_##type_:                         \
        FN(encode_##name_)(c, s, &rec->u.name_);    \
        break;
#define END(name_)
#define PI_EACH_FAST
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END
    default: break;
    }
    put_bytes(c, &rec->rest);
    if (has_id)
        FN(encode_sample_id)(c, s, &rec->id);
}
