/* SPDX-License-Identifier: MIT */
/*
 * ring.c - records are read from a ring buffer at any position in it, and their events found in a table;
 * rings and control pages with impossible numbers are refused. Checks R1.
 */
#include "cmocka_all.h"
#include "src/support/wire.h"
#include <perfdata/perfdata.h>
#include <perfdata/session/ring.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIZE = 128, SAMPLE = 9, COMM = 3, SAMPLE_BYTES = 32, COMM_BYTES = 40 };

/* The memory is allocated, so that sanitizers see what is read beside it. */
struct fixture {
    struct pd_attr_table *table;
    struct pd_ring_memory memory;
    struct pd_ring *ring;
    uint8_t *data;
    uint64_t head, tail;
    struct pd_record rec;
    struct pd_error error;
};

static void open_ring(struct fixture *f, size_t size, uint64_t start)
{
    f->data = malloc(size);
    assert_non_null(f->data);
    f->head = f->tail = start;
    f->memory = (struct pd_ring_memory){f->data, size, &f->head, &f->tail};
    assert_int_equal(pd_ring_open(&f->ring, &f->memory, f->table, NULL, NULL), PD_OK);
}

static void close_ring(struct fixture *f)
{
    pd_ring_close(f->ring);
    free(f->data);
}

static void put_bytes(struct fixture *f, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        f->data[f->head++ % f->memory.size] = ((const uint8_t *)bytes)[i];
}

static void put_header(struct fixture *f, uint32_t type, uint16_t size)
{
    const struct pi_record_header h = {.type = type, .size = size};
    put_bytes(f, &h, sizeof h);
}

/* A sample: identifier, ip and, depending on the event, the time, or pid and tid. */
static void put_sample(struct fixture *f, uint64_t id, uint64_t ip, uint64_t last)
{
    put_header(f, SAMPLE, SAMPLE_BYTES);
    put_bytes(f, (uint64_t[]){id, ip, last}, 24);
}

/* A COMM of pid, tid and name, with a trailer of pid, tid and identifier. */
static void put_comm(struct fixture *f, uint64_t id)
{
    put_header(f, COMM, COMM_BYTES);
    put_bytes(f, (uint32_t[]){5, 6}, 8);
    put_bytes(f, "ringing", 8);
    put_bytes(f, (uint32_t[]){5, 6}, 8);
    put_bytes(f, &id, 8);
}

static enum pd_code next(struct fixture *f)
{
    return pd_ring_next(f->ring, &f->rec, &f->error);
}

static void start_table(struct fixture *f)
{
    const struct pd_attr tid = {.sample_type = PD_SAMPLE_IDENTIFIER | PD_SAMPLE_IP | PD_SAMPLE_TID,
                                .flags = PD_ATTR_SAMPLE_ID_ALL};
    const struct pd_attr time = {.sample_type = PD_SAMPLE_IDENTIFIER | PD_SAMPLE_IP | PD_SAMPLE_TIME,
                                 .flags = PD_ATTR_SAMPLE_ID_ALL};
    *f = (struct fixture){0};
    assert_int_equal(pd_attr_table_new(&f->table, PD_HOST_ORDER, NULL, NULL), PD_OK);
    assert_int_equal(pd_attr_table_add(f->table, &tid, (uint64_t[]){71, 72}, 2, NULL), PD_OK);
    assert_int_equal(pd_attr_table_add(f->table, &time, NULL, 0, NULL), PD_OK);
    assert_int_equal(pd_attr_table_add_id(f->table, 1, 81, NULL), PD_OK);
    assert_int_equal(pd_attr_table_add_id(f->table, 1, 71, NULL), PD_OK); /* it stays with the first */
    assert_int_equal(pd_attr_table_add_id(f->table, 2, 91, &f->error), PD_EARG);
}

static void expect_decoded(struct fixture *f, uint32_t index)
{
    assert_int_equal(f->rec.attr_index, index);
    assert_int_equal(pd_attr_table_decode(f->table, &f->rec, &f->error), PD_OK);
    assert_int_equal(f->rec.attr_index, index);
    assert_true(f->rec.rest.n == 0);
}

