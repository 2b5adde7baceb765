/* SPDX-License-Identifier: MIT */
/* random_values.c - random values are valid, read back from their bytes, and cover all cases. Checks R4. */
#include "ops/gen/random_values.h"
#include "cmocka_all.h"
#include "seeded.h"
#include "src/codec/interpret.h"
#include "src/codec/variant.h"
#include "src/reflect/reflect.h"
#include "src/schema/schema.h"
#include <perfdata/session/compare.h>
#include <stdlib.h>
#include <string.h>

/* The cases in a run of records. */
struct tally {
    size_t records, variants, rests, odd_slots, unaligned, large;
    size_t unknown_rests; /* of types that are unknown, longer than what a newer writer adds to others */
};

static void say(const char *what, uint32_t type, const struct pd_error *error)
{
    char text[256];
    pd_error_text(error, text, sizeof text);
    fail_msg("%s of record type %u: %s", what, (unsigned)type, text);
}

static void count(struct tally *t, const struct pd_record *rec, size_t n)
{
    t->records++;
    t->variants += rec->variant != pi_usual_variant(rec->plan, rec->type);
    t->rests += rec->rest.n != 0;
    t->unknown_rests += rec->layout == NULL && rec->rest.n > 64;
    t->odd_slots += rec->type == PD_RECORD_COMM && !pi_str_is_plain(pi_layout_comm() + 3, &rec->u.comm.comm);
    t->unaligned += n % 8 != 0;
    t->large += n > 60000;
}

static void check_record(const struct pd_plan *plan, uint32_t type, struct pi_rng *rng, struct pi_arena arena,
                         struct tally *tally)
{
    static uint8_t bytes[65536], again[65536];
    struct pd_record rec, back = {0};
    struct pd_error error;
    char path[64];
    size_t n, m;
    assert_true(pi_random_record(plan, type, rng, &arena, &rec));
    if (pd_record_encode(plan, &rec, bytes, sizeof bytes, &n, &error))
        say("encoding", type, &error);
    assert_true(n <= UINT16_MAX);
    if (pi_interpret_encode(plan, &rec, again, sizeof again, &m, &error))
        say("interpreted encoding", type, &error);
    assert_int_equal(n, m);
    assert_memory_equal(bytes, again, n);
    if (pd_record_decode(plan, bytes, n, &back, &error))
        say("decoding", type, &error);
    if (pd_record_difference(&rec, &back, path, sizeof path))
        fail_msg("record type %u came back with another %s", (unsigned)type, path);
    assert_int_equal(rec.variant, back.variant);
    if (pd_record_encode(plan, &back, again, sizeof again, &m, &error))
        say("encoding again", type, &error);
    assert_int_equal(n, m);
    assert_memory_equal(bytes, again, n);
    count(tally, &rec, n);
}

/* Every type of the schema, and some unknown ones. */
static void check_types(const struct pd_plan *plan, struct pi_rng *rng, struct pi_arena arena,
                        struct tally *tally)
{
    const uint64_t seed = pi_rng_next(rng);
    for (size_t i = 0; i < pi_n_layouts; i++) {
        const uint32_t type = (uint32_t)pi_layouts[i]()->arg;
        struct pi_rng own = pi_rng_named(seed, pi_layouts[i]()->name);
        for (unsigned k = 0; type && k < (type == PD_RECORD_SAMPLE ? 8 : 1); k++)
            check_record(plan, type, &own, arena, tally);
    }
    check_record(plan, 63, rng, arena, tally);
    check_record(plan, 99999, rng, arena, tally);
}

/* A mask's registers take room that nothing behind them may use: the record of which a mask is a part. */
static void test_masks_take_room(void **state)
{
    (void)state;
    static uint8_t memory[PI_RANDOM_ARENA];
    const struct pd_attr attr = {.size = PD_ATTR_SIZE_VER0};
    struct pi_rng rng = {random_seed()};
    struct tally tally = {0};
    struct pd_plan plan;
    pd_plan_init(&plan, &attr, PD_LITTLE);
    for (unsigned i = 0; i < 3000; i++) {
        const struct pi_arena arena = {memory, sizeof memory};
        check_record(&plan, PD_RECORD_SIMPLEPERF_UNWINDING_RESULT, &rng, arena, &tally);
    }
    assert_true(tally.large > 0);
}

