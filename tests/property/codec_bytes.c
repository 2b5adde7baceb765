/* SPDX-License-Identifier: MIT */
/*
 * codec_bytes.c - random bytes framed as records of random events: a record that decodes encodes to the same
 * bytes, also by way of the other order; any other is refused by name; and the straight-line codec agrees
 * with the reference interpreter on all of them. Checks R1, R5, R6, R8, R12.
 */
#include "alike.h"
#include "cmocka_all.h"
#include "guard.h"
#include "seeded.h"
#include "src/codec/interpret.h"
#include "src/codec/usual.h"
#include "src/codec/variant.h"
#include "src/schema/schema.h"
#include "src/support/wire.h"
#include <perfdata/session/compare.h>
#include <stdio.h>
#include <string.h>

#define MOST UINT16_MAX

struct trial {
    uint64_t seed; /* of this trial alone */
    struct pi_rng rng;
    struct pd_attr attr;
    struct pd_plan plan, other;
    uint32_t type;
    size_t n;
    uint8_t bytes[MOST];
};

static struct {
    uint64_t trials[130], decoded[130]; /* by type; 129: all above */
    uint64_t ambiguous;
    uint64_t usual;         /* samples that had a path of their own */
    uint64_t quick[2];      /* samples that need no other decoder, of usual types and others */
    uint64_t damaged, read; /* records that were fine before */
} seen;

#define CHECK(t_, condition_)                                                                              \
    do {                                                                                                   \
        if (!(condition_))                                                                                 \
            fail_msg("%s does not hold; again with PERFDATA_SEED=%llu PERFDATA_ITERATIONS=1: record type " \
                     "%u, %zu bytes, "                                                                     \
                     "order %u, sample_type 0x%llx",                                                       \
                     #condition_, (unsigned long long)(t_)->seed, (t_)->type, (t_)->n, (t_)->plan.order,   \
                     (unsigned long long)(t_)->attr.sample_type);                                          \
    } while (0)

/* ---- Making records */

static uint64_t few_bits(struct pi_rng *r)
{
    uint64_t mask = 0;
    if (pi_rng_one_in(r, 20))
        return pi_rng_next(r);
    for (uint64_t n = pi_rng_below(r, 5); n; n--)
        mask |= UINT64_C(1) << pi_rng_below(r, 64);
    return mask;
}

#define USUAL(number_, sample_type_) sample_type_,
static const uint64_t usual_types[] = {PI_EACH_USUAL(USUAL)};
#undef USUAL

static struct pd_attr random_attr(struct pi_rng *r)
{
    struct pd_attr a = {.size = PD_ATTR_SIZE};
    const uint64_t density = 1 + pi_rng_below(r, 8); /* from nearly all fields to hardly any */
    for (unsigned bit = 0; bit < 25; bit++)
        a.sample_type |= (uint64_t)pi_rng_one_in(r, density) << bit;
    if (pi_rng_one_in(r, 200))
        a.sample_type |= UINT64_C(1) << (25 + pi_rng_below(r, 39));
    a.read_format = pi_rng_below(r, 32);
    a.branch_sample_type = pi_rng_next(r) & 0xfffff;
    if (pi_rng_one_in(r, 4)) {
        a.sample_type = usual_types[pi_rng_below(r, sizeof usual_types / sizeof *usual_types)];
        a.branch_sample_type = 0;
    }
    a.sample_regs_user = few_bits(r);
    a.sample_regs_intr = few_bits(r);
    a.flags = pi_rng_next(r) & (PD_ATTR_SAMPLE_ID_ALL | PD_ATTR_FREQ);
    return a;
}

static uint32_t random_type(struct pi_rng *r)
{
    static const uint32_t odd[] = {0, 23, 40, 63, 64, 87, 100, 128, 32769, UINT32_MAX};
    switch (pi_rng_below(r, 10)) {
    case 0:
        if (pi_rng_one_in(r, 2))
            return (uint32_t)(PD_RECORD_SIMPLEPERF_KERNEL_SYMBOL + pi_rng_below(r, 16));
        return odd[pi_rng_below(r, sizeof odd / sizeof *odd)];
    case 1:
    case 2: return (uint32_t)(64 + pi_rng_below(r, 23));
    case 3:
    case 4:
    case 5: return PD_RECORD_SAMPLE;
    default: return (uint32_t)(1 + pi_rng_below(r, 22));
    }
}

