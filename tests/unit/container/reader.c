/* SPDX-License-Identifier: MIT */
/*
 * reader.c - files made by hand from the format's description, in both byte orders, and the reader's results.
 */
#include "fuzz/image.h"
#include "cmocka_all.h"
#include <perfdata/reader.h>
#include <perfdata/session/event.h>
#include <stdio.h>

/* ---- Helpers */

static struct pd_reader *open_image(const struct image *im)
{
    struct pd_reader *r = NULL;
    struct pd_error e = {0};
    char text[300] = "";
    const enum pd_code code = pd_reader_open_memory(&r, im->b, im->n, NULL, &e);
    if (code)
        pd_error_text(&e, text, sizeof text);
    assert_string_equal(text, "");
    return r;
}

/* Closes the reader and frees the image. */
static void done(struct pd_reader *r, struct image *im)
{
    pd_reader_close(r);
    image_free(im);
}

/* The parts of any file cover it. */
static void expect_covered(const struct pd_reader *r, const struct image *im)
{
    size_t n;
    uint64_t at = 0;
    const struct pd_extent *e = pd_reader_extents(r, &n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(e[i].offset, at);
        assert_true(e[i].size > 0);
        at += e[i].size;
    }
    assert_int_equal(at, im->n);
}

static void expect_extents(const struct pd_reader *r, const struct image *im, const struct pd_extent *want,
                           size_t n_want)
{
    size_t n;
    const struct pd_extent *e = pd_reader_extents(r, &n);
    expect_covered(r, im);
    for (size_t i = 0; i < n && i < n_want; i++) {
        assert_int_equal(e[i].kind, want[i].kind);
        assert_int_equal(e[i].index, want[i].index);
        assert_int_equal(e[i].offset, want[i].offset);
        assert_int_equal(e[i].size, want[i].size);
    }
    assert_int_equal(n, n_want);
}

#define EXTENTS(r_, im_, ...)                                        \
    expect_extents(r_, im_, (const struct pd_extent[]){__VA_ARGS__}, \
                   sizeof((const struct pd_extent[]){__VA_ARGS__}) / sizeof(struct pd_extent))

static void expect_finding(const struct pd_reader *r, size_t i, enum pd_code code, const char *field,
                           uint64_t offset)
{
    const struct pd_error *e = pd_reader_finding(r, i);
    assert_non_null(e);
    assert_int_equal(e->code, code);
    assert_string_equal(e->field, field);
    assert_int_equal(e->offset, offset);
}

static void expect_refused(const void *bytes, size_t n, enum pd_code code, const char *field)
{
    struct pd_reader *r = NULL;
    struct pd_error e = {0};
    assert_int_equal(pd_reader_open_memory(&r, bytes, n, NULL, &e), code);
    assert_int_equal(e.code, code);
    assert_string_equal(e.field, field);
    assert_null(r);
    assert_int_equal(pd_reader_open_memory(&r, bytes, n, NULL, NULL), code);
}

/* Counts the records; returns the code that ended them. */
static enum pd_code count_records(struct pd_reader *r, uint64_t *n, struct pd_error *e)
{
    struct pd_record rec = {0};
    enum pd_code code;
    for (*n = 0; (code = pd_reader_next(r, &rec, e)) == PD_OK; ++*n)
        assert_int_equal(rec.index, *n);
    assert_int_equal(pd_reader_next(r, &rec, NULL), PD_END);
    return code;
}

static void expect_records(struct pd_reader *r, uint64_t want)
{
    uint64_t n;
    assert_int_equal(count_records(r, &n, NULL), PD_END);
    assert_int_equal(n, want);
}

/* A file of one event up to its data; the caller adds records and calls finish(). */
static void start_file(struct image *im, bool big, uint64_t sample_type, bool id_all)
{
    image_start(im, big, 104, 80);
    image_section(im, IMAGE_ATTRS, im->n, 80);
    image_attr(im, 64, 64, sample_type, id_all);
    image_ids(im, 0, 0);
    im->data = im->n;
}

static void finish(struct image *im)
{
    image_section(im, IMAGE_DATA, im->data, im->n - im->data);
    im->table = im->n;
}

#define BOTH_ORDERS(big_) for (int big_ = 0; big_ < 2; big_++)

/* ---- A whole recording */

static void header_fields(void **state)
{
    struct image im;
    (void)state;
    BOTH_ORDERS(big)
    {
        image_recording(&im, big);
        struct pd_reader *r = open_image(&im);
        const struct pd_file_info *info = pd_reader_info(r);
        assert_int_equal(info->container, PD_CONTAINER_FILE);
        assert_int_equal(info->order, big ? PD_BIG : PD_LITTLE);
        assert_int_equal(info->version, 2);
        assert_true(info->header.magic == UINT64_C(0x32454c4946524550));
        assert_int_equal(info->header.size, 104);
        assert_int_equal(info->header.attr_size, 144);
        assert_int_equal(info->header.attrs.offset, 128);
        assert_int_equal(info->header.attrs.size, 288);
        assert_int_equal(info->header.data.offset, 416);
        assert_int_equal(info->header.data.size, 657);
        assert_int_equal(info->header.event_types.size, 0);
        assert_int_equal(info->file_size, 1323);
        assert_int_equal(info->data_offset, 416);
        assert_int_equal(info->data_end, 1073);
        assert_int_equal(info->feature_word, 8);
        assert_int_equal(info->features[0], 1 << 3 | 1 << 4);
        assert_int_equal(info->features[1], 1 << 7);
        assert_int_equal(info->features[25], 1 << 0);
        assert_false(info->unfinished || info->truncated);
        assert_int_equal(pd_reader_n_findings(r), 0);
        assert_null(pd_reader_finding(r, 0));
        done(r, &im);
    }
}

static void every_byte_belongs_somewhere(void **state)
{
    struct image im;
    (void)state;
    BOTH_ORDERS(big)
    {
        image_recording(&im, big);
        struct pd_reader *r = open_image(&im);
        EXTENTS(r, &im, {PD_EXTENT_HEADER, 0, 0, 104}, {PD_EXTENT_IDS, 0, 104, 16},
                {PD_EXTENT_IDS, 1, 120, 8}, {PD_EXTENT_ATTRS, 0, 128, 288}, {PD_EXTENT_DATA, 0, 416, 657},
                {PD_EXTENT_TABLE, 0, 1073, 64}, {PD_EXTENT_GAP, 0, 1137, 32},
                {PD_EXTENT_FEATURE, 4, 1169, 68}, {PD_EXTENT_FEATURE, 3, 1237, 68},
                {PD_EXTENT_FEATURE, 200, 1305, 13}, {PD_EXTENT_GAP, 0, 1318, 5});
        done(r, &im);
    }
}

