/* SPDX-License-Identifier: MIT */
/* convert.c - pd_convert(): which way a conversion takes, and the records. */
#include "convert.h"
#include "codec_internal.h"
#include "memory.h"
#include "wire.h"
#include <perfdata/order.h>
#include <string.h>

/* ---- Messages */

static void on_finding(void *user, const struct pd_error *what)
{
    struct pd_conversion *c = user;
    if (what->code == PD_EUNKNOWN) /* not damage: the bytes are all that is known of some records */
        return;
    c->stats->findings++;
    if (c->options->finding)
        c->options->finding(c->options->user, what);
}

enum pd_code pd_convert_damage(struct pd_conversion *c, const struct pd_error *what)
{
    if (what->code == PD_EIO || what->code == PD_ENOMEM) {
        *c->error = *what;
        return what->code;
    }
    on_finding(c, what);
    return PD_OK;
}

void pd_convert_note(const struct pd_conversion *c, uint16_t feature, const char *why)
{
    const struct pd_convert_note note = {.what = "feature", .number = feature, .why = why};
    if (c->options->note)
        c->options->note(c->options->user, &note);
}

static void on_dropped(void *user, uint16_t feature, const char *why)
{
    pd_convert_note(user, feature, why);
}

static void on_progress(void *user, uint64_t done, uint64_t total)
{
    const struct pd_conversion *c = user;
    if (c->options->progress)
        c->options->progress(c->options->user, done, total);
}

void pd_convert_progress(struct pd_conversion *c, const struct pd_record *rec)
{
    c->done += rec->depth ? 0 : rec->size + rec->payload_size;
    if ((++c->tick & 255) == 0)
        on_progress(c, c->done, c->total);
}

/* ---- Records */

static bool is_chunk(const struct pd_record *rec)
{
    return !rec->old_feature && (rec->type == PD_RECORD_COMPRESSED || rec->type == PD_RECORD_COMPRESSED2);
}

static bool is_compressed(const struct pd_record *rec)
{
    return rec->depth == 0 && is_chunk(rec);
}

/* Inside another one, where nobody looks into it; what is written anew could not be read behind it. */
static bool is_nested(const struct pd_record *rec)
{
    return rec->depth && is_chunk(rec);
}

static enum pd_code read_next(struct pd_conversion *c, struct pd_reader *r, struct pd_record *rec,
                              struct pd_error *what)
{
    return c->sorter ? pd_sorter_next(c->sorter, rec, what) : pd_reader_next_here(r, rec, what);
}

/* Damage of the input at which reading goes on: in the next chunk, or the next member of a directory. */
static bool is_passed(const struct pd_conversion *c, const struct pd_error *what)
{
    const bool own = what->code == PD_EOUT || what->code == PD_ENOMEM ||
                     (what->code == PD_EIO && what->field && strcmp(what->field, "temporary file") == 0);
    return what->code == PD_EZSTD || what->code == PD_ELIMIT || (c->sorter && !own);
}

/* Of members that are merged, the sorter's errors count the records from the begin of each. */
static void pass(struct pd_conversion *c, const struct pd_error *what)
{
    if (c->merge)
        c->untold = true;
    else
        on_finding(c, what);
}

/* Tells of the damage of merged members as the reader does. */
static enum pd_code tell_all(struct pd_conversion *c)
{
    struct pd_record rec = {0};
    struct pd_error what;
    enum pd_code code;
    pd_sorter_close(c->sorter);
    c->sorter = NULL;
    if ((code = pd_reader_rewind(c->r, c->error)))
        return code;
    while ((code = pd_reader_next(c->r, &rec, &what)) != PD_END && code != PD_ENOMEM)
        if (code)
            on_finding(c, &what);
    if (code == PD_ENOMEM)
        *c->error = what;
    return code == PD_END ? PD_OK : code;
}

