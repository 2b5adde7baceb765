/* SPDX-License-Identifier: MIT */
#include "golden.h"
#include "alike.h"
#include "cmocka_all.h"
#include "guard.h"
#include "src/codec/interpret.h"
#include "src/schema/schema.h"
#include "src/schema/passes/walk.h"
#include <ctype.h>
#include <perfdata/session/compare.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Texts */

struct sink {
    uint8_t *out;
    size_t n, cap;
};

static void put_byte(struct sink *s, uint8_t byte)
{
    if (s->n == s->cap)
        fail_msg("the golden text is longer than %zu bytes", s->cap);
    s->out[s->n++] = byte;
}

static uint8_t hex_byte(const char *s)
{
    const char digits[] = {s[0], s[1], 0};
    if (!isxdigit((unsigned char)s[0]) || !isxdigit((unsigned char)s[1]))
        fail_msg("not two hex digits: %.10s", s);
    return (uint8_t)strtoul(digits, NULL, 16);
}

/* A number of n digits, last byte first if little-endian. */
static void put_number(struct sink *s, const char *digits, size_t n, enum pd_order order)
{
    for (size_t i = 0; i < n; i += 2)
        put_byte(s, hex_byte(order == PD_BIG ? digits + i : digits + n - 2 - i));
}

/* "=0a0b" or "=00*12", n characters behind the '='. */
static void put_raw(struct sink *s, const char *token, size_t n)
{
    const char *star = memchr(token, '*', n);
    const size_t times = star ? strtoul(star + 1, NULL, 10) : 1;
    const size_t digits = star ? (size_t)(star - token) : n;
    for (size_t t = 0; t < times; t++)
        put_number(s, token, digits, PD_BIG);
}

static void put_token(struct sink *s, const char *token, size_t n, enum pd_order order)
{
    const char *slash = memchr(token, '/', n);
    if (*token == '=')
        put_raw(s, token + 1, n - 1);
    else if (slash && order == PD_LITTLE)
        put_number(s, slash + 1, n - 1 - (size_t)(slash - token), order);
    else
        put_number(s, token, slash ? (size_t)(slash - token) : n, order);
}

/* 'text': returns the text behind it. */
static const char *put_text(struct sink *s, const char *p)
{
    for (p++; *p != '\''; p++)
        put_byte(s, (uint8_t)*p);
    return p + 1;
}

size_t golden_bytes(const char *text, enum pd_order order, void *out, size_t cap)
{
    struct sink s = {out, 0, cap};
    for (const char *p = text + strspn(text, " "); *p; p += strspn(p, " ")) {
        const size_t n = strcspn(p, " ");
        if (*p == '\'') {
            p = put_text(&s, p);
        } else {
            put_token(&s, p, n, order);
            p += n;
        }
    }
    return s.n;
}

/* ---- READ values */

static const uint64_t enabled = 0xe1e2e3e4e5e6e7e8, running = 0xd1d2d3d4d5d6d7d8;
static const struct pd_read_value counters[] = {
    {0x1112131415161718, 0x2122232425262728, 0x3132333435363738},
    {0x4142434445464748, 0x5152535455565758, 0x6162636465666768},
    {0x7172737475767778, 0x8182838485868788, 0x9192939495969798},
};
static struct pd_read_value present[3]; /* the values without absent fields */

static size_t add_word(char text[300], bool there, uint64_t word)
{
    const size_t n = strlen(text);
    if (there)
        snprintf(text + n, 300 - n, " %016llx", (unsigned long long)word);
    return there;
}

size_t golden_read_values(uint64_t rf, size_t n, char text[300], struct pd_read_values *values)
{
    const bool e = rf & 1, r = rf & 2, i = rf & 4, group = rf & 8, l = rf & 16;
    size_t words = 0;
    text[0] = 0;
    *values = (struct pd_read_values){.time_enabled = e ? enabled : 0, .time_running = r ? running : 0};
    words += add_word(text, group, n);
    words += add_word(text, !group, counters[0].value);
    words += add_word(text, e, enabled);
    words += add_word(text, r, running);
    for (size_t k = 0; k < (group ? n : 1); k++) {
        present[k] =
            (struct pd_read_value){counters[k].value, i ? counters[k].id : 0, l ? counters[k].lost : 0};
        words += add_word(text, group, present[k].value);
        words += add_word(text, i, present[k].id);
        words += add_word(text, l, present[k].lost);
    }
    if (group)
        values->nr = n, values->values = PD_LIST(present, n);
    else
        values->value = present[0].value, values->id = present[0].id, values->lost = present[0].lost;
    return words;
}