static void attrs_and_ids(void **state)
{
    struct image im;
    (void)state;
    BOTH_ORDERS(big)
    {
        image_recording(&im, big);
        struct pd_reader *r = open_image(&im);
        assert_int_equal(pd_reader_n_attrs(r), 2);
        const struct pd_event_attr *a = pd_reader_attr(r, 0), *b = pd_reader_attr(r, 1);
        assert_int_equal(a->attr.type, 1);
        assert_int_equal(a->attr.size, 128);
        assert_true(a->attr.sample_type == IMAGE_ST0 && b->attr.sample_type == IMAGE_ST1);
        assert_int_equal(pd_attr_flag(&a->attr, PD_ATTR_SAMPLE_ID_ALL), 1);
        assert_int_equal(a->offset, 128);
        assert_int_equal(b->offset, 272);
        assert_int_equal(a->room, 128);
        assert_int_equal(a->n_ids, 2);
        assert_int_equal(a->ids[0], 11);
        assert_int_equal(a->ids[1], 12);
        assert_int_equal(b->n_ids, 1);
        assert_int_equal(b->ids[0], 21);
        assert_int_equal(b->ids_section.offset, 120);
        assert_false(a->ids_early || a->in_stream);
        assert_int_equal(a->plan.trailer, 32);
        assert_int_equal(b->plan.trailer, 24);
        assert_null(pd_reader_attr(r, 2));
        assert_int_equal(pd_reader_find_id(r, 12), 0);
        assert_int_equal(pd_reader_find_id(r, 21), 1);
        assert_int_equal(pd_reader_find_id(r, 0), UINT32_MAX);
        assert_int_equal(pd_reader_find_id(r, 99), UINT32_MAX);
        done(r, &im);
    }
}

static void feature_sections(void **state)
{
    static const struct pd_feature_section want[] = {
        {3, true, {1237, 68}}, {4, true, {1169, 68}}, {15, true, {1305, 0}}, {200, true, {1305, 13}}};
    struct image im;
    uint8_t bytes[68];
    (void)state;
    BOTH_ORDERS(big)
    {
        image_recording(&im, big);
        struct pd_reader *r = open_image(&im);
        assert_int_equal(pd_reader_n_features(r), 4);
        for (size_t i = 0; i < 4; i++) {
            const struct pd_feature_section *f = pd_reader_feature(r, i);
            assert_int_equal(f->feature, want[i].feature);
            assert_true(f->intact);
            assert_int_equal(f->section.offset, want[i].section.offset);
            assert_int_equal(f->section.size, want[i].section.size);
            assert_ptr_equal(pd_reader_find_feature(r, want[i].feature), f);
        }
        assert_null(pd_reader_feature(r, 4));
        assert_null(pd_reader_find_feature(r, 2));
        assert_int_equal(pd_reader_read(r, 1237, bytes, 68, NULL), PD_OK);
        assert_string_equal((const char *)bytes + 4, "host");
        done(r, &im);
    }
}

/* Each record: its place and its event. */
static void records_and_their_events(void **state)
{
    static const struct {
        uint32_t type;
        uint64_t offset;
        uint16_t size;
        uint32_t attr;
        uint64_t payload;
        enum pd_code decoded;
    } want[] = {
        {3, 416, 56, 0, 0, PD_OK},
        {3, 472, 48, 1, 0, PD_OK},
        {10, 520, 120, 0, 0, PD_OK},
        {9, 640, 88, 0, 0, PD_OK},
        {9, 728, 56, 1, 0, PD_OK},
        {9, 784, 88, 0, 0, PD_OK},
        {9, 872, 24, UINT32_MAX, 0, PD_EUNKNOWN},
        {60, 896, 48, 0, 0, PD_OK},
        {71, 944, 48, UINT32_MAX, 24, PD_OK},
        {66, 1016, 12, UINT32_MAX, 16, PD_OK},
        {80, 1044, 21, UINT32_MAX, 0, PD_OK},
        {68, 1065, 8, UINT32_MAX, 0, PD_OK},
    };
    struct image im;
    (void)state;
    BOTH_ORDERS(big)
    {
        struct pd_record rec = {0};
        struct pd_error e;
        image_recording(&im, big);
        struct pd_reader *r = open_image(&im);
        for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
            assert_int_equal(pd_reader_next(r, &rec, &e), PD_OK);
            assert_int_equal(rec.type, want[i].type);
            assert_int_equal(rec.offset, want[i].offset);
            assert_int_equal(rec.size, want[i].size);
            assert_int_equal(rec.index, i);
            assert_int_equal(rec.depth, 0);
            assert_int_equal(rec.attr_index, want[i].attr);
            assert_ptr_equal(rec.attr,
                             want[i].attr == UINT32_MAX ? NULL : &pd_reader_attr(r, want[i].attr)->attr);
            assert_int_equal(rec.payload_size, want[i].payload);
            assert_ptr_equal(rec.raw, im.b + want[i].offset);
            assert_int_equal(pd_reader_decode(r, &rec, &e), want[i].decoded);
            assert_int_equal(rec.decoded, want[i].decoded == PD_OK);
        }
        assert_int_equal(pd_reader_next(r, &rec, &e), PD_END);
        assert_int_equal(pd_reader_offset(r), 1073);
        assert_int_equal(pd_reader_next(r, &rec, &e), PD_END);
        assert_int_equal(pd_reader_rewind(r, &e), PD_OK);
        expect_records(r, 12);
        done(r, &im);
    }
}

static void decoded_values(void **state)
{
    struct image im;
    (void)state;
    BOTH_ORDERS(big)
    {
        struct pd_record rec = {0};
        struct pd_error e;
        image_recording(&im, big);
        struct pd_reader *r = open_image(&im);
        for (int i = 0; i < 2; i++) /* the second COMM, of the event whose trailer is shorter */
            assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
        assert_int_equal(pd_reader_decode(r, &rec, NULL), PD_OK);
        assert_string_equal(rec.u.comm.comm.ptr, "two");
        assert_int_equal(rec.u.comm.comm.size, 8);
        assert_true(rec.has_id);
        assert_int_equal(rec.id.time, 10);
        assert_int_equal(rec.id.identifier, 21);
        for (int i = 0; i < 2; i++)
            assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
        assert_int_equal(pd_reader_decode(r, &rec, NULL), PD_OK);
        assert_int_equal(rec.u.sample.ip, 0x400123);
        assert_int_equal(rec.u.sample.cpu, 1);
        assert_int_equal(rec.u.sample.period, 250000);
        for (int i = 0; i < 3; i++)
            assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
        assert_int_equal(pd_reader_decode(r, &rec, &e), PD_EUNKNOWN);
        assert_int_equal(e.offset, 872);
        assert_int_equal(e.record_index, 6);
        assert_int_equal(e.record_type, 9);
        assert_string_equal(e.field, "event id");
        done(r, &im);
    }
}

