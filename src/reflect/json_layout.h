/* SPDX-License-Identifier: MIT */
/*
 * json_layout.h - the JSON passes over the schema, included by json.c: records as straight-line code for the
 * layouts that are expanded for decoding, too. By the tables, which write the other layouts, a plain sample
 * takes 5,400 instructions, most of them to find the present fields; in this way it takes a tenth.
 */

struct straight {
    struct pd_out *out;
    struct pd_shape shape;
};

/*
 * `key` is ,"name": of `n` bytes. Its comma is a brace where it begins an object: *first is the character to
 * write.
 */
__attribute__((always_inline)) static inline void straight_key(struct pd_out *out, char *first,
                                                               const char *key, size_t n)
{
    pi_emit_char(out, *first);
    pi_emit(out, key + 1, n - 1);
    *first = ',';
}

static inline void straight_end(struct pd_out *out, char first)
{
    if (first == '{')
        pi_emit_char(out, '{');
    pi_emit_char(out, '}');
}

/* The digits of a number at p; the kind of its set and its width are constants. */
__attribute__((always_inline)) static inline char *straight_digits(char *p, unsigned kind, unsigned width,
                                                                   uint64_t value)
{
    if (width > 4)
        *p++ = '"';
    p = kind == PD_SET_SDEC               ? pi_put_sdec(p, value)
        : kind == PD_SET_HEX && width > 4 ? pi_put_hex(p, value)
                                          : pi_put_dec(p, value);
    if (width > 4)
        *p++ = '"';
    return p;
}

__attribute__((always_inline)) static inline void straight_number(struct pd_out *out, char *first,
                                                                  const char *key, size_t n, unsigned kind,
                                                                  const struct pd_set *set, unsigned width,
                                                                  uint64_t value)
{
    const bool digits = kind == PD_SET_DEC || kind == PD_SET_SDEC || kind == PD_SET_HEX;
    if (digits && out->cap - out->n >= n + 2 + PI_NUMBER_ROOM) {
        char *const p = out->buf + out->n;
        memcpy(p, key, n);
        *p = *first;
        *first = ',';
        out->n = (size_t)(straight_digits(p + n, kind, width, value) - out->buf);
        return;
    }
    straight_key(out, first, key, n);
    pd_out_json_value(out, set, value, width);
}

/* ---- Fields other than numbers. */

static void straight_hex(struct pd_out *out, char *first, const char *key, size_t n, const void *bytes,
                         size_t count)
{
    straight_key(out, first, key, n);
    pi_emit_char(out, '"');
    pd_out_hex_bytes(out, bytes, count);
    pi_emit_char(out, '"');
}

static void straight_str(const struct straight *t, char *first, const char *name, const struct pd_str *s)
{
    const struct pd_op op = {.kind = PI_OP_STR, .name = name};
    struct json j = {.out = t->out, .shape = &t->shape, .empty = *first == '{'};
    if (j.empty)
        pi_emit_char(t->out, '{');
    put_str(&j, &op, s);
    *first = ',';
}

/* Below it all values of a set are hexadecimal numbers in quotes. */
static uint64_t hex_below(const struct pd_set *set)
{
    uint64_t least = UINT64_MAX;
    if (set->kind != PD_SET_HEX && set->kind != PD_SET_ENUM)
        return 0;
    for (size_t i = 0; set->kind == PD_SET_ENUM && i < set->n; i++)
        least = set->names[i].value < least ? set->names[i].value : least;
    return least;
}

/* Addresses of call chains go straight into the buffer. */
static void straight_vec(struct pd_out *out, char *first, const char *key, size_t n, const struct pd_set *set,
                         const struct pd_vec *v)
{
    const uint64_t least = hex_below(set);
    straight_key(out, first, key, n);
    pi_emit_char(out, '[');
    for (size_t i = 0; i < v->n; i++) {
        const uint64_t value = pd_vec_at(v, i);
        if (value >= least || out->cap - out->n < 3 + PI_NUMBER_ROOM) {
            if (i)
                pi_emit_char(out, ',');
            pd_out_json_value(out, set, value, 8);
            continue;
        }
        char *p = out->buf + out->n;
        *p = ',';
        p = straight_digits(p + (i != 0), PD_SET_HEX, 8, value);
        out->n = (size_t)(p - out->buf);
    }
    pi_emit_char(out, ']');
}