/* ---- Comparison of values that only the tables decode; members that are not in the stream count, too. */

static size_t slot_of(const struct pd_op *op, const struct pd_str *s)
{
    if (s->size != PD_AUTO)
        return s->size;
    switch (op->kind) {
    case PI_OP_CSTR: return s->len + 1;
    case PI_OP_STR64: return (s->len / 64 + 1) * 64;
    case PI_OP_STRV: return s->len;
    case PI_OP_STRN:
    case PI_OP_STRMAX: return (size_t)op->arg;
    default: return (s->len / 8 + 1) * 8;
    }
}

static bool same_slot(const struct pd_op *op, const struct pd_str *want, const struct pd_str *got)
{
    bool same = want->len == got->len && slot_of(op, want) == got->size;
    for (size_t i = 0; same && i < got->size; i++)
        same = got->ptr[i] == (i < want->len || want->size != PD_AUTO ? want->ptr[i] : 0);
    return same;
}

static bool same_words(const struct pd_vec *want, const struct pd_vec *got)
{
    bool same = want->n == got->n;
    for (size_t i = 0; same && i < got->n; i++)
        same = pd_vec_at(want, i) == pd_vec_at(got, i);
    return same;
}

static bool same_view(const struct pd_bytes *want, const struct pd_bytes *got)
{
    return want->n == got->n && (got->n == 0 || memcmp(want->ptr, got->ptr, got->n) == 0);
}

static const char *differing(const struct pd_op *layout, const void *want, const void *got);

static const char *differing_items(const struct pd_op *op, const struct pd_list *want,
                                   const struct pd_list *got)
{
    _Alignas(8) uint8_t x[PI_ELEMENT_MAX], y[PI_ELEMENT_MAX];
    struct pd_list a = *want, b = *got;
    const char *field = a.n == b.n ? NULL : op->name;
    while (!field && b.n > 0) {
        if (!pi_list_take(&a, op->sub(), x) || !pi_list_take(&b, op->sub(), y))
            return op->name;
        field = differing(op->sub(), x, y);
    }
    return field;
}

static const char *differing_in(const struct pd_op *op, const void *want, const void *got)
{
    const void *a = (const uint8_t *)want + op->offset, *b = (const uint8_t *)got + op->offset;
    bool same = true;
    switch (op->kind) {
    case PI_OP_ARR: same = memcmp(a, b, (size_t)op->arg) == 0; break;
    case PI_OP_STR:
    case PI_OP_CSTR:
    case PI_OP_STR64:
    case PI_OP_STRV:
    case PI_OP_STRN:
    case PI_OP_STRMAX:
    case PI_OP_SLOT: same = same_slot(op, a, b); break;
    case PI_OP_VEC16:
    case PI_OP_VEC32:
    case PI_OP_VEC64:
    case PI_OP_GRID64:
    case PI_OP_VECR64: same = same_words(a, b); break;
    case PI_OP_BYTES:
    case PI_OP_REST: same = same_view(a, b); break;
    case PI_OP_SUB:
    case PI_OP_SIZED:
    case PI_OP_ATTR: return differing(op->sub(), a, b);
    case PI_OP_LIST:
    case PI_OP_ITEMS:
    case PI_OP_ITEMSR:
    case PI_OP_MESSAGE: return differing_items(op, a, b);
    case PI_OP_GIVEN: same = pi_value_of(a, 0, 4) == pi_value_of(b, 0, 4); break;
    case PI_OP_ROOM:
    case PI_OP_ROOMN:
    case PI_OP_ODD64: same = pi_value_of(a, 0, 1) == pi_value_of(b, 0, 1); break;
    case PI_OP_PASS:
    case PI_OP_ORDER: break;
    default: same = pi_scalar_get(op, want) == pi_scalar_get(op, got); break;
    }
    return same ? NULL : op->name;
}

