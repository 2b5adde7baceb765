/* SPDX-License-Identifier: MIT */
/*
 * progress.c - what operations tell of their progress, with recordings that are made here: it never falls, is
 * of so many readings of all records, and comes to its total at the end, not before.
 */
#include "bytes.h"
#include "memory_read.h"
#include <perfdata/ops/difference.h>
#include <perfdata/ops/export.h>
#include <perfdata/ops/filter.h>
#include <perfdata/ops/gen.h>
#include <perfdata/ops/hash.h>
#include <perfdata/ops/index.h>
#include <perfdata/ops/merge.h>
#include <perfdata/ops/redact.h>
#include <perfdata/ops/repair.h>
#include <perfdata/ops/report.h>
#include <perfdata/ops/sort.h>
#include <perfdata/ops/split.h>
#include <perfdata/ops/transform.h>
#include <perfdata/perfdata.h>

/* ---- What is told */

static uint64_t bytes_read; /* of all inputs */

struct told {
    uint64_t done, total;
    size_t reports, at_total;
    uint64_t read; /* before the first report at the total */
    bool fell, over;
};

static void on_progress(void *user, uint64_t done, uint64_t total)
{
    struct told *t = user;
    t->fell |= done < t->done || total < t->total;
    t->over |= done > total;
    t->done = done;
    t->total = total;
    t->reports++;
    if (done == total && t->at_total++ == 0)
        t->read = bytes_read;
}

/*
 * What is wrong with it; NULL: nothing. `size`: bytes of the records of one input. Merge reads streams as the
 * files that it makes of them. Nothing may be told of the last records, up to an eighth of all; and those in
 * the last COMPRESSED record come with reports at the total.
 */
static const char *wrong(const struct told *t, uint64_t size, unsigned inputs)
{
    const uint64_t end = t->total == PD_NOWHERE ? size * inputs : t->total;
    const uint64_t readings = (end + size / 2) / size;
    if (t->fell)
        return "falls";
    if (t->over)
        return "exceeds the total";
    if (readings < inputs || end > readings * size || readings * size - end > size / 16)
        return "has a total that is no number of readings";
    if (t->done < end - size / 8 || t->done > end)
        return "does not come to the end";
    if (t->at_total && bytes_read - t->read > size / 2)
        return "is at the end while much is still read";
    return t->at_total > 1 + t->reports / 4 ? "comes to the end too early" : NULL;
}

/* ---- The operations, without what they write */

static const struct pd_sink nowhere = {nothing_put, nothing_patch, NULL};

static int open_piece(void *user, const struct pd_piece *piece, struct pd_sink *sink)
{
    (void)user, (void)piece;
    *sink = nowhere;
    return 0;
}

static int close_piece(void *user, const struct pd_piece *piece, struct pd_sink *sink)
{
    (void)user, (void)piece, (void)sink;
    return 0;
}

/* Two readers of the same recording; `how` is what each makes of it. */
typedef enum pd_code job(struct pd_reader *const r[2], unsigned how, struct told *t);

#define TELLS(...)                                                        \
    {                                                                     \
        .size = sizeof o, .progress = on_progress, .user = t, __VA_ARGS__ \
    }
#define JOB(job_, function_, options_, ...)                                              \
    static enum pd_code job_(struct pd_reader *const r[2], unsigned how, struct told *t) \
    {                                                                                    \
        const struct options_ o = TELLS(__VA_ARGS__);                                    \
        (void)how;                                                                       \
        return function_(r[0], &nowhere, &o, NULL, NULL);                                \
    }

static const uint32_t pids[] = {1000, 1017};
static const char *const names[] = {"httpd", "cron"};
static const struct pd_time_range times[] = {{1, UINT64_C(1) << 40}};

JOB(convert, pd_convert, pd_convert_options, .to = (enum pd_convert_to)how)
JOB(reencode, pd_convert, pd_convert_options, .reencode = true)
JOB(reorder, pd_convert, pd_convert_options, .order = PD_CONVERT_BIG)
JOB(zip, pd_convert, pd_convert_options, .zip = (enum pd_convert_zip)how)
JOB(keep_all, pd_filter, pd_filter_options, .limit = 0)
JOB(by_pid, pd_filter, pd_filter_options, .keep = {.pids = pids, .n_pids = 2})
JOB(by_comm, pd_filter, pd_filter_options, .keep = {.comms = names, .n_comms = 2})
JOB(by_dso, pd_filter, pd_filter_options, .keep = {.dsos = names, .n_dsos = 2})
JOB(by_time, pd_filter, pd_filter_options, .keep = {.times = times, .n_times = 1})
JOB(samples, pd_filter, pd_filter_options, .every = 3, .sideband = PD_SIDEBAND_NONE)
JOB(sort, pd_sort, pd_sort_options, .zip = (enum pd_convert_zip)how)
JOB(repair, pd_repair, pd_repair_options, .keep_tail = true)
JOB(transform, pd_transform, pd_transform_options, .level = 0)
JOB(make_index, pd_index_build, pd_index_options, .block = 0)

