/* SPDX-License-Identifier: MIT */
/*
 * parse.c - JSON back to records, attrs and features: printed text is read as the same again, missing values
 * are computed, and errors are refused with their place. Checks R9.
 */
#include "cmocka_all.h"
#include "seeded.h"
#include "ops/text/parse_json.h"
#include <perfdata/ops/parse.h>
#include <perfdata/session/text.h>
#include <stdio.h>
#include <string.h>

static uint8_t memory[PI_RANDOM_ARENA], first[UINT16_MAX], second[UINT16_MAX];

struct fixture {
    struct pd_parser *parser;
    struct pd_out out; /* the JSON */
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    f->out.more = pd_out_grow;
    *state = f;
    return pd_parser_open(&f->parser, NULL, NULL) != PD_OK;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    pd_parser_close(f->parser);
    free(f->out.buf);
    free(f);
    return 0;
}

#define FAIL_JSON(f_, seed_, what_)                                                         \
    fail_msg("%s, PERFDATA_SEED=%llu: %s: found %s, expected %s; JSON %.*s", what_,         \
             (unsigned long long)(seed_), pd_parser_error((f_)->parser)->path,              \
             pd_parser_error((f_)->parser)->found, pd_parser_error((f_)->parser)->expected, \
             (int)((f_)->out.n < 3000 ? (f_)->out.n : 3000), (f_)->out.buf)

/* ---- Print and parse. */

/* Prints and parses a decoded record; the bytes are the same. */
static void check_record(struct fixture *f, const struct pd_plan *plan, const uint8_t *bytes, size_t n,
                         uint64_t seed)
{
    struct pd_record rec = {0}, back = {0};
    struct pd_error e;
    size_t size;
    if (pd_record_decode(plan, bytes, n, &rec, NULL))
        return;
    f->out.n = 0;
    pd_record_json(&rec, 0, &f->out);
    if (pd_record_parse(f->parser, plan, f->out.buf, f->out.n, &back))
        FAIL_JSON(f, seed, "parse");
    if (pd_record_encode(plan, &back, second, sizeof second, &size, &e)) {
        char text[256];
        pd_error_text(&e, text, sizeof text);
        FAIL_JSON(f, seed, text);
    }
    if (size != n || memcmp(bytes, second, n) != 0)
        FAIL_JSON(f, seed, "other bytes");
}

static const uint32_t odd_types[] = {0, 23, 63, 100, 32770, UINT32_MAX};

static uint32_t random_type(struct pi_rng *rng)
{
    switch (pi_rng_below(rng, 8)) {
    case 0: return odd_types[pi_rng_below(rng, sizeof odd_types / sizeof *odd_types)];
    case 1: return (uint32_t)(PD_RECORD_SIMPLEPERF_KERNEL_SYMBOL + pi_rng_below(rng, 16));
    case 2:
    case 3: return PD_RECORD_SAMPLE;
    case 4: return (uint32_t)(1 + pi_rng_below(rng, 22));
    default: return (uint32_t)(64 + pi_rng_below(rng, 27));
    }
}

static bool random_plan(struct pi_rng *rng, struct pd_plan *plan)
{
    struct pi_arena arena = {memory, sizeof memory};
    struct pd_attr attr;
    if (!pi_random_attr(rng, &arena, &attr))
        return false;
    pd_plan_init(plan, &attr, pi_rng_one_in(rng, 2) ? PD_BIG : PD_LITTLE);
    return !plan->unknown && !plan->unknown_read;
}

static void records_come_back(void **state)
{
    struct fixture *f = *state;
    const uint64_t n = random_iterations(700);
    for (uint64_t i = 0; i < n; i++) {
        struct pi_rng rng = {random_seed() + i};
        struct pi_arena arena = {memory, sizeof memory};
        struct pd_plan plan;
        struct pd_record rec = {0};
        size_t size;
        if (!random_plan(&rng, &plan) || !pi_random_record(&plan, random_type(&rng), &rng, &arena, &rec))
            continue;
        assert_int_equal(pd_record_encode(&plan, &rec, first, sizeof first, &size, NULL), PD_OK);
        check_record(f, &plan, first, size, random_seed() + i);
        for (int k = 0; k < 3; k++) { /* also with some bytes changed, if that still is a record */
            first[8 + pi_rng_below(&rng, size > 8 ? size - 8 : 1)] ^= (uint8_t)(1u << pi_rng_below(&rng, 8));
            check_record(f, &plan, first, size, random_seed() + i);
        }
    }
}

