/* SPDX-License-Identifier: MIT */
/*
 * filter_passes.c - a recording with only the selected records, in up to three passes over the input: the
 * names of tasks over time (collect), the records that stay and the tasks that they need (choose), and the
 * copy. The first two are one if the selection does not need tasks. A stream that cannot seek has only the
 * copy, see filter_stream.c.
 */
#include "filter.h"
#include "src/codec/variant.h"
#include "src/codec/carried.h"
#include "src/schema/fail.h"
#include "src/schema/schema.h"
#include "src/container/reader/sample_run.h"
#include "src/session/counts.h"
#include "src/session/order/clock.h"
#include "src/session/tasks/task_flow.h"

typedef enum pd_code visit_fn(struct pi_filtering *f, struct pd_record *rec, const struct pd_moment *when);
typedef enum pd_code scan_fn(struct pi_filtering *f, struct pd_clock *clock);

/* The payload behind the record is incomplete, so the record is not taken, and nothing behind it. */
static enum pd_code payload_missing(struct pi_filtering *f, const struct pd_record *rec, uint64_t left,
                                    struct pd_error *what)
{
    pi_reader_stop(f->reader);
    return pi_fail_record(what, PD_ETRUNC, rec, 0, "payload", left, rec->payload_size);
}

/* The next record from the reader: visible bytes may move. */
static enum pd_code next_any(struct pi_filtering *f, struct pd_record *rec, struct pd_error *what,
                             enum pd_code *code)
{
    const enum pd_code next =
        (*code = pi_output_flush(&f->out)) ? PD_END : pd_reader_next(f->reader, rec, what);
    const uint64_t left = next ? 0 : f->reader->end - f->reader->at;
    return !next && rec->payload_size > left ? payload_missing(f, rec, left, what) : next;
}

static struct pi_place begin_of(const struct pi_filtering *f)
{
    struct pi_place p = {.at = pd_reader_info(f->reader)->data_offset};
    pd_clock_init(&p.clock, pd_clock_is_timed(f->reader));
    return p;
}

/* The state before a record, in case remembering ends with it. */
static void mark_moment(struct pi_filtering *f, const struct pd_clock *clock)
{
    f->scan.end = (struct pi_place){*clock, f->reader->at, f->reader->index, f->met, f->taken};
}

static enum pd_code go_to(struct pi_filtering *f, const struct pi_place *p)
{
    return p->index ? pd_reader_seek(f->reader, p->at, p->index, f->error)
                    : pd_reader_rewind(f->reader, f->error);
}

/* Calls `visit` for every record from a place on, unless `scan`, which may be NULL, takes it. */
static inline __attribute__((always_inline)) enum pd_code
each_record(struct pi_filtering *f, const struct pi_place *from, scan_fn *scan, visit_fn *visit)
{
    struct pd_record rec = {0};
    struct pd_clock clock = from->clock;
    struct pd_moment when;
    struct pd_error what;
    bool over = false;
    enum pd_code code = go_to(f, from);
    f->met = from->met;
    f->taken = from->taken;
    memset(f->scan.seen, 0, sizeof f->scan.seen); /* they are of one pass */
    memset(f->scan.verdicts, 0, sizeof f->scan.verdicts);
    while (!code && !over) {
        if (scan && !pi_reader_sees_none(f->reader) && (code = scan(f, &clock)))
            break;
        if (f->scan.on)
            mark_moment(f, &clock);
        const enum pd_code next =
            pi_reader_next_quick(f->reader, &rec) ? PD_OK : next_any(f, &rec, &what, &code);
        if (next == PD_END)
            break;
        if (next) {
            if (f->scan.on)
                pi_scan_end(&f->scan, &f->scan.end);
            code = pi_filter_damage(f, &what, &over);
            continue;
        }
        pi_clock_stamp_here(&clock, &rec, &when);
        if (rec.type >= PD_RECORD_HEADER_ATTR)
            code = pi_offcpu_learn(&f->names, f->reader, &rec, f->error);
        if (!code)
            code = visit(f, &rec, &when);
        pi_progress_record(&f->progress, &rec);
    }
    return code;
}

