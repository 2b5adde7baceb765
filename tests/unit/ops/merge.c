/* SPDX-License-Identifier: MIT */
/*
 * merge.c - pd_sort() and pd_merge() when memory runs out, or the sink fails, at any point: they report it
 * and free all they have taken. Their output is tested in tests/cli/change/sort.sh and merge.sh.
 */
#include "cmocka_all.h"
#include "heap.h"
#include <perfdata/ops/convert.h>
#include <perfdata/ops/gen.h>
#include <perfdata/ops/merge.h>
#include <perfdata/ops/sort.h>
#include <perfdata/perfdata.h>
#include <perfdata/session/metadata.h>
#include <stdlib.h>
#include <string.h>

struct image {
    uint8_t bytes[65536];
    size_t n, fail_at; /* the sink takes only so many bytes; 0: all */
};

static int write_image(void *user, const void *bytes, size_t n)
{
    struct image *im = user;
    if (im->fail_at && im->n + n > im->fail_at)
        return 28;
    assert_true(im->n + n <= sizeof im->bytes);
    memcpy(im->bytes + im->n, bytes, n);
    im->n += n;
    return 0;
}

static int patch_image(void *user, uint64_t at, const void *bytes, size_t n)
{
    struct image *im = user;
    assert_true(at <= im->n && n <= im->n - at);
    memcpy(im->bytes + at, bytes, n);
    return 0;
}

static struct heap heap = {.once = true};

static const struct pd_allocator failing = {heap_resize, heap_release, &heap};

/* A few unsorted records of an event of its own, with the section of old files that has events' names. */
static void make(struct image *im, uint64_t config, enum pd_order order)
{
    const struct pd_sink sink = {write_image, patch_image, im};
    const struct pd_writer_options options = {.size = sizeof options, .order = order, .max_features = 1};
    const struct pd_attr attr = {.type = PD_TYPE_SOFTWARE,
                                 .size = PD_ATTR_SIZE_VER7,
                                 .config = config,
                                 .sample_type = PD_SAMPLE_IP | PD_SAMPLE_TID | PD_SAMPLE_TIME,
                                 .flags = PD_ATTR_SAMPLE_ID_ALL};
    struct pd_writer *w;
    im->n = im->fail_at = 0;
    assert_int_equal(pd_writer_open(&w, &sink, &options, NULL), PD_OK);
    assert_int_equal(pd_writer_attr(w, &attr, (const uint64_t[]){1, 2}, 2, NULL), PD_OK);
    const struct pd_event_type types[] = {{.event_id = 77, .name = "of both"},
                                          {.event_id = config, .name = "of one"}};
    assert_int_equal(pd_writer_event_type(w, &types[0], NULL), PD_OK);
    assert_int_equal(pd_writer_event_type(w, &types[1], NULL), PD_OK);
    for (uint64_t i = 0; i < 40; i++) {
        const struct pd_record comm = {.type = PD_RECORD_COMM,
                                       .u.comm = {.pid = 7, .tid = 7, .comm = PD_STR("name")},
                                       .has_id = true,
                                       .id = {.pid = 7, .tid = 7, .time = 100 + i}};
        const struct pd_record sample = {.type = PD_RECORD_SAMPLE,
                                         .u.sample = {.pid = 7, .tid = 7, .time = 1000 - 7 * i}};
        assert_int_equal(pd_writer_record(w, i % 3 ? &sample : &comm, NULL), PD_OK);
    }
    assert_int_equal(pd_writer_feature(w, PD_FEAT_SAMPLE_TIME, NULL), PD_OK);
    assert_int_equal(pd_writer_feature_bytes(w, (const uint8_t[16]){0}, 16, NULL), PD_OK);
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
}

static struct image a, b, out, whole;

static enum pd_code sort_it(const struct pd_sink *sink, const struct pd_allocator *allocator)
{
    const struct pd_sort_options options = {.size = sizeof options, .allocator = allocator, .memory = 1};
    struct pd_reader *r;
    struct pd_error error = {0};
    assert_int_equal(pd_reader_open_memory(&r, a.bytes, a.n, NULL, NULL), PD_OK);
    const enum pd_code code = pd_sort(r, sink, &options, NULL, &error);
    assert_int_equal(error.code, code);
    pd_reader_close(r);
    return code;
}

