/* SPDX-License-Identifier: MIT */
/*
 * spans.c - ranges of addresses, compared with an array with a number for each address: put, removed, copied
 * and changed; at the ends of the address space; in an order that would make a deep tree; and without memory.
 * Checks R3, R10, R11.
 */
#include "src/session/spans.h"
#include "cmocka_all.h"
#include "heap.h"
#include "seeded.h"

enum { SPACES = 6, PLACES = 64 };

/* Addresses near the wraparound: half of them at the begin, half at the end. */
static uint64_t address_of(unsigned place)
{
    return place < PLACES / 2 ? place : UINT64_MAX - (PLACES - 1 - place);
}

struct both {
    struct pi_spans spans;
    unsigned puts;
    unsigned range[SPACES][PLACES]; /* of what is in the model: places with the same number are one range */
    int counts[8];                  /* ranges of each value, as counted by the callback */
    uint32_t space[SPACES];
    uint8_t model[SPACES][PLACES]; /* 0: none */
};

static void count(void *user, uint32_t value, int by)
{
    ((int *)user)[value] += by;
}

static void same(const struct both *b, uint64_t seed)
{
    for (unsigned i = 0; i < SPACES; i++)
        for (unsigned p = 0; p < PLACES; p++) {
            const struct pi_span *found = pi_spans_find(&b->spans, b->space[i], address_of(p));
            const uint32_t value = found ? found->value : 0;
            if (found && b->counts[value] <= 0)
                fail_msg("seed %llu: value %u is said to be gone", (unsigned long long)seed, value);
            for (unsigned q = 0; found && q < PLACES; q++)
                if (found->first <= address_of(q) && address_of(q) <= found->last && b->model[i][q] != value)
                    fail_msg("seed %llu: space %u, place %u: the range is too long", (unsigned long long)seed,
                             i, p);
            if (value != b->model[i][p] ||
                (found && (found->first > address_of(p) || address_of(p) > found->last)))
                fail_msg("seed %llu: space %u, place %u: %u, expected %u", (unsigned long long)seed, i, p,
                         value, b->model[i][p]);
        }
}

/* A range goes as a whole. */
static void take_range(struct both *b, unsigned i, unsigned place)
{
    for (unsigned p = 0; p < PLACES; p++)
        if (b->model[i][place] && p != place && b->range[i][p] == b->range[i][place])
            b->model[i][p] = 0;
    b->model[i][place] = 0;
}

/* What is left of a range on both sides of a new one is two. */
static void put_range(struct both *b, unsigned i, unsigned first, unsigned last, uint8_t value)
{
    const unsigned cut = last + 1 < PLACES ? b->range[i][last + 1] : 0;
    b->puts += 2;
    for (unsigned p = first; p < PLACES && (p <= last || b->range[i][p] == cut); p++)
        b->range[i][p] = b->puts + (p > last);
    memset(b->model[i] + first, value, last - first + 1);
}

static void step(struct both *b, struct pi_rng *rng)
{
    const unsigned i = (unsigned)pi_rng_below(rng, SPACES), from = (unsigned)pi_rng_below(rng, SPACES);
    const unsigned p = (unsigned)pi_rng_below(rng, PLACES),
                   last = p + (unsigned)pi_rng_below(rng, PLACES - p);
    const uint8_t value = (uint8_t)(1 + pi_rng_below(rng, 7));
    if (pi_rng_one_in(rng, 8) && i != from) {
        const uint32_t copy = pi_spans_copy(&b->spans, b->space[from]);
        pi_spans_drop(&b->spans, b->space[i]);
        b->space[i] = copy;
        memcpy(b->model[i], b->model[from], PLACES);
        memcpy(b->range[i], b->range[from], sizeof b->range[i]);
    } else if (pi_rng_one_in(rng, 5)) {
        pi_spans_take(&b->spans, &b->space[i], address_of(p));
        take_range(b, i, p);
    } else {
        pi_spans_put(&b->spans, &b->space[i], address_of(p), address_of(last), value);
        put_range(b, i, p, last, value);
    }
}

