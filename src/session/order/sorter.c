/* SPDX-License-Identifier: MIT */
/*
 * sorter.c - the records of a recording by time.
 *
 * A lane is a stream of records and the queue of those of them that wait. A file has one; its rounds
 * determine how long its records wait. Each member of a directory recording has one; its slack, the largest
 * amount by which a record is behind an earlier one, determines how long its records wait; it is known from a
 * first reading. Lanes are merged by time.
 */
#include "order_queue.h"
#include "clock.h"
#include "scout.h"
#include "sorted_run.h"
#include "src/codec/carried.h"
#include "src/codec/record_role.h"
#include "src/schema/fail.h"
#include "src/container/dir.h"
#include "src/container/reader/sample_run.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include "src/schema/options.h"
#include <perfdata/session/sorter.h>
#include <perfdata/session/tasks.h>
#include <string.h>

#define BATCH 4096 /* least records of a member that are sorted at a time */
#define LANE_LEAST \
    ((size_t)8192) /* bytes that a member's records may wait in, so that few of them need no file */

struct lane {
    struct pd_reader *reader;
    struct pi_queue queue;
    struct pd_clock clock;
    uint64_t slack;  /* of a member: nanoseconds */
    uint64_t newest; /* time read */
    uint64_t held;   /* first records of which none is given before all are read */
    uint64_t pushed; /* into the queue, since the last flush */
    uint32_t member;
    bool draining;     /* the queue gives up to its limit */
    bool ended;        /* the reader has no more */
    enum pd_code code; /* why, unless that is the usual reason */
    struct pd_error error;
    bool in_order;        /* known from a first reading: nothing has to move */
    bool sliding;         /* the slack, not the rounds, tells how long records wait */
    struct pd_record rec; /* its next record, when there are several lanes */
    uint64_t key;         /* that record's place in time */
};

struct pd_sorter {
    const struct pd_allocator *allocator;
    struct pd_reader *reader;
    enum pd_sort_kind kind;
    struct lane *lanes; /* none: PD_SORT_FILE */
    size_t n_lanes;
    uint32_t *heap; /* lanes that have a record, the next at the top */
    size_t n_heap;
    uint32_t *lacking; /* lanes whose record is to be read */
    size_t n_lacking;
    size_t told;                       /* lanes whose error was given */
    struct pi_scout scout;             /* PD_SORT_CAUSAL, as long as samples may pass others */
    uint64_t newest;                   /* time given */
    struct pd_reader *given;           /* the reader at the last record; NULL: it waited */
    uint64_t payload_at, payload_left; /* of one that waited */
    struct pd_sorter_stats stats;
    enum pd_code failed;
    struct pd_error failure;
};

/* ---- One lane */

static enum pd_code own_failure(struct pd_sorter *s, enum pd_code code, struct pd_error *error)
{
    s->failed = code;
    s->failure = *error;
    return code;
}

/* Makes *rec from a record that waited. Its payload is read from its place in the input. */
static inline void revive(struct pd_sorter *s, const struct lane *l, const struct pi_waiting *w,
                          struct pd_record *rec)
{
    if (l->reader->info.order == PD_HOST_ORDER)
        pi_waiting_frame_here(w, rec);
    else
        pi_waiting_frame(w, l->reader->info.order, rec);
    rec->old_feature = false;
    rec->member = l->reader->member;
    if (l->sliding && s->n_lanes == 1 && rec->depth == 0)
        rec->payload_size = pi_payload_behind(rec, l->reader->info.order);
    s->payload_at = rec->offset + rec->size;
    s->payload_left = rec->payload_size;
}

/* Keeps count of the order in which records with a time are given. */
static inline void note(struct pd_sorter *s, struct lane *l, uint32_t type, uint64_t time)
{
    const bool sample = type == PD_RECORD_SAMPLE;
    l->key = time > l->key ? time : l->key;
    if (s->n_lanes > 1 || time == 0)
        return;
    if (time < s->newest && !(s->scout.may && sample))
        s->stats.late++;
    else if (time > s->newest)
        s->newest = time;
    if (!sample && s->scout.may)
        pi_scout_pass(&s->scout);
}