/* Samples of known tasks by pi_scan_samples(). */
static enum pd_code scan_records(struct pi_filtering *f, visit_fn *visit)
{
    const struct pi_place begin = begin_of(f);
    scan_fn *const scan = f->scan.quick && begin.clock.timed ? pi_scan_samples : NULL;
    const enum pd_code code = each_record(f, &begin, scan, visit);
    if (f->scan.on) /* to the end */
        pi_scan_end(&f->scan, &f->scan.end);
    return code;
}

/* ---- First pass */

/* The decision for the next samples of a task: later ones have no new information. */
static void note_subject(struct pi_filtering *f, const struct pi_subject *s, uint64_t from, uint64_t to,
                         bool keep, bool needed)
{
    f->scan.seen[s->tid % PI_SEEN] = (struct pi_seen){from, to, {s->pid, s->tid}, keep, needed};
}

/* A sample that perf does not skip early makes the task known to perf. */
static enum pd_code mention(struct pi_filtering *f, const struct pi_subject *s, const struct pd_moment *when)
{
    if (!pi_meets_early(&f->keep, s))
        return PD_OK;
    note_subject(f, s, when->at, UINT64_MAX, false, false);
    return pd_tasks_mention(f->tasks, when, s->pid, s->tid, f->error);
}

enum pd_code pi_filter_collect(struct pi_filtering *f, struct pd_record *rec, const struct pd_moment *when)
{
    struct pi_subject s;
    struct pd_error what;
    if (rec->type != PD_RECORD_SAMPLE) {
        const enum pd_code code = pd_tasks_record(f->tasks, rec, when, &what);
        if (code == PD_ENOMEM || (code == PD_ELIMIT && what.record_index == PD_NOWHERE))
            *f->error = what;
        else
            return PD_OK; /* damage is reported when it is copied */
        return code;
    }
    pi_subject_init(&s, rec);
    return mention(f, &s, when);
}

/* ---- The choice */

static void find_task(const struct pi_filtering *f, const struct pd_moment *when, struct pi_subject *s)
{
    if (!f->guesses)
        pd_tasks_find(f->tasks, when, s->tid, &s->task);
}

/* The subject of a sample, or of a record that goes with one. */
static void look_at(const struct pi_filtering *f, struct pd_record *rec, const struct pd_moment *when,
                    struct pi_subject *s)
{
    pi_subject_init(s, rec);
    s->has_task = s->has_task || pi_record_owner(rec, &s->pid, &s->tid);
    if (f->ask_tasks && s->has_task)
        find_task(f, when, s);
}

static bool meets(const struct pi_filtering *f, const struct pi_subject *s)
{
    return pi_meets_all(&f->keep, s) && !(f->drops && pi_meets_any(&f->drop, s));
}

static bool thin_out(struct pi_filtering *f)
{
    const uint64_t every = f->options->every, limit = f->options->limit;
    if (every && f->met++ % every)
        return false;
    return !limit || f->taken++ < limit;
}

static bool pleases_caller(const struct pi_filtering *f, struct pd_record *rec)
{
    return !f->options->predicate || f->options->predicate(f->options->user, rec);
}

static bool choose_sample(struct pi_filtering *f, const struct pi_subject *s, struct pd_record *rec)
{
    if (f->options->keep.types && !pi_lists_type(&f->keep, rec->type))
        return false;
    return pi_meets_mode(f->options, rec) && meets(f, s) &&
           (!f->ordered || pi_ordered_meets(f->ordered, rec)) && pleases_caller(f, rec) && thin_out(f);
}

static bool choose_with_task(const struct pi_filtering *f, const struct pi_subject *s)
{
    const bool listed = pi_lists_type(&f->keep, s->rec->type);
    if (f->options->sideband == PD_SIDEBAND_ALL)
        return !pi_lists_type(&f->drop, s->rec->type);
    if (!listed && (f->options->keep.types || f->options->sideband == PD_SIDEBAND_NONE))
        return false;
    return meets(f, s) && (!f->ordered || pi_ordered_meets(f->ordered, s->rec));
}

