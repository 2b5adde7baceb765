/* SPDX-License-Identifier: MIT */
/* read_values.c - READ values of either form as a sequence of counters; the common fields of tracepoints. */
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

bool pd_read_values_single(const struct pd_plan *plan, const struct pd_read_values *v,
                           struct pd_read_value *out)
{
    if (pd_read_values_n(plan, v) != 1)
        return false;
    pd_read_values_get(plan, v, 0, out);
    return true;
}

bool pd_raw_common(const struct pd_plan *plan, const struct pd_raw_data *raw,
                   struct pd_tracepoint_common *out)
{
    if (raw->data.n < PD_BYTES_tracepoint_common)
        return false;
    pi_tracepoint_common_take(raw->data.ptr, (enum pd_order)plan->order, out);
    return true;
}
