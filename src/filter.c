/* SPDX-License-Identifier: MIT */
/*
 * filter.c - a recording with only the selected records, in up to three passes over the input: what tasks are
 * called when (collect), which records stay and hence which tasks are needed (choose), and the copy. The first two are one
 * where the choice does not ask for tasks. Of a
 * stream that cannot seek there is only the copy, see filter_stream.c.
 */
#include "filter.h"
#include "codec_internal.h"
#include "file.h"
#include "wire.h"
#include "word.h"

/* clang-format off */
static const uint8_t roles[PD_RECORD_HEADER_ATTR] = {
    [PD_RECORD_SAMPLE] = PD_ROLE_SAMPLE,
    [PD_RECORD_SWITCH] = PD_ROLE_WITH_TASK,
    [PD_RECORD_SWITCH_CPU_WIDE] = PD_ROLE_WITH_TASK,
    [PD_RECORD_READ] = PD_ROLE_WITH_TASK,
    [PD_RECORD_AUX] = PD_ROLE_WITH_TASK,
    [PD_RECORD_COMM] = PD_ROLE_OF_TASK,
    [PD_RECORD_FORK] = PD_ROLE_OF_TASK,
    [PD_RECORD_EXIT] = PD_ROLE_OF_TASK,
    [PD_RECORD_MMAP] = PD_ROLE_OF_TASK,
    [PD_RECORD_MMAP2] = PD_ROLE_OF_TASK,
    [PD_RECORD_NAMESPACES] = PD_ROLE_OF_TASK,
    [PD_RECORD_CALLCHAIN_DEFERRED] = PD_ROLE_CHAIN,
};
/* clang-format on */

enum pd_role pd_filter_role(const struct pd_record *rec)
{
    if (rec->old_feature)
        return PD_ROLE_TOOL;
    if (rec->type == PD_RECORD_COMPRESSED || rec->type == PD_RECORD_COMPRESSED2)
        return PD_ROLE_WRAPPER;
    return rec->type < PD_RECORD_HEADER_ATTR ? (enum pd_role)roles[rec->type] : PD_ROLE_TOOL;
}

typedef enum pd_code visit_fn(struct pd_filtering *f, struct pd_record *rec, const struct pd_moment *when);

static void report(struct pd_filtering *f, const struct pd_error *what)
{
    if (f->options->finding && f->last_pass)
        f->options->finding(f->options->user, what);
}

void pd_filter_progress(struct pd_filtering *f, const struct pd_record *rec)
{
    f->passed += rec->depth ? 0 : rec->size + rec->payload_size;
    if (f->options->progress && (++f->tick & 255) == 0)
        f->options->progress(f->options->user, f->passed, f->total);
}

/* In a directory, the records of the next file follow. */
enum pd_code pd_filter_damage(struct pd_filtering *f, const struct pd_error *what, bool *over)
{
    if (what->code == PD_EIO || what->code == PD_ENOMEM) {
        *f->error = *what;
        return what->code;
    }
    *over = what->code != PD_EZSTD && what->code != PD_ELIMIT && pd_reader_n_members(f->reader) < 2;
    f->stats->damaged = true;
    report(f, what);
    return PD_OK;
}

/* What follows the record is not all there, so the record is not taken, and nothing behind it. */
static enum pd_code payload_missing(struct pd_filtering *f, const struct pd_record *rec, uint64_t left,
                                    struct pd_error *what)
{
    f->reader->stopped = true;
    f->reader->payload_left = 0;
    return pd_fail_record(what, PD_ETRUNC, rec, 0, "payload", left, rec->payload_size);
}

/* The next record that has to be looked for: what is visible may move. */
static enum pd_code next_any(struct pd_filtering *f, struct pd_record *rec, struct pd_error *what, enum pd_code *code)
{
    const enum pd_code next = (*code = pd_filter_out_flush(&f->out)) ? PD_END : pd_reader_next(f->reader, rec, what);
    const uint64_t left = next ? 0 : f->reader->end - f->reader->at;
    return !next && rec->payload_size > left ? payload_missing(f, rec, left, what) : next;
}

