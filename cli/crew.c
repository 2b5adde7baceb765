/* SPDX-License-Identifier: MIT */
/* crew.c - see crew.h. Batches are a ring: given at `head`, begun at `next`, their results written at `tail`. */
#include "crew.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MOST_THREADS 16
#define BATCH_BYTES ((size_t)128 << 10) /* two of the longest records */
#define BATCH_RECORDS 512 /* their text stays in the second cache: with 1024, both threads were half as slow again */
#define BATCHES 4        /* for each thread: with half as many, one often waited for the other to write */
#define MOST_RESULT ((size_t)8 << 20) /* a batch does not keep more memory for the next one */

/* A record as it was framed, and how many follow it in the file that differ in nothing but what their headers say. */
struct frame {
    struct pd_moment when;
    const struct pd_plan *plan;
    const struct pd_attr *attr;
    uint64_t offset, index, inner_offset, payload_size;
    uint32_t at, n, type, attr_index, nr_cpus_avail, member;
    uint16_t misc, size;
    uint8_t depth;
    bool old_feature;
};

/* A record for own(), and how long the results of those before it are. */
struct gap {
    uint32_t frame, nth, from; /* the nth behind the frame, whose bytes begin there */
    size_t at;
};

struct batch {
    bool done;
    size_t n, n_records, n_frames, n_gaps;
    struct pd_out out;
    uint8_t bytes[BATCH_BYTES];
    struct frame frames[BATCH_RECORDS];
    struct gap gaps[BATCH_RECORDS];
};

/* What a thread has for itself. */
struct place {
    struct pd_record rec; /* what is decoded stays, see pd_record.filled_as */
    max_align_t memory[]; /* the job's */
};

struct cli_crew {
    struct cli_crew_job job;
    struct batch **ring;
    size_t n_ring;
    uint64_t head, tail; /* of the caller's thread alone */
    uint64_t next_offset, next_index; /* of the record behind the last one given */
    bool writing;         /* own() may be running */
    struct place *place;  /* of the caller's thread */
    pthread_t threads[MOST_THREADS];
    unsigned n_threads;
    pthread_mutex_t lock; /* of what follows, and of `done` in the batches */
    pthread_cond_t given, done;
    uint64_t ready, next; /* batches before `ready` may be begun, those before `next` are */
    bool stop;
};

/* ---- A batch */

static void revive(const struct batch *b, const struct frame *f, struct pd_record *rec)
{
    rec->type = f->type, rec->misc = f->misc, rec->size = f->size;
    rec->raw = b->bytes + f->at;
    rec->plan = f->plan, rec->attr = f->attr, rec->attr_index = f->attr_index;
    rec->offset = f->offset, rec->index = f->index, rec->inner_offset = f->inner_offset;
    rec->payload_size = f->payload_size;
    rec->nr_cpus_avail = f->nr_cpus_avail;
    rec->member = f->member, rec->depth = f->depth, rec->old_feature = f->old_feature;
    rec->variant = 0;
    rec->has_id = rec->decoded = false;
}

/* The nth record behind the one of a frame. */
static void revive_next(const struct batch *b, const struct frame *f, uint32_t nth, uint32_t from, struct pd_record *rec)
{
    pd_record_frame((enum pd_order)f->plan->order, b->bytes + from, b->n - from, rec, NULL);
    rec->offset = f->offset + (from - f->at);
    rec->index = f->index + nth;
    rec->variant = 0;
    rec->has_id = false;
}

static void run_frame(const struct cli_crew *c, struct batch *b, uint32_t frame, struct place *place)
{
    const struct frame *f = &b->frames[frame];
    struct pd_record *rec = &place->rec;
    uint32_t from = f->at;
    revive(b, f, rec);
    for (uint32_t nth = 0;; nth++) {
        const size_t before = b->out.n;
        if (!c->job.work(c->job.user, place->memory, rec, &f->when, &b->out) || b->out.lost) {
            b->out.n = before;
            b->out.lost = 0;
            b->gaps[b->n_gaps++] = (struct gap){frame, nth, from, before};
        }
        from += rec->size;
        if (nth == f->n)
            return;
        revive_next(b, f, nth + 1, from, rec);
    }
}

