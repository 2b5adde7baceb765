/* SPDX-License-Identifier: MIT */
/* writer.c - new recordings. In a file: header, ids, attrs, event types, data, feature table, features, in
 * this order. */
#include "writer.h"
#include "src/codec/interpret.h"
#include "src/codec/parts.h"
#include "encode/codec/complete.h"
#include "src/schema/fail.h"
#include "src/schema/passes/follow.h"
#include "src/schema/schema.h"
#include "src/codec/carried.h"
#include "src/container/file.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include "src/schema/options.h"
#include "src/support/wire.h"
#include <stdio.h>

static enum pd_code patch(struct pd_writer *w, uint64_t offset, const void *bytes, size_t n,
                          struct pd_error *error)
{
    const int e = n ? w->sink.patch(w->sink.user, offset, bytes, n) : 0;
    w->broken |= e != 0;
    return e ? pi_fail(error, PD_EOUT, offset, NULL, (uint64_t)e, 0) : PD_OK;
}

/* ---- Open and close */

static enum pd_code check_options(const struct pd_sink *sink, const struct pd_writer_options *o,
                                  struct pd_error *error)
{
    if (sink->write == NULL)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "sink.write", 0, 0);
    if (o->order != PD_LITTLE && o->order != PD_BIG)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "order", (uint64_t)o->order, PD_BIG);
    if (o->container > PD_CONTAINER_DIRECTORY)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "container", (uint64_t)o->container,
                       PD_CONTAINER_DIRECTORY);
    if (o->feature_word != 0 && o->feature_word != 4 && o->feature_word != 8)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "feature_word", o->feature_word, 8);
    if (o->version > 2)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "version", o->version, 2);
    if (o->container == PD_CONTAINER_FILE && sink->patch == NULL)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "sink.patch", 0, 0);
    if (o->max_features > 256)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "max_features", o->max_features, 256);
    if (o->attr_size > PI_LIMIT_ATTR)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "attr_size", o->attr_size, PI_LIMIT_ATTR);
    if (o->compression && o->compression != PD_RECORD_COMPRESSED && o->compression != PD_RECORD_COMPRESSED2)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "compression", o->compression, PD_RECORD_COMPRESSED);
    return PD_OK;
}

enum pd_code pd_writer_open(struct pd_writer **out, const struct pd_sink *sink,
                            const struct pd_writer_options *options, struct pd_error *error)
{
    struct pd_writer_options own;
    enum pd_code code = PI_TAKE_OPTIONS(pd_writer_options, &own, options, error);
    if (options == NULL)
        own.order = PD_HOST_ORDER;
    if (code || (code = check_options(sink, &own, error)))
        return code;
    struct pd_writer *w = pi_resize(own.allocator, NULL, sizeof *w);
    if (w == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "writer", 0, sizeof *w);
    *w = (struct pd_writer){.sink = *sink, .allocator = own.allocator, .options = own};
    if (w->options.max_held == 0)
        w->options.max_held = PI_LIMIT_WRITER_HELD;
    pi_attrs_init(&w->attrs, own.allocator, own.order);
    if (own.compression)
        code = pi_writer_compress(w, own.compression, own.level, error);
    if (code)
        pd_writer_close(w);
    else
        *out = w;
    return code;
}

enum pd_code pd_writer_create(struct pd_writer **out, const char *path,
                              const struct pd_writer_options *options, struct pd_error *error)
{
    struct pd_writer_options own;
    struct pd_sink sink;
    enum pd_code code = PI_TAKE_OPTIONS(pd_writer_options, &own, options, error);
    if (code || (code = pd_sink_open(&sink, path, own.allocator, error)))
        return code;
    if ((code = pd_writer_open(out, &sink, options, error)))
        pd_sink_close(&sink, NULL);
    if (!code)
        (*out)->own = sink;
    return code;
}

void pd_writer_close(struct pd_writer *w)
{
    if (w == NULL)
        return;
    pd_sink_close(&w->own, NULL);
    pi_writer_drop_held(w);
    pi_attrs_free(&w->attrs);
    pi_press_close(w->press);
    pi_deflate_free(&w->deflate);
    pi_writer_free_names(w);
    pi_release(w->allocator, w->types);
    pi_release(w->allocator, w->held);
    pi_release(w->allocator, w);
}

