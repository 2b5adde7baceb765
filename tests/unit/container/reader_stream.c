/* SPDX-License-Identifier: MIT */
/*
 * reader_stream.c - pipe streams, and files that come through a pipe: attrs that come late or in odd sizes,
 * bytes behind the last record, payloads larger than the window, and ends in the middle. Reading from memory
 * and through a window gives the same. Checks R7.
 */
#include "fuzz/image.h"
#include "cmocka_all.h"
#include "heap.h"
#include <perfdata/perfdata.h>

/* ---- The three ways to read */

enum way { MEMORY, SEEKABLE, STREAM, WAYS };

struct feed {
    const struct image *im;
    size_t most; /* bytes given at a time */
};

static int64_t feed_read(void *user, uint64_t offset, void *buf, size_t n)
{
    const struct feed *f = user;
    size_t got = offset < f->im->n ? f->im->n - (size_t)offset : 0;
    got = got < n ? got : n;
    got = got < f->most ? got : f->most;
    if (got)
        memcpy(buf, f->im->b + offset, got);
    return (int64_t)got;
}

static struct feed feed;

static bool probes; /* for what cannot be decoded */

static uint64_t max_held; /* 0: as usual */

static struct pd_reader *open_way(const struct image *im, enum way way, size_t most)
{
    const struct pd_reader_options options = {
        .size = sizeof options, .window = 1, .probe = probes, .max_held = max_held};
    struct pd_reader *r = NULL;
    feed = (struct feed){im, most};
    const struct pd_source source = {feed_read, NULL, &feed, way == SEEKABLE ? im->n : PD_NOWHERE};
    if (way == MEMORY)
        assert_int_equal(pd_reader_open_memory(&r, im->b, im->n, &options, NULL), PD_OK);
    else
        assert_int_equal(pd_reader_open_source(&r, &source, &options, NULL), PD_OK);
    return r;
}

#define EACH_WAY(way_) for (enum way way_ = MEMORY; way_ < WAYS; way_++)

static void next_is(struct pd_reader *r, struct pd_record *rec, uint32_t type, uint32_t attr)
{
    assert_int_equal(pd_reader_next(r, rec, NULL), PD_OK);
    assert_int_equal(rec->type, type);
    assert_int_equal(rec->attr_index, attr);
}

static void add_round(struct image *im)
{
    image_end(im, image_record(im, 68, 0));
}

#define NOBODY UINT32_MAX

/* ---- HEADER_ATTR */

static void add_attr(struct image *im, uint64_t sample_type, uint64_t id)
{
    const size_t at = image_record(im, 64, 0);
    image_attr(im, 64, 64, sample_type, true);
    image_u64(im, id);
    image_end(im, at);
}

static void add_sample(struct image *im, uint64_t id)
{
    const size_t at = image_record(im, 9, 1);
    image_u64(im, id);
    image_u64(im, 0x400000);
    image_end(im, at);
}

