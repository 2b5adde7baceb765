/* SPDX-License-Identifier: MIT */
/* call_chain.h - pd_frames_next(), for loops over many frames. */
#ifndef PERFDATA_CALL_CHAIN_H
#define PERFDATA_CALL_CHAIN_H

#include "src/support/wire.h"
#include <perfdata/session/mappings.h>

/* The mode of the frames behind a marker. False: the marker is unknown. */
bool pi_frames_marker(uint64_t marker, unsigned *cpumode);

/* False if a marker is unknown. */
bool pi_frames_are_known(const struct pd_vec *ips);

/* Sooner than pd_vec_at() where the bytes are the host's. */
static inline uint64_t pi_ip_at(const struct pd_vec *ips, size_t i)
{
    const enum pd_form host = PD_HOST_ORDER == PD_LITTLE ? PD_FORM_LITTLE : PD_FORM_BIG;
    if (ips->width == 8 && ips->form == host)
        return pi_load64((const uint8_t *)ips->ptr + 8 * i, PD_HOST_ORDER);
    return pd_vec_at(ips, i);
}

static inline bool pi_frames_next(struct pd_frames *f, uint64_t *ip, unsigned *cpumode)
{
    if (f->next == 0 && !pi_frames_are_known(&f->ips))
        f->next = f->ips.n;
    while (f->next < f->ips.n) {
        *ip = pi_ip_at(&f->ips, f->next++);
        if (*ip < PD_CONTEXT_MAX) {
            *cpumode = f->cpumode;
            return true;
        }
        pi_frames_marker(*ip, &f->cpumode);
        if (*ip == PD_CONTEXT_USER_DEFERRED) /* a cookie follows */
            f->next = f->ips.n;
    }
    return false;
}

#endif
