/* SPDX-License-Identifier: MIT */
/*
 * filter.c - the records that pd_filter() keeps, on recordings made by hand. Each record of the input has a
 * letter; a test lists the letters of the output, in order, and the bytes of each are compared.
 */
#include "fuzz/image.h"
#include "cmocka_all.h"
#include "heap.h"
#include <errno.h>
#include <perfdata/ops/filter.h>
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

/* A record of `n` bytes without a meaning here. */
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

static void namespaces(struct recording *r, char letter)
{
    begin(r, letter, 16);
    task(r);
    image_u64(&r->im, 0);
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
 * Init (1, "init") forks shell (5, "sh"), which forks ls (7) and has a thread 6; there is another task (8,
 * "other"). Small letters are samples: i of init; s of the shell, t and u of its thread; l, m and n of ls; o
 * of the other.
 */
static void records(struct recording *r)
{
    other(r, 'X', 69, 8); /* ID_INDEX */
    r->misc = 1;
    be(r, UINT32_MAX, 0, 0, 0), map(r, 'K', false); /* the kernel */
    r->misc = 0;
    be(r, 1, 1, 0, 0), comm(r, 'I', "init\0\0\0"), map(r, 'M', true);
    be(r, 8, 8, 0, 0), comm(r, 'O', "other\0\0"), map(r, 'P', true), other(r, 'Y', 17, 24),
        other(r, 'Z', 60, 8);
    be(r, 5, 5, 10, 1), fork_or_exit(r, 'F', 7, 1, 1), comm(r, 'S', "sh\0\0\0\0\0"), map(r, 'N', false);
    be(r, 1, 1, 11, 0), sample(r, 'i');
    be(r, 5, 5, 20, 1), sample(r, 's'), other(r, 'W', 14, 0);
    be(r, 5, 6, 21, 0), fork_or_exit(r, 'G', 7, 5, 5), sample(r, 't'), comm(r, 'T', "thread\0");
    be(r, 5, 6, 22, 1), sample(r, 'u'), other(r, 'A', 11, 24); /* u: the thread, renamed */
    be(r, 7, 7, 30, 1), fork_or_exit(r, 'H', 7, 5, 5), namespaces(r, 'B');
    r->id = 22;
    sample(r, 'l'), other(r, 'L', 2, 16);
    r->id = 11;
    be(r, 7, 7, 31, 0), comm(r, 'C', "ls\0\0\0\0\0"), sample(r, 'm'), fork_or_exit(r, 'E', 4, 5, 5);
    be(r, 7, 7, 32, 0), sample(r, 'n');
    be(r, 8, 8, 40, 2), sample(r, 'o'), other(r, 'V', 15, 8), namespaces(r, 'D'),
        fork_or_exit(r, 'Q', 4, 1, 1);
    begin(r, 'R', 8), task(r), image_u64(&r->im, 99), trailer(r);
    other(r, '.', 68, 0);
}

/* ---- The output */

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
    struct pd_filter_options own = options ? *options : (struct pd_filter_options){0};
    own.size = sizeof own;
    const enum pd_code code = pd_filter(r, &sink, options ? &own : NULL, stats, NULL);
    pd_reader_close(r);
    return code;
}

