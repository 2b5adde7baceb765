/* SPDX-License-Identifier: MIT */
/* observed.h - records as perf wrote them, little-endian; the expected texts were derived by hand. */
#ifndef PERFDATA_TESTS_OBSERVED_H
#define PERFDATA_TESTS_OBSERVED_H

#include "cmocka_all.h"
#include <perfdata/attr.h>
#include <perfdata/codec.h>
#include <stdio.h>
#include <string.h>

/* pid and tid are 0x550f, 21775; the times are around 0x215abf79fbb. */
#define OBSERVED_SAMPLE /* IP TID TIME CALLCHAIN ID PERIOD: sample_type 0x167 */             \
    "09000000 0200 4800 70db8bb1fd7e0000 0f5500000f550000 bb9ff7ab15020000 a901000000000000" \
    "0100000000000000 0200000000000000 00feffffffffffff 70db8bb1fd7e0000"
#define OBSERVED_MMAP2                                                                        \
    "0a000000 0240 7000 0f550000 0f550000 0050719b34560000 0060010000000000 0040000000000000" \
    "14000000 15dfff3239aa7c3b16a71e6b2e3b6e4009dab998 05000000 02000000"                     \
    "2f7573722f62696e2f6c730000000000 0f5500000f550000 6fd8f3ab15020000 a701000000000000"
#define OBSERVED_COMM                                                                          \
    "03000000 0020 3000 0f550000 0f550000 6c73000000000000 0f5500000f550000 4159f3ab15020000 " \
    "a701000000000000"
#define OBSERVED_EXIT                                                                          \
    "04000000 0000 3800 0f550000 0e550000 0f550000 0e550000 bc1185b415020000 0f5500000f550000" \
    "090f85b415020000 a701000000000000"
/* The attr of these records. */
#define OBSERVED_SAMPLE_TYPE \
    (PD_SAMPLE_IP | PD_SAMPLE_TID | PD_SAMPLE_TIME | PD_SAMPLE_CALLCHAIN | PD_SAMPLE_ID | PD_SAMPLE_PERIOD)

/* One record, with all memory it points to. */
struct observed {
    struct pd_attr attr;
    struct pd_plan plan;
    uint8_t bytes[1024];
    size_t n;
    struct pd_record rec;
};

static inline size_t from_hex(const char *hex, uint8_t *out, size_t cap)
{
    size_t n = 0;
    for (unsigned byte; *hex; hex += *hex == ' ' ? 1 : 2) {
        if (*hex == ' ')
            continue;
        assert_true(n < cap && sscanf(hex, "%2x", &byte) == 1);
        out[n++] = (uint8_t)byte;
    }
    return n;
}

static inline void observe(struct observed *o, uint64_t sample_type, const char *hex)
{
    struct pd_error error;
    *o = (struct observed){.attr = {.size = 144, .sample_type = sample_type, .flags = PD_ATTR_SAMPLE_ID_ALL}};
    pd_plan_init(&o->plan, &o->attr, PD_LITTLE);
    o->n = from_hex(hex, o->bytes, sizeof o->bytes);
    assert_int_equal(pd_record_decode(&o->plan, o->bytes, o->n, &o->rec, &error), PD_OK);
    o->rec.attr = &o->attr;
}

#endif