/* The second input has the other byte order and another machine, so that all steps of merging are done. */
static enum pd_code merge_them(const struct pd_sink *sink, const struct pd_allocator *allocator)
{
    const struct pd_merge_options options = {
        .size = sizeof options, .allocator = allocator, .memory = 1, .pids = PD_MERGE_PIDS_MOVE};
    struct pd_reader *r[2];
    struct pd_error error = {0};
    assert_int_equal(pd_reader_open_memory(&r[0], a.bytes, a.n, NULL, NULL), PD_OK);
    assert_int_equal(pd_reader_open_memory(&r[1], b.bytes, b.n, NULL, NULL), PD_OK);
    const enum pd_code code = pd_merge(r, 2, sink, &options, NULL, NULL, &error);
    assert_int_equal(error.code, code);
    pd_reader_close(r[0]);
    pd_reader_close(r[1]);
    return code;
}

static void try_all(enum pd_code (*run)(const struct pd_sink *sink, const struct pd_allocator *allocator))
{
    const struct pd_sink sink = {write_image, patch_image, &out};
    out.n = out.fail_at = heap.calls = heap.fail_at = 0;
    assert_int_equal(run(&sink, &failing), PD_OK);
    assert_int_equal(heap.blocks, 0);
    whole = out;
    const size_t calls = heap.calls;
    assert_true(calls > 20);
    for (size_t n = 1; n <= calls; n++) {
        out.n = heap.calls = 0;
        heap.fail_at = n;
        const enum pd_code code = run(&sink, &failing);
        assert_true(code == PD_ENOMEM || (code == PD_OK && out.n == whole.n));
        assert_int_equal(heap.blocks, 0);
    }
    heap.fail_at = 0;
    for (size_t n = 1; n < whole.n; n += 97) {
        out.n = 0;
        out.fail_at = n;
        assert_int_equal(run(&sink, &failing), PD_EOUT);
        assert_int_equal(heap.blocks, 0);
    }
    out.fail_at = 0;
}

static void sorting_fails(void **state)
{
    (void)state;
    make(&a, PD_SW_CPU_CLOCK, PD_LITTLE);
    try_all(sort_it);
}

static void merging_fails(void **state)
{
    (void)state;
    make(&a, PD_SW_CPU_CLOCK, PD_LITTLE);
    make(&b, PD_SW_PAGE_FAULTS, PD_BIG);
    try_all(merge_them);
}

/* A recording with AUX data, whose new places merging notes. */
static void make_aux(struct image *im)
{
    const struct pd_sink sink = {write_image, patch_image, im};
    const struct pd_gen_weight weights[] = {{PD_RECORD_SAMPLE, 1}, {PD_RECORD_AUXTRACE, 1}};
    const struct pd_gen_options options = {.size = sizeof options,
                                           .seed = 1,
                                           .count = 20,
                                           .weights = weights,
                                           .n_weights = 2,
                                           .features = PD_GEN_FEATURES_NONE};
    struct pd_gen *gen;
    im->n = im->fail_at = 0;
    assert_int_equal(pd_gen_open(&gen, &sink, &options, NULL), PD_OK);
    assert_int_equal(pd_gen_run(gen, NULL), PD_OK);
    pd_gen_close(gen);
}

static enum pd_code merge_one(const struct pd_sink *sink, const struct pd_allocator *allocator)
{
    const struct pd_merge_options options = {.size = sizeof options, .allocator = allocator};
    struct pd_reader *r;
    struct pd_error error = {0};
    assert_int_equal(pd_reader_open_memory(&r, a.bytes, a.n, NULL, NULL), PD_OK);
    const enum pd_code code = pd_merge(&r, 1, sink, &options, NULL, NULL, &error);
    assert_int_equal(error.code, code);
    pd_reader_close(r);
    return code;
}

