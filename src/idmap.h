/* SPDX-License-Identifier: MIT */
/* idmap.h - from 32-bit numbers (tids, …) to small ones: an open-addressing table, at most half full. */
#ifndef PERFDATA_IDMAP_H
#define PERFDATA_IDMAP_H

#include "memory.h"
#include "wrap.h"

#define PD_IDMAP_NONE UINT32_MAX

struct pd_idmap {
    const struct pd_allocator *allocator;
    struct pd_idmap_slot {
        uint32_t id;
        uint32_t value; /* PD_IDMAP_NONE: free */
    } *slots;
    size_t size; /* a power of two, or 0 */
    size_t n;
};

PD_WRAPS static inline size_t pd_idmap_slot(const struct pd_idmap *m, uint32_t id)
{
    uint32_t h = id;
    h = (h ^ h >> 16) * UINT32_C(0x85ebca6b);
    h = (h ^ h >> 13) * UINT32_C(0xc2b2ae35);
    size_t i = (h ^ h >> 16) & (m->size - 1);
    while (m->slots[i].value != PD_IDMAP_NONE && m->slots[i].id != id)
        i = (i + 1) & (m->size - 1);
    return i;
}

/* The value of an id, PD_IDMAP_NONE when it has none. */
static inline uint32_t pd_idmap_get(const struct pd_idmap *m, uint32_t id)
{
    return m->size ? m->slots[pd_idmap_slot(m, id)].value : PD_IDMAP_NONE;
}

static inline bool pd_idmap_grow(struct pd_idmap *m)
{
    struct pd_idmap next = {m->allocator, NULL, m->size ? m->size * 2 : 64, m->n};
    next.slots = pd_array(m->allocator, NULL, next.size, sizeof *next.slots);
    if (next.slots == NULL)
        return false;
    for (size_t i = 0; i < next.size; i++)
        next.slots[i] = (struct pd_idmap_slot){0, PD_IDMAP_NONE};
    for (size_t i = 0; i < m->size; i++)
        if (m->slots[i].value != PD_IDMAP_NONE)
            next.slots[pd_idmap_slot(&next, m->slots[i].id)] = m->slots[i];
    pd_release(m->allocator, m->slots);
    *m = next;
    return true;
}

/* Gives an id without a value the `value`, which must not be PD_IDMAP_NONE. False: no memory. */
static inline bool pd_idmap_add(struct pd_idmap *m, uint32_t id, uint32_t value)
{
    if (m->n >= m->size / 2 && !pd_idmap_grow(m))
        return false;
    struct pd_idmap_slot *s = &m->slots[pd_idmap_slot(m, id)];
    m->n += s->value == PD_IDMAP_NONE;
    if (s->value == PD_IDMAP_NONE)
        *s = (struct pd_idmap_slot){id, value};
    return true;
}

static inline void pd_idmap_free(struct pd_idmap *m)
{
    pd_release(m->allocator, m->slots);
    *m = (struct pd_idmap){.allocator = m->allocator};
}

#endif
