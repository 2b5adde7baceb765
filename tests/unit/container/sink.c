/* SPDX-License-Identifier: MIT */
/*
 * sink.c - a sink that is an open descriptor or FILE gets the bytes that pd_writer_create() writes for the
 * same records; what cannot be patched is refused.
 */
#define _GNU_SOURCE
#include "cmocka_all.h"
#include <errno.h>
#include <fcntl.h>
#include <perfdata/session/sink.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RECORDS = 20000, MOST = 1 << 20 };

static uint8_t wanted[2][MOST], found[MOST];
static size_t n_wanted[2];

static enum pd_code write_recording(const struct pd_sink *sink, const char *path, enum pd_container container)
{
    const struct pd_writer_options o = {.size = sizeof o, .container = container};
    const struct pd_attr attr = {.sample_type = PD_SAMPLE_IP | PD_SAMPLE_TID};
    struct pd_writer *w;
    enum pd_code code = sink ? pd_writer_open(&w, sink, &o, NULL) : pd_writer_create(&w, path, &o, NULL);
    if (code)
        return code;
    code = pd_writer_attr(w, &attr, NULL, 0, NULL);
    for (uint64_t i = 0; !code && i < RECORDS; i++) {
        const struct pd_record rec = {.type = PD_RECORD_SAMPLE, .u.sample = {.ip = i, .pid = 7, .tid = 7}};
        code = pd_writer_record(w, &rec, NULL);
    }
    if (!code)
        code = pd_writer_finish(w, NULL);
    pd_writer_close(w);
    return code;
}

static size_t read_all(int fd, uint8_t *bytes)
{
    size_t n = 0;
    ssize_t got;
    while ((got = pread(fd, bytes + n, MOST - n, (off_t)n)) > 0)
        n += (size_t)got;
    return n;
}

static int temporary(char *path)
{
    strcpy(path, "/tmp/perfdata-sink-XXXXXX");
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    return fd;
}

static int make_wanted(void **state)
{
    char path[40];
    (void)state;
    for (int i = 0; i < 2; i++) {
        const int fd = temporary(path);
        assert_int_equal(write_recording(NULL, path, i ? PD_CONTAINER_PIPE : PD_CONTAINER_FILE), PD_OK);
        n_wanted[i] = read_all(fd, wanted[i]);
        close(fd);
        unlink(path);
    }
    return 0;
}

static void expect_wanted(size_t n, int pipe)
{
    assert_int_equal(n, n_wanted[pipe]);
    assert_memory_equal(found, wanted[pipe], n);
}

static void files(void **state)
{
    char path[40];
    (void)state;
    for (int i = 0; i < 2; i++) {
        const int fd = temporary(path);
        FILE *const file = tmpfile();
        const struct pd_sink a = pd_sink_fd(fd), b = pd_sink_file(file);
        assert_int_equal(write_recording(&a, NULL, i ? PD_CONTAINER_PIPE : PD_CONTAINER_FILE), PD_OK);
        expect_wanted(read_all(fd, found), i);
        assert_int_equal(write_recording(&b, NULL, i ? PD_CONTAINER_PIPE : PD_CONTAINER_FILE), PD_OK);
        assert_int_equal(ftello(file), n_wanted[i]); /* behind what was written, though it was patched */
        assert_int_equal(fflush(file), 0);
        expect_wanted(read_all(fileno(file), found), i);
        fclose(file);
        close(fd);
        unlink(path);
    }
}

/* ---- A pipe that takes a page at a time and does not block; its reader is slow */

static size_t n_found;

static void *drain(void *user)
{
    const int fd = *(int *)user;
    ssize_t got;
    n_found = 0;
    while ((got = read(fd, found + n_found, 1000)) > 0)
        n_found += (size_t)got;
    return NULL;
}

static void nonblocking_pipe(void **state)
{
    int fds[2];
    pthread_t thread;
    (void)state;
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    assert_int_equal(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
    assert_true(fcntl(fds[1], F_SETPIPE_SZ, 4096) >= 0);
    const struct pd_sink sink = pd_sink_fd(fds[1]);
    assert_null(sink.patch);
    while (write(fds[1], "", 1) == 1) /* full before there is a reader */
        ;
    assert_int_equal(errno, EAGAIN);
    assert_int_equal(pthread_create(&thread, NULL, drain, &fds[0]), 0);
    assert_int_equal(sink.write(sink.user, wanted[1], n_wanted[1]), 0);
    close(fds[1]);
    pthread_join(thread, NULL);
    close(fds[0]);
    assert_int_equal(n_found, 4096 + n_wanted[1]);
    assert_memory_equal(found + 4096, wanted[1], n_wanted[1]);
}

static void what_cannot_be_patched(void **state)
{
    char path[40];
    int fd = temporary(path);
    (void)state;
    assert_non_null(pd_sink_fd(fd).patch);
    assert_int_equal(write(fd, "x", 1), 1);
    assert_null(pd_sink_fd(fd).patch);
    close(fd);
    fd = open(path, O_WRONLY | O_APPEND);
    assert_null(pd_sink_fd(fd).patch);
    FILE *file = fdopen(fd, "a");
    assert_null(pd_sink_file(file).patch);
    fclose(file);
    file = popen("cat >/dev/null", "w");
    const struct pd_sink sink = pd_sink_file(file);
    assert_null(sink.patch);
    assert_int_equal(write_recording(&sink, NULL, PD_CONTAINER_PIPE), PD_OK);
    assert_int_equal(write_recording(&sink, NULL, PD_CONTAINER_FILE), PD_EARG);
    assert_int_equal(pclose(file), 0);
    unlink(path);
}

static void errors(void **state)
{
    const struct pd_sink none = pd_sink_fd(-1);
    (void)state;
    assert_null(none.patch);
    assert_int_equal(none.write(none.user, "x", 1), EBADF);
    const int fd = open("/dev/full", O_WRONLY);
    if (fd < 0)
        return;
    const struct pd_sink full = pd_sink_fd(fd);
    assert_int_equal(full.write(full.user, "x", 1), ENOSPC);
    assert_int_equal(write_recording(&full, NULL, PD_CONTAINER_PIPE), PD_EOUT);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files),
        cmocka_unit_test(nonblocking_pipe),
        cmocka_unit_test(what_cannot_be_patched),
        cmocka_unit_test(errors),
    };
    return cmocka_run_group_tests(tests, make_wanted, NULL);
}
