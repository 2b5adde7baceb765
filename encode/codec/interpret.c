/* SPDX-License-Identifier: MIT */
/*
 * interpret.c - the reference encoder, the mirror of src/codec/interpret.c: checks and writes field by field,
 * and names the field that cannot be encoded.
 */
#include "src/codec/interpret.h"
#include "src/codec/variant.h"
#include "src/schema/fail.h"
#include "src/schema/schema.h"
#include "src/schema/passes/when.h"
#include "src/schema/passes/walk.h"
#include "src/support/wire.h"
#include <stdarg.h>
#include <stdio.h>

/*
 * The required end of the bytes of the record, section or part of stated size, according to members that are
 * not in the stream. It is checked when it is reached.
 */
struct claims {
    size_t least, most;
    const char *least_of, *most_of; /* the members that say so */
    const struct pd_op *odd;        /* says whether an odd number of u64s follows; NULL: nothing does */
    size_t odd_at;
    bool is_odd;
};

struct writer {
    struct pd_shape shape;
    enum pd_order order;
    const struct pd_record *rec; /* NULL: a section */
    uint8_t *out;                /* NULL: only count */
    size_t cap;
    size_t at;
    size_t limit; /* most bytes that there may be */
    size_t end;   /* of the part of stated size, whose last fields may be absent; SIZE_MAX: in none */
    struct pd_error *error;
    struct claims claims;
    const struct pd_op *text; /* the member that says whether text follows; NULL: none does */
    bool is_text;
    size_t text_at, n_after; /* where that was, and of the bytes there */
    uint8_t after[8];        /* the first */
    pi_complete_fn complete; /* of the elements of lists; NULL: they are complete */
};

static const struct claims no_claims = {.most = SIZE_MAX};

static enum pd_code fail(const struct writer *w, enum pd_code code, const char *field, uint64_t found,
                         uint64_t expected)
{
    if (w->rec)
        pi_fail_record(w->error, code, w->rec, w->at, field, found, expected);
    else
        pi_fail(w->error, code, w->at, field, found, expected);
    if (w->error)
        snprintf(w->error->path, sizeof w->error->path, "%s", field);
    return code;
}

/* Copies n bytes (NULL: zero bytes), where there is room; `at` counts on regardless. */
/*@ requires \valid(w) && w->n_after <= 8 && (w->out == \null || \valid(w->out + (0 .. w->cap - 1)));
  @ requires there: n == 0 || p == \null || \valid_read((uint8_t *)p + (0 .. n - 1));
  @ requires apart: \separated(w, w->out + (0 .. w->cap - 1));
  @ assigns w->at, w->n_after, w->after[0 .. 7], w->out[0 .. w->cap - 1];
  @ ensures w->n_after <= 8 && w->at == (size_t)(\old(w->at) + n);
  @*/
static void write_bytes(struct writer *w, const void *p, size_t n)
{
    /*@ loop invariant 0 <= i <= n && w->n_after <= 8;
      @ loop assigns i, w->n_after, w->after[0 .. 7];
      @*/
    for (size_t i = 0; w->text && i < n && w->n_after < sizeof w->after; i++)
        w->after[w->n_after++] = p ? ((const uint8_t *)p)[i] : 0;
    if (w->out && w->at <= w->cap && n <= w->cap - w->at) {
        if (p && n)
            memcpy(w->out + w->at, p, n);
        else
            memset(w->out + w->at, 0, n);
    }
    w->at += n;
}

/*@ requires \valid(w) && w->n_after <= 8 && (w->out == \null || \valid(w->out + (0 .. w->cap - 1)));
  @ requires width == 1 || width == 2 || width == 4 || width == 8;
  @ requires apart: \separated(w, w->out + (0 .. w->cap - 1));
  @ assigns w->at, w->n_after, w->after[0 .. 7], w->out[0 .. w->cap - 1];
  @ ensures w->n_after <= 8 && w->at == (size_t)(\old(w->at) + width);
  @*/
static void write_number(struct writer *w, uint64_t value, unsigned width)
{
    uint8_t b[8];
    pi_store(b, value, width, w->order);
    write_bytes(w, b, width);
}

