/* SPDX-License-Identifier: MIT */
/*
 * roles.c - each record's role, and which task it describes and where, compared with what perf 6.1 does with
 * it.
 */
#include "src/codec/record_role.h"
#include "src/codec/transport.h"
#include "src/schema/schema.h"
#include "cmocka_all.h"
#include "src/session/tasks/told.h"

struct expected {
    uint32_t type;
    enum pi_role role;
    enum pi_tells tells;
    enum pi_copies copies;
};

/*
 * Records of the kernel; the tasks that they describe are those that perf's machine__process_*_event() look
 * for. A state holds until another record changes it; an event does not.
 */
static const struct expected of_kernel[] = {
    {PD_RECORD_MMAP, PI_ROLE_OF_TASK, PI_TELLS_MAP, PI_COPIES_STATE},
    {PD_RECORD_LOST, PI_ROLE_KERNEL, PI_TELLS_NOTHING, PI_COPIES_EVENT},
    {PD_RECORD_COMM, PI_ROLE_OF_TASK, PI_TELLS_NAME, PI_COPIES_STATE},
    {PD_RECORD_EXIT, PI_ROLE_OF_TASK, PI_TELLS_END, PI_COPIES_STATE},
    {PD_RECORD_THROTTLE, PI_ROLE_KERNEL, PI_TELLS_NOTHING, PI_COPIES_EVENT},
    {PD_RECORD_UNTHROTTLE, PI_ROLE_KERNEL, PI_TELLS_NOTHING, PI_COPIES_EVENT},
    {PD_RECORD_FORK, PI_ROLE_OF_TASK, PI_TELLS_BIRTH, PI_COPIES_STATE},
    {PD_RECORD_READ, PI_ROLE_WITH_TASK, PI_TELLS_NOTHING, PI_COPIES_EVENT},
    {PD_RECORD_SAMPLE, PI_ROLE_SAMPLE, PI_TELLS_NOTHING, PI_COPIES_EVENT},
    {PD_RECORD_MMAP2, PI_ROLE_OF_TASK, PI_TELLS_MAP, PI_COPIES_STATE},
    {PD_RECORD_AUX, PI_ROLE_WITH_TASK, PI_TELLS_NOTHING, PI_COPIES_EVENT},
    {PD_RECORD_ITRACE_START, PI_ROLE_KERNEL, PI_TELLS_NOTHING, PI_COPIES_ONCE},
    {PD_RECORD_LOST_SAMPLES, PI_ROLE_KERNEL, PI_TELLS_NOTHING, PI_COPIES_EVENT},
    {PD_RECORD_SWITCH, PI_ROLE_WITH_TASK, PI_TELLS_NOTHING, PI_COPIES_EVENT},
    {PD_RECORD_SWITCH_CPU_WIDE, PI_ROLE_WITH_TASK, PI_TELLS_NOTHING, PI_COPIES_EVENT},
    {PD_RECORD_NAMESPACES, PI_ROLE_OF_TASK, PI_TELLS_TASK, PI_COPIES_STATE},
    {PD_RECORD_KSYMBOL, PI_ROLE_KERNEL, PI_TELLS_NOTHING, PI_COPIES_STATE},
    {PD_RECORD_BPF_EVENT, PI_ROLE_KERNEL, PI_TELLS_NOTHING, PI_COPIES_STATE},
    {PD_RECORD_CGROUP, PI_ROLE_KERNEL, PI_TELLS_NOTHING, PI_COPIES_STATE},
    {PD_RECORD_TEXT_POKE, PI_ROLE_KERNEL, PI_TELLS_NOTHING, PI_COPIES_STATE},
    {PD_RECORD_AUX_OUTPUT_HW_ID, PI_ROLE_KERNEL, PI_TELLS_NOTHING, PI_COPIES_ONCE},
    {PD_RECORD_CALLCHAIN_DEFERRED, PI_ROLE_CHAIN, PI_TELLS_NOTHING, PI_COPIES_ONCE},
    {999, PI_ROLE_TOOL, PI_TELLS_NOTHING, PI_COPIES_ONCE}, /* unknown */
    {PD_RECORD_HEADER_ATTR - 1, PI_ROLE_KERNEL, PI_TELLS_NOTHING, PI_COPIES_EVENT},
};

