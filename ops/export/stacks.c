/* SPDX-License-Identifier: MIT */
/* stacks.c - see stacks.h. Merging runs adds the sums of equal keys. */
#include "stacks.h"
#include "src/schema/fail.h"
#include "src/support/keyed.h"
#include "src/support/memory.h"
#include "src/support/wire.h"
#include <xxhash.h>

#define BLOCK ((size_t)1 << 20)
#define MERGED 16 /* this many runs of a level become one of the next */

struct pi_stack_block {
    struct pi_stack_block *next;
    size_t used;
    _Alignas(struct pi_waiting) uint8_t bytes[BLOCK];
};

enum pd_code pi_stacks_init(struct pi_stacks *s, const struct pd_allocator *allocator, size_t limit,
                            const char *dir, struct pd_error *error)
{
    *s = (struct pi_stacks){.allocator = allocator, .limit = limit, .seed = pi_key_draw().before, .round = 1};
    return pi_spill_init(&s->spill, allocator, dir, error);
}

static void free_blocks(struct pi_stacks *s)
{
    while (s->blocks) {
        struct pi_stack_block *next = s->blocks->next;
        pi_release(s->allocator, s->blocks);
        s->blocks = next;
    }
}

void pi_stacks_free(struct pi_stacks *s)
{
    free_blocks(s);
    for (size_t i = 0; i < s->n_runs; i++)
        pi_run_close(&s->runs[i], s->allocator);
    pi_release(s->allocator, s->runs);
    pi_release(s->allocator, s->table);
    pi_spill_free(&s->spill);
}

/* ---- Keys in memory */

static enum pd_code no_memory(struct pd_error *error, size_t n)
{
    return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "stacks", 0, n);
}

static uint64_t hash_of(const struct pi_stacks *s, const uint8_t *key, size_t n)
{
    return XXH3_64bits_withSeed(key, n, s->seed);
}

static bool enlarge_table(struct pi_stacks *s)
{
    const size_t size = s->size ? 2 * s->size : 4096, old = s->size;
    struct pi_stack_entry *table = pi_array(s->allocator, NULL, size, sizeof *table), *from = s->table;
    if (table == NULL)
        return false;
    memset(table, 0, size * sizeof *table);
    s->table = table;
    s->size = size;
    for (size_t i = 0; i < old; i++) {
        if (from[i].at == NULL)
            continue;
        size_t at = (size_t)from[i].number & (size - 1);
        while (table[at].at)
            at = (at + 1) & (size - 1);
        table[at] = from[i];
    }
    pi_release(s->allocator, from);
    return true;
}

static struct pi_waiting *make_room(struct pi_stacks *s, size_t bytes)
{
    if (s->blocks == NULL || BLOCK - s->blocks->used < bytes) {
        struct pi_stack_block *b = pi_resize(s->allocator, NULL, sizeof *b);
        if (b == NULL)
            return NULL;
        b->next = s->blocks;
        b->used = 0;
        s->blocks = b;
        s->bytes += sizeof *b;
    }
    struct pi_waiting *w = (void *)(s->blocks->bytes + s->blocks->used);
    s->blocks->used += bytes;
    return w;
}

/* The entry of a key, or a free one for it. */
static struct pi_stack_entry *find(const struct pi_stacks *s, uint64_t hash, const uint8_t *key, size_t n)
{
    for (size_t i = (size_t)hash & (s->size - 1);; i = (i + 1) & (s->size - 1)) {
        struct pi_stack_entry *e = &s->table[i];
        if (e->at == NULL || (e->number == hash && e->at->size == n && memcmp(e->at->raw, key, n) == 0))
            return e;
    }
}

/* ---- Runs */

static int compare_keys(const struct pi_waiting *a, const struct pi_waiting *b)
{
    const int diff = memcmp(a->raw, b->raw, a->size < b->size ? a->size : b->size);
    return diff ? diff : (a->size > b->size) - (a->size < b->size);
}

static int compare_entries(const void *a, const void *b)
{
    const struct pi_stack_entry *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return compare_keys(x->at, y->at);
}

/* The first bytes of a key, and zeros behind its end: a number that is smaller for smaller keys. */
static uint64_t first_bytes(const struct pi_waiting *w)
{
    uint8_t bytes[8] = {0};
    memcpy(bytes, w->raw, w->size < sizeof bytes ? w->size : sizeof bytes);
    return pi_load64(bytes, PD_BIG);
}

/* Sorts the keys to the front of the table, which cannot be searched from then on. */
static void sort_keys(struct pi_stacks *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->size; i++)
        if (s->table[i].at)
            s->table[n++] = (struct pi_stack_entry){first_bytes(s->table[i].at), s->table[i].at};
    if (n)
        qsort(s->table, n, sizeof *s->table, compare_entries);
}

static void forget_keys(struct pi_stacks *s)
{
    free_blocks(s);
    s->bytes = 0;
    s->n = 0;
    s->round++;
    if (s->size)
        memset(s->table, 0, s->size * sizeof *s->table);
}

static enum pd_code end_run(struct pi_stacks *s, unsigned level, struct pd_error *error)
{
    if (!pi_grow(s->allocator, (void **)&s->runs, s->n_runs, &s->cap_runs, sizeof *s->runs))
        return no_memory(error, sizeof *s->runs);
    const enum pd_code code = pi_spill_end(&s->spill, &s->runs[s->n_runs], error);
    if (code)
        return code;
    s->runs[s->n_runs].level = level;
    s->spilled += s->runs[s->n_runs++].end;
    return PD_OK;
}

/*
 * Takes the smallest key of the runs from `first` on; where several have it, with their sum. *found is false
 * at the end.
 */
