/* SPDX-License-Identifier: MIT */
/*
 * frames.c - compressed records stand in zstd frames of the size that the options say: each is decompressed
 * alone, begins with a COMPRESSED record, ends where a record ends, and all together are the records.
 */
#include "cmocka_all.h"
#include "fuzz/image_sink.h"
#include "src/support/wire.h"
#include <perfdata/perfdata.h>
#include <zstd.h>

#define RECORDS 4000u

/* A LOST_SAMPLES record in COMM's place would do as well: all that counts here is its size, from 24 to 88. */
static size_t make_record(unsigned i, uint8_t bytes[88])
{
    const size_t size = 24 + 8 * (i * 7 % 9);
    for (size_t k = 0; k < size; k++)
        bytes[k] = (uint8_t)(i * 31 + k * k);
    pi_store32(bytes, PD_RECORD_COMM, PD_LITTLE);
    pi_store16(bytes + 4, 0, PD_LITTLE);
    pi_store16(bytes + 6, (uint16_t)size, PD_LITTLE);
    return size;
}

static void write_stream(struct image *out, struct image *plain, uint32_t type, uint64_t frame)
{
    const struct pd_writer_options options = {.size = sizeof options,
                                              .order = PD_LITTLE,
                                              .container = PD_CONTAINER_PIPE,
                                              .compression = type,
                                              .frame = frame};
    const struct pd_sink sink = image_sink(out);
    struct pd_writer *w;
    uint8_t bytes[88];
    assert_int_equal(pd_writer_open(&w, &sink, &options, NULL), PD_OK);
    for (unsigned i = 0; i < RECORDS; i++) {
        const size_t size = make_record(i, bytes);
        image_bytes(plain, bytes, size);
        assert_int_equal(pd_writer_raw(w, bytes, size, NULL), PD_OK);
    }
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
}

/* The chunk of a COMPRESSED or COMPRESSED2 record at `at`; n 0: of another type. */
static struct pd_bytes find_chunk(const struct image *im, size_t at)
{
    const uint8_t *p = im->b + at;
    const uint32_t type = pi_load32(p, PD_LITTLE);
    if (type == PD_RECORD_COMPRESSED)
        return (struct pd_bytes){p + 8, pi_load16(p + 6, PD_LITTLE) - 8u};
    if (type == PD_RECORD_COMPRESSED2)
        return (struct pd_bytes){p + 16, (size_t)pi_load64(p + 8, PD_LITTLE)};
    return (struct pd_bytes){NULL, 0};
}

/* Decompresses a frame alone; returns its bytes in `out`, which must be whole records. */
static size_t check_frame(const struct image *frame, uint8_t *out, size_t room)
{
    ZSTD_DCtx *ctx = ZSTD_createDCtx();
    ZSTD_inBuffer from = {frame->b, frame->n, 0};
    ZSTD_outBuffer to = {out, room, 0};
    assert_int_equal(ZSTD_decompressStream(ctx, &to, &from), 0);
    assert_int_equal(from.pos, frame->n);
    ZSTD_freeDCtx(ctx);
    size_t at = 0;
    while (at < to.pos)
        at += pi_load16(out + at + 6, PD_LITTLE);
    assert_int_equal(at, to.pos);
    return to.pos;
}

static void check_frames(uint32_t type, uint64_t size, uint64_t option)
{
    static const uint8_t magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
    static uint8_t got[RECORDS * 88];
    struct image out = {0}, plain = {0}, frame = {0};
    size_t n = 0;
    write_stream(&out, &plain, type, option);
    for (size_t at = 16; at <= out.n;) {
        const bool end = at == out.n;
        const struct pd_bytes chunk = end ? (struct pd_bytes){magic, 0} : find_chunk(&out, at);
        if (frame.n && (end || (chunk.n && memcmp(chunk.ptr, magic, sizeof magic) == 0))) {
            const size_t whole = check_frame(&frame, got + n, sizeof got - n);
            assert_true(whole < size + 88 && (whole >= size || end));
            n += whole;
            frame.n = 0;
        }
        image_bytes(&frame, chunk.ptr, chunk.n);
        at += end ? 1 : pi_load16(out.b + at + 6, PD_LITTLE);
    }
    assert_int_equal(n, plain.n);
    assert_memory_equal(got, plain.b, n);
    image_free(&out);
    image_free(&plain);
    image_free(&frame);
}

static void frames_stand_alone(void **state)
{
    static const uint64_t sizes[] = {1, 89, 1000, 64512, 65536, 100000};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check_frames(PD_RECORD_COMPRESSED, sizes[i], sizes[i]);
        check_frames(PD_RECORD_COMPRESSED2, sizes[i], sizes[i]);
    }
}

/* RECORDS take 224 KB: less than the usual frame. */
static void all_in_one(void **state)
{
    (void)state;
    check_frames(PD_RECORD_COMPRESSED, UINT64_MAX - 88, UINT64_MAX);
    check_frames(PD_RECORD_COMPRESSED, PD_WRITER_FRAME, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(frames_stand_alone), cmocka_unit_test(all_in_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
