/* SPDX-License-Identifier: MIT */
/*
 * order_random.c - random streams and directories against the rules in their plainest form: insertion into a
 * list, one element at a time. With very little memory, so that everything is spilled and merged again; and
 * with failing allocations. Checks R11.
 */
#include "tests/unit/session/order_stream.h"
#include "src/session/order/sorted_run.h"
#include "heap.h"
#include "seeded.h"
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST 3000

/* A record as the rules see it. */
struct item {
    uint64_t time; /* 0: none */
    uint64_t index, offset;
    uint32_t member;
    bool round, sample;
    uint8_t bytes[40];
    uint16_t size;
};

struct list {
    struct item items[MOST];
    size_t n;
};

static struct list in, want, got, causal;

/* ---- Random streams */

struct shape {
    uint64_t span, step, swing; /* times: a start, by how much they grow, how far they are off */
    uint64_t rounds;            /* one record in so many is the end of a round; 0: none */
    uint64_t others, untimed;   /* one in so many is not a sample, has no time */
    uint64_t rewind;            /* one in so many goes back to the start of its round: another ring buffer */
};

static struct shape random_shape(struct pi_rng *r)
{
    if (pi_rng_one_in(r, 3)) /* the promise of the rounds is kept */
        return (struct shape){.span = 1,
                              .step = 1 + pi_rng_below(r, 9),
                              .rounds = pi_rng_below(r, 300),
                              .rewind = 30,
                              .others = 1 + pi_rng_below(r, 300)};
    const struct shape s = {
        .span = 1 + pi_rng_below(r, 1000),
        .step = pi_rng_below(r, 3) ? 1 + pi_rng_below(r, 20) : 0,
        .swing = pi_rng_below(r, 3)    ? pi_rng_below(r, 50)
                 : pi_rng_one_in(r, 2) ? 100000
                                       : 0,
        .rounds = pi_rng_below(r, 3) ? 2 + pi_rng_below(r, 200) : 0,
        .others = 1 + pi_rng_below(r, 50),
        .untimed = pi_rng_below(r, 3) ? 5 + pi_rng_below(r, 50) : 0,
        .rewind = 2 + pi_rng_below(r, 100),
    };
    return s;
}

static void random_records(struct pi_rng *r, const struct shape *shape, size_t n, struct stream *s)
{
    uint64_t time = shape->span, start = time, most = time;
    for (size_t i = 0; i < n; i++) {
        if (shape->rounds && pi_rng_one_in(r, shape->rounds)) {
            put_round(s);
            start = most;
            continue;
        }
        if (pi_rng_one_in(r, shape->rewind))
            time = start;
        time += shape->step ? pi_rng_below(r, shape->step) : 0;
        most = time > most ? time : most;
        uint64_t t = time + (shape->swing ? pi_rng_below(r, shape->swing) : 0);
        if (shape->untimed && pi_rng_one_in(r, shape->untimed))
            t = pi_rng_one_in(r, 2) ? 0 : UINT64_MAX;
        if (pi_rng_one_in(r, shape->others))
            put_comm(s, t);
        else
            put_sample(s, t);
    }
}

/* ---- The rules */

static struct item item_of(const struct pd_record *rec)
{
    struct item i = {.index = rec->index,
                     .offset = rec->offset,
                     .member = rec->member,
                     .round = rec->type == PD_RECORD_FINISHED_ROUND,
                     .sample = rec->type == PD_RECORD_SAMPLE,
                     .size = rec->size < 40 ? rec->size : 40};
    if (rec->type == PD_RECORD_SAMPLE && word_at(rec->raw + 8) == 1)
        i.time = word_at(rec->raw + rec->size - 8);
    if (rec->type == PD_RECORD_COMM)
        i.time = word_at(rec->raw + rec->size - 16);
    if (i.time == UINT64_MAX)
        i.time = 0;
    memcpy(i.bytes, rec->raw, i.size);
    return i;
}

static void add(struct list *l, const struct item *i)
{
    assert_true(l->n < MOST);
    l->items[l->n++] = *i;
}

/* Moves what is at the front of the queue, up to the limit. */
static void deliver(struct list *queue, uint64_t limit, struct list *out)
{
    size_t n = 0;
    while (n < queue->n && queue->items[n].time <= limit)
        add(out, &queue->items[n++]);
    queue->n -= n;
    memmove(queue->items, queue->items + n, queue->n * sizeof *queue->items);
}

