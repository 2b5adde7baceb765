/* SPDX-License-Identifier: MIT */
/*
 * instructions.c - the work that tests/bench/instructions.py counts under callgrind: for each piece, the name
 * of the dump, "NAME/TIMES", tells its name and how often it was done.
 */
#include "src/support/memory.h"
#include "ops/gen/random_values.h"
#include "src/schema/schema.h"
#include <perfdata/ops/convert.h>
#include <perfdata/ops/filter.h>
#include <perfdata/ops/gen.h>
#include <perfdata/ops/parse.h>
#include <perfdata/ops/rewrite.h>
#include <perfdata/ops/sort.h>
#include <perfdata/perfdata.h>
#include <perfdata/session/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#define CALLGRIND_ZERO_STATS
#define CALLGRIND_DUMP_STATS_AT(name_) (void)(name_)
#endif

#define TIMES 20

struct bytes {
    uint8_t *p;
    size_t n, cap;
};

static void die(const char *what)
{
    fprintf(stderr, "bench_instructions: %s\n", what);
    exit(1);
}

static int count_bytes(void *user, const void *bytes, size_t n)
{
    struct bytes *b = user;
    if (b->n + n > b->cap) {
        b->cap = 2 * (b->n + n);
        if ((b->p = realloc(b->p, b->cap)) == NULL)
            die("no memory");
    }
    memcpy(b->p + b->n, bytes, n);
    b->n += n;
    return 0;
}

static int patch(void *user, uint64_t at, const void *bytes, size_t n)
{
    struct bytes *b = user;
    memcpy(b->p + at, bytes, n);
    return 0;
}

static int drop(void *user, const void *bytes, size_t n)
{
    (void)user, (void)bytes, (void)n;
    return 0;
}

static int drop_at(void *user, uint64_t at, const void *bytes, size_t n)
{
    (void)at;
    return drop(user, bytes, n);
}

static char dump[128]; /* made before the work, so that it does not count */

static void begin(const char *work, const char *of, uint64_t times)
{
    snprintf(dump, sizeof dump, "%s %s/%llu", work, of, (unsigned long long)times);
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_ZERO_STATS;
}

static void end(void)
{
    CALLGRIND_DUMP_STATS_AT(dump);
    CALLGRIND_STOP_INSTRUMENTATION;
}

/* ---- One record of each type */

#define MOST_BYTES 1024 /* the number of fields matters here, not that of copied bytes */

static void one_type(const struct pd_plan *plan, const struct pd_op *layout)
{
    static uint8_t memory[PI_RANDOM_ARENA], bytes[UINT16_MAX], again[UINT16_MAX];
    struct pi_rng rng = {layout->arg};
    struct pd_record rec;
    size_t n = 0, m;
    while (n == 0 || n > MOST_BYTES) {
        struct pi_arena arena = {memory, sizeof memory};
        if (!pi_random_record(plan, (uint32_t)layout->arg, &rng, &arena, &rec) ||
            pd_record_encode(plan, &rec, bytes, sizeof bytes, &n, NULL))
            die(layout->name);
    }
    rec = (struct pd_record){0};
    pd_record_decode(plan, bytes, n, &rec, NULL);
    begin("decode", layout->name, TIMES);
    for (int i = 0; i < TIMES; i++)
        pd_record_decode(plan, bytes, n, &rec, NULL);
    end();
    begin("encode", layout->name, TIMES);
    for (int i = 0; i < TIMES; i++)
        pd_record_encode(plan, &rec, again, sizeof again, &m, NULL);
    end();
    if (m != n || memcmp(bytes, again, n) != 0)
        die(layout->name);
}

static void each_type(void)
{
    const struct pd_attr attr = {.size = PD_ATTR_SIZE_VER7,
                                 .sample_type = PD_SAMPLE_IDENTIFIER | PD_SAMPLE_IP | PD_SAMPLE_TID |
                                                PD_SAMPLE_TIME | PD_SAMPLE_CPU | PD_SAMPLE_PERIOD |
                                                PD_SAMPLE_CALLCHAIN | PD_SAMPLE_DATA_SRC,
                                 .flags = PD_ATTR_SAMPLE_ID_ALL};
    struct pd_plan plan;
    pd_plan_init(&plan, &attr, PD_LITTLE);
    for (size_t i = 0; i < pi_n_layouts; i++)
        if (pi_layouts[i]()->arg)
            one_type(&plan, pi_layouts[i]());
}

/* ---- Recordings */

enum depth { FRAME, DECODE, ENCODE, PRINT, JSON };

static uint64_t through(const struct bytes *b, enum depth depth)
{
    static uint8_t again[UINT16_MAX];
    static char text[1 << 20];
    struct pd_reader *r;
    struct pd_record rec = {0};
    size_t size;
    if (pd_reader_open_memory(&r, b->p, b->n, NULL, NULL))
        die("reader");
    while ((depth == FRAME ? pd_reader_next(r, &rec, NULL) : pd_reader_next_decoded(r, &rec, NULL)) ==
           PD_OK) {
        struct pd_out out = {.buf = text, .cap = sizeof text};
        if (!rec.decoded)
            continue;
        if (depth == ENCODE)
            pd_record_encode(rec.plan, &rec, again, sizeof again, &size, NULL);
        else if (depth == PRINT)
            pd_record_print(&rec, NULL, &out, NULL);
        else if (depth == JSON)
            pd_record_json(&rec, 0, &out);
    }
    pd_reader_close(r);
    return rec.index + 1;
}

