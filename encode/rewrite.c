/* SPDX-License-Identifier: MIT */
/*
 * rewrite.c - a whole file again, in its own layout: part by part, each decoded and encoded when asked, else copied. The
 * round trip that `perfdata check` proves.
 */
#include "codec_internal.h"
#include "file.h"
#include "memory.h"
#include "wire.h"
#include <perfdata/writer.h>

struct rewrite {
    struct pd_reader *r;
    const struct pd_sink *sink;
    const struct pd_rewrite_options *options;
    struct pd_rewrite_stats *stats;
    struct pd_error *error;
};

static void report(struct rewrite *w, const struct pd_error *what)
{
    if (w->options->finding)
        w->options->finding(w->options->user, what);
}

static enum pd_code emit(struct rewrite *w, const void *bytes, size_t n)
{
    const int e = n && w->sink ? w->sink->write(w->sink->user, bytes, n) : 0;
    if (e)
        return pd_fail(w->error, PD_EOUT, w->stats->bytes, NULL, (uint64_t)e, 0);
    w->stats->bytes += n;
    return PD_OK;
}

/* Counts and reports encoded bytes that are not the ones they were decoded from. */
static void compare(struct rewrite *w, const struct pd_record *rec, const char *part, const uint8_t *bytes,
                    const uint8_t *original, size_t n)
{
    struct pd_error what;
    size_t i = 0;
    if (memcmp(bytes, original, n) == 0)
        return;
    while (bytes[i] == original[i])
        i++;
    if (rec)
        pd_fail_record(&what, PD_EDIFFERENT, rec, i, part, bytes[i], original[i]);
    else
        pd_fail(&what, PD_EDIFFERENT, w->stats->bytes + i, part, bytes[i], original[i]);
    w->stats->differing++;
    report(w, &what);
}

/* Encoded bytes of a part of the file, which are compared with what stands in the input at this place. */
static enum pd_code emit_encoded(struct rewrite *w, const char *part, const void *bytes, size_t n)
{
    const uint8_t *p;
    size_t got;
    enum pd_code code = pd_input_at(w->r->src, w->stats->bytes, n, &p, &got, w->error);
    if (!code)
        compare(w, NULL, part, bytes, p, got < n ? got : n);
    return code ? code : emit(w, bytes, n);
}

static enum pd_code copy(struct rewrite *w, uint64_t offset, uint64_t n)
{
    enum pd_code code = PD_OK;
    while (!code && n) {
        const uint8_t *p;
        size_t got;
        code = pd_input_at(w->r->src, offset, n < 65536 ? (size_t)n : 65536, &p, &got, w->error);
        if (!code && got == 0 && pd_input_size(w->r->src) <= offset) /* a stream without known end */
            return PD_OK;
        if (!code && got == 0)
            return pd_fail(w->error, PD_ETRUNC, offset, "section", 0, n);
        got = got < n ? got : (size_t)n;
        if (!code)
            code = emit(w, p, got);
        offset += got;
        n -= got;
    }
    return code;
}

static enum pd_code rewrite_header(struct rewrite *w, const struct pd_extent *e)
{
    const struct pd_file_info *info = &w->r->info;
    struct pd_file_header header = info->header;
    uint8_t bytes[PD_FILE_HEADER_BYTES];
    const size_t known = e->size < sizeof bytes ? (size_t)e->size : sizeof bytes;
    pd_features_convert(info->features, header.adds_features, info->order, info->feature_word);
    pd_file_header_put(&header, info->order, bytes);
    enum pd_code code = emit_encoded(w, "header", bytes, known);
    return code ? code : copy(w, e->offset + known, e->size - known);
}

static enum pd_code rewrite_ids(struct rewrite *w, const struct pd_extent *e)
{
    const struct pd_event_attr *event = w->r->attrs.attr[e->index];
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < e->size / 8; i++) {
        uint8_t id[8];
        pd_store64(id, event->ids[i], w->r->info.order);
        code = emit_encoded(w, "ids", id, sizeof id);
    }
    return code;
}

