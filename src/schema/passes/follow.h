/* SPDX-License-Identifier: MIT */
/*
 * follow.h - numbers that follow from other fields of the same layout, so that programs and JSON may leave
 * them out: counts and flags. What is given, a program's struct or an object, the caller tells.
 */
#ifndef PERFDATA_FOLLOW_H
#define PERFDATA_FOLLOW_H

#include "src/schema/schema.h"
#include <perfdata/codec.h>

struct pi_given {
    /* Elements, or bytes, of a field that a number counts. */
    uint64_t (*items)(const void *user, const struct pd_op *op);
    /* True if the field has a value. */
    bool (*has)(const void *user, const struct pd_op *op);
    const void *user;
};

/* The number that what `of` counts or decides needs; 0: any. */
uint64_t pi_follow_count(const struct pi_given *given, const struct pd_op *of);
/* True if `of` counts elements or bytes, whose number *n receives. */
bool pi_follow_items(const struct pi_given *given, const struct pd_op *of, uint64_t *n);

/*
 * A member that tells whether fields follow: true if one of these fields has a value. If fields follow only
 * in the opposite case: true if none of them has.
 */
bool pi_follow_flag(const struct pi_given *given, const struct pd_op *flag);

/*
 * The size of an attr that has none: that of perf 6.1, or the first published one that all fields with a
 * value fit in.
 */
uint32_t pi_follow_attr_size(const struct pd_attr *attr);
/* Bytes of the fields of an attr up to the last that is not 0. */
uint32_t pi_follow_attr_needs(const struct pd_attr *attr);

/* True for the number that all attrs in the list behind it have as their size. */
bool pi_follow_is_attr_size(const struct pd_op *op);

#endif
