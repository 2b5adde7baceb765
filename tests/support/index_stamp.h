/* SPDX-License-Identifier: MIT */
/* index_stamp.h - the checksum of an index (docs/INDEX.md) whose bytes a test has changed. */
#ifndef PERFDATA_TESTS_INDEX_STAMP_H
#define PERFDATA_TESTS_INDEX_STAMP_H

#define XXH_STATIC_LINKING_ONLY /* for XXH3_state_t, on the stack */
#include "ops/index/format.h"
#include <xxhash.h>

/* At least a header. */
static inline void index_stamp(uint8_t *bytes, size_t n)
{
    const size_t head = sizeof(struct pi_index_header);
    uint8_t *const sum = bytes + offsetof(struct pi_index_header, checksum);
    XXH3_state_t hash;
    XXH3_64bits_reset(&hash);
    pi_store64(sum, 0, PD_LITTLE);
    XXH3_64bits_update(&hash, bytes + head, n - head);
    XXH3_64bits_update(&hash, bytes, head);
    pi_store64(sum, XXH3_64bits_digest(&hash), PD_LITTLE);
}

#endif
