/* SPDX-License-Identifier: MIT */
/*
 * read_layout.h - the reading pass over the schema, included by read_line.c: the mirror of
 * src/reflect/json_layout.h. Each field takes its key and value from the text, in the order and form in which
 * they are printed.
 */

#define LAYOUT(name_, doc_)                                                                         \
    static inline bool take_##name_(struct line *t, const struct pd_shape *s, struct pd_##name_ *v) \
    {                                                                                               \
        char first = '{';                                                                           \
        (void)s, (void)v;
#define RECORD(name_, type_, misc_, trailer_, doc_) LAYOUT(name_, doc_)
#define END(name_)             \
    return take_end(t, first); \
    }
#define KEY(f_) t, &first, ",\"" #f_ "\":", sizeof #f_ + 3
#define NUMBER(f_, set_, width_, type_, signed_)                                                         \
    {                                                                                                    \
        uint64_t value;                                                                                  \
        if (!take_key(KEY(f_)) || !take_number(t, KIND_##set_, &pd_set_##set_, width_, signed_, &value)) \
            return false;                                                                                \
        v->f_ = (type_)value;                                                                            \
    }
#define IS_SIGNED(set_) ((int)KIND_##set_ == PD_SET_SDEC)
#define U8(f_, set_, doc_) NUMBER(f_, set_, 1, uint8_t, IS_SIGNED(set_))
#define U16(f_, set_, doc_) NUMBER(f_, set_, 2, uint16_t, IS_SIGNED(set_))
#define U32(f_, set_, doc_) NUMBER(f_, set_, 4, uint32_t, IS_SIGNED(set_))
#define S32(f_, set_, doc_) NUMBER(f_, set_, 4, int32_t, true)
#define B32(f_, set_, doc_) NUMBER(f_, set_, 4, uint32_t, IS_SIGNED(set_))
#define U64(f_, set_, doc_) NUMBER(f_, set_, 8, uint64_t, IS_SIGNED(set_))
#define B64(f_, set_, doc_) NUMBER(f_, set_, 8, uint64_t, IS_SIGNED(set_))
#define OPT64(f_, n_, set_, doc_) \
    v->f_ = 0;                    \
    if (v->n_)                    \
    NUMBER(f_, set_, 8, uint64_t, IS_SIGNED(set_))
#define ARR(f_, n_, doc_)                                  \
    if (!take_key(KEY(f_)) || !take_array(t, v->f_, (n_))) \
        return false;
#define STR(f_, doc_)                                  \
    if (!take_key(KEY(f_)) || !take_string(t, &v->f_)) \
        return false;
#define BYTES(f_, n_, doc_)                           \
    if (!take_key(KEY(f_)) || !take_bytes(t, &v->f_)) \
        return false;
#define REST(f_, doc_)                              \
    v->f_ = (struct pd_bytes){NULL, 0};             \
    if (has_key(KEY(f_)) && !take_bytes(t, &v->f_)) \
        return false;
#define VEC64(f_, n_, set_, doc_)                                                                 \
    if (!take_key(KEY(f_)) || !take_vec(t, KIND_##set_, &pd_set_##set_, IS_SIGNED(set_), &v->f_)) \
        return false;
#define VECR64(f_, set_, doc_) VEC64(f_, , set_, )
#define GRID64(f_, rows_, columns_, set_, doc_) VEC64(f_, , set_, )
#define REGS(f_, abi_, which_, doc_) VEC64(f_, , HEX, )
#define SUB(f_, layout_, doc_)                               \
    if (!take_key(KEY(f_)) || !take_##layout_(t, s, &v->f_)) \
        return false;
#define LATE(f_, abi_, bit_, layout_, doc_)            \
    if (v->abi_ & (bit_)) /* the JSON library knows */ \
        return false;
#define LIST(f_, n_, layout_, doc_)                                               \
    if (!take_key(KEY(f_)) || !open_list(t, sizeof(struct pd_##layout_), &v->f_)) \
        return false;                                                             \
    while (more_items(t, &v->f_)) {                                               \
        struct pd_##layout_ *one = next_item(t, &v->f_);                          \
        if (one == NULL || !take_##layout_(t, s, one))                            \
            return false;                                                         \
    }                                                                             \
    if (!close_list(t, &v->f_))                                                   \
        return false;
#define WHEN(src_, bit_) if (s->src_ & PI_MASK_##src_(bit_)) {
#define UNLESS(src_, bit_) if (!(s->src_ & PI_MASK_##src_(bit_))) {
#define DONE }
#define PI_EACH_FAST
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END
#undef KEY
#undef NUMBER
#undef IS_SIGNED

static bool take_payload(struct line *t, const struct pd_shape *s, struct pd_record *rec)
{
    char first = ',';
    switch (rec->type) {
#define LAYOUT(name_, doc_)
#define RECORD(name_, type_, misc_, trailer_, doc_)                          \
    case PD_RECORD_##type_:                                                  \
        memset(&rec->u.name_, 0, sizeof rec->u.name_);                       \
        return take_key(t, &first, ",\"" #name_ "\":", sizeof #name_ + 3) && \
               take_##name_(t, s, &rec->u.name_);
#define END(name_)
#define PI_EACH_FAST
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END
    default: return false;
    }
}
