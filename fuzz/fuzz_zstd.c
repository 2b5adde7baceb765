/* SPDX-License-Identifier: MIT */
/*
 * fuzz_zstd.c - any bytes as the content of COMPRESSED records, cut into such records anywhere: the result is
 * that of libzstd for the bytes in one piece, damage is reported, memory is bounded, and writing everything
 * again gives the same bytes. Checks R1, R2, R3, R5, R7, R10, R12.
 *
 * Input: a byte of which bit 0 is the order and bit 1 the type of record, a byte that says how large the
 * pieces are, four that they depend on, then the zstd stream.
 */
#include "harness.h"
#include "mutator.h"
#include "tests/support/recording.h"
#include <zstd.h>

#define ZSTD_AT 6
#define MOST 100000

struct trial {
    const uint8_t *bytes;
    size_t n;
    bool big, second;   /* byte order; COMPRESSED2 */
    bool starts_inside; /* a piece begins like a frame, which one may be in the middle of */
    struct image plain; /* what libzstd makes of it */
    bool whole;         /* that is all it makes: no error, no end in the middle */
};

/* ---- What libzstd says */

static void inflate_all(struct trial *t)
{
    static uint8_t out[1 << 16];
    ZSTD_DCtx *z = ZSTD_createDCtx();
    ZSTD_inBuffer in = {t->bytes, t->n, 0};
    size_t hint = 0;
    bool full = false;
    CHECK(z && !ZSTD_isError(ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, 27)));
    do {
        ZSTD_outBuffer o = {out, sizeof out, 0};
        if (ZSTD_isError(hint = ZSTD_decompressStream(z, &o, &in)))
            break;
        full = o.pos == o.size;
        image_bytes(&t->plain, out, o.pos);
    } while ((in.pos < in.size || full) && t->plain.n <= INFLATE_MOST);
    t->whole = hint == 0 && in.pos == in.size && !full && t->plain.n <= INFLATE_MOST;
    ZSTD_freeDCtx(z);
}

/* True if these are whole records without a payload that are not compressed again. */
static bool is_plain(const struct trial *t)
{
    const enum pd_order order = t->big ? PD_BIG : PD_LITTLE;
    size_t at = 0, n;
    for (; t->plain.n - at >= 8; at += n) {
        const uint32_t type = pi_load32(t->plain.b + at, order);
        n = pi_load16(t->plain.b + at + 6, order);
        if (n < 8 || n > t->plain.n - at)
            return false;
        if (type == PD_RECORD_HEADER_TRACING_DATA || type == PD_RECORD_AUXTRACE ||
            type == PD_RECORD_COMPRESSED || type == PD_RECORD_COMPRESSED2 || type == PD_RECORD_HEADER_ATTR)
            return false;
    }
    return at == t->plain.n;
}

/* ---- The recording */

static void add_piece(struct image *im, const struct trial *t, size_t at, size_t n)
{
    const size_t record = image_record(im, t->second ? PD_RECORD_COMPRESSED2 : PD_RECORD_COMPRESSED, 0);
    if (t->second)
        image_u64(im, n);
    image_bytes(im, t->bytes + at, n);
    if (t->second)
        image_zeros(im, -n & 7);
    image_end(im, record);
}

static void make_recording(struct image *im, struct trial *t, struct mutation *pieces, size_t most)
{
    image_start(im, t->big, 16, 0);
    size_t record = image_record(im, PD_RECORD_HEADER_ATTR, 0);
    image_attr(im, 128, 128, IMAGE_ST0, true);
    image_u64(im, 11);
    image_end(im, record);
    for (size_t at = 0, n; at < t->n; at += n) {
        n = 1 + (size_t)mutation_random(pieces, most);
        n = n < t->n - at ? n : t->n - at;
        add_piece(im, t, at, n);
        t->starts_inside |= at && n >= 4 && memcmp(t->bytes + at, "\x28\xb5\x2f\xfd", 4) == 0;
    }
    image_end(im, image_record(im, PD_RECORD_FINISHED_ROUND, 0));
}

/* ---- What must hold */

