/* SPDX-License-Identifier: MIT */
/*
 * fuzz_stream.c - a recording that comes through a pipe in pieces of any size: reading gives the same as from
 * the same bytes in memory, and writing it again gives these bytes. Checks R1, R2, R3, R5, R7, R10, R12.
 *
 * Input: a byte that says how large the pieces are, seven that they depend on, then the recording.
 */
#include "../tests/support/digest.h"
#include "harness.h"
#include "mutator.h"
#include "tests/support/recording.h"

#define STREAM_AT 8

struct feed {
    const uint8_t *bytes;
    size_t size, most;      /* bytes of a piece */
    struct mutation pieces; /* for its random numbers */
};

static int64_t feed_read(void *user, uint64_t offset, void *buf, size_t n)
{
    struct feed *f = user;
    const size_t piece = 1 + (size_t)mutation_random(&f->pieces, f->most);
    size_t got = offset < f->size ? f->size - (size_t)offset : 0;
    got = got < n ? got : n;
    got = got < piece ? got : piece;
    if (got)
        memcpy(buf, f->bytes + offset, got);
    return (int64_t)got;
}

static struct pd_reader *open_stream(struct feed *feed, const struct pd_allocator *allocator)
{
    const struct pd_reader_options options = {
        .size = sizeof options, .allocator = allocator, .window = 1, .max_inflate = INFLATE_MOST};
    const struct pd_source source = {feed_read, NULL, feed, PD_NOWHERE};
    struct pd_error error;
    struct pd_reader *s = NULL;
    const enum pd_code code = pd_reader_open_source(&s, &source, &options, &error);
    if (code)
        check_error(&error, code, UINT64_MAX);
    return s;
}

/* True if a reader that only goes forward finds everything that one that seeks does. */
static bool is_in_order(const struct pd_reader *r)
{
    const struct pd_file_info *info = pd_reader_info(r);
    return info->container != PD_CONTAINER_FILE ||
           (info->header.data.size && !info->truncated && !pd_reader_n_findings(r));
}

static void check_same(struct pd_reader *r, struct pd_reader *s)
{
    const struct digest a = digest_reader(r), b = digest_reader(s);
    CHECK(a.code == b.code && a.records == b.records && a.decoded == b.decoded && a.hash == b.hash);
    CHECK(a.code == PD_END ||
          (a.error.offset == b.error.offset && strcmp(a.error.field, b.error.field) == 0));
    CHECK(pd_reader_n_attrs(r) == pd_reader_n_attrs(s) &&
          pd_reader_info(r)->stray == pd_reader_info(s)->stray);
    if (b.code == PD_END)
        CHECK(pd_reader_n_features(r) == pd_reader_n_features(s));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const size_t most[] = {1, 8, 100, 1000, 10000, 70000, 200000};
    struct heap heap = {0};
    const struct pd_allocator allocator = {heap_resize, heap_release, &heap};
    const struct pd_reader_options options = {
        .size = sizeof options, .allocator = &allocator, .max_inflate = INFLATE_MOST};
    struct pd_reader *r = NULL, *s;
    if (size < STREAM_AT)
        return 0;
    const unsigned turns = turns_of(data, size);
    struct feed feed = {.bytes = data + STREAM_AT,
                        .size = size - STREAM_AT,
                        .most = most[data[0] % (sizeof most / sizeof *most)]};
    memcpy(&feed.pieces.state, data + 1, 7);
    const enum pd_code code = pd_reader_open_memory(&r, feed.bytes, feed.size, &options, NULL);
    s = open_stream(&feed, &allocator);
    if (code == PD_OK && s && is_in_order(r) && turns & 0x7e)
        check_same(r, s);
    else if (s && (code || !is_in_order(r))) /* how long it is was not known when it was opened */
        CHECK(digest_reader(s).code != PD_END || pd_reader_n_findings(s) || code == PD_OK);
    pd_reader_close(s);
    if (code == PD_OK && is_in_order(r) && turns & 0x81) {
        s = open_stream(&feed, &allocator);
        if (s)
            check_rewrite(s, feed.bytes, feed.size, true);
        pd_reader_close(s);
    }
    pd_reader_close(r);
    CHECK(heap.peak <= 128 * size + ((size_t)4 << 20) + 2 * ZSTD_MOST);
    CHECK(heap.blocks == 0 && heap.bytes == 0);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    return mutate_file_behind(STREAM_AT, data, size, max, seed);
}
