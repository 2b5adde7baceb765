/* SPDX-License-Identifier: MIT */
/*
 * copy.c - copies of records stand for themselves: of random records of all types, made by a program or
 * decoded, after what they were made from is overwritten. Checks R4.
 */
#include "cmocka_all.h"
#include "heap.h"
#include "seeded.h"
#include "src/codec/variant.h"
#include "src/schema/schema.h"
#include "ops/gen/random_values.h"
#include <perfdata/session/compare.h>
#include <stdlib.h>

static const uint32_t types[] = {
#define LAYOUT(name_, doc_)
#define RECORD(name_, type_, misc_, trailer_, doc_) PD_RECORD_##type_,
#define END(name_)
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END
};

/* The copy encodes to the same bytes when all memory of the record is gone. */
static void expect_same(const struct pd_record *rec, const struct pd_plan *plan, void *memory, size_t n)
{
    static uint8_t before[65536], after[65536];
    struct pd_record *copy = NULL;
    size_t size[2];
    assert_int_equal(pd_record_encode(plan, rec, before, sizeof before, &size[0], NULL), PD_OK);
    assert_int_equal(pd_record_copy(&copy, rec, NULL, NULL), PD_OK);
    assert_true(pd_record_equal(rec, copy, NULL));
    memset(memory, 0xa5, n);
    assert_int_equal(
        pd_record_encode(copy->plan ? copy->plan : plan, copy, after, sizeof after, &size[1], NULL), PD_OK);
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(before, after, size[0]);
    pd_record_free(copy, NULL);
}

static void random_records(void **state)
{
    static uint8_t memory[1 << 20], bytes[65536];
    const struct pd_attr attr = {.size = PD_ATTR_SIZE_VER7,
                                 .sample_type = UINT64_C(0x1ffffff) & ~(uint64_t)PD_SAMPLE_WEIGHT,
                                 .sample_regs_user = 0xff,
                                 .flags = PD_ATTR_SAMPLE_ID_ALL};
    struct pd_plan plan;
    size_t made = 0;
    (void)state;
    pd_plan_init(&plan, &attr, PD_BIG);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (unsigned seed = 0; seed < 20; seed++) {
            struct pi_rng rng = {seed + 1};
            struct pi_arena arena = {memory, sizeof memory};
            struct pd_record rec = {0};
            size_t size;
            if (!pi_random_record(&plan, types[i], &rng, &arena, &rec))
                continue;
            rec.plan = &plan;
            if (pd_record_encode(&plan, &rec, bytes, sizeof bytes, &size, NULL))
                continue;
            made++;
            expect_same(&rec, &plan, memory, sizeof memory);
            struct pd_record got = {.attr = &attr};
            assert_int_equal(pd_record_decode(&plan, bytes, size, &got, NULL), PD_OK);
            expect_same(&got, &plan, bytes, sizeof bytes);
        }
    assert_true(made > 500);
}

/* The plan and the attr come along, and memory that runs out is told. */
static void without_its_reader(void **state)
{
    struct pd_attr *attr = malloc(sizeof *attr);
    struct pd_plan *plan = malloc(sizeof *plan);
    char *tail = strdup("tail");
    struct pd_record *copy = NULL, rec = {.type = PD_RECORD_SAMPLE, .u.sample.ip = 7};
    (void)state;
    assert_true(attr && plan && tail);
    *attr = (struct pd_attr){.config = 9, .sample_type = PD_SAMPLE_IP, .tail = {(uint8_t *)tail, 4}};
    pd_plan_init(plan, attr, PD_LITTLE);
    rec.plan = plan;
    rec.attr = attr;
    assert_int_equal(pd_record_copy(&copy, &rec, NULL, NULL), PD_OK);
    free(tail);
    free(attr);
    free(plan);
    assert_true(copy->attr->config == 9 && copy->plan->shape.sample_type == PD_SAMPLE_IP);
    assert_memory_equal(copy->attr->tail.ptr, "tail", 4);
    pd_record_free(copy, NULL);
    pd_record_free(NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_records),
        cmocka_unit_test(without_its_reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
