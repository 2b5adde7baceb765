/* SPDX-License-Identifier: MIT */
/*
 * branches.h - counts the entries of branch stacks by file: branches, and the ranges of instructions between
 * them; for perf2bolt, a branch and its range as one. The key of a count is the number of the file, the
 * section, three offsets, each with the highest byte first, and for branches a byte that tells the number of
 * wrong predictions from that of branches.
 */
#ifndef PERFDATA_BRANCHES_H
#define PERFDATA_BRANCHES_H

#include "export.h"

enum pi_branch_section {
    PI_BRANCH_RANGES,
    PI_BRANCH_ADDRESSES,
    PI_BRANCH_BRANCHES,
    PI_BRANCH_TRACES, /* a branch, and the range behind it */
};

#define PI_BRANCH_ELSEWHERE UINT64_MAX /* as an offset: in another file */

struct pi_branch_count {
    uint32_t dso;
    enum pi_branch_section section;
    uint64_t from, to, end; /* offsets; `end` of a trace */
    uint64_t n, wrong;
};

/* To be called before the other functions. */
enum pd_code pi_branches_make_places(struct pi_exporting *x);
void pi_branches_free(struct pi_exporting *x);
/* Adds the branch stack of a decoded sample of a process. */
enum pd_code pi_export_branches(struct pi_exporting *x, uint32_t pid, const struct pd_record *rec);
/* Adds what was counted to the sums, which are about to be written out, or complete. */
void pi_branches_settle(struct pi_exporting *x);
/*
 * As of struct pi_taker. The order of samples does not matter to their sums: those are taken for whose tasks
 * the session knows what it knew at their time. What fails is kept in x->failed.
 */
void pi_branches_take_run(struct pi_exporting *x, struct pd_reader *reader, struct pd_clock *clock,
                          uint64_t settled, uint64_t known);
bool pi_branches_take(struct pi_exporting *x, struct pd_record *rec, uint64_t time, uint64_t settled);
/* Gives all counts in order of their keys. */
enum pd_code pi_branches_each(struct pd_export *all,
                              enum pd_code (*take)(void *user, const struct pi_branch_count *count,
                                                   struct pd_error *error),
                              void *user, struct pd_error *error);

#endif
