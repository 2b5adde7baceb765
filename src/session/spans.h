/* SPDX-License-Identifier: MIT */
/*
 * spans.h - ranges of addresses, each with a number, like the mappings of a process: a new one replaces the
 * ranges that it covers. Copies share their common parts, so that a fork costs nothing, until one of them
 * changes.
 */
#ifndef PERFDATA_SPANS_H
#define PERFDATA_SPANS_H

#include "src/support/keyed.h"
#include "src/support/memory.h"

/* Balanced by unpredictable ranks: of two neighbours, the one with the higher rank is the parent. */
struct pi_span {
    uint64_t first, last;
    uint32_t left, right;
    uint32_t refs; /* parents and spaces that refer to it */
    uint32_t rank;
    uint32_t value;
};

/* The ranges of all spaces. A space is a number, 0 while it is empty. */
struct pi_spans {
    const struct pd_allocator *allocator;
    struct pi_span *items; /* the one at 0 stands for none */
    size_t n, cap;
    uint32_t unused; /* a list of free items, linked by `left` */
    uint64_t ranks;  /* number of ranks drawn */
    struct pi_key key;
    bool failed; /* memory ran out: the content is wrong */
    /* Called for each range that gets a value (1) or loses it (-1); may be NULL. */
    void (*count)(void *user, uint32_t value, int by);
    void *user;
};

/* Nothing is allocated yet. */
void pi_spans_init(struct pi_spans *s, const struct pd_allocator *allocator);
void pi_spans_free(struct pi_spans *s);
/* Puts the range from `first` to `last`, both included, into a space. Sets `failed` if there is no memory. */
void pi_spans_put(struct pi_spans *s, uint32_t *space, uint64_t first, uint64_t last, uint32_t value);
/* Removes the range that has the address, if there is one: the space has no more ranges than before. */
void pi_spans_take(struct pi_spans *s, uint32_t *space, uint64_t address);
/* A copy of another space. */
uint32_t pi_spans_copy(struct pi_spans *s, uint32_t space);
/* Ends the use of a space. */
void pi_spans_drop(struct pi_spans *s, uint32_t space);
/* The range that has the address, until the next change of any space; NULL: none. */
const struct pi_span *pi_spans_find(const struct pi_spans *s, uint32_t space, uint64_t address);

#endif
