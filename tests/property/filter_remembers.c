/* SPDX-License-Identifier: MIT */
/*
 * filter_remembers.c - random recordings, whole and damaged, filtered as it comes, and with what is
 * remembered of the choice cut short or left out, copied by the caller or not, and in three passes that guess
 * nothing. Outputs, statistics and findings must be the same.
 */
#include "bytes.h"
#include "cmocka_all.h"
#include "ops/filter/filter.h"
#include "heap.h"
#include "seeded.h"
#include <perfdata/ops/gen.h>
#include <stdio.h>

/* Records of few tasks, so that tids come again with other processes and names. */
static void make(struct bytes *b, struct pi_rng *r)
{
    static const struct pd_gen_weight weights[] = {
        {PD_RECORD_SAMPLE, 400},   {PD_RECORD_COMM, 4},   {PD_RECORD_FORK, 4},
        {PD_RECORD_EXIT, 2},       {PD_RECORD_MMAP2, 8},  {PD_RECORD_MMAP, 2},
        {PD_RECORD_NAMESPACES, 1}, {PD_RECORD_SWITCH, 4}, {PD_RECORD_FINISHED_ROUND, 4}};
    static const char *const presets[] = {"server", "build", "tracing"};
    const struct pd_sink sink = {bytes_put, bytes_patch, b};
    struct pd_gen_options o = {.size = sizeof o, .seed = pi_rng_next(r), .count = 1 + pi_rng_below(r, 6000)};
    struct pd_gen *gen;
    o.workload = pi_rng_one_in(r, 2) ? NULL : pd_gen_preset(presets[pi_rng_below(r, 3)]);
    o.weights = weights;
    o.n_weights = o.workload || pi_rng_one_in(r, 4) ? 0 : sizeof weights / sizeof *weights;
    o.events = 1 + (unsigned)pi_rng_below(r, 3);
    o.tasks = 2 + (unsigned)pi_rng_below(r, 40);
    o.compression = pi_rng_one_in(r, 4) ? PD_RECORD_COMPRESSED : 0;
    b->n = 0;
    assert_int_equal(pd_gen_open(&gen, &sink, &o, NULL), PD_OK);
    assert_int_equal(pd_gen_run(gen, NULL), PD_OK);
    pd_gen_close(gen);
}

/* Maps that say another process than their thread is of. */
static void confuse_maps(struct bytes *b, struct pi_rng *r)
{
    struct pd_reader *reader;
    struct pd_record rec = {0};
    uint32_t other = 0;
    if (pd_reader_open_memory(&reader, b->p, b->n, NULL, NULL))
        return;
    while (pd_reader_next(reader, &rec, NULL) == PD_OK) {
        const bool maps = rec.type == PD_RECORD_MMAP || rec.type == PD_RECORD_MMAP2;
        if (rec.depth || (!maps && rec.type != PD_RECORD_FORK) || !pi_rng_one_in(r, 3))
            continue;
        uint8_t *const pid = b->p + rec.offset + 8;
        if (maps && other)
            pi_store32(pid, other, pd_reader_info(reader)->order);
        other = pi_load32(pid, pd_reader_info(reader)->order);
    }
    pd_reader_close(reader);
}

/* What to ask for, of what there is. */
struct asked {
    uint32_t pids[2], tids[2];
    char name[2][64];
    const char *names[2];
    struct pd_time_range times[2];
    struct pd_cpu_range cpus[2];
    uint32_t events[1];
    struct pd_filter_lists lists;
};

static void pick(struct asked *a, struct pd_record *rec, struct pi_rng *r)
{
    const size_t i = (size_t)pi_rng_below(r, 2);
    uint64_t time;
    if (rec->plan && rec->type == PD_RECORD_COMM && !pd_record_decode_framed(rec->plan, rec, NULL) &&
        rec->u.comm.comm.len < sizeof a->name[i])
        snprintf(a->name[i], sizeof a->name[i], "%.*s", (int)rec->u.comm.comm.len, rec->u.comm.comm.ptr);
    if (!pi_rng_one_in(r, 1 + rec->index / 4))
        return;
    pd_record_task(rec, &a->pids[i], &a->tids[i]);
    if (pd_record_time(rec, &time))
        a->times[i] = i ? (struct pd_time_range){time, 0} : (struct pd_time_range){time, time + time / 8};
}

static void ask(struct asked *a, const struct bytes *b, struct pi_rng *r)
{
    struct pd_reader *reader;
    struct pd_record rec = {0};
    *a = (struct asked){.names = {a->name[0], a->name[1]}};
    if (pd_reader_open_memory(&reader, b->p, b->n, NULL, NULL))
        return;
    while (pd_reader_next(reader, &rec, NULL) == PD_OK)
        pick(a, &rec, r);
    pd_reader_close(reader);
    if (pi_rng_one_in(r, 3))
        a->lists.pids = a->pids, a->lists.n_pids = 2;
    if (pi_rng_one_in(r, 6))
        a->lists.tids = a->tids, a->lists.n_tids = 2;
    if (pi_rng_one_in(r, 3))
        a->lists.comms = a->names, a->lists.n_comms = 2;
    if (pi_rng_one_in(r, 3))
        a->lists.times = a->times, a->lists.n_times = 1 + (size_t)pi_rng_below(r, 2);
    for (size_t i = 0; i < 2; i++)
        a->cpus[i].last = a->cpus[i].first = (uint32_t)pi_rng_below(r, 8);
    a->events[0] = (uint32_t)pi_rng_below(r, 3);
    if (pi_rng_one_in(r, 5))
        a->lists.cpus = a->cpus, a->lists.n_cpus = 1 + (size_t)pi_rng_below(r, 2);
    if (pi_rng_one_in(r, 5))
        a->lists.events = a->events, a->lists.n_events = 1;
}

