/* SPDX-License-Identifier: MIT */
/* feature.c - encoding feature sections, the mirror of src/codec/feature.c. */
#include "src/codec/interpret.h"
#include "src/schema/fail.h"
#include "src/schema/schema.h"
#include <perfdata/feature.h>

static const struct pd_op nothing[] = {{.kind = PI_OP_HEAD}, {.kind = PI_OP_END}};

enum pd_code pd_feature_encode(enum pd_order order, const struct pd_feature *f, void *out, size_t cap,
                               size_t *size, struct pd_error *error)
{
    const struct pd_shape shape = {.given = f->nr_cpus_avail, .variant = f->variant};
    const struct pd_op *layout = f->layout;
    if (!layout && f->rest.n == 0 && !f->raw.ptr)
        layout = pi_layout_of_feature(f->id);
    if (!layout && f->rest.n == 0 && !f->raw.ptr)
        return pi_fail(error, PD_EUNKNOWN, PD_NOWHERE, "feature", f->id, 0);
    return pi_interpret_put_section(layout ? layout : nothing, &shape, order, &f->u, &f->rest, out, cap, size,
                                    error);
}
