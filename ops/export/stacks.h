/* SPDX-License-Identifier: MIT */
/*
 * stacks.h - keys of bytes, each with a sum, in bounded memory: what does not fit waits in runs in order of
 * the keys (src/session/order/spill.h).
 */
#ifndef PERFDATA_STACKS_H
#define PERFDATA_STACKS_H

#include "src/session/order/spill.h"
#include "src/support/limits.h"

#define PI_STACK_MOST ((size_t)PI_LIMIT_EXPORT_STACK) /* bytes of a key */

struct pi_stack_block;

struct pi_stack {
    uint64_t sum;
    uint16_t n; /* bytes of the key */
    uint8_t key[];
};

struct pi_stack_entry {
    uint64_t number;     /* a hash of the key; in sorted keys, its first bytes, the first the highest */
    struct pi_stack *at; /* NULL: the entry is free */
};

/* Takes a key, of n bytes, and its sum; returns PD_OK, or an error that ends it. */
typedef enum pd_code pi_take_stack(void *user, const uint8_t *key, size_t n, uint64_t sum,
                                   struct pd_error *error);

struct pi_stacks {
    const struct pd_allocator *allocator;
    size_t limit; /* bytes for keys and their table */
    uint64_t seed;
    size_t block, least;          /* bytes of a block, and entries of the first table */
    struct pi_stack_entry *table; /* open addressing, at most half full */
    size_t size, n;
    struct pi_stack_block *blocks;
    size_t bytes;
    struct pi_spill spill;
    struct pi_waiting *record; /* what is written to it; NULL: nothing yet */
    struct pi_run *runs;
    size_t n_runs, cap_runs;
    uint64_t round;   /* grows whenever the keys in memory are written out */
    uint64_t spilled; /* bytes */
    uint64_t added;   /* keys that were new in memory; once all are given: different ones */
    uint64_t merged;  /* keys that the last merge of runs gave */
    /* Called before the keys in memory are written out: adds what was counted elsewhere. May be NULL. */
    void (*settle)(void *user);
    void *settle_user;
};

/* `dir` as of pi_spill_init(). To be freed in any case. */
enum pd_code pi_stacks_init(struct pi_stacks *s, const struct pd_allocator *allocator, size_t limit,
                            const char *dir, struct pd_error *error);
void pi_stacks_free(struct pi_stacks *s);

/* The hash of a key, of at most PI_STACK_MOST bytes, that is about to be added. */
uint64_t pi_stacks_hash(const struct pi_stacks *s, const uint8_t *key, size_t n);
/* Fetches the memory where it will be looked for; then that of the key itself. */
void pi_stacks_fetch_entry(const struct pi_stacks *s, uint64_t hash);
void pi_stacks_fetch_key(const struct pi_stacks *s, uint64_t hash);
/* Adds to its sum. *at is valid in this round. */
enum pd_code pi_stacks_add_hashed(struct pi_stacks *s, uint64_t hash, const uint8_t *key, size_t n,
                                  uint64_t weight, struct pi_stack **at, struct pd_error *error);
enum pd_code pi_stacks_add(struct pi_stacks *s, const uint8_t *key, size_t n, uint64_t weight,
                           struct pi_stack **at, struct pd_error *error);
/* A sum that would overflow stays at the largest number. */
static inline uint64_t pi_stacks_sum(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* Gives each key once, in order of its bytes. No key may be added afterwards. */
enum pd_code pi_stacks_each(struct pi_stacks *s, pi_take_stack *take, void *user, struct pd_error *error);

#endif
