/* SPDX-License-Identifier: MIT */
/* repair_limits.c - how far pd_repair() looks for what is lost, how many samples judge attrs, what waits. */
#include "cmocka_all.h"
#include "ops/repair/headless.h"
#include "zframe.h"
#include <perfdata/ops/repair.h>
#include <stdio.h>
#include <unistd.h>

enum { ST = ST_IP | ST_TID | ST_TIME, ID = 5, OTHER_ID = 7 };

/* Header and attr, with an id; returns where the data begins. */
static size_t begin(struct image *im)
{
    image_start(im, false, 104, 128);
    image_u64(im, ID);
    image_section(im, IMAGE_ATTRS, im->n, 128);
    image_attr(im, 112, 112, ST, true);
    image_ids(im, 104, 8);
    return im->n;
}

/* With bytes behind its fields, which no attr explains. */
static void put_sample(struct image *im, uint64_t time, size_t more)
{
    const size_t at = image_record(im, 9, 1);
    image_u64(im, 0x401000);
    image_u64(im, 71);
    image_u64(im, time);
    image_zeros(im, more);
    image_end(im, at);
}

static enum pd_code repair(const struct image *im, struct pd_repair_options *options,
                           struct pd_repair_stats *stats)
{
    struct pd_reader *r;
    options->size = sizeof *options;
    assert_int_equal(pd_reader_open_memory(&r, im->b, im->n, NULL, NULL), PD_OK);
    const enum pd_code code = pd_repair(r, NULL, options, stats, NULL);
    pd_reader_close(r);
    return code;
}

/* The 4096th sample counts, the 4097th does not: as many have to be explained as not. */
static void samples(void **state)
{
    enum { JUDGED = 4096, MORE = 100 };
    struct pd_repair_options options = {0};
    struct pd_repair_stats stats;
    (void)state;
    for (unsigned bad = JUDGED / 2; bad <= JUDGED / 2 + 1; bad++) {
        struct image im;
        const size_t data = begin(&im);
        for (unsigned i = 0; i < JUDGED + MORE; i++)
            put_sample(&im, i, i < bad ? 16 : 0);
        image_section(&im, IMAGE_DATA, data, im.n - data);
        assert_int_equal(repair(&im, &options, &stats), bad <= JUDGED / 2 ? PD_OK : PD_EATTRS);
        image_free(&im);
    }
}

/* The position of the data is lost: the table of features is found 64 MiB before the end, but no further. */
static void table(void **state)
{
    enum { SEARCHED = 64 << 20 };
    struct pd_repair_options options = {0};
    struct pd_repair_stats stats;
    (void)state;
    for (unsigned more = 0; more <= 1; more++) {
        struct image im;
        const size_t data = begin(&im);
        put_sample(&im, 1, 0);
        image_section(&im, IMAGE_DATA, data, UINT64_MAX);
        image_feature(&im, 6, 8); /* ARCH */
        const size_t at = im.n, end = at + 16 + 12;
        image_zeros(&im, 16);
        image_section(&im, at, im.n, 12);
        image_u32(&im, 8);
        image_bytes(&im, "x86_64\0\0", 8);
        image_zeros(&im, at + SEARCHED + more - im.n);
        assert_int_equal(repair(&im, &options, &stats), PD_OK);
        assert_int_equal(stats.samples, 1);
        assert_int_equal(stats.lost, im.n - (more ? at : end)); /* the header counts all as data */
        image_free(&im);
    }
}

/* A recording without its head, whose ID_INDEX is behind n records: the id that its attr has. */
static uint64_t id_behind(unsigned n)
{
    struct image like, im = {0};
    struct pd_reader *sister, *r;
    uint64_t shift;
    FILE *f = tmpfile();
    const size_t data = begin(&like);
    put_sample(&like, 1, 0);
    image_section(&like, IMAGE_DATA, data, like.n - data);
    for (unsigned i = 0; i < n; i++)
        image_end(&im, image_record(&im, 68, 0)); /* FINISHED_ROUND */
    const size_t at = image_record(&im, 69, 0);
    image_u64(&im, 1);
    image_u64(&im, OTHER_ID);
    image_zeros(&im, 24);
    image_end(&im, at);
    assert_non_null(f);
    assert_int_equal(write(fileno(f), im.b, im.n), im.n);
    assert_int_equal(pd_reader_open_memory(&sister, like.b, like.n, NULL, NULL), PD_OK);
    assert_int_equal(pi_reader_open_headless(&r, fileno(f), sister, &shift, NULL), PD_OK);
    const uint64_t id = pd_reader_attr(r, 0)->ids[0];
    pd_reader_close(r);
    pd_reader_close(sister);
    fclose(f);
    image_free(&im);
    image_free(&like);
    return id;
}

