/* SPDX-License-Identifier: MIT */
/* repair.h - what repair.c, headless.c, find_data.c and part.c share: finding records behind what is none. */
#ifndef PERFDATA_REPAIR_INTERNAL_H
#define PERFDATA_REPAIR_INTERNAL_H

#include "file.h"
#include <perfdata/repair.h>

/* Do several records in a row make sense there, or all up to the end of the data? */
bool pd_are_records(struct pd_reader *r, uint64_t at);
/* The same of n records. */
bool pd_are_in_a_row(struct pd_reader *r, uint64_t at, unsigned n);
/* The first place from `at` on where several records in a row make sense; the end of the data if there is
 * none. */
uint64_t pd_find_records(struct pd_reader *r, uint64_t at);
/* Reading goes on there. */
void pd_reader_go_on(struct pd_reader *r, uint64_t at);
/* Is the record of an event that there is not? perf does not go on behind it. With one event, or id 0, it
 * takes the first. */
bool pd_is_orphan(const struct pd_reader *r, const struct pd_record *rec);
/* If the header of a file says wrongly where the data is, it is looked for, which is a finding. */
enum pd_code pd_find_data(struct pd_reader *r, struct pd_error *error);

#endif
