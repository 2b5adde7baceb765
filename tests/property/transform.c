/* SPDX-License-Identifier: MIT */
/*
 * transform.c - random recordings of all containers through pd_transform(): keeping, or decoding and
 * encoding, all records gives the output of pd_filter(); the output shows dropped, added and changed records;
 * truncation and damage are reported; and all memory is freed when it runs out. Checks R10, R11.
 */
#include "bytes.h"
#include "cmocka_all.h"
#include "heap.h"
#include "seeded.h"
#include <perfdata/ops/filter.h>
#include <perfdata/ops/gen.h>
#include <perfdata/ops/transform.h>

static struct pd_sink sink_of(struct bytes *b)
{
    b->n = 0;
    return (struct pd_sink){bytes_put, bytes_patch, b};
}

static void make(struct bytes *b, struct pi_rng *r)
{
    const struct pd_sink sink = sink_of(b);
    struct pd_gen_options o = {.size = sizeof o, .seed = pi_rng_next(r), .count = 1 + pi_rng_below(r, 400)};
    struct pd_gen *gen;
    o.container = pi_rng_one_in(r, 2) ? PD_CONTAINER_PIPE : PD_CONTAINER_FILE;
    o.order = pi_rng_one_in(r, 3) ? PD_BIG : PD_LITTLE;
    o.compression = pi_rng_one_in(r, 3) ? PD_RECORD_COMPRESSED : 0;
    o.any = pi_rng_one_in(r, 4);
    assert_int_equal(pd_gen_open(&gen, &sink, &o, NULL), PD_OK);
    assert_int_equal(pd_gen_run(gen, NULL), PD_OK);
    pd_gen_close(gen);
}

struct plan {
    enum pd_transform_verdict others, samples;
    uint64_t calls, stop_at; /* 0: never */
    bool add, change;
    uint64_t added, encoded;
};

static enum pd_transform_verdict decide(void *user, struct pd_transform_run *t, struct pd_record *rec,
                                        struct pd_error *error)
{
    struct plan *p = user;
    const bool is_sample = rec->type == PD_RECORD_SAMPLE;
    enum pd_transform_verdict verdict = is_sample ? p->samples : p->others;
    if (++p->calls == p->stop_at)
        return PD_TRANSFORM_STOP;
    if (p->add && is_sample && rec->attr_index == 0) {
        const struct pd_record comm = {.type = PD_RECORD_COMM,
                                       .attr_index = UINT32_MAX,
                                       .u.comm = {.pid = 77, .tid = 78, .comm = PD_STR("added")}};
        if (pd_transform_add(t, &comm, error))
            return PD_TRANSFORM_FAIL;
        p->added++;
    }
    if (verdict == PD_TRANSFORM_ENCODE && pd_transform_decode(t, rec, error))
        verdict = PD_TRANSFORM_KEEP;
    if (p->change && verdict == PD_TRANSFORM_ENCODE && is_sample)
        rec->u.sample.ip ^= 0x5555;
    p->encoded += verdict == PD_TRANSFORM_ENCODE;
    return verdict;
}

static void count_finding(void *user, const struct pd_error *what)
{
    (void)user;
    assert_int_not_equal(what->code, PD_OK);
}

static enum pd_code transform_bytes(const struct bytes *in, struct bytes *out, struct plan *p,
                                    struct pd_transform_stats *stats, const struct pd_allocator *allocator)
{
    const struct pd_transform_options o = {
        .size = sizeof o, .allocator = allocator, .record = decide, .finding = count_finding, .user = p};
    const struct pd_reader_options how = {.size = sizeof how, .allocator = allocator};
    const struct pd_sink sink = sink_of(out);
    struct pd_reader *r;
    enum pd_code code = pd_reader_open_memory(&r, in->p, in->n, &how, NULL);
    if (code)
        return code;
    code = pd_transform(r, &sink, &o, stats, NULL);
    pd_reader_close(r);
    return code;
}

