/* SPDX-License-Identifier: MIT */
/* sort.c - pd_sort(): a recording in order of time, in the container it has. What is written, and how, is the filter's. */
#include "codec_internal.h"
#include "file.h"
#include "filter.h"
#include "rounds.h"
#include "wire.h"
#include <perfdata/sort.h>

struct sorting {
    struct pd_reader *reader;
    const struct pd_sort_options *options;
    struct pd_sort_stats *stats;
    struct pd_error *error;
    struct pd_sorter *sorter;
    struct pd_filter_options how;       /* of the output */
    struct pd_filter_stats unused;
    struct pd_sections sections;
    struct pd_filter_out out;
    struct pd_moved *moved;
    size_t moved_cap;
    uint32_t member;      /* being written, when the output is a directory */
    struct pd_rounds rounds;
    bool moves; /* the records are one stream that is not in order yet */
    uint64_t passed, total, tick;
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

/* Is there time enough, as far as the events say? */
static enum pd_code check_events(struct pd_reader *r, struct pd_error *error)
{
    bool id_all = true, any = false;
    for (size_t i = 0; i < pd_reader_n_attrs(r); i++) {
        const struct pd_plan *plan = &pd_reader_attr(r, i)->plan;
        id_all &= plan->id_all;
        any |= plan->time != 0;
    }
    if (!any && pd_reader_n_attrs(r))
        return pd_fail(error, PD_EUNSUP, PD_NOWHERE, "records without a time, as no event samples TIME", 0, 0);
    if (!id_all)
        return pd_fail(error, PD_EUNSUP, PD_NOWHERE,
                       "records without a time: there is no sample_id_all, so only samples have one", 0, 0);
    return PD_OK;
}

static enum pd_code check_timed(struct pd_reader *r, uint64_t timed, struct pd_error *error)
{
    const enum pd_code code = check_events(r, error);
    if (code || timed || pd_reader_n_attrs(r))
        return code;
    return pd_fail(error, PD_EUNSUP, PD_NOWHERE, "records of no event, so without a time", 0, 0);
}

static bool to_directory(const struct sorting *s)
{
    return pd_reader_info(s->reader)->container == PD_CONTAINER_DIRECTORY && s->options->open_member;
}

/* Opens a sorter of the whole recording or, for a directory, of one of its files; that reads all of it. */
static enum pd_code open_sorter(struct sorting *s, struct pd_reader **member, uint32_t i)
{
    const struct pd_reader_options how = {.size = sizeof how, .allocator = s->options->allocator};
    const struct pd_sorter_options options = sorter_options(s->options);
    struct pd_reader *r = s->reader;
    enum pd_code code = PD_OK;
    *member = NULL;
    s->member = i;
    if (pd_reader_n_members(r) > 1 && to_directory(s)) {
        if ((code = pd_reader_open_member(member, r, i, &how, s->error)))
            return code;
        r = *member;
    }
    code = pd_sorter_open(&s->sorter, r, &options, s->error);
    if (code) {
        pd_reader_close(*member);
        *member = NULL;
    }
    return code;
}

static void close_sorter(struct sorting *s, struct pd_reader *member)
{
    pd_sorter_close(s->sorter);
    s->sorter = NULL;
    pd_reader_close(member);
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
    struct pd_sort_options own = {.size = sizeof own};
    struct sorting s = {.reader = reader, .options = &own, .stats = stats, .error = error};
    enum pd_code code = PD_OK;
    pd_take_options(&own, sizeof own, options);
    own.open_member = no_member; /* each file by itself */
    *stats = (struct pd_sort_stats){0};
    if (pd_reader_info(reader)->container != PD_CONTAINER_PIPE)
        code = check_events(reader, error);
    for (uint32_t i = 0; !code && i < n_files(&s); i++) {
        struct pd_reader *member;
        if ((code = pd_reader_rewind(reader, error)) || (code = open_sorter(&s, &member, i)))
            break;
        add_stats(stats, s.sorter, i);
        close_sorter(&s, member);
    }
    if (!code)
        code = check_timed(reader, stats->timed, error);
    return code ? code : pd_reader_rewind(reader, error);
}

/* ---- Writing */

static enum pd_code put(struct sorting *s, const struct pd_record *rec)
{
    enum pd_code code = pd_filter_out_record(&s->out, rec, rec->raw);
    const size_t n = s->sections.n_moved;
    if (code || rec->type != PD_RECORD_AUXTRACE || rec->old_feature || s->out.pipe || rec->member)
        return code;
    if (!pd_grow(s->options->allocator, (void **)&s->moved, n, &s->moved_cap, sizeof *s->moved))
        return pd_fail_record(s->error, PD_ENOMEM, rec, 0, "AUXTRACE index", 0, (n + 1) * sizeof *s->moved);
    const struct pd_writer *w = s->sections.writer;
    s->moved[n] =
        (struct pd_moved){rec->offset, pd_writer_data_offset(w) + pd_writer_data_size(w) - rec->size};
    s->sections.n_moved = n + 1;
    return PD_OK;
}

static enum pd_code put_round(void *user, const struct pd_record *round)
{
    return put(user, round);
}

static enum pd_code put_payload(struct sorting *s)
{
    const uint8_t *bytes;
    size_t n;
    enum pd_code code;
    do {
        if ((code = pd_sorter_payload(s->sorter, &bytes, &n, s->error)) == PD_OK && n)
            code = pd_filter_out_payload(&s->out, bytes, n);
    } while (!code && n);
    return code;
}

static void progress(struct sorting *s, const struct pd_record *rec)
{
    s->passed += rec->depth ? 0 : rec->size + rec->payload_size;
    if (s->options->progress && (++s->tick & 255) == 0)
        s->options->progress(s->options->user, s->passed, s->total);
}

/* Of a record whose payload is cut, which ends the records, the reader tells. */
static bool is_cut(const struct sorting *s, const struct pd_record *rec)
{
    const uint64_t end = rec->member ? pd_reader_member(s->reader, rec->member)->size : s->reader->info.data_end;
    return rec->payload_size && rec->payload_size > end - rec->offset - rec->size;
}

static void tell(struct sorting *s, const struct pd_error *what)
{
    s->stats->damaged = true;
    if (s->options->finding)
        s->options->finding(s->options->user, what);
}

/* Is the record what it should be? Its bytes are copied all the same. */
static void verify(struct sorting *s, struct pd_record *rec)
{
    struct pd_error what;
    const enum pd_code code = pd_reader_decode(s->reader, rec, &what);
    if (code && code != PD_EUNKNOWN)
        tell(s, &what);
}

static enum pd_code sort_record(struct sorting *s, struct pd_record *rec)
{
    rec->member += s->member;
    progress(s, rec);
    if (pd_filter_role(rec) == PD_ROLE_WRAPPER)
        return pd_filter_out_wrapper(&s->out, rec);
    if (is_cut(s, rec))
        return PD_OK;
    verify(s, rec);
    enum pd_code code = s->moves ? pd_rounds_before(&s->rounds, rec, put_round, s) : PD_OK;
    if (!code)
        code = put(s, rec);
    s->stats->records += rec->type != PD_RECORD_FINISHED_ROUND || rec->old_feature;
    return !code && rec->payload_size ? put_payload(s) : code;
}

static bool is_own(const struct pd_error *e)
{
    return e->code == PD_EOUT || e->code == PD_ENOMEM ||
           (e->code == PD_EIO && e->field && strcmp(e->field, "temporary file") == 0);
}

static enum pd_code sort_file(struct sorting *s)
{
    struct pd_record rec = {0};
    struct pd_error what;
    enum pd_code code = PD_OK, next;
    while (!code && (next = pd_sorter_next(s->sorter, &rec, &what)) != PD_END) {
        if (!next) {
            code = sort_record(s, &rec);
        } else if (is_own(&what)) {
            *s->error = what;
            code = next;
        } else {
            tell(s, &what);
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
        if (code && i && !is_own(s->error)) { /* that file has no records, the others have */
            tell(s, s->error);
            code = PD_OK;
            continue;
        }
        if (!code && i == 0) {
            struct pd_sorter_stats first;
            pd_sorter_get_stats(s->sorter, &first);
            s->moves = n_files(s) == 1 && (first.disorder.count || pd_reader_n_members(s->reader) > 1);
            if (n_files(s) == 1)
                code = check_timed(s->reader, first.timed, s->error);
            if (!code)
                code = pd_filter_out_begin(&s->out);
        }
        if (!code)
            code = sort_file(s);
        if (s->sorter)
            add_stats(s->stats, s->sorter, i);
        close_sorter(s, member);
    }
    s->sections.moved = s->moved;
    return code ? code : pd_filter_out_end(&s->out);
}

static enum pd_code run(struct sorting *s)
{
    const struct pd_file_info *info = pd_reader_info(s->reader);
    enum pd_code code = PD_OK;
    if (!s->reader->in.seekable)
        return pd_fail(s->error, PD_EUNSUP, 0, "sorting an input that cannot seek", 0, 0);
    if (info->container != PD_CONTAINER_PIPE)
        code = check_events(s->reader, s->error);
    if (!code)
        code = pd_reader_rewind(s->reader, s->error);
    s->total = info->data_end - info->data_offset;
    for (size_t i = 1; i < pd_reader_n_members(s->reader); i++)
        s->total += pd_reader_member(s->reader, i)->size;
    return code ? code : sort_files(s);
}

enum pd_code pd_sort(struct pd_reader *reader, const struct pd_sink *sink, const struct pd_sort_options *options,
                     struct pd_sort_stats *stats, struct pd_error *error)
{
    struct pd_sort_options own = {0};
    struct pd_sort_stats own_stats;
    struct pd_error own_error;
    struct sorting s = {.reader = reader, .options = &own, .stats = stats ? stats : &own_stats};
    pd_take_options(&own, sizeof own, options);
    s.error = error ? error : &own_error;
    *s.stats = (struct pd_sort_stats){0};
    s.how = (struct pd_filter_options){.size = sizeof s.how,
                                       .allocator = own.allocator,
                                       .zip = own.zip,
                                       .level = own.level,
                                       .open_member = own.open_member,
                                       .close_member = own.close_member,
                                       .user = own.user};
    s.sections = (struct pd_sections){
        .reader = reader, .options = &s.how, .stats = &s.unused, .keep_time = true, .error = s.error};
    s.out = (struct pd_filter_out){.sections = &s.sections, .sink = sink};
    pd_rounds_init(&s.rounds, pd_reader_info(reader)->order);
    const enum pd_code code = run(&s);
    pd_filter_out_close(&s.out);
    pd_release(own.allocator, s.moved);
    return code;
}
