/* SPDX-License-Identifier: MIT */
/*
 * reader_part.c - a file read in parts, by one thread and by several, gives the records of one reader, for
 * any cuts, also if data looks like records and if records are damaged; and reading continues at any record.
 * Checks R6.
 */
#include "digest.h"
#include "cmocka_all.h"
#include "fuzz/image_sink.h"
#include <perfdata/ops/convert.h>
#include <perfdata/ops/rewrite.h>
#include <perfdata/writer.h>
#include <pthread.h>

#define SAMPLES 400
#define FAKES 40 /* more than the reader tries */
#define COMM_BYTES 56

static void begin(struct image *im, bool big)
{
    image_start(im, big, 104, 144);
    image_u64(im, 11);
    image_u64(im, 21);
    image_section(im, IMAGE_ATTRS, im->n, UINT64_C(2) * 144);
    image_attr(im, 128, 128, IMAGE_ST0, true);
    image_ids(im, 104, 8);
    image_attr(im, 128, 128, IMAGE_ST1, true);
    image_ids(im, 112, 8);
    im->data = im->n;
}

static void end(struct image *im)
{
    image_section(im, IMAGE_DATA, im->data, im->n - im->data);
    image_features(im);
}

static void add_samples(struct image *im, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        i % 3 ? image_sample0(im, 11, 0x400000 + i, i) : image_sample1(im, 21, 0x400000 + i, i);
}

/* Samples of two events, of 88 and 56 bytes. */
static struct image plain(bool big)
{
    struct image im;
    begin(&im, big);
    image_comm(&im, "one\0lef", 0, true, 0);
    add_samples(&im, SAMPLES);
    end(&im);
    return im;
}

static struct pd_reader *open_image(const struct image *im)
{
    struct pd_reader *r;
    assert_int_equal(pd_reader_open_memory(&r, im->b, im->n, NULL, NULL), PD_OK);
    return r;
}

static void expect_equal(const struct digest *a, const struct digest *b)
{
    assert_int_equal(a->code, b->code);
    assert_int_equal(a->records, b->records);
    assert_int_equal(a->decoded, b->decoded);
    assert_true(a->hash == b->hash);
    if (a->code != PD_END) {
        assert_int_equal(a->error.offset, b->error.offset);
        assert_int_equal(a->error.record_index, b->error.record_index);
    }
}

/*
 * Compares reading in parts of so many bytes with one reader; returns the offset up to which parts were
 * certain.
 */
static uint64_t expect_same(const struct image *im, uint64_t bytes)
{
    struct pd_reader *r = open_image(im);
    uint64_t certain;
    const struct digest whole = digest_reader(r);
    pd_reader_close(r);
    r = open_image(im);
    const struct digest parts = digest_parts(r, bytes, &certain);
    pd_reader_close(r);
    expect_equal(&whole, &parts);
    return certain;
}

static const uint64_t stripes[] = {8, 100, 1000, 4096, 5001, 100000};
#define N_STRIPES (sizeof stripes / sizeof *stripes)

static void cut_anywhere(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct image im = plain(big);
        for (size_t i = 0; i < N_STRIPES; i++)
            assert_int_equal(expect_same(&im, stripes[i]), im.table);
        image_free(&im);
    }
}

/* The parts of a reader: where they begin and end, and their records. */
static void expect_part(struct pd_reader *part, uint64_t from, uint64_t to, uint64_t first, uint64_t last,
                        unsigned records)
{
    struct pd_record rec = {0};
    assert_int_equal(pd_reader_take_part(part, from, to, NULL), PD_OK);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(pd_reader_offset(part), first);
        assert_int_equal(pd_reader_info(part)->data_offset, first);
        for (unsigned i = 0; i < records; i++) {
            assert_int_equal(pd_reader_next(part, &rec, NULL), PD_OK);
            assert_int_equal(rec.index, i);
        }
        assert_int_equal(pd_reader_next(part, &rec, NULL), PD_END);
        assert_int_equal(pd_reader_offset(part), last);
        assert_int_equal(pd_reader_rewind(part, NULL), PD_OK);
    }
}

