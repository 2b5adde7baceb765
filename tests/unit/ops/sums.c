/* SPDX-License-Identifier: MIT */
/*
 * sums.c - pd_report_new() and pd_export_new(): what they refuse, and sums of a recording by hand, counted by
 * hand, too.
 */
#include "cmocka_all.h"
#include "fuzz/image_sink.h"
#include <perfdata/ops/export.h>
#include <perfdata/ops/report.h>
#include <stdio.h>
#include <string.h>

enum { ST = ST_IDENTIFIER | ST_IP | ST_TID | ST_TIME | ST_PERIOD };

static void sample(struct image *im, uint64_t id, uint64_t ip, uint32_t tid, uint64_t time, uint64_t period)
{
    const size_t at = image_record(im, 9, 2);
    image_u64(im, id);
    image_u64(im, ip);
    image_u32(im, tid);
    image_u32(im, tid);
    image_u64(im, time);
    image_u64(im, period);
    image_end(im, at);
}

static void trailer(struct image *im, uint32_t tid, uint64_t time)
{
    image_u32(im, tid);
    image_u32(im, tid);
    image_u64(im, time);
    image_u64(im, 7);
}

static void comm(struct image *im, uint32_t tid, const char name[8], uint64_t time)
{
    const size_t at = image_record(im, 3, 0);
    image_u32(im, tid);
    image_u32(im, tid);
    image_bytes(im, name, 8);
    trailer(im, tid, time);
    image_end(im, at);
}

static void map(struct image *im, uint32_t tid, uint64_t time)
{
    const size_t at = image_record(im, 1, 0);
    image_u32(im, tid);
    image_u32(im, tid);
    image_u64(im, 0x400000);
    image_u64(im, 0x1000);
    image_u64(im, 0);
    image_bytes(im, "/bin/it", 8);
    trailer(im, tid, time);
    image_end(im, at);
}

/*
 * Task 1 is "one" and then "two", and has a file mapped; task 2 has neither. Of two events, the second has no
 * sample of an id it has; id 9 is of none.
 */
static struct image recording(void)
{
    struct image im;
    image_start(&im, false, 104, 128 + 16);
    image_u64(&im, 7); /* the ids */
    image_u64(&im, 8);
    image_section(&im, IMAGE_ATTRS, im.n, (size_t)2 * (128 + 16));
    for (unsigned i = 0; i < 2; i++) {
        image_attr(&im, 128, 128, ST, true);
        image_ids(&im, 104 + 8 * i, 8);
    }
    const size_t data = im.n;
    comm(&im, 1, "one\0\0\0\0", 1);
    map(&im, 1, 2);
    sample(&im, 7, 0x400010, 1, 100, 5);
    sample(&im, 7, 0x400020, 1, 149, 6);
    comm(&im, 1, "two\0\0\0\0", 150);
    sample(&im, 7, 0x400010, 1, 150, 7);
    sample(&im, 7, 0x800000, 1, 199, 1);
    sample(&im, 7, 0x400010, 2, 200, 40);
    sample(&im, 9, 0x400010, 2, 201, 80);
    image_section(&im, IMAGE_DATA, data, im.n - data);
    return im;
}

static struct pd_reader *open_image(const struct image *im)
{
    struct pd_reader *r;
    assert_int_equal(pd_reader_open_memory(&r, im->b, im->n, NULL, NULL), PD_OK);
    assert_int_equal(pd_reader_n_findings(r), 0);
    return r;
}

static bool name_symbol(void *user, const char *file, const char *build_id, uint64_t offset,
                        struct pd_symbol *symbol)
{
    (void)user;
    assert_string_equal(file, "/bin/it");
    assert_string_equal(build_id, "");
    *symbol = (struct pd_symbol){.name = "function"};
    return offset < 0x20;
}

/* ---- Reports */

static enum pd_code report(const struct image *im, struct pd_report_options o, struct pd_report **out,
                           struct pd_error *e)
{
    struct pd_reader *r = open_image(im);
    o.size = sizeof o;
    const enum pd_code code = pd_report_new(out, r, &o, e);
    pd_reader_close(r);
    return code;
}

