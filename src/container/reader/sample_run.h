/* SPDX-License-Identifier: MIT */
/* sample_run.h - loops over records of the kernel, or samples alone, that take each without a call. */
#ifndef PERFDATA_SAMPLE_RUN_H
#define PERFDATA_SAMPLE_RUN_H

#include "reader_internal.h"
#include <string.h>

_Static_assert(offsetof(struct pd_record, type) == 0 && offsetof(struct pd_record, misc) == 4 &&
                   offsetof(struct pd_record, size) == 6,
               "as in struct pi_record_header");

/* pd_record_frame() of a record in this machine's byte order that was framed before. */
static inline void pi_record_take_header(struct pd_record *rec, const uint8_t *raw)
{
    memcpy(rec, raw, sizeof(struct pi_record_header));
    rec->raw = raw;
    rec->payload_size = 0;
    rec->decoded = false;
}

/* The record at p, but for its place, if it is one of the kernel and has an event that is found at once. */
static inline bool pi_reader_frame_quick(const struct pd_reader *r, const uint8_t *p, size_t left,
                                         struct pd_record *rec)
{
    const struct pd_event_attr *event;
    struct pi_record_header h;
    if (left < sizeof h)
        return false;
    memcpy(&h, p, sizeof h);
    if (h.type >= PD_RECORD_HEADER_ATTR || h.size < sizeof h || h.size > left ||
        (event = pi_attrs_quick(&r->attrs, p, h.type, h.size, &rec->attr_index)) == NULL)
        return false;
    memcpy(rec, &h, sizeof h);
    rec->raw = p;
    rec->attr = &event->attr;
    rec->plan = &event->plan;
    rec->index = r->index;
    rec->payload_size = 0;
    rec->nr_cpus_avail = r->nr_cpus_avail;
    rec->member = r->member;
    rec->variant = 0;
    rec->has_id = rec->decoded = rec->old_feature = false;
    return true;
}

/*
 * The next such record if it follows another one and is completely in the window: then only its position is
 * needed. That takes 4 ns in place of 13. Visible bytes do not move.
 */
static inline bool pi_reader_next_quick(struct pd_reader *r, struct pd_record *rec)
{
    const uint8_t *p = r->src->next;
    if (!pi_reader_frame_quick(r, p, (size_t)(r->src->stop - p), rec))
        return false;
    rec->offset = r->at;
    rec->depth = 0;
    r->src->next = p + rec->size;
    r->at += rec->size;
    r->index++;
    return true;
}

/*
 * A loop over samples alone. With one event, and samples without a varying part, nearly all have the same
 * size: then the next one is begun before the size of this one is known, which saves 2 ns.
 */
struct pi_samples {
    const struct pd_plan *plan; /* of the sample, which suits; NULL: there was none yet */
    size_t size;
    uint32_t index;         /* of its event */
    size_t usual;           /* size of samples whose event need not be looked up; 1: there is none */
    size_t least;           /* a smaller one is not taken; SIZE_MAX: none is */
    struct pi_attrs events; /* pi_attrs_view() */
};

static inline struct pi_samples pi_samples_of(const struct pd_reader *r)
{
    const struct pi_attrs events = pi_attrs_view(&r->attrs);
    const struct pd_plan *plan = events.seen == 1 ? &events.attr[0]->plan : NULL;
    if (plan && pi_plan_tells_task(plan)) {
        const size_t size = plan->budget + sizeof(struct pi_record_header);
        return (struct pi_samples){plan, size, 0, size, size, events};
    }
    const bool found = events.seen > 1 && events.plain && events.id_at;
    return (struct pi_samples){NULL, 1, 0, 1, found ? events.id_at + sizeof(uint64_t) : SIZE_MAX, events};
}

/* Samples of this size are whole, since none of their fields varies; 1: each has to be looked at. */
static inline size_t pi_samples_whole(const struct pd_reader *r, const struct pi_samples *s)
{
    const uint64_t vary = PD_SAMPLE_CALLCHAIN | PD_SAMPLE_RAW;
    const bool none = s->usual != 1 && s->plan->usual && !(r->attrs.attr[0]->attr.sample_type & vary);
    return none ? s->usual : 1;
}

