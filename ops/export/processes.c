/* SPDX-License-Identifier: MIT */
/*
 * processes.c - a number for each process between two changes of its mappings: what was found out for a
 * number is so for all samples that have it.
 */
#include "export.h"
#include "src/schema/fail.h"
#include "src/session/tasks/told.h"
#include "src/support/limits.h"

struct pi_export_process {
    uint64_t number;  /* 0: its mappings have changed since it had one */
    uint64_t changes; /* of all mappings, when it got it */
};

void pi_export_processes_free(struct pi_export_processes *p, const struct pd_allocator *allocator)
{
    pi_idmap_free(&p->pids);
    pi_release(allocator, p->all);
}

/* What is known of a process; NULL: no memory. Too many are forgotten: they will have other numbers. */
static struct pi_export_process *add_process(struct pi_exporting *x, uint32_t pid)
{
    struct pi_export_processes *p = &x->processes;
    if (p->n == PI_LIMIT_EXPORT_PROCESSES) {
        pi_idmap_free(&p->pids);
        p->n = 0;
    }
    if (!pi_grow(x->allocator, (void **)&p->all, p->n, &p->cap, sizeof *p->all) ||
        !pi_idmap_add(&p->pids, pid, (uint32_t)p->n))
        return NULL;
    p->all[p->n] = (struct pi_export_process){.number = 0};
    return &p->all[p->n++];
}

uint64_t pi_export_find_number(struct pi_exporting *x, uint32_t pid)
{
    struct pi_export_processes *p = &x->processes;
    const uint32_t at = pi_idmap_get(&p->pids, pid);
    struct pi_export_process *process = at == PI_IDMAP_NONE ? add_process(x, pid) : &p->all[at];
    if (process == NULL) {
        if (!x->failed)
            x->failed = pi_fail(x->error, PD_ENOMEM, PD_NOWHERE, "processes", 0, p->cap * 2);
        return ++p->numbers;
    }
    if (process->number == 0 || process->changes != p->changes)
        *process = (struct pi_export_process){++p->numbers, p->changes};
    p->last.pid = pid;
    return p->last.number = process->number;
}

void pi_export_note_change(struct pi_exporting *x, struct pd_record *rec)
{
    struct pi_export_processes *p = &x->processes;
    uint32_t ids[PI_TOLD_MOST];
    size_t n;
    if (!pi_told_changes(rec, ids, &n))
        return;
    x->comm_generation++;
    p->last.number = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t at = pi_idmap_get(&p->pids, ids[i]);
        if (at != PI_IDMAP_NONE)
            p->all[at].number = 0;
    }
    if (n == 0) {
        p->changes++;
        p->kernel = 0;
    }
}
