/* SPDX-License-Identifier: MIT */
/*
 * zframe.h - zstd frames made by hand (RFC 8878): raw blocks, blocks of one repeated byte, and an invalid
 * one. Without libzstd, so that frames are possible which it would refuse to write.
 */
#ifndef PERFDATA_TESTS_ZFRAME_H
#define PERFDATA_TESTS_ZFRAME_H

#include "../../fuzz/image.h"

#define ZFRAME_BLOCK 131072 /* the largest content of one block */

/* A frame header without content size and checksum, whose window has 2^log bytes. */
static inline void zframe_start(struct image *im, unsigned log)
{
    image_bytes(im, "\x28\xb5\x2f\xfd\x00", 5);
    *image_room(im, 1) = (uint8_t)((log - 10) << 3);
}

static inline void zframe_block_header(struct image *im, unsigned type, size_t n, bool last)
{
    const uint32_t header = (uint32_t)n << 3 | type << 1 | last;
    for (unsigned i = 0; i < 3; i++)
        *image_room(im, 1) = (uint8_t)(header >> 8 * i);
}

static inline void zframe_raw(struct image *im, const void *bytes, size_t n, bool last)
{
    zframe_block_header(im, 0, n, last);
    image_bytes(im, bytes, n);
}

/* n times the same byte. */
static inline void zframe_repeat(struct image *im, uint8_t byte, size_t n, bool last)
{
    zframe_block_header(im, 1, n, last);
    image_bytes(im, &byte, 1);
}

/* A block of the reserved type. */
static inline void zframe_damage(struct image *im)
{
    zframe_block_header(im, 3, 5, false);
    image_zeros(im, 5);
}

#endif
