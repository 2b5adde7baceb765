/* SPDX-License-Identifier: MIT */
/* record_probe.h - finds where records begin, by their bytes, and checks whether one is plausible. */
#ifndef PERFDATA_RECORD_PROBE_H
#define PERFDATA_RECORD_PROBE_H

#include "reader/reader_internal.h"

/* True if a record begins there that can be decoded and leaves no bytes over. *next: the place behind it. */
bool pi_is_record(struct pd_reader *r, uint64_t at, uint64_t *next);
/* True if no record can follow: it is the end of the data, or stray bytes behind a stream begin there. */
bool pi_is_data_end(struct pd_reader *r, uint64_t at);
/* True if a later kernel or perf may have records of such an unknown type: these follow the known ones. */
bool pi_may_come(uint32_t type);
/*
 * True if it is the end of the data, or if reading may go on there: a record begins there, or several do that
 * leave bytes over or whose types are not known. So it is behind each record of what `repair` wrote.
 */
bool pi_goes_on(struct pd_reader *r, uint64_t at);
/* True if n consecutive records are plausible there, or all up to the end of the data. */
bool pi_are_in_a_row(struct pd_reader *r, uint64_t at, unsigned n);
/* The same for several records. */
bool pi_are_records(struct pd_reader *r, uint64_t at);
/*
 * The first place from `at` on where several consecutive records are plausible; the end of the data if there
 * is none.
 */
uint64_t pi_find_records(struct pd_reader *r, uint64_t at);
/*
 * Call this if nothing behind the record is plausible. Returns the place inside it where a record begins from
 * which reading can go on; 0: there is none, or all is well. The bytes of the record may have moved then.
 */
size_t pi_find_inside(struct pd_reader *r, const struct pd_record *rec);
/* The id of the nth event that a record of perf's own names; false: there are no more. */
bool pi_named_event(const struct pd_record *rec, size_t nth, uint64_t *id);
/* True if a record belongs to an event, or ends as its records; *index: its attr, which came before. */
bool pi_is_of_event(const struct pd_reader *r, const struct pd_record *rec, size_t *index);
/*
 * True if the record is of an event that does not exist; perf does not go on behind it. With one event, or id
 * 0, perf takes the first event.
 */
bool pi_is_orphan(const struct pd_reader *r, const struct pd_record *rec);

#endif
