/* SPDX-License-Identifier: MIT */
/*
 * differ_fields.c - two values of a layout, field by field through reflection: each difference is reported
 * with its path.
 */
#include "differ.h"
#include "src/reflect/reflect.h"
#include <stdio.h>
#include <string.h>

/* ---- Telling */

void pi_differ_finding(const struct pi_differ *d, int side, const struct pd_error *what)
{
    if (d->options->finding)
        d->options->finding(d->options->user, side, what);
}

enum pd_code pi_differ_damage(struct pi_differ *d, int side, const struct pd_error *what)
{
    if (!pd_is_failure(what->code)) {
        pi_differ_finding(d, side, what);
        return PD_OK;
    }
    *d->error = *what;
    return what->code;
}

void pi_differ_tell(struct pi_differ *d, const struct pd_field *a, const struct pd_field *b)
{
    if (d->stopped)
        return;
    d->now.path = d->path_n ? d->path : NULL;
    d->now.field[0] = a;
    d->now.field[1] = b;
    d->n++;
    if (d->options->difference)
        d->stopped = !d->options->difference(d->options->user, &d->now);
}

/* Appends a name to the path; the result is for leave(). Too long a path is cut. */
static size_t enter(struct pi_differ *d, const char *name)
{
    const size_t before = d->path_n, room = sizeof d->path - before;
    const int n = snprintf(d->path + before, room, "%s%s", before ? "." : "", name);
    d->path_n += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
    return before;
}

static size_t enter_element(struct pi_differ *d, size_t i)
{
    const size_t before = d->path_n, room = sizeof d->path - before;
    const int n = snprintf(d->path + before, room, "[%zu]", i);
    d->path_n += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
    return before;
}

static void leave(struct pi_differ *d, size_t before)
{
    d->path_n = before;
    d->path[before] = '\0';
}

static bool tell_at(struct pi_differ *d, const char *name, const struct pd_field *a, const struct pd_field *b)
{
    const size_t before = enter(d, name);
    pi_differ_tell(d, a, b);
    leave(d, before);
    return true;
}

bool pi_differ_number(struct pi_differ *d, const char *name, const struct pd_set *set, unsigned width,
                      uint64_t a, uint64_t b)
{
    struct pd_field fa = {.name = name,
                          .kind = PD_FIELD_NUMBER,
                          .set = set,
                          .width = (uint8_t)width,
                          .value = a},
                    fb = fa;
    fb.value = b;
    return a != b && tell_at(d, name, &fa, &fb);
}

bool pi_differ_text(struct pi_differ *d, const char *name, const char *a, const char *b)
{
    const struct pd_str sa = PD_STR(a), sb = PD_STR(b);
    const struct pd_field fa = {.name = name, .kind = PD_FIELD_STRING, .n = sa.len, .u.str = &sa};
    const struct pd_field fb = {.name = name, .kind = PD_FIELD_STRING, .n = sb.len, .u.str = &sb};
    return strcmp(a, b) != 0 && tell_at(d, name, &fa, &fb);
}

static bool same_bytes(const void *a, size_t na, const void *b, size_t nb)
{
    return na == nb && (na == 0 || memcmp(a, b, na) == 0);
}

bool pi_differ_bytes(struct pi_differ *d, const char *name, const struct pd_bytes *a,
                     const struct pd_bytes *b)
{
    const struct pd_field fa = {.name = name, .kind = PD_FIELD_BYTES, .n = a->n, .u.bytes = a};
    const struct pd_field fb = {.name = name, .kind = PD_FIELD_BYTES, .n = b->n, .u.bytes = b};
    return !same_bytes(a->ptr, a->n, b->ptr, b->n) && tell_at(d, name, &fa, &fb);
}

/* ---- One field that both have */

enum { MOST_ELEMENTS = 8 }; /* of a vector or list that are told */

/* Two layouts at the same place. */
struct pair {
    struct pd_fields *a, *b;
};

static bool walk(struct pi_differ *d, struct pair its);

static void compare_string(struct pi_differ *d, const struct pd_field *a, const struct pd_field *b)
{
    const struct pd_str *sa = a->u.str, *sb = b->u.str;
    if (!same_bytes(sa->ptr, sa->len, sb->ptr, sb->len)) {
        pi_differ_tell(d, a, b);
    } else if (!d->loose) {
        const struct pd_bytes pa = {(const uint8_t *)sa->ptr + sa->len,
                                    sa->size == PD_AUTO ? 0 : sa->size - sa->len};
        const struct pd_bytes pb = {(const uint8_t *)sb->ptr + sb->len,
                                    sb->size == PD_AUTO ? 0 : sb->size - sb->len};
        pi_differ_bytes(d, "pad", &pa, &pb);
    }
}

