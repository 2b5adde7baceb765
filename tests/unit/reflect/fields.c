/* SPDX-License-Identifier: MIT */
/* fields.c - reflection: the fields of a record, their names, reading and setting them; and the visitor. */
#include "observed.h"
#include <perfdata/feature.h>
#include <perfdata/session/fields.h>
#include <perfdata/visitor.h>
#include <stdio.h>

/*
 * The names of the remaining fields, joined by spaces; parts and lists are entered, as "callchain(nr ips)".
 */
static void list(struct pd_fields *it, char *text, size_t cap)
{
    struct pd_field f;
    struct pd_fields inner;
    *text = '\0';
    while (pd_fields_next(it, &f)) {
        const size_t n = strlen(text);
        char below[512] = "";
        if (f.kind == PD_FIELD_PART) {
            pd_fields_enter(&inner, it, &f);
            list(&inner, below, sizeof below);
        } else if (f.kind == PD_FIELD_LIST && pd_fields_element(&inner, it, &f, 0)) {
            list(&inner, below, sizeof below);
        }
        assert_non_null(f.doc);
        snprintf(text + n, cap - n, *below ? "%s%s(%s)" : "%s%s", n ? " " : "", f.name, below);
    }
}

static void check_record(const struct pd_record *rec, const char *expected)
{
    struct pd_fields it;
    char text[2048];
    pd_fields_of_record(&it, rec);
    list(&it, text, sizeof text);
    assert_string_equal(text, expected);
}

static void test_record(void **state)
{
    (void)state;
    struct observed o;
    observe(&o, OBSERVED_SAMPLE_TYPE, OBSERVED_SAMPLE);
    check_record(&o.rec, "ip pid tid time id period callchain(nr ips)");
    o.rec.decoded = false;
    check_record(&o.rec, "");
    observe(&o, OBSERVED_SAMPLE_TYPE, OBSERVED_MMAP2);
    check_record(&o.rec,
                 "pid tid addr len pgoff build_id_size reserved_1 reserved_2 build_id prot flags filename "
                 "sample_id(pid tid time id)");
    observe(&o, PD_SAMPLE_TID, "20000000 0300 1800 0102030405060708 0f550000 10550000");
    check_record(&o.rec, "rest sample_id(pid tid)");
    observe(&o, PD_SAMPLE_STACK_USER, "09000000 0000 1000 0000000000000000");
    check_record(&o.rec, "stack_user(size data)"); /* dyn_size only exists behind a stack */
}

static void check_type(const struct pd_attr *attr, uint32_t type, uint16_t misc, const char *expected)
{
    struct pd_fields it;
    char text[2048];
    assert_true(pd_fields_of_type(&it, attr, type, misc));
    list(&it, text, sizeof text);
    assert_string_equal(text, expected);
}

static void test_type(void **state)
{
    (void)state;
    const struct pd_attr attr = {
        .sample_type = PD_SAMPLE_READ | PD_SAMPLE_BRANCH_STACK | PD_SAMPLE_STACK_USER | PD_SAMPLE_CPU,
        .read_format = PD_FORMAT_GROUP | PD_FORMAT_LOST | PD_FORMAT_TOTAL_TIME_RUNNING,
        .branch_sample_type = PD_BRANCH_SAMPLE_HW_INDEX,
        .flags = PD_ATTR_SAMPLE_ID_ALL};
    struct pd_fields it;
    check_type(
        &attr, PD_RECORD_SAMPLE, 0,
        "cpu res read(nr time_running values(value lost)) branch_stack(nr hw_idx entries(from to flags)) "
        "stack_user(size data dyn_size)");
    check_type(&attr, PD_RECORD_LOST, 0, "id lost sample_id(cpu res)");
    check_type(&attr, PD_RECORD_SWITCH, 0, "sample_id(cpu res)");
    check_type(NULL, PD_RECORD_LOST, 0, "id lost");
    check_type(NULL, PD_RECORD_MMAP2, 0,
               "pid tid addr len pgoff maj min ino ino_generation prot flags filename");
    check_type(NULL, PD_RECORD_MMAP2, PD_MISC_MMAP_BUILD_ID,
               "pid tid addr len pgoff build_id_size reserved_1 reserved_2 build_id prot flags filename");
    assert_false(pd_fields_of_type(&it, NULL, 9999, 0));
}

