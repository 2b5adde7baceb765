/* SPDX-License-Identifier: MIT */
/* names.h - a list of names and patterns, and whether a name is in it. */
#ifndef PERFDATA_NAMES_INTERNAL_H
#define PERFDATA_NAMES_INTERNAL_H

#include <perfdata/ops/filter.h>
#include <stdbool.h>
#include <stddef.h>

/* All zeros: empty. */
struct pi_names {
    const struct pd_allocator *allocator;
    const char **names; /* sorted, each once; the caller's texts */
    bool *met;          /* for each name: pi_names_meet() has met it */
    size_t n;
    const char **patterns; /* names with `*` or `?` in them */
    size_t n_patterns;
};

/* False: no memory. To be freed even then. */
bool pi_names_init(struct pi_names *l, const char *const *names, size_t n,
                   const struct pd_allocator *allocator);
void pi_names_free(struct pi_names *l);
/* True if one of the names is equal, or one of the patterns fits (fnmatch() without flags). */
bool pi_names_has(const struct pi_names *l, const char *name);
/* The same, and remembers all that are equal or fit. */
bool pi_names_meet(const struct pi_names *l, const char *name);
/* Meets a name of the recording, and passes it to `known` of the options. */
void pi_names_know(const struct pi_names *l, const struct pd_filter_options *o, enum pd_name_kind kind,
                   const char *name);
/* Passes names that were not met to `unmatched` of the options. */
void pi_names_tell(const struct pi_names *l, const struct pd_filter_options *o, enum pd_name_kind kind);

#endif
