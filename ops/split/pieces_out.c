/* SPDX-License-Identifier: MIT */
/* pieces_out.c - writes a piece, and carries records from one to the next. */
#include "pieces.h"
#include "ops/output/payload.h"
#include "ops/output/rounds.h"
#include "src/schema/fail.h"
#include "src/session/record_words.h"
#include "src/support/limits.h"
#include "src/support/wire.h"
#include <perfdata/session/sorter.h>

/* The time by which perf sorts a record; false: it has none. */
bool pi_cut_time(const struct pi_cutting *c, const struct pd_record *rec, uint64_t *time)
{
    return c->timed && pi_known_time(rec, time);
}

static void report(struct pi_cutting *c, const struct pd_error *what)
{
    c->stats->damaged = true;
    if (c->options->finding)
        c->options->finding(c->options->user, what);
}

/* ---- A piece */

/* Counts this number of input bytes as repeated in one more piece. */
static enum pd_code copy_again(struct pi_cutting *c, uint64_t n)
{
    if (n > c->most_copied - c->copied)
        return pi_fail(c->error, PD_ELIMIT, PD_NOWHERE, "bytes of copies in all pieces", c->copied + n,
                       c->most_copied);
    c->copied += n;
    return PD_OK;
}

enum pd_code pi_cut_begin(struct pi_cut *p, struct pi_cutting *c, uint64_t number, uint32_t key)
{
    const enum pd_code code = c->stats->pieces ? copy_again(c, c->around) : PD_OK;
    if (code)
        return code;
    *p = (struct pi_cut){.c = c, .piece = {.number = number, .key = key}, .open = true, .rounds = c->rounds};
    pi_cut_cgroup_name(c, &p->piece);
    const int e = c->options->open(c->options->user, &p->piece, &p->sink);
    if (e)
        return pi_fail(c->error, PD_EOUT, PD_NOWHERE, NULL, (uint64_t)e, 0);
    p->closing = true;
    p->out = (struct pi_output){
        .sections = {.reader = c->reader, .error = c->error}, .sink = &p->sink, .options = c->output};
    c->stats->pieces++;
    return pi_output_begin(&p->out);
}

#define ROUND sizeof(struct pi_record_header) /* of its end, which has nothing else */

/* Ends of rounds, many at once where that gives the same. */
static enum pd_code put_ends(struct pi_cut *p, uint64_t n)
{
    uint8_t bytes[64 * ROUND];
    struct pd_record rec = {0};
    const bool direct = pi_output_is_direct(&p->out);
    const uint64_t most = direct ? sizeof bytes / ROUND : 1;
    enum pd_code code = PD_OK;
    pi_round_make(bytes, pd_reader_info(p->c->reader)->order, &rec);
    for (uint64_t i = 1; i < n && i < most; i++)
        memcpy(bytes + i * ROUND, bytes, ROUND);
    for (uint64_t k; !code && n; n -= k) {
        k = n < most ? n : most;
        code = direct ? pi_output_bytes(&p->out, bytes, (size_t)k * ROUND)
                      : pi_output_record(&p->out, &rec, bytes);
        p->bytes += k * ROUND;
    }
    return code;
}

/*
 * At the end of a round perf processes the records up to the previous round. Two ends make it process all
 * waiting records, so that following ones come later although they are older, or have no time.
 */
static enum pd_code end_rounds(struct pi_cut *p)
{
    p->waiting = false;
    p->newest = 0;
    return put_ends(p, 2);
}

/* Makes sure that perf processes the record after all earlier ones. */
static enum pd_code keep_order(struct pi_cut *p, const struct pd_record *rec)
{
    uint64_t time = 0;
    const bool timed = pi_cut_time(p->c, rec, &time);
    enum pd_code code = PD_OK;
    if (p->waiting && (!timed || time < p->newest))
        code = end_rounds(p);
    p->waiting |= timed;
    p->newest = time > p->newest ? time : p->newest;
    return code;
}

