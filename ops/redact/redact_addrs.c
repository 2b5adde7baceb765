/* SPDX-License-Identifier: MIT */
/* redact_addrs.c - see redact_addrs.h. All units are pages; addresses keep their place in their page. */
#include "redact_addrs.h"
#include "src/support/memory.h"
#include "src/support/wrap.h"

#define SHIFT 12
#define HALF (UINT64_C(1) << (63 - SHIFT)) /* the kernel's addresses begin here */
#define GAP 16                             /* pages between separate blocks */
#define LINKED_MOST 8192 /* in a telling map: two places farther apart are not of one program */

void pi_addrs_clear(struct pi_addrs *a)
{
    a->noted.n = a->blocks.n = 0;
    a->from_zero = false;
    a->last = 0;
}

void pi_addrs_close(struct pi_addrs *a)
{
    pi_release(a->allocator, a->noted.at);
    pi_release(a->allocator, a->blocks.at);
}

/* ---- Noted addresses */

static int by_place(const void *x, const void *y)
{
    const struct pi_addr_block *a = x, *b = y;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return a->telling - b->telling;
}

static void sort_noted(struct pi_addrs *a)
{
    struct pi_addr_blocks *s = &a->noted;
    size_t n = 0;
    if (s->n)
        qsort(s->at, s->n, sizeof *s->at, by_place);
    for (size_t i = 0; i < s->n; i++)
        if (n == 0 || by_place(&s->at[n - 1], &s->at[i]) != 0)
            s->at[n++] = s->at[i];
    s->n = n;
}

/* Notes a range. Since most are repeated, duplicates are removed before more memory is taken. */
static bool note(struct pi_addrs *a, uint64_t start, uint64_t end, bool telling)
{
    struct pi_addr_blocks *s = &a->noted;
    if (s->n && s->n == s->cap) {
        sort_noted(a);
        if (s->n > s->cap / 2 && !pi_grow(a->allocator, (void **)&s->at, s->cap, &s->cap, sizeof *s->at))
            return false;
    }
    if (!pi_grow(a->allocator, (void **)&s->at, s->n, &s->cap, sizeof *s->at))
        return false;
    s->at[s->n++] = (struct pi_addr_block){.start = start, .end = end, .telling = telling};
    return true;
}

bool pi_addrs_note(struct pi_addrs *a, uint64_t addr)
{
    const uint64_t page = addr >> SHIFT;
    if (page + 1 == a->last)
        return true;
    a->last = page + 1;
    return note(a, page, page + 1, false);
}

bool pi_addrs_note_extent(struct pi_addrs *a, uint64_t addr, uint64_t len, bool telling)
{
    const uint64_t start = addr >> SHIFT;
    const uint64_t last = len && addr > UINT64_MAX - (len - 1) ? UINT64_MAX : addr + (len ? len - 1 : 0);
    a->from_zero |= addr == 0 && len;
    return note(a, start, (last >> SHIFT) + 1, telling);
}

/* ---- New places */

/* Joins all maps except the telling ones into separate blocks. */
static bool make_blocks(struct pi_addrs *a)
{
    struct pi_addr_blocks *b = &a->blocks;
    b->n = 0;
    for (size_t i = 0; i < a->noted.n; i++) {
        const struct pi_addr_block *e = &a->noted.at[i];
        if (e->telling)
            continue;
        if (b->n && e->start <= b->at[b->n - 1].end) {
            if (b->at[b->n - 1].end < e->end)
                b->at[b->n - 1].end = e->end;
            continue;
        }
        if (!pi_grow(a->allocator, (void **)&b->at, b->n, &b->cap, sizeof *b->at))
            return false;
        b->at[b->n++] = *e;
    }
    return true;
}

/* The telling maps, met in the order of blocks. */
struct cover {
    const struct pi_addr_blocks *noted;
    size_t next;
    const struct pi_addr_block *inner; /* the one of them that begins last */
};

static void cover_up_to(struct cover *c, uint64_t start)
{
    for (; c->next < c->noted->n && c->noted->at[c->next].start <= start; c->next++) {
        const struct pi_addr_block *e = &c->noted->at[c->next];
        if (e->telling)
            c->inner = e;
    }
}

/* The distance from this block to the next one: the old one if both are in one map, else small. */
static uint64_t gap_between(struct cover *c, const struct pi_addr_block *block,
                            const struct pi_addr_block *next)
{
    const uint64_t gap = next->start - block->end;
    cover_up_to(c, next->start);
    const bool one = c->inner && c->inner->start < block->end && c->inner->end > next->start;
    return gap < GAP || (one && gap <= LINKED_MOST) ? gap : GAP;
}

static uint64_t half_of(uint64_t page)
{
    return page & HALF;
}

/* Places blocks one behind the other, from the begin of each half on. */
PI_WRAPS static void place_in_order(struct pi_addrs *a)
{
    struct cover c = {.noted = &a->noted};
    uint64_t at = GAP;
    for (size_t i = 0; i < a->blocks.n; i++) {
        struct pi_addr_block *b = &a->blocks.at[i];
        if (i == 0 || half_of(b[-1].start) != half_of(b->start))
            at = b->start == 0 && a->from_zero ? 0 : half_of(b->start) + GAP;
        else
            at += gap_between(&c, &b[-1], b);
        b->now = at;
        at += b->end - b->start;
    }
}

bool pi_addrs_place(struct pi_addrs *a)
{
    sort_noted(a);
    if (!make_blocks(a))
        return false;
    place_in_order(a);
    return true;
}

/* ---- New addresses */

/* The last block that begins at or before a page; NULL: none. */
static const struct pi_addr_block *block_at(const struct pi_addrs *a, uint64_t page)
{
    size_t low = 0, high = a->blocks.n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (a->blocks.at[middle].start <= page)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &a->blocks.at[low - 1] : NULL;
}

PI_WRAPS bool pi_addrs_find(const struct pi_addrs *a, uint64_t addr, uint64_t *now)
{
    const uint64_t page = addr >> SHIFT;
    const struct pi_addr_block *b = block_at(a, page);
    if (b == NULL || page >= b->end)
        return false;
    *now = ((b->now + (page - b->start)) << SHIFT) | (addr & ((UINT64_C(1) << SHIFT) - 1));
    return true;
}

PI_WRAPS uint64_t pi_addrs_extent(const struct pi_addrs *a, uint64_t addr, uint64_t len, uint64_t now)
{
    const uint64_t last = addr > UINT64_MAX - (len - 1) ? UINT64_MAX : addr + (len - 1), page = last >> SHIFT;
    const struct pi_addr_block *b = len ? block_at(a, page) : NULL;
    if (b == NULL || b->end <= addr >> SHIFT)
        return len < (UINT64_C(1) << SHIFT) ? len : UINT64_C(1) << SHIFT;
    const uint64_t end = page < b->end ? page + 1 : b->end;
    return ((b->now + (end - b->start)) << SHIFT) - now;
}