/* Names in slots of 16 bytes have any length: with few bytes, just with room for a NUL, and without. */
static void test_lengths_in_slots(void **state)
{
    (void)state;
    static uint8_t memory[PI_RANDOM_ARENA];
    const struct pd_attr attr = {.size = PD_ATTR_SIZE_VER0};
    struct pi_rng rng = {random_seed()};
    struct pd_plan plan;
    unsigned seen[17] = {0};
    pd_plan_init(&plan, &attr, PD_LITTLE);
    for (unsigned i = 0; i < 1000; i++) {
        struct pi_arena arena = {memory, sizeof memory};
        struct pd_record rec;
        struct pd_thread_map_entry entry;
        assert_true(pi_random_record(&plan, PD_RECORD_THREAD_MAP, &rng, &arena, &rec));
        while (pd_thread_map_entry_next(&rec.u.thread_map.entries, &entry))
            seen[entry.comm.len]++;
    }
    for (size_t len = 0; len <= 16; len++)
        assert_true(seen[len] > 0);
}

/* One in 24 samples with registers of the user is to have them of an unknown abi, but for doubtful ones. */
static void test_unknown_abis(void **state)
{
    (void)state;
    static uint8_t memory[PI_RANDOM_ARENA];
    const struct pd_attr attr = {
        .size = PD_ATTR_SIZE_VER8, .sample_type = PD_SAMPLE_REGS_USER, .sample_regs_user = 3};
    struct pi_rng rng = {random_seed()};
    struct pd_plan plan;
    unsigned n = 0;
    pd_plan_init(&plan, &attr, PD_LITTLE);
    for (unsigned i = 0; i < 2400; i++) {
        struct pi_arena arena = {memory, sizeof memory};
        struct pd_record rec;
        assert_true(pi_random_record(&plan, PD_RECORD_SAMPLE, &rng, &arena, &rec));
        n += (rec.variant & PD_VARIANT_UNKNOWN_USER_REGS) != 0;
    }
    assert_in_range(n, 60, 140);
}

static void test_round_trip(void **state)
{
    (void)state;
    static uint8_t memory[PI_RANDOM_ARENA];
    struct pi_rng rng = {random_seed()};
    struct tally tally = {0};
    const uint64_t iterations = random_iterations(400);
    for (uint64_t i = 0; i < iterations; i++) {
        const enum pd_order order = pi_rng_one_in(&rng, 2) ? PD_BIG : PD_LITTLE;
        struct pi_arena arena = {memory, sizeof memory};
        struct pd_attr attr, back;
        struct pd_plan plan;
        uint8_t bytes[512];
        const char *field = "";
        assert_true(pi_random_attr(&rng, &arena, &attr));
        const size_t n = pd_attr_bytes(&attr);
        assert_int_equal(pd_attr_encode(order, &attr, bytes, n, NULL), PD_OK);
        assert_int_equal(pd_attr_decode(order, bytes, n, &back, NULL), PD_OK);
        if (!pd_attr_equal(&attr, &back, &field))
            fail_msg("an attr came back with another %s", field);
        pd_plan_init(&plan, &attr, order);
        assert_false(plan.unknown);
        check_types(&plan, &rng, arena, &tally);
    }
    if (iterations < 400)
        return;
    assert_true(tally.variants > 100);
    assert_true(tally.rests > 100);
    assert_true(tally.unknown_rests > 100);
    assert_true(tally.odd_slots > 10);
    assert_true(tally.unaligned > 100 && tally.unaligned < tally.records / 8);
    assert_true(tally.large > 100);
}

/* The same seed gives the same record; and the generator's numbers never change. */
static void test_seed(void **state)
{
    (void)state;
    static uint8_t memory[2][PI_RANDOM_ARENA];
    const struct pd_attr attr = {.sample_type = PD_SAMPLE_CALLCHAIN | PD_SAMPLE_RAW | PD_SAMPLE_BRANCH_STACK};
    struct pd_plan plan;
    struct pi_rng rng = {0};
    assert_true(pi_rng_next(&rng) == UINT64_C(0xe220a8397b1dcdaf)); /* published for splitmix64 with seed 0 */
    pd_plan_init(&plan, &attr, PD_LITTLE);
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct pi_rng a = {seed}, b = {seed};
        struct pi_arena one = {memory[0], PI_RANDOM_ARENA}, other = {memory[1], PI_RANDOM_ARENA};
        struct pd_record x, y;
        assert_true(pi_random_record(&plan, PD_RECORD_SAMPLE, &a, &one, &x));
        assert_true(pi_random_record(&plan, PD_RECORD_SAMPLE, &b, &other, &y));
        assert_true(pd_record_equal(&x, &y, NULL));
        assert_true(a.state == b.state);
        assert_true((uintptr_t)x.u.sample.callchain.ips.ptr % 8 == 0); /* of numbers of 64 bits */
    }
}

/* ---- A new line in the schema changes nothing else */

