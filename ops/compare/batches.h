/* SPDX-License-Identifier: MIT */
/* batches.h - records hashed by other threads, a batch at a time; the results in order. */
#ifndef PERFDATA_BATCHES_H
#define PERFDATA_BATCHES_H

#include "canonical.h"

struct pi_batches;

/* What one record became. */
struct pi_hashed {
    uint32_t type;
    bool damaged; /* decoding it fails */
    /* These only of a record with content (pi_is_transport() does not hold). */
    uint64_t time; /* as put_in_order() takes it; 0: it has none */
    struct pd_hash hash;
};

/* PD_ENOMEM. */
enum pd_code pi_batches_open(struct pi_batches **batches, const struct pd_workers *workers,
                             const struct pd_allocator *allocator, struct pd_error *error);
/* Waits for the threads. NULL is allowed. */
void pi_batches_close(struct pi_batches *b);

/* False: results must be taken before a record is given. */
bool pi_batches_have_room(const struct pi_batches *b);
/* Copies the record, which has no payload; its plan and attr must stay valid. */
void pi_batches_give(struct pi_batches *b, const struct pd_record *rec);
/* The next result, until a record is given; NULL: all were taken. Waits for it. */
const struct pi_hashed *pi_batches_take(struct pi_batches *b);
/* The record of the result that was taken last; *rec is zeros. */
void pi_batches_record(const struct pi_batches *b, struct pd_record *rec);

#endif
