/* SPDX-License-Identifier: MIT */
/* walk.h - going through the lines of a layout that are present under a shape. All table-driven code starts here. */
#ifndef PERFDATA_WALK_H
#define PERFDATA_WALK_H

#include "schema.h"
#include "when.h"

static inline bool pd_test(const struct pd_op *op, const struct pd_shape *s)
{
    const uint64_t values[] = {
        [PD_SRC_sample_type] = s->sample_type,
        [PD_SRC_read_format] = s->read_format,
        [PD_SRC_branch_sample_type] = s->branch_sample_type,
        [PD_SRC_misc] = s->misc,
        [PD_SRC_variant] = s->variant,
    };
    return !(values[op->src] & op->arg) == (op->kind == PD_OP_UNLESS);
}

/* The DONE that belongs to the WHEN or UNLESS `op`. */
static inline const struct pd_op *pd_done(const struct pd_op *op)
{
    for (int depth = 0;; op++) {
        depth += (op->kind == PD_OP_WHEN || op->kind == PD_OP_UNLESS) - (op->kind == PD_OP_DONE);
        if (depth == 0)
            return op;
    }
}

/* The first field at or after `op` that is present, or the PD_OP_END. */
static inline const struct pd_op *pd_present(const struct pd_op *op, const struct pd_shape *s)
{
    for (;; op++) {
        if ((op->kind == PD_OP_WHEN || op->kind == PD_OP_UNLESS) && !pd_test(op, s))
            op = pd_done(op);
        else if (op->kind != PD_OP_HEAD && op->kind < PD_OP_ALIAS)
            return op;
        else if (op->kind == PD_OP_END)
            return op;
    }
}

/* Bytes of a scalar in the stream and in the struct; 0 for other kinds. */
static inline unsigned pd_scalar_width(const struct pd_op *op)
{
    switch (op->kind) {
    case PD_OP_U8: return 1;
    case PD_OP_U16: return 2;
    case PD_OP_U32:
    case PD_OP_S32:
    case PD_OP_B32: return 4;
    case PD_OP_U64:
    case PD_OP_B64:
    case PD_OP_OPT64: return 8;
    default: return 0;
    }
}

/* The number that counts `op`'s items, from the struct. */
static inline uint64_t pd_count(const struct pd_op *op, const struct pd_shape *s, const void *v)
{
    const uint8_t *p = (const uint8_t *)v + op->count_offset;
    uint64_t n = 0;
    switch (op->count_width) {
    case 1: n = *p; break;
    case 2: n = *(const uint16_t *)(const void *)p; break;
    case 4: n = *(const uint32_t *)(const void *)p; break;
    default: n = *(const uint64_t *)(const void *)p; break;
    }
    return op->kind == PD_OP_REGS ? (n ? s->n_regs[op->src] : 0) : n;
}

static inline uint64_t pd_scalar_get(const struct pd_op *op, const void *v)
{
    const void *p = (const uint8_t *)v + op->offset;
    switch (pd_scalar_width(op)) {
    case 1: return *(const uint8_t *)p;
    case 2: return *(const uint16_t *)p;
    case 4: return op->kind == PD_OP_S32 ? (uint64_t)(int64_t) * (const int32_t *)p : *(const uint32_t *)p;
    default: return *(const uint64_t *)p;
    }
}

static inline void pd_scalar_set(const struct pd_op *op, void *v, uint64_t value)
{
    void *p = (uint8_t *)v + op->offset;
    switch (pd_scalar_width(op)) {
    case 1: *(uint8_t *)p = (uint8_t)value; break;
    case 2: *(uint16_t *)p = (uint16_t)value; break;
    case 4: *(uint32_t *)p = (uint32_t)value; break;
    default: *(uint64_t *)p = value; break;
    }
}

/* Bytes of the scalars of a layout: what a list element takes. */
static inline size_t pd_layout_bytes(const struct pd_op *head, const struct pd_shape *s)
{
    size_t n = 0;
    for (const struct pd_op *op = pd_present(head, s); op->kind != PD_OP_END; op = pd_present(op + 1, s)) {
        if (op->kind == PD_OP_SUB)
            n += pd_layout_bytes(op->sub(), s);
        else if (op->kind == PD_OP_ARR)
            n += op->arg;
        else if (op->kind != PD_OP_OPT64)
            n += pd_scalar_width(op);
    }
    return n;
}

/* Element `i` of a list whose elements are of `layout`, into a struct of it: through the tables. */
void pd_list_get(const struct pd_list *l, const struct pd_op *layout, size_t i, void *out);

#endif
