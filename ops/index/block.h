/* SPDX-License-Identifier: MIT */
/* block.h - an index that is being made (build.c), and the block that is being read (block.c). */
#ifndef PERFDATA_INDEX_BLOCK_H
#define PERFDATA_INDEX_BLOCK_H

#define XXH_STATIC_LINKING_ONLY /* for XXH3_state_t, in a struct */
#include "format.h"
#include "ops/output/progress.h"
#include "src/session/order/clock.h"
#include "src/support/ids.h"
#include <perfdata/ops/index.h>
#include <xxhash.h>

#define PI_INDEX_LEAST ((uint64_t)256 << 10)

/* A record to be given, whose bytes wait. */
struct pi_index_copy {
    struct pi_index_given head;
    size_t at; /* of its bytes among those that wait */
    uint16_t size;
};

/* A record that is the first or last in time of some. */
struct pi_extreme {
    bool set;
    bool given; /* it is given for another reason */
    uint64_t time;
    uint32_t event;
    uint16_t size;
    struct pi_index_type *numbers; /* of its type */
    struct pi_index_given head;
    uint8_t raw[UINT16_MAX + 1];
};

/* Of the samples of a block, of what goes with them, and of all since the last FINISHED_ROUND. */
enum { PI_FIRST_SAMPLE, PI_LAST_SAMPLE, PI_FIRST_OTHER, PI_LAST_OTHER, PI_LAST_OF_ROUND, PI_EXTREMES };

/* Types of records that are left out: SAMPLE, those of PI_ROLE_WITH_TASK, and COMPRESSED ones. */
#define PI_INDEX_TYPES 16

struct pi_building {
    struct pd_reader *reader;
    const struct pd_sink *sink; /* NULL: only its header is wanted */
    const struct pd_index_options *options;
    struct pd_index_stats *stats;
    struct pd_error *error;
    struct pi_progress progress;
    struct pi_index_header header;
    XXH3_state_t *hash; /* of all bytes behind the header; of more than usual alignment */
    uint64_t at;        /* bytes written */
    struct pi_index_block *blocks;
    size_t n, cap;
    bool compressed; /* there are COMPRESSED records */
    struct pd_clock clock;
    /* The block. */
    bool open;
    struct pi_index_block now;
    uint64_t index, position; /* of its first record, and of its first decompressed byte */
    uint64_t bytes;           /* of records, decompressed */
    uint32_t wrapper;         /* the type of the last COMPRESSED record that was given */
    struct pi_index_copy *waiting;
    size_t n_waiting, cap_waiting;
    uint8_t *held_bytes;
    size_t held, cap_held;
    uint64_t *samples; /* by event: those left out */
    size_t n_samples;
    struct pi_index_type types[PI_INDEX_TYPES]; /* by type: the same */
    struct pi_extreme extreme[PI_EXTREMES];
    /* Tasks. */
    struct pi_ids pairs; /* of pid and tid: numbers of moments, from 1 on */
    struct pd_moment *moments;
    size_t n_moments, cap_moments;
};

/* build.c: makes the index. sink NULL: only its header and stats are wanted. */
enum pd_code pi_index_make(struct pd_reader *reader, const struct pd_sink *sink,
                           const struct pd_index_options *options, struct pi_index_header *header,
                           struct pd_index_stats *stats, struct pd_error *error);

/* Room for the numbers of samples by event. */
enum pd_code pi_blocks_start(struct pi_building *b);
/* Begins a block at an offset, a number of records, and a position in the decompressed bytes. */
void pi_block_begin(struct pi_building *b, uint64_t from, uint64_t index, uint64_t position);
/* Ends it, and writes it unless nothing of it can be left out. */
enum pd_code pi_block_end(struct pi_building *b, uint64_t to, uint64_t index);
/* Records, of the block if one is open. */
enum pd_code pi_block_wrapper(struct pi_building *b, const struct pd_record *rec);
enum pd_code pi_block_record(struct pi_building *b, const struct pd_record *rec,
                             const struct pd_moment *when);
/* Writes bytes of the index. */
enum pd_code pi_index_emit(struct pi_building *b, const void *bytes, size_t n);
void pi_building_free(struct pi_building *b);

#endif
