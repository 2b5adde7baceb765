/* SPDX-License-Identifier: MIT */
/*
 * writer_stream.c - pipe streams: the content of a file's sections becomes records. Before the data, in
 * the order of perf: attrs, event types, features and the mark that ends them, tracing data, build ids.
 */
#include "encode/codec/carried_head.h"
#include "src/codec/carried.h"
#include "src/codec/parts.h"
#include "src/schema/fail.h"
#include "src/support/memory.h"
#include "src/codec/transport.h"
#include "src/container/file.h"
#include "src/support/wire.h"
#include "writer.h"

/* perf's count of features, which marks their end: that of perf 6.1, and of the first perf that has all known
 * ones. */
#define LAST_FEATURE_OLD 32
#define LAST_FEATURE 35

static enum pd_code put_header(struct pd_writer *w, uint32_t type, uint16_t misc, size_t size,
                               struct pd_error *error)
{
    uint8_t bytes[8];
    pi_store32(bytes, type, w->options.order);
    pi_store16(bytes + 4, misc, w->options.order);
    pi_store16(bytes + 6, (uint16_t)size, w->options.order);
    return pi_writer_emit(w, bytes, sizeof bytes, error);
}

static enum pd_code put64(struct pd_writer *w, uint64_t value, struct pd_error *error)
{
    uint8_t bytes[8];
    pi_store64(bytes, value, w->options.order);
    return pi_writer_emit(w, bytes, sizeof bytes, error);
}

enum pd_code pi_pipe_header(struct pd_writer *w, struct pd_error *error)
{
    uint8_t bytes[PI_PIPE_HEADER_BYTES];
    pi_store64(bytes, PI_MAGIC2, w->options.order);
    if (w->options.version == 1) /* these bytes have no order */
        memcpy(bytes, "PERFFILE", 8);
    pi_store64(bytes + 8, sizeof bytes, w->options.order);
    return pi_writer_emit(w, bytes, sizeof bytes, error);
}

static void dropped(const struct pd_writer *w, uint16_t feature, const char *why)
{
    if (w->options.dropped)
        w->options.dropped(w->options.user, feature, why);
}

/*
 * An attr and its ids. A stream has no room beside attr.size, so that bytes of an entry behind it, which mean
 * nothing, do not go along.
 */
enum pd_code pi_pipe_attr(struct pd_writer *w, const struct pd_event_attr *e, struct pd_error *error)
{
    const size_t size = e->attr.size < PD_ATTR_SIZE_VER0 ? PD_ATTR_SIZE_VER0 : e->attr.size;
    const size_t cap = size > e->room ? size : e->room;
    if (size > UINT16_MAX - 8 || e->n_ids > (UINT16_MAX - 8 - size) / 8)
        return pi_fail(error, PD_ELIMIT, PD_NOWHERE, "ids of an attr in a pipe stream", e->n_ids,
                       size > UINT16_MAX - 8 ? 0 : (UINT16_MAX - 8 - size) / 8);
    uint8_t *bytes = pi_resize(w->allocator, NULL, cap);
    if (bytes == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "attr", 0, cap);
    memset(bytes, 0, cap);
    enum pd_code code = pd_attr_encode(w->options.order, &e->attr, bytes, e->room, error);
    if (!code)
        code = put_header(w, PD_RECORD_HEADER_ATTR, 0, 8 + size + 8 * e->n_ids, error);
    if (!code)
        code = pi_writer_emit(w, bytes, size, error);
    for (size_t i = 0; !code && i < e->n_ids; i++)
        code = put64(w, e->ids[i], error);
    pi_release(w->allocator, bytes);
    w->attrs_written++;
    return code;
}

/* The name's slot is cut as perf cuts it, which leaves no NUL behind names of 8, 16, … bytes. */
static enum pd_code put_type(struct pd_writer *w, const struct pd_event_type *type, struct pd_error *error)
{
    uint8_t bytes[PI_BYTES_event_type];
    pi_event_type_put(type, w->options.order, bytes);
    size_t n = sizeof bytes;
    while (n > 8 && bytes[n - 1] == 0)
        n--;
    n = pi_align8(n);
    enum pd_code code = put_header(w, PD_RECORD_HEADER_EVENT_TYPE, 0, 8 + n, error);
    return code ? code : pi_writer_emit(w, bytes, n, error);
}

