/* SPDX-License-Identifier: MIT */
/*
 * golden_errors.c - records that cannot be decoded or encoded: the field, offset and numbers in the error.
 * Checks R12.
 */
#include "golden.h"

#include "cmocka_all.h"
#include "src/codec/interpret.h"
#include "guard.h"
#include <stdio.h>
#include <string.h>

#define HEAD "00000009 0002 "
#define W "1112131415161718"
#define ENTRY W " " W " " W

static const enum pd_order orders[] = {PD_LITTLE, PD_BIG};

/* ---- Decoding */

static void expect_error(const struct pd_error *e, enum pd_code code, const char *field, size_t at,
                         uint64_t found, uint64_t expected)
{
    assert_int_equal(e->code, code);
    assert_non_null(e->field);
    assert_string_equal(e->field, field);
    assert_int_equal(e->record_offset, at);
    assert_int_equal(e->found, found);
    assert_int_equal(e->expected, expected);
}

static void check_bad(const struct pd_attr *attr, const char *text, enum pd_code code, const char *field,
                      size_t at, uint64_t found, uint64_t expected)
{
    for (size_t o = 0; o < 2; o++) {
        uint8_t bytes[300];
        struct pd_plan plan;
        struct pd_error e = {0};
        struct pd_record rec = {.offset = 0x1234, .index = 7};
        const size_t n = golden_bytes(text, orders[o], bytes, sizeof bytes);
        pd_plan_init(&plan, attr, orders[o]);
        assert_int_equal(pd_record_decode(&plan, guard_copy(0, bytes, n), n, &rec, &e), code);
        expect_error(&e, code, field, at, found, expected);
        assert_int_equal(e.offset, 0x1234);
        assert_int_equal(e.record_index, 7);
        assert_int_equal(e.record_type, rec.type);
        assert_int_equal(rec.size, n);
        assert_false(rec.decoded);
        assert_int_equal(pd_record_decode(&plan, bytes, n, &rec, NULL), code);
    }
}

struct bad_count {
    struct pd_attr attr;
    const char *before, *after; /* the count, 8 bytes, is between them */
    const char *field;
    size_t at;
    uint64_t most; /* the largest count that fits */
};

/* clang-format off */
static const struct bad_count bad_counts[] = {
    {{.sample_type = 0x20}, HEAD "0020", W " " W, "ips", 16, 2},
    {{.sample_type = 0x120}, HEAD "0028 " W, W " " W, "ips", 24, 2},
    {{.sample_type = 0x4020}, HEAD "0028", W " " W " " W, "ips", 16, 2}, /* WEIGHT is behind it */
    {{.sample_type = 0x800}, HEAD "0040", ENTRY " " ENTRY, "entries", 16, 2},
    {{.sample_type = 0x800, .branch_sample_type = 0x20000}, HEAD "0030", W " " ENTRY, "entries", 24, 1},
    {{.sample_type = 0x10, .read_format = 0x8}, HEAD "0020", W " " W, "values", 16, 2},
    {{.sample_type = 0x10, .read_format = 0x1f}, HEAD "0050", W " " W " " ENTRY " " ENTRY, "values", 32, 2},
    {{.sample_type = 0x2000}, HEAD "0018", W, "data", 16, 8},
    {{.sample_type = 0x100000}, HEAD "0020", W " " W, "data", 16, 16},
    {{.flags = 0}, "00000010 0000 0038 00000001 00000002", W " " W " " W " " W, "namespaces", 24, 2},
    {{.flags = 0}, "00000016 0000 0028 " W, W " " W, "ips", 24, 2},
    {{.sample_type = 4, .flags = PD_ATTR_SAMPLE_ID_ALL}, "00000016 0000 0030 " W, W " " W " " W,
     "ips", 24, 2},
    {{.read_format = 0xc}, "00000008 0000 0038 00000001 00000002", W " " W " " W " " W, "values", 24, 2},
};
/* clang-format on */

static void check_count(const struct bad_count *b, uint64_t count, uint64_t most)
{
    char text[400];
    snprintf(text, sizeof text, "%s %016llx %s", b->before, (unsigned long long)count, b->after);
    check_bad(&b->attr, text, PD_ECOUNT, b->field, b->at, count, most);
}

