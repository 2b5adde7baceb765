/* SPDX-License-Identifier: MIT */
/*
 * filter.c - what pd_filter() keeps, on recordings made by hand. Each record of the input has a letter; a test says
 * which letters the output has, in order, and the bytes of each are compared.
 */
#include "../../fuzz/image.h"
#include "cmocka_all.h"
#include <errno.h>
#include <perfdata/filter.h>
#include <stdio.h>

/* ---- A recording whose records have letters */

enum { MOST = 80, ST = ST_IDENTIFIER | ST_IP | ST_TID | ST_TIME | ST_CPU };

struct recording {
    struct image im;
    size_t data;
    struct {
        char letter;
        size_t at, end; /* the payload included */
    } rec[MOST];
    size_t n;
    uint64_t id; /* of the event that records belong to */
    uint32_t pid, tid, cpu;
    uint64_t time;
    unsigned misc;
};

static size_t begin(struct recording *r, char letter, uint32_t type)
{
    assert_true(r->n < MOST);
    r->rec[r->n].letter = letter;
    r->rec[r->n].at = image_record(&r->im, type, r->misc);
    return r->rec[r->n].at;
}

static void end(struct recording *r)
{
    image_end(&r->im, r->rec[r->n].at);
    r->rec[r->n++].end = r->im.n;
}

static void task(struct recording *r)
{
    image_u32(&r->im, r->pid);
    image_u32(&r->im, r->tid);
}

static void cpu(struct recording *r)
{
    image_u32(&r->im, r->cpu);
    image_u32(&r->im, 0);
}

static void trailer(struct recording *r)
{
    task(r);
    image_u64(&r->im, r->time);
    cpu(r);
    image_u64(&r->im, r->id);
    end(r);
}

/* A record of `n` bytes that mean nothing here. */
static void other(struct recording *r, char letter, uint32_t type, size_t n)
{
    begin(r, letter, type);
    image_zeros(&r->im, n);
    if (type < 64)
        trailer(r);
    else
        end(r);
}

static void sample(struct recording *r, char letter)
{
    begin(r, letter, 9);
    image_u64(&r->im, r->id);
    image_u64(&r->im, 0x400000);
    task(r);
    image_u64(&r->im, r->time);
    cpu(r);
    end(r);
}

static void comm(struct recording *r, char letter, const char name[8])
{
    begin(r, letter, 3);
    task(r);
    image_bytes(&r->im, name, 8);
    trailer(r);
}

/* FORK or EXIT. */
static void fork_or_exit(struct recording *r, char letter, uint32_t type, uint32_t ppid, uint32_t ptid)
{
    begin(r, letter, type);
    image_u32(&r->im, r->pid);
    image_u32(&r->im, ppid);
    image_u32(&r->im, r->tid);
    image_u32(&r->im, ptid);
    image_u64(&r->im, r->time);
    trailer(r);
}

static void map(struct recording *r, char letter, bool two)
{
    begin(r, letter, two ? 10 : 1);
    task(r);
    image_zeros(&r->im, two ? 56 : 24);
    image_bytes(&r->im, "/bin/ls", 8);
    trailer(r);
}

static void be(struct recording *r, uint32_t pid, uint32_t tid, uint64_t time, uint32_t on)
{
    r->pid = pid, r->tid = tid, r->time = time, r->cpu = on;
}

static void header(struct recording *r, bool big)
{
    struct image *im = &r->im;
    *r = (struct recording){.id = 11};
    image_start(im, big, 104, 128);
    image_u64(im, 11);
    image_u64(im, 22);
    image_section(im, IMAGE_ATTRS, im->n, 256);
    image_attr(im, 112, 112, ST, true);
    image_ids(im, 104, 8);
    image_attr(im, 112, 112, ST, true);
    image_ids(im, 112, 8);
    image_section(im, IMAGE_TYPES, im->n, 72);
    image_u64(im, 7);
    image_bytes(im, "an old name\0and what is left of it", 34);
    image_zeros(im, 30);
    r->data = im->n;
}

static void finish(struct recording *r)
{
    image_section(&r->im, IMAGE_DATA, r->data, r->im.n - r->data);
}

/*
 * Init (1, "init") forks shell (5, "sh"), which forks ls (7) and has a thread 6; and another task (8, "other"). Small
 * letters are samples: i of init, s and t of the shell and its thread, l of ls, o of the other.
 */
