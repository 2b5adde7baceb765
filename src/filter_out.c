/* SPDX-License-Identifier: MIT */
/*
 * filter_out.c - where the kept records go: into a file, a stream, or the files of a directory. Those that
 * were compressed are so again, unless all or none are to be.
 */
#include "codec_internal.h"
#include "content.h"
#include "filter.h"
#include "wire.h"

#define STREAM_HEADER PD_PIPE_HEADER_BYTES

static enum pd_order order_of(const struct pd_filter_out *o)
{
    return pd_reader_info(o->sections->reader)->order;
}

static struct pd_writer *writer_of(const struct pd_filter_out *o)
{
    return o->at ? o->member : o->sections->writer;
}

/* ---- Compression */

static bool keeps(const struct pd_filter_out *o)
{
    return o->sections->options->zip == PD_ZIP_KEEP;
}

/* What is compressed, unless something is asked for, is known when the first such record comes. */
static void decide_compression(struct pd_filter_out *o)
{
    int level = 0;
    const bool zstd = !o->pipe && pd_sections_zstd(o->sections, &level);
    switch (o->sections->options->zip) {
    case PD_ZIP_COMPRESSED: o->zip = PD_RECORD_COMPRESSED; break;
    case PD_ZIP_COMPRESSED2: o->zip = PD_RECORD_COMPRESSED2; break;
    case PD_ZIP_KEEP: o->zip = zstd ? PD_RECORD_COMPRESSED : 0; break;
    default: break;
    }
    o->level = o->sections->options->level ? o->sections->options->level : level;
}

/* From now on the writer can compress. */
static enum pd_code start(struct pd_filter_out *o, struct pd_writer *w)
{
    if (w->deflate.ctx) {
        w->options.compression = o->zip;
        return PD_OK;
    }
    w->plain = true;
    o->due |= o->pipe;
    return pd_writer_compress(w, o->zip, o->level, o->sections->error);
}

/* Our own COMPRESSED feature in a stream. */
static enum pd_code put_feature(struct pd_filter_out *o)
{
    uint8_t bytes[16 + PD_COMPRESSED_FEATURE_BYTES];
    struct pd_writer *w = o->sections->writer;
    pd_store32(bytes, PD_RECORD_HEADER_FEATURE, order_of(o));
    pd_store16(bytes + 4, 0, order_of(o));
    pd_store16(bytes + 6, sizeof bytes, order_of(o));
    pd_store64(bytes + 8, PD_FEAT_COMPRESSED, order_of(o));
    pd_writer_compressed_feature(w, bytes + 16);
    o->due = false;
    return pd_writer_raw(w, bytes, sizeof bytes, o->sections->error);
}

/* What perf synthesizes before it samples, which it does not compress. */
static bool is_early(const struct pd_record *rec)
{
    uint64_t time = 0;
    return rec->old_feature || (rec->type != PD_RECORD_SAMPLE && (!pd_record_time(rec, &time) || time == 0));
}

/* The number of a feature in a stream; UINT64_MAX: the record is none. */
static uint64_t feature_of(const struct pd_filter_out *o, const struct pd_record *rec)
{
    struct pd_bytes data;
    uint64_t id;
    const bool one = !rec->depth && !rec->old_feature && pd_record_feature(rec, order_of(o), &id, &data);
    return one ? id : UINT64_MAX;
}

/* The input's COMPRESSED feature gives way to our own, or goes, where records no longer are compressed. */
static enum pd_code replace_feature(struct pd_filter_out *o, const struct pd_record *rec, bool *taken)
{
    const bool zstd = rec->size >= 28 && pd_load32(rec->raw + 20, order_of(o)) != 0;
    enum pd_code code = PD_OK;
    *taken = zstd || o->due;
    if (zstd && keeps(o) && !o->zip) {
        o->zip = PD_RECORD_COMPRESSED;
        if (o->level == 0)
            o->level = (int)(pd_load32(rec->raw + 24, order_of(o)) & 31);
        code = start(o, o->sections->writer);
    }
    return !code && o->due ? put_feature(o) : code;
}

/* In a stream: our own feature goes where perf has it, before those of higher numbers and all that follows.
 */
