/* SPDX-License-Identifier: MIT */
/*
 * hash.c - the content hash of images made by hand: the changes that must change it, those that must not, and
 * its definition.
 */
#include "fuzz/image.h"
#include "cmocka_all.h"
#include "heap.h"
#include <perfdata/ops/hash.h>
#include <stdio.h>
#include <xxhash.h>

/* ---- Images */

/* The form of a recording, and its content. All 0: a little-endian file. */
struct form {
    /* form */
    bool big, pipe, features_in_data, reversed, rounds, padding, tail;
    uint32_t attr_size; /* 0: 128 */
    uint32_t slot;      /* of strings in features; 0: 64 */
    /* content */
    uint64_t ip, config, id;
    const char *host;
    uint8_t payload;
    bool twice;    /* the host name comes twice */
    bool untimed;  /* the records without a time are in the other order */
    bool equal;    /* the two samples of equal time are in the other order */
    bool extra;    /* one sample more */
    uint16_t misc; /* of the last sample */
};

static void put_string_feature(struct image *im, const struct form *f)
{
    const char *host = f->host ? f->host : "here";
    const uint32_t slot = f->slot ? f->slot : 64;
    image_u32(im, slot);
    image_bytes(im, host, strlen(host) + 1);
    for (size_t i = strlen(host) + 1; i < slot; i++)
        image_bytes(im, f->padding ? "x" : "", 1);
}

static void put_feature_record(struct image *im, const struct form *f, uint64_t number)
{
    const size_t at = image_record(im, 80, 0);
    image_u64(im, number);
    if (number == 3)
        put_string_feature(im, f);
    else if (number >= 200)
        image_pattern(im, 13);
    image_end(im, at);
}

static void put_feature_records(struct image *im, const struct form *f)
{
    put_feature_record(im, f, f->reversed ? 200 : 3);
    put_feature_record(im, f, f->reversed ? 3 : 200);
    if (f->twice)
        put_feature_record(im, f, 3);
    put_feature_record(im, f, 15);
}

static void put_comm(struct image *im, const struct form *f, const char *name)
{
    char slot[8] = {0};
    snprintf(slot, sizeof slot, "%s", name);
    if (f->padding)
        slot[7] = 'p';
    image_comm(im, slot, 0, true, 0);
}

static void put_samples(struct image *im, const struct form *f)
{
    const uint64_t id = 11 + f->id, first = f->equal ? 3 : 2, second = f->equal ? 2 : 3;
    if (f->reversed)
        image_sample0(im, id, 0x400123 + f->ip, 30);
    if (f->rounds)
        image_end(im, image_record(im, 68, 0));
    image_sample0(im, id, first, 20);
    image_sample0(im, id, second, 20);
    if (f->misc)
        image_set(im, im->n - 88 + 4, f->misc, 2);
    if (!f->reversed)
        image_sample0(im, id, 0x400123 + f->ip, 30);
    if (f->extra)
        image_sample0(im, id, 2, 20);
}

static void put_records(struct image *im, const struct form *f)
{
    if (f->features_in_data && !f->pipe)
        put_feature_records(im, f);
    put_comm(im, f, f->untimed ? "two" : "one");
    if (f->rounds)
        image_end(im, image_record(im, 82, 0)); /* FINISHED_INIT */
    put_comm(im, f, f->untimed ? "one" : "two");
    put_samples(im, f);
    image_auxtrace(im, 24);
    im->b[im->n - 1] = (uint8_t)(im->b[im->n - 1] + f->payload);
}

static size_t put_attr(struct image *im, const struct form *f, size_t room)
{
    const uint32_t size = f->attr_size ? f->attr_size : 128;
    const size_t at = image_attr(im, size, room > size ? room : size, IMAGE_ST0, true);
    image_set(im, at + 8, f->config, 8);
    return at;
}

