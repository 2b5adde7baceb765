/* SPDX-License-Identifier: MIT */
/*
 * index_random.c - random recordings with an index, read with and without it: records, their moments, tasks
 * and mappings, and what a filter makes of them, must be the same wherever the times that are asked for are
 * concerned. And an index with a changed byte is refused, or, where its checksum agrees, at least read
 * safely.
 */
#include "bytes.h"
#include "cmocka_all.h"
#include "heap.h"
#include "index_stamp.h"
#include "memory_read.h"
#include "ops/index/block.h"
#include "seeded.h"
#include "src/container/reader/reader_internal.h"
#include <perfdata/ops/gen.h>
#include <perfdata/session/session.h>
#include <perfdata/session/sorter.h>
#include <stdio.h>

static void make(struct bytes *b, struct pi_rng *r)
{
    static const struct pd_gen_weight weights[] = {
        {PD_RECORD_SAMPLE, 400},   {PD_RECORD_COMM, 4},     {PD_RECORD_FORK, 4},
        {PD_RECORD_EXIT, 2},       {PD_RECORD_MMAP2, 8},    {PD_RECORD_MMAP, 2},
        {PD_RECORD_NAMESPACES, 1}, {PD_RECORD_SWITCH, 40},  {PD_RECORD_SWITCH_CPU_WIDE, 40},
        {PD_RECORD_READ, 4},       {PD_RECORD_AUX, 2},      {PD_RECORD_FINISHED_ROUND, 4},
        {PD_RECORD_CGROUP, 2},     {PD_RECORD_AUXTRACE, 1}, {PD_RECORD_LOST, 1},
        {PD_RECORD_ID_INDEX, 1}};
    static const char *const presets[] = {"server", "build", "tracing"};
    static const uint32_t zip[] = {0, PD_RECORD_COMPRESSED, PD_RECORD_COMPRESSED2};
    const struct pd_sink sink = {bytes_put, bytes_patch, b};
    struct pd_gen_options o = {.size = sizeof o, .seed = pi_rng_next(r), .count = 1 + pi_rng_below(r, 5000)};
    struct pd_gen *gen;
    o.order = pi_rng_one_in(r, 8) ? PD_BIG : PD_LITTLE;
    o.workload = pi_rng_one_in(r, 2) ? NULL : pd_gen_preset(presets[pi_rng_below(r, 3)]);
    o.weights = weights;
    o.n_weights = o.workload || pi_rng_one_in(r, 4) ? 0 : sizeof weights / sizeof *weights;
    o.any = pi_rng_one_in(r, 4);
    o.features = pi_rng_one_in(r, 3) ? PD_GEN_FEATURES_NONE : PD_GEN_FEATURES_USUAL;
    o.events = 1 + (unsigned)pi_rng_below(r, 3);
    o.tasks = 2 + (unsigned)pi_rng_below(r, 40);
    o.compression = zip[pi_rng_below(r, 3)];
    o.frame = pi_rng_one_in(r, 8) ? UINT64_MAX : 1 + pi_rng_below(r, 40000);
    b->n = 0;
    assert_int_equal(pd_gen_open(&gen, &sink, &o, NULL), PD_OK);
    assert_int_equal(pd_gen_run(gen, NULL), PD_OK);
    pd_gen_close(gen);
}

/* ---- One reading of a recording */

struct heard {
    uint64_t offset, index, inner, hash, time;
    struct pd_moment when;
    uint32_t type, attr, depth, tid;
    uint16_t size;
    bool timed;
    struct pd_task task;
    char comm[32];
};

struct reading {
    struct pd_reader *reader;
    struct pd_index *index;
    struct bytes file; /* of the index */
    struct pd_tasks *tasks;
    struct heard *all;
    size_t n, cap;
};

static int64_t read_bytes(void *user, uint64_t offset, void *buf, size_t n)
{
    const struct bytes *b = user;
    return memory_read(b->p, b->n, offset, buf, n);
}

