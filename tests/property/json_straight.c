/* SPDX-License-Identifier: MIT */
/*
 * json_straight.c - random records of all types: pd_record_json(), with code made for their layouts, writes
 * the same text as the tables, whatever the room in the buffer; and a line that pi_record_from_line() reads,
 * damaged or not, makes the same bytes by way of the JSON library. It reads every line that is as usual.
 */
#define _GNU_SOURCE
#include "any_record.h"
#include "cmocka_all.h"
#include "ops/text/parse_json.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct made {
    struct pd_attr attr;
    struct pd_plan plan;
    struct pd_record rec;
    uint8_t bytes[UINT16_MAX];
    size_t n;
};

static bool make_record(struct made *m, struct pi_rng *r)
{
    static uint8_t memory[PI_RANDOM_ARENA];
    struct pi_arena arena = {memory, sizeof memory};
    struct pd_record made;
    const struct pd_op *layout = random_layout(r);
    const uint32_t type = pi_rng_one_in(r, 3) ? PD_RECORD_SAMPLE : (uint32_t)layout->arg;
    m->attr = random_attr(r);
    pd_plan_init(&m->plan, &m->attr, pi_rng_one_in(r, 2) ? PD_BIG : PD_LITTLE);
    if (type == 0 || !pi_random_record(&m->plan, type, r, &arena, &made))
        return false;
    assert_int_equal(pd_record_encode(&m->plan, &made, m->bytes, sizeof m->bytes, &m->n, NULL), PD_OK);
    for (uint64_t k = pi_rng_below(r, 4); k && m->n > 8; k--)
        m->bytes[8 + pi_rng_below(r, m->n - 8)] = (uint8_t)pi_rng_next(r);
    memset(&m->rec, 0, sizeof m->rec);
    if (pd_record_decode(&m->plan, m->bytes, m->n, &m->rec, NULL) != PD_OK)
        return false;
    m->rec.attr = &m->attr;
    m->rec.attr_index = 0;
    m->rec.offset = pi_rng_next(r) >> pi_rng_below(r, 64);
    return true;
}

/* ---- Writing. */

static void written_by_tables(const struct pd_record *rec, const struct pd_out *straight, size_t room)
{
    struct collected c = {.all = {.more = pd_out_grow}};
    struct pd_out few = {.buf = c.small, .cap = room, .more = collect, .user = &c};
    struct pd_out tables = {.more = pd_out_grow};
    struct pd_fields it;
    char key[80];
    pd_record_json(rec, PD_JSON_OFFSET | PD_JSON_ATTR, &few);
    collect(&few, 0);
    assert_int_equal(c.all.n, straight->n);
    assert_memory_equal(c.all.buf, straight->buf, straight->n);
    free(c.all.buf);
    if (rec->layout == NULL || rec->old_feature)
        return;
    snprintf(key, sizeof key, ",\"%s\":", rec->layout->name);
    pd_fields_of_record(&it, rec);
    it.rest = NULL;
    it.has_id = false;
    pd_out_str(&tables, key);
    pd_fields_json(&it, &tables);
    assert_non_null(memmem(straight->buf, straight->n, tables.buf, tables.n));
    free(tables.buf);
}

/* ---- Reading. */

static const struct pd_plan *plan_of(const void *user, uint32_t attr)
{
    return attr == 0 ? user : NULL;
}

/* The same bytes, or none, by the JSON library. */
static void same_by_library(struct pd_parser *library, const struct pd_plan *plan, const struct pd_out *line,
                            const struct pd_record *quick)
{
    static uint8_t a[UINT16_MAX], b[UINT16_MAX];
    static struct pd_record back;
    size_t n, size;
    if (pd_record_encode(plan, quick, a, sizeof a, &n, NULL) != PD_OK)
        return; /* then the line is read again */
    const size_t begin = strlen("{\"record\":");
    assert_int_equal(pd_record_parse(library, plan, line->buf + begin, line->n - begin - 1, &back), PD_OK);
    assert_int_equal(back.offset, quick->offset);
    assert_int_equal(pd_record_encode(plan, &back, b, sizeof b, &size, NULL), PD_OK);
    assert_int_equal(size, n);
    assert_memory_equal(a, b, n);
}

