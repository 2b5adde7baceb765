/* SPDX-License-Identifier: MIT */
/* merge_events.c - the ids of the output's events, and changes of ids and pids in records. */
#include "merge.h"
#include "src/codec/variant.h"
#include "src/schema/fail.h"
#include "src/schema/schema.h"
#include "src/support/memory.h"
#include "ops/convert/transcode.h"
#include "src/schema/passes/walk.h"
#include "src/support/wire.h"
#include <perfdata/session/event.h>

/* ---- Ids */

static enum pd_code list_id(struct pi_merging *m, uint32_t event, uint64_t id)
{
    struct pi_merged_event *e = &m->events[event];
    if (!pi_grow(m->allocator, (void **)&e->ids, e->n_ids, &e->cap, sizeof *e->ids))
        return pi_merge_no_memory(m, 2 * e->cap * sizeof *e->ids);
    e->ids[e->n_ids++] = id;
    return PD_OK;
}

static enum pd_code add_id(struct pi_merging *m, size_t i, uint32_t event, uint64_t id)
{
    if (!pi_ids_set(&m->id_owner, id, (uint64_t)event << 32 | m->in[i].machine))
        return pi_merge_no_memory(m, sizeof(struct pi_ids_slot));
    return list_id(m, event, id);
}

/* An id that belongs to an earlier event of the input: readers take the first, so it stays in vain. */
static enum pd_code repeat_id(struct pi_merging *m, size_t i, uint32_t event, uint64_t id)
{
    uint64_t to = id;
    pi_ids_get(&m->in[i].ids, id, &to);
    const uint64_t key = pi_keyed(&m->hash_key, pi_keyed(&m->hash_key, event) ^ to);
    if (pi_ids_get(&m->repeated, key, NULL)) /* another input has it, too */
        return PD_OK;
    if (!pi_ids_set(&m->repeated, key, 0))
        return pi_merge_no_memory(m, sizeof(struct pi_ids_slot));
    return list_id(m, event, to);
}

static uint64_t fresh_id(struct pi_merging *m)
{
    do
        m->last_id++;
    while (m->last_id == 0 || pi_ids_get(&m->id_owner, m->last_id, NULL));
    return m->last_id;
}

static enum pd_code map_id(struct pi_merging *m, size_t i, uint32_t event, uint64_t id, uint64_t *to)
{
    uint64_t owner;
    const uint64_t own = (uint64_t)event << 32 | m->in[i].machine;
    *to = id;
    if (!pi_ids_get(&m->id_owner, id, &owner))
        return add_id(m, i, event, id);
    if (owner == own || pi_ids_get(&m->in[i].ids, id, to))
        return PD_OK;
    *to = fresh_id(m);
    m->stats->new_ids++;
    if (!pi_ids_set(&m->in[i].ids, id, *to))
        return pi_merge_no_memory(m, sizeof(struct pi_ids_slot));
    return add_id(m, i, event, *to);
}

static enum pd_code place_id(struct pi_merging *m, size_t i, uint32_t a, uint64_t id)
{
    struct pi_merge_input *in = &m->in[i];
    /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): pi_merge_units() gave every attr its event */
    const uint32_t event = in->event[a];
    uint64_t to;
    if (pd_reader_find_id(in->reader, id) != a)
        return repeat_id(m, i, event, id);
    const enum pd_code code = map_id(m, i, event, id, &to);
    if (!code && in->own_id[a] == 0)
        in->own_id[a] = to;
    return code;
}

static enum pd_code map_ids(struct pi_merging *m, size_t i)
{
    struct pi_merge_input *in = &m->in[i];
    enum pd_code code = PD_OK;
    for (uint32_t a = 0; !code && a < pd_reader_n_attrs(in->reader); a++) {
        const struct pd_event_attr *e = pd_reader_attr(in->reader, a);
        in->own_id[a] = 0;
        for (size_t k = 0; !code && k < e->n_ids; k++)
            code = place_id(m, i, a, e->ids[k]);
    }
    return code;
}

/* ---- Telling the events apart */

/* True if the inputs have the same events, which then are told apart, or not, as before. */
static bool have_same_events(const struct pi_merging *m)
{
    for (size_t i = 0; i < m->n; i++) {
        if (pd_reader_n_attrs(m->in[i].reader) != m->n_events)
            return false;
        for (uint32_t a = 0; a < m->n_events; a++)
            if (m->in[i].event[a] != a)
                return false;
    }
    return true;
}

