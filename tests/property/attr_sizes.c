/* SPDX-License-Identifier: MIT */
/*
 * attr_sizes.c - attrs with any size, in the entries of a file and in HEADER_ATTR records: all readers and
 * writers judge them alike. An attr is intact if its size is 0, which means 64, or at least 64 and no more
 * than its room.
 */
#include "cmocka_all.h"
#include "../../fuzz/image_sink.h"
#include <perfdata/ops/convert.h>
#include <perfdata/ops/filter.h>
#include <perfdata/ops/hash.h>
#include <perfdata/ops/repair.h>
#include <perfdata/ops/rewrite.h>
#include <perfdata/ops/sort.h>
#include <perfdata/writer.h>

static bool is_intact(uint32_t size, size_t room)
{
    return size ? size >= 64 && size <= room : room >= 64;
}

/* ---- Recordings of one event and a record of it */

static void put_fields(struct image *im, uint32_t size, size_t room)
{
    const size_t at = im->n;
    image_zeros(im, room);
    image_set(im, at, PD_TYPE_SOFTWARE, 4);
    image_set(im, at + 4, size, 4);
    image_set(im, at + 24, PD_SAMPLE_IP | PD_SAMPLE_TID | PD_SAMPLE_TIME, 8);
    image_set(im, at + 40, PD_ATTR_SAMPLE_ID_ALL, 8);
}

static void put_comm(struct image *im)
{
    image_u32(im, PD_RECORD_COMM);
    image_u16(im, 0);
    image_u16(im, 40);
    image_u32(im, 7);
    image_u32(im, 7);
    image_bytes(im, "name\0\0\0\0", 8);
    image_u32(im, 7);
    image_u32(im, 7);
    image_u64(im, 1000);
}

static void make_file(struct image *im, uint32_t size, size_t room)
{
    image_start(im, false, 104, room + 16);
    put_fields(im, size, room);
    image_u64(im, 0);
    image_u64(im, 0);
    image_section(im, IMAGE_ATTRS, 104, room + 16);
    const size_t data = im->n;
    put_comm(im);
    image_section(im, IMAGE_DATA, data, im->n - data);
}

static void make_stream(struct image *im, uint32_t size, size_t room)
{
    image_start(im, false, 16, 0);
    image_u32(im, PD_RECORD_HEADER_ATTR);
    image_u16(im, 0);
    image_u16(im, (unsigned)(8 + room));
    put_fields(im, size, room);
    put_comm(im);
}

/* ---- Who says what */

struct outcome {
    size_t findings;
    struct pd_error first;
    struct image out;
};

static void on_finding(void *user, const struct pd_error *what)
{
    struct outcome *o = user;
    if (what->code == PD_EUNKNOWN)
        return;
    if (o->findings++ == 0)
        o->first = *what;
}

static struct pd_reader *open_image(const struct image *im)
{
    struct pd_reader *r;
    assert_int_equal(pd_reader_open_memory(&r, im->b, im->n, NULL, NULL), PD_OK);
    return r;
}

enum way {
    CHECKED,
    HASHED,
    COPIED,
    TO_FILE,
    TO_BIG_FILE,
    TO_PIPE,
    TO_BIG_PIPE,
    COMPRESSED,
    SORTED,
    FILTERED,
    REPAIRED,
    WAYS
};

static enum pd_code convert(struct pd_reader *r, enum way way, const struct pd_sink *sink, struct outcome *o)
{
    const struct pd_convert_options options = {
        .size = sizeof options,
        .to = way == TO_PIPE || way == TO_BIG_PIPE   ? PD_CONVERT_PIPE
              : way == TO_FILE || way == TO_BIG_FILE ? PD_CONVERT_FILE
                                                     : PD_CONVERT_SAME,
        .order = way == TO_BIG_FILE || way == TO_BIG_PIPE ? PD_CONVERT_BIG : PD_CONVERT_LITTLE,
        .zip = way == COMPRESSED ? PD_ZIP_COMPRESSED : PD_ZIP_KEEP,
        .finding = on_finding,
        .user = o};
    return pd_convert(r, sink, &options, NULL, NULL);
}

