/* SPDX-License-Identifier: MIT */
/*
 * heap.h - an allocator that counts the bytes held, and that fails on request. Each block has its size in
 * front, so the count is exact; behind it are bytes that nobody may write, unless a sanitizer looks after
 * that.
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

#define HEAP_FRONT 16  /* keeps the alignment of malloc() */
#define HEAP_MARK 0x5a /* of bytes behind a block */
#ifdef __SANITIZE_ADDRESS__
#define HEAP_BEHIND 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEAP_BEHIND 0
#endif
#endif
#ifndef HEAP_BEHIND
#define HEAP_BEHIND 128
#endif

/* For fuzz harnesses, too, which have no cmocka. */
#define HEAP_CHECK(condition_) \
    do {                       \
        if (!(condition_))     \
            abort();           \
    } while (0)

/* The size of a block, behind which nothing was written. */
static inline size_t heap_size(const uint8_t *front)
{
    size_t size;
    memcpy(&size, front, sizeof size);
    for (size_t i = HEAP_BEHIND; i; i--)
        HEAP_CHECK(front[HEAP_FRONT + size + i - 1] == HEAP_MARK);
    return size;
}

static inline void heap_mark(uint8_t *front, size_t size)
{
    memcpy(front, &size, sizeof size);
    for (size_t i = HEAP_BEHIND; i; i--)
        front[HEAP_FRONT + size + i - 1] = HEAP_MARK;
}

static inline void *heap_resize(void *user, void *old, size_t size)
{
    struct heap *h = user;
    uint8_t *front = old ? (uint8_t *)old - HEAP_FRONT : NULL;
    HEAP_CHECK(size > 0 && size <= PTRDIFF_MAX - HEAP_FRONT - HEAP_BEHIND);
    h->calls++;
    if (h->fail_at && (h->once ? h->calls == h->fail_at : h->calls >= h->fail_at))
        return NULL;
    const size_t before = front ? heap_size(front) : 0;
    uint8_t *now = realloc(front, size + HEAP_FRONT + HEAP_BEHIND);
    HEAP_CHECK(now);
    heap_mark(now, size);
    h->blocks += old == NULL;
    h->bytes += size - before;
    h->asked += size;
    h->peak = h->bytes > h->peak ? h->bytes : h->peak;
    return now + HEAP_FRONT;
}

static inline void heap_release(void *user, void *old)
{
    struct heap *h = user;
    HEAP_CHECK(old && h->blocks > 0);
    h->blocks--;
    h->bytes -= heap_size((uint8_t *)old - HEAP_FRONT);
    free((uint8_t *)old - HEAP_FRONT);
}

#endif