static void by_rounds(const struct list *from, struct list *out)
{
    static struct list queue;
    uint64_t limit = 0;
    out->n = queue.n = 0;
    for (size_t i = 0; i < from->n; i++) {
        const struct item *e = &from->items[i];
        size_t at = queue.n;
        if (e->time == 0)
            add(out, e);
        if (e->round && queue.n) {
            const uint64_t newest = queue.items[queue.n - 1].time;
            deliver(&queue, limit, out);
            limit = newest;
        }
        if (e->time == 0)
            continue;
        add(&queue, e);
        for (; at && queue.items[at - 1].time > e->time; at--)
            queue.items[at] = queue.items[at - 1];
        queue.items[at] = *e;
    }
    deliver(&queue, UINT64_MAX, out);
}

/* By time alone; those without as if they had the limit up to which all was delivered where they stand. */
static void by_time_alone(const struct list *from, struct list *out)
{
    static uint64_t keys[MOST];
    uint64_t done = 0, limit = 0, newest = 0, last = 0;
    bool waiting = false, in_order = true;
    out->n = 0;
    for (size_t i = 0; i < from->n; i++) {
        const struct item *e = &from->items[i];
        if (e->round && waiting) {
            done = limit > done ? limit : done;
            waiting = newest > limit;
            limit = newest;
        }
        if (e->time) {
            in_order &= e->time >= last;
            last = e->time;
            newest = !waiting || e->time > newest ? e->time : newest;
            waiting = true;
        }
        const uint64_t key = e->time ? e->time : done;
        size_t at = out->n;
        add(out, e);
        for (; at && keys[at - 1] > key; at--) {
            keys[at] = keys[at - 1];
            out->items[at] = out->items[at - 1];
        }
        keys[at] = key;
        out->items[at] = *e;
    }
    if (in_order)
        *out = *from;
}

/* ---- What the sorter gives */

static size_t random_memory(struct pi_rng *r)
{
    static const size_t memories[] = {500, 1000, 5000, 50000, 1000000};
    return memories[pi_rng_below(r, sizeof memories / sizeof *memories)];
}

static struct {
    uint64_t runs, passed, waited, late, ahead;
} seen;

/* Takes some of the samples that come next, without a record of each. */
static void take_ahead(struct pd_sorter *s, struct pi_rng *rng, struct list *out)
{
    const struct pi_queue_entry *e;
    const size_t there = pi_sorter_ahead(s, &e);
    const uint64_t most = there ? pi_rng_below(rng, there + 1) : 0;
    size_t n = 0;
    for (; n < most; n++) {
        struct pd_record rec = {0};
        pi_waiting_frame(e[n].waiting, PD_HOST_ORDER, &rec);
        if (rec.type != PD_RECORD_SAMPLE)
            break;
        const struct item i = item_of(&rec);
        add(out, &i);
    }
    seen.ahead += n;
    pi_sorter_pass(s, n);
}

/* With `rng`, some of the samples come ahead of their turn. */
static void read_by(struct pd_reader *r, const struct pd_sorter_options *options, struct pi_rng *rng,
                    struct list *out, struct pd_sorter_stats *stats)
{
    struct pd_sorter *s;
    struct pd_record rec = {0};
    enum pd_code code;
    assert_int_equal(pd_reader_rewind(r, NULL), PD_OK);
    assert_int_equal(pd_sorter_open(&s, r, options, NULL), PD_OK);
    out->n = 0;
    while ((code = pd_sorter_next(s, &rec, NULL)) == PD_OK) {
        const struct item i = item_of(&rec);
        add(out, &i);
        assert_int_equal(rec.attr_index,
                         rec.type == PD_RECORD_SAMPLE || rec.type == PD_RECORD_COMM ? 0 : UINT32_MAX);
        if (rng)
            take_ahead(s, rng, out);
    }
    assert_int_equal(code, PD_END);
    pd_sorter_get_stats(s, stats);
    assert_int_equal(stats->records, out->n);
    pd_sorter_close(s);
}

static void read_all(struct pd_reader *r, enum pd_sort_kind kind, size_t memory, struct list *out,
                     struct pd_sorter_stats *stats)
{
    const struct pd_sorter_options options = {.size = sizeof options, .kind = kind, .memory = memory};
    read_by(r, &options, NULL, out, stats);
}