/* Calls `visit` for every record from the first on. */
static inline __attribute__((always_inline)) enum pd_code each_record(struct pd_filtering *f, visit_fn *visit)
{
    struct pd_record rec = {0};
    struct pd_clock clock;
    struct pd_moment when;
    struct pd_error what;
    bool over = false;
    enum pd_code code = pd_reader_rewind(f->reader, f->error);
    f->met = f->taken = 0;
    pd_clock_init(&clock, pd_clock_is_timed(f->reader));
    while (!code && !over) {
        const enum pd_code next =
            pd_reader_next_quick(f->reader, &rec) ? PD_OK : next_any(f, &rec, &what, &code);
        if (next == PD_END)
            break;
        if (next) {
            code = pd_filter_damage(f, &what, &over);
            continue;
        }
        pd_clock_stamp_here(&clock, &rec, &when);
        code = visit(f, &rec, &when);
        pd_filter_progress(f, &rec);
    }
    return code;
}

/* ---- First pass */

/* A sample that perf does not pass over early is one from which it learns that there is a task. */
static enum pd_code collect(struct pd_filtering *f, struct pd_record *rec, const struct pd_moment *when)
{
    struct pd_subject s;
    struct pd_error what;
    if (rec->type != PD_RECORD_SAMPLE) {
        const enum pd_code code = pd_tasks_record(f->tasks, rec, when, &what);
        if (code == PD_ENOMEM || (code == PD_ELIMIT && what.record_index == PD_NOWHERE))
            *f->error = what;
        else
            return PD_OK; /* what cannot be decoded is reported when it is copied */
        return code;
    }
    pd_subject_init(&s, rec);
    return pd_meets_early(&f->keep, &s) ? pd_tasks_mention(f->tasks, when, s.pid, s.tid, f->error) : PD_OK;
}

/* ---- The choice */

static bool mode_meets(const struct pd_filtering *f, const struct pd_record *rec)
{
    const unsigned mode = rec->misc & PD_MISC_CPUMODE;
    const bool kernel = mode == PD_CPUMODE_KERNEL || mode == PD_CPUMODE_GUEST_KERNEL;
    const bool user = mode == PD_CPUMODE_USER || mode == PD_CPUMODE_GUEST_USER;
    return !(f->options->all_user && kernel) && !(f->options->all_kernel && user);
}

static void find_task(const struct pd_filtering *f, const struct pd_moment *when, struct pd_subject *s)
{
    if (f->flowing)
        pd_live_find(f->live, when, s->tid, &s->task);
    else
        pd_tasks_find(f->tasks, when, s->tid, &s->task);
}

/* The subject of a sample, or of a record that goes with one. */
static void look_at(const struct pd_filtering *f, struct pd_record *rec, const struct pd_moment *when,
                    struct pd_subject *s)
{
    pd_subject_init(s, rec);
    if (rec->type == PD_RECORD_READ && !s->has_task && rec->plan &&
        !pd_record_decode_framed(rec->plan, rec, NULL)) {
        s->pid = rec->u.read.pid;
        s->tid = rec->u.read.tid;
        s->has_task = true;
    }
    if (f->ask_tasks && s->has_task)
        find_task(f, when, s);
}

static bool meets(const struct pd_filtering *f, const struct pd_subject *s)
{
    return pd_meets_all(&f->keep, s) && !(f->drops && pd_meets_any(&f->drop, s));
}

static bool thin_out(struct pd_filtering *f)
{
    const uint64_t every = f->options->every, limit = f->options->limit;
    if (every && f->met++ % every)
        return false;
    return !limit || f->taken++ < limit;
}

static bool choose_sample(struct pd_filtering *f, const struct pd_subject *s)
{
    const struct pd_record *rec = s->rec;
    if (f->options->keep.types && !pd_lists_type(&f->keep, rec->type))
        return false;
    return mode_meets(f, rec) && meets(f, s) && thin_out(f);
}

static bool choose_with_task(const struct pd_filtering *f, const struct pd_subject *s)
{
    const bool listed = pd_lists_type(&f->keep, s->rec->type);
    if (f->options->sideband == PD_SIDEBAND_ALL)
        return !pd_lists_type(&f->drop, s->rec->type);
    if (!listed && (f->options->keep.types || f->options->sideband == PD_SIDEBAND_NONE))
        return false;
    return meets(f, s);
}

