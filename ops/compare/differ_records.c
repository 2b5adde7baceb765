/* SPDX-License-Identifier: MIT */
/*
 * differ_records.c - the records of two recordings side by side. As long as they are equal, nothing is
 * copied. At a difference, it looks ahead in both recordings until three records in a row are equal again;
 * the records before them on both sides are paired so that the least is added, removed or changed.
 *
 * Where order does not count, records are sorted by their hash, through temporary files where they are many;
 * what only one side has is left, and is compared in order of time, as above.
 */
#include "src/schema/fail.h"
#include "src/schema/schema.h"
#include "src/codec/record_role.h"
#include "src/session/content.h"
#include "src/session/record_words.h"
#include "differ.h"
#include "ops/output/offcpu.h"
#include "ops/output/payload.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include "src/support/wire.h"
#include <perfdata/session/compare.h>
#include <perfdata/session/tasks.h>

enum {
    RUN = 3,    /* equal records in a row that end a difference */
    NEAR = 16,  /* so far a place is tried without an index */
    BLOCK = 64, /* records that are paired at a time */
    MEMORY = PI_LIMIT_SORT_MEMORY,
    WITH_PAYLOAD = 0x80, /* bit of the depth of a record that waits: the hash of its payload is behind it */
};

/* A record of one side. Its bytes follow when it is in a window, else they are the source's. */
struct item {
    struct pd_record rec;
    struct pd_hash payload, hash;
    bool has_payload, hashed;
};

/* Records looked ahead to: a ring. */
struct window {
    struct item *items[PI_LIMIT_CMP_AHEAD];
    size_t first, n, bytes;
};

struct records {
    struct pi_differ *d;
    struct pi_queue *queue[2]; /* NULL: from the reader */
    struct item current[2];    /* what comes next, while nothing is in the window */
    bool there[2], ended[2];
    struct window window[2];
    uint32_t heads[2 * PI_LIMIT_CMP_AHEAD],
        next[PI_LIMIT_CMP_AHEAD]; /* the index of the second window by hash, places + 1 */
    uint16_t cost[BLOCK + 1][BLOCK + 1];
    uint8_t step[BLOCK + 1][BLOCK + 1];
};

static enum pd_code no_memory(struct pi_differ *d, size_t n)
{
    return pi_fail(d->error, PD_ENOMEM, PD_NOWHERE, "comparison", 0, n);
}

/* ---- The next records of a recording */

static enum pd_order order_of(const struct pi_differ *d, int s)
{
    return pd_reader_info(d->side[s].r)->order;
}

/* Takes the data by which features and attrs are compared, wherever they are. */
static bool is_told_elsewhere(const struct pi_side *side, const struct pd_record *rec)
{
    const enum pi_serves serves = pi_serves_of(rec);
    return serves == PI_SERVES_FEATURE || (serves == PI_SERVES_ATTR && side->stream);
}

static bool is_passed_over(const struct pi_differ *d, const struct pi_side *side, const struct pd_record *rec)
{
    if (is_told_elsewhere(side, rec) || pi_is_wrapper(rec))
        return true;
    if (rec->type == PD_RECORD_HEADER_ATTR)
        return false;
    return (d->content || (d->ignore & PD_IGNORE_ORDER)) && pi_is_transport(rec->type);
}

static enum pd_code learn(struct pi_differ *d, int s, const struct pd_record *rec)
{
    struct pd_error what;
    const enum pd_code code = pd_metadata_add(d->side[s].meta, d->side[s].r, rec, &what);
    if (code == PD_ENOMEM)
        return no_memory(d, rec->size);
    if (code)
        pi_differ_finding(d, s, &what);
    return PD_OK;
}

static bool decode(struct pi_differ *d, int s, struct pd_record *rec, bool tell)
{
    struct pd_error what;
    const enum pd_code code = pd_reader_decode(d->side[s].r, rec, &what);
    if (code && code != PD_EUNKNOWN && tell)
        pi_differ_finding(d, s, &what);
    return code == PD_OK;
}

static enum pd_code add_piece(void *user, const uint8_t *bytes, size_t n)
{
    pi_canon_bytes(user, bytes, n);
    return PD_OK;
}

