/* SPDX-License-Identifier: MIT */
/*
 * push.c - bytes in as they come, records out: the same records as from memory, wherever the bytes are cut;
 * and descriptors and sources that have no bytes now. Checks R7.
 */
#include "fuzz/image_sink.h"
#include "cmocka_all.h"
#include <errno.h>
#include <fcntl.h>
#include <perfdata/session/push.h>
#include <perfdata/writer.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SAMPLES = 200, PAYLOAD = 100 };

/* A recording with attrs, features and, unless it is compressed, a payload behind a record. */
static void write_recording(struct image *im, enum pd_container container, uint32_t compression)
{
    const struct pd_writer_options options = {
        .size = sizeof options, .order = PD_LITTLE, .container = container, .compression = compression};
    const struct pd_attr attr = {.type = 1,
                                 .size = PD_ATTR_SIZE_VER7,
                                 .sample_type = PD_SAMPLE_IP | PD_SAMPLE_TID,
                                 .flags = PD_ATTR_SAMPLE_ID_ALL};
    const struct pd_feature host = {.id = PD_FEAT_HOSTNAME, .u.hostname.text = PD_STR("box")};
    const struct pd_record aux = {
        .type = PD_RECORD_AUXTRACE, .attr_index = UINT32_MAX, .u.auxtrace.size = PAYLOAD};
    const uint8_t payload[PAYLOAD] = {0};
    const struct pd_sink sink = image_sink(im);
    struct pd_writer *w = NULL;
    assert_int_equal(pd_writer_open(&w, &sink, &options, NULL), PD_OK);
    assert_int_equal(pd_writer_attr(w, &attr, NULL, 0, NULL), PD_OK);
    assert_int_equal(pd_writer_put_feature(w, &host, NULL), PD_OK);
    for (unsigned i = 0; i < SAMPLES; i++) {
        const struct pd_record rec = {.type = PD_RECORD_SAMPLE,
                                      .u.sample = {.ip = 0x1000 * i * i, .pid = i, .tid = i}};
        assert_int_equal(pd_writer_record(w, &rec, NULL), PD_OK);
        if (i == 50 && !compression) {
            assert_int_equal(pd_writer_record(w, &aux, NULL), PD_OK);
            assert_int_equal(pd_writer_raw(w, payload, sizeof payload, NULL), PD_OK);
        }
    }
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
}

/* Takes all records that are there; they must be those of the reader from memory. */
static enum pd_code expect_records(struct pd_push *push, struct pd_reader *want, size_t *n)
{
    struct pd_record rec = {0}, other = {0};
    struct pd_error error;
    enum pd_code code;
    while ((code = pd_push_next(push, &rec, &error)) == PD_OK) {
        assert_int_equal(pd_reader_next(want, &other, NULL), PD_OK);
        assert_true(rec.type == other.type && rec.size == other.size && rec.offset == other.offset);
        assert_true(rec.index == other.index && rec.depth == other.depth);
        assert_true(rec.attr_index == other.attr_index);
        assert_memory_equal(rec.raw, other.raw, rec.size);
        assert_int_equal(pd_reader_decode(pd_push_reader(push), &rec, NULL), PD_OK);
        *n += rec.type == PD_RECORD_SAMPLE;
    }
    return code;
}

/* Gives the bytes in pieces of n, and takes what each piece completes. */
static void push_pieces(const struct image *im, size_t bytes, size_t piece)
{
    struct pd_push *push = NULL;
    struct pd_reader *want = NULL;
    struct pd_record rec = {0};
    size_t samples = 0, after_half = 0;
    enum pd_code code = PD_AGAIN;
    assert_int_equal(pd_reader_open_memory(&want, im->b, bytes, NULL, NULL), PD_OK);
    assert_int_equal(pd_push_open(&push, NULL, NULL), PD_OK);
    assert_int_equal(pd_push_next(push, &rec, NULL), PD_AGAIN);
    assert_null(pd_push_reader(push));
    for (size_t at = 0; at < bytes; at += piece) {
        const size_t n = bytes - at < piece ? bytes - at : piece;
        /* what is given is copied */
        uint8_t *own = malloc(n);
        memcpy(own, im->b + at, n);
        assert_int_equal(pd_push_bytes(push, own, n, NULL), PD_OK);
        free(own);
        assert_int_equal(code = expect_records(push, want, &samples), PD_AGAIN);
        after_half += at < bytes / 2 ? samples : 0;
    }
    pd_push_end(push);
    code = expect_records(push, want, &samples);
    assert_int_equal(code, pd_reader_next(want, &rec, NULL));
    assert_true(bytes != im->n || (code == PD_END && samples == SAMPLES));
    assert_true(piece >= bytes / 2 || after_half > 0); /* they come before the end does */
    assert_int_equal(pd_reader_n_features(pd_push_reader(push)), pd_reader_n_features(want));
    assert_int_equal(pd_push_bytes(push, "x", 1, NULL), PD_EARG);
    pd_push_close(push);
    pd_reader_close(want);
}