static bool is_readable(const struct pd_record *rec)
{
    uint32_t pid, tid;
    if (rec->plan == NULL)
        return false;
    return !rec->plan->pid || pi_word_task(rec, &pid, &tid);
}

/* ---- Second pass */

/* Widens the time of the kept samples. */
static void note_time(struct pi_filtering *f, const struct pi_subject *s)
{
    struct pd_filter_stats *stats = f->stats;
    if (!pi_is_time(s->time))
        return;
    if (stats->first == 0 || s->time < stats->first)
        stats->first = s->time;
    if (s->time > stats->last)
        stats->last = s->time;
}

static enum pd_code need_task(struct pi_filtering *f, const struct pi_subject *s)
{
    struct pi_needed *told = &f->needed[s->tid % PI_TOLD];
    enum pd_code code = PD_OK;
    if (told->known && s->pid == told->pid && s->tid == told->tid && s->task.pid == told->process)
        return PD_OK;
    code = pd_tasks_need(f->tasks, s->pid, f->error);
    if (!code && s->tid != s->pid)
        code = pd_tasks_need(f->tasks, s->tid, f->error);
    if (!code && s->task.pid != s->pid && s->task.pid != UINT32_MAX)
        code = pd_tasks_need(f->tasks, s->task.pid, f->error);
    *told = (struct pi_needed){s->pid, s->tid, s->task.pid, code == PD_OK};
    return code;
}

static enum pd_code note_chain(struct pi_filtering *f, struct pd_record *rec, uint32_t tid)
{
    uint64_t cookie;
    if (pi_sample_waits(f->reader, rec, &cookie) && !pi_chains_add(&f->chains, cookie, tid))
        return pi_fail_record(f->error, PD_ENOMEM, rec, 0, "deferred chains", 0,
                              f->chains.size * 2 * sizeof(struct pi_chain));
    return PD_OK;
}

/* A sample that can be read. */
static enum pd_code take_sample(struct pi_filtering *f, struct pd_record *rec, struct pi_subject *s,
                                bool *kept)
{
    *kept = choose_sample(f, s, rec);
    if (!*kept)
        return PD_OK;
    note_time(f, s);
    const enum pd_code code = f->tasks ? need_task(f, s) : PD_OK;
    return !code && f->deferred ? note_chain(f, rec, s->tid) : code;
}

/* True if the lists of tasks want it. */
static bool wants_task(const struct pi_filtering *f, const struct pi_subject *s)
{
    return pi_meets_task(&f->keep, s) && !(f->drops && pi_meets_any_task(&f->drop, s));
}

/* look_at() a sample of a quick selection: its task is the same at the moments between `from` and `to`. */
static void look_at_span(const struct pi_filtering *f, const struct pd_record *rec,
                         const struct pd_moment *when, struct pi_subject *s, uint64_t *from, uint64_t *to)
{
    *from = 0;
    *to = UINT64_MAX;
    pi_subject_init(s, rec);
    if (f->ask_tasks)
        pd_tasks_find_span(f->tasks, when, s->tid, &s->task, from, to);
}

/* The second pass, a sample. */
static enum pd_code choose_known(struct pi_filtering *f, struct pd_record *rec, const struct pd_moment *when,
                                 bool *kept)
{
    struct pi_subject s;
    uint64_t from, to;
    if (!f->scan.quick) {
        look_at(f, rec, when, &s);
        return take_sample(f, rec, &s, kept);
    }
    look_at_span(f, rec, when, &s, &from, &to);
    const enum pd_code code = take_sample(f, rec, &s, kept);
    note_subject(f, &s, from, to, wants_task(f, &s), *kept);
    return code;
}

