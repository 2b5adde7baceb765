/* SPDX-License-Identifier: MIT */
/*
 * keyed.c - places in hash tables: each table has a key of its own, and with any key numbers of a pattern,
 * which a file can contain, are well distributed. Checks R3.
 */
#include "src/support/keyed.h"
#include "cmocka_all.h"
#include <stdlib.h>
#include <string.h>

enum { N = 4096, SIZE = 4 * N };

static void keys_differ(void **state)
{
    (void)state;
    const struct pi_key a = pi_key_draw(), b = pi_key_draw();
    assert_int_not_equal(a.before, b.before);
    assert_int_not_equal(a.between, b.between);
    unsigned same = 0;
    for (uint64_t x = 0; x < N; x++)
        same += (pi_keyed(&a, x) ^ pi_keyed(&b, x)) % SIZE == 0;
    assert_in_range(same, 0, 32); /* expected: 1/4 */
}

/* Places examined per added number. */
static double looks(const struct pi_key *key, unsigned shift, uint64_t base)
{
    static uint8_t used[SIZE];
    unsigned n = 0;
    memset(used, 0, sizeof used);
    for (uint64_t i = 0; i < N; i++) {
        size_t at = (size_t)pi_keyed(key, base ^ i << shift) % SIZE;
        for (n++; used[at]; n++)
            at = (at + 1) % SIZE;
        used[at] = 1;
    }
    return (double)n / (double)N;
}

static void patterns_stand_apart(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 20; k++) {
        const struct pi_key key = pi_key_draw();
        for (unsigned shift = 0; shift <= 64 - 12; shift++)
            if (looks(&key, shift, 0) > 2 ||
                looks(&key, shift, UINT64_C(0x123456789abcdef)) > 2) /* expected: 1.2 */
                fail_msg("shift %u, key %016llx %016llx", shift, (unsigned long long)key.before,
                         (unsigned long long)key.between);
    }
}

/* Where no key is drawn yet, the 129th place from its own is too far; where one is, none is. */
static void far_places_draw(void **state)
{
    const struct pi_key none = {0}, drawn = pi_key_draw();
    (void)state;
    assert_false(pi_key_due(&none, 128));
    assert_true(pi_key_due(&none, 129));
    assert_false(pi_key_due(&drawn, 129));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_differ),
        cmocka_unit_test(patterns_stand_apart),
        cmocka_unit_test(far_places_draw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
