/* SPDX-License-Identifier: MIT */
/* record_probe.h - where records stand, to judge by what stands there; and whether one is what it says. */
#ifndef PERFDATA_RECORD_PROBE_H
#define PERFDATA_RECORD_PROBE_H

#include "reader/reader_internal.h"

/* Does a record stand there that can be decoded and leaves nothing over? *next: the place behind it. */
bool pd_is_record(struct pd_reader *r, uint64_t at, uint64_t *next);
/* Do n records in a row make sense there, or all up to the end of the data? */
bool pd_are_in_a_row(struct pd_reader *r, uint64_t at, unsigned n);
/* The same of several. */
bool pd_are_records(struct pd_reader *r, uint64_t at);
/* The first place from `at` on where several records in a row make sense; the end of the data if there is
 * none. */
uint64_t pd_find_records(struct pd_reader *r, uint64_t at);
/*
 * Behind the record, where reading would go on, nothing makes sense: does a record begin in it from which
 * reading can go on? Where in it; 0: nowhere, or all is well. Its bytes may have moved then.
 */
size_t pd_find_inside(struct pd_reader *r, const struct pd_record *rec);
/* Is the record of an event that there is not? perf does not go on behind it. With one event, or id 0, it
 * takes the first. */
bool pd_is_orphan(const struct pd_reader *r, const struct pd_record *rec);

#endif
