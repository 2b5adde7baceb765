/* SPDX-License-Identifier: MIT */
/* seeded.h - numbers that can be had again: PERFDATA_SEED gives the seed, PERFDATA_ITERATIONS how often. */
#ifndef PERFDATA_TESTS_SEEDED_H
#define PERFDATA_TESTS_SEEDED_H

#include "random_values.h" /* the generator itself */
#include <stdlib.h>

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
