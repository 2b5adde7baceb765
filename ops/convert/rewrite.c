/* SPDX-License-Identifier: MIT */
/*
 * rewrite.c - writes a whole file again in its own layout, part by part: each part is copied, or decoded and
 * encoded. In the same byte order that is the round trip which `perfdata check` proves; the other order
 * converts.
 */
#include "src/codec/carried.h"
#include "src/codec/parts.h"
#include "src/codec/record_role.h"
#include "src/schema/fail.h"
#include "src/schema/schema.h"
#include "src/container/dir.h"
#include "src/container/file.h"
#include "src/container/reader/sample_run.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include "src/schema/options.h"
#include "ops/output/payload.h"
#include "transcode.h"
#include "src/support/wire.h"
#include "encode/container/writer.h"
#include <perfdata/feature.h>

struct rewrite {
    struct pd_reader *r;
    const struct pd_sink *sink;
    const struct pd_rewrite_options *options;
    struct pd_rewrite_stats *stats;
    struct pd_error *error;
    struct pi_transcode *t; /* NULL: the byte order stays, and records are only decoded if `options` say so */
    enum pd_order from, to;
    uint64_t at;            /* the next offset to be written */
    uint32_t nr_cpus_avail; /* from the last NRCPUS; 0: unknown */
    bool inside;            /* in a COMPRESSED record */
    const uint8_t *run;     /* bytes in the reader's window that are to be written */
    size_t run_n;
    uint64_t single;      /* up to this offset, records are proven one by one */
    uint8_t features[32]; /* as written in the header; the table of a stream comes later */
};

#define AT_ONCE ((size_t)8 << 10) /* bytes of records that are proven together: they stay in the cache */
static void report(struct rewrite *w, const struct pd_error *what)
{
    if (w->options->finding)
        w->options->finding(w->options->user, what);
}

static enum pd_code emit(struct rewrite *w, const void *bytes, size_t n)
{
    const int e = n && w->sink ? w->sink->write(w->sink->user, bytes, n) : 0;
    if (e)
        return pi_fail(w->error, PD_EOUT, w->at, NULL, (uint64_t)e, 0);
    w->at += n;
    w->stats->bytes += n;
    return PD_OK;
}

static void tell_progress(const struct rewrite *w)
{
    if (w->t == NULL || w->t->progress == NULL)
        return;
    w->t->progress->done = w->stats->bytes;
    pi_progress_tell(w->t->progress);
}

/* Writes the collected records, which were encoded to their own bytes. */
static enum pd_code flush(struct rewrite *w)
{
    const size_t n = w->run_n;
    w->run_n = 0;
    if (n)
        tell_progress(w);
    return n ? emit(w, w->run, n) : PD_OK;
}

/* The first place where encoded bytes differ from the decoded ones; n: nowhere. */
static size_t difference(const uint8_t *bytes, const uint8_t *original, size_t n)
{
    size_t i = 0;
    if (memcmp(bytes, original, n) == 0)
        return n;
    while (bytes[i] == original[i])
        i++;
    return i;
}

/* Counts and reports such a difference in a part of the file. */
static void compare(struct rewrite *w, const char *part, const uint8_t *bytes, const uint8_t *original,
                    size_t n)
{
    struct pd_error what;
    const size_t i = difference(bytes, original, n);
    if (i == n)
        return;
    pi_fail(&what, PD_EDIFFERENT, w->at + i, part, bytes[i], original[i]);
    w->stats->differing++;
    report(w, &what);
}

/*
 * Writes encoded bytes of a part of the file; in the same byte order they are compared with the input at this
 * place.
 */
static enum pd_code emit_encoded(struct rewrite *w, const char *part, const void *bytes, size_t n)
{
    const uint8_t *p;
    size_t got;
    enum pd_code code = PD_OK;
    if (w->from == w->to && (code = pi_input_at(w->r->src, w->at, n, &p, &got, w->error)) == PD_OK)
        compare(w, part, bytes, p, got < n ? got : n);
    return code ? code : emit(w, bytes, n);
}

static enum pd_code copy(struct rewrite *w, uint64_t offset, uint64_t n)
{
    enum pd_code code = PD_OK;
    while (!code && n) {
        const uint8_t *p;
        size_t got;
        code = pi_input_at(w->r->src, offset, n < 65536 ? (size_t)n : 65536, &p, &got, w->error);
        if (code)
            return code;
        if (got == 0 && pi_input_size(w->r->src) <= offset) /* a stream without known end */
            return PD_OK;
        if (got == 0)
            return pi_fail(w->error, PD_ETRUNC, offset, "section", 0, n);
        got = got < n ? got : (size_t)n;
        code = emit(w, p, got);
        offset += got;
        n -= got;
    }
    return code;
}

