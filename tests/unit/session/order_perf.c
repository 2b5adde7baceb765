/* SPDX-License-Identifier: MIT */
/* order_perf.c - fresh recordings are given in perf's order. Skipped if perf cannot record. */
#include "order_stream.h"
#include <perfdata/session/tasks.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORKLOAD \
    "sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do (ls /; date) | cat >/dev/null & done; wait; sleep 0.2'"

struct seen {
    uint64_t time; /* 0: none */
    uint64_t offset;
    uint32_t member, type, size;
};

struct list {
    struct seen *a;
    size_t n, cap;
};

static struct list ours, perfs;
static char dir[] = "/tmp/order-XXXXXX";

static void note(struct list *l, struct seen s)
{
    if (l->n == l->cap) {
        l->cap = l->cap ? 2 * l->cap : 1024;
        l->a = realloc(l->a, l->cap * sizeof *l->a);
        assert_non_null(l->a);
    }
    l->a[l->n++] = s;
}

/* ---- perf's order: the lines "0xOFFSET@PATH [0xSIZE]: event: TYPE" of its dump, with a plain 0 for offset 0
 */

static uint32_t member_of(struct pd_reader *r, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < pd_reader_n_members(r); i++)
        if (strcmp(name, pd_reader_member(r, i)->name) == 0)
            return (uint32_t)i;
    return 0;
}

static void read_perf(struct pd_reader *r, const char *path)
{
    char command[256], *line = NULL, where[512];
    size_t cap = 0;
    unsigned long long offset;
    unsigned size, type;
    snprintf(command, sizeof command, "perf report -D -i %s 2>/dev/null", path);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    perfs.n = 0;
    while (getline(&line, &cap, f) > 0)
        if (sscanf(line, "%llx@%511s [0x%x]: event: %u", &offset, where, &size, &type) == 4)
            note(&perfs, (struct seen){0, offset, member_of(r, where), type, size});
    free(line);
    const int status = pclose(f);
    if (status)
        fail_msg("perf report ended with status 0x%x after %zu records", (unsigned)status, perfs.n);
    assert_true(perfs.n > 100);
}

/* ---- Our order */

static void read_ours(struct pd_reader *r, enum pd_sort_kind kind, size_t memory)
{
    struct pd_sorter *s;
    struct pd_record rec = {0};
    enum pd_code code;
    const struct pd_sorter_options options = {.size = sizeof options, .kind = kind, .memory = memory};
    assert_int_equal(pd_sorter_open(&s, r, &options, NULL), PD_OK);
    ours.n = 0;
    while ((code = pd_sorter_next(s, &rec, NULL)) == PD_OK) {
        uint64_t time;
        /* perf shows the records inside, not these */
        if (rec.type == PD_RECORD_COMPRESSED || rec.type == PD_RECORD_COMPRESSED2)
            continue;
        if (!pd_record_time(&rec, &time) || time == UINT64_MAX)
            time = 0;
        note(&ours, (struct seen){time, rec.offset, rec.member, rec.type, rec.size});
    }
    assert_int_equal(code, PD_END);
    pd_sorter_close(s);
    assert_int_equal(pd_reader_rewind(r, NULL), PD_OK);
}

static int by_place(const void *a, const void *b)
{
    const struct seen *x = a, *y = b;
    if (x->member != y->member)
        return x->member < y->member ? -1 : 1;
    return x->offset != y->offset ? (x->offset < y->offset ? -1 : 1) : 0;
}

static int by_time(const void *a, const void *b)
{
    const struct seen *x = a, *y = b;
    return x->time != y->time ? (x->time < y->time ? -1 : 1) : by_place(a, b);
}

/* ---- Recordings */

/* Records into a file of that name; false if that is impossible. */
static bool record(const char *options, const char *name, char *path, size_t cap)
{
    char command[1024];
    snprintf(path, cap, "%s/%s", dir, name);
    snprintf(command, sizeof command,
             "perf record -q -e cpu-clock,context-switches -F 5000 -m 8 %s -o %s -- %s >/dev/null 2>&1",
             options, path, WORKLOAD);
    return system(command) == 0;
}

static void check_file(const char *options, const char *name)
{
    char path[256];
    struct pd_reader *r;
    if (!record(options, name, path, sizeof path))
        skip();
    assert_int_equal(pd_reader_open(&r, path, NULL, NULL), PD_OK);
    read_perf(r, path);
    for (size_t memory = 0; memory <= 65536; memory += 32768) {
        read_ours(r, PD_SORT_TIME, memory);
        for (size_t i = 0; i < ours.n && i < perfs.n; i++)
            if (ours.a[i].offset != perfs.a[i].offset || ours.a[i].type != perfs.a[i].type ||
                ours.a[i].size != perfs.a[i].size)
                fail_msg("%s: number %zu is at 0x%llx, perf has 0x%llx", name, i,
                         (unsigned long long)ours.a[i].offset, (unsigned long long)perfs.a[i].offset);
        assert_int_equal(ours.n, perfs.n);
    }
    pd_reader_close(r);
}

static void plain(void **state)
{
    (void)state;
    check_file("-a", "plain.data");
}

static void compressed(void **state)
{
    (void)state;
    check_file("-a -z", "compressed.data");
}

static void without_times(void **state)
{
    (void)state;
    check_file("--no-timestamp", "untimed.data");
}

/* perf takes directory entries as they come, so records of equal time may be in another order there. */
static void check_directory(const char *options, const char *name)
{
    char path[256];
    struct pd_reader *r;
    uint64_t time = 0;
    if (!record(options, name, path, sizeof path))
        skip();
    assert_int_equal(pd_reader_open(&r, path, NULL, NULL), PD_OK);
    assert_true(pd_reader_n_members(r) > 1);
    read_perf(r, path);
    read_ours(r, PD_SORT_TIME, 65536);
    assert_int_equal(ours.n, perfs.n);
    struct seen *found = malloc(ours.n * sizeof *found);
    assert_non_null(found);
    memcpy(found, ours.a, ours.n * sizeof *found);
    qsort(found, ours.n, sizeof *found, by_place);
    for (size_t i = 0; i < perfs.n; i++) {
        const struct seen *same = bsearch(&perfs.a[i], found, ours.n, sizeof *found, by_place);
        assert_non_null(same);
        perfs.a[i].time = same->time;
        assert_true(same->time == 0 || same->time >= time);
        time = same->time ? same->time : time;
    }
    /* Both with ties by place; records without time are first, as perf synthesizes them. */
    qsort(perfs.a, perfs.n, sizeof *perfs.a, by_time);
    for (size_t i = 0; i < ours.n; i++) {
        assert_int_equal(ours.a[i].time, perfs.a[i].time);
        assert_int_equal(ours.a[i].member, perfs.a[i].member);
        assert_int_equal(ours.a[i].offset, perfs.a[i].offset);
    }
    free(found);
    pd_reader_close(r);
}

static void threads(void **state)
{
    (void)state;
    check_directory("-a --threads", "threads.data");
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(dir) ? 0 : -1;
}

static int tear_down(void **state)
{
    char command[64];
    (void)state;
    free(ours.a);
    free(perfs.a);
    snprintf(command, sizeof command, "rm -rf %s", dir);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain),
        cmocka_unit_test(compressed),
        cmocka_unit_test(without_times),
        cmocka_unit_test(threads),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