/* If `from` or `to` is within a record: a record belongs to the part in which it begins. */
static void where_they_begin(void **state)
{
    struct image im = plain(false);
    struct pd_reader *r = open_image(&im), *part;
    const uint64_t data = im.data, first = data + COMM_BYTES; /* samples of 56, 88, 88, 56, … bytes */
    (void)state;
    assert_int_equal(pd_reader_open_part(&part, r, NULL, NULL), PD_OK);
    expect_part(part, data, data, data, data, 0);
    expect_part(part, data, data + 1, data, first, 1);
    expect_part(part, data, first, data, first, 1);
    expect_part(part, data + 1, first, first, first, 0); /* none begins there */
    expect_part(part, first, first + 57, first, first + 144, 2);
    expect_part(part, first + 1, first + 57, first + 56, first + 144, 1);
    expect_part(part, first + 57, first + 144, first + 144, first + 144, 0);
    expect_part(part, first + 143, first + 145, first + 144, first + 232, 1);
    expect_part(part, im.table - 88, PD_NOWHERE, im.table - 56, im.table, 1); /* the last has 56 bytes */
    expect_part(part, im.table, PD_NOWHERE, im.table, im.table, 0);
    expect_part(part, data, PD_NOWHERE, data, im.table, SAMPLES + 1);
    pd_reader_close(part);
    pd_reader_close(r);
    image_free(&im);
}

/* A sample whose raw data is a row of samples: a part that begins in it begins with these. */
static void looks_like_records(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct image im;
        struct pd_reader *r, *part;
        struct pd_record rec = {0};
        begin(&im, big);
        add_samples(&im, 100);
        const uint64_t before = im.n;
        const size_t at = image_record(&im, 9, 2);
        image_u64(&im, 21);
        image_u64(&im, 0x400000);
        image_u64(&im, 0);
        image_u64(&im, 5);
        image_u32(&im, FAKES * 88 + 4);
        image_u32(&im, 0);
        const uint64_t fake = im.n;
        for (unsigned i = 0; i < FAKES; i++)
            image_sample0(&im, 11, 0x666, i);
        image_end(&im, at);
        add_samples(&im, 100);
        end(&im);
        r = open_image(&im);
        assert_int_equal(pd_reader_open_part(&part, r, NULL, NULL), PD_OK);
        assert_int_equal(pd_reader_take_part(part, fake - 4, PD_NOWHERE, NULL), PD_OK);
        assert_int_equal(pd_reader_offset(part), fake);
        assert_int_equal(pd_reader_next_decoded(part, &rec, NULL), PD_OK);
        assert_int_equal(rec.u.sample.ip, 0x666);
        pd_reader_close(part);
        pd_reader_close(r);
        const uint64_t certain =
            expect_same(&im, fake - 4 - im.data); /* cut right there: bytes behind the cut are not believed */
        assert_true(certain > before);
        for (size_t i = 0; i < N_STRIPES; i++)
            expect_same(&im, stripes[i]);
        image_free(&im);
    }
}

/* AUX data covers whole parts, which have no records or only bytes that look like records. */
static void payloads(void **state)
{
    (void)state;
    for (int like = 0; like < 2; like++) {
        struct image im, within;
        begin(&within, false);
        const size_t head = within.n;
        add_samples(&within, like ? 400 : 0);
        begin(&im, false);
        add_samples(&im, 100);
        image_auxtrace(&im, like ? within.n - head : 30000);
        if (like)
            memcpy(im.b + im.n - (within.n - head), within.b + head, within.n - head);
        add_samples(&im, 100);
        end(&im);
        for (size_t i = 0; i < N_STRIPES; i++) {
            const uint64_t certain = expect_same(&im, stripes[i]);
            assert_true(like || certain == im.table);
        }
        image_free(&im);
        image_free(&within);
    }
}

/* Damage, and records of no known type: parts are certain up to there. */
static void damage(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 3; kind++) {
        struct image im = plain(false);
        size_t at = (size_t)im.data + COMM_BYTES;
        for (unsigned i = 0; i < SAMPLES / 2; i++)
            at += i % 3 ? 88 : 56;
        if (kind == 0)
            image_set(&im, at + 6, 4, 2); /* a size less than that of the header */
        else if (kind == 1)
            image_set(&im, at, 60, 4); /* an unknown type: is a record like others */
        else
            im.n = at + 20; /* cut */
        for (size_t i = 0; i < N_STRIPES; i++) {
            const uint64_t certain = expect_same(&im, stripes[i]);
            /* A part begins with 16 that are right. */
            assert_true(kind == 1 || (certain <= at && at - certain < stripes[i] + 20 * 88));
        }
        image_free(&im);
    }
}

