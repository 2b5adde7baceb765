/* SPDX-License-Identifier: MIT */
/* interpret.h - the reference interpreter: reads and writes records and features by the tables. */
#ifndef PERFDATA_INTERPRET_H
#define PERFDATA_INTERPRET_H

#include "src/schema/schema.h"
#include <perfdata/codec.h>

/*
 * The reference interpreter: decodes the record's payload through the tables, under the variant rec->variant,
 * into `u` (rec->u's layout; NULL: only to find the error). It is slow; tests use it, and errors use it to
 * name the wrong field.
 */
enum pd_code pi_interpret_decode(const struct pd_plan *plan, struct pd_record *rec, union pd_payload *u,
                                 struct pd_error *error);

/*
 * The reference interpreter's other half; same contract as pd_record_encode(). out == NULL: only checks and
 * size.
 */
enum pd_code pi_interpret_encode(const struct pd_plan *plan, const struct pd_record *rec, void *out,
                                 size_t cap, size_t *size, struct pd_error *error);

/* Sets what a program left out of an element of a list, in a copy of it; *shape is that of the list. */
typedef void (*pi_complete_fn)(const struct pd_op *layout, const struct pd_shape *shape, void *v);
/* pi_interpret_encode(), with each such element completed first. */
enum pd_code pi_interpret_encode_with(const struct pd_plan *plan, const struct pd_record *rec,
                                      pi_complete_fn complete, void *out, size_t cap, size_t *size,
                                      struct pd_error *error);

/* True if a field of the struct, or any part of it, has a value. */
bool pi_says(const struct pd_op *op, const void *v);

/*
 * A member of the record that has a value but is not written, because a bit of the event or of the record
 * leaves it out. *value is the struct that contains it. NULL: there is none.
 */
const struct pd_op *pi_left_out(const struct pd_plan *plan, const struct pd_record *rec, const void **value);
/* Fills a struct pd_sample with bits: 0 in the fields that a usual sample of this plan writes, else 1. */
void pi_left_out_of_samples(const struct pd_plan *plan, void *mask);

/*
 * The same for a feature section: all of its n bytes (at most 4 GiB), into a struct of `layout`; `rest` are
 * the bytes behind the known fields. Errors count offsets from the section's begin.
 */
enum pd_code pi_interpret_section(const struct pd_op *layout, const struct pd_shape *shape,
                                  enum pd_order order, const void *bytes, size_t n, void *out,
                                  struct pd_bytes *rest, struct pd_error *error);
enum pd_code pi_interpret_put_section(const struct pd_op *layout, const struct pd_shape *shape,
                                      enum pd_order order, const void *v, const struct pd_bytes *rest,
                                      void *out, size_t cap, size_t *size, struct pd_error *error);
enum pd_code pi_interpret_put_section_with(const struct pd_op *layout, const struct pd_shape *shape,
                                           enum pd_order order, const void *v, const struct pd_bytes *rest,
                                           pi_complete_fn complete, void *out, size_t cap, size_t *size,
                                           struct pd_error *error);

#endif
