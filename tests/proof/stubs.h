/* SPDX-License-Identifier: MIT */
/* stubs.h - what the proof of the straight-line codec says of the tables' decoder instead of reading it. */
#include "src/codec/interpret.h"

/*@ requires \valid(rec) && rec->size >= 8 && \valid_read(rec->raw + (0 .. rec->size - 1));
  @ requires u == \null || \valid(u);
  @ requires error == \null || \valid(error);
  @ assigns *u, rec->rest, rec->id, *error, \result \from *rec, *plan;
  @*/
enum pd_code pi_interpret_decode(const struct pd_plan *plan, struct pd_record *rec, union pd_payload *u,
                                 struct pd_error *error);
