/* SPDX-License-Identifier: MIT */
/*
 * operations.h - what holds of each operation for any recording: fuzz_ops.c calls it with inputs of the
 * fuzzer, tests/property/operations.c with recordings made at random. A property that does not hold aborts.
 *
 * Of any input: memory is freed, an error has its code and field, an operation that comes to its end has
 * told the damage that `check` names, and what it writes it writes again, also with workers; `repair` has
 * kept what it does not say is lost. Of an input in which `check` finds nothing: so is the output, and what
 * each operation promises besides.
 */
#ifndef PERFDATA_FUZZ_OPERATIONS_H
#define PERFDATA_FUZZ_OPERATIONS_H

#define XXH_STATIC_LINKING_ONLY /* for XXH3_state_t, on the stack */
#include "../../fuzz/harness.h"
#include "archive.h"
#include "content/contents.h"
#include "crew.h"
#include "index_stamp.h"
#include "kept.h"
#include "memory_read.h"
#include "recording.h"
#include "content/secrets.h"
#include "src/support/limits.h"
#include "src/codec/record_role.h"
#include "src/session/record_words.h"
#include "src/schema/schema.h"
#include "src/support/wire.h"
#include "ops/repair/headless.h"
#include <errno.h>
#include <perfdata/ops/difference.h>
#include <perfdata/ops/export.h>
#include <perfdata/ops/expression.h>
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
#include <perfdata/session/fields.h>
#include <perfdata/session/tasks.h>

#define OPERATION_OPTIONS 8 /* bytes that choose an operation and its options */
#define OPERATION_MOST ((size_t)4 << 20)
#define OPERATION_PIECES 100
#define OPERATION_INPUTS 3
#define OPERATION_TYPES 256
#define OPERATION_FEATURES 257 /* the last one of all others, as docs/HASH.md has it */

enum operation {
    OPERATION_SORT,
    OPERATION_MERGE,
    OPERATION_SPLIT,
    OPERATION_REDACT,
    OPERATION_REPAIR,
    OPERATION_COMPARE,
    OPERATION_EDIT,
    OPERATION_GEN,
    OPERATION_FILTER,
    OPERATION_DIRECTORY,
    OPERATION_N
};

/* THRICE: with names, of which any will do, and a predicate. LIVE: from what cannot seek. */
enum operation_filter_way { FILTER_PLAIN, FILTER_THRICE, FILTER_LIVE };

#define OPERATION_FOLDERS 16

/* A directory that holds what an archive says. */
struct operation_folder {
    const struct image *of;
    char path[ARCHIVE_PATH];
};

/* One input, or one after another; `o` are OPERATION_OPTIONS bytes. */
struct operations {
    struct heap heap;
    struct pd_allocator allocator;
    const uint8_t *o;
    unsigned turns; /* of the checks that go through all of it again (harness.h) */
    struct told damage[OPERATION_INPUTS], told[OPERATION_INPUTS]; /* by `check`; by the operation */
    uint64_t dropped;               /* samples that are told to be left out, perhaps with other records */
    uint64_t duplicates;            /* records that merge left out, as they were there */
    bool noted[OPERATION_FEATURES]; /* merge says that it could not unite them, or left some out */
    struct image *pieces;
    size_t n_pieces;
    struct pd_pieces_stats split;
    struct pd_sort_stats sort;
    struct lost lost; /* of repair, and where the data is that it read */
    struct pd_repair_stats repair;
    struct pd_file_info repaired;
    struct image *joined; /* of repair with another recording: its head, and behind it the input */
    struct pd_filter_stats filter;
    enum operation_filter_way filter_way;
    uint64_t notes;            /* of convert and edit: what does not come along */
    bool secrets;              /* of redact, asked for */
    bool gone[256];            /* types of records of which redact says that some do not come along */
    struct image *differences; /* of cmp */
    struct operation_folder folders[OPERATION_FOLDERS];
    size_t n_folders;
    struct archive_out made;            /* a directory that is written */
    enum pd_convert_order folder_order; /* its byte order */
    struct pi_rng rng;
    struct crew crew;
    struct pd_workers workers; /* `n` of 0: none */
};

/* ---- Inputs and outputs */

/* Of bytes, or of a stream that cannot seek. */
struct operation_source {
    const struct image *im;
    size_t at;
};

static inline int64_t operation_read(void *user, uint64_t offset, void *buf, size_t n)
{
    struct operation_source *s = user;
    CHECK(offset == s->at);
    n = n < s->im->n - s->at ? n : s->im->n - s->at;
    if (n)
        memcpy(buf, s->im->b + s->at, n);
    s->at += n;
    return (int64_t)n;
}

static inline const char *operation_folder(const struct operations *t, const struct image *in)
{
    for (size_t i = 0; i < t->n_folders; i++)
        if (t->folders[i].of == in)
            return t->folders[i].path;
    return NULL;
}

/* From now on it is read as the directory that it says. */
static inline void operation_unpack(struct operations *t, const struct image *in)
{
    struct operation_folder *f = &t->folders[t->n_folders++];
    CHECK(t->n_folders <= OPERATION_FOLDERS);
    f->of = in;
    archive_unpack(in->b, in->n, f->path);
}

static inline struct pd_reader *operation_open(struct operations *t, const struct image *in)
{
    const struct pd_reader_options options = {.size = sizeof options,
                                              .allocator = &t->allocator,
                                              .max_inflate = INFLATE_MOST,
                                              .probe = true,
                                              .workers = t->workers.n ? &t->workers : NULL};
    const char *const folder = operation_folder(t, in);
    struct pd_reader *r = NULL;
    struct pd_error error;
    const enum pd_code code = folder ? pd_reader_open(&r, folder, &options, &error)
                                     : pd_reader_open_memory(&r, in->b, in->n, &options, &error);
    if (folder && code == PD_EMISSING) /* "data", so there is no place in it */
        CHECK(error.code == code && error.field && error.offset == PD_NOWHERE);
    else if (code)
        check_error(&error, code, in->n);
    return r;
}

static inline enum pd_container operation_container(struct operations *t, const struct image *in)
{
    struct pd_reader *r = operation_open(t, in);
    CHECK(r);
    const enum pd_container container = pd_reader_info(r)->container;
    pd_reader_close(r);
    return container;
}

/* Of what was written, or is known to open. */
static inline struct pd_reader *operation_reopen(struct operations *t, const struct image *in)
{
    struct pd_reader *r = operation_open(t, in);
    CHECK(r);
    return r;
}

static inline int operation_append(void *user, const void *bytes, size_t n)
{
    const struct image *im = user;
    return n > OPERATION_MOST - im->n ? ENOSPC : image_append(user, bytes, n);
}

static inline struct pd_sink operation_sink(struct image *out)
{
    *out = (struct image){0};
    return (struct pd_sink){.write = operation_append, .patch = image_patch, .user = out};
}

/* Of an input of several; those of more pieces are not asked for. */
static inline void operation_finding_of(void *user, size_t input, const struct pd_error *error)
{
    struct operations *t = user;
    struct told other = {0};
    CHECK(input < OPERATION_PIECES);
    told_add(input < OPERATION_INPUTS ? &t->told[input] : &other, error);
}

static inline void operation_finding(void *user, const struct pd_error *error)
{
    operation_finding_of(user, 0, error);
}

static inline bool operation_same(const struct image *a, const struct image *b)
{
    return a->n == b->n && (a->n == 0 || memcmp(a->b, b->b, a->n) == 0);
}

/* What every operation leaves: nothing, and a reason. */
static inline enum pd_code operation_end(struct operations *t, struct pd_reader *r, enum pd_code code,
                                         const struct pd_error *error)
{
    if (code)
        CHECK(error->code == code && code != PD_ENOMEM && code != PD_END);
    if (code) /* an output that has no room left has none */
        CHECK(code == PD_EOUT ? error->found != 0 : error->field != NULL);
    if (r)
        told_add_findings(&t->told[0], r);
    pd_reader_close(r);
    CHECK(t->heap.blocks == 0 && t->heap.bytes == 0);
    return code;
}

/* ---- Directories as outputs */

static inline int operation_open_member(void *user, const char *name, unsigned mode, struct pd_sink *sink)
{
    struct operations *t = user;
    return archive_open_member(&t->made, name, mode, sink);
}

/* What was written is read as a directory if all went well; else each file may have more, or less. */
static inline void operation_gather(struct operations *t, struct image *out, bool written)
{
    archive_gather(&t->made, out);
    if (written)
        operation_unpack(t, out);
    else
        out->n = 0;
}

/* ---- What `check` says of a recording */

static inline bool operation_clean(struct operations *t, const struct image *in)
{
    struct pd_reader *r = operation_open(t, in);
    bool clean = r && is_clean_reader(r);
    pd_reader_close(r);
    if (clean) {
        r = operation_reopen(t, in);
        clean = is_clean_within_reader(r);
        pd_reader_close(r);
    }
    return clean;
}

static inline bool operation_is_damaged(struct operations *t, const struct image *in)
{
    struct told told;
    struct pd_reader *r = operation_reopen(t, in);
    told_by_check(&told, r);
    pd_reader_close(r);
    return told.n != 0;
}

/* ---- What holds of each */

/* Reads n inputs, and writes one output, or what there is of it. */
typedef enum pd_code operation_way(struct operations *t, const struct image *in, size_t n, struct image *out);

/* What is written up to an error may be more or less. */
static inline bool operation_same_again(const struct image *out, const struct image *again, enum pd_code code)
{
    const size_t least = out->n < again->n ? out->n : again->n;
    return code == PD_OK ? operation_same(out, again) : least == 0 || memcmp(out->b, again->b, least) == 0;
}

/* The same bytes come out again, also with workers. */
static inline void operation_again(struct operations *t, operation_way *way, const struct image *in, size_t n,
                                   const struct image *out, enum pd_code code)
{
    struct image again;
    const size_t folders = t->n_folders;
    t->rng = (struct pi_rng){t->o[1] + 1u};
    t->crew = (struct crew){.rng = &t->rng};
    t->workers = crew_workers(&t->crew);
    CHECK(way(t, in, n, &again) == code);
    CHECK(operation_same_again(out, &again, code));
    t->workers.n = 0;
    image_free(&again);
    while (t->n_folders > folders)
        archive_remove(t->folders[--t->n_folders].path);
}

/* What is written once is written again. */
static inline enum pd_code operation_twice(struct operations *t, operation_way *way, const struct image *in,
                                           size_t n, struct image *out)
{
    memset(t->told, 0, sizeof t->told);
    const enum pd_code code = way(t, in, n, out);
    if (t->turns & 1) {
        struct told told[OPERATION_INPUTS];
        memcpy(told, t->told, sizeof told);
        operation_again(t, way, in, n, out, code);
        memcpy(t->told, told, sizeof told);
    }
    return code;
}

/* ---- Which damage is told */

static operation_way operation_merge, operation_cmp, operation_filter;

/* A record that can be framed and not decoded. */
static inline bool operation_left_out(struct operations *t, const struct image *in, size_t i,
                                      const struct told_place *place)
{
    struct told undecodable;
    struct pd_reader *r = operation_reopen(t, in);
    (void)i;
    told_by_decoding(&undecodable, r);
    pd_reader_close(r);
    return told_has(&undecodable, place);
}

static inline bool operation_overlaps(struct operations *t, const struct image *in, size_t i,
                                      const struct told_place *place)
{
    bool overlaps = t->damage[i].n > TOLD_PLACES;
    (void)in, (void)place;
    for (size_t k = 0; k < t->damage[i].n && k < TOLD_PLACES; k++)
        overlaps = overlaps || strstr(t->damage[i].at[k].field, "inside another one");
    return overlaps;
}

static inline bool operation_too_large(struct operations *t, const struct image *in, size_t i,
                                       const struct told_place *place)
{
    (void)t, (void)in, (void)i;
    return place->code == PD_ELIMIT;
}

/* A record that merge has no way to write; or the damage of one whose place in the input is not known. */
static inline bool operation_cannot_merge(struct operations *t, const struct image *in, size_t i,
                                          const struct told_place *place)
{
    static const char *const why[] = {"no event of its input has its id", "too large to be moved",
                                      "its input has no attr", "its layout is not known",
                                      "which event it is of is not known"};
    bool cannot = place->offset == PD_NOWHERE && t->damage[i].n;
    (void)in;
    for (size_t k = 0; k < sizeof why / sizeof *why; k++)
        cannot = cannot || strstr(place->field, why[k]);
    return cannot;
}

/*
 * What an operation does not tell of the damage that `check` names, or tells besides, and why;
 * agree.exceptions of tests/cli/damage says it of the command.
 */
static const struct operation_exception {
    operation_way *way; /* NULL: each */
    bool besides;
    bool (*covers)(struct operations *t, const struct image *in, size_t i, const struct told_place *place);
    const char *why;
} operation_exceptions[] = {
    {operation_filter, false, operation_left_out, "records that are left out are not decoded"},
    {operation_merge, true, operation_cannot_merge,
     "what cannot be among the records of others is told, too"},
    {operation_cmp, true, operation_too_large, "a feature that takes too much memory is not compared"},
    {NULL, true, operation_overlaps, "`check` does not look into data that begins inside another section"},
};

static inline bool operation_excepts(struct operations *t, operation_way *way, const struct image *in,
                                     size_t i, const struct told_place *place, bool besides)
{
    for (size_t k = 0; k < sizeof operation_exceptions / sizeof *operation_exceptions; k++) {
        const struct operation_exception *const e = &operation_exceptions[k];
        if ((e->way == NULL || e->way == way) && e->besides == besides && e->covers(t, in, i, place))
            return true;
    }
    fprintf(stderr, "%s: file %u, offset %llu: %s\n", besides ? "told besides" : "not told",
            (unsigned)place->member, (unsigned long long)place->offset, place->field);
    return false;
}

