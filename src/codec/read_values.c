/* SPDX-License-Identifier: MIT */
/* read_values.c - READ values of either form as a sequence of counters. */
#include "parts.h"

static bool is_group(const struct pd_plan *plan)
{
    return plan->shape.read_format & PD_FORMAT_GROUP;
}

size_t pd_read_values_n(const struct pd_plan *plan, const struct pd_read_values *v)
{
    return is_group(plan) ? v->values.n : 1;
}

void pd_read_values_get(const struct pd_plan *plan, const struct pd_read_values *v, size_t i,
                        struct pd_read_value *out)
{
    if (is_group(plan))
        pd_read_value_at(&v->values, i, out);
    else
        *out = (struct pd_read_value){.value = v->value, .id = v->id, .lost = v->lost};
}
