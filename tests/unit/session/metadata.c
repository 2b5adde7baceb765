/* SPDX-License-Identifier: MIT */
/* metadata.c - the metadata of recordings made by hand, in sections and in streams of either byte order. */
#include "fuzz/image.h"
#include "cmocka_all.h"
#include "heap.h"
#include <perfdata/constants.h>
#include <perfdata/session/large_record.h>
#include <perfdata/session/metadata.h>
#include <perfdata/session/tracepoint.h>
#include "src/session/metadata/metadata.h"
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

/* ---- A stream */

static void string64(struct image *im, const char *s, uint32_t slot)
{
    image_u32(im, slot);
    image_bytes(im, s, strlen(s));
    image_zeros(im, slot - strlen(s));
}

static size_t feature(struct image *im, uint64_t id)
{
    const size_t at = image_record(im, 80, 0);
    image_u64(im, id);
    return at;
}

static void attr_record(struct image *im, uint32_t type, uint64_t config, uint64_t id)
{
    const size_t at = image_record(im, 64, 0);
    const size_t attr = image_attr(im, 128, 128, ST_IP | ST_TID | ST_ID, true);
    image_set(im, attr, type, 4);
    image_set(im, attr + 8, config, 8);
    image_u64(im, id);
    image_end(im, at);
}

static void event_name(struct image *im, uint64_t id, const char *name)
{
    const size_t at = image_record(im, 78, 0);
    image_u64(im, 2);
    image_u64(im, id);
    image_bytes(im, name, strlen(name) + 1);
    image_zeros(im, 15 - strlen(name) % 8);
    image_end(im, at);
}

static const char format[] = "name: mine\nID: 321\nformat:\n\tfield:int x;\toffset:8;\tsize:4;\tsigned:1;\n";

/* The blob's own byte order is always the opposite one. */
static void blob_of(struct image *out, bool big, const char *system)
{
    struct image im = {.big = !big};
    image_bytes(&im, "\x17\x08\x44tracing0.6", 14);
    image_bytes(&im, big ? "\0" : "\1", 1);
    image_bytes(&im, "\10", 1);
    image_u32(&im, 4096);
    image_bytes(&im, "header_page", 12);
    image_u64(&im, 0);
    image_bytes(&im, "header_event", 13);
    image_u64(&im, 0);
    image_u32(&im, 0);
    image_u32(&im, 1);
    image_bytes(&im, system, strlen(system) + 1);
    image_u32(&im, 1);
    image_u64(&im, sizeof format - 1);
    image_bytes(&im, format, sizeof format - 1);
    image_u32(&im, 0);
    image_u32(&im, 0);
    image_u64(&im, 0);
    image_bytes(out, im.b, im.n);
    image_free(&im);
}

static void blob(struct image *out, bool big)
{
    blob_of(out, big, "own");
}

static void put_features(struct image *im)
{
    size_t at = feature(im, PD_FEAT_HOSTNAME);
    string64(im, "host", 64);
    image_end(im, at);
    at = feature(im, PD_FEAT_CPU_TOPOLOGY); /* before NRCPUS, which it needs */
    image_u32(im, 1);
    string64(im, "0-1", 64);
    image_u32(im, 0);
    for (uint32_t i = 0; i < 4; i++)
        image_u32(im, 7 + i); /* core 7 of socket 8, core 9 of socket 10 */
    image_u32(im, 0);
    image_u32(im, 5);
    image_u32(im, 6);
    image_end(im, at);
    at = feature(im, PD_FEAT_NRCPUS);
    image_u32(im, 2);
    image_u32(im, 1);
    image_end(im, at);
    at = feature(im, PD_FEAT_TOTAL_MEM);
    image_u64(im, 3);
    image_end(im, at);
    at = feature(im, PD_FEAT_NUMA_TOPOLOGY);
    image_u32(im, 1);
    image_u32(im, 4);
    image_u64(im, 10);
    image_u64(im, 9);
    string64(im, "1,3-4", 8);
    image_end(im, at);
    at = feature(im, PD_FEAT_PMU_MAPPINGS);
    image_u32(im, 2);
    image_u32(im, 1);
    string64(im, "software", 64);
    image_u32(im, 9);
    string64(im, "msr", 64);
    image_end(im, at);
    at = feature(im, PD_FEAT_GROUP_DESC);
    image_u32(im, 1);
    string64(im, "{anon_group}", 64);
    image_u32(im, 1);
    image_u32(im, 2);
    image_end(im, at);
    at = feature(im, PD_FEAT_CACHE); /* damaged: one cache, but no data of it */
    image_u32(im, 1);
    image_u32(im, 1);
    image_end(im, at);
    at = feature(im, 35); /* the mark behind the last */
    image_end(im, at);
}

static void put_build_id(struct image *im, const char *file, uint8_t first)
{
    const size_t at = image_record(im, 67, 0x8000);
    image_u32(im, UINT32_MAX);
    for (unsigned i = 0; i < 20; i++)
        image_bytes(im, &(uint8_t){(uint8_t)(first + i)}, 1);
    image_bytes(im, "\x08\0\0\0", 4);
    image_bytes(im, file, strlen(file));
    image_zeros(im, 8 - strlen(file) % 8);
    image_end(im, at);
}

/* A mapping of a file with a build id of 4 bytes, without sample_id fields. */
static void put_mapping(struct image *im, const char *file, uint8_t first)
{
    const size_t at = image_record(im, 10, 0x4000);
    image_u32(im, 5);
    image_u32(im, 5);
    image_zeros(im, 24);
    image_bytes(im, "\x04\0\0\0", 4);
    image_bytes(im, &first, 1);
    image_zeros(im, 19 + 8);
    image_bytes(im, file, strlen(file));
    image_zeros(im, 8 - strlen(file) % 8);
    image_zeros(im, 16); /* TID and ID */
    image_end(im, at);
}

