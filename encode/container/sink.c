/* SPDX-License-Identifier: MIT */
/* sink.c - a file as a sink, written through a buffer and patched in place. */
#include "src/schema/fail.h"
#include "src/support/memory.h"
#include "stdio_sink.h"
#include <errno.h>
#include <fcntl.h>
#include <perfdata/writer.h>
#include <unistd.h>

#define BUFFER ((size_t)64 << 10)

struct file {
    const struct pd_allocator *allocator;
    int fd;
    uint64_t at; /* bytes in the file, those in the buffer not counted */
    size_t n;
    uint8_t buffer[BUFFER];
};

/* ---- A temporary file that is open for stdio */

static int stdio_write(void *user, const void *bytes, size_t n)
{
    return fwrite(bytes, 1, n, user) == n ? 0 : errno ? errno : EIO;
}

static int stdio_patch(void *user, uint64_t offset, const void *bytes, size_t n)
{
    if (fseeko(user, (off_t)offset, SEEK_SET) || stdio_write(user, bytes, n) || fseeko(user, 0, SEEK_END))
        return errno ? errno : EIO;
    return 0;
}

struct pd_sink pd_stdio_sink(FILE *file)
{
    return (struct pd_sink){.write = stdio_write, .patch = stdio_patch, .user = file};
}

/* ---- A file by its path */

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
    struct file *f = pd_resize(allocator, NULL, sizeof *f);
    if (f == NULL)
        return pd_fail(error, PD_ENOMEM, PD_NOWHERE, "sink", 0, sizeof *f);
    f->allocator = allocator;
    f->at = f->n = 0;
    f->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    *sink = (struct pd_sink){file_write, file_patch, f};
    if (f->fd >= 0)
        return PD_OK;
    const enum pd_code code = pd_fail(error, PD_EOUT, PD_NOWHERE, NULL, (uint64_t)errno, 0);
    pd_release(allocator, f);
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
    pd_release(f->allocator, f);
    *sink = (struct pd_sink){0};
    return e ? pd_fail(error, PD_EOUT, at, NULL, (uint64_t)e, 0) : PD_OK;
}
