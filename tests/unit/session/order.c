/* SPDX-License-Identifier: MIT */
/* order.c - iteration orders over streams made by hand. */
#define _GNU_SOURCE
#include "order_stream.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

static struct pd_sorter_stats last; /* of the last iteration */

static struct pd_sorter *sorter_of(struct pd_reader *r, enum pd_sort_kind kind, size_t memory,
                                   const char *tmpdir)
{
    struct pd_sorter *s;
    const struct pd_sorter_options options = {
        .size = sizeof options, .kind = kind, .memory = memory, .tmpdir = tmpdir};
    assert_int_equal(pd_sorter_open(&s, r, &options, NULL), PD_OK);
    return s;
}

/* Gives all records as text; returns the result of the first call after them. */
static enum pd_code collect(struct pd_reader *r, enum pd_sort_kind kind, size_t memory, char *out, size_t cap)
{
    struct pd_sorter *s = sorter_of(r, kind, memory, NULL);
    struct pd_record rec = {0};
    enum pd_code code;
    size_t n = 0;
    *out = 0;
    while ((code = pd_sorter_next(s, &rec, NULL)) == PD_OK)
        n += name_record(&rec, out + n, cap - n);
    assert_true(n < cap);
    if (code != PD_END)
        assert_int_equal(pd_sorter_next(s, &rec, NULL), PD_END);
    assert_int_equal(pd_sorter_next(s, &rec, NULL), PD_END);
    pd_sorter_get_stats(s, &last);
    pd_sorter_close(s);
    return code;
}

/* The stream is given as `expected`, with any amount of memory. */
static void check(const struct stream *stream, enum pd_sort_kind kind, const char *expected)
{
    static const size_t memories[] = {0, 4096, 600, 1}; /* with little, PD_SORT_CAUSAL is PD_SORT_TIME */
    char text[4096];
    for (size_t i = 0; i < (kind == PD_SORT_CAUSAL ? 2 : sizeof memories / sizeof *memories); i++) {
        struct pd_reader *r;
        assert_int_equal(pd_reader_open_memory(&r, stream->bytes, stream->n, NULL, NULL), PD_OK);
        assert_int_equal(collect(r, kind, memories[i], text, sizeof text), PD_END);
        assert_string_equal(text, expected);
        pd_reader_close(r);
    }
}

static void check_pipe(const char *records, enum pd_sort_kind kind, const char *expected)
{
    struct stream s = {0};
    put_pipe(&s);
    put_text(&s, records);
    check(&s, kind, expected);
    drop(&s);
}

/* ---- One stream */

static void rounds(void **state)
{
    (void)state;
    /* The end of a round gives the records up to the newest of the round before. */
    check_pipe("S10 S30 S20 R S25 S50 S40 R S35 S60 R S1000", PD_SORT_TIME,
               " R R S10 S20 S25 S30 R S35 S40 S50 S60 S1000");
    /* A round without records changes nothing: S5 is not newer than the newest of the round before. */
    check_pipe("S10 R R R S5 R S7 R", PD_SORT_TIME, " R R S10 R R S5 R S7");
    /* No rounds at all. */
    check_pipe("S3 S2 S1 C2", PD_SORT_TIME, " S1 S2 C2 S3");
    check_pipe("", PD_SORT_TIME, "");
    check_pipe("R R", PD_SORT_TIME, " R R");
}

static void late_records(void **state)
{
    (void)state;
    /* S5 and S15 come after S30 was given; they are the first of the waiting ones. */
    check_pipe("S10 S30 R S40 R S15 S5 S50 R S60 R", PD_SORT_TIME, " R R S10 S30 R S5 S15 S40 R S50 S60");
    assert_int_equal(last.late, 2);
    /* A queue that became empty starts over: the limit may then be lower than before. */
    check_pipe("S100 R R S10 S20 R S15 R", PD_SORT_TIME, " R R S100 R S10 S20 R S15");
}