static struct pd_source source_of(struct bytes *b)
{
    return (struct pd_source){read_bytes, NULL, b, b->n};
}

static void hear_tasks(struct reading *a)
{
    assert_int_equal(pd_tasks_new(&a->tasks, NULL, NULL), PD_OK);
    assert_int_equal(pd_reader_rewind(a->reader, NULL), PD_OK);
    assert_int_equal(pd_tasks_collect(a->tasks, a->reader, NULL), PD_OK);
    assert_int_equal(pd_tasks_finish(a->tasks, NULL), PD_OK);
}

static void hear_record(struct reading *a, struct pd_record *rec, struct pd_clock *clock)
{
    struct heard *h;
    uint32_t pid;
    if (a->n == a->cap)
        assert_non_null(a->all = realloc(a->all, (a->cap = 2 * a->cap + 1000) * sizeof *a->all));
    h = &a->all[a->n++];
    memset(h, 0, sizeof *h); /* what is between the members is compared, too */
    h->offset = rec->offset;
    h->index = rec->index;
    h->inner = rec->depth ? rec->inner_offset : 0;
    h->hash = XXH3_64bits(rec->raw, rec->size);
    h->type = rec->type;
    h->attr = rec->attr_index;
    h->depth = rec->depth;
    h->size = rec->size;
    h->timed = pd_record_time(rec, &h->time);
    pd_clock_stamp(clock, rec, &h->when);
    if (pd_record_task(rec, &pid, &h->tid)) {
        pd_tasks_find(a->tasks, &h->when, h->tid, &h->task);
        snprintf(h->comm, sizeof h->comm, "%s", pd_tasks_comm(a->tasks, h->task.comm));
        h->task.comm = 0;
    }
}

static void hear(struct reading *a)
{
    struct pd_record rec = {0};
    struct pd_clock clock;
    hear_tasks(a);
    a->n = 0;
    pd_clock_init(&clock, pd_clock_is_timed(a->reader));
    assert_int_equal(pd_reader_rewind(a->reader, NULL), PD_OK);
    while (pd_reader_next(a->reader, &rec, NULL) == PD_OK)
        hear_record(a, &rec, &clock);
    pd_tasks_free(a->tasks);
}

/* ---- Comparing two */

static bool is_wrapper(const struct heard *h)
{
    return h->depth == 0 && (h->type == PD_RECORD_COMPRESSED || h->type == PD_RECORD_COMPRESSED2);
}

/* The first COMPRESSED record of a block is given without its data. */
static void compare_record(const struct heard *all, const struct heard *some)
{
    struct heard same = *some;
    if (is_wrapper(all)) {
        same.size = all->size;
        same.hash = all->hash;
    }
    assert_memory_equal(all, &same, sizeof same);
}

/* Those of other times, and what belongs to them. */
static void compare_left_out(const struct heard *h, const struct pd_time_range *ranges, size_t n,
                             struct pd_index_sums *found)
{
    if (is_wrapper(h))
        return;
    assert_true(h->timed && h->time && !pd_time_match(ranges, n, h->time));
    assert_true(h->type == PD_RECORD_SAMPLE || h->type == PD_RECORD_SWITCH || h->type == PD_RECORD_READ ||
                h->type == PD_RECORD_SWITCH_CPU_WIDE || h->type == PD_RECORD_AUX);
    *(h->type == PD_RECORD_SAMPLE ? &found->samples : &found->others) += 1;
    found->inside += h->depth ? h->size : 0;
}

static void compare_records(const struct reading *all, const struct reading *some,
                            const struct pd_time_range *ranges, size_t n)
{
    struct pd_index_sums sums, found = {0};
    size_t k = 0;
    for (size_t i = 0; i < all->n; i++)
        if (k < some->n && some->all[k].index == all->all[i].index)
            compare_record(&all->all[i], &some->all[k++]);
        else
            compare_left_out(&all->all[i], ranges, n, &found);
    assert_int_equal(k, some->n);
    pd_index_get_sums(some->index, &sums);
    found.blocks = sums.blocks;
    assert_memory_equal(&found, &sums, sizeof sums);
}