static enum pd_code flush(struct lane *l, uint64_t limit, struct pd_error *error)
{
    l->draining = true;
    l->pushed = 0;
    return pi_queue_flush(&l->queue, limit, error);
}

static bool is_strict(const struct pd_sorter *s)
{
    return s->kind == PD_SORT_STRICT && s->n_lanes == 1;
}

/* PD_SORT_STRICT: what is written anew anyway, and what others must not come before. */
static bool stays_ahead(const struct pd_record *rec)
{
    return pi_is_wrapper(rec) || rec->type == PD_RECORD_HEADER_ATTR || rec->old_feature;
}

/* True if the record is ordered by time. Then *time is its position. */
static bool is_placed(const struct pd_sorter *s, const struct lane *l, const struct pd_record *rec,
                      const struct pd_moment *when, uint64_t *time)
{
    *time = when->time;
    if (when->time || !is_strict(s) || l->in_order || stays_ahead(rec))
        return when->time != 0;
    *time = l->clock.done;
    return l->newest != 0; /* records at the start need not wait */
}

static uint64_t settled(const struct lane *l)
{
    return l->newest > l->slack && l->reader->index >= l->held ? l->newest - l->slack : 0;
}

/* No record that was not read yet comes before this time, and none that was read waits. */
static bool is_settled(const struct lane *l, uint64_t time)
{
    return l->sliding && l->queue.waiting == 0 && time <= settled(l);
}

/*
 * PD_SORT_CAUSAL: does this sample belong between the last side-band that was given and the next? It is not
 * older than the last, since nothing comes late.
 */
static bool in_place(const struct pd_sorter *s, const struct pd_record *rec, uint64_t time)
{
    return s->scout.may && rec->type == PD_RECORD_SAMPLE && time < pi_scout_given(&s->scout);
}

/* PD_SORT_CAUSAL: does each record come behind all before it, so that none has to wait? */
static bool comes_next(const struct pd_sorter *s)
{
    return s->scout.may && s->scout.in_order;
}

/* Who takes samples. NULL: all are given. */
static const struct pi_taker *taker_of(const struct pd_sorter *s)
{
    return s->scout.may ? s->scout.taker : NULL;
}

/* Offers the taker the samples that come next. */
static void offer_run(struct pd_sorter *s, struct lane *l)
{
    const struct pi_taker *t = taker_of(s);
    const uint64_t index = l->reader->index;
    if (t)
        t->take_run(t->user, l->reader, &l->clock, pi_scout_given(&s->scout), s->scout.known);
    s->stats.records += l->reader->index - index;
}

/* True if the taker takes a sample. */
static bool is_taken(struct pd_sorter *s, struct pd_record *rec, uint64_t time)
{
    const struct pi_taker *t = rec->type == PD_RECORD_SAMPLE && time ? taker_of(s) : NULL;
    const bool taken = t && t->take(t->user, rec, time, pi_scout_given(&s->scout));
    s->stats.records += taken;
    return taken;
}

/*
 * True if a record that was just read comes at once. If not, it was put into the queue, or the taker has it.
 */
static enum pd_code put_in_lane(struct pd_sorter *s, struct lane *l, struct pd_record *rec, bool *at_once,
                                struct pd_error *error)
{
    struct pd_moment when;
    const uint64_t limit = l->clock.waiting ? l->clock.limit : 0;
    enum pd_code code = PD_OK;
    pd_clock_stamp(&l->clock, rec, &when);
    uint64_t time;
    const bool placed = is_placed(s, l, rec, &when, &time);
    l->newest = time > l->newest ? time : l->newest;
    *at_once = false;
    if (is_taken(s, rec, when.time))
        return PD_OK;
    *at_once = !placed || comes_next(s) || in_place(s, rec, time) || is_settled(l, time);
    if (*at_once) {
        note(s, l, rec->type, time);
        return rec->type == PD_RECORD_FINISHED_ROUND && limit && !l->sliding ? flush(l, limit, error) : PD_OK;
    }
    s->stats.waited++;
    code = pi_queue_push(&l->queue, rec, time, error);
    if (!code && l->sliding && ++l->pushed >= BATCH && l->pushed >= l->queue.waiting / 2)
        code = flush(l, settled(l), error);
    return code;
}

