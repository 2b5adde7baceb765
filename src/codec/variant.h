/* SPDX-License-Identifier: MIT */
/* variant.h - the forms of a layout that a record can have, and whether a sample_id follows it. */
#ifndef PERFDATA_VARIANT_H
#define PERFDATA_VARIANT_H

#include "src/schema/passes/when.h"
#include <perfdata/codec.h>
#include <perfdata/constants.h>

/* The variant that a record of this type has unless its size says otherwise. */
static inline uint8_t pi_usual_variant(const struct pd_plan *plan, uint32_t type)
{
    const bool counters =
        type == PD_RECORD_SAMPLE && plan->shape.branch_sample_type & PD_BRANCH_SAMPLE_COUNTERS;
    return counters ? PD_VARIANT_BRANCH_COUNTERS : 0;
}

/* True if four bytes, the first of them and then by `step`, can begin a name: no NUL but at the end. */
static inline bool pi_begins_name(const uint8_t *first, int step)
{
    bool ended = false, name = *first >= ' ' && *first < 0x7f;
    for (int i = 1; name && i < 4; i++) {
        ended |= first[i * step] == 0;
        name &= !ended || first[i * step] == 0;
    }
    return name;
}

/*
 * True if the bytes of an MMAP2's prot may be the name of an early one, which is at this place; prot has but
 * its lowest bits. One that no kernel writes counts in both byte orders or in none, so that the record is the
 * same in either.
 */
static inline bool pi_prot_is_name(const void *prot)
{
    return pi_begins_name(prot, 1) || pi_begins_name((const uint8_t *)prot + 3, -1);
}

/* An abi value that is unknown, for such a variant; of two values, the first unknown one. */
static inline uint64_t pi_variant_abi(const struct pd_record *rec)
{
    const struct pd_sample *s = &rec->u.sample;
    return rec->variant & PD_VARIANT_UNKNOWN_USER_REGS ? s->regs_user.abi : s->regs_intr.abi;
}

/* Only an empty branch stack can lack hw_idx. */
static inline bool pi_variant_possible(const struct pd_record *rec)
{
    if (rec->type != PD_RECORD_SAMPLE)
        return true;
    if (rec->variant & PI_VARIANT_UNKNOWN_REGS && !pi_abi_unknown(pi_variant_abi(rec)))
        return false;
    return !(rec->variant & PD_VARIANT_NO_HW_IDX) || rec->u.sample.branch_stack.nr == 0;
}

/* True if the layout of such a record is unknown, because its attr has bits that no schema line describes. */
static inline bool pi_layout_unknown(const struct pd_plan *plan, uint32_t type)
{
    return (type == PD_RECORD_SAMPLE && plan->unknown) || (type == PD_RECORD_READ && plan->unknown_read);
}

/*
 * True if records of this type can have a sample_id behind the payload. Unknown kernel types follow the rule
 * of the known ones.
 */
static inline bool pi_type_has_trailer(uint32_t type)
{
    switch (type) {
#define PI_IS_TRAILER true
#define PI_IS_NO_TRAILER false
#define LAYOUT(name_, doc_)
#define RECORD(name_, type_, misc_, trailer_, doc_) \
    case PD_RECORD_##type_:                         \
        return PI_IS_##trailer_;
#define END(name_)
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END
#undef PI_IS_TRAILER
#undef PI_IS_NO_TRAILER
    default: return type < PD_RECORD_HEADER_ATTR;
    }
}

/* True if a record of this type may have one: HEADER_BUILD_ID has it where its size says so (decode.c). */
static inline bool pi_type_may_have_id(uint32_t type)
{
    return pi_type_has_trailer(type) || type == PD_RECORD_HEADER_BUILD_ID;
}

/* True if a sample_id follows the record. */
static inline bool pi_has_id(const struct pd_plan *plan, uint32_t type, uint8_t variant)
{
    return variant & PD_VARIANT_SAMPLE_ID || (plan->id_all && pi_type_has_trailer(type));
}

#endif
