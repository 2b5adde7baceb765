/* SPDX-License-Identifier: MIT */
/*
 * order_queue.h - records that wait to be sorted by time: copied into chunks of memory; beyond the limit,
 * sorted and spilled as runs.
 * Ring buffers give ascending stretches of records, which are merged when it has to give (stretches.h).
 */
#ifndef PERFDATA_ORDER_QUEUE_H
#define PERFDATA_ORDER_QUEUE_H

#include "spill.h"
#include "src/container/reader/sample_run.h"

struct pi_queue_entry {
    uint64_t time;
    struct pi_waiting *waiting;
};

/* Where the next record may come from: number n is run n, the last one memory. */
struct pi_queue_source {
    uint64_t time;
    size_t number; /* lower numbers have older records */
};

struct pi_queue {
    const struct pd_allocator *allocator;
    size_t memory;                  /* bytes allowed */
    struct pi_queue_entry *entries; /* in memory: [first, n) */
    size_t first, n, cap;
    struct pi_queue_entry *scratch; /* as many as `cap`, or NULL */
    size_t *stretches;              /* where ascending ones begin in entries */
    size_t n_stretches, stretches_cap;
    struct pi_chunk *current, *spare;
    size_t chunk_bytes;
    size_t held; /* bytes of the chunks that records are in */
    struct pi_spill spill;
    struct pi_run *runs; /* those written first, first; levels never ascend */
    size_t n_runs, runs_cap;
    struct pi_queue_source *sources; /* a heap; its top is what was given last, or comes next */
    size_t n_sources, sources_cap;
    bool taken;       /* the top was given and is to be passed over */
    uint64_t limit;   /* of pi_queue_flush() */
    size_t end;       /* of the entries up to the limit, if there are no runs */
    uint64_t waiting; /* records in the queue, including the one given last */
    uint64_t n_spilled, bytes_spilled;
};

/* An empty queue. To be freed also after PD_ENOMEM. */
enum pd_code pi_queue_init(struct pi_queue *q, const struct pd_allocator *allocator, size_t memory,
                           const char *tmpdir, struct pd_error *error);
void pi_queue_free(struct pi_queue *q);

/*
 * Copies a record; not between pi_queue_flush() and the end of what it gives. PD_ENOMEM and PD_ETEMP
 * are final for all functions: the queue can then only be freed.
 */
enum pd_code pi_queue_push(struct pi_queue *q, const struct pd_record *rec, uint64_t time,
                           struct pd_error *error);

/* Memory for records, in the order in which they come; free again when all of them have gone. */
struct pi_chunk {
    struct pi_chunk *next; /* among spare ones */
    size_t size, used;     /* bytes behind this */
    size_t alive;          /* records in it */
};

/* Starts to give all records up to the time `limit`. PD_ENOMEM, PD_ETEMP. */
enum pd_code pi_queue_flush(struct pi_queue *q, uint64_t limit, struct pd_error *error);

/* Frames a record that waited, and sets the fields that pi_waiting keeps; the caller sets the others. */
void pi_waiting_frame(const struct pi_waiting *w, enum pd_order order, struct pd_record *rec);
/* The other way: all but the memory it is in, for which there is room. Its bytes may be there already. */
static inline void pi_waiting_fill(struct pi_waiting *w, const struct pd_record *rec, uint64_t time)
{
    w->time = time;
    w->offset = rec->offset;
    w->index = rec->index;
    w->inner_offset = rec->depth ? rec->inner_offset : 0;
    w->plan = rec->plan;
    w->attr = rec->attr;
    w->attr_index = rec->attr_index;
    w->size = rec->size;
    w->depth = rec->depth;
    if (rec->raw != w->raw)
        memcpy(w->raw, rec->raw, rec->size);
}

/*
 * Pushes records one behind the other in a few instructions each: none is older than the one before, and
 * there is room for them. From pi_queue_begin() to pi_queue_finish(), the queue is to be left alone.
 */
