/* SPDX-License-Identifier: MIT */
/*
 * pieces.c - the content of each piece of pd_pieces(), on recordings made by hand. Each record of the input
 * has a letter, which is small for samples; a test lists the letters of a piece, in order, and the bytes of
 * each are compared. A dot is a FINISHED_ROUND.
 */
#include "cmocka_all.h"
#include "fuzz/image_sink.h"
#include "zframe.h"
#include <errno.h>
#include <perfdata/ops/split.h>
#include <perfdata/session/sorter.h>
#include <perfdata/session/tasks.h>
#include <stdio.h>

enum { MOST = 80, ST = ST_IDENTIFIER | ST_IP | ST_TID | ST_TIME | ST_CPU };

struct recording {
    struct image im;
    struct {
        char letter;
        size_t at, n;
    } rec[MOST];
    size_t n, data;
    size_t memory; /* for records that wait */
    bool period;   /* of samples with call chains */
};

static size_t begin(struct recording *r, char letter, uint32_t type)
{
    assert_true(r->n < MOST);
    r->rec[r->n].letter = letter;
    return r->rec[r->n].at = image_record(&r->im, type, 0);
}

static void end(struct recording *r)
{
    image_end(&r->im, r->rec[r->n].at);
    r->rec[r->n].n = r->im.n - r->rec[r->n].at;
    r->n++;
}

static void task(struct recording *r, uint32_t pid)
{
    image_u32(&r->im, pid);
    image_u32(&r->im, pid);
}

static void trailer(struct recording *r, uint32_t pid, uint64_t time, uint32_t cpu)
{
    task(r, pid);
    image_u64(&r->im, time);
    image_u32(&r->im, cpu);
    image_u32(&r->im, 0);
    image_u64(&r->im, 7); /* the event's id */
    end(r);
}

static void sample(struct recording *r, char letter, uint32_t pid, uint64_t time, uint32_t cpu)
{
    begin(r, letter, 9);
    image_u64(&r->im, 7);
    image_u64(&r->im, 0x1000u + (unsigned char)letter); /* each differs */
    task(r, pid);
    image_u64(&r->im, time);
    image_u32(&r->im, cpu);
    image_u32(&r->im, 0);
    end(r);
}

static void comm(struct recording *r, char letter, uint32_t pid, uint64_t time)
{
    begin(r, letter, 3);
    task(r, pid);
    image_bytes(&r->im, "command", 8);
    trailer(r, pid, time, 0);
}

static void fork_or_exit(struct recording *r, char letter, uint32_t type, uint32_t pid, uint32_t ppid,
                         uint64_t time)
{
    begin(r, letter, type);
    for (int i = 0; i < 2; i++) {
        image_u32(&r->im, pid);
        image_u32(&r->im, ppid);
    }
    image_u64(&r->im, time);
    trailer(r, pid, time, 0);
}

static void map(struct recording *r, char letter, uint32_t pid, uint64_t time)
{
    begin(r, letter, 1);
    task(r, pid);
    image_zeros(&r->im, 24);
    image_bytes(&r->im, "/bin/ls", 8);
    trailer(r, pid, time, 0);
}

static void plain(struct recording *r, char letter, uint32_t type, size_t n)
{
    begin(r, letter, type);
    image_zeros(&r->im, n);
    end(r);
}

static void start(struct recording *r, bool big)
{
    *r = (struct recording){.n = 0};
    image_start(&r->im, big, 104, 128);
    image_section(&r->im, IMAGE_ATTRS, 104, 128);
    image_attr(&r->im, 112, 112, ST, true);
    image_ids(&r->im, 0, 0);
    r->data = r->im.n;
}

static void finish(struct recording *r)
{
    image_section(&r->im, IMAGE_DATA, r->data, r->im.n - r->data);
}

/*
 * Two rounds of two ring buffers: task 1 forks 5, which has a sample after its end, and 9, which has none. In
 * the order of processing: K I . . a F S s b c d E D C x u e f; c and d have the same time.
 */
