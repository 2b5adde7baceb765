/* SPDX-License-Identifier: MIT */
/* stacks.c - pi_stacks_add() where memory is short: all sums, in order, and few runs. */
#include "cmocka_all.h"
#include "ops/export/export.h"
#include "ops/export/stacks.h"
#include "src/support/wire.h"
#include <stdlib.h>

#define KEYS 200000
#define KEY_MOST 200

static enum pd_code take(void *user, const uint8_t *key, size_t n, uint64_t sum, struct pd_error *error)
{
    uint32_t *next = user;
    (void)error;
    assert_in_range(n, 4, KEY_MOST);
    assert_int_equal(pi_load32(key, PD_BIG), *next);
    assert_int_equal(sum, 3);
    ++*next;
    return PD_OK;
}

/* Keys are so short that their table takes most of the memory. */
static void short_keys(void **state)
{
    struct pi_stacks s;
    struct pi_stack *at;
    uint32_t next = 0;
    (void)state;
    assert_int_equal(pi_stacks_init(&s, NULL, 4 << 20, NULL, NULL), PD_OK);
    for (uint32_t turn = 1; turn <= 2; turn++)
        for (uint32_t i = 0; i < KEYS; i++) {
            uint8_t key[4];
            pi_store32(key, (uint32_t)((uint64_t)i * 77773 % KEYS), PD_BIG); /* a permutation */
            assert_int_equal(pi_stacks_add(&s, key, sizeof key, turn, &at, NULL), PD_OK);
        }
    assert_in_range(s.round, 2, 20);
    assert_int_equal(pi_stacks_each(&s, take, &next, NULL), PD_OK);
    assert_int_equal(next, KEYS);
    pi_stacks_free(&s);
}

static void note_settled(void *user)
{
    ++*(uint64_t *)user;
}

/* However little memory the command takes, a run takes a good part of it: else runs are as many as keys. */
static void any_limit(void **state)
{
    static const size_t limits[] = {16 << 10, 50000, 256 << 10, 1 << 20, 3 << 20};
    const uint32_t n_keys = 20000;
    (void)state;
    for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
        const size_t limit = limits[k];
        struct pi_stacks s;
        struct pi_stack *at;
        uint32_t next = 0;
        uint64_t settled = 0, bytes = 0;
        uint8_t key[KEY_MOST] = {0};
        assert_int_equal(pi_stacks_init(&s, NULL, limit, NULL, NULL), PD_OK);
        s.settle = note_settled;
        s.settle_user = &settled;
        for (uint32_t i = 0; i < n_keys; i++) {
            const size_t n = 4 + (size_t)i * 7919 % (KEY_MOST - 3);
            pi_store32(key, (uint32_t)((uint64_t)i * 7777 % n_keys), PD_BIG); /* a permutation */
            assert_int_equal(pi_stacks_add(&s, key, n, 3, &at, NULL), PD_OK);
            assert_true(s.bytes + s.size * sizeof *s.table <= limit);
            bytes += n;
        }
        assert_in_range(settled, 0, 4 * bytes / limit);
        assert_int_equal(settled, s.round - 1);
        assert_int_equal(pi_stacks_each(&s, take, &next, NULL), PD_OK);
        assert_int_equal(next, n_keys);
        pi_stacks_free(&s);
    }
}

/* Of exports that do not say how much: to fill it would take a recording of as much. */
static void default_limit(void **state)
{
    const struct pd_export_options options = {.size = sizeof options};
    struct pd_export *e;
    (void)state;
    assert_int_equal(pd_export_new(&e, &options, NULL), PD_OK);
    assert_int_equal(e->stacks.limit, 64 << 20);
    pd_export_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_limit),
        cmocka_unit_test(short_keys),
        cmocka_unit_test(default_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