static enum pd_code refuse_broken(const struct pd_writer *w, struct pd_error *error)
{
    return w->broken ? pi_fail(error, PD_EARG, PD_NOWHERE, "writer that failed before", 0, 0) : PD_OK;
}

/* ---- Attrs and event types */

static enum pd_code add_attr(struct pd_writer *w, const struct pd_attr *attr, const uint64_t *ids,
                             size_t n_ids, struct pd_error *error)
{
    const enum pd_order order = w->options.order;
    const size_t room = pd_attr_bytes(attr);
    if (room > PI_LIMIT_ATTR)
        return pi_fail(error, PD_ELIMIT, PD_NOWHERE, "attr.tail", room, PI_LIMIT_ATTR);
    uint8_t *bytes = pi_resize(w->allocator, NULL, room);
    uint8_t *stream_ids = pi_array(w->allocator, NULL, n_ids, 8);
    enum pd_code code = bytes && stream_ids
                            ? pd_attr_encode(order, attr, bytes, room, error)
                            : pi_fail(error, PD_ENOMEM, PD_NOWHERE, "attr", 0, room + 8 * n_ids);
    for (size_t i = 0; !code && i < n_ids; i++)
        pi_store64(stream_ids + 8 * i, ids[i], order);
    if (!code)
        code = pi_attrs_add(&w->attrs, order, bytes, room, stream_ids, n_ids, 0, error);
    if (!code && w->options.attr_size < room)
        w->options.attr_size = (uint32_t)room;
    pi_release(w->allocator, bytes);
    pi_release(w->allocator, stream_ids);
    return code;
}

/*
 * A size that an attr made by a program can have: that of its fields and its tail, or less, for zeros behind
 * it.
 */
static enum pd_code check_attr(const struct pd_attr *attr, struct pd_error *error)
{
    const size_t most = pd_attr_bytes(attr);
    if (attr->size == 0 || (attr->size >= PD_ATTR_SIZE_VER0 && attr->size <= most))
        return PD_OK;
    return pi_fail(error, PD_ECOUNT, PD_NOWHERE, "attr.size", attr->size, most);
}

/* The number of the attr is part of the field's path. */
static void name_attr(const struct pd_writer *w, struct pd_error *error)
{
    char path[sizeof error->path];
    if (error == NULL || error->field == NULL || error->code == PD_EARG || error->code == PD_ENOMEM)
        return;
    snprintf(path, sizeof path, "%s", strncmp(error->field, "attr.", 5) ? error->field : error->field + 5);
    error->offset = PD_NOWHERE;
    snprintf(error->path, sizeof path, "attrs[%zu].%.60s", w->attrs.n, path);
}

enum pd_code pd_writer_attr(struct pd_writer *w, const struct pd_attr *attr, const uint64_t *ids,
                            size_t n_ids, struct pd_error *error)
{
    struct pd_attr own = *attr;
    uint64_t number = w->attrs.n + 1;
    if (own.size == 0 && pi_follow_attr_needs(&own) > PD_ATTR_SIZE_VER0)
        own.size = pi_follow_attr_size(&own);
    while (pi_attrs_find(&w->attrs, number) != UINT32_MAX)
        number++;
    if (!w->options.keep_ids && n_ids == 0 && own.sample_type & (PD_SAMPLE_ID | PD_SAMPLE_IDENTIFIER))
        ids = &number, n_ids = 1;
    enum pd_code code = check_attr(&own, error);
    if (!code)
        code = pi_writer_any_attr(w, &own, ids, n_ids, error);
    if (code)
        name_attr(w, error);
    return code;
}

enum pd_code pi_writer_any_attr(struct pd_writer *w, const struct pd_attr *attr, const uint64_t *ids,
                                size_t n_ids, struct pd_error *error)
{
    enum pd_code code = refuse_broken(w, error);
    if (!code && w->stage == PI_STAGE_FINISHED)
        code = pi_fail(error, PD_EARG, PD_NOWHERE, "attr after the end", 0, 0);
    if (!code)
        code = add_attr(w, attr, ids, n_ids, error);
    if (code || w->options.container != PD_CONTAINER_PIPE || w->stage == PI_STAGE_ATTRS)
        return code;
    if ((code = pi_pipe_features(w, error)) || (code = pi_writer_flush(w, false, error)))
        return code;
    return pi_pipe_attr(w, w->attrs.attr[w->attrs.n - 1], error);
}

