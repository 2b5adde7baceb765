/* SPDX-License-Identifier: MIT */
/*
 * interpret.c - the reference decoder: walks the schema's tables field by field, each one checked by itself.
 * The straight-line decoder calls it to find out which field is wrong; tests compare the two on every record.
 */
#include "interpret.h"
#include "parts.h"
#include "variant.h"
#include "src/schema/fail.h"
#include "src/schema/schema.h"
#include "src/schema/passes/when.h"
#include "src/schema/passes/walk.h"
#include "src/support/wire.h"

struct reader {
    struct pd_shape shape;
    enum pd_order order;
    const struct pd_record *rec; /* NULL: a section */
    const uint8_t *begin;
    const uint8_t *p;
    size_t left; /* before the trailer, or in the part of stated size */
    bool sized;  /* in a part of stated size, whose last fields may be absent */
    struct pd_error *error;
};

/*@ predicate there(struct reader *r) = \valid_read(r->p + (0 .. r->left - 1));
  @ predicate taken{A, B}(struct reader *r) = \at(r->left, B) <= \at(r->left, A) &&
  @     \at(r->p, B) == \at(r->p, A) + (\at(r->left, A) - \at(r->left, B));
  @ predicate within(uint8_t *p, integer n, uint8_t *begin, integer size) =
  @     \base_addr(p) == \base_addr(begin) && begin <= p && p + n <= begin + size;
  @ predicate line(struct pd_op *op) = \valid_read(op) && op->kind != PI_OP_HEAD &&
  @     (op->kind == PI_OP_ARR && op->ref != \null ==> \valid_read(op->ref + (0 .. op->arg - 1))) &&
  @     (op->kind == PI_OP_CSTR && op->ref != \null ==> valid_read_string(op->ref));
  @ predicate elements(struct pd_list *l) = l->varying ?
  @     \valid_read((uint8_t *)l->ptr + (0 .. l->stride - 1)) : l->n * l->stride <= SIZE_MAX &&
  @     \valid_read((uint8_t *)l->ptr + (0 .. l->n * l->stride - 1));
  @*/

/*@ requires \valid_read(r) && \valid_read(op);
  @ assigns *r->error;
  @ ensures \result == code;
  @*/
static enum pd_code fail(const struct reader *r, enum pd_code code, const struct pd_op *op, uint64_t found,
                         uint64_t expected)
{
    const size_t at = (size_t)(r->p - r->begin);
    if (r->rec)
        return pi_fail_record(r->error, code, r->rec, at, op->name, found, expected);
    return pi_fail(r->error, code, at, op->name, found, expected);
}

/*@ requires there: n <= r->left;
  @ requires \valid(r);
  @ assigns r->p, r->left;
  @ ensures r->left == \old(r->left) - n && r->p == \old(r->p) + n;
  @*/
static void advance(struct reader *r, size_t n)
{
    r->p += n;
    r->left -= n;
}

/* ---- Scalars and bytes. */

/*@ requires there: there(r);
  @ requires \valid(r) && \valid_read(op) && (PI_OP_U8 <= op->kind <= PI_OP_B64 || op->kind == PI_OP_OPT64);
  @ assigns r->p, r->left, *r->error, ((uint8_t *)v)[0 .. 65535];
  @ ensures \result == PD_OK ==> taken{Pre, Post}(r);
  @*/
static enum pd_code read_scalar(struct reader *r, const struct pd_op *op, void *v)
{
    const unsigned width = pi_scalar_width(op);
    if (r->left < width)
        return fail(r, PD_ESHORT, op, r->left, width);
    uint64_t value = pi_load(r->p, width, r->order);
    if ((op->kind == PI_OP_B32 || op->kind == PI_OP_B64) && r->order == PD_BIG)
        value = pi_mirror_from_big(op->set, value);
    pi_scalar_set(op, v, value);
    advance(r, width);
    return PD_OK;
}

/* Only the shortest form is accepted, as encoding could not reproduce any other. */
/*@ requires there: there(r);
  @ requires \valid(r) && \valid_read(op);
  @ requires room: \valid(out) && \separated(r, out);
  @ assigns r->p, r->left, *r->error, *out;
  @ ensures \result == PD_OK ==> taken{Pre, Post}(r);
  @ ensures \result == PD_OK ==> r->left < \old(r->left);
  @*/