/* A sample before its attr has no event; the attr counts from its place on, and once. */
static void attrs_behind_samples(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        EACH_WAY(way)
        {
            struct image im;
            struct pd_record rec = {0};
            image_start(&im, big, 16, 0);
            add_sample(&im, 1);
            add_attr(&im, ST_IDENTIFIER | ST_IP, 1);
            add_sample(&im, 1);
            add_sample(&im, 2); /* the only event */
            add_attr(&im, ST_IDENTIFIER | ST_TIME, 2);
            add_sample(&im, 1);
            add_sample(&im, 2);
            add_sample(&im, 3);
            struct pd_reader *r = open_way(&im, way, SIZE_MAX);
            assert_int_equal(pd_reader_n_attrs(r), 0);
            next_is(r, &rec, 9, NOBODY);
            assert_int_equal(pd_reader_decode(r, &rec, NULL), PD_OK); /* all its bytes are `rest` */
            assert_int_equal(rec.rest.n, 16);
            next_is(r, &rec, 64, NOBODY);
            assert_int_equal(pd_reader_n_attrs(r), 1);
            const struct pd_event_attr *first = pd_reader_attr(r, 0);
            assert_true(first->in_stream);
            assert_int_equal(first->offset, rec.offset + 8);
            next_is(r, &rec, 9, 0);
            assert_int_equal(pd_reader_decode(r, &rec, NULL), PD_OK);
            assert_int_equal(rec.u.sample.ip, 0x400000);
            next_is(r, &rec, 9, 0);
            next_is(r, &rec, 64, NOBODY);
            assert_ptr_equal(pd_reader_attr(r, 0), first); /* it has not moved */
            next_is(r, &rec, 9, 0);
            next_is(r, &rec, 9, 1);
            assert_int_equal(pd_reader_decode(r, &rec, NULL), PD_OK);
            assert_int_equal(rec.u.sample.time, 0x400000);
            next_is(r, &rec, 9, NOBODY);
            assert_int_equal(pd_reader_decode(r, &rec, NULL), PD_EUNKNOWN);
            assert_int_equal(pd_reader_next(r, &rec, NULL), PD_END);
            if (way != STREAM) {
                assert_int_equal(pd_reader_rewind(r, NULL), PD_OK);
                while (pd_reader_next(r, &rec, NULL) == PD_OK)
                    ;
                assert_int_equal(pd_reader_n_attrs(r), 2);
            }
            pd_reader_close(r);
            image_free(&im);
        }
    }
}

/*
 * Every size of the record, and sizes in the attr that do not fit it. The records behind it are read all the
 * same.
 */
static void attrs_of_odd_sizes(void **state)
{
    static const uint32_t said[] = {0, 1, 63, 64, 65, 72, 144, 145, 200, 65535, UINT32_MAX};
    (void)state;
    for (size_t n = 0; n <= 240; n++) {
        for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
            struct image im;
            struct pd_record rec = {0};
            image_start(&im, i % 2, 16, 0);
            size_t at = image_record(&im, 64, 0);
            for (size_t k = 0; k < n; k++)
                *image_room(&im, 1) = (uint8_t)(k == 24 ? 0 : k); /* no sample_type that wants anything */
            if (n >= 8)
                image_set(&im, at + 8 + 4, said[i], 4);
            image_end(&im, at);
            add_round(&im);
            struct pd_reader *r = open_way(&im, MEMORY, SIZE_MAX);
            next_is(r, &rec, 64, NOBODY);
            pd_reader_decode(r, &rec, NULL);
            next_is(r, &rec, 68, NOBODY);
            assert_int_equal(pd_reader_next(r, &rec, NULL), PD_END);
            assert_int_equal(pd_reader_n_attrs(r), n >= 8); /* without a size field it is not an attr */
            if (n >= 8) {
                const struct pd_event_attr *a = pd_reader_attr(r, 0);
                const size_t size = said[i] < 64 ? 64 : said[i];
                assert_int_equal(a->attr.size, said[i]);
                assert_int_equal(a->room, size < n ? size : n);
                assert_int_equal(a->n_ids, size < n ? (n - size) / 8 : 0);
            }
            pd_reader_close(r);
            image_free(&im);
        }
    }
}

/* ---- Behind the last record */

static void expect_stray(const struct image *im, uint64_t at, uint64_t stray, enum pd_code code)
{
    EACH_WAY(way)
    {
        for (size_t most = 1; most < 200; most += 66) {
            struct pd_record rec = {0};
            struct pd_error e = {0};
            struct pd_reader *r = open_way(im, way, most);
            next_is(r, &rec, 68, NOBODY);
            assert_int_equal(pd_reader_next(r, &rec, &e), code);
            assert_int_equal(pd_reader_info(r)->stray, stray);
            assert_int_equal(pd_reader_offset(r), at);
            if (code != PD_END)
                assert_int_equal(e.offset, at);
            assert_int_equal(pd_reader_next(r, &rec, NULL), PD_END);
            pd_reader_close(r);
        }
    }
}