static void equal_times(void **state)
{
    struct stream s = {0};
    struct pd_reader *r;
    struct pd_record rec = {0};
    (void)state;
    put_pipe(&s);
    for (unsigned i = 0; i < 100; i++)
        put_text(&s, i % 7 ? "S20" : i % 2 ? "S10" : "S30");
    for (size_t memory = 1; memory < 4096; memory *= 3) {
        uint64_t index = 0, time = 0;
        assert_int_equal(pd_reader_open_memory(&r, s.bytes, s.n, NULL, NULL), PD_OK);
        struct pd_sorter *o = sorter_of(r, PD_SORT_TIME, memory, NULL);
        while (pd_sorter_next(o, &rec, NULL) == PD_OK) {
            const uint64_t t = rec.type == PD_RECORD_SAMPLE ? word_at(rec.raw + 16) : 0;
            assert_true(t > time || (t == time && rec.index >= index));
            time = t;
            index = rec.index;
        }
        pd_sorter_close(o);
        pd_reader_close(r);
    }
    drop(&s);
}

static void no_times(void **state)
{
    (void)state;
    /*
     * Time 0, all ones, an event without TIME, records of the tool: given at once, before all waiting ones.
     */
    check_pipe("C0 S20 C0 S10 U I S18446744073709551615 R S0 S30 R", PD_SORT_TIME,
               " C0 C0 U I S18446744073709551615 R S0 R S10 S20 S30");
    check_pipe("U U C0", PD_SORT_TIME, " U U C0");
}

static void file_order(void **state)
{
    struct stream data = {0}, s = {0};
    (void)state;
    check_pipe("S30 S20 R S10 R C0 I", PD_SORT_FILE, " S30 S20 R S10 R C0 I");
    /* Files whose first event has not sample_id_all are not sorted. */
    put_text(&data, "S30 S20 R S10 R I");
    put_file(&s, 0, &data);
    check(&s, PD_SORT_TIME, " S30 S20 R S10 R I");
    check(&s, PD_SORT_CAUSAL, " S30 S20 R S10 R I");
    drop(&s);
    put_file(&s, PD_ATTR_SAMPLE_ID_ALL, &data);
    check(&s, PD_SORT_TIME, " R R S10 S20 S30 I");
    drop(&s);
    drop(&data);
}

static void causal(void **state)
{
    (void)state;
    /* Nothing but samples: none waits. */
    check_pipe("C0 S30 S20 R S10 R", PD_SORT_CAUSAL, " C0 S30 S20 R S10 R");
    assert_int_equal(last.waited, 0);
    /*
     * Samples before the first and behind the last side-band record pass; those between wait. Equal times: by
     * place.
     */
    check_pipe("S5 S4 C10 S20 S15 S10 C30 S35 R S40 S3 R S36 R S60 S50", PD_SORT_CAUSAL,
               " S5 S4 R S3 R C10 S10 S15 S20 C30 S35 S36 R S40 S60 S50");
    /* The second end of a round gives S30. C30 is not older, so that samples behind it pass. */
    check_pipe("S30 S20 R S40 R C30 R R S60 S50", PD_SORT_CAUSAL, " S20 R R S30 R C30 S40 R S60 S50");
}

static void causal_falls_back(void **state)
{
    (void)state;
    /* A late record, and side-band without a time in the middle: as PD_SORT_TIME. */
    static const char late[] = "S10 S30 R S40 R S15 C5 S50 R S60 R", zero[] = "S10 S5 C0 C7 S3";
    check_pipe(late, PD_SORT_TIME, " R R S10 S30 R C5 S15 S40 R S50 S60");
    check_pipe(late, PD_SORT_CAUSAL, " R R S10 S30 R C5 S15 S40 R S50 S60");
    check_pipe(zero, PD_SORT_TIME, " C0 S3 S5 C7 S10");
    check_pipe(zero, PD_SORT_CAUSAL, " C0 S3 S5 C7 S10");
}

/* Each sample counts what is new since the one before, so none passes another. */
static void causal_counters(void **state)
{
    struct stream data = {0}, s = {0};
    (void)state;
    with_counters = true;
    put_text(&data, "S30 S20 R S10 R");
    put_file(&s, PD_ATTR_SAMPLE_ID_ALL, &data);
    check(&s, PD_SORT_CAUSAL, " R R S10 S20 S30");
    check_pipe("C0 S30 S20 R S10 R", PD_SORT_CAUSAL, " C0 R R S10 S20 S30");
    with_counters = false;
    check_pipe("C0 S30 S20 R S10 R", PD_SORT_CAUSAL, " C0 S30 S20 R S10 R");
    drop(&s);
    drop(&data);
}

