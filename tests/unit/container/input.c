/* SPDX-License-Identifier: MIT */
/*
 * input.c - a recording reads the same from a path, a descriptor, a pipe, memory, or a callback of any habit.
 * Checks R7.
 */
#define _GNU_SOURCE
#include "digest.h"
#include "fuzz/image.h"
#include "cmocka_all.h"
#include "heap.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define PAYLOAD 300000 /* more than a window */

/* Records, a payload and records over several windows. */
static void make_recording(struct image *im, bool big)
{
    image_recording(im, big);
    im->n = im->table;
    image_auxtrace(im, PAYLOAD);
    for (uint64_t i = 0; i < 5000; i++)
        image_sample0(im, 11, 0x400000 + i, 1000 + i);
    image_section(im, IMAGE_DATA, im->data, im->n - im->data);
    image_features(im);
}

static struct digest digest_of_memory(const struct image *im)
{
    struct pd_reader *r;
    assert_int_equal(pd_reader_open_memory(&r, im->b, im->n, NULL, NULL), PD_OK);
    const struct digest d = digest_reader(r);
    assert_int_equal(d.code, PD_END);
    assert_int_equal(d.records, im->records);
    pd_reader_close(r);
    return d;
}

static void expect_same(const struct digest *a, const struct digest *b)
{
    assert_int_equal(a->code, b->code);
    assert_int_equal(a->records, b->records);
    assert_int_equal(a->decoded, b->decoded);
    assert_true(a->hash == b->hash);
}

/* Reads twice, since a reader can go back. */
static void expect_digest(struct pd_reader *r, const struct digest *want)
{
    for (int i = 0; i < 2; i++) {
        const struct digest d = digest_reader(r);
        expect_same(&d, want);
        assert_int_equal(pd_reader_rewind(r, NULL), PD_OK);
    }
    pd_reader_close(r);
}

/* ---- Files */

static int temporary_file(const struct image *im, char *path)
{
    strcpy(path, "/tmp/perfdata-input-XXXXXX");
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, im->b, im->n), (ssize_t)im->n);
    return fd;
}

static void path_and_descriptor(void **state)
{
    struct pd_reader *r;
    struct image im;
    char path[64];
    (void)state;
    for (int big = 0; big < 2; big++) {
        make_recording(&im, big);
        const struct digest want = digest_of_memory(&im);
        const int fd = temporary_file(&im, path);
        assert_int_equal(pd_reader_open(&r, path, NULL, NULL), PD_OK);
        expect_digest(r, &want);
        assert_int_equal(pd_reader_open_fd(&r, fd, NULL, NULL), PD_OK);
        expect_digest(r, &want);
        assert_int_equal(fcntl(fd, F_GETFD), 0); /* the caller still owns it */
        close(fd);
        unlink(path);
        image_free(&im);
    }
}

static void what_cannot_be_opened(void **state)
{
    struct pd_reader *r = NULL;
    struct pd_error e;
    (void)state;
    assert_int_equal(pd_reader_open(&r, "/nonexistent/perf.data", NULL, &e), PD_EMISSING);
    assert_int_equal(e.code, PD_EMISSING);
    assert_int_equal(e.found, ENOENT);
    assert_null(r);
    assert_int_equal(pd_reader_open_fd(&r, -1, NULL, &e), PD_EIO);
    assert_int_equal(e.found, EBADF);
    const int dir = open("/tmp", O_RDONLY | O_DIRECTORY);
    assert_int_equal(pd_reader_open_fd(&r, dir, NULL, &e), PD_EMISSING);
    assert_int_equal(e.found, EISDIR);
    close(dir);
    assert_null(r);
    assert_int_equal(pd_reader_open_fd(&r, -1, NULL, NULL), PD_EIO); /* the error may be NULL */
}

struct feeder {
    const struct image *im;
    int fd;
};