/* "TEXT TEXT … SAMPLES PERIOD" for each row of an event, with ";" behind. */
static void print_rows(const struct pd_report *report, size_t event, const enum pd_report_key *keys, size_t n,
                       char *text, size_t cap)
{
    const struct pd_report_event *e = pd_report_get_event(report, event);
    size_t at = 0;
    *text = 0;
    for (size_t i = 0; i < e->n_rows; i++) {
        for (size_t k = 0; k < n; k++) {
            const uint64_t value = e->rows[i].values[k];
            const char *name = pd_report_text(report, keys[k], value);
            at += (size_t)(name ? snprintf(text + at, cap - at, "%s ", name)
                                : snprintf(text + at, cap - at, "%lld ", (long long)value));
        }
        at +=
            (size_t)snprintf(text + at, cap - at, "%d %d;", (int)e->rows[i].samples, (int)e->rows[i].period);
    }
}

static void sums_by_keys(void **state)
{
    (void)state;
    static const struct {
        enum pd_report_key keys[2];
        const char *rows; /* of the first event */
    } cases[] = {
        {{PD_KEY_COMM, PD_KEY_DSO}, ":2 [unknown] 1 40;one it 2 11;two it 1 7;two [unknown] 1 1;"},
        {{PD_KEY_SYM, PD_KEY_PID}, "[unknown] 2 1 40;function 1 2 12;[unknown] 1 2 7;"},
        /* parts of 50: from 100 up to 149, and from 150 on, of which the last includes 200 */
        {{PD_KEY_TIME, PD_KEY_CGROUP}, "1 N/A 3 48;0 N/A 2 11;"},
        {{PD_KEY_TID, PD_KEY_EVENT}, "2 0 1 40;1 0 4 19;"},
    };
    struct image im = recording();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct pd_report_options o = {.keys = cases[i].keys,
                                            .n_keys = 2,
                                            .slices = 2,
                                            .first = 100,
                                            .last = 200,
                                            .symbol = name_symbol};
        struct pd_report *r;
        char text[400];
        assert_int_equal(report(&im, o, &r, NULL), PD_OK);
        assert_int_equal(pd_report_n_events(r), 2); /* those of an unknown event last */
        print_rows(r, 0, cases[i].keys, 2, text, sizeof text);
        assert_string_equal(text, cases[i].rows);
        const struct pd_report_event *unknown = pd_report_get_event(r, 1);
        assert_int_equal(unknown->attr_index, UINT32_MAX);
        assert_int_equal(unknown->samples, 1);
        assert_null(pd_report_get_event(r, 2));
        assert_false(pd_report_is_damaged(r));
        pd_report_free(r);
    }
    pd_report_free(NULL);
    image_free(&im);
}

/* Keys twice or unknown, one that needs more than itself; memory. */
static void reports_refuse(void **state)
{
    (void)state;
    static const struct {
        enum pd_report_key keys[2];
        struct pd_report_options o;
    } wrong[] = {
        {{PD_KEY_COMM, PD_KEY_COMM}, {.n_keys = 2}},
        {{PD_KEY_SYM + 1, PD_KEY_COMM}, {.n_keys = 2}},
        {{PD_KEY_SYM}, {.n_keys = 1}},
        {{PD_KEY_TIME}, {.n_keys = 1, .last = 5}},
        {{PD_KEY_TIME}, {.n_keys = 1, .slices = 5, .first = 6, .last = 5}},
        {{PD_KEY_COMM}, {.n_keys = PD_REPORT_MOST_KEYS + 1}},
    };
    struct image im = recording();
    struct pd_report *r;
    struct pd_error e;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct pd_report_options o = wrong[i].o;
        enum pd_report_key keys[PD_REPORT_MOST_KEYS + 1] = {
            PD_KEY_COMM, PD_KEY_DSO, PD_KEY_PID, PD_KEY_TID, PD_KEY_CPU, PD_KEY_EVENT, PD_KEY_CGROUP};
        if (o.n_keys <= 2)
            memcpy(keys, wrong[i].keys, sizeof wrong[i].keys);
        o.keys = keys;
        assert_int_equal(report(&im, o, &r, &e), PD_EARG);
        assert_string_equal(e.field, "keys");
    }
    assert_int_equal(report(&im, (struct pd_report_options){.memory = 1}, &r, &e), PD_ELIMIT);
    assert_string_equal(e.field, "memory of the report");
    assert_int_equal(e.expected, 1);
    image_free(&im);
}