/* True if there is but one, or if all have ID at one place. If all have IDENTIFIER, none is added anyway. */
static bool are_told_apart(const struct pi_merging *m)
{
    const uint64_t first = m->n_events ? m->events[0].attr.sample_type : 0;
    bool same = first & PD_SAMPLE_ID;
    for (size_t i = 1; i < m->n_events; i++)
        same &= m->events[i].attr.sample_type == first;
    return m->n_events < 2 || same;
}

/* Each attr has an id in the output, even if its input needed none. */
static enum pd_code give_ids(struct pi_merging *m)
{
    for (size_t i = 0; i < m->n; i++) {
        struct pi_merge_input *in = &m->in[i];
        for (uint32_t a = 0; a < pd_reader_n_attrs(in->reader); a++) {
            if (in->own_id[a])
                continue;
            struct pi_merged_event *e = &m->events[in->event[a]];
            const enum pd_code code = e->n_ids ? PD_OK : add_id(m, i, in->event[a], fresh_id(m));
            if (code)
                return code;
            in->own_id[a] = e->ids[0];
        }
    }
    return PD_OK;
}

/* To those that have none. */
static void add_identifiers(struct pi_merging *m)
{
    for (size_t i = 0; i < m->n_events; i++)
        m->events[i].attr.sample_type |= PD_SAMPLE_IDENTIFIER;
    for (size_t i = 0; i < m->n; i++)
        for (uint32_t a = 0; a < pd_reader_n_attrs(m->in[i].reader); a++)
            m->in[i].rewritten |=
                !(pd_reader_attr(m->in[i].reader, a)->attr.sample_type & PD_SAMPLE_IDENTIFIER);
}

/*
 * A record with id 0, as perf synthesizes them, has the layout of the first event. If the output's first
 * event is another one, with another sample_type, such records need an id.
 */
static void find_unnamed(struct pi_merging *m)
{
    for (size_t i = 0; i < m->n; i++) {
        struct pi_merge_input *in = &m->in[i];
        if (pd_reader_n_attrs(in->reader) == 0 || in->event[0] == 0)
            continue;
        const struct pd_attr *a = &m->events[in->event[0]].attr, *first = &m->events[0].attr;
        in->unnamed = a->sample_type != first->sample_type || a->read_format != first->read_format ||
                      pd_reader_attr(in->reader, 0)->n_ids == 0;
        in->rewritten |= in->unnamed;
    }
}

/*
 * The only event of a recording has all records, whatever id these have. Beside other events, such an id may
 * be that of another one.
 */
static void find_alone(struct pi_merging *m)
{
    for (size_t i = 0; i < m->n; i++) {
        m->in[i].alone = pd_reader_n_attrs(m->in[i].reader) == 1;
        m->in[i].rewritten |= m->in[i].alone;
    }
}

static enum pd_code check_trailers(struct pi_merging *m)
{
    for (size_t i = 1; i < m->n_events; i++) {
        m->failed = m->events[i].input;
        if ((m->events[i].attr.flags ^ m->events[0].attr.flags) & PD_ATTR_SAMPLE_ID_ALL)
            return pi_fail(m->error, PD_EUNSUP, PD_NOWHERE,
                           "some events have sample_id_all, some have not, which no reader can tell apart", 0,
                           0);
    }
    m->failed = m->n;
    return PD_OK;
}

/* New ids are greater than all existing ones, unless these leave no room. */
static void find_last_id(struct pi_merging *m)
{
    for (size_t i = 0; i < m->n; i++)
        for (size_t a = 0; a < pd_reader_n_attrs(m->in[i].reader); a++) {
            const struct pd_event_attr *e = pd_reader_attr(m->in[i].reader, a);
            for (size_t k = 0; k < e->n_ids; k++)
                if (e->ids[k] > m->last_id && e->ids[k] < UINT64_MAX / 2)
                    m->last_id = e->ids[k];
        }
}

enum pd_code pi_merge_events(struct pi_merging *m)
{
    enum pd_code code = PD_OK;
    find_last_id(m);
    for (size_t i = 0; !code && i < m->n; i++)
        code = pi_merge_units(m, i);
    for (size_t i = 0; !code && i < m->n; i++)
        if (pd_metadata_out_of_memory(
                m->in[i].meta)) /* an event whose name is unknown differs from one without a name */
            code = pi_merge_no_memory(m, 0);
    for (size_t i = 0; !code && i < m->n; i++)
        code = map_ids(m, i);
    if (!code && m->n > 1)
        code = check_trailers(m);
    const bool same = !code && have_same_events(m);
    if (!code && !same && !are_told_apart(m))
        add_identifiers(m);
    if (!code && !same && m->n_events > 1) {
        code = give_ids(m);
        find_alone(m);
    }
    if (!code && m->n > 1)
        find_unnamed(m);
    for (size_t i = 0; i < m->n_events; i++)
        pd_plan_init(&m->events[i].plan, &m->events[i].attr, m->order);
    for (size_t i = 0; i < m->n; i++)
        m->in[i].rewritten |= m->in[i].ids.n || m->in[i].pid_step;
    m->stats->events = m->n_events;
    return code;
}

