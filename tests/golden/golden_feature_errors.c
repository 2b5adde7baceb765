/* SPDX-License-Identifier: MIT */
/*
 * golden_feature_errors.c - feature sections, and records that the tables read, which cannot be decoded or
 * encoded: the field, offset and numbers in the error. Checks R12.
 */
#include "golden.h"

#include "cmocka_all.h"
#include "guard.h"
#include <stdio.h>
#include <string.h>

#define W "1112131415161718"
#define ID20 "=4a5a9b0affb66c437abcd455d2738af879985fa9"
/* The byte of TRACING_DATA that states its byte order, here that of the section. */
#define SAME_ORDER "01/00"
#define TRACING_HEAD "=170844 'tracing' '0.6' =00 " SAME_ORDER " 08 00001000 'header_page' =00 "
#define BEHIND_VERSION                                                                                \
    SAME_ORDER " 08 00001000 'header_page' =00 0000000000000000 'header_event' =00 0000000000000000 " \
               "00000000 00000000 00000000 00000000"
#define NO_HEADERS TRACING_HEAD "0000000000000000 'header_event' =00 0000000000000000 "
#define ATTR64(size_) "00000000 " size_ " " W " " W " " W " " W " 0000000000000000 00000001 00000002 " W
#define BPF40 "00000001 00000061 " W " 00000011 00000012 " W " " W

