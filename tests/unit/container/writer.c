/* SPDX-License-Identifier: MIT */
/*
 * writer.c - files made with pd_writer_*: the values read back are those given, wrong uses are refused, and
 * perf reads the files. Checks R4, R11.
 */
#include "fuzz/image.h"
#include "cmocka_all.h"
#include <errno.h>
#include <perfdata/session/compare.h>
#include <perfdata/writer.h>
#include <stdio.h>
#include <unistd.h>

/* ---- A sink in memory */

struct file {
    struct image im;
    unsigned calls, fail_at; /* the call that fails, counted from 1; 0: none */
};

static int fails(struct file *f)
{
    return ++f->calls == f->fail_at ? ENOSPC : 0;
}

static int file_write(void *user, const void *bytes, size_t n)
{
    struct file *f = user;
    assert_true(n > 0);
    if (fails(f))
        return ENOSPC;
    image_bytes(&f->im, bytes, n);
    return 0;
}

static int file_patch(void *user, uint64_t offset, const void *bytes, size_t n)
{
    struct file *f = user;
    assert_true(offset <= f->im.n && n <= f->im.n - offset);
    if (fails(f))
        return ENOSPC;
    memcpy(f->im.b + offset, bytes, n);
    return 0;
}

static struct pd_writer *open_file(struct file *f, const struct pd_writer_options *options)
{
    const struct pd_sink sink = {file_write, file_patch, f};
    struct pd_writer *w = NULL;
    *f = (struct file){.fail_at = f->fail_at};
    assert_int_equal(pd_writer_open(&w, &sink, options, NULL), PD_OK);
    return w;
}

/* ---- What is written */

static const uint8_t attr_tail[56] = "bytes of a newer attr, of no known meaning";
static const uint64_t ids0[] = {501, 502, 503}, ids1[] = {UINT64_MAX, 1};

static struct pd_attr attr_of(unsigned i)
{
    struct pd_attr a = {.type = 1,
                        .size = 128,
                        .sample_period = 4000,
                        .sample_type = IMAGE_ST0,
                        .config = i,
                        .flags = PD_ATTR_SAMPLE_ID_ALL | PD_ATTR_FREQ | PD_ATTR_MMAP | PD_ATTR_COMM};
    a.sample_type |= i ? PD_SAMPLE_RAW : 0;
    return a;
}

static struct pd_record comm(uint32_t attr, const char *name)
{
    struct pd_record r = {.type = PD_RECORD_COMM, .misc = 0x2000, .attr_index = attr};
    r.u.comm.pid = 7;
    r.u.comm.tid = 8;
    r.u.comm.comm = PD_STR(name);
    r.id = (struct pd_sample_id){.pid = 7, .tid = 8, .time = 99, .cpu = 3, .identifier = attr ? 1 : 502};
    r.has_id = true;
    return r;
}

static struct pd_record sample(uint32_t attr, const uint64_t *ips, size_t n)
{
    struct pd_record r = {.type = PD_RECORD_SAMPLE, .misc = 2, .attr_index = attr};
    struct pd_sample *s = &r.u.sample;
    s->identifier = attr ? 1 : 501;
    s->ip = ips[0];
    s->pid = 7, s->tid = 8, s->time = 100, s->cpu = 3, s->period = 12345;
    s->callchain.nr = n;
    s->callchain.ips = PD_VEC64(ips, n);
    if (attr) {
        s->raw.size = 12;
        s->raw.data = (struct pd_bytes){attr_tail, 12};
    }
    return r;
}

static struct pd_record round_end(void)
{
    return (struct pd_record){.type = PD_RECORD_FINISHED_ROUND, .attr_index = UINT32_MAX};
}

static const uint64_t some_ips[] = {0x400123, UINT64_C(0xfffffffffffffe00), 0x400200};
static const uint8_t raw_record[] = {0xff, 0, 0, 0,
                                     0,    0, 0, 8}; /* big-endian; a size of 2048 in little-endian */

#define N_RECORDS 6

static void records_of(struct pd_record r[N_RECORDS])
{
    r[0] = comm(0, "first");
    r[1] = comm(1, "the second, whose name is longer");
    r[2] = sample(0, some_ips, 3);
    r[3] = sample(1, some_ips, 1);
    r[4] = sample(1, some_ips, 2);
    r[5] = round_end();
}

static void write_attrs(struct pd_writer *w)
{
    const struct pd_attr a = attr_of(0);
    struct pd_attr b = attr_of(1);
    b.size = 200;
    b.tail = (struct pd_bytes){attr_tail, sizeof attr_tail};
    assert_int_equal(pd_writer_attr(w, &a, ids0, 3, NULL), PD_OK);
    assert_int_equal(pd_writer_attr(w, &b, ids1, 2, NULL), PD_OK);
}

static void write_records(struct pd_writer *w)
{
    struct pd_record r[N_RECORDS];
    records_of(r);
    for (size_t i = 0; i < N_RECORDS; i++)
        assert_int_equal(pd_writer_record(w, &r[i], NULL), PD_OK);
}