static enum pd_code redact(struct pd_reader *const r[2], unsigned how, struct told *t)
{
    struct pd_convert_options o = TELLS(.to = PD_CONVERT_SAME);
    (void)how;
    enum pd_code code = pd_redaction_open(&o.redaction, NULL, NULL);
    if (!code)
        code = pd_convert(r[0], &nowhere, &o, NULL, NULL);
    pd_redaction_close(o.redaction);
    return code;
}

static enum pd_code merge(struct pd_reader *const r[2], unsigned how, struct told *t)
{
    const struct pd_merge_options o = TELLS(.to = PD_CONVERT_FILE);
    return pd_merge(r, how, &nowhere, &o, NULL, NULL, NULL);
}

static enum pd_code split(struct pd_reader *const r[2], unsigned how, struct told *t)
{
    const struct pd_pieces_options o = TELLS(.by = (enum pd_pieces_by)how, .amount = 3, .open = open_piece,
                                             .close = close_piece, .at_once = 4);
    return pd_pieces(r[0], &o, NULL, NULL);
}

static enum pd_code hash(struct pd_reader *const r[2], unsigned how, struct told *t)
{
    const struct pd_hash_options o = TELLS(.memory = how);
    struct pd_hash hash;
    return pd_hash_recording(r[0], &o, &hash, NULL);
}

static enum pd_code differ(struct pd_reader *const r[2], unsigned how, struct told *t)
{
    const struct pd_differences_options o = TELLS(.ignore = how);
    uint64_t n;
    return pd_differences(r[0], r[1], &o, &n, NULL);
}

static enum pd_code add_to_export(struct pd_reader *const r[2], unsigned how, struct told *t)
{
    const struct pd_export_options o = TELLS(.format = (enum pd_export_format)how, .sink = &nowhere);
    struct pd_export *x;
    assert_int_equal(pd_export_new(&x, &o, NULL), PD_OK);
    const enum pd_code code = pd_export_add(x, r[0], NULL, NULL);
    pd_export_free(x);
    return code;
}

static enum pd_code report(struct pd_reader *const r[2], unsigned how, struct told *t)
{
    const struct pd_report_options o = TELLS(.n_keys = how);
    struct pd_report *report = NULL;
    const enum pd_code code = pd_report_new(&report, r[0], &o, NULL);
    pd_report_free(report);
    return code;
}

static const struct {
    const char *name;
    job *run;
    unsigned how, inputs;
} jobs[] = {
    {"convert to a file", convert, PD_CONVERT_FILE, 1},
    {"convert to a stream", convert, PD_CONVERT_PIPE, 1},
    {"convert, encoded again", reencode, 0, 1},
    {"convert to big-endian", reorder, 0, 1},
    {"compress", zip, PD_ZIP_COMPRESSED, 1},
    {"inflate", zip, PD_ZIP_NONE, 1},
    {"redact", redact, 0, 1},
    {"filter", keep_all, 0, 1},
    {"filter by pid", by_pid, 0, 1},
    {"filter by comm", by_comm, 0, 1},
    {"filter by dso", by_dso, 0, 1},
    {"filter by time", by_time, 0, 1},
    {"filter samples alone", samples, 0, 1},
    {"sort", sort, PD_ZIP_KEEP, 1},
    {"sort, inflated", sort, PD_ZIP_NONE, 1},
    {"repair", repair, 0, 1},
    {"transform", transform, 0, 1},
    {"index", make_index, 0, 1},
    {"merge one", merge, 1, 1},
    {"merge two", merge, 2, 2},
    {"split by count", split, PD_PIECES_COUNT, 1},
    {"split by pid", split, PD_PIECES_PID, 1},
    {"hash", hash, 0, 1},
    {"cmp", differ, 0, 2},
    {"cmp in any order", differ, PD_IGNORE_ORDER, 2},
    {"export folded", add_to_export, PD_EXPORT_FOLDED, 1},
    {"export parquet", add_to_export, PD_EXPORT_PARQUET, 1},
    {"report", report, 0, 1},
};

