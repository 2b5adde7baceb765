/* SPDX-License-Identifier: MIT */
/* seeded.h - numbers that can be had again: PERFDATA_SEED gives the seed, PERFDATA_ITERATIONS how often. */
#ifndef PERFDATA_TESTS_SEEDED_H
#define PERFDATA_TESTS_SEEDED_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct rng {
    uint64_t state;
};

/* splitmix64 */
static inline uint64_t rng_next(struct rng *r)
{
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* 0 … n-1 */
static inline uint64_t rng_below(struct rng *r, uint64_t n)
{
    return rng_next(r) % n;
}

static inline bool rng_one_in(struct rng *r, uint64_t n)
{
    return rng_below(r, n) == 0;
}

static inline uint64_t random_setting(const char *name, uint64_t otherwise)
{
    const char *s = getenv(name);
    return s && *s ? strtoull(s, NULL, 0) : otherwise;
}

static inline uint64_t random_seed(void)
{
    return random_setting("PERFDATA_SEED", 1);
}

static inline uint64_t random_iterations(uint64_t otherwise)
{
    return random_setting("PERFDATA_ITERATIONS", otherwise);
}

#endif