static void write_features(struct pd_writer *w)
{
    assert_int_equal(pd_writer_feature(w, 200, NULL), PD_OK);
    assert_int_equal(pd_writer_feature_bytes(w, "two ", 4, NULL), PD_OK);
    assert_int_equal(pd_writer_feature_bytes(w, "hundred", 7, NULL), PD_OK);
    assert_int_equal(pd_writer_feature(w, 3, NULL), PD_OK);
    assert_int_equal(pd_writer_feature_bytes(w, "three", 5, NULL), PD_OK);
    assert_int_equal(pd_writer_feature(w, 15, NULL), PD_OK);
    assert_int_equal(pd_writer_feature_bytes(w, "", 0, NULL), PD_OK);
}

/* A finished file with all these values in the given order. */
static void write_file(struct file *f, enum pd_order order)
{
    const struct pd_writer_options options = {.size = sizeof options, .order = order, .max_features = 5};
    struct pd_event_type type = {.event_id = 0x17};
    struct pd_writer *w = open_file(f, &options);
    memcpy(type.name, "cpu-clock", 9);
    write_attrs(w);
    assert_int_equal(pd_writer_event_type(w, &type, NULL), PD_OK);
    assert_int_equal(pd_writer_data_size(w), 0);
    write_records(w);
    assert_int_equal(pd_writer_data_size(w), f->im.n - pd_writer_data_offset(w));
    write_features(w);
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    assert_int_equal(pd_writer_data_size(w), 56 + 88 + 88 + 88 + 96 + 8);
    pd_writer_close(w);
}

static struct pd_reader *open_written(const struct file *f)
{
    struct pd_reader *r = NULL;
    assert_int_equal(pd_reader_open_memory(&r, f->im.b, f->im.n, NULL, NULL), PD_OK);
    assert_int_equal(pd_reader_n_findings(r), 0);
    return r;
}

/*
 * Checks the places in the file, derived by hand: header, 3 + 2 ids, 2 entries of 200 + 16 bytes, one event
 * type.
 */
static void expect_layout(const struct file *f, bool big)
{
    static const uint64_t words[] = {104, 216, 144, 432, 648, 424, 576, 72};
    struct image want = {.big = big};
    image_bytes(&want, big ? "2ELIFREP" : "PERFILE2", 8);
    for (size_t i = 0; i < 8; i++)
        image_u64(&want, words[i]);
    image_zeros(&want, 32);
    image_feature(&want, 3, 8);
    image_feature(&want, 15, 8);
    image_feature(&want, 200, 8);
    for (size_t i = 0; i < 3; i++)
        image_u64(&want, ids0[i]);
    for (size_t i = 0; i < 2; i++)
        image_u64(&want, ids1[i]);
    assert_memory_equal(f->im.b, want.b, want.n);
    /* The one entry of event_types. */
    image_free(&want);
    want.big = big;
    image_u64(&want, 0x17);
    image_bytes(&want, "cpu-clock", 9);
    image_zeros(&want, 55);
    assert_memory_equal(f->im.b + 576, want.b, want.n);
    /* The table, with room for five, is that of the features in ascending order. */
    image_free(&want);
    want.big = big;
    image_ids(&want, 1072 + 80 + 11, 5);
    image_ids(&want, 1072 + 80 + 16, 0);
    image_ids(&want, 1072 + 80, 11);
    image_zeros(&want, 32);
    image_bytes(&want, "two hundredthree", 16);
    assert_int_equal(f->im.n, 1072 + want.n);
    assert_memory_equal(f->im.b + 1072, want.b, want.n);
    image_free(&want);
}

static void expect_attrs(struct pd_reader *r)
{
    const struct pd_attr a = attr_of(0), b = attr_of(1);
    const struct pd_event_attr *x = pd_reader_attr(r, 0), *y = pd_reader_attr(r, 1);
    const char *field = NULL;
    assert_int_equal(pd_reader_n_attrs(r), 2);
    assert_int_equal(x->attr.tail.n, 200 - 128); /* all have the room of the largest */
    assert_true(x->attr.sample_type == a.sample_type && x->attr.flags == a.flags && x->attr.config == 0);
    assert_true(y->attr.sample_type == b.sample_type && y->attr.size == 200 && y->attr.config == 1);
    assert_int_equal(y->attr.tail.n, 56);
    assert_memory_equal(y->attr.tail.ptr, attr_tail, sizeof attr_tail);
    assert_int_equal(x->n_ids, 3);
    assert_int_equal(y->n_ids, 2);
    assert_memory_equal(x->ids, ids0, sizeof ids0);
    assert_memory_equal(y->ids, ids1, sizeof ids1);
    struct pd_attr same = x->attr;
    same.tail.n = 0;
    assert_true(pd_attr_equal(&same, &a, &field));
    assert_null(field);
}

