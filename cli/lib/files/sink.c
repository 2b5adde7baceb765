/* SPDX-License-Identifier: MIT */
/* sink.c - bytes of an output that is open: buffered, patched, or copied from other files by the kernel. */
#define _GNU_SOURCE
#include "sink.h"
#include "temporary.h"
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#define LARGE_BYTES ((size_t)16 << 10)

static int failed(struct cli_output *out, int error)
{
    if (out->error == 0)
        out->error = error;
    return out->error;
}

int cli_output_flush(struct cli_output *out)
{
    if (out->error == 0 && out->n)
        failed(out, cli_write_all(out->fd, out->buf, out->n));
    out->n = 0;
    return out->error;
}

static int sink_write(void *user, const void *bytes, size_t n)
{
    struct cli_output *out = user;
    const bool large = n >= LARGE_BYTES; /* more than a window's end: copying it would gain nothing */
    if ((large || n > CLI_SINK_BYTES - out->n) && cli_output_flush(out))
        return out->error;
    if (large)
        failed(out, cli_write_all(out->fd, bytes, n));
    else
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