static void make_pipe(struct image *im, const struct form *f)
{
    image_start(im, f->big, 16, 0);
    const size_t at = image_record(im, 64, f->padding ? 77 : 0);
    put_attr(im, f, 0);
    image_u64(im, 11 + f->id);
    image_end(im, at);
    put_feature_records(im, f);
    put_feature_record(im, f, 35); /* the mark behind the last */
    put_records(im, f);
}

static void make_file(struct image *im, const struct form *f)
{
    const size_t room = f->tail ? 160 : f->attr_size ? f->attr_size : 128;
    image_start(im, f->big, 104, room + 16);
    image_u64(im, 11 + f->id);
    image_section(im, IMAGE_ATTRS, im->n, room + 16);
    const size_t at = put_attr(im, f, room);
    if (f->tail)
        im->b[at + 150] = 7; /* behind attr.size */
    image_ids(im, 104, 8);
    im->data = im->n;
    put_records(im, f);
    if (f->twice && !f->features_in_data)
        put_feature_record(im, f, 3);
    image_section(im, IMAGE_DATA, im->data, im->n - im->data);
    if (f->features_in_data)
        return;
    const size_t table = im->n;
    image_feature(im, 3, 8);
    image_feature(im, 15, 8);
    image_feature(im, 18, 8); /* AUXTRACE: an index */
    image_feature(im, 200, 8);
    image_zeros(im, 64);
    image_section(im, table, im->n, 4 + (f->slot ? f->slot : 64));
    put_string_feature(im, f);
    image_section(im, table + 16, im->n, 0);
    image_section(im, table + 32, im->n, 24);
    image_u64(im, 1);
    image_u64(im, im->data);
    image_u64(im, 48);
    image_section(im, table + 48, im->n, 13);
    image_pattern(im, 13);
}

static struct pd_hash hash_image(const struct image *im, const struct pd_hash_options *options)
{
    struct pd_reader *r;
    struct pd_hash hash;
    assert_int_equal(pd_reader_open_memory(&r, im->b, im->n, NULL, NULL), PD_OK);
    assert_int_equal(pd_hash_recording(r, options, &hash, NULL), PD_OK);
    pd_reader_close(r);
    return hash;
}

static void on_finding(void *user, const struct pd_error *what)
{
    (void)what;
    ++*(unsigned *)user;
}

static struct pd_hash hash_of(const struct form *f)
{
    struct image im;
    unsigned findings = 0;
    const struct pd_hash_options options = {.size = sizeof options, .finding = on_finding, .user = &findings};
    if (f->pipe)
        make_pipe(&im, f);
    else
        make_file(&im, f);
    const struct pd_hash hash = hash_image(&im, &options);
    assert_int_equal(findings, 0);
    image_free(&im);
    return hash;
}

static void same(const struct form *a, const struct form *b)
{
    const struct pd_hash x = hash_of(a), y = hash_of(b);
    assert_memory_equal(&x, &y, sizeof x);
}

static void other(const struct form *a, const struct form *b)
{
    const struct pd_hash x = hash_of(a), y = hash_of(b);
    assert_memory_not_equal(&x, &y, sizeof x);
}

/* ---- Changes that must not change it, in all combinations */

static void test_forms(void **state)
{
    static const struct form base;
    (void)state;
    for (unsigned bits = 0; bits < 256; bits++) {
        const struct form f = {.big = bits & 1,
                               .pipe = bits & 2,
                               .features_in_data = bits & 4,
                               .reversed = bits & 8,
                               .rounds = bits & 16,
                               .padding = bits & 32,
                               .attr_size = bits & 64 ? 136 : 0,
                               .slot = bits & 64 ? 128 : 0,
                               .tail = (bits & 128) && !(bits & 64)};
        same(&base, &f);
    }
}

/* ---- Changes that must */