static void rounds(struct recording *r, bool big)
{
    start(r, big);
    map(r, 'K', UINT32_MAX, 0), comm(r, 'I', 1, 0);
    sample(r, 'a', 1, 10, 0), sample(r, 'b', 1, 30, 0);
    fork_or_exit(r, 'F', 7, 5, 1, 12), comm(r, 'S', 5, 13), sample(r, 's', 5, 20, 1);
    plain(r, '.', 68, 0);
    sample(r, 'c', 1, 40, 0), fork_or_exit(r, 'E', 4, 5, 1, 41), sample(r, 'u', 5, 50, 0);
    sample(r, 'd', 1, 40, 1), fork_or_exit(r, 'D', 7, 9, 1, 42), comm(r, 'C', 9, 43),
        sample(r, 'x', 9, 44, 1);
    plain(r, '.', 68, 0);
    sample(r, 'e', 1, 60, 0), sample(r, 'f', 1, 61, 1);
    finish(r);
}

/* ---- The output */

struct outcome {
    struct image piece[MOST];
    struct pd_piece what[MOST];
    size_t n;
    int fail; /* errno of open() for piece 1 */
};

static int open_piece(void *user, const struct pd_piece *piece, struct pd_sink *sink)
{
    struct outcome *o = user;
    assert_int_equal(piece->number, o->n);
    assert_true(o->n < MOST);
    if (o->fail && o->n == 1)
        return o->fail;
    *sink = image_sink(&o->piece[o->n++]);
    return 0;
}

static int close_piece(void *user, const struct pd_piece *piece, struct pd_sink *sink)
{
    struct outcome *o = user;
    assert_ptr_equal(sink->user, &o->piece[piece->number]);
    o->what[piece->number] = *piece;
    return 0;
}

static enum pd_code cut(const struct recording *in, enum pd_pieces_by by, uint64_t amount, struct outcome *o,
                        struct pd_pieces_stats *stats)
{
    const struct pd_pieces_options options = {.size = sizeof options,
                                              .by = by,
                                              .amount = amount,
                                              .open = open_piece,
                                              .close = close_piece,
                                              .memory = in->memory,
                                              .user = o};
    struct pd_reader *r;
    assert_int_equal(pd_reader_open_memory(&r, in->im.b, in->im.n, NULL, NULL), PD_OK);
    const enum pd_code code = pd_pieces(r, &options, stats, NULL);
    pd_reader_close(r);
    return code;
}

static char letter_of(const struct recording *in, const struct pd_record *rec)
{
    for (size_t i = 0; i < in->n; i++)
        if (in->rec[i].n == rec->size && memcmp(in->im.b + in->rec[i].at, rec->raw, rec->size) == 0)
            return in->rec[i].letter;
    fail_msg("a record that the input does not have");
    return 0;
}

static void letters(const struct recording *in, const struct image *im, bool sorted, char *text)
{
    const struct pd_sorter_options how = {.size = sizeof how, .kind = sorted ? PD_SORT_TIME : PD_SORT_FILE};
    struct pd_sorter *s;
    struct pd_reader *r;
    struct pd_record rec = {0};
    assert_int_equal(pd_reader_open_memory(&r, im->b, im->n, NULL, NULL), PD_OK);
    assert_int_equal(pd_reader_n_findings(r), 0);
    assert_int_equal(pd_reader_n_attrs(r), 1);
    assert_int_equal(pd_sorter_open(&s, r, &how, NULL), PD_OK);
    while (pd_sorter_next(s, &rec, NULL) == PD_OK)
        if (!sorted || rec.type != PD_RECORD_FINISHED_ROUND)
            *text++ = letter_of(in, &rec);
    *text = 0;
    pd_sorter_close(s);
    pd_reader_close(r);
}

/* What is told of the input. */
static void counts(const struct recording *in, const struct pd_pieces_stats *stats)
{
    struct pd_reader *r;
    struct pd_record rec = {0};
    uint64_t samples = 0, others = 0, untimed = 0, time;
    assert_int_equal(pd_reader_open_memory(&r, in->im.b, in->im.n, NULL, NULL), PD_OK);
    while (pd_reader_next(r, &rec, NULL) == PD_OK) {
        const bool sample = rec.type == PD_RECORD_SAMPLE, round = rec.type == PD_RECORD_FINISHED_ROUND;
        samples += sample;
        others += !sample && !round;
        untimed += !sample && !round && !(pd_record_time(&rec, &time) && time);
    }
    pd_reader_close(r);
    assert_int_equal(stats->samples, samples);
    assert_int_equal(stats->others, others);
    assert_int_equal(stats->untimed, untimed);
}

