/* SPDX-License-Identifier: MIT */
/* sink.c - files as sinks: by path, written through a buffer and patched in place; descriptors; stdio. */
#include "src/schema/fail.h"
#include "src/support/memory.h"
#include "stdio_sink.h"
#include <errno.h>
#include <fcntl.h>
#include <perfdata/session/sink.h>
#include <poll.h>
#include <unistd.h>

#define BUFFER ((size_t)64 << 10)

struct file {
    const struct pd_allocator *allocator;
    int fd;
    uint64_t at; /* bytes in the file, those in the buffer not counted */
    size_t n;
    uint8_t buffer[BUFFER];
};

/* ---- A file that is open for stdio */

static int stdio_write(void *user, const void *bytes, size_t n)
{
    return fwrite(bytes, 1, n, user) == n ? 0 : errno ? errno : EIO;
}

static int stdio_patch(void *user, uint64_t offset, const void *bytes, size_t n)
{
    const off_t end = ftello(user);
    const bool done = end >= 0 && fseeko(user, (off_t)offset, SEEK_SET) == 0 &&
                      stdio_write(user, bytes, n) == 0 && fseeko(user, end, SEEK_SET) == 0;
    return done ? 0 : errno ? errno : EIO;
}

struct pd_sink pi_stdio_sink(FILE *file)
{
    return (struct pd_sink){.write = stdio_write, .patch = stdio_patch, .user = file};
}

/* What was written is patched at the offsets of the file: only if it is the file from its start on. */
static bool starts_at_zero(int fd, int64_t position)
{
    const int flags = fcntl(fd, F_GETFL);
    return position == 0 && flags >= 0 && !(flags & O_APPEND);
}

struct pd_sink pd_sink_file(FILE *file)
{
    struct pd_sink sink = pi_stdio_sink(file);
    if (!starts_at_zero(fileno(file), ftello(file)))
        sink.patch = NULL;
    return sink;
}

/* ---- A descriptor, which is the `user` */

static int write_at(int fd, uint64_t at, const uint8_t *bytes, size_t n)
{
    while (n) {
        const ssize_t done = pwrite(fd, bytes, n, (off_t)at);
        if (done < 0 && errno != EINTR)
            return errno;
        if (done > 0) {
            bytes += done;
            at += (uint64_t)done;
            n -= (size_t)done;
        }
    }
    return 0;
}

static int number_of(const void *user)
{
    return (int)(intptr_t)user;
}

/* Waits until a descriptor that does not block takes bytes. */
static int wait_for(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    return poll(&p, 1, -1) < 0 && errno != EINTR ? errno : 0;
}

static int fd_write(void *user, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    int error = 0;
    while (n && !error) {
        const ssize_t done = write(number_of(user), p, n);
        if (done >= 0)
            p += done, n -= (size_t)done;
        else if (errno == EAGAIN || errno == EWOULDBLOCK)
            error = wait_for(number_of(user));
        else
            error = errno == EINTR ? 0 : errno;
    }
    return error;
}

static int fd_patch(void *user, uint64_t offset, const void *bytes, size_t n)
{
    return write_at(number_of(user), offset, bytes, n);
}

struct pd_sink pd_sink_fd(int fd)
{
    struct pd_sink sink = {.write = fd_write, .user = (void *)(intptr_t)fd};
    if (starts_at_zero(fd, lseek(fd, 0, SEEK_CUR)))
        sink.patch = fd_patch;
    return sink;
}

/* ---- A file by its path */

static int flush(struct file *f)
{
    const int error = write_at(f->fd, f->at, f->buffer, f->n);
    f->at += f->n;
    f->n = 0;
    return error;
}

static int file_write(void *user, const void *bytes, size_t n)
{
    struct file *f = user;
    const int error = n > BUFFER - f->n ? flush(f) : 0;
    if (!error && n > BUFFER) {
        f->at += n;
        return write_at(f->fd, f->at - n, bytes, n);
    }
    if (!error) {
        memcpy(f->buffer + f->n, bytes, n);
        f->n += n;
    }
    return error;
}

static int file_patch(void *user, uint64_t offset, const void *bytes, size_t n)
{
    struct file *f = user;
    const int error = flush(f);
    return error ? error : write_at(f->fd, offset, bytes, n);
}

enum pd_code pd_sink_open(struct pd_sink *sink, const char *path, const struct pd_allocator *allocator,
                          struct pd_error *error)
{
    struct file *f = pi_resize(allocator, NULL, sizeof *f);
    if (f == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "sink", 0, sizeof *f);
    f->allocator = allocator;
    f->at = f->n = 0;
    f->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    *sink = (struct pd_sink){file_write, file_patch, f};
    if (f->fd >= 0)
        return PD_OK;
    const enum pd_code code = pi_fail(error, PD_EOUT, PD_NOWHERE, NULL, (uint64_t)errno, 0);
    pi_release(allocator, f);
    *sink = (struct pd_sink){0};
    return code;
}

enum pd_code pd_sink_close(struct pd_sink *sink, struct pd_error *error)
{
    struct file *f = sink->user;
    if (f == NULL)
        return PD_OK;
    int e = flush(f);
    const uint64_t at = f->at;
    if (close(f->fd) < 0 && e == 0)
        e = errno;
    pi_release(f->allocator, f);
    *sink = (struct pd_sink){0};
    return e ? pi_fail(error, PD_EOUT, at, NULL, (uint64_t)e, 0) : PD_OK;
}
