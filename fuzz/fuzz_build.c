/* SPDX-License-Identifier: MIT */
/*
 * fuzz_build.c - a recording built by calls that the input chooses, with mostly valid values: everything that
 * the writer accepts is read back equal, in the same order, and `check` has no findings. Checks R1, R2, R3,
 * R4, R10, R12.
 *
 * Input: two bytes of options, of which one bit keeps records small, then the calls: a byte that says which
 * and, with its upper half, for which event or with what changed; four that the values depend on.
 */
#include "src/codec/variant.h"
#include "src/schema/schema.h"
#include "harness.h"
#include "mutator.h"
#include "encode/codec/complete.h"
#include "ops/gen/random_values.h"
#include "tests/support/recording.h"
#include <perfdata/session/compare.h>
#include <perfdata/session/fields.h>
#include <perfdata/session/metadata.h>

#define EVENTS 3
#define RECORDS 64
#define FIRST_ID 100
#define MEMORY (2 * (size_t)PI_RANDOM_ARENA)
#define SMALL 500 /* 64 KiB of a list take as long as a hundred records of this */

struct build {
    struct mutation in; /* data up to size, of which `at` bytes were taken */
    size_t at;
    struct pd_writer_options options;
    struct pd_writer *w;
    struct image out;
    struct pi_arena arena;
    size_t most; /* bytes of lists and strings in a record */
    struct pd_attr attrs[EVENTS];
    struct pd_plan plans[EVENTS], none;
    uint32_t n_attrs;
    struct pd_record records[RECORDS]; /* those that were accepted */
    size_t n_records;
    struct pd_feature features[256];
    bool has[256];
};

static uint8_t memory[MEMORY];

static uint32_t take(struct build *b, size_t n)
{
    uint32_t v = 0;
    while (n-- && b->at < b->in.size)
        v = v << 8 | b->in.data[b->at++];
    return v;
}

static void check_refused(enum pd_code code, const struct pd_error *error)
{
    char text[400];
    CHECK(error->code == code && error->field && code != PD_ENOMEM && code != PD_EOUT);
    CHECK(pd_error_text(error, text, sizeof text) < sizeof text);
}

/* ---- What is given */

static void on_dropped(void *user, uint16_t feature, const char *why)
{
    struct build *b = user;
    CHECK(feature < 256 && why);
    b->has[feature] = false;
}

static bool open_writer(struct build *b, const struct pd_allocator *allocator)
{
    static const uint32_t types[] = {0, 0, PD_RECORD_COMPRESSED, PD_RECORD_COMPRESSED2};
    const uint32_t bits = take(b, 2);
    b->most = bits & 4 ? SMALL : UINT16_MAX;
    const struct pd_sink sink = image_sink(&b->out);
    struct pd_error error;
    b->options = (struct pd_writer_options){.size = sizeof b->options,
                                            .allocator = allocator,
                                            .order = bits & 1 ? PD_BIG : PD_LITTLE,
                                            .container = bits & 2 ? PD_CONTAINER_PIPE : PD_CONTAINER_FILE,
                                            .max_features = bits >> 8 & 15,
                                            .attr_size = bits & 8 ? 8 * (bits >> 12) + 64 : 0,
                                            .compression = types[bits >> 4 & 3],
                                            .no_feature_end = bits & 64,
                                            .dropped = on_dropped,
                                            .user = b};
    const enum pd_code code = pd_writer_open(&b->w, &sink, &b->options, &error);
    if (code)
        check_refused(code, &error);
    b->none.order = (uint8_t)b->options.order;
    return code == PD_OK;
}

/* The ids are all that tells the events apart: they must have them in the same place. */
static void give_attr(struct build *b, uint32_t which)
{
    struct pd_attr *attr = &b->attrs[b->n_attrs];
    struct pi_rng rng = {take(b, 4)};
    struct pd_error error;
    if (b->n_attrs == EVENTS || !pi_random_attr(&rng, &b->arena, attr))
        return;
    attr->sample_type |= PD_SAMPLE_IDENTIFIER;
    attr->flags &= ~(uint64_t)PD_ATTR_SAMPLE_ID_ALL;
    attr->flags |= (b->n_attrs ? b->attrs[0].flags : which & 1 ? UINT64_MAX : 0) & PD_ATTR_SAMPLE_ID_ALL;
    const uint64_t ids[] = {FIRST_ID + b->n_attrs, FIRST_ID + EVENTS + b->n_attrs};
    const enum pd_code code = pd_writer_attr(b->w, attr, ids, 1 + (which >> 1 & 1), &error);
    if (code) {
        check_refused(code, &error);
        return;
    }
    pd_plan_init(&b->plans[b->n_attrs++], attr, b->options.order);
}

