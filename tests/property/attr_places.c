/* SPDX-License-Identifier: MIT */
/*
 * attr_places.c - streams whose attrs stand anywhere among the records, which are of any event: the attrs
 * before a record determine its meaning, however often the stream is read, and outputs made from such a
 * stream have the same values by their hash, or are refused. PERFDATA_SEED and PERFDATA_ITERATIONS make
 * others.
 */
#include "cmocka_all.h"
#include "../../fuzz/image_sink.h"
#include "seeded.h"
#include <perfdata/ops/convert.h>
#include <perfdata/ops/hash.h>
#include <perfdata/ops/merge.h>
#include <perfdata/ops/sort.h>
#include <perfdata/ops/split.h>

#define MOST_ATTRS 3

/* ---- Streams */

struct trial {
    struct pi_rng rng;
    struct image in;
    bool id_all;  /* as perf has it: all events or none */
    bool damaged; /* of a conversion */
};

static size_t begin_record(struct image *im, uint32_t type, unsigned misc)
{
    image_u32(im, type);
    image_u16(im, misc);
    image_u16(im, 0);
    return im->n - 8;
}

static void end_record(struct image *im, size_t at)
{
    image_set(im, at + 6, im->n - at, 2);
}

/* With the ids 10 * number and the one behind it, or without; the second one may be another event's. */
static void put_attr(struct trial *t, unsigned number)
{
    static const uint64_t types[] = {IMAGE_ST0, IMAGE_ST1,
                                     PD_SAMPLE_IP | PD_SAMPLE_TID | PD_SAMPLE_TIME | PD_SAMPLE_ID};
    const bool alike = pi_rng_one_in(&t->rng, 2);
    const size_t at = begin_record(&t->in, PD_RECORD_HEADER_ATTR, 0);
    const size_t attr = t->in.n;
    image_zeros(&t->in, 128);
    image_set(&t->in, attr, PD_TYPE_SOFTWARE, 4);
    image_set(&t->in, attr + 4, 128, 4);
    image_set(&t->in, attr + 24, types[alike ? 0 : pi_rng_below(&t->rng, 3)], 8);
    image_set(&t->in, attr + 40, t->id_all ? PD_ATTR_SAMPLE_ID_ALL : 0, 8);
    if (!pi_rng_one_in(&t->rng, 4)) {
        image_u64(&t->in, 10 * (number + 1));
        image_u64(&t->in, 10 * (number + 1 + pi_rng_one_in(&t->rng, 4)) + 1);
    }
    end_record(&t->in, at);
}

/* Of words that are pids, times and ids by any layout. */
static void put_record(struct trial *t)
{
    static const uint32_t types[] = {PD_RECORD_SAMPLE,  PD_RECORD_SAMPLE,          PD_RECORD_COMM,
                                     PD_RECORD_EXIT,    PD_RECORD_SWITCH,          PD_RECORD_FORK,
                                     PD_RECORD_LOST,    PD_RECORD_HEADER_BUILD_ID, 60,
                                     PD_RECORD_ID_INDEX};
    const uint32_t type = types[pi_rng_below(&t->rng, sizeof types / sizeof *types)];
    const size_t at = begin_record(&t->in, type, 0);
    if (type == PD_RECORD_HEADER_BUILD_ID) {
        image_u32(&t->in, UINT32_MAX);
        image_zeros(&t->in, 24);
        image_bytes(&t->in, "a/b\0\0\0\0", 8);
    } else if (type == PD_RECORD_ID_INDEX) {
        image_u64(&t->in, 0);
    }
    for (size_t n = type == PD_RECORD_ID_INDEX ? 0 : 1 + pi_rng_size(&t->rng, 9); n; n--)
        image_u64(&t->in, pi_rng_one_in(&t->rng, 5)
                              ? 0
                              : 10 * (1 + pi_rng_below(&t->rng, 4)) + pi_rng_below(&t->rng, 2));
    end_record(&t->in, at);
}