/* perf's own records that are not TOOL, or not a state. */
static const struct expected of_perf[] = {
    {PD_RECORD_FINISHED_ROUND, PI_ROLE_TOOL, PI_TELLS_NOTHING, PI_COPIES_EVENT},
    {PD_RECORD_AUXTRACE, PI_ROLE_TOOL, PI_TELLS_NOTHING, PI_COPIES_EVENT},
    {PD_RECORD_AUXTRACE_ERROR, PI_ROLE_TOOL, PI_TELLS_NOTHING, PI_COPIES_EVENT},
    {PD_RECORD_STAT, PI_ROLE_TOOL, PI_TELLS_NOTHING, PI_COPIES_EVENT},
    {PD_RECORD_STAT_ROUND, PI_ROLE_TOOL, PI_TELLS_NOTHING, PI_COPIES_EVENT},
    {PD_RECORD_COMPRESSED, PI_ROLE_WRAPPER, PI_TELLS_NOTHING, PI_COPIES_EVENT},
    {PD_RECORD_COMPRESSED2, PI_ROLE_WRAPPER, PI_TELLS_NOTHING, PI_COPIES_EVENT},
    {PD_RECORD_FINISHED_INIT, PI_ROLE_TOOL, PI_TELLS_NOTHING, PI_COPIES_ONCE},
    {PD_RECORD_SCHEDSTAT_CPU, PI_ROLE_TOOL, PI_TELLS_NOTHING, PI_COPIES_ONCE},
    {PD_RECORD_SCHEDSTAT_DOMAIN, PI_ROLE_TOOL, PI_TELLS_NOTHING, PI_COPIES_ONCE},
    {PD_RECORD_SIMPLEPERF_CALLCHAIN, PI_ROLE_TOOL, PI_TELLS_NOTHING, PI_COPIES_ONCE},
    {PD_RECORD_SIMPLEPERF_UNWINDING_RESULT, PI_ROLE_TOOL, PI_TELLS_NOTHING, PI_COPIES_ONCE},
};

#define N(array_) (sizeof(array_) / sizeof *(array_))

static void is_as_expected(const struct expected *e)
{
    const struct pi_traits *t = pi_traits_of(e->type);
    if (t->role != e->role || t->tells != e->tells || t->copies != e->copies)
        fail_msg("record %u: role %u, tells %u, copies %u", e->type, t->role, t->tells, t->copies);
}

static bool is_listed(uint32_t type)
{
    for (size_t i = 0; i < N(of_perf); i++)
        if (of_perf[i].type == type)
            return true;
    return false;
}

static void each_record_has_its_role(void **state)
{
    (void)state;
    for (size_t i = 0; i < N(of_kernel); i++)
        is_as_expected(&of_kernel[i]);
    for (size_t i = 0; i < N(of_perf); i++)
        is_as_expected(&of_perf[i]);
    for (size_t i = 0; i < pi_n_layouts; i++) {
        const uint32_t type = (uint32_t)pi_layouts[i]()->arg;
        if (type >= PD_RECORD_HEADER_ATTR && !is_listed(type))
            is_as_expected(&(struct expected){type, PI_ROLE_TOOL, PI_TELLS_NOTHING, PI_COPIES_STATE});
    }
}

static void a_feature_in_an_old_stream_is_no_record_of_its_type(void **state)
{
    const struct pd_record rec = {.type = PD_RECORD_COMPRESSED, .old_feature = true};
    (void)state;
    assert_int_equal(pi_role_of(&rec), PI_ROLE_TOOL);
    assert_false(pi_is_wrapper(&rec));
    assert_int_equal(pi_serves_of(&rec), PI_SERVES_FEATURE);
}

/* The task of each record: by hand from the structs of the kernel's records. */
static void records_say_which_task(void **state)
{
    struct pd_record rec = {.type = PD_RECORD_FORK, .u.fork = {.pid = 1, .ppid = 2, .tid = 3, .ptid = 4}};
    uint32_t pid = 0, tid = 0;
    (void)state;
    assert_true(pi_told_task(&rec, &pid, &tid));
    assert_int_equal(pid, 1);
    assert_int_equal(tid, 3);
    assert_true(pi_told_parent(&rec, &pid, &tid));
    assert_int_equal(pid, 2);
    assert_int_equal(tid, 4);
    rec = (struct pd_record){.type = PD_RECORD_MMAP2, .u.mmap2 = {.pid = 5, .tid = 6}};
    assert_true(pi_told_task(&rec, &pid, &tid));
    assert_int_equal(pid, 5);
    assert_int_equal(tid, 6);
    assert_false(pi_told_parent(&rec, &pid, &tid));
    rec = (struct pd_record){.type = PD_RECORD_SWITCH_CPU_WIDE, .u.switch_cpu_wide = {.next_prev_pid = 7}};
    assert_false(pi_told_task(&rec, &pid, &tid));
    rec.type = 999;
    assert_false(pi_told_task(&rec, &pid, &tid));
}

