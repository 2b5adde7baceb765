/* SPDX-License-Identifier: MIT */
/* timed.c - hashes in order of time, in the memory of two rounds. */
#include "timed.h"
#include "src/schema/fail.h"
#include "src/support/memory.h"
#include <string.h>

#define ENTRY struct pi_timed_entry
#define HOLDER struct pi_timed
#include "src/session/order/stretches.h"

enum pd_code pi_timed_init(struct pi_timed *t, const struct pd_allocator *allocator, size_t memory,
                           struct pd_error *error)
{
    const size_t cap = memory / (2 * sizeof *t->entries) > 64 ? memory / (2 * sizeof *t->entries) : 64;
    *t = (struct pi_timed){.allocator = allocator, .cap = cap};
    const enum pd_code code = pi_canon_init(&t->chain, allocator, error);
    t->entries = code ? NULL : pi_array(allocator, NULL, cap, sizeof *t->entries);
    t->scratch = t->entries ? pi_array(allocator, NULL, cap, sizeof *t->scratch) : NULL;
    if (code || t->scratch)
        return code;
    return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "hash", 0, cap * sizeof *t->entries);
}

void pi_timed_free(struct pi_timed *t)
{
    pi_canon_free(&t->chain);
    pi_release(t->allocator, t->entries);
    pi_release(t->allocator, t->scratch);
    pi_release(t->allocator, t->stretches);
}

/* Gives the first n of those that are sorted. */
static void give(struct pi_timed *t, size_t n)
{
    for (size_t i = 0; i < n; i++)
        pi_canon_bytes(&t->chain, t->entries[i].hash.bytes, sizeof t->entries[i].hash.bytes);
    if (n)
        t->given = t->entries[n - 1].time;
    t->n -= n;
    memmove(t->entries, t->entries + n, t->n * sizeof *t->entries);
    t->n_stretches = t->n != 0;
}

void pi_timed_round(struct pi_timed *t)
{
    size_t n = 0;
    merge_stretches(t);
    while (n < t->n && t->entries[n].time <= t->before)
        n++;
    give(t, n);
    t->before = t->newest;
}

enum pd_code pi_timed_push(struct pi_timed *t, uint64_t time, const struct pd_hash *hash,
                           struct pd_error *error)
{
    if (t->n == t->cap) {
        merge_stretches(t);
        give(t, t->n / 2);
    }
    t->lost |= time < t->given;
    t->newest = time > t->newest ? time : t->newest;
    if (t->lost)
        return PD_OK;
    struct pi_timed_entry *place = place_entry(t, time);
    if (place == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "hash", 0, sizeof *t->stretches);
    *place = (struct pi_timed_entry){time, *hash};
    return PD_OK;
}

struct pd_hash pi_timed_end(struct pi_timed *t)
{
    merge_stretches(t);
    give(t, t->n);
    return pi_canon_end(&t->chain);
}