/* The letters of the output's records, which must be those of the input with their payloads. */
static void letters(const struct recording *in, const struct image *out, char *text)
{
    struct pd_reader *r;
    struct pd_record rec = {0};
    size_t i = 0;
    assert_int_equal(pd_reader_open_memory(&r, out->b, out->n, NULL, NULL), PD_OK);
    while (pd_reader_next(r, &rec, NULL) == PD_OK) {
        const size_t n = rec.size + (size_t)rec.payload_size;
        while (i < in->n &&
               (in->rec[i].end - in->rec[i].at != n || memcmp(in->im.b + in->rec[i].at, rec.raw, n)))
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

#define LIST(name_, ...) \
    .name_ = ((const uint32_t[]){__VA_ARGS__}), .n_##name_ = sizeof((uint32_t[]){__VA_ARGS__}) / 4
#define COMMS(...)                                 \
    .comms = ((const char *const[]){__VA_ARGS__}), \
    .n_comms = sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)
#define TIMES(...)                                          \
    .times = ((const struct pd_time_range[]){__VA_ARGS__}), \
    .n_times = sizeof((struct pd_time_range[]){__VA_ARGS__}) / sizeof(struct pd_time_range)
#define CPUS(...)                                         \
    .cpus = ((const struct pd_cpu_range[]){__VA_ARGS__}), \
    .n_cpus = sizeof((struct pd_cpu_range[]){__VA_ARGS__}) / sizeof(struct pd_cpu_range)
#define CHECK(expected_, ...)                                    \
    do {                                                         \
        const struct pd_filter_options options_ = {__VA_ARGS__}; \
        check(&options_, expected_);                             \
    } while (0)

/* ---- Which records stay */

static void nothing_asked(void **state)
{
    (void)state;
    check(NULL, "XKIMOPYZFSNisWGtTuAHBlLCmEnoVDQR.");
    CHECK("XKIMOPYZFSNisWGtTuAHBlLCmEnoVDQR.", .sideband = PD_SIDEBAND_ALL);
    CHECK("Xistulmno.", .sideband = PD_SIDEBAND_NONE);
}

/* Records of the needed tasks and of their ancestors stay; what happens in between, and threads, included. */
static void needed(void **state)
{
    (void)state;
    CHECK("XKIMYZFSNGTHBlLCmEn.", .keep = {LIST(pids, 7)});
    CHECK("XKIMYZiL.", .keep = {LIST(pids, 1)});
    CHECK("XKIMYZFSNGtTuAL.", .keep = {LIST(tids, 6)});
    CHECK("XKYZL.", .keep = {LIST(pids, 4711)});
}

static void names(void **state)
{
    (void)state;
    CHECK("XKIMYZFSNsWGtTHBlLCE.", .keep = {COMMS("sh")});
    CHECK("XKIMYZFSNGTHBLCmEn.", .keep = {COMMS("ls")});
    CHECK("XKIMYZFSNGTuAHBLCmEn.", .keep = {COMMS("thread", "ls")});
    CHECK("XKOPYZLoVDQR.", .keep = {COMMS("other")});
    CHECK("XKYZL.", .keep = {COMMS("s")});
    CHECK("XKYZL.", .keep = {COMMS(":5")});
}

static void other_lists(void **state)
{
    (void)state;
    CHECK("XKIMYZFSNiGtTHBLCmEn.", .keep = {CPUS({0, 0})});
    CHECK("XKIMOPYZFSNsWGTuAHBlLCEoVDQR.", .keep = {CPUS({1, 1}, {2, 5})});
    CHECK("XKIMYZFSNsWGtTuAL.", .keep = {TIMES({20, 22})});
    CHECK("XKIMOPYZFSNiGTHBLCmEnoVDQR.", .keep = {TIMES({0, 11}, {31, 0})});
    CHECK("XKIMOPYZFSNWGTAHBlLCEVDQ.", .keep = {LIST(events, 1)});
    CHECK("XKIMOPYZFSNisWGtTuAHBLCmEnoVDQR.", .keep = {LIST(events, 0)});
    CHECK("XKIMYZFSNGTuAL.", .keep = {LIST(pids, 5, 7), LIST(tids, 6, 7), CPUS({1, 1}), TIMES({0, 25})});
}

static void excluded(void **state)
{
    (void)state;
    CHECK("XKIMOPYZFSNiGTHBlLCmEnoVDQR.", .drop = {LIST(pids, 5)});
    CHECK("XKIMOPYZFSNisWGTHBlLCmEnoVDQR.", .drop = {LIST(tids, 6)});
    CHECK("XKIMOPYZFSNisWGtTuAHBlLCEoVDQR.", .drop = {COMMS("ls")});
    CHECK("XKIMYZFSNiGtTHBLCmEn.", .drop = {CPUS({1, 2})});
    CHECK("XKIMOPYZFSNiGTHBlLCmEnoVDQR.", .drop = {TIMES({20, 22})});
    CHECK("XKIMOPYZFSNisWGtTuAHBLCmEnoVDQR.", .drop = {LIST(events, 1)});
    CHECK("XKIMYZFSNGTHBlLCE.", .keep = {LIST(pids, 7)}, .drop = {COMMS("ls")});
}

static void types(void **state)
{
    (void)state;
    CHECK("XKIMOPYZFSNisGtTuHBlLCmEnoDQ.", .keep = {LIST(types, PD_RECORD_SAMPLE)});
    CHECK("XKIMYZFSNWGTL.", .keep = {LIST(types, PD_RECORD_SWITCH), LIST(pids, 5)});
    CHECK("XKOYZL.", .keep = {LIST(types, PD_RECORD_COMM), LIST(pids, 8)});
    CHECK("XKIOYZFSNisWGtTuAHBlCmEnoVDQR",
          .drop = {LIST(types, PD_RECORD_LOST, PD_RECORD_FINISHED_ROUND, PD_RECORD_MMAP2)});
    CHECK("KIMYFSNGTHBlLCmEn.", .keep = {LIST(pids, 7)}, .drop = {LIST(types, 60, 69)});
    CHECK("XKYZL.", .keep = {LIST(pids, 7)}, .drop = {LIST(types, PD_RECORD_SAMPLE)});
}

static void sideband(void **state)
{
    (void)state;
    CHECK("Xlmn.", .keep = {LIST(pids, 7)}, .sideband = PD_SIDEBAND_NONE);
    CHECK("XlCmn.", .keep = {LIST(pids, 7), LIST(types, PD_RECORD_SAMPLE, PD_RECORD_COMM)},
          .sideband = PD_SIDEBAND_NONE);
    CHECK("XYlLmn.", .keep = {LIST(pids, 7), LIST(types, 9, 2, 17)}, .sideband = PD_SIDEBAND_NONE);
    CHECK("XKIMOPYZFSNWGTAHBlLCmEnVDQR.", .keep = {LIST(pids, 7)}, .sideband = PD_SIDEBAND_ALL);
    CHECK("XKIMOPYZFSNGTHBlLCmEnVDQR.", .keep = {LIST(pids, 7)}, .drop = {LIST(types, 14, 11)},
          .sideband = PD_SIDEBAND_ALL);
}

static void thinning(void **state)
{
    (void)state;
    CHECK("Xiun.", .every = 3, .sideband = PD_SIDEBAND_NONE);
    CHECK("Xis.", .limit = 2, .sideband = PD_SIDEBAND_NONE);
    CHECK("Xit.", .every = 2, .limit = 2, .sideband = PD_SIDEBAND_NONE);
    CHECK("XKIMOPYZFSNisWGTALVDQR.", .limit = 2); /* 7 is not needed */
    CHECK("Xln.", .keep = {LIST(pids, 7)}, .every = 2, .sideband = PD_SIDEBAND_NONE);
    CHECK("Xistulmno.", .every = 1, .limit = 8, .sideband = PD_SIDEBAND_NONE);
}

/* ---- Small recordings of their own */

/* Filters, and checks which letters are kept. */
static void kept(struct recording *in, const struct pd_filter_options *options, const char *expected,
                 struct pd_filter_stats *stats)
{
    struct file out = {0};
    struct pd_filter_stats own;
    char text[MOST + 1];
    assert_int_equal(filter(&in->im, options, &out, stats ? stats : &own), PD_OK);
    letters(in, &out.im, text);
    assert_string_equal(text, expected);
    image_free(&out.im);
}

/* Modes 0 to 7: unknown, kernel, user, hypervisor, guest kernel, guest user, and two without a name. */
static void modes(void **state)
{
    struct recording in;
    (void)state;
    header(&in, true);
    for (unsigned i = 0; i < 8; i++)
        in.misc = i | 0x4000, sample(&in, (char)('a' + i));
    finish(&in);
    kept(&in, &(struct pd_filter_options){.all_user = true}, "acdfgh", NULL);
    kept(&in, &(struct pd_filter_options){.all_kernel = true}, "abdegh", NULL);
    image_free(&in.im);
}

static void nameless(void **state)
{
    struct recording in;
    (void)state;
    header(&in, false);
    be(&in, 5, 5, 10, 0), sample(&in, 'a');
    be(&in, UINT32_MAX, UINT32_MAX, 11, 0), sample(&in, 'b');
    be(&in, 0, 0, 12, 0), sample(&in, 'c');
    be(&in, 5, 5, 20, 0), comm(&in, 'A', "late\0\0\0"), sample(&in, 'd');
    be(&in, 5, 5, 30, 0), comm(&in, 'B', ":5\0\0\0\0\0"), sample(&in, 'e');
    finish(&in);
    kept(&in, &(struct pd_filter_options){.keep = {COMMS(":5")}}, "aABe", NULL);
    kept(&in, &(struct pd_filter_options){.keep = {COMMS(":-1")}}, "b", NULL);
    kept(&in,
         &(struct pd_filter_options){
             .keep = {COMMS(":4294967295", ":05", ":", ": 5", ":+5", ":5 ", ":-0", ":5x")}},
         "", NULL);
    kept(&in, &(struct pd_filter_options){.keep = {COMMS("swapper")}}, "c", NULL);
    image_free(&in.im);
}

/* A map belongs to the process that perf finds: tid 6 is a thread of 5 until a FORK says otherwise. */
static void reused_tids(void **state)
{
    struct recording in;
    (void)state;
    header(&in, false);
    be(&in, 5, 5, 10, 0), comm(&in, 'A', "five\0\0\0");
    be(&in, 5, 6, 11, 0), comm(&in, 'B', "thread\0");
    be(&in, 6, 6, 20, 0), map(&in, 'M', true);
    be(&in, 9, 9, 21, 0), comm(&in, 'C', "nine\0\0\0");
    be(&in, 5, 5, 30, 0), sample(&in, 'a');
    be(&in, 6, 6, 31, 0), sample(&in, 'b');
    finish(&in);
    kept(&in, &(struct pd_filter_options){.keep = {COMMS("five")}}, "ABMa", NULL);
    kept(&in, &(struct pd_filter_options){.keep = {LIST(pids, 5)}}, "ABMab", NULL);
    kept(&in, &(struct pd_filter_options){.keep = {LIST(pids, 6)}}, "", NULL);
    image_free(&in.im);
}

/* The FORK that names a parent first stays if the parent is needed. */
static void made_parents(void **state)
{
    struct recording in;
    (void)state;
    header(&in, false);
    be(&in, 7, 7, 10, 0), fork_or_exit(&in, 'F', 7, 5, 5);
    be(&in, 8, 8, 11, 0), fork_or_exit(&in, 'G', 7, 5, 5);
    be(&in, 5, 5, 20, 0), sample(&in, 'a');
    finish(&in);
    kept(&in, &(struct pd_filter_options){.keep = {LIST(pids, 5)}}, "Fa", NULL);
    image_free(&in.im);
}

/* A sample of another cpu tells perf of no task, but b, the next one of its task, does: 6 belongs to 5. */
static void one_cpu(void **state)
{
    const struct pd_filter_options options = {.keep = {LIST(pids, 6), CPUS({1, 1})}};
    struct recording in;
    (void)state;
    for (int told = 0; told < 2; told++) {
        header(&in, false);
        be(&in, 5, 6, 10, 0), sample(&in, 'a');
        be(&in, 5, 6, 11, told ? 1 : 0), sample(&in, 'b');
        be(&in, 6, 6, 20, 1), map(&in, 'M', true), sample(&in, 'c');
        finish(&in);
        kept(&in, &options, told ? "" : "Mc", NULL);
        image_free(&in.im);
    }
}

/* ---- Deferred call chains */

static void chain_sample(struct recording *r, char letter, uint64_t cookie)
{
    begin(r, letter, 9);
    image_u64(&r->im, r->id);
    task(r);
    image_u64(&r->im, r->time);
    image_u64(&r->im, 3);
    image_u64(&r->im, 0xffffffff81000000);
    image_u64(&r->im, cookie ? UINT64_C(0xfffffffffffffd80) : 1);
    image_u64(&r->im, cookie);
    end(r);
}

static void chain_rest(struct recording *r, char letter, uint64_t cookie)
{
    begin(r, letter, 22);
    image_u64(&r->im, cookie);
    image_u64(&r->im, 1);
    image_u64(&r->im, 0x400000);
    task(r);
    image_u64(&r->im, r->time);
    image_u64(&r->im, r->id);
    end(r);
}

/* Deferred call chains stay with their sample: same cookie, same thread; also if they are before it. */
static void deferred(void **state)
{
    struct recording in;
    const uint64_t bits = (UINT64_C(1) << 18) | (UINT64_C(1) << 38);
    (void)state;
    header(&in, false);
    for (int i = 0; i < 2; i++) {
        image_set(&in.im, 120 + 128 * (size_t)i + 24, ST_IDENTIFIER | ST_TID | ST_TIME | ST_CALLCHAIN, 8);
        image_set(&in.im, 120 + 128 * (size_t)i + 40, bits, 8);
    }
    be(&in, 5, 5, 10, 0), chain_rest(&in, 'A', 1), chain_sample(&in, 'a', 1);
    be(&in, 5, 6, 20, 0), chain_sample(&in, 'b', 2), chain_rest(&in, 'B', 2), chain_sample(&in, 'd', 0);
    be(&in, 7, 7, 30, 0), chain_sample(&in, 'c', 2), chain_rest(&in, 'C', 2), chain_rest(&in, 'D', 9);
    finish(&in);
    kept(&in, &(struct pd_filter_options){.keep = {LIST(tids, 5)}}, "Aa", NULL);
    kept(&in, &(struct pd_filter_options){.keep = {LIST(pids, 5)}}, "AabBd", NULL);
    kept(&in, &(struct pd_filter_options){.keep = {LIST(pids, 7)}, .sideband = PD_SIDEBAND_NONE}, "cC", NULL);
    kept(&in, &(struct pd_filter_options){.keep = {LIST(pids, 7)}, .sideband = PD_SIDEBAND_ALL}, "ABcCD",
         NULL);
    kept(&in, &(struct pd_filter_options){.drop = {LIST(types, 22)}}, "abdc", NULL);
    kept(&in, &(struct pd_filter_options){.keep = {LIST(types, 22)}}, "ABCD", NULL);
    kept(&in, NULL, "AabBdcC", NULL);
    image_free(&in.im);
}

/* Five hundred deferred chains. */
static void many_chains(void **state)
{
    struct pd_filter_stats stats;
    struct recording in;
    struct file out = {0};
    (void)state;
    header(&in, false);
    for (size_t i = 0; i < 2; i++) {
        image_set(&in.im, 120 + 128 * i + 24, ST_IDENTIFIER | ST_TID | ST_TIME | ST_CALLCHAIN, 8);
        image_set(&in.im, 120 + 128 * i + 40, (UINT64_C(1) << 18) | (UINT64_C(1) << 38), 8);
    }
    for (unsigned i = 1; i <= 500; i++) {
        be(&in, i % 3, i % 3, i, 0);
        in.n = 0;
        chain_sample(&in, 'a', i * 8);
        chain_rest(&in, 'A', i * 8);
    }
    finish(&in);
    assert_int_equal(filter(&in.im, &(struct pd_filter_options){.keep = {LIST(pids, 1)}}, &out, &stats),
                     PD_OK);
    assert_int_equal(stats.kept_samples, 167);
    assert_int_equal(stats.kept_others, 167);
    image_free(&in.im);
    image_free(&out.im);
}

/* ---- Sections */

static void auxtrace(struct recording *r, char letter, size_t payload)
{
    begin(r, letter, 71);
    image_u64(&r->im, payload);
    image_zeros(&r->im, 32);
    image_end(&r->im, r->rec[r->n].at);
    image_pattern(&r->im, payload);
    r->rec[r->n++].end = r->im.n;
}

/* Features: times, an index with or without its count, an unknown one, an empty one. */
static void features(struct recording *r, bool with_count)
{
    static const unsigned numbers[] = {18, 20, 21, 99};
    struct image *im = &r->im;
    finish(r);
    const size_t table = im->n;
    image_zeros(im, 64);
    for (size_t i = 0; i < 4; i++) {
        const size_t at = im->n;
        image_feature(im, numbers[i], 8);
        if (numbers[i] == 18 && with_count)
            image_u64(im, 3);
        if (numbers[i] == 18) {
            for (size_t k = 0; k < r->n; k++)
                if (r->rec[k].letter >= 'A' && r->rec[k].letter <= 'C')
                    image_u64(im, r->rec[k].at), image_u64(im, 48);
            image_u64(im, 0x123456); /* points to no record */
            image_u64(im, 48);
        }
        if (numbers[i] == 21)
            image_u64(im, 1), image_u64(im, 1000), image_u32(im, 0xabcdef);
        if (numbers[i] == 99)
            image_pattern(im, 70001);
        image_section(im, table + 16 * i, at, im->n - at);
    }
}

static uint64_t number(struct pd_reader *r, uint64_t offset)
{
    uint8_t bytes[8];
    assert_int_equal(pd_reader_read(r, offset, bytes, sizeof bytes, NULL), PD_OK);
    const struct pd_vec v = {bytes, 1, 8, (uint8_t)pd_reader_info(r)->order};
    return pd_vec_at(&v, 0);
}

/* Each entry of the index points to an AUXTRACE record with its original payload. */
static void check_index(struct pd_reader *r, const struct recording *in, bool with_count)
{
    static const size_t payloads[] = {16, 70000, 8};
    const struct pd_feature_section *f = pd_reader_find_feature(r, 18);
    uint64_t at = f->section.offset;
    assert_int_equal(f->section.size, 4 * 16 + 8 * with_count);
    if (with_count) {
        assert_int_equal(number(r, at), 3);
        at += 8;
    }
    for (size_t i = 0; i < 3; i++, at += 16) {
        uint8_t was[56], is[56];
        const uint64_t place = number(r, at);
        size_t k = 0;
        while (in->rec[k].letter != (char)('A' + i))
            k++;
        memcpy(was, in->im.b + in->rec[k].at, sizeof was);
        assert_int_equal(pd_reader_read(r, place, is, sizeof is, NULL), PD_OK);
        assert_memory_equal(is, was, sizeof is);
        assert_int_equal(number(r, place + 8), payloads[i]);
        assert_int_equal(number(r, at + 8), 48);
    }
    assert_int_equal(number(r, at), 0x123456);
}

static void check_sections(struct pd_reader *r, const struct recording *in)
{
    const struct pd_feature_section *times = pd_reader_find_feature(r, 21),
                                    *other_one = pd_reader_find_feature(r, 99);
    uint8_t bytes[72], name[72];
    struct image pattern = {0};
    assert_int_equal(pd_reader_n_features(r), 4);
    assert_int_equal(pd_reader_find_feature(r, 20)->section.size, 0);
    assert_int_equal(times->section.size, 20);
    assert_int_equal(number(r, times->section.offset), 40);
    assert_int_equal(number(r, times->section.offset + 8), 60);
    assert_int_equal(other_one->section.size, 70001);
    image_pattern(&pattern, 70001);
    assert_int_equal(pd_reader_read(r, other_one->section.offset + 69990, bytes, 11, NULL), PD_OK);
    assert_memory_equal(bytes, pattern.b + 69990, 11);
    image_free(&pattern);
    assert_int_equal(pd_reader_info(r)->header.event_types.size, 72);
    assert_int_equal(pd_reader_read(r, pd_reader_info(r)->header.event_types.offset, name, 72, NULL), PD_OK);
    assert_memory_equal(name, in->im.b + in->data - 72, 72);
    assert_int_equal(pd_reader_n_attrs(r), 2);
    assert_int_equal(pd_reader_attr(r, 1)->ids[0], 22);
    assert_int_equal(pd_reader_info(r)->header.attr_size, 128);
}

static void sections(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        struct recording in;
        struct file out = {0};
        struct pd_reader *r;
        struct pd_filter_stats stats;
        char text[MOST + 1];
        header(&in, k & 1);
        be(&in, 5, 5, 20, 0), sample(&in, 'a'), auxtrace(&in, 'A', 16);
        be(&in, 7, 7, 60, 0), sample(&in, 'b'), auxtrace(&in, 'B', 70000);
        be(&in, 7, 7, 40, 0), sample(&in, 'c'), auxtrace(&in, 'C', 8);
        be(&in, 7, 7, 0, 0), sample(&in, 'd'); /* without a time */
        features(&in, k & 2);
        assert_int_equal(filter(&in.im, &(struct pd_filter_options){.keep = {LIST(pids, 7)}}, &out, &stats),
                         PD_OK);
        letters(&in, &out.im, text);
        assert_string_equal(text, "AbBcCd");
        assert_true(stats.first == 40 && stats.last == 60);
        assert_int_equal(pd_reader_open_memory(&r, out.im.b, out.im.n, NULL, NULL), PD_OK);
        assert_int_equal(stats.bytes, pd_reader_info(r)->header.data.size);
        check_index(r, &in, k & 2);
        check_sections(r, &in);
        pd_reader_close(r);
        image_free(&in.im);
        image_free(&out.im);
    }
}

