/* SPDX-License-Identifier: MIT */
/* inflate.c - decompression of COMPRESSED records through libzstd. */
#define ZSTD_STATIC_LINKING_ONLY /* for ZSTD_customMem: all memory comes from the caller's allocator */
#include "inflate.h"
#include "codec_internal.h"
#include "memory.h"
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#define BUFFER ((size_t)256 << 10) /* what is left of a record, and as much output again */

static void *zstd_alloc(void *user, size_t size)
{
    return pd_resize(user, NULL, size);
}

static void zstd_free(void *user, void *p)
{
    pd_release(user, p);
}

void pd_inflate_init(struct pd_inflate *z, const struct pd_allocator *allocator, uint64_t limit)
{
    *z = (struct pd_inflate){.allocator = allocator, .limit = limit};
}

void pd_inflate_free(struct pd_inflate *z)
{
    ZSTD_freeDCtx(z->ctx);
    pd_release(z->allocator, z->buf);
    pd_release(z->allocator, z->in);
}

void pd_inflate_reset(struct pd_inflate *z)
{
    if (z->ctx)
        ZSTD_DCtx_reset(z->ctx, ZSTD_reset_session_only);
    z->start = z->end = z->in_n = z->in_at = 0;
    z->position = z->produced = 0;
    z->full = z->broken = false;
}

void pd_inflate_break(struct pd_inflate *z)
{
    z->broken = true;
    z->full = false;
    z->start = z->end = z->in_n = z->in_at = 0;
}

static enum pd_code start(struct pd_inflate *z, struct pd_error *error)
{
    /* libzstd wants to write through the pointer, our callers' allocator is constant */
    union { const struct pd_allocator *from; void *to; } user = {z->allocator};
    const ZSTD_customMem memory = {zstd_alloc, zstd_free, user.to};
    if (z->ctx == NULL)
        z->ctx = ZSTD_createDCtx_advanced(memory);
    if (z->buf == NULL)
        z->buf = pd_resize(z->allocator, NULL, BUFFER);
    if (z->in == NULL)
        z->in = pd_resize(z->allocator, NULL, UINT16_MAX);
    if (z->ctx && z->buf && z->in)
        return PD_OK;
    return pd_fail(error, PD_ENOMEM, z->offset, "zstd", 0, BUFFER);
}

enum pd_code pd_inflate_chunk(struct pd_inflate *z, const uint8_t *chunk, size_t n, uint64_t offset,
                              struct pd_error *error)
{
    static const uint8_t magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
    enum pd_code code = start(z, error);
    if (code)
        return code;
    /* A frame may start although the one before did not end; no block inside a frame begins like this. */
    if (n >= sizeof magic && memcmp(chunk, magic, sizeof magic) == 0) {
        ZSTD_DCtx_reset(z->ctx, ZSTD_reset_session_only);
        z->broken = false;
    }
    memcpy(z->in, chunk, n);
    z->in_n = z->broken ? 0 : n;
    z->in_at = 0;
    z->produced = 0;
    z->full = false;
    z->offset = offset;
    return PD_OK;
}

/* One call of libzstd. */
static enum pd_code step(struct pd_inflate *z, struct pd_error *error)
{
    ZSTD_inBuffer in = {z->in, z->in_n, z->in_at};
    ZSTD_outBuffer out = {z->buf, BUFFER, z->end};
    const size_t result = ZSTD_decompressStream(z->ctx, &out, &in);
    if (ZSTD_isError(result)) {
        pd_inflate_break(z);
        return ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation
                   ? pd_fail(error, PD_ENOMEM, z->offset, "zstd", 0, 0)
                   : pd_fail(error, PD_EZSTD, z->offset, ZSTD_getErrorName(result), 0, 0);
    }
    z->in_at = in.pos;
    z->produced += out.pos - z->end;
    z->end = out.pos;
    z->full = out.pos == out.size;
    if (z->produced <= z->limit)
        return PD_OK;
    const uint64_t produced = z->produced;
    pd_inflate_break(z);
    return pd_fail(error, PD_ELIMIT, z->offset, "decompressed size", produced, z->limit);
}

enum pd_code pd_inflate_at(struct pd_inflate *z, size_t n, const uint8_t **p, size_t *got, struct pd_error *error)
{
    enum pd_code code = PD_OK;
    while (!code && z->end - z->start < n && (z->in_at < z->in_n || z->full)) {
        memmove(z->buf, z->buf + z->start, z->end - z->start);
        z->end -= z->start;
        z->start = 0;
        code = step(z, error);
    }
    *p = z->buf + z->start;
    *got = z->end - z->start;
    return code;
}

void pd_inflate_take(struct pd_inflate *z, size_t n)
{
    z->start += n;
    z->position += n;
}
