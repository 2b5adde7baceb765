/* SPDX-License-Identifier: MIT */
/*
 * convert_stream.c - a stream that stays a stream, of a pipe or of a data.N file: record by record, nothing
 * is collected or moved, and what cannot be read at the end goes along.
 */
#include "convert.h"
#include "codec_internal.h"
#include "content.h"
#include "wire.h"

struct stream {
    struct pd_conversion *c;
    struct pd_reader *r;
    struct pd_writer *w;
    bool pipe;
    bool due; /* the COMPRESSED feature of the output's own stream is still to be written */
};

static void on_dropped(void *user, uint16_t feature, const char *why)
{
    pd_convert_note(user, feature, why);
}

static enum pd_code put_magic(struct stream *s)
{
    uint8_t bytes[PD_PIPE_HEADER_BYTES];
    pd_store64(bytes, PD_MAGIC2, s->c->t.to);
    if (s->r->info.version == 1)
        memcpy(bytes, "PERFFILE", 8);
    pd_store64(bytes + 8, sizeof bytes, s->c->t.to);
    return pd_writer_emit(s->w, bytes, sizeof bytes, s->c->error);
}

/* Our own COMPRESSED feature. */
static enum pd_code put_feature(struct stream *s)
{
    uint8_t bytes[16 + PD_COMPRESSED_FEATURE_BYTES];
    pd_store32(bytes, PD_RECORD_HEADER_FEATURE, s->c->t.to);
    pd_store16(bytes + 4, 0, s->c->t.to);
    pd_store16(bytes + 6, sizeof bytes, s->c->t.to);
    pd_store64(bytes + 8, PD_FEAT_COMPRESSED, s->c->t.to);
    pd_writer_compressed_feature(s->w, bytes + 16);
    s->due = false;
    return pd_writer_raw(s->w, bytes, sizeof bytes, s->c->error);
}

static enum pd_code start_compression(struct stream *s, int level)
{
    if (s->w->deflate.ctx)
        return PD_OK;
    s->due = true;
    s->w->plain = false;
    return pd_writer_compress(s->w, PD_RECORD_COMPRESSED, s->c->level ? s->c->level : level, s->c->error);
}

/* The number of a feature record; UINT64_MAX: it is none. */
static uint64_t feature_of(const struct stream *s, const struct pd_record *rec)
{
    struct pd_bytes data;
    uint64_t id;
    const bool one = !rec->depth && !rec->old_feature && pd_record_feature(rec, s->c->t.from, &id, &data);
    return one ? id : UINT64_MAX;
}

/* Does perf write records of this type before the features that are still to come? */
static bool is_early(const struct pd_record *rec)
{
    return rec->old_feature || rec->type == PD_RECORD_HEADER_ATTR || rec->type == PD_RECORD_HEADER_EVENT_TYPE;
}

/* The input's COMPRESSED feature goes where the output is plain, and is replaced where it is compressed anew.
 */
static enum pd_code replace_feature(struct stream *s, const struct pd_record *rec, bool *taken)
{
    const bool zstd = rec->size >= 36 && pd_load32(rec->raw + 20, s->c->t.from) != 0;
    enum pd_code code = PD_OK;
    *taken = zstd || s->due;
    if (zstd && s->c->options->zip == PD_ZIP_KEEP)
        code = start_compression(s, (int)(pd_load32(rec->raw + 24, s->c->t.from) & 31));
    return code || !s->due ? code : put_feature(s);
}

static bool is_mark(const struct stream *s, const struct pd_record *rec)
{
    const uint64_t feature = feature_of(s, rec);
    return feature != UINT64_MAX && rec->size == 16 && !pd_may_be_empty(feature);
}

/* May features stand behind such a record? */
static bool is_preamble(const struct pd_record *rec)
{
    switch (rec->type) {
    case PD_RECORD_HEADER_TRACING_DATA:
    case PD_RECORD_HEADER_BUILD_ID:
    case PD_RECORD_ID_INDEX:
    case PD_RECORD_EVENT_UPDATE:
    case PD_RECORD_HEADER_FEATURE: return true;
    default: return is_early(rec);
    }
}

/* Features that are set and did not come stand before the mark that ends the features, tracing data and build ids
 * behind it. */
static enum pd_code put_due(struct stream *s, const struct pd_record *rec)
{
    const bool behind = rec == NULL || !is_preamble(rec);
    enum pd_code code = PD_OK;
    if (!s->pipe || s->c->options->n_changes == 0)
        return PD_OK;
    if (behind || is_mark(s, rec))
        code = pd_convert_put_due(s->c, false, s->w);
    return code || !behind ? code : pd_convert_put_due(s->c, true, s->w);
}

/* Records that are not simply written. */
static enum pd_code special(struct stream *s, const struct pd_record *rec, bool *taken)
{
    const uint64_t feature = feature_of(s, rec);
    const bool chunk = rec->depth == 0 && !rec->old_feature &&
                       (rec->type == PD_RECORD_COMPRESSED || rec->type == PD_RECORD_COMPRESSED2);
    const bool mark = is_mark(s, rec);
    enum pd_code code = PD_OK;
    if (!s->c->open)
        return PD_OK;
    if (feature == PD_FEAT_COMPRESSED && !mark)
        return replace_feature(s, rec, taken);
    *taken = chunk; /* what is inside follows */
    if (chunk && s->c->options->zip == PD_ZIP_KEEP)
        code = start_compression(s, PD_DEFLATE_LEVEL);
    const bool late = feature == UINT64_MAX ? !is_early(rec) : mark || feature > PD_FEAT_COMPRESSED;
    return code || !s->due || !late || !s->pipe ? code : put_feature(s);
}

/* Are records compressed or decompressed? */
static bool is_anew(const struct stream *s)
{
    return s->w->deflate.ctx || s->c->options->zip != PD_ZIP_KEEP;
}

/* A record whose payload is cut goes along where only the byte order or attrs change, so that the way back finds it. */
static enum pd_code put(struct stream *s, struct pd_record *rec)
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
        pd_convert_progress(s->c, &rec);
        code = put_due(s, &rec);
        if (!code)
            code = special(s, &rec, &taken);
        if (!code && !taken)
            code = put(s, &rec);
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
    struct pd_writer_options o = {.size = sizeof o,
                                  .allocator = c->allocator,
                                  .order = c->t.to,
                                  .container = PD_CONTAINER_DIRECTORY,
                                  .compression = c->zip,
                                  .level = c->level,
                                  .dropped = on_dropped,
                                  .user = c};
    struct stream s = {.c = c, .r = r, .pipe = r->info.container == PD_CONTAINER_PIPE};
    enum pd_code code = pd_writer_open(&s.w, sink, &o, c->error);
    if (code)
        return code;
    s.due = c->zip != 0 && s.pipe;
    s.w->plain = s.pipe;
    if (s.pipe)
        code = put_magic(&s);
    if (!code)
        code = copy_records(&s);
    if (!code && s.due && s.pipe)
        code = put_feature(&s);
    if (!code)
        code = put_due(&s, NULL);
    if (!code)
        code = pd_writer_finish(s.w, c->error);
    if (!code)
        code = copy_rest(&s);
    pd_writer_close(s.w);
    return code;
}
