/* SPDX-License-Identifier: MIT */
/*
 * carried_head.h - the bytes in front of a feature in a record that carries it, and of a build id that gets a
 * pid; the mirror of src/codec/carried.h.
 */
#ifndef PERFDATA_CARRIED_HEAD_H
#define PERFDATA_CARRIED_HEAD_H

#include "src/codec/carried.h"

/*
 * Writes the head of a HEADER_FEATURE record, or, if `old`, of one of the feature's own type. n: bytes of the
 * feature, at most PI_CARRIED_MOST; 0 marks the end of the features. Returns the bytes of the head.
 */
static inline size_t pi_put_carried_head(enum pd_order order, uint64_t id, bool old, size_t n,
                                         uint8_t to[PI_CARRIED_HEAD])
{
    const size_t head = old ? PI_CARRIED_HEAD_OLD : PI_CARRIED_HEAD;
    pi_store32(to, old ? (uint32_t)id + PI_OLD_FEATURE : (uint32_t)PD_RECORD_HEADER_FEATURE, order);
    pi_store16(to + 4, 0, order);
    pi_store16(to + 6, (uint16_t)(head + n), order);
    if (!old)
        pi_store64(to + 8, id, order);
    return head;
}

/* Header and pid of an entry of BUILD_ID that had no pid; behind them is what was behind its header. */
#define PI_BUILD_ID_HEAD 12 /* bytes */
static inline void pi_put_build_id_head(enum pd_order order, uint32_t type, uint16_t misc, size_t size,
                                        uint8_t to[PI_BUILD_ID_HEAD])
{
    pi_store32(to, type, order);
    pi_store16(to + 4, misc, order);
    pi_store16(to + 6, (uint16_t)size, order);
    pi_store32(to + 8, (uint32_t)pi_build_id_pid(misc), order);
}

#endif
