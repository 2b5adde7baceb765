/* SPDX-License-Identifier: MIT */
/*
 * crew.c - see crew.h. Batches are a ring: filled at `head`, begun at `next`, their results written at
 * `tail`. A thread whose result must still wait takes another batch meanwhile.
 */
#include "crew.h"
#include "src/support/limits.h"
#include "src/codec/framed.h"
#include "src/container/reader/skim.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_BYTES ((size_t)128 << 10) /* two of the longest records */
/* Their text stays in the second-level cache: with 1024, both threads took half as long again. */
#define BATCH_RECORDS 512
#define BATCHES 4 /* for each thread: with half as many, one often waited for the other to write */
#define MOST_BATCHES (BATCHES * PI_LIMIT_THREADS)
#define MOST_RESULT ((size_t)8 << 20) /* a batch does not keep more memory for the next one */

/*
 * A framed record, and the number of following records in the file that differ from it only as their headers
 * say.
 */
struct frame {
    struct pi_framed framed;
    uint32_t first, n; /* its number in the batch, number of followers */
};

/* A record for own(), and the length of the results before it. */
struct gap {
    uint32_t frame, nth, from; /* the nth behind the frame, whose bytes begin there */
    size_t at;
};

struct batch {
    struct place *by; /* the thread that has done it; NULL: it is not done */
    size_t n, n_records, n_frames, n_gaps;
    struct pd_out out; /* of that thread */
    uint8_t bytes[BATCH_BYTES];
    struct frame frames[BATCH_RECORDS];
    struct pd_moment when[BATCH_RECORDS]; /* of each record, as far as given */
    struct gap gaps[BATCH_RECORDS];
};

/* The private data of a thread. */
struct place {
    struct pd_record rec; /* decoded fields stay, see pd_record.filled_as */
    /* buffers for results; the last one used is taken first: it is in the cache of this thread's core only */
    struct pd_out out[MOST_BATCHES];
    size_t n_out;
    max_align_t memory[]; /* the job's */
};

struct cli_crew {
    struct cli_crew_job job;
    struct batch **ring;
    size_t n_ring;
    struct place *place; /* of the caller's thread */
    pthread_t threads[PI_LIMIT_THREADS];
    unsigned n_threads;
    /* used by the caller's thread alone */
    uint64_t head;
    uint64_t next_offset, next_index; /* of the record behind the last one given */
    bool owns;                        /* own() may be running */
    bool whole;                       /* write() had not failed at the last check */
    pthread_mutex_t lock;             /* guards the following fields, and `by` in the batches */
    pthread_cond_t work;              /* for the other threads: there is work */
    pthread_cond_t moved;             /* for the caller's: a batch was done or written */
    uint64_t tail, ready, next;       /* batches before `ready` may be begun, those before `next` are */
    bool writing;                     /* a thread is writing the one at `tail` */
    bool failed;                      /* write() has */
    bool stop;
};

/* ---- A batch */

/* pd_record_frame() of what has been framed before. */
static inline void frame_again(enum pd_order order, const uint8_t *raw, struct pd_record *rec)
{
    if (order != PD_HOST_ORDER) {
        pd_record_frame(order, raw, UINT16_MAX, rec, NULL);
        return;
    }
    memcpy(&rec->type, raw, sizeof rec->type);
    memcpy(&rec->misc, raw + 4, sizeof rec->misc);
    memcpy(&rec->size, raw + 6, sizeof rec->size);
    rec->raw = raw;
    rec->decoded = false;
}

/* The nth record behind the one of a frame. */
static inline void revive_next(const struct batch *b, const struct pi_framed *f, uint32_t nth, uint32_t from,
                               struct pd_record *rec)
{
    frame_again((enum pd_order)f->plan->order, b->bytes + from, rec);
    rec->offset = f->offset + (from - f->at);
    rec->index = f->index + nth;
    rec->variant = 0;
    rec->has_id = false;
}

static void run_frame(const struct cli_crew *c, struct batch *b, uint32_t frame, struct place *place)
{
    const struct frame *f = &b->frames[frame];
    struct pd_record *rec = &place->rec;
    uint32_t from = f->framed.at;
    pi_frame_revive(&f->framed, b->bytes, rec);
    for (uint32_t nth = 0;; nth++) {
        const size_t before = b->out.n;
        if (!c->job.work(c->job.user, place->memory, rec, &b->when[f->first + nth], &b->out) || b->out.lost) {
            b->out.n = before;
            b->out.lost = 0;
            b->gaps[b->n_gaps++] = (struct gap){frame, nth, from, before};
        }
        from += rec->size;
        if (nth == f->n)
            return;
        revive_next(b, &f->framed, nth + 1, from, rec);
    }
}

static void run_batch(const struct cli_crew *c, struct batch *b, struct place *place)
{
    for (uint32_t i = 0; i < b->n_frames; i++)
        run_frame(c, b, i, place);
}