static void expect_records(struct pd_reader *r)
{
    struct pd_record want[N_RECORDS], got = {0};
    records_of(want);
    for (size_t i = 0; i < N_RECORDS; i++) {
        const char *field = "";
        assert_int_equal(pd_reader_next(r, &got, NULL), PD_OK);
        assert_int_equal(pd_reader_decode(r, &got, NULL), PD_OK);
        assert_int_equal(got.attr_index, want[i].attr_index);
        want[i].layout = got.layout;
        want[i].plan = got.plan;
        want[i].decoded = true;
        if (!pd_record_equal(&want[i], &got, &field))
            fail_msg("record %zu differs in %s", i, field);
    }
    assert_int_equal(pd_reader_next(r, &got, NULL), PD_END);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct file f = {0};
        uint8_t bytes[11];
        write_file(&f, big ? PD_BIG : PD_LITTLE);
        expect_layout(&f, big);
        struct pd_reader *r = open_written(&f);
        assert_int_equal(pd_reader_info(r)->order, big ? PD_BIG : PD_LITTLE);
        assert_int_equal(pd_reader_info(r)->feature_word, 8);
        expect_attrs(r);
        expect_records(r);
        struct pd_event_type type;
        assert_int_equal(pd_reader_n_event_types(r), 1);
        assert_int_equal(pd_reader_event_type(r, 0, &type, NULL), PD_OK);
        assert_int_equal(type.event_id, 0x17);
        assert_string_equal((const char *)type.name, "cpu-clock");
        assert_int_equal(pd_reader_event_type(r, 1, &type, NULL), PD_EARG);
        assert_int_equal(pd_reader_n_features(r), 3);
        const struct pd_feature_section *s = pd_reader_find_feature(r, 200);
        assert_int_equal(s->section.size, 11);
        assert_int_equal(pd_reader_read(r, s->section.offset, bytes, 11, NULL), PD_OK);
        assert_memory_equal(bytes, "two hundred", 11);
        pd_reader_close(r);
        image_free(&f.im);
    }
}

/* ---- Options */

static void room_for_attrs(void **state)
{
    static const uint32_t sizes[] = {0, 64, 128, 136, 144, 160, 1000};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const struct pd_writer_options options = {
            .size = sizeof options, .order = PD_BIG, .attr_size = sizes[i]};
        const struct pd_attr a = attr_of(0);
        struct file f = {0};
        struct pd_writer *w = open_file(&f, &options);
        assert_int_equal(pd_writer_attr(w, &a, NULL, 0, NULL), PD_OK);
        assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
        pd_writer_close(w);
        struct pd_reader *r = open_written(&f);
        const uint32_t room = sizes[i] < 128 ? 128 : sizes[i];
        assert_int_equal(pd_reader_info(r)->header.attr_size, room + 16);
        assert_int_equal(pd_reader_attr(r, 0)->room, room);
        assert_int_equal(pd_reader_attr(r, 0)->attr.sample_type, a.sample_type);
        pd_reader_close(r);
        image_free(&f.im);
    }
}

static void words_of_the_bitmap(void **state)
{
    static const struct {
        enum pd_order order;
        unsigned word, byte3, byte33;
    } cases[] = {
        {PD_LITTLE, 0, 0, 4}, {PD_LITTLE, 4, 0, 4}, {PD_BIG, 0, 7, 3}, {PD_BIG, 8, 7, 3}, {PD_BIG, 4, 3, 7}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct pd_writer_options options = {.size = sizeof options,
                                                  .order = cases[i].order,
                                                  .feature_word = cases[i].word,
                                                  .max_features = 2};
        struct file f = {0};
        struct pd_writer *w = open_file(&f, &options);
        assert_int_equal(pd_writer_feature(w, 33, NULL), PD_OK);
        assert_int_equal(pd_writer_feature(w, 3, NULL), PD_OK);
        assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
        pd_writer_close(w);
        for (unsigned k = 0; k < 32; k++)
            assert_int_equal(f.im.b[72 + k], k == cases[i].byte3    ? 1 << 3
                                             : k == cases[i].byte33 ? 1 << 1
                                                                    : 0);
        struct pd_reader *r = open_written(&f);
        assert_non_null(pd_reader_find_feature(r, 33));
        pd_reader_close(r);
        image_free(&f.im);
    }
}

static void no_options_at_all(void **state)
{
    struct file f = {0};
    struct pd_writer *w = open_file(&f, NULL);
    (void)state;
    write_attrs(w);
    write_records(w);
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
    struct pd_reader *r = open_written(&f);
    assert_int_equal(pd_reader_info(r)->order, PD_HOST_ORDER);
    expect_records(r);
    pd_reader_close(r);
    image_free(&f.im);
    pd_writer_close(NULL);
}

static void nothing_but_a_header(void **state)
{
    (void)state;
    for (unsigned features = 0; features < 3; features++) {
        const struct pd_writer_options options = {.size = sizeof options, .max_features = features};
        struct file f = {0};
        struct pd_record rec = {0};
        struct pd_writer *w = open_file(&f, &options);
        assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
        pd_writer_close(w);
        struct pd_reader *r = open_written(&f);
        assert_int_equal(f.im.n, 104);
        assert_int_equal(pd_reader_next(r, &rec, NULL), PD_END);
        assert_false(pd_reader_info(r)->unfinished);
        pd_reader_close(r);
        image_free(&f.im);
    }
}

/* As a recording that is cut. */
static void closed_without_finish(void **state)
{
    struct file f = {0};
    struct pd_writer *w = open_file(&f, NULL);
    (void)state;
    write_attrs(w);
    write_records(w);
    pd_writer_close(w);
    struct pd_reader *r = open_written(&f);
    assert_true(pd_reader_info(r)->unfinished);
    assert_int_equal(pd_reader_info(r)->header.data.size, 0);
    expect_records(r);
    pd_reader_close(r);
    image_free(&f.im);
}

