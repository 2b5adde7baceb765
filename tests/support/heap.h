/* SPDX-License-Identifier: MIT */
/*
 * heap.h - an allocator that counts the bytes held, and that fails on request. Each block has its size in
 * front, so the count is exact.
 */
#ifndef PERFDATA_TESTS_HEAP_H
#define PERFDATA_TESTS_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct heap {
    size_t calls;
    size_t fail_at;             /* the call that gets no memory, counted from 1, and all after it; 0: none */
    bool once;                  /* later calls succeed */
    size_t blocks, bytes, peak; /* held now; the most bytes ever held */
    size_t asked;               /* bytes of all calls, more than were held */
};

#define HEAP_FRONT 16 /* keeps the alignment of malloc() */

/* For fuzz harnesses, too, which have no cmocka. */
#define HEAP_CHECK(condition_) \
    do {                       \
        if (!(condition_))     \
            abort();           \
    } while (0)

static inline void *heap_resize(void *user, void *old, size_t size)
{
    struct heap *h = user;
    uint8_t *front = old ? (uint8_t *)old - HEAP_FRONT : NULL;
    size_t before = 0;
    HEAP_CHECK(size > 0 && size <= PTRDIFF_MAX - HEAP_FRONT);
    h->calls++;
    if (h->fail_at && (h->once ? h->calls == h->fail_at : h->calls >= h->fail_at))
        return NULL;
    if (front)
        memcpy(&before, front, sizeof before);
    uint8_t *now = realloc(front, size + HEAP_FRONT);
    HEAP_CHECK(now);
    memcpy(now, &size, sizeof size);
    h->blocks += old == NULL;
    h->bytes += size - before;
    h->asked += size;
    h->peak = h->bytes > h->peak ? h->bytes : h->peak;
    return now + HEAP_FRONT;
}

static inline void heap_release(void *user, void *old)
{
    struct heap *h = user;
    size_t size;
    HEAP_CHECK(old && h->blocks > 0);
    memcpy(&size, (uint8_t *)old - HEAP_FRONT, sizeof size);
    h->blocks--;
    h->bytes -= size;
    free((uint8_t *)old - HEAP_FRONT);
}

#endif
