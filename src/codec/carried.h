/* SPDX-License-Identifier: MIT */
/* carried.h - features in records, and the data inside features. */
#ifndef PERFDATA_CARRIED_H
#define PERFDATA_CARRIED_H

#include "src/support/wire.h"
#include "transport.h"
#include <perfdata/codec.h>
#include <perfdata/constants.h>

/*
 * Bytes in front of the feature: the header and the feature's number; a type of its own (rec->old_feature) is
 * the number plus PI_OLD_FEATURE.
 */
enum {
    PI_CARRIED_HEAD = 16,
    PI_CARRIED_HEAD_OLD = 8,
    PI_CARRIED_MOST = UINT16_MAX - PI_CARRIED_HEAD, /* bytes of a feature in a record */
    PI_OLD_FEATURE = 66,
};

/* True if the feature has a type of its own in streams of Google's perf 3.3. */
static inline bool pi_is_old_feature(uint64_t id)
{
    return id >= PD_FEAT_HOSTNAME && id <= PD_FEAT_NUMA_TOPOLOGY;
}

/*
 * The feature that a record of a stream carries, decoded or not: in HEADER_FEATURE, or under a type of its
 * own (rec->old_feature). Gives its number and its bytes in rec->raw; the mark behind the last feature has
 * none. False: the record carries no feature.
 */
bool pi_record_feature(const struct pd_record *rec, enum pd_order order, uint64_t *id, struct pd_bytes *data);

/* True if a record with such a feature is the mark behind the last feature of a stream. */
static inline bool pi_is_feature_mark(const struct pd_record *rec, uint64_t id, const struct pd_bytes *data)
{
    return !rec->old_feature && data->n == 0 && !pi_may_be_empty(id);
}

/* True if the tracing data is in the record, as old simpleperf has it, and not behind it: it is longer. */
static inline bool pi_has_tracing_inside(const struct pd_record *rec)
{
    return rec->type == PD_RECORD_HEADER_TRACING_DATA && rec->size > 16;
}

/* Bytes that follow a record outside of its size. */
uint64_t pi_payload_said(const struct pd_record *rec, enum pd_order order);
static inline uint64_t pi_payload_behind(const struct pd_record *rec, enum pd_order order)
{
    const bool tracing = rec->type == PD_RECORD_HEADER_TRACING_DATA && !pi_has_tracing_inside(rec);
    return rec->type == PD_RECORD_AUXTRACE || tracing ? pi_payload_said(rec, order) : 0;
}

/*
 * Sets *cpus, on which the layout of other features depends, if the feature is NRCPUS. Its first number is
 * enough.
 */
static inline void pi_note_nrcpus(enum pd_order order, uint64_t id, const struct pd_bytes *data,
                                  uint32_t *cpus)
{
    if (id == PD_FEAT_NRCPUS && data->n >= sizeof *cpus)
        *cpus = pi_load32(data->ptr, order);
}

/*
 * Converts the numbers in the arrays of a BPF program to the other byte order, in `data`, a copy of p->data.
 */
void pi_bpf_swap_arrays(const struct pd_bpf_prog *p, uint8_t *data);

/* The pid that perf assumes for a file of a section whose entries have none (PD_VARIANT_NO_PID). */
static inline int32_t pi_build_id_pid(uint16_t misc)
{
    return misc == PD_CPUMODE_GUEST_KERNEL || misc == PD_CPUMODE_GUEST_USER ? 0 : -1;
}

#endif
