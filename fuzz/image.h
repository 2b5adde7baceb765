/* SPDX-License-Identifier: MIT */
/*
 * image.h - perf.data files put together byte by byte from the format's description, without the library: for
 * tests, and as the first inputs of the fuzzer.
 */
#ifndef PERFDATA_FUZZ_IMAGE_H
#define PERFDATA_FUZZ_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct image {
    bool big; /* byte order */
    uint8_t *b;
    size_t n, cap;
    size_t data, table, end; /* of image_recording(): where these begin, and where the last section ends */
    unsigned records;
};

static inline void image_free(struct image *im)
{
    free(im->b);
    *im = (struct image){0};
}

static inline uint8_t *image_room(struct image *im, size_t n)
{
    if (im->n + n > im->cap) {
        im->cap = 2 * (im->n + n) + 1024;
        im->b = realloc(im->b, im->cap);
        if (im->b == NULL)
            abort();
    }
    im->n += n;
    return im->b + im->n - n;
}

static inline void image_bytes(struct image *im, const void *bytes, size_t n)
{
    if (n)
        memcpy(image_room(im, n), bytes, n);
}

/* n bytes that are not the same everywhere. */
static inline void image_pattern(struct image *im, size_t n)
{
    for (size_t i = 0; i < n; i++)
        *image_room(im, 1) = (uint8_t)(i * 7 + i / 251 + 1);
}

static inline void image_zeros(struct image *im, size_t n)
{
    if (n)
        memset(image_room(im, n), 0, n);
}

static inline void image_set(struct image *im, size_t at, uint64_t v, size_t width)
{
    for (size_t i = 0; i < width; i++)
        im->b[at + i] = (uint8_t)(v >> 8 * (im->big ? width - 1 - i : i));
}

static inline void image_number(struct image *im, uint64_t v, size_t width)
{
    image_room(im, width);
    image_set(im, im->n - width, v, width);
}

static inline void image_u16(struct image *im, unsigned v)
{
    image_number(im, v, 2);
}
static inline void image_u32(struct image *im, uint32_t v)
{
    image_number(im, v, 4);
}
static inline void image_u64(struct image *im, uint64_t v)
{
    image_number(im, v, 8);
}

static inline void image_section(struct image *im, size_t at, uint64_t offset, uint64_t size)
{
    image_set(im, at, offset, 8);
    image_set(im, at + 8, size, 8);
}

/* Offsets in the file header. */
enum {
    IMAGE_SIZE = 8,
    IMAGE_ATTR_SIZE = 16,
    IMAGE_ATTRS = 24,
    IMAGE_DATA = 40,
    IMAGE_TYPES = 56,
    IMAGE_FEATURES = 72,
};

/*
 * Starts a file: the magic, `size` bytes of header of which only size and attr_size are set. 16: a pipe
 * stream.
 */
static inline void image_start(struct image *im, bool big, size_t size, uint64_t attr_size)
{
    *im = (struct image){.big = big};
    image_bytes(im, big ? "2ELIFREP" : "PERFILE2", 8);
    image_u64(im, size);
    image_zeros(im, size - 16);
    if (size > 16)
        image_set(im, IMAGE_ATTR_SIZE, attr_size, 8);
}

/* Bit n of the feature bitmap, whose words have `word` bytes. */
static inline void image_feature(struct image *im, unsigned n, unsigned word)
{
    const unsigned in_word = n % (8 * word) / 8;
    im->b[IMAGE_FEATURES + n / (8 * word) * word + (im->big ? word - 1 - in_word : in_word)] |=
        (uint8_t)(1u << n % 8);
}

/* An attr of `room` bytes that says it has `size`, and what decides the layout of its records. */
static inline size_t image_attr(struct image *im, uint32_t size, size_t room, uint64_t sample_type,
                                bool sample_id_all)
{
    const size_t at = im->n;
    image_zeros(im, room);
    image_set(im, at, 1, 4); /* software, cpu-clock */
    image_set(im, at + 4, size, 4);
    image_set(im, at + 16, 4000, 8);
    image_set(im, at + 24, sample_type, 8);
    image_set(im, at + 40, sample_id_all ? UINT64_C(1) << (im->big ? 63 - 18 : 18) : 0, 8);
    return at;
}

static inline void image_ids(struct image *im, uint64_t offset, uint64_t size)
{
    image_u64(im, offset);
    image_u64(im, size);
}