/* Copies the rest of a part, whose last record may extend beyond it. */
static enum pd_code copy_rest(struct rewrite *w, const struct pd_extent *e)
{
    const uint64_t end = e->offset + e->size;
    return copy(w, w->at, end > w->at ? end - w->at : 0);
}

/* ---- Parts of the file */

static bool store_features(struct rewrite *w, uint8_t stored[32])
{
    struct pd_file_section first[2];
    const bool known = w->r->n_features * PI_BYTES_file_section == pi_file_table_bytes(w->r);
    const size_t n = !known ? 0 : w->r->n_features < 2 ? w->r->n_features : 2;
    for (size_t i = 0; i < n; i++)
        first[i] = w->r->features[i].section;
    return pi_features_store(w->r->info.features, w->to, w->t->feature_word, first, n, stored);
}

static enum pd_code rewrite_header(struct rewrite *w, const struct pd_extent *e)
{
    const struct pd_file_info *info = &w->r->info;
    struct pd_file_header header = info->header;
    uint8_t bytes[PI_BYTES_file_header];
    const size_t known = e->size < sizeof bytes ? (size_t)e->size : sizeof bytes;
    memcpy(w->features, info->features, sizeof w->features);
    if (w->from == w->to)
        pi_features_convert(info->features, header.adds_features, w->to, info->feature_word);
    else if (!store_features(w, header.adds_features))
        return pi_fail(w->error, PD_EUNSUP, PI_BYTES_file_header_OLD, PI_AMBIGUOUS_FEATURES, 0, 0);
    pi_file_header_put(&header, w->to, bytes);
    if (info->version == 1) /* these bytes have no order */
        memcpy(bytes, "PERFFILE", 8);
    enum pd_code code = emit_encoded(w, "header", bytes, known);
    return code ? code : copy_rest(w, e);
}

static enum pd_code rewrite_ids(struct rewrite *w, const struct pd_extent *e)
{
    const struct pd_event_attr *event = w->r->attrs.attr[e->index];
    const uint64_t first = (e->offset - event->ids_section.offset) / 8;
    enum pd_code code = PD_OK;
    for (uint64_t i = first; !code && i < first + e->size / 8 && i < event->n_ids; i++) {
        uint8_t id[8];
        pi_store64(id, event->ids[i], w->to);
        code = emit_encoded(w, "ids", id, sizeof id);
    }
    return code ? code : copy_rest(w, e);
}

/*
 * Writes the place of an attr's ids, which is at the end of its entry, or early, in the room that otherwise
 * belongs to the attr's tail.
 */
static enum pd_code put_section(struct rewrite *w, const struct pd_event_attr *event, uint8_t *entry)
{
    struct pd_file_section section = event->ids_section;
    uint8_t *last = entry + event->room;
    if (!event->ids_early) {
        pi_file_section_put(&section, w->to, last);
        return PD_OK;
    }
    /* Then the last 16 bytes have no meaning. */
    enum pd_code code = pd_reader_read(w->r, w->at + event->room, last, PI_BYTES_file_section, w->error);
    if (code)
        return code;
    pi_file_section_take(last, w->from, &section);
    pi_file_section_put(&section, w->to, last);
    pi_file_section_put(&event->ids_section, w->to,
                        entry + (event->attr.size ? event->attr.size : PD_ATTR_SIZE_VER0));
    return PD_OK;
}

/* An entry: the attr; the rest of the entry is the place of its ids. */
static enum pd_code rewrite_attr(struct rewrite *w, const struct pd_event_attr *event)
{
    const size_t room = event->room;
    uint8_t *bytes = pi_resize(w->r->allocator, NULL, room + PI_BYTES_file_section);
    if (bytes == NULL)
        return pi_fail(w->error, PD_ENOMEM, event->offset, "attr", 0, room + PI_BYTES_file_section);
    enum pd_code code = pd_attr_encode(w->to, &event->attr, bytes, room, w->error);
    if (!code)
        code = put_section(w, event, bytes);
    if (!code)
        code = emit_encoded(w, "attr", bytes, room);
    if (!code)
        code = emit_encoded(w, "attrs", bytes + room, PI_BYTES_file_section);
    pi_release(w->r->allocator, bytes);
    return code;
}

