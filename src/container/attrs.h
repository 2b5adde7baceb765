/* SPDX-License-Identifier: MIT */
/* attrs.h - the events of a recording, and which of them a record belongs to. */
#ifndef PERFDATA_ATTRS_H
#define PERFDATA_ATTRS_H

#include "src/support/keyed.h"
#include "src/support/wire.h"
#include <perfdata/reader.h>

struct pd_id_slot {
    uint64_t id;
    uint32_t attr; /* UINT32_MAX: free */
};

struct pd_attrs {
    const struct pd_allocator *allocator;
    struct pd_event_attr *
        *attr; /* each allocated by itself, so that records may point to it while more come */
    size_t n, cap;
    size_t seen; /* of these, the first ones that records may be of: of a stream that is read again, those
                    before its place */
    struct pd_id_slot *map; /* open addressing, a power of two, at most half full */
    size_t map_size, map_used;
    size_t furthest;   /* of all ids, from their place in the map to where they are */
    struct pd_key key; /* drawn when an id is too far away */
    bool plain;        /* there is a map, and no key is drawn: pd_attrs_place() tells the place */
    size_t id_at; /* where samples have the id, as the first event says; 0: nowhere, or there are events not
                     seen yet */
    struct pd_plan none; /* for records without an event */
    size_t uniform;      /* how many of the first events lay out samples and trailers alike */
    size_t same_trailer; /* how many of the first events have the same trailer */
};

void pd_attrs_init(struct pd_attrs *a, const struct pd_allocator *allocator, enum pd_order order);
void pd_attrs_free(struct pd_attrs *a);

/* Adds an event from the `room` bytes of its attr in stream order; the ids are given in stream order, too. */
enum pd_code pd_attrs_add(struct pd_attrs *a, enum pd_order order, const uint8_t *bytes, size_t room,
                          const uint8_t *ids, size_t n_ids, uint64_t offset, struct pd_error *error);

/*
 * A stream is read again from an offset on: what its records mean follows from the attrs before them, each
 * time. Those that come by again are seen again.
 */
void pd_attrs_seek(struct pd_attrs *a, uint64_t offset);
void pd_attrs_pass(struct pd_attrs *a);

/* The attr of an event id, seen or not; UINT32_MAX when none. */
uint32_t pd_attrs_find(const struct pd_attrs *a, uint64_t id);

/* The event id in a framed record, at the place that the first attr tells; 0 when there is none. */
uint64_t pd_attrs_id_of(const struct pd_attrs *a, const struct pd_record *rec);

/* Sets attr, attr_index and plan of a framed record (FORMAT.md, "which event a record belongs to"). */
void pd_attrs_resolve(const struct pd_attrs *a, struct pd_record *rec);

/* Where to look for an id in the map first: the golden ratio parts ids that follow each other. */
PD_WRAPS static inline size_t pd_attrs_place(const struct pd_attrs *a, uint64_t id)
{
    return (size_t)((id * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (a->map_size - 1);
}

/*
 * The event of a record of the kernel in this machine's byte order, where it is seen at once: of a recording
 * with one event, all are of that one; of several, most samples have an id that is at its first place in the
 * map. NULL: ask pd_attrs_resolve(), which costs 5 ns more.
 */
static inline const struct pd_event_attr *pd_attrs_quick(const struct pd_attrs *a, const uint8_t *raw,
                                                         uint32_t type, size_t size, uint32_t *index)
{
    if (a->seen != 1) {
        uint64_t id;
        if (type != PD_RECORD_SAMPLE || a->id_at == 0 || size < a->id_at + sizeof id || !a->plain)
            return NULL;
        memcpy(&id, raw + a->id_at, sizeof id);
        const struct pd_id_slot *slot = &a->map[pd_attrs_place(a, id)];
        if (slot->id != id || id == 0) /* free ones have 0 */
            return NULL;
        *index = slot->attr;
        return a->attr[slot->attr];
    }
    *index = 0;
    return a->attr[0];
}

/* Do all events that are seen lay out samples and trailers alike? */
static inline bool pd_attrs_uniform(const struct pd_attrs *a)
{
    return a->seen <= a->uniform;
}

/*
 * For who writes all attrs before the records: a record may mean something else once attrs are known that
 * come behind it in the stream. All zeros at the start; each record of the stream is shown in the order of
 * the stream, those of attrs, too.
 */
struct pd_attrs_watch {
    size_t seen;           /* events */
    struct pd_error first; /* the first record that more attrs might change; no code: there is none yet */
};

/* May the record have a sample_id, or, as a sample, be laid out by an attr? */
bool pd_attrs_concern(const struct pd_record *rec);
/* PD_EUNSUP: attrs came that may change what the record in the error means. */
enum pd_code pd_attrs_watch(struct pd_attrs_watch *w, const struct pd_attrs *a, const struct pd_record *rec,
                            struct pd_error *error);

#endif
