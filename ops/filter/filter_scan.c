/* SPDX-License-Identifier: MIT */
/*
 * filter_scan.c - selects samples while skipping them, and remembers the choice, so that the copy takes whole
 * parts of the input and decodes no record again. Preparing every sample in two passes, and decoding every
 * kept one in the second, took 1140 instructions for a sample in a filter that keeps all; this takes 70.
 */
#include "src/support/limits.h"
#include "src/codec/usual.h"
#include "src/schema/fail.h"
#include "src/container/reader/sample_run.h"
#include "filter.h"
#include "src/session/order/clock.h"
#include "src/session/tasks/task_flow.h"

#define SHORT 256                     /* largest record buffered instead of re-read */
#define PART_ROOM (80 + SHORT)        /* no part takes more */
#define LEAST_COPY ((size_t)64 << 10) /* less is read and written: a call for each would take longer */
#define MOST_COPY ((size_t)16 << 20)  /* at once, for the progress */

enum part { DROP, KEEP, OF_TASK, FORK, MAP }; /* MAP: or namespaces, of a process */
#define WITH_BYTES 8                          /* and the record's bytes */
#define KIND_BITS 4

/*
 * ---- The remembered data: for each part its size and kind in one number, of 7 bits in a byte, and data for
 * the kind
 */

static void put_number(struct pi_scan *s, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        s->parts[s->n++] = (uint8_t)(value | 0x80);
    s->parts[s->n++] = (uint8_t)value;
}

static inline uint64_t take(const uint8_t **at)
{
    const uint8_t *p = *at;
    uint64_t value = *p & 0x7f;
    for (unsigned shift = 7; *p & 0x80; shift += 7)
        value |= (uint64_t)(*++p & 0x7f) << shift;
    *at = p + 1;
    return value;
}

static void put_part(struct pi_scan *s, unsigned kind, uint64_t size)
{
    put_number(s, size << KIND_BITS | kind);
}

/* There is always room for one part more, to end with. */
static bool has_room(struct pi_scan *s, const struct pd_allocator *allocator)
{
    while (s->cap - s->n < 2 * PART_ROOM) {
        const size_t more = s->cap ? 2 * s->cap : PI_FIRST_PARTS;
        uint8_t *parts = more <= PI_LIMIT_FILTER_NOTES ? pi_resize(allocator, s->parts, more) : NULL;
        if (parts == NULL)
            return false;
        s->parts = parts;
        s->cap = more;
    }
    return true;
}

static void end_part(struct pi_scan *s, uint64_t at)
{
    if (at != s->start)
        put_part(s, s->kept ? KEEP : DROP, at - s->start);
    s->start = at;
}

/*
 * If samples are dropped, a short record that is or may be kept is buffered: otherwise all of the input would
 * be read again for the few records between the samples.
 */
static bool stash(const struct pi_scan *s, const struct pd_record *rec)
{
    return !s->kept && rec->size <= SHORT && s->bytes + rec->size <= PI_LIMIT_FILTER_NOTED;
}

static void put_bytes(struct pi_scan *s, const struct pd_record *rec)
{
    memcpy(s->parts + s->n, rec->raw, rec->size);
    s->n += rec->size;
    s->bytes += rec->size;
}

void pi_scan_start(struct pi_filtering *f)
{
    struct pi_scan *s = &f->scan;
    s->on = has_room(s, f->options->allocator);
    s->complete = s->kept = false;
    s->start = pd_reader_info(f->reader)->data_offset;
    s->n = s->bytes = 0;
    s->last = (struct pd_moment){0};
    s->samples = s->kept_samples = s->others = s->kept_others = 0;
}

bool pi_scan_note(struct pi_scan *s, const struct pd_allocator *allocator, uint64_t at, bool keep)
{
    if (keep == s->kept)
        return true;
    if (!has_room(s, allocator))
        return false;
    end_part(s, at);
    s->kept = keep;
    return true;
}

bool pi_scan_note_record(struct pi_scan *s, const struct pd_allocator *allocator, const struct pd_record *rec,
                         bool keep)
{
    if (!keep || !stash(s, rec))
        return pi_scan_note(s, allocator, rec->offset, keep);
    if (!has_room(s, allocator))
        return false;
    end_part(s, rec->offset);
    put_part(s, KEEP | WITH_BYTES, rec->size);
    put_bytes(s, rec);
    s->start = rec->offset + rec->size;
    return true;
}

