/* SPDX-License-Identifier: MIT */
/* convert.c - pd_convert(): chooses the way of a conversion, and converts the records. */
#include "convert.h"
#include "ops/edit/edits.h"
#include "src/schema/fail.h"
#include "src/container/dir.h"
#include "src/container/file.h"
#include "src/container/reader/sample_run.h"
#include "src/support/memory.h"
#include "src/schema/options.h"
#include "src/support/wire.h"
#include <perfdata/session/sorter.h>
#include <perfdata/session/tasks.h>
#include <string.h>

/* ---- Records */

/*
 * ---- A directory made of one stream: the records that perf writes before it samples stay in `data`, the
 * rest goes to data.0
 */

static bool belongs_to_data(const struct pi_conversion *c, const struct pd_record *rec)
{
    if (c->split)
        return true;
    if (rec->payload_size || pi_convert_is_compressed(rec) || rec->type == PD_RECORD_FINISHED_ROUND)
        return false;
    /* perf takes a `data` without records for an unfinished one. */
    return !c->first_done || pi_is_early(rec);
}

/* The parts of a large record stay in one file, with what stands between them. */
static void note_part(struct pi_conversion *c, const struct pd_record *rec)
{
    c->split |= rec->type == PD_RECORD_SIMPLEPERF_SPLIT;
    c->split_inside |= c->split && pi_convert_is_compressed(rec); /* its end may be inside */
    c->split &= rec->type != PD_RECORD_SIMPLEPERF_SPLIT_END || c->split_inside;
}

/* Writes a record to the file it belongs to. A record with a cut payload is left out. */
static enum pd_code place(struct pi_conversion *c, struct pd_record *rec)
{
    bool whole;
    const enum pd_code code = pi_convert_whole(c, c->r, rec, &whole);
    if (code || !whole)
        return code;
    if (c->rest == NULL)
        return pi_convert_put(c, c->r, rec, c->out.writer);
    c->rest_begun |= !belongs_to_data(c, rec);
    c->first_done = true;
    note_part(c, rec);
    return pi_convert_put(c, c->r, rec, c->rest_begun ? c->rest : c->out.writer);
}

/* ---- One stream of records into a new layout */

/* A compressed stream whose records must be decompressed is compressed again, unless it is to be plain. */
static enum pd_code compress_too(struct pi_conversion *c)
{
    if (c->options->zip != PD_ZIP_KEEP || c->zip || c->to == PD_CONTAINER_PIPE)
        return PD_OK;
    c->zip = PD_RECORD_COMPRESSED;
    (c->rest ? c->rest : c->out.writer)->plain = false;
    const enum pd_code code = pi_writer_compress(c->out.writer, c->zip, c->level,
                                                 c->error); /* of a directory, `data` has the feature */
    return code || !c->rest ? code : pi_writer_compress(c->rest, c->zip, c->level, c->error);
}

/* Writes samples of a file that edits leave as they are: neighbours at once. */
static enum pd_code put_untouched(struct pi_conversion *c)
{
    const uint8_t *bytes;
    uint64_t n;
    if (pi_reader_sees_none(c->r))
        return PD_OK;
    const size_t size = pi_edits_pass(c->t.edits, c->r, &bytes, &n);
    if (n == 0)
        return PD_OK;
    c->out.writer->plain = false; /* as behind any sample */
    c->stats->records += n;
    pi_progress_passed(&c->progress, c->r, size);
    return pd_writer_raw(c->out.writer, bytes, size, c->error);
}

static enum pd_code put_records(struct pi_conversion *c)
{
    struct pd_record rec = {0};
    enum pd_code code;
    const bool edits =
        c->t.edits && c->from == PD_CONTAINER_FILE && c->to != PD_CONTAINER_DIRECTORY && !c->sorter;
    while ((code = edits ? put_untouched(c) : PD_OK) == PD_OK &&
           (code = pi_convert_next(c, c->r, &rec)) == PD_OK) {
        bool taken = false;
        pi_progress_record(&c->progress, &rec);
        if (c->from == PD_CONTAINER_PIPE)
            code = pi_convert_collect(c, &rec, &taken);
        if (!code && c->open && pi_convert_is_compressed(&rec)) {
            taken = c->compressed = true; /* the records inside follow */
            code = compress_too(c);
        }
        if (!code && !taken)
            code = place(c, &rec);
        if (code)
            return code;
    }
    return code == PD_END ? PD_OK : code;
}

