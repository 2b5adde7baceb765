/* SPDX-License-Identifier: MIT */
/*
 * every_fault.c - everything the library does with a whole recording, with the small recordings of
 * corpus/conformance in both byte orders and a few that are made here; and again with each allocation, read
 * and write failing in turn. A failing job reports an error with a field or position, and frees all its
 * memory; a job that does not fail writes the same output as without a fault. A sample of the calls of each
 * job fails, and each recording of the corpus is used by a fifth of the jobs in turn; with
 * PERFDATA_TEST_EFFORT=full a larger sample, and all jobs. PERFDATA_STEP=1: all calls. Checks R10, R11, R12.
 */
#include "cmocka_all.h"
#include "crew.h"
#include "heap.h"
#include "seeded.h"
#include "ops/repair/headless.h"
#include <dirent.h>
#include <errno.h>
#include <malloc.h>
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
#include <perfdata/ops/rewrite.h>
#include <perfdata/ops/sort.h>
#include <perfdata/ops/split.h>
#include <perfdata/perfdata.h>
#include <perfdata/session/metadata.h>
#include <perfdata/session/part.h>
#include <perfdata/session/sorter.h>
#include <perfdata/session/tracepoint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *running, *what_for; /* the job and the recording, for messages */

/* ---- Calls that are counted, of which one fails */

enum kind { ALLOCATION, READ, OUTPUT, KINDS };

static struct {
    size_t calls[KINDS];
    enum kind kind;
    size_t fail_at; /* counted from 1; 0: none */
    bool all;       /* that one and all after it */
    struct heap heap;
    uint64_t sum; /* of what was written */
    bool seekable;
} world;

static bool fails(enum kind kind)
{
    const size_t n = ++world.calls[kind];
    return kind == world.kind && world.fail_at && (n == world.fail_at || (world.all && n > world.fail_at));
}

static const struct pd_allocator allocator = {heap_resize, heap_release, &world.heap};

struct image {
    uint8_t *b;
    size_t n, cap;
};

/* In pieces, as of a pipe. */
static int64_t read_image(void *user, uint64_t offset, void *buf, size_t n)
{
    const struct image *im = user;
    if (fails(READ))
        return -EIO;
    if (offset >= im->n)
        return 0;
    const size_t left = im->n - (size_t)offset, most = world.seekable ? left : 100;
    n = n < most ? n : most;
    n = n < left ? n : left;
    memcpy(buf, im->b + offset, n);
    return (int64_t)n;
}

static void sum_up(const void *bytes, size_t n)
{
    const uint8_t *b = bytes;
    for (size_t i = 0; i < n; i++)
        world.sum = world.sum * 1099511628211u + b[i];
}

static int write_sink(void *user, const void *bytes, size_t n)
{
    (void)user;
    if (fails(OUTPUT))
        return ENOSPC;
    sum_up(bytes, n);
    return 0;
}

static int patch_sink(void *user, uint64_t at, const void *bytes, size_t n)
{
    (void)user, (void)at;
    if (fails(OUTPUT))
        return ENOSPC;
    sum_up(bytes, n);
    return 0;
}

static const struct pd_sink the_sink = {write_sink, patch_sink, NULL};

static int open_member(void *user, const char *name, unsigned mode, struct pd_sink *sink)
{
    (void)user, (void)mode;
    sum_up(name, strlen(name));
    *sink = the_sink;
    return fails(OUTPUT) ? EACCES : 0;
}

static int close_member(void *user, struct pd_sink *sink)
{
    (void)user, (void)sink;
    return fails(OUTPUT) ? EIO : 0;
}

static int open_piece(void *user, const struct pd_piece *piece, struct pd_sink *sink)
{
    (void)user, (void)piece;
    *sink = the_sink;
    return fails(OUTPUT) ? EACCES : 0;
}

static int close_piece(void *user, const struct pd_piece *piece, struct pd_sink *sink)
{
    (void)user, (void)piece, (void)sink;
    return fails(OUTPUT) ? EIO : 0;
}

static void on_finding(void *user, const struct pd_error *error)
{
    char text[400];
    (void)user;
    assert_true(error->code != PD_OK && pd_error_text(error, text, sizeof text) < sizeof text);
}

static void on_progress(void *user, uint64_t done, uint64_t total)
{
    (void)user;
    if (done > total)
        fail_msg("%s of %s: progress %llu of %llu", running, what_for, (unsigned long long)done,
                 (unsigned long long)total);
}

/* ---- What is done with a recording */

#define SPILLING 1500 /* bytes in which records may wait: some must go to temporary files */

struct inputs {
    struct image *one, *other; /* `other` may be NULL */
    const char *name;
};

typedef enum pd_code job(const struct inputs *in, struct pd_error *error);

static enum pd_code open_image(struct image *im, struct pd_reader **r, struct pd_error *error)
{
    const struct pd_reader_options options = {.size = sizeof options, .allocator = &allocator};
    const struct pd_source source = {read_image, NULL, im, world.seekable ? im->n : PD_NOWHERE};
    return pd_reader_open_source(r, &source, &options, error);
}

static enum pd_code convert_with(const struct inputs *in, struct pd_convert_options o, struct pd_error *error)
{
    o.size = sizeof o;
    struct pd_reader *r;
    struct pd_convert_stats stats;
    enum pd_code code = open_image(in->one, &r, error);
    if (code)
        return code;
    o.size = sizeof o;
    o.allocator = &allocator;
    o.finding = on_finding;
    o.progress = on_progress;
    o.open_member = open_member;
    o.close_member = close_member;
    code = pd_convert(r, &the_sink, &o, &stats, error);
    pd_reader_close(r);
    return code;
}

#define CONVERSION(name_, ...)                                                    \
    static enum pd_code name_(const struct inputs *in, struct pd_error *error)    \
    {                                                                             \
        return convert_with(in, (struct pd_convert_options){__VA_ARGS__}, error); \
    }

