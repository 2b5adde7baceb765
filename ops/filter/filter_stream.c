/* SPDX-License-Identifier: MIT */
/*
 * filter_stream.c - filters a live pipe stream in one pass. A record is written at once unless its selection
 * depends on a task: then it, and all records behind it, wait until all earlier records in perf's order have
 * been read. That is the case at the end of the round that follows its own.
 */
#include "src/schema/fail.h"
#include "src/container/reader/reader_internal.h"
#include "filter.h"
#include "ops/output/payload.h"
#include "src/support/limits.h"
#include "src/schema/options.h"
#include "src/session/order/order_queue.h"
#include "src/session/tasks/task_flow.h"

/* Marks in the depth of what waits. */
enum { PAYLOAD = 64, OLD_FEATURE = 128 };

struct stream {
    struct pi_filtering *f;
    struct pi_queue queue;    /* by key, that is in the order of the stream */
    uint64_t key;             /* of the records of this round */
    struct pd_clock in, out;  /* of what is read, and of what is written */
    struct pd_moment settled; /* no earlier records will come */
    uint64_t cut;             /* index of a record that the input ends in */
    bool begun;
};

/* ---- Writing waiting records */

static void revive(const struct stream *s, const struct pi_waiting *w, struct pd_record *rec)
{
    pi_waiting_frame(w, s->f->reader->info.order, rec);
    rec->depth = w->depth & 1;
    rec->old_feature = w->depth & OLD_FEATURE;
    rec->payload_size = 0; /* it waits behind the record */
    rec->member = 0;
}

static enum pd_code put_record(struct stream *s, struct pd_record *rec)
{
    struct pd_moment when;
    pd_clock_stamp(&s->out, rec, &when);
    return pi_filter_copy(s->f, rec, &when);
}

static enum pd_code write_waiting(struct stream *s, const struct pi_waiting *w)
{
    struct pd_record rec = {0};
    if (w->index == s->cut)
        return PD_OK;
    if (w->depth == PAYLOAD)
        return s->f->kept ? pi_output_payload(&s->f->out, w->raw, w->size) : PD_OK;
    revive(s, w, &rec);
    return put_record(s, &rec);
}

static enum pd_code release(struct stream *s, uint64_t key)
{
    const struct pi_waiting *w;
    if (s->queue.waiting == 0)
        return PD_OK;
    enum pd_code code = pi_queue_flush(&s->queue, key, s->f->error);
    while (!code && (code = pi_queue_next(&s->queue, &w, s->f->error)) == PD_OK && w)
        code = write_waiting(s, w);
    return code;
}

static enum pd_code settle(struct stream *s, const struct pd_moment *until)
{
    return pi_tasks_settle(s->f->tasks, until) ? PD_OK
                                               : pi_fail(s->f->error, PD_ENOMEM, PD_NOWHERE, "tasks", 0, 0);
}

/* No records older than those read will come: all can be written. */
static enum pd_code release_all(struct stream *s)
{
    enum pd_code code = s->f->tasks ? settle(s, NULL) : PD_OK;
    if (!code)
        code = release(s, UINT64_MAX);
    if (!code && s->f->tasks)
        pi_tasks_forget(s->f->tasks, NULL);
    return code;
}

/*
 * A round has ended: perf processes all up to the newest time of the round before, and with it the whole of
 * that round. The records of the round that has ended may be as old as what was processed when it began.
 */
static enum pd_code end_round(struct stream *s)
{
    const struct pd_moment since = s->settled;
    s->settled = (struct pd_moment){.at = s->in.done, .round = s->in.round};
    s->key++;
    enum pd_code code = settle(s, &s->settled);
    if (!code)
        code = release(s, s->key - 2);
    pi_tasks_forget(s->f->tasks, &since);
    return code;
}

/* ---- Records that are read wait, or not */

static enum pd_code keep_waiting(struct stream *s, const struct pd_record *rec)
{
    struct pd_record copy = *rec;
    copy.depth = (uint8_t)(rec->depth | (rec->old_feature ? OLD_FEATURE : 0));
    return pi_queue_push(&s->queue, &copy, s->key, s->f->error);
}

struct waiting_payload {
    struct stream *s;
    struct pd_record piece;
};

/* Pieces are cut to what the queue takes for a record. */
static enum pd_code keep_piece(void *user, const uint8_t *bytes, size_t n)
{
    struct waiting_payload *p = user;
    enum pd_code code = PD_OK;
    for (size_t now; !code && n; bytes += now, n -= now) {
        now = n < UINT16_MAX ? n : UINT16_MAX;
        p->piece.raw = bytes;
        p->piece.size = (uint16_t)now;
        code = pi_queue_push(&p->s->queue, &p->piece, p->s->key, p->s->f->error);
    }
    return code;
}

/* A record and its payload, which may be truncated: then the record is not written at all. */
static enum pd_code take_payload(struct stream *s, const struct pd_record *rec, bool *over)
{
    struct waiting_payload p = {s, {.depth = PAYLOAD, .offset = rec->offset, .index = rec->index}};
    struct pd_error what = {.code = PD_OK};
    enum pd_code code = keep_waiting(s, rec);
    if (!code)
        code = pi_copy_payload(s->f->reader, NULL, keep_piece, &p, &what);
    if (what.code == PD_OK)
        return code;
    s->cut = rec->index;
    return pi_filter_damage(s->f, &what, over);
}