static const char many_x[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
static const enum pd_order orders[] = {PD_LITTLE, PD_BIG};

/* ---- Decoding */

static void expect_error(const char *text, const struct pd_error *e, enum pd_code code, const char *field,
                         uint64_t at, uint64_t found, uint64_t expected)
{
    char got[200] = "no error";
    if (e->code)
        pd_error_text(e, got, sizeof got);
    if (e->code != code || !e->field || strcmp(e->field, field) != 0 || e->found != found ||
        e->expected != expected || at != (e->record_type ? e->record_offset : e->offset))
        fail_msg("%s: %s, byte %u", text, got, e->record_offset);
}

static void bad_section(uint32_t id, uint32_t nr_cpus, const char *text, enum pd_code code, const char *field,
                        uint64_t at, uint64_t found, uint64_t expected)
{
    for (size_t o = 0; o < 2; o++) {
        uint8_t bytes[GOLDEN_MAX];
        struct pd_error e = {0};
        struct pd_feature f;
        size_t size = 0;
        const size_t n = golden_bytes(text, orders[o], bytes, sizeof bytes);
        const uint8_t *p = guard_copy(0, bytes, n);
        memset(&f, 0xee, sizeof f);
        pd_feature_decode(orders[o], id, nr_cpus, p, n, &f, &e);
        expect_error(text, &e, code, field, at, found, expected);
        assert_int_equal(f.id, id);
        assert_null(f.layout);
        assert_ptr_equal(f.rest.ptr, p);
        assert_int_equal(f.rest.n, n);
        uint8_t *out = guard_room(1, n); /* damaged sections are written unchanged */
        assert_int_equal(pd_feature_encode(orders[o], &f, out, n, &size, NULL), PD_OK);
        assert_int_equal(size, n);
        assert_memory_equal(out, bytes, n);
        assert_int_equal(pd_feature_decode(orders[o], id, nr_cpus, p, n, &f, NULL), code);
    }
}

static void bad_record(const char *text, enum pd_code code, const char *field, uint64_t at, uint64_t found,
                       uint64_t expected)
{
    for (size_t o = 0; o < 2; o++) {
        uint8_t bytes[GOLDEN_MAX];
        struct pd_plan plan;
        struct pd_error e = {0};
        struct pd_record rec = {.offset = 0x1234, .index = 7};
        const size_t n = golden_bytes(text, orders[o], bytes, sizeof bytes);
        pd_plan_init(&plan, NULL, orders[o]);
        pd_record_decode(&plan, guard_copy(0, bytes, n), n, &rec, &e);
        expect_error(text, &e, code, field, at, found, expected);
        assert_int_equal(e.offset, 0x1234);
        assert_int_equal(e.record_index, 7);
        assert_int_equal(e.record_type, rec.type);
        assert_int_equal(rec.size, n);
        assert_false(rec.decoded);
        assert_int_equal(pd_record_decode(&plan, bytes, n, &rec, NULL), code);
    }
}

struct bad_count {
    uint32_t id;     /* of the feature; 0: a record */
    unsigned digits; /* of the count, which is between the texts */
    const char *before, *after;
    const char *field;
    size_t at;
    uint64_t most; /* the largest count that fits */
};

/* clang-format off */
static const struct bad_count bad_counts[] = {
    {1, 16, TRACING_HEAD, "'abc'", "header_page", 40, 3},
    {1, 16, TRACING_HEAD "0000000000000000 'header_event' =00", "'abc'", "header_event", 61, 3},
    {1, 16, NO_HEADERS "00000001", "'abc'", "text", 73, 3},
    {1, 16, NO_HEADERS "00000000 00000001 's' =00 00000001", "'abc'", "text", 83, 3},
    {1, 8, NO_HEADERS "00000000 00000000", "'abc'", "kallsyms", 73, 3},
    {1, 8, NO_HEADERS "00000000 00000000 00000000", "'abc'", "printk", 77, 3},
    {1, 16, NO_HEADERS "00000000 00000000 00000000 00000000", "'abc'", "cmdlines", 85, 3},
    {2, 4, "00000000 0001", "00000001 " ID20 " =00000000 'abc' =00", "file", 8, 40},
    {3, 8, "", "'abc' =00", "text", 4, 4},
    {4, 8, "", "'abc' =00", "text", 4, 4},
    {5, 8, "", "'abc' =00", "text", 4, 4},
    {6, 8, "", "'abc' =00", "text", 4, 4},
    {8, 8, "", "'abc' =00", "text", 4, 4},
    {9, 8, "", "'abc' =00", "text", 4, 4},
    {11, 8, "00000002 00000002 'a' =00", "'bc'", "text", 14, 2},
    {12, 8, "00000001", ATTR64("00000040") " 00000000 00000000", "attr", 8, 72},
    {12, 8, "00000001 00000040 " ATTR64("00000040"), "00000000 " W " " W, "ids", 80, 2},
    {12, 8, "00000001 00000040 " ATTR64("00000040") " 00000000", "'abc'", "name", 80, 3},
    {13, 8, "00000001", "'abc'", "text", 8, 3},
    {13, 8, "00000000 00000001", "'abc'", "text", 12, 3},
    {14, 8, "00000001 00000007 " W " " W, "'abc'", "cpus", 28, 3},
    {16, 8, "00000001 00000007", "'abc'", "name", 12, 3},
    {17, 8, "00000001", "'abc'", "name", 8, 3},
    {18, 16, "", W " " W " " W " " W, "entries", 8, 2},
    {20, 8, "00000001 00000001 00000001 00000002 00000003 00000004", "'abc'", "type", 28, 3},
    {20, 8, "00000001 00000001 00000001 00000002 00000003 00000004 00000000", "'abc'", "size", 32, 3},
    {20, 8, "00000001 00000001 00000001 00000002 00000003 00000004 00000000 00000000", "'abc'", "map", 36, 3},
    {25, 8, "00000001", "00000000 " W " " BPF40, "info", 20, 40},
    {25, 8, "00000001 00000028", W " " BPF40 " =010203", "data", 60, 3},
    {26, 8, "00000001 00000011", "=010203", "data", 12, 3},
    {28, 8, "00000001", "'abc'", "name", 8, 3},
    {28, 8, "00000001 00000000", "'abc'", "value", 12, 3},
    {30, 8, "00000001", "'abc'", "pmu_name", 8, 3},
    {30, 8, "00000001 00000000", "'abc'", "cpus", 12, 3},
    {31, 8, "00000001 00000001", "'abc'", "name", 12, 3},
    {31, 8, "00000001 00000000", "'abc'", "pmu_name", 12, 3},
    {32, 8, "00000011 00000001 00000000 00000001 00000000", "'abc'", "dname", 24, 3},
    {32, 8, "00000010 00000001 00000000 00000001 00000000", "'abc'", "cpumask", 24, 3},
    {32, 8, "00000010 00000001 00000000 00000001 00000000 00000000", "'abc'", "cpulist", 28, 3},
    {128, 8, "", "'a' =00 00000000 " W " 00000000 =010203", "file", 4, 21},
    {128, 8, "0000001e 'c' =00 00000003 " W " 00000000", W, "dex_offsets", 26, 1},
    {132, 8, "", "=1002", "message", 4, 2},

    {0, 8, "00000040 0000 0058 00000000", W " " W " " W " " W " " W " " W " " W " " W " " W, "attr", 8, 80},
    {0, 16, "00000045 0000 0030", W " " W " " W " " W, "entries", 16, 1},
    {0, 16, "00000046 0000 0040 00000003 00000000 0000000000000001 " W " " W " 4040404040404040 " W,
     "", "params", 64, 0},
    {0, 16, "00000046 0000 0050 00000004 00000000 0000000000000002 0000000000000004 " W " 0000000000000001 "
     W " " W, W, "params",
     72, 1},
    {0, 4, "0000004a 0000 0010 0000", "0001 0002", "cpu", 12, 2},
    {0, 4, "0000004a 0000 0014 0001", "0004 00000001 =0000", "mask32", 14, 1},
    {0, 4, "0000004a 0000 001a 0001", "0008 =00000000 " W, "mask64", 18, 1},
    {0, 16, "0000004b 0000 0030", W " " W " " W " " W, "entries", 16, 2},
    {0, 4, "0000004e 0000 0020 0000000000000003 " W " 0000", "0001 0002", "cpu", 28, 2},
    {0, 16, "00000053 0000 0013", "=010203", "data", 16, 3},
    {0, 8, "00008001 0000 000f", "=010203", "kallsyms", 12, 3},
    {0, 16, "00008006 0000 0020", W " " W, "entries", 16, 1},
    {0, 16, "00008007 0000 0038 00000001 00000002 " W " " W, W " " W, "ips", 40, 2},
    {0, 16, "00008008 0000 0053 " W " " W " " W " " W " " W " " W " 0000000000000000 0000000000000000",
     "=010203", "stack", 80, 3},
    {0, 8, "00008009 0000 000f", "=010203", "data", 12, 3},
    /* Parts of any size; `most` of them fit. */
    {1, 8, NO_HEADERS, "0000000000000003 'abc'", "nr_ftrace", 76, 1},
    {1, 8, NO_HEADERS "00000000 00000001 's' =00", "0000000000000003 'abc'", "nr_events", 86, 1},
    {11, 8, "", "00000003 'abc'", "nr", 11, 1},
    {13, 8, "", "00000003 'abc'", "nr_sockets", 11, 1},
    {13, 8, "00000000", "00000003 'abc'", "nr_cores", 15, 1},
    {14, 8, "", "00000007 " W " " W " 00000000", "nr", 28, 1},
    {16, 8, "", "00000007 00000000", "nr", 12, 1},
    {17, 8, "", "00000000 00000001 00000002", "nr_groups", 16, 1},
    {20, 8, "00000001", "00000001 00000002 00000003 00000004 00000000 00000000 00000000", "nr", 36, 1},
    {22, 16, W " " W, W " " W " 0000000000000000", "nr", 48, 1},
    {25, 8, "", "00000000 00000000 " W, "count", 20, 1},
    {26, 8, "", "00000011 00000000", "count", 12, 1},
    {28, 8, "", "00000000 00000000", "nr", 12, 1},
    {30, 8, "", "00000000 00000000", "nr", 12, 1},
    {31, 8, "", "00000000 00000000", "nr_pmus", 12, 1},
    {31, 8, "00000001", "00000000 00000000", "nr_caps", 16, 1},
    {32, 8, "00000010 00000001 00000000", "00000000 00000000 00000000", "nr_domains", 28, 1},
    {128, 8, "00000020 'a' =00 00000000 " W, W " 00000005 'f' =00", "symbol_count", 36, 1},
    {0, 16, "00000046 0000 0048 00000004 00000000 0000000000000002 0000000000000004 " W,
     W " " W " 0000000000000000", "nr_cpus", 72, 1},
    {0, 16, "00000049 0000 0028", W " 'sixteen bytes ok'", "nr", 40, 1},
};
/* clang-format on */

/* Texts with the count in the middle. */
static void write_text(char text[2000], const struct bad_count *b, uint64_t count)
{
    snprintf(text, 2000, "%s %0*llx %s", b->before, (int)b->digits, (unsigned long long)count, b->after);
}

static void check_count(const struct bad_count *b, uint64_t count)
{
    char text[2000];
    write_text(text, b, count);
    if (b->id)
        bad_section(b->id, 0, text, PD_ECOUNT, b->field, b->at, count, b->most);
    else
        bad_record(text, PD_ECOUNT, b->field, b->at, count, b->most);
}

/* Too large by one, and counts whose products with 2 to 48 wrap around to a small number. */
static void check_counts(const struct bad_count *b)
{
    static const uint64_t large[] = {0x8000,
                                     0xffff,
                                     0x10000000,
                                     0x20000000,
                                     0x40000000,
                                     0x7fffffff,
                                     0x80000000,
                                     0xffffffff,
                                     0x100000000,
                                     UINT64_C(1) << 59,
                                     UINT64_C(1) << 60,
                                     (UINT64_C(1) << 60) + 1,
                                     UINT64_C(1) << 61,
                                     UINT64_C(1) << 63,
                                     UINT64_MAX / 48 + 1,
                                     UINT64_MAX - 7,
                                     UINT64_MAX};
    check_count(b, b->most + 1);
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        if (b->digits == 16 || large[i] >> 4 * b->digits == 0)
            check_count(b, large[i]);
}

static void counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_counts / sizeof *bad_counts; i++)
        check_counts(&bad_counts[i]);
}