/* Counts too large by one, and counts whose products with 8, 16 and 24 wrap around to a small number. */
static void counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_counts / sizeof *bad_counts; i++) {
        static const uint64_t large[] = {0x10000,
                                         0x100000000,
                                         0x100000001,
                                         UINT64_C(1) << 59,
                                         UINT64_C(1) << 60,
                                         UINT64_C(1) << 61,
                                         UINT64_C(1) << 63,
                                         (UINT64_C(1) << 61) + 1,
                                         UINT64_MAX / 24 + 1,
                                         UINT64_MAX / 8,
                                         UINT64_MAX - 7,
                                         UINT64_MAX};
        const struct bad_count *b = &bad_counts[i];
        /*
         * A scalar behind the items takes part of the room; only then the error names the field behind them.
         */
        const bool weight = b->attr.sample_type & PD_SAMPLE_WEIGHT;
        check_count(b, b->most + (weight ? 2 : 1), b->most + weight);
        for (size_t k = 0; k < sizeof large / sizeof *large; k++)
            check_count(b, large[k], b->most + weight);
    }
}

static void counts_of_other_widths(void **state)
{
    const struct pd_attr raw = {.sample_type = 0x400}, poke = {0},
                         regs = {.sample_type = 0x1000, .sample_regs_user = 7};
    const struct pd_attr intr = {.sample_type = 0x40000, .sample_regs_intr = UINT64_MAX};
    (void)state;
    check_bad(&raw, HEAD "0014 00000009 =0102030405060708", PD_ECOUNT, "data", 12, 9, 8);
    check_bad(&raw, HEAD "0014 ffffffff =0102030405060708", PD_ECOUNT, "data", 12, UINT32_MAX, 8);
    check_bad(&raw, HEAD "0014 80000000 =0102030405060708", PD_ECOUNT, "data", 12, 0x80000000, 8);
    check_bad(&poke, "00000014 0001 0018 " W " 0005 0000 =01020304", PD_ECOUNT, "old_bytes", 20, 5, 4);
    check_bad(&poke, "00000014 0001 0018 " W " 0003 0002 =01020304", PD_ECOUNT, "new_bytes", 23, 2, 1);
    check_bad(&poke, "00000014 0001 0018 " W " ffff ffff =01020304", PD_ECOUNT, "old_bytes", 20, 0xffff, 4);
    check_bad(&regs, HEAD "0020 0000000000000001 " W " " W, PD_ECOUNT, "regs", 16, 3, 2);
    check_bad(&intr, HEAD "0020 0000000000000002 " W " " W, PD_ECOUNT, "regs", 16, 64, 2);
}