/* A single byte is the start of a record if some type begins with it. */
static void stray_byte(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        for (unsigned byte = 0; byte < 256; byte++) {
            struct image im;
            const bool sample = !big && byte == 9, round = !big && byte == 68, high = big && byte == 0;
            const bool starts = sample || round || high,
                       unclear = !big && byte < 128 && !starts && byte != ' ';
            image_start(&im, big, 16, 0);
            add_round(&im);
            *image_room(&im, 1) = (uint8_t)byte;
            if (!unclear) /* later types may begin with it */
                expect_stray(&im, 24, starts ? 0 : 1, starts ? PD_ESHORT : PD_END);
            image_free(&im);
        }
    }
}

/*
 * Console text is stray, even if its first bytes would make a record; its length does not depend on the kind
 * of input.
 */
static void stray_text(void **state)
{
    static const char text[] =
        "[ perf record: Woken up 1 times to write data ]\n"; /* size 0x2066 or 0x6620 */
    (void)state;
    for (int big = 0; big < 2; big++) {
        for (size_t n = 8; n < 170; n += n < 20 ? 1 : 13) {
            struct image im;
            image_start(&im, big, 16, 0);
            add_round(&im);
            for (size_t i = 0; i < n; i++)
                image_bytes(&im, text + i % (sizeof text - 1), 1);
            expect_stray(&im, 24, n, PD_END);
            im.b[im.n - 1] = 0x80; /* not text to the end */
            expect_stray(&im, 24, 0, PD_ETRUNC);
            image_free(&im);
        }
    }
}

/* Text makes records of unknown types, too, each as long as two of its bytes say; only the rest is stray. */
static void records_of_text(unsigned char byte, size_t n)
{
    struct image im;
    image_start(&im, false, 16, 0);
    add_round(&im);
    memset(image_room(&im, n), byte, n);
    const size_t size = byte * 0x0101u, left = n % size;
    EACH_WAY(way)
    {
        struct pd_record rec = {0};
        struct pd_reader *r = open_way(&im, way, 4096);
        next_is(r, &rec, 68, NOBODY);
        for (size_t i = 0; i < n / size; i++)
            next_is(r, &rec, byte * UINT32_C(0x01010101), NOBODY);
        assert_int_equal(pd_reader_next(r, &rec, NULL), PD_END);
        assert_int_equal(pd_reader_info(r)->stray, left);
        assert_int_equal(pd_reader_offset(r), im.n - left);
        pd_reader_close(r);
    }
    image_free(&im);
}

static void long_stray_text(void **state)
{
    static const unsigned char bytes[] = {'\t', '\n', '~'}; /* the least size, another, and the largest */
    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        for (size_t k = 1; k <= 3; k += 2) {
            records_of_text(bytes[i], k * bytes[i] * 0x0101 - 1);
            records_of_text(bytes[i], k * bytes[i] * 0x0101);
        }
}

/* ---- Payloads */

/* `there` bytes of a payload of `size`, in a pipe stream or in a file whose data says it has them. */
static void add_payload(struct image *im, uint64_t size, size_t there, bool aux)
{
    const size_t at = im->n;
    if (aux)
        image_auxtrace(im, there);
    else
        image_tracing_data(im, 12, (uint32_t)there);
    image_set(im, at + 8, size, aux ? 8 : 4);
}

