/* SPDX-License-Identifier: MIT */
/*
 * workers.c - random recordings, whole and damaged, read with workers that decompress ahead and without: the
 * same records, errors and places; converted with workers that compress, and exported with workers that
 * encode a table: the same bytes. The workers do a job when it is started, or when it is waited for, by
 * chance.
 */
#include "bytes.h"
#include "cmocka_all.h"
#include "crew.h"
#include "seeded.h"
#include "src/container/reader/reader_internal.h"
#include <perfdata/ops/convert.h>
#include <perfdata/ops/export.h>
#include <perfdata/ops/gen.h>

/* ---- Recordings */

static void make(struct bytes *b, struct pi_rng *r)
{
    static const uint64_t frames[] = {1, 3000, 20000, 200000, 0, UINT64_MAX};
    const struct pd_sink sink = {bytes_put, bytes_patch, b};
    struct pd_gen_options o = {.size = sizeof o, .seed = pi_rng_next(r), .count = 1 + pi_rng_below(r, 9000)};
    struct pd_gen *gen;
    o.container = pi_rng_one_in(r, 2) ? PD_CONTAINER_PIPE : PD_CONTAINER_FILE;
    o.order = pi_rng_one_in(r, 4) ? PD_BIG : PD_LITTLE;
    o.compression = pi_rng_one_in(r, 2) ? PD_RECORD_COMPRESSED : PD_RECORD_COMPRESSED2;
    o.frame = frames[pi_rng_below(r, sizeof frames / sizeof *frames)];
    o.workload = pd_gen_preset(pi_rng_one_in(r, 2) ? "server" : "build");
    b->n = 0;
    assert_int_equal(pd_gen_open(&gen, &sink, &o, NULL), PD_OK);
    assert_int_equal(pd_gen_run(gen, NULL), PD_OK);
    pd_gen_close(gen);
}

/* In one frame, equal records, more than a portion makes; or, with r, some that hardly become smaller. */
static void make_long(struct bytes *b, struct pi_rng *r)
{
    const struct pd_sink sink = {bytes_put, bytes_patch, b};
    const struct pd_writer_options o = {
        .size = sizeof o, .order = PD_HOST_ORDER, .compression = PD_RECORD_COMPRESSED, .frame = UINT64_MAX};
    const struct pd_attr attr = {.size = PD_ATTR_SIZE_VER0, .sample_type = PD_SAMPLE_IP | PD_SAMPLE_ADDR};
    struct pd_record rec = {.type = PD_RECORD_SAMPLE, .u.sample = {.ip = 1, .addr = 2}};
    struct pd_writer *w;
    b->n = 0;
    assert_int_equal(pd_writer_open(&w, &sink, &o, NULL), PD_OK);
    assert_int_equal(pd_writer_attr(w, &attr, NULL, 0, NULL), PD_OK);
    for (unsigned i = 0; i < (r ? 80000 : 300000); i++) {
        if (r)
            rec.u.sample.ip = pi_rng_next(r), rec.u.sample.addr = pi_rng_next(r);
        assert_int_equal(pd_writer_record(w, &rec, NULL), PD_OK);
    }
    assert_int_equal(pd_writer_finish(w, NULL), PD_OK);
    pd_writer_close(w);
}

static void damage(struct bytes *b, struct pi_rng *r)
{
    for (uint64_t n = pi_rng_below(r, 4); n; n--)
        b->p[pi_rng_below(r, b->n)] = (uint8_t)pi_rng_next(r);
    if (pi_rng_one_in(r, 8))
        b->n -= (size_t)pi_rng_below(r, b->n / 2);
}

/* ---- Reading */

static void compare_errors(const struct pd_error *a, const struct pd_error *b)
{
    char x[512], y[512];
    pd_error_text(a, x, sizeof x);
    pd_error_text(b, y, sizeof y);
    assert_string_equal(x, y);
    assert_int_equal(a->offset, b->offset);
    assert_int_equal(a->found, b->found);
    assert_int_equal(a->expected, b->expected);
}

