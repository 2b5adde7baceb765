/* SPDX-License-Identifier: MIT */
/* compare.c - comparing two values of a layout through the schema's tables, field by field in stream order.
 */
#include "reflect.h"
#include "src/schema/schema.h"
#include "src/support/text_scan.h"
#include <perfdata/feature.h>
#include <perfdata/session/compare.h>

/* A name on the way to the difference, and the element when it is that of a vector or list. */
struct step {
    const char *name;
    size_t index; /* SIZE_MAX: none */
};

/*
 * The compared values, and the path to the first difference: from the inside out, as it is found while
 * returning. /
 */
struct comparison {
    struct pd_shape a, b;
    struct step steps[8]; /* deeper than any layout */
    size_t n_steps;
};

static bool differ(struct comparison *c, const char *name, size_t index)
{
    if (c->n_steps < sizeof c->steps / sizeof *c->steps)
        c->steps[c->n_steps++] = (struct step){name, index};
    return false;
}

static bool same_bytes(const void *a, size_t na, const void *b, size_t nb)
{
    return na == nb && (na == 0 || memcmp(a, b, na) == 0);
}

static size_t slot_size(const struct pd_op *op, const struct pd_str *s)
{
    return s->size == PD_AUTO ? pi_slot_of(op, s->len) : s->size;
}

/* A byte of the slot; the padding that the encoder makes is NUL. */
static char slot_at(const struct pd_str *s, size_t i)
{
    return s->size == PD_AUTO && i >= s->len ? '\0' : s->ptr[i];
}

static bool same_str(const struct pd_op *op, const struct pd_str *a, const struct pd_str *b)
{
    const size_t size = slot_size(op, a);
    if (size != slot_size(op, b) || !same_bytes(a->ptr, a->len, b->ptr, b->len))
        return false;
    for (size_t i = a->len; i < size; i++)
        if (slot_at(a, i) != slot_at(b, i))
            return false;
    return true;
}

static bool same_vec(struct comparison *c, const struct pd_op *op, const struct pd_vec *a,
                     const struct pd_vec *b)
{
    if (a->n != b->n)
        return differ(c, op->name, SIZE_MAX);
    for (size_t i = 0; i < a->n; i++)
        if (pd_vec_at(a, i) != pd_vec_at(b, i))
            return differ(c, op->name, i);
    return true;
}

static bool same_layout(struct comparison *c, const struct pd_op *head, const void *a, const void *b);

static bool same_list(struct comparison *c, const struct pd_op *op, const struct pd_list *list_a,
                      const struct pd_list *list_b)
{
    _Alignas(8) uint8_t element_a[PI_ELEMENT_MAX], element_b[PI_ELEMENT_MAX];
    const struct pd_op *layout = op->sub();
    struct pd_list a = *list_a, b = *list_b;
    if (a.n != b.n)
        return differ(c, op->name, SIZE_MAX);
    while (pi_list_take(&a, layout, element_a) && pi_list_take(&b, layout, element_b))
        if (!same_layout(c, layout, element_a, element_b))
            return differ(c, op->name, list_a->n - a.n - 1);
    return true;
}

static bool same_field(struct comparison *c, const struct pd_op *op, const void *a, const void *b)
{
    const void *ma = (const uint8_t *)a + op->offset, *mb = (const uint8_t *)b + op->offset;
    const struct pd_bytes *ba = ma, *bb = mb;
    bool same;
    switch (op->kind) {
    case PI_OP_ARR: same = memcmp(ma, mb, (size_t)op->arg) == 0; break;
    case PI_OP_STR:
    case PI_OP_CSTR:
    case PI_OP_STR64:
    case PI_OP_STRV:
    case PI_OP_STRN:
    case PI_OP_STRMAX:
    case PI_OP_SLOT: same = same_str(op, ma, mb); break;
    case PI_OP_BYTES:
    case PI_OP_REST: same = same_bytes(ba->ptr, ba->n, bb->ptr, bb->n); break;
    case PI_OP_VEC16:
    case PI_OP_VEC32:
    case PI_OP_VEC64:
    case PI_OP_GRID64:
    case PI_OP_VECR64:
    case PI_OP_REGS: return same_vec(c, op, ma, mb);
    case PI_OP_LIST:
    case PI_OP_ITEMS:
    case PI_OP_ITEMSR:
    case PI_OP_MESSAGE: return same_list(c, op, ma, mb);
    case PI_OP_SIZED:
    case PI_OP_ATTR:
    case PI_OP_SUB: same = same_layout(c, op->sub(), ma, mb); break;
    default: same = pi_scalar_get(op, a) == pi_scalar_get(op, b); break;
    }
    return same || differ(c, op->name, SIZE_MAX);
}