static enum part kind_of(const struct pi_told *told)
{
    switch (told->tells) {
    case PI_TELLS_BIRTH: return told->has_parent ? FORK : OF_TASK;
    case PI_TELLS_MAP:
    case PI_TELLS_TASK: return MAP;
    default: return OF_TASK;
    }
}

/* The difference to the last moment, of which only `at` may go back: its last bit is the sign. */
PI_WRAPS static void put_moment(struct pi_scan *s, const struct pd_moment *when)
{
    const uint64_t forward = when->at - s->last.at, sign = forward >> 63;
    put_number(s, forward << 1 ^ (0 - sign));
    put_number(s, when->at - when->time);
    put_number(s, when->round - s->last.round);
    put_number(s, when->order - s->last.order);
    s->last = *when;
}

PI_WRAPS static void take_moment(struct pd_moment *last, const uint8_t **p)
{
    const uint64_t at = take(p);
    last->at += at >> 1 ^ (0 - (at & 1));
    last->time = last->at - take(p);
    last->round += (uint32_t)take(p);
    last->order += take(p);
}

bool pi_scan_note_task(struct pi_scan *s, const struct pd_allocator *allocator, struct pd_record *rec,
                       const struct pd_moment *when)
{
    struct pi_told told;
    if (pi_told_of(rec, &told, NULL) || !has_room(s, allocator))
        return false;
    const enum part kind = kind_of(&told);
    s->others++;
    if (told.of_kernel) {
        s->kept_others++;
        return pi_scan_note_record(s, allocator, rec, true);
    }
    const bool with_bytes = stash(s, rec);
    end_part(s, rec->offset);
    put_part(s, kind | (with_bytes ? WITH_BYTES : 0), rec->size);
    put_number(s, told.pid);
    put_number(s, told.tid);
    if (kind == FORK) {
        put_number(s, told.ppid);
        put_number(s, told.ptid);
    }
    if (kind == FORK || kind == MAP)
        put_moment(s, when);
    if (with_bytes)
        put_bytes(s, rec);
    s->start = rec->offset + rec->size;
    return true;
}

void pi_scan_end(struct pi_scan *s, const struct pi_place *end)
{
    end_part(s, end->at);
    s->end = *end;
    s->on = false;
    s->complete = true;
}

/* ---- Samples */

/* The lists of times, cpus and events. */
struct look {
    bool at_each; /* there are some, besides the times to keep */
    bool anew;    /* the time matters: no verdict holds for another sample */
    bool sound;   /* a sample is kept only if it is as long as its layout */
    size_t whole; /* pi_samples_whole() */
};

static bool looks_at_each(const struct pd_filter_options *o)
{
    return o->keep.cpus || o->keep.events || o->drop.cpus || o->drop.events || o->drop.times;
}

static struct look look_of(const struct pi_filtering *f, const struct pi_samples *run, bool at_each,
                           bool sound)
{
    return (struct look){at_each, f->options->drop.times != NULL, sound, pi_samples_whole(f->reader, run)};
}

__attribute__((noinline)) static void decide(const struct pi_filtering *f, struct pi_verdict *v, uint32_t cpu,
                                             uint32_t event, uint64_t time)
{
    const struct pd_record rec = {.type = PD_RECORD_SAMPLE, .attr_index = event};
    const struct pi_subject s = {
        .rec = &rec, .time = time, .cpu = cpu, .has_time = true, .has_cpu = cpu != UINT32_MAX};
    *v =
        (struct pi_verdict){.cpu = cpu, .event = event, .known = true, .early = pi_meets_early(&f->keep, &s)};
    v->keep = pi_meets_event(&f->keep, &s) && !(f->drops && pi_meets_any_itself(&f->drop, &s));
}

/* What the lists say of the sample at p. */
static inline const struct pi_verdict *verdict_of(struct pi_filtering *f, const struct pi_samples *run,
                                                  const struct look *look, const uint8_t *p, uint64_t time)
{
    uint32_t cpu = UINT32_MAX;
    if (run->plan->cpu)
        memcpy(&cpu, p + run->plan->cpu, sizeof cpu);
    struct pi_verdict *v = &f->scan.verdicts[(cpu + UINT64_C(37) * run->index) % PI_VERDICTS];
    if (!v->known || v->cpu != cpu || v->event != run->index || look->anew)
        decide(f, v, cpu, run->index, time);
    return v;
}