/* Without AUXTRACE records their index is empty; without samples there is no time. */
static void emptied_sections(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct recording in;
        struct file out = {0};
        struct pd_reader *r;
        header(&in, k);
        be(&in, 5, 5, 20, 0), sample(&in, 'a'), auxtrace(&in, 'A', 16);
        features(&in, k);
        assert_int_equal(
            filter(&in.im, &(struct pd_filter_options){.drop = {LIST(types, 9, 71)}}, &out, NULL), PD_OK);
        assert_int_equal(pd_reader_open_memory(&r, out.im.b, out.im.n, NULL, NULL), PD_OK);
        const struct pd_feature_section *index = pd_reader_find_feature(r, 18),
                                        *times = pd_reader_find_feature(r, 21);
        assert_int_equal(index->section.size, 8 * k);
        if (k)
            assert_int_equal(number(r, index->section.offset), 0);
        assert_int_equal(number(r, times->section.offset), 0);
        assert_int_equal(number(r, times->section.offset + 8), 0);
        pd_reader_close(r);
        image_free(&in.im);
        image_free(&out.im);
    }
}

/* ---- Damage */

struct findings {
    size_t n;
    struct pd_error last;
};

static void on_finding(void *user, const struct pd_error *error)
{
    struct findings *f = user;
    f->n++;
    f->last = *error;
}

