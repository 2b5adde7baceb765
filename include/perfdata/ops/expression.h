/* SPDX-License-Identifier: MIT */
/*
 * perfdata/ops/expression.h - selects samples by the values of their fields, in the syntax of the kernel's
 * event filters (Documentation/trace/events.rst):
 *
 *     prev_comm == "bash" && (prev_pid > 5 || next_comm ~ "kworker*") && !(prev_state & 2)
 *
 * A field is one of the tracepoint in the sample's raw data or, if that has none of this name, one of the
 * sample, by its path: period, addr, ip, tid, weight, phys_addr, data_src.mem_lvl, callchain.nr; trace.pid
 * is only the former. `comm` in an event that has no such field is not known; numbers are decimal, 0x… or
 * 0…, and compared with == != < <= > >= and & (any bit); texts are in quotes, or words, and compared with
 * == != and ~ (a pattern as of fnmatch()). && binds more than ||. A test of a field that a sample lacks is
 * false, whatever it compares.
 */
#ifndef PERFDATA_OPS_EXPRESSION_H
#define PERFDATA_OPS_EXPRESSION_H

#include <perfdata/reader.h>
#include <perfdata/session/tracepoint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pd_expression;

/* What is wrong with an expression. */
struct pd_expression_error {
    size_t at;        /* byte of the text */
    size_t n;         /* bytes that it is about */
    const char *what; /* "a value is missing", …; static */
};

/*
 * Compiles a text, of which it keeps a copy. allocator NULL: malloc. PD_EARG: *wrong says why; PD_ENOMEM;
 * PD_ELIMIT: longer than 4096 bytes, or more than 100 parentheses and ! in one another.
 */
PD_EXPERIMENTAL enum pd_code pd_expression_new(struct pd_expression **expression, const char *text,
                                               const struct pd_allocator *allocator,
                                               struct pd_expression_error *wrong);
/* NULL is fine. */
PD_EXPERIMENTAL void pd_expression_free(struct pd_expression *expression);

/*
 * Checks the fields with all events that the reader knows: each must be a field of one of them, and of the
 * kind that it is compared with. `tracepoints` may be NULL. False: *wrong says which is not.
 */
PD_EXPERIMENTAL bool pd_expression_check(struct pd_expression *expression, const struct pd_reader *reader,
                                         const struct pd_tracepoints *tracepoints,
                                         struct pd_expression_error *wrong);

/*
 * True if the sample meets it. Decodes the sample; one that cannot be decoded meets nothing. `tracepoints`
 * must be the same each time, and outlive the expression.
 */
PD_EXPERIMENTAL bool pd_expression_meets(struct pd_expression *expression,
                                         const struct pd_tracepoints *tracepoints, struct pd_record *rec);

#ifdef __cplusplus
}
#endif
#endif
