/* SPDX-License-Identifier: MIT */
/*
 * harness.h - shared by the harnesses: assertions that stop the fuzzer, an allocator that counts, and which
 * checks an input gets.
 */
#ifndef PERFDATA_FUZZ_HARNESS_H
#define PERFDATA_FUZZ_HARNESS_H

#include "../tests/support/heap.h"
#include <perfdata/base.h>
#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(from_, n_) ((void)0)
#define ASAN_UNPOISON_MEMORY_REGION(from_, n_) ((void)0)
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition_)                                                                  \
    do {                                                                                   \
        if (!(condition_)) {                                                               \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition_); \
            abort();                                                                       \
        }                                                                                  \
    } while (0)

/*
 * While fuzzing (fuzz/run sets PERFDATA_FUZZ_SOME) an input gets one eighth of the checks that go through all
 * of it again, which its bytes choose: one bit of eight. An input that is replayed gets all.
 */
static inline unsigned turns_of(const uint8_t *data, size_t size)
{
    static int some = -1;
    if (some < 0)
        some = getenv("PERFDATA_FUZZ_SOME") != NULL;
    return some ? 1u << XXH3_64bits(data, size) % 8 : 0xff;
}

#endif
