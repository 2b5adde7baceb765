/* SPDX-License-Identifier: MIT */
/*
 * tasks.c - the names of tasks over time, on recordings made by hand. Each SAMPLE of a story has the expected
 * name and process of its task at its time.
 */
#include "fuzz/image.h"
#include "cmocka_all.h"
#include "heap.h"
#include "src/session/tasks/task_engine.h"
#include <perfdata/session/tasks.h>
#include <stdio.h>

struct step {
    enum { END, IS_COMM, IS_FORK, IS_EXIT, IS_MAP, IS_KERNEL_MAP, IS_SAMPLE, IS_ROUND } what;
    uint64_t time;
    uint32_t pid, tid;
    const char *name;    /* COMM; SAMPLE: the expected name, NULL: none */
    uint32_t ppid, ptid; /* FORK; SAMPLE: ppid is the expected process */
};

#define STEP(what_, time_, pid_, tid_) .what = IS_##what_, .time = (time_), .pid = (pid_), .tid = (tid_)
#define COMM(time_, pid_, tid_, name_)                 \
    {                                                  \
        STEP(COMM, time_, pid_, tid_), .name = (name_) \
    }
#define FORK(time_, pid_, tid_, ppid_, ptid_)                           \
    {                                                                   \
        STEP(FORK, time_, pid_, tid_), .ppid = (ppid_), .ptid = (ptid_) \
    }
#define EXIT(time_, pid_, tid_)       \
    {                                 \
        STEP(EXIT, time_, pid_, tid_) \
    }
#define MAP(time_, pid_, tid_)       \
    {                                \
        STEP(MAP, time_, pid_, tid_) \
    }
#define KERNEL_MAP(time_, pid_, tid_)       \
    {                                       \
        STEP(KERNEL_MAP, time_, pid_, tid_) \
    }
#define SAMPLE(time_, pid_, tid_, name_)                 \
    {                                                    \
        STEP(SAMPLE, time_, pid_, tid_), .name = (name_) \
    }
#define SAMPLE_OF(time_, pid_, tid_, name_, process_)                        \
    {                                                                        \
        STEP(SAMPLE, time_, pid_, tid_), .name = (name_), .ppid = (process_) \
    }
#define ROUND                \
    {                        \
        STEP(ROUND, 0, 0, 0) \
    }

/* ---- Stories as files */

static void put_trailer(struct image *im, const struct step *s, bool id_all)
{
    if (!id_all)
        return;
    image_u32(im, s->pid);
    image_u32(im, s->tid);
    image_u64(im, s->time);
}

static void put_task(struct image *im, const struct step *s)
{
    image_u32(im, s->pid);
    if (s->what == IS_FORK || s->what == IS_EXIT)
        image_u32(im, s->ppid);
    image_u32(im, s->tid);
    if (s->what == IS_FORK || s->what == IS_EXIT) {
        image_u32(im, s->ptid);
        image_u64(im, s->time);
    }
}

static void put_text(struct image *im, const char *text)
{
    const size_t n = strlen(text) + 1;
    image_bytes(im, text, n);
    image_zeros(im, -n & 7);
}

static void put_step(struct image *im, const struct step *s, bool id_all)
{
    static const uint32_t types[] = {0, 3, 7, 4, 1, 1, 9, 68};
    const size_t at = image_record(im, types[s->what],
                                   s->what == IS_KERNEL_MAP ? 1
                                   : s->what == IS_MAP      ? 2
                                                            : 0);
    if (s->what != IS_ROUND)
        put_task(im, s);
    if (s->what == IS_COMM)
        put_text(im, s->name);
    if (s->what == IS_MAP || s->what == IS_KERNEL_MAP) {
        image_zeros(im, 24);
        put_text(im, "/bin/true");
    }
    if (s->what == IS_SAMPLE)
        image_u64(im, s->time);
    else if (s->what != IS_ROUND)
        put_trailer(im, s, id_all);
    image_end(im, at);
}

static struct image make_file(const struct step *story, bool big, bool id_all)
{
    struct image im;
    image_start(&im, big, 104, 80);
    image_section(&im, IMAGE_ATTRS, im.n, 80);
    image_attr(&im, 64, 64, ST_TID | ST_TIME, id_all);
    image_ids(&im, 0, 0);
    image_section(&im, IMAGE_DATA, im.n, 0);
    const size_t data = im.n;
    for (; story->what; story++)
        put_step(&im, story, id_all);
    image_section(&im, IMAGE_DATA, data, im.n - data);
    return im;
}

/* ---- Reading them */

