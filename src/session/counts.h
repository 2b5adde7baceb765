/* SPDX-License-Identifier: MIT */
/*
 * counts.h - what a sample counts. If its event samples READ, perf takes it as one sample of each counter in
 * it, with the difference to the counter's value in the sample before as period, and leaves out counters that
 * have not counted. (deliver_sample_group() and deliver_sample_value() in tools/perf/util/session.c)
 */
#ifndef PERFDATA_COUNTS_H
#define PERFDATA_COUNTS_H

#include "src/support/ids.h"
#include <perfdata/constants.h>
#include <perfdata/reader.h>

/* All zeros but the allocator, before the first sample; fed with all samples in order of time. */
struct pi_counts {
    const struct pd_allocator *allocator;
    struct pi_ids values; /* last values by id; only of ids that an event has */
    size_t next;          /* counter of the sample */
};

struct pi_counted {
    uint32_t attr_index; /* UINT32_MAX: of an unknown event */
    uint64_t id;         /* of a counter; else 0 */
    uint64_t period;
};

/* True for an event that has no samples; its side-band records are what it is opened for. */
static inline bool pi_is_dummy(const struct pd_attr *a)
{
    return a->type == PD_TYPE_SOFTWARE && a->config == PD_SW_DUMMY;
}

/* True if samples of an event, from that of this number on, have counters. */
bool pi_counts_are_read(const struct pd_reader *reader, size_t first);

void pi_counts_free(struct pi_counts *c);
/* To be called for each sample. */
static inline void pi_counts_begin(struct pi_counts *c)
{
    c->next = 0;
}
/*
 * What the decoded sample counts, one after the other. PD_END: no more. PD_ENOMEM: there is no memory for a
 * value.
 */
enum pd_code pi_counts_next(struct pi_counts *c, const struct pd_reader *reader, const struct pd_record *rec,
                            struct pi_counted *out);
/* For a decoded sample that nobody asks about: its counters have counted. PD_ENOMEM as above. */
enum pd_code pi_counts_pass(struct pi_counts *c, const struct pd_reader *reader, const struct pd_record *rec);

#endif
