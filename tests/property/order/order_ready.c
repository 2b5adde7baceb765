/* SPDX-License-Identifier: MIT */
/*
 * order_ready.c - random recordings, as they are and put in order: pi_sorter_ready() gives the samples that
 * pd_sorter_next() would give, and the sorter goes on behind those that were passed, whatever was taken.
 */
#include "bytes.h"
#include "seeded.h"
#include "src/session/order/sorted_run.h"
#include <perfdata/ops/gen.h>
#include <perfdata/ops/sort.h>

#define MOST 4000
#define READY 64

struct given {
    uint64_t index;
    uint16_t size;
    uint64_t hash; /* of its bytes */
};

static struct given want[MOST];
static size_t n_want;
static uint64_t n_ready[2]; /* samples given in this way, of recordings as they are, and in order */

static uint64_t hash_of(const uint8_t *p, size_t n)
{
    uint64_t hash = n;
    while (n--)
        hash = hash * 31 + *p++;
    return hash;
}

static void make(struct bytes *b, const struct pd_gen_options *o)
{
    const struct pd_sink sink = {bytes_put, bytes_patch, b};
    struct pd_gen *gen;
    b->n = 0;
    assert_int_equal(pd_gen_open(&gen, &sink, o, NULL), PD_OK);
    assert_int_equal(pd_gen_run(gen, NULL), PD_OK);
    pd_gen_close(gen);
}

static void make_any(struct bytes *b, struct pi_rng *r)
{
    static const char *const presets[] = {"server", "build", "tracing"};
    struct pd_gen_options o = {.size = sizeof o, .seed = pi_rng_next(r), .count = 1 + pi_rng_below(r, 3000)};
    o.order = pi_rng_one_in(r, 8) ? PD_BIG : PD_LITTLE;
    o.compression = pi_rng_one_in(r, 4) ? PD_RECORD_COMPRESSED : 0;
    o.workload = pd_gen_preset(presets[pi_rng_below(r, 3)]);
    make(b, &o);
}

static void sort(const struct bytes *from, struct bytes *to)
{
    const struct pd_sink sink = {bytes_put, bytes_patch, to};
    const struct pd_sort_options o = {.size = sizeof o};
    struct pd_reader *r;
    to->n = 0;
    assert_int_equal(pd_reader_open_memory(&r, from->p, from->n, NULL, NULL), PD_OK);
    assert_int_equal(pd_sort(r, &sink, &o, NULL, NULL), PD_OK);
    pd_reader_close(r);
}

static struct pd_sorter *open_sorter(struct pd_reader *r, size_t memory)
{
    const struct pd_sorter_options o = {.size = sizeof o, .kind = PD_SORT_STRICT, .memory = memory};
    struct pd_sorter *s;
    assert_int_equal(pd_reader_rewind(r, NULL), PD_OK);
    assert_int_equal(pd_sorter_open(&s, r, &o, NULL), PD_OK);
    return s;
}

static void read_one_by_one(struct pd_reader *r, size_t memory, struct pd_sorter_stats *stats)
{
    struct pd_sorter *s = open_sorter(r, memory);
    struct pd_record rec = {0};
    enum pd_code code;
    for (n_want = 0; (code = pd_sorter_next(s, &rec, NULL)) == PD_OK; n_want++) {
        assert_true(n_want < MOST);
        want[n_want] = (struct given){rec.index, rec.size, hash_of(rec.raw, rec.size)};
    }
    assert_int_equal(code, PD_END);
    pd_sorter_get_stats(s, stats);
    pd_sorter_close(s);
}

/* Takes some of the samples that are ready; returns how many. */
static size_t take_ready(struct pd_sorter *s, struct pi_rng *rng, size_t at)
{
    struct pi_ready ready[READY];
    const size_t most = 1 + (size_t)pi_rng_below(rng, READY), there = pi_sorter_ready(s, ready, most);
    const size_t n = (size_t)pi_rng_below(rng, there + 1);
    assert_true(there <= most);
    for (size_t i = 0; i < there; i++) {
        assert_true(at + i < n_want && ready[i].size == want[at + i].size);
        assert_true(hash_of(ready[i].raw, ready[i].size) == want[at + i].hash);
    }
    pi_sorter_pass_ready(s, ready, n);
    return n;
}

