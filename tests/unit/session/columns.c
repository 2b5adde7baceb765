/* SPDX-License-Identifier: MIT */
/* columns.c - columns of samples of several random events hold what pd_record_get() finds in each record. */
#include "cmocka_all.h"
#include "fuzz/image_sink.h"
#include "seeded.h"
#include <perfdata/constants.h>
#include <perfdata/session/columns.h>
#include <perfdata/session/fields.h>
#include <perfdata/writer.h>

#define EVENTS 4
#define SAMPLES 40
#define MOST_PATHS 64

/* Those behind a point are of parts, and of the header; the scalars of samples come from the schema. */
static const char *const parts[] = {"event",
                                    "header.misc",
                                    "header.size",
                                    "sample.ip",
                                    "read.value",
                                    "read.nr",
                                    "callchain.nr",
                                    "callchain.ips[1]",
                                    "data_src.mem_op",
                                    "branch_stack.entries[0].from",
                                    "branch_stack.hw_idx",
                                    "regs_user.abi",
                                    "regs_user.regs[0]",
                                    "stack_user.dyn_size",
                                    "aux.size",
                                    "read.values[0].value",
                                    "weight_struct.var2_w"};
#define PARTS (sizeof parts / sizeof *parts)

static size_t all_paths(const char **paths)
{
    const struct pd_attr attr = {.sample_type = UINT64_MAX >> 39};
    struct pd_fields it;
    struct pd_field f;
    size_t n = PARTS;
    memcpy(paths, parts, sizeof parts);
    pd_fields_of_type(&it, &attr, PD_RECORD_SAMPLE, 0);
    while (pd_fields_next(&it, &f))
        if (f.kind == PD_FIELD_NUMBER)
            paths[n++] = f.name;
    assert_true(n > PARTS + 15 && n < MOST_PATHS);
    return n;
}

static void write_samples(struct image *im, uint64_t seed, enum pd_order order)
{
    static uint8_t memory[PI_RANDOM_ARENA];
    const struct pd_writer_options options = {.size = sizeof options, .order = order};
    const struct pd_sink sink = image_sink(im);
    struct pi_rng rng = {seed};
    struct pd_plan plan[EVENTS];
    struct pd_writer *w;
    assert_int_equal(pd_writer_open(&w, &sink, &options, NULL), PD_OK);
    for (uint64_t i = 0; i < EVENTS; i++) {
        const uint64_t id = 100 + i;
        struct pd_attr a = {.size = PD_ATTR_SIZE, .sample_type = pi_rng_next(&rng) & (UINT64_MAX >> 39)};
        a.sample_type |= PD_SAMPLE_IDENTIFIER;
        a.read_format = pi_rng_below(&rng, 32);
        a.branch_sample_type = pi_rng_next(&rng) & (PD_BRANCH_SAMPLE_HW_INDEX | PD_BRANCH_SAMPLE_COUNTERS);
        a.sample_regs_user = a.sample_regs_intr = pi_rng_below(&rng, 16);
        pd_plan_init(&plan[i], &a, order);
        assert_int_equal(pd_writer_attr(w, &a, &id, 1, NULL), PD_OK);
    }
    for (size_t i = 0; i < SAMPLES; i++) {
        struct pi_arena arena = {memory, sizeof memory};
        struct pd_record rec, comm = {.type = PD_RECORD_COMM, .attr_index = UINT32_MAX};
        const uint32_t event = (uint32_t)pi_rng_below(&rng, EVENTS);
        assert_true(pi_random_record(&plan[event], PD_RECORD_SAMPLE, &rng, &arena, &rec));
        rec.attr_index = event;
        rec.u.sample.identifier = 100 + event;
        if (rec.u.sample.id)
            rec.u.sample.id = 100 + event;
        assert_int_equal(pd_writer_record(w, &rec, NULL), PD_OK);
        if (i % 7 == 0)
            assert_int_equal(pd_writer_record(w, &comm, NULL), PD_OK);
    }
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
}

static uint64_t value_at(const struct pd_columns *c, size_t i, const void *values, size_t row)
{
    if (pd_columns_width(c, i) == 4 && pd_columns_signed(c, i))
        return (uint64_t)((const int32_t *)values)[row];
    return pd_columns_width(c, i) == 4 ? ((const uint32_t *)values)[row] : ((const uint64_t *)values)[row];
}