/* PERFFILE keeps its version where possible. */
static struct pd_writer_options writer_options(struct pi_conversion *c, enum pd_container container)
{
    return (struct pd_writer_options){.size = sizeof(struct pd_writer_options),
                                      .allocator = c->allocator,
                                      .order = c->t.to,
                                      .container = container,
                                      .attr_size = c->options->attr_size,
                                      .version = c->r->info.version,
                                      .compression = c->zip,
                                      .level = c->level,
                                      .frame = c->options->frame,
                                      .workers = c->r->workers,
                                      .max_held = c->options->max_held,
                                      .dropped = pi_convert_dropped,
                                      .user = c};
}

static enum pd_code begin(struct pi_conversion *c)
{
    const bool pipe = c->to == PD_CONTAINER_PIPE;
    const struct pd_writer_options o = writer_options(c, pipe ? PD_CONTAINER_PIPE : PD_CONTAINER_FILE);
    pi_convert_feed(c);
    const enum pd_code code = pi_sections_begin(&c->out, &c->sink, &o);
    return code || !pipe ? code : pi_sections_features(&c->out);
}

static enum pd_code end(struct pi_conversion *c)
{
    enum pd_code code = c->rest ? pd_writer_finish(c->rest, c->error) : PD_OK;
    if (c->t.edits && c->t.nr_cpus_avail == 0) /* known only now if the input cannot seek */
        c->t.nr_cpus_avail = pi_nr_cpus_avail(c->r);
    if (!code && c->to != PD_CONTAINER_PIPE) {
        c->out.writer->options.feature_word = pi_convert_feature_word(c);
        c->out.spare = pi_convert_gap(c);
    }
    if (!code)
        code = pi_sections_end(&c->out); /* of a stream: late features */
    if (!code && c->rest && pi_convert_had(c, PD_FEAT_AUXTRACE))
        pi_convert_note(c, PD_FEAT_AUXTRACE, "there is no index of the records in data.0");
    return code;
}

/*
 * The members of a directory as one stream: by time, or one behind the other. FINISHED_ROUND says that
 * nothing older follows, which is true at any place of sorted records.
 */
static enum pd_code open_members(struct pi_conversion *c)
{
    const struct pd_sorter_options how = {
        .size = sizeof how, .allocator = c->allocator, .kind = c->merge ? PD_SORT_TIME : PD_SORT_FILE};
    return pd_sorter_open(&c->sorter, c->r, &how, c->error);
}

/* Converts to a file, or to a stream with a layout of its own. */
static enum pd_code lay_out(struct pi_conversion *c)
{
    enum pd_code code = begin(c);
    if (!code && c->from == PD_CONTAINER_DIRECTORY && c->to != PD_CONTAINER_DIRECTORY)
        code = open_members(c);
    if (!code)
        code = put_records(c);
    return code ? code : end(c);
}

static enum pd_code open_rest(struct pi_conversion *c, const struct pd_sink *sink)
{
    const struct pd_writer_options o = writer_options(c, PD_CONTAINER_DIRECTORY);
    const enum pd_code code = pd_writer_open(&c->rest, sink, &o, c->error);
    if (!code)
        c->rest->plain = true;
    return code;
}

static enum pd_code split(struct pi_conversion *c)
{
    struct pi_member_file data = {0}, rest = {0};
    enum pd_code code = pi_member_open(&c->members, "data", 0600, &data, c->error);
    c->sink = data.sink;
    if (!code)
        code = pi_member_open(&c->members, "data.0", 0600, &rest, c->error);
    if (!code)
        code = open_rest(c, &rest.sink);
    if (!code)
        code = lay_out(c);
    code = pi_member_close(&c->members, &rest, code, c->error);
    return pi_member_close(&c->members, &data, code, c->error);
}

/* ---- Choice of the way */

/*
 * Finds out whether a file has compressed records: by its COMPRESSED feature; if that names no compression,
 * by the records.
 */
static enum pd_code look_for_compressed(struct pi_conversion *c)
{
    struct pd_record rec = {0};
    int level = 0;
    const enum pd_code code = pi_reader_said_zstd(c->r, &c->compressed, &level, c->error);
    if (code)
        return code;
    c->level = c->level ? c->level : level;
    const bool asked = c->t.from != c->t.to || c->options->zip == PD_ZIP_NONE || c->options->frame ||
                       c->change[PD_FEAT_COMPRESSED] || c->t.edits;
    if (c->compressed || c->from == PD_CONTAINER_PIPE || !c->r->in.seekable || !asked)
        return PD_OK;
    c->r->keep_compressed = true;
    enum pd_code next;
    do {
        pi_reader_pass_kernel(c->r);
        next = pd_reader_next(c->r, &rec, NULL);
        c->compressed = !next && pi_convert_is_compressed(&rec);
    } while (next != PD_END && !pd_is_failure(next) && !c->compressed); /* behind damage, other files come */
    return pd_reader_rewind(c->r, c->error);
}