static enum pd_code read_varint(struct reader *r, const struct pd_op *op, uint64_t *out)
{
    uint64_t value = 0;
    /*@ loop invariant i <= r->left && i <= 10;
      @ loop assigns i, value;
      @ loop variant r->left - i;
      @*/
    for (size_t i = 0; i < r->left && i < 10; i++) {
        const uint64_t bits = r->p[i] & 0x7f;
        if ((i == 9 && r->p[i] > 1) || (i > 0 && r->p[i] == 0))
            return fail(r, PD_EVALUE, op, r->p[i], 1);
        value |= bits << 7 * i;
        if (r->p[i] & 0x80)
            continue;
        *out = value;
        advance(r, i + 1);
        return PD_OK;
    }
    return r->left < 10 ? fail(r, PD_ESHORT, op, r->left, r->left + 1) : fail(r, PD_EVALUE, op, r->p[9], 1);
}

/* A byte that must be another. */
/*@ requires \valid_read(r) && \valid_read(op);
  @ requires there: \valid_read(p + (0 .. n - 1)) && \valid_read(op->ref + (0 .. n - 1));
  @ assigns *r->error;
  @*/
static enum pd_code check_fixed(const struct reader *r, const struct pd_op *op, const uint8_t *p, size_t n)
{
    struct reader at = *r;
    size_t i = 0;
    /*@ loop invariant i <= n;
      @ loop assigns i;
      @ loop variant n - i;
      @*/
    while (i < n && p[i] == (uint8_t)op->ref[i])
        i++;
    at.p = p + i;
    return i < n ? fail(&at, PD_EVALUE, op, p[i], (uint8_t)op->ref[i]) : PD_OK;
}

/*@ requires there: there(r);
  @ requires \valid(r) && \valid_read(op);
  @ requires op->ref == \null || \valid_read(op->ref + (0 .. op->arg - 1));
  @ requires room: \valid((uint8_t *)member + (0 .. op->arg - 1));
  @ requires room: \separated(r, op, (uint8_t *)member + (0 .. op->arg - 1)) && \separated(r, r->error);
  @ assigns r->p, r->left, *r->error, ((uint8_t *)member)[0 .. op->arg - 1];
  @ ensures \result == PD_OK ==> taken{Pre, Post}(r);
  @ ensures \result == PD_OK ==> r->left == \old(r->left - op->arg);
  @*/
static enum pd_code read_array(struct reader *r, const struct pd_op *op, void *member)
{
    if (r->left < op->arg)
        return fail(r, PD_ESHORT, op, r->left, op->arg);
    memcpy(member, r->p, (size_t)op->arg);
    advance(r, (size_t)op->arg);
    return op->ref ? check_fixed(r, op, r->p - (size_t)op->arg, (size_t)op->arg) : PD_OK;
}

/*@ requires there: there(r);
  @ requires \valid(r) && \valid_read(op);
  @ requires room: \valid(b) && \separated(r, b);
  @ assigns r->p, r->left, *r->error, *b;
  @ ensures \result == PD_OK ==> taken{Pre, Post}(r);
  @ ensures \result == PD_OK ==> b->ptr == \old(r->p) && b->n == n && r->left == \old(r->left) - n;
  @*/
static enum pd_code read_bytes(struct reader *r, const struct pd_op *op, uint64_t n, struct pd_bytes *b)
{
    if (n > r->left)
        return fail(r, PD_ECOUNT, op, n, r->left);
    *b = (struct pd_bytes){r->p, (size_t)n};
    advance(r, (size_t)n);
    return PD_OK;
}

/*@ requires there: there(r);
  @ requires \valid(r) && \valid_read(op);
  @ requires room: \valid(v) && \separated(r, v);
  @ assigns r->p, r->left, *r->error, *v;
  @ ensures \result == PD_OK ==> taken{Pre, Post}(r);
  @ ensures \result == PD_OK ==> v->ptr == \old(r->p) && v->n == n;
  @ ensures \result == PD_OK ==> r->left == \old(r->left) - n * v->width;
  @*/
static enum pd_code read_vec(struct reader *r, const struct pd_op *op, uint64_t n, struct pd_vec *v)
{
    const unsigned width = pi_vec_width(op);
    if (n > r->left / width)
        return fail(r, PD_ECOUNT, op, n, r->left / width);
    /*@ assert 0 <= n * width <= r->left; */
    *v = (struct pd_vec){r->p, (size_t)n, (uint8_t)width, (uint8_t)r->order};
    advance(r, (size_t)n * width);
    return PD_OK;
}

/* The number of registers of an unknown abi cannot be determined. */
/*@ requires there: there(r);
  @ requires \valid(r) && \valid_read(op);
  @ requires room: \valid(regs) && \separated(r, regs);
  @ assigns r->p, r->left, *r->error, *regs;
  @ ensures \result == PD_OK ==> taken{Pre, Post}(r);
  @*/
