/* SPDX-License-Identifier: MIT */
/* writer.c - new perf.data files: header, ids, attrs, event types, data, feature table, features, in this order. */
#include "codec_internal.h"
#include "file.h"
#include "memory.h"
#include "wire.h"
#include <perfdata/writer.h>

enum stage { ATTRS, DATA, FEATURES, FINISHED };

struct pd_writer {
    struct pd_sink sink;
    const struct pd_allocator *allocator;
    struct pd_writer_options options;
    struct pd_file_header header;
    enum stage stage;
    uint64_t at; /* bytes written */
    struct pd_attrs attrs;
    struct pd_event_type *types;
    size_t n_types, types_cap;
    struct pd_feature_section *features;
    size_t n_features;
    uint64_t table; /* offset of the feature table */
    bool broken;    /* writing failed: what is there is not what it should be */
};

static enum pd_code emit(struct pd_writer *w, const void *bytes, size_t n, struct pd_error *error)
{
    const int e = n ? w->sink.write(w->sink.user, bytes, n) : 0;
    w->broken |= e != 0;
    if (e)
        return pd_fail(error, PD_EOUT, w->at, NULL, (uint64_t)e, 0);
    w->at += n;
    return PD_OK;
}

static enum pd_code emit_zeros(struct pd_writer *w, uint64_t n, struct pd_error *error)
{
    static const uint8_t zeros[512];
    enum pd_code code = PD_OK;
    for (; !code && n; n -= n < sizeof zeros ? n : sizeof zeros)
        code = emit(w, zeros, n < sizeof zeros ? (size_t)n : sizeof zeros, error);
    return code;
}

static enum pd_code patch(struct pd_writer *w, uint64_t offset, const void *bytes, size_t n, struct pd_error *error)
{
    const int e = n ? w->sink.patch(w->sink.user, offset, bytes, n) : 0;
    w->broken |= e != 0;
    return e ? pd_fail(error, PD_EOUT, offset, NULL, (uint64_t)e, 0) : PD_OK;
}

enum pd_code pd_writer_open(struct pd_writer **out, const struct pd_sink *sink, const struct pd_writer_options *options,
                            struct pd_error *error)
{
    static const struct pd_writer_options usual = {.size = sizeof usual, .order = PD_HOST_ORDER};
    const struct pd_allocator *allocator = options ? options->allocator : NULL;
    if (sink->patch == NULL)
        return pd_fail(error, PD_EARG, PD_NOWHERE, "sink.patch", 0, 0);
    if (options && options->max_features > 256)
        return pd_fail(error, PD_EARG, PD_NOWHERE, "max_features", options->max_features, 256);
    if (options && options->attr_size > 65536 - PD_FILE_SECTION_BYTES)
        return pd_fail(error, PD_EARG, PD_NOWHERE, "attr_size", options->attr_size, 65536 - PD_FILE_SECTION_BYTES);
    struct pd_writer *w = pd_resize(allocator, NULL, sizeof *w);
    if (w == NULL)
        return pd_fail(error, PD_ENOMEM, PD_NOWHERE, "writer", 0, sizeof *w);
    *w = (struct pd_writer){.sink = *sink, .allocator = allocator, .options = options ? *options : usual};
    w->features = pd_array(allocator, NULL, w->options.max_features, sizeof *w->features);
    pd_attrs_init(&w->attrs, allocator, w->options.order);
    if (w->features == NULL) {
        pd_writer_close(w);
        return pd_fail(error, PD_ENOMEM, PD_NOWHERE, "features", 0, w->options.max_features * sizeof *w->features);
    }
    *out = w;
    return PD_OK;
}

void pd_writer_close(struct pd_writer *w)
{
    if (w == NULL)
        return;
    pd_attrs_free(&w->attrs);
    pd_release(w->allocator, w->types);
    pd_release(w->allocator, w->features);
    pd_release(w->allocator, w);
}

enum pd_code pd_writer_attr(struct pd_writer *w, const struct pd_attr *attr, const uint64_t *ids, size_t n_ids,
                            struct pd_error *error)
{
    const enum pd_order order = w->options.order;
    const size_t room = pd_attr_bytes(attr);
    if (w->stage != ATTRS)
        return pd_fail(error, PD_EARG, PD_NOWHERE, "attr after the first record", 0, 0);
    if (room > 65536 - PD_FILE_SECTION_BYTES)
        return pd_fail(error, PD_ELIMIT, PD_NOWHERE, "attr.tail", room, 65536 - PD_FILE_SECTION_BYTES);
    uint8_t *bytes = pd_resize(w->allocator, NULL, room);
    uint8_t *stream_ids = pd_array(w->allocator, NULL, n_ids, 8);
    enum pd_code code = bytes && stream_ids ? pd_attr_encode(order, attr, bytes, room, error)
                                            : pd_fail(error, PD_ENOMEM, PD_NOWHERE, "attr", 0, room + 8 * n_ids);
    for (size_t i = 0; !code && i < n_ids; i++)
        pd_store64(stream_ids + 8 * i, ids[i], order);
    if (!code)
        code = pd_attrs_add(&w->attrs, order, bytes, room, stream_ids, n_ids, 0, error);
    if (!code && w->options.attr_size < room)
        w->options.attr_size = (uint32_t)room;
    pd_release(w->allocator, bytes);
    pd_release(w->allocator, stream_ids);
    return code;
}

