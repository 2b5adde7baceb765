/* SPDX-License-Identifier: MIT */
/* event.c - event names. Spellings are perf's, taken from its manual pages and from what it lists and
 * records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#include <cmocka.h>

#include <perfdata/session/event.h>

#define HW(id_) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id_, 0, 0, 0
#define SW(id_) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id_, 0, 0, 0
#define CACHE(id_, op_, result_)                                        \
    PERF_TYPE_HW_CACHE,                                                 \
        PERF_COUNT_HW_CACHE_##id_ | PERF_COUNT_HW_CACHE_OP_##op_ << 8 | \
            PERF_COUNT_HW_CACHE_RESULT_##result_ << 16,                 \
        0, 0, 0
#define RAW(config_) PERF_TYPE_RAW, config_, 0, 0, 0
#define POINT(addr_, access_, len_) PERF_TYPE_BREAKPOINT, 0, addr_, access_, len_
#define ON_PMU(pmu_) (UINT64_C(pmu_) << 32)

struct spelling {
    const char *name;
    struct pd_event event;
};

/* Names that are written, and read back. */
static const struct spelling spellings[] = {
    {"cycles", {HW(CPU_CYCLES)}},
    {"instructions", {HW(INSTRUCTIONS)}},
    {"cache-references", {HW(CACHE_REFERENCES)}},
    {"cache-misses", {HW(CACHE_MISSES)}},
    {"branches", {HW(BRANCH_INSTRUCTIONS)}},
    {"branch-misses", {HW(BRANCH_MISSES)}},
    {"bus-cycles", {HW(BUS_CYCLES)}},
    {"stalled-cycles-frontend", {HW(STALLED_CYCLES_FRONTEND)}},
    {"stalled-cycles-backend", {HW(STALLED_CYCLES_BACKEND)}},
    {"ref-cycles", {HW(REF_CPU_CYCLES)}},

    {"cpu-clock", {SW(CPU_CLOCK)}},
    {"task-clock", {SW(TASK_CLOCK)}},
    {"page-faults", {SW(PAGE_FAULTS)}},
    {"context-switches", {SW(CONTEXT_SWITCHES)}},
    {"cpu-migrations", {SW(CPU_MIGRATIONS)}},
    {"minor-faults", {SW(PAGE_FAULTS_MIN)}},
    {"major-faults", {SW(PAGE_FAULTS_MAJ)}},
    {"alignment-faults", {SW(ALIGNMENT_FAULTS)}},
    {"emulation-faults", {SW(EMULATION_FAULTS)}},
    {"dummy", {SW(DUMMY)}},
    {"bpf-output", {SW(BPF_OUTPUT)}},
    {"cgroup-switches", {SW(CGROUP_SWITCHES)}},

    {"L1-dcache-loads", {CACHE(L1D, READ, ACCESS)}},
    {"L1-dcache-load-misses", {CACHE(L1D, READ, MISS)}},
    {"L1-dcache-stores", {CACHE(L1D, WRITE, ACCESS)}},
    {"L1-dcache-store-misses", {CACHE(L1D, WRITE, MISS)}},
    {"L1-dcache-prefetches", {CACHE(L1D, PREFETCH, ACCESS)}},
    {"L1-dcache-prefetch-misses", {CACHE(L1D, PREFETCH, MISS)}},
    {"L1-icache-loads", {CACHE(L1I, READ, ACCESS)}},
    {"L1-icache-load-misses", {CACHE(L1I, READ, MISS)}},
    {"L1-icache-prefetches", {CACHE(L1I, PREFETCH, ACCESS)}},
    {"LLC-loads", {CACHE(LL, READ, ACCESS)}},
    {"LLC-store-misses", {CACHE(LL, WRITE, MISS)}},
    {"dTLB-load-misses", {CACHE(DTLB, READ, MISS)}},
    {"dTLB-stores", {CACHE(DTLB, WRITE, ACCESS)}},
    {"iTLB-loads", {CACHE(ITLB, READ, ACCESS)}},
    {"iTLB-load-misses", {CACHE(ITLB, READ, MISS)}},
    {"iTLB-stores", {CACHE(ITLB, WRITE, ACCESS)}},
    {"branch-loads", {CACHE(BPU, READ, ACCESS)}},
    {"branch-load-misses", {CACHE(BPU, READ, MISS)}},
    {"node-loads", {CACHE(NODE, READ, ACCESS)}},
    {"node-prefetch-misses", {CACHE(NODE, PREFETCH, MISS)}},

    {"pmu4/cycles/", {PERF_TYPE_HARDWARE, ON_PMU(4) | PERF_COUNT_HW_CPU_CYCLES, 0, 0, 0}},
    {"pmu10/instructions/", {PERF_TYPE_HARDWARE, ON_PMU(10) | PERF_COUNT_HW_INSTRUCTIONS, 0, 0, 0}},
    {"pmu10/LLC-loads/", {PERF_TYPE_HW_CACHE, ON_PMU(10) | PERF_COUNT_HW_CACHE_LL, 0, 0, 0}},

    {"r0", {RAW(0)}},
    {"r1a2b", {RAW(0x1a2b)}},
    {"rffffffffffffffff", {RAW(UINT64_MAX)}},
    {"tracepoint:317", {PERF_TYPE_TRACEPOINT, 317, 0, 0, 0}},
    {"tracepoint:18446744073709551615", {PERF_TYPE_TRACEPOINT, UINT64_MAX, 0, 0, 0}},

    {"mem:0x1000:rw", {POINT(0x1000, HW_BREAKPOINT_RW, 4)}},
    {"mem:0xffffffff81000000:w", {POINT(0xffffffff81000000, HW_BREAKPOINT_W, 4)}},
    {"mem:0x1000/1:r", {POINT(0x1000, HW_BREAKPOINT_R, 1)}},
    {"mem:0x1000/8:rw", {POINT(0x1000, HW_BREAKPOINT_RW, 8)}},
    {"mem:0x0:x", {POINT(0, HW_BREAKPOINT_X, 8)}},
    {"mem:0x1000/4:x", {POINT(0x1000, HW_BREAKPOINT_X, 4)}},
    {"mem:0x1000:rwx", {POINT(0x1000, 7, 4)}},
    {"mem:0x1000/0:r", {POINT(0x1000, HW_BREAKPOINT_R, 0)}},

    {"pmu8/config=0x0/", {8, 0, 0, 0, 0}},
    {"pmu8/config=0x12,config1=0x3/", {8, 0x12, 3, 0, 0}},
    {"pmu8/config=0x12,config2=0xff/", {8, 0x12, 0, 0, 0xff}},
    {"pmu4294967295/config=0xffffffffffffffff,config1=0x1,config2=0x2,bp_type=0x3/",
     {UINT32_MAX, UINT64_MAX, 1, 3, 2}},
    /* Values that the shorter forms cannot hold. */
    {"pmu0/config=0xa/", {PERF_TYPE_HARDWARE, 10, 0, 0, 0}},
    {"pmu0/config=0x40000000a/", {PERF_TYPE_HARDWARE, ON_PMU(4) | 10, 0, 0, 0}},
    {"pmu0/config=0x0,config1=0x1/", {PERF_TYPE_HARDWARE, 0, 1, 0, 0}},
    {"pmu1/config=0xc/", {PERF_TYPE_SOFTWARE, 12, 0, 0, 0}},
    {"pmu1/config=0x100000000/", {PERF_TYPE_SOFTWARE, ON_PMU(1), 0, 0, 0}},
    {"pmu2/config=0x13d,config1=0x1/", {PERF_TYPE_TRACEPOINT, 317, 1, 0, 0}},
    {"pmu3/config=0x7/", {PERF_TYPE_HW_CACHE, 7, 0, 0, 0}},
    {"pmu3/config=0x300/", {PERF_TYPE_HW_CACHE, 0x300, 0, 0, 0}},
    {"pmu3/config=0x20000/", {PERF_TYPE_HW_CACHE, 0x20000, 0, 0, 0}},
    {"pmu3/config=0x1000000/", {PERF_TYPE_HW_CACHE, 0x1000000, 0, 0, 0}},
    {"pmu4/config=0x1cd,config1=0x1e/", {PERF_TYPE_RAW, 0x1cd, 0x1e, 0, 0}},
    {"pmu5/config=0x0,config1=0x1000,config2=0x4/", {POINT(0x1000, HW_BREAKPOINT_EMPTY, 4)}},
    {"pmu5/config=0x0,config1=0x1000,config2=0x4,bp_type=0x9/", {POINT(0x1000, 9, 4)}},
    {"pmu5/config=0x1,config1=0x1000,config2=0x4,bp_type=0x3/", {PERF_TYPE_BREAKPOINT, 1, 0x1000, 3, 4}},
};