CONVERSION(to_pipe, .to = PD_CONVERT_PIPE)
CONVERSION(to_file, .to = PD_CONVERT_FILE, .finish = true)
CONVERSION(to_directory, .to = PD_CONVERT_DIRECTORY)
CONVERSION(compress, .to = PD_CONVERT_FILE, .zip = PD_ZIP_COMPRESSED)
CONVERSION(compress_stream, .to = PD_CONVERT_PIPE, .zip = PD_ZIP_COMPRESSED2)
CONVERSION(inflate, .zip = PD_ZIP_NONE)
CONVERSION(to_little, .order = PD_CONVERT_LITTLE, .zip = PD_ZIP_NONE)
CONVERSION(to_big, .order = PD_CONVERT_BIG)
CONVERSION(to_big_pipe, .to = PD_CONVERT_PIPE, .order = PD_CONVERT_BIG)
CONVERSION(reencoded, .reencode = true)
CONVERSION(large_attrs, .attr_size = 144)
CONVERSION(small_attrs, .attr_size = 64)
CONVERSION(holding_little, .to = PD_CONVERT_FILE, .zip = PD_ZIP_NONE, .max_held = 64)

static enum pd_code change_features(const struct inputs *in, struct pd_error *error)
{
    static const struct pd_feature_change changes[] = {
        {.feature = PD_FEAT_HOSTNAME, .bytes = "\4\0\0\0box", .n = 8},
        {.feature = PD_FEAT_CMDLINE, .drop = true},
        {.feature = 200, .bytes = "unknown", .n = 7},
        {.feature = PD_FEAT_HOSTNAME, .bytes = "\0\0\0\4cat", .n = 8},
    };
    return convert_with(in, (struct pd_convert_options){.changes = changes, .n_changes = 4}, error);
}

/* Each of these is refused for some recordings, and has a place of its own in others. */
static enum pd_code change_one(const struct inputs *in, struct pd_feature_change change,
                               enum pd_convert_to to, struct pd_error *error)
{
    return convert_with(in, (struct pd_convert_options){.to = to, .changes = &change, .n_changes = 1}, error);
}

