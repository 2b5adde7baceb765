/* SPDX-License-Identifier: MIT */
/* attrs.h - the events of a recording, and which of them a record belongs to. */
#ifndef PERFDATA_ATTRS_H
#define PERFDATA_ATTRS_H

#include "wire.h"
#include <perfdata/reader.h>

struct pd_id_slot {
    uint64_t id;
    uint32_t attr; /* UINT32_MAX: free */
};

struct pd_attrs {
    const struct pd_allocator *allocator;
    struct pd_event_attr **attr; /* each allocated by itself, so that records may point to it while more come */
    size_t n, cap;
    struct pd_id_slot *map;  /* open addressing, a power of two, at most half full */
    size_t map_size, map_used;
    struct pd_plan none;     /* for records without an event */
    bool uniform;            /* all events lay out samples and trailers alike */
    bool same_trailer;       /* all events have the same trailer */
};

void pd_attrs_init(struct pd_attrs *a, const struct pd_allocator *allocator, enum pd_order order);
void pd_attrs_free(struct pd_attrs *a);

/* Adds an event from the `room` bytes of its attr in stream order; the ids are given in stream order, too. */
enum pd_code pd_attrs_add(struct pd_attrs *a, enum pd_order order, const uint8_t *bytes, size_t room, const uint8_t *ids,
                          size_t n_ids, uint64_t offset, struct pd_error *error);

/* The attr of an event id, UINT32_MAX when none. */
uint32_t pd_attrs_find(const struct pd_attrs *a, uint64_t id);

/* Sets attr, attr_index and plan of a framed record (FORMAT.md, "which event a record belongs to"). */
void pd_attrs_resolve(const struct pd_attrs *a, struct pd_record *rec);

/* Where to look for an id in the map first. */
static inline size_t pd_attrs_place(const struct pd_attrs *a, uint64_t id)
{
    return (size_t)((id * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (a->map_size - 1);
}

/*
 * The same for records of the kernel. Of a recording with one event, all are of that one; of several, most samples have an
 * id that is at its first place in the map. The call of the general function would be 5 ns more.
 */
static inline void pd_attrs_resolve_kernel(const struct pd_attrs *a, struct pd_record *rec)
{
    uint32_t index = 0;
    if (a->n != 1) {
        const struct pd_plan *first = a->n ? &a->attr[0]->plan : &a->none;
        index = UINT32_MAX;
        if (rec->type == PD_RECORD_SAMPLE && first->id && rec->size >= first->id + 8u && a->map_size) {
            const uint64_t id = pd_load64(rec->raw + first->id, (enum pd_order)first->order);
            const struct pd_id_slot *slot = &a->map[pd_attrs_place(a, id)];
            index = slot->id == id && id ? slot->attr : UINT32_MAX;
        }
        if (index == UINT32_MAX) {
            pd_attrs_resolve(a, rec);
            return;
        }
    }
    rec->attr = &a->attr[index]->attr;
    rec->plan = &a->attr[index]->plan;
    rec->attr_index = index;
}

#endif
