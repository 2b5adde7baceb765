/* SPDX-License-Identifier: MIT */
/* alike.h - comparing decoded records field by field. */
#ifndef PERFDATA_TESTS_ALIKE_H
#define PERFDATA_TESTS_ALIKE_H

#include "src/schema/schema.h"
#include <perfdata/codec.h>

enum alike {
    ALIKE_VALUES, /* the same numbers and bytes, in any storage */
    ALIKE_VIEWS,  /* also the same targets and forms of views */
};

/* The first field of the layout in which the two structs differ; NULL if they are alike. */
const char *alike_layout(const struct pd_op *layout, const void *a, const void *b, enum alike how);

/* The same for whole records of the same layout: type, misc, variant, payload, rest, has_id and id. */
const char *alike_records(const struct pd_record *a, const struct pd_record *b, enum alike how);

/*
 * The first of the plan's places (plan->ip to plan->trailer_cpu) where the raw record does not have the
 * decoded value, or that is set or unset wrongly; NULL if all are right.
 */
const char *wrong_place(const struct pd_record *rec);

#endif
