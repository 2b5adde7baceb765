/* SPDX-License-Identifier: MIT */
/*
 * fuzz_attr.c - a perf_event_attr of any bytes and any size: decoding and encoding it gives the same bytes,
 * and so does the way through the other byte order. Input: a byte whose lowest bit is the order, then the
 * attr. Checks R1, R5, R8, R12.
 */
#include "harness.h"
#include "mutator.h"
#include "src/schema/passes/walk.h"
#include <perfdata/attr.h>
#include <perfdata/codec.h>
#include <perfdata/session/compare.h>
#include <perfdata/session/event.h>

/* Bytes of `n` that hold known fields; one that `size` cuts is none of them. */
static size_t known_of(const struct pd_attr *attr, size_t n)
{
    const size_t said = attr->size < PD_ATTR_SIZE_VER0 ? PD_ATTR_SIZE_VER0 : attr->size;
    const size_t known = said < PD_ATTR_SIZE ? pi_attr_whole((uint32_t)said) : PD_ATTR_SIZE;
    return known < n ? known : n;
}

static void check_sizes(enum pd_order order, const struct pd_attr *attr, size_t n, size_t known)
{
    uint8_t *out = malloc(n + 8);
    CHECK(out);
    CHECK(attr->tail.n == n - known);
    CHECK((pd_attr_bytes(attr) == n) == (known_of(attr, SIZE_MAX) <= n));
    if (pd_attr_bytes(attr) == n) /* one byte more than it has */
        CHECK(pd_attr_encode(order, attr, out, n + 1, NULL) == PD_ECOUNT);
    if (attr->tail.n)
        CHECK(pd_attr_encode(order, attr, out, attr->tail.n, NULL) == PD_ECOUNT);
    free(out);
}

static void check_other_order(enum pd_order order, const struct pd_attr *attr, const uint8_t *bytes, size_t n,
                              size_t known)
{
    const enum pd_order other = order == PD_LITTLE ? PD_BIG : PD_LITTLE;
    struct pd_attr there;
    uint8_t *out = malloc(n), *back = malloc(n);
    CHECK(out && back);
    const enum pd_code code = pd_attr_encode(other, attr, out, n, NULL);
    /* A number that the end cuts in half has other bytes in the other order, and may be refused. */
    CHECK(code == PD_OK || (code == PD_EVALUE && known % 8));
    if (!code) {
        CHECK(pd_attr_decode(other, out, n, &there, NULL) == PD_OK);
        CHECK(pd_attr_equal(attr, &there, NULL));
        CHECK(pd_attr_encode(order, &there, back, n, NULL) == PD_OK);
        CHECK(memcmp(back, bytes, n) == 0);
    }
    free(out);
    free(back);
}

static void check_plan(enum pd_order order, const struct pd_attr *attr)
{
    struct pd_plan plan;
    pd_plan_init(&plan, attr, order);
    CHECK(plan.order == order && plan.trailer <= 6 * 8 && plan.trailer % 8 == 0);
    CHECK(plan.unknown || !(attr->sample_type >> 25));
    CHECK(plan.id_all == (pd_attr_flag(attr, PD_ATTR_SAMPLE_ID_ALL) != 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pd_attr attr;
    struct pd_error error;
    if (size == 0 || size > 100000)
        return 0;
    const enum pd_order order = data[0] & 1 ? PD_BIG : PD_LITTLE;
    const uint8_t *bytes = data + 1;
    const size_t n = size - 1;
    const enum pd_code code = pd_attr_decode(order, bytes, n, &attr, &error);
    CHECK(code == (n < 8 ? PD_ESHORT : PD_OK));
    if (code) {
        CHECK(error.code == code && error.found == n && error.field);
        return 0;
    }
    const size_t known = known_of(&attr, n);
    uint8_t *out = malloc(n);
    CHECK(out);
    CHECK(pd_attr_encode(order, &attr, out, n, &error) == PD_OK);
    CHECK(memcmp(out, bytes, n) == 0);
    free(out);
    CHECK(pd_attr_equal(&attr, &attr, NULL));
    check_sizes(order, &attr, n, known);
    check_other_order(order, &attr, bytes, n, known);
    check_plan(order, &attr);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    struct mutation m = {.data = data, .size = size, .max = max, .state = seed};
    m.size = mutate_blindly(data, size, max);
    m.order = m.size && data[0] & 1 ? PD_BIG : PD_LITTLE;
    if (m.size >= 9 && mutation_random(&m, 2)) /* mostly a published size, or all there is */
        pi_store32(data + 5,
                   mutation_random(&m, 2) ? 64 + 8 * (uint32_t)mutation_random(&m, 12) : (uint32_t)m.size - 1,
                   m.order);
    return m.size;
}