struct pi_queue_end {
    struct pi_queue_entry *next, *stop; /* entries that may be used */
    struct pi_chunk *chunk;
    uint8_t *at, *end; /* of the chunk, what is free */
    uint64_t last;     /* the time of the record before */
};

static inline struct pi_queue_end pi_queue_begin(struct pi_queue *q)
{
    struct pi_chunk *c = q->current;
    const size_t held = q->held < q->memory ? q->memory - q->held : 0;
    const size_t allowed = held / (2 * sizeof *q->entries), most = allowed < q->cap ? allowed : q->cap;
    if (c == NULL || q->n == 0 || most <= q->n)
        return (struct pi_queue_end){0};
    uint8_t *const bytes = (uint8_t *)(c + 1);
    return (struct pi_queue_end){.next = q->entries + q->n,
                                 .stop = q->entries + most,
                                 .chunk = c,
                                 .at = bytes + c->used,
                                 .end = bytes + c->size,
                                 .last = q->entries[q->n - 1].time};
}

/* False: it is to be pushed by pi_queue_push(). */
static inline bool pi_queue_append(struct pi_queue_end *e, const struct pd_record *rec, uint64_t time)
{
    const size_t bytes = pi_waiting_bytes(rec->size);
    if (e->next == e->stop || (size_t)(e->end - e->at) < bytes || e->last > time)
        return false;
    struct pi_waiting *w = (void *)e->at;
    w->chunk = e->chunk;
    pi_waiting_fill(w, rec, time);
    *e->next++ = (struct pi_queue_entry){time, w};
    e->at += bytes;
    e->last = time;
    return true;
}

static inline void pi_queue_finish(struct pi_queue *q, const struct pi_queue_end *e)
{
    if (e->chunk == NULL)
        return;
    const size_t n = (size_t)(e->next - q->entries) - q->n;
    e->chunk->used = (size_t)(e->at - (uint8_t *)(e->chunk + 1));
    e->chunk->alive += n;
    q->n += n;
    q->waiting += n;
}

/*
 * The next record, by time, then by the order in which they were pushed; valid until the next call. *w is
 * NULL when there is none up to the limit. PD_ENOMEM, PD_ETEMP.
 */
enum pd_code pi_queue_next(struct pi_queue *q, const struct pi_waiting **w, struct pd_error *error);

/*
 * The records behind the one given last, if all of the queue are in memory: *first becomes the first of those
 * up to the limit, in the order of pi_queue_next(). They are valid until they are passed. Returns how many.
 */
static inline size_t pi_queue_ahead(const struct pi_queue *q, const struct pi_queue_entry **first)
{
    const bool may = q->taken && q->n_runs == 0;
    *first = may ? q->entries + q->first + 1 : NULL;
    return may ? q->end - q->first - 1 : 0;
}

/* Passes so many records: that behind them all is the one given last. */
void pi_queue_pass(struct pi_queue *q, size_t n);

/* pi_queue_next() in a few instructions, if there are records ahead that are not the last of a chunk. */
static inline const struct pi_waiting *pi_queue_next_quick(struct pi_queue *q)
{
    const struct pi_queue_entry *next;
    if (pi_queue_ahead(q, &next) == 0)
        return NULL;
    struct pi_chunk *c = q->entries[q->first].waiting->chunk;
    if (c->alive == 1)
        return NULL;
    c->alive--;
    q->first++;
    q->waiting--;
    return next->waiting;
}

/* Where the record was, and what it belongs to. */
static inline void pi_waiting_place(const struct pi_waiting *w, struct pd_record *rec)
{
    rec->offset = w->offset;
    rec->index = w->index;
    rec->inner_offset = w->inner_offset;
    rec->plan = w->plan;
    rec->attr = w->attr;
    rec->attr_index = w->attr_index;
    rec->depth = w->depth;
}

/* pi_waiting_frame() of a record in this machine's byte order. */
static inline void pi_waiting_frame_here(const struct pi_waiting *w, struct pd_record *rec)
{
    pi_record_take_header(rec, w->raw);
    pi_waiting_place(w, rec);
}

#endif
