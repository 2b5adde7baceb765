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

/* Merges from[low, middle) and from[middle, high), of equal times the left one first. */
static void merge_two(const ENTRY *from, ENTRY *to, size_t low, size_t middle, size_t high)
{
    size_t a = low, b = middle, out = low;
    if (middle < high && from[middle - 1].time > from[middle].time)
        while (a < middle && b < high)
            to[out++] = from[b].time < from[a].time ? from[b++] : from[a++];
    memcpy(to + out, from + a, (middle - a) * sizeof *from);
    out += middle - a;
    memcpy(to + out, from + b, (high - b) * sizeof *from);
}

/* Merges each two neighbouring stretches. */
static void merge_pairs(HOLDER *h)
{
    size_t kept = 0;
    for (size_t i = 0; i < h->n_stretches; i += 2) {
        const size_t low = h->stretches[i];
        const size_t middle = i + 1 < h->n_stretches ? h->stretches[i + 1] : h->n;
        const size_t high = i + 2 < h->n_stretches ? h->stretches[i + 2] : h->n;
        merge_two(h->entries, h->scratch, low, middle, high);
        h->stretches[kept++] = low;
    }
    h->n_stretches = kept;
    ENTRY *sorted = h->scratch;
    h->scratch = h->entries;
    h->entries = sorted;
}

/* Makes one stretch of all. */
static void merge_stretches(HOLDER *h)
{
    while (h->n_stretches > 1)
        merge_pairs(h);
}

#undef ENTRY
#undef HOLDER
