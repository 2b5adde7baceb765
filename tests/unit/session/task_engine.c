/* SPDX-License-Identifier: MIT */
/*
 * task_engine.c - perf's rules of tasks, each by hand, on records that are fed one by one: collected and
 * finished, and as a flow that forgets old records. Both must give the same answers.
 */
#include "cmocka_all.h"
#include "heap.h"
#include "src/session/tasks/task_engine.h"
#include "src/session/tasks/task_graph.h"
#include <perfdata/constants.h>

#define NOBODY UINT32_MAX

struct engine {
    struct pd_tasks *whole, *flow;
    uint64_t order;
    bool failed;
};

static void begin(struct engine *e, const char *const *names)
{
    *e = (struct engine){0};
    assert_int_equal(pd_tasks_new(&e->whole, NULL, NULL), PD_OK);
    assert_int_equal(pd_tasks_new(&e->flow, NULL, NULL), PD_OK);
    for (; names && *names; names++)
        assert_int_equal(pi_tasks_add_name(e->flow, *names, NULL), PD_OK);
    assert_int_equal(pi_tasks_flow(e->flow, NULL), PD_OK);
}

static struct pd_moment moment_at(const struct engine *e, uint64_t time)
{
    return (struct pd_moment){.at = time, .time = time, .order = e->order};
}

static struct pd_moment next_moment(struct engine *e, uint64_t time)
{
    e->order++;
    return moment_at(e, time);
}

/* A decoded record as a reader gives it, for an attr without sample_id. */
static void feed_both(struct engine *e, uint64_t time, struct pd_record *rec, const uint8_t *bytes, size_t n)
{
    static struct pd_plan plan;
    const struct pd_attr attr = {.size = PD_ATTR_SIZE_VER0};
    const struct pd_moment when = next_moment(e, time);
    pd_plan_init(&plan, &attr, PD_HOST_ORDER);
    assert_int_equal(pd_record_frame(PD_HOST_ORDER, bytes, n, rec, NULL), PD_OK);
    rec->plan = &plan;
    assert_int_equal(pd_tasks_record(e->whole, rec, &when, NULL), PD_OK);
    assert_int_equal(pd_tasks_record(e->flow, rec, &when, NULL), PD_OK);
}

static size_t put32(uint8_t *p, size_t n, uint32_t value)
{
    memcpy(p + n, &value, 4);
    return n + 4;
}

static size_t put_header(uint8_t *p, uint32_t type, uint16_t misc, uint16_t size)
{
    memset(p, 0, size);
    put32(p, 0, type);
    memcpy(p + 4, &misc, 2);
    memcpy(p + 6, &size, 2);
    return 8;
}

static void feed_comm(struct engine *e, uint64_t time, uint32_t pid, uint32_t tid, const char *name)
{
    uint8_t p[32];
    struct pd_record rec = {0};
    size_t n = put_header(p, PD_RECORD_COMM, 0, sizeof p);
    n = put32(p, n, pid);
    n = put32(p, n, tid);
    memcpy(p + n, name, strlen(name));
    feed_both(e, time, &rec, p, sizeof p);
}

static void feed_birth(struct engine *e, uint64_t time, uint32_t type, uint32_t pid, uint32_t tid,
                       uint32_t ppid, uint32_t ptid)
{
    uint8_t p[32];
    struct pd_record rec = {0};
    size_t n = put_header(p, type, 0, sizeof p);
    n = put32(p, n, pid);
    n = put32(p, n, ppid);
    n = put32(p, n, tid);
    put32(p, n, ptid);
    feed_both(e, time, &rec, p, sizeof p);
}

static void feed_fork(struct engine *e, uint64_t time, uint32_t pid, uint32_t tid, uint32_t ppid,
                      uint32_t ptid)
{
    feed_birth(e, time, PD_RECORD_FORK, pid, tid, ppid, ptid);
}