/* Names that are only read. */
static const struct spelling aliases[] = {
    {"cpu-cycles", {HW(CPU_CYCLES)}},
    {"CYCLES", {HW(CPU_CYCLES)}},
    {"branch-instructions", {HW(BRANCH_INSTRUCTIONS)}},
    {"idle-cycles-frontend", {HW(STALLED_CYCLES_FRONTEND)}},
    {"idle-cycles-backend", {HW(STALLED_CYCLES_BACKEND)}},
    {"faults", {SW(PAGE_FAULTS)}},
    {"cs", {SW(CONTEXT_SWITCHES)}},
    {"migrations", {SW(CPU_MIGRATIONS)}},
    {"CPU-migrations", {SW(CPU_MIGRATIONS)}}, /* as perf wrote it before 3.16 */
    {"L1-dcache", {CACHE(L1D, READ, ACCESS)}},
    {"l1-d-read", {CACHE(L1D, READ, ACCESS)}},
    {"l1d-read-miss", {CACHE(L1D, READ, MISS)}},
    {"L1-data-write-access", {CACHE(L1D, WRITE, ACCESS)}},
    {"l1-i-misses", {CACHE(L1I, READ, MISS)}},
    {"l1i-speculative-read", {CACHE(L1I, PREFETCH, ACCESS)}},
    {"L1-instruction-speculative-load-miss", {CACHE(L1I, PREFETCH, MISS)}},
    {"L2-store", {CACHE(LL, WRITE, ACCESS)}},
    {"LLC-loads-misses", {CACHE(LL, READ, MISS)}},
    {"llc-load-refs", {CACHE(LL, READ, ACCESS)}},
    {"d-tlb-prefetch", {CACHE(DTLB, PREFETCH, ACCESS)}},
    {"Data-TLB-stores-miss", {CACHE(DTLB, WRITE, MISS)}},
    {"i-tlb-ops", {CACHE(ITLB, READ, ACCESS)}},
    {"Instruction-TLB-Reference", {CACHE(ITLB, READ, ACCESS)}},
    {"bpu-loads", {CACHE(BPU, READ, ACCESS)}},
    {"btb-load-misses", {CACHE(BPU, READ, MISS)}},
    {"bpc", {CACHE(BPU, READ, ACCESS)}},
    {"branch", {CACHE(BPU, READ, ACCESS)}},
    {"branches-load-misses", {CACHE(BPU, READ, MISS)}},
    {"node", {CACHE(NODE, READ, ACCESS)}},
    {"pmu4/cpu-cycles/", {PERF_TYPE_HARDWARE, ON_PMU(4), 0, 0, 0}},
    {"pmu0/cycles/", {HW(CPU_CYCLES)}},
    {"pmu4/l1d/", {PERF_TYPE_HW_CACHE, ON_PMU(4), 0, 0, 0}},
    {"r1A2B", {RAW(0x1a2b)}},
    {"r0x1a2b", {RAW(0x1a2b)}},
    {"mem:4096", {POINT(0x1000, HW_BREAKPOINT_RW, 4)}},
    {"mem:0x1000", {POINT(0x1000, HW_BREAKPOINT_RW, 4)}},
    {"mem:0x1000/2", {POINT(0x1000, HW_BREAKPOINT_RW, 2)}},
    {"mem:0x1000/0x8:wr", {POINT(0x1000, HW_BREAKPOINT_RW, 8)}},
    {"pmu1/config=2/", {SW(PAGE_FAULTS)}},
    {"pmu8/config2=1,config=18/", {8, 18, 0, 0, 1}},
    {"pmu8/config1=0x5/", {8, 0, 5, 0, 0}},
    {"pmu5/config1=0x1000,bp_type=3,config2=4/", {POINT(0x1000, HW_BREAKPOINT_RW, 4)}},
};