static void raw_bytes(void **state)
{
    const struct pd_writer_options options = {.size = sizeof options, .order = PD_BIG};
    struct file f = {0};
    struct pd_record rec = {0};
    struct pd_writer *w = open_file(&f, &options);
    (void)state;
    assert_int_equal(pd_writer_raw(w, raw_record, sizeof raw_record, NULL), PD_OK);
    assert_int_equal(pd_writer_raw(w, NULL, 0, NULL), PD_OK);
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
    struct pd_reader *r = open_written(&f);
    assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
    assert_int_equal(rec.type, 0xff000000);
    assert_int_equal(pd_reader_next(r, &rec, NULL), PD_END);
    pd_reader_close(r);
    image_free(&f.im);
}

/* ---- Computed values */

static void assigned_ids(void **state)
{
    const struct pd_writer_options options = {.size = sizeof options};
    struct file f = {0};
    struct pd_writer *w = open_file(&f, &options);
    const struct pd_attr a = {.type = 1,
                              .size = 128,
                              .flags = PD_ATTR_SAMPLE_ID_ALL,
                              .sample_type = PD_SAMPLE_IDENTIFIER | PD_SAMPLE_ID};
    const uint64_t own = 77;
    struct pd_record rec = {.type = PD_RECORD_SAMPLE, .attr_index = 1};
    struct pd_record name = {.type = PD_RECORD_COMM, .attr_index = 2, .u.comm.comm = PD_STR("x")};
    (void)state;
    assert_int_equal(pd_writer_attr(w, &a, NULL, 0, NULL), PD_OK);
    assert_int_equal(pd_writer_attr(w, &a, NULL, 0, NULL), PD_OK);
    assert_int_equal(pd_writer_attr(w, &a, &own, 1, NULL), PD_OK);
    assert_int_equal(pd_writer_record(w, &rec, NULL), PD_OK);
    rec.u.sample.id = 5; /* given values stay */
    assert_int_equal(pd_writer_record(w, &rec, NULL), PD_OK);
    assert_int_equal(pd_writer_record(w, &name, NULL), PD_OK);
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
    struct pd_reader *r = open_written(&f);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(pd_reader_attr(r, i)->n_ids, 1);
        assert_int_equal(pd_reader_attr(r, i)->ids[0], i < 2 ? i + 1 : 77);
    }
    static const uint64_t ids[3][2] = {{2, 2}, {2, 5}, {77, 77}};
    struct pd_record got = {0};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(pd_reader_next(r, &got, NULL), PD_OK);
        assert_int_equal(pd_reader_decode(r, &got, NULL), PD_OK);
        assert_int_equal(got.attr_index, i < 2 ? 1 : 2);
        assert_int_equal(i < 2 ? got.u.sample.identifier : got.id.identifier, ids[i][0]);
        assert_int_equal(i < 2 ? got.u.sample.id : got.id.id, ids[i][1]);
    }
    pd_reader_close(r);
    image_free(&f.im);
}

static void typed_features(void **state)
{
    struct file f = {0};
    const struct pd_writer_options options = {.size = sizeof options, .order = PD_LITTLE, .max_features = 2};
    struct pd_writer *w = open_file(&f, &options);
    struct pd_feature cpus = {.id = PD_FEAT_NRCPUS, .u.nrcpus = {.nr_cpus_avail = 3, .nr_cpus_online = 2}};
    struct pd_feature box = {.id = PD_FEAT_HOSTNAME, .u.hostname.text = {"box", 3, 1}}; /* a slot too short */
    static const uint8_t want[] = {3, 0, 0, 0, 2, 0, 0, 0};
    struct pd_error error = {0};
    uint8_t bytes[8];
    (void)state;
    assert_int_equal(pd_writer_put_feature(w, &cpus, NULL), PD_OK);
    assert_int_not_equal(pd_writer_put_feature(w, &box, &error), PD_OK);
    assert_string_equal(error.field, "text");
    assert_int_equal(pd_writer_put_feature(w, &cpus, &error), PD_EARG); /* twice */
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
    struct pd_reader *r = open_written(&f);
    assert_int_equal(pd_reader_n_features(r), 1);
    const struct pd_feature_section *s = pd_reader_find_feature(r, PD_FEAT_NRCPUS);
    assert_non_null(s);
    assert_int_equal(s->section.size, sizeof want);
    assert_int_equal(pd_reader_read(r, s->section.offset, bytes, sizeof bytes, NULL), PD_OK);
    assert_memory_equal(bytes, want, sizeof want);
    pd_reader_close(r);
    image_free(&f.im);
}

