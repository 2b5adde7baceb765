/* SPDX-License-Identifier: MIT */
/* when.h - the values of the sources of WHEN and UNLESS in the schema. */
#ifndef PERFDATA_WHEN_H
#define PERFDATA_WHEN_H

#include <perfdata/codec.h>
#include <perfdata/constants.h>

#define PI_MASK_sample_type(bit_) PD_SAMPLE_##bit_
#define PI_MASK_read_format(bit_) PD_FORMAT_##bit_
#define PI_MASK_branch_sample_type(bit_) PD_BRANCH_SAMPLE_##bit_
#define PI_MASK_misc(bit_) PD_MISC_##bit_
#define PI_MASK_variant(bit_) \
    (PD_VARIANT_##bit_ & ~PI_VARIANT_UNKNOWN_REGS) /* in straight-line code, which takes none for such */

/*
 * With one of these variants, all behind an abi of registers is `rest`. The tables alone read and write that.
 */
#define PI_VARIANT_UNKNOWN_REGS (PD_VARIANT_UNKNOWN_USER_REGS | PD_VARIANT_UNKNOWN_INTR_REGS)

/* REGS: which mask of the attr counts the registers. */
#define PI_REGS_user 0
#define PI_REGS_intr 1

/* REGS, LATE: the known bits of an abi. The data behind an abi with others is unknown. */
#define PI_REGS_ABI_BITS (UINT64_C(0) | PD_REGS_ABI_32 | PD_REGS_ABI_64 | PD_REGS_SIMD)

static inline bool pi_abi_unknown(uint64_t abi)
{
    return (abi & ~PI_REGS_ABI_BITS) != 0;
}

/* True if the abi has, or may have, more than the registers. One test for both in straight-line code. */
/*@ assigns \nothing; */
static inline bool pi_abi_unusual(uint64_t abi)
{
    return __builtin_expect((abi & ~(PI_REGS_ABI_BITS & ~(uint64_t)PD_REGS_SIMD)) != 0, 0);
}

#endif
