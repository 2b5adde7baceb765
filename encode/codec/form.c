/* SPDX-License-Identifier: MIT */
/* form.c - see form.h. */
#include "form.h"
#include "src/schema/fail.h"

enum pd_code pi_read_form(const struct pd_plan *plan, const struct pd_record *rec, const uint8_t *bytes,
                          size_t size, struct pd_error *error)
{
    struct pd_record read = {0};
    if (pd_record_decode(plan, bytes, size, &read, NULL) == PD_OK && read.variant == rec->variant)
        return PD_OK;
    return pi_fail_record(error, PD_EVALUE, rec, 0, "variant", read.variant, rec->variant);
}
