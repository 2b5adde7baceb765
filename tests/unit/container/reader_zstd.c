/* SPDX-License-Identifier: MIT */
/*
 * reader_zstd.c - records inside COMPRESSED ones: chunks that end anywhere, frames that begin again, damage,
 * limits. Records before damage are given, losses are reported, and memory stays bounded. Checks R2, R7.
 */
#include "cmocka_all.h"
#include "heap.h"
#include "zframe.h"
#include <perfdata/perfdata.h>

enum { SAMPLE = 9, ROUND = 68, CHUNK = 81, CHUNK2 = 83 };

#define LOG 17 /* of the window of the frames here: 128 KiB */

/* ---- Images */

/* A pipe stream without attrs. */
static void begin(struct image *im, bool big)
{
    image_start(im, big, 16, 0);
}

/* A record of 8 + 8 n bytes whose first word is `value`. */
static void add_sample(struct image *im, uint64_t value, size_t n)
{
    const size_t at = image_record(im, SAMPLE, 1);
    image_u64(im, value);
    image_zeros(im, 8 * (n - 1));
    image_end(im, at);
}

/* A chunk of one raw block; `log` is 0 inside a frame, or the new frame's. */
static void add_chunk(struct image *im, unsigned log, const void *bytes, size_t n, bool last)
{
    const size_t at = image_record(im, CHUNK, 0);
    if (log)
        zframe_start(im, log);
    zframe_raw(im, bytes, n, last);
    image_end(im, at);
}

/* The same as COMPRESSED2. */
static void add_chunk2(struct image *im, unsigned log, const void *bytes, size_t n, bool last)
{
    const size_t at = image_record(im, CHUNK2, 0);
    image_u64(im, 0);
    const size_t start = im->n;
    if (log)
        zframe_start(im, log);
    zframe_raw(im, bytes, n, last);
    image_set(im, start - 8, im->n - start, 8);
    image_zeros(im, (8 - im->n % 8) % 8);
    image_end(im, at);
}

static void add_round(struct image *im)
{
    image_end(im, image_record(im, ROUND, 0));
}

/* ---- Expectations */

static struct pd_reader *open_limited(const struct image *im, uint64_t max_inflate, uint64_t max_window,
                                      const struct pd_allocator *allocator)
{
    const struct pd_reader_options options = {
        .size = sizeof options, .allocator = allocator, .max_inflate = max_inflate, .max_window = max_window};
    struct pd_reader *r = NULL;
    assert_int_equal(pd_reader_open_memory(&r, im->b, im->n, &options, NULL), PD_OK);
    return r;
}

static struct pd_reader *open_image(const struct image *im)
{
    return open_limited(im, 0, 0, NULL);
}

static void done(struct pd_reader *r, struct image *im)
{
    pd_reader_close(r);
    image_free(im);
}

static void expect(struct pd_reader *r, uint32_t type, unsigned depth, uint64_t index)
{
    struct pd_record rec = {0};
    struct pd_error e = {0};
    const enum pd_code code = pd_reader_next(r, &rec, &e);
    if (code)
        fail_msg("%s at %llu instead of a record of type %u", e.field ? e.field : pd_code_name(code),
                 (unsigned long long)e.offset, type);
    assert_int_equal(rec.type, type);
    assert_int_equal(rec.depth, depth);
    assert_int_equal(rec.index, index);
    if (type == SAMPLE)
        assert_int_equal(rec.raw[8], index); /* they are numbered in order, in little-endian streams */
}

static void expect_error(struct pd_reader *r, enum pd_code code, const char *field, uint64_t offset,
                         uint64_t found)
{
    struct pd_record rec = {0}; /* a separate record: the error must not depend on the last one */
    struct pd_error e = {0};
    assert_int_equal(pd_reader_next(r, &rec, &e), code);
    assert_int_equal(e.code, code);
    assert_int_equal(e.offset, offset);
    if (field)
        assert_string_equal(e.field, field);
    if (field)
        assert_int_equal(e.found, found);
}