/* A record that does not affect others, and has no payload. */
static uint32_t type_of(uint32_t v)
{
    static const uint32_t others[] = {PD_RECORD_FINISHED_ROUND,      PD_RECORD_ID_INDEX,
                                      PD_RECORD_AUXTRACE_INFO,       PD_RECORD_AUXTRACE_ERROR,
                                      PD_RECORD_THREAD_MAP,          PD_RECORD_CPU_MAP,
                                      PD_RECORD_STAT_CONFIG,         PD_RECORD_STAT,
                                      PD_RECORD_STAT_ROUND,          PD_RECORD_TIME_CONV,
                                      PD_RECORD_FINISHED_INIT,       PD_RECORD_BPF_METADATA,
                                      PD_RECORD_SCHEDSTAT_CPU,       PD_RECORD_SCHEDSTAT_DOMAIN,
                                      PD_RECORD_SIMPLEPERF_DSO,      PD_RECORD_SIMPLEPERF_SYMBOL,
                                      PD_RECORD_SIMPLEPERF_CALLCHAIN};
    const size_t n = sizeof others / sizeof *others;
    return v % 3 == 0 ? PD_RECORD_SAMPLE : v % 3 == 1 ? 1 + v / 3 % 22 : others[v / 3 % n];
}

/* Any number of it gets any value. */
static void change(struct build *b, struct pd_record *rec)
{
    struct pd_fields it;
    struct pd_field f;
    char path[100];
    uint32_t skip = take(b, 1) % 16;
    const uint64_t value = take(b, 1) & 1 ? (uint64_t)take(b, 4) << 32 | take(b, 4) : take(b, 1);
    rec->decoded = true; /* it has fields */
    pd_fields_of_record(&it, rec);
    while (pd_fields_next(&it, &f))
        if (f.kind == PD_FIELD_NUMBER && skip-- == 0) {
            snprintf(path, sizeof path, "%s", f.name);
            pd_record_set(rec, path, value, NULL);
            return;
        }
}

static void identify(struct pd_record *rec, const struct pd_plan *plan, uint32_t event)
{
    const uint64_t id = FIRST_ID + event, has = plan->shape.sample_type;
    const bool sample = rec->type == PD_RECORD_SAMPLE;
    if (!sample && !rec->has_id)
        return;
    if (has & PD_SAMPLE_ID)
        *(sample ? &rec->u.sample.id : &rec->id.id) = id;
    if (has & PD_SAMPLE_STREAM_ID)
        *(sample ? &rec->u.sample.stream_id : &rec->id.stream_id) = id;
    if (has & PD_SAMPLE_IDENTIFIER)
        *(sample ? &rec->u.sample.identifier : &rec->id.identifier) = id;
}

/* As the writer does for itself: what is 0, also in elements of lists. */
static void complete(const struct pd_plan *plan, struct pd_record *rec)
{
    struct pd_shape shape = plan->shape;
    shape.misc = rec->misc;
    shape.given = rec->misc;
    shape.variant = rec->variant;
    pi_complete_struct(pi_layout_of(rec->type), &shape, &rec->u, PI_COMPLETE_ELEMENTS);
}

static void give_record(struct build *b, uint32_t event, bool changed)
{
    struct pd_record *rec = &b->records[b->n_records];
    const uint32_t type = type_of(take(b, 1));
    const struct pd_op *layout = pi_layout_of(type);
    const bool of_event = type < PD_RECORD_HEADER_ATTR || (layout && layout->src);
    struct pi_rng rng = {take(b, 3)};
    struct pd_error error;
    if (b->n_records == RECORDS || b->n_attrs == 0)
        return;
    /* samples always tell their event, records of the tool never */
    const bool told = type == PD_RECORD_SAMPLE || (type < PD_RECORD_HEADER_ATTR && b->plans[0].id_all);
    event = told ? event % b->n_attrs : 0;
    const struct pd_plan *plan = of_event ? &b->plans[event] : &b->none;
    if (plan->unknown || !pi_random_small_record(plan, type, b->most, &rng, &b->arena, rec))
        return;
    if (changed)
        change(b, rec);
    rec->attr_index = of_event ? event : UINT32_MAX;
    rec->plan = plan;
    rec->has_id = pi_has_id(plan, rec->type, rec->variant);
    if (of_event)
        identify(rec, plan, event);
    const enum pd_code code = pd_writer_record(b->w, rec, &error);
    if (code) {
        CHECK(changed || code == PD_EARG); /* it comes after a feature */
        check_refused(code, &error);
    } else {
        if (changed) /* the writer has set what was changed to 0 */
            complete(plan, rec);
        b->n_records++;
    }
}

/* Not those that say how others are laid out, or, in a stream, become records of other content. */
static void give_feature(struct build *b)
{
    const uint32_t v = take(b, 1), id = v < 200 ? 1 + v % 34 : v < 210 ? 128 + v % 7 : v;
    struct pi_rng rng = {take(b, 3)};
    struct pd_feature *f = &b->features[id];
    struct pd_error error;
    /* of a big-endian file's bitmap only known features tell how wide its words are */
    const bool told = b->options.order == PD_LITTLE || b->options.container == PD_CONTAINER_PIPE || id < 32 ||
                      (id >= 128 && id < 135);
    if (!told || b->has[id] || id == PD_FEAT_COMPRESSED || id == PD_FEAT_NRCPUS ||
        id == PD_FEAT_CPU_TOPOLOGY || id == PD_FEAT_BUILD_ID || id == PD_FEAT_TRACING_DATA ||
        id == PD_FEAT_DIR_FORMAT || id == PD_FEAT_AUXTRACE || !pi_random_feature(&rng, &b->arena, id, 0, f))
        return;
    b->has[id] = true; /* unless it is dropped meanwhile */
    const enum pd_code code = pd_writer_put_feature(b->w, f, &error);
    if (code) {
        check_refused(code, &error);
        b->has[id] = false;
    }
}

