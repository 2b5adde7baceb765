/* SPDX-License-Identifier: MIT */
/* memory.h - all allocation goes through here. */
#ifndef PERFDATA_MEMORY_H
#define PERFDATA_MEMORY_H

#include <perfdata/base.h>
#include <stdlib.h>
#include <string.h>

static inline void *pi_resize(const struct pd_allocator *a, void *old, size_t size)
{
    if (size == 0)
        size = 1;
    return a ? a->resize(a->user, old, size) : realloc(old, size);
}

static inline void pi_release(const struct pd_allocator *a, void *p)
{
    if (p == NULL)
        return;
    if (a)
        a->release(a->user, p);
    else
        free(p);
}

/* n elements of `size` bytes; NULL when the product overflows or memory is out. */
static inline void *pi_array(const struct pd_allocator *a, void *old, size_t n, size_t size)
{
    size_t bytes;
    return __builtin_mul_overflow(n, size, &bytes) ? NULL : pi_resize(a, old, bytes);
}

/* All 0; pages that stay so take no memory where the C library allocates. */
static inline void *pi_zeros(const struct pd_allocator *a, size_t size)
{
    void *p = a ? a->resize(a->user, NULL, size) : calloc(1, size);
    if (a && p)
        memset(p, 0, size);
    return p;
}

/* Makes room for one more element; *cap doubles. False: no memory, the array is as it was. */
static inline bool pi_grow(const struct pd_allocator *a, void **array, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return true;
    const size_t more = *cap ? *cap * 2 : 8;
    void *p = pi_array(a, *array, more, size);
    if (p == NULL)
        return false;
    *array = p;
    *cap = more;
    return true;
}

#endif
