/* SPDX-License-Identifier: MIT */
/* ahead.c - see ahead.h. Portions of chunks go round in a ring: found, decompressed, read. */
#include "ahead.h"
#include "src/codec/carried.h"
#include "src/codec/record_role.h"
#include "src/support/memory.h"
#include "src/support/wire.h"
#include <perfdata/constants.h>
#include <string.h>

#define CHUNKS 64                         /* of a portion */
#define ENOUGH ((size_t)64 << 10)         /* bytes of a portion that ends where a frame does */
#define MUCH (2 * ENOUGH)                 /* of one that does not; the last chunk makes it longer */
#define INPUT (MUCH + (size_t)UINT16_MAX) /* most bytes of one */
#define OUTPUT ((size_t)2 << 20)          /* decompressed ones; the others are made when these are read */
#define WINDOW ((size_t)128 << 10)        /* to look for records through */

struct chunk {
    uint64_t offset; /* of its record */
    size_t n;
    size_t begin, end; /* its bytes in `out` so far */
    size_t hint;
    size_t lost; /* bytes that were made, but not given, when there is an error */
    struct pd_error error;
};

struct portion {
    struct pd_job job;
    struct pi_inflate z;
    uint8_t *in, *out;
    struct chunk chunks[CHUNKS];
    size_t n, next; /* chunks; the next to be read */
    size_t in_n, out_n;
    size_t at, in_at; /* the chunk that is decompressed, and its place in `in` */
    bool begun;       /* that one was given to z */
    bool goes_on;     /* needs the state of the portion before */
    bool started, waited;
};

struct pi_ahead {
    const struct pd_workers *workers;
    const struct pd_allocator *allocator;
    struct pi_input in;
    uint64_t at;         /* where the next record is looked for */
    uint64_t head, tail; /* portions: those found, those read */
    bool on;             /* it follows the reader */
    bool over;           /* there are no more chunks to find */
    size_t n;
    struct portion portions[];
};

static struct portion *nth_portion(struct pi_ahead *a, uint64_t nth)
{
    return &a->portions[nth % a->n];
}

/* ---- In any thread */

static bool is_done(const struct portion *p)
{
    return p->at == p->n;
}

/* All that the chunk makes, as far as there is room for it. False: there is not. */
static bool inflate_chunk(struct portion *p, struct chunk *c)
{
    const uint8_t *bytes;
    size_t got = 1;
    enum pd_code code = PD_OK;
    if (!p->begun)
        code = pi_inflate_chunk(&p->z, p->in + p->in_at, c->n, c->offset, &c->error);
    p->begun = true;
    while (!code && got && p->out_n < OUTPUT) {
        const uint64_t before = p->z.position;
        code = pi_inflate_at(&p->z, 1, &bytes, &got, &c->error);
        c->lost = (size_t)(p->z.position - before);
        got = got < OUTPUT - p->out_n ? got : OUTPUT - p->out_n;
        memcpy(p->out + p->out_n, bytes, got);
        pi_inflate_take(&p->z, got);
        p->out_n += got;
    }
    c->end = p->out_n;
    c->hint = p->z.hint;
    return code || got == 0;
}

static void inflate(struct pd_job *job)
{
    struct portion *p = (struct portion *)job;
    while (!is_done(p)) {
        struct chunk *c = &p->chunks[p->at];
        c->begin = p->out_n;
        if (!inflate_chunk(p, c))
            return;
        p->begun = false;
        p->in_at += c->n;
        p->at++;
    }
}

/* ---- Looking for chunks, in the reader's thread */

bool pi_compressed_chunk(const struct pd_record *rec, const struct pd_plan *none, struct pd_bytes *chunk,
                         uint64_t *said)
{
    const bool second = rec->type == PD_RECORD_COMPRESSED2;
    struct pd_record copy = *rec;
    const bool bad = pd_record_decode_framed(none, &copy, NULL);
    if (bad)
        *said = 0;
    else
        *said = second ? copy.u.compressed2.data_size : 0;
    if (bad || (second && copy.rest.n >= 8)) /* it is unclear which bytes are the chunk */
        return false;
    *chunk = second ? copy.u.compressed2.data : copy.u.compressed.data;
    return true;
}