enum pd_code pd_writer_event_type(struct pd_writer *w, const struct pd_event_type *type, struct pd_error *error)
{
    if (w->stage != ATTRS)
        return pd_fail(error, PD_EARG, PD_NOWHERE, "event type after the first record", 0, 0);
    if (!pd_grow(w->allocator, (void **)&w->types, w->n_types, &w->types_cap, sizeof *w->types))
        return pd_fail(error, PD_ENOMEM, PD_NOWHERE, "event type", 0, sizeof *w->types);
    w->types[w->n_types++] = *type;
    return PD_OK;
}

static enum pd_code write_header(struct pd_writer *w, bool again, struct pd_error *error)
{
    uint8_t bytes[PD_FILE_HEADER_BYTES];
    pd_file_header_put(&w->header, w->options.order, bytes);
    return again ? patch(w, 0, bytes, sizeof bytes, error) : emit(w, bytes, sizeof bytes, error);
}

static enum pd_code write_ids(struct pd_writer *w, struct pd_event_attr *e, struct pd_error *error)
{
    enum pd_code code = PD_OK;
    e->ids_section = (struct pd_file_section){w->at, 8 * (uint64_t)e->n_ids};
    for (size_t i = 0; !code && i < e->n_ids; i++) {
        uint8_t id[8];
        pd_store64(id, e->ids[i], w->options.order);
        code = emit(w, id, sizeof id, error);
    }
    return code;
}

static enum pd_code write_attr(struct pd_writer *w, const struct pd_event_attr *e, struct pd_error *error)
{
    uint8_t section[PD_FILE_SECTION_BYTES];
    uint8_t *bytes = pd_resize(w->allocator, NULL, e->room);
    if (bytes == NULL)
        return pd_fail(error, PD_ENOMEM, PD_NOWHERE, "attr", 0, e->room);
    enum pd_code code = pd_attr_encode(w->options.order, &e->attr, bytes, e->room, error);
    if (!code)
        code = emit(w, bytes, e->room, error);
    if (!code)
        code = emit_zeros(w, w->options.attr_size - e->room, error);
    pd_file_section_put(&e->ids_section, w->options.order, section);
    pd_release(w->allocator, bytes);
    return code ? code : emit(w, section, sizeof section, error);
}

static enum pd_code write_types(struct pd_writer *w, struct pd_error *error)
{
    enum pd_code code = PD_OK;
    w->header.event_types = (struct pd_file_section){w->n_types ? w->at : 0, w->n_types * PD_EVENT_TYPE_BYTES};
    for (size_t i = 0; !code && i < w->n_types; i++) {
        uint8_t bytes[PD_EVENT_TYPE_BYTES];
        pd_event_type_put(&w->types[i], w->options.order, bytes);
        code = emit(w, bytes, sizeof bytes, error);
    }
    return code;
}

/* All that stands before the data, with data size 0 for now: what a recording that is cut short looks like. */
static enum pd_code begin_data(struct pd_writer *w, struct pd_error *error)
{
    enum pd_code code;
    if (w->options.attr_size < PD_ATTR_SIZE_VER0)
        w->options.attr_size = PD_ATTR_SIZE_VER0;
    const uint64_t stride = w->options.attr_size + (uint64_t)PD_FILE_SECTION_BYTES;
    w->stage = DATA;
    w->header.magic = PD_MAGIC2;
    w->header.size = PD_FILE_HEADER_BYTES;
    w->header.attr_size = stride;
    if ((code = write_header(w, false, error)))
        return code;
    for (size_t i = 0; !code && i < w->attrs.n; i++)
        code = write_ids(w, w->attrs.attr[i], error);
    w->header.attrs = (struct pd_file_section){w->at, stride * w->attrs.n};
    for (size_t i = 0; !code && i < w->attrs.n; i++)
        code = write_attr(w, w->attrs.attr[i], error);
    if (!code)
        code = write_types(w, error);
    w->header.data.offset = w->at;
    return code ? code : write_header(w, true, error);
}

static enum pd_code refuse_broken(const struct pd_writer *w, struct pd_error *error)
{
    return w->broken ? pd_fail(error, PD_EARG, PD_NOWHERE, "writer that failed before", 0, 0) : PD_OK;
}

