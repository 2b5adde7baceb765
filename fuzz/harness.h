/* SPDX-License-Identifier: MIT */
/* harness.h - what the harnesses share: assertions that stop the fuzzer, and an allocator that keeps count. */
#ifndef PERFDATA_FUZZ_HARNESS_H
#define PERFDATA_FUZZ_HARNESS_H

#include <perfdata/base.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition_)                                                                     \
    do {                                                                                      \
        if (!(condition_)) {                                                                  \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition_);    \
            abort();                                                                          \
        }                                                                                     \
    } while (0)

/* What is allocated now, and the most that ever was. Each block has its size in front. */
struct heap {
    size_t blocks, bytes, peak;
};

#define HEAP_FRONT 16

static inline void *heap_resize(void *user, void *old, size_t size)
{
    struct heap *heap = user;
    uint8_t *front = old ? (uint8_t *)old - HEAP_FRONT : NULL;
    size_t before = 0;
    CHECK(size != 0);
    if (front)
        memcpy(&before, front, sizeof before);
    uint8_t *now = realloc(front, size + HEAP_FRONT);
    CHECK(now);
    memcpy(now, &size, sizeof size);
    heap->blocks += old == NULL;
    heap->bytes += size - before;
    heap->peak = heap->bytes > heap->peak ? heap->bytes : heap->peak;
    return now + HEAP_FRONT;
}

static inline void heap_release(void *user, void *old)
{
    struct heap *heap = user;
    size_t size;
    CHECK(old && heap->blocks);
    memcpy(&size, (uint8_t *)old - HEAP_FRONT, sizeof size);
    heap->blocks--;
    heap->bytes -= size;
    free((uint8_t *)old - HEAP_FRONT);
}

#endif
