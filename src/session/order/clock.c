/* SPDX-License-Identifier: MIT */
/* clock.c - words of framed records, and the order in which perf processes records. */
#include "clock.h"
#include "src/container/reader/reader_internal.h"

/* ---- Words of a framed record */

bool pd_record_time(const struct pd_record *rec, uint64_t *time)
{
    return pi_word_time(rec, time);
}

bool pd_record_task(const struct pd_record *rec, uint32_t *pid, uint32_t *tid)
{
    return pi_word_task(rec, pid, tid);
}

bool pd_record_cpu(const struct pd_record *rec, uint32_t *cpu)
{
    return pi_word_cpu(rec, cpu);
}

/* ---- The order in which perf processes records */

bool pd_clock_is_timed(const struct pd_reader *reader)
{
    const struct pd_event_attr *first = pd_reader_attr(reader, 0);
    return pd_reader_info(reader)->container == PD_CONTAINER_PIPE || (first && first->plan.id_all);
}

void pd_clock_init(struct pd_clock *clock, bool timed)
{
    *clock = (struct pd_clock){.timed = timed};
}

void pi_clock_end_round(struct pd_clock *c)
{
    if (!c->waiting)
        return;
    if (c->limit > c->done)
        c->done = c->limit;
    if (c->newest <= c->limit)
        c->waiting = false;
    c->limit = c->newest;
    c->round++;
}

void pd_clock_stamp(struct pd_clock *c, const struct pd_record *rec, struct pd_moment *when)
{
    pi_clock_stamp_here(c, rec, when);
}