static enum pd_code rewrite_attrs(struct rewrite *w, const struct pd_extent *e)
{
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < w->r->attrs.n; i++)
        code = rewrite_attr(w, w->r->attrs.attr[i]);
    return code ? code : copy_rest(w, e);
}

static enum pd_code rewrite_types(struct rewrite *w, const struct pd_extent *e)
{
    enum pd_code code = PD_OK;
    for (uint64_t at = 0; !code && at + PI_BYTES_event_type <= e->size; at += PI_BYTES_event_type) {
        uint8_t bytes[PI_BYTES_event_type];
        struct pd_event_type type;
        if ((code = pd_reader_read(w->r, e->offset + at, bytes, sizeof bytes, w->error)))
            break;
        pi_event_type_take(bytes, w->from, &type);
        pi_event_type_put(&type, w->to, bytes);
        code = emit_encoded(w, "event_types", bytes, sizeof bytes);
    }
    return code ? code : copy_rest(w, e);
}

static enum pd_code rewrite_table(struct rewrite *w, const struct pd_extent *e)
{
    const uint64_t n = e->size / PI_BYTES_file_section;
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < w->r->n_features && i < n; i++) {
        uint8_t entry[PI_BYTES_file_section];
        pi_file_section_put(&w->r->features[i].section, w->to, entry);
        code = emit_encoded(w, "feature table", entry, sizeof entry);
    }
    return code ? code : copy_rest(w, e);
}

/* The offset of a place; inside a COMPRESSED record, that of the record. */
static uint64_t place(const struct rewrite *w, uint64_t offset, uint64_t at)
{
    return w->inside ? offset : offset + at;
}

/* Encodes a decoded feature into scratch and compares. */
static void compare_feature(struct rewrite *w, const struct pd_feature *f, uint64_t offset, uint8_t *scratch)
{
    struct pd_error what;
    size_t size = 0;
    size_t i = 0;
    const enum pd_code code = pd_feature_encode(w->from, f, scratch, f->raw.n, &size, &what);
    if (!code && size == f->raw.n && memcmp(scratch, f->raw.ptr, size) == 0)
        return;
    while (!code && i < size && i < f->raw.n && scratch[i] == f->raw.ptr[i])
        i++;
    pi_fail(&what, PD_EDIFFERENT, place(w, offset, i), pd_feature_name(f->id), size, f->raw.n);
    w->stats->differing++;
    report(w, &what);
}

/* Decodes and encodes a feature; if it cannot be decoded, that is counted and reported. */
static enum pd_code prove_feature(struct rewrite *w, uint32_t id, uint64_t offset, const uint8_t *bytes,
                                  size_t n)
{
    struct pd_feature f;
    struct pd_error what;
    if (pi_probe_feature(w->from, id, w->nr_cpus_avail, (struct pd_bytes){bytes, n}, offset, w->inside, &f,
                         &what)) {
        what.member = w->r->member;
        w->stats->bad_sections++;
        report(w, &what);
        return PD_OK;
    }
    if (!f.layout)
        return PD_OK;
    if (id == PD_FEAT_NRCPUS)
        w->nr_cpus_avail = f.u.nrcpus.nr_cpus_avail;
    uint8_t *scratch = pi_resize(w->r->allocator, NULL, n);
    if (!scratch)
        return pi_fail(w->error, PD_ENOMEM, offset, "feature", 0, n);
    w->stats->sections++;
    compare_feature(w, &f, offset, scratch);
    pi_release(w->r->allocator, scratch);
    return PD_OK;
}

/*
 * Converts a section to the other order, or keeps it and proves that it is understood. A section that would
 * take too much memory is copied; if it should have been converted, that is noted.
 */
