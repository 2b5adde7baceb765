/* SPDX-License-Identifier: MIT */
/*
 * repair.c - a recording made by hand, cut at every byte, and damaged in many ways: no record before the
 * damage is lost, the losses that pd_repair() reports add up, its result has no damage, and repairing that
 * changes nothing.
 */
#include "cmocka_all.h"
#include "fuzz/image_sink.h"
#include "zframe.h"
#include <perfdata/ops/repair.h>
#include <perfdata/ops/rewrite.h>
#include <perfdata/writer.h>
#include <stdio.h>

enum { SAMPLES = 24, ST = ST_IP | ST_TID | ST_TIME };

struct recording {
    struct image im;
    size_t start[SAMPLES + 1]; /* of the records; the last one is the end of the data */
};

/* A header of 104 bytes, one attr, samples of 32 bytes; or a stream. One feature behind the data of a file.
 */
static void make(struct recording *r, bool big, bool pipe)
{
    struct image *im = &r->im;
    image_start(im, big, pipe ? 16 : 104, 128);
    if (!pipe) {
        image_section(im, IMAGE_ATTRS, 104, 128);
        image_attr(im, 112, 112, ST, true);
        image_ids(im, 0, 0);
    } else {
        const size_t at = image_record(im, 64, 0);
        image_attr(im, 112, 112, ST, true);
        image_end(im, at);
    }
    const size_t data = im->n;
    for (unsigned i = 0; i < SAMPLES; i++) {
        r->start[i] = image_record(im, 9, 1);
        image_u64(im, 0x401000 + i);
        image_u32(im, 71);
        image_u32(im, 71);
        image_u64(im, 1000 + i);
        image_end(im, r->start[i]);
    }
    r->start[SAMPLES] = im->n;
    if (pipe)
        return;
    image_section(im, IMAGE_DATA, data, im->n - data);
    image_feature(im, 6, 8); /* ARCH */
    const size_t table = im->n;
    image_zeros(im, 16);
    image_section(im, table, im->n, 12);
    image_u32(im, 8);
    image_bytes(im, "x86_64\0\0", 8);
}

/* ---- Repair */

struct outcome {
    struct image im;
    struct pd_repair_stats stats;
    struct pd_lost_range lost[SAMPLES];
    size_t n_lost;
    uint64_t data_end;
    size_t n_findings;     /* of the input */
    bool samples[SAMPLES]; /* found in the output */
    bool arch;
};

static void on_lost(void *user, const struct pd_lost_range *lost)
{
    struct outcome *o = user;
    assert_true(o->n_lost < SAMPLES);
    assert_true(lost->bytes > 0);
    assert_true(o->n_lost == 0 ||
                lost->offset > o->lost[o->n_lost - 1].offset + o->lost[o->n_lost - 1].bytes);
    o->lost[o->n_lost++] = *lost;
}

/* The result must be without damage, and the same after decoding and encoding. */
static void judge(struct outcome *o)
{
    const struct pd_rewrite_options how = {.size = sizeof how, .reencode = true};
    struct pd_rewrite_stats stats;
    struct pd_reader *r;
    struct pd_record rec = {0};
    uint64_t last = 0;
    enum pd_code code;
    assert_int_equal(pd_reader_open_memory(&r, o->im.b, o->im.n, NULL, NULL), PD_OK);
    assert_int_equal(pd_reader_n_findings(r), 0);
    assert_false(pd_reader_info(r)->truncated);
    o->arch = pd_reader_find_feature(r, 6) != NULL;
    while ((code = pd_reader_next(r, &rec, NULL)) == PD_OK) {
        assert_int_equal(pd_reader_decode(r, &rec, NULL), PD_OK);
        if (rec.type != PD_RECORD_SAMPLE)
            continue;
        assert_true(rec.u.sample.time > last); /* none twice, all in order */
        last = rec.u.sample.time;
        if (last >= 1000 && last - 1000 < SAMPLES)
            o->samples[last - 1000] = true;
    }
    assert_int_equal(code, PD_END);
    assert_int_equal(pd_reader_rewind(r, NULL), PD_OK);
    assert_int_equal(pd_rewrite(r, NULL, &how, &stats, NULL), PD_OK);
    assert_int_equal(stats.undecodable + stats.differing + stats.bad_sections, 0);
    pd_reader_close(r);
}