/* An entry: the attr; what is then left of the entry is where its ids are. */
static enum pd_code rewrite_attr(struct rewrite *w, const struct pd_event_attr *event)
{
    const enum pd_order order = w->r->info.order;
    uint8_t section[PD_FILE_SECTION_BYTES];
    uint8_t *bytes = pd_resize(w->r->allocator, NULL, event->room);
    if (bytes == NULL)
        return pd_fail(w->error, PD_ENOMEM, event->offset, "attr", 0, event->room);
    enum pd_code code = pd_attr_encode(order, &event->attr, bytes, event->room, w->error);
    if (!code)
        code = emit_encoded(w, "attr", bytes, event->room);
    pd_release(w->r->allocator, bytes);
    if (code)
        return code;
    if (event->ids_early) /* the section stood inside the attr's room; these 16 bytes mean nothing */
        return copy(w, event->offset + event->room, sizeof section);
    pd_file_section_put(&event->ids_section, order, section);
    return emit_encoded(w, "attrs", section, sizeof section);
}

static enum pd_code rewrite_attrs(struct rewrite *w, const struct pd_extent *e)
{
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < w->r->attrs.n; i++)
        code = rewrite_attr(w, w->r->attrs.attr[i]);
    return code ? code : copy(w, w->stats->bytes, e->offset + e->size - w->stats->bytes);
}

static enum pd_code rewrite_types(struct rewrite *w, const struct pd_extent *e)
{
    enum pd_code code = PD_OK;
    for (uint64_t at = 0; !code && at + PD_EVENT_TYPE_BYTES <= e->size; at += PD_EVENT_TYPE_BYTES) {
        uint8_t bytes[PD_EVENT_TYPE_BYTES];
        struct pd_event_type type;
        if ((code = pd_reader_read(w->r, e->offset + at, bytes, sizeof bytes, w->error)))
            break;
        pd_event_type_take(bytes, w->r->info.order, &type);
        pd_event_type_put(&type, w->r->info.order, bytes);
        code = emit_encoded(w, "event_types", bytes, sizeof bytes);
    }
    return code;
}

static enum pd_code rewrite_table(struct rewrite *w)
{
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < w->r->n_features; i++) {
        uint8_t entry[PD_FILE_SECTION_BYTES];
        pd_file_section_put(&w->r->features[i].section, w->r->info.order, entry);
        code = emit_encoded(w, "feature table", entry, sizeof entry);
    }
    return code;
}

/*
 * A record through decode and encode, compared with its own bytes. What cannot be decoded is counted, reported and copied;
 * records inside COMPRESSED ones are only proved, since the chunk around them is copied.
 */
static enum pd_code rewrite_record(struct rewrite *w, struct pd_record *rec)
{
    uint8_t bytes[UINT16_MAX];
    size_t size;
    struct pd_error what;
    const uint8_t *out = rec->raw;
    const enum pd_code decoded = pd_reader_decode(w->r, rec, &what);
    if (decoded == PD_EUNKNOWN || (decoded == PD_OK && rec->layout == NULL)) {
        w->stats->raw++;
        if (decoded)
            report(w, &what);
    } else if (decoded || pd_record_encode(rec->plan, rec, bytes, sizeof bytes, &size, &what)) {
        w->stats->undecodable++;
        report(w, &what);
    } else {
        w->stats->decoded++;
        compare(w, rec, "record", bytes, rec->raw, rec->size);
        out = bytes;
    }
    return rec->depth ? PD_OK : emit(w, out, rec->size);
}

static enum pd_code rewrite_payload(struct rewrite *w)
{
    const uint8_t *p;
    size_t n;
    enum pd_code code;
    do {
        if ((code = pd_reader_payload(w->r, &p, &n, w->error)) == PD_OK)
            code = emit(w, p, n);
    } while (!code && n);
    return code;
}

