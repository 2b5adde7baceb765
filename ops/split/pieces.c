/* SPDX-License-Identifier: MIT */
/* pieces.c - cuts a recording into pieces: the passes, and the places of the cuts. */
#include "pieces.h"
#include "ops/output/progress.h"
#include "src/schema/fail.h"
#include "src/container/reader/sample_run.h"
#include "src/schema/options.h"
#include "src/session/record_words.h"
#include "src/support/limits.h"
#include <perfdata/ops/split.h>
#include <perfdata/session/sorter.h>

#define WORD 64            /* pieces in a word of bits */
#define ELSEWHERE SIZE_MAX /* a piece that is not written in this pass */
#define MET 1024           /* tasks of pieces that are remembered */

/* A key and a task that a sample had. */
struct met {
    uint32_t key, pid, tid;
    uint32_t reading; /* 0: none */
};

struct cutter {
    struct pi_cutting c;
    struct pd_sorter *sorter;
    struct pi_offcpu_names names;
    struct pi_cut *cuts; /* `batch` of them: that are written at a time */
    size_t n_cuts, batch;
    struct pi_piece_set all; /* those of the batch */
    uint64_t seq;            /* of the record */
    uint64_t next;           /* number of the next piece */
    struct pi_progress progress;
    bool in_order;  /* the order of processing is the file's: no record has to wait */
    bool last_pass; /* damage is reported */
    /* of the whole */
    uint64_t samples, sample_bytes, others, untimed;
    uint64_t first; /* time of a sample */
    bool any_time, any_sample_time;
    /* by count, size or time */
    uint64_t done;    /* bytes of samples written */
    uint64_t limit;   /* the next cut, in such bytes or in nanoseconds */
    uint64_t carried; /* bytes of the piece when its own records begin */
    uint64_t least;   /* bytes reserved for its own records, even beyond the size */
    /* by cpu, process, event or cgroup */
    struct pi_idmap map; /* from the key to its index in `keys` */
    uint32_t *keys;
    size_t n_keys, keys_cap, first_key;
    struct pi_ids needs; /* which piece needs which task: from key << 32 | pid or tid to nothing */
    bool many_needs;     /* they are too many to remember: each batch reads the recording to find its own */
    struct met met[MET];
    uint32_t readings;       /* in the order of the file */
    uint64_t passed;         /* samples that the last of these passed over */
    struct pi_chains chains; /* that samples wait for */
};

typedef enum pd_code visit_fn(struct cutter *k, struct pd_record *rec);

static uint32_t key_of(struct cutter *k, struct pd_record *rec)
{
    uint32_t a = UINT32_MAX, b;
    switch (k->c.options->by) {
    case PD_PIECES_CPU: return pd_record_cpu(rec, &a) ? a : UINT32_MAX;
    case PD_PIECES_PID: return pi_record_owner(rec, &a, &b) ? a : UINT32_MAX;
    case PD_PIECES_CGROUP: return pi_cut_cgroup_of(&k->c, rec);
    default: return rec->attr_index;
    }
}

static bool cuts_by_key(const struct cutter *k)
{
    return k->c.options->by >= PD_PIECES_CPU;
}

/* ---- All records in the order of processing */

/*
 * Finds out whether that is the file's order. As a record waits for the end of its round, the file has none,
 * and what has no time comes before all that has one. The first record that is elsewhere ends the search; so
 * do compressed ones, which would be decompressed once more.
 */
static enum pd_code find_order(struct cutter *k)
{
    struct pd_record rec = {0};
    struct pd_error what;
    uint64_t time, newest = 0;
    enum pd_code code = PD_OK;
    bool follows = pd_reader_n_members(k->c.reader) <= 1;
    while (follows && (code = pd_reader_next(k->c.reader, &rec, &what)) == PD_OK) {
        time = pi_cut_time(&k->c, &rec, &time) ? time : 0;
        follows = time >= newest && !pi_is_wrapper(&rec);
        newest = time;
    }
    if (pd_is_failure(code))
        *k->c.error = what;
    k->in_order = follows && code == PD_END;
    return pd_is_failure(code) ? code : PD_OK;
}

static void damage(struct cutter *k, const struct pd_error *what)
{
    if (!k->last_pass)
        return;
    k->c.stats->damaged = true;
    if (k->c.options->finding)
        k->c.options->finding(k->c.options->user, what);
}

