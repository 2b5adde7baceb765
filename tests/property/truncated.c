/* SPDX-License-Identifier: MIT */
/*
 * truncated.c - pipe streams, compressed recordings and files of directories, cut off at every byte: complete
 * records are given, the end is reported with its place, and nothing else comes. The test knows the complete
 * records from the construction of the recording, not from reading it. Checks R3, R12.
 */
#define _GNU_SOURCE
#include "cmocka_all.h"
#include "zframe.h"
#include "seeded.h"
#include <fcntl.h>
#include <perfdata/perfdata.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SAMPLE = 9, ROUND = 68, AUXTRACE = 71, TRACING = 66, CHUNK = 81, CHUNK2 = 83 };

/* A record as it was written: where it becomes complete, and with its payload. */
struct mark {
    uint32_t type;
    unsigned depth;
    size_t start, complete, end;
};

struct recording {
    struct image im;
    struct mark marks[64];
    size_t n;
    struct image inner; /* records that wait to be put into chunks */
    size_t inner_ends[64], n_inner, inner_done;
    bool framed; /* a zstd frame has begun */
};

static void mark_record(struct recording *rec, uint32_t type, size_t start, size_t complete)
{
    assert_true(rec->n < 64);
    rec->marks[rec->n++] = (struct mark){type, 0, start, complete, rec->im.n};
}

/* ---- Putting together */

static void add_sample(struct recording *rec, size_t words)
{
    const size_t at = image_record(&rec->im, SAMPLE, 1);
    image_pattern(&rec->im, 8 * words);
    image_end(&rec->im, at);
    mark_record(rec, SAMPLE, at, rec->im.n);
}

static void add_payload(struct recording *rec, bool aux, size_t n)
{
    const size_t at = rec->im.n;
    if (aux)
        image_auxtrace(&rec->im, n);
    else
        image_tracing_data(&rec->im, 12, (uint32_t)n);
    mark_record(rec, aux ? AUXTRACE : TRACING, at, rec->im.n - n);
}

static void add_feature(struct recording *rec) /* a record of an odd size */
{
    const size_t at = image_record(&rec->im, 80, 0);
    image_u64(&rec->im, 5);
    image_bytes(&rec->im, "x86\0", 5);
    image_end(&rec->im, at);
    mark_record(rec, 80, at, rec->im.n);
}

static void add_inner(struct recording *rec, size_t words)
{
    const size_t at = image_record(&rec->inner, SAMPLE, 1);
    image_pattern(&rec->inner, 8 * words);
    image_end(&rec->inner, at);
    rec->inner_ends[rec->n_inner++] = rec->inner.n;
}

/* The next n bytes of the inner records as a chunk of one frame. */
static void add_chunk(struct recording *rec, bool second, size_t n)
{
    struct image *im = &rec->im;
    const size_t at = image_record(im, second ? CHUNK2 : CHUNK, 0);
    if (second)
        image_u64(im, 0);
    const size_t start = im->n;
    if (!rec->framed)
        zframe_start(im, 17);
    rec->framed = true;
    zframe_raw(im, rec->inner.b + rec->inner_done, n, false);
    if (second)
        image_set(im, start - 8, im->n - start, 8);
    if (second)
        image_zeros(im, (8 - im->n % 8) % 8);
    image_end(im, at);
    rec->inner_done += n;
    mark_record(rec, second ? CHUNK2 : CHUNK, at, im->n);
    for (size_t i = 0; i < rec->n_inner; i++)
        if (rec->inner_ends[i] > rec->inner_done - n && rec->inner_ends[i] <= rec->inner_done) {
            mark_record(rec, SAMPLE, at, im->n);
            rec->marks[rec->n - 1].depth = 1;
        }
}

/* Something of everything; compressed records lie over the chunks' ends. */
static void add_records(struct recording *rec, bool compressed)
{
    add_sample(rec, 1);
    add_payload(rec, false, 21);
    add_feature(rec);
    add_payload(rec, true, 40);
    add_sample(rec, 9);
    for (size_t i = 1; compressed && i < 9; i++)
        add_inner(rec, i);
    if (compressed) {
        add_chunk(rec, false, 40);
        add_sample(rec, 2);
        add_chunk(rec, true, 55);
        add_chunk(rec, false, 3);
        add_chunk(rec, true, 200 - 98);
        add_chunk(rec, false, rec->inner.n - 200);
    }
    add_sample(rec, 1);
}

static void start_file(struct recording *rec, bool big)
{
    image_start(&rec->im, big, 104, 80);
    image_section(&rec->im, IMAGE_ATTRS, 104, 80);
    image_attr(&rec->im, 64, 64, 0, false);
    image_ids(&rec->im, 0, 0);
    rec->im.data = rec->im.n;
}