static void damage(void **state)
{
    struct recording in;
    struct findings found = {0};
    struct pd_filter_stats stats;
    const struct pd_filter_options options = {.keep = {LIST(pids, 5)}, .finding = on_finding, .user = &found};
    (void)state;
    header(&in, false);
    be(&in, 5, 5, 10, 0), sample(&in, 'a');
    in.id = 99, be(&in, 8, 8, 11, 0),
    sample(&in, 'b'); /* no event has this id, but all have the same layout */
    in.id = 11;
    begin(&in, 'c', 9), image_u64(&in.im, 11), end(&in); /* too short for its task */
    begin(&in, 'D', 3), end(&in);                        /* a COMM without anything */
    be(&in, 5, 5, 12, 0), sample(&in, 'e');
    finish(&in);
    kept(&in, &options, "acDe", &stats);
    assert_true(stats.undecodable == 2 && !stats.damaged && found.n == 2);
    image_set(&in.im, in.rec[4].at + 6, 4, 2); /* an impossible size */
    found.n = 0;
    kept(&in, &options, "acD", &stats);
    assert_true(stats.damaged && found.n == 3 && found.last.code == PD_ESIZE &&
                found.last.offset == in.rec[4].at);
    image_free(&in.im);
}

/* A cut payload is not written, since the records behind it would be taken for the rest of it. */
static void cut_payload(void **state)
{
    struct recording in;
    struct findings found = {0};
    struct pd_filter_stats stats;
    const struct pd_filter_options options = {.finding = on_finding, .user = &found};
    (void)state;
    header(&in, false);
    be(&in, 5, 5, 10, 0), sample(&in, 'a'), auxtrace(&in, 'A', 64);
    in.im.n -= 8;
    finish(&in);
    kept(&in, &options, "a", &stats);
    assert_true(stats.damaged && found.n == 1 && found.last.code == PD_ETRUNC);
    image_free(&in.im);
}