enum pd_code pd_writer_event_type(struct pd_writer *w, const struct pd_event_type *type,
                                  struct pd_error *error)
{
    if (w->stage != PI_STAGE_ATTRS)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "event type after the first record", 0, 0);
    if (!pi_grow(w->allocator, (void **)&w->types, w->n_types, &w->types_cap, sizeof *w->types))
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "event type", 0, sizeof *w->types);
    w->types[w->n_types++] = *type;
    return PD_OK;
}

static enum pd_code write_header(struct pd_writer *w, bool again, struct pd_error *error)
{
    uint8_t bytes[PI_BYTES_file_header];
    pi_file_header_put(&w->header, w->options.order, bytes);
    if (w->options.version == 1) /* these bytes have no order */
        memcpy(bytes, "PERFFILE", 8);
    return again ? patch(w, 0, bytes, sizeof bytes, error) : pi_writer_emit(w, bytes, sizeof bytes, error);
}

static enum pd_code write_ids(struct pd_writer *w, struct pd_event_attr *e, struct pd_error *error)
{
    enum pd_code code = PD_OK;
    e->ids_section = (struct pd_file_section){w->at, 8 * (uint64_t)e->n_ids};
    for (size_t i = 0; !code && i < e->n_ids; i++) {
        uint8_t id[8];
        pi_store64(id, e->ids[i], w->options.order);
        code = pi_writer_emit(w, id, sizeof id, error);
    }
    return code;
}

static enum pd_code write_attr(struct pd_writer *w, const struct pd_event_attr *e, struct pd_error *error)
{
    uint8_t section[PI_BYTES_file_section];
    uint8_t *bytes = pi_resize(w->allocator, NULL, e->room);
    if (bytes == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "attr", 0, e->room);
    enum pd_code code = pd_attr_encode(w->options.order, &e->attr, bytes, e->room, error);
    if (!code)
        code = pi_writer_emit(w, bytes, e->room, error);
    if (!code)
        code = pi_writer_zeros(w, w->options.attr_size - e->room, error);
    pi_file_section_put(&e->ids_section, w->options.order, section);
    pi_release(w->allocator, bytes);
    return code ? code : pi_writer_emit(w, section, sizeof section, error);
}

/*
 * Entries are as large as the largest attr: a single one must not make a table of gigabytes out of many small
 * ones.
 */
static enum pd_code limit_table(const struct pd_writer *w, struct pd_error *error)
{
    uint64_t zeros = 0, most = PI_LIMIT_ATTR_TABLE;
    for (size_t i = 0; i < w->attrs.n; i++) {
        zeros += w->options.attr_size - w->attrs.attr[i]->room;
        most += PI_LIMIT_ATTR_TABLE_TIMES * (uint64_t)w->attrs.attr[i]->room;
    }
    return zeros <= most ? PD_OK
                         : pi_fail(error, PD_ELIMIT, PD_NOWHERE,
                                   "zeros behind attrs smaller than the largest", zeros, most);
}

/* The ids that are not there yet, and the entries of all attrs. */
static enum pd_code write_attrs(struct pd_writer *w, struct pd_error *error)
{
    enum pd_code code = limit_table(w, error);
    for (size_t i = w->attrs_written; !code && i < w->attrs.n; i++)
        code = write_ids(w, w->attrs.attr[i], error);
    w->header.attr_size = w->options.attr_size + (uint64_t)PI_BYTES_file_section;
    w->header.attrs = (struct pd_file_section){w->at, w->header.attr_size * w->attrs.n};
    for (size_t i = 0; !code && i < w->attrs.n; i++)
        code = write_attr(w, w->attrs.attr[i], error);
    w->attrs_written = w->attrs.n;
    return code;
}

