/* SPDX-License-Identifier: MIT */
/*
 * reader_v1.c - files and streams of the first version, PERFFILE, byte by byte: each place was derived by
 * hand from the format's description, and each number has both byte orders.
 */
#include "fuzz/image.h"
#include "cmocka_all.h"
#include <perfdata/perfdata.h>
#include <perfdata/session/event.h>

static struct pd_reader *open_image(const struct image *im)
{
    struct pd_reader *r = NULL;
    assert_int_equal(pd_reader_open_memory(&r, im->b, im->n, NULL, NULL), PD_OK);
    assert_int_equal(pd_reader_info(r)->version, 1);
    assert_int_equal(pd_reader_info(r)->order, im->big ? PD_BIG : PD_LITTLE);
    return r;
}

static void at(const struct image *im, size_t offset)
{
    assert_int_equal(im->n, offset);
}

/* The attr of 2.6.35: 72 bytes; ip, tid, time and cpu in each sample. */
static void add_attr(struct image *im, uint32_t size)
{
    const size_t start = im->n;
    image_u32(im, 0); /* hardware */
    image_u32(im, size);
    image_u64(im, 0);    /* cycles */
    image_u64(im, 1000); /* period */
    image_u64(im, 1 | 2 | 4 | 128);
    image_u64(im, 0);                               /* read_format */
    image_u64(im, im->big ? UINT64_C(1) << 63 : 1); /* disabled: the first bit */
    image_u32(im, 1);                               /* wakeup_events */
    image_u32(im, 0);
    image_u64(im, 0);
    image_u64(im, 0);
    image_zeros(im, size > 72 ? size - 72 : 0);
    assert_int_equal(im->n, start + (size > 72 ? size : 72));
}

static void add_records(struct image *im)
{
    image_u32(im, 3); /* COMM, without a trailer */
    image_u16(im, 0);
    image_u16(im, 24);
    image_u32(im, 500);
    image_u32(im, 501);
    image_bytes(im, "old\0\0\0\0\0", 8);
    image_u32(im, 9); /* SAMPLE */
    image_u16(im, 2);
    image_u16(im, 40);
    image_u64(im, UINT64_C(0xc0001234));
    image_u32(im, 500);
    image_u32(im, 501);
    image_u64(im, UINT64_C(7000000123));
    image_u32(im, 3);
    image_u32(im, 0);
}

static void expect_records(struct pd_reader *r, uint64_t offset)
{
    struct pd_record rec = {0};
    assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
    assert_int_equal(pd_reader_decode(r, &rec, NULL), PD_OK);
    assert_int_equal(rec.offset, offset);
    assert_int_equal(rec.u.comm.pid, 500);
    assert_int_equal(rec.u.comm.tid, 501);
    assert_string_equal(rec.u.comm.comm.ptr, "old");
    assert_false(rec.has_id);
    assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
    assert_int_equal(pd_reader_decode(r, &rec, NULL), PD_OK);
    assert_int_equal(rec.offset, offset + 24);
    assert_int_equal(rec.attr_index, 0);
    assert_int_equal(rec.u.sample.ip, 0xc0001234);
    assert_int_equal(rec.u.sample.tid, 501);
    assert_true(rec.u.sample.time == UINT64_C(7000000123));
    assert_int_equal(rec.u.sample.cpu, 3);
    assert_int_equal(pd_reader_next(r, &rec, NULL), PD_END);
}

/*
 * Header of 104 bytes, attr entry, event types, data, feature table, HOSTNAME and NRCPUS: real file B of
 * FORMAT.md 1.10.
 */
static void make_file(struct image *im, bool big, unsigned word, unsigned attr)
{
    const uint32_t entry = attr + 16;
    *im = (struct image){.big = big};
    image_bytes(im, "PERFFILE", 8);
    image_u64(im, 104);
    image_u64(im, entry);
    image_u64(im, 120); /* attrs, behind two ids */
    image_u64(im, entry);
    image_u64(im, 120 + entry + 72); /* data */
    image_u64(im, 64);
    image_u64(im, 120 + entry); /* event types */
    image_u64(im, 72);
    at(im, 72);
    for (unsigned i = 0; i < 32; i++) { /* bits 3 and 7, in the lowest byte of the first word */
        const unsigned lowest = big ? word - 1 : 0;
        *image_room(im, 1) = i == lowest ? 1 << 3 | 1 << 7 : 0;
    }
    at(im, 104);
    image_u64(im, 0x51);
    image_u64(im, 0x52);
    at(im, 120);
    add_attr(im, attr);
    image_u64(im, 104);
    image_u64(im, 16);
    at(im, 120 + entry);
    image_u64(im, 0); /* event id */
    image_bytes(im, "cycles\0\0", 8);
    image_zeros(im, 56);
    at(im, 192 + entry);
    add_records(im);
    at(im, 256 + entry);
    image_u64(im, 288 + entry); /* HOSTNAME */
    image_u64(im, 68);
    image_u64(im, 356 + entry); /* NRCPUS */
    image_u64(im, 8);
    at(im, 288 + entry);
    image_u32(im, 64);
    image_bytes(im, "abacus", 6);
    image_zeros(im, 58);
    at(im, 356 + entry);
    image_u32(im, 8);
    image_u32(im, 4);
    at(im, 364 + entry);
}

