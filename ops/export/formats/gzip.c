/* SPDX-License-Identifier: MIT */
/* gzip.c - see gzip.h. */
#include "gzip.h"
#include "src/schema/fail.h"
#include "src/support/wrap.h"
#include <string.h>

static void write_bytes(struct pi_gzip *z, const void *bytes, size_t n)
{
    if (!z->failed)
        z->failed = z->sink->write(z->sink->user, bytes, n);
}

static void make_table(uint32_t table[256])
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (unsigned bit = 0; bit < 8; bit++)
            c = c & 1 ? c >> 1 ^ UINT32_C(0xedb88320) : c >> 1;
        table[i] = c;
    }
}

void pi_gzip_open(struct pi_gzip *z, const struct pd_sink *sink)
{
    static const uint8_t header[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
    z->sink = sink;
    z->crc = UINT32_MAX;
    z->size = 0;
    z->n = 0;
    z->failed = 0;
    make_table(z->table);
    write_bytes(z, header, sizeof header);
}

static void write_block(struct pi_gzip *z, bool last)
{
    const uint16_t n = (uint16_t)z->n, inverse = (uint16_t)~n;
    const uint8_t head[] = {last, (uint8_t)n, (uint8_t)(n >> 8), (uint8_t)inverse, (uint8_t)(inverse >> 8)};
    write_bytes(z, head, sizeof head);
    write_bytes(z, z->block, z->n);
    z->n = 0;
}

PI_WRAPS void pi_gzip_put(struct pi_gzip *z, const void *bytes, size_t n)
{
    const uint8_t *from = bytes;
    z->size += (uint32_t)n;
    for (size_t i = 0; i < n; i++) {
        z->crc = z->table[(uint8_t)(z->crc ^ from[i])] ^ z->crc >> 8;
        z->block[z->n++] = from[i];
        if (z->n == sizeof z->block)
            write_block(z, false);
    }
}

enum pd_code pi_gzip_close(struct pi_gzip *z, struct pd_error *error)
{
    const uint32_t ends[] = {~z->crc, z->size};
    uint8_t tail[8];
    for (size_t i = 0; i < 8; i++)
        tail[i] = (uint8_t)(ends[i / 4] >> 8 * (i % 4));
    write_block(z, true);
    write_bytes(z, tail, sizeof tail);
    return z->failed ? pi_fail(error, PD_EOUT, PD_NOWHERE, "output", (uint64_t)z->failed, 0) : PD_OK;
}
