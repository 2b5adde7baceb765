/* SPDX-License-Identifier: MIT */
/* eva_decode.c - any attr, and any record under it, for Eva; and samples of which it is asked if they fit. */
#include <__fc_builtin.h>
#include <perfdata/attr.h>
#include <perfdata/codec.h>
#include "src/codec/usual.h"

static uint8_t attr_bytes[65535], bytes[65535];
static struct pd_record record;

int main(void)
{
    struct pd_attr attr;
    struct pd_plan plan;
    struct pd_error error;
    const enum pd_order order = (enum pd_order)Frama_C_interval(PD_LITTLE, PD_BIG);
    Frama_C_make_unknown((char *)attr_bytes, sizeof attr_bytes);
    Frama_C_make_unknown((char *)bytes, sizeof bytes);
    if (pd_attr_decode(order, attr_bytes, Frama_C_unsigned_int_interval(0, 65535), &attr, &error))
        return 0;
    pd_plan_init(&plan, Frama_C_nondet(0, 1) ? &attr : (const struct pd_attr *)0, order);
    while (Frama_C_nondet(0, 1)) /* a record may have held another one */
        pd_record_decode(&plan, bytes, Frama_C_unsigned_int_interval(0, 65535), &record, &error);
    while (Frama_C_nondet(0, 1)) {
        pi_sample_fits(&plan, bytes, Frama_C_unsigned_int_interval(8, 65535));
        pi_unusual_fits(&plan, bytes, Frama_C_unsigned_int_interval(8, 65535));
    }
    return 0;
}