/* Records that end inside a field of fixed size. */
static void cut_short(void **state)
{
    const struct pd_attr none = {0}, id_all = {.sample_type = 0x102c6, .flags = PD_ATTR_SAMPLE_ID_ALL};
    const struct pd_attr time = {.sample_type = 0x4, .flags = PD_ATTR_SAMPLE_ID_ALL};
    const struct pd_attr head = {.sample_type = 0x103cf}, stack = {.sample_type = 0x2000};
    const struct pd_attr chain_weight = {.sample_type = 0x4020},
                         single = {.sample_type = 0x10, .read_format = 0x17};
    (void)state;
    check_bad(&id_all, "0000000e 0000 0037 =00*47", PD_ESHORT, "sample_id", 8, 47, 48);
    check_bad(&id_all, "0000000e 0000 0008", PD_ESHORT, "sample_id", 8, 0, 48);
    check_bad(&time, "00000002 0000 0010 " W, PD_ESHORT, "id", 8, 0, 8);
    check_bad(&time, "00000002 0000 001f " W " " W " =00*7", PD_ESHORT, "lost", 16, 7, 8);
    check_bad(&none, "00000001 0000 0027 00000001 00000001 " W " " W " =00*7", PD_ESHORT, "pgoff", 32, 7, 8);
    check_bad(&none, "00000004 0000 0017 00000001 00000002 00000003 =00*3", PD_ESHORT, "ptid", 20, 3, 4);
    check_bad(&none, "0000000a 0000 003c 00000001 00000001 " ENTRY " =00*20", PD_ESHORT, "ino_generation", 56,
              4, 8);
    check_bad(&none, "0000000a 4000 003c 00000001 00000001 " ENTRY " =00*20", PD_ESHORT, "build_id", 44, 16,
              20);
    check_bad(&none, "0000000a 4000 0046 00000001 00000001 " ENTRY " =00*30", PD_ESHORT, "flags", 68, 2, 4);
    check_bad(&none, "0000000a 0000 0044 00000001 00000001 " ENTRY " =00*24 00000005", PD_ESHORT, "flags", 68,
              0, 4);
    check_bad(&none, "00000011 0000 0015 " W " 00000001 =00", PD_ESHORT, "ksym_type", 20, 1, 2);
    check_bad(&none, "00000012 0000 0012 0001 0002 00000003 =0000", PD_ESHORT, "tag", 16, 2, 8);
    check_bad(&none, "00000014 0000 0013 " W " 0001 =00", PD_ESHORT, "new_len", 18, 1, 2);
    check_bad(&none, "00000042 0000 000b =000000", PD_ESHORT, "data_size", 8, 3, 4);
    check_bad(&none, "0000004d 0000 0010 " W, PD_ESHORT, "time", 16, 0, 8);
    check_bad(&head, HEAD "0048 " ENTRY " " ENTRY " " W " " W, PD_ESHORT, "period", 72, 0, 8);
    check_bad(&head, HEAD "0024 " ENTRY " =00000000", PD_ESHORT, "time", 32, 4, 8);
    check_bad(&stack, HEAD "0018 0000000000000004 " W, PD_ESHORT, "dyn_size", 20, 4, 8);
    check_bad(&chain_weight, HEAD "0020 0000000000000002 " W " " W, PD_ESHORT, "weight", 32, 0, 8);
    check_bad(&single, HEAD "0028 " ENTRY " " W, PD_ESHORT, "lost", 40, 0, 8);
}

static void bad_headers(void **state)
{
    uint8_t bytes[16];
    struct pd_plan plan;
    struct pd_error e;
    (void)state;
    for (size_t o = 0; o < 2; o++) {
        pd_plan_init(&plan, NULL, orders[o]);
        for (unsigned size = 0; size < 8; size++) {
            struct pd_record rec = {0};
            char text[40];
            snprintf(text, sizeof text, "0000000e 1234 %04x =00*8", size);
            golden_bytes(text, orders[o], bytes, sizeof bytes);
            assert_int_equal(pd_record_decode(&plan, bytes, 16, &rec, &e), PD_ESIZE);
            expect_error(&e, PD_ESIZE, "size", 6, size, 8);
            assert_int_equal(rec.type, 14);
            assert_int_equal(rec.misc, 0x1234);
            assert_ptr_equal(rec.raw, bytes);
        }
    }
}

/* After an error no value counts as decoded, whatever the record had before. */
static void errors_after_success(void **state)
{
    const struct pd_attr ip = {.sample_type = 1}, unknown = {.sample_type = UINT64_C(1) << 40};
    struct pd_plan plan, other;
    struct pd_record rec = {0};
    struct pd_error e;
    uint8_t good[16], bad[16];
    (void)state;
    golden_bytes(HEAD "0010 " W, PD_LITTLE, good, sizeof good);
    golden_bytes(HEAD "0004 " W, PD_LITTLE, bad, sizeof bad);
    pd_plan_init(&plan, &ip, PD_LITTLE);
    pd_plan_init(&other, &unknown, PD_LITTLE);
    assert_int_equal(pd_record_decode(&plan, good, 16, &rec, &e), PD_OK);
    assert_true(rec.decoded);
    assert_int_equal(pd_record_decode(&plan, bad, 16, &rec, &e), PD_ESIZE);
    assert_false(rec.decoded);
    assert_int_equal(pd_record_decode(&plan, good, 16, &rec, &e), PD_OK);
    assert_int_equal(pd_record_decode(&plan, good, 15, &rec, &e), PD_ETRUNC);
    assert_false(rec.decoded);
    assert_int_equal(pd_record_decode(&plan, good, 16, &rec, &e), PD_OK);
    assert_int_equal(pd_record_decode(&other, good, 16, &rec, &e), PD_EUNKNOWN);
    assert_false(rec.decoded);
}

