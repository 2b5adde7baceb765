/* SPDX-License-Identifier: MIT */
/*
 * seeded.h - reproducible random numbers: PERFDATA_SEED is the seed, PERFDATA_ITERATIONS the number of
 * trials. PERFDATA_TEST_EFFORT=full, in .ci/full, tries all cases of which others are tried in part.
 */
#ifndef PERFDATA_TESTS_SEEDED_H
#define PERFDATA_TESTS_SEEDED_H

#include "ops/gen/random_values.h" /* the generator itself */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline uint64_t random_setting(const char *name, uint64_t otherwise)
{
    const char *s = getenv(name);
    return s && *s ? strtoull(s, NULL, 0) : otherwise;
}

static inline uint64_t random_seed(void)
{
    return random_setting("PERFDATA_SEED", 1);
}

static inline bool asks_full_effort(void)
{
    const char *s = getenv("PERFDATA_TEST_EFFORT");
    return s && strcmp(s, "full") == 0;
}

static inline bool has_sanitizers(void)
{
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
    return true;
#endif
#endif
    return false;
}

/* Sanitizers are ten times slower: with them, full effort is what is usual without them. */
static inline bool full_effort(void)
{
    return asks_full_effort() && !has_sanitizers();
}

/* What is usual with sanitizers: a quarter of the trials. Runs without them compare the results of all. */
static inline bool hurried(void)
{
    return !asks_full_effort() && has_sanitizers();
}

/* Eight times as many trials with full effort. */
static inline uint64_t random_iterations(uint64_t usual)
{
    return random_setting("PERFDATA_ITERATIONS", full_effort() ? 8 * usual : usual);
}

#endif