/* A third of them as perf writes them, with the attrs first. */
static void make_stream(struct trial *t)
{
    const size_t n = 4 + pi_rng_size(&t->rng, 12),
                 place = pi_rng_below(&t->rng, 3) ? 1 + pi_rng_size(&t->rng, 4) : n;
    unsigned attrs = 0;
    t->id_all = !pi_rng_one_in(&t->rng, 4);
    image_start(&t->in, false, 16, 0);
    if (place == n)
        while (attrs < MOST_ATTRS)
            put_attr(t, attrs++);
    for (size_t i = 0; i < n; i++) {
        if (attrs < MOST_ATTRS && pi_rng_one_in(&t->rng, place))
            put_attr(t, attrs++);
        put_record(t);
    }
}

/* ---- What is made of them */

static void on_finding(void *user, const struct pd_error *what)
{
    struct trial *t = user;
    t->damaged |= what->code != PD_EUNKNOWN;
}

static struct pd_reader *open_image(const struct image *im)
{
    struct pd_reader *r;
    struct pd_error error;
    if (pd_reader_open_memory(&r, im->b, im->n, NULL, &error))
        fail_msg("cannot be opened: %s at %llu", error.field ? error.field : "",
                 (unsigned long long)error.offset);
    return r;
}

static struct pd_hash hash_of(const struct image *im, bool *damaged)
{
    struct trial t = {0};
    const struct pd_hash_options options = {.size = sizeof options, .finding = on_finding, .user = &t};
    struct pd_reader *r = open_image(im);
    struct pd_hash hash, again;
    assert_int_equal(pd_hash_recording(r, &options, &hash, NULL), PD_OK);
    assert_int_equal(pd_reader_rewind(r, NULL), PD_OK);
    assert_int_equal(pd_hash_recording(r, &options, &again, NULL), PD_OK);
    assert_memory_equal(&hash, &again, sizeof hash);
    pd_reader_close(r);
    *damaged = t.damaged;
    return hash;
}

enum way {
    TO_FILE,
    TO_BIG_FILE,
    TO_PLAIN_FILE,
    TO_LARGE_ATTRS,
    TO_BIG_PIPE,
    TO_COMPRESSED_PIPE,
    TO_COMPRESSED_FILE,
    SORTED,
    MERGED,
    WAYS
};

static enum pd_code convert(struct trial *t, struct pd_reader *r, enum way way, const struct pd_sink *sink,
                            struct pd_error *error)
{
    const bool pipe = way == TO_BIG_PIPE || way == TO_COMPRESSED_PIPE;
    const struct pd_convert_options options = {
        .size = sizeof options,
        .to = pipe ? PD_CONVERT_PIPE : PD_CONVERT_FILE,
        .order = way == TO_BIG_FILE || way == TO_BIG_PIPE ? PD_CONVERT_BIG : PD_CONVERT_LITTLE,
        .zip = way == TO_PLAIN_FILE                                     ? PD_ZIP_NONE
               : way == TO_COMPRESSED_PIPE || way == TO_COMPRESSED_FILE ? PD_ZIP_COMPRESSED
                                                                        : PD_ZIP_KEEP,
        .attr_size = way == TO_LARGE_ATTRS ? 144 : 0,
        .finding = on_finding,
        .user = t};
    return pd_convert(r, sink, &options, NULL, error);
}

static enum pd_code make(struct trial *t, enum way way, struct image *out, struct pd_error *error)
{
    struct pd_reader *r = open_image(&t->in);
    const struct pd_sink sink = image_sink(out);
    const struct pd_sort_options sorting = {.size = sizeof sorting, .finding = on_finding, .user = t};
    const struct pd_merge_options merging = {.size = sizeof merging, .append = true};
    enum pd_code code;
    t->damaged = false;
    switch (way) {
    case SORTED: code = pd_sort(r, &sink, &sorting, NULL, error); break;
    case MERGED: code = pd_merge(&r, 1, &sink, &merging, NULL, NULL, error); break;
    default: code = convert(t, r, way, &sink, error); break;
    }
    pd_reader_close(r);
    return code;
}

/* Not where the attrs are to be others: of another size, or united by merging. */
static void check_same(struct trial *t, enum way way, const struct image *out, uint64_t seed)
{
    bool damaged, was_damaged;
    const struct pd_hash before = hash_of(&t->in, &was_damaged), after = hash_of(out, &damaged);
    if (memcmp(&before, &after, sizeof before) != 0)
        fail_msg("the values changed, way %d, PERFDATA_SEED=%llu", way, (unsigned long long)seed);
    assert_int_equal(damaged, was_damaged);
}

