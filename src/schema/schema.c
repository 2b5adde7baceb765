/* SPDX-License-Identifier: MIT */
/*
 * schema.c - the table pass over the schema. With PD_SCHEMA_NO_STRUCTS (the header generator) offsets are 0.
 */
#include "schema.h"
#include <perfdata/constants.h>

#ifdef PD_SCHEMA_NO_STRUCTS
#define SELF(name_)
#define OFFSET(f_) 0
#define WIDTH(f_) 0
#define STRUCT_SIZE(name_) 0
#else
#include <perfdata/records.h>
#define SELF(name_) typedef struct pd_##name_ self __attribute__((unused));
#define OFFSET(f_) offsetof(self, f_)
#define WIDTH(f_) sizeof(((self *)0)->f_)
#define STRUCT_SIZE(name_) sizeof(struct pd_##name_)
#endif

#include "src/schema/passes/when.h"

#undef PI_MASK_variant /* the tables know all */
#define PI_MASK_variant(bit_) PD_VARIANT_##bit_

#define FIELD(kind_, f_, set_, doc_) \
    {.kind = PI_OP_##kind_, .offset = OFFSET(f_), .name = #f_, .set = &pd_set_##set_, .doc = doc_},
#define COUNTED(kind_, f_, n_, set_, doc_) \
    {.kind = PI_OP_##kind_,                \
     .offset = OFFSET(f_),                 \
     .count_offset = OFFSET(n_),           \
     .count_width = WIDTH(n_),             \
     .name = #f_,                          \
     .ref = #n_,                           \
     .set = &pd_set_##set_,                \
     .doc = doc_},

#define LAYOUT(name_, doc_) OPEN(name_, 0, NULL, false, doc_)
#define RECORD(name_, type_, misc_, trailer_, doc_) \
    OPEN(name_, PD_RECORD_##type_, &pd_set_##misc_, IS_##trailer_, doc_)
#define FEATURE(name_, id_, doc_) \
    OPEN_AS(feature_##name_, 0, NULL, false, doc_, .count_offset = PD_FEAT_##id_, .count_width = 1)
#define IS_TRAILER true
#define IS_NO_TRAILER false
#define OPEN(name_, type_, misc_, trailer_, doc_) \
    OPEN_AS(name_, type_, misc_, trailer_, doc_, .count_width = 0)
#define OPEN_AS(name_, type_, misc_, trailer_, doc_, ...) \
    const struct pd_op *pi_layout_##name_(void)           \
    {                                                     \
        SELF(name_)                                       \
        static const struct pd_op ops[] = {               \
            {.kind = PI_OP_HEAD,                          \
             .src = trailer_,                             \
             .offset = STRUCT_SIZE(name_),                \
             .arg = type_,                                \
             .name = #name_,                              \
             .set = misc_,                                \
             .doc = doc_,                                 \
             __VA_ARGS__},
#define END(name_)       \
    {.kind = PI_OP_END}, \
    }                    \
    ;                    \
    return ops;          \
    }

#define U8(f_, set_, doc_) FIELD(U8, f_, set_, doc_)
#define U16(f_, set_, doc_) FIELD(U16, f_, set_, doc_)
#define U32(f_, set_, doc_) FIELD(U32, f_, set_, doc_)
#define U64(f_, set_, doc_) FIELD(U64, f_, set_, doc_)
#define S32(f_, set_, doc_) FIELD(S32, f_, set_, doc_)
#define B32(f_, set_, doc_) FIELD(B32, f_, set_, doc_)
#define B64(f_, set_, doc_) FIELD(B64, f_, set_, doc_)
#define STR(f_, doc_) FIELD(STR, f_, DEC, doc_)
#define REST(f_, doc_) FIELD(REST, f_, DEC, doc_)
#define VECR64(f_, set_, doc_) FIELD(VECR64, f_, set_, doc_)
#define VEC64(f_, n_, set_, doc_) COUNTED(VEC64, f_, n_, set_, doc_)
#define BYTES(f_, n_, doc_) COUNTED(BYTES, f_, n_, DEC, doc_)
#define OPT64(f_, n_, set_, doc_) COUNTED(OPT64, f_, n_, set_, doc_)
#define ALIAS(f_, of_, doc_) \
    {.kind = PI_OP_ALIAS, .offset = OFFSET(f_), .name = #f_, .ref = #of_, .doc = doc_},
#define ARR(f_, n_, doc_) {.kind = PI_OP_ARR, .offset = OFFSET(f_), .name = #f_, .arg = n_, .doc = doc_},
#define SUB(f_, layout_, doc_) \
    {.kind = PI_OP_SUB, .offset = OFFSET(f_), .name = #f_, .sub = pi_layout_##layout_, .doc = doc_},
#define LATE(f_, abi_, bit_, layout_, doc_) HAS(abi_, bit_) SUB(f_, layout_, doc_) DONE
#define LIST(f_, n_, layout_, doc_) \
    {.kind = PI_OP_LIST,            \
     .offset = OFFSET(f_),          \
     .count_offset = OFFSET(n_),    \
     .count_width = WIDTH(n_),      \
     .name = #f_,                   \
     .ref = #n_,                    \
     .sub = pi_layout_##layout_,    \
     .doc = doc_},
#define GRID64(f_, rows_, columns_, set_, doc_) \
    {.kind = PI_OP_GRID64,                      \
     .offset = OFFSET(f_),                      \
     .count_offset = OFFSET(columns_),          \
     .count_width = WIDTH(columns_),            \
     .name = #f_,                               \
     .ref = #rows_ " * " #columns_,             \
     .arg = OFFSET(rows_),                      \
     .set = &pd_set_##set_,                     \
     .doc = doc_},
#define REGS(f_, abi_, which_, doc_) \
    {.kind = PI_OP_REGS,             \
     .src = PI_REGS_##which_,        \
     .offset = OFFSET(f_),           \
     .count_offset = OFFSET(abi_),   \
     .count_width = WIDTH(abi_),     \
     .name = #f_,                    \
     .ref = #abi_,                   \
     .set = &pd_set_HEX,             \
     .doc = doc_},
#define CSTR(f_, doc_) FIELD(CSTR, f_, DEC, doc_)
#define STR64(f_, doc_) FIELD(STR64, f_, DEC, doc_)
#define MAGIC(f_, n_, bytes_, doc_) \
    {.kind = PI_OP_ARR, .offset = OFFSET(f_), .name = #f_, .ref = bytes_, .arg = n_, .doc = doc_},
#define WORD(f_, text_, doc_) \
    {.kind = PI_OP_CSTR, .offset = OFFSET(f_), .name = #f_, .ref = text_, .set = &pd_set_DEC, .doc = doc_},
#define STRV(f_, doc_) FIELD(STRV, f_, DEC, doc_)
#define STRN(f_, n_, doc_) \
    {.kind = PI_OP_STRN, .offset = OFFSET(f_), .name = #f_, .arg = n_, .set = &pd_set_DEC, .doc = doc_},
#define STRMAX(f_, n_, doc_) \
    {.kind = PI_OP_STRMAX, .offset = OFFSET(f_), .name = #f_, .arg = n_, .set = &pd_set_DEC, .doc = doc_},
#define SLOT(f_, n_, doc_) COUNTED(SLOT, f_, n_, DEC, doc_)
#define VEC16(f_, n_, set_, doc_) COUNTED(VEC16, f_, n_, set_, doc_)
#define VEC32(f_, n_, set_, doc_) COUNTED(VEC32, f_, n_, set_, doc_)
#define VARINT(f_, set_, doc_) FIELD(VARINT, f_, set_, doc_)
#define PARTS(kind_, f_, n_, layout_, arg_, src_, doc_) \
    {.kind = PI_OP_##kind_,                             \
     .offset = OFFSET(f_),                              \
     .count_offset = OFFSET(n_),                        \
     .count_width = WIDTH(n_),                          \
     .name = #f_,                                       \
     .ref = #n_,                                        \
     .arg = arg_,                                       \
     .src = src_,                                       \
     .sub = pi_layout_##layout_,                        \
     .doc = doc_},
#define ITEMS(f_, n_, layout_, doc_) PARTS(ITEMS, f_, n_, layout_, 0, 0, doc_)
#define SIZED(f_, n_, less_, layout_, doc_) PARTS(SIZED, f_, n_, layout_, less_, 0, doc_)
#define WHOLE(f_, n_, less_, layout_, doc_) PARTS(SIZED, f_, n_, layout_, less_, 1, doc_)
#define ITEMSR(f_, layout_, doc_) \
    {.kind = PI_OP_ITEMSR, .offset = OFFSET(f_), .name = #f_, .sub = pi_layout_##layout_, .doc = doc_},
#define MESSAGE(f_, layout_, doc_) \
    {.kind = PI_OP_MESSAGE, .offset = OFFSET(f_), .name = #f_, .sub = pi_layout_##layout_, .doc = doc_},
#define ATTR(f_, doc_) \
    {.kind = PI_OP_ATTR, .offset = OFFSET(f_), .name = #f_, .sub = pi_layout_attr, .doc = doc_},
#define DERIVED(kind_, f_, of_, arg_, doc_) \
    {.kind = PI_OP_##kind_,                 \
     .offset = OFFSET(f_),                  \
     .count_offset = OFFSET(of_),           \
     .count_width = WIDTH(of_),             \
     .name = #f_,                           \
     .ref = #of_,                           \
     .arg = arg_,                           \
     .doc = doc_},
#define GIVEN(f_, doc_) {.kind = PI_OP_GIVEN, .offset = OFFSET(f_), .name = #f_, .doc = doc_},
#define ROOM(f_, n_, doc_) {.kind = PI_OP_ROOM, .offset = OFFSET(f_), .name = #f_, .arg = n_, .doc = doc_},
#define ROOMN(f_, count_, n_, doc_) DERIVED(ROOMN, f_, count_, n_, doc_)
#define ODD64(f_, doc_) {.kind = PI_OP_ODD64, .offset = OFFSET(f_), .name = #f_, .doc = doc_},
#define UNITS(f_, of_, n_, doc_) DERIVED(UNITS, f_, of_, n_, doc_)
#define LOW(f_, of_, mask_, doc_) DERIVED(LOW, f_, of_, mask_, doc_)
#define LESS(f_, of_, n_, doc_) DERIVED(LESS, f_, of_, n_, doc_)
#define OTHER(f_, key_, doc_) DERIVED(OTHER, f_, key_, 0, doc_)
#define ONES(f_, of_, doc_) DERIVED(ONES, f_, of_, 0, doc_)
#define TEXT(f_, doc_) {.kind = PI_OP_TEXT, .offset = OFFSET(f_), .name = #f_, .doc = doc_},
#define SINCE(f_, of_, tenths_, doc_) \
    {.kind = PI_OP_SINCE,             \
     .offset = OFFSET(f_),            \
     .count_offset = OFFSET(of_),     \
     .name = #f_,                     \
     .ref = #of_,                     \
     .arg = tenths_,                  \
     .doc = doc_},
#define LITTLE {.kind = PI_OP_LITTLE, .name = "byte order"},
#define PASS(f_) DERIVED(PASS, f_, f_, 0, NULL)
#define ORDER(f_) DERIVED(ORDER, f_, f_, 0, NULL)
#define CONDITION(kind_, f_, value_) \
    {.kind = PI_OP_##kind_,          \
     .count_offset = OFFSET(f_),     \
     .count_width = WIDTH(f_),       \
     .name = #value_,                \
     .ref = #f_,                     \
     .arg = value_},
#define IS(f_, value_) CONDITION(IS, f_, value_)
#define FROM(f_, value_) CONDITION(FROM, f_, value_)
#define HAS(f_, value_) CONDITION(HAS, f_, value_)
#define LACKS(f_, value_) CONDITION(LACKS, f_, value_)
#define WHEN(src_, bit_) \
    {.kind = PI_OP_WHEN, .src = PI_SRC_##src_, .name = #bit_, .ref = #src_, .arg = PI_MASK_##src_(bit_)},
#define UNLESS(src_, bit_) \
    {.kind = PI_OP_UNLESS, .src = PI_SRC_##src_, .name = #bit_, .ref = #src_, .arg = PI_MASK_##src_(bit_)},
#define DONE {.kind = PI_OP_DONE},
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END

#define LAYOUT(name_, doc_) pi_layout_##name_,
#define RECORD(name_, type_, misc_, trailer_, doc_) pi_layout_##name_,
#define END(name_)
const struct pd_op *(*const pi_layouts[])(void) = {
#include "src/schema/passes/each.h"
};
#undef LAYOUT
#undef RECORD
#undef END
const size_t pi_n_layouts = sizeof pi_layouts / sizeof *pi_layouts;

const struct pd_op *pi_layout_of(uint32_t type)
{
    switch (type) {
#define LAYOUT(name_, doc_)
#define RECORD(name_, type_, misc_, trailer_, doc_) \
    case PD_RECORD_##type_:                         \
        return pi_layout_##name_();
#define END(name_)
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END
    default: return NULL;
    }
}

const struct pd_op *pi_layout_of_feature(uint32_t feature)
{
    switch (feature) {
#define LAYOUT(name_, doc_)
#define RECORD(name_, type_, misc_, trailer_, doc_)
#define FEATURE(name_, id_, doc_) \
    case PD_FEAT_##id_:           \
        return pi_layout_feature_##name_();
#define END(name_)
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END
    default: return NULL;
    }
}
