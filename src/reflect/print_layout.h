/* SPDX-License-Identifier: MIT */
/*
 * print_layout.h - the printing passes over the schema, included by print.c: pd_record_print() as
 * straight-line code for the layouts that are expanded for decoding, too. By reflection, which prints the
 * other layouts, a plain sample takes 5,000 instructions, most of them to find the present fields; in this
 * way it takes a tenth.
 */

struct straight {
    struct pd_out *out;
    const struct printer *printer;
    const struct pd_record *rec;
    struct pd_shape shape;
};

/* A line of a number; the kind of its set, the name and the indent are constants. */
__attribute__((always_inline)) static inline void straight_number(struct pd_out *out, unsigned indent,
                                                                  const char *name, size_t n, unsigned kind,
                                                                  const struct pd_set *set, uint64_t value)
{
    const bool plain =
        kind == PD_SET_DEC || kind == PD_SET_SDEC || (kind == PD_SET_HEX && set != &pd_set_F64);
    if (plain && out->cap - out->n >= indent + n + 3 + PI_NUMBER_ROOM) {
        char *p = out->buf + out->n;
        memset(p, ' ', indent);
        memcpy(p + indent, name, n);
        memcpy(p + indent + n, ": ", 2);
        p += indent + n + 2;
        p = kind == PD_SET_HEX   ? pi_put_hex(p, value)
            : kind == PD_SET_DEC ? pi_put_dec(p, value)
                                 : pi_put_sdec(p, value);
        *p++ = '\n';
        out->n = (size_t)(p - out->buf);
        return;
    }
    for (unsigned i = 0; i < indent; i++)
        pi_emit_char(out, ' ');
    pi_emit(out, name, n);
    PI_EMIT(out, ": ");
    pd_out_value(out, set, value);
    pi_emit_char(out, '\n');
}

static void straight_name(struct pd_out *out, unsigned indent, const char *name)
{
    for (unsigned i = 0; i < indent; i++)
        pi_emit_char(out, ' ');
    pi_emit_str(out, name);
    pi_emit_char(out, ':');
}

/* ---- Fields other than numbers, by the functions of reflection. */

static struct printer indented(const struct straight *t, unsigned indent)
{
    return (struct printer){t->out, indent, t->printer->arch, t->printer->max_bytes, false};
}

static void straight_array(const struct straight *t, unsigned indent, const char *name, const uint8_t *bytes,
                           size_t n)
{
    straight_name(t->out, indent, name);
    pi_emit_char(t->out, ' ');
    pd_out_hex_bytes(t->out, bytes, n);
    pi_emit_char(t->out, '\n');
}

static void straight_str(const struct straight *t, unsigned indent, const char *name, const struct pd_str *s)
{
    static const struct pd_op op = {.kind = PI_OP_STR};
    const struct printer p = indented(t, indent);
    straight_name(t->out, indent, name);
    print_text(&p, name, &op, s);
}

static void straight_bytes(const struct straight *t, unsigned indent, const char *name,
                           const struct pd_bytes *bytes)
{
    const struct printer p = indented(t, indent);
    straight_name(t->out, indent, name);
    print_dump(&p, bytes->ptr, bytes->n);
}

static void straight_vec(const struct straight *t, unsigned indent, const char *name,
                         const struct pd_set *set, const struct pd_vec *vec, uint64_t registers, uint64_t abi)
{
    const struct printer p = indented(t, indent);
    straight_name(t->out, indent, name);
    print_numbers(&p, set, vec, registers, abi);
}

static void straight_item(struct pd_out *out, unsigned indent, size_t i)
{
    for (unsigned k = 0; k < indent; k++)
        pi_emit_char(out, ' ');
    pi_emit_dec(out, i);
    pi_emit_char(out, ':');
}

/* ---- An element of a list, in a line: numbers only. */

