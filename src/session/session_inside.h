/* SPDX-License-Identifier: MIT */
/* session_inside.h - what operations ask a session besides its public functions. */
#ifndef PERFDATA_SESSION_INSIDE_H
#define PERFDATA_SESSION_INSIDE_H

#include <perfdata/session/session.h>
#include <perfdata/session/tasks.h>

/* To be called at the beginning: pi_session_tasks() will have all names that came. */
void pi_session_keep_names(struct pd_session *session);
/* Its tasks: for pd_tasks_n_comms() and the like. */
const struct pd_tasks *pi_session_tasks(const struct pd_session *session);
/* The path of the next cgroup; *at is 0 before the first. NULL: no more. */
const char *pi_session_next_cgroup(const struct pd_session *session, size_t *at);
/* As pi_mappings_find_range(). */
const struct pd_mapping *pi_session_find_range(struct pd_session *session, uint32_t pid, uint64_t address,
                                               unsigned cpumode, uint64_t *first, uint64_t *last);

#endif
