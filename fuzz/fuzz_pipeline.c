/* SPDX-License-Identifier: MIT */
/*
 * fuzz_pipeline.c - a recording filtered and converted with options that the input chooses. If `check` has no
 * findings in the input, it has none in the output, also with a feature dropped or another host name; the
 * same conversion again changes nothing (a second time, if attrs came behind records of a stream); neither
 * does conversion to the other byte order and back; what cannot seek gives the same content; and workers
 * change nothing, nor does an index what a filter by times makes. Checks R1, R2, R3, R6, R8, R10, R12.
 *
 * Input: twelve bytes of options, then the recording.
 */
#include "harness.h"
#include "mutator.h"
#include "ops/output/compression.h"
#include "tests/support/crew.h"
#include "tests/support/memory_read.h"
#include "tests/support/recording.h"
#include <perfdata/ops/filter.h>
#include <perfdata/ops/hash.h>
#include <perfdata/ops/index.h>

#define FILE_AT 12
#define MOST 100000
#define DEFLATE_MOST ((size_t)27 << 20) /* what compressing takes, at any level */
/* Bytes of an output that goes on to the next step: compressed records may make much of little. */
#define LARGEST 3000000

struct trial {
    struct heap heap;
    struct pd_allocator allocator;
    size_t findings;
    size_t damage; /* that the reader of the last conversion reported */
    uint64_t unconverted;
    uint64_t left_out;                /* bytes behind a stream */
    const struct pd_workers *workers; /* they take some MiB, which R2 does not count */
};

static struct pd_reader *open_image(struct trial *t, const uint8_t *bytes, size_t n)
{
    const struct pd_reader_options options = {.size = sizeof options,
                                              .allocator = &t->allocator,
                                              .max_inflate = INFLATE_MOST,
                                              .workers = t->workers};
    struct pd_reader *r = NULL;
    struct pd_error error;
    const enum pd_code code = pd_reader_open_memory(&r, bytes, n, &options, &error);
    if (code)
        check_error(&error, code, n);
    return r;
}

/* True for records that are compressed, or the feature of a stream which says that some are. */
static bool is_of_compression(const struct pd_reader *r, const struct pd_record *rec)
{
    bool mark;
    return rec->type == PD_RECORD_COMPRESSED || rec->type == PD_RECORD_COMPRESSED2 ||
           pi_stream_feature(rec, pd_reader_info(r)->order, &mark) == PD_FEAT_COMPRESSED;
}

static bool has_compressed(const struct image *in)
{
    const struct pd_reader_options options = {.size = sizeof options, .keep_compressed = true};
    struct pd_reader *r;
    struct pd_record rec = {0};
    bool found = false;
    CHECK(pd_reader_open_memory(&r, in->b, in->n, &options, NULL) == PD_OK);
    while (!found && pd_reader_next(r, &rec, NULL) == PD_OK)
        found = is_of_compression(r, &rec);
    pd_reader_close(r);
    return found;
}

/* Of each step by itself: what it read may be much larger than what the input began with. */
static void check_memory(struct trial *t, const struct image *in, enum pd_convert_zip zip)
{
    const bool compressed = has_compressed(in);
    const bool compresses = zip == PD_ZIP_KEEP ? compressed : zip != PD_ZIP_NONE;
    CHECK(t->heap.blocks == 0 && t->heap.bytes == 0);
    CHECK(t->workers || t->heap.peak <= 64 * in->n + ((size_t)2 << 20) + (compressed ? ZSTD_MOST : 0) +
                                            (compresses ? DEFLATE_MOST : 0));
    t->heap.peak = 0;
}

static void on_finding(void *user, const struct pd_error *error)
{
    struct trial *t = user;
    char text[400];
    CHECK(error->code != PD_OK && error->field && pd_error_text(error, text, sizeof text) < sizeof text);
    t->findings += error->code != PD_EUNKNOWN; /* which `check` only notes */
}

static void on_note(void *user, const struct pd_convert_note *note)
{
    struct trial *t = user;
    CHECK(note->why);
    t->left_out += note->what == PD_NOTED_BYTES ? note->count : 0;
}

/* Of what an option byte says, one in eight: compressing takes as long as all else. */
static enum pd_convert_zip zip_of(unsigned bits, uint8_t seldom)
{
    return seldom & 7 ? PD_ZIP_KEEP : (enum pd_convert_zip)(bits & 3);
}

/* ---- convert */