struct totals {
    uint64_t n[256], bytes[256];
};

static void add_type(void *user, uint32_t type, uint64_t n, uint64_t bytes)
{
    struct totals *t = user;
    t->n[type % 256] += n;
    t->bytes[type % 256] += bytes;
}

static void compare_types(const struct reading *all, struct reading *some)
{
    struct totals a = {0}, b = {0};
    for (size_t i = 0; i < all->n; i++)
        add_type(&a, all->all[i].type, 1, all->all[i].size);
    for (size_t i = 0; i < some->n; i++)
        add_type(&b, some->all[i].type, 1, some->all[i].size);
    assert_int_equal(pd_index_type_sums(some->index, add_type, &b, NULL), PD_OK);
    assert_memory_equal(&a, &b, sizeof a);
}

static void compare_events(const struct reading *all, struct reading *some)
{
    uint64_t counts[8] = {0};
    assert_int_equal(pd_index_event_sums(some->index, counts, 8, NULL), PD_OK);
    for (size_t i = 0; i < some->n; i++)
        if (some->all[i].type == PD_RECORD_SAMPLE && some->all[i].attr < 8)
            counts[some->all[i].attr]++;
    for (size_t i = 0; i < all->n; i++)
        if (all->all[i].type == PD_RECORD_SAMPLE && all->all[i].attr < 8)
            counts[all->all[i].attr]--;
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(counts[i], 0);
}

/* The samples in the ranges in the order of time, with their tasks and mappings. */
static uint64_t hash_session(struct pd_reader *r, const struct pd_time_range *ranges, size_t n,
                             uint64_t *count)
{
    struct pd_sorter *sorter;
    struct pd_session *session;
    struct pd_record rec = {0};
    uint64_t time, ip, hash = 0;
    uint32_t pid, tid;
    *count = 0;
    assert_int_equal(pd_reader_rewind(r, NULL), PD_OK);
    assert_int_equal(pd_sorter_open(&sorter, r, NULL, NULL), PD_OK);
    assert_int_equal(pd_session_new(&session, NULL, NULL), PD_OK);
    while (pd_sorter_next(sorter, &rec, NULL) == PD_OK) {
        pd_session_record(session, &rec, NULL);
        if (rec.type != PD_RECORD_SAMPLE || !pd_record_time(&rec, &time) || !pd_time_match(ranges, n, time) ||
            !pd_record_task(&rec, &pid, &tid))
            continue;
        const struct pd_session_task *task = pd_session_find_task(session, tid);
        const struct pd_mapping *m = NULL;
        if (pi_word_ip(&rec, &ip))
            m = pd_session_find_mapping(session, pid, ip, rec.misc & PD_MISC_CPUMODE);
        hash = XXH3_64bits_withSeed(&rec.index, sizeof rec.index, hash);
        if (task)
            hash = XXH3_64bits_withSeed(task->comm, strlen(task->comm), hash ^ task->pid);
        if (m)
            hash = XXH3_64bits_withSeed(&m->start, sizeof m->start, hash);
        ++*count;
    }
    pd_session_free(session);
    pd_sorter_close(sorter);
    return hash;
}

static void compare_sessions(struct pd_reader *all, struct pd_reader *some,
                             const struct pd_time_range *ranges, size_t n)
{
    uint64_t a, b;
    assert_int_equal(hash_session(all, ranges, n, &a), hash_session(some, ranges, n, &b));
    assert_int_equal(a, b);
}

/* ---- Filters */

struct filtered {
    enum pd_code code;
    struct bytes out;
    struct pd_filter_stats stats;
    uint64_t findings;
};

static void on_finding(void *user, const struct pd_error *e)
{
    struct filtered *f = user;
    f->findings = f->findings * 31 + e->offset + (uint64_t)e->code;
}