/* What was repaired is repaired: nothing of it changes. */
static void repair_again(const struct image *im, bool keep_tail)
{
    const struct pd_repair_options options = {.size = sizeof options, .keep_tail = keep_tail};
    struct image again = {0};
    const struct pd_sink sink = image_sink(&again);
    struct pd_repair_stats stats;
    struct pd_reader *r;
    assert_int_equal(pd_reader_open_memory(&r, im->b, im->n, NULL, NULL), PD_OK);
    assert_int_equal(pd_repair(r, &sink, &options, &stats, NULL), PD_OK);
    assert_int_equal(stats.lost, 0);
    assert_int_equal(again.n, im->n);
    assert_memory_equal(again.b, im->b, im->n);
    pd_reader_close(r);
    image_free(&again);
}

static enum pd_code repair(const uint8_t *b, size_t n, bool keep_tail, struct outcome *o)
{
    const struct pd_repair_options options = {
        .size = sizeof options, .keep_tail = keep_tail, .lost = on_lost, .user = o};
    const struct pd_sink sink = image_sink(&o->im);
    struct pd_reader *r;
    *o = (struct outcome){.n_lost = 0};
    enum pd_code code = pd_reader_open_memory(&r, b, n, NULL, NULL);
    if (code)
        return code;
    code = pd_repair(r, &sink, &options, &o->stats, NULL);
    o->data_end = pd_reader_info(r)->data_end;
    o->n_findings = pd_reader_n_findings(r);
    pd_reader_close(r);
    if (code)
        return code;
    judge(o);
    repair_again(&o->im, keep_tail);
    uint64_t sum = 0;
    for (size_t i = 0; i < o->n_lost; i++)
        sum += o->lost[i].bytes;
    assert_int_equal(sum, o->stats.lost);
    assert_int_equal(o->n_lost, o->stats.ranges);
    return PD_OK;
}

/* ---- Tests */

static void cut_anywhere(void **state)
{
    (void)state;
    for (int way = 0; way < 4; way++) {
        struct recording r = {.im = {0}};
        make(&r, way & 1, way & 2);
        for (size_t n = 0; n <= r.im.n; n++) {
            struct outcome o;
            uint8_t *exact = malloc(n ? n : 1); /* so that reading behind it is noticed */
            assert_non_null(exact);
            memcpy(exact, r.im.b, n);
            const enum pd_code code = repair(exact, n, n & 1, &o);
            const bool attrs = n >= (way & 2 ? 16 + 8 + 112u : r.start[0]);
            assert_int_equal(code == PD_OK, attrs);
            for (size_t i = 0; i < SAMPLES && attrs; i++)
                assert_int_equal(o.samples[i], r.start[i + 1] <= n);
            if (attrs && n < r.start[SAMPLES]) {
                size_t whole = SAMPLES;
                while (r.start[whole] > n)
                    whole--;
                assert_int_equal(o.stats.lost, n - r.start[whole]);
            } else if (attrs) {
                assert_int_equal(o.stats.lost, 0);
            }
            free(exact);
            image_free(&o.im);
        }
        image_free(&r.im);
    }
}