/* The record at a->at, which ends before `end`. False: there is none. */
static bool frame(struct pi_ahead *a, const struct pd_reader *r, uint64_t end, struct pd_record *rec)
{
    const uint8_t *p;
    size_t got;
    const uint64_t left = end - a->at;
    if (pi_input_at(&a->in, a->at, 8, &p, &got, NULL) || got < 8)
        return false;
    const uint16_t size = pi_load16(p + 6, r->info.order);
    if (size > got && pi_input_at(&a->in, a->at, size, &p, &got, NULL))
        return false;
    *rec = (struct pd_record){.offset = a->at};
    return pd_record_frame(r->info.order, p, got < left ? got : (size_t)left, rec, NULL) == PD_OK;
}

/* The next chunk that the reader will come to. False: there are no more before it leaves some out. */
static bool find_chunk(struct pi_ahead *a, const struct pd_reader *r, struct pd_record *rec,
                       struct pd_bytes *chunk)
{
    const uint64_t end = pi_skips_limit(r->skips, r->end);
    uint64_t said;
    while (a->at < end && frame(a, r, end, rec)) {
        if (pi_is_wrapper(rec) && pi_compressed_chunk(rec, &r->attrs.none, chunk, &said))
            return true;
        const uint64_t payload = pi_payload_behind(rec, r->info.order), left = end - a->at - rec->size;
        a->at += rec->size + (payload < left ? payload : left);
    }
    return false;
}

static void add_chunk(struct pi_ahead *a, struct portion *p, const struct pd_record *rec,
                      const struct pd_bytes *chunk)
{
    struct chunk *c = &p->chunks[p->n++];
    *c = (struct chunk){.offset = rec->offset, .n = chunk->n};
    memcpy(p->in + p->in_n, chunk->ptr, chunk->n);
    p->in_n += chunk->n;
    a->at += rec->size;
}

/* Fills the next portion. */
static void find_portion(struct pi_ahead *a, const struct pd_reader *r)
{
    struct portion *p = nth_portion(a, a->head);
    struct pd_record rec;
    struct pd_bytes chunk;
    p->n = p->next = p->in_n = p->out_n = p->at = p->in_at = 0;
    p->begun = p->started = p->waited = p->goes_on = false;
    pi_inflate_reset(&p->z); /* it may have been left with bytes that had no room */
    while (p->n < CHUNKS && p->in_n < MUCH && find_chunk(a, r, &rec, &chunk)) {
        const bool restarts = pi_inflate_restarts(chunk.ptr, chunk.n);
        if (restarts && p->in_n >= ENOUGH)
            break;
        if (p->n == 0)
            p->goes_on = !restarts;
        add_chunk(a, p, &rec, &chunk);
    }
    a->over = p->n == 0;
    a->head += p->n != 0;
}

/* ---- Giving portions to threads */

static void start(struct pi_ahead *a, struct portion *p)
{
    p->started = true;
    a->workers->start(a->workers->user, &p->job);
}

/*
 * Starts all that can be: a portion that goes on with a frame needs the state of the one before, which is
 * known to be done when that is read.
 */
static void start_ready(struct pi_ahead *a)
{
    struct portion *oldest = nth_portion(a, a->tail);
    for (uint64_t i = a->tail; i < a->head; i++) {
        struct portion *p = nth_portion(a, i);
        if (!p->started && !p->goes_on)
            start(a, p);
        if (p->started || i != a->tail + 1 || !oldest->waited || !is_done(oldest))
            continue;
        const struct pi_inflate own = p->z;
        p->z = oldest->z;
        oldest->z = own;
        start(a, p);
    }
}

static void wait_for(struct pi_ahead *a, struct portion *p)
{
    a->workers->wait(a->workers->user, &p->job);
    p->waited = true;
}

/* The oldest portion was read. */
static void leave_portion(struct pi_ahead *a)
{
    start_ready(a);
    a->tail++;
}

/* ---- Reading */