static void make(struct recording *rec, bool pipe, bool big, bool compressed)
{
    *rec = (struct recording){.inner = {.big = big}};
    if (pipe)
        image_start(&rec->im, big, 16, 0);
    else
        start_file(rec, big);
    add_records(rec, compressed);
    if (!pipe)
        image_section(&rec->im, IMAGE_DATA, rec->im.data, rec->im.n - rec->im.data);
}

/* A file of a directory: records alone. */
static void make_member(struct recording *rec, bool big, bool compressed)
{
    *rec = (struct recording){.im = {.big = big}, .inner = {.big = big}};
    add_records(rec, compressed);
}

static void drop(struct recording *rec)
{
    image_free(&rec->im);
    image_free(&rec->inner);
}

/* ---- Expectations */

/*
 * How the recording cut off at `at` ends: the place of the damage, or PD_NOWHERE when it ends between two
 * records.
 */
static uint64_t damage_at(const struct recording *rec, size_t at)
{
    for (size_t i = 0; i < rec->n; i++)
        if (rec->marks[i].start < at && at < rec->marks[i].end)
            return rec->marks[i].start;
    return PD_NOWHERE;
}

/* True if a compressed record begins in a complete chunk and does not end in one. */
static bool leaves_incomplete(const struct recording *rec, size_t at)
{
    size_t chunks = 0, bytes = 0, records = 0;
    static const size_t sizes[] = {40, 55, 3, 102, 0};
    for (size_t i = 0; i < rec->n; i++) {
        const struct mark *m = &rec->marks[i];
        const bool chunk = m->type == CHUNK || m->type == CHUNK2;
        if (m->complete > at)
            continue;
        if (chunk)
            bytes += chunks == 4 ? rec->inner.n - bytes : sizes[chunks], chunks++;
        records += m->depth;
    }
    return bytes > (records ? rec->inner_ends[records - 1] : 0);
}

/*
 * Reads what is left of a file, whose first `at` bytes are there. Fills `code` and the error with what ended
 * it.
 */
static void expect_records(struct pd_reader *r, const struct recording *rec, size_t at, bool more)
{
    struct pd_record got = {0};
    struct pd_error e = {0};
    enum pd_code code;
    const uint64_t damage = damage_at(rec, at);
    for (size_t i = 0; i < rec->n; i++) {
        const struct mark *m = &rec->marks[i];
        if (m->complete > at)
            continue;
        code = pd_reader_next(r, &got, &e);
        if (code)
            fail_msg("cut off at %zu: %s instead of record %zu", at, pd_code_name(code), i);
        assert_int_equal(got.type, m->type);
        assert_int_equal(got.depth, m->depth);
        assert_int_equal(got.offset, m->start);
    }
    if (more && damage == PD_NOWHERE && !leaves_incomplete(rec, at))
        return; /* the next record is the next file's */
    const uint64_t index = got.index;
    code = pd_reader_next(r, &got, &e);
    if (damage != PD_NOWHERE) {
        if (code != PD_ETRUNC && code != PD_ESHORT)
            fail_msg("cut off at %zu: %s", at, pd_code_name(code));
        assert_int_equal(e.offset, damage);
    } else if (code == PD_ETRUNC &&
               strcmp(e.field, "data") == 0) { /* between records, but the header announces more */
        assert_true(rec->im.data && at < rec->im.n);
        assert_int_equal(e.offset, at);
    } else if (leaves_incomplete(rec, at)) {
        assert_int_equal(code, PD_ETRUNC);
        assert_string_equal(e.field, "record inside COMPRESSED");
    } else {
        assert_int_equal(code, PD_END);
    }
    if (code != PD_END) {
        char text[300];
        assert_int_equal(e.code, code);
        assert_non_null(e.field);
        assert_true(pd_error_text(&e, text, sizeof text) < sizeof text);
        if (e.record_index != PD_NOWHERE && strcmp(e.field, "payload") == 0)
            assert_int_equal(e.record_index, index);
    }
    if (!more)
        assert_int_equal(pd_reader_next(r, &got, &e), PD_END);
}

/* ---- Files and streams */

struct feed {
    const uint8_t *b;
    size_t n, most;
};

static int64_t feed_read(void *user, uint64_t offset, void *buf, size_t n)
{
    const struct feed *f = user;
    size_t got = offset < f->n ? f->n - (size_t)offset : 0;
    got = got < n ? got : n;
    got = got < f->most ? got : f->most;
    if (got)
        memcpy(buf, f->b + offset, got);
    return (int64_t)got;
}