static void attrs_come_back(void **state)
{
    struct fixture *f = *state;
    for (uint64_t i = 0; i < random_iterations(700); i++) {
        struct pi_rng rng = {random_seed() + i};
        struct pi_arena arena = {memory, sizeof memory};
        struct pd_attr attr, back;
        assert_true(pi_random_attr(&rng, &arena, &attr));
        f->out.n = 0;
        pd_attr_json(&attr, &f->out);
        if (pd_attr_parse(f->parser, f->out.buf, f->out.n, &back))
            FAIL_JSON(f, random_seed() + i, "attr");
        const size_t n = pd_attr_bytes(&attr);
        assert_int_equal(pd_attr_bytes(&back), n);
        assert_int_equal(pd_attr_encode(PD_BIG, &attr, first, n, NULL), PD_OK);
        assert_int_equal(pd_attr_encode(PD_BIG, &back, second, n, NULL), PD_OK);
        assert_memory_equal(first, second, n);
    }
}

static void check_feature(struct fixture *f, enum pd_order order, uint32_t id, uint32_t cpus,
                          const uint8_t *bytes, size_t n, uint64_t seed)
{
    struct pd_feature feature, back;
    size_t size;
    if (pd_feature_decode(order, id, cpus, bytes, n, &feature, NULL))
        return;
    f->out.n = 0;
    pd_feature_json(&feature, &f->out);
    back = (struct pd_feature){.id = id, .variant = feature.variant, .nr_cpus_avail = cpus};
    if (pd_feature_parse_json(f->parser, f->out.buf, f->out.n, &back))
        FAIL_JSON(f, seed, "feature");
    if (pd_feature_encode(order, &back, second, sizeof second, &size, NULL) || size != n ||
        (n && memcmp(second, bytes, n) != 0))
        FAIL_JSON(f, seed, "other bytes");
}

static void features_come_back(void **state)
{
    struct fixture *f = *state;
    for (uint64_t i = 0; i < random_iterations(700); i++) {
        struct pi_rng rng = {random_seed() + i};
        struct pi_arena arena = {memory, sizeof memory};
        const enum pd_order order = pi_rng_one_in(&rng, 2) ? PD_BIG : PD_LITTLE;
        const uint32_t id =
            (uint32_t)(pi_rng_one_in(&rng, 4) ? 128 + pi_rng_below(&rng, 10) : pi_rng_below(&rng, 36));
        const uint32_t cpus = (uint32_t)pi_rng_below(&rng, 5);
        struct pd_feature feature;
        size_t size;
        assert_true(pi_random_feature(&rng, &arena, id, cpus, &feature));
        assert_int_equal(pd_feature_encode(order, &feature, first, sizeof first, &size, NULL), PD_OK);
        check_feature(f, order, id, cpus, first, size, random_seed() + i);
        for (int k = 0; size && k < 3; k++) {
            first[pi_rng_below(&rng, size)] ^= (uint8_t)(1u << pi_rng_below(&rng, 8));
            check_feature(f, order, id, cpus, first, size, random_seed() + i);
        }
    }
}

/* ---- Missing values. */

static const struct pd_attr sampling = {.size = PD_ATTR_SIZE_VER7,
                                        .sample_type = PD_SAMPLE_IP | PD_SAMPLE_TID | PD_SAMPLE_CALLCHAIN |
                                                       PD_SAMPLE_RAW | PD_SAMPLE_REGS_USER |
                                                       PD_SAMPLE_STACK_USER,
                                        .sample_regs_user = 5,
                                        .flags = PD_ATTR_SAMPLE_ID_ALL};

