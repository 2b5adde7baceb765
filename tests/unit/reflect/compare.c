/* SPDX-License-Identifier: MIT */
/* compare.c - records are equal if their values are; any difference is named. */
#include "observed.h"
#include <perfdata/session/compare.h>

static void check(const struct pd_record *a, const struct pd_record *b, const char *field, const char *path)
{
    const char *found = NULL;
    char text[64];
    assert_false(pd_record_equal(a, b, &found));
    assert_string_equal(found, field);
    assert_false(pd_record_equal(b, a, NULL));
    assert_int_equal(pd_record_difference(a, b, text, sizeof text), strlen(path));
    assert_string_equal(text, path);
}

static void check_equal(const struct pd_record *a, const struct pd_record *b)
{
    const char *found = "untouched";
    char text[8] = "x";
    assert_true(pd_record_equal(a, b, &found));
    assert_string_equal(found, "untouched");
    assert_int_equal(pd_record_difference(a, b, text, sizeof text), 0);
    assert_string_equal(text, "");
}

/* The same record as a program would make it. */
static void test_made(void **state)
{
    (void)state;
    struct observed o;
    const uint64_t ips[] = {PD_CONTEXT_USER, 0x7efdb18bdb70};
    observe(&o, OBSERVED_SAMPLE_TYPE, OBSERVED_SAMPLE);
    struct pd_record made = {.type = PD_RECORD_SAMPLE,
                             .misc = 2,
                             .plan = &o.plan,
                             .u.sample = {.ip = 0x7efdb18bdb70,
                                          .pid = 21775,
                                          .tid = 21775,
                                          .time = 0x215abf79fbb,
                                          .id = 425,
                                          .period = 1,
                                          .callchain = {.nr = 2, .ips = PD_VEC64(ips, 2)}}};
    check_equal(&o.rec, &made);
    made.u.sample.callchain.ips.n = 1;
    check(&o.rec, &made, "callchain", "callchain.ips");
    made.u.sample.callchain.nr = 1;
    check(&o.rec, &made, "callchain", "callchain.nr");
}

/* The same record in both byte orders. */
static void test_order(void **state)
{
    (void)state;
    struct observed le, be;
    observe(&le, OBSERVED_SAMPLE_TYPE, OBSERVED_SAMPLE);
    be = le;
    be.plan.order = PD_BIG;
    be.n = from_hex("00000009 0002 0048 00007efdb18bdb70 0000550f0000550f 00000215abf79fbb 00000000000001a9"
                    "0000000000000001 0000000000000002 fffffffffffffe00 00007efdb18bdb70",
                    be.bytes, sizeof be.bytes);
    assert_int_equal(pd_record_decode(&be.plan, be.bytes, be.n, &be.rec, NULL), PD_OK);
    check_equal(&le.rec, &be.rec);
    be.bytes[71] ^= 1;
    check(&le.rec, &be.rec, "callchain", "callchain.ips[1]");
    be.bytes[71] ^= 1;
    be.rec.raw = NULL; /* its place and its size do not matter */
    be.rec.size = 0;
    be.rec.offset = 99;
    be.rec.index = 5;
    check_equal(&le.rec, &be.rec);
}

static void test_header(void **state)
{
    (void)state;
    struct observed a, b;
    observe(&a, OBSERVED_SAMPLE_TYPE, OBSERVED_COMM);
    b = a;
    b.rec.misc = 0;
    check(&a.rec, &b.rec, "misc", "misc");
    observe(&b, OBSERVED_SAMPLE_TYPE, OBSERVED_MMAP2);
    check(&a.rec, &b.rec, "type", "type");
}

static void test_presence(void **state)
{
    (void)state;
    struct observed a, b;
    observe(&a, PD_SAMPLE_TID | PD_SAMPLE_TIME, "09000000 0000 1800 0100000002000000 0300000000000000");
    observe(&b, PD_SAMPLE_TID, "09000000 0000 1000 0100000002000000");
    check(&a.rec, &b.rec, "time", "time");
    observe(&b, PD_SAMPLE_TID | PD_SAMPLE_ADDR, "09000000 0000 1800 0100000002000000 0300000000000000");
    check(&a.rec, &b.rec, "time", "time");
    /* A trailer that only one record has, or that differs. */
    observe(&a, PD_SAMPLE_TIME, "0e000000 0000 1000 0300000000000000");
    observe(&b, PD_SAMPLE_TIME, "0e000000 0000 1000 0400000000000000");
    check(&a.rec, &b.rec, "sample_id", "sample_id.time");
    b.attr.flags = 0;
    pd_plan_init(&b.plan, &b.attr, PD_LITTLE);
    assert_int_equal(pd_record_decode(&b.plan, b.bytes, 8 + 8, &b.rec, NULL), PD_OK);
    check(&a.rec, &b.rec, "rest", "rest");
    b.rec.rest.n = 0;
    check(&a.rec, &b.rec, "sample_id", "sample_id");
}