static bool is_readable(const struct pd_record *rec)
{
    uint32_t pid, tid;
    if (rec->plan == NULL)
        return false;
    return !rec->plan->pid || pd_word_task(rec, &pid, &tid);
}

/* ---- Second pass */

/* Widens the time of the kept samples. */
static void note_time(struct pd_filtering *f, const struct pd_subject *s)
{
    struct pd_filter_stats *stats = f->stats;
    if (s->time == 0 || s->time == UINT64_MAX)
        return;
    if (stats->first == 0 || s->time < stats->first)
        stats->first = s->time;
    if (s->time > stats->last)
        stats->last = s->time;
}

static enum pd_code need(struct pd_filtering *f, const struct pd_subject *s)
{
    struct pd_needed *told = &f->needed[s->tid % PD_TOLD];
    enum pd_code code = PD_OK;
    if (told->known && s->pid == told->pid && s->tid == told->tid && s->task.pid == told->process)
        return PD_OK;
    code = pd_tasks_need(f->tasks, s->pid, f->error);
    if (!code && s->tid != s->pid)
        code = pd_tasks_need(f->tasks, s->tid, f->error);
    if (!code && s->task.pid != s->pid && s->task.pid != UINT32_MAX)
        code = pd_tasks_need(f->tasks, s->task.pid, f->error);
    *told = (struct pd_needed){s->pid, s->tid, s->task.pid, code == PD_OK};
    return code;
}

static enum pd_code note_chain(struct pd_filtering *f, struct pd_record *rec, uint32_t tid)
{
    uint64_t cookie;
    if (!(rec->attr && rec->attr->flags & PD_ATTR_DEFER_CALLCHAIN) || pd_reader_decode(f->reader, rec, NULL))
        return PD_OK;
    if (pd_chain_cookie(rec, &cookie) && !pd_chains_add(&f->chains, cookie, tid))
        return pd_fail_record(f->error, PD_ENOMEM, rec, 0, "deferred chains", 0, f->chains.size * 32);
    return PD_OK;
}

static enum pd_code choose(struct pd_filtering *f, struct pd_record *rec, const struct pd_moment *when)
{
    const enum pd_role role = pd_filter_role(rec);
    struct pd_subject s;
    if (role == PD_ROLE_OF_TASK && f->tasks)
        return pd_tasks_check(f->tasks, rec, when, f->error);
    if ((role != PD_ROLE_SAMPLE && role != PD_ROLE_WITH_TASK) ||
        (role == PD_ROLE_SAMPLE && !is_readable(rec)))
        return PD_OK;
    look_at(f, rec, when, &s);
    if (role == PD_ROLE_SAMPLE ? !choose_sample(f, &s) : !choose_with_task(f, &s))
        return PD_OK;
    if (role == PD_ROLE_SAMPLE)
        note_time(f, &s);
    enum pd_code code = f->tasks && s.has_task ? need(f, &s) : PD_OK;
    return !code && role == PD_ROLE_SAMPLE && f->deferred ? note_chain(f, rec, s.tid) : code;
}

/* The first two passes at once, where no list asks what a task is called: the choice does not need the first one. */
static enum pd_code collect_and_choose(struct pd_filtering *f, struct pd_record *rec, const struct pd_moment *when)
{
    struct pd_subject s;
    enum pd_code code;
    if (rec->type != PD_RECORD_SAMPLE)
        return (code = collect(f, rec, when)) || pd_filter_role(rec) == PD_ROLE_OF_TASK ? code : choose(f, rec, when);
    pd_subject_init(&s, rec);
    code = pd_meets_early(&f->keep, &s) ? pd_tasks_mention(f->tasks, when, s.pid, s.tid, f->error) : PD_OK;
    if (code || !is_readable(rec) || !choose_sample(f, &s))
        return code;
    note_time(f, &s);
    code = need(f, &s);
    return !code && f->deferred ? note_chain(f, rec, s.tid) : code;
}

/* What is then left of the second. */
static enum pd_code check_maps(struct pd_filtering *f, struct pd_record *rec, const struct pd_moment *when)
{
    return pd_filter_role(rec) == PD_ROLE_OF_TASK ? pd_tasks_check(f->tasks, rec, when, f->error) : PD_OK;
}

