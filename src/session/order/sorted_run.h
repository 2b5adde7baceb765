/* SPDX-License-Identifier: MIT */
/* sorted_run.h - samples in order of time, for callers that need no struct pd_record of each. */
#ifndef PERFDATA_SORTED_RUN_H
#define PERFDATA_SORTED_RUN_H

#include "order_queue.h"
#include "src/codec/usual.h"
#include <perfdata/session/sorter.h>

/*
 * What pd_sorter_next() gives next, as far as it waited in memory, in this machine's byte order: *first
 * becomes the first of the records, which are valid until the next call for this sorter. Returns how many;
 * 0: only pd_sorter_next() tells, as also for a directory.
 */
size_t pi_sorter_ahead(const struct pd_sorter *s, const struct pi_queue_entry **first);
/* Passes the first n of these, all of them samples, as if pd_sorter_next() had given them. */
void pi_sorter_pass(struct pd_sorter *s, size_t n);

/* A sample that pi_sorted_is_whole(). */
struct pi_ready {
    uint64_t time;
    const uint8_t *raw;
    uint16_t size;
    bool inside; /* a COMPRESSED record */
};

/*
 * What pd_sorter_next() gives next, as far as these are such samples, whether they waited, or a first reading
 * told that the recording is in order, so that nothing waits; at most so many. They are valid until the next
 * call for this sorter or its reader. 0: only pd_sorter_next() tells.
 */
size_t pi_sorter_ready(struct pd_sorter *s, struct pi_ready *ready, size_t most);
/* Passes the first n of these, as if pd_sorter_next() had given them. */
void pi_sorter_pass_ready(struct pd_sorter *s, const struct pi_ready *ready, size_t n);

/*
 * True if a record is a sample of a known event, at its own time, that can be decoded: a caller that looks
 * only for damage need not decode it. False does not mean that it is not.
 */
static inline bool pi_sorted_is_whole(const struct pi_queue_entry *e)
{
    const struct pi_waiting *w = e->waiting;
    uint32_t type;
    uint64_t time;
    memcpy(&type, w->raw, sizeof type);
    if (type != PD_RECORD_SAMPLE || w->attr == NULL || !pi_sample_fits(w->plan, w->raw, w->size))
        return false;
    memcpy(&time, w->raw + w->plan->time, sizeof time);
    return w->plan->time && time == e->time && time;
}

/* False behind a sample of an unusual type: the next one will not be whole, either. */
static inline bool pi_sorted_goes_on(const struct pd_record *last)
{
    return last->type != PD_RECORD_SAMPLE || (last->plan && last->plan->usual);
}

#endif
