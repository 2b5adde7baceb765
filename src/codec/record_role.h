/* SPDX-License-Identifier: MIT */
/* record_role.h - the role of a given record (roles.h), and the task that its own fields name. */
#ifndef PERFDATA_RECORD_ROLE_H
#define PERFDATA_RECORD_ROLE_H

#include "src/schema/roles.h"
#include <perfdata/codec.h>
#include <string.h>

/* The role of a record from a reader: types of old streams that look like others are features. */
static inline enum pi_role pi_role_of(const struct pd_record *rec)
{
    return rec->old_feature ? PI_ROLE_TOOL : (enum pi_role)pi_traits_of(rec->type)->role;
}

static inline enum pi_tells pi_tells_of(const struct pd_record *rec)
{
    return (enum pi_tells)pi_traits_of(rec->type)->tells;
}

/* True if records of this type contain other records. */
static inline bool pi_is_wrapper_type(uint32_t type)
{
    return type >= PD_RECORD_HEADER_ATTR && pi_traits_of(type)->role == PI_ROLE_WRAPPER;
}

/* The same of a record from a reader, whose type may be a feature's. */
static inline bool pi_is_wrapper(const struct pd_record *rec)
{
    return pi_is_wrapper_type(rec->type) && !rec->old_feature;
}

/* True if records of this type hold others, or parts of one, as bytes. */
static inline bool pi_holds_records(uint32_t type)
{
    return pi_is_wrapper_type(type) || type == PD_RECORD_SIMPLEPERF_SPLIT;
}

/* True for a part of a large record, or the end of one: they belong together, with nothing between. */
static inline bool pi_is_part(const struct pd_record *rec)
{
    return rec->type == PD_RECORD_SIMPLEPERF_SPLIT || rec->type == PD_RECORD_SIMPLEPERF_SPLIT_END;
}

/* What it serves as a reader gives it. */
static inline enum pi_serves pi_serves_of(const struct pd_record *rec)
{
    return rec->old_feature ? PI_SERVES_FEATURE : (enum pi_serves)pi_traits_of(rec->type)->serves;
}

/* True if its content is in a file's header or in a section. */
static inline bool pi_is_of_head(const struct pd_record *rec)
{
    return pi_serves_of(rec) >= PI_SERVES_ATTR;
}

/* A pid of a decoded record, at an offset of its traits. */
static inline uint32_t pi_pid_at(const struct pd_record *rec, uint8_t place)
{
    uint32_t pid;
    memcpy(&pid, (const uint8_t *)&rec->u + place - 1, sizeof pid);
    return pid;
}

/* The task that a decoded record is about, as its own fields say; false: they name none. */
static inline bool pi_told_task(const struct pd_record *rec, uint32_t *pid, uint32_t *tid)
{
    const struct pi_traits *t = pi_traits_of(rec->type);
    if (!t->process || !t->thread)
        return false;
    *pid = pi_pid_at(rec, t->process);
    *tid = pi_pid_at(rec, t->thread);
    return true;
}

/* Its parent. */
static inline bool pi_told_parent(const struct pd_record *rec, uint32_t *pid, uint32_t *tid)
{
    const struct pi_traits *t = pi_traits_of(rec->type);
    if (!t->parent_process || !t->parent_thread)
        return false;
    *pid = pi_pid_at(rec, t->parent_process);
    *tid = pi_pid_at(rec, t->parent_thread);
    return true;
}

/* The id of the event that a decoded record is about, as its own fields say; false: they name none. */
static inline bool pi_told_event(const struct pd_record *rec, uint64_t *id)
{
    const size_t place = pi_payload_event_id(rec->type);
    if (place)
        memcpy(id, (const uint8_t *)&rec->u + place - 1, sizeof *id);
    return place != 0;
}

/* True if its mode is the kernel's, or a guest kernel's. */
static inline bool pi_in_kernel(const struct pd_record *rec)
{
    const unsigned mode = rec->misc & PD_MISC_CPUMODE;
    return mode == PD_CPUMODE_KERNEL || mode == PD_CPUMODE_GUEST_KERNEL;
}

#endif
