/* SPDX-License-Identifier: MIT */
/*
 * perfdata/session/visit.h - a visitor's whole way through a recording: it can stop, and one function may see
 * both kinds of mappings.
 */
#ifndef PERFDATA_SESSION_VISIT_H
#define PERFDATA_SESSION_VISIT_H

#include <perfdata/reader.h>
#include <perfdata/visitor.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pd_visit_options {
    size_t size;        /* sizeof this struct */
    const bool *stop;   /* NULL: go through all; else a callback that sets what it points to ends the visit */
    bool mmap_as_mmap2; /* an MMAP goes to visitor->mmap2 if there is no visitor->mmap: with prot READ and
                           EXEC (READ alone if misc has MMAP_DATA), flags PRIVATE, and the rest 0. `rec` is
                           then still the MMAP */
    /* A record that cannot be decoded, or damage where the reader stops or goes on; NULL: they are passed. */
    void (*finding)(void *user, const struct pd_error *error);
};

/*
 * Reads, decodes and visits all records from the reader's position on. PD_OK: all, or up to the stop; the
 * reader then stands behind that record. PD_AGAIN: as from pd_reader_next(). Other errors are those of the
 * machine (pd_is_failure()).
 */
PD_EXPERIMENTAL enum pd_code pd_reader_visit(struct pd_reader *reader, const struct pd_visitor *visitor,
                                             void *user, const struct pd_visit_options *options,
                                             struct pd_error *error);

#ifdef __cplusplus
}
#endif
#endif