/* Expects the end, however often it is asked for. */
static void expect_end(struct pd_reader *r)
{
    struct pd_record rec = {0};
    assert_int_equal(pd_reader_next(r, &rec, NULL), PD_END);
    assert_int_equal(pd_reader_next(r, &rec, NULL), PD_END);
}

/* ---- Intact streams */

/*
 * Records of 16, 40 and 24 bytes, in two chunks cut at every byte; the frame goes on, ends, or begins again.
 */
static void records_over_chunks(void **state)
{
    enum { ONE_FRAME, TWO_FRAMES, SECOND_KIND };
    (void)state;
    for (int how = ONE_FRAME; how <= SECOND_KIND; how++) {
        for (size_t cut = 0; cut <= 80; cut++) {
            struct image im, inner = {0};
            uint64_t place[3], inner_at[3];
            size_t n = 0;
            struct pd_record rec = {0};
            add_sample(&inner, 100, 1);
            add_sample(&inner, 101, 4);
            add_sample(&inner, 102, 2);
            begin(&im, false);
            if (how == SECOND_KIND) {
                add_chunk2(&im, LOG, inner.b, cut, false);
                add_chunk2(&im, 0, inner.b + cut, 80 - cut, true);
            } else {
                add_chunk(&im, LOG, inner.b, cut, how == TWO_FRAMES);
                add_chunk(&im, how == TWO_FRAMES ? LOG : 0, inner.b + cut, 80 - cut, true);
            }
            struct pd_reader *r = open_image(&im);
            for (unsigned outer = 0; pd_reader_next(r, &rec, NULL) == PD_OK;) {
                if (rec.depth == 0) {
                    assert_int_equal(rec.type, how == SECOND_KIND ? CHUNK2 : CHUNK);
                    outer++;
                    continue;
                }
                assert_true(n < 3);
                assert_int_equal(rec.raw[8], 100 + n);
                place[n] = outer;
                inner_at[n++] = rec.inner_offset;
            }
            assert_int_equal(n, 3);
            assert_true(inner_at[0] == 0 && inner_at[1] == 16 && inner_at[2] == 56);
            assert_true(place[0] == (cut < 16 ? 2 : 1)); /* in the chunk where it became complete */
            assert_true(place[1] == (cut < 56 ? 2 : 1));
            assert_true(place[2] == (cut < 80 ? 2 : 1));
            expect_end(r);
            done(r, &im);
            image_free(&inner);
        }
    }
}

/* The input of one frame is cut at any byte, also inside its header and its blocks' headers. */
static void chunks_cut_anywhere(void **state)
{
    struct image frame = {0}, inner = {0};
    (void)state;
    add_sample(&inner, 1, 4);
    add_sample(&inner, 2, 4);
    zframe_start(&frame, LOG);
    zframe_raw(&frame, inner.b, 50, false);
    zframe_raw(&frame, inner.b + 50, inner.n - 50, true);
    for (size_t cut = 4; cut <= frame.n; cut++) {
        struct image im;
        struct pd_record rec = {0};
        unsigned n = 0;
        begin(&im, false);
        size_t at = image_record(&im, CHUNK, 0);
        image_bytes(&im, frame.b, cut);
        image_end(&im, at);
        at = image_record(&im, CHUNK, 0);
        image_bytes(&im, frame.b + cut, frame.n - cut);
        image_end(&im, at);
        struct pd_reader *r = open_image(&im);
        enum pd_code code;
        while ((code = pd_reader_next(r, &rec, NULL)) == PD_OK)
            n += rec.depth;
        assert_int_equal(code, PD_END);
        assert_int_equal(n, 2);
        done(r, &im);
    }
    image_free(&frame);
    image_free(&inner);
}