static void cannot_seek(void **state)
{
    struct stream s = {0};
    char text[256];
    (void)state;
    put_pipe(&s);
    put_text(&s, "S30 S20 R S10 C25 R");
    for (enum pd_sort_kind kind = PD_SORT_TIME; kind <= PD_SORT_CAUSAL; kind++) {
        struct pd_reader *r;
        struct pipe_end end = {&s};
        const struct pd_source source = {pipe_read, NULL, &end, PD_NOWHERE};
        assert_int_equal(pd_reader_open_source(&r, &source, NULL, NULL), PD_OK);
        assert_int_equal(collect(r, kind, 1, text, sizeof text), PD_END);
        assert_string_equal(text, " R R S10 S20 C25 S30");
        pd_reader_close(r);
    }
    drop(&s);
}

struct counted {
    const struct stream *stream;
    uint64_t read;
};

static int64_t read_counted(void *user, uint64_t offset, void *buf, size_t n)
{
    struct counted *c = user;
    const size_t left = c->stream->n - (size_t)offset, some = n < left ? n : left;
    memcpy(buf, c->stream->bytes + offset, some);
    c->read += some;
    return (int64_t)some;
}

/* How often a file of four rounds is read, each of so many samples. */
static double times_read(size_t samples)
{
    struct stream s = {0}, records = {0};
    struct counted c = {&s, 0};
    struct pd_record rec = {0};
    struct pd_reader *r;
    for (uint64_t time = 1; time <= 4 * samples; time++) {
        put_sample(&records, time);
        if (time % samples == 0)
            put_round(&records);
    }
    put_file(&s, PD_ATTR_SAMPLE_ID_ALL, &records);
    const struct pd_source source = {read_counted, NULL, &c, s.n};
    assert_int_equal(pd_reader_open_source(&r, &source, NULL, NULL), PD_OK);
    struct pd_sorter *o = sorter_of(r, PD_SORT_CAUSAL, 0, NULL);
    while (pd_sorter_next(o, &rec, NULL) == PD_OK)
        continue;
    pd_sorter_close(o);
    pd_reader_close(r);
    const double times = (double)c.read / (double)s.n;
    drop(&records);
    drop(&s);
    return times;
}

/* A record is known to be the next behind two ends of rounds: 6 MiB are looked at ahead, 10 MiB are not. */
static void so_much_is_looked_at_ahead(void **state)
{
    (void)state;
    assert_true(times_read((3 << 20) / 24) < 1.2);
    assert_true(times_read((5 << 20) / 24) > 1.8);
}

static void payloads(void **state)
{
    struct stream s = {0};
    struct pd_reader *r;
    struct pd_record rec = {0};
    const uint8_t *bytes;
    size_t n;
    unsigned seen = 0;
    (void)state;
    put_pipe(&s);
    put_text(&s, "S30 S20");
    put_header(&s, PD_RECORD_AUXTRACE, 48);
    put_number(&s, 16, 8);
    put_number(&s, 0, 32);
    put_bytes(&s, "sixteen letters.", 16);
    put_text(&s, "S10");
    assert_int_equal(pd_reader_open_memory(&r, s.bytes, s.n, NULL, NULL), PD_OK);
    struct pd_sorter *o = sorter_of(r, PD_SORT_TIME, 1, NULL);
    for (; pd_sorter_next(o, &rec, NULL) == PD_OK; seen++) {
        assert_int_equal(rec.payload_size, seen == 2 ? 16 : 0);
        assert_int_equal(pd_sorter_payload(o, &bytes, &n, NULL), PD_OK);
        assert_int_equal(n, seen == 2 ? 16 : 0);
        if (n)
            assert_memory_equal(bytes, "sixteen letters.", 16);
    }
    assert_int_equal(seen, 6);
    pd_sorter_close(o);
    pd_reader_close(r);
    drop(&s);
}

/* ---- Damage and failures */