/* True if this sample can be decided at once. Its moment is `at`. */
static inline __attribute__((always_inline)) bool
judge(struct pi_filtering *f, const struct pd_filter_lists *l, const struct pi_samples *run,
      const struct look *look, const uint8_t *p, uint64_t at, uint64_t time, bool *keep)
{
    uint64_t task, known;
    uint32_t tid;
    *keep = false;
    if (l->times && !pi_time_in(l->times, l->n_times, time))
        return true;
    const struct pi_verdict *v = look->at_each ? verdict_of(f, run, look, p, time) : NULL;
    if (v && !v->early)
        return true;
    memcpy(&task, p + run->plan->pid, sizeof task);
    memcpy(&tid, p + run->plan->pid + 4, sizeof tid);
    const struct pi_seen *seen = &f->scan.seen[tid % PI_SEEN];
    memcpy(&known, seen->task, sizeof known);
    if (known != task || at <= seen->from || at >= seen->to)
        return false;
    *keep = seen->keep && !(v && !v->keep);
    if (!*keep)
        return true;
    if (!seen->needed)
        return false;
    return !look->sound || run->size == look->whole || pi_sample_fits(run->plan, p, run->size) ||
           __builtin_expect(pi_unusual_fits(run->plan, p, run->size), 0);
}

/* Twice, with lists that are asked of each sample and without. */
static inline __attribute__((always_inline)) void scan_samples(struct pi_filtering *f, struct pd_clock *clock,
                                                               bool at_each)
{
    struct pd_reader *r = f->reader;
    struct pi_scan *s = &f->scan;
    const struct pd_filter_lists lists = f->options->keep;
    const uint8_t *stop, *const begin = pi_reader_sees(r, &stop), *p = begin;
    struct pi_samples run = pi_samples_of(r);
    const struct look look = look_of(f, &run, at_each, s->on); /* else the copy looks for damage */
    struct pd_clock now = *clock;
    uint64_t n = 0, kept = 0, time, first = f->stats->first, last = f->stats->last;
    bool keep;
    while (pi_samples_next(p, (size_t)(stop - p), &run, &time) &&
           judge(f, &lists, &run, &look, p, time > now.done ? time : now.done, time, &keep)) {
        if (keep != s->kept && s->on &&
            !pi_scan_note(s, f->options->allocator, r->at + (uint64_t)(p - begin), keep))
            break;
        pi_clock_follow(&now, time);
        if (keep && time) {
            first = time < first || first == 0 ? time : first;
            last = time > last ? time : last;
        }
        kept += keep;
        p += run.size;
        n++;
    }
    *clock = now;
    f->stats->first = first;
    f->stats->last = last;
    pi_progress_passed(&f->progress, r, (uint64_t)(p - begin));
    pi_reader_passed(r, p, n);
    s->samples += s->on ? n : 0;
    s->kept_samples += s->on ? kept : 0;
}

enum pd_code pi_scan_samples(struct pi_filtering *f, struct pd_clock *clock)
{
    if (looks_at_each(f->options))
        scan_samples(f, clock, true);
    else
        scan_samples(f, clock, false);
    return PD_OK;
}

/* Samples that are kept and follow each other: from `begin`, if there are some, to `end`. */
static enum pd_code write_samples(struct pi_filtering *f, const uint8_t *begin, const uint8_t *end)
{
    struct pd_record *first = &f->scan.first;
    if (begin == NULL)
        return PD_OK;
    first->depth = pi_reader_is_inside(f->reader);
    first->member = f->reader->member;
    pi_record_take_header(first, begin);
    return pi_output_samples(&f->out, first, (size_t)(end - begin));
}