/*
 * Finds out whether a directory's members must be merged by time. Not if there is one member beside `data`,
 * and `data` has only what perf writes before it samples: then the member follows `data`, compressed or not.
 * The first record may have a time: it is before all others anyway. What is compressed in `data` cannot stand
 * before what is compressed in the member, and is opened.
 */
static enum pd_code look_for_merge(struct pi_conversion *c)
{
    struct pd_record rec = {0};
    enum pd_code code = PD_END;
    bool behind = false;
    uint64_t time;
    if (c->from != PD_CONTAINER_DIRECTORY || c->to == PD_CONTAINER_DIRECTORY)
        return PD_OK;
    c->merge = c->r->n_members > 2;
    c->r->keep_compressed = false;
    while (!c->merge && c->r->n_members == 2 && (code = pi_reader_next_here(c->r, &rec, NULL)) == PD_OK) {
        const bool opens = pi_convert_is_compressed(&rec);
        c->joins |= opens;
        c->merge = behind && pd_record_time(&rec, &time) && time;
        behind |= !opens;
    }
    c->merge |= c->joins && code && code != PD_END; /* damaged */
    return pd_reader_rewind(c->r, c->error);
}

static void decide_compression(struct pi_conversion *c)
{
    c->open = c->options->zip != PD_ZIP_KEEP || c->options->frame || c->t.from != c->t.to || c->merge ||
              c->joins || c->t.edits;
    c->zip = pi_zip_type(c->options->zip, c->open && c->compressed);
    c->t.opens = c->open;
}

/* Of a file that cannot seek the header alone tells whether compressed records will come. */
static bool may_be_compressed(const struct pi_conversion *c)
{
    return c->compressed || (c->from == PD_CONTAINER_FILE && !c->r->in.seekable &&
                             pi_has_feature(c->r->info.features, PD_FEAT_COMPRESSED));
}

/* True if the records or the parts of the file must move. */
static bool needs_layout(const struct pi_conversion *c)
{
    const struct pd_convert_options *o = c->options;
    return c->from != c->to || o->attr_size || c->zip || (c->open && may_be_compressed(c)) || o->n_changes ||
           c->t.edits || (o->finish && (c->r->info.unfinished || c->r->info.truncated || c->r->n_findings));
}

/*
 * Copied chunks would bring their damage into the new layout, and the rest of a cut record would break what
 * follows. So chunks of a damaged recording are made again, from the readable records.
 */
static enum pd_code look_for_damage(struct pi_conversion *c)
{
    const bool layout = c->from != c->to || (c->from == PD_CONTAINER_FILE && needs_layout(c));
    const bool plain = c->from != PD_CONTAINER_PIPE && !c->compressed && pd_reader_n_features(c->r);
    struct pd_record rec = {0};
    bool compressed = false, damaged = false;
    enum pd_code code = PD_OK;
    if (c->open || !layout || plain || !c->r->in.seekable)
        return PD_OK;
    while (code != PD_END && !(compressed && damaged)) {
        if (pd_is_failure(code = pd_reader_next(c->r, &rec, c->error)))
            return code;
        compressed |= !code && pi_convert_is_compressed(&rec);
        damaged |= code != PD_OK && code != PD_END;
    }
    c->open = compressed && damaged;
    if (c->open && c->from != PD_CONTAINER_PIPE) /* the level of a stream is not known yet */
        c->zip = PD_RECORD_COMPRESSED;
    return pd_reader_rewind(c->r, c->error);
}

/* Converts a file in its own layout. */
static enum pd_code rewrite(struct pi_conversion *c, const struct pd_sink *sink, size_t member)
{
    struct pd_rewrite_stats stats;
    const struct pd_rewrite_options how = {.size = sizeof how,
                                           .reencode = c->options->reencode,
                                           .finding = pi_convert_finding,
                                           .user = c,
                                           .member = member};
    enum pd_code code = pi_rewrite_as(c->r, sink, &how, &c->t, &stats, c->error);
    c->stats->copied = c->t.from == c->t.to;
    c->stats->records += stats.records;
    return code;
}

static enum pd_code convert_file(struct pi_conversion *c, const struct pd_sink *sink)
{
    c->sink = *sink;
    return needs_layout(c) ? lay_out(c) : rewrite(c, sink, 0);
}

static enum pd_code convert_pipe(struct pi_conversion *c, const struct pd_sink *sink)
{
    const struct pd_convert_options *o = c->options;
    if (c->open || o->attr_size || o->n_changes)
        return pi_convert_stream(c, c->r, sink);
    return rewrite(c, sink, 0);
}

