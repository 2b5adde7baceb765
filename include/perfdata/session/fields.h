/* SPDX-License-Identifier: MIT */
/*
 * perfdata/session/fields.h - the fields of any record or attr: names, meaning and values, whatever its type.
 *
 *     struct pd_fields it;
 *     struct pd_field f;
 *     pd_fields_of_record(&it, &rec);
 *     while (pd_fields_next(&it, &f))
 *         if (f.kind == PD_FIELD_NUMBER)
 *             printf("%s = %llu\n", f.name, (unsigned long long)f.value);
 *
 * Nothing here allocates. Data that a field points to belongs to the record, attr or iterator it came from.
 */
#ifndef PERFDATA_SESSION_FIELDS_H
#define PERFDATA_SESSION_FIELDS_H

#include <perfdata/attr.h>
#include <perfdata/codec.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pd_field_kind {
    PD_FIELD_NUMBER, /* value */
    PD_FIELD_ARRAY,  /* u.array: n bytes, in the C struct itself */
    PD_FIELD_STRING, /* u.str */
    PD_FIELD_VECTOR, /* u.vec: n numbers */
    PD_FIELD_BYTES,  /* u.bytes: n bytes */
    PD_FIELD_PART,   /* has fields of its own: pd_fields_enter() */
    PD_FIELD_LIST,   /* u.list: n parts: pd_fields_element() */
};

/* A field that is present. Of fields that are only announced (pd_fields_of_type()) value, n and u are 0. */
struct pd_field {
    const char *name;
    const char *doc;
    enum pd_field_kind kind;
    uint8_t width;              /* NUMBER, VECTOR: bytes of a number */
    bool unended;               /* STRING: its bytes have no NUL, though writers put one; the string ends with
                                   them */
    const struct pd_set *set;   /* NUMBER, VECTOR: how numbers are written and named, never NULL; else NULL */
    const struct pd_name *bits; /* NUMBER: set when the field is only this sub-field of a packed word */
    const char *count;  /* name of the number that counts the bytes or elements; NULL when there is none */
    uint64_t value;     /* NUMBER, in host order; of S32 and of SDEC sets sign-extended to 64 bits */
    size_t n;           /* bytes (of STRING: before the NUL) or elements */
    uint64_t registers; /* VECTOR of registers: the attr's mask, one bit an element; else, or if unknown, 0 */
    uint64_t abi;       /* of these registers; it determines their names */
    union {
        const void *ptr;
        const uint8_t *array;
        const struct pd_str *str;
        const struct pd_vec *vec;
        const struct pd_bytes *bytes;
        const struct pd_list *list;
    } u;
    const struct pd_op *op; /* line of the schema; not for direct use */
};

/*
 * Iterates over fields in stream order. Plain memory without ownership, not for direct use. The data it was
 * made from must outlive it; an iterator over an element of a list (see pd_fields_element()) holds a copy of
 * the element and must not be copied.
 */
struct pd_fields {
    const struct pd_op *op;      /* the next line */
    const void *value;           /* the C struct; NULL: only its layout is known */
    const struct pd_record *rec; /* whose sample_id is still to come */
    const struct pd_bytes *rest; /* what comes behind the known fields */
    const struct pd_attr *attr;  /* for the masks of registers */
    struct pd_shape shape;
    uint32_t at, limit; /* bytes so far and in all, where the size decides what is present */
    uint8_t stage;
    bool has_id;
    struct pd_list whole, left; /* after an element: its list, and the part behind it */
    uint64_t element[64];
};

/*
 * All fields of a decoded or user-made record: those of its payload, then `rest` (BYTES) when it is not
 * empty, then `sample_id` (a PART) when it has one. A record that is not decoded has none.
 */
PD_EXPERIMENTAL void pd_fields_of_record(struct pd_fields *it, const struct pd_record *rec);

/* The fields of an attr that its size covers, and `tail`. A value with several names has the first. */
PD_EXPERIMENTAL void pd_fields_of_attr(struct pd_fields *it, const struct pd_attr *attr);

/*
 * The fields of records of a type, for an attr (NULL: no attr) and header.misc, without values. Lists
 * can be entered with pd_fields_element(…, 0). False: the type is not known.
 */