static void verify(struct pi_cutting *c, struct pd_record *rec)
{
    struct pd_error what;
    if (pi_record_is_damaged(c->reader, rec, &what))
        report(c, &what);
}

/* A sample with a time belongs to the piece. */
static inline void count_sample(struct pi_cut *p, uint64_t time)
{
    struct pi_sections *s = &p->out.sections;
    p->piece.samples++;
    if (s->first == 0 || time < s->first)
        s->first = time;
    if (time > s->last)
        s->last = time;
}

static void count(struct pi_cut *p, struct pd_record *rec, bool copy)
{
    uint64_t time;
    if (copy) {
        p->piece.carried++;
        p->c->stats->carried++;
        return;
    }
    verify(p->c, rec);
    if (rec->type != PD_RECORD_SAMPLE) {
        p->piece.others++;
        return;
    }
    if (pi_known_time(rec, &time))
        count_sample(p, time);
    else
        p->piece.samples++;
}

/* What follows was in a COMPRESSED record. */
static enum pd_code put_wrapper(struct pi_cut *p)
{
    const struct pd_record wrapper = {.type = p->c->zip};
    return pi_output_wrapper(&p->out, &wrapper);
}

bool pi_cut_is_round(const struct pi_cutting *c, const struct pd_record *rec)
{
    uint8_t bytes[ROUND];
    struct pd_record usual;
    if (rec->type != PD_RECORD_FINISHED_ROUND || rec->size != ROUND || rec->depth)
        return false;
    pi_round_make(bytes, pd_reader_info(c->reader)->order, &usual);
    return memcmp(rec->raw, bytes, ROUND) == 0 && !rec->old_feature;
}

enum pd_code pi_cut_round(struct pi_cutting *c, size_t copies)
{
    const uint64_t room = (c->most_copied - c->copied) / ROUND;
    c->copied += (copies < room ? copies : room) * ROUND;
    c->stats->carried += copies;
    c->rounds++;
    return copies > room ? copy_again(c, ROUND) : PD_OK;
}

/* Writes the ends of rounds that have come since something was written to it. */
__attribute__((noinline)) static enum pd_code put_rounds(struct pi_cut *p)
{
    const uint64_t n = p->c->rounds - p->rounds;
    p->rounds = p->c->rounds;
    p->piece.carried += p->piece.number ? n : 0; /* the first piece has those of the recording */
    return put_ends(p, n);
}

static inline enum pd_code catch_up(struct pi_cut *p)
{
    return p->rounds == p->c->rounds ? PD_OK : put_rounds(p);
}

/* The end of a round, which goes to every piece, so that there are more of them than of samples. */
static enum pd_code put_round(struct pi_cut *p, const struct pd_record *rec, bool copy)
{
    enum pd_code code = copy ? copy_again(p->c, rec->size) : PD_OK;
    if (!code && pi_cut_starts_zip(p, rec->depth))
        code = put_wrapper(p);
    p->piece.carried += copy;
    p->c->stats->carried += copy;
    p->bytes += rec->size;
    return code ? code : pi_output_record(&p->out, rec, rec->raw);
}

enum pd_code pi_cut_put(struct pi_cut *p, struct pd_record *rec, const struct pi_cut_payload *payload,
                        bool copy)
{
    enum pd_code code = catch_up(p);
    if (code || rec->type == PD_RECORD_FINISHED_ROUND)
        return code ? code : put_round(p, rec, copy);
    uint8_t room[UINT16_MAX + 1];
    const uint8_t *bytes = rec->raw;
    const uint64_t n = rec->size + (payload ? payload->n : 0);
    if (copy)
        code = copy_again(p->c, n);
    if (!code)
        code = keep_order(p, rec);
    if (!code && pi_cut_starts_zip(p, rec->depth))
        code = put_wrapper(p);
    if (!code && !copy && pi_has_reads(rec))
        code = pi_reads_pass(&p->c->counters, &p->sums, rec, room, &bytes, p->c->error);
    if (!code)
        code = pi_output_record(&p->out, rec, bytes);
    if (!code && payload)
        code = pi_output_payload(&p->out, payload->bytes, payload->n);
    p->bytes += n;
    count(p, rec, copy);
    return code;
}

