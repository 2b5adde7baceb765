/* SPDX-License-Identifier: MIT */
/*
 * difference.c - pd_differences() as a library's user meets it: the content of each kind of difference, when
 * it stops, what is ignored, and lack of memory. How records are paired is tested by tests/cli/show/cmp.sh.
 */
#define _GNU_SOURCE
#include "bytes.h"
#include "cmocka_all.h"
#include "fuzz/image.h"
#include "heap.h"
#include <perfdata/ops/difference.h>
#include <perfdata/perfdata.h>
#include <stdlib.h>
#include <string.h>

/* The contents of a recording. */
struct plan {
    uint64_t period;
    uint64_t ips[12];
    size_t n_ips;
    const char *host;
    bool second_sample, second_event;
    bool swapped; /* both records in the other order */
    enum pd_order order;
};

static const struct plan usual = {
    .period = 1000, .ips = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, .n_ips = 12, .host = "here"};

static void put_comm(struct pd_writer *w)
{
    const struct pd_record comm = {.type = PD_RECORD_COMM,
                                   .u.comm = {.pid = 7, .tid = 7, .comm = PD_STR("name")},
                                   .has_id = true,
                                   .id = {.pid = 7, .tid = 7, .time = 100}};
    assert_int_equal(pd_writer_record(w, &comm, NULL), PD_OK);
}

static void put_sample(struct pd_writer *w, const struct plan *p, uint64_t time)
{
    struct pd_record sample = {.type = PD_RECORD_SAMPLE, .u.sample = {.pid = 7, .tid = 7, .time = time}};
    sample.u.sample.callchain.nr = p->n_ips;
    sample.u.sample.callchain.ips = (struct pd_vec){p->ips, p->n_ips, 8, PD_FORM_STRUCT};
    assert_int_equal(pd_writer_record(w, &sample, NULL), PD_OK);
}

static void put_host(struct pd_writer *w, const struct plan *p)
{
    uint8_t bytes[4 + 64] = {0};
    bytes[p->order == PD_BIG ? 3 : 0] = 64;
    memcpy(bytes + 4, p->host, strlen(p->host));
    assert_int_equal(pd_writer_feature(w, PD_FEAT_HOSTNAME, NULL), PD_OK);
    assert_int_equal(pd_writer_feature_bytes(w, bytes, sizeof bytes, NULL), PD_OK);
}

static void make(struct bytes *im, const struct plan *p)
{
    const struct pd_sink sink = {bytes_put, bytes_patch, im};
    const struct pd_writer_options options = {.size = sizeof options, .order = p->order, .max_features = 1};
    const struct pd_attr attr = {.type = PD_TYPE_SOFTWARE,
                                 .size = PD_ATTR_SIZE_VER7,
                                 .sample_period = p->period,
                                 .sample_type = PD_SAMPLE_TID | PD_SAMPLE_TIME | PD_SAMPLE_CALLCHAIN,
                                 .flags = PD_ATTR_SAMPLE_ID_ALL};
    struct pd_writer *w;
    im->n = 0;
    assert_int_equal(pd_writer_open(&w, &sink, &options, NULL), PD_OK);
    assert_int_equal(pd_writer_attr(w, &attr, (const uint64_t[]){1}, 1, NULL), PD_OK);
    if (p->second_event)
        assert_int_equal(pd_writer_attr(w, &attr, (const uint64_t[]){2}, 1, NULL), PD_OK);
    if (!p->swapped)
        put_comm(w);
    put_sample(w, p, 200);
    if (p->swapped)
        put_comm(w);
    if (p->second_sample)
        put_sample(w, p, 300);
    if (p->host)
        put_host(w, p);
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
}

/* ---- Reported differences */

struct told {
    enum pd_difference_kind kind;
    uint64_t number, value[2];
    char path[64], text[2][16];
    bool there[2], has_record[2], has_path;
    uint64_t index[2];
};

struct list {
    struct told told[16];
    size_t n, most; /* the most to be reported; 0: all */
    uint64_t done, total;
};