/* Eight bytes that could well be a count, a text, two small numbers, or anything. */
static void random_word(struct pi_rng *r, enum pd_order order, uint8_t *p)
{
    pi_store64(p, 0, order);
    switch (pi_rng_below(r, 8)) {
    case 0:
    case 1:
    case 2: pi_store64(p, pi_rng_below(r, 5), order); break;
    case 3:
        pi_store32(p, (uint32_t)pi_rng_below(r, 20), order),
            pi_store32(p + 4, (uint32_t)pi_rng_below(r, 3), order);
        break;
    case 4: memcpy(p, "/lib/ab", pi_rng_size(r, 8)); break;
    case 5: memset(p, pi_rng_one_in(r, 2) ? 0xff : 'x', 8); break;
    default: pi_store64(p, pi_rng_next(r), order); break;
    }
}

static void set_header(struct trial *t)
{
    const enum pd_order order = (enum pd_order)t->plan.order;
    pi_store32(t->bytes, t->type, order);
    pi_store16(t->bytes + 6, (uint16_t)t->n, order);
}

static void random_record(struct trial *t)
{
    struct pi_rng *r = &t->rng;
    const enum pd_order order = (enum pd_order)t->plan.order;
    t->type = random_type(r);
    t->n = 8 + 8 * (size_t)pi_rng_below(r, pi_rng_one_in(r, 50) ? 8191 : 40);
    if (pi_rng_one_in(r, 4))
        t->n += pi_rng_size(r, 8);
    if (t->n > MOST)
        t->n = MOST;
    for (size_t i = 8; i + 8 <= sizeof t->bytes && i < t->n + 2048; i += 8)
        random_word(r, order, t->bytes + i);
    set_header(t);
    pi_store16(t->bytes + 4, (uint16_t)(pi_rng_one_in(r, 2) ? pi_rng_next(r) & 0xf007 : pi_rng_next(r)),
               order);
}

/* Makes the number that stood for `found`, somewhere before `at`, smaller. */
static void repair_count(struct trial *t, const struct pd_error *e)
{
    const enum pd_order order = (enum pd_order)t->plan.order;
    const uint64_t count = pi_rng_below(&t->rng, e->expected + 1 < 6 ? e->expected + 1 : 6);
    for (size_t back = 8; back <= 32 && e->record_offset >= back + 8; back += 8) {
        uint8_t *p = t->bytes + e->record_offset - back;
        if (pi_load64(p, order) == e->found) {
            pi_store64(p, count, order);
            return;
        }
    }
    if (pi_load32(t->bytes + e->record_offset - 4, order) == e->found)
        pi_store32(t->bytes + e->record_offset - 4, (uint32_t)(count * 8 + 4), order);
}

/* Most random records are too short or count too much: this follows what the errors say until they are
 * content. */
static void repair(struct trial *t)
{
    for (unsigned tries = 0; tries < 40; tries++) {
        struct pd_error e;
        struct pd_record rec = {0};
        const enum pd_code code = pd_record_decode(&t->plan, t->bytes, t->n, &rec, &e);
        if (code == PD_ESHORT && t->n + e.expected <= MOST)
            t->n += (size_t)e.expected;
        else if (code == PD_ECOUNT && e.record_offset >= 12)
            repair_count(t, &e);
        else
            return;
        set_header(t);
    }
}

/* ---- What must hold */

typedef enum pd_code encoder(const struct pd_plan *plan, const struct pd_record *rec, void *out, size_t cap,
                             size_t *size, struct pd_error *error);

/* Encodes to exactly these bytes; one byte less of room is refused. */
static void check_encodes_to(struct trial *t, encoder *encode, const struct pd_plan *plan,
                             const struct pd_record *rec, const uint8_t *want)
{
    size_t size = 0;
    uint8_t *out = guard_room(1, t->n);
    CHECK(t, encode(plan, rec, out, t->n, &size, NULL) == PD_OK);
    CHECK(t, size == t->n);
    CHECK(t, memcmp(out, want, size) == 0);
    size = 0;
    CHECK(t, encode(plan, rec, guard_room(1, t->n - 1), t->n - 1, &size, NULL) == PD_ESPACE);
    CHECK(t, size == t->n);
}

