/* SPDX-License-Identifier: MIT */
/* offcpu_bits.h - what a plan knows about off-cpu samples: pd_plan.offcpu. */
#ifndef PERFDATA_OFFCPU_BITS_H
#define PERFDATA_OFFCPU_BITS_H

#include <perfdata/constants.h>
#include <perfdata/records.h>

enum pi_offcpu_bit {
    PI_OFFCPU_ATTR = 1,    /* all but the name of the event is as of an off-cpu event */
    PI_OFFCPU_NAMED = 2,   /* the recording has named the event */
    PI_OFFCPU_IS = 4,      /* it is called so */
    PI_OFFCPU_UPDATED = 8, /* by EVENT_UPDATE, which counts more than EVENT_DESC */
};

/* All but the name. */
static inline bool pi_offcpu_may_be(const struct pd_attr *attr)
{
    return attr->type == PD_TYPE_SOFTWARE && attr->config == PD_SW_BPF_OUTPUT &&
           attr->sample_type & PD_SAMPLE_RAW;
}

#endif