static void put_stream(struct image *im, bool big)
{
    struct image b = {0};
    image_start(im, big, 16, 0);
    attr_record(im, PD_TYPE_SOFTWARE, 0, 11);
    attr_record(im, PD_TYPE_TRACEPOINT, 321, 12);
    attr_record(im, PD_TYPE_SOFTWARE, 1, 13);
    put_features(im);
    blob(&b, big);
    const size_t at = image_record(im, 66, 0);
    image_u32(im, (uint32_t)b.n);
    image_end(im, at);
    image_bytes(im, b.b, b.n);
    image_free(&b);
    event_name(im, 11, "named");
    put_build_id(im, "/bin/one", 0x40);
    put_build_id(im, "/bin/two", 0x60);
    for (int i = 0; i < 3; i++) {
        put_mapping(im, "/bin/mapped", 0x77);
        put_mapping(im, "/bin/mapped", 0x78);
    }
}

static struct pd_metadata *read_all(struct pd_reader **r, const struct image *im)
{
    struct pd_metadata *m;
    struct pd_record rec = {0};
    struct pd_error e;
    assert_int_equal(pd_reader_open_memory(r, im->b, im->n, NULL, &e), PD_OK);
    assert_int_equal(pd_metadata_open(&m, *r, NULL, &e), PD_OK);
    while (pd_reader_next(*r, &rec, &e) == PD_OK)
        assert_int_equal(pd_metadata_add(m, *r, &rec, &e), PD_OK);
    assert_int_equal(pd_metadata_finish(m, *r, &e), PD_OK);
    return m;
}

static void check_text(const struct pd_str *s, const char *text)
{
    assert_non_null(s);
    assert_int_equal(s->len, strlen(text));
    assert_memory_equal(s->ptr, text, s->len);
}

static void check_machine(const struct pd_metadata *m)
{
    uint64_t bytes = 0;
    check_text(pd_metadata_text(m, PD_FEAT_HOSTNAME), "host");
    assert_null(pd_metadata_text(m, PD_FEAT_OSRELEASE));
    assert_null(pd_metadata_text(m, PD_FEAT_NRCPUS));
    assert_true(pd_metadata_total_mem(m, &bytes));
    assert_int_equal(bytes, 3072);
    const struct pd_cpu_place zero = pd_metadata_cpu(m, 0), one = pd_metadata_cpu(m, 1),
                              two = pd_metadata_cpu(m, 2);
    assert_int_equal(zero.core, 7);
    assert_int_equal(zero.socket, 8);
    assert_int_equal(zero.die, 5);
    assert_int_equal(zero.node, -1);
    assert_int_equal(one.core, 9);
    assert_int_equal(one.socket, 10);
    assert_int_equal(one.die, 6);
    assert_int_equal(one.node, 4);
    assert_int_equal(two.core, -1);
    assert_int_equal(two.die, -1);
    assert_int_equal(pd_metadata_cpu(m, 3).node, 4);
}

static void check_events(struct pd_metadata *m, const struct pd_reader *r)
{
    struct pd_pmu_mapping pmu;
    struct pd_group_desc group;
    assert_string_equal(pd_metadata_event_name(m, r, 0), "named");
    assert_string_equal(pd_metadata_event_name(m, r, 1), "own:mine");
    assert_null(pd_metadata_event_name(m, r, 2));
    assert_null(pd_metadata_event_name(m, r, 3));
    check_text(pd_metadata_pmu_name(m, 9, &pmu), "msr");
    assert_null(pd_metadata_pmu_name(m, 2, &pmu));
    assert_false(pd_metadata_group(m, 0, &group));
    assert_true(pd_metadata_group(m, 2, &group));
    assert_int_equal(group.leader_idx, 1);
    assert_false(pd_metadata_group(m, 3, &group));
    assert_non_null(pd_tracepoints_by_id(pd_metadata_tracepoints(m), 321));
}

static void count_files(void *user, const struct pd_build_id *file, const uint8_t *id, size_t n)
{
    (void)file, (void)id, (void)n;
    ++*(size_t *)user;
}

static void check_files(const struct pd_metadata *m)
{
    uint8_t id[20];
    size_t n = 0;
    assert_true(pd_metadata_build_id(m, "/bin/two", id, &n));
    assert_int_equal(n, 8); /* as stored */
    assert_int_equal(id[0], 0x60);
    assert_int_equal(id[7], 0x67);
    assert_true(pd_metadata_build_id(m, "/bin/mapped", id, &n));
    assert_int_equal(n, 4);
    assert_int_equal(id[0], 0x77);
    size_t files = 0;
    pd_metadata_each_build_id(m, count_files, &files);
    assert_int_equal(files, 4); /* each of the mapped ones once */
    assert_false(pd_metadata_build_id(m, "/bin/t", id, &n));
    assert_false(pd_metadata_build_id(m, "/bin/three", id, &n));
}

static void of_a_stream(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct image im;
        struct pd_reader *r;
        put_stream(&im, big);
        struct pd_metadata *m = read_all(&r, &im);
        check_machine(m);
        check_events(m, r);
        check_files(m);
        assert_int_equal(pd_metadata_n_findings(m), 1);
        assert_int_equal(pd_metadata_finding(m, 0)->code, PD_ECOUNT);
        assert_string_equal(pd_metadata_finding(m, 0)->field, "nr");
        assert_null(pd_metadata_feature(m, PD_FEAT_CACHE)->layout);
        assert_int_equal(pd_metadata_feature(m, PD_FEAT_CACHE)->raw.n, 8);
        for (size_t i = 1; i < pd_metadata_n_features(m); i++)
            assert_true(pd_metadata_feature_at(m, i - 1)->id < pd_metadata_feature_at(m, i)->id);
        pd_metadata_close(m);
        pd_reader_close(r);
        image_free(&im);
    }
}