#define CHANGE(name_, to_, ...)                                                                  \
    static enum pd_code name_(const struct inputs *in, struct pd_error *error)                   \
    {                                                                                            \
        return change_one(in, (struct pd_feature_change){__VA_ARGS__}, PD_CONVERT_##to_, error); \
    }

CHANGE(set_nrcpus, SAME, .feature = PD_FEAT_NRCPUS, .bytes = "\2\0\0\0\2\0\0\0", .n = 8)
CHANGE(drop_compressed, SAME, .feature = PD_FEAT_COMPRESSED, .drop = true)
CHANGE(drop_auxtrace, FILE, .feature = PD_FEAT_AUXTRACE, .drop = true)
CHANGE(drop_auxtrace_of_pipe, PIPE, .feature = PD_FEAT_AUXTRACE, .drop = true)
CHANGE(set_tracing_data, SAME, .feature = PD_FEAT_TRACING_DATA, .bytes = "no formats", .n = 10)
CHANGE(drop_tracing_data, PIPE, .feature = PD_FEAT_TRACING_DATA, .drop = true)
CHANGE(set_build_ids, SAME, .feature = PD_FEAT_BUILD_ID, .bytes = "", .n = 0)
CHANGE(set_dir_format, DIRECTORY, .feature = PD_FEAT_DIR_FORMAT, .bytes = "\1\0\0\0\0\0\0\0", .n = 8)
CHANGE(set_hostname_of_pipe, PIPE, .feature = PD_FEAT_HOSTNAME, .bytes = "\4\0\0\0box", .n = 8)

static enum pd_code edit(const struct inputs *in, struct pd_error *error)
{
    static const struct pd_name_change renames[] = {{"perf", "a longer name"}, {"ls", "x"}, {"swapper", "y"}};
    const struct pd_edit_options changes = {.size = sizeof changes,
                                            .strip = PD_EDIT_STRIPPABLE,
                                            .max_stack = 1,
                                            .time_shift = 1000,
                                            .renames = renames,
                                            .n_renames = 3};
    return convert_with(in, (struct pd_convert_options){.edit = &changes}, error);
}

static enum pd_code cut_chains(const struct inputs *in, struct pd_error *error)
{
    const struct pd_edit_options changes = {.size = sizeof changes, .max_stack = 1, .time_shift = -1};
    return convert_with(in, (struct pd_convert_options){.edit = &changes, .to = PD_CONVERT_PIPE}, error);
}

static void on_redacted(void *user, const struct pd_redacted *what)
{
    (void)user;
    assert_non_null(what->kind);
    assert_non_null(what->replacement);
}

static enum pd_code redact_with(const struct inputs *in, const struct pd_redact_options *options,
                                struct pd_error *error)
{
    struct pd_redaction *redaction = NULL;
    enum pd_code code = pd_redaction_open(&redaction, options, error);
    if (!code)
        code = convert_with(in, (struct pd_convert_options){.redaction = redaction}, error);
    if (redaction)
        pd_redaction_map(redaction, on_redacted, NULL);
    pd_redaction_close(redaction);
    return code;
}

static struct pd_redact_options all_of(enum pd_redact_how how)
{
    return (struct pd_redact_options){.size = sizeof(struct pd_redact_options),
                                      .allocator = &allocator,
                                      .hostname = how,
                                      .cmdline = how,
                                      .paths = how,
                                      .comms = how,
                                      .pids = how,
                                      .addrs = how,
                                      .times = how,
                                      .build_ids = how,
                                      .payloads = how,
                                      .events = how,
                                      .machine = how,
                                      .drop_unknown = true};
}

static enum pd_code redact_usual(const struct inputs *in, struct pd_error *error)
{
    const struct pd_redact_options options = {.size = sizeof options, .allocator = &allocator};
    return redact_with(in, &options, error);
}

static enum pd_code redact_dropping(const struct inputs *in, struct pd_error *error)
{
    const struct pd_redact_options options = all_of(PD_REDACT_DROP);
    return redact_with(in, &options, error);
}

static enum pd_code redact_with_key(const struct inputs *in, struct pd_error *error)
{
    struct pd_redact_options options = all_of(PD_REDACT_HASH);
    options.key = "sixteen bytes or more";
    options.key_n = 21;
    return redact_with(in, &options, error);
}

static bool on_begin(void *user)
{
    (void)user;
    return true;
}

static void on_head(void *user, const struct pd_record *rec)
{
    (void)user;
    assert_true(rec->size >= 8);
}

static enum pd_code filter_with(const struct inputs *in, struct pd_filter_options o, struct pd_error *error)
{
    o.size = sizeof o;
    struct pd_reader *r;
    struct pd_filter_stats stats;
    enum pd_code code = open_image(in->one, &r, error);
    if (code)
        return code;
    o.size = sizeof o;
    o.allocator = &allocator;
    o.finding = on_finding;
    o.progress = on_progress;
    o.begin = on_begin;
    o.head = on_head;
    code = pd_filter(r, &the_sink, &o, &stats, error);
    if (!code)
        assert_true(stats.kept_samples <= stats.samples && stats.kept_others <= stats.others);
    pd_reader_close(r);
    return code;
}

static const uint32_t some_pids[] = {1, 7, 100, 1000, 4242},
                      some_types[] = {PD_RECORD_SAMPLE, PD_RECORD_COMM};
static const char *const some_comms[] = {"perf", "one", "swapper"};
static const struct pd_cpu_range some_cpus[] = {{0, 1}};
static const uint32_t first_event[] = {0};
static const struct pd_time_range some_times[] = {{0, 2000}, {1000000, 0}};

#define FILTER(name_, ...)                                                      \
    static enum pd_code name_(const struct inputs *in, struct pd_error *error)  \
    {                                                                           \
        return filter_with(in, (struct pd_filter_options){__VA_ARGS__}, error); \
    }

FILTER(filter_nothing, .size = 0)
FILTER(filter_pids, .keep = {.pids = some_pids, .n_pids = 5})
FILTER(filter_comms, .drop = {.comms = some_comms, .n_comms = 3}, .sideband = PD_SIDEBAND_ALL)
FILTER(filter_tids, .drop = {.tids = some_pids, .n_tids = 5}, .sideband = PD_SIDEBAND_NONE, .all_user = true)
FILTER(filter_zipped, .keep = {.cpus = some_cpus, .n_cpus = 1}, .zip = PD_ZIP_COMPRESSED, .every = 2)
FILTER(filter_events, .keep = {.events = first_event, .n_events = 1, .comms = some_comms, .n_comms = 3},
       .zip = PD_ZIP_NONE, .all_kernel = true)
FILTER(filter_times, .keep = {.times = some_times, .n_times = 2, .types = some_types, .n_types = 2},
       .limit = 3)
FILTER(filter_directory, .keep = {.pids = some_pids, .n_pids = 5}, .open_member = open_member,
       .close_member = close_member)

static enum pd_code sort_with(const struct inputs *in, struct pd_sort_options o, struct pd_error *error)
{
    o.size = sizeof o;
    struct pd_reader *r;
    struct pd_sort_stats stats;
    enum pd_code code = open_image(in->one, &r, error);
    if (code)
        return code;
    o.size = sizeof o;
    o.allocator = &allocator;
    o.finding = on_finding;
    o.progress = on_progress;
    code = pd_sort(r, &the_sink, &o, &stats, error);
    pd_reader_close(r);
    return code;
}

static enum pd_code sort_it(const struct inputs *in, struct pd_error *error)
{
    return sort_with(in, (struct pd_sort_options){.zip = PD_ZIP_COMPRESSED}, error);
}

static enum pd_code sort_spilling(const struct inputs *in, struct pd_error *error)
{
    return sort_with(in,
                     (struct pd_sort_options){
                         .memory = SPILLING, .open_member = open_member, .close_member = close_member},
                     error);
}

static enum pd_code sort_nowhere(const struct inputs *in, struct pd_error *error)
{
    return sort_with(in, (struct pd_sort_options){.memory = SPILLING, .tmpdir = "/nonexistent"}, error);
}

static enum pd_code sort_checked(const struct inputs *in, struct pd_error *error)
{
    const struct pd_sort_options o = {.size = sizeof o, .allocator = &allocator};
    struct pd_sort_stats stats;
    struct pd_reader *r;
    enum pd_code code = open_image(in->one, &r, error);
    if (code)
        return code;
    code = pd_sort_check(r, &o, &stats, error);
    pd_reader_close(r);
    return code;
}

static void on_merge_note(void *user, const struct pd_merge_note *note)
{
    (void)user;
    assert_non_null(note->text);
}

static void on_merge_finding(void *user, size_t input, const struct pd_error *error)
{
    assert_true(input < 2);
    on_finding(user, error);
}

static enum pd_code merge_with(const struct inputs *in, struct pd_merge_options o, struct pd_error *error)
{
    o.size = sizeof o;
    struct pd_reader *r[2];
    struct pd_merge_stats stats;
    size_t failed;
    enum pd_code code = open_image(in->one, &r[0], error);
    if (code)
        return code;
    if ((code = open_image(in->other ? in->other : in->one, &r[1], error)) != PD_OK) {
        pd_reader_close(r[0]);
        return code;
    }
    o.size = sizeof o;
    o.allocator = &allocator;
    o.note = on_merge_note;
    o.finding = on_merge_finding;
    o.progress = on_progress;
    code = pd_merge(r, 2, &the_sink, &o, &stats, &failed, error);
    pd_reader_close(r[0]);
    pd_reader_close(r[1]);
    return code;
}

#define MERGE(name_, ...)                                                      \
    static enum pd_code name_(const struct inputs *in, struct pd_error *error) \
    {                                                                          \
        return merge_with(in, (struct pd_merge_options){__VA_ARGS__}, error);  \
    }

MERGE(merge, .any_clock = true)
MERGE(merge_spilling, .memory = SPILLING, .pids = PD_MERGE_PIDS_MOVE, .zip = PD_ZIP_COMPRESSED,
      .any_clock = true)
MERGE(merge_to_pipe, .to = PD_CONVERT_PIPE, .pids = PD_MERGE_PIDS_KEEP, .any_clock = true)
MERGE(append, .append = true, .pids = PD_MERGE_PIDS_MOVE)

static enum pd_code pieces_by(const struct inputs *in, enum pd_pieces_by by, uint64_t amount,
                              struct pd_error *error)
{
    const struct pd_pieces_options o = {.size = sizeof o,
                                        .allocator = &allocator,
                                        .by = by,
                                        .amount = amount,
                                        .memory = SPILLING,
                                        .zip = by == PD_PIECES_COUNT ? PD_ZIP_COMPRESSED : PD_ZIP_KEEP,
                                        .open = open_piece,
                                        .close = close_piece,
                                        .finding = on_finding,
                                        .progress = on_progress};
    struct pd_pieces_stats stats;
    struct pd_reader *r;
    enum pd_code code = open_image(in->one, &r, error);
    if (code)
        return code;
    code = pd_pieces(r, &o, &stats, error);
    pd_reader_close(r);
    return code;
}

#define PIECES(name_, by_, amount_)                                                 \
    static enum pd_code pieces_##name_(const struct inputs *in, struct pd_error *e) \
    {                                                                               \
        return pieces_by(in, PD_PIECES_##by_, amount_, e);                          \
    }

PIECES(count, COUNT, 2)
PIECES(size, SIZE, 1000)
PIECES(time, TIME, 10)
PIECES(cpu, CPU, 0)
PIECES(pid, PID, 0)
PIECES(event, EVENT, 0)

static void on_lost(void *user, const struct pd_lost_range *lost)
{
    (void)user;
    assert_true(lost->bytes > 0);
}

static void on_lost_feature(void *user, uint16_t feature, const struct pd_error *why)
{
    (void)feature;
    on_finding(user, why);
}

static enum pd_code repair_it(const struct inputs *in, struct pd_error *error)
{
    struct pd_reader *r, *like = NULL;
    struct pd_repair_stats stats;
    enum pd_code code = open_image(in->one, &r, error);
    if (code)
        return code;
    if (in->other)
        code = open_image(in->other, &like, error);
    const struct pd_repair_options o = {.size = sizeof o,
                                        .allocator = &allocator,
                                        .keep_tail = true,
                                        .like = like,
                                        .lost = on_lost,
                                        .feature = on_lost_feature,
                                        .progress = on_progress};
    if (!code)
        code = pd_repair(r, &the_sink, &o, &stats, error);
    if (like)
        pd_reader_close(like);
    pd_reader_close(r);
    return code;
}

static enum pd_code hash_it(const struct inputs *in, struct pd_error *error)
{
    const struct pd_hash_options o = {
        .size = sizeof o, .allocator = &allocator, .memory = SPILLING, .finding = on_finding};
    struct pd_hash hash;
    struct pd_reader *r;
    enum pd_code code = open_image(in->one, &r, error);
    if (code)
        return code;
    code = pd_hash_recording(r, &o, &hash, error);
    sum_up(&hash, sizeof hash);
    pd_reader_close(r);
    return code;
}

static void on_side_finding(void *user, int side, const struct pd_error *error)
{
    assert_true(side == 0 || side == 1);
    on_finding(user, error);
}

static bool on_difference(void *user, const struct pd_difference *what)
{
    (void)user;
    assert_true(what->there[0] || what->there[1]);
    return true;
}

static enum pd_code differ(const struct inputs *in, unsigned ignore, struct pd_error *error)
{
    const struct pd_differences_options o = {.size = sizeof o,
                                             .allocator = &allocator,
                                             .ignore = ignore,
                                             .memory = SPILLING,
                                             .difference = on_difference,
                                             .finding = on_side_finding,
                                             .progress = on_progress};
    struct pd_reader *r[2];
    uint64_t n = 0;
    enum pd_code code = open_image(in->one, &r[0], error);
    if (code)
        return code;
    if ((code = open_image(in->other ? in->other : in->one, &r[1], error)) == PD_OK) {
        code = pd_differences(r[0], r[1], &o, &n, error);
        pd_reader_close(r[1]);
    }
    pd_reader_close(r[0]);
    sum_up(&n, sizeof n);
    return code;
}

static enum pd_code differences(const struct inputs *in, struct pd_error *error)
{
    return differ(in, 0, error);
}

static enum pd_code differences_of_records(const struct inputs *in, struct pd_error *error)
{
    return differ(in, PD_IGNORE_ORDER, error);
}

static enum pd_code differences_of_form(const struct inputs *in, struct pd_error *error)
{
    return differ(in, PD_IGNORE_OFFSET, error);
}

static enum pd_code differences_of_content(const struct inputs *in, struct pd_error *error)
{
    return differ(in, PD_IGNORE_OFFSET | PD_IGNORE_ORDER | PD_IGNORE_CONTAINER, error);
}

static enum pd_code iterate(const struct inputs *in, enum pd_sort_kind kind, struct pd_error *error)
{
    const struct pd_sorter_options o = {
        .size = sizeof o, .allocator = &allocator, .kind = kind, .memory = SPILLING};
    struct pd_sorter *s = NULL;
    struct pd_record rec = {0};
    struct pd_reader *r;
    enum pd_code code = open_image(in->one, &r, error);
    if (code)
        return code;
    if ((code = pd_sorter_open(&s, r, &o, error)) == PD_OK)
        while ((code = pd_sorter_next(s, &rec, error)) == PD_OK) {
            const uint8_t *bytes;
            size_t n = 1;
            sum_up(rec.raw, rec.size);
            while (n && pd_sorter_payload(s, &bytes, &n, error) == PD_OK)
                sum_up(bytes, n);
        }
    pd_sorter_close(s);
    pd_reader_close(r);
    return code == PD_END ? PD_OK : code;
}

static enum pd_code by_time(const struct inputs *in, struct pd_error *error)
{
    return iterate(in, PD_SORT_TIME, error);
}

static enum pd_code causally(const struct inputs *in, struct pd_error *error)
{
    return iterate(in, PD_SORT_CAUSAL, error);
}

static enum pd_code strictly(const struct inputs *in, struct pd_error *error)
{
    return iterate(in, PD_SORT_STRICT, error);
}

static enum pd_code understand(const struct inputs *in, struct pd_error *error)
{
    struct pd_metadata *m = NULL;
    struct pd_record rec = {0};
    struct pd_reader *r;
    enum pd_code code = open_image(in->one, &r, error);
    if (code)
        return code;
    const struct pd_metadata_options o = {.size = sizeof o, .allocator = &allocator};
    code = pd_metadata_open(&m, r, &o, error);
    while (!code && (code = pd_reader_next(r, &rec, error)) == PD_OK)
        if (pd_reader_decode(r, &rec, error) == PD_OK)
            code = pd_metadata_add(m, r, &rec, error);
    if (code == PD_END)
        code = pd_metadata_finish(m, r, error);
    for (uint32_t i = 0; !code && i < pd_reader_n_attrs(r); i++)
        sum_up("", pd_metadata_event_name(m, r, i) == NULL);
    pd_metadata_close(m);
    pd_reader_close(r);
    return code;
}

static void on_leak(void *user, const struct pd_leak *leak)
{
    (void)user;
    assert_true(leak->string < 2);
}

static enum pd_code prove(const struct inputs *in, struct pd_error *error)
{
    const struct pd_bytes strings[] = {{(const uint8_t *)"perf", 4}, {(const uint8_t *)"l", 1}};
    struct pd_reader *r;
    enum pd_code code = open_image(in->one, &r, error);
    if (code)
        return code;
    code = pd_redact_prove(r, strings, 2, on_leak, NULL, error);
    pd_reader_close(r);
    return code;
}

static enum pd_code rewrite(const struct inputs *in, struct pd_error *error)
{
    const struct pd_rewrite_options o = {.size = sizeof o, .reencode = true, .finding = on_finding};
    struct pd_reader *r;
    enum pd_code code = open_image(in->one, &r, error);
    if (code)
        return code;
    code = pd_rewrite(r, &the_sink, &o, NULL, error);
    pd_reader_close(r);
    return code;
}

/* As far as its parts are certain by these, then by one reader. */
static enum pd_code parts(const struct inputs *in, struct pd_error *error)
{
    const struct pd_reader_options o = {.size = sizeof o, .allocator = &allocator};
    struct pd_reader *r, *part;
    struct pd_record rec = {0};
    uint64_t n = 0;
    enum pd_code code = open_image(in->one, &r, error);
    if (code)
        return code;
    const struct pd_file_info *info = pd_reader_info(r);
    uint64_t at = info->data_offset;
    if ((code = pd_reader_open_part(&part, r, &o, error)) == PD_OK) {
        for (uint64_t from = at; from < info->data_end && code != PD_EIO; from += 1000) {
            if ((code = pd_reader_take_part(part, from, from + 1000, error)) ||
                pd_reader_info(part)->data_offset != at)
                break;
            const uint64_t before = world.sum, n_before = n;
            for (; (code = pd_reader_next(part, &rec, error)) == PD_OK; n++)
                sum_up(rec.raw, rec.size);
            if (code != PD_END) {
                world.sum = before, n = n_before;
                break;
            }
            at = pd_reader_offset(part);
        }
        pd_reader_close(part);
        if (code != PD_EIO && n)
            code = pd_reader_seek(r, at, n, error);
    }
    if (code != PD_EIO && code != PD_ENOMEM)
        while ((code = pd_reader_next(r, &rec, error)) == PD_OK)
            sum_up(rec.raw, rec.size);
    pd_reader_close(r);
    return code == PD_EIO || code == PD_ENOMEM ? code : PD_OK;
}

/* The same without its header, which another one lends. */
static enum pd_code headless(const struct inputs *in, struct pd_error *error)
{
    struct pd_reader *like, *r;
    struct pd_record rec = {0};
    uint64_t shift;
    FILE *f = tmpfile();
    assert_non_null(f);
    const size_t cut = in->one->n < 300 ? 0 : 300;
    assert_true(fwrite(in->one->b + cut, 1, in->one->n - cut, f) == in->one->n - cut && fflush(f) == 0);
    enum pd_code code = open_image(in->other ? in->other : in->one, &like, error);
    if (!code) {
        code = pi_reader_open_headless(&r, fileno(f), like, &shift, error);
        pd_reader_close(like);
    }
    if (!code) {
        while (pd_reader_next(r, &rec, NULL) == PD_OK)
            sum_up(rec.raw, rec.size);
        pd_reader_close(r);
    }
    fclose(f);
    return code;
}

static enum pd_code span(const struct inputs *in, struct pd_error *error)
{
    struct pd_reader *r;
    uint64_t first, last;
    enum pd_code code = open_image(in->one, &r, error);
    if (code)
        return code;
    code = pd_time_span(r, &first, &last, error);
    pd_reader_close(r);
    return code;
}

/* ---- Exports, reports and an index */

/* Two functions in each file, of which one has others in it. */
static bool name_symbol(void *user, const char *file, const char *build_id, uint64_t offset,
                        struct pd_symbol *symbol)
{
    static const char *const inner[] = {"inner", "innermost"};
    (void)user, (void)file, (void)build_id;
    *symbol = (struct pd_symbol){.name = "low", .offset = offset};
    if (offset & 0x10)
        *symbol = (struct pd_symbol){.name = "high", .offset = 3, .inlined = inner, .n_inlined = 2};
    return offset % 7 != 0;
}

static size_t know_segments(void *user, const char *file, const char *build_id,
                            struct pd_export_segment *segments, size_t cap)
{
    (void)user, (void)build_id;
    if (cap == 0 || strlen(file) % 2)
        return 0;
    segments[0] = (struct pd_export_segment){.size = UINT32_MAX, .vaddr = 0x1000, .executable = true};
    return 1;
}

static size_t know_build_id(void *user, struct pd_reader *r, const char *file, uint8_t id[20])
{
    (void)user, (void)r;
    memset(id, (int)strlen(file), 20);
    return strlen(file) % 3 ? 20 : 0;
}

/* Both recordings in one export. */
static enum pd_code export_with(const struct inputs *in, struct pd_export_options o, struct pd_error *error)
{
    static const char *const fields[] = {"next_comm", "data_src"};
    struct image *const images[] = {in->one, in->other};
    struct pd_export *export;
    struct pd_reader *r;
    o.size = sizeof o;
    o.allocator = &allocator;
    o.open_member = open_member;
    o.close_member = close_member;
    o.segments = know_segments;
    o.build_id = know_build_id;
    o.finding = on_finding;
    o.sink = &the_sink;
    if (o.format == PD_EXPORT_PARQUET) {
        o.fields = fields;
        o.n_fields = 2;
    }
    enum pd_code code = pd_export_new(&export, &o, error);
    if (code)
        return code;
    for (size_t i = 0; !code && i < 2 && images[i]; i++) {
        if ((code = open_image(images[i], &r, error)))
            break;
        code = pd_export_add(export, r, NULL, error);
        pd_reader_close(r);
    }
    if (!code)
        code = pd_export_write(export, &the_sink, error);
    pd_export_free(export);
    return code;
}

enum { ALL_KEYS = PD_EXPORT_COMM | PD_EXPORT_PID | PD_EXPORT_TID | PD_EXPORT_CPU | PD_EXPORT_CGROUP };

#define EXPORT(name_, ...)                                                                \
    static enum pd_code name_(const struct inputs *in, struct pd_error *error)            \
    {                                                                                     \
        return export_with(in, (struct pd_export_options){.format = __VA_ARGS__}, error); \
    }
EXPORT(to_folded, PD_EXPORT_FOLDED, .keys = ALL_KEYS, .symbol = name_symbol)
EXPORT(to_folded_spilling, PD_EXPORT_FOLDED, .memory = SPILLING)
EXPORT(to_pprof, PD_EXPORT_PPROF, .keys = ALL_KEYS, .symbol = name_symbol)
EXPORT(to_speedscope, PD_EXPORT_SPEEDSCOPE, .keys = PD_EXPORT_COMM)
EXPORT(to_firefox, PD_EXPORT_FIREFOX, .keys = PD_EXPORT_TID, .symbol = name_symbol)
EXPORT(to_bolt, PD_EXPORT_BOLT, .kernel = true)
EXPORT(to_profgen, PD_EXPORT_PROFGEN, .memory = SPILLING)
EXPORT(to_autofdo, PD_EXPORT_AUTOFDO, .kernel = true)
EXPORT(to_symbols, PD_EXPORT_SYMBOLS, .symbol = name_symbol)
EXPORT(to_parquet, PD_EXPORT_PARQUET, .symbol = name_symbol)

/* In many groups of rows, which workers encode. */
static enum pd_code to_parquet_beside(const struct inputs *in, struct pd_error *error)
{
    struct pi_rng rng = {1}; /* the same each time */
    struct crew crew = {.rng = &rng};
    const struct pd_workers workers = crew_workers(&crew);
    return export_with(
        in, (struct pd_export_options){.format = PD_EXPORT_PARQUET, .memory = SPILLING, .workers = &workers},
        error);
}

static enum pd_code report(const struct inputs *in, struct pd_error *error)
{
    static const enum pd_report_key keys[] = {PD_KEY_COMM,   PD_KEY_DSO,  PD_KEY_SYM,
                                              PD_KEY_CGROUP, PD_KEY_TIME, PD_KEY_EVENT};
    const struct pd_filter_options selection = {.size = sizeof selection, .allocator = &allocator};
    const struct pd_report_options o = {.size = sizeof o,
                                        .keys = keys,
                                        .n_keys = sizeof keys / sizeof *keys,
                                        .slices = 3,
                                        .last = 1000000,
                                        .selection = &selection,
                                        .symbol = name_symbol,
                                        .build_id = know_build_id,
                                        .finding = on_finding};
    struct pd_report *report;
    struct pd_reader *r;
    enum pd_code code = open_image(in->one, &r, error);
    if (code)
        return code;
    if ((code = pd_report_new(&report, r, &o, error)) == PD_OK) {
        for (size_t e = 0; e < pd_report_n_events(report); e++)
            sum_up(&pd_report_get_event(report, e)->period, sizeof(uint64_t));
        pd_report_free(report);
    }
    pd_reader_close(r);
    return code;
}

static int keep_output(void *user, const void *bytes, size_t n)
{
    struct image *im = user;
    if (fails(OUTPUT) || n > im->cap - im->n)
        return ENOSPC;
    memcpy(im->b + im->n, bytes, n);
    im->n += n;
    return 0;
}

static int keep_patched(void *user, uint64_t at, const void *bytes, size_t n)
{
    struct image *im = user;
    if (fails(OUTPUT) || at > im->n || n > im->n - at)
        return ENOSPC;
    memcpy(im->b + at, bytes, n);
    return 0;
}

/* An index, by which then some of the records are read, and which is compared with a new one. */
static enum pd_code read_by_index(struct pd_reader *r, struct image *made, struct pd_error *error)
{
    static const struct pd_time_range ranges[] = {{1000, 2000}};
    const struct pd_index_options o = {.size = sizeof o, .allocator = &allocator};
    const struct pd_source source = {read_image, NULL, made, made->n};
    struct pd_record rec = {0};
    struct pd_index *index;
    enum pd_code code = pd_index_open(&index, r, &source, &o, error);
    if (code)
        return code;
    code = pd_index_select(index, ranges, 1, error);
    while (!code && (code = pd_reader_next(r, &rec, error)) == PD_OK)
        sum_up(&rec.offset, sizeof rec.offset);
    if (code == PD_END)
        code = pd_index_check(index, error);
    pd_index_close(index);
    return code;
}

static enum pd_code index_it(const struct inputs *in, struct pd_error *error)
{
    static uint8_t room[1 << 20];
    const struct pd_index_options o = {.size = sizeof o, .allocator = &allocator, .block = 1000};
    struct image made = {room, 0, sizeof room};
    const struct pd_sink sink = {keep_output, keep_patched, &made};
    struct pd_reader *r;
    enum pd_code code = open_image(in->one, &r, error);
    if (code)
        return code;
    code = pd_index_build(r, &sink, &o, NULL, error);
    if (!code)
        code = pd_reader_rewind(r, error);
    if (!code)
        code = read_by_index(r, &made, error);
    pd_reader_close(r);
    return code;
}

#define JOB(name_)    \
    {                 \
#name_, name_ \
    }
static const struct {
    const char *name;
    job *run;
} jobs[] = {
    JOB(to_pipe),
    JOB(to_file),
    JOB(to_directory),
    JOB(compress),
    JOB(compress_stream),
    JOB(inflate),
    JOB(to_little),
    JOB(to_big),
    JOB(to_big_pipe),
    JOB(reencoded),
    JOB(large_attrs),
    JOB(small_attrs),
    JOB(holding_little),
    JOB(change_features),
    JOB(edit),
    JOB(cut_chains),
    JOB(redact_usual),
    JOB(redact_dropping),
    JOB(redact_with_key),
    JOB(filter_nothing),
    JOB(filter_pids),
    JOB(filter_comms),
    JOB(filter_tids),
    JOB(filter_zipped),
    JOB(filter_events),
    JOB(filter_times),
    JOB(filter_directory),
    JOB(sort_it),
    JOB(sort_spilling),
    JOB(sort_nowhere),
    JOB(sort_checked),
    JOB(merge),
    JOB(merge_spilling),
    JOB(merge_to_pipe),
    JOB(append),
    JOB(pieces_count),
    JOB(pieces_size),
    JOB(pieces_time),
    JOB(pieces_cpu),
    JOB(pieces_pid),
    JOB(pieces_event),
    JOB(repair_it),
    JOB(hash_it),
    JOB(differences),
    JOB(differences_of_content),
    JOB(by_time),
    JOB(causally),
    JOB(strictly),
    JOB(understand),
    JOB(prove),
    JOB(rewrite),
    JOB(span),
    JOB(headless),
    JOB(set_nrcpus),
    JOB(drop_compressed),
    JOB(drop_auxtrace),
    JOB(drop_auxtrace_of_pipe),
    JOB(set_tracing_data),
    JOB(drop_tracing_data),
    JOB(set_build_ids),
    JOB(set_dir_format),
    JOB(set_hostname_of_pipe),
    JOB(differences_of_records),
    JOB(differences_of_form),
    JOB(parts),
    JOB(to_folded),
    JOB(to_folded_spilling),
    JOB(to_pprof),
    JOB(to_speedscope),
    JOB(to_firefox),
    JOB(to_bolt),
    JOB(to_profgen),
    JOB(to_autofdo),
    JOB(to_symbols),
    JOB(to_parquet),
    JOB(to_parquet_beside),
    JOB(report),
    JOB(index_it),
};
enum { N_JOBS = sizeof jobs / sizeof *jobs };

/* ---- Running them */

static enum pd_code run_job(job *f, const struct inputs *in, enum kind kind, size_t fail_at)
{
    struct pd_error error = {0};
    memset(world.calls, 0, sizeof world.calls);
    world.kind = kind;
    world.fail_at = fail_at;
    world.sum = 0;
    world.heap = (struct heap){.fail_at = kind == ALLOCATION ? fail_at : 0, .once = !world.all};
    const enum pd_code code = f(in, &error);
    world.calls[ALLOCATION] = world.heap.calls;
    if (code && error.code != code)
        fail_msg("%s of %s: %s, but the error says %s", running, what_for, pd_code_name(code),
                 pd_code_name(error.code));
    if (world.heap.blocks)
        fail_msg("%s of %s: %zu blocks are left behind", running, what_for, world.heap.blocks);
    return code;
}

/* Each call of one kind fails, or every `step`th, from another one on each time. */
static void fail_each(job *f, const struct inputs *in, enum kind kind, size_t step, enum pd_code usual)
{
    static size_t turn;
    static const enum pd_code wanted[] = {[ALLOCATION] = PD_ENOMEM, [READ] = PD_EIO, [OUTPUT] = PD_EOUT};
    run_job(f, in, kind, 0);
    const size_t n = world.calls[kind];
    const uint64_t sum = world.sum;
    for (size_t i = 1 + 5 * turn++ % step; i <= n; i += step) {
        const enum pd_code code = run_job(f, in, kind, i);
        /* What fails otherwise may do so before. */
        const bool told = code == wanted[kind] || (code && code == usual);
        if (!told && (code != PD_OK || world.sum != sum))
            fail_msg("%s of %s, %s %zu of %zu fails: %s", running, what_for,
                     (const char *[]){"allocation", "read", "output"}[kind], i, n, pd_code_name(code));
    }
}

/*
 * `step`: which calls fail; 0: none. `every`: of the jobs only each so many, from another one on each time.
 */
static void every_job(const struct inputs *in, size_t step, size_t every)
{
    static size_t first;
    what_for = in->name;
    for (size_t i = first++ % every; i < N_JOBS; i += every)
        for (int seekable = 1; seekable >= 0; seekable--) {
            running = jobs[i].name;
            world.seekable = seekable;
            const enum pd_code usual = run_job(jobs[i].run, in, ALLOCATION, 0);
            for (int kind = 0; kind < KINDS && step; kind++)
                for (int all = 0; all < 2; all++) {
                    world.all = all;
                    fail_each(jobs[i].run, in, (enum kind)kind, step, usual);
                }
        }
}

/* ---- The recordings */

static void load(struct image *im, const char *path)
{
    FILE *f = fopen(path, "rb");
    *im = (struct image){.cap = 1 << 20};
    im->b = malloc(im->cap);
    assert_true(f != NULL && im->b != NULL);
    im->n = fread(im->b, 1, im->cap, f);
    assert_true(im->n < im->cap);
    fclose(f);
}

static int keep_bytes(void *user, const void *bytes, size_t n)
{
    struct image *im = user;
    assert_true(n <= im->cap - im->n);
    memcpy(im->b + im->n, bytes, n);
    im->n += n;
    return 0;
}

static int keep_patch(void *user, uint64_t at, const void *bytes, size_t n)
{
    struct image *im = user;
    assert_true(at <= im->n && n <= im->n - at);
    memcpy(im->b + at, bytes, n);
    return 0;
}

static void make(struct image *im, struct pd_gen_options o)
{
    o.size = sizeof o;
    struct pd_gen *gen;
    struct pd_error error;
    *im = (struct image){.cap = 8 << 20};
    im->b = malloc(im->cap);
    assert_non_null(im->b);
    const struct pd_sink sink = {keep_bytes, keep_patch, im};
    o.size = sizeof o;
    assert_int_equal(pd_gen_open(&gen, &sink, &o, &error), PD_OK);
    assert_int_equal(pd_gen_run(gen, &error), PD_OK);
    pd_gen_close(gen);
}

/*
 * Every recording of the conformance corpus, without faults, together with its twin of the other byte order.
 */
static void small_recordings(void **state)
{
    char path[1000], twin[1000];
    const char *source = getenv("PERFDATA_SOURCE");
    struct image before = {0}; /* quite another recording */
    const size_t every = full_effort() ? 1 : hurried() ? 40 : 5;
    size_t n = 0;
    (void)state;
    if (source == NULL)
        skip();
    snprintf(path, sizeof path, "%s/corpus/conformance", source);
    struct dirent **entries; /* by name, so that each run goes through them in the same order */
    const int n_entries = scandir(path, &entries, NULL, alphasort);
    assert_true(n_entries > 0);
    for (int i = 0; i < n_entries; free(entries[i++])) {
        const struct dirent *e = entries[i];
        const char *end = strstr(e->d_name, ".be.data");
        struct image one, other;
        if (end == NULL || strncmp(e->d_name, "container-dir", 13) == 0 || strstr(e->d_name, "-directory"))
            continue;
        snprintf(path, sizeof path, "%s/corpus/conformance/%s", source, e->d_name);
        snprintf(twin, sizeof twin, "%s/corpus/conformance/%.*s.data", source, (int)(end - e->d_name),
                 e->d_name);
        load(&one, path);
        if (access(twin, R_OK) == 0)
            load(&other, twin);
        else
            load(&other, path);
        every_job(&(struct inputs){&one, &other, e->d_name}, 0, every);
        every_job(&(struct inputs){&other, &one, e->d_name}, 0, every);
        if (before.b)
            every_job(&(struct inputs){&one, &before, e->d_name}, 0, every);
        free(before.b);
        before = one;
        free(other.b);
        n++;
    }
    free(before.b);
    free(entries);
    assert_true(n > 150);
}

static const struct pd_gen_options kinds[] = {
    {.seed = 1, .count = 60, .features = PD_GEN_FEATURES_ALL, .any = true},
    {.seed = 2,
     .count = 60,
     .order = PD_BIG,
     .container = PD_CONTAINER_PIPE,
     .features = PD_GEN_FEATURES_ALL},
    {.seed = 3, .count = 60, .compression = PD_RECORD_COMPRESSED2, .events = 3},
    {.seed = 4,
     .count = 60,
     .workload = "",
     .container = PD_CONTAINER_PIPE,
     .compression = PD_RECORD_COMPRESSED},
    {.seed = 5, .count = 40, .workload = "", .tasks = 3, .cpus = 2, .depth = 2},
};

static void made_recordings(void **state)
{
    const size_t step = (size_t)random_setting("PERFDATA_STEP", full_effort() ? 41 : hurried() ? 2647 : 331);
    struct image one, other;
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct pd_gen_options o = kinds[i];
        char name[32];
        if (o.workload)
            o.workload = pd_gen_preset(pd_gen_preset_name(i % 2));
        make(&one, o);
        o.seed += 100;
        make(&other, o);
        snprintf(name, sizeof name, "recording %zu", i);
        every_job(&(struct inputs){&one, &other, name}, step, 1);
        free(one.b);
        free(other.b);
    }
}

/* The same with a byte changed here and there: damage of all sorts, without faults. */
static void damaged_recordings(void **state)
{
    uint64_t seed = random_seed();
    struct image one, other;
    (void)state;
    printf("seed %llu\n", (unsigned long long)seed);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct pd_gen_options o = kinds[i];
        if (o.workload)
            o.workload = pd_gen_preset(pd_gen_preset_name(i % 2));
        make(&one, o);
        make(&other, o);
        for (size_t round = 0; round < (full_effort() ? 12 : 3); round++) {
            for (int k = 0; k < 6; k++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                const size_t at = 104 + (size_t)(seed >> 33) % (one.n - 104);
                one.b[at] = (uint8_t)(seed >> 25);
            }
            every_job(&(struct inputs){&one, &other, "damaged"}, 0, 1);
            memcpy(one.b, other.b, one.n);
        }
        free(one.b);
        free(other.b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_recordings),
        cmocka_unit_test(made_recordings),
        cmocka_unit_test(damaged_recordings),
    };
    /* Windows come and go a hundred thousand times: the system need not be asked for each. */
    mallopt(M_MMAP_THRESHOLD, 64 << 20);
    mallopt(M_TRIM_THRESHOLD, 512 << 20);
    if (access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", true); /* temporary files, too */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
