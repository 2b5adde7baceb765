/* SPDX-License-Identifier: MIT */
/* when.h - what the sources of WHEN and UNLESS in the schema stand for. */
#ifndef PERFDATA_WHEN_H
#define PERFDATA_WHEN_H

#include <perfdata/codec.h>
#include <perfdata/constants.h>

#define PD_MASK_sample_type(bit_) PD_SAMPLE_##bit_
#define PD_MASK_read_format(bit_) PD_FORMAT_##bit_
#define PD_MASK_branch_sample_type(bit_) PD_BRANCH_SAMPLE_##bit_
#define PD_MASK_misc(bit_) PD_MISC_##bit_
#define PD_MASK_variant(bit_) PD_VARIANT_##bit_

/* REGS: which mask of the attr counts the registers. */
#define PD_REGS_user 0
#define PD_REGS_intr 1

#endif