/* The hash of the payload behind the record, whose own bytes become invalid. */
static enum pd_code take_payload(struct pi_differ *d, int s, struct item *item)
{
    struct pi_side *side = &d->side[s];
    struct pd_error what;
    memcpy(side->raw, item->rec.raw, item->rec.size);
    item->rec.raw = side->raw;
    item->rec.decoded = false;
    decode(d, s, &item->rec, false);
    item->has_payload = true;
    const enum pd_code code = pi_copy_payload(side->r, side->sorter, add_piece, &d->canon, &what);
    item->payload = pi_canon_end(&d->canon);
    return code ? pi_differ_damage(d, s, &what) : PD_OK;
}

/* The next record that counts, from the reader. PD_END. */
static enum pd_code read_next(struct pi_differ *d, int s, struct item *item)
{
    struct pi_side *side = &d->side[s];
    struct pd_record *rec = &item->rec;
    struct pd_error what;
    enum pd_code code;
    item->has_payload = item->hashed = false;
    for (;;) {
        code = side->sorter ? pd_sorter_next(side->sorter, rec, &what) : pd_reader_next(side->r, rec, &what);
        if (code == PD_END)
            return code;
        if (code) {
            if ((code = pi_differ_damage(d, s, &what)))
                return code;
            continue;
        }
        pi_progress_record(&d->progress, rec);
        side->compressed |= pi_is_wrapper(rec);
        decode(d, s, rec, true);
        if (is_told_elsewhere(side, rec) && (code = learn(d, s, rec)))
            return code;
        if (is_passed_over(d, side, rec))
            continue;
        return rec->payload_size ? take_payload(d, s, item) : PD_OK;
    }
}

/* ---- Records that wait */

static struct pd_hash *hash_of(struct pi_differ *d, struct item *item)
{
    if (!item->hashed) {
        pi_canon_record(&d->canon, &item->rec);
        if (item->has_payload)
            pi_canon_bytes(&d->canon, item->payload.bytes, sizeof item->payload.bytes);
        item->hash = pi_canon_end(&d->canon);
        item->hashed = true;
    }
    return &item->hash;
}

static enum pd_code push(struct pi_differ *d, struct pi_queue *q, const struct item *item, uint64_t key)
{
    uint8_t both[UINT16_MAX];
    struct pd_record rec = item->rec;
    const size_t n = sizeof item->payload.bytes;
    if (item->has_payload && rec.size <= sizeof both - n) {
        memcpy(both, rec.raw, rec.size);
        memcpy(both + rec.size, item->payload.bytes, n);
        rec.raw = both;
        rec.size = (uint16_t)(rec.size + n);
        rec.depth |= WITH_PAYLOAD;
    }
    return pi_queue_push(q, &rec, key, d->error);
}

static void take_waiting(struct pi_differ *d, int s, const struct pi_waiting *w, struct item *item)
{
    pi_waiting_frame(w, order_of(d, s), &item->rec);
    item->hashed = false;
    item->has_payload = item->rec.depth & WITH_PAYLOAD;
    item->rec.depth &= (uint8_t)~WITH_PAYLOAD;
    if (item->has_payload)
        memcpy(item->payload.bytes, w->raw + item->rec.size, sizeof item->payload.bytes);
    decode(d, s, &item->rec, false);
}

/* ---- The window */

static struct item *at(const struct records *r, int s, size_t i)
{
    const struct window *w = &r->window[s];
    return w->items[(w->first + i) % PI_LIMIT_CMP_AHEAD];
}

/* Puts the current record of a side into its window. */
static enum pd_code keep(struct records *r, int s)
{
    struct window *w = &r->window[s];
    const struct pd_record *rec = &r->current[s].rec;
    struct item *copy = pi_resize(r->d->allocator, NULL, sizeof *copy + rec->size);
    if (copy == NULL)
        return no_memory(r->d, sizeof *copy + rec->size);
    *copy = r->current[s];
    memcpy(copy + 1, rec->raw, rec->size);
    copy->rec.raw = (const uint8_t *)(copy + 1);
    copy->rec.decoded = false;
    decode(r->d, s, &copy->rec, false);
    w->items[(w->first + w->n++) % PI_LIMIT_CMP_AHEAD] = copy;
    w->bytes += sizeof *copy + rec->size;
    r->there[s] = false;
    return PD_OK;
}