/* Bytes of a record are overwritten: the other records are kept, with --keep-tail those behind it, too. */
static void damaged_anywhere(void **state)
{
    static const uint8_t values[] = {0, 1, 8, 0x28, 0x7f, 0x80, 0xff};
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct recording r = {.im = {0}};
        make(&r, big, false);
        for (size_t at = r.start[4]; at < r.start[4] + 8; at++) { /* type, misc, size */
            for (size_t v = 0; v < sizeof values; v++) {
                struct outcome o;
                const uint8_t old = r.im.b[at];
                r.im.b[at] = values[v];
                assert_int_equal(repair(r.im.b, r.im.n, true, &o), PD_OK);
                for (size_t i = 0; i < SAMPLES; i++)
                    if (i != 4)
                        assert_true(o.samples[i]);
                assert_true(o.samples[4] || values[v] != old);
                assert_true(o.arch);
                for (size_t i = 0; i < o.n_lost; i++) {
                    assert_true(o.lost[i].offset >= r.start[4]);
                    assert_true(o.lost[i].offset + o.lost[i].bytes <= r.start[5]);
                }
                image_free(&o.im);
                assert_int_equal(repair(r.im.b, r.im.n, false, &o), PD_OK);
                for (size_t i = 0; i < 4; i++)
                    assert_true(o.samples[i]);
                image_free(&o.im);
                r.im.b[at] = old;
            }
        }
        image_free(&r.im);
    }
}

/* Zeros over several records, and missing bytes. */
static void holes(void **state)
{
    (void)state;
    struct recording r = {.im = {0}};
    struct outcome o;
    make(&r, false, true);
    memset(r.im.b + r.start[3] + 5, 0, 64);
    assert_int_equal(repair(r.im.b, r.im.n, true, &o), PD_OK);
    for (size_t i = 0; i < SAMPLES; i++)
        assert_int_equal(o.samples[i], i < 3 || i > 5);
    assert_int_equal(o.n_lost, 1);
    assert_int_equal(o.lost[0].offset, r.start[3]);
    assert_int_equal(o.lost[0].bytes, 96);
    image_free(&o.im);
    memmove(r.im.b + r.start[10] + 3, r.im.b + r.start[10] + 10,
            r.im.n - r.start[10] - 10); /* seven bytes are gone */
    assert_int_equal(repair(r.im.b, r.im.n - 7, true, &o), PD_OK);
    for (size_t i = 0; i < SAMPLES; i++)
        assert_int_equal(o.samples[i], (i < 3 || i > 5) && i != 10);
    image_free(&o.im);
    assert_int_equal(repair(r.im.b, r.im.n - 7, false, &o), PD_OK);
    assert_int_equal(o.stats.samples, 3);
    assert_int_equal(o.stats.lost, r.im.n - 7 - r.start[3]);
    image_free(&o.im);
    image_free(&r.im);
}

/* The place of the data in the header is wrong: the data is found, and so are the features behind it. */
static void data_elsewhere(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct recording r = {.im = {0}};
        make(&r, big, false);
        const uint64_t at = r.start[0], n = r.start[SAMPLES] - at;
        const uint64_t wrong[][2] = {{UINT64_MAX, n},
                                     {0, n},
                                     {at + 5, n},
                                     {r.start[7], n},
                                     {at + (UINT64_C(1) << 40), n},
                                     {at, UINT64_MAX},
                                     {at, 0},
                                     {at, n / 2},
                                     {at, n + 8},
                                     {at, n - 8},
                                     {at, UINT64_C(1) << 40},
                                     {UINT64_MAX, UINT64_MAX},
                                     {r.im.n, n},
                                     {r.start[7], UINT64_MAX},
                                     {at, n}};
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            struct outcome o;
            image_section(&r.im, IMAGE_DATA, wrong[i][0], wrong[i][1]);
            assert_int_equal(repair(r.im.b, r.im.n, i & 1, &o), PD_OK);
            assert_int_equal(o.stats.samples, SAMPLES);
            assert_int_equal(o.stats.lost, 0);
            assert_true(o.arch);
            assert_int_equal(o.n_findings > 0, i + 1 < sizeof wrong / sizeof *wrong);
            image_free(&o.im);
        }
        image_free(&r.im);
    }
}

/* The place of the data is unknown, and its first records are damaged: that range is reported. */
static void data_elsewhere_and_damaged(void **state)
{
    struct recording r = {.im = {0}};
    struct outcome o;
    (void)state;
    make(&r, false, false);
    image_section(&r.im, IMAGE_DATA, UINT64_MAX, r.start[SAMPLES] - r.start[0]);
    memset(r.im.b + r.start[0], 0, 40);
    assert_int_equal(repair(r.im.b, r.im.n, false, &o), PD_OK);
    assert_int_equal(o.stats.samples, SAMPLES - 2);
    assert_int_equal(o.n_lost, 1);
    assert_int_equal(o.lost[0].offset, r.start[0]);
    assert_int_equal(o.lost[0].bytes, 64);
    assert_true(o.arch);
    image_free(&o.im);
    image_free(&r.im);
}

