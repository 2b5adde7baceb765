/* SPDX-License-Identifier: MIT */
/* skim.c - sums over samples that are passed over where they stand. */
#include "codec_internal.h"
#include "file.h"

static bool is_seen(const struct pd_skim *skim, uint32_t tid)
{
    return skim->tids == NULL || (tid < skim->n_tids && skim->tids[tid / 64] >> tid % 64 & 1);
}

void pd_reader_skim(struct pd_reader *r, struct pd_skim *skim)
{
    const uint8_t *p = r->src->next, *const begin = p, *const stop = r->src->stop;
    struct pd_samples s = pd_samples_of(r);
    uint64_t n = 0, first = skim->first, last = skim->last, time;
    uint32_t tid;
    if (r->attrs.n != 1 || r->attrs.attr[0]->plan.usual == 0)
        return;
    const bool fixed = (r->attrs.attr[0]->attr.sample_type & (PD_SAMPLE_CALLCHAIN | PD_SAMPLE_RAW)) == 0;
    while (pd_samples_next(r, p, (size_t)(stop - p), &s, &time) && time) {
        memcpy(&tid, p + s.plan->pid + 4, sizeof tid);
        if (!is_seen(skim, tid) || !(fixed ? s.size == s.usual : pd_sample_fits(s.plan, p, s.size)))
            break;
        first = time < first ? time : first;
        last = time > last ? time : last;
        p += s.size;
        n++;
    }
    skim->first = first;
    skim->last = last;
    skim->samples += n;
    skim->bytes += (uint64_t)(p - begin);
    pd_reader_passed(r, p, n);
}
