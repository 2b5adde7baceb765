/* SPDX-License-Identifier: MIT */
/*
 * fuzz_feature.c - a feature section of any bytes: if it decodes, it encodes to the same bytes, survives the
 * other byte order and back, is equal to itself and can be printed; else it is refused by name. Checks R1,
 * R5, R8, R12.
 *
 * Input: a byte whose lowest bit is the order, the feature, the number of cpus, then the section.
 */
#include "harness.h"
#include "mutator.h"
#include <perfdata/feature.h>
#include <perfdata/session/compare.h>
#include <perfdata/session/text.h>

#define SECTION_AT 3

struct trial {
    enum pd_order order, other;
    uint32_t id, nr_cpus;
    const uint8_t *bytes;
    size_t n;
};

/* Encodes into exactly the room it needs. */
static uint8_t *encoded(const struct trial *t, enum pd_order order, const struct pd_feature *f)
{
    size_t n = 0, again = 0;
    CHECK(pd_feature_encode(order, f, NULL, 0, &n, NULL) == PD_OK);
    CHECK(n == t->n);
    uint8_t *out = malloc(n);
    CHECK(out || n == 0);
    if (n)
        CHECK(pd_feature_encode(order, f, out, n - 1, &again, NULL) == PD_ESPACE && again == n);
    CHECK(pd_feature_encode(order, f, out, n, &again, NULL) == PD_OK && again == n);
    return out;
}

static void check_encodes_to_itself(const struct trial *t, const struct pd_feature *f)
{
    uint8_t *out = encoded(t, t->order, f);
    CHECK(t->n == 0 || memcmp(out, t->bytes, t->n) == 0);
    free(out);
}

static void check_other_order(const struct trial *t, const struct pd_feature *f)
{
    struct pd_feature there;
    struct pd_error error;
    uint8_t *out = encoded(t, t->other, f);
    CHECK(pd_feature_decode(t->other, t->id, t->nr_cpus, out, t->n, &there, &error) == PD_OK);
    CHECK(there.variant == f->variant && pd_feature_equal(f, &there, NULL));
    check_encodes_to_itself(t, &there);
    free(out);
}

static bool drop(struct pd_out *out, size_t want)
{
    (void)want;
    out->n = 0;
    return true;
}

static void check_text(const struct pd_feature *f)
{
    char buf[256];
    struct pd_out out = {.buf = buf, .cap = sizeof buf, .more = drop};
    pd_feature_print(f, NULL, 2, &out, NULL);
    pd_feature_json(f, &out);
    CHECK(out.lost == 0);
}

static void check_refused(const struct trial *t, const struct pd_feature *f, enum pd_code code,
                          const struct pd_error *error)
{
    char text[300];
    CHECK(code == PD_ESHORT || code == PD_ECOUNT || code == PD_EVALUE);
    CHECK(error->code == code && error->field && error->offset <= t->n);
    CHECK(pd_error_text(error, text, sizeof text) < sizeof text);
    CHECK(!f->layout && f->rest.n == t->n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pd_feature f;
    struct pd_error error;
    if (size < SECTION_AT || size > 100000)
        return 0;
    const enum pd_order order = data[0] & 1 ? PD_BIG : PD_LITTLE;
    const struct trial t = {
        order, order == PD_BIG ? PD_LITTLE : PD_BIG, data[1], data[2], data + SECTION_AT, size - SECTION_AT};
    const enum pd_code code = pd_feature_decode(t.order, t.id, t.nr_cpus, t.bytes, t.n, &f, &error);
    CHECK(f.id == t.id && f.raw.n == t.n);
    check_encodes_to_itself(&t, &f);
    check_text(&f);
    CHECK(pd_feature_equal(&f, &f, NULL));
    if (code)
        check_refused(&t, &f, code, &error);
    else
        check_other_order(&t, &f);
    return 0;
}

/* Mostly features that are known, and numbers that could count something. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    struct mutation m = {.data = data, .size = size, .max = max, .state = seed};
    m.size = mutate_blindly(data, size, max);
    if (m.size < SECTION_AT)
        return m.size;
    m.order = data[0] & 1 ? PD_BIG : PD_LITTLE;
    if (mutation_random(&m, 16) == 0)
        data[1] =
            (uint8_t)(mutation_random(&m, 5) ? 1 + mutation_random(&m, 34) : 128 + mutation_random(&m, 7));
    if (mutation_random(&m, 3) == 0 && m.size >= SECTION_AT + 4) {
        const size_t at = SECTION_AT + (size_t)mutation_random(&m, m.size - SECTION_AT - 3);
        pi_store32(data + at, (uint32_t)plausible_count(&m), m.order);
    }
    return m.size;
}
