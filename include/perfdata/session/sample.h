/* SPDX-License-Identifier: MIT */
/*
 * perfdata/session/sample.h - what the words of a sample say: registers by name, weights, the source of data,
 * the first fields of a tracepoint, and times of other clocks.
 */
#ifndef PERFDATA_SESSION_SAMPLE_H
#define PERFDATA_SESSION_SAMPLE_H

#include <perfdata/codec.h>
#include <perfdata/feature.h>
#include <perfdata/session/regs.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The value of a register of the task (`user`) or of the moment of the interrupt, by its name, which compares
 * without case ("SP", "IP", "R8", …). `rec` is a decoded sample with its attr. False: there is no such
 * register, or it was not sampled.
 */
PD_EXPERIMENTAL bool pd_sample_reg(const struct pd_record *rec, bool user, enum pd_arch arch,
                                   const char *name, uint64_t *value);

/* The cost of a sample: WEIGHT_STRUCT has all three numbers, WEIGHT only `weight`; the others are then 0. */
struct pd_weights {
    uint64_t weight;  /* WEIGHT; or var1_dw, x86: latency in cycles */
    uint16_t latency; /* var2_w, x86: of the instruction */
    uint16_t retire;  /* var3_w, x86: until it retired */
};
/* False: the sample has neither. */
PD_EXPERIMENTAL bool pd_sample_weights(const struct pd_record *rec, struct pd_weights *weights);

/* data_src taken apart; masks and values are PD_MEM_*, whose names the sets pd_set_mem_op, … have. */
struct pd_data_src {
    uint8_t op;      /* mask PD_MEM_OP_*: load, store, … */
    uint16_t lvl;    /* mask PD_MEM_LVL_*: hit or miss, and level; the older form of lvl_num */
    uint8_t snoop;   /* mask PD_MEM_SNOOP_* */
    uint8_t lock;    /* mask PD_MEM_LOCK_* */
    uint8_t dtlb;    /* mask PD_MEM_TLB_* */
    uint8_t lvl_num; /* one of PD_MEM_LVLNUM_* */
    uint8_t remote;  /* 1: of another node */
    uint8_t snoopx;  /* mask PD_MEM_SNOOPX_* */
    uint8_t blk;     /* mask PD_MEM_BLK_* */
    uint8_t hops;    /* one of PD_MEM_HOPS_* */
    uint8_t region;  /* one of PD_MEM_REGION_* */
};
/* False: the sample has no data_src. */
PD_EXPERIMENTAL bool pd_sample_data_src(const struct pd_record *rec, struct pd_data_src *data_src);

/* The one counter of a single read or of a group of one; false when there are none or several. */
PD_EXPERIMENTAL bool pd_read_values_single(const struct pd_plan *plan, const struct pd_read_values *values,
                                           struct pd_read_value *out);

/*
 * The fields at the start of the raw bytes of every tracepoint sample, in the plan's byte order. False: there
 * are fewer than 8 bytes. Raw bytes of other events have other formats. pd_raw_common_put() is the reverse.
 */
PD_EXPERIMENTAL bool pd_raw_common(const struct pd_plan *plan, const struct pd_raw_data *raw,
                                   struct pd_tracepoint_common *out);

/*
 * Converts a hardware counter (TSC, as in AUX data) to the time of the recording's clock, in nanoseconds, by
 * the TIME_CONV of the recording, and back. A short counter needs only its last bits. The way back is exact
 * to the nanosecond; both functions compute as perf does.
 */
PD_EXPERIMENTAL uint64_t pd_time_from_counter(const struct pd_time_conv *conv, uint64_t counter);
PD_EXPERIMENTAL uint64_t pd_time_to_counter(const struct pd_time_conv *conv, uint64_t time);

/*
 * Nanoseconds since 1970 of a time of the recording, by its feature CLOCK_DATA, and the reverse. Modulo 2^64.
 */
PD_EXPERIMENTAL uint64_t pd_time_to_wall(const struct pd_feature_clock_data *clock, uint64_t time);
PD_EXPERIMENTAL uint64_t pd_time_from_wall(const struct pd_feature_clock_data *clock, uint64_t wall);

/* The set of names with the id that the schema gives it, "sample_type"; NULL: there is none. */
PD_EXPERIMENTAL const struct pd_set *pd_set_by_id(const char *id);

#ifdef __cplusplus
}
#endif
#endif