static enum pd_code read_regs(struct reader *r, const struct pd_op *op, const void *v, struct pd_vec *regs)
{
    const struct pd_op abi = {.name = op->ref};
    const uint64_t value = pi_value_of(v, op->count_offset, op->count_width);
    return pi_abi_unknown(value) ? fail(r, PD_EVALUE, &abi, value, PD_REGS_ABI_64)
                                 : read_vec(r, op, pi_count(op, &r->shape, v), regs);
}

/* ---- Strings. */

/*@ requires there: there(r);
  @ requires \valid(r) && \valid_read(op);
  @ requires room: \valid(s) && \separated(r, s);
  @ assigns r->p, r->left, *r->error, *s;
  @ ensures \result == PD_OK ==> taken{Pre, Post}(r);
  @ ensures \result == PD_OK ==> s->ptr == (const char *)\old(r->p) && s->size == size && s->len <= size;
  @ ensures \result == PD_OK ==> r->left == \old(r->left) - size;
  @*/
static enum pd_code read_slot(struct reader *r, const struct pd_op *op, uint64_t size, struct pd_str *s)
{
    if (size > r->left)
        return fail(r, PD_ECOUNT, op, size, r->left);
    *s = (struct pd_str){(const char *)r->p, strnlen((const char *)r->p, (size_t)size), (size_t)size};
    advance(r, (size_t)size);
    return PD_OK;
}

/* Bytes of the slot; what states them is read. */
/*@ requires there: there(r);
  @ requires \valid(r) && \valid_read(op);
  @ requires room: \valid(n) && \separated(r, n);
  @ assigns r->p, r->left, *r->error, *n;
  @ ensures \result == PD_OK ==> taken{Pre, Post}(r);
  @*/
static enum pd_code read_slot_size(struct reader *r, const struct pd_op *op, const void *v, uint64_t *n)
{
    *n = r->left;
    switch (op->kind) {
    case PI_OP_CSTR: *n = strnlen((const char *)r->p, r->left) + (size_t)1; break;
    case PI_OP_STR64:
        if (r->left < 4)
            return fail(r, PD_ESHORT, op, r->left, 4);
        *n = pi_load32(r->p, r->order);
        advance(r, 4);
        break;
    case PI_OP_STRV: return read_varint(r, op, n);
    case PI_OP_STRN:
        if (r->left < op->arg)
            return fail(r, PD_ESHORT, op, r->left, op->arg);
        *n = op->arg;
        break;
    case PI_OP_STRMAX: *n = r->left < op->arg ? r->left : op->arg; break;
    case PI_OP_SLOT:
        *n = pi_count(op, &r->shape, v);
        if (*n > r->left)
            return fail(r, PD_ECOUNT, op, *n, r->left);
        *n = *n ? pi_slot_of(op, (size_t)*n) : 0;
        break;
    default: break;
    }
    return PD_OK;
}

/*@ requires there: there(r);
  @ requires \valid(r) && \valid_read(op);
  @ requires op->kind == PI_OP_CSTR && op->ref != \null ==> valid_read_string(op->ref);
  @ requires room: \valid(s) && \separated(r, s, op, r->error);
  @ assigns r->p, r->left, *r->error, *s;
  @ ensures \result == PD_OK ==> taken{Pre, Post}(r);
  @*/
static enum pd_code read_str(struct reader *r, const struct pd_op *op, const void *v, struct pd_str *s)
{
    const size_t fixed = op->kind == PI_OP_CSTR && op->ref ? strlen(op->ref) + 1 : 0;
    uint64_t n;
    enum pd_code code = read_slot_size(r, op, v, &n);
    if (code == PD_OK)
        code = read_slot(r, op, n, s);
    /*@ assert code == PD_OK ==> taken{Pre, Here}(r); */
    if (code || !fixed)
        return code;
    /*@ assert \valid_read((uint8_t *)s->ptr + (0 .. s->size - 1)); */
    /*@ assert \valid_read(op->ref + (0 .. fixed - 1)); */
    return check_fixed(r, op, (const uint8_t *)s->ptr, s->size < fixed ? s->size : fixed);
}

/* ---- Parts. */

/*@ requires there: there(r);
  @ requires \valid(r) && \valid_read(head);
  @ requires room: \valid((uint8_t *)v + (0 .. head->offset - 1));
  @ assigns r->p, r->left, r->sized, r->order, r->shape.given, *r->error,
  @     ((uint8_t *)v)[0 .. head->offset - 1];
  @ ensures \result == PD_OK ==> taken{Pre, Post}(r);
  @*/
