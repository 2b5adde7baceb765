/* SPDX-License-Identifier: MIT */
/* canonical.c - values through the schema's tables into XXH3-128; docs/HASH.md defines the bytes. */
#define XXH_STATIC_LINKING_ONLY /* for XXH3_state_t: all memory comes from the caller's allocator */
#include "canonical.h"
#include "ops/output/offcpu.h"
#include "src/codec/carried.h"
#include "src/codec/usual.h"
#include "src/codec/variant.h"
#include "src/schema/fail.h"
#include "src/schema/schema.h"
#include "src/support/memory.h"
#include "src/reflect/reflect.h"
#include <string.h>
#include <xxhash.h>

#define STATE_ALIGN ((uintptr_t)64)

/* ---- Bytes */

enum pd_code pi_canon_init(struct pi_canon *c, const struct pd_allocator *allocator, struct pd_error *error)
{
    const size_t n = sizeof(XXH3_state_t) + STATE_ALIGN;
    *c = (struct pi_canon){.allocator = allocator};
    c->block = pi_resize(allocator, NULL, n);
    if (c->block == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "hash", 0, n);
    c->state = (uint8_t *)c->block + (STATE_ALIGN - (uintptr_t)c->block % STATE_ALIGN);
    XXH3_INITSTATE((XXH3_state_t *)c->state);
    return PD_OK;
}

void pi_canon_free(struct pi_canon *c)
{
    pi_release(c->allocator, c->block);
    c->block = c->state = NULL;
}

static void flush(struct pi_canon *c)
{
    if (!c->begun)
        XXH3_128bits_reset(c->state);
    c->begun = true;
    XXH3_128bits_update(c->state, c->buf, c->n);
    c->n = 0;
}

void pi_canon_bytes(struct pi_canon *c, const void *bytes, size_t n)
{
    if (n == 0)
        return;
    if (n > sizeof c->buf - c->n)
        flush(c);
    if (n > sizeof c->buf) {
        XXH3_128bits_update(c->state, bytes, n);
        return;
    }
    memcpy(c->buf + c->n, bytes, n);
    c->n += n;
}

/* The width is 8 at most. */
static inline void put_number_of(struct pi_canon *c, uint64_t value, unsigned width)
{
    if (sizeof c->buf - c->n < 8)
        flush(c);
    pi_store64(c->buf + c->n, value, PD_LITTLE);
    c->n += width;
}

void pi_canon_number(struct pi_canon *c, uint64_t value, unsigned width)
{
    put_number_of(c, value, width);
}

struct pd_hash pi_canon_end(struct pi_canon *c)
{
    XXH128_hash_t hash;
    XXH128_canonical_t bytes;
    struct pd_hash out;
    if (c->begun) {
        flush(c);
        hash = XXH3_128bits_digest(c->state);
    } else {
        hash = XXH3_128bits(c->buf, c->n);
    }
    c->begun = false;
    c->n = 0;
    XXH128_canonicalFromHash(&bytes, hash);
    memcpy(out.bytes, bytes.digest, sizeof out.bytes);
    return out;
}

/* ---- Fields */

static void put_sized_bytes(struct pi_canon *c, const void *bytes, size_t n)
{
    put_number_of(c, n, 8);
    pi_canon_bytes(c, bytes, n);
}

void pi_canon_vec(struct pi_canon *c, const struct pd_vec *v)
{
    pi_canon_number(c, v->n, 8);
    if (v->form == PD_FORM_LITTLE || (v->form == PD_FORM_STRUCT && PD_HOST_ORDER == PD_LITTLE)) {
        pi_canon_bytes(c, v->ptr, v->n * v->width);
        return;
    }
    for (size_t i = 0; i < v->n; i++)
        pi_canon_number(c, pd_vec_at(v, i), v->width);
}

static void put_layout(struct pi_canon *c, const struct pd_op *head, const struct pd_shape *s, const void *v);

static void put_list(struct pi_canon *c, const struct pd_op *op, const struct pd_shape *s,
                     const struct pd_list *list)
{
    _Alignas(8) uint8_t element[PI_ELEMENT_MAX];
    const struct pd_op *layout = op->sub();
    struct pd_list l = *list;
    pi_canon_number(c, l.n, 8);
    while (pi_list_take(&l, layout, element))
        put_layout(c, layout, s, element);
}

static void put_number(struct pi_canon *c, const struct pd_op *op, const void *v)
{
    const unsigned width = pi_scalar_width(op);
    pi_canon_number(c, pi_scalar_get(op, v), width ? width : 8); /* a varint has any width */
}