/* Cut off inside the header, nothing can be read, and that is told. */
static void expect_refused(enum pd_code code, const struct pd_error *e, size_t at)
{
    if (code != PD_ETRUNC)
        fail_msg("cut off at %zu: %s", at, pd_code_name(code));
    assert_int_equal(e->code, PD_ETRUNC);
    assert_string_equal(e->field, "header");
    assert_int_equal(e->found, at);
}

static void cut(const struct recording *rec, size_t at, unsigned way)
{
    static const size_t most[] = {SIZE_MAX, SIZE_MAX, SIZE_MAX, 1, 7};
    uint8_t *b = malloc(at); /* of exactly this size, for the sanitizers */
    struct feed feed = {b, at, most[way]};
    const struct pd_source source = {feed_read, NULL, &feed, way == 1 ? at : PD_NOWHERE};
    const struct pd_reader_options options = {.size = sizeof options, .window = 1};
    struct pd_reader *r = NULL;
    struct pd_error e = {0};
    const size_t least = rec->im.data ? 104 : 16;
    if (at)
        memcpy(b, rec->im.b, at);
    const enum pd_code code =
        way ? pd_reader_open_source(&r, &source, &options, &e) : pd_reader_open_memory(&r, b, at, NULL, &e);
    if (at < least) {
        expect_refused(code, &e, at);
    } else {
        assert_int_equal(code, PD_OK);
        expect_records(r, rec, at, false);
        const bool cut_data = rec->im.data && at < rec->im.n;
        assert_int_equal(pd_reader_info(r)->truncated, cut_data);
        assert_true(pd_reader_n_findings(r) >= cut_data);
    }
    pd_reader_close(r);
    free(b);
}

static void everywhere(bool pipe, bool compressed)
{
    for (int big = 0; big < 2; big++) {
        struct recording rec;
        make(&rec, pipe, big, compressed);
        for (size_t at = 0; at <= rec.im.n; at += hurried() ? 4 : 1)
            for (unsigned way = 0; way < 5; way++)
                cut(&rec, at, way);
        drop(&rec);
    }
}

static void pipes(void **state)
{
    (void)state;
    everywhere(true, false);
}

static void compressed_pipes(void **state)
{
    (void)state;
    everywhere(true, true);
}

static void files(void **state)
{
    (void)state;
    everywhere(false, false);
}

static void compressed_files(void **state)
{
    (void)state;
    everywhere(false, true);
}

/* ---- Directories */

static void put_file(const char *dir, const char *name, const struct image *im, size_t n)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, im->b, n), (ssize_t)n);
    close(fd);
}

/* Each file in turn is cut off everywhere; the others are given whole, those behind it, too. */
static void cut_directory(const char *dir, bool big, bool compressed)
{
    static const char *const names[] = {"data", "data.0", "data.1"};
    struct recording files[3];
    make(&files[0], false, big, compressed);
    make_member(&files[1], big, compressed);
    make_member(&files[2], big, compressed);
    for (size_t cut = 0; cut < 3; cut++) {
        for (size_t i = 0; i < 3; i++)
            put_file(dir, names[i], &files[i].im, files[i].im.n);
        for (size_t at = files[cut].im.n; at-- > 0;) {
            struct pd_reader *r = NULL;
            struct pd_error e = {0};
            char path[200];
            snprintf(path, sizeof path, "%s/%s", dir, names[cut]);
            assert_int_equal(truncate(path, (off_t)at), 0);
            const enum pd_code code = pd_reader_open(&r, dir, NULL, &e);
            if (cut == 0 && at < 104) {
                expect_refused(code, &e, at);
                continue;
            }
            assert_int_equal(code, PD_OK);
            for (size_t i = 0; i < 3; i++)
                expect_records(r, &files[i], i == cut ? at : files[i].im.n, i < 2);
            pd_reader_close(r);
        }
    }
    for (size_t i = 0; i < 3; i++)
        drop(&files[i]);
}

static void directories(void **state)
{
    char dir[] = "/tmp/perfdata-truncated-XXXXXX", command[100];
    (void)state;
    assert_non_null(mkdtemp(dir));
    for (int how = 0; how < 4; how++)
        cut_directory(dir, how & 1, how & 2);
    snprintf(command, sizeof command, "rm -r %s", dir);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pipes),       cmocka_unit_test(compressed_pipes),
        cmocka_unit_test(files),       cmocka_unit_test(compressed_files),
        cmocka_unit_test(directories),
    };
    return cmocka_run_group_tests_name("truncated", tests, NULL, NULL);
}
