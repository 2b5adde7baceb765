/* SPDX-License-Identifier: MIT */
/* scale.h - a part of a 64-bit number, without a type of 128 bits, which machines of 32 bits lack. */
#ifndef PERFDATA_SCALE_H
#define PERFDATA_SCALE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * number * part / whole, rounded down; part must be at most `whole`, which is not 0. *exact, unless NULL:
 * there is no remainder. One step for each bit of the number.
 */
static inline uint64_t pi_scale(uint64_t number, uint64_t part, uint64_t whole, bool *exact)
{
    uint64_t quotient = 0, rest = 0;
    const bool all = part == whole;
    for (unsigned bits = number ? 64 - (unsigned)__builtin_clzll(number) : 0; !all && bits > 0; bits--) {
        /* Sums are compared with `whole` before they are made: they may have 65 bits. */
        const bool doubled = rest >= whole - rest;
        rest = doubled ? rest - (whole - rest) : 2 * rest;
        const bool set = number >> (bits - 1) & 1, added = set && part >= whole - rest;
        rest = added ? rest - (whole - part) : set ? rest + part : rest;
        quotient = 2 * quotient + doubled + added;
    }
    if (exact)
        *exact = rest == 0;
    return all ? number : quotient;
}

#endif
