/* SPDX-License-Identifier: MIT */
/*
 * complete.c - what a program need not say: counts and sizes that follow, ids, names and the room of the
 * feature table; and what the writer refuses, with the whole name of the field. Checks R4.
 */
#include "fuzz/image_sink.h"
#include "cmocka_all.h"
#include <perfdata/session/compare.h>
#include <perfdata/session/complete.h>
#include <perfdata/session/metadata.h>
#include <perfdata/writer.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const uint64_t ips[] = {PD_CONTEXT_USER, 0x401000, 0x402000};

static struct pd_attr attr_of(uint64_t sample_type)
{
    return (struct pd_attr){.type = PD_TYPE_SOFTWARE,
                            .sample_type = sample_type,
                            .size = PD_ATTR_SIZE_VER7,
                            .flags = PD_ATTR_SAMPLE_ID_ALL};
}

/* ---- Records */

static void counts_of_records(void **state)
{
    static const struct pd_branch_entry branches[2] = {{.from = 1, .to = 2}, {.from = 3, .to = 4}};
    const struct pd_attr attr =
        attr_of(PD_SAMPLE_CALLCHAIN | PD_SAMPLE_RAW | PD_SAMPLE_BRANCH_STACK | PD_SAMPLE_STACK_USER);
    struct pd_record rec = {.type = PD_RECORD_SAMPLE};
    struct pd_sample *s = &rec.u.sample;
    struct pd_error error;
    struct pd_plan plan;
    uint8_t bytes[512];
    size_t size;
    (void)state;
    pd_plan_init(&plan, &attr, PD_LITTLE);
    s->callchain.ips = PD_VEC64(ips, 3);
    s->raw.data = (struct pd_bytes){(const uint8_t *)"twelve bytes", 12};
    s->branch_stack.entries = PD_LIST(branches, 2);
    s->stack_user.data = (struct pd_bytes){(const uint8_t *)"eight by", 8};
    s->stack_user.dyn_size = 8;
    assert_int_equal(pd_record_encode(&plan, &rec, bytes, sizeof bytes, &size, &error), PD_ECOUNT);
    assert_string_equal(error.path, "callchain.nr");
    assert_int_equal(pd_record_complete(&plan, &rec, &error), PD_OK);
    assert_true(s->callchain.nr == 3 && s->raw.size == 12 && s->branch_stack.nr == 2);
    assert_int_equal(s->stack_user.size, 8);
    assert_int_equal(rec.size, 8 + (8 + 24) + (4 + 12) + (8 + 48) + (8 + 8 + 8));
    assert_int_equal(pd_record_encode(&plan, &rec, bytes, sizeof bytes, &size, &error), PD_OK);
    s->callchain.ips.n = 1; /* a number that was right before */
    assert_int_equal(pd_record_complete(&plan, &rec, NULL), PD_OK);
    assert_true(s->callchain.nr == 1 && rec.size == size - 16);
    s->callchain.ips.n = 0;
    assert_int_equal(pd_record_complete(&plan, &rec, NULL), PD_OK);
    assert_true(s->callchain.nr == 0 && rec.size == size - 24);
}

/* Numbers of records that only the tables know, and flags that tell whether fields follow. */
static void flags_and_derived_numbers(void **state)
{
    struct pd_record rec = {.type = PD_RECORD_AUXTRACE_INFO};
    struct pd_auxtrace_info *info = &rec.u.auxtrace_info;
    struct pd_error error;
    struct pd_plan plan;
    uint8_t bytes[512];
    size_t size;
    (void)state;
    pd_plan_init(&plan, NULL, PD_LITTLE);
    info->type = PD_AUXTRACE_INTEL_PT;
    info->intel_pt.pmu_type = 8;
    info->intel_pt.filter = PD_STR("filter *");
    assert_int_equal(pd_record_complete(&plan, &rec, &error), PD_OK);
    assert_int_equal(info->intel_pt.filter_str_len, 8);
    assert_true(info->intel_pt.has_per_cpu_mmaps && info->intel_pt.has_mtc && info->intel_pt.has_cyc);
    assert_true(info->intel_pt.has_filter && !info->intel_pt.has_event_trace);
    assert_int_equal(pd_record_encode(&plan, &rec, bytes, sizeof bytes, &size, &error), PD_OK);
    assert_int_equal(size, rec.size);
    assert_int_equal(size, 16 + 9 * 8 + 8 + 4 * 8 + 8 + 8 + 8 + 16);
}