static void damage(void **state)
{
    struct stream s = {0};
    struct pd_reader *r;
    char text[256];
    (void)state;
    put_pipe(&s);
    put_text(&s, "S30 S20 R S10 S15");
    s.n -= 4;
    for (enum pd_sort_kind kind = PD_SORT_TIME; kind <= PD_SORT_CAUSAL; kind++) {
        assert_int_equal(pd_reader_open_memory(&r, s.bytes, s.n, NULL, NULL), PD_OK);
        assert_int_equal(collect(r, kind, 1, text, sizeof text), PD_ETRUNC);
        assert_string_equal(text, kind == PD_SORT_TIME ? " R S10 S20 S30" : " S30 S20 R S10");
        pd_reader_close(r);
    }
    drop(&s);
}

static void put_compressed(struct stream *s, const char *records, size_t spoil)
{
    struct stream inner = {0};
    uint8_t frame[4096];
    put_text(&inner, records);
    const size_t n = ZSTD_compress(frame, sizeof frame, inner.bytes, inner.n, 1);
    assert_false(ZSTD_isError(n));
    frame[spoil] = (uint8_t)(spoil ? ~frame[spoil] : frame[spoil]);
    put_header(s, PD_RECORD_COMPRESSED, 8 + n);
    put_bytes(s, frame, n);
    drop(&inner);
}

static void compressed(void **state)
{
    struct stream s = {0};
    struct pd_reader *r;
    struct pd_record rec = {0};
    unsigned bad = 0, inside = 0;
    (void)state;
    put_pipe(&s);
    put_compressed(&s, "S30 S20 C25", 0);
    put_compressed(&s, "S40 S41 S42 S43 S44 S45", 4); /* damaged: its records are lost */
    put_text(&s, "R");
    put_compressed(&s, "S10 C27", 0);
    assert_int_equal(pd_reader_open_memory(&r, s.bytes, s.n, NULL, NULL), PD_OK);
    struct pd_sorter *o = sorter_of(r, PD_SORT_TIME, 1, NULL);
    uint64_t time = 0;
    enum pd_code code;
    while ((code = pd_sorter_next(o, &rec, NULL)) != PD_END) {
        bad += code == PD_EZSTD;
        if (code || rec.depth == 0)
            continue;
        const uint64_t t = word_at(rec.raw + (rec.type == PD_RECORD_SAMPLE ? 16 : 24));
        assert_true(t > time);
        time = t;
        inside++;
        uint32_t type;
        memcpy(&type, s.bytes + rec.offset, sizeof type);
        assert_int_equal(type, PD_RECORD_COMPRESSED);
        assert_int_equal(pd_reader_decode(r, &rec, NULL), PD_OK);
    }
    assert_int_equal(bad, 1);
    assert_int_equal(inside, 5);
    pd_sorter_close(o);
    pd_reader_close(r);
    drop(&s);
}

/* The result of pd_sorter_next(), also when repeated, once it cannot write. */
static void check_failure(const struct stream *s, const char *tmpdir, int e)
{
    struct pd_reader *r;
    struct pd_record rec = {0};
    struct pd_error error, again;
    enum pd_code code;
    assert_int_equal(pd_reader_open_memory(&r, s->bytes, s->n, NULL, NULL), PD_OK);
    struct pd_sorter *o = sorter_of(r, PD_SORT_TIME, 1, tmpdir);
    while ((code = pd_sorter_next(o, &rec, &error)) == PD_OK)
        ;
    assert_int_equal(code, PD_ETEMP);
    assert_int_equal(error.code, PD_ETEMP);
    assert_int_equal(error.found, e);
    assert_int_equal(pd_sorter_next(o, &rec, &again), PD_ETEMP);
    assert_int_equal(again.found, e);
    pd_sorter_close(o);
    pd_reader_close(r);
}

static void cannot_spill(void **state)
{
    struct stream s = {0};
    struct rlimit old, none;
    (void)state;
    put_pipe(&s);
    for (unsigned i = 0; i < 1000; i++)
        put_sample(&s, 1000 - i);
    check_failure(&s, "/nowhere", ENOENT);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    none = old;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    check_failure(&s, NULL, EFBIG);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, handler);
    drop(&s);
}

static bool lacks_tmpfile; /* as some file systems do */

/* The library's calls come here. */
int open(const char *path, int flags, ...)
{
    const bool nameless = (flags & O_TMPFILE) == O_TMPFILE;
    mode_t mode = 0;
    va_list more;
    va_start(more, flags);
    if (nameless || flags & O_CREAT)
        mode = va_arg(more, mode_t);
    va_end(more);
    if (nameless && lacks_tmpfile) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return openat(AT_FDCWD, path, flags, mode);
}