/* The first two passes at once, a sample. It guesses that the process of the sample is the right one. */
static enum pd_code collect_and_choose_sample(struct pi_filtering *f, struct pd_record *rec,
                                              const struct pd_moment *when, bool *kept)
{
    struct pi_subject s;
    pi_subject_init(&s, rec);
    f->wrong |= f->guesses && s.pid == UINT32_MAX;
    const bool early = pi_meets_early(&f->keep, &s);
    enum pd_code code = early ? pd_tasks_mention(f->tasks, when, s.pid, s.tid, f->error) : PD_OK;
    *kept = false;
    if (!code && is_readable(rec))
        code = take_sample(f, rec, &s, kept);
    if (!code && early)
        note_subject(f, &s, when->at, UINT64_MAX, wants_task(f, &s), *kept);
    return code;
}

static enum pd_code choose_with(struct pi_filtering *f, struct pd_record *rec, const struct pd_moment *when,
                                bool *kept)
{
    struct pi_subject s;
    look_at(f, rec, when, &s);
    *kept = choose_with_task(f, &s);
    if (f->guesses && s.has_task)
        f->wrong |= s.pid == UINT32_MAX || !pi_tasks_note(f->tasks, s.pid, s.tid);
    return *kept && f->tasks && s.has_task ? need_task(f, &s) : PD_OK;
}

static enum pd_code choose(struct pi_filtering *f, struct pd_record *rec, const struct pd_moment *when)
{
    const enum pi_role role = pi_role_of(rec);
    bool kept;
    if (role == PI_ROLE_OF_TASK && f->tasks)
        return pd_tasks_check(f->tasks, rec, when, f->error);
    if (role == PI_ROLE_WITH_TASK)
        return choose_with(f, rec, when, &kept);
    return role == PI_ROLE_SAMPLE && is_readable(rec) ? choose_known(f, rec, when, &kept) : PD_OK;
}

/* The first two passes at once, where the choice does not need the first one. */
static enum pd_code collect_and_choose(struct pi_filtering *f, struct pd_record *rec,
                                       const struct pd_moment *when)
{
    bool kept;
    if (rec->type == PD_RECORD_SAMPLE)
        return collect_and_choose_sample(f, rec, when, &kept);
    const enum pd_code code = pi_filter_collect(f, rec, when);
    return !code && pi_role_of(rec) == PI_ROLE_WITH_TASK ? choose_with(f, rec, when, &kept) : code;
}

static bool keep_other(const struct pi_filtering *f, const struct pd_record *rec, enum pi_role role);

/* True if it would be kept without a message. */
static bool is_sound(const struct pi_filtering *f, struct pd_record *rec)
{
    const enum pd_code code = pd_reader_decode(f->reader, rec, NULL);
    return code == PD_OK || code == PD_EUNKNOWN;
}

static bool is_simple(const struct pd_record *rec, enum pi_role role)
{
    return role != PI_ROLE_WRAPPER && role != PI_ROLE_CHAIN && !rec->depth && !rec->payload_size &&
           (role != PI_ROLE_SAMPLE || is_readable(rec));
}

/*
 * The choice, remembered; at the first record that is not simple, that ends, and the copy chooses anew from
 * there on. False: it has ended here.
 */
static bool remember(struct pi_filtering *f, struct pd_record *rec, const struct pd_moment *when,
                     enum pi_role role, bool kept)
{
    struct pi_scan *s = &f->scan;
    if (role == PI_ROLE_OF_TASK)
        return pi_scan_note_task(s, f->options->allocator, rec, when);
    if ((kept && !is_sound(f, rec)) || !pi_scan_note_record(s, f->options->allocator, rec, kept))
        return false;
    *(role == PI_ROLE_SAMPLE ? &s->samples : &s->others) += 1;
    *(role == PI_ROLE_SAMPLE ? &s->kept_samples : &s->kept_others) += kept;
    return true;
}

