/* SPDX-License-Identifier: MIT */
/*
 * fuzz_record.c - one record of any event: the straight-line decoder agrees with the reference interpreter,
 * encoding what was decoded gives the same bytes, and so does the way through the other byte order. Checks
 * R1, R4, R5, R6, R8, R12.
 *
 * Input: a byte whose lowest bit is the order; then, little-endian, the fields of the attr that decide the
 * layout: sample_type, branch_sample_type, read_format, sample_regs_user, sample_regs_intr, flags; then the
 * record.
 */
#include "src/codec/interpret.h"
#include "src/codec/variant.h"
#include "src/schema/schema.h"
#include "harness.h"
#include "mutator.h"
#include <perfdata/session/compare.h>

#define RECORD_AT 49

struct trial {
    struct pd_attr attr;
    struct pd_plan plan, other;
    const uint8_t *bytes;
    size_t n;
};

typedef enum pd_code encoder(const struct pd_plan *plan, const struct pd_record *rec, void *out, size_t cap,
                             size_t *size, struct pd_error *error);

static void take_attr(struct trial *t, const uint8_t *data)
{
    const enum pd_order order = data[0] & 1 ? PD_BIG : PD_LITTLE;
    t->attr = (struct pd_attr){.size = PD_ATTR_SIZE};
    t->attr.sample_type = pi_load64(data + 1, PD_LITTLE);
    t->attr.branch_sample_type = pi_load64(data + 9, PD_LITTLE);
    t->attr.read_format = pi_load64(data + 17, PD_LITTLE);
    t->attr.sample_regs_user = pi_load64(data + 25, PD_LITTLE);
    t->attr.sample_regs_intr = pi_load64(data + 33, PD_LITTLE);
    t->attr.flags = pi_load64(data + 41, PD_LITTLE);
    pd_plan_init(&t->plan, &t->attr, order);
    pd_plan_init(&t->other, &t->attr, order == PD_BIG ? PD_LITTLE : PD_BIG);
}

/* The interpreter's view of a framed record, under the variant that the straight-line decoder chose. */
static struct pd_record interpreted(const struct trial *t, const struct pd_record *rec, uint8_t variant,
                                    enum pd_code *code, struct pd_error *error)
{
    struct pd_record r = {.type = rec->type,
                          .misc = rec->misc,
                          .size = rec->size,
                          .raw = rec->raw,
                          .variant = variant,
                          .layout = pi_layout_of(rec->type),
                          .plan = &t->plan};
    r.has_id = pi_has_id(&t->plan, r.type, r.variant);
    *code = pi_interpret_decode(&t->plan, &r, &r.u, error);
    r.decoded = *code == PD_OK;
    return r;
}

/* Encodes to exactly these bytes, in exactly their room. */
static void check_encodes_to(encoder *encode, const struct pd_plan *plan, const struct pd_record *rec,
                             const uint8_t *want, size_t n)
{
    uint8_t *out = malloc(n);
    size_t size = 0;
    CHECK(out);
    CHECK(encode(plan, rec, out, n, &size, NULL) == PD_OK && size == n);
    CHECK(memcmp(out, want, n) == 0);
    CHECK(encode(plan, rec, out, n - 1, &size, NULL) == PD_ESPACE && size == n);
    free(out);
}

/* Where only the size tells the layout, bytes that are never swapped may be numbers in the other order only.
 */
static bool ambiguous(const struct trial *t, const struct pd_record *rec)
{
    return rec->type == PD_RECORD_SAMPLE && t->attr.sample_type & PD_SAMPLE_BRANCH_STACK &&
           (rec->rest.n || rec->variant != pi_usual_variant(&t->plan, rec->type));
}