/* The same bytes through a path as through a sink; more than the buffer holds. */
static void written_to_a_path(void **state)
{
    char path[] = "/tmp/perfdata-writer-XXXXXX";
    static uint8_t big[100000], bytes[400000];
    struct file f = {0};
    struct pd_writer *w[2] = {open_file(&f, NULL), NULL};
    struct pd_error error;
    (void)state;
    close(mkstemp(path));
    assert_int_equal(pd_writer_create(&w[1], path, NULL, NULL), PD_OK);
    for (size_t i = 0; i < 2; i++) {
        const struct pd_attr a = attr_of(0);
        const struct pd_record rec = comm(0, "name");
        assert_int_equal(pd_writer_attr(w[i], &a, ids0, 3, NULL), PD_OK);
        assert_int_equal(pd_writer_record(w[i], &rec, NULL), PD_OK);
        assert_int_equal(pd_writer_raw(w[i], big, sizeof big, NULL), PD_OK);
        for (unsigned k = 0; k < 2000; k++)
            assert_int_equal(pd_writer_record(w[i], &rec, NULL), PD_OK);
        assert_int_equal(pd_writer_finish(w[i], NULL), PD_OK);
        pd_writer_close(w[i]);
    }
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    assert_int_equal(fread(bytes, 1, sizeof bytes, in), f.im.n);
    assert_memory_equal(bytes, f.im.b, f.im.n);
    fclose(in);
    unlink(path);
    image_free(&f.im);
    assert_int_equal(pd_writer_create(&w[1], "/nonexistent/file", NULL, &error), PD_EOUT);
    assert_int_equal(error.found, ENOENT);
    assert_int_equal(pd_writer_create(&w[1], "/dev/full", NULL, NULL), PD_OK);
    assert_int_equal(pd_writer_finish(w[1], &error), PD_EOUT); /* though everything fits the buffer */
    assert_int_equal(error.found, ENOSPC);
    pd_writer_close(w[1]);
}

/* ---- Refused values */

#define REFUSED(code_, field_, call_)         \
    do {                                      \
        struct pd_error e = {0};              \
        const size_t before = f.im.n;         \
        assert_int_equal(call_, code_);       \
        assert_int_equal(e.code, code_);      \
        assert_string_equal(e.field, field_); \
        assert_int_equal(f.im.n, before);     \
    } while (0)

static void refused_options(void **state)
{
    struct pd_writer *w = NULL;
    struct file f = {0};
    struct pd_sink sink = {file_write, NULL, &f};
    struct pd_writer_options options = {.size = sizeof options};
    (void)state;
    REFUSED(PD_EARG, "sink.patch", pd_writer_open(&w, &sink, &options, &e));
    sink.patch = file_patch;
    options.max_features = 257;
    REFUSED(PD_EARG, "max_features", pd_writer_open(&w, &sink, &options, &e));
    options.max_features = 256;
    options.attr_size = 65521;
    REFUSED(PD_EARG, "attr_size", pd_writer_open(&w, &sink, &options, &e));
    assert_null(w);
}

static void the_largest_attr(void **state)
{
    struct file f = {0};
    struct pd_writer *w = open_file(&f, NULL);
    static uint8_t zeros[65520];
    struct pd_attr a = attr_of(0);
    (void)state;
    a.size = sizeof zeros;
    a.tail = (struct pd_bytes){zeros, sizeof zeros - 144};
    assert_int_equal(pd_writer_attr(w, &a, NULL, 0, NULL), PD_OK);
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
    image_free(&f.im);
}

static void refused_attrs(void **state)
{
    struct file f = {0};
    struct pd_writer *w = open_file(&f, NULL);
    static uint8_t zeros[70000];
    struct pd_attr a = attr_of(0);
    (void)state;
    a.size = 64; /* but later fields are set */
    a.branch_sample_type = 1;
    REFUSED(PD_EVALUE, "branch_sample_type", pd_writer_attr(w, &a, NULL, 0, &e));
    a = attr_of(0);
    a.tail = (struct pd_bytes){zeros, sizeof zeros};
    REFUSED(PD_ELIMIT, "attr.tail", pd_writer_attr(w, &a, NULL, 0, &e));
    a.tail.n = 65520 + 1 - 144;
    a.size = 65520 + 1;
    REFUSED(PD_ELIMIT, "attr.tail", pd_writer_attr(w, &a, NULL, 0, &e));
    a.tail.n = 0;
    a.size = 63;
    REFUSED(PD_ECOUNT, "attr.size", pd_writer_attr(w, &a, NULL, 0, &e));
    a.size = 145; /* without a tail of one byte */
    REFUSED(PD_ECOUNT, "attr.size", pd_writer_attr(w, &a, NULL, 0, &e));
    a.size = 4000000000;
    REFUSED(PD_ECOUNT, "attr.size", pd_writer_attr(w, &a, NULL, 0, &e));
    a.size = 128;
    assert_int_equal(pd_writer_attr(w, &a, NULL, 0, NULL), PD_OK);
    assert_int_equal(pd_writer_raw(w, raw_record, 8, NULL), PD_OK);
    REFUSED(PD_EARG, "event type after the first record",
            pd_writer_event_type(w, &(struct pd_event_type){0}, &e));
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
    struct pd_reader *r = open_written(&f);
    assert_int_equal(pd_reader_n_attrs(r), 1); /* the refused one does not exist */
    pd_reader_close(r);
    image_free(&f.im);
}

