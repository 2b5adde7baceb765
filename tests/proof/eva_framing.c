/* SPDX-License-Identifier: MIT */
/* eva_framing.c - any bytes, framed as a record, where there are as many as is said and no more, for Eva. */
#include <__fc_builtin.h>
#include <perfdata/codec.h>

static uint8_t bytes[8];

int main(void)
{
    struct pd_record record;
    struct pd_error error;
    Frama_C_make_unknown((char *)bytes, sizeof bytes);
    Frama_C_make_unknown((char *)&record, sizeof record);
    //@ loop unroll 2;
    for (int order = PD_LITTLE; order <= PD_BIG; order++) {
        struct pd_error *const said = Frama_C_nondet(0, 1) ? &error : (struct pd_error *)0;
        //@ loop unroll 8;
        for (size_t n = 0; n < 8; n++) /* the begin of a header, up to the end of the memory */
            pd_record_frame((enum pd_order)order, bytes + sizeof bytes - n, n, &record, said);
        pd_record_frame((enum pd_order)order, (const void *)0, 0, &record, said);
        /* a header, whatever number of bytes is said to follow: none is read */
        pd_record_frame((enum pd_order)order, bytes, Frama_C_unsigned_long_interval(8, SIZE_MAX), &record,
                        said);
    }
    return 0;
}
