/* SPDX-License-Identifier: MIT */
/* encode_stubbed.c - both straight-line codecs; what only the tables know is refused. */
#include "src/codec/interpret.h"

/*@ requires \valid(rec) && rec->size >= 8 && \valid_read(rec->raw + (0 .. rec->size - 1));
  @ assigns *error, \result;
  @ ensures \result != 0;
  @*/
enum pd_code pi_interpret_decode(const struct pd_plan *plan, struct pd_record *rec, union pd_payload *u,
                                 struct pd_error *error);
/*@ requires \valid_read(rec);
  @ requires out == \null || \valid((uint8_t *)out + (0 .. cap - 1));
  @ requires \valid(size);
  @ assigns ((uint8_t *)out)[0 .. cap - 1], *size, *error, \result;
  @ ensures \initialized(size);
  @*/
enum pd_code pi_interpret_encode(const struct pd_plan *plan, const struct pd_record *rec, void *out,
                                 size_t cap, size_t *size, struct pd_error *error);
#include "src/codec/decode.c"
#include "encode/codec/encode.c"