static enum pd_code write_scalar(struct writer *w, const struct pd_op *op, const void *v)
{
    uint64_t value = pi_scalar_get(op, v);
    if ((op->kind == PI_OP_B32 || op->kind == PI_OP_B64) && w->order == PD_BIG)
        value = pi_mirror_to_big(op->set, value);
    write_number(w, value, pi_scalar_width(op));
    return PD_OK;
}

static void write_varint(struct writer *w, uint64_t value)
{
    uint8_t bytes[10];
    size_t n = 0;
    for (; value > 0x7f; value >>= 7)
        bytes[n++] = (uint8_t)(value | 0x80);
    bytes[n++] = (uint8_t)value;
    write_bytes(w, bytes, n);
}

/* ---- Where the bytes end. */

static void claim_room(struct writer *w, const struct pd_op *op, uint64_t n, bool there)
{
    const size_t end = n < SIZE_MAX - w->at ? w->at + (size_t)n : SIZE_MAX;
    if (there && end > w->claims.least) {
        w->claims.least = end;
        w->claims.least_of = op->name;
    } else if (!there && end - 1 < w->claims.most) {
        w->claims.most = end - 1;
        w->claims.most_of = op->name;
    }
}

static void claim_odd(struct writer *w, const struct pd_op *op, bool is_odd)
{
    w->claims.odd = op;
    w->claims.odd_at = w->at;
    w->claims.is_odd = is_odd;
}

static enum pd_code check_claims(const struct writer *w)
{
    const struct claims *c = &w->claims;
    if (w->text && w->is_text != pi_is_text(w->after, w->at - w->text_at, w->order))
        return fail(w, PD_EVALUE, w->text->name, w->is_text, !w->is_text);
    if (w->at < c->least)
        return fail(w, PD_ECOUNT, c->least_of, w->at, c->least);
    if (w->at > c->most)
        return fail(w, PD_ECOUNT, c->most_of, w->at, c->most);
    if (c->odd && ((w->at - c->odd_at) / 8 % 2 != 0) != c->is_odd)
        return fail(w, PD_ECOUNT, c->odd->name, c->is_odd, !c->is_odd);
    return PD_OK;
}

/* ---- Strings and other counted bytes. */

static enum pd_code check_many(struct writer *w, const struct pd_op *op, size_t n)
{
    return n <= w->limit ? PD_OK : fail(w, PD_ELIMIT, op->name, n, w->limit);
}

/* The slot of a string that is counted. */
static size_t counted_slot(const struct writer *w, const struct pd_op *op, const void *v)
{
    const uint64_t n = pi_count(op, &w->shape, v);
    return n == 0 ? 0 : n <= w->limit ? pi_slot_of(op, (size_t)n) : SIZE_MAX;
}

/* True if the slot has the size of its kind. */
static enum pd_code check_slot(struct writer *w, const struct pd_op *op, const void *v,
                               const struct pd_str *s, size_t size)
{
    size_t expected = size;
    if (op->kind == PI_OP_CSTR && s->len && memchr(s->ptr, 0, s->len)) /* would end it */
        return fail(w, PD_EVALUE, op->name, 0, 1);
    if (op->kind == PI_OP_CSTR)
        expected = s->len + 1;
    else if (op->kind == PI_OP_STRN || (op->kind == PI_OP_STRMAX && size > op->arg))
        expected = (size_t)op->arg;
    else if (op->kind == PI_OP_SLOT)
        expected = counted_slot(w, op, v);
    return size == expected ? PD_OK : fail(w, PD_ECOUNT, op->name, size, expected);
}

/* Writes required bytes. */
static enum pd_code check_fixed(const struct writer *w, const struct pd_op *op, const void *p, size_t n,
                                size_t expected)
{
    if (n != expected)
        return fail(w, PD_ECOUNT, op->name, n, expected);
    return memcmp(p, op->ref, n) == 0
               ? PD_OK
               : fail(w, PD_EVALUE, op->name, *(const uint8_t *)p, (uint8_t)op->ref[0]);
}