static void expect_payload_end(const struct image *im, enum way way, bool asked, uint64_t at, uint64_t size,
                               uint64_t there)
{
    struct pd_record rec = {0}, other = {0};
    struct pd_error e;
    enum pd_code code = PD_OK;
    const uint8_t *p;
    uint64_t seen = 0;
    size_t n;
    struct pd_reader *r = open_way(im, way, 5000);
    next_is(r, &rec, 68, NOBODY);
    assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
    assert_int_equal(rec.payload_size, size);
    for (; asked && (code = pd_reader_payload(r, &p, &n, &e)) == PD_OK && n; seen += n)
        assert_memory_equal(p, im->b + rec.offset + rec.size + seen, n);
    if (asked)
        assert_int_equal(seen, there);
    if (!asked || there == size)
        code = pd_reader_next(r, &other, &e); /* another record: the error must not depend on the old one */
    if (there == size) {
        assert_int_equal(code, PD_END);
    } else {
        assert_int_equal(code, PD_ETRUNC);
        assert_int_equal(e.code, PD_ETRUNC);
        assert_string_equal(e.field, "payload");
        assert_int_equal(e.offset, at);
        assert_int_equal(e.record_index, 1);
        assert_int_equal(e.record_type, rec.type);
        assert_int_equal(e.found, there);
        assert_int_equal(e.expected, size);
    }
    assert_int_equal(pd_reader_next(r, &rec, NULL), PD_END);
    pd_reader_close(r);
}

static void payloads_cut_off(void **state)
{
    static const struct {
        uint64_t size;
        size_t there;
    } cases[] = {{8, 0},
                 {8, 7},
                 {8, 8},
                 {300000, 0},
                 {300000, 131072 - 56},
                 {300000, 131072},
                 {300000, 299999},
                 {300000, 300000},
                 {UINT32_MAX, 200000},
                 {UINT64_MAX, 200000},
                 {UINT64_MAX - 80, 16}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        EACH_WAY(way)
        {
            for (int how = 0; how < 4; how++) {
                const bool aux = how & 1, asked = how & 2;
                struct image im;
                if (!aux && cases[i].size > UINT32_MAX)
                    continue;
                image_start(&im, i % 2, 16, 0);
                add_round(&im);
                add_payload(&im, cases[i].size, cases[i].there, aux);
                expect_payload_end(&im, way, asked, 24, cases[i].size, cases[i].there);
                image_free(&im);
            }
        }
    }
}

/* ---- Files through a pipe */

/*
 * Overlaps seen at the beginning are not reported again at the end; those that only the end shows are
 * reported then.
 */
static void overlaps_told_once(void **state)
{
    (void)state;
    for (int late = 0; late < 3; late++) {
        size_t told[WAYS];
        EACH_WAY(way)
        {
            struct image im;
            struct pd_record rec = {0};
            image_recording(&im, false);
            image_section(&im, 128 + 128, 104, 24); /* ids of the first attr: over those of the second, */
            image_section(&im, 272 + 128, 112, 24); /* which begin in them and reach into the attrs */
            if (late)
                image_section(&im, im.table + 16, 1239, 68); /* VERSION begins inside HOSTNAME */
            if (late == 2)
                image_section(&im, im.table, 112, 8); /* HOSTNAME begins where the second ids do */
            struct pd_reader *r = open_way(&im, way, SIZE_MAX);
            while (pd_reader_next(r, &rec, NULL) == PD_OK)
                ;
            told[way] = 0;
            for (size_t i = 0; i < pd_reader_n_findings(r); i++)
                told[way] += !strcmp(pd_reader_finding(r, i)->field, "start of a section inside another one");
            assert_true(told[way] > 0);
            assert_int_equal(told[way], told[0]);
            assert_int_equal(pd_reader_n_findings(r), told[0]);
            pd_reader_close(r);
            image_free(&im);
        }
        assert_int_equal(told[0], 2 + (late ? 2 : 0)); /* the attrs, and VERSION with what follows it */
    }
}