static const char *const malformed[] = {
    "",
    " ",
    "cycle",
    "cyclesx",
    "cycles:u",
    " cycles",
    "cycles ",
    "-",
    "load",
    "load-misses",
    "L1",
    "L1-dcache-",
    "L1-dcache-load-",
    "L1-dcache-hit",
    "L1-dcache-load-load",
    "L1-dcache-misses-load",
    "L1-dcache-load-miss-miss",
    "L1-dcache--load",
    "LLCloads",
    "r",
    "r0x",
    "rg",
    "r1ffffffffffffffff",
    "r 1",
    "tracepoint",
    "tracepoint:",
    "tracepoint:0x1",
    "tracepoint:-1",
    "tracepoint:18446744073709551616",
    "mem",
    "mem:",
    "mem:0x",
    "mem:r",
    "mem:0x1000:",
    "mem:0x1000:rr",
    "mem:0x1000:q",
    "mem:0x1000:rw:u",
    "mem:0x1000/:r",
    "mem:0x1000/4/4",
    "mem:0x10000000000000000",
    "mem:/4",
    "pmu",
    "pmu/",
    "pmu//",
    "pmu8",
    "pmu8/",
    "pmu8//",
    "pmu/cycles/",
    "pmux/cycles/",
    "pmu4/cycles",
    "pmu4/cycles/u",
    "pmu4/cycles//",
    "pmu0x4/cycles/",
    "pmu4294967296/cycles/",
    "pmu4/page-faults/",
    "pmu8/config/",
    "pmu8/config=/",
    "pmu8/config=0x/",
    "pmu8/config=1,/",
    "pmu8/,config=1/",
    "pmu8/config=1,config=1/",
    "pmu8/config3=1/",
    "pmu8/bp_type=0x100000000/",
    "pmu8/config=0x10000000000000000/",
    "pmu8/cycles,config=1/",
    "syscalls:sys_enter_read",
    "cpu/cycles/",
};

