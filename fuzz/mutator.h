/* SPDX-License-Identifier: MIT */
/*
 * mutator.h - changes inputs plausibly: records keep a size that leads to the next one, sections an offset
 * inside the file. Blind changes, which libFuzzer does best itself, are mixed in.
 */
#ifndef PERFDATA_FUZZ_MUTATOR_H
#define PERFDATA_FUZZ_MUTATOR_H

#include "src/support/wire.h"
#if defined __has_feature
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define WRITTEN_ELSEWHERE __msan_unpoison
#endif
#endif

/* Given by libFuzzer, or driver.c. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

struct mutation {
    uint8_t *data;
    size_t size, max;
    enum pd_order order;
    uint64_t state;
    bool bare; /* no sections: all from `records` on are records */
    bool less; /* something is to be taken away */
    size_t records;
};

/* When libFuzzer makes an input small, `max` is less than it has now. */
static inline struct mutation mutation_of(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    return (struct mutation){
        .data = data, .size = size, .max = size > max ? size : max, .less = size > max, .state = seed};
}

static inline uint64_t mutation_random(struct mutation *m, uint64_t below)
{
    uint64_t z = m->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (z ^ z >> 31) % below;
}

/* libFuzzer's own change; returns the new size. MemorySanitizer does not see what libFuzzer itself writes. */
static inline size_t mutate_blindly(uint8_t *data, size_t size, size_t max)
{
    size = LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, max) : size;
#ifdef WRITTEN_ELSEWHERE
    WRITTEN_ELSEWHERE(&size, sizeof size);
    WRITTEN_ELSEWHERE(data, size);
#endif
    return size;
}

static inline void mutate_in_place(struct mutation *m, size_t at, size_t n)
{
    if (n)
        mutate_blindly(m->data + at, n, n);
}

/* A type that is mostly known: of the kernel, of perf, of simpleperf, any. */
static inline uint32_t plausible_type(struct mutation *m)
{
    switch (mutation_random(m, 8)) {
    case 0: return (uint32_t)(64 + mutation_random(m, 24));
    case 1: return (uint32_t)(32768 + mutation_random(m, 12));
    case 2: return (uint32_t)mutation_random(m, 64);
    case 3:
    case 4: return 9;
    default: return (uint32_t)(1 + mutation_random(m, 22));
    }
}

/* A number that often counts something. */
static inline uint64_t plausible_count(struct mutation *m)
{
    switch (mutation_random(m, 4)) {
    case 0: return m->size / (1 + mutation_random(m, 16));
    case 1: return UINT64_C(1) << mutation_random(m, 64);
    default: return mutation_random(m, 9);
    }
}

static inline void mutate_word(struct mutation *m, size_t at, size_t n)
{
    if (n < 8)
        return;
    const size_t place = at + 8 * (size_t)mutation_random(m, n / 8);
    if (mutation_random(m, 3))
        pi_store64(m->data + place, plausible_count(m), m->order);
    else
        pi_store32(m->data + place + 4 * mutation_random(m, 2), (uint32_t)plausible_count(m), m->order);
}

/* ---- One record that is all there is from `at` on. */

static inline void mutate_lone_record(struct mutation *m, size_t at)
{
    const size_t n = m->size - at;
    if (m->size < at + 8)
        return;
    if (mutation_random(m, 4) == 0)
        pi_store32(m->data + at, plausible_type(m), m->order);
    if (mutation_random(m, 3) == 0)
        mutate_word(m, at + 8, n - 8);
    if (mutation_random(m, 8) && n <= UINT16_MAX)
        pi_store16(m->data + at + 6, (uint16_t)n, m->order);
}

/* ---- Files. */

enum {
    AT_ATTR_SIZE = 16,
    AT_ATTRS = 24,
    AT_DATA = 40,
    AT_TYPES = 56,
    AT_FEATURES = 72,
    FILE_HEADER = 104,
    PIPE_HEADER = 16
};

