/* SPDX-License-Identifier: MIT */
/*
 * json_samples.c - random samples of all fields: those that encode to their bytes are printed as JSON that
 * gives the same bytes. `perfdata decode` relies on it and does not read its own lines.
 */
#include "cmocka_all.h"
#include "seeded.h"
#include "src/support/wire.h"
#include <perfdata/ops/parse.h>
#include <perfdata/session/event.h>
#include <perfdata/session/text.h>
#include <stdlib.h>
#include <string.h>

static bool grow(struct pd_out *out, size_t want)
{
    return pd_out_grow(out, want);
}

static void one_sample(struct pi_rng *r, struct pd_parser *parser, struct pd_out *out)
{
    static uint8_t memory[PI_RANDOM_ARENA], bytes[UINT16_MAX], again[UINT16_MAX];
    struct pi_arena arena = {memory, sizeof memory};
    struct pd_attr attr = {.size = PD_ATTR_SIZE, .read_format = pi_rng_below(r, 32)};
    struct pd_record made, rec = {0}, back = {0};
    struct pd_plan plan;
    size_t n, size;
    for (unsigned bit = 0; bit < 25; bit++)
        attr.sample_type |= (uint64_t)pi_rng_one_in(r, 3) << bit;
    attr.branch_sample_type = pi_rng_next(r) & 0xfffff;
    attr.sample_regs_user = pi_rng_next(r) & pi_rng_next(r);
    attr.sample_regs_intr = pi_rng_next(r) & pi_rng_next(r);
    pd_plan_init(&plan, &attr, pi_rng_one_in(r, 2) ? PD_BIG : PD_LITTLE);
    if (!pi_random_record(&plan, PD_RECORD_SAMPLE, r, &arena, &made))
        return;
    assert_int_equal(pd_record_encode(&plan, &made, bytes, sizeof bytes, &n, NULL), PD_OK);
    for (uint64_t k = pi_rng_below(r, 4); k && n > 8; k--) /* values that are not valid are values, too */
        bytes[8 + pi_rng_below(r, n - 8)] = (uint8_t)pi_rng_next(r);
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

/* Raw data like that of an off-cpu sample, which may say another number of entries than it has. */
static size_t random_offcpu(struct pi_rng *r, enum pd_order order, uint8_t *out)
{
    const uint64_t n = pi_rng_below(r, 6), pad = pi_rng_one_in(r, 2) ? 4 : pi_rng_below(r, 10);
    uint8_t *p = out;
    for (uint64_t i = 0; i < 4 + n; i++, p += 8)
        pi_store64(p, pi_rng_next(r) >> pi_rng_below(r, 64), order);
    pi_store64(out + 16, n + pi_rng_one_in(r, 8), order);
    for (uint64_t i = 0; i < pad; i++)
        *p++ = (uint8_t)pi_rng_below(r, 3);
    if (n && pi_rng_one_in(r, 2))
        pi_store64(out + 24, PD_CONTEXT_USER, order);
    return (size_t)(p - out);
}

/* The JSON, which is of the record with these raw bytes, makes these bytes again. */
static void makes(struct pd_parser *parser, const struct pd_plan *plan, const struct pd_out *out,
                  const struct pd_bytes *raw)
{
    struct pd_record back = {0};
    assert_int_equal(out->lost, 0);
    assert_int_equal(pd_record_parse(parser, plan, out->buf, out->n, &back), PD_OK);
    assert_int_equal(back.u.sample.raw.data.n, raw->n);
    assert_memory_equal(back.u.sample.raw.data.ptr, raw->ptr, raw->n);
}

static bool one_offcpu(struct pi_rng *r, struct pd_parser *parser, struct pd_out *out)
{
    static const struct pd_attr attr = {
        .type = PD_TYPE_SOFTWARE, .config = PD_SW_BPF_OUTPUT, .sample_type = PD_SAMPLE_RAW};
    uint8_t raw[128], bytes[256];
    const enum pd_order order = pi_rng_one_in(r, 2) ? PD_BIG : PD_LITTLE;
    struct pd_record made = {.type = PD_RECORD_SAMPLE}, rec = {0};
    struct pd_offcpu offcpu;
    struct pd_plan plan;
    size_t n;
    pd_plan_init(&plan, &attr, pi_rng_one_in(r, 4) ? PD_BIG : PD_LITTLE);
    made.u.sample.raw.data = (struct pd_bytes){raw, random_offcpu(r, order, raw)};
    made.u.sample.raw.size = (uint32_t)made.u.sample.raw.data.n;
    assert_int_equal(pd_record_encode(&plan, &made, bytes, sizeof bytes, &n, NULL), PD_OK);
    assert_int_equal(pd_record_decode(&plan, bytes, n, &rec, NULL), PD_OK);
    if (!pd_offcpu_decode(&plan, &rec.u.sample.raw, &offcpu))
        return false;
    out->n = 0;
    pd_record_json_offcpu(&rec, PD_JSON_OFFSET, &offcpu, out);
    makes(parser, &plan, out, &made.u.sample.raw.data);
    out->n = 0;
    pd_record_json_offcpu(&rec, PD_JSON_PLAIN, &offcpu, out);
    if (offcpu.ips.form == plan.order && offcpu.padding.n)
        makes(parser, &plan, out, &made.u.sample.raw.data);
    return true;
}

static void offcpu_samples_come_back(void **state)
{
    struct pi_rng r = {random_seed()};
    struct pd_out out = {.more = grow};
    struct pd_parser *parser;
    uint64_t some = 0;
    const uint64_t n = random_iterations(500);
    (void)state;
    assert_int_equal(pd_parser_open(&parser, NULL, NULL), PD_OK);
    for (uint64_t i = 0; i < n; i++)
        some += one_offcpu(&r, parser, &out);
    assert_true(some > n / 2);
    pd_parser_close(parser);
    free(out.buf);
}

static void samples_come_back(void **state)
{
    struct pi_rng r = {random_seed()};
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples_come_back),
                                       cmocka_unit_test(offcpu_samples_come_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
