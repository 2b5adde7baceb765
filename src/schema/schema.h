/* SPDX-License-Identifier: MIT */
/*
 * schema.h - the layouts of src/schema/records.def as tables: one pd_op a line of the file. The reference
 * interpreter, printing, JSON, comparison, random values, the generated header and docs/FORMAT.md walk these
 * tables; the straight-line codec is a separate expansion of the same file and is tested against them.
 */
#ifndef PERFDATA_SCHEMA_H
#define PERFDATA_SCHEMA_H

#include <perfdata/base.h>
#include <perfdata/names.h>

enum pi_op_kind {
    PI_OP_HEAD, /* first op of each layout */
    PI_OP_U8,
    PI_OP_U16,
    PI_OP_U32,
    PI_OP_U64,
    PI_OP_S32,
    PI_OP_B32,
    PI_OP_B64,
    PI_OP_ARR,
    PI_OP_STR,
    PI_OP_VEC64,
    PI_OP_VECR64,
    PI_OP_GRID64,
    PI_OP_REGS,
    PI_OP_BYTES,
    PI_OP_OPT64,
    PI_OP_SUB,
    PI_OP_LIST,
    PI_OP_REST,
    PI_OP_CSTR,
    PI_OP_STR64,
    PI_OP_STRV,
    PI_OP_STRN,
    PI_OP_STRMAX,
    PI_OP_SLOT,
    PI_OP_VEC16,
    PI_OP_VEC32,
    PI_OP_VARINT,
    PI_OP_ITEMS,
    PI_OP_ITEMSR,
    PI_OP_MESSAGE,
    PI_OP_SIZED,
    PI_OP_ATTR,
    PI_OP_GIVEN, /* from here on: not in the stream */
    PI_OP_ROOM,
    PI_OP_ROOMN,
    PI_OP_ODD64,
    PI_OP_TEXT,
    PI_OP_SINCE,
    PI_OP_UNITS,
    PI_OP_LOW,
    PI_OP_LESS,
    PI_OP_OTHER,
    PI_OP_ONES,
    PI_OP_PASS, /* from here on: no members at all */
    PI_OP_LITTLE,
    PI_OP_ORDER,
    PI_OP_ALIAS, /* from here on: no fields of their own */
    PI_OP_WHEN,
    PI_OP_UNLESS,
    PI_OP_IS,
    PI_OP_FROM,
    PI_OP_HAS,
    PI_OP_LACKS,
    PI_OP_DONE,
    PI_OP_END,
};

/* What WHEN and UNLESS test. */
enum pi_test_source {
    PI_SRC_sample_type,
    PI_SRC_read_format,
    PI_SRC_branch_sample_type,
    PI_SRC_misc,
    PI_SRC_variant
};

/*
 * One line of the schema. A layout is an array of these: a PI_OP_HEAD, the lines, a PI_OP_END; it is passed
 * around as a pointer to its head.
 */
struct pd_op {
    uint8_t kind; /* enum pi_op_kind */
    uint8_t src; /* WHEN, UNLESS: enum pi_test_source; REGS: PD_REGS_*; HEAD: 1 when sample_id follows; SIZED:
                    WHOLE */
    uint16_t offset;       /* of the member in the C struct; HEAD: size of the struct */
    uint16_t count_offset; /* of the member that holds the count */
    uint16_t count_width;  /* its size in bytes */
    uint64_t arg; /* WHEN to LACKS: mask or value; ARR, STRN, ROOM: bytes; HEAD: PD_RECORD_* or 0 for parts;
                     GRID64: offset of the member that holds the rows, as wide as that of the columns */
    const char *name; /* of the member, of the layout, or of the bit or value of WHEN to LACKS */
    const char *ref;  /* name of the count, of the aliased member, or of what WHEN to LACKS test; MAGIC, WORD:
                         what it must be */
    const struct pd_set *set; /* how values are named; HEAD: the names of header.misc's bits */
    const struct pd_op *(*sub)(void);
    const char *doc;
};
/* For the proof that walks over a table end: the lines from this one to the last one of its table. */
/*@ axiomatic table { logic integer lines(struct pd_op *op); } */

/* The layout of a record type; NULL for types the schema does not have. */
const struct pd_op *pi_layout_of(uint32_t type);

/* The layout of a feature section; NULL for features the schema does not have. */
const struct pd_op *pi_layout_of_feature(uint32_t feature);

/* True for the layout of a feature, whose number HEAD has in count_offset. */
#define PI_HEAD_IS_FEATURE(head_) ((head_)->count_width != 0)

/* No list has larger elements, as C structs. */
#define PI_ELEMENT_MAX 512

/* All layouts, parts first, in the order of the schema. */
extern const struct pd_op *(*const pi_layouts[])(void);
extern const size_t pi_n_layouts;

#define LAYOUT(name_, doc_) const struct pd_op *pi_layout_##name_(void);
#define RECORD(name_, type_, misc_, trailer_, doc_) const struct pd_op *pi_layout_##name_(void);
#define END(name_)
#include "src/schema/passes/each.h"
#undef LAYOUT
#undef RECORD
#undef END

/* Padding that has a line of its own; what has no meaning yet. Of a literal, these are constants. */
static inline __attribute__((always_inline)) bool pi_is_padding(const char *name)
{
    const size_t n = __builtin_strlen(name);
    return __builtin_strcmp(name, "pad") == 0 || (n > 4 && __builtin_strcmp(name + (n - 4), "_pad") == 0);
}

static inline bool pi_is_reserved(const char *name)
{
    return __builtin_strncmp(name, "reserved", 8) == 0 || __builtin_strcmp(name, "res") == 0;
}

/* The bits of a word that have names. */
static inline uint64_t pi_set_mask(const struct pd_set *set)
{
    uint64_t mask = 0;
    for (size_t i = 0; i < set->n; i++)
        mask |= set->names[i].value;
    return mask;
}

#endif
