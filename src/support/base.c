/* SPDX-License-Identifier: MIT */
/* base.c - access to vectors in any form. */
#include "wire.h"

static enum pd_order order_of(uint8_t form)
{
    return form == PD_FORM_STRUCT ? PD_HOST_ORDER : (enum pd_order)form;
}

uint64_t pd_vec_at(const struct pd_vec *v, size_t i)
{
    return pi_load((const uint8_t *)v->ptr + i * v->width, v->width, order_of(v->form));
}

void pd_vec_copy(const struct pd_vec *v, size_t first, size_t n, uint64_t *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = pd_vec_at(v, first + i);
}
