/* SPDX-License-Identifier: MIT */
/* transcode.c - records, sections and whole files from one byte order to the other. */
#include "transcode.h"
#include "codec_internal.h"
#include "memory.h"
#include "walk.h"
#include "wire.h"
#include "writer.h"

/* ---- What is left as it is */

static void leave_record(struct pd_transcode *t, const struct pd_record *rec)
{
    size_t i = 0;
    if (t->from == t->to)
        return;
    while (i < t->n_left && t->left[i].type != rec->type && i < PD_LEFT_TYPES - 1)
        i++;
    if (i == t->n_left) {
        t->n_left++;
        t->left[i].type = rec->type;
    }
    t->left[i].n++;
    t->unconverted++;
}

static void leave_feature(struct pd_transcode *t, uint16_t feature)
{
    if (t->from == t->to || feature > 255 || pd_has_feature(t->left_features, feature))
        return;
    t->left_features[feature / 8] |= (uint8_t)(1u << feature % 8);
    t->unconverted++;
}

void pd_transcode_notes(const struct pd_transcode *t,
                        void (*note)(void *user, const struct pd_convert_note *note), void *user)
{
    static const char why[] = "left in the old byte order";
    struct pd_convert_note n = {.what = "record", .why = why};
    for (size_t i = 0; note && i < t->n_left; i++) {
        n.number = t->left[i].type;
        n.count = t->left[i].n;
        note(user, &n);
    }
    n = (struct pd_convert_note){.what = "feature", .why = why};
    for (n.number = 0; note && n.number < 256; n.number++)
        if (pd_has_feature(t->left_features, n.number))
            note(user, &n);
}

/* ---- Attrs */

static bool all_zero(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i])
            return false;
    return true;
}

/* The first field at or behind `size` bytes that is not 0; NULL: none. */
static const struct pd_op *field_behind(const struct pd_attr *attr, uint32_t size)
{
    const struct pd_shape shape = {0};
    uint32_t at = 0;
    const struct pd_op *op = pd_present(pd_layout_attr(), &shape);
    for (; op->kind != PD_OP_END; op = pd_present(op + 1, &shape)) {
        if (pd_scalar_width(op) && at >= size && pd_scalar_get(op, attr))
            return op;
        at += pd_scalar_width(op);
    }
    return NULL;
}

enum pd_code pd_transcode_attr_size(const struct pd_attr *attr, uint32_t size, struct pd_attr *out,
                                    uint8_t tail[PD_MOST_ATTR_SIZE], struct pd_error *error)
{
    const struct pd_op *lost = field_behind(attr, size);
    /* Of the tail, what attr.size covers belongs to fields that are not known here, the rest to none. */
    size_t fields = attr->size > PD_ATTR_SIZE ? attr->size - PD_ATTR_SIZE : 0;
    const size_t room = size > PD_ATTR_SIZE ? size - PD_ATTR_SIZE : 0;
    fields = fields < attr->tail.n ? fields : attr->tail.n;
    if (lost)
        return pd_fail(error, PD_EVALUE, PD_NOWHERE, lost->name, pd_scalar_get(lost, attr), 0);
    fields = fields < room ? fields : room;
    if (!all_zero(attr->tail.ptr + fields, attr->tail.n - fields))
        return pd_fail(error, PD_EVALUE, PD_NOWHERE, "attr.tail", attr->tail.n - fields, 0);
    memset(tail, 0, room);
    if (fields)
        memcpy(tail, attr->tail.ptr, fields);
    *out = *attr;
    out->size = size;
    out->tail = (struct pd_bytes){tail, room};
    return PD_OK;
}

/* ---- Records */

static void put_header(const struct pd_transcode *t, const struct pd_record *rec, size_t size, uint8_t *out)
{
    pd_store32(out, rec->type, t->to);
    pd_store16(out + 4, rec->misc, t->to);
    pd_store16(out + 6, (uint16_t)size, t->to);
}