static bool on_difference(void *user, const struct pd_difference *what)
{
    struct list *l = user;
    assert_true(l->n < 16);
    struct told *t = &l->told[l->n++];
    *t = (struct told){.kind = what->kind, .number = what->number, .has_path = what->path != NULL};
    if (what->path)
        strncpy(t->path, what->path, sizeof t->path - 1);
    for (int s = 0; s < 2; s++) {
        const struct pd_field *f = what->field[s];
        t->there[s] = what->there[s];
        t->has_record[s] = what->record[s] != NULL;
        if (what->record[s])
            t->index[s] = what->record[s]->index;
        if (f && f->kind == PD_FIELD_NUMBER)
            t->value[s] = f->value;
        else if (f && f->kind == PD_FIELD_STRING)
            memcpy(t->text[s], f->u.str->ptr, f->u.str->len < 15 ? f->u.str->len : 15);
    }
    return l->n != l->most;
}

static void on_progress(void *user, uint64_t done, uint64_t total)
{
    struct list *l = user;
    assert_true(done >= l->done);
    l->done = done;
    l->total = total;
}

static void open_both(struct pd_reader **a, const struct bytes *ia, struct pd_reader **b,
                      const struct bytes *ib)
{
    assert_int_equal(pd_reader_open_memory(a, ia->p, ia->n, NULL, NULL), PD_OK);
    assert_int_equal(pd_reader_open_memory(b, ib->p, ib->n, NULL, NULL), PD_OK);
}

static enum pd_code compare(const struct plan *a, const struct plan *b, unsigned ignore, struct list *l,
                            uint64_t *n, const struct pd_allocator *allocator)
{
    static struct bytes ia, ib;
    const struct pd_differences_options o = {.size = sizeof o,
                                             .allocator = allocator,
                                             .ignore = ignore,
                                             .difference = on_difference,
                                             .progress = on_progress,
                                             .user = l};
    struct pd_reader *ra, *rb;
    struct pd_error error = {0};
    make(&ia, a);
    make(&ib, b);
    open_both(&ra, &ia, &rb, &ib);
    const enum pd_code code = pd_differences(ra, rb, &o, n, &error);
    assert_int_equal(error.code, code);
    pd_reader_close(ra);
    pd_reader_close(rb);
    return code;
}

static size_t differences(const struct plan *a, const struct plan *b, unsigned ignore, struct list *l)
{
    uint64_t n;
    l->n = 0, l->done = 0;
    assert_int_equal(compare(a, b, ignore, l, &n, NULL), PD_OK);
    assert_int_equal(n, l->n);
    return l->n;
}

static void equal_ones(void **state)
{
    struct list l = {0};
    (void)state;
    assert_int_equal(differences(&usual, &usual, 0, &l), 0);
}

static void each_kind(void **state)
{
    struct list l = {0};
    struct plan other = usual;
    (void)state;
    other.period = 4000;
    other.host = "there";
    other.second_sample = true;
    other.ips[3] = 77;
    assert_int_equal(differences(&usual, &other, 0, &l), 4);
    size_t records = 0, features = 0, attrs = 0;
    for (size_t i = 0; i < l.n; i++) {
        const struct told *t = &l.told[i];
        if (t->kind == PD_DIFFERENCE_ATTR) {
            attrs++;
            assert_string_equal(t->path, "sample_period");
            assert_int_equal(t->value[0], 1000);
            assert_int_equal(t->value[1], 4000);
        } else if (t->kind == PD_DIFFERENCE_FEATURE) {
            features++;
            assert_int_equal(t->number, PD_FEAT_HOSTNAME);
            assert_string_equal(t->path, "text");
            assert_string_equal(t->text[0], "here");
            assert_string_equal(t->text[1], "there");
        } else if (t->has_path) {
            records++;
            assert_int_equal(t->kind, PD_DIFFERENCE_RECORD);
            assert_true(t->has_record[0] && t->has_record[1]);
            assert_int_equal(t->index[0], 1);
            assert_int_equal(t->index[1], 1);
            assert_string_equal(t->path, "callchain.ips[3]");
            assert_int_equal(t->value[0], 4);
            assert_int_equal(t->value[1], 77);
        } else {
            records++;
            assert_true(!t->there[0] && t->there[1] && !t->has_record[0] && t->has_record[1]);
            assert_int_equal(t->index[1], 2);
        }
    }
    assert_int_equal(attrs, 1);
    assert_int_equal(records, 2);
    assert_int_equal(features, 1);
}

/* An event that only one side has is told as there on that side alone. */
static void event_of_one(void **state)
{
    struct plan more = usual;
    (void)state;
    more.second_event = true;
    for (int side = 0; side < 2; side++) {
        struct list l = {0};
        assert_int_equal(differences(side ? &usual : &more, side ? &more : &usual, PD_IGNORE_OFFSET, &l), 1);
        assert_int_equal(l.told[0].kind, PD_DIFFERENCE_ATTR);
        assert_int_equal(l.told[0].number, 1);
        assert_int_equal(l.told[0].there[0], !side);
        assert_int_equal(l.told[0].there[1], side);
    }
}