/* Two records in JSON that make the same bytes. */
static void check_same(struct fixture *f, const char *given, const char *full)
{
    struct pd_plan plan;
    struct pd_record a = {0}, b = {0};
    struct pd_error e = {0};
    size_t n_a, n_b;
    pd_plan_init(&plan, &sampling, PD_LITTLE);
    if (pd_record_parse(f->parser, &plan, given, strlen(given), &a))
        fail_msg("%s: %s, %s, %s", given, pd_parser_error(f->parser)->path, pd_parser_error(f->parser)->found,
                 pd_parser_error(f->parser)->expected);
    if (pd_record_encode(&plan, &a, first, sizeof first, &n_a, &e))
        fail_msg("%s: %s", given, e.field);
    assert_int_equal(pd_record_parse(f->parser, &plan, full, strlen(full), &b), PD_OK);
    assert_int_equal(pd_record_encode(&plan, &b, second, sizeof second, &n_b, NULL), PD_OK);
    assert_int_equal(n_a, n_b);
    assert_memory_equal(first, second, n_a);
}

static void counts_are_computed(void **state)
{
    struct fixture *f = *state;
    check_same(f, "{\"type\":3,\"comm\":{\"comm\":{\"hex\":\"4A4b4C4d4E4f\"}}}",
               "{\"type\":3,\"comm\":{\"comm\":\"JKLMNO\"}}");
    check_same(
        f, "{\"type\":\"COMM\",\"comm\":{\"comm\":\"ls\"}}",
        "{\"type\":3,\"misc\":0,\"size\":32,\"comm\":{\"pid\":0,\"tid\":\"0x0\",\"comm\":{\"hex\":\"6c73\"},"
        "\"comm_pad\":\"000000000000\"},\"sample_id\":{\"pid\":0,\"tid\":0}}");
    check_same(
        f,
        "{\"type\":\"SAMPLE\",\"sample\":{\"ip\":\"0x10\",\"callchain\":{\"ips\":[\"USER\",16]},"
        "\"raw\":{\"data\":\"00112233\"},\"regs_user\":{\"regs\":[\"1\",2]},\"stack_user\":{\"data\":"
        "\"0102030405060708\","
        "\"dyn_size\":8}}}",
        "{\"type\":\"SAMPLE\",\"sample\":{\"ip\":16,\"pid\":0,\"callchain\":{\"nr\":\"2\",\"ips\":["
        "\"0xfffffffffffffe00\","
        "\"16\"]},\"raw\":{\"size\":4,\"data\":\"00112233\"},\"regs_user\":{\"abi\":2,\"regs\":[1,\"0x2\"]},"
        "\"stack_user\":{\"size\":\"8\",\"data\":\"0102030405060708\",\"dyn_size\":\"8\"}}}");
    check_same(f, "{\"type\":\"SAMPLE\",\"sample\":{}}",
               "{\"type\":\"SAMPLE\",\"size\":52,\"sample\":{\"stack_user\":{}}}");
    check_same(
        f,
        "{\"type\":\"AUXTRACE_INFO\",\"auxtrace_info\":{\"type\":\"CS_ETM\",\"cs_etm\":{\"header_version\":1,"
        "\"cpus\":[{\"magic\":\"ETMV4\",\"params\":[1,2]}]}}}",
        "{\"type\":\"AUXTRACE_INFO\",\"auxtrace_info\":{\"type\":\"CS_ETM\",\"reserved\":0,\"cs_etm\":{"
        "\"header_version\":1,"
        "\"cpus_and_pmu\":1,\"snapshot\":0,\"cpus\":[{\"magic\":\"0x4040404040404040\",\"cpu\":0,\"nr_"
        "params\":2,"
        "\"params\":[1,2]}]},\"priv\":[]}}");
    check_same(f, "{\"type\":\"TIME_CONV\",\"time_conv\":{\"time_cycles\":7}}",
               "{\"type\":\"TIME_CONV\",\"time_conv\":{\"time_shift\":0,\"time_cycles\":7,\"reserved\":"
               "\"000000000000\"}}");
    check_same(f, "{\"type\":\"HEADER_ATTR\",\"header_attr\":{\"attr\":{\"sample_freq\":99},\"ids\":[1]}}",
               "{\"type\":\"HEADER_ATTR\",\"header_attr\":{\"attr\":{\"size\":128,\"sample_period\":\"99\"},"
               "\"ids\":[\"1\"]}}");
    check_same(
        f,
        "{\"type\":\"HEADER_FEATURE\",\"header_feature\":{\"feat_id\":\"HOSTNAME\"},\"feature\":{\"text\":"
        "\"a\"}}",
        "{\"type\":\"HEADER_FEATURE\",\"header_feature\":{\"feat_id\":\"HOSTNAME\",\"data\":\"4000000061"
        "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
        "0000000000"
        "0000000000000000\"}}");
}