/* perf looks for each attr's ids behind attr.size bytes, so all get the largest size. */
static uint32_t largest_size(const struct pi_merging *m)
{
    uint32_t size = 0;
    for (size_t i = 0; i < m->n_events; i++)
        size = m->events[i].attr.size > size ? m->events[i].attr.size : size;
    return size <= PI_LIMIT_ATTR_CHANGED ? size : 0;
}

static enum pd_code put_event(struct pi_merging *m, const struct pi_merged_event *e, uint32_t size)
{
    uint8_t tail[PI_LIMIT_ATTR_CHANGED];
    struct pd_attr attr = e->attr;
    enum pd_code code = PD_OK;
    if (size && attr.size != size) {
        m->failed = e->input;
        if ((code = pi_transcode_attr_size(&e->attr, size, &attr, tail, m->error)))
            return code != PD_EVALUE ? code
                                     : pi_fail(m->error, PD_EUNSUP, PD_NOWHERE,
                                               "bytes behind attr.size where others have fields", size, 0);
        pi_merge_note(m, e->input, UINT32_MAX,
                      "attrs are made as large as the largest of another input (attr.size)");
        m->failed = m->n;
    }
    return pi_writer_any_attr(m->out.writer, &attr, e->ids, e->n_ids, m->error);
}

enum pd_code pi_merge_put_events(struct pi_merging *m)
{
    const uint32_t size = m->n > 1 ? largest_size(m) : 0;
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < m->n_events; i++)
        code = put_event(m, &m->events[i], size);
    return code;
}

/* ---- Ids and pids in records */

/* 0 is the idle task; -1 means none, or the kernel. */
static uint64_t move_pid(const struct pi_merge_input *in, uint64_t value, unsigned width, bool *fits)
{
    const int64_t pid = width == 4 ? (int32_t)value : (int64_t)value;
    if (pid <= 0 || in->pid_step == 0)
        return value;
    *fits &= pid < PD_MERGE_PID_STEP;
    return value + in->pid_step;
}

static uint64_t changed(const struct pi_merge_input *in, unsigned kind, unsigned width, uint64_t value,
                        bool *fits)
{
    uint64_t to = value;
    if (kind == PI_ID_EVENT_ID)
        pi_ids_get(&in->ids, value, &to);
    else if (pi_identity_is_pid(kind) && kind != PI_ID_GUEST)
        to = move_pid(in, value, width, fits);
    return to;
}

/* True if a layout, or one of its parts, has ids or pids. */
static bool has_numbers(const struct pi_identity_layout *layout)
{
    return layout->mask & (PI_ID_BIT(PI_ID_EVENT_ID) | PI_ID_PIDS) & ~PI_ID_BIT(PI_ID_GUEST);
}

/* Changes elements of one size in the bytes. */
static void change_list(const struct pi_merging *m, const struct pi_merge_input *in, const struct pd_op *head,
                        const struct pd_shape *shape, const struct pd_list *l, bool *fits)
{
    const struct pi_identity_layout *layout = pi_identities_of(&m->identities, head);
    struct pd_shape s = *shape;
    s.variant = l->variant;
    for (size_t i = 0; i < l->n && !l->varying && has_numbers(layout); i++) {
        uint8_t *at = (uint8_t *)(uintptr_t)l->ptr + i * l->stride;
        for (const struct pd_op *op = pi_visible(head + 1, &s, NULL); op->kind != PI_OP_END;
             op = pi_visible(op + 1, &s, NULL)) {
            const unsigned width = pi_scalar_width(op), kind = layout->kinds[op - head];
            const enum pd_order order = (enum pd_order)l->form;
            if (width == 8)
                pi_store64(at, changed(in, kind, width, pi_load64(at, order), fits), order);
            else if (width == 4)
                pi_store32(at, (uint32_t)changed(in, kind, width, pi_load32(at, order), fits), order);
            else if (width == 0)
                break; /* no ids follow a part without a fixed place */
            at += width;
        }
    }
}

