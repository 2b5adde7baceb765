/* SPDX-License-Identifier: MIT */
/*
 * convert.c - pd_convert() on recordings in memory: a conversion and the one back give the same bytes, parts
 * that the other form cannot hold are reported, damage is skipped, and failing memory or a failing sink is an
 * error. Checks R8, R11.
 */
#define _GNU_SOURCE
#include "tests/support/zframe.h"
#include "cmocka_all.h"
#include "fuzz/image_sink.h"
#include "ops/convert/convert.h"
#include "src/codec/carried.h"
#include "heap.h"
#include "memory_read.h"
#include "ops/gen/random_values.h"
#include <errno.h>
#include <perfdata/ops/convert.h>
#include <perfdata/session/compare.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Outputs in memory: one, or the files of a directory */

#define MOST_FILES 4

struct output {
    struct image im[MOST_FILES];
    char name[MOST_FILES][16];
    size_t n_files, n_closed;
    unsigned calls, fail_at;
    unsigned notes, findings;
    uint32_t last_note;
    uint64_t last_index; /* of a record, in a finding */
    struct pd_sink sinks[MOST_FILES];
    struct handle {
        struct output *out;
        size_t i;
    } handles[MOST_FILES];
};

static int out_write(void *user, const void *bytes, size_t n)
{
    const struct handle *h = user;
    if (++h->out->calls == h->out->fail_at)
        return ENOSPC;
    return image_append(&h->out->im[h->i], bytes, n);
}

static int out_patch(void *user, uint64_t offset, const void *bytes, size_t n)
{
    const struct handle *h = user;
    if (++h->out->calls == h->out->fail_at)
        return ENOSPC;
    return image_patch(&h->out->im[h->i], offset, bytes, n);
}

static struct pd_sink sink_of(struct output *out, size_t i)
{
    out->handles[i] = (struct handle){out, i};
    return (struct pd_sink){out_write, out_patch, &out->handles[i]};
}

static int open_member(void *user, const char *name, unsigned mode, struct pd_sink *sink)
{
    struct output *out = user;
    assert_true(out->n_files < MOST_FILES && mode != 0);
    snprintf(out->name[out->n_files], sizeof out->name[0], "%s", name);
    *sink = sink_of(out, out->n_files++);
    return 0;
}

static int close_member(void *user, struct pd_sink *sink)
{
    struct output *out = user;
    assert_non_null(sink);
    out->n_closed++;
    return 0;
}

static void on_note(void *user, const struct pd_convert_note *note)
{
    struct output *out = user;
    assert_non_null(note->why);
    out->notes++;
    out->last_note = note->number;
}

static void on_finding(void *user, const struct pd_error *error)
{
    struct output *out = user;
    assert_int_not_equal(error->code, PD_OK);
    out->findings++;
    out->last_index = error->record_index;
}

static void output_free(struct output *out)
{
    for (size_t i = 0; i < MOST_FILES; i++)
        image_free(&out->im[i]);
}

static enum pd_code convert_reader(struct pd_reader *r, struct output *out, struct pd_convert_options o,
                                   struct pd_convert_stats *stats, struct pd_error *error)
{
    o.size = sizeof o;
    const unsigned fail_at = out->fail_at;
    *out = (struct output){.fail_at = fail_at};
    const struct pd_sink sink = sink_of(out, 0);
    o.size = sizeof o;
    o.open_member = open_member;
    o.close_member = close_member;
    o.note = on_note;
    o.finding = on_finding;
    o.user = out;
    return pd_convert(r, &sink, &o, stats, error);
}

static enum pd_code try_convert(const void *bytes, size_t n, struct output *out, struct pd_convert_options o,
                                struct pd_convert_stats *stats, struct pd_error *error)
{
    o.size = sizeof o;
    const struct pd_reader_options how = {.size = sizeof how, .allocator = o.allocator};
    struct pd_reader *r;
    enum pd_code code = pd_reader_open_memory(&r, bytes, n, &how, error);
    if (code)
        return code;
    code = convert_reader(r, out, o, stats, error);
    pd_reader_close(r);
    return code;
}

static struct image convert(const struct image *im, struct pd_convert_options o)
{
    o.size = sizeof o;
    struct output out = {0};
    struct pd_error error;
    char text[256];
    const enum pd_code code = try_convert(im->b, im->n, &out, o, NULL, &error);
    if (code) {
        pd_error_text(&error, text, sizeof text);
        fail_msg("%s", text);
    }
    return out.im[0];
}

static void expect_same(const struct image *a, const struct image *b)
{
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->b, b->b, a->n);
}

/* Converts with `o`, then with `back`: gives the same bytes. */
static void there_and_back(const struct image *im, struct pd_convert_options o,
                           struct pd_convert_options back)
{
    o.size = sizeof o;
    struct image there = convert(im, o), again = convert(&there, back);
    assert_true(there.n != im->n || memcmp(there.b, im->b, im->n) != 0);
    expect_same(im, &again);
    image_free(&there);
    image_free(&again);
}

#define TO(c_) ((struct pd_convert_options){.to = PD_CONVERT_##c_})

/* A file as a current writer makes it: no gaps, sections in order, nothing behind them. */
static struct image tidy(bool big)
{
    struct image im, pipe, file;
    image_recording(&im, big);
    /* Records that are sections of a stream would become sections. */
    im.n = im.data;
    image_comm(&im, "one\0lef", 0, true, 0);
    image_mmap2(&im, 11);
    image_sample0(&im, 11, 0x400123, 20);
    image_sample1(&im, 21, 0x400456, 21);
    image_sample0(&im, 12, 0x400789, 22);
    image_end(&im, image_record(&im, 68, 0));
    image_sample0(&im, 12, 0x400789, 19);
    image_section(&im, IMAGE_DATA, im.data, im.n - im.data);
    image_features(&im);
    pipe = convert(&im, TO(PIPE));
    file = convert(&pipe, TO(FILE));
    image_free(&im);
    image_free(&pipe);
    return file;
}

/* ---- The same bytes */

static void nothing_to_do(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct image im;
        struct output out = {0};
        struct pd_convert_stats stats;
        if (i < 2)
            image_recording(&im, i & 1);
        else
            image_unfinished(&im, i & 1);
        const struct pd_convert_options o = {.reencode = i & 1};
        assert_int_equal(try_convert(im.b, im.n, &out, o, &stats, NULL), PD_OK);
        assert_true(stats.copied && stats.records > 2 && stats.unconverted == 0);
        expect_same(&im, &out.im[0]);
        output_free(&out);
        image_free(&im);
    }
}

static void containers_and_back(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct image file = tidy(big), pipe = convert(&file, TO(PIPE));
        there_and_back(&file, TO(PIPE), TO(FILE));
        there_and_back(&pipe, TO(FILE), TO(PIPE));
        image_free(&pipe);
        image_free(&file);
    }
}

static void compression_and_back(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++)
        for (enum pd_convert_zip zip = PD_ZIP_COMPRESSED; zip <= PD_ZIP_COMPRESSED2; zip++) {
            struct image file = tidy(big), pipe = convert(&file, TO(PIPE));
            const struct pd_convert_options z = {.zip = zip, .level = 5}, plain = {.zip = PD_ZIP_NONE};
            there_and_back(&file, z, plain);
            there_and_back(&pipe, z, plain);
            image_free(&pipe);
            image_free(&file);
        }
}

/* Frames are copied if no option needs their content. */
static void frames_stay(void **state)
{
    (void)state;
    struct image file = tidy(false),
                 z = convert(&file, (struct pd_convert_options){.zip = PD_ZIP_COMPRESSED});
    there_and_back(&z, TO(PIPE), TO(FILE));
    there_and_back(&z, (struct pd_convert_options){.attr_size = 144},
                   (struct pd_convert_options){.attr_size = 128});
    image_free(&z);
    image_free(&file);
}

/* ---- Byte order */

static struct pd_reader *open_image(const struct image *im)
{
    struct pd_reader *r;
    assert_int_equal(pd_reader_open_memory(&r, im->b, im->n, NULL, NULL), PD_OK);
    return r;
}

