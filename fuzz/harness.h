/* SPDX-License-Identifier: MIT */
/* harness.h - shared by the harnesses: assertions that stop the fuzzer, and an allocator that counts. */
#ifndef PERFDATA_FUZZ_HARNESS_H
#define PERFDATA_FUZZ_HARNESS_H

#include "../tests/support/heap.h"
#include <perfdata/base.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition_)                                                                  \
    do {                                                                                   \
        if (!(condition_)) {                                                               \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition_); \
            abort();                                                                       \
        }                                                                                  \
    } while (0)

#endif