static void merging_aux_fails(void **state)
{
    (void)state;
    make_aux(&a);
    try_all(merge_one);
}

/* The records AUXTRACE; where the bytes of the last one begin, and end. */
static unsigned aux_records(const struct image *im, uint64_t *begin, uint64_t *end)
{
    struct pd_reader *r;
    struct pd_record rec = {0};
    unsigned n = 0;
    assert_int_equal(pd_reader_open_memory(&r, im->bytes, im->n, NULL, NULL), PD_OK);
    while (pd_reader_next(r, &rec, NULL) == PD_OK)
        if (rec.type == PD_RECORD_AUXTRACE && rec.payload_size) {
            *begin = rec.offset + rec.size;
            *end = *begin + rec.payload_size;
            n++;
        }
    pd_reader_close(r);
    return n;
}

/* AUX data that is cut off is left out with its record. */
static void merging_cut_aux(void **state)
{
    (void)state;
    const struct pd_sink sink = {write_image, patch_image, &out};
    uint64_t begin, end, other;
    struct pd_reader *r;
    make_aux(&a);
    const unsigned n = aux_records(&a, &begin, &end);
    assert_true(n > 1);
    for (a.n = (size_t)end - 1; a.n >= begin; a.n -= 8) {
        out.n = out.fail_at = 0;
        assert_int_equal(pd_reader_open_memory(&r, a.bytes, a.n, NULL, NULL), PD_OK);
        assert_int_equal(pd_merge(&r, 1, &sink, NULL, NULL, NULL, NULL), PD_OK);
        pd_reader_close(r);
        assert_int_equal(aux_records(&out, &other, &other), n - 1);
    }
}

static void event_types_once(void **state)
{
    (void)state;
    const struct pd_sink sink = {write_image, patch_image, &out};
    const uint64_t expected[] = {77, PD_SW_CPU_CLOCK, PD_SW_PAGE_FAULTS};
    struct pd_reader *r;
    struct pd_event_type type;
    make(&a, PD_SW_CPU_CLOCK, PD_LITTLE);
    make(&b, PD_SW_PAGE_FAULTS, PD_BIG);
    out.n = out.fail_at = 0;
    assert_int_equal(merge_them(&sink, NULL), PD_OK);
    assert_int_equal(pd_reader_open_memory(&r, out.bytes, out.n, NULL, NULL), PD_OK);
    assert_int_equal(pd_reader_n_event_types(r), 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(pd_reader_event_type(r, i, &type, NULL), PD_OK);
        assert_int_equal(type.event_id, expected[i]);
        assert_string_equal((const char *)type.name, i ? "of one" : "of both");
    }
    pd_reader_close(r);
}

/* Four events, which only their ids tell apart in another place than the first one. */
static void make_four(struct image *im, uint64_t first)
{
    const struct pd_sink sink = {write_image, patch_image, im};
    struct pd_writer *w;
    im->n = im->fail_at = 0;
    assert_int_equal(pd_writer_open(&w, &sink, NULL, NULL), PD_OK);
    for (uint64_t i = first; i < first + 4; i++) {
        const struct pd_attr attr = {.type = PD_TYPE_SOFTWARE,
                                     .size = PD_ATTR_SIZE_VER7,
                                     .config = i,
                                     .sample_type = PD_SAMPLE_IP | PD_SAMPLE_TID | PD_SAMPLE_TIME,
                                     .flags = PD_ATTR_SAMPLE_ID_ALL};
        assert_int_equal(pd_writer_attr(w, &attr, &i, 1, NULL), PD_OK);
    }
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
}

/* As many events as there is room for at first: each of them, and nothing else, gets IDENTIFIER. */
static void eight_events(void **state)
{
    (void)state;
    const struct pd_sink sink = {write_image, patch_image, &out};
    struct pd_reader *r;
    make_four(&a, 1);
    make_four(&b, 5);
    out.n = out.fail_at = 0;
    assert_int_equal(merge_them(&sink, &failing), PD_OK);
    assert_int_equal(heap.blocks, 0);
    assert_int_equal(pd_reader_open_memory(&r, out.bytes, out.n, NULL, NULL), PD_OK);
    assert_int_equal(pd_reader_n_attrs(r), 8);
    for (size_t i = 0; i < 8; i++)
        assert_true(pd_reader_attr(r, i)->attr.sample_type & PD_SAMPLE_IDENTIFIER);
    pd_reader_close(r);
}

