/* SPDX-License-Identifier: MIT */
/*
 * sort.c - pd_sort(): a recording in order of time, in its container. Output is written by the filter's
 * functions.
 */
#include "src/schema/fail.h"
#include "src/codec/record_role.h"
#include "src/container/dir.h"
#include "src/container/reader/reader_internal.h"
#include "ops/filter/filter.h"
#include "src/schema/options.h"
#include "ops/output/payload.h"
#include "ops/output/progress.h"
#include "ops/output/rounds.h"
#include "src/session/order/sorted_run.h"
#include "src/support/wire.h"
#include <perfdata/ops/sort.h>

#define GATHERED ((size_t)64 << 10) /* bytes that are written at once; any record is smaller */

struct sorting {
    struct pd_reader *reader;
    const struct pd_sort_options *options;
    struct pd_sort_stats *stats;
    struct pd_error *error;
    struct pd_sorter *sorter;
    struct pi_output out;
    uint32_t member;  /* being written, when the output is a directory */
    uint64_t records; /* in the members before it */
    struct pi_rounds rounds;
    bool moves; /* the records are one stream that is not in order yet */
    struct pi_progress progress;
};

static struct pd_sorter_options sorter_options(const struct pd_sort_options *o)
{
    return (struct pd_sorter_options){.size = sizeof(struct pd_sorter_options),
                                      .allocator = o->allocator,
                                      .kind = PD_SORT_STRICT,
                                      .memory = o->memory,
                                      .tmpdir = o->tmpdir};
}

/* ---- The order of the input */

static void add_stats(struct pd_sort_stats *all, const struct pd_sorter *sorter, uint32_t member)
{
    struct pd_sorter_stats s;
    pd_sorter_get_stats(sorter, &s);
    all->timed += s.timed;
    all->waited += s.waited;
    all->runs += s.runs;
    all->spilled += s.spilled;
    const uint64_t count = all->disorder.count + s.disorder.count;
    if (all->disorder.count == 0) {
        all->disorder = s.disorder;
        all->disorder.member += member;
    }
    all->disorder.count = count;
}

/* True if the events have the times that sorting needs. */
static enum pd_code check_events(struct pd_reader *r, struct pd_error *error)
{
    bool id_all = true, any = false;
    for (size_t i = 0; i < pd_reader_n_attrs(r); i++) {
        const struct pd_plan *plan = &pd_reader_attr(r, i)->plan;
        id_all &= plan->id_all;
        any |= plan->time != 0;
    }
    if (!any && pd_reader_n_attrs(r))
        return pi_fail(error, PD_EUNSUP, PD_NOWHERE, "records without a time, as no event samples TIME", 0,
                       0);
    if (!id_all)
        return pi_fail(error, PD_EUNSUP, PD_NOWHERE,
                       "records without a time: there is no sample_id_all, so only samples have one", 0, 0);
    return PD_OK;
}

static enum pd_code check_timed(struct pd_reader *r, uint64_t timed, struct pd_error *error)
{
    const enum pd_code code = check_events(r, error);
    if (code || timed || pd_reader_n_attrs(r))
        return code;
    return pi_fail(error, PD_EUNSUP, PD_NOWHERE, "records of no event, so without a time", 0, 0);
}

static bool to_directory(const struct sorting *s)
{
    return pd_reader_info(s->reader)->container == PD_CONTAINER_DIRECTORY && s->options->open_member;
}

/* Opens a sorter of the whole recording or, for a directory, of one of its files; that reads all of it. */
static enum pd_code open_sorter(struct sorting *s, struct pd_reader **member, uint32_t i)
{
    const struct pd_reader_options how = {.size = sizeof how,
                                          .allocator = s->options->allocator,
                                          .probe = s->reader->probe.on,
                                          .workers = s->reader->workers};
    const struct pd_sorter_options options = sorter_options(s->options);
    struct pd_reader *r = s->reader;
    enum pd_code code = PD_OK;
    *member = NULL;
    s->member = i;
    if (pd_reader_n_members(r) > 1 && to_directory(s)) {
        if ((code = pd_reader_open_member(member, r, i, &how, s->error)))
            return code;
        r = *member;
        pi_reader_number_from(r, s->records);
    }
    code = pd_sorter_open(&s->sorter, r, &options, s->error);
    if (code) {
        pd_reader_close(*member);
        *member = NULL;
    }
    return code;
}