/* A record of the pass that chooses, `joined` with the first one or not. */
static enum pd_code choose_one(struct pi_filtering *f, struct pd_record *rec, const struct pd_moment *when,
                               bool joined)
{
    const enum pi_role role = pi_role_of(rec);
    enum pd_code code = PD_OK;
    bool kept = false;
    if (!f->scan.on || !is_simple(rec, role)) {
        if (f->scan.on)
            pi_scan_end(&f->scan, &f->scan.end);
        return joined ? collect_and_choose(f, rec, when) : choose(f, rec, when);
    }
    if (role == PI_ROLE_SAMPLE) {
        code = joined ? collect_and_choose_sample(f, rec, when, &kept) : choose_known(f, rec, when, &kept);
    } else if (role == PI_ROLE_OF_TASK) {
        code = joined ? pi_filter_collect(f, rec, when) : pd_tasks_check(f->tasks, rec, when, f->error);
    } else if (role == PI_ROLE_WITH_TASK) {
        code = choose_with(f, rec, when, &kept);
    } else {
        kept = keep_other(f, rec, role);
    }
    if (!code && !remember(f, rec, when, role, kept))
        pi_scan_end(&f->scan, &f->scan.end);
    return code;
}

static enum pd_code choose_first(struct pi_filtering *f, struct pd_record *rec, const struct pd_moment *when)
{
    return choose_one(f, rec, when, true);
}

static enum pd_code choose_second(struct pi_filtering *f, struct pd_record *rec, const struct pd_moment *when)
{
    return choose_one(f, rec, when, false);
}

/* The rest of the second pass. */
static enum pd_code check_maps(struct pi_filtering *f, struct pd_record *rec, const struct pd_moment *when)
{
    return pi_role_of(rec) == PI_ROLE_OF_TASK ? pd_tasks_check(f->tasks, rec, when, f->error) : PD_OK;
}

/* ---- Third pass */

/* A record that is kept because it cannot be read. */
static bool unreadable(struct pi_filtering *f, const struct pd_error *what)
{
    if (f->last_pass && f->unreadable != what->record_index) {
        f->unreadable = what->record_index;
        f->stats->undecodable++;
        pi_filter_report(f, what);
    }
    return true;
}

/* The record, with the bytes that are to be written. */
static enum pd_code keep_bytes(struct pi_filtering *f, struct pd_record *rec, const uint8_t *bytes)
{
    struct pd_error what;
    if (pi_record_is_damaged(f->reader, rec, &what))
        unreadable(f, &what);
    enum pd_code code = pi_output_record(&f->out, rec, bytes);
    if (!code)
        code = pi_output_note_aux(&f->out, rec);
    if (!code && rec->payload_size)
        code = pi_output_copy_payload(&f->out, f->reader, NULL, f->error);
    if (rec->type == PD_RECORD_SAMPLE)
        f->stats->kept_samples++;
    else
        f->stats->kept_others++;
    return code;
}

static enum pd_code keep_record(struct pi_filtering *f, struct pd_record *rec)
{
    return keep_bytes(f, rec, rec->raw);
}

/* A sample with values of counters, kept or not. */
static enum pd_code pass_counters(struct pi_filtering *f, struct pd_record *rec)
{
    uint8_t room[UINT16_MAX + 1];
    const uint8_t *bytes;
    const enum pd_code code =
        pi_reads_pass(&f->counters, f->kept ? &f->sums : NULL, rec, room, &bytes, f->error);
    return code || !f->kept ? code : keep_bytes(f, rec, bytes);
}

/* A feature section in a pipe stream: its number, then its bytes. The time of the samples is written anew. */
static enum pd_code keep_feature(struct pi_filtering *f, struct pd_record *rec)
{
    const enum pd_order order = pd_reader_info(f->reader)->order;
    struct pd_bytes data;
    uint64_t id;
    uint8_t bytes[UINT16_MAX];
    if (f->flowing || !pi_record_feature(rec, order, &id, &data) || id != PD_FEAT_SAMPLE_TIME ||
        data.n < PI_SAMPLE_TIME_BYTES)
        return keep_record(f, rec);
    memcpy(bytes, rec->raw, rec->size);
    pi_put_sample_time(bytes + (data.ptr - rec->raw), f->stats->first, f->stats->last, order);
    f->stats->kept_others++;
    return pi_output_record(&f->out, rec, bytes);
}

