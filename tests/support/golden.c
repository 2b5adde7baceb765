/* SPDX-License-Identifier: MIT */
#include "golden.h"
#include "alike.h"
#include "cmocka_all.h"
#include "guard.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Texts */

struct sink {
    uint8_t *out;
    size_t n, cap;
};

static void put(struct sink *s, uint8_t byte)
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
        put(s, hex_byte(order == PD_BIG ? digits + i : digits + n - 2 - i));
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

/* 'text': returns what follows it. */
static const char *put_text(struct sink *s, const char *p)
{
    for (p++; *p != '\''; p++)
        put(s, (uint8_t)*p);
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
static struct pd_read_value present[3]; /* the same without absent fields */

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
        values->nr = n,
        values->values = PD_LIST(present, n);
    else
        values->value = present[0].value, values->id = present[0].id, values->lost = present[0].lost;
    return words;
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
    const char *field = alike_records(want, got, ALIKE_VALUES);
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
    assert_ptr_equal(r->rec.layout, pd_layout_of(r->rec.type));
    assert_null(wrong_place(&r->rec));

    again.type = r->rec.type, again.misc = r->rec.misc, again.size = r->rec.size,
    again.variant = r->rec.variant;
    again.raw = r->bytes, again.layout = r->rec.layout, again.has_id = r->rec.has_id;
    expect_ok(r, "the reference decoding", pd_interpret_decode(&r->plan, &again, &again.u, &e), &e);
    expect_alike(r, "decoded by the reference", &r->g->rec, &again);
    const char *field = alike_records(&again, &r->rec, ALIKE_VIEWS);
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
    check_encoder(r, pd_interpret_encode, "encoded by the reference", &r->plan, &r->rec, r->bytes);
    check_encoder(r, pd_record_encode, "encoded in the other order", &r->other, &r->rec, r->other_bytes);
    check_encoder(r, pd_interpret_encode, "so encoded by the reference", &r->other, &r->rec, r->other_bytes);
    check_encoder(r, pd_record_encode, "built and encoded", &r->plan, &r->g->rec, r->bytes);
    check_encoder(r, pd_interpret_encode, "built and encoded by the reference", &r->plan, &r->g->rec,
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

/* Is it the name of a field somewhere in the schema, or of the trailer? */
static bool is_field(const char *name)
{
    for (size_t i = 0; i < pd_n_layouts; i++)
        for (const struct pd_op *op = pd_layouts[i]() + 1; op->kind != PD_OP_END; op++)
            if (op->kind < PD_OP_ALIAS && strcmp(op->name, name) == 0)
                return true;
    return strcmp(name, "sample_id") == 0;
}

/* The record cut to n bytes, its header saying so. */
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

/* The text must give the bytes a real file had: this checks the text, not the library. */
static void check_seen(const struct golden *g)
{
    uint8_t text[GOLDEN_MAX], seen[GOLDEN_MAX];
    const size_t n = golden_bytes(g->text, PD_LITTLE, text, sizeof text);
    struct sink s = {seen, 0, sizeof seen};
    for (const char *p = g->seen; *p; p += *p == ' ' ? 1 : 2)
        if (*p != ' ')
            put(&s, hex_byte(p));
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

int golden_run(const char *group, struct golden *cases, size_t n, const struct CMUnitTest *others,
               size_t n_others)
{
    struct CMUnitTest *tests = calloc(n + n_others, sizeof *tests);
    if (!tests)
        return 1;
    for (size_t i = 0; i < n; i++)
        tests[i] = (struct CMUnitTest){cases[i].name, golden_test, NULL, NULL, &cases[i]};
    for (size_t i = 0; i < n_others; i++)
        tests[n + i] = others[i];
    const int failed = _cmocka_run_group_tests(group, tests, n + n_others, NULL, NULL);
    free(tests);
    return failed;
}
