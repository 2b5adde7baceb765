/* SPDX-License-Identifier: MIT */
/* follow.c - counts, flags and sizes that follow from other fields. */
#include "follow.h"
#include "walk.h"
#include <string.h>

static bool is_counted(const struct pd_op *op)
{
    switch (op->kind) {
    case PI_OP_VEC16:
    case PI_OP_VEC32:
    case PI_OP_VEC64:
    case PI_OP_LIST:
    case PI_OP_ITEMS:
    case PI_OP_BYTES:
    case PI_OP_SLOT: return true;
    default: return false;
    }
}

/* True if one of the fields between a condition and its DONE is given. */
static bool has_block(const struct pi_given *given, const struct pd_op *condition)
{
    for (const struct pd_op *op = condition + 1, *end = pi_done(condition); op < end; op++)
        if ((op->kind < PI_OP_GIVEN || op->kind == PI_OP_ALIAS) && given->has(given->user, op))
            return true;
    return false;
}

static uint64_t abi_of(const struct pi_given *given, const struct pd_op *regs)
{
    for (const struct pd_op *op = regs; op->kind != PI_OP_END; op++)
        if (op->kind == PI_OP_SUB && op->sub == pi_layout_simd_regs && given->has(given->user, op))
            return PD_REGS_ABI_64_SIMD;
    return given->items(given->user, regs) ? PD_REGS_ABI_64 : 0;
}

/* The number that this line, which it counts or decides, needs; 0: any. */
static uint64_t count_for(const struct pi_given *given, const struct pd_op *line)
{
    if (is_counted(line))
        return given->items(given->user, line);
    switch (line->kind) {
    case PI_OP_REGS: return abi_of(given, line);
    case PI_OP_IS: return has_block(given, line) ? line->arg : 0;
    case PI_OP_LOW: return pi_follow_count(given, line) & line->arg;
    case PI_OP_UNITS: return pi_follow_count(given, line) * line->arg;
    case PI_OP_LESS: return pi_follow_count(given, line) + line->arg;
    default: return 0;
    }
}

uint64_t pi_follow_count(const struct pi_given *given, const struct pd_op *of)
{
    uint64_t n = 0;
    for (const struct pd_op *op = of + 1; op->kind != PI_OP_END && n == 0; op++)
        if (op->count_width && op->count_offset == of->offset)
            n = count_for(given, op);
    return n;
}

bool pi_follow_items(const struct pi_given *given, const struct pd_op *of, uint64_t *n)
{
    bool counts = false;
    *n = 0;
    for (const struct pd_op *op = of + 1; op->kind != PI_OP_END; op++) {
        if (op->count_width == 0 || op->count_offset != of->offset || !is_counted(op))
            continue;
        const uint64_t items = given->items(given->user, op);
        *n = items > *n ? items : *n;
        counts = true;
    }
    return counts;
}

bool pi_follow_flag(const struct pi_given *given, const struct pd_op *flag)
{
    bool has_one = false, one = false, zero = false;
    for (const struct pd_op *op = flag + 1; op->kind != PI_OP_END; op++) {
        if (op->kind != PI_OP_IS || op->count_offset != flag->offset)
            continue;
        has_one |= op->arg == 1;
        if (has_block(given, op))
            *(op->arg == 1 ? &one : &zero) = true;
    }
    return has_one ? one : !zero;
}

uint32_t pi_follow_attr_needs(const struct pd_attr *attr)
{
    const struct pd_shape shape = {0};
    uint32_t at = 0, needs = 0;
    for (const struct pd_op *op = pi_present(pi_layout_attr(), &shape, attr); op->kind != PI_OP_END;
         op = pi_present(op + 1, &shape, attr)) {
        at += pi_scalar_width(op);
        if (pi_scalar_width(op) && pi_scalar_get(op, attr))
            needs = at;
    }
    return attr->tail.n ? at + (uint32_t)attr->tail.n : needs;
}

uint32_t pi_follow_attr_size(const struct pd_attr *attr)
{
    const uint32_t needs = pi_follow_attr_needs(attr);
    uint64_t best = UINT64_MAX;
    for (size_t i = 0; i < pd_set_attr_size.n; i++) {
        const uint64_t size = pd_set_attr_size.names[i].value;
        if (size >= PD_ATTR_SIZE_VER7 && size >= needs && size < best)
            best = size;
    }
    return best == UINT64_MAX ? needs : (uint32_t)best;
}

bool pi_follow_is_attr_size(const struct pd_op *op)
{
    return op[1].kind == PI_OP_PASS && op->kind == PI_OP_U32 && strcmp(op->name, "attr_size") == 0;
}