static enum pd_code announce(struct pd_filter_out *o, const struct pd_record *rec, bool *taken)
{
    const uint64_t feature = feature_of(o, rec);
    const bool mark = feature != UINT64_MAX && rec->size == 16 && !pd_may_be_empty(feature);
    if (feature == PD_FEAT_COMPRESSED && !mark)
        return replace_feature(o, rec, taken);
    const bool before = rec->old_feature || rec->type == PD_RECORD_HEADER_ATTR ||
                        rec->type == PD_RECORD_HEADER_EVENT_TYPE || (feature < PD_FEAT_COMPRESSED && !mark);
    return o->due && !before ? put_feature(o) : PD_OK;
}

/* ---- Files of a directory */

static enum pd_code sink_failed(struct pd_filter_out *o, int e)
{
    return pd_fail(o->sections->error, PD_EOUT, PD_NOWHERE, NULL, (uint64_t)e, 0);
}

static enum pd_code open_member(struct pd_filter_out *o, uint32_t i, struct pd_sink *sink, bool *open)
{
    const struct pd_filter_options *options = o->sections->options;
    const struct pd_member *m = pd_reader_member(o->sections->reader, i);
    const int e = options->open_member(options->user, m->name, m->mode, sink);
    *open = e == 0;
    return e ? sink_failed(o, e) : PD_OK;
}

static enum pd_code close_member(struct pd_filter_out *o, struct pd_sink *sink, bool *open)
{
    const struct pd_filter_options *options = o->sections->options;
    const int e = *open && options->close_member ? options->close_member(options->user, sink) : 0;
    *open = false;
    return e ? sink_failed(o, e) : PD_OK;
}

static enum pd_code open_stream(struct pd_filter_out *o, const struct pd_sink *sink, struct pd_writer **w)
{
    const struct pd_writer_options options = {.size = sizeof options,
                                              .allocator = o->sections->options->allocator,
                                              .order = order_of(o),
                                              .container = PD_CONTAINER_DIRECTORY};
    const enum pd_code code = pd_writer_open(w, sink, &options, o->sections->error);
    return !code && o->zip ? start(o, *w) : code;
}

static enum pd_code end_member(struct pd_filter_out *o)
{
    struct pd_writer *data = o->sections->writer;
    enum pd_code code = PD_OK;
    if (o->member && (code = pd_writer_finish(o->member, o->sections->error)) == PD_OK) {
        o->bytes += pd_writer_data_size(o->member);
        data->deflate.taken += o->member->deflate.taken; /* for the ratio in the COMPRESSED feature */
        data->deflate.made += o->member->deflate.made;
    }
    pd_writer_close(o->member);
    o->member = NULL;
    return code ? code : close_member(o, &o->member_sink, &o->member_open);
}

/* Goes on to a member; those between are empty. */
static enum pd_code advance(struct pd_filter_out *o, uint32_t to)
{
    enum pd_code code = PD_OK;
    while (!code && o->at < to) {
        if ((code = end_member(o)) == PD_OK)
            code = open_member(o, ++o->at, &o->member_sink, &o->member_open);
        if (!code)
            code = open_stream(o, &o->member_sink, &o->member);
    }
    return code;
}

/* ---- The output */

static enum pd_code begin_stream(struct pd_filter_out *o)
{
    uint8_t bytes[STREAM_HEADER];
    enum pd_code code = open_stream(o, o->sink, &o->sections->writer);
    pd_store64(bytes, PD_MAGIC2, order_of(o));
    if (pd_reader_info(o->sections->reader)->version == 1) /* these bytes have no order */
        memcpy(bytes, "PERFFILE", 8);
    pd_store64(bytes + 8, sizeof bytes, order_of(o));
    return code ? code : pd_writer_emit(o->sections->writer, bytes, sizeof bytes, o->sections->error);
}

