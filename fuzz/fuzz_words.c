/* SPDX-License-Identifier: MIT */
/*
 * fuzz_words.c - what users write: names of events, times, expressions, workloads, paths of fields. Whatever
 * it is, it is understood or refused with a reason. What an event is called is read back as that event;
 * ranges of time are in order; a sample meets an expression or its negation; what is made of a workload
 * passes `check`; a number that is set at a path is found there. Checks R1, R12.
 *
 * Input: a byte that chooses what it is, then the text.
 */
#include "tests/support/recording.h"
#include "image.h"
#include "src/support/wire.h"
#include <perfdata/ops/expression.h>
#include <perfdata/ops/filter.h>
#include <perfdata/ops/gen.h>
#include <perfdata/session/event.h>
#include <perfdata/session/fields.h>

#define MOST 4096

/* ---- Events */

static void check_event(const struct pd_event *e)
{
    struct pd_typed_event typed;
    struct pd_event same, built;
    char name[400];
    pd_event_classify(e, &typed);
    pd_event_build(&typed, &built);
    const size_t n =
        pd_event_format(e->type, e->config, e->bp_addr, e->bp_type, e->bp_len, name, sizeof name);
    CHECK(n < sizeof name && strlen(name) == n);
    CHECK(pd_event_parse(name, n, &same));
    CHECK(same.type == e->type && same.config == e->config && same.bp_addr == e->bp_addr);
    CHECK(same.bp_type == e->bp_type && same.bp_len == e->bp_len);
    CHECK(built.type == e->type && built.config == e->config && built.bp_addr == e->bp_addr);
    CHECK(built.bp_type == e->bp_type && built.bp_len == e->bp_len);
}

/* As a name, and as numbers. */
static void try_event(const uint8_t *text, size_t n)
{
    struct pd_event e = {.type = 0};
    if (pd_event_parse((const char *)text, n, &e))
        check_event(&e);
    if (n >= 36) {
        e.type = pi_load32(text, PD_LITTLE);
        e.config = pi_load64(text + 4, PD_LITTLE);
        e.bp_addr = pi_load64(text + 12, PD_LITTLE);
        e.bp_type = pi_load32(text + 20, PD_LITTLE);
        e.bp_len = pi_load64(text + 28, PD_LITTLE);
        check_event(&e);
    }
}

/* ---- Times */

static void try_times(const char *text)
{
    const uint64_t first = 1000000000, last = UINT64_C(90000000000);
    const size_t most = pd_time_count(text);
    struct pd_time_range *ranges = calloc(most ? most : 1, sizeof *ranges); /* so that more are noticed */
    size_t n = 0;
    uint64_t time;
    CHECK(ranges);
    if (pd_time_parse(text, first, last, ranges, &n)) {
        CHECK(n <= most);
        for (size_t i = 0; i < n; i++) {
            if (ranges[i].start <= ranges[i].end) /* as perf, parts may be the wrong way round */
                CHECK(pd_time_match(ranges, n, ranges[i].start) && pd_time_match(ranges, n, ranges[i].end));
            else
                CHECK(ranges[i].end == 0 || pd_time_is_relative(text));
            CHECK(i == 0 || pd_time_is_relative(text) || ranges[i - 1].end <= ranges[i].start);
        }
    }
    free(ranges);
    if (pd_time_value(text, strlen(text), &time))
        CHECK(strlen(text) || time == 0);
}

/* ---- With a recording */

static struct pd_reader *open_made(const struct image *im)
{
    struct pd_reader *r;
    CHECK(pd_reader_open_memory(&r, im->b, im->n, NULL, NULL) == PD_OK);
    return r;
}