static void assert_same_event(const char *name, const struct pd_event *a, const struct pd_event *b)
{
    if (a->type != b->type || a->config != b->config || a->bp_addr != b->bp_addr ||
        a->bp_type != b->bp_type || a->bp_len != b->bp_len)
        fail_msg("%s: type %u config 0x%llx addr 0x%llx access %u len 0x%llx", name, a->type,
                 (unsigned long long)a->config, (unsigned long long)a->bp_addr, a->bp_type,
                 (unsigned long long)a->bp_len);
}

static size_t format(const struct pd_event *e, char *buf, size_t cap)
{
    return pd_event_format(e->type, e->config, e->bp_addr, e->bp_type, e->bp_len, buf, cap);
}

static void check_read(const char *name, const struct pd_event *expected)
{
    struct pd_event event;

    if (!pd_event_parse(name, strlen(name), &event))
        fail_msg("%s: refused", name);
    assert_same_event(name, &event, expected);
}

static void events_are_spelt_as_by_perf(void **state)
{
    char name[128];

    (void)state;
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        const struct spelling *s = &spellings[i];
        const size_t n = format(&s->event, name, sizeof name);
        assert_string_equal(name, s->name);
        assert_int_equal(n, strlen(name));
        check_read(s->name, &s->event);
    }
}

static void aliases_are_understood(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        check_read(aliases[i].name, &aliases[i].event);
}

static void malformed_names_are_refused(void **state)
{
    const struct pd_event before = {1, 2, 3, 4, 5};

    (void)state;
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        struct pd_event event = before;
        if (pd_event_parse(malformed[i], strlen(malformed[i]), &event))
            fail_msg("understood \"%s\"", malformed[i]);
        assert_same_event(malformed[i], &event, &before);
    }
    struct pd_event event;
    assert_false(pd_event_parse("cycles\0", 7, &event));
    assert_true(pd_event_parse("cycles:u", 6, &event)); /* the length counts, not a NUL */
}

static void names_are_cut_at_the_end_of_the_buffer(void **state)
{
    char name[16];

    (void)state;
    for (size_t cap = 0; cap < sizeof name; cap++) {
        memset(name, '#', sizeof name);
        assert_int_equal(pd_event_format(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0, 0, 0, name, cap),
                         11);
        assert_memory_equal(name, "page-faults", cap > 11 ? 11 : cap ? cap - 1 : 0);
        if (cap)
            assert_int_equal(name[cap > 11 ? 11 : cap - 1], '\0');
        assert_int_equal(name[cap], '#');
    }
    assert_int_equal(pd_event_format(0, 0, 0, 0, 0, NULL, 0), 6);
}

static void events_are_taken_apart(void **state)
{
    const struct pd_event hardware = {PERF_TYPE_HARDWARE, ON_PMU(4) | PERF_COUNT_HW_BUS_CYCLES, 0x11, 0,
                                      0x22};
    const struct pd_event cache = {PERF_TYPE_HW_CACHE, ON_PMU(10) | 0x7f010203, 0, 0, 0};
    const struct pd_event point = {POINT(0x1000, HW_BREAKPOINT_W, 2)};
    struct pd_typed_event t;

    (void)state;
    pd_event_classify(&hardware, &t);
    assert_int_equal(t.kind, PD_EVENT_HARDWARE);
    assert_int_equal(t.u.hardware.id, PERF_COUNT_HW_BUS_CYCLES);
    assert_int_equal(t.u.hardware.pmu_type, 4);
    assert_int_equal(t.config1, 0x11);
    assert_int_equal(t.config2, 0x22);

    pd_event_classify(&cache, &t);
    assert_int_equal(t.kind, PD_EVENT_CACHE);
    assert_int_equal(t.u.cache.id, PERF_COUNT_HW_CACHE_DTLB);
    assert_int_equal(t.u.cache.op, PERF_COUNT_HW_CACHE_OP_PREFETCH);
    assert_int_equal(t.u.cache.result, PERF_COUNT_HW_CACHE_RESULT_MISS);
    assert_int_equal(t.u.cache.reserved, 0x7f);
    assert_int_equal(t.u.cache.pmu_type, 10);

    pd_event_classify(&point, &t);
    assert_int_equal(t.kind, PD_EVENT_BREAKPOINT);
    assert_int_equal(t.u.breakpoint.addr, 0x1000);
    assert_int_equal(t.u.breakpoint.access, HW_BREAKPOINT_W);
    assert_int_equal(t.u.breakpoint.len, 2);
    assert_int_equal(t.config1, 0);
}