static void failures(void **state)
{
    struct recording in;
    struct file out = {.fail = ENOSPC};
    struct pd_filter_stats stats;
    struct pd_reader *r;
    const struct pd_sink no_patch = {file_write, NULL, &out};
    (void)state;
    header(&in, false), records(&in), finish(&in);
    assert_int_equal(filter(&in.im, NULL, &out, &stats), PD_EOUT);
    assert_int_equal(pd_reader_open_memory(&r, in.im.b, in.im.n, NULL, NULL), PD_OK);
    assert_int_equal(pd_filter(r, &no_patch, NULL, NULL, NULL), PD_EARG);
    pd_reader_close(r);
    image_free(&in.im);
    image_free(&out.im);
}

/* ---- Other containers */

/* A pipe stream stays a stream; the time of its samples is in a record. */
static void pipe_streams(void **state)
{
    struct recording in = {.id = 11};
    struct file out = {0};
    struct pd_filter_stats stats;
    char text[MOST + 1];
    (void)state;
    image_start(&in.im, false, 16, 0);
    begin(&in, 'A', 64), image_attr(&in.im, 112, 112, ST, true), image_u64(&in.im, 11), end(&in);
    begin(&in, 'T', 80), image_u64(&in.im, 21), image_u64(&in.im, 20), image_u64(&in.im, 20), end(&in);
    be(&in, 7, 7, 15, 0), fork_or_exit(&in, 'F', 7, 5, 5);
    be(&in, 8, 8, 16, 0), sample(&in, 'a');
    be(&in, 7, 7, 20, 0), sample(&in, 'b');
    assert_int_equal(filter(&in.im, &(struct pd_filter_options){.keep = {LIST(pids, 7)}}, &out, &stats),
                     PD_OK);
    letters(&in, &out.im, text);
    assert_string_equal(text, "ATFb");
    assert_int_equal(out.im.n, 16 + stats.bytes);
    image_free(&out.im);
    assert_int_equal(filter(&in.im, &(struct pd_filter_options){.keep = {LIST(pids, 8)}}, &out, &stats),
                     PD_OK);
    image_set(&in.im, in.rec[1].at + 16, 16, 8);
    image_set(&in.im, in.rec[1].at + 24, 16, 8);
    letters(&in, &out.im, text);
    assert_string_equal(text, "ATa");
    image_free(&in.im);
    image_free(&out.im);
}