/* Eight elements of a vector, then it stops; and the count if that differs. */
static void many_elements(void **state)
{
    struct list l = {0};
    struct plan other = usual;
    (void)state;
    for (size_t i = 0; i < other.n_ips; i++)
        other.ips[i] += i == 2 ? 0 : 100;
    assert_int_equal(differences(&usual, &other, 0, &l), 8);
    assert_string_equal(l.told[0].path, "callchain.ips[0]");
    assert_string_equal(l.told[2].path, "callchain.ips[3]");
    assert_int_equal(l.told[7].value[0], 9);
    assert_int_equal(l.told[7].value[1], 109);
    other = usual;
    other.n_ips = 11;
    assert_int_equal(differences(&usual, &other, 0, &l), 1);
    assert_string_equal(l.told[0].path, "callchain.nr");
}

static void stops(void **state)
{
    struct list l = {.most = 3};
    struct plan other = usual;
    uint64_t n;
    (void)state;
    for (size_t i = 0; i < other.n_ips; i++)
        other.ips[i] += 100;
    assert_int_equal(differences(&usual, &other, 0, &l), 3);
    struct pd_differences_options o = {.size = sizeof o}; /* only the number is requested */
    static struct bytes ia, ib;
    struct pd_reader *ra, *rb;
    make(&ia, &usual);
    make(&ib, &other);
    open_both(&ra, &ia, &rb, &ib);
    assert_int_equal(pd_differences(ra, rb, &o, &n, NULL), PD_OK);
    assert_int_equal(n, 8);
    pd_reader_close(ra);
    pd_reader_close(rb);
}

static void what_is_ignored(void **state)
{
    struct list l = {0};
    struct plan other = usual;
    (void)state;
    other.swapped = true;
    assert_int_equal(differences(&usual, &other, 0, &l), 2); /* one is missing, one added */
    assert_int_equal(differences(&usual, &other, PD_IGNORE_ORDER, &l), 0);
    other = usual;
    other.order = PD_BIG;
    assert_int_equal(differences(&usual, &other, 0, &l), 1);
    assert_int_equal(l.told[0].kind, PD_DIFFERENCE_CONTAINER);
    assert_int_equal(differences(&usual, &other, PD_IGNORE_CONTAINER, &l), 0);
    other = usual;
    other.host = NULL;
    assert_int_equal(
        differences(&usual, &other, PD_IGNORE_OFFSET | PD_IGNORE_ORDER | PD_IGNORE_CONTAINER, &l), 1);
    assert_true(l.told[0].there[0] && !l.told[0].there[1] && !l.told[0].has_path);
    assert_int_equal(l.told[0].number, PD_FEAT_HOSTNAME);
}

/* ---- Damage */

static void on_finding(void *user, int side, const struct pd_error *what)
{
    assert_int_equal(side, 0);
    assert_int_equal(what->code, PD_ECOUNT);
    ++*(int *)user;
}

/* A damaged record is told once, also if it waits while its partner is looked for. */
static void damage_is_told_once(void **state)
{
    static struct bytes ia, ib;
    const struct plan both = {.n_ips = 5, .second_sample = true};
    const struct plan second = {.n_ips = 5};
    int told = 0;
    const struct pd_differences_options o = {.size = sizeof o, .finding = on_finding, .user = &told};
    struct pd_reader *ra, *rb;
    uint64_t n;
    (void)state;
    make(&ia, &both);
    make(&ib, &second);
    const size_t sample = 8 + 8 + 8; /* header, task and time */
    const uint8_t *const comm = memmem(ia.p, ia.n, "name", 5);
    assert_non_null(comm);
    uint8_t *const nr = ia.p + (comm - ia.p) + 8 + 16 + sample; /* behind the name and the sample_id */
    assert_int_equal(*nr, 5);
    *nr = 99;
    open_both(&ra, &ia, &rb, &ib);
    assert_int_equal(pd_differences(ra, rb, &o, &n, NULL), PD_OK);
    assert_int_equal(told, 1);
    pd_reader_close(ra);
    pd_reader_close(rb);
}

