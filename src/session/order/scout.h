/* SPDX-License-Identifier: MIT */
/*
 * scout.h - the first reading of PD_SORT_CAUSAL: it finds the times of the side-band that is still to come.
 *
 * It reads ahead of the reader in the reader's own window, so that the bytes of most recordings are read
 * once. By perf's rule of rounds, a record that comes later is not older than what the ends of rounds so far
 * have settled (struct pd_clock, `done`). So all side-band before that time, excluded, is known, and records
 * before it can be treated as if all was read. Where a window does not have as many rounds, or something in
 * it that only the reader itself can read, the rest is read to its end first.
 *
 * A record that breaks the rule, or side-band without a time, may be found after others were given. Until
 * then each record was given at a time that was settled before that record came: PD_SORT_TIME would have
 * given all of them before it, too, and goes on from there.
 */
#ifndef PERFDATA_SCOUT_H
#define PERFDATA_SCOUT_H

#include "taker.h"

struct pi_scout {
    const struct pd_allocator *allocator;
    struct pd_reader *reader;
    const struct pi_taker *taker; /* NULL: none, or it wants no more */
    struct pd_clock clock;
    uint64_t last;          /* time read */
    uint64_t at, index;     /* where it goes on */
    uint64_t known;         /* all side-band before this time was read; UINT64_MAX: all */
    uint64_t from;          /* where the reader was when it last read on; PD_NOWHERE: it has not */
    size_t reach, farthest; /* how far it reads ahead of the reader, in bytes: now, at most */
    uint64_t *times;        /* of side-band that was read and not given, a heap, the first at its top */
    size_t n_times, cap_times, most;
    size_t n_events; /* of the reader, that were looked at */
    bool may;        /* samples may pass others, as far as was read */
    bool in_order;   /* each record that was read comes behind all before it */
    bool near;       /* it reads in the window: records come from pi_scout_next() alone */
};

/* Begins at the reader's position, to note `most` times at once. An error of reading, or PD_ENOMEM. */
enum pd_code pi_scout_open(struct pi_scout *s, struct pd_reader *reader, const struct pd_allocator *allocator,
                           const struct pi_taker *taker, size_t most, struct pd_error *error);
void pi_scout_close(struct pi_scout *s);
/* While it is near: the next record of the reader, if all that it depends on is known. */
bool pi_scout_next(struct pi_scout *s, struct pd_record *rec);
/* While it is near, and pi_scout_next() has no record: reads on. An error of reading, or PD_ENOMEM. */
enum pd_code pi_scout_read_on(struct pi_scout *s, struct pd_error *error);
/* The first of the side-band that was not given yet is given. */
void pi_scout_pass(struct pi_scout *s);

/* Up to this time, excluded, all side-band was given. */
static inline uint64_t pi_scout_given(const struct pi_scout *s)
{
    return s->n_times && s->times[0] < s->known ? s->times[0] : s->known;
}

#endif
