/* SPDX-License-Identifier: MIT */
/*
 * feature_bitmaps.c - files of many sets of features: single ones, pairs, all from 32 on, none. In the other
 * byte order they are read as the same features, and converting back gives the same bytes; or the conversion
 * is refused, but only for sets that perf would also misread, with words of 4 bytes.
 */
#include "cmocka_all.h"
#include "../../fuzz/image_sink.h"
#include "seeded.h"
#include <perfdata/ops/convert.h>
#include <perfdata/reader.h>

static bool has(const uint8_t set[32], unsigned n)
{
    return set[n / 8] >> n % 8 & 1;
}

static void add(uint8_t set[32], unsigned n)
{
    set[n / 8] |= (uint8_t)(1u << n % 8);
}

/* What real sections have: the two that say little say it in 8 and 4 bytes, others in more. */
static size_t size_of(unsigned n)
{
    return n == 33 ? 8 : n == 34 ? 4 : 68;
}

static void make_file(struct image *im, const uint8_t set[32])
{
    unsigned count = 0;
    image_start(im, false, 104, 128 + 16);
    memcpy(im->b + IMAGE_FEATURES, set, 32);
    image_attr(im, 128, 128, PD_SAMPLE_IP, false);
    image_ids(im, 0, 0);
    image_section(im, IMAGE_ATTRS, 104, 144);
    image_section(im, IMAGE_DATA, im->n, 8);
    image_u32(im, PD_RECORD_FINISHED_ROUND);
    image_u16(im, 0);
    image_u16(im, 8);
    for (unsigned n = 0; n < 256; n++)
        count += has(set, n);
    size_t at = im->n + 16 * count;
    for (unsigned n = 0; n < 256; n++)
        if (has(set, n)) {
            image_u64(im, at);
            image_u64(im, size_of(n));
            at += size_of(n);
        }
    for (unsigned n = 0; n < 256; n++)
        if (has(set, n))
            memset(image_room(im, size_of(n)), n != PD_FEAT_COMPRESSED,
                   size_of(n)); /* which no byte order changes */
}

static struct pd_reader *open_image(const struct image *im)
{
    struct pd_reader *r;
    assert_int_equal(pd_reader_open_memory(&r, im->b, im->n, NULL, NULL), PD_OK);
    return r;
}

static enum pd_code convert(const struct image *in, struct image *out, enum pd_convert_order order,
                            enum pd_convert_to to)
{
    const struct pd_convert_options options = {.size = sizeof options, .to = to, .order = order};
    const struct pd_sink sink = image_sink(out);
    struct pd_error error;
    struct pd_reader *r = open_image(in);
    const enum pd_code code = pd_convert(r, &sink, &options, NULL, &error);
    if (code) {
        assert_int_equal(code, PD_EUNSUP);
        assert_non_null(strstr(error.field, "bitmap"));
    }
    pd_reader_close(r);
    return code;
}

/*
 * Would perf, which looks for HOSTNAME, take them for others? And many without a name are taken for those
 * with one.
 */
static bool is_ambiguous(const uint8_t set[32])
{
    unsigned others = 0;
    for (unsigned n = 0; n < 32; n++)
        others += (n > 2 && has(set, 32 + n) ? 1u : 0u) + (has(set, 160 + n) ? 1u : 0u);
    return (has(set, 35) && !has(set, 3)) || others >= 3;
}

static bool try_set(const uint8_t set[32])
{
    struct image im = {0}, big = {0}, back = {0};
    make_file(&im, set);
    const enum pd_code code = convert(&im, &big, PD_CONVERT_BIG, PD_CONVERT_SAME);
    if (code) {
        assert_true(is_ambiguous(set));
    } else {
        struct pd_reader *r = open_image(&big);
        assert_memory_equal(pd_reader_info(r)->features, set, 32);
        pd_reader_close(r);
        assert_int_equal(convert(&big, &back, PD_CONVERT_LITTLE, PD_CONVERT_SAME), PD_OK);
        assert_int_equal(back.n, im.n);
        assert_memory_equal(back.b, im.b, im.n);
    }
    image_free(&im);
    image_free(&big);
    image_free(&back);
    return code == PD_OK;
}

static void test_none_and_single_ones(void **state)
{
    uint8_t none[32] = {0};
    unsigned refused = 0;
    (void)state;
    assert_true(try_set(none));
    for (unsigned n = 0; n < 256; n++) {
        uint8_t set[32] = {0};
        add(set, n);
        refused += !try_set(set);
    }
    assert_int_equal(refused, 1); /* 35 */
}

static void test_pairs(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 256; n++)
        for (unsigned m = 0; m < n; m += hurried() ? 11 : n < 70 || m >= 60 ? 1 : 7) {
            uint8_t set[32] = {0};
            add(set, n);
            add(set, m);
            const bool done = try_set(set);
            assert_true(done || n == 35 || m == 35);
        }
}

/* All from each number on, and up to it. */
static void test_ranges(void **state)
{
    (void)state;
    for (unsigned from = 0; from < 256; from++)
        for (unsigned to = from; to < 256; to += 9) {
            uint8_t set[32] = {0};
            for (unsigned n = from; n <= to; n++)
                add(set, n);
            try_set(set);
        }
    uint8_t newest[32] = {0};
    for (unsigned n = 32; n < 35; n++)
        add(newest, n);
    for (unsigned n = 128; n < 135; n++)
        add(newest, n);
    assert_true(try_set(newest));
}

/* What perf writes, with what it may not have and with features that are still to come. */
static void test_sets_of_perf(void **state)
{
    struct pi_rng rng = {random_seed()};
    (void)state;
    for (int i = 0; i < (hurried() ? 500 : 2000); i++) {
        uint8_t set[32] = {0};
        for (unsigned n = 3; n < 12; n++)
            add(set, n);
        for (unsigned n = 12; n < 40; n++)
            if (pi_rng_one_in(&rng, 2))
                add(set, n);
        assert_true(try_set(set));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none_and_single_ones),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_sets_of_perf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