static void features_are_computed(void **state)
{
    struct fixture *f = *state;
    static const struct {
        uint32_t id;
        const char *given, *full;
    } cases[] = {
        {PD_FEAT_CMDLINE, "{\"args\":[{\"text\":\"a\"},{}]}",
         "{\"nr\":2,\"args\":[{\"text\":\"a\"},{\"text\":\"\"}]}"},
        {PD_FEAT_MEM_TOPOLOGY, "{\"nodes\":[{\"size\":64,\"bitmap\":[\"0xff\"]}]}",
         "{\"version\":0,\"nr\":1,\"nodes\":[{\"size\":64,\"bits\":64,\"bitmap\":[255]}]}"},
        {PD_FEAT_BUILD_ID, "{\"entries\":[{\"file\":{\"filename\":\"x\"}}]}",
         "{\"entries\":[{\"size\":44,\"file\":{\"filename\":\"x\"}}]}"},
        {PD_FEAT_EVENT_DESC, "{\"events\":[{\"attr\":{\"config\":1},\"name\":\"e\",\"ids\":[1,2]}]}",
         "{\"nr_events\":1,\"attr_size\":128,\"events\":[{\"attr\":{\"size\":128,\"config\":1},\"nr_ids\":2,"
         "\"name\":\"e\",\"ids\":[1,2]}]}"},
        {PD_FEAT_EVENT_DESC, "{\"events\":[{\"attr\":{\"size\":64,\"config\":1},\"name\":\"e\"}]}",
         "{\"nr_events\":1,\"attr_size\":64,\"events\":[{\"attr\":{\"size\":64,\"config\":1},\"nr_ids\":0,"
         "\"name\":\"e\",\"ids\":[]}]}"},
        {PD_FEAT_CPU_TOPOLOGY, "{\"sockets\":[{\"text\":\"0\"}],\"cpus\":[{}]}",
         "{\"nr_sockets\":1,\"sockets\":[{\"text\":\"0\"}],\"nr_cores\":0,\"cores\":[],\"cpus\":[{\"core_"
         "id\":0,\"socket_id\":0}]}"},
        {PD_FEAT_SIMPLEPERF_FILE2,
         "{\"files\":[{\"message\":{\"fields\":[{\"path\":\"a\"},{\"symbol\":[{\"vaddr\":16},{\"name\":\"f\"}"
         "]},{\"key\":18,\"data\":\"61\"},"
         "{\"dex_file\":[{\"dex_file_offsets\":[{\"value\":300}]},{\"dex_file_offset\":7}]}]}}]}",
         "{\"files\":[{\"size\":21,\"message\":{\"fields\":[{\"key\":\"PATH\",\"path\":\"a\"},{\"key\":34,"
         "\"symbol\":[{\"key\":8,\"vaddr\":\"0x10\"},"
         "{\"key\":\"NAME\",\"name\":\"f\"}]},{\"key\":18,\"data_size\":1,\"data\":\"61\"},{\"key\":\"DEX_"
         "FILE\",\"dex_file\":["
         "{\"key\":\"PACKED_DEX_FILE_OFFSET\",\"dex_file_offsets\":[{\"value\":\"0x12c\"}]},{\"key\":8,\"dex_"
         "file_offset\":7}]}]}}]}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pd_feature a = {.id = cases[i].id}, b = {.id = cases[i].id};
        size_t n_a, n_b;
        if (pd_feature_parse_json(f->parser, cases[i].given, strlen(cases[i].given), &a))
            fail_msg("%s: %s %s", cases[i].given, pd_parser_error(f->parser)->path,
                     pd_parser_error(f->parser)->expected);
        struct pd_error e = {0};
        if (pd_feature_encode(PD_LITTLE, &a, first, sizeof first, &n_a, &e))
            fail_msg("%s: %s", cases[i].given, e.field);
        if (pd_feature_parse_json(f->parser, cases[i].full, strlen(cases[i].full), &b))
            fail_msg("%s: %s %s", cases[i].full, pd_parser_error(f->parser)->path,
                     pd_parser_error(f->parser)->expected);
        assert_int_equal(pd_feature_encode(PD_LITTLE, &b, second, sizeof second, &n_b, NULL), PD_OK);
        assert_int_equal(n_a, n_b);
        assert_memory_equal(first, second, n_a);
    }
}

static void attr_sizes(void **state)
{
    struct fixture *f = *state;
    struct pd_attr a;
    assert_int_equal(pd_attr_parse(f->parser, "{}", 2, &a), PD_OK);
    assert_int_equal(a.size, 128);
    assert_int_equal(pd_attr_parse(f->parser, "{\"config3\":1}", 13, &a), PD_OK);
    assert_int_equal(a.size, 136);
    assert_int_equal(pd_attr_parse(f->parser, "{\"tail\":\"0102030405060708\"}", 27, &a), PD_OK);
    assert_int_equal(a.size, PD_ATTR_SIZE + 8);
    assert_int_equal(pd_attr_parse(f->parser, "{\"size\":0}", 10, &a), PD_OK);
    assert_int_equal(a.size, 0);
}

/* ---- Errors. */

static void wrong_is_refused(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *json, *path, *expected;
    } cases[] = {
        {"", "", "JSON"},
        {"{", "", "JSON"},
        {"[]", "", "an object"},
        {"{\"type\":3} x", "", "JSON"},
        {"{\"type\":3,\"type\":3}", "", "JSON: duplicate"},
        {"{}", "type", "the type of the record"},
        {"{\"type\":\"NONE\"}", "type", "a name of the set record_type"},
        {"{\"type\":-1}", "type", "32 bits"},
        {"{\"type\":4294967296}", "type", "32 bits"},
        {"{\"type\":18446744073709551616}", "", "JSON"},
        {"{\"type\":1.5}", "type", "32 bits"},
        {"{\"type\":true}", "type", "32 bits"},
        {"{\"type\":null}", "type", "32 bits"},
        {"{\"type\":3,\"misc\":65536}", "misc", "16 bits"},
        {"{\"type\":3,\"misc\":\"NOTHING\"}", "misc", "misc_comm"},
        {"{\"type\":3,\"more\":0}", "more", "no such key here"},
        {"{\"type\":3,\"sample\":{}}", "sample", "no such key here"},
        {"{\"type\":3,\"comm\":[]}", "comm", "an object"},
        {"{\"type\":3,\"comm\":{\"x\":0}}", "comm.x", "no such key here"},
        {"{\"type\":3,\"comm\":{\"pid\":\"\"}}", "comm.pid", "a number of 32 bits"},
        {"{\"type\":3,\"comm\":{\"pid\":-2147483649}}", "comm.pid", "a number of 32 bits"},
        {"{\"type\":3,\"comm\":{\"pid\":\"4294967296\"}}", "comm.pid", "a number of 32 bits"},
        {"{\"type\":3,\"comm\":{\"comm\":5}}", "comm.comm", "text"},
        {"{\"type\":3,\"comm\":{\"comm\":{\"hex\":\"6100\"}}}", "comm.comm", "text without a NUL"},
        {"{\"type\":3,\"comm\":{\"comm\":{\"hex\":\"6\"}}}", "comm.comm.hex", "pairs of hexadecimal digits"},
        {"{\"type\":3,\"comm\":{\"comm\":{\"hex\":\"61\",\"x\":1}}}", "comm.comm", "text"},
        {"{\"type\":3,\"comm\":{\"comm\":\"a\",\"comm_pad\":\"zz\"}}", "comm.comm_pad", "hexadecimal"},
        {"{\"type\":3,\"comm\":{\"comm\":\"a\\u0000b\"}}", "", "JSON"},
        {"{\"type\":3,\"comm\":{\"comm\":\"\xff\"}}", "", "JSON"},
        {"{\"type\":3,\"comm\":{\"pid_pad\":\"00\"}}", "comm", "no padding"},
        {"{\"type\":3,\"raw\":\"0\"}", "raw", "hexadecimal"},
        {"{\"type\":3,\"raw\":\"00\",\"size\":8}", "size", "9, for so many bytes"},
        {"{\"type\":3,\"raw\":\"0001020304050607\",\"size\":8}", "size", "16, for so many bytes"},
        {"{\"type\":3,\"raw\":\"00\",\"comm\":{}}", "comm", "no such key here"},
        {"{\"type\":9,\"sample\":{\"time\":1}}", "sample.time", "no such key here"},
        {"{\"type\":9,\"sample\":{\"callchain\":{\"ips\":5}}}", "sample.callchain.ips", "an array"},
        {"{\"type\":9,\"sample\":{\"callchain\":{\"ips\":[1,\"x\"]}}}", "sample.callchain.ips[1]", "64 bits"},
        {"{\"type\":9,\"sample\":{\"callchain\":{\"ips\":[-1]}}}", "sample.callchain.ips[0]", "64 bits"},
        {"{\"type\":9,\"sample\":{\"stack_user\":{\"dyn_size\":8}}}", "sample.stack_user.dyn_size",
         "no such key here"},
        {"{\"type\":\"BPF_EVENT\",\"bpf_event\":{\"tag\":\"00\"}}", "bpf_event.tag", "8 bytes"},
        {"{\"type\":\"THREAD_MAP\",\"thread_map\":{\"entries\":[3]}}", "thread_map.entries[0]", "an object"},
        {"{\"type\":\"THREAD_MAP\",\"thread_map\":{\"entries\":{}}}", "thread_map.entries",
         "an array of objects"},
        {"{\"type\":\"HEADER_ATTR\",\"header_attr\":{\"attr\":{\"sample_freq\":1,\"sample_period\":1}}}",
         "header_attr.attr.sample_freq", "no such key here"},
        {"{\"type\":\"HEADER_FEATURE\",\"header_feature\":{\"feat_id\":3,\"data\":\"00\"},\"feature\":{"
         "\"text\":\"a\"}}",
         "feature", "the same as in the record's bytes"},
        {"{\"type\":\"HEADER_FEATURE\",\"header_feature\":{\"feat_id\":3},\"feature\":{\"txt\":\"a\"}}",
         "feature.txt", "no such key"},
    };
    struct pd_plan plan;
    pd_plan_init(&plan, &sampling, PD_BIG);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pd_record rec = {0};
        const struct pd_parse_error *e = pd_parser_error(f->parser);
        assert_int_equal(pd_record_parse(f->parser, &plan, cases[i].json, strlen(cases[i].json), &rec),
                         PD_EVALUE);
        if (strcmp(e->path, cases[i].path) != 0 || !strstr(e->expected, cases[i].expected))
            fail_msg("%s: at \"%s\", found %s, expected %s", cases[i].json, e->path, e->found, e->expected);
    }
}