/* Files that one part cannot read without the others. */
static void for_one_thread(void **state)
{
    const struct pd_reader_options keep = {.size = sizeof keep, .keep_compressed = true};
    (void)state;
    for (unsigned type = 80; type <= 81; type++) { /* HEADER_FEATURE, COMPRESSED, which is not zstd */
        const enum pd_code code = type == 80 ? PD_EUNSUP : PD_EZSTD;
        struct image im;
        struct pd_reader *r, *part;
        struct pd_record rec = {0};
        struct pd_error e;
        begin(&im, false);
        add_samples(&im, 10);
        const size_t at = image_record(&im, type, 0);
        image_u64(&im, 3);
        image_end(&im, at);
        add_samples(&im, 10);
        end(&im);
        r = open_image(&im);
        for (int kept = 0; kept < 2; kept++) {
            assert_int_equal(pd_reader_open_part(&part, r, kept ? &keep : NULL, NULL), PD_OK);
            assert_int_equal(pd_reader_take_part(part, im.data, PD_NOWHERE, NULL), PD_OK);
            for (unsigned i = 0; i < 10; i++)
                assert_int_equal(pd_reader_next(part, &rec, NULL), PD_OK);
            if (type == 81 && kept) {
                assert_int_equal(pd_reader_next(part, &rec, NULL), PD_OK);
                assert_int_equal(rec.type, type);
            } else {
                if (type == 81) /* the record itself comes first */
                    assert_int_equal(pd_reader_next(part, &rec, NULL), PD_OK);
                assert_int_equal(pd_reader_next(part, &rec, &e), code);
                assert_true(e.offset == at || type == 81);
                assert_true(type == 81 || pd_reader_offset(part) == at);
                assert_int_equal(pd_reader_next(part, &rec, NULL), type == 80 ? PD_END : PD_OK);
            }
            pd_reader_close(part);
        }
        pd_reader_close(r);
        expect_same(&im, 300);
        image_free(&im);
    }
}

/* ---- Compressed recordings are cut where frames begin */

static struct image compress(const struct image *plain, enum pd_convert_zip zip, uint64_t frame)
{
    const struct pd_convert_options how = {
        .size = sizeof how, .zip = zip, .frame = frame, .to = PD_CONVERT_FILE};
    struct image im = {0};
    const struct pd_sink sink = image_sink(&im);
    struct pd_reader *r = open_image(plain);
    assert_int_equal(pd_convert(r, &sink, &how, NULL, NULL), PD_OK);
    pd_reader_close(r);
    return im;
}

/* Number of the parts of so many bytes that begin somewhere. */
static unsigned count_parts(const struct image *im, uint64_t bytes)
{
    struct pd_reader *r = open_image(im), *part;
    const struct pd_file_info *info = pd_reader_info(r);
    unsigned n = 0;
    assert_int_equal(pd_reader_open_part(&part, r, NULL, NULL), PD_OK);
    for (uint64_t from = info->data_offset, to; from < info->data_end; from = to) {
        to = info->data_end - from < bytes ? info->data_end : from + bytes;
        assert_int_equal(pd_reader_take_part(part, from, to, NULL), PD_OK);
        n += pd_reader_info(part)->data_offset < to;
    }
    pd_reader_close(part);
    pd_reader_close(r);
    return n;
}

static void cut_at_frames(void **state)
{
    static const uint64_t frames[] = {1, 500, 5000, 20000, UINT64_MAX};
    struct image im = plain(false);
    (void)state;
    for (size_t f = 0; f < sizeof frames / sizeof *frames; f++)
        for (int second = 0; second < 2; second++) {
            struct image z = compress(&im, second ? PD_ZIP_COMPRESSED2 : PD_ZIP_COMPRESSED, frames[f]);
            struct pd_reader *r = open_image(&z);
            const uint64_t end = pd_reader_info(r)->data_end;
            pd_reader_close(r);
            for (size_t i = 0; i < N_STRIPES; i++)
                assert_int_equal(expect_same(&z, stripes[i]), end);
            const unsigned parts = count_parts(&z, 100);
            assert_true(frames[f] == UINT64_MAX ? parts <= 2 : frames[f] > 5000 || parts > 3);
            image_free(&z);
        }
    image_free(&im);
}

/* One byte of a compressed recording is wrong: parts up to there count, one reader does the rest. */
static void damaged_frames(void **state)
{
    struct image im = plain(false), z = compress(&im, PD_ZIP_COMPRESSED, 2000);
    (void)state;
    for (size_t at = z.n / 4; at < z.n / 2; at += 97) {
        z.b[at] ^= 0x55;
        for (size_t i = 0; i < N_STRIPES; i++)
            expect_same(&z, stripes[i]);
        z.b[at] ^= 0x55;
    }
    image_free(&z);
    image_free(&im);
}

static int closed;

static void count_close(void *user)
{
    (void)user;
    closed++;
}

static int64_t read_image(void *user, uint64_t offset, void *buf, size_t n)
{
    const struct image *im = user;
    n = offset >= im->n ? 0 : n < im->n - offset ? n : im->n - (size_t)offset;
    memcpy(buf, im->b + offset, n);
    return (int64_t)n;
}