/* The place of the data is wrong, the table damaged: what the header counts behind the data is lost. */
static void data_elsewhere_without_table(void **state)
{
    struct recording r = {.im = {0}};
    struct outcome o;
    (void)state;
    make(&r, false, false);
    image_section(&r.im, IMAGE_DATA, r.start[1], r.start[SAMPLES] - r.start[0]);
    memset(r.im.b + r.start[SAMPLES], 0xff, 8);
    assert_int_equal(repair(r.im.b, r.im.n, false, &o), PD_OK);
    assert_int_equal(o.stats.samples, SAMPLES);
    assert_int_equal(o.n_lost, 1);
    assert_int_equal(o.lost[0].offset, r.start[SAMPLES]);
    assert_int_equal(o.lost[0].bytes, r.im.n - r.start[SAMPLES]);
    assert_string_equal(o.lost[0].why.field, "data.size");
    image_free(&o.im);
    image_free(&r.im);
}

/* Behind a damaged record all others leave bytes over: such may come, but not there. */
static void damage_before_doubtful_ones(void **state)
{
    const uint32_t doubtful = 8; /* READ is longer, SWITCH is shorter than 32 bytes */
    struct recording r = {.im = {0}};
    struct outcome o;
    (void)state;
    make(&r, false, false);
    for (unsigned i = doubtful; i < SAMPLES; i++)
        r.im.b[r.start[i]] = PD_RECORD_SWITCH;
    assert_int_equal(repair(r.im.b, r.im.n, false, &o), PD_OK);
    assert_int_equal(o.stats.lost, 0);
    image_free(&o.im);
    r.im.b[r.start[doubtful]] = PD_RECORD_READ;
    assert_int_equal(repair(r.im.b, r.im.n, false, &o), PD_OK);
    assert_int_equal(o.stats.samples, doubtful);
    assert_int_equal(o.stats.others, 0);
    assert_int_equal(o.n_lost, 1);
    assert_int_equal(o.lost[0].offset, r.start[doubtful]);
    assert_int_equal(o.lost[0].bytes, r.start[SAMPLES] - r.start[doubtful]);
    image_free(&o.im);
    image_free(&r.im);
}

/* The table is damaged, and sample `i` has numbers of one that has an entry of 8 bytes at the file's end. */
static void make_false_table(struct recording *r, unsigned i)
{
    make(r, false, false);
    memset(r->im.b + r->start[SAMPLES], 0xff, 8);
    image_section(&r->im, r->start[i] + 8, r->im.n - 8, 8);
}

/* What is inside a record is no table, nor what records follow behind damage. */
static void false_table(void **state)
{
    struct recording r = {.im = {0}};
    struct outcome o;
    (void)state;
    for (unsigned damaged = 0; damaged < SAMPLES - 3; damaged++) {
        make_false_table(&r, 10);
        memset(r.im.b + r.start[damaged], 0, 8);
        assert_int_equal(repair(r.im.b, r.im.n, true, &o), PD_OK);
        for (unsigned i = 0; i < SAMPLES; i++)
            assert_int_equal(o.samples[i], i != damaged);
        assert_int_equal(o.n_lost, 1);
        assert_int_equal(o.lost[0].bytes, 32);
        image_free(&o.im);
        image_free(&r.im);
    }
}