/* The ring ends at each byte of the records in turn, and the position passes 2^64. */
static void every_place(void **state)
{
    struct fixture f;
    (void)state;
    start_table(&f);
    for (uint64_t k = 0; k < 2 * SIZE; k++) {
        const uint64_t start = k - SIZE;
        open_ring(&f, SIZE, start);
        assert_int_equal(next(&f), PD_AGAIN);
        put_sample(&f, 72, 0x401000 + k,
                   (uint64_t)(PD_HOST_ORDER == PD_BIG ? 5 : 6) << 32 | (PD_HOST_ORDER == PD_BIG ? 6 : 5));
        put_sample(&f, 81, 0x402000, 1000 + k);
        put_comm(&f, 72);
        assert_int_equal(next(&f), PD_OK);
        assert_true(f.rec.offset == start && f.rec.index == 0);
        expect_decoded(&f, 0);
        assert_int_equal(f.rec.u.sample.ip, 0x401000 + k);
        assert_int_equal(f.rec.u.sample.pid, 5);
        assert_int_equal(f.rec.u.sample.tid, 6);
        assert_true(f.tail == start); /* the kernel may not write over it yet */
        assert_int_equal(next(&f), PD_OK);
        assert_true(f.tail == start + SAMPLE_BYTES);
        expect_decoded(&f, 1);
        assert_int_equal(f.rec.u.sample.ip, 0x402000);
        assert_int_equal(f.rec.u.sample.time, 1000 + k);
        assert_int_equal(next(&f), PD_OK);
        assert_true(f.rec.index == 2);
        expect_decoded(&f, 0);
        assert_int_equal(f.rec.u.comm.tid, 6);
        assert_string_equal(f.rec.u.comm.comm.ptr, "ringing");
        assert_true(f.rec.has_id && f.rec.id.identifier == 72 && f.rec.id.tid == 6);
        assert_int_equal(next(&f), PD_AGAIN);
        assert_true(f.tail == f.head);
        put_sample(&f, 71, 1, 2); /* goes on */
        assert_int_equal(next(&f), PD_OK);
        assert_true(f.rec.offset == start + 2 * SAMPLE_BYTES + COMM_BYTES);
        close_ring(&f);
        assert_true(f.tail == f.head);
    }
    pd_attr_table_free(f.table);
}

static void unknown_id(void **state)
{
    struct fixture f;
    (void)state;
    start_table(&f);
    open_ring(&f, SIZE, 0);
    put_sample(&f, 99, 1, 2);
    assert_int_equal(next(&f), PD_OK);
    assert_true(f.rec.attr_index == UINT32_MAX && f.rec.plan == NULL);
    assert_int_equal(pd_attr_table_decode(f.table, &f.rec, &f.error), PD_EUNKNOWN);
    close_ring(&f);
    pd_attr_table_free(f.table);
}

/* It is an id like any other. */
static void id_of_all_ones(void **state)
{
    struct fixture f;
    (void)state;
    start_table(&f);
    assert_int_equal(pd_attr_table_add_id(f.table, 0, UINT64_MAX, NULL), PD_OK);
    open_ring(&f, SIZE, 0);
    put_comm(&f, UINT64_MAX);
    assert_int_equal(next(&f), PD_OK);
    expect_decoded(&f, 0);
    close_ring(&f);
    pd_attr_table_free(f.table);
}

/* With an event whose layout nobody knows, a sample of an unknown id may be of any. */
static void unknown_id_and_layout(void **state)
{
    const struct pd_attr known = {.sample_type = PD_SAMPLE_IDENTIFIER | PD_SAMPLE_IP | PD_SAMPLE_READ};
    struct pd_attr unknown = known;
    (void)state;
    for (uint64_t bit = 0; bit <= UINT64_C(1) << 33; bit += UINT64_C(1) << 33) { /* alike, and not */
        struct fixture f = {0};
        unknown.read_format = bit;
        assert_int_equal(pd_attr_table_new(&f.table, PD_HOST_ORDER, NULL, NULL), PD_OK);
        assert_int_equal(pd_attr_table_add(f.table, &known, (uint64_t[]){71}, 1, NULL), PD_OK);
        assert_int_equal(pd_attr_table_add(f.table, &unknown, (uint64_t[]){72}, 1, NULL), PD_OK);
        open_ring(&f, SIZE, 0);
        put_sample(&f, 99, 0x401000, 5);
        assert_int_equal(next(&f), PD_OK);
        assert_true(f.rec.attr_index == UINT32_MAX);
        assert_int_equal(pd_attr_table_decode(f.table, &f.rec, &f.error), bit ? PD_EUNKNOWN : PD_OK);
        close_ring(&f);
        pd_attr_table_free(f.table);
    }
}

/* The reader reports the code, and reads the next record all the same. */
static void expect_passed_over(struct fixture *f, enum pd_code code)
{
    assert_int_equal(next(f), code);
    assert_int_equal(f->error.code, code);
    assert_int_equal(next(f), PD_AGAIN);
    assert_true(f->tail == f->head);
    put_sample(f, 71, 77, 2);
    assert_int_equal(next(f), PD_OK);
    expect_decoded(f, 0);
    assert_int_equal(f->rec.u.sample.ip, 77);
    assert_int_equal(next(f), PD_AGAIN);
}

