/* SPDX-License-Identifier: MIT */
/* write.c - the tables' encoder, of which what writes is proved, with what that takes of others. */
#include "src/codec/interpret.h"
#include "src/support/wire.h"

/*@ requires \valid((uint8_t *)p + (0 .. (width == 1 || width == 2 || width == 4 ? width : 8) - 1));
  @ assigns ((uint8_t *)p)[0 .. (width == 1 || width == 2 || width == 4 ? width : 8) - 1];
  @*/
static inline void pi_store(void *p, uint64_t v, unsigned width, enum pd_order order);

#include "encode/codec/interpret.c"
