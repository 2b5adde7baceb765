/* SPDX-License-Identifier: MIT */
/* options.c - options of another version of the library. */
#include "options.h"
#include "fail.h"
#include <string.h>

static bool is_zero(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i])
            return false;
    return true;
}

enum pd_code pi_options_fit(void *own, size_t own_size, const void *given, const char *struct_name,
                            struct pd_error *error)
{
    size_t size;
    memset(own, 0, own_size);
    memcpy(&size, given, sizeof size);
    const bool newer = size > own_size && !is_zero((const uint8_t *)given + own_size, size - own_size);
    if (size < sizeof size || newer)
        return pi_fail(error, PD_EARG, PD_NOWHERE, struct_name, size, own_size);
    memcpy(own, given, size < own_size ? size : own_size);
    memcpy(own, &own_size, sizeof own_size);
    return PD_OK;
}
