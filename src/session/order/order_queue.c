/* SPDX-License-Identifier: MIT */
/* order_queue.c - sorts the records that wait. */
#include "order_queue.h"
#include "src/schema/fail.h"
#include "src/support/memory.h"
#include <string.h>

#define FAN 32 /* runs of a level that are merged into one of the next */
#define CHUNK_LEAST ((size_t)256)
#define CHUNK_MOST ((size_t)1 << 20)

static enum pd_code no_memory(struct pd_error *error, size_t n)
{
    return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "records that wait", 0, n);
}

/* ---- Chunks */

/* A chunk without records: kept if it is of the usual size. */
static void retire(struct pi_queue *q, struct pi_chunk *c)
{
    q->held -= c->size;
    if (c->size != q->chunk_bytes) {
        pi_release(q->allocator, c);
        return;
    }
    c->next = q->spare;
    q->spare = c;
}

static void let_go(struct pi_queue *q, const struct pi_waiting *w)
{
    struct pi_chunk *c = w->chunk;
    if (--c->alive)
        return;
    c->used = 0;
    if (c != q->current)
        retire(q, c);
}

static struct pi_chunk *new_chunk(struct pi_queue *q, size_t n)
{
    struct pi_chunk *c = q->spare;
    const size_t size = n < q->chunk_bytes ? q->chunk_bytes : n;
    if (c && c->size >= n)
        q->spare = c->next;
    else
        c = pi_resize(q->allocator, NULL, sizeof *c + size);
    if (c)
        *c = (struct pi_chunk){.size = size};
    return c;
}

/* Room for n bytes; NULL: no memory. */
static struct pi_waiting *room(struct pi_queue *q, size_t n)
{
    struct pi_chunk *c = q->current;
    if (c == NULL || c->size - c->used < n) {
        struct pi_chunk *fresh = new_chunk(q, n);
        if (fresh == NULL)
            return NULL;
        if (c && c->alive == 0)
            retire(q, c);
        q->current = c = fresh;
        q->held += c->size;
    }
    struct pi_waiting *w = (void *)((uint8_t *)(c + 1) + c->used);
    c->used += n;
    c->alive++;
    w->chunk = c;
    return w;
}

/* ---- Entries */

static bool reserve(struct pi_queue *q)
{
    if (q->n < q->cap)
        return true;
    pi_release(q->allocator, q->scratch);
    q->scratch = NULL;
    return pi_grow(q->allocator, (void **)&q->entries, q->n, &q->cap, sizeof *q->entries);
}

#define ENTRY struct pi_queue_entry
#define HOLDER struct pi_queue
#include "stretches.h"

static enum pd_code sort(struct pi_queue *q, struct pd_error *error)
{
    if (q->n_stretches > 1 && q->scratch == NULL &&
        (q->scratch = pi_array(q->allocator, NULL, q->cap, sizeof *q->scratch)) == NULL)
        return no_memory(error, q->cap * sizeof *q->scratch);
    merge_stretches(q);
    return PD_OK;
}

/* ---- Sources: a heap of the places that records come from */

static bool before(const struct pi_queue_source *a, const struct pi_queue_source *b)
{
    return a->time != b->time ? a->time < b->time : a->number < b->number;
}

/* Puts the element at `at` in its place below. */
static void sift(struct pi_queue *q, size_t at)
{
    struct pi_queue_source *h = q->sources;
    const struct pi_queue_source moved = h[at];
    for (size_t child; (child = 2 * at + 1) < q->n_sources; at = child) {
        if (child + 1 < q->n_sources && before(&h[child + 1], &h[child]))
            child++;
        if (!before(&h[child], &moved))
            break;
        h[at] = h[child];
    }
    h[at] = moved;
}

static enum pd_code head_of(struct pi_queue *q, size_t number, const struct pi_waiting **w,
                            struct pd_error *error)
{
    if (number < q->n_runs)
        return pi_run_head(&q->runs[number], q->allocator, w, error);
    *w = q->first < q->n ? q->entries[q->first].waiting : NULL;
    return PD_OK;
}

static void pass(struct pi_queue *q, size_t number)
{
    if (number < q->n_runs)
        pi_run_skip(&q->runs[number]);
    else
        let_go(q, q->entries[q->first++].waiting);
    q->waiting--;
}

