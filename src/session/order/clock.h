/* SPDX-License-Identifier: MIT */
/* clock.h - pd_clock_stamp(), for passes that do little else for a record. */
#ifndef PERFDATA_CLOCK_H
#define PERFDATA_CLOCK_H

#include "src/session/record_words.h"
#include <perfdata/session/tasks.h>

/* The end of a round: records that are not newer than the newest of the previous round are processed. */
void pi_clock_end_round(struct pd_clock *c);

/* Follows the time of a record, with UINT64_MAX as 0, and returns the moment's `at`. */
static inline uint64_t pi_clock_follow(struct pd_clock *c, uint64_t time)
{
    if (time && (!c->waiting || time > c->newest))
        c->newest = time;
    c->waiting |= time != 0;
    return time > c->done ? time : c->done;
}

/* pd_clock_stamp() */
static inline void pi_clock_stamp_here(struct pd_clock *c, const struct pd_record *rec,
                                       struct pd_moment *when)
{
    uint64_t time;
    *when = (struct pd_moment){.order = rec->index};
    if (!c->timed)
        return;
    if (rec->type == PD_RECORD_FINISHED_ROUND)
        pi_clock_end_round(c);
    if (!pi_known_time(rec, &time))
        time = 0;
    when->at = pi_clock_follow(c, time);
    when->time = time;
    when->round = c->round;
}

#endif
