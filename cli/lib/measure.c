/* SPDX-License-Identifier: MIT */
/*
 * measure.c - counters of perf_event_open(), or, if they are missing, the kernel's counts of every process.
 */
#define _GNU_SOURCE
#include "measure.h"
#include <linux/perf_event.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

const char *const measure_names[MEASURE_KINDS] = {
    "task_clock_ns", "page_faults", "cycles", "instructions", "cache_misses", "branch_misses",
};

static const struct {
    uint32_t type;
    uint64_t config;
} events[MEASURE_KINDS] = {
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},   {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},   {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES}, {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
};

/* With the kernel's part, if that is allowed. */
static int open_counter(enum measure_what what)
{
    struct perf_event_attr attr = {.size = sizeof attr,
                                   .type = events[what].type,
                                   .config = events[what].config,
                                   .inherit = 1,
                                   .exclude_hv = 1};
    int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0 && what >= MEASURE_CYCLES) {
        attr.exclude_kernel = 1;
        fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    }
    return fd;
}

void measure_open(struct measure *m)
{
    for (int i = 0; i < MEASURE_KINDS; i++)
        m->fd[i] = open_counter((enum measure_what)i);
}

void measure_close(struct measure *m)
{
    for (int i = 0; i < MEASURE_KINDS; i++)
        if (m->fd[i] >= 0)
            close(m->fd[i]);
}

static uint64_t ns(const struct timeval *t)
{
    return (uint64_t)t->tv_sec * UINT64_C(1000000000) + (uint64_t)t->tv_usec * 1000;
}

static bool count(const struct measure *m, enum measure_what what, uint64_t *n)
{
    struct rusage self, children;
    if (m->fd[what] >= 0)
        return read(m->fd[what], n, sizeof *n) == sizeof *n;
    getrusage(RUSAGE_SELF, &self);
    getrusage(RUSAGE_CHILDREN, &children);
    if (what == MEASURE_TASK_CLOCK)
        *n = ns(&self.ru_utime) + ns(&self.ru_stime) + ns(&children.ru_utime) + ns(&children.ru_stime);
    else if (what == MEASURE_PAGE_FAULTS)
        *n = (uint64_t)(self.ru_minflt + self.ru_majflt + children.ru_minflt + children.ru_majflt);
    return what <= MEASURE_PAGE_FAULTS;
}

static uint64_t wall(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

void measure_begin(struct measure *m)
{
    memset(m->start, 0, sizeof m->start);
    for (int i = MEASURE_KINDS - 1; i >= 0; i--)
        count(m, (enum measure_what)i, &m->start[i]);
    m->started = wall();
}

void measure_end(struct measure *m, struct measured *result)
{
    struct rusage self, children;
    result->wall = wall() - m->started;
    for (int i = 0; i < MEASURE_KINDS; i++) {
        uint64_t now = 0;
        result->known[i] = count(m, (enum measure_what)i, &now);
        result->count[i] = now - m->start[i];
    }
    getrusage(RUSAGE_SELF, &self);
    getrusage(RUSAGE_CHILDREN, &children);
    result->peak_rss =
        1024 * (uint64_t)(self.ru_maxrss > children.ru_maxrss ? self.ru_maxrss : children.ru_maxrss);
}