/* The number of elements, if it differs and has no field of its own. */
static void compare_counts(struct pi_differ *d, const struct pd_field *a, const struct pd_field *b)
{
    if (a->n != b->n && !a->count)
        pi_differ_tell(d, a, b);
}

static void compare_vector(struct pi_differ *d, const struct pd_field *a, const struct pd_field *b)
{
    struct pd_field fa = *a, fb = *b;
    size_t told = 0;
    fa.kind = fb.kind = PD_FIELD_NUMBER;
    for (size_t i = 0; told < MOST_ELEMENTS && i < a->n && i < b->n; i++) {
        fa.value = pd_vec_at(a->u.vec, i);
        fb.value = pd_vec_at(b->u.vec, i);
        if (fa.value == fb.value)
            continue;
        const size_t before = enter_element(d, i);
        pi_differ_tell(d, &fa, &fb);
        leave(d, before);
        told++;
    }
    compare_counts(d, a, b);
}

static void compare_list(struct pi_differ *d, struct pair its, const struct pd_field *a,
                         const struct pd_field *b)
{
    struct pd_fields ea, eb;
    size_t told = 0;
    for (size_t i = 0; told < MOST_ELEMENTS && i < a->n && i < b->n; i++) {
        if (!pd_fields_element(&ea, its.a, a, i) || !pd_fields_element(&eb, its.b, b, i))
            break;
        const size_t before = enter_element(d, i);
        told += !walk(d, (struct pair){&ea, &eb});
        leave(d, before);
    }
    compare_counts(d, a, b);
}

static void compare_field(struct pi_differ *d, struct pair its, const struct pd_field *a,
                          const struct pd_field *b)
{
    struct pd_fields pa, pb;
    if (d->loose && pi_is_padding(a->name))
        return;
    switch (a->kind) {
    case PD_FIELD_NUMBER:
        if (a->value != b->value)
            pi_differ_tell(d, a, b);
        break;
    case PD_FIELD_ARRAY:
        if (!same_bytes(a->u.array, a->n, b->u.array, b->n))
            pi_differ_tell(d, a, b);
        break;
    case PD_FIELD_STRING: compare_string(d, a, b); break;
    case PD_FIELD_VECTOR: compare_vector(d, a, b); break;
    case PD_FIELD_BYTES:
        if (!same_bytes(a->u.bytes->ptr, a->n, b->u.bytes->ptr, b->n))
            pi_differ_tell(d, a, b);
        break;
    case PD_FIELD_PART:
        pd_fields_enter(&pa, its.a, a);
        pd_fields_enter(&pb, its.b, b);
        walk(d, (struct pair){&pa, &pb});
        break;
    case PD_FIELD_LIST: compare_list(d, its, a, b); break;
    }
}

/* ---- All fields, in the order of the schema; one may have fields that the other has not */

/* True if the field comes before the other. Fields of the payload come before those around it. */
static bool is_before(const struct pd_fields *ia, const struct pd_field *a, const struct pd_fields *ib,
                      const struct pd_field *b)
{
    return ia->stage != ib->stage ? ia->stage < ib->stage : (uintptr_t)a->op < (uintptr_t)b->op;
}

/* False: they differ. */
static bool walk(struct pi_differ *d, struct pair its)
{
    const uint64_t n = d->n;
    struct pd_field a, b;
    bool has_a = pd_fields_next(its.a, &a), has_b = pd_fields_next(its.b, &b);
    while ((has_a || has_b) && !d->stopped) {
        const bool both = has_a && has_b && a.kind == b.kind && strcmp(a.name, b.name) == 0;
        const bool first = both || !has_b || (has_a && is_before(its.a, &a, its.b, &b));
        const size_t before = enter(d, first ? a.name : b.name);
        if (both)
            compare_field(d, its, &a, &b);
        else
            pi_differ_tell(d, first ? &a : NULL, first ? NULL : &b);
        leave(d, before);
        if (first)
            has_a = pd_fields_next(its.a, &a);
        if (both || !first)
            has_b = pd_fields_next(its.b, &b);
    }
    return d->n == n;
}

void pi_differ_fields(struct pi_differ *d, struct pd_fields *a, struct pd_fields *b)
{
    walk(d, (struct pair){a, b});
}

void pi_differ_part(struct pi_differ *d, const char *name, struct pd_fields *a, struct pd_fields *b)
{
    const size_t before = enter(d, name);
    walk(d, (struct pair){a, b});
    leave(d, before);
}