PD_EXPERIMENTAL bool pd_fields_of_type(struct pd_fields *it, const struct pd_attr *attr, uint32_t type,
                                       uint16_t misc);

/* The fields of another structure, by its layout's name: ("file_header", a pd_file_header). False: none. */
PD_EXPERIMENTAL bool pd_fields_of_struct(struct pd_fields *it, const char *layout, const void *value);

/* The next field; false: there is none. */
PD_EXPERIMENTAL bool pd_fields_next(struct pd_fields *it, struct pd_field *f);

/* The fields of the part `f`, which came from `it`. `part` and `it` may be the same. */
PD_EXPERIMENTAL void pd_fields_enter(struct pd_fields *part, const struct pd_fields *it,
                                     const struct pd_field *f);

/*
 * The fields of element `i` of the list `f`, which came from `it`. False: there is no such element. Elements
 * may differ in size: going through them from 0 up with the same `element` costs least; `element` is
 * initialised by i == 0.
 */
PD_EXPERIMENTAL bool pd_fields_element(struct pd_fields *element, const struct pd_fields *it,
                                       const struct pd_field *f, size_t i);

/*
 * Finds a field by its path from the position of `it`: "callchain.nr", "branch_stack.entries[0].from",
 * "callchain.ips[2]", "flags.freq" (sub-field of a packed word), "sample_id.time". For a record the path may
 * begin with the name of its struct, "sample.callchain.nr", and for an attr with "attr.". All names of a
 * value are accepted ("sample_freq"). Consumes the iterator, which must stay valid as long as f->u is used.
 * False: there is no such field here.
 */
PD_EXPERIMENTAL bool pd_fields_find(struct pd_fields *it, const char *path, struct pd_field *f);

/* A number of a record by path, also "header.type", "header.misc", "header.size". False: there is none. */
PD_EXPERIMENTAL bool pd_record_get(const struct pd_record *rec, const char *path, uint64_t *value);

/*
 * Sets a number of a decoded or user-made record; data that the record's views point to cannot be set.
 * Setting a count does not change the elements, so encoding refuses the record until they match. If a new
 * misc adds fields, these have their values in rec->u, usually 0. PD_EARG: no such number; PD_EVALUE: it does
 * not fit (expected = the largest that does); PD_EUNSUP: it is in a vector or list.
 */
PD_EXPERIMENTAL enum pd_code pd_record_set(struct pd_record *rec, const char *path, uint64_t value,
                                           struct pd_error *error);

/* The same for an attr. A field past attr->size may be set; encoding then wants `size` to be set too. */
PD_EXPERIMENTAL bool pd_attr_get(const struct pd_attr *attr, const char *path, uint64_t *value);
PD_EXPERIMENTAL enum pd_code pd_attr_set(struct pd_attr *attr, const char *path, uint64_t value,
                                         struct pd_error *error);

/* The word with another value of its sub-field `f`, whose own value pd_bits_get() takes out. */
PD_EXPERIMENTAL uint64_t pd_bits_put(const struct pd_name *f, uint64_t word, uint64_t value);

struct pd_feature; /* see perfdata/feature.h */

/* The fields of a feature, then `rest`, when there is any. */
PD_EXPERIMENTAL void pd_fields_of_feature(struct pd_fields *it, const struct pd_feature *f);
/* Of the raw data of an off-cpu sample, see perfdata/session/event.h. */
PD_EXPERIMENTAL void pd_fields_of_offcpu(struct pd_fields *it, const struct pd_offcpu *offcpu);

/*
 * The feature of a name, the reverse of pd_feature_name(); case does not count; PD_FEAT_* or a number. False:
 * unknown.
 */
PD_EXPERIMENTAL bool pd_feature_parse(const char *text, uint32_t *id);

/*
 * One of the arrays behind a BPF program, PD_BPIL_*: its bytes in `data` (numbers of `each` bytes in the
 * recording's byte order, or structures of that size). False: it is missing, or not inside the data.
 */
PD_EXPERIMENTAL bool pd_bpf_prog_array(const struct pd_bpf_prog *prog, uint64_t array, struct pd_bytes *bytes,
                                       uint32_t *each);

#ifdef __cplusplus
}
#endif
#endif