/* Of one input, attrs of several sizes keep them. */
static void sizes_of_one_input(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {PD_ATTR_SIZE_VER5, PD_ATTR_SIZE_VER7};
    const struct pd_sink from = {write_image, patch_image, &a}, to = {write_image, patch_image, &out};
    struct pd_writer *w;
    struct pd_reader *r;
    a.n = a.fail_at = out.n = out.fail_at = 0;
    assert_int_equal(pd_writer_open(&w, &from, NULL, NULL), PD_OK);
    for (uint64_t i = 0; i < 2; i++) {
        const struct pd_attr attr = {.size = sizes[i], .config = i, .sample_type = PD_SAMPLE_IDENTIFIER};
        assert_int_equal(pd_writer_attr(w, &attr, (const uint64_t[]){1 + i}, 1, NULL), PD_OK);
    }
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
    assert_int_equal(pd_reader_open_memory(&r, a.bytes, a.n, NULL, NULL), PD_OK);
    assert_int_equal(pd_merge(&r, 1, &to, NULL, NULL, NULL, NULL), PD_OK);
    pd_reader_close(r);
    assert_int_equal(pd_reader_open_memory(&r, out.bytes, out.n, NULL, NULL), PD_OK);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(pd_reader_attr(r, i)->attr.size, sizes[i]);
    pd_reader_close(r);
}

/* Two events of which both claim the id 2, and a sample of it: it is the first one's. */
static void make_shared_id(struct image *im)
{
    const struct pd_sink sink = {write_image, patch_image, im};
    struct pd_attr attr = {
        .type = PD_TYPE_SOFTWARE, .size = PD_ATTR_SIZE_VER7, .sample_type = PD_SAMPLE_ID | PD_SAMPLE_TIME};
    const struct pd_record sample = {.type = PD_RECORD_SAMPLE, .u.sample = {.id = 2, .time = 5}};
    struct pd_writer *w;
    im->n = im->fail_at = 0;
    assert_int_equal(pd_writer_open(&w, &sink, NULL, NULL), PD_OK);
    assert_int_equal(pd_writer_attr(w, &attr, (const uint64_t[]){1, 2}, 2, NULL), PD_OK);
    attr.config = 1;
    assert_int_equal(pd_writer_attr(w, &attr, (const uint64_t[]){2, 3}, 2, NULL), PD_OK);
    assert_int_equal(pd_writer_record(w, &sample, NULL), PD_OK);
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
}

/* Alone, and with itself: the ids stay with both events, and the sample with its event. */
static void id_of_two_events(void **state)
{
    (void)state;
    const struct pd_sink sink = {write_image, patch_image, &out};
    make_shared_id(&a);
    for (size_t n = 1; n <= 2; n++) {
        struct pd_reader *in[2], *r;
        struct pd_record rec = {0};
        struct pd_merge_stats stats;
        out.n = out.fail_at = 0;
        for (size_t i = 0; i < n; i++)
            assert_int_equal(pd_reader_open_memory(&in[i], a.bytes, a.n, NULL, NULL), PD_OK);
        const struct pd_merge_options options = {.size = sizeof options, .append = true};
        assert_int_equal(pd_merge(in, n, &sink, &options, &stats, NULL, NULL), PD_OK);
        assert_int_equal(stats.new_ids, 0);
        assert_int_equal(pd_reader_open_memory(&r, out.bytes, out.n, NULL, NULL), PD_OK);
        assert_int_equal(pd_reader_n_attrs(r), 2);
        for (uint64_t i = 0; i < 2; i++) {
            const struct pd_event_attr *e = pd_reader_attr(r, (size_t)i);
            assert_int_equal(e->n_ids, 2);
            assert_int_equal(e->ids[0], i + 1);
            assert_int_equal(e->ids[1], i + 2);
            pd_reader_close(i < n ? in[i] : NULL);
        }
        size_t samples = 0;
        while (pd_reader_next_decoded(r, &rec, NULL) == PD_OK) {
            if (rec.type != PD_RECORD_SAMPLE)
                continue;
            assert_int_equal(rec.u.sample.id, 2);
            assert_int_equal(rec.attr_index, 0);
            samples++;
        }
        assert_int_equal(samples, n);
        pd_reader_close(r);
    }
}

