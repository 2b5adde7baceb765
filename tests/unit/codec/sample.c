/* SPDX-License-Identifier: MIT */
/* sample.c - registers by name, weights, sources of data and times of other clocks, against numbers by hand.
 */
#include "cmocka_all.h"
#include "src/codec/parts.h"
#include <perfdata/constants.h>
#include <perfdata/session/sample.h>
#include <string.h>

static struct pd_record sample_of(const struct pd_attr *attr, struct pd_plan *plan)
{
    pd_plan_init(plan, attr, PD_HOST_ORDER);
    return (struct pd_record){.type = PD_RECORD_SAMPLE, .attr = attr, .plan = plan};
}

static void registers(void **state)
{
    /* x86: AX 0, SP 7, IP 8, R8 16 */
    const struct pd_attr attr = {.sample_type = PD_SAMPLE_REGS_USER, .sample_regs_user = 0x10181};
    static const uint64_t values[] = {11, 77, 88, 99};
    struct pd_plan plan;
    struct pd_record rec = sample_of(&attr, &plan);
    uint64_t v = 0;
    (void)state;
    rec.u.sample.regs_user = (struct pd_regs_user){.abi = PD_REGS_ABI_64, .regs = PD_VEC64(values, 4)};
    assert_true(pd_sample_reg(&rec, true, PD_ARCH_X86, "sp", &v) && v == 77);
    assert_true(pd_sample_reg(&rec, true, PD_ARCH_X86, "R8", &v) && v == 99);
    assert_true(pd_sample_reg(&rec, true, PD_ARCH_X86, "AX", &v) && v == 11);
    assert_false(pd_sample_reg(&rec, true, PD_ARCH_X86, "BX", &v));
    assert_false(pd_sample_reg(&rec, true, PD_ARCH_X86, "nonsense", &v));
    assert_false(pd_sample_reg(&rec, false, PD_ARCH_X86, "SP", &v));
    rec.u.sample.regs_user = (struct pd_regs_user){0}; /* a kernel thread */
    assert_false(pd_sample_reg(&rec, true, PD_ARCH_X86, "SP", &v));
}

static void words(void **state)
{
    const struct pd_attr attr = {.sample_type = PD_SAMPLE_WEIGHT_STRUCT | PD_SAMPLE_DATA_SRC},
                         old = {.sample_type = PD_SAMPLE_WEIGHT};
    struct pd_plan plan;
    struct pd_record rec = sample_of(&attr, &plan);
    struct pd_weights w;
    struct pd_data_src d;
    (void)state;
    rec.u.sample.weight_struct = UINT64_C(0x0003000200000001);
    assert_true(pd_sample_weights(&rec, &w) && w.weight == 1 && w.latency == 2 && w.retire == 3);
    /* a load, hit, L1, snoop none, locked, dTLB hit L1, lvl_num 1, remote, hops 2 */
    rec.u.sample.data_src = UINT64_C(2) | (UINT64_C(2) | 8) << 5 | UINT64_C(2) << 19 | UINT64_C(2) << 24 |
                            (UINT64_C(2) | 8) << 26 | UINT64_C(1) << 33 | UINT64_C(1) << 37 |
                            UINT64_C(2) << 43 | UINT64_C(9) << 46;
    assert_true(pd_sample_data_src(&rec, &d));
    assert_true(d.op == PD_MEM_OP_LOAD && d.lvl == (PD_MEM_LVL_HIT | PD_MEM_LVL_L1));
    assert_true(d.snoop == 2 && d.lock == 2 && d.dtlb == 10 && d.lvl_num == 1 && d.remote == 1);
    assert_true(d.snoopx == 0 && d.blk == 0 && d.hops == 2 && d.region == 9);
    rec = sample_of(&old, &plan);
    rec.u.sample.weight = UINT64_C(0x0003000200000001);
    assert_true(pd_sample_weights(&rec, &w) && w.weight == UINT64_C(0x0003000200000001) && w.latency == 0);
    assert_false(pd_sample_data_src(&rec, &d));
    rec.type = PD_RECORD_COMM;
    assert_false(pd_sample_weights(&rec, &w));
}

static void times(void **state)
{
    /* 2 GHz: 512 / 2^10 nanoseconds a tick */
    struct pd_time_conv conv = {.time_shift = 10, .time_mult = 512, .time_zero = 1000000};
    const struct pd_feature_clock_data clock = {.wall_clock_ns = 5000000000, .clockid_time_ns = 3000000000};
    (void)state;
    assert_int_equal(pd_time_from_counter(&conv, 0), 1000000);
    assert_int_equal(pd_time_from_counter(&conv, 2001), 1001000);
    assert_int_equal(pd_time_from_counter(&conv, UINT64_C(1) << 60), 1000000 + (UINT64_C(1) << 59));
    assert_int_equal(pd_time_to_counter(&conv, 1001000), 2000);
    conv.cap_user_time_short = 1; /* of 16 bits, last seen at 0x1fff0: it has wrapped around since */
    conv.time_cycles = 0x1fff0;
    conv.time_mask = 0xffff;
    assert_int_equal(pd_time_from_counter(&conv, 0x0010), 1000000 + 0x20010 / 2);
    conv.time_mult = 0;
    assert_int_equal(pd_time_to_counter(&conv, 5), 0);
    assert_int_equal(pd_time_to_wall(&clock, 3000000007), 5000000007);
    assert_int_equal(pd_time_from_wall(&clock, 5000000007), 3000000007);
}

static void sets(void **state)
{
    (void)state;
    assert_ptr_equal(pd_set_by_id("sample_type"), &pd_set_sample_type);
    assert_ptr_equal(pd_set_by_id("data_src"), &pd_set_data_src);
    assert_null(pd_set_by_id("sample"));
}

/* So many entries of a list, and none beyond, in each form that a list has. */
static void several_branches(void **state)
{
    static const enum pd_form forms[] = {PD_FORM_LITTLE, PD_FORM_BIG};
    uint8_t bytes[5 * 24] = {0};
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        const struct pd_list list = {.ptr = bytes, .n = 5, .stride = 24, .form = (uint8_t)forms[k]};
        struct pd_branch_entry out[4] = {{.from = 77}, {.from = 77}, {.from = 77}, {.from = 77}};
        for (size_t i = 0; i < 5; i++)
            bytes[24 * i + (k ? 7 : 0)] = (uint8_t)(10 + i);
        pi_branch_entries_at(&list, 1, 3, out);
        assert_true(out[0].from == 11 && out[1].from == 12 && out[2].from == 13);
        assert_int_equal(out[3].from, 77);
        memset(bytes, 0, sizeof bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers), cmocka_unit_test(words), cmocka_unit_test(several_branches),
        cmocka_unit_test(times),     cmocka_unit_test(sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
