/* SPDX-License-Identifier: MIT */
/* attrs.c - the events of a recording, their ids, and which of them a record belongs to. */
#include "attrs.h"
#include "src/codec/plan.h"
#include "src/codec/variant.h"
#include "src/schema/fail.h"
#include "src/support/memory.h"
#include "src/support/wire.h"
#include "src/support/wrap.h"

void pi_attrs_init(struct pi_attrs *a, const struct pd_allocator *allocator, enum pd_order order)
{
    *a = (struct pi_attrs){.allocator = allocator};
    pd_plan_init(&a->none, NULL, order);
}

void pi_attrs_free(struct pi_attrs *a)
{
    for (size_t i = 0; i < a->n; i++)
        pi_release(a->allocator, a->attr[i]);
    pi_release(a->allocator, a->attr);
    pi_release(a->allocator, a->map);
}

PI_WRAPS static size_t place_of(const struct pi_attrs *a, uint64_t id)
{
    return a->plain ? pi_attrs_place(a, id) : (size_t)pi_keyed(&a->key, id) & (a->map_size - 1);
}

uint32_t pi_attrs_find(const struct pi_attrs *a, uint64_t id)
{
    if (a->map_size == 0)
        return UINT32_MAX;
    size_t i = place_of(a, id);
    for (size_t left = a->furthest; a->map[i].id != id && a->map[i].attr != UINT32_MAX; left--) {
        if (left == 0)
            return UINT32_MAX;
        i = (i + 1) & (a->map_size - 1);
    }
    return a->map[i].attr;
}

/* For a missing id, for which there is room. */
PI_WRAPS static void map_put(struct pi_attrs *a, struct pi_id_slot slot)
{
    const size_t mask = a->map_size - 1, place = place_of(a, slot.id);
    size_t i = place;
    while (a->map[i].attr != UINT32_MAX)
        i = (i + 1) & mask;
    a->map[i] = slot;
    if (((i - place) & mask) > a->furthest)
        a->furthest = (i - place) & mask;
}

static bool map_rebuild(struct pi_attrs *a, size_t size)
{
    struct pi_id_slot *old = a->map;
    const size_t old_size = a->map_size;
    struct pi_id_slot *map = pi_array(a->allocator, NULL, size, sizeof *map);
    if (map == NULL)
        return false;
    a->map = map;
    a->map_size = size;
    a->furthest = 0;
    memset(map, 0, size * sizeof *map);
    for (size_t i = 0; i < size; i++)
        map[i].attr = UINT32_MAX;
    for (size_t i = 0; i < old_size; i++)
        if (old[i].attr != UINT32_MAX)
            map_put(a, old[i]);
    pi_release(a->allocator, old);
    return true;
}

/* The first event to claim an id keeps it. */
static bool map_add(struct pi_attrs *a, uint64_t id, uint32_t attr)
{
    const struct pd_plan *plan = &a->attr[attr]->plan;
    const uint32_t least =
        pi_plan_tells_task(plan) ? (uint32_t)sizeof(struct pi_record_header) + plan->budget : UINT32_MAX;
    if (pi_attrs_find(a, id) != UINT32_MAX)
        return true;
    if (a->first_with_id == 0 || attr < a->first_with_id)
        a->first_with_id = attr + (size_t)1;
    if (a->map_size == 0)
        a->plain = true;
    if (a->map_used >= a->map_size / 2 && !map_rebuild(a, a->map_size ? a->map_size * 2 : 64))
        return false;
    map_put(a, (struct pi_id_slot){id, attr, least});
    a->map_used++;
    if (!pi_key_due(&a->key, a->furthest))
        return true;
    a->key = pi_key_draw();
    a->plain = false;
    return map_rebuild(a, a->map_size);
}

static bool same_trailer(const struct pd_plan *a, const struct pd_plan *b)
{
    const uint64_t fields = PD_SAMPLE_TID | PD_SAMPLE_TIME | PD_SAMPLE_ID | PD_SAMPLE_STREAM_ID |
                            PD_SAMPLE_CPU | PD_SAMPLE_IDENTIFIER;
    return a->id_all == b->id_all && ((a->shape.sample_type ^ b->shape.sample_type) & fields) == 0;
}

/* One block: the event, its ids, which are yet to be filled in, and the attr's bytes past the known fields.
 */