static bool keep_of_task(struct pi_filtering *f, struct pd_record *rec, const struct pd_moment *when)
{
    struct pi_subject s;
    struct pi_told told;
    struct pd_error what;
    const bool listed = pi_lists_type(&f->keep, rec->type);
    if (pi_lists_type(&f->drop, rec->type))
        return false;
    if (f->options->sideband == PD_SIDEBAND_ALL || (f->options->sideband == PD_SIDEBAND_NEEDED && f->flowing))
        return true; /* a stream is read once: keep every task record */
    if (f->options->sideband == PD_SIDEBAND_NONE && !listed)
        return false;
    if (pi_told_of(rec, &told, &what))
        return unreadable(f, &what);
    if (f->options->sideband == PD_SIDEBAND_NEEDED && pi_filter_is_needed(f, &told, rec->index))
        return true;
    pi_subject_init(&s, rec);
    s.pid = told.pid;
    s.tid = told.tid;
    s.has_task = true;
    if (listed && f->ask_tasks)
        find_task(f, when, &s);
    return listed && meets(f, &s);
}

static bool keep_chain(struct pi_filtering *f, struct pd_record *rec)
{
    struct pd_error what;
    uint32_t pid, tid = UINT32_MAX;
    if (pi_lists_type(&f->drop, rec->type))
        return false;
    if (f->options->sideband == PD_SIDEBAND_ALL || pi_lists_type(&f->keep, rec->type) || f->flowing)
        return true;
    if (pd_reader_decode(f->reader, rec, &what))
        return unreadable(f, &what);
    pd_record_task(rec, &pid, &tid);
    return pi_chains_find(&f->chains, rec->u.callchain_deferred.cookie, tid) != NULL;
}

static bool keep_other(const struct pi_filtering *f, const struct pd_record *rec, enum pi_role role)
{
    if (pi_lists_type(&f->drop, rec->type))
        return false;
    return role == PI_ROLE_TOOL || f->options->sideband != PD_SIDEBAND_NONE ||
           pi_lists_type(&f->keep, rec->type);
}

/* A short sample of an unknown layout is not damaged, since its fields are unknown. */
static void why_not_readable(const struct pd_record *rec, struct pd_error *what)
{
    if (rec->plan == NULL)
        pi_fail_record(what, PD_EUNKNOWN, rec, 0, "event id", 0, 0);
    else if (pi_layout_unknown(rec->plan, rec->type))
        pi_fail_record(what, PD_EUNKNOWN, rec, 0, "sample_type", rec->plan->shape.sample_type, 0);
    else
        pi_fail_record(what, PD_ESHORT, rec, 0, "sample", rec->size, rec->plan->pid + 8u);
}

static bool keep_sample(struct pi_filtering *f, struct pd_record *rec, const struct pd_moment *when)
{
    struct pi_subject s;
    struct pd_error what;
    uint64_t from, to;
    f->stats->samples++;
    if (!is_readable(rec)) {
        why_not_readable(rec, &what);
        return unreadable(f, &what);
    }
    if (f->scan.quick) {
        look_at_span(f, rec, when, &s, &from, &to);
        note_subject(f, &s, from, to, wants_task(f, &s), true); /* who is needed is known */
    } else {
        look_at(f, rec, when, &s);
    }
    if (!choose_sample(f, &s, rec))
        return false;
    note_time(f, &s);
    return true;
}

static bool chosen(struct pi_filtering *f, struct pd_record *rec, const struct pd_moment *when,
                   enum pi_role role)
{
    struct pi_subject s;
    switch (role) {
    case PI_ROLE_SAMPLE: return keep_sample(f, rec, when);
    case PI_ROLE_WITH_TASK: look_at(f, rec, when, &s); return choose_with_task(f, &s);
    case PI_ROLE_OF_TASK: return keep_of_task(f, rec, when);
    case PI_ROLE_CHAIN: return keep_chain(f, rec);
    default: return keep_other(f, rec, role);
    }
}

