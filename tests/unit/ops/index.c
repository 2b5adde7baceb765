/* SPDX-License-Identifier: MIT */
/* index.c - how much of a block an index holds copies of. tests/property/ops/index_random.c has the rest. */
#include "bytes.h"
#include "cmocka_all.h"
#include "fuzz/image.h"
#include <perfdata/ops/index.h>

enum { ST = ST_IP | ST_TID | ST_TIME, SAMPLE = 32, LARGE = 65528, HELD = 64 << 20 };

static const struct pd_sink nowhere = {nothing_put, nothing_patch, NULL};

/* A name of a task, of n bytes in all. */
static void put_comm(struct image *im, size_t n)
{
    const size_t at = image_record(im, 3, 0);
    image_u64(im, 0);
    image_zeros(im, n - 32);
    image_u64(im, 0);
    image_u64(im, 1);
    image_end(im, at);
}

/*
 * Three samples of a task, of which an index gives the first and the last one, and names of tasks, of which
 * it gives all: n bytes.
 */
static void make(struct image *im, size_t n)
{
    image_start(im, false, 104, 128);
    image_section(im, IMAGE_ATTRS, 104, 128);
    image_attr(im, 112, 112, ST, true);
    image_ids(im, 0, 0);
    const size_t data = im->n;
    for (uint64_t time = 1; time <= 3; time++) {
        const size_t at = image_record(im, 9, 1);
        image_u64(im, 0x401000);
        image_u64(im, 71);
        image_u64(im, time);
        image_end(im, at);
    }
    for (n -= 2 * SAMPLE; n; n -= n < LARGE ? n : LARGE)
        put_comm(im, n < LARGE ? n : LARGE);
    image_section(im, IMAGE_DATA, data, im->n - data);
}

/* A block of which 64 MiB are given is in the index; one of more is not. */
static void held(void **state)
{
    const struct pd_index_options options = {.size = sizeof options, .block = UINT64_C(1) << 30};
    (void)state;
    for (size_t more = 0; more <= 8; more += 8) {
        struct image im;
        struct pd_reader *r;
        struct pd_index_stats stats;
        make(&im, HELD + more);
        assert_int_equal(pd_reader_open_memory(&r, im.b, im.n, NULL, NULL), PD_OK);
        assert_int_equal(pd_index_build(r, &nowhere, &options, &stats, NULL), PD_OK);
        assert_int_equal(stats.blocks, more ? 0 : 1);
        assert_int_equal(stats.left_out, more ? 0 : 1);
        assert_int_equal(stats.given, more ? 0 : im.records - 1);
        pd_reader_close(r);
        image_free(&im);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(held)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