static enum pd_code write_str(struct writer *w, const struct pd_op *op, const void *v, const struct pd_str *s)
{
    if (s->len > w->limit || (s->size != PD_AUTO && s->size > w->limit))
        return fail(w, PD_ELIMIT, op->name, s->len, w->limit);
    if (s->size != PD_AUTO && s->len > s->size)
        return fail(w, PD_ECOUNT, op->name, s->len, s->size);
    if (s->size != PD_AUTO && s->len < s->size && s->ptr[s->len])
        return fail(w, PD_EVALUE, op->name, (uint8_t)s->ptr[s->len], 0);
    const size_t readable = s->size == PD_AUTO ? s->len : s->size;
    const size_t size = s->size == PD_AUTO ? pi_slot_of(op, s->len) : s->size;
    enum pd_code code = check_slot(w, op, v, s, size);
    if (!code && op->kind == PI_OP_CSTR && op->ref)
        code = check_fixed(w, op, s->ptr, s->len, strlen(op->ref));
    if (code)
        return code;
    if (op->kind == PI_OP_STR64)
        write_number(w, size, 4);
    else if (op->kind == PI_OP_STRV)
        write_varint(w, size);
    write_bytes(w, s->ptr, readable);
    write_bytes(w, NULL, size - readable);
    if (op->kind == PI_OP_STRMAX && size < op->arg)
        claim_room(w, op, 1, false);
    return PD_OK;
}

static enum pd_code check_count(struct writer *w, const struct pd_op *op, const void *v, size_t n)
{
    const uint64_t count = pi_count(op, &w->shape, v),
                   abi = op->kind == PI_OP_REGS ? pi_value_of(v, op->count_offset, 8) : 0;
    if (pi_abi_unknown(abi))
        return fail(w, PD_EVALUE, op->ref, abi, PD_REGS_ABI_64);
    return n == count ? check_many(w, op, n) : fail(w, PD_ECOUNT, op->ref, count, n);
}

static enum pd_code write_vec(struct writer *w, const struct pd_op *op, const struct pd_vec *v)
{
    const unsigned width = pi_vec_width(op);
    if (v->width == width &&
        (v->form == (uint8_t)w->order || (v->form == PD_FORM_STRUCT && w->order == PD_HOST_ORDER))) {
        write_bytes(w, v->ptr, width * v->n);
        return PD_OK;
    }
    for (size_t i = 0; i < v->n; i++) {
        const uint64_t value = pd_vec_at(v, i);
        if (width < 8 && value >> 8 * width)
            return fail(w, PD_EVALUE, op->name, value, (UINT64_C(1) << 8 * width) - 1);
        write_number(w, value, width);
    }
    return PD_OK;
}

/* ---- Parts. */

static enum pd_code write_layout(struct writer *w, const struct pd_op *head, const void *v);

/* A path that is too long loses its end. */
__attribute__((format(printf, 3, 4))) static void put_path(char *path, size_t cap, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(path, cap, format, args);
    va_end(args);
}

/* The error is in a part of the field `op`: in an element of it unless index is SIZE_MAX. */
static enum pd_code fail_inside(const struct writer *w, enum pd_code code, const struct pd_op *op,
                                size_t index)
{
    char path[sizeof w->error->path];
    if (code == PD_OK || w->error == NULL)
        return code;
    memcpy(path, w->error->path, sizeof path);
    if (index == SIZE_MAX)
        put_path(w->error->path, sizeof path, "%s.%s", op->name, path);
    else
        put_path(w->error->path, sizeof path, "%s[%zu].%s", op->name, index, path);
    return code;
}

/* Elements that already have the needed order are copied. */
static bool is_as_wanted(const struct writer *w, const struct pd_list *l)
{
    return l->varying && l->form == (uint8_t)w->order && l->when == w->shape.given &&
           l->variant == w->shape.variant;
}

