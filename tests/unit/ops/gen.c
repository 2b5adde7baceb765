/* SPDX-License-Identifier: MIT */
/*
 * gen.c - the text of a workload: errors and their lines, in the words of docs/GEN.md; all presets and
 * options make recordings that read back whole; memory and sinks may fail anywhere. Checks R10, R11, R12.
 */
#include "cmocka_all.h"
#include "heap.h"
#include <errno.h>
#include <perfdata/ops/gen.h>
#include <perfdata/perfdata.h>
#include <stdio.h>

static struct {
    uint8_t *b;
    size_t n, cap, calls, fail_at;
} out;

static int take(void *user, const void *bytes, size_t n)
{
    (void)user;
    if (++out.calls == out.fail_at)
        return ENOSPC;
    if (out.n + n > out.cap) {
        out.cap = 2 * (out.n + n);
        out.b = realloc(out.b, out.cap);
        assert_non_null(out.b);
    }
    memcpy(out.b + out.n, bytes, n);
    out.n += n;
    return 0;
}

static int patch(void *user, uint64_t at, const void *bytes, size_t n)
{
    (void)user;
    if (++out.calls == out.fail_at)
        return EIO;
    assert_true(at <= out.n && n <= out.n - at);
    memcpy(out.b + at, bytes, n);
    return 0;
}

static const struct pd_sink sink = {take, patch, NULL};

static enum pd_code make(struct pd_gen_options o, struct pd_error *error)
{
    o.size = sizeof o;
    struct pd_gen *gen;
    out.n = out.calls = 0;
    o.size = sizeof o;
    enum pd_code code = pd_gen_open(&gen, &sink, &o, error);
    if (code)
        return code;
    code = pd_gen_run(gen, error);
    pd_gen_close(gen);
    return code;
}

/* The counts are those of the records that a reader finds, also where these are compressed. */
static void test_counts(void **state)
{
    (void)state;
    for (int compressed = 0; compressed < 2; compressed++) {
        const struct pd_gen_options o = {.size = sizeof o,
                                         .count = 500,
                                         .any = true,
                                         .compression = compressed ? PD_RECORD_COMPRESSED2 : 0};
        struct pd_gen *gen;
        struct pd_reader *r;
        struct pd_record rec = {0};
        uint64_t records = 0, bytes = 0;
        out.n = out.calls = out.fail_at = 0;
        assert_int_equal(pd_gen_open(&gen, &sink, &o, NULL), PD_OK);
        assert_int_equal(pd_gen_records(gen), 0);
        assert_int_equal(pd_gen_run(gen, NULL), PD_OK);
        assert_int_equal(pd_reader_open_memory(&r, out.b, out.n, NULL, NULL), PD_OK);
        while (pd_reader_next(r, &rec, NULL) == PD_OK) {
            const bool wrapper = rec.type == PD_RECORD_COMPRESSED2;
            records += !wrapper;
            bytes += wrapper ? 0 : rec.size;
        }
        assert_int_equal(records, 500);
        assert_int_equal(pd_gen_records(gen), records);
        assert_int_equal(pd_gen_bytes(gen), bytes);
        pd_reader_close(r);
        pd_gen_close(gen);
    }
}

/* Fewer bytes behind the known fields pad a record; 8 are what perf does not know. */
static void nothing_behind_known_fields(void **state)
{
    unsigned padded = 0;
    (void)state;
    for (unsigned k = 0; k < 4; k++) {
        struct pd_reader *r;
        struct pd_record rec = {0};
        out.fail_at = 0;
        assert_int_equal(make((struct pd_gen_options){.count = 2000, .seed = k}, NULL), PD_OK);
        assert_int_equal(pd_reader_open_memory(&r, out.b, out.n, NULL, NULL), PD_OK);
        while (pd_reader_next(r, &rec, NULL) == PD_OK) {
            assert_int_equal(pd_reader_decode(r, &rec, NULL), PD_OK);
            assert_true(rec.rest.n < 8);
            padded += rec.rest.n != 0;
        }
        pd_reader_close(r);
    }
    assert_true(padded > 0);
}

