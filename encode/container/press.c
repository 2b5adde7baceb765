/* SPDX-License-Identifier: MIT */
/* press.c - see press.h. Units of chunks go round in a ring: filled, compressed, taken. */
#include "press.h"
#include "src/schema/fail.h"
#include "src/support/memory.h"
#include <string.h>

#define CHUNKS 34 /* of a unit: 2 MiB, and the record that ends the frame */

/* A frame, or a piece of a longer one. */
struct unit {
    struct pd_job job;
    struct pi_deflate deflate;
    uint8_t *in, *out;
    size_t in_n[CHUNKS], out_n[CHUNKS];
    size_t n, taken;
    size_t in_at, out_at; /* bytes that are filled, bytes that were taken */
    bool last;            /* ends the frame */
    struct pd_error error;
};

struct pi_press {
    const struct pd_workers *workers;
    const struct pd_allocator *allocator;
    uint64_t head, tail; /* units: the one that is filled, the oldest that was not taken */
    size_t n;
    struct unit units[];
};

static struct unit *nth_unit(struct pi_press *p, uint64_t nth)
{
    return &p->units[nth % p->n];
}

/* ---- In any thread */

static void compress(struct pd_job *job)
{
    struct unit *u = (struct unit *)job;
    const uint8_t *in = u->in, *bytes;
    uint8_t *out = u->out;
    u->error.code = PD_OK;
    for (size_t i = 0; i < u->n && !u->error.code; i++) {
        in += pi_deflate_take(&u->deflate, in, u->in_n[i]);
        if (pi_deflate_chunk(&u->deflate, u->last && i + 1 == u->n, &bytes, &u->out_n[i], &u->error))
            return;
        memcpy(out, bytes, u->out_n[i]);
        out += u->out_n[i];
    }
}

/* ---- In the writer's */

enum pd_code pi_press_open(struct pi_press **press, const struct pd_workers *workers,
                           const struct pi_deflate *like, struct pd_error *error)
{
    const size_t n = workers->n + (size_t)2, size = sizeof **press + n * sizeof(struct unit);
    struct pi_press *p = pi_zeros(like->allocator, size);
    if (p == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "zstd", 0, size);
    p->workers = workers;
    p->allocator = like->allocator;
    p->n = n;
    enum pd_code code = PD_OK;
    for (size_t i = 0; i < n && !code; i++) {
        struct unit *u = &p->units[i];
        u->job.work = compress;
        u->in = pi_resize(p->allocator, NULL, CHUNKS * PD_DEFLATE_INPUT);
        u->out = pi_resize(p->allocator, NULL, CHUNKS * PD_DEFLATE_OUTPUT);
        code = u->in && u->out ? pi_deflate_start(&u->deflate, p->allocator, like->level, error)
                               : pi_fail(error, PD_ENOMEM, PD_NOWHERE, "zstd", 0, CHUNKS * PD_DEFLATE_OUTPUT);
    }
    *press = p;
    if (code) {
        pi_press_close(p);
        *press = NULL;
    }
    return code;
}

void pi_press_close(struct pi_press *p)
{
    for (size_t i = 0; p && i < p->n; i++) {
        struct unit *u = &p->units[i];
        p->workers->wait(p->workers->user, &u->job);
        pi_deflate_free(&u->deflate);
        pi_release(p->allocator, u->in);
        pi_release(p->allocator, u->out);
    }
    if (p)
        pi_release(p->allocator, p);
}

/* The bytes of its last chunk were valid until now. */
static void release_oldest(struct pi_press *p)
{
    struct unit *u = nth_unit(p, p->tail);
    if (p->tail == p->head || u->taken < u->n)
        return;
    u->n = u->taken = u->in_at = u->out_at = 0;
    p->tail++;
}

bool pi_press_has_room(struct pi_press *p)
{
    release_oldest(p);
    return p->head - p->tail < p->n;
}

/* Has the unit compressed. One that goes on with a frame needs the state of the unit before. */
static void start(struct pi_press *p, struct unit *u)
{
    struct unit *before = p->head ? nth_unit(p, p->head - 1) : NULL;
    if (before && !before->last) {
        p->workers->wait(p->workers->user, &before->job);
        const struct pi_deflate own = u->deflate;
        u->deflate = before->deflate;
        before->deflate = own;
    }
    p->head++;
    p->workers->start(p->workers->user, &u->job);
}

void pi_press_give(struct pi_press *p, struct pi_deflate *from, bool last)
{
    struct unit *u = nth_unit(p, p->head);
    memcpy(u->in + u->in_at, from->in, from->n);
    u->in_at += from->n;
    u->in_n[u->n++] = from->n;
    u->last = last;
    from->n = 0;
    if (last)
        from->framed = 0;
    if (last || u->n == CHUNKS)
        start(p, u);
}

enum pd_code pi_press_take(struct pi_press *p, const uint8_t **bytes, size_t *n, size_t *taken,
                           struct pd_error *error)
{
    release_oldest(p);
    struct unit *u = nth_unit(p, p->tail);
    *n = 0;
    if (p->tail == p->head && u->n)
        start(p, u);
    if (p->tail == p->head)
        return PD_OK;
    p->workers->wait(p->workers->user, &u->job);
    if (u->error.code && error)
        *error = u->error;
    if (u->error.code)
        return u->error.code;
    *bytes = u->out + u->out_at;
    *n = u->out_n[u->taken];
    *taken = u->in_n[u->taken++];
    u->out_at += *n;
    return PD_OK;
}