static void of_a_file(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct image im;
        struct pd_reader *r;
        struct pd_metadata *m;
        struct pd_error e;
        image_recording(&im, big);
        assert_int_equal(pd_reader_open_memory(&r, im.b, im.n, NULL, &e), PD_OK);
        assert_int_equal(pd_metadata_open(&m, r, NULL, &e), PD_OK);
        check_text(pd_metadata_text(m, PD_FEAT_HOSTNAME), "host");
        check_text(pd_metadata_text(m, PD_FEAT_OSRELEASE), "6.1.0");
        assert_int_equal(pd_metadata_feature(m, PD_FEAT_BRANCH_STACK)->raw.n, 0);
        assert_int_equal(pd_metadata_feature(m, 200)->raw.n, 13);
        assert_null(pd_metadata_feature(m, 200)->layout);
        assert_null(pd_metadata_feature(m, PD_FEAT_NRCPUS));
        pd_metadata_close(m);
        pd_reader_close(r);
        image_free(&im);
    }
}

/* Data beyond the limit is left out and reported; the rest is available. */
static void of_limited_size(void **state)
{
    (void)state;
    struct image im;
    struct pd_reader *r;
    struct pd_metadata *m;
    struct pd_error e;
    const struct pd_metadata_options o = {.size = sizeof o, .max_bytes = 68};
    image_recording(&im, false);
    assert_int_equal(pd_reader_open_memory(&r, im.b, im.n, NULL, &e), PD_OK);
    assert_int_equal(pd_metadata_open(&m, r, &o, &e), PD_OK);
    check_text(pd_metadata_text(m, PD_FEAT_HOSTNAME), "host");
    assert_null(pd_metadata_feature(m, PD_FEAT_OSRELEASE));
    assert_int_equal(pd_metadata_n_findings(m), 2);
    assert_int_equal(pd_metadata_finding(m, 0)->code, PD_ELIMIT);
    assert_int_equal(pd_metadata_finding(m, 0)->found, 68);
    pd_metadata_close(m);
    pd_reader_close(r);
    image_free(&im);
}

/* By default so much is kept, which the finding about a section of a byte more tells. */
static void sections_of_default_size(void **state)
{
    (void)state;
    const size_t most = (size_t)256 << 20;
    struct image im;
    struct pd_reader *r;
    struct pd_metadata *m;
    image_recording(&im, false);
    image_section(&im, im.table, im.n, most + 1);
    const size_t n = im.n + most + 1;
    uint8_t *bytes = calloc(1, n); /* only its beginning takes memory */
    assert_non_null(bytes);
    memcpy(bytes, im.b, im.n);
    assert_int_equal(pd_reader_open_memory(&r, bytes, n, NULL, NULL), PD_OK);
    assert_int_equal(pd_metadata_open(&m, r, NULL, NULL), PD_OK);
    assert_int_equal(pd_metadata_n_findings(m), 1);
    assert_int_equal(pd_metadata_finding(m, 0)->code, PD_ELIMIT);
    assert_int_equal(pd_metadata_finding(m, 0)->expected, most);
    pd_metadata_close(m);
    pd_reader_close(r);
    free(bytes);
    image_free(&im);
}

/*
 * Records with names of files are kept decoded, and count with that size; only the first one beyond the limit
 * is reported.
 */
static void records_of_limited_size(void **state)
{
    (void)state;
    static const uint8_t record[48] = {67, 0, 0, 0, 2, 0, 48, 0, [36] = '/', 'l'};
    uint8_t stream[16 + 10 * sizeof record] = "PERFILE2\x10";
    struct pd_reader *r;
    struct pd_metadata *m;
    struct pd_record rec = {0};
    struct pd_error e;
    const struct pd_metadata_options o = {.size = sizeof o, .max_bytes = 4 * sizeof rec};
    for (size_t i = 0; i < 10; i++)
        memcpy(stream + 16 + i * sizeof record, record, sizeof record);
    assert_int_equal(pd_reader_open_memory(&r, stream, sizeof stream, NULL, &e), PD_OK);
    assert_int_equal(pd_metadata_open(&m, r, &o, &e), PD_OK);
    while (pd_reader_next(r, &rec, &e) == PD_OK)
        assert_int_equal(pd_metadata_add(m, r, &rec, &e), PD_OK);
    assert_int_equal(pd_metadata_n_findings(m), 1);
    assert_int_equal(pd_metadata_finding(m, 0)->code, PD_ELIMIT);
    assert_int_equal(pd_metadata_finding(m, 0)->offset, 16 + 3 * sizeof record);
    pd_metadata_close(m);
    pd_reader_close(r);
}

/* Damage is reported up to a limit; the last finding says that there is more. */
static void findings_have_a_limit(void **state)
{
    (void)state;
    enum { N = 70000, MOST = 65536 };
    /* HEADER_FEATURE, HOSTNAME: a text of 99 bytes in none. */
    static const uint8_t record[24] = {80, 0, 0, 0, 0, 0, 24, 0, 3, [16] = 99};
    static uint8_t stream[16 + N * sizeof record] = "PERFILE2\x10";
    struct pd_reader *r;
    struct pd_metadata *m;
    struct pd_record rec = {0};
    for (size_t i = 0; i < N; i++)
        memcpy(stream + 16 + i * sizeof record, record, sizeof record);
    assert_int_equal(pd_reader_open_memory(&r, stream, sizeof stream, NULL, NULL), PD_OK);
    assert_int_equal(pd_metadata_open(&m, r, NULL, NULL), PD_OK);
    while (pd_reader_next(r, &rec, NULL) == PD_OK)
        assert_int_equal(pd_metadata_add(m, r, &rec, NULL), PD_OK);
    assert_int_equal(pd_metadata_n_findings(m), MOST);
    assert_int_equal(pd_metadata_finding(m, MOST - 2)->code, PD_ECOUNT);
    assert_int_equal(pd_metadata_finding(m, MOST - 1)->code, PD_ELIMIT);
    assert_in_range(pd_metadata_finding(m, MOST - 1)->offset, 16 + (MOST - 1) * sizeof record,
                    15 + MOST * sizeof record);
    pd_metadata_close(m);
    pd_reader_close(r);
}