/* Do samples that have a time wait, whatever it is, unless the slack tells otherwise? */
static bool samples_wait(const struct pd_sorter *s, const struct lane *l)
{
    return l->clock.timed && !l->in_order && !s->scout.may && (!l->sliding || l->reader->index >= l->held);
}

/* How many records may be put into the queue until it is to give those that are settled. */
static uint64_t until_full(const struct lane *l)
{
    const uint64_t batch = l->pushed < BATCH ? BATCH - l->pushed : 1;
    const uint64_t half = l->queue.waiting > 2 * l->pushed + 1 ? l->queue.waiting - 2 * l->pushed - 1 : 1;
    return !l->sliding ? UINT64_MAX : batch > half ? batch : half;
}

/* Where the bytes are that a reader sees: in the file, or all in one COMPRESSED record. */
struct place {
    const uint8_t *start;
    uint64_t offset, inner, index; /* of the record there */
    uint64_t grows;                /* all bits: the offset of those behind it; 0: their inner one */
    bool inside;
};

static struct place place_of(const struct pd_reader *r, const uint8_t *start)
{
    return pi_reader_is_inside(r)
               ? (struct place){start, r->inflate.offset, r->inflate.position, r->index, 0, true}
               : (struct place){start, r->at, 0, r->index, UINT64_MAX, false};
}

/* The sample at p, which is number n from that place on. */
static inline struct pd_record sample_of(const struct pi_samples *run, const struct place *from,
                                         const uint8_t *p, uint64_t n)
{
    const struct pd_event_attr *event = run->events.attr[run->index];
    const uint64_t ahead = (uint64_t)(p - from->start);
    return (struct pd_record){.type = PD_RECORD_SAMPLE,
                              .size = (uint16_t)run->size,
                              .raw = p,
                              .plan = run->plan,
                              .attr = &event->attr,
                              .attr_index = run->index,
                              .offset = from->offset + (ahead & from->grows),
                              .inner_offset = from->inner + (ahead & ~from->grows),
                              .depth = from->inside,
                              .index = from->index + n};
}

/* Apart, so that others need no record in memory. */
__attribute__((noinline)) static enum pd_code push_sample(struct lane *l, struct pi_samples run,
                                                          const struct place *from, const uint8_t *p,
                                                          uint64_t n, struct pd_error *error)
{
    const struct pd_record rec = sample_of(&run, from, p, n);
    uint64_t time;
    memcpy(&time, p + run.plan->time, sizeof time);
    return pi_queue_push(&l->queue, &rec, time, error);
}

/* As put_in_lane(), of samples that follow each other, as far as they wait. */
static enum pd_code push_samples(struct pd_sorter *s, struct lane *l, struct pd_error *error)
{
    struct pd_reader *r = l->reader;
    const uint8_t *stop, *const start = pi_reader_sees(r, &stop), *p = start;
    struct pi_samples run = pi_samples_of(r);
    struct pi_queue_end end = pi_queue_begin(&l->queue);
    const struct place from = place_of(r, start);
    const uint64_t full = until_full(l);
    const bool none = l->queue.waiting == 0;
    enum pd_code code = PD_OK;
    uint64_t n = 0, time, newest = 0;
    while (!code && n < full && pi_samples_next(p, (size_t)(stop - p), &run, &time) && time) {
        l->newest = time > l->newest ? time : l->newest;
        if (n == 0 && none && is_settled(l, time))
            break;
        newest = time > newest ? time : newest;
        const struct pd_record rec = sample_of(&run, &from, p, n);
        if (!pi_queue_append(&end, &rec, time)) {
            pi_queue_finish(&l->queue, &end);
            code = push_sample(l, run, &from, p, n, error);
            end = pi_queue_begin(&l->queue);
        }
        p += run.size;
        n++;
    }
    pi_queue_finish(&l->queue, &end);
    s->stats.waited += n;
    l->pushed += n;
    pi_clock_follow(&l->clock, newest);
    pi_reader_passed(r, p, n);
    return !code && n == full ? flush(l, settled(l), error) : code;
}

