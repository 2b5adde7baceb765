/* SPDX-License-Identifier: MIT */
/* gzip.h - a gzip file whose blocks are stored, not compressed (RFC 1952, RFC 1951 3.2.4): no library. */
#ifndef PERFDATA_GZIP_H
#define PERFDATA_GZIP_H

#include <perfdata/writer.h>

struct pi_gzip {
    const struct pd_sink *sink;
    uint32_t crc, size;
    size_t n;
    int failed; /* errno */
    uint32_t table[256];
    uint8_t block[32768];
};

/* Writes the header. */
void pi_gzip_open(struct pi_gzip *z, const struct pd_sink *sink);
void pi_gzip_put(struct pi_gzip *z, const void *bytes, size_t n);
/* Writes the rest. PD_EOUT if the sink failed. */
enum pd_code pi_gzip_close(struct pi_gzip *z, struct pd_error *error);

#endif