/* A data.N file. */
static enum pd_code convert_member(struct pi_conversion *c, const struct pd_sink *sink, size_t i)
{
    const struct pd_reader_options options = {
        .size = sizeof options, .allocator = c->allocator, .probe = c->r->probe.on, .workers = c->r->workers};
    struct pd_reader *r;
    if (!c->zip && (c->options->zip != PD_ZIP_NONE || !c->compressed) && !c->options->n_changes &&
        !c->t.edits)
        return rewrite(c, sink, i);
    enum pd_code code = pd_reader_open_member(&r, c->r, i, &options, c->error);
    if (code)
        return code;
    pi_reader_number_from(r, c->member_index);
    code = pi_convert_stream(c, r, sink);
    c->member_index = r->index;
    if (!code)
        code = pi_dir_take_findings(c->r, r, c->error);
    pd_reader_close(r);
    return code;
}

static enum pd_code convert_members(struct pi_conversion *c)
{
    enum pd_code code = PD_OK;
    const bool copied = !needs_layout(c) && c->t.from == c->t.to;
    for (size_t i = 0; !code && i < pd_reader_n_members(c->r); i++) {
        const struct pd_member *m = pd_reader_member(c->r, i);
        struct pi_member_file file;
        if ((code = pi_member_open(&c->members, m->name, m->mode, &file, c->error)))
            return code;
        code = i ? convert_member(c, &file.sink, i) : convert_file(c, &file.sink);
        if (i == 0)
            c->member_index = c->r->index;
        code = pi_member_close(&c->members, &file, code, c->error);
    }
    c->stats->copied = copied;
    return code;
}

static enum pd_code convert_parts(struct pi_conversion *c, const struct pd_sink *sink)
{
    if (c->to == PD_CONTAINER_DIRECTORY)
        return c->from == PD_CONTAINER_DIRECTORY ? convert_members(c) : split(c);
    if (c->from == PD_CONTAINER_PIPE && c->to == PD_CONTAINER_PIPE)
        return convert_pipe(c, sink);
    return convert_file(c, sink);
}

/* ---- The call */

enum pd_container pd_convert_container(const struct pd_reader *reader, enum pd_convert_to to)
{
    switch (to) {
    case PD_CONVERT_FILE: return PD_CONTAINER_FILE;
    case PD_CONVERT_PIPE: return PD_CONTAINER_PIPE;
    case PD_CONVERT_DIRECTORY: return PD_CONTAINER_DIRECTORY;
    default: return reader->info.container;
    }
}

static enum pd_code start(struct pi_conversion *c, const struct pd_sink *sink)
{
    const uint32_t size = c->options->attr_size;
    enum pd_code code = PD_OK;
    if (size && (size < PD_ATTR_SIZE_VER0 || size > PI_LIMIT_ATTR_CHANGED || size % 8))
        return pi_fail(c->error, PD_EARG, PD_NOWHERE, "attr_size", size, PD_ATTR_SIZE);
    if (c->to == PD_CONTAINER_DIRECTORY ? c->options->open_member == NULL : sink == NULL)
        return pi_fail(c->error, PD_EARG, PD_NOWHERE, "sink", 0, 0);
    if (c->r->in.seekable)
        code = pd_reader_rewind(c->r, c->error);
    if (!code)
        code = pi_convert_take_changes(c);
    if (!code)
        code = look_for_compressed(c);
    if (!code)
        code = look_for_merge(c);
    if (code)
        return code;
    decide_compression(c);
    if ((code = pi_convert_check_changes(c)))
        return code;
    c->t.feature_word = pi_convert_feature_word(c);
    c->r->keep_compressed = false;
    code = look_for_damage(c);
    return code ? code : convert_parts(c, sink);
}

static void clean_up(struct pi_conversion *c)
{
    pd_sorter_close(c->sorter);
    pi_sections_close(&c->out);
    pd_writer_close(c->rest);
    for (size_t i = 0; i < 256; i++)
        pi_release(c->allocator, c->collected[i].bytes);
    pi_edits_close(c->t.edits);
    pi_offcpu_close(&c->names);
    pi_release(c->allocator, c->held);
    pi_release(c->allocator, c);
}

static void start_transcode(struct pi_conversion *c)
{
    const struct pd_convert_options *o = c->options;
    c->t.from = c->t.to = c->r->info.order;
    if (o->order)
        c->t.to = o->order == PD_CONVERT_BIG ? PD_BIG : PD_LITTLE;
    c->t.reencode = o->reencode;
    c->t.attr_size = o->attr_size;
    c->t.allocator = c->allocator;
    c->t.max_held = pi_convert_max_held(c);
    c->t.finding = pi_convert_finding;
    c->t.progress = &c->progress;
    c->t.user = c;
    if (c->t.from != c->t.to || c->t.edits)
        c->t.nr_cpus_avail = pi_nr_cpus_avail(c->r);
}