static enum pd_code read_layout(struct reader *r, const struct pd_op *head, void *v);

/* `bytes` are those of an element, or, when elements differ in size, of all. */
/*@ requires \valid_read(r);
  @ requires room: \valid(l) && \separated(r, l);
  @ assigns *l;
  @ ensures l->ptr == p && l->n == n && (l->varying <==> varying);
  @ ensures l->stride <= bytes && (bytes <= UINT32_MAX ==> l->stride == bytes);
  @*/
static void set_list(struct pd_list *l, const struct reader *r, const uint8_t *p, size_t n, size_t bytes,
                     bool varying)
{
    l->ptr = p;
    l->n = n;
    l->stride = (uint32_t)bytes;
    l->form = (uint8_t)r->order;
    l->when = varying ? r->shape.given : r->shape.read_format;
    l->variant = r->shape.variant;
    l->varying = varying;
}

/*@ requires there: there(r);
  @ requires \valid(r) && \valid_read(op);
  @ requires room: \valid(l) && \separated(r, l);
  @ assigns r->p, r->left, *r->error, *l;
  @ ensures \result == PD_OK ==> taken{Pre, Post}(r) && elements(l);
  @*/
static enum pd_code read_list(struct reader *r, const struct pd_op *op, uint64_t n, struct pd_list *l)
{
    const size_t stride = pi_layout_bytes(op->sub(), &r->shape);
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): no element of a list is empty */
    if (n > r->left / stride)
        return fail(r, PD_ECOUNT, op, n, r->left / stride);
    /*@ assert 0 <= n * stride <= r->left; */
    set_list(l, r, r->p, (size_t)n, stride, false);
    advance(r, (size_t)n * stride);
    return PD_OK;
}

/* Bytes of the numbers that any such element begins with. */
/*@ requires \valid_read(head) && \valid_read(r);
  @ assigns \nothing;
  @*/
static size_t leading_bytes(const struct pd_op *head, const struct reader *r)
{
    size_t n = 0;
    /*@ loop invariant \valid_read(op) && 0 <= lines(op);
      @ loop invariant op->kind != PI_OP_END ==> lines(op + 1) < lines(op);
      @ loop assigns op, n;
      @ loop variant lines(op);
      @*/
    for (const struct pd_op *op = pi_visible(head, &r->shape, NULL); pi_scalar_width(op);
         op = pi_visible(op + 1, &r->shape, NULL))
        n += pi_scalar_width(op);
    return n;
}

/* Fewer bytes are no such element: not even its first field is there. */
/*@ requires \valid_read(head) && \valid_read(r);
  @ assigns \nothing;
  @*/
static size_t first_bytes(const struct pd_op *head, const struct reader *r)
{
    const struct pd_op *op = pi_visible(head, &r->shape, NULL);
    switch (op->kind) {
    case PI_OP_ARR:
    case PI_OP_STRN: return (size_t)op->arg;
    case PI_OP_STR64: return 4;
    case PI_OP_SIZED: return op->sub() == pi_layout_attr() ? PD_ATTR_SIZE_VER0 : 1;
    default: return pi_scalar_width(op) ? pi_scalar_width(op) : 1;
    }
}

/*
 * Elements of any size are read once, to find their end and to check each. If they extend to the end, a few
 * bytes too short for an element are left.
 */
/*@ requires there: there(r);
  @ requires \valid(r) && \valid_read(op);
  @ requires room: \valid(l) && \separated(r, l) && \separated(r, r->error);
  @ assigns r->p, r->left, r->sized, r->order, r->shape.given, *r->error, *l;
  @ ensures \result == PD_OK ==> taken{Pre, Post}(r) && elements(l);
  @*/
static enum pd_code read_items(struct reader *r, const struct pd_op *op, uint64_t n, struct pd_list *l)
{
    _Alignas(8) uint8_t element[PI_ELEMENT_MAX];
    const uint8_t *begin = r->p;
    const bool sized = r->sized;
    const struct pd_op count = {.name = op->ref};
    const size_t least = first_bytes(op->sub(), r);
    uint64_t i = 0;
    r->sized = false;
    /*@ loop invariant there(r) && taken{Pre, Here}(r) && r->error == \at(r->error, Pre);
      @ loop assigns i, r->p, r->left, r->sized, r->order, r->shape.given, *r->error, element[..];
      @ loop variant r->left;
      @*/
    for (; op->kind == PI_OP_ITEMS ? i < n : r->left > 0 && r->left >= leading_bytes(op->sub(), r); i++) {
        const uint8_t *before = r->p;
        if (op->kind == PI_OP_ITEMS && r->left < least)
            return fail(r, PD_ECOUNT, &count, n, i);
        const enum pd_code code = read_layout(r, op->sub(), element);
        if (code)
            return code;
        if (r->p == before)
            return fail(r, PD_ECOUNT, op, n, i);
    }
    r->sized = sized;
    set_list(l, r, begin, (size_t)i, (size_t)(r->p - begin), true);
    return PD_OK;
}

