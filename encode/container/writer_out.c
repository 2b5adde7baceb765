/* SPDX-License-Identifier: MIT */
/*
 * writer_out.c - the output of a writer for all containers: to the sink, through the compression, and bytes
 * that wait for their place.
 */
#include "src/schema/fail.h"
#include "src/support/memory.h"
#include "src/support/wire.h"
#include "writer.h"

static inline enum pd_code put_bytes(struct pd_writer *w, const void *bytes, size_t n, struct pd_error *error)
{
    const int e = n ? w->sink.write(w->sink.user, bytes, n) : 0;
    w->broken |= e != 0;
    if (e)
        return pi_fail(error, PD_EOUT, w->at, NULL, (uint64_t)e, 0);
    w->at += n;
    return PD_OK;
}

/* ---- Compressed records */

/* A COMPRESSED or COMPRESSED2 record. */
static enum pd_code put_chunk(struct pd_writer *w, const uint8_t *p, size_t n, struct pd_error *error)
{
    static const uint8_t zeros[8];
    struct pd_record rec = {.type = w->options.compression};
    uint8_t bytes[UINT16_MAX];
    const struct pd_bytes chunk = {p, n};
    size_t size;
    if (rec.type == PD_RECORD_COMPRESSED) {
        rec.u.compressed.data = chunk;
    } else {
        rec.u.compressed2.data_size = chunk.n;
        rec.u.compressed2.data = chunk;
        rec.rest = (struct pd_bytes){zeros, pi_align8(chunk.n) - chunk.n};
    }
    const enum pd_code code = pd_record_encode(&w->attrs.none, &rec, bytes, sizeof bytes, &size, error);
    w->broken |= code != PD_OK;
    return code ? code : put_bytes(w, bytes, size, error);
}

/* Writes the next chunk of the press; *more: there was one. */
static enum pd_code put_pressed(struct pd_writer *w, bool *more, struct pd_error *error)
{
    struct pi_pressed next;
    const enum pd_code code = pi_press_take(w->press, &next, error);
    w->broken |= code != PD_OK;
    *more = !code && next.chunk.n;
    if (!*more)
        return code;
    if (next.plain)
        return put_bytes(w, next.chunk.ptr, next.chunk.n, error);
    w->deflate.taken += next.taken;
    w->deflate.made += next.chunk.n;
    return put_chunk(w, next.chunk.ptr, next.chunk.n, error);
}

/* Until the press has room for another chunk. */
static enum pd_code make_room(struct pd_writer *w, struct pd_error *error)
{
    bool more;
    enum pd_code code = PD_OK;
    while (!code && !pi_press_has_room(w->press))
        code = put_pressed(w, &more, error);
    return code;
}

static enum pd_code give_press(struct pd_writer *w, bool last, struct pd_error *error)
{
    const enum pd_code code = make_room(w, error);
    if (!code)
        pi_press_give(w->press, &w->deflate, last);
    return code;
}

enum pd_code pi_writer_flush(struct pd_writer *w, bool last, struct pd_error *error)
{
    struct pd_bytes chunk;
    if (w->deflate.n == 0)
        return PD_OK;
    if (w->press)
        return give_press(w, last, error);
    const enum pd_code code = pi_deflate_chunk(&w->deflate, last, &chunk.ptr, &chunk.n, error);
    w->broken |= code != PD_OK;
    return code ? code : put_chunk(w, chunk.ptr, chunk.n, error);
}

enum pd_code pi_writer_drain(struct pd_writer *w, struct pd_error *error)
{
    bool more = w->press != NULL;
    enum pd_code code = PD_OK;
    while (!code && more)
        code = put_pressed(w, &more, error);
    return code;
}

enum pd_code pi_writer_between(struct pd_writer *w, const struct pd_record *rec, struct pd_error *error)
{
    enum pd_code code = pi_writer_flush(w, false, error);
    if (!code && rec->size > PI_DEFLATE_INPUT)
        return pi_writer_emit(w, rec->raw, rec->size, error);
    if (!code)
        code = make_room(w, error);
    if (!code)
        pi_press_give_plain(w->press, rec->raw, rec->size);
    return code;
}

/* ---- Other bytes */

__attribute__((noinline)) static enum pd_code put_behind(struct pd_writer *w, const void *bytes, size_t n,
                                                         struct pd_error *error)
{
    const enum pd_code code = pi_writer_drain(w, error);
    return code ? code : put_bytes(w, bytes, n, error);
}

enum pd_code pi_writer_emit(struct pd_writer *w, const void *bytes, size_t n, struct pd_error *error)
{
    return w->press ? put_behind(w, bytes, n, error) : put_bytes(w, bytes, n, error);
}

enum pd_code pi_writer_zeros(struct pd_writer *w, uint64_t n, struct pd_error *error)
{
    static const uint8_t zeros[512];
    enum pd_code code = PD_OK;
    for (; !code && n; n -= n < sizeof zeros ? n : sizeof zeros)
        code = pi_writer_emit(w, zeros, n < sizeof zeros ? (size_t)n : sizeof zeros, error);
    return code;
}

void pi_writer_compressed_feature(const struct pd_writer *w, uint8_t bytes[PI_COMPRESSED_FEATURE_BYTES])
{
    /* version, which perf leaves 0; type: zstd; level; ratio; mmap_len */
    const uint32_t words[] = {0, 1, (uint32_t)w->deflate.level, pi_deflate_ratio(&w->deflate),
                              PI_DEFLATE_MMAP_LEN};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        pi_store32(bytes + 4 * i, words[i], w->options.order);
}

/* ---- Features that wait */

void pi_writer_drop_held(struct pd_writer *w)
{
    for (size_t i = 0; i < w->n_held; i++)
        pi_release(w->allocator, w->held[i].bytes);
    w->n_held = 0;
    w->held_bytes = 0;
    w->holding = false;
}

static int by_feature(const void *a, const void *b)
{
    const struct pi_held *x = a, *y = b;
    return (x->feature > y->feature) - (x->feature < y->feature);
}

void pi_writer_sort_held(struct pd_writer *w)
{
    size_t n = 0;
    for (size_t i = 0; i < w->n_held; i++)
        if (w->deflate.ctx && w->held[i].feature == PD_FEAT_COMPRESSED)
            pi_release(w->allocator, w->held[i].bytes);
        else
            w->held[n++] = w->held[i];
    w->n_held = n;
    if (n)
        qsort(w->held, n, sizeof *w->held, by_feature);
}
