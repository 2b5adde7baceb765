/* SPDX-License-Identifier: MIT */
/* aux_index.c - indexes of AUXTRACE records: of any size, with a count or without, with bytes behind the last
 * pair. */
#include "cmocka_all.h"
#include "fuzz/image_sink.h"
#include "ops/output/aux_index.h"
#include "src/support/wire.h"
#include <perfdata/perfdata.h>

#define MOST 56

static struct pd_writer *writer_of(struct image *im, enum pd_order order)
{
    const struct pd_sink sink = image_sink(im);
    const struct pd_writer_options options = {.size = sizeof options, .order = order, .max_features = 1};
    struct pd_writer *w;
    assert_int_equal(pd_writer_open(&w, &sink, &options, NULL), PD_OK);
    assert_int_equal(pd_writer_feature(w, PD_FEAT_AUXTRACE, NULL), PD_OK);
    return w;
}

static struct pd_reader *close_and_open(struct pd_writer *w, const struct image *im)
{
    struct pd_reader *r;
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
    assert_int_equal(pd_reader_open_memory(&r, im->b, im->n, NULL, NULL), PD_OK);
    return r;
}

/* Word i of an index: the records are at 100, 300, ..., of 48 bytes each. */
static uint64_t word(size_t i, bool counted)
{
    if (counted && i == 0)
        return 3;
    i -= counted;
    return i % 2 ? 48 : 100 + 100 * i;
}

static void make(uint8_t bytes[MOST], size_t n, enum pd_order order)
{
    memset(bytes, 0xee, MOST);
    for (size_t i = 0; 8 * i + 8 <= n; i++)
        pi_store64(bytes + 8 * i, word(i, n % 16 == 8), order);
}

/* Checks the index after a move of the record from 300 to 5000; bytes behind the last pair are ignored. */
static void check(const uint8_t *bytes, const uint8_t *was, size_t n, enum pd_order order)
{
    const bool counted = n % 16 == 8;
    const size_t pairs = n / 16 * 2 + counted;
    for (size_t i = 0; i < pairs; i++) {
        const uint64_t value = word(i, counted);
        assert_int_equal(pi_load64(bytes + 8 * i, order), value == 300 ? 5000 : value);
    }
    assert_memory_equal(bytes + 8 * pairs, was + 8 * pairs, n - 8 * pairs);
}

static void move(size_t n, enum pd_order from, enum pd_order to)
{
    struct pi_aux_place place = {.from = 300, .to = 5000, .size = 48};
    const struct pi_aux_index index = {.places = &place, .n = 1};
    struct image in = {0}, out = {0};
    uint8_t bytes[MOST], moved[MOST];
    make(bytes, n, from);
    struct pd_writer *w = writer_of(&in, from);
    assert_int_equal(pd_writer_feature_bytes(w, bytes, n, NULL), PD_OK);
    struct pd_reader *r = close_and_open(w, &in);
    w = writer_of(&out, to);
    const struct pd_feature_section *f = pd_reader_find_feature(r, PD_FEAT_AUXTRACE);
    assert_int_equal(pi_aux_index_move(&index, w, r, &f->section, NULL), PD_OK);
    pd_reader_close(r);
    r = close_and_open(w, &out);
    f = pd_reader_find_feature(r, PD_FEAT_AUXTRACE);
    assert_int_equal(f->section.size, n);
    assert_int_equal(pd_reader_read(r, f->section.offset, moved, n, NULL), PD_OK);
    check(moved, bytes, n, to);
    pd_reader_close(r);
    image_free(&in);
    image_free(&out);
}

static void any_size_is_moved_whole(void **state)
{
    (void)state;
    for (size_t n = 0; n <= MOST; n++)
        for (int orders = 0; orders < 4; orders++)
            move(n, orders & 1 ? PD_BIG : PD_LITTLE, orders & 2 ? PD_BIG : PD_LITTLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_size_is_moved_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