static void records(struct recording *r)
{
    other(r, 'X', 69, 8);            /* ID_INDEX */
    r->misc = 1;
    be(r, UINT32_MAX, 0, 0, 0), map(r, 'K', false); /* the kernel */
    r->misc = 0;
    be(r, 1, 1, 0, 0), comm(r, 'I', "init\0\0\0"), map(r, 'M', true);
    be(r, 8, 8, 0, 0), comm(r, 'O', "other\0\0"), map(r, 'P', true), other(r, 'Y', 17, 24), other(r, 'Z', 60, 8);
    be(r, 5, 5, 10, 1), fork_or_exit(r, 'F', 7, 1, 1), comm(r, 'S', "sh\0\0\0\0\0"), map(r, 'N', false);
    be(r, 1, 1, 11, 0), sample(r, 'i');
    be(r, 5, 5, 20, 1), sample(r, 's'), other(r, 'W', 14, 0);
    be(r, 5, 6, 21, 0), fork_or_exit(r, 'G', 7, 5, 5), sample(r, 't'), comm(r, 'T', "thread\0");
    be(r, 5, 6, 22, 1), sample(r, 'T' + 32 + 1), other(r, 'A', 11, 24); /* u: the thread, renamed */
    be(r, 7, 7, 30, 1), fork_or_exit(r, 'H', 7, 5, 5), other(r, 'B', 16, 16);
    r->id = 22;
    sample(r, 'l'), other(r, 'L', 2, 16);
    r->id = 11;
    be(r, 7, 7, 31, 0), comm(r, 'C', "ls\0\0\0\0\0"), sample(r, 'm'), fork_or_exit(r, 'E', 4, 5, 5), sample(r, 'n');
    be(r, 8, 8, 40, 2), sample(r, 'o'), other(r, 'V', 15, 8), other(r, 'D', 16, 16), fork_or_exit(r, 'Q', 4, 1, 1);
    begin(r, 'R', 8), task(r), image_u64(&r->im, 99), trailer(r);
    other(r, '.', 68, 0);
}

/* ---- What comes out */

struct file {
    struct image im;
    int fail; /* errno of every write */
};

static int file_write(void *user, const void *bytes, size_t n)
{
    struct file *f = user;
    image_bytes(&f->im, bytes, n);
    return f->fail;
}

static int file_patch(void *user, uint64_t offset, const void *bytes, size_t n)
{
    struct file *f = user;
    assert_true(offset <= f->im.n && n <= f->im.n - offset);
    memcpy(f->im.b + offset, bytes, n);
    return 0;
}

static enum pd_code filter(const struct image *im, const struct pd_filter_options *options, struct file *out,
                           struct pd_filter_stats *stats)
{
    const struct pd_sink sink = {file_write, file_patch, out};
    struct pd_reader *r;
    assert_int_equal(pd_reader_open_memory(&r, im->b, im->n, NULL, NULL), PD_OK);
    const enum pd_code code = pd_filter(r, &sink, options, stats, NULL);
    pd_reader_close(r);
    return code;
}

/* The letters of the records in the output, which must be those of the input, payloads included. */
static void letters(const struct recording *in, const struct image *out, char *text)
{
    struct pd_reader *r;
    struct pd_record rec = {0};
    size_t i = 0;
    assert_int_equal(pd_reader_open_memory(&r, out->b, out->n, NULL, NULL), PD_OK);
    while (pd_reader_next(r, &rec, NULL) == PD_OK) {
        const size_t n = rec.size + (size_t)rec.payload_size;
        while (i < in->n && (in->rec[i].end - in->rec[i].at != n || memcmp(in->im.b + in->rec[i].at, rec.raw, n)))
            i++;
        assert_true(i < in->n);
        *text++ = in->rec[i++].letter;
    }
    assert_int_equal(pd_reader_n_findings(r), 0);
    *text = 0;
    pd_reader_close(r);
}

static void check(const struct pd_filter_options *options, const char *expected)
{
    for (int big = 0; big < 2; big++) {
        struct recording in;
        struct file out = {0};
        struct pd_filter_stats stats;
        char text[MOST + 1];
        uint64_t samples = 0;
        header(&in, big), records(&in), finish(&in);
        assert_int_equal(filter(&in.im, options, &out, &stats), PD_OK);
        letters(&in, &out.im, text);
        if (strcmp(text, expected))
            fail_msg("%s, not %s", text, expected);
        for (const char *p = text; *p; p++)
            samples += *p >= 'a' && *p <= 'z';
        assert_int_equal(stats.kept_samples, samples);
        assert_int_equal(stats.samples, 8);
        assert_int_equal(stats.kept_others, strlen(text) - samples);
        assert_int_equal(stats.samples + stats.others, in.n);
        assert_false(stats.damaged || stats.undecodable);
        image_free(&in.im);
        image_free(&out.im);
    }
}

#define KEEP(...) .size = sizeof(struct pd_filter_options), .keep = {__VA_ARGS__}
#define IDS(...) ((const uint32_t[]){__VA_ARGS__}), sizeof((uint32_t[]){__VA_ARGS__}) / 4
#define CHECK(expected_, ...)                                       \
    do {                                                            \
        const struct pd_filter_options options_ = {__VA_ARGS__};    \
        check(&options_, expected_);                                \
    } while (0)

#define LIST(name_, ...) .name_ = ((const uint32_t[]){__VA_ARGS__}), .n_##name_ = sizeof((uint32_t[]){__VA_ARGS__}) / 4
#define COMMS(...) \
    .comms = ((const char *const[]){__VA_ARGS__}), .n_comms = sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)

/* All records, and only those, that are there. */
#define ALL "XKIMOPYZFSNisWGtTuAHBlLCmEnoVDQR."

/* ---- Side-band */

static void everything(void **state)
{
    (void)state;
    check(NULL, ALL);
    CHECK(ALL, .sideband = PD_SIDEBAND_ALL);
    CHECK("XistulmnoD" + 0 * 1, .sideband = PD_SIDEBAND_NONE, .keep = {LIST(types, 9, 16)}, .drop = {LIST(types, 68, 16, 9)});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(everything)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
