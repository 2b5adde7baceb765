/* SPDX-License-Identifier: MIT */
/*
 * reads.h - values of counters in samples (READ), where samples are left out. perf takes the difference
 * between a counter's value and that in the sample before as the sample's period (src/session/counts.h), so
 * the count of a dropped sample would go to the next one. Here each kept sample keeps its own difference: its
 * values become the sums of what the kept ones counted. Inputs that have the same counters, as the pieces of
 * a recording do, go on with the same sums.
 */
#ifndef PERFDATA_READS_H
#define PERFDATA_READS_H

#include "src/support/ids.h"
#include <perfdata/constants.h>
#include <perfdata/reader.h>

/* The counters of an input, in one pass over it. */
struct pi_reads {
    const struct pd_allocator *allocator;
    bool (*knows)(const void *who, uint64_t id); /* true if an event has the id: others stay as they are */
    const void *who;
    struct pi_ids last; /* values by id; zeros at the start */
};

/* The ids of a reader's events. */
void pi_reads_init(struct pi_reads *reads, const struct pd_reader *reader,
                   const struct pd_allocator *allocator);
void pi_reads_free(struct pi_reads *reads);

static inline bool pi_has_reads(const struct pd_record *rec)
{
    return rec->type == PD_RECORD_SAMPLE && rec->plan && rec->plan->shape.sample_type & PD_SAMPLE_READ;
}

/*
 * Takes a sample that has READ, in the order of the input. `written`: the sums, by id, of the output that
 * gets it; NULL: it is left out. *bytes: what to write, the record's own bytes or `room` with other values in
 * them. A sample that cannot be decoded stays as it is. PD_ENOMEM.
 */
enum pd_code pi_reads_pass(struct pi_reads *reads, struct pi_ids *written, struct pd_record *rec,
                           uint8_t room[UINT16_MAX + 1], const uint8_t **bytes, struct pd_error *error);

#endif