/* The interpreter's view of a framed record under a variant. */
static struct pd_record interpreted(const struct trial *t, const struct pd_record *framed, uint8_t variant,
                                    enum pd_code *code, struct pd_error *e)
{
    struct pd_record r = {.type = framed->type,
                          .misc = framed->misc,
                          .size = framed->size,
                          .raw = framed->raw,
                          .variant = variant,
                          .layout = pi_layout_of(framed->type)};
    r.has_id = pi_has_id(&t->plan, r.type, r.variant);
    *code = pi_interpret_decode(&t->plan, &r, &r.u, e);
    return r;
}

/* The variants a record of the trial can have beside the usual one. */
static bool possible_variant(const struct trial *t, uint8_t v)
{
    const bool stack = t->type == PD_RECORD_SAMPLE && t->attr.sample_type & PD_SAMPLE_BRANCH_STACK;
    const bool hw_idx = t->attr.branch_sample_type & PD_BRANCH_SAMPLE_HW_INDEX;
    return stack && !(v & ~(PD_VARIANT_BRANCH_COUNTERS | (hw_idx ? PD_VARIANT_NO_HW_IDX : 0)));
}

/*
 * True if this record may be read as another variant in the other order. A branch stack that is not of the
 * usual form, or does not explain all bytes, was a choice by size alone, and bytes that are never swapped
 * (stack, raw data, rest) count differently in the other order when another variant takes them for numbers.
 */
static bool ambiguous(const struct trial *t, const struct pd_record *rec)
{
    return possible_variant(t, 0) && (rec->rest.n || rec->variant != pi_usual_variant(&t->plan, rec->type));
}

/* Lines of the kinds that only the tables know: these alone read them, and compare them. */
static bool is_rare(const struct pd_op *op)
{
    for (; op && op->kind != PI_OP_END; op++) {
        if (op->kind >= PI_OP_CSTR && op->kind <= PI_OP_LACKS && op->kind != PI_OP_ALIAS &&
            op->kind != PI_OP_WHEN && op->kind != PI_OP_UNLESS)
            return true;
        if (op->sub && is_rare(op->sub()))
            return true;
    }
    return false;
}

static bool same_records(const struct pd_record *a, const struct pd_record *b, enum alike how)
{
    if (is_rare(pi_layout_of(a->type)))
        return a->variant == b->variant && a->has_id == b->has_id && pd_record_equal(a, b, NULL);
    return alike_records(a, b, how) == NULL;
}

static void check_other_order(struct trial *t, const struct pd_record *rec)
{
    struct pd_record there = {0};
    size_t size = 0;
    uint8_t *out = guard_room(2, t->n);
    const enum pd_code code = pd_record_encode(&t->other, rec, out, t->n, &size, NULL);
    /* Of a DSO's two forms, the byte order decides for names that are no text. */
    if (code == PD_EVALUE && rec->type == PD_RECORD_SIMPLEPERF_DSO) {
        seen.ambiguous++;
        return;
    }
    CHECK(t, code == PD_OK);
    CHECK(t, size == t->n);
    check_encodes_to(t, pi_interpret_encode, &t->other, rec, out);
    CHECK(t, pd_record_decode(&t->other, out, size, &there, NULL) == PD_OK);
    if (there.variant != rec->variant && ambiguous(t, rec)) {
        seen.ambiguous++;
        return;
    }
    CHECK(t, same_records(rec, &there, ALIKE_VALUES));
    check_encodes_to(t, pd_record_encode, &t->plan, &there, rec->raw);
    check_encodes_to(t, pi_interpret_encode, &t->plan, &there, rec->raw);
}

