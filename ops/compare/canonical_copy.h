/* SPDX-License-Identifier: MIT */
/*
 * canonical_copy.h - the canonical bytes of a little-endian sample of a usual type, docs/HASH.md, copied from
 * its own, as straight-line code; included by canonical.c. The sample ends where its fields do. Layouts of
 * which no usual type has one stop it.
 */

/* Where it is copied from and to; NULL: it was stopped. */
struct copying {
    const uint8_t *from;
    uint8_t *to;
};

static inline uint64_t copy_number(struct copying *c, unsigned width, bool padding)
{
    const uint64_t value = pi_load(c->from, width, PD_LITTLE);
    memcpy(c->to, c->from, width);
    c->from += width;
    c->to += padding ? 0 : width;
    return value;
}

static inline void copy_array(struct copying *c, uint64_t n, unsigned width)
{
    pi_store64(c->to, n, PD_LITTLE);
    memcpy(c->to + 8, c->from, (size_t)n * width);
    c->from += n * width;
    c->to += 8 + n * width;
}

#define LAYOUT(name_, doc_)                                                               \
    static inline struct copying copy_##name_(struct copying c, const struct pd_shape *s) \
    {                                                                                     \
        (void)s;
#define RECORD(name_, type_, misc_, trailer_, doc_) LAYOUT(name_, doc_)
#define END(name_) \
    return c;      \
    }
#define STOP return (struct copying){NULL, NULL};
#define NUMBER(f_, width_)                                               \
    const uint64_t v_##f_ = copy_number(&c, width_, pi_is_padding(#f_)); \
    (void)v_##f_;
#define U8(f_, set_, doc_) NUMBER(f_, 1)
#define U16(f_, set_, doc_) NUMBER(f_, 2)
#define U32(f_, set_, doc_) NUMBER(f_, 4)
#define S32(f_, set_, doc_) NUMBER(f_, 4)
#define B32(f_, set_, doc_) NUMBER(f_, 4)
#define U64(f_, set_, doc_) NUMBER(f_, 8)
#define B64(f_, set_, doc_) NUMBER(f_, 8)
#define VEC64(f_, n_, set_, doc_) copy_array(&c, v_##n_, 8);
#define BYTES(f_, n_, doc_) copy_array(&c, v_##n_, 1);
#define SUB(f_, layout_, doc_) \
    c = copy_##layout_(c, s);  \
    if (c.from == NULL)        \
        return c;
#define OPT64(f_, n_, set_, doc_) STOP
#define ARR(f_, n_, doc_) STOP
#define STR(f_, doc_) STOP
#define REST(f_, doc_) STOP
#define VECR64(f_, set_, doc_) STOP
#define GRID64(f_, rows_, columns_, set_, doc_) STOP
#define REGS(f_, abi_, which_, doc_) STOP
#define LATE(f_, abi_, bit_, layout_, doc_) STOP
#define LIST(f_, n_, layout_, doc_) STOP
#define WHEN(src_, bit_) if (s->src_ & PI_MASK_##src_(bit_)) {
#define UNLESS(src_, bit_) if (!(s->src_ & PI_MASK_##src_(bit_))) {
#define DONE }
#define PI_EACH_FAST
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END
#undef STOP
#undef NUMBER
