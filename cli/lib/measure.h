/* SPDX-License-Identifier: MIT */
/* measure.h - the cost of a piece of work, including child processes; for `perfdata bench`. */
#ifndef PERFDATA_CLI_MEASURE_H
#define PERFDATA_CLI_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

enum measure_what {
    MEASURE_TASK_CLOCK, /* nanoseconds on a cpu */
    MEASURE_PAGE_FAULTS,
    MEASURE_CYCLES, /* this and the following: only if the machine counts it */
    MEASURE_INSTRUCTIONS,
    MEASURE_CACHE_MISSES,
    MEASURE_BRANCH_MISSES,
    MEASURE_KINDS,
};

struct measure {
    int fd[MEASURE_KINDS]; /* of perf_event_open(); -1: the machine has no such counter, or does not permit
                              it */
    uint64_t start[MEASURE_KINDS];
    uint64_t started; /* nanoseconds of the wall clock */
};

struct measured {
    bool known[MEASURE_KINDS];
    uint64_t count[MEASURE_KINDS];
    uint64_t wall;     /* nanoseconds */
    uint64_t peak_rss; /* bytes, of the largest process */
};

extern const char *const measure_names[MEASURE_KINDS];

/* Opens counters of this process and of later child processes, which count once they have been waited for. */
void measure_open(struct measure *m);
void measure_close(struct measure *m);
void measure_begin(struct measure *m);
void measure_end(struct measure *m, struct measured *result);

#endif