/* A version follows from the counters that only it has, not from the field before them. */
static void versions_follow_from_what_is_given(void **state)
{
    struct pd_record rec = {.type = PD_RECORD_SCHEDSTAT_DOMAIN, .u.schedstat_domain.domain = 1};
    struct pd_plan plan;
    (void)state;
    pd_plan_init(&plan, NULL, PD_LITTLE);
    rec.u.schedstat_domain.v17.active.ttwu_wake_remote = 5;
    assert_int_equal(pd_record_complete(&plan, &rec, NULL), PD_OK);
    assert_int_equal(rec.u.schedstat_domain.version, 17);
}

/* ---- Features */

/* The n bytes of a feature as the writer makes them. */
static size_t feature_bytes(const struct pd_feature *f, uint8_t *bytes, size_t cap)
{
    const struct pd_writer_options options = {.size = sizeof options, .order = PD_LITTLE};
    struct image im = {0};
    const struct pd_sink sink = image_sink(&im);
    struct pd_error error;
    struct pd_writer *w = NULL;
    struct pd_reader *r = NULL;
    assert_int_equal(pd_writer_open(&w, &sink, &options, NULL), PD_OK);
    assert_int_equal(pd_writer_put_feature(w, f, &error), PD_OK);
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
    assert_int_equal(pd_reader_open_memory(&r, im.b, im.n, NULL, NULL), PD_OK);
    const struct pd_feature_section *s = pd_reader_find_feature(r, (uint16_t)f->id);
    assert_true(s && s->section.size <= cap);
    const size_t n = (size_t)s->section.size;
    assert_int_equal(pd_reader_read(r, s->section.offset, bytes, n, NULL), PD_OK);
    pd_reader_close(r);
    image_free(&im);
    return n;
}

/* Bytes and words that are always the same. */
static void constants_of_features(void **state)
{
    const struct pd_feature f = {.id = PD_FEAT_TRACING_DATA, .u.tracing_data.version = PD_STR("0.6")};
    uint8_t bytes[256];
    (void)state;
    assert_true(feature_bytes(&f, bytes, sizeof bytes) > 54);
    assert_memory_equal(bytes, "\x17\x08\x44tracing0.6", 14);
    /* Behind the byte order, the size of a long and of a page; behind the size of the former, 0. */
    assert_string_equal((const char *)bytes + 20, "header_page");
    assert_string_equal((const char *)bytes + 40, "header_event");
}

