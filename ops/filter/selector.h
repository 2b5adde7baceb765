/* SPDX-License-Identifier: MIT */
/*
 * selector.h - says which samples a selection keeps, from records in order of time and a session that has
 * taken them: for lists that depend on mappings, cgroups and families of tasks, and for operations that only
 * read.
 */
#ifndef PERFDATA_SELECTOR_H
#define PERFDATA_SELECTOR_H

#include "filter.h"
#include <perfdata/session/session.h>

/* Sides of a selection, as bits. */
enum { PI_SELECT_KEEP = 1, PI_SELECT_DROP = 2 };

struct pi_selector {
    const struct pd_filter_options *options;
    struct pi_criteria keep, drop;
    bool drops; /* `drop` has a list of those that pi_meets_any() knows */
    struct pi_names keep_dsos, drop_dsos, keep_cgroups, drop_cgroups;
    struct pi_idmap heirs; /* by tid: index in `sides` */
    uint8_t *sides;        /* PI_SELECT_…: descends from a task of the lists */
    size_t sides_cap;
};

/*
 * Uses lists, all_user, all_kernel, with_children and predicate of the options; they must outlive it. To be
 * freed even after an error.
 */
enum pd_code pi_selector_init(struct pi_selector *s, const struct pd_filter_options *options,
                              struct pd_error *error);
void pi_selector_free(struct pi_selector *s);
/* PD_SESSION_… that its questions need. */
uint32_t pi_selector_parts(const struct pi_selector *s);

/*
 * PI_SELECT_… of the lists that name the mapping's file; mapping NULL: unmapped. For pd_session_options.tag.
 */
uint32_t pi_selector_judge_mapping(const struct pi_selector *s, const struct pd_mapping *mapping);
/*
 * Follows families: to be called for each record that is no sample, before the session takes it. A record
 * that cannot be decoded changes nothing. False: no memory.
 */
bool pi_selector_record(struct pi_selector *s, struct pd_session *session, struct pd_record *rec);
/*
 * True if the lists of tasks, times, cpus, events and families keep the record; for samples and records with
 * PI_ROLE_WITH_TASK.
 */
bool pi_selector_meets_task(struct pi_selector *s, struct pd_session *session, struct pd_record *rec);
/* The same for all lists and modes; for samples, which it may decode. `mapping`: PI_SELECT_… of the address.
 */
bool pi_selector_meets(struct pi_selector *s, struct pd_session *session, struct pd_record *rec,
                       uint32_t mapping);

/* When all records have come: `known` and `unmatched` of the options. */
void pi_selector_tell_names(const struct pi_selector *s, const struct pd_session *session);

/* The mapping of a sample's address; NULL: unmapped. *has: it has an address. */
const struct pd_mapping *pi_sample_mapping(struct pd_session *session, const struct pd_record *rec,
                                           bool *has);

#endif
