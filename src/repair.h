/* SPDX-License-Identifier: MIT */
/* repair.h - what repair.c and headless.c share: finding records behind what is none. */
#ifndef PERFDATA_REPAIR_INTERNAL_H
#define PERFDATA_REPAIR_INTERNAL_H

#include "file.h"
#include <perfdata/repair.h>

/* The first place from `at` on where several records in a row make sense; the end of the data if there is
 * none. */
uint64_t pd_find_records(struct pd_reader *r, uint64_t at);
/* Reading goes on there. */
void pd_reader_go_on(struct pd_reader *r, uint64_t at);

#endif
