/* SPDX-License-Identifier: MIT */
/* inflate.c - decompression of COMPRESSED records through libzstd. */
#define ZSTD_STATIC_LINKING_ONLY /* for ZSTD_customMem: all memory comes from the caller's allocator */
#include "inflate.h"
#include "src/schema/fail.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#define BUFFER ((size_t)256 << 10) /* the rest of a record, and as much output again */
#define BLOCK_HEADER ((size_t)3)
static void *zstd_alloc(void *user, size_t size)
{
    return pi_resize(user, NULL, size);
}

static void zstd_free(void *user, void *p)
{
    pi_release(user, p);
}

void pi_inflate_init(struct pi_inflate *z, const struct pd_allocator *allocator, uint64_t limit)
{
    *z = (struct pi_inflate){.allocator = allocator, .limit = limit};
}

void pi_inflate_free(struct pi_inflate *z)
{
    ZSTD_freeDCtx(z->ctx);
    pi_release(z->allocator, z->buf);
    pi_release(z->allocator, z->in);
}

void pi_inflate_reset(struct pi_inflate *z)
{
    if (z->ctx)
        ZSTD_DCtx_reset(z->ctx, ZSTD_reset_session_only);
    z->start = z->end = z->in_n = z->in_at = 0;
    z->position = z->produced = z->passed = 0;
    z->hint = z->cut = 0;
    z->full = z->broken = false;
    z->given.next = NULL;
}

void pi_inflate_break(struct pi_inflate *z)
{
    z->broken = true;
    z->full = false;
    z->given.next = NULL;
    z->position += z->end - z->start;
    z->start = z->end = z->in_n = z->in_at = 0;
}

bool pi_inflate_is_open(const struct pi_inflate *z)
{
    return z->hint || z->start != z->end;
}

static uint64_t max_window(const struct pi_inflate *z)
{
    return z->max_window ? z->max_window : PI_LIMIT_ZSTD_WINDOW;
}

/* The limit as libzstd takes it: a logarithm, within the supported range. */
static int window_log(const struct pi_inflate *z)
{
    const ZSTD_bounds bounds = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax);
    const int log = 63 - __builtin_clzll(max_window(z));
    return log < bounds.lowerBound ? bounds.lowerBound : log > bounds.upperBound ? bounds.upperBound : log;
}

static enum pd_code start_context(struct pi_inflate *z, struct pd_error *error)
{
    /* libzstd takes a pointer that is not const, our callers' allocator is const */
    union {
        const struct pd_allocator *from;
        void *to;
    } user = {z->allocator};
    const ZSTD_customMem memory = {zstd_alloc, zstd_free, user.to};
    if (z->ctx == NULL && (z->ctx = ZSTD_createDCtx_advanced(memory)) != NULL)
        ZSTD_DCtx_setParameter(z->ctx, ZSTD_d_windowLogMax, window_log(z));
    if (z->in == NULL)
        z->in = pi_resize(z->allocator, NULL, UINT16_MAX);
    return z->ctx && z->in ? PD_OK : pi_fail(error, PD_ENOMEM, z->offset, "zstd", 0, BUFFER);
}

static enum pd_code start_buffer(struct pi_inflate *z, struct pd_error *error)
{
    if (z->buf == NULL)
        z->buf = pi_resize(z->allocator, NULL, BUFFER);
    return z->buf ? PD_OK : pi_fail(error, PD_ENOMEM, z->offset, "zstd", 0, BUFFER);
}

/* A frame begins, whether or not the one before has ended. */
static void restart(struct pi_inflate *z)
{
    if (z->hint) {
        z->cut = z->end - z->start;
        z->position += z->cut;
        z->start = z->end = 0;
    }
    if (z->ctx)
        ZSTD_DCtx_reset(z->ctx, ZSTD_reset_session_only);
    z->hint = 0;
    z->broken = false;
}

bool pi_inflate_restarts(const uint8_t *chunk, size_t n)
{
    return n >= 4 && memcmp(chunk, PI_ZSTD_MAGIC, 4) == 0;
}

static void begin_chunk(struct pi_inflate *z, const uint8_t *chunk, size_t n)
{
    z->cut = 0;
    /* A frame may start although the one before did not end; no block inside a frame begins like this. */
    if (pi_inflate_restarts(chunk, n))
        restart(z);
    z->passed += z->broken;
    z->in_n = z->in_at = 0;
    z->frame_at = SIZE_MAX;
    z->produced = 0;
    z->full = false;
    z->given.next = NULL;
}

enum pd_code pi_inflate_chunk(struct pi_inflate *z, const uint8_t *chunk, size_t n, uint64_t offset,
                              struct pd_error *error)
{
    z->offset = offset;
    enum pd_code code = start_context(z, error);
    if (!code)
        code = start_buffer(z, error);
    if (code) {
        pi_inflate_break(z); /* what follows cannot be read without this chunk */
        return code;
    }
    begin_chunk(z, chunk, n);
    memcpy(z->in, chunk, n);
    z->in_n = z->broken ? 0 : n;
    return PD_OK;
}

