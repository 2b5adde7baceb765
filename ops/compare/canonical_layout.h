/* SPDX-License-Identifier: MIT */
/*
 * canonical_layout.h - the canonical bytes of records, docs/HASH.md, as straight-line code for the layouts
 * that are expanded for decoding, too; included by canonical.c. By the tables, which do the other layouts, a
 * plain sample takes five times the work.
 */

#define LAYOUT(name_, doc_)                                                           \
    static inline void straight_##name_(struct pi_canon *c, const struct pd_shape *s, \
                                        const struct pd_##name_ *v)                   \
    {                                                                                 \
        (void)c, (void)s, (void)v;
#define RECORD(name_, type_, misc_, trailer_, doc_) LAYOUT(name_, doc_)
#define END(name_) }
#define NUMBER(f_, width_)   \
    if (!pi_is_padding(#f_)) \
        put_number_of(c, (uint64_t)v->f_, width_);
#define U8(f_, set_, doc_) NUMBER(f_, 1)
#define U16(f_, set_, doc_) NUMBER(f_, 2)
#define U32(f_, set_, doc_) NUMBER(f_, 4)
#define S32(f_, set_, doc_) NUMBER(f_, 4)
#define B32(f_, set_, doc_) NUMBER(f_, 4)
#define U64(f_, set_, doc_) NUMBER(f_, 8)
#define B64(f_, set_, doc_) NUMBER(f_, 8)
#define OPT64(f_, n_, set_, doc_) \
    if (v->n_)                    \
        put_number_of(c, v->f_, 8);
#define ARR(f_, n_, doc_)    \
    if (!pi_is_padding(#f_)) \
        pi_canon_bytes(c, v->f_, n_);
#define STR(f_, doc_) put_sized_bytes(c, v->f_.ptr, v->f_.len);
#define BYTES(f_, n_, doc_) put_sized_bytes(c, v->f_.ptr, v->f_.n);
#define REST(f_, doc_) BYTES(f_, , )
#define VEC64(f_, n_, set_, doc_) pi_canon_vec(c, &v->f_);
#define VECR64(f_, set_, doc_) pi_canon_vec(c, &v->f_);
#define GRID64(f_, rows_, columns_, set_, doc_) pi_canon_vec(c, &v->f_);
#define REGS(f_, abi_, which_, doc_) pi_canon_vec(c, &v->f_);
#define SUB(f_, layout_, doc_) straight_##layout_(c, s, &v->f_);
#define LATE(f_, abi_, bit_, layout_, doc_) \
    if (v->abi_ & (bit_))                   \
        straight_##layout_(c, s, &v->f_);
#define LIST(f_, n_, layout_, doc_)         \
    put_number_of(c, v->f_.n, 8);           \
    for (size_t i = 0; i < v->f_.n; i++) {  \
        struct pd_##layout_ one;            \
        pd_##layout_##_at(&v->f_, i, &one); \
        straight_##layout_(c, s, &one);     \
    }
#define WHEN(src_, bit_) if (s->src_ & PI_MASK_##src_(bit_)) {
#define UNLESS(src_, bit_) if (!(s->src_ & PI_MASK_##src_(bit_))) {
#define DONE }
#define PI_EACH_FAST
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END
#undef NUMBER

/* The payload of a record. False: its layout is none of these. */
static bool put_straight(struct pi_canon *c, const struct pd_record *rec, const struct pi_view *view)
{
    if (!pi_view_is_usual(view, rec))
        return false;
    switch (rec->type) {
#define LAYOUT(name_, doc_)
#define RECORD(name_, type_, misc_, trailer_, doc_)       \
    case PD_RECORD_##type_:                               \
        straight_##name_(c, &view->shape, &rec->u.name_); \
        return true;
#define END(name_)
#define PI_EACH_FAST
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END
    default: return false;
    }
}
