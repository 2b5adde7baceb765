/* SPDX-License-Identifier: MIT */
/* crew.h - workers in one thread, which do a job when it is started, or when it is waited for, by chance. */
#ifndef PERFDATA_TEST_CREW_H
#define PERFDATA_TEST_CREW_H

#include "ops/gen/random_values.h"
#include <perfdata/base.h>
#include <stdlib.h>

struct crew {
    struct pi_rng *rng;
    uint64_t jobs, late;
};

static inline void crew_start(void *user, struct pd_job *job)
{
    struct crew *crew = user;
    if (job->state != 0)
        abort();
    crew->jobs++;
    job->state = 1;
    if (pi_rng_one_in(crew->rng, 2)) {
        job->work(job);
        job->state = 2;
    }
}

static inline void crew_wait(void *user, struct pd_job *job)
{
    struct crew *crew = user;
    crew->late += job->state == 1;
    if (job->state == 1)
        job->work(job);
    job->state = 0;
}

static inline struct pd_workers crew_workers(struct crew *crew)
{
    return (struct pd_workers){2, crew_start, crew_wait, crew};
}

#endif
