/* SPDX-License-Identifier: MIT */
/* carried.h - features in records, and the data inside features. */
#ifndef PERFDATA_CARRIED_H
#define PERFDATA_CARRIED_H

#include <perfdata/codec.h>
#include <perfdata/constants.h>

/*
 * The feature that a record of a stream carries, decoded or not: in HEADER_FEATURE, or under a type of its
 * own (rec->old_feature). Gives its number and its bytes in rec->raw; the mark behind the last feature has
 * none. False: the record carries no feature.
 */
bool pd_record_feature(const struct pd_record *rec, enum pd_order order, uint64_t *id, struct pd_bytes *data);

/*
 * Converts the numbers in the arrays of a BPF program to the other byte order, in `data`, a copy of p->data.
 */
void pd_bpf_swap_arrays(const struct pd_bpf_prog *p, uint8_t *data);

/* The pid that perf assumes for a file of a section whose entries have none (PD_VARIANT_NO_PID). */
static inline int32_t pd_build_id_pid(uint16_t misc)
{
    return misc == PD_CPUMODE_GUEST_KERNEL || misc == PD_CPUMODE_GUEST_USER ? 0 : -1;
}

#endif
