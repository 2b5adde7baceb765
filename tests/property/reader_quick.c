/* SPDX-License-Identifier: MIT */
/*
 * reader_quick.c - random recordings, whole and damaged, read twice: with the fast path of pd_reader_next()
 * for kernel records, or that of pd_reader_next_decoded(), and without, or skipping samples. The results must
 * be the same.
 */
#include "bytes.h"
#include "cmocka_all.h"
#include "src/codec/usual.h"
#include "src/container/reader/reader_internal.h"
#include "seeded.h"
#include "src/container/reader/skim.h"
#include <perfdata/ops/gen.h>
#include <perfdata/session/text.h>
#include <string.h>

#define USUAL(number_, sample_type_) sample_type_,
static const uint64_t usual_types[] = {PI_EACH_USUAL(USUAL)};
#undef USUAL

static void make(struct bytes *b, struct pi_rng *r)
{
    const struct pd_sink sink = {bytes_put, bytes_patch, b};
    struct pd_gen_options o = {.size = sizeof o, .seed = pi_rng_next(r), .count = 1 + pi_rng_below(r, 4000)};
    struct pd_gen *gen;
    o.order = pi_rng_one_in(r, 2) ? PD_BIG : PD_LITTLE;
    o.container = pi_rng_one_in(r, 2) ? PD_CONTAINER_PIPE : PD_CONTAINER_FILE;
    o.compression = pi_rng_one_in(r, 4) ? PD_RECORD_COMPRESSED : 0;
    o.workload = pi_rng_one_in(r, 2) ? pd_gen_preset("server") : NULL;
    o.any = o.workload == NULL && pi_rng_one_in(r, 2);
    o.events = 1 + (unsigned)pi_rng_below(r, 3);
    if (!o.any && pi_rng_one_in(r, 2))
        o.sample_type = usual_types[pi_rng_below(r, PI_N_USUAL)];
    b->n = 0;
    assert_int_equal(pd_gen_open(&gen, &sink, &o, NULL), PD_OK);
    assert_int_equal(pd_gen_run(gen, NULL), PD_OK);
    pd_gen_close(gen);
}

/* A source in small pieces, so that records end in the middle of what is visible. */
static int64_t read_piece(void *user, uint64_t at, void *buf, size_t n)
{
    const struct bytes *b = user;
    const size_t most = 1 + (size_t)(at * 7919 % 100000);
    n = at >= b->n ? 0 : n < most ? n : most;
    n = n < b->n - at ? n : b->n - (size_t)at;
    memcpy(buf, b->p + at, n);
    return (int64_t)n;
}

static enum pd_code open_reader(struct pd_reader **r, struct bytes *b, bool stream)
{
    const struct pd_source source = {read_piece, NULL, b, stream ? PD_NOWHERE : b->n};
    return pd_reader_open_source(r, &source, NULL, NULL);
}

static uint64_t n_quick, n_decoded;
static const bool is_straight =
    PD_HOST_ORDER == PD_LITTLE; /* other machines decode by the tables alone, and do not skim */

static void compare_text(const struct pd_record *a, const struct pd_record *b)
{
    struct pd_out x = {.more = pd_out_grow}, y = {.more = pd_out_grow};
    pd_record_json(a, 0, &x);
    pd_record_json(b, 0, &y);
    assert_int_equal(x.n, y.n);
    assert_memory_equal(x.buf, y.buf, x.n);
    free(x.buf);
    free(y.buf);
}

/* With both_in_one, a was decoded as it was read. */
static void compare_decoded(const struct pd_reader *quick, const struct pd_reader *slow, struct pd_record *a,
                            struct pd_record *b, bool both_in_one, struct pd_error *e)
{
    struct pd_error f = {0};
    const enum pd_code code = pd_reader_decode(slow, b, &f);
    if (!both_in_one) {
        assert_int_equal(a->decoded, false);
        *e = (struct pd_error){0};
        assert_int_equal(pd_reader_decode(quick, a, e), code);
    }
    assert_int_equal(a->decoded, code == PD_OK);
    assert_true(code == PD_OK || (e->code == code && e->offset == f.offset && e->found == f.found));
    if (code)
        return;
    assert_ptr_equal(a->layout, b->layout);
    assert_int_equal(a->has_id, b->has_id);
    assert_int_equal(a->variant, b->variant);
    compare_text(a, b);
}