/* The next record that waits, if the queue is giving. */
static enum pd_code from_queue(struct pd_sorter *s, struct lane *l, struct pd_record *rec,
                               struct pd_error *error)
{
    const struct pi_waiting *w;
    const enum pd_code code = pi_queue_next(&l->queue, &w, error);
    l->draining = !code && w;
    if (l->draining) {
        revive(s, l, w, rec);
        note(s, l, rec->type, w->time);
    }
    return code;
}

/* The next record of a lane's reader that is not taken. */
static enum pd_code read_next(struct pd_sorter *s, struct lane *l, struct pd_record *rec)
{
    enum pd_code code;
    for (;;) {
        offer_run(s, l);
        if (!s->scout.near)
            return pd_reader_next(l->reader, rec, &l->error);
        if (pi_scout_next(&s->scout, rec))
            return PD_OK;
        if ((code = pi_scout_read_on(&s->scout, &l->error)))
            return code;
    }
}

/* The next record of a lane; *fresh: the reader stands at it. PD_END: no more; l->code may say why. */
static enum pd_code lane_next(struct pd_sorter *s, struct lane *l, struct pd_record *rec, bool *fresh,
                              struct pd_error *error)
{
    for (;;) {
        enum pd_code code = PD_OK;
        *fresh = false;
        if (l->draining && ((code = from_queue(s, l, rec, error)) || l->draining))
            return code ? own_failure(s, code, error) : PD_OK;
        if (l->ended)
            return PD_END;
        if (samples_wait(s, l) && !pi_reader_sees_none(l->reader) && (code = push_samples(s, l, error)))
            return own_failure(s, code, error);
        if (l->draining)
            continue;
        code = read_next(s, l, rec);
        if (pi_reader_goes_on(code) || pd_is_failure(code)) {
            *error = l->error;
            return pi_reader_goes_on(code) ? code : own_failure(s, code, error);
        }
        if (code) {
            l->ended = true;
            l->code = code;
            code = flush(l, UINT64_MAX, error);
        } else {
            code = put_in_lane(s, l, rec, fresh, error);
        }
        if (code)
            return own_failure(s, code, error);
        if (*fresh)
            return PD_OK;
    }
}

/* ---- Several lanes */

static bool lane_before(const struct pd_sorter *s, uint32_t a, uint32_t b)
{
    const struct lane *x = &s->lanes[a], *y = &s->lanes[b];
    return x->key != y->key ? x->key < y->key : a < b;
}

static void heap_put(struct pd_sorter *s, uint32_t lane)
{
    size_t at = s->n_heap++;
    for (; at && lane_before(s, lane, s->heap[(at - 1) / 2]); at = (at - 1) / 2)
        s->heap[at] = s->heap[(at - 1) / 2];
    s->heap[at] = lane;
}

static uint32_t heap_take(struct pd_sorter *s)
{
    const uint32_t top = s->heap[0], last = s->heap[--s->n_heap];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < s->n_heap; at = child) {
        if (child + 1 < s->n_heap && lane_before(s, s->heap[child + 1], s->heap[child]))
            child++;
        if (!lane_before(s, s->heap[child], last))
            break;
        s->heap[at] = s->heap[child];
    }
    s->heap[at] = last;
    return top;
}

/* *rec becomes the record at the top, which stays where its lane has it. */
static void give_top(struct pd_sorter *s, struct lane *l, struct pd_record *rec)
{
    const struct pd_record *from = &l->rec;
    s->payload_left = 0;
    pd_record_frame(l->reader->info.order, from->raw, from->size, rec, NULL);
    rec->offset = from->offset;
    rec->index = from->index;
    rec->inner_offset = from->inner_offset;
    rec->plan = from->plan;
    rec->attr = from->attr;
    rec->attr_index = from->attr_index;
    rec->depth = from->depth;
    rec->old_feature = from->old_feature;
    rec->payload_size = from->payload_size;
    rec->member = l->member;
    s->given = l->reader;
}