static void put_field(struct pi_canon *c, const struct pd_op *op, const struct pd_shape *s, const void *v)
{
    const void *member = (const uint8_t *)v + op->offset;
    const struct pd_str *str = member;
    const struct pd_bytes *bytes = member;
    switch (op->kind) {
    case PI_OP_ARR:
        if (!pi_is_padding(op->name))
            pi_canon_bytes(c, member, (size_t)op->arg);
        break;
    case PI_OP_STR:
    case PI_OP_CSTR:
    case PI_OP_STR64:
    case PI_OP_STRV:
    case PI_OP_STRN:
    case PI_OP_STRMAX:
    case PI_OP_SLOT: put_sized_bytes(c, str->ptr, str->len); break;
    case PI_OP_BYTES:
    case PI_OP_REST: put_sized_bytes(c, bytes->ptr, bytes->n); break;
    case PI_OP_VEC16:
    case PI_OP_VEC32:
    case PI_OP_VEC64:
    case PI_OP_VECR64:
    case PI_OP_GRID64:
    case PI_OP_REGS: pi_canon_vec(c, member); break;
    case PI_OP_LIST:
    case PI_OP_ITEMS:
    case PI_OP_ITEMSR:
    case PI_OP_MESSAGE: put_list(c, op, s, member); break;
    case PI_OP_ATTR: pi_canon_attr(c, member); break;
    case PI_OP_SIZED:
        if (op->sub() == pi_layout_attr())
            pi_canon_attr(c, member);
        else
            put_layout(c, op->sub(), s, member);
        break;
    case PI_OP_SUB: put_layout(c, op->sub(), s, member); break;
    case PI_OP_OPT64:
        if (pi_count(op, s, v))
            put_number(c, op, v);
        break;
    default:
        if (!pi_is_padding(op->name))
            put_number(c, op, v);
        break;
    }
}

static void put_layout(struct pi_canon *c, const struct pd_op *head, const struct pd_shape *s, const void *v)
{
    for (const struct pd_op *op = pi_visible(head, s, v); op->kind != PI_OP_END;
         op = pi_visible(op + 1, s, v))
        put_field(c, op, s, v);
}

#include "canonical_layout.h"
#include "canonical_copy.h"

/* ---- Attrs */

/*
 * The bytes behind the known fields as far as the attr's size covers them; later ones belong to the
 * container.
 */
static struct pd_bytes tail_of(const struct pd_attr *attr)
{
    struct pd_bytes tail = attr->tail;
    const uint32_t known = pi_attr_whole(attr->size < PD_ATTR_SIZE ? attr->size : PD_ATTR_SIZE);
    const size_t size = attr->size > PD_ATTR_SIZE_VER0 ? attr->size - known : 0;
    tail.n = tail.n < size ? tail.n : size;
    while (tail.n && tail.ptr[tail.n - 1] == 0)
        tail.n--;
    return tail;
}

/*
 * The size is layout: `convert --attr-size` changes it and nothing else. Fields that it does not cover read
 * as 0, and zeros behind the known fields have no meaning either.
 */
void pi_canon_attr(struct pi_canon *c, const struct pd_attr *attr)
{
    static const struct pd_shape shape;
    const struct pd_bytes tail = tail_of(attr);
    const struct pd_op *op = pi_layout_attr();
    for (op = pi_visible(op, &shape, attr); op->kind != PI_OP_END; op = pi_visible(op + 1, &shape, attr))
        if (op->kind != PI_OP_REST && op->offset != offsetof(struct pd_attr, size))
            put_number(c, op, attr);
    put_sized_bytes(c, tail.ptr, tail.n);
}

/* ---- Records and features */

/* What is before the fields; `open`: they are known. */
static inline void put_head(struct pi_canon *c, uint32_t type, uint16_t misc, bool open)
{
    put_number_of(c, type, 4);
    put_number_of(c, misc, 2);
    put_number_of(c, open, 1);
}

/* What is behind the fields; a sample_id comes then. */
static inline void put_rest(struct pi_canon *c, const struct pd_bytes *rest, bool has_id)
{
    put_sized_bytes(c, rest->ptr, rest->n);
    put_number_of(c, has_id, 1);
}

static void put_record(struct pi_canon *c, const struct pd_record *rec)
{
    const struct pi_view view = pi_view_of(rec);
    put_head(c, rec->type, rec->misc, view.open);
    if (!view.open) {
        put_sized_bytes(c, rec->raw + 8, rec->size - 8u);
        return;
    }
    put_number_of(c, rec->variant, 1);
    if (view.layout && !put_straight(c, rec, &view))
        put_layout(c, view.layout, &view.shape, &rec->u);
    put_rest(c, &rec->rest, view.has_id);
    if (view.has_id)
        straight_sample_id(c, &view.shape, &rec->id);
}

