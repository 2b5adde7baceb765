/* SPDX-License-Identifier: MIT */
/* ids.h - from 64-bit numbers (event ids, hashes, …) to others: open addressing, at most half full. */
#ifndef PERFDATA_IDS_H
#define PERFDATA_IDS_H

#include "keyed.h"
#include <perfdata/base.h>

/* All zeros but the allocator: empty. */
struct pd_ids {
    const struct pd_allocator *allocator;
    struct pd_ids_slot {
        uint64_t id, value;
        bool used;
    } * slots;
    size_t size, n;
    struct pd_key key;
};

/* False: it has no value. `value` may be NULL. */
bool pd_ids_get(const struct pd_ids *m, uint64_t id, uint64_t *value);
bool pd_ids_set(struct pd_ids *m, uint64_t id, uint64_t value); /* false: no memory */
void pd_ids_free(struct pd_ids *m);

#endif
