/* SPDX-License-Identifier: MIT */
/*
 * writer_pipe.c - pipe streams and compressed records made with pd_writer_*, byte by byte, and read again.
 * Checks R4.
 */
#include "fuzz/image.h"
#include "cmocka_all.h"
#include <perfdata/writer.h>
#include <stdio.h>

/* ---- A sink in memory, and the features that the writer dropped */

struct stream {
    struct image im;
    bool patched;
    unsigned dropped;
    uint16_t last_dropped;
};

static int stream_write(void *user, const void *bytes, size_t n)
{
    struct stream *s = user;
    image_bytes(&s->im, bytes, n);
    return 0;
}

static int stream_patch(void *user, uint64_t offset, const void *bytes, size_t n)
{
    struct stream *s = user;
    assert_true(offset <= s->im.n && n <= s->im.n - offset);
    memcpy(s->im.b + offset, bytes, n);
    s->patched = true;
    return 0;
}

static void on_dropped(void *user, uint16_t feature, const char *why)
{
    struct stream *s = user;
    assert_non_null(why);
    s->dropped++;
    s->last_dropped = feature;
}

static struct pd_writer *open_stream(struct stream *s, struct pd_writer_options o)
{
    o.size = sizeof o;
    const struct pd_sink sink = {stream_write, o.container == PD_CONTAINER_FILE ? stream_patch : NULL, s};
    struct pd_writer *w = NULL;
    *s = (struct stream){.im = {0}};
    o.size = sizeof o;
    o.dropped = on_dropped;
    o.user = s;
    assert_int_equal(pd_writer_open(&w, &sink, &o, NULL), PD_OK);
    return w;
}

static void add_feature(struct pd_writer *w, uint16_t feature, const void *bytes, size_t n)
{
    assert_int_equal(pd_writer_feature(w, feature, NULL), PD_OK);
    assert_int_equal(pd_writer_feature_bytes(w, bytes, n, NULL), PD_OK);
}

static void add_attr(struct pd_writer *w)
{
    const struct pd_attr a = {
        .type = 1, .size = 72, .sample_period = 4000, .sample_type = ST_IP | ST_TID | ST_TIME};
    const uint64_t ids[] = {77, 78};
    assert_int_equal(pd_writer_attr(w, &a, ids, 2, NULL), PD_OK);
}

static void finish(struct pd_writer *w)
{
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
}

/* ---- The bytes of a stream */

static void expected_attr(struct image *im)
{
    const size_t at = image_record(im, 64, 0);
    image_attr(im, 72, 72, ST_IP | ST_TID | ST_TIME, false);
    image_u64(im, 77);
    image_u64(im, 78);
    image_end(im, at);
}

static void expected_feature(struct image *im, uint64_t feature, const char *bytes, size_t n)
{
    const size_t at = image_record(im, 80, 0);
    image_u64(im, feature);
    image_bytes(im, bytes, n);
    image_end(im, at);
}

/* A build id record of a section, of 44 bytes. */
static void build_id(struct image *im, uint32_t type, bool padded)
{
    const size_t at = image_record(im, type, 0x8001);
    image_u32(im, UINT32_MAX);
    image_pattern(im, 24);
    image_bytes(im, "[k]\0\0\0\0", 8);
    image_zeros(im, padded ? 4 : 0);
    image_end(im, at);
}

static void expected_stream(struct image *im, bool big, unsigned mark)
{
    image_start(im, big, 16, 0);
    expected_attr(im);
    size_t at = image_record(im, 65, 0);
    image_u64(im, 5);
    image_bytes(im, "cycles\0\0", 8);
    image_end(im, at);
    expected_feature(im, 3, "host", 4);
    expected_feature(im, 20, "cachecache", 10);
    if (mark == 35)
        expected_feature(im, 33, "elf", 3);
    expected_feature(im, mark, NULL, 0);
    at = image_record(im, 66, 0);
    image_u32(im, 16);
    image_u32(im, 0);
    image_end(im, at);
    image_bytes(im, "tracingdata\0\0\0\0\0", 16);
    build_id(im, 67, true);
    image_end(im, image_record(im, 68, 0));
}

