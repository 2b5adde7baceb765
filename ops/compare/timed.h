/* SPDX-License-Identifier: MIT */
/*
 * timed.h - the hashes of records in order of time, while the records come: those up to the newest time of
 * the round before the last are given when a round ends, as perf processes them, or the older half of those
 * that fill the memory. If a record comes that is older than one that was given, the order is lost: nothing
 * but sorting all of them helps.
 */
#ifndef PERFDATA_TIMED_H
#define PERFDATA_TIMED_H

#include "canonical.h"

struct pi_timed_entry {
    uint64_t time;
    struct pd_hash hash;
};

struct pi_timed {
    const struct pd_allocator *allocator;
    struct pi_canon chain; /* of those given */
    struct pi_timed_entry *entries, *scratch;
    size_t n, cap;
    size_t *stretches; /* where ascending ones begin in entries */
    size_t n_stretches, stretches_cap;
    uint64_t newest, before; /* times: of all, and of all until the end of the round before */
    uint64_t given;          /* the newest that was given */
    bool lost;
};

/* `memory`: bytes for what waits. PD_ENOMEM. To be freed in any case. */
enum pd_code pi_timed_init(struct pi_timed *t, const struct pd_allocator *allocator, size_t memory,
                           struct pd_error *error);
void pi_timed_free(struct pi_timed *t);

/* The hash of the next record, of this time. PD_ENOMEM. t->lost: it is too old. */
enum pd_code pi_timed_push(struct pi_timed *t, uint64_t time, const struct pd_hash *hash,
                           struct pd_error *error);
/* A FINISHED_ROUND. */
void pi_timed_round(struct pi_timed *t);
/* The hash of all. */
struct pd_hash pi_timed_end(struct pi_timed *t);

#endif