static void compare_columns(const struct image *im, const char *const *paths, size_t n, size_t batch)
{
    static uint64_t values[MOST_PATHS][SAMPLES + 1];
    static uint8_t present[MOST_PATHS][SAMPLES + 1];
    void *at[MOST_PATHS];
    uint8_t *there[MOST_PATHS];
    struct pd_columns *c;
    struct pd_reader *r, *one;
    struct pd_record rec = {0};
    size_t got, samples = 0;
    enum pd_code code;
    assert_int_equal(pd_reader_open_memory(&r, im->b, im->n, NULL, NULL), PD_OK);
    assert_int_equal(pd_reader_open_memory(&one, im->b, im->n, NULL, NULL), PD_OK);
    assert_int_equal(pd_columns_new(&c, paths, n, NULL, NULL), PD_OK);
    for (size_t i = 0; i < n; i++) {
        at[i] = values[i];
        there[i] = i % 5 == 4 ? NULL : present[i];
    }
    while ((code = pd_columns_read(c, r, at, batch == 3 ? NULL : there, batch, &got, NULL)) == PD_OK) {
        for (size_t row = 0; row < got; row++) {
            do
                assert_int_equal(pd_reader_next_decoded(one, &rec, NULL), PD_OK);
            while (rec.type != PD_RECORD_SAMPLE);
            samples++;
            for (size_t i = 0; i < n; i++) {
                uint64_t want = 0;
                const bool has = i == 0 || pd_record_get(&rec, paths[i], &want);
                if (i == 0)
                    want = rec.attr_index;
                assert_int_equal(value_at(c, i, at[i], row), has ? want : 0);
                if (batch != 3 && there[i])
                    assert_int_equal(there[i][row], has);
            }
        }
        assert_true(got == batch || samples == SAMPLES);
    }
    assert_int_equal(code, PD_END);
    assert_int_equal(samples, SAMPLES);
    pd_columns_free(c);
    pd_reader_close(one);
    pd_reader_close(r);
}

static void as_records_have_them(void **state)
{
    const char *paths[MOST_PATHS];
    const size_t n = all_paths(paths);
    const uint64_t seed = random_seed(), iterations = random_iterations(40);
    (void)state;
    for (uint64_t i = seed; i < seed + iterations; i++) {
        struct image im = {0};
        write_samples(&im, i, i & 1 ? PD_BIG : PD_LITTLE);
        compare_columns(&im, paths, n, 1);
        compare_columns(&im, paths, n, 3);
        compare_columns(&im, paths, n, SAMPLES + 1);
        image_free(&im);
    }
}

static void widths(void **state)
{
    static const char *const paths[] = {"ip", "pid", "cpu", "event", "header.misc", "time"};
    static const unsigned want[] = {8, 4, 4, 4, 8, 8};
    struct pd_columns *c;
    (void)state;
    assert_int_equal(pd_columns_new(&c, paths, 6, NULL, NULL), PD_OK);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(pd_columns_width(c, i), want[i]);
        assert_int_equal(pd_columns_signed(c, i), i == 1);
    }
    pd_columns_free(c);
    pd_columns_free(NULL);
}

static void refused(void **state)
{
    static const char *const wrong[] = {
        "",         "nonsense", "comm",  "callchain.ips",   "callchain",
        "raw.data", "ip.",      "ip[0]", "callchain.ips[]", "callchain.ips[x]",
        "[1]",      "filename"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *const paths[] = {"ip", wrong[i]};
        struct pd_columns *c;
        struct pd_error error;
        assert_int_equal(pd_columns_new(&c, paths, 2, NULL, &error), PD_EARG);
        assert_int_equal(error.found, 1);
        assert_null(c);
    }
}

/* Damage comes where it is, behind the samples before it; those behind it are read, too. */
static void damaged(void **state)
{
    static const char *const paths[] = {"ip"};
    const struct pd_attr attr = {.size = PD_ATTR_SIZE_VER0,
                                 .sample_type = PD_SAMPLE_IP | PD_SAMPLE_CALLCHAIN};
    uint64_t ips[8];
    void *const at[] = {ips};
    struct image im = {0};
    const struct pd_sink sink = image_sink(&im);
    struct pd_columns *c;
    struct pd_writer *w;
    struct pd_reader *r;
    size_t n;
    (void)state;
    assert_int_equal(pd_writer_open(&w, &sink, NULL, NULL), PD_OK);
    assert_int_equal(pd_writer_attr(w, &attr, NULL, 0, NULL), PD_OK);
    for (uint64_t i = 0; i < 3; i++) {
        const struct pd_record rec = {.type = PD_RECORD_SAMPLE, .u.sample.ip = i};
        assert_int_equal(pd_writer_record(w, &rec, NULL), PD_OK);
    }
    const size_t second = (size_t)pd_writer_data_offset(w) + 24;
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
    im.b[second + 16] = 9; /* entries of its call chain */
    assert_int_equal(pd_reader_open_memory(&r, im.b, im.n, NULL, NULL), PD_OK);
    assert_int_equal(pd_columns_new(&c, paths, 1, NULL, NULL), PD_OK);
    struct pd_error error;
    assert_int_equal(pd_columns_read(c, r, at, NULL, 8, &n, &error), PD_ECOUNT);
    assert_true(n == 1 && ips[0] == 0 && error.offset == second);
    assert_int_equal(pd_columns_read(c, r, at, NULL, 8, &n, &error), PD_OK);
    assert_true(n == 1 && ips[0] == 2);
    assert_int_equal(pd_columns_read(c, r, at, NULL, 8, &n, NULL), PD_END);
    assert_int_equal(n, 0);
    pd_columns_free(c);
    pd_reader_close(r);
    image_free(&im);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_records_have_them),
        cmocka_unit_test(widths),
        cmocka_unit_test(refused),
        cmocka_unit_test(damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
