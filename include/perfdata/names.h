/* SPDX-License-Identifier: MIT */
/*
 * perfdata/names.h - a name for every value of every enumeration, flag word and packed word, both ways.
 *
 * The sets themselves (pd_set_sample_type, pd_set_branch_flags, …) are declared in perfdata/constants.h,
 * which is generated from src/schema/names.def together with the PD_* constants.
 */
#ifndef PERFDATA_NAMES_H
#define PERFDATA_NAMES_H

#include <perfdata/base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pd_set_kind {
    PD_SET_DEC,   /* a plain number, written in decimal */
    PD_SET_SDEC,  /* the same, signed */
    PD_SET_HEX,   /* a plain number, written as 0x… */
    PD_SET_ENUM,  /* one of several values */
    PD_SET_FLAGS, /* an or of masks */
    PD_SET_BITS,  /* a word made of named sub-fields */
};

struct pd_set;

/* One value of an ENUM, one mask of FLAGS, or one sub-field of BITS. */
struct pd_name {
    const char *name;
    uint64_t value;           /* the value, the mask, or the mask of the sub-field in place */
    const struct pd_set *set; /* BITS: names of the sub-field's own values, never NULL there */
    uint8_t lo, width;        /* BITS: place of the sub-field, logical bit numbers (little-endian order) */
    const char *doc;
};

struct pd_set {
    const char *id;     /* name of the set as in the schema, "sample_type" */
    const char *prefix; /* of the C constants, without PD_ */
    enum pd_set_kind kind;
    uint8_t bits; /* width of the word */
    const struct pd_name *names;
    size_t n;
    const char *doc;
};

/*
 * The value as text: "COND"; "IP|TID|0x80000000" (unknown bits as a number, 0 when no bit is set); or
 * "mispred|cycles=13|type=COND" (sub-fields that are 0 are left out). Unknown values are numbers. Writes at
 * most cap bytes with the NUL and returns the whole length.
 */
PD_API size_t pd_set_format(const struct pd_set *set, uint64_t value, char *buf, size_t cap);

/*
 * The reverse of pd_set_format(); names compare without case, numbers may be decimal or 0x…. False: not
 * understood.
 */
PD_API bool pd_set_parse(const struct pd_set *set, const char *text, size_t len, uint64_t *value);

/* The name of one value of an ENUM or of exactly one mask of FLAGS; NULL when it has none. */
PD_API const char *pd_set_name(const struct pd_set *set, uint64_t value);

/* A BITS set's sub-field by its name; NULL when there is none. */
PD_API const struct pd_name *pd_set_field(const struct pd_set *set, const char *name);

/* The sub-field `f` of the word. */
static inline uint64_t pd_bits_get(const struct pd_name *f, uint64_t word)
{
    return (word & f->value) >> f->lo;
}

#ifdef __cplusplus
}
#endif
#endif