/* The same of a reader that probes them. */
static void probes_have_a_limit(void **state)
{
    (void)state;
    enum { N = 66000, MOST = 65536 };
    static const uint8_t record[24] = {80, 0, 0, 0, 0, 0, 24, 0, 3, [16] = 99}; /* as above */
    static uint8_t stream[16 + N * sizeof record] = "PERFILE2\x10";
    const struct pd_reader_options options = {.size = sizeof options, .probe = true};
    struct pd_reader *r;
    struct pd_record rec = {0};
    for (size_t i = 0; i < N; i++)
        memcpy(stream + 16 + i * sizeof record, record, sizeof record);
    assert_int_equal(pd_reader_open_memory(&r, stream, sizeof stream, &options, NULL), PD_OK);
    while (pd_reader_next(r, &rec, NULL) == PD_OK)
        ;
    assert_int_equal(pd_reader_n_findings(r), MOST);
    assert_int_equal(pd_reader_finding(r, MOST - 2)->code, PD_ECOUNT);
    const struct pd_error *last = pd_reader_finding(r, MOST - 1);
    assert_int_equal(last->code, PD_ELIMIT);
    assert_int_equal(last->found, MOST);        /* at least so many, */
    assert_int_equal(last->expected, MOST - 1); /* of which all but one are kept */
    pd_reader_close(r);
}

/* A file of one event, whose name is the last of n in the section of old files. */
static void old_names(struct image *im, uint32_t n)
{
    const size_t attrs = 104, types = attrs + 128 + 16, end = types + (size_t)n * 72;
    *im = (struct image){.big = false};
    image_bytes(im, "PERFILE2", 8);
    image_u64(im, 104);
    image_u64(im, 128 + 16);
    image_zeros(im, 104 - 24);
    image_section(im, 24, attrs, 128 + 16);
    image_section(im, 40, end, 0);
    image_section(im, 56, types, end - types);
    image_attr(im, 128, 128, ST_IP | ST_TID, true);
    image_set(im, attrs + 8, n - 1, 8); /* config */
    image_zeros(im, 16);
    for (uint32_t i = 0; i < n; i++) {
        char name[64];
        snprintf(name, sizeof name, "event-%u", i);
        image_u64(im, i);
        image_bytes(im, name, sizeof name);
    }
}

/* Names of more events than fit in 16 bits; if more than allowed, that is reported. */
static void names_of_many_events(void **state)
{
    (void)state;
    enum { N = 70000, HELD = 1000 };
    const struct pd_metadata_options less = {.size = sizeof less, .max_bytes = HELD * 72 + 71};
    struct image im;
    struct pd_reader *r;
    struct pd_metadata *m;
    old_names(&im, N);
    assert_int_equal(pd_reader_open_memory(&r, im.b, im.n, NULL, NULL), PD_OK);
    assert_int_equal(pd_reader_n_event_types(r), N);
    assert_int_equal(pd_metadata_open(&m, r, NULL, NULL), PD_OK);
    assert_string_equal(pd_metadata_event_name(m, r, 0), "event-69999");
    assert_int_equal(pd_metadata_n_findings(m), 0);
    pd_metadata_close(m);
    assert_int_equal(pd_metadata_open(&m, r, &less, NULL), PD_OK);
    assert_null(pd_metadata_event_name(m, r, 0));
    assert_int_equal(pd_metadata_n_findings(m), 1);
    assert_int_equal(pd_metadata_finding(m, 0)->code, PD_ELIMIT);
    assert_int_equal(pd_metadata_finding(m, 0)->offset, 104 + 128 + 16 + HELD * 72);
    pd_metadata_close(m);
    pd_reader_close(r);
    image_free(&im);
}

/* ---- Sets of cpus */

static void print_range(void *user, uint32_t first, uint32_t last)
{
    char *out = user;
    sprintf(out + strlen(out), "%u-%u ", first, last);
}