static void drop(struct records *r, int s)
{
    struct window *w = &r->window[s];
    if (w->n == 0) {
        r->there[s] = false;
        return;
    }
    struct item *item = w->items[w->first];
    w->bytes -= sizeof *item + item->rec.size;
    pi_release(r->d->allocator, item);
    w->first = (w->first + 1) % PI_LIMIT_CMP_AHEAD;
    w->n--;
}

/* Makes sure that r->current[s] is there, unless the side has ended. */
static enum pd_code fetch(struct records *r, int s)
{
    const struct pi_waiting *w;
    enum pd_code code;
    if (r->there[s] || r->ended[s])
        return PD_OK;
    if (r->queue[s]) {
        if ((code = pi_queue_next(r->queue[s], &w, r->d->error)))
            return code;
        if (w)
            take_waiting(r->d, s, w, &r->current[s]);
        code = w ? PD_OK : PD_END;
    } else {
        code = read_next(r->d, s, &r->current[s]);
    }
    r->there[s] = code == PD_OK;
    r->ended[s] = code == PD_END;
    return code == PD_END ? PD_OK : code;
}

/* The first record of a side that is not compared yet; NULL: none. */
static enum pd_code head(struct records *r, int s, struct item **item)
{
    enum pd_code code = PD_OK;
    *item = NULL;
    if (r->window[s].n) {
        *item = at(r, s, 0);
    } else if ((code = fetch(r, s)) == PD_OK && r->there[s]) {
        *item = &r->current[s];
    }
    return code;
}

static enum pd_code look_ahead(struct records *r, int s)
{
    const struct window *w = &r->window[s];
    enum pd_code code = PD_OK;
    while (!code && w->n < PI_LIMIT_CMP_AHEAD && w->bytes < PI_LIMIT_CMP_AHEAD_BYTES &&
           (code = fetch(r, s)) == PD_OK && r->there[s])
        code = keep(r, s);
    return code;
}

/* ---- Two records */

static bool same_hash(struct pi_differ *d, struct item *a, struct item *b)
{
    return memcmp(hash_of(d, a), hash_of(d, b), sizeof a->hash) == 0;
}

static bool same_payload(const struct item *a, const struct item *b)
{
    return a->has_payload == b->has_payload &&
           (!a->has_payload || memcmp(&a->payload, &b->payload, sizeof a->payload) == 0);
}

static bool is_equal(struct pi_differ *d, struct item *a, struct item *b)
{
    if (pd_record_equal(&a->rec, &b->rec, NULL))
        return same_payload(a, b);
    return d->loose && same_hash(d, a, b);
}

static void tell_payload(struct pi_differ *d, const struct item *a, const struct item *b)
{
    char text[2][PD_HASH_TEXT] = {"none", "none"};
    if (a->has_payload)
        pd_hash_text(&a->payload, text[0]);
    if (b->has_payload)
        pd_hash_text(&b->payload, text[1]);
    pi_differ_text(d, "payload", text[0], text[1]);
}

/* All fields of two records of one type; of off-cpu samples, those in the raw data, in either byte order. */
static void tell_values(struct pi_differ *d, struct pd_record a, struct pd_record b)
{
    struct pd_fields fa, fb;
    struct pd_offcpu oa, ob;
    enum pd_order order;
    const bool offcpu = pi_find_offcpu(&a, &oa, &order) && pi_find_offcpu(&b, &ob, &order);
    if (offcpu)
        a.u.sample.raw.data.n = b.u.sample.raw.data.n = 0;
    pd_fields_of_record(&fa, &a);
    pd_fields_of_record(&fb, &b);
    pi_differ_fields(d, &fa, &fb);
    if (!offcpu)
        return;
    pd_fields_of_offcpu(&fa, &oa);
    pd_fields_of_offcpu(&fb, &ob);
    pi_differ_part(d, "offcpu", &fa, &fb);
}