/* Text and padding; a slot that the encoder pads is equal to the padded one. */
static void test_string(void **state)
{
    (void)state;
    struct observed a;
    struct pd_record b;
    observe(&a, OBSERVED_SAMPLE_TYPE, OBSERVED_COMM);
    b = a.rec;
    b.u.comm.comm = PD_STR("ls");
    check_equal(&a.rec, &b);
    b.u.comm.comm = (struct pd_str){"ls\0\0\0\0\0\1", 2, 8};
    check(&a.rec, &b, "comm", "comm");
    b.u.comm.comm = (struct pd_str){"ls\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 2, 16};
    check(&a.rec, &b, "comm", "comm");
    b.u.comm.comm = PD_STR("lt");
    check(&a.rec, &b, "comm", "comm");
    b.u.comm.comm = PD_STR("lsx");
    check(&a.rec, &b, "comm", "comm");
}

static void test_lists(void **state)
{
    (void)state;
    const struct pd_branch_entry x[] = {{1, 2, 3}, {4, 5, 6}}, y[] = {{1, 2, 3}, {4, 5, 7}};
    const struct pd_attr attr = {.sample_type = PD_SAMPLE_BRANCH_STACK};
    struct pd_plan plan;
    pd_plan_init(&plan, &attr, PD_LITTLE);
    const struct pd_record a = {.type = PD_RECORD_SAMPLE,
                                .plan = &plan,
                                .u.sample.branch_stack = {.nr = 2, .entries = PD_LIST(x, 2)}};
    struct pd_record b = a;
    check_equal(&a, &b);
    b.u.sample.branch_stack.entries = (struct pd_list)PD_LIST(y, 2);
    check(&a, &b, "branch_stack", "branch_stack.entries[1].flags");
    b.u.sample.branch_stack.entries.n = 1;
    check(&a, &b, "branch_stack", "branch_stack.entries");
    char small[6];
    assert_int_equal(pd_record_difference(&a, &b, small, sizeof small), 20);
    assert_string_equal(small, "branc");
}

/* Records that are not decoded, and the bytes of unknown ones. */
static void test_raw(void **state)
{
    (void)state;
    struct observed a, b;
    observe(&a, 0, "20000000 0000 1000 0102030405060708");
    observe(&b, 0, "20000000 0000 1000 0102030405060709");
    check(&a.rec, &b.rec, "rest", "rest");
    a.rec.decoded = false;
    check(&a.rec, &b.rec, "raw", "raw");
    b.rec.decoded = false;
    check(&a.rec, &b.rec, "raw", "raw");
    b.bytes[15] = 8;
    check_equal(&a.rec, &b.rec);
}

static void test_attr(void **state)
{
    (void)state;
    struct pd_attr a = {.size = 64, .sample_period = 1}, b = a;
    const char *field;
    char path[32];
    assert_true(pd_attr_equal(&a, &b, &field));
    b.clockid = -1;
    assert_false(pd_attr_equal(&a, &b, &field));
    assert_string_equal(field, "clockid");
    b = a;
    b.tail = (struct pd_bytes){(const uint8_t *)"x", 1};
    assert_int_equal(pd_attr_difference(&a, &b, path, sizeof path), 4);
    assert_string_equal(path, "tail");
    b.size = 72;
    assert_int_equal(pd_attr_difference(&a, &b, NULL, 0), 4); /* "size" */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_made),     cmocka_unit_test(test_order),  cmocka_unit_test(test_header),
        cmocka_unit_test(test_presence), cmocka_unit_test(test_string), cmocka_unit_test(test_lists),
        cmocka_unit_test(test_raw),      cmocka_unit_test(test_attr),
    };
    return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