static void put_comm(struct pd_writer *w, uint64_t time, uint16_t misc)
{
    const struct pd_record rec = {.type = PD_RECORD_COMM,
                                  .misc = misc,
                                  .u.comm = {.pid = 7, .tid = 7, .comm = PD_STR("name")},
                                  .has_id = true,
                                  .id = {.pid = 7, .tid = 7, .time = time}};
    assert_int_equal(pd_writer_record(w, &rec, NULL), PD_OK);
}

static void put_sample(struct pd_writer *w, uint64_t time)
{
    const struct pd_record rec = {.type = PD_RECORD_SAMPLE, .u.sample = {.pid = 7, .tid = 7, .time = time}};
    assert_int_equal(pd_writer_record(w, &rec, NULL), PD_OK);
}

/* A recording of one name and a sample. */
static void make_name(struct image *im, uint64_t time, uint16_t misc)
{
    const struct pd_sink sink = {write_image, patch_image, im};
    const struct pd_attr attr = {.type = PD_TYPE_SOFTWARE,
                                 .size = PD_ATTR_SIZE_VER7,
                                 .sample_type = PD_SAMPLE_IP | PD_SAMPLE_TID | PD_SAMPLE_TIME,
                                 .flags = PD_ATTR_SAMPLE_ID_ALL};
    struct pd_writer *w;
    im->n = im->fail_at = 0;
    assert_int_equal(pd_writer_open(&w, &sink, NULL, NULL), PD_OK);
    assert_int_equal(pd_writer_attr(w, &attr, NULL, 0, NULL), PD_OK);
    put_comm(w, time, misc);
    put_sample(w, time + 1);
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
}

/* The same name of a task is a copy at the same time, not at another one, nor where one is of an exec. */
static void same_name_twice(void **state)
{
    static const struct {
        uint64_t time;
        uint16_t misc;
        unsigned names;
    } second[] = {{100, 0, 1}, {200, 0, 2}, {100, PD_MISC_COMM_EXEC, 2}};
    const struct pd_sink sink = {write_image, patch_image, &out};
    (void)state;
    for (size_t i = 0; i < sizeof second / sizeof *second; i++) {
        struct pd_reader *in[2], *r;
        struct pd_record rec = {0};
        unsigned names = 0;
        make_name(&a, 100, 0);
        make_name(&b, second[i].time, second[i].misc);
        out.n = out.fail_at = 0;
        assert_int_equal(pd_reader_open_memory(&in[0], a.bytes, a.n, NULL, NULL), PD_OK);
        assert_int_equal(pd_reader_open_memory(&in[1], b.bytes, b.n, NULL, NULL), PD_OK);
        assert_int_equal(pd_merge(in, 2, &sink, NULL, NULL, NULL, NULL), PD_OK);
        pd_reader_close(in[0]);
        pd_reader_close(in[1]);
        assert_int_equal(pd_reader_open_memory(&r, out.bytes, out.n, NULL, NULL), PD_OK);
        while (pd_reader_next(r, &rec, NULL) == PD_OK)
            names += rec.type == PD_RECORD_COMM;
        assert_int_equal(names, second[i].names);
        pd_reader_close(r);
    }
}