static void compare_places(const struct pd_record *a, const struct pd_record *b)
{
    assert_int_equal(a->offset, b->offset);
    assert_int_equal(a->inner_offset, b->inner_offset);
    assert_int_equal(a->index, b->index);
    assert_int_equal(a->depth, b->depth);
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->raw, b->raw, a->size);
}

/* To the end, behind all errors that reading can go on after; sometimes from the start once more. */
static uint64_t compare(struct pd_reader *with, struct pd_reader *without, struct pi_rng *r)
{
    const bool again = pi_rng_one_in(r, 4);
    const uint64_t back = pi_rng_below(r, 3000);
    uint64_t n = 0, errors = 0;
    for (unsigned rounds = again ? 2 : 1; rounds; n++) {
        struct pd_record a = {0}, b = {0};
        struct pd_error e = {0}, f = {0};
        const enum pd_code code = pd_reader_next(with, &a, &e);
        assert_int_equal(code, pd_reader_next(without, &b, &f));
        if (code == PD_OK)
            compare_places(&a, &b);
        else if (code != PD_END)
            compare_errors(&e, &f);
        errors += code && code != PD_END;
        if (code == PD_END || errors > 1000 || (rounds == 2 && n == back)) {
            rounds--;
            assert_int_equal(pd_reader_rewind(with, NULL), pd_reader_rewind(without, NULL));
        }
    }
    return errors;
}

static void read_both(const struct bytes *b, const struct pd_workers *workers, struct pi_rng *r, uint64_t *n)
{
    struct pd_reader_options o = {.size = sizeof o};
    struct pd_reader *with, *without;
    struct pd_error e, f;
    if (pi_rng_one_in(r, 4))
        o.max_inflate = 1 + pi_rng_below(r, 70000);
    const enum pd_code code = pd_reader_open_memory(&without, b->p, b->n, &o, &e);
    o.workers = workers;
    assert_int_equal(code, pd_reader_open_memory(&with, b->p, b->n, &o, &f));
    if (code) {
        compare_errors(&e, &f);
        return;
    }
    *n += compare(with, without, r);
    pd_reader_close(with);
    pd_reader_close(without);
}

/* ---- Writing */

static void convert(const struct bytes *from, struct bytes *to, const struct pd_workers *workers, int level,
                    uint64_t frame)
{
    const struct pd_reader_options how = {.size = sizeof how, .workers = workers};
    const struct pd_convert_options o = {
        .size = sizeof o, .to = PD_CONVERT_PIPE, .zip = PD_ZIP_COMPRESSED, .level = level, .frame = frame};
    const struct pd_sink sink = {bytes_put, bytes_patch, to};
    struct pd_reader *r;
    to->n = 0;
    assert_int_equal(pd_reader_open_memory(&r, from->p, from->n, &how, NULL), PD_OK);
    assert_int_equal(pd_convert(r, &sink, &o, NULL, NULL), PD_OK);
    pd_reader_close(r);
}

static void convert_both(const struct bytes *b, const struct pd_workers *workers, struct pi_rng *r)
{
    struct bytes with = {0}, without = {0};
    const int level = 1 + (int)pi_rng_below(r, pi_rng_one_in(r, 8) ? 19 : 5);
    const uint64_t frame = pi_rng_one_in(r, 4) ? UINT64_MAX : 1 + pi_rng_below(r, 100000);
    convert(b, &with, workers, level, frame);
    convert(b, &without, NULL, level, frame);
    assert_int_equal(with.n, without.n);
    assert_memory_equal(with.p, without.p, with.n);
    free(with.p);
    free(without.p);
}

/* ---- Tables */

