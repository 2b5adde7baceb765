/* SPDX-License-Identifier: MIT */
/* call_chain.h - pd_frames_next(), for loops over many frames. */
#ifndef PERFDATA_CALL_CHAIN_H
#define PERFDATA_CALL_CHAIN_H

#include "src/support/wire.h"
#include <perfdata/session/mappings.h>

/* The mode of the frames behind a marker. False: the marker is unknown. */
bool pi_frames_marker(uint64_t marker, unsigned *cpumode);

static inline bool pi_frames_next(struct pd_frames *f, uint64_t *ip, unsigned *cpumode)
{
    const enum pd_form host = PD_HOST_ORDER == PD_LITTLE ? PD_FORM_LITTLE : PD_FORM_BIG;
    const bool words = f->ips.width == 8 && f->ips.form == host;
    while (f->next < f->ips.n) {
        if (words)
            *ip = pi_load64((const uint8_t *)f->ips.ptr + 8 * f->next, PD_HOST_ORDER);
        else
            *ip = pd_vec_at(&f->ips, f->next);
        f->next++;
        if (*ip < PD_CONTEXT_MAX) {
            *cpumode = f->cpumode;
            return true;
        }
        if (!pi_frames_marker(*ip, &f->cpumode) || *ip == PD_CONTEXT_USER_DEFERRED) /* a cookie follows */
            f->next = f->ips.n;
    }
    return false;
}

#endif
