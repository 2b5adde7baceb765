/* SPDX-License-Identifier: MIT */
/* filter_chains.c - the deferred call chains that kept samples wait for: a set of cookies and threads. */
#include "filter.h"

static size_t slot_of(const struct pd_chains *c, uint64_t cookie, uint32_t tid)
{
    size_t i = (size_t)pd_keyed(&c->key, pd_keyed(&c->key, cookie) ^ tid) & (c->size - 1);
    while (c->slots[i].used && (c->slots[i].cookie != cookie || c->slots[i].tid != tid))
        i = (i + 1) & (c->size - 1);
    return i;
}

static bool grow(struct pd_chains *c)
{
    struct pd_chains next = {c->allocator, NULL, c->size ? c->size * 2 : 64, c->n,
                             c->size ? c->key : pd_key_draw()};
    next.slots = pd_array(c->allocator, NULL, next.size, sizeof *next.slots);
    if (next.slots == NULL)
        return false;
    for (size_t i = 0; i < next.size; i++)
        next.slots[i].used = false;
    for (size_t i = 0; i < c->size; i++)
        if (c->slots[i].used)
            next.slots[slot_of(&next, c->slots[i].cookie, c->slots[i].tid)] = c->slots[i];
    pd_release(c->allocator, c->slots);
    c->slots = next.slots;
    c->size = next.size;
    c->key = next.key;
    return true;
}

bool pd_chains_add(struct pd_chains *c, uint64_t cookie, uint32_t tid)
{
    if (c->n >= c->size / 2 && !grow(c))
        return false;
    struct pd_chain *slot = &c->slots[slot_of(c, cookie, tid)];
    c->n += !slot->used;
    *slot = (struct pd_chain){cookie, tid, true};
    return true;
}

bool pd_chains_has(const struct pd_chains *c, uint64_t cookie, uint32_t tid)
{
    return c->size && c->slots[slot_of(c, cookie, tid)].used;
}

void pd_chains_free(struct pd_chains *c)
{
    pd_release(c->allocator, c->slots);
    *c = (struct pd_chains){.allocator = c->allocator};
}

bool pd_chain_cookie(const struct pd_record *rec, uint64_t *cookie)
{
    const struct pd_vec *ips = &rec->u.sample.callchain.ips;
    if (ips->n < 2 || pd_vec_at(ips, ips->n - 2) != PD_CONTEXT_USER_DEFERRED)
        return false;
    *cookie = pd_vec_at(ips, ips->n - 1);
    return true;
}