static void lists_of_cpus(void **state)
{
    static const struct {
        const char *list, *ranges;
        bool good;
    } cases[] = {
        {"", "", true},
        {"0", "0-0 ", true},
        {"0-3,8,10-11\n", "0-3 8-8 10-11 ", true},
        {"5,", "5-5 ", true},
        {"3-1", "", false},
        {"1;2", "1-1 ", false},
        {"x", "", false},
        {"1-", "", false},
        {"4294967295", "4294967295-4294967295 ", true},
        {"4294967296", "", false},
        {"1,,2", "1-1 ", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[200] = "";
        assert_int_equal(pd_cpu_list_each(cases[i].list, strlen(cases[i].list), print_range, out),
                         cases[i].good);
        assert_string_equal(out, cases[i].ranges);
    }
    assert_true(pd_cpu_list_has("0-3,8", 5, 8));
    assert_false(pd_cpu_list_has("0-3,8", 5, 4));
    assert_false(pd_cpu_list_has("0-3,8", 4, 8)); /* only so many characters count */
}

static void maps_of_cpus(void **state)
{
    (void)state;
    char out[200] = "";
    uint64_t words[] = {0x8000000000000001, 0x3}, list[] = {4, 0xffff, 6};
    struct pd_cpu_map_data map = {.type = PD_CPU_MAP_MASK,
                                  .mask = {.nr = 2, .long_size = 8, .mask64 = PD_VEC64(words, 2)}};
    pd_cpu_map_each(&map, print_range, out);
    assert_string_equal(out, "0-0 63-65 ");
    *out = 0;
    map = (struct pd_cpu_map_data){.type = PD_CPU_MAP_CPUS, .cpus = {.nr = 3, .cpu = PD_VEC64(list, 3)}};
    pd_cpu_map_each(&map, print_range, out);
    assert_string_equal(out, "4-4 6-6 ");
    *out = 0;
    map = (struct pd_cpu_map_data){.type = PD_CPU_MAP_RANGE_CPUS, .range = {.start_cpu = 2, .end_cpu = 9}};
    pd_cpu_map_each(&map, print_range, out);
    assert_string_equal(out, "2-9 ");
}

/* ---- Records in parts */

struct pieces {
    struct image im;
    size_t n;
};

static int take_piece(void *user, const void *record, size_t size)
{
    struct pieces *p = user;
    image_bytes(&p->im, record, size);
    p->n++;
    return 0;
}

/* Converts the record headers of pieces. */
static void turn_headers(struct image *im)
{
    size_t size;
    for (size_t at = 0; at < im->n; at += size) {
        uint8_t *p = im->b + at;
        const uint8_t h[8] = {p[3], p[2], p[1], p[0], p[5], p[4], p[7], p[6]};
        const bool big = p[0] == 0; /* the types have two bytes */
        size = big ? (size_t)p[6] << 8 | p[7] : (size_t)p[7] << 8 | p[6];
        memcpy(p, h, sizeof h);
    }
}

/* A record of 140,000 bytes is cut into three parts and an end, joined again, and its formats are found. */
static void of_large_records(void **state)
{
    (void)state;
    struct image b = {0}, record = {0}, im;
    struct pieces pieces = {0};
    struct pd_reader *r;
    blob(&b, false);
    const uint32_t size = 140000;
    image_u32(&record, 32777);
    image_u16(&record, size >> 16);
    image_u16(&record, size & 0xffff);
    image_u32(&record, (uint32_t)b.n);
    image_bytes(&record, b.b, b.n);
    image_zeros(&record, size - record.n);

    struct pd_large_record large;
    uint8_t *again = malloc(size);
    size_t n;
    assert_int_equal(pd_large_record_decode(PD_LITTLE, record.b, size, &large, NULL), PD_OK);
    assert_int_equal(large.type, 32777);
    assert_int_equal(large.u.simpleperf_tracing_data.size, b.n);
    assert_int_equal(pd_large_record_encode(PD_LITTLE, &large, again, size, &n, NULL), PD_OK);
    assert_int_equal(n, size);
    assert_memory_equal(again, record.b, size);
    assert_int_equal(pd_large_record_decode(PD_LITTLE, record.b, size - 1, &large, NULL), PD_ESIZE);
    assert_int_equal(pd_large_record_decode(PD_LITTLE, record.b, 7, &large, NULL), PD_ESHORT);

    assert_int_equal(pd_large_record_cut(PD_LITTLE, record.b, size, take_piece, &pieces), 0);
    assert_int_equal(pieces.n, 4);
    assert_int_equal(pieces.im.n, size + 4 * 8);
    image_start(&im, false, 16, 0);
    attr_record(&im, PD_TYPE_TRACEPOINT, 321, 12);
    image_bytes(&im, pieces.im.b, pieces.im.n);
    struct pd_metadata *m = read_all(&r, &im);
    assert_string_equal(pd_metadata_event_name(m, r, 0), "own:mine");
    pd_metadata_close(m);
    pd_reader_close(r);
    /*
     * In a recording of the other byte order the result is the same; a size that is wrong in both orders is
     * reported.
     */
    for (int wrong = 0; wrong < 2; wrong++) {
        image_free(&im);
        image_start(&im, true, 16, 0);
        attr_record(&im, PD_TYPE_TRACEPOINT, 321, 12);
        turn_headers(&pieces.im);
        image_bytes(&im, pieces.im.b, pieces.im.n);
        turn_headers(&pieces.im);
        m = read_all(&r, &im);
        assert_int_equal(pd_metadata_n_findings(m), wrong);
        if (!wrong)
            assert_string_equal(pd_metadata_event_name(m, r, 0), "own:mine");
        pd_metadata_close(m);
        pd_reader_close(r);
        pieces.im.b[8 + 6] ^= 1; /* the size of the whole record */
    }
    free(again);
    image_free(&im);
    image_free(&b);
    image_free(&record);
    image_free(&pieces.im);
}

static int stop_at_once(void *user, const void *record, size_t size)
{
    (void)user, (void)record, (void)size;
    return 17;
}

/* A symbol, of 4 words and its name: what is wrong with its size is told, whatever the room. */
static void sizes_of_large_records(void **state)
{
    (void)state;
    uint8_t bytes[48] = {3, 0x80, 0, 0, 0, 0, 40, 0, 1, [32] = 'm', 'a', 'i', 'n'}, again[48];
    struct pieces pieces = {0};
    struct pd_large_record large;
    struct pd_fields it;
    struct pd_field field;
    struct pd_error e;
    size_t n = 0;
    assert_int_equal(pd_large_record_decode(PD_LITTLE, bytes, 40, &large, NULL), PD_OK);
    assert_int_equal(large.u.simpleperf_symbol.addr, 1);
    pd_fields_of_large_record(&it, &large);
    assert_true(pd_fields_next(&it, &field));
    assert_string_equal(field.name, "addr");
    assert_int_equal(field.value, 1);
    assert_int_equal(pd_large_record_encode(PD_LITTLE, &large, NULL, 0, &n, NULL), PD_OK);
    assert_int_equal(n, 40);
    for (size_t cap = 0; cap < 40; cap++) {
        assert_int_equal(pd_large_record_encode(PD_LITTLE, &large, again, cap, &n, &e), PD_ESPACE);
        assert_int_equal(e.found, cap);
        assert_int_equal(n, 40);
    }
    assert_int_equal(pd_large_record_encode(PD_LITTLE, &large, again, 40, &n, &e), PD_OK);
    assert_memory_equal(again, bytes, 40);
    large.size = 48;
    assert_int_equal(pd_large_record_encode(PD_LITTLE, &large, again, 48, &n, &e), PD_ECOUNT);
    assert_int_equal(e.found, 48);
    assert_int_equal(e.expected, 40);

    /* Of a type that has no layout: its bytes are all that it has. */
    bytes[1] = 0xff;
    assert_int_equal(pd_large_record_decode(PD_LITTLE, bytes, 40, &large, NULL), PD_OK);
    assert_null(large.layout);
    assert_int_equal(large.rest.n, 32);
    assert_int_equal(pd_large_record_encode(PD_LITTLE, &large, again, 40, &n, &e), PD_OK);
    assert_memory_equal(again, bytes, 40);

    assert_int_equal(pd_large_record_cut(PD_LITTLE, bytes, 40, take_piece, &pieces), 0);
    assert_int_equal(pieces.n, 1);
    assert_int_equal(pieces.im.n, 40);
    assert_memory_equal(pieces.im.b, bytes, 40);
    assert_int_equal(pd_large_record_cut(PD_LITTLE, bytes, 40, stop_at_once, NULL), 17);
    image_free(&pieces.im);
}

/* So many bytes are kept, and no more, whatever the parts. */
static void parts_are_limited(void **state)
{
    (void)state;
    const uint8_t part[12] = {4, 0x80, 0, 0, 0, 0, 12, 0, 1, 2, 3, 4};
    struct pd_record rec = {.type = PD_RECORD_SIMPLEPERF_SPLIT, .raw = part, .size = 12};
    struct pd_large_parts parts = {.max_bytes = 8};
    struct pd_large_record large;
    struct pd_error e;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pd_large_parts_add(&parts, PD_LITTLE, &rec, &large, &e), PD_OK);
    assert_int_equal(pd_large_parts_add(&parts, PD_LITTLE, &rec, &large, &e), PD_ELIMIT);
    assert_int_equal(e.found, 12);
    assert_int_equal(e.expected, 8);
    rec.type = PD_RECORD_COMM;
    large.type = 1;
    assert_int_equal(pd_large_parts_add(&parts, PD_LITTLE, &rec, &large, &e), PD_OK);
    assert_int_equal(large.type, 0);
    pd_large_parts_free(&parts);
}

