/* SPDX-License-Identifier: MIT */
/*
 * task_questions.c - what the task engine answers besides states: uses of numbers (split), who told the last
 * (merge), and the last of each tid (info), on records that are fed one by one.
 */
#include "cmocka_all.h"
#include "heap.h"
#include "src/session/tasks/task_questions.h"
#include <perfdata/constants.h>
#include <stdio.h>

#define LONG_NAME "com.example.android.displayingbitmaps"

struct made {
    struct pd_plan plan;
    struct pd_record rec;
    uint8_t bytes[64];
};

static void put32(struct made *m, size_t at, uint32_t value)
{
    memcpy(m->bytes + at, &value, 4);
}

/* A framed record, for an attr without sample_id. */
static struct pd_record *make(struct made *m, uint32_t type, uint16_t misc, uint16_t size)
{
    const struct pd_attr attr = {.size = PD_ATTR_SIZE_VER0};
    put32(m, 0, type);
    memcpy(m->bytes + 4, &misc, 2);
    memcpy(m->bytes + 6, &size, 2);
    pd_plan_init(&m->plan, &attr, PD_HOST_ORDER);
    assert_int_equal(pd_record_frame(PD_HOST_ORDER, m->bytes, size, &m->rec, NULL), PD_OK);
    m->rec.plan = &m->plan;
    return &m->rec;
}

static struct pd_record *comm(struct made *m, uint32_t pid, uint32_t tid, const char *name)
{
    *m = (struct made){0};
    put32(m, 8, pid);
    put32(m, 12, tid);
    memcpy(m->bytes + 16, name, strlen(name));
    return make(m, PD_RECORD_COMM, 0, sizeof m->bytes);
}

static struct pd_record *birth(struct made *m, uint32_t type, uint32_t pid, uint32_t tid, uint32_t ppid,
                               uint32_t ptid)
{
    *m = (struct made){0};
    put32(m, 8, pid);
    put32(m, 12, ppid);
    put32(m, 16, tid);
    put32(m, 20, ptid);
    return make(m, type, 0, 32);
}

static struct pd_record *map(struct made *m, uint16_t misc, uint32_t pid, uint32_t tid)
{
    *m = (struct made){0};
    put32(m, 8, pid);
    put32(m, 12, tid);
    memcpy(m->bytes + 40, "/bin", 5);
    return make(m, PD_RECORD_MMAP, misc, 48);
}

static struct pd_tasks *ask(enum pi_task_question question)
{
    struct pd_tasks *t;
    assert_int_equal(pi_tasks_ask(&t, question, NULL, NULL), PD_OK);
    return t;
}

/* ---- Uses */

static void use_at(struct pd_tasks *t, uint64_t order, struct pd_record *rec)
{
    const struct pd_moment when = {.order = order};
    assert_int_equal(pd_tasks_record(t, rec, &when, NULL), PD_OK);
}

static struct pi_task_owners owners_of(struct pd_tasks *t, struct pd_record *rec)
{
    struct pi_task_owners owners;
    pi_tasks_owners(t, rec, &owners);
    return owners;
}

static bool used_from(struct pd_tasks *t, struct pd_record *rec, uint64_t order)
{
    const struct pi_task_owners owners = owners_of(t, rec);
    return pi_tasks_used_from(t, &owners, order);
}

/* 10 forks 20, that forks 30, to which record 7 refers; 40 has nothing to do with them. */
static void a_use_is_one_of_the_ancestors(void **state)
{
    struct pd_tasks *t = ask(PI_TASKS_USES);
    struct made m;
    (void)state;
    use_at(t, 1, comm(&m, 10, 10, "a"));
    use_at(t, 2, comm(&m, 40, 40, "d"));
    use_at(t, 3, birth(&m, PD_RECORD_FORK, 20, 20, 10, 10));
    use_at(t, 4, birth(&m, PD_RECORD_FORK, 30, 30, 20, 20));
    use_at(t, 7, birth(&m, PD_RECORD_EXIT, 30, 30, 20, 20));
    pi_tasks_spread_uses(t);
    assert_true(used_from(t, comm(&m, 10, 10, "a"), 7));
    assert_false(used_from(t, comm(&m, 10, 10, "a"), 8));
    assert_true(used_from(t, comm(&m, 40, 40, "d"), 2));
    assert_false(used_from(t, comm(&m, 40, 40, "d"), 3));
    assert_true(used_from(t, map(&m, PD_CPUMODE_KERNEL, 10, 10), 9)); /* all use it */
    pd_tasks_free(t);
}