static enum pd_code merged_next(struct pd_sorter *s, struct pd_record *rec, struct pd_error *error)
{
    while (s->n_lacking) {
        const uint32_t i = s->lacking[s->n_lacking - 1];
        struct lane *l = &s->lanes[i];
        bool fresh;
        const enum pd_code code = lane_next(s, l, &l->rec, &fresh, error);
        if (code && code != PD_END)
            return code;
        s->n_lacking--;
        if (!code)
            heap_put(s, i);
    }
    if (s->n_heap == 0)
        return PD_END;
    const uint32_t top = heap_take(s);
    s->lacking[s->n_lacking++] = top;
    give_top(s, &s->lanes[top], rec);
    return PD_OK;
}

/* ---- The first reading */

static void note_disorder(struct pd_sorter_stats *stats, const struct lane *l, const struct pd_record *rec,
                          uint64_t time, uint64_t newest)
{
    if (stats->disorder.count++ == 0)
        stats->disorder = (struct pd_disorder){.count = 1,
                                               .index = rec->index,
                                               .offset = rec->offset,
                                               .time = time,
                                               .before = newest,
                                               .type = rec->type,
                                               .member = l->member};
}

/* So many more records have a time, between these two. */
static void note_times(struct pd_sorter_stats *stats, uint64_t n, uint64_t first, uint64_t last)
{
    if (n && (stats->timed == 0 || first < stats->first))
        stats->first = first;
    if (n && last > stats->last)
        stats->last = last;
    stats->timed += n;
}

/* As measure(), of samples that have a time, as far as they follow each other. */
static void measure_samples(struct pd_sorter *s, struct lane *l, uint64_t *records)
{
    struct pd_reader *r = l->reader;
    const uint8_t *stop, *const start = pi_reader_sees(r, &stop), *p = start;
    const struct place from = place_of(r, start);
    struct pi_samples run = pi_samples_of(r);
    uint64_t n = 0, time, newest = l->newest, slack = l->slack, first = UINT64_MAX, last = 0;
    while (l->clock.timed && pi_samples_next(p, (size_t)(stop - p), &run, &time) && time) {
        if (time < newest) {
            const struct pd_record rec = sample_of(&run, &from, p, n);
            slack = newest - time > slack ? newest - time : slack;
            note_disorder(&s->stats, l, &rec, time, newest);
        }
        newest = time > newest ? time : newest;
        first = time < first ? time : first;
        last = time > last ? time : last;
        p += run.size;
        n++;
    }
    if (n == 0)
        return;
    l->newest = newest;
    l->slack = slack;
    note_times(&s->stats, n, first, last);
    pi_clock_follow(&l->clock, last);
    pi_reader_passed(r, p, n);
    *records = r->index;
}

/* The slack of a lane, and the number of records up to its last one. */
static enum pd_code measure(struct pd_sorter *s, struct lane *l, uint64_t *records, struct pd_error *error)
{
    struct pd_record rec = {0};
    struct pd_moment when;
    uint64_t time;
    enum pd_code code;
    for (;;) {
        if (!pi_reader_sees_none(l->reader))
            measure_samples(s, l, records);
        if ((code = pd_reader_next(l->reader, &rec, error)) && !pi_reader_goes_on(code))
            break;
        if (code)
            continue;
        pd_clock_stamp(&l->clock, &rec, &when);
        const bool placed = is_placed(s, l, &rec, &when, &time);
        if (placed && time == 0) /* before all: no slack would be enough */
            l->held = rec.index + 1;
        else if (placed && l->newest > time && l->newest - time > l->slack)
            l->slack = l->newest - time;
        if (when.time)
            note_times(&s->stats, 1, time, time);
        if (when.time && time < l->newest)
            note_disorder(&s->stats, l, &rec, time, l->newest);
        l->newest = time > l->newest ? time : l->newest;
        *records = rec.index + 1;
    }
    l->newest = 0;
    l->in_order = is_strict(s) && s->stats.disorder.count == 0;
    if (l->in_order)
        l->slack = l->held = 0;
    pd_clock_init(&l->clock, l->clock.timed);
    return pd_is_failure(code) ? code : pd_reader_rewind(l->reader, error);
}