static void change_fields(const struct pi_merging *m, const struct pi_merge_input *in,
                          const struct pd_op *head, const struct pd_shape *shape, void *v, bool *fits)
{
    const struct pi_identity_layout *layout = pi_identities_of(&m->identities, head);
    if (!has_numbers(layout))
        return;
    for (const struct pd_op *op = pi_visible(head + 1, shape, v); op->kind != PI_OP_END;
         op = pi_visible(op + 1, shape, v)) {
        void *member = (uint8_t *)v + op->offset;
        const unsigned width = pi_scalar_width(op), kind = layout->kinds[op - head];
        if (op->kind == PI_OP_SUB)
            change_fields(m, in, op->sub(), shape, member, fits);
        else if (op->kind == PI_OP_LIST || op->kind == PI_OP_ITEMS || op->kind == PI_OP_ITEMSR)
            change_list(m, in, op->sub(), shape, member, fits);
        else if (width == 4 || width == 8)
            pi_scalar_set(op, v, changed(in, kind, width, pi_scalar_get(op, v), fits));
    }
}

/* The task in the raw data of an off-cpu sample, whose bytes are those of m->from. */
static void change_offcpu(struct pi_merging *m, const struct pi_merge_input *in, struct pd_record *r,
                          bool *fits)
{
    static const struct pd_shape shape;
    struct pd_offcpu offcpu;
    struct pd_bytes *data = &r->u.sample.raw.data;
    if (in->pid_step == 0 || !pd_offcpu_of(r, &offcpu))
        return;
    const enum pd_order order = (enum pd_order)offcpu.ips.form;
    change_fields(m, in, pi_layout_offcpu(), &shape, &offcpu, fits);
    pi_store32(m->from + (data->ptr - r->raw), offcpu.pid, order);
    pi_store32(m->from + (data->ptr - r->raw) + 4, offcpu.tid, order);
}

/* The event of a record is that of its attr, or else the first one. */
static uint32_t attr_of(const struct pi_merge_input *in, const struct pd_record *rec)
{
    return rec->attr_index < pd_reader_n_attrs(in->reader) ? rec->attr_index : 0;
}

/* True if an event of its own, with all records, does not have the record's id. */
static bool has_strange_id(const struct pi_merge_input *in, const struct pd_record *rec)
{
    const struct pi_attrs *own = &in->reader->attrs;
    const uint64_t id = in->alone ? pi_attrs_id_of(own, rec) : 0;
    return id && pi_attrs_find(own, id) == UINT32_MAX;
}

static void set_id(const struct pi_merge_input *in, uint32_t attr, const struct pd_shape *shape,
                   struct pd_record *r)
{
    uint64_t *const identifier = r->type == PD_RECORD_SAMPLE ? &r->u.sample.identifier : &r->id.identifier;
    uint64_t *const id = r->type == PD_RECORD_SAMPLE ? &r->u.sample.id : &r->id.id;
    const bool has_identifier = shape->sample_type & PD_SAMPLE_IDENTIFIER;
    const bool strange = has_strange_id(in, r);
    if (!has_identifier || strange || (in->unnamed && *identifier == 0))
        *identifier = in->own_id[attr];
    if (strange || (in->unnamed && *id == 0))
        *id = in->own_id[attr];
}

/* True if no event of the input has the id of a record, but one of another input. */
static bool is_taken_for_other(const struct pi_merging *m, const struct pi_merge_input *in,
                               const struct pd_record *rec, uint64_t *id)
{
    const struct pi_attrs *own = &in->reader->attrs;
    if (rec->attr_index != UINT32_MAX || rec->type >= PD_RECORD_HEADER_ATTR)
        return false;
    *id = pi_attrs_id_of(own, rec);
    return *id && pi_attrs_find(own, *id) == UINT32_MAX && pi_ids_get(&m->id_owner, *id, NULL);
}

/*
 * True if a record that has the id of no event, or none at all, has another layout for readers of the output
 * than for those of its input. Both take it for one of their first event: a READ where records have no
 * trailer, and all whose id is unknown, if all events have that layout.
 */
static bool gets_other_layout(const struct pi_merging *m, const struct pi_merge_input *in,
                              const struct pd_record *rec)
{
    const bool sample = rec->type == PD_RECORD_SAMPLE;
    const bool unknown = rec->attr_index == UINT32_MAX;
    if (rec->type >= PD_RECORD_HEADER_ATTR || pd_reader_n_attrs(in->reader) == 0 || rec->plan == NULL)
        return false;
    const struct pd_plan *own = &m->events[in->event[0]].plan, *to = &m->events[0].plan;
    if (rec->type == PD_RECORD_READ && (unknown || !own->id_all) &&
        own->shape.read_format != to->shape.read_format)
        return true;
    return unknown && pi_attrs_plan_of_none(&m->out.writer->attrs, sample) == NULL;
}