static void check(const struct bytes *b, struct pi_rng *rng, bool in_order)
{
    const size_t memory = pi_rng_one_in(rng, 4) ? 20000 : 0;
    struct pd_sorter_stats one, other;
    struct pd_record rec = {0};
    struct pd_reader *r;
    enum pd_code code = PD_OK;
    assert_int_equal(pd_reader_open_memory(&r, b->p, b->n, NULL, NULL), PD_OK);
    read_one_by_one(r, memory, &one);
    struct pd_sorter *s = open_sorter(r, memory);
    for (size_t at = 0; !code; at++) {
        const size_t n = take_ready(s, rng, at);
        at += n;
        n_ready[in_order] += n;
        code = pd_sorter_next(s, &rec, NULL);
        assert_true(code ? at == n_want : rec.index == want[at].index && rec.size == want[at].size);
        assert_true(code || hash_of(rec.raw, rec.size) == want[at].hash);
    }
    assert_int_equal(code, PD_END);
    pd_sorter_get_stats(s, &other);
    assert_memory_equal(&one, &other, sizeof one);
    pd_sorter_close(s);
    pd_reader_close(r);
}

static void ready_samples_are_the_next(void **state)
{
    struct bytes made = {0}, sorted = {0};
    const uint64_t n = random_iterations(60);
    (void)state;
    for (uint64_t i = 0; i < n; i++) {
        struct pi_rng rng = {random_seed() + i};
        make_any(&made, &rng);
        sort(&made, &sorted);
        check(&made, &rng, false);
        check(&sorted, &rng, true);
    }
    print_message("%llu and %llu samples were ready\n", (unsigned long long)n_ready[0],
                  (unsigned long long)n_ready[1]);
    /* other machines have no quick ways */
    assert_true(n < 60 || PD_HOST_ORDER != PD_LITTLE || (n_ready[0] > 100 * n && n_ready[1] > 100 * n));
    free(made.p);
    free(sorted.p);
}

/* Passes all samples that wait and come next; counts them. */
static uint64_t pass_waiting(struct pd_sorter *s)
{
    const struct pi_queue_entry *e;
    const size_t there = pi_sorter_ahead(s, &e);
    size_t n = 0;
    struct pd_record rec = {.type = PD_RECORD_SAMPLE};
    for (; n < there && rec.type == PD_RECORD_SAMPLE; n += rec.type == PD_RECORD_SAMPLE)
        pi_waiting_frame(e[n].waiting, PD_HOST_ORDER, &rec);
    pi_sorter_pass(s, n);
    return n;
}

/* In a recording so long that its records wait in many batches, what was passed waits no more: it would not
 * be in memory. */
#define ENOUGH ((size_t)2 << 20)
static void passed_samples_wait_no_more(void **state)
{
    const struct pd_gen_options o = {.size = sizeof o,
                                     .seed = 1,
                                     .count = 60000,
                                     .order = PD_HOST_ORDER,
                                     .workload = pd_gen_preset("server")};
    struct bytes made = {0};
    struct pd_sorter_stats one, other;
    struct pd_record rec = {0};
    struct pd_reader *r;
    uint64_t passed = 0;
    (void)state;
    make(&made, &o);
    assert_int_equal(pd_reader_open_memory(&r, made.p, made.n, NULL, NULL), PD_OK);
    struct pd_sorter *s = open_sorter(r, ENOUGH);
    while (pd_sorter_next(s, &rec, NULL) == PD_OK)
        continue;
    pd_sorter_get_stats(s, &one);
    pd_sorter_close(s);
    s = open_sorter(r, ENOUGH);
    do
        passed += pass_waiting(s);
    while (pd_sorter_next(s, &rec, NULL) == PD_OK);
    pd_sorter_get_stats(s, &other);
    pd_sorter_close(s);
    assert_true(passed > one.records / 2);
    assert_int_equal(one.runs, 0);
    assert_memory_equal(&one, &other, sizeof one);
    pd_reader_close(r);
    free(made.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ready_samples_are_the_next),
                                       cmocka_unit_test(passed_samples_wait_no_more)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
