/* SPDX-License-Identifier: MIT */
/*
 * alike.c - see alike.h. Ahead of the samples, the times are noted when names and mappings of each task may
 * change. A sample is like another one at its place of the table if no such time is between them.
 *
 * A sample that would be given before the one that it is like is given, too: so the samples that the caller
 * sees first, and the numbers that it gives to names on the way, do not depend on what is taken.
 */
#include "alike.h"
#include "src/container/reader/sample_run.h"
#include "src/schema/fail.h"
#include "src/session/order/clock.h"
#include "src/session/record_words.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#define XXH_INLINE_ALL
#include <xxhash.h>

#define PLACES_FIRST_BITS 10
/* The table takes this part of the stacks' memory besides: to settle it costs as much as to write a run. */
#define PART 8
#define USED UINT64_C(0x80) /* a bit of each kind, which no cpu mode has */

struct pi_alike_place {
    struct pi_alike_key key; /* kind 0: it is free */
    uint64_t first;          /* it is for samples from this time on */
    uint64_t sum;            /* of the samples taken, not added to `at` yet */
    struct pi_stack *at; /* NULL: the sample that it was made for, of the time `first`, is still to come */
};

/* ---- Life */

/* The most places: a power of two. */
static size_t most_places(size_t memory)
{
    size_t most = (size_t)1 << PLACES_FIRST_BITS;
    while (most < PI_LIMIT_EXPORT_ALIKE && 2 * most * sizeof(struct pi_alike_place) <= memory / PART)
        most *= 2;
    return most;
}

enum pd_code pi_alike_init(struct pi_alike *a, const struct pd_allocator *allocator, size_t memory,
                           struct pi_changes *changes, struct pd_error *error)
{
    const size_t size = (size_t)1 << PLACES_FIRST_BITS, bytes = size * sizeof *a->places;
    *a = (struct pi_alike){.allocator = allocator, .changes = changes, .seed = pi_key_draw().before};
    a->places = pi_resize(allocator, NULL, bytes);
    if (a->places == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "samples", 0, bytes);
    memset(a->places, 0, bytes);
    a->size = size;
    a->most = most_places(memory);
    a->shift = 64 - PLACES_FIRST_BITS;
    return PD_OK;
}

void pi_alike_free(struct pi_alike *a)
{
    pi_release(a->allocator, a->kinds);
    pi_release(a->allocator, a->places);
}

/* ---- Samples */

#define INLINE static inline __attribute__((always_inline))

INLINE uint64_t word_at(const uint8_t *raw, size_t place)
{
    uint64_t value;
    memcpy(&value, raw + place, sizeof value);
    return value;
}

INLINE uint32_t half_at(const uint8_t *raw, size_t place)
{
    uint32_t value;
    memcpy(&value, raw + place, sizeof value);
    return value;
}

/*
 * True if all but the call chain has its usual size, and the chain's user part does not come later. `chains`
 * says for a whole loop whether there is one.
 */
INLINE bool fits(const struct pi_alike_kind *k, bool chains, const uint8_t *raw, size_t size, uint64_t *n)
{
    *n = 0;
    if (!chains)
        return size == k->size;
    if (size < k->size)
        return false;
    *n = word_at(raw, k->chain);
    return *n == (size - k->size) / 8 && size == k->size + 8 * *n &&
           (*n < 2 || word_at(raw, k->chain + 8 * (size_t)(*n - 1)) != PD_CONTEXT_USER_DEFERRED);
}

PI_WRAPS INLINE void make_key(const struct pi_alike_kind *k, uint64_t seed, const uint8_t *raw, unsigned misc,
                              uint64_t n, uint64_t since, struct pi_alike_key *key)
{
    const uint64_t ip = word_at(raw, k->ip);
    key->task = word_at(raw, k->task);
    key->since = since;
    key->kind = (misc & PD_MISC_CPUMODE) | k->number | (uint64_t)(half_at(raw, k->cpu) & k->cpu_bits) << 32;
    key->stack[0] = ip;
    key->stack[1] = 0;
    if (n == 0)
        return;
    const XXH128_hash_t hash = XXH3_128bits_withSeed(raw + k->chain + 8, 8 * (size_t)n, seed);
    key->stack[0] = hash.low64 + ip; /* the address counts, too, if the chain has no frame */
    key->stack[1] = hash.high64 | 1;
}