/* An element begins with a varint, so that none ends before the message does. */
/*@ requires there: there(r);
  @ requires \valid(r) && \valid_read(op);
  @ requires room: \valid(l) && \separated(r, l);
  @ assigns r->p, r->left, r->sized, r->order, r->shape.given, *r->error, *l;
  @ ensures \result == PD_OK ==> taken{Pre, Post}(r) && elements(l);
  @*/
static enum pd_code read_message(struct reader *r, const struct pd_op *op, struct pd_list *l)
{
    uint64_t size = 0;
    enum pd_code code = read_varint(r, op, &size);
    if (code)
        return code;
    const size_t left = r->left;
    if (size > left)
        return fail(r, PD_ECOUNT, op, size, left);
    r->left = (size_t)size;
    code = read_items(r, op, 0, l);
    r->left += left - (size_t)size;
    return code;
}

/*@ requires there: there(r);
  @ requires \valid(r) && \valid_read(op);
  @ assigns r->p, r->left, r->sized, r->order, r->shape.given, *r->error, ((uint8_t *)member)[0 .. 65535];
  @ ensures \result == PD_OK ==> taken{Pre, Post}(r);
  @*/
static enum pd_code read_sized(struct reader *r, const struct pd_op *op, uint64_t size, void *member)
{
    const size_t left = r->left;
    const bool sized = r->sized;
    const struct pd_op of = {.name = op->ref};
    if (size < op->arg || size - op->arg > left)
        return fail(r, PD_ECOUNT, op, size, left + op->arg);
    if (op->kind == PI_OP_SIZED && op->sub() == pi_layout_attr() && size < PD_ATTR_SIZE_VER0)
        return fail(r, PD_ECOUNT, &of, size, PD_ATTR_SIZE_VER0);
    size -= op->arg;
    r->left = (size_t)size;
    r->sized = !op->src;
    const enum pd_code code = read_layout(r, op->sub(), member);
    if (code)
        return code;
    if (r->left)
        return fail(r, PD_ECOUNT, op, size + op->arg, size + op->arg - r->left);
    r->left = left - (size_t)size;
    r->sized = sized;
    return PD_OK;
}

/*@ requires there: there(r);
  @ requires \valid(r) && \valid_read(op);
  @ assigns r->p, r->left, r->sized, r->order, r->shape.given, *r->error, ((uint8_t *)member)[0 .. 65535];
  @ ensures \result == PD_OK ==> taken{Pre, Post}(r);
  @*/
static enum pd_code read_attr(struct reader *r, const struct pd_op *op, void *member)
{
    struct pd_error what;
    size_t size;
    const enum pd_code code = pi_attr_place(r->order, r->p, r->left, &size, &what);
    return code ? fail(r, code, op, what.found, what.expected) : read_sized(r, op, size, member);
}

/* ---- Members that are not in the stream. */

/* A key that no writer of protobuf makes; the bytes behind it cannot be interpreted. */
/*@ requires \valid_read(r) && \valid_read(op);
  @ assigns *r->error;
  @*/
static enum pd_code check_key(const struct reader *r, const struct pd_op *op, uint64_t key)
{
    const struct pd_op number = {.name = op->ref};
    if (key < 8)
        return fail(r, PD_EVALUE, &number, key, 8);
    return (key & 7) > PI_WIRE_TYPE_LAST ? fail(r, PD_EVALUE, op, key & 7, PI_WIRE_TYPE_LAST) : PD_OK;
}

/*@ requires there: there(r);
  @ requires \valid(r) && \valid_read(op);
  @ requires op->kind == PI_OP_SINCE ==> has_text(op, v);
  @ assigns r->order, r->shape.given, *r->error, ((uint8_t *)v)[0 .. 65535];
  @*/