static enum pd_code close_sorter(struct sorting *s, struct pd_reader *member, enum pd_code code)
{
    pd_sorter_close(s->sorter);
    s->sorter = NULL;
    if (!code && member)
        code = pi_dir_take_findings(s->reader, member, s->error);
    if (member)
        s->records = member->index;
    pd_reader_close(member);
    return code;
}

static uint32_t n_files(const struct sorting *s)
{
    const size_t n = pd_reader_n_members(s->reader);
    return n > 1 && to_directory(s) ? (uint32_t)n : 1;
}

static int no_member(void *user, const char *name, unsigned mode, struct pd_sink *sink)
{
    (void)user, (void)name, (void)mode, (void)sink;
    return -1;
}

enum pd_code pd_sort_check(struct pd_reader *reader, const struct pd_sort_options *options,
                           struct pd_sort_stats *stats, struct pd_error *error)
{
    struct pd_sort_options own;
    struct sorting s = {.reader = reader, .options = &own, .stats = stats, .error = error};
    *stats = (struct pd_sort_stats){0};
    enum pd_code code = PI_TAKE_OPTIONS(pd_sort_options, &own, options, error);
    if (code)
        return code;
    own.open_member = no_member; /* each file by itself */
    if (pd_reader_info(reader)->container != PD_CONTAINER_PIPE)
        code = check_events(reader, error);
    for (uint32_t i = 0; !code && i < n_files(&s); i++) {
        struct pd_reader *member;
        if ((code = pd_reader_rewind(reader, error)) || (code = open_sorter(&s, &member, i)))
            break;
        add_stats(stats, s.sorter, i);
        code = close_sorter(&s, member, code);
    }
    if (!code)
        code = check_timed(reader, stats->timed, error);
    return code ? code : pd_reader_rewind(reader, error);
}

/* ---- Writing */

static enum pd_code write_record(struct sorting *s, const struct pd_record *rec)
{
    enum pd_code code = pi_output_record(&s->out, rec, rec->raw);
    return code ? code : pi_output_note_aux(&s->out, rec);
}

static enum pd_code put_round(void *user, const struct pd_record *round)
{
    return write_record(user, round);
}

static void tell_finding(struct sorting *s, const struct pd_error *what)
{
    s->stats->damaged = true;
    if (s->options->finding)
        s->options->finding(s->options->user, what);
}

static enum pd_code sort_record(struct sorting *s, struct pd_record *rec)
{
    struct pd_error what;
    pi_progress_record(&s->progress, rec);
    if (pi_role_of(rec) == PI_ROLE_WRAPPER)
        return pi_output_wrapper(&s->out, rec);
    if (rec->payload_size && pi_payload_is_cut(s->reader, rec)) /* the reader reports it */
        return PD_OK;
    if (pi_record_is_damaged(s->reader, rec, &what))
        tell_finding(s, &what);
    enum pd_code code = s->moves ? pi_rounds_before(&s->rounds, rec, put_round, s) : PD_OK;
    if (!code)
        code = write_record(s, rec);
    s->stats->records += rec->type != PD_RECORD_FINISHED_ROUND || rec->old_feature;
    return !code && rec->payload_size ? pi_output_copy_payload(&s->out, s->reader, s->sorter, s->error)
                                      : code;
}

/* Writes the samples that come next, as far as sort_record() would do no more with them. */
static enum pd_code sort_samples(struct sorting *s)
{
    uint8_t bytes[GATHERED];
    const struct pi_queue_entry *e = NULL;
    const size_t n = pi_output_is_direct(&s->out) ? pi_sorter_ahead(s->sorter, &e) : 0;
    size_t done = 0, used = 0;
    uint64_t outside = 0; /* bytes that are not inside COMPRESSED records */
    enum pd_code code = PD_OK;
    for (; !code && done < n && pi_sorted_is_whole(&e[done]); done++) {
        const struct pi_waiting *w = e[done].waiting;
        if (w->size > sizeof bytes - used) {
            code = pi_output_bytes(&s->out, bytes, used);
            used = 0;
        }
        memcpy(bytes + used, w->raw, w->size);
        used += w->size;
        outside += w->depth ? 0 : w->size;
    }
    if (done == 0)
        return PD_OK;
    pi_clock_follow(&s->rounds.clock, e[done - 1].time);
    pi_progress_bytes(&s->progress, outside);
    pi_sorter_pass(s->sorter, done);
    s->stats->records += done;
    return code ? code : pi_output_bytes(&s->out, bytes, used);
}