static void run(const struct cli_crew *c, struct batch *b, struct place *place)
{
    for (uint32_t i = 0; i < b->n_frames; i++)
        run_frame(c, b, i, place);
}

static void write_some(const struct cli_crew *c, const struct batch *b, size_t from, size_t to)
{
    if (to > from)
        c->job.write(c->job.user, b->out.buf + from, to - from);
}

/* Writes the results, and does what is left to the caller's thread. */
static void write_batch(struct cli_crew *c, struct batch *b)
{
    size_t from = 0;
    c->writing = true;
    for (size_t i = 0; i < b->n_gaps; i++) {
        const struct gap *g = &b->gaps[i];
        const struct frame *f = &b->frames[g->frame];
        write_some(c, b, from, g->at);
        from = g->at;
        revive(b, f, &c->place->rec);
        if (g->nth)
            revive_next(b, f, g->nth, g->from, &c->place->rec);
        c->job.own(c->job.user, &c->place->rec, &f->when);
    }
    write_some(c, b, from, b->out.n);
    c->writing = false;
    b->n = b->n_records = b->n_frames = b->n_gaps = b->out.n = 0;
    if (b->out.cap > MOST_RESULT) {
        free(b->out.buf);
        b->out = (struct pd_out){.more = pd_out_grow};
    }
}

/* ---- The threads */

/* Begins a batch and does it, without the lock. */
static void run_next(struct cli_crew *c, struct place *place)
{
    struct batch *b = c->ring[c->next++ % c->n_ring];
    pthread_mutex_unlock(&c->lock);
    run(c, b, place);
    pthread_mutex_lock(&c->lock);
    b->done = true;
    pthread_cond_signal(&c->done);
}

static struct place *new_place(const struct cli_crew *c)
{
    return calloc(1, sizeof(struct place) + c->job.memory);
}

static void *help(void *user)
{
    struct cli_crew *c = user;
    struct place *place = new_place(c);
    pthread_mutex_lock(&c->lock);
    while (place && !c->stop) {
        if (c->next < c->ready)
            run_next(c, place);
        else
            pthread_cond_wait(&c->given, &c->lock);
    }
    pthread_mutex_unlock(&c->lock);
    free(place);
    return NULL;
}

/* Writes the oldest batch. As long as others have it, works on what nobody has begun. */
static void write_oldest(struct cli_crew *c)
{
    struct batch *b = c->ring[c->tail % c->n_ring];
    pthread_mutex_lock(&c->lock);
    while (!b->done) {
        if (c->next < c->ready)
            run_next(c, c->place);
        else
            pthread_cond_wait(&c->done, &c->lock);
    }
    b->done = false;
    pthread_mutex_unlock(&c->lock);
    write_batch(c, b);
    c->tail++;
}

/* Hands the batch that is being filled to whoever is free; afterwards there is another one to be filled. */
static void hand_over(struct cli_crew *c)
{
    pthread_mutex_lock(&c->lock);
    c->ready = ++c->head;
    pthread_cond_signal(&c->given);
    pthread_mutex_unlock(&c->lock);
    while (c->head - c->tail == c->n_ring)
        write_oldest(c);
}

/* Is the record the neighbour of the last one given, and of the same event? Then its frame needs nothing more. */
static bool follows(const struct cli_crew *c, const struct batch *b, const struct pd_record *rec, const struct pd_moment *when)
{
    const struct frame *f = &b->frames[b->n_frames ? b->n_frames - 1 : 0];
    return b->n_frames && !when && rec->plan && rec->plan == f->plan && rec->attr_index == f->attr_index &&
           rec->offset == c->next_offset && rec->index == c->next_index && rec->member == f->member && !rec->depth && !f->depth &&
           !rec->payload_size && !f->payload_size && !rec->old_feature && !f->old_feature &&
           rec->nr_cpus_avail == f->nr_cpus_avail;
}