/*
 * A record that describes a task must name it, and one of a new task its parent, or the description would be
 * lost.
 */
static void what_tells_of_a_task_says_of_which(void **state)
{
    (void)state;
    for (uint32_t type = 0; type < PD_RECORD_HEADER_ATTR; type++) {
        const struct pi_traits *t = pi_traits_of(type);
        const bool parent = t->parent_process && t->parent_thread;
        assert_true((t->tells != PI_TELLS_NOTHING) == (t->role == PI_ROLE_OF_TASK));
        assert_true(t->tells == PI_TELLS_NOTHING || (t->process && t->thread));
        assert_true(t->tells != PI_TELLS_BIRTH || parent);
    }
}

static void the_kernels_maps_are_no_tasks(void **state)
{
    struct pd_record rec = {.type = PD_RECORD_MMAP, .misc = PD_CPUMODE_KERNEL};
    struct pi_told told;
    (void)state;
    assert_true(pi_told_decoded(&rec, &told) && told.of_kernel);
    rec.misc = PD_CPUMODE_USER;
    assert_true(pi_told_decoded(&rec, &told) && !told.of_kernel);
    rec.u.mmap.pid = UINT32_MAX;
    assert_true(pi_told_decoded(&rec, &told) && told.of_kernel);
    rec = (struct pd_record){.type = PD_RECORD_NAMESPACES, .misc = PD_CPUMODE_KERNEL};
    assert_true(pi_told_decoded(&rec, &told) && !told.of_kernel);
}

/* perf looks up the event of these two, and of no other record of its own. */
static void records_of_perf_say_which_event(void **state)
{
    struct pd_record rec = {.type = PD_RECORD_STAT, .u.stat = {.id = 7, .cpu = 1, .thread = 2, .val = 3}};
    (void)state;
    assert_int_equal(*(uint64_t *)((uint8_t *)&rec.u + pi_payload_event_id(rec.type) - 1), 7);
    rec = (struct pd_record){.type = PD_RECORD_EVENT_UPDATE, .u.event_update = {.type = 3, .id = 9}};
    assert_int_equal(*(uint64_t *)((uint8_t *)&rec.u + pi_payload_event_id(rec.type) - 1), 9);
    for (uint32_t type = PD_RECORD_HEADER_ATTR; type <= UINT16_MAX; type++)
        assert_true(!pi_payload_event_id(type) == (type != PD_RECORD_STAT && type != PD_RECORD_EVENT_UPDATE));
}

/* The transport of docs/HASH.md: of perf's records, those that a file does not need. */
static void what_serves_the_container_is_told(void **state)
{
    static const struct {
        uint32_t type;
        enum pi_serves serves;
    } serving[] = {
        {PD_RECORD_HEADER_ATTR, PI_SERVES_ATTR},
        {PD_RECORD_HEADER_EVENT_TYPE, PI_SERVES_EVENT_TYPE},
        {PD_RECORD_HEADER_TRACING_DATA, PI_SERVES_FEATURE},
        {PD_RECORD_HEADER_BUILD_ID, PI_SERVES_FEATURE},
        {PD_RECORD_HEADER_FEATURE, PI_SERVES_FEATURE},
        {PD_RECORD_FINISHED_ROUND, PI_SERVES_ORDER},
        {PD_RECORD_FINISHED_INIT, PI_SERVES_ORDER},
        {PD_RECORD_ID_INDEX, PI_SERVES_ORDER},
        {PD_RECORD_COMPRESSED, PI_SERVES_COMPRESSION},
        {PD_RECORD_COMPRESSED2, PI_SERVES_COMPRESSION},
    };
    (void)state;
    for (uint32_t type = 0; type <= UINT16_MAX; type++) {
        enum pi_serves serves = PI_SERVES_CONTENT;
        for (size_t i = 0; i < N(serving); i++)
            serves = serving[i].type == type ? serving[i].serves : serves;
        const struct pd_record rec = {.type = type};
        const bool brings =
            serves == PI_SERVES_ATTR || serves == PI_SERVES_EVENT_TYPE || serves == PI_SERVES_FEATURE;
        if (pi_serves_of(&rec) != serves || pi_is_of_head(&rec) != brings ||
            pi_is_transport(type) != (serves != PI_SERVES_CONTENT) ||
            pi_is_wrapper(&rec) != (type == PD_RECORD_COMPRESSED || type == PD_RECORD_COMPRESSED2))
            fail_msg("record %u serves %u", type, pi_serves_of(&rec));
    }
}