/* Expects all records to be equal in their values. */
static void expect_same_values(const struct image *x, const struct image *y)
{
    struct pd_reader *a = open_image(x), *b = open_image(y);
    struct pd_record p = {0}, q = {0};
    enum pd_code code;
    size_t decoded = 0;
    assert_int_not_equal(pd_reader_info(a)->order, pd_reader_info(b)->order);
    while ((code = pd_reader_next(a, &p, NULL)) == PD_OK) {
        assert_int_equal(pd_reader_next(b, &q, NULL), PD_OK);
        assert_int_equal(p.type, q.type);
        assert_int_equal(p.misc, q.misc);
        assert_int_equal(p.size, q.size);
        assert_int_equal(p.attr_index, q.attr_index);
        assert_int_equal(p.payload_size, q.payload_size);
        /*
         * The section in a HEADER_FEATURE is no more than bytes to the record; byte_order() has it as a
         * section.
         */
        if (pd_reader_decode(a, &p, NULL) || p.layout == NULL || p.type == PD_RECORD_HEADER_FEATURE)
            continue;
        assert_int_equal(pd_reader_decode(b, &q, NULL), PD_OK);
        assert_true(pd_record_equal(&p, &q, NULL));
        decoded++;
    }
    assert_int_equal(code, PD_END);
    assert_int_equal(pd_reader_next(b, &q, NULL), PD_END);
    assert_true(decoded > 2);
    for (size_t i = 0; i < pd_reader_n_attrs(a); i++) {
        const struct pd_event_attr *e = pd_reader_attr(a, i), *f = pd_reader_attr(b, i);
        assert_int_equal(e->attr.sample_type, f->attr.sample_type);
        assert_int_equal(e->attr.flags, f->attr.flags);
        assert_int_equal(e->n_ids, f->n_ids);
        assert_memory_equal(e->ids, f->ids, 8 * e->n_ids);
    }
    assert_int_equal(pd_reader_n_features(a), pd_reader_n_features(b));
    pd_reader_close(a);
    pd_reader_close(b);
}

static struct pd_convert_options order(bool big)
{
    return (struct pd_convert_options){.order = big ? PD_CONVERT_BIG : PD_CONVERT_LITTLE};
}

static void byte_order(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        const bool big = i & 1;
        struct image im;
        if (i < 2)
            image_recording(&im, big);
        else if (i < 4)
            image_unfinished(&im, big);
        else
            im = tidy(big);
        struct image other = convert(&im, order(!big));
        expect_same_values(&im, &other);
        there_and_back(&im, order(!big), order(big));
        image_free(&other);
        image_free(&im);
    }
}

/* In a stream, compressed or not, and together with another container. */
static void byte_order_of_streams(void **state)
{
    (void)state;
    struct image file = tidy(false), pipe = convert(&file, TO(PIPE)), big = convert(&pipe, order(true));
    expect_same_values(&pipe, &big);
    there_and_back(&pipe, order(true), order(false));
    struct pd_convert_options o = order(true);
    o.to = PD_CONVERT_PIPE;
    struct image both = convert(&file, o);
    expect_same(&both, &big);
    struct image z = convert(&pipe, (struct pd_convert_options){.zip = PD_ZIP_COMPRESSED}),
                 big_z = convert(&z, order(true));
    struct image plain = convert(&big_z, (struct pd_convert_options){.zip = PD_ZIP_NONE});
    expect_same(&plain, &big);
    image_free(&plain);
    image_free(&big_z);
    image_free(&z);
    image_free(&both);
    image_free(&big);
    image_free(&pipe);
    image_free(&file);
}

/* One record stays in the old byte order. */
static void expect_one_left(const struct image *im, struct pd_convert_options options)
{
    struct output out = {0};
    struct pd_convert_stats stats;
    assert_int_equal(try_convert(im->b, im->n, &out, options, &stats, NULL), PD_OK);
    assert_int_equal(stats.unconverted, 1);
    output_free(&out);
}

/*
 * The second event has no sample_id_all, but its records have a sample_id all the same, by which they are
 * found to be its own: an id among bytes without a meaning to the event is converted, too. An id that would
 * be read from two of its numbers cannot be: such a record is left.
 */
static void events_with_and_without_ids(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct image im;
        image_start(&im, big, 104, 144);
        image_u64(&im, 11);
        image_u64(&im, UINT64_C(21) << 32 | 20);
        image_section(&im, IMAGE_ATTRS, im.n, UINT64_C(2) * 144);
        image_attr(&im, 128, 128, IMAGE_ST0, true);
        image_ids(&im, 104, 8);
        image_attr(&im, 128, 128, IMAGE_ST0, false);
        image_ids(&im, 112, 8);
        im.data = im.n;
        image_comm(&im, "one\0lef", 7, true, UINT64_C(21) << 32 | 20);
        size_t at = image_record(&im, 4, 0); /* EXIT, with bytes that its event does not know */
        image_zeros(&im, 24);
        image_trailer(&im, 8, true, UINT64_C(21) << 32 | 20);
        image_end(&im, at);
        image_section(&im, IMAGE_DATA, im.data, im.n - im.data);
        struct image other = convert(&im, order(!big));
        struct pd_reader *r;
        struct pd_record rec;
        assert_int_equal(pd_reader_open_memory(&r, other.b, other.n, NULL, NULL), PD_OK);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
            assert_int_equal(rec.attr_index, 1);
        }
        pd_reader_close(r);
        image_free(&other);
        there_and_back(&im, order(!big), order(big));

        at = image_record(&im, 15, 0); /* SWITCH_CPU_WIDE: the id is where its event has pid and tid */
        image_u64(&im, UINT64_C(21) << 32 | 20);
        image_end(&im, at);
        image_section(&im, IMAGE_DATA, im.data, im.n - im.data);
        expect_one_left(&im, order(!big));
        image_free(&im);
    }
}

/*
 * The id is before a cpu, so that of the second event's COMM, which has no sample_id, is read from tid and
 * the first half of its name. Only in a name it could be converted: the record is left, though its tid is the
 * same in both orders.
 */
static void an_id_half_in_a_name(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        const uint64_t id = big ? UINT64_C(0x1414141461626364) : UINT64_C(0x6463626114141414);
        struct image im;
        image_start(&im, big, 104, 144);
        image_u64(&im, 11);
        image_u64(&im, id);
        image_section(&im, IMAGE_ATTRS, im.n, UINT64_C(2) * 144);
        image_attr(&im, 128, 128, ST_ID | ST_CPU, true);
        image_ids(&im, 104, 8);
        image_attr(&im, 128, 128, ST_ID | ST_CPU, false);
        image_ids(&im, 112, 8);
        im.data = im.n;
        const size_t at = image_record(&im, 3, 0);
        image_u32(&im, 7);
        image_u32(&im, 0x14141414);
        image_bytes(&im, "abcdefg\0\0\0\0", 12);
        image_end(&im, at);
        image_section(&im, IMAGE_DATA, im.data, im.n - im.data);
        expect_one_left(&im, order(!big));
        image_free(&im);
    }
}

/*
 * With counters of the branch, the stack of this sample has 16 bytes, and the sample ends exactly. Without
 * them, the second half of these is the size of the AUX data: too large in little-endian, exact in
 * big-endian. So it cannot be converted.
 */
static void form_of_one_order_alone(void **state)
{
    enum { BRANCH_STACK = 1 << 11, AUX = 1 << 20 };
    struct image im;
    struct output out = {0};
    struct pd_convert_stats stats;
    (void)state;
    for (uint8_t size = 15; size <= 16; size++) {
        const uint64_t words[] = {0x401000, 1, 0x401010, 0x401020, 0, 8, 16, 0, (uint64_t)size << 56, 0, 0};
        image_start(&im, false, 104, 128);
        image_section(&im, IMAGE_ATTRS, 104, 128);
        image_attr(&im, 112, 112, ST_IP | BRANCH_STACK | ST_STACK_USER | AUX, false);
        image_ids(&im, 0, 0);
        const size_t at = image_record(&im, PD_RECORD_SAMPLE, 2);
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            image_u64(&im, words[i]);
        image_end(&im, at);
        image_section(&im, IMAGE_DATA, at, im.n - at);
        assert_int_equal(try_convert(im.b, im.n, &out, order(true), &stats, NULL), PD_OK);
        assert_int_equal(stats.unconverted, size == 16);
        assert_int_equal(out.notes, size == 16);
        output_free(&out);
        image_free(&im);
    }
}