static void events_are_built(void **state)
{
    const struct pd_event expected = {CACHE(NODE, WRITE, MISS)};
    struct pd_typed_event t = {.kind = PD_EVENT_CACHE};
    struct pd_event event;

    (void)state;
    t.u.cache.id = PERF_COUNT_HW_CACHE_NODE;
    t.u.cache.op = PERF_COUNT_HW_CACHE_OP_WRITE;
    t.u.cache.result = PERF_COUNT_HW_CACHE_RESULT_MISS;
    pd_event_build(&t, &event);
    assert_same_event("node-store-misses", &event, &expected);

    t = (struct pd_typed_event){.kind = PD_EVENT_PMU, .config2 = 7};
    t.u.pmu.type = 9;
    t.u.pmu.config = UINT64_MAX;
    pd_event_build(&t, &event);
    assert_same_event("pmu9", &event, &(struct pd_event){9, UINT64_MAX, 0, 0, 7});
}

static uint64_t random_word(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Numbers that are often small, often 0 and sometimes anything. */
static uint64_t random_number(uint64_t *seed)
{
    switch (random_word(seed) % 4) {
    case 0: return 0;
    case 1: return random_word(seed) % 16;
    case 2: return (random_word(seed) & 0x0000000f00030307);
    default: return random_word(seed);
    }
}

static uint64_t given_seed(void)
{
    const char *given = getenv("PERFDATA_SEED");
    const uint64_t seed = given ? strtoull(given, NULL, 0) : 20240607;

    print_message("seed %llu\n", (unsigned long long)seed);
    return seed;
}

static void random_events_come_back(void **state)
{
    uint64_t seed = given_seed();

    (void)state;
    for (int round = 0; round < 50000; round++) {
        const struct pd_event event = {(uint32_t)random_number(&seed), random_number(&seed),
                                       random_number(&seed), (uint32_t)random_number(&seed),
                                       random_number(&seed)};
        struct pd_typed_event typed;
        struct pd_event back;
        char name[128];

        memset(&typed, 0xa5, sizeof typed);
        pd_event_classify(&event, &typed);
        pd_event_build(&typed, &back);
        assert_same_event("typed", &back, &event);
        assert_true(format(&event, name, sizeof name) < sizeof name);
        check_read(name, &event);
    }
}

/* Random mutations of good names never crash, and an accepted one has a name that reads back as the same. */
static void random_names_are_survived(void **state)
{
    static const char letters[] = "-:/,=0xrpmu4\0 ";
    uint64_t seed = given_seed();
    char name[128];

    (void)state;
    for (int round = 0; round < 50000; round++) {
        const char *good = spellings[random_word(&seed) % (sizeof spellings / sizeof *spellings)].name;
        const size_t n = strlen(good);
        struct pd_event event;
        memcpy(name, good, n);
        for (uint64_t edits = random_word(&seed) % 3 + 1; edits > 0; edits--)
            name[random_word(&seed) % n] = letters[random_word(&seed) % (sizeof letters - 1)];
        if (!pd_event_parse(name, (size_t)(random_word(&seed) % (n + 1)), &event))
            continue;
        format(&event, name, sizeof name);
        check_read(name, &event);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_spelt_as_by_perf),
        cmocka_unit_test(aliases_are_understood),
        cmocka_unit_test(malformed_names_are_refused),
        cmocka_unit_test(names_are_cut_at_the_end_of_the_buffer),
        cmocka_unit_test(events_are_taken_apart),
        cmocka_unit_test(events_are_built),
        cmocka_unit_test(random_events_come_back),
        cmocka_unit_test(random_names_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