/* A record inside a COMPRESSED one that is copied. */
static enum pd_code look(struct pd_conversion *c, struct pd_reader *r, struct pd_record *rec)
{
    const uint8_t *bytes;
    size_t n;
    struct pd_transcode *t = &c->t;
    if (pd_convert_change_of(c, rec))
        return pd_fail_record(c->error, PD_EARG, rec, 0, "it is inside a compressed record", pd_convert_feature_of(c, rec), 0);
    return t->from == t->to ? pd_transcode_record(t, r, rec, &bytes, &n, c->error) : PD_OK;
}

enum pd_code pd_convert_next(struct pd_conversion *c, struct pd_reader *r, struct pd_record *rec)
{
    struct pd_error what;
    for (;;) {
        enum pd_code code = read_next(c, r, rec, &what);
        if (code == PD_OK && c->open && is_nested(rec))
            continue; /* the reader has told of it */
        if (code == PD_OK && rec->depth && !c->open) {
            if ((code = look(c, r, rec)))
                return code;
            continue;
        }
        if (code == PD_OK)
            return is_compressed(rec) ? pd_convert_check_chunk(c, rec) : PD_OK;
        if (code == PD_END)
            return code;
        const bool passed = is_passed(c, &what);
        if (passed)
            pass(c, &what);
        else if (code == PD_EOUT)
            *c->error = what;
        else
            code = pd_convert_damage(c, &what);
        if (!passed)
            return code ? code : PD_END;
    }
}

uint64_t pd_convert_time(const struct pd_record *rec, enum pd_order order)
{
    const struct pd_plan *plan = rec->plan;
    if (rec->type >= PD_RECORD_HEADER_ATTR || plan == NULL)
        return 0;
    if (rec->type == PD_RECORD_SAMPLE)
        return plan->time && rec->size >= plan->time + 8u ? pd_load64(rec->raw + plan->time, order) : 0;
    if (!plan->id_all || !plan->trailer_time || rec->size < 8u + plan->trailer_time)
        return 0;
    return pd_load64(rec->raw + rec->size - plan->trailer_time, order);
}

/* What perf synthesizes before it samples, which it neither compresses nor writes to the data.N files. */
static bool is_early(const struct pd_conversion *c, const struct pd_record *rec)
{
    return rec->type != PD_RECORD_SAMPLE && pd_convert_time(rec, c->t.from) == 0;
}

/* A piece of what follows a record, or as many zeros. */
static enum pd_code put_piece(struct pd_conversion *c, struct pd_writer *w, const uint8_t *bytes, size_t n)
{
    static const uint8_t zeros[4096];
    enum pd_code code = PD_OK;
    if (c->t.edits == NULL || !c->t.edits->zero_payload)
        return pd_writer_raw(w, bytes, n, c->error);
    for (; !code && n; n -= n < sizeof zeros ? n : sizeof zeros)
        code = pd_writer_raw(w, zeros, n < sizeof zeros ? n : sizeof zeros, c->error);
    return code;
}

static enum pd_code put_payload(struct pd_conversion *c, struct pd_reader *r, const struct pd_record *rec,
                                struct pd_writer *w)
{
    const uint8_t *bytes;
    size_t n = c->held_n;
    enum pd_code code = PD_OK;
    c->held_n = 0;
    if (n)
        code = put_piece(c, w, c->held + rec->size, n - rec->size);
    if (code)
        return code;
    do {
        struct pd_error what;
        code = c->sorter ? pd_sorter_payload(c->sorter, &bytes, &n, &what)
                         : pd_reader_payload(r, &bytes, &n, &what);
        if (code)
            return pd_convert_damage(c, &what); /* what there was of it has been written, as in the input */
        code = put_piece(c, w, bytes, n);
    } while (!code && n);
    return code;
}

static enum pd_code hold(struct pd_conversion *c, const uint8_t *bytes, size_t n)
{
    size_t cap = c->held_cap ? c->held_cap : 65536;
    while (cap - c->held_n < n)
        cap *= 2;
    uint8_t *more = cap != c->held_cap ? pd_resize(c->allocator, c->held, cap) : c->held;
    if (more == NULL)
        return pd_fail(c->error, PD_ENOMEM, PD_NOWHERE, "payload", 0, cap);
    c->held = more;
    c->held_cap = cap;
    if (n)
        memcpy(c->held + c->held_n, bytes, n);
    c->held_n += n;
    return PD_OK;
}

