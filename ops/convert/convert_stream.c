/* SPDX-License-Identifier: MIT */
/*
 * convert_stream.c - a stream that stays a stream, of a pipe or of a data.N file: record by record, nothing
 * is collected or moved, and what cannot be read at the end goes along.
 */
#include "convert.h"
#include "src/codec/record_role.h"
#include "src/session/content.h"
#include "src/support/wire.h"

struct stream {
    struct pd_conversion *c;
    struct pd_reader *r;
    struct pd_writer *w;
    struct pd_compression z;
};

/* May features stand behind such a record? */
static bool is_preamble(const struct pd_record *rec)
{
    return pd_is_of_head(rec) || rec->type == PD_RECORD_ID_INDEX || rec->type == PD_RECORD_EVENT_UPDATE;
}

/*
 * Features that are set and did not come stand before the mark that ends the features, tracing data and build
 * ids behind it. */
static enum pd_code put_due(struct stream *s, const struct pd_record *rec)
{
    const bool behind = rec == NULL || !is_preamble(rec);
    enum pd_code code = PD_OK;
    bool mark = false;
    if (!s->z.pipe || s->c->options->n_changes == 0)
        return PD_OK;
    if (!behind)
        pd_stream_feature(rec, s->z.order, &mark);
    if (behind || mark)
        code = pd_convert_put_due(s->c, false, s->w);
    return code || !behind ? code : pd_convert_put_due(s->c, true, s->w);
}

/* Records that are not simply written. */
static enum pd_code special(struct stream *s, const struct pd_record *rec, bool *taken)
{
    enum pd_code code = PD_OK;
    if (!s->c->open)
        return PD_OK;
    *taken = pd_convert_is_compressed(rec); /* what is inside follows */
    if (*taken && s->z.again) {
        s->z.zip = PD_RECORD_COMPRESSED;
        code = pd_compression_start(&s->z, s->w, s->c->error);
    }
    if (!code)
        code = pd_compression_announce(&s->z, s->w, rec, taken, s->c->error);
    if (s->z.again && s->w->deflate.ctx)
        s->w->plain = false;
    return code;
}

/* Are records compressed or decompressed? */
static bool is_anew(const struct stream *s)
{
    return s->w->deflate.ctx || s->c->options->zip != PD_ZIP_KEEP;
}

/*
 * A record whose payload is cut goes along where only the byte order or attrs change, so that the way back
 * finds it.
 */
static enum pd_code write_record(struct stream *s, struct pd_record *rec)
{
    bool whole = true;
    enum pd_code code = PD_OK;
    if (is_anew(s))
        code = pd_convert_whole(s->c, s->r, rec, &whole);
    return code || !whole ? code : pd_convert_put(s->c, s->r, rec, s->w);
}

static enum pd_code copy_records(struct stream *s)
{
    struct pd_record rec = {0};
    enum pd_code code;
    while ((code = pd_convert_next(s->c, s->r, &rec)) == PD_OK) {
        bool taken = false;
        pd_progress_record(&s->c->progress, &rec);
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

/* What is left at the end: bytes that are no records. Behind compressed records only what never was one. */
static enum pd_code copy_rest(struct stream *s)
{
    struct pd_edits *edits = s->c->t.edits;
    const bool kept = edits == NULL || !edits->strict;
    const bool wanted = kept && (s->r->info.stray || (s->c->stats->findings && !is_anew(s)));
    enum pd_code code = PD_OK;
    const uint8_t *p;
    size_t n = 1;
    if (!kept)
        edits->stray += s->r->info.stray;
    while (wanted && !code && n) {
        code = pd_input_at(s->r->src, s->r->at, 1, &p, &n, s->c->error);
        if (!code)
            code = pd_writer_emit(s->w, p, n, s->c->error);
        s->r->at += n;
    }
    return code;
}

enum pd_code pd_convert_stream(struct pd_conversion *c, struct pd_reader *r, const struct pd_sink *sink)
{
    const bool pipe = r->info.container == PD_CONTAINER_PIPE;
    const struct pd_writer_options o = {.size = sizeof o,
                                        .allocator = c->allocator,
                                        .order = c->t.to,
                                        .version = r->info.version,
                                        .container = PD_CONTAINER_DIRECTORY,
                                        .compression = c->zip,
                                        .level = c->level,
                                        .dropped = pd_convert_dropped,
                                        .user = c};
    struct stream s = {.c = c,
                       .r = r,
                       .z = {.order = c->t.from,
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
        code = pd_pipe_header(s.w, c->error);
    if (!code)
        code = copy_records(&s);
    if (!code)
        code = pd_compression_end(&s.z, s.w, c->error);
    if (!code)
        code = put_due(&s, NULL);
    if (!code)
        code = pd_writer_finish(s.w, c->error);
    if (!code)
        code = copy_rest(&s);
    pd_writer_close(s.w);
    return code;
}