/* ---- Wrong texts */

static const struct {
    unsigned line;
    const char *text, *why;
} wrong[] = {
    {1, "proces x\n",
     "a line begins with process, function, event, sample, cpus, rate, lost, throttle or switches"},
    {2, "cpus 2", "no process is described"}, /* behind the last line */
    {2, "# a comment\nprocess\n", "a name is missing"},
    {1, "process a_name_that_is_too_long_for_a_task\n", "the name is too long"},
    {1, "process x 3\n", "threads, copies or samples is missing behind the number"},
    {1, "process x 3 apples\n", "threads, copies or samples is expected behind a number"},
    {1, "process x 0 threads\n", "the number is out of range"},
    {1, "process x 4097 copies\n", "the number is out of range"},
    {1, "process x 3z threads\n", "a number is expected"},
    {1, "process x many threads\n", "a number is expected"},
    {1, "process x 101%\n", "a percentage is at most 100"},
    {1, "process x 12.3456%\n", "a percentage has up to three decimals"},
    {1, "process x 12,3%\n", "a percentage is expected, like 12.5%"},
    {1, "process x %\n", "a percentage is expected, like 12.5%"},
    {1, "process x 5% in\n", "a name is missing"},
    {3, "process x 60%\nprocess y 60%\n", "the processes have more than 100% together"},
    {1, " function f 0x10 5%\n", "a function needs a process above it"},
    {2, "process x\n function f\n", "an address is missing, like 0x1000 or 0x1000-0x1080"},
    {2, "process x\n function f zz 5%\n", "a number is expected"},
    {2, "process x\n function f 0x10- 5%\n", "a number is expected"},
    {2, "process x\n function f 0x20-0x10 5%\n",
     "an address is expected, like 0x1000 or 0x1000-0x1080, below 4 GiB"},
    {2, "process x\n function f 0x100000000 5%\n",
     "an address is expected, like 0x1000 or 0x1000-0x1080, below 4 GiB"},
    {2, "process x\n function f 0x10\n", "a percentage is expected, like 12.5%"},
    {2, "process x\n function f 0x10 5\n", "a percentage is expected, like 12.5%"},
    {2, "process x\n function f 0x10 5% near g\n", "in or from is expected"},
    {2, "process x\n function f 0x10 5% from g\n", "the caller is no function of this process above"},
    {2, "process x\n function f 0x10 5% from\n", "the caller is no function of this process above"},
    {2, "process x\n function f 0x3f000000 5% in [kernel.kallsyms]\n",
     "in the kernel an address is an offset below 0x3f000000"},
    {3, "process x\n function f 0x10 60%\n function g 0x20 60%\n",
     "the functions of this process have more than 100%"},
    {1, "event\n", "a name is missing"},
    {1, "event cycles 5\n", "Hz or period is expected behind a number"},
    {1, "event cycles 0 Hz\n", "the number is out of range"},
    {1, "event cycles 1000000001 period\n", "the number is out of range"},
    {1, "event cycles 5 mHz\n", "Hz or period is expected behind a number"},
    {1, "event cycles 200%\n", "a percentage is at most 100"},
    {1, "sample\n", "names of sample fields are missing"},
    {1, "sample addr,nonsense\n", "there is no such sample field"},
    {1, "sample addr,77700057\n", "there is no such sample field"},
    {1, "sample weight,weight_struct\n", "weight and weight_struct exclude each other"},
    {1, "cpus\n", "a number is missing"},
    {1, "cpus 0\n", "the number is out of range"},
    {1, "cpus 1025\n", "the number is out of range"},
    {1, "cpus 2 3\n", "there is a word too many"},
    {1, "rate 0\n", "the number is out of range"},
    {1, "rate 100000001\n", "the number is out of range"},
    {1, "rate 99999999999999999999999\n", "the number is too large"},
    {1, "lost much\n", "a percentage is expected, like 12.5%"},
    {1, "switches now\n", "there is a word too many"},
    {1, "cpus 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n", "there is a word too many"},
    {1, "cpus 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n", "there are too many words"}, /* the 17th */
    {4, "event a 60%\nevent b 60%\nprocess x\n", "the events have more than 100% together"},
};

