/* SPDX-License-Identifier: MIT */
/*
 * keyed.h - keys of hash tables. The author of a recording chooses the ids, tids and names that are put into
 * them, and could choose values that all collide, which takes quadratic time. So each table draws a random
 * key: at once, or, for tables that each record uses and whose cost should not vary, when an entry is too far
 * from its place. No output may depend on the order of places.
 */
#ifndef PERFDATA_KEYED_H
#define PERFDATA_KEYED_H

#include "limits.h"
#include "wrap.h"
#include <stdbool.h>
#include <stddef.h>

struct pi_key {
    uint64_t before, between;
};

/* A key that nobody can predict. */
struct pi_key pi_key_draw(void);

/*
 * Of places that follow from no key, or from one that is not drawn yet: is it time to? In a table half full
 * of random numbers, each has a chance of 1 in 10^11 to stand so far away. */
static inline bool pi_key_due(const struct pi_key *key, size_t furthest)
{
    return furthest > PI_LIMIT_HASH_DISTANCE && key->before == 0 && key->between == 0;
}

/* A number for each x, one to one. The low bits are as good as any. */
PI_WRAPS static inline uint64_t pi_keyed(const struct pi_key *key, uint64_t x)
{
    x ^= key->before;
    x ^= (x << 25 | x >> 39) ^ (x << 47 | x >> 17); /* a product alone never brings a high bit down */
    x *= UINT64_C(0x7fb5d329728ea185);
    x ^= x >> 32 ^ key->between;
    x *= UINT64_C(0x81dadef4bc2dd44d);
    return x ^ x >> 29;
}

#endif