/* A value that is too long for a message ends in dots. */
static void long_values_are_shortened(void **state)
{
    struct fixture *f = *state;
    const struct pd_parse_error *e = pd_parser_error(f->parser);
    struct pd_plan plan;
    char json[200];
    pd_plan_init(&plan, &sampling, PD_LITTLE);
    for (int n = 70; n < 100; n++) {
        struct pd_record rec = {0};
        const int size = snprintf(json, sizeof json, "{\"type\":3,\"comm\":{\"pid\":\"%0*dx\"}}", n, 7);
        assert_int_equal(pd_record_parse(f->parser, &plan, json, (size_t)size, &rec), PD_EVALUE);
        assert_string_equal(e->path, "comm.pid");
        assert_memory_equal(e->found, "\"0000", 5);
        const bool fits = n + 3 < (int)sizeof e->found;
        assert_int_equal(strlen(e->found), fits ? n + 3 : (int)sizeof e->found - 1);
        assert_string_equal(e->found + strlen(e->found) - 3, fits ? "7x\"" : "...");
    }
}

/* Given counts must agree: the encoder checks them. */
static void counts_must_agree(void **state)
{
    struct fixture *f = *state;
    static const char *const cases[] = {
        "{\"type\":9,\"sample\":{\"callchain\":{\"nr\":3,\"ips\":[1]}}}",
        "{\"type\":9,\"sample\":{\"raw\":{\"size\":1,\"data\":\"\"}}}",
        "{\"type\":9,\"sample\":{\"regs_user\":{\"regs\":[1]}}}",
        "{\"type\":3,\"size\":9}",
        "{\"type\":\"THREAD_MAP\",\"thread_map\":{\"nr\":1}}",
    };
    struct pd_plan plan;
    pd_plan_init(&plan, &sampling, PD_LITTLE);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pd_record rec = {0};
        size_t n;
        assert_int_equal(pd_record_parse(f->parser, &plan, cases[i], strlen(cases[i]), &rec), PD_OK);
        assert_int_equal(pd_record_encode(&plan, &rec, first, sizeof first, &n, NULL), PD_ECOUNT);
    }
}