/* The letters of all pieces, with a bar between them. */
static void expect(const struct recording *in, enum pd_pieces_by by, uint64_t amount, const char *wanted,
                   struct outcome *o)
{
    struct pd_pieces_stats stats;
    char text[16 * MOST], *at = text;
    *o = (struct outcome){.n = 0};
    assert_int_equal(cut(in, by, amount, o, &stats), PD_OK);
    assert_int_equal(stats.pieces, o->n);
    counts(in, &stats);
    for (size_t i = 0; i < o->n; i++) {
        letters(in, &o->piece[i], false, at);
        at += strlen(at);
        *at++ = '|';
    }
    at[-1] = 0;
    assert_string_equal(text, wanted);
}

static void drop(struct outcome *o)
{
    for (size_t i = 0; i < o->n; i++)
        image_free(&o->piece[i]);
}

/* ---- Tests */

static void by_count_size_and_time(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct recording in;
        struct outcome o;
        rounds(&in, big);
        expect(&in, PD_PIECES_COUNT, 1, "KI..aFSsbcdEDCxuef", &o), drop(&o);
        expect(&in, PD_PIECES_COUNT, 3, "KI..aFSsb|KIFScdEDCx|KIFSEuef", &o);
        assert_int_equal(o.what[1].samples, 3), assert_int_equal(o.what[1].others, 3),
            assert_int_equal(o.what[1].carried, 4);
        assert_int_equal(o.what[2].first, 50), assert_int_equal(o.what[2].last, 61);
        drop(&o);
        expect(&in, PD_PIECES_TIME, 20, "KI..aFSs|KIFSbcdEDCx|KIFSEuef", &o), drop(&o);
        /* Ties are cut in file order, and a piece for each sample is the maximum. */
        expect(&in, PD_PIECES_COUNT, 100, "KI..aFS|KIFSs|KIFSb|KIFSc|KIFSdEDC|KIFSEDCx|KIFSEu|KIe|KIf", &o),
            drop(&o);
        image_free(&in.im);
    }
}

/* A sample whose call chain ends in a cookie, and the record that completes such chains. */
static void deferred_sample(struct recording *r, char letter, uint32_t cpu, uint64_t time, uint64_t cookie)
{
    begin(r, letter, PD_RECORD_SAMPLE);
    image_u64(&r->im, 7);
    image_u64(&r->im, 0x1000);
    task(r, 1);
    image_u64(&r->im, time);
    image_u32(&r->im, cpu);
    image_u32(&r->im, 0);
    if (r->period)
        image_u64(&r->im, 1000);
    image_u64(&r->im, 2);
    image_u64(&r->im, PD_CONTEXT_USER_DEFERRED);
    image_u64(&r->im, cookie);
    end(r);
}

static void deferred_chain(struct recording *r, char letter, uint32_t pid, uint64_t time, uint64_t cookie)
{
    begin(r, letter, PD_RECORD_CALLCHAIN_DEFERRED);
    image_u64(&r->im, cookie);
    image_u64(&r->im, 1);
    image_u64(&r->im, 0x401000);
    trailer(r, pid, time, 0);
}

/*
 * A deferred call chain is in the pieces of the samples that wait for it, also of cpus that are written
 * later; what no sample waits for goes by its own cpu. Each piece but the first has a copy if another has it.
 * With a period the samples are usual (src/codec/usual.h), and, in another order than by time, would go ahead
 * if none waited for a chain.
 */
static void chains_with_their_samples(void **state)
{
    (void)state;
    for (int way = 0; way < 4; way++) {
        const bool big = way & 1, period = way & 2;
        struct recording in;
        struct outcome o;
        start(&in, big);
        in.period = period;
        image_set(&in.im, 104 + 24, ST | ST_CALLCHAIN | (period ? ST_PERIOD : 0), 8);
        image_set(&in.im, 104 + 40,
                  big ? UINT64_C(1) << 45 | UINT64_C(1) << 25 : UINT64_C(1) << 18 | UINT64_C(1) << 38,
                  8); /* as id_all, defer */
        for (uint32_t cpu = 0; cpu < 70; cpu++)
            deferred_sample(&in, 'a', cpu, period ? 79 - cpu : 10 + cpu, cpu % 69 ? cpu : 1000);
        deferred_chain(&in, 'A', 1, 90, 1000); /* of the first and the last */
        deferred_chain(&in, 'B', 1, 91, 68);
        deferred_chain(&in, 'C', 2, 92, 67); /* of another thread */
        finish(&in);
        o = (struct outcome){.n = 0};
        struct pd_pieces_stats stats;
        assert_int_equal(cut(&in, PD_PIECES_CPU, 0, &o, &stats), PD_OK);
        assert_int_equal(o.n, 70);
        for (size_t i = 0; i < o.n; i++) {
            char text[MOST];
            letters(&in, &o.piece[i], false, text);
            assert_string_equal(text, i == 0 ? "aAC" : i == 68 ? "aB" : i == 69 ? "aA" : "a");
            assert_int_equal(o.what[i].carried, i == 69);
        }
        drop(&o);
        image_free(&in.im);
    }
}