/* ---- Objects: their fields, and the brace that ends them. */

#define LAYOUT(name_, doc_)                                                                 \
    static inline void object_##name_(const struct straight *t, const struct pd_##name_ *v) \
    {                                                                                       \
        struct pd_out *const out = t->out;                                                  \
        char first = '{';                                                                   \
        (void)v;
#define RECORD(name_, type_, misc_, trailer_, doc_) LAYOUT(name_, doc_)
#define END(name_)            \
    straight_end(out, first); \
    }
#define KEY(f_) out, &first, ",\"" #f_ "\":", sizeof #f_ + 3
#define NUMBER(f_, set_, width_, value_) \
    straight_number(KEY(f_), KIND_##set_, &pd_set_##set_, width_, value_);
#define U8(f_, set_, doc_) NUMBER(f_, set_, 1, STRAIGHT_U8(set_, v->f_))
#define U16(f_, set_, doc_) NUMBER(f_, set_, 2, STRAIGHT_U16(set_, v->f_))
#define U32(f_, set_, doc_) NUMBER(f_, set_, 4, STRAIGHT_U32(set_, v->f_))
#define S32(f_, set_, doc_) NUMBER(f_, set_, 4, STRAIGHT_U32(set_, (uint32_t)v->f_))
#define B32(f_, set_, doc_) NUMBER(f_, set_, 4, v->f_)
#define U64(f_, set_, doc_) NUMBER(f_, set_, 8, v->f_)
#define B64(f_, set_, doc_) NUMBER(f_, set_, 8, v->f_)
#define OPT64(f_, n_, set_, doc_) \
    if (v->n_)                    \
    NUMBER(f_, set_, 8, v->f_)
#define ARR(f_, n_, doc_) straight_hex(KEY(f_), v->f_, n_);
#define STR(f_, doc_) straight_str(t, &first, #f_, &v->f_);
#define BYTES(f_, n_, doc_) straight_hex(KEY(f_), v->f_.ptr, v->f_.n);
#define REST(f_, doc_) \
    if (v->f_.n)       \
    BYTES(f_, , )
#define VEC64(f_, n_, set_, doc_) straight_vec(KEY(f_), &pd_set_##set_, &v->f_);
#define VECR64(f_, set_, doc_) VEC64(f_, , set_, )
#define GRID64(f_, rows_, columns_, set_, doc_) VEC64(f_, , set_, )
#define REGS(f_, abi_, which_, doc_) VEC64(f_, , HEX, )
#define SUB(f_, layout_, doc_) \
    straight_key(KEY(f_));     \
    object_##layout_(t, &v->f_);
#define LATE(f_, abi_, bit_, layout_, doc_) \
    if (v->abi_ & (bit_)) {                 \
        SUB(f_, layout_, doc_)              \
    }
#define LIST(f_, n_, layout_, doc_)         \
    straight_key(KEY(f_));                  \
    pi_emit_char(out, '[');                 \
    for (size_t i = 0; i < v->f_.n; i++) {  \
        struct pd_##layout_ one;            \
        pd_##layout_##_at(&v->f_, i, &one); \
        if (i)                              \
            pi_emit_char(out, ',');         \
        object_##layout_(t, &one);          \
    }                                       \
    pi_emit_char(out, ']');
#define WHEN(src_, bit_) if (t->shape.src_ & PI_MASK_##src_(bit_)) {
#define UNLESS(src_, bit_) if (!(t->shape.src_ & PI_MASK_##src_(bit_))) {
#define DONE }
#define PI_EACH_FAST
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END
#undef KEY
#undef NUMBER

/* ---- The payload of a record. False: its layout is none of these. */

static bool put_straight(struct json *j, const struct pd_record *rec, const struct pi_view *view)
{
    const struct straight straight = {j->out, view->shape}, *const t = &straight;
    if (!pi_view_is_usual(view, rec))
        return false;
    switch (rec->type) {
#define LAYOUT(name_, doc_)
#define RECORD(name_, type_, misc_, trailer_, doc_) \
    case PD_RECORD_##type_:                         \
        PUT_KEY(j, #name_);                         \
        object_##name_(t, &rec->u.name_);           \
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
