/* SPDX-License-Identifier: MIT */
/* filter_chains.c - the deferred call chains that samples wait for, by cookie and thread. */
#include "filter.h"

static size_t slot_of(const struct pi_chains *c, uint64_t cookie, uint32_t tid)
{
    size_t i = (size_t)pi_keyed(&c->key, pi_keyed(&c->key, cookie) ^ tid) & (c->size - 1);
    while (c->slots[i].used && (c->slots[i].cookie != cookie || c->slots[i].tid != tid))
        i = (i + 1) & (c->size - 1);
    return i;
}

static bool grow(struct pi_chains *c)
{
    struct pi_chains next = {c->allocator, NULL, c->size ? c->size * 2 : 64, c->n,
                             c->size ? c->key : pi_key_draw()};
    next.slots = pi_array(c->allocator, NULL, next.size, sizeof *next.slots);
    if (next.slots == NULL)
        return false;
    for (size_t i = 0; i < next.size; i++)
        next.slots[i].used = false;
    for (size_t i = 0; i < c->size; i++)
        if (c->slots[i].used)
            next.slots[slot_of(&next, c->slots[i].cookie, c->slots[i].tid)] = c->slots[i];
    pi_release(c->allocator, c->slots);
    c->slots = next.slots;
    c->size = next.size;
    c->key = next.key;
    return true;
}

struct pi_chain *pi_chains_add(struct pi_chains *c, uint64_t cookie, uint32_t tid)
{
    if (c->n >= c->size / 2 && !grow(c))
        return NULL;
    struct pi_chain *slot = &c->slots[slot_of(c, cookie, tid)];
    if (!slot->used) {
        *slot = (struct pi_chain){.cookie = cookie, .tid = tid, .used = true};
        c->n++;
    }
    return slot;
}

struct pi_chain *pi_chains_find(const struct pi_chains *c, uint64_t cookie, uint32_t tid)
{
    struct pi_chain *slot = c->size ? &c->slots[slot_of(c, cookie, tid)] : NULL;
    return slot && slot->used ? slot : NULL;
}

void pi_chains_free(struct pi_chains *c)
{
    pi_release(c->allocator, c->slots);
    *c = (struct pi_chains){.allocator = c->allocator};
}

bool pi_chain_is_deferred(const struct pd_vec *ips, uint64_t *cookie)
{
    if (ips->n < 2 || pd_vec_at(ips, ips->n - 2) != PD_CONTEXT_USER_DEFERRED)
        return false;
    *cookie = pd_vec_at(ips, ips->n - 1);
    return true;
}

bool pi_sample_waits(struct pd_reader *r, struct pd_record *rec, uint64_t *cookie)
{
    return rec->attr && rec->attr->flags & PD_ATTR_DEFER_CALLCHAIN && !pd_reader_decode(r, rec, NULL) &&
           pi_chain_is_deferred(&rec->u.sample.callchain.ips, cookie);
}
