/* SPDX-License-Identifier: MIT */
/*
 * rewrite.c - writing a file again gives the same bytes, copied or encoded, whatever its damage. Checks R5,
 * R11.
 */
#include "fuzz/image.h"
#include "cmocka_all.h"
#include <errno.h>
#include <perfdata/ops/rewrite.h>
#include <perfdata/writer.h>
#include <stdio.h>

struct out {
    const struct image *want;
    size_t at;
    unsigned calls, fail_at, findings;
    struct pd_error first, last;
};

static int out_write(void *user, const void *bytes, size_t n)
{
    struct out *o = user;
    if (++o->calls == o->fail_at)
        return EDQUOT;
    assert_true(n > 0 && n <= o->want->n - o->at);
    assert_memory_equal(bytes, o->want->b + o->at, n);
    o->at += n;
    return 0;
}

static void out_finding(void *user, const struct pd_error *error)
{
    struct out *o = user;
    if (o->findings++ == 0)
        o->first = *error;
    o->last = *error;
}

static struct pd_rewrite_stats rewrite_reader(struct pd_reader *r, struct out *o, bool reencode)
{
    const struct pd_sink sink = {.write = out_write, .user = o};
    const struct pd_rewrite_options options = {
        .size = sizeof options, .reencode = reencode, .finding = out_finding, .user = o};
    struct pd_rewrite_stats stats;
    struct pd_error e;
    assert_int_equal(pd_rewrite(r, &sink, &options, &stats, &e), PD_OK);
    assert_int_equal(o->at, o->want->n);
    assert_int_equal(stats.bytes, o->want->n);
    assert_int_equal(stats.differing, 0);
    return stats;
}

/* Rewrites both ways; returns the second one's counts, its last finding in *last. */
static struct pd_rewrite_stats expect_identity(const struct image *im, struct out *o)
{
    struct pd_reader *r;
    struct pd_rewrite_stats stats = {0};
    for (int reencode = 0; reencode < 2; reencode++) {
        *o = (struct out){.want = im};
        assert_int_equal(pd_reader_open_memory(&r, im->b, im->n, NULL, NULL), PD_OK);
        stats = rewrite_reader(r, o, reencode);
        *o = (struct out){.want = im};
        rewrite_reader(r, o, reencode); /* the reader can be used again */
        pd_reader_close(r);
    }
    return stats;
}

static void expect_same_again(struct image *im)
{
    struct out o;
    expect_identity(im, &o);
    image_free(im);
}

/* ---- */

static void a_recording(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct image im;
        struct out o;
        image_recording(&im, big);
        const struct pd_rewrite_stats s = expect_identity(&im, &o);
        assert_int_equal(s.records, 12);
        assert_true(s.raw >= 2); /* of an unknown event, and of an unknown type */
        assert_true(s.decoded >= 9);
        assert_int_equal(s.decoded + s.raw, 12);
        assert_int_equal(s.undecodable, 0);
        assert_int_equal(s.bad_sections, 1); /* the data of HEADER_TRACING_DATA is not a section */
        assert_int_equal(o.findings, 2);
        assert_int_equal(o.first.code, PD_EUNKNOWN);
        assert_int_equal(o.first.offset, 872);
        assert_string_equal(o.last.section, "tracing_data");
        image_free(&im);
    }
}

static void copies_count_records_too(void **state)
{
    struct image im;
    struct pd_reader *r;
    (void)state;
    image_recording(&im, true);
    struct out o = {.want = &im};
    assert_int_equal(pd_reader_open_memory(&r, im.b, im.n, NULL, NULL), PD_OK);
    const struct pd_rewrite_stats s = rewrite_reader(r, &o, false);
    assert_int_equal(s.records, 12);
    assert_int_equal(s.decoded + s.raw + s.undecodable, 0);
    assert_int_equal(o.findings, 0);
    pd_reader_close(r);
    image_free(&im);
}

