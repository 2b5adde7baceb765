/* SPDX-License-Identifier: MIT */
/*
 * inflate.h - the records inside COMPRESSED and COMPRESSED2: chunks of one zstd stream, decompressed a piece at a time
 * into a small buffer. A record may begin in one chunk and end in a later one.
 */
#ifndef PERFDATA_INFLATE_H
#define PERFDATA_INFLATE_H

#include <perfdata/error.h>

struct ZSTD_DCtx_s;

struct pd_inflate {
    const struct pd_allocator *allocator;
    struct ZSTD_DCtx_s *ctx;
    uint8_t *buf;
    size_t start, end;     /* decompressed bytes that were not taken yet */
    uint8_t *in;           /* the chunk, a copy */
    size_t in_n, in_at;
    uint64_t offset;       /* of the chunk's record in the file */
    uint64_t position;     /* of buf[start] in the decompressed stream */
    uint64_t produced;     /* bytes that came out of this chunk */
    uint64_t limit;        /* for `produced` */
    bool full;             /* the last step filled the buffer: more may be waiting */
    bool broken;           /* the stream was damaged; chunks are passed over up to the next frame */
};

void pd_inflate_init(struct pd_inflate *z, const struct pd_allocator *allocator, uint64_t limit);
void pd_inflate_free(struct pd_inflate *z);
/* Drops all state: back to the start of the stream. */
void pd_inflate_reset(struct pd_inflate *z);

/* Gives up this chunk and all up to the start of a new frame: the stream is damaged. */
void pd_inflate_break(struct pd_inflate *z);

/* Gives the next chunk, of at most 65,535 bytes; it is copied. */
enum pd_code pd_inflate_chunk(struct pd_inflate *z, const uint8_t *chunk, size_t n, uint64_t offset,
                              struct pd_error *error);

/*
 * Makes n bytes (65,535 at most) of the decompressed stream visible at *p, if the chunks given so far have them; *got may
 * be less or more. PD_EZSTD: the chunk is damaged; PD_ELIMIT: it makes more bytes than allowed.
 */
enum pd_code pd_inflate_at(struct pd_inflate *z, size_t n, const uint8_t **p, size_t *got, struct pd_error *error);

/* Passes over n of the visible bytes. */
void pd_inflate_take(struct pd_inflate *z, size_t n);

#endif
