/* SPDX-License-Identifier: MIT */
/* interpret.c - the tables' decoder, with what its proof takes of the tables, for WP. */
#include "fail.h"
#include "src/schema/passes/when.h"
#include "src/schema/schema.h"
#include "tests/proof/stubs.h"

/*@ lemma fits: \forall integer n, each, room; 0 < each && 0 <= n && 0 <= room ==>
  @     (n <= room / each <==> each * n <= room);
  @ lemma before: \forall integer i, n, each; 0 <= i < n && 0 <= each ==> i * each + each <= n * each;
  @*/

/* Lines of a table, and what they say. */
/* clang-format off */
#define LINE ACSL_ assigns \nothing; ensures \valid_read(\result); _ACSL
#define NUMBER ACSL_ assigns \nothing; _ACSL

LINE const struct pd_op *sub_of(const struct pd_op *op);
/*@ assigns \nothing;
  @ ensures \valid_read(\result) && 0 <= lines(\result) <= lines(op);
  @ ensures \result->kind != PI_OP_END ==> lines(\result + 1) < lines(\result);
  @*/
static inline const struct pd_op *pi_present(const struct pd_op *op, const struct pd_shape *s, const void *v);
/*@ assigns \nothing;
  @ ensures \valid_read(\result) && 0 <= lines(\result) <= lines(op);
  @ ensures \result->kind != PI_OP_END ==> lines(\result + 1) < lines(\result);
  @*/
static inline const struct pd_op *pi_visible(const struct pd_op *op, const struct pd_shape *s, const void *v);
NUMBER static inline uint64_t pi_value_of(const void *v, unsigned offset, unsigned width);
NUMBER static inline uint64_t pi_count(const struct pd_op *op, const struct pd_shape *s, const void *v);
NUMBER static inline size_t pi_slot_of(const struct pd_op *op, size_t len);
NUMBER static inline uint64_t pi_derived(const struct pd_op *op, const void *v);
NUMBER static inline bool pi_abi_unknown(uint64_t abi);
NUMBER static inline bool pi_has_id(const struct pd_plan *plan, uint32_t type, uint8_t variant);
NUMBER static inline uint64_t pi_mirror_from_big(const struct pd_set *set, uint64_t word);

/*@ assigns \nothing;
  @ ensures 0 < \result <= 65535;
  @*/
static inline size_t pi_layout_bytes(const struct pd_op *head, const struct pd_shape *s);

/*@ requires \valid_read(op);
  @ assigns \nothing;
  @ ensures \result \in {0, 1, 2, 4, 8};
  @ ensures \result != 0 ==> op->kind != PI_OP_END;
  @ ensures PI_OP_U8 <= op->kind <= PI_OP_B64 || op->kind == PI_OP_OPT64 ==> \result != 0;
  @*/
static inline unsigned pi_scalar_width(const struct pd_op *op);

/*@ requires \valid_read(op);
  @ assigns \nothing;
  @ ensures \result \in {2, 4, 8};
  @*/
static inline unsigned pi_vec_width(const struct pd_op *op);

/*@ assigns ((uint8_t *)v)[0 .. 65535]; */
static inline void pi_scalar_set(const struct pd_op *op, void *v, uint64_t value);

/*@ requires \valid_read((const uint8_t *)p +
  @                      (0 .. (width == 1 || width == 2 || width == 4 ? width : 8) - 1));
  @ assigns \nothing;
  @*/
static inline uint64_t pi_load(const void *p, unsigned width, enum pd_order order);

/*@ requires \valid_read(bytes + (0 .. n - 1)) && \valid(room) && (error == \null || \valid(error));
  @ assigns *room, *error;
  @*/
enum pd_code pi_attr_place(enum pd_order order, const uint8_t *bytes, size_t n, size_t *room,
                           struct pd_error *error);

LINE const struct pd_op *pi_layout_attr(void);
LINE const struct pd_op *pi_layout_sample_id(void);

#include "src/codec/attr_size.c"
#include "src/codec/interpret.c"
