/* SPDX-License-Identifier: MIT */
/*
 * fuzz_file.c - a whole recording in memory: every record is decoded, the parts cover the file, writing it
 * again, by copying or by encoding everything, gives the same bytes, records are the same without the fast
 * paths for runs of similar ones, in parts, and with workers, and so are the sums of samples, names of events
 * are in the file, mappings that a session finds contain the address, text is of printable lines, and memory
 * stays small and is all freed. Checks R1, R2, R3, R5, R6, R10, R12.
 */
#define _GNU_SOURCE /* memmem() */
#include "../tests/support/digest.h"
#include "harness.h"
#include "mutator.h"
#include "src/container/reader/skim.h"
#include "tests/support/crew.h"
#include "tests/support/recording.h"
#include <perfdata/session/metadata.h>
#include <perfdata/session/session.h>
#include <perfdata/session/sorter.h>
#include <perfdata/session/text.h>

static void check_extents(const struct pd_reader *r, size_t size)
{
    size_t n;
    uint64_t at = 0;
    const struct pd_extent *e = pd_reader_extents(r, &n);
    for (size_t i = 0; i < n; i++) {
        CHECK(e[i].offset == at && e[i].size <= size - at);
        at += e[i].size;
    }
    CHECK(at == size);
}

/* All functions about the header and its tables. */
static void check_tables(const struct pd_reader *r, size_t size)
{
    const struct pd_file_info *info = pd_reader_info(r);
    CHECK(info->data_offset <= info->data_end && info->data_end <= size);
    CHECK(info->file_size == size);
    for (size_t i = 0; i < pd_reader_n_attrs(r); i++) {
        const struct pd_event_attr *a = pd_reader_attr(r, i);
        for (size_t k = 0; k < a->n_ids; k++)
            CHECK(pd_reader_find_id(r, a->ids[k]) <= i); /* the first that claims an id has it */
    }
    for (size_t i = 0; i < pd_reader_n_features(r); i++)
        CHECK(pd_reader_find_feature(r, pd_reader_feature(r, i)->feature) == pd_reader_feature(r, i));
    for (size_t i = 0; i < pd_reader_n_findings(r); i++)
        check_error(pd_reader_finding(r, i), pd_reader_finding(r, i)->code,
                    UINT64_MAX); /* a section may be anywhere */
}

static void check_payload(struct pd_reader *r, const struct pd_record *rec)
{
    struct pd_error error;
    const uint8_t *p;
    uint64_t total = 0;
    size_t n;
    enum pd_code code;
    while ((code = pd_reader_payload(r, &p, &n, &error)) == PD_OK && n)
        total += n;
    CHECK(code == PD_ETRUNC || total == rec->payload_size);
}

/*
 * The fast paths for runs of similar records give the same as the general ones, parts the same as the whole,
 * and workers the same as one thread.
 */
static void check_short_ways(const uint8_t *data, size_t size, const struct pd_reader_options *options)
{
    enum { SHORT, SLOWLY, PARTS, CREW, WAYS };
    struct digest d[WAYS];
    uint64_t certain;
    struct pi_rng rng = {size};
    struct crew crew = {.rng = &rng};
    const struct pd_workers workers = crew_workers(&crew);
    struct pd_reader_options with = *options;
    with.workers = &workers;
    with.allocator = NULL; /* they take some MiB, which R2 does not count */
    for (int way = 0; way < WAYS; way++) {
        struct pd_reader *r;
        CHECK(pd_reader_open_memory(&r, data, size, way == CREW ? &with : options, NULL) == PD_OK);
        d[way] = way == PARTS ? digest_parts(r, size / 5 + 1, &certain) : digest_all(r, way == SLOWLY);
        pd_reader_close(r);
        CHECK(d[0].code == d[way].code && d[0].records == d[way].records && d[0].decoded == d[way].decoded &&
              d[0].hash == d[way].hash);
    }
}

/* Reading goes on behind such damage. */
static bool goes_on(enum pd_code code)
{
    return code == PD_EZSTD || code == PD_ELIMIT;
}

/* Skimming over samples counts what reading each gives. */
static void check_skim(const uint8_t *data, size_t size, const struct pd_reader_options *options)
{
    struct pd_reader_options own = *options;
    struct pd_reader *quick, *slow;
    struct pi_skim skim = {.first = UINT64_MAX};
    struct pd_record a = {0}, b = {0};
    uint64_t samples = 0, bytes = 0;
    enum pd_code code = PD_OK;
    own.allocator = NULL; /* R2 counts one reader */
    CHECK(pd_reader_open_memory(&quick, data, size, options, NULL) == PD_OK);
    CHECK(pd_reader_open_memory(&slow, data, size, &own, NULL) == PD_OK);
    while (code == PD_OK || goes_on(code)) {
        pi_reader_skim(quick, &skim);
        for (; samples < skim.samples; samples++, bytes += b.size) {
            CHECK(pd_reader_next_decoded(slow, &b, NULL) == PD_OK && b.type == PD_RECORD_SAMPLE && b.decoded);
            CHECK(b.u.sample.time >= skim.first && b.u.sample.time <= skim.last);
        }
        CHECK(bytes == skim.bytes);
        code = pd_reader_next_decoded(quick, &a, NULL);
        CHECK(pd_reader_next_decoded(slow, &b, NULL) == code);
        CHECK(code || (a.offset == b.offset && a.index == b.index && a.decoded == b.decoded));
    }
    pd_reader_close(quick);
    pd_reader_close(slow);
}