static void other_containers(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct image im;
        image_unfinished(&im, big);
        expect_same_again(&im);
        image_v1(&im, big);
        expect_same_again(&im);
        image_start(&im, big, 104, 80); /* nothing at all */
        expect_same_again(&im);
        image_start(&im, big, 72, 0);
        expect_same_again(&im);
        image_start(&im, big, 136, 80); /* a longer header, and an event type whose name does not end */
        memset(im.b + 104, 0xee, 32);
        image_section(&im, IMAGE_TYPES, im.n, 72 + 9);
        image_pattern(&im, 72 + 9);
        image_section(&im, IMAGE_DATA, im.n, 0);
        expect_same_again(&im);
        image_start(&im, big, 16, 0); /* a pipe stream */
        image_records(&im);
        expect_same_again(&im);
    }
}

/* Ids behind attr.size bytes; their usual place has junk. */
static void early_ids(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct image im;
        image_start(&im, big, 104, 144);
        image_u64(&im, 77);
        image_section(&im, IMAGE_ATTRS, im.n, 144);
        const size_t at = image_attr(&im, 96, 128, ST_IP, false);
        image_section(&im, at + 96, 104, 8);
        image_u64(&im, UINT64_MAX);
        image_u64(&im, 3);
        image_section(&im, IMAGE_DATA, im.n, 0);
        expect_same_again(&im);
    }
}

/* Every bit of an attr is kept: reserved flags, unknown sample_type, all of it random. */
static void any_attr(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 200; seed++) {
        struct image im;
        image_start(&im, seed % 2, 104, 176);
        image_section(&im, IMAGE_ATTRS, im.n, 176);
        image_pattern(&im, 160);
        for (size_t i = 0; i < 160; i++)
            im.b[104 + i] = (uint8_t)(im.b[104 + i] * (2 * seed + 1) ^ seed);
        image_set(&im, 108, seed % 3 ? seed : 128, 4);
        image_ids(&im, 0, 0);
        image_section(&im, IMAGE_DATA, im.n, 0);
        expect_same_again(&im);
    }
}

static void sections_anywhere(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        for (uint64_t at = 0; at < 1330; at += 13) {
            struct image im;
            image_recording(&im, big);
            image_section(&im, im.table + 16, at, 99);
            image_section(&im, im.table + 48, 1330 - at, at);
            expect_same_again(&im);
            image_recording(&im, big);
            image_section(&im, IMAGE_DATA, at, 657);
            expect_same_again(&im);
            image_recording(&im, big);
            image_section(&im, IMAGE_ATTRS, at, 288);
            expect_same_again(&im);
            image_recording(&im, big);
            image_section(&im, 128 + 128, at, 16);
            expect_same_again(&im);
        }
    }
}

/* Records that contradict their layout are copied and reported. */
static void undecodable_records(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct image im;
        struct out o;
        image_recording(&im, big);
        image_set(&im, 640 + 56, 4, 8); /* a call chain longer than its record */
        const struct pd_rewrite_stats s = expect_identity(&im, &o);
        assert_int_equal(s.undecodable, 1);
        assert_int_equal(s.decoded + s.raw, 11);
        assert_int_equal(o.findings, 3); /* with those of a_recording() */
        image_free(&im);
    }
}

static void damaged_data(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct image im;
        struct out o;
        image_recording(&im, big);
        image_set(&im, 728 + 6, 3, 2);
        const struct pd_rewrite_stats s = expect_identity(&im, &o);
        assert_int_equal(s.records, 4);
        assert_int_equal(o.last.code, PD_ESIZE);
        assert_int_equal(o.last.offset, 728);
        image_free(&im);
        image_recording(&im, big); /* a payload beyond the end of the data */
        image_set(&im, 944 + 8, 200, 8);
        expect_identity(&im, &o);
        assert_int_equal(o.last.code, PD_ETRUNC);
        image_free(&im);
    }
}

/* Without a sink, records are only proven. */
static void without_a_sink(void **state)
{
    struct image im;
    struct pd_reader *r;
    struct pd_rewrite_stats stats;
    const struct pd_rewrite_options options = {.size = sizeof options, .reencode = true};
    (void)state;
    image_recording(&im, false);
    assert_int_equal(pd_reader_open_memory(&r, im.b, im.n, NULL, NULL), PD_OK);
    assert_int_equal(pd_rewrite(r, NULL, &options, &stats, NULL), PD_OK);
    assert_int_equal(stats.bytes, im.n);
    assert_int_equal(stats.decoded + stats.raw, 12);
    assert_int_equal(stats.differing, 0);
    assert_int_equal(pd_rewrite(r, NULL, NULL, NULL, NULL), PD_OK); /* nor anything else */
    pd_reader_close(r);
    image_free(&im);
}