/* A sample whose call chain has more entries than it has room for is not decoded, however it is read. */
static void chain_beyond_its_sample(void **state)
{
    struct image im;
    (void)state;
    BOTH_ORDERS(big)
    {
        struct pd_record rec = {0};
        image_start(&im, big, 104, 144);
        image_section(&im, IMAGE_ATTRS, 104, 144);
        image_attr(&im, 128, 128, ST_IP | ST_TID | ST_TIME | ST_PERIOD | ST_CALLCHAIN, true);
        image_ids(&im, 0, 0);
        const size_t at = im.n;
        for (int i = 0; i < 3; i++) {
            const size_t start = image_record(&im, 9, 2);
            image_zeros(&im, 8 + 8 + 8 + 8);
            image_u64(&im, i == 1); /* entries */
            image_end(&im, start);
        }
        image_section(&im, IMAGE_DATA, at, im.n - at);
        struct pd_reader *r = open_image(&im);
        for (int i = 0; i < 3; i++) {
            struct pd_error e = {0};
            assert_int_equal(pd_reader_next_decoded(r, &rec, &e), PD_OK);
            assert_int_equal(rec.decoded, i != 1);
            assert_int_equal(e.code, i == 1 ? PD_ECOUNT : PD_OK);
        }
        done(r, &im);
    }
}

/* ---- Headers */

static void header_of_72_bytes(void **state)
{
    struct image im;
    (void)state;
    BOTH_ORDERS(big)
    {
        image_start(&im, big, 72, 80);
        image_section(&im, IMAGE_ATTRS, 72, 80);
        image_attr(&im, 64, 64, ST_IP, false);
        image_ids(&im, 0, 0);
        image_section(&im, IMAGE_DATA, im.n, 16);
        size_t at = image_record(&im, 9, 1);
        image_u64(&im, 1);
        image_end(&im, at);
        image_pattern(&im, 40); /* no table: there is no bitmap */
        struct pd_reader *r = open_image(&im);
        assert_int_equal(pd_reader_info(r)->header.size, 72);
        for (size_t i = 0; i < 32; i++)
            assert_int_equal(pd_reader_info(r)->features[i], 0);
        assert_int_equal(pd_reader_n_features(r), 0);
        EXTENTS(r, &im, {PD_EXTENT_HEADER, 0, 0, 72}, {PD_EXTENT_ATTRS, 0, 72, 80},
                {PD_EXTENT_DATA, 0, 152, 16}, {PD_EXTENT_GAP, 0, 168, 40});
        expect_records(r, 1);
        done(r, &im);
    }
}

static void longer_header(void **state)
{
    struct image im;
    (void)state;
    BOTH_ORDERS(big)
    {
        image_start(&im, big, 136, 80);
        memset(im.b + 104, 0xee, 32);
        image_section(&im, IMAGE_ATTRS, 136, 80);
        image_attr(&im, 64, 64, ST_IP, false);
        image_ids(&im, 0, 0);
        im.data = im.n;
        size_t at = image_record(&im, 9, 1);
        image_u64(&im, 1);
        image_end(&im, at);
        finish(&im);
        struct pd_reader *r = open_image(&im);
        assert_int_equal(pd_reader_info(r)->header.size, 136);
        EXTENTS(r, &im, {PD_EXTENT_HEADER, 0, 0, 136}, {PD_EXTENT_ATTRS, 0, 136, 80},
                {PD_EXTENT_DATA, 0, 216, 16});
        expect_records(r, 1);
        done(r, &im);
    }
}

static void version_1(void **state)
{
    struct image im;
    (void)state;
    BOTH_ORDERS(big)
    {
        image_v1(&im, big);
        struct pd_reader *r = open_image(&im);
        assert_int_equal(pd_reader_info(r)->version, 1);
        assert_int_equal(pd_reader_info(r)->order, big ? PD_BIG : PD_LITTLE);
        assert_int_equal(pd_reader_find_id(r, 5), 0);
        EXTENTS(r, &im, {PD_EXTENT_HEADER, 0, 0, 72}, {PD_EXTENT_IDS, 0, 72, 8}, {PD_EXTENT_ATTRS, 0, 80, 80},
                {PD_EXTENT_EVENT_TYPES, 0, 160, 72}, {PD_EXTENT_DATA, 0, 232, 24});
        expect_records(r, 1);
        done(r, &im);
    }
}

static void refused_files(void **state)
{
    static const uint8_t random_bytes[32] = {1, 2, 3};
    struct image im;
    (void)state;
    expect_refused("", 0, PD_ETRUNC, "header");
    expect_refused(NULL, 0, PD_ETRUNC, "header");
    expect_refused("PERF", 4, PD_ETRUNC, "header");
    expect_refused("2ELI", 4, PD_ETRUNC, "header");
    expect_refused("PERFFILE\110\0\0", 11, PD_ETRUNC, "header");
    expect_refused("GIF8", 4, PD_EMAGIC, "magic");
    expect_refused(random_bytes, sizeof random_bytes, PD_EMAGIC, "magic");
    expect_refused("PERFILE3\150\0\0\0\0\0\0\0", 16, PD_EMAGIC, "magic");
    BOTH_ORDERS(big)
    {
        image_recording(&im, big);
        for (size_t n = 8; n < 16; n++)
            expect_refused(im.b, n, PD_ETRUNC, "header");
        for (size_t n = 16; n < 104; n++)
            expect_refused(im.b, n, PD_ETRUNC, "header");
        image_set(&im, IMAGE_SIZE, 71, 8);
        expect_refused(im.b, im.n, PD_EVALUE, "header size");
        image_set(&im, IMAGE_SIZE, 0, 8);
        expect_refused(im.b, im.n, PD_EVALUE, "header size");
        image_set(&im, IMAGE_SIZE, im.n + 1, 8);
        expect_refused(im.b, im.n, PD_ETRUNC, "header");
        image_set(&im, IMAGE_SIZE, UINT64_MAX, 8);
        expect_refused(im.b, im.n, PD_ETRUNC, "header");
        image_free(&im);
    }
}

/* ---- The feature bitmap, FORMAT.md 1.4 */

static void bitmap(bool big, unsigned word, unsigned byte_of_3, unsigned byte_of_33)
{
    static const unsigned bits[] = {2, 3, 4, 12, 33};
    struct image im;
    start_file(&im, big, ST_IP, false);
    finish(&im);
    im.b[IMAGE_FEATURES + byte_of_3] |= 1 << 2 | 1 << 3 | 1 << 4;
    im.b[IMAGE_FEATURES + (big ? byte_of_3 - 1 : byte_of_3 + 1)] |= 1 << 4;
    im.b[IMAGE_FEATURES + byte_of_33] |= 1 << 1;
    for (size_t i = 0; i < 5; i++)
        image_ids(&im, im.table + 80, i);
    image_pattern(&im, 10);
    struct pd_reader *r = open_image(&im);
    assert_int_equal(pd_reader_info(r)->feature_word, word);
    assert_int_equal(pd_reader_n_features(r), 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(pd_reader_feature(r, i)->feature, bits[i]);
        assert_int_equal(pd_reader_feature(r, i)->section.size, i);
    }
    done(r, &im);
}

