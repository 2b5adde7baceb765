/* SPDX-License-Identifier: MIT */
/*
 * record_words.h - pd_record_time() and similar functions that take a word or two of a framed record, inline
 * for passes that do little else: as calls they are a third of the work of a filter.
 */
#ifndef PERFDATA_WORD_H
#define PERFDATA_WORD_H

#include "src/support/wire.h"
#include <perfdata/reader.h>

/* The word of a sample at `body`, of other kernel records at `trailer` from the end; NULL: it has none. */
static inline const uint8_t *pi_word_of(const struct pd_record *rec, uint16_t body, uint16_t trailer)
{
    if (rec->type == PD_RECORD_SAMPLE)
        return body && rec->size >= body + 8u ? rec->raw + body : NULL;
    if (rec->type >= PD_RECORD_HEADER_ATTR || !rec->plan->id_all || !trailer || rec->size < trailer + 8u)
        return NULL;
    return rec->raw + rec->size - trailer;
}

static inline bool pi_word_time(const struct pd_record *rec, uint64_t *time)
{
    const uint8_t *p = rec->plan ? pi_word_of(rec, rec->plan->time, rec->plan->trailer_time) : NULL;
    if (p)
        *time = pi_load64(p, (enum pd_order)rec->plan->order);
    return p != NULL;
}

/* 0 and UINT64_MAX are no times. */
static inline bool pi_is_time(uint64_t time)
{
    return time != 0 && time != UINT64_MAX;
}

/* The time by which perf sorts a record. False: it has none. */
static inline bool pi_known_time(const struct pd_record *rec, uint64_t *time)
{
    return pi_word_time(rec, time) && pi_is_time(*time);
}

/* What perf takes from the raw data of an off-cpu sample. False: it is no such sample. */
bool pi_word_offcpu_task(const struct pd_record *rec, uint32_t *pid, uint32_t *tid);
bool pi_word_offcpu_ip(const struct pd_record *rec, uint64_t *ip);

static inline bool pi_word_task(const struct pd_record *rec, uint32_t *pid, uint32_t *tid)
{
    if (rec->plan && rec->plan->offcpu && pi_word_offcpu_task(rec, pid, tid))
        return true;
    const uint8_t *p = rec->plan ? pi_word_of(rec, rec->plan->pid, rec->plan->trailer_pid) : NULL;
    if (p) {
        *pid = pi_load32(p, (enum pd_order)rec->plan->order);
        *tid = pi_load32(p + 4, (enum pd_order)rec->plan->order);
    }
    return p != NULL;
}

/*
 * The task that a record goes with (roles.def): that of its sample_id or, if there is none, of a record that
 * goes with its task, the one that its fields name, for which it is decoded.
 */
bool pi_record_owner(struct pd_record *rec, uint32_t *pid, uint32_t *tid);

/* Of samples. */
static inline bool pi_word_ip(const struct pd_record *rec, uint64_t *ip)
{
    if (rec->plan && rec->plan->offcpu && pi_word_offcpu_ip(rec, ip))
        return true;
    const uint8_t *p = rec->plan ? pi_word_of(rec, rec->plan->ip, 0) : NULL;
    if (p)
        *ip = pi_load64(p, (enum pd_order)rec->plan->order);
    return p != NULL;
}

/* Of decoded samples. False: it has none; an off-cpu one has cgroup 0 where none was asked for. */
bool pi_sample_cgroup(const struct pd_record *rec, uint64_t *cgroup);
/* Of a decoded sample: its own period, or that of its event. */
uint64_t pi_sample_period(const struct pd_record *rec);

/*
 * What each sample counts where it has no PERIOD of its own: the period of the event; 0 if that is not known.
 * perf takes a frequency for it, too. (evsel__parse_sample() in tools/perf/util/evsel.c)
 */
static inline uint64_t pi_event_period(const struct pd_attr *attr)
{
    return attr && attr->sample_period ? attr->sample_period : 1;
}

static inline bool pi_word_cpu(const struct pd_record *rec, uint32_t *cpu)
{
    const uint8_t *p = rec->plan ? pi_word_of(rec, rec->plan->cpu, rec->plan->trailer_cpu) : NULL;
    if (p)
        *cpu = pi_load32(p, (enum pd_order)rec->plan->order);
    return p != NULL;
}

#endif