static inline uint64_t file_word(const struct mutation *m, size_t at)
{
    return at <= m->size && m->size - at >= 8 ? pi_load64(m->data + at, m->order) : 0;
}

static inline void file_set_word(struct mutation *m, size_t at, uint64_t v)
{
    if (at <= m->size && m->size - at >= 8)
        pi_store64(m->data + at, v, m->order);
}

static inline void move_section(struct mutation *m, uint64_t at, uint64_t from, uint64_t by)
{
    if (file_word(m, (size_t)at) >= from)
        file_set_word(m, (size_t)at, file_word(m, (size_t)at) + by);
}

/* Everything that stood at `from` or behind, which is inside the data, stands `by` bytes further. */
static inline void move_sections(struct mutation *m, uint64_t from, uint64_t by)
{
    const uint64_t stride = file_word(m, AT_ATTR_SIZE),
                   table = file_word(m, AT_DATA) + file_word(m, AT_DATA + 8);
    uint64_t n = 0;
    move_section(m, AT_ATTRS, from, by);
    move_section(m, AT_TYPES, from, by);
    for (size_t i = 0; i < 4; i++)
        n += (uint64_t)__builtin_popcountll(file_word(m, AT_FEATURES + 8 * i));
    for (uint64_t i = 0; stride >= 24 && i < file_word(m, AT_ATTRS + 8) / stride && i < 1000; i++)
        move_section(m, file_word(m, AT_ATTRS) + (i + 1) * stride - 16, from, by);
    for (uint64_t i = 0; i < n; i++)
        move_section(m, table + 16 * i, from, by);
}

/* A record of the data section, chosen at random; false when there is none. */
static inline bool pick_record(struct mutation *m, size_t *at, size_t *n)
{
    const uint64_t start = m->bare ? m->records : file_word(m, AT_DATA);
    const uint64_t size = m->bare ? m->size - m->records : file_word(m, AT_DATA + 8);
    uint64_t skip = mutation_random(m, 64);
    if (start > m->size || size > m->size - start)
        return false;
    size_t p = (size_t)start;
    const size_t end = p + (size_t)size;
    for (*n = 0; end - p >= 8; skip--) {
        const size_t length = pi_load16(m->data + p + 6, m->order);
        if (length < 8 || length > end - p)
            break;
        *at = p;
        *n = length;
        p += length;
        if (skip == 0)
            break;
    }
    return *n != 0;
}

/* Makes room at `at`, or takes bytes away there; what is behind moves, and is still found. */
static inline bool stretch(struct mutation *m, size_t at, size_t more, size_t less)
{
    if (m->size + more - less > m->max || at + less > m->size)
        return false;
    const size_t data = AT_DATA + 8;
    memmove(m->data + at + more, m->data + at + less, m->size - at - less);
    m->size += more - less;
    if (more)
        memset(m->data + at, 0, more);
    if (!m->bare) {
        file_set_word(m, data, file_word(m, data) + more - less);
        move_sections(m, at, more - less);
    }
    return true;
}

static inline void mutate_record_size(struct mutation *m, size_t at, size_t n)
{
    const size_t by = 8 * (1 + (size_t)mutation_random(m, 6)), inside = 8 + (size_t)mutation_random(m, n - 7);
    if (mutation_random(m, 2) && n + by <= UINT16_MAX && stretch(m, at + inside, by, 0))
        pi_store16(m->data + at + 6, (uint16_t)(n + by), m->order);
    else if (n - inside >= by && stretch(m, at + inside, 0, by))
        pi_store16(m->data + at + 6, (uint16_t)(n - by), m->order);
}

/* A record, or all from some place on, is taken away. */
static inline void mutate_to_less(struct mutation *m)
{
    size_t at, n;
    if (m->size && (mutation_random(m, 4) == 0 || !pick_record(m, &at, &n) || !stretch(m, at, 0, n)))
        m->size = (size_t)mutation_random(m, m->size);
}

