/* SPDX-License-Identifier: MIT */
/*
 * alike.h - samples that are like an earlier one: of the same event, task, place or call chain, between the
 * same changes of names and mappings. Their stack is that of the earlier one, so they are counted before they
 * are put in order, and only the first of them goes the long way: through a sorter, past a session.
 */
#ifndef PERFDATA_ALIKE_H
#define PERFDATA_ALIKE_H

#include "changes.h"
#include "stacks.h"

struct pi_alike_place; /* a sample, and the sum of those that are like it */

/* What makes samples alike. */
struct pi_alike_key {
    uint64_t task;     /* pid and tid, as recorded */
    uint64_t since;    /* the last change of the task before */
    uint64_t kind;     /* event, mode, cpu if asked for; not 0 */
    uint64_t stack[2]; /* the address, or a hash of it and the call chain */
};

/* A sample on the long way, whose stack's sum others wait for. */
struct pi_alike_awaited {
    struct pi_alike_key key; /* kind 0: none waits */
    uint64_t time;
};

/* How the samples of an event are laid out, and what is done with them. */
struct pi_alike_kind {
    bool known, suits; /* suits: only its call chain varies in size */
    bool wanted;       /* else its samples are counted, and that is all */
    /*
     * Offsets from the record's first byte; 0, where the header is, if they are absent. The chain's is that
     * of its number of entries.
     */
    uint16_t ip, task, time, cpu, period, chain;
    uint16_t size;     /* with an empty chain */
    uint64_t number;   /* of the attr, in the bits of a key */
    uint64_t weight;   /* of each sample; 0: it is the word at `period` */
    uint32_t cpu_bits; /* of the word at `cpu` that make samples differ */
};

struct pi_alike {
    const struct pd_allocator *allocator;
    struct pi_changes *changes;
    bool count;    /* samples count 1, else a period */
    bool with_cpu; /* samples of different cpus are not alike */
    uint64_t seed;
    uint64_t taken;              /* samples */
    const uint8_t *given;        /* the record that pi_alike_take_run() stopped at: it is to be given */
    bool ready;                  /* samples may be taken */
    struct pi_alike_kind *kinds; /* by number of the attr */
    size_t n_kinds, cap_kinds;
    struct pi_alike_place *places;
    size_t size, most; /* powers of two */
    unsigned shift;    /* a number of 64 bits becomes one below `size` */
    size_t pushed;     /* places that others took, since the table was enlarged */
};

/* `memory`: of the stacks. PD_ENOMEM. To be freed in any case; it may be all zeros. */
enum pd_code pi_alike_init(struct pi_alike *a, const struct pd_allocator *allocator, size_t memory,
                           struct pi_changes *changes, struct pd_error *error);
void pi_alike_free(struct pi_alike *a);

/* As of struct pi_taker. */
void pi_alike_take_run(struct pi_alike *a, struct pd_reader *reader, struct pd_clock *clock, uint64_t settled,
                       uint64_t known);
bool pi_alike_take(struct pi_alike *a, const struct pd_record *rec, uint64_t settled);

/* True if samples of that event may be taken. */
bool pi_alike_suits(const struct pi_alike *a, const struct pd_record *rec);
/* Notes how the samples of its event are laid out. `wanted`: the event is. PD_ENOMEM. */
enum pd_code pi_alike_learn(struct pi_alike *a, const struct pd_record *rec, bool wanted,
                            struct pd_error *error);
/* What waits for a decoded sample that goes the long way; fetches its memory. */
void pi_alike_await(const struct pi_alike *a, const struct pd_record *rec, struct pi_alike_awaited *awaited);
/* It has gone: `at` is its stack's sum. */
void pi_alike_seen(struct pi_alike *a, const struct pi_alike_awaited *awaited, struct pi_stack *at);
/* Adds what was counted to the sums of stacks, which are about to be written out, or complete. */
void pi_alike_settle(struct pi_alike *a);

#endif