/* `ahead`, unless NULL, does the same as `visit` for samples that come next, and passes them. */
static enum pd_code each_ordered(struct cutter *k, visit_fn *visit, enum pd_code (*ahead)(struct cutter *k))
{
    const struct pd_sorter_options how = {.size = sizeof how,
                                          .allocator = k->c.options->allocator,
                                          .kind = k->in_order ? PD_SORT_FILE : PD_SORT_TIME,
                                          .memory = k->c.options->memory};
    struct pd_record rec = {0};
    struct pd_error what;
    enum pd_code code = pd_reader_rewind(k->c.reader, k->c.error);
    if (!code)
        code = pd_sorter_open(&k->sorter, k->c.reader, &how, k->c.error);
    k->seq = 0;
    pi_reads_free(&k->c.counters);
    while (!code && !(ahead && pi_sorted_goes_on(&rec) && (code = ahead(k)))) {
        const enum pd_code next = pd_sorter_next(k->sorter, &rec, &what);
        if (next == PD_END)
            break;
        if (next && pd_is_failure(next)) {
            *k->c.error = what;
            code = next;
        } else if (next) {
            damage(k, &what);
        } else if (pi_is_wrapper(&rec)) {
            k->c.zip = rec.type;
        } else if ((code = pi_offcpu_learn(&k->names, k->c.reader, &rec, k->c.error)) == PD_OK) {
            code = visit(k, &rec);
            k->seq++;
        }
        if (!next)
            pi_progress_record(&k->progress, &rec);
    }
    pd_sorter_close(k->sorter);
    k->sorter = NULL;
    return code;
}

static enum pd_code each_record(struct cutter *k, visit_fn *visit)
{
    return each_ordered(k, visit, NULL);
}

/* ---- All records in the order of the file */

/*
 * What keys there are, and which tasks their pieces need, does not depend on the order of records. But where
 * an event's name comes in the stream, and tells how its samples give their task, it must come before them.
 */
static bool order_matters(const struct cutter *k)
{
    return !cuts_by_key(k) || k->c.options->by == PD_PIECES_CGROUP || k->names.meta ||
           pd_reader_n_members(k->c.reader) > 1;
}

static struct met *met_place(struct cutter *k, uint32_t key, uint32_t tid)
{
    return &k->met[(tid ^ key << 5) % MET];
}

static bool has_met(const struct cutter *k, const struct met *m, uint32_t key, uint32_t pid, uint32_t tid)
{
    return m->key == key && m->pid == pid && m->tid == tid && m->reading == k->readings;
}

static void note_met(struct cutter *k, uint32_t key, uint32_t pid, uint32_t tid)
{
    *met_place(k, key, tid) = (struct met){key, pid, tid, k->readings};
}

/* key_of() of a sample that is long enough, in this machine's byte order; not by cgroup. */
static inline uint32_t key_at(const struct cutter *k, const struct pd_plan *plan, uint32_t event,
                              const uint8_t *p)
{
    const enum pd_pieces_by by = k->c.options->by;
    const uint16_t at = by == PD_PIECES_PID ? plan->pid : plan->cpu;
    uint32_t key = UINT32_MAX;
    if (by == PD_PIECES_EVENT)
        key = event;
    else if (at)
        memcpy(&key, p + at, sizeof key);
    return key;
}

/* Passes samples of which this reading has met the key and the task. */
static void pass_met(struct cutter *k, uint64_t *newest)
{
    struct pd_reader *r = k->c.reader;
    const uint8_t *stop, *const start = pi_reader_sees(r, &stop), *p = start;
    struct pi_samples run = pi_samples_of(r);
    uint64_t n = 0, time;
    uint32_t task[2];
    while (pi_samples_next(p, (size_t)(stop - p), &run, &time)) {
        const uint32_t key = key_at(k, run.plan, run.index, p);
        memcpy(task, p + run.plan->pid, sizeof task);
        if (!has_met(k, met_place(k, key, task[1]), key, task[0], task[1]))
            break;
        time = k->c.timed ? time : 0;
        k->in_order &= time >= *newest;
        *newest = time;
        p += run.size;
        n++;
    }
    k->passed += n;
    pi_progress_passed(&k->progress, r, (uint64_t)(p - start));
    pi_reader_passed(r, p, n);
}

/* As each_record() before the last pass, of all records but samples that say nothing new. Finds the order. */
static enum pd_code each_in_file(struct cutter *k, visit_fn *visit)
{
    struct pd_record rec = {0};
    struct pd_error what;
    uint64_t time, newest = 0;
    enum pd_code code = pd_reader_rewind(k->c.reader, k->c.error), next = PD_OK;
    k->readings++;
    k->passed = 0;
    k->in_order = true;
    while (!code) {
        pass_met(k, &newest);
        next = pd_reader_next(k->c.reader, &rec, &what);
        if (pd_is_failure(next)) {
            *k->c.error = what;
            return next;
        }
        k->in_order &= (!next && !pi_is_wrapper(&rec)) || next == PD_END;
        if (pi_reader_goes_on(next))
            continue;
        if (next)
            break;
        time = pi_cut_time(&k->c, &rec, &time) ? time : 0;
        k->in_order &= time >= newest;
        newest = time;
        if (pi_is_wrapper(&rec))
            k->c.zip = rec.type;
        else
            code = visit(k, &rec);
        pi_progress_record(&k->progress, &rec);
    }
    return code;
}

/* As each_record(), where the order does not matter. */
static enum pd_code each_in_any_order(struct cutter *k, visit_fn *visit)
{
    return order_matters(k) ? each_record(k, visit) : each_in_file(k, visit);
}

/* True if nothing but a sample's bytes, time, task and event matter. */
static inline bool is_few_steps(const struct pi_queue_entry *e)
{
    const struct pi_waiting *w = e->waiting;
    return pi_sorted_is_whole(e) && !w->plan->offcpu && !(w->attr->flags & PD_ATTR_DEFER_CALLCHAIN);
}