static void bitmap_words(void **state)
{
    (void)state;
    bitmap(false, 8, 0, 4); /* the same for words of 4 and 8 bytes */
    bitmap(true, 8, 7, 3);
    bitmap(true, 4, 3, 7);
}

static void last_feature_bit(void **state)
{
    struct image im;
    (void)state;
    BOTH_ORDERS(big)
    {
        start_file(&im, big, ST_IP, false);
        finish(&im);
        image_feature(&im, 3, 8);
        image_feature(&im, 255, 8);
        image_ids(&im, im.table + 32, 0);
        image_ids(&im, im.table + 32, 4);
        image_pattern(&im, 4);
        struct pd_reader *r = open_image(&im);
        assert_int_equal(pd_reader_feature(r, 1)->feature, 255);
        assert_int_equal(pd_reader_feature(r, 1)->section.size, 4);
        done(r, &im);
    }
}

/* ---- Attr entries, FORMAT.md 1.3 */

/*
 * A file of one entry with `room` bytes for an attr of size `size`, and its ids section `at` bytes into the
 * entry.
 */
static void start_entry(struct image *im, bool big, uint32_t size, size_t room, size_t at)
{
    image_start(im, big, 104, room + 16);
    image_u64(im, 77);
    image_section(im, IMAGE_ATTRS, im->n, room + 16);
    const size_t entry = image_attr(im, size, room, ST_IP, false);
    image_ids(im, at == room ? 104 : UINT64_MAX - 7, at == room ? 8 : 24);
    if (at != room)
        image_section(im, entry + at, 104, 8);
    im->data = im->n;
    finish(im);
}

static void attr_sizes(void **state)
{
    static const struct {
        uint32_t size;
        size_t room, ids_at, tail;
    } cases[] = {
        {64, 64, 64, 0},    {0, 64, 64, 0},    {128, 128, 128, 0},  {144, 144, 144, 0},
        {120, 128, 128, 8}, {0, 128, 128, 64}, {200, 200, 200, 56}, {128, 64, 64, 0},
        {96, 128, 96, 32},  {0, 128, 64, 64},  {64, 112, 64, 48},
    };
    struct image im;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        BOTH_ORDERS(big)
        {
            start_entry(&im, big, cases[i].size, cases[i].room, cases[i].ids_at);
            struct pd_reader *r = open_image(&im);
            assert_int_equal(pd_reader_n_attrs(r), 1);
            assert_int_equal(pd_reader_n_findings(r), cases[i].size > cases[i].room);
            const struct pd_event_attr *a = pd_reader_attr(r, 0);
            assert_int_equal(a->attr.size, cases[i].size);
            assert_int_equal(a->room, cases[i].room);
            assert_int_equal(a->attr.tail.n, cases[i].tail);
            assert_int_equal(a->attr.sample_type, ST_IP);
            assert_int_equal(a->n_ids, 1);
            assert_int_equal(a->ids[0], 77);
            assert_int_equal(a->ids_early, cases[i].ids_at != cases[i].room);
            expect_covered(r, &im);
            done(r, &im);
        }
    }
}

static void damaged_attrs(void **state)
{
    struct image im;
    (void)state;
    BOTH_ORDERS(big)
    {
        /* The ids are at neither place. */
        start_entry(&im, big, 64, 64, 64);
        image_section(&im, 104 + 8 + 64, 104, im.n);
        struct pd_reader *r = open_image(&im);
        expect_finding(r, 0, PD_ERANGE, "ids", 112);
        assert_int_equal(pd_reader_attr(r, 0)->n_ids, 0);
        expect_covered(r, &im);
        pd_reader_close(r);
        /* Half an id. */
        image_section(&im, 104 + 8 + 64, 104, 12);
        r = open_image(&im);
        expect_finding(r, 0, PD_EVALUE, "ids.size", 112);
        assert_int_equal(pd_reader_attr(r, 0)->n_ids, 1);
        pd_reader_close(r);
        /* Entries of an impossible size, and out of the file. */
        image_set(&im, IMAGE_ATTR_SIZE, 0, 8);
        r = open_image(&im);
        expect_finding(r, 0, PD_EVALUE, "attr_size", 16);
        assert_int_equal(pd_reader_n_attrs(r), 0);
        pd_reader_close(r);
        image_set(&im, IMAGE_ATTR_SIZE, 80, 8);
        image_section(&im, IMAGE_ATTRS, 112, UINT64_MAX - 100);
        r = open_image(&im);
        expect_finding(r, 0, PD_ERANGE, "attrs", 24);
        expect_covered(r, &im);
        done(r, &im);
    }
}

/* The remainder, if the attrs' size is not a multiple of attr_size, is not an entry. */
static void remainder_of_attrs(void **state)
{
    struct image im;
    (void)state;
    BOTH_ORDERS(big)
    {
        image_start(&im, big, 104, 80);
        image_section(&im, IMAGE_ATTRS, 104, 80 + 30);
        image_attr(&im, 64, 64, ST_IP, false);
        image_ids(&im, 0, 0);
        image_pattern(&im, 30);
        im.data = im.n;
        finish(&im);
        struct pd_reader *r = open_image(&im);
        assert_int_equal(pd_reader_n_attrs(r), 1);
        EXTENTS(r, &im, {PD_EXTENT_HEADER, 0, 0, 104}, {PD_EXTENT_ATTRS, 0, 104, 80},
                {PD_EXTENT_GAP, 0, 184, 30});
        done(r, &im);
    }
}

/* As perf inject writes it: data first, ids and attrs behind the features. */
static void attrs_behind_data(void **state)
{
    struct image im;
    (void)state;
    for (int empty = 0; empty < 2; empty++) {
        BOTH_ORDERS(big)
        {
            image_start(&im, big, 104, 80);
            im.data = im.n;
            for (uint64_t i = 0; !empty && i < 3; i++) {
                const size_t at = image_record(&im, 9, 1);
                image_u64(&im, i);
                image_end(&im, at);
            }
            finish(&im);
            const uint64_t ids = im.n;
            image_u64(&im, 31);
            image_u64(&im, 32);
            image_section(&im, IMAGE_ATTRS, im.n, 80);
            image_attr(&im, 64, 64, ST_IP, false);
            image_ids(&im, ids, 16);
            struct pd_reader *r = open_image(&im);
            assert_int_equal(pd_reader_attr(r, 0)->ids[1], 32);
            assert_false(pd_reader_info(r)->unfinished);
            assert_int_equal(pd_reader_n_findings(r), 0);
            expect_covered(r, &im);
            expect_records(r, empty ? 0 : 3);
            done(r, &im);
        }
    }
}