/* The first field of a layout that differs from the wanted one. Absent fields are 0, or an empty view. */
static const char *differing(const struct pd_op *layout, const void *want, const void *got)
{
    const char *field = NULL;
    for (const struct pd_op *op = layout + 1; !field && op->kind != PI_OP_END; op++)
        if (op->kind < PI_OP_ALIAS)
            field = differing_in(op, want, got);
    return field;
}

static const char *differing_record(const struct pd_record *want, const struct pd_record *got)
{
    const struct pd_op *layout = pi_layout_of(want->type);
    const char *field = layout ? differing(layout, &want->u, &got->u) : NULL;
    if (want->type != got->type || want->misc != got->misc)
        return "header";
    if (want->variant != got->variant || want->has_id != got->has_id)
        return "variant";
    if (!field && !same_view(&want->rest, &got->rest))
        return "rest";
    return field ? field : differing(pi_layout_sample_id(), &want->id, &got->id);
}

/* ---- One case in one byte order */

struct run {
    const struct golden *g;
    struct pd_plan plan, other; /* of this order and of the other one */
    const uint8_t *bytes;       /* in this order, at the end of a page */
    uint8_t other_bytes[GOLDEN_MAX];
    size_t n;
    struct pd_record rec; /* decoded */
};

static const char *order_name(const struct run *r)
{
    return r->plan.order == PD_LITTLE ? "little-endian" : "big-endian";
}

static void expect_ok(const struct run *r, const char *what, enum pd_code code, const struct pd_error *e)
{
    char text[200] = "";
    if (code)
        pd_error_text(e, text, sizeof text);
    if (code)
        fail_msg("%s, %s, %s: %s", r->g->name, order_name(r), what, text);
}

static void expect_alike(const struct run *r, const char *what, const struct pd_record *want,
                         const struct pd_record *got)
{
    const bool tables = want->type >= PD_RECORD_HEADER_ATTR;
    const char *field = tables ? differing_record(want, got) : alike_records(want, got, ALIKE_VALUES);
    if (field)
        fail_msg("%s, %s, %s: %s differs", r->g->name, order_name(r), what, field);
}

static void expect_bytes(const struct run *r, const char *what, const uint8_t *want, const uint8_t *got,
                         size_t n)
{
    for (size_t i = 0; i < r->n && i < n; i++)
        if (want[i] != got[i])
            fail_msg("%s, %s, %s: byte %zu is %02x, not %02x", r->g->name, order_name(r), what, i, got[i],
                     want[i]);
    if (n != r->n)
        fail_msg("%s, %s, %s: %zu bytes, not %zu", r->g->name, order_name(r), what, n, r->n);
}

static void check_decode(struct run *r)
{
    struct pd_error e;
    struct pd_record again = {0};
    expect_ok(r, "decoding", pd_record_decode(&r->plan, r->bytes, r->n, &r->rec, &e), &e);
    expect_alike(r, "decoded", &r->g->rec, &r->rec);
    assert_true(r->rec.decoded);
    assert_ptr_equal(r->rec.raw, r->bytes);
    assert_ptr_equal(r->rec.plan, &r->plan);
    assert_int_equal(r->rec.size, r->n);
    assert_ptr_equal(r->rec.layout, pi_layout_of(r->rec.type));
    assert_null(wrong_place(&r->rec));

    again.type = r->rec.type, again.misc = r->rec.misc, again.size = r->rec.size,
    again.variant = r->rec.variant;
    again.raw = r->bytes, again.layout = r->rec.layout, again.has_id = r->rec.has_id;
    expect_ok(r, "the reference decoding", pi_interpret_decode(&r->plan, &again, &again.u, &e), &e);
    expect_alike(r, "decoded by the reference", &r->g->rec, &again);
    const bool tables = r->rec.type >= PD_RECORD_HEADER_ATTR;
    const char *field =
        tables ? differing_record(&again, &r->rec) : alike_records(&again, &r->rec, ALIKE_VIEWS);
    if (field)
        fail_msg("%s, %s: the two decoders differ in %s", r->g->name, order_name(r), field);
}

typedef enum pd_code encoder(const struct pd_plan *plan, const struct pd_record *rec, void *out, size_t cap,
                             size_t *size, struct pd_error *error);

static void check_encoder(struct run *r, encoder *encode, const char *what, const struct pd_plan *plan,
                          const struct pd_record *rec, const uint8_t *want)
{
    struct pd_error e;
    uint8_t *out = guard_room(1, r->n);
    size_t size = 0;
    expect_ok(r, what, encode(plan, rec, out, r->n, &size, &e), &e);
    expect_bytes(r, what, want, out, size);
}