static void texts_that_are_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct pd_error error = {0};
        const struct pd_gen_options o = {.workload = wrong[i].text, .count = 10};
        if (make(o, &error) != PD_EVALUE)
            fail_msg("\"%s\" is taken", wrong[i].text);
        if ((wrong[i].why && strcmp(error.field, wrong[i].why) != 0) ||
            (wrong[i].why && error.found != wrong[i].line))
            fail_msg("\"%s\": line %llu: %s", wrong[i].text, (unsigned long long)error.found, error.field);
    }
}

/* More things than are allowed; 64 events are documented, so the line behind them is the one too many. */
static void too_many(void **state)
{
    static const struct {
        const char *before, *after, *why;
        unsigned line;
    } things[] = {
        {"event cycles 1%", "", "there are too many events", 66},
        {"process p", "", "there are too many processes", 63 + 1},
        {" function f", " 0x10 0%", "there are too many functions", 448 + 2},
        {" function f 0x10 0% in /", "", "there are too many files", 64 + 1},
    };
    static char text[400000];
    (void)state;
    for (size_t i = 0; i < sizeof things / sizeof *things; i++) {
        struct pd_error error = {0};
        size_t n = (size_t)snprintf(text, sizeof text, "process first\n");
        for (unsigned k = 0; k < 5000; k++)
            n += i == 0 ? (size_t)snprintf(text + n, sizeof text - n, "%s\n", things[i].before)
                        : (size_t)snprintf(text + n, sizeof text - n, "%s%u%s\n", things[i].before, k,
                                           things[i].after);
        assert_int_equal(make((struct pd_gen_options){.workload = text}, &error), PD_EVALUE);
        assert_string_equal(error.field, things[i].why);
        assert_int_equal(error.found, things[i].line);
    }
}

/* The most that each option may ask for is taken, one more is not. */
static void most_of_each_option(void **state)
{
    static const struct {
        const char *name;
        struct pd_gen_options most, more;
    } options[] = {
        {"events", {.events = 64}, {.events = 65}},
        {"cpus", {.cpus = 1024}, {.cpus = 1025}},
        {"tasks", {.tasks = 65536}, {.tasks = 65537}},
        {"depth", {.depth = 1000}, {.depth = 1001}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        struct pd_error error = {0};
        assert_int_equal(make(options[i].most, &error), PD_OK);
        assert_int_equal(make(options[i].more, &error), PD_EARG);
        assert_string_equal(error.field, options[i].name);
    }
}

/* The largest numbers; those one larger are among the texts that are wrong. */
static void largest_numbers(void **state)
{
    static const char *const lines[] = {"process p 4096 copies", "process p 4096 threads", "cpus 1024",
                                        "event cycles 1000000000 period", "rate 100000000"};
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[200];
        struct pd_error error = {0};
        snprintf(text, sizeof text, "%s\n%s function f 0x10-0x20 100%%\n", lines[i],
                 i < 2 ? "" : "process p\n");
        if (make((struct pd_gen_options){.workload = text, .count = 10}, &error))
            fail_msg("%s: line %llu: %s", lines[i], (unsigned long long)error.found, error.field);
    }
}

/* ---- Correct texts and options */

