/* SPDX-License-Identifier: MIT */
/*
 * compression.c - the meaning of a COMPRESSED feature follows from its first 12 bytes, for all readers of it.
 */
#include "cmocka_all.h"
#include "fuzz/image_sink.h"
#include "ops/output/compression.h"
#include <perfdata/ops/convert.h>
#include <perfdata/ops/filter.h>
#include <perfdata/perfdata.h>

static void twelve_bytes_say_it(void **state)
{
    uint8_t bytes[20] = {1, [4] = 1, [8] = 3};
    (void)state;
    for (size_t n = 0; n <= sizeof bytes; n++) {
        int level = -1;
        const enum pi_said said = pi_said_compression(bytes, n, PD_LITTLE, &level);
        assert_int_equal(said, n < 12 ? PI_SAID_NOTHING : PI_SAID_ZSTD);
        assert_int_equal(level, n < 12 ? -1 : 3);
    }
    bytes[4] = 0;
    int level = -1;
    assert_int_equal(pi_said_compression(bytes, sizeof bytes, PD_LITTLE, &level), PI_SAID_PLAIN);
    assert_int_equal(level, -1);
    const uint8_t big[12] = {[3] = 1, [7] = 1, [11] = 22};
    assert_int_equal(pi_said_compression(big, sizeof big, PD_BIG, &level), PI_SAID_ZSTD);
    assert_int_equal(level, 22);
}

/* ---- A stream whose COMPRESSED feature has n bytes, and a COMM */

static void make(struct image *im, unsigned n)
{
    image_u32(im, 0x46524550); /* "PERFILE2" */
    image_u32(im, 0x32454c49);
    image_u64(im, 16);
    image_u32(im, PD_RECORD_HEADER_FEATURE);
    image_u16(im, 0);
    image_u16(im, 16 + n);
    image_u64(im, PD_FEAT_COMPRESSED);
    const size_t at = im->n;
    image_zeros(im, n);
    image_set(im, at, 1, 4);
    image_set(im, at + 4, 1, 4);
    image_set(im, at + 8, 1, 4);
    image_u32(im, PD_RECORD_COMM);
    image_u16(im, 0);
    image_u16(im, 24);
    image_u32(im, 7);
    image_u32(im, 7);
    image_bytes(im, "name\0\0\0\0", 8);
}

static unsigned count_features(const struct image *im)
{
    struct pd_record rec = {0};
    struct pd_reader *r;
    unsigned n = 0;
    assert_int_equal(pd_reader_open_memory(&r, im->b, im->n, NULL, NULL), PD_OK);
    while (pd_reader_next(r, &rec, NULL) == PD_OK)
        n += rec.type == PD_RECORD_HEADER_FEATURE;
    pd_reader_close(r);
    return n;
}

/* Every operation drops the feature when it writes plain records. */
static void all_replace_it(void **state)
{
    (void)state;
    for (unsigned n = 12; n <= 20; n += 4) {
        struct image in = {0}, converted = {0}, filtered = {0};
        struct pd_reader *r;
        make(&in, n);
        assert_int_equal(count_features(&in), 1);
        const struct pd_sink to_converted = image_sink(&converted), to_filtered = image_sink(&filtered);
        const struct pd_convert_options convert = {.size = sizeof convert, .zip = PD_ZIP_NONE};
        const struct pd_filter_options filter = {.size = sizeof filter, .zip = PD_ZIP_NONE};
        assert_int_equal(pd_reader_open_memory(&r, in.b, in.n, NULL, NULL), PD_OK);
        assert_int_equal(pd_convert(r, &to_converted, &convert, NULL, NULL), PD_OK);
        assert_int_equal(pd_filter(r, &to_filtered, &filter, NULL, NULL), PD_OK);
        pd_reader_close(r);
        assert_int_equal(count_features(&converted), 0);
        assert_int_equal(count_features(&filtered), 0);
        image_free(&in);
        image_free(&converted);
        image_free(&filtered);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(twelve_bytes_say_it),
                                       cmocka_unit_test(all_replace_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
