/* SPDX-License-Identifier: MIT */
/* codec_internal.h - what the halves of the codec share. */
#ifndef PERFDATA_CODEC_INTERNAL_H
#define PERFDATA_CODEC_INTERNAL_H

#include "src/schema/fail.h"
#include "src/schema/schema.h"
#include "src/schema/when.h"
#include <perfdata/attr.h>
#include <perfdata/codec.h>
#include <perfdata/constants.h>

/*
 * Where an attr ends that stands in n bytes, as its own size says, or, where that cannot be (fewer bytes than
 * the first version had, or more than n), as it may be read all the same: *room. The one judgement of attr
 * entries of files, HEADER_ATTR records and attrs in them: PD_ECOUNT or PD_ESHORT, which names no offset.
 * `error` may be NULL.
 */
enum pd_code pd_attr_place(enum pd_order order, const uint8_t *bytes, size_t n, size_t *room,
                           struct pd_error *error);

/* An error in a part, whose offset is counted from the part's begin: it is counted as that of the part is. */
static inline void pd_error_move(struct pd_error *error, uint64_t part)
{
    error->offset = error->offset == PD_NOWHERE || part == PD_NOWHERE ? part : error->offset + part;
}

/* The variant that a record of this type has unless its size says otherwise. */
static inline uint8_t pd_usual_variant(const struct pd_plan *plan, uint32_t type)
{
    const bool counters =
        type == PD_RECORD_SAMPLE && plan->shape.branch_sample_type & PD_BRANCH_SAMPLE_COUNTERS;
    return counters ? PD_VARIANT_BRANCH_COUNTERS : 0;
}

/* The abi that such a variant says is not known; of two, the first. */
static inline uint64_t pd_variant_abi(const struct pd_record *rec)
{
    const struct pd_sample *s = &rec->u.sample;
    return rec->variant & PD_VARIANT_UNKNOWN_USER_REGS ? s->regs_user.abi : s->regs_intr.abi;
}

/* An empty branch stack is the only one that can lack hw_idx. */
static inline bool pd_variant_possible(const struct pd_record *rec)
{
    if (rec->type != PD_RECORD_SAMPLE)
        return true;
    if (rec->variant & PD_VARIANT_UNKNOWN_REGS && !pd_abi_unknown(pd_variant_abi(rec)))
        return false;
    return !(rec->variant & PD_VARIANT_NO_HW_IDX) || rec->u.sample.branch_stack.nr == 0;
}

/* Is the layout of such a record not known, because its attr has bits that no schema line stands for? */
static inline bool pd_layout_unknown(const struct pd_plan *plan, uint32_t type)
{
    return (type == PD_RECORD_SAMPLE && plan->unknown) || (type == PD_RECORD_READ && plan->unknown_read);
}

/*
 * Can records of this type have a sample_id behind the payload? Unknown kernel types follow the rule of the
 * known ones.
 */
static inline bool pd_type_has_trailer(uint32_t type)
{
    switch (type) {
#define PD_IS_TRAILER true
#define PD_IS_NO_TRAILER false
#define LAYOUT(name_, doc_)
#define RECORD(name_, type_, misc_, trailer_, doc_) \
    case PD_RECORD_##type_:                         \
        return PD_IS_##trailer_;
#define END(name_)
#include "src/schema/each.h"
#undef LAYOUT
#undef RECORD
#undef END
#undef PD_IS_TRAILER
#undef PD_IS_NO_TRAILER
    default: return type < PD_RECORD_HEADER_ATTR;
    }
}

/* Does one follow it? */
static inline bool pd_has_id(const struct pd_plan *plan, uint32_t type, uint8_t variant)
{
    return variant & PD_VARIANT_SAMPLE_ID || (plan->id_all && pd_type_has_trailer(type));
}

/*
 * The sample types that perf record gives to most recordings: one event or several, alike (ID) or not
 * (IDENTIFIER), of one cpu or all, with or without call chains and raw data. The codec has code of its own
 * for each, in which the compiler knows what WHEN says.
 */
#define PD_USUAL_FIELDS (PD_SAMPLE_IP | PD_SAMPLE_TID | PD_SAMPLE_TIME | PD_SAMPLE_PERIOD)
#define PD_USUAL_WITH(X, a_, b_, c_, d_, e_, f_, with_)                     \
    X(a_, PD_USUAL_FIELDS | (with_))                                        \
    X(b_, PD_USUAL_FIELDS | PD_SAMPLE_CPU | (with_))                        \
    X(c_, PD_USUAL_FIELDS | PD_SAMPLE_IDENTIFIER | (with_))                 \
    X(d_, PD_USUAL_FIELDS | PD_SAMPLE_CPU | PD_SAMPLE_IDENTIFIER | (with_)) \
    X(e_, PD_USUAL_FIELDS | PD_SAMPLE_ID | (with_))                         \
    X(f_, PD_USUAL_FIELDS | PD_SAMPLE_CPU | PD_SAMPLE_ID | (with_))
