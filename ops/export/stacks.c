/* SPDX-License-Identifier: MIT */
/* stacks.c - see stacks.h. Merging runs adds the sums of equal keys. */
#include "stacks.h"
#include "src/schema/fail.h"
#include "src/support/keyed.h"
#include "src/support/memory.h"
#include "src/support/wire.h"
#include <xxhash.h>

#define PART 16 /* a block, and the first table, take so much of the limit, so that a run has most of it */
#define BLOCK ((size_t)1 << 20)
#define ENTRIES ((size_t)4096)
#define LEAST ((size_t)64) /* of both */
#define MERGED 16          /* this many runs of a level become one of the next */
#define FETCHED 8          /* keys whose memory is fetched before they are looked at */
#define FETCHED_BYTES 54   /* of a key, which are in the first line of the processor's cache or in the next */

struct pi_stack_block {
    struct pi_stack_block *next;
    size_t size, used;
    _Alignas(struct pi_stack) uint8_t bytes[];
};

/* The largest power of two that is at most `n` and `most`, which is one; or LEAST. */
static size_t power_of_two(size_t n, size_t most)
{
    while (most > n && most > LEAST)
        most /= 2;
    return most;
}

enum pd_code pi_stacks_init(struct pi_stacks *s, const struct pd_allocator *allocator, size_t limit,
                            const char *dir, struct pd_error *error)
{
    *s = (struct pi_stacks){.allocator = allocator,
                            .limit = limit,
                            .block = power_of_two(limit / PART, BLOCK),
                            .least = power_of_two(limit / PART / sizeof *s->table, ENTRIES),
                            .seed = pi_key_draw().before,
                            .round = 1};
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
    pi_release(s->allocator, s->record);
    pi_spill_free(&s->spill);
}

/* ---- Keys in memory */

static enum pd_code no_memory(struct pd_error *error, size_t n)
{
    return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "stacks", 0, n);
}

/* Entries of the table if another key comes into it, which is half full at most. */
static size_t next_size(const struct pi_stacks *s)
{
    const size_t least = s->size ? s->size : s->least;
    return 2 * s->n >= least ? 2 * least : least;
}

static bool enlarge_table(struct pi_stacks *s)
{
    const size_t size = next_size(s), old = s->size;
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

/* Bytes that a key of n bytes takes in a block. */
static size_t room_of(size_t n)
{
    const size_t unit = _Alignof(struct pi_stack);
    return (offsetof(struct pi_stack, key) + n + unit - 1) & ~(unit - 1);
}

/* Bytes of the block that a key of n bytes makes necessary; 0: there is room. */
static size_t next_block(const struct pi_stacks *s, size_t n)
{
    const size_t bytes = room_of(n);
    if (s->blocks && s->blocks->size - s->blocks->used >= bytes)
        return 0;
    return sizeof *s->blocks + (bytes > s->block ? bytes : s->block);
}

/* Room for a key of n bytes. */
static struct pi_stack *make_room(struct pi_stacks *s, size_t n)
{
    const size_t bytes = room_of(n), block = next_block(s, n);
    if (block) {
        struct pi_stack_block *b = pi_resize(s->allocator, NULL, block);
        if (b == NULL)
            return NULL;
        *b = (struct pi_stack_block){.next = s->blocks, .size = block - sizeof *b};
        s->blocks = b;
        s->bytes += block;
    }
    struct pi_stack *at = (void *)(s->blocks->bytes + s->blocks->used);
    s->blocks->used += bytes;
    return at;
}

/* The entry of a key, or a free one for it. */
static struct pi_stack_entry *find(const struct pi_stacks *s, uint64_t hash, const uint8_t *key, size_t n)
{
    for (size_t i = (size_t)hash & (s->size - 1);; i = (i + 1) & (s->size - 1)) {
        struct pi_stack_entry *e = &s->table[i];
        if (e->at == NULL || (e->number == hash && e->at->n == n && memcmp(e->at->key, key, n) == 0))
            return e;
    }
}

/* ---- Order */

#define FEW 64   /* for so many keys, counting bytes does not pay */
#define DEEP 256 /* nor behind so many bytes that they have in common, of which most keys have fewer */

static int compare_bytes(const uint8_t *a, size_t n_a, const uint8_t *b, size_t n_b)
{
    const int diff = memcmp(a, b, n_a < n_b ? n_a : n_b);
    return diff ? diff : (n_a > n_b) - (n_a < n_b);
}

static int compare_entries(const void *a, const void *b)
{
    const struct pi_stack_entry *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return compare_bytes(x->at->key, x->at->n, y->at->key, y->at->n);
}

/* Eight bytes of a key, and zeros behind its end: a number that is smaller for smaller keys. */
static uint64_t bytes_from(const struct pi_stack *at, size_t first)
{
    uint8_t bytes[8] = {0};
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): only entries that have a key are sorted */
    const size_t n = first < at->n ? at->n - first : 0;
    memcpy(bytes, at->key + first, n < sizeof bytes ? n : sizeof bytes);
    return pi_load64(bytes, PD_BIG);
}

