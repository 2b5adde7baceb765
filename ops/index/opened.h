/* SPDX-License-Identifier: MIT */
/* opened.h - an index that is open: open.c checks it, select.c uses it, given.c reads it. */
#ifndef PERFDATA_INDEX_OPENED_H
#define PERFDATA_INDEX_OPENED_H

#include "block.h"
#include "src/container/reader/reader_internal.h"

/* A walk over the records that a block gives. */
struct pi_given_walk {
    uint64_t at, end; /* in the index */
    uint64_t number;  /* least that the next one may have */
    uint64_t offset, inner;
};

struct pd_index {
    struct pd_index_options options;
    struct pd_reader *reader;
    struct pi_input in; /* the index */
    struct pi_index_header header;
    struct pi_index_block *blocks;
    uint64_t n_given; /* in all blocks */
    /* Of the blocks that are left out: numbers, places, sums. */
    uint32_t *left_out;
    struct pi_stretch *stretches;
    struct pi_skips skips;
    struct pd_index_sums sums;
    struct pi_given_walk walk;
};

void pi_given_begin(struct pi_given_walk *w, const struct pi_index_block *block);
/* The next record, checked. PD_END: there are no more. */
enum pd_code pi_given_next(struct pd_index *x, struct pi_given_walk *w, const struct pi_index_block *block,
                           struct pi_spared *given, struct pd_error *error);
/* Reads a part of the index, a struct of numbers of 64 bits. */
enum pd_code pi_index_read(struct pd_index *x, uint64_t at, void *part, size_t size, struct pd_error *error);

#endif