static void counts_of_features(void **state)
{
    static const uint64_t ids[] = {7, 8};
    static const struct pd_string words[] = {{.text = {"perf", 4, PD_AUTO}}, {.text = {"-a", 2, PD_AUTO}}};
    static const struct pd_event_desc events[2] = {
        {.attr = {.type = 1, .size = 64}, .name = {"one", 3, PD_AUTO}, .ids = {ids, 2, 8, PD_FORM_STRUCT}},
        {.attr = {.type = 2}, .name = {"two", 3, PD_AUTO}}}; /* read-only: nothing may be written into them */
    static const struct pd_memory_node node[1] = {
        {.node = 1, .size = 100, .bits = 100, .bitmap = {ids, 2, 8, PD_FORM_STRUCT}}};
    const struct pd_feature cmdline = {.id = PD_FEAT_CMDLINE, .u.cmdline.args = PD_LIST(words, 2)};
    const struct pd_feature desc = {.id = PD_FEAT_EVENT_DESC, .u.event_desc.events = PD_LIST(events, 2)};
    const struct pd_feature mem = {.id = PD_FEAT_MEM_TOPOLOGY, .u.mem_topology.nodes = PD_LIST(node, 1)};
    uint8_t bytes[1024], words_of[8] = {2, 0, 0, 0, 64, 0, 0, 0};
    struct pd_feature f;
    (void)state;
    size_t n = feature_bytes(&cmdline, bytes, sizeof bytes);
    assert_int_equal(n, 4 + 2 * (4 + 64));
    assert_memory_equal(bytes, words_of, 4);
    n = feature_bytes(&desc, bytes, sizeof bytes);
    assert_int_equal(n, 8 + 2 * (64 + 4 + 4 + 64) + 16);
    assert_memory_equal(bytes, words_of, 8);
    assert_int_equal(pd_feature_decode(PD_LITTLE, desc.id, 0, bytes, n, &f, NULL), PD_OK);
    struct pd_event_desc e;
    assert_true(pd_event_desc_next(&f.u.event_desc.events, &e) && e.nr_ids == 2);
    assert_true(pd_event_desc_next(&f.u.event_desc.events, &e) && e.nr_ids == 0 && e.attr.size == 64);
    n = feature_bytes(&mem, bytes, sizeof bytes);
    assert_int_equal(n, 24 + 24 + 16); /* words: two, since there are 100 bits */
    assert_int_equal(bytes[16], 1);
}

/* In the caller's own structs. */
static void completed_in_place(void **state)
{
    struct pd_cpu_topology_cpu cpus[3] = {{.core_id = 1}, {.core_id = 2}, {.core_id = 3}};
    struct pd_cpu_domain domain[1] = {{.cpumask = PD_STR("1"), .cpulist = PD_STR("0"), .domain = 4}};
    struct pd_cpu_domains of_cpu[1] = {{.domains = PD_LIST(domain, 1)}};
    struct pd_feature topology = {.id = PD_FEAT_CPU_TOPOLOGY, .u.cpu_topology.cpus = PD_LIST(cpus, 3)};
    struct pd_feature domains = {.id = PD_FEAT_CPU_DOMAIN_INFO,
                                 .u.cpu_domain_info = {.schedstat_version = 15}};
    size_t size;
    (void)state;
    assert_int_equal(pd_feature_complete(&topology, &size, NULL), PD_OK);
    assert_int_equal(topology.nr_cpus_avail, 3);
    assert_true(topology.u.cpu_topology.has_cpus && !topology.u.cpu_topology.has_dies);
    assert_int_equal(size, 4 + 4 + 3 * 8);
    domains.u.cpu_domain_info.cpus = PD_LIST(of_cpu, 1);
    assert_int_equal(pd_feature_complete(&domains, NULL, NULL), PD_OK);
    assert_int_equal(of_cpu[0].nr_domains, 1);
}

/* A flag follows from its own fields, not from those of another kind of file. */
static void flags_of_their_own(void **state)
{
    struct pd_simpleperf_file_entry files[2] = {
        {.file = {.type = PD_SIMPLEPERF_FILE_ELF_FILE, .file_offset_of_min_vaddr = 1}},
        {.file = {.type = PD_SIMPLEPERF_FILE_ELF_FILE, .memory_offset_of_min_vaddr = 1}}};
    struct pd_feature f = {.id = PD_FEAT_SIMPLEPERF_FILE, .u.simpleperf_file.files = PD_LIST(files, 2)};
    (void)state;
    pd_feature_complete(&f, NULL, NULL);
    assert_true(files[0].file.has_file_offset);
    assert_false(files[1].file.has_file_offset);
}