static enum pd_code read_derived(struct reader *r, const struct pd_op *op, void *v)
{
    void *member = (uint8_t *)v + op->offset;
    const uint64_t count = op->count_width ? pi_count(op, &r->shape, v) : 0;
    const struct pd_op of = {.name = op->ref};
    switch (op->kind) {
    case PI_OP_GIVEN: *(uint32_t *)member = r->shape.given; break;
    case PI_OP_ROOM: *(uint8_t *)member = r->left >= op->arg; break;
    case PI_OP_ROOMN: *(uint8_t *)member = count && count <= r->left / op->arg; break;
    case PI_OP_ODD64: *(uint8_t *)member = r->left / 8 % 2; break;
    case PI_OP_TEXT: *(uint8_t *)member = pi_is_text(r->p, r->left, r->order); break;
    case PI_OP_SINCE: *(uint8_t *)member = pi_is_since(op, v); break;
    case PI_OP_LITTLE: r->order = PD_LITTLE; break;
    case PI_OP_PASS: r->shape.given = (uint32_t)count; break;
    case PI_OP_ORDER:
        if (count > PD_BIG)
            return fail(r, PD_EVALUE, op, count, PD_BIG);
        r->order = (enum pd_order)count;
        break;
    default: *(uint64_t *)member = pi_derived(op, v); break;
    }
    if (op->kind == PI_OP_LESS && count < op->arg)
        return fail(r, PD_ECOUNT, &of, count, op->arg);
    if (op->kind == PI_OP_SINCE && !pi_is_number(op, v))
        return fail(r, PD_EVALUE, &of, pi_first_character(op, v), '0');
    return op->kind == PI_OP_OTHER ? check_key(r, op, count) : PD_OK;
}

/*@ requires there: there(r);
  @ requires line: line(op) && (op->kind == PI_OP_SINCE ==> has_text(op, v));
  @ requires room: \separated(r, r->error);
  @ requires \valid(r);
  @ assigns r->p, r->left, r->sized, r->order, r->shape.given, *r->error, ((uint8_t *)v)[0 .. 65535];
  @ ensures \result == PD_OK ==> taken{Pre, Post}(r);
  @*/
static enum pd_code read_field(struct reader *r, const struct pd_op *op, void *v)
{
    void *member = (uint8_t *)v + op->offset;
    switch (op->kind) {
    case PI_OP_ARR: return read_array(r, op, member);
    case PI_OP_STR:
    case PI_OP_CSTR:
    case PI_OP_STR64:
    case PI_OP_STRV:
    case PI_OP_STRN:
    case PI_OP_STRMAX:
    case PI_OP_SLOT: return read_str(r, op, v, member);
    case PI_OP_REST: return read_bytes(r, op, r->left, member);
    case PI_OP_BYTES: return read_bytes(r, op, pi_count(op, &r->shape, v), member);
    case PI_OP_VECR64: return read_vec(r, op, r->left / 8, member);
    case PI_OP_VEC16:
    case PI_OP_VEC32:
    case PI_OP_VEC64:
    case PI_OP_GRID64: return read_vec(r, op, pi_count(op, &r->shape, v), member);
    case PI_OP_REGS: return read_regs(r, op, v, member);
    case PI_OP_LIST: return read_list(r, op, pi_count(op, &r->shape, v), member);
    case PI_OP_ITEMS: return read_items(r, op, pi_count(op, &r->shape, v), member);
    case PI_OP_ITEMSR: return read_items(r, op, 0, member);
    case PI_OP_MESSAGE: return read_message(r, op, member);
    case PI_OP_SUB: return read_layout(r, op->sub(), member);
    case PI_OP_SIZED: return read_sized(r, op, pi_count(op, &r->shape, v), member);
    case PI_OP_ATTR: return read_attr(r, op, member);
    case PI_OP_VARINT: return read_varint(r, op, member);
    case PI_OP_OPT64: return pi_count(op, &r->shape, v) ? read_scalar(r, op, v) : PD_OK;
    default: return op->kind >= PI_OP_GIVEN ? read_derived(r, op, v) : read_scalar(r, op, v);
    }
}

/* In a part of stated size: does it end before this number? Then those behind it are absent too. */
/*@ requires \valid_read(r) && \valid_read(op);
  @ assigns \nothing;
  @*/
static bool ends_before(const struct reader *r, const struct pd_op *op)
{
    const size_t width = op->kind == PI_OP_ARR ? (size_t)op->arg : pi_scalar_width(op);
    return r->sized && width > r->left && op->kind != PI_OP_OPT64;
}

/* Even a string that is not there can be printed. */
/*@ requires \valid_read(r) && \valid_read(op);
  @ assigns ((uint8_t *)v)[0 .. 65535];
  @*/
static void leave_out(const struct reader *r, const struct pd_op *op, void *v)
{
    void *member = (uint8_t *)v + op->offset;
    if (op->kind == PI_OP_STR)
        *(struct pd_str *)member = (struct pd_str){(const char *)r->p, 0, 0};
}