static struct pd_event_attr *new_event(struct pi_attrs *a, enum pd_order order, const struct pd_attr *attr,
                                       uint64_t **ids, size_t n_ids)
{
    size_t size = sizeof(struct pd_event_attr) + attr->tail.n;
    struct pd_event_attr *e =
        n_ids > (SIZE_MAX - size) / 8 ? NULL : pi_resize(a->allocator, NULL, size + 8 * n_ids);
    if (e == NULL)
        return NULL;
    *ids = (uint64_t *)(void *)(e + 1);
    uint8_t *own_tail = (uint8_t *)(*ids + n_ids);
    *e = (struct pd_event_attr){.attr = *attr, .ids = *ids, .n_ids = n_ids};
    if (attr->tail.n)
        memcpy(own_tail, attr->tail.ptr, attr->tail.n);
    e->attr.tail.ptr = own_tail;
    pd_plan_init(&e->plan, &e->attr, order);
    return e;
}

/* The event, or NULL for want of memory, becomes the last one. */
static enum pd_code put_event(struct pi_attrs *a, struct pd_event_attr *e, size_t n_ids, uint64_t offset,
                              struct pd_error *error)
{
    if (e == NULL || !pi_grow(a->allocator, (void **)&a->attr, a->n, &a->cap, sizeof *a->attr)) {
        pi_release(a->allocator, e);
        return pi_fail(error, PD_ENOMEM, offset, "attr", 0, sizeof *e + 8 * n_ids);
    }
    e->offset = offset;
    a->attr[a->n++] = e;
    a->seen = a->n;
    a->id_at = a->attr[0]->plan.id;
    if (a->uniform + 1 == a->n && pi_plans_are_alike(&e->plan, &a->attr[0]->plan))
        a->uniform++;
    if (a->same_trailer + 1 == a->n && same_trailer(&e->plan, &a->attr[0]->plan))
        a->same_trailer++;
    for (size_t i = 0; i < n_ids; i++)
        if (!map_add(a, e->ids[i], (uint32_t)(a->n - 1)))
            return pi_fail(error, PD_ENOMEM, offset, "ids", 0, a->map_size * 2 * sizeof *a->map);
    return PD_OK;
}

enum pd_code pi_attrs_add(struct pi_attrs *a, enum pd_order order, const uint8_t *bytes, size_t room,
                          const uint8_t *ids, size_t n_ids, uint64_t offset, struct pd_error *error)
{
    struct pd_attr attr;
    uint64_t *own_ids;
    pd_attr_decode(order, bytes, room, &attr, NULL);
    struct pd_event_attr *e = new_event(a, order, &attr, &own_ids, n_ids);
    for (size_t i = 0; e && i < n_ids; i++)
        own_ids[i] = pi_load64(ids + 8 * i, order);
    if (e)
        e->room = (uint32_t)room;
    return put_event(a, e, n_ids, offset, error);
}

enum pd_code pi_attrs_put(struct pi_attrs *a, const struct pd_attr *attr, const uint64_t *ids, size_t n_ids,
                          struct pd_error *error)
{
    uint64_t *own_ids;
    struct pd_event_attr *e = new_event(a, a->none.order, attr, &own_ids, n_ids);
    for (size_t i = 0; e && i < n_ids; i++)
        own_ids[i] = ids[i];
    return put_event(a, e, n_ids, PD_NOWHERE, error);
}

enum pd_code pi_attrs_put_id(struct pi_attrs *a, uint32_t attr, uint64_t id, struct pd_error *error)
{
    if (attr >= a->n)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "attr", attr, a->n);
    return map_add(a, id, attr)
               ? PD_OK
               : pi_fail(error, PD_ENOMEM, PD_NOWHERE, "ids", 0, a->map_size * 2 * sizeof *a->map);
}

void pi_attrs_pass(struct pi_attrs *a)
{
    a->seen += a->seen < a->n;
    a->id_at = a->n && a->seen == a->n ? a->attr[0]->plan.id : 0;
}

void pi_attrs_seek(struct pi_attrs *a, uint64_t offset)
{
    a->seen = 0;
    a->id_at = 0;
    while (a->seen < a->n && a->attr[a->seen]->offset < offset)
        pi_attrs_pass(a);
}

/* True if the first attr gives such records a place for an event id. */
static bool has_place(const struct pd_plan *first, bool sample)
{
    return sample ? first->id != 0 : first->trailer_id != 0;
}