static enum pd_code convert_from(struct trial *t, struct pd_reader *r, struct image *out,
                                 struct pd_convert_options o)
{
    const struct pd_sink sink = image_sink(out);
    struct pd_convert_stats stats = {0};
    struct pd_error error;
    *out = (struct image){0};
    CHECK(r);
    o.size = sizeof o;
    o.allocator = &t->allocator;
    o.finding = on_finding;
    o.note = on_note;
    o.user = t;
    t->left_out = 0;
    const enum pd_code code = pd_convert(r, &sink, &o, &stats, &error);
    if (code)
        CHECK(error.code == code && error.field && code != PD_ENOMEM && code != PD_EOUT);
    t->unconverted = stats.unconverted;
    t->damage = 0;
    for (size_t i = 0; i < pd_reader_n_findings(r); i++)
        t->damage += pd_reader_finding(r, i)->code != PD_EUNKNOWN;
    pd_reader_close(r);
    return code;
}

static enum pd_code convert(struct trial *t, const struct image *in, struct image *out,
                            struct pd_convert_options o)
{
    const enum pd_code code = convert_from(t, open_image(t, in->b, in->n), out, o);
    check_memory(t, in, o.zip);
    return code;
}

static struct pd_convert_options convert_options(const uint8_t *o)
{
    static const enum pd_convert_to to[] = {PD_CONVERT_SAME, PD_CONVERT_FILE, PD_CONVERT_PIPE,
                                            PD_CONVERT_SAME};
    return (struct pd_convert_options){.to = to[o[0] & 3],
                                       .zip = zip_of(o[0] >> 2, o[1] >> 5),
                                       .order = (enum pd_convert_order)((o[0] >> 4 & 3) % 3),
                                       .reencode = o[0] & 64,
                                       .finish = o[0] & 128,
                                       .attr_size = o[1] & 1 ? 64 + 8u * (o[1] >> 1 & 15) : 0};
}

static bool same_image(const struct image *a, const struct image *b)
{
    return a->n == b->n && (a->n == 0 || memcmp(a->b, b->b, a->n) == 0);
}

/*
 * The words of a big-endian bitmap cannot be seen in a little-endian file: on the way back the machine's name
 * tells. So they may be others, of the same features, and nothing else.
 */
static bool differ_in_words(const struct image *a, const struct image *b)
{
    const size_t from = 72, to = 104;
    if (a->n != b->n || a->n < to || memcmp(a->b, b->b, from) != 0 ||
        memcmp(a->b + to, b->b + to, a->n - to) != 0)
        return false;
    for (size_t i = from; i < to; i++)
        if (a->b[i] != b->b[((i - from) ^ 4) + from])
            return false;
    return true;
}

static bool begins_with(const struct image *all, const struct image *part)
{
    return part->n <= all->n && (part->n == 0 || memcmp(all->b, part->b, part->n) == 0);
}

/* To the other byte order and back; nothing compressed, since that is made anew, see docs/CONVERSIONS.md. */
static void check_orders(struct trial *t, const struct image *made)
{
    struct image plain, there, back;
    if (convert(t, made, &plain, (struct pd_convert_options){.zip = PD_ZIP_NONE}) == PD_OK) {
        struct pd_reader *r = open_image(t, plain.b, plain.n);
        CHECK(r);
        const bool big = pd_reader_info(r)->order == PD_BIG;
        const struct pd_convert_options other = {.order = big ? PD_CONVERT_LITTLE : PD_CONVERT_BIG};
        const struct pd_convert_options own = {.order = big ? PD_CONVERT_BIG : PD_CONVERT_LITTLE};
        pd_reader_close(r);
        t->findings = 0;
        if (convert(t, &plain, &there, other) == PD_OK && !t->findings && !t->unconverted) {
            const uint64_t left_out = t->left_out;
            CHECK(is_clean(there.b, there.n));
            CHECK(convert(t, &there, &back, own) == PD_OK);
            CHECK((begins_with(&plain, &back) && plain.n - back.n == left_out) ||
                  (big && differ_in_words(&plain, &back)));
            image_free(&back);
        }
        image_free(&there);
    }
    image_free(&plain);
}

/*
 * True if attrs of a stream come behind its first record of data. A file made from the stream has them at its
 * end, a stream made from that file before its data.
 */
static bool has_late_attrs(const struct image *in)
{
    struct pd_reader *r;
    struct pd_record rec = {0};
    size_t before = 0;
    bool begun = false, late = false;
    CHECK(pd_reader_open_memory(&r, in->b, in->n, NULL, NULL) == PD_OK);
    const bool pipe = pd_reader_info(r)->container == PD_CONTAINER_PIPE;
    while (pipe && !late && pd_reader_next(r, &rec, NULL) == PD_OK) {
        late = begun && pd_reader_n_attrs(r) > before;
        before = pd_reader_n_attrs(r);
        begun |= rec.type != PD_RECORD_HEADER_ATTR;
    }
    pd_reader_close(r);
    return late;
}

