/* SPDX-License-Identifier: MIT */
/*
 * mappings.h - mappings of processes and kernels: the one place that knows perf's rules of mappings; part of
 * pd_session, and of code that only needs mappings.
 */
#ifndef PERFDATA_MAPPINGS_H
#define PERFDATA_MAPPINGS_H

#include "spans.h"
#include "src/support/idmap.h"
#include <perfdata/error.h>
#include <perfdata/session/mappings.h>

/* The owners of addresses; each kind has spaces by pid. */
enum pi_space_of { PI_SPACE_PROCESS, PI_SPACE_GUEST_KERNEL, PI_SPACE_GUEST_PROCESS, PI_SPACE_KINDS };

/* The mappings of a process or kernel. */
struct pi_space {
    uint32_t root;         /* in the spans */
    uint32_t older, newer; /* in the list of spaces whose process has ended; 0: none */
    bool ended;
};

/* An MMAP2, or an MMAP as one without the fields that it lacks. False: it is another record. */
bool pi_mmap2_of(const struct pd_record *rec, struct pd_mmap2 *out);

struct pi_mappings_options {
    uint64_t memory;
    uint32_t exited;
    uint32_t (*tag)(void *user, const struct pd_mapping *mapping);
    void *user;
};

struct pi_mappings {
    const struct pd_allocator *allocator;
    struct pi_mappings_options options;
    struct pi_spans spans; /* values are numbers of mappings */
    struct pi_idmap pids[PI_SPACE_KINDS];
    struct pi_space *spaces; /* the one at 0 is the host's kernel's */
    size_t n_spaces, spaces_cap;
    uint32_t oldest, newest, n_ended;
    struct pi_own_mapping **all; /* by number; NULL: free */
    uint32_t *unused;            /* free numbers; as much room as in `all` */
    size_t n_all, all_cap, n_unused, unused_cap;
    uint64_t bytes; /* of mappings and their names */
};

/* False: no memory. Options are copied; 0 stands for the usual. */
bool pi_mappings_init(struct pi_mappings *m, const struct pd_allocator *allocator,
                      const struct pi_mappings_options *options);
void pi_mappings_free(struct pi_mappings *m);
/* As pd_session_record(). */
enum pd_code pi_mappings_record(struct pi_mappings *m, struct pd_record *rec, struct pd_error *error);
/* As pd_session_find_mapping(). */
const struct pd_mapping *pi_mappings_find(struct pi_mappings *m, uint32_t pid, uint64_t address,
                                          unsigned cpumode);
/* The same, and the first and last address of those around it that have the same mapping. */
const struct pd_mapping *pi_mappings_find_range(struct pi_mappings *m, uint32_t pid, uint64_t address,
                                                unsigned cpumode, uint64_t *first, uint64_t *last);

#endif
