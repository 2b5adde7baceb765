/* SPDX-License-Identifier: MIT */
/* parquet_pages.c - see parquet_pages.h. (Encodings.md: PLAIN, RLE, RLE_DICTIONARY) */
#include "parquet_pages.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include "src/support/wire.h"

/* ---- Dictionaries */

static bool find_entry(struct pi_parquet_dictionary *d, const struct pd_allocator *allocator, uint64_t value,
                       uint32_t *index)
{
    uint64_t at;
    if (pi_ids_get(&d->places, value, &at)) {
        *index = (uint32_t)at;
        return true;
    }
    if (!pi_grow(allocator, (void **)&d->entries, d->n, &d->cap, sizeof *d->entries) ||
        !pi_ids_set(&d->places, value, d->n))
        return false;
    d->entries[d->n] = value;
    *index = (uint32_t)d->n++;
    return true;
}

bool pi_parquet_find_entries(struct pi_parquet_dictionary *d, const struct pi_parquet_values *v, bool *useful)
{
    const bool text = v->column->kind == PI_PARQUET_TEXT;
    const size_t half = v->n / 2, numbers = half < PI_LIMIT_PARQUET_ENTRIES ? half : PI_LIMIT_PARQUET_ENTRIES,
                 most = text ? SIZE_MAX : numbers;
    d->places.allocator = v->allocator;
    d->indices = pi_array(v->allocator, NULL, v->n, sizeof *d->indices);
    if (d->indices == NULL)
        return false;
    for (size_t i = 0; d->n <= most && i < v->n; i++)
        if (i > 0 && v->all[i] == v->all[i - 1])
            d->indices[i] = d->indices[i - 1];
        else if (!find_entry(d, v->allocator, v->all[i], &d->indices[i]))
            return false;
    *useful = d->n <= most;
    return true;
}

void pi_parquet_free_entries(struct pi_parquet_dictionary *d, const struct pd_allocator *allocator)
{
    pi_ids_free(&d->places);
    pi_release(allocator, d->entries);
    pi_release(allocator, d->indices);
}

/* ---- Runs of equal numbers, and groups of eight of `width` bits each */

struct numbers {
    const void *at; /* uint8_t or uint32_t */
    bool small;
    size_t n;
};

static uint32_t number_at(const struct numbers *numbers, size_t i)
{
    return numbers->small ? ((const uint8_t *)numbers->at)[i] : ((const uint32_t *)numbers->at)[i];
}

/* How many from i on are equal, but no more than `most`. */
static size_t count_equal(const struct numbers *numbers, size_t i, size_t most)
{
    size_t n = 1;
    while (n < most && i + n < numbers->n && number_at(numbers, i + n) == number_at(numbers, i))
        n++;
    return n;
}

static void put_varint(struct pd_out *out, uint64_t value)
{
    uint8_t bytes[10];
    size_t n = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[n++] = (uint8_t)(value & 0x7f) | 0x80;
    bytes[n++] = (uint8_t)value;
    pd_out_bytes(out, bytes, n);
}

static void put_run(struct pd_out *out, uint32_t number, size_t n, unsigned width)
{
    uint8_t bytes[4];
    pi_store32(bytes, number, PD_LITTLE);
    put_varint(out, (uint64_t)n << 1);
    pd_out_bytes(out, bytes, (width + 7) / 8);
}

/* Eight numbers from i on, zeros behind the last. */
static void put_eight(struct pd_out *out, const struct numbers *numbers, size_t i, unsigned width)
{
    uint8_t bytes[32];
    uint64_t bits = 0;
    size_t n = 0;
    for (unsigned k = 0, held = 0; k < 8; k++) {
        bits |= (uint64_t)(i + k < numbers->n ? number_at(numbers, i + k) : 0) << held;
        for (held += width; held >= 8; held -= 8, bits >>= 8)
            bytes[n++] = (uint8_t)(bits & 0xff);
    }
    pd_out_bytes(out, bytes, n);
}

static void put_runs(struct pd_out *out, const struct numbers *numbers, unsigned width)
{
    for (size_t i = 0; i < numbers->n;) {
        const size_t equal = count_equal(numbers, i, SIZE_MAX);
        size_t end = i, groups = 0;
        if (equal >= 8) {
            put_run(out, number_at(numbers, i), equal, width);
            i += equal;
            continue;
        }
        do {
            groups++;
            end += 8;
        } while (end < numbers->n && count_equal(numbers, end, 8) < 8);
        put_varint(out, (uint64_t)groups << 1 | 1);
        for (; groups > 0; groups--, i += 8)
            put_eight(out, numbers, i, width);
    }
}

