/* SPDX-License-Identifier: MIT */
/*
 * deflate.c - chunks of one zstd stream: decompressed bytes are the original ones, each chunk has all bytes
 * given before it, and fits. Checks R2.
 */
#include "encode/container/deflate.h"
#include "src/container/inflate.h"
#include "cmocka_all.h"
#include <stdlib.h>
#include <string.h>

#define TOTAL (1000 * 1000)

/* Bytes of several kinds: zeros, like text, and incompressible ones. */
static uint8_t *make_bytes(unsigned kind)
{
    uint8_t *p = malloc(TOTAL);
    uint64_t x = 88172645463325252u;
    assert_non_null(p);
    for (size_t i = 0; i < TOTAL; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        p[i] = kind == 0 ? 0 : kind == 1 ? (uint8_t)("perf record"[i % 11] + (x % 97 == 0)) : (uint8_t)x;
    }
    return p;
}

struct stream {
    struct pi_deflate z;
    struct pi_inflate back;
    const uint8_t *want;
    size_t chunks, most;
    size_t at; /* bytes that were decompressed */
};

/* Compresses the waiting bytes, and checks the output at once. */
static void chunk(struct stream *s, bool last)
{
    const size_t waiting = s->z.n;
    const uint8_t *p, *out;
    size_t n, got;
    assert_int_equal(pi_deflate_chunk(&s->z, last, &p, &n, NULL), PD_OK);
    assert_true(n > 0 && n <= 65512);
    assert_int_equal(s->z.n, 0);
    s->most = n > s->most ? n : s->most;
    s->chunks++;
    assert_int_equal(pi_inflate_chunk(&s->back, p, n, 0, NULL), PD_OK);
    size_t sum = 0;
    while (sum < waiting) {
        assert_int_equal(pi_inflate_at(&s->back, 1, &out, &got, NULL), PD_OK);
        assert_true(got > 0);
        assert_memory_equal(out, s->want + s->at, got);
        pi_inflate_take(&s->back, got);
        sum += got;
        s->at += got;
    }
    assert_int_equal(sum, waiting);
    assert_int_equal(pi_inflate_at(&s->back, 1, &out, &got, NULL), PD_OK);
    assert_int_equal(got, 0);
}

static void round_trip(unsigned kind, int level, size_t step)
{
    struct stream s = {.want = make_bytes(kind)};
    assert_int_equal(pi_deflate_start(&s.z, NULL, level, NULL), PD_OK);
    pi_inflate_init(&s.back, NULL, UINT64_MAX);
    for (size_t at = 0; at < TOTAL;) {
        const size_t n = step < TOTAL - at ? step : TOTAL - at;
        const size_t took = pi_deflate_take(&s.z, s.want + at, n);
        at += took;
        if (took < n || at % 7 == 0) /* full, or exactly at the end */
            chunk(&s, false);
    }
    if (s.z.n)
        chunk(&s, true);
    assert_int_equal(s.at, TOTAL);
    assert_int_equal(s.z.taken, TOTAL);
    if (kind < 2)
        assert_true(pi_deflate_ratio(&s.z) > 1);
    if (kind == 2)
        assert_true(s.z.made > TOTAL && pi_deflate_ratio(&s.z) == 1);
    pi_deflate_free(&s.z);
    pi_inflate_free(&s.back);
    free((void *)(uintptr_t)s.want);
}

static void all_kinds(void **state)
{
    static const size_t steps[] = {PI_DEFLATE_INPUT, PI_DEFLATE_INPUT - 1, 65535, 40, 1000003};
    (void)state;
    for (unsigned kind = 0; kind < 3; kind++)
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
            round_trip(kind, i == 4 ? 9 : 1, steps[i]);
}

static void levels(void **state)
{
    struct pi_deflate z;
    (void)state;
    assert_int_equal(pi_deflate_start(&z, NULL, 0, NULL), PD_OK);
    assert_int_equal(z.level, PI_DEFLATE_LEVEL);
    assert_int_equal(pi_deflate_ratio(&z), 0);
    pi_deflate_free(&z);
    assert_int_equal(pi_deflate_start(&z, NULL, 10000, NULL), PD_OK);
    assert_true(z.level >= 19 && z.level < 10000);
    pi_deflate_free(&z);
    pi_deflate_free(&z);
}

/* Bytes allocated; each block has its size in front. */
static size_t allocated;

static void *counted(void *user, void *old, size_t size)
{
    size_t *p = malloc(size + 16);
    (void)user;
    assert_null(old);
    assert_non_null(p);
    *p = size;
    allocated += size;
    return p + 16 / sizeof *p;
}

static void uncounted(void *user, void *old)
{
    size_t *p = old;
    (void)user;
    if (p) {
        p -= 16 / sizeof *p;
        allocated -= *p;
        free(p);
    }
}

/* The level may come from a file that somebody else made: no level takes much memory. */
static void memory_of_levels(void **state)
{
    const struct pd_allocator allocator = {counted, uncounted, NULL};
    (void)state;
    for (int level = 1; level <= 23; level++) {
        struct pi_deflate z;
        const uint8_t *p;
        size_t n;
        assert_int_equal(pi_deflate_start(&z, &allocator, level, NULL), PD_OK);
        assert_int_equal(pi_deflate_take(&z, "bytes", 5), 5);
        assert_int_equal(pi_deflate_chunk(&z, false, &p, &n, NULL), PD_OK);
        assert_true(allocated > 100000 && allocated < (size_t)32 << 20);
        pi_deflate_free(&z);
        assert_int_equal(allocated, 0);
    }
}

static void full_chunk_takes_nothing(void **state)
{
    struct pi_deflate z;
    static const uint8_t bytes[PI_DEFLATE_INPUT];
    (void)state;
    assert_int_equal(pi_deflate_start(&z, NULL, 1, NULL), PD_OK);
    assert_int_equal(pi_deflate_take(&z, bytes, 10), 10);
    assert_int_equal(pi_deflate_take(&z, bytes, sizeof bytes), sizeof bytes - 10);
    assert_int_equal(pi_deflate_take(&z, bytes, 1), 0);
    pi_deflate_free(&z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds),
        cmocka_unit_test(levels),
        cmocka_unit_test(memory_of_levels),
        cmocka_unit_test(full_chunk_takes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
