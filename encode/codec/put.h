/* SPDX-License-Identifier: MIT */
/*
 * put.h - the work of the encode pass (encode_layout.h) for each line of the schema, the mirror of
 * src/codec/cursor.h. The size pass has made sure of the room.
 */
#ifndef PERFDATA_PUT_H
#define PERFDATA_PUT_H

#include "src/schema/schema.h"
#include "src/support/wire.h"

struct pi_put {
    uint8_t *p;
};

/*@ requires \valid(c) && \valid_read(b) && \separated(c, b, c->p + (0 .. b->n - 1));
  @ requires b->n == 0 || \valid_read((const uint8_t *)b->ptr + (0 .. b->n - 1));
  @ requires b->n == 0 || \valid(c->p + (0 .. b->n - 1));
  @ assigns c->p, c->p[0 .. b->n - 1];
  @ ensures c->p == \old(c->p) + b->n;
  @*/
static inline void put_bytes(struct pi_put *c, const struct pd_bytes *b)
{
    if (b->n)
        memcpy(c->p, b->ptr, b->n);
    c->p += b->n;
}

/*@ logic integer str_room(integer size, integer len) = size == PD_AUTO ? (len + 8) / 8 * 8 : size; */

/*@ requires \valid(c) && \valid_read(s) && s->len <= 65535;
  @ requires \separated(c, s, c->p + (0 .. str_room(s->size, s->len) - 1));
  @ requires \valid_read(s->ptr + (0 .. (s->size == PD_AUTO ? s->len : s->size) - 1));
  @ requires \valid(c->p + (0 .. str_room(s->size, s->len) - 1));
  @ assigns c->p, c->p[0 .. str_room(s->size, s->len) - 1];
  @ ensures c->p == \old(c->p) + str_room(s->size, s->len);
  @*/
static inline void put_str(struct pi_put *c, const struct pd_str *s)
{
    const size_t size = s->size == PD_AUTO ? pi_align8(s->len + 1) : s->size;
    const size_t readable = s->size == PD_AUTO ? s->len : s->size;
    if (readable)
        memcpy(c->p, s->ptr, readable);
    memset(c->p + readable, 0, size - readable);
    c->p += size;
}

/*@ requires \valid(c) && \valid_read(v) && v->n <= 65535;
  @ requires \separated(c, v, c->p + (0 .. 8 * v->n - 1));
  @ requires v->n == 0 || \valid_read((const uint8_t *)v->ptr + (0 .. v->width * v->n - 1));
  @ requires v->n == 0 || \valid(c->p + (0 .. 8 * v->n - 1));
  @ assigns c->p, c->p[0 .. 8 * v->n - 1];
  @ ensures c->p == \old(c->p) + 8 * v->n;
  @*/
static inline void put_vec(struct pi_put *c, enum pd_order order, const struct pd_vec *v)
{
    const bool same =
        v->width == 8 && (v->form == (uint8_t)order || (v->form == PD_FORM_STRUCT && order == PD_HOST_ORDER));
    if (same && v->n)
        memcpy(c->p, v->ptr, 8 * v->n);
    /*@ loop invariant 0 <= i <= v->n;
      @ loop assigns i, c->p[0 .. 8 * v->n - 1];
      @ loop variant v->n - i;
      @*/
    for (size_t i = 0; !same && i < v->n; i++)
        pi_store64(c->p + 8 * i, pd_vec_at(v, i), order);
    c->p += 8 * v->n;
}

/* Copies a list that already has the needed form; false: it must be written element by element. */
/*@ requires \valid(c) && \valid_read(l) && l->n <= 65535;
  @ requires \separated(c, l, c->p + (0 .. stride * l->n - 1));
  @ requires l->n == 0 || \valid_read((const uint8_t *)l->ptr + (0 .. l->stride * l->n - 1));
  @ requires l->n == 0 || \valid(c->p + (0 .. stride * l->n - 1));
  @ assigns c->p, c->p[0 .. stride * l->n - 1];
  @ ensures \result ==> c->p == \old(c->p) + stride * l->n;
  @ ensures !\result ==> c->p == \old(c->p) && l->n != 0;
  @*/
static inline bool put_list_as_is(struct pi_put *c, enum pd_order order, uint32_t when, size_t stride,
                                  const struct pd_list *l)
{
    if (l->form != (uint8_t)order || l->when != when || l->stride != stride)
        return l->n == 0;
    if (l->n)
        memcpy(c->p, l->ptr, l->n * l->stride);
    c->p += l->n * l->stride;
    return true;
}

/*@ assigns \nothing; */
static inline uint64_t put_bits(const struct pd_set *set, uint64_t logical, enum pd_order order)
{
    return order == PD_BIG ? pi_mirror_to_big(set, logical) : logical;
}

#endif
