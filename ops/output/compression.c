/* SPDX-License-Identifier: MIT */
/* compression.c - the compression of records, and the feature that describes it. */
#include "compression.h"
#include "encode/codec/carried_head.h"
#include "src/codec/carried.h"
#include "src/codec/record_role.h"
#include "src/container/reader/reader_internal.h"
#include "src/session/content.h"
#include "src/support/wire.h"
#include <perfdata/session/tasks.h>

#define TELLING 12 /* bytes of the feature that matter: version, type, level */

enum pi_said pi_said_compression(const uint8_t *bytes, size_t n, enum pd_order order, int *level)
{
    if (n < TELLING)
        return PI_SAID_NOTHING;
    if (pi_load32(bytes + 4, order) == 0)
        return PI_SAID_PLAIN;
    *level = (int)(pi_load32(bytes + 8, order) & 31);
    return PI_SAID_ZSTD;
}

enum pd_code pi_reader_said_zstd(struct pd_reader *reader, bool *zstd, int *level, struct pd_error *error)
{
    const struct pd_feature_section *f = pd_reader_find_feature(reader, PD_FEAT_COMPRESSED);
    uint8_t bytes[TELLING];
    *zstd = false;
    if (f == NULL || !f->intact || f->section.size < sizeof bytes)
        return PD_OK;
    const enum pd_code code = pd_reader_read(reader, f->section.offset, bytes, sizeof bytes, error);
    *zstd = !code &&
            pi_said_compression(bytes, sizeof bytes, pd_reader_info(reader)->order, level) == PI_SAID_ZSTD;
    return code;
}

uint32_t pi_zip_type(enum pd_convert_zip zip, bool zstd)
{
    switch (zip) {
    case PD_ZIP_COMPRESSED: return PD_RECORD_COMPRESSED;
    case PD_ZIP_COMPRESSED2: return PD_RECORD_COMPRESSED2;
    case PD_ZIP_KEEP: return zstd ? PD_RECORD_COMPRESSED : 0;
    default: return 0;
    }
}

/* The feature in *data as well. */
static uint64_t stream_feature(const struct pd_record *rec, enum pd_order order, struct pd_bytes *data,
                               bool *mark)
{
    uint64_t id = UINT64_MAX;
    const bool one = !rec->depth && !rec->old_feature && pi_record_feature(rec, order, &id, data);
    *mark = one && pi_is_feature_mark(rec, id, data);
    return one ? id : UINT64_MAX;
}

uint64_t pi_stream_feature(const struct pd_record *rec, enum pd_order order, bool *mark)
{
    struct pd_bytes data;
    return stream_feature(rec, order, &data, mark);
}

bool pi_is_early(const struct pd_record *rec)
{
    uint64_t time;
    return rec->type != PD_RECORD_SAMPLE && !(pd_record_time(rec, &time) && time);
}

enum pd_code pi_compression_start(struct pi_compression *z, struct pd_writer *w, struct pd_error *error)
{
    if (w->deflate.ctx) {
        w->options.compression = z->zip;
        return PD_OK;
    }
    z->due = z->pipe;
    return z->pipe ? PD_OK : pi_writer_compress(w, z->zip, z->level, error);
}

static enum pd_code put_feature(struct pi_compression *z, struct pd_writer *w, struct pd_error *error)
{
    uint8_t bytes[PI_CARRIED_HEAD + PI_COMPRESSED_FEATURE_BYTES];
    const size_t head =
        pi_put_carried_head(w->options.order, PD_FEAT_COMPRESSED, false, PI_COMPRESSED_FEATURE_BYTES, bytes);
    const enum pd_code code = pi_writer_compress(w, z->zip, z->level, error);
    pi_writer_compressed_feature(w, bytes + head);
    z->due = false;
    return code ? code : pd_writer_raw(w, bytes, sizeof bytes, error);
}

/* Replaces the input's feature with our own, or drops it if records are no longer compressed. */
static enum pd_code replace_feature(struct pi_compression *z, struct pd_writer *w,
                                    const struct pd_bytes *said, bool *taken, struct pd_error *error)
{
    int level = 0;
    const bool zstd = pi_said_compression(said->ptr, said->n, z->reader->info.order, &level) == PI_SAID_ZSTD;
    enum pd_code code = PD_OK;
    *taken = zstd || z->due;
    z->level = z->level ? z->level : level;
    if (zstd && z->again && !z->zip) {
        z->zip = PD_RECORD_COMPRESSED;
        code = pi_compression_start(z, w, error);
    }
    return code ? code : pi_compression_end(z, w, error);
}

enum pd_code pi_compression_announce(struct pi_compression *z, struct pd_writer *w,
                                     const struct pd_record *rec, bool *taken, struct pd_error *error)
{
    bool mark;
    struct pd_bytes data;
    const uint64_t feature = stream_feature(rec, z->reader->info.order, &data, &mark);
    if (feature == PD_FEAT_COMPRESSED && !mark)
        return replace_feature(z, w, &data, taken, error);
    const enum pi_serves serves = pi_serves_of(rec);
    const bool before = rec->old_feature || serves == PI_SERVES_ATTR || serves == PI_SERVES_EVENT_TYPE ||
                        (feature < PD_FEAT_COMPRESSED && !mark);
    return before ? PD_OK : pi_compression_end(z, w, error);
}

enum pd_code pi_compression_end(struct pi_compression *z, struct pd_writer *w, struct pd_error *error)
{
    return z->due && !pi_reader_in_old_features(z->reader) ? put_feature(z, w, error) : PD_OK;
}