static void hash_image(struct trial *t, const struct image *im, struct pd_hash *hash)
{
    struct pd_reader *r = open_image(t, im->b, im->n);
    CHECK(r && pd_hash_recording(r, NULL, hash, NULL) == PD_OK);
    pd_reader_close(r);
}

/* Workers do no more than one thread: the same bytes, and the same hash. */
static void check_workers(struct trial *t, const struct image *in, const struct image *made,
                          struct pd_convert_options options)
{
    struct pi_rng rng = {in->n};
    struct crew crew = {.rng = &rng};
    const struct pd_workers workers = crew_workers(&crew);
    struct pd_hash hash[2];
    struct image again;
    for (int with = 0; with < 2; with++) {
        t->workers = with ? &workers : NULL;
        hash_image(t, made, &hash[with]);
    }
    CHECK(memcmp(&hash[0], &hash[1], sizeof hash[0]) == 0);
    CHECK(convert(t, in, &again, options) == PD_OK);
    CHECK(same_image(made, &again));
    image_free(&again);
    t->workers = NULL;
    t->heap.peak = 0;
}

/* Without a feature, and with another host name. */
static void check_changes(struct trial *t, const struct image *in, const uint8_t *o)
{
    static const uint8_t name[] = {8, 0, 0, 0, 'e', 'l', 's', 'e', 0, 0, 0, 0},
                         big[] = {0, 0, 0, 8, 'e', 'l', 's', 'e', 0, 0, 0, 0};
    struct pd_reader *r = open_image(t, in->b, in->n);
    CHECK(r);
    const bool is_big = pd_reader_info(r)->order == PD_BIG;
    pd_reader_close(r);
    const struct pd_feature_change changes[] = {
        {.feature = PD_FEAT_HOSTNAME, .bytes = is_big ? big : name, .n = sizeof name},
        {.feature = o[1] % 40u, .drop = true}};
    const size_t first = o[0] >> 2 & 1, n = first ? 1 : 1 + (o[0] >> 3 & 1u);
    const struct pd_convert_options options = {
        .to = convert_options(o).to, .changes = changes + first, .n_changes = n};
    struct image made;
    t->findings = 0;
    if (convert(t, in, &made, options) == PD_OK && made.n < LARGEST)
        CHECK(t->findings || is_clean(made.b, made.n));
    image_free(&made);
}

/* The same conversion changes nothing, or no more. */
static void check_again(struct trial *t, const struct image *in, const struct image *made,
                        struct pd_convert_options options)
{
    struct image again, third;
    CHECK(convert(t, made, &again, options) == PD_OK);
    if (!same_image(made, &again)) {
        CHECK(has_late_attrs(in));
        CHECK(convert(t, &again, &third, options) == PD_OK);
        CHECK(same_image(&again, &third));
        image_free(&third);
    }
    image_free(&again);
}

struct stream {
    const struct image *image;
    uint64_t at;
};

static int64_t read_stream(void *user, uint64_t offset, void *buf, size_t n)
{
    struct stream *s = user;
    CHECK(offset == s->at);
    const int64_t got = memory_read(s->image->b, s->image->n, offset, buf, n);
    s->at += (uint64_t)got;
    return got;
}

/* True if the header says where the data ends: zero may mean that it is unfinished. */
static bool is_finished(struct trial *t, const struct image *in)
{
    struct pd_reader *r = open_image(t, in->b, in->n);
    CHECK(r);
    const struct pd_file_info *info = pd_reader_info(r);
    const bool is = info->container == PD_CONTAINER_PIPE || info->header.data.size;
    pd_reader_close(r);
    return is;
}

/* Names of events tell what some samples are of, and from an input that cannot seek these come behind all. */
static bool needs_names(struct trial *t, const struct image *in)
{
    struct pd_reader *r = open_image(t, in->b, in->n);
    CHECK(r);
    const bool needs = recording_needs_names(r);
    pd_reader_close(r);
    return needs;
}