/* A file that ends before its data does: the result does not depend on how it was read. */
static void file_that_ends_early(void **state)
{
    (void)state;
    struct image whole;
    image_recording(&whole, false);
    for (size_t n = whole.data + 1; n < whole.table; n++) {
        struct image im = whole;
        uint64_t records[WAYS];
        im.n = n;
        EACH_WAY(way)
        {
            struct pd_record rec = {0};
            struct pd_error e = {0};
            const struct pd_extent *x;
            size_t extents;
            uint64_t at = 0;
            struct pd_reader *r = open_way(&im, way, 100);
            const struct pd_file_info *info = pd_reader_info(r);
            enum pd_code code;
            for (records[way] = 0; (code = pd_reader_next(r, &rec, &e)) == PD_OK; records[way]++)
                ;
            assert_int_equal(records[way], records[0]);
            if (code != PD_END)
                assert_int_equal(pd_reader_offset(r), rec.payload_size ? pd_reader_offset(r) : e.offset);
            assert_true(info->truncated);
            assert_int_equal(info->file_size, n);
            assert_int_equal(info->data_end, n);
            assert_int_equal(pd_reader_finding(r, 0)->code, PD_ERANGE);
            x = pd_reader_extents(r, &extents);
            for (size_t i = 0; i < extents; i++) {
                assert_int_equal(x[i].offset, at);
                at += x[i].size;
            }
            assert_int_equal(at, n);
            pd_reader_close(r);
        }
    }
    image_free(&whole);
}

/* Behind a record that cannot be framed no record comes, but the features do, unless they are too large. */
static void features_behind_damage(void **state)
{
    struct image im;
    struct pd_record rec = {0};
    struct pd_error e;
    size_t features = 0;
    (void)state;
    image_recording(&im, false);
    memset(im.b + im.data + 6, 0, 2);
    EACH_WAY(way)
    {
        struct pd_reader *r = open_way(&im, way, 100);
        assert_int_equal(pd_reader_next(r, &rec, &e), PD_ESIZE);
        assert_int_equal(pd_reader_next(r, &rec, &e), PD_END);
        assert_int_equal(pd_reader_n_findings(r), 0);
        features = way ? features : pd_reader_n_features(r);
        assert_true(features && pd_reader_n_features(r) == features);
        pd_reader_close(r);
    }
    image_zeros(&im, 3000);
    max_held = 2000;
    struct pd_reader *r = open_way(&im, STREAM, 100);
    assert_int_equal(pd_reader_next(r, &rec, &e), PD_ESIZE);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pd_reader_next(r, &rec, &e), PD_END);
    assert_int_equal(pd_reader_n_findings(r), 1);
    assert_int_equal(pd_reader_finding(r, 0)->code, PD_ELIMIT);
    assert_int_equal(pd_reader_n_features(r), 0);
    max_held = 0;
    pd_reader_close(r);
    image_free(&im);
}

/* A file without a size of its data is unfinished, except if it ends before the data starts. */
static void ends_before_its_data(void **state)
{
    (void)state;
    EACH_WAY(way)
    {
        struct image im;
        struct pd_record rec = {0};
        image_unfinished(&im, false);
        image_section(&im, IMAGE_DATA, im.data + 8, 0);
        im.n = im.data;
        struct pd_reader *r = open_way(&im, way, 100);
        assert_int_equal(pd_reader_next(r, &rec, NULL), PD_END);
        assert_int_equal(pd_reader_n_findings(r), 1);
        assert_int_equal(pd_reader_finding(r, 0)->code, PD_ERANGE);
        assert_int_equal(pd_reader_finding(r, 0)->offset, 40);
        assert_true(pd_reader_info(r)->truncated && !pd_reader_info(r)->unfinished);
        assert_int_equal(pd_reader_info(r)->data_end, im.data);
        pd_reader_close(r);
        image_free(&im);
    }
}