/* Of so many bytes by default; only the last of these take memory. */
static void parts_are_limited_by_default(void **state)
{
    (void)state;
    const size_t most = (size_t)256 << 20;
    const uint8_t part[12] = {4, 0x80, 0, 0, 0, 0, 12, 0, 1, 2, 3, 4};
    struct pd_record rec = {.type = PD_RECORD_SIMPLEPERF_SPLIT, .raw = part, .size = 12};
    struct pd_large_parts parts = {.bytes = calloc(1, most + 4), .n = most - 4, .cap = most + 4};
    struct pd_large_record large;
    struct pd_error e;
    assert_non_null(parts.bytes);
    assert_int_equal(pd_large_parts_add(&parts, PD_LITTLE, &rec, &large, &e), PD_OK);
    assert_int_equal(parts.n, most);
    assert_int_equal(pd_large_parts_add(&parts, PD_LITTLE, &rec, &large, &e), PD_ELIMIT);
    assert_int_equal(e.expected, most);
    pd_large_parts_free(&parts);
}

/* The writer of a recording chooses how many events have one name, and its length: its text is kept once. */
static void a_name_of_many_events_is_held_once(void **state)
{
    (void)state;
    struct image im;
    struct pd_reader *r;
    image_start(&im, false, 16, 0);
    for (uint64_t id = 1; id <= 3; id++)
        attr_record(&im, PD_TYPE_SOFTWARE, 0, id);
    event_name(&im, 1, "same");
    event_name(&im, 2, "other");
    event_name(&im, 3, "same");
    struct pd_metadata *m = read_all(&r, &im);
    assert_string_equal(pd_metadata_event_name(m, r, 0), "same");
    assert_string_equal(pd_metadata_event_name(m, r, 1), "other");
    assert_ptr_equal(pd_metadata_event_name(m, r, 2), pd_metadata_event_name(m, r, 0));
    pd_metadata_close(m);
    pd_reader_close(r);
    image_free(&im);
}

/* A feature that names events takes effect when it comes, one that does not changes no name. */
static void names_that_come_late(void **state)
{
    static const char lines[] = "event_type_info\0cpu-cycles,0,0\nmine:now,2,321";
    struct image im;
    struct pd_reader *r;
    struct pd_metadata *m;
    struct pd_record rec = {0};
    (void)state;
    image_start(&im, false, 16, 0);
    attr_record(&im, PD_TYPE_TRACEPOINT, 321, 1);
    const size_t at = feature(&im, PD_FEAT_SIMPLEPERF_META_INFO);
    image_bytes(&im, lines, sizeof lines);
    image_zeros(&im, 8 - sizeof lines % 8);
    image_end(&im, at);
    assert_int_equal(pd_reader_open_memory(&r, im.b, im.n, NULL, NULL), PD_OK);
    assert_int_equal(pd_metadata_open(&m, r, NULL, NULL), PD_OK);
    assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
    assert_int_equal(pd_metadata_add(m, r, &rec, NULL), PD_OK);
    assert_null(pd_metadata_event_name(m, r, 0));
    assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
    assert_int_equal(pd_metadata_add(m, r, &rec, NULL), PD_OK);
    assert_string_equal(pd_metadata_event_name(m, r, 0), "mine:now");
    pd_metadata_close(m);
    pd_reader_close(r);
    image_free(&im);
}