/*
 * Records inside COMPRESSED ones are written plain if nothing is to be compressed. The zstd frame of one raw
 * block is made by hand.
 */
static void compressed(void **state)
{
    struct recording in, plain;
    struct file out = {0};
    struct pd_filter_stats stats;
    char text[MOST + 1];
    (void)state;
    header(&plain, false);
    be(&plain, 5, 5, 10, 0), comm(&plain, 'C', "five\0\0\0"), sample(&plain, 'a');
    be(&plain, 7, 7, 11, 0), comm(&plain, 'D', "seven\0\0"), sample(&plain, 'b');
    const size_t n = plain.im.n - plain.data;
    header(&in, false);
    begin(&in, 'Z', 81);
    image_bytes(&in.im, "\x28\xb5\x2f\xfd\x20", 5); /* magic; single segment, its size in one byte */
    image_number(&in.im, n, 1);
    image_number(&in.im, n << 3 | 1, 3); /* raw, the last block */
    image_bytes(&in.im, plain.im.b + plain.data, n);
    end(&in), finish(&in);
    const struct pd_filter_options options = {.keep = {COMMS("five")}, .zip = PD_ZIP_NONE};
    assert_int_equal(filter(&in.im, &options, &out, &stats), PD_OK);
    letters(&plain, &out.im, text);
    assert_string_equal(text, "Ca");
    image_free(&plain.im);
    image_free(&in.im);
    image_free(&out.im);
}