/* Its bytes, as the progress counts them: not inside a COMPRESSED record. */
static inline uint64_t outside(const struct pi_queue_entry *e)
{
    return e->waiting->depth ? 0 : e->waiting->size;
}

/* ---- The first pass: counting */

static enum pd_code no_memory(struct cutter *k, const struct pd_record *rec)
{
    return pi_fail_record(k->c.error, PD_ENOMEM, rec, 0, "pieces", 0, 0);
}

/* The number of a key among all keys; PI_IDMAP_NONE: no sample has it. */
static uint32_t number_of(const struct cutter *k, uint32_t key)
{
    return pi_idmap_get(&k->map, key);
}

static bool add_key(struct cutter *k, uint32_t key)
{
    if (number_of(k, key) != PI_IDMAP_NONE)
        return true;
    if (!pi_grow(k->c.options->allocator, (void **)&k->keys, k->n_keys, &k->keys_cap, sizeof *k->keys) ||
        !pi_idmap_add(&k->map, key, (uint32_t)k->n_keys))
        return false;
    k->keys[k->n_keys++] = key;
    return true;
}

/* The sample's task is needed in the piece with this number. */
static enum pd_code need_in(struct cutter *k, struct pd_record *rec, uint32_t key, size_t piece)
{
    uint32_t pid, tid;
    if (!pd_record_task(rec, &pid, &tid))
        return PD_OK;
    note_met(k, key, pid, tid);
    return pi_tasks_need_in(k->c.tasks, pid, tid, piece, k->c.error);
}

/* The earliest time of a sample. */
static void note_first(struct cutter *k, uint64_t time)
{
    k->first = k->any_sample_time && k->first < time ? k->first : time;
    k->any_sample_time = true;
}

/* Remembers that the piece of a key needs a task, as long as there is room. */
static bool note_need_of(struct cutter *k, uint32_t key, uint32_t id)
{
    if (k->many_needs)
        return true;
    if (!pi_ids_set(&k->needs, (uint64_t)key << 32 | id, 0))
        return false;
    k->many_needs = k->needs.n > PI_LIMIT_PIECES_NEEDS;
    if (k->many_needs)
        pi_ids_free(&k->needs);
    return true;
}

/* Of the first reading: some piece needs the sample's task, which one is remembered. */
static enum pd_code note_key(struct cutter *k, struct pd_record *rec, uint32_t key)
{
    uint32_t pid, tid;
    if (!add_key(k, key))
        return no_memory(k, rec);
    if (pd_record_task(rec, &pid, &tid) && !(note_need_of(k, key, pid) && note_need_of(k, key, tid)))
        return no_memory(k, rec);
    return need_in(k, rec, key, 0);
}

static enum pd_code count_sample(struct cutter *k, struct pd_record *rec)
{
    uint64_t time;
    k->samples++;
    k->sample_bytes += rec->size;
    if (pi_known_time(rec, &time))
        note_first(k, time);
    return cuts_by_key(k) ? note_key(k, rec, key_of(k, rec)) : PD_OK;
}

static enum pd_code learn(struct cutter *k, struct pd_record *rec)
{
    uint64_t time;
    if (rec->type == PD_RECORD_AUXTRACE_INFO || rec->type == PD_RECORD_AUXTRACE)
        return pi_fail_record(k->c.error, PD_EUNSUP, rec, 0,
                              "AUX area traces cannot be cut without decoding them", 0, 0);
    const bool timed = pi_cut_time(&k->c, rec, &time);
    const struct pd_moment when = {.order = k->seq};
    enum pd_code code = PD_OK;
    k->any_time |= timed;
    if (rec->type == PD_RECORD_FINISHED_ROUND)
        return PD_OK;
    if (rec->type != PD_RECORD_SAMPLE) {
        k->others++;
        k->untimed += !timed;
    } else {
        code = count_sample(k, rec);
    }
    if (!code)
        code = pd_tasks_record(k->c.tasks, rec, &when, k->c.error);
    return code ? code : pi_cut_cgroups_record(&k->c, rec);
}

/* As learn(), of the samples that come next, as far as few steps do, where they are not cut by a key. */
static enum pd_code learn_whole(struct cutter *k)
{
    const struct pi_queue_entry *e = NULL;
    const size_t n = k->c.timed && !k->names.meta ? pi_sorter_ahead(k->sorter, &e) : 0;
    struct pd_moment when = {.order = k->seq};
    enum pd_code code = PD_OK;
    uint64_t bytes = 0, passed = 0;
    size_t done = 0;
    uint32_t task[2] = {0}, next[2];
    for (; !code && done < n && is_few_steps(&e[done]); done++) {
        const struct pi_waiting *w = e[done].waiting;
        memcpy(next, w->raw + w->plan->pid, sizeof next);
        if (done && (next[0] != task[0] || next[1] != task[1]))
            code = pd_tasks_mention(k->c.tasks, &when, task[0], task[1], k->c.error);
        memcpy(task, next, sizeof task);
        when.order = k->seq + done;
        note_first(k, e[done].time);
        bytes += w->size;
        passed += outside(&e[done]);
    }
    if (!code && done)
        code = pd_tasks_mention(k->c.tasks, &when, task[0], task[1], k->c.error);
    k->any_time |= done != 0;
    k->samples += done;
    k->sample_bytes += bytes;
    k->seq += done;
    pi_progress_bytes(&k->progress, passed);
    pi_sorter_pass(k->sorter, done);
    return code;
}

