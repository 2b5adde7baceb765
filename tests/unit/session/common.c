/* SPDX-License-Identifier: MIT */
/* common.c - task, time, id and cpu of records: from the body, the sample_id, the payload, or not there. */
#include "cmocka_all.h"
#include <perfdata/attr.h>
#include <perfdata/constants.h>
#include <perfdata/session/tasks.h>
#include <string.h>

static struct pd_record_words words_of(uint64_t sample_type, uint64_t flags, const struct pd_record *what)
{
    const struct pd_attr attr = {.type = PD_TYPE_SOFTWARE, .sample_type = sample_type, .flags = flags};
    struct pd_record rec = {0};
    struct pd_record_words words;
    struct pd_plan plan;
    uint64_t bytes[64];
    size_t size;
    pd_plan_init(&plan, &attr, PD_BIG);
    assert_int_equal(pd_record_encode(&plan, what, bytes, sizeof bytes, &size, NULL), PD_OK);
    assert_int_equal(pd_record_frame(PD_BIG, bytes, size, &rec, NULL), PD_OK);
    rec.plan = &plan;
    pd_record_common(&rec, &words);
    return words;
}

#define ALL (PD_SAMPLE_TID | PD_SAMPLE_TIME | PD_SAMPLE_ID | PD_SAMPLE_CPU)

static void of_a_sample(void **state)
{
    const struct pd_record sample = {.type = PD_RECORD_SAMPLE,
                                     .u.sample = {.pid = 1, .tid = 2, .time = 3, .id = 4, .cpu = 5}};
    struct pd_record_words w = words_of(ALL, 0, &sample);
    (void)state;
    assert_true(w.has_task && w.has_time && w.has_id && w.has_cpu);
    assert_int_equal(w.pid, 1);
    assert_int_equal(w.tid, 2);
    assert_int_equal(w.time, 3);
    assert_int_equal(w.id, 4);
    assert_int_equal(w.cpu, 5);
    w = words_of(PD_SAMPLE_IP, 0, &sample);
    assert_true(!w.has_task && !w.has_time && !w.has_id && !w.has_cpu);
    assert_int_equal(w.pid | w.time | w.id | w.cpu, 0);
}

/* The sample_id is of who made the record, the payload of whom it is about. */
static void of_others(void **state)
{
    const struct pd_record exit = {.type = PD_RECORD_EXIT,
                                   .has_id = true,
                                   .id = {.pid = 1, .tid = 2, .time = 3, .id = 4, .cpu = 5},
                                   .u.exit = {.pid = 11, .tid = 12, .time = 13}};
    struct pd_record_words w = words_of(ALL, PD_ATTR_SAMPLE_ID_ALL, &exit);
    (void)state;
    assert_true(w.has_task && w.has_time && w.has_id && w.has_cpu);
    assert_int_equal(w.pid, 1);
    assert_int_equal(w.time, 3);
    w = words_of(ALL, 0, &exit);
    assert_true(w.has_task && w.has_time && !w.has_id && !w.has_cpu);
    assert_int_equal(w.pid, 11);
    assert_int_equal(w.tid, 12);
    assert_int_equal(w.time, 13);
    const struct pd_record lost = {.type = PD_RECORD_LOST, .u.lost = {.id = 21, .lost = 1}};
    w = words_of(ALL, 0, &lost);
    assert_true(!w.has_task && !w.has_time && w.has_id && !w.has_cpu);
    assert_int_equal(w.id, 21);
    const struct pd_record stat = {.type = PD_RECORD_STAT, .u.stat = {.id = 31}};
    w = words_of(ALL, PD_ATTR_SAMPLE_ID_ALL, &stat);
    assert_true(!w.has_task && w.has_id);
    assert_int_equal(w.id, 31);
}

/* One that cannot be decoded says nothing; nothing is read beyond it. */
static void of_what_is_cut(void **state)
{
    const struct pd_attr attr = {.type = PD_TYPE_SOFTWARE, .sample_type = ALL};
    const uint8_t bytes[] = {0, 0, 0, PD_RECORD_EXIT, 0, 0, 0, 8};
    struct pd_record rec = {0};
    struct pd_record_words w;
    struct pd_plan plan;
    (void)state;
    pd_plan_init(&plan, &attr, PD_BIG);
    assert_int_equal(pd_record_frame(PD_BIG, bytes, sizeof bytes, &rec, NULL), PD_OK);
    rec.plan = &plan;
    pd_record_common(&rec, &w);
    assert_true(!w.has_task && !w.has_time && !w.has_id && !w.has_cpu);
    rec.plan = NULL;
    pd_record_common(&rec, &w);
    assert_true(!w.has_task);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_a_sample), cmocka_unit_test(of_others),
                                       cmocka_unit_test(of_what_is_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
