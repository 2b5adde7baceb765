/* SPDX-License-Identifier: MIT */
/*
 * task_flow.h - internal functions of pd_tasks for operations: tasks of a stream that is read once, and more.
 */
#ifndef PERFDATA_TASK_FLOW_H
#define PERFDATA_TASK_FLOW_H

#include <perfdata/session/tasks.h>

/* Gives a name a number. PD_ENOMEM. */
enum pd_code pi_tasks_add_name(struct pd_tasks *t, const char *name, struct pd_error *error);
/*
 * Lookups are possible from now on, instead of after pd_tasks_finish(), and forgotten entries take no memory.
 * Only names that already have a number are distinguished: all others are pd_tasks_n_comms(). Call it before
 * collecting. PD_ENOMEM.
 */
enum pd_code pi_tasks_flow(struct pd_tasks *t, struct pd_error *error);
/*
 * Names that come have numbers, too, while tasks flow. Numbers are then valid until the next
 * pi_tasks_forget(), since names that no task has are forgotten.
 */
void pi_tasks_learn_names(struct pd_tasks *t);
/* Keeps all names that come: memory grows with different names. */
void pi_tasks_keep_names(struct pd_tasks *t);
/* True if a record had the name with this number, or it is "swapper"; numbers are from 1 on. */
bool pi_tasks_has_name(const struct pd_tasks *t, uint32_t comm);
/*
 * No more entries before the moment will come (NULL: none at all), so lookups up to it are possible. False:
 * no memory.
 */
bool pi_tasks_settle(struct pd_tasks *t, const struct pd_moment *until);
/* No more lookups before the moment will come (NULL: none of settled entries). */
void pi_tasks_forget(struct pd_tasks *t, const struct pd_moment *until);

/* For pd_tasks_several(): notes a process of a tid, without a mention. False: no memory. */
bool pi_tasks_note(struct pd_tasks *t, uint32_t pid, uint32_t tid);
/* pd_tasks_check() for a map, or namespaces, of a process. */
enum pd_code pi_tasks_check_map(struct pd_tasks *t, uint32_t pid, uint32_t tid, const struct pd_moment *when,
                                struct pd_error *error);
/* Removes all marks of pd_tasks_need(). */
void pi_tasks_need_none(struct pd_tasks *t);

#endif