static enum pd_code read_layout(struct reader *r, const struct pd_op *head, void *v)
{
    const uint32_t given = r->shape.given;
    const enum pd_order order = r->order;
    bool ended = false;
    memset(v, 0, head->offset);
    /*@ loop invariant \valid_read(op) && taken{Pre, Here}(r) && 0 <= lines(op);
      @ loop invariant op->kind != PI_OP_END ==> lines(op + 1) < lines(op);
      @ loop assigns op, ended, r->p, r->left, r->sized, r->order, r->shape.given, *r->error,
      @     ((uint8_t *)v)[0 .. head->offset - 1];
      @ loop variant lines(op);
      @*/
    for (const struct pd_op *op = pi_present(head, &r->shape, v); op->kind != PI_OP_END;
         op = pi_present(op + 1, &r->shape, v)) {
        ended |= ends_before(r, op);
        if (ended && op->kind != PI_OP_REST) {
            leave_out(r, op, v);
            continue;
        }
        const enum pd_code code = read_field(r, op, v);
        if (code)
            return code;
    }
    r->shape.given = given;
    r->order = order;
    return PD_OK;
}

/* ---- Records, sections, elements. */

static const struct pd_op no_fields[] = {{.kind = PI_OP_HEAD}, {.kind = PI_OP_END}};
static const struct pd_op trailer_op = {.name = "sample_id"};

/* What is between the payload and the sample_id, in the last `trailer` bytes, is the rest. */
/*@ requires there: there(r);
  @ requires \valid(r) && \valid_read(layout) && \valid(rec) && trailer <= r->left;
  @ requires room: \separated(r, rec, r->error);
  @ assigns r->p, r->left, r->sized, r->order, r->shape.given, *r->error, *u, rec->rest, rec->id;
  @ ensures \result == PD_OK ==> within(rec->rest.ptr, rec->rest.n, \old(r->p), \old(r->left) - trailer);
  @*/
static enum pd_code read_payload(struct reader *r, const struct pd_op *layout, size_t trailer,
                                 struct pd_record *rec, union pd_payload *u)
{
    r->left -= trailer;
    enum pd_code code = read_layout(r, layout, u);
    if (code)
        return code;
    /*@ assert within(r->p, r->left, \at(r->p, Pre), \at(r->left, Pre) - trailer); */
    rec->rest.ptr = r->p;
    rec->rest.n = r->left;
    advance(r, r->left);
    r->left = trailer;
    /*@ assert within(rec->rest.ptr, rec->rest.n, \at(r->p, Pre), \at(r->left, Pre) - trailer); */
    return trailer ? read_layout(r, pi_layout_sample_id(), &rec->id) : PD_OK;
}

/*@ requires \valid(rec) && rec->size >= 8 && \valid_read(rec->raw + (0 .. rec->size - 1));
  @ requires \valid_read(plan) && (rec->layout == \null || \valid_read(rec->layout));
  @ requires room: u == \null || \valid(u);
  @ assigns *u, rec->rest, rec->id, *error;
  @ ensures \result == PD_OK ==> within(rec->rest.ptr, rec->rest.n, \old(rec->raw) + 8, \old(rec->size) - 8);
  @*/
enum pd_code pi_interpret_decode(const struct pd_plan *plan, struct pd_record *rec, union pd_payload *u,
                                 struct pd_error *error)
{
    union pd_payload scratch;
    struct reader r = {plan->shape, plan->order, rec, rec->raw, rec->raw + 8, rec->size - 8u, false, error};
    r.shape.misc = rec->misc;
    r.shape.given = rec->misc;
    r.shape.variant = rec->variant;
    const size_t trailer = pi_has_id(plan, rec->type, rec->variant) ? plan->trailer : 0;
    if (r.left < trailer)
        return fail(&r, PD_ESHORT, &trailer_op, r.left, trailer);
    /*@ assert r.left == rec->size - 8 && 0 <= trailer; */
    return read_payload(&r, rec->layout ? rec->layout : no_fields, trailer, rec, u ? u : &scratch);
}

/*@ requires \valid_read((uint8_t *)bytes + (0 .. n - 1)) && \valid_read(layout) && \valid_read(shape);
  @ requires room: \valid((uint8_t *)out + (0 .. layout->offset - 1)) && \valid(rest);
  @ assigns ((uint8_t *)out)[0 .. layout->offset - 1], *rest, *error;
  @ ensures \result == PD_OK ==> rest->n <= n && rest->ptr == (uint8_t *)bytes + (n - rest->n);
  @*/