/* ---- Encoding */

static uint64_t words[9000]; /* more than a record holds */
static uint8_t many_bytes[70000];

static void check_refused_in(enum pd_order order, const struct pd_attr *attr, const struct pd_record *rec,
                             enum pd_code code, const char *field)
{
    struct pd_plan plan;
    struct pd_error e = {0}, same = {0};
    size_t size = 0;
    uint8_t *out = guard_room(1, 70000);
    pd_plan_init(&plan, attr, order);
    assert_int_equal(pd_record_encode(&plan, rec, out, 70000, &size, &e), code);
    assert_int_equal(e.code, code);
    assert_non_null(e.field);
    assert_string_equal(e.field, field);
    assert_int_equal(e.record_type, rec->type);
    assert_true(e.found != e.expected);
    assert_int_equal(out[0], 0xa5); /* no bytes were written */
    assert_int_equal(pd_record_size(&plan, rec, &size, &same), code);
    assert_string_equal(same.field, field);
    assert_int_equal(pd_record_encode(&plan, rec, out, 70000, &size, NULL), code);
}

static void check_refused(const struct pd_attr *attr, const struct pd_record *rec, enum pd_code code,
                          const char *field)
{
    check_refused_in(PD_LITTLE, attr, rec, code, field);
    check_refused_in(PD_BIG, attr, rec, code, field);
}

#define REFUSED(code_, field_, attr_, ...) \
    check_refused(&(struct pd_attr)attr_, &(struct pd_record){__VA_ARGS__}, code_, field_)
#define ATTR(...)   \
    {               \
        __VA_ARGS__ \
    }
#define IN_SAMPLE(...) .type = 9, .u.sample = {__VA_ARGS__}

/* Counts that are one above and one below the number of items. */
static void wrong_counts(void **state)
{
    (void)state;
    for (uint64_t d = 0; d < 3; d += 2) {
        const struct pd_vec two = {words, 2, 8, PD_FORM_STRUCT};
        const struct pd_bytes eight = {many_bytes, 8};
        REFUSED(PD_ECOUNT, "nr", ATTR(.sample_type = 0x20), IN_SAMPLE(.callchain = {1 + d, two}));
        REFUSED(PD_ECOUNT, "size", ATTR(.sample_type = 0x400), IN_SAMPLE(.raw = {(uint32_t)(7 + d), eight}));
        REFUSED(PD_ECOUNT, "nr", ATTR(.sample_type = 0x800),
                IN_SAMPLE(.branch_stack = {.nr = d, .entries = LIST_OF(pd_branch_entry, {1, 2, 3})}));
        REFUSED(PD_ECOUNT, "nr", ATTR(.sample_type = 0x800), .variant = PD_VARIANT_BRANCH_COUNTERS,
                IN_SAMPLE(.branch_stack = {.nr = 1,
                                           .entries = LIST_OF(pd_branch_entry, {1, 2, 3}),
                                           .counters = {words, (size_t)d, 8, PD_FORM_STRUCT}}));
        REFUSED(PD_ECOUNT, "nr", ATTR(.sample_type = 0x10, .read_format = 8),
                IN_SAMPLE(.read = {.nr = d, .values = LIST_OF(pd_read_value, {.value = 1})}));
        REFUSED(PD_ECOUNT, "abi",
                ATTR(.sample_type = 0x1000, .sample_regs_user = d ? 7 : 1, .sample_regs_intr = 3),
                IN_SAMPLE(.regs_user = {.abi = 2, .regs = two}));
        REFUSED(PD_ECOUNT, "abi",
                ATTR(.sample_type = 0x40000, .sample_regs_user = 3, .sample_regs_intr = d ? 7 : 1),
                IN_SAMPLE(.regs_intr = {.abi = 1, .regs = two}));
        REFUSED(PD_ECOUNT, "size", ATTR(.sample_type = 0x2000), IN_SAMPLE(.stack_user = {7 + d, eight, 0}));
        REFUSED(PD_ECOUNT, "size", ATTR(.sample_type = 0x100000), IN_SAMPLE(.aux = {7 + d, eight}));
        REFUSED(PD_ECOUNT, "nr", ATTR(.type = 0), .type = 16,
                .u.namespaces = {.nr = d, .namespaces = LIST_OF(pd_namespace_entry, {1, 2})});
        REFUSED(PD_ECOUNT, "old_len", ATTR(.type = 0), .type = 20,
                .u.text_poke = {1, (uint16_t)(7 + d), 8, eight, eight});
        REFUSED(PD_ECOUNT, "new_len", ATTR(.type = 0), .type = 20,
                .u.text_poke = {1, 8, (uint16_t)(7 + d), eight, eight});
        REFUSED(PD_ECOUNT, "nr", ATTR(.type = 0), .type = 22, .u.callchain_deferred = {1, 1 + d, two});
    }
    REFUSED(PD_ECOUNT, "abi", ATTR(.sample_type = 0x1000, .sample_regs_user = 3),
            IN_SAMPLE(.regs_user = {.abi = 0, .regs = {words, 2, 8, PD_FORM_STRUCT}}));
}