/* With a count of 0, or one too few, the remaining bytes are either kept or belong to no part. */
static void check_small_count(const struct bad_count *b, uint64_t count)
{
    for (size_t o = 0; o < 2; o++) {
        char text[2000];
        uint8_t bytes[GOLDEN_MAX];
        struct pd_error e = {0};
        struct pd_plan plan;
        struct pd_feature f;
        struct pd_record rec = {0};
        size_t size = 0;
        write_text(text, b, count);
        const size_t n = golden_bytes(text, orders[o], bytes, sizeof bytes);
        const uint8_t *p = guard_copy(0, bytes, n);
        uint8_t *out = guard_room(1, n);
        pd_plan_init(&plan, NULL, orders[o]);
        const enum pd_code code = b->id ? pd_feature_decode(orders[o], b->id, 0, p, n, &f, &e)
                                        : pd_record_decode(&plan, p, n, &rec, &e);
        if (code) {
            assert_int_equal(e.code, code);
            assert_non_null(e.field);
            assert_true((b->id ? e.offset : e.record_offset) <= n);
            continue;
        }
        assert_int_equal(b->id ? pd_feature_encode(orders[o], &f, out, n, &size, &e)
                               : pd_record_encode(&plan, &rec, out, n, &size, &e),
                         PD_OK);
        if (size != n || memcmp(out, bytes, n) != 0)
            fail_msg("%s: decoded and encoded it is different", text);
    }
}

static void small_counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_counts / sizeof *bad_counts; i++)
        for (uint64_t k = 0; k <= bad_counts[i].most; k++)
            check_small_count(&bad_counts[i], k);
}

/* Counts from which other numbers follow, and errors of another kind. */
static void other_counts(void **state)
{
    (void)state;
    bad_section(12, 0, "00000002 00000040 " ATTR64("00000040") " 00000000 00000000", PD_ECOUNT, "nr_events",
                80, 2, 1);
    bad_section(12, 0, "ffffffff 00000040 " ATTR64("00000040") " 00000000 00000000", PD_ECOUNT, "nr_events",
                80, UINT32_MAX, 1);
    /* Fewer bytes than an attr has are left. */
    bad_section(12, 0, "00000002 00000040 " ATTR64("00000040") " 00000000 00000000 " W, PD_ECOUNT,
                "nr_events", 80, 2, 1);
    for (uint64_t size = 0; size < 64;
         size++) { /* of the attrs, which must have at least the size of the first version */
        char text[300];
        snprintf(text, sizeof text, "00000001 %08x " ATTR64("00000040") " 00000000 00000000", (unsigned)size);
        bad_section(12, 0, text, PD_ECOUNT, "attr_size", 8, size, 64);
    }
    bad_section(1, 0, NO_HEADERS "00000000 ffffffff 's' =00 00000000", PD_ECOUNT, "nr_systems", 75,
                UINT32_MAX, 1);
    bad_section(22, 0, W " " W " 0000000000000001 " W " " W " 0000000000000041 " W, PD_ECOUNT, "bitmap", 48,
                2, 1);
    bad_section(22, 0, W " " W " 0000000000000001 " W " " W " ffffffffffffffff " W, PD_ECOUNT, "bitmap", 48,
                UINT64_C(1) << 58, 1);
    bad_section(22, 0, W " " W " 0000000000000001 " W " " W " 8000000000000001 " W, PD_ECOUNT, "bitmap", 48,
                (UINT64_C(1) << 57) + 1, 1);
    bad_section(13, 2, "00000000 00000000 " W " " W " 00000000 00000001", PD_ECOUNT, "die_ids", 28, 2, 1);
    bad_section(13, 2, "00000000 00000000 " W " " W " 00000001", PD_ECOUNT, "nr_dies", 28, 1, 0);
    bad_record("00000054 0000 0350 =78*512 0000000000000002 =78*320", PD_ECOUNT, "nr_entries", 848, 2, 1);
    bad_record("00000054 0000 0350 =78*512 ffffffffffffffff =78*320", PD_ECOUNT, "nr_entries", 848,
               UINT64_MAX, 1);
    bad_record("00000054 0000 034f =78*512 0000000000000001 =78*319", PD_ESHORT, "value", 592, 255, 256);
    bad_record("00000049 0000 0020 0000000000000001 " W " =78*8", PD_ESHORT, "comm", 24, 8, 16);
    /* Arm SPE: a header of less than its four words, and of more than there are. */
    /* With three words, the last of four is missing; with two it would be version 1. */
    bad_record("00000046 0000 0028 00000004 00000000 0000000000000002 0000000000000004 " W, PD_ESHORT,
               "nr_cpus", 40, 0, 8);
    bad_record("00000046 0000 0030 00000004 00000000 0000000000000002 0000000000000003 " W
               " 0000000000000000",
               PD_ECOUNT, "header_size", 32, 3, 4);
    bad_record("00000046 0000 0030 00000004 00000000 0000000000000002 0000000000000005 " W
               " 0000000000000000",
               PD_ECOUNT, "more", 48, 1, 0);
    bad_record("00000046 0000 0030 00000004 00000000 0000000000000002 ffffffffffffffff " W
               " 0000000000000000",
               PD_ECOUNT, "more", 48, UINT64_MAX - 4, 0);
    bad_record("00008007 0000 0038 00000001 00000002 " W " " W " 0000000000000002 " W " " W, PD_ECOUNT, "sps",
               56, 2, 0);
    bad_record("00008008 0000 0058 " W " " W " " W " " W " " W " " W " 0000000000000000 ffffffffffffffff " W
               " " W,
               PD_ECOUNT, "regs", 72, 64, 2);
    bad_record("00008008 0000 0053 " W " " W " " W " " W " " W " " W
               " 0000000000000000 0000000000000000 0000000000000003 =010203",
               PD_ESHORT, "dyn_size", 83, 0, 8);
    bad_record("00008008 0000 0068 " W " " W " " W " " W " " W " " W
               " 0000000000000000 0000000000000000 0000000000000000 0000000000000002 " W " " W,
               PD_ECOUNT, "sps", 104, 2, 0);
}