static void filter_all(const struct bytes *in, struct bytes *out)
{
    const struct pd_filter_options o = {.size = sizeof o, .sideband = PD_SIDEBAND_ALL};
    const struct pd_sink sink = sink_of(out);
    struct pd_reader *r;
    assert_int_equal(pd_reader_open_memory(&r, in->p, in->n, NULL, NULL), PD_OK);
    assert_int_equal(pd_filter(r, &sink, &o, NULL, NULL), PD_OK);
    pd_reader_close(r);
}

/* What a reader finds in it. */
struct content {
    uint64_t records, samples, added, ips;
};

static struct content content_of(const struct bytes *b)
{
    struct content c = {0};
    struct pd_record rec = {0};
    struct pd_reader *r;
    assert_int_equal(pd_reader_open_memory(&r, b->p, b->n, NULL, NULL), PD_OK);
    while (pd_reader_next(r, &rec, NULL) == PD_OK) {
        if (rec.type == PD_RECORD_COMPRESSED || rec.type == PD_RECORD_COMPRESSED2)
            continue;
        c.records++;
        if (pd_reader_decode(r, &rec, NULL))
            continue;
        if (rec.type == PD_RECORD_SAMPLE) {
            c.samples++;
            c.ips = c.ips * 31 + rec.u.sample.ip;
        }
        c.added += rec.type == PD_RECORD_COMM && rec.u.comm.pid == 77 && rec.u.comm.tid == 78;
    }
    pd_reader_close(r);
    return c;
}

static void same(const struct bytes *a, const struct bytes *b)
{
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->p, b->p, a->n);
}

static void check_one(const struct bytes *in, struct pi_rng *r)
{
    struct bytes want = {0}, out = {0}, back = {0};
    struct pd_transform_stats stats;
    struct plan keep = {.others = PD_TRANSFORM_KEEP, .samples = PD_TRANSFORM_KEEP},
                encode = {.others = PD_TRANSFORM_ENCODE, .samples = PD_TRANSFORM_ENCODE};
    struct plan drop = {.others = PD_TRANSFORM_KEEP, .samples = PD_TRANSFORM_DROP};
    struct plan change = {.others = PD_TRANSFORM_KEEP, .samples = PD_TRANSFORM_ENCODE, .change = true};
    struct plan add = {.others = PD_TRANSFORM_KEEP, .samples = PD_TRANSFORM_KEEP, .add = true};
    filter_all(in, &want);
    const struct content all = content_of(in);
    assert_int_equal(transform_bytes(in, &out, &keep, &stats, NULL), PD_OK);
    same(&out, &want);
    assert_int_equal(stats.records, all.records);
    assert_int_equal(stats.kept, all.records);
    assert_int_equal(transform_bytes(in, &out, &encode, &stats, NULL), PD_OK);
    same(&out, &want);
    assert_int_equal(stats.encoded, encode.encoded);
    assert_int_equal(transform_bytes(in, &out, &drop, &stats, NULL), PD_OK);
    assert_int_equal(content_of(&out).samples, 0);
    assert_int_equal(content_of(&out).records, all.records - stats.dropped);
    assert_int_equal(transform_bytes(in, &out, &add, &stats, NULL), PD_OK);
    assert_int_equal(content_of(&out).added, add.added);
    assert_int_equal(content_of(&out).ips, all.ips);
    assert_int_equal(stats.added, add.added);
    assert_int_equal(transform_bytes(in, &out, &change, &stats, NULL), PD_OK); /* and back */
    assert_int_equal(transform_bytes(&out, &back, &change, &stats, NULL), PD_OK);
    same(&back, &want);
    struct plan stop = keep;
    stop.calls = 0;
    stop.stop_at = 1 + pi_rng_below(r, all.records);
    assert_int_equal(transform_bytes(in, &out, &stop, &stats, NULL), PD_OK);
    assert_int_equal(stats.records, stop.stop_at);
    free(want.p);
    free(out.p);
    free(back.p);
}

static void containers(void **state)
{
    struct pi_rng r = {random_seed()};
    const uint64_t iterations = random_iterations(30);
    struct bytes in = {0};
    (void)state;
    for (uint64_t i = 0; i < iterations; i++) {
        print_message("PERFDATA_SEED=%llu PERFDATA_ITERATIONS=1\n", (unsigned long long)r.state);
        make(&in, &r);
        check_one(&in, &r);
    }
    free(in.p);
}

