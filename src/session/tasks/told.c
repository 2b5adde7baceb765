/* SPDX-License-Identifier: MIT */
/* told.c - extracts the information about a task in a record. */
#include "told.h"
#include "src/schema/fail.h"

enum pd_code pi_told_of(struct pd_record *rec, struct pi_told *told, struct pd_error *error)
{
    enum pd_code code = PD_OK;
    if (rec->plan == NULL)
        code = pi_fail_record(error, PD_EUNKNOWN, rec, 0, "event id", 0, 0);
    else if (!rec->decoded)
        code = pd_record_decode_framed(rec->plan, rec, error);
    if (code || pi_told_decoded(rec, told))
        return code;
    return pi_fail_record(error, PD_EUNKNOWN, rec, 0, "task", 0, 0);
}

bool pi_told_map(struct pd_record *rec, struct pi_told *told)
{
    const struct pi_traits *t = pi_traits_of(rec->type);
    return (t->tells == PI_TELLS_MAP || t->tells == PI_TELLS_TASK) && rec->plan &&
           (rec->decoded || !pd_record_decode_framed(rec->plan, rec, NULL)) && pi_told_decoded(rec, told) &&
           !told->of_kernel;
}

/* A name is of a thread; an exec, and the end of a process, concern its mappings. */
static size_t list_ids(const struct pd_record *rec, const struct pi_told *told, uint32_t ids[PI_TOLD_MOST])
{
    size_t n = 0;
    if (told->tells != PI_TELLS_END || told->pid == told->tid)
        ids[n++] = told->tid;
    if (told->pid != told->tid && (told->tells != PI_TELLS_NAME || rec->misc & PD_MISC_COMM_EXEC) &&
        told->tells != PI_TELLS_END)
        ids[n++] = told->pid;
    if (told->has_parent) { /* perf makes the parent anew if it took it for another process's */
        ids[n++] = told->ptid;
        if (told->ppid != told->ptid)
            ids[n++] = told->ppid;
    }
    return n;
}

bool pi_told_changes(struct pd_record *rec, uint32_t ids[PI_TOLD_MOST], size_t *n)
{
    struct pi_told told;
    *n = 0;
    if (rec->type == PD_RECORD_KSYMBOL)
        return true;
    if (pi_tells_of(rec) == PI_TELLS_NOTHING || pi_told_of(rec, &told, NULL))
        return false;
    *n = told.of_kernel ? 0 : list_ids(rec, &told, ids);
    return told.of_kernel || *n;
}