static void cut_anywhere(void **state)
{
    static const size_t pieces[] = {1, 7, 100, 4096, 1 << 20};
    (void)state;
    for (unsigned kind = 0; kind < 3; kind++) {
        struct image im = {0};
        write_recording(&im, kind ? PD_CONTAINER_PIPE : PD_CONTAINER_FILE,
                        kind == 2 ? PD_RECORD_COMPRESSED : 0);
        for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
            if (kind != 2) /* small compressed records come together, late */
                push_pieces(&im, im.n, pieces[i]);
            if (kind == 1)
                push_pieces(&im, im.n - 5, pieces[i]); /* the last record is not complete */
        }
        if (kind == 2) {
            struct pd_push *push = NULL;
            struct pd_reader *want = NULL;
            size_t n = 0;
            assert_int_equal(pd_reader_open_memory(&want, im.b, im.n, NULL, NULL), PD_OK);
            assert_int_equal(pd_push_open(&push, NULL, NULL), PD_OK);
            for (size_t at = 0; at < im.n; at++) {
                assert_int_equal(pd_push_bytes(push, im.b + at, 1, NULL), PD_OK);
                assert_int_equal(expect_records(push, want, &n), PD_AGAIN);
            }
            pd_push_end(push);
            assert_int_equal(expect_records(push, want, &n), PD_END);
            assert_int_equal(n, SAMPLES);
            pd_push_close(push);
            pd_reader_close(want);
        }
        image_free(&im);
    }
}

/* Behind damage no record comes, but what is behind the data. */
static void features_behind_damage(void **state)
{
    struct image im = {0};
    struct pd_push *push = NULL;
    struct pd_reader *want = NULL;
    struct pd_record rec = {0};
    size_t n = 0, damage = 0;
    enum pd_code code;
    (void)state;
    write_recording(&im, PD_CONTAINER_FILE, 0);
    assert_int_equal(pd_reader_open_memory(&want, im.b, im.n, NULL, NULL), PD_OK);
    while (n++ < 20)
        assert_int_equal(pd_reader_next(want, &rec, NULL), PD_OK);
    memset(im.b + rec.offset + 6, 0, 2);
    assert_int_equal(pd_push_open(&push, NULL, NULL), PD_OK);
    for (size_t at = 0; at < im.n; at++) {
        assert_int_equal(pd_push_bytes(push, im.b + at, 1, NULL), PD_OK);
        for (; (code = pd_push_next(push, &rec, NULL)) != PD_AGAIN; damage += code == PD_ESIZE)
            assert_true(code == PD_OK || code == PD_ESIZE);
    }
    pd_push_end(push);
    assert_int_equal(pd_push_next(push, &rec, NULL), PD_END);
    assert_int_equal(damage, 1);
    assert_int_equal(pd_reader_n_features(pd_push_reader(push)), 1);
    assert_int_equal(pd_reader_n_features(want), 1);
    pd_push_close(push);
    pd_reader_close(want);
    image_free(&im);
}

static void what_is_no_recording(void **state)
{
    const struct pd_reader_options small = {.size = sizeof small, .max_held = 100};
    static const uint8_t zeros[101];
    struct pd_push *push = NULL;
    struct pd_record rec = {0};
    struct pd_error error = {0};
    (void)state;
    assert_int_equal(pd_push_open(&push, &small, NULL), PD_OK);
    assert_int_equal(pd_push_bytes(push, zeros, 101, &error), PD_ELIMIT);
    assert_int_equal(pd_push_bytes(push, zeros, 24, NULL), PD_OK);
    assert_int_equal(pd_push_bytes(push, zeros, 77, &error), PD_ELIMIT);
    assert_int_equal(error.found, 24 + 77);
    assert_int_equal(error.expected, 100);
    assert_int_equal(pd_push_next(push, &rec, &error), PD_EMAGIC);
    assert_int_equal(pd_push_bytes(push, zeros, 24, NULL), PD_OK);
    assert_int_equal(pd_push_next(push, &rec, &error), PD_EMAGIC); /* it stays so */
    assert_int_equal(error.code, PD_EMAGIC);
    pd_push_close(push);
    assert_int_equal(pd_push_open(&push, NULL, NULL), PD_OK);
    pd_push_end(push);
    assert_int_equal(pd_push_next(push, &rec, NULL), PD_ETRUNC);
    pd_push_close(push);
    pd_push_close(NULL);
}