static void collect(struct pd_reader *r, struct pd_tasks *t)
{
    struct pd_clock clock;
    struct pd_record rec = {0};
    struct pd_moment when;
    uint32_t pid, tid;
    pd_clock_init(&clock, pd_clock_is_timed(r));
    while (pd_reader_next(r, &rec, NULL) == PD_OK) {
        pd_clock_stamp(&clock, &rec, &when);
        if (rec.type == PD_RECORD_SAMPLE && pd_record_task(&rec, &pid, &tid))
            assert_int_equal(pd_tasks_mention(t, &when, pid, tid, NULL), PD_OK);
        else
            assert_int_equal(pd_tasks_record(t, &rec, &when, NULL), PD_OK);
    }
    assert_int_equal(pd_tasks_finish(t, NULL), PD_OK);
}

static void look_up(struct pd_reader *r, struct pd_tasks *t, const struct step *story)
{
    struct pd_clock clock;
    struct pd_record rec = {0};
    struct pd_moment when;
    assert_int_equal(pd_reader_rewind(r, NULL), PD_OK);
    pd_clock_init(&clock, pd_clock_is_timed(r));
    for (; pd_reader_next(r, &rec, NULL) == PD_OK; story++) {
        struct pd_task task;
        uint32_t pid, tid;
        pd_clock_stamp(&clock, &rec, &when);
        assert_int_equal(when.order, rec.index);
        if (story->what != IS_SAMPLE)
            continue;
        assert_true(pd_record_task(&rec, &pid, &tid));
        assert_int_equal(tid, story->tid);
        pd_tasks_find(t, &when, tid, &task);
        const char *name = pd_tasks_comm(t, task.comm);
        if (strcmp(name, story->name ? story->name : "") || task.pid != (story->ppid ? story->ppid : pid))
            fail_msg("time %llu tid %u: \"%s\" of %u", (unsigned long long)story->time, tid, name, task.pid);
        assert_int_equal(task.comm == PD_COMM_NONE, story->name == NULL);
    }
}

/* Tells a story in both byte orders; *keep, when not NULL, receives the tracker. */
static void tell_story(const struct step *story, bool id_all, struct pd_tasks **keep)
{
    for (int big = 0; big < 2; big++) {
        struct image im = make_file(story, big, id_all);
        struct pd_reader *r;
        struct pd_tasks *t;
        assert_int_equal(pd_reader_open_memory(&r, im.b, im.n, NULL, NULL), PD_OK);
        assert_int_equal(pd_tasks_new(&t, NULL, NULL), PD_OK);
        collect(r, t);
        look_up(r, t, story);
        if (keep && big)
            *keep = t;
        else
            pd_tasks_free(t);
        pd_reader_close(r);
        image_free(&im);
    }
}

#define STORY(...) tell_story((const struct step[]){__VA_ARGS__, {.what = END}}, true, NULL)

/* ---- Names */

/* The name is that at the time of the sample, wherever the COMM is. */
static void goes_by_time(void **state)
{
    (void)state;
    STORY(SAMPLE(10, 5, 5, "early"), SAMPLE(30, 5, 5, "late"), COMM(20, 5, 5, "late"), COMM(5, 5, 5, "early"),
          SAMPLE(4, 5, 5, NULL), ROUND, SAMPLE(40, 5, 5, "late"));
}

static void ties_go_by_file_order(void **state)
{
    (void)state;
    STORY(SAMPLE(10, 5, 5, NULL), COMM(10, 5, 5, "a"), SAMPLE(10, 5, 5, "a"), COMM(10, 5, 5, "b"),
          SAMPLE(10, 5, 5, "b"));
}

/* Records that perf synthesizes have no time: they are processed at once, before all waiting ones. */
static void time_0_is_at_once(void **state)
{
    (void)state;
    STORY(SAMPLE(10, 5, 5, "synth"), COMM(0, 5, 5, "synth"), SAMPLE(0, 5, 5, "synth"));
    /*
     * The end of the first round processes nothing yet, that of the second the records before the end of the
     * first.
     */
    STORY(COMM(0, 5, 5, "one"), SAMPLE(10, 5, 5, "one"), ROUND, SAMPLE(20, 5, 5, "two"), ROUND,
          COMM(0, 5, 5, "two"), SAMPLE(30, 5, 5, "two"));
}

static void late_records_come_after_their_round(void **state)
{
    (void)state;
    /* At the COMM of time 12, all records up to 15 have been processed. */
    STORY(COMM(5, 5, 5, "a"), SAMPLE(13, 5, 5, "a"), SAMPLE(15, 6, 6, NULL), ROUND, SAMPLE(20, 6, 6, NULL),
          ROUND, COMM(12, 5, 5, "b"), SAMPLE(11, 5, 5, "a"), SAMPLE(14, 5, 5, "b"), SAMPLE(16, 5, 5, "b"));
}

