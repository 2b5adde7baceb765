/* SPDX-License-Identifier: MIT */
/* attr.c - perf_event_attr of any size, and the plan computed from it. */
#include "src/schema/passes/budget.h"
#include "offcpu_bits.h"
#include "parts.h"
#include "usual.h"
#include "src/schema/fail.h"
#include "src/schema/schema.h"
#include "src/schema/passes/when.h"
#include "src/schema/passes/walk.h"
#include "src/support/wire.h"

/* Bytes of the known fields of an attr with this `size`; a field that the size cuts does not count. */
static size_t known_bytes(uint32_t size)
{
    if (size < PD_ATTR_SIZE_VER0)
        return PD_ATTR_SIZE_VER0;
    return pi_attr_whole(size < PD_ATTR_SIZE ? size : PD_ATTR_SIZE);
}

enum pd_code pd_attr_decode(enum pd_order order, const void *bytes, size_t n, struct pd_attr *attr,
                            struct pd_error *error)
{
    uint8_t whole[PD_ATTR_SIZE] = {0};
    memset(attr, 0, sizeof *attr);
    if (n < 8)
        return pi_fail(error, PD_ESHORT, PD_NOWHERE, "attr", n, 8);
    size_t known = known_bytes(pi_load32((const uint8_t *)bytes + 4, order));
    if (known > n)
        known = n;
    memcpy(whole, bytes, known);
    pi_attr_take(whole, order, attr);
    attr->tail = (struct pd_bytes){(const uint8_t *)bytes + known, n - known};
    return PD_OK;
}

size_t pd_attr_bytes(const struct pd_attr *attr)
{
    return known_bytes(attr->size) + attr->tail.n;
}

static uint16_t words_before(uint64_t sample_type, uint64_t mask)
{
    return (uint16_t)(8 + 8 * __builtin_popcountll(sample_type & mask));
}

/* Offset of the field `bit` of a sample whose earlier fixed fields are `before`; 0 when it is absent. */
static uint16_t place(uint64_t sample_type, uint64_t bit, uint64_t before)
{
    return sample_type & bit ? words_before(sample_type, before) : 0;
}

/* The same in the trailer, counted from its end. `from` are the fields from this one on. */
static uint16_t trailer_place(uint64_t sample_type, uint64_t bit, uint64_t from)
{
    return sample_type & bit ? (uint16_t)(8 * __builtin_popcountll(sample_type & from)) : 0;
}

static void plan_places(struct pd_plan *plan, uint64_t st)
{
    const uint64_t to_tid = PD_SAMPLE_IDENTIFIER | PD_SAMPLE_IP, to_time = to_tid | PD_SAMPLE_TID;
    const uint64_t to_addr = to_time | PD_SAMPLE_TIME, to_id = to_addr | PD_SAMPLE_ADDR;
    const uint64_t to_cpu = to_id | PD_SAMPLE_ID | PD_SAMPLE_STREAM_ID;
    plan->ip = place(st, PD_SAMPLE_IP, PD_SAMPLE_IDENTIFIER);
    plan->pid = place(st, PD_SAMPLE_TID, to_tid);
    plan->time = place(st, PD_SAMPLE_TIME, to_time);
    plan->addr = place(st, PD_SAMPLE_ADDR, to_addr);
    plan->id = st & PD_SAMPLE_IDENTIFIER ? 8 : place(st, PD_SAMPLE_ID, to_id);
    plan->cpu = place(st, PD_SAMPLE_CPU, to_cpu);
    plan->period = place(st, PD_SAMPLE_PERIOD, to_cpu | PD_SAMPLE_CPU);
    plan->read = place(st, PD_SAMPLE_READ, to_cpu | PD_SAMPLE_CPU | PD_SAMPLE_PERIOD);

    const uint64_t from_cpu = PD_SAMPLE_CPU | PD_SAMPLE_IDENTIFIER,
                   from_stream = from_cpu | PD_SAMPLE_STREAM_ID;
    const uint64_t from_id = from_stream | PD_SAMPLE_ID, from_time = from_id | PD_SAMPLE_TIME;
    plan->trailer_cpu = trailer_place(st, PD_SAMPLE_CPU, from_cpu);
    plan->trailer_id = st & PD_SAMPLE_IDENTIFIER ? 8 : trailer_place(st, PD_SAMPLE_ID, from_id);
    plan->trailer_time = trailer_place(st, PD_SAMPLE_TIME, from_time);
    plan->trailer_pid = trailer_place(st, PD_SAMPLE_TID, from_time | PD_SAMPLE_TID);
}

/* A number for each usual sample type. With bits about branches the usual variant might not be 0. */
static uint8_t usual(const struct pd_plan *plan)
{
    if (plan->shape.branch_sample_type)
        return 0;
    switch (plan->shape.sample_type) {
#define USUAL(number_, sample_type_) \
    case sample_type_: return number_;
        PI_EACH_USUAL(USUAL)
#undef USUAL
    default: return 0;
    }
}

/*
 * The bits that decide which fields a sample has, if it is one that can be decoded: unknown ones are refused.
 */
static uint64_t key(const struct pd_plan *plan)
{
    const uint64_t branch = PD_BRANCH_SAMPLE_HW_INDEX | PD_BRANCH_SAMPLE_COUNTERS;
    _Static_assert((PD_BRANCH_SAMPLE_HW_INDEX | PD_BRANCH_SAMPLE_COUNTERS) < UINT64_C(1) << 20,
                   "bits 40 to 59");
    _Static_assert(PD_FORMAT_LOST < 1 << 8, "bits 32 to 39");
    return UINT64_C(1) << 63 | (plan->shape.branch_sample_type & branch) << 40 |
           (uint64_t)(plan->shape.read_format & 0xff) << 32 | (plan->shape.sample_type & UINT32_MAX);
}

void pd_plan_init(struct pd_plan *plan, const struct pd_attr *attr, enum pd_order order)
{
    static const struct pd_attr none;
    if (attr == NULL)
        attr = &none;
    *plan = (struct pd_plan){.order = (uint8_t)order};
    plan->shape.sample_type = attr->sample_type;
    plan->shape.branch_sample_type = attr->branch_sample_type;
    plan->shape.read_format = (uint32_t)attr->read_format;
    plan->shape.n_regs[PI_REGS_user] = (uint8_t)__builtin_popcountll(attr->sample_regs_user);
    plan->shape.n_regs[PI_REGS_intr] = (uint8_t)__builtin_popcountll(attr->sample_regs_intr);
    plan->id_all = attr->flags & PD_ATTR_SAMPLE_ID_ALL;
    plan->unknown_read = attr->read_format & ~pi_set_mask(&pd_set_read_format);
    plan->unknown = attr->sample_type & ~pi_set_mask(&pd_set_sample_type) ||
                    (attr->sample_type & PD_SAMPLE_READ && plan->unknown_read);
    plan->trailer = (uint16_t)budget_sample_id(&plan->shape);
    plan->budget = (uint16_t)budget_sample(&plan->shape);
    plan->usual = usual(plan);
    plan->key = key(plan);
    plan->offcpu = pi_offcpu_may_be(attr) ? PI_OFFCPU_ATTR : 0;
    plan_places(plan, attr->sample_type);
}