/* ---- Exports */

static int open_member(void *user, const char *name, unsigned mode, struct pd_sink *sink)
{
    (void)user, (void)name, (void)mode, (void)sink;
    return 1;
}

static void exports_refuse(void **state)
{
    (void)state;
    static const struct {
        const char *field;
        struct pd_export_options o;
    } wrong[] = {
        {"format", {.format = PD_EXPORT_PARQUET + 1}},
        {"keys", {.keys = PD_EXPORT_CGROUP << 1}},
        {"open_member", {.format = PD_EXPORT_BOLT}},
        {"open_member", {.format = PD_EXPORT_PROFGEN, .open_member = open_member}},
        {"symbol", {.format = PD_EXPORT_SYMBOLS}},
        {"sink", {.format = PD_EXPORT_PARQUET}},
        {"fields", {.n_fields = 1 << 20}},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct pd_export_options o = wrong[i].o;
        struct pd_export *export = NULL;
        struct pd_error e;
        o.size = sizeof o;
        assert_int_equal(pd_export_new(&export, &o, &e), PD_EARG);
        assert_string_equal(e.field, wrong[i].field);
        assert_null(export);
    }
    pd_export_free(NULL);
}

/* Written once, an export is at its end. */
static void an_export_is_written_once(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "one;/bin/it+0x10 5\n",       "one;/bin/it+0x20 6\n",       "two;/bin/it+0x10 7\n",
        "two;[unknown]+0x800000 1\n", ":2;[unknown]+0x400010 40\n",
    };
    const struct pd_export_options o = {.size = sizeof o, .keys = PD_EXPORT_COMM};
    size_t length = 0;
    struct image im = recording(), out = {0};
    const struct pd_sink sink = image_sink(&out);
    struct pd_reader *r = open_image(&im);
    struct pd_export_stats stats;
    struct pd_export *export;
    struct pd_error e;
    assert_int_equal(pd_export_new(&export, &o, &e), PD_OK);
    assert_int_equal(pd_export_add(export, r, NULL, &e), PD_OK);
    pd_export_get_stats(export, &stats);
    assert_int_equal(stats.samples, 6);
    assert_int_equal(stats.exported, 5);
    assert_int_equal(stats.unknown, 1);
    assert_int_equal(pd_export_write(export, &sink, &e), PD_OK);
    image_bytes(&out, "", 1);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) { /* in whatever order */
        assert_non_null(strstr((const char *)out.b, lines[i]));
        length += strlen(lines[i]);
    }
    assert_int_equal(out.n, length + 1);
    assert_int_equal(pd_export_write(export, &sink, &e), PD_EARG);
    assert_string_equal(e.field, "export");
    assert_int_equal(pd_export_add(export, r, NULL, &e), PD_EARG);
    assert_string_equal(e.field, "export");
    pd_export_free(export);
    pd_reader_close(r);
    image_free(&im);
    image_free(&out);
}

enum { LONG = 512 }; /* bytes that there is room for at first, with the NUL */

static size_t name_event(void *user, struct pd_reader *reader, uint32_t attr, char *buf, size_t cap)
{
    char name[LONG + 1];
    (void)user, (void)reader;
    memset(name, 'x', LONG);
    name[LONG - 1] = (char)('0' + attr);
    name[LONG] = 0;
    return (size_t)snprintf(buf, cap, "%s", name);
}

/* Where there are two events, their names come first, however long they are. */
static void long_names_of_events(void **state)
{
    (void)state;
    const struct pd_export_options o = {.size = sizeof o, .event_name = name_event};
    struct image im = recording(), out = {0};
    const struct pd_sink sink = image_sink(&out);
    struct pd_reader *r = open_image(&im);
    struct pd_export *export;
    assert_int_equal(pd_export_new(&export, &o, NULL), PD_OK);
    assert_int_equal(pd_export_add(export, r, NULL, NULL), PD_OK);
    assert_int_equal(pd_export_write(export, &sink, NULL), PD_OK);
    image_bytes(&out, "", 1);
    const char *end = strstr((const char *)out.b, "x0;/bin/it+0x20 6\n");
    assert_non_null(end);
    assert_true(end + 2 - (const char *)out.b >= LONG);
    for (int i = 0; i < LONG - 1; i++)
        assert_int_equal(end[-i], 'x');
    pd_export_free(export);
    pd_reader_close(r);
    image_free(&im);
    image_free(&out);
}