/* Sorts by one byte of the numbers, in how many entries each value of it is. Equal ones keep their order. */
static void sort_by_byte(const struct pi_stack_entry *from, struct pi_stack_entry *to, size_t n,
                         unsigned shift, const uint32_t counts[256])
{
    uint32_t at[256], sum = 0;
    for (size_t i = 0; i < 256; i++) {
        at[i] = sum;
        sum += counts[i];
    }
    for (size_t i = 0; i < n; i++)
        to[at[from[i].number >> shift & 255]++] = from[i];
}

/* Sorts by the numbers, with room for as many entries in `spare`. */
__attribute__((noinline)) static void sort_by_numbers(struct pi_stack_entry *all,
                                                      struct pi_stack_entry *spare, size_t n)
{
    uint32_t counts[8][256] = {{0}};
    struct pi_stack_entry *from = all, *to = spare;
    for (size_t i = 0; i < n; i++)
        for (unsigned byte = 0; byte < 8; byte++)
            counts[byte][all[i].number >> 8 * byte & 255]++;
    for (unsigned byte = 0; byte < 8; byte++) {
        struct pi_stack_entry *const other = from;
        if (counts[byte][all->number >> 8 * byte & 255] == n) /* all have this one */
            continue;
        sort_by_byte(from, to, n, 8 * byte, counts[byte]);
        from = to;
        to = other;
    }
    if (from != all)
        memcpy(all, from, n * sizeof *all);
}

/* Sorts entries whose keys agree up to `first`, and whose numbers are the bytes from there on. */
static void sort_entries(struct pi_stack_entry *all, struct pi_stack_entry *spare, size_t n, size_t first)
{
    if (n < FEW || n > UINT32_MAX || first >= DEEP) {
        if (n > 1)
            qsort(all, n, sizeof *all, compare_entries);
        return;
    }
    sort_by_numbers(all, spare, n);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && all[end].number == all[i].number;)
            end++;
        if (end - i < FEW) {
            if (end - i > 1)
                qsort(all + i, end - i, sizeof *all, compare_entries);
            continue;
        }
        for (size_t k = i; k < end; k++)
            all[k].number = bytes_from(all[k].at, first + 8);
        sort_entries(all + i, spare, end - i, first + 8);
    }
}

/* Sorts the keys to the front of the table, which cannot be searched from then on. */
static void sort_keys(struct pi_stacks *s)
{
    size_t n = 0;
    if (s->n == 0) /* there may be no table */
        return;
    for (size_t i = 0; i < s->size; i++)
        if (s->table[i].at)
            s->table[n++] = s->table[i];
    for (size_t i = 0; i < n; i++) {
        __builtin_prefetch(s->table[i + FETCHED < n ? i + FETCHED : i].at);
        s->table[i].number = bytes_from(s->table[i].at, 0);
    }
    sort_entries(s->table, s->table + n, n, 0);
}

/* ---- Runs */

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
        if (w && (smallest == NULL || compare_bytes(w->raw, w->size, smallest->raw, smallest->size) < 0))
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
        if (w == NULL || compare_bytes(w->raw, w->size, least->raw, least->size) != 0)
            continue;
        sum = pi_stacks_sum(sum, w->time);
        pi_run_skip(&s->runs[i]);
    }
    least->time = sum;
    return PD_OK;
}

/* Gives what the runs from `first` on hold, and closes them. */
static enum pd_code merge_runs(struct pi_stacks *s, size_t first, pi_take_stack *take, void *user,
                               struct pd_error *error)
{
    struct pi_waiting *least = pi_resize(s->allocator, NULL, pi_waiting_bytes(UINT16_MAX));
    bool found = true;
    enum pd_code code = least ? PD_OK : no_memory(error, pi_waiting_bytes(UINT16_MAX));
    s->merged = 0;
    while (!code && (code = take_least(s, first, least, &found, error)) == PD_OK && found) {
        code = take(user, least->raw, least->size, least->time, error);
        s->merged++;
    }
    for (size_t i = first; i < s->n_runs; i++)
        pi_run_close(&s->runs[i], s->allocator);
    s->n_runs = first;
    pi_release(s->allocator, least);
    return code;
}