static enum pd_code hold_payload(struct pd_conversion *c, struct pd_reader *r, struct pd_record *rec, bool *whole)
{
    enum pd_code code = hold(c, rec->raw, rec->size);
    size_t n = 1;
    while (!code && n && c->held_n < pd_convert_max_held(c)) {
        struct pd_error what;
        const uint8_t *bytes;
        if (pd_reader_payload(r, &bytes, &n, &what)) {
            *whole = false;
            c->held_n = 0;
            return pd_convert_damage(c, &what);
        }
        code = hold(c, bytes, n);
    }
    rec->raw = c->held;
    return code;
}

enum pd_code pd_convert_whole(struct pd_conversion *c, struct pd_reader *r, struct pd_record *rec, bool *whole)
{
    const uint64_t end = rec->member ? r->members[rec->member].size : r->info.data_end;
    c->held_n = 0;
    *whole = !r->in.seekable || rec->payload_size == 0 || rec->payload_size <= end - rec->offset - rec->size;
    return r->in.seekable || rec->payload_size == 0 ? PD_OK : hold_payload(c, r, rec, whole);
}

static enum pd_code note_aux(struct pd_conversion *c, const struct pd_record *rec, const struct pd_writer *w)
{
    if (rec->type != PD_RECORD_AUXTRACE || w != c->w)
        return PD_OK;
    if (!pd_grow(c->allocator, (void **)&c->moved, c->n_moved, &c->moved_cap, sizeof *c->moved))
        return pd_fail(c->error, PD_ENOMEM, rec->offset, "AUXTRACE index", 0, sizeof *c->moved);
    const uint64_t end = pd_writer_data_offset(w) + pd_writer_data_size(w);
    c->moved[c->n_moved++] = (struct pd_moved_aux){rec->offset, end - rec->size, rec->size};
    return PD_OK;
}

/* All of the payload behind what is held, c->held_n bytes in all; 0: the input ends before it. */
static enum pd_code hold_all(struct pd_conversion *c, struct pd_reader *r, const struct pd_record *rec)
{
    enum pd_code code = c->held_n ? PD_OK : hold(c, rec->raw, rec->size);
    size_t n = 1;
    while (!code && n) {
        struct pd_error what;
        const uint8_t *bytes;
        code = c->sorter ? pd_sorter_payload(c->sorter, &bytes, &n, &what) : pd_reader_payload(r, &bytes, &n, &what);
        if (code) {
            c->held_n = 0;
            return pd_convert_damage(c, &what);
        }
        if (n > pd_convert_max_held(c) || c->held_n > pd_convert_max_held(c) - n)
            return pd_fail_record(c->error, PD_ELIMIT, rec, 0, "tracing data", rec->payload_size, pd_convert_max_held(c));
        code = hold(c, bytes, n);
    }
    return code;
}

/* Tracing data behind its record, which is edited as a whole, so that the record says another size. */
static enum pd_code put_edited_tracing(struct pd_conversion *c, struct pd_reader *r, const struct pd_record *rec,
                                       struct pd_writer *w)
{
    static const uint8_t zeros[8];
    const uint16_t size = rec->size;
    struct pd_bytes out;
    bool there;
    enum pd_code code = hold_all(c, r, rec);
    const size_t all = c->held_n;
    c->held_n = 0;
    if (code || all == 0)
        return code;
    code = pd_edits_feature(c->t.edits, c->t.from, PD_FEAT_TRACING_DATA, 0, c->held + size,
                            pd_tracing_bytes(c->held + size, all - size), &out, &there, c->error);
    if (code || !there)
        return code;
    const size_t pad = pd_align8(out.n) - out.n;
    pd_store32(c->t.bytes + 8, (uint32_t)(out.n + pad), c->t.to);
    code = pd_writer_raw(w, c->t.bytes, size, c->error);
    if (!code)
        code = pd_writer_raw(w, out.ptr, out.n, c->error);
    c->stats->records++;
    return code ? code : pd_writer_raw(w, zeros, pad, c->error);
}