static void what_is_left_is_told(void **state)
{
    struct image file = tidy(false);
    struct output out = {0};
    struct pd_convert_stats stats;
    (void)state;
    assert_int_equal(try_convert(file.b, file.n, &out, order(true), &stats, NULL), PD_OK);
    assert_true(stats.unconverted > 0 && out.notes > 0);
    assert_int_equal(out.last_note, 200);
    output_free(&out);
    image_free(&file);
}

/* Numbers that are mostly small in one byte order, so that many are plausible only in that order. */
static void likely_number(struct image *im, struct pi_rng *rng)
{
    static const uint64_t likely[] = {0, 1, 2, 3, 11, 12, 21, UINT64_C(1) << 32, UINT64_MAX, 8, 16};
    const uint64_t v = likely[pi_rng_below(rng, sizeof likely / sizeof *likely)];
    const bool big = im->big;
    im->big = pi_rng_next(rng) & 1;
    image_u64(im, v);
    im->big = big;
}

static struct image unlikely_recording(struct pi_rng *rng, bool big)
{
    static const uint32_t types[] = {1, 3, 5, 8, 9, 9, 9, 9, 10, 11, 13, 14, 16, 17, 18, 20, 50, 70, 75, 76};
    struct image im;
    const unsigned events = 1 + (unsigned)pi_rng_below(rng, 2);
    image_start(&im, big, 104, 144);
    image_u64(&im, 11);
    image_u64(&im, 12);
    image_u64(&im, 21);
    image_section(&im, IMAGE_ATTRS, im.n, events * UINT64_C(144));
    image_attr(&im, 128, 128, IMAGE_ST0, pi_rng_next(rng) & 1);
    image_ids(&im, 104, 16);
    if (events == 2) {
        image_attr(&im, 128, 128, IMAGE_ST1 | ST_CALLCHAIN, true);
        image_ids(&im, 120, 8);
    }
    im.data = im.n;
    for (int i = 0; i < 16; i++) {
        const size_t at = image_record(&im, types[pi_rng_below(rng, sizeof types / sizeof *types)],
                                       (unsigned)pi_rng_below(rng, 4));
        for (uint64_t left = pi_rng_below(rng, 14); left--;)
            likely_number(&im, rng);
        image_end(&im, at);
    }
    image_section(&im, IMAGE_DATA, im.data, im.n - im.data);
    return im;
}

/* Counts the errors of `perfdata check` in the records. */
static uint64_t undecodable(const struct image *im)
{
    const struct pd_rewrite_options how = {.size = sizeof how, .reencode = true};
    struct pd_rewrite_stats stats;
    struct pd_reader *r = open_image(im);
    assert_int_equal(pd_rewrite(r, NULL, &how, &stats, NULL), PD_OK);
    assert_int_equal(stats.differing, 0);
    pd_reader_close(r);
    return stats.undecodable;
}

/*
 * Records that contradict themselves are reported in every conversion, and are the same after a conversion to
 * the other order and back.
 */
static void contradictions(void **state)
{
    (void)state;
    struct pi_rng rng = {1};
    uint64_t all = 0;
    for (int i = 0; i < 2000; i++) {
        struct image im = unlikely_recording(&rng, i & 1);
        struct image other = convert(&im, order(!im.big)), again = convert(&other, order(im.big));
        const uint64_t n = undecodable(&im);
        const struct pd_convert_options ways[] = {{0}, {.reencode = true}, TO(PIPE), order(!im.big)};
        all += n;
        expect_same(&im, &again);
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
            struct output out = {0};
            struct pd_convert_stats stats;
            assert_int_equal(try_convert(im.b, im.n, &out, ways[k], &stats, NULL), PD_OK);
            assert_int_equal(stats.findings, n);
            assert_int_equal(out.findings, n);
            output_free(&out);
        }
        image_free(&again);
        image_free(&other);
        image_free(&im);
    }
    assert_true(all > 1000);
}

/*
 * The feature bitmap of a 32-bit machine keeps its words; the machine's name tells their size when they do
 * not.
 */
static void words_of_features(void **state)
{
    static const char *const machines[] = {"ppc", "armv7b", "ppc64", "s390x"};
    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        const unsigned word = i % 4 < 2 ? 4 : 8;
        struct image im, little;
        image_start(&im, i < 4, 104, 80);
        image_section(&im, IMAGE_ATTRS, im.n, 80);
        image_attr(&im, 64, 64, ST_IP | ST_TID, false);
        image_ids(&im, 104, 0); /* the place of an empty list of ids in a writer's output */
        im.data = im.n;
        image_end(&im, image_record(&im, 68, 0));
        image_section(&im, IMAGE_DATA, im.data, 8);
        image_feature(&im, 3, word);
        image_feature(&im, 6, word);
        const size_t table = im.n;
        image_zeros(&im, 32);
        image_feature_string(&im, table, "host", 64);
        image_feature_string(&im, table + 16, machines[i % 4], 64);
        little = convert(&im, order(!im.big));
        struct pd_reader *r = open_image(im.big ? &im : &little);
        assert_int_equal(pd_reader_info(r)->feature_word, word);
        pd_reader_close(r);
        there_and_back(&im, order(!im.big), order(im.big));
        there_and_back(&im, TO(PIPE), TO(FILE));
        image_free(&little);
        image_free(&im);
    }
}

/* ---- Attr size */

static void attr_size(void **state)
{
    static const uint32_t sizes[] = {64, 72, 112, 136, 144, 152, 160, 4096};
    struct image file = tidy(false);
    struct pd_error error;
    struct output out = {0};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct image other = convert(&file, (struct pd_convert_options){.attr_size = sizes[i]});
        struct pd_reader *r = open_image(&other);
        assert_int_equal(pd_reader_info(r)->header.attr_size, sizes[i] + 16);
        assert_int_equal(pd_reader_attr(r, 1)->attr.size, sizes[i]);
        assert_int_equal(pd_reader_attr(r, 1)->attr.sample_type, IMAGE_ST1);
        pd_reader_close(r);
        there_and_back(&file, (struct pd_convert_options){.attr_size = sizes[i]},
                       (struct pd_convert_options){.attr_size = 128});
        image_free(&other);
    }
    /* Without the option, entries of 144 bytes with room behind an attr of 112 stay that large. */
    struct image wide;
    image_start(&wide, false, 104, 144);
    image_section(&wide, IMAGE_ATTRS, wide.n, 144);
    image_attr(&wide, 112, 128, ST_IP, false);
    image_ids(&wide, 104, 0);
    image_section(&wide, IMAGE_DATA, wide.n, 0);
    struct image other = convert(&wide, order(true));
    struct pd_reader *r = open_image(&other);
    assert_int_equal(pd_reader_info(r)->header.attr_size, 144);
    assert_int_equal(pd_reader_attr(r, 0)->attr.size, 112);
    pd_reader_close(r);
    image_free(&other);
    image_free(&wide);
    struct image pipe = convert(&file, TO(PIPE));
    there_and_back(&pipe, (struct pd_convert_options){.attr_size = 80},
                   (struct pd_convert_options){.attr_size = 128});
    static const uint32_t odd[] = {8, 56, 100, 4104};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        assert_int_equal(
            try_convert(file.b, file.n, &out, (struct pd_convert_options){.attr_size = odd[i]}, NULL, &error),
            PD_EARG);
    /* sample_regs_user of the second attr, at 80: 64 bytes would lose it. */
    r = open_image(&file);
    const size_t at = (size_t)pd_reader_attr(r, 1)->offset;
    pd_reader_close(r);
    file.b[at + 80] = 1;
    assert_int_equal(
        try_convert(file.b, file.n, &out, (struct pd_convert_options){.attr_size = 80}, NULL, &error),
        PD_EVALUE);
    assert_string_equal(error.field, "sample_regs_user");
    assert_int_equal(error.offset, at);
    output_free(&out);
    assert_int_equal(
        try_convert(file.b, file.n, &out, (struct pd_convert_options){.attr_size = 88}, NULL, &error), PD_OK);
    output_free(&out);
    image_free(&pipe);
    image_free(&file);
}

/* ---- Damage */

