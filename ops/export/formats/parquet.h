/* SPDX-License-Identifier: MIT */
/*
 * parquet.h - a table as a Parquet file: rows are held column by column until a group of them is full, and
 * then written. (apache/parquet-format: README.md, Encodings.md, LogicalTypes.md,
 * src/main/thrift/parquet.thrift)
 */
#ifndef PERFDATA_PARQUET_H
#define PERFDATA_PARQUET_H

#include "src/support/texts.h"
#include <perfdata/base.h>
#include <perfdata/error.h>
#include <perfdata/records.h>
#include <perfdata/writer.h>
#include <string.h>

/* What a column holds; each value may be missing. */
enum pi_parquet_kind {
    PI_PARQUET_U64,
    PI_PARQUET_I64,
    PI_PARQUET_U32,
    PI_PARQUET_I32,
    PI_PARQUET_TEXT,
    PI_PARQUET_LIST, /* of U64 */
};

struct pi_parquet_column {
    const char *name;
    enum pi_parquet_kind kind;
    /* TEXT: what the numbers of pi_parquet_number() stand for; NULL: pi_parquet_text() gives the texts. */
    const struct pi_texts *texts;
    /* The part of such a text that is the value; NULL: all. */
    struct pd_str (*part)(const char *text);
};

struct pi_parquet;

/*
 * A table of `n` columns, which go to a sink (both must outlive it). Workers (NULL: none) encode one group of
 * rows while the next is filled; two groups take about `memory` bytes at most, and a column that is encoded
 * two times its bytes. PD_ENOMEM; PD_EOUT.
 */
enum pd_code pi_parquet_open(struct pi_parquet **out, const struct pi_parquet_column *columns, size_t n,
                             const struct pd_sink *sink, uint64_t memory, const struct pd_workers *workers,
                             const struct pd_allocator *allocator, struct pd_error *error);
/* NULL is allowed. */
void pi_parquet_free(struct pi_parquet *p);

/*
 * A row is bytes: for each value two words, the value and its column, of which each has one at most. A list's
 * value is 0; that of a text, unless the column has texts of others, is its length, and the text is behind.
 */
enum { PI_PARQUET_ITEM = 2 * sizeof(uint64_t) };
static inline char *pi_parquet_item(char *to, size_t column, uint64_t value)
{
    const uint64_t which = column;
    memcpy(to, &value, sizeof value);
    memcpy(to + sizeof value, &which, sizeof which);
    return to + PI_PARQUET_ITEM;
}

/* The numbers of the list that a row has: number i is at `first` + i * `stride`. */
struct pi_parquet_list {
    const void *first;
    size_t n, stride;
};

/* PD_ENOMEM; PD_EOUT. */
enum pd_code pi_parquet_put(struct pi_parquet *p, const char *row, size_t n_row,
                            const struct pi_parquet_list *list, struct pd_error *error);

/* Writes the last group, and what tells where everything is. PD_EOUT; PD_ENOMEM. */
enum pd_code pi_parquet_end(struct pi_parquet *p, struct pd_error *error);

#endif
