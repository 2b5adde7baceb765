/* SPDX-License-Identifier: MIT */
/*
 * json_samples.c - random samples of all fields: those that encode to their bytes are printed as JSON from
 * which the same bytes come. `perfdata decode` relies on it and does not read its own lines.
 */
#include "cmocka_all.h"
#include "seeded.h"
#include <perfdata/ops/parse.h>
#include <perfdata/session/text.h>
#include <stdlib.h>
#include <string.h>

static bool grow(struct pd_out *out, size_t want)
{
    return pd_out_grow(out, want);
}

static void one_sample(struct pd_rng *r, struct pd_parser *parser, struct pd_out *out)
{
    static uint8_t memory[PD_RANDOM_ARENA], bytes[UINT16_MAX], again[UINT16_MAX];
    struct pd_arena arena = {memory, sizeof memory};
    struct pd_attr attr = {.size = PD_ATTR_SIZE, .read_format = pd_rng_below(r, 32)};
    struct pd_record made, rec = {0}, back = {0};
    struct pd_plan plan;
    size_t n, size;
    for (unsigned bit = 0; bit < 25; bit++)
        attr.sample_type |= (uint64_t)pd_rng_one_in(r, 3) << bit;
    attr.branch_sample_type = pd_rng_next(r) & 0xfffff;
    attr.sample_regs_user = pd_rng_next(r) & pd_rng_next(r);
    attr.sample_regs_intr = pd_rng_next(r) & pd_rng_next(r);
    pd_plan_init(&plan, &attr, pd_rng_one_in(r, 2) ? PD_BIG : PD_LITTLE);
    if (!pd_random_record(&plan, PD_RECORD_SAMPLE, r, &arena, &made))
        return;
    assert_int_equal(pd_record_encode(&plan, &made, bytes, sizeof bytes, &n, NULL), PD_OK);
    for (uint64_t k = pd_rng_below(r, 4); k && n > 8; k--) /* values that are not valid are values, too */
        bytes[8 + pd_rng_below(r, n - 8)] = (uint8_t)pd_rng_next(r);
    if (pd_record_decode(&plan, bytes, n, &rec, NULL) != PD_OK)
        return;
    out->n = 0;
    pd_record_json(&rec, PD_JSON_OFFSET | PD_JSON_ATTR, out);
    assert_int_equal(out->lost, 0);
    assert_int_equal(pd_record_parse(parser, &plan, out->buf, out->n, &back), PD_OK);
    assert_int_equal(pd_record_encode(&plan, &back, again, sizeof again, &size, NULL), PD_OK);
    assert_int_equal(size, n);
    assert_memory_equal(again, bytes, n);
}

static void samples_come_back(void **state)
{
    struct pd_rng r = {random_seed()};
    struct pd_out out = {.more = grow};
    struct pd_parser *parser;
    (void)state;
    assert_int_equal(pd_parser_open(&parser, NULL, NULL), PD_OK);
    for (uint64_t i = 0; i < random_iterations(500); i++) {
        const uint64_t seed = r.state;
        one_sample(&r, parser, &out);
        if (i % 1000 == 0)
            print_message("PERFDATA_SEED=%llu\n", (unsigned long long)seed);
    }
    pd_parser_close(parser);
    free(out.buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples_come_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