static void tell_fields(struct pi_differ *d, const struct item *a, const struct item *b)
{
    const struct pd_record *ra = &a->rec, *rb = &b->rec;
    const uint64_t n = d->n;
    pi_differ_number(d, "type", &pd_set_record_type, 4, ra->type, rb->type);
    pi_differ_number(d, "misc", &pd_set_HEX, 2, ra->misc, rb->misc);
    if (ra->type == rb->type && ra->decoded && rb->decoded)
        tell_values(d, *ra, *rb);
    tell_payload(d, a, b);
    if (d->n == n) { /* what is not decoded */
        const struct pd_bytes ba = {ra->raw, ra->size}, bb = {rb->raw, rb->size};
        pi_differ_bytes(d, "raw", &ba, &bb);
    }
}

/* Reports the differences between two records, or that only one is present; the other is NULL. */
static void tell_difference(struct pi_differ *d, const struct item *a, const struct item *b)
{
    d->now = (struct pd_difference){.kind = PD_DIFFERENCE_RECORD, .there = {a, b}};
    d->now.record[0] = a ? &a->rec : NULL;
    d->now.record[1] = b ? &b->rec : NULL;
    if (a && b)
        tell_fields(d, a, b);
    else
        pi_differ_tell(d, NULL, NULL);
}

/* ---- Where both become equal again */

/* True if the next RUN records of both are the same, or all records up to the end of both. */
static bool is_run(struct records *r, size_t i, size_t j)
{
    const size_t na = r->window[0].n, nb = r->window[1].n;
    for (size_t k = 0; k < RUN; k++) {
        if (i + k >= na || j + k >= nb)
            return i + k == na && j + k == nb && r->ended[0] && r->ended[1];
        if (!same_hash(r->d, at(r, 0, i + k), at(r, 1, j + k)))
            return false;
    }
    return true;
}

static bool find_near(struct records *r, size_t *i, size_t *j)
{
    for (size_t sum = 1; sum <= NEAR; sum++)
        for (*i = 0; *i <= sum; ++*i) {
            *j = sum - *i;
            if (is_run(r, *i, *j))
                return true;
        }
    return false;
}

static uint32_t slot(struct records *r, int s, size_t i)
{
    return pi_load32(hash_of(r->d, at(r, s, i))->bytes, PD_LITTLE) % (2 * PI_LIMIT_CMP_AHEAD);
}

/*
 * The place with the fewest records before it, by an index of the second window. It is behind the first ones,
 * which may have one hash though they differ, in what is no content.
 */
static bool find_far(struct records *r, size_t *best_i, size_t *best_j)
{
    size_t best = SIZE_MAX;
    memset(r->heads, 0, sizeof r->heads);
    for (size_t j = r->window[1].n; j > 0; j--) {
        uint32_t *first = &r->heads[slot(r, 1, j - 1)];
        r->next[j - 1] = *first;
        *first = (uint32_t)j;
    }
    for (size_t i = 0; i < r->window[0].n && i < best; i++) {
        size_t tries = NEAR; /* records that come again and again say little */
        for (uint32_t p = r->heads[slot(r, 0, i)]; p && i + p - 1 < best && tries;
             p = r->next[p - 1], tries--)
            if (i + p > 1 && is_run(r, i, p - 1)) {
                best = i + p - 1;
                *best_i = i;
                *best_j = p - 1;
            }
    }
    return best != SIZE_MAX;
}

/* ---- The records before that place */

/* The cost of a pair, an added or removed record being 2; only records of one type are a pair. */
static unsigned cost_of(struct records *r, size_t i, size_t j)
{
    struct item *a = at(r, 0, i), *b = at(r, 1, j);
    uint64_t ta, tb;
    if (a->rec.type != b->rec.type)
        return 5;
    if (same_hash(r->d, a, b))
        return 0;
    return pd_record_time(&a->rec, &ta) && pd_record_time(&b->rec, &tb) && ta == tb ? 2 : 3;
}

enum { PAIR, REMOVED, ADDED };