void pi_queue_pass(struct pi_queue *q, size_t n)
{
    const struct pi_queue_entry *e = q->entries + q->first;
    for (const struct pi_queue_entry *const end = e + n; e < end; e++)
        let_go(q, e->waiting);
    q->first += n;
    q->waiting -= n;
}

/* Makes a heap of sources [from, to) that have something up to the limit. */
static enum pd_code gather(struct pi_queue *q, size_t from, size_t to, struct pd_error *error)
{
    q->n_sources = 0;
    for (size_t i = from; i < to; i++) {
        const struct pi_waiting *w;
        const enum pd_code code = head_of(q, i, &w, error);
        if (code)
            return code;
        if (w == NULL || w->time > q->limit)
            continue;
        if (!pi_grow(q->allocator, (void **)&q->sources, q->n_sources, &q->sources_cap, sizeof *q->sources))
            return no_memory(error, sizeof *q->sources);
        q->sources[q->n_sources++] = (struct pi_queue_source){w->time, i};
    }
    for (size_t i = q->n_sources / 2; i > 0; i--)
        sift(q, i - 1);
    return PD_OK;
}

/* The record of the top source was taken: its next record replaces it, if it has one up to the limit. */
static enum pd_code follow(struct pi_queue *q, struct pd_error *error)
{
    const struct pi_waiting *w;
    const enum pd_code code = head_of(q, q->sources[0].number, &w, error);
    if (code)
        return code;
    if (w && w->time <= q->limit)
        q->sources[0].time = w->time;
    else
        q->sources[0] = q->sources[--q->n_sources];
    if (q->n_sources > 1)
        sift(q, 0);
    return PD_OK;
}

/* ---- Runs */

/* Closes the runs that have nothing left. */
static void sweep(struct pi_queue *q)
{
    size_t kept = 0;
    for (size_t i = 0; i < q->n_runs; i++) {
        const struct pi_run *r = &q->runs[i];
        if (r->first == r->fill && r->at == r->end)
            pi_run_close(&q->runs[i], q->allocator);
        else
            q->runs[kept++] = *r;
    }
    q->n_runs = kept;
}

/* Makes one run of the last FAN ones. */
static enum pd_code merge_runs(struct pi_queue *q, struct pd_error *error)
{
    const size_t from = q->n_runs - FAN;
    const unsigned level = q->runs[from].level + 1;
    struct pi_run merged;
    q->limit = UINT64_MAX;
    enum pd_code code = gather(q, from, q->n_runs, error);
    if (!code)
        code = pi_spill_begin(&q->spill, error);
    while (!code && q->n_sources) {
        const struct pi_waiting *w;
        const size_t number = q->sources[0].number;
        if (!(code = head_of(q, number, &w, error)) && !(code = pi_spill_put(&q->spill, w, error))) {
            pi_run_skip(&q->runs[number]);
            code = follow(q, error);
        }
    }
    if (code || (code = pi_spill_end(&q->spill, &merged, error)))
        return code;
    while (q->n_runs > from)
        pi_run_close(&q->runs[--q->n_runs], q->allocator);
    merged.level = level;
    q->runs[q->n_runs++] = merged;
    q->n_spilled++;
    q->bytes_spilled += merged.end;
    return PD_OK;
}

/* Moves all records in memory to a run. */
static enum pd_code spill(struct pi_queue *q, struct pd_error *error)
{
    if (!pi_grow(q->allocator, (void **)&q->runs, q->n_runs, &q->runs_cap, sizeof *q->runs))
        return no_memory(error, sizeof *q->runs);
    enum pd_code code = sort(q, error);
    if (!code)
        code = pi_spill_begin(&q->spill, error);
    for (; !code && q->first < q->n; q->first++)
        if (!(code = pi_spill_put(&q->spill, q->entries[q->first].waiting, error)))
            let_go(q, q->entries[q->first].waiting);
    if (code || (code = pi_spill_end(&q->spill, &q->runs[q->n_runs], error)))
        return code;
    q->first = q->n = q->n_stretches = 0;
    q->bytes_spilled += q->runs[q->n_runs++].end;
    q->n_spilled++;
    while (!code && q->n_runs >= FAN && q->runs[q->n_runs - FAN].level == q->runs[q->n_runs - 1].level)
        code = merge_runs(q, error);
    return code;
}

/* ---- The queue */