/* Damaged or cut, it ends, or is refused; what is written is whole. */
static void damaged(void **state)
{
    struct pi_rng r = {random_seed()};
    const uint64_t iterations = random_iterations(200);
    struct bytes in = {0}, out = {0};
    (void)state;
    for (uint64_t i = 0; i < iterations; i++) {
        struct plan p = {.others = PD_TRANSFORM_ENCODE, .samples = PD_TRANSFORM_ENCODE};
        struct pd_transform_stats stats;
        struct heap heap = {0};
        const struct pd_allocator allocator = {heap_resize, heap_release, &heap};
        if (i % 20 == 0)
            make(&in, &r);
        const size_t n = in.n, at = (size_t)pi_rng_below(&r, n);
        const uint8_t was = in.p[at];
        if (pi_rng_one_in(&r, 2))
            in.n = at;
        else
            in.p[at] ^= (uint8_t)(1u << pi_rng_below(&r, 8));
        heap.fail_at = pi_rng_one_in(&r, 3) ? 1 + (size_t)pi_rng_below(&r, 60) : 0;
        if (transform_bytes(&in, &out, &p, &stats, &allocator) == PD_OK && out.n)
            content_of(&out);
        assert_int_equal(heap.blocks, 0);
        in.n = n;
        in.p[at] = was;
    }
    free(in.p);
    free(out.p);
}

static enum pd_transform_verdict undecoded(void *user, struct pd_transform_run *t, struct pd_record *rec,
                                           struct pd_error *error)
{
    (void)user, (void)t, (void)rec, (void)error;
    return PD_TRANSFORM_ENCODE;
}

static enum pd_transform_verdict refused(void *user, struct pd_transform_run *t, struct pd_record *rec,
                                         struct pd_error *error)
{
    (void)user, (void)t;
    *error = (struct pd_error){.code = PD_EUNSUP, .offset = rec->offset, .field = "what I refuse"};
    return PD_TRANSFORM_FAIL;
}

/* Adds a record of an event that is not there. */
static enum pd_transform_verdict of_no_event(void *user, struct pd_transform_run *t, struct pd_record *rec,
                                             struct pd_error *error)
{
    const struct pd_record made = {.type = PD_RECORD_LOST, .attr_index = UINT32_MAX - 1};
    (void)user, (void)rec;
    assert_int_equal(pd_transform_add(t, &made, error), PD_EARG);
    assert_string_equal(error->field, "attr_index");
    assert_int_equal(error->found, UINT32_MAX - 1);
    return PD_TRANSFORM_FAIL;
}

static void errors(void **state)
{
    struct pi_rng r = {7};
    struct bytes in = {0}, out = {0};
    struct pd_transform_options o = {.size = sizeof o, .record = undecoded};
    struct pd_error error;
    struct pd_reader *reader;
    (void)state;
    make(&in, &r);
    const struct pd_sink sink = sink_of(&out);
    assert_int_equal(pd_reader_open_memory(&reader, in.p, in.n, NULL, NULL), PD_OK);
    assert_int_equal(pd_transform(reader, &sink, &o, NULL, &error), PD_EARG);
    assert_int_equal(pd_reader_rewind(reader, NULL), PD_OK);
    o.record = refused;
    assert_int_equal(pd_transform(reader, &sink, &o, NULL, &error), PD_EUNSUP);
    assert_string_equal(error.field, "what I refuse");
    assert_int_equal(pd_reader_rewind(reader, NULL), PD_OK);
    o.record = of_no_event;
    assert_int_equal(pd_transform(reader, &sink, &o, NULL, &error), PD_EARG);
    pd_reader_close(reader);
    free(in.p);
    free(out.p);
}

/* ---- What a caller writes into a record is not in the next one */

