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
void pi_waiting_fill(struct pi_waiting *w, const struct pd_record *rec, uint64_t time);

/*
 * The next record, by time, then by the order in which they were pushed; valid until the next call. *w is
 * NULL when there is none up to the limit. PD_ENOMEM, PD_ETEMP.
 */
enum pd_code pi_queue_next(struct pi_queue *q, const struct pi_waiting **w, struct pd_error *error);

/*
 * pi_queue_next() in a few instructions, if all records are in memory, and neither the first nor the last of
 * a chunk or up to the limit is concerned; else NULL.
 */
static inline const struct pi_waiting *pi_queue_next_quick(struct pi_queue *q)
{
    const size_t next = q->first + 1;
    if (!q->taken || q->n_runs || next >= q->n || q->entries[next].time > q->limit)
        return NULL;
    struct pi_chunk *c = q->entries[q->first].waiting->chunk;
    if (c->alive == 1)
        return NULL;
    c->alive--;
    q->first = next;
    q->waiting--;
    return q->entries[next].waiting;
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