static enum pd_code convert(struct pd_reader *reader, const struct pd_sink *sink,
                            const struct pd_convert_options *options, struct pd_convert_stats *stats,
                            struct pd_error *error)
{
    struct pd_convert_stats own_stats;
    struct pd_error own_error;
    const bool kept = reader->keep_compressed;
    struct pi_conversion *c = pi_resize(options->allocator, NULL, sizeof *c);
    if (c == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "conversion", 0, sizeof *c);
    *c = (struct pi_conversion){.r = reader,
                                .options = options,
                                .allocator = options->allocator,
                                .members = {options->open_member, options->close_member, options->user}};
    c->stats = stats ? stats : &own_stats;
    c->error = error ? error : &own_error;
    *c->stats = (struct pd_convert_stats){0};
    c->from = reader->info.container;
    c->to = pd_convert_container(reader, options->to);
    c->level = options->level;
    c->progress = (struct pi_progress){.callback = options->progress, .user = options->user};
    pi_progress_expect(&c->progress, pi_record_bytes(reader), 1);
    enum pd_code code = pi_edits_open(&c->t.edits, options, c->error);
    start_transcode(c);
    if (!code)
        code = pi_offcpu_open(&c->names, reader, c->allocator, c->error);
    if (!code)
        code = start(c, sink);
    reader->keep_compressed = kept;
    for (size_t i = 0; i < pd_reader_n_attrs(reader); i++)
        pi_transcode_look_at_attr(&c->t, &pd_reader_attr(reader, i)->attr);
    c->stats->unconverted = c->t.unconverted;
    if (!code)
        pi_transcode_notes(&c->t, options->note, options->user);
    if (!code && c->t.edits && options->note)
        pi_edits_notes(c->t.edits, options->note, options->user);
    if (!code)
        code = pi_convert_files(c);
    clean_up(c);
    return code;
}

/* ---- A pass before the conversion: collects the addresses that the redaction must know */

static int write_nothing(void *user, const void *bytes, size_t n)
{
    (void)user, (void)bytes, (void)n;
    return 0;
}

static int patch_nothing(void *user, uint64_t offset, const void *bytes, size_t n)
{
    (void)offset;
    return write_nothing(user, bytes, n);
}

static int open_nothing(void *user, const char *name, unsigned mode, struct pd_sink *sink)
{
    (void)user, (void)name, (void)mode;
    *sink = (struct pd_sink){.write = write_nothing, .patch = patch_nothing};
    return 0;
}

static int close_nothing(void *user, struct pd_sink *sink)
{
    (void)user, (void)sink;
    return 0;
}

/* Unreadable data is reported by the conversion that follows. */
static enum pd_code survey(struct pd_reader *reader, const struct pd_convert_options *options,
                           struct pd_error *error)
{
    const struct pd_sink sink = {.write = write_nothing, .patch = patch_nothing};
    struct pd_convert_options o = {.size = sizeof o,
                                   .allocator = options->allocator,
                                   .redaction = options->redaction,
                                   .zip = PD_ZIP_NONE,
                                   .max_held = options->max_held,
                                   .open_member = open_nothing,
                                   .close_member = close_nothing};
    pi_calls_of(o.redaction)->begin_survey(o.redaction);
    const enum pd_code code = convert(reader, &sink, &o, NULL, error);
    const enum pd_code placed = pi_calls_of(o.redaction)->end_survey(o.redaction, error);
    return placed ? placed : code == PD_ENOMEM ? code : PD_OK;
}

enum pd_code pd_convert(struct pd_reader *reader, const struct pd_sink *sink,
                        const struct pd_convert_options *options, struct pd_convert_stats *stats,
                        struct pd_error *error)
{
    struct pd_convert_options own;
    struct pd_edit_options own_edit;
    enum pd_code code = PI_TAKE_OPTIONS(pd_convert_options, &own, options, error);
    if (!code && own.edit)
        code = PI_TAKE_OPTIONS(pd_edit_options, &own_edit, own.edit, error);
    if (code)
        return code;
    own.edit = own.edit ? &own_edit : NULL;
    if (own.redaction && reader->in.seekable && pi_calls_of(own.redaction)->asks_survey(own.redaction))
        code = survey(reader, &own, error);
    return code ? code : convert(reader, sink, &own, stats, error);
}
