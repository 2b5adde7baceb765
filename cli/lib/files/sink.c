/* SPDX-License-Identifier: MIT */
/* sink.c - bytes of an output that is open: buffered, patched, or copied from other files by the kernel. */
#define _GNU_SOURCE
#include "sink.h"
#include "cli/lib/threads/workers.h"
#include "temporary.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LARGE_BYTES ((size_t)16 << 10) /* more than a window's end: copying it would gain nothing */

static int failed(struct cli_output *out, int error)
{
    if (out->error == 0)
        out->error = error;
    return out->error;
}

/* ---- With -j, another thread writes one buffer while the next is filled */

#define BEHIND_BYTES ((size_t)1 << 20) /* of each: with fewer, threads wake each other too often */

static void write_behind(struct pd_job *job)
{
    struct cli_behind *b = (struct cli_behind *)job;
    b->error = cli_write_all(b->out->fd, b->buf, b->n);
}

static int wait_behind(struct cli_output *out)
{
    const struct pd_workers *workers = out->behind.buf ? cli_workers(out->cli) : NULL;
    if (workers)
        workers->wait(workers->user, &out->behind.job);
    if (out->behind.error)
        failed(out, out->behind.error);
    return out->error;
}

void cli_output_free_buffers(struct cli_output *out)
{
    wait_behind(out);
    free(out->buf);
    free(out->behind.buf);
    out->buf = out->behind.buf = NULL;
}

/* False: no thread can do that. */
static bool can_write_behind(struct cli_output *out)
{
    struct cli_behind *b = &out->behind;
    if (b->buf || b->off || cli_workers(out->cli) == NULL)
        return b->buf;
    uint8_t *larger = realloc(out->buf, BEHIND_BYTES);
    if (larger == NULL)
        return false;
    out->buf = larger;
    out->cap = BEHIND_BYTES;
    b->buf = malloc(BEHIND_BYTES);
    b->out = out;
    b->job.work = write_behind;
    return b->buf;
}

/* The buffer is full. */
static int hand_over(struct cli_output *out)
{
    const struct pd_workers *workers = cli_workers(out->cli);
    struct cli_behind *b = &out->behind;
    uint8_t *const full = out->buf;
    if (wait_behind(out))
        return out->error;
    out->buf = b->buf;
    b->buf = full;
    b->n = out->n;
    out->n = 0;
    workers->start(workers->user, &b->job);
    return 0;
}

static int put_behind(struct cli_output *out, const uint8_t *bytes, size_t n)
{
    while (n) {
        const size_t room = out->cap - out->n, now = n < room ? n : room;
        memcpy(out->buf + out->n, bytes, now);
        out->n += now;
        bytes += now;
        n -= now;
        if (out->n == out->cap && hand_over(out))
            break;
    }
    return out->error;
}

/* ---- All outputs */

int cli_output_flush(struct cli_output *out)
{
    wait_behind(out);
    if (out->error == 0 && out->n)
        failed(out, cli_write_all(out->fd, out->buf, out->n));
    out->n = 0;
    return out->error;
}

/* More than the buffer has room for, or than is worth copying into it. */
__attribute__((noinline)) static int write_much(struct cli_output *out, const void *bytes, size_t n)
{
    out->written += n;
    if (can_write_behind(out))
        return put_behind(out, bytes, n);
    if (cli_output_flush(out))
        return out->error;
    if (n >= LARGE_BYTES)
        return failed(out, cli_write_all(out->fd, bytes, n));
    memcpy(out->buf, bytes, n);
    out->n = n;
    return 0;
}

static int sink_write(void *user, const void *bytes, size_t n)
{
    struct cli_output *out = user;
    if (n >= LARGE_BYTES || n > out->cap - out->n)
        return write_much(out, bytes, n);
    memcpy(out->buf + out->n, bytes, n), out->n += n;
    out->written += n;
    return out->error;
}

uint64_t cli_output_copy(struct cli_output *out, int fd, uint64_t offset, uint64_t n)
{
    off_t at = (off_t)offset;
    uint64_t done = 0;
    ssize_t got = 1;
    if (cli_output_flush(out))
        return 0;
    while (done < n && (got > 0 || (got < 0 && errno == EINTR))) {
        const uint64_t left = n - done;
        if ((got = copy_file_range(fd, &at, out->fd, NULL, left < SSIZE_MAX ? (size_t)left : SSIZE_MAX, 0)) >
            0)
            done += (uint64_t)got;
    }
    out->written += done;
    return done;
}

static int sink_patch(void *user, uint64_t offset, const void *bytes, size_t n)
{
    struct cli_output *out = user;
    if (out->error || offset > out->written || n > out->written - offset)
        return failed(out, out->error ? out->error : EINVAL);
    if (offset >= out->written - out->n) {
        memcpy(out->buf + (offset - (out->written - out->n)), bytes, n);
        return 0;
    }
    if (cli_output_flush(out))
        return out->error;
    for (size_t done = 0; done < n;) {
        const ssize_t wrote =
            pwrite(out->fd, (const char *)bytes + done, n - done, (off_t)(out->base + offset + done));
        if (wrote < 0 && errno != EINTR)
            return failed(out, errno);
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    return 0;
}

struct pd_sink cli_output_sink(struct cli_output *out, bool patches)
{
    return (struct pd_sink){sink_write, patches ? sink_patch : NULL, out};
}