enum work { CHECK, FILTER, FILTER_COMM, PIPE, SORT };

static void whole(const struct bytes *b, enum work work)
{
    static const char *const names[] = {"httpd", "cc1", "app"};
    const struct pd_sink sink = {drop, drop_at, NULL};
    const struct pd_rewrite_options check = {.size = sizeof check, .reencode = true};
    const struct pd_convert_options pipe = {.size = sizeof pipe, .to = PD_CONVERT_PIPE};
    const struct pd_filter_options by_comm = {.size = sizeof by_comm, .keep = {.comms = names, .n_comms = 3}};
    struct pd_rewrite_stats rewritten;
    struct pd_filter_stats filtered;
    struct pd_convert_stats converted;
    struct pd_sort_stats sorted;
    struct pd_error error;
    struct pd_reader *r;
    enum pd_code code = pd_reader_open_memory(&r, b->p, b->n, NULL, NULL);
    if (!code)
        code = work == CHECK         ? pd_rewrite(r, NULL, &check, &rewritten, &error)
               : work == FILTER      ? pd_filter(r, &sink, NULL, &filtered, &error)
               : work == FILTER_COMM ? pd_filter(r, &sink, &by_comm, &filtered, &error)
               : work == PIPE        ? pd_convert(r, &sink, &pipe, &converted, &error)
                                     : pd_sort(r, &sink, NULL, &sorted, &error);
    if (code)
        die("a recording");
    pd_reader_close(r);
}

#define TEXTS 100 /* few, since they take long */

/* Text to records: parses the first records from JSON and encodes each again. */
static void text_in(const struct bytes *b)
{
    static uint8_t again[UINT16_MAX];
    static char text[1 << 20];
    struct pd_parser *parser;
    struct pd_reader *r;
    struct pd_record rec = {0}, parsed = {0};
    size_t size;
    if (pd_reader_open_memory(&r, b->p, b->n, NULL, NULL) || pd_parser_open(&parser, NULL, NULL))
        die("parser");
    for (int i = 0; i < TEXTS && pd_reader_next(r, &rec, NULL) == PD_OK; i++) {
        struct pd_out out = {.buf = text, .cap = sizeof text};
        if (pd_reader_decode(r, &rec, NULL))
            continue;
        pd_record_json(&rec, 0, &out);
        parsed.nr_cpus_avail = rec.nr_cpus_avail;
        if (pd_record_parse(parser, rec.plan, text, out.n, &parsed) ||
            pd_record_encode(rec.plan, &parsed, again, sizeof again, &size, NULL) || size != rec.size ||
            memcmp(again, rec.raw, size) != 0)
            die("text");
    }
    pd_parser_close(parser);
    pd_reader_close(r);
}

static void recording(const char *name, const char *preset, uint64_t sample_type, uint32_t compression)
{
    static const char *const depths[] = {"frame", "decode", "encode", "print", "json"}, *const works[] = {
                                                                                            "check", "filter",
                                                                                            "filter-comm",
                                                                                            "pipe", "sort"};
    struct bytes b = {0};
    const struct pd_sink sink = {count_bytes, patch, &b};
    const struct pd_gen_options o = {.size = sizeof o,
                                     .seed = 1,
                                     .count = 2000,
                                     .workload = preset ? pd_gen_preset(preset) : NULL,
                                     .sample_type = sample_type,
                                     .compression = compression};
    struct pd_gen *gen;
    if (pd_gen_open(&gen, &sink, &o, NULL) || pd_gen_run(gen, NULL))
        die(name);
    pd_gen_close(gen);
    const uint64_t records = through(&b, FRAME);
    for (int i = 0; i < 5; i++) {
        begin(depths[i], name, records);
        through(&b, (enum depth)i);
        end();
    }
    for (int i = 0; i < 5; i++) {
        begin(works[i], name, records);
        whole(&b, (enum work)i);
        end();
    }
    begin("text-in", name, TEXTS);
    text_in(&b);
    end();
    free(b.p);
}

int main(void)
{
    const uint64_t plain = PD_SAMPLE_IP | PD_SAMPLE_TID | PD_SAMPLE_TIME | PD_SAMPLE_CPU | PD_SAMPLE_PERIOD;
#ifdef __GLIBC__
    printf("compiler %s %s, glibc %d.%d\n",
#ifdef __clang__
           "clang", __clang_version__,
#else
           "gcc", __VERSION__,
#endif
           __GLIBC__, __GLIBC_MINOR__);
#endif
    CALLGRIND_STOP_INSTRUMENTATION;
    each_type();
    recording("plain", "server", plain, 0);
    recording("chains", "server", plain | PD_SAMPLE_CALLCHAIN, 0);
    recording("tracing", "tracing", 0, 0);
    recording("dwarf", "dwarf", 0, 0);
    recording("branch", "branch", 0, 0);
    recording("build", "build", 0, 0);
    recording("random", NULL, 0, 0);
    recording("zstd", "server", plain, PD_RECORD_COMPRESSED);
    return 0;
}