/* One sample, whose call chain has n frames. */
static struct image deep_recording(size_t n)
{
    struct image im;
    image_start(&im, false, 104, 128 + 16);
    image_section(&im, IMAGE_ATTRS, im.n, 128 + 16);
    image_attr(&im, 128, 128, ST_TID | ST_CALLCHAIN, true);
    image_ids(&im, 0, 0);
    const size_t data = im.n, at = image_record(&im, 9, 2);
    image_u32(&im, 0x7fffffff);
    image_u32(&im, 0x7fffffff);
    image_u64(&im, n);
    for (size_t i = 0; i < n; i++)
        image_u64(&im, 0x400000 + i);
    image_end(&im, at);
    image_section(&im, IMAGE_DATA, data, im.n - data);
    return im;
}

/* What an export of one recording counts. */
static struct pd_export_stats stats_of(const struct image *im, const struct pd_export_options *o)
{
    struct pd_reader *r = open_image(im);
    struct pd_export_stats stats;
    struct pd_export *export;
    assert_int_equal(pd_export_new(&export, o, NULL), PD_OK);
    assert_int_equal(pd_export_add(export, r, NULL, NULL), PD_OK);
    pd_export_get_stats(export, &stats);
    pd_export_free(export);
    pd_reader_close(r);
    return stats;
}

/*
 * Of 65528 bytes for a stack, its end takes one, its event one, and its process and thread five each. In the
 * others are 4367 frames of 15 bytes.
 */
static void too_deep_stacks_are_cut(void **state)
{
    (void)state;
    const struct pd_export_options o = {.size = sizeof o, .keys = PD_EXPORT_PID | PD_EXPORT_TID};
    for (size_t more = 0; more < 2; more++) {
        struct image im = deep_recording(4367 + more);
        const struct pd_export_stats stats = stats_of(&im, &o);
        assert_int_equal(stats.exported, 1);
        assert_int_equal(stats.cut, more);
        image_free(&im);
    }
}

static void count_finding(void *user, const struct pd_error *what)
{
    assert_int_equal(what->code, PD_ECOUNT);
    ++*(unsigned *)user;
}

/* A sample at one address, with a call chain that says to have n frames and has `there` of them. */
static void chained(struct image *im, uint64_t time, uint64_t n, uint64_t there)
{
    const size_t at = image_record(im, 9, 2);
    image_u64(im, 0x400010);
    image_u32(im, 1);
    image_u32(im, 1);
    image_u64(im, time);
    image_u64(im, n);
    for (uint64_t i = 0; i < there; i++)
        image_u64(im, 0x400010);
    image_end(im, at);
}

/* Of samples that are alike but for a count that cannot be, those are counted, and the damage is told. */
static void alike_but_damaged(void **state)
{
    (void)state;
    unsigned findings = 0;
    const struct pd_export_options o = {
        .size = sizeof o, .keys = PD_EXPORT_PID, .finding = count_finding, .user = &findings};
    struct image im;
    const uint16_t one = 1;
    image_start(&im, *(const uint8_t *)&one == 0, 104, 128 + 16); /* of this machine's byte order */
    image_section(&im, IMAGE_ATTRS, im.n, 128 + 16);
    image_attr(&im, 128, 128, ST_IP | ST_TID | ST_TIME | ST_CALLCHAIN, true);
    image_ids(&im, 0, 0);
    const size_t data = im.n;
    for (uint64_t i = 0; i < 100; i++)
        chained(&im, 1 + i, i < 10, i < 10);
    chained(&im, 200, 5, 0);
    chained(&im, 201, 0, 0);
    image_section(&im, IMAGE_DATA, data, im.n - data);
    const struct pd_export_stats stats = stats_of(&im, &o);
    assert_int_equal(findings, 1);
    assert_int_equal(stats.exported, 101);
    image_free(&im);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_by_keys),         cmocka_unit_test(reports_refuse),
        cmocka_unit_test(exports_refuse),       cmocka_unit_test(an_export_is_written_once),
        cmocka_unit_test(long_names_of_events), cmocka_unit_test(too_deep_stacks_are_cut),
        cmocka_unit_test(alike_but_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