/* A refused record leaves no trace: not even the header is written for its sake. */
/* Fields that the layout leaves out must not be given: they would be lost. */
static void fields_without_a_place(void **state)
{
    static const struct pd_read_value values[] = {{.value = 1}, {.value = 2, .id = 9}};
    const struct pd_attr attr = {.type = 1,
                                 .size = 128,
                                 .read_format = PD_FORMAT_GROUP,
                                 .sample_type = PD_SAMPLE_IP | PD_SAMPLE_READ | PD_SAMPLE_TIME};
    struct file f = {0};
    struct pd_writer *w = open_file(&f, NULL);
    struct pd_record r = {.type = PD_RECORD_SAMPLE, .u.sample = {.ip = 1, .cpu = 3}};
    (void)state;
    assert_int_equal(pd_writer_attr(w, &attr, NULL, 0, NULL), PD_OK);
    REFUSED(PD_EVALUE, "cpu", pd_writer_record(w, &r, &e));
    r.u.sample.cpu = 0;
    assert_int_equal(pd_writer_record(w, &r, NULL), PD_OK);
    r.u.sample.callchain.ips = PD_VEC64(some_ips, 1);
    REFUSED(PD_EVALUE, "callchain", pd_writer_record(w, &r, &e));
    r.u.sample.callchain.ips.n = 0; /* nothing would be lost */
    assert_int_equal(pd_writer_record(w, &r, NULL), PD_OK);
    r.u.sample.callchain = (struct pd_callchain){0};
    r.u.sample.read.time_enabled = 5; /* of an existing part */
    REFUSED(PD_EVALUE, "time_enabled", pd_writer_record(w, &r, &e));
    r.u.sample.read.time_enabled = 0;
    r.u.sample.read.nr = 2;
    r.u.sample.read.values = PD_LIST(values, 2);
    REFUSED(PD_EVALUE, "id", pd_writer_record(w, &r, &e)); /* of an element */
    r.id.pid = 1;
    r.u.sample.read.nr = 1;
    r.u.sample.read.values.n = 1;
    REFUSED(PD_EVALUE, "sample_id", pd_writer_record(w, &r, &e)); /* no trailer without sample_id_all */
    r = (struct pd_record){.type = PD_RECORD_CPU_MAP,
                           .u.cpu_map.map = {.type = PD_CPU_MAP_CPUS, .range = {.end_cpu = 256}}};
    REFUSED(PD_EVALUE, "range", pd_writer_record(w, &r, &e)); /* a part of less than 8 bytes */
    r = (struct pd_record){.type = PD_RECORD_MMAP2,
                           .u.mmap2 = {.filename = PD_STR("x"), .build_id_size = 20}};
    REFUSED(PD_EVALUE, "build_id_size", pd_writer_record(w, &r, &e)); /* misc has no such flag */
    r.misc = PD_MISC_MMAP_BUILD_ID;
    assert_int_equal(pd_writer_record(w, &r, NULL), PD_OK);
    r.u.mmap2.ino = 7;
    struct pd_error e;
    assert_int_equal(pd_writer_record(w, &r, &e), PD_EVALUE);
    assert_string_equal(e.field, "ino");
    assert_true(e.found == 7 && e.record_index == 3 && e.offset == PD_NOWHERE);
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
    image_free(&f.im);
}

static void refused_records(void **state)
{
    const struct pd_attr attr = attr_of(0);
    struct file f = {0};
    struct pd_writer *w = open_file(&f, NULL);
    struct pd_record r = sample(0, some_ips, 3);
    (void)state;
    assert_int_equal(pd_writer_attr(w, &attr, ids0, 3, NULL), PD_OK);
    r.attr_index = 1;
    REFUSED(PD_EARG, "attr_index", pd_writer_record(w, &r, &e));
    r.attr_index = 0;
    r.u.sample.callchain.nr = 4;
    REFUSED(PD_ECOUNT, "nr", pd_writer_record(w, &r, &e));
    r.u.sample.callchain.nr = 3;
    r.size = 80; /* it is 88 */
    REFUSED(PD_ECOUNT, "size", pd_writer_record(w, &r, &e));
    assert_int_equal(f.im.n, 0);
    assert_int_equal(pd_writer_attr(w, &attr, ids1, 2, NULL), PD_OK); /* attrs may still be added */
    r.size = 88;
    assert_int_equal(pd_writer_record(w, &r, NULL), PD_OK);
    assert_int_equal(pd_writer_data_size(w), 88);
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
    image_free(&f.im);
}

/* Of a sample and another record, with either id: it is of no event, or of the other one. */
static void refused_ids(void **state)
{
    const uint64_t one = 7, two = 8;
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        const bool sample = i & 1, identifier = i & 2;
        const struct pd_attr attr = {.size = PD_ATTR_SIZE_VER7,
                                     .sample_type = identifier ? PD_SAMPLE_IDENTIFIER : PD_SAMPLE_ID,
                                     .flags = PD_ATTR_SAMPLE_ID_ALL};
        struct pd_record r = {.type = sample ? PD_RECORD_SAMPLE : PD_RECORD_COMM};
        uint64_t *id = sample ? &r.u.sample.id : &r.id.id;
        if (identifier)
            id = sample ? &r.u.sample.identifier : &r.id.identifier;
        struct file f = {0};
        struct pd_writer *w = open_file(&f, NULL);
        assert_int_equal(pd_writer_attr(w, &attr, &one, 1, NULL), PD_OK);
        assert_int_equal(pd_writer_attr(w, &attr, &two, 1, NULL), PD_OK);
        *id = 99;
        struct pd_error e = {0};
        assert_int_equal(pd_writer_record(w, &r, &e), PD_EVALUE);
        assert_string_equal(e.field, identifier ? "identifier" : "id");
        assert_int_equal(e.found, 99);
        assert_int_equal(e.expected, one);
        *id = two;
        assert_int_equal(pd_writer_record(w, &r, &e), PD_EVALUE);
        assert_string_equal(e.field, "attr_index");
        assert_int_equal(e.found, 1);
        assert_int_equal(e.expected, 0);
        *id = 0; /* that of its event is put there */
        assert_int_equal(pd_writer_record(w, &r, NULL), PD_OK);
        assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
        pd_writer_close(w);
        image_free(&f.im);
    }
}