static void impossible_numbers(void **state)
{
    struct fixture f;
    (void)state;
    start_table(&f);
    open_ring(&f, SIZE, 40);
    memset(f.data, 0xff, SIZE);
    for (uint16_t size = 0; size < 8; size++) {
        put_header(&f, SAMPLE, size);
        expect_passed_over(&f, PD_ESIZE);
    }
    put_header(&f, SAMPLE, 9);
    expect_passed_over(&f, PD_ETRUNC);
    put_header(&f, SAMPLE, UINT16_MAX);
    expect_passed_over(&f, PD_ETRUNC);
    for (int n = 1; n < 8; n++) {
        put_bytes(&f, "perfdata", (size_t)n);
        expect_passed_over(&f, PD_ESHORT);
    }
    f.head += SIZE + 1;
    expect_passed_over(&f, PD_ECOUNT);
    f.head -= 8;
    expect_passed_over(&f, PD_ECOUNT);
    close_ring(&f);
    for (size_t size = 1; size < SAMPLE_BYTES; size++) { /* a ring that no sample fits in */
        open_ring(&f, size, 3);
        memset(f.data, 0xff, size);
        f.head += size;
        assert_int_equal(next(&f), size < 8 ? PD_ESHORT : PD_ETRUNC);
        assert_int_equal(next(&f), PD_AGAIN);
        close_ring(&f);
    }
    pd_attr_table_free(f.table);
}

/* The largest record wraps around in a larger ring. */
static void largest_record(void **state)
{
    static uint8_t body[UINT16_MAX - 8];
    struct fixture f;
    (void)state;
    start_table(&f);
    open_ring(&f, 1 << 16, (1 << 16) - 1000);
    for (size_t i = 0; i < sizeof body; i++)
        body[i] = (uint8_t)(i * 7);
    put_header(&f, COMM, UINT16_MAX);
    put_bytes(&f, body, sizeof body);
    assert_int_equal(next(&f), PD_OK);
    assert_memory_equal(f.rec.raw + 8, body, sizeof body);
    close_ring(&f);
    pd_attr_table_free(f.table);
}

static enum pd_code memory_of(uint64_t *page, size_t n, uint64_t offset, uint64_t size)
{
    struct pd_ring_memory m;
    struct pd_ring *r = NULL;
    struct pd_error e;
    page[1040 / 8] = offset; /* data_offset and data_size, as <linux/perf_event.h> has them */
    page[1048 / 8] = size;
    enum pd_code code = pd_ring_memory_of(&m, page, n, &e);
    if (!code && (code = pd_ring_open(&r, &m, NULL, NULL, &e)) == PD_OK) {
        assert_ptr_equal(m.head, &page[1024 / 8]);
        assert_ptr_equal(m.tail, &page[1032 / 8]);
        assert_ptr_equal(m.data, (uint8_t *)page + (offset ? offset : 4096));
    } else {
        assert_int_equal(e.code, code);
    }
    pd_ring_close(r);
    return code;
}

static void mapping(void **state)
{
    const size_t n = 3 * 4096;
    uint64_t *page = calloc(1, n);
    (void)state;
    assert_int_equal(memory_of(page, n, 4096, 8192), PD_OK);
    assert_int_equal(memory_of(page, n, 4096, 8193), PD_ERANGE);
    assert_int_equal(memory_of(page, n, 4104, 8192), PD_ERANGE);
    assert_int_equal(memory_of(page, n, UINT64_MAX, 8192), PD_ERANGE);
    assert_int_equal(memory_of(page, n, 4096, UINT64_MAX - 4000), PD_ERANGE);
    assert_int_equal(memory_of(page, n, 1048, 64), PD_ERANGE); /* over the control page's own numbers */
    assert_int_equal(memory_of(page, n, 4096, 0), PD_EARG);
    assert_int_equal(memory_of(page, 1055, 4096, 8), PD_ERANGE);
    if (sysconf(_SC_PAGESIZE) == 4096) {
        assert_int_equal(memory_of(page, n, 0, 0), PD_OK);
        assert_int_equal(memory_of(page, 4096, 0, 0), PD_EARG);
        assert_int_equal(memory_of(page, 2000, 0, 0), PD_ERANGE);
    }
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_place),
        cmocka_unit_test(unknown_id),
        cmocka_unit_test(id_of_all_ones),
        cmocka_unit_test(unknown_id_and_layout),
        cmocka_unit_test(impossible_numbers),
        cmocka_unit_test(largest_record),
        cmocka_unit_test(mapping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