/* An ID_INDEX is found among the first 65,536 records. */
static void id_index(void **state)
{
    (void)state;
    assert_int_equal(id_behind(65535), OTHER_ID);
    assert_int_equal(id_behind(65536), ID);
}

/* What stands before the data of the other recording is held: up to 256 MiB. */
static void head(void **state)
{
    enum { HEAD = 256 << 20 };
    (void)state;
    for (unsigned more = 0; more <= 8; more += 8) {
        struct image like, sample = {0};
        struct pd_reader *sister, *r = NULL;
        uint64_t shift;
        FILE *f = tmpfile(), *own = tmpfile();
        assert_true(f && own);
        begin(&like);
        put_sample(&sample, 1, 0);
        image_section(&like, IMAGE_DATA, HEAD + more, sample.n);
        assert_int_equal(pwrite(fileno(f), like.b, like.n, 0), like.n);
        assert_int_equal(pwrite(fileno(f), sample.b, sample.n, HEAD + more), sample.n);
        assert_int_equal(pwrite(fileno(own), sample.b, sample.n, 0), sample.n);
        assert_int_equal(pd_reader_open_fd(&sister, fileno(f), NULL, NULL), PD_OK);
        assert_int_equal(pi_reader_open_headless(&r, fileno(own), sister, &shift, NULL),
                         more ? PD_EUNSUP : PD_OK);
        assert_int_equal(more ? HEAD : shift, HEAD);
        pd_reader_close(r);
        pd_reader_close(sister);
        fclose(f);
        fclose(own);
        image_free(&like);
        image_free(&sample);
    }
}

/* ---- What is lost, in order */

struct told {
    size_t n, place; /* of the COMPRESSED record among the ranges */
    uint64_t end, compressed;
};

static void on_lost(void *user, const struct pd_lost_range *lost)
{
    struct told *t = user;
    if (lost->offset == t->compressed) {
        t->place = t->n++;
        return;
    }
    assert_true(lost->offset > t->end);
    t->end = lost->offset + lost->bytes;
    t->n++;
}

/* A COMPRESSED record that ends in a sample, and n damaged records between others behind it. */
static struct told lose_ranges(unsigned n)
{
    struct image im, inner = {0};
    struct pd_repair_stats stats;
    const size_t data = begin(&im), at = image_record(&im, 81, 0);
    struct told t = {.compressed = at};
    struct pd_repair_options options = {.lost = on_lost, .user = &t};
    put_sample(&inner, 1, 0);
    put_sample(&inner, 2, 0);
    zframe_start(&im, 17);
    zframe_raw(&im, inner.b, inner.n - 8, false);
    image_end(&im, at);
    for (unsigned i = 0; i < n; i++) {
        put_sample(&im, 3, 0);
        const size_t bad = image_record(&im, 3, 0); /* a COMM without a name */
        image_u64(&im, 71);
        image_end(&im, bad);
    }
    put_sample(&im, 4, 0);
    image_section(&im, IMAGE_DATA, data, im.n - data);
    assert_int_equal(repair(&im, &options, &stats), PD_OK);
    assert_int_equal(stats.samples, n + 2);
    assert_int_equal(stats.ranges, n + 1);
    assert_int_equal(t.n, n + 1);
    image_free(&inner);
    image_free(&im);
    return t;
}

/* What a COMPRESSED record loses is told before 4,096 ranges behind it. Of more, as many come before it. */
static void lost(void **state)
{
    (void)state;
    assert_int_equal(lose_ranges(4096).place, 0);
    assert_int_equal(lose_ranges(4097).place, 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples), cmocka_unit_test(table), cmocka_unit_test(id_index),
        cmocka_unit_test(head),    cmocka_unit_test(lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