PI_WRAPS INLINE size_t place_of(const struct pi_alike_key *key, unsigned shift)
{
    const uint64_t h = key->task * UINT64_C(0x9e3779b97f4a7c15) ^ key->stack[0] ^ key->kind;
    return (size_t)(h * UINT64_C(0x7fb5d329728ea185) >> shift);
}

INLINE bool is_same(const struct pi_alike_key *x, const struct pi_alike_key *y)
{
    return ((x->task ^ y->task) | (x->since ^ y->since) | (x->kind ^ y->kind) | (x->stack[0] ^ y->stack[0]) |
            (x->stack[1] ^ y->stack[1])) == 0;
}

static void settle_place(struct pi_alike_place *p)
{
    if (p->at && p->sum) /* else the stack is not touched, which its memory is too slow for */
        p->at->sum = pi_stacks_sum(p->at->sum, p->sum);
    p->sum = 0;
}

void pi_alike_settle(struct pi_alike *a)
{
    for (size_t i = 0; i < a->size; i++)
        if (a->places[i].at) {
            settle_place(&a->places[i]);
            a->places[i] = (struct pi_alike_place){.key.kind = 0};
        }
}

/* Without memory, the table stays as it is. */
static void enlarge(struct pi_alike *a)
{
    const size_t size = 2 * a->size;
    struct pi_alike_place *old = a->places, *all = pi_array(a->allocator, NULL, size, sizeof *all);
    a->pushed = 0;
    if (all == NULL)
        return;
    memset(all, 0, size * sizeof *all);
    a->places = all;
    a->size = size;
    a->shift--;
    for (size_t i = 0; i < size / 2; i++) /* no two of them get the same place */
        if (old[i].key.kind)
            all[place_of(&old[i].key, a->shift)] = old[i];
    pi_release(a->allocator, old);
}

/* ---- Taking */

static inline const struct pi_alike_kind *kind_of(const struct pi_alike *a, uint32_t attr,
                                                  const struct pd_plan *plan)
{
    return attr < a->n_kinds && a->kinds[attr].suits && !plan->offcpu ? &a->kinds[attr] : NULL;
}

/* The table and what it depends on, which taking a sample does not change. */
struct taking {
    struct pi_alike_place *places;
    struct pi_changes *changes;
    unsigned shift;
    uint64_t seed, settled;
};

static struct taking begin_taking(const struct pi_alike *a, uint64_t settled)
{
    return (struct taking){a->places, a->changes, a->shift, a->seed, settled};
}

enum answer { TAKEN, GIVEN, NEW }; /* NEW: it is given, and a place may be made for it */

PI_WRAPS INLINE enum answer take(const struct taking *t, const struct pi_alike_kind *k, bool chains,
                                 const uint8_t *raw, unsigned misc, size_t size)
{
    struct pi_alike_key key;
    uint64_t n;
    if (!fits(k, chains, raw, size, &n))
        return GIVEN;
    const uint64_t time = word_at(raw, k->time);
    if (!k->wanted)
        return pi_is_time(time) ? TAKEN : GIVEN;
    const struct pi_change_span *span = pi_changes_span(t->changes, word_at(raw, k->task), time);
    if (span == NULL)
        return GIVEN;
    make_key(k, t->seed, raw, misc, n, span->since, &key);
    struct pi_alike_place *p = &t->places[place_of(&key, t->shift)];
    if (!is_same(&p->key, &key) || time < p->first)
        return NEW;
    if (p->at == NULL && time < t->settled)
        return GIVEN;
    p->sum = pi_stacks_sum(p->sum, k->weight ? k->weight : word_at(raw, k->period));
    return TAKEN;
}

/*
 * Makes the place of a new sample, which is about to be given, its own, unless it is that of one that was
 * given and is still to come. One that is older than this sample, and would come before it, is not taken.
 */
static void claim(struct pi_alike *a, const struct pi_alike_kind *k, const uint8_t *raw)
{
    const uint64_t time = word_at(raw, k->time), n = k->chain ? word_at(raw, k->chain) : 0;
    struct pi_record_header h;
    struct pi_alike_key key;
    memcpy(&h, raw, sizeof h);
    make_key(k, a->seed, raw, h.misc, n, pi_changes_span(a->changes, word_at(raw, k->task), time)->since,
             &key);
    struct pi_alike_place *p = &a->places[place_of(&key, a->shift)];
    if (p->key.kind && ++a->pushed > a->size / 2 && a->size < a->most) {
        enlarge(a);
        p = &a->places[place_of(&key, a->shift)];
    }
    if (p->key.kind && p->at == NULL)
        return;
    settle_place(p);
    *p = (struct pi_alike_place){.key = key, .first = time};
}

