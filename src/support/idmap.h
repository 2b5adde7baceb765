/* SPDX-License-Identifier: MIT */
/* idmap.h - from 32-bit numbers (tids, …) to small ones: an open-addressing table, at most half full. */
#ifndef PERFDATA_IDMAP_H
#define PERFDATA_IDMAP_H

#include "keyed.h"
#include "memory.h"

#define PI_IDMAP_NONE UINT32_MAX

struct pi_idmap {
    const struct pd_allocator *allocator;
    struct pi_idmap_slot {
        uint32_t id;
        uint32_t value; /* PI_IDMAP_NONE: free */
    } * slots;
    size_t size; /* a power of two, or 0 */
    size_t n;
    size_t furthest;   /* of all ids, from their hashed place to their actual one */
    struct pi_key key; /* drawn when an id is too far away: until then the same work takes the same time */
};

static inline size_t pi_idmap_place(const struct pi_idmap *m, uint32_t id)
{
    return (size_t)pi_keyed(&m->key, id) & (m->size - 1);
}

/* The value of an id, PI_IDMAP_NONE when it has none. */
static inline uint32_t pi_idmap_get(const struct pi_idmap *m, uint32_t id)
{
    if (m->size == 0)
        return PI_IDMAP_NONE;
    size_t i = pi_idmap_place(m, id);
    for (size_t left = m->furthest; m->slots[i].id != id && m->slots[i].value != PI_IDMAP_NONE; left--) {
        if (left == 0)
            return PI_IDMAP_NONE;
        i = (i + 1) & (m->size - 1);
    }
    return m->slots[i].value;
}

/* For an id that is not there, and has room. */
PI_WRAPS static inline void pi_idmap_put(struct pi_idmap *m, uint32_t id, uint32_t value)
{
    const size_t mask = m->size - 1, place = pi_idmap_place(m, id);
    size_t i = place;
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): each slot has a value */
    while (m->slots[i].value != PI_IDMAP_NONE)
        i = (i + 1) & mask;
    m->slots[i] = (struct pi_idmap_slot){id, value};
    if (((i - place) & mask) > m->furthest)
        m->furthest = (i - place) & mask;
}

static inline bool pi_idmap_rebuild(struct pi_idmap *m, size_t size, struct pi_key key)
{
    struct pi_idmap next = {.allocator = m->allocator, .size = size, .n = m->n, .key = key};
    next.slots = pi_array(m->allocator, NULL, size, sizeof *next.slots);
    if (next.slots == NULL)
        return false;
    for (size_t i = 0; i < size; i++)
        next.slots[i] = (struct pi_idmap_slot){0, PI_IDMAP_NONE};
    for (size_t i = 0; i < m->size; i++)
        if (m->slots[i].value != PI_IDMAP_NONE)
            pi_idmap_put(&next, m->slots[i].id, m->slots[i].value);
    pi_release(m->allocator, m->slots);
    *m = next;
    return true;
}

/* Gives an id without a value the `value`, which must not be PI_IDMAP_NONE. False: no memory. */
static inline bool pi_idmap_add(struct pi_idmap *m, uint32_t id, uint32_t value)
{
    if (pi_idmap_get(m, id) != PI_IDMAP_NONE)
        return true;
    if (m->n >= m->size / 2 && !pi_idmap_rebuild(m, m->size ? m->size * 2 : 64, m->key))
        return false;
    pi_idmap_put(m, id, value);
    m->n++;
    return !pi_key_due(&m->key, m->furthest) || pi_idmap_rebuild(m, m->size, pi_key_draw());
}

static inline void pi_idmap_free(struct pi_idmap *m)
{
    pi_release(m->allocator, m->slots);
    *m = (struct pi_idmap){.allocator = m->allocator};
}

#endif