static void test_content(void **state)
{
    static const struct form base;
    static const struct form others[] = {
        {.ip = 1},       {.config = 1},   {.id = 1},       {.host = "there"},
        {.host = "her"}, {.payload = 1},  {.twice = true}, {.untimed = true},
        {.equal = true}, {.extra = true}, {.misc = 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        for (unsigned form = 0; form < 4; form++) {
            struct form f = others[i];
            f.big = form & 1;
            f.pipe = form & 2;
            other(&base, &f);
            same(&others[i], &f);
        }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        for (size_t k = 0; k < i; k++)
            other(&others[i], &others[k]);
}

/* ---- The definition: bytes made by hand */

static void put_hash(struct image *im, const void *bytes, size_t n)
{
    XXH128_canonical_t c;
    XXH128_canonicalFromHash(&c, XXH3_128bits(bytes, n));
    image_bytes(im, c.digest, sizeof c.digest);
}

static void put_chain(struct image *im, const struct image *hashes)
{
    image_u64(im, hashes->n / 16);
    put_hash(im, hashes->b, hashes->n);
}

static void expect_attr(struct image *hashes)
{
    struct image im = {0};
    image_u32(&im, 1); /* type; the size is not hashed */
    image_u64(&im, 0);
    image_u64(&im, 4000);
    image_u64(&im, ST_TIME | ST_IP);
    image_u64(&im, 0);
    image_u64(&im, 1 << 18); /* sample_id_all */
    image_zeros(&im, 4 + 4 + 8 + 8 + 8 + 8 + 4 + 4 + 8 + 4 + 2 + 2 + 4 + 4 + 8 + 8 + 8);
    image_u64(&im, 0); /* no tail */
    image_u64(&im, 1); /* an id */
    image_u64(&im, 5);
    put_hash(hashes, im.b, im.n);
    image_free(&im);
}

static void expect_comm(struct image *hashes)
{
    struct image im = {0};
    image_u32(&im, 3);
    image_u16(&im, 0x2000);
    image_bytes(&im, "\1\0", 2); /* decoded, usual variant */
    image_u32(&im, 100);
    image_u32(&im, 101);
    image_u64(&im, 3);
    image_bytes(&im, "abc", 3);
    image_u64(&im, 0); /* nothing behind */
    image_bytes(&im, "\1", 1);
    image_u64(&im, 0); /* sample_id: time 0 */
    put_hash(hashes, im.b, im.n);
    image_free(&im);
}

static void expect_sample(struct image *hashes, uint64_t ip, uint64_t time)
{
    struct image im = {0};
    image_u32(&im, 9);
    image_u16(&im, 2);
    image_bytes(&im, "\1\0", 2);
    image_u64(&im, ip);
    image_u64(&im, time);
    image_u64(&im, 0);
    image_bytes(&im, "", 1); /* no sample_id */
    put_hash(hashes, im.b, im.n);
    image_free(&im);
}

static void put_part(struct image *all, uint32_t kind, uint64_t number, uint64_t count)
{
    image_u32(all, kind);
    image_u64(all, number);
    image_u64(all, count);
}

/* One that nobody knows. */
static void expect_feature(struct image *hashes, uint64_t number)
{
    struct image im = {0};
    if (number <= 255)
        image_u64(&im, 13);
    image_pattern(&im, 13);
    if (number > 255)
        image_u64(&im, number);
    put_hash(hashes, im.b, im.n);
    image_free(&im);
}

static struct pd_hash expected(void)
{
    struct image all = {0}, attrs = {0}, timed = {0}, untimed = {0}, records = {0}, host = {0}, hash = {0};
    struct pd_hash out;
    expect_attr(&attrs);
    expect_comm(&untimed);
    expect_sample(&timed, 1, 10);
    expect_sample(&timed, 2, 20);
    image_u64(&host, 4);
    image_bytes(&host, "here", 4);
    image_u64(&host, 0);
    put_chain(&records, &timed);
    put_chain(&records, &untimed);
    put_part(&all, 1, 0, 1);
    put_hash(&all, attrs.b, attrs.n);
    put_part(&all, 2, 3, 1);
    put_hash(&all, host.b, host.n);
    put_part(&all, 2, 255, 1);
    expect_feature(&all, 255);
    put_part(&all, 2, 256, 1);
    expect_feature(&all, 256);
    put_part(&all, 3, 0, 3);
    put_hash(&all, records.b, records.n);
    put_hash(&hash, all.b, all.n);
    memcpy(out.bytes, hash.b, sizeof out.bytes);
    struct image *const used[] = {&all, &attrs, &timed, &untimed, &records, &host, &hash};
    for (size_t i = 0; i < sizeof used / sizeof *used; i++)
        image_free(used[i]);
    return out;
}

static void add_sample(struct image *im, uint64_t ip, uint64_t time)
{
    const size_t at = image_record(im, 9, 2);
    image_u64(im, ip);
    image_u64(im, time);
    image_end(im, at);
}

static void test_definition(void **state)
{
    static const struct form plain;
    struct image im;
    (void)state;
    for (unsigned big = 0; big < 2; big++) {
        image_start(&im, big, 16, 0);
        size_t at = image_record(&im, 64, 0);
        image_attr(&im, 64, 64, ST_TIME | ST_IP, true);
        image_u64(&im, 5);
        image_end(&im, at);
        put_feature_record(&im, &plain, 3);
        put_feature_record(&im, &plain, 255);
        put_feature_record(&im, &plain, 256);
        add_sample(&im, 2, 20);
        at = image_record(&im, 3, 0x2000);
        image_u32(&im, 100);
        image_u32(&im, 101);
        image_bytes(&im, "abc\0junk", 8);
        image_u64(&im, 0);
        image_end(&im, at);
        add_sample(&im, 1, 10);
        const struct pd_hash hash = hash_image(&im, NULL), want = expected();
        assert_memory_equal(&hash, &want, sizeof hash);
        image_free(&im);
    }
}

static void test_text(void **state)
{
    char text[PD_HASH_TEXT];
    struct pd_hash h = {{0x01, 0x23, 0xab}};
    (void)state;
    h.bytes[15] = 0xff;
    assert_string_equal(pd_hash_text(&h, text), "0123ab000000000000000000000000ff");
}

/* ---- Parts */

static void on_part(void *user, const struct pd_hash_part *part)
{
    struct pd_hash_part **next = user;
    *(*next)++ = *part;
}

static void test_parts(void **state)
{
    static const struct form f = {.features_in_data = true};
    struct pd_hash_part parts[8], *next = parts;
    const struct pd_hash_options options = {.size = sizeof options, .part = on_part, .user = &next};
    struct image im;
    (void)state;
    make_file(&im, &f);
    hash_image(&im, &options);
    image_free(&im);
    assert_int_equal(next - parts, 5);
    const struct {
        enum pd_hash_kind kind;
        uint64_t feature, count;
    } want[] = {{PD_HASH_ATTRS, 0, 1},
                {PD_HASH_FEATURE, 3, 1},
                {PD_HASH_FEATURE, 15, 1},
                {PD_HASH_FEATURE, 200, 1},
                {PD_HASH_RECORDS, 0, 6}};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(parts[i].kind, want[i].kind);
        assert_int_equal(parts[i].feature, want[i].feature);
        assert_int_equal(parts[i].count, want[i].count);
    }
}

/* ---- Large features */

/* The largest has 68 bytes: the host name. */
static void test_max_feature(void **state)
{
    static const struct form f = {0};
    struct image im;
    (void)state;
    const struct pd_hash whole = hash_of(&f);
    make_file(&im, &f);
    for (unsigned n = 67; n <= 68; n++) {
        unsigned findings = 0;
        const struct pd_hash_options options = {
            .size = sizeof options, .max_feature = n, .finding = on_finding, .user = &findings};
        const struct pd_hash hash = hash_image(&im, &options);
        assert_int_equal(findings, n < 68);
        assert_int_equal(memcmp(&hash, &whole, sizeof hash) == 0, n == 68);
    }
    image_free(&im);
}

static void keep_finding(void *user, const struct pd_error *what)
{
    *(struct pd_error *)user = *what;
}

/* What a feature has at most by default is in the finding about one that has a byte more. */
static void test_default_max_feature(void **state)
{
    static const struct form f = {0};
    const size_t most = (size_t)256 << 20, features = 64 + 68 + 24 + 13; /* the table and the sections */
    struct pd_error found = {0};
    struct image im;
    (void)state;
    make_file(&im, &f);
    image_section(&im, im.n - features + 48, im.n, most + 1);
    uint8_t *bytes = calloc(1, im.n + most + 1); /* only its beginning takes memory */
    assert_non_null(bytes);
    memcpy(bytes, im.b, im.n);
    const struct image large = {.b = bytes, .n = im.n + most + 1};
    hash_image(&large, &(struct pd_hash_options){
                           .size = sizeof(struct pd_hash_options), .finding = keep_finding, .user = &found});
    assert_int_equal(found.code, PD_ELIMIT);
    assert_int_equal(found.found, most + 1);
    assert_int_equal(found.expected, most);
    free(bytes);
    image_free(&im);
}

/* ---- Sections that are read in pieces, and what stands behind a list */

/* A file with one feature. */
static struct pd_hash hash_section(unsigned number, const void *bytes, size_t n)
{
    struct image im;
    image_start(&im, false, 104, 80);
    image_section(&im, IMAGE_ATTRS, im.n, 80);
    image_attr(&im, 64, 64, ST_IP, false);
    image_ids(&im, 0, 0);
    image_section(&im, IMAGE_DATA, im.n, 16);
    const size_t at = image_record(&im, PD_RECORD_SAMPLE, 1);
    image_u64(&im, 0x401000);
    image_end(&im, at);
    image_feature(&im, number, 8);
    image_ids(&im, im.n + 16, n);
    image_bytes(&im, bytes, n);
    const struct pd_hash hash = hash_image(&im, NULL);
    image_free(&im);
    return hash;
}

static bool equal(const struct pd_hash *a, const struct pd_hash *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* Tracing data counts with all zeros before its last other byte, in how many pieces they may be, and none
 * behind. */
static void test_zeros_in_tracing_data(void **state)
{
    enum { PIECES = 65536 };
    static const size_t zeros[] = {0, 1, PIECES - 1, PIECES, PIECES + 1, 2 * PIECES - 1, 3 * PIECES};
    enum { N = sizeof zeros / sizeof *zeros };
    static uint8_t bytes[5 * PIECES];
    struct pd_hash hash[N];
    (void)state;
    for (size_t i = 0; i < N; i++) {
        memset(bytes, 0, sizeof bytes);
        bytes[0] = 1;
        bytes[1 + zeros[i]] = 2;
        hash[i] = hash_section(PD_FEAT_TRACING_DATA, bytes, zeros[i] + 2);
        const struct pd_hash longer = hash_section(PD_FEAT_TRACING_DATA, bytes, zeros[i] + 2 + PIECES);
        assert_true(equal(&hash[i], &longer));
        for (size_t k = 0; k < i; k++)
            assert_false(equal(&hash[i], &hash[k]));
    }
}

/* A list of build ids: one entry of 40 bytes, then bytes that are too few for another. */
static void test_behind_build_ids(void **state)
{
    struct image list = {0};
    (void)state;
    image_u32(&list, 0);
    image_u16(&list, 2);
    image_u16(&list, 44); /* header, pid, build id, name */
    image_u32(&list, UINT32_MAX);
    image_bytes(&list, "12345678901234567890\0\0\0", 24);
    image_bytes(&list, "/bin/ls", 8);
    image_bytes(&list, "abc", 3);
    const struct pd_hash none = hash_section(PD_FEAT_BUILD_ID, list.b, list.n - 3),
                         some = hash_section(PD_FEAT_BUILD_ID, list.b, list.n);
    list.b[list.n - 1] = 'd';
    const struct pd_hash others = hash_section(PD_FEAT_BUILD_ID, list.b, list.n);
    assert_false(equal(&none, &some));
    assert_false(equal(&some, &others));
    image_free(&list);
}

/* ---- What waits for the number of cpus */

enum { NRCPUS = 7, TOPOLOGY = 13, HELD = 256, HELD_BYTES = 65504, CPUS = 2 };

static void put_number_of_cpus(struct image *im)
{
    const size_t at = image_record(im, 80, 0);
    image_u64(im, NRCPUS);
    image_u32(im, CPUS);
    image_u32(im, CPUS);
    image_end(im, at);
}

/* Of n bytes: a name of cores that fills them, none of threads, and a core and a socket of each cpu. */
static void put_topology(struct image *im, uint32_t n)
{
    const size_t at = image_record(im, 80, 0);
    const uint32_t name = n - 12 - 8 * CPUS;
    image_u64(im, TOPOLOGY);
    image_u32(im, 1);
    image_u32(im, name);
    memset(image_room(im, name), 'c', name - 1);
    im->b[im->n - 1] = 0;
    image_u32(im, 0);
    for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
        image_u32(im, cpu);
        image_u32(im, cpu + 5);
    }
    image_end(im, at);
}

/* A stream with 16 MiB of CPU_TOPOLOGY, the last one of n bytes, and NRCPUS before, or between, or behind. */
static struct pd_hash hash_waiting(uint32_t n, unsigned when)
{
    struct image im;
    image_start(&im, false, 16, 0);
    for (unsigned i = 0; i <= HELD; i++) {
        if (i == when)
            put_number_of_cpus(&im);
        put_topology(&im, i < HELD ? HELD_BYTES : n);
    }
    if (when > HELD)
        put_number_of_cpus(&im);
    const struct pd_hash hash = hash_image(&im, NULL);
    image_free(&im);
    return hash;
}

/* Up to 16 MiB wait for NRCPUS, with 16 bytes for each; one beyond that is hashed with what is known then. */
static void test_held(void **state)
{
    enum { AT = (16 << 20) - HELD * (HELD_BYTES + 16), BEYOND = 2 * AT };
    (void)state;
    for (uint32_t n = AT; n <= BEYOND; n += AT) {
        const struct pd_hash before = hash_waiting(n, 0), between = hash_waiting(n, HELD),
                             behind = hash_waiting(n, HELD + 1);
        assert_memory_equal(&before, &between, sizeof before);
        assert_int_equal(memcmp(&before, &behind, sizeof before) == 0, n == AT);
    }
}

/* ---- Little memory, none, and damage */

static void test_spill(void **state)
{
    struct image im;
    (void)state;
    const struct pd_hash_options little = {.size = sizeof little, .memory = 4096};
    image_start(&im, false, 16, 0);
    size_t at = image_record(&im, 64, 0);
    image_attr(&im, 64, 64, ST_TIME | ST_IP, false);
    image_end(&im, at);
    for (uint64_t i = 0; i < 5000; i++)
        add_sample(&im, i, 1 + i * 7919 % 1009);
    const struct pd_hash a = hash_image(&im, NULL), b = hash_image(&im, &little);
    assert_memory_equal(&a, &b, sizeof a);
    const struct pd_hash_options nowhere = {.size = sizeof nowhere, .memory = 4096, .tmpdir = "/nonexistent"};
    const struct pd_hash none = {{0}};
    struct pd_hash hash;
    struct pd_reader *r;
    struct pd_error error;
    assert_int_equal(pd_reader_open_memory(&r, im.b, im.n, NULL, NULL), PD_OK);
    assert_int_equal(pd_hash_recording(r, &nowhere, &hash, &error), PD_ETEMP);
    assert_memory_equal(&hash, &none, sizeof hash);
    pd_reader_close(r);
    image_free(&im);
}

/* Hashes of records that come in order do not wait for others, so no temporary file is needed. */
static void test_order_needs_no_files(void **state)
{
    const struct pd_hash_options nowhere = {.size = sizeof nowhere, .memory = 4096, .tmpdir = "/nonexistent"};
    struct image im;
    (void)state;
    image_start(&im, false, 16, 0);
    const size_t at = image_record(&im, 64, 0);
    image_attr(&im, 64, 64, ST_TIME | ST_IP, false);
    image_end(&im, at);
    for (uint64_t i = 0; i < 5000; i++)
        add_sample(&im, i, 1 + i);
    const struct pd_hash a = hash_image(&im, NULL), b = hash_image(&im, &nowhere);
    assert_memory_equal(&a, &b, sizeof a);
    image_free(&im);
}

static void test_no_memory(void **state)
{
    struct image im;
    struct heap heap = {0};
    const struct pd_allocator allocator = {heap_resize, heap_release, &heap};
    const struct pd_hash_options options = {.size = sizeof options, .allocator = &allocator};
    enum pd_code code = PD_ENOMEM;
    (void)state;
    image_recording(&im, true);
    for (size_t n = 1; code == PD_ENOMEM; n++) {
        struct pd_reader *r;
        struct pd_hash hash;
        struct pd_error error;
        heap = (struct heap){.fail_at = n, .once = true};
        assert_int_equal(pd_reader_open_memory(&r, im.b, im.n, NULL, NULL), PD_OK);
        code = pd_hash_recording(r, &options, &hash, &error);
        assert_true(code == PD_OK || code == PD_ENOMEM);
        assert_int_equal(heap.blocks, 0);
        pd_reader_close(r);
        assert_true(n < 1000);
    }
    assert_true(heap.calls > 5);
    image_free(&im);
}

/* Cut anywhere, or with any byte changed, a recording has a hash; nothing crashes. */
static void test_damage(void **state)
{
    struct image im;
    struct pd_reader *r;
    struct pd_hash hash;
    unsigned findings = 0;
    const struct pd_hash_options options = {.size = sizeof options, .finding = on_finding, .user = &findings};
    (void)state;
    image_recording(&im, false);
    for (size_t n = 0; n < im.n; n++) {
        if (pd_reader_open_memory(&r, im.b, n, NULL, NULL))
            continue;
        assert_int_equal(pd_hash_recording(r, &options, &hash, NULL), PD_OK);
        pd_reader_close(r);
    }
    assert_true(findings > 100);
    for (size_t i = 0; i < im.n; i++) {
        im.b[i] ^= 0xff;
        if (pd_reader_open_memory(&r, im.b, im.n, NULL, NULL) == PD_OK) {
            assert_int_equal(pd_hash_recording(r, &options, &hash, NULL), PD_OK);
            pd_reader_close(r);
        }
        im.b[i] ^= 0xff;
    }
    image_free(&im);
}

/* What cannot be decoded of a recording. */
static unsigned count_damage(const struct image *im)
{
    struct pd_record rec = {0};
    struct pd_reader *r;
    enum pd_code code;
    unsigned n = 0;
    assert_int_equal(pd_reader_open_memory(&r, im->b, im->n, NULL, NULL), PD_OK);
    while ((code = pd_reader_next(r, &rec, NULL)) == PD_OK) {
        const enum pd_code decoded = pd_reader_decode(r, &rec, NULL);
        n += decoded && decoded != PD_EUNKNOWN;
    }
    pd_reader_close(r);
    return n + (code != PD_END);
}

/* A record of each type without a field is reported where it is damage, also if it carries no content. */
static void test_short_records(void **state)
{
    unsigned damaged = 0;
    (void)state;
    for (uint32_t type = 1; type <= PD_RECORD_SCHEDSTAT_DOMAIN; type++) {
        struct image im;
        unsigned findings = 0;
        const struct pd_hash_options options = {
            .size = sizeof options, .finding = on_finding, .user = &findings};
        make_pipe(&im, &(struct form){0});
        image_end(&im, image_record(&im, type, 0));
        hash_image(&im, &options);
        assert_int_equal(findings, count_damage(&im));
        damaged += findings;
        image_free(&im);
    }
    assert_true(damaged > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_content),
        cmocka_unit_test(test_definition),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_max_feature),
        cmocka_unit_test(test_default_max_feature),
        cmocka_unit_test(test_held),
        cmocka_unit_test(test_spill),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_order_needs_no_files),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_short_records),
        cmocka_unit_test(test_zeros_in_tracing_data),
        cmocka_unit_test(test_behind_build_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