static void add_frame(struct batch *b, const struct pd_record *rec, const struct pd_moment *when)
{
    struct frame *f = &b->frames[b->n_frames++];
    if (when)
        f->when = *when;
    f->at = (uint32_t)b->n, f->n = 0;
    f->plan = rec->plan, f->attr = rec->attr, f->attr_index = rec->attr_index;
    f->offset = rec->offset, f->index = rec->index, f->inner_offset = rec->inner_offset;
    f->payload_size = rec->payload_size;
    f->type = rec->type, f->misc = rec->misc, f->size = rec->size;
    f->nr_cpus_avail = rec->nr_cpus_avail, f->member = rec->member;
    f->depth = rec->depth, f->old_feature = rec->old_feature;
}

void cli_crew_give(struct cli_crew *c, const struct pd_record *rec, const struct pd_moment *when)
{
    struct batch *b = c->ring[c->head % c->n_ring];
    if (b->n_records == BATCH_RECORDS || rec->size > BATCH_BYTES - b->n) {
        hand_over(c);
        b = c->ring[c->head % c->n_ring];
    }
    if (follows(c, b, rec, when))
        b->frames[b->n_frames - 1].n++;
    else
        add_frame(b, rec, when);
    memcpy(b->bytes + b->n, rec->raw, rec->size);
    b->n += rec->size;
    b->n_records++;
    c->next_offset = rec->offset + rec->size;
    c->next_index = rec->index + 1;
}

void cli_crew_finish(struct cli_crew *c)
{
    if (c == NULL || c->writing)
        return;
    if (c->ring[c->head % c->n_ring]->n_frames)
        hand_over(c);
    while (c->tail < c->head)
        write_oldest(c);
}

/* ---- Opening and closing */

static bool make_ring(struct cli_crew *c, size_t n)
{
    c->ring = calloc(n, sizeof *c->ring);
    for (c->n_ring = 0; c->ring && c->n_ring < n; c->n_ring++) {
        struct batch *b = calloc(1, sizeof *b);
        if (b == NULL)
            return false;
        b->out.more = pd_out_grow;
        c->ring[c->n_ring] = b;
    }
    return c->ring != NULL;
}

struct cli_crew *cli_crew_new(unsigned threads, const struct cli_crew_job *job)
{
    struct cli_crew *c = threads > 1 ? calloc(1, sizeof *c) : NULL;
    if (c == NULL)
        return NULL;
    threads = threads < MOST_THREADS ? threads : MOST_THREADS;
    c->job = *job;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->given, NULL);
    pthread_cond_init(&c->done, NULL);
    c->place = new_place(c);
    bool ok = c->place && make_ring(c, BATCHES * (size_t)threads);
    while (ok && c->n_threads + 1 < threads && pthread_create(&c->threads[c->n_threads], NULL, help, c) == 0)
        c->n_threads++;
    if (c->n_threads)
        return c;
    cli_crew_free(c);
    return NULL;
}

void cli_crew_free(struct cli_crew *c)
{
    if (c == NULL)
        return;
    if (c->n_threads)
        cli_crew_finish(c);
    pthread_mutex_lock(&c->lock);
    c->stop = true;
    pthread_cond_broadcast(&c->given);
    pthread_mutex_unlock(&c->lock);
    for (unsigned i = 0; i < c->n_threads; i++)
        pthread_join(c->threads[i], NULL);
    for (size_t i = 0; i < c->n_ring; i++) {
        free(c->ring[i]->out.buf);
        free(c->ring[i]);
    }
    free(c->ring);
    free(c->place);
    pthread_cond_destroy(&c->given);
    pthread_cond_destroy(&c->done);
    pthread_mutex_destroy(&c->lock);
    free(c);
}
