/* SPDX-License-Identifier: MIT */
/*
 * taker.h - taking samples before a sorter puts them in order: for callers to whom many samples are alike,
 * and who need only some of them in their place.
 */
#ifndef PERFDATA_TAKER_H
#define PERFDATA_TAKER_H

#include <perfdata/session/sorter.h>
#include <perfdata/session/tasks.h>

struct pi_taker {
    /*
     * Each record that is no sample, with its moment, ahead of the others; may decode it. False: nothing more
     * is to be taken; the reading goes on.
     */
    bool (*ahead)(void *user, struct pd_record *rec, const struct pd_moment *when);
    /*
     * Takes samples from the reader's position on, follows the clock for them, and passes them; stops at any
     * other record, and at a sample that is to be given. All records up to the time `settled`, excluded, that
     * are no samples have been given: a sample before it would be given at once. `ahead` has had all of them
     * up to the time `known`, excluded, UINT64_MAX: all; it must stop at samples that are not before it, too.
     */
    void (*take_run)(void *user, struct pd_reader *reader, struct pd_clock *clock, uint64_t settled,
                     uint64_t known);
    /* Takes this framed sample, of that time, which is not 0; may decode it. False: it is to be given. */
    bool (*take)(void *user, struct pd_record *rec, uint64_t time, uint64_t settled);
    void *user;
};

/*
 * As pd_sorter_open() with PD_SORT_CAUSAL. The taker is asked only where samples may pass others: not if
 * PD_SORT_TIME is used instead. It must outlive the sorter.
 */
enum pd_code pi_sorter_open_taker(struct pd_sorter **sorter, struct pd_reader *reader,
                                  const struct pd_sorter_options *options, const struct pi_taker *taker,
                                  struct pd_error *error);

#endif
