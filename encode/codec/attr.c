/* SPDX-License-Identifier: MIT */
/* attr.c - the encode half of src/codec/attr.c. */
#include "src/codec/parts.h"
#include "src/schema/fail.h"
#include "src/schema/schema.h"
#include "src/schema/passes/walk.h"
#include "src/support/wire.h"

/* The name of the field that holds byte `at`. */
static const char *field_at(const struct pd_attr *attr, size_t at)
{
    const struct pd_shape shape = {0};
    const struct pd_op *op = pi_present(pi_layout_attr(), &shape, attr);
    size_t end = pi_scalar_width(op);
    for (; op->kind != PI_OP_END && end <= at; end += pi_scalar_width(op))
        op = pi_present(op + 1, &shape, attr);
    return op->kind == PI_OP_END ? "attr" : op->name;
}

enum pd_code pd_attr_encode(enum pd_order order, const struct pd_attr *attr, void *out, size_t n,
                            struct pd_error *error)
{
    uint8_t whole[PD_ATTR_SIZE];
    const size_t most = pd_attr_bytes(attr) - attr->tail.n;
    const size_t known = n - attr->tail.n;
    if (n < attr->tail.n || known > most || known < 8 || (attr->tail.n && known != most))
        return pi_fail(error, PD_ECOUNT, PD_NOWHERE, "attr.size", n, pd_attr_bytes(attr));
    struct pd_attr fields = *attr;
    fields.tail.n = 0;
    pi_attr_put(&fields, order, whole);
    for (size_t i = known; i < sizeof whole; i++)
        if (whole[i])
            return pi_fail(error, PD_EVALUE, PD_NOWHERE, field_at(attr, i), whole[i], 0);
    memcpy(out, whole, known);
    if (attr->tail.n)
        memcpy((uint8_t *)out + known, attr->tail.ptr, attr->tail.n);
    return PD_OK;
}