/* The event id in a record, at the place that the first attr tells; 0 when the record is too short for it. */
static uint64_t record_id(const struct pd_plan *first, const struct pd_record *rec)
{
    if (rec->type == PD_RECORD_SAMPLE)
        return rec->size >= first->id + 8u ? pi_load64(rec->raw + first->id, first->order) : 0;
    if (rec->size < 8u + first->trailer_id)
        return 0;
    return pi_load64(rec->raw + rec->size - first->trailer_id, first->order);
}

/*
 * The event of an id, among the events seen. The first to claim an id keeps it, so later ones cannot have it.
 */
static uint32_t find_seen(const struct pi_attrs *a, uint64_t id)
{
    const uint32_t index = pi_attrs_find(a, id);
    return index < a->seen ? index : UINT32_MAX;
}

/* The event of a record's id, the first one for an id of 0; UINT32_MAX: no event seen has it. */
static uint32_t event_of(const struct pi_attrs *a, const struct pd_record *rec)
{
    const struct pd_plan *first = &a->attr[0]->plan;
    if (!has_place(first, rec->type == PD_RECORD_SAMPLE))
        return UINT32_MAX;
    const uint64_t id = record_id(first, rec);
    return id ? find_seen(a, id) : 0;
}

uint64_t pi_attrs_id_of(const struct pi_attrs *a, const struct pd_record *rec)
{
    const struct pd_plan *first = a->n ? &a->attr[0]->plan : NULL;
    return first && has_place(first, rec->type == PD_RECORD_SAMPLE) ? record_id(first, rec) : 0;
}

static void set_event(const struct pi_attrs *a, struct pd_record *rec, uint32_t index)
{
    rec->attr = &a->attr[index]->attr;
    rec->plan = &a->attr[index]->plan;
    rec->attr_index = index;
}

void pi_attrs_resolve(const struct pi_attrs *a, struct pd_record *rec)
{
    rec->attr = NULL;
    rec->plan = &a->none;
    rec->attr_index = UINT32_MAX;
    if (a->seen == 0)
        return;
    const struct pd_plan *first = &a->attr[0]->plan;
    if (rec->type >= PD_RECORD_HEADER_ATTR) {
        if (pi_type_may_have_id(rec->type)) /* that of the first event */
            rec->plan = first;
        return;
    }
    const bool sample = rec->type == PD_RECORD_SAMPLE;
    if (a->seen == 1 || (!sample && !first->id_all)) {
        set_event(a, rec, 0);
        return;
    }
    const uint32_t index = event_of(a, rec);
    if (index != UINT32_MAX)
        set_event(a, rec, index);
    else
        rec->plan = pi_attrs_plan_of_none(a, sample);
}

bool pi_attrs_concern(const struct pd_record *rec)
{
    return rec->type < PD_RECORD_HEADER_ATTR || (pi_type_may_have_id(rec->type) && !rec->old_feature);
}

enum pd_code pi_attrs_decode(struct pd_record *rec, struct pd_error *error)
{
    if (rec->plan == NULL) {
        rec->decoded = false;
        return pi_fail_record(error, PD_EUNKNOWN, rec, 0, "event id", 0, 0);
    }
    return pd_record_decode_framed(rec->plan, rec, error);
}

/* True if the record is of the same event whatever attrs follow. */
static bool is_settled(const struct pi_attrs *a, const struct pd_record *rec)
{
    const bool sample = rec->type == PD_RECORD_SAMPLE, tool = rec->type >= PD_RECORD_HEADER_ATTR;
    if (!pi_attrs_concern(rec))
        return true;
    if (a->seen == 0)
        return false;
    const struct pd_plan *first = &a->attr[0]->plan;
    if (tool || (!sample && !first->id_all))
        return true;
    if (a->seen > 1)
        return rec->attr_index != UINT32_MAX;
    return event_of(a, rec) != UINT32_MAX;
}

enum pd_code pi_attrs_watch(struct pi_attrs_watch *w, const struct pi_attrs *a, const struct pd_record *rec,
                            struct pd_error *error)
{
    if (w->first.code && a->seen != w->seen) {
        if (error)
            *error = w->first;
        return w->first.code;
    }
    w->seen = a->seen;
    if (!w->first.code && !is_settled(a, rec))
        pi_fail_record(
            &w->first, PD_EUNSUP, rec, 0,
            "record before a HEADER_ATTR that would change what it says (the output has all attrs first)",
            a->seen, a->seen + 1);
    return PD_OK;
}