static void strings(void **state)
{
    static char big[70000];
    (void)state;
    memset(big, 'x', sizeof big - 1);
    REFUSED(PD_ECOUNT, "comm", ATTR(.type = 0), .type = 3, .u.comm = {1, 2, {"perf", 4, 3}});
    REFUSED(PD_ECOUNT, "filename", ATTR(.type = 0), .type = 1, .u.mmap.filename = {"perf", 4, 0});
    REFUSED(PD_ELIMIT, "path", ATTR(.type = 0), .type = 19, .u.cgroup = {1, {big, 69999, PD_AUTO}});
    REFUSED(PD_ELIMIT, "name", ATTR(.type = 0), .type = 17, .u.ksymbol.name = {big, 69999, 70000});
    REFUSED(PD_ELIMIT, "comm", ATTR(.type = 0), .type = 3, .u.comm.comm = {big, SIZE_MAX - 8, PD_AUTO});
    REFUSED(PD_ELIMIT, "filename", ATTR(.type = 0), .type = 10, .u.mmap2.filename = {big, 1, SIZE_MAX - 1});
    REFUSED(PD_ELIMIT, "filename", ATTR(.type = 0), .type = 10, .u.mmap2.filename = {big, 65530, PD_AUTO});
}

/* The maximum is 65535 bytes, also if only the sum exceeds it. */
static void too_large(void **state)
{
    const struct pd_bytes big = {many_bytes, 65535};
    const struct pd_attr six = {.sample_type = 0x102c6, .flags = PD_ATTR_SAMPLE_ID_ALL},
                         raw = {.sample_type = 0x400};
    struct pd_plan plan;
    struct pd_record rec = {.type = 62, .rest = {many_bytes, 65527}};
    size_t size = 0;
    (void)state;
    REFUSED(PD_ELIMIT, "ips", ATTR(.sample_type = 0x20),
            IN_SAMPLE(.callchain = {8191, {words, 8191, 8, PD_FORM_STRUCT}}));
    REFUSED(PD_ELIMIT, "data", ATTR(.sample_type = 0x400), IN_SAMPLE(.raw = {65535, big}));
    REFUSED(PD_ELIMIT, "weight", ATTR(.sample_type = 0x4400), IN_SAMPLE(.raw = {65520, {many_bytes, 65520}}));
    REFUSED(PD_ELIMIT, "new_bytes", ATTR(.type = 0), .type = 20,
            .u.text_poke = {1, 65000, 1000, {many_bytes, 65000}, {many_bytes, 1000}});
    REFUSED(PD_ELIMIT, "rest", ATTR(.type = 0), .type = 14, .rest = {many_bytes, 65536});
    REFUSED(PD_ELIMIT, "rest", ATTR(.type = 0), .type = 14, .rest = {many_bytes, SIZE_MAX - 4});
    REFUSED(PD_ELIMIT, "size", ATTR(.type = 0), .type = 14, .rest = {many_bytes, 65528});
    check_refused(&six, &(struct pd_record){.type = 14, .rest = {many_bytes, 65527 - 40}}, PD_ELIMIT,
                  "identifier");

    pd_plan_init(&plan, NULL, PD_LITTLE);
    assert_int_equal(pd_record_encode(&plan, &rec, guard_room(1, 65535), 65535, &size, NULL), PD_OK);
    assert_int_equal(size, 65535);
    rec = (struct pd_record){IN_SAMPLE(.raw = {65523, {many_bytes, 65523}})};
    pd_plan_init(&plan, &raw, PD_BIG);
    assert_int_equal(pd_record_encode(&plan, &rec, guard_room(1, 65535), 65535, &size, NULL), PD_OK);
    assert_int_equal(size, 65535);
}