static void names_of_children(void **state)
{
    (void)state;
    /* The parent's name at that moment; renaming the parent later changes nothing. */
    STORY(COMM(1, 5, 5, "sh"), FORK(10, 7, 7, 5, 5), COMM(11, 5, 5, "renamed"), SAMPLE(12, 7, 7, "sh"),
          SAMPLE(12, 5, 5, "renamed"), COMM(13, 7, 7, "ls"), SAMPLE(14, 7, 7, "ls"));
    /* A parent without a name passes none on, even if it gets one later. */
    STORY(FORK(10, 7, 7, 5, 5), SAMPLE(11, 7, 7, NULL), COMM(12, 5, 5, "sh"), SAMPLE(13, 7, 7, NULL));
    /* A thread's name is its own. */
    STORY(COMM(1, 5, 5, "main"), FORK(2, 5, 6, 5, 5), SAMPLE(3, 5, 6, "main"), COMM(4, 5, 6, "worker"),
          SAMPLE(5, 5, 6, "worker"), SAMPLE(5, 5, 5, "main"), FORK(6, 9, 9, 5, 6), SAMPLE(7, 9, 9, "worker"));
}

static void names_after_the_end(void **state)
{
    (void)state;
    STORY(COMM(1, 5, 5, "gone"), EXIT(10, 5, 5), SAMPLE(11, 5, 5, "gone"), COMM(2, 8, 8, "sh"),
          FORK(20, 5, 5, 8, 8), SAMPLE(21, 5, 5, "sh"), FORK(30, 5, 5, 9, 9), SAMPLE(31, 5, 5, NULL));
}

static void swapper(void **state)
{
    (void)state;
    STORY(SAMPLE(0, 0, 0, "swapper"), SAMPLE(5, 0, 0, "swapper"), FORK(6, 2, 2, 0, 0),
          SAMPLE(7, 2, 2, "swapper"));
}

/* Without sample_id_all perf does not sort, though samples have times. */
static void file_order(void **state)
{
    (void)state;
    tell_story((const struct step[]){SAMPLE(30, 5, 5, NULL),
                                     COMM(0, 5, 5, "a"),
                                     SAMPLE(20, 5, 5, "a"),
                                     ROUND,
                                     COMM(0, 5, 5, "b"),
                                     SAMPLE(10, 5, 5, "b"),
                                     {.what = END}},
               false, NULL);
}

/* ---- Processes */

static void stale_parents(void **state)
{
    (void)state;
    /* Thread 6 of process 5 forks as if it were process 6: a FORK was lost, and so is the old name. */
    STORY(COMM(1, 5, 6, "old"), SAMPLE(2, 5, 6, "old"), FORK(10, 7, 7, 6, 6), SAMPLE(11, 7, 7, NULL),
          SAMPLE(12, 6, 6, NULL));
    /* Without a FORK the thread stays one of process 5. */
    STORY(COMM(1, 5, 6, "old"), COMM(10, 6, 6, "new"), SAMPLE_OF(11, 6, 6, "new", 5));
    /* So it does if only a sample or a map mentioned it, even later in the file. */
    STORY(COMM(10, 6, 6, "new"), SAMPLE_OF(11, 6, 6, "new", 5), SAMPLE(2, 5, 6, NULL));
    STORY(COMM(10, 6, 6, "new"), SAMPLE_OF(11, 6, 6, "new", 5), MAP(2, 5, 6));
    STORY(COMM(10, 6, 6, "new"), SAMPLE(11, 6, 6, "new"), KERNEL_MAP(2, 5, 6));
}

static void unknown_processes(void **state)
{
    (void)state;
    /* -1 tells nothing; the next record of the thread does. */
    STORY(SAMPLE_OF(1, UINT32_MAX, 6, NULL, UINT32_MAX), COMM(2, UINT32_MAX, 6, "x"),
          SAMPLE_OF(3, UINT32_MAX, 6, "x", UINT32_MAX), COMM(4, 5, 6, "y"),
          SAMPLE_OF(5, UINT32_MAX, 6, "y", 5));
}