static enum pd_transform_verdict weigh(void *user, struct pd_transform_run *t, struct pd_record *rec,
                                       struct pd_error *error)
{
    uint64_t *samples = user;
    if (rec->type != PD_RECORD_SAMPLE || pd_transform_decode(t, rec, error) ||
        rec->attr->sample_type & (PD_SAMPLE_WEIGHT | PD_SAMPLE_WEIGHT_STRUCT))
        return PD_TRANSFORM_KEEP;
    assert_int_equal(rec->u.sample.weight, 0);
    rec->u.sample.weight = 42;
    ++*samples;
    return PD_TRANSFORM_ENCODE;
}

static void fields_it_does_not_have(void **state)
{
    struct pi_rng r = {5};
    struct bytes in = {0}, out = {0};
    struct pd_record rec = {0};
    uint64_t samples = 0, seen = 0;
    const struct pd_transform_options o = {.size = sizeof o, .record = weigh, .user = &samples};
    struct pd_reader *reader;
    (void)state;
    while (samples < 100) {
        const struct pd_sink sink = sink_of(&out);
        make(&in, &r);
        assert_int_equal(pd_reader_open_memory(&reader, in.p, in.n, NULL, NULL), PD_OK);
        assert_int_equal(pd_transform(reader, &sink, &o, NULL, NULL), PD_OK);
        pd_reader_close(reader);
        assert_int_equal(out.n, in.n); /* encoding leaves it out */
        assert_memory_equal(out.p, in.p, in.n);
    }
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(pd_reader_open_memory(&reader, in.p, in.n, NULL, NULL), PD_OK);
        while ((i ? pd_reader_next_decoded : pd_reader_next)(reader, &rec, NULL) == PD_OK) {
            if (rec.type != PD_RECORD_SAMPLE || (i ? !rec.decoded : pd_reader_decode(reader, &rec, NULL)) ||
                rec.attr->sample_type & (PD_SAMPLE_WEIGHT | PD_SAMPLE_WEIGHT_STRUCT))
                continue;
            assert_int_equal(rec.u.sample.weight, 0);
            rec.u.sample.weight = 42;
            pd_record_changed(&rec);
            seen++;
        }
        pd_reader_close(reader);
    }
    assert_true(seen > 3);
    free(in.p);
    free(out.p);
}

/* ---- The same choice by pd_filter()'s predicate and by a transform */

static bool odd_ip(void *user, struct pd_record *rec)
{
    (void)user;
    return rec->plan && !pd_record_decode_framed(rec->plan, rec, NULL) && rec->u.sample.ip % 2;
}

static enum pd_transform_verdict drop_even(void *user, struct pd_transform_run *t, struct pd_record *rec,
                                           struct pd_error *error)
{
    (void)t, (void)error;
    return rec->type != PD_RECORD_SAMPLE || odd_ip(user, rec) ? PD_TRANSFORM_KEEP : PD_TRANSFORM_DROP;
}

static void predicate(void **state)
{
    struct pi_rng r = {random_seed()};
    struct bytes in = {0}, by_filter = {0}, by_transform = {0};
    (void)state;
    for (uint64_t i = random_iterations(20); i; i--) {
        const struct pd_filter_options filter = {
            .size = sizeof filter, .sideband = PD_SIDEBAND_ALL, .predicate = odd_ip};
        const struct pd_transform_options transform = {.size = sizeof transform, .record = drop_even};
        struct pd_reader *reader;
        make(&in, &r);
        struct pd_sink sink = sink_of(&by_filter);
        assert_int_equal(pd_reader_open_memory(&reader, in.p, in.n, NULL, NULL), PD_OK);
        assert_int_equal(pd_filter(reader, &sink, &filter, NULL, NULL), PD_OK);
        assert_int_equal(pd_reader_rewind(reader, NULL), PD_OK);
        sink = sink_of(&by_transform);
        assert_int_equal(pd_transform(reader, &sink, &transform, NULL, NULL), PD_OK);
        pd_reader_close(reader);
        same(&by_filter, &by_transform);
    }
    free(in.p);
    free(by_filter.p);
    free(by_transform.p);
}

/* ---- SAMPLE_TIME is the input's until a sample goes */

