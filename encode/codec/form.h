/* SPDX-License-Identifier: MIT */
/* form.h - whether an encoded record is read in the form that it has. */
#ifndef PERFDATA_FORM_H
#define PERFDATA_FORM_H

#include "src/codec/variant.h"

/* pi_check_form() of what only its bytes can tell. */
enum pd_code pi_read_form(const struct pd_plan *plan, const struct pd_record *rec, const uint8_t *bytes,
                          size_t size, struct pd_error *error);

/*
 * Only the bytes tell a reader which form a record has. With another than the usual one, with bytes behind
 * its fields, or with what may begin the name of an early MMAP2 (a prot that no kernel writes), it may find a
 * form that the record does not have: PD_EVALUE of `variant`. `bytes` are the record, encoded by the plan.
 */
static inline enum pd_code pi_check_form(const struct pd_plan *plan, const struct pd_record *rec,
                                         const uint8_t *bytes, size_t size, struct pd_error *error)
{
    const bool plain = rec->variant == pi_usual_variant(plan, rec->type) && rec->rest.n == 0 &&
                       (rec->type != PD_RECORD_MMAP2 || !pi_prot_is_name(&rec->u.mmap2.prot));
    return plain ? PD_OK : pi_read_form(plan, rec, bytes, size, error);
}

#endif