enum pd_code pd_filter_out_begin(struct pd_filter_out *o)
{
    const struct pd_filter_options *options = o->sections->options;
    const enum pd_container from = pd_reader_info(o->sections->reader)->container;
    enum pd_code code = PD_OK;
    o->pipe = from == PD_CONTAINER_PIPE;
    o->dir = from == PD_CONTAINER_DIRECTORY && options->open_member;
    decide_compression(o);
    if (o->pipe)
        return begin_stream(o);
    if (o->dir && (code = open_member(o, 0, &o->data_sink, &o->data_open)))
        return code;
    code = pd_sections_begin(o->sections, o->dir ? &o->data_sink : o->sink, o->zip, o->level, o->dir);
    if (!code)
        o->sections->writer->plain = true;
    return code;
}

enum pd_code pd_filter_out_wrapper(struct pd_filter_out *o, const struct pd_record *rec)
{
    if (!keeps(o))
        return PD_OK;
    enum pd_code code = pd_filter_out_flush(o);
    o->zip = rec->type;
    if (!code)
        code = o->dir ? advance(o, rec->member) : PD_OK;
    if (!code)
        code = start(o, o->sections->writer); /* that of a directory has the feature, too */
    if (!code && o->at)
        code = start(o, o->member);
    return !code && o->due ? put_feature(o) : code;
}

enum pd_code pd_filter_out_flush(struct pd_filter_out *o)
{
    const size_t n = o->run_n;
    o->run_n = 0;
    return n ? pd_writer_raw(o->sections->writer, o->run, n, o->sections->error) : PD_OK;
}

/* Into a file that compresses nothing, neighbours in the window go as one: a write for each record was 15 ns. */
static bool extends_run(struct pd_filter_out *o, const struct pd_record *rec, const uint8_t *bytes)
{
    if (!o->runs || o->pipe || o->dir || o->sections->writer->deflate.ctx || bytes != rec->raw || bytes != o->run + o->run_n)
        return false;
    o->run_n += rec->size;
    return true;
}

enum pd_code pd_filter_out_record(struct pd_filter_out *o, const struct pd_record *rec, const uint8_t *bytes)
{
    bool taken = false;
    if (o->run_n && extends_run(o, rec, bytes))
        return PD_OK;
    enum pd_code code = pd_filter_out_flush(o);
    o->run = bytes;
    if (code || extends_run(o, rec, bytes))
        return code;
    code = o->dir ? advance(o, rec->member) : PD_OK;
    if (!code && o->pipe)
        code = announce(o, rec, &taken);
    if (code || taken)
        return code;
    struct pd_writer *w = writer_of(o);
    if (keeps(o))
        w->plain = rec->depth == 0;
    else if (w->plain && !is_early(rec))
        w->plain = false;
    if (rec->old_feature) /* of a type that means something else */
        return pd_writer_emit(w, bytes, rec->size, o->sections->error);
    return pd_writer_raw(w, bytes, rec->size, o->sections->error);
}

enum pd_code pd_filter_out_payload(struct pd_filter_out *o, const uint8_t *bytes, size_t n)
{
    const enum pd_code code = pd_filter_out_flush(o);
    return code ? code : pd_writer_raw(writer_of(o), bytes, n, o->sections->error);
}

enum pd_code pd_filter_out_end(struct pd_filter_out *o)
{
    struct pd_writer *w = o->sections->writer;
    enum pd_code code = pd_filter_out_flush(o);
    if (!code && o->dir && (code = advance(o, (uint32_t)pd_reader_n_members(o->sections->reader) - 1)) == PD_OK)
        code = end_member(o);
    if (!code && o->due)
        code = put_feature(o);
    if (!code)
        code = o->pipe ? pd_writer_finish(w, o->sections->error) : pd_sections_end(o->sections);
    if (!code)
        o->bytes += pd_writer_data_size(w) - (o->pipe ? STREAM_HEADER : 0);
    return code ? code : close_member(o, &o->data_sink, &o->data_open);
}

void pd_filter_out_close(struct pd_filter_out *o)
{
    struct pd_error first;
    struct pd_error *error = o->sections->error;
    o->sections->error = &first; /* what failed first has been told */
    close_member(o, &o->member_sink, &o->member_open);
    close_member(o, &o->data_sink, &o->data_open);
    o->sections->error = error;
    pd_writer_close(o->member);
    pd_writer_close(o->sections->writer);
}
