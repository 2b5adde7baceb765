/* SPDX-License-Identifier: MIT */
/*
 * perfdata/session/compare.h - compares two records by their values: byte order, the form in which vectors
 * and strings are stored, the position in the file and sizes that follow from other fields do not matter.
 * Padding of strings does.
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

#ifdef __cplusplus
}
#endif
#endif