/* Count and items agree, but are impossible: sizes computed from them must not wrap around. */
static void impossible_counts(void **state)
{
    static const size_t large[] = {SIZE_MAX / 8 + 1, SIZE_MAX / 16 + 1, SIZE_MAX / 8 + 2, SIZE_MAX / 2 + 1};
    (void)state;
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        const size_t n = large[i];
        const struct pd_vec vec = {words, n, 8, PD_FORM_LITTLE};
        REFUSED(PD_ELIMIT, "ips", ATTR(.sample_type = 0x20), IN_SAMPLE(.callchain = {n, vec}));
        REFUSED(PD_ELIMIT, "ips", ATTR(.type = 0), .type = 22, .u.callchain_deferred = {1, n, vec});
        REFUSED(PD_ELIMIT, "entries", ATTR(.sample_type = 0x800),
                IN_SAMPLE(.branch_stack = {.nr = n, .entries = {words, n, 24, PD_FORM_LITTLE, 0, 0, false}}));
        REFUSED(PD_ELIMIT, "namespaces", ATTR(.type = 0), .type = 16,
                .u.namespaces = {.nr = n, .namespaces = {words, n, 16, PD_FORM_LITTLE, 0, 0, false}});
    }
    REFUSED(PD_ELIMIT, "data", ATTR(.sample_type = 0x100000),
            IN_SAMPLE(.aux = {SIZE_MAX - 15, {many_bytes, SIZE_MAX - 15}}));
    REFUSED(PD_ELIMIT, "data", ATTR(.sample_type = 0x2000),
            IN_SAMPLE(.stack_user = {SIZE_MAX - 15, {many_bytes, SIZE_MAX - 15}, 0}));
}

/* A value without a place in the layout. */
static void no_place(void **state)
{
    (void)state;
    REFUSED(PD_EVALUE, "dyn_size", ATTR(.sample_type = 0x2000), IN_SAMPLE(.stack_user = {.dyn_size = 1}));
}

/* A buffer that is too small is not touched; without a buffer, the size is still returned. */
static void no_room(void **state)
{
    struct pd_plan plan;
    const struct pd_record rec = {.type = 3, .u.comm = {1, 2, PD_STR("perf")}};
    struct pd_error e;
    (void)state;
    pd_plan_init(&plan, NULL, PD_LITTLE);
    for (size_t cap = 0; cap < 24; cap++) {
        size_t size = 0;
        uint8_t *out = guard_room(1, cap);
        assert_int_equal(pd_record_encode(&plan, &rec, cap ? out : NULL, cap, &size, &e), PD_ESPACE);
        assert_int_equal(size, 24);
        expect_error(&e, PD_ESPACE, "record", 0, cap, 24);
        for (size_t i = 0; i < cap; i++)
            assert_int_equal(out[i], 0xa5);
    }
}

/* ---- Values that a program may build but no decoder gives */

static void expect_same(const struct pd_attr *attr, const struct pd_record *usual,
                        const struct pd_record *unusual)
{
    for (size_t o = 0; o < 2; o++) {
        struct pd_plan plan;
        size_t n = 0, size = 0;
        pd_plan_init(&plan, attr, orders[o]);
        assert_int_equal(pd_record_size(&plan, usual, &n, NULL), PD_OK);
        uint8_t *want = guard_room(0, n), *out = guard_room(1, n);
        assert_int_equal(pd_record_encode(&plan, usual, want, n, &size, NULL), PD_OK);
        assert_int_equal(pd_record_encode(&plan, unusual, out, n, &size, NULL), PD_OK);
        assert_int_equal(size, n);
        assert_memory_equal(out, want, n);
        out = guard_room(1, n);
        assert_int_equal(pi_interpret_encode(&plan, unusual, out, n, &size, NULL), PD_OK);
        assert_int_equal(size, n);
        assert_memory_equal(out, want, n);
    }
}

