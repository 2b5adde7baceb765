/* SPDX-License-Identifier: MIT */
/* skim.c - skips samples in place, and sums over them. */
#include "src/codec/usual.h"
#include "sample_run.h"
#include "skim.h"

static bool is_seen(const struct pi_skim *skim, uint32_t tid)
{
    return skim->tids == NULL || (tid < skim->n_tids && skim->tids[tid / 64] >> tid % 64 & 1);
}

void pi_reader_skim(struct pd_reader *r, struct pi_skim *skim)
{
    const uint8_t *stop, *const begin = pi_reader_sees(r, &stop), *p = begin;
    struct pi_samples s = pi_samples_of(r);
    uint64_t n = 0, first = skim->first, last = skim->last, time;
    uint32_t tid;
    if (s.plan == NULL || s.plan->usual == 0)
        return;
    const size_t whole = pi_samples_whole(r, &s);
    while (pi_samples_next(p, (size_t)(stop - p), &s, &time) && time) {
        memcpy(&tid, p + s.plan->pid + 4, sizeof tid);
        if (!is_seen(skim, tid) || !(s.size == whole || pi_sample_fits(s.plan, p, s.size)))
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
    skim->inflated += pi_reader_is_inside(r) ? (uint64_t)(p - begin) : 0;
    pi_reader_passed(r, p, n);
}

size_t pi_reader_pass(struct pd_reader *r, const struct pd_record *rec, size_t most, size_t room,
                      size_t *bytes)
{
    const uint8_t *const begin = rec->raw + rec->size, *p = begin, *stop = r->src->stop;
    size_t n = 0;
    *bytes = 0;
    if (rec->type != PD_RECORD_SAMPLE || r->src->next != begin)
        return 0;
    stop = room < (size_t)(stop - p) ? p + room : stop;
    for (; n < most; n++) {
        struct pi_record_header h;
        uint32_t index;
        if ((size_t)(stop - p) < sizeof h)
            break;
        memcpy(&h, p, sizeof h);
        if (h.type != PD_RECORD_SAMPLE || h.size < sizeof h || h.size > (size_t)(stop - p) ||
            pi_attrs_quick(&r->attrs, p, h.type, h.size, &index) == NULL || index != rec->attr_index)
            break;
        p += h.size;
    }
    *bytes = (size_t)(p - begin);
    pi_reader_passed(r, p, n);
    return n;
}
