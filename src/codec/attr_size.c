/* SPDX-License-Identifier: MIT */
/* attr_size.c - the end of an attr, which contains its size, in the available bytes. */
#include "parts.h"
#include "src/schema/fail.h"
#include "src/support/wire.h"

enum pd_code pi_attr_place(enum pd_order order, const uint8_t *bytes, size_t n, size_t *room,
                           struct pd_error *error)
{
    *room = n;
    if (n < 8)
        return pi_fail(error, PD_ESHORT, PD_NOWHERE, "attr", n, 8);
    const uint32_t said = pi_load32(bytes + 4, order);
    const size_t size = said ? said : PD_ATTR_SIZE_VER0;
    if (size <= n)
        *room = size;
    if (size >= PD_ATTR_SIZE_VER0 && size <= n)
        return PD_OK;
    if (*room < PD_ATTR_SIZE_VER0)
        *room = n < PD_ATTR_SIZE_VER0 ? n : PD_ATTR_SIZE_VER0;
    return pi_fail(error, PD_ECOUNT, PD_NOWHERE, "attr.size", said, size > n ? n : PD_ATTR_SIZE_VER0);
}