static void expect_empty(const char *path)
{
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (const struct dirent *e; (e = readdir(dir));)
        assert_true(*e->d_name == '.');
    closedir(dir);
}

/*
 * A program that has closed its standard input may get descriptor 0 for the temporary file, which has no name
 * on any file system.
 */
static void check_descriptor_0(bool lacks)
{
    char dir[] = "/tmp/perfdata-order-XXXXXX";
    struct stream s = {0};
    struct pd_reader *r;
    struct pd_record rec = {0};
    struct pd_sorter_stats stats;
    unsigned given = 0;
    assert_non_null(mkdtemp(dir));
    put_pipe(&s);
    for (unsigned i = 0; i < 1000; i++)
        put_sample(&s, 1000 - i);
    const int input = dup(0);
    close(0);
    lacks_tmpfile = lacks;
    assert_int_equal(pd_reader_open_memory(&r, s.bytes, s.n, NULL, NULL), PD_OK);
    struct pd_sorter *o = sorter_of(r, PD_SORT_TIME, 1, dir);
    while (pd_sorter_next(o, &rec, NULL) == PD_OK)
        given++;
    lacks_tmpfile = false;
    pd_sorter_get_stats(o, &stats);
    pd_sorter_close(o);
    if (input >= 0) {
        assert_int_equal(dup2(input, 0), 0);
        close(input);
    }
    assert_true(stats.spilled > 0);
    assert_int_equal(given, 1002); /* with the records of both attrs */
    expect_empty(dir);
    rmdir(dir);
    pd_reader_close(r);
    drop(&s);
}

static void spills_into_descriptor_0(void **state)
{
    (void)state;
    check_descriptor_0(false);
    check_descriptor_0(true);
}

/* However many temporary files were begun, few are open at once, as they are merged. */
static void merges_temporary_files(void **state)
{
    enum { N = 1000 };
    struct stream s = {0};
    struct pd_reader *r;
    struct pd_record rec = {0};
    struct pd_sorter_stats stats;
    struct rlimit old, few;
    unsigned given = 0;
    (void)state;
    put_pipe(&s);
    for (unsigned i = 0; i < N; i++)
        put_sample(&s, 1 + N - i);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    few = old;
    few.rlim_cur = 100;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    assert_int_equal(pd_reader_open_memory(&r, s.bytes, s.n, NULL, NULL), PD_OK);
    struct pd_sorter *o = sorter_of(r, PD_SORT_TIME, 1, NULL);
    while (pd_sorter_next(o, &rec, NULL) == PD_OK)
        given++;
    pd_sorter_get_stats(o, &stats);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
    pd_sorter_close(o);
    assert_int_equal(given, N + 2); /* with the records of both attrs */
    assert_true(stats.spilled > 0);
    pd_reader_close(r);
    drop(&s);
}

/* Rounds are small, and a record without a time comes within the first: none of them fills the memory. */
static void small_rounds_stay_in_memory(void **state)
{
    struct stream s = {0};
    struct pd_reader *r;
    struct pd_record rec = {0};
    struct pd_sorter_stats stats;
    uint64_t given = 0;
    (void)state;
    put_pipe(&s);
    for (uint64_t i = 0; i < 100000; i++) {
        if (i == 20)
            put_text(&s, "I");
        if (i % 100 == 0)
            put_round(&s);
        put_sample(&s, 1000000 + (i ^ 31));
    }
    assert_int_equal(pd_reader_open_memory(&r, s.bytes, s.n, NULL, NULL), PD_OK);
    struct pd_sorter *o = sorter_of(r, PD_SORT_STRICT, 1 << 20, NULL);
    while (pd_sorter_next(o, &rec, NULL) == PD_OK)
        given += rec.type == PD_RECORD_SAMPLE;
    pd_sorter_get_stats(o, &stats);
    assert_int_equal(given, 100000);
    assert_int_equal(stats.late, 0);
    assert_true(stats.waited > 50000);
    assert_int_equal(stats.spilled, 0);
    pd_sorter_close(o);
    pd_reader_close(r);
    drop(&s);
}

