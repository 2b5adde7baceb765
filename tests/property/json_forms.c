/* SPDX-License-Identifier: MIT */
/*
 * json_forms.c - random samples of an event: the form made of one gives the line of each, as pd_record_json()
 * writes it, and exists for those that are numbers alone, of which most are of a kind that it takes. It
 * writes nothing of other samples, and no byte beyond its room.
 */
#include "any_record.h"
#include "cmocka_all.h"
#include "src/reflect/json_form.h"
#include "src/support/wire.h"
#include <stdlib.h>
#include <string.h>

#define NUMBERS                                                                                             \
    (PD_SAMPLE_IDENTIFIER | PD_SAMPLE_IP | PD_SAMPLE_TID | PD_SAMPLE_TIME | PD_SAMPLE_ADDR | PD_SAMPLE_ID | \
     PD_SAMPLE_STREAM_ID | PD_SAMPLE_CPU | PD_SAMPLE_PERIOD | PD_SAMPLE_WEIGHT | PD_SAMPLE_TRANSACTION |    \
     PD_SAMPLE_PHYS_ADDR | PD_SAMPLE_CGROUP | PD_SAMPLE_DATA_PAGE_SIZE | PD_SAMPLE_CODE_PAGE_SIZE)
#define DECIMAL_AND_HEX (NUMBERS & ~(uint64_t)PD_SAMPLE_TRANSACTION)

struct event {
    struct pd_attr attr;
    struct pd_plan plan;
    struct pi_json_form form;
    struct pd_record rec;
    uint8_t bytes[UINT16_MAX];
};

static void put_line(const struct pd_record *rec, unsigned flags, struct pd_out *out)
{
    pd_out_str(out, "{\"a\":");
    pd_record_json(rec, flags, out);
    pd_out_str(out, "}\n");
}

static bool make_sample(struct event *e, struct pi_rng *r)
{
    static uint8_t memory[PI_RANDOM_ARENA];
    struct pi_arena arena = {memory, sizeof memory};
    static struct pd_record made;
    size_t n;
    if (!pi_random_record(&e->plan, PD_RECORD_SAMPLE, r, &arena, &made))
        return false;
    assert_int_equal(pd_record_encode(&e->plan, &made, e->bytes, sizeof e->bytes, &n, NULL), PD_OK);
    if (pi_rng_one_in(r, 2)) {
        const uint16_t misc = (uint16_t)(pi_rng_below(r, 8) | (pi_rng_one_in(r, 2) ? PD_MISC_EXACT_IP : 0));
        pi_store16(e->bytes + 4, misc, (enum pd_order)e->plan.order);
    }
    for (uint64_t k = pi_rng_below(r, 4); k && n > 8; k--)
        e->bytes[8 + pi_rng_below(r, n - 8)] = (uint8_t)pi_rng_next(r);
    memset(&e->rec, 0, sizeof e->rec);
    if (pd_record_decode(&e->plan, e->bytes, n, &e->rec, NULL) != PD_OK)
        return false;
    e->rec.attr = &e->attr;
    e->rec.attr_index = 7;
    e->rec.offset = pi_rng_next(r) >> pi_rng_below(r, 64);
    return true;
}

/* Its line, or nothing, into memory that has more room, or too little. */
static bool same_line(const struct event *e, struct pi_rng *r)
{
    struct pd_out line = {.more = pd_out_grow}, formed = {.more = pd_out_grow};
    const bool grows = !pi_rng_one_in(r, 4);
    formed.cap = (size_t)pi_rng_below(r, 6000);
    formed.buf = malloc(formed.cap + 1);
    formed.more = grows ? pd_out_grow : NULL;
    const bool put = pi_json_form_put(&e->form, &e->rec, &formed);
    if (put) {
        put_line(&e->rec, PD_JSON_OFFSET | PD_JSON_ATTR, &line);
        assert_int_equal(formed.n, line.n);
        assert_memory_equal(formed.buf, line.buf, line.n);
    } else {
        assert_int_equal(formed.n, 0);
        assert_true(!grows || e->form.size != e->rec.size || (e->rec.misc & ~(7u | PD_MISC_EXACT_IP)));
    }
    free(line.buf);
    free(formed.buf);
    return put;
}

/* Of each kind of record that has no form, one that is as this sample but for that. */
static void no_other(struct event *e)
{
    struct pd_out out = {.more = pd_out_grow};
    struct pd_plan copy = e->plan;
    struct pd_record others[5];
    for (size_t i = 0; i < 5; i++)
        others[i] = e->rec;
    others[0].type = PD_RECORD_READ;
    others[1].size = (uint16_t)(others[1].size + 8);
    others[2].plan = &copy;
    others[3].depth = 1;
    others[4].misc = 0x100;
    for (size_t i = 0; i < 5; i++)
        assert_false(pi_json_form_put(&e->form, &others[i], &out));
    assert_int_equal(out.n, 0);
}

static void forms_give_the_lines(void **state)
{
    static struct event e;
    struct pi_rng r = {random_seed()};
    uint64_t numbers = 0, formed = 0, lines = 0;
    const uint64_t iterations = random_iterations(2000);
    (void)state;
    for (uint64_t i = 0; i < iterations; i++) {
        if (i % 2000 == 0)
            print_message("PERFDATA_SEED=%llu\n", (unsigned long long)r.state);
        e.attr = random_attr(&r);
        if (!pi_rng_one_in(&r, 4))
            e.attr.sample_type = pi_rng_next(&r) & NUMBERS;
        pd_plan_init(&e.plan, &e.attr, pi_rng_one_in(&r, 2) ? PD_BIG : PD_LITTLE);
        if (!make_sample(&e, &r))
            continue;
        const bool has = pi_json_form_of(&e.form, &e.rec, put_line);
        assert_int_equal(has, e.form.size != 0);
        if (!(e.attr.sample_type & ~DECIMAL_AND_HEX) && !e.rec.variant && !e.rec.rest.n) {
            assert_true(has);
            numbers++;
        }
        if (e.attr.sample_type & ~NUMBERS)
            assert_false(has);
        if (has && !(e.rec.misc & ~7))
            no_other(&e);
        formed += has;
        for (unsigned k = 0; k < 8; k++)
            if (make_sample(&e, &r))
                lines += same_line(&e, &r);
    }
    print_message("%llu forms, %llu lines\n", (unsigned long long)formed, (unsigned long long)lines);
    assert_true(numbers > iterations / 8 && lines > formed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(forms_give_the_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
