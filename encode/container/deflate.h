/* SPDX-License-Identifier: MIT */
/*
 * deflate.h - the other half of src/container/inflate.h: records collected into chunks of zstd frames,
 * which COMPRESSED and COMPRESSED2 records carry. Each chunk is flushed, so that a reader of the
 * chunk has all its records.
 */
#ifndef PERFDATA_DEFLATE_H
#define PERFDATA_DEFLATE_H

#include <perfdata/error.h>

struct ZSTD_CCtx_s;

/*
 * Most bytes that go into one chunk. Even what cannot be compressed then fits in a COMPRESSED2 record, and a
 * chunk never makes more than PI_DEFLATE_MMAP_LEN bytes: perf refuses more than the COMPRESSED feature's
 * mmap_len, which must be whole pages.
 */
#define PI_DEFLATE_INPUT ((size_t)64512)
#define PI_DEFLATE_MMAP_LEN ((uint32_t)65536)
#define PI_DEFLATE_OUTPUT \
    ((size_t)65512) /* most of a chunk: what a COMPRESSED2 record holds; a COMPRESSED one, a little more */
#define PI_DEFLATE_LEVEL 1 /* the level that perf uses, too */

struct pi_deflate {
    const struct pd_allocator *allocator;
    struct ZSTD_CCtx_s *ctx; /* NULL: not started */
    int level;
    uint8_t *in;
    size_t n; /* bytes that wait in `in` */
    uint8_t *out;
    uint64_t taken, made; /* bytes in all chunks, before and after */
    uint64_t framed;      /* bytes in this frame so far, those that wait included */
};

/* What libzstd compresses with, in memory of the allocator; NULL: there is none. To be freed by libzstd. */
struct ZSTD_CCtx_s *pi_deflate_context(const struct pd_allocator *allocator);

/* Takes memory for a stream of a level that libzstd has (others become the nearest). */
enum pd_code pi_deflate_start(struct pi_deflate *z, const struct pd_allocator *allocator, int level,
                              struct pd_error *error);
void pi_deflate_free(struct pi_deflate *z);

/* Takes as many of the n bytes as fit in this chunk and returns how many; 0: the chunk is full. */
size_t pi_deflate_take(struct pi_deflate *z, const void *bytes, size_t n);

/*
 * Compresses the waiting bytes, of which there must be some, into a chunk of *n bytes at *p, valid until the
 * next call. `last` ends the frame: the next chunk begins another, which needs nothing of this one.
 */
enum pd_code pi_deflate_chunk(struct pi_deflate *z, bool last, const uint8_t **p, size_t *n,
                              struct pd_error *error);

/* Bytes before to bytes after, rounded, as perf writes it into the COMPRESSED feature. */
uint32_t pi_deflate_ratio(const struct pi_deflate *z);

#endif