static bool lacks_pids(const struct pd_writer *w, const struct pi_held *h)
{
    struct pd_feature f;
    return pd_feature_decode(w->options.order, PD_FEAT_BUILD_ID, 0, h->bytes, h->n, &f, NULL) == PD_OK &&
           f.variant & PD_VARIANT_NO_PID;
}

/*
 * As a record, which is larger than its entry by the pid, if that has none, and a padding: perf 7.3 refuses
 * sizes that are no multiples of 8. */
static enum pd_code put_build_id(struct pd_writer *w, const struct pd_record *entry, bool lacks_pid,
                                 struct pd_error *error)
{
    uint8_t head[PI_BUILD_ID_HEAD];
    const size_t n_head = lacks_pid ? sizeof head : PI_BUILD_ID_HEAD - 4, n = entry->size - 8u + n_head,
                 size = pi_align8(n) > UINT16_MAX ? n : pi_align8(n);
    if (size > UINT16_MAX) {
        dropped(w, PD_FEAT_BUILD_ID, "a name is too long for a record that has a pid");
        return PD_OK;
    }
    pi_put_build_id_head(w->options.order, PD_RECORD_HEADER_BUILD_ID, entry->misc, size, head);
    enum pd_code code = pi_writer_emit(w, head, n_head, error);
    if (!code)
        code = pi_writer_emit(w, entry->raw + 8, entry->size - 8u, error);
    return code ? code : pi_writer_zeros(w, size - n, error);
}

/* The section is a list of records, some without a type, of any size. */
static enum pd_code put_build_ids(struct pd_writer *w, const struct pi_held *h, struct pd_error *error)
{
    const bool lacking = lacks_pids(w, h);
    enum pd_code code = PD_OK;
    struct pd_record rec;
    for (size_t at = 0; !code && at < h->n; at += rec.size) {
        rec = (struct pd_record){0};
        if (pd_record_frame(w->options.order, h->bytes + at, h->n - at, &rec, NULL)) {
            dropped(w, h->feature, "the rest of the section is not a list of records");
            break;
        }
        code = put_build_id(w, &rec, lacking, error);
    }
    return code;
}

/* A record of 16 bytes, behind it the tracing data, padded to 8. */
static enum pd_code put_tracing_data(struct pd_writer *w, const struct pi_held *h, struct pd_error *error)
{
    static const uint8_t pad[4];
    const uint64_t padded = ((uint64_t)h->n + 7) & ~(uint64_t)7;
    struct pd_record rec = {.type = PD_RECORD_HEADER_TRACING_DATA, .rest = {pad, sizeof pad}};
    uint8_t bytes[16];
    size_t size;
    if (padded > UINT32_MAX) {
        dropped(w, h->feature, "it is too large");
        return PD_OK;
    }
    rec.u.header_tracing_data.data_size = (uint32_t)padded;
    enum pd_code code = pd_record_encode(&w->attrs.none, &rec, bytes, sizeof bytes, &size, error);
    if (!code)
        code = pi_writer_emit(w, bytes, size, error);
    if (!code)
        code = pi_writer_emit(w, h->bytes, h->n, error);
    return code ? code : pi_writer_zeros(w, padded - h->n, error);
}

static enum pd_code put_feature(struct pd_writer *w, uint16_t feature, const void *bytes, size_t n,
                                struct pd_error *error)
{
    uint8_t head[PI_CARRIED_HEAD];
    const size_t size = pi_put_carried_head(w->options.order, feature, false, n, head);
    const enum pd_code code = pi_writer_emit(w, head, size, error);
    return code ? code : pi_writer_emit(w, bytes, n, error);
}

/*
 * Why a feature cannot be in a stream; NULL: it can. perf itself does not send BRANCH_STACK, STAT, CACHE and
 * HYBRID_TOPOLOGY, but reads them.
 */
