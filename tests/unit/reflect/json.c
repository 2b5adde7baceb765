/* SPDX-License-Identifier: MIT */
/* json.c - records and attrs as JSON; expected texts were derived by hand from the bytes. */
#include "observed.h"
#include <perfdata/session/text.h>
#include <stdlib.h>

static void check_record(const struct pd_record *rec, unsigned flags, const char *expected)
{
    char buf[4096];
    struct pd_out out = {.buf = buf, .cap = sizeof buf - 1};
    pd_record_json(rec, flags, &out);
    assert_int_equal(out.lost, 0);
    buf[out.n] = '\0';
    assert_string_equal(buf, expected);
}

static void check(uint64_t sample_type, const char *hex, const char *expected)
{
    struct observed o;
    observe(&o, sample_type, hex);
    check_record(&o.rec, 0, expected);
}

static void test_sample(void **state)
{
    (void)state;
    check(OBSERVED_SAMPLE_TYPE, OBSERVED_SAMPLE,
          "{\"type\":\"SAMPLE\",\"misc\":\"cpumode=USER\",\"size\":72,\"sample\":{\"ip\":\"0x7efdb18bdb70\","
          "\"pid\":21775,\"tid\":21775,\"time\":\"2292102700987\",\"id\":\"425\",\"period\":\"1\","
          "\"callchain\":{\"nr\":\"2\",\"ips\":[\"USER\",\"0x7efdb18bdb70\"]}}}");
}

static void test_mmap2(void **state)
{
    (void)state;
    check(OBSERVED_SAMPLE_TYPE, OBSERVED_MMAP2,
          "{\"type\":\"MMAP2\",\"misc\":\"cpumode=USER|mmap_build_id\",\"size\":112,\"mmap2\":{\"pid\":21775,"
          "\"tid\":21775,\"addr\":\"0x56349b715000\",\"len\":\"0x16000\",\"pgoff\":\"0x4000\",\"build_id_"
          "size\":20,"
          "\"reserved_1\":0,\"reserved_2\":0,\"build_id\":\"15dfff3239aa7c3b16a71e6b2e3b6e4009dab998\","
          "\"prot\":\"READ|EXEC\",\"flags\":\"type=PRIVATE\",\"filename\":\"/usr/bin/ls\"},"
          "\"sample_id\":{\"pid\":21775,\"tid\":21775,\"time\":\"2292102453359\",\"id\":\"423\"}}");
}

static void test_context(void **state)
{
    (void)state;
    struct observed o;
    observe(&o, OBSERVED_SAMPLE_TYPE, OBSERVED_COMM);
    o.rec.offset = 456;
    o.rec.attr_index = 1;
    check_record(&o.rec, PD_JSON_OFFSET | PD_JSON_ATTR,
                 "{\"type\":\"COMM\",\"misc\":\"comm_exec\",\"size\":48,\"offset\":\"456\",\"attr\":1,"
                 "\"comm\":{\"pid\":21775,\"tid\":21775,\"comm\":\"ls\"},"
                 "\"sample_id\":{\"pid\":21775,\"tid\":21775,\"time\":\"2292102420801\",\"id\":\"423\"}}");
    o.rec.attr_index = UINT32_MAX;
    o.rec.depth = 1;
    o.rec.inner_offset = 8;
    o.attr.sample_type = 0;
    o.attr.flags = 0;
    pd_plan_init(&o.plan, &o.attr, PD_LITTLE);
    check_record(
        &o.rec, PD_JSON_OFFSET | PD_JSON_ATTR,
        "{\"type\":\"COMM\",\"misc\":\"comm_exec\",\"size\":48,\"offset\":\"456\",\"inner_offset\":\"8\","
        "\"comm\":{\"pid\":21775,\"tid\":21775,\"comm\":\"ls\"}}");
}