static void write_stream(struct pd_writer *w, bool big, unsigned mark)
{
    static const uint8_t round[2][8] = {{68, 0, 0, 0, 0, 0, 8, 0}, {0, 0, 0, 68, 0, 0, 0, 8}};
    struct image ids = {.big = big};
    const struct pd_event_type type = {.event_id = 5, .name = "cycles"};
    build_id(&ids, 0, false);
    add_attr(w);
    assert_int_equal(pd_writer_event_type(w, &type, NULL), PD_OK);
    if (mark == 35)
        add_feature(w, PD_FEAT_E_MACHINE, "elf", 3);
    add_feature(w, PD_FEAT_BUILD_ID, ids.b, ids.n);
    add_feature(w, PD_FEAT_TRACING_DATA, "tracingdata", 11);
    add_feature(w, PD_FEAT_CACHE, "cache", 5);
    assert_int_equal(pd_writer_feature_bytes(w, "cache", 5, NULL), PD_OK);
    add_feature(w, PD_FEAT_HOSTNAME, "host", 4);
    add_feature(w, PD_FEAT_AUXTRACE, "index", 5);
    add_feature(w, PD_FEAT_OSRELEASE, "", 0);
    assert_int_equal(pd_writer_raw(w, round[big], 8, NULL), PD_OK);
    image_free(&ids);
}

static void stream_bytes(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++)
        for (unsigned mark = 32; mark <= 35; mark += 3) {
            struct stream s;
            struct image want;
            struct pd_writer *w =
                open_stream(&s, (struct pd_writer_options){.container = PD_CONTAINER_PIPE,
                                                           .order = big ? PD_BIG : PD_LITTLE});
            write_stream(w, big, mark);
            finish(w);
            expected_stream(&want, big, mark);
            assert_int_equal(s.im.n, want.n);
            assert_memory_equal(s.im.b, want.b, want.n);
            assert_int_equal(s.dropped, 2);
            assert_int_equal(s.last_dropped, PD_FEAT_AUXTRACE);
            image_free(&s.im);
            image_free(&want);
        }
}

/* Without features, nothing is written that a reader of old streams would not know. */
static void no_features_no_mark(void **state)
{
    struct stream s;
    struct image want;
    struct pd_writer *w =
        open_stream(&s, (struct pd_writer_options){.container = PD_CONTAINER_PIPE, .version = 1});
    (void)state;
    add_attr(w);
    finish(w);
    image_start(&want, false, 16, 0);
    memcpy(want.b, "PERFFILE", 8);
    expected_attr(&want);
    assert_int_equal(s.im.n, want.n);
    assert_memory_equal(s.im.b, want.b, want.n);
    image_free(&s.im);
    image_free(&want);
}

/* Attrs and features after the first record are written at their place. */
static void late(void **state)
{
    static const uint8_t round[] = {68, 0, 0, 0, 0, 0, 8, 0};
    struct stream s;
    struct image want;
    struct pd_writer *w = open_stream(&s, (struct pd_writer_options){.container = PD_CONTAINER_PIPE});
    (void)state;
    assert_int_equal(pd_writer_raw(w, round, 8, NULL), PD_OK);
    add_feature(w, PD_FEAT_HOSTNAME, "host", 4);
    assert_int_equal(pd_writer_feature(w, PD_FEAT_HOSTNAME, NULL), PD_EARG);
    add_attr(w);
    add_feature(w, PD_FEAT_ARCH, "x86", 3);
    assert_int_equal(pd_writer_raw(w, round, 8, NULL), PD_OK);
    add_feature(w, PD_FEAT_CPUID, "id", 2);
    finish(w);
    image_start(&want, false, 16, 0);
    image_bytes(&want, round, 8);
    expected_feature(&want, 3, "host", 4);
    expected_attr(&want);
    expected_feature(&want, 6, "x86", 3);
    image_bytes(&want, round, 8);
    expected_feature(&want, 9, "id", 2);
    assert_int_equal(s.im.n, want.n);
    assert_memory_equal(s.im.b, want.b, want.n);
    image_free(&s.im);
    image_free(&want);
}

static void refused(void **state)
{
    struct stream s;
    struct pd_error error;
    const struct pd_attr a = {.type = 1, .size = 64};
    uint64_t *ids = calloc(8192, sizeof *ids);
    struct pd_writer *w =
        open_stream(&s, (struct pd_writer_options){.container = PD_CONTAINER_PIPE, .max_held = 10});
    (void)state;
    assert_int_equal(pd_writer_feature(w, PD_FEAT_HOSTNAME, NULL), PD_OK);
    assert_int_equal(pd_writer_feature_bytes(w, "0123456789", 10, NULL), PD_OK);
    assert_int_equal(pd_writer_feature_bytes(w, "0", 1, &error), PD_ELIMIT);
    assert_int_equal(error.expected, 10);
    assert_int_equal(error.found, 11);
    assert_int_equal(pd_writer_attr(w, &a, ids, 8192, NULL), PD_OK);
    assert_int_equal(pd_writer_finish(w, &error), PD_ELIMIT); /* no record has room for so many ids */
    assert_int_equal(error.found, 8192);
    pd_writer_close(w);
    image_free(&s.im);
    const struct pd_sink sink = {stream_write, NULL, &s};
    const struct pd_writer_options odd = {
        .size = sizeof odd, .container = PD_CONTAINER_PIPE, .compression = 82};
    assert_int_equal(pd_writer_open(&w, &sink, &odd, &error), PD_EARG);
    assert_string_equal(error.field, "compression");
    free(ids);
}

