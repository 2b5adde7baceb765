/* SPDX-License-Identifier: MIT */
/* eva_tables.c - any bytes, read by each table of the schema into as many bytes as its value has, for Eva. */
#include "src/codec/interpret.h"
#include "src/schema/schema.h"
#include <__fc_builtin.h>

static uint8_t bytes[65535], value[65536];

int main(void)
{
    struct pd_shape shape;
    struct pd_bytes rest;
    struct pd_error error;
    const enum pd_order order = (enum pd_order)Frama_C_interval(PD_LITTLE, PD_BIG);
    Frama_C_make_unknown((char *)bytes, sizeof bytes);
    Frama_C_make_unknown((char *)&shape, sizeof shape);
    //@ loop unroll 300;
    for (size_t i = 0; i < pi_n_layouts; i++) {
        const struct pd_op *head = pi_layouts[i]();
        /* a value that ends where its memory ends */
        pi_interpret_section(head, &shape, order, bytes, Frama_C_unsigned_int_interval(0, 65535),
                             value + sizeof value - head->offset, &rest, &error);
    }
    return 0;
}