/* Everything that a line may have. */
static const char everything[] =
    "cpus 3 # a comment\n\tswitches\r\nrate 5000\nlost 0.5%\nthrottle 20\n"
    "event cycles 4000 Hz 50%\nevent sched:sched_switch 10%\nevent raw_syscalls:sys_exit 10%\nevent my:own "
    "5%\n"
    "event page-faults 1 period\n"
    "sample callchain,addr,data_src,weight,raw,branch_stack,regs_user,stack_user,phys_addr\n"
    "process web 3 threads 40.125% in /opt/web\n"
    " function main 0x1000 10%\n function parse 0x2000-0x2400 50% from main\n"
    " function copy 0x3000 25% in /usr/lib/libc.so.6 from parse\n"
    " function write 0x123000 10% in [kernel.kallsyms] from parse\n function probe 0x100 5% in [bpf] from "
    "main\n"
    "process cc1 4 copies 20 samples\n function parse 0x5000 100%\nprocess other";

/* Reads and decodes every record; returns the number of samples. */
static uint64_t read_back(void)
{
    struct pd_reader *r;
    struct pd_record rec = {0};
    struct pd_error error;
    enum pd_code code;
    uint64_t samples = 0;
    assert_int_equal(pd_reader_open_memory(&r, out.b, out.n, NULL, &error), PD_OK);
    assert_int_equal(pd_reader_n_findings(r), 0);
    while ((code = pd_reader_next(r, &rec, &error)) == PD_OK) {
        assert_int_equal(pd_reader_decode(r, &rec, &error), PD_OK);
        samples += rec.type == PD_RECORD_SAMPLE;
    }
    assert_int_equal(code, PD_END);
    pd_reader_close(r);
    return samples;
}

static void presets_and_options(void **state)
{
    struct pd_error error;
    (void)state;
    assert_null(pd_gen_preset("nonsense"));
    assert_null(pd_gen_preset_name(100));
    for (size_t i = 0; i < 7; i++)
        for (unsigned k = 0; k < 4; k++) {
            const char *name = pd_gen_preset_name(i);
            assert_true((name != NULL) == (i < 6)); /* server, build, database, tracing, dwarf, branch */
            const struct pd_gen_options o = {
                .workload = name ? pd_gen_preset(name) : everything,
                .seed = k,
                .count = 500,
                .order = k & 1 ? PD_BIG : PD_LITTLE,
                .container = k & 2 ? PD_CONTAINER_PIPE : PD_CONTAINER_FILE,
                .compression = k == 3 ? PD_RECORD_COMPRESSED : 0,
                .events = k == 1 ? 5 : 0,
                .cpus = k == 2 ? 1 : 0,
                .tasks = k == 1 ? 3 : 0,
                .depth = k == 1   ? 40
                         : k == 2 ? 1
                                  : 0,
                .features = k == 1   ? PD_GEN_FEATURES_ALL
                            : k == 2 ? PD_GEN_FEATURES_NONE
                                     : PD_GEN_FEATURES_USUAL,
            };
            assert_int_equal(make(o, &error), PD_OK);
            assert_true(read_back() > 100);
        }
}

/* Frames that only the depth asks for are calls 16 bytes apart. The text describes less than 20 others. */
static void frames_of_a_depth(void **state)
{
    struct pd_error error;
    struct pd_reader *r;
    struct pd_record rec = {0};
    uint64_t deep = 0;
    (void)state;
    assert_int_equal(
        make((struct pd_gen_options){.workload = pd_gen_preset("server"), .count = 500, .depth = 40}, &error),
        PD_OK);
    assert_int_equal(pd_reader_open_memory(&r, out.b, out.n, NULL, &error), PD_OK);
    while (pd_reader_next(r, &rec, &error) == PD_OK) {
        if (rec.type != PD_RECORD_SAMPLE)
            continue;
        assert_int_equal(pd_reader_decode(r, &rec, &error), PD_OK);
        const struct pd_vec *ips = &rec.u.sample.callchain.ips;
        for (size_t i = 21; i < ips->n; i++, deep++)
            assert_int_equal(pd_vec_at(ips, i) - pd_vec_at(ips, i - 1), 16);
    }
    assert_true(deep > 1000);
    pd_reader_close(r);
}

