/* SPDX-License-Identifier: MIT */
/*
 * perfdata/session/event.h - what an event measures: as the five fields of an attr, as perf's name, and taken
 * apart.
 *
 * All three forms hold the same information, so every conversion is exact in both directions, unknown numbers
 * and unused bits included.
 */
#ifndef PERFDATA_SESSION_EVENT_H
#define PERFDATA_SESSION_EVENT_H

#include <perfdata/base.h>
#include <perfdata/codec.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The fields of an attr that identify the event. */
struct pd_event {
    uint32_t type; /* enum attr_type, or the number of a PMU */
    uint64_t config;
    uint64_t bp_addr; /* BREAKPOINT; config1 of other types */
    uint32_t bp_type; /* BREAKPOINT; 0 in other types */
    uint64_t bp_len;  /* BREAKPOINT; config2 of other types */
};

/* clang-format off */
/*
 * Writes the event's name as perf spells it, at most cap bytes with the NUL, and returns its whole length:
 *
 *   cycles, page-faults             generic hardware and software events
 *   L1-dcache-load-misses           cache events, even if no machine has them (iTLB-stores)
 *   pmu4/cycles/, pmu4/LLC-loads/   the same on the PMU of type 4 of a hybrid machine
 *   r1a2b                           raw events
 *   mem:0x1000:rw, mem:0x1000/1:w   breakpoints; without a length it is 8 for x and 4 for others
 *   tracepoint:317                  tracepoints by id: their names are in the file's tracing data
 *   pmu8/config=0x12,config1=0x3/   events of other PMUs, and all that the forms above cannot express
 *
 * The last form may have the terms config, config1, config2 and bp_type, in this order; all but config are
 * left out when 0.
 */
/* clang-format on */
PD_EXPERIMENTAL size_t pd_event_format(uint32_t type, uint64_t config, uint64_t bp_addr, uint32_t bp_type,
                                       uint64_t bp_len, char *buf, size_t cap);

/*
 * The reverse. Understands perf's aliases too (cpu-cycles, faults, cs, l1d-read-miss, …), without regard to
 * case, but no modifiers (":u"): they belong to other fields of the attr. False: not understood, *out is
 * unchanged.
 */
PD_EXPERIMENTAL bool pd_event_parse(const char *text, size_t len, struct pd_event *out);

enum pd_event_kind {
    PD_EVENT_HARDWARE,   /* u.hardware */
    PD_EVENT_SOFTWARE,   /* u.software */
    PD_EVENT_TRACEPOINT, /* u.tracepoint */
    PD_EVENT_CACHE,      /* u.cache */
    PD_EVENT_RAW,        /* u.raw */
    PD_EVENT_BREAKPOINT, /* u.breakpoint */
    PD_EVENT_PMU,        /* u.pmu: any other type */
};

/* The parts of an event. The numbers may be unknown ones. */
struct pd_typed_event {
    enum pd_event_kind kind;
    union {
        struct {
            uint32_t id;       /* PD_HW_… */
            uint32_t pmu_type; /* hybrid machines; 0 for the default PMU */
        } hardware;
        struct {
            uint64_t id; /* PD_SW_… */
        } software;
        struct {
            uint64_t id;
        } tracepoint;
        struct {
            uint8_t id;       /* PD_CACHE_… */
            uint8_t op;       /* PD_CACHE_OP_… */
            uint8_t result;   /* PD_CACHE_RESULT_… */
            uint8_t reserved; /* 0 */
            uint32_t pmu_type;
        } cache;
        struct {
            uint64_t config;
        } raw;
        struct {
            uint64_t addr;
            uint64_t len;
            uint32_t access; /* PD_BP_… */
            uint64_t config; /* 0 */
        } breakpoint;
        struct {
            uint32_t type;
            uint64_t config;
        } pmu;
    } u;
    /* Every kind but BREAKPOINT has these; there they are 0. */
    uint64_t config1;
    uint64_t config2;
    uint32_t bp_type;
};

PD_EXPERIMENTAL void pd_event_classify(const struct pd_event *event, struct pd_typed_event *out);
PD_EXPERIMENTAL void pd_event_build(const struct pd_typed_event *typed, struct pd_event *out);

/*
 * Off-cpu samples (perf record --off-cpu since perf 6.15) have their actual content in their raw data: the
 * stack, the task, the duration. They are of an event of type SOFTWARE and config BPF_OUTPUT with RAW
 * samples, which the recording calls "offcpu-time".
 */
#define PD_OFFCPU_EVENT "offcpu-time"
PD_EXPERIMENTAL bool pd_event_is_offcpu(const struct pd_attr *attr, const char *name);

/*
 * The raw data of such a sample; views of it. In either byte order, which ips.form tells: conversions by
 * other tools do not change the order of raw data. False: it has another form.
 */
PD_EXPERIMENTAL bool pd_offcpu_decode(const struct pd_plan *plan, const struct pd_raw_data *raw,
                                      struct pd_offcpu *out);

/*
 * The same of a record, which is decoded, or at least framed and then decoded in a copy; views of its bytes.
 * False: it is no such sample, which costs next to nothing. The plan knows the name of the event if a
 * pd_metadata of the reader (perfdata/session/metadata.h) has met it; until then, raw data of the right form
 * whose stack begins with a marker counts as that of such a sample.
 */
PD_EXPERIMENTAL bool pd_offcpu_of(const struct pd_record *rec, struct pd_offcpu *out);

/*
 * Gives a decoded sample what perf takes from its raw data in place of the sample's own fields: task, period,
 * call chain and cgroup, and as ip the entry behind the marker; 0: there is none. Event and plan need not
 * have these fields, so if the sample is that of a record, pd_record_changed() comes before the next is
 * decoded.
 */
PD_EXPERIMENTAL void pd_offcpu_apply(const struct pd_offcpu *offcpu, struct pd_sample *sample);

/* One sub-field of attr->flags, by its mask PD_ATTR_*; 0 or 1, for precise_ip 0…3. */
PD_EXPERIMENTAL unsigned pd_attr_flag(const struct pd_attr *attr, uint64_t mask);

#ifdef __cplusplus
}
#endif
#endif