/* A record's header; image_end() sets the size. */
static inline size_t image_record(struct image *im, uint32_t type, unsigned misc)
{
    const size_t at = im->n;
    image_u32(im, type);
    image_u16(im, misc);
    image_u16(im, 0);
    im->records++;
    return at;
}

static inline void image_end(struct image *im, size_t at)
{
    image_set(im, at + 6, im->n - at, 2);
}

/* ---- A recording with some of everything. */

enum {
    ST_IP = 1,
    ST_TID = 2,
    ST_TIME = 4,
    ST_ADDR = 8,
    ST_READ = 16,
    ST_CALLCHAIN = 32,
    ST_ID = 64,
    ST_CPU = 128,
    ST_PERIOD = 256,
    ST_STREAM_ID = 512,
    ST_RAW = 1024,
    ST_STACK_USER = 8192,
    ST_IDENTIFIER = 65536,
};

/* The layouts of its two events: their trailers have 32 and 24 bytes. */
#define IMAGE_ST0 (ST_IDENTIFIER | ST_IP | ST_TID | ST_TIME | ST_CPU | ST_PERIOD | ST_CALLCHAIN)
#define IMAGE_ST1 (ST_IDENTIFIER | ST_IP | ST_TID | ST_TIME | ST_RAW)

static inline void image_trailer(struct image *im, uint64_t time, bool cpu, uint64_t id)
{
    image_u32(im, 100);
    image_u32(im, 101);
    image_u64(im, time);
    if (cpu)
        image_u64(im, UINT64_C(1) << (im->big ? 32 : 0)); /* cpu 1, then the reserved word */
    image_u64(im, id);
}

static inline void image_comm(struct image *im, const char name[8], uint64_t time, bool cpu, uint64_t id)
{
    const size_t at = image_record(im, 3, 0x2000);
    image_u32(im, 100);
    image_u32(im, 101);
    image_bytes(im, name, 8);
    image_trailer(im, time, cpu, id);
    image_end(im, at);
}

static inline void image_sample0(struct image *im, uint64_t id, uint64_t ip, uint64_t time)
{
    const size_t at = image_record(im, 9, 2);
    image_u64(im, id);
    image_u64(im, ip);
    image_u32(im, 100);
    image_u32(im, 101);
    image_u64(im, time);
    image_u32(im, 1);
    image_u32(im, 0);
    image_u64(im, 250000);
    image_u64(im, 3);
    image_u64(im, UINT64_C(0xfffffffffffffe00));
    image_u64(im, ip);
    image_u64(im, ip + 16);
    image_end(im, at);
}

static inline void image_sample1(struct image *im, uint64_t id, uint64_t ip, uint64_t time)
{
    const size_t at = image_record(im, 9, 2);
    image_u64(im, id);
    image_u64(im, ip);
    image_u32(im, 100);
    image_u32(im, 101);
    image_u64(im, time);
    image_u32(im, 12);
    image_pattern(im, 12);
    image_end(im, at);
}

static inline void image_mmap2(struct image *im, uint64_t time)
{
    const size_t at = image_record(im, 10, 2);
    image_u32(im, 100);
    image_u32(im, 101);
    image_u64(im, 0x400000);
    image_u64(im, 0x2000);
    image_u64(im, 0);
    image_u32(im, 8);
    image_u32(im, 1);
    image_u64(im, 4711);
    image_u64(im, 1);
    image_u32(im, 5);
    image_u32(im, 2);
    image_bytes(im, "/bin/true\0left.\0", 16);
    image_trailer(im, time, true, 0);
    image_end(im, at);
}

static inline void image_auxtrace(struct image *im, size_t payload)
{
    const size_t at = image_record(im, 71, 0);
    image_u64(im, payload);
    image_u64(im, 0x1000);
    image_u64(im, 7);
    image_u32(im, 1);
    image_u32(im, 101);
    image_u32(im, 1);
    image_u32(im, 0);
    image_end(im, at);
    image_pattern(im, payload);
}

/* `size` is 12 or 16 bytes, the padding in the latter being of no value. */
static inline void image_tracing_data(struct image *im, size_t size, uint32_t payload)
{
    const size_t at = image_record(im, 66, 0);
    image_u32(im, payload);
    if (size == 16)
        image_u32(im, 0xdeadbeef);
    image_end(im, at);
    image_pattern(im, payload);
}