static void truncated(void **state)
{
    struct image file = tidy(true);
    (void)state;
    for (size_t n = 0; n < file.n; n++) {
        for (int to = PD_CONVERT_FILE; to <= PD_CONVERT_PIPE; to++) {
            struct output out = {0};
            struct pd_error error;
            const struct pd_convert_options o = {.to = (enum pd_convert_to)to, .finish = true};
            const enum pd_code code = try_convert(file.b, n, &out, o, NULL, &error);
            if (code == PD_OK && to == PD_CONVERT_FILE) { /* the output is not damaged */
                struct pd_reader *r = open_image(&out.im[0]);
                struct pd_record rec = {0};
                enum pd_code last;
                while ((last = pd_reader_next(r, &rec, NULL)) == PD_OK)
                    ;
                assert_int_equal(last, PD_END);
                assert_int_equal(pd_reader_n_findings(r), 0);
                pd_reader_close(r);
            }
            output_free(&out);
        }
    }
    image_free(&file);
}

static void unfinished_is_finished(void **state)
{
    struct image im, done;
    (void)state;
    image_unfinished(&im, false);
    done = convert(&im, (struct pd_convert_options){.to = PD_CONVERT_FILE, .finish = true});
    struct pd_reader *r = open_image(&done);
    assert_false(pd_reader_info(r)->unfinished);
    assert_int_equal(pd_reader_info(r)->header.data.size, im.n - im.data);
    pd_reader_close(r);
    image_free(&done);
    image_free(&im);
}

/* ---- Damage is left out of a new layout */

/* Reads all records; returns the number of those that are not COMPRESSED. None may be damaged. */
static unsigned intact(const struct image *im)
{
    struct pd_reader *r = open_image(im);
    struct pd_record rec = {0};
    unsigned n = 0;
    enum pd_code code;
    while ((code = pd_reader_next(r, &rec, NULL)) == PD_OK)
        n += rec.type != PD_RECORD_COMPRESSED && rec.type != PD_RECORD_COMPRESSED2 &&
             rec.type < PD_RECORD_HEADER_ATTR;
    assert_int_equal(code, PD_END);
    assert_int_equal(pd_reader_n_findings(r), 0);
    pd_reader_close(r);
    return n;
}

/* A stream with an attr, and with the COMPRESSED feature of perf. */
static void begin_stream(struct image *im, bool big)
{
    image_start(im, big, 16, 0);
    size_t at = image_record(im, PD_RECORD_HEADER_ATTR, 0);
    image_attr(im, 128, 128, IMAGE_ST0, true);
    image_u64(im, 11);
    image_end(im, at);
    at = image_record(im, PD_RECORD_HEADER_FEATURE, 0);
    image_u64(im, PD_FEAT_COMPRESSED);
    for (int i = 0; i < 4; i++)
        image_u32(im, i == 1 || i == 2);
    image_u32(im, 65536);
    image_end(im, at);
}

/* The feature that announces compressed records comes where perf writes it: by its number. */
static void compression_among_features(void **state)
{
    static const uint64_t features[] = {PD_FEAT_HOSTNAME, 200};
    (void)state;
    for (int big = 0; big < 2; big++) {
        static const uint64_t want[] = {PD_FEAT_HOSTNAME, PD_FEAT_COMPRESSED, 200};
        struct image im, out;
        struct pd_reader *r;
        struct pd_record rec = {0};
        size_t n = 0;
        image_start(&im, big, 16, 0);
        size_t at = image_record(&im, PD_RECORD_HEADER_ATTR, 0);
        image_attr(&im, 128, 128, IMAGE_ST0, true);
        image_u64(&im, 11);
        image_end(&im, at);
        for (size_t i = 0; i < 2; i++) {
            at = image_record(&im, PD_RECORD_HEADER_FEATURE, 0);
            image_u64(&im, features[i]);
            image_u32(&im, 4);
            image_bytes(&im, "abc", 4);
            image_end(&im, at);
        }
        image_sample0(&im, 11, 0x1000, 10);
        out = convert(&im, (struct pd_convert_options){.zip = PD_ZIP_COMPRESSED});
        assert_int_equal(pd_reader_open_memory(&r, out.b, out.n, NULL, NULL), PD_OK);
        while (pd_reader_next(r, &rec, NULL) == PD_OK)
            if (rec.type == PD_RECORD_HEADER_FEATURE) {
                assert_int_equal(pd_reader_decode(r, &rec, NULL), PD_OK);
                assert_true(n < 3);
                assert_int_equal(rec.u.header_feature.feat_id, want[n++]);
            }
        assert_int_equal(n, 3);
        pd_reader_close(r);
        image_free(&im);
        image_free(&out);
    }
}

/* A recording with a COMPRESSED record inside a COMPRESSED one, between two samples. */
static struct image nested(bool big)
{
    struct image im, inner = {.big = big};
    begin_stream(&im, big);
    image_sample0(&inner, 11, 0x1000, 10);
    size_t at = image_record(&inner, PD_RECORD_COMPRESSED, 0);
    zframe_start(&inner, 17);
    zframe_raw(&inner, "12345678", 8, true);
    image_end(&inner, at);
    image_sample0(&inner, 11, 0x2000, 20);
    at = image_record(&im, PD_RECORD_COMPRESSED, 0);
    zframe_start(&im, 17);
    zframe_raw(&im, inner.b, inner.n, true);
    image_end(&im, at);
    image_free(&inner);
    return im;
}

/*
 * A recording with three chunks, each of one sample and half of the next one; the second chunk's last block,
 * or all the rest of it, is damaged.
 */
static struct image damaged_chunk(bool big, bool all)
{
    struct image im, inner = {.big = big};
    begin_stream(&im, big);
    image_sample0(&inner, 11, 0x1000, 10);
    const size_t half = inner.n + inner.n / 2;
    for (int i = 0; i < 4; i++)
        image_sample0(&inner, 11, 0x2000, 20);
    for (unsigned i = 0; i < 3; i++) {
        const size_t at = image_record(&im, PD_RECORD_COMPRESSED, 0);
        if (i == 0)
            zframe_start(&im, 17);
        if (i != 1 || !all)
            zframe_raw(&im, inner.b + i * half, half, false);
        if (i == 1)
            zframe_damage(&im);
        image_end(&im, at);
    }
    image_free(&inner);
    return im;
}

static void damage_in_chunks(void **state)
{
    static const struct pd_convert_options ways[] = {
        {.to = PD_CONVERT_FILE},
        {.to = PD_CONVERT_DIRECTORY},
        {.zip = PD_ZIP_COMPRESSED},
        {.zip = PD_ZIP_NONE},
        {.to = PD_CONVERT_FILE, .zip = PD_ZIP_COMPRESSED2},
        {.to = PD_CONVERT_FILE, .zip = PD_ZIP_NONE},
        {.order = PD_CONVERT_BIG},
        {.order = PD_CONVERT_LITTLE},
        {.to = PD_CONVERT_FILE, .order = PD_CONVERT_BIG},
    };
    static const unsigned want[] = {2, 1, 3}; /* records that are intact */
    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        const bool big = i & 1;
        struct image im = i / 2 == 0 ? nested(big) : damaged_chunk(big, i / 2 == 1),
                     copy = convert(&im, TO(SAME));
        expect_same(&im, &copy);
        image_free(&copy);
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
            struct output out = {0};
            if (ways[k].order == (big ? PD_CONVERT_BIG : PD_CONVERT_LITTLE))
                continue; /* a plain copy */
            assert_int_equal(try_convert(im.b, im.n, &out, ways[k], NULL, NULL), PD_OK);
            assert_true(out.findings > 0);
            if (ways[k].to != PD_CONVERT_DIRECTORY) {
                assert_int_equal(intact(&out.im[0]), want[i / 2]);
            } else {
                struct image all; /* data.0 with the records it needs; the first record is in `data` */
                begin_stream(&all, big);
                image_bytes(&all, out.im[1].b, out.im[1].n);
                assert_int_equal(intact(&out.im[0]) + intact(&all), want[i / 2]);
                image_free(&all);
            }
            output_free(&out);
        }
        image_free(&im);
    }
}

struct bytes {
    const uint8_t *p;
    size_t n;
};

static int64_t read_bytes(void *user, uint64_t offset, void *buf, size_t n)
{
    const struct bytes *b = user;
    return memory_read(b->p, b->n, offset, buf, n);
}