static void check_decoded(struct trial *t, const struct pd_record *rec)
{
    enum pd_code code;
    size_t size = 0;
    struct pd_record same = interpreted(t, rec, rec->variant, &code, NULL);
    same.decoded = code == PD_OK;
    same.plan = rec->plan;
    CHECK(t, rec->decoded);
    CHECK(t, code == PD_OK);
    CHECK(t, same_records(&same, rec, ALIKE_VIEWS));
    CHECK(t, wrong_place(rec) == NULL);
    CHECK(t, pd_record_size(&t->plan, rec, &size, NULL) == PD_OK && size == t->n);
    check_encodes_to(t, pd_record_encode, &t->plan, rec, rec->raw);
    check_encodes_to(t, pi_interpret_encode, &t->plan, rec, rec->raw);
    check_other_order(t, rec);
}

static bool same_error(const struct pd_error *a, const struct pd_error *b)
{
    return a->code == b->code && a->field && b->field && strcmp(a->field, b->field) == 0 &&
           a->found == b->found && a->expected == b->expected && a->record_offset == b->record_offset;
}

static void check_refused(struct trial *t, const struct pd_record *rec, enum pd_code code,
                          const struct pd_error *e)
{
    enum pd_code other;
    struct pd_error same = {0};
    CHECK(t, code == PD_ESHORT || code == PD_ECOUNT || code == PD_EUNKNOWN);
    CHECK(t, e->code == code && e->field);
    CHECK(t, e->record_offset <= t->n && e->record_type == t->type);
    CHECK(t, !rec->decoded && rec->type == t->type && rec->size == t->n && rec->raw);
    CHECK(t, (code == PD_EUNKNOWN) == (t->type == PD_RECORD_SAMPLE && t->attr.sample_type >> 25));
    if (code == PD_EUNKNOWN)
        return;
    interpreted(t, rec, pi_usual_variant(&t->plan, t->type), &other, &same);
    CHECK(t, other == code);
    CHECK(t, same_error(e, &same));
    /* Nor is there another way to read it that ends where it should. */
    for (uint8_t v = 0; v < 4; v++) {
        if (!possible_variant(t, v))
            continue;
        const struct pd_record r = interpreted(t, rec, v, &other, NULL);
        CHECK(t, other || r.rest.n || (v & PD_VARIANT_NO_HW_IDX && r.u.sample.branch_stack.nr));
    }
}

/*
 * With sanitizers the decoder is not optimised (CMakeLists.txt), and then members of structs are written one
 * by one: bytes between them are what they were. Elsewhere a sample is the same to the byte, so that nothing
 * of another one is left.
 */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WRITES_MEMBERS 1
#endif
#endif
#ifdef WRITES_MEMBERS
static const bool copies_padding = false;
#else
static const bool copies_padding = true;
#endif

/*
 * The same record into one that has held others of any event: what those left is gone. The second time it is
 * a sample like the one before, which may have a path of its own.
 */
static void check_used_again(struct trial *t, const struct pd_record *rec, const uint8_t *p,
                             enum pd_code code)
{
    static struct pd_record used;
    for (unsigned i = 0; i < 2; i++) {
        seen.usual += i && t->type == PD_RECORD_SAMPLE && t->plan.usual && t->plan.order == PD_LITTLE &&
                      used.filled_as == t->plan.key;
        CHECK(t, pd_record_decode(&t->plan, p, t->n, &used, NULL) == code);
        CHECK(t, code || same_records(rec, &used, ALIKE_VIEWS));
        CHECK(t, !copies_padding || code || rec->type != PD_RECORD_SAMPLE ||
                     memcmp(&rec->u.sample, &used.u.sample, sizeof rec->u.sample) == 0);
        CHECK(t, code || (rec->rest.ptr == used.rest.ptr && rec->has_id == used.has_id &&
                          rec->layout == used.layout));
    }
}

/* What is said to fit decodes into no more and no less than its fields, and whatever does is said to fit. */
static void check_quick(struct trial *t, const struct pd_record *rec, const uint8_t *p, enum pd_code code)
{
    const bool quick = pi_sample_fits(&t->plan, p, t->n) || pi_unusual_fits(&t->plan, p, t->n);
    const bool exact =
        code == PD_OK && rec->rest.n == 0 && rec->variant == pi_usual_variant(&t->plan, t->type);
    const bool registers = t->attr.sample_type & (PD_SAMPLE_REGS_USER | PD_SAMPLE_REGS_INTR);
    CHECK(t, !quick || exact);
    CHECK(t, quick || !exact || t->plan.order == PD_BIG || registers);
    seen.quick[!t->plan.usual] += quick;
}