/* So much waits by default, which the error about a byte more tells. */
static void so_much_waits(void **state)
{
    const size_t most = (size_t)256 << 20;
    uint8_t *zeros = calloc(1, most + 1); /* takes no memory until it is read */
    struct stream s;
    struct pd_error error = {0};
    struct pd_writer *w = open_stream(&s, (struct pd_writer_options){.container = PD_CONTAINER_PIPE});
    (void)state;
    assert_non_null(zeros);
    assert_int_equal(pd_writer_feature(w, PD_FEAT_HOSTNAME, NULL), PD_OK);
    assert_int_equal(pd_writer_feature_bytes(w, zeros, most + 1, &error), PD_ELIMIT);
    assert_int_equal(error.expected, most);
    pd_writer_close(w);
    image_free(&s.im);
    free(zeros);
}

/* ---- Files */

/* PERFFILE only where the attrs' size tells the byte order. */
static void version(void **state)
{
    static const uint32_t sizes[] = {64, 72, 80, 88, 96, 104, 112, 128};
    (void)state;
    for (size_t i = 0; i < 16; i++) {
        struct stream s;
        struct pd_reader *r;
        const enum pd_order order = i & 1 ? PD_BIG : PD_LITTLE;
        struct pd_writer *w = open_stream(&s, (struct pd_writer_options){.version = 1, .order = order});
        const struct pd_attr a = {.size = sizes[i / 2], .sample_type = ST_IP};
        assert_int_equal(pd_writer_attr(w, &a, NULL, 0, NULL), PD_OK);
        finish(w);
        assert_int_equal(pd_reader_open_memory(&r, s.im.b, s.im.n, NULL, NULL), PD_OK);
        assert_int_equal(pd_reader_info(r)->version, sizes[i / 2] > 104 || sizes[i / 2] == 88 ? 2 : 1);
        assert_int_equal(pd_reader_info(r)->order, order);
        assert_int_equal(pd_reader_attr(r, 0)->attr.sample_type, ST_IP);
        pd_reader_close(r);
        image_free(&s.im);
    }
}

/* Features given before the records are written behind them; attrs given later change the entries. */
static void early_features_late_attrs(void **state)
{
    static const uint8_t round[] = {68, 0, 0, 0, 0, 0, 8, 0};
    struct stream s;
    struct pd_reader *r;
    struct pd_record rec = {0};
    char text[4];
    struct pd_writer *w = open_stream(&s, (struct pd_writer_options){.max_features = 1});
    (void)state;
    add_feature(w, PD_FEAT_ARCH, "x86", 3);
    add_attr(w);
    assert_int_equal(pd_writer_raw(w, round, 8, NULL), PD_OK);
    add_attr(w);
    add_feature(w, PD_FEAT_HOSTNAME, "host", 4);
    finish(w);
    assert_int_equal(pd_reader_open_memory(&r, s.im.b, s.im.n, NULL, NULL), PD_OK);
    assert_int_equal(pd_reader_n_findings(r), 0);
    assert_int_equal(pd_reader_n_attrs(r), 2);
    assert_int_equal(pd_reader_attr(r, 1)->n_ids, 2);
    assert_int_equal(pd_reader_n_features(r), 2);
    assert_int_equal(
        pd_reader_read(r, pd_reader_find_feature(r, PD_FEAT_HOSTNAME)->section.offset, text, 4, NULL), PD_OK);
    assert_memory_equal(text, "host", 4);
    assert_int_equal(
        pd_reader_read(r, pd_reader_find_feature(r, PD_FEAT_ARCH)->section.offset, text, 3, NULL), PD_OK);
    assert_memory_equal(text, "x86", 3);
    assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
    assert_int_equal(rec.type, 68);
    assert_int_equal(pd_reader_next(r, &rec, NULL), PD_END);
    pd_reader_close(r);
    image_free(&s.im);
}

/* ---- Compression */

#define N_SAMPLES 20000

static void put_samples(struct pd_writer *w, bool big)
{
    struct image one = {.big = big}, aux = {.big = big};
    for (unsigned i = 0; i < N_SAMPLES; i++) {
        one.n = 0;
        image_sample0(&one, 77, i * UINT64_C(0x9e3779b97f4a7c15), i);
        assert_int_equal(pd_writer_raw(w, one.b, one.n, NULL), PD_OK);
        if (i == N_SAMPLES / 2) { /* a record that is not compressed, and its payload */
            image_auxtrace(&aux, 100000);
            assert_int_equal(pd_writer_raw(w, aux.b, 50, NULL), PD_OK);
            assert_int_equal(pd_writer_raw(w, aux.b + 50, aux.n - 50, NULL), PD_OK);
        }
    }
    image_free(&one);
    image_free(&aux);
}