enum pd_code pi_scan_copy_samples(struct pi_filtering *f, struct pd_clock *clock)
{
    struct pd_reader *r = f->reader;
    const struct pd_filter_lists lists = f->options->keep;
    const uint8_t *stop, *const begin = pi_reader_sees(r, &stop), *p = begin, *kept = NULL;
    struct pi_samples run = pi_samples_of(r);
    const struct look look = look_of(f, &run, looks_at_each(f->options), true);
    struct pd_clock now = *clock;
    uint64_t n = 0, n_kept = 0, time;
    enum pd_code code = PD_OK;
    bool keep;
    while (!code && pi_samples_next(p, (size_t)(stop - p), &run, &time) &&
           judge(f, &lists, &run, &look, p, time > now.done ? time : now.done, time, &keep)) {
        if (!keep && kept)
            code = write_samples(f, kept, p);
        kept = !keep ? NULL : kept ? kept : p;
        pi_clock_follow(&now, time);
        n_kept += keep;
        p += run.size;
        n++;
    }
    if (!code)
        code = write_samples(f, kept, p);
    *clock = now;
    f->stats->samples += n;
    f->stats->kept_samples += n_kept;
    pi_progress_passed(&f->progress, r, (uint64_t)(p - begin));
    pi_reader_passed(r, p, n);
    return code;
}

/* ---- The copy */

/* The progress of the copy. */
struct copying {
    struct pi_filtering *f;
    uint64_t (*copy)(void *user, uint64_t offset, uint64_t n); /* NULL: there is none */
    const uint8_t *seen;                                       /* of the input, from `first` to `end` */
    uint64_t first, end;
    uint64_t told;   /* to the progress */
    bool over;       /* the input has become shorter */
    size_t n;        /* small pieces, to be written at once: each by itself took 300 instructions */
    uint8_t *pieces; /* PIECES bytes */
};

#define PIECES ((size_t)64 << 10)
#define SMALL ((size_t)8192) /* larger parts should be copied only once */

static enum pd_code flush(struct copying *c)
{
    const size_t n = c->n;
    c->n = 0;
    return n ? pd_writer_raw(c->f->out.sections.writer, c->pieces, n, c->f->error) : PD_OK;
}

static enum pd_code add_piece(struct copying *c, const uint8_t *bytes, size_t n)
{
    const enum pd_code code = n > PIECES - c->n ? flush(c) : PD_OK;
    memcpy(c->pieces + c->n, bytes, n);
    c->n += n;
    return code;
}

/* Bytes of the input through the window. */
static enum pd_code copy_bytes(struct copying *c, uint64_t offset, uint64_t n)
{
    struct pi_filtering *f = c->f;
    struct pd_error what;
    enum pd_code code = PD_OK;
    while (!code && n) {
        if (offset < c->first || offset >= c->end) {
            size_t got;
            code = pi_input_at(f->reader->src, offset, n < LEAST_COPY ? (size_t)n : LEAST_COPY, &c->seen,
                               &got, &what);
            if (!code && got == 0)
                code = pi_fail(&what, PD_ETRUNC, offset, "data", 0, n);
            if (code)
                return pi_filter_damage(f, &what, &c->over);
            c->first = offset;
            c->end = offset + got;
        }
        const uint64_t now = n < c->end - offset ? n : c->end - offset;
        code = pi_writer_emit(f->out.sections.writer, c->seen + (offset - c->first), (size_t)now, f->error);
        offset += now;
        n -= now;
    }
    return code;
}

/* The progress may already include parts that wait to be copied, if much follows them. */
static void report_progress(struct copying *c, uint64_t at)
{
    if (at <= c->told)
        return;
    pi_progress_bytes(&c->f->progress, at - c->told);
    c->told = at;
}

/* In the kernel if possible: reading and writing took a fourth more. */
static enum pd_code copy_large(struct copying *c, uint64_t offset, uint64_t n)
{
    enum pd_code code = flush(c);
    if (!code && n)
        code = pd_writer_raw(c->f->out.sections.writer, NULL, 0, c->f->error); /* what stands before */
    while (!code && !c->over && c->copy && n >= LEAST_COPY) {
        const uint64_t now = n < MOST_COPY ? n : MOST_COPY;
        const uint64_t done = c->copy(c->f->options->user, offset, now);
        c->f->out.sections.writer->at += done;
        if (done < now)
            c->copy = NULL;
        offset += done;
        n -= done;
        report_progress(c, offset);
    }
    return code || c->over ? code : copy_bytes(c, offset, n);
}