#define PD_EACH_USUAL(X)                                       \
    PD_USUAL_WITH(X, 1, 2, 3, 4, 5, 6, 0)                      \
    PD_USUAL_WITH(X, 7, 8, 9, 10, 11, 12, PD_SAMPLE_CALLCHAIN) \
    PD_USUAL_WITH(X, 13, 14, 15, 16, 17, 18, PD_SAMPLE_RAW)    \
    PD_USUAL_WITH(X, 19, 20, 21, 22, 23, 24, PD_SAMPLE_CALLCHAIN | PD_SAMPLE_RAW)
#define PD_N_USUAL 24

/*
 * Is a framed sample of one of these types, and does it end where it should? Then it can be decoded, without
 * doing so; false says nothing.
 */
bool pd_sample_fits(const struct pd_plan *plan, const uint8_t *raw, size_t size);

/*
 * The reference interpreter: decodes the record's payload through the tables, under the variant rec->variant,
 * into `u` (rec->u's layout; NULL: only to find the error). Slow, used by tests and to say which field is
 * wrong.
 */
enum pd_code pd_interpret_decode(const struct pd_plan *plan, struct pd_record *rec, union pd_payload *u,
                                 struct pd_error *error);

/*
 * The reference interpreter's other half; same contract as pd_record_encode(). out == NULL: only checks and
 * size.
 */
enum pd_code pd_interpret_encode(const struct pd_plan *plan, const struct pd_record *rec, void *out,
                                 size_t cap, size_t *size, struct pd_error *error);

/*
 * A member of the record that has a value, although the record is written without it: by a bit of its event,
 * or of its own.
 * *value is the struct it is in. NULL: there is none.
 */
const struct pd_op *pd_left_out(const struct pd_plan *plan, const struct pd_record *rec, const void **value);
/* A struct pd_sample whose bits are 0 in what is written of a usual sample of this plan, else 1. */
void pd_left_out_of_samples(const struct pd_plan *plan, void *mask);

/*
 * The same for a feature section: all of its n bytes (at most 4 GiB), into a struct of `layout`; `rest` are
 * the bytes behind the known fields. Errors count offsets from the section's begin.
 */
enum pd_code pd_interpret_section(const struct pd_op *layout, const struct pd_shape *shape,
                                  enum pd_order order, const void *bytes, size_t n, void *out,
                                  struct pd_bytes *rest, struct pd_error *error);
enum pd_code pd_interpret_put_section(const struct pd_op *layout, const struct pd_shape *shape,
                                      enum pd_order order, const void *v, const struct pd_bytes *rest,
                                      void *out, size_t cap, size_t *size, struct pd_error *error);

/*
 * The feature that a record of a stream carries, decoded or not: HEADER_FEATURE, or a type of its own
 * (rec->old_feature). Its number, and its bytes in rec->raw, none for the mark behind the last. False: it
 * carries none.
 */
bool pd_record_feature(const struct pd_record *rec, enum pd_order order, uint64_t *id, struct pd_bytes *data);

/* Turns the numbers in the arrays of a BPF program to the other byte order, in `data`, a copy of p->data. */
void pd_bpf_swap_arrays(const struct pd_bpf_prog *p, uint8_t *data);

/* PD_BYTES_<layout>: bytes of a part of fixed size. */
#define LAYOUT(name_, doc_) enum { PD_BYTES_##name_ = 0
#define RECORD(name_, type_, misc_, trailer_, doc_) LAYOUT(name_, doc_)
#define END(name_) \
    }              \
    ;
#define U8(f_, set_, doc_) +1
#define U16(f_, set_, doc_) +2
#define U32(f_, set_, doc_) +4
#define S32(f_, set_, doc_) +4
#define B32(f_, set_, doc_) +4
#define U64(f_, set_, doc_) +8
#define B64(f_, set_, doc_) +8
#define ARR(f_, n_, doc_) +(n_)
#define SUB(f_, layout_, doc_) +PD_BYTES_##layout_
#define PD_EACH_FAST
#include "src/schema/each.h"
#undef LAYOUT
#undef RECORD
#undef END

/* Fixed parts as a whole: from and to PD_BYTES_<part> bytes. An attr's tail is not among them. */
#define PD_PART(name_)                                                                         \
    void pd_##name_##_take(const uint8_t *bytes, enum pd_order order, struct pd_##name_ *out); \
    void pd_##name_##_put(const struct pd_##name_ *v, enum pd_order order, uint8_t *bytes);
PD_PART(attr)
PD_PART(file_section)
PD_PART(file_header)
PD_PART(event_type)
PD_PART(tracepoint_common)
#undef PD_PART

/* The pid of a file of a section whose entries have none (PD_VARIANT_NO_PID), as perf takes it. */
static inline int32_t pd_build_id_pid(uint16_t misc)
{
    return misc == PD_CPUMODE_GUEST_KERNEL || misc == PD_CPUMODE_GUEST_USER ? 0 : -1;
}

#endif