static uint64_t needed_in(struct pd_tasks *t, struct pd_record *rec, bool *needed)
{
    const struct pi_task_owners owners = owners_of(t, rec);
    struct pi_piece_set pieces;
    *needed = pi_tasks_needed_in(t, &owners, &pieces);
    for (size_t i = 1; i < PI_PIECE_WORDS; i++)
        assert_int_equal(pieces.words[i], 0);
    return pieces.words[0];
}

static void a_need_is_one_of_the_ancestors(void **state)
{
    struct pd_tasks *t = ask(PI_TASKS_USES);
    struct made m;
    bool needed;
    (void)state;
    use_at(t, 1, birth(&m, PD_RECORD_FORK, 20, 20, 10, 10));
    assert_int_equal(pi_tasks_need_in(t, 20, 21, 2, NULL), PD_OK);
    pi_tasks_spread_uses(t);
    assert_int_equal(needed_in(t, comm(&m, 10, 10, "a"), &needed), 4);
    assert_false(needed); /* until it is noted */
    assert_int_equal(needed_in(t, map(&m, PD_CPUMODE_USER, 20, 22), &needed), 4);
    pi_tasks_clear_needs(t, false);
    assert_int_equal(needed_in(t, comm(&m, 10, 10, "a"), &needed), 0);
    assert_true(needed);
    assert_int_equal(needed_in(t, comm(&m, 50, 50, "e"), &needed), 0);
    assert_false(needed);
    pd_tasks_free(t);
}

static void more_pieces_are_told_apart(void **state)
{
    struct pd_tasks *t = ask(PI_TASKS_USES);
    struct pi_task_owners owners;
    struct pi_piece_set pieces;
    struct made m;
    (void)state;
    use_at(t, 1, birth(&m, PD_RECORD_FORK, 20, 20, 10, 10));
    assert_int_equal(pi_tasks_need_in(t, 20, 20, 3, NULL), PD_OK);
    assert_true(pi_tasks_widen(t, PI_PIECE_WORDS));
    for (size_t piece = 0; piece < 64 * PI_PIECE_WORDS; piece += 70) /* task 20, and those that come now */
        assert_int_equal(pi_tasks_need_in(t, 20, piece ? 1000 + (uint32_t)piece : 20, piece, NULL), PD_OK);
    pi_tasks_spread_uses(t);
    owners = owners_of(t, comm(&m, 10, 10, "a")); /* the parent of all of them */
    pi_tasks_needed_in(t, &owners, &pieces);
    for (size_t piece = 0; piece < 64 * PI_PIECE_WORDS; piece++)
        assert_int_equal(pieces.words[piece / 64] >> piece % 64 & 1, piece % 70 == 0);
    owners = owners_of(t, comm(&m, 20, 1350, "b"));
    pi_tasks_needed_in(t, &owners, &pieces);
    for (size_t piece = 0; piece < 64 * PI_PIECE_WORDS; piece++)
        assert_int_equal(pieces.words[piece / 64] >> piece % 64 & 1, piece == 350);
    pi_tasks_clear_needs(t, false);
    assert_false(pi_tasks_were_written(t, &owners));
    assert_true(pi_tasks_needed_in(t, &owners, &pieces));
    assert_int_equal(pieces.words[5], 0);
    assert_int_equal(pi_tasks_need_in(t, 20, 1350, 1, NULL), PD_OK);
    pi_tasks_clear_needs(t, true);
    assert_true(pi_tasks_were_written(t, &owners));
    owners = owners_of(t, comm(&m, 1000 + 70, 1000 + 70, "c"));
    assert_false(pi_tasks_were_written(t, &owners));
    pd_tasks_free(t);
}

static void without_memory_there_is_one_word_of_pieces(void **state)
{
    struct pd_tasks *t = ask(PI_TASKS_USES);
    struct pi_task_owners owners;
    struct pi_piece_set pieces;
    struct made m;
    (void)state;
    pd_tasks_limit(t, 200);
    use_at(t, 1, comm(&m, 20, 20, "a"));
    assert_false(pi_tasks_widen(t, PI_PIECE_WORDS * 100));
    assert_int_equal(pi_tasks_need_in(t, 20, 20, 63, NULL), PD_OK);
    owners = owners_of(t, comm(&m, 20, 20, "a"));
    pi_tasks_needed_in(t, &owners, &pieces);
    assert_true(pieces.words[0] == UINT64_C(1) << 63);
    pd_tasks_free(t);
}

