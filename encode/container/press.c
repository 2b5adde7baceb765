/* SPDX-License-Identifier: MIT */
/* press.c - see press.h. Units of chunks go round in a ring: filled, compressed, taken. */
#include "press.h"
#include "src/schema/fail.h"
#include "src/support/memory.h"
#include <string.h>

#define CHUNKS 512                    /* of a unit */
#define INPUT (34 * PI_DEFLATE_INPUT) /* of a unit: 2 MiB, and the record that ends the frame */
/* What compressing can add to each chunk. */
#define OUTPUT (INPUT + CHUNKS * (PI_DEFLATE_OUTPUT - PI_DEFLATE_INPUT))

struct chunk {
    size_t in_n, out_n;
    bool plain; /* not to be compressed */
};

/* A frame, or a piece of a longer one. */
struct unit {
    struct pd_job job;
    struct pi_deflate deflate;
    uint8_t *in, *out;
    struct chunk chunks[CHUNKS];
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

/* From `in` to `out`. */
static enum pd_code compress_chunk(struct unit *u, struct chunk *c, const uint8_t *in, uint8_t *out)
{
    const bool last = u->last && c + 1 == u->chunks + u->n;
    const uint8_t *bytes;
    pi_deflate_take(&u->deflate, in, c->in_n);
    const enum pd_code code = pi_deflate_chunk(&u->deflate, last, &bytes, &c->out_n, &u->error);
    if (!code)
        memcpy(out, bytes, c->out_n);
    return code;
}

static void compress(struct pd_job *job)
{
    struct unit *u = (struct unit *)job;
    const uint8_t *in = u->in;
    uint8_t *out = u->out;
    u->error.code = PD_OK;
    for (struct chunk *c = u->chunks; c < u->chunks + u->n; in += c->in_n, out += c->out_n, c++)
        if (c->plain)
            memcpy(out, in, c->out_n = c->in_n);
        else if (compress_chunk(u, c, in, out))
            return;
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
        u->in = pi_resize(p->allocator, NULL, INPUT);
        u->out = pi_resize(p->allocator, NULL, OUTPUT);
        code = u->in && u->out ? pi_deflate_start(&u->deflate, p->allocator, like->level, error)
                               : pi_fail(error, PD_ENOMEM, PD_NOWHERE, "zstd", 0, OUTPUT);
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

/* One more chunk of n bytes. It ends the unit if `last`, or if the next might not fit. */
static void give(struct pi_press *p, const void *bytes, size_t n, bool plain, bool last)
{
    struct unit *u = nth_unit(p, p->head);
    memcpy(u->in + u->in_at, bytes, n);
    u->in_at += n;
    u->chunks[u->n++] = (struct chunk){.in_n = n, .plain = plain};
    u->last = last;
    if (last || u->n == CHUNKS || INPUT - u->in_at < PI_DEFLATE_INPUT)
        start(p, u);
}

void pi_press_give(struct pi_press *p, struct pi_deflate *from, bool last)
{
    give(p, from->in, from->n, false, last);
    from->n = 0;
    if (last)
        from->framed = 0;
}

void pi_press_give_plain(struct pi_press *p, const void *bytes, size_t n)
{
    give(p, bytes, n, true, false);
}

enum pd_code pi_press_take(struct pi_press *p, struct pi_pressed *pressed, struct pd_error *error)
{
    release_oldest(p);
    struct unit *u = nth_unit(p, p->tail);
    *pressed = (struct pi_pressed){0};
    if (p->tail == p->head && u->n)
        start(p, u);
    if (p->tail == p->head)
        return PD_OK;
    p->workers->wait(p->workers->user, &u->job);
    if (u->error.code && error)
        *error = u->error;
    if (u->error.code)
        return u->error.code;
    const struct chunk *c = &u->chunks[u->taken++];
    *pressed = (struct pi_pressed){{u->out + u->out_at, c->out_n}, c->in_n, c->plain};
    u->out_at += c->out_n;
    return PD_OK;
}