/* No perf has more than 64 kinds, and a feature's number is one byte. */
static void numbers_beyond_what_perf_has_are_told(void **state)
{
    static const struct {
        struct pd_record rec;
        bool beyond;
    } tried[] = {
        {{.type = PD_RECORD_AUXTRACE_INFO, .u.auxtrace_info.type = 64}, false},
        {{.type = PD_RECORD_AUXTRACE_INFO, .u.auxtrace_info.type = 65}, true},
        {{.type = PD_RECORD_SCHEDSTAT_CPU, .u.schedstat_cpu.version = 64}, false},
        {{.type = PD_RECORD_SCHEDSTAT_CPU, .u.schedstat_cpu.version = 65}, true},
        {{.type = PD_RECORD_SCHEDSTAT_DOMAIN, .u.schedstat_domain.version = 64}, false},
        {{.type = PD_RECORD_SCHEDSTAT_DOMAIN, .u.schedstat_domain.version = 65}, true},
        {{.type = PD_RECORD_HEADER_FEATURE, .u.header_feature.feat_id = 255}, false},
        {{.type = PD_RECORD_HEADER_FEATURE, .u.header_feature.feat_id = 256}, true},
        {{.type = PD_RECORD_EVENT_UPDATE, .u.event_update = {.type = 256, .id = 256}}, false},
        {{.type = 999, .u.header_feature.feat_id = 256}, false},
    };
    (void)state;
    for (size_t i = 0; i < N(tried); i++)
        if (pi_tool_has_beyond(tried[i].rec.type, &tried[i].rec.u) != tried[i].beyond)
            fail_msg("record %zu, of type %u", i, tried[i].rec.type);
}

/* The first numbers that are not expected of later versions of perf. */
static void numbers_are_beyond_what_perf_writes(void **state)
{
    (void)state;
    struct pd_record rec = {.u.auxtrace_info = {.type = 64}};
    assert_false(pi_tool_has_beyond(PD_RECORD_AUXTRACE_INFO, &rec.u));
    rec.u.auxtrace_info.type = 65;
    assert_true(pi_tool_has_beyond(PD_RECORD_AUXTRACE_INFO, &rec.u));
    assert_false(pi_tool_has_beyond(PD_RECORD_AUXTRACE, &rec.u));
    rec = (struct pd_record){.u.header_feature = {.feat_id = 255}};
    assert_false(pi_tool_has_beyond(PD_RECORD_HEADER_FEATURE, &rec.u));
    rec.u.header_feature.feat_id = 256;
    assert_true(pi_tool_has_beyond(PD_RECORD_HEADER_FEATURE, &rec.u));
    rec = (struct pd_record){.u.schedstat_cpu = {.version = 64}};
    assert_false(pi_tool_has_beyond(PD_RECORD_SCHEDSTAT_CPU, &rec.u));
    rec.u.schedstat_cpu.version = 65;
    assert_true(pi_tool_has_beyond(PD_RECORD_SCHEDSTAT_CPU, &rec.u));
    rec = (struct pd_record){.u.schedstat_domain = {.version = 64}};
    assert_false(pi_tool_has_beyond(PD_RECORD_SCHEDSTAT_DOMAIN, &rec.u));
    rec.u.schedstat_domain.version = 65;
    assert_true(pi_tool_has_beyond(PD_RECORD_SCHEDSTAT_DOMAIN, &rec.u));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_record_has_its_role),
        cmocka_unit_test(a_feature_in_an_old_stream_is_no_record_of_its_type),
        cmocka_unit_test(numbers_are_beyond_what_perf_writes),
        cmocka_unit_test(records_say_which_task),
        cmocka_unit_test(what_tells_of_a_task_says_of_which),
        cmocka_unit_test(the_kernels_maps_are_no_tasks),
        cmocka_unit_test(records_of_perf_say_which_event),
        cmocka_unit_test(what_serves_the_container_is_told),
        cmocka_unit_test(numbers_beyond_what_perf_has_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
