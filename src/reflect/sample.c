/* SPDX-License-Identifier: MIT */
/* sample.c - the words of samples taken apart, and times of other clocks. */
#include "src/codec/parts.h"
#include "src/support/wrap.h"
#include <perfdata/constants.h>
#include <perfdata/session/sample.h>
#include <strings.h>
#include <string.h>

/* ---- Words */

static bool is_sample(const struct pd_record *rec, uint64_t with)
{
    return rec->type == PD_RECORD_SAMPLE && rec->plan && rec->plan->shape.sample_type & with;
}

bool pd_sample_reg(const struct pd_record *rec, bool user, enum pd_arch arch, const char *name,
                   uint64_t *value)
{
    const struct pd_sample *s = &rec->u.sample;
    const int bit = pd_reg_from_name(arch, name);
    if (bit < 0 || bit > 63 || rec->attr == NULL ||
        !is_sample(rec, user ? PD_SAMPLE_REGS_USER : PD_SAMPLE_REGS_INTR))
        return false;
    const uint64_t mask = user ? rec->attr->sample_regs_user : rec->attr->sample_regs_intr,
                   abi = user ? s->regs_user.abi : s->regs_intr.abi;
    const struct pd_vec *regs = user ? &s->regs_user.regs : &s->regs_intr.regs;
    const char *meant = pd_reg_name_of_abi(arch, abi, (unsigned)bit);
    const size_t before = (size_t)__builtin_popcountll(mask & ((UINT64_C(1) << bit) - 1));
    if (!(mask >> bit & 1) || before >= regs->n || meant == NULL || strcasecmp(meant, name) != 0)
        return false;
    *value = pd_vec_at(regs, before);
    return true;
}

static uint64_t part_of(const struct pd_set *set, const char *name, uint64_t word)
{
    const struct pd_name *field = pd_set_field(set, name);
    return field ? pd_bits_get(field, word) : 0;
}

bool pd_sample_weights(const struct pd_record *rec, struct pd_weights *weights)
{
    *weights = (struct pd_weights){0};
    if (is_sample(rec, PD_SAMPLE_WEIGHT)) {
        weights->weight = rec->u.sample.weight;
        return true;
    }
    if (!is_sample(rec, PD_SAMPLE_WEIGHT_STRUCT))
        return false;
    const uint64_t word = rec->u.sample.weight_struct;
    weights->weight = part_of(&pd_set_weight_struct, "var1_dw", word);
    weights->latency = (uint16_t)part_of(&pd_set_weight_struct, "var2_w", word);
    weights->retire = (uint16_t)part_of(&pd_set_weight_struct, "var3_w", word);
    return true;
}

bool pd_sample_data_src(const struct pd_record *rec, struct pd_data_src *d)
{
    *d = (struct pd_data_src){0};
    if (!is_sample(rec, PD_SAMPLE_DATA_SRC))
        return false;
    const uint64_t word = rec->u.sample.data_src;
    const struct pd_set *set = &pd_set_data_src;
    d->op = (uint8_t)part_of(set, "mem_op", word);
    d->lvl = (uint16_t)part_of(set, "mem_lvl", word);
    d->snoop = (uint8_t)part_of(set, "mem_snoop", word);
    d->lock = (uint8_t)part_of(set, "mem_lock", word);
    d->dtlb = (uint8_t)part_of(set, "mem_dtlb", word);
    d->lvl_num = (uint8_t)part_of(set, "mem_lvl_num", word);
    d->remote = (uint8_t)part_of(set, "mem_remote", word);
    d->snoopx = (uint8_t)part_of(set, "mem_snoopx", word);
    d->blk = (uint8_t)part_of(set, "mem_blk", word);
    d->hops = (uint8_t)part_of(set, "mem_hops", word);
    d->region = (uint8_t)part_of(set, "mem_region", word);
    return true;
}

const struct pd_set *pd_set_by_id(const char *id)
{
    for (size_t i = 0; i < pd_n_sets; i++)
        if (strcmp(pd_sets[i]->id, id) == 0)
            return pd_sets[i];
    return NULL;
}

/* ---- Counters and tracepoints */

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
    if (raw->data.n < PI_BYTES_tracepoint_common)
        return false;
    pi_tracepoint_common_take(raw->data.ptr, (enum pd_order)plan->order, out);
    return true;
}

/* ---- Times: sums and products wrap around, as the kernel's do */

PI_WRAPS uint64_t pd_time_from_counter(const struct pd_time_conv *conv, uint64_t counter)
{
    const unsigned shift = (unsigned)conv->time_shift & 63;
    if (conv->cap_user_time_short)
        counter = conv->time_cycles + ((counter - conv->time_cycles) & conv->time_mask);
    const uint64_t quot = counter >> shift, rem = counter & ((UINT64_C(1) << shift) - 1);
    return conv->time_zero + quot * conv->time_mult + (rem * conv->time_mult >> shift);
}

PI_WRAPS uint64_t pd_time_to_counter(const struct pd_time_conv *conv, uint64_t time)
{
    const unsigned shift = (unsigned)conv->time_shift & 63;
    const uint64_t t = time - conv->time_zero;
    if (conv->time_mult == 0)
        return 0;
    const uint64_t quot = t / conv->time_mult, rem = t % conv->time_mult;
    return (quot << shift) + (rem << shift) / conv->time_mult;
}

PI_WRAPS uint64_t pd_time_to_wall(const struct pd_feature_clock_data *clock, uint64_t time)
{
    return time - clock->clockid_time_ns + clock->wall_clock_ns;
}

PI_WRAPS uint64_t pd_time_from_wall(const struct pd_feature_clock_data *clock, uint64_t wall)
{
    return wall - clock->wall_clock_ns + clock->clockid_time_ns;
}