/* For people: lines that no name in the recording can break, and that control no terminal. */
static void check_printed(const struct pd_out *out)
{
    for (size_t i = 0; i < out->n; i++)
        CHECK(out->buf[i] == '\n' || ((uint8_t)out->buf[i] >= ' ' && out->buf[i] != 0x7f));
    CHECK(out->n && out->buf[out->n - 1] == '\n' && out->lost == 0);
}

static void check_text(const uint8_t *data, size_t size, const struct pd_reader_options *options)
{
    struct pd_out out = {.more = pd_out_grow};
    struct pd_record rec = {0};
    struct pd_reader *r;
    enum pd_code code;
    CHECK(pd_reader_open_memory(&r, data, size, options, NULL) == PD_OK);
    while ((code = pd_reader_next_decoded(r, &rec, NULL)) == PD_OK || goes_on(code)) {
        const struct pd_print_options how = {
            .size = sizeof how, .arch = (enum pd_arch)(rec.index % PD_ARCH_MAX), .max_bytes = rec.index % 8};
        out.n = 0;
        if (code == PD_OK && pd_record_print(&rec, &how, &out, NULL) == PD_OK)
            check_printed(&out);
    }
    free(out.buf);
    pd_reader_close(r);
}

/* A HEADER_ATTR in COMPRESSED: it counts as a record, unless its size is none. */
static bool is_left_out(const struct pd_error *error)
{
    const char *const field = error->field ? error->field : "";
    return error->record_type == PD_RECORD_HEADER_ATTR && strcmp(field, "size") != 0;
}

/* Returns whether anything was compressed. */
static bool check_records(struct pd_reader *r, size_t size)
{
    struct pd_record rec = {0};
    struct pd_error error;
    enum pd_code code;
    uint64_t index = 0;
    bool compressed = false;
    for (; (code = pd_reader_next(r, &rec, &error)) != PD_END; index++) {
        if (code) {
            check_error(&error, code, size);
            if (code != PD_EZSTD && code != PD_ELIMIT)
                break;
            if (!is_left_out(&error))
                index--; /* that was no record */
            continue;
        }
        CHECK(rec.index == index && rec.offset < size && rec.size >= 8);
        compressed |= rec.type == PD_RECORD_COMPRESSED || rec.type == PD_RECORD_COMPRESSED2;
        if ((code = pd_reader_decode(r, &rec, &error)))
            check_error(&error, code, size);
        CHECK(rec.decoded == (code == PD_OK));
        if (rec.payload_size && rec.index % 2)
            check_payload(r, &rec);
    }
    CHECK(pd_reader_next(r, &rec, &error) == PD_END);
    return compressed;
}

/* ---- What is said of events */

static bool stands_in(const uint8_t *data, size_t size, const char *text, size_t n)
{
    return n == 0 || memmem(data, size, text, n) != NULL;
}

/*
 * A name is in the file as it is, that of a tracepoint in two pieces: "system:name", of which either may have
 * a colon itself.
 */
static bool is_of_file(const uint8_t *data, size_t size, const char *name)
{
    bool found = stands_in(data, size, name, strlen(name));
    for (const char *colon = strchr(name, ':'); !found && colon; colon = strchr(colon + 1, ':'))
        found = stands_in(data, size, name, (size_t)(colon - name)) &&
                stands_in(data, size, colon + 1, strlen(colon + 1));
    return found;
}

/* as_it_is: nothing is in the file in another form. */
static void check_events(struct pd_metadata *m, const struct pd_reader *r, const uint8_t *data, size_t size,
                         bool as_it_is)
{
    const uint32_t n = (uint32_t)pd_reader_n_attrs(r);
    for (uint32_t i = 0; i < n; i++) {
        struct pd_group_desc group, other;
        const char *name = pd_metadata_event_name(m, r, i);
        CHECK(!name || *name);
        CHECK(!name || !as_it_is || is_of_file(data, size, name));
        CHECK(pd_metadata_event_name(m, r, i) == name);
        if (!pd_metadata_group(m, i, &group))
            continue;
        CHECK(group.leader_idx <= i && i - group.leader_idx < group.nr_members);
        CHECK(!as_it_is || stands_in(data, size, group.name.ptr, group.name.len));
        CHECK(pd_metadata_group(m, group.leader_idx, &other)); /* where groups overlap, perhaps another */
    }
    CHECK(pd_metadata_event_name(m, r, n) == NULL && !pd_metadata_out_of_memory(m));
}

