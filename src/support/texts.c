/* SPDX-License-Identifier: MIT */
/* texts.c - numbers for texts. */
#include "texts.h"
#include "memory.h"
#include <xxhash.h>

/* The place behind those of other texts with the same hash. True: the text is there. */
PI_WRAPS static bool find_text(const struct pi_texts *t, const char *text, size_t n, uint64_t *hash,
                               uint64_t *number)
{
    for (*hash = XXH3_64bits_withSeed(text, n, t->key.before); pi_ids_get(&t->places, *hash, number); ++*hash)
        if (strlen(t->all[*number]) == n && memcmp(t->all[*number], text, n) == 0)
            return true;
    return false;
}

bool pi_texts_add(struct pi_texts *t, const char *text, size_t n, uint32_t *number)
{
    uint64_t hash, known;
    if (t->n == 0) {
        t->key = pi_key_draw();
        t->places.allocator = t->allocator;
    }
    if (find_text(t, text, n, &hash, &known)) {
        *number = (uint32_t)known;
        return true;
    }
    char *copy = t->n < UINT32_MAX ? pi_resize(t->allocator, NULL, n + 1) : NULL;
    if (copy == NULL || !pi_grow(t->allocator, (void **)&t->all, t->n, &t->cap, sizeof *t->all) ||
        !pi_ids_set(&t->places, hash, t->n)) {
        pi_release(t->allocator, copy);
        return false;
    }
    if (n)
        memcpy(copy, text, n);
    copy[n] = 0;
    *number = (uint32_t)t->n;
    t->all[t->n++] = copy;
    t->bytes += n + 1 + sizeof *t->all + 2 * sizeof *t->places.slots;
    return true;
}

void pi_texts_free(struct pi_texts *t)
{
    for (size_t i = 0; i < t->n; i++)
        pi_release(t->allocator, t->all[i]);
    pi_release(t->allocator, t->all);
    pi_ids_free(&t->places);
}