/* What a piece has of a task: a name without a time, one with a time, between them perhaps a sample. */
static void make_piece(struct image *im, bool sample)
{
    const struct pd_sink sink = {write_image, patch_image, im};
    const struct pd_attr attr = {.type = PD_TYPE_SOFTWARE,
                                 .size = PD_ATTR_SIZE_VER7,
                                 .sample_type = PD_SAMPLE_IP | PD_SAMPLE_TID | PD_SAMPLE_TIME,
                                 .flags = PD_ATTR_SAMPLE_ID_ALL};
    struct pd_writer *w;
    im->n = im->fail_at = 0;
    assert_int_equal(pd_writer_open(&w, &sink, NULL, NULL), PD_OK);
    assert_int_equal(pd_writer_attr(w, &attr, NULL, 0, NULL), PD_OK);
    put_comm(w, 0, 0);
    if (sample)
        put_sample(w, 0);
    put_comm(w, 100, 0);
    put_sample(w, 101);
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
}

/* A sample without a time: copies of what is known before it are written once, whichever piece is first. */
static void copies_before_first_time(void **state)
{
    (void)state;
    const struct pd_sink sink = {write_image, patch_image, &out};
    for (unsigned which = 0; which < 2; which++) {
        struct pd_reader *in[2], *r;
        struct pd_record rec = {0};
        size_t names = 0;
        make_piece(&a, which == 0);
        make_piece(&b, which == 1);
        out.n = out.fail_at = 0;
        assert_int_equal(pd_reader_open_memory(&in[0], a.bytes, a.n, NULL, NULL), PD_OK);
        assert_int_equal(pd_reader_open_memory(&in[1], b.bytes, b.n, NULL, NULL), PD_OK);
        assert_int_equal(pd_merge(in, 2, &sink, NULL, NULL, NULL, NULL), PD_OK);
        pd_reader_close(in[0]);
        pd_reader_close(in[1]);
        assert_int_equal(pd_reader_open_memory(&r, out.bytes, out.n, NULL, NULL), PD_OK);
        while (pd_reader_next(r, &rec, NULL) == PD_OK)
            names += rec.type == PD_RECORD_COMM;
        assert_int_equal(names, 2);
        pd_reader_close(r);
    }
}

/* An event, and its name if it is not NULL. */
static void make_named(struct image *im, const char *name)
{
    enum { ATTR = PD_ATTR_SIZE_VER7, DESC = 8 + ATTR + 8 + 64 };
    const struct pd_sink sink = {write_image, patch_image, im};
    const struct pd_writer_options options = {.size = sizeof options, .max_features = 1};
    const struct pd_attr attr = {.type = PD_TYPE_SOFTWARE,
                                 .size = ATTR,
                                 .sample_type = PD_SAMPLE_TIME,
                                 .flags = PD_ATTR_SAMPLE_ID_ALL};
    uint8_t desc[DESC] = {1, [4] = ATTR, [8 + ATTR + 4] = 64}; /* one event, without ids */
    struct pd_writer *w;
    im->n = im->fail_at = 0;
    assert_int_equal(pd_writer_open(&w, &sink, &options, NULL), PD_OK);
    assert_int_equal(pd_writer_attr(w, &attr, NULL, 0, NULL), PD_OK);
    if (name) {
        assert_int_equal(pd_attr_encode(PD_LITTLE, &attr, desc + 8, ATTR, NULL), PD_OK);
        memcpy(desc + 8 + ATTR + 8, name, strlen(name));
        assert_int_equal(pd_writer_feature(w, PD_FEAT_EVENT_DESC, NULL), PD_OK);
        assert_int_equal(pd_writer_feature_bytes(w, desc, sizeof desc, NULL), PD_OK);
    }
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
}