static void filter(struct filtered *f, struct pd_reader *r, const struct pd_filter_options *asked)
{
    const struct pd_sink sink = {bytes_put, bytes_patch, &f->out};
    struct pd_filter_options options = *asked;
    options.finding = on_finding;
    options.user = f;
    f->code = pd_filter(r, &sink, &options, &f->stats, NULL);
}

static void compare_filters(struct pd_reader *all, struct pd_reader *some, const struct pd_filter_options *o)
{
    struct filtered a = {0}, b = {0};
    filter(&a, all, o);
    filter(&b, some, o);
    assert_int_equal(a.code, b.code);
    assert_int_equal(a.findings, b.findings);
    assert_int_equal(a.out.n, b.out.n);
    assert_memory_equal(&a.stats, &b.stats, sizeof a.stats);
    if (a.out.n)
        assert_memory_equal(a.out.p, b.out.p, a.out.n);
    free(a.out.p);
    free(b.out.p);
}

/* What to ask for, of what there is. */
static void choose_ranges(const struct reading *all, struct pi_rng *r, struct pd_time_range *ranges,
                          size_t *n)
{
    *n = 1 + (size_t)pi_rng_below(r, 2);
    for (size_t i = 0; i < *n; i++) {
        const struct heard *h = &all->all[pi_rng_below(r, all->n)];
        const uint64_t start = h->timed && h->time != UINT64_MAX ? h->time : 1000,
                       width = UINT64_C(1) << pi_rng_below(r, 30);
        ranges[i] =
            (struct pd_time_range){pi_rng_one_in(r, 8) ? 0 : start, pi_rng_one_in(r, 8) ? 0 : start + width};
    }
}

static uint64_t n_used, n_left_out;

static void try_ranges(struct reading *all, struct reading *some, struct pi_rng *r)
{
    static const char *const dsos[] = {"[unknown]", "[kernel.kallsyms]", "lib*"};
    static const char *const cgroups[] = {"/", "*s*"};
    struct pd_time_range ranges[2];
    struct pd_cpu_range cpus = {0, (uint32_t)pi_rng_below(r, 4)};
    uint32_t tids[2] = {all->all[pi_rng_below(r, all->n)].tid, all->all[pi_rng_below(r, all->n)].tid};
    const char *comms[2] = {all->all[pi_rng_below(r, all->n)].comm, all->all[pi_rng_below(r, all->n)].comm};
    struct pd_filter_options o = {.size = sizeof o};
    size_t n;
    struct pd_index_sums sums;
    choose_ranges(all, r, ranges, &n);
    if (pd_index_select(some->index, ranges, n, NULL) == PD_EUNSUP)
        return;
    pd_index_get_sums(some->index, &sums);
    n_used++;
    n_left_out += sums.samples;
    hear(some);
    compare_records(all, some, ranges, n);
    compare_events(all, some);
    compare_types(all, some);
    compare_sessions(all->reader, some->reader, ranges, n);
    o.keep.times = ranges;
    o.keep.n_times = n;
    if (pi_rng_one_in(r, 3))
        o.keep.comms = comms, o.keep.n_comms = 2;
    if (pi_rng_one_in(r, 3))
        o.drop.comms = comms + 1, o.drop.n_comms = 1;
    if (pi_rng_one_in(r, 4))
        o.keep.tids = tids, o.keep.n_tids = 2;
    if (pi_rng_one_in(r, 4))
        o.keep.pids = tids, o.keep.n_pids = 2;
    if (pi_rng_one_in(r, 5))
        o.keep.cpus = &cpus, o.keep.n_cpus = 1;
    if (pi_rng_one_in(r, 5))
        o.keep.dsos = dsos, o.keep.n_dsos = 3;
    if (pi_rng_one_in(r, 5))
        o.drop.dsos = dsos + 1, o.drop.n_dsos = 2;
    if (pi_rng_one_in(r, 5))
        o.keep.cgroups = cgroups, o.keep.n_cgroups = 2;
    if (pi_rng_one_in(r, 5))
        o.drop.cgroups = cgroups + 1, o.drop.n_cgroups = 1;
    o.with_children = pi_rng_one_in(r, 4);
    o.sideband = pi_rng_one_in(r, 3) ? PD_SIDEBAND_NONE : PD_SIDEBAND_NEEDED;
    o.every = pi_rng_one_in(r, 6) ? 3 : 0;
    o.limit = pi_rng_one_in(r, 6) ? 20 : 0;
    o.zip = pi_rng_one_in(r, 3) ? PD_ZIP_NONE : PD_ZIP_KEEP;
    compare_filters(all->reader, some->reader, &o);
}