/* Each record takes one number of the generator, so that later records do not depend on its fields. */
static void test_one_number_each(void **state)
{
    (void)state;
    static uint8_t memory[PI_RANDOM_ARENA];
    const struct pd_attr attr = {.sample_type = PD_SAMPLE_CALLCHAIN | PD_SAMPLE_RAW | PD_SAMPLE_BRANCH_STACK,
                                 .flags = PD_ATTR_SAMPLE_ID_ALL};
    struct pd_plan plan;
    pd_plan_init(&plan, &attr, PD_LITTLE);
    for (uint32_t type = 0; type < 100; type++) {
        for (uint64_t seed = 0; seed < 20; seed++) {
            struct pi_rng rng = {seed}, one = {seed};
            struct pi_arena arena = {memory, sizeof memory};
            struct pd_record rec;
            struct pd_feature feature;
            struct pd_attr other;
            assert_true(pi_random_record(&plan, type, &rng, &arena, &rec));
            pi_rng_next(&one);
            assert_true(rng.state == one.state);
            assert_true(pi_random_feature(&rng, &arena, type, 4, &feature));
            pi_rng_next(&one);
            assert_true(rng.state == one.state);
            assert_true(pi_random_attr(&rng, &arena, &other));
            pi_rng_next(&one);
            assert_true(rng.state == one.state);
            pi_random_value(&rng, &pd_set_record_type, 4);
            pi_rng_next(&one);
            assert_true(rng.state == one.state);
        }
    }
}

/* Two records of one seed are independent. */
static void test_types_differ(void **state)
{
    (void)state;
    static uint8_t memory[PI_RANDOM_ARENA];
    struct pd_plan plan;
    const struct pd_attr attr = {0};
    unsigned same = 0;
    pd_plan_init(&plan, &attr, PD_LITTLE);
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct pi_rng a = {seed}, b = {seed};
        struct pi_arena arena = {memory, sizeof memory};
        struct pd_record fork, exit;
        assert_true(pi_random_record(&plan, PD_RECORD_FORK, &a, &arena, &fork));
        assert_true(pi_random_record(&plan, PD_RECORD_EXIT, &b, &arena, &exit));
        same += fork.u.fork.time == exit.u.fork.time;
    }
    assert_true(same < 30); /* few numbers are special: 0, 1, all ones */
}

enum { MOST_LINES = 200, MOST_BYTES = 65536 };

/* True if the next line begins a field, so that another one may be inserted before it. */
static bool begins_field(const struct pd_op *op)
{
    return op == NULL || (op->kind < PI_OP_ALIAS && op->kind != PI_OP_TEXT);
}

static bool make_value(uint64_t seed, const struct pd_op *layout, uint8_t *value, uint8_t *memory)
{
    static const struct pd_attr attr = {
        .sample_type = UINT64_MAX, .read_format = UINT64_MAX, .branch_sample_type = UINT64_MAX};
    struct pd_plan plan;
    struct pi_rng rng = {seed};
    struct pi_arena arena = {memory, PI_RANDOM_ARENA};
    pd_plan_init(&plan, &attr, PD_LITTLE);
    memset(value, 0, MOST_BYTES);
    memset(memory, 0, PI_RANDOM_ARENA);
    return pi_random_parts(&rng, &arena, &plan.shape, layout, value);
}

/* Inserts an invented field before line `at`; in the struct it is behind the others. */
static void insert_line(const struct pd_op *layout, size_t n, size_t at, struct pd_op *out)
{
    const uint16_t behind = (uint16_t)((layout->offset + 7) / 8 * 8);
    memcpy(out, layout, at * sizeof *out);
    out[at] = (struct pd_op){.kind = PI_OP_U64, .offset = behind, .name = "invented", .set = &pd_set_HEX};
    memcpy(out + at + 1, layout + at, (n - at) * sizeof *out);
}

static void check_lines(const struct pd_op *layout, uint64_t seed)
{
    static _Alignas(8) uint8_t memory[PI_RANDOM_ARENA], before[PI_RANDOM_ARENA], value[MOST_BYTES],
        first[MOST_BYTES];
    static struct pd_op more[MOST_LINES];
    const size_t size = layout->offset;
    size_t n = 1;
    while (layout[n++].kind != PI_OP_END)
        ;
    assert_true(n < MOST_LINES && size + 16 < MOST_BYTES);
    assert_true(make_value(seed, layout, first, memory));
    memcpy(before, memory, sizeof before);
    for (size_t at = 1; at < n; at++) {
        if (!begins_field(at > 1 ? layout + at - 1 : NULL))
            continue;
        insert_line(layout, n, at, more);
        if (!make_value(seed, more, value, memory))
            fail_msg("%s: no value with a field in front of %s", layout->name, layout[at].name);
        if (memcmp(value, first, size) != 0 || memcmp(memory, before, sizeof before) != 0)
            fail_msg("%s: a field in front of %s changes others", layout->name, layout[at].name);
    }
}