static enum pd_code rewrite_feature(struct rewrite *w, const struct pd_extent *e)
{
    const bool turned = w->from != w->to;
    const bool large = e->size > (turned ? w->t->max_held : PI_LIMIT_PROVEN);
    if (turned && large)
        pi_transcode_leave_section(w->t, (uint16_t)e->index);
    if (large || e->size == 0 || (!turned && !pi_layout_of_feature(e->index)))
        return copy(w, e->offset, e->size);
    uint8_t *bytes = pi_resize(w->r->allocator, NULL, (size_t)e->size);
    enum pd_code code = bytes ? PD_OK : pi_fail(w->error, PD_ENOMEM, e->offset, "feature", 0, e->size);
    if (!code)
        code = pd_reader_read(w->r, e->offset, bytes, (size_t)e->size, w->error);
    if (!code && !turned && w->options->section)
        w->options->section(w->options->user, e->index, e->offset, bytes, (size_t)e->size);
    if (!code)
        code = turned ? pi_transcode_section(w->t, (uint16_t)e->index, bytes, (size_t)e->size, w->error)
                      : prove_feature(w, e->index, e->offset, bytes, (size_t)e->size);
    if (!code)
        code = emit(w, bytes, (size_t)e->size);
    pi_release(w->r->allocator, bytes);
    return code;
}

/* ---- Records */

/* True if records, and the features in them, must be proven to be understood. */
static bool proves(const struct rewrite *w)
{
    return w->options->reencode && w->from == w->to;
}

/* Proves the feature in a record of a stream. */
static enum pd_code prove_inner(struct rewrite *w, const struct pd_record *rec)
{
    struct pd_bytes data;
    uint64_t id;
    if (!pi_record_feature(rec, w->from, &id, &data) || id > 255)
        return PD_OK;
    w->inside = rec->depth != 0;
    const enum pd_code code = prove_feature(
        w, (uint32_t)id, place(w, rec->offset, (uint64_t)(data.ptr - rec->raw)), data.ptr, data.n);
    w->inside = false;
    return code;
}

enum proof {
    PROOF_DECODED, /* decoded and encoded again; the error is PD_EDIFFERENT if that gave other bytes, else
                      PD_OK */
    PROOF_RAW,     /* its layout is unknown; PD_EUNKNOWN if because its event is missing, else PD_OK */
    PROOF_BAD,     /* it cannot be decoded or encoded again, because of the error */
};

/* Decodes a framed record, encodes it into `bytes`, and compares them with its own. */
static enum proof prove(const struct pd_reader *r, struct pd_record *rec, uint8_t bytes[UINT16_MAX],
                        struct pd_error *what)
{
    size_t size;
    const enum pd_code decoded = pd_reader_decode(r, rec, what);
    if (decoded == PD_EUNKNOWN)
        return PROOF_RAW;
    if (decoded || (rec->layout && pd_record_encode(rec->plan, rec, bytes, UINT16_MAX, &size, what)))
        return PROOF_BAD;
    what->code = PD_OK;
    if (rec->layout == NULL)
        return PROOF_RAW;
    const size_t i = difference(bytes, rec->raw, rec->size);
    if (i < rec->size)
        pi_fail_record(what, PD_EDIFFERENT, rec, i, "record", bytes[i], rec->raw[i]);
    return PROOF_DECODED;
}

/*
 * Decodes and encodes a record and compares the result with its own bytes; returns the result. A record that
 * cannot be decoded is counted, reported and copied.
 */
static const uint8_t *prove_record(struct rewrite *w, struct pd_record *rec, uint8_t bytes[UINT16_MAX])
{
    struct pd_error what;
    const enum proof proof = prove(w->r, rec, bytes, &what);
    w->stats->decoded += proof == PROOF_DECODED;
    w->stats->raw += proof == PROOF_RAW;
    w->stats->undecodable += proof == PROOF_BAD;
    w->stats->differing += what.code == PD_EDIFFERENT;
    if (what.code)
        report(w, &what);
    return what.code == PD_EDIFFERENT ? bytes : rec->raw;
}

/*
 * Decodes and encodes neighbours in the window, as long as there is nothing to report. Returns their bytes;
 * *more: there may be more of them.
 */
static size_t encode_neighbours(struct pd_reader *r, struct pd_record *rec, uint8_t bytes[UINT16_MAX],
                                bool *more)
{
    size_t n = 0, size;
    while (n < AT_ONCE && (*more = pi_reader_next_quick(r, rec))) {
        if (pd_record_decode_framed(rec->plan, rec, NULL) || rec->layout == NULL ||
            pd_record_encode(rec->plan, rec, bytes + n, UINT16_MAX - n, &size, NULL)) {
            pi_reader_again(r, rec);
            *more = false;
            break;
        }
        n += size;
    }
    return n;
}

/*
 * Proves such records and has their own bytes written, all at once. Proving each by itself took 200
 * instructions more; comparing a record directly after encoding waited 7 ns for its bytes to leave the store
 * buffer.
 */