/* Room for so many pieces at a time. */
static enum pd_code make_cuts(struct cutter *k, size_t n)
{
    k->batch = n;
    k->cuts = pi_zeros(k->c.options->allocator, n * sizeof *k->cuts);
    return k->cuts ? PD_OK : pi_fail(k->c.error, PD_ENOMEM, PD_NOWHERE, "pieces", 0, n * sizeof *k->cuts);
}

/* ---- Cut by count, size or time: one piece after the other */

/* True if a piece may begin with this record. One without a time stays with the records before it. */
static bool may_begin(const struct cutter *k, const struct pd_record *rec)
{
    uint64_t time;
    return pi_cut_time(&k->c, rec, &time) || rec->type == PD_RECORD_SAMPLE || !k->any_time;
}

static uint64_t share(const struct cutter *k, uint64_t part)
{
    /*
     * Both products are below 2^64 where there are fewer than 2^32 pieces, and only those can have records.
     */
    const uint64_t amount = k->c.options->amount, bytes = k->sample_bytes;
    return bytes / amount * part + bytes % amount * part / amount;
}

/* By time: the end of the interval that a time is in. */
static void set_limit(struct cutter *k, uint64_t time)
{
    const uint64_t length = k->c.options->amount, n = time > k->first ? (time - k->first) / length : 0;
    if (__builtin_mul_overflow(n + 1, length, &k->limit) ||
        __builtin_add_overflow(k->limit, k->first, &k->limit))
        k->limit = UINT64_MAX;
}

/* True if a new piece begins with a sample, or another record that may begin one, of this size and time. */
static bool is_cut_at(const struct cutter *k, bool sample, bool timed, uint64_t time, size_t size)
{
    const struct pi_cut *p = &k->cuts[0];
    const struct pd_pieces_options *o = k->c.options;
    switch (o->by) {
    case PD_PIECES_COUNT:
        return sample && p->piece.samples && k->next < o->amount && k->done >= share(k, k->next);
    case PD_PIECES_SIZE:
        return p->bytes > k->carried && p->bytes - k->carried >= k->least &&
               k->c.around + p->bytes + size + 16 > o->amount;
    default: return timed && time >= k->limit;
    }
}

/*
 * True if a new piece begins with this record. By time, a file that perf does not sort is cut where its time
 * first passes the end of an interval.
 */
static bool is_cut(struct cutter *k, const struct pd_record *rec)
{
    uint64_t time = 0;
    const bool timed = pi_known_time(rec, &time);
    return may_begin(k, rec) && is_cut_at(k, rec->type == PD_RECORD_SAMPLE, timed, time, rec->size);
}

/*
 * In pieces of a size: if the copies leave no room, a piece still has a fourth of the size for its records.
 */
static void make_room(struct cutter *k)
{
    const uint64_t used = k->c.around + k->cuts[0].bytes, size = k->c.options->amount;
    k->carried = k->cuts[0].bytes;
    k->least = used > size - size / 4 ? size / 4 : 0;
    k->c.stats->oversized += k->c.options->by == PD_PIECES_SIZE && k->least;
}

static enum pd_code next_piece(struct cutter *k, const struct pd_record *rec)
{
    struct pi_cut *p = &k->cuts[0];
    uint64_t time = 0;
    enum pd_code code = p->open ? pi_cut_end(p) : PD_OK;
    if (code)
        return code;
    k->n_cuts = 1;
    code = pi_cut_begin(p, &k->c, k->next++, UINT32_MAX);
    if (!code && k->next > 1)
        code = pi_cut_carried(p, k->seq);
    make_room(k);
    if (k->c.options->by == PD_PIECES_TIME && rec && pd_record_time(rec, &time))
        set_limit(k, time);
    return code;
}

static enum pd_code put_in_turn(struct cutter *k, struct pd_record *rec)
{
    const struct pi_cut_payload *payload = NULL;
    bool missing = false;
    enum pd_code code = PD_OK;
    if (k->n_cuts == 0 || is_cut(k, rec)) {
        code = pi_cut_hold(&k->c, rec);
        if (!code)
            code = next_piece(k, rec);
    }
    if (!code)
        code = pi_cut_payload(&k->c, k->sorter, rec, &payload, &missing);
    if (missing)
        return code;
    if (!code)
        code = pi_cut_put(&k->cuts[0], rec, payload, false);
    k->done += rec->type == PD_RECORD_SAMPLE ? rec->size : 0;
    return !code && pi_cut_is_state(rec) ? pi_cut_carry(&k->c, rec) : code;
}