/*
 * Two branches, no registers of the user, interrupted ones of an abi that no kernel writes, 8 bytes behind
 * it. If those are an abi as a kernel may write it, two counters behind the branches are more likely: 0 and
 * 0x40006.
 */
static void refused_forms(void **state)
{
    const struct pd_attr attr = {.size = PD_ATTR_SIZE_VER7,
                                 .sample_type =
                                     PD_SAMPLE_BRANCH_STACK | PD_SAMPLE_REGS_USER | PD_SAMPLE_REGS_INTR};
    const struct pd_branch_entry branches[2] = {{.from = 1, .to = 2}, {.from = 3, .to = 4}};
    uint8_t behind[8] = {0x12};
    struct pd_record r = {
        .type = PD_RECORD_SAMPLE,
        .variant = PD_VARIANT_UNKNOWN_INTR_REGS,
        .u.sample = {.branch_stack = {.nr = 2, .entries = PD_LIST(branches, 2)}, .regs_intr.abi = 0x40006},
        .rest = {behind, sizeof behind}};
    const struct pd_writer_options options = {.size = sizeof options, .order = PD_LITTLE};
    struct file f = {0};
    struct pd_writer *w = open_file(&f, &options);
    (void)state;
    assert_int_equal(pd_writer_attr(w, &attr, NULL, 0, NULL), PD_OK);
    REFUSED(PD_EVALUE, "variant", pd_writer_record(w, &r, &e));
    behind[3] = 0x10;
    assert_int_equal(pd_writer_record(w, &r, NULL), PD_OK);
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
    struct pd_reader *reader = open_written(&f);
    struct pd_record got = {0};
    assert_int_equal(pd_reader_next(reader, &got, NULL), PD_OK);
    assert_int_equal(pd_reader_decode(reader, &got, NULL), PD_OK);
    assert_true(got.variant == r.variant && got.u.sample.regs_intr.abi == 0x40006 && got.rest.n == 8);
    pd_reader_close(reader);
    image_free(&f.im);
}

static void refused_features(void **state)
{
    const struct pd_writer_options options = {.size = sizeof options, .max_features = 2};
    const struct pd_record r = round_end();
    struct file f = {0};
    struct pd_writer *w = open_file(&f, &options);
    (void)state;
    REFUSED(PD_EARG, "bytes before their feature", pd_writer_feature_bytes(w, "x", 1, &e));
    REFUSED(PD_EARG, "feature", pd_writer_feature(w, 256, &e));
    assert_int_equal(pd_writer_record(w, &r, NULL), PD_OK); /* none of these ended the data */
    assert_int_equal(pd_writer_feature(w, 5, NULL), PD_OK);
    REFUSED(PD_EARG, "feature given twice", pd_writer_feature(w, 5, &e));
    assert_int_equal(pd_writer_feature(w, 4, NULL), PD_OK);
    REFUSED(PD_ELIMIT, "max_features", pd_writer_feature(w, 6, &e));
    REFUSED(PD_EARG, "record after the first feature", pd_writer_record(w, &r, &e));
    REFUSED(PD_EARG, "record after the first feature", pd_writer_raw(w, raw_record, 8, &e));
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    REFUSED(PD_EARG, "file that is finished", pd_writer_finish(w, &e));
    REFUSED(PD_EARG, "feature", pd_writer_feature(w, 7, &e));
    REFUSED(PD_EARG, "bytes before their feature", pd_writer_feature_bytes(w, "x", 1, &e));
    REFUSED(PD_EARG, "record after the first feature", pd_writer_record(w, &r, &e));
    pd_writer_close(w);
    struct pd_reader *reader = open_written(&f);
    assert_int_equal(pd_reader_n_features(reader), 2);
    pd_reader_close(reader);
    image_free(&f.im);
}

/* Writes everything up to the end; returns the first error, which later calls must repeat. */
static enum pd_code write_until_error(struct pd_writer *w, struct pd_error *e)
{
    const struct pd_attr a = attr_of(0);
    struct pd_record r[N_RECORDS];
    enum pd_code code;
    records_of(r);
    if ((code = pd_writer_attr(w, &a, ids0, 3, e)) || (code = pd_writer_record(w, &r[0], e)) ||
        (code = pd_writer_record(w, &r[2], e)) || (code = pd_writer_feature(w, 3, e)) ||
        (code = pd_writer_feature_bytes(w, "abc", 3, e)) || (code = pd_writer_feature(w, 4, e)))
        return code;
    return pd_writer_finish(w, e);
}