/* The size that an element states of a part is kept, where it states one. */
static void stated_sizes(void **state)
{
    struct pd_bpf_prog programs[2] = {{.info = {.id = 7}}, {.info_len = 12, .info = {.id = 8}}};
    struct pd_feature f = {.id = PD_FEAT_BPF_PROG_INFO, .u.bpf_prog_info.programs = PD_LIST(programs, 2)};
    struct pd_error error = {0};
    (void)state;
    assert_int_equal(pd_feature_complete(&f, NULL, &error), PD_ECOUNT);
    assert_string_equal(error.field, "info_len");
    assert_int_equal(error.found, 12);
    assert_int_equal(programs[1].info_len, 12);
    assert_int_equal(programs[0].info_len, 228); /* as in the kernel, but for the padding */
}

/* ---- Errors */

static void errors_have_the_whole_name(void **state)
{
    static const struct pd_event_desc events[2] = {{.attr = {.size = 64}},
                                                   {.attr = {.branch_sample_type = 12}}};
    const struct pd_feature desc = {.id = PD_FEAT_EVENT_DESC, .u.event_desc.events = PD_LIST(events, 2)};
    struct image im = {0};
    const struct pd_sink sink = image_sink(&im);
    struct pd_attr a = attr_of(PD_SAMPLE_READ);
    struct pd_record rec = {.type = PD_RECORD_SAMPLE};
    struct pd_writer *w = NULL;
    struct pd_error error;
    char text[200];
    (void)state;
    assert_int_equal(pd_writer_open(&w, &sink, NULL, NULL), PD_OK);
    assert_int_equal(pd_writer_put_feature(w, &desc, &error), PD_EVALUE);
    pd_error_text(&error, text, sizeof text);
    assert_string_equal(text, "feature event_desc, events[1].attr.branch_sample_type: found 12, expected 0");
    assert_string_equal(error.field, "branch_sample_type");
    assert_int_equal(pd_writer_attr(w, &a, NULL, 0, NULL), PD_OK);
    a.size = 64;
    a.branch_sample_type = 5;
    assert_int_equal(pd_writer_attr(w, &a, NULL, 0, &error), PD_EVALUE);
    pd_error_text(&error, text, sizeof text);
    assert_string_equal(text, "attrs[1].branch_sample_type: found 5, expected 0");
    rec.u.sample.read.value = 1;
    rec.u.sample.callchain.nr = 1;
    assert_int_equal(pd_writer_record(w, &rec, &error), PD_EVALUE);
    assert_string_equal(error.field, "callchain");
    pd_writer_close(w);
    image_free(&im);
}

static void codes_that_are_none_have_a_text(void **state)
{
    const enum pd_code none = (enum pd_code)(PD_AGAIN + 1);
    const struct pd_error error = {.code = none, .offset = PD_NOWHERE, .record_index = PD_NOWHERE};
    char text[200];
    (void)state;
    assert_string_equal(pd_code_name(PD_AGAIN), "again");
    assert_string_equal(pd_code_name(none), "unknown");
    pd_error_text(&error, text, sizeof text);
    assert_string_equal(text, "unknown error");
}

/* ---- Events */