static enum pd_code write_list(struct writer *w, const struct pd_op *op, const struct pd_list *list)
{
    _Alignas(8) uint8_t element[PI_ELEMENT_MAX];
    struct pd_list l = *list;
    const size_t end = w->end;
    enum pd_code code = PD_OK;
    if (is_as_wanted(w, &l)) {
        write_bytes(w, l.ptr, l.stride);
        return PD_OK;
    }
    w->end = SIZE_MAX;
    for (size_t i = 0; !code && w->at <= w->limit && pi_list_take(&l, op->sub(), element); i++) {
        if (w->complete)
            w->complete(op->sub(), &w->shape, element);
        code = fail_inside(w, write_layout(w, op->sub(), element), op, i);
    }
    w->end = end;
    return code;
}

/* Its size is that of its fields. */
static enum pd_code write_message(struct writer *w, const struct pd_op *op, const struct pd_list *l)
{
    struct writer measure = *w;
    measure.out = NULL;
    const enum pd_code code = write_list(&measure, op, l);
    if (code)
        return code;
    write_varint(w, measure.at - w->at);
    return write_list(w, op, l);
}

static enum pd_code write_sized(struct writer *w, const struct pd_op *op, uint64_t size, const void *member)
{
    const size_t begin = w->at, end = w->end;
    const struct claims claims = w->claims;
    if (size < op->arg || size - op->arg > w->limit)
        return fail(w, PD_ECOUNT, op->ref ? op->ref : op->name, size, op->arg);
    if (op->kind == PI_OP_SIZED && op->sub() == pi_layout_attr() && size < PD_ATTR_SIZE_VER0)
        return fail(w, PD_ECOUNT, op->ref, size, PD_ATTR_SIZE_VER0);
    const size_t part_end = begin + (size_t)(size - op->arg);
    w->end = op->src ? SIZE_MAX : part_end;
    w->claims = no_claims;
    enum pd_code code = write_layout(w, op->sub(), member);
    if (!code)
        code = check_claims(w);
    if (code)
        return fail_inside(w, code, op, SIZE_MAX);
    if (w->at != part_end)
        return fail(w, PD_ECOUNT, op->ref ? op->ref : op->name, size, w->at - begin + op->arg);
    w->end = end;
    w->claims = claims;
    return PD_OK;
}

static enum pd_code write_attr(struct writer *w, const struct pd_op *op, const struct pd_attr *attr)
{
    if (attr->size && attr->size < PD_ATTR_SIZE_VER0)
        return fail(w, PD_ECOUNT, op->name, attr->size, PD_ATTR_SIZE_VER0);
    return write_sized(w, op, attr->size ? attr->size : PD_ATTR_SIZE_VER0, attr);
}

/* ---- Members that are not in the stream must be what decoding would make of the bytes. */

static uint64_t count_of_room(const struct pd_op *op, uint64_t count)
{
    if (op->kind == PI_OP_ROOM)
        return op->arg;
    return count <= SIZE_MAX / op->arg ? count * op->arg : SIZE_MAX;
}

/* Notes what the flag says of the room behind it, which is checked at the end; returns what it must be. */
static bool note_room(struct writer *w, const struct pd_op *op, uint64_t count, bool flag)
{
    if (op->kind == PI_OP_ODD64)
        claim_odd(w, op, flag);
    else if (op->kind == PI_OP_ROOM || count)
        claim_room(w, op, count_of_room(op, count), flag);
    else
        return false;
    return flag;
}

/* The same of whether text follows. */
static bool note_text(struct writer *w, const struct pd_op *op, bool flag)
{
    w->text = op;
    w->is_text = flag;
    w->text_at = w->at;
    w->n_after = 0;
    return flag;
}

