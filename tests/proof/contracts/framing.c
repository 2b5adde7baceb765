/* SPDX-License-Identifier: MIT */
/* framing.c - what finds the bounds of records, with what its proof takes of others, for WP. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What is copied goes into a variable that is named, with its own size: nothing is asked of that. */
/*@ requires n == 0 || \valid_read((const uint8_t *)from + (0 .. n - 1));
  @ assigns ((uint8_t *)to)[0 .. n - 1];
  @*/
static inline void copy_out(void *to, const void *from, size_t n);
#undef memcpy
#define memcpy copy_out

#include "fail.h"
#include "src/container/reader/reader_internal.h"
#include "src/codec/record_role.h"
#include <perfdata/codec.h>

/* What is visible is there. */
/*@ requires \valid(p) && \valid(got);
  @ assigns *p, *got, *error;
  @ ensures \result == 0 ==> *got == 0 || \valid_read(*p + (0 .. *got - 1));
  @*/
enum pd_code pi_input_at(struct pi_input *in, uint64_t offset, size_t n, const uint8_t **p, size_t *got,
                         struct pd_error *error);

/*@ requires n == 0 || \valid_read((const uint8_t *)bytes + (0 .. n - 1));
  @ requires \valid(rec) && (error == \null || \valid(error));
  @ assigns *rec, *error;
  @ ensures \result == 0 ==> 8 <= rec->size <= n && rec->raw == bytes;
  @*/
enum pd_code pd_record_frame(enum pd_order order, const void *bytes, size_t n, struct pd_record *rec,
                             struct pd_error *error);

/*@ assigns \nothing; */
uint64_t pi_input_size(const struct pi_input *in);

/*@ assigns \nothing; */
static bool is_part_over(const struct pd_reader *r);

/*@ requires n == 0 || \valid_read(p + (0 .. n - 1));
  @ requires tables: \valid_read(pd_set_record_type.names + (0 .. pd_set_record_type.n - 1));
  @ assigns \nothing;
  @*/
bool pi_is_stray(enum pd_order order, const uint8_t *p, size_t n);

/*@ requires code != 0 && \valid(r) && (n == 0 || \valid_read(p + (0 .. n - 1)));
  @ assigns r->info.stray;
  @ ensures \result != 0;
  @*/
static enum pd_code find_stray(struct pd_reader *r, enum pd_code code, const uint8_t *p, size_t n);

/*@ requires \valid(r) && \valid(rec) && (error == \null || \valid(error));
  @ ensures \result == 0 ==> rec->size >= 8 && \valid_read(rec->raw + (0 .. rec->size - 1));
  @*/
static enum pd_code frame(struct pd_reader *r, struct pd_record *rec, struct pd_error *error);

/*@ requires \valid(p) && \valid(got);
  @ assigns *p, *got, *error;
  @ ensures \result == 0 ==> *got == 0 || \valid_read(*p + (0 .. *got - 1));
  @*/
enum pd_code pi_inflate_at(struct pi_inflate *z, size_t n, const uint8_t **p, size_t *got,
                           struct pd_error *error);

/*@ assigns \nothing; */
static inline bool pi_is_wrapper(const struct pd_record *rec);

/*@ requires \valid(r) && \valid(rec) && (error == \null || \valid(error)); */
static enum pd_code next_inside(struct pd_reader *r, struct pd_record *rec, struct pd_error *error);

/*@ assigns \nothing;
  @ ensures \result < a->map_size;
  @*/
PI_WRAPS static inline size_t pi_attrs_place(const struct pi_attrs *a, uint64_t id);

/*@ requires \valid_read(a) && \valid_read(raw + (a->id_at .. a->id_at + 7));
  @ requires tables: \valid_read(a->map + (0 .. a->map_size - 1));
  @ assigns \nothing;
  @ ensures \result == \null || \result->id != 0;
  @ ensures \result == \null || \exists integer i; 0 <= i < a->map_size && \result == a->map + i;
  @*/
static inline const struct pi_id_slot *pi_attrs_slot(const struct pi_attrs *a, const uint8_t *raw);

/*@ requires \valid_read(a) && \valid(index) && \valid_read(raw + (0 .. size - 1));
  @ requires tables: a->id_at <= 65535 && (a->plain ==> \valid_read(a->map + (0 .. a->map_size - 1)));
  @ requires tables: \forall integer i; 0 <= i < a->map_size && a->map[i].id != 0 ==>
  @          \valid_read(a->attr + a->map[i].attr);
  @ requires tables: a->seen ==> \valid_read(a->attr + (0 .. a->seen - 1));
  @ assigns *index;
  @ ensures tables: \result == \null || \valid_read(\result);
  @*/
static inline const struct pd_event_attr *pi_attrs_quick(const struct pi_attrs *a, const uint8_t *raw,
                                                         uint32_t type, size_t size, uint32_t *index);

/*@ requires \valid_read(r) && \valid(rec);
  @ requires left == 0 || \valid_read(p + (0 .. left - 1));
  @ ensures \result ==> 8 <= rec->size <= left && rec->raw == p;
  @*/
static inline bool pi_reader_frame_quick(const struct pd_reader *r, const uint8_t *p, size_t left,
                                         struct pd_record *rec);

/*@ requires \valid(stop) && \valid_read(r);
  @ assigns *stop;
  @ ensures \base_addr(*stop) == \base_addr(\result) && \result <= *stop;
  @ ensures \valid_read(\result + (0 .. *stop - \result - 1));
  @*/
static inline const uint8_t *pi_reader_sees(const struct pd_reader *r, const uint8_t **stop);

/*@ requires \valid(r); */
static inline void pi_reader_pass_kernel(struct pd_reader *r);

#include "src/codec/decode.c"
#include "src/container/reader/sample_run.h"
#include "src/container/reader/reader.c"
