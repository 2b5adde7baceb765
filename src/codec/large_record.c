/* SPDX-License-Identifier: MIT */
/* large_record.c - putting simpleperf's large records together again. */
#include "interpret.h"
#include "src/schema/fail.h"
#include "src/schema/schema.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include "src/support/wire.h"
#include <perfdata/session/large_record.h>

void pd_large_parts_free(struct pd_large_parts *s)
{
    pi_release(s->allocator, s->bytes);
    s->bytes = NULL;
    s->n = s->cap = 0;
}

static enum pd_code append(struct pd_large_parts *s, const uint8_t *p, size_t n, struct pd_error *error)
{
    const uint64_t most = s->max_bytes ? s->max_bytes : PI_LIMIT_LARGE_RECORD;
    if (n > most || s->n > most - n)
        return pi_fail(error, PD_ELIMIT, PD_NOWHERE, "record in parts", s->n + n, most);
    if (n == 0)
        return PD_OK;
    if (s->cap - s->n < n) {
        const size_t cap = 2 * (s->n + n);
        uint8_t *bytes = pi_resize(s->allocator, s->bytes, cap);
        if (!bytes)
            return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "record in parts", 0, cap);
        s->bytes = bytes;
        s->cap = cap;
    }
    memcpy(s->bytes + s->n, p, n);
    s->n += n;
    return PD_OK;
}

static enum pd_order other_order(enum pd_order order)
{
    return order == PD_BIG ? PD_LITTLE : PD_BIG;
}

/*
 * When a recording changes its byte order, what was cut keeps the one it was written in, in which its size is
 * right.
 */
static bool is_other_order(enum pd_order order, const uint8_t *p, size_t n)
{
    const enum pd_order other = other_order(order);
    return ((size_t)pi_load16(p + 4, other) << 16 | pi_load16(p + 6, other)) == n;
}

enum pd_code pd_large_parts_add(struct pd_large_parts *s, enum pd_order order, const struct pd_record *rec,
                                struct pd_large_record *large, struct pd_error *error)
{
    large->type = 0;
    if (rec->type == PD_RECORD_SIMPLEPERF_SPLIT)
        return append(s, rec->raw + 8, rec->size - 8u, error);
    if (rec->type != PD_RECORD_SIMPLEPERF_SPLIT_END)
        return PD_OK;
    const size_t n = s->n;
    s->n = 0;
    const enum pd_code code = pd_large_record_decode(order, s->bytes, n, large, error);
    return code == PD_ESIZE && is_other_order(order, s->bytes, n)
               ? pd_large_record_decode(other_order(order), s->bytes, n, large, error)
               : code;
}

enum pd_code pd_large_record_decode(enum pd_order order, const void *bytes, size_t n,
                                    struct pd_large_record *large, struct pd_error *error)
{
    const uint8_t *p = bytes;
    const struct pd_shape shape = {0};
    *large = (struct pd_large_record){.raw = {p, n}};
    if (n < 8)
        return pi_fail(error, PD_ESHORT, PD_NOWHERE, "header", n, 8);
    large->type = pi_load32(p, order);
    large->size = (uint32_t)pi_load16(p + 4, order) << 16 | pi_load16(p + 6, order);
    large->rest = (struct pd_bytes){p + 8, n - 8};
    if (large->size != n)
        return pi_fail(error, PD_ESIZE, 4, "size", large->size, n);
    large->layout = large->type >= PD_RECORD_SIMPLEPERF_KERNEL_SYMBOL ? pi_layout_of(large->type) : NULL;
    if (!large->layout)
        return PD_OK;
    const enum pd_code code =
        pi_interpret_section(large->layout, &shape, order, p + 8, n - 8, &large->u, &large->rest, error);
    if (code)
        large->layout = NULL;
    return code;
}