/* Words from an array of narrower integers, read at their width and not past their end. */
static void narrow_words(void **state)
{
    const struct pd_attr attr = {.sample_type = 0x20};
    const struct pd_record usual = {IN_SAMPLE(.callchain = {3, WORDS(0x1234, 0x5678, 0x9abc)})};
    static const uint32_t four[] = {0x1234, 0x5678, 0x9abc};
    static const uint16_t two[] = {0x1234, 0x5678, 0x9abc};
    (void)state;
    expect_same(&attr, &usual,
                &(struct pd_record){
                    IN_SAMPLE(.callchain = {3, {guard_copy(2, four, sizeof four), 3, 4, PD_FORM_STRUCT}})});
    expect_same(&attr, &usual,
                &(struct pd_record){
                    IN_SAMPLE(.callchain = {3, {guard_copy(2, two, sizeof two), 3, 2, PD_FORM_STRUCT}})});
}

/* Elements with gaps between them. */
static void wide_strides(void **state)
{
    const struct pd_attr attr = {.sample_type = 0x800};
    const struct pd_record usual = {
        IN_SAMPLE(.branch_stack = {.nr = 2, .entries = LIST_OF(pd_branch_entry, {1, 2, 3}, {4, 5, 6})})};
    (void)state;
    for (size_t o = 0; o < 2; o++) {
        uint8_t bytes[80];
        golden_bytes("0000000000000001 0000000000000002 c000000000000000/0000000000000003 =ff*16"
                     " 0000000000000004 0000000000000005 6000000000000000/0000000000000006 =ff*16",
                     orders[o], bytes, sizeof bytes);
        const struct pd_record wide = {
            IN_SAMPLE(.branch_stack = {.nr = 2, .entries = {bytes, 2, 40, (uint8_t)orders[o], 0, 0, false}})};
        expect_same(&attr, &usual, &wide);
    }
}

/* The bytes of one event's READ values, encoded for an event whose read_format has fewer fields and more. */
static void other_read_format(void **state)
{
    uint8_t bytes[100];
    const struct pd_attr all = {.sample_type = 0x10, .read_format = 0x1c},
                         lost = {.sample_type = 0x10, .read_format = 0x18};
    struct pd_plan plan;
    struct pd_record rec = {0};
    const struct pd_record want = {
        IN_SAMPLE(.read = {.nr = 2,
                           .values =
                               LIST_OF(pd_read_value, {.value = 1, .lost = 3}, {.value = 4, .lost = 6})})};
    (void)state;
    for (size_t o = 0; o < 2; o++) {
        const size_t n =
            golden_bytes(HEAD "0040 0000000000000002 0000000000000001 0000000000000002 0000000000000003"
                              " 0000000000000004 0000000000000005 0000000000000006",
                         orders[o], bytes, sizeof bytes);
        pd_plan_init(&plan, &all, orders[o]);
        assert_int_equal(pd_record_decode(&plan, bytes, n, &rec, NULL), PD_OK);
        rec.size = 0, rec.misc = 0;
        expect_same(&lost, &want, &rec);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(counts_of_other_widths),
        cmocka_unit_test(cut_short),
        cmocka_unit_test(bad_headers),
        cmocka_unit_test(errors_after_success),
        cmocka_unit_test(wrong_counts),
        cmocka_unit_test(strings),
        cmocka_unit_test(too_large),
        cmocka_unit_test(no_place),
        cmocka_unit_test(no_room),
        cmocka_unit_test(other_read_format),
        cmocka_unit_test(narrow_words),
        cmocka_unit_test(wide_strides),
        cmocka_unit_test(impossible_counts),
    };
    return cmocka_run_group_tests_name("errors", tests, NULL, NULL);
}