/* Where no record follows, it may be one: what the header counts as data behind its features is lost. */
static void data_behind_table(void **state)
{
    struct recording r = {.im = {0}};
    struct outcome o;
    (void)state;
    make_false_table(&r, 10);
    image_section(&r.im, r.start[10] + 8, r.start[10] + 24, 8);
    for (size_t i = 9; i < SAMPLES; i++)
        memset(r.im.b + r.start[i], 0xff, 8);
    assert_int_equal(repair(r.im.b, r.im.n, true, &o), PD_OK);
    assert_int_equal(o.stats.samples, 9);
    assert_int_equal(o.n_lost, 2);
    assert_int_equal(o.lost[0].offset, r.start[9]);
    assert_int_equal(o.lost[0].bytes, r.start[10] + 8 - r.start[9]);
    assert_int_equal(o.lost[1].offset, r.start[10] + 32);
    assert_int_equal(o.lost[1].bytes, r.start[SAMPLES] - o.lost[1].offset);
    assert_string_equal(o.lost[1].why.field, "data.size");
    assert_int_equal(o.lost[1].why.found, r.start[SAMPLES] - r.start[0]);
    assert_int_equal(o.lost[1].why.expected, r.start[10] + 8 - r.start[0]); /* up to the table */
    image_free(&o.im);
    image_free(&r.im);
}

/*
 * A bit of sample_type is wrong: every field has eight bytes or more, so no sample fits. Of the unused bits,
 * a later kernel may use the lower ones.
 */
static void attrs_of_something_else(void **state)
{
    enum { SAMPLE_TYPE = 104 + 24, KNOWN = 25 };
    (void)state;
    for (int way = 0; way < 128; way++) {
        const int bit = way / 2, big = way & 1;
        struct recording r = {.im = {0}};
        struct pd_repair_stats stats;
        struct pd_reader *reader;
        make(&r, big, false);
        r.im.b[SAMPLE_TYPE + (big ? 7 - bit / 8 : bit / 8)] ^= (uint8_t)(1 << bit % 8);
        const bool later = bit >= KNOWN && bit < 32;
        assert_int_equal(pd_reader_open_memory(&reader, r.im.b, r.im.n, NULL, NULL), PD_OK);
        const enum pd_code code = pd_repair(reader, NULL, NULL, &stats, NULL);
        if (code != (later ? PD_OK : PD_EATTRS))
            fail_msg("bit %d: code %d", bit, code);
        assert_int_equal(stats.samples, later ? SAMPLES : 0);
        pd_reader_close(reader);
        image_free(&r.im);
    }
}

/* A stream of two events, and what names each: the first one also by the layout of what it ends with. */
static void make_of_two(struct image *im, uint64_t bad)
{
    image_start(im, false, 16, 0);
    for (uint64_t i = 0; i < 2; i++) {
        const size_t at = image_record(im, PD_RECORD_HEADER_ATTR, 0);
        image_attr(im, i == bad ? 1 : 112, 112, i ? IMAGE_ST1 : IMAGE_ST0, true);
        image_u64(im, 70 + i);
        image_end(im, at);
    }
    for (uint64_t i = 0; i < 2; i++) {
        const size_t at = image_record(im, PD_RECORD_EVENT_UPDATE, 0);
        image_u64(im, 2); /* NAME */
        image_u64(im, 70 + i);
        image_u64(im, 'x');
        image_end(im, at);
    }
    const size_t at = image_record(im, PD_RECORD_BPF_METADATA, 0);
    image_zeros(im, 512 + 8);
    image_trailer(im, 1, true, 70);
    image_end(im, at);
    image_sample0(im, 70, 0x401000, 2);
    image_sample1(im, 71, 0x401000, 3);
}

/* What belongs to an event whose attr is lost is left out. */
static void lost_attr(void **state)
{
    struct image im;
    struct outcome o;
    (void)state;
    for (uint64_t bad = 0; bad < 3; bad++) {
        make_of_two(&im, bad);
        assert_int_equal(repair(im.b, im.n, true, &o), PD_OK);
        assert_int_equal(o.stats.samples, bad < 2 ? 1 : 2);
        assert_int_equal(o.stats.others, bad == 0 ? 2 : bad == 1 ? 3 : 5); /* attrs among them */
        image_free(&o.im);
        image_free(&im);
    }
}

/*
 * Two samples have 16 bytes behind their fields. In the first, these say that a record of another type begins
 * there and ends where the last sample begins. That one is too short.
 */