__attribute__((flatten)) static struct copying copy_usual(struct copying c, uint8_t usual)
{
    switch (usual) { /* so that the compiler knows which fields there are */
#define USUAL(number_, sample_type_)                                 \
    case number_: {                                                  \
        const struct pd_shape shape = {.sample_type = sample_type_}; \
        return copy_sample(c, &shape);                               \
    }
        PI_EACH_USUAL(USUAL)
#undef USUAL
    default: return (struct copying){NULL, NULL};
    }
}

bool pi_canon_sample(struct pi_canon *c, const struct pd_plan *plan, const uint8_t *raw, size_t size)
{
    struct pi_record_header h;
    /* An array, behind a number of 4 bytes or more, gets one of 8 bytes. */
    if (size > sizeof c->buf / 3 || !pi_sample_fits(plan, raw, size))
        return false;
    memcpy(&h, raw, sizeof h);
    put_head(c, h.type, h.misc, true);
    put_number_of(c, pi_usual_variant(plan, h.type), 1);
    const struct copying end = copy_usual((struct copying){raw + sizeof h, c->buf + c->n}, plan->usual);
    if (end.from != raw + size) {
        c->n = 0;
        return false;
    }
    c->n = (size_t)(end.to - c->buf);
    put_rest(c, &(struct pd_bytes){NULL, 0}, false);
    return true;
}

/* An off-cpu sample with big-endian raw data, in little-endian form. */
static void put_offcpu(struct pi_canon *c, const struct pd_record *rec, const struct pd_offcpu *offcpu)
{
    uint8_t bytes[UINT16_MAX];
    struct pd_record turned = *rec;
    pi_put_offcpu(offcpu, PD_LITTLE, bytes, rec->u.sample.raw.data.n);
    turned.u.sample.raw.data.ptr = bytes;
    put_record(c, &turned);
}

void pi_canon_record(struct pi_canon *c, const struct pd_record *rec)
{
    struct pd_offcpu offcpu;
    enum pd_order order;
    if (pi_find_offcpu(rec, &offcpu, &order) && order == PD_BIG)
        put_offcpu(c, rec, &offcpu);
    else
        put_record(c, rec);
}

/* The data behind a program of a big-endian recording in the form of a little-endian one, in `out`. */
static void turn_bpf_data(const struct pd_bpf_prog *p, uint8_t *out)
{
    memcpy(out, p->data.ptr, p->data.n);
    pi_bpf_swap_arrays(p, out);
}

/*
 * The one feature with numbers that the schema does not see. They are opaque to it, and not to
 * `convert --endian`.
 */
static enum pd_code put_bpf_programs(struct pi_canon *c, const struct pd_feature *f, enum pd_order order,
                                     struct pd_error *error)
{
    const struct pd_shape shape = {0};
    struct pd_list l = f->u.bpf_prog_info.programs;
    struct pd_bpf_prog p;
    pi_canon_number(c, f->u.bpf_prog_info.count, 4);
    pi_canon_number(c, l.n, 8);
    while (pd_bpf_prog_next(&l, &p)) {
        uint8_t *turned = NULL;
        if (order == PD_BIG && p.data.n) {
            turned = pi_resize(c->allocator, NULL, p.data.n);
            if (turned == NULL)
                return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "hash", 0, p.data.n);
            turn_bpf_data(&p, turned);
            p.data.ptr = turned;
        }
        put_layout(c, pi_layout_bpf_prog(), &shape, &p);
        pi_release(c->allocator, turned);
    }
    return PD_OK;
}

enum pd_code pi_canon_feature(struct pi_canon *c, const struct pd_feature *f, enum pd_order order,
                              struct pd_error *error)
{
    const struct pd_shape shape = {.given = f->nr_cpus_avail, .variant = f->variant};
    enum pd_code code = PD_OK;
    if (f->layout && f->id == PD_FEAT_BPF_PROG_INFO)
        code = put_bpf_programs(c, f, order, error);
    else if (f->layout)
        put_layout(c, f->layout, &shape, &f->u);
    put_sized_bytes(c, f->rest.ptr, f->rest.n);
    return code;
}

void pi_canon_build_id(struct pi_canon *c, const struct pd_build_id *file, uint16_t misc, uint8_t variant)
{
    const struct pd_shape shape = {
        .given = misc, .misc = misc, .variant = (uint8_t)(variant & ~PD_VARIANT_NO_PID)};
    struct pd_build_id with_pid = *file;
    if (variant & PD_VARIANT_NO_PID) /* a stream has it */
        with_pid.pid = (uint32_t)pi_build_id_pid(misc);
    pi_canon_number(c, misc, 2);
    put_layout(c, pi_layout_build_id(), &shape, &with_pid);
}
