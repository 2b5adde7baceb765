/* SPDX-License-Identifier: MIT */
/* reader_skip.c - leaves out stretches of the data, in place of which an index gives records. */
#include "reader_internal.h"
#include "src/schema/fail.h"

void pi_reader_skip(struct pd_reader *r, struct pi_skips *skips)
{
    r->skips = skips;
    r->in.enough = 0;
}

void pi_reader_left_out(const struct pd_reader *r, uint64_t *samples, uint64_t *others)
{
    *samples += r->skips ? r->skips->samples : 0;
    *others += r->skips ? r->skips->others : 0;
}

void pi_skips_move(struct pi_skips *k, uint64_t at)
{
    size_t low = 0, high = k->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (k->stretch[middle].from < at)
            low = middle + 1;
        else
            high = middle;
    }
    k->at = low;
    k->passing = false;
}

/* True if the reader stands at the start of a stretch, with nothing left of what came before. */
static bool is_at_stretch(struct pd_reader *r)
{
    struct pi_skips *k = r->skips;
    while (k->at < k->n && k->stretch[k->at].from < r->at)
        k->at++;
    return k->at < k->n && k->stretch[k->at].from == r->at && r->payload_left == 0 && r->src == &r->in &&
           !pi_inflate_is_open(&r->inflate);
}

/* Goes on behind the stretch; no more is read ahead than up to the next one. */
PI_WRAPS static void pass(struct pd_reader *r)
{
    struct pi_skips *k = r->skips;
    const struct pi_stretch *s = &k->stretch[k->at++];
    r->at = s->to;
    r->index += s->records;
    r->inflate.position += s->inflated;
    r->in.enough = pi_skips_limit(k, r->end);
    k->passing = false;
}

/* The record as the reader would have framed it. */
PI_WRAPS static enum pd_code take(struct pd_reader *r, const struct pi_spared *given, struct pd_record *rec,
                                  struct pd_error *error)
{
    rec->offset = r->at + given->offset;
    rec->index = r->index + given->number;
    rec->depth = given->inside;
    rec->member = r->member;
    rec->nr_cpus_avail = r->nr_cpus_avail;
    rec->old_feature = false;
    rec->payload_size = 0;
    rec->inner_offset = given->inside ? r->inflate.position + given->inner : 0;
    const enum pd_code code = pd_record_frame(r->info.order, given->raw, UINT16_MAX, rec, error);
    if (code)
        return code;
    r->begun |= pi_attrs_concern(rec);
    pi_attrs_resolve(&r->attrs, rec);
    return PD_OK;
}

enum pd_code pi_reader_next_given(struct pd_reader *r, struct pd_record *rec, struct pd_error *error)
{
    struct pi_skips *k = r->skips;
    struct pi_spared given;
    while (k->passing || is_at_stretch(r)) {
        const enum pd_code code = k->next(k->user, k->at, !k->passing, &given, error);
        k->passing = true;
        if (code == PD_OK)
            return take(r, &given, rec, error);
        if (code != PD_END)
            return code;
        pass(r);
    }
    return PD_END;
}