/* As try_convert(), for an input that cannot seek. */
static enum pd_code convert_pipe(const void *bytes, size_t n, struct output *out, struct pd_convert_options o)
{
    o.size = sizeof o;
    struct bytes b = {bytes, n};
    const struct pd_source source = {.read_at = read_bytes, .user = &b, .size = PD_NOWHERE};
    struct pd_reader *r;
    assert_int_equal(pd_reader_open_source(&r, &source, NULL, NULL), PD_OK);
    const enum pd_code code = convert_reader(r, out, o, NULL, NULL);
    pd_reader_close(r);
    return code;
}

/* Cut AUXTRACE data or tracing data is left out, from any input; data shorter than announced is cut. */
static void cut_payloads(void **state)
{
    static const struct pd_convert_options ways[] = {
        {.to = PD_CONVERT_FILE},
        {.to = PD_CONVERT_PIPE, .zip = PD_ZIP_NONE},
        {.zip = PD_ZIP_COMPRESSED},
        {.to = PD_CONVERT_FILE, .max_held = 300},
    };
    (void)state;
    for (unsigned i = 0; i < 16; i++) {
        struct image im;
        const bool aux = i & 1, lie = i & 2;
        begin_stream(&im, i & 4);
        image_sample0(&im, 11, 0x1000, 10);
        const size_t at = im.n;
        if (aux)
            image_auxtrace(&im, 4000);
        else
            image_tracing_data(&im, 16, 4000);
        const size_t n = lie ? im.n : im.n - 1000;
        if (lie)
            image_set(&im, at + 8, aux ? UINT64_C(1) << 40 : UINT32_MAX, aux ? 8 : 4);
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
            struct output out = {0};
            const bool limited = ways[k].max_held; /* AUX data over the limit is copied; tracing data fails */
            const enum pd_code code = i & 8 ? convert_pipe(im.b, n, &out, ways[k])
                                            : try_convert(im.b, n, &out, ways[k], NULL, NULL);
            if (limited && (i & 8 || !aux)) {
                assert_int_equal(code, aux ? PD_OK : PD_ELIMIT);
                assert_true(!aux || out.im[0].n > 3000);
            } else {
                assert_int_equal(code, PD_OK);
                assert_int_equal(out.findings, 1);
                assert_int_equal(intact(&out.im[0]), 1);
            }
            output_free(&out);
        }
        image_free(&im);
    }
}

/* Complete payloads are copied even if the input cannot tell beforehand that they are complete. */
static void whole_payloads(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct image im;
        struct output a = {0}, b = {0};
        struct pd_convert_options o = TO(FILE);
        begin_stream(&im, false);
        image_auxtrace(&im, 40000);
        image_tracing_data(&im, 16, 16);
        image_auxtrace(&im, 300000);
        image_sample0(&im, 11, 0x1000, 10);
        o.max_held = i ? 100000 : 0;
        assert_int_equal(try_convert(im.b, im.n, &a, o, NULL, NULL), PD_OK);
        assert_int_equal(convert_pipe(im.b, im.n, &b, o), PD_OK);
        assert_int_equal(a.findings + b.findings, 0);
        expect_same(&a.im[0], &b.im[0]);
        output_free(&a);
        output_free(&b);
        image_free(&im);
    }
}

/* By default so much is held, which the error about a byte more tells; the bytes are not looked at. */
static void held_by_default(void **state)
{
    const struct pd_convert_options options = {.size = sizeof options};
    const uint64_t most = (uint64_t)256 << 20;
    struct pd_error error = {0};
    struct pi_conversion *c = calloc(1, sizeof *c);
    (void)state;
    assert_non_null(c);
    c->options = &options;
    c->error = &error;
    assert_int_equal(pi_convert_add(c, PD_FEAT_HOSTNAME, NULL, (size_t)most + 1), PD_ELIMIT);
    assert_int_equal(error.expected, most);
    free(c);
}

/* What a conversion holds of a stream has a bound: here a feature of 20 bytes and two of 64. */
static void held_features(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct image im;
        struct output out = {0};
        struct pd_convert_options o = TO(FILE);
        begin_stream(&im, false);
        for (unsigned id = PD_FEAT_HOSTNAME; id <= PD_FEAT_OSRELEASE; id++) {
            const size_t at = image_record(&im, PD_RECORD_HEADER_FEATURE, 0);
            image_u64(&im, id);
            image_u32(&im, 60);
            image_zeros(&im, 60);
            image_end(&im, at);
        }
        o.max_held = i ? 20 + 2 * 64 : 20 + 2 * 64 - 1;
        assert_int_equal(try_convert(im.b, im.n, &out, o, NULL, NULL), i ? PD_OK : PD_ELIMIT);
        output_free(&out);
        image_free(&im);
    }
}

/* ---- Directories */

static void write_file(const char *dir, const char *name, const struct image *im)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(im->b, 1, im->n, f), im->n);
    assert_int_equal(fclose(f), 0);
}

static void remove_dir(const char *dir, const struct output *out)
{
    char path[128];
    for (size_t i = 0; i < out->n_files; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, out->name[i]);
        unlink(path);
    }
    rmdir(dir);
}

static void directory_and_back(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        char dir[] = "/tmp/perfdata-convert-XXXXXX";
        const struct pd_convert_options z = {.zip = i & 1 ? PD_ZIP_COMPRESSED : PD_ZIP_NONE};
        struct image plain = tidy(i & 2),
                     file = i & 1 ? convert(&plain, z) : convert(&plain, (struct pd_convert_options){0});
        struct output out = {0}, back = {0};
        struct pd_reader *r;
        assert_int_equal(try_convert(file.b, file.n, &out, TO(DIRECTORY), NULL, NULL), PD_OK);
        assert_int_equal(out.n_files, 2);
        assert_int_equal(out.n_closed, 2);
        assert_string_equal(out.name[0], "data");
        assert_string_equal(out.name[1], "data.0");
        assert_non_null(mkdtemp(dir));
        write_file(dir, "data", &out.im[0]);
        write_file(dir, "data.0", &out.im[1]);
        assert_int_equal(pd_reader_open(&r, dir, NULL, NULL), PD_OK);
        assert_int_equal(pd_reader_n_findings(r), 0);
        assert_int_equal(pd_reader_n_members(r), 2);
        for (size_t member = 0; member < 4; member++) {
            const struct pd_rewrite_options how = {.size = sizeof how, .member = member};
            assert_int_equal(pd_rewrite(r, NULL, &how, NULL, NULL), member < 2 ? PD_OK : PD_EARG);
        }
        assert_true(pd_reader_info(r)->header.data.size > 0);
        assert_int_equal(convert_reader(r, &back, TO(FILE), NULL, NULL), PD_OK);
        expect_same(&file, &back.im[0]);
        output_free(&back);
        /* Converts each member to itself, and compressed. */
        assert_int_equal(convert_reader(r, &back, (struct pd_convert_options){0}, NULL, NULL), PD_OK);
        expect_same(&out.im[0], &back.im[0]);
        expect_same(&out.im[1], &back.im[1]);
        output_free(&back);
        pd_reader_close(r);
        remove_dir(dir, &out);
        output_free(&out);
        image_free(&file);
        image_free(&plain);
    }
}

/* Converts the directory of a conversion to a file again. */
static struct image from_directory(const struct output *out, struct pd_convert_options o, unsigned *findings,
                                   uint64_t *last_index)
{
    o.size = sizeof o;
    char dir[] = "/tmp/perfdata-convert-XXXXXX";
    struct output back = {0};
    struct pd_reader *r;
    assert_non_null(mkdtemp(dir));
    for (size_t i = 0; i < out->n_files; i++)
        write_file(dir, out->name[i], &out->im[i]);
    assert_int_equal(pd_reader_open(&r, dir, NULL, NULL), PD_OK);
    assert_int_equal(convert_reader(r, &back, o, NULL, NULL), PD_OK);
    *findings = back.findings;
    *last_index = back.last_index;
    pd_reader_close(r);
    remove_dir(dir, out);
    return back.im[0];
}