/* ---- Opening and closing */

/*
 * A reader of member i as the recording's reader is, which numbers its records from *records on. One that
 * cannot be opened is an end, not a failure.
 */
static enum pd_code open_member(struct pd_sorter *s, uint32_t i, uint64_t *records, struct pd_error *error)
{
    struct pd_reader *r = s->reader;
    const struct pd_reader_options options = {.size = sizeof options,
                                              .allocator = s->allocator,
                                              .window = r->in.cap,
                                              .keep_compressed = r->keep_compressed,
                                              .max_inflate = r->inflate.limit,
                                              .max_window = r->inflate.max_window,
                                              .probe = r->probe.on};
    struct lane *l = &s->lanes[i];
    l->member = i;
    l->code = pd_reader_open_member(&l->reader, r, i, &options, &l->error);
    l->ended = l->code != PD_OK;
    if (!l->ended) {
        pi_reader_number_from(l->reader, *records);
        const enum pd_code code = measure(s, l, records, error);
        return code ? code : pi_dir_take_findings(r, l->reader, error);
    }
    l->error.member = i;
    if (pd_is_failure(l->code) && error)
        *error = l->error;
    return pd_is_failure(l->code) ? l->code : PD_OK;
}

static enum pd_code open_lanes(struct pd_sorter *s, size_t memory, const char *tmpdir, struct pd_error *error)
{
    const size_t members = pd_reader_n_members(s->reader), n = members > 1 ? members : 1;
    const size_t share = n > 1 && memory / n < LANE_LEAST ? LANE_LEAST : memory / n;
    uint64_t records = 0;
    enum pd_code code = PD_OK;
    s->lanes = pi_array(s->allocator, NULL, n, sizeof *s->lanes);
    s->heap = pi_array(s->allocator, NULL, n, 2 * sizeof *s->heap);
    if (s->lanes == NULL || s->heap == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "sorter", 0, n * sizeof *s->lanes);
    s->lacking = s->heap + n;
    for (uint32_t i = 0; i < n && !code; i++) {
        struct lane *l = &s->lanes[s->n_lanes++];
        *l = (struct lane){.reader = n > 1 ? NULL : s->reader, .sliding = n > 1 || s->kind == PD_SORT_STRICT};
        pd_clock_init(&l->clock, pd_clock_is_timed(s->reader));
        s->lacking[s->n_lacking++] = (uint32_t)n - 1 - i;
        code = pi_queue_init(&l->queue, s->allocator, share, tmpdir, error);
        if (!code && n > 1)
            code = open_member(s, i, &records, error);
        else if (!code && l->sliding)
            code = measure(s, l, &records, error);
    }
    return code;
}

static enum pd_code start(struct pd_sorter *s, const struct pd_sorter_options *options,
                          const struct pi_taker *taker, struct pd_error *error)
{
    const size_t memory = options->memory ? options->memory : PI_LIMIT_SORT_MEMORY;
    if (s->kind == PD_SORT_FILE)
        return PD_OK;
    if (s->kind != PD_SORT_TIME && s->kind != PD_SORT_CAUSAL && s->kind != PD_SORT_STRICT)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "kind", (uint64_t)s->kind, 0);
    if (s->kind == PD_SORT_STRICT && !s->reader->in.seekable)
        return pi_fail(error, PD_EUNSUP, 0, "sorting an input that cannot seek", 0, 0);
    enum pd_code code = open_lanes(s, memory, options->tmpdir, error);
    if (!code && s->kind == PD_SORT_CAUSAL && s->n_lanes == 1)
        code = pi_scout_open(&s->scout, s->reader, s->allocator, taker, memory / 32, error);
    return code;
}