static enum pd_code check_derived(struct writer *w, const struct pd_op *op, const void *v)
{
    const uint64_t count = op->count_width ? pi_count(op, &w->shape, v) : 0;
    uint64_t found, expected;
    switch (op->kind) {
    case PI_OP_OTHER:
        if (count < 8)
            return fail(w, PD_EVALUE, op->ref, count, 8);
        if ((count & 7) > PI_WIRE_TYPE_LAST)
            return fail(w, PD_EVALUE, op->name, count & 7, PI_WIRE_TYPE_LAST);
        found = pi_value_of(v, op->offset, 8);
        expected = pi_derived(op, v);
        break;
    case PI_OP_PASS: w->shape.given = (uint32_t)count; return PD_OK;
    case PI_OP_ORDER:
        if (count > PD_BIG)
            return fail(w, PD_EVALUE, op->name, count, PD_BIG);
        w->order = (enum pd_order)count;
        return PD_OK;
    case PI_OP_LITTLE: w->order = PD_LITTLE; return PD_OK;
    case PI_OP_TEXT:
        found = pi_value_of(v, op->offset, 1);
        expected = note_text(w, op, found != 0);
        break;
    case PI_OP_SINCE:
        if (!pi_is_number(op, v))
            return fail(w, PD_EVALUE, op->ref, pi_first_character(op, v), '0');
        found = pi_value_of(v, op->offset, 1);
        expected = pi_is_since(op, v);
        break;
    case PI_OP_GIVEN:
        found = pi_value_of(v, op->offset, 4);
        expected = w->shape.given;
        break;
    case PI_OP_ROOM:
    case PI_OP_ROOMN:
    case PI_OP_ODD64:
        found = pi_value_of(v, op->offset, 1);
        expected = note_room(w, op, count, found != 0);
        break;
    case PI_OP_LESS:
        if (count < op->arg)
            return fail(w, PD_ECOUNT, op->ref, count, op->arg);
        /* fall through */
    default:
        found = pi_value_of(v, op->offset, 8);
        expected = pi_derived(op, v);
        break;
    }
    return found == expected ? PD_OK : fail(w, PD_ECOUNT, op->name, found, expected);
}

static enum pd_code write_bytes_of(struct writer *w, const struct pd_op *op, const struct pd_bytes *b)
{
    const enum pd_code code = check_many(w, op, b->n);
    if (code == PD_OK)
        write_bytes(w, b->ptr, b->n);
    return code;
}

static enum pd_code write_opt64(struct writer *w, const struct pd_op *op, const void *v)
{
    if (pi_count(op, &w->shape, v) == 0)
        return pi_scalar_get(op, v) ? fail(w, PD_EVALUE, op->name, pi_scalar_get(op, v), 0) : PD_OK;
    return write_scalar(w, op, v);
}

static enum pd_code write_field(struct writer *w, const struct pd_op *op, const void *v)
{
    const void *member = (const uint8_t *)v + op->offset;
    const struct pd_bytes *bytes = member;
    const struct pd_vec *vec = member;
    const struct pd_list *list = member;
    enum pd_code code;
    switch (op->kind) {
    case PI_OP_ARR:
        write_bytes(w, member, (size_t)op->arg);
        return op->ref ? check_fixed(w, op, member, (size_t)op->arg, (size_t)op->arg) : PD_OK;
    case PI_OP_STR:
    case PI_OP_CSTR:
    case PI_OP_STR64:
    case PI_OP_STRV:
    case PI_OP_STRN:
    case PI_OP_STRMAX:
    case PI_OP_SLOT: return write_str(w, op, v, member);
    case PI_OP_REST: return write_bytes_of(w, op, bytes);
    case PI_OP_BYTES: return (code = check_count(w, op, v, bytes->n)) ? code : write_bytes_of(w, op, bytes);
    case PI_OP_VECR64: return (code = check_many(w, op, vec->n)) ? code : write_vec(w, op, vec);
    case PI_OP_VEC16:
    case PI_OP_VEC32:
    case PI_OP_VEC64:
    case PI_OP_GRID64:
    case PI_OP_REGS: return (code = check_count(w, op, v, vec->n)) ? code : write_vec(w, op, vec);
    case PI_OP_LIST:
    case PI_OP_ITEMS: return (code = check_count(w, op, v, list->n)) ? code : write_list(w, op, list);
    case PI_OP_ITEMSR: return write_list(w, op, list);
    case PI_OP_MESSAGE: return write_message(w, op, list);
    case PI_OP_SUB: return fail_inside(w, write_layout(w, op->sub(), member), op, SIZE_MAX);
    case PI_OP_SIZED: return write_sized(w, op, pi_count(op, &w->shape, v), member);
    case PI_OP_ATTR: return write_attr(w, op, member);
    case PI_OP_VARINT: write_varint(w, pi_scalar_get(op, v)); return PD_OK;
    case PI_OP_OPT64: return write_opt64(w, op, v);
    default: return op->kind >= PI_OP_GIVEN ? check_derived(w, op, v) : write_scalar(w, op, v);
    }
}

