/* SPDX-License-Identifier: MIT */
/*
 * build_id.h - build ids as text: that of a mapping, from its record, or from a callback that knows the
 * recording's build ids.
 */
#ifndef PERFDATA_BUILD_ID_H
#define PERFDATA_BUILD_ID_H

#include "src/support/text_scan.h"
#include <perfdata/session/mappings.h>
#include <perfdata/reader.h>
#include <string.h>

/* The length of n digits without the zeros that some recordings have behind a build id of 16 bytes. */
static inline size_t pi_build_id_length(const char *id, size_t n)
{
    return n == 40 && memcmp(id + 32, "00000000", 8) == 0 ? 32 : n;
}

/* As in perfdata/ops/export.h. */
typedef size_t pi_build_id_finder(void *user, struct pd_reader *reader, const char *file, uint8_t id[20]);

/* Writes up to 40 hexadecimal digits, no NUL, and returns their number. ask: may be NULL. */
static inline size_t pi_mapping_build_id(const struct pd_mapping *mapping, struct pd_reader *reader,
                                         pi_build_id_finder *ask, void *user, char *to)
{
    uint8_t asked[20];
    char kernel[64]; /* its name without the symbol behind it */
    const uint8_t *id = mapping->build_id;
    size_t n = mapping->build_id_size;
    if (n == 0 && ask) {
        const bool is_kernel = mapping->kind == PD_MAPPING_KERNEL &&
                               pd_mapping_dso(mapping, kernel, sizeof kernel) < sizeof kernel;
        n = ask(user, reader, is_kernel ? kernel : mapping->file, asked);
        id = asked;
    }
    n = n < sizeof asked ? n : sizeof asked;
    pi_put_hex_bytes(to, id, n);
    return 2 * n;
}

#endif