/* No call chain has more frames than the depth, and some have as many; what says whose they are is none. */
static void no_deeper_than_the_depth(void **state)
{
    struct pd_error error;
    (void)state;
    for (size_t depth = 1; depth < 4; depth++) {
        struct pd_reader *r;
        struct pd_record rec = {0};
        size_t most = 0;
        const struct pd_gen_options o = {
            .workload = pd_gen_preset("server"), .count = 500, .depth = (unsigned)depth};
        assert_int_equal(make(o, &error), PD_OK);
        assert_int_equal(pd_reader_open_memory(&r, out.b, out.n, NULL, &error), PD_OK);
        while (pd_reader_next_decoded(r, &rec, &error) == PD_OK) {
            size_t n = 0;
            if (rec.type != PD_RECORD_SAMPLE)
                continue;
            const struct pd_vec *ips = &rec.u.sample.callchain.ips;
            for (size_t i = 0; i < ips->n; i++)
                n += pd_vec_at(ips, i) < PD_CONTEXT_MAX;
            most = n > most ? n : most;
        }
        assert_int_equal(most, depth);
        pd_reader_close(r);
    }
}

static void wrong_options(void **state)
{
    struct pd_error error;
    (void)state;
    assert_int_equal(make((struct pd_gen_options){.events = 65}, &error), PD_EARG);
    assert_int_equal(make((struct pd_gen_options){.cpus = 1025}, &error), PD_EARG);
    assert_int_equal(make((struct pd_gen_options){.tasks = 65537}, &error), PD_EARG);
    assert_int_equal(make((struct pd_gen_options){.depth = 1001}, &error), PD_EARG);
    assert_int_equal(make((struct pd_gen_options){.container = PD_CONTAINER_DIRECTORY}, &error), PD_EARG);
}

/* ---- Failures */

static void failing(void **state)
{
    static const struct pd_gen_options kinds[] = {
        {.workload = everything, .count = 100},
        {.workload = everything,
         .count = 100,
         .container = PD_CONTAINER_PIPE,
         .compression = PD_RECORD_COMPRESSED2},
        {.count = 100, .features = PD_GEN_FEATURES_ALL, .any = true},
        {.count = 100, .container = PD_CONTAINER_PIPE},
    };
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct heap heap = {0};
        struct pd_error error;
        const struct pd_allocator allocator = {heap_resize, heap_release, &heap};
        struct pd_gen_options o = kinds[i];
        o.allocator = &allocator;
        out.fail_at = 0;
        assert_int_equal(make(o, &error), PD_OK);
        const size_t calls = heap.calls, writes = out.calls;
        for (size_t n = 1; n <= calls; n += calls / 300 + 1) {
            heap = (struct heap){.fail_at = n};
            assert_int_equal(make(o, &error), PD_ENOMEM);
            assert_int_equal(error.code, PD_ENOMEM);
            assert_int_equal(heap.blocks, 0);
        }
        heap = (struct heap){0};
        for (out.fail_at = 1; out.fail_at <= writes; out.fail_at += writes / 300 + 1) {
            assert_int_equal(make(o, &error), PD_EOUT);
            assert_int_equal(heap.blocks, 0);
        }
        out.fail_at = 0;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_that_are_wrong),
        cmocka_unit_test(too_many),
        cmocka_unit_test(most_of_each_option),
        cmocka_unit_test(largest_numbers),
        cmocka_unit_test(presets_and_options),
        cmocka_unit_test(frames_of_a_depth),
        cmocka_unit_test(no_deeper_than_the_depth),
        cmocka_unit_test(wrong_options),
        cmocka_unit_test(failing),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(nothing_behind_known_fields),
    };
    const int status = cmocka_run_group_tests(tests, NULL, NULL);
    free(out.b);
    return status;
}