static enum pd_code copy_part(struct copying *c, uint64_t offset, uint64_t n)
{
    if (c->seen && n <= SMALL && offset >= c->first && offset + n <= c->end)
        return add_piece(c, c->seen + (offset - c->first), (size_t)n);
    return copy_large(c, offset, n);
}

/* A part; its bytes come behind the data for its kind. */
struct taken {
    enum part kind;
    uint64_t size;
    bool with_bytes;
};

static struct taken take_part(const uint8_t **p)
{
    const uint64_t part = take(p);
    return (struct taken){(enum part)(part & (WITH_BYTES - 1)), part >> KIND_BITS, (part & WITH_BYTES) != 0};
}

static const uint8_t *take_bytes(const struct taken *part, const uint8_t **p)
{
    const uint8_t *const bytes = part->with_bytes ? *p : NULL;
    *p += part->with_bytes ? part->size : 0;
    return bytes;
}

/* The remembered information about a task; in *last its moment, if it has one. */
static void take_task(enum part kind, const uint8_t **p, struct pd_moment *last, struct pi_told *told)
{
    told->tells = kind == FORK ? PI_TELLS_BIRTH : PI_TELLS_TASK;
    told->of_kernel = false;
    told->has_parent = kind == FORK;
    told->pid = (uint32_t)take(p);
    told->tid = (uint32_t)take(p);
    if (kind == FORK) {
        told->ppid = (uint32_t)take(p);
        told->ptid = (uint32_t)take(p);
    }
    if (kind == FORK || kind == MAP)
        take_moment(last, p);
}

enum pd_code pi_scan_check(struct pi_filtering *f)
{
    const struct pi_scan *s = &f->scan;
    struct pd_moment last = {0};
    struct pi_told told;
    enum pd_code code = PD_OK;
    for (const uint8_t *p = s->parts; !code && p < s->parts + s->n;) {
        const struct taken part = take_part(&p);
        if (part.kind >= OF_TASK)
            take_task(part.kind, &p, &last, &told);
        take_bytes(&part, &p);
        if (part.kind == MAP)
            code = pi_tasks_check_map(f->tasks, told.pid, told.tid, &last, f->error);
    }
    return code;
}

/* True if a record that goes with a task is kept. */
static bool is_kept(const struct pi_filtering *f, enum part kind, const uint8_t **p, struct pd_moment *last)
{
    struct pi_told told;
    take_task(kind, p, last, &told);
    const bool kept = pi_filter_is_needed(f, &told, last->order);
    f->stats->kept_others += kept;
    return kept;
}

static enum pd_code copy_parts(struct copying *c)
{
    struct pi_filtering *f = c->f;
    const struct pi_scan *s = &f->scan;
    const uint8_t *p = s->parts, *const end = p + s->n;
    uint64_t at = c->told, from = at;
    struct pd_moment last = {0};
    enum pd_code code = PD_OK;
    while (!code && !c->over && p < end) {
        const struct taken part = take_part(&p);
        const bool dropped = part.kind == DROP || (part.kind >= OF_TASK && !is_kept(f, part.kind, &p, &last));
        const uint8_t *const bytes = take_bytes(&part, &p);
        if (dropped && at != from)
            code = copy_part(c, from, at - from);
        else if (!dropped && bytes && at == from)
            code = add_piece(c, bytes, (size_t)part.size);
        if (dropped || (bytes && at == from))
            from = at + part.size;
        at += part.size;
        if (at - c->told > MOST_COPY)
            report_progress(c, at);
    }
    if (!code && !c->over)
        code = copy_part(c, from, at - from);
    if (!code)
        code = flush(c);
    report_progress(c, at);
    return code;
}

enum pd_code pi_scan_copy(struct pi_filtering *f, bool *over)
{
    const struct pi_scan *s = &f->scan;
    uint8_t pieces[PIECES];
    struct copying c = {
        .f = f, .pieces = pieces, .copy = f->options->copy, .told = pd_reader_info(f->reader)->data_offset};
    const enum pd_code code = copy_parts(&c);
    *over = c.over;
    f->stats->samples += s->samples;
    f->stats->kept_samples += s->kept_samples;
    f->stats->others += s->others;
    f->stats->kept_others += s->kept_others;
    return code;
}