/*
 * Records of perf itself that may have a sample_id: that of the first event of a recording, so of the
 * output's, whatever the input's first event is like.
 */
static bool is_of_first(const struct pi_merging *m, const struct pd_record *rec)
{
    return m->n_events && rec->type >= PD_RECORD_HEADER_ATTR && pi_attrs_concern(rec) &&
           (rec->plan->id_all || m->events[0].plan.id_all);
}

/* The decoded copy of a record, with its ids and pids changed, by the plan that it has in the output. */
static struct pi_merged_record encode_changed(struct pi_merging *m, struct pi_merge_input *in,
                                              const struct pd_plan *from, const struct pd_plan *to,
                                              struct pd_error *error)
{
    struct pd_record *r = &m->copy;
    struct pi_merged_record out = {.n = 0};
    struct pd_shape shape = from ? from->shape : (struct pd_shape){0};
    bool fits = true;
    shape.misc = r->misc;
    shape.given = r->misc;
    shape.variant = r->variant;
    if (r->layout)
        change_fields(m, in, r->layout, &shape, &r->u, &fits);
    if (r->has_id)
        change_fields(m, in, pi_layout_sample_id(), &shape, &r->id, &fits);
    change_offcpu(m, in, r, &fits);
    if (!fits) {
        pi_fail_record(error, PD_EVALUE, r, 0, "pid too large to be moved", PD_MERGE_PID_STEP,
                       PD_MERGE_PID_STEP - 1);
        return out;
    }
    if (from && in->rewritten && pd_reader_n_attrs(in->reader))
        set_id(in, attr_of(in, r), &shape, r);
    if (!to->id_all)
        r->variant &= (uint8_t)~PD_VARIANT_SAMPLE_ID;
    r->size = 0;
    if (pd_record_encode(to, r, m->to, sizeof m->to, &out.n, error) == PD_OK)
        out.bytes = m->to;
    out.trailer = pi_has_id(to, r->type, r->variant) ? to->trailer : 0;
    return out;
}

/* The reason in *error why a record cannot be in the output whatever is changed; false: there is none. */
static bool is_refused(const struct pi_merging *m, const struct pi_merge_input *in,
                       const struct pd_record *rec, struct pd_error *error)
{
    uint64_t id;
    const bool layout_known =
        pd_reader_n_attrs(in->reader) != 0 || m->n_events == 0 || rec->type >= PD_RECORD_HEADER_ATTR;
    if (!layout_known) /* a reader would take it for one of the first event */
        pi_fail_record(error, PD_EUNSUP, rec, 0, "its input has no attr that tells its layout", 0, 0);
    else if (is_taken_for_other(m, in, rec, &id))
        pi_fail_record(error, PD_EUNSUP, rec, 0, "no event of its input has its id, but one of another", id,
                       0);
    else if (gets_other_layout(m, in, rec))
        pi_fail_record(error, PD_EUNSUP, rec, 0,
                       "which event it is of is not known, and the output has events of other layouts", 0, 0);
    else
        return false;
    return true;
}

struct pi_merged_record pi_merge_record(struct pi_merging *m, struct pi_merge_input *in,
                                        struct pd_record *rec, struct pd_error *error)
{
    struct pi_merged_record out = {.bytes = rec->raw, .n = rec->size};
    if (is_refused(m, in, rec, error))
        return (struct pi_merged_record){.n = 0};
    const bool of_first = is_of_first(m, rec);
    if (!of_first && !(in->rewritten && pd_reader_n_attrs(in->reader) != 0)) {
        out.trailer = rec->decoded && rec->has_id ? rec->plan->trailer : 0;
        return out;
    }
    memcpy(m->from, rec->raw, rec->size);
    m->copy = *rec;
    m->copy.raw = m->from;
    const enum pd_code code = pd_reader_decode(in->reader, &m->copy, error);
    if (code && rec->type >= PD_RECORD_HEADER_ATTR) /* there is nothing to change */
        return out;
    if (code == PD_EUNKNOWN) /* of an event that its input does not know */
        pi_fail_record(error, PD_EUNSUP, rec, 0, "its ids are to change, and its layout is not known", 0, 0);
    if (code)
        return (struct pi_merged_record){.n = 0};
    const struct pd_plan *to = &m->events[of_first ? 0 : in->event[attr_of(in, rec)]].plan;
    out = encode_changed(m, in, rec->plan, to, error);
    if (out.bytes == NULL)
        error->offset = rec->offset, error->record_index = rec->index, error->record_type = rec->type;
    return out;
}