enum pd_code pd_convert_put(struct pd_conversion *c, struct pd_reader *r, struct pd_record *rec,
                            struct pd_writer *w)
{
    const uint8_t *bytes;
    size_t n = 0;
    if (w->plain && !is_early(c, rec))
        w->plain = false;
    const struct pd_feature_change *change = pd_convert_change_of(c, rec);
    if (change)
        return pd_convert_put_change(c, change, rec, w);
    enum pd_code code = pd_convert_check_topology(c, rec);
    if (!code)
        code = pd_transcode_record(&c->t, r, rec, &bytes, &n, c->error);
    if (code || n == 0)
        return code;
    if (c->t.edits && rec->payload_size && rec->type == PD_RECORD_HEADER_TRACING_DATA)
        return put_edited_tracing(c, r, rec, w);
    code = pd_writer_raw(w, bytes, n, c->error);
    if (!code)
        code = note_aux(c, rec, w);
    c->stats->records++;
    return code || !rec->payload_size ? code : put_payload(c, r, rec, w);
}

/* ---- A directory of one stream: what perf writes before it samples stays in `data`, the rest goes to data.0
 */

static bool belongs_to_data(const struct pd_conversion *c, const struct pd_record *rec)
{
    if (rec->payload_size || is_compressed(rec) || rec->type == PD_RECORD_FINISHED_ROUND)
        return false;
    /* perf takes a `data` without records for one that was not finished. */
    return !c->first_done || is_early(c, rec);
}

/* Writes a record to that file where it belongs. One whose payload is cut does not come along. */
static enum pd_code place(struct pd_conversion *c, struct pd_record *rec)
{
    bool whole;
    const enum pd_code code = pd_convert_whole(c, c->r, rec, &whole);
    if (code || !whole)
        return code;
    if (c->rest == NULL)
        return pd_convert_put(c, c->r, rec, c->w);
    c->rest_begun |= !belongs_to_data(c, rec);
    c->first_done = true;
    return pd_convert_put(c, c->r, rec, c->rest_begun ? c->rest : c->w);
}

/* ---- One stream of records into a new layout */

/* A compressed stream whose records must be looked into is compressed anew unless it is to be plain. */
static enum pd_code compress_too(struct pd_conversion *c)
{
    if (c->options->zip != PD_ZIP_KEEP || c->zip || c->to == PD_CONTAINER_PIPE)
        return PD_OK;
    c->zip = PD_RECORD_COMPRESSED;
    (c->rest ? c->rest : c->w)->plain = false;
    const enum pd_code code = pd_writer_compress(c->w, c->zip, c->level, c->error); /* of a directory, this one has the feature */
    return code || !c->rest ? code : pd_writer_compress(c->rest, c->zip, c->level, c->error);
}

static enum pd_code put_records(struct pd_conversion *c)
{
    struct pd_record rec = {0};
    enum pd_code code;
    while ((code = pd_convert_next(c, c->r, &rec)) == PD_OK) {
        bool taken = false;
        pd_convert_progress(c, &rec);
        if (c->from == PD_CONTAINER_PIPE)
            code = pd_convert_collect(c, &rec, &taken);
        if (!code && c->open && is_compressed(&rec)) {
            taken = true; /* what is inside follows */
            code = compress_too(c);
        }
        if (!code && !taken)
            code = place(c, &rec);
        if (code)
            return code;
    }
    return code == PD_END ? PD_OK : code;
}

static uint32_t room_of_attrs(const struct pd_conversion *c)
{
    uint32_t room = 0;
    for (size_t i = 0; i < c->r->attrs.n; i++)
        if (c->r->attrs.attr[i]->room > room)
            room = c->r->attrs.attr[i]->room;
    return c->options->attr_size ? c->options->attr_size : room;
}