static inline void mutate_records(struct mutation *m)
{
    size_t at, n;
    if (m->less) {
        mutate_to_less(m);
        return;
    }
    if (!pick_record(m, &at, &n)) {
        mutate_in_place(m, 0, m->size);
        return;
    }
    switch (mutation_random(m, 6)) {
    case 0: pi_store32(m->data + at, plausible_type(m), m->order); break;
    case 1: mutate_word(m, at + 8, n - 8); break;
    case 2: mutate_record_size(m, at, n); break;
    case 3:
        if (stretch(m, at, n, 0))
            memcpy(m->data + at, m->data + at + n, n);
        break;
    case 4: stretch(m, at, 0, n); break;
    default: mutate_in_place(m, at + 8, n - 8); break;
    }
}

/* A number of the file header: one that is already there, the end of the file, or near either. */
static inline void mutate_header(struct mutation *m)
{
    const size_t at = AT_ATTR_SIZE + 8 * (size_t)mutation_random(m, 7);
    uint64_t v =
        mutation_random(m, 3) ? file_word(m, AT_ATTR_SIZE + 8 * (size_t)mutation_random(m, 7)) : m->size;
    if (mutation_random(m, 2))
        v += 8 * mutation_random(m, 9) - 32;
    file_set_word(m, at, mutation_random(m, 8) ? v : 0);
}

static inline void mutate_attr(struct mutation *m)
{
    const uint64_t stride = file_word(m, AT_ATTR_SIZE),
                   n = stride >= 24 ? file_word(m, AT_ATTRS + 8) / stride : 0;
    if (n == 0 || n > m->size)
        return;
    const uint64_t at = file_word(m, AT_ATTRS) + mutation_random(m, n) * stride;
    if (at > m->size || stride > m->size - at)
        return;
    if (mutation_random(m, 2)) /* a bit of sample_type */
        file_set_word(m, (size_t)at + 24,
                      file_word(m, (size_t)at + 24) ^ UINT64_C(1) << mutation_random(m, 25));
    else
        mutate_in_place(m, (size_t)at, (size_t)stride);
}

static inline size_t mutate_file(struct mutation *m)
{
    m->order = m->size && m->data[0] == '2' ? PD_BIG : PD_LITTLE;
    m->bare = file_word(m, 8) == PIPE_HEADER;
    m->records = PIPE_HEADER;
    if (m->less) {
        mutate_to_less(m);
        return m->size;
    }
    if (m->size < (m->bare ? PIPE_HEADER : FILE_HEADER) || mutation_random(m, 4) == 0)
        return mutate_blindly(m->data, m->size, m->max);
    switch (m->bare ? 3 + mutation_random(m, 5) : mutation_random(m, 8)) {
    case 0: mutate_header(m); break;
    case 1: m->data[AT_FEATURES + mutation_random(m, 18)] ^= (uint8_t)(1u << mutation_random(m, 8)); break;
    case 2: mutate_attr(m); break;
    case 3: m->size -= mutation_random(m, 16) ? 0 : (size_t)mutation_random(m, m->size); break;
    default: mutate_records(m); break;
    }
    return m->size;
}

/* All is records. */
static inline size_t mutate_all_records(struct mutation *m)
{
    m->bare = true;
    m->records = 0;
    mutate_records(m);
    return m->size;
}

/* A recording that stands behind `front` bytes of something else, which libFuzzer changes now and then. */
static inline size_t mutate_file_behind(size_t front, uint8_t *data, size_t size, size_t max, unsigned seed)
{
    struct mutation m = mutation_of(data, size, max, seed);
    if (size < front)
        return mutate_blindly(data, size, max);
    if (!m.less && mutation_random(&m, 8) == 0) {
        mutate_in_place(&m, 0, front);
        return size;
    }
    m.data += front;
    m.size -= front;
    m.max -= front;
    return front + mutate_file(&m);
}

#endif