/* Characters are changed, dropped or repeated. */
static void damage(struct pi_rng *r, struct pd_out *line)
{
    static const char some[] = "0123456789afx\"\\,:{}[]-.eE |=SU\x01\xc3";
    const size_t at = (size_t)pi_rng_below(r, line->n);
    switch (pi_rng_below(r, 3)) {
    case 0: line->buf[at] = some[pi_rng_below(r, sizeof some)]; break;
    case 1: memmove(line->buf + at, line->buf + at + 1, --line->n - at); break;
    default:
        pd_out_bytes(line, "", 1);
        memmove(line->buf + at + 1, line->buf + at, line->n - at - 1);
        break;
    }
}

struct counts {
    uint64_t usual, read, damaged, damaged_read;
};

/* In memory of exactly its size. */
static bool read_line(struct pd_parser *p, const struct pd_plan *plan, const struct pd_out *line,
                      struct pd_record *rec, char **exact)
{
    *exact = malloc(line->n + 1);
    memcpy(*exact, line->buf, line->n);
    return pi_record_from_line(p, *exact, line->n, plan_of, plan, rec);
}

static void read_as_by_library(struct pi_rng *r, struct made *m, struct pd_out *line,
                               struct pd_parser *parsers[2], struct counts *counts)
{
    static struct pd_record quick;
    char *exact;
    const bool read = read_line(parsers[0], &m->plan, line, &quick, &exact);
    if (read)
        same_by_library(parsers[1], &m->plan, line, &quick);
    free(exact);
    counts->usual += m->rec.type == PD_RECORD_SAMPLE;
    counts->read += read && m->rec.type == PD_RECORD_SAMPLE;
    for (uint64_t k = 1 + pi_rng_below(r, 3); k; k--)
        damage(r, line);
    counts->damaged++;
    if (read_line(parsers[0], &m->plan, line, &quick, &exact)) {
        same_by_library(parsers[1], &m->plan, line, &quick);
        counts->damaged_read++;
    }
    free(exact);
}

static void lines_are_those_of_the_tables(void **state)
{
    static struct made m;
    struct pi_rng r = {random_seed()};
    struct pd_parser *parsers[2];
    struct pd_out line = {.more = pd_out_grow};
    struct counts counts = {0};
    const uint64_t iterations = random_iterations(4000);
    (void)state;
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(pd_parser_open(&parsers[i], NULL, NULL), PD_OK);
    for (uint64_t i = 0; i < iterations; i++) {
        const uint64_t seed = r.state;
        if (i % 4000 == 0)
            print_message("PERFDATA_SEED=%llu\n", (unsigned long long)seed);
        if (!make_record(&m, &r))
            continue;
        line.n = 0;
        pd_record_json(&m.rec, PD_JSON_OFFSET | PD_JSON_ATTR, &line);
        written_by_tables(&m.rec, &line, 1 + (size_t)pi_rng_below(&r, 64));
        line.n = 0;
        pd_out_str(&line, "{\"record\":");
        pd_record_json(&m.rec, PD_JSON_OFFSET | PD_JSON_ATTR, &line);
        pd_out_str(&line, "}");
        read_as_by_library(&r, &m, &line, parsers, &counts);
    }
    print_message("%llu samples, %llu read; %llu damaged, %llu read\n", (unsigned long long)counts.usual,
                  (unsigned long long)counts.read, (unsigned long long)counts.damaged,
                  (unsigned long long)counts.damaged_read);
    assert_true(counts.read > counts.usual / 2 && counts.damaged_read > counts.damaged / 50);
    for (size_t i = 0; i < 2; i++)
        pd_parser_close(parsers[i]);
    free(line.buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines_are_those_of_the_tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