static void read_samples(const struct stream *s, uint32_t type)
{
    struct pd_reader *r;
    struct pd_record rec = {0};
    struct pd_error error;
    unsigned samples = 0, chunks = 0, aux = 0;
    assert_int_equal(pd_reader_open_memory(&r, s->im.b, s->im.n, NULL, NULL), PD_OK);
    while (pd_reader_next(r, &rec, &error) == PD_OK) {
        chunks += rec.type == type;
        aux += rec.type == PD_RECORD_AUXTRACE && rec.depth == 0;
        if (rec.type == PD_RECORD_AUXTRACE)
            assert_int_equal(samples, N_SAMPLES / 2 + 1);
        if (rec.type != PD_RECORD_SAMPLE)
            continue;
        assert_int_equal(rec.depth, 1);
        const struct pd_vec ip = {rec.raw + 16, 1, 8, (uint8_t)pd_reader_info(r)->order};
        assert_int_equal(pd_vec_at(&ip, 0), samples * UINT64_C(0x9e3779b97f4a7c15));
        samples++;
    }
    assert_int_equal(error.code == PD_END || samples == N_SAMPLES, 1);
    assert_int_equal(samples, N_SAMPLES);
    assert_int_equal(aux, 1);
    assert_true(chunks > 10);
    pd_reader_close(r);
}

static void check_feature(const struct stream *s, const uint8_t *section)
{
    struct image want = {.big = s->im.b[0] == '2'};
    const struct pd_vec ratio = {section + 12, 1, 4, want.big ? PD_FORM_BIG : PD_FORM_LITTLE};
    image_u32(&want, 0);
    image_u32(&want, 1);
    image_u32(&want, 3);
    assert_memory_equal(section, want.b, 12);
    assert_true(pd_vec_at(&ratio, 0) < 20);
    want.n = 0;
    image_u32(&want, 65536);
    assert_memory_equal(section + 16, want.b, 4);
    image_free(&want);
}

static void compressed(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        const uint32_t type = i & 1 ? PD_RECORD_COMPRESSED2 : PD_RECORD_COMPRESSED;
        const bool big = i & 2, pipe = i & 4;
        struct stream s;
        struct pd_writer *w = open_stream(
            &s, (struct pd_writer_options){.container = pipe ? PD_CONTAINER_PIPE : PD_CONTAINER_FILE,
                                           .order = big ? PD_BIG : PD_LITTLE,
                                           .compression = type,
                                           .level = 3});
        add_attr(w);
        add_feature(w, PD_FEAT_E_MACHINE, "elf", 3);
        add_feature(w, PD_FEAT_COMPRESSED, "not this", 8);
        add_feature(w, PD_FEAT_HOSTNAME, "host", 4);
        put_samples(w, big);
        finish(w);
        read_samples(&s, type);
        if (pipe) {
            check_feature(&s, s.im.b + 16 + 96 + 20 + 16);
        } else {
            struct pd_reader *r;
            assert_int_equal(pd_reader_open_memory(&r, s.im.b, s.im.n, NULL, NULL), PD_OK);
            assert_int_equal(pd_reader_n_features(r), 3);
            check_feature(&s, s.im.b + pd_reader_find_feature(r, PD_FEAT_COMPRESSED)->section.offset);
            pd_reader_close(r);
        }
        image_free(&s.im);
    }
}

/* Records alone, as in a data.N file; a half record is refused if it would have to be compressed. */
static void bare(void **state)
{
    static const uint8_t round[] = {68, 0, 0, 0, 0, 0, 8, 0};
    struct stream s;
    struct pd_writer *w = open_stream(&s, (struct pd_writer_options){.container = PD_CONTAINER_DIRECTORY});
    (void)state;
    assert_int_equal(pd_writer_feature(w, PD_FEAT_HOSTNAME, NULL), PD_EARG);
    assert_int_equal(pd_writer_raw(w, round, 8, NULL), PD_OK);
    finish(w);
    assert_int_equal(s.im.n, 8);
    assert_memory_equal(s.im.b, round, 8);
    image_free(&s.im);
    w = open_stream(&s, (struct pd_writer_options){.container = PD_CONTAINER_DIRECTORY, .compression = 81});
    assert_int_equal(pd_writer_raw(w, round, 4, NULL), PD_ESHORT);
    pd_writer_close(w);
    image_free(&s.im);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_bytes),
        cmocka_unit_test(no_features_no_mark),
        cmocka_unit_test(late),
        cmocka_unit_test(refused),
        cmocka_unit_test(so_much_waits),
        cmocka_unit_test(version),
        cmocka_unit_test(early_features_late_attrs),
        cmocka_unit_test(compressed),
        cmocka_unit_test(bare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