static void prove_neighbours(struct rewrite *w, struct pd_record *rec, uint8_t bytes[UINT16_MAX])
{
    struct pd_reader *r = w->r;
    const uint64_t first = r->index;
    bool more = w->options->record == NULL; /* records that are shown are proven one by one */
    w->run = r->src->next;
    while (more) {
        const uint8_t *begin = r->src->next;
        const uint64_t index = r->index;
        const size_t n = encode_neighbours(r, rec, bytes, &more);
        if (n && memcmp(bytes, begin, n) != 0) { /* one of them differs; find it */
            w->single = r->at;
            pi_reader_back(r, begin, r->index - index);
            break;
        }
    }
    w->run_n = (size_t)(r->src->next - w->run);
    w->stats->records += r->index - first;
    w->stats->decoded += r->index - first;
}

/* Only those of an input that cannot seek come here, whose header does not say that there are any. */
static enum pd_code refuse_wrapper(const struct rewrite *w, const struct pd_record *rec)
{
    return w->t->opens && rec->depth == 0 && pi_role_of(rec) == PI_ROLE_WRAPPER
               ? pi_fail_record(w->error, PD_EUNSUP, rec, 0,
                                "compressed records that no feature tells, in an input that cannot seek",
                                rec->type, 0)
               : PD_OK;
}

/* Records inside COMPRESSED ones are only proven, since the chunk around them is copied. */
static enum pd_code rewrite_record(struct rewrite *w, struct pd_record *rec, uint8_t bytes[UINT16_MAX])
{
    const uint8_t *out = rec->raw;
    size_t n = rec->size;
    enum pd_code code = PD_OK;
    w->stats->records++;
    if (proves(w)) {
        out = prove_record(w, rec, bytes);
        if (w->options->record)
            w->options->record(w->options->user, rec);
        code = prove_inner(w, rec);
    } else if (w->t && !(code = refuse_wrapper(w, rec)))
        code = pi_transcode_record(w->t, w->r, rec, &out, &n, w->error);
    if ((w->stats->records & 255) == 0)
        tell_progress(w);
    return code || rec->depth ? code : emit(w, out, n);
}

static enum pd_code emit_piece(void *user, const uint8_t *bytes, size_t n)
{
    return emit(user, bytes, n);
}

/* Writes the payload of a record. The tracing data of a stream is a feature like that of a file. */
static enum pd_code rewrite_payload(struct rewrite *w, const struct pd_record *rec)
{
    uint8_t *bytes;
    size_t n;
    const bool proved = proves(w) && rec->type == PD_RECORD_HEADER_TRACING_DATA;
    if (!proved || rec->payload_size > PI_LIMIT_PROVEN)
        return pi_copy_payload(w->r, NULL, emit_piece, w, w->error);
    enum pd_code code = pi_reader_hold_payload(w->r, w->r->allocator, &bytes, &n, w->error);
    w->inside = rec->depth != 0;
    if (!code)
        code = prove_feature(w, PD_FEAT_TRACING_DATA, place(w, rec->offset, rec->size), bytes, n);
    w->inside = false;
    if (!code || code == PD_ETRUNC) {
        const enum pd_code wrote = emit(w, bytes, n);
        code = wrote ? wrote : code;
    }
    pi_release(w->r->allocator, bytes);
    return code;
}

/* The next record; damaged compressed data is reported and skipped. */
static enum pd_code next_record(struct rewrite *w, struct pd_record *rec, struct pd_error *what)
{
    enum pd_code code;
    while (pi_reader_goes_on(code = pi_reader_next_here(w->r, rec, what)))
        report(w, what);
    return code;
}

/* Skips to the first record to be written. */
static enum pd_code pass_over(struct rewrite *w)
{
    const struct pd_rewrite_options *o = w->options;
    if (o->from == 0 || o->member)
        return PD_OK;
    w->at = o->from;
    return pd_reader_seek(w->r, o->from, o->index, w->error);
}