enum pd_code pi_inflate_given(struct pi_inflate *z, const uint8_t *chunk, size_t n, uint64_t offset,
                              const struct pi_inflated *given, struct pd_error *error)
{
    z->offset = offset;
    const enum pd_code code = start_buffer(z, error);
    if (code) {
        pi_inflate_break(z);
        return code;
    }
    begin_chunk(z, chunk, n);
    z->given_n = 0;
    if (!z->broken)
        z->given = *given;
    return PD_OK;
}

/*
 * The window size of the frame that begins in this chunk; 0: unknown. libzstd does not tell the size of the
 * largest.
 */
static uint64_t wanted_window(const struct pi_inflate *z)
{
    ZSTD_frameHeader header = {0};
    const size_t left = z->frame_at < z->in_n ? z->in_n - z->frame_at : 0;
    const uint8_t *p = z->in + (left ? z->frame_at : 0);
    if (left && ZSTD_getFrameHeader(&header, p, left) == 0)
        return header.windowSize;
    if (left < 6)
        return 0;
    const uint64_t base = UINT64_C(1) << (10 + (p[5] >> 3));
    return base + base / 8 * (p[5] & 7);
}

static enum pd_code zstd_error(struct pi_inflate *z, size_t result, struct pd_error *error)
{
    const ZSTD_ErrorCode code = ZSTD_getErrorCode(result);
    const uint64_t window = code == ZSTD_error_frameParameter_windowTooLarge ? wanted_window(z) : 0;
    if (code == ZSTD_error_memory_allocation)
        return pi_fail(error, PD_ENOMEM, z->offset, "zstd", 0, 0);
    if (window)
        return pi_fail(error, PD_ELIMIT, z->offset, "window of the zstd frame", window, max_window(z));
    /* Which of these it is depends on the buffer that earlier frames left in the context. */
    const char *name = code == ZSTD_error_dstSize_tooSmall
                           ? ZSTD_getErrorString(ZSTD_error_corruption_detected)
                           : ZSTD_getErrorName(result);
    return pi_fail(error, PD_EZSTD, z->offset, name, 0, 0);
}

/*
 * Bytes of input for one call: a frame's start, or one block's header or body. The hint adds the next header
 * to a body.
 */
static size_t bite(const struct pi_inflate *z)
{
    const size_t start = ZSTD_FRAMEHEADERSIZE_MIN(ZSTD_f_zstd1), left = z->in_n - z->in_at;
    const size_t want = z->hint == 0 ? start : z->hint > BLOCK_HEADER ? z->hint - BLOCK_HEADER : z->hint;
    return want < left ? want : left;
}

/*
 * One call of libzstd. The output of a failing call is lost, so each call gets one block; and at the limit,
 * room for one byte, which shows whether there is more.
 */
static enum pd_code step(struct pi_inflate *z, struct pd_error *error)
{
    const uint64_t allowed = z->limit - z->produced ? z->limit - z->produced : 1;
    const size_t room = allowed < BUFFER - z->end ? (size_t)allowed : BUFFER - z->end;
    ZSTD_inBuffer in = {z->in, z->in_at + bite(z), z->in_at};
    ZSTD_outBuffer out = {z->buf, z->end + room, z->end};
    if (z->hint == 0)
        z->frame_at = z->in_at;
    const size_t result = ZSTD_decompressStream(z->ctx, &out, &in);
    if (ZSTD_isError(result)) {
        const enum pd_code code = zstd_error(z, result, error);
        pi_inflate_break(z);
        return code;
    }
    z->hint = result;
    z->in_at = in.pos;
    z->produced += out.pos - z->end;
    z->end = out.pos;
    z->full = out.pos == out.size;
    if (z->produced <= z->limit)
        return PD_OK;
    const uint64_t produced = z->produced;
    pi_inflate_break(z);
    return pi_fail(error, PD_ELIMIT, z->offset, "decompressed size", produced, z->limit);
}

/* Takes bytes that another inflater has made. */
static enum pd_code step_given(struct pi_inflate *z, struct pd_error *error)
{
    enum pd_code code = PD_OK;
    if (z->given_n == 0)
        code = z->given.next(z->given.user, &z->given_at, &z->given_n, &z->hint, error);
    if (code) {
        pi_inflate_break(z);
        z->position += z->given_n;
        return code;
    }
    if (z->given_n == 0)
        z->given.next = NULL;
    const size_t n = z->given_n < BUFFER - z->end ? z->given_n : BUFFER - z->end;
    memcpy(z->buf + z->end, z->given_at, n);
    z->end += n;
    z->given_at += n;
    z->given_n -= n;
    return PD_OK;
}

enum pd_code pi_inflate_at(struct pi_inflate *z, size_t n, const uint8_t **p, size_t *got,
                           struct pd_error *error)
{
    enum pd_code code = PD_OK;
    while (!code && z->end - z->start < n && (z->in_at < z->in_n || z->full || z->given.next)) {
        memmove(z->buf, z->buf + z->start, z->end - z->start);
        z->end -= z->start;
        z->start = 0;
        code = z->given.next ? step_given(z, error) : step(z, error);
    }
    *p = z->buf + z->start;
    *got = z->end - z->start;
    return code;
}

void pi_inflate_take(struct pi_inflate *z, size_t n)
{
    z->start += n;
    z->position += n;
}
