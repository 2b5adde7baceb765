/* SPDX-License-Identifier: MIT */
/* batches.c - see batches.h. Batches go round in a ring: filled, hashed, taken. */
#include "batches.h"
#include "src/codec/framed.h"
#include "src/codec/transport.h"
#include "src/container/attrs.h"
#include "src/schema/fail.h"
#include "src/support/memory.h"
#include <perfdata/session/tasks.h>
#include <string.h>

#define RECORDS 1024
#define BYTES ((size_t)192 << 10) /* room for the largest record behind a batch that is large enough */
#define ENOUGH (BYTES - UINT16_MAX)

struct batch {
    struct pd_job job;
    struct pi_canon canon;
    uint8_t *bytes;
    size_t n, n_bytes, taken;
    struct pi_framed framed[RECORDS];
    struct pi_hashed hashed[RECORDS];
    struct pd_record rec;
};

struct pi_batches {
    const struct pd_workers *workers;
    const struct pd_allocator *allocator;
    uint64_t head, tail; /* batches: the one that is filled, the oldest that was not taken */
    size_t n;
    const struct batch *last; /* of the result that was taken last, and its place there */
    size_t last_at;
    struct batch batches[];
};

static struct batch *nth_batch(struct pi_batches *b, uint64_t nth)
{
    return &b->batches[nth % b->n];
}

/* ---- In any thread */

static void hash_record(struct batch *b, size_t i)
{
    struct pi_hashed *h = &b->hashed[i];
    pi_frame_revive(&b->framed[i], b->bytes, &b->rec);
    const enum pd_code code = pi_attrs_decode(&b->rec, NULL);
    h->type = b->rec.type;
    h->damaged = code && code != PD_EUNKNOWN;
    if (pi_is_transport(h->type))
        return;
    pi_canon_record(&b->canon, &b->rec);
    h->hash = pi_canon_end(&b->canon);
    if (!pd_record_time(&b->rec, &h->time))
        h->time = 0;
}

static void hash_batch(struct pd_job *job)
{
    struct batch *b = (struct batch *)job;
    for (size_t i = 0; i < b->n; i++)
        hash_record(b, i);
}

/* ---- In the caller's */

enum pd_code pi_batches_open(struct pi_batches **batches, const struct pd_workers *workers,
                             const struct pd_allocator *allocator, struct pd_error *error)
{
    const size_t n = workers->n + (size_t)2, size = sizeof **batches + n * sizeof(struct batch);
    struct pi_batches *b = *batches = pi_zeros(allocator, size);
    if (b == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "hash", 0, size);
    b->workers = workers;
    b->allocator = allocator;
    b->n = n;
    enum pd_code code = PD_OK;
    for (size_t i = 0; i < n && !code; i++) {
        b->batches[i].job.work = hash_batch;
        b->batches[i].bytes = pi_resize(allocator, NULL, BYTES);
        code = b->batches[i].bytes ? pi_canon_init(&b->batches[i].canon, allocator, error)
                                   : pi_fail(error, PD_ENOMEM, PD_NOWHERE, "hash", 0, BYTES);
    }
    return code;
}

void pi_batches_close(struct pi_batches *b)
{
    for (size_t i = 0; b && i < b->n; i++) {
        b->workers->wait(b->workers->user, &b->batches[i].job);
        pi_canon_free(&b->batches[i].canon);
        pi_release(b->allocator, b->batches[i].bytes);
    }
    if (b)
        pi_release(b->allocator, b);
}

static void start(struct pi_batches *b)
{
    b->workers->start(b->workers->user, &nth_batch(b, b->head++)->job);
}

bool pi_batches_have_room(const struct pi_batches *b)
{
    return b->head - b->tail < b->n;
}

void pi_batches_give(struct pi_batches *b, const struct pd_record *rec)
{
    struct batch *now = nth_batch(b, b->head);
    now->framed[now->n++] = pi_frame_keep(rec, now->n_bytes);
    memcpy(now->bytes + now->n_bytes, rec->raw, rec->size);
    now->n_bytes += rec->size;
    if (now->n == RECORDS || now->n_bytes > ENOUGH)
        start(b);
}

const struct pi_hashed *pi_batches_take(struct pi_batches *b)
{
    struct batch *oldest = nth_batch(b, b->tail);
    if (b->tail == b->head && oldest->n)
        start(b);
    if (b->tail == b->head)
        return NULL;
    if (oldest->taken == 0)
        b->workers->wait(b->workers->user, &oldest->job);
    b->last = oldest;
    b->last_at = oldest->taken++;
    if (oldest->taken == oldest->n) { /* its memory is filled with the next record that is given */
        oldest->n = oldest->n_bytes = oldest->taken = 0;
        b->tail++;
    }
    return &oldest->hashed[b->last_at];
}

void pi_batches_record(const struct pi_batches *b, struct pd_record *rec)
{
    pi_frame_revive(&b->last->framed[b->last_at], b->last->bytes, rec);
}
