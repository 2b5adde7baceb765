/* SPDX-License-Identifier: MIT */
/*
 * fuzz_file.c - a whole recording in memory: every record is decoded, the parts cover the file, writing it again, copied
 * or with everything encoded anew, gives the same bytes, and all memory, of which there is never much, comes back. Now and
 * then also as a stream that comes in pieces, which must give the same.
 */
#include "digest.h"
#include "harness.h"
#include "mutator.h"
#include <perfdata/writer.h>

#define INFLATE_MOST ((uint64_t)1 << 20) /* bytes that one COMPRESSED record may make here */
#define ZSTD_MOST ((size_t)160 << 20)    /* a frame may ask for a window of 128 MiB */

/* What is written again, compared as it comes. */
struct copy {
    const uint8_t *bytes;
    size_t size, at;
};

static int compare_write(void *user, const void *bytes, size_t n)
{
    struct copy *copy = user;
    CHECK(n <= copy->size - copy->at);
    CHECK(memcmp(copy->bytes + copy->at, bytes, n) == 0);
    copy->at += n;
    return 0;
}

/* An error says what and where, and has a text. */
static void check_error(const struct pd_error *error, enum pd_code code, size_t size)
{
    char text[400];
    CHECK(error->code == code && code != PD_OK && code != PD_END && code != PD_ENOMEM && code != PD_EIO);
    CHECK(error->field && error->offset <= size);
    CHECK(pd_error_text(error, text, sizeof text) < sizeof text);
}

static void check_finding(void *user, const struct pd_error *error)
{
    const struct copy *copy = user;
    check_error(error, error->code, copy->size);
}

static void check_rewrite(struct pd_reader *r, const uint8_t *data, size_t size, bool reencode)
{
    struct copy copy = {data, size, 0};
    const struct pd_sink sink = {.write = compare_write, .user = &copy};
    const struct pd_rewrite_options options = {
        .size = sizeof options, .reencode = reencode, .finding = check_finding, .user = &copy};
    struct pd_rewrite_stats stats;
    struct pd_error error;
    CHECK(pd_rewrite(r, &sink, &options, &stats, &error) == PD_OK);
    CHECK(copy.at == size && stats.bytes == size && stats.differing == 0);
    CHECK(stats.decoded + stats.raw + stats.undecodable <= stats.records);
}

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

/* Everything that can be asked about the header and its tables. */
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
        check_error(pd_reader_finding(r, i), pd_reader_finding(r, i)->code, SIZE_MAX); /* a section may be anywhere */
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

/* ---- The same as a stream */

static int64_t stream_read(void *user, uint64_t offset, void *buf, size_t n)
{
    const struct copy *c = user;
    size_t got = offset < c->size ? c->size - (size_t)offset : 0;
    got = got < n ? got : n;
    got = got < 1000 ? got : 1000;
    if (got)
        memcpy(buf, c->bytes + offset, got);
    return (int64_t)got;
}

static struct pd_reader *open_stream(struct copy *copy, const struct pd_allocator *allocator)
{
    const struct pd_reader_options options = {
        .size = sizeof options, .allocator = allocator, .window = 1, .max_inflate = INFLATE_MOST};
    const struct pd_source source = {stream_read, NULL, copy, PD_NOWHERE};
    struct pd_error error;
    struct pd_reader *s = NULL;
    const enum pd_code code = pd_reader_open_source(&s, &source, &options, &error);
    if (code)
        check_error(&error, code, SIZE_MAX);
    return s;
}

/* Can a reader that only goes forward find all that one that seeks finds? */
static bool is_in_order(const struct pd_reader *r)
{
    const struct pd_file_info *info = pd_reader_info(r);
    return info->container != PD_CONTAINER_FILE || (info->header.data.size && !info->truncated && !pd_reader_n_findings(r));
}

static void check_stream(struct copy copy, const struct pd_reader_options *options)
{
    struct pd_reader *s = open_stream(&copy, options->allocator), *r = NULL;
    CHECK(pd_reader_open_memory(&r, copy.bytes, copy.size, options, NULL) == PD_OK);
    if (s && is_in_order(r)) {
        const struct digest a = digest_reader(r), b = digest_reader(s);
        CHECK(a.code == b.code && a.records == b.records && a.decoded == b.decoded && a.hash == b.hash);
        CHECK(pd_reader_n_attrs(r) == pd_reader_n_attrs(s));
        if (b.code == PD_END)
            CHECK(pd_reader_n_features(r) == pd_reader_n_features(s));
    }
    pd_reader_close(s);
    s = open_stream(&copy, options->allocator);
    if (s && is_in_order(r))
        check_rewrite(s, copy.bytes, copy.size, true);
    pd_reader_close(s);
    pd_reader_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
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
        check_rewrite(r, data, size, false);
        check_rewrite(r, data, size, true);
        CHECK(heap.peak <= 64 * size + ((size_t)1 << 20) + (compressed ? ZSTD_MOST : 0));
        if (size % 4 == 0)
            check_stream((struct copy){data, size, 0}, &options);
    }
    pd_reader_close(r);
    CHECK(heap.blocks == 0 && heap.bytes == 0);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    struct mutation m = {data, size, max, PD_LITTLE, seed};
    return mutate_file(&m);
}