static void give(struct build *b)
{
    const uint32_t what = take(b, 1);
    switch (what & 7) {
    case 0: give_attr(b, what >> 4); break;
    case 1: give_feature(b); break;
    default: give_record(b, what >> 4, what & 1); break;
    }
}

/* ---- What is read */

static bool is_of_container(uint32_t type)
{
    return type == PD_RECORD_HEADER_ATTR || type == PD_RECORD_HEADER_FEATURE ||
           type == PD_RECORD_COMPRESSED || type == PD_RECORD_COMPRESSED2;
}

static void check_record(const struct pd_record *given, const struct pd_record *read)
{
    const char *field = NULL;
    CHECK(read->type == given->type && read->misc == given->misc);
    CHECK(read->type >= PD_RECORD_HEADER_ATTR || read->attr_index == given->attr_index);
    /* an early MMAP2 is told by a prot that no other has */
    if (read->type == PD_RECORD_MMAP2 && read->variant != given->variant && given->u.mmap2.prot > 0x1f)
        return;
    CHECK(read->variant == given->variant);
    CHECK(pd_record_equal(given, read, &field));
}

static void check_features(const struct build *b, struct pd_metadata *m)
{
    for (uint32_t id = 0; id < 256; id++) {
        const struct pd_feature *f = b->has[id] ? pd_metadata_feature(m, id) : NULL;
        CHECK(f != NULL || !b->has[id]);
        CHECK(f == NULL || pd_feature_equal(&b->features[id], f, NULL));
    }
}

/* An entry has room for the largest attr: zeros follow the others. */
static void check_attr(const struct pd_attr *given, struct pd_attr read)
{
    CHECK(read.tail.n >= given->tail.n);
    for (size_t i = given->tail.n; i < read.tail.n; i++)
        CHECK(read.tail.ptr[i] == 0);
    read.tail.n = given->tail.n;
    CHECK(pd_attr_equal(given, &read, NULL));
}

static void check_attrs(const struct build *b, const struct pd_reader *r)
{
    CHECK(pd_reader_n_attrs(r) == b->n_attrs);
    for (uint32_t i = 0; i < b->n_attrs; i++) {
        check_attr(&b->attrs[i], pd_reader_attr(r, i)->attr);
        CHECK(pd_reader_find_id(r, FIRST_ID + i) == i);
    }
}

static void check_written(const struct build *b, const struct pd_allocator *allocator)
{
    const struct pd_reader_options options = {.size = sizeof options, .allocator = allocator};
    const struct pd_metadata_options keep = {.size = sizeof keep, .allocator = allocator};
    struct pd_record rec = {0};
    struct pd_reader *r;
    struct pd_metadata *m;
    size_t n = 0;
    CHECK(pd_reader_open_memory(&r, b->out.b, b->out.n, &options, NULL) == PD_OK);
    CHECK(pd_reader_n_findings(r) == 0);
    CHECK(pd_metadata_open(&m, r, &keep, NULL) == PD_OK);
    enum pd_code code;
    while ((code = pd_reader_next(r, &rec, NULL)) == PD_OK) {
        CHECK(pd_reader_decode(r, &rec, NULL) == PD_OK);
        CHECK(pd_metadata_add(m, r, &rec, NULL) == PD_OK);
        if (is_of_container(rec.type))
            continue;
        CHECK(n < b->n_records);
        check_record(&b->records[n++], &rec);
    }
    CHECK(code == PD_END && n == b->n_records);
    CHECK(pd_metadata_finish(m, r, NULL) == PD_OK && pd_metadata_n_findings(m) == 0);
    check_attrs(b, r);
    check_features(b, m);
    pd_metadata_close(m);
    pd_reader_close(r);
    if (turns_of(b->out.b, b->out.n) & 0x11)
        CHECK(is_clean(b->out.b, b->out.n));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct build b;
    struct heap heap = {0};
    const struct pd_allocator allocator = {heap_resize, heap_release, &heap};
    if (size < 3 || size > 4096)
        return 0;
    uint8_t *copy = malloc(size);
    CHECK(copy);
    memcpy(copy, data, size);
    memset(&b, 0, sizeof b);
    b.in = (struct mutation){.data = copy, .size = size};
    b.arena = (struct pi_arena){memory, sizeof memory};
    if (open_writer(&b, &allocator)) {
        while (b.at < b.in.size)
            give(&b);
        CHECK(pd_writer_finish(b.w, NULL) == PD_OK);
        pd_writer_close(b.w);
        check_written(&b, &allocator);
    }
    CHECK(heap.peak <= 8 * MEMORY + ((size_t)32 << 20));
    CHECK(heap.blocks == 0 && heap.bytes == 0);
    image_free(&b.out);
    free(copy);
    return 0;
}