static void check_reading(const struct trial *t, const struct image *im, struct pd_reader *r)
{
    struct pd_record rec = {0};
    struct pd_error error;
    enum pd_code code;
    size_t at = 0;
    bool damaged = false;
    const bool known = t->whole && !t->starts_inside && is_plain(t);
    while ((code = pd_reader_next(r, &rec, &error)) != PD_END) {
        if (code) {
            check_error(&error, code, im->n);
            damaged = true;
            if (code != PD_EZSTD && code != PD_ELIMIT)
                break;
        } else if (rec.depth) {
            CHECK(!known || (rec.size <= t->plain.n - at && memcmp(rec.raw, t->plain.b + at, rec.size) == 0));
            at += rec.size;
            if ((code = pd_reader_decode(r, &rec, &error)))
                check_error(&error, code, im->n);
        }
    }
    CHECK(!known || (!damaged && at == t->plain.n));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const size_t most[] = {1, 7, 50, 1000, 30000, 65000};
    struct heap heap = {0};
    const struct pd_allocator allocator = {heap_resize, heap_release, &heap};
    const struct pd_reader_options options = {
        .size = sizeof options, .allocator = &allocator, .max_inflate = INFLATE_MOST};
    if (size < ZSTD_AT || size > MOST)
        return 0;
    struct trial t = {
        .bytes = data + ZSTD_AT, .n = size - ZSTD_AT, .big = data[0] & 1, .second = data[0] & 2};
    struct mutation pieces = {.state = pi_load32(data + 2, PD_LITTLE)};
    struct image im;
    struct pd_reader *r;
    t.plain.big = t.big;
    inflate_all(&t);
    make_recording(&im, &t, &pieces, most[data[1] % (sizeof most / sizeof *most)]);
    CHECK(pd_reader_open_memory(&r, im.b, im.n, &options, NULL) == PD_OK);
    check_reading(&t, &im, r);
    check_rewrite(r, im.b, im.n, false);
    check_rewrite(r, im.b, im.n, true);
    pd_reader_close(r);
    CHECK(heap.peak <= 64 * im.n + ((size_t)1 << 20) + ZSTD_MOST);
    CHECK(heap.blocks == 0 && heap.bytes == 0);
    image_free(&t.plain);
    image_free(&im);
    return 0;
}

/* ---- Changes of what is compressed */

static size_t mutate_plain(struct mutation *m, struct image *plain)
{
    static uint8_t bytes[1 << 16];
    struct mutation inside = *m;
    inside.data = bytes;
    inside.size = plain->n;
    inside.max = sizeof bytes;
    inside.bare = true;
    inside.records = 0;
    memcpy(bytes, plain->b, plain->n);
    for (uint64_t n = 1 + mutation_random(m, 4); n; n--) {
        inside.state = mutation_random(m, UINT64_MAX);
        mutate_records(&inside);
    }
    const size_t half =
        mutation_random(m, 4) ? inside.size : (size_t)mutation_random(m, inside.size + 1); /* two frames */
    size_t n = ZSTD_compress(m->data + ZSTD_AT, m->max - ZSTD_AT, bytes, half, 1), more = 0;
    if (!ZSTD_isError(n) && half < inside.size)
        more =
            ZSTD_compress(m->data + ZSTD_AT + n, m->max - ZSTD_AT - n, bytes + half, inside.size - half, 1);
    return ZSTD_isError(n) || ZSTD_isError(more) ? m->size : ZSTD_AT + n + more;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    struct mutation m = {.data = data, .size = size, .max = max, .state = seed};
    if (size < ZSTD_AT || mutation_random(&m, 4) == 0)
        return mutate_blindly(data, size, max);
    if (mutation_random(&m, 8) == 0) {
        mutate_in_place(&m, 0, ZSTD_AT);
        return size;
    }
    struct trial t = {.bytes = data + ZSTD_AT, .n = size - ZSTD_AT};
    m.order = data[0] & 1 ? PD_BIG : PD_LITTLE;
    inflate_all(&t);
    if (t.plain.n && t.plain.n < 1 << 15)
        m.size = mutate_plain(&m, &t.plain);
    image_free(&t.plain);
    return m.size;
}
