/* SPDX-License-Identifier: MIT */
/*
 * alloc.c - memory runs out at the first allocation, at the second, and so on: each operation reports it, and
 * frees all it has taken. Checks R10, R11.
 */
#include "fuzz/image.h"
#include "cmocka_all.h"
#include "heap.h"
#include <perfdata/ops/rewrite.h>
#include <perfdata/writer.h>
#include <stdio.h>

/* ---- An image with compressed records: a zstd frame of one raw block, made by hand */

static void add_compressed(struct image *im)
{
    const size_t at = image_record(im, 81, 0);
    const uint32_t block = 24 << 3 | 1;             /* 24 raw bytes, the last block */
    image_bytes(im, "\x28\xb5\x2f\xfd\x20\x18", 6); /* magic; single segment, size in one byte; 24 */
    for (unsigned i = 0; i < 3; i++)
        *image_room(im, 1) = (uint8_t)(block >> 8 * i);
    for (unsigned i = 0; i < 3; i++)
        image_end(im, image_record(im, 68, 0));
    image_end(im, at);
}

static void make_image(struct image *im)
{
    image_recording(im, true);
    im->n = im->table;
    add_compressed(im);
    image_section(im, IMAGE_DATA, im->data, im->n - im->data);
    image_features(im);
    image_section(im, im->table + 16, 500, 99999); /* findings need memory, too */
    for (unsigned i = 20; i < 30; i++)
        image_feature(im, i, 8);
}

/* ---- The operations; each step's error is the outcome */

struct work {
    struct image im;
    struct heap heap;
    struct pd_allocator allocator;
    struct pd_error error;
    bool seekable;
    uint64_t records;
    size_t written;
};

static int64_t work_read(void *user, uint64_t offset, void *buf, size_t n)
{
    const struct work *w = user;
    size_t got = offset < w->im.n ? w->im.n - (size_t)offset : 0;
    got = got < n ? got : n;
    if (got)
        memcpy(buf, w->im.b + offset, got);
    return (int64_t)got;
}

static int work_write(void *user, const void *bytes, size_t n)
{
    struct work *w = user;
    (void)bytes;
    w->written += n;
    return 0;
}

static int work_patch(void *user, uint64_t offset, const void *bytes, size_t n)
{
    (void)user, (void)offset, (void)bytes, (void)n;
    return 0;
}

static enum pd_code open_memory(struct work *w, struct pd_reader **r)
{
    const struct pd_reader_options options = {.size = sizeof options, .allocator = &w->allocator};
    return pd_reader_open_memory(r, w->im.b, w->im.n, &options, &w->error);
}

static enum pd_code open_source(struct work *w, struct pd_reader **r)
{
    const struct pd_reader_options options = {.size = sizeof options, .allocator = &w->allocator};
    const struct pd_source source = {work_read, NULL, w, w->seekable ? w->im.n : PD_NOWHERE};
    return pd_reader_open_source(r, &source, &options, &w->error);
}

static enum pd_code iterate(struct work *w, struct pd_reader *r)
{
    struct pd_record rec = {0};
    struct pd_error ignored;
    enum pd_code code;
    while ((code = pd_reader_next(r, &rec, &w->error)) == PD_OK) {
        w->records++;
        if (pd_reader_decode(r, &rec, &ignored) == PD_ENOMEM)
            fail_msg("decoding takes no memory");
    }
    return code == PD_END ? PD_OK : code;
}

static enum pd_code read_it(struct work *w, struct pd_reader **r)
{
    enum pd_code code = open_source(w, r);
    return code ? code : iterate(w, *r);
}

static enum pd_code read_memory(struct work *w, struct pd_reader **r)
{
    enum pd_code code = open_memory(w, r);
    return code ? code : iterate(w, *r);
}

static enum pd_code read_stream(struct work *w, struct pd_reader **r)
{
    w->seekable = false;
    return read_it(w, r);
}

static enum pd_code rewrite_it(struct work *w, struct pd_reader **r)
{
    const struct pd_sink sink = {work_write, NULL, w};
    const struct pd_rewrite_options options = {.size = sizeof options, .reencode = true};
    enum pd_code code = open_source(w, r);
    return code ? code : pd_rewrite(*r, &sink, &options, NULL, &w->error);
}

static enum pd_code rewrite_stream(struct work *w, struct pd_reader **r)
{
    w->seekable = false;
    return rewrite_it(w, r);
}