static enum pd_code open_writer(struct pd_conversion *c, enum pd_container container,
                                const struct pd_sink *sink, struct pd_writer **w)
{
    struct pd_writer_options o = {
        .size = sizeof o, .allocator = c->allocator, .order = c->t.to, .container = container};
    o.attr_size = c->from == PD_CONTAINER_PIPE ? c->options->attr_size : room_of_attrs(c);
    o.version = c->r->info.version; /* PERFFILE stays so where it can */
    o.compression = c->zip;
    o.level = c->level;
    o.max_held = c->options->max_held;
    o.dropped = on_dropped;
    o.user = c;
    enum pd_code code = pd_writer_open(w, sink, &o, c->error);
    if (!code)
        (*w)->plain = true;
    return code;
}

static int open_member(struct pd_conversion *c, const char *name, unsigned mode, struct pd_sink *sink)
{
    return c->options->open_member ? c->options->open_member(c->options->user, name, mode, sink) : -1;
}

static enum pd_code close_member(struct pd_conversion *c, struct pd_sink *sink, enum pd_code code)
{
    const int e = c->options->close_member ? c->options->close_member(c->options->user, sink) : 0;
    return code || !e ? code : pd_fail(c->error, PD_EOUT, PD_NOWHERE, NULL, (uint64_t)e, 0);
}

static enum pd_code begin(struct pd_conversion *c)
{
    const enum pd_container container = c->to == PD_CONTAINER_PIPE ? PD_CONTAINER_PIPE : PD_CONTAINER_FILE;
    enum pd_code code = open_writer(c, container, &c->sink, &c->w);
    if (!code)
        code = pd_convert_attrs(c);
    if (!code && c->from != PD_CONTAINER_PIPE)
        code = pd_convert_types(c);
    if (!code && c->to == PD_CONTAINER_PIPE)
        code = pd_convert_features(c);
    return code;
}

static enum pd_code end(struct pd_conversion *c)
{
    enum pd_code code = PD_OK;
    if (c->rest)
        code = pd_writer_finish(c->rest, c->error);
    if (!code && c->to != PD_CONTAINER_PIPE) {
        c->w->options.feature_word = pd_convert_feature_word(c);
        c->w->options.max_features = pd_convert_table(c);
        if (c->w->stage == PD_STAGE_ATTRS) /* without a record nothing has begun */
            code = pd_writer_raw(c->w, NULL, 0, c->error);
    }
    if (!code && !c->w->broken)
        code = pd_convert_features(c); /* of a stream: those that came late */
    return code ? code : pd_writer_finish(c->w, c->error);
}

/*
 * The members of a directory as one stream: by time, or one behind the other. FINISHED_ROUND says that nothing older
 * follows, which is true anywhere in what is in order.
 */
static enum pd_code open_members(struct pd_conversion *c)
{
    const struct pd_sorter_options how = {
        .size = sizeof how, .allocator = c->allocator, .kind = c->merge ? PD_SORT_TIME : PD_SORT_FILE};
    c->total = 0;
    for (size_t i = 0; i < c->r->n_members; i++)
        c->total += c->r->members[i].size;
    return pd_sorter_open(&c->sorter, c->r, &how, c->error);
}

/* A file or stream with a layout of its own. */
static enum pd_code lay_out(struct pd_conversion *c)
{
    enum pd_code code = begin(c);
    if (!code && c->from == PD_CONTAINER_DIRECTORY && c->to != PD_CONTAINER_DIRECTORY)
        code = open_members(c);
    if (!code)
        code = put_records(c);
    if (!code && c->untold)
        code = tell_all(c);
    return code ? code : end(c);
}

static enum pd_code split(struct pd_conversion *c)
{
    enum pd_code code;
    int e = open_member(c, "data", 0600, &c->sink);
    if (e)
        return pd_fail(c->error, PD_EOUT, PD_NOWHERE, "data", (uint64_t)e, 0);
    if ((e = open_member(c, "data.0", 0600, &c->rest_sink)))
        return close_member(c, &c->sink, pd_fail(c->error, PD_EOUT, PD_NOWHERE, "data.0", (uint64_t)e, 0));
    code = open_writer(c, PD_CONTAINER_DIRECTORY, &c->rest_sink, &c->rest);
    if (!code)
        code = lay_out(c);
    code = close_member(c, &c->rest_sink, code);
    return close_member(c, &c->sink, code);
}