static void test_attr(void **state)
{
    (void)state;
    const struct pd_attr attr = {.size = 72, .sample_freq = 99, .flags = PD_ATTR_FREQ};
    struct pd_fields it;
    char text[2048];
    uint64_t value;
    pd_fields_of_attr(&it, &attr);
    list(&it, text, sizeof text);
    assert_string_equal(text,
                        "type size config sample_period sample_type read_format flags wakeup_events bp_type "
                        "bp_addr bp_len tail");
    assert_true(pd_attr_get(&attr, "sample_freq", &value) && value == 99);
    assert_true(pd_attr_get(&attr, "attr.sample_period", &value) && value == 99);
    assert_true(pd_attr_get(&attr, "flags.freq", &value) && value == 1);
    assert_true(pd_attr_get(&attr, "flags.precise_ip", &value) && value == 0);
    assert_true(pd_attr_get(&attr, "config4", &value) && value == 0);
    assert_false(pd_attr_get(&attr, "flags.no_such", &value));
    assert_false(pd_attr_get(&attr, "tail", &value));
    assert_false(pd_attr_get(&attr, "", &value));
}

static void test_field(void **state)
{
    (void)state;
    struct observed o;
    struct pd_fields it;
    struct pd_field f;
    observe(&o, OBSERVED_SAMPLE_TYPE, OBSERVED_MMAP2);
    pd_fields_of_record(&it, &o.rec);
    assert_true(pd_fields_find(&it, "filename", &f));
    assert_int_equal(f.kind, PD_FIELD_STRING);
    assert_int_equal(f.n, 11);
    assert_ptr_equal(f.u.str, &o.rec.u.mmap2.filename);
    assert_null(f.set);
    pd_fields_of_record(&it, &o.rec);
    assert_true(pd_fields_find(&it, "mmap2.build_id", &f));
    assert_int_equal(f.kind, PD_FIELD_ARRAY);
    assert_int_equal(f.n, 20);
    assert_ptr_equal(f.u.array, o.rec.u.mmap2.build_id);
    pd_fields_of_record(&it, &o.rec);
    assert_true(pd_fields_find(&it, "prot", &f));
    assert_int_equal(f.kind, PD_FIELD_NUMBER);
    assert_int_equal(f.width, 4);
    assert_int_equal(f.value, 5);
    assert_ptr_equal(f.set, &pd_set_prot);
    assert_string_equal(f.doc, "protection");
    pd_fields_of_record(&it, &o.rec);
    assert_false(pd_fields_find(&it, "maj", &f)); /* the build id is in its place */

    observe(&o, OBSERVED_SAMPLE_TYPE, OBSERVED_SAMPLE);
    pd_fields_of_record(&it, &o.rec);
    assert_true(pd_fields_find(&it, "callchain.ips", &f));
    assert_int_equal(f.kind, PD_FIELD_VECTOR);
    assert_int_equal(f.n, 2);
    assert_string_equal(f.count, "nr");
    assert_int_equal(f.registers, 0);
}