static void *feed(void *user)
{
    const struct feeder *f = user;
    for (size_t at = 0; at < f->im->n;) {
        const size_t n = f->im->n - at < 777 ? f->im->n - at : 777;
        const ssize_t done = write(f->fd, f->im->b + at, n);
        if (done <= 0)
            break;
        at += (size_t)done;
    }
    close(f->fd);
    return NULL;
}

static void pipe_descriptor(void **state)
{
    struct image im;
    struct pd_reader *r;
    int fds[2];
    pthread_t thread;
    (void)state;
    make_recording(&im, false);
    const struct digest want = digest_of_memory(&im);
    assert_int_equal(pipe(fds), 0);
    struct feeder feeder = {&im, fds[1]};
    assert_int_equal(pthread_create(&thread, NULL, feed, &feeder), 0);
    assert_int_equal(pd_reader_open_fd(&r, fds[0], NULL, NULL), PD_OK);
    const struct digest d = digest_reader(r);
    expect_same(&d, &want);
    assert_int_equal(pd_reader_info(r)->file_size, im.n);
    assert_int_equal(pd_reader_n_features(r), 4);
    assert_int_equal(pd_reader_rewind(r, NULL), PD_EUNSUP);
    pd_reader_close(r);
    pthread_join(thread, NULL);
    close(fds[0]);
    image_free(&im);
}

/* ---- Callbacks */

struct habit {
    const struct image *im;
    size_t most;         /* bytes given at a time */
    unsigned interrupts; /* every how many calls -EINTR */
    uint64_t fail_from;  /* -EIO from this offset on */
    size_t too_many;     /* bytes claimed beyond what was asked for, behind the first read */
    bool at_once;        /* or with it */
    uint64_t next;       /* where the last read ended */
    bool forward;        /* every read continued the one before */
    unsigned calls, closed;
};

static int64_t habit_read(void *user, uint64_t offset, void *buf, size_t n)
{
    struct habit *h = user;
    h->calls++;
    h->forward &= offset == h->next;
    if (h->interrupts && h->calls % h->interrupts == 0)
        return -EINTR;
    if (offset >= h->fail_from)
        return -EIO;
    size_t got = offset < h->im->n ? h->im->n - (size_t)offset : 0;
    got = got < n ? got : n;
    got = got < h->most ? got : h->most;
    if (got)
        memcpy(buf, h->im->b + offset, got);
    h->next = offset + got;
    return h->too_many && (h->at_once || offset) ? (int64_t)(n + h->too_many) : (int64_t)got;
}

static void habit_close(void *user)
{
    ((struct habit *)user)->closed++;
}

static struct habit usual(const struct image *im)
{
    return (struct habit){.im = im, .most = SIZE_MAX, .fail_from = UINT64_MAX, .forward = true};
}

static enum pd_code open_habit(struct pd_reader **r, struct habit *h, bool seekable, struct pd_error *e)
{
    const struct pd_source source = {habit_read, habit_close, h, seekable ? h->im->n : PD_NOWHERE};
    const struct pd_reader_options options = {.size = sizeof options, .window = 1}; /* the smallest size */
    return pd_reader_open_source(r, &source, &options, e);
}

static void callbacks_of_many_habits(void **state)
{
    static const size_t most[] = {1, 7, 4096, 65536, SIZE_MAX};
    struct image im;
    struct pd_reader *r;
    (void)state;
    make_recording(&im, true);
    const struct digest want = digest_of_memory(&im);
    for (size_t i = 0; i < 2 * sizeof most / sizeof *most; i++) {
        struct habit h = usual(&im);
        h.most = most[i / 2];
        h.interrupts = i % 2 ? 3 : 0;
        assert_int_equal(open_habit(&r, &h, true, NULL), PD_OK);
        expect_digest(r, &want);
        assert_int_equal(h.closed, 1);

        h = usual(&im);
        h.most = most[i / 2];
        h.interrupts = i % 2 ? 2 : 0;
        assert_int_equal(open_habit(&r, &h, false, NULL), PD_OK);
        const struct digest d = digest_reader(r);
        expect_same(&d, &want);
        assert_true(h.forward);
        pd_reader_close(r);
        assert_int_equal(h.closed, 1);
    }
    image_free(&im);
}