/* Samples that are passed. */
struct run {
    const uint8_t *p, *stop; /* the next one, and the end of what is visible */
    uint64_t n, newest;
    enum answer answer; /* why it stopped; TAKEN: no sample of the event follows */
};

/* Takes samples of one event, as far as they follow each other. */
INLINE void take_kind(const struct taking *t, const struct pi_alike_kind *kind, bool chains,
                      const struct pi_attrs *attrs, uint32_t attr, struct run *run)
{
    const struct pi_alike_kind k = *kind;
    const bool one = attrs->seen == 1;
    const uint8_t *p = run->p, *const stop = run->stop;
    uint64_t n = 0, newest = run->newest;
    uint32_t is = attr;
    struct pi_record_header h;
    while ((size_t)(stop - p) >= sizeof h) {
        memcpy(&h, p, sizeof h);
        if (h.type != PD_RECORD_SAMPLE || h.size > (size_t)(stop - p) ||
            (!one && (pi_attrs_quick(attrs, p, h.type, h.size, &is) == NULL || is != attr)) ||
            (run->answer = take(t, &k, chains, p, h.misc, h.size)) != TAKEN)
            break;
        const uint64_t time = word_at(p, k.time);
        newest = time > newest ? time : newest;
        p += h.size;
        n++;
    }
    run->p = p;
    run->n += n;
    run->newest = newest;
}

/* Functions of their own, so that each has its variables in registers. */
__attribute__((noinline)) static void take_chains(const struct taking *t, const struct pi_alike_kind *kind,
                                                  const struct pi_attrs *attrs, uint32_t attr,
                                                  struct run *run)
{
    take_kind(t, kind, true, attrs, attr, run);
}

__attribute__((noinline)) static void take_places(const struct taking *t, const struct pi_alike_kind *kind,
                                                  const struct pi_attrs *attrs, uint32_t attr,
                                                  struct run *run)
{
    take_kind(t, kind, false, attrs, attr, run);
}

/* The kind of the next record, if that is a sample that may be taken; else NULL. */
static const struct pi_alike_kind *next_kind(const struct pi_alike *a, const struct pi_attrs *attrs,
                                             const struct run *run, uint32_t *attr)
{
    const size_t left = (size_t)(run->stop - run->p);
    struct pi_record_header h;
    if (left < sizeof h)
        return NULL;
    memcpy(&h, run->p, sizeof h);
    const struct pd_event_attr *event = h.type == PD_RECORD_SAMPLE && h.size <= left
                                            ? pi_attrs_quick(attrs, run->p, h.type, h.size, attr)
                                            : NULL;
    return event ? kind_of(a, *attr, &event->plan) : NULL;
}

void pi_alike_take_run(struct pi_alike *a, struct pd_reader *r, struct pd_clock *clock, uint64_t settled,
                       uint64_t known)
{
    const struct taking t = begin_taking(a, settled);
    struct run run = {0};
    const struct pi_alike_kind *k = NULL;
    uint32_t attr;
    run.p = pi_reader_sees(r, &run.stop);
    a->ready = true;
    a->given = run.p;
    if (!pi_changes_settle(a->changes, clock->done, known))
        return;
    while (run.answer == TAKEN && (k = next_kind(a, &r->attrs, &run, &attr)))
        (k->chain ? take_chains : take_places)(&t, k, &r->attrs, attr, &run);
    if (run.answer == NEW)
        claim(a, k, run.p);
    a->given = run.p;
    a->taken += run.n;
    pi_clock_follow(clock, run.newest);
    pi_reader_passed(r, run.p, run.n);
}

bool pi_alike_take(struct pi_alike *a, const struct pd_record *rec, uint64_t settled)
{
    const bool asked = !a->ready || rec->raw == a->given || rec->plan == NULL;
    const struct pi_alike_kind *k = asked ? NULL : kind_of(a, rec->attr_index, rec->plan);
    const struct taking t = begin_taking(a, settled);
    const enum answer answer = k ? take(&t, k, k->chain, rec->raw, rec->misc, rec->size) : GIVEN;
    if (answer == NEW)
        claim(a, k, rec->raw);
    a->taken += answer == TAKEN;
    return answer == TAKEN;
}

/* ---- Samples that went the long way */