/* If each attr points to the same large ids section, memory must not multiply. */
static void ids_used_many_times(void **state)
{
    struct image im;
    (void)state;
    image_start(&im, false, 104, 80);
    image_zeros(&im, 8000);
    image_section(&im, IMAGE_ATTRS, im.n, UINT64_C(20) * 80);
    for (size_t i = 0; i < 20; i++) {
        image_attr(&im, 64, 64, ST_IP, false);
        image_ids(&im, 104, 8000);
    }
    im.data = im.n;
    finish(&im);
    struct pd_reader *r = open_image(&im);
    assert_int_equal(pd_reader_n_attrs(r), 20);
    assert_int_equal(pd_reader_attr(r, 0)->n_ids, 1000);
    assert_int_equal(pd_reader_attr(r, 19)->n_ids, 0);
    expect_finding(r, 0, PD_ELIMIT, "ids of all attrs", 104 + 8000 + 80);
    expect_covered(r, &im);
    done(r, &im);
}

/* ---- Data, FORMAT.md 1.6 */

static void unfinished_recording(void **state)
{
    struct image im;
    (void)state;
    BOTH_ORDERS(big)
    {
        image_unfinished(&im, big);
        struct pd_reader *r = open_image(&im);
        const struct pd_file_info *info = pd_reader_info(r);
        assert_true(info->unfinished);
        assert_int_equal(info->header.data.size, 0);
        assert_int_equal(info->data_end, im.n);
        assert_int_equal(info->features[0], 1 << 3); /* as stored */
        assert_int_equal(pd_reader_n_features(r), 0);
        expect_records(r, 3);
        pd_reader_close(r);
        im.n = im.data; /* killed before the first record */
        r = open_image(&im);
        assert_true(pd_reader_info(r)->unfinished);
        assert_false(pd_reader_info(r)->truncated);
        assert_int_equal(pd_reader_n_findings(r), 0);
        expect_records(r, 0);
        expect_covered(r, &im);
        done(r, &im);
    }
}

/* Zeros in place of records are not a table of features at offset 0. */
static void unfinished_and_zeroed(void **state)
{
    struct image im;
    uint64_t n;
    (void)state;
    image_unfinished(&im, false);
    memset(im.b + im.data, 0, im.n - im.data);
    struct pd_reader *r = open_image(&im);
    assert_true(pd_reader_info(r)->unfinished);
    assert_int_equal(count_records(r, &n, NULL), PD_ESIZE);
    assert_int_equal(n, 0);
    expect_covered(r, &im);
    done(r, &im);
}

/* A finished file without records looks the same, but its table is there. */
static void finished_without_records(void **state)
{
    struct image im;
    (void)state;
    BOTH_ORDERS(big)
    {
        start_file(&im, big, ST_IP, false);
        finish(&im);
        image_features(&im);
        struct pd_reader *r = open_image(&im);
        assert_false(pd_reader_info(r)->unfinished);
        assert_int_equal(pd_reader_n_features(r), 4);
        expect_records(r, 0);
        expect_covered(r, &im);
        done(r, &im);
    }
}

static void data_beyond_the_end(void **state)
{
    static const uint64_t sizes[] = {658 + 250, 100000, UINT64_MAX - 416, UINT64_MAX};
    struct image im;
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        BOTH_ORDERS(big)
        {
            uint64_t n;
            struct pd_error e;
            image_recording(&im, big);
            im.n = 640 + 50; /* in the fourth record */
            image_set(&im, IMAGE_DATA + 8, sizes[i], 8);
            struct pd_reader *r = open_image(&im);
            assert_true(pd_reader_info(r)->truncated);
            assert_int_equal(pd_reader_info(r)->data_end, im.n);
            assert_int_equal(pd_reader_n_features(r), 0);
            expect_finding(r, 0, PD_ERANGE, "data", 40);
            expect_covered(r, &im);
            assert_int_equal(count_records(r, &n, &e), PD_ETRUNC);
            assert_int_equal(n, 3);
            assert_int_equal(e.offset, 640);
            assert_int_equal(e.record_index, 3);
            assert_int_equal(e.found, 50);
            assert_int_equal(e.expected, 88);
            assert_int_equal(pd_reader_offset(r), 640);
            done(r, &im);
        }
    }
    BOTH_ORDERS(big)
    { /* not even its start is in the file */
        image_recording(&im, big);
        image_set(&im, IMAGE_DATA, im.n + 5, 8);
        struct pd_reader *r = open_image(&im);
        assert_true(pd_reader_info(r)->truncated);
        expect_records(r, 0);
        expect_covered(r, &im);
        done(r, &im);
    }
}

/* Record headers of impossible sizes. */
static void damaged_record_sizes(void **state)
{
    struct image im;
    (void)state;
    for (unsigned size = 0; size < 8; size++) {
        BOTH_ORDERS(big)
        {
            uint64_t n;
            struct pd_error e;
            image_recording(&im, big);
            image_set(&im, 520 + 6, size, 2);
            struct pd_reader *r = open_image(&im);
            assert_int_equal(count_records(r, &n, &e), PD_ESIZE);
            assert_int_equal(n, 2);
            assert_int_equal(e.offset, 520);
            assert_int_equal(e.record_offset, 6);
            assert_int_equal(e.record_type, 10);
            assert_int_equal(e.found, size);
            assert_string_equal(e.field, "size");
            assert_int_equal(pd_reader_offset(r), 520);
            assert_int_equal(pd_reader_rewind(r, NULL), PD_OK);
            assert_int_equal(count_records(r, &n, NULL), PD_ESIZE);
            done(r, &im);
        }
    }
}

static void bytes_left_behind_the_last_record(void **state)
{
    struct image im;
    (void)state;
    for (size_t left = 1; left < 8; left++) {
        uint64_t n;
        struct pd_error e;
        start_file(&im, false, ST_IP, false);
        const size_t at = image_record(&im, 68, 0);
        image_end(&im, at);
        image_pattern(&im, left);
        finish(&im);
        struct pd_reader *r = open_image(&im);
        assert_int_equal(count_records(r, &n, &e), PD_ESHORT);
        assert_int_equal(n, 1);
        assert_int_equal(e.offset, at + 8);
        assert_int_equal(e.found, left);
        assert_int_equal(e.expected, 8);
        done(r, &im);
    }
}

/* The data ends inside the file: the record may not extend into the features. */
static void record_beyond_the_data(void **state)
{
    struct image im;
    uint64_t n;
    struct pd_error e;
    (void)state;
    image_recording(&im, false);
    image_set(&im, IMAGE_DATA + 8, 640 + 20 - 416, 8);
    memset(im.b + IMAGE_FEATURES, 0, 32);
    struct pd_reader *r = open_image(&im);
    assert_int_equal(count_records(r, &n, &e), PD_ETRUNC);
    assert_int_equal(e.offset, 640);
    assert_int_equal(e.found, 20);
    expect_covered(r, &im);
    done(r, &im);
}

/* ---- Sections in odd places */