static void make_longer(struct recording *r)
{
    enum { LONGER = 7 };
    struct image *im = &r->im;
    size_t size = 0;
    make(r, false, false);
    im->n = r->start[0];
    for (unsigned i = 0; i < SAMPLES; i++) {
        r->start[i] = image_record(im, 9, 1);
        image_u64(im, 0x401000 + i);
        image_u64(im, 71);
        if (i < SAMPLES - 1)
            image_u64(im, 1000 + i);
        size = i == LONGER ? im->n : size;
        if (i == LONGER || i == LONGER + 1)
            image_zeros(im, 16);
        image_end(im, r->start[i]);
    }
    image_set(im, size, PD_RECORD_MMAP, 4);
    image_set(im, size + 6, r->start[SAMPLES - 1] - size, 2);
    image_section(im, IMAGE_DATA, r->start[0], im->n - r->start[0]);
    image_set(im, IMAGE_FEATURES, 0, 8);
}

/* Bytes behind the fields of two neighbours are no damage, wherever the data ends. */
static void longer_samples(void **state)
{
    struct recording r = {.im = {0}};
    struct outcome o;
    (void)state;
    make_longer(&r);
    for (int keep_tail = 0; keep_tail < 2; keep_tail++) {
        assert_int_equal(repair(r.im.b, r.im.n, keep_tail, &o), PD_OK);
        assert_int_equal(o.stats.samples, SAMPLES - 1);
        assert_int_equal(o.stats.lost, 24);
        image_free(&o.im);
    }
    image_free(&r.im);
}

/*
 * The text of a feature has bytes that look like an attr which ends where the stream was cut. But perf sets
 * no such bits of misc: the feature is kept.
 */
static void text_like_an_attr(void **state)
{
    enum { CUT = 20 };
    struct recording r = {.im = {0}};
    struct image *im = &r.im;
    struct outcome o;
    (void)state;
    make(&r, false, true);
    const size_t feature = image_record(im, PD_RECORD_HEADER_FEATURE, 0);
    image_u64(im, PD_FEAT_ARCH);
    image_u32(im, 128);
    image_bytes(im, "x86_64\0\0", 8);
    const size_t false_attr = im->n;
    image_zeros(im, 120);
    image_end(im, feature);
    image_record(im, PD_RECORD_SAMPLE, 1); /* its size is not written before it ends */
    image_set(im, im->n - 2, 32, 2);
    image_zeros(im, CUT - 8);
    image_set(im, false_attr, PD_RECORD_HEADER_ATTR, 4);
    image_set(im, false_attr + 4, 0x736d, 2);
    image_set(im, false_attr + 6, im->n - false_attr, 2);
    assert_int_equal(repair(im->b, im->n, false, &o), PD_OK);
    assert_int_equal(o.stats.lost, CUT);
    assert_int_equal(o.stats.samples, SAMPLES);
    image_free(&o.im);
    image_free(im);
}

/*
 * A record of an unknown type in a COMPRESSED one is kept with what follows it there: what stands in the file
 * behind its size, the middle of the frame, is no record.
 */
static void unknown_in_compressed(void **state)
{
    struct recording r = {.im = {0}};
    struct image *im = &r.im, inner = {0};
    struct outcome o;
    (void)state;
    make(&r, false, false);
    for (unsigned i = 0; i < 3; i++) {
        const size_t at = image_record(&inner, i == 1 ? 60 : PD_RECORD_SAMPLE, 1);
        image_u64(&inner, 0x401000);
        image_u64(&inner, 71);
        image_u64(&inner, 1000 + i);
        image_end(&inner, at);
    }
    im->n = r.start[0];
    const size_t wrapper = image_record(im, PD_RECORD_COMPRESSED, 0);
    zframe_start(im, 17);
    zframe_raw(im, inner.b, inner.n, true);
    image_end(im, wrapper);
    image_section(im, IMAGE_DATA, r.start[0], im->n - r.start[0]);
    image_set(im, IMAGE_FEATURES, 0, 8);
    assert_int_equal(repair(im->b, im->n, false, &o), PD_OK);
    assert_int_equal(o.stats.samples, 2);
    assert_int_equal(o.stats.unknown, 1);
    assert_int_equal(o.stats.lost, 0);
    image_free(&o.im);
    image_free(&inner);
    image_free(im);
}