static inline bool operation_of_damage(const struct operations *t)
{
    bool damaged = false;
    for (size_t i = 0; i < OPERATION_INPUTS; i++)
        damaged = damaged || t->damage[i].n;
    return damaged;
}

/* Not for damage, where there is none: a form, a limit or an option is the reason. */
static inline bool operation_may_refuse(const struct operations *t, enum pd_code code)
{
    switch (code) {
    case PD_EUNSUP:
    case PD_ELIMIT:
    case PD_EOPAQUE:
    case PD_EATTRS:
    case PD_ETIME:
    case PD_EOUT: return true;
    default: return operation_of_damage(t);
    }
}

/* How often each came to its end: repair with any inputs, the others with inputs without damage. */
static uint64_t operation_done[OPERATION_N];

/*
 * The damage of each input that `check` names is told by an operation that comes to its end, and nothing else
 * is.
 */
static inline enum pd_code operation_do(struct operations *t, operation_way *way, const struct image *in,
                                        size_t n, struct image *out)
{
    const enum pd_code code = operation_twice(t, way, in, n, out);
    CHECK(!code || operation_may_refuse(t, code));
    operation_done[t->o[0] % OPERATION_N] += !code && !operation_of_damage(t);
    for (size_t i = 0; i < n && !code; i++) {
        const struct told *const damage = &t->damage[i], told = t->told[i];
        for (size_t k = 0; k < damage->n && k < TOLD_PLACES; k++)
            CHECK(told_has(&told, &damage->at[k]) ||
                  operation_excepts(t, way, in + i, i, &damage->at[k], false));
        for (size_t k = 0; k < told.n && k < TOLD_PLACES; k++)
            CHECK(told_has(damage, &told.at[k]) || operation_excepts(t, way, in + i, i, &told.at[k], true));
    }
    return code;
}

/* What was made of recordings without damage, or of those of which none was told, has none. */
static inline void operation_passes(struct operations *t, const struct image *out, size_t n, bool clean)
{
    bool told = false;
    for (size_t i = 0; i < n; i++)
        told = told || t->told[i].n;
    CHECK(!clean || operation_clean(t, out));
    CHECK(clean || told || !operation_is_damaged(t, out));
}

static inline struct pd_hash operation_hash(struct operations *t, const struct image *in)
{
    const struct pd_hash_options options = {
        .size = sizeof options, .allocator = &t->allocator, .finding = operation_finding, .user = t};
    struct pd_reader *r = operation_reopen(t, in);
    struct pd_hash hash = {{0}};
    struct pd_error error;
    CHECK(operation_end(t, r, pd_hash_recording(r, &options, &hash, &error), &error) == PD_OK);
    return hash;
}

static inline bool operation_hash_same(struct operations *t, const struct image *a, const struct image *b)
{
    const struct pd_hash first = operation_hash(t, a), second = operation_hash(t, b);
    return memcmp(&first, &second, sizeof first) == 0;
}

static inline uint64_t operation_differences(struct operations *t, const struct image *a,
                                             const struct image *b, unsigned ignore)
{
    const struct pd_differences_options options = {
        .size = sizeof options, .allocator = &t->allocator, .ignore = ignore};
    struct pd_reader *first = operation_reopen(t, a), *second = operation_reopen(t, b);
    struct pd_error error;
    uint64_t n = 0;
    const enum pd_code code = pd_differences(first, second, &options, &n, &error);
    pd_reader_close(first);
    CHECK(operation_end(t, second, code, &error) == PD_OK);
    return n;
}

/* A number that follows from what the samples of a recording have, in order: their times, their ips. */
static inline uint64_t operation_trace(struct operations *t, const struct image *in, bool times, bool ips)
{
    struct pd_reader *r = operation_reopen(t, in);
    struct pd_record rec = {0};
    uint64_t h = 0;
    while (pd_reader_next(r, &rec, NULL) == PD_OK)
        if (rec.type == PD_RECORD_SAMPLE && pd_reader_decode(r, &rec, NULL) == PD_OK)
            h = (h ^ (times ? rec.u.sample.time : 0) ^ (ips ? rec.u.sample.ip << 1 : 0)) *
                UINT64_C(0x9e3779b97f4a7c15);
    pd_reader_close(r);
    return h;
}

/* The samples of a recording, compressed or not. */
static inline uint64_t operation_samples(struct operations *t, const struct image *in)
{
    struct pd_reader *r = operation_reopen(t, in);
    struct pd_record rec = {0};
    uint64_t n = 0;
    while (pd_reader_next(r, &rec, NULL) == PD_OK)
        n += rec.type == PD_RECORD_SAMPLE;
    pd_reader_close(r);
    return n;
}

/* The records that happened as often as they are there: no two pieces have one. */
static inline uint64_t operation_events(struct operations *t, const struct image *in)
{
    struct pd_reader *r = operation_reopen(t, in);
    struct pd_record rec = {0};
    uint64_t n = 0;
    while (pd_reader_next(r, &rec, NULL) == PD_OK)
        n += pi_traits_of(rec.type)->copies == PI_COPIES_EVENT && pi_serves_of(&rec) == PI_SERVES_CONTENT;
    pd_reader_close(r);
    return n;
}

/* ---- convert */

/* What is not a directory. */
static inline enum pd_convert_to operation_to(const struct operations *t, const struct image *in)
{
    return operation_folder(t, in) ? PD_CONVERT_FILE : PD_CONVERT_SAME;
}

static inline void operation_convert_note(void *user, const struct pd_convert_note *note)
{
    struct operations *t = user;
    t->notes += !note->left;
}

static inline enum pd_code operation_convert(struct operations *t, const struct image *in, struct image *out,
                                             struct pd_convert_options options)
{
    const struct pd_sink sink = operation_sink(out);
    struct pd_reader *r = operation_reopen(t, in);
    struct pd_error error;
    options.size = sizeof options;
    if (options.to == PD_CONVERT_SAME)
        options.to = operation_to(t, in);
    options.allocator = &t->allocator;
    options.finding = operation_finding;
    options.note = operation_convert_note;
    options.user = t;
    t->notes = 0;
    return operation_end(t, r, pd_convert(r, &sink, &options, NULL, &error), &error);
}

/* ---- sort */

static inline enum pd_code operation_sort(struct operations *t, const struct image *in, size_t n,
                                          struct image *out)
{
    (void)n;
    const struct pd_sort_options options = {.size = sizeof options,
                                            .allocator = &t->allocator,
                                            .memory = t->o[1] & 1 ? 1 : 0,
                                            .zip = (enum pd_convert_zip)(t->o[1] >> 1 & 3),
                                            .finding = operation_finding,
                                            .user = t};
    const struct pd_sink sink = operation_sink(out);
    struct pd_reader *r = operation_reopen(t, in);
    struct pd_error error;
    return operation_end(t, r, pd_sort(r, &sink, &options, &t->sort, &error), &error);
}

/* How many records perf processes; ends of rounds are none. `in_place`: in the order in which they stand. */
static inline uint64_t operation_processed(struct operations *t, const struct image *in, bool in_place)
{
    const struct pd_sorter_options how = {
        .size = sizeof how, .allocator = &t->allocator, .kind = PD_SORT_TIME};
    struct pd_reader *r = operation_reopen(t, in);
    struct pd_record rec = {0};
    struct pd_sorter *s;
    uint64_t n = 0, last = 0;
    CHECK(pd_sorter_open(&s, r, &how, NULL) == PD_OK);
    while (pd_sorter_next(s, &rec, NULL) == PD_OK) {
        if (pi_is_wrapper(&rec) || (rec.type == PD_RECORD_FINISHED_ROUND && !rec.old_feature))
            continue;
        CHECK(!in_place || rec.index >= last);
        last = rec.index;
        n++;
    }
    pd_sorter_close(s);
    pd_reader_close(r);
    return n;
}

/* A sum over the bytes of its records, but those of their order and of their compression. */
static inline uint64_t operation_sum(struct operations *t, const struct image *in)
{
    struct pd_reader *r = operation_reopen(t, in);
    const enum pd_order order = pd_reader_info(r)->order;
    struct pd_record rec = {0};
    uint64_t sum = 0;
    while (pd_reader_next(r, &rec, NULL) == PD_OK) {
        struct pd_bytes data;
        uint64_t id = UINT64_MAX;
        const bool feature = pi_record_feature(&rec, order, &id, &data) && id == PD_FEAT_COMPRESSED;
        if (rec.type != PD_RECORD_FINISHED_ROUND && !pi_is_wrapper(&rec) && !feature)
            sum += XXH3_64bits(rec.raw, rec.size);
    }
    pd_reader_close(r);
    return sum;
}

/* Some record of the kernel has no time: its place among files of a directory is not known (docs/HASH.md). */
static inline bool operation_lacks_time(struct operations *t, const struct image *in)
{
    struct pd_reader *r = operation_reopen(t, in);
    struct pd_record rec = {0};
    uint64_t time;
    bool lacks = false;
    while (!lacks && pd_reader_next(r, &rec, NULL) == PD_OK)
        lacks = rec.type < PD_RECORD_HEADER_ATTR && pd_reader_decode(r, &rec, NULL) == PD_OK &&
                !(pd_record_time(&rec, &time) && time);
    pd_reader_close(r);
    return lacks;
}

/* No record of the kernel has an earlier time than one before it. */
static inline void check_times(struct operations *t, const struct image *in)
{
    struct pd_reader *r = operation_reopen(t, in);
    struct pd_record rec = {0};
    uint64_t time, last = 0;
    while (pd_reader_next(r, &rec, NULL) == PD_OK)
        if (rec.type < PD_RECORD_HEADER_ATTR && pd_reader_decode(r, &rec, NULL) == PD_OK &&
            pd_record_time(&rec, &time) && pi_is_time(time)) {
            CHECK(time >= last);
            last = time;
        }
    pd_reader_close(r);
}

/* Ordered, a permutation, and nothing left to sort. */
static inline void check_sort(struct operations *t, const struct image *in, bool clean)
{
    struct image out, again;
    const enum pd_code code = operation_do(t, operation_sort, in, 1, &out);
    if (!code)
        operation_passes(t, &out, 1, clean);
    if (!code && clean) {
        const struct pd_sort_options options = {.size = sizeof options, .allocator = &t->allocator};
        struct pd_reader *r = operation_reopen(t, &out);
        struct pd_sort_stats stats = {0};
        const bool moved = t->sort.disorder.count && !operation_folder(t, in);
        CHECK(pd_sort_check(r, &options, &stats, NULL) == PD_OK && stats.disorder.count == 0);
        pd_reader_close(r);
        if (!operation_folder(t, in))
            check_times(t, &out);
        CHECK(t->sort.records == operation_processed(t, in, false));
        operation_processed(t, &out, moved);
        CHECK(operation_sum(t, in) == operation_sum(t, &out));
        CHECK(operation_hash_same(t, in, &out) || (operation_folder(t, in) && operation_lacks_time(t, in)));
        CHECK(operation_sort(t, &out, 1, &again) == PD_OK);
        CHECK(operation_same(&out, &again));
        image_free(&again);
    }
    image_free(&out);
}

/* ---- merge */

static inline void operation_merge_note(void *user, const struct pd_merge_note *note)
{
    struct operations *t = user;
    CHECK(note->input < OPERATION_PIECES && note->text);
    if (note->feature != UINT32_MAX)
        t->noted[note->feature < OPERATION_FEATURES ? note->feature : OPERATION_FEATURES - 1] = true;
}

static enum pd_code operation_merge(struct operations *t, const struct image *in, size_t n, struct image *out)
{
    const struct pd_merge_options options = {.size = sizeof options,
                                             .allocator = &t->allocator,
                                             .memory = t->o[1] & 1 ? 1 : 0,
                                             .to = t->o[1] & 2 ? PD_CONVERT_PIPE : PD_CONVERT_FILE,
                                             .zip = (enum pd_convert_zip)(t->o[1] >> 2 & 3),
                                             .append = t->o[1] & 16,
                                             .any_clock = t->o[1] & 32,
                                             .pids = (enum pd_merge_pids)((t->o[1] >> 6) % 3),
                                             .finding = operation_finding_of,
                                             .note = operation_merge_note,
                                             .user = t};
    const struct pd_sink sink = operation_sink(out);
    struct pd_reader *readers[OPERATION_PIECES] = {NULL};
    struct pd_merge_stats stats = {0};
    struct pd_error error = {0};
    size_t failed;
    CHECK(n && n <= OPERATION_PIECES);
    memset(t->noted, 0, sizeof t->noted);
    for (size_t i = 0; i < n; i++)
        readers[i] = operation_reopen(t, in + i);
    const enum pd_code code = pd_merge(readers, n, &sink, &options, &stats, &failed, &error);
    CHECK(!code || failed <= n);
    t->dropped = stats.lost;
    t->duplicates = stats.duplicates;
    for (size_t i = 1; i < n; i++) {
        if (i < OPERATION_INPUTS)
            told_add_findings(&t->told[i], readers[i]);
        pd_reader_close(readers[i]);
    }
    return operation_end(t, readers[0], code, &error);
}

/* How many records of each type tell what was recorded; those of numbers far off are one. */
static inline void operation_count(struct operations *t, const struct image *in, uint64_t n[OPERATION_TYPES])
{
    struct pd_reader *r = operation_reopen(t, in);
    struct pd_record rec = {0};
    while (pd_reader_next(r, &rec, NULL) == PD_OK)
        if (pi_serves_of(&rec) == PI_SERVES_CONTENT)
            n[rec.type < OPERATION_TYPES ? rec.type : 0]++;
    pd_reader_close(r);
}

