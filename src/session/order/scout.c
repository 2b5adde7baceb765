/* SPDX-License-Identifier: MIT */
/* scout.c - see scout.h. */
#include "scout.h"
#include "clock.h"
#include "src/container/reader/sample_run.h"
#include "src/schema/fail.h"
#include "src/session/counts.h"
#include "src/support/limits.h"
#include "src/support/memory.h"

#define REACH_FIRST ((size_t)1 << 20)
#define FETCHED ((size_t)1024) /* bytes ahead: to wait for each header's memory was a tenth of an export */

/* ---- Times of side-band */

static bool put_time(struct pi_scout *s, uint64_t time)
{
    if (!pi_grow(s->allocator, (void **)&s->times, s->n_times, &s->cap_times, sizeof *s->times))
        return false;
    uint64_t *const a = s->times;
    size_t at = s->n_times++;
    for (; at && a[(at - 1) / 2] > time; at = (at - 1) / 2)
        a[at] = a[(at - 1) / 2];
    a[at] = time;
    return true;
}

void pi_scout_pass(struct pi_scout *s)
{
    if (s->n_times == 0) /* the input has changed meanwhile */
        return;
    uint64_t *const a = s->times;
    const size_t n = --s->n_times;
    const uint64_t moved = a[n];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        child += child + 1 < n && a[child + 1] < a[child];
        if (a[child] >= moved)
            break;
        a[at] = a[child];
    }
    a[at] = moved;
}

/* ---- Records */

/* True if a sample of an event that has come since counts from the sample before on. */
static bool has_counters(struct pi_scout *s)
{
    const size_t first = s->n_events;
    s->n_events = pd_reader_n_attrs(s->reader);
    return first < s->n_events && pi_counts_are_read(s->reader, first);
}

/* Notes a record, and whether it permits that samples pass others. */
static enum pd_code collect(struct pi_scout *s, struct pd_record *rec, struct pd_error *error)
{
    struct pd_moment when;
    pd_clock_stamp(&s->clock, rec, &when);
    s->in_order &= when.time == 0 || when.time >= s->last;
    s->last = when.time ? when.time : s->last;
    const bool sample = rec->type == PD_RECORD_SAMPLE, late = when.time && when.time < s->clock.done;
    const bool untimed = when.time == 0 && s->clock.newest && rec->type < PD_RECORD_HEADER_ATTR;
    s->may = !late && !untimed && !has_counters(s);
    if (s->taker && !sample && s->may && !s->taker->ahead(s->taker->user, rec, &when))
        s->taker = NULL;
    if (when.time == 0 || sample || !s->may)
        return PD_OK;
    s->may = s->n_times < s->most;
    return !s->may || put_time(s, when.time)
               ? PD_OK
               : pi_fail(error, PD_ENOMEM, PD_NOWHERE, "times", 0, s->cap_times * 2 * sizeof *s->times);
}

/* Passes samples that have a time and are not late: collect() would do no more with them. */
static void pass_samples(struct pi_scout *s)
{
    struct pd_reader *r = s->reader;
    const uint8_t *stop, *p = pi_reader_sees(r, &stop);
    struct pi_samples run = pi_samples_of(r);
    uint64_t n = 0, time, newest = s->clock.waiting ? s->clock.newest : 0, last = s->last;
    const uint64_t done = s->clock.done;
    bool in_order = s->in_order;
    while (pi_samples_next(p, (size_t)(stop - p), &run, &time) && time && time >= done) {
        in_order &= time >= last;
        last = time;
        newest = time > newest ? time : newest;
        p += run.size;
        __builtin_prefetch(p + FETCHED);
        n++;
    }
    s->in_order = in_order;
    s->last = last;
    pi_clock_follow(&s->clock, newest);
    pi_reader_passed(r, p, n);
}

/* ---- To the end */

/* Reads all as far as samples may pass. PD_END; a failure; or what ended the reader, which tells it again. */
static enum pd_code read_all(struct pi_scout *s, struct pd_error *error)
{
    struct pd_record rec = {0};
    while (s->may) {
        pass_samples(s);
        enum pd_code code = pd_reader_next(s->reader, &rec, error);
        if (pi_reader_goes_on(code))
            continue;
        if (code || (code = collect(s, &rec, error)))
            return code;
    }
    return PD_END;
}