/* The attr of a HEADER_ATTR record in its new form, at t->bytes + 8; *n: its bytes. */
static enum pd_code put_attr(struct pd_transcode *t, const struct pd_record *rec, size_t room, size_t *n,
                             struct pd_error *error)
{
    uint8_t tail[PD_MOST_ATTR_SIZE];
    struct pd_attr attr;
    enum pd_code code = pd_attr_decode(t->from, rec->raw + 8, room, &attr, error);
    *n = room;
    if (!code && t->attr_size) {
        code = pd_transcode_attr_size(&attr, t->attr_size, &attr, tail, error);
        *n = t->attr_size;
    }
    if (code)
        return code;
    /* A record cut inside the attr: what is missing reads as 0 and is not written. */
    return pd_attr_encode(t->to, &attr, t->bytes + 8, *n, error);
}

/* perf_event_attr, then ids up to the end. */
static enum pd_code attr_record(struct pd_transcode *t, const struct pd_record *rec, size_t *n,
                                struct pd_error *error)
{
    const size_t all = rec->size - 8u;
    size_t room = pd_load32(rec->raw + 12, t->from), put = 0;
    room = room < PD_ATTR_SIZE_VER0 ? PD_ATTR_SIZE_VER0 : room;
    room = room < all ? room : all;
    if (t->attr_size && t->attr_size + (all - room) > UINT16_MAX - 8)
        return pd_fail_record(error, PD_ELIMIT, rec, 8 + room, "ids", all - room,
                              UINT16_MAX - 8u - t->attr_size);
    enum pd_code code = put_attr(t, rec, room, &put, error);
    if (code)
        return code;
    const uint8_t *ids = rec->raw + 8 + room;
    size_t left = all - room;
    uint8_t *out = t->bytes + 8 + put;
    for (; left >= 8; left -= 8, ids += 8, out += 8)
        pd_store64(out, pd_load64(ids, t->from), t->to);
    memcpy(out, ids, left);
    *n = 8 + put + (all - room);
    put_header(t, rec, *n, t->bytes);
    return PD_OK;
}

/* A record whose content has no layout: the header, and the sections in feature records. */
static void plain_record(struct pd_transcode *t, const struct pd_record *rec)
{
    uint8_t *p = t->bytes;
    memcpy(p, rec->raw, rec->size);
    put_header(t, rec, rec->size, p);
    if (rec->old_feature) {
        pd_transcode_section(t, (uint16_t)(rec->type - 66), p + 8, rec->size - 8u);
    } else if (rec->type == PD_RECORD_HEADER_FEATURE && rec->size >= 16) {
        const uint64_t feature = pd_load64(p + 8, t->from);
        pd_store64(p + 8, feature, t->to);
        if (rec->size > 16)
            pd_transcode_section(t, feature < 256 ? (uint16_t)feature : UINT16_MAX, p + 16, rec->size - 16u);
    } else if (rec->size > 8) {
        leave_record(t, rec);
    }
}

enum pd_code pd_transcode_record(struct pd_transcode *t, const struct pd_reader *r, struct pd_record *rec,
                                 const uint8_t **bytes, size_t *n, struct pd_error *error)
{
    const bool attr = rec->type == PD_RECORD_HEADER_ATTR && rec->size >= 16 && !rec->old_feature;
    *bytes = rec->raw;
    *n = rec->size;
    if (t->from == t->to && !t->reencode && !(attr && t->attr_size))
        return PD_OK;
    *bytes = t->bytes;
    if (attr)
        return attr_record(t, rec, n, error);
    /* Of an unknown type of the kernel, the sample_id at its end is known, and needed to tell the event. */
    if (pd_reader_decode(r, rec, NULL) == PD_OK && (rec->layout || rec->has_id)) {
        struct pd_plan plan = *rec->plan;
        plan.order = (uint8_t)t->to;
        if (pd_record_encode(&plan, rec, t->bytes, sizeof t->bytes, n, NULL) == PD_OK) {
            if (rec->layout == NULL)
                leave_record(t, rec);
            return PD_OK;
        }
    }
    *n = rec->size;
    plain_record(t, rec);
    return PD_OK;
}