/* Asked in between, too, when more is to be said. */
static void check_metadata(const uint8_t *data, size_t size, const struct pd_reader_options *options)
{
    const struct pd_metadata_options keep = {
        .size = sizeof keep, .allocator = options->allocator, .max_bytes = INFLATE_MOST};
    struct pd_record rec = {0};
    struct pd_error error;
    struct pd_reader *r;
    struct pd_metadata *m;
    bool as_it_is = true;
    enum pd_code code;
    CHECK(pd_reader_open_memory(&r, data, size, options, NULL) == PD_OK &&
          pd_metadata_open(&m, r, &keep, NULL) == PD_OK);
    while ((code = pd_reader_next(r, &rec, &error)) == PD_OK || code == PD_EZSTD || code == PD_ELIMIT) {
        if (code)
            continue;
        as_it_is &= rec.type != PD_RECORD_COMPRESSED && rec.type != PD_RECORD_COMPRESSED2 &&
                    rec.type != PD_RECORD_SIMPLEPERF_SPLIT;
        if (pd_reader_decode(r, &rec, &error) == PD_OK && (code = pd_metadata_add(m, r, &rec, &error)))
            check_error(&error, code, size);
        if (rec.index == 3)
            check_events(m, r, data, size, as_it_is);
    }
    if ((code = pd_metadata_finish(m, r, &error)))
        check_error(&error, code, size);
    check_events(m, r, data, size, as_it_is);
    for (size_t i = 0; i < pd_metadata_n_findings(m); i++)
        check_error(pd_metadata_finding(m, i), pd_metadata_finding(m, i)->code, UINT64_MAX);
    pd_metadata_close(m);
    pd_reader_close(r);
}

/* ---- What records mean */

static void check_sample(struct pd_session *s, const struct pd_sample *sample, unsigned cpumode)
{
    const struct pd_mapping *m = pd_session_find_mapping(s, sample->pid, sample->ip, cpumode);
    const struct pd_session_task *task = pd_session_find_task(s, sample->tid);
    char dso[32];
    if (task)
        CHECK(task->tid == sample->tid && task->comm && (task->n_namespaces == 0 || task->namespaces));
    if (m == NULL)
        return;
    CHECK(m->start <= sample->ip && (m->size == 0 || sample->ip - m->start < m->size));
    CHECK(strlen(m->file) == m->file_len);
    CHECK(pd_mapping_dso(m, dso, sizeof dso) >= strlen(dso));
}

static void check_session(const uint8_t *data, size_t size, const struct pd_reader_options *options)
{
    const struct pd_sorter_options order = {
        .size = sizeof order, .allocator = options->allocator, .kind = PD_SORT_TIME};
    const struct pd_session_options how = {
        .size = sizeof how, .allocator = options->allocator, .memory = INFLATE_MOST / 4, .exited = 2};
    struct pd_record rec = {0};
    struct pd_error error;
    struct pd_reader *r;
    struct pd_sorter *sorter;
    struct pd_session *s;
    enum pd_code code;
    CHECK(pd_reader_open_memory(&r, data, size, options, NULL) == PD_OK);
    CHECK(pd_sorter_open(&sorter, r, &order, NULL) == PD_OK);
    CHECK(pd_session_new(&s, &how, NULL) == PD_OK);
    while ((code = pd_sorter_next(sorter, &rec, &error)) != PD_END) {
        if (code)
            continue;
        if ((code = pd_session_record(s, &rec, &error)))
            check_error(&error, code, size);
        if (rec.type == PD_RECORD_SAMPLE && pd_reader_decode(r, &rec, NULL) == PD_OK)
            check_sample(s, &rec.u.sample, rec.misc & PD_MISC_CPUMODE);
    }
    pd_session_free(s);
    pd_sorter_close(sorter);
    pd_reader_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const unsigned turns = turns_of(data, size);
    struct heap heap = {0};
    const struct pd_allocator allocator = {heap_resize, heap_release, &heap};
    const struct pd_reader_options options = {
        .size = sizeof options, .allocator = &allocator, .max_inflate = INFLATE_MOST};
    struct pd_reader *r = NULL;
    struct pd_error error = {0};
    const enum pd_code code = pd_reader_open_memory(&r, data, size, &options, &error);
    CHECK((r == NULL) == (code != PD_OK));
    if (code) {
        check_error(&error, code, size);
    } else {
        check_extents(r, size);
        check_tables(r, size);
        const bool compressed = check_records(r, size);
        if (turns & 0x03) {
            check_rewrite(r, data, size, false);
            check_rewrite(r, data, size, true);
        }
        if (turns & 0x04)
            check_skim(data, size, &options);
        if (turns & 0x08)
            check_text(data, size, &options);
        if (turns & 0x0c)
            check_short_ways(data, size, &options);
        if (turns & 0x30)
            check_metadata(data, size, &options);
        const size_t most = 64 * size + ((size_t)1 << 20) + (compressed ? ZSTD_MOST : 0);
        CHECK(heap.peak <= most);
        if (turns & 0xc0)
            check_session(data, size, &options);
        CHECK(heap.peak <= most + ((size_t)1 << 20));
    }
    pd_reader_close(r);
    CHECK(heap.blocks == 0 && heap.bytes == 0);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    struct mutation m = mutation_of(data, size, max, seed);
    return mutate_file(&m);
}