/* Cpus that NRCPUS promises but that are missing are not an error: the section is of an earlier version. */
static void too_many_cpus(void **state)
{
    static const uint32_t many[] = {3, 0x20000000, 0x20000001, 0x40000000, 0x80000000, 0xffffffff};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof many / sizeof *many; i++) {
        uint8_t bytes[100];
        struct pd_feature f;
        const size_t n = golden_bytes("00000000 00000000 " W " " W, orders[i % 2], bytes, sizeof bytes);
        assert_int_equal(pd_feature_decode(orders[i % 2], 13, many[i / 2], bytes, n, &f, NULL), PD_OK);
        assert_int_equal(f.u.cpu_topology.has_cpus, 0);
        assert_int_equal(f.rest.n, 16);
    }
}

/* The filter of Intel PT: its length, and the slot that follows from it. */
static void filter_lengths(void **state)
{
#define PT_HEAD "00000046 0000 00a0 00000001 00000000 " W16
#define W4 W " " W " " W " " W " "
#define W16 W4 W4 W4 W4
    (void)state;
    bad_record(PT_HEAD "0000000000000009 'a filter'", PD_ECOUNT, "filter", 152, 9, 8);
    bad_record(PT_HEAD "0000000000000008 'a filter'", PD_ECOUNT, "filter", 152, 16, 8);
    bad_record(PT_HEAD "ffffffffffffffff 'a filter'", PD_ECOUNT, "filter", 152, UINT64_MAX, 8);
    bad_record(PT_HEAD "fffffffffffffff8 'a filter'", PD_ECOUNT, "filter", 152, UINT64_MAX - 7, 8);
    bad_record(PT_HEAD "0000000100000001 'a filter'", PD_ECOUNT, "filter", 152, 0x100000001, 8);
}

static void strings_without_end(void **state)
{
    (void)state;
    bad_section(1, 0, "=170844 'tracing' '0.6'", PD_ECOUNT, "version", 10, 4, 3);
    bad_section(1, 0, "=170844 'tracing' '0.6' =00 00 08 =00001000 'header_pag'", PD_ECOUNT,
                "header_page_name", 20, 11, 10);
    bad_section(1, 0, TRACING_HEAD "0000000000000000 'header_event'", PD_ECOUNT, "header_event_name", 40, 13,
                12);
    bad_section(1, 0, NO_HEADERS "00000000 00000001 'irq'", PD_ECOUNT, "name", 69, 4, 3);
    bad_section(128, 0, "00000003 'a.s' 'o' =00", PD_ECOUNT, "path", 4, 4, 3);
    bad_section(128, 0, "0000001f 'a' =00 00000000 " W " 00000001 " W " 00000005 'f'", PD_ECOUNT, "name", 34,
                2, 1);
    bad_section(129, 0, "'key'", PD_ECOUNT, "key", 0, 4, 3);
    bad_section(129, 0, "'key' =00", PD_ECOUNT, "value", 4, 1, 0);
    bad_section(129, 0, "'key' =00 'value'", PD_ECOUNT, "value", 4, 6, 5);
    bad_record("0000004e 0000 001b 0000000000000000 " W " 'abc'", PD_ECOUNT, "unit", 24, 4, 3);
    bad_record("0000004e 0000 0018 0000000000000000 " W, PD_ECOUNT, "unit", 24, 1, 0);
    bad_record("0000004e 0000 0020 0000000000000002 " W " 'abcdefgh'", PD_ECOUNT, "name", 24, 9, 8);
}

/* Entries whose stated size is too small for them, or too large for their content. */
static void sizes_of_parts(void **state)
{
    (void)state;
    for (uint64_t size = 0; size < 8; size++) {
        char text[300];
        snprintf(text, sizeof text, "00000000 0001 %04x 00000001 " ID20 " =00000000 'abc' =00",
                 (unsigned)size);
        bad_section(2, 0, text, PD_ECOUNT, "file", 8, size, 40);
    }
    for (uint64_t size = 1; size < 64;
         size++) { /* of an attr, which has at least the size of the first version */
        char text[300];
        snprintf(text, sizeof text,
                 "00000040 0000 0058 00000000 %08x " W " " W " " W " " W " " W " " W " " W " " W " " W,
                 (unsigned)size);
        bad_record(text, PD_ECOUNT, "attr", 8, size, 64);
    }
    bad_section(132, 0, "00000001 =10", PD_ESHORT, "type", 5, 0, 1);
}

