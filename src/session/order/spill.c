/* SPDX-License-Identifier: MIT */
/* spill.c - temporary files of records. */
#define _GNU_SOURCE
#include "spill.h"
#include "src/schema/fail.h"
#include "src/support/memory.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER ((size_t)128 << 10) /* a record of 65,535 bytes fits */

static enum pd_code fail(struct pd_error *error, int e)
{
    return pi_fail(error, PD_ETEMP, PD_NOWHERE, NULL, (uint64_t)e, 0);
}

static enum pd_code no_memory(struct pd_error *error, size_t n)
{
    return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "temporary file", 0, n);
}

/* ---- Writing */

enum pd_code pi_spill_init(struct pi_spill *s, const struct pd_allocator *allocator, const char *dir,
                           struct pd_error *error)
{
    static const char name[] = "/perfdata-XXXXXX";
    *s = (struct pi_spill){.allocator = allocator, .fd = -1};
    if (dir == NULL)
        dir = getenv("TMPDIR");
    if (dir == NULL || *dir == 0)
        dir = "/tmp";
    const size_t n = strlen(dir);
    s->dir = pi_resize(allocator, NULL, n + 1);
    s->path = pi_resize(allocator, NULL, n + sizeof name);
    if (s->dir == NULL || s->path == NULL)
        return no_memory(error, n + sizeof name);
    memcpy(s->dir, dir, n + 1);
    memcpy(s->path, dir, n);
    memcpy(s->path + n, name, sizeof name);
    return PD_OK;
}

void pi_spill_free(struct pi_spill *s)
{
    if (s->dir && s->fd >= 0)
        close(s->fd);
    pi_release(s->allocator, s->dir);
    pi_release(s->allocator, s->path);
    pi_release(s->allocator, s->buf);
    *s = (struct pi_spill){.fd = -1};
}

/* A new file without a name, or -1. Not every file system has O_TMPFILE. */
static int nameless(struct pi_spill *s)
{
    int fd = open(s->dir, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return fd;
    fd = mkostemp(s->path, O_CLOEXEC);
    if (fd >= 0)
        unlink(s->path);
    memcpy(s->path + strlen(s->path) - 6, "XXXXXX", 6);
    return fd;
}

enum pd_code pi_spill_begin(struct pi_spill *s, struct pd_error *error)
{
    if (s->buf == NULL && (s->buf = pi_resize(s->allocator, NULL, BUFFER)) == NULL)
        return no_memory(error, BUFFER);
    s->fill = 0;
    s->size = 0;
    s->fd = nameless(s);
    return s->fd < 0 ? fail(error, errno) : PD_OK;
}

static enum pd_code flush(struct pi_spill *s, struct pd_error *error)
{
    for (size_t done = 0; done < s->fill;) {
        const ssize_t n = write(s->fd, s->buf + done, s->fill - done);
        if (n < 0 && errno != EINTR)
            return fail(error, errno);
        done += n > 0 ? (size_t)n : 0;
    }
    s->fill = 0;
    return PD_OK;
}

enum pd_code pi_spill_put(struct pi_spill *s, const struct pi_waiting *w, struct pd_error *error)
{
    const size_t n = offsetof(struct pi_waiting, raw) + w->size, padded = pi_waiting_bytes(w->size);
    if (padded > BUFFER - s->fill) {
        const enum pd_code code = flush(s, error);
        if (code)
            return code;
    }
    memcpy(s->buf + s->fill, w, n);
    memset(s->buf + s->fill + n, 0, padded - n);
    s->fill += padded;
    s->size += padded;
    return PD_OK;
}

enum pd_code pi_spill_end(struct pi_spill *s, struct pi_run *run, struct pd_error *error)
{
    const enum pd_code code = flush(s, error);
    if (code)
        return code;
    *run = (struct pi_run){.fd = s->fd, .end = s->size};
    s->fd = -1;
    return PD_OK;
}

/* ---- Reading */

static size_t there(const struct pi_run *run)
{
    return run->fill - run->first;
}

/* Makes n bytes visible. */
static enum pd_code load_bytes(struct pi_run *run, size_t n, struct pd_error *error)
{
    if (there(run) >= n)
        return PD_OK;
    memmove(run->buf, run->buf + run->first, there(run));
    run->fill = there(run);
    run->first = 0;
    while (run->fill < n) {
        const size_t room = BUFFER - run->fill;
        const uint64_t left = run->end - run->at;
        const ssize_t got =
            pread(run->fd, run->buf + run->fill, left < room ? (size_t)left : room, (off_t)run->at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return fail(error, got ? errno : EIO);
        run->fill += (size_t)got;
        run->at += (uint64_t)got;
    }
    return PD_OK;
}

enum pd_code pi_run_head(struct pi_run *run, const struct pd_allocator *allocator,
                         const struct pi_waiting **w, struct pd_error *error)
{
    *w = NULL;
    if (there(run) == 0 && run->at == run->end)
        return PD_OK;
    if (run->buf == NULL && (run->buf = pi_resize(allocator, NULL, BUFFER)) == NULL)
        return no_memory(error, BUFFER);
    enum pd_code code = load_bytes(run, sizeof(struct pi_waiting), error);
    if (code)
        return code;
    *w = (const void *)(run->buf + run->first);
    code = load_bytes(run, pi_waiting_bytes((*w)->size), error);
    *w = (const void *)(run->buf + run->first);
    return code;
}

void pi_run_skip(struct pi_run *run)
{
    const struct pi_waiting *w = (const void *)(run->buf + run->first);
    run->first += pi_waiting_bytes(w->size);
}

void pi_run_close(struct pi_run *run, const struct pd_allocator *allocator)
{
    close(run->fd);
    pi_release(allocator, run->buf);
}