struct shown {
    uint64_t records, decoded, next, sections, section_bytes;
};

static void count_record(void *user, struct pd_record *rec)
{
    struct shown *shown = user;
    assert_int_equal(rec->index, shown->next++);
    shown->records++;
    shown->decoded += rec->decoded && rec->layout;
}

static void count_section(void *user, uint32_t feature, uint64_t offset, const void *bytes, size_t n)
{
    struct shown *shown = user;
    assert_true(feature < 256 && offset > 0 && bytes);
    shown->sections++;
    shown->section_bytes += n;
}

/* Each record is shown once, as it was proven, and each section; not if they are only copied. */
static void what_is_proven_is_shown(void **state)
{
    (void)state;
    for (int reencode = 0; reencode < 2; reencode++)
        for (int big = 0; big < 2; big++) {
            struct image im;
            struct pd_reader *r;
            struct pd_rewrite_stats stats;
            struct shown shown = {0};
            const struct pd_rewrite_options options = {.size = sizeof options,
                                                       .reencode = reencode,
                                                       .user = &shown,
                                                       .record = count_record,
                                                       .section = count_section};
            image_recording(&im, big);
            assert_int_equal(pd_reader_open_memory(&r, im.b, im.n, NULL, NULL), PD_OK);
            assert_int_equal(pd_rewrite(r, NULL, &options, &stats, NULL), PD_OK);
            assert_int_equal(shown.records, reencode ? stats.records : 0);
            assert_int_equal(shown.decoded, stats.decoded);
            assert_int_equal(shown.sections > 0, reencode);
            assert_true(shown.sections >= stats.sections);
            assert_int_equal(shown.section_bytes > 0, reencode);
            pd_reader_close(r);
            image_free(&im);
        }
}

static void a_sink_that_fails(void **state)
{
    (void)state;
    for (int way = 0; way < 4; way++) {
        const bool reencode = way & 1, damaged = way & 2;
        enum pd_code code;
        unsigned n = 1;
        do {
            struct image im;
            struct pd_reader *r;
            struct pd_error e = {0};
            image_recording(&im, false);
            if (damaged)
                image_set(&im, im.table - 2, 4, 2); /* the size of the last record */
            struct out o = {.want = &im, .fail_at = n++};
            const struct pd_sink sink = {.write = out_write, .user = &o};
            const struct pd_rewrite_options options = {.size = sizeof options, .reencode = reencode};
            assert_int_equal(pd_reader_open_memory(&r, im.b, im.n, NULL, NULL), PD_OK);
            code = pd_rewrite(r, &sink, &options, NULL, &e);
            if (code) {
                assert_int_equal(code, PD_EOUT);
                assert_int_equal(e.code, PD_EOUT);
                assert_int_equal(e.found, EDQUOT);
                assert_int_equal(e.offset, o.at);
                assert_int_equal(o.calls, o.fail_at); /* not called again */
            }
            pd_reader_close(r);
            image_free(&im);
        } while (code);
        assert_true(n > 20);
    }
}

/* ---- Inputs other than memory */

struct source {
    const struct image *im;
    uint64_t fail_from;
};

static int64_t source_read(void *user, uint64_t offset, void *buf, size_t n)
{
    const struct source *s = user;
    if (offset >= s->fail_from)
        return -EIO;
    size_t got = offset < s->im->n ? s->im->n - (size_t)offset : 0;
    got = got < n ? got : n;
    got = got < 500 ? got : 500;
    if (got)
        memcpy(buf, s->im->b + offset, got);
    return (int64_t)got;
}

static void any_input(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct image im;
        image_recording(&im, big);
        im.n = im.table;
        image_auxtrace(&im, 400000);
        image_section(&im, IMAGE_DATA, im.data, im.n - im.data);
        image_features(&im);
        for (int seekable = 0; seekable < 2; seekable++) {
            for (int reencode = 0; reencode < 2; reencode++) {
                struct pd_reader *r;
                struct source s = {&im, UINT64_MAX};
                const struct pd_source source = {source_read, NULL, &s, seekable ? im.n : PD_NOWHERE};
                struct out o = {.want = &im};
                assert_int_equal(pd_reader_open_source(&r, &source, NULL, NULL), PD_OK);
                rewrite_reader(r, &o, reencode);
                pd_reader_close(r);
            }
        }
        image_free(&im);
    }
}