/* From an input that cannot seek the same content comes, or it is told what had to be known before. */
static void check_live(struct trial *t, const struct image *in, const struct image *made,
                       struct pd_convert_options options)
{
    struct stream stream = {in, 0};
    const struct pd_source source = {.read_at = read_stream, .user = &stream, .size = PD_NOWHERE};
    const struct pd_reader_options reading = {
        .size = sizeof reading, .allocator = &t->allocator, .max_inflate = INFLATE_MOST};
    struct pd_hash hash[2];
    struct image live = {0};
    struct pd_reader *r = NULL;
    if (!is_finished(t, in))
        return;
    enum pd_code code = pd_reader_open_source(&r, &source, &reading, NULL);
    t->findings = 0;
    if (!code)
        code = convert_from(t, r, &live, options);
    CHECK(code == PD_OK || code == PD_EUNSUP);
    if (!code && !t->findings && !t->damage) {
        hash_image(t, made, &hash[0]);
        hash_image(t, &live, &hash[1]);
        CHECK(memcmp(&hash[0], &hash[1], sizeof hash[0]) == 0 || needs_names(t, in));
    }
    image_free(&live);
    t->heap.peak = 0;
}

static void check_convert(struct trial *t, const struct image *in, const uint8_t *o, bool clean,
                          unsigned turns)
{
    const struct pd_convert_options options = convert_options(o);
    struct image made;
    t->findings = 0;
    const enum pd_code code = convert(t, in, &made, options);
    if (!code && clean && made.n < LARGEST) {
        CHECK(t->findings == 0);
        if (turns & 0x11) /* what stays in the old byte order, which is told, may be damage in the new one */
            CHECK(t->unconverted || is_clean(made.b, made.n));
        if (turns & 0x22)
            check_again(t, in, &made, options);
        if (turns & 0x88)
            check_workers(t, in, &made, options);
        if (turns & 0x44)
            check_orders(t, &made);
        if (turns & 0x22)
            check_live(t, in, &made, options);
    }
    image_free(&made);
}

/* ---- filter */

/* A number that some records of the recording have. */
static uint32_t number_of(const struct image *in, size_t at)
{
    const size_t p = at * 8 + 8;
    return p + 4 <= in->n ? pi_load32(in->b + p, in->b[0] == '2' ? PD_BIG : PD_LITTLE) : (uint32_t)at;
}

static enum pd_code filter(struct trial *t, const struct image *in, struct image *out, const uint8_t *o,
                           struct pd_filter_stats *stats)
{
    struct pd_reader *r = open_image(t, in->b, in->n);
    const struct pd_sink sink = image_sink(out);
    const char *const comms[] = {"one", "two"};
    const char *const dsos[] = {"libc.so.6", "[unknown]"};
    const uint32_t numbers[] = {number_of(in, o[2]), number_of(in, o[2] + 256u * o[3])};
    const struct pd_cpu_range cpus[] = {{o[3], o[3] + 2u}};
    const uint32_t events[] = {o[2] & 1};
    const struct pd_time_range times[] = {{o[2], o[2] + 10u}, {1000, 0}};
    const uint32_t types[] = {o[2], PD_RECORD_SAMPLE};
    struct pd_filter_options options = {
        .size = sizeof options, .allocator = &t->allocator, .finding = on_finding, .user = t};
    struct pd_filter_lists *const l = o[1] & 1 ? &options.drop : &options.keep;
    struct pd_error error;
    *out = (struct image){0};
    CHECK(r);
    *l = (struct pd_filter_lists){.n_pids = o[0] & 1 ? 2 : 0,
                                  .n_tids = o[0] & 2 ? 2 : 0,
                                  .n_comms = o[0] & 4 ? 2 : 0,
                                  .n_cpus = o[0] & 8 ? 1 : 0,
                                  .n_events = o[0] & 16 ? 1 : 0,
                                  .n_times = o[0] & 32 ? 2 : 0,
                                  .n_types = o[0] & 64 ? 2 : 0,
                                  .n_dsos = o[0] & 128 ? 2 : 0};
    l->pids = l->n_pids ? numbers : NULL;
    l->tids = l->n_tids ? numbers : NULL;
    l->comms = l->n_comms ? comms : NULL;
    l->cpus = l->n_cpus ? cpus : NULL;
    l->events = l->n_events ? events : NULL;
    l->times = l->n_times ? times : NULL;
    l->types = l->n_types ? types : NULL;
    l->dsos = l->n_dsos ? dsos : NULL;
    options.all_user = o[1] & 2;
    options.all_kernel = o[1] & 4;
    options.sideband = (enum pd_sideband)((o[1] >> 3 & 3) % 3);
    options.zip = zip_of(o[1] >> 5, o[9]);
    options.every = o[4] & 1 ? o[4] >> 1 : 0;
    options.limit = o[5] & 1 ? o[5] >> 1 : 0;
    const enum pd_code code = pd_filter(r, &sink, &options, stats, &error);
    if (code)
        CHECK(error.code == code && error.field && code != PD_ENOMEM && code != PD_EOUT);
    pd_reader_close(r);
    check_memory(t, in, options.zip);
    return code;
}