/* ---- The recordings */

static int64_t read_bytes(void *user, uint64_t offset, void *buf, size_t n)
{
    const struct bytes *b = user;
    const int64_t got = memory_read(b->p, b->n, offset, buf, n);
    bytes_read += (uint64_t)got;
    return got;
}

static struct pd_reader *open_bytes(struct bytes *b, bool seeks)
{
    const struct pd_source source = {read_bytes, NULL, b, seeks ? b->n : PD_NOWHERE};
    struct pd_reader *r;
    assert_int_equal(pd_reader_open_source(&r, &source, NULL, NULL), PD_OK);
    return r;
}

/* Of gen, too, which tells records and bytes, and does so each 4096 records. */
static void make(struct bytes *b, struct pd_gen_options o)
{
    const struct pd_sink sink = {bytes_put, bytes_patch, b};
    struct told t = {.done = 0};
    struct pd_gen *gen;
    o.size = sizeof o;
    o.count = 10000;
    o.progress = on_progress;
    o.user = &t;
    assert_int_equal(pd_gen_open(&gen, &sink, &o, NULL), PD_OK);
    assert_int_equal(pd_gen_run(gen, NULL), PD_OK);
    assert_false(t.fell);
    assert_in_range(t.done, pd_gen_records(gen) - 4095, pd_gen_records(gen));
    assert_in_range(t.total, pd_gen_bytes(gen) / 2, pd_gen_bytes(gen));
    pd_gen_close(gen);
}

/* Inputs that cannot seek are refused by some, and streams by the index. */
static void run_jobs(struct bytes *b, uint64_t size, const char *kind, bool seeks)
{
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        struct pd_reader *const r[] = {open_bytes(b, seeks), open_bytes(b, seeks)};
        struct told t = {.done = 0};
        const enum pd_code code = jobs[i].run(r, jobs[i].how, &t);
        const bool refused = code == PD_EUNSUP && (!seeks || jobs[i].run == make_index);
        const char *what = code ? pd_code_name(code) : wrong(&t, size, jobs[i].inputs);
        if (what && !refused)
            fail_msg("%s, a %s that can%s seek: %s; %.3f of %.3f readings, at the end %zu of %zu times",
                     jobs[i].name, kind, seeks ? "" : "not", what, (double)t.done / (double)size,
                     (double)t.total / (double)size, t.at_total, t.reports);
        pd_reader_close(r[0]);
        pd_reader_close(r[1]);
    }
}

/* Of a workload, whose samples are passed without being decoded, and of random records. */
static void each_recording(void **state)
{
    static const char *const kinds[] = {"file", "stream", "compressed file", "compressed stream"};
    (void)state;
    for (size_t i = 0; i < 8; i++) {
        struct bytes b = {0};
        make(&b, (struct pd_gen_options){.workload = i / 4 ? NULL : pd_gen_preset("server"),
                                         .container = i % 2 ? PD_CONTAINER_PIPE : PD_CONTAINER_FILE,
                                         .compression = i / 2 % 2 ? PD_RECORD_COMPRESSED : 0});
        struct pd_reader *r = open_bytes(&b, true);
        const uint64_t size = pd_reader_info(r)->data_end - pd_reader_info(r)->data_offset;
        pd_reader_close(r);
        run_jobs(&b, size, kinds[i % 4], true);
        run_jobs(&b, size, kinds[i % 4], false);
        free(b.p);
    }
}

/* Where the size of one input is not known, neither is the total. */
static void one_of_unknown_size(void **state)
{
    struct bytes b = {0};
    (void)state;
    make(&b, (struct pd_gen_options){.container = PD_CONTAINER_PIPE});
    for (int first = 0; first < 2; first++) {
        struct pd_reader *const r[] = {open_bytes(&b, first), open_bytes(&b, !first)};
        struct told t = {.done = 0};
        assert_int_equal(differ(r, 0, &t), PD_OK);
        assert_true(t.reports > 0 && t.total == PD_NOWHERE);
        pd_reader_close(r[0]);
        pd_reader_close(r[1]);
    }
    free(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_recording),
                                       cmocka_unit_test(one_of_unknown_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