static void protobuf(void **state)
{
    (void)state;
    /* Fields without a name: 12 is field 2, bytes; 10, 11 and 15 the same as numbers. */
    bad_section(130, 0, "=1203 'ab'", PD_ECOUNT, "data", 2, 3, 2);
    bad_section(130, 0, "=12ffffffffffffffffff01 'ab'", PD_ECOUNT, "data", 11, UINT64_MAX, 2);
    bad_section(130, 0, "=1080", PD_ESHORT, "value", 1, 1, 2);
    bad_section(130, 0, "=10", PD_ESHORT, "value", 1, 0, 1);
    bad_section(130, 0, "=80", PD_ESHORT, "key", 0, 1, 2);
    bad_section(130, 0, "=1100000000000000", PD_ESHORT, "value64", 1, 7, 8);
    bad_section(130, 0, "=15000000", PD_ESHORT, "value32", 1, 3, 4);
    /* Wire types that do not exist, and field 0, in the message and in one inside. */
    bad_section(130, 0, "=16", PD_EVALUE, "wire_type", 1, 6, 5);
    bad_section(133, 0, "=0f00", PD_EVALUE, "wire_type", 1, 7, 5);
    bad_section(130, 0, "=0a0100", PD_EVALUE, "key", 3, 0, 8);
    bad_section(130, 0, "=07", PD_EVALUE, "key", 1, 7, 8);
    /* Messages longer than the surrounding one, and strings longer than theirs: 0a 04 0a 03 'ab'. */
    bad_section(130, 0, "=0a03 =0800", PD_ECOUNT, "file", 2, 3, 2);
    bad_section(130, 0, "=0a", PD_ESHORT, "file", 1, 0, 1);
    bad_section(130, 0, "=0a04 =0a03 'ab' =00", PD_ECOUNT, "path", 4, 3, 2);
    bad_section(130, 0, "=0a0110", PD_ESHORT, "size", 3, 0, 1);
    bad_section(133, 0, "=1204 =1a05 =0800", PD_ECOUNT, "addrs", 4, 5, 2);
    bad_section(132, 0, "00000004 =2a020a01", PD_ECOUNT, "dex_file_offsets", 8, 1, 0);
    bad_section(132, 0, "00000005 =2a030a0180", PD_ESHORT, "value", 8, 1, 2);
    /* Numbers in more bytes than they need, or of more than 64 bits. */
    bad_section(130, 0, "=108000", PD_EVALUE, "value", 1, 0, 1);
    bad_section(130, 0, "=10ffffffffffffffffff02", PD_EVALUE, "value", 1, 2, 1);
    bad_section(130, 0, "=0a8000", PD_EVALUE, "file", 1, 0, 1);
}

static void byte_orders(void **state)
{
    (void)state;
    bad_section(1, 0, "=170844 'tracing' '0.6' =00 02 08 00001000", PD_EVALUE, "bigendian", 16, 2, 1);
    bad_section(1, 0, "=170844 'tracing' '0.6' =00 ff 08 00001000", PD_EVALUE, "bigendian", 16, 255, 1);
}

/* The required begin of tracing data, and its values; without a valid version the rest has no layout. */
static void fixed_bytes(void **state)
{
    (void)state;
    bad_section(1, 0, "=170845 'tracing' '0.6' =00 00 08 00001000", PD_EVALUE, "magic", 2, 0x45, 0x44);
    bad_section(1, 0, "=000844 'tracing' '0.6' =00 00 08 00001000", PD_EVALUE, "magic", 0, 0, 0x17);
    bad_section(1, 0, "=170844 'trading' '0.6' =00 00 08 00001000", PD_EVALUE, "name", 6, 'd', 'c');
    bad_section(1, 0, "=170844 'tracing' '0.6' =00 01/00 08 00001000 'header_pagE' =00", PD_EVALUE,
                "header_page_name", 30, 'E', 'e');
    bad_section(1, 0, "=170844 'tracing' '0.6' =00 01/00 08 00001000 'header' =00", PD_EVALUE,
                "header_page_name", 26, 0, '_');
    bad_section(1, 0, "=170844 'tracing' '0.6' =00 01/00 08 00001000 'header_pages' =00", PD_EVALUE,
                "header_page_name", 31, 's', 0);
    bad_section(1, 0, TRACING_HEAD "0000000000000000 'header_page' =00", PD_EVALUE, "header_event_name", 47,
                'p', 'e');
    bad_section(1, 0, "=170844 'tracing' 'v0.6' =00 " BEHIND_VERSION, PD_EVALUE, "version", 78, 'v', '0');
    bad_section(1, 0, "=170844 'tracing' '0x6' =00 " BEHIND_VERSION, PD_EVALUE, "version", 77, '0', '0');
    bad_section(1, 0, "=170844 'tracing' '.6' =00 " BEHIND_VERSION, PD_EVALUE, "version", 76, '.', '0');
}

/* Cut numbers of fixed size. */
static void cut_short(void **state)
{
    (void)state;
    bad_section(3, 0, "=000000", PD_ESHORT, "text", 0, 3, 4);
    bad_section(7, 0, "00000001 =000000", PD_ESHORT, "nr_cpus_online", 4, 3, 4);
    bad_section(10, 0, "=00*7", PD_ESHORT, "total_mem", 0, 7, 8);
    bad_section(21, 0, W " =00*7", PD_ESHORT, "last", 8, 7, 8);
    bad_section(23, 0, "=00", PD_ESHORT, "resolution", 0, 1, 8);
    bad_section(24, 0, "=00*4", PD_ESHORT, "version", 0, 4, 8);
    bad_section(27, 0, "00000000 00000001 00000001 00000001", PD_ESHORT, "mmap_len", 16, 0, 4);
    bad_section(29, 0, "00000001 00000001 " W " =00*7", PD_ESHORT, "clockid_time_ns", 16, 7, 8);
    bad_section(33, 0, "00000001", PD_ESHORT, "e_flags", 4, 0, 4);
    bad_section(34, 0, "=000000", PD_ESHORT, "cln_size", 0, 3, 4);
    bad_section(1, 0, "=170844 'tracin'", PD_ESHORT, "name", 3, 6, 7);
    bad_section(128, 0, "00000004 'a' =00 =0000", PD_ESHORT, "type", 6, 2, 4);
    bad_section(128, 0, "0000000d 'a' =00 00000002 =00*7", PD_ESHORT, "min_vaddr", 10, 7, 8);
    bad_section(128, 0, "00000011 'a' =00 00000002 " W " =000000", PD_ESHORT, "symbol_count", 18, 3, 4);
    bad_record("00000040 0000 000f =00*7", PD_ESHORT, "attr", 8, 7, 8);
    bad_record("00000041 0000 000f =00*7", PD_ESHORT, "event_id", 8, 7, 8);
    bad_record("00000043 8001 0023 00000001 " ID20 " 14 00 =00", PD_ESHORT, "reserved_2", 34, 1, 2);
    bad_record("00000048 0000 0028 00000001 00000002 00000003 00000004 00000005 00000001 " W, PD_ESHORT,
               "time", 40, 0, 8);
    bad_record("0000004f 0000 001f " W " " W " =00*7", PD_ESHORT, "time_zero", 24, 7, 8);
    bad_record("00000055 0000 0047 " W " 00000001 0010 =0000 " W " " W " " W " " W " " W " =00*7", PD_ESHORT,
               "pcount", 64, 7, 8);
    bad_record("00000056 0000 001a " W " 00000001 000f 0000 =0000", PD_ESHORT, "count", 24, 2, 4);
}