static enum pd_code take_least(struct pi_stacks *s, size_t first, struct pi_waiting *least, bool *found,
                               struct pd_error *error)
{
    const struct pi_waiting *w, *smallest = NULL;
    uint64_t sum = 0;
    for (size_t i = first; i < s->n_runs; i++) {
        const enum pd_code code = pi_run_head(&s->runs[i], s->allocator, &w, error);
        if (code)
            return code;
        if (w && (smallest == NULL || compare_keys(w, smallest) < 0))
            smallest = w;
    }
    *found = smallest != NULL;
    if (smallest == NULL)
        return PD_OK;
    memcpy(least, smallest, offsetof(struct pi_waiting, raw) + smallest->size);
    for (size_t i = first; i < s->n_runs; i++) {
        const enum pd_code code = pi_run_head(&s->runs[i], s->allocator, &w, error);
        if (code)
            return code;
        if (w == NULL || compare_keys(w, least) != 0)
            continue;
        sum = pi_stacks_sum(sum, w->time);
        pi_run_skip(&s->runs[i]);
    }
    least->time = sum;
    return PD_OK;
}

typedef enum pd_code take_key(void *user, const struct pi_waiting *w, struct pd_error *error);

/* Gives what the runs from `first` on hold, and closes them. */
static enum pd_code merge_runs(struct pi_stacks *s, size_t first, take_key *take, void *user,
                               struct pd_error *error)
{
    struct pi_waiting *least = pi_resize(s->allocator, NULL, pi_waiting_bytes(UINT16_MAX));
    bool found = true;
    enum pd_code code = least ? PD_OK : no_memory(error, pi_waiting_bytes(UINT16_MAX));
    while (!code && (code = take_least(s, first, least, &found, error)) == PD_OK && found)
        code = take(user, least, error);
    for (size_t i = first; i < s->n_runs; i++)
        pi_run_close(&s->runs[i], s->allocator);
    s->n_runs = first;
    pi_release(s->allocator, least);
    return code;
}

static enum pd_code put_key(void *user, const struct pi_waiting *w, struct pd_error *error)
{
    return pi_spill_put(user, w, error);
}

/* Merges the last runs while there are MERGED of one level. */
static enum pd_code merge_levels(struct pi_stacks *s, struct pd_error *error)
{
    enum pd_code code = PD_OK;
    while (!code && s->n_runs >= MERGED &&
           s->runs[s->n_runs - MERGED].level == s->runs[s->n_runs - 1].level) {
        const unsigned level = s->runs[s->n_runs - 1].level + 1;
        if (!(code = pi_spill_begin(&s->spill, error)))
            code = merge_runs(s, s->n_runs - MERGED, put_key, &s->spill, error);
        if (!code)
            code = end_run(s, level, error);
    }
    return code;
}

static enum pd_code write_run(struct pi_stacks *s, struct pd_error *error)
{
    if (s->settle)
        s->settle(s->settle_user);
    sort_keys(s);
    enum pd_code code = pi_spill_begin(&s->spill, error);
    for (size_t i = 0; !code && i < s->n; i++)
        code = pi_spill_put(&s->spill, s->table[i].at, error);
    if (!code)
        code = end_run(s, 0, error);
    forget_keys(s);
    return code ? code : merge_levels(s, error);
}

/* ---- Adding, and giving */

enum pd_code pi_stacks_add(struct pi_stacks *s, const uint8_t *key, size_t n, uint64_t weight,
                           struct pi_waiting **at, struct pd_error *error)
{
    const uint64_t hash = hash_of(s, key, n);
    if (2 * s->n >= s->size && !enlarge_table(s))
        return no_memory(error, 2 * s->size * sizeof *s->table);
    struct pi_stack_entry *e = find(s, hash, key, n);
    if ((*at = e->at) != NULL) {
        (*at)->time = pi_stacks_sum((*at)->time, weight);
        return PD_OK;
    }
    if (s->n && s->bytes + s->size * sizeof *s->table > s->limit) {
        const enum pd_code code = write_run(s, error);
        if (code)
            return code;
        e = find(s, hash, key, n);
    }
    if ((*at = make_room(s, pi_waiting_bytes(n))) == NULL)
        return no_memory(error, sizeof(struct pi_stack_block));
    memset(*at, 0, offsetof(struct pi_waiting, raw));
    (*at)->time = weight;
    (*at)->size = (uint16_t)n;
    memcpy((*at)->raw, key, n);
    *e = (struct pi_stack_entry){hash, *at};
    s->n++;
    s->added++;
    return PD_OK;
}

struct given {
    enum pd_code (*take)(void *user, const uint8_t *key, size_t n, uint64_t sum, struct pd_error *error);
    void *user;
};

static enum pd_code give_key(void *user, const struct pi_waiting *w, struct pd_error *error)
{
    const struct given *g = user;
    return g->take(g->user, w->raw, w->size, w->time, error);
}

enum pd_code pi_stacks_each(struct pi_stacks *s,
                            enum pd_code (*take)(void *user, const uint8_t *key, size_t n, uint64_t sum,
                                                 struct pd_error *error),
                            void *user, struct pd_error *error)
{
    struct given g = {take, user};
    enum pd_code code = PD_OK;
    if (s->n_runs) {
        code = s->n ? write_run(s, error) : PD_OK;
        return code ? code : merge_runs(s, 0, give_key, &g, error);
    }
    sort_keys(s);
    for (size_t i = 0; !code && i < s->n; i++)
        code = give_key(&g, s->table[i].at, error);
    forget_keys(s);
    return code;
}