static void ids_tell_the_events(void **state)
{
    const struct pd_attr a = attr_of(PD_SAMPLE_IDENTIFIER | PD_SAMPLE_IP), old = attr_of(PD_SAMPLE_IP);
    static const uint64_t own[] = {2};
    struct pd_record rec = {.type = PD_RECORD_SAMPLE, .attr_index = 1, .u.sample.ip = 5};
    struct pd_record comm = {.type = PD_RECORD_COMM, .attr_index = 2, .u.comm.comm = PD_STR("x")};
    struct image im = {0};
    const struct pd_sink sink = image_sink(&im);
    struct pd_writer *w = NULL;
    struct pd_reader *r = NULL;
    struct pd_error error;
    (void)state;
    assert_int_equal(pd_writer_open(&w, &sink, NULL, NULL), PD_OK);
    assert_int_equal(pd_writer_attr(w, &a, own, 1, NULL), PD_OK); /* the number of the next */
    assert_int_equal(pd_writer_attr(w, &a, NULL, 0, NULL), PD_OK);
    assert_int_equal(pd_writer_attr(w, &a, NULL, 0, NULL), PD_OK);
    assert_int_equal(pd_writer_record(w, &rec, NULL), PD_OK); /* without an id */
    assert_int_equal(pd_writer_record(w, &comm, NULL), PD_OK);
    rec.u.sample.identifier = 2; /* of event 0 */
    assert_int_equal(pd_writer_record(w, &rec, &error), PD_EVALUE);
    assert_string_equal(error.field, "attr_index");
    assert_true(error.found == 0 && error.expected == 1 && error.record_index == 2);
    rec.u.sample.identifier = 99; /* of none: neither a reader nor perf would know its layout */
    assert_int_equal(pd_writer_record(w, &rec, &error), PD_EVALUE);
    assert_string_equal(error.field, "identifier");
    assert_true(error.found == 99 && error.expected == 3);
    comm.id.identifier = 99;
    assert_int_equal(pd_writer_record(w, &comm, &error), PD_EVALUE);
    assert_string_equal(error.field, "identifier");
    rec.attr_index = 0;
    rec.u.sample.identifier = 2;
    assert_int_equal(pd_writer_record(w, &rec, NULL), PD_OK);
    rec.u.sample.identifier = 0; /* as it is, a reader takes it for one of event 0 */
    assert_int_equal(pd_writer_record(w, &rec, NULL), PD_OK);
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
    assert_int_equal(pd_reader_open_memory(&r, im.b, im.n, NULL, NULL), PD_OK);
    static const uint64_t events[] = {1, 2, 0, 0}, ids[] = {3, 4, 2, 0};
    for (size_t i = 0; i < 4; i++) {
        struct pd_record got = {0};
        assert_int_equal(pd_reader_next(r, &got, NULL), PD_OK);
        assert_int_equal(pd_reader_decode(r, &got, NULL), PD_OK);
        assert_int_equal(got.attr_index, events[i]);
        assert_int_equal(got.type == PD_RECORD_COMM ? got.id.identifier : got.u.sample.identifier, ids[i]);
    }
    pd_reader_close(r);
    image_free(&im);
    im = (struct image){0}; /* no ids at all: only the first event can have samples */
    assert_int_equal(pd_writer_open(&w, &sink, NULL, NULL), PD_OK);
    assert_int_equal(pd_writer_attr(w, &old, NULL, 0, NULL), PD_OK);
    assert_int_equal(pd_writer_attr(w, &old, NULL, 0, NULL), PD_OK);
    assert_int_equal(pd_writer_record(w, &rec, NULL), PD_OK);
    rec.attr_index = 1;
    assert_int_equal(pd_writer_record(w, &rec, &error), PD_EVALUE);
    assert_string_equal(error.field, "attr_index");
    pd_writer_close(w);
    image_free(&im);
}

/* Features behind the records need no number of them. */
static void usual_room(void **state)
{
    const struct pd_record rec = {.type = PD_RECORD_FINISHED_ROUND, .attr_index = UINT32_MAX};
    struct image im = {0};
    const struct pd_sink sink = image_sink(&im);
    struct pd_writer *w = NULL;
    struct pd_reader *r = NULL;
    (void)state;
    assert_int_equal(pd_writer_open(&w, &sink, NULL, NULL), PD_OK);
    assert_int_equal(pd_writer_record(w, &rec, NULL), PD_OK);
    for (uint16_t i = 100; i < 164; i++)
        assert_int_equal(pd_writer_feature(w, i, NULL), PD_OK);
    assert_int_equal(pd_writer_feature(w, 164, NULL), PD_ELIMIT);
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
    assert_int_equal(pd_reader_open_memory(&r, im.b, im.n, NULL, NULL), PD_OK);
    assert_int_equal(pd_reader_n_features(r), 64);
    pd_reader_close(r);
    image_free(&im);
}

/*
 * Of the other byte order, perf finds no feature without HOSTNAME in a file, and none in a stream. An
 * emulator runs the perf of its own machine.
 */