/* Two features, of which either may be the first behind their table. */
static struct image two_features(bool swapped)
{
    struct image im;
    image_start(&im, false, 104, 80);
    image_section(&im, IMAGE_ATTRS, im.n, 80);
    image_attr(&im, 64, 64, ST_IP, false);
    image_ids(&im, 0, 0);
    image_section(&im, IMAGE_DATA, im.n, 0);
    image_feature(&im, PD_FEAT_HOSTNAME, 8);
    image_feature(&im, PD_FEAT_OSRELEASE, 8);
    const size_t table = im.n;
    image_zeros(&im, 32);
    if (swapped)
        image_feature_string(&im, table + 16, "6.1", 64);
    image_feature_string(&im, table, "host", 64);
    if (!swapped)
        image_feature_string(&im, table + 16, "6.1", 64);
    return im;
}

/* Of parts in another sequence the first is told, here behind some that are in the same. */
static void parts_in_another_sequence(void **state)
{
    (void)state;
    for (int swapped = 0; swapped < 2; swapped++) {
        struct image a = two_features(false), b = two_features(swapped);
        struct list l = {0};
        const struct pd_differences_options o = {.size = sizeof o, .difference = on_difference, .user = &l};
        struct pd_reader *ra, *rb;
        uint64_t n;
        assert_int_equal(pd_reader_open_memory(&ra, a.b, a.n, NULL, NULL), PD_OK);
        assert_int_equal(pd_reader_open_memory(&rb, b.b, b.n, NULL, NULL), PD_OK);
        assert_int_equal(pd_differences(ra, rb, &o, &n, NULL), PD_OK);
        assert_int_equal(n, swapped);
        assert_int_equal(l.n, swapped);
        if (swapped) {
            assert_int_equal(l.told[0].kind, PD_DIFFERENCE_CONTAINER);
            assert_string_equal(l.told[0].path, "sequence");
            assert_string_equal(l.told[0].text[0], "hostname");
            assert_string_equal(l.told[0].text[1], "osrelease");
        }
        pd_reader_close(ra);
        pd_reader_close(rb);
        image_free(&a);
        image_free(&b);
    }
}

/* ---- Memory */

/* A file of 2009, with the names of n events in a section of their own. */
static struct image old_file(size_t n, uint64_t last, const char *name)
{
    struct image im;
    image_start(&im, false, 104, 72 + 16);
    image_section(&im, IMAGE_ATTRS, im.n, 72 + 16);
    image_attr(&im, 72, 72, ST_IP, false);
    image_ids(&im, 0, 0);
    image_section(&im, IMAGE_TYPES, im.n, 72 * n);
    for (size_t i = 0; i < n; i++) {
        image_u64(&im, i + 1 < n ? i : last);
        image_bytes(&im, name, strlen(name));
        image_zeros(&im, 64 - strlen(name));
    }
    image_section(&im, IMAGE_DATA, im.n, 0);
    return im;
}

