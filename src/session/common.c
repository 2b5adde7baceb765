/* SPDX-License-Identifier: MIT */
/* common.c - what any record has in common with others: task, time, event id, cpu. */
#include "record_words.h"
#include "src/codec/record_role.h"
#include <perfdata/session/event.h>
#include <perfdata/session/tasks.h>

bool pi_word_offcpu_task(const struct pd_record *rec, uint32_t *pid, uint32_t *tid)
{
    struct pd_offcpu offcpu;
    if (!pd_offcpu_of(rec, &offcpu))
        return false;
    *pid = offcpu.pid;
    *tid = offcpu.tid;
    return true;
}

bool pi_word_offcpu_ip(const struct pd_record *rec, uint64_t *ip)
{
    struct pd_offcpu offcpu;
    struct pd_sample sample;
    if (!pd_offcpu_of(rec, &offcpu))
        return false;
    pd_offcpu_apply(&offcpu, &sample);
    *ip = sample.ip;
    return true;
}

bool pi_sample_cgroup(const struct pd_record *rec, uint64_t *cgroup)
{
    struct pd_offcpu offcpu;
    const bool is_offcpu = pd_offcpu_of(rec, &offcpu);
    *cgroup = is_offcpu ? offcpu.cgroup : rec->u.sample.cgroup;
    return is_offcpu ? *cgroup != 0 : rec->attr && rec->attr->sample_type & PD_SAMPLE_CGROUP;
}

uint64_t pi_sample_period(const struct pd_record *rec)
{
    struct pd_offcpu offcpu;
    if (pd_offcpu_of(rec, &offcpu))
        return offcpu.period;
    return rec->attr && rec->attr->sample_type & PD_SAMPLE_PERIOD ? rec->u.sample.period
                                                                  : pi_event_period(rec->attr);
}

static bool take_id(const struct pd_record *rec, uint64_t *id)
{
    const uint8_t *p = rec->plan ? pi_word_of(rec, rec->plan->id, rec->plan->trailer_id) : NULL;
    if (p)
        *id = pi_load64(p, (enum pd_order)rec->plan->order);
    return p != NULL;
}

bool pi_record_owner(struct pd_record *rec, uint32_t *pid, uint32_t *tid)
{
    return pi_word_task(rec, pid, tid) ||
           (pi_role_of(rec) == PI_ROLE_WITH_TASK && rec->plan &&
            !pd_record_decode_framed(rec->plan, rec, NULL) && pi_told_task(rec, pid, tid));
}

/* The 8 bytes of a decoded record at a place, plus 1; false: the place is 0. */
static bool take_payload(const struct pd_record *rec, size_t place, uint64_t *value)
{
    if (place)
        memcpy(value, (const uint8_t *)&rec->u + place - 1, sizeof *value);
    return place != 0;
}

void pd_record_common(struct pd_record *rec, struct pd_record_words *out)
{
    struct pd_record_words w = {0};
    w.has_task = pi_word_task(rec, &w.pid, &w.tid);
    w.has_time = pi_word_time(rec, &w.time);
    w.has_id = take_id(rec, &w.id);
    w.has_cpu = pi_word_cpu(rec, &w.cpu);
    const bool is_sample = rec->type == PD_RECORD_SAMPLE;
    if (!is_sample && (rec->decoded || (rec->plan && !pd_record_decode_framed(rec->plan, rec, NULL)))) {
        w.has_task = w.has_task || pi_told_task(rec, &w.pid, &w.tid);
        w.has_time = w.has_time || take_payload(rec, pi_payload_time(rec->type), &w.time);
        w.has_id = w.has_id || pi_told_event(rec, &w.id);
    }
    *out = w;
}