static void sections_that_overlap(void **state)
{
    struct image im;
    (void)state;
    BOTH_ORDERS(big)
    {
        image_recording(&im, big);
        image_section(&im, im.table + 16, 1239, 68); /* VERSION begins inside HOSTNAME and ends behind it */
        struct pd_reader *r = open_image(&im);
        expect_finding(r, 0, PD_EVALUE, "start of a section inside another one", 1239);
        EXTENTS(r, &im, {PD_EXTENT_HEADER, 0, 0, 104}, {PD_EXTENT_IDS, 0, 104, 16},
                {PD_EXTENT_IDS, 1, 120, 8}, {PD_EXTENT_ATTRS, 0, 128, 288}, {PD_EXTENT_DATA, 0, 416, 657},
                {PD_EXTENT_TABLE, 0, 1073, 64}, {PD_EXTENT_GAP, 0, 1137, 100},
                {PD_EXTENT_FEATURE, 3, 1237, 68}, {PD_EXTENT_OVERLAP, 4, 1305, 2},
                {PD_EXTENT_OVERLAP, 200, 1307, 11}, {PD_EXTENT_GAP, 0, 1318, 5});
        pd_reader_close(r);
        image_section(&im, im.table + 16, 416, 657); /* the same place as another, or wholly inside it */
        image_section(&im, im.table + 48, 500, 20);
        r = open_image(&im);
        assert_int_equal(pd_reader_n_findings(r), 2);
        assert_true(pd_reader_find_feature(r, 4)->intact);
        expect_covered(r, &im);
        expect_records(r, 12);
        pd_reader_close(r);
        image_section(&im, IMAGE_DATA, 0, im.n); /* data everywhere */
        r = open_image(&im);
        expect_covered(r, &im);
        done(r, &im);
    }
}

static void feature_beyond_the_end(void **state)
{
    struct image im;
    (void)state;
    BOTH_ORDERS(big)
    {
        image_recording(&im, big);
        image_section(&im, im.table, 1300, 24);
        image_section(&im, im.table + 48, UINT64_MAX - 3, 8);
        struct pd_reader *r = open_image(&im);
        assert_int_equal(pd_reader_n_findings(r), 2);
        expect_finding(r, 0, PD_ERANGE, "HOSTNAME", 1300);
        assert_int_equal(pd_reader_finding(r, 0)->found, 1324);
        assert_int_equal(pd_reader_finding(r, 0)->expected, 1323);
        expect_finding(r, 1, PD_ERANGE, "feature", UINT64_MAX - 3);
        assert_false(pd_reader_find_feature(r, 3)->intact);
        assert_true(pd_reader_find_feature(r, 4)->intact);
        expect_covered(r, &im);
        done(r, &im);
    }
}

static void table_cut_off(void **state)
{
    struct image im;
    (void)state;
    image_recording(&im, true);
    im.n = im.table + 40;
    struct pd_reader *r = open_image(&im);
    assert_true(pd_reader_info(r)->truncated);
    assert_int_equal(pd_reader_n_features(r), 2);
    assert_int_equal(pd_reader_n_findings(r), 3); /* the two sections, and the table */
    expect_finding(r, 2, PD_ETRUNC, "feature table", im.table + 32);
    expect_covered(r, &im);
    expect_records(r, 12);
    done(r, &im);
}

static void event_types_outside(void **state)
{
    struct image im;
    (void)state;
    BOTH_ORDERS(big)
    {
        image_v1(&im, big);
        image_section(&im, IMAGE_TYPES, 160, 72 + 50); /* one and a piece, over the data */
        struct pd_reader *r = open_image(&im);
        EXTENTS(r, &im, {PD_EXTENT_HEADER, 0, 0, 72}, {PD_EXTENT_IDS, 0, 72, 8}, {PD_EXTENT_ATTRS, 0, 80, 80},
                {PD_EXTENT_GAP, 0, 160, 72}, {PD_EXTENT_DATA, 0, 232, 24});
        done(r, &im);
    }
}

/* ---- Payloads outside of records */

/* Reads the payload of `rec` and compares it with image_pattern()'s bytes at its place in the file. */
static void expect_payload(struct pd_reader *r, const struct pd_record *rec, const struct image *im)
{
    uint64_t at = rec->offset + rec->size;
    const uint64_t end = at + rec->payload_size;
    const uint8_t *p;
    size_t n;
    do {
        assert_int_equal(pd_reader_payload(r, &p, &n, NULL), PD_OK);
        assert_true(n <= end - at);
        assert_memory_equal(p, im->b + at, n);
        at += n;
    } while (n);
    assert_int_equal(at, end);
}

static void payloads(void **state)
{
    static const struct {
        size_t tracing, size; /* size of the TRACING_DATA record, or 0 for AUXTRACE; bytes behind it */
    } cases[] = {{0, 0}, {0, 8}, {0, 400000}, {12, 24}, {16, 24}, {12, 300000}, {16, 0}, {12, 5}};
    struct image im;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        BOTH_ORDERS(big)
        {
            struct pd_record rec = {0};
            start_file(&im, big, ST_IP, false);
            if (cases[i].tracing)
                image_tracing_data(&im, cases[i].tracing, (uint32_t)cases[i].size);
            else
                image_auxtrace(&im, cases[i].size);
            image_end(&im, image_record(&im, 68, 0));
            finish(&im);
            struct pd_reader *r = open_image(&im);
            for (int asked = 0; asked < 2; asked++) { /* payloads that are not read are skipped */
                assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
                assert_int_equal(rec.payload_size, cases[i].size);
                assert_int_equal(pd_reader_decode(r, &rec, NULL), PD_OK);
                if (asked)
                    expect_payload(r, &rec, &im);
                assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
                assert_int_equal(rec.type, 68);
                assert_int_equal(rec.offset, im.n - 8);
                assert_int_equal(pd_reader_next(r, &rec, NULL), PD_END);
                assert_int_equal(pd_reader_rewind(r, NULL), PD_OK);
            }
            done(r, &im);
        }
    }
}

/* Old simpleperf: u32 size, the blob and its padding to 64 bytes, all inside the record. */
static void tracing_data_inside_its_record(void **state)
{
    struct image im;
    (void)state;
    BOTH_ORDERS(big)
    {
        struct pd_record rec = {0};
        start_file(&im, big, ST_IP, false);
        const size_t at = image_record(&im, 66, 0);
        image_u32(&im, 50);
        image_pattern(&im, 64);
        image_end(&im, at);
        image_end(&im, image_record(&im, 68, 0));
        finish(&im);
        struct pd_reader *r = open_image(&im);
        assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
        assert_int_equal(rec.payload_size, 0);
        assert_int_equal(pd_reader_decode(r, &rec, NULL), PD_OK);
        assert_int_equal(rec.u.header_tracing_data.data_size, 50);
        assert_int_equal(rec.rest.n, 64);
        assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
        assert_int_equal(rec.type, 68);
        done(r, &im);
    }
}

