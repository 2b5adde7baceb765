/* SPDX-License-Identifier: MIT */
/*
 * kept.h - the records of a file's data, those inside COMPRESSED ones among them, framed here and not by a
 * reader, outside of ranges of bytes that are said to be lost. What `repair` writes is held against them.
 */
#ifndef PERFDATA_TESTS_KEPT_H
#define PERFDATA_TESTS_KEPT_H

#include "recording.h"
#include "src/codec/carried.h"
#include "src/container/reader/ahead.h"
#include "src/codec/record_role.h"
#include "src/support/wire.h"
#include <zstd.h>

#define LOST_RANGES 256

struct lost {
    uint64_t bytes, ranges, features; /* told; the first are in */
    struct {
        uint64_t from, to;
        uint32_t member;
    } range[LOST_RANGES];
    bool feature[256];
    struct told told; /* why features are left out, and what a reader found */
};

/* The records by their hashes, in order. */
struct kept {
    enum pd_order order;
    bool old;  /* before its first attr, a stream of perf 3.3 has features under types of other records */
    bool pipe; /* its feature COMPRESSED is made anew */
    uint64_t *hash;
    bool *sure; /* false: of a COMPRESSED record that is lost, at least in part */
    size_t n, cap;
    bool unsure; /* what compressed data has was not known once */
    /* what is decompressed, from its next record on */
    ZSTD_DCtx *z;
    struct image open;
    size_t hint;
    bool broken;
    bool open_sure; /* the open record has begun in COMPRESSED ones that are kept */
    bool torn;      /* bytes were lost that are no record: COMPRESSED ones may be among them */
    bool doubt;     /* since something was lost, it may have been dropped: known when a frame begins */
    bool astray;    /* so the records of this frame may be others */
};

static inline void kept_free(struct kept *k)
{
    ZSTD_freeDCtx(k->z);
    image_free(&k->open);
    free(k->hash);
    free(k->sure);
}

/* The bit of a build id of impossible size is taken away. */
static inline uint64_t kept_hash(const struct kept *k, const uint8_t *p, size_t n)
{
    uint8_t head[8];
    XXH3_state_t state;
    const unsigned misc = pi_load16(p + 4, k->order);
    memcpy(head, p, 8);
    if (pi_load32(p, k->order) == PD_RECORD_MMAP2 && misc & PD_MISC_MMAP_BUILD_ID && n > 40 && p[40] > 20)
        pi_store16(head + 4, (uint16_t)(misc & ~PD_MISC_MMAP_BUILD_ID), k->order);
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, head, 8);
    XXH3_64bits_update(&state, p + 8, n - 8);
    return XXH3_64bits_digest(&state);
}

/* n bytes: a record, and what stands behind it. */
static inline void kept_add(struct kept *k, const struct pd_record *rec, size_t n, bool sure)
{
    struct pd_bytes data;
    uint64_t id;
    k->old = k->old && rec->type != PD_RECORD_HEADER_ATTR;
    struct pd_record copy = *rec;
    copy.old_feature = k->old;
    if (k->pipe && pi_record_feature(&copy, k->order, &id, &data) && id == PD_FEAT_COMPRESSED)
        return;
    if (k->n == k->cap) {
        k->cap = 2 * k->cap + 64;
        k->hash = realloc(k->hash, k->cap * sizeof *k->hash);
        k->sure = realloc(k->sure, k->cap * sizeof *k->sure);
        CHECK(k->hash && k->sure);
    }
    k->hash[k->n] = kept_hash(k, rec->raw, n);
    k->sure[k->n++] = sure;
}

/* ---- Compressed records */

static inline void kept_break(struct kept *k)
{
    k->broken = true;
    k->open.n = 0;
}

/* The complete records in what is decompressed. */
static inline void kept_inside(struct kept *k, bool sure)
{
    size_t at = 0;
    struct pd_record rec;
    while (k->open.n - at >= 8 && pi_load16(k->open.b + at + 6, k->order) <= k->open.n - at) {
        if (pd_record_frame(k->order, k->open.b + at, k->open.n - at, &rec, NULL)) {
            kept_break(k);
            return;
        }
        kept_add(k, &rec, rec.size, k->open_sure && sure && !k->astray && !pi_is_wrapper_type(rec.type));
        k->open_sure = sure;
        at += rec.size;
    }
    memmove(k->open.b, k->open.b + at, k->open.n - at);
    k->open.n -= at;
}

/* A frame may begin though the one before has not ended: then what it had of a record is gone. */
static inline void kept_restart(struct kept *k)
{
    k->z = k->z ? k->z : ZSTD_createDCtx();
    ZSTD_DCtx_reset(k->z, ZSTD_reset_session_only);
    if (k->hint)
        k->open.n = 0;
    k->astray = k->doubt && k->open.n;
    k->unsure |= k->astray;
    k->broken = k->doubt = false;
    k->hint = 0;
}

static inline void kept_inflate(struct kept *k, const struct pd_bytes *chunk, bool sure)
{
    ZSTD_inBuffer in = {chunk->ptr, 0, 0};
    uint64_t made = 0;
    bool full = true;
    k->unsure |= k->torn;
    if (!k->z || (chunk->n >= 4 && memcmp(chunk->ptr, "\x28\xb5\x2f\xfd", 4) == 0))
        kept_restart(k);
    while (!k->broken && (in.pos < chunk->n || full)) {
        uint8_t bytes[4096];
        ZSTD_outBuffer out = {bytes, sizeof bytes, 0};
        if (in.pos == in.size && in.size < chunk->n)
            in.size++; /* by single bytes: what a call has made that fails is lost */
        const size_t result = ZSTD_decompressStream(k->z, &out, &in);
        made += out.pos;
        if (ZSTD_isError(result) || made > INFLATE_MOST) {
            kept_break(k);
            break;
        }
        k->hint = result;
        k->open_sure = k->open.n ? k->open_sure : sure;
        full = out.pos == out.size;
        image_bytes(&k->open, bytes, out.pos);
        if (out.pos)
            kept_inside(k, sure);
    }
    CHECK(!sure || !k->broken || k->unsure);
}