static bool check_record(struct trial *t)
{
    struct pd_error e = {0};
    struct pd_record rec = {0};
    const uint8_t *p = guard_copy(0, t->bytes, t->n);
    const enum pd_code code = pd_record_decode(&t->plan, p, t->n, &rec, &e);
    const size_t slot = t->type < 129 ? t->type : 129;
    seen.trials[slot]++;
    seen.decoded[slot] += code == PD_OK;
    check_used_again(t, &rec, p, code);
    if (t->type == PD_RECORD_SAMPLE)
        check_quick(t, &rec, p, code);
    if (code)
        check_refused(t, &rec, code, &e);
    else
        check_decoded(t, &rec);
    return code == PD_OK;
}

static void run_trial(uint64_t seed)
{
    static struct trial t;
    const enum pd_order order = seed & 1 ? PD_BIG : PD_LITTLE;
    t.seed = seed;
    t.rng = (struct pi_rng){seed};
    t.attr = random_attr(&t.rng);
    pd_plan_init(&t.plan, &t.attr, order);
    pd_plan_init(&t.other, &t.attr, order == PD_BIG ? PD_LITTLE : PD_BIG);
    random_record(&t);
    check_record(&t); /* as it came, mostly refused */
    repair(&t);
    check_record(&t);
    if (t.n > 8)
        t.n = 8 + pi_rng_size(&t.rng, t.n - 8);
    set_header(&t);
    check_record(&t); /* cut */
}

/* ---- Damage. */

/* A copy of the record with a few bytes changed, or cut. The header keeps its type. */
static void damage(struct trial *t, const uint8_t *bytes, size_t n)
{
    static const uint8_t likely[] = {0, 1, 2, 4, 8, 16, 64, 0x7f, 0x80, 0xff};
    struct pi_rng *r = &t->rng;
    memcpy(t->bytes, bytes, n);
    t->n = n;
    if (n > 8 && pi_rng_one_in(r, 3))
        t->n = 8 + pi_rng_size(r, n - 8);
    for (uint64_t k = pi_rng_below(r, 4); k && t->n > 8; k--) {
        uint8_t *p = t->bytes + 8 + pi_rng_below(r, t->n - 8);
        if (pi_rng_one_in(r, 2))
            *p = likely[pi_rng_below(r, sizeof likely)];
        else
            *p ^= (uint8_t)(1u << pi_rng_below(r, 8));
    }
    if (pi_rng_one_in(r, 8))
        t->bytes[4 + pi_rng_below(r, 2)] ^= (uint8_t)(1u << pi_rng_below(r, 8));
    set_header(t);
}

/* Records of every type as they should be, then damaged in many ways: cut at each byte if they are small. */
static void damage_record(struct trial *t, const uint8_t *bytes, size_t n)
{
    memcpy(t->bytes, bytes, n);
    for (t->n = n; t->n >= 8;
         t->n -= n > 300 && t->n > 16 ? 1 + (size_t)pi_rng_below(&t->rng, 1 + t->n / 16) : 1) {
        set_header(t);
        check_record(t);
    }
    for (unsigned i = 0; i < 20; i++) {
        damage(t, bytes, n);
        seen.damaged++;
        seen.read += check_record(t);
    }
}

static void damage_types(uint64_t seed)
{
    static uint8_t memory[PI_RANDOM_ARENA], bytes[MOST];
    static struct trial t;
    const enum pd_order order = seed & 1 ? PD_BIG : PD_LITTLE;
    t.seed = seed;
    t.rng = (struct pi_rng){seed};
    t.attr = random_attr(&t.rng);
    t.attr.sample_type &= (UINT64_C(1) << 25) - 1;
    pd_plan_init(&t.plan, &t.attr, order);
    pd_plan_init(&t.other, &t.attr, order == PD_BIG ? PD_LITTLE : PD_BIG);
    for (size_t i = 0; i < pi_n_layouts; i++) {
        struct pi_arena arena = {memory, sizeof memory};
        struct pd_record rec;
        t.type = (uint32_t)pi_layouts[i]()->arg;
        if (t.type == 0)
            continue;
        t.rng = pi_rng_named(seed, pi_layouts[i]()->name);
        CHECK(&t, pi_random_record(&t.plan, t.type, &t.rng, &arena, &rec));
        CHECK(&t, pd_record_encode(&t.plan, &rec, bytes, sizeof bytes, &t.n, NULL) == PD_OK);
        damage_record(&t, bytes, t.n);
    }
}