/* A sample with a time, not older than those before it, was written. */
static inline void note_sample(struct pi_cut *p, size_t size, uint64_t time)
{
    p->waiting = true;
    p->newest = time > p->newest ? time : p->newest;
    p->bytes += size;
    count_sample(p, time);
}

enum pd_code pi_cut_put_whole(struct pi_cut *p, const struct pi_queue_entry *e)
{
    enum pd_code code = catch_up(p);
    if (!code)
        code = pi_output_bytes(&p->out, e->waiting->raw, e->waiting->size);
    note_sample(p, e->waiting->size, e->time);
    return code;
}

enum pd_code pi_cut_put_sample(struct pi_cut *p, struct pd_record *rec)
{
    uint64_t time;
    if (!pi_cut_time(p->c, rec, &time) || pi_cut_starts_zip(p, rec->depth) || rec->payload_size ||
        pi_has_reads(rec) || (p->waiting && time < p->newest))
        return pi_cut_put(p, rec, NULL, false);
    enum pd_code code = catch_up(p);
    if (!code)
        code = pi_output_record(&p->out, rec, rec->raw);
    note_sample(p, rec->size, time);
    verify(p->c, rec);
    return code;
}

enum pd_code pi_cut_end(struct pi_cut *p)
{
    const struct pd_pieces_options *o = p->c->options;
    enum pd_code code = catch_up(p);
    p->piece.first = p->out.sections.first;
    p->piece.last = p->out.sections.last;
    if (!code)
        code = pi_output_end(&p->out);
    pi_output_close(&p->out);
    pi_ids_free(&p->sums);
    p->open = p->closing = false;
    const int e = o->close ? o->close(o->user, &p->piece, &p->sink) : 0;
    return code || !e ? code : pi_fail(p->c->error, PD_EOUT, PD_NOWHERE, NULL, (uint64_t)e, 0);
}

void pi_cut_free(struct pi_cut *p)
{
    pi_ids_free(&p->sums);
    if (p->closing) {
        pi_output_close(&p->out);
        if (p->c->options->close)
            p->c->options->close(p->c->options->user, &p->piece, &p->sink);
    }
    p->open = p->closing = false;
}

/* ---- What is carried */

bool pi_cut_is_state(const struct pd_record *rec)
{
    return rec->old_feature || pi_traits_of(rec->type)->copies == PI_COPIES_STATE;
}

static enum pd_code begin_run(struct pi_cutting *c)
{
    c->carrying = true;
    return pi_spill_begin(&c->spill, c->error);
}

static struct pi_waiting *waiting_room(struct pi_cutting *c)
{
    if (c->wait == NULL)
        c->wait = pi_resize(c->options->allocator, NULL, pi_waiting_bytes(UINT16_MAX));
    if (c->wait == NULL)
        pi_fail(c->error, PD_ENOMEM, PD_NOWHERE, "record", 0, pi_waiting_bytes(UINT16_MAX));
    return c->wait;
}

enum pd_code pi_cut_hold(struct pi_cutting *c, struct pd_record *rec)
{
    struct pi_waiting *w = waiting_room(c);
    if (w == NULL)
        return PD_ENOMEM;
    memmove(w->raw, rec->raw, rec->size);
    rec->raw = w->raw;
    return PD_OK;
}

enum pd_code pi_cut_carry(struct pi_cutting *c, const struct pd_record *rec)
{
    struct pi_waiting *w = waiting_room(c);
    if (w == NULL)
        return PD_ENOMEM;
    enum pd_code code = c->carrying ? PD_OK : begin_run(c);
    pi_waiting_fill(w, rec, rec->old_feature); /* pi_cut_hold() may have put its bytes there */
    w->chunk = NULL;
    return code ? code : pi_spill_put(&c->spill, w, c->error);
}

static const struct pi_cut_payload *payload_of(const struct pi_cutting *c, const struct pi_waiting *w)
{
    for (size_t i = 0; i < c->n_payloads; i++)
        if (c->payloads[i].offset == w->offset)
            return &c->payloads[i];
    return NULL;
}