/* Each piece has at most the given bytes, the samples stay in order, and none is in two pieces. */
static void by_size(void **state)
{
    (void)state;
    struct recording in;
    struct outcome o = {.n = 0};
    struct pd_pieces_stats stats;
    char text[MOST * 4], samples[MOST] = "";
    size_t n = 0;
    rounds(&in, false);
    assert_int_equal(cut(&in, PD_PIECES_SIZE, 800, &o, &stats), PD_OK);
    assert_true(o.n >= 2);
    assert_int_equal(stats.oversized, 0);
    for (size_t i = 0; i < o.n; i++) {
        assert_true(o.piece[i].n <= 800);
        letters(&in, &o.piece[i], false, text);
        for (const char *p = text; *p; p++)
            if (*p >= 'a')
                samples[n++] = *p;
    }
    assert_string_equal(samples, "asbcdxuef");
    drop(&o);
    o = (struct outcome){.n = 0};
    assert_int_equal(cut(&in, PD_PIECES_SIZE, 100, &o, &stats), PD_OK); /* less than a header */
    assert_int_equal(stats.oversized, o.n);
    drop(&o);
    image_free(&in.im);
}

/*
 * Where header and attr leave less room, a fourth of a piece is for its records. They take 232 bytes: more
 * than 192, whose fourth is a record of 48 bytes; and of 304 so much that 72 are left, less than a fourth,
 * which takes two of these records.
 */
static void a_fourth_of_the_size(void **state)
{
    (void)state;
    struct recording in;
    start(&in, false);
    for (unsigned i = 0; i < 4; i++)
        sample(&in, (char)('a' + i), 1, 10 + i, 0);
    finish(&in);
    assert_int_equal(in.rec[0].n, 48);
    assert_int_equal(in.data, 232);
    for (unsigned samples = 1; samples <= 2; samples++) {
        struct outcome o = {.n = 0};
        struct pd_pieces_stats stats;
        assert_int_equal(cut(&in, PD_PIECES_SIZE, samples == 1 ? 192 : 304, &o, &stats), PD_OK);
        assert_int_equal(o.n, 4 / samples);
        assert_int_equal(stats.oversized, o.n);
        for (size_t i = 0; i < o.n; i++)
            assert_int_equal(o.what[i].samples, samples);
        drop(&o);
    }
    image_free(&in.im);
}

static void by_key(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct recording in;
        struct outcome o;
        rounds(&in, big);
        expect(&in, PD_PIECES_PID, 0, "KI..abcdef|KI..FSsEu|KI..DCx", &o);
        assert_int_equal(o.what[0].key, 1), assert_int_equal(o.what[1].key, 5),
            assert_int_equal(o.what[2].key, 9);
        drop(&o);
        expect(&in, PD_PIECES_CPU, 0, "KI..aFSbcEue|KI..FSsdEDCxf", &o);
        drop(&o);
        image_free(&in.im);
    }
}

/* Records that came too late, or have no time, are processed at their place in the whole. */
static void keeps_the_order_of_processing(void **state)
{
    (void)state;
    struct recording in;
    struct outcome o;
    char text[MOST];
    start(&in, false);
    sample(&in, 'a', 1, 10, 0), plain(&in, '.', 68, 0);
    sample(&in, 'b', 1, 20, 0), plain(&in, '.', 68, 0), plain(&in, '.', 68, 0);
    plain(&in, 'U', 69, 8);
    sample(&in, 'z', 1, 5, 0), sample(&in, 'c', 1, 30, 0);
    finish(&in);
    expect(&in, PD_PIECES_COUNT, 1, "..a.b..Uzc", &o);
    letters(&in, &o.piece[0], true, text);
    assert_string_equal(text, "abUzc");
    drop(&o);
    expect(&in, PD_PIECES_COUNT, 2, "..a.b..U|Uzc", &o);
    drop(&o);
    image_free(&in.im);
}