/* Tracing data begins inside one record: here its magic, "\x17\x08Dtracing", goes on in the next one. */
static void tracing_data_of_two_records(void **state)
{
    struct image im;
    (void)state;
    BOTH_ORDERS(big)
    {
        struct pd_record rec = {0};
        struct pd_error why;
        start_file(&im, big, ST_IP, false);
        const size_t at = image_record(&im, 66, 0);
        image_u32(&im, 0);
        image_bytes(&im, "\x17\x08\x44t", 4);
        image_end(&im, at);
        const uint32_t type = big ? 0x72616369 : 0x69636172; /* "raci" */
        image_end(&im, image_record(&im, type, big ? 0x6e67 : 0x676e));
        finish(&im);
        struct pd_reader *r = open_image(&im);
        assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
        assert_int_equal(rec.size, 16);
        assert_int_equal(pd_reader_decode(r, &rec, NULL), PD_OK);
        assert_int_equal(pd_reader_judge(r, &rec, &why), PD_EVALUE);
        assert_string_equal(why.field, "type");
        done(r, &im);
    }
}

static void payload_beyond_the_data(void **state)
{
    static const uint64_t sizes[] = {25, 100000, UINT64_MAX};
    struct image im;
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        for (int asked = 0; asked < 2; asked++) {
            struct pd_record rec = {0};
            struct pd_error e;
            const uint8_t *p;
            size_t n = 1;
            start_file(&im, true, ST_IP, false);
            image_auxtrace(&im, 24);
            image_set(&im, im.data + 8, sizes[i], 8);
            finish(&im);
            struct pd_reader *r = open_image(&im);
            assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
            assert_int_equal(rec.payload_size, sizes[i]);
            if (asked) {
                assert_int_equal(pd_reader_payload(r, &p, &n, &e), PD_OK);
                assert_int_equal(n, 24);
                assert_int_equal(pd_reader_payload(r, &p, &n, &e), PD_ETRUNC);
            } else {
                assert_int_equal(pd_reader_next(r, &rec, &e), PD_ETRUNC);
            }
            assert_int_equal(e.code, PD_ETRUNC);
            assert_string_equal(e.field, "payload");
            assert_int_equal(pd_reader_next(r, &rec, &e), PD_END);
            done(r, &im);
        }
    }
}

/* ---- The event of a record, FORMAT.md 4.3 */

#define ANY_ID UINT64_C(0x1111111111111111)

/* Two events with an id each, 1001 and 1002. */
static void start_two(struct image *im, bool big, uint64_t st0, uint64_t st1, bool all0, bool all1)
{
    image_start(im, big, 104, 80);
    image_u64(im, 1001);
    image_u64(im, 1002);
    image_section(im, IMAGE_ATTRS, im->n, 160);
    image_attr(im, 64, 64, st0, all0);
    image_ids(im, 104, 8);
    image_attr(im, 64, 64, st1, all1);
    image_ids(im, 112, 8);
    im->data = im->n;
}

/* A record of `words` words behind the header; word `place` is `id`. */
static void add_words(struct image *im, uint32_t type, size_t words, size_t place, uint64_t id)
{
    const size_t at = image_record(im, type, 0);
    for (size_t i = 0; i < words; i++)
        image_u64(im, i == place ? id : ANY_ID);
    image_end(im, at);
}

/* Reads the next record and checks its event and whether its layout is known. */
static void expect_event(struct pd_reader *r, uint32_t attr, bool known)
{
    struct pd_record rec = {0};
    assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
    assert_int_equal(rec.attr_index, attr);
    assert_int_equal(rec.attr != NULL, attr != UINT32_MAX);
    assert_int_equal(rec.plan != NULL, known);
}

#define NOBODY UINT32_MAX

static void event_by_identifier(void **state)
{
    struct image im;
    (void)state;
    BOTH_ORDERS(big)
    {
        start_two(&im, big, ST_IDENTIFIER | ST_IP, ST_IDENTIFIER | ST_IP | ST_TIME, true, true);
        add_words(&im, 9, 2, 0, 1001);
        add_words(&im, 9, 3, 0, 1002);
        add_words(&im, 9, 3, 0, 0);    /* synthesized: of the first event */
        add_words(&im, 9, 3, 0, 1003); /* of no event, and the layouts differ */
        add_words(&im, 4, 5, 4, 1002); /* the last word in the others' layout */
        add_words(&im, 4, 4, 3, 0);
        add_words(&im, 4, 5, 4, 1003);
        add_words(&im, 33, 1, 0, 1002); /* an unknown kernel type */
        add_words(&im, 68, 0, 0, 0);    /* perf's own records have no event */
        add_words(&im, 9, 0, 0, 0);     /* too short for an id: as if it were 0 */
        add_words(&im, 4, 0, 0, 0);
        finish(&im);
        struct pd_reader *r = open_image(&im);
        expect_event(r, 0, true);
        expect_event(r, 1, true);
        expect_event(r, 0, true);
        expect_event(r, NOBODY, false);
        expect_event(r, 1, true);
        expect_event(r, 0, true);
        expect_event(r, NOBODY, false);
        expect_event(r, 1, true);
        expect_event(r, NOBODY, true);
        expect_event(r, 0, true);
        expect_event(r, 0, true);
        done(r, &im);
    }
}

static void event_by_id(void **state)
{
    /* In a SAMPLE behind IP, TID, TIME and ADDR; in the trailer before STREAM_ID and CPU. */
    static const struct {
        uint64_t st;
        size_t in_sample, from_end;
    } cases[] = {
        {ST_ID, 0, 1},
        {ST_ID | ST_IP, 1, 1},
        {ST_ID | ST_IP | ST_TID | ST_TIME | ST_ADDR, 4, 1},
        {ST_ID | ST_TIME | ST_CPU, 1, 2},
        {ST_ID | ST_STREAM_ID, 0, 2},
        {ST_ID | ST_TID | ST_STREAM_ID | ST_CPU | ST_PERIOD, 1, 3},
        {ST_ID | ST_IDENTIFIER | ST_IP | ST_CPU, 0, 1}, /* IDENTIFIER wins */
    };
    struct image im;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        BOTH_ORDERS(big)
        {
            start_two(&im, big, cases[i].st, cases[i].st, true, true);
            add_words(&im, 9, 8, cases[i].in_sample, 1002);
            add_words(&im, 3, 8, 8 - cases[i].from_end, 1002);
            add_words(&im, 9, 8, cases[i].in_sample, 1001);
            add_words(&im, 3, 8, 8 - cases[i].from_end, 5); /* of no event, but all have the same layout */
            finish(&im);
            struct pd_reader *r = open_image(&im);
            expect_event(r, 1, true);
            expect_event(r, 1, true);
            expect_event(r, 0, true);
            expect_event(r, NOBODY, true);
            done(r, &im);
        }
    }
}

