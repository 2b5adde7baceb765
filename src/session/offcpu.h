/* SPDX-License-Identifier: MIT */
/*
 * offcpu.h - has a reader know the names of off-cpu events (perfdata/session/event.h), for verbs that need no
 * other metadata. In a stream a name is known from its record on.
 */
#ifndef PERFDATA_OFFCPU_H
#define PERFDATA_OFFCPU_H

#include <perfdata/session/metadata.h>

struct pi_offcpu_names {
    struct pd_metadata *meta; /* NULL: no event can have that name */
};

/*
 * Takes the names that are known before the records. PD_ENOMEM, and failures of reading. Must be closed in
 * any case. Call it between records.
 */
enum pd_code pi_offcpu_open(struct pi_offcpu_names *names, struct pd_reader *r,
                            const struct pd_allocator *allocator, struct pd_error *error);
void pi_offcpu_close(struct pi_offcpu_names *names);

/* Takes the names of events in a record; most have none. PD_ENOMEM. */
enum pd_code pi_offcpu_learn(const struct pi_offcpu_names *names, struct pd_reader *r,
                             const struct pd_record *rec, struct pd_error *error);

#endif