/* True: there may be more. */
static bool compare_next(struct pd_reader *quick, struct pd_reader *slow, struct pd_record *a,
                         struct pd_record *b, bool both_in_one)
{
    struct pd_error e = {0}, f = {0};
    pi_input_no_next(slow->src);
    n_quick += quick->src->next != quick->src->stop;
    n_decoded += quick->next_decoded != pi_next_decoded_any;
    const enum pd_code code =
        both_in_one ? pd_reader_next_decoded(quick, a, &e) : pd_reader_next(quick, a, &e);
    assert_int_equal(code, pd_reader_next(slow, b, &f));
    assert_int_equal(pd_reader_offset(quick), pd_reader_offset(slow));
    if (code) {
        assert_true(code == PD_END ||
                    (e.offset == f.offset && e.found == f.found && e.record_index == f.record_index));
        return code == PD_EZSTD || code == PD_ELIMIT;
    }
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->misc, b->misc);
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->raw, b->raw, a->size);
    assert_int_equal(a->offset, b->offset);
    assert_int_equal(a->index, b->index);
    assert_int_equal(a->depth, b->depth);
    assert_int_equal(a->member, b->member);
    assert_int_equal(a->old_feature, b->old_feature);
    assert_int_equal(a->nr_cpus_avail, b->nr_cpus_avail);
    assert_int_equal(a->payload_size, b->payload_size);
    assert_int_equal(a->attr_index, b->attr_index);
    assert_true((a->attr == NULL) == (b->attr == NULL) && (a->plan == NULL) == (b->plan == NULL));
    assert_true(a->plan == NULL || memcmp(&a->plan->shape, &b->plan->shape, sizeof a->plan->shape) == 0);
    compare_decoded(quick, slow, a, b, both_in_one, &e);
    return true;
}

static void compare_all(struct bytes *b, bool stream, bool both_in_one)
{
    struct pd_reader *quick, *slow;
    struct pd_record x = {0}, y = {0};
    const enum pd_code code = open_reader(&quick, b, stream);
    assert_int_equal(code, open_reader(&slow, b, stream));
    if (code)
        return;
    while (compare_next(quick, slow, &x, &y, both_in_one))
        ;
    pd_reader_close(quick);
    pd_reader_close(slow);
}

static void same_with_and_without(void **state)
{
    struct pi_rng r = {random_seed()};
    struct bytes b = {0};
    const uint64_t iterations = random_iterations(8);
    (void)state;
    for (uint64_t i = 0; i < iterations; i++) {
        print_message("PERFDATA_SEED=%llu PERFDATA_ITERATIONS=1\n", (unsigned long long)r.state);
        make(&b, &r);
        compare_all(&b, pi_rng_one_in(&r, 3), pi_rng_one_in(&r, 2));
        for (uint64_t k = 1 + pi_rng_below(&r, 60); k && b.n > 200; k--)
            b.p[100 + pi_rng_below(&r, b.n - 100)] ^= (uint8_t)(1u << pi_rng_below(&r, 8));
        compare_all(&b, pi_rng_one_in(&r, 3), pi_rng_one_in(&r, 2));
    }
    if (iterations >= 8)
        assert_true(n_quick > iterations * 160 && (n_decoded > iterations * 160 || !is_straight));
    free(b.p);
}

/* What pi_reader_skim() may pass over, by what is decoded. */
static bool is_skimmed(const struct pd_reader *reader, const struct pd_record *rec,
                       const struct pi_skim *skim)
{
    const uint32_t tid = rec->u.sample.tid;
    return rec->type == PD_RECORD_SAMPLE && rec->decoded && pd_reader_n_attrs(reader) == 1 &&
           rec->u.sample.time &&
           (skim->tids == NULL || (tid < skim->n_tids && skim->tids[tid / 64] >> tid % 64 & 1));
}

/* Reads records until as many were read, and makes the sums of them. */
static void sum_up(struct pd_reader *slow, struct pd_record *rec, uint64_t samples, struct pi_skim *sums)
{
    struct pd_error e;
    while (sums->samples < samples) {
        assert_int_equal(pd_reader_next_decoded(slow, rec, &e), PD_OK);
        assert_true(is_skimmed(slow, rec, sums));
        sums->first = rec->u.sample.time < sums->first ? rec->u.sample.time : sums->first;
        sums->last = rec->u.sample.time > sums->last ? rec->u.sample.time : sums->last;
        sums->samples++;
        sums->bytes += rec->size;
        sums->inflated += rec->depth ? rec->size : 0;
    }
}

static uint64_t n_skimmed, n_inflated;

/* Records by turns skimmed and read, and read all. */
static void compare_skimmed(struct bytes *b, bool stream, const struct pi_skim *none)
{
    struct pd_reader *quick, *slow;
    struct pi_skim skim = *none, want = *none;
    struct pd_record x = {0}, y = {0};
    struct pd_error e;
    enum pd_code code = open_reader(&quick, b, stream);
    assert_int_equal(code, open_reader(&slow, b, stream));
    while (!code) {
        pi_reader_skim(quick, &skim);
        sum_up(slow, &y, skim.samples, &want);
        assert_memory_equal(&skim, &want, sizeof want);
        code = pd_reader_next_decoded(quick, &x, &e);
        assert_int_equal(pd_reader_next_decoded(slow, &y, &e), code);
        assert_true(code || (x.offset == y.offset && x.index == y.index && x.decoded == y.decoded));
    }
    n_skimmed += skim.samples;
    n_inflated += skim.inflated;
    pd_reader_close(quick);
    pd_reader_close(slow);
}

