/* SPDX-License-Identifier: MIT */
/*
 * inflate.h - the records inside COMPRESSED and COMPRESSED2: chunks of one zstd stream, decompressed a piece
 * at a time into a small buffer. A record may begin in one chunk and end in a later one.
 */
#ifndef PERFDATA_INFLATE_H
#define PERFDATA_INFLATE_H

#include <perfdata/error.h>

struct ZSTD_DCtx_s;

/*
 * The bytes of a chunk that another inflater has decompressed, a piece at a time: *n is 0 at its end, and
 * *hint as below; or the error of that inflater, which has made *n more bytes.
 */
struct pi_inflated {
    enum pd_code (*next)(void *user, const uint8_t **p, size_t *n, size_t *hint, struct pd_error *error);
    void *user;
};

struct pi_inflate {
    const struct pd_allocator *allocator;
    struct ZSTD_DCtx_s *ctx;
    uint8_t *buf;
    size_t start, end; /* decompressed bytes that were not taken yet */
    uint8_t *in;       /* the chunk, a copy */
    size_t in_n, in_at;
    uint64_t offset;     /* of the chunk's record in the file */
    uint64_t position;   /* of buf[start] in the decompressed stream */
    uint64_t produced;   /* bytes that came out of this chunk */
    uint64_t limit;      /* for `produced` */
    uint64_t max_window; /* largest window of a frame, in bytes; 0: 128 MiB */
    size_t frame_at;     /* where in the chunk the frame began; SIZE_MAX: in an earlier chunk */
    size_t cut;          /* see pi_inflate_chunk() */
    size_t hint;         /* bytes that libzstd needs for the next block; 0: between frames */
    bool full;           /* the last step filled the buffer: more may be waiting */
    bool broken;         /* the stream was damaged; chunks are skipped up to the next frame */
    uint64_t passed;     /* chunks skipped since; set to 0 by the caller that reports them */
    struct pi_inflated
        given; /* the current chunk, and of it the bytes that are not in buf; next NULL: none */
    const uint8_t *given_at;
    size_t given_n;
};

void pi_inflate_init(struct pi_inflate *z, const struct pd_allocator *allocator, uint64_t limit);
void pi_inflate_free(struct pi_inflate *z);
/* Drops all state: back to the start of the stream. */
void pi_inflate_reset(struct pi_inflate *z);

/* Skips this chunk and all others up to the start of a new frame: the stream is damaged. */
void pi_inflate_break(struct pi_inflate *z);

/* True if what follows needs what was read: in the middle of a frame, or of a record. */
bool pi_inflate_is_open(const struct pi_inflate *z);

/* True if the begin of a record is there, when its chunk has given all: its rest may come in the next one. */
static inline bool pi_inflate_holds_begin(const struct pi_inflate *z)
{
    return !z->broken && z->start != z->end;
}

/* Every frame, and so the chunk that starts one, begins with these bytes. */
#define PI_ZSTD_MAGIC "\x28\xb5\x2f\xfd"
/* The chunk starts one: what follows needs nothing before it. */
bool pi_inflate_restarts(const uint8_t *chunk, size_t n);

/*
 * Gives the next chunk, of at most 65,535 bytes; it is copied. If it begins a frame although the previous one
 * did not end, an incomplete record is dropped, and `cut` receives its length so far.
 */
enum pd_code pi_inflate_chunk(struct pi_inflate *z, const uint8_t *chunk, size_t n, uint64_t offset,
                              struct pd_error *error);
/* The same, decompressed by another that was given all chunks of this frame. */
enum pd_code pi_inflate_given(struct pi_inflate *z, const uint8_t *chunk, size_t n, uint64_t offset,
                              const struct pi_inflated *given, struct pd_error *error);

/*
 * Makes n bytes (65,535 at most) of the decompressed stream visible at *p, if the chunks given so far have
 * them; *got may be less or more. Bytes before damage or the limit are given before the error. PD_EZSTD: the
 * chunk is damaged; PD_ELIMIT: it makes more bytes than allowed, or its frame needs too large a window.
 */
enum pd_code pi_inflate_at(struct pi_inflate *z, size_t n, const uint8_t **p, size_t *got,
                           struct pd_error *error);

/* Skips n of the visible bytes. */
void pi_inflate_take(struct pi_inflate *z, size_t n);

#endif