/* A FORK matters to its parent if no record spoke of that, or one gave its number to another process. */
static void a_fork_may_make_its_parent(void **state)
{
    struct pd_tasks *t = ask(PI_TASKS_USES);
    struct made m;
    (void)state;
    use_at(t, 1, birth(&m, PD_RECORD_FORK, 20, 20, 10, 10));
    assert_int_equal(owners_of(t, birth(&m, PD_RECORD_FORK, 20, 20, 10, 10)).n, 2);
    assert_int_equal(owners_of(t, birth(&m, PD_RECORD_FORK, 20, 20, 10, 10)).n, 1);
    assert_int_equal(owners_of(t, birth(&m, PD_RECORD_FORK, 20, 20, 11, 10)).n, 2);
    pi_tasks_rewind(t);
    assert_int_equal(owners_of(t, comm(&m, 10, 10, "a")).n, 1);
    assert_int_equal(owners_of(t, birth(&m, PD_RECORD_FORK, 20, 20, 10, 10)).n, 1);
    pd_tasks_free(t);
}

/* ---- Tellers */

static void note_record(struct pd_tasks *t, struct pi_task_source source, struct pd_record *rec)
{
    pi_tasks_from(t, source);
    assert_int_equal(pd_tasks_record(t, rec, NULL, NULL), PD_OK);
}

static bool others_told(const struct pd_tasks *t, struct pi_task_source source, struct pd_record *rec)
{
    struct pi_told told;
    assert_int_equal(pi_told_of(rec, &told, NULL), PD_OK);
    return pi_tasks_told_by_others(t, &source, &told);
}

static void the_last_teller_counts(void **state)
{
    struct pd_tasks *t = ask(PI_TASKS_TELLERS);
    struct made m;
    const struct pi_task_source a = {0, 0, false}, b = {0, 1, false}, again = {0, 0, true};
    const struct pi_task_source far = {1, 0, false};
    (void)state;
    assert_false(others_told(t, a, comm(&m, 10, 11, "a")));
    note_record(t, b, comm(&m, 10, 11, "a"));
    assert_true(others_told(t, a, comm(&m, 10, 11, "a")));
    assert_false(others_told(t, b, comm(&m, 10, 11, "a")));
    assert_false(others_told(t, far, comm(&m, 10, 11, "a")));          /* another machine, input of a */
    assert_false(others_told(t, a, map(&m, PD_CPUMODE_USER, 10, 11))); /* maps are told apart from names */
    note_record(t, again, comm(&m, 10, 11, "a"));
    assert_false(others_told(t, a, comm(&m, 10, 11, "a")));
    assert_false(others_told(t, b, comm(&m, 10, 11, "a")));
    note_record(t, a, comm(&m, 10, 11, "b"));
    assert_true(others_told(t, b, comm(&m, 10, 11, "a")));
    note_record(t, b, birth(&m, PD_RECORD_EXIT, 10, 11, 10, 10)); /* tells nothing of it */
    assert_true(others_told(t, b, comm(&m, 10, 11, "a")));
    note_record(t, b, map(&m, PD_CPUMODE_USER, 10, 11));
    assert_true(others_told(t, a, map(&m, PD_CPUMODE_USER, 10, 99))); /* they are the process's */
    pd_tasks_free(t);
}

static void tellers_beyond_the_limit_are_not_noted(void **state)
{
    struct pd_tasks *t = ask(PI_TASKS_TELLERS);
    struct made m;
    const struct pi_task_source a = {0, 0, false}, b = {0, 1, false};
    (void)state;
    pd_tasks_limit(t, 2 * PI_TASK_TELLER_BYTES);
    for (uint32_t tid = 1; tid <= 3; tid++)
        note_record(t, b, comm(&m, tid, tid, "a"));
    assert_true(others_told(t, a, comm(&m, 2, 2, "a")));
    assert_false(others_told(t, a, comm(&m, 3, 3, "a")));
    note_record(t, a, comm(&m, 1, 1, "a")); /* one that is there changes */
    assert_true(others_told(t, b, comm(&m, 1, 1, "a")));
    pd_tasks_free(t);
}

/* ---- The last of each */