/* A NUL and zeros up to a multiple of 8 are not shown; other bytes behind the text are. */
static void test_padding(void **state)
{
    (void)state;
    check(0, "03000000 0000 1800 01000000 ffffffff 6c73000000000000",
          "{\"type\":\"COMM\",\"misc\":0,\"size\":24,\"comm\":{\"pid\":1,\"tid\":-1,\"comm\":\"ls\"},"
          "\"sample_id\":{}}");
    check(0, "03000000 0000 1800 01000000 ffffffff 6c73000000000001",
          "{\"type\":\"COMM\",\"misc\":0,\"size\":24,\"comm\":{\"pid\":1,\"tid\":-1,\"comm\":\"ls\","
          "\"comm_pad\":\"000000000001\"},\"sample_id\":{}}");
    check(0, "03000000 0000 2000 01000000 ffffffff 6c73000000000000 0000000000000000",
          "{\"type\":\"COMM\",\"misc\":0,\"size\":32,\"comm\":{\"pid\":1,\"tid\":-1,\"comm\":\"ls\","
          "\"comm_pad\":\"0000000000000000000000000000\"},\"sample_id\":{}}");
    check(0, "03000000 0000 1200 01000000 ffffffff 6c73",
          "{\"type\":\"COMM\",\"misc\":0,\"size\":18,\"comm\":{\"pid\":1,\"tid\":-1,\"comm\":\"ls\",\"comm_"
          "pad\":\"\"},"
          "\"sample_id\":{}}");
    check(0, "03000000 0000 1000 01000000 ffffffff",
          "{\"type\":\"COMM\",\"misc\":0,\"size\":16,\"comm\":{\"pid\":1,\"tid\":-1,\"comm\":\"\",\"comm_"
          "pad\":\"\"},"
          "\"sample_id\":{}}");
}

static void check_text(const char *text, size_t n, const char *expected)
{
    char buf[128];
    struct pd_out out = {.buf = buf, .cap = sizeof buf - 1};
    pd_out_json_text(&out, text, n);
    buf[out.n] = '\0';
    assert_string_equal(buf, expected);
}

static void test_text(void **state)
{
    (void)state;
    check_text("", 0, "\"\"");
    check_text("a\"b\\c\n\x1f\x7f/", 9, "\"a\\\"b\\\\c\\u000a\\u001f\\u007f/\"");
    check_text("\xc2\x80\xc2\x9f\xc2\xa0", 6, "\"\\u0080\\u009f\xc2\xa0\"");
    /* Marks and overrides of direction, ends of lines, and the characters beside these. */
    check_text("\xd8\x9b\xd8\x9c\xd8\x9d", 6, "\"\xd8\x9b\\u061c\xd8\x9d\"");
    check_text("\xe2\x80\x8d\xe2\x80\x8e\xe2\x80\x8f\xe2\x80\x90", 12,
               "\"\xe2\x80\x8d\\u200e\\u200f\xe2\x80\x90\"");
    check_text("\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xae\xe2\x80\xaf", 12,
               "\"\xe2\x80\xa7\\u2028\\u202e\xe2\x80\xaf\"");
    check_text("\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa", 12,
               "\"\xe2\x81\xa5\\u2066\\u2069\xe2\x81\xaa\"");
    check_text("\xe2\x82\x8e\xe2\x81\x8e\xe3\x80\xae\xe2\x80\xa6", 12,
               "\"\xe2\x82\x8e\xe2\x81\x8e\xe3\x80\xae\xe2\x80\xa6\"");
    check_text("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 9, "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"");
    check_text("\xff", 1, "{\"hex\":\"ff\"}");
    check_text("a\xc3", 2, "{\"hex\":\"61c3\"}");                /* cut */
    check_text("\xc0\xaf", 2, "{\"hex\":\"c0af\"}");             /* long form of '/' */
    check_text("\xe0\x9f\xbf", 3, "{\"hex\":\"e09fbf\"}");       /* long form */
    check_text("\xed\xa0\x80", 3, "{\"hex\":\"eda080\"}");       /* surrogate */
    check_text("\xf4\x90\x80\x80", 4, "{\"hex\":\"f4908080\"}"); /* beyond the last */
    check_text("\xee\x80\x80\xf4\x8f\xbf\xbf", 7, "\"\xee\x80\x80\xf4\x8f\xbf\xbf\"");
}

static void check_value(const struct pd_set *set, uint64_t value, unsigned width, const char *expected)
{
    char buf[1100];
    struct pd_out out = {.buf = buf, .cap = sizeof buf - 1};
    pd_out_json_value(&out, set, value, width);
    buf[out.n] = '\0';
    assert_string_equal(buf, expected);
}

