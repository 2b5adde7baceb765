/* SPDX-License-Identifier: MIT */
/*
 * stretches.h - entries that come almost in order of time, kept as stretches that ascend, and merged where
 * order is asked for: n entries of k ring buffers cost n log k, and n log n whatever the input.
 *
 * Who includes this defines two names, which are undefined afterwards: ENTRY, a struct with a `time`, and
 * HOLDER, a struct with `allocator`, with `n` ENTRYs in `entries` and room for as many in `scratch`, and with
 * the places where stretches begin: `n_stretches` in `stretches`, which have room for `stretches_cap`.
 */
enum { REACH = 16 }; /* how far back an entry is inserted into its stretch, instead of starting another */

/*
 * Makes a place for one more entry, for which there is room: in the last stretch if it is near, else at the
 * head of a new one. The caller sets all of it. NULL: no memory.
 */
static inline ENTRY *place_entry(HOLDER *h, uint64_t time)
{
    ENTRY *a = h->entries;
    size_t at = h->n;
    const size_t start = h->n_stretches ? h->stretches[h->n_stretches - 1] : at;
    const bool far = at - start > REACH && a[at - REACH - 1].time > time;
    if (at == start || far) {
        if (!pi_grow(h->allocator, (void **)&h->stretches, h->n_stretches, &h->stretches_cap,
                     sizeof *h->stretches))
            return NULL;
        h->stretches[h->n_stretches++] = at;
    } else {
        for (; at > start && a[at - 1].time > time; at--)
            a[at] = a[at - 1];
    }
    h->n++;
    return &a[at];
}

/* A part of a stretch. */
struct part {
    const ENTRY *first, *end;
};

static size_t shorter(const struct part *a, const struct part *b)
{
    const size_t n_a = (size_t)(a->end - a->first), n_b = (size_t)(b->end - b->first);
    return n_a < n_b ? n_a : n_b;
}

/*
 * Takes the first n and the last n entries of both together, which have as many each, to both ends of their
 * places. Nobody can predict which one is next, so there is no branch; and neither end waits for the other.
 */
static void merge_ends(struct part *a, struct part *b, size_t n, ENTRY *first, ENTRY *end)
{
    struct part x = *a, y = *b;
    for (; n; n--) {
        const bool later = y.first->time < x.first->time;
        const bool sooner = y.end[-1].time < x.end[-1].time;
        *first++ = *(later ? y.first : x.first);
        *--end = (sooner ? x.end : y.end)[-1];
        y.first += later;
        x.first += !later;
        x.end -= sooner;
        y.end -= !sooner;
    }
    *a = x;
    *b = y;
}

/* The first of n entries in order that is newer. */
static size_t first_newer(const ENTRY *a, size_t n, uint64_t time)
{
    size_t low = 0;
    for (size_t high = n, middle; low < high;) {
        middle = low + (high - low) / 2;
        if (a[middle].time > time)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/*
 * Merges two stretches, of equal times the former first. Those of different rounds have few times in common:
 * only these are compared.
 */
static void merge_two(const ENTRY *a, size_t n_a, const ENTRY *b, size_t n_b, ENTRY *to)
{
    const bool mixed = n_a && n_b && a[n_a - 1].time > b->time;
    const size_t before = mixed ? first_newer(a, n_a, b->time) : n_a;
    const size_t within = mixed ? first_newer(b, n_b, a[n_a - 1].time - 1) : 0;
    struct part x = {a + before, a + n_a}, y = {b, b + within};
    ENTRY *end = to + n_a + within;
    memcpy(to, a, before * sizeof *to);
    memcpy(end, b + within, (n_b - within) * sizeof *to);
    to += before;
    for (size_t n; (n = shorter(&x, &y)); to += n, end -= n)
        merge_ends(&x, &y, n, to, end);
    memcpy(to, x.first, (size_t)(x.end - x.first) * sizeof *to);
    to += x.end - x.first;
    memcpy(to, y.first, (size_t)(y.end - y.first) * sizeof *to);
}

/* The same where b may be the end of the output. */
static void merge_before(const ENTRY *a, size_t n_a, const ENTRY *b, size_t n_b, ENTRY *to)
{
    const ENTRY *const a_end = a + n_a, *const b_end = b + n_b;
    if (n_a && n_b && a_end[-1].time > b->time)
        while (a < a_end && b < b_end) {
            const bool later = b->time < a->time;
            *to++ = *(later ? b : a);
            b += later;
            a += !later;
        }
    memcpy(to, a, (size_t)(a_end - a) * sizeof *to);
    to += a_end - a;
    if (to != b)
        memcpy(to, b, (size_t)(b_end - b) * sizeof *to);
}

/* Merges each two neighbouring stretches from number `first` on. */
static void merge_pairs(HOLDER *h, size_t first, const ENTRY *from, ENTRY *to)
{
    size_t kept = first;
    for (size_t i = first; i < h->n_stretches; i += 2) {
        const size_t low = h->stretches[i];
        const size_t middle = i + 1 < h->n_stretches ? h->stretches[i + 1] : h->n;
        const size_t high = i + 2 < h->n_stretches ? h->stretches[i + 2] : h->n;
        merge_two(from + low, middle - low, from + middle, high - middle, to + low);
        h->stretches[kept++] = low;
    }
    h->n_stretches = kept;
}

/* Makes one stretch of all. A first one that is longer than the others together is moved but once. */
static void merge_stretches(HOLDER *h)
{
    if (h->n_stretches < 2)
        return;
    const size_t n = h->stretches[1], first = n > h->n / 2 ? 1 : 0;
    ENTRY *from = h->entries, *to = h->scratch;
    while (h->n_stretches > first + 1) {
        merge_pairs(h, first, from, to);
        ENTRY *merged = to;
        to = from;
        from = merged;
    }
    if (first) {
        const size_t at = first_newer(h->entries, n, from[n].time);
        memcpy(h->scratch + at, h->entries + at, (n - at) * sizeof *to);
        merge_before(h->scratch + at, n - at, from + n, h->n - n, h->entries + at);
        h->n_stretches = 1;
    } else {
        h->entries = from;
        h->scratch = to;
    }
}

#undef ENTRY
#undef HOLDER
