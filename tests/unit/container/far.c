/* SPDX-License-Identifier: MIT */
/*
 * far.c - offsets and sizes of more than 32 bits: files whose data, payloads and features are beyond 4 GiB.
 * They are sparse, or only pass through a sink, so that they need no disk space. Most important on machines
 * whose size_t has 32 bits.
 */
#include "fuzz/image.h"
#include "cmocka_all.h"
#include <fcntl.h>
#include <perfdata/perfdata.h>
#include <perfdata/session/metadata.h>
#include <perfdata/writer.h>
#include <sys/stat.h>
#include <unistd.h>

#define FAR ((UINT64_C(5) << 30) + 0x1238) /* offset of the data */
#define HOLE ((UINT64_C(9) << 29) + 16)    /* bytes of a payload: 4.5 GiB */

enum { ST = ST_IDENTIFIER | ST_IP | ST_TID | ST_TIME };

static void sample(struct image *im, uint64_t time)
{
    const size_t at = image_record(im, 9, 2);
    image_u64(im, 7);
    image_u64(im, 0x401000);
    image_u32(im, 100);
    image_u32(im, 101);
    image_u64(im, time);
    image_end(im, at);
}

static void auxtrace(struct image *im, uint64_t payload)
{
    const size_t at = image_record(im, 71, 0);
    image_u64(im, payload);
    image_zeros(im, 32);
    image_end(im, at);
}

static int temporary(void)
{
    char path[] = "/tmp/perfdata-far-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    unlink(path);
    return fd;
}

static void put_image(int fd, const struct image *im, uint64_t at)
{
    assert_true(pwrite(fd, im->b, im->n, (off_t)at) == (ssize_t)im->n);
}

/*
 * Header and attr at the start; at FAR a sample, an AUXTRACE with HOLE bytes behind it, another sample;
 * behind these the feature table and HOSTNAME. 40 bytes are those of a sample, 48 those of an AUXTRACE.
 */
#define SECOND (FAR + 40 + 48 + HOLE)
#define TABLE (SECOND + 40)

static int make_sparse(bool big)
{
    const int fd = temporary();
    struct image im;
    image_start(&im, big, 104, 128);
    image_section(&im, IMAGE_ATTRS, 104, 128);
    image_section(&im, IMAGE_DATA, FAR, 40 + 48 + HOLE + 40);
    image_feature(&im, 3, 8);
    image_attr(&im, 112, 112, ST, true);
    image_ids(&im, 0, 0);
    put_image(fd, &im, 0);
    im.n = 0;
    sample(&im, 1000);
    auxtrace(&im, HOLE);
    put_image(fd, &im, FAR);
    im.n = 0;
    sample(&im, 2000);
    image_zeros(&im, 16);
    image_feature_string(&im, 40, "box", 64);
    image_section(&im, 40, TABLE + 16, 68); /* image_feature_string() thinks that the file starts here */
    put_image(fd, &im, SECOND);
    image_free(&im);
    return fd;
}

static void reading(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        const int fd = make_sparse(big);
        struct pd_reader *r;
        struct pd_metadata *m;
        struct pd_record rec = {0};
        struct pd_error error;
        size_t n;
        assert_int_equal(pd_reader_open_fd(&r, fd, NULL, &error), PD_OK);
        assert_int_equal(pd_reader_n_findings(r), 0);
        assert_true(pd_reader_info(r)->data_offset == FAR && pd_reader_info(r)->data_end == TABLE);
        assert_true(pd_reader_info(r)->file_size == TABLE + 16 + 68);

        assert_int_equal(pd_reader_next(r, &rec, &error), PD_OK);
        assert_int_equal(pd_reader_decode(r, &rec, &error), PD_OK);
        assert_true(rec.offset == FAR && rec.type == PD_RECORD_SAMPLE && rec.u.sample.time == 1000);
        assert_int_equal(pd_reader_next(r, &rec, &error), PD_OK);
        assert_true(rec.offset == FAR + 40 && rec.type == PD_RECORD_AUXTRACE && rec.payload_size == HOLE);
        assert_int_equal(pd_reader_next(r, &rec, &error), PD_OK);
        assert_int_equal(pd_reader_decode(r, &rec, &error), PD_OK);
        assert_true(rec.offset == SECOND && rec.type == PD_RECORD_SAMPLE && rec.u.sample.time == 2000);
        assert_int_equal(pd_reader_next(r, &rec, &error), PD_END);

        const struct pd_feature_section *s = pd_reader_find_feature(r, PD_FEAT_HOSTNAME);
        assert_true(s && s->intact && s->section.offset == TABLE + 16 && s->section.size == 68);
        assert_int_equal(pd_metadata_open(&m, r, NULL, &error), PD_OK);
        assert_string_equal(pd_metadata_text(m, PD_FEAT_HOSTNAME)->ptr, "box");
        pd_metadata_close(m);

        const struct pd_extent *e = pd_reader_extents(r, &n);
        uint64_t at = 0;
        for (size_t i = 0; i < n; at += e[i++].size)
            assert_true(e[i].offset == at);
        assert_true(at == TABLE + 16 + 68);
        pd_reader_close(r);
        close(fd);
    }
}