static void skimming_counts_what_reading_gives(void **state)
{
    struct pi_rng r = {random_seed()};
    struct bytes b = {0};
    const uint64_t iterations = random_iterations(8);
    uint64_t tids[64];
    (void)state;
    for (uint64_t i = 0; i < iterations; i++) {
        struct pi_skim skim = {.tids = tids, .n_tids = 64 * 64, .first = UINT64_MAX};
        print_message("PERFDATA_SEED=%llu PERFDATA_ITERATIONS=1\n", (unsigned long long)r.state);
        for (size_t k = 0; k < 64; k++)
            tids[k] = ~(pi_rng_next(&r) & pi_rng_next(&r) & pi_rng_next(&r));
        if (pi_rng_one_in(&r, 4))
            skim.tids = NULL;
        make(&b, &r);
        compare_skimmed(&b, pi_rng_one_in(&r, 3), &skim);
        for (uint64_t k = 1 + pi_rng_below(&r, 60); k && b.n > 200; k--)
            b.p[100 + pi_rng_below(&r, b.n - 100)] ^= (uint8_t)(1u << pi_rng_below(&r, 8));
        compare_skimmed(&b, pi_rng_one_in(&r, 3), &skim);
    }
    if (iterations >= 8)
        assert_true((n_skimmed > iterations * 16 && n_inflated > iterations * 160) || !is_straight);
    free(b.p);
}

static uint64_t n_passed;

/* The samples that were passed over, *rec being the one before them, are what reading gives. */
static void compare_lot(struct pd_reader *slow, const struct pd_record *rec, size_t n, size_t bytes)
{
    const uint8_t *raw = rec->raw + rec->size;
    struct pd_record x = {0};
    struct pd_error e;
    for (size_t i = 1; i <= n; i++) {
        assert_int_equal(pd_reader_next(slow, &x, &e), PD_OK);
        assert_int_equal(x.type, PD_RECORD_SAMPLE);
        assert_true(x.size <= bytes);
        assert_memory_equal(x.raw, raw, x.size);
        assert_true(x.offset == rec->offset + (uint64_t)(raw - rec->raw) && x.index == rec->index + i);
        assert_true(x.attr_index == rec->attr_index && x.member == rec->member &&
                    x.nr_cpus_avail == rec->nr_cpus_avail && !x.depth);
        raw += x.size;
        bytes -= x.size;
    }
    assert_int_equal(bytes, 0);
}

/* Records by turns read and passed over, and read all. */
static void compare_passed(struct bytes *b, bool stream, struct pi_rng *r)
{
    struct pd_reader *quick, *slow;
    struct pd_record x = {0}, y = {0};
    struct pd_error e;
    enum pd_code code = open_reader(&quick, b, stream);
    assert_int_equal(code, open_reader(&slow, b, stream));
    while (!code) {
        code = pd_reader_next(quick, &x, &e);
        assert_int_equal(pd_reader_next(slow, &y, &e), code);
        if (code)
            break;
        assert_true(x.offset == y.offset && x.index == y.index);
        const size_t most = (size_t)pi_rng_below(r, 100), room = (size_t)pi_rng_below(r, 1 << 16);
        size_t bytes = 1;
        const size_t n = pi_reader_pass(quick, &x, most, room, &bytes);
        assert_true(n <= most && bytes <= room);
        compare_lot(slow, &x, n, bytes);
        assert_int_equal(pd_reader_offset(quick), pd_reader_offset(slow));
        n_passed += n;
    }
    pd_reader_close(quick);
    pd_reader_close(slow);
}

static void passing_leaves_what_reading_gives(void **state)
{
    struct pi_rng r = {random_seed()};
    struct bytes b = {0};
    const uint64_t iterations = random_iterations(8);
    (void)state;
    for (uint64_t i = 0; i < iterations; i++) {
        print_message("PERFDATA_SEED=%llu PERFDATA_ITERATIONS=1\n", (unsigned long long)r.state);
        make(&b, &r);
        compare_passed(&b, pi_rng_one_in(&r, 3), &r);
        for (uint64_t k = 1 + pi_rng_below(&r, 60); k && b.n > 200; k--)
            b.p[100 + pi_rng_below(&r, b.n - 100)] ^= (uint8_t)(1u << pi_rng_below(&r, 8));
        compare_passed(&b, pi_rng_one_in(&r, 3), &r);
    }
    if (iterations >= 8)
        assert_true(n_passed > iterations * 16);
    free(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_with_and_without),
                                       cmocka_unit_test(skimming_counts_what_reading_gives),
                                       cmocka_unit_test(passing_leaves_what_reading_gives)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
