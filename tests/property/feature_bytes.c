/* SPDX-License-Identifier: MIT */
/*
 * feature_bytes.c - feature sections of random values, whole, cut and damaged, in both byte orders: a section
 * that decodes encodes to the same bytes, also by way of the other order; any other is refused by name.
 * Checks R5, R8, R12.
 */
#include "cmocka_all.h"
#include "src/schema/schema.h"
#include "seeded.h"
#include <perfdata/feature.h>
#include <perfdata/session/compare.h>
#include <perfdata/session/text.h>
#include <stdio.h>
#include <string.h>

#define CUTS 300 /* lengths that are tried of a large section */
#define FLIPS 60 /* damaged copies of a section */
#define IDS 200  /* all above the ids of perf and simpleperf, too */

struct trial {
    uint64_t seed; /* of this trial alone */
    const char *what;
    struct pi_rng rng;
    uint32_t id, nr_cpus;
    enum pd_order order;
    size_t n;
};

static struct {
    uint64_t whole[IDS], empty[IDS], no_pid;
    uint64_t damaged, decoded;
} seen;

#define FAIL(t_, what_)                                                                                      \
    fail_msg("%s; again with PERFDATA_SEED=%llu PERFDATA_ITERATIONS=1: %s feature %u, %zu bytes, order %u, " \
             "%u cpus",                                                                                      \
             what_, (unsigned long long)(t_)->seed, (t_)->what, (t_)->id, (t_)->n, (t_)->order,              \
             (t_)->nr_cpus)