/* ---- Encoding */

static void refuse_feature(const struct pd_feature *f, enum pd_code code, const char *field)
{
    for (size_t o = 0; o < 2; o++) {
        struct pd_error e = {0};
        size_t size = 0;
        uint8_t *out = guard_room(1, 1000);
        assert_int_equal(pd_feature_encode(orders[o], f, out, 1000, &size, &e), code);
        assert_int_equal(e.code, code);
        assert_non_null(e.field);
        assert_string_equal(e.field, field);
        assert_true(e.found != e.expected);
        assert_int_equal(pd_feature_encode(orders[o], f, NULL, 0, &size, NULL), code);
    }
}

static void refuse_record(const struct pd_record *rec, enum pd_code code, const char *field)
{
    for (size_t o = 0; o < 2; o++) {
        struct pd_plan plan;
        struct pd_error e = {0};
        size_t size = 0;
        uint8_t *out = guard_room(1, 70000);
        pd_plan_init(&plan, NULL, orders[o]);
        assert_int_equal(pd_record_encode(&plan, rec, out, 70000, &size, &e), code);
        assert_int_equal(e.code, code);
        assert_non_null(e.field);
        assert_string_equal(e.field, field);
        assert_int_equal(e.record_type, rec->type);
        assert_true(e.found != e.expected);
        assert_int_equal(pd_record_size(&plan, rec, &size, NULL), code);
    }
}

#define REFUSED(code_, field_, ...) refuse_feature(&(struct pd_feature){__VA_ARGS__}, code_, field_)
#define REFUSED_RECORD(code_, field_, ...) refuse_record(&(struct pd_record){__VA_ARGS__}, code_, field_)