static void refused(void **state)
{
    struct image im = plain(false), pipe;
    struct pd_source source = {read_image, count_close, &im, im.n};
    struct pd_reader *r, *part;
    struct pd_error e;
    (void)state;
    closed = 0;
    assert_int_equal(pd_reader_open_source(&r, &source, NULL, NULL), PD_OK);
    assert_int_equal(pd_reader_open_part(&part, r, NULL, NULL), PD_OK);
    expect_part(part, im.data, im.data, im.data, im.data, 0);
    assert_int_equal(pd_reader_take_part(part, im.data - 1, im.table, &e), PD_EARG);
    assert_int_equal(e.expected, im.data);
    assert_int_equal(pd_reader_take_part(part, im.table + 1, PD_NOWHERE, &e), PD_EARG);
    assert_int_equal(e.found, im.table + 1);
    assert_int_equal(e.expected, im.table);
    assert_int_equal(pd_reader_take_part(part, im.data + 100, im.data + 99, NULL), PD_EARG);
    assert_int_equal(pd_reader_take_part(r, im.data, im.table, NULL), PD_EARG);
    expect_part(part, im.data, PD_NOWHERE, im.data, im.table, SAMPLES + 1);
    pd_reader_close(part);
    assert_int_equal(closed, 0);
    pd_reader_close(r);
    assert_int_equal(closed, 1);
    source.size = PD_NOWHERE;
    source.close = NULL;
    assert_int_equal(pd_reader_open_source(&r, &source, NULL, NULL), PD_OK);
    assert_int_equal(pd_reader_open_part(&part, r, NULL, &e), PD_EUNSUP);
    assert_null(part);
    assert_int_equal(pd_reader_seek(r, im.data, 0, NULL), PD_EUNSUP);
    pd_reader_close(r);
    image_start(&pipe, false, 16, 0);
    r = open_image(&pipe);
    assert_int_equal(pd_reader_open_part(&part, r, NULL, NULL), PD_EUNSUP);
    pd_reader_close(r);
    image_free(&pipe);
    image_free(&im);
}

static void seek(void **state)
{
    struct image im = plain(false);
    struct pd_reader *r = open_image(&im);
    struct pd_record rec = {0};
    uint64_t offset[SAMPLES + 2];
    (void)state;
    for (unsigned i = 0; i <= SAMPLES; i++) {
        offset[i] = pd_reader_offset(r);
        assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
    }
    offset[SAMPLES + 1] = im.table;
    for (unsigned i = SAMPLES; i <= SAMPLES; i -= 7) { /* backwards, until it wraps */
        assert_int_equal(pd_reader_seek(r, offset[i], 1000 + i, NULL), PD_OK);
        for (unsigned k = i; k < i + 3 && k <= SAMPLES; k++) {
            assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
            assert_int_equal(rec.offset, offset[k]);
            assert_int_equal(rec.index, 1000 + k);
        }
    }
    assert_int_equal(pd_reader_seek(r, im.table, 0, NULL), PD_OK);
    assert_int_equal(pd_reader_next(r, &rec, NULL), PD_END);
    assert_int_equal(pd_reader_seek(r, im.table + 1, 0, NULL), PD_EARG);
    assert_int_equal(pd_reader_seek(r, im.data - 1, 0, NULL), PD_EARG);
    pd_reader_close(r);
    image_free(&im);
}

/* ---- Written again */

