/* SPDX-License-Identifier: MIT */
/*
 * large.c - large blocks of memory for the harnesses. AddressSanitizer maps each anew, marks all of it and
 * gives it back to the system: that takes longer than a small input in all. Here they come from slots that
 * stay mapped. The linker leads the calls of the harness and of the library here (--wrap), not those of
 * shared libraries. AddressSanitizer knows which bytes are somebody's as of its own blocks, but of one that
 * was freed only the first bytes are marked.
 */
#include <sanitizer/asan_interface.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *p);

#define LEAST ((size_t)60 << 10)
#define MARKED ((size_t)64 << 10)
#define BEHIND 64 /* bytes of a slot that nobody gets */
#define SLOTS 16
#define CLASSES 5 /* of sizes, each four times the one before */
#define SMALLEST ((size_t)256 << 10)
#define ALL (SLOTS * SMALLEST * ((1 << 2 * CLASSES) / 3))

static struct slot {
    size_t size; /* 0: nobody's */
    size_t open; /* bytes that are not marked: when it is nobody's, but for the first */
} slots[CLASSES][SLOTS];
static uint8_t *room;
static atomic_flag busy = ATOMIC_FLAG_INIT;

static void enter(void)
{
    while (atomic_flag_test_and_set(&busy))
        continue;
}

static void leave(void)
{
    atomic_flag_clear(&busy);
}

static size_t room_of(size_t class)
{
    return SMALLEST << 2 * class;
}

static uint8_t *start_of(size_t class, size_t i)
{
    return room + SLOTS * SMALLEST * (((size_t)1 << 2 * class) / 3) + i * room_of(class);
}

static bool is_mapped(void)
{
    if (!room) {
        void *p = mmap(NULL, ALL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        room = p == MAP_FAILED ? NULL : p;
    }
    return room != NULL;
}

/* NULL: it is no block of a slot. */
static struct slot *slot_of(const void *p)
{
    const uint8_t *const block = p;
    size_t class = 0;
    if (!room || block < room || block >= room + ALL)
        return NULL;
    while (block >= start_of(class + 1, 0))
        class ++;
    const size_t i = (size_t)(block - start_of(class, 0)) / room_of(class);
    if (block != start_of(class, i) || slots[class][i].size == 0)
        abort(); /* not where it begins, or nobody's */
    return &slots[class][i];
}

/* What was open is as it was, but for the first bytes. */
static uint8_t *open_slot(struct slot *slot, uint8_t *block, size_t size)
{
    if (slot->open == size) {
        ASAN_UNPOISON_MEMORY_REGION(block, size < MARKED ? size : MARKED);
    } else {
        ASAN_UNPOISON_MEMORY_REGION(block, size);
        ASAN_POISON_MEMORY_REGION(block + size, (slot->open > size ? slot->open - size : 0) + BEHIND);
    }
    slot->size = slot->open = size;
    return block;
}

/* Best one that had this size. NULL: there is none. */
static uint8_t *take_slot(size_t class, size_t size)
{
    for (int same = 1; same >= 0; same--)
        for (size_t i = 0; i < SLOTS; i++)
            if (slots[class][i].size == 0 && (!same || slots[class][i].open == size))
                return open_slot(&slots[class][i], start_of(class, i), size);
    return NULL;
}

static uint8_t *take(size_t size)
{
    size_t class = 0;
    uint8_t *block = NULL;
    if (size < LEAST)
        return NULL;
    while (class < CLASSES && size > room_of(class) - BEHIND)
        class ++;
    enter();
    if (class < CLASSES && is_mapped())
        block = take_slot(class, size);
    leave();
    return block;
}

void *__wrap_malloc(size_t size)
{
    void *p = take(size);
    return p ? p : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    size_t bytes;
    void *p = __builtin_mul_overflow(n, size, &bytes) ? NULL : take(bytes);
    return p ? memset(p, 0, bytes) : __real_calloc(n, size);
}

void __wrap_free(void *p)
{
    struct slot *slot = slot_of(p);
    if (!slot) {
        __real_free(p);
        return;
    }
    enter();
    ASAN_POISON_MEMORY_REGION(p, slot->size < MARKED ? slot->size : MARKED);
    slot->size = 0;
    leave();
}

void *__wrap_realloc(void *old, size_t size)
{
    struct slot *slot = slot_of(old);
    if (!slot && (old || size < LEAST))
        return __real_realloc(old, size);
    void *p = __wrap_malloc(size);
    if (p && slot) {
        memcpy(p, old, size < slot->size ? size : slot->size);
        __wrap_free(old);
    }
    return p;
}