/* In a part of stated size: does it end before this number? Then those behind it are absent too. */
static bool ends_before(const struct writer *w, const struct pd_op *op)
{
    const size_t width = op->kind == PI_OP_ARR ? (size_t)op->arg : pi_scalar_width(op);
    return w->end != SIZE_MAX && op->kind != PI_OP_OPT64 && (w->at > w->end || width > w->end - w->at);
}

/* Members that are not written must be 0. */
static bool is_nothing(const struct pd_op *op, const void *v)
{
    const void *member = (const uint8_t *)v + op->offset;
    const struct pd_str *s = member;
    const uint8_t *p = member;
    size_t n = op->kind == PI_OP_ARR ? (size_t)op->arg : pi_scalar_width(op);
    while (n && p[n - 1] == 0)
        n--;
    return n == 0 && (op->kind != PI_OP_STR || s->len == 0);
}

static enum pd_code write_layout(struct writer *w, const struct pd_op *head, const void *v)
{
    const uint32_t given = w->shape.given;
    const enum pd_order order = w->order;
    bool ended = false;
    for (const struct pd_op *op = pi_present(head, &w->shape, v); op->kind != PI_OP_END;
         op = pi_present(op + 1, &w->shape, v)) {
        ended |= ends_before(w, op);
        if (ended && !is_nothing(op, v))
            return fail(w, PD_EVALUE, op->name, pi_scalar_width(op) ? pi_scalar_get(op, v) : 1, 0);
        if (ended && op->kind != PI_OP_REST)
            continue;
        const enum pd_code code = write_field(w, op, v);
        if (code)
            return code;
        if (w->at > w->limit)
            return fail(w, PD_ELIMIT, op->name, w->at, w->limit);
    }
    w->shape.given = given;
    w->order = order;
    return PD_OK;
}

/* ---- Records and sections. */

static enum pd_code write_payload(struct writer *w, const struct pd_op *layout, const struct pd_record *rec,
                                  bool has_id)
{
    enum pd_code code = layout ? write_layout(w, layout, &rec->u) : PD_OK;
    if (code)
        return code;
    if (rec->rest.n > UINT16_MAX)
        return fail(w, PD_ELIMIT, "rest", rec->rest.n, UINT16_MAX);
    write_bytes(w, rec->rest.ptr, rec->rest.n);
    if ((code = check_claims(w)))
        return code;
    return has_id ? write_layout(w, pi_layout_sample_id(), &rec->id) : PD_OK;
}

enum pd_code pi_interpret_encode(const struct pd_plan *plan, const struct pd_record *rec, void *out,
                                 size_t cap, size_t *size, struct pd_error *error)
{
    return pi_interpret_encode_with(plan, rec, NULL, out, cap, size, error);
}