static void check_encode(struct run *r)
{
    check_encoder(r, pd_record_encode, "encoded", &r->plan, &r->rec, r->bytes);
    check_encoder(r, pi_interpret_encode, "encoded by the reference", &r->plan, &r->rec, r->bytes);
    check_encoder(r, pd_record_encode, "encoded in the other order", &r->other, &r->rec, r->other_bytes);
    check_encoder(r, pi_interpret_encode, "so encoded by the reference", &r->other, &r->rec, r->other_bytes);
    check_encoder(r, pd_record_encode, "built and encoded", &r->plan, &r->g->rec, r->bytes);
    check_encoder(r, pi_interpret_encode, "built and encoded by the reference", &r->plan, &r->g->rec,
                  r->bytes);
}

static void check_refusals(struct run *r)
{
    struct pd_error e = {0};
    struct pd_record wrong = r->g->rec;
    size_t size = 0;
    assert_int_equal(pd_record_size(&r->plan, &r->g->rec, &size, NULL), PD_OK);
    assert_int_equal(size, r->n);

    size = 0;
    uint8_t *out = guard_room(1, r->n - 1);
    assert_int_equal(pd_record_encode(&r->plan, &r->rec, out, r->n - 1, &size, &e), PD_ESPACE);
    assert_int_equal(size, r->n);
    assert_int_equal(e.code, PD_ESPACE);
    assert_int_equal(e.found, r->n - 1);
    assert_int_equal(e.expected, r->n);

    wrong.size = (uint16_t)(r->n + 8);
    assert_int_equal(pd_record_encode(&r->plan, &wrong, guard_room(1, r->n + 8), r->n + 8, &size, &e),
                     PD_ECOUNT);
    assert_string_equal(e.field, "size");
    assert_int_equal(e.found, r->n + 8);
    assert_int_equal(e.expected, r->n);
    wrong.size = (uint16_t)r->n;
    assert_int_equal(pd_record_size(&r->plan, &wrong, &size, &e), PD_OK);
}

/* True if it is the name of a field in the schema, or of the trailer. */
static bool is_field(const char *name)
{
    for (size_t i = 0; i < pi_n_layouts; i++)
        for (const struct pd_op *op = pi_layouts[i]() + 1; op->kind != PI_OP_END; op++)
            if (op->kind < PI_OP_ALIAS && strcmp(op->name, name) == 0)
                return true;
    return strcmp(name, "sample_id") == 0;
}

/* Checks the record cut to n bytes, with that size in its header. */
static void check_cut(struct run *r, size_t n)
{
    struct pd_error e = {0};
    struct pd_record rec = {0};
    uint8_t *p = guard_copy(2, r->bytes, n);
    p[6] = (uint8_t)(r->plan.order == PD_LITTLE ? n : n >> 8);
    p[7] = (uint8_t)(r->plan.order == PD_LITTLE ? n >> 8 : n);
    const enum pd_code code = pd_record_decode(&r->plan, p, n, &rec, &e);
    if (code == PD_OK) {
        size_t size = 0;
        uint8_t *out = guard_room(1, n);
        expect_ok(r, "encoding a cut record", pd_record_encode(&r->plan, &rec, out, n, &size, &e), &e);
        assert_int_equal(size, n);
        assert_memory_equal(out, p, n);
        return;
    }
    assert_true(code == PD_ESHORT || code == PD_ECOUNT);
    assert_int_equal(e.code, code);
    assert_int_equal(e.record_type, r->g->rec.type);
    assert_non_null(e.field);
    assert_true(is_field(e.field));
    assert_in_range(e.record_offset, 8, n);
    assert_true(e.found != e.expected);
    assert_false(rec.decoded);
}