static void feed_exit(struct engine *e, uint64_t time, uint32_t pid, uint32_t tid)
{
    feed_birth(e, time, PD_RECORD_EXIT, pid, tid, pid, tid);
}

static void feed_map(struct engine *e, uint64_t time, uint16_t misc, uint32_t pid, uint32_t tid)
{
    uint8_t p[48];
    struct pd_record rec = {0};
    size_t n = put_header(p, PD_RECORD_MMAP, misc, sizeof p);
    n = put32(p, n, pid);
    put32(p, n, tid);
    memcpy(p + 40, "/bin", 5);
    feed_both(e, time, &rec, p, sizeof p);
}

static void feed_sample(struct engine *e, uint64_t time, uint32_t pid, uint32_t tid)
{
    const struct pd_moment when = next_moment(e, time);
    assert_int_equal(pd_tasks_mention(e->whole, &when, pid, tid, NULL), PD_OK);
    assert_int_equal(pd_tasks_mention(e->flow, &when, pid, tid, NULL), PD_OK);
}

/* Settles the flow: no record before `until` will come; nobody asks for times before `since`. */
static void settle(struct engine *e, uint64_t until, uint64_t since)
{
    const struct pd_moment to = {.at = until}, from = {.at = since};
    assert_true(pi_tasks_settle(e->flow, &to));
    pi_tasks_forget(e->flow, &from);
}

static void check_one(const struct engine *e, const struct pd_tasks *t, uint64_t time, uint32_t tid,
                      uint32_t pid, const char *name)
{
    const struct pd_moment when = moment_at(e, time);
    struct pd_task task;
    const bool found = pd_tasks_find(t, &when, tid, &task);
    const char *got = pd_tasks_comm(t, task.comm);
    if (task.pid != pid || strcmp(got, name ? name : "") != 0 || found != (pid != NOBODY || name))
        fail_msg("%s at %llu: tid %u is \"%s\" of %u", t->flowing ? "flow" : "whole",
                 (unsigned long long)time, tid, got, task.pid);
    assert_int_equal(task.comm == PD_COMM_NONE, name == NULL);
}

static void check_flow(const struct engine *e, uint64_t time, uint32_t tid, uint32_t pid, const char *name)
{
    check_one(e, e->flow, time, tid, pid, name);
}

/* Must be called after all records. */
static void check_both(struct engine *e, uint64_t time, uint32_t tid, uint32_t pid, const char *name)
{
    if (!e->whole->finished)
        assert_int_equal(pd_tasks_finish(e->whole, NULL), PD_OK);
    assert_true(pi_tasks_settle(e->flow, NULL));
    check_one(e, e->whole, time, tid, pid, name);
    check_flow(e, time, tid, pid, name);
}

static void end(struct engine *e)
{
    pd_tasks_free(e->whole);
    pd_tasks_free(e->flow);
}

static const char *const names[] = {"a", "b", "c", NULL};

/* ---- The rules */

static void comm_names_from_its_moment_on(void **state)
{
    struct engine e;
    (void)state;
    begin(&e, names);
    feed_comm(&e, 20, 5, 5, "b"); /* at its place in the file, not at its time */
    feed_comm(&e, 10, 5, 5, "a");
    check_both(&e, 9, 5, NOBODY, NULL);
    check_both(&e, 10, 5, 5, "a");
    check_both(&e, 19, 5, 5, "a");
    check_both(&e, 20, 5, 5, "b");
    end(&e);
}

static void fork_gives_the_parents_name(void **state)
{
    struct engine e;
    (void)state;
    begin(&e, names);
    feed_comm(&e, 10, 5, 5, "a");
    feed_fork(&e, 20, 6, 6, 5, 5);
    feed_comm(&e, 30, 5, 5, "b");
    feed_fork(&e, 40, 6, 7, 6, 6); /* a thread */
    feed_fork(&e, 50, 8, 8, 9, 9); /* the parent is unnamed */
    check_both(&e, 19, 6, NOBODY, NULL);
    check_both(&e, 35, 6, 6, "a");
    check_both(&e, 45, 7, 6, "a");
    check_both(&e, 55, 8, 8, NULL);
    check_both(&e, 55, 9, 9, NULL); /* the FORK made it */
    assert_true(pd_tasks_fork_made_parent(e.whole, 5));
    assert_false(pd_tasks_fork_made_parent(e.whole, 2));
    end(&e);
}

