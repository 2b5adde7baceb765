/* SPDX-License-Identifier: MIT */
/*
 * offcpu.h - finds the samples with their stacks in their raw data: those of an event that the recording
 * calls "offcpu-time". In a stream this is known from the record with the name on.
 */
#ifndef PERFDATA_OFFCPU_H
#define PERFDATA_OFFCPU_H

#include <perfdata/constants.h>
#include <perfdata/session/metadata.h>

struct pd_offcpu_names {
    struct pd_metadata *meta; /* NULL: no event can have that name */
};

/*
 * Takes the names that are known before the records. PD_ENOMEM, and failures of reading. Must be closed in
 * any case.
 */
enum pd_code pd_offcpu_open(struct pd_offcpu_names *names, struct pd_reader *r,
                            const struct pd_allocator *allocator, struct pd_error *error);
void pd_offcpu_close(struct pd_offcpu_names *names);

/* Takes the names of events in a record; most have none. PD_ENOMEM. */
enum pd_code pd_offcpu_learn(const struct pd_offcpu_names *names, struct pd_reader *r,
                             const struct pd_record *rec, struct pd_error *error);

/* True if the attr of that number has such samples. */
bool pd_offcpu_is_event(const struct pd_offcpu_names *names, const struct pd_reader *r, uint32_t attr);

bool pd_offcpu_take_of_bpf(const struct pd_offcpu_names *names, const struct pd_reader *r,
                           const struct pd_record *rec, struct pd_offcpu *out);

/* What a decoded record has in its raw data. False: it is no such sample, which costs next to nothing. */
static inline bool pd_offcpu_take(const struct pd_offcpu_names *names, const struct pd_reader *r,
                                  const struct pd_record *rec, struct pd_offcpu *out)
{
    const struct pd_attr *attr = rec->attr;
    return attr && attr->type == PD_TYPE_SOFTWARE && attr->config == PD_SW_BPF_OUTPUT &&
           pd_offcpu_take_of_bpf(names, r, rec, out);
}

#endif