/* The next record, over damaged compressed data, which is reported. */
static enum pd_code next_record(struct rewrite *w, struct pd_record *rec, struct pd_error *what)
{
    enum pd_code code;
    while ((code = pd_reader_next_here(w->r, rec, what)) == PD_EZSTD || code == PD_ELIMIT)
        report(w, what);
    return code;
}

/* All records; from the first damage on, the data is copied. */
static enum pd_code rewrite_data(struct rewrite *w, const struct pd_extent *e)
{
    struct pd_record rec = {0};
    struct pd_error what;
    enum pd_code code = PD_OK;
    while (!code && (code = next_record(w, &rec, &what)) == PD_OK) {
        w->stats->records++;
        if (w->options->reencode)
            code = rewrite_record(w, &rec);
        else if (rec.depth == 0)
            code = emit(w, rec.raw, rec.size);
        if (!code && rec.payload_size)
            code = rewrite_payload(w);
        if (code == PD_ETRUNC) {
            what = *w->error;
            break;
        }
        if (code)
            return code;
    }
    if (code == PD_EIO || code == PD_ENOMEM) {
        *w->error = what;
        return code;
    }
    if (code != PD_END)
        report(w, &what);
    code = copy(w, w->stats->bytes, e->offset + e->size - w->stats->bytes);
    /* Behind damaged data, what follows it has not been looked at yet. */
    return code || w->options->member ? code : pd_file_tail(w->r, w->error);
}

static enum pd_code rewrite_part(struct rewrite *w, const struct pd_extent *e)
{
    if (e->kind == PD_EXTENT_DATA)
        return rewrite_data(w, e);
    if (!w->options->reencode)
        return copy(w, e->offset, e->size);
    switch (e->kind) {
    case PD_EXTENT_HEADER: return rewrite_header(w, e);
    case PD_EXTENT_IDS: return rewrite_ids(w, e);
    case PD_EXTENT_ATTRS: return rewrite_attrs(w, e);
    case PD_EXTENT_EVENT_TYPES: return rewrite_types(w, e);
    case PD_EXTENT_TABLE: return rewrite_table(w);
    default: return copy(w, e->offset, e->size);
    }
}

/* All parts. Where the data of a stream ends, the map is made anew, and what is written already is passed over in it. */
static enum pd_code rewrite_parts(struct rewrite *w)
{
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < w->r->n_extents;) {
        struct pd_extent e = w->r->extents[i++];
        const uint64_t done = e.offset < w->stats->bytes ? w->stats->bytes - e.offset : 0;
        if (done >= e.size)
            continue;
        if (done)
            e = (struct pd_extent){PD_EXTENT_OVERLAP, e.index, e.offset + done, e.size - done};
        code = rewrite_part(w, &e);
        if (e.kind == PD_EXTENT_DATA)
            i = 0;
    }
    return code;
}

enum pd_code pd_rewrite(struct pd_reader *reader, const struct pd_sink *sink, const struct pd_rewrite_options *options,
                        struct pd_rewrite_stats *stats, struct pd_error *error)
{
    struct pd_rewrite_options own = {0};
    struct pd_error own_error;
    struct pd_rewrite_stats own_stats;
    pd_take_options(&own, sizeof own, options);
    struct rewrite w = {reader, sink, &own, stats ? stats : &own_stats, error ? error : &own_error};
    enum pd_code code = PD_OK;
    *w.stats = (struct pd_rewrite_stats){0};
    if (w.options->member && w.options->member >= reader->n_members)
        return pd_fail(error, PD_EARG, PD_NOWHERE, "member", w.options->member, reader->n_members);
    if (reader->in.seekable)
        code = pd_dir_enter(reader, w.options->member, w.error);
    if (!code && w.options->member) {
        const struct pd_extent all = {PD_EXTENT_DATA, 0, 0, reader->members[w.options->member].size};
        return rewrite_data(&w, &all);
    }
    return code ? code : rewrite_parts(&w);
}