/* True if the selection of the record depends on a task. */
static bool asks_for_task(const struct stream *s, const struct pd_record *rec)
{
    switch (pi_role_of(rec)) {
    case PI_ROLE_SAMPLE:
    case PI_ROLE_WITH_TASK: return true;
    case PI_ROLE_OF_TASK: return s->f->options->sideband == PD_SIDEBAND_NONE;
    default: return false;
    }
}

/* The records before all those that need the events. */
static bool is_head(const struct pd_record *rec)
{
    return pi_is_of_head(rec);
}

static enum pd_code add_names(struct pi_filtering *f, const struct pd_filter_lists *lists)
{
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < lists->n_comms; i++)
        code = pi_tasks_add_name(f->tasks, lists->comms[i], f->error);
    return code;
}

/* For names it is enough to know whether they are listed. */
static enum pd_code follow_tasks(struct pi_filtering *f)
{
    enum pd_code code = pd_tasks_new(&f->tasks, f->options->allocator, f->error);
    if (!code)
        code = add_names(f, &f->options->keep);
    if (!code)
        code = add_names(f, &f->options->drop);
    if (!code)
        code = pi_tasks_flow(f->tasks, f->error);
    if (!code)
        code = pi_criteria_names(&f->keep, f->tasks, f->error);
    return code ? code : pi_criteria_names(&f->drop, f->tasks, f->error);
}

/* The events are known. */
static enum pd_code begin(struct stream *s)
{
    struct pi_filtering *f = s->f;
    s->begun = true;
    if (f->options->begin && !f->options->begin(f->options->user))
        return pi_fail(f->error, PD_EARG, PD_NOWHERE, "begin", 0, 0);
    enum pd_code code = PI_TAKE_OPTIONS(pd_filter_options, f->asked, f->given, f->error);
    if (!code && pi_filter_asks_order(f))
        code = pi_fail(f->error, PD_EUNSUP, 0, "lists for an input that cannot seek", 0, 0);
    if (!code)
        code = pi_filter_lists_init(f);
    if (!code && (f->keep.names.n_patterns || f->drop.names.n_patterns))
        code = pi_fail(f->error, PD_EUNSUP, 0, "patterns of names for an input that cannot seek", 0, 0);
    if (!code && f->ask_tasks)
        code = follow_tasks(f);
    if (!code)
        code = pi_output_begin(&f->out);
    return code ? code : release_all(s);
}

/* Writes a record, or lets it wait. */
static enum pd_code pass(struct stream *s, struct pd_record *rec, bool *over)
{
    const bool waits = !s->begun || s->queue.waiting || (s->f->tasks && asks_for_task(s, rec));
    if (rec->payload_size)
        return take_payload(s, rec, over);
    return waits ? keep_waiting(s, rec) : put_record(s, rec);
}

static enum pd_code take(struct stream *s, struct pd_record *rec, bool *over)
{
    struct pi_filtering *f = s->f;
    const uint32_t round = s->in.round;
    struct pd_moment when;
    if (!s->begun && is_head(rec) && f->options->head)
        f->options->head(f->options->user, rec);
    enum pd_code code = s->begun || is_head(rec) ? PD_OK : begin(s);
    pd_clock_stamp(&s->in, rec, &when);
    if (code || pi_role_of(rec) == PI_ROLE_WRAPPER)
        return code ? code : pi_output_wrapper(&f->out, rec);
    if (f->tasks)
        code = pi_filter_collect(f, rec, &when);
    if (!code)
        code = pass(s, rec, over);
    if (code || !s->begun)
        return code;
    if (f->tasks && s->in.waiting)
        return s->in.round != round ? end_round(s) : PD_OK;
    return release_all(s);
}

/* ---- All of it */

static enum pd_code take_all(struct stream *s)
{
    struct pd_record rec = {0};
    struct pd_error what;
    bool over = false;
    enum pd_code code = PD_OK;
    while (!code && !over) {
        const enum pd_code next = pd_reader_next(s->f->reader, &rec, &what);
        if (next == PD_END)
            break;
        code = next ? pi_filter_damage(s->f, &what, &over)
                    : pi_offcpu_learn(&s->f->names, s->f->reader, &rec, s->f->error);
        if (!code && !next)
            code = take(s, &rec, &over);
        if (!next)
            pi_progress_record(&s->f->progress, &rec);
    }
    if (!code && !s->begun)
        code = begin(s);
    return code ? code : release_all(s);
}

enum pd_code pi_filter_stream(struct pi_filtering *f)
{
    struct stream s = {.f = f, .key = 2, .cut = PD_NOWHERE};
    f->flowing = f->last_pass = true;
    pd_clock_init(&s.in, true);
    pd_clock_init(&s.out, true);
    enum pd_code code = pi_queue_init(&s.queue, f->options->allocator, PI_LIMIT_SORT_MEMORY, NULL, f->error);
    if (!code)
        code = take_all(&s);
    pi_queue_free(&s.queue);
    return code ? code : pi_output_end(&f->out);
}