/* A name that an input does not know is that of the first one that does; events of other names stay apart. */
static void names_that_some_know(void **state)
{
    static const char *const names[] = {NULL, "mine", "other", "mine", NULL};
    static struct image in[5];
    const struct pd_sink sink = {write_image, patch_image, &out};
    struct pd_reader *readers[5], *r;
    struct pd_metadata *meta;
    (void)state;
    out.n = out.fail_at = 0;
    for (size_t i = 0; i < 5; i++) {
        make_named(&in[i], names[i]);
        assert_int_equal(pd_reader_open_memory(&readers[i], in[i].bytes, in[i].n, NULL, NULL), PD_OK);
    }
    assert_int_equal(pd_merge(readers, 5, &sink, NULL, NULL, NULL, NULL), PD_OK);
    for (size_t i = 0; i < 5; i++)
        pd_reader_close(readers[i]);
    assert_int_equal(pd_reader_open_memory(&r, out.bytes, out.n, NULL, NULL), PD_OK);
    assert_int_equal(pd_reader_n_attrs(r), 2);
    assert_int_equal(pd_metadata_open(&meta, r, NULL, NULL), PD_OK);
    assert_string_equal(pd_metadata_event_name(meta, r, 0), "mine");
    assert_string_equal(pd_metadata_event_name(meta, r, 1), "other");
    pd_metadata_close(meta);
    pd_reader_close(r);
}

/* So many events of one attr; by their names, if they have any, all but the last one are of time off-cpu. */
static void make_alike(struct image *im, uint32_t n, bool named)
{
    enum { ATTR = PD_ATTR_SIZE_VER7, NAME = 16 };
    const struct pd_sink sink = {write_image, patch_image, im};
    const struct pd_writer_options options = {
        .size = sizeof options, .order = PD_HOST_ORDER, .max_features = 1};
    const struct pd_attr attr = {.type = PD_TYPE_SOFTWARE,
                                 .config = PD_SW_BPF_OUTPUT,
                                 .size = ATTR,
                                 .sample_type = PD_SAMPLE_IDENTIFIER | PD_SAMPLE_TIME | PD_SAMPLE_RAW,
                                 .flags = PD_ATTR_SAMPLE_ID_ALL};
    const uint32_t head[] = {n, ATTR}, ids[] = {1, NAME};
    uint8_t bytes[ATTR];
    struct pd_writer *w;
    im->n = im->fail_at = 0;
    assert_int_equal(pd_writer_open(&w, &sink, &options, NULL), PD_OK);
    for (uint64_t id = 1; id <= n; id++)
        assert_int_equal(pd_writer_attr(w, &attr, &id, 1, NULL), PD_OK);
    if (named) {
        assert_int_equal(pd_writer_feature(w, PD_FEAT_EVENT_DESC, NULL), PD_OK);
        assert_int_equal(pd_writer_feature_bytes(w, head, sizeof head, NULL), PD_OK);
    }
    for (uint64_t id = 1; named && id <= n; id++) {
        const char name[NAME] = "offcpu-time", other[NAME] = "other";
        assert_int_equal(pd_attr_encode(PD_HOST_ORDER, &attr, bytes, ATTR, NULL), PD_OK);
        assert_int_equal(pd_writer_feature_bytes(w, bytes, ATTR, NULL), PD_OK);
        assert_int_equal(pd_writer_feature_bytes(w, ids, sizeof ids, NULL), PD_OK);
        assert_int_equal(pd_writer_feature_bytes(w, id < n ? name : other, NAME, NULL), PD_OK);
        assert_int_equal(pd_writer_feature_bytes(w, &id, sizeof id, NULL), PD_OK);
    }
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
}

/* An event of no name is none of time off-cpu. The 16th of the same attr is found; the 17th stays apart. */
static void many_alike(void **state)
{
    const struct pd_sink sink = {write_image, patch_image, &out};
    (void)state;
    for (uint32_t n = 15; n <= 18; n++) {
        struct pd_reader *in[2], *r;
        make_alike(&a, n, true);
        make_alike(&b, 1, false);
        out.n = out.fail_at = 0;
        assert_int_equal(pd_reader_open_memory(&in[0], a.bytes, a.n, NULL, NULL), PD_OK);
        assert_int_equal(pd_reader_open_memory(&in[1], b.bytes, b.n, NULL, NULL), PD_OK);
        assert_int_equal(pd_merge(in, 2, &sink, NULL, NULL, NULL, NULL), PD_OK);
        assert_int_equal(pd_reader_open_memory(&r, out.bytes, out.n, NULL, NULL), PD_OK);
        assert_int_equal(pd_reader_n_attrs(r), n <= 16 ? n : n + 1);
        pd_reader_close(r);
        pd_reader_close(in[0]);
        pd_reader_close(in[1]);
    }
}