static void files(void **state)
{
    static const unsigned attrs[] = {72,  80,  96,
                                     104, 128, 136}; /* only the header's size determines the last two */
    (void)state;
    for (size_t i = 0; i < sizeof attrs / sizeof *attrs; i++) {
        for (unsigned how = 0; how < 4; how++) {
            const unsigned word = how & 1 ? 4 : 8, entry = attrs[i] + 16;
            struct image im;
            struct pd_event_type type;
            uint8_t cpus[8];
            make_file(&im, how & 2, word, attrs[i]);
            struct pd_reader *r = open_image(&im);
            const struct pd_file_info *info = pd_reader_info(r);
            assert_int_equal(info->container, PD_CONTAINER_FILE);
            assert_int_equal(info->data_offset, 192 + entry);
            assert_int_equal(info->data_end, 256 + entry);
            assert_int_equal(info->feature_word, how & 2 ? word : 8);
            assert_int_equal(pd_reader_n_findings(r), 0);
            assert_int_equal(pd_reader_n_attrs(r), 1);
            const struct pd_event_attr *a = pd_reader_attr(r, 0);
            assert_int_equal(a->attr.size, attrs[i]);
            assert_int_equal(a->attr.sample_period, 1000);
            assert_int_equal(a->attr.wakeup_events, 1);
            assert_int_equal(pd_attr_flag(&a->attr, PD_ATTR_DISABLED), 1);
            assert_int_equal(pd_attr_flag(&a->attr, PD_ATTR_SAMPLE_ID_ALL), 0);
            assert_int_equal(a->n_ids, 2);
            assert_int_equal(a->ids[1], 0x52);
            assert_int_equal(pd_reader_n_event_types(r), 1);
            assert_int_equal(pd_reader_event_type(r, 0, &type, NULL), PD_OK);
            assert_int_equal(type.event_id, 0);
            assert_memory_equal(type.name, "cycles\0\0", 8);
            assert_int_equal(pd_reader_n_features(r), 2);
            assert_int_equal(pd_reader_feature(r, 0)->feature, 3);
            assert_int_equal(pd_reader_feature(r, 1)->feature, 7);
            assert_true(pd_reader_feature(r, 1)->intact);
            assert_int_equal(pd_reader_read(r, pd_reader_feature(r, 1)->section.offset, cpus, 8, NULL),
                             PD_OK);
            assert_int_equal(cpus[how & 2 ? 3 : 0], 8);
            expect_records(r, 192 + entry);
            pd_reader_close(r);
            image_free(&im);
        }
    }
}

/* Real file A: a header of 72 bytes, the first attr of all, unfinished. */
static void unfinished(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        for (int records = 0; records < 2; records++) {
            struct image im = {.big = big};
            image_bytes(&im, "PERFFILE", 8);
            image_u64(&im, 72);
            image_u64(&im, 88);
            image_u64(&im, 80);
            image_u64(&im, 88);
            image_u64(&im, 168); /* data, of no size yet */
            image_u64(&im, 0);
            image_u64(&im, 168);
            image_u64(&im, 0);
            at(&im, 72);
            image_u64(&im, 0x51);
            at(&im, 80);
            add_attr(&im, 72);
            image_u64(&im, 72);
            image_u64(&im, 8);
            at(&im, 168);
            if (records)
                add_records(&im);
            struct pd_reader *r = open_image(&im);
            struct pd_record rec = {0};
            assert_int_equal(pd_reader_info(r)->unfinished,
                             records); /* without a bitmap, an empty one may be finished */
            assert_int_equal(pd_reader_n_findings(r), 0);
            assert_int_equal(pd_reader_find_id(r, 0x51), 0);
            if (records)
                expect_records(r, 168);
            assert_int_equal(pd_reader_next(r, &rec, NULL), PD_END);
            pd_reader_close(r);
            image_free(&im);
        }
    }
}

/* HEADER_ATTR with an id, EVENT_TYPE, then the records. */
static void pipes(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct image im = {.big = big};
        struct pd_record rec = {0};
        image_bytes(&im, "PERFFILE", 8);
        image_u64(&im, 16);
        image_u32(&im, 64);
        image_u16(&im, 0);
        image_u16(&im, 8 + 72 + 8);
        add_attr(&im, 72);
        image_u64(&im, 0x51);
        at(&im, 104);
        image_u32(&im, 65);
        image_u16(&im, 0);
        image_u16(&im, 8 + 8 + 16);
        image_u64(&im, 0);
        image_bytes(&im, "cycles\0\0\0\0\0\0\0\0\0\0", 16);
        at(&im, 136);
        add_records(&im);
        at(&im, 200);
        struct pd_reader *r = open_image(&im);
        assert_int_equal(pd_reader_info(r)->container, PD_CONTAINER_PIPE);
        assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
        assert_int_equal(rec.type, 64);
        assert_int_equal(pd_reader_attr(r, 0)->attr.size, 72);
        assert_int_equal(pd_reader_attr(r, 0)->offset, 24);
        assert_int_equal(pd_reader_find_id(r, 0x51), 0);
        assert_int_equal(pd_reader_next(r, &rec, NULL), PD_OK);
        assert_int_equal(rec.type, 65);
        assert_int_equal(rec.offset, 104);
        expect_records(r, 136);
        pd_reader_close(r);
        image_free(&im);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files),
        cmocka_unit_test(unfinished),
        cmocka_unit_test(pipes),
    };
    return cmocka_run_group_tests_name("reader_v1", tests, NULL, NULL);
}