enum pd_code pi_queue_init(struct pi_queue *q, const struct pd_allocator *allocator, size_t memory,
                           const char *tmpdir, struct pd_error *error)
{
    *q = (struct pi_queue){
        .allocator = allocator, .memory = memory, .chunk_bytes = (memory / 16) & ~(size_t)7};
    if (q->chunk_bytes < CHUNK_LEAST)
        q->chunk_bytes = CHUNK_LEAST;
    if (q->chunk_bytes > CHUNK_MOST)
        q->chunk_bytes = CHUNK_MOST;
    return pi_spill_init(&q->spill, allocator, tmpdir, error);
}

void pi_queue_free(struct pi_queue *q)
{
    for (; q->first < q->n; q->first++)
        let_go(q, q->entries[q->first].waiting);
    pi_release(q->allocator, q->current);
    for (struct pi_chunk *c; (c = q->spare); pi_release(q->allocator, c))
        q->spare = c->next;
    for (size_t i = 0; i < q->n_runs; i++)
        pi_run_close(&q->runs[i], q->allocator);
    pi_spill_free(&q->spill);
    pi_release(q->allocator, q->runs);
    pi_release(q->allocator, q->sources);
    pi_release(q->allocator, q->stretches);
    pi_release(q->allocator, q->entries);
    pi_release(q->allocator, q->scratch);
}

/* True if another record, with so many bytes more in chunks, takes more than the memory that is allowed. */
static bool exceeds(const struct pi_queue *q, size_t more)
{
    return q->held + more + 2 * (q->n + 1) * sizeof *q->entries > q->memory;
}

/* Spills if that is what another record of this size needs. */
static enum pd_code make_room(struct pi_queue *q, size_t bytes, struct pd_error *error)
{
    const size_t more = q->current && q->current->size - q->current->used >= bytes ? 0 : bytes;
    return q->n > q->first && exceeds(q, more) ? spill(q, error) : PD_OK;
}

enum pd_code pi_queue_push(struct pi_queue *q, const struct pd_record *rec, uint64_t time,
                           struct pd_error *error)
{
    const size_t bytes = pi_waiting_bytes(rec->size);
    struct pi_queue_end end = pi_queue_begin(q);
    if (pi_queue_append(&end, rec, time)) {
        pi_queue_finish(q, &end);
        return PD_OK;
    }
    const enum pd_code code = make_room(q, bytes, error);
    struct pi_waiting *w = !code && reserve(q) ? room(q, bytes) : NULL;
    if (w == NULL)
        return code ? code : no_memory(error, bytes);
    pi_waiting_fill(w, rec, time);
    struct pi_queue_entry *place = place_entry(q, time);
    if (place == NULL) {
        let_go(q, w);
        return no_memory(error, sizeof *q->stretches);
    }
    *place = (struct pi_queue_entry){time, w};
    q->waiting++;
    return PD_OK;
}

enum pd_code pi_queue_flush(struct pi_queue *q, uint64_t limit, struct pd_error *error)
{
    const enum pd_code code = sort(q, error);
    q->limit = limit;
    q->taken = false;
    q->end = q->n && !code ? q->first + first_newer(q->entries + q->first, q->n - q->first, limit) : 0;
    return code ? code : gather(q, 0, q->n_runs + 1, error);
}

/* No records are left up to the limit: the later ones move to the front. */
static void settle(struct pi_queue *q)
{
    q->n -= q->first;
    if (q->first && q->n)
        memmove(q->entries, q->entries + q->first, q->n * sizeof *q->entries);
    q->first = 0;
    q->n_stretches = q->n ? 1 : 0;
    sweep(q);
}

enum pd_code pi_queue_next(struct pi_queue *q, const struct pi_waiting **w, struct pd_error *error)
{
    enum pd_code code = PD_OK;
    *w = NULL;
    if (q->taken) {
        pass(q, q->sources[0].number);
        code = follow(q, error);
    }
    q->taken = !code && q->n_sources;
    if (q->taken)
        code = head_of(q, q->sources[0].number, w, error);
    else if (!code)
        settle(q);
    return code;
}

void pi_waiting_frame(const struct pi_waiting *w, enum pd_order order, struct pd_record *rec)
{
    pd_record_frame(order, w->raw, w->size, rec, NULL);
    pi_waiting_place(w, rec);
}