void pi_parquet_put_levels(struct pd_out *out, const uint8_t *levels, size_t n, unsigned most)
{
    const size_t at = out->n;
    const struct numbers numbers = {.at = levels, .small = true, .n = n};
    pd_out_bytes(out, "\0\0\0", 4);
    put_runs(out, &numbers, most);
    if (!out->lost)
        pi_store32(out->buf + at, (uint32_t)(out->n - at - 4), PD_LITTLE);
}

void pi_parquet_put_indices(struct pd_out *out, const struct pi_parquet_dictionary *d, size_t n)
{
    const struct numbers numbers = {.at = d->indices, .n = n};
    uint8_t width = 1;
    while (width < 32 && d->n > UINT64_C(1) << width)
        width++;
    pd_out_bytes(out, &width, 1);
    put_runs(out, &numbers, width);
}

/* ---- Values as they are */

static bool is_less(enum pi_parquet_kind kind, uint64_t a, uint64_t b)
{
    switch (kind) {
    case PI_PARQUET_I64: return (int64_t)a < (int64_t)b;
    case PI_PARQUET_I32: return (int32_t)a < (int32_t)b;
    default: return a < b;
    }
}

static void put_numbers(struct pd_out *out, enum pi_parquet_kind kind, const uint64_t *numbers, size_t n,
                        struct pi_parquet_range *range)
{
    const unsigned width = pi_parquet_width(kind);
    uint64_t least = n ? numbers[0] : 0, greatest = least;
    uint8_t bytes[8];
    for (size_t i = 0; i < n; i++) {
        pi_store64(bytes, numbers[i], PD_LITTLE);
        pd_out_bytes(out, bytes, width);
        least = is_less(kind, numbers[i], least) ? numbers[i] : least;
        greatest = is_less(kind, greatest, numbers[i]) ? numbers[i] : greatest;
    }
    if (range && n) {
        *range = (struct pi_parquet_range){.known = true, .n_least = width, .n_greatest = width};
        pi_store64(range->least, least, PD_LITTLE);
        pi_store64(range->greatest, greatest, PD_LITTLE);
    }
}

/* A text in the output. */
struct place {
    size_t at, n;
};

static int compare_texts(const struct pd_out *out, const struct place *a, const struct place *b)
{
    const size_t n = a->n < b->n ? a->n : b->n;
    const int order = n ? memcmp(out->buf + a->at, out->buf + b->at, n) : 0;
    return order ? order : (a->n > b->n) - (a->n < b->n);
}

static void note_texts(const struct pd_out *out, const struct place *least, const struct place *greatest,
                       struct pi_parquet_range *range)
{
    range->known = least->n <= PI_PARQUET_RANGE && greatest->n <= PI_PARQUET_RANGE;
    if (!range->known)
        return;
    range->n_least = least->n;
    range->n_greatest = greatest->n;
    memcpy(range->least, out->buf + least->at, least->n);
    memcpy(range->greatest, out->buf + greatest->at, greatest->n);
}

/* A text behind its length; what is not UTF-8 is \xNN. */
static struct place put_text(struct pd_out *out, const struct pi_parquet_values *v, uint64_t number)
{
    const char *text = v->texts->all[number];
    const struct pd_str part =
        v->column->part ? v->column->part(text) : (struct pd_str){.ptr = text, .len = strlen(text)};
    pd_out_bytes(out, "\0\0\0", 4);
    const size_t at = out->n;
    pd_out_visible(out, part.ptr, part.len);
    if (!out->lost)
        pi_store32(out->buf + at - 4, (uint32_t)(out->n - at), PD_LITTLE);
    return (struct place){at, out->n - at};
}

static void put_texts(struct pd_out *out, const struct pi_parquet_values *v, const uint64_t *numbers,
                      size_t n, struct pi_parquet_range *range)
{
    struct place least = {0}, greatest = {0};
    for (size_t i = 0; i < n && !out->lost; i++) {
        const struct place place = put_text(out, v, numbers[i]);
        if (i == 0 || compare_texts(out, &place, &least) < 0)
            least = place;
        if (i == 0 || compare_texts(out, &greatest, &place) < 0)
            greatest = place;
    }
    if (range && n && !out->lost)
        note_texts(out, &least, &greatest, range);
}

void pi_parquet_put_plain(struct pd_out *out, const struct pi_parquet_values *v, const uint64_t *numbers,
                          size_t n, struct pi_parquet_range *range)
{
    if (v->column->kind == PI_PARQUET_TEXT)
        put_texts(out, v, numbers, n, range);
    else
        put_numbers(out, v->column->kind, numbers, n, range);
}