static void a_sink_that_fails(void **state)
{
    const struct pd_writer_options options = {.size = sizeof options, .max_features = 3};
    unsigned n = 1;
    enum pd_code code;
    (void)state;
    do {
        const struct pd_record r = round_end();
        struct pd_error e = {0};
        struct file f = {.fail_at = n++};
        struct pd_writer *w = open_file(&f, &options);
        code = write_until_error(w, &e);
        if (code) {
            assert_int_equal(code, PD_EOUT);
            assert_int_equal(e.code, PD_EOUT);
            assert_int_equal(e.found, ENOSPC);
            assert_true(e.offset <= f.im.n);
            assert_int_equal(pd_writer_record(w, &r, &e), PD_EARG);
            assert_string_equal(e.field, "writer that failed before");
            assert_int_equal(pd_writer_raw(w, raw_record, 8, NULL), PD_EARG);
            assert_int_equal(pd_writer_feature(w, 9, NULL), PD_EARG);
            assert_int_equal(pd_writer_feature_bytes(w, "x", 1, NULL), PD_EARG);
            assert_int_equal(pd_writer_finish(w, NULL), PD_EARG);
        }
        pd_writer_close(w);
        image_free(&f.im);
    } while (code);
    assert_true(n > 15);
}

/* ---- perf */

#define PERF_FILE "/tmp/perfdata-writer-XXXXXX"

/* A file for perf of any age: attrs of 64 + 64 bytes, host order. */
static void write_for_perf(struct file *f)
{
    struct pd_attr a = {.type = 1,
                        .size = 128,
                        .sample_period = 1000000,
                        .flags = PD_ATTR_SAMPLE_ID_ALL,
                        .sample_type = PD_SAMPLE_IP | PD_SAMPLE_TID | PD_SAMPLE_TIME | PD_SAMPLE_PERIOD};
    struct pd_writer *w = open_file(f, NULL);
    struct pd_record r = comm(0, "written");
    assert_int_equal(pd_writer_attr(w, &a, ids0, 1, NULL), PD_OK);
    r.id = (struct pd_sample_id){.pid = 7, .tid = 8, .time = 1000000000};
    assert_int_equal(pd_writer_record(w, &r, NULL), PD_OK);
    for (uint64_t i = 0; i < 3; i++) {
        struct pd_record s = {.type = PD_RECORD_SAMPLE, .misc = 2};
        s.u.sample.ip = 0x1000 + i;
        s.u.sample.pid = 7, s.u.sample.tid = 8, s.u.sample.period = 100 + i;
        s.u.sample.time = UINT64_C(1000001000) + i * 1000;
        assert_int_equal(pd_writer_record(w, &s, NULL), PD_OK);
    }
    r = round_end();
    assert_int_equal(pd_writer_record(w, &r, NULL), PD_OK);
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
}

/* The output of a command, at most `cap` bytes with the NUL, without blanks at the start of lines. */
static void output_of(const char *command, char *text, size_t cap)
{
    char line[500];
    FILE *p = popen(command, "r");
    assert_non_null(p);
    *text = 0;
    while (fgets(line, sizeof line, p))
        strncat(text, line + strspn(line, " "), cap - strlen(text) - 1);
    assert_int_equal(pclose(p), 0);
}

static void perf_reads_it(void **state)
{
    char path[] = PERF_FILE, command[200], text[8000];
    struct file f = {0};
    (void)state;
    if (system("perf version >/dev/null 2>&1") != 0) {
        print_message("skipped: there is no perf\n");
        skip();
    }
    write_for_perf(&f);
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, f.im.b, f.im.n), (ssize_t)f.im.n);
    close(fd);
    snprintf(command, sizeof command, "perf script --ns -F comm,pid,tid,time,period,ip -i %s 2>&1", path);
    output_of(command, text, sizeof text);
    assert_non_null(strstr(text, "written     7/8         1.000001000:        100"));
    assert_non_null(strstr(text, "written     7/8         1.000003000:        102"));
    assert_non_null(strstr(text, "1002"));
    snprintf(command, sizeof command, "perf report --stats -i %s 2>&1", path);
    output_of(command, text, sizeof text);
    unlink(path);
    assert_non_null(strstr(text, "COMM events:          1"));
    assert_non_null(strstr(text, "SAMPLE events:          3"));
    assert_non_null(strstr(text, "FINISHED_ROUND events:          1"));
    image_free(&f.im);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(room_for_attrs),
        cmocka_unit_test(words_of_the_bitmap),
        cmocka_unit_test(no_options_at_all),
        cmocka_unit_test(nothing_but_a_header),
        cmocka_unit_test(closed_without_finish),
        cmocka_unit_test(raw_bytes),
        cmocka_unit_test(refused_options),
        cmocka_unit_test(the_largest_attr),
        cmocka_unit_test(refused_attrs),
        cmocka_unit_test(refused_ids),
        cmocka_unit_test(refused_forms),
        cmocka_unit_test(refused_records),
        cmocka_unit_test(fields_without_a_place),
        cmocka_unit_test(refused_features),
        cmocka_unit_test(a_sink_that_fails),
        cmocka_unit_test(assigned_ids),
        cmocka_unit_test(typed_features),
        cmocka_unit_test(written_to_a_path),
        cmocka_unit_test(perf_reads_it),
    };
    return cmocka_run_group_tests_name("writer", tests, NULL, NULL);
}