/* An error at a large offset has that offset. */
static void damage(void **state)
{
    const int fd = make_sparse(false);
    struct pd_reader *r;
    struct pd_record rec = {0};
    struct pd_error error;
    char text[300];
    (void)state;
    assert_true(pwrite(fd, "\4\0", 2, (off_t)(SECOND + 6)) == 2); /* the size of the last record */
    assert_int_equal(pd_reader_open_fd(&r, fd, NULL, &error), PD_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pd_reader_next(r, &rec, &error), PD_OK);
    assert_int_equal(pd_reader_next(r, &rec, &error), PD_ESIZE);
    assert_true(error.offset == SECOND && pd_reader_offset(r) == SECOND);
    pd_error_text(&error, text, sizeof text);
    assert_non_null(strstr(text, "10200552096")); /* SECOND */
    pd_reader_close(r);
    close(fd);
}

/* ---- Writing: only the header and the last bytes are kept. */

struct written {
    uint64_t n;
    uint8_t head[104], tail[256];
};

static int take(void *user, const void *bytes, size_t n)
{
    struct written *w = user;
    const uint8_t *b = bytes;
    for (size_t i = 0; i < n && w->n + i < sizeof w->head; i++)
        w->head[w->n + i] = b[i];
    for (size_t i = n > sizeof w->tail ? n - sizeof w->tail : 0; i < n; i++)
        w->tail[(w->n + i) % sizeof w->tail] = b[i];
    w->n += n;
    return 0;
}

static int patch(void *user, uint64_t at, const void *bytes, size_t n)
{
    struct written *w = user;
    const uint8_t *b = bytes;
    assert_true(at + n <= w->n);
    for (size_t i = 0; i < n; i++)
        if (at + i < sizeof w->head)
            w->head[at + i] = b[i];
        else if (at + i + sizeof w->tail >= w->n)
            w->tail[(at + i) % sizeof w->tail] = b[i];
    return 0;
}

static uint64_t word_of(const struct written *w, uint64_t at)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++)
        value |= (uint64_t)(at < sizeof w->head ? w->head[at + i] : w->tail[(at + i) % sizeof w->tail])
                 << 8 * i;
    return value;
}

static void writing(void **state)
{
    static const uint8_t zeros[1 << 20];
    static struct written w;
    const struct pd_sink sink = {take, patch, &w};
    const struct pd_writer_options options = {.size = sizeof options, .max_features = 1};
    const struct pd_attr attr = {.type = PD_TYPE_SOFTWARE,
                                 .size = PD_ATTR_SIZE_VER5,
                                 .sample_type =
                                     PD_SAMPLE_IDENTIFIER | PD_SAMPLE_IP | PD_SAMPLE_TID | PD_SAMPLE_TIME};
    const struct pd_feature host = {.id = PD_FEAT_HOSTNAME, .u.hostname.text = PD_STR("box")};
    struct pd_writer *writer;
    struct pd_error error;
    struct image im = {0};
    (void)state;
    assert_int_equal(pd_writer_open(&writer, &sink, &options, &error), PD_OK);
    assert_int_equal(pd_writer_attr(writer, &attr, NULL, 0, &error), PD_OK);
    sample(&im, 1000);
    auxtrace(&im, HOLE);
    assert_int_equal(pd_writer_raw(writer, im.b, im.n, &error), PD_OK);
    for (uint64_t left = HOLE; left; left -= left < sizeof zeros ? left : sizeof zeros)
        assert_int_equal(
            pd_writer_raw(writer, zeros, left < sizeof zeros ? (size_t)left : sizeof zeros, &error), PD_OK);
    assert_int_equal(pd_writer_raw(writer, im.b, 40, &error), PD_OK);
    assert_true(pd_writer_data_size(writer) == 40 + 48 + HOLE + 40);
    assert_int_equal(pd_writer_put_feature(writer, &host, &error), PD_OK);
    assert_int_equal(pd_writer_finish(writer, &error), PD_OK);
    pd_writer_close(writer);
    image_free(&im);
    /*
     * Header: data at 40, its size at 48. Behind the data the table: the place of HOSTNAME, and its size, a
     * multiple of 4 and 64.
     */
    const uint64_t data = word_of(&w, 40), end = data + word_of(&w, 48);
    assert_true(word_of(&w, 48) == 40 + 48 + HOLE + 40);
    assert_true(word_of(&w, end) == end + 16 && word_of(&w, end + 8) == 68);
    assert_true(w.n == end + 16 + 68);
}

static void file_as_sink(void **state)
{
    char path[] = "/tmp/perfdata-far-XXXXXX";
    struct pd_sink sink;
    struct pd_error error;
    struct stat st = {0};
    (void)state;
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(pd_sink_open(&sink, path, NULL, &error), PD_OK);
    assert_int_equal(sink.write(sink.user, "start", 5), 0);
    assert_int_equal(sink.patch(sink.user, FAR, "end", 3), 0);
    assert_int_equal(pd_sink_close(&sink, &error), PD_OK);
    assert_int_equal(stat(path, &st), 0);
    assert_true((uint64_t)st.st_size == FAR + 3);
    char back[4] = "";
    assert_true(pread(fd, back, 3, (off_t)FAR) == 3);
    assert_string_equal(back, "end");
    close(fd);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading),
        cmocka_unit_test(damage),
        cmocka_unit_test(writing),
        cmocka_unit_test(file_as_sink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