/* Reserved entries of the feature table stay reserved through a directory. */
static void reserve_and_back(void **state)
{
    (void)state;
    for (unsigned reserve = 0; reserve <= 3; reserve++) {
        struct image im, back;
        struct output out = {0};
        unsigned findings;
        uint64_t index;
        image_start(&im, false, 104, 80);
        image_section(&im, IMAGE_ATTRS, im.n, 80);
        image_attr(&im, 64, 64, ST_IP | ST_TID, false);
        image_ids(&im, 104, 0); /* the place of an empty list of ids in a writer's output */
        im.data = im.n;
        for (int i = 0; i < 2; i++) {
            const size_t at = image_record(&im, i ? PD_RECORD_SAMPLE : PD_RECORD_COMM, 0);
            image_u64(&im, 0x400123);
            image_u64(&im, 101);
            image_end(&im, at);
        }
        image_section(&im, IMAGE_DATA, im.data, im.n - im.data);
        image_feature(&im, 3, 8);
        image_feature(&im, 4, 8);
        const size_t table = im.n;
        image_zeros(&im, 16 * (2 + reserve));
        image_feature_string(&im, table, "host", 64);
        image_feature_string(&im, table + 16, "6.1", 64);
        assert_int_equal(try_convert(im.b, im.n, &out, TO(DIRECTORY), NULL, NULL), PD_OK);
        back = from_directory(&out, TO(FILE), &findings, &index);
        expect_same(&im, &back);
        image_free(&back);
        output_free(&out);
        image_free(&im);
    }
}

/* Damage of merged members is reported with the record's number in the recording, as by the reader. */
static void merged_damage(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        struct output out = {.n_files = 3, .name = {"data", "data.0", "data.1"}};
        unsigned findings;
        uint64_t index;
        image_recording(&out.im[0], false);
        out.im[0].n = out.im[0].data;
        image_comm(&out.im[0], "one\0lef", 0, true, 0);
        image_section(&out.im[0], IMAGE_DATA, out.im[0].data, out.im[0].n - out.im[0].data);
        for (size_t i = 1; i < 3; i++)
            for (uint64_t k = 0; k < 4; k++)
                image_sample0(&out.im[i], 11, 0x1000, 10 * k + i);
        struct image *last = &out.im[2];
        if (kind == 0)
            last->n -= 5; /* the fourth record of the last member is cut */
        else if (kind == 1)
            image_u32(last, 9); /* only a piece of a fifth */
        else
            image_auxtrace(last, 100), last->n -= 50;
        struct image back = from_directory(&out, TO(FILE), &findings, &index);
        assert_int_equal(findings, 1);
        assert_int_equal(index, 1 + 4 + 4 - (kind == 0));
        assert_int_equal(intact(&back), 1 + 4 + 4 - (kind == 0));
        image_free(&back);
        output_free(&out);
    }
}

/* The members of a directory become one stream in the order of time, though each of them is unsorted. */
static void merged_by_time(void **state)
{
    static const uint64_t times[2][6] = {{50, 40, 70, 60, 95, 90}, {45, 41, 71, 65, 92, 30}};
    char dir[] = "/tmp/perfdata-convert-XXXXXX";
    struct image data, member[2];
    struct output out = {.n_files = 3, .name = {"data", "data.0", "data.1"}}, merged = {0};
    struct pd_convert_stats stats;
    struct pd_reader *r;
    (void)state;
    image_recording(&data, false);
    data.n = data.data;
    image_comm(&data, "one\0lef", 0, true, 0);
    image_section(&data, IMAGE_DATA, data.data, data.n - data.data);
    assert_non_null(mkdtemp(dir));
    write_file(dir, "data", &data);
    for (int i = 0; i < 2; i++) {
        member[i] = (struct image){0};
        for (int k = 0; k < 6; k++)
            image_sample0(&member[i], i ? 12 : 11, 0x1000, times[i][k]);
        image_end(&member[i], image_record(&member[i], 68, 0));
        write_file(dir, out.name[i + 1], &member[i]);
    }
    assert_int_equal(pd_reader_open(&r, dir, NULL, NULL), PD_OK);
    assert_int_equal(convert_reader(r, &merged, TO(FILE), &stats, NULL), PD_OK);
    assert_int_equal(stats.findings, 0);
    pd_reader_close(r);
    r = open_image(&merged.im[0]);
    struct pd_record rec = {0};
    uint64_t last = 0, samples = 0, rounds = 0;
    while (pd_reader_next(r, &rec, NULL) == PD_OK) {
        assert_int_equal(pd_reader_decode(r, &rec, NULL), PD_OK);
        rounds += rec.type == PD_RECORD_FINISHED_ROUND;
        if (rec.type != PD_RECORD_SAMPLE)
            continue;
        assert_true(rec.u.sample.time >= last);
        last = rec.u.sample.time;
        samples++;
    }
    assert_int_equal(samples, 12);
    assert_int_equal(rounds, 2);
    pd_reader_close(r);
    remove_dir(dir, &out);
    output_free(&merged);
    image_free(&data);
    image_free(&member[0]);
    image_free(&member[1]);
}

/* ---- Tracing data */

static void put_block(struct image *im, const char *text)
{
    image_u64(im, strlen(text));
    image_bytes(im, text, strlen(text));
}

static struct image tracing(bool big, const char *version)
{
    struct image im = {.big = big};
    image_bytes(&im, "\x17\x08\x44tracing", 10);
    image_bytes(&im, version, 4);
    *image_room(&im, 1) = big;
    *image_room(&im, 1) = 8;
    image_u32(&im, 4096);
    image_bytes(&im, "header_page", 12);
    put_block(&im, "page");
    image_bytes(&im, "header_event", 13);
    put_block(&im, "event");
    image_u32(&im, 1);
    put_block(&im, "format");
    image_u32(&im, 1);
    image_bytes(&im, "sched", 6);
    image_u32(&im, 2);
    put_block(&im, "sched_switch");
    put_block(&im, "");
    image_u32(&im, 3);
    image_bytes(&im, "sym", 3);
    image_u32(&im, 0);
    if (strcmp(version, "0.6") >= 0)
        put_block(&im, "12 sh\n");
    return im;
}

static void tracing_length(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct image im = tracing(i & 1, i & 2 ? "0.6" : "0.5");
        const size_t n = im.n;
        assert_int_equal(pi_tracing_bytes(im.b, n), n);
        for (size_t cut = 0; cut < n; cut++) /* text that is not understood stays whole */
            assert_int_equal(pi_tracing_bytes(im.b, cut), cut);
        image_zeros(&im, 7);
        assert_int_equal(pi_tracing_bytes(im.b, n + 7), n);
        im.b[n + 3] = 1;
        assert_int_equal(pi_tracing_bytes(im.b, n + 7), n + 7);
        im.b[n + 3] = 0;
        image_zeros(&im, 1);
        assert_int_equal(pi_tracing_bytes(im.b, n + 8), n + 8);
        image_free(&im);
    }
}

/* A section of build ids keeps its bytes through a stream. */
static void sections_of_their_own_records(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct image im, blob = tracing(big, "0.6");
        image_start(&im, big, 104, 80);
        image_section(&im, IMAGE_ATTRS, im.n, 80);
        image_attr(&im, 64, 64, ST_IP | ST_TID, false);
        image_ids(&im, 104 + 80, 0);
        image_set(&im, im.n - 16, 104, 8); /* the place of an empty list of ids in a writer's output */
        im.data = im.n;
        image_end(&im, image_record(&im, 68, 0));
        image_section(&im, IMAGE_DATA, im.data, 8);
        image_feature(&im, 1, 8);
        image_feature(&im, 2, 8);
        im.table = im.n;
        image_zeros(&im, 32);
        image_section(&im, im.table, im.n, blob.n);
        image_bytes(&im, blob.b, blob.n);
        const size_t ids = im.n;
        for (size_t name = 8; name <= 80; name += 8) {
            const size_t at = image_record(&im, 0, 0x8002);
            image_u32(&im, UINT32_MAX);
            image_pattern(&im, 24);
            image_bytes(&im, "/bin/x", 6);
            image_zeros(&im, name - 6);
            image_end(&im, at);
        }
        image_section(&im, im.table + 16, ids, im.n - ids);
        there_and_back(&im, TO(PIPE), TO(FILE));
        image_free(&blob);
        image_free(&im);
    }
}

/* ---- Features that change */

static struct image change(const struct image *im, struct pd_convert_options o,
                           const struct pd_feature_change *changes, size_t n)
{
    o.size = sizeof o;
    o.changes = changes;
    o.n_changes = n;
    return convert(im, o);
}

