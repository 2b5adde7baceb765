/* SPDX-License-Identifier: MIT */
/* task_last.c - PI_TASKS_COUNT and PI_TASKS_LAST: the tids of a recording, and what was told of each last. */
#include "task_engine.h"
#include "told.h"

static enum pd_code add_tid(struct pd_tasks *t, uint32_t tid, struct pd_error *error)
{
    struct pi_tid_set *met = &t->lasts.met;
    if (met->bits == NULL) {
        met->bits = pi_zeros(t->allocator, PI_TID_SET_BITS / 8);
        if (met->bits == NULL)
            return pi_tasks_no_memory(error, PI_TID_SET_BITS / 8);
    }
    if (tid < PI_TID_SET_BITS && !pi_tid_set_has(met, tid)) {
        met->bits[tid / 64] |= UINT64_C(1) << tid % 64;
        met->n++;
    }
    return PD_OK;
}

enum pd_code pi_task_last_mention(struct pd_tasks *t, uint32_t tid, struct pd_error *error)
{
    return add_tid(t, tid, error);
}

/* The row of a task, made if it is not there. NULL: refused. */
static struct pi_task_last *row_of(struct pd_tasks *t, const struct pi_told *told)
{
    const struct pi_task_last fresh = {told->pid, told->tid, UINT32_MAX, PD_COMM_NONE};
    uint32_t i = pi_idmap_get(&t->tids, told->tid);
    if (i == PI_IDMAP_NONE) {
        if (!pi_tasks_admit(t, told->tid, (void **)&t->lasts.of, &t->lasts.cap, sizeof fresh, &fresh))
            return NULL;
        i = (uint32_t)t->tids.n - 1;
    }
    t->lasts.of[i].pid = told->pid;
    return &t->lasts.of[i];
}

static enum pd_code take_last(struct pd_tasks *t, const struct pi_told *told, const struct pd_str *name,
                              struct pd_error *error)
{
    struct pi_task_last *last = row_of(t, told);
    if (last == NULL)
        return pi_tasks_refused(t, error, sizeof *last);
    if (told->tells == PI_TELLS_BIRTH) {
        last->ppid = told->has_parent ? told->ppid : last->ppid;
        return PD_OK;
    }
    return pi_tasks_number_name(t, name->ptr, name->len, &last->comm) ? PD_OK
                                                                      : pi_tasks_refused(t, error, name->len);
}

enum pd_code pi_task_last_record(struct pd_tasks *t, struct pd_record *rec, struct pd_error *error)
{
    const enum pi_tells tells = pi_tells_of(rec);
    struct pi_told told;
    if ((tells != PI_TELLS_NAME && tells != PI_TELLS_BIRTH) || rec->plan == NULL)
        return PD_OK;
    enum pd_code code = pi_told_of(rec, &told, error);
    if (!code && !pi_tid_set_has(&t->lasts.met, told.tid))
        code = add_tid(t, told.tid, error);
    return code || t->question == PI_TASKS_COUNT ? code : take_last(t, &told, &rec->u.comm.comm, error);
}

const struct pi_tid_set *pi_tasks_met(const struct pd_tasks *t)
{
    return &t->lasts.met;
}

const struct pi_task_last *pi_tasks_last(const struct pd_tasks *t, size_t *n)
{
    *n = t->tids.n;
    return t->lasts.of;
}