/* A record left incomplete at the end of the data. */
static void incomplete_at_the_end(void **state)
{
    (void)state;
    for (size_t n = 1; n < 40; n++) {
        struct image im, inner = {0};
        struct pd_record rec = {0};
        struct pd_error e;
        add_sample(&inner, 1, 1);
        add_sample(&inner, 2, 4);
        begin(&im, false);
        add_chunk(&im, LOG, inner.b, 16 + n, false);
        struct pd_reader *r = open_image(&im);
        expect(r, CHUNK, 0, 0);
        expect(r, SAMPLE, 1, 1);
        assert_int_equal(pd_reader_next(r, &rec, &e), PD_ETRUNC);
        assert_string_equal(e.field, "record inside COMPRESSED");
        assert_int_equal(e.offset, 16);
        assert_int_equal(e.found, n);
        assert_int_equal(e.expected, n < 8 ? 8 : 40);
        assert_int_equal(e.record_type, n < 4 ? CHUNK : SAMPLE);
        assert_int_equal(pd_reader_offset(r), im.n);
        expect_end(r);
        done(r, &im);
        image_free(&inner);
    }
}

/* ---- Damage */

/* Blocks before a damaged one are given, even of the same chunk; losses behind it are reported. */
static void damaged_block(void **state)
{
    (void)state;
    for (int restarts = 0; restarts < 2; restarts++) {
        struct image im, inner = {0};
        add_sample(&inner, 1, 1);
        add_sample(&inner, 2, 1);
        begin(&im, false);
        size_t at = image_record(&im, CHUNK, 0);
        zframe_start(&im, LOG);
        zframe_raw(&im, inner.b, 16, false);
        zframe_raw(&im, inner.b + 16, 16, false);
        zframe_damage(&im);
        image_end(&im, at);
        const uint64_t first = im.n;
        add_chunk(&im, 0, inner.b, 16, false);
        add_round(&im);
        add_chunk(&im, 0, inner.b, 16, true);
        inner.n = 0;
        add_sample(&inner, 7, 1);
        if (restarts)
            add_chunk(&im, LOG, inner.b, 16, true);
        struct pd_reader *r = open_image(&im);
        for (int i = 0; i < 2; i++) {
            expect(r, CHUNK, 0, 0);
            expect(r, SAMPLE, 1, 1);
            expect(r, SAMPLE, 1, 2);
            expect_error(r, PD_EZSTD, NULL, 16, 0);
            expect(r, CHUNK, 0, 3);
            expect(r, ROUND, 0, 4);
            expect(r, CHUNK, 0, 5);
            if (restarts)
                expect(r, CHUNK, 0, 6);
            expect_error(r, PD_EZSTD, "COMPRESSED records passed over since the damage before", first, 2);
            if (restarts)
                expect(r, SAMPLE, 1, 7);
            expect_end(r);
            assert_int_equal(pd_reader_rewind(r, NULL), PD_OK);
        }
        done(r, &im);
        image_free(&inner);
    }
}

/* Damage outside of zstd: an impossible record size. */
static void damaged_record_inside(void **state)
{
    struct image im, inner = {0};
    (void)state;
    add_sample(&inner, 1, 1);
    add_sample(&inner, 2, 1);
    inner.b[16 + 6] = 7;
    begin(&im, false);
    add_chunk(&im, LOG, inner.b, inner.n, false);
    const uint64_t passed = im.n;
    add_chunk(&im, 0, inner.b, 16, true);
    struct pd_reader *r = open_image(&im);
    expect(r, CHUNK, 0, 0);
    expect(r, SAMPLE, 1, 1);
    expect_error(r, PD_EZSTD, "size", 16, 7);
    expect(r, CHUNK, 0, 2);
    expect_error(r, PD_EZSTD, "COMPRESSED records passed over since the damage before", passed, 1);
    expect_end(r);
    done(r, &im);
    image_free(&inner);
}