/* The recording two times; a table that is not written ends like one that is. */
static void export_table(const struct bytes *from, struct bytes *to, const struct pd_workers *workers,
                         size_t memory, bool written)
{
    const struct pd_sink sink = {bytes_put, bytes_patch, to};
    const struct pd_export_options o = {
        .size = sizeof o, .format = PD_EXPORT_PARQUET, .sink = &sink, .memory = memory, .workers = workers};
    struct pd_export *x;
    to->n = 0;
    assert_int_equal(pd_export_new(&x, &o, NULL), PD_OK);
    for (unsigned i = 0; i < 2; i++) {
        struct pd_reader *r;
        assert_int_equal(pd_reader_open_memory(&r, from->p, from->n, NULL, NULL), PD_OK);
        assert_int_equal(pd_export_add(x, r, NULL, NULL), PD_OK);
        pd_reader_close(r);
    }
    if (written)
        assert_int_equal(pd_export_write(x, NULL, NULL), PD_OK);
    pd_export_free(x);
}

/* Returns how many jobs there were. */
static uint64_t export_both(const struct bytes *b, const struct pd_workers *workers, struct crew *crew)
{
    struct bytes with = {0}, without = {0};
    const uint64_t before = crew->jobs;
    const size_t memory = 1 + (size_t)pi_rng_below(crew->rng, 100000);
    export_table(b, &with, workers, memory, pi_rng_one_in(crew->rng, 2));
    export_table(b, &with, workers, memory, true);
    const uint64_t jobs = crew->jobs - before;
    export_table(b, &without, NULL, memory, true);
    assert_int_equal(with.n, without.n);
    assert_memory_equal(with.p, without.p, with.n);
    free(with.p);
    free(without.p);
    return jobs;
}

/* ---- */

static void same_with_workers(void **state)
{
    (void)state;
    const uint64_t trials = random_setting("PERFDATA_ITERATIONS", hurried() ? 20 : 80);
    struct bytes b = {0};
    struct pi_rng rng = pi_rng_named(random_seed(), __func__);
    uint64_t errors = 0, encoded = 0;
    struct crew crew = {.rng = &rng};
    for (uint64_t i = 0; i < trials; i++) {
        const struct pd_workers workers = {1 + (unsigned)pi_rng_below(&rng, 3), crew_start, crew_wait, &crew};
        make(&b, &rng);
        read_both(&b, &workers, &rng, &errors);
        if (pi_rng_one_in(&rng, 4))
            convert_both(&b, &workers, &rng);
        if (pi_rng_one_in(&rng, 4))
            encoded += export_both(&b, &workers, &crew);
        damage(&b, &rng);
        read_both(&b, &workers, &rng, &errors);
    }
    assert_true(errors > trials / 4);
    assert_true(encoded > 10 * trials); /* a table has some thirty columns */
    assert_true(crew.jobs > trials && crew.late > trials / 2);
    free(b.p);
}

static void more_than_a_portion(void **state)
{
    (void)state;
    struct bytes b = {0};
    struct pi_rng rng = pi_rng_named(random_seed(), __func__);
    uint64_t errors = 0;
    struct crew crew = {.rng = &rng};
    const struct pd_workers workers = crew_workers(&crew);
    make_long(&b, NULL);
    for (unsigned i = 0; i < 4; i++)
        read_both(&b, &workers, &rng, &errors);
    memset(b.p + b.n * 3 / 4, 0x55, 64);
    read_both(&b, &workers, &rng, &errors);
    assert_true(errors);
    free(b.p);
}

/* A frame goes on through more portions than there are: they are filled again while it is read. */
static void more_than_all_portions(void **state)
{
    (void)state;
    struct bytes b = {0};
    struct pi_rng rng = pi_rng_named(random_seed(), __func__);
    uint64_t errors = 0;
    struct crew crew = {.rng = &rng};
    const struct pd_workers workers = crew_workers(&crew);
    make_long(&b, &rng);
    assert_true(b.n > (workers.n + (size_t)2) * (256 << 10)); /* more than a portion may have */
    for (unsigned i = 0; i < 4; i++)
        read_both(&b, &workers, &rng, &errors);
    free(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_with_workers),
        cmocka_unit_test(more_than_a_portion),
        cmocka_unit_test(more_than_all_portions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
