/* SPDX-License-Identifier: MIT */
/*
 * print_straight.c - random records of all types: pd_record_print(), with code made for their layouts, prints
 * the same text as reflection; and it does not depend on the room in the buffer.
 */
#include "any_record.h"
#include "cmocka_all.h"
#include <stdlib.h>
#include <string.h>

static void compare(const struct pd_record *rec, const struct pd_print_options *how, size_t room)
{
    struct pd_out straight = {.more = pd_out_grow}, reflected = {.more = pd_out_grow};
    struct collected c = {.all = {.more = pd_out_grow}};
    struct pd_out few = {.buf = c.small, .cap = room, .more = collect, .user = &c};
    struct pd_fields it;
    pd_record_print(rec, how, &straight, NULL);
    pd_record_print(rec, how, &few, NULL);
    collect(&few, 0);
    assert_int_equal(c.all.n, straight.n);
    assert_memory_equal(c.all.buf, straight.buf, straight.n);
    const char *line = memchr(straight.buf, '\n', straight.n);
    assert_non_null(line);
    pd_fields_of_record(&it, rec);
    pd_fields_print(&it, how, 2, &reflected, NULL);
    assert_int_equal((size_t)(straight.buf + straight.n - (line + 1)), reflected.n);
    if (reflected.n)
        assert_memory_equal(line + 1, reflected.buf, reflected.n);
    free(straight.buf);
    free(reflected.buf);
    free(c.all.buf);
}

static uint64_t seen[256];

static void one_record(struct pi_rng *r)
{
    static uint8_t memory[PI_RANDOM_ARENA], bytes[UINT16_MAX];
    struct pi_arena arena = {memory, sizeof memory};
    const struct pd_op *layout = random_layout(r);
    const struct pd_attr attr = random_attr(r);
    const struct pd_print_options how = {.size = sizeof how,
                                         .arch = pi_rng_one_in(r, 2) ? PD_ARCH_X86 : PD_ARCH_UNKNOWN,
                                         .max_bytes = 1 + (size_t)pi_rng_below(r, 100)};
    struct pd_record made, rec = {0};
    struct pd_plan plan;
    size_t n;
    pd_plan_init(&plan, &attr, pi_rng_one_in(r, 2) ? PD_BIG : PD_LITTLE);
    const uint32_t type = pi_rng_one_in(r, 3) ? PD_RECORD_SAMPLE : (uint32_t)layout->arg;
    if (type == 0 || type == PD_RECORD_HEADER_FEATURE || !pi_random_record(&plan, type, r, &arena, &made))
        return;
    assert_int_equal(pd_record_encode(&plan, &made, bytes, sizeof bytes, &n, NULL), PD_OK);
    for (uint64_t k = pi_rng_below(r, 4); k && n > 8; k--)
        bytes[8 + pi_rng_below(r, n - 8)] = (uint8_t)pi_rng_next(r);
    if (pd_record_decode(&plan, bytes, n, &rec, NULL) != PD_OK)
        return;
    rec.attr = pi_rng_one_in(r, 2) ? &attr : NULL;
    rec.offset = pi_rng_next(r) >> pi_rng_below(r, 64);
    compare(&rec, &how, 1 + (size_t)pi_rng_below(r, 64));
    seen[type % 256]++;
}

static void as_by_reflection(void **state)
{
    struct pi_rng r = {random_seed()};
    const uint64_t iterations = random_iterations(5000);
    (void)state;
    for (uint64_t i = 0; i < iterations; i++) {
        const uint64_t seed = r.state;
        one_record(&r);
        if (i % 4000 == 0)
            print_message("PERFDATA_SEED=%llu\n", (unsigned long long)seed);
    }
    for (size_t i = 0; iterations >= 5000 && i < pi_n_layouts; i++)
        if (pi_layouts[i]()->arg && pi_layouts[i]()->arg != PD_RECORD_HEADER_FEATURE)
            assert_true(seen[pi_layouts[i]()->arg % 256]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_by_reflection)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
