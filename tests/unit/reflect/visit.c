/* SPDX-License-Identifier: MIT */
/* visit.c - a visitor that stops, and mappings of both kinds through one function. */
#include "fuzz/image_sink.h"
#include "cmocka_all.h"
#include <perfdata/session/visit.h>
#include <perfdata/writer.h>

struct seen {
    unsigned maps, comms, findings;
    uint32_t prot[2];
    bool stop;
};

static void on_mmap2(void *user, const struct pd_record *rec, const struct pd_mmap2 *m)
{
    struct seen *s = user;
    assert_true(rec->type == PD_RECORD_MMAP || rec->type == PD_RECORD_MMAP2);
    assert_int_equal(m->addr, 0x1000 * (s->maps + 1));
    assert_memory_equal(m->filename.ptr, "file", 4);
    if (rec->type == PD_RECORD_MMAP)
        s->prot[s->maps] = m->prot;
    s->stop = ++s->maps == 3;
}

static void on_comm(void *user, const struct pd_record *rec, const struct pd_comm *c)
{
    (void)rec, (void)c;
    ((struct seen *)user)->comms++;
}

static void on_finding(void *user, const struct pd_error *error)
{
    assert_int_not_equal(error->code, PD_OK);
    ((struct seen *)user)->findings++;
}

static struct pd_reader *open_recording(struct image *im)
{
    const struct pd_sink sink = image_sink(im);
    const uint8_t damaged[16] = {PD_RECORD_MMAP, 0, 0, 0, 0, 0, 16, 0};
    struct pd_record map = {.type = PD_RECORD_MMAP,
                            .attr_index = UINT32_MAX,
                            .u.mmap = {.addr = 0x1000, .filename = PD_STR("file")}};
    const struct pd_record map2 = {.type = PD_RECORD_MMAP2,
                                   .attr_index = UINT32_MAX,
                                   .u.mmap2 = {.addr = 0x3000, .filename = PD_STR("file")}},
                           comm = {
                               .type = PD_RECORD_COMM, .attr_index = UINT32_MAX, .u.comm.comm = PD_STR("x")};
    const struct pd_attr attr = {.size = PD_ATTR_SIZE_VER7, .sample_type = PD_SAMPLE_IP};
    const struct pd_writer_options options = {.size = sizeof options, .order = PD_LITTLE};
    struct pd_writer *w = NULL;
    struct pd_reader *r = NULL;
    assert_int_equal(pd_writer_open(&w, &sink, &options, NULL), PD_OK);
    assert_int_equal(pd_writer_attr(w, &attr, NULL, 0, NULL), PD_OK);
    assert_int_equal(pd_writer_record(w, &map, NULL), PD_OK);
    map.misc = PD_MISC_MMAP_DATA;
    map.u.mmap.addr = 0x2000;
    assert_int_equal(pd_writer_record(w, &map, NULL), PD_OK);
    assert_int_equal(pd_writer_raw(w, damaged, sizeof damaged, NULL), PD_OK);
    assert_int_equal(pd_writer_record(w, &comm, NULL), PD_OK);
    assert_int_equal(pd_writer_record(w, &map2, NULL), PD_OK);
    assert_int_equal(pd_writer_record(w, &comm, NULL), PD_OK);
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
    assert_int_equal(pd_reader_open_memory(&r, im->b, im->n, NULL, NULL), PD_OK);
    return r;
}

static void stops_and_goes_on(void **state)
{
    static const struct pd_visitor visitor = {.mmap2 = on_mmap2, .comm = on_comm};
    struct seen seen = {0};
    const struct pd_visit_options options = {
        .size = sizeof options, .stop = &seen.stop, .mmap_as_mmap2 = true, .finding = on_finding};
    struct image im = {0};
    struct pd_reader *r = open_recording(&im);
    (void)state;
    assert_int_equal(pd_reader_visit(r, &visitor, &seen, &options, NULL), PD_OK);
    assert_true(seen.maps == 3 && seen.comms == 1 && seen.findings == 1);
    assert_true(seen.prot[0] == 5 && seen.prot[1] == 1);
    seen.stop = false;
    assert_int_equal(pd_reader_visit(r, &visitor, &seen, &options, NULL), PD_OK);
    assert_true(seen.maps == 3 && seen.comms == 2);
    assert_int_equal(pd_reader_rewind(r, NULL), PD_OK);
    seen = (struct seen){.maps = 2}; /* only the MMAP2 comes */
    assert_int_equal(pd_reader_visit(r, &visitor, &seen, NULL, NULL), PD_OK);
    assert_true(seen.maps == 3 && seen.comms == 2);
    pd_reader_close(r);
    image_free(&im);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stops_and_goes_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