/*
 * An attr that says it is longer than its place gets the size of that: what newer versions of it have stays,
 * here the branches to sample.
 */
static void attr_longer_than_its_place(void **state)
{
    enum { ATTR = 104, PLACE = 112, BRANCHES = 72, ANY_CALL = 1 << 4 };
    struct recording r = {.im = {0}};
    struct outcome o;
    struct pd_reader *reader;
    (void)state;
    make(&r, false, false);
    image_set(&r.im, ATTR + 4, 4096, 4);
    image_set(&r.im, ATTR + BRANCHES, ANY_CALL, 8);
    assert_int_equal(repair(r.im.b, r.im.n, false, &o), PD_OK);
    assert_int_equal(o.stats.samples, SAMPLES);
    assert_int_equal(pd_reader_open_memory(&reader, o.im.b, o.im.n, NULL, NULL), PD_OK);
    const struct pd_attr *attr = &pd_reader_attr(reader, 0)->attr;
    assert_int_equal(attr->size, PLACE);
    assert_int_equal(attr->branch_sample_type, ANY_CALL);
    pd_reader_close(reader);
    image_free(&o.im);
    image_free(&r.im);
}

/*
 * Feature 0, which no perf has, is left out where others are damaged: without HOSTNAME, words of 4 bytes
 * would explain the bitmap of ARCH and 35 with it better, since they have HOSTNAME.
 */
static void feature_0(void **state)
{
    static const unsigned features[] = {0, 3, 6, 35};
    struct recording r = {.im = {0}};
    struct image *im = &r.im;
    struct outcome o;
    (void)state;
    make(&r, true, false);
    im->n = r.start[SAMPLES];
    const size_t table = im->n;
    image_zeros(im, sizeof features / sizeof *features * 16);
    for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
        image_feature(im, features[i], 8);
        image_section(im, table + 16 * i, im->n, 12);
        image_u32(im, 8);
        image_bytes(im, "x86_64\0\0", 8);
    }
    image_section(im, table + 16, UINT64_C(1) << 40, 12); /* HOSTNAME is behind the end */
    assert_int_equal(repair(im->b, im->n, false, &o), PD_OK);
    assert_int_equal(o.stats.features, 2);
    assert_int_equal(o.stats.samples, SAMPLES);
    assert_true(o.arch);
    image_free(&o.im);
    image_free(im);
}

/* A recording that was killed: data size 0, no features. */
static void unfinished(void **state)
{
    (void)state;
    struct recording r = {.im = {0}};
    struct outcome o;
    make(&r, false, false);
    image_section(&r.im, IMAGE_DATA, r.start[0], 0);
    image_set(&r.im, IMAGE_FEATURES, 0, 8);
    assert_int_equal(repair(r.im.b, r.start[SAMPLES], false, &o), PD_OK);
    assert_int_equal(o.stats.samples, SAMPLES);
    assert_int_equal(o.stats.lost, 0);
    image_free(&o.im);
    image_free(&r.im);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(damaged_anywhere),
        cmocka_unit_test(holes),
        cmocka_unit_test(unfinished),
        cmocka_unit_test(data_elsewhere),
        cmocka_unit_test(data_elsewhere_and_damaged),
        cmocka_unit_test(data_elsewhere_without_table),
        cmocka_unit_test(damage_before_doubtful_ones),
        cmocka_unit_test(false_table),
        cmocka_unit_test(data_behind_table),
        cmocka_unit_test(attrs_of_something_else),
        cmocka_unit_test(lost_attr),
        cmocka_unit_test(longer_samples),
        cmocka_unit_test(text_like_an_attr),
        cmocka_unit_test(unknown_in_compressed),
        cmocka_unit_test(attr_longer_than_its_place),
        cmocka_unit_test(feature_0),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