/* The number is used again: by FORK, not by EXIT. */
static void generations(void **state)
{
    struct engine e;
    (void)state;
    begin(&e, names);
    feed_comm(&e, 10, 5, 5, "a");
    feed_comm(&e, 10, 1, 1, "c");
    feed_exit(&e, 20, 5, 5);
    feed_fork(&e, 30, 4, 5, 1, 1);
    feed_comm(&e, 40, 4, 5, "b"); /* exec */
    check_both(&e, 25, 5, 5, "a");
    check_both(&e, 35, 5, 4, "c");
    check_both(&e, 45, 5, 4, "b");
    end(&e);
}

/* FORK names another process than the known one of the parent: that parent is gone. */
static void a_stale_parent_is_made_anew(void **state)
{
    struct engine e;
    (void)state;
    begin(&e, names);
    feed_comm(&e, 10, 5, 5, "a");
    feed_fork(&e, 20, 7, 7, 6, 5);
    check_both(&e, 15, 5, 5, "a");
    check_both(&e, 25, 5, 6, NULL);
    check_both(&e, 25, 7, 7, NULL);
    assert_true(pd_tasks_fork_made_parent(e.whole, 2));
    end(&e);
}

/*
 * The first record of a thread determines its process: a sample or a map, but not the kernel's. Later records
 * do not change it.
 */
static void the_first_mention_counts(void **state)
{
    struct engine e;
    (void)state;
    begin(&e, names);
    feed_sample(&e, 30, 6, 7);
    feed_map(&e, 20, PD_CPUMODE_USER, 5, 7);
    feed_map(&e, 10, PD_CPUMODE_KERNEL, 4, 7);
    feed_map(&e, 10, PD_CPUMODE_USER, NOBODY, 7);
    check_both(&e, 15, 7, NOBODY, NULL);
    check_both(&e, 25, 7, 5, NULL);
    check_both(&e, 35, 7, 5, NULL);
    check_both(&e, 25, 5, 5, NULL); /* its process is there, too */
    end(&e);
}

/* perf synthesizes unknown processes: later records tell which process it is. */
static void unknown_processes(void **state)
{
    struct engine e;
    (void)state;
    begin(&e, names);
    feed_comm(&e, 10, NOBODY, 7, "a");
    feed_sample(&e, 20, 6, 7);
    check_both(&e, 15, 7, NOBODY, "a");
    check_both(&e, 25, 7, 6, "a");
    end(&e);
}

static void idle_is_swapper(void **state)
{
    struct engine e;
    (void)state;
    begin(&e, NULL);
    feed_fork(&e, 20, 1, 1, 0, 0);
    check_both(&e, 0, 0, 0, "swapper");
    check_both(&e, 99, 0, 0, "swapper");
    check_both(&e, 25, 1, 1, "swapper");
    end(&e);
}

/* ---- Flow */

/* Forgotten records count as the state before the later ones. */
static void the_past_is_forgotten_but_not_its_result(void **state)
{
    struct engine e;
    (void)state;
    begin(&e, names);
    feed_comm(&e, 5, 5, 5, "a");
    feed_fork(&e, 10, 6, 6, 5, 5);
    settle(&e, 20, 20);
    assert_int_equal(e.flow->n_entries, 0);
    assert_int_equal(e.flow->n_changes, 0);
    check_flow(&e, 25, 6, 6, "a");
    feed_comm(&e, 30, 6, 6, "b");
    settle(&e, 40, 20);
    check_flow(&e, 25, 6, 6, "a");
    check_flow(&e, 35, 6, 6, "b");
    feed_comm(&e, 50, 6, 6, "c");
    feed_sample(&e, 50, 6, 6);
    settle(&e, 60, 40);
    check_flow(&e, 45, 6, 6, "b");
    check_flow(&e, 50, 6, 6, "c");
    check_flow(&e, 50, 5, 5, "a");
    pi_tasks_forget(e.flow, NULL);
    check_flow(&e, 70, 6, 6, "c");
    end(&e);
}

