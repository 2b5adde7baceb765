/* SPDX-License-Identifier: MIT */
/* parquet_chunk.h - a column of a group of rows: its values, and the bytes that they become. */
#ifndef PERFDATA_PARQUET_CHUNK_H
#define PERFDATA_PARQUET_CHUNK_H

#include "parquet_pages.h"

struct pi_parquet_chunk {
    struct pd_job job; /* encodes it, in any thread */
    const struct pi_parquet_column *column;
    struct pd_allocator *allocator; /* NULL: malloc */
    size_t rows;                    /* of the group */
    uint64_t *values;               /* those that are there */
    size_t n, cap;
    uint8_t *there; /* by row: 1 if it has a value; the rows behind have none */
    size_t cap_there;
    uint32_t *lengths; /* of lists, in order */
    size_t n_lengths, cap_lengths;
    struct pi_texts own; /* TEXT without texts of others */
    const char **texts;  /* the texts of others, which may get more while this is encoded */
    size_t n_texts, cap_texts;
    /* What encoding makes. */
    struct pd_out bytes;
    int64_t levels, uncompressed, data_at, dictionary_at; /* places are from the start of the bytes */
    struct pi_parquet_range range;
    struct pd_error error;
};

/* The type of values in the file. */
int64_t pi_parquet_type(enum pi_parquet_kind kind);
enum pd_code pi_parquet_no_memory(struct pd_error *error);

void pi_parquet_chunk_open(struct pi_parquet_chunk *c, const struct pi_parquet_column *column,
                           struct pd_allocator *allocator);
void pi_parquet_chunk_free(struct pi_parquet_chunk *c);
/* Makes room to note that rows have values. False: no memory. */
bool pi_parquet_chunk_reach(struct pi_parquet_chunk *c, size_t rows);
/* To be called before the job: the group has these rows, all values are there. False: no memory. */
bool pi_parquet_chunk_fix(struct pi_parquet_chunk *c, size_t rows);
/* Appends what the footer says of it, whose bytes are at this place of the file. */
void pi_parquet_chunk_tell(const struct pi_parquet_chunk *c, uint64_t at, struct pd_out *footer);
/* For the values of another group. */
void pi_parquet_chunk_empty(struct pi_parquet_chunk *c);

#endif
