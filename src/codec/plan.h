/* SPDX-License-Identifier: MIT */
/* plan.h - compares plans. */
#ifndef PERFDATA_PLAN_H
#define PERFDATA_PLAN_H

#include <perfdata/codec.h>
#include <string.h>

/* True if the records of both are laid out alike. */
static inline bool pi_plans_are_alike(const struct pd_plan *a, const struct pd_plan *b)
{
    return a->order == b->order && a->shape.sample_type == b->shape.sample_type &&
           a->shape.read_format == b->shape.read_format &&
           a->shape.branch_sample_type == b->shape.branch_sample_type && a->id_all == b->id_all &&
           a->unknown == b->unknown && a->unknown_read == b->unknown_read &&
           memcmp(a->shape.n_regs, b->shape.n_regs, sizeof a->shape.n_regs) == 0;
}

#endif