/* Without memory an event has no name, which is told; not so for an event that there is not. */
static void names_without_memory(void **state)
{
    struct heap heap = {0};
    const struct pd_allocator failing = {heap_resize, heap_release, &heap};
    const struct pd_metadata_options o = {.size = sizeof o, .allocator = &failing};
    struct image im;
    struct pd_reader *r;
    struct pd_metadata *m;
    (void)state;
    image_start(&im, false, 16, 0);
    attr_record(&im, PD_TYPE_SOFTWARE, 0, 11);
    assert_int_equal(pd_reader_open_memory(&r, im.b, im.n, NULL, NULL), PD_OK);
    assert_int_equal(pd_metadata_open(&m, r, &o, NULL), PD_OK);
    assert_int_equal(pd_reader_next(r, &(struct pd_record){0}, NULL), PD_OK);
    heap.fail_at = 1;
    assert_null(pd_metadata_event_name(m, r, 1));
    assert_false(pd_metadata_out_of_memory(m));
    for (int i = 0; i < 2; i++) {
        assert_null(pd_metadata_event_name(m, r, 0));
        assert_true(pd_metadata_out_of_memory(m));
    }
    pd_metadata_close(m);
    pd_reader_close(r);
    image_free(&im);
}

/* CPU_TOPOLOGY depends on NRCPUS, and is not decoded again for each of thousands of NRCPUS. */
static void topologies_have_a_limit(void **state)
{
    (void)state;
    struct image im;
    struct pd_reader *r;
    image_start(&im, false, 16, 0);
    size_t at = feature(&im, PD_FEAT_CPU_TOPOLOGY);
    image_u32(&im, 0);
    image_u32(&im, 0);
    image_end(&im, at);
    for (uint32_t i = 0; i < 100; i++) {
        at = feature(&im, PD_FEAT_NRCPUS);
        image_u32(&im, 1 + i % 2);
        image_u32(&im, 1);
        image_end(&im, at);
    }
    struct pd_metadata *m = read_all(&r, &im);
    const size_t n = pd_metadata_n_findings(m);
    assert_in_range(n, 1, 17);
    assert_int_equal(pd_metadata_finding(m, n - 1)->code, PD_ELIMIT);
    pd_metadata_close(m);
    pd_reader_close(r);
    image_free(&im);
}

/* simpleperf's tracing data with a size beyond its record. */
static void tracing_data_longer_than_its_record(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct image im;
        struct pd_reader *r;
        image_start(&im, big, 16, 0);
        const size_t at = image_record(&im, 66, 0);
        image_u32(&im, 13); /* of 12 */
        image_zeros(&im, 12);
        image_end(&im, at);
        struct pd_metadata *m = read_all(&r, &im);
        assert_int_equal(pd_metadata_n_findings(m), 1);
        const struct pd_error *e = pd_metadata_finding(m, 0);
        assert_int_equal(e->code, PD_ESHORT);
        assert_int_equal(e->offset, 16);
        assert_string_equal(e->field, "data");
        assert_true(e->found == 12 && e->expected == 13);
        assert_null(pd_metadata_feature(m, PD_FEAT_TRACING_DATA));
        pd_metadata_close(m);
        pd_reader_close(r);
        image_free(&im);
    }
}

/* A stream of a tracepoint, whose system has a name of n letters. */
static void long_name(struct image *im, size_t n)
{
    char system[600] = {0};
    struct image b = {0};
    memset(system, 's', n);
    blob_of(&b, false, system);
    image_start(im, false, 16, 0);
    attr_record(im, PD_TYPE_TRACEPOINT, 321, 12);
    const size_t at = image_record(im, 66, 0);
    image_u32(im, (uint32_t)b.n);
    image_end(im, at);
    image_bytes(im, b.b, b.n);
    image_free(&b);
}

/* The names of system and event, "mine", have at most 511 bytes together. */
static void a_name_that_is_too_long_is_told(void **state)
{
    (void)state;
    struct image im;
    struct pd_reader *r;
    long_name(&im, 511 - 4);
    struct pd_metadata *m = read_all(&r, &im);
    const char *name = pd_metadata_event_name(m, r, 0);
    assert_non_null(name);
    assert_int_equal(strlen(name), 511 + 1);
    assert_string_equal(name + 511 - 4, ":mine");
    assert_int_equal(pd_metadata_n_findings(m), 0);
    pd_metadata_close(m);
    pd_reader_close(r);
    image_free(&im);

    long_name(&im, 511 - 3);
    m = read_all(&r, &im);
    assert_null(pd_metadata_event_name(m, r, 0));
    assert_int_equal(pd_metadata_n_findings(m), 1);
    const struct pd_error *e = pd_metadata_finding(m, 0);
    assert_int_equal(e->code, PD_ELIMIT);
    assert_true(e->found == 512 && e->expected == 511);
    pd_metadata_close(m);
    pd_reader_close(r);
    image_free(&im);
}

/* Some writers left the count at 0. */
static void pmu_mappings_without_a_count(void **state)
{
    (void)state;
    struct image im;
    struct pd_reader *r;
    struct pd_pmu_mapping pmu;
    image_start(&im, false, 16, 0);
    const size_t at = feature(&im, PD_FEAT_PMU_MAPPINGS);
    image_u32(&im, 0);
    image_u32(&im, 1);
    string64(&im, "software", 64);
    image_u32(&im, 9);
    string64(&im, "msr", 64);
    image_end(&im, at);
    struct pd_metadata *m = read_all(&r, &im);
    check_text(pd_metadata_pmu_name(m, 1, &pmu), "software");
    check_text(pd_metadata_pmu_name(m, 9, &pmu), "msr");
    assert_null(pd_metadata_pmu_name(m, 2, &pmu));
    pd_metadata_close(m);
    pd_reader_close(r);
    image_free(&im);
}

