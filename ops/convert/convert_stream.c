/* SPDX-License-Identifier: MIT */
/*
 * convert_stream.c - a stream that stays a stream, from a pipe or a data.N file: converted record by record.
 * Nothing is collected or moved, and unreadable bytes at the end are copied.
 */
#include "convert.h"
#include "src/codec/record_role.h"
#include "src/session/content.h"
#include "src/support/wire.h"

struct stream {
    struct pi_conversion *c;
    struct pd_reader *r;
    struct pd_writer *w;
    struct pi_compression z;
};

/* True if features may follow such a record. */
static bool is_preamble(const struct pd_record *rec)
{
    return pi_is_of_head(rec) || rec->type == PD_RECORD_ID_INDEX || rec->type == PD_RECORD_EVENT_UPDATE;
}

/*
 * Set features that did not come are written before the mark that ends the features; tracing data and build
 * ids behind it.
 */
static enum pd_code put_due(struct stream *s, const struct pd_record *rec)
{
    const bool behind = rec == NULL || !is_preamble(rec);
    enum pd_code code = PD_OK;
    bool mark = false;
    if (!s->z.pipe || s->c->options->n_changes == 0)
        return PD_OK;
    if (!behind)
        pi_stream_feature(rec, s->r->info.order, &mark);
    if (behind || mark)
        code = pi_convert_put_due(s->c, false, rec == NULL, s->w);
    return code || !behind ? code : pi_convert_put_due(s->c, true, rec == NULL, s->w);
}

/* Handles records that are not simply written. */
static enum pd_code special(struct stream *s, const struct pd_record *rec, bool *taken)
{
    enum pd_code code = PD_OK;
    if (!s->c->open)
        return PD_OK;
    *taken = pi_convert_is_compressed(rec); /* the records inside follow */
    if (*taken && s->z.again) {
        s->z.zip = PD_RECORD_COMPRESSED;
        code = pi_compression_start(&s->z, s->w, s->c->error);
    }
    if (!code)
        code = pi_compression_announce(&s->z, s->w, rec, taken, s->c->error);
    if (s->z.again && s->w->deflate.ctx)
        s->w->plain = false;
    return code;
}

/* True if records are compressed or decompressed. */
static bool is_anew(const struct stream *s)
{
    return s->z.zip || s->c->options->zip != PD_ZIP_KEEP;
}

/*
 * A record with a cut payload is copied if only the byte order or attrs change, so that the conversion back
 * finds it.
 */
static enum pd_code write_record(struct stream *s, struct pd_record *rec)
{
    bool whole = true;
    enum pd_code code = PD_OK;
    if (is_anew(s))
        code = pi_convert_whole(s->c, s->r, rec, &whole);
    return code || !whole ? code : pi_convert_put(s->c, s->r, rec, s->w);
}

static enum pd_code copy_records(struct stream *s)
{
    struct pd_record rec = {0};
    enum pd_code code;
    while ((code = pi_convert_next(s->c, s->r, &rec)) == PD_OK) {
        bool taken = false;
        pi_progress_record(&s->c->progress, &rec);
        code = put_due(s, &rec);
        if (!code)
            code = special(s, &rec, &taken);
        if (!code && !taken)
            code = write_record(s, &rec);
        if (code)
            return code;
    }
    return code == PD_END ? PD_OK : code;
}

/* Tells of the stray bytes at the end that they are left out. */
static void drop_stray(struct stream *s)
{
    const struct pd_convert_note note = {.what = PD_NOTED_BYTES,
                                         .count = s->r->info.stray,
                                         .why = "in the other byte order a record would begin like that"};
    s->r->at += note.count;
    if (s->c->options->note)
        s->c->options->note(s->c->options->user, &note);
}

/* Stray bytes can be the start of a record in another byte order: a reader would miss its rest. */
static enum pd_code judge_stray(struct stream *s)
{
    const struct pd_reader *r = s->r;
    const size_t stray = (size_t)r->info.stray;
    const uint8_t *p;
    size_t n;
    if (stray == 0 || s->c->t.to == r->info.order)
        return PD_OK;
    const enum pd_code code = pi_input_at(r->src, r->at, stray, &p, &n, s->c->error);
    if (!code && !pi_is_stray(s->c->t.to, p, n))
        drop_stray(s);
    return code;
}

/*
 * Copies the bytes at the end that are not records. If records are compressed or decompressed, copies only
 * bytes that never were a record.
 */
static enum pd_code copy_rest(struct stream *s)
{
    struct pi_edits *edits = s->c->t.edits;
    const bool kept = edits == NULL || !edits->strict;
    const bool wanted = kept && (s->r->info.stray || (s->c->stats->findings && !is_anew(s)));
    enum pd_code code = wanted ? judge_stray(s) : PD_OK;
    const uint8_t *p;
    size_t n = 1;
    if (!kept)
        edits->stray += s->r->info.stray;
    while (wanted && !code && n) {
        code = pi_input_at(s->r->src, s->r->at, 1, &p, &n, s->c->error);
        if (!code)
            code = pi_writer_emit(s->w, p, n, s->c->error);
        s->r->at += n;
    }
    return code;
}

enum pd_code pi_convert_stream(struct pi_conversion *c, struct pd_reader *r, const struct pd_sink *sink)
{
    const bool pipe = r->info.container == PD_CONTAINER_PIPE;
    const struct pd_writer_options o = {.size = sizeof o,
                                        .allocator = c->allocator,
                                        .order = c->t.to,
                                        .version = r->info.version,
                                        .container = PD_CONTAINER_DIRECTORY,
                                        .compression = pipe ? 0 : c->zip,
                                        .level = c->level,
                                        .frame = c->options->frame,
                                        .workers = c->r->workers,
                                        .dropped = pi_convert_dropped,
                                        .user = c};
    struct stream s = {.c = c,
                       .r = r,
                       .z = {.reader = r,
                             .again = c->options->zip == PD_ZIP_KEEP,
                             .pipe = pipe,
                             .due = pipe && c->zip,
                             .zip = c->zip,
                             .level = c->level}};
    enum pd_code code = pd_writer_open(&s.w, sink, &o, c->error);
    if (code)
        return code;
    s.w->plain = pipe;
    if (pipe)
        code = pi_pipe_header(s.w, c->error);
    if (!code)
        code = copy_records(&s);
    if (!code)
        code = pi_compression_end(&s.z, s.w, c->error);
    if (!code)
        code = put_due(&s, NULL);
    if (!code)
        code = pd_writer_finish(s.w, c->error);
    if (!code)
        code = copy_rest(&s);
    pd_writer_close(s.w);
    return code;
}