/* One run. */
struct run {
    struct pd_allocator allocator;
    struct heap heap;
    size_t most;     /* bytes of what is remembered */
    uint64_t copies; /* what the caller copies, of 4 bytes each; UINT64_MAX: it is not asked */
    uint64_t copied;
    struct bytes out;
    const struct bytes *in;
    struct pd_filter_stats stats;
    uint64_t findings;
    enum pd_code code;
    bool slow; /* each sample is shown to the caller */
};

static void *resize(void *user, void *old, size_t size)
{
    struct run *run = user;
    for (size_t parts = PI_FIRST_PARTS; parts < (size_t)1 << 24; parts *= 2)
        if (size == parts && size > run->most)
            return NULL;
    return heap_resize(&run->heap, old, size);
}

static void release(void *user, void *old)
{
    heap_release(&((struct run *)user)->heap, old);
}

static uint64_t copy(void *user, uint64_t offset, uint64_t n)
{
    struct run *run = user;
    n = n * run->copies / 4;
    assert_true(offset + n <= run->in->n);
    bytes_put(&run->out, run->in->p + offset, (size_t)n);
    run->copied += n;
    return n;
}

static void on_finding(void *user, const struct pd_error *e)
{
    struct run *run = user;
    run->findings = run->findings * 31 + e->offset + (uint64_t)e->code;
}

/* Keeps all; that it is asked makes the filter look at each sample by itself. */
static bool please(void *user, struct pd_record *rec)
{
    (void)user, (void)rec;
    return true;
}

static void filter(struct run *run, const struct bytes *in, const struct pd_filter_lists *keep,
                   const struct pd_filter_lists *drop)
{
    const struct pd_sink sink = {bytes_put, bytes_patch, &run->out};
    struct pd_reader *reader;
    run->in = in;
    run->allocator = (struct pd_allocator){resize, release, run};
    const struct pd_filter_options options = {.size = sizeof options,
                                              .allocator = &run->allocator,
                                              .keep = *keep,
                                              .drop = *drop,
                                              .finding = on_finding,
                                              .predicate = run->slow ? please : NULL,
                                              .user = run,
                                              .copy = run->copies == UINT64_MAX ? NULL : copy};
    if ((run->code = pd_reader_open_memory(&reader, in->p, in->n, NULL, NULL)))
        return;
    run->code = pd_filter(reader, &sink, &options, &run->stats, NULL);
    pd_reader_close(reader);
    assert_int_equal(run->heap.blocks, 0);
}

static uint64_t n_copied;

static void compare(const struct bytes *in, const struct pd_filter_lists *keep,
                    const struct pd_filter_lists *drop, struct pi_rng *r)
{
    static const char *const nobody[] = {"nobody is called this"};
    struct pd_filter_lists named = *drop;
    struct run plain = {.copies = UINT64_MAX, .slow = true};
    if (!named.comms)
        named.comms = nobody, named.n_comms = 1;
    filter(&plain, in, keep, &named);
    for (int i = 0; i < 4; i++) {
        struct run run = {.most = SIZE_MAX, .copies = (uint64_t)i};
        if (i == 3)
            run = (struct run){.most = PI_FIRST_PARTS << pi_rng_below(r, 3), .copies = UINT64_MAX};
        if (i == 2)
            run.copies = 4;
        filter(&run, in, keep, drop);
        assert_int_equal(run.code, plain.code);
        assert_int_equal(run.findings, plain.findings);
        assert_int_equal(run.out.n, plain.out.n);
        assert_memory_equal(&run.stats, &plain.stats, sizeof run.stats);
        if (run.out.n)
            assert_memory_equal(run.out.p, plain.out.p, run.out.n);
        n_copied += run.copied;
        free(run.out.p);
    }
    free(plain.out.p);
}

static void same_as_without(void **state)
{
    struct pi_rng r = {random_seed()};
    struct bytes b = {0};
    struct asked a, dropped;
    const struct pd_filter_lists nothing = {0};
    const uint64_t iterations = random_iterations(250);
    (void)state;
    for (uint64_t i = 0; i < iterations; i++) {
        print_message("PERFDATA_SEED=%llu PERFDATA_ITERATIONS=1\n", (unsigned long long)r.state);
        make(&b, &r);
        if (pi_rng_one_in(&r, 2))
            confuse_maps(&b, &r);
        if (pi_rng_one_in(&r, 4))
            for (uint64_t k = 1 + pi_rng_below(&r, 3); k && b.n > 400; k--)
                b.p[300 + pi_rng_below(&r, b.n - 300)] ^= (uint8_t)(1u << pi_rng_below(&r, 8));
        ask(&a, &b, &r);
        ask(&dropped, &b, &r);
        compare(&b, &a.lists, pi_rng_one_in(&r, 2) ? &nothing : &dropped.lists, &r);
    }
    if (iterations >= 25 && PD_HOST_ORDER == PD_LITTLE) /* others read each record by itself */
        assert_true(n_copied > iterations * 6000);
    free(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_without)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