static void make_timed(struct bytes *b, unsigned n_samples)
{
    const struct pd_sink sink = sink_of(b);
    const struct pd_attr attr = {.type = PD_TYPE_SOFTWARE, .sample_type = PD_SAMPLE_TIME};
    const struct pd_feature times = {.id = PD_FEAT_SAMPLE_TIME, .u.sample_time = {5, 900}};
    struct pd_writer *w;
    assert_int_equal(pd_writer_open(&w, &sink, NULL, NULL), PD_OK);
    assert_int_equal(pd_writer_attr(w, &attr, NULL, 0, NULL), PD_OK);
    for (unsigned i = 0; i < n_samples; i++) {
        const bool last = i + 1 == n_samples; /* whose time is not known */
        const struct pd_record rec = {.type = PD_RECORD_SAMPLE, .u.sample.time = last ? UINT64_MAX : 10 + i};
        assert_int_equal(pd_writer_record(w, &rec, NULL), PD_OK);
    }
    assert_int_equal(pd_writer_put_feature(w, &times, NULL), PD_OK);
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
}

static enum pd_transform_verdict drop_first(void *user, struct pd_transform_run *t, struct pd_record *rec,
                                            struct pd_error *error)
{
    (void)user, (void)t, (void)error;
    return rec->index == 0 ? PD_TRANSFORM_DROP : PD_TRANSFORM_KEEP;
}

static enum pd_transform_verdict encode_as_it_is(void *user, struct pd_transform_run *t,
                                                 struct pd_record *rec, struct pd_error *error)
{
    (void)user;
    return pd_transform_decode(t, rec, error) ? PD_TRANSFORM_FAIL : PD_TRANSFORM_ENCODE;
}

static void has_times(const struct bytes *b, uint64_t first, uint64_t last)
{
    struct pd_reader *r;
    struct pd_feature f;
    uint8_t bytes[16];
    assert_int_equal(pd_reader_open_memory(&r, b->p, b->n, NULL, NULL), PD_OK);
    const struct pd_feature_section *at = pd_reader_find_feature(r, PD_FEAT_SAMPLE_TIME);
    assert_int_equal(pd_reader_read(r, at->section.offset, bytes, sizeof bytes, NULL), PD_OK);
    assert_int_equal(pd_feature_decode(pd_reader_info(r)->order, PD_FEAT_SAMPLE_TIME, 0, bytes, 16, &f, NULL),
                     PD_OK);
    assert_true(f.u.sample_time.first == first && f.u.sample_time.last == last);
    pd_reader_close(r);
}

/* AUX traces have no samples: perf makes them, by the times of this feature. */
static void time_of_samples(void **state)
{
    struct bytes in = {0}, out = {0};
    struct plan keep = {.others = PD_TRANSFORM_KEEP, .samples = PD_TRANSFORM_KEEP};
    struct pd_transform_stats stats;
    (void)state;
    for (unsigned n = 0; n < 4; n += 3) {
        make_timed(&in, n);
        assert_int_equal(transform_bytes(&in, &out, &keep, &stats, NULL), PD_OK);
        has_times(&out, 5, 900);
        filter_all(&in, &out);
        has_times(&out, 5, 900);
        struct pd_transform_options o = {.size = sizeof o, .record = encode_as_it_is};
        struct pd_reader *r;
        struct pd_sink sink = sink_of(&out);
        assert_int_equal(pd_reader_open_memory(&r, in.p, in.n, NULL, NULL), PD_OK);
        assert_int_equal(pd_transform(r, &sink, &o, NULL, NULL), PD_OK);
        has_times(&out, 5, 900);
        assert_int_equal(pd_reader_rewind(r, NULL), PD_OK);
        o.record = drop_first;
        sink = sink_of(&out);
        assert_int_equal(pd_transform(r, &sink, &o, NULL, NULL), PD_OK);
        pd_reader_close(r);
        has_times(&out, n ? 11 : 5, n ? 11 : 900);
    }
    free(in.p);
    free(out.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(containers), cmocka_unit_test(damaged),
        cmocka_unit_test(errors),     cmocka_unit_test(fields_it_does_not_have),
        cmocka_unit_test(predicate),  cmocka_unit_test(time_of_samples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