/*
 * The next record at p, if it is a sample with a task and a time; false: it is not, or that needs a lookup.
 * Call pi_reader_passed() for the samples skipped in this way.
 */
static inline bool pi_samples_next(const uint8_t *p, size_t left, struct pi_samples *s, uint64_t *time)
{
    struct pi_record_header h;
    if (left < sizeof h)
        return false;
    memcpy(&h, p, sizeof h);
    if (h.type != PD_RECORD_SAMPLE || h.size < sizeof h || h.size > left)
        return false;
    s->size = s->usual;
    __asm__("" : "+r"(s->size)); /* so that no compiler takes h.size for it, which is equal */
    if (h.size != s->usual) {
        if (h.size < s->least)
            return false;
        if (s->events.seen != 1) {
            const struct pi_id_slot *slot = pi_attrs_slot(&s->events, p);
            if (slot == NULL || h.size < slot->least)
                return false;
            s->index = slot->attr;
            s->plan = &s->events.attr[slot->attr]->plan;
        }
        s->size = h.size;
    }
#ifdef PI_ANALYZER /* gcc's does not see that without a plan the usual size is 1, as that of no sample */
    if (s->plan == NULL)
        return false;
#endif
    memcpy(time, p + s->plan->time, sizeof *time);
    return *time != UINT64_MAX;
}

/* True if what was decompressed comes next, and its records can be taken where they are. */
static inline bool pi_reader_is_inside(const struct pd_reader *r)
{
    return r->inside && r->begun && !r->nested && !r->pending.code && r->info.order == PD_HOST_ORDER;
}

/* Up to *stop, bytes from which records behind another one can be taken: in the window, or decompressed. */
static inline const uint8_t *pi_reader_sees(const struct pd_reader *r, const uint8_t **stop)
{
    if (!pi_reader_is_inside(r)) {
        *stop = r->src->stop;
        return r->src->next;
    }
    *stop = r->inflate.buf + r->inflate.end;
    return r->inflate.buf + r->inflate.start;
}

/* There are none: who looks at many records one by one asks this before anything else. */
static inline bool pi_reader_sees_none(const struct pd_reader *r)
{
    const uint8_t *stop;
    return pi_reader_sees(r, &stop) == stop;
}

/* The reader continues at p of those bytes, behind n more records. */
static inline void pi_reader_passed(struct pd_reader *r, const uint8_t *p, uint64_t n)
{
    r->index += n;
    if (pi_reader_is_inside(r)) {
        pi_inflate_take(&r->inflate, (size_t)(p - r->inflate.buf) - r->inflate.start);
        return;
    }
    r->at += (uint64_t)(p - r->src->next);
    r->src->next = p;
}

/* Passes the kernel's records from the reader's position on, as far as they can be taken where they are. */
static inline void pi_reader_pass_kernel(struct pd_reader *r)
{
    const uint8_t *stop, *p = pi_reader_sees(r, &stop);
    struct pi_record_header h;
    uint64_t n = 0;
    /*@ loop invariant \base_addr(stop) == \base_addr(p) && p <= stop;
      @ loop invariant \valid_read(p + (0 .. stop - p - 1));
      @ loop assigns p, n, h;
      @ loop variant stop - p;
      @*/
    for (; (size_t)(stop - p) >= sizeof h; p += h.size, n++) {
        memcpy(&h, p, sizeof h);
        if (h.type >= PD_RECORD_HEADER_ATTR || h.size < sizeof h || h.size > (size_t)(stop - p))
            break;
    }
    pi_reader_passed(r, p, n);
}

/* Takes back n records that came from p on, without a look at anything else. */
static inline void pi_reader_back(struct pd_reader *r, const uint8_t *p, uint64_t n)
{
    r->at -= (uint64_t)(r->src->next - p);
    r->src->next = p;
    r->index -= n;
}

/* Takes back a record that pi_reader_next_quick() has just given. */
static inline void pi_reader_again(struct pd_reader *r, const struct pd_record *rec)
{
    pi_reader_back(r, r->src->next - rec->size, 1);
}

#endif