static inline void image_records(struct image *im)
{
    size_t at;
    image_comm(im, "one\0lef", 0, true, 0);
    image_comm(im, "two\0\0\0\0", 10, false, 21);
    image_mmap2(im, 11);
    image_sample0(im, 11, 0x400123, 20);
    image_sample1(im, 21, 0x400456, 21);
    image_sample0(im, 12, 0x400789, 22);
    at = image_record(im, 9, 1); /* of an event that nobody knows */
    image_u64(im, 99);
    image_u64(im, 0x1234);
    image_end(im, at);
    at = image_record(im, 60, 0x1234); /* of a newer kernel */
    image_u64(im, 5);
    image_trailer(im, 23, true, 12);
    image_end(im, at);
    image_auxtrace(im, 24);
    image_tracing_data(im, 12, 16);
    at = image_record(im, 80, 0); /* HEADER_FEATURE, 5 bytes past a multiple of 8 */
    image_u64(im, 205);           /* nobody knows its layout */
    image_bytes(im, "x86\0", 5);
    image_end(im, at);
    at = image_record(im, 68, 0); /* FINISHED_ROUND */
    image_end(im, at);
}

/* A string as features store it: its slot's size, then the text and zeros. */
static inline void image_feature_string(struct image *im, size_t entry, const char *s, uint32_t slot)
{
    const size_t at = im->n;
    image_u32(im, slot);
    image_bytes(im, s, strlen(s));
    image_zeros(im, slot - strlen(s));
    image_section(im, entry, at, im->n - at);
}

static inline void image_features(struct image *im)
{
    im->table = im->n;
    image_feature(im, 3, 8);
    image_feature(im, 4, 8);
    image_feature(im, 15, 8);
    image_feature(im, 200, 8);
    image_zeros(im, 4 * 16 + 2 * 16);                      /* as when two features were given up */
    image_feature_string(im, im->table + 16, "6.1.0", 64); /* not in the order of the table */
    image_feature_string(im, im->table, "host", 64);
    image_section(im, im->table + 32, im->n, 0);
    image_section(im, im->table + 48, im->n, 13);
    image_pattern(im, 13);
    im->end = im->n;
}

/* Header, ids, attrs, data, feature table, gap, sections, trailing bytes. */
static inline void image_recording(struct image *im, bool big)
{
    image_start(im, big, 104, 144);
    image_u64(im, 11);
    image_u64(im, 12);
    image_u64(im, 21);
    image_section(im, IMAGE_ATTRS, im->n, UINT64_C(2) * 144);
    image_attr(im, 128, 128, IMAGE_ST0, true);
    image_ids(im, 104, 16);
    image_attr(im, 128, 128, IMAGE_ST1, true);
    image_ids(im, 120, 8);
    im->data = im->n;
    image_records(im);
    image_section(im, IMAGE_DATA, im->data, im->n - im->data);
    image_features(im);
    image_bytes(im, "tail!", 5);
}

/* An unfinished recording of one event without ids. */
static inline void image_unfinished(struct image *im, bool big)
{
    image_start(im, big, 104, 80);
    image_section(im, IMAGE_ATTRS, im->n, 80);
    image_attr(im, 0, 64, ST_IP | ST_TID, false);
    image_ids(im, 0, 0);
    im->data = im->n;
    image_section(im, IMAGE_DATA, im->data, 0);
    image_feature(im, 3, 8);
    for (unsigned i = 0; i < 3; i++) {
        const size_t at = image_record(im, 9, 1);
        image_u64(im, 0xffff0000 + i);
        image_u32(im, 7);
        image_u32(im, 8 + i);
        image_end(im, at);
    }
}

/* The file of perf 2.6.3x: PERFFILE, a header of 72 bytes, event types. */
static inline void image_v1(struct image *im, bool big)
{
    image_start(im, big, 72, 80);
    memcpy(im->b, "PERFFILE", 8);
    image_u64(im, 5);
    image_section(im, IMAGE_ATTRS, im->n, 80);
    image_attr(im, 64, 64, ST_IP | ST_TID, false);
    image_ids(im, 72, 8);
    image_section(im, IMAGE_TYPES, im->n, 72);
    image_u64(im, 0);
    image_bytes(im, "cpu-clock\0junk", 15);
    image_zeros(im, 64 - 15);
    im->data = im->n;
    const size_t at = image_record(im, 9, 1);
    image_u64(im, 0x400000);
    image_u64(im, 0);
    image_end(im, at);
    image_section(im, IMAGE_DATA, im->data, im->n - im->data);
}

#endif