/* No record is made, and of those that are not written merge says that they were there, or cannot be. */
static inline void check_merge_records(struct operations *t, const struct image *in, size_t n,
                                       const struct image *out)
{
    uint64_t read[OPERATION_TYPES] = {0}, written[OPERATION_TYPES] = {0}, missing = 0;
    for (size_t i = 0; i < n; i++)
        operation_count(t, in + i, read);
    operation_count(t, out, written);
    CHECK(read[PD_RECORD_SAMPLE] - written[PD_RECORD_SAMPLE] <= t->dropped);
    for (size_t i = 0; i < OPERATION_TYPES; i++) {
        CHECK(written[i] <= read[i]);
        missing += read[i] - written[i];
    }
    CHECK(missing <= t->dropped + t->duplicates);
}

/* No record is lost without a word, or made. */
static inline void check_merge(struct operations *t, const struct image *in, size_t n, bool clean)
{
    struct image out;
    const enum pd_code code = operation_do(t, operation_merge, in, n, &out);
    if (!code)
        operation_passes(t, &out, n, clean);
    if (!code && clean)
        check_merge_records(t, in, n, &out);
    image_free(&out);
}

/* ---- split */

/*
 * Merged again, the pieces of a recording have the content of the whole, as merge writes that, and so does
 * this of the recording itself: all attrs, features and records, each as often as it is there, and in order.
 */

/* Its records, in order of time. */
static inline struct contents operation_contents(struct operations *t, const struct image *in)
{
    struct contents c;
    struct pd_reader *r = operation_reopen(t, in);
    contents_read(&c, r, &t->allocator);
    pd_reader_close(r);
    contents_sort(&c, content_by_time);
    return c;
}

/* Which records are in the same order: those with a time alone, or also those without. */
enum operation_order { ORDER_UNKNOWN, ORDER_OF_TIMED, ORDER_OF_ALL };

/* The hashes of features by number, and behind them that of the attrs. */
struct operation_parts {
    struct pd_hash at[OPERATION_FEATURES + 1];
};

#define OPERATION_ATTRS OPERATION_FEATURES

static inline void operation_take_part(void *user, const struct pd_hash_part *part)
{
    struct operation_parts *parts = user;
    CHECK(part->feature < OPERATION_FEATURES);
    if (part->kind != PD_HASH_RECORDS)
        parts->at[part->kind == PD_HASH_ATTRS ? OPERATION_ATTRS : part->feature] = part->hash;
}

static inline void operation_take_parts(struct operations *t, const struct image *in,
                                        struct operation_parts *parts)
{
    const struct pd_hash_options options = {
        .size = sizeof options, .allocator = &t->allocator, .part = operation_take_part, .user = parts};
    struct pd_reader *r = operation_reopen(t, in);
    struct pd_hash hash;
    struct pd_error error;
    memset(parts, 0, sizeof *parts);
    CHECK(operation_end(t, r, pd_hash_recording(r, &options, &hash, &error), &error) == PD_OK);
}

/* What merge knows a build id by: the file that it is of. */
static inline void operation_put_identity(struct pd_reader *r, struct pd_record *rec, struct image *out)
{
    out->n = 0;
    if (pd_reader_decode(r, rec, NULL) == PD_OK) {
        const struct pd_str *const name = &rec->u.header_build_id.file.filename;
        image_u16(out, rec->misc & PD_MISC_CPUMODE);
        image_bytes(out, name->ptr, name->len);
    }
}

static inline bool operation_has_twin_ids(struct operations *t, const struct image *in, uint64_t part)
{
    struct pd_reader *r = part == PD_FEAT_BUILD_ID ? operation_reopen(t, in) : NULL;
    struct pd_record rec = {0};
    struct image all = {0}, one = {0};
    bool twins = false;
    while (r && !twins && pd_reader_next(r, &rec, NULL) == PD_OK) {
        if (rec.type != PD_RECORD_HEADER_BUILD_ID)
            continue;
        operation_put_identity(r, &rec, &one);
        for (size_t at = 0, n; !twins && at < all.n; at += 2 + n) {
            n = pi_load16(all.b + at, PD_LITTLE);
            twins = n == one.n && memcmp(all.b + at + 2, one.b, n) == 0;
        }
        image_u16(&all, (unsigned)one.n);
        image_bytes(&all, one.b, one.n);
    }
    pd_reader_close(r);
    image_free(&all);
    image_free(&one);
    return twins;
}

/* With all attrs of a stream. */
static inline struct pd_reader *operation_reopen_read(struct operations *t, const struct image *in)
{
    struct pd_reader *r = operation_reopen(t, in);
    while (pd_reader_next(r, &(struct pd_record){0}, NULL) == PD_OK)
        ;
    return r;
}

static inline bool operation_lists_twice(struct operations *t, const struct image *in, uint64_t part)
{
    struct pd_reader *r = part == OPERATION_ATTRS ? operation_reopen_read(t, in) : NULL;
    bool twice = false;
    for (size_t i = 0; r && i < pd_reader_n_attrs(r); i++) {
        const struct pd_event_attr *const event = pd_reader_attr(r, i);
        for (size_t k = 1; k < event->n_ids; k++)
            for (size_t l = 0; l < k; l++)
                twice |= event->ids[k] == event->ids[l];
    }
    pd_reader_close(r);
    return twice;
}

static inline bool operation_tells_times(struct operations *t, const struct image *in, uint64_t part)
{
    (void)t, (void)in;
    return part == PD_FEAT_SAMPLE_TIME;
}

static inline bool operation_tells_events(struct operations *t, const struct image *in, uint64_t part)
{
    (void)t, (void)in;
    return part == PD_FEAT_EVENT_DESC || part == PD_FEAT_GROUP_DESC;
}

/* Beside a piece of a stream that ends before an event, merge gives others an id, and EVENT_DESC has it. */
static inline bool operation_needs_ids(struct operations *t, const struct image *in, uint64_t part)
{
    const bool has_ids = part == OPERATION_ATTRS || part == PD_FEAT_EVENT_DESC;
    struct pd_reader *whole = has_ids ? operation_reopen_read(t, in) : NULL;
    bool all = true, fewer = false;
    for (size_t i = 0; whole && i < pd_reader_n_attrs(whole); i++)
        all &= pd_reader_attr(whole, i)->n_ids != 0;
    for (size_t i = 0; !all && i < t->n_pieces; i++) {
        struct pd_reader *piece = operation_reopen_read(t, t->pieces + i);
        fewer |= pd_reader_n_attrs(piece) < pd_reader_n_attrs(whole);
        pd_reader_close(piece);
    }
    pd_reader_close(whole);
    return fewer;
}

static inline bool operation_noted(struct operations *t, const struct image *in, uint64_t part)
{
    (void)in;
    return part < OPERATION_FEATURES && t->noted[part];
}

/* Attrs and features that merge may write otherwise than its inputs have them, and why. */
static const struct operation_other {
    bool pieces; /* also of pieces, compared with the whole as merge writes it */
    bool (*covers)(struct operations *t, const struct image *in, uint64_t part);
    const char *why;
} operation_others[] = {
    {true, operation_tells_times, "when samples were taken is known from what is there"},
    {true, operation_noted, "merge says that its inputs contradict each other, or that it left it out"},
    {true, operation_needs_ids, "merge gives an id to an event that an input has not got"},
    {true, operation_has_twin_ids, "nothing tells that two build ids of one file were there"},
    {false, operation_tells_events, "merge describes the events anew"},
    {false, operation_lists_twice, "merge lists an id of an event once"},
};

/* Attrs and features are the same; `in` is what was split. */
static inline void operation_check_parts(struct operations *t, const struct image *in,
                                         const struct image *from, const struct image *made)
{
    struct operation_parts a, b;
    operation_take_parts(t, from, &a);
    operation_take_parts(t, made, &b);
    for (uint64_t i = 0; i <= OPERATION_ATTRS; i++) {
        bool same = memcmp(&a.at[i], &b.at[i], sizeof a.at[i]) == 0;
        for (size_t k = 0; !same && k < sizeof operation_others / sizeof *operation_others; k++)
            same = (from == in || operation_others[k].pieces) && operation_others[k].covers(t, in, i);
        if (!same)
            fprintf(stderr, "part %u of the content\n", (unsigned)i);
        CHECK(same);
    }
}

/*
 * All records, each as often as it is there, but for those that merge says it left out. `order`: of which
 * the order is that of before.
 */
static inline void operation_check_records(struct contents *from, struct contents *made, uint64_t lost,
                                           enum operation_order order)
{
    contents_sort(from, content_by_hash);
    contents_sort(made, content_by_hash);
    contents_forget_twins(from);
    contents_forget_twins(made);
    CHECK(contents_missing(made, from) == 0);
    CHECK(contents_missing(from, made) <= lost);
    contents_sort(from, content_by_time);
    contents_sort(made, content_by_time);
    CHECK(lost || order == ORDER_UNKNOWN || contents_same(from, made, order == ORDER_OF_ALL));
}

static inline int operation_open_piece(void *user, const struct pd_piece *piece, struct pd_sink *sink)
{
    struct operations *t = user;
    CHECK(piece->number == t->n_pieces);
    if (t->n_pieces == OPERATION_PIECES)
        return ENOSPC;
    *sink = operation_sink(&t->pieces[t->n_pieces++]);
    return 0;
}

static inline int operation_close_piece(void *user, const struct pd_piece *piece, struct pd_sink *sink)
{
    struct operations *t = user;
    CHECK(piece->number < t->n_pieces && sink->user == t->pieces + piece->number);
    return 0;
}

static inline void operation_free_pieces(struct operations *t)
{
    while (t->n_pieces)
        image_free(&t->pieces[--t->n_pieces]);
}

static inline enum pd_pieces_by operation_cuts_by(const uint8_t *o)
{
    return (enum pd_pieces_by)(o[2] % (PD_PIECES_CGROUP + 1));
}

/* The pieces, one after another, each behind its size. */
static inline enum pd_code operation_split(struct operations *t, const struct image *in, size_t n,
                                           struct image *out)
{
    static struct image pieces[OPERATION_PIECES];
    const struct pd_pieces_options options = {.size = sizeof options,
                                              .at_once = t->o[3] % 2 ? PI_LIMIT_PIECES_AT_ONCE : 0,
                                              .allocator = &t->allocator,
                                              .by = operation_cuts_by(t->o),
                                              .amount = 1 + t->o[3] * (uint64_t)(1 + t->o[4]),
                                              .zip = (enum pd_convert_zip)(t->o[2] >> 6),
                                              .memory = t->o[5] & 1 ? 1 : 0,
                                              .open = operation_open_piece,
                                              .close = operation_close_piece,
                                              .finding = operation_finding,
                                              .user = t};
    struct pd_reader *r = operation_reopen(t, in);
    struct pd_error error;
    (void)n;
    operation_free_pieces(t);
    t->pieces = pieces;
    *out = (struct image){0};
    const enum pd_code code = operation_end(t, r, pd_pieces(r, &options, &t->split, &error), &error);
    for (size_t i = 0; i < t->n_pieces; i++) {
        image_u64(out, pieces[i].n);
        image_bytes(out, pieces[i].b, pieces[i].n);
    }
    return code;
}

/* Merge adds IDENTIFIER, and with it changes records, where some piece of a stream ends before an event. */
static inline bool operation_identifies(struct operations *t, const struct image *whole,
                                        const struct image *parts)
{
    struct pd_reader *a = operation_reopen(t, whole), *b = operation_reopen(t, parts);
    size_t more = 0;
    for (size_t i = 0; i < pd_reader_n_attrs(b); i++)
        more += pd_reader_attr(b, i)->attr.sample_type & PD_SAMPLE_IDENTIFIER ? 1 : 0;
    for (size_t i = 0; i < pd_reader_n_attrs(a); i++)
        more -= pd_reader_attr(a, i)->attr.sample_type & PD_SAMPLE_IDENTIFIER ? 1 : 0;
    pd_reader_close(a);
    pd_reader_close(b);
    return more != 0;
}

/* The order of the records in each piece is theirs in what is made of the pieces. */
static inline void check_split_orders(struct operations *t, const struct contents *parts)
{
    for (size_t i = 0; i < t->n_pieces; i++) {
        struct contents piece = operation_contents(t, t->pieces + i);
        CHECK(contents_among(&piece, parts));
        contents_free(&piece);
    }
}

/*
 * What is made of the pieces has the content of the whole. Cut by count, size or time, they follow each
 * other, and so do all records with a time; else that is known of those that have other times or are in one
 * piece.
 */
static inline void check_split_parts(struct operations *t, const struct image *in, const struct image *whole,
                                     const struct image *parts, bool follow)
{
    const uint64_t lost = t->dropped;
    struct contents before = operation_contents(t, whole), after = operation_contents(t, parts);
    if (!follow) { /* what a counter had counted before depends on which of two samples comes first */
        contents_forget_counts(&before);
        contents_forget_counts(&after);
    }
    operation_check_records(&before, &after, lost, follow ? ORDER_OF_TIMED : ORDER_UNKNOWN);
    if (lost == 0) {
        operation_check_parts(t, in, whole, parts);
        check_split_orders(t, &after);
    }
    contents_free(&before);
    contents_free(&after);
}

/* Merge has what the recording has, and of the pieces what it has of the whole. */
static inline void check_split_whole(struct operations *t, const struct image *in)
{
    static const uint8_t merging[OPERATION_OPTIONS];
    const uint8_t *const own = t->o;
    const bool follow = operation_cuts_by(own) < PD_PIECES_CPU;
    struct image whole, parts = {0};
    t->o = merging;
    const enum pd_code merged = operation_merge(t, in, 1, &whole);
    if (!merged) {
        struct contents before = operation_contents(t, in), after = operation_contents(t, &whole);
        operation_check_records(&before, &after, t->dropped,
                                operation_folder(t, in) ? ORDER_OF_TIMED : ORDER_OF_ALL); /* docs/HASH.md */
        contents_free(&before);
        contents_free(&after);
        if (t->dropped == 0)
            operation_check_parts(t, in, in, &whole);
    }
    if (!merged && t->n_pieces && operation_merge(t, t->pieces, t->n_pieces, &parts) == PD_OK) {
        CHECK(operation_samples(t, &parts) + t->dropped >= operation_samples(t, &whole));
        if (!operation_identifies(t, &whole, &parts))
            check_split_parts(t, in, &whole, &parts, follow);
    }
    image_free(&parts);
    image_free(&whole);
    t->o = own;
}