static void rewrite(void **state)
{
    struct image im = plain(false);
    struct pd_reader *r = open_image(&im), *part;
    (void)state;
    assert_int_equal(pd_reader_open_part(&part, r, NULL, NULL), PD_OK);
    for (int reencode = 0; reencode < 2; reencode++) {
        struct image out = {0}, rest = {0};
        const struct pd_sink sink = image_sink(&out), rest_sink = image_sink(&rest);
        struct pd_rewrite_options o = {.size = sizeof o, .reencode = reencode};
        struct pd_rewrite_stats stats;
        uint64_t records = 0, decoded = 0;
        for (uint64_t from = im.data; from < im.table; from += 1000) {
            assert_int_equal(pd_reader_take_part(part, from, from + 1000, NULL), PD_OK);
            const uint64_t first = pd_reader_offset(part);
            assert_int_equal(first, im.data + out.n);
            assert_int_equal(pd_rewrite(part, &sink, &o, &stats, NULL), PD_OK);
            assert_int_equal(pd_reader_offset(part) - first, stats.bytes);
            records += stats.records;
            decoded += stats.decoded;
            /* Skips everything before the end of this part. */
            o.from = pd_reader_offset(part);
            o.index = records;
            rest.n = 0;
            assert_int_equal(pd_rewrite(r, &rest_sink, &o, &stats, NULL), PD_OK);
            o.from = 0;
            assert_int_equal(rest.n, im.n - out.n);
            assert_int_equal(stats.bytes, rest.n);
            assert_memory_equal(rest.b, im.b, im.data);
            assert_memory_equal(rest.b + im.data, im.b + im.data + out.n, rest.n - im.data);
            assert_int_equal(stats.records, SAMPLES + 1 - records);
        }
        assert_int_equal(records, SAMPLES + 1);
        assert_int_equal(decoded, reencode ? records : 0);
        assert_int_equal(out.n, im.table - im.data);
        assert_memory_equal(out.b, im.b + im.data, out.n);
        image_free(&out);
        image_free(&rest);
    }
    struct pd_rewrite_options o = {.size = sizeof o, .from = im.table + 8};
    assert_int_equal(pd_rewrite(r, NULL, &o, NULL, NULL), PD_EARG);
    pd_reader_close(part);
    pd_reader_close(r);
    image_free(&im);
}

/* A damaged part is copied to its end, and no further. */
static void rewrite_damaged(void **state)
{
    struct image im = plain(false), out = {0};
    const struct pd_sink sink = image_sink(&out);
    const struct pd_rewrite_options o = {.size = sizeof o, .reencode = true};
    struct pd_reader *r, *part;
    (void)state;
    image_set(&im, im.data + COMM_BYTES + 6, 4, 2);
    r = open_image(&im);
    assert_int_equal(pd_reader_open_part(&part, r, NULL, NULL), PD_OK);
    assert_int_equal(pd_reader_take_part(part, im.data, im.data + 1001, NULL), PD_OK);
    assert_int_equal(pd_rewrite(part, &sink, &o, NULL, NULL), PD_OK);
    assert_int_equal(out.n, 1001);
    assert_memory_equal(out.b, im.b + im.data, out.n);
    pd_reader_close(part);
    pd_reader_close(r);
    image_free(&out);
    image_free(&im);
}

/* ---- Several threads */

struct thread {
    const struct pd_reader *r;
    uint64_t from, to, begin, end;
    struct digest d;
    bool good;
};

static void *read_part(void *user)
{
    struct thread *t = user;
    struct pd_reader *part;
    if (pd_reader_open_part(&part, t->r, NULL, NULL))
        return NULL;
    t->good = pd_reader_take_part(part, t->from, t->to, NULL) == PD_OK;
    t->begin = pd_reader_offset(part);
    t->good &= digest_part(&t->d, part);
    t->end = pd_reader_offset(part);
    pd_reader_close(part);
    return NULL;
}

static void threads(void **state)
{
    enum { THREADS = 6 };
    struct image im;
    struct thread t[THREADS];
    pthread_t id[THREADS];
    uint64_t at, records = 0;
    (void)state;
    begin(&im, false);
    add_samples(&im, 30000);
    end(&im);
    const uint64_t n = (im.table - im.data) / THREADS;
    const struct pd_source source = {read_image, NULL, &im, im.n};
    struct pd_reader *r;
    assert_int_equal(pd_reader_open_source(&r, &source, NULL, NULL), PD_OK);
    for (unsigned i = 0; i < THREADS; i++) {
        t[i] = (struct thread){
            .r = r, .from = im.data + i * n, .to = i + 1 < THREADS ? im.data + (i + 1) * n : PD_NOWHERE};
        assert_int_equal(pthread_create(&id[i], NULL, read_part, &t[i]), 0);
    }
    at = im.data;
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(id[i], NULL);
        assert_true(t[i].good);
        assert_int_equal(t[i].begin, at);
        at = t[i].end;
        records += t[i].d.decoded;
    }
    assert_int_equal(at, im.table);
    assert_int_equal(records, 30000);
    pd_reader_close(r);
    image_free(&im);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(where_they_begin),
        cmocka_unit_test(looks_like_records),
        cmocka_unit_test(payloads),
        cmocka_unit_test(damage),
        cmocka_unit_test(for_one_thread),
        cmocka_unit_test(cut_at_frames),
        cmocka_unit_test(damaged_frames),
        cmocka_unit_test(refused),
        cmocka_unit_test(seek),
        cmocka_unit_test(rewrite),
        cmocka_unit_test(rewrite_damaged),
        cmocka_unit_test(threads),
    };
    return cmocka_run_group_tests_name("reader_part", tests, NULL, NULL);
}
