/* SPDX-License-Identifier: MIT */
/* memory_read.h - what a struct pd_source of bytes in memory reads. */
#ifndef PERFDATA_TESTS_MEMORY_READ_H
#define PERFDATA_TESTS_MEMORY_READ_H

#include <stdint.h>
#include <string.h>

/* Of `size` bytes, up to n from the offset on: how many there are. */
static inline int64_t memory_read(const uint8_t *bytes, size_t size, uint64_t offset, void *buf, size_t n)
{
    const size_t left = offset < size ? size - (size_t)offset : 0;
    n = n < left ? n : left;
    if (n)
        memcpy(buf, bytes + offset, n);
    return (int64_t)n;
}

#endif