static bool write_some(const struct cli_crew *c, const struct batch *b, size_t from, size_t to)
{
    return to == from || c->job.write(c->job.user, b->out.buf + from, to - from);
}

/*
 * Has the caller's thread do its records, and writes the results before them; *from is the start of the rest.
 */
static bool write_gaps(struct cli_crew *c, const struct batch *b, size_t *from)
{
    bool ok = true;
    c->owns = true;
    for (size_t i = 0; i < b->n_gaps; i++) {
        const struct gap *g = &b->gaps[i];
        const struct frame *f = &b->frames[g->frame];
        ok &= write_some(c, b, *from, g->at);
        *from = g->at;
        pi_frame_revive(&f->framed, b->bytes, &c->place->rec);
        if (g->nth)
            revive_next(b, &f->framed, g->nth, g->from, &c->place->rec);
        c->job.own(c->job.user, &c->place->rec, &b->when[f->first + g->nth]);
    }
    c->owns = false;
    return ok;
}

static bool write_batch(struct cli_crew *c, struct batch *b)
{
    size_t from = 0;
    const bool ok = b->n_gaps == 0 || write_gaps(c, b, &from), all = write_some(c, b, from, b->out.n);
    b->n = b->n_records = b->n_frames = b->n_gaps = 0;
    return ok && all;
}

/* ---- The threads. These are called with the lock, and release it while they work. */

static struct batch *nth_batch(const struct cli_crew *c, uint64_t nth)
{
    return c->ring[nth % c->n_ring];
}

static struct pd_out take_buffer(struct place *place)
{
    return place->n_out ? place->out[--place->n_out] : (struct pd_out){.more = pd_out_grow};
}

static void give_back(struct place *place, struct pd_out *out)
{
    if (out->cap > MOST_RESULT) {
        free(out->buf);
        *out = (struct pd_out){.more = pd_out_grow};
    }
    out->n = 0;
    place->out[place->n_out++] = *out;
}

/* Begins a batch and does it. */
static void run_next(struct cli_crew *c, struct place *place)
{
    struct batch *b = nth_batch(c, c->next++);
    b->out = take_buffer(place);
    pthread_mutex_unlock(&c->lock);
    run_batch(c, b, place);
    pthread_mutex_lock(&c->lock);
    b->by = place;
    pthread_cond_signal(&c->moved);
}

/* True if the thread may write the oldest batch now; a batch of another thread only with `others`. */
static bool may_write(const struct cli_crew *c, const struct place *place, bool others)
{
    const struct batch *b = nth_batch(c, c->tail);
    if (c->writing || c->tail == c->next || b->by == NULL)
        return false;
    return b->n_gaps || !c->job.anywhere ? place == c->place : others || b->by == place;
}

static void write_oldest(struct cli_crew *c)
{
    struct batch *b = nth_batch(c, c->tail);
    c->writing = true;
    pthread_mutex_unlock(&c->lock);
    const bool ok = write_batch(c, b);
    pthread_mutex_lock(&c->lock);
    c->writing = false;
    c->failed |= !ok;
    give_back(b->by, &b->out);
    b->by = NULL;
    c->tail++;
    pthread_cond_signal(&c->moved);
    if (c->tail < c->next && nth_batch(c, c->tail)->by)
        pthread_cond_signal(&c->work); /* the thread that did it may be waiting */
}

/*
 * Does the best next work of this thread, which has only its own text in its cache. False: there is nothing
 * to do.
 */
static bool step(struct cli_crew *c, struct place *place)
{
    if (may_write(c, place, false))
        write_oldest(c);
    else if (c->next < c->ready)
        run_next(c, place);
    else if (may_write(c, place, true))
        write_oldest(c);
    else
        return false;
    return true;
}

static struct place *new_place(const struct cli_crew *c)
{
    return calloc(1, sizeof(struct place) + c->job.memory);
}

static void free_place(struct place *place)
{
    for (size_t i = 0; place && i < place->n_out; i++)
        free(place->out[i].buf);
    free(place);
}

static void *help(void *user)
{
    struct cli_crew *c = user;
    struct place *place = new_place(c);
    pthread_mutex_lock(&c->lock);
    while (place && !c->stop)
        if (!step(c, place))
            pthread_cond_wait(&c->work, &c->lock);
    pthread_mutex_unlock(&c->lock);
    free_place(place);
    return NULL;
}

/* Has the caller's thread work until at most this many batches wait to be written. */
static void work_down(struct cli_crew *c, uint64_t most)
{
    while (c->head - c->tail > most)
        if (!step(c, c->place))
            pthread_cond_wait(&c->moved, &c->lock);
    c->whole = !c->failed;
}

