/* SPDX-License-Identifier: MIT */
/* task_tellers.c - PI_TASKS_TELLERS: which of several recordings told the last of a task. */
#include "task_engine.h"
#include "told.h"

/* What a record tells something of, on its machine: the maps of a process, or a thread. */
static uint64_t subject_of(const struct pi_task_source *source, const struct pi_told *told)
{
    const uint64_t what = told->tells == PI_TELLS_MAP ? told->pid | UINT64_C(1) << 32 : told->tid;
    return (uint64_t)source->machine << 33 | what;
}

/* Inputs as bits; several may share one. */
static uint64_t bit_of(const struct pi_task_source *source)
{
    return UINT64_C(1) << (source->input & 63);
}

void pi_tasks_from(struct pd_tasks *t, struct pi_task_source source)
{
    t->tellers.now = source;
}

bool pi_tasks_told_by_others(const struct pd_tasks *t, const struct pi_task_source *source,
                             const struct pi_told *told)
{
    uint64_t by;
    return pi_ids_get(&t->tellers.by, subject_of(source, told), &by) && !(by & bit_of(source));
}

/* An END tells nothing that another record could tell anew. */
enum pd_code pi_task_tellers_record(struct pd_tasks *t, struct pd_record *rec, struct pd_error *error)
{
    const struct pi_task_source *now = &t->tellers.now;
    struct pi_told told;
    uint64_t by = 0;
    if (pi_tells_of(rec) == PI_TELLS_NOTHING || pi_tells_of(rec) == PI_TELLS_END ||
        pi_told_of(rec, &told, NULL) || told.of_kernel)
        return PD_OK;
    const uint64_t subject = subject_of(now, &told);
    if (!pi_ids_get(&t->tellers.by, subject, &by) && !pi_tasks_afford(t, PI_TASK_TELLER_BYTES))
        return PD_OK;
    by = now->again ? by | bit_of(now) : bit_of(now);
    return pi_ids_set(&t->tellers.by, subject, by)
               ? PD_OK
               : pi_tasks_no_memory(error, t->tellers.by.size * 2 * sizeof *t->tellers.by.slots);
}