enum pd_code pi_sorter_open_taker(struct pd_sorter **sorter, struct pd_reader *reader,
                                  const struct pd_sorter_options *options, const struct pi_taker *taker,
                                  struct pd_error *error)
{
    struct pd_sorter_options own;
    *sorter = NULL;
    enum pd_code code = PI_TAKE_OPTIONS(pd_sorter_options, &own, options, error);
    if (code)
        return code;
    struct pd_sorter *s = pi_resize(own.allocator, NULL, sizeof *s);
    if (s == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "sorter", 0, sizeof *s);
    *s = (struct pd_sorter){.allocator = own.allocator, .reader = reader, .kind = own.kind};
    code = start(s, &own, taker, error);
    if (code)
        pd_sorter_close(s);
    else
        *sorter = s;
    return code;
}

enum pd_code pd_sorter_open(struct pd_sorter **sorter, struct pd_reader *reader,
                            const struct pd_sorter_options *options, struct pd_error *error)
{
    return pi_sorter_open_taker(sorter, reader, options, NULL, error);
}

void pd_sorter_close(struct pd_sorter *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; i < s->n_lanes; i++) {
        pi_queue_free(&s->lanes[i].queue);
        if (s->lanes[i].reader != s->reader)
            pd_reader_close(s->lanes[i].reader);
    }
    pi_release(s->allocator, s->lanes);
    pi_release(s->allocator, s->heap);
    if (s->scout.times)
        pi_scout_close(&s->scout);
    pi_release(s->allocator, s);
}

/* ---- Iterating */

/* After the last record: the errors that ended lanes, each once. */
static enum pd_code ends(struct pd_sorter *s, struct pd_error *error)
{
    while (s->told < s->n_lanes) {
        const struct lane *l = &s->lanes[s->told++];
        if (l->code == PD_OK || l->code == PD_END)
            continue;
        *error = l->error;
        return l->code;
    }
    return PD_END;
}

static enum pd_code next(struct pd_sorter *s, struct pd_record *rec, struct pd_error *error)
{
    bool fresh = true;
    enum pd_code code;
    if (s->n_lanes == 0)
        code = pd_reader_next(s->reader, rec, error);
    else if (s->n_lanes == 1)
        code = lane_next(s, s->lanes, rec, &fresh, error);
    else
        return merged_next(s, rec, error);
    s->given = fresh ? s->reader : NULL;
    return code;
}

/* from_queue() of the only lane, where that takes a few instructions. */
static inline bool next_quick(struct pd_sorter *s, struct pd_record *rec)
{
    struct lane *l = s->lanes;
    const bool may = s->n_lanes == 1 && l->draining && !s->failed;
    const struct pi_waiting *w = may ? pi_queue_next_quick(&l->queue) : NULL;
    if (w == NULL)
        return false;
    revive(s, l, w, rec);
    note(s, l, rec->type, w->time);
    s->given = NULL;
    s->stats.records++;
    return true;
}

size_t pi_sorter_ahead(const struct pd_sorter *s, const struct pi_queue_entry **first)
{
    const bool may = s->n_lanes == 1 && s->lanes->draining && !s->failed && !s->scout.may &&
                     s->reader->info.order == PD_HOST_ORDER;
    *first = NULL;
    return may ? pi_queue_ahead(&s->lanes->queue, first) : 0;
}

void pi_sorter_pass(struct pd_sorter *s, size_t n)
{
    struct lane *l = s->lanes;
    const struct pi_queue_entry *e;
    size_t late = 0;
    if (n == 0 || pi_queue_ahead(&l->queue, &e) < n) /* there are no more than pi_sorter_ahead() said */
        return;
    for (; late < n && e[late].time < s->newest; late++)
        note(s, l, PD_RECORD_SAMPLE, e[late].time);
    if (late < n)
        note(s, l, PD_RECORD_SAMPLE, e[n - 1].time);
    pi_queue_pass(&l->queue, n);
    s->stats.records += n;
    s->payload_left = 0;
    s->given = NULL;
}

/* True if the next record of a lane is the next of its reader, which is known to be in order. */
static bool is_straight(const struct lane *l)
{
    return l->in_order && l->clock.timed && !l->ended && l->queue.waiting == 0;
}