/* Records that others may still precede are not processed. */
static void it_waits_for_its_moment(void **state)
{
    struct engine e;
    (void)state;
    begin(&e, names);
    feed_comm(&e, 30, 5, 5, "b");
    settle(&e, 30, 0);
    check_flow(&e, 40, 5, NOBODY, NULL);
    feed_comm(&e, 40, 5, 5, "c");
    feed_comm(&e, 32, 5, 5, "a");
    settle(&e, 40, 0);
    check_flow(&e, 31, 5, 5, "b");
    check_flow(&e, 39, 5, 5, "a");
    settle(&e, 41, 40);
    check_flow(&e, 40, 5, 5, "c");
    end(&e);
}

/* All names that are not requested count as one name, which differs from the requested ones. */
static void few_names_are_told_apart(void **state)
{
    const struct pd_moment when = {.at = 30};
    struct pd_task x, y, a;
    struct engine e;
    (void)state;
    begin(&e, names);
    feed_comm(&e, 10, 5, 5, "x");
    feed_comm(&e, 10, 6, 6, "y");
    feed_comm(&e, 10, 7, 7, "a");
    settle(&e, 20, 0);
    assert_true(pd_tasks_find(e.flow, &when, 5, &x) && pd_tasks_find(e.flow, &when, 6, &y) &&
                pd_tasks_find(e.flow, &when, 7, &a));
    assert_int_equal(x.comm, pd_tasks_n_comms(e.flow));
    assert_int_equal(y.comm, x.comm);
    assert_string_equal(pd_tasks_comm(e.flow, a.comm), "a");
    end(&e);
}

enum { EACH = 40, TIDS = 9 };

/* Tasks that begin and end, rename themselves and are mentioned between two times 100 apart, in any order. */
static void feed_round(struct engine *e, uint64_t round, uint32_t *random)
{
    for (int i = 0; i < EACH; i++) {
        *random = *random * 1103515245u + 12345u;
        const uint32_t r = *random >> 8, tid = 1 + r % TIDS, pid = 1 + r / 16 % TIDS,
                       ptid = 1 + r / 256 % TIDS;
        const uint64_t time = 100 * round + r / 4096 % 100;
        switch (r / 2048 % 4) {
        case 0: feed_comm(e, time, pid, tid, names[r % 3]); break;
        case 1: feed_fork(e, time, pid, tid, tid, ptid); break;
        case 2: feed_map(e, time, PD_CPUMODE_USER, pid, tid); break;
        default: feed_sample(e, time, pid, tid); break;
        }
    }
}

static void compare_round(const struct engine *whole, const struct engine *flow, uint64_t round)
{
    struct pd_task want, got;
    for (uint64_t time = 100 * round; time < 100 * round + 100; time++)
        for (uint32_t tid = 0; tid <= TIDS + 1; tid++) {
            const struct pd_moment when = {.at = time, .time = time, .order = UINT64_MAX};
            pd_tasks_find(whole->whole, &when, tid, &want);
            pd_tasks_find(flow->flow, &when, tid, &got);
            assert_int_equal(got.pid, want.pid);
            assert_string_equal(pd_tasks_comm(flow->flow, got.comm), pd_tasks_comm(whole->whole, want.comm));
        }
}