/* How many bytes of records go to temporary files, of so many that all wait for the last one. */
static uint64_t spilled_of(size_t bytes)
{
    struct stream s = {0};
    struct pd_reader *r;
    struct pd_record rec = {0};
    struct pd_sorter_stats stats;
    put_pipe(&s);
    for (uint64_t n = bytes / 24; n; n--)
        put_sample(&s, n);
    assert_int_equal(pd_reader_open_memory(&r, s.bytes, s.n, NULL, NULL), PD_OK);
    struct pd_sorter *o = sorter_of(r, PD_SORT_STRICT, 0, NULL);
    while (pd_sorter_next(o, &rec, NULL) == PD_OK)
        continue;
    pd_sorter_get_stats(o, &stats);
    pd_sorter_close(o);
    pd_reader_close(r);
    drop(&s);
    return stats.spilled;
}

/* By default 16 MiB, of which a sample of 24 bytes takes more: 2 MiB of these have room, 4 MiB do not. */
static void so_much_waits_in_memory(void **state)
{
    (void)state;
    assert_int_equal(spilled_of(2 << 20), 0);
    assert_int_not_equal(spilled_of(4 << 20), 0);
}

static void bad_kind(void **state)
{
    struct stream s = {0};
    struct pd_reader *r;
    struct pd_sorter *o;
    const struct pd_sorter_options options = {.size = sizeof options, .kind = (enum pd_sort_kind)7};
    (void)state;
    put_pipe(&s);
    assert_int_equal(pd_reader_open_memory(&r, s.bytes, s.n, NULL, NULL), PD_OK);
    assert_int_equal(pd_sorter_open(&o, r, &options, NULL), PD_EARG);
    assert_null(o);
    pd_sorter_close(NULL);
    pd_reader_close(r);
    drop(&s);
}

/* ---- Directories */

static void write_member(const char *dir, const char *name, const struct stream *s)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_true(s->n == 0 || fwrite(s->bytes, s->n, 1, f) == 1);
    assert_int_equal(fclose(f), 0);
}

static void write_text(const char *dir, const char *name, const char *records)
{
    struct stream s = {0};
    put_text(&s, records);
    write_member(dir, name, &s);
    drop(&s);
}

static void make_dir(char *dir, const char *data)
{
    struct stream inner = {0}, s = {0};
    strcpy(dir, "/tmp/order-XXXXXX");
    assert_non_null(mkdtemp(dir));
    put_text(&inner, data);
    put_file(&s, PD_ATTR_SAMPLE_ID_ALL, &inner);
    write_member(dir, "data", &s);
    drop(&inner);
    drop(&s);
}

static void remove_dir(const char *dir)
{
    char path[512];
    DIR *d = opendir(dir);
    for (const struct dirent *e; (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        unlink(path);
    }
    closedir(d);
    assert_int_equal(rmdir(dir), 0);
}

static void check_dir(const char *dir, enum pd_sort_kind kind, enum pd_code end, const char *expected)
{
    struct pd_reader *r;
    char text[512];
    for (size_t memory = 0; memory < 3; memory++) {
        assert_int_equal(pd_reader_open(&r, dir, NULL, NULL), PD_OK);
        assert_int_equal(collect(r, kind, memory, text, sizeof text), end);
        assert_string_equal(text, expected);
        pd_reader_close(r);
    }
}

static void members_are_merged(void **state)
{
    char dir[64];
    (void)state;
    make_dir(dir, "C0 S50 C0 R S20 R I");
    write_text(dir, "data.0", "S10 S20 S30 S60");
    write_text(dir, "data.2", "C0 S40 S35 C36 S20 U S70");
    write_text(dir, "data.10", "");
    check_dir(dir, PD_SORT_FILE, PD_END, " C0 S50 C0 R S20 R I S10 S20 S30 S60 C0 S40 S35 C36 S20 U S70");
    check_dir(dir, PD_SORT_TIME, PD_END, " C0 C0 R R I C0 U S10 S20 S20 S20 S30 S35 C36 S40 S50 S60 S70");
    check_dir(dir, PD_SORT_CAUSAL, PD_END, " C0 C0 R R I C0 U S10 S20 S20 S20 S30 S35 C36 S40 S50 S60 S70");
    remove_dir(dir);
}

static void members_in_order_need_no_copy(void **state)
{
    char dir[64];
    (void)state;
    make_dir(dir, "C0 S50 I");
    write_text(dir, "data.0", "S10 U C20 S20 S60 I");
    check_dir(dir, PD_SORT_TIME, PD_END, " C0 S10 U C20 S20 S50 I S60 I");
    assert_int_equal(last.waited, 0);
    remove_dir(dir);
}

/* Equal times: by member, then by place; index and member are those of the whole recording. */
static void members_keep_their_places(void **state)
{
    static const struct {
        uint32_t member;
        uint64_t index, offset;
    } expected[] = {{0, 0, 192}, {0, 1, 216}, {1, 3, 24}, {1, 2, 0}, {2, 4, 0}, {2, 5, 24}};
    char dir[64];
    struct pd_reader *r;
    struct pd_record rec = {0};
    (void)state;
    make_dir(dir, "S5 S7");
    write_text(dir, "data.1", "S8 S7");
    write_text(dir, "data.2", "S8 S8");
    assert_int_equal(pd_reader_open(&r, dir, NULL, NULL), PD_OK);
    struct pd_sorter *o = sorter_of(r, PD_SORT_TIME, 1, NULL);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_int_equal(pd_sorter_next(o, &rec, NULL), PD_OK);
        assert_int_equal(rec.member, expected[i].member);
        assert_int_equal(rec.index, expected[i].index);
        assert_int_equal(rec.offset, expected[i].offset);
        assert_int_equal(rec.attr_index, 0);
        assert_int_equal(pd_reader_decode(r, &rec, NULL), PD_OK);
    }
    assert_int_equal(pd_sorter_next(o, &rec, NULL), PD_END);
    pd_sorter_close(o);
    pd_reader_close(r);
    remove_dir(dir);
}