static void check_other_order(const struct trial *t, const struct pd_record *rec)
{
    struct pd_record there = {0};
    struct pd_error error;
    uint8_t *out = malloc(t->n);
    size_t size = 0;
    CHECK(out);
    const enum pd_code code = pd_record_encode(&t->other, rec, out, t->n, &size, &error);
    /* Of a DSO's two forms, the byte order decides for names that are no text. */
    if (code == PD_EVALUE && rec->type == PD_RECORD_SIMPLEPERF_DSO) {
        free(out);
        return;
    }
    CHECK(code == PD_OK && size == t->n);
    check_encodes_to(pi_interpret_encode, &t->other, rec, out, t->n);
    CHECK(pd_record_decode(&t->other, out, size, &there, &error) == PD_OK);
    if (there.variant == rec->variant) {
        CHECK(pd_record_equal(rec, &there, NULL));
        check_encodes_to(pd_record_encode, &t->plan, &there, t->bytes, t->n);
        check_encodes_to(pi_interpret_encode, &t->plan, &there, t->bytes, t->n);
    } else {
        CHECK(ambiguous(t, rec));
    }
    free(out);
}

static void check_decoded(const struct trial *t, const struct pd_record *rec)
{
    enum pd_code code;
    struct pd_error error;
    size_t size = 0;
    const struct pd_record same = interpreted(t, rec, rec->variant, &code, &error);
    CHECK(rec->decoded && code == PD_OK);
    CHECK(rec->has_id == same.has_id && pd_record_equal(rec, &same, NULL));
    CHECK(rec->rest.n == same.rest.n && rec->rest.ptr == same.rest.ptr);
    CHECK(pd_record_size(&t->plan, rec, &size, &error) == PD_OK && size == t->n);
    check_encodes_to(pd_record_encode, &t->plan, rec, t->bytes, t->n);
    check_encodes_to(pi_interpret_encode, &t->plan, rec, t->bytes, t->n);
    check_other_order(t, rec);
}

static void check_refused(const struct trial *t, const struct pd_record *rec, enum pd_code code,
                          const struct pd_error *error)
{
    enum pd_code other;
    struct pd_error same = {0};
    char text[300];
    CHECK(error->code == code && error->field);
    CHECK(pd_error_text(error, text, sizeof text) < sizeof text);
    CHECK(!rec->decoded && error->record_offset <= t->n);
    if (code == PD_EUNKNOWN) {
        CHECK(pi_layout_unknown(&t->plan, rec->type));
        return;
    }
    CHECK(code == PD_ESHORT || code == PD_ECOUNT);
    interpreted(t, rec, pi_usual_variant(&t->plan, rec->type), &other, &same);
    CHECK(other == code && strcmp(same.field, error->field) == 0);
    CHECK(same.found == error->found && same.expected == error->expected &&
          same.record_offset == error->record_offset);
}

static void check_frame(const struct trial *t, const struct pd_record *rec, enum pd_code code)
{
    const size_t said = t->n < 8 ? 0 : pi_load16(t->bytes + 6, (enum pd_order)t->plan.order);
    CHECK(code == (t->n < 8 ? PD_ESHORT : said < 8 ? PD_ESIZE : said > t->n ? PD_ETRUNC : PD_OK));
    CHECK(rec->size == said);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct trial t;
    struct pd_record rec = {0}, framed = {0};
    struct pd_error error;
    if (size < RECORD_AT)
        return 0;
    take_attr(&t, data);
    t.bytes = data + RECORD_AT;
    t.n = size - RECORD_AT;
    enum pd_code code = pd_record_frame((enum pd_order)t.plan.order, t.bytes, t.n, &framed, &error);
    check_frame(&t, &framed, code);
    if (code)
        return 0;
    t.n = framed.size;
    code = pd_record_decode(&t.plan, t.bytes, t.n, &rec, &error);
    if (code)
        check_refused(&t, &rec, code, &error);
    else
        check_decoded(&t, &rec);
    return 0;
}

/* Few changes of sample_type that leave a layout known; sizes that are the record's. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    struct mutation m = {.data = data, .size = size, .max = max, .state = seed};
    m.size = mutate_blindly(data, size, max);
    if (m.size < RECORD_AT)
        return m.size;
    m.order = data[0] & 1 ? PD_BIG : PD_LITTLE;
    if (mutation_random(&m, 16))
        pi_store64(data + 1, pi_load64(data + 1, PD_LITTLE) & 0x1ffffff, PD_LITTLE);
    if (mutation_random(&m, 16))
        pi_store64(data + 17, pi_load64(data + 17, PD_LITTLE) & 0x1f, PD_LITTLE);
    mutate_lone_record(&m, RECORD_AT);
    return m.size;
}