static void test_values(void **state)
{
    (void)state;
    check_value(&pd_set_DEC, UINT64_MAX, 8, "\"18446744073709551615\"");
    check_value(&pd_set_DEC, UINT32_MAX, 4, "4294967295");
    check_value(&pd_set_SDEC, UINT64_MAX, 8, "\"-1\"");
    check_value(&pd_set_SDEC, UINT64_C(1) << 63, 8, "\"-9223372036854775808\"");
    check_value(&pd_set_SDEC, UINT64_MAX, 4, "-1");
    check_value(&pd_set_HEX, 0, 8, "\"0x0\"");
    check_value(&pd_set_HEX, 0xf, 8, "\"0xf\"");
    check_value(&pd_set_HEX, 0x10, 8, "\"0x10\"");
    check_value(&pd_set_HEX, UINT64_MAX, 8, "\"0xffffffffffffffff\"");
    check_value(&pd_set_HEX, 0x123456789, 8, "\"0x123456789\"");
    check_value(&pd_set_HEX, 0x100, 4, "256");
    check_value(&pd_set_attr_type, 5, 4, "\"BREAKPOINT\"");
    check_value(&pd_set_attr_type, 77, 4, "77");
    check_value(&pd_set_clockid, (uint64_t)-6, 4, "-6");
    check_value(&pd_set_callchain_context, (uint64_t)-512, 8, "\"USER\"");
    check_value(&pd_set_stat_round_type, 7, 8, "\"0x7\"");
    check_value(&pd_set_prot, 0, 4, "0");
    check_value(&pd_set_prot, 3, 4, "\"READ|WRITE\"");
    check_value(&pd_set_prot, 11, 4, "11");
    check_value(&pd_set_sample_type, 0x80000001, 8, "\"0x80000001\"");
    check_value(&pd_set_sample_type, 0, 8, "\"0x0\"");
    check_value(&pd_set_branch_flags, 0xd5, 8, "\"mispred|in_tx|cycles=13\"");
    check_value(&pd_set_mmap_flags, 0x400002, 4, "4194306");
    check_value(&pd_set_misc_none, 8, 2, "8");
}

static void test_unknown(void **state)
{
    (void)state;
    struct observed o;
    check(PD_SAMPLE_TID, "20000000 0300 1800 0102030405060708 0f550000 10550000",
          "{\"type\":32,\"misc\":3,\"size\":24,\"rest\":\"0102030405060708\",\"sample_id\":{\"pid\":21775,"
          "\"tid\":21776}}");
    observe(&o, 0, "44000000 0000 0800");
    check_record(&o.rec, 0, "{\"type\":\"FINISHED_ROUND\",\"misc\":0,\"size\":8,\"finished_round\":{}}");
    observe(&o, OBSERVED_SAMPLE_TYPE, OBSERVED_COMM);
    o.rec.decoded = false;
    check_record(
        &o.rec, 0,
        "{\"type\":\"COMM\",\"misc\":\"comm_exec\",\"size\":48,\"raw\":\"0f5500000f5500006c73000000000000"
        "0f5500000f5500004159f3ab15020000a701000000000000\"}");
}

/* An empty branch stack without hw_idx: only the size tells. */
static void test_variant(void **state)
{
    (void)state;
    struct observed o = {.attr = {.size = 144,
                                  .sample_type = PD_SAMPLE_BRANCH_STACK | PD_SAMPLE_STACK_USER,
                                  .branch_sample_type = PD_BRANCH_SAMPLE_HW_INDEX}};
    pd_plan_init(&o.plan, &o.attr, PD_LITTLE);
    o.n = from_hex("09000000 0100 2800 0000000000000000 0800000000000000 6162000000000000 0200000000000000",
                   o.bytes, sizeof o.bytes);
    assert_int_equal(pd_record_decode(&o.plan, o.bytes, o.n, &o.rec, NULL), PD_OK);
    check_record(&o.rec, 0,
                 "{\"type\":\"SAMPLE\",\"misc\":\"cpumode=KERNEL\",\"size\":40,\"variant\":1,\"sample\":{"
                 "\"branch_stack\":"
                 "{\"nr\":\"0\",\"entries\":[]},\"stack_user\":{\"size\":\"8\",\"data\":\"6162000000000000\","
                 "\"dyn_size\":\"2\"}}}");
}

