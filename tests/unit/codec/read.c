/* SPDX-License-Identifier: MIT */
/* read.c - READ values as a sequence, and the common fields of tracepoints, from bytes derived by hand. */
#include "cmocka_all.h"
#include <perfdata/perfdata.h>
#include <perfdata/session/complete.h>
#include <perfdata/session/sample.h>
#include <string.h>

/* A READ record: pid 1, tid 2, then the values given. */
static struct pd_read_values decode(struct pd_plan *plan, uint64_t read_format, const uint64_t *words,
                                    size_t n, uint64_t bytes[8])
{
    const struct pd_attr attr = {.read_format = read_format};
    struct pd_record rec = {0};
    const uint16_t head[8] = {8, 0, 0, (uint16_t)(16 + 8 * n), 1, 0, 2, 0};
    pd_plan_init(plan, &attr, PD_HOST_ORDER);
    if (PD_HOST_ORDER == PD_BIG)
        memcpy(bytes, (const uint16_t[8]){0, 8, 0, (uint16_t)(16 + 8 * n), 0, 1, 0, 2}, 16);
    else
        memcpy(bytes, head, 16);
    memcpy(bytes + 2, words, 8 * n);
    assert_int_equal(pd_record_decode(plan, bytes, 16 + 8 * n, &rec, NULL), PD_OK);
    return rec.u.read.values;
}

static void single(void **state)
{
    struct pd_plan plan;
    struct pd_read_value one;
    uint64_t bytes[8];
    (void)state;
    const struct pd_read_values v =
        decode(&plan, PD_FORMAT_ID | PD_FORMAT_LOST, (const uint64_t[]){70, 5, 3}, 3, bytes);
    assert_int_equal(pd_read_values_n(&plan, &v), 1);
    assert_true(pd_read_values_single(&plan, &v, &one));
    assert_int_equal(one.value, 70);
    assert_int_equal(one.id, 5);
    assert_int_equal(one.lost, 3);
}

static void group(void **state)
{
    struct pd_plan plan;
    struct pd_read_value one;
    uint64_t bytes[8];
    (void)state;
    const struct pd_read_values v =
        decode(&plan, PD_FORMAT_ID | PD_FORMAT_GROUP, (const uint64_t[]){2, 70, 5, 80, 6}, 5, bytes);
    assert_int_equal(pd_read_values_n(&plan, &v), 2);
    assert_false(pd_read_values_single(&plan, &v, &one));
    pd_read_values_get(&plan, &v, 1, &one);
    assert_int_equal(one.value, 80);
    assert_int_equal(one.id, 6);
    assert_int_equal(one.lost, 0);
}

static void group_of_one_or_none(void **state)
{
    struct pd_plan plan;
    struct pd_read_value one;
    uint64_t bytes[8];
    (void)state;
    struct pd_read_values v = decode(&plan, PD_FORMAT_GROUP, (const uint64_t[]){1, 70}, 2, bytes);
    assert_true(pd_read_values_single(&plan, &v, &one));
    assert_int_equal(one.value, 70);
    v = decode(&plan, PD_FORMAT_GROUP, (const uint64_t[]){0}, 1, bytes);
    assert_int_equal(pd_read_values_n(&plan, &v), 0);
    assert_false(pd_read_values_single(&plan, &v, &one));
}

/* Type 0x0139, flags 0x01, preempt count 2, pid -2: in both orders, back again, and one byte short. */
static void tracepoint_fields(void **state)
{
    static const uint8_t bytes[2][8] = {{0x39, 0x01, 1, 2, 0xfe, 0xff, 0xff, 0xff},
                                        {0x01, 0x39, 1, 2, 0xff, 0xff, 0xff, 0xfe}};
    (void)state;
    for (int order = 0; order < 2; order++) {
        struct pd_plan plan;
        struct pd_tracepoint_common c;
        struct pd_raw_data raw = {.size = 8, .data = {bytes[order], 8}};
        uint8_t out[8];
        pd_plan_init(&plan, NULL, (enum pd_order)order);
        assert_true(pd_raw_common(&plan, &raw, &c));
        assert_int_equal(c.common_type, 0x139);
        assert_int_equal(c.common_flags, 1);
        assert_int_equal(c.common_preempt_count, 2);
        assert_int_equal(c.common_pid, -2);
        pd_raw_common_put(&plan, &c, out);
        assert_memory_equal(out, bytes[order], 8);
        raw.data.n = 7;
        assert_false(pd_raw_common(&plan, &raw, &c));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single),
        cmocka_unit_test(group),
        cmocka_unit_test(group_of_one_or_none),
        cmocka_unit_test(tracepoint_fields),
    };
    return cmocka_run_group_tests_name("read", tests, NULL, NULL);
}
