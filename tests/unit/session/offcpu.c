/* SPDX-License-Identifier: MIT */
/*
 * offcpu.c - the raw data of off-cpu samples, from bytes written by hand as off_cpu.bpf.c of perf writes
 * them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <perfdata/attr.h>
#include <perfdata/constants.h>
#include <perfdata/ops/parse.h>
#include <perfdata/session/event.h>
#include <perfdata/session/tasks.h>

/* Two numbers for the task, the time, two entries and the marker, the cgroup, padding. */
static const uint8_t little[] = {
    0x66, 0,    0,    0, 0x65, 0,    0,    0,    0x80, 0x39, 0xc8, 0x05, 0,    0,    0,    0, 3, 0, 0, 0,
    0,    0,    0,    0, 0x00, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0x10, 0x40, 0, 0, 0, 0, 0,
    0x10, 0x20, 0x40, 0, 0,    0,    0,    0,    7,    0,    0,    0,    0,    0,    0,    0, 0, 0, 0, 0};
static const uint8_t big[] = {0,    0,    0,    0x66, 0, 0, 0, 0x65, 0,    0,    0,    0,    0x05, 0xc8, 0x39,
                              0x80, 0,    0,    0,    0, 0, 0, 0,    3,    0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                              0xfe, 0x00, 0,    0,    0, 0, 0, 0x40, 0x10, 0x00, 0,    0,    0,    0,    0,
                              0x40, 0x20, 0x10, 0,    0, 0, 0, 0,    0,    0,    7,    0,    0,    0,    0};

static const struct pd_attr attr = {
    .type = PD_TYPE_SOFTWARE, .config = PD_SW_BPF_OUTPUT, .sample_type = PD_SAMPLE_RAW};

static bool decode(enum pd_order order, const uint8_t *bytes, size_t n, struct pd_offcpu *out)
{
    const struct pd_raw_data raw = {(uint32_t)n, {bytes, n}};
    struct pd_plan plan;
    pd_plan_init(&plan, &attr, order);
    return pd_offcpu_decode(&plan, &raw, out);
}

/* Also in a recording of the other byte order, whose raw data was left in the original one. */
static void as_perf_writes_it(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct pd_offcpu o;
        assert_true(decode(i & 1 ? PD_BIG : PD_LITTLE, i & 2 ? big : little, sizeof little, &o));
        assert_int_equal(o.pid, 0x66);
        assert_int_equal(o.tid, 0x65);
        assert_int_equal(o.period, 97008000);
        assert_int_equal(o.nr, 3);
        assert_int_equal(o.ips.n, 3);
        assert_true(pd_vec_at(&o.ips, 0) == PD_CONTEXT_USER);
        assert_true(pd_vec_at(&o.ips, 1) == 0x401000);
        assert_true(pd_vec_at(&o.ips, 2) == 0x402010);
        assert_int_equal(o.cgroup, 7);
        assert_int_equal(o.padding.n, 4);
    }
}

static void cut_or_of_another_size(void **state)
{
    uint8_t longer[sizeof little + 4] = {0};
    struct pd_offcpu o;
    (void)state;
    memcpy(longer, little, sizeof little);
    for (size_t n = 0; n < sizeof little - 4; n++)
        assert_false(decode(PD_LITTLE, little, n, &o));
    assert_true(decode(PD_LITTLE, little, sizeof little - 4, &o));
    assert_false(decode(PD_LITTLE, longer, sizeof longer, &o));
}

static void only_of_its_event(void **state)
{
    struct pd_attr other = attr;
    (void)state;
    assert_true(pd_event_is_offcpu(&attr, "offcpu-time"));
    assert_false(pd_event_is_offcpu(&attr, "offcpu"));
    assert_false(pd_event_is_offcpu(&attr, NULL));
    other.config = PD_SW_DUMMY;
    assert_false(pd_event_is_offcpu(&other, "offcpu-time"));
    other = attr;
    other.type = PD_TYPE_HARDWARE;
    assert_false(pd_event_is_offcpu(&other, "offcpu-time"));
    other = attr;
    other.sample_type = PD_SAMPLE_CALLCHAIN;
    assert_false(pd_event_is_offcpu(&other, "offcpu-time"));
}