static void check_filter(struct trial *t, const struct image *in, const uint8_t *o, bool clean,
                         unsigned turns)
{
    struct image made;
    struct pd_filter_stats stats = {0};
    t->findings = 0;
    const enum pd_code code = filter(t, in, &made, o, &stats);
    if (!code) {
        CHECK(stats.kept_samples <= stats.samples && stats.kept_others <= stats.others);
        CHECK(!(o[5] & 1) || o[5] >> 1 == 0 || stats.kept_samples <= (o[5] >> 1) + stats.undecodable);
    }
    if (!code && clean && made.n < LARGEST) {
        CHECK(t->findings == 0 && is_clean(made.b, made.n));
        if (turns & 0xf0)
            check_convert(t, &made, o + 6, true, turns);
    }
    image_free(&made);
}

/* ---- An index */

static int64_t read_index(void *user, uint64_t offset, void *buf, size_t n)
{
    const struct image *index = user;
    return memory_read(index->b, index->n, offset, buf, n);
}

static enum pd_code filter_times(struct trial *t, struct pd_reader *r, const struct pd_time_range *times,
                                 struct image *out)
{
    const struct pd_sink sink = image_sink(out);
    const struct pd_filter_options options = {
        .size = sizeof options, .allocator = &t->allocator, .keep = {.times = times, .n_times = 1}};
    *out = (struct image){0};
    return pd_filter(r, &sink, &options, NULL, NULL);
}

/* From the time of a sample on, for some while. */
static struct pd_time_range choose_times(struct pd_reader *r, const uint8_t *o)
{
    struct pd_record rec = {0};
    struct pd_time_range times = {0};
    for (unsigned skip = o[0]; skip && pd_reader_next_decoded(r, &rec, NULL) == PD_OK;)
        if (rec.decoded && rec.type == PD_RECORD_SAMPLE && rec.u.sample.time) {
            times.start = rec.u.sample.time;
            skip--;
        }
    times.end = times.start + ((uint64_t)o[1] << 12);
    CHECK(pd_reader_rewind(r, NULL) == PD_OK);
    return times.end > times.start ? times : (struct pd_time_range){0};
}

static void check_index(struct trial *t, const struct image *in, const uint8_t *o)
{
    const struct pd_index_options how = {
        .size = sizeof how, .allocator = &t->allocator, .block = 1 + 16u * o[2]};
    struct pd_reader *r = open_image(t, in->b, in->n);
    struct image stored = {0}, with, without;
    const struct pd_sink sink = image_sink(&stored);
    struct pd_source source = {read_index, NULL, &stored, 0};
    struct pd_index *index = NULL;
    struct pd_error error = {0};
    CHECK(r);
    enum pd_code code = pd_index_build(r, &sink, &how, NULL, &error);
    CHECK(code == PD_OK || (error.code == code && error.field));
    source.size = stored.n;
    if (code == PD_OK) {
        const struct pd_time_range times = choose_times(r, o);
        const enum pd_code all = filter_times(t, r, &times, &without);
        CHECK(pd_index_open(&index, r, &source, &how, NULL) == PD_OK && pd_index_check(index, NULL) == PD_OK);
        if (pd_index_select(index, &times, 1, NULL) == PD_OK) {
            CHECK(filter_times(t, r, &times, &with) == all);
            CHECK(all || same_image(&with, &without));
            image_free(&with);
        }
        image_free(&without);
    }
    pd_index_close(index);
    pd_reader_close(r);
    image_free(&stored);
    t->heap.peak = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct trial t = {.allocator = {heap_resize, heap_release, &t.heap}};
    if (size < FILE_AT || size > MOST)
        return 0;
    const struct image in = {.b = (uint8_t *)(uintptr_t)(data + FILE_AT), .n = size - FILE_AT};
    const unsigned turns = turns_of(data, size);
    struct pd_reader *r = open_image(&t, in.b, in.n);
    if (r) {
        const bool clean = is_clean(in.b, in.n) && is_clean_within(in.b, in.n);
        pd_reader_close(r);
        if (turns & 0x0f)
            check_convert(&t, &in, data, clean, turns);
        if (turns & 0xf8)
            check_filter(&t, &in, data + 2, clean, turns);
        if (turns & 0x10)
            check_index(&t, &in, data + 4);
        if (clean && turns & 0x40)
            check_changes(&t, &in, data);
    }
    CHECK(t.heap.blocks == 0 && t.heap.bytes == 0);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    return mutate_file_behind(FILE_AT, data, size, max, seed);
}
