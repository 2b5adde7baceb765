/* SPDX-License-Identifier: MIT */
/* fail.h - what the proofs take of those that report an error: they write it alone, and give its code. */
#include "src/schema/fail.h"

/*@ assigns *error;
  @ ensures \result == code;
  @*/
enum pd_code pi_fail(struct pd_error *error, enum pd_code code, uint64_t offset, const char *field,
                     uint64_t found, uint64_t expected);
/*@ assigns *error;
  @ ensures \result == code;
  @*/
enum pd_code pi_fail_record(struct pd_error *error, enum pd_code code, const struct pd_record *rec, size_t at,
                            const char *field, uint64_t found, uint64_t expected);