#define CHECK(t_, condition_)                       \
    do {                                            \
        if (!(condition_))                          \
            FAIL(t_, #condition_ " does not hold"); \
    } while (0)

/* With what the library says about it. */
static void check_ok(const struct trial *t, enum pd_code code, const struct pd_error *e)
{
    char text[256];
    if (code == PD_OK)
        return;
    pd_error_text(e, text, sizeof text);
    FAIL(t, text);
}

static enum pd_order other_of(enum pd_order order)
{
    return order == PD_BIG ? PD_LITTLE : PD_BIG;
}

/* Exactly n bytes, so that a sanitizer sees each that is read behind them. */
static uint8_t *room_for(size_t n)
{
    uint8_t *p = malloc(n);
    assert_true(p || n == 0);
    return p;
}

static uint8_t *copy_of(const uint8_t *bytes, size_t n)
{
    uint8_t *p = room_for(n);
    if (n)
        memcpy(p, bytes, n);
    return p;
}

/* Encodes to a new block of exactly the size that it says it needs; with a byte less it is refused. */
static uint8_t *encoded(const struct trial *t, enum pd_order order, const struct pd_feature *f, size_t *n)
{
    struct pd_error e = {0};
    size_t size = 0;
    check_ok(t, pd_feature_encode(order, f, NULL, 0, n, &e), &e);
    uint8_t *p = room_for(*n);
    CHECK(t, pd_feature_encode(order, f, p, *n, &size, NULL) == PD_OK);
    CHECK(t, size == *n);
    if (*n) {
        uint8_t *less = room_for(*n - 1);
        CHECK(t, pd_feature_encode(order, f, less, *n - 1, &size, NULL) == PD_ESPACE);
        CHECK(t, size == *n);
        free(less);
    }
    return p;
}

static void check_encodes_to(const struct trial *t, enum pd_order order, const struct pd_feature *f,
                             const uint8_t *bytes, size_t n)
{
    size_t size;
    uint8_t *again = encoded(t, order, f, &size);
    CHECK(t, size == n);
    CHECK(t, n == 0 || memcmp(again, bytes, n) == 0);
    free(again);
}

static void check_same(const struct trial *t, const struct pd_feature *a, const struct pd_feature *b)
{
    const char *field = NULL;
    if (!pd_feature_equal(a, b, &field))
        FAIL(t, field);
    CHECK(t, a->variant == b->variant);
}

/* To the other order, and from there to the same bytes. */
static void check_other_order(const struct trial *t, const struct pd_feature *f, const uint8_t *bytes,
                              size_t n)
{
    struct pd_feature there;
    size_t size;
    uint8_t *p = encoded(t, other_of(t->order), f, &size);
    CHECK(t, size == n);
    CHECK(t, pd_feature_decode(other_of(t->order), t->id, t->nr_cpus, p, size, &there, NULL) == PD_OK);
    check_same(t, f, &there);
    check_encodes_to(t, t->order, &there, bytes, n);
    free(p);
}

static bool drop(struct pd_out *out, size_t want)
{
    (void)want;
    out->n = 0;
    return true;
}

/* All fields can be gone through. */
static void check_text(const struct trial *t, const struct pd_feature *f)
{
    char buf[512];
    struct pd_out out = {.buf = buf, .cap = sizeof buf, .more = drop};
    pd_feature_print(f, NULL, 0, &out, NULL);
    pd_feature_json(f, &out);
    CHECK(t, out.lost == 0);
}

static void check_refused(const struct trial *t, const struct pd_feature *f, enum pd_code code,
                          const struct pd_error *e)
{
    CHECK(t, code == PD_ESHORT || code == PD_ECOUNT || code == PD_EVALUE);
    CHECK(t, e->code == code && e->field && *e->field);
    CHECK(t, e->offset <= f->raw.n);
    CHECK(t, f->id == t->id && !f->layout);
}

/* Any bytes: refused, or all that has to hold of what decodes. */
static bool check_bytes(const struct trial *t, const uint8_t *bytes, size_t n)
{
    struct pd_feature f;
    struct pd_error e = {0};
    uint8_t *p = copy_of(bytes, n);
    const enum pd_code code = pd_feature_decode(t->order, t->id, t->nr_cpus, p, n, &f, &e);
    CHECK(t, f.raw.n == n);
    check_encodes_to(t, t->order, &f, bytes, n);
    check_text(t, &f);
    if (code)
        check_refused(t, &f, code, &e);
    else
        check_other_order(t, &f, bytes, n);
    free(p);
    return code == PD_OK;
}

static void check_value(struct trial *t, const struct pd_feature *f, const uint8_t *bytes, size_t n)
{
    struct pd_feature back;
    struct pd_error e = {0};
    uint8_t *p = copy_of(bytes, n);
    t->n = n;
    t->what = "whole";
    check_ok(t, pd_feature_decode(t->order, t->id, t->nr_cpus, p, n, &back, &e), &e);
    check_same(t, f, &back);
    CHECK(t, check_bytes(t, bytes, n));
    seen.whole[t->id]++;
    seen.empty[t->id] += n == 0;
    seen.no_pid += f->variant != 0;
    free(p);
}

static void check_cuts(struct trial *t, const uint8_t *bytes, size_t n)
{
    t->what = "cut";
    for (size_t i = 0; i < (n < CUTS ? n : CUTS); i++) {
        t->n = n <= CUTS ? i : (size_t)pi_rng_below(&t->rng, n);
        seen.decoded += check_bytes(t, bytes, t->n);
        seen.damaged++;
    }
}

/* A number that could well be a count, or a bit of what is there. */
static void damage(struct pi_rng *rng, uint8_t *p, size_t n)
{
    static const uint8_t likely[] = {0, 1, 2, 4, 8, 16, 64, 0x7f, 0x80, 0xff};
    for (uint64_t k = 1 + pi_rng_below(rng, 3); k; k--) {
        const size_t at = (size_t)pi_rng_below(rng, n), left = n - at;
        switch (pi_rng_below(rng, 4)) {
        case 0: p[at] ^= (uint8_t)(1u << pi_rng_below(rng, 8)); break;
        case 1: p[at] = (uint8_t)pi_rng_next(rng); break;
        case 2: memset(p + at, pi_rng_one_in(rng, 2) ? 0xff : 0, left < 8 ? left : 8); break;
        default: p[at] = likely[pi_rng_below(rng, sizeof likely)]; break;
        }
    }
}

static void check_flips(struct trial *t, const uint8_t *bytes, size_t n)
{
    t->what = "damaged";
    t->n = n;
    for (unsigned i = 0; n && i < FLIPS; i++) {
        uint8_t *p = copy_of(bytes, n);
        damage(&t->rng, p, n);
        seen.decoded += check_bytes(t, p, n);
        seen.damaged++;
        free(p);
    }
}

/* The bytes of one feature read as another, or with another number of cpus. */
static void check_strange(struct trial *t, const uint8_t *bytes, size_t n)
{
    const uint32_t id = t->id, nr_cpus = t->nr_cpus;
    t->what = "strange";
    for (t->id = 0; t->id < IDS; t->id++)
        check_bytes(t, bytes, n);
    t->id = id;
    t->nr_cpus = UINT32_MAX;
    check_bytes(t, bytes, n);
    t->nr_cpus = (uint32_t)pi_rng_below(&t->rng, 20);
    check_bytes(t, bytes, n);
    t->nr_cpus = nr_cpus;
}

static void run_trial(uint64_t seed, uint32_t id, enum pd_order order)
{
    static uint8_t memory[PI_RANDOM_ARENA];
    struct trial t = {
        .seed = seed, .rng = {seed ^ (uint64_t)id << 40 ^ (uint64_t)order << 63}, .id = id, .order = order};
    struct pi_arena arena = {memory, sizeof memory};
    struct pd_feature f;
    size_t n;
    t.what = "made";
    t.nr_cpus = (uint32_t)(pi_rng_one_in(&t.rng, 3) ? 0 : pi_rng_below(&t.rng, 20));
    CHECK(&t, pi_random_feature(&t.rng, &arena, id, t.nr_cpus, &f));
    uint8_t *bytes = encoded(&t, order, &f, &n);
    check_value(&t, &f, bytes, n);
    check_cuts(&t, bytes, n);
    check_flips(&t, bytes, n);
    if (n < 2000)
        check_strange(&t, bytes, n);
    free(bytes);
}

/* All features of the schema, and two that nobody knows. */
static void for_each_feature(void (*run)(uint64_t seed, uint32_t id, enum pd_order order), uint64_t seed)
{
    for (uint32_t id = 0; id < IDS; id++) {
        if (!pi_layout_of_feature(id) && id != 63 && id != IDS - 1)
            continue;
        run(seed, id, PD_LITTLE);
        run(seed, id, PD_BIG);
    }
}

static void test_random_features(void **state)
{
    const uint64_t seed = random_seed(), iterations = random_iterations(6);
    unsigned ids = 0;
    (void)state;
    print_message("PERFDATA_SEED=%llu PERFDATA_ITERATIONS=%llu\n", (unsigned long long)seed,
                  (unsigned long long)iterations);
    for (uint64_t i = 0; i < iterations; i++)
        for_each_feature(run_trial, seed + i);
    for (uint64_t i = iterations; iterations > 1 && i < 40; i++) { /* few build ids are without pids */
        run_trial(seed + i, PD_FEAT_BUILD_ID, PD_LITTLE);
        run_trial(seed + i, PD_FEAT_BUILD_ID, PD_BIG);
    }
    for (uint32_t id = 0; id < IDS; id++)
        ids += seen.whole[id] != 0;
    print_message("%u features, %llu of %llu damaged ones decoded, %llu without pids\n", ids,
                  (unsigned long long)seen.decoded, (unsigned long long)seen.damaged,
                  (unsigned long long)seen.no_pid);
    assert_int_equal(ids, 34 + 7 + 2);
    if (iterations < 6)
        return;
    assert_true(seen.no_pid > 3);
    assert_true(seen.decoded > seen.damaged / 4 && seen.decoded < seen.damaged);
    for (uint32_t id = 1; id < IDS; id++)
        assert_true(id == PD_FEAT_BRANCH_STACK || id == PD_FEAT_STAT || seen.empty[id] <= seen.whole[id] / 2);
}

/*
 * A count that no section can have is found out at once: a section of zeros is many elements, or one too
 * many.
 */
static void run_hostile(uint64_t seed, uint32_t id, enum pd_order order)
{
    const size_t n = 1 << 16;
    struct trial t = {.seed = seed, .what = "hostile", .id = id, .order = order, .n = n, .nr_cpus = 4096};
    uint8_t *p = room_for(n);
    for (unsigned fill = 0; fill < 4; fill++) {
        memset(p, fill & 1 ? 0xff : 0, n);
        if (fill & 2) /* the first word counts, the others do not */
            memset(p, fill & 1 ? 0 : 0xff, 4);
        check_bytes(&t, p, n);
    }
    free(p);
}

static void test_hostile_counts(void **state)
{
    (void)state;
    for_each_feature(run_hostile, 0);
}

/* A section without bytes says "not recorded", wherever it is. */
static void test_empty(void **state)
{
    (void)state;
    for (uint32_t id = 0; id < IDS; id++) {
        struct pd_feature f;
        size_t n = 1;
        assert_int_equal(pd_feature_decode(PD_LITTLE, id, 0, NULL, 0, &f, NULL), PD_OK);
        assert_null(f.layout);
        assert_int_equal(pd_feature_encode(PD_BIG, &f, NULL, 0, &n, NULL), PD_OK);
        assert_int_equal(n, 0);
    }
}

/* ---- Values that do not say what their bytes would */

static void expect_refused(const struct pd_feature *f, enum pd_code code, const char *field)
{
    struct pd_error e = {0};
    size_t n;
    assert_int_equal(pd_feature_encode(PD_LITTLE, f, NULL, 0, &n, &e), code);
    assert_string_equal(e.field, field);
}

static void test_contradicting_features(void **state)
{
    uint8_t bytes[64] = {0};
    struct pd_meta_info info = {.key = {"a\0b", 3, PD_AUTO}, .value = PD_STR("c")};
    struct pd_event_desc event = {.attr_size = 64, .attr = {.size = 64, .config3 = 1}, .name = PD_STR("e")};
    (void)state;
    struct pd_feature f = {.id = PD_FEAT_CPU_TOPOLOGY, .nr_cpus_avail = 2, .u.cpu_topology.nr_cpus_avail = 2};
    f.layout = pi_layout_of_feature(f.id);
    f.rest = (struct pd_bytes){bytes, 15};
    size_t n;
    assert_int_equal(pd_feature_encode(PD_LITTLE, &f, NULL, 0, &n, NULL), PD_OK);
    f.rest.n = 16; /* would be the cpus */
    expect_refused(&f, PD_ECOUNT, "has_cpus");
    f.u.cpu_topology.nr_cpus_avail = 3;
    expect_refused(&f, PD_ECOUNT, "nr_cpus_avail");

    f = (struct pd_feature){.id = PD_FEAT_AUXTRACE, .u.auxtrace.has_nr = 1, .rest = {bytes, 8}};
    f.layout = pi_layout_of_feature(f.id);
    expect_refused(&f, PD_ECOUNT, "has_nr");
    f.rest.n = 7;
    assert_int_equal(pd_feature_encode(PD_LITTLE, &f, NULL, 0, &n, NULL), PD_OK);

    f = (struct pd_feature){.id = PD_FEAT_SIMPLEPERF_META_INFO};
    f.u.simpleperf_meta_info.entries = PD_LIST(&info, 1);
    expect_refused(&f, PD_EVALUE, "key");

    f = (struct pd_feature){.id = PD_FEAT_EVENT_DESC, .u.event_desc = {.nr_events = 1, .attr_size = 64}};
    f.u.event_desc.events = PD_LIST(&event, 1);
    expect_refused(&f, PD_EVALUE, "config3");
    event.attr_size = 136;
    expect_refused(&f, PD_ECOUNT, "attr_size");
}

static void expect_record_refused(const struct pd_record *rec, const char *field)
{
    struct pd_error e = {0};
    struct pd_plan plan;
    uint8_t bytes[1000];
    size_t n;
    pd_plan_init(&plan, NULL, PD_BIG);
    assert_int_equal(pd_record_encode(&plan, rec, bytes, sizeof bytes, &n, &e), PD_ECOUNT);
    assert_string_equal(e.field, field);
}

static void test_contradicting_records(void **state)
{
    static const uint8_t attr_of_5[24] = {64, 0, 0, 0, 0, 0, 24, 0, 0, 0, 0, 0, 5};
    struct pd_record rec = {.type = PD_RECORD_AUXTRACE_INFO};
    struct pd_intel_pt_info *pt = &rec.u.auxtrace_info.intel_pt;
    uint64_t one = 1;
    struct pd_error e = {0};
    struct pd_plan plan;
    (void)state;
    rec.u.auxtrace_info.type = PD_AUXTRACE_INTEL_PT;
    rec.u.auxtrace_info.priv = PD_VEC64(&one, 1); /* then there is room for per_cpu_mmaps */
    expect_record_refused(&rec, "has_per_cpu_mmaps");
    rec.u.auxtrace_info.priv = PD_VEC64(NULL, 0);
    pt->has_per_cpu_mmaps = pt->has_mtc = pt->has_cyc = pt->has_ratio = pt->has_filter = 1;
    pt->filter_str_len = UINT64_MAX;
    expect_record_refused(&rec, "filter");

    rec = (struct pd_record){.type = PD_RECORD_AUXTRACE_ERROR,
                             .u.auxtrace_error = {.fmt = 2, .has_machine = 1}};
    rec.u.auxtrace_error.msg = (struct pd_str){"text", 4, 4}; /* nothing can follow so short a slot */
    expect_record_refused(&rec, "msg");

    pd_plan_init(&plan, NULL, PD_LITTLE);
    rec = (struct pd_record){0};
    assert_int_equal(pd_record_decode(&plan, attr_of_5, sizeof attr_of_5, &rec, &e), PD_ECOUNT);
    assert_string_equal(e.field, "attr");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_features),
        cmocka_unit_test(test_hostile_counts),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_contradicting_features),
        cmocka_unit_test(test_contradicting_records),
    };
    return cmocka_run_group_tests_name("feature_bytes", tests, NULL, NULL);
}