/* A damaged member ends, and a missing one is empty; the others go on. Each error is reported. */
static void members_may_be_damaged(void **state)
{
    static const uint64_t expected[] = {4, 5, 6, 8};
    char dir[64], path[128];
    struct pd_reader *r;
    struct pd_record rec = {0};
    struct stream s = {0};
    struct pd_error error;
    enum pd_code code;
    size_t n = 0;
    (void)state;
    make_dir(dir, "S5");
    put_text(&s, "S6 S4 S9");
    s.n -= 8;
    write_member(dir, "data.1", &s);
    write_text(dir, "data.2", "S7");
    write_text(dir, "data.3", "S8");
    assert_int_equal(pd_reader_open(&r, dir, NULL, NULL), PD_OK);
    snprintf(path, sizeof path, "%s/data.2", dir);
    unlink(path);
    struct pd_sorter *o = sorter_of(r, PD_SORT_TIME, 1, NULL);
    for (; (code = pd_sorter_next(o, &rec, &error)) == PD_OK && n < 4; n++)
        assert_int_equal(word_at(rec.raw + 16), expected[n]);
    assert_int_equal(n, 4);
    assert_int_equal(code, PD_ETRUNC);
    assert_int_equal(pd_sorter_next(o, &rec, &error), PD_EMISSING);
    assert_int_equal(error.found, ENOENT);
    assert_int_equal(error.member, 2);
    assert_int_equal(pd_sorter_next(o, &rec, NULL), PD_END);
    pd_sorter_close(o);
    pd_reader_close(r);
    drop(&s);
    remove_dir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds),
        cmocka_unit_test(late_records),
        cmocka_unit_test(equal_times),
        cmocka_unit_test(no_times),
        cmocka_unit_test(file_order),
        cmocka_unit_test(causal),
        cmocka_unit_test(causal_falls_back),
        cmocka_unit_test(causal_counters),
        cmocka_unit_test(cannot_seek),
        cmocka_unit_test(so_much_is_looked_at_ahead),
        cmocka_unit_test(payloads),
        cmocka_unit_test(damage),
        cmocka_unit_test(compressed),
        cmocka_unit_test(cannot_spill),
        cmocka_unit_test(spills_into_descriptor_0),
        cmocka_unit_test(merges_temporary_files),
        cmocka_unit_test(small_rounds_stay_in_memory),
        cmocka_unit_test(so_much_waits_in_memory),
        cmocka_unit_test(bad_kind),
        cmocka_unit_test(members_are_merged),
        cmocka_unit_test(members_in_order_need_no_copy),
        cmocka_unit_test(members_keep_their_places),
        cmocka_unit_test(members_may_be_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