enum pd_code pi_interpret_encode_with(const struct pd_plan *plan, const struct pd_record *rec,
                                      pi_complete_fn complete, void *out, size_t cap, size_t *size,
                                      struct pd_error *error)
{
    const struct pd_op *layout = rec->old_feature ? NULL : pi_layout_of(rec->type);
    struct writer w = {plan->shape, plan->order, rec,  out,   cap, 8, UINT16_MAX, SIZE_MAX,
                       error,       no_claims,   NULL, false, 0,   0, {0},        complete};
    w.shape.misc = rec->misc;
    w.shape.given = rec->misc;
    w.shape.variant = rec->variant;
    if (pi_layout_unknown(plan, rec->type))
        return fail(&w, PD_EUNKNOWN, "sample_type", plan->shape.sample_type, 0);
    if (!pi_variant_possible(rec) && rec->variant & PI_VARIANT_UNKNOWN_REGS)
        return fail(&w, PD_EVALUE, "abi", pi_variant_abi(rec), UINT64_MAX);
    if (!pi_variant_possible(rec))
        return fail(&w, PD_EVALUE, "hw_idx", rec->u.sample.branch_stack.nr, 0);
    const enum pd_code code = write_payload(&w, layout, rec, pi_has_id(plan, rec->type, rec->variant));
    if (code)
        return code;
    if (w.at > UINT16_MAX)
        return fail(&w, PD_ELIMIT, "size", w.at, UINT16_MAX);
    if (rec->size && rec->size != w.at)
        return fail(&w, PD_ECOUNT, "size", rec->size, w.at);
    *size = w.at;
    w.at = 0;
    write_number(&w, rec->type, 4);
    write_number(&w, rec->misc, 2);
    write_number(&w, *size, 2);
    return out && *size > cap ? fail(&w, PD_ESPACE, "record", cap, *size) : PD_OK;
}

/*
 * Most bytes of a section: on 32 bits so few that the position, checked behind each field, cannot wrap
 * around.
 */
#define MOST_OF_SECTION (UINT32_MAX < SIZE_MAX / 4 ? UINT32_MAX : SIZE_MAX / 4)

enum pd_code pi_interpret_put_section(const struct pd_op *layout, const struct pd_shape *shape,
                                      enum pd_order order, const void *v, const struct pd_bytes *rest,
                                      void *out, size_t cap, size_t *size, struct pd_error *error)
{
    return pi_interpret_put_section_with(layout, shape, order, v, rest, NULL, out, cap, size, error);
}

enum pd_code pi_interpret_put_section_with(const struct pd_op *layout, const struct pd_shape *shape,
                                           enum pd_order order, const void *v, const struct pd_bytes *rest,
                                           pi_complete_fn complete, void *out, size_t cap, size_t *size,
                                           struct pd_error *error)
{
    struct writer w = {*shape,    order, NULL,  out, cap, 0,   MOST_OF_SECTION, SIZE_MAX, error,
                       no_claims, NULL,  false, 0,   0,   {0}, complete};
    enum pd_code code = write_layout(&w, layout, v);
    if (code)
        return code;
    if (rest->n > w.limit - w.at)
        return fail(&w, PD_ELIMIT, "rest", rest->n, w.limit - w.at);
    write_bytes(&w, rest->ptr, rest->n);
    if ((code = check_claims(&w)))
        return code;
    *size = w.at;
    return out && w.at > cap ? fail(&w, PD_ESPACE, "section", cap, w.at) : PD_OK;
}

/* ---- Members that are not written at all. */

/* The bytes of a struct, which has no members of other than whole words, or few. */
static bool is_zero(const void *member, size_t n)
{
    const uint8_t *p = member;
    uint64_t word, sum = 0;
    for (; n >= sizeof word; p += sizeof word, n -= sizeof word) {
        memcpy(&word, p, sizeof word);
        sum |= word;
    }
    while (n)
        sum |= p[--n];
    return sum == 0;
}

/* True if the member, or any part of it, has a value. */
bool pi_says(const struct pd_op *op, const void *v)
{
    const uint8_t *member = (const uint8_t *)v + op->offset;
    switch (op->kind) {
    case PI_OP_STR:
    case PI_OP_CSTR:
    case PI_OP_STR64:
    case PI_OP_STRV:
    case PI_OP_STRN:
    case PI_OP_STRMAX:
    case PI_OP_SLOT: return ((const struct pd_str *)(const void *)member)->len != 0;
    case PI_OP_BYTES:
    case PI_OP_REST: return ((const struct pd_bytes *)(const void *)member)->n != 0;
    case PI_OP_VEC16:
    case PI_OP_VEC32:
    case PI_OP_VEC64:
    case PI_OP_VECR64:
    case PI_OP_GRID64:
    case PI_OP_REGS: return ((const struct pd_vec *)(const void *)member)->n != 0;
    case PI_OP_LIST:
    case PI_OP_ITEMS:
    case PI_OP_ITEMSR:
    case PI_OP_MESSAGE: return ((const struct pd_list *)(const void *)member)->n != 0;
    case PI_OP_SUB:
        if (is_zero(member, op->sub()->offset))
            return false;
        for (const struct pd_op *in = op->sub() + 1; in->kind != PI_OP_END; in++)
            if (in->kind < PI_OP_GIVEN && pi_says(in, member))
                return true;
        return false;
    default: return op->kind < PI_OP_GIVEN && !is_nothing(op, v);
    }
}