/* ---- Third pass */

static enum pd_code emit_payload(struct pd_filtering *f)
{
    const uint8_t *p;
    size_t n = 0;
    enum pd_code code = pd_filter_out_flush(&f->out);
    do {
        if (!code && (code = pd_reader_payload(f->reader, &p, &n, f->error)) == PD_OK && n)
            code = pd_filter_out_payload(&f->out, p, n);
    } while (!code && n);
    return code;
}

static enum pd_code note_place(struct pd_filtering *f, const struct pd_record *rec)
{
    const size_t n = f->sections.n_moved;
    if (!pd_grow(f->options->allocator, (void **)&f->moved, n, &f->moved_cap, sizeof *f->moved))
        return pd_fail_record(f->error, PD_ENOMEM, rec, 0, "AUXTRACE index", 0,
                              (n + 1) * 2 * sizeof *f->moved);
    const enum pd_code code = pd_filter_out_flush(&f->out);
    f->moved[n] = (struct pd_moved){rec->offset, pd_writer_data_offset(f->sections.writer) +
                                                     pd_writer_data_size(f->sections.writer) - rec->size};
    f->sections.n_moved = n + 1;
    return code;
}

/* A record that is kept because it cannot be read. */
static bool unreadable(struct pd_filtering *f, const struct pd_error *what)
{
    if (f->last_pass && f->unreadable != what->record_index) {
        f->unreadable = what->record_index;
        f->stats->undecodable++;
        report(f, what);
    }
    return true;
}

/* Is the record that is being kept what it should be? Its bytes are copied all the same. */
static void verify(struct pd_filtering *f, struct pd_record *rec)
{
    struct pd_error what;
    const enum pd_code code = pd_reader_decode(f->reader, rec, &what);
    if (code && code != PD_EUNKNOWN)
        unreadable(f, &what);
}

static enum pd_code keep_record(struct pd_filtering *f, struct pd_record *rec)
{
    verify(f, rec);
    enum pd_code code = pd_filter_out_record(&f->out, rec, rec->raw);
    if (!code && rec->type == PD_RECORD_AUXTRACE && !f->out.pipe && rec->member == 0)
        code = note_place(f, rec);
    if (!code && rec->payload_size)
        code = emit_payload(f);
    if (rec->type == PD_RECORD_SAMPLE)
        f->stats->kept_samples++;
    else
        f->stats->kept_others++;
    return code;
}

/* A feature section in a pipe stream: its number, then its bytes. The time of the samples is written anew. */
static enum pd_code keep_feature(struct pd_filtering *f, struct pd_record *rec)
{
    const enum pd_order order = pd_reader_info(f->reader)->order;
    const size_t head = 16, end = head + 16;
    uint8_t bytes[UINT16_MAX];
    if (f->flowing || rec->size < end || pd_load64(rec->raw + 8, order) != PD_FEAT_SAMPLE_TIME)
        return keep_record(f, rec);
    memcpy(bytes, rec->raw, rec->size);
    pd_store64(bytes + head, f->stats->first, order);
    pd_store64(bytes + head + 8, f->stats->last, order);
    f->stats->kept_others++;
    return pd_filter_out_record(&f->out, rec, bytes);
}

bool pd_filter_task_of(struct pd_record *rec, uint32_t *pid, uint32_t *tid, struct pd_error *what)
{
    if (rec->plan == NULL) {
        pd_fail_record(what, PD_EUNKNOWN, rec, 0, "event id", 0, 0);
        return false;
    }
    if (pd_record_decode_framed(rec->plan, rec, what))
        return false;
    switch (rec->type) {
    case PD_RECORD_COMM: *pid = rec->u.comm.pid, *tid = rec->u.comm.tid; break;
    case PD_RECORD_FORK: *pid = rec->u.fork.pid, *tid = rec->u.fork.tid; break;
    case PD_RECORD_EXIT: *pid = rec->u.exit.pid, *tid = rec->u.exit.tid; break;
    case PD_RECORD_MMAP: *pid = rec->u.mmap.pid, *tid = rec->u.mmap.tid; break;
    case PD_RECORD_MMAP2: *pid = rec->u.mmap2.pid, *tid = rec->u.mmap2.tid; break;
    default: *pid = rec->u.namespaces.pid, *tid = rec->u.namespaces.tid; break;
    }
    return true;
}