/* Writes a new file from the records read. */
static enum pd_code write_records(struct work *w, struct pd_reader *r, struct pd_writer *writer)
{
    enum pd_code code = PD_OK;
    const struct pd_event_type type = {.event_id = 1};
    for (size_t i = 0; !code && i < pd_reader_n_attrs(r); i++) {
        const struct pd_event_attr *e = pd_reader_attr(r, i);
        code = pd_writer_attr(writer, &e->attr, e->ids, e->n_ids, &w->error);
    }
    for (int i = 0; !code && i < 20; i++)
        code = pd_writer_event_type(writer, &type, &w->error);
    if (!code)
        code = pd_writer_raw(writer, w->im.b + 416, 56, &w->error);
    if (!code)
        code = pd_writer_feature(writer, 4, &w->error);
    if (!code)
        code = pd_writer_feature_bytes(writer, "123", 3, &w->error);
    return code ? code : pd_writer_finish(writer, &w->error);
}

static enum pd_code write_it(struct work *w, struct pd_reader **r)
{
    const struct pd_sink sink = {work_write, work_patch, w};
    const struct pd_writer_options options = {
        .size = sizeof options, .allocator = &w->allocator, .order = PD_BIG, .max_features = 3};
    struct pd_writer *writer = NULL;
    enum pd_code code = open_memory(w, r);
    if (!code)
        code = pd_writer_open(&writer, &sink, &options, &w->error);
    if (!code)
        code = write_records(w, *r, writer);
    pd_writer_close(writer);
    return code;
}

/* ---- */

typedef enum pd_code job(struct work *w, struct pd_reader **r);

/* One run in which allocation number n fails. */
static enum pd_code run_job(job *f, size_t n, size_t *calls, struct work *result)
{
    struct work w = {.seekable = true};
    struct pd_reader *r = NULL;
    make_image(&w.im);
    w.heap.fail_at = n;
    w.allocator = (struct pd_allocator){heap_resize, heap_release, &w.heap};
    const enum pd_code code = f(&w, &r);
    if (code) {
        assert_int_equal(code, PD_ENOMEM);
        assert_int_equal(w.error.code, PD_ENOMEM);
        assert_true(w.heap.calls >= n);
    }
    pd_reader_close(r);
    assert_int_equal(w.heap.blocks, 0);
    image_free(&w.im);
    *calls = w.heap.calls;
    *result = w;
    return code;
}

static void exhaust(job *f, size_t least)
{
    struct work w;
    size_t calls, n;
    assert_int_equal(run_job(f, 0, &calls, &w), PD_OK);
    const uint64_t records = w.records;
    const size_t written = w.written, all = calls;
    assert_true(all >= least);
    for (n = 1; n <= all; n++)
        if (run_job(f, n, &calls, &w) == PD_OK) /* if it succeeded without, it must have done all the same */
            fail_msg("allocation %zu of %zu failed and nobody said so", n, all);
    assert_int_equal(run_job(f, n, &calls, &w), PD_OK);
    assert_int_equal(w.records, records);
    assert_int_equal(w.written, written);
}

static void opening_and_reading(void **state)
{
    (void)state;
    exhaust(read_it, 10);
}

static void reading_memory(void **state)
{
    (void)state;
    exhaust(read_memory, 10);
}

static void reading_a_stream(void **state)
{
    (void)state;
    exhaust(read_stream, 10);
}

static void rewriting(void **state)
{
    (void)state;
    exhaust(rewrite_it, 10);
}

static void rewriting_a_stream(void **state)
{
    (void)state;
    exhaust(rewrite_stream, 10);
}

static void writing(void **state)
{
    (void)state;
    exhaust(write_it, 15);
}

/* The number of allocations does not depend on the number of records. */
static void no_allocation_per_record(void **state)
{
    size_t calls[2];
    (void)state;
    for (int many = 0; many < 2; many++) {
        struct work w = {.seekable = true};
        struct pd_reader *r = NULL;
        image_recording(&w.im, false);
        w.im.n = w.im.table;
        for (uint64_t i = 0; many && i < 20000; i++)
            image_sample0(&w.im, 11, i, i);
        image_section(&w.im, IMAGE_DATA, w.im.data, w.im.n - w.im.data);
        w.allocator = (struct pd_allocator){heap_resize, heap_release, &w.heap};
        assert_int_equal(read_it(&w, &r), PD_OK);
        calls[many] = w.heap.calls;
        pd_reader_close(r);
        image_free(&w.im);
    }
    assert_int_equal(calls[0], calls[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opening_and_reading),      cmocka_unit_test(reading_memory),
        cmocka_unit_test(reading_a_stream),         cmocka_unit_test(rewriting),
        cmocka_unit_test(rewriting_a_stream),       cmocka_unit_test(writing),
        cmocka_unit_test(no_allocation_per_record),
    };
    return cmocka_run_group_tests_name("alloc", tests, NULL, NULL);
}
