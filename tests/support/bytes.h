/* SPDX-License-Identifier: MIT */
/* bytes.h - a sink whose output grows in memory; and one that keeps nothing. */
#ifndef PERFDATA_TESTS_BYTES_H
#define PERFDATA_TESTS_BYTES_H

#include "cmocka_all.h"
#include <stdlib.h>
#include <string.h>

struct bytes {
    uint8_t *p;
    size_t n, cap;
};

static inline int bytes_put(void *user, const void *bytes, size_t n)
{
    struct bytes *b = user;
    if (b->n + n > b->cap) {
        b->cap = 2 * (b->n + n);
        b->p = realloc(b->p, b->cap);
        assert_non_null(b->p);
    }
    if (n)
        memcpy(b->p + b->n, bytes, n);
    b->n += n;
    return 0;
}

static inline int bytes_patch(void *user, uint64_t at, const void *bytes, size_t n)
{
    struct bytes *b = user;
    assert_true(at <= b->n && n <= b->n - at);
    memcpy(b->p + at, bytes, n);
    return 0;
}

static inline int nothing_put(void *user, const void *bytes, size_t n)
{
    (void)user, (void)bytes, (void)n;
    return 0;
}

static inline int nothing_patch(void *user, uint64_t at, const void *bytes, size_t n)
{
    (void)user, (void)at, (void)bytes, (void)n;
    return 0;
}

#endif