/* Writes a key to the run. */
static enum pd_code put_key(void *user, const uint8_t *key, size_t n, uint64_t sum, struct pd_error *error)
{
    struct pi_stacks *s = user;
    s->record->time = sum;
    s->record->size = (uint16_t)n;
    memcpy(s->record->raw, key, n);
    return pi_spill_put(&s->spill, s->record, error);
}

static enum pd_code begin_run(struct pi_stacks *s, struct pd_error *error)
{
    const size_t most = pi_waiting_bytes(UINT16_MAX);
    if (s->record == NULL && (s->record = pi_zeros(s->allocator, most)) == NULL)
        return no_memory(error, most);
    return pi_spill_begin(&s->spill, error);
}

/* Gives the keys in memory, which are sorted. */
static enum pd_code give_keys(struct pi_stacks *s, pi_take_stack *take, void *user, struct pd_error *error)
{
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < s->n; i++) {
        const struct pi_stack *at = s->table[i].at;
        __builtin_prefetch(s->table[i + FETCHED < s->n ? i + FETCHED : i].at);
        code = take(user, at->key, at->n, at->sum, error);
    }
    return code;
}

/* Merges the last runs while there are MERGED of one level. */
static enum pd_code merge_levels(struct pi_stacks *s, struct pd_error *error)
{
    enum pd_code code = PD_OK;
    while (!code && s->n_runs >= MERGED &&
           s->runs[s->n_runs - MERGED].level == s->runs[s->n_runs - 1].level) {
        const unsigned level = s->runs[s->n_runs - 1].level + 1;
        if (!(code = begin_run(s, error)))
            code = merge_runs(s, s->n_runs - MERGED, put_key, s, error);
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
    enum pd_code code = begin_run(s, error);
    if (!code)
        code = give_keys(s, put_key, s, error);
    if (!code)
        code = end_run(s, 0, error);
    forget_keys(s);
    return code ? code : merge_levels(s, error);
}

/* ---- Adding, and giving */

uint64_t pi_stacks_hash(const struct pi_stacks *s, const uint8_t *key, size_t n)
{
    return XXH3_64bits_withSeed(key, n, s->seed);
}

void pi_stacks_fetch_entry(const struct pi_stacks *s, uint64_t hash)
{
    if (s->size)
        __builtin_prefetch(&s->table[hash & (s->size - 1)]);
}

void pi_stacks_fetch_key(const struct pi_stacks *s, uint64_t hash)
{
    const struct pi_stack_entry *e = s->size ? &s->table[hash & (s->size - 1)] : NULL;
    if (e == NULL || e->at == NULL)
        return;
    __builtin_prefetch(e->at, 1);
    __builtin_prefetch(e->at->key + FETCHED_BYTES);
}

enum pd_code pi_stacks_add_hashed(struct pi_stacks *s, uint64_t hash, const uint8_t *key, size_t n,
                                  uint64_t weight, struct pi_stack **at, struct pd_error *error)
{
    struct pi_stack_entry *e = s->size ? find(s, hash, key, n) : NULL;
    if (e && (*at = e->at) != NULL) {
        (*at)->sum = pi_stacks_sum((*at)->sum, weight);
        return PD_OK;
    }
    if (s->n && s->bytes + next_block(s, n) + next_size(s) * sizeof *s->table > s->limit) {
        const enum pd_code code = write_run(s, error);
        if (code)
            return code;
        e = NULL;
    }
    if (next_size(s) != s->size) {
        if (!enlarge_table(s))
            return no_memory(error, next_size(s) * sizeof *s->table);
        e = NULL;
    }
    if (e == NULL)
        e = find(s, hash, key, n);
    if ((*at = make_room(s, n)) == NULL)
        return no_memory(error, next_block(s, n));
    (*at)->sum = weight;
    (*at)->n = (uint16_t)n;
    memcpy((*at)->key, key, n);
    *e = (struct pi_stack_entry){hash, *at};
    s->n++;
    s->added++;
    return PD_OK;
}

enum pd_code pi_stacks_add(struct pi_stacks *s, const uint8_t *key, size_t n, uint64_t weight,
                           struct pi_stack **at, struct pd_error *error)
{
    return pi_stacks_add_hashed(s, pi_stacks_hash(s, key, n), key, n, weight, at, error);
}

enum pd_code pi_stacks_each(struct pi_stacks *s, pi_take_stack *take, void *user, struct pd_error *error)
{
    enum pd_code code = PD_OK;
    if (s->n_runs) {
        if (s->n && (code = write_run(s, error)))
            return code;
        code = merge_runs(s, 0, take, user, error);
        s->added = s->merged;
        return code;
    }
    sort_keys(s);
    code = give_keys(s, take, user, error);
    forget_keys(s);
    return code;
}