/* The samples at the reader's position. */
static size_t ready_in_window(const struct pd_reader *r, struct pi_ready *ready, size_t most)
{
    const uint8_t *stop, *p = pi_reader_sees(r, &stop);
    const bool inside = pi_reader_is_inside(r);
    struct pi_samples run = pi_samples_of(r);
    size_t n = 0;
    uint64_t time;
    while (n < most && pi_samples_next(p, (size_t)(stop - p), &run, &time) && time &&
           pi_sample_fits(run.plan, p, run.size)) {
        ready[n++] = (struct pi_ready){time, p, (uint16_t)run.size, inside};
        p += run.size;
    }
    return n;
}

size_t pi_sorter_ready(struct pd_sorter *s, struct pi_ready *ready, size_t most)
{
    const struct pi_queue_entry *e;
    const size_t waiting = pi_sorter_ahead(s, &e);
    size_t n = 0;
    if (s->n_lanes == 1 && !s->lanes->draining && !s->failed && !s->scout.may && is_straight(s->lanes) &&
        s->reader->info.order == PD_HOST_ORDER)
        return ready_in_window(s->lanes->reader, ready, most);
    for (; n < most && n < waiting && pi_sorted_is_whole(&e[n]); n++) {
        const struct pi_waiting *w = e[n].waiting;
        ready[n] = (struct pi_ready){e[n].time, w->raw, w->size, w->depth != 0};
    }
    return n;
}

void pi_sorter_pass_ready(struct pd_sorter *s, const struct pi_ready *ready, size_t n)
{
    struct lane *l = s->lanes;
    if (n == 0)
        return;
    if (l->draining) {
        pi_sorter_pass(s, n);
        return;
    }
    const struct pi_ready *last = &ready[n - 1];
    l->newest = last->time > l->newest ? last->time : l->newest;
    note(s, l, PD_RECORD_SAMPLE, last->time);
    pi_clock_follow(&l->clock, last->time);
    pi_reader_passed(l->reader, last->raw + last->size, n);
    s->stats.records += n;
    s->payload_left = 0;
    s->given = l->reader;
}

__attribute__((noinline)) static enum pd_code next_any(struct pd_sorter *s, struct pd_record *rec,
                                                       struct pd_error *error)
{
    struct pd_error spare;
    if (error == NULL)
        error = &spare;
    if (s->failed) {
        *error = s->failure;
        return s->failed;
    }
    s->given = NULL;
    s->payload_left = 0;
    enum pd_code code = next(s, rec, error);
    if (code == PD_END)
        code = ends(s, error);
    else if (!code)
        s->stats.records++;
    return code;
}

enum pd_code pd_sorter_next(struct pd_sorter *s, struct pd_record *rec, struct pd_error *error)
{
    return next_quick(s, rec) ? PD_OK : next_any(s, rec, error);
}

static enum pd_code waited_payload(struct pd_sorter *s, const uint8_t **bytes, size_t *n,
                                   struct pd_error *error)
{
    const uint64_t end = s->reader->end;
    const enum pd_code code = pi_input_at(s->reader->src, s->payload_at, 1, bytes, n, error);
    if (code)
        return code;
    if (s->payload_at >= end)
        *n = 0;
    else if (*n > end - s->payload_at)
        *n = (size_t)(end - s->payload_at);
    if (*n > s->payload_left)
        *n = (size_t)s->payload_left;
    if (*n == 0)
        return pi_fail(error, PD_ETRUNC, s->payload_at, "payload", 0, s->payload_left);
    s->payload_at += *n;
    s->payload_left -= *n;
    return PD_OK;
}

enum pd_code pd_sorter_payload(struct pd_sorter *s, const uint8_t **bytes, size_t *n, struct pd_error *error)
{
    *n = 0;
    if (s->given)
        return pd_reader_payload(s->given, bytes, n, error);
    return s->payload_left ? waited_payload(s, bytes, n, error) : PD_OK;
}

void pd_sorter_get_stats(const struct pd_sorter *s, struct pd_sorter_stats *stats)
{
    *stats = s->stats;
    for (size_t i = 0; i < s->n_lanes; i++) {
        stats->runs += s->lanes[i].queue.n_spilled;
        stats->spilled += s->lanes[i].queue.bytes_spilled;
    }
}