/* A flow, one round behind the reading, gives the answers of the whole, and keeps at most two rounds. */
static void as_the_whole_knows(void **state)
{
    enum { ROUNDS = 60 };
    struct engine whole, flow;
    uint32_t random = 1, again = 1;
    (void)state;
    begin(&whole, names);
    begin(&flow, names);
    for (uint64_t round = 1; round <= ROUNDS; round++)
        feed_round(&whole, round, &random);
    assert_int_equal(pd_tasks_finish(whole.whole, NULL), PD_OK);
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        feed_round(&flow, round, &again);
        settle(&flow, 100 * round, 100 * (round - 1));
        assert_in_range(flow.flow->n_entries, 1, 2 * EACH);
        compare_round(&whole, &flow, round - 1);
    }
    end(&whole);
    end(&flow);
}

/* ---- Without memory */

static enum pd_code use(struct pd_tasks *t)
{
    const struct pd_moment first = {.at = 1, .order = 1}, until = {.at = 2};
    enum pd_code code = pi_tasks_add_name(t, "a", NULL);
    if (!code)
        code = pi_tasks_flow(t, NULL);
    for (uint32_t tid = 0; !code && tid < 100; tid++)
        code = pd_tasks_mention(t, &first, 7, tid, NULL);
    if (!code && !pi_tasks_settle(t, &until))
        code = PD_ENOMEM;
    pi_tasks_forget(t, NULL);
    return code;
}

static void without_memory(void **state)
{
    size_t failures = 0;
    enum pd_code code = PD_ENOMEM;
    (void)state;
    for (; code; failures++) {
        struct heap heap = {.fail_at = failures + 1};
        const struct pd_allocator counting = {heap_resize, heap_release, &heap};
        struct pd_tasks *t;
        code = pd_tasks_new(&t, &counting, NULL);
        if (!code) {
            code = use(t);
            pd_tasks_free(t);
        }
        assert_true(code == PD_OK || code == PD_ENOMEM);
        assert_int_equal(heap.blocks, 0);
    }
    assert_in_range(failures, 10, 100);
}

/* ---- What depends on what */

struct marks {
    bool mark[8];
    unsigned passes;
};

static bool pass_mark(void *user, uint32_t from, uint32_t to)
{
    struct marks *m = user;
    const bool news = m->mark[from] && !m->mark[to];
    m->mark[to] |= m->mark[from];
    m->passes++;
    return news;
}

/* 0 and 1 depend on each other, 1 on 2, 2 on 3; 4 on 3; 5 on itself. */
static void what_tasks_have_spreads(void **state)
{
    struct pi_task_graph g;
    struct marks m = {.mark = {true}};
    (void)state;
    pi_task_graph_init(&g, NULL);
    assert_true(pi_task_graph_make(&g, 5, 1));
    assert_true(pi_task_graph_add(&g));
    assert_true(pi_task_graph_connect(&g, 0, 1) && pi_task_graph_connect(&g, 1, 0) &&
                pi_task_graph_connect(&g, 1, 2));
    assert_true(pi_task_graph_connect(&g, 2, 3) && pi_task_graph_connect(&g, 4, 3) &&
                pi_task_graph_connect(&g, 5, 5));
    assert_int_equal(g.n_edges, 5);
    pi_task_graph_wait(&g, 0);
    pi_task_graph_wait(&g, 0);
    pi_task_graph_spread(&g, pass_mark, &m);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(m.mark[i], i < 4);
    assert_int_equal(m.passes, 4);
    pi_task_graph_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comm_names_from_its_moment_on),
        cmocka_unit_test(fork_gives_the_parents_name),
        cmocka_unit_test(generations),
        cmocka_unit_test(a_stale_parent_is_made_anew),
        cmocka_unit_test(the_first_mention_counts),
        cmocka_unit_test(unknown_processes),
        cmocka_unit_test(idle_is_swapper),
        cmocka_unit_test(the_past_is_forgotten_but_not_its_result),
        cmocka_unit_test(it_waits_for_its_moment),
        cmocka_unit_test(few_names_are_told_apart),
        cmocka_unit_test(as_the_whole_knows),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(what_tasks_have_spreads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