/* The cheapest way from each place to the end of the block. */
static void weigh(struct records *r, size_t na, size_t nb)
{
    for (size_t from_a = 0; from_a <= na; from_a++)
        for (size_t from_b = 0; from_b <= nb; from_b++) {
            const size_t i = na - from_a, j = nb - from_b;
            const unsigned pair = i < na && j < nb ? r->cost[i + 1][j + 1] + cost_of(r, i, j) : UINT16_MAX;
            const unsigned removed = i < na ? r->cost[i + 1][j] + 2u : UINT16_MAX;
            const unsigned added = j < nb ? r->cost[i][j + 1] + 2u : UINT16_MAX;
            const unsigned least = removed <= added ? removed : added;
            if (i == na && j == nb) {
                r->cost[i][j] = 0;
                continue;
            }
            r->cost[i][j] = (uint16_t)(pair < least ? pair : least);
            r->step[i][j] = pair < least ? PAIR : removed <= added ? REMOVED : ADDED;
        }
}

/* Reports and drops the first records of both windows. */
static void pair_block(struct records *r, size_t na, size_t nb)
{
    struct pi_differ *d = r->d;
    weigh(r, na, nb);
    for (size_t i = 0, j = 0; i < na || j < nb;) {
        const uint8_t step = r->step[i][j];
        struct item *a = step == ADDED ? NULL : at(r, 0, 0), *b = step == REMOVED ? NULL : at(r, 1, 0);
        if (!a || !b || !is_equal(d, a, b))
            tell_difference(d, a, b);
        if (a)
            drop(r, 0), i++;
        if (b)
            drop(r, 1), j++;
    }
}

static void pair_all(struct records *r, size_t na, size_t nb)
{
    while ((na || nb) && !r->d->stopped) {
        const size_t i = na < BLOCK ? na : BLOCK, j = nb < BLOCK ? nb : BLOCK;
        pair_block(r, i, j);
        na -= i;
        nb -= j;
    }
}

/* The first records of both sides are not the same. */
static enum pd_code resynchronise(struct records *r)
{
    enum pd_code code = PD_OK;
    size_t i, j;
    for (int s = 0; !code && s < 2; s++)
        code = r->there[s] ? keep(r, s) : PD_OK;
    for (int s = 0; !code && s < 2; s++)
        code = look_ahead(r, s);
    if (code)
        return code;
    if (find_near(r, &i, &j) || find_far(r, &i, &j)) {
        pair_all(r, i, j);
        return PD_OK;
    }
    i = r->window[0].n, j = r->window[1].n;
    if (r->ended[0] && r->ended[1])
        pair_all(r, i, j);
    else
        pair_block(r, i < BLOCK ? i : BLOCK, j < BLOCK ? j : BLOCK);
    return PD_OK;
}

/* Compares both sides to their ends. */
static enum pd_code compare(struct records *r)
{
    struct item *a, *b;
    enum pd_code code = PD_OK;
    while (!code && !r->d->stopped) {
        if ((code = head(r, 0, &a)) || (code = head(r, 1, &b)) || (!a && !b))
            break;
        if (a && b && !is_equal(r->d, a, b)) {
            code = resynchronise(r);
            continue;
        }
        if (!a || !b)
            tell_difference(r->d, a, b);
        if (a)
            drop(r, 0);
        if (b)
            drop(r, 1);
    }
    return code;
}

static enum pd_code compare_and_free(struct records *r)
{
    const enum pd_code code = compare(r);
    for (int s = 0; s < 2; s++)
        while (r->window[s].n)
            drop(r, s);
    return code;
}

/* ---- Without order */

struct multiset {
    struct pi_queue by_hash[2], by_time[2];
};

/* One bit less: no key is the highest number. */
static uint64_t key_of(struct pi_differ *d, struct item *item)
{
    return pi_load64(hash_of(d, item)->bytes, PD_BIG) >> 1;
}

static enum pd_code sort_by_hash(struct records *r, struct pi_queue *q, int s)
{
    enum pd_code code;
    while ((code = read_next(r->d, s, &r->current[s])) == PD_OK)
        if ((code = push(r->d, q, &r->current[s], key_of(r->d, &r->current[s]))))
            return code;
    return code == PD_END ? pi_queue_flush(q, UINT64_MAX, r->d->error) : code;
}