/* So many bytes wait by default, which the error about one more tells. */
static void so_many_bytes_wait(void **state)
{
    const size_t most = (size_t)256 << 20;
    uint8_t *zeros = calloc(1, most + 1); /* takes no memory until it is read */
    struct pd_push *push = NULL;
    struct pd_error error = {0};
    (void)state;
    assert_non_null(zeros);
    assert_int_equal(pd_push_open(&push, NULL, NULL), PD_OK);
    assert_int_equal(pd_push_bytes(push, zeros, most + 1, &error), PD_ELIMIT);
    assert_int_equal(error.expected, most);
    pd_push_close(push);
    free(zeros);
}

/* ---- Descriptors that do not block */

static void make_pipe(int fd[2])
{
    assert_int_equal(pipe(fd), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(fcntl(fd[i], F_SETFL, O_NONBLOCK), 0);
}

static void nothing_is_lost_on_eagain(void **state)
{
    const struct pd_reader_options live = {.size = sizeof live, .live = true};
    struct pd_reader *r = NULL;
    struct pd_record rec = {0};
    struct image im = {0};
    size_t samples = 0, waits = 0, at = 400;
    enum pd_code code;
    int fd[2];
    (void)state;
    write_recording(&im, PD_CONTAINER_PIPE, 0);
    make_pipe(fd);
    assert_int_equal(write(fd[1], im.b, at), at);
    assert_int_equal(pd_reader_open_fd(&r, fd[0], &live, NULL), PD_OK);
    while ((code = pd_reader_next(r, &rec, NULL)) == PD_OK || code == PD_AGAIN) {
        const size_t n = im.n - at < 37 ? im.n - at : 37;
        samples += code == PD_OK && rec.type == PD_RECORD_SAMPLE;
        if (code == PD_OK)
            continue;
        waits++;
        assert_int_equal(pd_reader_failure(r, NULL), PD_OK);
        assert_int_equal(write(fd[1], im.b + at, n), n);
        at += n;
        if (n == 0)
            close(fd[1]);
    }
    assert_int_equal(code, PD_END);
    assert_int_equal(samples, SAMPLES);
    assert_true(waits > 100);
    pd_reader_close(r);
    close(fd[0]);
    image_free(&im);
}

/* Without `live` the reader waits for them. */
static void descriptors_are_waited_for(void **state)
{
    struct pd_reader *r = NULL;
    struct pd_record rec = {0};
    struct image im = {0};
    size_t samples = 0;
    int fd[2], status = 1;
    (void)state;
    write_recording(&im, PD_CONTAINER_PIPE, 0);
    make_pipe(fd);
    const pid_t child = fork();
    if (child == 0) {
        for (size_t at = 0; at < im.n; usleep(1000))
            at += (size_t)write(fd[1], im.b + at, im.n - at < 1000 ? im.n - at : 1000);
        _exit(0);
    }
    close(fd[1]);
    assert_int_equal(pd_reader_open_fd(&r, fd[0], NULL, NULL), PD_OK);
    while (pd_reader_next(r, &rec, NULL) == PD_OK)
        samples += rec.type == PD_RECORD_SAMPLE;
    assert_int_equal(pd_reader_failure(r, NULL), PD_OK);
    assert_int_equal(samples, SAMPLES);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    pd_reader_close(r);
    close(fd[0]);
    image_free(&im);
}

static int64_t read_nothing(void *user, uint64_t offset, void *buf, size_t n)
{
    (void)user, (void)offset, (void)buf, (void)n;
    return -EAGAIN;
}

static void sources_without_bytes(void **state)
{
    const struct pd_reader_options live = {.size = sizeof live, .live = true};
    const struct pd_source source = {.read_at = read_nothing, .size = PD_NOWHERE};
    struct pd_reader *r = NULL;
    struct pd_error error;
    (void)state;
    assert_int_equal(pd_reader_open_source(&r, &source, &live, &error), PD_AGAIN);
    assert_int_equal(pd_reader_open_source(&r, &source, NULL, &error), PD_EIO);
    assert_int_equal(error.found, EAGAIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(features_behind_damage),
        cmocka_unit_test(what_is_no_recording),
        cmocka_unit_test(so_many_bytes_wait),
        cmocka_unit_test(nothing_is_lost_on_eagain),
        cmocka_unit_test(descriptors_are_waited_for),
        cmocka_unit_test(sources_without_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
