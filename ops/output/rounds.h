/* SPDX-License-Identifier: MIT */
/*
 * rounds.h - ends of rounds in records that are written in order of time. perf processes a record without a
 * time as soon as it reads it, and others at the end of the next round but one. So two ends of rounds are
 * written before a record without a time, to keep it behind the records before it.
 */
#ifndef PERFDATA_ROUNDS_H
#define PERFDATA_ROUNDS_H

#include "src/session/order/clock.h"
#include "src/support/wire.h"
#include <perfdata/constants.h>
#include <perfdata/session/tasks.h>

struct pi_rounds {
    struct pd_clock clock; /* the records of the output that perf has processed */
    uint8_t bytes[8];      /* a FINISHED_ROUND */
    struct pd_record record;
};

static inline void pi_round_make(uint8_t bytes[8], enum pd_order order, struct pd_record *rec)
{
    pi_store32(bytes, PD_RECORD_FINISHED_ROUND, order);
    pi_store16(bytes + 4, 0, order);
    pi_store16(bytes + 6, 8, order);
    pd_record_frame(order, bytes, 8, rec, NULL);
}

static inline void pi_rounds_init(struct pi_rounds *r, enum pd_order order)
{
    pd_clock_init(&r->clock, true);
    pi_round_make(r->bytes, order, &r->record);
}

/* Writes ends of rounds until perf has processed all written records. */
static inline enum pd_code pi_rounds_flush(struct pi_rounds *r,
                                           enum pd_code (*put)(void *user, const struct pd_record *round),
                                           void *user)
{
    struct pd_moment when;
    enum pd_code code = PD_OK;
    while (!code && r->clock.waiting) {
        pd_clock_stamp(&r->clock, &r->record, &when);
        code = put(user, &r->record);
    }
    return code;
}

/* Notes the next record, and writes what must precede it. */
static inline enum pd_code pi_rounds_before(struct pi_rounds *r, const struct pd_record *rec,
                                            enum pd_code (*put)(void *user, const struct pd_record *round),
                                            void *user)
{
    struct pd_moment when;
    const bool round = rec->type == PD_RECORD_FINISHED_ROUND && !rec->old_feature;
    uint64_t time;
    const bool timed = pi_known_time(rec, &time);
    if (timed && !round) {
        pi_clock_follow(&r->clock, time);
        return PD_OK;
    }
    const enum pd_code code = round ? PD_OK : pi_rounds_flush(r, put, user);
    pd_clock_stamp(&r->clock, rec, &when);
    return code;
}

#endif
