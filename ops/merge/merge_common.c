/* SPDX-License-Identifier: MIT */
/* merge_common.c - shared by all parts of a merge: notes, and tables from event ids to numbers. */
#include "merge.h"
#include "src/schema/fail.h"
#include "src/support/memory.h"

void pd_merge_note(const struct pd_merging *m, size_t input, uint32_t feature, const char *text)
{
    const struct pd_merge_note note = {input, feature, text};
    if (m->options->note)
        m->options->note(m->options->user, &note);
}

enum pd_code pd_merge_no_memory(struct pd_merging *m, size_t n)
{
    return pd_fail(m->error, PD_ENOMEM, PD_NOWHERE, "events", 0, n);
}

/* ---- Tables of ids */

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
