/* SPDX-License-Identifier: MIT */
/*
 * wire.h - integers in a stream's byte order, at any alignment, and the mirrored bitfield words of big-endian
 * ABIs.
 */
#ifndef PERFDATA_WIRE_H
#define PERFDATA_WIRE_H

#include <perfdata/base.h>
#include <perfdata/constants.h>
#include <perfdata/names.h>
#include <string.h>

/*@ requires \valid_read((const uint8_t *)p + (0 .. 1));
  @ assigns \nothing;
  @*/
static inline uint16_t pi_load16(const void *p, enum pd_order order)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return order == PD_HOST_ORDER ? v : __builtin_bswap16(v);
}

/*@ requires \valid_read((const uint8_t *)p + (0 .. 3));
  @ assigns \nothing;
  @*/
static inline uint32_t pi_load32(const void *p, enum pd_order order)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return order == PD_HOST_ORDER ? v : __builtin_bswap32(v);
}

/*@ requires \valid_read((const uint8_t *)p + (0 .. 7));
  @ assigns \nothing;
  @*/
static inline uint64_t pi_load64(const void *p, enum pd_order order)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return order == PD_HOST_ORDER ? v : __builtin_bswap64(v);
}

/*@ requires \valid((uint8_t *)p + (0 .. 1));
  @ assigns ((uint8_t *)p)[0 .. 1];
  @*/
static inline void pi_store16(void *p, uint16_t v, enum pd_order order)
{
    v = order == PD_HOST_ORDER ? v : __builtin_bswap16(v);
    memcpy(p, &v, sizeof v);
}

/*@ requires \valid((uint8_t *)p + (0 .. 3));
  @ assigns ((uint8_t *)p)[0 .. 3];
  @*/
static inline void pi_store32(void *p, uint32_t v, enum pd_order order)
{
    v = order == PD_HOST_ORDER ? v : __builtin_bswap32(v);
    memcpy(p, &v, sizeof v);
}

/*@ requires \valid((uint8_t *)p + (0 .. 7));
  @ assigns ((uint8_t *)p)[0 .. 7];
  @*/
static inline void pi_store64(void *p, uint64_t v, enum pd_order order)
{
    v = order == PD_HOST_ORDER ? v : __builtin_bswap64(v);
    memcpy(p, &v, sizeof v);
}

/*
 * What every record starts with; in this machine's byte order it is copied as one, to the start of struct
 * pd_record, too.
 */
struct pi_record_header {
    uint32_t type;
    uint16_t misc, size;
};

/* An unsigned integer of `width` bytes (1, 2, 4, 8). */
static inline uint64_t pi_load(const void *p, unsigned width, enum pd_order order)
{
    switch (width) {
    case 1: return *(const uint8_t *)p;
    case 2: return pi_load16(p, order);
    case 4: return pi_load32(p, order);
    default: return pi_load64(p, order);
    }
}

static inline void pi_store(void *p, uint64_t v, unsigned width, enum pd_order order)
{
    switch (width) {
    case 1: *(uint8_t *)p = (uint8_t)v; break;
    case 2: pi_store16(p, (uint16_t)v, order); break;
    case 4: pi_store32(p, (uint32_t)v, order); break;
    default: pi_store64(p, v, order); break;
    }
}

/*
 * A bitfield word between its logical form (sub-field at bits lo…, little-endian numbering) and that of a
 * big-endian ABI, which allocates from the top: the sub-field moves to bits width-lo-n…, its value keeps its
 * bit order. Bits that have no meaning yet will be fields of their own one day, most likely of one bit: each
 * moves by itself.
 */
static inline uint64_t pi_mirror_to_big(const struct pd_set *set, uint64_t logical)
{
    uint64_t word = 0;
    for (size_t i = 0; i < set->n; i++) {
        const struct pd_name *f = &set->names[i];
        if (f->set != &pd_set_UNUSED)
            word |= pd_bits_get(f, logical) << (set->bits - f->lo - f->width);
        for (unsigned bit = f->lo; f->set == &pd_set_UNUSED && bit < f->lo + f->width; bit++)
            word |= (logical >> bit & 1) << (set->bits - 1 - bit);
    }
    return word;
}

static inline uint64_t pi_mirror_from_big(const struct pd_set *set, uint64_t word)
{
    uint64_t logical = 0;
    for (size_t i = 0; i < set->n; i++) {
        const struct pd_name *f = &set->names[i];
        if (f->set != &pd_set_UNUSED)
            logical |= (word >> (set->bits - f->lo - f->width)) << f->lo & f->value;
        for (unsigned bit = f->lo; f->set == &pd_set_UNUSED && bit < f->lo + f->width; bit++)
            logical |= (word >> (set->bits - 1 - bit) & 1) << bit;
    }
    return logical;
}

/*@ assigns \nothing;
  @ ensures n <= 65536 ==> \result == (n + 7) / 8 * 8;
  @*/
static inline size_t pi_align8(size_t n)
{
    return (n + 7) / 8 * 8;
}

#endif
