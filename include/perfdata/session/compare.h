/* SPDX-License-Identifier: MIT */
/*
 * perfdata/session/compare.h - compares two records by their values: byte order, the form in which vectors
 * and strings are stored, the position in the file and sizes that follow from other fields do not matter.
 * Padding of strings does. And equal records: copies that outlive their reader, in queues, for other threads,
 * or beside the next record.
 */
#ifndef PERFDATA_SESSION_COMPARE_H
#define PERFDATA_SESSION_COMPARE_H

#include <perfdata/attr.h>
#include <perfdata/codec.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * True when both have the same type, misc, fields, values, rest and sample_id. Else *field (field may be
 * NULL) is the static name of the first that differs or that only one has: a field of the payload, "rest",
 * "sample_id", "type" or "misc"; "raw" for records that are not decoded, which are compared as bytes. The
 * padding of a string counts as that string.
 */
PD_EXPERIMENTAL bool pd_record_equal(const struct pd_record *a, const struct pd_record *b,
                                     const char **field);

/* The same for attrs. Fields past the size count as the 0 that they read as; the size itself is compared. */
PD_EXPERIMENTAL bool pd_attr_equal(const struct pd_attr *a, const struct pd_attr *b, const char **field);

/*
 * The whole path of the first difference, as pd_fields_find() understands it
 * ("branch_stack.entries[2].flags"). Writes at most cap bytes with the NUL and returns the whole length; 0:
 * the two are equal.
 */
PD_EXPERIMENTAL size_t pd_record_difference(const struct pd_record *a, const struct pd_record *b, char *path,
                                            size_t cap);
PD_EXPERIMENTAL size_t pd_attr_difference(const struct pd_attr *a, const struct pd_attr *b, char *path,
                                          size_t cap);

struct pd_feature; /* see perfdata/feature.h */
/*
 * True when both features have the same values. Else *field (may be NULL) is the name of the first
 * difference.
 */
PD_EXPERIMENTAL bool pd_feature_equal(const struct pd_feature *a, const struct pd_feature *b,
                                      const char **field);

/*
 * A copy of a record with all that it points to: its raw bytes, what the views of its payload, id and rest
 * show (elements of lists included), its plan and its attr. Decoded or not, from a reader or made by a
 * program. The payload that follows a record outside of its size does not come along. *copy is one block of
 * memory of the allocator (NULL: malloc), which pd_record_free() frees. PD_ENOMEM.
 */
PD_EXPERIMENTAL enum pd_code pd_record_copy(struct pd_record **copy, const struct pd_record *rec,
                                            const struct pd_allocator *allocator, struct pd_error *error);
/* The allocator is that of the copy. NULL is allowed. */
PD_EXPERIMENTAL void pd_record_free(struct pd_record *copy, const struct pd_allocator *allocator);

#ifdef __cplusplus
}
#endif
#endif