bool pd_filter_of_kernel(const struct pd_record *rec, uint32_t pid)
{
    const unsigned mode = rec->misc & PD_MISC_CPUMODE;
    if (rec->type != PD_RECORD_MMAP && rec->type != PD_RECORD_MMAP2)
        return false;
    return pid == UINT32_MAX || mode == PD_CPUMODE_KERNEL || mode == PD_CPUMODE_GUEST_KERNEL;
}

static bool is_needed(const struct pd_filtering *f, const struct pd_record *rec, uint32_t pid, uint32_t tid)
{
    if (pd_filter_of_kernel(rec, pid) || pd_tasks_needed(f->tasks, pid) || pd_tasks_needed(f->tasks, tid))
        return true;
    return rec->type == PD_RECORD_FORK && pd_tasks_fork_made_parent(f->tasks, rec->index) &&
           (pd_tasks_needed(f->tasks, rec->u.fork.ppid) || pd_tasks_needed(f->tasks, rec->u.fork.ptid));
}

static bool keep_of_task(struct pd_filtering *f, struct pd_record *rec, const struct pd_moment *when)
{
    struct pd_subject s;
    struct pd_error what;
    const bool listed = pd_lists_type(&f->keep, rec->type);
    if (pd_lists_type(&f->drop, rec->type))
        return false;
    if (f->options->sideband == PD_SIDEBAND_ALL || (f->options->sideband == PD_SIDEBAND_NEEDED && f->flowing))
        return true; /* of what flows, nobody knows what will be needed */
    if (f->options->sideband == PD_SIDEBAND_NONE && !listed)
        return false;
    pd_subject_init(&s, rec);
    if (!pd_filter_task_of(rec, &s.pid, &s.tid, &what))
        return unreadable(f, &what);
    if (f->options->sideband == PD_SIDEBAND_NEEDED && is_needed(f, rec, s.pid, s.tid))
        return true;
    s.has_task = true;
    if (listed && f->ask_tasks)
        find_task(f, when, &s);
    return listed && meets(f, &s);
}

static bool keep_chain(struct pd_filtering *f, struct pd_record *rec)
{
    struct pd_error what;
    uint32_t pid, tid = UINT32_MAX;
    if (pd_lists_type(&f->drop, rec->type))
        return false;
    if (f->options->sideband == PD_SIDEBAND_ALL || pd_lists_type(&f->keep, rec->type) || f->flowing)
        return true;
    if (pd_reader_decode(f->reader, rec, &what))
        return unreadable(f, &what);
    pd_record_task(rec, &pid, &tid);
    return pd_chains_has(&f->chains, rec->u.callchain_deferred.cookie, tid);
}

static bool keep_other(const struct pd_filtering *f, const struct pd_record *rec, enum pd_role role)
{
    if (pd_lists_type(&f->drop, rec->type))
        return false;
    return role == PD_ROLE_TOOL || f->options->sideband != PD_SIDEBAND_NONE ||
           pd_lists_type(&f->keep, rec->type);
}

static bool keep_sample(struct pd_filtering *f, struct pd_record *rec, const struct pd_moment *when)
{
    struct pd_subject s;
    struct pd_error what;
    f->stats->samples++;
    if (!is_readable(rec)) {
        pd_fail_record(&what, rec->plan ? PD_ESHORT : PD_EUNKNOWN, rec, 0, rec->plan ? "sample" : "event id",
                       rec->plan ? rec->size : 0, rec->plan ? rec->plan->pid + 8u : 0);
        return unreadable(f, &what);
    }
    look_at(f, rec, when, &s);
    if (!choose_sample(f, &s))
        return false;
    note_time(f, &s);
    return true;
}