/* True if it was one. */
static inline bool kept_chunk(struct kept *k, const struct pd_record *rec, bool sure)
{
    struct pd_bytes chunk;
    uint64_t said;
    const struct pd_plan none = {.order = (uint8_t)k->order};
    if (k->old || !pi_is_wrapper_type(rec->type))
        return false;
    if (pi_compressed_chunk(rec, &none, &chunk, &said))
        kept_inflate(k, &chunk, sure);
    else
        kept_break(k);
    return true;
}

/* ---- Data */

static inline bool kept_frame(const struct kept *k, const uint8_t *p, uint64_t n, struct pd_record *rec,
                              uint64_t *size)
{
    *rec = (struct pd_record){0};
    if (pd_record_frame(k->order, p, n < UINT16_MAX ? (size_t)n : UINT16_MAX, rec, NULL))
        return false;
    const uint64_t behind = k->old ? 0 : pi_payload_behind(rec, k->order);
    *size = rec->size + behind;
    return behind <= n - rec->size;
}

/* All of it is records. */
static inline void kept_take(struct kept *k, const uint8_t *p, uint64_t n)
{
    struct pd_record rec;
    for (uint64_t at = 0, size; at < n; at += size) {
        CHECK(kept_frame(k, p + at, n - at, &rec, &size));
        if (!kept_chunk(k, &rec, true))
            kept_add(k, &rec, (size_t)size, true);
    }
}

/* Of n bytes, the first are a record, in which a COMPRESSED one may begin. */
static inline bool kept_swallows(const struct kept *k, const uint8_t *p, uint64_t n, uint64_t size)
{
    struct pd_record rec;
    uint64_t theirs;
    bool any = false;
    for (uint64_t at = 8; !any && at < size; at++)
        any = kept_frame(k, p + at, n - at, &rec, &theirs) && pi_is_wrapper_type(rec.type);
    return any;
}

/*
 * A COMPRESSED record of which all is there takes part in what others are decompressed to; behind bytes that
 * are no record, too, where it may have been found.
 */
static inline void kept_pass(struct kept *k, const uint8_t *p, uint64_t n)
{
    struct pd_record rec;
    bool torn = false;
    for (uint64_t at = 0, size; at < n; at += size) {
        const bool frames = kept_frame(k, p + at, n - at, &rec, &size);
        if (!frames && !torn)
            kept_break(k);
        torn |= !frames;
        k->torn |= torn;
        if (torn && !(frames && pi_is_wrapper_type(rec.type))) {
            size = 1;
            continue;
        }
        k->doubt |= !torn;
        k->unsure |= !pi_is_wrapper_type(rec.type) && kept_swallows(k, p + at, n - at, size);
        kept_chunk(k, &rec, false);
    }
}

/* What begins at `at`: a range that is lost, or what is kept; *to is where that ends. */
static inline bool kept_lacks(const struct lost *lost, uint32_t member, uint64_t at, uint64_t end,
                              uint64_t *to)
{
    bool lacks = false;
    *to = end;
    for (size_t i = 0; i < lost->ranges; i++)
        if (lost->range[i].member == member && lost->range[i].to > at) {
            lacks = lost->range[i].from <= at;
            *to = lacks ? lost->range[i].to : lost->range[i].from;
            break;
        }
    *to = *to < end ? *to : end;
    return lacks;
}

/* The data of one file from `at` to `end`. */
static inline void kept_read(struct kept *k, const uint8_t *bytes, uint64_t at, uint64_t end,
                             const struct lost *lost, uint32_t member)
{
    k->open.n = 0;
    k->broken = k->torn = k->doubt = k->astray = false;
    k->hint = 0;
    for (uint64_t to; at < end; at = to)
        if (kept_lacks(lost, member, at, end, &to))
            kept_pass(k, bytes + at, to - at);
        else
            kept_take(k, bytes + at, to - at);
}

/* True if a record that is kept begins at `place`. */
static inline bool kept_begins(enum pd_order order, const uint8_t *bytes, uint64_t at, uint64_t end,
                               const struct lost *lost, uint64_t place)
{
    const struct kept k = {.order = order};
    struct pd_record rec;
    for (uint64_t to, size; at < end && at < place; at = to)
        if (!kept_lacks(lost, 0, at, end, &to)) {
            CHECK(kept_frame(&k, bytes + at, to - at, &rec, &size));
            to = at + size;
        }
    uint64_t to;
    return at == place && at < end && !kept_lacks(lost, 0, at, end, &to);
}

/* Those that are sure are among the others, in their order. */
static inline bool kept_among(const struct kept *some, bool sure, const struct kept *all)
{
    size_t i = 0;
    for (size_t k = 0; k < all->n && i < some->n; k++) {
        while (sure && i < some->n && !some->sure[i])
            i++;
        i += i < some->n && some->hash[i] == all->hash[k];
    }
    while (sure && i < some->n && !some->sure[i])
        i++;
    return i == some->n;
}

#endif