/* Damage of the outer stream comes after the records that it hides. */
static void damage_outside_after_damage_inside(void **state)
{
    struct image im, inner = {0};
    struct pd_record rec = {0};
    (void)state;
    add_sample(&inner, 1, 1);
    begin(&im, false);
    size_t at = image_record(&im, CHUNK, 0);
    zframe_start(&im, LOG);
    zframe_damage(&im);
    image_end(&im, at);
    const uint64_t passed = im.n;
    add_chunk(&im, 0, inner.b, 16, true);
    const uint64_t end = im.n;
    image_record(&im, ROUND, 0); /* size 0 */
    struct pd_reader *r = open_image(&im);
    expect(r, CHUNK, 0, 0);
    expect_error(r, PD_EZSTD, NULL, 16, 0);
    expect(r, CHUNK, 0, 1);
    expect_error(r, PD_EZSTD, "COMPRESSED records passed over since the damage before", passed, 1);
    expect_error(r, PD_ESIZE, "size", end, 0);
    assert_int_equal(pd_reader_next(r, &rec, NULL), PD_END);
    done(r, &im);
    image_free(&inner);
}

/* A frame begins although the previous one did not end: the rest of the started record never comes. */
static void frame_without_end(void **state)
{
    (void)state;
    for (size_t left = 0; left < 16; left++) {
        struct image im, inner = {0};
        add_sample(&inner, 1, 1);
        add_sample(&inner, 3, 1);
        begin(&im, false);
        add_chunk(&im, LOG, inner.b, 16 + left, false);
        const uint64_t second = im.n;
        inner.n = 0;
        add_sample(&inner, 3, 1);
        add_chunk(&im, LOG, inner.b, 16, true);
        struct pd_reader *r = open_image(&im);
        expect(r, CHUNK, 0, 0);
        expect(r, SAMPLE, 1, 1);
        expect(r, CHUNK, 0, 2);
        if (left)
            expect_error(r, PD_EZSTD, "record cut off by the start of another zstd frame", second, left);
        expect(r, SAMPLE, 1, 3);
        expect_end(r);
        done(r, &im);
        image_free(&inner);
    }
}

/* ---- COMPRESSED2 */

static void impossible_data_size(void **state)
{
    static const uint64_t sizes[] = {0, 25, 100, UINT64_MAX,
                                     16}; /* there are 24 bytes, of which 22 are meant */
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct image im, inner = {0};
        add_sample(&inner, 1, 1);
        begin(&im, false);
        const size_t at = image_record(&im, CHUNK2, 0);
        image_u64(&im, sizes[i]);
        zframe_start(&im, LOG);
        zframe_raw(&im, inner.b, 13, false);
        image_zeros(&im, 2);
        image_end(&im, at);
        const uint64_t second = im.n;
        add_chunk2(&im, 0, inner.b + 13, 3, true);
        inner.n = 0;
        add_sample(&inner, 3, 1);
        add_chunk2(&im, LOG, inner.b, 16, true);
        struct pd_reader *r = open_image(&im);
        expect(r, CHUNK2, 0, 0);
        expect_error(r, PD_EZSTD, "data_size", at, i == 1 || i == 2 || i == 3 ? 0 : sizes[i]);
        expect(r, CHUNK2, 0, 1);
        expect(r, CHUNK2, 0, 2);
        expect_error(r, PD_EZSTD, "COMPRESSED records passed over since the damage before", second, 1);
        expect(r, SAMPLE, 1, 3);
        expect_end(r);
        done(r, &im);
        image_free(&inner);
    }
}

/* Records too short to say how much is in them. */
static void compressed_records_of_any_size(void **state)
{
    (void)state;
    for (size_t n = 0; n < 24; n++) {
        for (uint32_t type = CHUNK; type <= CHUNK2; type += 2) {
            struct image im;
            struct pd_record rec = {0};
            enum pd_code code;
            begin(&im, false);
            size_t at = image_record(&im, type, 0);
            image_zeros(&im, n);
            image_end(&im, at);
            add_round(&im);
            struct pd_reader *r = open_image(&im);
            unsigned records = 0, lost = 0;
            while ((code = pd_reader_next(r, &rec, NULL)) == PD_OK || code == PD_EZSTD)
                code ? lost++ : records++;
            assert_int_equal(code, PD_END);
            assert_int_equal(records, 2);
            if (type == CHUNK2) /* too short, or with eight bytes of padding */
                assert_int_equal(lost, n < 8 || n >= 16);
            done(r, &im);
        }
    }
}

