/* SPDX-License-Identifier: MIT */
/*
 * perfdata/session/columns.h - numbers of samples as columns: one array for each field, filled many rows at a
 * time. For programs that work on arrays, and for languages in which a call for each record costs too much.
 *
 *     const char *const paths[] = {"ip", "time", "period"};
 *     uint64_t ip[4096], time[4096], period[4096];
 *     void *const values[] = {ip, time, period};
 *     struct pd_columns *c;
 *     if (pd_columns_new(&c, paths, 3, NULL, &error) == PD_OK)
 *         while (pd_columns_read(c, reader, values, NULL, 4096, &n, &error) == PD_OK)
 *             for (size_t i = 0; i < n; i++) …
 *     pd_columns_free(c);
 */
#ifndef PERFDATA_SESSION_COLUMNS_H
#define PERFDATA_SESSION_COLUMNS_H

#include <perfdata/reader.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pd_columns;

/*
 * A table of samples with a column for each of `n` paths (copied). A path is one that pd_record_get() takes,
 * from a sample: "ip", "header.misc", "data_src.mem_op", "read.value", "callchain.ips[1]",
 * "branch_stack.entries[0].from"; or "event": the number of the sample's attr, UINT32_MAX if it is not known.
 * allocator NULL: malloc; must outlive the columns. PD_EARG: samples have no such number; `found` is the
 * position of the path.
 */
PD_EXPERIMENTAL enum pd_code pd_columns_new(struct pd_columns **columns, const char *const *paths, size_t n,
                                            const struct pd_allocator *allocator, struct pd_error *error);
/* NULL is allowed. */
PD_EXPERIMENTAL void pd_columns_free(struct pd_columns *columns);

/*
 * Bytes of a number of column i, which must exist: 4 or 8. 8, except for fields of 32 bits of the sample
 * itself (pid, tid, cpu, res) and for "event".
 */
PD_EXPERIMENTAL unsigned pd_columns_width(const struct pd_columns *columns, size_t i);
/* True if its numbers are signed: -1 is a pid. */
PD_EXPERIMENTAL bool pd_columns_signed(const struct pd_columns *columns, size_t i);

/*
 * Reads on until `rows` samples have come, at least 1, or the records end; records that are no samples are
 * skipped. values[i] is an array of `rows` numbers, aligned to their width, of the bytes that
 * pd_columns_width() tells, in host order; a field that a sample lacks is 0. present[i], of `rows` bytes, is
 * 1 for samples that have the field and 0 for others; it, or `present` itself, may be NULL. Samples come in
 * the order of the input, and have the values that are in their bytes.
 *
 * PD_OK: *n samples, at least 1, and fewer than `rows` only at the end. PD_END: none are left. All errors of
 * pd_reader_next_decoded(), and those of samples that cannot be decoded: *n samples came before; the next
 * call goes on behind the damage, and gives PD_END where the reader stops.
 */
PD_EXPERIMENTAL enum pd_code pd_columns_read(struct pd_columns *columns, struct pd_reader *reader,
                                             void *const *values, uint8_t *const *present, size_t rows,
                                             size_t *n, struct pd_error *error);

#ifdef __cplusplus
}
#endif
#endif