/*
 * Arrays of a BPF program: places and sizes come from its info, and only arrays inside the data are returned.
 */
static void arrays_of_programs(void **state)
{
    (void)state;
    uint8_t data[40] = {0};
    struct pd_bpf_prog p = {.arrays =
                                PD_BPIL_MAP_IDS | PD_BPIL_LINE_INFO | PD_BPIL_PROG_TAGS | PD_BPIL_JITED_KSYMS,
                            .data = {data, sizeof data}};
    struct pd_bytes bytes;
    uint32_t each = 0;
    p.info.map_ids = 8, p.info.nr_map_ids = 2;
    p.info.line_info = 16, p.info.nr_line_info = 3, p.info.line_info_rec_size = 8;
    p.info.prog_tags = 33, p.info.nr_prog_tags = 1;
    p.info.jited_ksyms = UINT64_MAX, p.info.nr_jited_ksyms = UINT32_MAX;
    assert_true(pd_bpf_prog_array(&p, PD_BPIL_MAP_IDS, &bytes, &each));
    assert_ptr_equal(bytes.ptr, data + 8);
    assert_int_equal(bytes.n, 8);
    assert_int_equal(each, 4);
    assert_true(pd_bpf_prog_array(&p, PD_BPIL_LINE_INFO, &bytes, &each));
    assert_ptr_equal(bytes.ptr, data + 16);
    assert_int_equal(bytes.n, 24);
    assert_int_equal(each, 8);
    assert_false(pd_bpf_prog_array(&p, PD_BPIL_PROG_TAGS, &bytes, &each)); /* ends one byte behind the data */
    assert_false(pd_bpf_prog_array(&p, PD_BPIL_JITED_KSYMS, &bytes, &each));
    assert_false(pd_bpf_prog_array(&p, PD_BPIL_FUNC_INFO, &bytes, &each)); /* not among the arrays */
}

/* ---- Files of mappings */

static const uint8_t same_id[20] = {1};

struct hashed {
    uint32_t hash, number;
};

static void name_file(uint32_t number, char name[8])
{
    snprintf(name, 8, "/%06u", number);
}

static int by_hash(const void *a, const void *b)
{
    const struct hashed *x = a, *y = b;
    return x->hash < y->hash ? -1 : x->hash > y->hash;
}

/* Two files that have one hash with the key 0: of so many, about ten pairs do. */
static void find_pair(uint32_t pair[2])
{
    enum { N = 300000 };
    static struct hashed all[N];
    char name[8];
    size_t i = 1;
    for (uint32_t n = 0; n < N; n++) {
        name_file(n, name);
        const XXH64_hash_t of_id = XXH3_64bits_withSeed(same_id, sizeof same_id, 0);
        all[n] = (struct hashed){(uint32_t)XXH3_64bits_withSeed(name, 7, of_id), n};
    }
    qsort(all, N, sizeof *all, by_hash);
    while (i < N && all[i].hash != all[i - 1].hash)
        i++;
    assert_true(i < N);
    pair[0] = all[i - 1].number;
    pair[1] = all[i].number;
}

/* Files with one build id and one hash are two files. */
static void files_with_one_hash(void **state)
{
    struct image im;
    struct pd_reader *r;
    struct pd_metadata *m;
    struct pd_record rec = {0};
    uint32_t pair[2];
    char names[2][8];
    (void)state;
    find_pair(pair);
    image_start(&im, false, 16, 0);
    attr_record(&im, 1, 0, 7);
    for (int i = 0; i < 4; i++) { /* each comes twice */
        name_file(pair[i % 2], names[i % 2]);
        put_mapping(&im, names[i % 2], same_id[0]);
    }
    assert_int_equal(pd_reader_open_memory(&r, im.b, im.n, NULL, NULL), PD_OK);
    assert_int_equal(pd_metadata_open(&m, r, NULL, NULL), PD_OK);
    m->key = (struct pi_key){0};
    while (pd_reader_next(r, &rec, NULL) == PD_OK)
        assert_int_equal(pd_metadata_add(m, r, &rec, NULL), PD_OK);
    assert_int_equal(m->n_records, 2);
    for (int i = 0; i < 2; i++) {
        uint8_t id[20];
        size_t n;
        assert_true(pd_metadata_build_id(m, names[i], id, &n));
        assert_int_equal(n, 4);
        assert_memory_equal(id, same_id, n);
    }
    pd_metadata_close(m);
    pd_reader_close(r);
    image_free(&im);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_a_stream),
        cmocka_unit_test(of_a_file),
        cmocka_unit_test(of_limited_size),
        cmocka_unit_test(sections_of_default_size),
        cmocka_unit_test(records_of_limited_size),
        cmocka_unit_test(findings_have_a_limit),
        cmocka_unit_test(probes_have_a_limit),
        cmocka_unit_test(names_of_many_events),
        cmocka_unit_test(lists_of_cpus),
        cmocka_unit_test(maps_of_cpus),
        cmocka_unit_test(of_large_records),
        cmocka_unit_test(sizes_of_large_records),
        cmocka_unit_test(parts_are_limited),
        cmocka_unit_test(parts_are_limited_by_default),
        cmocka_unit_test(a_name_of_many_events_is_held_once),
        cmocka_unit_test(names_that_come_late),
        cmocka_unit_test(names_without_memory),
        cmocka_unit_test(topologies_have_a_limit),
        cmocka_unit_test(tracing_data_longer_than_its_record),
        cmocka_unit_test(a_name_that_is_too_long_is_told),
        cmocka_unit_test(pmu_mappings_without_a_count),
        cmocka_unit_test(arrays_of_programs),
        cmocka_unit_test(files_with_one_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
