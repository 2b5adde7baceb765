/* SPDX-License-Identifier: MIT */
/*
 * random_values.h - attrs, records and feature sections of random but valid values, for tests, fuzzing and
 * synthetic recordings. The same seed gives the same values on every machine.
 *
 * A value follows from the seed and from names, not from its place in the schema: that of a record, of the
 * field, and those it chooses from. So a line added to the schema changes no other value, but for what
 * depends on places: a size that is made a multiple of 8, and the room that is left up to 65535 bytes.
 */
#ifndef PERFDATA_RANDOM_VALUES_H
#define PERFDATA_RANDOM_VALUES_H

#include "src/support/wrap.h"
#include <perfdata/attr.h>
#include <perfdata/codec.h>
#include <perfdata/feature.h>

/* The generator's state is the seed at first; any number will do. */
struct pi_rng {
    uint64_t state;
};

/* 64 random bits: a counter, scrambled by two multiplications (splitmix64). */
PI_WRAPS static inline uint64_t pi_rng_next(struct pi_rng *rng)
{
    uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* 0…n-1; n must not be 0. The bias is far below what matters here. */
static inline uint64_t pi_rng_below(struct pi_rng *rng, uint64_t n)
{
    return pi_rng_next(rng) % n;
}

static inline size_t pi_rng_size(struct pi_rng *rng, size_t n)
{
    return (size_t)pi_rng_below(rng, n);
}

/* True once in n times. */
static inline bool pi_rng_one_in(struct pi_rng *rng, uint64_t n)
{
    return pi_rng_below(rng, n) == 0;
}

/* The numbers that belong to a name; those of each seed and name are others. */
PI_WRAPS static inline struct pi_rng pi_rng_named(uint64_t seed, const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (; name && *name; name++)
        hash = (hash ^ (uint8_t)*name) * UINT64_C(0x100000001b3);
    return (struct pi_rng){seed ^ hash};
}

/*
 * What a name scores in a choice among several: the highest score wins, so that one more name changes nothing
 * else.
 */
static inline uint64_t pi_rng_score(uint64_t seed, const char *name)
{
    struct pi_rng rng = pi_rng_named(seed, name);
    return pi_rng_next(&rng);
}

/* Memory that what is made points to: the caller's, taken from the front. */
struct pi_arena {
    uint8_t *ptr;
    size_t left;
};

/* Enough for any one record, attr or feature. */
#define PI_RANDOM_ARENA (256 * 1024)

/* Each of the following draws one number from `rng`. */

/* A value of `width` bytes: edge values often, unknown enumerators at times, unknown flags never. */
uint64_t pi_random_value(struct pi_rng *rng, const struct pd_set *set, unsigned width);

/* An attr of a published size or a larger one, for pd_attr_encode(). False: the arena is too small. */
bool pi_random_attr(struct pi_rng *rng, struct pi_arena *arena, struct pd_attr *attr);

/*
 * A record of the type that pd_record_encode() takes and pd_record_decode() gives back as it was: counts
 * agree, variants are those the type allows and can be told apart. It is at most 65535 bytes; sizes are
 * mostly multiples of 8. Bytes that follow a record outside of its size (AUXTRACE) are announced but not
 * made. The plan must outlive the record and have no unknown bits. False: the arena is too small.
 */
bool pi_random_record(const struct pd_plan *plan, uint32_t type, struct pi_rng *rng, struct pi_arena *arena,
                      struct pd_record *rec);

/* The same, but what has any size in it, lists and strings, takes at most `most` bytes. */
bool pi_random_small_record(const struct pd_plan *plan, uint32_t type, size_t most, struct pi_rng *rng,
                            struct pi_arena *arena, struct pd_record *rec);

/*
 * A feature section that pd_feature_encode() takes and pd_feature_decode(), given the same number of cpus,
 * gives back as it was; of a number that the schema does not have, some bytes. False: the arena is too small.
 */
bool pi_random_feature(struct pi_rng *rng, struct pi_arena *arena, uint32_t id, uint32_t nr_cpus_avail,
                       struct pd_feature *f);

/*
 * A value of any layout, of up to some 20,000 bytes, in the zeroed struct at `value`. False: the arena is too
 * small.
 */
bool pi_random_parts(struct pi_rng *rng, struct pi_arena *arena, const struct pd_shape *shape,
                     const struct pd_op *layout, void *value);

#endif
