/* SPDX-License-Identifier: MIT */
/*
 * tasks_collect.c - random recordings: pd_tasks_collect() gives the same state of every task at every record
 * as the single calls that it replaces.
 */
#include "bytes.h"
#include "cmocka_all.h"
#include "seeded.h"
#include <perfdata/ops/gen.h>
#include <perfdata/session/tasks.h>
#include <string.h>

static void make(struct bytes *b, struct pi_rng *r)
{
    static const char *const presets[] = {"server", "build", "tracing"};
    const struct pd_sink sink = {bytes_put, bytes_patch, b};
    struct pd_gen_options o = {.size = sizeof o, .seed = pi_rng_next(r), .count = 1 + pi_rng_below(r, 3000)};
    struct pd_gen *gen;
    o.order = pi_rng_one_in(r, 4) ? PD_BIG : PD_LITTLE;
    o.container = pi_rng_one_in(r, 3) ? PD_CONTAINER_PIPE : PD_CONTAINER_FILE;
    o.compression = pi_rng_one_in(r, 4) ? PD_RECORD_COMPRESSED : 0;
    o.workload = pi_rng_one_in(r, 4) ? NULL : pd_gen_preset(presets[pi_rng_below(r, 3)]);
    o.any = o.workload == NULL && pi_rng_one_in(r, 2);
    b->n = 0;
    assert_int_equal(pd_gen_open(&gen, &sink, &o, NULL), PD_OK);
    assert_int_equal(pd_gen_run(gen, NULL), PD_OK);
    pd_gen_close(gen);
}

static void one_by_one(struct pd_tasks *t, struct pd_reader *r)
{
    struct pd_record rec = {0};
    struct pd_clock clock;
    struct pd_moment when;
    uint32_t pid, tid;
    pd_clock_init(&clock, pd_clock_is_timed(r));
    while (pd_reader_next(r, &rec, NULL) == PD_OK) {
        pd_clock_stamp(&clock, &rec, &when);
        pd_tasks_record(t, &rec, &when, NULL);
        if (rec.type == PD_RECORD_SAMPLE && pd_record_task(&rec, &pid, &tid))
            assert_int_equal(pd_tasks_mention(t, &when, pid, tid, NULL), PD_OK);
    }
}

static uint64_t n_named;

static void compare(const struct pd_tasks *a, const struct pd_tasks *b, struct pd_reader *r)
{
    struct pd_record rec = {0};
    struct pd_clock clock;
    struct pd_moment when;
    pd_clock_init(&clock, pd_clock_is_timed(r));
    assert_int_equal(pd_tasks_n_comms(a), pd_tasks_n_comms(b));
    assert_int_equal(pd_tasks_several(a), pd_tasks_several(b));
    while (pd_reader_next(r, &rec, NULL) == PD_OK) {
        struct pd_task x, y;
        uint32_t ids[2];
        pd_clock_stamp(&clock, &rec, &when);
        if (!pd_record_task(&rec, &ids[0], &ids[1]))
            continue;
        for (int i = 0; i < 2; i++) {
            assert_int_equal(pd_tasks_find(a, &when, ids[i], &x), pd_tasks_find(b, &when, ids[i], &y));
            assert_int_equal(x.pid, y.pid);
            assert_int_equal(x.comm, y.comm);
            n_named += x.comm != PD_COMM_NONE;
        }
    }
}

/* Some samples are of an earlier time, another process or the first thread. */
static void stir(struct bytes *b, struct pi_rng *r)
{
    struct pd_reader *reader;
    struct pd_record rec = {0};
    assert_int_equal(pd_reader_open_memory(&reader, b->p, b->n, NULL, NULL), PD_OK);
    while (pd_reader_next(reader, &rec, NULL) == PD_OK) {
        uint8_t *raw = b->p + (rec.raw - b->p);
        if (rec.type != PD_RECORD_SAMPLE || rec.depth || !rec.plan || !rec.plan->time || !rec.plan->pid ||
            !pi_rng_one_in(r, 20))
            continue;
        if (pi_rng_one_in(r, 2))
            memset(raw + rec.plan->time, (int)pi_rng_below(r, 3), 5);
        else
            raw[rec.plan->pid + 4 * pi_rng_below(r, 2)] = (uint8_t)pi_rng_below(r, 4);
    }
    pd_reader_close(reader);
}

static void same_tasks(void **state)
{
    struct pi_rng r = {random_seed()};
    struct bytes b = {0};
    const uint64_t iterations = random_iterations(12);
    (void)state;
    for (uint64_t i = 0; i < iterations; i++) {
        struct pd_tasks *one, *all;
        struct pd_reader *reader;
        print_message("PERFDATA_SEED=%llu PERFDATA_ITERATIONS=1\n", (unsigned long long)r.state);
        make(&b, &r);
        stir(&b, &r);
        assert_int_equal(pd_reader_open_memory(&reader, b.p, b.n, NULL, NULL), PD_OK);
        assert_int_equal(pd_tasks_new(&one, NULL, NULL), PD_OK);
        assert_int_equal(pd_tasks_new(&all, NULL, NULL), PD_OK);
        one_by_one(one, reader);
        assert_int_equal(pd_reader_rewind(reader, NULL), PD_OK);
        assert_int_equal(pd_tasks_collect(all, reader, NULL), PD_OK);
        assert_int_equal(pd_tasks_finish(one, NULL), PD_OK);
        assert_int_equal(pd_tasks_finish(all, NULL), PD_OK);
        assert_int_equal(pd_reader_rewind(reader, NULL), PD_OK);
        compare(one, all, reader);
        pd_tasks_free(one);
        pd_tasks_free(all);
        pd_reader_close(reader);
    }
    if (iterations >= 12)
        assert_true(n_named > iterations * 160);
    free(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_tasks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
