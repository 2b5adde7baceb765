/* SPDX-License-Identifier: MIT */
/*
 * word.h - pd_record_time() and what else takes a word or two of a framed record, for the passes that do nothing else: as
 * calls they are a third of the work of a filter.
 */
#ifndef PERFDATA_WORD_H
#define PERFDATA_WORD_H

#include "wire.h"
#include <perfdata/filter.h>

/* The word of a sample at `body`, of other kernel records at `trailer` from the end; NULL: it has none. */
static inline const uint8_t *pd_word_of(const struct pd_record *rec, uint16_t body, uint16_t trailer)
{
    if (rec->type == PD_RECORD_SAMPLE)
        return body && rec->size >= body + 8u ? rec->raw + body : NULL;
    if (rec->type >= PD_RECORD_HEADER_ATTR || !rec->plan->id_all || !trailer || rec->size < trailer + 8u)
        return NULL;
    return rec->raw + rec->size - trailer;
}

static inline bool pd_word_time(const struct pd_record *rec, uint64_t *time)
{
    const uint8_t *p = rec->plan ? pd_word_of(rec, rec->plan->time, rec->plan->trailer_time) : NULL;
    if (p)
        *time = pd_load64(p, (enum pd_order)rec->plan->order);
    return p != NULL;
}

static inline bool pd_word_task(const struct pd_record *rec, uint32_t *pid, uint32_t *tid)
{
    const uint8_t *p = rec->plan ? pd_word_of(rec, rec->plan->pid, rec->plan->trailer_pid) : NULL;
    if (p) {
        *pid = pd_load32(p, (enum pd_order)rec->plan->order);
        *tid = pd_load32(p + 4, (enum pd_order)rec->plan->order);
    }
    return p != NULL;
}

static inline bool pd_word_cpu(const struct pd_record *rec, uint32_t *cpu)
{
    const uint8_t *p = rec->plan ? pd_word_of(rec, rec->plan->cpu, rec->plan->trailer_cpu) : NULL;
    if (p)
        *cpu = pd_load32(p, (enum pd_order)rec->plan->order);
    return p != NULL;
}

/* pd_time_match() */
static inline bool pd_time_in(const struct pd_time_range *ranges, size_t n, uint64_t time)
{
    for (size_t i = 0; i < n && time; i++)
        if (time >= ranges[i].start && (ranges[i].end == 0 || time <= ranges[i].end))
            return true;
    return time == 0;
}

/* For pd_tasks_several(): notes a process of a tid, without a mention. False: no memory. */
bool pd_tasks_note(struct pd_tasks *t, uint32_t pid, uint32_t tid);
/* pd_tasks_check() for a map, or namespaces, of a process. */
enum pd_code pd_tasks_check_map(struct pd_tasks *t, uint32_t pid, uint32_t tid, const struct pd_moment *when,
                                struct pd_error *error);
/* Takes back all that pd_tasks_need() marked. */
void pd_tasks_need_none(struct pd_tasks *t);

void pd_clock_end_round(struct pd_clock *c);

/* Follows the time of a record, with UINT64_MAX as 0, and returns the moment's `at`. */
static inline uint64_t pd_clock_follow(struct pd_clock *c, uint64_t time)
{
    if (time && (!c->waiting || time > c->newest))
        c->newest = time;
    c->waiting |= time != 0;
    return time > c->done ? time : c->done;
}

/* pd_clock_stamp() */
static inline void pd_clock_stamp_here(struct pd_clock *c, const struct pd_record *rec, struct pd_moment *when)
{
    uint64_t time;
    *when = (struct pd_moment){.order = rec->index};
    if (!c->timed)
        return;
    if (rec->type == PD_RECORD_FINISHED_ROUND)
        pd_clock_end_round(c);
    if (!pd_word_time(rec, &time) || time == UINT64_MAX)
        time = 0;
    when->at = pd_clock_follow(c, time);
    when->time = time;
    when->round = c->round;
}

#endif