/* ---- Which way? */

/* Does a file have compressed records? Its COMPRESSED feature tells; where that names none, only the records do. */
static enum pd_code look_for_compressed(struct pd_conversion *c)
{
    const struct pd_feature_section *f = pd_convert_section(c, PD_FEAT_COMPRESSED);
    uint8_t words[20] = {0};
    struct pd_record rec = {0};
    enum pd_code code;
    if (f && f->section.size >= sizeof words) {
        if ((code = pd_reader_read(c->r, f->section.offset, words, sizeof words, c->error)))
            return code;
        c->compressed = pd_load32(words + 4, c->t.from) != 0;
        if (c->level == 0)
            c->level = (int)(pd_load32(words + 8, c->t.from) & 31);
    }
    const bool asked =
        c->t.from != c->t.to || c->options->zip == PD_ZIP_NONE || c->change[PD_FEAT_COMPRESSED] || c->t.edits;
    if (c->compressed || c->from == PD_CONTAINER_PIPE || !c->r->in.seekable || !asked)
        return PD_OK;
    c->r->keep_compressed = true;
    while (!c->compressed && pd_reader_next_here(c->r, &rec, NULL) == PD_OK)
        c->compressed = is_compressed(&rec);
    return pd_reader_rewind(c->r, c->error);
}

/*
 * Do a directory's members have to be merged by time? Not when there is only one beside `data`, and that has
 * but what perf writes before it samples: then the one can follow the other, compressed or not. The first record may
 * have a time: it stands before all others anyway.
 */
static enum pd_code look_for_merge(struct pd_conversion *c)
{
    struct pd_record rec = {0};
    if (c->from != PD_CONTAINER_DIRECTORY || c->to == PD_CONTAINER_DIRECTORY)
        return PD_OK;
    c->merge = c->r->n_members > 2;
    c->r->keep_compressed = true;
    while (!c->merge && c->r->n_members == 2 && pd_reader_next_here(c->r, &rec, NULL) == PD_OK)
        c->merge = is_compressed(&rec) || (rec.index && pd_convert_time(&rec, c->t.from) != 0);
    return pd_reader_rewind(c->r, c->error);
}

static void decide_compression(struct pd_conversion *c)
{
    switch (c->options->zip) {
    case PD_ZIP_COMPRESSED: c->zip = PD_RECORD_COMPRESSED; break;
    case PD_ZIP_COMPRESSED2: c->zip = PD_RECORD_COMPRESSED2; break;
    default: break;
    }
    c->open = c->options->zip != PD_ZIP_KEEP || c->t.from != c->t.to || c->merge || c->t.edits;
    if (c->options->zip == PD_ZIP_KEEP && c->open && c->compressed)
        c->zip = PD_RECORD_COMPRESSED;
}

/* Must the records move, or the parts of the file? */
static bool needs_layout(const struct pd_conversion *c)
{
    const struct pd_convert_options *o = c->options;
    return c->from != c->to || o->attr_size || c->zip || (o->zip == PD_ZIP_NONE && c->compressed) || o->n_changes || c->t.edits ||
           (o->finish && (c->r->info.unfinished || c->r->info.truncated || c->r->n_findings));
}

/*
 * Chunks that are copied into a new layout would take their damage along, and what is left of a record that was cut would
 * break what follows. So those of a damaged recording are made anew, of the records that can be read.
 */
