/* SPDX-License-Identifier: MIT */
/*
 * eva_feature.c - any bytes as a feature, as what a record carries of one, as the arrays of a BPF program,
 * and as a large record of simpleperf, for Eva. What the tables' decoder makes of them is any value; its
 * strings begin in what was given.
 */
#include "src/codec/carried.h"
#include "src/codec/interpret.h"
#include "src/schema/schema.h"
#include <__fc_builtin.h>
#include <perfdata/feature.h>
#include <perfdata/session/fields.h>
#include <perfdata/session/large_record.h>

static uint8_t bytes[65535], swapped[65535];
static struct pd_record record;
static struct pd_feature feature;
static struct pd_large_record large;

static bool any(void)
{
    return Frama_C_nondet(0, 1);
}

static const uint8_t *any_place(void)
{
    return bytes + Frama_C_unsigned_int_interval(0, 65535);
}

enum pd_code pi_interpret_section(const struct pd_op *layout, const struct pd_shape *shape,
                                  enum pd_order order, const void *from, size_t n, void *out,
                                  struct pd_bytes *rest, struct pd_error *error)
{
    //@ assert there: n == 0 || \valid_read((const uint8_t *)from + (0 .. n - 1));
    //@ assert room: \valid((uint8_t *)out + (0 .. layout->offset - 1));
    Frama_C_make_unknown((char *)out, layout->offset);
    *rest = (struct pd_bytes){any_place(), Frama_C_unsigned_int_interval(0, 65535)};
    if (any() && error)
        Frama_C_make_unknown((char *)error, sizeof *error);
    return any() ? PD_OK : PD_ECOUNT;
}

bool pi_list_take(struct pd_list *l, const struct pd_op *layout, void *out)
{
    struct pd_build_id_entry *e = out;
    Frama_C_make_unknown((char *)e, sizeof *e);
    e->file.filename.ptr = (const char *)any_place();
    return any();
}

bool pd_build_id_entry_next(struct pd_list *l, struct pd_build_id_entry *out)
{
    return pi_list_take(l, NULL, out);
}

int main(void)
{
    struct pd_error error;
    struct pd_bpf_prog prog;
    struct pd_plan plan;
    struct pd_error *const said = any() ? &error : NULL;
    const enum pd_order order = (enum pd_order)Frama_C_interval(PD_LITTLE, PD_BIG);
    const size_t n = Frama_C_unsigned_int_interval(0, 65535);
    Frama_C_make_unknown((char *)bytes, sizeof bytes);
    Frama_C_make_unknown((char *)swapped, sizeof swapped);
    Frama_C_make_unknown((char *)&prog, sizeof prog);
    Frama_C_make_unknown((char *)&record, sizeof record);
    Frama_C_make_unknown((char *)&plan, sizeof plan);
    //@ loop unroll 300;
    for (uint32_t id = 0; id < 256; id++)
        pd_feature_decode(order, id, Frama_C_unsigned_int_interval(0, UINT32_MAX), bytes, n, &feature, said);
    pd_feature_decode(order, Frama_C_unsigned_int_interval(256, UINT32_MAX), 0, bytes, n, &feature, said);
    pd_feature_decode(order, PD_FEAT_HOSTNAME, 0, NULL, 0, &feature, said);
    pd_large_record_decode(order, bytes, n, &large, said);
    record.raw = bytes;
    record.plan = any() ? &plan : NULL;
    record.decoded = any();
    record.old_feature = any();
    record.layout = any() ? pi_layouts[0]() : NULL;
    record.u.header_feature.data = (struct pd_bytes){any_place(), Frama_C_unsigned_int_interval(0, 65535)};
    pd_feature_of_record(&record, &feature);
    prog.data = (struct pd_bytes){bytes, n};
    pi_bpf_swap_arrays(&prog, swapped);
    return 0;
}
