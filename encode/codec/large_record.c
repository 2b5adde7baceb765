/* SPDX-License-Identifier: MIT */
/* large_record.c - simpleperf's large records, encoded and cut, the mirror of src/codec/large_record.c. */
#include "src/codec/interpret.h"
#include "src/schema/fail.h"
#include "src/schema/schema.h"
#include "src/support/wire.h"
#include <perfdata/session/large_record.h>

static const struct pd_op nothing[] = {{.kind = PI_OP_HEAD}, {.kind = PI_OP_END}};

enum pd_code pd_large_record_encode(enum pd_order order, const struct pd_large_record *large, void *out,
                                    size_t cap, size_t *size, struct pd_error *error)
{
    const struct pd_shape shape = {0};
    const struct pd_op *layout = large->layout    ? large->layout
                                 : large->raw.ptr ? nothing
                                                  : pi_layout_of(large->type);
    uint8_t *p = out;
    const size_t room = out && cap > 8 ? cap - 8 : 0;
    const enum pd_code code = pi_interpret_put_section(layout ? layout : nothing, &shape, order, &large->u,
                                                       &large->rest, room ? p + 8 : NULL, room, size, error);
    if (code && code != PD_ESPACE)
        return code;
    *size += 8;
    if (*size > UINT32_MAX)
        return pi_fail(error, PD_ELIMIT, PD_NOWHERE, "size", *size, UINT32_MAX);
    if (large->size && large->size != *size)
        return pi_fail(error, PD_ECOUNT, PD_NOWHERE, "size", large->size, *size);
    if (out && *size > cap)
        return pi_fail(error, PD_ESPACE, PD_NOWHERE, "record", cap, *size);
    if (out) {
        pi_store32(p, large->type, order);
        pi_store16(p + 4, (uint16_t)(*size >> 16), order);
        pi_store16(p + 6, (uint16_t)*size, order);
    }
    return PD_OK;
}

static void put_header(uint8_t *p, uint32_t type, size_t size, enum pd_order order)
{
    pi_store32(p, type, order);
    pi_store16(p + 4, 0, order);
    pi_store16(p + 6, (uint16_t)size, order);
}

int pd_large_record_cut(enum pd_order order, const void *bytes, size_t n,
                        int (*piece)(void *user, const void *record, size_t size), void *user)
{
    uint8_t record[UINT16_MAX];
    const uint8_t *p = bytes;
    const size_t most = sizeof record - 8;
    int stop = 0;
    if (n <= UINT16_MAX)
        return piece(user, bytes, n);
    while (!stop && n) {
        const size_t part = n < most ? n : most;
        put_header(record, PD_RECORD_SIMPLEPERF_SPLIT, 8 + part, order);
        memcpy(record + 8, p, part);
        stop = piece(user, record, 8 + part);
        p += part;
        n -= part;
    }
    put_header(record, PD_RECORD_SIMPLEPERF_SPLIT_END, 8, order);
    return stop ? stop : piece(user, record, 8);
}