/* First and last times, and all that is left out. */
static void try_none(struct reading *all, struct reading *some)
{
    uint64_t first[2] = {0}, last[2] = {0};
    assert_int_equal(pd_index_select(some->index, NULL, 0, NULL), PD_OK);
    hear(some);
    compare_records(all, some, NULL, 0);
    compare_events(all, some);
    compare_types(all, some);
    assert_int_equal(pd_time_span(all->reader, &first[0], &last[0], NULL),
                     pd_time_span(some->reader, &first[1], &last[1], NULL));
    assert_int_equal(first[0], first[1]);
    assert_int_equal(last[0], last[1]);
}

/* ---- Indexes */

/* False: a recording like this has none. */
static bool build(struct reading *a, const struct bytes *b, struct pi_rng *r)
{
    const struct pd_sink sink = {bytes_put, bytes_patch, &a->file};
    const struct pd_index_options o = {.size = sizeof o, .block = 1 + pi_rng_below(r, 30000)};
    struct pd_source source;
    *a = (struct reading){0};
    assert_int_equal(pd_reader_open_memory(&a->reader, b->p, b->n, NULL, NULL), PD_OK);
    struct pd_index_stats made, stats;
    if (pd_index_build(a->reader, &sink, &o, &made, NULL))
        return false;
    source = source_of(&a->file);
    assert_int_equal(pd_index_open(&a->index, a->reader, &source, NULL, NULL), PD_OK);
    assert_int_equal(pd_index_check(a->index, NULL), PD_OK);
    pd_index_get_stats(a->index, &stats);
    assert_memory_equal(&stats, &made, offsetof(struct pd_index_stats, one_frame));
    assert_int_equal(stats.one_frame, made.one_frame);
    assert_int_equal(stats.size, a->file.n);
    return true;
}

static void close_reading(struct reading *a)
{
    pd_index_close(a->index);
    pd_reader_close(a->reader);
    free(a->file.p);
    free(a->all);
}

static void same_as_without(void **state)
{
    struct pi_rng r = {random_seed()};
    struct bytes b = {0};
    const uint64_t iterations = random_iterations(hurried() ? 10 : 30);
    (void)state;
    for (uint64_t i = 0; i < iterations; i++) {
        struct reading all = {0}, some;
        print_message("PERFDATA_SEED=%llu PERFDATA_ITERATIONS=1\n", (unsigned long long)r.state);
        make(&b, &r);
        assert_int_equal(pd_reader_open_memory(&all.reader, b.p, b.n, NULL, NULL), PD_OK);
        hear(&all);
        if (build(&some, &b, &r)) {
            for (int k = 0; k < 3; k++)
                try_ranges(&all, &some, &r);
            try_none(&all, &some);
        }
        close_reading(&some);
        close_reading(&all);
    }
    if (iterations >= 30)
        assert_true(n_used > iterations && n_left_out > 1000 * iterations);
    free(b.p);
}

/* ---- Damage */