static void test_a_field_more(void **state)
{
    (void)state;
    for (size_t i = 0; i < pi_n_layouts; i++)
        for (uint64_t seed = 0; seed < 3; seed++)
            if (pi_layouts[i] !=
                pi_layout_feature_event_desc) /* the code for its attrs finds it by its address */
                check_lines(pi_layouts[i](), random_seed() + seed);
}

/* One more name of a value: it is chosen at times; everything else stays the same. */
static void test_a_name_more(void **state)
{
    (void)state;
    struct pd_name names[2][64];
    const struct pd_set *const sets[] = {&pd_set_record_type, &pd_set_sample_type};
    const uint64_t value = UINT64_C(1) << 62;
    for (unsigned k = 0; k < 2; k++) {
        struct pd_set set = *sets[k];
        unsigned chosen = 0;
        assert_true(set.n < 64);
        names[k][0] = (struct pd_name){.name = "INVENTED", .value = value};
        memcpy(names[k] + 1, set.names, set.n * sizeof *names[k]);
        set.names = names[k];
        set.n++;
        for (uint64_t seed = 0; seed < 1000; seed++) {
            struct pi_rng a = {seed}, b = {seed};
            const uint64_t before = pi_random_value(&a, sets[k], 8), now = pi_random_value(&b, &set, 8);
            const bool has = sets[k]->kind == PD_SET_ENUM ? now == value : before < value && now >= value;
            if (!has)
                assert_true(now == before);
            else if (sets[k]->kind == PD_SET_FLAGS)
                assert_true((now ^ value) == before);
            chosen += has;
        }
        assert_true(chosen > 5 && chosen < 900);
    }
}

/* A random feature fits into a record, with the places of some cpus, and without those of too many. */
static void test_many_cpus(void **state)
{
    (void)state;
    static uint8_t memory[PI_RANDOM_ARENA], bytes[PI_RANDOM_ARENA];
    unsigned with = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct pi_arena arena = {memory, sizeof memory};
        struct pi_rng rng = {seed};
        struct pd_feature f;
        size_t n;
        const uint32_t cpus = seed % 2 ? 8200 : 100;
        assert_true(pi_random_feature(&rng, &arena, PD_FEAT_CPU_TOPOLOGY, cpus, &f));
        assert_int_equal(pd_feature_encode(PD_LITTLE, &f, bytes, sizeof bytes, &n, NULL), PD_OK);
        assert_true(n <= UINT16_MAX - 16);
        with += f.u.cpu_topology.has_cpus;
    }
    assert_true(with > 10);
}

/* Descriptions of BPF programs end behind one of many fields, as those of older kernels. */
static void test_cut_structs(void **state)
{
    (void)state;
    static uint8_t memory[PI_RANDOM_ARENA];
    unsigned sizes = 0;
    bool seen[512] = {false};
    for (uint64_t seed = 0; seed < 2000; seed++) {
        struct pi_arena arena = {memory, sizeof memory};
        struct pi_rng rng = {seed};
        struct pd_feature f;
        struct pd_bpf_prog program;
        assert_true(pi_random_feature(&rng, &arena, PD_FEAT_BPF_PROG_INFO, 4, &f));
        while (pd_bpf_prog_next(&f.u.bpf_prog_info.programs, &program))
            if (program.info_len < sizeof seen) {
                sizes += !seen[program.info_len];
                seen[program.info_len] = true;
            }
    }
    assert_true(seen[4] && seen[8] && seen[16]); /* type, id, tag */
    assert_true(sizes > 30);
}

static void test_small_arena(void **state)
{
    (void)state;
    const struct pd_attr attr = {.sample_type = PD_SAMPLE_CALLCHAIN};
    struct pd_plan plan;
    unsigned refused = 0;
    pd_plan_init(&plan, &attr, PD_LITTLE);
    for (uint64_t seed = 0; seed < 50; seed++) {
        uint64_t memory[4];
        struct pi_arena arena = {(uint8_t *)memory, sizeof memory};
        struct pi_rng rng = {seed};
        struct pd_record rec;
        refused += !pi_random_record(&plan, PD_RECORD_SAMPLE, &rng, &arena, &rec);
    }
    assert_true(refused > 0 && refused < 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_masks_take_room),
        cmocka_unit_test(test_lengths_in_slots),
        cmocka_unit_test(test_unknown_abis),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_seed),
        cmocka_unit_test(test_one_number_each),
        cmocka_unit_test(test_types_differ),
        cmocka_unit_test(test_a_field_more),
        cmocka_unit_test(test_a_name_more),
        cmocka_unit_test(test_many_cpus),
        cmocka_unit_test(test_cut_structs),
        cmocka_unit_test(test_small_arena),
    };
    return cmocka_run_group_tests_name("random_values", tests, NULL, NULL);
}
