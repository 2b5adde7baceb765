/* SPDX-License-Identifier: MIT */
/*
 * v1.c - the first version's magic does not tell the byte order: the sizes behind it do, in files and in
 * pipes.
 */
#include "fuzz/image.h"
#include "cmocka_all.h"
#include <perfdata/perfdata.h>

static struct pd_reader *open_image(const struct image *im)
{
    struct pd_reader *r = NULL;
    assert_int_equal(pd_reader_open_memory(&r, im->b, im->n, NULL, NULL), PD_OK);
    return r;
}

/* The five sizes of an attr entry that the first version had: attrs of 64 to 104 bytes. */
static void file_order(void **state)
{
    static const unsigned strides[] = {80, 88, 96, 112, 120};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof strides / sizeof *strides; i++) {
        const bool big = i % 2;
        const unsigned stride = strides[i / 2];
        struct image im = {.big = big};
        image_bytes(&im, "PERFFILE", 8);
        image_u64(&im, 104);
        image_u64(&im, stride);
        image_u64(&im, 104); /* attrs: one */
        image_u64(&im, stride);
        image_u64(&im, 104 + stride); /* data: a FINISHED_ROUND */
        image_u64(&im, 8);
        image_zeros(&im, 16 + 32);
        image_u64(&im, (uint64_t)(big ? 1 : stride - 16) << 32 | (big ? stride - 16 : 1)); /* type 1, size */
        image_zeros(&im, stride - 8);
        image_u64(&im, big ? UINT64_C(0x0000004400000008) : UINT64_C(0x0008000000000044));
        struct pd_reader *r = open_image(&im);
        struct pd_record rec = {0};
        assert_int_equal(pd_reader_info(r)->version, 1);
        assert_int_equal(pd_reader_info(r)->container, PD_CONTAINER_FILE);
        assert_int_equal(pd_reader_info(r)->order, big ? PD_BIG : PD_LITTLE);
        assert_int_equal(pd_reader_n_attrs(r), 1);
        assert_int_equal(pd_reader_attr(r, 0)->attr.type, 1);
        assert_int_equal(pd_reader_attr(r, 0)->attr.size, stride - 16);
        assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
        assert_int_equal(rec.type, PD_RECORD_FINISHED_ROUND);
        assert_int_equal(pd_reader_next(r, &rec, NULL), PD_END);
        pd_reader_close(r);
        image_free(&im);
    }
}

static void pipe_order(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct image im = {.big = big};
        image_bytes(&im, "PERFFILE", 8);
        image_u64(&im, 16);
        image_u64(&im, big ? UINT64_C(0x0000004400000008) : UINT64_C(0x0008000000000044));
        struct pd_reader *r = open_image(&im);
        struct pd_record rec = {0};
        assert_int_equal(pd_reader_info(r)->version, 1);
        assert_int_equal(pd_reader_info(r)->container, PD_CONTAINER_PIPE);
        assert_int_equal(pd_reader_info(r)->order, big ? PD_BIG : PD_LITTLE);
        assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
        assert_int_equal(rec.type, PD_RECORD_FINISHED_ROUND);
        assert_int_equal(rec.offset, 16);
        assert_int_equal(pd_reader_next(r, &rec, NULL), PD_END);
        pd_reader_close(r);
        image_free(&im);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_order),
        cmocka_unit_test(pipe_order),
    };
    return cmocka_run_group_tests_name("v1", tests, NULL, NULL);
}