static void damaged_records(void **state)
{
    const uint64_t seed = random_seed(), iterations = random_iterations(10);
    (void)state;
    print_message("PERFDATA_SEED=%llu PERFDATA_ITERATIONS=%llu\n", (unsigned long long)seed,
                  (unsigned long long)iterations);
    for (uint64_t i = 0; i < iterations; i++)
        damage_types(seed + i);
    print_message("%llu of %llu damaged records decoded\n", (unsigned long long)seen.read,
                  (unsigned long long)seen.damaged);
}

/* A test that hardly ever gets past the first count would test nothing. */
static void check_coverage(uint64_t iterations)
{
    uint64_t trials = 0, decoded = 0;
    for (size_t i = 0; i < 130; i++) {
        trials += seen.trials[i];
        decoded += seen.decoded[i];
        if (iterations >= 10000 && i >= 1 && i <= 22)
            assert_true(seen.decoded[i] > 100);
    }
    print_message("%llu of %llu records decoded, %llu of %llu samples, %llu ambiguous\n",
                  (unsigned long long)decoded, (unsigned long long)trials,
                  (unsigned long long)seen.decoded[9], (unsigned long long)seen.trials[9],
                  (unsigned long long)seen.ambiguous);
    if (iterations >= 10000)
        assert_true(decoded > trials / 3 && seen.ambiguous < trials / 100 && seen.usual > iterations / 100 &&
                    seen.quick[0] > iterations / 500 && seen.quick[1] > iterations / 500);
}

static void random_bytes(void **state)
{
    const uint64_t seed = random_seed(), iterations = random_iterations(10000);
    (void)state;
    print_message("PERFDATA_SEED=%llu PERFDATA_ITERATIONS=%llu\n", (unsigned long long)seed,
                  (unsigned long long)iterations);
    for (uint64_t i = 0; i < iterations; i++)
        run_trial(seed + i);
    check_coverage(iterations);
}

/* The same of an attr: any bytes, any size. */
static void random_attrs(void **state)
{
    struct pi_rng r = {random_seed()};
    (void)state;
    for (uint64_t i = 0; i < random_iterations(10000); i++) {
        uint8_t bytes[256];
        struct pd_attr a, b;
        const enum pd_order order = i & 1 ? PD_BIG : PD_LITTLE, other = i & 1 ? PD_LITTLE : PD_BIG;
        const size_t n = 8 + pi_rng_size(&r, 200);
        for (size_t k = 0; k < sizeof bytes; k += 8)
            random_word(&r, order, bytes + k);
        if (!pi_rng_one_in(&r, 4))
            pi_store32(bytes + 4, (uint32_t)pi_rng_below(&r, 250), order);
        const uint8_t *p = guard_copy(0, bytes, n);
        assert_int_equal(pd_attr_decode(order, p, n, &a, NULL), PD_OK);
        uint8_t *out = guard_room(1, n), *there = guard_room(2, n);
        assert_int_equal(pd_attr_encode(order, &a, out, n, NULL), PD_OK);
        assert_memory_equal(out, p, n);
        /* A number cut in half by the end has other bytes in the other order, and is then refused. */
        if (pd_attr_encode(other, &a, there, n, NULL))
            continue;
        assert_int_equal(pd_attr_decode(other, there, n, &b, NULL), PD_OK);
        assert_null(alike_layout(pi_layout_attr(), &a, &b, ALIKE_VALUES));
        assert_int_equal(pd_attr_encode(order, &b, out, n, NULL), PD_OK);
        assert_memory_equal(out, p, n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_bytes),
        cmocka_unit_test(damaged_records),
        cmocka_unit_test(random_attrs),
    };
    return cmocka_run_group_tests_name("codec_bytes", tests, NULL, NULL);
}