static bool compile(struct pd_expression **e, const char *text, const struct pd_reader *r)
{
    struct pd_expression_error wrong = {0};
    const enum pd_code code = pd_expression_new(e, text, NULL, &wrong);
    CHECK(code == PD_OK || code == PD_ELIMIT ||
          (code == PD_EARG && wrong.what && wrong.at + wrong.n <= strlen(text)));
    if (code == PD_OK && pd_expression_check(*e, r, NULL, &wrong))
        return true;
    CHECK(code || wrong.what);
    if (code == PD_OK)
        pd_expression_free(*e);
    return false;
}

static void try_expression(const char *text, const struct image *im)
{
    struct pd_reader *r = open_made(im);
    struct pd_record rec = {0};
    struct pd_expression *yes, *no;
    char negation[MOST + 8];
    while (pd_reader_next(r, &rec, NULL) == PD_OK)
        ;
    CHECK(pd_reader_rewind(r, NULL) == PD_OK);
    snprintf(negation, sizeof negation, "!(%s)", text);
    if (compile(&yes, text, r)) {
        if (compile(&no, negation, r)) {
            while (pd_reader_next(r, &rec, NULL) == PD_OK)
                if (rec.type == PD_RECORD_SAMPLE)
                    CHECK(!(pd_expression_meets(yes, NULL, &rec) && pd_expression_meets(no, NULL, &rec)));
            pd_expression_free(no);
        }
        pd_expression_free(yes);
    }
    pd_reader_close(r);
}

static void set_and_get(struct pd_record *rec, struct pd_attr *attr, const char *path)
{
    uint64_t value, now;
    struct pd_error error;
    if (pd_record_get(rec, path, &value)) {
        const enum pd_code code = pd_record_set(rec, path, value / 2, &error);
        CHECK(code == PD_OK || (error.code == code && error.field));
        CHECK(code || (pd_record_get(rec, path, &now) && now == value / 2));
    } else {
        CHECK(pd_record_set(rec, path, 0, &error) == PD_EARG || error.code == PD_EUNSUP);
    }
    if (pd_attr_get(attr, path, &value) && pd_attr_set(attr, path, value / 2, &error) == PD_OK)
        CHECK(pd_attr_get(attr, path, &now) && now == value / 2);
}

static void try_path(const char *path, const struct image *im)
{
    struct pd_reader *r = open_made(im);
    struct pd_record rec = {0};
    uint32_t feature;
    while (pd_reader_next(r, &rec, NULL) == PD_OK) {
        if (pd_reader_decode(r, &rec, NULL) || !rec.attr)
            continue;
        struct pd_record own = rec;
        struct pd_attr attr = *rec.attr;
        set_and_get(&own, &attr, path);
    }
    if (pd_feature_parse(path, &feature) && pd_feature_name(feature))
        CHECK(pd_feature_parse(pd_feature_name(feature), &feature));
    pd_reader_close(r);
}

/* ---- Workloads */

static void try_workload(const char *text)
{
    struct image out = {0};
    const struct pd_sink sink = image_sink(&out);
    const struct pd_gen_options options = {
        .size = sizeof options, .seed = 1, .count = 40, .tasks = 4, .workload = text};
    struct pd_gen *gen = NULL;
    struct pd_error error = {0};
    const enum pd_code code = pd_gen_open(&gen, &sink, &options, &error);
    CHECK(code == PD_OK || (error.code == code && error.field && error.found));
    if (!code) {
        CHECK(pd_gen_run(gen, NULL) == PD_OK);
        CHECK(is_clean(out.b, out.n));
    }
    pd_gen_close(gen);
    image_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct image im;
    if (size == 0 || size > MOST)
        return 0;
    char *text = calloc(size, 1); /* as a string, ended at its first NUL */
    CHECK(text);
    memcpy(text, data + 1, size - 1);
    if (im.n == 0)
        image_recording(&im, false);
    switch (data[0] % 5) {
    case 0: try_event((const uint8_t *)text, size - 1); break;
    case 1: try_times(text); break;
    case 2: try_expression(text, &im); break;
    case 3: try_path(text, &im); break;
    default: try_workload(text);
    }
    free(text);
    return 0;
}