static void unknown_tasks(void **state)
{
    struct pd_tasks *t;
    struct pd_task task;
    const struct pd_moment when = {.at = 5};
    (void)state;
    assert_int_equal(pd_tasks_new(&t, NULL, NULL), PD_OK);
    assert_false(pd_tasks_find(t, &when, 0, &task)); /* not finished */
    assert_int_equal(pd_tasks_finish(t, NULL), PD_OK);
    assert_int_equal(pd_tasks_finish(t, NULL), PD_EARG);
    assert_false(pd_tasks_find(t, &when, 5, &task));
    assert_int_equal(task.pid, UINT32_MAX);
    assert_int_equal(task.comm, PD_COMM_NONE);
    assert_true(pd_tasks_find(t, &when, 0, &task));
    assert_string_equal(pd_tasks_comm(t, task.comm), "swapper");
    assert_string_equal(pd_tasks_comm(t, 99), "");
    pd_tasks_free(t);
    pd_tasks_free(NULL);
}

/* Many names and tasks, so that all tables grow; each name is stored once. */
static void many(void **state)
{
    enum { N = 3000 };
    static struct step story[3 * N + 1];
    static char names[N][16];
    struct pd_tasks *t;
    (void)state;
    for (uint32_t i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "name%u", i % 1000);
        story[i] = (struct step)COMM(10 + i, 7 * i + 1, 7 * i + 1, names[i]);
        story[N + i] = (struct step)SAMPLE(10 + i, 7 * i + 1, 7 * i + 1, names[i]);
        story[2 * N + i] = (struct step)SAMPLE(9 + i, 7 * i + 1, 7 * i + 1, NULL);
    }
    tell_story(story, true, &t);
    assert_int_equal(pd_tasks_n_comms(t), 1000 + 2);
    pd_tasks_free(t);
}

/* To fill it would take as much memory. */
static void limited_by_default(void **state)
{
    struct pd_tasks *t;
    (void)state;
    assert_int_equal(pd_tasks_new(&t, NULL, NULL), PD_OK);
    assert_int_equal(t->limit, 1 << 30);
    pd_tasks_free(t);
}

/* Collected data stays within a limit, whether names, forks, or tids of samples fill it. */
static void limited(void **state)
{
    enum { N = 2000, LIMIT = 50000, TRACKER = 1000 };
    static struct step story[3][N + 1];
    static char names[N][16];
    (void)state;
    for (uint32_t i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "name%u", i);
        story[0][i] = (struct step)COMM(10 + i, 5, 5, names[i]);
        story[1][i] = (struct step)FORK(10 + i, 5, 5, 1, 1);
        story[2][i] = (struct step)SAMPLE(10 + i, 5, 7 + i, NULL);
    }
    for (size_t i = 0; i < 3; i++) {
        struct heap heap = {0};
        const struct pd_allocator counting = {heap_resize, heap_release, &heap};
        struct image im = make_file(story[i], false, true);
        struct pd_error error;
        struct pd_reader *r;
        struct pd_tasks *t;
        assert_int_equal(pd_reader_open_memory(&r, im.b, im.n, NULL, NULL), PD_OK);
        assert_int_equal(pd_tasks_new(&t, &counting, NULL), PD_OK);
        pd_tasks_limit(t, LIMIT);
        assert_int_equal(pd_tasks_collect(t, r, &error), PD_ELIMIT);
        assert_string_equal(error.field, "memory for tasks");
        assert_in_range(heap.peak, LIMIT / 4,
                        3 * LIMIT + TRACKER); /* arrays double: the old and the new one exist at once */
        pd_tasks_free(t);
        assert_int_equal(heap.blocks, 0);
        pd_reader_close(r);
        image_free(&im);
    }
}

/* ---- What a selection depends on */

static void ancestors(void **state)
{
    struct pd_tasks *t;
    (void)state;
    /* 1 -> 5 -> 7, whose thread 8 forks 9; 1 -> 6. Parents may come later in time, as with synthesized FORKs.
     */
    tell_story((const struct step[]){FORK(30, 9, 9, 7, 8),
                                     FORK(10, 5, 5, 1, 1),
                                     FORK(20, 7, 7, 5, 5),
                                     FORK(25, 7, 8, 7, 7),
                                     FORK(26, 6, 6, 1, 1),
                                     {.what = END}},
               true, &t);
    assert_int_equal(pd_tasks_need(t, 9, NULL), PD_OK);
    assert_int_equal(pd_tasks_need(t, 4711, NULL), PD_OK);
    assert_int_equal(pd_tasks_ancestors(t, NULL), PD_OK);
    for (uint32_t id = 0; id < 12; id++)
        assert_int_equal(pd_tasks_needed(t, id), strchr("15789", (int)('0' + id)) && id < 10);
    assert_true(pd_tasks_needed(t, 4711));
    pd_tasks_free(t);
}

