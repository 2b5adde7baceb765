/* SPDX-License-Identifier: MIT */
/* parquet_pages.c - see parquet_pages.h. (Encodings.md: PLAIN, RLE, RLE_DICTIONARY) */
#include "parquet_pages.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include "src/support/wire.h"

/* Room for n more bytes; NULL: none, which is noted, or n is 0. */
static uint8_t *take_room(struct pd_out *out, size_t n)
{
    if (n == 0)
        return NULL;
    if (n > out->cap - out->n && (out->lost || !pd_out_grow(out, n))) {
        out->lost += n;
        out->cap = out->n;
        return NULL;
    }
    uint8_t *const room = (uint8_t *)out->buf + out->n;
    out->n += n;
    return room;
}

/* ---- Dictionaries */

/* Where the place of a value is, or is to be. */
static uint32_t *place_of(const struct pi_parquet_dictionary *d, uint64_t value)
{
    size_t i = (size_t)pi_keyed(&d->key, value) & (d->n_places - 1);
    while (d->places[i] && d->entries[d->places[i] - 1] != value)
        i = (i + 1) & (d->n_places - 1);
    return &d->places[i];
}

/* At most half of the places are taken. */
static bool enlarge(struct pi_parquet_dictionary *d, const struct pd_allocator *allocator)
{
    const size_t n = d->n_places ? 2 * d->n_places : 64;
    uint32_t *places = pi_zeros(allocator, n * sizeof *places);
    if (places == NULL)
        return false;
    if (d->n_places == 0)
        d->key = pi_key_draw();
    pi_release(allocator, d->places);
    d->places = places;
    d->n_places = n;
    for (size_t i = 0; i < d->n; i++)
        *place_of(d, d->entries[i]) = (uint32_t)i + 1;
    return true;
}

static bool find_entry(struct pi_parquet_dictionary *d, const struct pd_allocator *allocator, uint64_t value,
                       uint32_t *index)
{
    if (d->n >= d->n_places / 2 && !enlarge(d, allocator))
        return false;
    uint32_t *place = place_of(d, value);
    if (*place == 0) {
        if (!pi_grow(allocator, (void **)&d->entries, d->n, &d->cap, sizeof *d->entries))
            return false;
        d->entries[d->n] = value;
        *place = (uint32_t)++d->n;
    }
    *index = *place - 1;
    return true;
}

/* The most for n numbers of which `seen` were looked at: if nearly all of these differ, more will, too. */
static size_t most_entries(size_t n, size_t seen)
{
    enum { FIRST = 4096, FEW = FIRST / 32 };
    const size_t half = n / 2, most = half < PI_LIMIT_PARQUET_ENTRIES ? half : PI_LIMIT_PARQUET_ENTRIES;
    return seen == FIRST && most > FIRST - FEW ? FIRST - FEW : most;
}

bool pi_parquet_find_entries(struct pi_parquet_dictionary *d, const struct pi_parquet_values *v, bool *useful)
{
    const bool text = v->column->kind == PI_PARQUET_TEXT;
    d->indices = pi_array(v->allocator, NULL, v->n, sizeof *d->indices);
    if (d->indices == NULL)
        return false;
    *useful = true;
    for (size_t i = 0; *useful && i < v->n; i++) {
        if (i > 0 && v->all[i] == v->all[i - 1])
            d->indices[i] = d->indices[i - 1];
        else if (!find_entry(d, v->allocator, v->all[i], &d->indices[i]))
            return false;
        *useful = text || d->n <= most_entries(v->n, i + 1);
    }
    return true;
}

void pi_parquet_free_entries(struct pi_parquet_dictionary *d, const struct pd_allocator *allocator)
{
    pi_release(allocator, d->places);
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

/* How many from i on are equal: where n are, as many at a time as are equal to the one before them. */
static size_t count_all_equal(const struct numbers *numbers, size_t i, size_t n)
{
    enum { STEP = 64 };
    const size_t width = numbers->small ? sizeof(uint8_t) : sizeof(uint32_t);
    const uint8_t *first = (const uint8_t *)numbers->at + i * width;
    while (STEP <= numbers->n - i - n &&
           memcmp(first + (n - 1) * width, first + n * width, STEP * width) == 0)
        n += STEP;
    return n - 1 + count_equal(numbers, i + n - 1, SIZE_MAX);
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

/* Groups of eight numbers from i on, zeros behind the last. */
static void put_eights(struct pd_out *out, const struct numbers *numbers, size_t i, size_t groups,
                       unsigned width)
{
    const size_t left = numbers->n - i, end = i + (8 * groups < left ? 8 * groups : left);
    uint8_t *to = take_room(out, groups * width);
    uint64_t bits = 0;
    unsigned held = 0;
    if (to == NULL)
        return;
    const uint8_t *const behind = to + groups * width;
    for (; i < end; i++) {
        bits |= (uint64_t)number_at(numbers, i) << held;
        held += width;
        if (held >= 32) {
            pi_store32(to, (uint32_t)bits, PD_LITTLE);
            to += 4;
            bits >>= 32;
            held -= 32;
        }
    }
    for (; to < behind; bits >>= 8)
        *to++ = (uint8_t)bits;
}

static void put_runs(struct pd_out *out, const struct numbers *numbers, unsigned width)
{
    for (size_t i = 0; i < numbers->n;) {
        size_t end = i, groups = 0;
        if (count_equal(numbers, i, 8) == 8) {
            const size_t equal = count_all_equal(numbers, i, 8);
            put_run(out, number_at(numbers, i), equal, width);
            i += equal;
            continue;
        }
        do {
            groups++;
            end += 8;
        } while (end < numbers->n && count_equal(numbers, end, 8) < 8);
        put_varint(out, (uint64_t)groups << 1 | 1);
        put_eights(out, numbers, i, groups, width);
        i = end;
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

/* The bit whose change puts numbers of the kind in the order of unsigned ones. */
static uint64_t sign_of(enum pi_parquet_kind kind)
{
    return kind == PI_PARQUET_I64 ? UINT64_C(1) << 63 : kind == PI_PARQUET_I32 ? UINT64_C(1) << 31 : 0;
}

static void note_numbers(enum pi_parquet_kind kind, const uint64_t *numbers, size_t n,
                         struct pi_parquet_range *range)
{
    const unsigned width = pi_parquet_width(kind);
    const uint64_t sign = sign_of(kind), all = UINT64_MAX >> (64 - 8 * width);
    uint64_t least = UINT64_MAX, greatest = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t number = (numbers[i] ^ sign) & all;
        least = number < least ? number : least;
        greatest = number > greatest ? number : greatest;
    }
    *range = (struct pi_parquet_range){.known = true, .n_least = width, .n_greatest = width};
    pi_store64(range->least, least ^ sign, PD_LITTLE);
    pi_store64(range->greatest, greatest ^ sign, PD_LITTLE);
}

static void put_numbers(struct pd_out *out, enum pi_parquet_kind kind, const uint64_t *numbers, size_t n,
                        struct pi_parquet_range *range)
{
    const unsigned width = pi_parquet_width(kind);
    uint8_t *const to = take_room(out, n * width);
    for (size_t i = 0; to && width == 8 && i < n; i++)
        pi_store64(to + 8 * i, numbers[i], PD_LITTLE);
    for (size_t i = 0; to && width == 4 && i < n; i++)
        pi_store32(to + 4 * i, (uint32_t)numbers[i], PD_LITTLE);
    if (range && n)
        note_numbers(kind, numbers, n, range);
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
    const char *text = v->texts[number];
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
