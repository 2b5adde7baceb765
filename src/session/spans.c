/* SPDX-License-Identifier: MIT */
/* spans.c - ranges of addresses: a tree whose parts several spaces share, see spans.h. */
#include "spans.h"

void pi_spans_init(struct pi_spans *s, const struct pd_allocator *allocator)
{
    *s = (struct pi_spans){.allocator = allocator, .key = pi_key_draw()};
}

void pi_spans_free(struct pi_spans *s)
{
    pi_release(s->allocator, s->items);
    *s = (struct pi_spans){.allocator = s->allocator, .count = s->count, .user = s->user};
}

/* Room for one more; the entry at 0 is unused, and takes writes when memory has run out. */
static bool has_room(struct pi_spans *s)
{
    static const struct pi_span none = {0};
    if (s->failed || s->n == UINT32_MAX ||
        !pi_grow(s->allocator, (void **)&s->items, s->n, &s->cap, sizeof *s->items))
        return false;
    if (s->n == 0)
        s->items[s->n++] = none;
    return s->n < s->cap || pi_grow(s->allocator, (void **)&s->items, s->n, &s->cap, sizeof *s->items);
}

static uint32_t add(struct pi_spans *s, const struct pi_span *span)
{
    uint32_t i = s->unused;
    if (i) {
        s->unused = s->items[i].left;
    } else if (has_room(s)) {
        i = (uint32_t)s->n++;
    } else {
        s->failed = true;
        return 0;
    }
    s->items[i] = *span;
    s->items[i].refs = 1;
    if (s->count)
        s->count(s->user, span->value, 1);
    return i;
}

static uint32_t add_range(struct pi_spans *s, uint64_t first, uint64_t last, uint32_t value)
{
    const uint32_t rank = (uint32_t)(pi_keyed(&s->key, s->ranks++) >> 32);
    return add(s, &(struct pi_span){.first = first, .last = last, .rank = rank, .value = value});
}

uint32_t pi_spans_copy(struct pi_spans *s, uint32_t space)
{
    if (space)
        s->items[space].refs++;
    return space;
}

void pi_spans_drop(struct pi_spans *s, uint32_t space)
{
    if (space == 0 || --s->items[space].refs)
        return;
    const struct pi_span was = s->items[space];
    s->items[space].left = s->unused;
    s->unused = space;
    if (s->count)
        s->count(s->user, was.value, -1);
    pi_spans_drop(s, was.left);
    pi_spans_drop(s, was.right);
}

/* The same range for a change: the node itself if nothing else refers to it, else a copy. */
static uint32_t own(struct pi_spans *s, uint32_t i)
{
    if (i == 0 || s->items[i].refs == 1)
        return i;
    const struct pi_span shared = s->items[i];
    const uint32_t copy = add(s, &shared);
    if (copy) {
        s->items[i].refs--;
        pi_spans_copy(s, shared.left);
        pi_spans_copy(s, shared.right);
    }
    return copy;
}

/* Splits into the ranges that begin before an address, and the others. */
static void split(struct pi_spans *s, uint32_t t, uint64_t at, uint32_t *before, uint32_t *behind)
{
    *before = *behind = 0;
    if ((t = own(s, t)) == 0)
        return;
    const bool is_before = s->items[t].first < at;
    uint32_t l, r;
    split(s, is_before ? s->items[t].right : s->items[t].left, at, &l, &r);
    if (is_before)
        s->items[t].right = l;
    else
        s->items[t].left = r;
    *before = is_before ? t : l;
    *behind = is_before ? r : t;
}

/* All of `a` is before all of `b`. */
static uint32_t join(struct pi_spans *s, uint32_t a, uint32_t b)
{
    if (a == 0 || b == 0)
        return a ? a : b;
    const bool first = s->items[a].rank >= s->items[b].rank;
    const uint32_t top = own(s, first ? a : b);
    if (top == 0)
        return 0;
    const uint32_t below = first ? join(s, s->items[top].right, b) : join(s, a, s->items[top].left);
    if (first)
        s->items[top].right = below;
    else
        s->items[top].left = below;
    return top;
}

/*
 * Makes the last range end before an address; `cut` receives the part behind it (first > last: there is
 * none).
 */
static uint32_t end_before(struct pi_spans *s, uint32_t t, uint64_t at, struct pi_span *cut)
{
    if ((t = own(s, t)) == 0)
        return 0;
    if (s->items[t].right) {
        const uint32_t right = end_before(s, s->items[t].right, at, cut);
        s->items[t].right = right;
    } else if (s->items[t].last >= at) {
        *cut = s->items[t];
        cut->first = at;
        s->items[t].last = at - 1; /* it begins before `at` */
    }
    return t;
}

/* Removes the content of a range: `before` and `behind` receive the rest. */
static void clear(struct pi_spans *s, uint32_t space, uint64_t first, uint64_t last, uint32_t *before,
                  uint32_t *behind)
{
    struct pi_span cut = {.first = 1};
    uint32_t inside;
    split(s, space, first, before, &inside);
    *before = end_before(s, *before, first, &cut);
    *behind = 0;
    if (last != UINT64_MAX) {
        split(s, inside, last + 1, &inside, behind);
        inside = end_before(s, inside, last + 1, &cut);
        if (cut.first <= cut.last && cut.last > last)
            *behind = join(s, add_range(s, last + 1, cut.last, cut.value), *behind);
    }
    pi_spans_drop(s, inside);
}

void pi_spans_put(struct pi_spans *s, uint32_t *space, uint64_t first, uint64_t last, uint32_t value)
{
    uint32_t before, behind;
    if (first > last || s->failed)
        return;
    clear(s, *space, first, last, &before, &behind);
    *space = join(s, join(s, before, add_range(s, first, last, value)), behind);
}

const struct pi_span *pi_spans_find(const struct pi_spans *s, uint32_t space, uint64_t address)
{
    const struct pi_span *found = NULL;
    for (uint32_t i = space; i;) {
        const struct pi_span *at = &s->items[i];
        if (at->first <= address)
            found = at;
        i = at->first <= address ? at->right : at->left;
    }
    return found && found->last >= address ? found : NULL;
}

void pi_spans_take(struct pi_spans *s, uint32_t *space, uint64_t address)
{
    uint32_t before, behind;
    const struct pi_span *found = s->failed ? NULL : pi_spans_find(s, *space, address);
    if (found == NULL)
        return;
    clear(s, *space, found->first, found->last, &before, &behind);
    *space = join(s, before, behind);
}
