/* SPDX-License-Identifier: MIT */
/*
 * wrap.h - unsigned arithmetic that is meant to wrap; any other that does is reported by the preset
 * "integer".
 */
#ifndef PERFDATA_WRAP_H
#define PERFDATA_WRAP_H

#include <stdint.h>

/*
 * Before a function whose products and sums wrap: a hash, a generator of random numbers, a sum with its
 * carry.
 */
#ifdef __clang__
#define PI_WRAPS __attribute__((no_sanitize("unsigned-integer-overflow")))
#else
#define PI_WRAPS
#endif

/* -n in two's complement. */
static inline uint64_t pi_negated(uint64_t n)
{
    return n ? ~n + 1 : 0;
}

#endif