static void changes(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct image file = tidy(big), pipe = convert(&file, TO(PIPE));
        /* Unknown features keep their bytes in both orders. */
        const struct pd_feature_change set[] = {{100, true, NULL, 0}, {100, false, "content", 7}},
                                       drop = {100, true, NULL, 0};
        const struct pd_convert_options ways[] = {
            {0},
            TO(PIPE),
            TO(FILE),
            {.zip = PD_ZIP_COMPRESSED},
            {.order = big ? PD_CONVERT_LITTLE : PD_CONVERT_BIG},
        };
        for (size_t i = 0; i < 10; i++) {
            const struct image *im = i < 5 ? &file : &pipe;
            struct image plain = convert(im, ways[i % 5]), with = change(im, ways[i % 5], set, 2);
            struct image without = change(&with, (struct pd_convert_options){0}, &drop, 1);
            assert_true(with.n > plain.n);
            if (ways[i % 5].zip == PD_ZIP_KEEP)
                expect_same(&plain, &without);
            image_free(&plain);
            image_free(&with);
            image_free(&without);
        }
        image_free(&pipe);
        image_free(&file);
    }
}

/* In a stream, a feature that changes keeps its place, also if it just fits a record behind its head. */
static void changes_as_large_as_a_record(void **state)
{
    static uint8_t content[UINT16_MAX - 16];
    const struct pd_feature_change two[] = {{100, false, "content", 7}, {101, false, "content", 7}};
    const struct pd_feature_change large = {100, false, content, sizeof content};
    struct image file = tidy(0), pipe = change(&file, TO(PIPE), two, 2);
    struct image with = change(&pipe, TO(PIPE), &large, 1);
    struct pd_reader *r;
    struct pd_record rec = {0};
    bool large_then = false;
    (void)state;
    assert_int_equal(pd_reader_open_memory(&r, with.b, with.n, NULL, NULL), PD_OK);
    while (pd_reader_next(r, &rec, NULL) == PD_OK && !large_then)
        large_then = rec.type == PD_RECORD_HEADER_FEATURE && rec.size == UINT16_MAX;
    assert_true(large_then && rec.type == PD_RECORD_HEADER_FEATURE);
    assert_int_equal(pi_load64(rec.raw + 8, PD_LITTLE), 101);
    pd_reader_close(r);
    image_free(&with);
    image_free(&pipe);
    image_free(&file);
}

static void changes_that_cannot_be(void **state)
{
    static const uint8_t large[UINT16_MAX - 15];
    static const struct {
        enum pd_convert_to to;
        enum pd_convert_zip zip;
        struct pd_feature_change change;
    } all[] = {
        {PD_CONVERT_SAME, PD_ZIP_KEEP, {256, true, NULL, 0}},
        {PD_CONVERT_SAME, PD_ZIP_KEEP, {PD_FEAT_AUXTRACE, false, large, 8}},
        {PD_CONVERT_SAME, PD_ZIP_COMPRESSED, {PD_FEAT_COMPRESSED, true, NULL, 0}},
        {PD_CONVERT_SAME, PD_ZIP_NONE, {PD_FEAT_COMPRESSED, false, large, 20}},
        {PD_CONVERT_DIRECTORY, PD_ZIP_KEEP, {PD_FEAT_DIR_FORMAT, true, NULL, 0}},
        {PD_CONVERT_DIRECTORY, PD_ZIP_KEEP, {PD_FEAT_DIR_FORMAT, false, large, 8}},
        {PD_CONVERT_PIPE, PD_ZIP_KEEP, {PD_FEAT_DIR_FORMAT, false, large, 8}},
        {PD_CONVERT_PIPE, PD_ZIP_KEEP, {PD_FEAT_HOSTNAME, false, large, 0}},
        {PD_CONVERT_PIPE, PD_ZIP_KEEP, {PD_FEAT_HOSTNAME, false, large, sizeof large}},
    };
    struct image file = tidy(false);
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const struct pd_convert_options o = {
            .to = all[i].to, .zip = all[i].zip, .changes = &all[i].change, .n_changes = 1};
        struct output out = {0};
        struct pd_error error;
        assert_int_equal(try_convert(file.b, file.n, &out, o, NULL, &error), PD_EARG);
        assert_int_equal(error.found, all[i].change.feature);
        assert_non_null(error.field);
        output_free(&out);
    }
    image_free(&file);
}

/* ---- Records of a stream that become sections of a file */

static void put_attr_record(struct image *im)
{
    const size_t at = image_record(im, PD_RECORD_HEADER_ATTR, 0);
    image_attr(im, 128, 128, IMAGE_ST0, true);
    image_u64(im, 11);
    image_end(im, at);
}

/* A record whose content of n bytes has so many that are not 0. */
static void put_filled(struct image *im, uint32_t type, size_t filled, size_t n)
{
    const size_t at = image_record(im, type, 0);
    for (size_t i = 0; i < filled; i++)
        image_bytes(im, "x", 1);
    image_zeros(im, n - filled);
    image_end(im, at);
}

/*
 * In a stream, perf adds 4 zeros to a record whose size would be 4 more than a multiple of 8. Others have
 * those of their name.
 */
static void sizes_of_build_ids(void **state)
{
    static const struct {
        size_t filled, n, section; /* bytes behind the record's header; of the section */
    } all[] = {{28 + 3, 28 + 12, 48 - 4}, {28 + 3, 28 + 8, 44}, {28 + 3, 28 + 16, 52}, {28 + 8, 28 + 12, 48}};
    (void)state;
    for (size_t i = 0; i < 2 * (sizeof all / sizeof *all); i++) {
        const bool big = i & 1;
        const enum pd_order order = big ? PD_BIG : PD_LITTLE;
        struct image im;
        image_start(&im, big, 16, 0);
        put_attr_record(&im);
        const size_t at = im.n;
        put_filled(&im, PD_RECORD_HEADER_BUILD_ID, all[i / 2].filled, all[i / 2].n);
        struct image file = convert(&im, TO(FILE));
        const uint64_t table = pi_load64(file.b + 40, order) + pi_load64(file.b + 48, order);
        const uint64_t section = pi_load64(file.b + table, order);
        assert_int_equal(pi_load64(file.b + table + 8, order), all[i / 2].section);
        assert_int_equal(pi_load16(file.b + section + 6, order), all[i / 2].section);
        assert_memory_equal(file.b + section + 8, im.b + at + 8, all[i / 2].section - 8);
        image_free(&im);
        image_free(&file);
    }
}

/* An event type has 72 bytes; what has more is none, and remains a record. */
static void sizes_of_event_types(void **state)
{
    (void)state;
    for (size_t more = 0; more <= 8; more += 8) {
        struct image im;
        image_start(&im, false, 16, 0);
        put_filled(&im, PD_RECORD_HEADER_EVENT_TYPE, 12, 72 + more);
        put_attr_record(&im);
        struct image file = convert(&im, TO(FILE));
        assert_int_equal(pi_load64(file.b + 48, PD_LITTLE), more ? 8 + 72 + more : 0); /* of records */
        assert_int_equal(pi_load64(file.b + 64, PD_LITTLE), more ? 0 : 72);            /* of event types */
        image_free(&im);
        image_free(&file);
    }
}

/* ---- Names of tasks in slots of 16 bytes */

/* A name that has its NUL there keeps it, so that 15 bytes are the most; one without may have 16. */
static void names_in_slots(void **state)
{
    static const char name[] = "sixteen-letters-e";
    (void)state;
    for (size_t old = 15; old <= 16; old++)
        for (size_t n = 15; n <= 17; n++) {
            char from[17] = "a-thread-of-perf", to[sizeof name] = {0};
            from[old] = 0;
            memcpy(to, name, n);
            const struct pd_name_change rename = {from, to};
            const struct pd_edit_options edit = {.size = sizeof edit, .renames = &rename, .n_renames = 1};
            struct image im;
            struct output out = {0};
            struct pd_error e;
            image_start(&im, false, 16, 0);
            put_attr_record(&im);
            const size_t at = image_record(&im, PD_RECORD_THREAD_MAP, 0);
            image_u64(&im, 1);
            image_u64(&im, 7);
            const size_t slot = im.n;
            image_bytes(&im, from, 16);
            image_end(&im, at);
            const enum pd_code code =
                try_convert(im.b, im.n, &out, (struct pd_convert_options){.edit = &edit}, NULL, &e);
            assert_int_equal(code, n > old ? PD_ELIMIT : PD_OK);
            if (code) {
                assert_string_equal(e.field, "comm");
                assert_true(e.found == n && e.expected == old && e.record_index == 1);
            } else {
                assert_int_equal(out.im[0].n, im.n);
                assert_memory_equal(out.im[0].b + slot, to, 16);
            }
            output_free(&out);
            image_free(&im);
        }
}