/* A record made by a program: no bytes, sizes and slots still to be computed. */
static void test_made(void **state)
{
    (void)state;
    const struct pd_attr attr = {.sample_type =
                                     PD_SAMPLE_BRANCH_STACK | PD_SAMPLE_READ | PD_SAMPLE_STACK_USER,
                                 .read_format = PD_FORMAT_GROUP | PD_FORMAT_ID};
    const struct pd_branch_entry branches[] = {{0x10, 0x20, PD_BRANCH_PREDICTED}, {0x30, UINT64_MAX, 0}};
    const struct pd_read_value values[] = {{.value = 5, .id = 7}};
    struct pd_plan plan;
    pd_plan_init(&plan, &attr, PD_LITTLE);
    const struct pd_record rec = {
        .type = PD_RECORD_SAMPLE,
        .plan = &plan,
        .u.sample = {.read = {.nr = 1, .values = PD_LIST(values, 1)},
                     .branch_stack = {.nr = 2, .entries = PD_LIST(branches, 2)}},
    };
    check_record(
        &rec, 0,
        "{\"type\":\"SAMPLE\",\"misc\":0,\"size\":0,\"sample\":{\"read\":{\"nr\":\"1\",\"values\":[{"
        "\"value\":\"5\","
        "\"id\":\"7\"}]},\"branch_stack\":{\"nr\":\"2\",\"entries\":[{\"from\":\"0x10\",\"to\":\"0x20\","
        "\"flags\":\"predicted\"},{\"from\":\"0x30\",\"to\":\"0xffffffffffffffff\",\"flags\":\"0x0\"}]},"
        "\"stack_user\":{\"size\":\"0\",\"data\":\"\"}}}");
}

static void check_attr(const struct pd_attr *attr, const char *expected)
{
    char buf[4096];
    struct pd_out out = {.buf = buf, .cap = sizeof buf - 1};
    pd_attr_json(attr, &out);
    buf[out.n] = '\0';
    assert_string_equal(buf, expected);
}

static void test_attr(void **state)
{
    (void)state;
    struct pd_attr attr = {.size = 64,
                           .sample_freq = 4000,
                           .sample_type = 7,
                           .wakeup_events = 1,
                           .flags = PD_ATTR_FREQ | PD_ATTR_INHERIT | 2ull << PD_ATTR_PRECISE_IP_SHIFT};
#define BEFORE                                                                                               \
    "{\"type\":\"HARDWARE\",\"size\":64,\"config\":\"0x0\",\"sample_period\":\"4000\",\"sample_type\":\"IP|" \
    "TID|TIME\","                                                                                            \
    "\"read_format\":\"0x0\",\"flags\":\"inherit|freq|precise_ip=REQUESTED_ZERO_SKID\",\"wakeup_events\":1," \
    "\"bp_type\":0,"                                                                                         \
    "\"bp_addr\":\"0x0\""
    check_attr(&attr, BEFORE "}");
    attr.config3 = 1; /* past the size: encoding will refuse it, but it is printed */
    attr.tail = (struct pd_bytes){(const uint8_t *)"\x01\xab", 2};
    check_attr(&attr, BEFORE ",\"config3\":\"0x1\",\"tail\":\"01ab\"}");
}

static void test_struct(void **state)
{
    (void)state;
    const struct pd_file_section section = {.offset = 104, .size = UINT64_MAX};
    struct pd_fields it;
    char buf[128];
    struct pd_out out = {.buf = buf, .cap = sizeof buf - 1};
    assert_true(pd_fields_of_struct(&it, "file_section", &section));
    pd_fields_json(&it, &out);
    buf[out.n] = '\0';
    assert_string_equal(buf, "{\"offset\":\"104\",\"size\":\"18446744073709551615\"}");
    assert_false(pd_fields_of_struct(&it, "no_such", &section));
}

/* ---- The buffer. */