/* Each sample is in one piece, and each piece is a recording. */
static inline void check_split(struct operations *t, const struct image *in, bool clean)
{
    struct image all;
    uint64_t samples = 0, events = 0;
    const enum pd_code code = operation_do(t, operation_split, in, 1, &all);
    image_free(&all);
    for (size_t i = 0; !code && i < t->n_pieces; i++)
        operation_passes(t, t->pieces + i, 1, clean);
    for (size_t i = 0; !code && clean && i < t->n_pieces; i++) {
        samples += operation_samples(t, t->pieces + i);
        events += operation_events(t, t->pieces + i);
    }
    if (!code && clean) {
        CHECK(events == operation_events(t, in));
        CHECK(t->split.pieces == t->n_pieces && samples == t->split.samples);
        CHECK(samples == operation_samples(t, in));
        check_split_whole(t, in);
    }
    operation_free_pieces(t);
}

/* ---- redact */

/* A walk over all fields of a recording, of records that tell what was recorded or of all. */
static inline void operation_identify(struct operations *t, const struct image *in, bool all,
                                      identified_take *take, void *user, const struct pd_record **rec)
{
    struct pi_identities ids;
    struct pd_record one = {0};
    struct pd_reader *r = operation_reopen(t, in);
    CHECK(pi_identities_open(&ids, &t->allocator));
    const struct identified id = {&ids, take, user};
    if (all)
        identified_head(&id, r);
    *rec = &one;
    while (pd_reader_next(r, &one, NULL) == PD_OK)
        if (all || pi_serves_of(&one) == PI_SERVES_CONTENT)
            identified_record(&id, r, &one);
    *rec = NULL;
    pi_identities_close(&ids);
    pd_reader_close(r);
}

struct operation_leaks {
    struct pd_reader *reader;
    size_t n;
};

/* What stands in no field: between sections, in a record that cannot be decoded, or in AUX data. */
static inline void operation_leak(void *user, const struct pd_leak *leak)
{
    struct operation_leaks *leaks = user;
    if (leak->rec == NULL) {
        leaks->n += strcmp(leak->section, "gap") == 0 || strcmp(leak->section, "overlap") == 0;
        return;
    }
    struct pd_record rec = *leak->rec;
    leaks->n += rec.type == PD_RECORD_AUXTRACE || pd_reader_decode(leaks->reader, &rec, NULL) != PD_OK;
}

/* All bytes of the output, also those that no field has. */
static inline void operation_search(struct operations *t, const struct secrets *s, const struct image *out)
{
    struct pd_bytes *const strings = calloc(s->n + 1, sizeof *strings);
    struct operation_leaks leaks = {.reader = operation_reopen(t, out)};
    size_t n = 0;
    CHECK(strings);
    for (size_t i = 0; i < s->n; i++)
        if (s->at[i].n >= SECRET_LEAST)
            strings[n++] = (struct pd_bytes){s->at[i].ptr, s->at[i].n};
    if (n)
        CHECK(pd_redact_prove(leaks.reader, strings, n, operation_leak, &leaks, NULL) == PD_OK);
    CHECK(leaks.n == 0);
    pd_reader_close(leaks.reader);
    free(strings);
}

/* What two names, pids, inodes or build ids are replaced by is not the same; paths are made of names. */
static inline void operation_replaced(void *user, const struct pd_redacted *what)
{
    struct image *const seen = user;
    CHECK(what->kind && what->original && what->n && what->replacement);
    const uint64_t hash =
        XXH3_64bits_withSeed(what->replacement, strlen(what->replacement), (uint64_t)*what->kind);
    if (strcmp(what->kind, "path") == 0 || strcmp(what->kind, "addr") == 0 || seen->n > 2048)
        return;
    for (size_t i = 0; i < seen->n; i += 8)
        CHECK(pi_load64(seen->b + i, PD_LITTLE) != hash);
    image_u64(seen, hash);
}

/* No string that identifies is left of the input, as the options have it. */
static inline void check_redact_secrets(struct operations *t, const struct image *in, const struct image *out,
                                        const struct pd_redaction *redaction,
                                        const struct pd_redact_options *how)
{
    struct secrets s = {.how = how, .redaction = redaction};
    struct secrets_left left = {.s = &s};
    struct image seen = {0};
    const struct pd_record *rec;
    pd_redaction_map(redaction, operation_replaced, &seen);
    image_free(&seen);
    operation_identify(t, in, true, secrets_take, &s, &s.rec);
    secrets_settle(&s);
    operation_identify(t, out, true, secrets_look, &left, &rec);
    secrets_search(&s, &left.all);
    operation_search(t, &s, out);
    image_free(&left.all);
    secrets_free(&s);
}

/* A place for a type of records; those of simpleperf are from 32768 on. */
static inline size_t operation_type(uint64_t type)
{
    return (size_t)(type < 128 ? type : 128 + type % 128);
}

static inline void operation_note(void *user, const struct pd_convert_note *note)
{
    struct operations *t = user;
    CHECK(note->why);
    if (note->what != PD_NOTED_RECORDS || note->left)
        return;
    t->dropped += note->number == PD_RECORD_SAMPLE ? note->count : 0;
    t->gone[operation_type(note->number)] = true;
}

static inline enum pd_redact_how operation_how(const struct operations *t, unsigned i)
{
    const unsigned bit = t->o[2 + i / 8] >> i % 8 & 1;
    return bit ? PD_REDACT_DROP : PD_REDACT_HASH;
}

static inline enum pd_code operation_redact(struct operations *t, const struct image *in, size_t n,
                                            struct image *out)
{
    static const uint8_t key[16] = "of sixteen byte";
    const struct pd_bytes word = {(const uint8_t *)"perf", 4}, pattern = {(const uint8_t *)"/usr/*", 6};
    const bool keep = t->o[7] & 1;
    const struct pd_redact_options how = {.size = sizeof how,
                                          .allocator = &t->allocator,
                                          .hostname = operation_how(t, 0),
                                          .cmdline = operation_how(t, 1),
                                          .paths = operation_how(t, 2),
                                          .comms = operation_how(t, 3),
                                          .pids = t->o[1] & 1 ? PD_REDACT_HASH : PD_REDACT_KEEP,
                                          .addrs = t->o[1] & 2 ? PD_REDACT_HASH : PD_REDACT_KEEP,
                                          .times = t->o[1] & 4 ? PD_REDACT_HASH : PD_REDACT_KEEP,
                                          .build_ids = operation_how(t, 4),
                                          .payloads = operation_how(t, 5),
                                          .events = t->o[7] & 2 ? PD_REDACT_KEEP : PD_REDACT_HASH,
                                          .key = t->o[7] & 4 ? key : NULL,
                                          .key_n = t->o[7] & 4 ? sizeof key : 0,
                                          .keep = &word,
                                          .n_keep = keep,
                                          .keep_paths = &pattern,
                                          .n_keep_paths = keep,
                                          .machine = PD_REDACT_DROP,
                                          .drop_unknown = true};
    struct pd_redaction *redaction;
    CHECK(pd_redaction_open(&redaction, &how, NULL) == PD_OK);
    const struct pd_convert_options options = {.size = sizeof options,
                                               .allocator = &t->allocator,
                                               .to = operation_to(t, in),
                                               .redaction = redaction,
                                               .finding = operation_finding,
                                               .note = operation_note,
                                               .user = t};
    const struct pd_sink sink = operation_sink(out);
    struct pd_reader *r = operation_reopen(t, in);
    struct pd_error error;
    (void)n;
    t->dropped = 0;
    memset(t->gone, 0, sizeof t->gone);
    const enum pd_code code = pd_convert(r, &sink, &options, NULL, &error);
    if (!code && t->secrets)
        check_redact_secrets(t, in, out, redaction, &how);
    t->secrets = false;
    pd_redaction_close(redaction);
    return operation_end(t, r, code, &error);
}

/* What redact keeps of records, by their type: a number that follows from all of it, in order. */
struct operation_kept {
    uint64_t kinds; /* of fields */
    const struct pd_record *rec;
    uint64_t of[256];
    bool user; /* in a call chain, behind the marker of a user's part */
};