/* Both go through the same lines; where one has a field that the other has not, that field is the difference.
 */
static bool same_layout(struct comparison *c, const struct pd_op *head, const void *a, const void *b)
{
    const struct pd_op *oa = pi_visible(head, &c->a, a), *ob = pi_visible(head, &c->b, b);
    while (oa == ob) {
        if (oa->kind == PI_OP_END)
            return true;
        if (!same_field(c, oa, a, b))
            return false;
        oa = pi_visible(oa + 1, &c->a, a);
        ob = pi_visible(ob + 1, &c->b, b);
    }
    return differ(c, (oa < ob ? oa : ob)->name, SIZE_MAX);
}

/* ---- Records. */

static bool same_open(struct comparison *c, const struct pd_record *a, const struct pi_view *va,
                      const struct pd_record *b, const struct pi_view *vb)
{
    c->a = va->shape;
    c->b = vb->shape;
    if (va->layout && !same_layout(c, va->layout, &a->u, &b->u))
        return false;
    if (!same_bytes(a->rest.ptr, a->rest.n, b->rest.ptr, b->rest.n))
        return differ(c, "rest", SIZE_MAX);
    if (va->has_id != vb->has_id || (va->has_id && !same_layout(c, pi_layout_sample_id(), &a->id, &b->id)))
        return differ(c, "sample_id", SIZE_MAX);
    return true;
}

static bool same_record(struct comparison *c, const struct pd_record *a, const struct pd_record *b)
{
    const struct pi_view va = pi_view_of(a), vb = pi_view_of(b);
    c->n_steps = 0;
    if (a->type != b->type)
        return differ(c, "type", SIZE_MAX);
    if (a->misc != b->misc)
        return differ(c, "misc", SIZE_MAX);
    if (va.open && vb.open)
        return same_open(c, a, &va, b, &vb);
    if (va.open || vb.open || !same_bytes(a->raw, a->size, b->raw, b->size))
        return differ(c, "raw", SIZE_MAX);
    return true;
}

static bool same_attr(struct comparison *c, const struct pd_attr *a, const struct pd_attr *b)
{
    *c = (struct comparison){.n_steps = 0};
    return same_layout(c, pi_layout_attr(), a, b);
}

/* The outermost step was found last. */
static bool say_field(const struct comparison *c, bool equal, const char **field)
{
    if (field && !equal)
        *field = c->steps[c->n_steps - 1].name;
    return equal;
}

static size_t say_path(const struct comparison *c, bool equal, char *path, size_t cap)
{
    struct pi_text t = {path, cap, 0};
    for (size_t i = equal ? 0 : c->n_steps; i > 0; i--) {
        const struct step *s = &c->steps[i - 1];
        pi_text_str(&t, s->name);
        if (s->index != SIZE_MAX) {
            pi_text_str(&t, "[");
            pi_text_number(&t, s->index, 10);
            pi_text_str(&t, "]");
        }
        pi_text_str(&t, i > 1 ? "." : "");
    }
    return pi_text_close(&t);
}

bool pd_record_equal(const struct pd_record *a, const struct pd_record *b, const char **field)
{
    struct comparison c;
    const bool equal = same_record(&c, a, b);
    return say_field(&c, equal, field);
}

size_t pd_record_difference(const struct pd_record *a, const struct pd_record *b, char *path, size_t cap)
{
    struct comparison c;
    const bool equal = same_record(&c, a, b);
    return say_path(&c, equal, path, cap);
}

bool pd_attr_equal(const struct pd_attr *a, const struct pd_attr *b, const char **field)
{
    struct comparison c;
    const bool equal = same_attr(&c, a, b);
    return say_field(&c, equal, field);
}

size_t pd_attr_difference(const struct pd_attr *a, const struct pd_attr *b, char *path, size_t cap)
{
    struct comparison c;
    const bool equal = same_attr(&c, a, b);
    return say_path(&c, equal, path, cap);
}

static bool same_feature(struct comparison *c, const struct pd_feature *a, const struct pd_feature *b)
{
    *c = (struct comparison){.a = {.given = a->nr_cpus_avail, .variant = a->variant},
                             .b = {.given = b->nr_cpus_avail, .variant = b->variant}};
    if (a->id != b->id || a->layout != b->layout)
        return differ(c, "id", SIZE_MAX);
    if (a->layout && !same_layout(c, a->layout, &a->u, &b->u))
        return false;
    return same_bytes(a->rest.ptr, a->rest.n, b->rest.ptr, b->rest.n) || differ(c, "rest", SIZE_MAX);
}

bool pd_feature_equal(const struct pd_feature *a, const struct pd_feature *b, const char **field)
{
    struct comparison c;
    const bool equal = same_feature(&c, a, b);
    return say_field(&c, equal, field);
}
