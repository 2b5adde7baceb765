/* SPDX-License-Identifier: MIT */
/*
 * told.h - the information about a task in a record, by roles.def and identity.def: the input of all code
 * that follows tasks.
 */
#ifndef PERFDATA_TOLD_H
#define PERFDATA_TOLD_H

#include "src/codec/record_role.h"

struct pi_told {
    enum pi_tells tells;
    bool of_kernel; /* a mapping of the kernel's own: it belongs to no task */
    bool has_parent;
    uint32_t pid, tid;
    uint32_t ppid, ptid; /* if it has one */
};

/* Of a decoded record. False: it names no task. */
static inline bool pi_told_decoded(const struct pd_record *rec, struct pi_told *told)
{
    const struct pi_traits *t = pi_traits_of(rec->type);
    if (!t->process || !t->thread)
        return false;
    told->tells = (enum pi_tells)t->tells;
    told->pid = pi_pid_at(rec, t->process);
    told->tid = pi_pid_at(rec, t->thread);
    told->of_kernel = t->tells == PI_TELLS_MAP && (told->pid == UINT32_MAX || pi_in_kernel(rec));
    told->has_parent = t->parent_process && t->parent_thread;
    if (told->has_parent) {
        told->ppid = pi_pid_at(rec, t->parent_process);
        told->ptid = pi_pid_at(rec, t->parent_thread);
    }
    return true;
}
/* Decodes the record, if it is not yet. PD_EUNKNOWN, too, if its event is not known or it names no task; else
 * the error of decoding it. */
enum pd_code pi_told_of(struct pd_record *rec, struct pi_told *told, struct pd_error *error);
/*
 * True if it is a mapping of a process, or namespaces, which show that a task exists. Decodes records that
 * may be one.
 */
bool pi_told_map(struct pd_record *rec, struct pi_told *told);

#define PI_TOLD_MOST 4 /* tasks */

/*
 * True if the record may change what a session says of a task's name, process or mappings: of those that have
 * one of these pids or tids, or of all, if *n is 0. Decodes the record.
 */
bool pi_told_changes(struct pd_record *rec, uint32_t ids[PI_TOLD_MOST], size_t *n);

#endif
