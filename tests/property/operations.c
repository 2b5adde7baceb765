/* SPDX-License-Identifier: MIT */
/*
 * operations.c - what tests/support/operations.h says of sort, merge, split, redact, repair, cmp, hash, edit,
 * gen, filter and directories, held against random recordings of all containers, a third of which are
 * damaged. Checks R5, R10, R12.
 */
#define _GNU_SOURCE /* memmem() */
#include "operations.h"
#include "cmocka_all.h"
#include "seeded.h"

/* What stands behind a captured stream: bytes that can be no record, and those that can begin one. */
static void add_stray(struct image *im, struct pi_rng *r)
{
    static const uint8_t often[] = {0, 9, 10, 68, 'a', 0xff};
    for (uint64_t n = 1 + pi_rng_below(r, 9); n; n--)
        image_bytes(im, often + pi_rng_below(r, sizeof often), 1);
}

static void make(struct image *im, struct pi_rng *r)
{
    const struct pd_sink sink = image_sink(im);
    struct pd_gen_options o = {.size = sizeof o, .seed = pi_rng_next(r), .count = 1 + pi_rng_below(r, 100)};
    struct pd_gen *gen;
    o.container = pi_rng_one_in(r, 2) ? PD_CONTAINER_PIPE : PD_CONTAINER_FILE;
    o.order = pi_rng_one_in(r, 3) ? PD_BIG : PD_LITTLE;
    o.compression = pi_rng_one_in(r, 3) ? PD_RECORD_COMPRESSED : 0;
    o.any = pi_rng_one_in(r, 4);
    if (pi_rng_one_in(r, 2))
        o.sample_type = PD_SAMPLE_IDENTIFIER | PD_SAMPLE_IP | PD_SAMPLE_TID | PD_SAMPLE_TIME | PD_SAMPLE_CPU |
                        PD_SAMPLE_CALLCHAIN;
    if (o.sample_type && pi_rng_one_in(r, 2)) /* a usual one (src/codec/usual.h), which has ways of its own */
        o.sample_type |= PD_SAMPLE_PERIOD;
    assert_int_equal(pd_gen_open(&gen, &sink, &o, NULL), PD_OK);
    assert_int_equal(pd_gen_run(gen, NULL), PD_OK);
    pd_gen_close(gen);
    if (o.container == PD_CONTAINER_PIPE && pi_rng_one_in(r, 3))
        add_stray(im, r);
}

static void become_directory(struct image *im)
{
    struct image archive;
    assert_int_equal(archive_recording(im, &archive), PD_OK);
    image_free(im);
    *im = archive;
}

/* Of an archive not what says that it is one. */
static void damage(struct image *im, struct pi_rng *r)
{
    const size_t at = 8 + (size_t)pi_rng_below(r, im->n - 8);
    if (pi_rng_one_in(r, 4))
        im->n = at;
    else
        im->b[at] ^= (uint8_t)(1u << pi_rng_below(r, 8));
}

/* PERFDATA_OPERATIONS_SAVE=FILE keeps the last input, as one of fuzz_ops. */
static void keep_input(const uint8_t *o, const struct image *in, size_t n)
{
    const char *path = getenv("PERFDATA_OPERATIONS_SAVE");
    FILE *f = path ? fopen(path, "wb") : NULL;
    if (!f)
        return;
    fwrite(o, 1, OPERATION_OPTIONS, f);
    for (size_t i = 0; i < 2; i++)
        for (unsigned shift = 0; shift < 32; shift += 8)
            fputc(i < n ? (int)(in[i].n >> shift & 255) : 0, f);
    for (size_t i = 0; i < n; i++)
        fwrite(in[i].b, 1, in[i].n, f);
    fclose(f);
}

static void operations(void **state)
{
    struct pi_rng r = {random_seed()};
    const uint64_t iterations = random_iterations(300);
    (void)state;
    for (uint64_t i = 0; i < iterations; i++) {
        print_message("PERFDATA_SEED=%llu PERFDATA_ITERATIONS=1\n", (unsigned long long)r.state);
        fflush(stdout); /* what does not hold aborts */
        struct image in[3] = {{0}};
        uint8_t o[OPERATION_OPTIONS];
        const size_t n = 1 + (size_t)pi_rng_below(&r, 3);
        for (size_t k = 0; k < sizeof o; k++)
            o[k] = (uint8_t)pi_rng_next(&r);
        for (size_t k = 0; k < n; k++) {
            make(in + k, &r);
            if (pi_rng_one_in(&r, 5))
                become_directory(in + k);
            if (pi_rng_one_in(&r, 3))
                damage(in + k, &r);
        }
        keep_input(o, in, n);
        check_operation(o, in, n, 0xff);
        for (size_t k = 0; k < n; k++)
            image_free(in + k);
    }
    for (size_t k = 0; k < OPERATION_N && iterations >= 300; k++) /* what is refused holds by doing nothing */
        assert_true(operation_done[k] >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(operations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