enum pd_code pi_interpret_section(const struct pd_op *layout, const struct pd_shape *shape,
                                  enum pd_order order, const void *bytes, size_t n, void *out,
                                  struct pd_bytes *rest, struct pd_error *error)
{
    struct reader r = {*shape, order, NULL, bytes, bytes, n, false, error};
    const enum pd_code code = read_layout(&r, layout, out);
    /*@ assert code == PD_OK ==> r.left <= n && r.p == (uint8_t *)bytes + (n - r.left); */
    if (code == PD_OK)
        *rest = (struct pd_bytes){r.p, r.left};
    return code;
}

/* The element at p; *left: how many of its list's bytes are behind it. */
/*@ requires \valid_read(l) && \valid_read(layout) && \valid_read(p + (0 .. l->stride - 1));
  @ requires room: \valid((uint8_t *)out + (0 .. layout->offset - 1)) && \valid(left);
  @ assigns ((uint8_t *)out)[0 .. layout->offset - 1], *left;
  @ ensures \result == PD_OK ==> *left <= l->stride;
  @*/
static enum pd_code read_element(const struct pd_list *l, const uint8_t *p, const struct pd_op *layout,
                                 void *out, size_t *left)
{
    const struct pd_shape shape = {.read_format = l->when, .given = l->when, .variant = l->variant};
    struct reader r = {shape, (enum pd_order)l->form, NULL, p, p, l->stride, false, NULL};
    const enum pd_code code = read_layout(&r, layout, out);
    *left = r.left;
    return code;
}

/*@ requires \valid_read(l) && elements(l) && i < l->n && (l->varying ==> i == 0);
  @ requires \valid_read(layout) && (l->form == PD_FORM_STRUCT ==> layout->offset <= l->stride);
  @ requires room: \valid((uint8_t *)out + (0 .. layout->offset - 1));
  @ assigns ((uint8_t *)out)[0 .. layout->offset - 1];
  @*/
void pi_list_get(const struct pd_list *l, const struct pd_op *layout, size_t i, void *out)
{
    /*@ assert l->varying || i * l->stride + l->stride <= l->n * l->stride; */
    /*@ assert i * l->stride <= SIZE_MAX; */
    const uint8_t *p = (const uint8_t *)l->ptr + i * l->stride;
    size_t left;
    /*@ assert \valid_read(p + (0 .. l->stride - 1)); */
    if (l->form == PD_FORM_STRUCT)
        memcpy(out, p, layout->offset);
    else
        read_element(l, p, layout, out, &left);
}

/*@ requires \valid(l) && elements(l) && \valid_read(layout);
  @ requires l->form == PD_FORM_STRUCT ==> !l->varying && layout->offset <= l->stride;
  @ requires room: \valid((uint8_t *)out + (0 .. layout->offset - 1));
  @ requires room: \separated(l, layout, (uint8_t *)out + (0 .. layout->offset - 1));
  @ assigns l->ptr, l->n, l->stride, ((uint8_t *)out)[0 .. layout->offset - 1];
  @ ensures elements(l);
  @ ensures l->n == \old(l->n) - (\result ? 1 : 0);
  @*/
bool pi_list_take(struct pd_list *l, const struct pd_op *layout, void *out)
{
    size_t used = l->stride, left;
    if (l->n == 0)
        return false;
    if (l->form == PD_FORM_STRUCT || !l->varying) {
        pi_list_get(l, layout, 0, out);
        /*@ assert l->varying || (l->n - 1) * l->stride == l->n * l->stride - used; */
    } else {
        if (read_element(l, l->ptr, layout, out, &left))
            return false;
        used = l->stride - left;
        l->stride = (uint32_t)left;
    }
    l->ptr = (const uint8_t *)l->ptr + used;
    l->n--;
    return true;
}

/*
 * Accessors of list elements: pd_string_next() and so on; the _at() of what the fast path decodes are in
 * decode.c.
 */
#define NEXT(name_)                                                   \
    bool pd_##name_##_next(struct pd_list *l, struct pd_##name_ *out) \
    {                                                                 \
        return pi_list_take(l, pi_layout_##name_(), out);             \
    }
PD_EACH_ELEMENT(NEXT)

#define AT(name_)                                                                   \
    void pd_##name_##_at(const struct pd_list *l, size_t i, struct pd_##name_ *out) \
    {                                                                               \
        pi_list_get(l, pi_layout_##name_(), i, out);                                \
    }
AT(id_index_entry)
AT(id_index_machine)
AT(stat_config_entry)
AT(event_id_entry)
AT(cpu_topology_cpu)
AT(auxtrace_index_entry)