/* Text with some characters changed: it is refused, or gives a record that the encoder accepts or refuses. */
static void damage_is_survived(void **state)
{
    struct fixture *f = *state;
    static const char likely[] = "{}[]\",:0123456789-.ehx|";
    for (uint64_t i = 0; i < random_iterations(1500); i++) {
        struct pi_rng rng = {random_seed() + i};
        struct pi_arena arena = {memory, sizeof memory};
        struct pd_plan plan;
        struct pd_record rec = {0}, back = {0};
        size_t n;
        if (!random_plan(&rng, &plan) || !pi_random_record(&plan, random_type(&rng), &rng, &arena, &rec))
            continue;
        f->out.n = 0;
        pd_record_json(&rec, 0, &f->out);
        for (int k = 0; k < 3; k++)
            f->out.buf[pi_rng_below(&rng, f->out.n)] = likely[pi_rng_below(&rng, sizeof likely - 1)];
        if (pd_record_parse(f->parser, &plan, f->out.buf, f->out.n, &back) == PD_OK && !back.raw)
            pd_record_encode(&plan, &back, second, sizeof second, &n, NULL);
    }
}

static void structs(void **state)
{
    struct fixture *f = *state;
    struct pd_file_section s = {0};
    size_t n;
    assert_int_equal(pi_struct_from(f->parser, "no_such", NULL, &s), PD_EARG);
    s = (struct pd_file_section){1, 2};
    assert_int_equal(pi_struct_encode("file_section", PD_BIG, &s, first, sizeof first, &n, NULL), PD_OK);
    assert_int_equal(n, 16);
    assert_int_equal(first[7], 1);
    assert_int_equal(pi_struct_encode("no_such", PD_BIG, &s, first, sizeof first, &n, NULL), PD_EARG);
    assert_int_equal(pi_struct_encode("file_section", PD_BIG, &s, first, 3, &n, NULL), PD_ESPACE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(records_come_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(attrs_come_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(features_come_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(counts_are_computed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(features_are_computed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(attr_sizes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(long_values_are_shortened, set_up, tear_down),
        cmocka_unit_test_setup_teardown(counts_must_agree, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damage_is_survived, set_up, tear_down),
        cmocka_unit_test_setup_teardown(structs, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
