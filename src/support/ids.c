/* SPDX-License-Identifier: MIT */
/* ids.c - from 64-bit numbers to others. */
#include "ids.h"
#include "memory.h"

static struct pd_ids_slot *slot_of(const struct pd_ids *m, uint64_t id)
{
    size_t i = (size_t)pd_keyed(&m->key, id) & (m->size - 1);
    while (m->slots[i].used && m->slots[i].id != id)
        i = (i + 1) & (m->size - 1);
    return &m->slots[i];
}

bool pd_ids_get(const struct pd_ids *m, uint64_t id, uint64_t *value)
{
    const struct pd_ids_slot *s = m->size ? slot_of(m, id) : NULL;
    if (s && s->used && value)
        *value = s->value;
    return s && s->used;
}

static bool grow_ids(struct pd_ids *m)
{
    struct pd_ids next = {m->allocator, NULL, m->size ? 2 * m->size : 64, m->n,
                          m->size ? m->key : pd_key_draw()};
    next.slots = pd_array(m->allocator, NULL, next.size, sizeof *next.slots);
    if (next.slots == NULL)
        return false;
    memset(next.slots, 0, next.size * sizeof *next.slots);
    for (size_t i = 0; i < m->size; i++)
        if (m->slots[i].used)
            *slot_of(&next, m->slots[i].id) = m->slots[i];
    if (m->size)
        pd_release(m->allocator, m->slots);
    *m = next;
    return true;
}

bool pd_ids_set(struct pd_ids *m, uint64_t id, uint64_t value)
{
    if (m->n >= m->size / 2 && !grow_ids(m))
        return false;
    struct pd_ids_slot *s = slot_of(m, id);
    m->n += !s->used;
    *s = (struct pd_ids_slot){id, value, true};
    return true;
}

void pd_ids_free(struct pd_ids *m)
{
    pd_release(m->allocator, m->slots);
    *m = (struct pd_ids){.allocator = m->allocator};
}