static enum pd_code write_types(struct pd_writer *w, struct pd_error *error)
{
    enum pd_code code = PD_OK;
    w->header.event_types =
        (struct pd_file_section){w->n_types ? w->at : 0, w->n_types * PI_BYTES_event_type};
    for (size_t i = 0; !code && i < w->n_types; i++) {
        uint8_t bytes[PI_BYTES_event_type];
        pi_event_type_put(&w->types[i], w->options.order, bytes);
        code = pi_writer_emit(w, bytes, sizeof bytes, error);
    }
    return code;
}

/* All parts before the data, with data size 0 for now, as in an interrupted recording. */
static enum pd_code begin_file(struct pd_writer *w, struct pd_error *error)
{
    enum pd_code code;
    if (w->options.attr_size < PD_ATTR_SIZE_VER0)
        w->options.attr_size = PD_ATTR_SIZE_VER0;
    if (!pi_is_v1_stride(w->options.attr_size + (uint64_t)PI_BYTES_file_section))
        w->options.version = 2; /* a reader could not tell the byte order */
    w->header.magic = PI_MAGIC2;
    w->header.size = PI_BYTES_file_header;
    if ((code = write_header(w, false, error)) || (code = write_attrs(w, error)) ||
        (code = write_types(w, error)))
        return code;
    w->header.data.offset = w->at;
    return write_header(w, true, error);
}

/* The names of events, which the reader should have before the records. */
static enum pd_code put_names(struct pd_writer *w, struct pd_error *error)
{
    struct pd_event_desc *events = NULL;
    struct pd_feature f;
    enum pd_code code = pi_writer_describe(w, &f, &events, error);
    if (!code)
        code = pd_writer_put_feature(w, &f, error);
    pi_release(w->allocator, events);
    return code;
}

static enum pd_code begin_data(struct pd_writer *w, struct pd_error *error)
{
    enum pd_code code = w->n_names ? put_names(w, error) : PD_OK;
    if (code)
        return code;
    w->stage = PI_STAGE_DATA;
    w->holding = false;
    if (w->options.container == PD_CONTAINER_FILE)
        code = begin_file(w, error);
    if (w->options.container == PD_CONTAINER_PIPE)
        code = pi_pipe_begin(w, error);
    w->broken |= code != PD_OK;
    return code;
}

static enum pd_code need_data(struct pd_writer *w, struct pd_error *error)
{
    enum pd_code code = refuse_broken(w, error);
    if (!code && w->stage == PI_STAGE_ATTRS)
        code = begin_data(w, error);
    else if (!code && w->stage != PI_STAGE_DATA)
        code = pi_fail(error, PD_EARG, PD_NOWHERE, "record after the first feature", 0, 0);
    if (!code && w->n_held && w->options.container == PD_CONTAINER_PIPE)
        code = pi_pipe_features(w, error);
    return code;
}

/* ---- Records */

enum pd_code pi_writer_compress(struct pd_writer *w, uint32_t type, int level, struct pd_error *error)
{
    w->options.compression = type;
    const enum pd_code code = pi_deflate_start(&w->deflate, w->allocator, level, error);
    return code || w->options.workers == NULL
               ? code
               : pi_press_open(&w->press, w->options.workers, &w->deflate, error);
}

/* The bytes are a record, so that frames end where a record ends. */
static enum pd_code compress(struct pd_writer *w, const uint8_t *bytes, size_t n, struct pd_error *error)
{
    const uint64_t most = w->options.frame ? w->options.frame : PD_WRITER_FRAME;
    enum pd_code code = PD_OK;
    while (!code && n) {
        const size_t took = pi_deflate_take(&w->deflate, bytes, n);
        bytes += took;
        n -= took;
        if (n)
            code = pi_writer_flush(w, false, error);
    }
    if (!code && w->deflate.framed >= most)
        code = pi_writer_flush(w, true, error);
    return code;
}

/* Records that a reader needs before it can look into compressed ones, or whose payload follows them. */
static bool stays_outside(uint32_t type)
{
    return pi_is_transport(type) || type == PD_RECORD_AUXTRACE;
}