/*
 * Records that only one side has wait in order of time; those without a time in the order of the file, before
 * all others.
 */
static enum pd_code leave_over(struct records *r, struct multiset *m, int s)
{
    struct item *item = &r->current[s];
    uint64_t time;
    if (!pi_known_time(&item->rec, &time))
        time = item->rec.index;
    r->there[s] = false;
    return push(r->d, &m->by_time[s], item, time);
}

/* Skips the records that both have. */
static enum pd_code match(struct records *r, struct multiset *m)
{
    enum pd_code code = PD_OK;
    for (;;) {
        for (int s = 0; s < 2; s++) {
            r->queue[s] = &m->by_hash[s];
            if ((code = fetch(r, s)))
                return code;
        }
        if (!r->there[0] && !r->there[1])
            return PD_OK;
        const uint64_t a = r->there[0] ? key_of(r->d, &r->current[0]) : UINT64_MAX;
        const uint64_t b = r->there[1] ? key_of(r->d, &r->current[1]) : UINT64_MAX;
        if (a == b && is_equal(r->d, &r->current[0], &r->current[1]))
            r->there[0] = r->there[1] = false;
        else if ((a <= b && (code = leave_over(r, m, 0))) || (b <= a && (code = leave_over(r, m, 1))))
            return code;
    }
}

static enum pd_code compare_multiset(struct records *r, struct multiset *m)
{
    struct pi_differ *d = r->d;
    enum pd_code code = PD_OK;
    for (int s = 0; !code && s < 2; s++)
        code = sort_by_hash(r, &m->by_hash[s], s);
    if (!code)
        code = match(r, m);
    for (int s = 0; !code && s < 2; s++) {
        code = pi_queue_flush(&m->by_time[s], UINT64_MAX, d->error);
        r->queue[s] = &m->by_time[s];
        r->there[s] = r->ended[s] = false;
    }
    return code ? code : compare_and_free(r);
}

static enum pd_code without_order(struct records *r)
{
    const struct pd_differences_options *o = r->d->options;
    const size_t memory = (o->memory ? o->memory : MEMORY) / 4;
    struct pi_queue *q[4];
    size_t n = 0;
    struct multiset *m = pi_resize(r->d->allocator, NULL, sizeof *m);
    enum pd_code code = PD_OK;
    if (m == NULL)
        return no_memory(r->d, sizeof *m);
    *m = (struct multiset){0};
    for (; !code && n < 4; n++) {
        q[n] = n < 2 ? &m->by_hash[n] : &m->by_time[n - 2];
        code = pi_queue_init(q[n], r->d->allocator, memory, o->tmpdir, r->d->error);
    }
    if (!code)
        code = compare_multiset(r, m);
    while (n)
        pi_queue_free(q[--n]);
    pi_release(r->d->allocator, m);
    return code;
}

/* ---- All of them */

/* Members of a directory are merged where the other side is none, or may be none. */
static enum pd_code merge_members(struct pi_differ *d)
{
    enum pd_code code = PD_OK;
    for (int s = 0; !code && s < 2 && d->content; s++)
        if (pd_reader_n_members(d->side[s].r))
            code = pi_open_members(d->side[s].r, d->allocator, d->options->memory, d->options->tmpdir,
                                   &d->side[s].sorter, d->error);
    return code;
}

enum pd_code pi_differ_records(struct pi_differ *d)
{
    const bool ordered = !(d->ignore & PD_IGNORE_ORDER);
    struct records *r = pi_resize(d->allocator, NULL, sizeof *r);
    if (r == NULL)
        return no_memory(d, sizeof *r);
    memset(r, 0, sizeof *r);
    r->d = d;
    enum pd_code code = ordered ? merge_members(d) : PD_OK;
    if (!code)
        code = ordered ? compare_and_free(r) : without_order(r);
    for (int s = 0; s < 2; s++) {
        pd_sorter_close(d->side[s].sorter); /* from here on the reader may be used again */
        d->side[s].sorter = NULL;
    }
    pi_release(d->allocator, r);
    return code;
}