/* ---- Feature sections */

static void words(const struct pd_transcode *t, uint8_t *bytes, size_t n, unsigned width)
{
    for (size_t i = 0; i + width <= n; i += width)
        pd_store(bytes + i, pd_load(bytes + i, width, t->from), width, t->to);
}

/* Records of type 67, which may go without their type. */
static void build_ids(struct pd_transcode *t, uint8_t *bytes, size_t n)
{
    struct pd_plan from, to;
    pd_plan_init(&from, NULL, t->from);
    pd_plan_init(&to, NULL, t->to);
    while (n) {
        struct pd_record rec = {0};
        size_t size;
        if (pd_record_frame(t->from, bytes, n, &rec, NULL))
            break; /* the rest is no record */
        const uint32_t type = rec.type;
        const uint16_t step = rec.size;
        rec.type = PD_RECORD_HEADER_BUILD_ID;
        if (pd_record_decode_framed(&from, &rec, NULL) == PD_OK && rec.layout &&
            pd_record_encode(&to, &rec, t->bytes, sizeof t->bytes, &size, NULL) == PD_OK)
            memcpy(bytes, t->bytes, size);
        else
            leave_feature(t, PD_FEAT_BUILD_ID);
        rec.type = type;
        put_header(t, &rec, step, bytes);
        bytes += step;
        n -= step;
    }
}

void pd_transcode_section(struct pd_transcode *t, uint16_t feature, uint8_t *bytes, size_t n)
{
    if (t->from == t->to)
        return;
    switch (feature) {
    case PD_FEAT_BUILD_ID: build_ids(t, bytes, n); break;
    case PD_FEAT_AUXTRACE:
    case PD_FEAT_DIR_FORMAT: words(t, bytes, n, 8); break;
    case PD_FEAT_COMPRESSED: words(t, bytes, n, 4); break;
    case PD_FEAT_HOSTNAME:
        words(t, bytes, n < 4 ? n : 4, 4);
        break;                        /* by its size old streams are recognised */
    case PD_FEAT_TRACING_DATA: break; /* says its own byte order */
    default:
        if (n)
            leave_feature(t, feature);
        break;
    }
}

/* ---- A whole file in its own layout */

struct pass {
    struct pd_transcode *t;
    struct pd_reader *r;
    const struct pd_sink *sink;
    const struct pd_convert_options *options;
    struct pd_convert_stats *stats;
    struct pd_error *error;
    uint64_t at; /* bytes written: the same offset in the input */
};

static void report(struct pass *p, const struct pd_error *what)
{
    p->stats->findings++;
    if (p->options->finding)
        p->options->finding(p->options->user, what);
}

static enum pd_code emit(struct pass *p, const void *bytes, size_t n)
{
    const int e = n ? p->sink->write(p->sink->user, bytes, n) : 0;
    if (e)
        return pd_fail(p->error, PD_EOUT, p->at, NULL, (uint64_t)e, 0);
    p->at += n;
    return PD_OK;
}

static enum pd_code copy(struct pass *p, uint64_t n)
{
    enum pd_code code = PD_OK;
    while (!code && n) {
        const uint8_t *bytes;
        size_t got;
        code = pd_input_at(p->r->src, p->at, n < 65536 ? (size_t)n : 65536, &bytes, &got, p->error);
        if (!code && got == 0) /* the end of a stream */
            return PD_OK;
        got = got < n ? got : (size_t)n;
        if (!code)
            code = emit(p, bytes, got);
        n -= got;
    }
    return code;
}

