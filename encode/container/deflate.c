/* SPDX-License-Identifier: MIT */
/* deflate.c - compression of records through libzstd. */
#define ZSTD_STATIC_LINKING_ONLY /* for ZSTD_customMem: all memory comes from the caller's allocator */
#include "deflate.h"
#include "src/schema/fail.h"
#include "src/support/memory.h"
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

/* A frame header has 18 bytes at most, the header of a block 3; a flush ends one block. */
_Static_assert(ZSTD_COMPRESSBOUND(PI_DEFLATE_INPUT) + 18 + 2 * 3 <= PI_DEFLATE_OUTPUT,
               "a chunk fits in a record");
_Static_assert(PI_DEFLATE_INPUT <= PI_DEFLATE_MMAP_LEN && PI_DEFLATE_MMAP_LEN % 65536 == 0,
               "a chunk fits in mmap_len");

static void *zstd_alloc(void *user, size_t size)
{
    return pi_resize(user, NULL, size);
}

static void zstd_free(void *user, void *p)
{
    pi_release(user, p);
}

/*
 * The tables of the highest levels, which a file may ask for, would take hundreds of MiB; made smaller, they
 * take up to 27, and chunks of 64 KiB gain little from larger ones.
 */
static bool set_level(const struct pi_deflate *z)
{
    static const struct {
        ZSTD_cParameter what;
        int most;
    } limits[] = {{ZSTD_c_windowLog, 21}, {ZSTD_c_hashLog, 21}, {ZSTD_c_chainLog, 22}};
    const ZSTD_compressionParameters own = ZSTD_getCParams(z->level, 0, 0);
    const unsigned logs[] = {own.windowLog, own.hashLog, own.chainLog};
    bool ok = !ZSTD_isError(ZSTD_CCtx_setParameter(z->ctx, ZSTD_c_compressionLevel, z->level));
    for (size_t i = 0; i < 3; i++)
        if (logs[i] > (unsigned)limits[i].most)
            ok = ok && !ZSTD_isError(ZSTD_CCtx_setParameter(z->ctx, limits[i].what, limits[i].most));
    return ok;
}

struct ZSTD_CCtx_s *pi_deflate_context(const struct pd_allocator *allocator)
{
    /* libzstd wants to write through the pointer, our callers' allocator is constant */
    union {
        const struct pd_allocator *from;
        void *to;
    } user = {allocator};
    const ZSTD_customMem memory = {zstd_alloc, zstd_free, user.to};
    return ZSTD_createCCtx_advanced(memory);
}

enum pd_code pi_deflate_start(struct pi_deflate *z, const struct pd_allocator *allocator, int level,
                              struct pd_error *error)
{
    *z = (struct pi_deflate){.allocator = allocator, .level = level};
    if (z->level > ZSTD_maxCLevel())
        z->level = ZSTD_maxCLevel();
    if (z->level < 1)
        z->level = PI_DEFLATE_LEVEL;
    z->ctx = pi_deflate_context(allocator);
    z->in = pi_resize(allocator, NULL, PI_DEFLATE_INPUT);
    z->out = pi_resize(allocator, NULL, PI_DEFLATE_OUTPUT);
    if (z->ctx && z->in && z->out && set_level(z))
        return PD_OK;
    pi_deflate_free(z);
    return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "zstd", 0, PI_DEFLATE_OUTPUT);
}

void pi_deflate_free(struct pi_deflate *z)
{
    ZSTD_freeCCtx(z->ctx);
    pi_release(z->allocator, z->in);
    pi_release(z->allocator, z->out);
    *z = (struct pi_deflate){0};
}

size_t pi_deflate_take(struct pi_deflate *z, const void *bytes, size_t n)
{
    const size_t room = PI_DEFLATE_INPUT - z->n;
    n = n < room ? n : room;
    if (n)
        memcpy(z->in + z->n, bytes, n);
    z->n += n;
    z->framed += n;
    return n;
}

enum pd_code pi_deflate_chunk(struct pi_deflate *z, bool last, const uint8_t **p, size_t *n,
                              struct pd_error *error)
{
    ZSTD_inBuffer in = {z->in, z->n, 0};
    ZSTD_outBuffer out = {z->out, PI_DEFLATE_OUTPUT, 0};
    const size_t left = ZSTD_compressStream2(z->ctx, &out, &in, last ? ZSTD_e_end : ZSTD_e_flush);
    if (ZSTD_isError(left))
        return ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation
                   ? pi_fail(error, PD_ENOMEM, PD_NOWHERE, "zstd", 0, 0)
                   : pi_fail(error, PD_EZSTD, PD_NOWHERE, ZSTD_getErrorName(left), 0, 0);
    if (left || in.pos != in.size)
        return pi_fail(error, PD_EZSTD, PD_NOWHERE, "chunk too large", left, 0);
    z->taken += in.size;
    z->made += out.pos;
    z->n = 0;
    if (last)
        z->framed = 0;
    *p = z->out;
    *n = out.pos;
    return PD_OK;
}

uint32_t pi_deflate_ratio(const struct pi_deflate *z)
{
    return z->made ? (uint32_t)((z->taken + z->made / 2) / z->made) : 0;
}