/* The bytes of the chunk that is read, as struct pi_inflated has them. */
static enum pd_code next_bytes(void *user, const uint8_t **p, size_t *n, size_t *hint, struct pd_error *error)
{
    struct portion *now = user;
    const size_t i = now->next - 1;
    struct chunk *c = &now->chunks[i];
    while (c->begin == c->end && now->at <= i) { /* there was no more room */
        now->out_n = 0;
        inflate(&now->job);
    }
    *p = now->out + c->begin;
    *n = c->end - c->begin;
    *hint = c->hint;
    c->begin = c->end;
    if (*n || c->error.code == PD_OK)
        return PD_OK;
    *n = c->lost;
    if (error)
        *error = c->error;
    return c->error.code;
}

/* The portion in which the record's chunk is the next; NULL: none. */
static struct portion *find_record(struct pi_ahead *a, const struct pd_reader *r, const struct pd_record *rec)
{
    if (a->tail < a->head && nth_portion(a, a->tail)->next == nth_portion(a, a->tail)->n)
        leave_portion(a);
    while (!a->over && a->head - a->tail < a->n)
        find_portion(a, r);
    struct portion *p = a->tail < a->head ? nth_portion(a, a->tail) : NULL;
    return p && p->chunks[p->next].offset == rec->offset ? p : NULL;
}

/* Begins at the record, with a frame. */
static enum pd_code begin(struct pi_ahead *a, const struct pd_reader *r, const struct pd_record *rec)
{
    a->in = (struct pi_input){.allocator = a->allocator};
    pi_input_share(&a->in, r->src);
    a->at = rec->offset;
    a->over = false;
    a->on = pi_input_start(&a->in, WINDOW, NULL) == PD_OK;
    return a->on ? PD_OK : PD_ENOMEM;
}

static struct pi_ahead *open_ahead(const struct pd_reader *r)
{
    const size_t n = r->workers->n + (size_t)2, size = sizeof(struct pi_ahead) + n * sizeof(struct portion);
    struct pi_ahead *a = pi_zeros(r->allocator, size);
    bool ok = true;
    if (a == NULL)
        return NULL;
    a->workers = r->workers;
    a->allocator = r->allocator;
    a->n = n;
    for (size_t i = 0; i < n; i++) {
        struct portion *p = &a->portions[i];
        p->job.work = inflate;
        pi_inflate_init(&p->z, r->allocator, r->inflate.limit);
        p->z.max_window = r->inflate.max_window;
        p->in = pi_resize(a->allocator, NULL, INPUT);
        p->out = pi_resize(a->allocator, NULL, OUTPUT);
        ok &= p->in && p->out;
    }
    if (ok)
        return a;
    pi_ahead_free(a);
    return NULL;
}

enum pd_code pi_ahead_chunk(struct pd_reader *r, const struct pd_record *rec, const struct pd_bytes *chunk,
                            struct pd_error *error)
{
    struct portion *p = NULL;
    if (r->workers && r->ahead == NULL && (r->ahead = open_ahead(r)) == NULL)
        r->workers = NULL; /* without memory for it, the reader does it alone */
    struct pi_ahead *a = r->workers && r->src->seekable && !r->old_features ? r->ahead : NULL;
    if (a && a->on && (p = find_record(a, r, rec)) == NULL)
        pi_ahead_reset(a);
    if (a && p == NULL && pi_inflate_restarts(chunk->ptr, chunk->n) && begin(a, r, rec) == PD_OK)
        p = find_record(a, r, rec);
    if (p == NULL)
        return pi_inflate_chunk(&r->inflate, chunk->ptr, chunk->n, rec->offset, error);
    start_ready(a);
    wait_for(a, p);
    start_ready(a);
    p->next++;
    return pi_inflate_given(&r->inflate, chunk->ptr, chunk->n, rec->offset,
                            &(struct pi_inflated){next_bytes, p}, error);
}

void pi_ahead_reset(struct pi_ahead *a)
{
    for (size_t i = 0; a && i < a->n; i++)
        a->workers->wait(a->workers->user, &a->portions[i].job);
    if (a == NULL || !a->on)
        return;
    pi_input_close(&a->in);
    a->head = a->tail = 0;
    a->on = false;
}

void pi_ahead_free(struct pi_ahead *a)
{
    pi_ahead_reset(a);
    for (size_t i = 0; a && i < a->n; i++) {
        pi_inflate_free(&a->portions[i].z);
        pi_release(a->allocator, a->portions[i].in);
        pi_release(a->allocator, a->portions[i].out);
    }
    if (a)
        pi_release(a->allocator, a);
}
