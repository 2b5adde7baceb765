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

/*
 * With HEAP_KEPT, so many large blocks that were released wait for a call that asks for as much: what zstd
 * works with takes the system longer to give and to take back than a small input takes in all. Sanitizers
 * know that nobody holds them.
 */
#ifdef HEAP_KEPT
#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(from_, n_) ((void)0)
#define ASAN_UNPOISON_MEMORY_REGION(from_, n_) ((void)0)
#endif
#define HEAP_LARGE ((size_t)64 << 10)
#define HEAP_MARKED ((size_t)64 << 10) /* bytes of a block that are marked as nobody's */

static struct {
    uint8_t *front;
    size_t size;
} heap_kept[HEAP_KEPT];

static inline uint8_t *heap_take_kept(size_t size)
{
    for (size_t i = 0; i < HEAP_KEPT; i++)
        if (heap_kept[i].front && heap_kept[i].size == size) {
            uint8_t *front = heap_kept[i].front;
            ASAN_UNPOISON_MEMORY_REGION(front, HEAP_MARKED);
            heap_kept[i].front = NULL;
            return front;
        }
    return NULL;
}

static inline void heap_keep(uint8_t *front, size_t size)
{
    static size_t next;
    size_t at = 0;
    while (at < HEAP_KEPT && heap_kept[at].front)
        at++;
    if (at == HEAP_KEPT) {
        at = next++ % HEAP_KEPT;
        free(heap_kept[at].front);
    }
    heap_kept[at].front = front;
    heap_kept[at].size = size;
    ASAN_POISON_MEMORY_REGION(front, HEAP_MARKED);
}
#else
#define HEAP_LARGE SIZE_MAX
static inline uint8_t *heap_take_kept(size_t size)
{
    (void)size;
    return NULL;
}
static inline void heap_keep(uint8_t *front, size_t size)
{
    (void)front, (void)size;
}
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
    uint8_t *now = front || size < HEAP_LARGE ? NULL : heap_take_kept(size);
    now = now ? now : realloc(front, size + HEAP_FRONT + HEAP_BEHIND);
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
    const size_t size = heap_size((uint8_t *)old - HEAP_FRONT);
    h->blocks--;
    h->bytes -= size;
    if (size < HEAP_LARGE)
        free((uint8_t *)old - HEAP_FRONT);
    else
        heap_keep((uint8_t *)old - HEAP_FRONT, size);
}

#endif
