/* SPDX-License-Identifier: MIT */
/* ids.c - from 64-bit numbers to others. */
#include "ids.h"
#include "memory.h"

static struct pi_ids_slot *slot_of(const struct pi_ids *m, uint64_t id)
{
    size_t i = (size_t)pi_keyed(&m->key, id) & (m->size - 1);
    while (m->slots[i].used && m->slots[i].id != id)
        i = (i + 1) & (m->size - 1);
    return &m->slots[i];
}

bool pi_ids_get(const struct pi_ids *m, uint64_t id, uint64_t *value)
{
    const struct pi_ids_slot *s = m->size ? slot_of(m, id) : NULL;
    if (s && s->used && value)
        *value = s->value;
    return s && s->used;
}

static bool grow_ids(struct pi_ids *m)
{
    struct pi_ids next = {m->allocator, NULL, m->size ? 2 * m->size : 64, m->n,
                          m->size ? m->key : pi_key_draw()};
    next.slots = pi_array(m->allocator, NULL, next.size, sizeof *next.slots);
    if (next.slots == NULL)
        return false;
    memset(next.slots, 0, next.size * sizeof *next.slots);
    for (size_t i = 0; i < m->size; i++)
        if (m->slots[i].used)
            *slot_of(&next, m->slots[i].id) = m->slots[i];
    if (m->size)
        pi_release(m->allocator, m->slots);
    *m = next;
    return true;
}

bool pi_ids_set(struct pi_ids *m, uint64_t id, uint64_t value)
{
    if (m->n >= m->size / 2 && !grow_ids(m))
        return false;
    struct pi_ids_slot *s = slot_of(m, id);
    m->n += !s->used;
    *s = (struct pi_ids_slot){id, value, true};
    return true;
}

void pi_ids_free(struct pi_ids *m)
{
    pi_release(m->allocator, m->slots);
    *m = (struct pi_ids){.allocator = m->allocator};
}