#define LAYOUT(name_, doc_)                                                                  \
    static inline void element_##name_(const struct straight *t, const struct pd_##name_ *v) \
    {                                                                                        \
        const char *separator = " ";                                                         \
        (void)t, (void)v, (void)separator;
#define RECORD(name_, type_, misc_, trailer_, doc_) LAYOUT(name_, doc_)
#define END(name_) }
#define ELEMENT(f_, set_, value_)                 \
    pi_emit_str(t->out, separator);               \
    PI_EMIT(t->out, #f_ " ");                     \
    pd_out_value(t->out, &pd_set_##set_, value_); \
    separator = ", ";
#define U8(f_, set_, doc_) ELEMENT(f_, set_, STRAIGHT_U8(set_, v->f_))
#define U16(f_, set_, doc_) ELEMENT(f_, set_, STRAIGHT_U16(set_, v->f_))
#define U32(f_, set_, doc_) ELEMENT(f_, set_, STRAIGHT_U32(set_, v->f_))
#define S32(f_, set_, doc_) ELEMENT(f_, set_, (uint64_t)(int64_t)v->f_)
#define B32(f_, set_, doc_) ELEMENT(f_, set_, v->f_)
#define U64(f_, set_, doc_) ELEMENT(f_, set_, v->f_)
#define B64(f_, set_, doc_) ELEMENT(f_, set_, v->f_)
#define WHEN(src_, bit_) if (t->shape.src_ & PI_MASK_##src_(bit_)) {
#define UNLESS(src_, bit_) if (!(t->shape.src_ & PI_MASK_##src_(bit_))) {
#define DONE }
#define PI_EACH_FAST
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END

/* ---- Fields, each on lines of its own. */

#define LAYOUT(name_, doc_)                                                    \
    __attribute__((always_inline)) static inline void text_##name_(            \
        const struct straight *t, unsigned indent, const struct pd_##name_ *v) \
    {                                                                          \
        (void)t, (void)indent, (void)v;
#define RECORD(name_, type_, misc_, trailer_, doc_) LAYOUT(name_, doc_)
#define END(name_) }
#define NUMBER(f_, set_, value_) \
    straight_number(t->out, indent, #f_, sizeof #f_ - 1, KIND_##set_, &pd_set_##set_, value_);
#define U8(f_, set_, doc_) NUMBER(f_, set_, STRAIGHT_U8(set_, v->f_))
#define U16(f_, set_, doc_) NUMBER(f_, set_, STRAIGHT_U16(set_, v->f_))
#define U32(f_, set_, doc_) NUMBER(f_, set_, STRAIGHT_U32(set_, v->f_))
#define S32(f_, set_, doc_) NUMBER(f_, set_, (uint64_t)(int64_t)v->f_)
#define B32(f_, set_, doc_) NUMBER(f_, set_, v->f_)
#define U64(f_, set_, doc_) NUMBER(f_, set_, v->f_)
#define B64(f_, set_, doc_) NUMBER(f_, set_, v->f_)
#define OPT64(f_, n_, set_, doc_) \
    if (v->n_)                    \
    NUMBER(f_, set_, v->f_)
#define ARR(f_, n_, doc_) straight_array(t, indent, #f_, v->f_, n_);
#define STR(f_, doc_) straight_str(t, indent, #f_, &v->f_);
#define BYTES(f_, n_, doc_) straight_bytes(t, indent, #f_, &v->f_);
#define REST(f_, doc_) straight_bytes(t, indent, #f_, &v->f_);
#define VEC64(f_, n_, set_, doc_) straight_vec(t, indent, #f_, &pd_set_##set_, &v->f_, 0, 0);
#define VECR64(f_, set_, doc_) straight_vec(t, indent, #f_, &pd_set_##set_, &v->f_, 0, 0);
#define GRID64(f_, rows_, columns_, set_, doc_) straight_vec(t, indent, #f_, &pd_set_##set_, &v->f_, 0, 0);
#define REGS(f_, abi_, which_, doc_)                                                                         \
    straight_vec(t, indent, #f_, &pd_set_HEX, &v->f_, t->rec->attr ? t->rec->attr->sample_regs_##which_ : 0, \
                 v->abi_);
#define SUB(f_, layout_, doc_)          \
    straight_name(t->out, indent, #f_); \
    pi_emit_char(t->out, '\n');         \
    text_##layout_(t, indent + 2, &v->f_);
#define LATE(f_, abi_, bit_, layout_, doc_) \
    if (v->abi_ & (bit_)) {                 \
        SUB(f_, layout_, doc_)              \
    }
#define LIST(f_, n_, layout_, doc_)           \
    straight_name(t->out, indent, #f_);       \
    pi_emit_char(t->out, '\n');               \
    for (size_t i = 0; i < v->f_.n; i++) {    \
        struct pd_##layout_ one;              \
        pd_##layout_##_at(&v->f_, i, &one);   \
        straight_item(t->out, indent + 2, i); \
        element_##layout_(t, &one);           \
        pi_emit_char(t->out, '\n');           \
    }
#define WHEN(src_, bit_) if (t->shape.src_ & PI_MASK_##src_(bit_)) {
#define UNLESS(src_, bit_) if (!(t->shape.src_ & PI_MASK_##src_(bit_))) {
#define DONE }
#define PI_EACH_FAST
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END

/* ---- Records. False: its layout is none of these. */

static bool print_straight(const struct printer *p, const struct pd_record *rec, const struct pi_view *view)
{
    const struct straight straight = {p->out, p, rec, view->shape}, *const t = &straight;
    if (view->layout == NULL || !pi_view_is_usual(view, rec))
        return false;
    switch (rec->type) {
#define LAYOUT(name_, doc_)
#define RECORD(name_, type_, misc_, trailer_, doc_) \
    case PD_RECORD_##type_:                         \
        text_##name_(t, 2, &rec->u.name_);          \
        break;
#define END(name_)
#define PI_EACH_FAST
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END
    default: return false;
    }
    if (rec->rest.n)
        straight_bytes(t, 2, "rest", &rec->rest);
    if (view->has_id) {
        PI_EMIT(p->out, "  sample_id:\n");
        text_sample_id(t, 4, &rec->id);
    }
    return true;
}
