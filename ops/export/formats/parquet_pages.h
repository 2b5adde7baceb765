/* SPDX-License-Identifier: MIT */
/* parquet_pages.h - the bytes of pages: levels, dictionaries, values. */
#ifndef PERFDATA_PARQUET_PAGES_H
#define PERFDATA_PARQUET_PAGES_H

#include "parquet.h"
#include <perfdata/session/text.h>

/* The values of a column in a group of rows. */
struct pi_parquet_values {
    const struct pi_parquet_column *column;
    const char *const *texts; /* TEXT: what the numbers stand for */
    const uint64_t *all;
    size_t n;
    const struct pd_allocator *allocator;
};

/* The different values, and which each one is. All zeros: none. */
struct pi_parquet_dictionary {
    uint64_t *entries;
    size_t n, cap;
    uint32_t *indices; /* by value */
    uint32_t *places;  /* a hash table: 1 + the index; 0: none */
    size_t n_places;   /* a power of two, or 0 */
    struct pi_key key;
};

#define PI_PARQUET_RANGE 64

/* The least and the greatest value as they stand in pages. */
struct pi_parquet_range {
    bool known; /* not without values, nor with texts that are longer */
    size_t n_least, n_greatest;
    char least[PI_PARQUET_RANGE], greatest[PI_PARQUET_RANGE];
};

/* Bytes of a number. */
static inline unsigned pi_parquet_width(enum pi_parquet_kind kind)
{
    return kind == PI_PARQUET_U32 || kind == PI_PARQUET_I32 ? 4 : 8;
}

/*
 * Finds the different values. *useful: there are few enough, or they are texts, which always have a
 * dictionary. False: no memory.
 */
bool pi_parquet_find_entries(struct pi_parquet_dictionary *d, const struct pi_parquet_values *values,
                             bool *useful);
void pi_parquet_free_entries(struct pi_parquet_dictionary *d, const struct pd_allocator *allocator);

/* Levels of at most `most` (1 or 2), with their size before. */
void pi_parquet_put_levels(struct pd_out *out, const uint8_t *levels, size_t n, unsigned most);
/* Which entry of the dictionary each value is. */
void pi_parquet_put_indices(struct pd_out *out, const struct pi_parquet_dictionary *d, size_t n);
/* Numbers as they are; texts each behind its length. `range` may be NULL. */
void pi_parquet_put_plain(struct pd_out *out, const struct pi_parquet_values *values, const uint64_t *numbers,
                          size_t n, struct pi_parquet_range *range);

#endif
