/* SPDX-License-Identifier: MIT */
/* complete.h - the inside of perfdata/session/complete.h, for writers: structs that are copies. */
#ifndef PERFDATA_COMPLETE_INTERNAL_H
#define PERFDATA_COMPLETE_INTERNAL_H

#include "src/schema/schema.h"
#include <perfdata/feature.h>

enum pi_completing {
    PI_COMPLETE_ZEROS,    /* counts and sizes that are 0 */
    PI_COMPLETE_ALL,      /* all counts and sizes, and zeros in the elements of lists */
    PI_COMPLETE_ELEMENTS, /* zeros, also in the elements of lists */
};

/* Completes a struct of `layout`; *shape is that of the parts around it, whose `given` may be set, too. */
void pi_complete_struct(const struct pd_op *layout, struct pd_shape *shape, void *v, enum pi_completing how);

/* pd_record_encode() and pd_feature_encode() of what the writer completes; elements of lists stay as they
 * are. */
enum pd_code pi_record_encode_completed(const struct pd_plan *plan, const struct pd_record *rec, void *out,
                                        size_t cap, size_t *size, struct pd_error *error);
enum pd_code pi_feature_encode_completed(enum pd_order order, const struct pd_feature *f, void *out,
                                         size_t cap, size_t *size, struct pd_error *error);

#endif