static void last_records_are_known(void **state)
{
    struct pd_tasks *t = ask(PI_TASKS_LAST);
    struct made m;
    size_t n;
    (void)state;
    assert_int_equal(pd_tasks_record(t, comm(&m, 10, 11, "first"), NULL, NULL), PD_OK);
    assert_int_equal(pd_tasks_record(t, birth(&m, PD_RECORD_FORK, 5, 5, 10, 11), NULL, NULL), PD_OK);
    assert_int_equal(pd_tasks_record(t, birth(&m, PD_RECORD_EXIT, 6, 6, 10, 11), NULL, NULL), PD_OK);
    assert_int_equal(pd_tasks_record(t, comm(&m, 12, 11, LONG_NAME), NULL, NULL), PD_OK);
    assert_int_equal(pd_tasks_mention(t, NULL, 1, 77, NULL), PD_OK);
    assert_int_equal(pd_tasks_mention(t, NULL, 1, 77, NULL), PD_OK);
    assert_int_equal(pd_tasks_mention(t, NULL, 1, PI_TID_SET_BITS, NULL), PD_OK); /* no tid */
    const struct pi_task_last *last = pi_tasks_last(t, &n);
    assert_int_equal(n, 2);
    assert_int_equal(last[0].tid, 11);
    assert_int_equal(last[0].pid, 12);
    assert_int_equal(last[0].ppid, UINT32_MAX);
    assert_string_equal(pd_tasks_comm(t, last[0].comm), LONG_NAME);
    assert_int_equal(last[1].tid, 5);
    assert_int_equal(last[1].ppid, 10);
    assert_int_equal(last[1].comm, PD_COMM_NONE);
    assert_int_equal(pi_tasks_met(t)->n, 3); /* 11, 5, 77 */
    assert_true(pi_tid_set_has(pi_tasks_met(t), 77));
    assert_false(pi_tid_set_has(pi_tasks_met(t), 6));
    pd_tasks_free(t);
}

static void only_the_count(void **state)
{
    struct pd_tasks *t = ask(PI_TASKS_COUNT);
    struct made m;
    size_t n;
    (void)state;
    assert_false(pi_tid_set_has(pi_tasks_met(t), 0));
    assert_int_equal(pd_tasks_record(t, comm(&m, 10, 11, "a"), NULL, NULL), PD_OK);
    pi_tasks_last(t, &n);
    assert_int_equal(n, 0);
    assert_int_equal(pi_tasks_met(t)->n, 1);
    pd_tasks_free(t);
}

/* ---- Limits and memory */

static enum pd_code feed(struct pd_tasks *t, struct pd_error *error)
{
    const struct pd_moment when = {.order = 1};
    enum pd_code code = PD_OK;
    struct made m;
    for (uint32_t tid = 1; !code && tid < 200; tid++) {
        char name[16];
        snprintf(name, sizeof name, "n%u", tid);
        pi_tasks_from(t, (struct pi_task_source){0, tid % 3, false});
        code = pd_tasks_record(t, birth(&m, PD_RECORD_FORK, tid, tid, tid / 2, tid / 2), &when, error);
        if (!code)
            code = pd_tasks_record(t, comm(&m, tid, tid, name), &when, error);
    }
    return code;
}

static void without_memory(void **state)
{
    (void)state;
    for (enum pi_task_question question = PI_TASKS_STATES; question <= PI_TASKS_LAST; question++) {
        enum pd_code code = PD_ENOMEM;
        for (size_t fail = 1; code; fail++) {
            struct heap heap = {.fail_at = fail};
            const struct pd_allocator counting = {heap_resize, heap_release, &heap};
            struct pd_tasks *t;
            struct pd_error error = {0};
            code = pi_tasks_ask(&t, question, &counting, &error);
            if (!code) {
                code = feed(t, &error);
                pd_tasks_free(t);
            }
            assert_true(code == PD_OK || (code == PD_ENOMEM && error.code == PD_ENOMEM));
            assert_int_equal(heap.blocks, 0);
        }
    }
}

static void more_than_is_allowed(void **state)
{
    const enum pi_task_question questions[] = {PI_TASKS_STATES, PI_TASKS_USES, PI_TASKS_LAST};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct pd_tasks *t = ask(questions[i]);
        struct pd_error error;
        pd_tasks_limit(t, 4096);
        assert_int_equal(feed(t, &error), PD_ELIMIT);
        assert_string_equal(error.field, "memory for tasks");
        pd_tasks_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_use_is_one_of_the_ancestors),
        cmocka_unit_test(a_need_is_one_of_the_ancestors),
        cmocka_unit_test(more_pieces_are_told_apart),
        cmocka_unit_test(without_memory_there_is_one_word_of_pieces),
        cmocka_unit_test(a_fork_may_make_its_parent),
        cmocka_unit_test(the_last_teller_counts),
        cmocka_unit_test(tellers_beyond_the_limit_are_not_noted),
        cmocka_unit_test(last_records_are_known),
        cmocka_unit_test(only_the_count),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(more_than_is_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