/* ---- The time of all samples */

static void time_span(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        struct recording in;
        struct pd_reader *r;
        uint64_t first, last;
        header(&in, k & 1);
        be(&in, 5, 5, 20, 0), sample(&in, 'a');
        be(&in, 5, 5, 0, 0), sample(&in, 'b');
        be(&in, 7, 7, 7, 0), sample(&in, 'c'), comm(&in, 'C', "no time");
        if (k & 2)
            features(&in, true);
        finish(&in);
        image_set(&in.im, IMAGE_DATA + 8, in.rec[3].end - in.data, 8);
        assert_int_equal(pd_reader_open_memory(&r, in.im.b, in.im.n, NULL, NULL), PD_OK);
        assert_int_equal(pd_time_span(r, &first, &last, NULL), PD_OK);
        assert_int_equal(first, k & 2 ? 1 : 7);
        assert_int_equal(last, k & 2 ? 1000 : 20);
        pd_reader_close(r);
        image_free(&in.im);
    }
}

static void no_time_span(void **state)
{
    struct recording in;
    struct pd_reader *r;
    uint64_t first, last;
    (void)state;
    header(&in, false);
    be(&in, 5, 5, 0, 0), sample(&in, 'a');
    finish(&in);
    assert_int_equal(pd_reader_open_memory(&r, in.im.b, in.im.n, NULL, NULL), PD_OK);
    assert_int_equal(pd_time_span(r, &first, &last, NULL), PD_EUNSUP);
    pd_reader_close(r);
    image_free(&in.im);
}

