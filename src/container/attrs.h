/* SPDX-License-Identifier: MIT */
/* attrs.h - the events of a recording, and which of them a record belongs to. */
#ifndef PERFDATA_ATTRS_H
#define PERFDATA_ATTRS_H

#include "src/support/keyed.h"
#include "src/support/wire.h"
#include <perfdata/reader.h>

struct pi_id_slot {
    uint64_t id;
    uint32_t attr;  /* UINT32_MAX: free */
    uint32_t least; /* size of its samples that have their task and time; UINT32_MAX: these are elsewhere */
};

struct pi_attrs {
    const struct pd_allocator *allocator;
    struct pd_event_attr *
        *attr; /* each allocated separately, so that records may point to it while more attrs come */
    size_t n, cap;
    size_t seen; /* the number of first events that records may be of: in a stream that is read again, those
                    before its position */
    struct pi_id_slot *map; /* open addressing, a power of two, at most half full */
    size_t map_size, map_used;
    size_t first_with_id; /* the number of the first event that has an id, + 1; 0: none has */
    size_t furthest;      /* of all ids, from their hashed place in the map to their actual one */
    struct pi_key key;    /* drawn when an id is too far away */
    bool plain;           /* there is a map, and no key is drawn: pi_attrs_place() tells the place */
    size_t id_at; /* position of the id in samples, according to the first event; 0: none, or there are events
                     not seen yet */
    struct pd_plan none; /* for records without an event */
    size_t uniform;      /* number of the first events with the same layout of samples and trailers */
    size_t same_trailer; /* number of the first events with the same trailer */
};

/* True if samples have their task and time at the plan's places; those of off-cpu time have another task. */
static inline bool pi_plan_tells_task(const struct pd_plan *plan)
{
    return plan->time && plan->pid && !plan->offcpu;
}

void pi_attrs_init(struct pi_attrs *a, const struct pd_allocator *allocator, enum pd_order order);
void pi_attrs_free(struct pi_attrs *a);

/* Adds an event from the `room` bytes of its attr in stream order; the ids are given in stream order, too. */
enum pd_code pi_attrs_add(struct pi_attrs *a, enum pd_order order, const uint8_t *bytes, size_t room,
                          const uint8_t *ids, size_t n_ids, uint64_t offset, struct pd_error *error);
/* The same for an event that is not in a file, in the byte order of pi_attrs_init(); its ids in host order.
 */
enum pd_code pi_attrs_put(struct pi_attrs *a, const struct pd_attr *attr, const uint64_t *ids, size_t n_ids,
                          struct pd_error *error);
/* One more id of event `attr`; PD_EARG: there is no such event. */
enum pd_code pi_attrs_put_id(struct pi_attrs *a, uint32_t attr, uint64_t id, struct pd_error *error);

/*
 * A stream is read again from an offset on: each time, the attrs before a record determine its meaning. Attrs
 * that are read again become seen again.
 */
void pi_attrs_seek(struct pi_attrs *a, uint64_t offset);
void pi_attrs_pass(struct pi_attrs *a);

/* The attr of an event id, seen or not; UINT32_MAX when none. */
uint32_t pi_attrs_find(const struct pi_attrs *a, uint64_t id);

/* The event id in a framed record, at the place that the first attr tells; 0 when there is none. */
uint64_t pi_attrs_id_of(const struct pi_attrs *a, const struct pd_record *rec);

/* Sets attr, attr_index and plan of a framed record (FORMAT.md, "which event a record belongs to"). */
void pi_attrs_resolve(const struct pi_attrs *a, struct pd_record *rec);
/* Decodes a record whose event was looked for; PD_EUNKNOWN: it was not found, and so the layout is not known.
 */
enum pd_code pi_attrs_decode(struct pd_record *rec, struct pd_error *error);

/* The first place of an id in the map: the golden ratio separates consecutive ids. */
PI_WRAPS static inline size_t pi_attrs_place(const struct pi_attrs *a, uint64_t id)
{
    return (size_t)((id * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (a->map_size - 1);
}

/* That of the id of a sample with room for it, if it is the first for its place; else NULL. */
static inline const struct pi_id_slot *pi_attrs_slot(const struct pi_attrs *a, const uint8_t *raw)
{
    uint64_t id;
    memcpy(&id, raw + a->id_at, sizeof id);
    const struct pi_id_slot *slot = &a->map[pi_attrs_place(a, id)];
    return slot->id == id && id ? slot : NULL; /* free ones have 0 */
}

/*
 * The event of a kernel record in this machine's byte order, if it is found at once: with one event, all
 * records are of it; with several, most samples have an id that is at its first place in the map. NULL: call
 * pi_attrs_resolve(), which takes 5 ns more.
 */
static inline const struct pd_event_attr *pi_attrs_quick(const struct pi_attrs *a, const uint8_t *raw,
                                                         uint32_t type, size_t size, uint32_t *index)
{
    if (a->seen != 1) {
        if (type != PD_RECORD_SAMPLE || a->id_at == 0 || size < a->id_at + sizeof(uint64_t) || !a->plain)
            return NULL;
        const struct pi_id_slot *slot = pi_attrs_slot(a, raw);
        if (slot == NULL)
            return NULL;
        *index = slot->attr;
        return a->attr[slot->attr];
    }
    *index = 0;
    return a->attr[0];
}

/* What pi_attrs_quick() reads, for loops that keep it in registers; good until attrs come. */
static inline struct pi_attrs pi_attrs_view(const struct pi_attrs *a)
{
    return (struct pi_attrs){.attr = a->attr,
                             .seen = a->seen,
                             .map = a->map,
                             .map_size = a->map_size,
                             .plain = a->plain,
                             .id_at = a->id_at};
}

/* True if all events seen have the same layout of samples and trailers. */
static inline bool pi_attrs_uniform(const struct pi_attrs *a)
{
    return a->seen <= a->uniform;
}

/* The plan of a sample, or other record of the kernel, whose id no event has; NULL: events differ in it. */
static inline const struct pd_plan *pi_attrs_plan_of_none(const struct pi_attrs *a, bool sample)
{
    const bool alike = pi_attrs_uniform(a) || (!sample && a->seen <= a->same_trailer);
    return a->seen && alike ? &a->attr[0]->plan : NULL;
}

/*
 * For writers that put all attrs before the records: attrs that come behind a record in the stream may change
 * its meaning. All zeros at the start; pass each record of the stream in order, including those of attrs.
 */
struct pi_attrs_watch {
    size_t seen;           /* events */
    struct pd_error first; /* the first record that more attrs might change; no code: there is none yet */
};

/* True if the record may have a sample_id, or is a sample, whose layout depends on an attr. */
bool pi_attrs_concern(const struct pd_record *rec);
/* PD_EUNSUP: attrs came that may change the meaning of the record in the error. */
enum pd_code pi_attrs_watch(struct pi_attrs_watch *w, const struct pi_attrs *a, const struct pd_record *rec,
                            struct pd_error *error);

#endif