static bool chosen(struct pd_filtering *f, struct pd_record *rec, const struct pd_moment *when,
                   enum pd_role role)
{
    struct pd_subject s;
    switch (role) {
    case PD_ROLE_SAMPLE: return keep_sample(f, rec, when);
    case PD_ROLE_WITH_TASK: look_at(f, rec, when, &s); return choose_with_task(f, &s);
    case PD_ROLE_OF_TASK: return keep_of_task(f, rec, when);
    case PD_ROLE_CHAIN: return keep_chain(f, rec);
    default: return keep_other(f, rec, role);
    }
}

enum pd_code pd_filter_copy(struct pd_filtering *f, struct pd_record *rec, const struct pd_moment *when)
{
    const enum pd_role role = pd_filter_role(rec);
    if (role == PD_ROLE_WRAPPER)
        return pd_filter_out_wrapper(&f->out, rec);
    f->stats->others += role != PD_ROLE_SAMPLE;
    f->kept = chosen(f, rec, when, role);
    if (f->kept && f->out.pipe && rec->type == PD_RECORD_HEADER_FEATURE && !rec->old_feature)
        return keep_feature(f, rec);
    return f->kept ? keep_record(f, rec) : PD_OK;
}

/* ---- All of it */

static bool has_deferred(const struct pd_reader *reader)
{
    for (size_t i = 0; i < pd_reader_n_attrs(reader); i++)
        if (pd_reader_attr(reader, i)->attr.flags & PD_ATTR_DEFER_CALLCHAIN)
            return true;
    return false;
}

enum pd_code pd_filter_lists_init(struct pd_filtering *f)
{
    const struct pd_allocator *allocator = f->options->allocator;
    const struct pd_filter_lists *drop = &f->options->drop;
    enum pd_code code = pd_criteria_init(&f->keep, &f->options->keep, allocator, f->error);
    f->drops = drop->types || drop->times || drop->cpus || drop->events || drop->tids || drop->pids || drop->comms;
    if (!code)
        code = pd_criteria_init(&f->drop, &f->options->drop, allocator, f->error);
    f->ask_tasks = !code && (pd_criteria_need_tasks(&f->keep) || pd_criteria_need_tasks(&f->drop));
    return code;
}

static bool is_pipe(const struct pd_filtering *f)
{
    return pd_reader_info(f->reader)->container == PD_CONTAINER_PIPE;
}

/* In a pipe stream, the first pass finds the attrs. */
static bool is_joined(const struct pd_filtering *f)
{
    return f->tasks && !f->ask_tasks && !is_pipe(f);
}

static enum pd_code prepare(struct pd_filtering *f)
{
    const struct pd_file_info *info = pd_reader_info(f->reader);
    const bool needed = f->options->sideband == PD_SIDEBAND_NEEDED;
    enum pd_code code = pd_filter_lists_init(f);
    if (!code && (f->ask_tasks || needed))
        code = pd_tasks_new(&f->tasks, f->options->allocator, f->error);
    f->total = info->data_end - info->data_offset;
    for (size_t i = 1; i < pd_reader_n_members(f->reader); i++)
        f->total += pd_reader_member(f->reader, i)->size;
    f->total *= 1u + (f->tasks || is_pipe(f)) + ((needed && !is_joined(f)) || is_pipe(f));
    return code;
}

static enum pd_code skip(struct pd_filtering *f, struct pd_record *rec, const struct pd_moment *when)
{
    (void)f, (void)rec, (void)when;
    return PD_OK;
}

static enum pd_code learn(struct pd_filtering *f)
{
    const bool joined = is_joined(f);
    enum pd_code code = PD_OK;
    f->deferred = has_deferred(f->reader);
    if (joined)
        code = each_record(f, collect_and_choose);
    else if (f->tasks || is_pipe(f)) /* in a pipe stream this finds the attrs, and the next the times */
        code = each_record(f, f->tasks ? collect : skip);
    if (!code && f->tasks)
        code = pd_tasks_finish(f->tasks, f->error);
    if (!code && f->ask_tasks)
        code = pd_criteria_names(&f->keep, f->tasks, f->error);
    if (!code && f->ask_tasks)
        code = pd_criteria_names(&f->drop, f->tasks, f->error);
    f->deferred = has_deferred(f->reader);
    if (!code && joined)
        code = pd_tasks_several(f->tasks) ? each_record(f, check_maps) : PD_OK;
    else if (!code && (f->options->sideband == PD_SIDEBAND_NEEDED || f->deferred || is_pipe(f)))
        code = each_record(f, choose);
    if (!code && f->options->sideband == PD_SIDEBAND_NEEDED)
        code = pd_tasks_ancestors(f->tasks, f->error);
    return code;
}