static void go_to(struct pd_reader *r, uint64_t at, uint64_t index)
{
    pi_reader_move(r, at);
    r->index = index;
}

/* Reads all that is left, with the reader, which then continues where it was. */
static enum pd_code read_rest(struct pi_scout *s, struct pd_error *error)
{
    struct pd_reader *r = s->reader;
    const uint64_t at = r->at, index = r->index;
    const bool begun = s->near;
    s->near = false;
    if (begun)
        go_to(r, s->at, s->index);
    enum pd_code code = read_all(s, error);
    if (pd_is_failure(code) || (code = pd_reader_rewind(r, error)))
        return code;
    if (begun)
        go_to(r, at, index);
    s->known = UINT64_MAX;
    return PD_OK;
}

/* ---- Near the reader */

/* Reads the records that are visible up to an offset. */
static enum pd_code read_visible(struct pi_scout *s, uint64_t to, struct pd_error *error)
{
    struct pd_reader *r = s->reader;
    const uint64_t at = r->at, index = r->index;
    struct pd_record rec = {0};
    enum pd_code code = PD_OK;
    pi_reader_stand(r, s->at, s->index, to);
    for (;;) {
        pass_samples(s);
        if (!s->may || !pi_reader_next_near(r, &rec))
            break;
        if ((code = collect(s, &rec, error)))
            break;
    }
    s->at = r->at;
    s->index = r->index;
    s->known = s->clock.done;
    pi_reader_stand(r, at, index, s->at);
    return code;
}

bool pi_scout_next(struct pi_scout *s, struct pd_record *rec)
{
    uint64_t time;
    if (!pi_reader_next_near(s->reader, rec))
        return false;
    if (!pi_known_time(rec, &time) || time < s->known)
        return true;
    pi_reader_again(s->reader, rec);
    return false;
}

/*
 * Visible bytes that are read again are moved to the front first. They are few: records up to the newest
 * time before the last ends of rounds are known, so that at most twice in a reach the reader stays where it
 * is.
 */
enum pd_code pi_scout_read_on(struct pi_scout *s, struct pd_error *error)
{
    struct pd_reader *r = s->reader;
    uint64_t to;
    if (r->at == s->from && r->src->next) /* the same again would not be enough */
        s->reach *= 2;
    s->from = r->at;
    if (s->reach > s->farthest || !pi_reader_look(r, s->reach, &to))
        return read_rest(s, error);
    enum pd_code code = read_visible(s, to, error);
    s->near = s->may;
    if (code || !s->may)
        return code;
    if (s->at == r->end) {
        s->near = false;
        s->known = UINT64_MAX;
    } else if (to == r->end || to - s->at > UINT16_MAX) { /* a record as it may be would have been read */
        return read_rest(s, error);
    }
    return PD_OK;
}

enum pd_code pi_scout_open(struct pi_scout *s, struct pd_reader *reader, const struct pd_allocator *allocator,
                           const struct pi_taker *taker, size_t most, struct pd_error *error)
{
    const size_t farthest = reader->window ? reader->window : PI_LIMIT_SORT_AHEAD;
    *s = (struct pi_scout){.allocator = allocator,
                           .reader = reader,
                           .taker = taker,
                           .at = reader->at,
                           .index = reader->index,
                           .from = PD_NOWHERE,
                           .reach = farthest < REACH_FIRST ? farthest : REACH_FIRST,
                           .farthest = farthest,
                           .most = most,
                           .in_order = true};
    pd_clock_init(&s->clock, pd_clock_is_timed(reader));
    s->may = s->clock.timed && reader->in.seekable && !has_counters(s);
    s->near = s->may && pi_reader_may_look(reader);
    return s->may && !s->near ? read_rest(s, error) : PD_OK;
}

void pi_scout_close(struct pi_scout *s)
{
    pi_release(s->allocator, s->times);
    s->times = NULL;
    s->n_times = s->cap_times = 0;
}