static enum pd_code header(struct pass *p, const struct pd_extent *e)
{
    const struct pd_file_info *info = &p->r->info;
    struct pd_file_header h = info->header;
    uint8_t bytes[PD_FILE_HEADER_BYTES];
    const size_t known = e->size < sizeof bytes ? (size_t)e->size : sizeof bytes;
    pd_features_convert(info->features, h.adds_features, p->t->to, 8);
    pd_file_header_put(&h, p->t->to, bytes);
    if (info->version == 1) /* these bytes have no order */
        memcpy(bytes, "PERFFILE", 8);
    enum pd_code code = emit(p, bytes, known);
    return code ? code : copy(p, e->size - known);
}

static enum pd_code ids(struct pass *p, const struct pd_extent *e)
{
    const struct pd_event_attr *event = p->r->attrs.attr[e->index];
    const uint64_t first = (e->offset - event->ids_section.offset) / 8;
    enum pd_code code = PD_OK;
    for (uint64_t i = first; !code && i < first + e->size / 8 && i < event->n_ids; i++) {
        uint8_t id[8];
        pd_store64(id, event->ids[i], p->t->to);
        code = emit(p, id, sizeof id);
    }
    return code ? code : copy(p, e->offset + e->size - p->at);
}

static enum pd_code attr(struct pass *p, const struct pd_event_attr *event)
{
    uint8_t section[PD_FILE_SECTION_BYTES];
    struct pd_file_section unused;
    uint8_t *bytes = pd_resize(p->r->allocator, NULL, event->room);
    if (bytes == NULL)
        return pd_fail(p->error, PD_ENOMEM, event->offset, "attr", 0, event->room);
    enum pd_code code = pd_attr_encode(p->t->to, &event->attr, bytes, event->room, p->error);
    if (!code && event->ids_early) /* the pair stands in what is otherwise the attr's tail */
        pd_file_section_put(&event->ids_section, p->t->to,
                            bytes + (event->attr.size ? event->attr.size : PD_ATTR_SIZE_VER0));
    if (!code)
        code = emit(p, bytes, event->room);
    pd_release(p->r->allocator, bytes);
    if (!code)
        code = pd_reader_read(p->r, p->at, section, sizeof section, p->error);
    pd_file_section_take(section, p->t->from, &unused);
    pd_file_section_put(&unused, p->t->to, section);
    return code ? code : emit(p, section, sizeof section);
}

static enum pd_code attrs(struct pass *p, const struct pd_extent *e)
{
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < p->r->attrs.n; i++)
        code = attr(p, p->r->attrs.attr[i]);
    return code ? code : copy(p, e->offset + e->size - p->at);
}

static enum pd_code types(struct pass *p, const struct pd_extent *e)
{
    enum pd_code code = PD_OK;
    for (uint64_t at = 0; !code && at + PD_EVENT_TYPE_BYTES <= e->size; at += PD_EVENT_TYPE_BYTES) {
        uint8_t bytes[PD_EVENT_TYPE_BYTES];
        struct pd_event_type type;
        if ((code = pd_reader_read(p->r, e->offset + at, bytes, sizeof bytes, p->error)))
            break;
        pd_event_type_take(bytes, p->t->from, &type);
        pd_event_type_put(&type, p->t->to, bytes);
        code = emit(p, bytes, sizeof bytes);
    }
    return code ? code : copy(p, e->offset + e->size - p->at);
}

static enum pd_code table(struct pass *p, const struct pd_extent *e)
{
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < p->r->n_features && p->at + PD_FILE_SECTION_BYTES <= e->offset + e->size;
         i++) {
        uint8_t entry[PD_FILE_SECTION_BYTES];
        pd_file_section_put(&p->r->features[i].section, p->t->to, entry);
        code = emit(p, entry, sizeof entry);
    }
    return code ? code : copy(p, e->offset + e->size - p->at);
}