/* Hands the current batch to a free thread, and begins another one. */
static void hand_over(struct cli_crew *c)
{
    pthread_mutex_lock(&c->lock);
    c->ready = ++c->head;
    pthread_cond_signal(&c->work);
    while (may_write(c, c->place, false))
        write_oldest(c);
    work_down(c, c->n_ring - 1);
    pthread_mutex_unlock(&c->lock);
}

/*
 * True if the record directly follows the last one given, and has the same event. Then its frame needs
 * nothing more.
 */
static bool follows(const struct cli_crew *c, const struct batch *b, const struct pd_record *rec)
{
    const struct pi_framed *f = &b->frames[b->n_frames ? b->n_frames - 1 : 0].framed;
    return b->n_frames && rec->plan && rec->plan == f->plan && rec->attr_index == f->attr_index &&
           rec->offset == c->next_offset && rec->index == c->next_index && rec->member == f->member &&
           !rec->depth && !f->depth && !rec->payload_size && !f->payload_size && !rec->old_feature &&
           !f->old_feature && rec->nr_cpus_avail == f->nr_cpus_avail;
}

static void add_frame(struct batch *b, const struct pd_record *rec)
{
    b->frames[b->n_frames++] =
        (struct frame){.framed = pi_frame_keep(rec, b->n), .first = (uint32_t)b->n_records};
}

bool cli_crew_give(struct cli_crew *c, const struct pd_record *rec, const struct pd_moment *when)
{
    struct batch *b = nth_batch(c, c->head);
    if (b->n_records == BATCH_RECORDS || rec->size > BATCH_BYTES - b->n) {
        hand_over(c);
        b = nth_batch(c, c->head);
    }
    if (follows(c, b, rec))
        b->frames[b->n_frames - 1].n++;
    else
        add_frame(b, rec);
    if (when)
        b->when[b->n_records] = *when;
    memcpy(b->bytes + b->n, rec->raw, rec->size);
    b->n += rec->size;
    b->n_records++;
    c->next_offset = rec->offset + rec->size;
    c->next_index = rec->index + 1;
    return c->whole;
}

static void stamp_following(const struct cli_crew *c, struct batch *b, struct pd_record *rec, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint16_t size = rec->size;
        frame_again((enum pd_order)rec->plan->order, rec->raw + size, rec);
        rec->offset += size;
        rec->index++;
        c->job.stamp(c->job.user, rec, &b->when[b->n_records + i]);
    }
}

size_t cli_crew_give_following(struct cli_crew *c, struct pd_reader *reader, struct pd_record *rec,
                               uint64_t most, size_t *bytes)
{
    struct batch *b = nth_batch(c, c->head);
    const size_t room = BATCH_RECORDS - b->n_records;
    const size_t n =
        pi_reader_pass(reader, rec, most < room ? (size_t)most : room, BATCH_BYTES - b->n, bytes);
    memcpy(b->bytes + b->n, rec->raw + rec->size, *bytes);
    if (c->job.stamp)
        stamp_following(c, b, rec, n);
    b->n += *bytes;
    b->n_records += n;
    b->frames[b->n_frames - 1].n += (uint32_t)n;
    c->next_offset += *bytes;
    c->next_index += n;
    return n;
}

bool cli_crew_finish(struct cli_crew *c)
{
    if (c == NULL || c->owns)
        return true;
    if (nth_batch(c, c->head)->n_frames)
        hand_over(c);
    pthread_mutex_lock(&c->lock);
    work_down(c, 0);
    pthread_mutex_unlock(&c->lock);
    return c->whole;
}

/* ---- Opening and closing */

static bool make_ring(struct cli_crew *c, size_t n)
{
    c->ring = calloc(n, sizeof *c->ring);
    for (c->n_ring = 0; c->ring && c->n_ring < n; c->n_ring++) {
        struct batch *b = calloc(1, sizeof *b);
        if (b == NULL)
            return false;
        c->ring[c->n_ring] = b;
    }
    return c->ring != NULL;
}

struct cli_crew *cli_crew_new(unsigned threads, const struct cli_crew_job *job)
{
    struct cli_crew *c = threads > 1 ? calloc(1, sizeof *c) : NULL;
    if (c == NULL)
        return NULL;
    threads = threads < PI_LIMIT_THREADS ? threads : PI_LIMIT_THREADS;
    c->job = *job;
    c->whole = true;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->work, NULL);
    pthread_cond_init(&c->moved, NULL);
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
    pthread_cond_broadcast(&c->work);
    pthread_mutex_unlock(&c->lock);
    for (unsigned i = 0; i < c->n_threads; i++)
        pthread_join(c->threads[i], NULL);
    for (size_t i = 0; i < c->n_ring; i++)
        free(c->ring[i]);
    free(c->ring);
    free_place(c->place);
    pthread_cond_destroy(&c->work);
    pthread_cond_destroy(&c->moved);
    pthread_mutex_destroy(&c->lock);
    free(c);
}