static enum pd_code look_for_damage(struct pd_conversion *c)
{
    const bool layout = c->from != c->to || (c->from == PD_CONTAINER_FILE && needs_layout(c));
    const bool plain = c->from != PD_CONTAINER_PIPE && !c->compressed && pd_reader_n_features(c->r);
    struct pd_record rec = {0};
    bool compressed = false, damaged = false;
    enum pd_code code = PD_OK;
    if (c->open || !layout || plain || !c->r->in.seekable)
        return PD_OK;
    while (code != PD_END && !(compressed && damaged)) {
        if ((code = pd_reader_next(c->r, &rec, c->error)) == PD_ENOMEM)
            return code;
        compressed |= !code && is_compressed(&rec);
        damaged |= code != PD_OK && code != PD_END;
    }
    c->open = compressed && damaged;
    if (c->open && c->from != PD_CONTAINER_PIPE) /* of a stream, the level is still to come */
        c->zip = PD_RECORD_COMPRESSED;
    return pd_reader_rewind(c->r, c->error);
}

/* In the layout it has. */
static enum pd_code rewrite(struct pd_conversion *c, const struct pd_sink *sink, size_t member)
{
    struct pd_rewrite_stats stats;
    const struct pd_rewrite_options how = {.size = sizeof how,
                                           .reencode = c->options->reencode,
                                           .finding = on_finding,
                                           .user = c,
                                           .member = member};
    enum pd_code code = pd_rewrite_as(c->r, sink, &how, &c->t, &stats, c->error);
    c->stats->copied = c->t.from == c->t.to;
    c->stats->records += stats.records;
    return code;
}

static enum pd_code convert_file(struct pd_conversion *c, const struct pd_sink *sink)
{
    c->sink = *sink;
    return needs_layout(c) ? lay_out(c) : rewrite(c, sink, 0);
}

static enum pd_code convert_pipe(struct pd_conversion *c, const struct pd_sink *sink)
{
    const struct pd_convert_options *o = c->options;
    if (o->zip != PD_ZIP_KEEP || c->t.from != c->t.to || o->attr_size || o->n_changes || c->t.edits)
        return pd_convert_stream(c, c->r, sink);
    return rewrite(c, sink, 0);
}

/* A data.N file. */
static enum pd_code convert_member(struct pd_conversion *c, const struct pd_sink *sink, size_t i)
{
    const struct pd_reader_options options = {.size = sizeof options, .allocator = c->allocator};
    struct pd_reader *r;
    if (!c->zip && (c->options->zip != PD_ZIP_NONE || !c->compressed) && !c->options->n_changes && !c->t.edits)
        return rewrite(c, sink, i);
    enum pd_code code = pd_reader_open_member(&r, c->r, i, &options, c->error);
    if (code)
        return code;
    code = pd_convert_stream(c, r, sink);
    pd_reader_close(r);
    return code;
}

static enum pd_code convert_members(struct pd_conversion *c)
{
    enum pd_code code = PD_OK;
    const bool copied = !needs_layout(c) && c->t.from == c->t.to;
    for (size_t i = 0; !code && i < pd_reader_n_members(c->r); i++) {
        const struct pd_member *m = pd_reader_member(c->r, i);
        struct pd_sink sink;
        const int e = open_member(c, m->name, m->mode, &sink);
        if (e)
            return pd_fail(c->error, PD_EOUT, PD_NOWHERE, "member of a directory", (uint64_t)e, 0);
        code = i ? convert_member(c, &sink, i) : convert_file(c, &sink);
        code = close_member(c, &sink, code);
    }
    c->stats->copied = copied;
    return code;
}

static enum pd_code run(struct pd_conversion *c, const struct pd_sink *sink)
{
    if (c->to == PD_CONTAINER_DIRECTORY)
        return c->from == PD_CONTAINER_DIRECTORY ? convert_members(c) : split(c);
    if (c->from == PD_CONTAINER_PIPE && c->to == PD_CONTAINER_PIPE)
        return convert_pipe(c, sink);
    return convert_file(c, sink);
}

/* ---- The call */

enum pd_container pd_convert_container(const struct pd_reader *reader,
                                       const struct pd_convert_options *options)
{
    switch (options->to) {
    case PD_CONVERT_FILE: return PD_CONTAINER_FILE;
    case PD_CONVERT_PIPE: return PD_CONTAINER_PIPE;
    case PD_CONVERT_DIRECTORY: return PD_CONTAINER_DIRECTORY;
    default: return reader->info.container;
    }
}