static bool same_item(const struct item *a, const struct item *b)
{
    return a->time == b->time && a->index == b->index && a->offset == b->offset && a->member == b->member &&
           a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

static void check_same(const struct list *a, const struct list *b, uint64_t seed)
{
    for (size_t i = 0; i < a->n && i < b->n; i++)
        if (!same_item(&a->items[i], &b->items[i]))
            fail_msg(
                "number %zu is record %llu, not %llu; again with PERFDATA_SEED=%llu PERFDATA_ITERATIONS=1", i,
                (unsigned long long)a->items[i].index, (unsigned long long)b->items[i].index,
                (unsigned long long)seed);
    assert_int_equal(a->n, b->n);
}

/* Samples that are taken ahead of their turn are the same, and counted likewise. */
static void check_ahead(struct pd_reader *r, enum pd_sort_kind kind, struct pi_rng *rng, uint64_t seed)
{
    static struct list whole, ahead;
    const struct pd_sorter_options options = {
        .size = sizeof options, .kind = kind, .memory = random_memory(rng)};
    struct pd_sorter_stats one, other;
    read_by(r, &options, NULL, &whole, &one);
    read_by(r, &options, rng, &ahead, &other);
    check_same(&ahead, &whole, seed);
    assert_memory_equal(&one, &other, sizeof one);
}

/* The records with a time and other than SAMPLE, and for each record how many of them are given before it. */
static void places(const struct list *l, uint64_t *place, struct list *others)
{
    others->n = 0;
    for (size_t i = 0; i < l->n; i++) {
        place[l->items[i].index] = others->n;
        if (l->items[i].time && !l->items[i].sample)
            add(others, &l->items[i]);
    }
}

/* PD_SORT_CAUSAL against PD_SORT_TIME: the same side-band, and each sample between the same two. */
static void check_causal(uint64_t seed)
{
    static uint64_t place[2][MOST];
    static struct list others[2];
    places(&want, place[0], &others[0]);
    places(&causal, place[1], &others[1]);
    check_same(&others[1], &others[0], seed);
    assert_int_equal(causal.n, want.n);
    for (size_t i = 0; i < want.n; i++) {
        const struct item *e = &want.items[i];
        if (e->time && e->sample && place[0][e->index] != place[1][e->index])
            fail_msg("sample %llu is at the wrong place; again with PERFDATA_SEED=%llu PERFDATA_ITERATIONS=1",
                     (unsigned long long)e->index, (unsigned long long)seed);
    }
}

static struct {
    uint64_t same, broken;
} windowed;

/* ---- Windows */

/* True if the first reading of PD_SORT_CAUSAL finds that samples may not pass others. */
static bool may_not_pass(const struct list *from)
{
    uint64_t done = 0, limit = 0, newest = 0;
    bool waiting = false, begun = false, found = false;
    for (size_t i = 0; i < from->n; i++) {
        const struct item *e = &from->items[i];
        if (e->round && waiting) {
            done = limit > done ? limit : done;
            waiting = newest > limit;
            limit = newest;
        }
        found |= e->time ? e->time < done : begun && !e->round;
        begun |= e->time != 0;
        if (e->time && (!waiting || e->time > newest))
            newest = e->time;
        waiting |= e->time != 0;
    }
    return found;
}

/*
 * A file of the same records. With a window that has all of them, they are all known before the first is
 * given; with a smaller one, those of few rounds at a time; with the smallest, after a few the rest is read
 * to its end. All give the same.
 */
static void check_windows(const struct stream *records, uint64_t seed)
{
    static const size_t windows[] = {64, 200, 1000, 4000, 20000};
    static struct list whole;
    struct stream s = {0};
    struct pd_sorter_stats stats;
    struct pd_reader *r;
    put_file(&s, PD_ATTR_SAMPLE_ID_ALL, records);
    for (size_t i = 0; i <= sizeof windows / sizeof *windows; i++) {
        const struct pd_reader_options options = {.size = sizeof options, .window = i ? windows[i - 1] : 0};
        assert_int_equal(pd_reader_open_memory(&r, s.bytes, s.n, &options, NULL), PD_OK);
        if (i == 0) {
            read_all(r, PD_SORT_FILE, 0, &in, &stats);
            by_rounds(&in, &want);
        }
        read_all(r, PD_SORT_CAUSAL, 1000000, &causal, &stats);
        check_causal(seed);
        if (i == 0)
            whole = causal;
        else if (!may_not_pass(&in))
            check_same(&causal, &whole, seed);
        windowed.same += i && !may_not_pass(&in);
        windowed.broken += i && may_not_pass(&in);
        pd_reader_close(r);
    }
    drop(&s);
}

static void check_stream(uint64_t seed)
{
    struct pi_rng rng = {seed};
    const struct shape shape = random_shape(&rng);
    struct stream s = {0}, records = {0};
    struct pd_reader *r;
    struct pd_sorter_stats stats;
    with_tasks = seed % 2;
    put_pipe(&s);
    random_records(&rng, &shape, pi_rng_size(&rng, 1 + pi_rng_size(&rng, MOST - 10)), &records);
    put_bytes(&s, records.bytes, records.n);
    assert_int_equal(pd_reader_open_memory(&r, s.bytes, s.n, NULL, NULL), PD_OK);
    read_all(r, PD_SORT_FILE, 0, &in, &stats);
    by_rounds(&in, &want);
    read_all(r, PD_SORT_TIME, random_memory(&rng), &got, &stats);
    check_same(&got, &want, seed);
    seen.runs += stats.runs;
    seen.late += stats.late;
    const uint64_t waited = stats.waited;
    static struct list strict;
    by_time_alone(&in, &strict);
    read_all(r, PD_SORT_STRICT, random_memory(&rng), &got, &stats);
    check_same(&got, &strict, seed);
    assert_int_equal(stats.late, 0);
    read_all(r, PD_SORT_CAUSAL, random_memory(&rng), &causal, &stats);
    check_causal(seed);
    assert_true(stats.waited <= waited);
    seen.passed += waited - stats.waited;
    seen.waited += waited;
    check_ahead(r, PD_SORT_TIME, &rng, seed);
    check_ahead(r, PD_SORT_STRICT, &rng, seed);
    check_ahead(r, PD_SORT_CAUSAL, &rng, seed);
    pd_reader_close(r);
    drop(&s);
    check_windows(&records, seed);
    drop(&records);
}

static void streams(void **state)
{
    (void)state;
    const uint64_t n = random_iterations(25);
    for (uint64_t i = 0; i < n; i++)
        check_stream(random_seed() + i);
    print_message("%llu runs spilled, %llu of %llu samples passed, %llu late\n",
                  (unsigned long long)seen.runs, (unsigned long long)seen.passed,
                  (unsigned long long)seen.waited, (unsigned long long)seen.late);
    print_message("%llu files through windows as whole, %llu broke the promise of the rounds\n",
                  (unsigned long long)windowed.same, (unsigned long long)windowed.broken);
    assert_true(n < 25 || (windowed.same > n / 4 && windowed.broken > n));
    print_message("%llu samples taken ahead of their turn\n", (unsigned long long)seen.ahead);
    assert_true(n < 25 || seen.ahead > n);
    assert_true(n < 25 || (seen.runs > 5 * n && seen.passed > (n < 200 ? n : 5 * n) && seen.late > 5 * n));
}

/* ---- Directories */

static void write_member(const char *dir, size_t i, const struct stream *s)
{
    char path[256];
    if (i)
        snprintf(path, sizeof path, "%s/data.%zu", dir, i);
    else
        snprintf(path, sizeof path, "%s/data", dir);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_true(s->n == 0 || fwrite(s->bytes, s->n, 1, f) == 1);
    assert_int_equal(fclose(f), 0);
}

static void remove_members(const char *dir, size_t n)
{
    char path[256];
    while (n--) {
        snprintf(path, sizeof path, n ? "%s/data.%zu" : "%s/data", dir, n);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(dir), 0);
}

static int by_time(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    return x->time != y->time ? (x->time < y->time ? -1 : 1) : x->index < y->index ? -1 : x->index > y->index;
}

/* Of what has a time, which must be sorted; and what has none keeps its order within its member. */
static void check_merged(uint64_t seed)
{
    static struct list timed;
    uint64_t next[8] = {0};
    timed.n = want.n = 0;
    for (size_t i = 0; i < in.n; i++)
        if (in.items[i].time)
            add(&want, &in.items[i]);
    qsort(want.items, want.n, sizeof *want.items, by_time);
    for (size_t i = 0; i < got.n; i++) {
        const struct item *e = &got.items[i];
        if (e->time) {
            add(&timed, e);
            continue;
        }
        assert_true(e->index >= next[e->member]);
        next[e->member] = e->index + 1;
    }
    check_same(&timed, &want, seed);
    assert_int_equal(got.n, in.n);
}

static void check_directory(uint64_t seed)
{
    struct pi_rng rng = {seed};
    char dir[] = "/tmp/order-XXXXXX";
    struct pd_reader *r;
    struct pd_sorter_stats stats;
    const size_t members = 2 + pi_rng_size(&rng, 6);
    with_tasks = seed % 2;
    assert_non_null(mkdtemp(dir));
    for (size_t i = 0; i < members; i++) {
        struct stream s = {0}, data = {0};
        const struct shape shape = random_shape(&rng);
        random_records(&rng, &shape, pi_rng_size(&rng, MOST / members), &data);
        if (i == 0)
            put_file(&s, PD_ATTR_SAMPLE_ID_ALL, &data);
        write_member(dir, i, i ? &data : &s);
        drop(&data);
        drop(&s);
    }
    assert_int_equal(pd_reader_open(&r, dir, NULL, NULL), PD_OK);
    read_all(r, PD_SORT_FILE, 0, &in, &stats);
    read_all(r, pi_rng_one_in(&rng, 2) ? PD_SORT_TIME : PD_SORT_CAUSAL, random_memory(&rng), &got, &stats);
    check_merged(seed);
    pd_reader_close(r);
    remove_members(dir, members);
}

static void directories(void **state)
{
    (void)state;
    for (uint64_t i = 0, n = random_iterations(8); i < n; i++)
        check_directory(random_seed() + i);
}

/* ---- Failures */

static struct heap memory = {.once = true};

static size_t open_files(void)
{
    size_t n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

/* All up to the failure as it would be without; false: it did not fail. */
static bool fails_at(struct pd_reader *r, enum pd_sort_kind kind, uint64_t at)
{
    const struct pd_allocator allocator = {heap_resize, heap_release, &memory};
    const struct pd_sorter_options options = {.size = sizeof options,
                                              .allocator = &allocator,
                                              .kind = kind,
                                              .memory = kind != PD_SORT_CAUSAL ? 4000 : 60000};
    const size_t files = open_files();
    struct pd_sorter *s;
    struct pd_record rec = {0};
    struct pd_error error;
    size_t n = 0;
    memory.calls = 0;
    memory.fail_at = (size_t)at;
    assert_int_equal(pd_reader_rewind(r, NULL), PD_OK);
    enum pd_code code = pd_sorter_open(&s, r, &options, &error);
    assert_true(code == PD_OK || s == NULL);
    for (; !code && !(code = pd_sorter_next(s, &rec, &error)); n++)
        assert_true(got.items[n].index == rec.index && got.items[n].member == rec.member);
    if (code == PD_ENOMEM && s)
        assert_int_equal(pd_sorter_next(s, &rec, NULL), PD_ENOMEM);
    assert_true(code == PD_END || (code == PD_ENOMEM && error.code == PD_ENOMEM));
    assert_true(code == PD_ENOMEM || n == got.n);
    pd_sorter_close(s);
    assert_int_equal(memory.blocks, 0);
    assert_int_equal(open_files(), files);
    return memory.calls >= at;
}

static void allocations_fail(void **state)
{
    struct pi_rng rng = {random_seed()};
    struct shape shape = {.span = 100, .step = 5, .rounds = 100, .others = 3, .rewind = 20};
    struct stream s = {0}, data = {0};
    struct pd_sorter_stats stats;
    struct pd_reader *r;
    (void)state;
    with_tasks = true;
    put_pipe(&s);
    random_records(&rng, &shape, 400, &s);
    assert_int_equal(pd_reader_open_memory(&r, s.bytes, s.n, NULL, NULL), PD_OK);
    for (enum pd_sort_kind kind = PD_SORT_TIME; kind <= PD_SORT_STRICT; kind++) {
        read_all(r, kind, kind != PD_SORT_CAUSAL ? 4000 : 60000, &got, &stats);
        for (uint64_t n = 1; fails_at(r, kind, n); n++)
            ;
    }
    pd_reader_close(r);
    drop(&s);
    char dir[] = "/tmp/order-XXXXXX";
    assert_non_null(mkdtemp(dir));
    shape.swing = 100;
    random_records(&rng, &shape, 300, &data);
    put_file(&s, PD_ATTR_SAMPLE_ID_ALL, &data);
    write_member(dir, 0, &s);
    write_member(dir, 1, &data);
    assert_int_equal(pd_reader_open(&r, dir, NULL, NULL), PD_OK);
    read_all(r, PD_SORT_TIME, 4000, &got, &stats);
    for (uint64_t n = 1; fails_at(r, PD_SORT_TIME, n); n++)
        ;
    pd_reader_close(r);
    remove_members(dir, 2);
    drop(&s);
    drop(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams),
        cmocka_unit_test(directories),
        cmocka_unit_test(allocations_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