/* The record is given, with an error; records behind it in the same chunk are given, too. */
static void compressed_inside_compressed(void **state)
{
    (void)state;
    for (uint32_t type = CHUNK; type <= CHUNK2; type += 2) {
        struct image im, inner = {0};
        add_sample(&inner, 1, 1);
        const size_t at = image_record(&inner, type, 0);
        zframe_start(&inner, LOG);
        zframe_raw(&inner, "12345678", 8, true);
        image_end(&inner, at);
        add_sample(&inner, 3, 1);
        begin(&im, false);
        add_chunk(&im, LOG, inner.b, inner.n, true);
        struct pd_reader *r = open_image(&im);
        expect(r, CHUNK, 0, 0);
        expect(r, SAMPLE, 1, 1);
        expect_error(r, PD_EZSTD, "COMPRESSED inside COMPRESSED", 16, 1);
        expect(r, type, 1, 2);
        expect(r, SAMPLE, 1, 3);
        expect_end(r);
        done(r, &im);
        image_free(&inner);
    }
}

/* An attr that comes with compressed records is damage, and no event of the recording. */
static void attr_inside_compressed(void **state)
{
    (void)state;
    struct image im, inner = {0};
    add_sample(&inner, 1, 1);
    const size_t at = image_record(&inner, PD_RECORD_HEADER_ATTR, 0);
    image_attr(&inner, 64, 64, ST_IP, true);
    image_u64(&inner, 7);
    image_end(&inner, at);
    add_sample(&inner, 3, 1);
    begin(&im, false);
    add_chunk(&im, LOG, inner.b, inner.n, true);
    struct pd_reader *r = open_image(&im);
    const size_t n = pd_reader_n_attrs(r);
    expect(r, CHUNK, 0, 0);
    expect(r, SAMPLE, 1, 1);
    expect_error(r, PD_EZSTD, "HEADER_ATTR inside COMPRESSED", 16, 1);
    expect(r, SAMPLE, 1, 3);
    assert_int_equal(pd_reader_n_attrs(r), n);
    expect_end(r);
    done(r, &im);
    image_free(&inner);
}

/* ---- Limits */

#define BOMB_RECORD 2056 /* bytes of 8 are a record of 0x0808 bytes */

/* A chunk of some bytes that makes `blocks` times 128 KiB of records, and an intact one. */
static void add_bomb(struct image *im, size_t blocks)
{
    size_t at = image_record(im, CHUNK, 0);
    zframe_start(im, LOG);
    for (size_t i = 0; i < blocks; i++)
        zframe_repeat(im, 8, ZFRAME_BLOCK, i + 1 == blocks);
    image_end(im, at);
    uint8_t record[16] = {SAMPLE, [6] = 16};
    add_chunk(im, LOG, record, sizeof record, true);
}

/* All records within the limit are given, then it is reported, and memory is that of the window. */
static void expect_bomb(uint64_t limit, uint64_t option, size_t blocks)
{
    struct heap heap = {0};
    const struct pd_allocator allocator = {heap_resize, heap_release, &heap};
    struct image im;
    struct pd_record rec = {0};
    struct pd_error e;
    uint64_t n = 0;
    begin(&im, false);
    add_bomb(&im, blocks);
    struct pd_reader *r = open_limited(&im, option, 0, &allocator);
    const uint64_t made = blocks * (uint64_t)ZFRAME_BLOCK;
    enum pd_code code;
    while ((code = pd_reader_next(r, &rec, &e)) == PD_OK && rec.type != SAMPLE)
        n += rec.depth;
    assert_int_equal(n, (made < limit ? made : limit) / BOMB_RECORD);
    if (made > limit) {
        assert_int_equal(code, PD_ELIMIT);
        assert_string_equal(e.field, "decompressed size");
        assert_int_equal(e.offset, 16);
        assert_int_equal(e.found, limit + 1);
        assert_int_equal(e.expected, limit);
        assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
        assert_int_equal(rec.type, CHUNK);
        assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
        assert_int_equal(rec.type, SAMPLE);
        assert_int_equal(pd_reader_next(r, &rec, NULL), PD_END);
    } else {
        assert_true(code == PD_OK && rec.type == SAMPLE);
    }
    assert_true(heap.peak < 1 << 20);
    done(r, &im);
    assert_int_equal(heap.bytes, 0);
}