/* Writes all records; from the first damage on, the data is copied. */
static enum pd_code rewrite_data(struct rewrite *w, const struct pd_extent *e)
{
    struct pd_record rec = {0};
    struct pd_error what;
    enum pd_code code = PD_OK;
    uint8_t bytes[UINT16_MAX];
    if ((code = pass_over(w)))
        return code;
    while (!code) {
        if (proves(w) && w->r->at >= w->single)
            prove_neighbours(w, &rec, bytes);
        if ((code = flush(w)))
            return code;
        if ((code = next_record(w, &rec, &what)))
            break;
        code = rewrite_record(w, &rec, bytes);
        if (!code && rec.payload_size)
            code = rewrite_payload(w, &rec);
        if (code == PD_ETRUNC) {
            what = *w->error;
            break;
        }
        if (code)
            return code;
    }
    if (pd_is_failure(code)) {
        *w->error = what;
        return code;
    }
    if (code != PD_END)
        report(w, &what);
    code = copy_rest(w, e);
    /* Behind damaged data, the rest has not been read yet. */
    return code || w->options->member ? code : pi_file_tail(w->r, w->error);
}

/* ---- The whole file */

static enum pd_code rewrite_part(struct rewrite *w, const struct pd_extent *e)
{
    if (e->kind == PD_EXTENT_DATA)
        return rewrite_data(w, e);
    if (!w->options->reencode && w->from == w->to)
        return copy(w, e->offset, e->size);
    switch (e->kind) {
    case PD_EXTENT_HEADER: return rewrite_header(w, e);
    case PD_EXTENT_IDS: return rewrite_ids(w, e);
    case PD_EXTENT_ATTRS: return rewrite_attrs(w, e);
    case PD_EXTENT_EVENT_TYPES: return rewrite_types(w, e);
    case PD_EXTENT_TABLE: return rewrite_table(w, e);
    case PD_EXTENT_FEATURE: return rewrite_feature(w, e);
    default: return copy(w, e->offset, e->size);
    }
}

/*
 * Writes all parts. At the end of a stream's data the map is made again, and the parts already written are
 * skipped.
 */
static enum pd_code rewrite_parts(struct rewrite *w)
{
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < w->r->n_extents;) {
        struct pd_extent e = w->r->extents[i++];
        const uint64_t done = e.offset < w->at ? w->at - e.offset : 0;
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

enum pd_code pi_rewrite_as(struct pd_reader *reader, const struct pd_sink *sink,
                           const struct pd_rewrite_options *options, struct pi_transcode *t,
                           struct pd_rewrite_stats *stats, struct pd_error *error)
{
    struct pd_rewrite_options own;
    struct pd_error own_error;
    struct pd_rewrite_stats own_stats;
    enum pd_code code = PI_TAKE_OPTIONS(pd_rewrite_options, &own, options, error);
    if (code)
        return code;
    struct rewrite w = {.r = reader,
                        .sink = sink,
                        .options = &own,
                        .stats = stats ? stats : &own_stats,
                        .error = error ? error : &own_error,
                        .t = t,
                        .from = reader->info.order,
                        .to = t ? t->to : reader->info.order};
    *w.stats = (struct pd_rewrite_stats){0};
    reader->copies_rest = true;
    if (own.reencode && w.from == w.to)
        w.nr_cpus_avail = pi_nr_cpus_avail(reader);
    if (own.member && own.member >= reader->n_members)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "member", own.member, reader->n_members);
    if (w.from != w.to && reader->info.version == 1 && !pi_is_v1_stride(reader->info.header.attr_size))
        return pi_fail(error, PD_EUNSUP, 16, "byte order of a PERFFILE with attrs of this size",
                       reader->info.header.attr_size, 0);
    if (reader->in.seekable)
        code = pi_dir_enter(reader, own.member, w.error);
    if (!code && reader->whole) {
        const struct pd_extent all = {PD_EXTENT_DATA, 0, reader->at, reader->info.data_end - reader->at};
        w.at = reader->at;
        return rewrite_data(&w, &all);
    }
    if (!code && own.member) {
        const struct pd_extent all = {PD_EXTENT_DATA, 0, 0, reader->members[own.member].size};
        return rewrite_data(&w, &all);
    }
    if (!code)
        code = rewrite_parts(&w);
    if (!code && w.from != w.to && reader->info.container != PD_CONTAINER_PIPE &&
        memcmp(w.features, reader->info.features, sizeof w.features) != 0)
        return pi_fail(error, PD_EUNSUP, PI_BYTES_file_header_OLD,
                       "features that the end of the input tells, in one that cannot seek", 0, 0);
    return code;
}

enum pd_code pd_rewrite(struct pd_reader *reader, const struct pd_sink *sink,
                        const struct pd_rewrite_options *options, struct pd_rewrite_stats *stats,
                        struct pd_error *error)
{
    return pi_rewrite_as(reader, sink, options, NULL, stats, error);
}