/* ---- Memory */

/* If any allocation fails, the run reports it and frees all it has taken. */
static void out_of_memory(void **state)
{
    struct recording in;
    enum pd_code code = PD_ENOMEM;
    struct heap heap = {0};
    const char *const dso = "file";
    const struct pd_allocator allocator = {heap_resize, heap_release, &heap};
    const struct pd_filter_options options = {
        .allocator = &allocator,
        .keep = {COMMS("sh", "ls", ":12"), LIST(pids, 5, 7), LIST(events, 0, 1)},
        .drop = {LIST(tids, 99), LIST(types, 4), .dsos = &dso, .n_dsos = 1}};
    (void)state;
    header(&in, false), records(&in), auxtrace(&in, 'q', 8), features(&in, true);
    for (size_t n = 1; code == PD_ENOMEM; n++) {
        struct file out = {0};
        heap = (struct heap){.fail_at = n, .once = true};
        code = filter(&in.im, &options, &out, NULL);
        assert_int_equal(heap.blocks, 0);
        image_free(&out.im);
        assert_true(n < 500);
    }
    assert_int_equal(code, PD_OK);
    assert_true(heap.calls > 20);
    image_free(&in.im);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_asked), cmocka_unit_test(needed),           cmocka_unit_test(names),
        cmocka_unit_test(other_lists),   cmocka_unit_test(excluded),         cmocka_unit_test(types),
        cmocka_unit_test(sideband),      cmocka_unit_test(thinning),         cmocka_unit_test(modes),
        cmocka_unit_test(nameless),      cmocka_unit_test(one_cpu),          cmocka_unit_test(reused_tids),
        cmocka_unit_test(made_parents),  cmocka_unit_test(deferred),         cmocka_unit_test(many_chains),
        cmocka_unit_test(sections),      cmocka_unit_test(emptied_sections), cmocka_unit_test(damage),
        cmocka_unit_test(cut_payload),   cmocka_unit_test(failures),         cmocka_unit_test(pipe_streams),
        cmocka_unit_test(compressed),    cmocka_unit_test(time_span),        cmocka_unit_test(no_time_span),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