/*
 * Where the order of processing is the file's, no record waits, and so none goes to a file, for which there
 * is no place here. One that moves does: an older one, one without a time, the end of a round.
 */
static void waits_only_if_records_move(void **state)
{
    (void)state;
    static const char *const wanted[] = {"abc", "bac", "Uabc", ".abc"};
    char before[512] = "";
    const char *dir = getenv("TMPDIR");
    snprintf(before, sizeof before, "%s", dir ? dir : "");
    for (unsigned moved = 0; moved < 4; moved++) {
        struct recording in;
        struct outcome o = {.n = 0};
        start(&in, false);
        in.memory = 1;
        sample(&in, 'a', 1, moved == 1 ? 21 : 20, 0), sample(&in, 'b', 1, 20, 0);
        if (moved == 2)
            plain(&in, 'U', 69, 8);
        if (moved == 3)
            plain(&in, '.', 68, 0);
        sample(&in, 'c', 1, 30, 0);
        finish(&in);
        setenv("TMPDIR", "/nowhere", 1);
        if (moved == 0)
            expect(&in, PD_PIECES_COUNT, 1, wanted[moved], &o);
        else
            assert_int_equal(cut(&in, PD_PIECES_COUNT, 1, &o, NULL), PD_ETEMP);
        drop(&o);
        if (dir)
            setenv("TMPDIR", before, 1);
        else
            unsetenv("TMPDIR");
        expect(&in, PD_PIECES_COUNT, 1, wanted[moved], &o);
        drop(&o);
        image_free(&in.im);
    }
}

/* Without one of the calls the error names it. */
static void needs_both_calls(const struct recording *in)
{
    for (int open = 0; open < 2; open++) {
        const struct pd_pieces_options options = {.size = sizeof options,
                                                  .by = PD_PIECES_COUNT,
                                                  .amount = 1,
                                                  .open = open ? open_piece : NULL,
                                                  .close = open ? NULL : close_piece};
        struct pd_error error = {0};
        struct pd_reader *r;
        assert_int_equal(pd_reader_open_memory(&r, in->im.b, in->im.n, NULL, NULL), PD_OK);
        assert_int_equal(pd_pieces(r, &options, NULL, &error), PD_EARG);
        assert_string_equal(error.field, open ? "close" : "open");
        pd_reader_close(r);
    }
}

static void refusals(void **state)
{
    (void)state;
    struct recording in;
    struct outcome o = {.n = 0};
    rounds(&in, false);
    assert_int_equal(cut(&in, PD_PIECES_COUNT, 0, &o, NULL), PD_EARG);
    needs_both_calls(&in);
    o.fail = ENOSPC;
    assert_int_equal(cut(&in, PD_PIECES_COUNT, 3, &o, NULL), PD_EOUT);
    drop(&o);
    image_free(&in.im);
    start(&in, false);
    sample(&in, 'a', 1, 10, 0), plain(&in, 'X', 70, 8 + 160);
    finish(&in);
    o = (struct outcome){.n = 0};
    assert_int_equal(cut(&in, PD_PIECES_COUNT, 2, &o, NULL), PD_EUNSUP);
    assert_int_equal(o.n, 0);
    image_free(&in.im);
}

/* A source that is read through a window: reading features and event types for a piece moves the window. */
static int64_t read_image(void *user, uint64_t offset, void *buf, size_t n)
{
    const struct image *im = user;
    if (offset >= im->n)
        return 0;
    n = n < im->n - offset ? n : im->n - (size_t)offset;
    memcpy(buf, im->b + offset, n);
    return (int64_t)n;
}

