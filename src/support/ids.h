/* SPDX-License-Identifier: MIT */
/* ids.h - from 64-bit numbers (event ids, hashes, …) to others: open addressing, at most half full. */
#ifndef PERFDATA_IDS_H
#define PERFDATA_IDS_H

#include "keyed.h"
#include <perfdata/base.h>

/* All zeros but the allocator: empty. */
struct pi_ids {
    const struct pd_allocator *allocator;
    struct pi_ids_slot {
        uint64_t id, value;
        bool used;
    } * slots;
    size_t size, n;
    struct pi_key key;
};

/* False: it has no value. `value` may be NULL. */
bool pi_ids_get(const struct pi_ids *m, uint64_t id, uint64_t *value);
bool pi_ids_set(struct pi_ids *m, uint64_t id, uint64_t value); /* false: no memory */
void pi_ids_free(struct pi_ids *m);

#endif