static enum pd_code write_all(struct pd_filtering *f)
{
    enum pd_code code = pd_filter_out_begin(&f->out);
    f->out.runs = true;
    if (!code)
        code = each_record(f, pd_filter_copy);
    f->sections.moved = f->moved;
    f->sections.no_aux = pd_lists_type(&f->drop, PD_RECORD_AUXTRACE);
    return code ? code : pd_filter_out_end(&f->out);
}

static enum pd_code run(struct pd_filtering *f)
{
    if (!f->reader->in.seekable)
        return is_pipe(f) ? pd_filter_stream(f)
                          : pd_fail(f->error, PD_EUNSUP, 0, "filtering an input that cannot seek", 0, 0);
    enum pd_code code = prepare(f);
    if (!code)
        code = learn(f);
    f->last_pass = true;
    f->stats->damaged = false;
    return code ? code : write_all(f);
}

enum pd_code pd_filter(struct pd_reader *reader, const struct pd_sink *sink,
                       const struct pd_filter_options *options, struct pd_filter_stats *stats,
                       struct pd_error *error)
{
    static const struct pd_filter_options usual = {.size = sizeof usual};
    struct pd_filter_stats own_stats;
    struct pd_error own_error;
    struct pd_filtering f = {.reader = reader,
                             .unreadable = PD_NOWHERE,
                             .out = {.sink = sink},
                             .options = options ? options : &usual,
                             .stats = stats ? stats : &own_stats,
                             .error = error ? error : &own_error};
    *f.stats = (struct pd_filter_stats){0};
    f.chains.allocator = f.options->allocator;
    f.sections =
        (struct pd_sections){.reader = reader, .options = f.options, .stats = f.stats, .error = f.error};
    f.out.sections = &f.sections;
    const enum pd_code code = run(&f);
    f.stats->bytes = f.out.bytes;
    pd_filter_out_close(&f.out);
    pd_tasks_free(f.tasks);
    pd_live_free(f.live);
    pd_criteria_free(&f.keep);
    pd_criteria_free(&f.drop);
    pd_chains_free(&f.chains);
    pd_release(f.options->allocator, f.moved);
    return code;
}

/* ---- The time from the first to the last sample */

static enum pd_code scan_times(struct pd_reader *reader, uint64_t *first, uint64_t *last,
                               struct pd_error *error)
{
    struct pd_record rec = {0};
    uint64_t time;
    enum pd_code code = pd_reader_rewind(reader, error);
    *first = *last = 0;
    while (!code && (code = pd_reader_next(reader, &rec, error)) == PD_OK) {
        if (rec.type != PD_RECORD_SAMPLE || !pd_record_time(&rec, &time) || time == 0)
            continue;
        *first = *first == 0 || time < *first ? time : *first;
        *last = time > *last ? time : *last;
    }
    if (code == PD_EIO || code == PD_ENOMEM)
        return code;
    code = pd_reader_rewind(reader, error);
    return !code && *last == 0
               ? pd_fail(error, PD_EUNSUP, 0, "a share of the time, as samples have no time", 0, 0)
               : code;
}

enum pd_code pd_time_span(struct pd_reader *reader, uint64_t *first, uint64_t *last, struct pd_error *error)
{
    const struct pd_feature_section *f = pd_reader_find_feature(reader, PD_FEAT_SAMPLE_TIME);
    const enum pd_order order = pd_reader_info(reader)->order;
    uint8_t bytes[16];
    if (f && f->intact && f->section.size >= sizeof bytes) {
        const enum pd_code code = pd_reader_read(reader, f->section.offset, bytes, sizeof bytes, error);
        if (code)
            return code;
        *first = pd_load64(bytes, order);
        *last = pd_load64(bytes + 8, order);
        if (*first || *last)
            return PD_OK;
    }
    return scan_times(reader, first, last, error);
}