enum pd_code pi_filter_copy(struct pi_filtering *f, struct pd_record *rec, const struct pd_moment *when)
{
    const enum pi_role role = pi_role_of(rec);
    if (role == PI_ROLE_WRAPPER)
        return pi_output_wrapper(&f->out, rec);
    f->stats->others += role != PI_ROLE_SAMPLE;
    f->kept = chosen(f, rec, when, role);
    if (f->kept && f->out.pipe && rec->type == PD_RECORD_HEADER_FEATURE && !rec->old_feature)
        return keep_feature(f, rec);
    if (pi_has_reads(rec))
        return pass_counters(f, rec);
    return f->kept ? keep_record(f, rec) : PD_OK;
}

/* ---- All of it */

/* Looks for events that take more than copying their samples. */
static void look_at_events(struct pi_filtering *f)
{
    for (size_t i = 0; i < pd_reader_n_attrs(f->reader); i++) {
        const struct pd_attr *attr = &pd_reader_attr(f->reader, i)->attr;
        f->deferred |= (attr->flags & PD_ATTR_DEFER_CALLCHAIN) != 0;
    }
    f->reads = pi_counts_are_read(f->reader, 0);
}

/* In a pipe stream, the first pass finds the attrs. */
static bool is_joined(const struct pi_filtering *f)
{
    return f->tasks && (!f->ask_tasks || f->guesses) && !pi_filter_is_pipe(f);
}

/*
 * A list of processes needs tasks only if some tid has more than one process, which is known after
 * collecting, and rare.
 */
static bool may_guess(const struct pi_filtering *f)
{
    const struct pd_filter_options *o = f->options;
    return f->ask_tasks && o->sideband == PD_SIDEBAND_NEEDED && !o->keep.comms && !o->drop.comms &&
           !pi_filter_is_pipe(f);
}

/* True if a sample is chosen by its time, task, cpu and event alone. */
static bool is_quick(const struct pi_filtering *f)
{
    const struct pd_filter_options *o = f->options;
    return f->tasks && o->sideband == PD_SIDEBAND_NEEDED && !f->deferred && !f->reads && !f->ordered &&
           !o->predicate && !o->keep.types && !o->drop.types && !o->all_user && !o->all_kernel && !o->every &&
           !o->limit;
}

/*
 * True if selected records can be copied without decoding. Then the choice is remembered, by offsets between
 * which nothing may be left out.
 */
static void start_to_remember(struct pi_filtering *f)
{
    const struct pd_filter_options *o = f->options;
    if (pd_reader_info(f->reader)->container == PD_CONTAINER_FILE && f->reader->skips == NULL &&
        o->sideband == PD_SIDEBAND_NEEDED && !f->deferred && !f->reads && !o->keep.types && !o->drop.types)
        pi_scan_start(f);
}

enum pd_code pi_filter_prepare(struct pi_filtering *f)
{
    const bool needed = f->options->sideband == PD_SIDEBAND_NEEDED;
    enum pd_code code = pi_filter_lists_init(f);
    f->guesses = may_guess(f);
    if (!code && (f->ask_tasks || needed))
        code = pd_tasks_new(&f->tasks, f->options->allocator, f->error);
    const bool pipe = pi_filter_is_pipe(f);
    f->pass = pi_record_bytes(f->reader);
    pi_progress_expect(&f->progress, f->pass,
                       1u + (f->ordered != NULL) + (f->tasks || pipe) + ((needed && !is_joined(f)) || pipe));
    return code;
}

static enum pd_code skip(struct pi_filtering *f, struct pd_record *rec, const struct pd_moment *when)
{
    (void)f, (void)rec, (void)when;
    return PD_OK;
}

