/* SPDX-License-Identifier: MIT */
/* push.c - a reader whose source is what was given so far. */
#include "src/schema/fail.h"
#include "src/schema/options.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include <errno.h>
#include <perfdata/session/push.h>

/*
 * Bytes that are needed to tell a file from a stream; the header of a stream is shorter, but cannot be used
 * before its first record.
 */
#define HEADER 24

struct pd_push {
    const struct pd_allocator *allocator;
    struct pd_reader_options options;
    struct pd_reader *reader; /* NULL: the header is not all there */
    uint8_t *bytes;           /* bytes that wait: from `base` on; before the reader is open, all */
    size_t start, end, cap;
    uint64_t base;   /* offset of bytes[start] in the input */
    uint64_t enough; /* number of bytes at which opening is tried next */
    uint64_t limit;
    bool ended;
    struct pd_error failure; /* of opening */
};

enum pd_code pd_push_open(struct pd_push **push, const struct pd_reader_options *options,
                          struct pd_error *error)
{
    struct pd_reader_options own;
    const enum pd_code code = PI_TAKE_OPTIONS(pd_reader_options, &own, options, error);
    *push = NULL;
    if (code)
        return code;
    struct pd_push *p = *push = pi_resize(own.allocator, NULL, sizeof *p);
    if (p == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "push", 0, sizeof *p);
    *p = (struct pd_push){.allocator = own.allocator, .options = own, .enough = HEADER};
    p->options.live = true;
    p->limit = own.max_held ? own.max_held : PI_LIMIT_READER_HELD;
    return PD_OK;
}

void pd_push_close(struct pd_push *push)
{
    if (push == NULL)
        return;
    pd_reader_close(push->reader);
    pi_release(push->allocator, push->bytes);
    pi_release(push->allocator, push);
}

/* ---- Bytes */

/* Drops what the reader has taken. Before it is open, it starts again with all bytes. */
static void drop_taken(struct pd_push *p, uint64_t offset)
{
    if (p->reader == NULL || offset <= p->base)
        return;
    p->start += (size_t)(offset - p->base);
    p->base = offset;
}

static int64_t read_waiting(void *user, uint64_t offset, void *buf, size_t n)
{
    struct pd_push *p = user;
    drop_taken(p, offset);
    const size_t skip = (size_t)(offset - p->base), there = p->end - p->start - skip;
    n = n < there ? n : there;
    if (n == 0)
        return p->ended ? 0 : -EAGAIN;
    memcpy(buf, p->bytes + p->start + skip, n);
    drop_taken(p, offset + n);
    return (int64_t)n;
}

/* Makes room for n more bytes. */
static enum pd_code make_room(struct pd_push *p, size_t n, struct pd_error *error)
{
    const size_t waiting = p->end - p->start;
    if (n > p->limit || waiting > p->limit - n)
        return pi_fail(error, PD_ELIMIT, p->base, "bytes that wait", waiting + (uint64_t)n, p->limit);
    if (p->start) {
        memmove(p->bytes, p->bytes + p->start, waiting);
        p->start = 0;
        p->end = waiting;
    }
    size_t cap = p->cap ? p->cap : 4096;
    while (cap - waiting < n)
        cap *= 2;
    if (cap == p->cap)
        return PD_OK;
    uint8_t *more = pi_resize(p->allocator, p->bytes, cap);
    if (more == NULL)
        return pi_fail(error, PD_ENOMEM, p->base, "bytes that wait", 0, cap);
    p->bytes = more;
    p->cap = cap;
    return PD_OK;
}

enum pd_code pd_push_bytes(struct pd_push *push, const void *bytes, size_t n, struct pd_error *error)
{
    if (n == 0)
        return PD_OK;
    if (push->ended)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "bytes behind the end", n, 0);
    const enum pd_code code = make_room(push, n, error);
    if (code)
        return code;
    memcpy(push->bytes + push->end, bytes, n);
    push->end += n;
    return PD_OK;
}

void pd_push_end(struct pd_push *push)
{
    push->ended = true;
}

/* ---- Records */

/* Opening is tried again when there is twice as much, since a file's header may be large. */
static enum pd_code open_reader(struct pd_push *p, struct pd_error *error)
{
    const struct pd_source source = {read_waiting, NULL, p, PD_NOWHERE};
    struct pd_reader *reader = NULL;
    if (p->failure.code) {
        if (error)
            *error = p->failure;
        return p->failure.code;
    }
    if (p->end < p->enough && !p->ended)
        return PD_AGAIN;
    p->enough = 2 * (uint64_t)p->end;
    const enum pd_code code = pd_reader_open_source(&reader, &source, &p->options, &p->failure);
    if (code && code != PD_AGAIN && error)
        *error = p->failure;
    if (code == PD_AGAIN)
        p->failure.code = PD_OK;
    p->reader = reader;
    return code;
}

enum pd_code pd_push_next(struct pd_push *push, struct pd_record *rec, struct pd_error *error)
{
    const enum pd_code code = push->reader ? PD_OK : open_reader(push, error);
    return code ? code : pd_reader_next(push->reader, rec, error);
}

struct pd_reader *pd_push_reader(struct pd_push *push)
{
    return push->reader;
}
