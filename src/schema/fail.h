/* SPDX-License-Identifier: MIT */
/* fail.h - makes errors (error.c), and says what follows from one. */
#ifndef PERFDATA_FAIL_H
#define PERFDATA_FAIL_H

#include <perfdata/codec.h>

/* Fill the error, when there is one, and return the code. */
enum pd_code pi_fail(struct pd_error *error, enum pd_code code, uint64_t offset, const char *field,
                     uint64_t found, uint64_t expected);
enum pd_code pi_fail_record(struct pd_error *error, enum pd_code code, const struct pd_record *rec, size_t at,
                            const char *field, uint64_t found, uint64_t expected);

/* True for an error of pd_reader_next() behind which the reader goes on: compressed data is lost. */
static inline bool pi_reader_goes_on(enum pd_code code)
{
    return code == PD_EZSTD || code == PD_ELIMIT;
}

/*
 * True for what ends a pass that leaves damage to the pass behind it: what the machine could not do, and
 * limits.
 */
static inline bool pi_ends_pass(enum pd_code code)
{
    return pd_is_failure(code) || code == PD_ELIMIT;
}

/* For analyzers, which see one file at a time. .ci/stages/static/analyzer defines PI_ANALYZER for gcc's. */
#if defined __clang_analyzer__ || defined PI_ANALYZER
#define pi_fail(error_, code_, ...) (pi_fail(error_, code_, __VA_ARGS__), (code_))
#define pi_fail_record(error_, code_, ...) (pi_fail_record(error_, code_, __VA_ARGS__), (code_))
#endif

#endif
