/* SPDX-License-Identifier: MIT */
/*
 * perfdata/attr.h - struct perf_event_attr in every published size and any larger.
 */
#ifndef PERFDATA_ATTR_H
#define PERFDATA_ATTR_H

#include <perfdata/constants.h>
#include <perfdata/error.h>
#include <perfdata/records.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Size of the largest published form that is known here; the others are PD_ATTR_SIZE_VER0 … VER9. */
#define PD_ATTR_SIZE PD_ATTR_SIZE_VER9

/*
 * Decodes an attr of `n` bytes. Fields past attr.size (0 means 64) or past n read as 0; attr->tail has the
 * bytes of [size, n) and those past PD_ATTR_SIZE, and points into `bytes`. A size below 64 counts as 64.
 * PD_ESHORT: n is below 8, so the size cannot be read. n less than attr.size is accepted: the attr
 * is then encoded in n bytes by pd_attr_encode(…, n).
 */
PD_API enum pd_code pd_attr_decode(enum pd_order order, const void *bytes, size_t n, struct pd_attr *attr,
                                   struct pd_error *error);

/*
 * Encodes an attr into exactly `n` bytes at `out`, the reverse of pd_attr_decode(). PD_ECOUNT: known fields
 * and tail do not make n bytes; PD_EVALUE: a field past attr.size is not 0 and would be lost.
 */
PD_API enum pd_code pd_attr_encode(enum pd_order order, const struct pd_attr *attr, void *out, size_t n,
                                   struct pd_error *error);

/* Bytes that attr needs: its known fields and its tail. */
PD_API size_t pd_attr_bytes(const struct pd_attr *attr);

#ifdef __cplusplus
}
#endif
#endif