static enum pd_code start(struct pd_conversion *c, const struct pd_sink *sink)
{
    const uint32_t size = c->options->attr_size;
    enum pd_code code = PD_OK;
    if (size && (size < PD_ATTR_SIZE_VER0 || size > PD_MOST_ATTR_SIZE || size % 8))
        return pd_fail(c->error, PD_EARG, PD_NOWHERE, "attr_size", size, PD_ATTR_SIZE);
    if (c->to == PD_CONTAINER_DIRECTORY ? c->options->open_member == NULL : sink == NULL)
        return pd_fail(c->error, PD_EARG, PD_NOWHERE, "sink", 0, 0);
    if (c->r->in.seekable)
        code = pd_reader_rewind(c->r, c->error);
    if (!code)
        code = pd_convert_take_changes(c);
    if (!code)
        code = look_for_compressed(c);
    if (!code)
        code = look_for_merge(c);
    if (code)
        return code;
    decide_compression(c);
    if ((code = pd_convert_check_changes(c)))
        return code;
    c->t.feature_word = pd_convert_feature_word(c);
    c->r->keep_compressed = false;
    code = look_for_damage(c);
    return code ? code : run(c, sink);
}

static void clean_up(struct pd_conversion *c)
{
    pd_sorter_close(c->sorter);
    pd_writer_close(c->w);
    pd_writer_close(c->rest);
    for (size_t i = 0; i < 256; i++)
        pd_release(c->allocator, c->collected[i].bytes);
    pd_edits_close(c->t.edits);
    pd_release(c->allocator, c->moved);
    pd_release(c->allocator, c->held);
    pd_release(c->allocator, c);
}

static void start_transcode(struct pd_conversion *c)
{
    const struct pd_convert_options *o = c->options;
    c->t.from = c->t.to = c->r->info.order;
    if (o->order)
        c->t.to = o->order == PD_CONVERT_BIG ? PD_BIG : PD_LITTLE;
    c->t.reencode = o->reencode;
    c->t.attr_size = o->attr_size;
    c->t.allocator = c->allocator;
    c->t.max_held = pd_convert_max_held(c);
    c->t.finding = on_finding;
    c->t.progress = on_progress;
    c->t.user = c;
    if (c->t.from != c->t.to || c->t.edits)
        c->t.nr_cpus_avail = pd_nr_cpus_avail(c->r);
}

enum pd_code pd_convert(struct pd_reader *reader, const struct pd_sink *sink,
                        const struct pd_convert_options *options, struct pd_convert_stats *stats,
                        struct pd_error *error)
{
    static const struct pd_convert_options usual = {.size = sizeof usual};
    struct pd_convert_stats own_stats;
    struct pd_error own_error;
    const bool kept = reader->keep_compressed;
    options = options ? options : &usual;
    struct pd_conversion *c = pd_resize(options->allocator, NULL, sizeof *c);
    if (c == NULL)
        return pd_fail(error, PD_ENOMEM, PD_NOWHERE, "conversion", 0, sizeof *c);
    *c = (struct pd_conversion){.r = reader, .options = options, .allocator = options->allocator};
    c->stats = stats ? stats : &own_stats;
    c->error = error ? error : &own_error;
    *c->stats = (struct pd_convert_stats){0};
    c->from = reader->info.container;
    c->to = pd_convert_container(reader, options);
    c->level = options->level;
    c->total = reader->info.data_end;
    enum pd_code code = pd_edits_open(&c->t.edits, options, c->error);
    start_transcode(c);
    if (!code)
        code = start(c, sink);
    reader->keep_compressed = kept;
    c->stats->unconverted = c->t.unconverted;
    if (!code)
        pd_transcode_notes(&c->t, options->note, options->user);
    if (!code && c->t.edits && options->note)
        pd_edits_notes(c->t.edits, options->note, options->user);
    clean_up(c);
    return code;
}
