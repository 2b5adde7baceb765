/* SPDX-License-Identifier: MIT */
/*
 * contents.h - the records of a recording by the content hashes that docs/HASH.md gives each of them, to say
 * in which ones two recordings differ, and whether these are in the same order.
 */
#ifndef PERFDATA_TESTS_CONTENTS_H
#define PERFDATA_TESTS_CONTENTS_H

#include "../../../fuzz/harness.h"
#include "ops/compare/canonical.h"
#include "src/codec/record_role.h"
#include <perfdata/reader.h>
#include <perfdata/session/tasks.h>

/* A record that is content. */
struct content {
    uint64_t time;          /* 0: it has none */
    size_t place;           /* among the others */
    struct pd_hash hash;    /* of all of it */
    struct pd_hash uncount; /* without the values of counters, which a sample may have */
    uint32_t type;
    enum pi_copies copies;
    bool counts; /* it has such values */
};

struct contents {
    struct content *at;
    size_t n, cap;
};

static inline void contents_free(struct contents *c)
{
    free(c->at);
    *c = (struct contents){NULL, 0, 0};
}

static inline void contents_add(struct contents *c, const struct content *more)
{
    if (c->n == c->cap) {
        c->cap = 2 * c->cap + 64;
        c->at = realloc(c->at, c->cap * sizeof *c->at);
        CHECK(c->at);
    }
    c->at[c->n] = *more;
    c->at[c->n].place = c->n;
    c->n++;
}

/* All of a new reader's records, in its order. */
static inline void contents_read(struct contents *c, struct pd_reader *r, const struct pd_allocator *a)
{
    struct pi_canon canon;
    struct pd_record rec = {0};
    *c = (struct contents){NULL, 0, 0};
    CHECK(pi_canon_init(&canon, a, NULL) == PD_OK);
    while (pd_reader_next(r, &rec, NULL) == PD_OK) {
        if (pi_serves_of(&rec) != PI_SERVES_CONTENT)
            continue;
        struct content one = {.type = rec.type, .copies = (enum pi_copies)pi_traits_of(rec.type)->copies};
        const bool decoded = pd_reader_decode(r, &rec, NULL) == PD_OK;
        one.time = pd_record_time(&rec, &one.time) ? one.time : 0;
        pi_canon_record(&canon, &rec);
        one.hash = one.uncount = pi_canon_end(&canon);
        one.counts = decoded && rec.type == PD_RECORD_SAMPLE && rec.plan &&
                     rec.plan->shape.sample_type & PD_SAMPLE_READ;
        if (one.counts) {
            rec.u.sample.read = (struct pd_read_values){0};
            pi_canon_record(&canon, &rec);
            one.uncount = pi_canon_end(&canon);
        }
        contents_add(c, &one);
    }
    pi_canon_free(&canon);
}

/* ---- Orders */

static inline int content_by_time(const void *va, const void *vb)
{
    const struct content *a = va, *b = vb;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static inline int content_by_hash(const void *va, const void *vb)
{
    const struct content *a = va, *b = vb;
    const int order = memcmp(&a->hash, &b->hash, sizeof a->hash);
    return order ? order : content_by_time(va, vb);
}

/* Those without a time first; those of one time, and these, in their order. */
static inline void contents_sort(struct contents *c, int (*by)(const void *, const void *))
{
    if (c->n)
        qsort(c->at, c->n, sizeof *c->at, by);
}

static inline bool content_same(const struct content *a, const struct content *b)
{
    return memcmp(&a->hash, &b->hash, sizeof a->hash) == 0;
}

/* Of samples with counters at one time, what they counted is forgotten. In order of time. */
static inline void contents_forget_counts(struct contents *c)
{
    for (size_t i = 0, last = SIZE_MAX; i < c->n; i++) {
        if (!c->at[i].counts)
            continue;
        if (last != SIZE_MAX && c->at[last].time == c->at[i].time)
            c->at[last].hash = c->at[last].uncount, c->at[i].hash = c->at[i].uncount;
        last = i;
    }
}

/* Of equal records of which copies have a meaning only once, the first stays. In order of hashes. */
static inline void contents_forget_twins(struct contents *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        if (n == 0 || c->at[i].copies != PI_COPIES_ONCE || !content_same(&c->at[n - 1], &c->at[i]))
            c->at[n++] = c->at[i];
    c->n = n;
}

/* How many of `some` are not among `all`, each as often as it is there. Both in order of hashes. */
static inline size_t contents_missing(const struct contents *some, const struct contents *all)
{
    size_t missing = 0;
    for (size_t i = 0, k = 0; i < some->n; i++) {
        while (k < all->n && memcmp(&all->at[k].hash, &some->at[i].hash, sizeof some->at[i].hash) < 0)
            k++;
        if (k < all->n && content_same(&all->at[k], &some->at[i])) {
            k++;
        } else {
            fprintf(stderr, "missing: type %u, time %llu\n", (unsigned)some->at[i].type,
                    (unsigned long long)some->at[i].time);
            missing++;
        }
    }
    return missing;
}

/* The same one after the other, those without a time if `untimed`. Both in order of time. */
static inline bool contents_same(const struct contents *a, const struct contents *b, bool untimed)
{
    bool same = a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++)
        same = (!untimed && a->at[i].time == 0) || content_same(&a->at[i], &b->at[i]);
    return same;
}

/* What happened, as `some` tell it, is in that order among `all`, whatever counters say. */
static inline bool contents_among(const struct contents *some, const struct contents *all)
{
    size_t k = 0;
    bool among = true;
    for (size_t i = 0; among && i < some->n; i++) {
        const struct content *const one = &some->at[i];
        if (one->copies != PI_COPIES_EVENT)
            continue;
        while (k < all->n && memcmp(&all->at[k].uncount, &one->uncount, sizeof one->uncount) != 0)
            k++;
        among = k++ < all->n;
    }
    return among;
}

#endif