/* All is known of tasks. */
static enum pd_code finish_tasks(struct pi_filtering *f)
{
    enum pd_code code = f->tasks ? pd_tasks_finish(f->tasks, f->error) : PD_OK;
    if (!code && f->ask_tasks)
        code = pi_criteria_names(&f->keep, f->tasks, f->error);
    if (!code && f->ask_tasks)
        code = pi_criteria_names(&f->drop, f->tasks, f->error);
    return code;
}

/* Forgets a choice. */
static void unchoose(struct pi_filtering *f)
{
    pi_tasks_need_none(f->tasks);
    memset(f->needed, 0, sizeof f->needed);
    pi_chains_free(&f->chains);
    f->chains.allocator = f->options->allocator;
    f->stats->first = f->stats->last = 0;
    f->scan.complete = false;
}

static enum pd_code choose_all(struct pi_filtering *f)
{
    if (f->options->sideband != PD_SIDEBAND_NEEDED && !f->deferred && !pi_filter_is_pipe(f))
        return PD_OK;
    start_to_remember(f);
    return scan_records(f, choose_second);
}

/* Check remembered maps from memory; re-read only the rest. */
static enum pd_code check_all(struct pi_filtering *f)
{
    const struct pi_place begin = begin_of(f);
    const enum pd_code code = f->scan.complete ? pi_scan_check(f) : PD_OK;
    return code ? code : each_record(f, f->scan.complete ? &f->scan.end : &begin, NULL, check_maps);
}

/* The first two passes at once, and what else it then takes. */
static enum pd_code learn_at_once(struct pi_filtering *f)
{
    start_to_remember(f);
    enum pd_code code = scan_records(f, choose_first);
    const bool several = pd_tasks_several(f->tasks), wrong = f->guesses && (several || f->wrong);
    f->guesses = false;
    if (!code)
        code = finish_tasks(f);
    if (code || !(wrong || several))
        return code;
    pi_progress_expect(&f->progress, f->pass, 1); /* once more */
    if (!wrong)
        return check_all(f);
    unchoose(f);
    return choose_all(f);
}

enum pd_code pi_filter_learn(struct pi_filtering *f)
{
    enum pd_code code = PD_OK;
    look_at_events(f);
    f->scan.quick = is_quick(f);
    if (is_joined(f)) {
        code = learn_at_once(f);
    } else {
        if (f->tasks ||
            pi_filter_is_pipe(f)) /* in a pipe stream this finds the attrs, and the next the times */
            code = scan_records(f, f->tasks ? pi_filter_collect : skip);
        look_at_events(f);
        f->scan.quick = is_quick(f);
        if (!code)
            code = finish_tasks(f);
        if (!code)
            code = choose_all(f);
    }
    if (!code && f->options->sideband == PD_SIDEBAND_NEEDED)
        code = pd_tasks_ancestors(f->tasks, f->error);
    return code;
}

enum pd_code pi_filter_write(struct pi_filtering *f)
{
    struct pi_place from = begin_of(f);
    bool over = false;
    enum pd_code code = pi_output_begin(&f->out);
    f->out.runs = true;
    if (!code && f->scan.complete && f->out.sections.writer->deflate.ctx == NULL) {
        code = pd_reader_rewind(f->reader, f->error);
        if (!code)
            code = pi_scan_copy(f, &over);
        from = f->scan.end;
    }
    if (!code && !over)
        code = each_record(f, &from, f->scan.quick && from.clock.timed ? pi_scan_copy_samples : NULL,
                           pi_filter_copy);
    pi_reader_left_out(f->reader, &f->stats->samples, &f->stats->others);
    f->out.sections.first = f->stats->first;
    f->out.sections.last = f->stats->last;
    f->out.sections.keep_time = f->stats->samples == f->stats->kept_samples && !f->stats->damaged;
    f->out.sections.no_aux = pi_lists_type(&f->drop, PD_RECORD_AUXTRACE);
    return code ? code : pi_output_end(&f->out);
}