static enum pd_code sort_file(struct sorting *s)
{
    struct pd_record rec = {0};
    struct pd_error what;
    enum pd_code code = PD_OK, next;
    while (!code && !(pi_sorted_goes_on(&rec) && (code = sort_samples(s))) &&
           (next = pd_sorter_next(s->sorter, &rec, &what)) != PD_END) {
        if (!next) {
            code = sort_record(s, &rec);
        } else if (pd_is_failure(next)) {
            *s->error = what;
            code = next;
        } else {
            tell_finding(s, &what);
        }
    }
    return code;
}

static enum pd_code sort_files(struct sorting *s)
{
    enum pd_code code = PD_OK;
    for (uint32_t i = 0; !code && i < n_files(s); i++) {
        struct pd_reader *member;
        code = open_sorter(s, &member, i);
        if (code && i && !pd_is_failure(code)) { /* that file has no records, the others have */
            tell_finding(s, s->error);
            code = PD_OK;
            continue;
        }
        if (!code && i == 0) {
            struct pd_sorter_stats first;
            pd_sorter_get_stats(s->sorter, &first);
            s->moves = n_files(s) == 1 && (first.disorder.count || pd_reader_n_members(s->reader) > 1);
            if (n_files(s) == 1)
                code = check_timed(s->reader, first.timed, s->error);
            if (!code && s->moves) /* attrs do not wait */
                code = pi_reader_check_attrs(s->reader, s->error);
            if (!code)
                code = pi_output_begin(&s->out);
        }
        if (!code)
            code = sort_file(s);
        if (s->sorter)
            add_stats(s->stats, s->sorter, i);
        code = close_sorter(s, member, code);
    }
    return code ? code : pi_output_end(&s->out);
}

static enum pd_code sort_records(struct sorting *s)
{
    enum pd_code code = PD_OK;
    if (!s->reader->in.seekable)
        return pi_fail(s->error, PD_EUNSUP, 0, "sorting an input that cannot seek", 0, 0);
    if (pd_reader_info(s->reader)->container != PD_CONTAINER_PIPE)
        code = check_events(s->reader, s->error);
    if (!code)
        code = pd_reader_rewind(s->reader, s->error);
    pi_progress_expect(&s->progress, pi_record_bytes(s->reader), 1);
    return code ? code : sort_files(s);
}

enum pd_code pd_sort(struct pd_reader *reader, const struct pd_sink *sink,
                     const struct pd_sort_options *options, struct pd_sort_stats *stats,
                     struct pd_error *error)
{
    struct pd_sort_options own;
    struct pd_sort_stats own_stats;
    struct pd_error own_error;
    struct sorting s = {.reader = reader, .options = &own, .stats = stats ? stats : &own_stats};
    s.error = error ? error : &own_error;
    *s.stats = (struct pd_sort_stats){0};
    enum pd_code code = PI_TAKE_OPTIONS(pd_sort_options, &own, options, s.error);
    if (code)
        return code;
    s.out = (struct pi_output){.sections = {.reader = reader, .keep_time = true, .error = s.error},
                               .sink = sink,
                               .options = {.allocator = own.allocator,
                                           .zip = own.zip,
                                           .level = own.level,
                                           .frame = own.frame,
                                           .members = {own.open_member, own.close_member, own.user}}};
    s.progress = (struct pi_progress){.callback = own.progress, .user = own.user};
    pi_rounds_init(&s.rounds, pd_reader_info(reader)->order);
    code = sort_records(&s);
    pi_output_close(&s.out);
    return code;
}