static bool is_present(const struct pd_op *head, const struct pd_shape *s, const void *v, unsigned offset)
{
    const struct pd_op *op = pi_present(head, s, v);
    while (op->kind != PI_OP_END && op->offset != offset)
        op = pi_present(op + 1, s, v);
    return op->kind != PI_OP_END;
}

static const struct pd_op *left_out(const struct pd_op *head, const struct pd_shape *s, const void *v,
                                    const void **value)
{
    const struct pd_op *present = pi_present(head, s, v), *found = NULL;
    for (const struct pd_op *op = head + 1; op->kind != PI_OP_END && !found; op++) {
        const bool is = op == present;
        if (is)
            present = pi_present(op + 1, s, v);
        if (is && op->kind == PI_OP_SUB)
            found = left_out(op->sub(), s, (const uint8_t *)v + op->offset, value);
        const struct pd_list *l = (const void *)((const uint8_t *)v + op->offset);
        for (size_t i = 0; is && op->kind == PI_OP_LIST && l->form == PD_FORM_STRUCT && i < l->n && !found;
             i++)
            found = left_out(op->sub(), s, (const uint8_t *)l->ptr + i * l->stride, value);
        if (is || op->kind >= PI_OP_GIVEN || !pi_says(op, v) || is_present(head, s, v, op->offset))
            continue;
        *value = v;
        found = op;
    }
    return found;
}

const struct pd_op *pi_left_out(const struct pd_plan *plan, const struct pd_record *rec, const void **value)
{
    static const struct pd_op trailer = {.kind = PI_OP_SUB, .name = "sample_id", .sub = pi_layout_sample_id};
    const struct pd_op *layout = rec->old_feature ? NULL : pi_layout_of(rec->type), *found;
    struct pd_shape shape = plan->shape;
    shape.misc = rec->misc;
    shape.given = rec->misc;
    shape.variant = rec->variant;
    if (layout && (found = left_out(layout, &shape, &rec->u, value)))
        return found;
    if (pi_has_id(plan, rec->type, rec->variant))
        return left_out(pi_layout_sample_id(), &shape, &rec->id, value);
    *value = &rec->id;
    return pi_says(&trailer, &rec->id) ? &trailer : NULL;
}

/* Bytes of a member in the C struct. */
static size_t member_bytes(const struct pd_op *op)
{
    switch (op->kind) {
    case PI_OP_ARR: return (size_t)op->arg;
    case PI_OP_BYTES:
    case PI_OP_REST: return sizeof(struct pd_bytes);
    case PI_OP_VEC64:
    case PI_OP_VECR64:
    case PI_OP_GRID64:
    case PI_OP_REGS: return sizeof(struct pd_vec);
    case PI_OP_LIST: return sizeof(struct pd_list);
    default: return pi_scalar_width(op);
    }
}

static void clear_present(const struct pd_op *head, const struct pd_shape *s, uint8_t *mask)
{
    for (const struct pd_op *op = pi_present(head, s, NULL); op->kind != PI_OP_END;
         op = pi_present(op + 1, s, NULL))
        if (op->kind == PI_OP_SUB)
            clear_present(op->sub(), s, mask + op->offset);
        else
            memset(mask + op->offset, 0, member_bytes(op));
}

void pi_left_out_of_samples(const struct pd_plan *plan, void *mask)
{
    memset(mask, 0xff, sizeof(struct pd_sample));
    clear_present(pi_layout_sample(), &plan->shape, mask);
}