/* A stream whose data is damaged: sections behind the data are found all the same. */
static void a_damaged_stream(void **state)
{
    (void)state;
    for (int unfinished = 0; unfinished < 2; unfinished++) {
        for (int reencode = 0; reencode < 2; reencode++) {
            struct image im;
            struct pd_reader *r;
            image_recording(&im, reencode);
            image_set(&im, 728 + 6, 3, 2);
            image_section(&im, IMAGE_TYPES, 16777216,
                          144); /* sections outside of the file do not disturb, either */
            if (unfinished)
                image_set(&im, IMAGE_DATA + 8, 0, 8);
            struct source s = {&im, UINT64_MAX};
            const struct pd_source source = {source_read, NULL, &s, PD_NOWHERE};
            struct out o = {.want = &im};
            assert_int_equal(pd_reader_open_source(&r, &source, NULL, NULL), PD_OK);
            rewrite_reader(r, &o, reencode);
            assert_int_equal(o.last.code, PD_ESIZE);
            assert_int_equal(o.last.offset, 728);
            assert_int_equal(pd_reader_n_features(r), unfinished ? 0 : 4);
            assert_int_equal(pd_reader_info(r)->file_size, im.n);
            pd_reader_close(r);
            image_free(&im);
        }
    }
}

/* In a stream, only the end tells whether a section that seems to be in the data is in the file. */
static void sections_anywhere_in_a_stream(void **state)
{
    static const uint64_t sizes[] = {72, 144, 720, 72000};
    (void)state;
    for (uint64_t at = 0; at < 1330; at += 13) {
        for (size_t i = 0; i < 8; i++) {
            struct image im;
            struct pd_reader *r;
            image_recording(&im, i % 2);
            image_section(&im, IMAGE_TYPES, i == 7 ? 416 : at, sizes[i / 2]);
            image_section(&im, im.table + 16, at, 99);
            struct source s = {&im, UINT64_MAX};
            const struct pd_source source = {source_read, NULL, &s, PD_NOWHERE};
            struct out o = {.want = &im};
            assert_int_equal(pd_reader_open_source(&r, &source, NULL, NULL), PD_OK);
            rewrite_reader(r, &o, true);
            pd_reader_close(r);
            image_free(&im);
        }
    }
}

static void an_input_that_fails(void **state)
{
    struct image im;
    (void)state;
    image_recording(&im, false);
    for (int reencode = 0; reencode < 2; reencode++) {
        struct pd_reader *r;
        struct pd_error e = {0};
        struct source s = {&im, UINT64_MAX};
        const struct pd_source source = {source_read, NULL, &s, im.n};
        struct out o = {.want = &im};
        const struct pd_sink sink = {.write = out_write, .user = &o};
        const struct pd_rewrite_options options = {.size = sizeof options, .reencode = reencode};
        assert_int_equal(pd_reader_open_source(&r, &source, NULL, NULL), PD_OK);
        s.fail_from = 700;
        assert_int_equal(pd_rewrite(r, &sink, &options, NULL, &e), PD_EIO);
        assert_int_equal(e.code, PD_EIO);
        assert_int_equal(e.found, EIO);
        assert_true(o.at <= 1000);
        pd_reader_close(r);
    }
    image_free(&im);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recording),
        cmocka_unit_test(copies_count_records_too),
        cmocka_unit_test(other_containers),
        cmocka_unit_test(early_ids),
        cmocka_unit_test(any_attr),
        cmocka_unit_test(sections_anywhere),
        cmocka_unit_test(undecodable_records),
        cmocka_unit_test(damaged_data),
        cmocka_unit_test(without_a_sink),
        cmocka_unit_test(what_is_proven_is_shown),
        cmocka_unit_test(a_sink_that_fails),
        cmocka_unit_test(any_input),
        cmocka_unit_test(an_input_that_fails),
        cmocka_unit_test(a_damaged_stream),
        cmocka_unit_test(sections_anywhere_in_a_stream),
    };
    return cmocka_run_group_tests_name("rewrite", tests, NULL, NULL);
}