/* A section in pieces, BUILD_ID as one. */
static enum pd_code feature(struct pass *p, const struct pd_extent *e)
{
    const uint64_t limit = p->options->max_held ? p->options->max_held : UINT64_C(256) << 20;
    uint64_t piece = e->index == PD_FEAT_BUILD_ID && e->size <= limit ? e->size : 65536;
    uint8_t *bytes = pd_resize(p->r->allocator, NULL, (size_t)piece);
    enum pd_code code = bytes ? PD_OK : pd_fail(p->error, PD_ENOMEM, e->offset, "feature", 0, piece);
    for (uint64_t left = e->size; !code && left; left -= piece) {
        piece = piece < left ? piece : left;
        if ((code = pd_reader_read(p->r, p->at, bytes, (size_t)piece, p->error)))
            break;
        pd_transcode_section(p->t, (uint16_t)e->index, bytes, (size_t)piece);
        code = emit(p, bytes, (size_t)piece);
    }
    pd_release(p->r->allocator, bytes);
    return code;
}

static enum pd_code payload(struct pass *p)
{
    const uint8_t *bytes;
    size_t n;
    enum pd_code code;
    do {
        if ((code = pd_reader_payload(p->r, &bytes, &n, p->error)) == PD_OK)
            code = emit(p, bytes, n);
    } while (!code && n);
    return code;
}

static enum pd_code record(struct pass *p, struct pd_record *rec)
{
    const uint8_t *bytes;
    size_t n;
    enum pd_code code = pd_transcode_record(p->t, p->r, rec, &bytes, &n, p->error);
    if (!code)
        code = emit(p, bytes, n);
    p->stats->records++;
    if (p->options->progress && (p->stats->records & 255) == 0)
        p->options->progress(p->options->user, p->at, p->r->info.data_end);
    return code || !rec->payload_size ? code : payload(p);
}

/* All records; from the first damage on, the bytes as they are. */
static enum pd_code data(struct pass *p, const struct pd_extent *e)
{
    struct pd_record rec = {0};
    struct pd_error what;
    enum pd_code code;
    while ((code = pd_reader_next_here(p->r, &rec, &what)) == PD_OK) {
        if (rec.depth == 0)
            code = record(p, &rec);
        if (code == PD_ETRUNC) {
            what = *p->error;
            break;
        }
        if (code)
            return code;
    }
    if (code == PD_EIO || code == PD_ENOMEM) {
        *p->error = what;
        return code;
    }
    if (code != PD_END)
        report(p, &what);
    return copy(p, e->offset + e->size - p->at);
}

static enum pd_code part(struct pass *p, const struct pd_extent *e)
{
    switch (e->kind) {
    case PD_EXTENT_HEADER: return header(p, e);
    case PD_EXTENT_IDS: return ids(p, e);
    case PD_EXTENT_ATTRS: return e->offset == p->r->info.header.attrs.offset ? attrs(p, e) : copy(p, e->size);
    case PD_EXTENT_EVENT_TYPES: return types(p, e);
    case PD_EXTENT_DATA: return data(p, e);
    case PD_EXTENT_TABLE: return table(p, e);
    case PD_EXTENT_FEATURE: return feature(p, e);
    default: return copy(p, e->size);
    }
}

enum pd_code pd_transcode_file(struct pd_transcode *t, struct pd_reader *r, const struct pd_sink *sink,
                               const struct pd_convert_options *options, struct pd_convert_stats *stats,
                               struct pd_error *error)
{
    struct pass p = {t, r, sink, options, stats, error, 0};
    const bool raw = r->n_members == 0 && r->borrowed; /* a data.N file: records alone */
    const struct pd_extent all = {PD_EXTENT_DATA, 0, 0, r->info.data_end};
    enum pd_code code = PD_OK;
    if (raw)
        return data(&p, &all);
    if (r->info.version == 1 && !pd_writer_has_v1(r->info.header.attr_size))
        return pd_fail(error, PD_EUNSUP, 16, "byte order of a PERFFILE with attrs of this size",
                       r->info.header.attr_size, 0);
    /* The map of an input that cannot seek is complete only when its data has been read. */
    for (size_t i = 0; !code && i < r->n_extents; i++) {
        const struct pd_extent e = r->extents[i];
        code = part(&p, &e);
    }
    return code;
}