/* Counts that are one above or one below the number of items. */
static void wrong_counts(void **state)
{
    (void)state;
    for (uint32_t d = 0; d < 3; d += 2) {
        REFUSED(PD_ECOUNT, "nr", .id = 11,
                .u.cmdline = {.nr = d, .args = LIST_IN(pd_string, {.text = TEXT_OF("a")})});
        REFUSED(PD_ECOUNT, "nr_events", .id = 12,
                .u.event_desc = {
                    .nr_events = d, .attr_size = 64, .events = LIST_IN(pd_event_desc, {.attr_size = 64})});
        REFUSED(PD_ECOUNT, "nr_ids", .id = 12,
                .u.event_desc = {
                    .nr_events = 1,
                    .attr_size = 64,
                    .events = LIST_IN(pd_event_desc, {.attr_size = 64, .nr_ids = d, .ids = WORDS_OF(1)})});
        REFUSED(PD_ECOUNT, "nr_sockets", .id = 13,
                .u.cpu_topology = {.nr_sockets = d, .sockets = LIST_IN(pd_string, {.text = TEXT_OF("0")})});
        REFUSED(PD_ECOUNT, d ? "nr_cpus_avail" : "has_cpus", .id = 13, .nr_cpus_avail = d,
                .u.cpu_topology = {.nr_cpus_avail = d,
                                   .has_cpus = 1,
                                   .cpus = LIST_IN(pd_cpu_topology_cpu, {.core_id = 1, .socket_id = 2})});
        REFUSED(PD_ECOUNT, "nr", .id = 14,
                .u.numa_topology = {.nr = d, .nodes = LIST_IN(pd_numa_node, {.node = 1})});
        REFUSED(PD_ECOUNT, "nr", .id = 16,
                .u.pmu_mappings = {.nr = d, .pmus = LIST_IN(pd_pmu_mapping, {.type = 1}), .uncounted = {0}});
        REFUSED(PD_ECOUNT, "nr_groups", .id = 17,
                .u.group_desc = {.nr_groups = d, .groups = LIST_IN(pd_group_desc, {.leader_idx = 1})});
        REFUSED(PD_ECOUNT, "nr", .id = 18,
                .u.auxtrace = {.has_nr = 1,
                               .nr = d,
                               .entries = LIST_IN(pd_auxtrace_index_entry, {.file_offset = 1, .sz = 2})});
        REFUSED(PD_ECOUNT, "nr", .id = 20,
                .u.cache = {.version = 1, .nr = d, .caches = LIST_IN(pd_cache_level, {.level = 1})});
        REFUSED(
            PD_ECOUNT, "nr", .id = 22,
            .u.mem_topology = {
                .version = 1, .block_size_bytes = 1, .nr = d, .nodes = LIST_IN(pd_memory_node, {.node = 1})});
        REFUSED(
            PD_ECOUNT, "words", .id = 22,
            .u.mem_topology = {
                .version = 1,
                .block_size_bytes = 1,
                .nr = 1,
                .nodes = LIST_IN(pd_memory_node,
                                 {.node = 1, .size = 64, .bits = 64, .words = d, .bitmap = WORDS_OF(1)})});
        REFUSED(PD_ECOUNT, "words", .id = 22,
                .u.mem_topology = {
                    .version = 1,
                    .block_size_bytes = 1,
                    .nr = 1,
                    .nodes = LIST_IN(
                        pd_memory_node,
                        {.node = 1, .size = 64 * d, .bits = 64 * d, .words = d, .bitmap = WORDS_OF(1)})});
        REFUSED(PD_ECOUNT, "count", .id = 25,
                .u.bpf_prog_info = {.count = d, .programs = LIST_IN(pd_bpf_prog, {.info_len = 0})});
        REFUSED(PD_ECOUNT, "data_len", .id = 25,
                .u.bpf_prog_info = {.count = 1,
                                    .programs = LIST_IN(pd_bpf_prog, {.data_len = d, .data = RAW("x")})});
        REFUSED(PD_ECOUNT, "count", .id = 26,
                .u.bpf_btf = {.count = d, .entries = LIST_IN(pd_bpf_btf, {.id = 1})});
        REFUSED(PD_ECOUNT, "data_size", .id = 26,
                .u.bpf_btf = {.count = 1,
                              .entries = LIST_IN(pd_bpf_btf, {.id = 1, .data_size = d, .data = RAW("x")})});
        REFUSED(PD_ECOUNT, "nr", .id = 28,
                .u.cpu_pmu_caps = {
                    .nr = d, .caps = LIST_IN(pd_name_value, {.name = TEXT_OF("a"), .value = TEXT_OF("b")})});
        REFUSED(
            PD_ECOUNT, "nr", .id = 30,
            .u.hybrid_topology = {
                .nr = d, .pmus = LIST_IN(pd_hybrid_pmu, {.pmu_name = TEXT_OF("a"), .cpus = TEXT_OF("b")})});
        REFUSED(PD_ECOUNT, "nr_pmus", .id = 31,
                .u.pmu_caps = {.nr_pmus = d, .pmus = LIST_IN(pd_pmu_caps, {.nr_caps = 0})});
        REFUSED(PD_ECOUNT, "nr_caps", .id = 31,
                .u.pmu_caps = {
                    .nr_pmus = 1,
                    .pmus = LIST_IN(pd_pmu_caps, {.nr_caps = d,
                                                  .caps = LIST_IN(pd_name_value, {.name = TEXT_OF("a"),
                                                                                  .value = TEXT_OF("b")})})});
        REFUSED(PD_ECOUNT, "nr_domains", .id = 32,
                .u.cpu_domain_info = {
                    .schedstat_version = 16,
                    .max_sched_domains = 1,
                    .cpus = LIST_IN(pd_cpu_domains,
                                    {.cpu = 0,
                                     .nr_domains = d,
                                     .domains = LIST_IN(pd_cpu_domain, {.schedstat_version = 16})})});
        REFUSED(PD_ECOUNT, "symbol_count", .id = 128,
                .u.simpleperf_file = {
                    .files = LIST_IN(pd_simpleperf_file_entry,
                                     {.size = 100,
                                      .file = {.path = TEXT_OF("a"),
                                               .symbol_count = d,
                                               .symbols = LIST_IN(pd_simpleperf_file_symbol, {.len = 1})}})});
        REFUSED(PD_ECOUNT, "data_size", .id = 130,
                .u.simpleperf_debug_unwind = {
                    .fields = LIST_IN(pd_simpleperf_unwind_field,
                                      {.key = 18, .wire_type = 2, .data_size = d, .data = RAW("x")})});

        REFUSED_RECORD(PD_ECOUNT, "nr", .type = 69,
                       .u.id_index = {.nr = d, .entries = LIST_IN(pd_id_index_entry, {.id = 1})});
        REFUSED_RECORD(
            PD_ECOUNT, "nr", .type = 73,
            .u.thread_map = {.nr = d,
                             .entries = LIST_IN(pd_thread_map_entry, {.pid = 1, .comm = TEXT_OF("a")})});
        REFUSED_RECORD(PD_ECOUNT, "nr", .type = 74,
                       .u.cpu_map.map = {.cpus = {(uint16_t)d, VEC_OF(uint16_t, 1)}});
        REFUSED_RECORD(
            PD_ECOUNT, "nr", .type = 75,
            .u.stat_config = {.nr = d, .entries = LIST_IN(pd_stat_config_entry, {.tag = 1, .val = 2})});
        REFUSED_RECORD(PD_ECOUNT, "data_size", .type = 83,
                       .u.compressed2 = {.data_size = d, .data = RAW("x")});
        REFUSED_RECORD(PD_ECOUNT, "nr_entries", .type = 84,
                       .u.bpf_metadata = {.prog_name = TEXT_OF("p"),
                                          .nr_entries = d,
                                          .entries = LIST_IN(pd_bpf_metadata_entry,
                                                             {.key = TEXT_OF("a"), .value = TEXT_OF("b")})});
        REFUSED_RECORD(PD_ECOUNT, "nr", .type = 32775,
                       .u.simpleperf_callchain = {.nr = d, .ips = WORDS_OF(1), .sps = WORDS_OF(1)});
        REFUSED_RECORD(PD_ECOUNT, "nr_regs", .type = 32776,
                       .u.simpleperf_unwinding_result = {
                           .has_regs = 1, .reg_mask = d ? 3 : 0, .nr_regs = d, .regs = WORDS_OF(1)});
    }
}

/* Sizes of parts that do not agree with their content. */
static void wrong_sizes(void **state)
{
    (void)state;
    for (uint16_t d = 0; d < 3; d += 2)
        REFUSED(PD_ECOUNT, "size", .id = 2,
                .u.build_id = {.entries = LIST_IN(pd_build_id_entry, {.type = 0,
                                                                      .misc = 0,
                                                                      .size = (uint16_t)(43 + d),
                                                                      .file = {.filename = TEXT_OF("a")}})});
    for (uint16_t size = 0; size < 8; size++)
        REFUSED(PD_ECOUNT, "size", .id = 2,
                .u.build_id = {
                    .entries =
                        LIST_IN(pd_build_id_entry,
                                {.type = 0, .misc = 0, .size = size, .file = {.filename = TEXT_OF("a")}})});
    REFUSED(PD_ECOUNT, "attr_size", .id = 12,
            .u.event_desc = {.nr_events = 1,
                             .attr_size = 68,
                             .events = LIST_IN(pd_event_desc, {.attr_size = 68, .attr = {.size = 68}})});
    REFUSED(PD_ECOUNT, "attr_size", .id = 12,
            .u.event_desc = {.nr_events = 1,
                             .attr_size = 64,
                             .events = LIST_IN(pd_event_desc, {.attr_size = 72, .attr = {.size = 64}})});
    REFUSED(PD_ECOUNT, "info_len", .id = 25,
            .u.bpf_prog_info = {.count = 1,
                                .programs = LIST_IN(pd_bpf_prog, {.info_len = 232, .info = {.type = 1}})});
    REFUSED(PD_ECOUNT, "size", .id = 132,
            .u.simpleperf_file2 = {
                .files = LIST_IN(pd_simpleperf_file2,
                                 {.size = 3,
                                  .message = {.fields = LIST_IN(pd_simpleperf_file_field,
                                                                {.key = 16, .wire_type = 8})}})});
    REFUSED(
        PD_ECOUNT, "schedstat_version", .id = 32,
        .u.cpu_domain_info = {
            .schedstat_version = 17,
            .max_sched_domains = 1,
            .cpus = LIST_IN(
                pd_cpu_domains,
                {.cpu = 0, .nr_domains = 1, .domains = LIST_IN(pd_cpu_domain, {.schedstat_version = 16})})});
    REFUSED_RECORD(PD_ECOUNT, "attr", .type = 64, .u.header_attr.attr = {.size = 68});
    REFUSED_RECORD(PD_ECOUNT, "attr", .type = 64, .u.header_attr.attr = {.size = 64, .tail = RAW("x")});
    REFUSED_RECORD(PD_ECOUNT, "misc", .type = 67, .misc = 1, .u.header_build_id.file = {.misc = 2});
}