/* ---- Features of Google's perf 3.3: before an attr, the type of HEADER_FEATURE is another feature's */

/* The host name, a record that is no feature, and, perhaps, an attr and a sample. */
static struct image old_stream(bool big, bool attr)
{
    struct image im;
    image_start(&im, big, 16, 0);
    size_t at = image_record(&im, PI_OLD_FEATURE + PD_FEAT_HOSTNAME, 0);
    image_u32(&im, 8);
    image_bytes(&im, "host\0\0\0", 8);
    image_end(&im, at);
    image_end(&im, image_record(&im, PD_RECORD_FINISHED_ROUND, 0));
    if (attr) {
        at = image_record(&im, PD_RECORD_HEADER_ATTR, 0);
        image_attr(&im, 128, 128, IMAGE_ST0, true);
        image_u64(&im, 11);
        image_end(&im, at);
        image_sample0(&im, 11, 0x1000, 10);
    }
    return im;
}

/* Their types, as they stand there. */
static void expect_types(const struct image *im, const uint32_t *types, size_t n)
{
    const enum pd_order order = im->big ? PD_BIG : PD_LITTLE;
    size_t at = 16;
    for (size_t i = 0; i < n; i++) {
        assert_true(at < im->n);
        assert_int_equal(pi_load32(im->b + at, order), types[i]);
        at += pi_load16(im->b + at + 6, order);
    }
    assert_int_equal(at, im->n);
}

static void old_features_compressed(void **state)
{
    static const uint32_t types[] = {69, PD_RECORD_FINISHED_ROUND, PD_RECORD_HEADER_ATTR,
                                     PD_RECORD_HEADER_FEATURE, PD_RECORD_COMPRESSED};
    const struct pd_convert_options zip = {.zip = PD_ZIP_COMPRESSED}, plain = {.zip = PD_ZIP_NONE};
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct image none = old_stream(big, false), im = old_stream(big, true);
        struct image same = convert(&none, zip), z = convert(&im, zip);
        expect_same(&none, &same);
        z.big = big;
        expect_types(&z, types, 5);
        there_and_back(&im, zip, plain);
        image_free(&none);
        image_free(&same);
        image_free(&im);
        image_free(&z);
    }
}

/*
 * A file has the first section of a feature; what else says the same remains a record. Under its own type it
 * would be an ID_INDEX there.
 */
static void old_features_twice(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        const enum pd_order order = big ? PD_BIG : PD_LITTLE;
        struct image im = old_stream(big, false);
        image_bytes(&im, im.b + 16, 20); /* the host name's record */
        struct image file = convert(&im, TO(FILE));
        uint8_t expected[28] = {0};
        const uint64_t data = pi_load64(file.b + 40, order), size = pi_load64(file.b + 48, order);
        pi_store32(expected, PD_RECORD_HEADER_FEATURE, order);
        pi_store16(expected + 6, sizeof expected, order);
        pi_store64(expected + 8, PD_FEAT_HOSTNAME, order);
        memcpy(expected + 16, im.b + 24, 12);
        assert_int_equal(size, 8 + sizeof expected); /* behind FINISHED_ROUND */
        assert_memory_equal(file.b + data + 8, expected, sizeof expected);
        image_free(&im);
        image_free(&file);
    }
}

static void old_features_change(void **state)
{
    static const uint32_t with[] = {69, PD_RECORD_FINISHED_ROUND, PD_RECORD_HEADER_ATTR,
                                    PD_RECORD_HEADER_FEATURE, PD_RECORD_SAMPLE},
                          without[] = {69, 72, PD_RECORD_FINISHED_ROUND};
    const struct pd_feature_change size = {PD_FEAT_CLN_SIZE, false, "@\0\0", 4},
                                   arch = {PD_FEAT_ARCH, false, "\4\0\0\0x86", 8};
    struct image none = old_stream(false, false), im = old_stream(false, true), out;
    struct output refused = {0};
    struct pd_error error;
    (void)state;
    out = change(&im, TO(SAME), &size, 1);
    expect_types(&out, with, 5);
    image_free(&out);
    out = change(&none, TO(SAME), &arch, 1);
    expect_types(&out, without, 3);
    image_free(&out);
    const struct pd_convert_options o = {.changes = &size, .n_changes = 1};
    assert_int_equal(try_convert(none.b, none.n, &refused, o, NULL, &error), PD_EARG);
    assert_int_equal(error.found, PD_FEAT_CLN_SIZE);
    output_free(&refused);
    image_free(&none);
    image_free(&im);
}

/* ---- Failures outside */

static void failing(void **state)
{
    struct image file = tidy(false), pipe = convert(&file, TO(PIPE));
    static const struct pd_feature_change two[] = {{PD_FEAT_HOSTNAME, true, NULL, 0},
                                                   {100, false, "content", 7}};
    static const struct pd_convert_options all[] = {
        {.to = PD_CONVERT_PIPE, .zip = PD_ZIP_COMPRESSED},
        {.to = PD_CONVERT_FILE, .order = PD_CONVERT_BIG},
        {.to = PD_CONVERT_DIRECTORY, .attr_size = 144},
        {.zip = PD_ZIP_COMPRESSED2},
        {.changes = two, .n_changes = 2},
    };
    (void)state;
    for (size_t i = 0; i < 10; i++) {
        const struct image *im = i < 5 ? &file : &pipe;
        enum pd_code code = PD_ENOMEM;
        for (size_t k = 1; code == PD_ENOMEM; k++) {
            struct heap heap = {.fail_at = k};
            const struct pd_allocator allocator = {heap_resize, heap_release, &heap};
            struct pd_convert_options o = all[i % 5];
            struct output out = {0};
            o.allocator = &allocator;
            code = try_convert(im->b, im->n, &out, o, NULL, NULL);
            assert_true(code == PD_OK || code == PD_ENOMEM);
            assert_int_equal(heap.blocks, 0);
            output_free(&out);
        }
        code = PD_EOUT;
        for (unsigned k = 1; code == PD_EOUT; k++) {
            struct output out = {.fail_at = k};
            struct pd_error error;
            code = try_convert(im->b, im->n, &out, all[i % 5], NULL, &error);
            assert_true(code == PD_OK || (code == PD_EOUT && error.found == ENOSPC));
            output_free(&out);
        }
    }
    image_free(&pipe);
    image_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_to_do),
        cmocka_unit_test(containers_and_back),
        cmocka_unit_test(compression_and_back),
        cmocka_unit_test(frames_stay),
        cmocka_unit_test(byte_order),
        cmocka_unit_test(byte_order_of_streams),
        cmocka_unit_test(events_with_and_without_ids),
        cmocka_unit_test(an_id_half_in_a_name),
        cmocka_unit_test(form_of_one_order_alone),
        cmocka_unit_test(what_is_left_is_told),
        cmocka_unit_test(contradictions),
        cmocka_unit_test(words_of_features),
        cmocka_unit_test(attr_size),
        cmocka_unit_test(truncated),
        cmocka_unit_test(unfinished_is_finished),
        cmocka_unit_test(damage_in_chunks),
        cmocka_unit_test(cut_payloads),
        cmocka_unit_test(whole_payloads),
        cmocka_unit_test(held_by_default),
        cmocka_unit_test(held_features),
        cmocka_unit_test(compression_among_features),
        cmocka_unit_test(directory_and_back),
        cmocka_unit_test(reserve_and_back),
        cmocka_unit_test(merged_damage),
        cmocka_unit_test(merged_by_time),
        cmocka_unit_test(tracing_length),
        cmocka_unit_test(sections_of_their_own_records),
        cmocka_unit_test(changes),
        cmocka_unit_test(changes_as_large_as_a_record),
        cmocka_unit_test(changes_that_cannot_be),
        cmocka_unit_test(old_features_compressed),
        cmocka_unit_test(sizes_of_build_ids),
        cmocka_unit_test(sizes_of_event_types),
        cmocka_unit_test(names_in_slots),
        cmocka_unit_test(old_features_twice),
        cmocka_unit_test(old_features_change),
        cmocka_unit_test(failing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