static void test_get(void **state)
{
    (void)state;
    struct observed o;
    uint64_t v;
    observe(&o, OBSERVED_SAMPLE_TYPE, OBSERVED_SAMPLE);
    assert_true(pd_record_get(&o.rec, "sample.callchain.nr", &v) && v == 2);
    assert_true(pd_record_get(&o.rec, "ip", &v) && v == 0x7efdb18bdb70);
    assert_true(pd_record_get(&o.rec, "callchain.ips[0]", &v) && v == PD_CONTEXT_USER);
    assert_true(pd_record_get(&o.rec, "callchain.ips[1]", &v) && v == 0x7efdb18bdb70);
    assert_true(pd_record_get(&o.rec, "header.size", &v) && v == 72);
    assert_true(pd_record_get(&o.rec, "header.type", &v) && v == PD_RECORD_SAMPLE);
    assert_true(pd_record_get(&o.rec, "header.misc", &v) && v == 2);
    static const char *const wrong[] = {"",
                                        "callchain",
                                        "callchain.ips",
                                        "callchain.ips[2]",
                                        "callchain.",
                                        "callchain.ips[0",
                                        "callchain.ips[]",
                                        "callchain.ips[0]x",
                                        "mmap2.pid",
                                        "callchain[0].nr",
                                        "i",
                                        "ipx",
                                        "ip[0]",
                                        "callchain.ips[99999999999999999999]",
                                        "sample",
                                        "ip.x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (pd_record_get(&o.rec, wrong[i], &v))
            fail_msg("\"%s\" was found", wrong[i]);
    observe(&o, OBSERVED_SAMPLE_TYPE, OBSERVED_COMM);
    assert_true(pd_record_get(&o.rec, "sample_id.id", &v) && v == 423);
    assert_true(pd_record_get(&o.rec, "comm.pid", &v) && v == 21775);
    assert_false(pd_record_get(&o.rec, "comm.comm", &v));
}

static void test_elements(void **state)
{
    (void)state;
    const struct pd_branch_entry branches[] = {{0x10, 0x20, 0}, {0x30, 0x40, 0xd5}};
    const struct pd_attr attr = {.sample_type = PD_SAMPLE_BRANCH_STACK};
    struct pd_plan plan;
    uint64_t v;
    pd_plan_init(&plan, &attr, PD_LITTLE);
    struct pd_record rec = {.type = PD_RECORD_SAMPLE,
                            .plan = &plan,
                            .u.sample.branch_stack = {.nr = 2, .entries = PD_LIST(branches, 2)}};
    assert_true(pd_record_get(&rec, "branch_stack.entries[1].to", &v) && v == 0x40);
    assert_true(pd_record_get(&rec, "branch_stack.entries[1].flags.cycles", &v) && v == 13);
    assert_false(pd_record_get(&rec, "branch_stack.entries[2].to", &v));
    assert_false(pd_record_get(&rec, "branch_stack.entries.to", &v));
    assert_int_equal(pd_record_set(&rec, "branch_stack.entries[1].to", 1, NULL), PD_EUNSUP);
    assert_int_equal(pd_record_set(&rec, "branch_stack.entries[1].flags.cycles", 1, NULL), PD_EUNSUP);
    assert_int_equal(branches[1].to, 0x40);
}

/* Of what is only announced any element may be meant, of a number that a size_t holds. */
static void test_large_index(void **state)
{
    (void)state;
    static const struct pd_attr attr = {.sample_type = PD_SAMPLE_BRANCH_STACK};
    char path[80];
    for (unsigned more = 0; more < 2; more++) {
        struct pd_fields it;
        struct pd_field f;
        assert_true(pd_fields_of_type(&it, &attr, PD_RECORD_SAMPLE, 0));
        snprintf(path, sizeof path, "branch_stack.entries[%zu%s].from", SIZE_MAX - 15, more ? "0" : "");
        assert_true(pd_fields_find(&it, path, &f) == !more);
    }
}

static void test_put(void **state)
{
    const struct pd_name *f = pd_set_field(&pd_set_branch_flags, "CYCLES");
    (void)state;
    assert_non_null(f);
    assert_int_equal(pd_bits_put(f, 213, 0x12345), 0x23455);
}

static void test_set(void **state)
{
    (void)state;
    struct observed o;
    struct pd_error error;
    uint64_t v;
    observe(&o, OBSERVED_SAMPLE_TYPE, OBSERVED_MMAP2);
    assert_int_equal(pd_record_set(&o.rec, "mmap2.pid", 7, NULL), PD_OK);
    assert_int_equal(o.rec.u.mmap2.pid, 7);
    assert_int_equal(pd_record_set(&o.rec, "tid", UINT64_MAX, NULL), PD_OK); /* -1 */
    assert_int_equal(o.rec.u.mmap2.tid, UINT32_MAX);
    assert_true(pd_record_get(&o.rec, "tid", &v) && v == UINT64_MAX);
    assert_int_equal(pd_record_set(&o.rec, "tid", UINT32_MAX, NULL), PD_OK);
    assert_int_equal(pd_record_set(&o.rec, "sample_id.time", 99, NULL), PD_OK);
    assert_int_equal(o.rec.id.time, 99);
    assert_int_equal(pd_record_set(&o.rec, "flags.anonymous", 1, NULL), PD_OK);
    assert_int_equal(o.rec.u.mmap2.flags, 0x22);
    assert_int_equal(o.rec.u.mmap2.prot, 5); /* its neighbour */

    assert_int_equal(pd_record_set(&o.rec, "build_id_size", 256, &error), PD_EVALUE);
    assert_string_equal(error.field, "build_id_size");
    assert_int_equal(error.expected, 255);
    assert_int_equal(pd_record_set(&o.rec, "prot", (uint64_t)-1, &error), PD_EVALUE);
    assert_int_equal(pd_record_set(&o.rec, "flags.type", 16, &error), PD_EVALUE);
    assert_int_equal(error.expected, 15);
    assert_int_equal(pd_record_set(&o.rec, "filename", 0, NULL), PD_EARG);
    assert_int_equal(pd_record_set(&o.rec, "no_such", 0, NULL), PD_EARG);
    assert_int_equal(pd_record_set(&o.rec, "header.type", 1, NULL), PD_EARG);
    assert_int_equal(pd_record_set(&o.rec, "header.size", 65536, NULL), PD_EVALUE);
    assert_int_equal(pd_record_set(&o.rec, "header.misc", 2, NULL), PD_OK);
    assert_int_equal(o.rec.misc, 2);
    assert_true(pd_record_get(&o.rec, "maj", &v));
}

static void test_set_attr(void **state)
{
    (void)state;
    struct pd_attr attr = {.size = 64};
    struct pd_error error;
    uint64_t v;
    assert_int_equal(pd_attr_set(&attr, "clockid", (uint64_t)-2, NULL), PD_OK);
    assert_int_equal(attr.clockid, -2);
    assert_true(pd_attr_get(&attr, "clockid", &v) && v == (uint64_t)-2);
    assert_int_equal(pd_attr_set(&attr, "sample_freq", 1000, NULL), PD_OK);
    assert_int_equal(attr.sample_period, 1000);
    assert_int_equal(pd_attr_set(&attr, "flags.precise_ip", 3, NULL), PD_OK);
    assert_int_equal(attr.flags, 3ull << PD_ATTR_PRECISE_IP_SHIFT);
    assert_int_equal(pd_attr_set(&attr, "flags.precise_ip", 4, &error), PD_EVALUE);
    assert_string_equal(error.field, "precise_ip");
    assert_int_equal(pd_attr_set(&attr, "nothing", 4, &error), PD_EARG);
}

/* ---- The visitor. */

struct seen {
    const struct pd_record *rec;
    const struct pd_comm *comm;
    unsigned unknown, other;
};

static void see_comm(void *user, const struct pd_record *rec, const struct pd_comm *comm)
{
    struct seen *s = user;
    s->rec = rec;
    s->comm = comm;
}

static void see_unknown(void *user, const struct pd_record *rec)
{
    (void)rec;
    ((struct seen *)user)->unknown++;
}

static void see_other(void *user, const struct pd_record *rec)
{
    (void)rec;
    ((struct seen *)user)->other++;
}

static void test_visitor(void **state)
{
    (void)state;
    const struct pd_visitor visitor = {.comm = see_comm, .unknown = see_unknown, .other = see_other},
                            none = {0};
    struct seen seen = {0};
    struct observed o;
    observe(&o, OBSERVED_SAMPLE_TYPE, OBSERVED_COMM);
    assert_true(pd_record_visit(&visitor, &seen, &o.rec));
    assert_ptr_equal(seen.rec, &o.rec);
    assert_ptr_equal(seen.comm, &o.rec.u.comm);
    assert_false(pd_record_visit(&none, &seen, &o.rec));
    o.rec.decoded = false;
    assert_true(pd_record_visit(&visitor, &seen, &o.rec));
    assert_int_equal(seen.unknown, 1);
    observe(&o, 0, "20000000 0300 1000 0102030405060708");
    assert_true(pd_record_visit(&visitor, &seen, &o.rec));
    assert_int_equal(seen.unknown, 2);
    observe(&o, OBSERVED_SAMPLE_TYPE, OBSERVED_SAMPLE);
    assert_true(pd_record_visit(&visitor, &seen, &o.rec));
    assert_int_equal(seen.other, 1);
    assert_int_equal(seen.unknown, 2);
}

/*
 * Lists in lists, of elements that differ in size: systems[s].events[e] of tracing data has s + 1 events of
 * size 10 * s + e.
 */
static void test_varying_lists(void **state)
{
    static const char text[100];
    struct pd_format_file files[3][3];
    struct pd_event_system systems[3];
    struct pd_feature f = {.id = PD_FEAT_TRACING_DATA}, back;
    struct pd_fields it;
    struct pd_field found;
    uint8_t bytes[1000];
    size_t n;
    (void)state;
    for (uint32_t s = 0; s < 3; s++) {
        for (uint32_t e = 0; e < 3; e++)
            files[s][e] = (struct pd_format_file){10 * s + e, {(const uint8_t *)text, 10 * s + e}};
        systems[s] = (struct pd_event_system){PD_STR("sys"), s + 1, PD_LIST(files[s], s + 1)};
    }
    f.u.tracing_data.version = PD_STR("0.5");
    memcpy(f.u.tracing_data.magic, "\x17\x08\x44", 3);
    memcpy(f.u.tracing_data.name, "tracing", 7);
    f.u.tracing_data.header_page_name = PD_STR("header_page");
    f.u.tracing_data.header_event_name = PD_STR("header_event");
    f.u.tracing_data.nr_systems = 3;
    f.u.tracing_data.systems = PD_LIST(systems, 3);
    assert_int_equal(pd_feature_encode(PD_LITTLE, &f, bytes, sizeof bytes, &n, NULL), PD_OK);
    assert_int_equal(pd_feature_decode(PD_LITTLE, f.id, 0, bytes, n, &back, NULL), PD_OK);
    for (int s = 2; s >= 0; s--) {
        for (int e = s; e >= 0; e--) {
            char path[64];
            snprintf(path, sizeof path, "systems[%d].events[%d].size", s, e);
            pd_fields_of_feature(&it, &back);
            assert_true(pd_fields_find(&it, path, &found));
            assert_int_equal(found.value, 10 * s + e);
        }
    }
    pd_fields_of_feature(&it, &back);
    assert_false(pd_fields_find(&it, "systems[1].events[2].size", &found));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_record),        cmocka_unit_test(test_type),
        cmocka_unit_test(test_attr),          cmocka_unit_test(test_field),
        cmocka_unit_test(test_get),           cmocka_unit_test(test_elements),
        cmocka_unit_test(test_put),           cmocka_unit_test(test_set),
        cmocka_unit_test(test_set_attr),      cmocka_unit_test(test_visitor),
        cmocka_unit_test(test_varying_lists), cmocka_unit_test(test_large_index),
    };
    return cmocka_run_group_tests_name("fields", tests, NULL, NULL);
}