/* An event, and a large record of simpleperf in n parts of 16 bytes. */
static void make_large(struct image *im, size_t n)
{
    const struct pd_sink sink = {write_image, patch_image, im};
    const struct pd_writer_options options = {.size = sizeof options};
    const struct pd_attr attr = {.type = PD_TYPE_SOFTWARE,
                                 .size = PD_ATTR_SIZE_VER7,
                                 .sample_type = PD_SAMPLE_TIME,
                                 .flags = PD_ATTR_SAMPLE_ID_ALL};
    const struct pd_record part = {.type = PD_RECORD_SIMPLEPERF_SPLIT,
                                   .attr_index = UINT32_MAX,
                                   .u.simpleperf_split.data = {(const uint8_t *)"8 bytes", 8}},
                           end = {.type = PD_RECORD_SIMPLEPERF_SPLIT_END, .attr_index = UINT32_MAX};
    struct pd_writer *w;
    im->n = im->fail_at = 0;
    assert_int_equal(pd_writer_open(&w, &sink, &options, NULL), PD_OK);
    assert_int_equal(pd_writer_attr(w, &attr, NULL, 0, NULL), PD_OK);
    for (size_t i = 0; i <= n; i++)
        assert_int_equal(pd_writer_record(w, i < n ? &part : &end, NULL), PD_OK);
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
}

/* Room for the parts of a large record doubles: 2000 of them are not copied again for each that comes. */
static void large_records_in_parts(void **state)
{
    const struct pd_sink sink = {write_image, patch_image, &out};
    const struct pd_merge_options options = {.size = sizeof options, .allocator = &failing};
    size_t calls[2];
    (void)state;
    for (size_t many = 0; many < 2; many++) {
        struct pd_reader *in[2];
        make_large(&a, many ? 2000 : 1);
        make_large(&b, 1);
        out.n = out.fail_at = heap.calls = heap.fail_at = 0;
        assert_int_equal(pd_reader_open_memory(&in[0], a.bytes, a.n, NULL, NULL), PD_OK);
        assert_int_equal(pd_reader_open_memory(&in[1], b.bytes, b.n, NULL, NULL), PD_OK);
        assert_int_equal(pd_merge(in, 2, &sink, &options, NULL, NULL, NULL), PD_OK);
        calls[many] = heap.calls;
        assert_int_equal(heap.blocks, 0);
        pd_reader_close(in[0]);
        pd_reader_close(in[1]);
    }
    assert_true(calls[1] < calls[0] + 100);
}

static void wrong_arguments(void **state)
{
    const struct pd_sink sink = {write_image, patch_image, &out};
    struct pd_error error;
    (void)state;
    assert_int_equal(pd_merge(NULL, 0, &sink, NULL, NULL, NULL, &error), PD_EARG);
    struct pd_reader *r;
    make(&a, PD_SW_CPU_CLOCK, PD_LITTLE);
    assert_int_equal(pd_reader_open_memory(&r, a.bytes, a.n, NULL, NULL), PD_OK);
    const struct pd_merge_options dir = {.size = sizeof dir, .to = PD_CONVERT_DIRECTORY};
    assert_int_equal(pd_merge(&r, 1, &sink, &dir, NULL, NULL, &error), PD_EARG);
    pd_reader_close(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorting_fails),          cmocka_unit_test(merging_fails),
        cmocka_unit_test(merging_aux_fails),      cmocka_unit_test(merging_cut_aux),
        cmocka_unit_test(event_types_once),       cmocka_unit_test(wrong_arguments),
        cmocka_unit_test(id_of_two_events),       cmocka_unit_test(copies_before_first_time),
        cmocka_unit_test(same_name_twice),        cmocka_unit_test(names_that_some_know),
        cmocka_unit_test(large_records_in_parts), cmocka_unit_test(eight_events),
        cmocka_unit_test(sizes_of_one_input),     cmocka_unit_test(many_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