static enum pd_code need_data(struct pd_writer *w, struct pd_error *error)
{
    enum pd_code code = refuse_broken(w, error);
    if (!code && w->stage == ATTRS) {
        code = begin_data(w, error);
        w->broken = code != PD_OK;
    } else if (!code && w->stage != DATA) {
        code = pd_fail(error, PD_EARG, PD_NOWHERE, "record after the first feature", 0, 0);
    }
    return code;
}

enum pd_code pd_writer_raw(struct pd_writer *w, const void *bytes, size_t n, struct pd_error *error)
{
    enum pd_code code = need_data(w, error);
    return code ? code : emit(w, bytes, n, error);
}

enum pd_code pd_writer_record(struct pd_writer *w, const struct pd_record *rec, struct pd_error *error)
{
    uint8_t bytes[UINT16_MAX];
    size_t size;
    if (rec->attr_index != UINT32_MAX && rec->attr_index >= w->attrs.n)
        return pd_fail_record(error, PD_EARG, rec, 0, "attr_index", rec->attr_index, w->attrs.n);
    const struct pd_plan *plan = rec->attr_index == UINT32_MAX ? &w->attrs.none : &w->attrs.attr[rec->attr_index]->plan;
    enum pd_code code = pd_record_encode(plan, rec, bytes, sizeof bytes, &size, error);
    if (!code)
        code = need_data(w, error);
    return code ? code : emit(w, bytes, size, error);
}

/* The end of the data: room for the table follows. */
static enum pd_code begin_features(struct pd_writer *w, struct pd_error *error)
{
    enum pd_code code = need_data(w, error);
    if (code)
        return code;
    w->stage = FEATURES;
    w->header.data.size = w->at - w->header.data.offset;
    w->table = w->at;
    return emit_zeros(w, (uint64_t)w->options.max_features * PD_FILE_SECTION_BYTES, error);
}

enum pd_code pd_writer_feature(struct pd_writer *w, uint16_t feature, struct pd_error *error)
{
    enum pd_code code = refuse_broken(w, error);
    if (code)
        return code;
    if (w->stage == FINISHED || feature > 255)
        return pd_fail(error, PD_EARG, PD_NOWHERE, "feature", feature, 255);
    if (w->n_features == w->options.max_features)
        return pd_fail(error, PD_ELIMIT, PD_NOWHERE, "max_features", w->n_features, w->options.max_features);
    for (size_t i = 0; i < w->n_features; i++)
        if (w->features[i].feature == feature)
            return pd_fail(error, PD_EARG, PD_NOWHERE, "feature given twice", feature, 0);
    if (w->stage < FEATURES && (code = begin_features(w, error)))
        return code;
    w->features[w->n_features++] = (struct pd_feature_section){feature, true, {w->at, 0}};
    return PD_OK;
}

enum pd_code pd_writer_feature_bytes(struct pd_writer *w, const void *bytes, size_t n, struct pd_error *error)
{
    enum pd_code code = refuse_broken(w, error);
    if (code)
        return code;
    if (w->stage != FEATURES || w->n_features == 0)
        return pd_fail(error, PD_EARG, PD_NOWHERE, "bytes before their feature", 0, 0);
    w->features[w->n_features - 1].section.size += n;
    return emit(w, bytes, n, error);
}

static int by_number(const void *a, const void *b)
{
    const struct pd_feature_section *x = a, *y = b;
    return (x->feature > y->feature) - (x->feature < y->feature);
}

enum pd_code pd_writer_finish(struct pd_writer *w, struct pd_error *error)
{
    uint8_t features[32] = {0};
    enum pd_code code = refuse_broken(w, error);
    if (code)
        return code;
    if (w->stage == FINISHED)
        return pd_fail(error, PD_EARG, PD_NOWHERE, "file that is finished", 0, 0);
    if (w->stage < FEATURES) { /* without features there is no table, for which no room is needed then */
        w->options.max_features = 0;
        if ((code = begin_features(w, error)))
            return code;
    }
    if (w->n_features)
        qsort(w->features, w->n_features, sizeof *w->features, by_number);
    for (size_t i = 0; !code && i < w->n_features; i++) {
        uint8_t entry[PD_FILE_SECTION_BYTES];
        const unsigned n = w->features[i].feature;
        features[n / 8] |= (uint8_t)(1u << n % 8);
        pd_file_section_put(&w->features[i].section, w->options.order, entry);
        code = patch(w, w->table + i * sizeof entry, entry, sizeof entry, error);
    }
    pd_features_convert(features, w->header.adds_features, w->options.order, w->options.feature_word == 4 ? 4 : 8);
    w->stage = FINISHED;
    return code ? code : write_header(w, true, error);
}

uint64_t pd_writer_data_size(const struct pd_writer *w)
{
    if (w->stage < DATA)
        return 0;
    return w->stage == DATA ? w->at - w->header.data.offset : w->header.data.size;
}

uint64_t pd_writer_data_offset(const struct pd_writer *w)
{
    return w->header.data.offset;
}