static const char *obstacle(const struct pi_held *h)
{
    if (h->feature == PD_FEAT_AUXTRACE)
        return "its offsets are those of a file";
    if (h->feature == PD_FEAT_DIR_FORMAT)
        return "a pipe stream is no directory";
    if (h->n == 0 && !pi_may_be_empty(h->feature))
        return "it is empty, which marks the end of the features";
    return h->n > PI_CARRIED_MOST ? "it is too large for a record" : NULL;
}

static enum pd_code put_held(struct pd_writer *w, const struct pi_held *h, struct pd_error *error)
{
    const char *why = obstacle(h);
    if (h->feature == PD_FEAT_TRACING_DATA)
        return put_tracing_data(w, h, error);
    if (h->feature == PD_FEAT_BUILD_ID)
        return put_build_ids(w, h, error);
    if (why == NULL)
        return put_feature(w, h->feature, h->bytes, h->n, error);
    dropped(w, h->feature, why);
    return PD_OK;
}

/* All that became HEADER_FEATURE records, then the mark, if there are any. */
static enum pd_code put_features(struct pd_writer *w, struct pd_error *error)
{
    uint8_t own[PI_COMPRESSED_FEATURE_BYTES];
    bool own_due = w->deflate.ctx != NULL;
    uint16_t last = 0;
    enum pd_code code = PD_OK;
    pi_writer_compressed_feature(w, own);
    for (size_t i = 0; !code && i <= w->n_held; i++) {
        const struct pi_held *h = i < w->n_held ? &w->held[i] : NULL;
        if (own_due && (h == NULL || h->feature > PD_FEAT_COMPRESSED)) {
            code = put_feature(w, PD_FEAT_COMPRESSED, own, sizeof own, error);
            own_due = false;
            last = PD_FEAT_COMPRESSED;
        }
        if (h && pi_has_own_record(h->feature))
            continue;
        if (!code && h)
            code = put_held(w, h, error);
        if (h && obstacle(h) == NULL)
            last = h->feature;
    }
    if (code || last == 0 || w->options.no_feature_end)
        return code;
    return put_feature(w, last < LAST_FEATURE_OLD ? LAST_FEATURE_OLD : LAST_FEATURE, NULL, 0, error);
}

enum pd_code pi_pipe_begin(struct pd_writer *w, struct pd_error *error)
{
    enum pd_code code = pi_pipe_header(w, error);
    w->header.data.offset = PI_PIPE_HEADER_BYTES;
    for (size_t i = 0; !code && i < w->attrs.n; i++)
        code = pi_pipe_attr(w, w->attrs.attr[i], error);
    for (size_t i = 0; !code && i < w->n_types; i++)
        code = put_type(w, &w->types[i], error);
    pi_writer_sort_held(w);
    if (!code)
        code = put_features(w, error);
    for (size_t i = 0; !code && i < w->n_held; i++)
        if (pi_has_own_record(w->held[i].feature))
            code = put_held(w, &w->held[i], error);
    for (size_t i = 0; i < w->n_held; i++)
        w->features[w->n_features++].feature = w->held[i].feature; /* so that none comes twice */
    pi_writer_drop_held(w);
    return code;
}

enum pd_code pi_pipe_features(struct pd_writer *w, struct pd_error *error)
{
    enum pd_code code = w->n_held ? pi_writer_flush(w, false, error) : PD_OK;
    for (size_t i = 0; i < w->n_held; i++) {
        if (!code)
            code = put_held(w, &w->held[i], error);
        w->features[w->n_features++].feature = w->held[i].feature;
    }
    pi_writer_drop_held(w);
    return code;
}

enum pd_code pi_pipe_feature(struct pd_writer *w, uint16_t feature, uint8_t *bytes, size_t n,
                             struct pd_error *error)
{
    const enum pd_code code = pi_writer_flush(w, false, error);
    return code ? code : put_held(w, &(struct pi_held){.feature = feature, .bytes = bytes, .n = n}, error);
}