static bool try_way(struct trial *t, enum way way, uint64_t seed)
{
    struct image out = {0};
    struct pd_error error;
    const enum pd_code code = make(t, way, &out, &error);
    if (code) {
        assert_int_equal(code, PD_EUNSUP);
        assert_non_null(error.field);
    } else if (!(t->damaged && (way == TO_BIG_FILE || way == TO_BIG_PIPE)) && way != TO_LARGE_ATTRS &&
               way != MERGED) {
        check_same(t, way, &out, seed);
    }
    image_free(&out);
    return code == PD_OK;
}

static void test_values_stay_or_are_refused(void **state)
{
    const uint64_t n = random_iterations(hurried() ? 150 : 1500);
    uint64_t kept[WAYS] = {0};
    (void)state;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t seed = random_seed() + i;
        struct trial t = {.rng = {seed}};
        bool refused = false;
        make_stream(&t);
        for (enum way way = 0; way < WAYS; way++) {
            const bool done = try_way(&t, way, seed);
            kept[way] += done;
            refused |= !done && way == TO_FILE;
            assert_false(done && refused && way == MERGED); /* which goes by way of a file */
        }
        image_free(&t.in);
    }
    for (enum way way = 0; way < WAYS && n >= 100; way++)
        assert_true(kept[way] > n / 4);
    assert_true(n < 100 || kept[TO_FILE] < n);
    assert_int_equal(kept[TO_BIG_PIPE], n);
}

/* ---- Examples */

/* The time of the COMM is in its slot of the name as long as no attr says that it has a sample_id. */
static void test_comm_before_the_only_attr(void **state)
{
    struct trial t = {.rng = {1}};
    struct pd_error error;
    (void)state;
    image_start(&t.in, false, 16, 0);
    image_comm(&t.in, "tiny\0\0\0", 5000000001, false, 7);
    const size_t at = begin_record(&t.in, PD_RECORD_HEADER_ATTR, 0), attr = t.in.n;
    image_zeros(&t.in, 128);
    image_set(&t.in, attr + 4, 128, 4);
    image_set(&t.in, attr + 24, PD_SAMPLE_IP | PD_SAMPLE_TID | PD_SAMPLE_TIME, 8);
    image_set(&t.in, attr + 40, PD_ATTR_SAMPLE_ID_ALL, 8);
    end_record(&t.in, at);
    for (enum way way = 0; way < WAYS; way++) {
        struct image out = {0};
        const bool stays = way == TO_BIG_PIPE || way == TO_COMPRESSED_PIPE || way == SORTED;
        if (way == SORTED) /* records of no event have no time */
            continue;
        assert_int_equal(make(&t, way, &out, &error), stays ? PD_OK : PD_EUNSUP);
        if (!stays) {
            assert_int_equal(error.record_type, PD_RECORD_COMM);
            assert_int_equal(error.offset, 16);
            assert_int_equal(error.record_index, 0);
        }
        image_free(&out);
    }
    image_free(&t.in);
}

/* Read again, it is of no event again. */
static void test_reading_again_says_the_same(void **state)
{
    struct trial t = {.rng = {2}};
    struct pd_record rec = {0};
    (void)state;
    image_start(&t.in, false, 16, 0);
    image_comm(&t.in, "tiny\0\0\0", 5000000001, false, 7);
    put_attr(&t, 0);
    image_comm(&t.in, "tiny\0\0\0", 5000000001, false, 7);
    struct pd_reader *r = open_image(&t.in);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
        assert_null(rec.attr);
        assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
        assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
        assert_int_equal(rec.attr_index, 0);
        assert_int_equal(pd_reader_n_attrs(r), 1);
        assert_int_equal(pd_reader_rewind(r, NULL), PD_OK);
    }
    pd_reader_close(r);
    image_free(&t.in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_stay_or_are_refused),
        cmocka_unit_test(test_comm_before_the_only_attr),
        cmocka_unit_test(test_reading_again_says_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
