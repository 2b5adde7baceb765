/* SPDX-License-Identifier: MIT */
/* timed.c - hashes in order of time, in the memory of two rounds. */
#include "timed.h"
#include "src/schema/fail.h"
#include "src/support/memory.h"
#include <string.h>

enum { REACH = 16 }; /* how far back one is inserted into its stretch, instead of starting another */

enum pd_code pd_timed_init(struct pd_timed *t, const struct pd_allocator *allocator, size_t memory,
                           struct pd_error *error)
{
    const size_t cap = memory / (2 * sizeof *t->entries) > 64 ? memory / (2 * sizeof *t->entries) : 64;
    *t = (struct pd_timed){.allocator = allocator, .cap = cap};
    const enum pd_code code = pd_canon_init(&t->chain, allocator, error);
    t->entries = code ? NULL : pd_array(allocator, NULL, cap, sizeof *t->entries);
    t->scratch = t->entries ? pd_array(allocator, NULL, cap, sizeof *t->scratch) : NULL;
    if (code || t->scratch)
        return code;
    return pd_fail(error, PD_ENOMEM, PD_NOWHERE, "hash", 0, cap * sizeof *t->entries);
}

void pd_timed_free(struct pd_timed *t)
{
    pd_canon_free(&t->chain);
    pd_release(t->allocator, t->entries);
    pd_release(t->allocator, t->scratch);
    pd_release(t->allocator, t->stretches);
}

/* Merges from[low, middle) and from[middle, high), of equal times the left one first. */
static void merge(const struct pd_timed_entry *from, struct pd_timed_entry *to, size_t low, size_t middle,
                  size_t high)
{
    size_t a = low, b = middle, out = low;
    if (middle < high && from[middle - 1].time > from[middle].time)
        while (a < middle && b < high)
            to[out++] = from[b].time < from[a].time ? from[b++] : from[a++];
    memcpy(to + out, from + a, (middle - a) * sizeof *from);
    out += middle - a;
    memcpy(to + out, from + b, (high - b) * sizeof *from);
}

static void merge_pairs(struct pd_timed *t)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->n_stretches; i += 2) {
        const size_t low = t->stretches[i];
        const size_t middle = i + 1 < t->n_stretches ? t->stretches[i + 1] : t->n;
        const size_t high = i + 2 < t->n_stretches ? t->stretches[i + 2] : t->n;
        merge(t->entries, t->scratch, low, middle, high);
        t->stretches[kept++] = low;
    }
    t->n_stretches = kept;
    struct pd_timed_entry *sorted = t->scratch;
    t->scratch = t->entries;
    t->entries = sorted;
}

/* Gives the first n of those that are sorted. */
static void give(struct pd_timed *t, size_t n)
{
    for (size_t i = 0; i < n; i++)
        pd_canon_bytes(&t->chain, t->entries[i].hash.bytes, sizeof t->entries[i].hash.bytes);
    if (n)
        t->given = t->entries[n - 1].time;
    t->n -= n;
    memmove(t->entries, t->entries + n, t->n * sizeof *t->entries);
    t->n_stretches = t->n != 0;
}

static void sort(struct pd_timed *t)
{
    while (t->n_stretches > 1)
        merge_pairs(t);
}

void pd_timed_round(struct pd_timed *t)
{
    size_t n = 0;
    sort(t);
    while (n < t->n && t->entries[n].time <= t->before)
        n++;
    give(t, n);
    t->before = t->newest;
}

/* Appends one, for which there is room: to the last stretch if its place there is near, else to a new one. */
static bool append(struct pd_timed *t, uint64_t time, const struct pd_hash *hash)
{
    struct pd_timed_entry *a = t->entries;
    size_t at = t->n;
    const size_t start = t->n_stretches ? t->stretches[t->n_stretches - 1] : at;
    if (at == start || (at - start > REACH && a[at - REACH - 1].time > time)) {
        if (!pd_grow(t->allocator, (void **)&t->stretches, t->n_stretches, &t->stretches_cap,
                     sizeof *t->stretches))
            return false;
        t->stretches[t->n_stretches++] = at;
    } else {
        for (; at > start && a[at - 1].time > time; at--)
            a[at] = a[at - 1];
    }
    a[at] = (struct pd_timed_entry){time, *hash};
    t->n++;
    return true;
}

enum pd_code pd_timed_push(struct pd_timed *t, uint64_t time, const struct pd_hash *hash,
                           struct pd_error *error)
{
    if (t->n == t->cap) {
        sort(t);
        give(t, t->n / 2);
    }
    t->lost |= time < t->given;
    t->newest = time > t->newest ? time : t->newest;
    if (t->lost || append(t, time, hash))
        return PD_OK;
    return pd_fail(error, PD_ENOMEM, PD_NOWHERE, "hash", 0, sizeof *t->stretches);
}

struct pd_hash pd_timed_end(struct pd_timed *t)
{
    sort(t);
    give(t, t->n);
    return pd_canon_end(&t->chain);
}
