/* SPDX-License-Identifier: MIT */
/* repair.h - what repair.c, headless.c and find_data.c share: a file whose header is wrong or gone. */
#ifndef PERFDATA_REPAIR_INTERNAL_H
#define PERFDATA_REPAIR_INTERNAL_H

#include "src/container/record_probe.h"
#include <perfdata/ops/repair.h>

/* If the header of a file says wrongly where the data is, it is looked for, which is a finding. */
enum pd_code pd_find_data(struct pd_reader *r, struct pd_error *error);

#endif