/* Whatever is in it: it is read to the end, and no memory is left. */
static void read_crafted(struct reading *a, struct pd_index *x, const struct pd_time_range *range)
{
    struct pd_record rec = {0};
    uint64_t counts[8] = {0};
    struct filtered f = {0};
    const struct pd_filter_options o = {.size = sizeof o, .keep.times = range, .keep.n_times = 1};
    for (size_t n = 0; n < 2; n++)
        if (pd_index_select(x, range, n, NULL) == PD_OK) {
            uint64_t records = 0;
            while (pd_reader_next(a->reader, &rec, NULL) == PD_OK)
                records++;
            assert_true(records < 1000000);
            pd_index_event_sums(x, counts, 8, NULL);
        }
    if (pd_index_select(x, range, 1, NULL) == PD_OK)
        filter(&f, a->reader, &o);
    free(f.out.p);
}

/* With one byte changed. */
static void open_changed(struct reading *a, struct bytes *file, bool crafted,
                         const struct pd_time_range *range)
{
    struct pd_source source = source_of(file);
    struct heap heap = {0};
    const struct pd_allocator allocator = {heap_resize, heap_release, &heap};
    const struct pd_index_options how = {.size = sizeof how, .allocator = &allocator};
    struct pd_index *x;
    const enum pd_code code = pd_index_open(&x, a->reader, &source, &how, NULL);
    if (!crafted)
        assert_int_not_equal(code, PD_OK);
    if (code == PD_OK)
        read_crafted(a, x, range);
    pd_index_close(x);
    assert_int_equal(heap.blocks, 0);
}

static void changed_bytes(void **state)
{
    struct pi_rng r = {random_seed() + 1};
    struct bytes b = {0}, copy = {0};
    struct reading all = {0}, some;
    struct pd_time_range range[2];
    size_t n;
    (void)state;
    do {
        make(&b, &r);
        if (build(&some, &b, &r) && some.file.n > 4000 && some.file.n < 20000)
            break;
        close_reading(&some);
    } while (true);
    assert_int_equal(pd_reader_open_memory(&all.reader, b.p, b.n, NULL, NULL), PD_OK);
    hear(&all);
    choose_ranges(&all, &r, range, &n);
    const size_t step = full_effort() ? 1 : hurried() ? 97 : 19;
    for (size_t i = 0; i < some.file.n; i += step) {
        copy.n = 0;
        bytes_put(&copy, some.file.p, some.file.n);
        copy.p[i] ^= (uint8_t)(1u << pi_rng_below(&r, 8));
        open_changed(&some, &copy, false, range);
        index_stamp(copy.p, copy.n);
        open_changed(&some, &copy, true, range);
        copy.n = i;
        open_changed(&some, &copy, false, range);
    }
    close_reading(&some);
    close_reading(&all);
    free(copy.p);
    free(b.p);
}

/* The last record inside COMPRESSED ones that a block gives; 0: there is none. */
static size_t find_inside(const struct bytes *file, const struct pi_index_block *block)
{
    size_t at = (size_t)(block->given + pi_index_numbers(block)), found = 0;
    while (at < block->given + block->given_size) {
        struct pi_index_given head;
        pi_index_load(&head, sizeof head, file->p + at);
        if (head.inside)
            found = at;
        at += sizeof head + pi_load16(file->p + at + sizeof head + 6, PD_LITTLE);
    }
    return found;
}

/* True if the index, or reading with it, fails at the place of a record inside a compressed one. */
static bool is_out_of_place(struct reading *a, struct bytes *file)
{
    struct pd_source source = source_of(file);
    struct pd_record rec = {0};
    struct pd_error error = {0};
    struct pd_index *x;
    index_stamp(file->p, file->n);
    enum pd_code code = pd_index_open(&x, a->reader, &source, NULL, &error);
    if (!code)
        code = pd_index_select(x, NULL, 0, &error);
    while (!code)
        code = pd_reader_next(a->reader, &rec, &error);
    pd_index_close(x);
    return code == PD_EVALUE && strcmp(error.field, "place of a record inside a compressed one") == 0;
}