/* Writes a carried record to the piece, and into the next run, unless no later record depends on it. */
static enum pd_code pass_on(struct pi_cut *p, const struct pi_waiting *w, uint64_t seq)
{
    struct pi_cutting *c = p->c;
    struct pd_record rec = {0};
    struct pi_task_owners owners = {.n = 0};
    pi_waiting_frame(w, pd_reader_info(c->reader)->order, &rec);
    rec.old_feature = w->time != 0;
    if (pi_role_of(&rec) == PI_ROLE_OF_TASK)
        pi_tasks_owners(c->tasks, &rec, &owners);
    if (!pi_tasks_used_from(c->tasks, &owners, seq))
        return PD_OK;
    const enum pd_code code = pi_spill_put(&c->spill, w, c->error);
    return code ? code : pi_cut_put(p, &rec, payload_of(c, w), true);
}

enum pd_code pi_cut_carried(struct pi_cut *p, uint64_t seq)
{
    struct pi_cutting *c = p->c;
    const struct pd_allocator *allocator = c->options->allocator;
    const struct pi_waiting *w = NULL;
    struct pi_run run = {.fd = -1};
    if (!c->carrying)
        return PD_OK;
    enum pd_code code = pi_spill_end(&c->spill, &run, c->error);
    if (code)
        return code;
    pi_tasks_rewind(c->tasks);
    code = begin_run(c);
    while (!code && !(code = pi_run_head(&run, allocator, &w, c->error)) && w)
        if ((code = pass_on(p, w, seq)) == PD_OK)
            pi_run_skip(&run);
    pi_run_close(&run, allocator);
    return code;
}

/* ---- The payload of a record: tracing data of a stream, which is held in memory */

struct holding {
    struct pi_cutting *c;
    struct pi_cut_payload *payload;
    size_t cap;
};

static enum pd_code hold_piece(void *user, const uint8_t *bytes, size_t n)
{
    struct holding *h = user;
    struct pi_cut_payload *payload = h->payload;
    if (payload->n + n > h->cap) {
        h->cap = (payload->n + n) * 2;
        uint8_t *more = pi_resize(h->c->options->allocator, payload->bytes, h->cap);
        if (more == NULL)
            return pi_fail(h->c->error, PD_ENOMEM, payload->offset, "payload", 0, h->cap);
        payload->bytes = more;
    }
    memcpy(payload->bytes + payload->n, bytes, n);
    payload->n += n;
    return PD_OK;
}

enum pd_code pi_cut_payload(struct pi_cutting *c, struct pd_sorter *s, struct pd_record *rec,
                            const struct pi_cut_payload **payload, bool *missing)
{
    *payload = NULL;
    *missing = false;
    if (rec->payload_size == 0)
        return PD_OK;
    if (pi_cut_hold(c, rec))
        return PD_ENOMEM;
    c->payload_bytes += rec->payload_size;
    if (rec->payload_size > PI_LIMIT_PIECE_HELD || c->payload_bytes > PI_LIMIT_PIECE_HELD)
        return pi_fail_record(c->error, PD_ELIMIT, rec, 0, "payload that each piece must carry",
                              rec->payload_size, PI_LIMIT_PIECE_HELD);
    if (!pi_grow(c->options->allocator, (void **)&c->payloads, c->n_payloads, &c->payloads_cap,
                 sizeof *c->payloads))
        return pi_fail_record(c->error, PD_ENOMEM, rec, 0, "payload", 0, sizeof *c->payloads);
    struct pi_cut_payload *mine = &c->payloads[c->n_payloads++];
    *mine = (struct pi_cut_payload){.offset = rec->offset};
    struct holding h = {.c = c, .payload = mine};
    const enum pd_code code = pi_copy_payload(c->reader, s, hold_piece, &h, c->error);
    *missing = code == PD_ETRUNC;
    if (*missing)
        report(c, c->error);
    *payload = mine;
    return *missing ? PD_OK : code;
}
