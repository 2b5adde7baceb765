/* SPDX-License-Identifier: MIT */
/* parts.h - parts of fixed size, and attrs, which contain their size. */
#ifndef PERFDATA_PARTS_H
#define PERFDATA_PARTS_H

#include "src/schema/fail.h"
#include "src/schema/passes/when.h"
#include <perfdata/attr.h>
#include <perfdata/codec.h>

/*
 * Finds the end of an attr in n bytes: by its own size, or, if that is impossible (below the size of the
 * first version, or above n), as much as may be read all the same: *room. Attr entries of files, HEADER_ATTR
 * records and attrs inside those all use this judgement: PD_ECOUNT or PD_ESHORT, without an offset. `error`
 * may be NULL.
 */
enum pd_code pi_attr_place(enum pd_order order, const uint8_t *bytes, size_t n, size_t *room,
                           struct pd_error *error);

/* Converts an offset in an error from the begin of a part to that of the space which contains the part. */
static inline void pi_error_move(struct pd_error *error, uint64_t part)
{
    error->offset = error->offset == PD_NOWHERE || part == PD_NOWHERE ? part : error->offset + part;
}

/* PI_BYTES_<layout>: bytes of a part of fixed size. */
#define LAYOUT(name_, doc_) enum { PI_BYTES_##name_ = 0
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
#define SUB(f_, layout_, doc_) +PI_BYTES_##layout_
#define PI_EACH_FAST
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END

/* Fixed parts as a whole, from and to PI_BYTES_<part> bytes. An attr's tail is not included. */
#define PI_PART(name_)                                                                         \
    void pi_##name_##_take(const uint8_t *bytes, enum pd_order order, struct pd_##name_ *out); \
    void pi_##name_##_put(const struct pd_##name_ *v, enum pd_order order, uint8_t *bytes);
PI_PART(attr)
PI_PART(file_section)
PI_PART(file_header)
PI_PART(event_type)
PI_PART(tracepoint_common)
#undef PI_PART

/* Elements i to i + n of a list of branches, as pd_branch_entry_at() gives each. */
void pi_branch_entries_at(const struct pd_list *l, size_t i, size_t n, struct pd_branch_entry *out);

#endif
