/* SPDX-License-Identifier: MIT */
/* usual.h - the sample types that have code of their own. */
#ifndef PERFDATA_USUAL_H
#define PERFDATA_USUAL_H

#include <perfdata/codec.h>
#include <perfdata/constants.h>

/*
 * The sample types that perf record gives to most recordings: one event, or several with the id at the same
 * place (ID) or anywhere (IDENTIFIER), of one cpu or all, with or without call chains and raw data. The codec
 * has code of its own for each, in which the compiler knows the values of all WHEN conditions.
 */
#define PI_USUAL_FIELDS (PD_SAMPLE_IP | PD_SAMPLE_TID | PD_SAMPLE_TIME | PD_SAMPLE_PERIOD)
#define PI_USUAL_WITH(X, a_, b_, c_, d_, e_, f_, with_)                     \
    X(a_, PI_USUAL_FIELDS | (with_))                                        \
    X(b_, PI_USUAL_FIELDS | PD_SAMPLE_CPU | (with_))                        \
    X(c_, PI_USUAL_FIELDS | PD_SAMPLE_IDENTIFIER | (with_))                 \
    X(d_, PI_USUAL_FIELDS | PD_SAMPLE_CPU | PD_SAMPLE_IDENTIFIER | (with_)) \
    X(e_, PI_USUAL_FIELDS | PD_SAMPLE_ID | (with_))                         \
    X(f_, PI_USUAL_FIELDS | PD_SAMPLE_CPU | PD_SAMPLE_ID | (with_))
#define PI_EACH_USUAL(X)                                       \
    PI_USUAL_WITH(X, 1, 2, 3, 4, 5, 6, 0)                      \
    PI_USUAL_WITH(X, 7, 8, 9, 10, 11, 12, PD_SAMPLE_CALLCHAIN) \
    PI_USUAL_WITH(X, 13, 14, 15, 16, 17, 18, PD_SAMPLE_RAW)    \
    PI_USUAL_WITH(X, 19, 20, 21, 22, 23, 24, PD_SAMPLE_CALLCHAIN | PD_SAMPLE_RAW)
#define PI_N_USUAL 24

/*
 * True if a framed sample is of one of these types and ends at its size: then it can be decoded. False does
 * not mean that it cannot.
 */
bool pi_sample_fits(const struct pd_plan *plan, const uint8_t *raw, size_t size);
/* The same of a sample of any other type, for callers that only ask whether it is damaged. */
bool pi_unusual_fits(const struct pd_plan *plan, const uint8_t *raw, size_t size);

#endif