static enum pd_code go(struct pd_reader *r, enum way way, struct outcome *o)
{
    const struct pd_sink sink = image_sink(&o->out);
    const struct pd_rewrite_options rewriting = {
        .size = sizeof rewriting, .reencode = true, .finding = on_finding, .user = o};
    const struct pd_hash_options hashing = {.size = sizeof hashing, .finding = on_finding, .user = o};
    const struct pd_sort_options sorting = {.size = sizeof sorting, .finding = on_finding, .user = o};
    const struct pd_filter_options filtering = {.size = sizeof filtering, .finding = on_finding, .user = o};
    const struct pd_repair_options repairing = {.size = sizeof repairing};
    struct pd_repair_stats repaired;
    struct pd_rewrite_stats stats;
    struct pd_hash hash;
    switch (way) {
    case CHECKED: return pd_rewrite(r, NULL, &rewriting, &stats, NULL);
    case HASHED: return pd_hash_recording(r, &hashing, &hash, NULL);
    case SORTED: return pd_sort(r, &sink, &sorting, NULL, NULL);
    case FILTERED: return pd_filter(r, &sink, &filtering, NULL, NULL);
    case REPAIRED: return pd_repair(r, &sink, &repairing, &repaired, NULL);
    default: return convert(r, way, &sink, o);
    }
}

/* What the reader found when it opened the file, all who read it tell. */
static struct outcome outcome_of(const struct image *im, enum way way, enum pd_code *code)
{
    struct outcome o = {0};
    struct pd_reader *r = open_image(im);
    for (size_t i = 0; i < pd_reader_n_findings(r); i++)
        on_finding(&o, pd_reader_finding(r, i));
    *code = go(r, way, &o);
    pd_reader_close(r);
    return o;
}

static void check_finding(const struct outcome *o, bool stream)
{
    assert_int_equal(o->first.offset, stream ? 16 : 104);
    assert_int_equal(o->first.record_type, stream ? PD_RECORD_HEADER_ATTR : 0);
    assert_non_null(strstr(o->first.field, "attr"));
}

/* What is repaired is intact; what others made of it is no more so than it was. */
static void check_output(const struct image *made, bool intact, enum way way)
{
    enum pd_code code;
    struct outcome after = outcome_of(made, CHECKED, &code);
    assert_int_equal(code, PD_OK);
    if (intact || way == REPAIRED)
        assert_int_equal(after.findings, 0);
    image_free(&after.out);
}

static void try_size(uint32_t size, size_t room, bool stream)
{
    const bool intact = is_intact(size, room);
    struct image im = {0};
    stream ? make_stream(&im, size, room) : make_file(&im, size, room);
    for (enum way way = 0; way < WAYS; way++) {
        enum pd_code code;
        struct outcome o = outcome_of(&im, way, &code);
        const bool told = o.findings || (code && code != PD_EUNSUP);
        if (way != REPAIRED && told == intact && !(code == PD_EUNSUP && way == SORTED))
            fail_msg("size %u in %zu bytes of a %s, way %d: %zu findings, code %d", size, room,
                     stream ? "stream" : "file", way, o.findings, code);
        if (way != REPAIRED && o.findings)
            check_finding(&o, stream);
        if (!code && way > HASHED && o.out.n)
            check_output(&o.out, intact, way);
        image_free(&o.out);
    }
    image_free(&im);
}

static void test_any_size_is_judged_alike(void **state)
{
    static const uint32_t hostile[] = {
        1024, 4096, 65520, 65535, 65536, UINT32_C(1) << 30, INT32_MAX, UINT32_C(1) << 31, UINT32_MAX};
    static const size_t rooms[] = {64, 72, 128, 144, 200};
    (void)state;
    for (size_t k = 0; k < sizeof rooms / sizeof *rooms; k++) {
        for (uint32_t size = 0; size <= 208; size++)
            for (int stream = 0; stream < 2; stream++)
                try_size(size, rooms[k], stream);
        for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++)
            for (int stream = 0; stream < 2; stream++)
                try_size(hostile[i], rooms[k], stream);
    }
}

/* Less than the first version. */
static void test_little_room(void **state)
{
    (void)state;
    for (size_t room = 48; room < 64; room += 8)
        for (int stream = 0; stream < 2; stream++) {
            try_size(0, room, stream);
            try_size((uint32_t)room, room, stream);
            try_size(64, room, stream);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_size_is_judged_alike),
        cmocka_unit_test(test_little_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