/* The text gives the bytes derived by hand, in the order of the recording. */
static void from_text(void **state)
{
    static const char text[] = "{\"type\":\"SAMPLE\",\"offcpu\":{\"pid\":102,\"tid\":101,\"period\":97008000,"
                               "\"ips\":[\"USER\",\"0x401000\",\"0x402010\"],\"cgroup\":7}}";
    struct pd_parser *p;
    (void)state;
    assert_int_equal(pd_parser_open(&p, NULL, NULL), PD_OK);
    for (int order = 0; order < 2; order++) {
        struct pd_plan plan;
        struct pd_record rec = {0};
        pd_plan_init(&plan, &attr, order ? PD_BIG : PD_LITTLE);
        assert_int_equal(pd_record_parse(p, &plan, text, sizeof text - 1, &rec), PD_OK);
        assert_int_equal(rec.u.sample.raw.size, sizeof little);
        assert_int_equal(rec.u.sample.raw.data.n, sizeof little);
        assert_memory_equal(rec.u.sample.raw.data.ptr, order ? big : little, sizeof little);
    }
    pd_parser_close(p);
}

/* A sample of IP, TID, PERIOD and RAW; the raw data is above. */
static size_t put_sample(enum pd_order order, uint8_t *out)
{
    static const uint8_t head[2][36] = {
        {9, 0, 0, 0, 2, 0, 96, 0, 0x34, 0x12, 0, 0, 0, 0, 0, 0, 201, 0, 0, 0, 202, 0, 0, 0, 1},
        {0, 0, 0, 9,   0, 2, 0, 96,  0, 0, 0, 0, 0, 0, 0x12, 0x34,
         0, 0, 0, 201, 0, 0, 0, 202, 0, 0, 0, 0, 0, 0, 0,    1}};
    memcpy(out, head[order == PD_BIG], sizeof head[0]);
    out[order == PD_BIG ? 35 : 32] = sizeof little;
    memcpy(out + 36, order == PD_BIG ? big : little, sizeof little);
    return 36 + sizeof little;
}

/* Task, period, ip, chain and cgroup are those in the raw data, decoded or only framed. */
static void inner_values(void **state)
{
    const struct pd_attr whole = {.type = PD_TYPE_SOFTWARE,
                                  .config = PD_SW_BPF_OUTPUT,
                                  .sample_type =
                                      PD_SAMPLE_IP | PD_SAMPLE_TID | PD_SAMPLE_PERIOD | PD_SAMPLE_RAW};
    (void)state;
    for (int order = 0; order < 2; order++) {
        uint8_t bytes[128];
        struct pd_plan plan;
        struct pd_record rec = {0};
        struct pd_record_words words;
        struct pd_offcpu o;
        const size_t n = put_sample(order ? PD_BIG : PD_LITTLE, bytes);
        pd_plan_init(&plan, &whole, order ? PD_BIG : PD_LITTLE);
        assert_int_equal(pd_record_frame(plan.order, bytes, n, &rec, NULL), PD_OK);
        rec.plan = &plan;
        pd_record_common(&rec, &words);
        assert_true(words.has_task);
        assert_int_equal(words.pid, 0x66);
        assert_int_equal(words.tid, 0x65);
        assert_int_equal(pd_record_decode(&plan, bytes, n, &rec, NULL), PD_OK);
        assert_int_equal(rec.u.sample.ip, 0x1234);
        assert_true(pd_offcpu_of(&rec, &o));
        pd_offcpu_apply(&o, &rec.u.sample);
        assert_int_equal(rec.u.sample.pid, 0x66);
        assert_int_equal(rec.u.sample.tid, 0x65);
        assert_int_equal(rec.u.sample.ip, 0x401000);
        assert_int_equal(rec.u.sample.period, 97008000);
        assert_int_equal(rec.u.sample.callchain.nr, 3);
        assert_int_equal(rec.u.sample.cgroup, 7);
        bytes[36 + 24 + (order ? 0 : 7)] = 0; /* no marker, and no name that makes up for it */
        pd_record_changed(&rec);
        assert_int_equal(pd_record_decode(&plan, bytes, n, &rec, NULL), PD_OK);
        assert_false(pd_offcpu_of(&rec, &o));
        assert_int_equal(rec.u.sample.ip, 0x1234);
        assert_int_equal(rec.u.sample.callchain.nr, 0);
        assert_null(rec.u.sample.callchain.ips.ptr);
        assert_int_equal(rec.u.sample.cgroup, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_perf_writes_it), cmocka_unit_test(cut_or_of_another_size),
        cmocka_unit_test(only_of_its_event), cmocka_unit_test(from_text),
        cmocka_unit_test(inner_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