/* The index of a compressed recording. */
static void build_server(struct reading *a, struct bytes *b, struct pi_index_header *header)
{
    struct pi_rng r = {random_seed() + 2};
    const struct pd_sink to = {bytes_put, bytes_patch, b};
    const struct pd_gen_options o = {.size = sizeof o,
                                     .count = 3000,
                                     .workload = pd_gen_preset("server"),
                                     .compression = PD_RECORD_COMPRESSED,
                                     .frame = 4000};
    struct pd_gen *gen;
    assert_int_equal(pd_gen_open(&gen, &to, &o, NULL), PD_OK);
    assert_int_equal(pd_gen_run(gen, NULL), PD_OK);
    pd_gen_close(gen);
    assert_true(build(a, b, &r));
    pi_index_load(header, sizeof *header, a->file.p);
}

/* A record begins before the end of what its block has inflated. */
static void inner_bound(void **state)
{
    struct bytes b = {0};
    struct reading a;
    struct pi_index_header header;
    size_t n = 0;
    (void)state;
    build_server(&a, &b, &header);
    for (uint64_t i = 0; i < header.blocks; i++) {
        struct pi_index_block block;
        pi_index_load(&block, sizeof block, a.file.p + header.table + i * sizeof block);
        const size_t at = find_inside(&a.file, &block);
        if (at == 0)
            continue;
        uint8_t *const inner = a.file.p + at + offsetof(struct pi_index_given, inner);
        const uint64_t before = pi_load64(inner, PD_LITTLE);
        pi_store64(inner, block.inflated, PD_LITTLE);
        assert_true(is_out_of_place(&a, &a.file));
        pi_store64(inner, block.inflated - 1, PD_LITTLE);
        assert_false(is_out_of_place(&a, &a.file));
        pi_store64(inner, before, PD_LITTLE);
        n++;
    }
    assert_true(n > 0);
    close_reading(&a);
    free(b.p);
}

/* What opening an index says that a test has changed; *field stays where it is not refused. */
static enum pd_code open_stamped(struct reading *a, const char **field)
{
    struct pd_source source = source_of(&a->file);
    struct pd_error error = {0};
    struct pd_index *x;
    index_stamp(a->file.p, a->file.n);
    const enum pd_code code = pd_index_open(&x, a->reader, &source, NULL, &error);
    *field = code ? error.field : "";
    pd_index_close(x);
    return code;
}

/* The numbers of a block: of at most 16 types, and of all of them at most its records. */
static void bounds_of_types(void **state)
{
    struct bytes b = {0};
    struct reading a;
    struct pi_index_header header;
    struct pi_index_block block;
    struct pi_index_type type;
    const char *field;
    (void)state;
    build_server(&a, &b, &header);
    pi_index_load(&block, sizeof block, a.file.p + header.table);
    assert_true(block.types > 1 && block.types <= 16);
    uint8_t *at = a.file.p + block.given + block.events * sizeof(struct pi_index_event);
    uint64_t left = block.records;
    for (uint64_t i = 1; i < block.types; i++, at += sizeof type) {
        pi_index_load(&type, sizeof type, at);
        left -= type.records;
    }
    uint8_t *const last = at + offsetof(struct pi_index_type, records);
    const uint64_t before = pi_load64(last, PD_LITTLE);
    pi_store64(last, left, PD_LITTLE);
    assert_int_equal(open_stamped(&a, &field), PD_OK);
    pi_store64(last, left + 1, PD_LITTLE);
    assert_int_equal(open_stamped(&a, &field), PD_EVALUE);
    assert_string_equal(field, "index: records of a type");
    pi_store64(last, before, PD_LITTLE);
    pi_store64(a.file.p + header.table + offsetof(struct pi_index_block, types), 17, PD_LITTLE);
    assert_int_equal(open_stamped(&a, &field), PD_ECOUNT);
    assert_string_equal(field, "index: events");
    close_reading(&a);
    free(b.p);
}