static void check_order(const struct golden *g, enum pd_order order)
{
    uint8_t bytes[GOLDEN_MAX];
    struct pd_error e;
    struct run r = {.g = g};
    const enum pd_order other = order == PD_LITTLE ? PD_BIG : PD_LITTLE;
    r.n = golden_bytes(g->text, order, bytes, sizeof bytes);
    r.bytes = guard_copy(0, bytes, r.n);
    assert_int_equal(golden_bytes(g->text, other, r.other_bytes, sizeof r.other_bytes), r.n);
    pd_plan_init(&r.plan, &g->attr, order);
    pd_plan_init(&r.other, &g->attr, other);

    check_decode(&r);
    check_encode(&r);
    check_refusals(&r);
    for (size_t n = 8; n < r.n; n++)
        check_cut(&r, n);
    for (size_t n = 0; n < r.n; n++) {
        struct pd_record rec = {0};
        uint8_t *p = guard_copy(2, r.bytes, n);
        assert_int_equal(pd_record_decode(&r.plan, p, n, &rec, &e), n < 8 ? PD_ESHORT : PD_ETRUNC);
        assert_string_equal(e.field, n < 8 ? "header" : "size");
        assert_int_equal(e.found, n);
        assert_int_equal(e.expected, n < 8 ? 8 : r.n);
    }
}

/* The text must give the bytes of a real file: this checks the text, not the library. */
static void check_seen(const struct golden *g)
{
    uint8_t text[GOLDEN_MAX], seen[GOLDEN_MAX];
    const size_t n = golden_bytes(g->text, PD_LITTLE, text, sizeof text);
    struct sink s = {seen, 0, sizeof seen};
    for (const char *p = g->seen; *p; p += *p == ' ' ? 1 : 2)
        if (*p != ' ')
            put_byte(&s, hex_byte(p));
    assert_int_equal(s.n, n);
    assert_memory_equal(text, seen, n);
}

void golden_check(const struct golden *g)
{
    if (g->seen)
        check_seen(g);
    check_order(g, PD_LITTLE);
    check_order(g, PD_BIG);
}

static void golden_test(void **state)
{
    golden_check(*state);
}

/* ---- Feature sections */

struct feature_run {
    const struct golden_feature *g;
    enum pd_order order, other;
    const uint8_t *bytes; /* in this order */
    uint8_t other_bytes[GOLDEN_MAX];
    size_t n;
    struct pd_feature f; /* decoded */
};

static void feature_ok(const struct feature_run *r, const char *what, enum pd_code code,
                       const struct pd_error *e)
{
    char text[200] = "";
    if (code)
        pd_error_text(e, text, sizeof text);
    if (code)
        fail_msg("%s, %s, %s: %s", r->g->name, r->order == PD_LITTLE ? "little-endian" : "big-endian", what,
                 text);
}

static void check_feature_decode(struct feature_run *r)
{
    const struct pd_feature *want = &r->g->f;
    const struct pd_op *layout = r->n ? pi_layout_of_feature(want->id) : NULL;
    struct pd_error e;
    memset(&r->f, 0xee, sizeof r->f);
    feature_ok(r, "decoding",
               pd_feature_decode(r->order, want->id, want->nr_cpus_avail, r->bytes, r->n, &r->f, &e), &e);
    assert_int_equal(r->f.id, want->id);
    assert_int_equal(r->f.nr_cpus_avail, want->nr_cpus_avail);
    assert_int_equal(r->f.variant, want->variant);
    assert_ptr_equal(r->f.raw.ptr, r->bytes);
    assert_int_equal(r->f.raw.n, r->n);
    assert_ptr_equal(r->f.layout, layout);
    const char *field = layout ? differing(layout, &want->u, &r->f.u) : NULL;
    if (!field && !same_view(&want->rest, &r->f.rest))
        field = "rest";
    if (field)
        fail_msg("%s, %s: %s differs", r->g->name, r->order == PD_LITTLE ? "little-endian" : "big-endian",
                 field);
}

static void check_feature_encoder(struct feature_run *r, const char *what, enum pd_order order,
                                  const struct pd_feature *f, const uint8_t *want)
{
    struct pd_error e = {0};
    uint8_t *out = guard_room(1, r->n);
    size_t size = SIZE_MAX;
    feature_ok(r, what, pd_feature_encode(order, f, out, r->n, &size, &e), &e);
    assert_int_equal(size, r->n);
    for (size_t i = 0; i < r->n; i++)
        if (want[i] != out[i])
            fail_msg("%s, %s, %s: byte %zu is %02x, not %02x", r->g->name,
                     order == PD_LITTLE ? "little-endian" : "big-endian", what, i, out[i], want[i]);
    feature_ok(r, "size", pd_feature_encode(order, f, NULL, 0, &size, &e), &e);
    assert_int_equal(size, r->n);
    if (r->n == 0)
        return;
    out = guard_room(1, r->n - 1);
    size = 0;
    assert_int_equal(pd_feature_encode(order, f, out, r->n - 1, &size, &e), PD_ESPACE);
    assert_int_equal(size, r->n);
    assert_int_equal(e.found, r->n - 1);
    assert_int_equal(e.expected, r->n);
}