static void forks_that_made_their_parent(void **state)
{
    struct pd_tasks *t;
    (void)state;
    tell_story((const struct step[]){FORK(10, 7, 7, 5, 5),
                                     FORK(20, 8, 8, 5, 5),
                                     FORK(30, 5, 6, 5, 5),
                                     FORK(40, 9, 9, 6, 6),
                                     FORK(50, 10, 10, 6, 6),
                                     {.what = END}},
               true, &t);
    for (uint64_t i = 0; i < 6; i++)
        assert_int_equal(pd_tasks_fork_made_parent(t, i),
                         i == 0 || i == 3); /* 3: thread 6 is found to be process 6 */
    assert_int_equal(pd_tasks_need(t, 6, NULL), PD_OK);
    assert_int_equal(pd_tasks_ancestors(t, NULL), PD_OK);
    assert_true(pd_tasks_needed(t, 5));
    assert_false(pd_tasks_needed(t, 9));
    pd_tasks_free(t);
}

/* A chain of a hundred thousand forks in the worst order is fast. */
static void long_chains(void **state)
{
    enum { N = 100000 };
    static struct step story[N + 1];
    struct pd_tasks *t;
    (void)state;
    for (uint32_t i = 0; i < N; i++)
        story[i] = (struct step)FORK(10 + i, i + 2, i + 2, i + 3, i + 3);
    tell_story(story, true, &t);
    assert_int_equal(pd_tasks_need(t, 2, NULL), PD_OK);
    assert_int_equal(pd_tasks_ancestors(t, NULL), PD_OK);
    assert_true(pd_tasks_needed(t, N + 2));
    assert_false(pd_tasks_needed(t, N + 3));
    pd_tasks_free(t);
}

/* ---- Words of records */

static void words_of_records(void **state)
{
    struct pd_record rec = {0};
    struct pd_attr attr = {.size = 64, .sample_type = PD_SAMPLE_TID | PD_SAMPLE_TIME | PD_SAMPLE_CPU};
    struct pd_plan plan;
    struct image im = {0};
    uint32_t pid = 0, tid = 0, cpu = 0;
    uint64_t time = 0;
    (void)state;
    image_record(&im, 9, 0);
    image_u32(&im, 1), image_u32(&im, 2), image_u64(&im, 3), image_u32(&im, 4), image_u32(&im, 0);
    image_end(&im, 0);
    pd_plan_init(&plan, &attr, PD_LITTLE);
    assert_int_equal(pd_record_frame(PD_LITTLE, im.b, im.n, &rec, NULL), PD_OK);
    assert_false(pd_record_task(&rec, &pid, &tid) || pd_record_time(&rec, &time) ||
                 pd_record_cpu(&rec, &cpu));
    rec.plan = &plan;
    assert_true(pd_record_task(&rec, &pid, &tid) && pd_record_time(&rec, &time) && pd_record_cpu(&rec, &cpu));
    assert_true(pid == 1 && tid == 2 && time == 3 && cpu == 4);
    rec.size = 16; /* too short for time and cpu */
    assert_true(pd_record_task(&rec, &pid, &tid) && !pd_record_time(&rec, &time) &&
                !pd_record_cpu(&rec, &cpu));
    rec.size = 32;
    rec.type = PD_RECORD_SWITCH; /* has a trailer only with sample_id_all */
    assert_false(pd_record_task(&rec, &pid, &tid));
    plan.id_all = true;
    assert_true(pd_record_task(&rec, &pid, &tid) && pid == 1 && tid == 2);
    rec.size = 16;
    assert_false(pd_record_task(&rec, &pid, &tid));
    rec.type = PD_RECORD_FINISHED_ROUND;
    assert_false(pd_record_task(&rec, &pid, &tid));
    image_free(&im);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_by_time),
        cmocka_unit_test(ties_go_by_file_order),
        cmocka_unit_test(time_0_is_at_once),
        cmocka_unit_test(late_records_come_after_their_round),
        cmocka_unit_test(names_of_children),
        cmocka_unit_test(names_after_the_end),
        cmocka_unit_test(swapper),
        cmocka_unit_test(file_order),
        cmocka_unit_test(stale_parents),
        cmocka_unit_test(unknown_processes),
        cmocka_unit_test(unknown_tasks),
        cmocka_unit_test(many),
        cmocka_unit_test(limited_by_default),
        cmocka_unit_test(limited),
        cmocka_unit_test(ancestors),
        cmocka_unit_test(forks_that_made_their_parent),
        cmocka_unit_test(long_chains),
        cmocka_unit_test(words_of_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
