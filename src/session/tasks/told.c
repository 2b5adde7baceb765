/* SPDX-License-Identifier: MIT */
/* told.c - extracts the information about a task in a record. */
#include "told.h"
#include "src/schema/fail.h"

/* Of a decoded record. False: it names no task. */
static inline bool take_fields(const struct pd_record *rec, const struct pd_traits *t, struct pd_told *told)
{
    if (!t->process || !t->thread)
        return false;
    told->tells = (enum pd_tells)t->tells;
    told->pid = pd_pid_at(rec, t->process);
    told->tid = pd_pid_at(rec, t->thread);
    told->of_kernel = t->tells == PD_TELLS_MAP && (told->pid == UINT32_MAX || pd_in_kernel(rec));
    told->has_parent = t->parent_process && t->parent_thread;
    if (told->has_parent) {
        told->ppid = pd_pid_at(rec, t->parent_process);
        told->ptid = pd_pid_at(rec, t->parent_thread);
    }
    return true;
}

enum pd_code pd_told_of(struct pd_record *rec, struct pd_told *told, struct pd_error *error)
{
    const enum pd_code code = rec->plan ? pd_record_decode_framed(rec->plan, rec, error)
                                        : pd_fail_record(error, PD_EUNKNOWN, rec, 0, "event id", 0, 0);
    if (code || take_fields(rec, pd_traits_of(rec->type), told))
        return code;
    return pd_fail_record(error, PD_EUNKNOWN, rec, 0, "task", 0, 0);
}

bool pd_told_map(struct pd_record *rec, struct pd_told *told)
{
    const struct pd_traits *t = pd_traits_of(rec->type);
    return (t->tells == PD_TELLS_MAP || t->tells == PD_TELLS_TASK) && rec->plan &&
           !pd_record_decode_framed(rec->plan, rec, NULL) && take_fields(rec, t, told) && !told->of_kernel;
}