/* Entries are read many at a time: those before the place where a file is cut while it is read are kept. */
static void attrs_that_end_early(void **state)
{
    (void)state;
    for (size_t left = 0; left <= 3 * 80; left += 40) {
        struct image im;
        image_start(&im, false, 104, 80);
        image_section(&im, IMAGE_ATTRS, im.n, UINT64_C(3) * 80);
        for (size_t i = 0; i < 3; i++) {
            image_attr(&im, 64, 64, ST_IP, false);
            image_ids(&im, 0, 0);
        }
        image_section(&im, IMAGE_DATA, im.n, 0);
        const uint64_t size = im.n;
        im.n = 104 + left;
        feed = (struct feed){&im, SIZE_MAX};
        const struct pd_source source = {feed_read, NULL, &feed, size};
        struct pd_reader *r = NULL;
        assert_int_equal(pd_reader_open_source(&r, &source, NULL, NULL), PD_OK);
        assert_int_equal(pd_reader_n_attrs(r), left / 80);
        assert_int_equal(pd_reader_n_findings(r), left < 240);
        if (left < 240) {
            assert_int_equal(pd_reader_finding(r, 0)->code, PD_ETRUNC);
            assert_int_equal(pd_reader_finding(r, 0)->offset, 104 + left / 80 * 80);
            assert_string_equal(pd_reader_finding(r, 0)->field, "attrs");
        }
        pd_reader_close(r);
        image_free(&im);
    }
}

/* Tracing data is judged as a whole, in however many pieces it comes. */
static void tracing_data_in_pieces(void **state)
{
    (void)state;
    probes = true;
    EACH_WAY(way)
    {
        struct image im;
        struct pd_record rec = {0};
        enum pd_code code;
        image_start(&im, 0, 16, 0);
        add_payload(&im, 300000, 300000, false); /* bytes of a pattern, not of tracing data */
        add_round(&im);
        struct pd_reader *r = open_way(&im, way, 5000);
        while ((code = pd_reader_next(r, &rec, NULL)) == PD_OK)
            ;
        assert_int_equal(code, PD_END);
        assert_int_equal(pd_reader_n_findings(r), 1);
        assert_int_equal(pd_reader_finding(r, 0)->offset, 16 + 12);
        pd_reader_close(r);
        image_free(&im);
    }
    probes = false;
}

/* Any allocation fails while a payload is held that nobody asks for. */
static void no_memory_for_a_payload(void **state)
{
    size_t n = 1;
    enum pd_code code;
    struct image im;
    (void)state;
    image_start(&im, 0, 16, 0);
    add_payload(&im, 4000, 4000, false);
    add_round(&im);
    do {
        struct heap heap = {.fail_at = n++, .once = true};
        const struct pd_allocator allocator = {heap_resize, heap_release, &heap};
        const struct pd_reader_options options = {
            .size = sizeof options, .allocator = &allocator, .probe = true};
        struct pd_reader *r = NULL;
        struct pd_record rec = {0};
        code = pd_reader_open_memory(&r, im.b, im.n, &options, NULL);
        while (!code)
            code = pd_reader_next(r, &rec, NULL);
        assert_int_equal(code, heap.calls < heap.fail_at ? PD_END : PD_ENOMEM);
        pd_reader_close(r);
        assert_int_equal(heap.blocks, 0);
    } while (code == PD_ENOMEM);
    assert_true(n > 3);
    image_free(&im);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attrs_behind_samples),
        cmocka_unit_test(attrs_of_odd_sizes),
        cmocka_unit_test(stray_byte),
        cmocka_unit_test(stray_text),
        cmocka_unit_test(long_stray_text),
        cmocka_unit_test(payloads_cut_off),
        cmocka_unit_test(overlaps_told_once),
        cmocka_unit_test(file_that_ends_early),
        cmocka_unit_test(features_behind_damage),
        cmocka_unit_test(ends_before_its_data),
        cmocka_unit_test(attrs_that_end_early),
        cmocka_unit_test(tracing_data_in_pieces),
        cmocka_unit_test(no_memory_for_a_payload),
    };
    return cmocka_run_group_tests_name("reader_stream", tests, NULL, NULL);
}
