/* SPDX-License-Identifier: MIT */
/* golden_feature_errors.c - feature sections, and records that the tables read, which cannot be decoded or encoded:
 * which field is blamed, where, and with what numbers. */
#include "golden.h"

#include "cmocka_all.h"
#include "guard.h"
#include <stdio.h>
#include <string.h>

#define W "1112131415161718"
#define ID20 "=4a5a9b0affb66c437abcd455d2738af879985fa9"
/* The byte that states TRACING_DATA's own byte order, here that of the section. */
#define SAME_ORDER "01/00"
#define TRACING_HEAD "=170844 'tracing' '0.6' =00 " SAME_ORDER " 08 00001000 'header_page' =00 "
#define NO_HEADERS TRACING_HEAD "0000000000000000 'header_event' =00 0000000000000000 "
#define ATTR64(size_) "00000000 " size_ " " W " " W " " W " " W " 0000000000000000 00000001 00000002 " W
#define BPF40 "00000001 00000061 " W " 00000011 00000012 " W " " W

static const enum pd_order orders[] = {PD_LITTLE, PD_BIG};

/* ---- Decoding */

static void expect_error(const struct pd_error *e, enum pd_code code, const char *field, uint64_t at, uint64_t found,
                         uint64_t expected)
{
    assert_int_equal(e->code, code);
    assert_non_null(e->field);
    assert_string_equal(e->field, field);
    assert_int_equal(at, e->record_type ? e->record_offset : e->offset);
    assert_int_equal(e->found, found);
    assert_int_equal(e->expected, expected);
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
        assert_int_equal(pd_feature_decode(orders[o], id, nr_cpus, p, n, &f, &e), code);
        expect_error(&e, code, field, at, found, expected);
        assert_int_equal(f.id, id);
        assert_null(f.layout);
        assert_ptr_equal(f.rest.ptr, p);
        assert_int_equal(f.rest.n, n);
        uint8_t *out = guard_room(1, n); /* what is not understood is written as it was */
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
    uint32_t id;               /* of the feature; 0: a record */
    unsigned digits;           /* of the count, which stands between the texts */
    const char *before, *after;
    const char *field;
    size_t at;
    uint64_t most; /* that would fit */
};

/* clang-format off */
static const struct bad_count bad_counts[] = {
    /* Strings, arrays and lists of one size: the field is blamed itself. */
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
    {0, 16, "00000046 0000 0040 00000003 00000000 0000000000000001 " W " " W " 4040404040404040 " W, "", "params", 64, 0},
    {0, 16, "00000046 0000 0050 00000004 00000000 0000000000000002 " W " " W " 0000000000000001 " W " " W, W, "params",
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
    {0, 16, "00008008 0000 0053 " W " " W " " W " " W " " W " " W " " W " 0000000000000000", "=010203", "stack", 80, 3},
    {0, 8, "00008009 0000 000f", "=010203", "data", 12, 3},

    /* Parts of any size: the first field that is not there any more. */
    {1, 8, NO_HEADERS, "0000000000000003 'abc'", "size", 76, 1},
    {1, 8, NO_HEADERS "00000000", "'s' =00 00000000", "name", 75, 1},
    {1, 8, NO_HEADERS "00000000 00000001 's' =00", "0000000000000003 'abc'", "size", 86, 1},
    {11, 8, "", "00000003 'abc'", "text", 11, 1},
    {12, 8, "", "00000040 " ATTR64("00000040") " 00000000 00000000", "attr", 80, 1},
    {13, 8, "", "00000003 'abc'", "text", 11, 1},
    {13, 8, "00000000", "00000003 'abc'", "text", 15, 1},
    {14, 8, "", "00000007 " W " " W " 00000000", "node", 28, 1},
    {16, 8, "", "00000007 00000000", "type", 12, 1},
    {17, 8, "", "00000000 00000001 00000002", "name", 16, 1},
    {20, 8, "00000001", "00000001 00000002 00000003 00000004 00000000 00000000 00000000", "level", 36, 1},
    {22, 16, W " " W, W " " W " 0000000000000000", "node", 48, 1},
    {25, 8, "", "00000000 00000000 " W, "info_len", 20, 1},
    {26, 8, "", "00000011 00000000", "id", 12, 1},
    {28, 8, "", "00000000 00000000", "name", 12, 1},
    {30, 8, "", "00000000 00000000", "pmu_name", 12, 1},
    {31, 8, "", "00000000 00000000", "nr_caps", 12, 1},
    {31, 8, "00000001", "00000000 00000000", "name", 16, 1},
    {32, 8, "00000010 00000001 00000000", "00000000 00000000 00000000", "domain", 28, 1},
    {128, 8, "0000001f 'a' =00 00000000 " W, W " 00000005 'f' =00", "vaddr", 36, 1},
    {0, 16, "00000046 0000 0048 00000004 00000000 0000000000000002 " W " " W, W " " W " 0000000000000000", "magic", 72, 1},
    {0, 16, "00000049 0000 0028", W " 'sixteen bytes ok'", "pid", 40, 1},
    {0, 16, "00000054 0000 0358 =78*512", "=78*320", "entries", 848, 1},
};
/* clang-format on */

/* What is wrong with the count that ended the walk over parts of any size: nothing is left for what comes next. */
static void check_part(const struct bad_count *b, const char *text, uint64_t count)
{
    static const struct {
        const char *field;
        enum pd_code code;
        uint64_t found, expected;
    } fields[] = {
        {"name", PD_ESHORT, 0, 4},   {"text", PD_ESHORT, 0, 4},    {"pmu_name", PD_ESHORT, 0, 4},
        {"node", PD_ESHORT, 0, 4},   {"type", PD_ESHORT, 0, 4},    {"level", PD_ESHORT, 0, 4},
        {"id", PD_ESHORT, 0, 4},     {"info_len", PD_ESHORT, 0, 4}, {"nr_caps", PD_ESHORT, 0, 4},
        {"domain", PD_ESHORT, 0, 4}, {"size", PD_ESHORT, 0, 8},    {"vaddr", PD_ESHORT, 0, 8},
        {"magic", PD_ESHORT, 0, 8},  {"pid", PD_ESHORT, 0, 8},     {"attr", PD_ECOUNT, 64, 0},
    };
    enum pd_code code = PD_ECOUNT;
    uint64_t found = count, expected = b->most;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strcmp(b->field, fields[i].field) == 0)
            code = fields[i].code, found = fields[i].found, expected = fields[i].expected;
    if (b->id == 22)
        expected = 8;
    if (b->id == 1 && strcmp(b->field, "name") == 0)
        code = PD_ECOUNT, found = 1, expected = 0;
    if (b->id)
        bad_section(b->id, 0, text, code, b->field, b->at, found, expected);
    else
        bad_record(text, code, b->field, b->at, found, expected);
}

static bool is_part(const struct bad_count *b)
{
    return b >= bad_counts + sizeof bad_counts / sizeof *bad_counts - 23;
}

static void check_count(const struct bad_count *b, uint64_t count)
{
    char text[2000];
    snprintf(text, sizeof text, "%s %0*llx %s", b->before, (int)b->digits, (unsigned long long)count, b->after);
    if (is_part(b))
        check_part(b, text, count);
    else if (b->id)
        bad_section(b->id, 0, text, PD_ECOUNT, b->field, b->at, count, b->most);
    else
        bad_record(text, PD_ECOUNT, b->field, b->at, count, b->most);
}