static void survives_a_window(void **state)
{
    enum { N = 20000, PIECES = 7 };
    (void)state;
    struct image im;
    struct outcome o = {.n = 0};
    image_start(&im, false, 104, 128);
    image_section(&im, IMAGE_ATTRS, 104, 128);
    image_attr(&im, 112, 112, ST_IP | ST_TIME, true);
    image_ids(&im, 0, 0);
    const size_t data = im.n;
    for (unsigned i = 0; i < N; i++) {
        const size_t at = image_record(&im, 9, 1);
        image_u64(&im, 0x1000 + i);
        image_u64(&im, 100 + i);
        image_end(&im, at);
    }
    image_section(&im, IMAGE_DATA, data, im.n - data);
    image_feature(&im, 27, 8); /* COMPRESSED, without compression */
    const size_t table = im.n;
    image_zeros(&im, 16);
    image_section(&im, table, im.n, 20);
    image_zeros(&im, 20);
    const struct pd_source source = {read_image, NULL, &im, im.n};
    const struct pd_pieces_options options = {.size = sizeof options,
                                              .by = PD_PIECES_COUNT,
                                              .amount = PIECES,
                                              .open = open_piece,
                                              .close = close_piece,
                                              .user = &o};
    struct pd_reader *r;
    assert_int_equal(pd_reader_open_source(&r, &source, NULL, NULL), PD_OK);
    assert_int_equal(pd_pieces(r, &options, NULL, NULL), PD_OK);
    pd_reader_close(r);
    assert_int_equal(o.n, PIECES);
    uint64_t next = 0x1000;
    for (size_t i = 0; i < o.n; i++) {
        struct pd_record rec = {0};
        assert_int_equal(pd_reader_open_memory(&r, o.piece[i].b, o.piece[i].n, NULL, NULL), PD_OK);
        while (pd_reader_next(r, &rec, NULL) == PD_OK) {
            assert_int_equal(pd_reader_decode(r, &rec, NULL), PD_OK);
            assert_int_equal(rec.type, PD_RECORD_SAMPLE);
            assert_int_equal(rec.u.sample.ip, next++);
        }
        pd_reader_close(r);
    }
    assert_int_equal(next, 0x1000 + N);
    drop(&o);
    image_free(&im);
}

static void task_sample(struct image *im, unsigned i)
{
    const size_t at = image_record(im, 9, 2);
    image_u64(im, 0x1000 + i);
    image_u32(im, 1 + i % 2);
    image_u32(im, 1 + i % 2);
    image_u64(im, 10 + i);
    image_u64(im, 1);
    image_end(im, at);
}

/*
 * Samples of two tasks by turns, all but the first two in a COMPRESSED record: in each piece they are
 * compressed, too.
 */
static void compressed_samples_stay_so(void **state)
{
    (void)state;
    struct recording in;
    struct image samples = {0};
    struct outcome o = {.n = 0};
    struct pd_pieces_stats stats;
    start(&in, false);
    image_set(&in.im, 104 + 24, ST_IP | ST_TID | ST_TIME | ST_PERIOD, 8);
    for (unsigned i = 0; i < 20; i++)
        task_sample(i < 2 ? &in.im : &samples, i);
    const size_t at = image_record(&in.im, PD_RECORD_COMPRESSED, 0);
    zframe_start(&in.im, 17);
    zframe_raw(&in.im, samples.b, samples.n, true);
    image_end(&in.im, at);
    finish(&in);
    assert_int_equal(cut(&in, PD_PIECES_PID, 0, &o, &stats), PD_OK);
    assert_int_equal(o.n, 2);
    for (size_t i = 0; i < o.n; i++) {
        struct pd_reader *r;
        struct pd_record rec = {0};
        unsigned n = 0;
        assert_int_equal(pd_reader_open_memory(&r, o.piece[i].b, o.piece[i].n, NULL, NULL), PD_OK);
        while (pd_reader_next(r, &rec, NULL) == PD_OK) {
            if (rec.type != PD_RECORD_SAMPLE)
                continue;
            assert_int_equal(rec.depth, n > 0);
            assert_int_equal(pd_reader_decode(r, &rec, NULL), PD_OK);
            assert_int_equal(rec.u.sample.ip, 0x1000 + i + 2 * n);
            n++;
        }
        assert_int_equal(n, 10);
        pd_reader_close(r);
    }
    drop(&o);
    image_free(&samples);
    image_free(&in.im);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_count_size_and_time),
        cmocka_unit_test(chains_with_their_samples),
        cmocka_unit_test(by_size),
        cmocka_unit_test(a_fourth_of_the_size),
        cmocka_unit_test(by_key),
        cmocka_unit_test(keeps_the_order_of_processing),
        cmocka_unit_test(waits_only_if_records_move),
        cmocka_unit_test(refusals),
        cmocka_unit_test(survives_a_window),
        cmocka_unit_test(compressed_samples_stay_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