static inline void operation_keep_number(struct operation_kept *k, uint64_t value)
{
    uint64_t *const h = &k->of[operation_type(k->rec->type)];
    *h = (*h ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    *h ^= *h >> 29;
}

/* Of call chains, a word of the user's part that cannot be an address is none (docs/REDACT.md). */
static inline uint64_t operation_kept_ip(struct operation_kept *k, uint64_t ip)
{
    if (ip >= PD_CONTEXT_MAX)
        k->user = ip == PD_CONTEXT_USER || ip == PD_CONTEXT_GUEST_USER;
    return ip < PD_CONTEXT_MAX && k->user && ip >> 48 ? 0 : ip;
}

/* Numbers that are not kept, though they identify nobody, and why. */
static const struct operation_unkept {
    const char *layout, *field; /* field NULL: all */
    const char *why;
} operation_unkept[] = {
    {"raw_data", NULL, "samples may lose their raw data"},
    {"regs_user", NULL, "and registers"},
    {"regs_intr", NULL, "and registers"},
    {"simd_regs", NULL, "and registers"},
    {"stack_user", NULL, "and stacks"},
    {"aux_data", NULL, "and AUX data"},
    {"intel_pt_info", "filter_str_len", "the filter becomes empty"},
    {"simpleperf_kernel_symbol", "size", "the list of symbols becomes empty"},
};

static inline bool operation_is_unkept(const struct pd_op *layout, const char *field)
{
    bool is = false;
    for (size_t i = 0; layout && !is && i < sizeof operation_unkept / sizeof *operation_unkept; i++)
        is = strcmp(operation_unkept[i].layout, layout->name) == 0 &&
             (!operation_unkept[i].field || strcmp(operation_unkept[i].field, field) == 0);
    return is;
}

/* An identified_take. */
static inline void operation_keep_field(void *user, enum pi_identity kind, const struct pd_field *f,
                                        const struct pd_op *layout)
{
    struct operation_kept *k = user;
    if (!(k->kinds >> kind & 1) || k->rec == NULL || operation_is_unkept(layout, f->name))
        return;
    k->user = k->rec->type == PD_RECORD_CALLCHAIN_DEFERRED;
    if (f->kind == PD_FIELD_NUMBER)
        operation_keep_number(k, f->value);
    for (size_t i = 0; f->kind == PD_FIELD_VECTOR && i < f->n; i++) {
        const uint64_t value = pd_vec_at(f->u.vec, i);
        operation_keep_number(k, kind == PI_ID_ADDR ? operation_kept_ip(k, value) : value);
    }
}

/*
 * Times, addresses and pids that are kept, and what identifies nobody, are those of the input, record by
 * record, in the order in which `convert` writes them; but of types of which records are left out.
 */
static inline void check_redact_keeps(struct operations *t, const struct image *in, const struct image *out)
{
    struct operation_kept before = {0}, after;
    struct image one = {0};
    before.kinds = PI_ID_BIT(PI_ID_NUMBER) | PI_ID_BIT(PI_ID_NONE) | PI_ID_BIT(PI_ID_EVENT_ID);
    if (!(t->o[1] & 1))
        before.kinds |= PI_ID_PIDS;
    if (!(t->o[1] & 2))
        before.kinds |= PI_ID_BIT(PI_ID_ADDR) | PI_ID_BIT(PI_ID_EXTENT) | PI_ID_BIT(PI_ID_OFFSET);
    if (!(t->o[1] & 4))
        before.kinds |= PI_ID_BIT(PI_ID_TIME) | PI_ID_BIT(PI_ID_CLOCK) | PI_ID_BIT(PI_ID_WALL);
    after = before;
    if (operation_folder(t, in))
        CHECK(operation_convert(t, in, &one, (struct pd_convert_options){.to = PD_CONVERT_FILE}) == PD_OK);
    operation_identify(t, one.n ? &one : in, false, operation_keep_field, &before, &before.rec);
    operation_identify(t, out, false, operation_keep_field, &after, &after.rec);
    for (size_t i = 0; i < 256; i++) {
        if (!t->gone[i] && before.of[i] != after.of[i])
            fprintf(stderr, "records of type %zu are changed\n", i);
        CHECK(t->gone[i] || before.of[i] == after.of[i]);
    }
    image_free(&one);
}

/*
 * Nothing secret is left, there are as many samples, and what is to be kept is. What is not known is left
 * out, so that nothing is refused.
 */
static inline void check_redact(struct operations *t, const struct image *in, bool clean)
{
    struct image out;
    t->secrets = clean && t->turns & 2;
    const enum pd_code code = operation_do(t, operation_redact, in, 1, &out);
    CHECK(code != PD_EOPAQUE);
    if (!code)
        operation_passes(t, &out, 1, clean);
    if (!code && clean) {
        CHECK(operation_samples(t, in) == operation_samples(t, &out) + t->dropped);
        check_redact_keeps(t, in, &out);
    }
    image_free(&out);
}

/* ---- repair */

static inline void operation_lose(void *user, const struct pd_lost_range *lost)
{
    struct lost *l = &((struct operations *)user)->lost;
    const size_t i = (size_t)l->ranges++;
    CHECK(lost->bytes && lost->why.code && lost->why.field);
    l->bytes += lost->bytes;
    if (i >= LOST_RANGES)
        return;
    CHECK(i == 0 || l->range[i - 1].member != lost->member || lost->offset > l->range[i - 1].to);
    l->range[i].from = lost->offset;
    l->range[i].to = lost->offset + lost->bytes;
    l->range[i].member = lost->member;
}

static inline void operation_lose_feature(void *user, uint16_t feature, const struct pd_error *why)
{
    struct operations *t = user;
    t->lost.features++;
    t->lost.feature[feature & 255] = true;
    told_add(&t->told[0], why);
}

/* A directory becomes a directory, or a file. */
static inline bool operation_repairs_folder(const struct operations *t, const struct image *in)
{
    return operation_folder(t, in) && t->o[6] & 2;
}

static inline enum pd_code operation_repair(struct operations *t, const struct image *in, size_t n,
                                            struct image *out)
{
    const bool folder = operation_repairs_folder(t, in);
    const struct pd_repair_options options = {.size = sizeof options,
                                              .allocator = &t->allocator,
                                              .keep_tail = t->o[1] & 1,
                                              .drop_unknown = t->o[1] & 2,
                                              .open_member = folder ? operation_open_member : NULL,
                                              .close_member = folder ? archive_close_member : NULL,
                                              .lost = operation_lose,
                                              .feature = operation_lose_feature,
                                              .user = t};
    const struct pd_sink sink = operation_sink(out);
    struct pd_reader *r = operation_reopen(t, in);
    struct pd_error error;
    (void)n;
    t->lost = (struct lost){0};
    enum pd_code code = pd_repair(r, folder ? NULL : &sink, &options, &t->repair, &error);
    t->repaired = *pd_reader_info(r);
    code = operation_end(t, r, code, &error);
    if (folder)
        operation_gather(t, out, code == PD_OK);
    return code;
}

/* The bytes of a file of a directory, or of the recording. */
static inline struct pd_bytes operation_file(struct operations *t, const struct image *in, const char *name)
{
    struct archived f = {.next = 0};
    if (!operation_folder(t, in))
        return (struct pd_bytes){in->b, in->n};
    while (archive_next(in->b, in->n, &f))
        if (strcmp(f.name, name) == 0)
            return (struct pd_bytes){in->b + f.at, f.n};
    return (struct pd_bytes){NULL, 0};
}

/* The records that stand outside of what is lost. */
static inline void operation_keep(struct operations *t, const struct image *in,
                                  const struct pd_file_info *info, const struct lost *lost, struct kept *k)
{
    struct pd_reader *r = operation_reopen(t, in);
    const size_t members = pd_reader_n_members(r);
    struct pd_record first = {0};
    *k = (struct kept){.order = info->order, .pipe = info->container == PD_CONTAINER_PIPE};
    k->old = pd_reader_next(r, &first, NULL) == PD_OK && first.old_feature;
    for (uint32_t i = 0; i < (members ? members : 1); i++) {
        const struct pd_bytes file = operation_file(t, in, members ? pd_reader_member(r, i)->name : "data");
        const uint64_t end = i ? file.n : info->data_end - info->stray;
        if (members && pd_reader_member(r, i)->unreadable)
            continue;
        kept_read(k, file.ptr, i ? 0 : info->data_offset, end < file.n ? end : file.n, lost, i);
    }
    pd_reader_close(r);
}

/* Every record outside of what is said to be lost is in the output, in its place, and nothing else is. */
static inline void check_kept(struct operations *t, struct kept *before, const struct image *out)
{
    static const struct lost nothing;
    struct kept after;
    struct pd_reader *r = operation_reopen(t, out);
    const struct pd_file_info made = *pd_reader_info(r);
    pd_reader_close(r);
    operation_keep(t, out, &made, &nothing, &after);
    CHECK(kept_among(before, true, &after));
    CHECK(before->unsure || kept_among(&after, false, before));
    kept_free(&after);
    kept_free(before);
}

static inline void check_repair_keeps(struct operations *t, const struct image *in, const struct image *out)
{
    struct kept before;
    if (t->lost.ranges > LOST_RANGES)
        return;
    operation_keep(t, in, &t->repaired, &t->lost, &before);
    check_kept(t, &before, out);
}

/* The same with the head of another recording. */
static inline void check_headless_keeps(struct operations *t, const struct image *out)
{
    const struct pd_file_info *const info = &t->repaired;
    struct kept before = {.order = info->order};
    if (t->lost.ranges > LOST_RANGES)
        return;
    kept_read(&before, t->joined->b, info->data_offset, info->data_end - info->stray, &t->lost, 0);
    check_kept(t, &before, out);
}

static inline bool operation_section_same(struct pd_reader *a, const struct pd_feature_section *in_a,
                                          struct pd_reader *b)
{
    const struct pd_feature_section *const in_b = pd_reader_find_feature(b, in_a->feature);
    bool same = in_b && in_a->section.size == in_b->section.size;
    for (uint64_t at = 0; same && at < in_a->section.size; at++) {
        uint8_t of_a, of_b;
        CHECK(pd_reader_read(a, in_a->section.offset + at, &of_a, 1, NULL) == PD_OK);
        CHECK(pd_reader_read(b, in_b->section.offset + at, &of_b, 1, NULL) == PD_OK);
        same = of_a == of_b;
    }
    return same;
}

/* All events, their attrs but for an impossible size, and all features of which none is said to be lost. */
static inline void check_repair_head(struct operations *t, const struct image *in, const struct image *out)
{
    struct pd_reader *a = operation_reopen(t, in), *b = operation_reopen(t, out);
    const struct pd_file_info *const info = pd_reader_info(a);
    const bool moved = info->data_offset != t->repaired.data_offset || info->data_end != t->repaired.data_end;
    if (info->container != PD_CONTAINER_PIPE) {
        CHECK(pd_reader_n_attrs(a) == pd_reader_n_attrs(b));
        for (size_t i = 0; i < pd_reader_n_attrs(a); i++) {
            const struct pd_event_attr *const of_a = pd_reader_attr(a, i), *const of_b = pd_reader_attr(b, i);
            CHECK(of_a->n_ids == of_b->n_ids);
            CHECK(of_a->n_ids == 0 || memcmp(of_a->ids, of_b->ids, of_a->n_ids * sizeof *of_a->ids) == 0);
            CHECK(of_a->attr.type == of_b->attr.type && of_a->attr.config == of_b->attr.config &&
                  of_a->attr.sample_type == of_b->attr.sample_type && of_a->attr.flags == of_b->attr.flags);
        }
        for (size_t i = 0; !moved && i < pd_reader_n_features(a); i++) {
            const struct pd_feature_section *const f = pd_reader_feature(a, i);
            const bool anew = f->feature == PD_FEAT_COMPRESSED || f->feature == PD_FEAT_AUXTRACE ||
                              f->feature == PD_FEAT_DIR_FORMAT;
            CHECK(anew || t->lost.feature[f->feature & 255] || operation_section_same(a, f, b));
        }
    }
    pd_reader_close(a);
    pd_reader_close(b);
}

/* True if the place is in a range that is lost; or reading went on in another place behind one. */
static inline bool operation_is_lost(const struct operations *t, uint32_t member, uint64_t offset)
{
    const bool keep_tail = t->o[1] & 1;
    for (size_t i = 0; i < t->lost.ranges && i < LOST_RANGES; i++)
        if (t->lost.range[i].member == member && t->lost.range[i].from <= offset &&
            (keep_tail || offset <= t->lost.range[i].to))
            return true;
    return t->lost.ranges > LOST_RANGES;
}

/* True if it told something of that field of the first input. */
static inline bool operation_tells(const struct operations *t, const char *field)
{
    bool tells = false;
    for (size_t i = 0; i < t->told[0].n && i < TOLD_PLACES; i++)
        tells = tells || strcmp(t->told[0].at[i].field, field) == 0;
    return tells;
}

/* Where repair says that the data begins or ends elsewhere than in the header, other bytes are records. */
static inline bool operation_is_no_record(struct operations *t, const struct image *in,
                                          const struct told_place *place)
{
    const struct pd_file_info *const info = &t->repaired;
    const struct pd_bytes data = operation_file(t, in, "data");
    const uint64_t end = info->data_end - info->stray;
    return (operation_tells(t, "data.offset") || operation_tells(t, "data.size")) && place->member == 0 &&
           !kept_begins(info->order, data.ptr, info->data_offset, end < data.n ? end : data.n, &t->lost,
                        place->offset);
}

/* Where repair says that the data ends later than in the header, the record at the old end goes on. */
static inline bool operation_goes_on(struct operations *t, const struct image *in,
                                     const struct told_place *place)
{
    struct pd_reader *r = operation_reopen(t, in);
    const uint64_t end = pd_reader_info(r)->data_end;
    const bool later = t->repaired.data_end > end && place->member == 0 && place->offset < end;
    uint8_t size[2] = {0};
    if (later)
        CHECK(place->offset + 8 > end || pd_reader_read(r, place->offset + 6, size, 2, NULL) == PD_OK);
    pd_reader_close(r);
    return later && place->code == PD_ETRUNC &&
           (place->offset + 8 > end || place->offset + pi_load16(size, t->repaired.order) > end);
}

/* Damage that `check` names is lost, or told. */
static inline void check_repair_tells(struct operations *t, const struct image *in)
{
    const struct told *const damage = &t->damage[0];
    for (size_t i = 0; i < damage->n && i < TOLD_PLACES; i++)
        CHECK(told_has(&t->told[0], &damage->at[i]) ||
              operation_is_lost(t, damage->at[i].member, damage->at[i].offset) ||
              operation_goes_on(t, in, &damage->at[i]) || operation_is_no_record(t, in, &damage->at[i]));
}

/* It reports what it loses, loses nothing else, and nothing of what it made; without a report, it has all. */
static inline void check_repair(struct operations *t, const struct image *in)
{
    struct image out, again;
    const enum pd_code code = operation_twice(t, operation_repair, in, 1, &out);
    operation_done[OPERATION_REPAIR] += !code;
    if (!code) {
        const struct pd_repair_stats stats = t->repair;
        CHECK(t->lost.bytes == stats.lost && t->lost.ranges == stats.ranges);
        CHECK(t->lost.features == stats.features);
        CHECK(operation_clean(t, &out));
        CHECK(operation_samples(t, &out) == stats.samples);
        check_repair_tells(t, in);
        check_repair_keeps(t, in, &out);
        check_repair_head(t, in, &out);
        if (!stats.lost && !stats.features && !stats.mended && !t->told[0].n)
            CHECK(operation_hash_same(t, in, &out));
        CHECK(operation_repair(t, &out, 1, &again) == PD_OK);
        CHECK(t->repair.lost == 0 && t->repair.features == 0 && t->repair.samples == stats.samples);
        CHECK(operation_same(&out, &again));
        image_free(&again);
    }
    image_free(&out);
}

/* All bytes that the reader has, and where its data is. */
static inline void operation_join(struct operations *t, struct pd_reader *r)
{
    uint8_t bytes[4096];
    t->repaired = *pd_reader_info(r);
    image_free(t->joined);
    *t->joined = (struct image){0};
    for (uint64_t at = 0, n; (n = t->repaired.file_size - at) != 0; at += n) {
        n = n < sizeof bytes ? n : sizeof bytes;
        CHECK(pd_reader_read(r, at, bytes, (size_t)n, NULL) == PD_OK);
        image_bytes(t->joined, bytes, (size_t)n);
    }
}

/* With the head and the features of a recording that is like it, as far as these explain its samples. */
static inline enum pd_code operation_headless(struct operations *t, const struct image *in, size_t n,
                                              struct image *out)
{
    struct pd_reader *sister = operation_open(t, in + n - 1), *r = NULL;
    FILE *const file = tmpfile();
    uint64_t shift = 0;
    struct pd_error error;
    const struct pd_repair_options options = {.size = sizeof options,
                                              .allocator = &t->allocator,
                                              .keep_tail = t->o[1] & 1,
                                              .like = sister,
                                              .lost = operation_lose,
                                              .feature = operation_lose_feature,
                                              .user = t};
    const struct pd_sink sink = operation_sink(out);
    t->lost = (struct lost){0};
    CHECK(file && fwrite(in->b, 1, in->n, file) == in->n && fflush(file) == 0);
    enum pd_code code = PD_END;
    if (sister && (code = pi_reader_open_headless(&r, fileno(file), sister, &shift, &error)) == PD_OK)
        code = pd_repair(r, &sink, &options, &t->repair, &error);
    if (code == PD_OK)
        operation_join(t, r);
    pd_reader_close(sister);
    operation_end(t, r, code == PD_END ? PD_OK : code, &error);
    fclose(file);
    return code;
}

static inline void check_headless(struct operations *t, const struct image *in)
{
    struct image out, joined = {0};
    t->joined = &joined;
    if (operation_twice(t, operation_headless, in, 2, &out) == PD_OK) {
        CHECK(t->lost.bytes == t->repair.lost && t->lost.ranges == t->repair.ranges);
        CHECK(t->lost.features == t->repair.features);
        CHECK(operation_clean(t, &out) && operation_samples(t, &out) == t->repair.samples);
        check_headless_keeps(t, &out);
    }
    image_free(&joined);
    image_free(&out);
}

/* ---- cmp and hash */

static inline enum pd_code operation_hash_of(struct operations *t, const struct image *in, size_t n,
                                             struct image *out)
{
    const struct pd_hash hash = operation_hash(t, in);
    (void)n;
    *out = (struct image){0};
    image_bytes(out, &hash, sizeof hash);
    return PD_OK;
}

static inline void operation_finding_at(void *user, int side, const struct pd_error *error)
{
    operation_finding_of(user, (size_t)side, error);
}

static inline bool operation_differ(void *user, const struct pd_difference *what)
{
    struct operations *t = user;
    image_u64(t->differences, what->number);
    image_bytes(t->differences, what->path ? what->path : "", what->path ? strlen(what->path) : 0);
    return true;
}

/* Of two, or of one with itself: where they differ. */
static enum pd_code operation_cmp(struct operations *t, const struct image *in, size_t n, struct image *out)
{
    const unsigned all = PD_IGNORE_OFFSET | PD_IGNORE_ORDER | PD_IGNORE_CONTAINER;
    const struct pd_differences_options options = {.size = sizeof options,
                                                   .allocator = &t->allocator,
                                                   .ignore = t->o[1] & all,
                                                   .difference = operation_differ,
                                                   .finding = operation_finding_at,
                                                   .user = t};
    struct pd_reader *first = operation_reopen(t, in), *second = operation_reopen(t, in + n - 1);
    struct pd_error error;
    uint64_t found = 0;
    *out = (struct image){0};
    t->differences = out;
    const enum pd_code code = pd_differences(first, second, &options, &found, &error);
    CHECK((found == 0) == (out->n == 0));
    if (n > 1)
        told_add_findings(&t->told[1], second);
    pd_reader_close(second);
    return operation_end(t, first, code, &error);
}

/* True if a feature comes in more than one record, or in a section and a record. */
static inline bool operation_repeats_feature(struct operations *t, const struct image *in)
{
    struct pd_reader *r = operation_reopen(t, in);
    const enum pd_order order = pd_reader_info(r)->order;
    struct pd_record rec = {0};
    struct pd_bytes data;
    bool seen[256] = {false}, repeats = false;
    uint64_t id;
    for (size_t i = 0; i < pd_reader_n_features(r); i++)
        seen[pd_reader_feature(r, i)->feature % 256] = true;
    while (pd_reader_next(r, &rec, NULL) == PD_OK)
        if (rec.type == PD_RECORD_HEADER_TRACING_DATA || (pi_record_feature(&rec, order, &id, &data) &&
                                                          id < 256 && !pi_is_feature_mark(&rec, id, &data))) {
            id = rec.type == PD_RECORD_HEADER_TRACING_DATA ? PD_FEAT_TRACING_DATA : id;
            repeats |= seen[id];
            seen[id] = true;
        }
    pd_reader_close(r);
    return repeats;
}

/* True if a file has HEADER_ATTR records, which perf writes into streams alone. */
static inline bool operation_has_attr_records(struct operations *t, const struct image *in)
{
    struct pd_reader *r = operation_reopen(t, in);
    struct pd_record rec = {0};
    bool has = false;
    while (pd_reader_info(r)->container != PD_CONTAINER_PIPE && !has &&
           pd_reader_next(r, &rec, NULL) == PD_OK)
        has = rec.type == PD_RECORD_HEADER_ATTR;
    pd_reader_close(r);
    return has;
}

/*
 * Whether two recordings have the same content, of which cmp and hash say the same; but of a feature that
 * comes again cmp compares what counts, the last in a stream and the section in a file, and hash all; and to
 * hash a HEADER_ATTR record of a file is an attr.
 */
static inline bool check_agreement(struct operations *t, const struct image *a, const struct image *b)
{
    const unsigned all = PD_IGNORE_OFFSET | PD_IGNORE_ORDER | PD_IGNORE_CONTAINER;
    const bool same = operation_hash_same(t, a, b);
    if ((operation_differences(t, a, b, all) == 0) != same)
        CHECK(operation_repeats_feature(t, a) || operation_repeats_feature(t, b) ||
              operation_has_attr_records(t, a) || operation_has_attr_records(t, b));
    return same;
}

/* In another container, compressed or not, it is the same, but for what is told; of another host, not. */
static inline void check_compare_made(struct operations *t, const struct image *a)
{
    static const uint8_t host[] = "\4\0\0\0x\1\0\0";
    const struct pd_feature_change change = {
        .feature = PD_FEAT_HOSTNAME, .bytes = host, .n = sizeof host - 1};
    struct pd_convert_options options = {.to = t->o[2] & 1 ? PD_CONVERT_PIPE : PD_CONVERT_FILE,
                                         .zip = (enum pd_convert_zip)(t->o[2] >> 1 & 3)};
    struct image made;
    if (operation_convert(t, a, &made, options) == PD_OK)
        CHECK(check_agreement(t, a, &made) || t->notes);
    image_free(&made);
    options.changes = &change;
    options.n_changes = 1;
    if (operation_convert(t, a, &made, options) == PD_OK)
        CHECK(!check_agreement(t, a, &made));
    image_free(&made);
}

/* A recording is as itself; and cmp and hash say the same of two. */
static inline void check_compare(struct operations *t, const struct image *in, size_t n, bool clean)
{
    struct image out;
    operation_do(t, operation_hash_of, in, 1, &out);
    image_free(&out);
    operation_do(t, operation_cmp, in, 1, &out);
    CHECK(out.n == 0);
    image_free(&out);
    if (n > 1) {
        operation_do(t, operation_cmp, in, 2, &out);
        image_free(&out);
    }
    if (n > 1 && clean)
        check_agreement(t, in, in + 1);
    if (clean)
        check_compare_made(t, in);
}

/* ---- edit */

/* What a file receives is what memory does. */
static inline void operation_to_file(struct operations *t, const struct image *in, const struct image *made,
                                     struct pd_convert_options options)
{
    const char *const tmpdir = getenv("TMPDIR");
    char path[ARCHIVE_PATH];
    struct pd_sink sink;
    struct pd_error error;
    struct image file = {0};
    uint8_t part[4096];
    snprintf(path, sizeof path, "%.100s/operation-XXXXXX", tmpdir ? tmpdir : "/tmp");
    const int fd = mkstemp(path);
    CHECK(fd >= 0 && pd_sink_open(&sink, path, &t->allocator, &error) == PD_OK);
    options.size = sizeof options;
    options.to = operation_to(t, in);
    options.allocator = &t->allocator;
    struct pd_reader *r = operation_reopen(t, in);
    CHECK(pd_convert(r, &sink, &options, NULL, &error) == PD_OK);
    CHECK(pd_sink_close(&sink, &error) == PD_OK);
    operation_end(t, r, PD_OK, &error);
    for (ssize_t n; (n = read(fd, part, sizeof part)) > 0;)
        image_bytes(&file, part, (size_t)n);
    close(fd);
    unlink(path);
    CHECK(operation_same(&file, made));
    image_free(&file);
}

/* Renames nothing. */
static inline enum pd_code operation_edit(struct operations *t, const struct image *in, size_t n,
                                          struct image *out)
{
    const struct pd_name_change none[] = {{"\001nobody", "\001none"}};
    const struct pd_edit_options edit = {.size = sizeof edit, .renames = none, .n_renames = 1};
    (void)n;
    return operation_convert(t, in, out, (struct pd_convert_options){.edit = &edit});
}

/* The name of its first task. */
static inline bool operation_first_name(struct operations *t, const struct image *in, char name[16])
{
    struct pd_reader *r = operation_reopen(t, in);
    struct pd_record rec = {0};
    bool found = false;
    while (!found && pd_reader_next(r, &rec, NULL) == PD_OK)
        if (rec.type == PD_RECORD_COMM && pd_reader_decode(r, &rec, NULL) == PD_OK) {
            const struct pd_str *const comm = &rec.u.comm.comm;
            found = comm->len && comm->len < 16 && !memchr(comm->ptr, 0, comm->len);
            if (found)
                snprintf(name, 16, "%.*s", (int)comm->len, comm->ptr);
        }
    pd_reader_close(r);
    return found;
}

/* Two names exchanged, of which the second has another first letter, and times moved; or moved back. */
static inline bool operation_exchange(struct operations *t, const struct image *in, const char *name,
                                      bool back, struct image *out)
{
    char other[16];
    const struct pd_name_change swap[] = {{name, other}, {other, name}};
    const int64_t by = t->o[1] & 1 ? 1 + (int64_t)t->o[2] * t->o[3] : 0;
    const struct pd_edit_options edit = {
        .size = sizeof edit, .renames = swap, .n_renames = 2, .time_shift = back ? -by : by};
    memcpy(other, name, sizeof other);
    other[0] = (char)(name[0] ^ 1);
    return operation_convert(t, in, out, (struct pd_convert_options){.edit = &edit}) == PD_OK;
}

/*
 * There and back is where it began. What stands behind a name where it is padded is lost once; then nothing
 * more.
 */
static inline void check_edit_back(struct operations *t, const struct image *plain)
{
    char name[16] = {"one"};
    const bool named = operation_first_name(t, plain, name);
    struct image there, back, again = {0};
    if (operation_exchange(t, plain, name, false, &there)) {
        CHECK(operation_clean(t, &there));
        CHECK(!operation_same(plain, &there) || !named);
        CHECK(operation_exchange(t, &there, name, true, &back));
        image_free(&there);
        if (!operation_same(plain, &back)) {
            CHECK(named && operation_trace(t, plain, true, true) == operation_trace(t, &back, true, true));
            CHECK(operation_exchange(t, &back, name, false, &there));
            CHECK(operation_exchange(t, &there, name, true, &again));
            CHECK(operation_same(&back, &again));
        }
        image_free(&again);
        image_free(&back);
    }
    image_free(&there);
}

/* How many of a call chain's words stay: all, or up to the last of `most` that are no markers. */
static inline size_t operation_stack(const struct pd_vec *ips, uint32_t most)
{
    size_t n = 0, stays = 0;
    for (size_t i = 0; i < ips->n; i++)
        if (pd_vec_at(ips, i) < PD_CONTEXT_MAX && ++n == most)
            stays = i + 1;
    return n <= most ? ips->n : stays;
}

/* The call chain of a record, or NULL. */
static inline const struct pd_vec *operation_ips(const struct pd_record *rec)
{
    if (rec->type == PD_RECORD_CALLCHAIN_DEFERRED)
        return &rec->u.callchain_deferred.ips;
    return rec->type == PD_RECORD_SAMPLE && rec->plan->shape.sample_type & PD_SAMPLE_CALLCHAIN
               ? &rec->u.sample.callchain.ips
               : NULL;
}

/*
 * The next one but those that hold others or a feature, which may be more or fewer: of the same feature, or
 * to tell of compressed records.
 */
static inline enum pd_code operation_next(struct pd_reader *r, struct pd_record *rec)
{
    enum pd_code code;
    do
        code = pd_reader_next(r, rec, NULL);
    while (code == PD_OK && (pi_is_wrapper(rec) || pi_serves_of(rec) == PI_SERVES_FEATURE));
    return code;
}

/* All records but features are there, and each call chain as far as it is to be. */
static inline void check_edit_chains(struct operations *t, const struct image *in, const struct image *out,
                                     uint32_t most)
{
    struct pd_reader *a = operation_reopen(t, in), *b = operation_reopen(t, out);
    struct pd_record was = {0}, is = {0};
    enum pd_code code;
    while ((code = operation_next(a, &was)) == PD_OK) {
        CHECK(operation_next(b, &is) == PD_OK && is.type == was.type);
        if (pd_reader_decode(a, &was, NULL) != PD_OK)
            continue;
        CHECK(pd_reader_decode(b, &is, NULL) == PD_OK);
        const struct pd_vec *const before = operation_ips(&was), *const after = operation_ips(&is);
        CHECK(!before == !after);
        if (before == NULL)
            continue;
        CHECK(after->n == operation_stack(before, most));
        for (size_t i = 0; i < after->n; i++)
            CHECK(pd_vec_at(after, i) == pd_vec_at(before, i));
    }
    CHECK(code == PD_END && operation_next(b, &is) == PD_END);
    pd_reader_close(a);
    pd_reader_close(b);
}

/* What a sample has of each field that can go, and of those that cannot. */
static inline uint64_t operation_weigh(const struct pd_record *rec, uint64_t without)
{
    const struct pd_sample *const s = &rec->u.sample;
    const struct {
        uint64_t field, value;
    } of[] = {{PD_SAMPLE_ADDR, s->addr},
              {PD_SAMPLE_PERIOD, s->period},
              {PD_SAMPLE_CALLCHAIN, s->callchain.nr},
              {PD_SAMPLE_RAW, s->raw.size},
              {PD_SAMPLE_BRANCH_STACK, s->branch_stack.nr},
              {PD_SAMPLE_REGS_USER, s->regs_user.abi},
              {PD_SAMPLE_STACK_USER, s->stack_user.size},
              {PD_SAMPLE_DATA_SRC, s->data_src},
              {PD_SAMPLE_TRANSACTION, s->transaction},
              {PD_SAMPLE_REGS_INTR, s->regs_intr.abi},
              {PD_SAMPLE_PHYS_ADDR, s->phys_addr},
              {PD_SAMPLE_AUX, s->aux.size},
              {PD_SAMPLE_CGROUP, s->cgroup},
              {PD_SAMPLE_DATA_PAGE_SIZE, s->data_page_size},
              {PD_SAMPLE_CODE_PAGE_SIZE, s->code_page_size},
              {0, s->ip},
              {0, s->pid},
              {0, s->tid},
              {0, s->time},
              {0, s->cpu}};
    const bool in_raw = rec->plan->offcpu && without & PD_SAMPLE_CALLCHAIN; /* its chain is in RAW */
    const uint64_t rest = ~(without | (in_raw ? PD_SAMPLE_RAW : 0));
    uint64_t h = 0;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const bool has = !of[i].field || rec->plan->shape.sample_type & of[i].field & rest;
        h = (h ^ (has ? of[i].value + 1 : 0)) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return h;
}

/* All that samples have but the fields that go, in order. */
static inline uint64_t operation_weigh_all(struct operations *t, const struct image *in, uint64_t without)
{
    struct pd_reader *r = operation_reopen(t, in);
    struct pd_record rec = {0};
    uint64_t h = 0;
    while (pd_reader_next(r, &rec, NULL) == PD_OK)
        if (rec.type == PD_RECORD_SAMPLE && rec.attr && pd_reader_decode(r, &rec, NULL) == PD_OK)
            h = h * 31 + operation_weigh(&rec, without);
    pd_reader_close(r);
    return h;
}

/* What an attr says of a field goes with that, and stays else. */
static inline void check_stripped_attr(const struct pd_attr *was, const struct pd_attr *is, uint64_t strip)
{
    const struct {
        uint64_t field, before, after;
    } of[] = {{PD_SAMPLE_BRANCH_STACK, was->branch_sample_type, is->branch_sample_type},
              {PD_SAMPLE_REGS_USER, was->sample_regs_user, is->sample_regs_user},
              {PD_SAMPLE_STACK_USER, was->sample_stack_user, is->sample_stack_user},
              {PD_SAMPLE_REGS_INTR, was->sample_regs_intr, is->sample_regs_intr},
              {PD_SAMPLE_AUX, was->aux_sample_size, is->aux_sample_size},
              {PD_SAMPLE_CALLCHAIN, was->sample_max_stack, is->sample_max_stack}};
    CHECK(is->sample_type == (was->sample_type & ~strip));
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        CHECK(of[i].after == (was->sample_type & strip & of[i].field ? 0 : of[i].before));
}

static inline void check_edit_attrs(struct operations *t, const struct image *in, const struct image *out,
                                    uint64_t strip)
{
    struct pd_reader *a = operation_reopen(t, in), *b = operation_reopen(t, out);
    struct pd_record rec = {0};
    while (pd_reader_next(a, &rec, NULL) == PD_OK)
        ;
    while (pd_reader_next(b, &rec, NULL) == PD_OK)
        ;
    CHECK(pd_reader_n_attrs(a) == pd_reader_n_attrs(b));
    for (size_t i = 0; i < pd_reader_n_attrs(a); i++)
        check_stripped_attr(&pd_reader_attr(a, i)->attr, &pd_reader_attr(b, i)->attr, strip);
    pd_reader_close(a);
    pd_reader_close(b);
}

/* Samples lose some fields and keep the others. */
static inline void check_edit_strip(struct operations *t, const struct image *plain)
{
    const uint64_t some = t->o[5] + 256 * (t->o[6] + UINT64_C(256) * t->o[3]);
    const struct pd_edit_options edit = {.size = sizeof edit, .strip = some & PD_EDIT_STRIPPABLE};
    struct image out;
    if (edit.strip &&
        operation_convert(t, plain, &out, (struct pd_convert_options){.edit = &edit}) == PD_OK) {
        CHECK(operation_clean(t, &out));
        check_edit_attrs(t, plain, &out, edit.strip);
        CHECK(operation_weigh_all(t, plain, edit.strip) == operation_weigh_all(t, &out, edit.strip));
    }
    if (edit.strip)
        image_free(&out);
}

/* Shorter call chains, and then nothing that is longer. */
static inline void check_edit_stack(struct operations *t, const struct image *plain)
{
    const struct pd_edit_options edit = {.size = sizeof edit, .max_stack = 1u + t->o[4] % 4};
    const struct pd_convert_options options = {.edit = &edit};
    struct image out, again;
    if (operation_convert(t, plain, &out, options) == PD_OK) {
        CHECK(operation_clean(t, &out));
        CHECK(operation_trace(t, plain, true, true) == operation_trace(t, &out, true, true));
        check_edit_chains(t, plain, &out, edit.max_stack);
        CHECK(operation_convert(t, &out, &again, options) == PD_OK && operation_same(&out, &again));
        image_free(&again);
    }
    image_free(&out);
}

static inline void check_edit(struct operations *t, const struct image *in, bool clean)
{
    const struct pd_name_change none[] = {{"\001nobody", "\001none"}};
    const struct pd_edit_options edit = {.size = sizeof edit, .renames = none, .n_renames = 1};
    struct image plain;
    const enum pd_code code = operation_do(t, operation_edit, in, 1, &plain);
    if (!code)
        operation_passes(t, &plain, 1, clean);
    if (!code && clean) {
        if (t->o[7] & 1)
            operation_to_file(t, in, &plain, (struct pd_convert_options){.edit = &edit});
        if (!operation_folder(t, in)) /* its files become one, in order of time */
            check_edit_chains(t, in, &plain, UINT32_MAX);
        CHECK(operation_hash_same(t, in, &plain) || t->notes);
        check_edit_back(t, &plain);
        check_edit_stack(t, &plain);
        check_edit_strip(t, &plain);
    }
    image_free(&plain);
}

/* ---- gen */

/* Some neighbouring types, which `any` can make. */
static inline size_t operation_weights(const struct operations *t, struct pd_gen_weight *weights, size_t most)
{
    size_t n = 0;
    if (t->o[7] % 2 == 0)
        return 0;
    for (uint32_t type = 1; type < PD_RECORD_SIMPLEPERF_DEBUG + 1 && n < most; type++)
        if (pi_layout_of(type) && !pi_is_wrapper_type(type) && type % 16 == t->o[7] / 2 % 16)
            weights[n++] = (struct pd_gen_weight){type, 1};
    return n;
}

/* PD_EARG: nothing can be made of the types. */
static inline enum pd_code operation_gen(struct operations *t, const struct image *in, size_t n,
                                         struct image *out)
{
    (void)in, (void)n;
    const struct pd_sink sink = operation_sink(out);
    struct pd_gen_weight weights[32];
    const size_t n_weights = operation_weights(t, weights, 32);
    const char *const preset = t->o[1] & 1 ? pd_gen_preset_name(t->o[2] % 4) : NULL;
    const struct pd_gen_options options = {.size = sizeof options,
                                           .allocator = &t->allocator,
                                           .seed = t->o[3] + 256u * t->o[4],
                                           .count = 1 + t->o[5] % 64,
                                           .order = t->o[1] & 2 ? PD_BIG : PD_LITTLE,
                                           .container = t->o[1] & 4 ? PD_CONTAINER_PIPE : PD_CONTAINER_FILE,
                                           .compression = t->o[1] & 8    ? PD_RECORD_COMPRESSED
                                                          : t->o[1] & 16 ? PD_RECORD_COMPRESSED2
                                                                         : 0,
                                           .workload = preset ? pd_gen_preset(preset) : NULL,
                                           .tasks = 1 + t->o[6] % 8,
                                           .features = (enum pd_gen_features)((t->o[1] >> 6) % 3),
                                           .weights = preset || !n_weights ? NULL : weights,
                                           .n_weights = preset ? 0 : n_weights,
                                           .any = !preset && t->o[1] & 32};
    struct pd_gen *gen = NULL;
    struct pd_error error;
    enum pd_code code = pd_gen_open(&gen, &sink, &options, &error);
    if (!code)
        code = pd_gen_run(gen, &error);
    CHECK(code == PD_OK || (code == PD_EARG && options.weights && error.field));
    pd_gen_close(gen);
    CHECK(t->heap.blocks == 0);
    return code;
}

static inline void check_gen(struct operations *t)
{
    struct image out;
    if (operation_do(t, operation_gen, NULL, 0, &out) == PD_OK)
        CHECK(operation_clean(t, &out));
    image_free(&out);
}

/* ---- filter */

static inline bool operation_yes(void *user, struct pd_record *rec)
{
    (void)user, (void)rec;
    return true;
}

static enum pd_code operation_filter(struct operations *t, const struct image *in, size_t n,
                                     struct image *out)
{
    const struct pd_reader_options reading = {
        .size = sizeof reading, .allocator = &t->allocator, .max_inflate = INFLATE_MOST, .probe = true};
    const char *const any[] = {"*"};
    const uint32_t numbers[] = {t->o[2], 100, 101}, types[] = {t->o[2], PD_RECORD_SAMPLE};
    const struct pd_cpu_range cpus[] = {{t->o[2], t->o[2] + 2u}};
    const struct pd_time_range times[] = {{t->o[2], t->o[2] + 10u}, {1000, 0}};
    struct pd_filter_options options = {.size = sizeof options,
                                        .allocator = &t->allocator,
                                        .all_user = t->o[1] & 1,
                                        .all_kernel = t->o[1] & 2,
                                        .every = t->o[3] & 1 ? t->o[3] >> 1 : 0,
                                        .limit = t->o[4] & 1 ? t->o[4] >> 1 : 0,
                                        .sideband = t->o[1] & 4 ? PD_SIDEBAND_ALL : PD_SIDEBAND_NONE,
                                        .zip = t->o[1] & 8 ? PD_ZIP_NONE : PD_ZIP_KEEP,
                                        .finding = operation_finding,
                                        .user = t};
    struct pd_filter_lists *const l = t->o[1] & 16 ? &options.drop : &options.keep;
    struct operation_source live = {in, 0};
    const struct pd_source source = {.read_at = operation_read, .user = &live, .size = PD_NOWHERE};
    const struct pd_sink sink = operation_sink(out);
    struct pd_error error = {0};
    struct pd_reader *r = NULL;
    l->pids = t->o[5] & 1 ? numbers : NULL;
    l->n_pids = t->o[5] & 1 ? 3 : 0;
    l->tids = t->o[5] & 2 ? numbers : NULL;
    l->n_tids = t->o[5] & 2 ? 3 : 0;
    l->cpus = t->o[5] & 4 ? cpus : NULL;
    l->n_cpus = t->o[5] & 4 ? 1 : 0;
    l->times = t->o[5] & 8 ? times : NULL;
    l->n_times = t->o[5] & 8 ? 2 : 0;
    l->types = t->o[5] & 16 ? types : NULL;
    l->n_types = t->o[5] & 16 ? 2 : 0;
    l->cgroups = t->o[5] & 32 ? any : NULL;
    l->n_cgroups = l->cgroups ? 1 : 0;
    if (t->filter_way == FILTER_THRICE) {
        options.keep.comms = any;
        options.keep.n_comms = 1;
        options.predicate = operation_yes;
    }
    (void)n;
    if (t->filter_way == FILTER_LIVE)
        CHECK(pd_reader_open_source(&r, &source, &reading, NULL) == PD_OK);
    else
        r = operation_reopen(t, in);
    t->filter = (struct pd_filter_stats){0};
    return operation_end(t, r, pd_filter(r, &sink, &options, &t->filter, &error), &error);
}

/* The hash without the feature that says when samples were taken. */
static inline bool operation_content_same(struct operations *t, const struct image *a, const struct image *b)
{
    const struct pd_feature_change drop = {.feature = PD_FEAT_SAMPLE_TIME, .drop = true};
    const struct pd_convert_options options = {.changes = &drop, .n_changes = 1};
    struct image first, second;
    CHECK(operation_convert(t, a, &first, options) == PD_OK &&
          operation_convert(t, b, &second, options) == PD_OK);
    const bool same = operation_hash_same(t, &first, &second);
    image_free(&first);
    image_free(&second);
    return same;
}

/* Live, the feature with the time of the samples stays, and so do all deferred call chains. */
static inline void check_filter_live(struct operations *t, const struct image *out, const struct image *live)
{
    struct pd_reader *r = operation_reopen(t, live);
    struct pd_record rec = {0};
    bool deferred = false;
    while (!deferred && pd_reader_next(r, &rec, NULL) == PD_OK)
        deferred = rec.type == PD_RECORD_CALLCHAIN_DEFERRED;
    pd_reader_close(r);
    CHECK(operation_trace(t, out, true, true) == operation_trace(t, live, true, true));
    CHECK(deferred || operation_content_same(t, out, live));
}

/* Read once, names of events that stand behind samples come too late. */
static inline bool operation_needs_names(struct operations *t, const struct image *in)
{
    struct pd_reader *r = operation_reopen(t, in);
    const bool needs = recording_needs_names(r);
    pd_reader_close(r);
    return needs;
}

/* However it is read, the same is written. */
static inline void check_filter(struct operations *t, const struct image *in, bool clean)
{
    struct image out, other;
    t->filter_way = FILTER_PLAIN;
    const enum pd_code code = operation_do(t, operation_filter, in, 1, &out);
    const uint64_t kept = t->filter.kept_samples;
    if (!code)
        operation_passes(t, &out, 1, clean);
    if (!code && clean) {
        const bool live = operation_container(t, in) == PD_CONTAINER_PIPE &&
                          !(t->o[5] & 32) && /* no cgroups */
                          !operation_needs_names(t, in);
        t->filter_way = FILTER_THRICE;
        CHECK(operation_do(t, operation_filter, in, 1, &other) == PD_OK);
        CHECK(operation_same(&out, &other) && t->filter.kept_samples == kept);
        image_free(&other);
        if (live) {
            t->filter_way = FILTER_LIVE;
            CHECK(operation_do(t, operation_filter, in, 1, &other) == PD_OK);
            CHECK(t->filter.kept_samples == kept && operation_clean(t, &other));
            check_filter_live(t, &out, &other);
            image_free(&other);
        }
    }
    image_free(&out);
}

/* ---- index, of what filter is given */

static inline int64_t operation_read_index(void *user, uint64_t offset, void *buf, size_t n)
{
    const struct image *im = user;
    return memory_read(im->b, im->n, offset, buf, n);
}

/* Some of the time, read with an index and without. Of an index that may be anything: it ends. */
static inline void operation_select(struct operations *t, const struct image *in, struct image *index,
                                    bool sound)
{
    const struct pd_time_range times = {t->o[2], t->o[2] + 10u};
    const struct pd_index_options how = {.size = sizeof how, .allocator = &t->allocator};
    const struct pd_filter_options options = {
        .size = sizeof options, .allocator = &t->allocator, .keep.times = &times, .keep.n_times = 1};
    const struct pd_source source = {.read_at = operation_read_index, .user = index, .size = index->n};
    struct image with, without;
    struct pd_sink sink = operation_sink(&with);
    struct pd_filter_stats some = {0}, all = {0};
    struct pd_index *x = NULL;
    struct pd_error error = {0};
    struct pd_reader *r = operation_reopen(t, in);
    enum pd_code code = pd_index_open(&x, r, &source, &how, &error);
    CHECK(!sound || code == PD_OK);
    if (!code && (code = pd_index_select(x, &times, 1, &error)) == PD_OK)
        code = pd_filter(r, &sink, &options, &some, &error);
    pd_index_close(x);
    operation_end(t, r, code, &error);
    if (sound && code == PD_OK) {
        sink = operation_sink(&without);
        r = operation_reopen(t, in);
        code = pd_filter(r, &sink, &options, &all, &error);
        CHECK(operation_end(t, r, code, &error) == PD_OK && operation_same(&with, &without));
        CHECK(memcmp(&some, &all, sizeof some) == 0);
        image_free(&without);
    }
    image_free(&with);
}

/* A byte of the index is another one, and the checksum agrees. */
static inline void operation_change(const struct operations *t, struct image *index)
{
    const size_t at = (t->o[3] * (size_t)256 + t->o[4]) % index->n;
    index->b[at] = (uint8_t)(index->b[at] ^ (1u << t->o[5] % 8));
    index_stamp(index->b, index->n);
}

/* A damaged recording gets none. */
static inline enum pd_code operation_index(struct operations *t, const struct image *in, size_t n,
                                           struct image *out)
{
    const struct pd_index_options how = {
        .size = sizeof how, .allocator = &t->allocator, .block = 1 + t->o[6] * (uint64_t)16};
    const struct pd_sink sink = operation_sink(out);
    struct pd_reader *r = operation_reopen(t, in);
    struct pd_error error;
    (void)n;
    return operation_end(t, r, pd_index_build(r, &sink, &how, NULL, &error), &error);
}

static inline void check_index(struct operations *t, const struct image *in)
{
    struct image index;
    if (operation_do(t, operation_index, in, 1, &index) == PD_OK) {
        operation_select(t, in, &index, true);
        operation_change(t, &index);
        operation_select(t, in, &index, false);
    }
    image_free(&index);
}

/* ---- Directories, and convert */

static inline enum pd_code operation_to_folder(struct operations *t, const struct image *in, size_t n,
                                               struct image *out)
{
    (void)n;
    const struct pd_convert_options options = {.size = sizeof options,
                                               .allocator = &t->allocator,
                                               .to = PD_CONVERT_DIRECTORY,
                                               .zip = (enum pd_convert_zip)(t->o[1] & 3),
                                               .order = t->folder_order,
                                               .open_member = operation_open_member,
                                               .close_member = archive_close_member,
                                               .finding = operation_finding,
                                               .user = t};
    struct pd_reader *r = operation_reopen(t, in);
    struct pd_error error;
    const enum pd_code code = operation_end(t, r, pd_convert(r, NULL, &options, NULL, &error), &error);
    operation_gather(t, out, code == PD_OK);
    return code;
}

static inline enum pd_code operation_sort_folder(struct operations *t, const struct image *in, size_t n,
                                                 struct image *out)
{
    (void)n;
    const struct pd_sort_options options = {.size = sizeof options,
                                            .allocator = &t->allocator,
                                            .memory = t->o[1] & 4 ? 1 : 0,
                                            .open_member = operation_open_member,
                                            .close_member = archive_close_member,
                                            .finding = operation_finding,
                                            .user = t};
    struct pd_reader *r = operation_reopen(t, in);
    struct pd_sort_stats stats;
    struct pd_error error;
    const enum pd_code code = operation_end(t, r, pd_sort(r, NULL, &options, &stats, &error), &error);
    operation_gather(t, out, code == PD_OK);
    return code;
}

/* To a file or a stream, compressed or not, in another byte order. */
static inline enum pd_code operation_to_other(struct operations *t, const struct image *in, size_t n,
                                              struct image *out)
{
    const struct pd_convert_options options = {.to = t->o[2] & 1 ? PD_CONVERT_PIPE : PD_CONVERT_FILE,
                                               .zip = (enum pd_convert_zip)(t->o[2] >> 1 & 3),
                                               .order = (enum pd_convert_order)((t->o[2] >> 3) % 3),
                                               .finish = t->o[3] & 1,
                                               .reencode = t->o[3] & 2};
    (void)n;
    return operation_convert(t, in, out, options);
}

/* A directory is converted wherever the recording is that it was made of, to the same, with nothing told. */
static inline void check_directory_converts(struct operations *t, const struct image *in,
                                            const struct image *folder)
{
    const uint8_t *const own = t->o, o[OPERATION_OPTIONS] = {0, own[2]};
    const struct pd_convert_options options = {.to = PD_CONVERT_FILE,
                                               .zip = (enum pd_convert_zip)(own[2] & 3),
                                               .order = (enum pd_convert_order)((own[2] >> 3) % 3)};
    struct image made, again;
    memset(t->told, 0, sizeof t->told);
    if (operation_convert(t, in, &made, options) == PD_OK) {
        t->o = o;
        t->folder_order = options.order;
        CHECK(operation_to_folder(t, folder, 1, &again) == PD_OK && t->told[0].n == 0);
        CHECK(operation_clean(t, &again) == operation_clean(t, &made));
        CHECK(operation_hash_same(t, &made, &again));
        archive_remove(t->folders[--t->n_folders].path);
        image_free(&again);
        t->folder_order = PD_CONVERT_ORDER_SAME;
        t->o = own;
    }
    image_free(&made);
}

/* As a directory, and back, and a directory whose files are in order, it has the same content. */
static inline void check_directory(struct operations *t, const struct image *in, bool clean)
{
    struct image made, back, sorted;
    const enum pd_code code = operation_do(t, operation_to_folder, in, 1, &made);
    if (!code)
        operation_passes(t, &made, 1, clean);
    if (!code && clean) {
        CHECK(operation_hash_same(t, in, &made));
        CHECK(operation_convert(t, &made, &back, (struct pd_convert_options){.to = PD_CONVERT_FILE}) ==
              PD_OK);
        CHECK(operation_clean(t, &back) && operation_hash_same(t, in, &back));
        image_free(&back);
        check_directory_converts(t, in, &made);
        if (operation_do(t, operation_sort_folder, &made, 1, &sorted) == PD_OK)
            CHECK(operation_clean(t, &sorted) && operation_hash_same(t, in, &sorted));
        image_free(&sorted);
    }
    image_free(&made);
}

static inline void check_convert(struct operations *t, const struct image *in, bool clean)
{
    struct image made;
    if (operation_do(t, operation_to_other, in, 1, &made) == PD_OK)
        operation_passes(t, &made, 1, clean);
    image_free(&made);
}

/* ---- report, and what expressions select: counted with the options of filter */

/* The rows of an event add up to it; all of them are the output. */
static inline void operation_put_event(const struct pd_report_event *event, struct image *out)
{
    uint64_t n = 0, period = 0;
    for (size_t k = 0; k < event->n_rows; k++) {
        const struct pd_report_row *const row = &event->rows[k];
        n += row->samples;
        period = period > UINT64_MAX - row->period ? UINT64_MAX : period + row->period;
        image_bytes(out, row, sizeof *row);
    }
    CHECK(n == event->samples && period == event->period);
}

static inline enum pd_code operation_report(struct operations *t, const struct image *in, size_t n,
                                            struct image *out)
{
    static const enum pd_report_key keys[] = {PD_KEY_COMM, PD_KEY_DSO,   PD_KEY_PID,    PD_KEY_TID,
                                              PD_KEY_CPU,  PD_KEY_EVENT, PD_KEY_CGROUP, PD_KEY_TIME};
    const struct pd_filter_options all = {.size = sizeof all, .allocator = &t->allocator};
    const struct pd_report_options options = {.size = sizeof options,
                                              .keys = keys + t->o[2] % 7,
                                              .n_keys = 1 + t->o[3] % 2,
                                              .slices = 1 + t->o[4] % 10,
                                              .last = UINT64_MAX >> t->o[6] % 64,
                                              .selection = &all,
                                              .finding = operation_finding,
                                              .user = t};
    struct pd_reader *r = operation_reopen(t, in);
    struct pd_report *report = NULL;
    struct pd_error error;
    (void)n;
    *out = (struct image){0};
    const enum pd_code code = pd_report_new(&report, r, &options, &error);
    for (size_t i = 0; !code && i < pd_report_n_events(report); i++)
        operation_put_event(pd_report_get_event(report, i), out);
    pd_report_free(report);
    return operation_end(t, r, code, &error);
}

/* What else holds of what is exported, fuzz_export.c says. */
static inline enum pd_code operation_export(struct operations *t, const struct image *in, size_t n,
                                            struct image *out)
{
    static const enum pd_export_format formats[] = {PD_EXPORT_FOLDED, PD_EXPORT_PPROF};
    const struct pd_export_options options = {.size = sizeof options,
                                              .allocator = &t->allocator,
                                              .format = formats[t->o[2] % 2],
                                              .keys = t->o[3] & 31,
                                              .finding = operation_finding,
                                              .user = t};
    const struct pd_sink sink = operation_sink(out);
    struct pd_reader *r = operation_reopen(t, in);
    struct pd_export *export = NULL;
    struct pd_error error;
    (void)n;
    enum pd_code code = pd_export_new(&export, &options, &error);
    if (!code)
        code = pd_export_add(export, r, NULL, &error);
    if (!code)
        code = pd_export_write(export, &sink, &error);
    pd_export_free(export);
    return operation_end(t, r, code, &error);
}

/* The rows of a report, and what is exported. */
static inline void check_report(struct operations *t, const struct image *in)
{
    struct image out;
    operation_do(t, operation_report, in, 1, &out);
    image_free(&out);
    operation_do(t, operation_export, in, 1, &out);
    image_free(&out);
}

/* A sample meets an expression or its negation. */
static inline void check_expression(struct operations *t, const struct image *in)
{
    static const char *const texts[][2] = {
        {"ip > 0x400000", "!(ip > 0x400000)"},
        {"pid == 100 || tid != 101 && cpu < 2", "!(pid == 100 || tid != 101 && cpu < 2)"},
        {"period & 1", "!(period & 1)"},
        {"time >= 20", "!(time >= 20)"},
    };
    const char *const *const both = texts[t->o[2] % 4];
    struct pd_expression *yes, *no;
    struct pd_expression_error wrong = {0};
    struct pd_record rec = {0};
    CHECK(pd_expression_new(&yes, both[0], &t->allocator, &wrong) == PD_OK);
    CHECK(pd_expression_new(&no, both[1], &t->allocator, &wrong) == PD_OK);
    struct pd_reader *r = operation_reopen(t, in);
    const bool fits = pd_expression_check(yes, r, NULL, &wrong) && pd_expression_check(no, r, NULL, &wrong);
    CHECK(fits || wrong.what);
    while (fits && pd_reader_next(r, &rec, NULL) == PD_OK)
        if (rec.type == PD_RECORD_SAMPLE && pd_reader_decode(r, &rec, NULL) == PD_OK)
            CHECK(pd_expression_meets(yes, NULL, &rec) != pd_expression_meets(no, NULL, &rec));
    pd_expression_free(yes);
    pd_expression_free(no);
    pd_reader_close(r);
}

/* ---- All of them */

static inline void operation_run(struct operations *t, const struct image *in, size_t n, bool clean)
{
    switch ((enum operation)(t->o[0] % OPERATION_N)) {
    case OPERATION_SORT: check_sort(t, in, clean); break;
    case OPERATION_MERGE: check_merge(t, in, n, clean); break;
    case OPERATION_SPLIT: check_split(t, in, clean); break;
    case OPERATION_REDACT: check_redact(t, in, clean); break;
    case OPERATION_REPAIR: check_repair(t, in); break;
    case OPERATION_COMPARE: check_compare(t, in, n, clean); break;
    case OPERATION_EDIT: check_edit(t, in, clean); break;
    case OPERATION_FILTER:
        check_filter(t, in, clean);
        if (!operation_folder(t, in))
            check_index(t, in);
        check_report(t, in);
        check_expression(t, in);
        break;
    case OPERATION_DIRECTORY:
        check_directory(t, in, clean);
        check_convert(t, in, clean);
        break;
    case OPERATION_GEN:
    case OPERATION_N: break;
    }
}

/* An input that opens, and what `check` says of it. */
static inline bool operation_take(struct operations *t, struct image *in, size_t i)
{
    if (is_archive(in->b, in->n))
        operation_unpack(t, in);
    struct pd_reader *r = operation_open(t, in);
    if (r)
        told_by_check(&t->damage[i], r);
    else if (operation_folder(t, in))
        archive_remove(t->folders[--t->n_folders].path);
    pd_reader_close(r);
    return r != NULL;
}

/*
 * `all` has n images, recordings and archives, of which those count that open; `turns` says which of the
 * checks that go through all of it again are done.
 */
static inline void check_operation(const uint8_t *o, const struct image *all, size_t n, unsigned turns)
{
    struct operations t = {.o = o, .turns = turns};
    struct image in[OPERATION_INPUTS];
    size_t opened = 0;
    bool clean = true;
    CHECK(n <= OPERATION_INPUTS);
    t.allocator = (struct pd_allocator){heap_resize, heap_release, &t.heap};
    for (size_t i = 0; i < n; i++) {
        in[opened] = all[i];
        if (operation_take(&t, in + opened, opened))
            clean = operation_clean(&t, in + opened++) && clean;
    }
    if (o[0] % OPERATION_N == OPERATION_GEN)
        check_gen(&t);
    else if (o[0] % OPERATION_N == OPERATION_REPAIR && o[6] & 1 && n > 1)
        check_headless(&t, all);
    else if (opened)
        operation_run(&t, in, opened, clean);
    while (t.n_folders)
        archive_remove(t.folders[--t.n_folders].path);
    CHECK(t.heap.blocks == 0 && t.heap.bytes == 0);
}

#endif
