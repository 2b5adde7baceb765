/* SPDX-License-Identifier: MIT */
/* cursor.h - the work of the decode pass (decode_layout.h) for each line of the schema. */
#ifndef PERFDATA_TAKE_H
#define PERFDATA_TAKE_H

#include "src/schema/passes/budget.h"
#include "src/schema/schema.h"
#include "src/support/wire.h"

/* The position of the decoder, and the number of bytes beyond those of the scalars and the trailer. */
struct pi_take {
    const uint8_t *p;
    size_t slack;
};

/*@ requires \valid(c);
  @ assigns c->slack;
  @ ensures \result <==> n <= \old(c->slack);
  @ ensures c->slack == \old(c->slack) - (\result ? n : 0) && c->slack <= \old(c->slack);
  @*/
static inline bool take_budget(struct pi_take *c, size_t n)
{
    if (c->slack < n)
        return false;
    c->slack -= n;
    return true;
}

/*@ requires \valid(c) && \valid(out) && \separated(c, out) && \valid_read(c->p + (0 .. c->slack - 1));
  @ assigns *c, *out;
  @ ensures \result <==> n <= \old(c->slack);
  @ ensures \result ==> out->ptr == \old(c->p);
  @ ensures \result ==> out->n == n;
  @ ensures c->p == \old(c->p) + (\result ? n : 0) && c->slack == \old(c->slack) - (\result ? n : 0);
  @ ensures c->slack <= \old(c->slack);
  @*/
static inline bool take_bytes(struct pi_take *c, uint64_t n, struct pd_bytes *out)
{
    if (n > c->slack)
        return false;
    *out = (struct pd_bytes){c->p, (size_t)n};
    c->p += n;
    c->slack -= (size_t)n;
    return true;
}

/*@ requires \valid(c) && \valid(out) && \separated(c, out) && \valid_read(c->p + (0 .. c->slack - 1));
  @ assigns *c, *out;
  @ ensures out->ptr == \old(c->p);
  @ ensures out->n == \old(c->slack);
  @ ensures c->p == \old(c->p) + \old(c->slack) && c->slack == 0;
  @*/
static inline void take_rest(struct pi_take *c, struct pd_bytes *out)
{
    take_bytes(c, c->slack, out);
}

/*@ requires \valid(c) && \valid(out) && \separated(c, out) && \valid_read(c->p + (0 .. c->slack - 1));
  @ assigns *c, *out;
  @ ensures out->ptr == (const char *)\old(c->p);
  @ ensures out->size == \old(c->slack) && out->len <= out->size;
  @ ensures c->p == \old(c->p) + \old(c->slack) && c->slack == 0;
  @*/
static inline void take_str(struct pi_take *c, struct pd_str *out)
{
    const uint8_t *nul = memchr(c->p, 0, c->slack);
    *out = (struct pd_str){(const char *)c->p, nul ? (size_t)(nul - c->p) : c->slack, c->slack};
    c->p += c->slack;
    c->slack = 0;
}

/*@ requires \valid(c) && \valid(out) && \separated(c, out) && \valid_read(c->p + (0 .. c->slack - 1));
  @ assigns *c, *out;
  @ ensures \result <==> 8 * n <= \old(c->slack);
  @ ensures \result ==> out->ptr == \old(c->p);
  @ ensures \result ==> out->n == n && out->width == 8;
  @ ensures c->p == \old(c->p) + (\result ? 8 * n : 0) && c->slack == \old(c->slack) - (\result ? 8 * n : 0);
  @ ensures c->slack <= \old(c->slack);
  @*/
static inline bool take_vec(struct pi_take *c, uint64_t n, enum pd_order order, struct pd_vec *out)
{
    if (n > c->slack / 8)
        return false;
    *out = (struct pd_vec){c->p, (size_t)n, 8, (uint8_t)order};
    c->p += 8 * n;
    c->slack -= 8 * (size_t)n;
    return true;
}

/*@ requires \valid(c) && \valid(out) && \separated(c, out) && \valid_read(c->p + (0 .. c->slack - 1));
  @ assigns *c, *out;
  @ ensures \result <==> 8 <= \old(c->slack);
  @ ensures c->p == \old(c->p) + (\result ? 8 : 0) && c->slack == \old(c->slack) - (\result ? 8 : 0);
  @ ensures c->slack <= \old(c->slack);
  @*/
static inline bool take_opt64(struct pi_take *c, enum pd_order order, uint64_t *out)
{
    if (!take_budget(c, 8))
        return false;
    *out = pi_load64(c->p, order);
    c->p += 8;
    return true;
}

/*@ requires \valid(c) && \valid(out) && \separated(c, out) && \valid_read(c->p + (0 .. c->slack - 1));
  @ requires 0 < stride <= 65535;
  @ assigns *c, *out;
  @ ensures \result <==> stride * n <= \old(c->slack);
  @ ensures \result ==> out->ptr == \old(c->p);
  @ ensures \result ==> out->n == n && out->stride == stride;
  @ ensures c->p == \old(c->p) + (\result ? stride * n : 0);
  @ ensures c->slack == \old(c->slack) - (\result ? stride * n : 0) && c->slack <= \old(c->slack);
  @*/
static inline bool take_list(struct pi_take *c, uint64_t n, size_t stride, uint32_t when, enum pd_order order,
                             struct pd_list *out)
{
    if (n > c->slack / stride)
        return false;
    /*@ assert 0 <= n * stride <= c->slack; */
    *out = (struct pd_list){
        .ptr = c->p, .n = (size_t)n, .stride = (uint32_t)stride, .form = (uint8_t)order, .when = when};
    c->p += n * stride;
    c->slack -= (size_t)n * stride;
    return true;
}

/*@ assigns \nothing; */
static inline uint64_t take_bits(const struct pd_set *set, uint64_t word, enum pd_order order)
{
    return order == PD_BIG ? pi_mirror_from_big(set, word) : word;
}

#endif
