/* SPDX-License-Identifier: MIT */
/* filter_common.c - shared by all parts of a filter: its reports, its lists, and the tasks it needs. */
#include "filter.h"
#include "src/container/reader/reader_internal.h"

void pi_filter_report(struct pi_filtering *f, const struct pd_error *what)
{
    if (f->options->finding && f->last_pass)
        f->options->finding(f->options->user, what);
}

/* In a directory, the records of the next file follow. */
enum pd_code pi_filter_damage(struct pi_filtering *f, const struct pd_error *what, bool *over)
{
    if (pd_is_failure(what->code)) {
        *f->error = *what;
        return what->code;
    }
    *over = pi_reader_ends_at(f->reader, what->code);
    f->stats->damaged = true;
    pi_filter_report(f, what);
    return PD_OK;
}

enum pd_code pi_filter_lists_init(struct pi_filtering *f)
{
    const struct pd_allocator *allocator = f->options->allocator;
    enum pd_code code = pi_criteria_init(&f->keep, &f->options->keep, allocator, f->error);
    f->drops = pi_lists_any(&f->options->drop);
    if (!code)
        code = pi_criteria_init(&f->drop, &f->options->drop, allocator, f->error);
    f->ask_tasks = !code && (pi_criteria_need_tasks(&f->keep) || pi_criteria_need_tasks(&f->drop));
    return code;
}

bool pi_filter_is_needed(const struct pi_filtering *f, const struct pi_told *told, uint64_t order)
{
    const struct pd_tasks *t = f->tasks;
    if (told->of_kernel || pd_tasks_needed(t, told->pid) || pd_tasks_needed(t, told->tid))
        return true;
    return told->tells == PI_TELLS_BIRTH && told->has_parent && pd_tasks_fork_made_parent(t, order) &&
           (pd_tasks_needed(t, told->ppid) || pd_tasks_needed(t, told->ptid));
}