static bool has_perf_of_this_order(void)
{
    const char *one = PD_HOST_ORDER == PD_LITTLE ? "printf '\\1\\0'" : "printf '\\0\\1'";
    char command[100];
    snprintf(command, sizeof command, "command -v perf >/dev/null && %s | od -An -tu2 | grep -q ' 1$'", one);
    return system(command) == 0;
}

static void names_of(enum pd_container container)
{
    const struct pd_writer_options options = {
        .size = sizeof options, .order = PD_HOST_ORDER, .container = container};
    struct pd_attr a = attr_of(PD_SAMPLE_IDENTIFIER | PD_SAMPLE_IP);
    struct pd_record rec = {.type = PD_RECORD_SAMPLE, .attr_index = 1, .u.sample.ip = 5};
    char path[] = "/tmp/perfdata-names-XXXXXX", command[100], text[300] = "";
    struct pd_writer *w = NULL;
    struct pd_error error;
    close(mkstemp(path));
    assert_int_equal(pd_writer_create(&w, path, &options, NULL), PD_OK);
    assert_int_equal(pd_writer_event_name(w, 0, "early", &error), PD_EARG);
    assert_int_equal(pd_writer_attr(w, &a, NULL, 0, NULL), PD_OK);
    assert_int_equal(pd_writer_attr(w, &a, NULL, 0, NULL), PD_OK);
    assert_int_equal(pd_writer_event_name(w, 1, "wrong", NULL), PD_OK);
    assert_int_equal(pd_writer_event_name(w, 1, "second-name", NULL), PD_OK);
    assert_int_equal(pd_writer_record(w, &rec, &error), PD_EARG);
    assert_string_equal(error.field, "event without a name");
    assert_int_equal(pd_writer_event_name(w, 0, "the-first", NULL), PD_OK);
    assert_int_equal(pd_writer_record(w, &rec, &error), PD_OK);
    assert_int_equal(pd_writer_event_name(w, 0, "late", NULL), PD_EARG);
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
    struct pd_reader *r = NULL;
    struct pd_metadata *m = NULL;
    struct pd_record got = {0};
    assert_int_equal(pd_reader_open(&r, path, NULL, NULL), PD_OK);
    assert_int_equal(pd_metadata_open(&m, r, NULL, &error), PD_OK);
    while (pd_reader_next(r, &got, NULL) == PD_OK)
        assert_int_equal(pd_metadata_add(m, r, &got, NULL), PD_OK);
    assert_int_equal(pd_metadata_finish(m, r, NULL), PD_OK);
    assert_string_equal(pd_metadata_event_name(m, r, 1), "second-name");
    assert_string_equal(pd_metadata_event_name(m, r, 0), "the-first");
    pd_metadata_close(m);
    pd_reader_close(r);
    snprintf(command, sizeof command, "perf script -F event -i %s 2>&1", path);
    FILE *perf = has_perf_of_this_order() ? popen(command, "r") : NULL;
    if (perf) {
        assert_true(fread(text, 1, sizeof text - 1, perf) > 0);
        pclose(perf);
        if (!strstr(text, "second-name:"))
            fail_msg("%s", text);
    }
    unlink(path);
}

static void names_of_events(void **state)
{
    (void)state;
    names_of(PD_CONTAINER_FILE);
    names_of(PD_CONTAINER_PIPE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_of_records),
        cmocka_unit_test(flags_and_derived_numbers),
        cmocka_unit_test(versions_follow_from_what_is_given),
        cmocka_unit_test(constants_of_features),
        cmocka_unit_test(counts_of_features),
        cmocka_unit_test(completed_in_place),
        cmocka_unit_test(flags_of_their_own),
        cmocka_unit_test(stated_sizes),
        cmocka_unit_test(errors_have_the_whole_name),
        cmocka_unit_test(codes_that_are_none_have_a_text),
        cmocka_unit_test(ids_tell_the_events),
        cmocka_unit_test(usual_room),
        cmocka_unit_test(names_of_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