static void as_an_array(void **state)
{
    (void)state;
    const uint64_t n = random_iterations(300);
    for (uint64_t k = 0; k < n; k++) {
        struct heap heap = {0};
        const struct pd_allocator allocator = {heap_resize, heap_release, &heap};
        struct pi_rng rng = {random_seed() + k};
        struct both b = {0};
        pi_spans_init(&b.spans, &allocator);
        b.spans.count = count;
        b.spans.user = b.counts;
        for (unsigned i = 0; i < 60; i++) {
            step(&b, &rng);
            same(&b, random_seed() + k);
        }
        for (unsigned i = 0; i < SPACES; i++)
            pi_spans_drop(&b.spans, b.space[i]);
        for (unsigned i = 0; i < 8; i++)
            assert_int_equal(b.counts[i], 0);
        size_t unused = 0;
        for (uint32_t i = b.spans.unused; i; i = b.spans.items[i].left)
            unused++;
        assert_int_equal(unused, b.spans.n ? b.spans.n - 1 : 0); /* none is lost */
        pi_spans_free(&b.spans);
        assert_int_equal(heap.blocks, 0);
    }
}

/* A range that ends before it begins is ignored. */
static void empty_range(void **state)
{
    struct pi_spans s;
    uint32_t space = 0;
    (void)state;
    pi_spans_init(&s, NULL);
    pi_spans_put(&s, &space, 5, 4, 1);
    assert_int_equal(space, 0);
    pi_spans_take(&s, &space, 5);
    assert_null(pi_spans_find(&s, space, 5));
    pi_spans_free(&s);
}

static unsigned depth(const struct pi_spans *s, uint32_t i)
{
    if (i == 0)
        return 0;
    const unsigned l = depth(s, s->items[i].left), r = depth(s, s->items[i].right);
    return 1 + (l > r ? l : r);
}

/*
 * In ascending order, with a copy of each state kept: a fork after each map. For 2^13 in random order, the
 * expected depth is about 35.
 */
static void many(void **state)
{
    enum { N = 1 << 13 };
    static uint32_t copies[N];
    struct pi_spans s;
    uint32_t space = 0;
    (void)state;
    pi_spans_init(&s, NULL);
    for (uint64_t i = 0; i < N; i++) {
        pi_spans_put(&s, &space, 16 * i, 16 * i + 7, (uint32_t)(i % 4));
        copies[i] = pi_spans_copy(&s, space);
    }
    assert_in_range(depth(&s, space), 13, 100);
    assert_in_range(s.n, N, 100 * N); /* shared parts of copies exist once */
    for (uint64_t i = 0; i < N; i += 37) {
        const struct pi_span *found = pi_spans_find(&s, copies[i], 16 * i + 7);
        assert_non_null(found);
        assert_int_equal(found->value, i % 4);
        assert_null(pi_spans_find(&s, copies[i], 16 * i + 8));
        assert_null(pi_spans_find(&s, copies[i], 16 * i + 16));
    }
    pi_spans_free(&s);
}

static void without_memory(void **state)
{
    (void)state;
    bool failed = true;
    for (size_t n = 1; failed; n++) {
        struct heap heap = {.fail_at = n};
        const struct pd_allocator allocator = {heap_resize, heap_release, &heap};
        struct pi_rng rng = {n};
        struct both b = {0};
        pi_spans_init(&b.spans, &allocator);
        for (unsigned i = 0; i < 40; i++)
            step(&b, &rng);
        failed = b.spans.failed;
        assert_true(failed == (heap.calls >= n));
        pi_spans_free(&b.spans);
        assert_int_equal(heap.blocks, 0);
        assert_true(n < 50);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_an_array),
        cmocka_unit_test(empty_range),
        cmocka_unit_test(many),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
