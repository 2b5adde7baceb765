/* SPDX-License-Identifier: MIT */
/* offcpu.c - see offcpu.h. */
#include "offcpu.h"
#include "src/codec/interpret.h"
#include "src/codec/offcpu_bits.h"
#include "src/schema/schema.h"
#include <perfdata/constants.h>

bool pi_find_offcpu(const struct pd_record *rec, struct pd_offcpu *offcpu, enum pd_order *order)
{
    if (rec->type != PD_RECORD_SAMPLE || !rec->decoded || !rec->layout || !rec->plan || !rec->plan->offcpu ||
        !pd_offcpu_decode(rec->plan, &rec->u.sample.raw, offcpu))
        return false;
    *order = (enum pd_order)offcpu->ips.form;
    return rec->plan->offcpu & PI_OFFCPU_IS ||
           (offcpu->ips.n && pd_vec_at(&offcpu->ips, 0) >= PD_CONTEXT_MAX);
}

void pi_put_offcpu(const struct pd_offcpu *offcpu, enum pd_order order, uint8_t *bytes, size_t n)
{
    static const struct pd_shape shape;
    static const struct pd_bytes none;
    pi_interpret_put_section(pi_layout_offcpu(), &shape, order, offcpu, &none, bytes, n, &n, NULL);
}
