/* SPDX-License-Identifier: MIT */
/* scale.c - pi_scale(): by hand, all small numbers, and large ones against a type of 128 bits. */
#include "src/support/scale.h"
#include "src/support/wrap.h"
#include "cmocka_all.h"

static void test_by_hand(void **state)
{
    bool exact;
    (void)state;
    assert_int_equal(pi_scale(0, 3, 7, &exact), 0);
    assert_true(exact);
    assert_int_equal(pi_scale(20, 3, 7, &exact), 8); /* 60 = 8 * 7 + 4 */
    assert_false(exact);
    assert_int_equal(pi_scale(21, 3, 7, &exact), 9);
    assert_true(exact);
    assert_int_equal(pi_scale(60000000000, 500000000, 1000000000, NULL), 30000000000); /* half a minute */
    assert_true(pi_scale(UINT64_MAX, UINT64_MAX, UINT64_MAX, &exact) == UINT64_MAX);
    assert_true(exact);
    assert_true(pi_scale(UINT64_MAX, UINT64_MAX - 1, UINT64_MAX, &exact) == UINT64_MAX - 1);
    assert_true(exact);
    /* With M = 2^64 - 1, (M - 1) (M - 1) is (M - 2) M + 1. */
    assert_true(pi_scale(UINT64_MAX - 1, UINT64_MAX - 1, UINT64_MAX, &exact) == UINT64_MAX - 2);
    assert_false(exact);
    assert_true(pi_scale(UINT64_MAX, 1, UINT64_MAX, &exact) == 1);
    assert_true(exact);
    assert_true(pi_scale(UINT64_MAX, 0, UINT64_MAX, &exact) == 0);
    assert_true(exact);
}

static void test_all_small(void **state)
{
    (void)state;
    for (uint64_t whole = 1; whole < 24; whole++)
        for (uint64_t part = 0; part <= whole; part++)
            for (uint64_t number = 0; number < 70; number++) {
                bool exact;
                assert_int_equal(pi_scale(number, part, whole, &exact), number * part / whole);
                assert_int_equal(exact, number * part % whole == 0);
            }
}

PI_WRAPS static uint64_t draw_number(uint64_t *seed)
{
    *seed = *seed * UINT64_C(0x5851f42d4c957f2d) + UINT64_C(0x14057b7ef767814f);
    return *seed >> (*seed >> 58) ^ *seed >> 31;
}

static void test_large(void **state)
{
    uint64_t seed = 1;
    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        const uint64_t number = draw_number(&seed), x = draw_number(&seed), y = draw_number(&seed);
        const uint64_t part = x < y ? x : y, whole = (x < y ? y : x) + (x == 0 && y == 0);
        bool exact;
        const uint64_t found = pi_scale(number, part, whole, &exact);
        assert_true(found <= number);
#ifdef __SIZEOF_INT128__
        const __uint128_t product = (__uint128_t)number * part;
        assert_true(found == (uint64_t)(product / whole));
        assert_int_equal(exact, product % whole == 0);
#endif
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_all_small),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