static void event_types_of_old_files(void **state)
{
    (void)state;
    static const struct {
        size_t n[2];
        uint64_t last;
        const char *name, *path; /* the end of the path of the only difference */
        uint64_t value[2];
    } cases[] = {
        {{2, 2}, 1, "cycles", NULL, {0}},
        {{2, 2}, 5, "cycles", "event_id", {1, 5}},
        {{1, 1}, 1, "clock", "name", {0}},
        {{2, 3}, 2, "cycles", "event_types", {2, 3}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct image a = old_file(cases[i].n[0], 1, "cycles"),
                     b = old_file(cases[i].n[1], cases[i].last, cases[i].name);
        struct list l = {0};
        const struct pd_differences_options o = {
            .size = sizeof o, .ignore = PD_IGNORE_OFFSET, .difference = on_difference, .user = &l};
        struct pd_reader *ra, *rb;
        uint64_t n;
        assert_int_equal(pd_reader_open_memory(&ra, a.b, a.n, NULL, NULL), PD_OK);
        assert_int_equal(pd_reader_open_memory(&rb, b.b, b.n, NULL, NULL), PD_OK);
        assert_int_equal(pd_differences(ra, rb, &o, &n, NULL), PD_OK);
        assert_int_equal(n, cases[i].path != NULL);
        if (cases[i].path) {
            const char *path = l.told[0].path;
            const size_t end = strlen(cases[i].path);
            assert_true(strlen(path) >= end);
            assert_string_equal(path + strlen(path) - end, cases[i].path);
            assert_int_equal(l.told[0].value[0], cases[i].value[0]);
            assert_int_equal(l.told[0].value[1], cases[i].value[1]);
        }
        pd_reader_close(ra);
        pd_reader_close(rb);
        image_free(&a);
        image_free(&b);
    }
}

/* A file of AUXTRACE records that are alike, each with another payload behind it. */
static struct image traces(const uint8_t *payloads, size_t n)
{
    struct image im;
    image_start(&im, false, 104, 128 + 16);
    image_section(&im, IMAGE_ATTRS, im.n, 128 + 16);
    image_attr(&im, 128, 128, ST_IP | ST_TID | ST_TIME, true);
    image_ids(&im, 0, 0);
    const size_t data = im.n;
    for (size_t i = 0; i < n; i++) {
        image_auxtrace(&im, 24);
        im.b[im.n - 1] = payloads[i];
    }
    image_section(&im, IMAGE_DATA, data, im.n - data);
    return im;
}

static uint64_t trace_differences(const uint8_t *a, size_t na, const uint8_t *b, size_t nb, unsigned ignore)
{
    struct image ia = traces(a, na), ib = traces(b, nb);
    const struct pd_differences_options o = {.size = sizeof o, .ignore = ignore};
    struct pd_reader *ra, *rb;
    uint64_t n;
    assert_int_equal(pd_reader_open_memory(&ra, ia.b, ia.n, NULL, NULL), PD_OK);
    assert_int_equal(pd_reader_open_memory(&rb, ib.b, ib.n, NULL, NULL), PD_OK);
    assert_int_equal(pd_differences(ra, rb, &o, &n, NULL), PD_OK);
    pd_reader_close(ra);
    pd_reader_close(rb);
    image_free(&ia);
    image_free(&ib);
    return n;
}

/* What stands behind a record counts as what is in it, in order and in any order. */
static void payloads(void **state)
{
    static const unsigned ways[] = {0, PD_IGNORE_OFFSET, PD_IGNORE_ORDER,
                                    PD_IGNORE_OFFSET | PD_IGNORE_ORDER | PD_IGNORE_CONTAINER};
    static const uint8_t one[] = {1, 2, 3}, first[] = {9, 2, 3}, last[] = {1, 2, 9}, turned[] = {2, 1, 3};
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        assert_int_equal(trace_differences(one, 3, one, 3, ways[i]), 0);
        assert_int_equal(trace_differences(one, 3, first, 3, ways[i]), 1);
        assert_int_equal(trace_differences(one, 3, last, 3, ways[i]), 1);
        assert_int_equal(trace_differences(one, 3, turned, 3, ways[i]) == 0,
                         ways[i] & PD_IGNORE_ORDER ? 1 : 0);
        assert_int_equal(trace_differences(one, 3, one + 1, 2, ways[i]), 1); /* the first is missing */
        assert_int_equal(trace_differences(one, 3, one, 2, ways[i]), 1);
    }
}

static void memory_runs_out(void **state)
{
    struct heap heap = {.once = true};
    const struct pd_allocator failing = {heap_resize, heap_release, &heap};
    struct list l = {0};
    struct plan other = usual;
    uint64_t n;
    (void)state;
    other.ips[0] = 5;
    other.second_sample = true;
    for (unsigned ignore = 0; ignore <= PD_IGNORE_ORDER; ignore += PD_IGNORE_ORDER) {
        heap.calls = heap.fail_at = 0;
        l.n = 0, l.done = 0;
        assert_int_equal(compare(&usual, &other, ignore, &l, &n, &failing), PD_OK);
        assert_int_equal(n, 2);
        const size_t calls = heap.calls;
        assert_true(calls > 3);
        for (size_t at = 1; at <= calls; at++) {
            heap.calls = l.n = 0, l.done = 0;
            heap.fail_at = at;
            const enum pd_code code = compare(&usual, &other, ignore, &l, &n, &failing);
            assert_true(code == PD_ENOMEM || (code == PD_OK && n == 2));
            assert_int_equal(heap.blocks, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_ones),
        cmocka_unit_test(each_kind),
        cmocka_unit_test(event_of_one),
        cmocka_unit_test(many_elements),
        cmocka_unit_test(stops),
        cmocka_unit_test(what_is_ignored),
        cmocka_unit_test(event_types_of_old_files),
        cmocka_unit_test(payloads),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(damage_is_told_once),
        cmocka_unit_test(parts_in_another_sequence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