static void bombs(void **state)
{
    (void)state;
    expect_bomb(UINT64_C(1) << 20, UINT64_C(1) << 20, 100);
    expect_bomb(16, 16, 2);
    expect_bomb(BOMB_RECORD, BOMB_RECORD, 1);
    expect_bomb(3 * ZFRAME_BLOCK, 3 * ZFRAME_BLOCK, 4);
    expect_bomb(257 * BOMB_RECORD, 257 * BOMB_RECORD,
                257); /* exactly the limit: 257 blocks are 64 times 257 records */
    expect_bomb(UINT64_C(256) << 20, 0, 16000);
}

static void just_within_the_limit(void **state)
{
    struct image im, inner = {0};
    (void)state;
    for (uint64_t i = 1; i <= 4; i++)
        add_sample(&inner, i, 1);
    for (uint64_t limit = 63; limit <= 65; limit++) {
        begin(&im, false);
        add_chunk(&im, LOG, inner.b, 64, true);
        struct pd_reader *r = open_limited(&im, limit, 0, NULL);
        expect(r, CHUNK, 0, 0);
        for (uint64_t i = 1; i <= (limit < 64 ? 3 : 4); i++)
            expect(r, SAMPLE, 1, i);
        if (limit < 64)
            expect_error(r, PD_ELIMIT, "decompressed size", 16, 64);
        expect_end(r);
        done(r, &im);
    }
    image_free(&inner);
}

/* A frame of a few bytes may not ask for gigabytes. */
static void windows(void **state)
{
    static const struct {
        uint64_t option;
        unsigned log;
        bool allowed;
    } cases[] = {
        {0, 27, true},
        {0, 28, false},
        {0, 41, false},
        {1 << 20, 20, true},
        {1 << 20, 21, false},
        {(1 << 21) - 1, 21, false},
        {(1 << 21) - 1, 20, true},
        {UINT64_MAX, 28, true},
        {1, 10, true}, /* the minimum */
        {1, 11, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct heap heap = {0};
        const struct pd_allocator allocator = {heap_resize, heap_release, &heap};
        struct image im, inner = {0};
        add_sample(&inner, 1, 1);
        begin(&im, false);
        add_chunk(&im, cases[i].log, inner.b, inner.n, true);
        struct pd_reader *r = open_limited(&im, 0, cases[i].option, &allocator);
        expect(r, CHUNK, 0, 0);
        if (cases[i].allowed)
            expect(r, SAMPLE, 1, 1);
        else
            expect_error(r, PD_ELIMIT, "window of the zstd frame", 16, UINT64_C(1) << cases[i].log);
        expect_end(r);
        if (!cases[i].allowed)
            assert_true(heap.peak < 1 << 20);
        done(r, &im);
        image_free(&inner);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_over_chunks),
        cmocka_unit_test(chunks_cut_anywhere),
        cmocka_unit_test(incomplete_at_the_end),
        cmocka_unit_test(damaged_block),
        cmocka_unit_test(damaged_record_inside),
        cmocka_unit_test(damage_outside_after_damage_inside),
        cmocka_unit_test(frame_without_end),
        cmocka_unit_test(impossible_data_size),
        cmocka_unit_test(compressed_records_of_any_size),
        cmocka_unit_test(compressed_inside_compressed),
        cmocka_unit_test(attr_inside_compressed),
        cmocka_unit_test(bombs),
        cmocka_unit_test(just_within_the_limit),
        cmocka_unit_test(windows),
    };
    return cmocka_run_group_tests_name("reader_zstd", tests, NULL, NULL);
}