static enum pd_code put_outside(struct pd_writer *w, const struct pd_record *rec, struct pd_error *error)
{
    w->payload_left = pi_payload_behind(rec, w->options.order);
    if (w->press && !w->plain && rec->type != PD_RECORD_AUXTRACE)
        return pi_writer_between(w, rec, error);
    const enum pd_code code = pi_writer_flush(w, false, error);
    return code ? code : pi_writer_emit(w, rec->raw, rec->size, error);
}

/* The size of the record at the start of the bytes, if it is to be compressed; 0: put_next() must see. */
static inline size_t size_inside(const struct pd_writer *w, const uint8_t *bytes, size_t n)
{
    if (w->plain || n < sizeof(struct pi_record_header))
        return 0;
    const size_t size = pi_load16(bytes + 6, w->options.order);
    const bool whole = size >= sizeof(struct pi_record_header) && size <= n;
    return whole && !stays_outside(pi_load32(bytes, w->options.order)) ? size : 0;
}

/* A record that stays outside, or is damaged; *size becomes its size. */
static enum pd_code put_next(struct pd_writer *w, const uint8_t *bytes, size_t n, size_t *size,
                             struct pd_error *error)
{
    struct pd_record rec = {0};
    const enum pd_code code = pd_record_frame(w->options.order, bytes, n, &rec, error);
    *size = rec.size;
    return code ? code : put_outside(w, &rec, error);
}

/*
 * Bytes in which records have to be told from payloads, since only records are compressed. Most are, and need
 * no struct pd_record, which is a KiB of zeros at first.
 */
__attribute__((noinline)) static enum pd_code put_raw(struct pd_writer *w, const uint8_t *bytes, size_t n,
                                                      struct pd_error *error)
{
    enum pd_code code = PD_OK;
    while (!code && n) {
        size_t now = w->payload_left < n ? (size_t)w->payload_left : n;
        if (now) {
            code = pi_writer_emit(w, bytes, now, error);
            w->payload_left -= now;
        } else if ((now = size_inside(w, bytes, n))) {
            code = compress(w, bytes, now, error);
        } else if ((code = put_next(w, bytes, n, &now, error))) {
            return code;
        }
        bytes += now;
        n -= now;
    }
    return code;
}

enum pd_code pd_writer_raw(struct pd_writer *w, const void *bytes, size_t n, struct pd_error *error)
{
    enum pd_code code = need_data(w, error);
    if (code)
        return code;
    return w->deflate.ctx ? put_raw(w, bytes, n, error) : pi_writer_emit(w, bytes, n, error);
}

/* ---- Features */

bool pi_writer_has_feature(const struct pd_writer *w, uint16_t feature)
{
    bool given = false;
    for (size_t i = 0; i < w->n_features; i++)
        given |= w->features[i].feature == feature;
    for (size_t i = 0; i < w->n_held; i++)
        given |= w->held[i].feature == feature;
    return given;
}

static enum pd_code hold(struct pd_writer *w, uint16_t feature, struct pd_error *error)
{
    if (!pi_grow(w->allocator, (void **)&w->held, w->n_held, &w->held_cap, sizeof *w->held))
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "feature", 0, sizeof *w->held);
    w->held[w->n_held++] = (struct pi_held){.feature = feature};
    w->holding = true;
    return PD_OK;
}

static enum pd_code hold_bytes(struct pd_writer *w, const void *bytes, size_t n, struct pd_error *error)
{
    struct pi_held *h = &w->held[w->n_held - 1];
    size_t cap = h->cap ? h->cap : 64;
    if (n > w->options.max_held - w->held_bytes)
        return pi_fail(error, PD_ELIMIT, PD_NOWHERE, "features before the records", w->held_bytes + n,
                       w->options.max_held);
    while (cap - h->n < n)
        cap *= 2;
    if (cap != h->cap) {
        uint8_t *more = pi_resize(w->allocator, h->bytes, cap);
        if (more == NULL)
            return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "feature", 0, cap);
        h->bytes = more;
        h->cap = cap;
    }
    if (n)
        memcpy(h->bytes + h->n, bytes, n);
    h->n += n;
    w->held_bytes += n;
    return PD_OK;
}