/* Fields of one size. */
#define FIXED                                                                                                \
    (PD_SAMPLE_IP | PD_SAMPLE_TID | PD_SAMPLE_TIME | PD_SAMPLE_ADDR | PD_SAMPLE_ID | PD_SAMPLE_CPU |         \
     PD_SAMPLE_PERIOD | PD_SAMPLE_STREAM_ID | PD_SAMPLE_WEIGHT | PD_SAMPLE_DATA_SRC | PD_SAMPLE_IDENTIFIER | \
     PD_SAMPLE_TRANSACTION | PD_SAMPLE_PHYS_ADDR | PD_SAMPLE_CGROUP | PD_SAMPLE_DATA_PAGE_SIZE |             \
     PD_SAMPLE_CODE_PAGE_SIZE | PD_SAMPLE_WEIGHT_STRUCT)

/* The chain's place follows from where the decoder found it. */
static struct pi_alike_kind kind_from(const struct pi_alike *a, const struct pd_record *rec, bool wanted)
{
    const struct pd_plan *p = rec->plan;
    const struct pd_vec *ips = &rec->u.sample.callchain.ips;
    const bool chain = rec->attr->sample_type & PD_SAMPLE_CALLCHAIN;
    struct pi_alike_kind k = {.number = (uint64_t)rec->attr_index << 8 | USED,
                              .known = true,
                              .wanted = wanted,
                              .ip = p->ip,
                              .task = p->pid,
                              .time = p->time,
                              .cpu = p->cpu,
                              .period = p->period,
                              .weight = a->count    ? 1
                                        : p->period ? 0
                                                    : pi_event_period(rec->attr),
                              .cpu_bits = p->cpu && a->with_cpu ? UINT32_MAX : 0};
    k.suits = p->order == PD_HOST_ORDER && p->pid && p->time && !p->offcpu && rec->attr_index < 1u << 24 &&
              !(rec->attr->sample_type & ~(uint64_t)(FIXED | PD_SAMPLE_CALLCHAIN));
    if (!k.suits || (chain && ips->n == 0)) { /* where it is will be seen in another sample */
        k.known = !k.suits;
        k.suits = false;
        return k;
    }
    k.chain = chain ? (uint16_t)((const uint8_t *)ips->ptr - rec->raw - 8) : 0;
    k.size = (uint16_t)(rec->size - (chain ? ips->n * 8 : 0));
    return k;
}

enum pd_code pi_alike_learn(struct pi_alike *a, const struct pd_record *rec, bool wanted,
                            struct pd_error *error)
{
    if (!a->ready)
        return PD_OK;
    while (rec->attr_index >= a->n_kinds) {
        if (!pi_grow(a->allocator, (void **)&a->kinds, a->n_kinds, &a->cap_kinds, sizeof *a->kinds))
            return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "events", 0, a->n_kinds * sizeof *a->kinds);
        a->kinds[a->n_kinds++] = (struct pi_alike_kind){.known = false};
    }
    if (!a->kinds[rec->attr_index].known)
        a->kinds[rec->attr_index] = kind_from(a, rec, wanted);
    return PD_OK;
}

bool pi_alike_suits(const struct pi_alike *a, const struct pd_record *rec)
{
    return a->ready && kind_of(a, rec->attr_index, rec->plan);
}

void pi_alike_await(const struct pi_alike *a, const struct pd_record *rec, struct pi_alike_awaited *awaited)
{
    const struct pi_alike_kind *k = a->ready ? kind_of(a, rec->attr_index, rec->plan) : NULL;
    uint64_t n;
    awaited->key.kind = 0;
    if (k == NULL || !fits(k, k->chain, rec->raw, rec->size, &n))
        return;
    make_key(k, a->seed, rec->raw, rec->misc, n, 0, &awaited->key);
    awaited->time = word_at(rec->raw, k->time);
    __builtin_prefetch(&a->places[place_of(&awaited->key, a->shift)], 1);
}

void pi_alike_seen(struct pi_alike *a, const struct pi_alike_awaited *awaited, struct pi_stack *at)
{
    struct pi_alike_key key = awaited->key;
    if (key.kind == 0)
        return;
    struct pi_alike_place *p = &a->places[place_of(&key, a->shift)];
    key.since = p->key.since; /* whatever is known of changes since */
    if (p->at == NULL && is_same(&p->key, &key) && awaited->time == p->first) {
        p->at = at;
        p->first = 0;
    }
}
