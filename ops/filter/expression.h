/* SPDX-License-Identifier: MIT */
/* expression.h - an expression as a tree: expression.c makes it, expression_meets.c asks it. */
#ifndef PERFDATA_EXPRESSION_INTERNAL_H
#define PERFDATA_EXPRESSION_INTERNAL_H

#include <perfdata/ops/expression.h>

enum pi_compare { PI_IS, PI_IS_NOT, PI_LESS, PI_LESS_OR_IS, PI_MORE, PI_MORE_OR_IS, PI_HAS_BITS, PI_IS_LIKE };

/* Where a field of an event is found. */
struct pi_expression_place {
    bool known;                              /* the rest is set */
    bool in_sample;                          /* by its path */
    const struct pd_tracepoint_field *field; /* or in the raw data; NULL and not in_sample: nowhere */
    enum pd_order order;                     /* of the raw data */
};

/* The field of that name in the raw data of an event, or else in its samples. */
struct pi_expression_place pi_expression_find(const char *name, const struct pd_attr *attr,
                                              const struct pd_tracepoints *tracepoints);
/* What pd_record_get() calls it. */
const char *pi_expression_path(const char *name, const struct pd_attr *attr);

enum pi_expression_op { PI_OR, PI_AND, PI_NOT, PI_TEST };

struct pi_expression_node {
    enum pi_expression_op op;
    uint32_t left, right; /* nodes; of NOT the left one */
    /* TEST */
    enum pi_compare compare;
    const char *name, *text; /* the field; the value, of a text without its quotes */
    size_t at, n;            /* the field's name in the expression */
    size_t value_at, value_n;
    bool quoted, is_number, negative;
    uint64_t number;
    struct pi_expression_place *places; /* by attr */
    size_t n_places;
};

struct pd_expression {
    const struct pd_allocator *allocator;
    char *text;   /* the whole expression */
    char *pieces; /* names and values, each with a NUL behind it */
    size_t n_pieces;
    struct pi_expression_node *nodes;
    size_t n, cap;
    uint32_t root;
};

#endif