/* Starts a section, the COMPRESSED one by itself when its turn has come. */
static enum pd_code start_section(struct pd_writer *w, uint16_t feature, struct pd_error *error)
{
    uint8_t own[PI_COMPRESSED_FEATURE_BYTES];
    enum pd_code code = PD_OK;
    if (w->deflate.ctx && feature >= PD_FEAT_COMPRESSED && !pi_writer_has_feature(w, PD_FEAT_COMPRESSED)) {
        w->features[w->n_features++] =
            (struct pd_feature_section){PD_FEAT_COMPRESSED, true, {w->at, sizeof own}};
        pi_writer_compressed_feature(w, own);
        code = pi_writer_emit(w, own, sizeof own, error);
    }
    if (feature < 256)
        w->features[w->n_features++] = (struct pd_feature_section){feature, true, {w->at, 0}};
    return code;
}

/* Entries of a feature table whose size the program leaves to the writer: more than there are features. */
#define USUAL_FEATURES 64

/* The end of the data: room for the table, and then the features that waited. */
static enum pd_code begin_features(struct pd_writer *w, size_t reserved, struct pd_error *error)
{
    enum pd_code code = need_data(w, error);
    if (!code)
        code = pi_writer_flush(w, true, error);
    if (!code)
        code = pi_writer_drain(w, error);
    if (code)
        return code;
    pi_writer_sort_held(w);
    w->stage = PI_STAGE_FEATURES;
    w->header.data.size = w->at - w->header.data.offset;
    w->table = w->at;
    w->room = reserved + w->n_held + (w->deflate.ctx != NULL);
    code = pi_writer_zeros(w, w->room * PI_BYTES_file_section, error);
    const size_t n = w->n_held;
    w->n_held = 0; /* they are among `features` now */
    for (size_t i = 0; i < n; i++) {
        struct pi_held *h = &w->held[i];
        if (!code && !(code = start_section(w, h->feature, error))) {
            w->features[w->n_features - 1].section.size = h->n;
            code = pi_writer_emit(w, h->bytes, h->n, error);
        }
        pi_release(w->allocator, h->bytes);
    }
    pi_writer_drop_held(w);
    return code;
}

static enum pd_code file_feature(struct pd_writer *w, uint16_t feature, struct pd_error *error)
{
    const size_t most = w->options.max_features ? w->options.max_features : USUAL_FEATURES;
    enum pd_code code = w->stage < PI_STAGE_FEATURES ? begin_features(w, most, error) : PD_OK;
    const bool own = w->deflate.ctx && !pi_writer_has_feature(w, PD_FEAT_COMPRESSED);
    if (code)
        return code;
    if (w->n_features + own >= w->room)
        return pi_fail(error, PD_ELIMIT, PD_NOWHERE, "max_features", w->n_features, most);
    return start_section(w, feature, error);
}

enum pd_code pd_writer_feature(struct pd_writer *w, uint16_t feature, struct pd_error *error)
{
    const bool pipe = w->options.container == PD_CONTAINER_PIPE;
    enum pd_code code = refuse_broken(w, error);
    if (code)
        return code;
    if (w->stage == PI_STAGE_FINISHED || feature > 255 || w->options.container == PD_CONTAINER_DIRECTORY)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "feature", feature, 255);
    if (pi_writer_has_feature(w, feature))
        return pi_fail(error, PD_EARG, PD_NOWHERE, "feature given twice", feature, 0);
    w->ignoring = w->deflate.ctx && feature == PD_FEAT_COMPRESSED; /* the writer makes its own */
    if (w->ignoring)
        return PD_OK;
    if (w->stage == PI_STAGE_ATTRS)
        return hold(w, feature, error);
    if (!pipe)
        return file_feature(w, feature, error);
    code = pi_pipe_features(w, error);
    return code ? code : hold(w, feature, error);
}

enum pd_code pd_writer_feature_bytes(struct pd_writer *w, const void *bytes, size_t n, struct pd_error *error)
{
    enum pd_code code = refuse_broken(w, error);
    if (code || w->ignoring)
        return code;
    if (w->holding)
        return hold_bytes(w, bytes, n, error);
    if (w->stage != PI_STAGE_FEATURES || w->n_features == 0)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "bytes before their feature", 0, 0);
    w->features[w->n_features - 1].section.size += n;
    return pi_writer_emit(w, bytes, n, error);
}