/* Checks the section cut to n bytes: it is read, or kept unchanged. */
static void check_feature_cut(struct feature_run *r, size_t n)
{
    struct pd_error e = {0};
    struct pd_feature f;
    size_t size = 0;
    const uint8_t *p = guard_copy(2, r->bytes, n);
    const enum pd_code code = pd_feature_decode(r->order, r->g->f.id, r->g->f.nr_cpus_avail, p, n, &f, &e);
    if (code != PD_OK) {
        assert_true(code == PD_ESHORT || code == PD_ECOUNT);
        assert_int_equal(e.code, code);
        assert_non_null(e.field);
        assert_true(is_field(e.field));
        assert_true(e.found != e.expected);
        assert_null(f.layout);
        assert_ptr_equal(f.rest.ptr, p);
        assert_int_equal(f.rest.n, n);
    }
    uint8_t *out = guard_room(1, n);
    feature_ok(r, "encoding a cut section", pd_feature_encode(r->order, &f, out, n, &size, &e), &e);
    assert_int_equal(size, n);
    assert_memory_equal(out, p, n);
}

static void check_feature_order(const struct golden_feature *g, enum pd_order order)
{
    uint8_t bytes[GOLDEN_MAX];
    struct feature_run r = {.g = g, .order = order, .other = order == PD_LITTLE ? PD_BIG : PD_LITTLE};
    r.n = golden_bytes(g->text, order, bytes, sizeof bytes);
    r.bytes = guard_copy(0, bytes, r.n);
    assert_int_equal(golden_bytes(g->text, r.other, r.other_bytes, sizeof r.other_bytes), r.n);
    check_feature_decode(&r);
    check_feature_encoder(&r, "encoded", order, &r.f, r.bytes);
    check_feature_encoder(&r, "encoded in the other order", r.other, &r.f, r.other_bytes);
    struct pd_feature built = g->f;
    built.layout = g->f.rest.n ? r.f.layout : NULL;
    check_feature_encoder(&r, "built and encoded", order, &built, r.bytes);
    built.layout = r.f.layout;
    assert_true(pd_feature_equal(&built, &r.f, NULL));
    for (size_t n = 1; n < r.n; n++)
        check_feature_cut(&r, n);
}

void golden_check_feature(const struct golden_feature *g)
{
    check_feature_order(g, PD_LITTLE);
    check_feature_order(g, PD_BIG);
}

static void golden_feature_test(void **state)
{
    golden_check_feature(*state);
}

/* ---- Groups */

static int run_group(const char *group, struct CMUnitTest *tests, size_t n, const struct CMUnitTest *others,
                     size_t n_others)
{
    for (size_t i = 0; i < n_others; i++)
        tests[n + i] = others[i];
    const int failed = _cmocka_run_group_tests(group, tests, n + n_others, NULL, NULL);
    free(tests);
    return failed;
}

int golden_run(const char *group, struct golden *cases, size_t n, const struct CMUnitTest *others,
               size_t n_others)
{
    struct CMUnitTest *tests = calloc(n + n_others, sizeof *tests);
    if (!tests)
        return 1;
    for (size_t i = 0; i < n; i++)
        tests[i] = (struct CMUnitTest){cases[i].name, golden_test, NULL, NULL, &cases[i]};
    return run_group(group, tests, n, others, n_others);
}

int golden_run_features(const char *group, struct golden_feature *cases, size_t n,
                        const struct CMUnitTest *others, size_t n_others)
{
    struct CMUnitTest *tests = calloc(n + n_others, sizeof *tests);
    if (!tests)
        return 1;
    for (size_t i = 0; i < n; i++)
        tests[i] = (struct CMUnitTest){cases[i].name, golden_feature_test, NULL, NULL, &cases[i]};
    return run_group(group, tests, n, others, n_others);
}
