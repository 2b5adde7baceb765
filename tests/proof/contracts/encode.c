/* SPDX-License-Identifier: MIT */
/* encode.c - the encoder's cursor with its contracts, for WP. */
#include <perfdata/base.h>

/*@ requires \valid_read(v) && \valid_read((const uint8_t *)v->ptr + (0 .. v->width * v->n - 1)) && i < v->n;
  @ assigns \nothing;
  @*/
uint64_t pd_vec_at(const struct pd_vec *v, size_t i);

#include "encode/codec/put.h"