static enum pd_code encode_feature(const struct pd_writer *w, const struct pd_feature *f, void *bytes,
                                   size_t *n, struct pd_error *error)
{
    const enum pd_code code = pi_feature_encode_completed(w->options.order, f, bytes, *n, n, error);
    if (code && error) {
        error->offset = PD_NOWHERE;
        error->section = pd_feature_name(f->id);
    }
    return code;
}

enum pd_code pd_writer_put_feature(struct pd_writer *w, const struct pd_feature *f, struct pd_error *error)
{
    size_t n = 0;
    enum pd_code code = encode_feature(w, f, NULL, &n, error);
    uint8_t *bytes = code ? NULL : pi_resize(w->allocator, NULL, n + 1);
    if (!code && bytes == NULL)
        code = pi_fail(error, PD_ENOMEM, PD_NOWHERE, "feature", 0, n);
    if (!code)
        code = encode_feature(w, f, bytes, &n, error);
    if (!code)
        code = pd_writer_feature(w, f->id > UINT16_MAX ? UINT16_MAX : (uint16_t)f->id, error);
    if (!code)
        code = pd_writer_feature_bytes(w, bytes, n, error);
    pi_release(w->allocator, bytes);
    return code;
}

/* ---- The end */

static int by_number(const void *a, const void *b)
{
    const struct pd_feature_section *x = a, *y = b;
    return (x->feature > y->feature) - (x->feature < y->feature);
}

static enum pd_code finish_file(struct pd_writer *w, struct pd_error *error)
{
    uint8_t features[32] = {0};
    enum pd_code code = PD_OK;
    if (w->stage < PI_STAGE_FEATURES) {
        /* without features there is no table, for which no room is needed then */
        code = begin_features(w, w->n_held || w->n_names ? w->options.max_features : 0, error);
    }
    if (!code)
        code = start_section(w, UINT16_MAX, error); /* only what is still missing */
    if (!code && w->attrs_written < w->attrs.n)
        code = write_attrs(w, error);
    if (w->n_features)
        qsort(w->features, w->n_features, sizeof *w->features, by_number);
    for (size_t i = 0; !code && i < w->n_features; i++) {
        uint8_t entry[PI_BYTES_file_section];
        const unsigned n = w->features[i].feature;
        features[n / 8] |= (uint8_t)(1u << n % 8);
        pi_file_section_put(&w->features[i].section, w->options.order, entry);
        code = patch(w, w->table + i * sizeof entry, entry, sizeof entry, error);
    }
    struct pd_file_section first[2];
    for (size_t i = 0; i < w->n_features && i < 2; i++)
        first[i] = w->features[i].section;
    if (!code && !pi_features_store(features, w->options.order, w->options.feature_word == 4 ? 4 : 8, first,
                                    w->n_features < 2 ? w->n_features : 2, w->header.adds_features))
        return pi_fail(error, PD_EUNSUP, PD_NOWHERE, PI_AMBIGUOUS_FEATURES, 0, 0);
    return code ? code : write_header(w, true, error);
}

enum pd_code pd_writer_finish(struct pd_writer *w, struct pd_error *error)
{
    enum pd_code code = refuse_broken(w, error);
    if (code)
        return code;
    if (w->stage == PI_STAGE_FINISHED)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "file that is finished", 0, 0);
    if (w->options.container == PD_CONTAINER_FILE) {
        code = finish_file(w, error);
    } else if ((code = need_data(w, error)) == PD_OK) {
        code = pi_writer_flush(w, true, error);
        if (!code)
            code = pi_writer_drain(w, error);
        w->header.data.size = w->at - w->header.data.offset;
    }
    w->stage = PI_STAGE_FINISHED;
    const enum pd_code closed = pd_sink_close(&w->own, code ? NULL : error);
    return code ? code : closed;
}

uint64_t pd_writer_data_size(const struct pd_writer *w)
{
    if (w->stage < PI_STAGE_DATA)
        return 0;
    return w->stage == PI_STAGE_DATA ? w->at - w->header.data.offset : w->header.data.size;
}

uint64_t pd_writer_data_offset(const struct pd_writer *w)
{
    return w->header.data.offset;
}
