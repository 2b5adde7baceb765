/* SPDX-License-Identifier: MIT */
/* compiler.h - what gcc and clang have built in and Frama-C does not know. Included before everything. */
#ifndef PERFDATA_PROOF_COMPILER_H
#define PERFDATA_PROOF_COMPILER_H

#include <stdint.h>
#include <string.h>

#define _Alignas(n_)
#define CUT_HERE(...)
#define __builtin_bswap16 swapped16
#define __builtin_bswap32 swapped32
#define __builtin_bswap64 swapped64

/*@ assigns \nothing; */
static inline uint16_t swapped16(uint16_t v)
{
    return (uint16_t)((uint32_t)v << 8 | v >> 8);
}

/*@ assigns \nothing; */
static inline uint32_t swapped32(uint32_t v)
{
    return (uint32_t)swapped16((uint16_t)v) << 16 | swapped16((uint16_t)(v >> 16));
}

/*@ assigns \nothing; */
static inline uint64_t swapped64(uint64_t v)
{
    return (uint64_t)swapped32((uint32_t)v) << 32 | swapped32((uint32_t)(v >> 32));
}

/*@ assigns \result \from v;
  @ ensures 0 <= \result <= 64;
  @*/
int counted_ones(unsigned long long v);
#define __builtin_popcountll counted_ones

/*
 * The C library's, with contracts that leave out what Eva sees better than WP: that bytes are initialised,
 * and that copies do not overlap.
 */
/*@ requires n == 0 || \valid_read((const uint8_t *)s + (0 .. n - 1));
  @ assigns \result \from s, indirect: ((const uint8_t *)s)[0 .. n - 1], indirect: c, indirect: n;
  @ ensures \result == \null || (\base_addr(\result) == \base_addr(s) &&
  @         0 <= (const uint8_t *)\result - (const uint8_t *)s < n);
  @*/
static inline void *found_byte(const void *s, int c, size_t n)
{
    return memchr(s, c, n);
}
#define memchr found_byte

/*@ requires n == 0 || \valid_read((const uint8_t *)a + (0 .. n - 1));
  @ requires n == 0 || \valid_read((const uint8_t *)b + (0 .. n - 1));
  @ assigns \result \from indirect: ((const uint8_t *)a)[0 .. n - 1],
  @         indirect: ((const uint8_t *)b)[0 .. n - 1];
  @*/
static inline int compared_bytes(const void *a, const void *b, size_t n)
{
    return memcmp(a, b, n);
}
#define memcmp compared_bytes

/*@ requires n == 0 || \valid_read((const uint8_t *)from + (0 .. n - 1));
  @ requires n == 0 || \valid((uint8_t *)to + (0 .. n - 1));
  @ assigns ((uint8_t *)to)[0 .. n - 1] \from ((const uint8_t *)from)[0 .. n - 1];
  @*/
static inline void copy_bytes(void *to, const void *from, size_t n)
{
    memcpy(to, from, n);
}
#define memcpy copy_bytes

/*@ requires n == 0 || \valid_read(s + (0 .. n - 1));
  @ assigns \result \from indirect: s[0 .. n - 1], indirect: n;
  @ ensures \result <= n && (\result < n ==> s[\result] == 0);
  @ ensures \forall integer i; 0 <= i < \result ==> s[i] != 0;
  @*/
static inline size_t found_end(const char *s, size_t n)
{
    return strnlen(s, n);
}
#define strnlen found_end

/*@ requires n == 0 || \valid((uint8_t *)to + (0 .. n - 1));
  @ assigns ((uint8_t *)to)[0 .. n - 1] \from c;
  @*/
static inline void fill_bytes(void *to, int c, size_t n)
{
    memset(to, c, n);
}
#define memset fill_bytes

#endif
