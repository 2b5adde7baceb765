/* SPDX-License-Identifier: MIT */
/* repair.h - shared by repair.c, headless.c and find_data.c: a file whose header is wrong or lost. */
#ifndef PERFDATA_REPAIR_INTERNAL_H
#define PERFDATA_REPAIR_INTERNAL_H

#include "src/container/record_probe.h"
#include <perfdata/ops/repair.h>

/* If the header of a file has a wrong position of the data, the data is searched for, which is a finding. */
enum pd_code pi_find_data(struct pd_reader *r, struct pd_error *error);

#endif