/* A failing read is reported with its offset at any place, and never taken for the end. */
static void reading_fails(void **state)
{
    struct image im;
    struct pd_error e = {0};
    (void)state;
    image_recording(&im, false);
    for (uint64_t at = 0; at < im.n; at++) {
        for (int seekable = 0; seekable < 2; seekable++) {
            struct habit h = usual(&im);
            struct pd_reader *r = NULL;
            h.fail_from = at;
            h.most = 1;
            enum pd_code code = open_habit(&r, &h, seekable, &e);
            if (!code) {
                const struct digest d = digest_reader(r);
                code = d.code;
                e = d.error;
                if (code == PD_END) /* only the bytes behind the data were not read */
                    assert_true(at >= im.table);
            }
            if (code != PD_END) {
                assert_int_equal(code, PD_EIO);
                assert_int_equal(e.code, PD_EIO);
                assert_int_equal(e.found, EIO);
                if (seekable) /* sections are not read in the order of the file */
                    assert_in_range(e.offset, at, im.n);
                else
                    assert_int_equal(e.offset, at);
            }
            pd_reader_close(r);
            assert_int_equal(h.closed, 1);
        }
    }
    image_free(&im);
}

static void a_source_that_lies(void **state)
{
    struct image im;
    struct pd_error e;
    struct pd_reader *r = NULL;
    (void)state;
    image_recording(&im, false);
    struct habit h = usual(&im);
    h.too_many = 1;
    h.at_once = true;
    assert_int_equal(open_habit(&r, &h, true, &e), PD_EIO);
    assert_int_equal(e.found, EOVERFLOW);
    assert_null(r);
    assert_int_equal(h.closed, 1);
    h = usual(&im);
    h.most = 50; /* into the header */
    h.too_many = 1;
    assert_int_equal(open_habit(&r, &h, true, &e), PD_EIO);
    assert_int_equal(e.found, EOVERFLOW);
    assert_int_equal(e.offset, 50);

    /* More bytes announced than exist: the records end with damage. */
    h = usual(&im);
    const struct pd_source source = {habit_read, NULL, &h, im.n + 100000};
    im.n = im.data + 100;
    assert_int_equal(pd_reader_open_source(&r, &source, NULL, &e), PD_OK);
    const struct digest d = digest_reader(r);
    assert_int_equal(d.code, PD_ETRUNC);
    assert_int_equal(d.records, 1);
    pd_reader_close(r);
    image_free(&im);
}

/* A stream that announces much before its data and ends soon: only the received bytes take memory. */
static size_t most_at_once;

static void *watch_resize(void *user, void *old, size_t size)
{
    (void)user;
    most_at_once = size > most_at_once ? size : most_at_once;
    return realloc(old, size);
}

static void watch_release(void *user, void *old)
{
    (void)user;
    free(old);
}

static void a_stream_that_announces_much(void **state)
{
    const struct pd_allocator allocator = {watch_resize, watch_release, NULL};
    const struct pd_reader_options options = {.size = sizeof options, .allocator = &allocator, .window = 1};
    struct image im;
    struct pd_reader *r = NULL;
    (void)state;
    image_recording(&im, false);
    image_section(&im, IMAGE_DATA, UINT64_C(1) << 40, 100);
    image_section(&im, 128 + 128, 104, UINT64_C(1) << 33); /* ids */
    struct habit h = usual(&im);
    const struct pd_source source = {habit_read, NULL, &h, PD_NOWHERE};
    assert_int_equal(pd_reader_open_source(&r, &source, &options, NULL), PD_OK);
    assert_int_equal(pd_reader_n_attrs(r), 2);
    assert_int_equal(pd_reader_finding(r, 0)->code, PD_ERANGE);
    const struct digest d = digest_reader(r);
    assert_int_equal(d.records, 0);
    pd_reader_close(r);
    image_free(&im);
    assert_true(most_at_once <= 131072);
}