/* Fields that disagree with their protobuf key. */
static void keys(void **state)
{
    (void)state;
    REFUSED(PD_ECOUNT, "wire_type", .id = 130,
            .u.simpleperf_debug_unwind = {
                .fields = LIST_IN(pd_simpleperf_unwind_field, {.key = 10, .wire_type = 2})});
    REFUSED(PD_ECOUNT, "wire_type", .id = 130,
            .u.simpleperf_debug_unwind = {
                .fields = LIST_IN(pd_simpleperf_unwind_field, {.key = 18, .wire_type = 8})});
    REFUSED(PD_EVALUE, "wire_type", .id = 130,
            .u.simpleperf_debug_unwind = {
                .fields = LIST_IN(pd_simpleperf_unwind_field, {.key = 14, .wire_type = 6})});
    REFUSED(PD_EVALUE, "key", .id = 130,
            .u.simpleperf_debug_unwind = {.fields = LIST_IN(pd_simpleperf_unwind_field, {.key = 0})});
}

static void strings(void **state)
{
    (void)state;
    REFUSED(PD_ECOUNT, "text", .id = 3, .u.hostname = {.text = {"abc", 3, 2}});
    REFUSED(PD_EVALUE, "text", .id = 3, .u.hostname = {.text = {"abcd", 3, 4}});
    REFUSED(PD_ELIMIT, "text", .id = 3, .u.hostname = {.text = {"abc", SIZE_MAX - 64, PD_AUTO}});
    REFUSED(PD_ELIMIT, "text", .id = 3, .u.hostname = {.text = {"abc", 3, SIZE_MAX - 1}});
    REFUSED(PD_ECOUNT, "key", .id = 129,
            .u.simpleperf_meta_info = {
                .entries = LIST_IN(pd_meta_info, {.key = {"abc", 3, 3}, .value = TEXT_OF("x")})});
    REFUSED(PD_ECOUNT, "value", .id = 129,
            .u.simpleperf_meta_info = {
                .entries = LIST_IN(pd_meta_info, {.key = TEXT_OF("x"), .value = {"abc\0\0", 3, 5}})});
    REFUSED_RECORD(PD_ECOUNT, "name", .type = 65, .u.header_event_type.name = {many_x, 65, 65});
    REFUSED_RECORD(
        PD_ECOUNT, "comm", .type = 73,
        .u.thread_map = {.nr = 1,
                         .entries = LIST_IN(pd_thread_map_entry, {.pid = 1, .comm = {many_x, 17, PD_AUTO}})});
    REFUSED_RECORD(PD_ECOUNT, "unit", .type = 78, .u.event_update = {.type = 0, .unit = {"abc", 3, 3}});
    REFUSED_RECORD(PD_ECOUNT, "filter", .type = 70,
                   .u.auxtrace_info = {.type = 1,
                                       .intel_pt = {.has_per_cpu_mmaps = 1,
                                                    .has_mtc = 1,
                                                    .has_cyc = 1,
                                                    .has_ratio = 1,
                                                    .has_filter = 1,
                                                    .filter_str_len = 9,
                                                    .filter = TEXT_OF("abc")}});
    REFUSED_RECORD(PD_EVALUE, "cpu", .type = 74, .u.cpu_map.map = {.cpus = {1, VEC_OF(uint32_t, 0x10000)}});
    REFUSED_RECORD(
        PD_EVALUE, "mask32", .type = 74,
        .u.cpu_map.map = {.type = 1, .mask = {1, 4, VEC_OF(uint64_t, 0x100000000), {0}, {.n = 0}}});
}

/* Features without a known layout can be kept, but not made. */
static void unknown_features(void **state)
{
    struct pd_error e = {0};
    size_t size = 0;
    (void)state;
    const struct pd_feature f = {.id = 35};
    assert_int_equal(pd_feature_encode(PD_LITTLE, &f, NULL, 0, &size, &e), PD_EUNKNOWN);
    assert_int_equal(e.found, 35);
}

/* A section has less than 4 GiB; of one whose layout is unknown no byte is read. */
static void too_large_to_decode(void **state)
{
    struct pd_error e = {0};
    struct pd_feature f;
    (void)state;
    assert_int_equal(pd_feature_decode(PD_LITTLE, 35, 0, "", UINT32_MAX, &f, &e), PD_OK);
    if (SIZE_MAX > UINT32_MAX)
        assert_int_equal(pd_feature_decode(PD_LITTLE, 35, 0, "", (size_t)UINT32_MAX + 1, &f, &e), PD_ELIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(small_counts),
        cmocka_unit_test(other_counts),
        cmocka_unit_test(too_many_cpus),
        cmocka_unit_test(filter_lengths),
        cmocka_unit_test(strings_without_end),
        cmocka_unit_test(sizes_of_parts),
        cmocka_unit_test(protobuf),
        cmocka_unit_test(byte_orders),
        cmocka_unit_test(fixed_bytes),
        cmocka_unit_test(cut_short),
        cmocka_unit_test(wrong_counts),
        cmocka_unit_test(wrong_sizes),
        cmocka_unit_test(keys),
        cmocka_unit_test(strings),
        cmocka_unit_test(unknown_features),
        cmocka_unit_test(too_large_to_decode),
    };
    return cmocka_run_group_tests_name("feature_errors", tests, NULL, NULL);
}