/* The numbers of all blocks together fit in 64 bits. */
static void sums_that_are_too_large(void **state)
{
    static const size_t fields[] = {offsetof(struct pi_index_block, inflated),
                                    offsetof(struct pi_index_block, inside)};
    struct bytes b = {0};
    struct reading a;
    struct pi_index_header header;
    const char *field;
    (void)state;
    build_server(&a, &b, &header);
    assert_true(header.blocks > 1);
    for (size_t i = 0; i < 2; i++) {
        uint8_t *const first = a.file.p + header.table + fields[i];
        uint8_t *const last = first + (header.blocks - 1) * sizeof(struct pi_index_block);
        const uint64_t was[2] = {pi_load64(first, PD_LITTLE), pi_load64(last, PD_LITTLE)};
        pi_store64(first, was[0] ? was[0] : 1, PD_LITTLE);
        pi_store64(last, UINT64_MAX, PD_LITTLE);
        assert_int_equal(open_stamped(&a, &field), PD_EVALUE);
        assert_string_equal(field, "index: sums of a block");
        pi_store64(first, was[0], PD_LITTLE);
        pi_store64(last, was[1], PD_LITTLE);
        assert_int_equal(open_stamped(&a, &field), PD_OK);
    }
    close_reading(&a);
    free(b.p);
}

/* A byte of the recording: it is told by a place, by a block that is read, or does not matter. */
static void changed_recording(void **state)
{
    struct pi_rng r = {random_seed() + 2};
    struct bytes b = {0};
    (void)state;
    for (int i = 0; i < 20; i++) {
        struct reading a, other = {0};
        struct pd_index *x;
        make(&b, &r);
        if (build(&a, &b, &r) && b.n < PI_INDEX_PLACES * PI_INDEX_PLACE) { /* so that all is compared */
            struct pd_source source = source_of(&a.file);
            b.p[pi_rng_below(&r, b.n)] ^= 1;
            if (pd_reader_open_memory(&other.reader, b.p, b.n, NULL, NULL) == PD_OK)
                assert_int_not_equal(pd_index_open(&x, other.reader, &source, NULL, NULL), PD_OK);
        }
        close_reading(&a);
        close_reading(&other);
    }
    free(b.p);
}

/* Each allocation fails once: nothing is left, and the index is whole or there is none. */
static void no_memory(void **state)
{
    struct pi_rng r = {random_seed() + 3};
    struct bytes b = {0}, file = {0};
    const struct pd_sink sink = {bytes_put, bytes_patch, &file};
    struct reading a;
    size_t failed = 0;
    (void)state;
    do {
        make(&b, &r);
        if (build(&a, &b, &r) && a.file.n > 4000)
            break;
        close_reading(&a);
    } while (true);
    for (size_t n = 1; n < 60; n++) {
        struct heap heap = {.fail_at = n};
        const struct pd_allocator allocator = {heap_resize, heap_release, &heap};
        const struct pd_index_options how = {.size = sizeof how, .allocator = &allocator};
        struct pd_source source = source_of(&a.file);
        struct pd_index *x;
        file.n = 0;
        enum pd_code code = pd_index_build(a.reader, &sink, &how, NULL, NULL);
        assert_true(code == PD_OK || code == PD_ENOMEM);
        failed += code == PD_ENOMEM;
        assert_int_equal(heap.blocks, 0);
        heap = (struct heap){.fail_at = n};
        code = pd_index_open(&x, a.reader, &source, &how, NULL);
        assert_true(code == PD_OK || code == PD_ENOMEM);
        failed += code == PD_ENOMEM;
        pd_index_close(x);
        assert_int_equal(heap.blocks, 0);
    }
    assert_true(failed > 10);
    close_reading(&a);
    free(file.p);
    free(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_without),   cmocka_unit_test(changed_bytes),
        cmocka_unit_test(changed_recording), cmocka_unit_test(inner_bound),
        cmocka_unit_test(bounds_of_types),   cmocka_unit_test(sums_that_are_too_large),
        cmocka_unit_test(no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