/* What is kept of a stream that comes byte by byte: memory is asked for as often as if it came at once. */
static size_t calls_of_allocator(const struct image *im, size_t most)
{
    struct heap heap = {0};
    const struct pd_allocator allocator = {heap_resize, heap_release, &heap};
    const struct pd_reader_options options = {.size = sizeof options, .allocator = &allocator, .window = 1};
    struct habit h = usual(im);
    const struct pd_source source = {habit_read, NULL, &h, PD_NOWHERE};
    struct pd_reader *r;
    h.most = most;
    assert_int_equal(pd_reader_open_source(&r, &source, &options, NULL), PD_OK);
    assert_int_equal(digest_reader(r).code, PD_END);
    pd_reader_close(r);
    assert_int_equal(heap.blocks, 0);
    return heap.calls;
}

static void a_stream_of_small_pieces(void **state)
{
    struct image im;
    (void)state;
    make_recording(&im, false);
    assert_int_equal(calls_of_allocator(&im, 1), calls_of_allocator(&im, SIZE_MAX));
    image_free(&im);
}

static void any_part_can_be_read(void **state)
{
    struct image im;
    struct pd_error e;
    struct pd_reader *r;
    uint8_t *buf;
    (void)state;
    make_recording(&im, false);
    buf = malloc(im.n);
    for (int memory = 0; memory < 2; memory++) {
        struct habit h = usual(&im);
        if (memory)
            assert_int_equal(pd_reader_open_memory(&r, im.b, im.n, NULL, NULL), PD_OK);
        else
            assert_int_equal(open_habit(&r, &h, true, NULL), PD_OK);
        assert_int_equal(pd_reader_read(r, 0, buf, im.n, &e), PD_OK);
        assert_memory_equal(buf, im.b, im.n);
        assert_int_equal(pd_reader_read(r, 5, buf, 20, &e), PD_OK); /* and back again */
        assert_memory_equal(buf, im.b + 5, 20);
        assert_int_equal(pd_reader_read(r, im.n, buf, 0, &e), PD_OK);
        assert_int_equal(pd_reader_read(r, im.n - 3, buf, 4, &e), PD_ETRUNC);
        assert_int_equal(pd_reader_read(r, im.n, buf, 1, &e), PD_ETRUNC);
        assert_int_equal(pd_reader_read(r, UINT64_MAX - 1, buf, 2, &e), PD_ETRUNC);
        assert_int_equal(e.offset, UINT64_MAX - 1);
        pd_reader_close(r);
    }
    free(buf);
    image_free(&im);
}

/* Between two records, reading elsewhere does not change the position in the records. */
static void reading_between_records(void **state)
{
    struct image im;
    struct pd_reader *r;
    struct pd_record rec = {0};
    uint8_t byte;
    uint64_t n = 0;
    (void)state;
    make_recording(&im, true);
    struct habit h = usual(&im);
    assert_int_equal(open_habit(&r, &h, true, NULL), PD_OK);
    for (; pd_reader_next(r, &rec, NULL) == PD_OK; n++) {
        assert_memory_equal(rec.raw, im.b + rec.offset, rec.size);
        assert_int_equal(pd_reader_offset(r), rec.offset + rec.size);
        assert_int_equal(pd_reader_read(r, n % 3 * im.n / 3, &byte, 1, NULL), PD_OK);
    }
    assert_int_equal(n, im.records);
    pd_reader_close(r);
    image_free(&im);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(path_and_descriptor),
        cmocka_unit_test(what_cannot_be_opened),
        cmocka_unit_test(pipe_descriptor),
        cmocka_unit_test(callbacks_of_many_habits),
        cmocka_unit_test(reading_fails),
        cmocka_unit_test(a_source_that_lies),
        cmocka_unit_test(any_part_can_be_read),
        cmocka_unit_test(reading_between_records),
        cmocka_unit_test(a_stream_that_announces_much),
        cmocka_unit_test(a_stream_of_small_pieces),
    };
    return cmocka_run_group_tests_name("input", tests, NULL, NULL);
}