/* A text in a buffer that is too small is cut at its end, whatever the size. */
static void test_cut(void **state)
{
    (void)state;
    struct observed o;
    char whole[4096], part[4096];
    struct pd_out out = {.buf = whole, .cap = sizeof whole};
    observe(&o, OBSERVED_SAMPLE_TYPE, OBSERVED_MMAP2);
    pd_record_json(&o.rec, 0, &out);
    for (size_t cap = 0; cap <= out.n; cap++) {
        struct pd_out small = {.buf = part, .cap = cap};
        pd_record_json(&o.rec, 0, &small);
        assert_int_equal(small.n, cap);
        assert_int_equal(small.lost, out.n - cap);
        assert_memory_equal(part, whole, cap);
    }
}

struct collected {
    char text[4096];
    size_t n, calls, fail_at;
};

/* Bytes as digits, of each length, where there is room and where there is not. */
static void test_hex_bytes(void **state)
{
    uint8_t bytes[300];
    char expected[2 * sizeof bytes + 1], made[2 * sizeof bytes];
    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 151);
    for (size_t n = 0; n <= sizeof bytes; n++) {
        for (size_t i = 0; i < n; i++)
            snprintf(expected + 2 * i, 3, "%02x", bytes[i]);
        for (size_t cap = 2 * n; cap + 2 >= 2 * n && cap <= 2 * n; cap--) {
            struct pd_out out = {.buf = made, .cap = cap};
            pd_out_hex_bytes(&out, bytes, n);
            assert_int_equal(out.n + out.lost, 2 * n);
            assert_memory_equal(made, expected, out.n);
        }
    }
}

static bool collect(struct pd_out *out, size_t want)
{
    struct collected *c = out->user;
    assert_true(want > 0);
    if (++c->calls == c->fail_at)
        return false;
    memcpy(c->text + c->n, out->buf, out->n);
    c->n += out->n;
    out->n = 0;
    return true;
}

static void test_flush(void **state)
{
    (void)state;
    struct observed o;
    char whole[4096], part[7];
    struct pd_out out = {.buf = whole, .cap = sizeof whole};
    struct collected all = {.n = 0}, failed = {.fail_at = 3};
    observe(&o, OBSERVED_SAMPLE_TYPE, OBSERVED_MMAP2);
    pd_record_json(&o.rec, 0, &out);
    struct pd_out small = {.buf = part, .cap = sizeof part, .more = collect, .user = &all};
    pd_record_json(&o.rec, 0, &small);
    assert_int_equal(small.lost, 0);
    collect(&small, 1);
    assert_int_equal(all.n, out.n);
    assert_memory_equal(all.text, whole, out.n);

    small = (struct pd_out){.buf = part, .cap = sizeof part, .more = collect, .user = &failed};
    pd_record_json(&o.rec, 0, &small);
    assert_int_equal(failed.calls, 3); /* it is not called again */
    assert_int_equal(failed.n, 14);
    assert_int_equal(small.lost, out.n - 21);
}

static void test_grow(void **state)
{
    (void)state;
    struct observed o;
    char whole[4096];
    struct pd_out out = {.buf = whole, .cap = sizeof whole}, grown = {.more = pd_out_grow};
    observe(&o, OBSERVED_SAMPLE_TYPE, OBSERVED_MMAP2);
    pd_record_json(&o.rec, 0, &out);
    for (int i = 0; i < 10; i++)
        pd_record_json(&o.rec, 0, &grown);
    assert_int_equal(grown.lost, 0);
    assert_int_equal(grown.n, 10 * out.n);
    assert_memory_equal(grown.buf + 9 * out.n, whole, out.n);
    free(grown.buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sample),  cmocka_unit_test(test_mmap2),   cmocka_unit_test(test_context),
        cmocka_unit_test(test_padding), cmocka_unit_test(test_text),    cmocka_unit_test(test_values),
        cmocka_unit_test(test_unknown), cmocka_unit_test(test_variant), cmocka_unit_test(test_made),
        cmocka_unit_test(test_attr),    cmocka_unit_test(test_struct),  cmocka_unit_test(test_cut),
        cmocka_unit_test(test_flush),   cmocka_unit_test(test_grow),    cmocka_unit_test(test_hex_bytes),
    };
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
