/* SPDX-License-Identifier: MIT */
/*
 * thrift.h - writes structures in Thrift's compact protocol, from tables of their fields. (Apache Thrift,
 * doc/specs/thrift-compact-protocol.md)
 */
#ifndef PERFDATA_THRIFT_H
#define PERFDATA_THRIFT_H

#include "src/support/wrap.h"
#include <perfdata/session/text.h>

/* A field that is not there: an integer of this value, or a NULL pointer. */
#define PI_THRIFT_NONE INT64_MIN

/* The member of the C struct, and its type in the protocol. */
enum pi_thrift_kind {
    PI_THRIFT_I8 = 3, /* int64_t, as all integers */
    PI_THRIFT_I16 = 4,
    PI_THRIFT_I32 = 5,
    PI_THRIFT_I64 = 6,
    PI_THRIFT_BINARY = 8,  /* struct pd_str */
    PI_THRIFT_LIST = 9,    /* struct pi_thrift_list */
    PI_THRIFT_STRUCT = 12, /* a pointer */
    PI_THRIFT_BOOL = 16,   /* int64_t; its value is in the type */
};

struct pi_thrift_list {
    size_t n, width;  /* elements, and bytes of one */
    const void *all;  /* NULL: no such field */
    bool are_written; /* `all` is `width` bytes, all elements as the protocol has them */
};

struct pi_thrift_field {
    uint8_t id; /* ascending */
    uint8_t kind;
    uint8_t element;                  /* of a LIST */
    uint16_t at;                      /* in the C struct */
    const struct pi_thrift_field *of; /* the fields of a STRUCT, or of a list of these; the last has id 0 */
};

/* Writes the struct, with its end. */
void pi_thrift_put(struct pd_out *out, const struct pi_thrift_field *fields, const void *value);

#endif
