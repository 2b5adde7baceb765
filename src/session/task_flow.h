/* SPDX-License-Identifier: MIT */
/* task_flow.h - what operations ask of pd_tasks besides its public functions: tasks of a stream that is read
 * once, and more. */
#ifndef PERFDATA_TASK_FLOW_H
#define PERFDATA_TASK_FLOW_H

#include <perfdata/session/tasks.h>

/* Gives a name a number. PD_ENOMEM. */
enum pd_code pd_tasks_add_name(struct pd_tasks *t, const char *name, struct pd_error *error);
/*
 * Lookups are possible from now on, instead of after pd_tasks_finish(), and memory does not grow with what
 * was forgotten. Only names that have a number already are told apart: all others are pd_tasks_n_comms().
 * Before anything is collected. PD_ENOMEM.
 */
enum pd_code pd_tasks_flow(struct pd_tasks *t, struct pd_error *error);
/* Names that come have numbers, too, while tasks flow: memory grows with different names. */
void pd_tasks_learn_names(struct pd_tasks *t);
/* Nothing that is before the moment is still to come (NULL: nothing at all): it may be asked for. False: no
 * memory. */
bool pd_tasks_settle(struct pd_tasks *t, const struct pd_moment *until);
/* Nobody will ask for anything before the moment any more (NULL: for anything that is settled). */
void pd_tasks_forget(struct pd_tasks *t, const struct pd_moment *until);

/* For pd_tasks_several(): notes a process of a tid, without a mention. False: no memory. */
bool pd_tasks_note(struct pd_tasks *t, uint32_t pid, uint32_t tid);
/* pd_tasks_check() for a map, or namespaces, of a process. */
enum pd_code pd_tasks_check_map(struct pd_tasks *t, uint32_t pid, uint32_t tid, const struct pd_moment *when,
                                struct pd_error *error);
/* Takes back all that pd_tasks_need() marked. */
void pd_tasks_need_none(struct pd_tasks *t);

#endif