/* As put_in_turn(), of the samples that come next, as far as few steps do and the piece goes on. */
static enum pd_code put_whole_in_turn(struct cutter *k)
{
    struct pi_cut *p = &k->cuts[0];
    const struct pi_queue_entry *e = NULL;
    const size_t n = k->n_cuts && k->c.timed ? pi_sorter_ahead(k->sorter, &e) : 0;
    enum pd_code code = PD_OK;
    size_t done = 0;
    uint64_t bytes = 0;
    for (; !code && done < n && is_few_steps(&e[done]) && pi_cut_takes(p, &e[done]); done++) {
        const size_t size = e[done].waiting->size;
        if (is_cut_at(k, true, true, e[done].time, size))
            break;
        code = pi_cut_put_whole(p, &e[done]);
        k->done += size;
        bytes += outside(&e[done]);
    }
    k->seq += done;
    pi_progress_bytes(&k->progress, bytes);
    pi_sorter_pass(k->sorter, done);
    return code;
}

static enum pd_code cut_in_turn(struct cutter *k)
{
    k->limit = UINT64_MAX;
    if (k->c.options->by == PD_PIECES_TIME)
        set_limit(k, k->first);
    pi_tasks_spread_uses(k->c.tasks);
    enum pd_code code = pi_spill_init(&k->c.spill, k->c.options->allocator, NULL, k->c.error);
    k->last_pass = true;
    if (!code)
        code = make_cuts(k, 1);
    if (!code)
        code = each_ordered(k, put_in_turn, put_whole_in_turn);
    if (!code && k->n_cuts == 0) /* no records at all */
        code = next_piece(k, NULL);
    return code ? code : pi_cut_end(&k->cuts[0]);
}

/* ---- Cut by cpu, process, event or cgroup: some pieces at a time */