static void event_without_ids(void **state)
{
    struct image im;
    (void)state;
    BOTH_ORDERS(big)
    {
        /* No place for an id in samples: of no event; but the layout is known if all events have the same. */
        start_two(&im, big, ST_IP, ST_IP, false, false);
        add_words(&im, 9, 1, 0, 1002);
        add_words(&im, 3, 3, 2, 1002);
        finish(&im);
        struct pd_reader *r = open_image(&im);
        expect_event(r, NOBODY, true);
        expect_event(r, 0, true);
        done(r, &im);
        start_two(&im, big, ST_IP | ST_TIME, ST_IP | ST_CPU, true, true);
        add_words(&im, 9, 2, 0, 1001);
        add_words(&im, 3, 3, 2, 1001);
        finish(&im);
        r = open_image(&im);
        expect_event(r, NOBODY, false);
        expect_event(r, NOBODY, false); /* one word each, but different ones */
        done(r, &im);
        start_two(&im, big, ST_IP | ST_TIME, ST_PERIOD | ST_TIME, true, true);
        add_words(&im, 9, 2, 0, 1001);
        add_words(&im, 3, 3, 2, 1001);
        finish(&im);
        r = open_image(&im);
        expect_event(r, NOBODY, false);
        expect_event(r, NOBODY, true);
        done(r, &im);
        /* The first event has no trailer: all records except samples are of the first event. */
        start_two(&im, big, ST_IP | ST_IDENTIFIER, ST_IP | ST_IDENTIFIER, false, true);
        add_words(&im, 3, 3, 2, 1002);
        add_words(&im, 9, 2, 0, 1002);
        finish(&im);
        r = open_image(&im);
        expect_event(r, 0, true);
        expect_event(r, 1, true);
        done(r, &im);
        /* One event: any id. */
        start_file(&im, big, ST_IDENTIFIER | ST_IP, true);
        add_words(&im, 9, 2, 0, 12345);
        add_words(&im, 3, 3, 2, 12345);
        finish(&im);
        r = open_image(&im);
        expect_event(r, 0, true);
        expect_event(r, 0, true);
        done(r, &im);
        /* No event: records without trailers, samples without fields. */
        image_start(&im, big, 104, 80);
        im.data = im.n;
        add_words(&im, 9, 2, 0, 1);
        add_words(&im, 3, 2, 0, 1);
        finish(&im);
        r = open_image(&im);
        expect_event(r, NOBODY, true);
        expect_event(r, NOBODY, true);
        done(r, &im);
    }
}

/*
 * A pipe stream of Google's perf 3.3: features under types of their own, before the attr; the same after a
 * rewind.
 */
static void old_features_after_a_rewind(void **state)
{
    struct image im;
    (void)state;
    BOTH_ORDERS(big)
    {
        struct pd_record rec = {0};
        image_start(&im, big, 16, 0);
        size_t at = image_record(&im, 69, 0);
        image_u32(&im, 8);
        image_bytes(&im, "host\0\0\0", 8);
        image_end(&im, at);
        at = image_record(&im, 64, 0);
        image_attr(&im, 64, 64, ST_IP, false);
        image_u64(&im, 5);
        image_end(&im, at);
        at = image_record(&im, 69, 0); /* this one is an ID_INDEX */
        image_u64(&im, 0);
        image_end(&im, at);
        struct pd_reader *r = open_image(&im);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
            assert_true(rec.old_feature);
            assert_int_equal(pd_reader_decode(r, &rec, NULL), PD_OK);
            assert_int_equal(rec.rest.n, 12);
            assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
            assert_false(rec.old_feature);
            assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
            assert_false(rec.old_feature);
            assert_int_equal(pd_reader_next(r, &rec, NULL), PD_END);
            assert_int_equal(pd_reader_rewind(r, NULL), PD_OK);
            assert_int_equal(pd_reader_n_attrs(r), 1); /* not counted twice */
        }
        done(r, &im);
    }
}

/* An id of two events belongs to the first one. */
static void id_claimed_twice(void **state)
{
    struct image im;
    (void)state;
    start_two(&im, false, ST_IDENTIFIER, ST_IDENTIFIER, true, true);
    image_set(&im, 112, 1001, 8);
    finish(&im);
    struct pd_reader *r = open_image(&im);
    assert_int_equal(pd_reader_find_id(r, 1001), 0);
    assert_int_equal(pd_reader_attr(r, 1)->ids[0], 1001);
    done(r, &im);
}

static void many_ids(void **state)
{
    struct image im;
    (void)state;
    BOTH_ORDERS(big)
    {
        image_start(&im, big, 104, 80);
        for (uint64_t i = 0; i < 3000; i++)
            image_u64(&im, 1 + i * UINT64_C(0x100000000));
        image_section(&im, IMAGE_ATTRS, im.n, 240);
        for (uint64_t i = 0; i < 3; i++) {
            image_attr(&im, 64, 64, ST_IDENTIFIER, true);
            image_ids(&im, 104 + i * 8000, 8000);
        }
        im.data = im.n;
        finish(&im);
        struct pd_reader *r = open_image(&im);
        for (uint64_t i = 0; i < 3000; i++)
            assert_int_equal(pd_reader_find_id(r, 1 + i * UINT64_C(0x100000000)), i / 1000);
        assert_int_equal(pd_reader_find_id(r, 2), UINT32_MAX);
        done(r, &im);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_fields),
        cmocka_unit_test(every_byte_belongs_somewhere),
        cmocka_unit_test(attrs_and_ids),
        cmocka_unit_test(feature_sections),
        cmocka_unit_test(records_and_their_events),
        cmocka_unit_test(chain_beyond_its_sample),
        cmocka_unit_test(decoded_values),
        cmocka_unit_test(header_of_72_bytes),
        cmocka_unit_test(longer_header),
        cmocka_unit_test(version_1),
        cmocka_unit_test(refused_files),
        cmocka_unit_test(bitmap_words),
        cmocka_unit_test(last_feature_bit),
        cmocka_unit_test(attr_sizes),
        cmocka_unit_test(damaged_attrs),
        cmocka_unit_test(remainder_of_attrs),
        cmocka_unit_test(attrs_behind_data),
        cmocka_unit_test(ids_used_many_times),
        cmocka_unit_test(unfinished_recording),
        cmocka_unit_test(unfinished_and_zeroed),
        cmocka_unit_test(finished_without_records),
        cmocka_unit_test(data_beyond_the_end),
        cmocka_unit_test(damaged_record_sizes),
        cmocka_unit_test(bytes_left_behind_the_last_record),
        cmocka_unit_test(record_beyond_the_data),
        cmocka_unit_test(sections_that_overlap),
        cmocka_unit_test(feature_beyond_the_end),
        cmocka_unit_test(table_cut_off),
        cmocka_unit_test(event_types_outside),
        cmocka_unit_test(payloads),
        cmocka_unit_test(tracing_data_inside_its_record),
        cmocka_unit_test(tracing_data_of_two_records),
        cmocka_unit_test(payload_beyond_the_data),
        cmocka_unit_test(event_by_identifier),
        cmocka_unit_test(event_by_id),
        cmocka_unit_test(event_without_ids),
        cmocka_unit_test(old_features_after_a_rewind),
        cmocka_unit_test(id_claimed_twice),
        cmocka_unit_test(many_ids),
    };
    return cmocka_run_group_tests_name("reader", tests, NULL, NULL);
}