static int by_key(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The piece of the key with this number in this batch, or ELSEWHERE. */
static size_t place_of(const struct cutter *k, uint32_t number)
{
    const bool here = number != PI_IDMAP_NONE && number >= k->first_key && number - k->first_key < k->n_cuts;
    return here ? number - k->first_key : ELSEWHERE;
}

static enum pd_code note_need(struct cutter *k, struct pd_record *rec)
{
    if (rec->type != PD_RECORD_SAMPLE)
        return PD_OK;
    const uint32_t key = key_of(k, rec);
    const size_t place = place_of(k, number_of(k, key));
    return place != ELSEWHERE ? need_in(k, rec, key, place) : PD_OK;
}

/* The deferred call chain of a record; NULL: no sample waits for it. */
static struct pi_chain *chain_of(const struct cutter *k, struct pd_record *rec)
{
    uint32_t pid, tid = UINT32_MAX;
    if (pi_role_of(rec) != PI_ROLE_CHAIN || pd_reader_decode(k->c.reader, rec, NULL))
        return NULL;
    pd_record_task(rec, &pid, &tid);
    return pi_chains_find(&k->chains, rec->u.callchain_deferred.cookie, tid);
}

/*
 * The chain that a sample waits for, if any, goes to these pieces, too. Where there are chains, a batch has
 * no more than a word of pieces.
 */
static enum pd_code note_chain(struct cutter *k, struct pd_record *rec, uint64_t pieces)
{
    uint32_t pid, tid = UINT32_MAX;
    uint64_t cookie;
    if (rec->type != PD_RECORD_SAMPLE || !pi_sample_waits(k->c.reader, rec, &cookie))
        return PD_OK;
    pd_record_task(rec, &pid, &tid);
    struct pi_chain *chain = pi_chains_add(&k->chains, cookie, tid);
    if (!chain)
        return no_memory(k, rec);
    chain->pieces |= pieces;
    return PD_OK;
}

static bool goes_to_all(const struct pd_record *rec)
{
    return pi_cut_is_state(rec) || pi_serves_of(rec) == PI_SERVES_ORDER;
}

static struct pi_piece_set one_of(size_t place)
{
    struct pi_piece_set one = {{0}};
    if (place != ELSEWHERE)
        one.words[place / 64] = UINT64_C(1) << place % 64;
    return one;
}

/*
 * Those in which the task of a record is needed; the first one, if it is needed in none. *again: an earlier
 * batch has it, too.
 */
static struct pi_piece_set targets_of_task(const struct cutter *k, struct pd_record *rec, size_t first,
                                           bool *again)
{
    struct pi_piece_set needed;
    struct pi_task_owners owners;
    pi_tasks_owners(k->c.tasks, rec, &owners);
    *again = k->first_key > 0 && pi_tasks_were_written(k->c.tasks, &owners);
    if (!pi_tasks_needed_in(k->c.tasks, &owners, &needed))
        return one_of(first);
    for (size_t i = 0; i < PI_PIECE_WORDS; i++)
        needed.words[i] &= k->all.words[i];
    return needed;
}

/*
 * The pieces of the batch that a record goes to; `chain`: if it is one that samples wait for. *again: if it
 * goes to some, it went to one of an earlier batch.
 */
static struct pi_piece_set targets(struct cutter *k, struct pd_record *rec, const struct pi_chain *chain,
                                   bool *again)
{
    const size_t first = k->first_key == 0 ? 0 : ELSEWHERE;
    const bool sample = rec->type == PD_RECORD_SAMPLE && !rec->old_feature;
    *again = chain ? chain->put : k->first_key > 0;
    if (!sample && pi_role_of(rec) == PI_ROLE_OF_TASK && !rec->old_feature)
        return targets_of_task(k, rec, first, again);
    if (chain)
        return (struct pi_piece_set){{chain->pieces}};
    if (!sample && goes_to_all(rec))
        return k->all;
    const uint32_t number = number_of(k, key_of(k, rec));
    return one_of(number == PI_IDMAP_NONE ? first : place_of(k, number));
}

/* A sample of a piece of another batch. */
static enum pd_code skip_counters(struct cutter *k, struct pd_record *rec)
{
    uint8_t room[UINT16_MAX + 1];
    const uint8_t *bytes;
    return pi_reads_pass(&k->c.counters, NULL, rec, room, &bytes, k->c.error);
}

static enum pd_code put_any_by_key(struct cutter *k, struct pd_record *rec)
{
    const struct pi_cut_payload *payload = NULL;
    struct pi_chain *const chain = chain_of(k, rec);
    bool missing = false, any = false, copy;
    const struct pi_piece_set to = targets(k, rec, chain, &copy);
    enum pd_code code = note_chain(k, rec, to.words[0]);
    if (!code)
        code = pi_cut_payload(&k->c, k->sorter, rec, &payload, &missing);
    for (size_t i = 0; i < PI_PIECE_WORDS; i++)
        for (uint64_t left = to.words[i]; !code && !missing && left; left &= left - 1) {
            struct pi_cut *p = &k->cuts[64 * i + (size_t)__builtin_ctzll(left)];
            code = pi_cut_put(p, rec, payload, copy && (chain || goes_to_all(rec)));
            any = copy = true;
        }
    if (!code && !any && pi_has_reads(rec))
        code = skip_counters(k, rec);
    if (chain)
        chain->put = copy;
    return code;
}

/* A sample whose piece is known and for which no call chain comes takes few steps. */
static enum pd_code put_by_key(struct cutter *k, struct pd_record *rec)
{
    if (pi_cut_is_round(&k->c, rec))
        return pi_cut_round(&k->c, k->n_cuts - (k->first_key == 0));
    const bool waits = rec->attr && rec->attr->flags & PD_ATTR_DEFER_CALLCHAIN;
    const bool plain = rec->type == PD_RECORD_SAMPLE && !rec->old_feature && !rec->payload_size && !waits;
    const size_t place = plain ? place_of(k, number_of(k, key_of(k, rec))) : ELSEWHERE;
    return place != ELSEWHERE ? pi_cut_put_sample(&k->cuts[place], rec) : put_any_by_key(k, rec);
}

/*
 * Gives the piece to which a sample goes in these few steps; NULL: it is of another batch. False: it takes
 * put_by_key().
 */
static bool find_piece_of_whole(struct cutter *k, const struct pi_queue_entry *e, struct pi_cut **piece)
{
    const struct pi_waiting *w = e->waiting;
    if (!is_few_steps(e))
        return false;
    const uint32_t number = number_of(k, key_at(k, w->plan, w->attr_index, w->raw));
    const size_t place = place_of(k, number);
    *piece = place != ELSEWHERE ? &k->cuts[place] : NULL;
    return number != PI_IDMAP_NONE && (!*piece || pi_cut_takes(*piece, e));
}

/* As put_by_key(), of the samples that come next, as far as few steps do. */
static enum pd_code put_whole_by_key(struct cutter *k)
{
    const bool may = k->c.timed && !k->names.meta && k->c.options->by != PD_PIECES_CGROUP;
    const struct pi_queue_entry *e = NULL;
    const size_t n = may ? pi_sorter_ahead(k->sorter, &e) : 0;
    enum pd_code code = PD_OK;
    struct pi_cut *piece = NULL;
    size_t done = 0;
    uint64_t bytes = 0;
    for (; !code && done < n && find_piece_of_whole(k, &e[done], &piece); done++) {
        code = piece ? pi_cut_put_whole(piece, &e[done]) : PD_OK;
        bytes += outside(&e[done]);
    }
    k->seq += done;
    pi_progress_bytes(&k->progress, bytes);
    pi_sorter_pass(k->sorter, done);
    return code;
}

/* Of another batch of pieces it is yet to be known. */
static void forget_pieces(struct pi_chains *chains)
{
    for (size_t i = 0; i < chains->size; i++)
        chains->slots[i].pieces = 0;
}

static void drop_payloads(struct cutter *k)
{
    while (k->c.n_payloads)
        pi_release(k->c.options->allocator, k->c.payloads[--k->c.n_payloads].bytes);
    k->c.payload_bytes = 0;
}

/* Tells of each task which pieces of the batch need it. */
static enum pd_code find_needs(struct cutter *k)
{
    enum pd_code code = PD_OK;
    if (k->many_needs)
        code = each_in_any_order(k, note_need);
    for (size_t i = 0; !code && i < k->needs.size; i++) {
        const struct pi_ids_slot *need = &k->needs.slots[i];
        const size_t place = need->used ? place_of(k, number_of(k, (uint32_t)(need->id >> 32))) : ELSEWHERE;
        const uint32_t id = (uint32_t)need->id;
        if (place != ELSEWHERE)
            code = pi_tasks_need_in(k->c.tasks, id, id, place, k->c.error);
    }
    pi_tasks_spread_uses(k->c.tasks);
    return code;
}

static enum pd_code write_batch(struct cutter *k)
{
    const size_t left = k->n_keys - k->first_key, n = left < k->batch ? left : k->batch;
    k->n_cuts = n;
    k->all = (struct pi_piece_set){{0}};
    for (size_t i = 0; i < n; i++)
        k->all.words[i / 64] |= UINT64_C(1) << i % 64;
    enum pd_code code = find_needs(k);
    for (size_t i = 0; !code && i < n; i++)
        code = pi_cut_begin(&k->cuts[i], &k->c, k->first_key + i, k->keys[k->first_key + i]);
    k->last_pass = k->first_key == 0; /* later ones would tell the same again */
    pi_tasks_rewind(k->c.tasks);
    if (!code)
        code = each_ordered(k, put_by_key, put_whole_by_key);
    k->last_pass = false;
    pi_tasks_clear_needs(k->c.tasks, true);
    drop_payloads(k);
    forget_pieces(&k->chains);
    for (size_t i = 0; !code && i < n; i++)
        code = pi_cut_end(&k->cuts[i]);
    return code;
}

/* Gives each key its place in the order of keys, and notes which tasks some piece needs. */
static enum pd_code sort_keys(struct cutter *k)
{
    bool ok = true;
    if (k->n_keys)
        qsort(k->keys, k->n_keys, sizeof *k->keys, by_key);
    pi_idmap_free(&k->map);
    for (size_t i = 0; ok && i < k->n_keys; i++)
        ok = pi_idmap_add(&k->map, k->keys[i], (uint32_t)i);
    pi_tasks_spread_uses(k->c.tasks);
    pi_tasks_clear_needs(k->c.tasks, false);
    return ok ? PD_OK : pi_fail(k->c.error, PD_ENOMEM, PD_NOWHERE, "pieces", 0, 0);
}

static bool has_chains(const struct cutter *k)
{
    bool has = false;
    for (size_t i = 0; i < pd_reader_n_attrs(k->c.reader); i++)
        has |= (pd_reader_attr(k->c.reader, i)->attr.flags & PD_ATTR_DEFER_CALLCHAIN) != 0;
    return has;
}

/* Makes room for the pieces that are written at a time: a word of them where each takes much memory. */
static enum pd_code open_batch(struct cutter *k)
{
    const struct pd_pieces_options *o = k->c.options;
    const bool few = has_chains(k) || (o->zip == PD_ZIP_KEEP ? k->c.zip != 0 : o->zip != PD_ZIP_NONE);
    size_t most = o->at_once ? o->at_once : WORD;
    if (few && most > WORD)
        most = WORD;
    most = most < PI_LIMIT_PIECES_AT_ONCE ? most : PI_LIMIT_PIECES_AT_ONCE;
    return make_cuts(k, k->n_keys < most ? k->n_keys : most);
}

/* How often the recording is read is only known now: one reading for pieces was expected. */
static void expect_batches(struct cutter *k)
{
    const size_t batches = (k->n_keys + k->batch - 1) / k->batch;
    pi_progress_expect(&k->progress, pi_record_bytes(k->c.reader),
                       (unsigned)(batches * (k->many_needs ? 2 : 1) - 1));
}

/* Without samples there is one piece, with all records. */
static enum pd_code cut_by_key(struct cutter *k)
{
    const struct pd_allocator *allocator = k->c.options->allocator;
    enum pd_code code = pi_spill_init(&k->c.spill, allocator, NULL, k->c.error);
    if (!code && k->n_keys == 0 && !add_key(k, UINT32_MAX))
        code = pi_fail(k->c.error, PD_ENOMEM, PD_NOWHERE, "pieces", 0, 0);
    if (!code)
        code = sort_keys(k);
    if (!code)
        code = open_batch(k);
    if (!code && k->batch > WORD && !pi_tasks_widen(k->c.tasks, (k->batch + 63) / 64))
        k->batch = WORD;
    if (!code)
        expect_batches(k);
    for (; !code && k->first_key < k->n_keys; k->first_key += k->batch)
        code = write_batch(k);
    return code;
}

/* ---- All of it */

static enum pd_code refuse(const struct cutter *k, const char *why)
{
    return pi_fail(k->c.error, PD_EUNSUP, PD_NOWHERE, why, 0, 0);
}

static enum pd_code check(const struct cutter *k)
{
    const bool none = k->n_keys == 1 && k->keys[0] == UINT32_MAX;
    switch (k->c.options->by) {
    case PD_PIECES_TIME:
        return k->any_sample_time || !k->samples ? PD_OK
                                                 : refuse(k, "pieces of a time, as samples have no time");
    case PD_PIECES_CPU: return none ? refuse(k, "a piece for each cpu, as samples do not say theirs") : PD_OK;
    case PD_PIECES_PID:
        return none ? refuse(k, "a piece for each process, as samples do not say theirs") : PD_OK;
    case PD_PIECES_CGROUP:
        return none ? refuse(
                          k,
                          "a piece for each cgroup, as samples do not say theirs (perf record --all-cgroups)")
                    : PD_OK;
    default: return PD_OK;
    }
}

/* Bytes to read, and those of a piece that are not records. */
static void count_around(struct cutter *k)
{
    size_t n;
    const struct pd_extent *e = pd_reader_extents(k->c.reader, &n);
    const struct pd_pieces_options *o = k->c.options;
    k->progress = (struct pi_progress){.callback = o->progress, .user = o->user};
    pi_progress_expect(&k->progress, pi_record_bytes(k->c.reader), 2);
    k->c.around = 16;
    for (size_t i = 0; i < n; i++)
        if (e[i].kind != PD_EXTENT_DATA && e[i].kind != PD_EXTENT_GAP)
            k->c.around += e[i].size;
}

/* The number of bytes that all pieces together may repeat. */
static void limit_copies(struct cutter *k)
{
    uint64_t input = pd_reader_info(k->c.reader)->file_size;
    for (size_t i = 1; i < pd_reader_n_members(k->c.reader); i++)
        input += pd_reader_member(k->c.reader, i)->size;
    k->c.most_copied = k->c.options->max_copied;
    if (k->c.most_copied == 0 &&
        __builtin_mul_overflow(input, PI_LIMIT_PIECES_COPIED_TIMES, &k->c.most_copied))
        k->c.most_copied = UINT64_MAX - PI_LIMIT_PIECES_COPIED;
    k->c.most_copied += k->c.options->max_copied ? 0 : PI_LIMIT_PIECES_COPIED;
}

static enum pd_code cut_records(struct cutter *k)
{
    const struct pd_pieces_options *o = k->c.options;
    if (!k->c.reader->in.seekable)
        return refuse(k, "cutting an input that cannot seek");
    if (!cuts_by_key(k) && o->amount == 0)
        return pi_fail(k->c.error, PD_EARG, PD_NOWHERE, "amount", 0, 1);
    count_around(k);
    limit_copies(k);
    enum pd_code code = order_matters(k) ? find_order(k) : PD_OK;
    if (!code)
        code = cuts_by_key(k) ? each_in_any_order(k, learn) : each_ordered(k, learn, learn_whole);
    k->samples += k->passed;
    if (!code)
        code = check(k);
    if (!code)
        code = pi_reader_check_attrs(k->c.reader, k->c.error);
    if (code)
        return code;
    k->c.stats->samples = k->samples;
    k->c.stats->others = k->others;
    k->c.stats->untimed = k->untimed;
    k->next = 0;
    return cuts_by_key(k) ? cut_by_key(k) : cut_in_turn(k);
}

enum pd_code pd_pieces(struct pd_reader *reader, const struct pd_pieces_options *options,
                       struct pd_pieces_stats *stats, struct pd_error *error)
{
    struct pd_pieces_stats own_stats;
    struct pd_error own_error;
    struct pd_pieces_options own;
    enum pd_code code = PI_TAKE_OPTIONS(pd_pieces_options, &own, options, error);
    if (code)
        return code;
    if (own.open == NULL || own.close == NULL)
        return pi_fail(error, PD_EARG, PD_NOWHERE, own.open ? "close" : "open", 0, 0);
    const struct pd_allocator *allocator = own.allocator;
    struct cutter *k = pi_resize(allocator, NULL, sizeof *k);
    if (k == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "pieces", 0, sizeof *k);
    *k = (struct cutter){.map = {.allocator = allocator},
                         .needs = {.allocator = allocator},
                         .chains = {.allocator = allocator}};
    k->c = (struct pi_cutting){
        .reader = reader,
        .options = &own,
        .output = {.allocator = allocator, .zip = own.zip, .level = own.level, .frame = own.frame},
        .stats = stats ? stats : &own_stats,
        .error = error ? error : &own_error,
        .timed = pd_clock_is_timed(reader),
        .spill = {.fd = -1}};
    *k->c.stats = (struct pd_pieces_stats){0};
    pi_reads_init(&k->c.counters, reader, allocator);
    code = pi_tasks_ask(&k->c.tasks, PI_TASKS_USES, allocator, k->c.error);
    if (!code)
        code = pi_offcpu_open(&k->names, reader, allocator, k->c.error);
    if (!code)
        code = pi_cut_cgroups_open(&k->c);
    if (!code)
        code = cut_records(k);
    pi_cut_cgroups_close(&k->c);
    pi_offcpu_close(&k->names);
    for (size_t i = 0; i < k->n_cuts; i++)
        pi_cut_free(&k->cuts[i]);
    pi_release(allocator, k->cuts);
    drop_payloads(k);
    pi_release(allocator, k->c.payloads);
    pi_release(allocator, k->c.wait);
    pi_spill_free(&k->c.spill);
    pd_tasks_free(k->c.tasks);
    pi_reads_free(&k->c.counters);
    pi_idmap_free(&k->map);
    pi_ids_free(&k->needs);
    pi_chains_free(&k->chains);
    pi_release(allocator, k->keys);
    pi_release(allocator, k);
    return code;
}
