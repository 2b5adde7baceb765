/* SPDX-License-Identifier: MIT */
/* transcode.c - converts records and sections from one byte order to the other. */
#include "transcode.h"
#include "encode/codec/form.h"
#include "ops/output/offcpu.h"
#include "src/codec/carried.h"
#include "src/codec/parts.h"
#include "src/schema/fail.h"
#include "src/schema/schema.h"
#include "src/container/file.h"
#include "src/support/memory.h"
#include "src/schema/passes/walk.h"
#include "src/support/wire.h"
#include <perfdata/feature.h>
#include <perfdata/session/fields.h>

/* ---- Unconverted data */

static void leave_record(struct pi_transcode *t, const struct pd_record *rec)
{
    if (t->from == t->to)
        return;
    pi_type_count(&t->left, rec->type);
    t->unconverted++;
}

static void leave_feature(struct pi_transcode *t, uint16_t feature)
{
    if (t->from == t->to || feature > 255 || pi_has_feature(t->left_features, feature))
        return;
    t->left_features[feature / 8] |= (uint8_t)(1u << feature % 8);
    t->unconverted++;
}

void pi_transcode_notes(const struct pi_transcode *t,
                        void (*note)(void *user, const struct pd_convert_note *note), void *user)
{
    static const char why[] = "some records keep content in the old byte order";
    if (note)
        pi_type_counts_note(&t->left, true, why, note, user);
    struct pd_convert_note n = {
        .what = PD_NOTED_REGISTERS, .left = true, .why = why, .count = t->left_registers};
    if (note && n.count)
        note(user, &n);
    n = (struct pd_convert_note){.what = PD_NOTED_ATTRS, .left = true, .why = why, .count = t->left_attrs};
    if (note && n.count)
        note(user, &n);
    n = (struct pd_convert_note){.what = PD_NOTED_FEATURE, .left = true, .why = "left in the old byte order"};
    for (n.number = 0; note && n.number < 256; n.number++)
        if (pi_has_feature(t->left_features, n.number))
            note(user, &n);
}

/* ---- Attrs */

static bool all_zero(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i])
            return false;
    return true;
}

/* The first field at or behind `size` bytes with a value other than 0; NULL: none. */
static const struct pd_op *field_behind(const struct pd_attr *attr, uint32_t size)
{
    const struct pd_shape shape = {0};
    uint32_t at = 0;
    const struct pd_op *op = pi_present(pi_layout_attr(), &shape, attr);
    for (; op->kind != PI_OP_END; op = pi_present(op + 1, &shape, attr)) {
        if (pi_scalar_width(op) && at >= size && pi_scalar_get(op, attr))
            return op;
        at += pi_scalar_width(op);
    }
    return NULL;
}

enum pd_code pi_transcode_attr_size(const struct pd_attr *attr, uint32_t size, struct pd_attr *out,
                                    uint8_t tail[PI_LIMIT_ATTR_CHANGED], struct pd_error *error)
{
    const struct pd_op *lost = field_behind(attr, size);
    /* The part of the tail within attr.size belongs to unknown fields, the rest to none. */
    size_t fields = attr->size > PD_ATTR_SIZE ? attr->size - PD_ATTR_SIZE : 0;
    const size_t room = size > PD_ATTR_SIZE ? size - PD_ATTR_SIZE : 0;
    fields = fields < attr->tail.n ? fields : attr->tail.n;
    if (lost)
        return pi_fail(error, PD_EVALUE, PD_NOWHERE, lost->name, pi_scalar_get(lost, attr), 0);
    fields = fields < room ? fields : room;
    if (!all_zero(attr->tail.ptr + fields, attr->tail.n - fields))
        return pi_fail(error, PD_EVALUE, PD_NOWHERE, "attr.tail", attr->tail.n - fields, 0);
    memset(tail, 0, room);
    if (fields)
        memcpy(tail, attr->tail.ptr, fields);
    *out = *attr;
    out->size = size;
    out->tail = (struct pd_bytes){tail, room};
    return PD_OK;
}

void pi_transcode_look_at_attr(struct pi_transcode *t, const struct pd_attr *attr)
{
    const bool left = t->from != t->to && !all_zero(attr->tail.ptr, attr->tail.n);
    t->left_attrs += left;
    t->unconverted += left;
}

/* ---- Records */

/* Of a record that was converted. */
static void look_at_registers(struct pi_transcode *t, const struct pd_record *rec)
{
    const bool left = t->from != t->to && rec->type == PD_RECORD_SAMPLE &&
                      rec->variant & PI_VARIANT_UNKNOWN_REGS && !all_zero(rec->rest.ptr, rec->rest.n);
    t->left_registers += left;
    t->unconverted += left;
}

static void put_header(const struct pi_transcode *t, const struct pd_record *rec, size_t size, uint8_t *out)
{
    pi_store32(out, rec->type, t->to);
    pi_store16(out + 4, rec->misc, t->to);
    pi_store16(out + 6, (uint16_t)size, t->to);
}

/* The attr of a HEADER_ATTR record in its new form, at t->bytes + 8; *n: its bytes. */
static enum pd_code put_attr(struct pi_transcode *t, const struct pd_record *rec, size_t room, size_t *n,
                             struct pd_error *error)
{
    uint8_t tail[PI_LIMIT_ATTR_CHANGED];
    struct pd_attr attr;
    enum pd_code code = pd_attr_decode(t->from, rec->raw + 8, room, &attr, error);
    *n = room;
    if (!code && t->attr_size) {
        code = pi_transcode_attr_size(&attr, t->attr_size, &attr, tail, error);
        *n = t->attr_size;
    }
    if (code)
        return code;
    /* A record cut inside the attr: missing bytes read as 0 and are not written. */
    return pd_attr_encode(t->to, &attr, t->bytes + 8, *n, error);
}

/* perf_event_attr, then ids up to the end. */
static enum pd_code attr_record(struct pi_transcode *t, const struct pd_record *rec, size_t *n,
                                struct pd_error *error)
{
    const size_t all = rec->size - 8u;
    size_t room, put = 0;
    pi_attr_place(t->from, rec->raw + 8, all, &room, NULL);
    if (t->attr_size && t->attr_size + (all - room) > UINT16_MAX - 8)
        return pi_fail_record(error, PD_ELIMIT, rec, 8 + room, "ids", all - room,
                              UINT16_MAX - 8u - t->attr_size);
    enum pd_code code = put_attr(t, rec, room, &put, error);
    if (code)
        return code;
    const uint8_t *ids = rec->raw + 8 + room;
    size_t left = all - room;
    uint8_t *out = t->bytes + 8 + put;
    for (; left >= 8; left -= 8, ids += 8, out += 8)
        pi_store64(out, pi_load64(ids, t->from), t->to);
    memcpy(out, ids, left);
    *n = 8 + put + (all - room);
    put_header(t, rec, *n, t->bytes);
    return PD_OK;
}

/* A record whose content has no layout. */
static void plain_record(struct pi_transcode *t, const struct pd_record *rec)
{
    memcpy(t->bytes, rec->raw, rec->size);
    put_header(t, rec, rec->size, t->bytes);
    if (rec->size > 8)
        leave_record(t, rec);
}

static bool is_feature(const struct pi_transcode *t, const struct pd_record *rec)
{
    struct pd_bytes data;
    uint64_t id;
    return pi_record_feature(rec, t->from, &id, &data);
}

static void tell_finding(const struct pi_transcode *t, const struct pd_error *what)
{
    if (what->code != PD_EUNKNOWN && t->finding)
        t->finding(t->user, what);
}

void pi_transcode_look(struct pi_transcode *t, const struct pd_record *rec)
{
    struct pd_bytes data;
    uint64_t id;
    struct pd_feature f;
    struct pd_error what;
    if (!pi_record_feature(rec, t->from, &id, &data) || id > 255 ||
        pd_feature_decode(t->from, (uint32_t)id, t->nr_cpus_avail, data.ptr, data.n, &f, &what) == PD_OK)
        return;
    if (rec->depth) /* inside a COMPRESSED record, offsets are those of that record */
        what.offset = rec->offset;
    else
        pi_error_move(&what, rec->offset + (uint64_t)(data.ptr - rec->raw));
    tell_finding(t, &what);
}

/* Converts a section in a record. */
static enum pd_code feature_record(struct pi_transcode *t, const struct pd_record *rec,
                                   struct pd_error *error)
{
    uint8_t *p = t->bytes;
    struct pd_bytes data;
    uint64_t id;
    pi_record_feature(rec, t->from, &id, &data);
    memcpy(p, rec->raw, rec->size);
    put_header(t, rec, rec->size, p);
    if (!rec->old_feature)
        pi_store64(p + 8, id, t->to);
    return pi_transcode_section(t, id < 256 ? (uint16_t)id : UINT16_MAX, p + (data.ptr - rec->raw), data.n,
                                error);
}

/* ---- Records that contradict their layout */

static void turn_id(uint8_t *bytes)
{
    pi_store64(bytes, pi_load64(bytes, PD_LITTLE), PD_BIG);
}

/*
 * Finds the event of a record whose bytes are in the other order than the recording, by turning its id
 * temporarily.
 */
static void resolve_other(const struct pi_attrs *attrs, struct pd_record *rec, uint8_t *bytes)
{
    const struct pd_plan *first = attrs->seen ? &attrs->attr[0]->plan : &attrs->none;
    const bool sample = rec->type == PD_RECORD_SAMPLE;
    const size_t back = first->trailer_id;
    size_t at = sample ? first->id : 0;
    if (!sample && back && rec->size >= 8 + back)
        at = rec->size - back;
    const bool there = at && rec->size >= at + 8;
    if (there)
        turn_id(bytes + at);
    pi_attrs_resolve(attrs, rec);
    if (there)
        turn_id(bytes + at);
}

/* If the bytes are valid in the new order, converts them to the old one. */
static bool turn_back(struct pi_transcode *t, const struct pd_reader *r, const struct pd_record *rec,
                      uint8_t *bytes)
{
    struct pd_record other = {.type = rec->type, .misc = rec->misc, .size = rec->size, .raw = bytes};
    size_t n;
    resolve_other(&r->attrs, &other, bytes);
    if (other.plan == NULL)
        return false;
    struct pd_plan plan = *other.plan;
    plan.order = (uint8_t)t->to;
    if (pd_record_decode_framed(&plan, &other, NULL) || (other.layout == NULL && !other.has_id))
        return false;
    plan.order = (uint8_t)t->from;
    if (pd_record_encode(&plan, &other, t->other, sizeof t->other, &n, NULL) || n != rec->size)
        return false;
    memcpy(bytes, t->other, n);
    return true;
}

/*
 * A record that cannot be decoded keeps its bytes. But if these are valid in the new order by chance, the
 * conversion back would change them. Then it gets the bytes from which the conversion back makes them: they
 * are converted from the new order to the old until they are invalid in the new one. The conversion back goes
 * through the same sequence from its other end. The sequence is short, since only records of varying layout
 * have one at all; the limit is for safety.
 */
static void contradicting_record(struct pi_transcode *t, const struct pd_reader *r,
                                 const struct pd_record *rec)
{
    memcpy(t->bytes, rec->raw, rec->size);
    for (int i = 0; i < 16 && turn_back(t, r, rec, t->bytes); i++)
        ;
    put_header(t, rec, rec->size, t->bytes);
    leave_record(t, rec);
}

/*
 * True if the 8 bytes at this place of a record belong to a string or to its rest, which are the same in both
 * byte orders.
 */
static bool is_opaque(const struct pd_record *rec, size_t at)
{
    const uint8_t *const p = rec->raw + at;
    struct pd_fields it;
    struct pd_field f;
    bool found = p >= rec->rest.ptr && p + 8 <= rec->rest.ptr + rec->rest.n;
    pd_fields_of_record(&it, rec);
    while (!found && pd_fields_next(&it, &f))
        if (f.kind == PD_FIELD_STRING)
            found =
                p >= (const uint8_t *)f.u.str->ptr && p + 8 <= (const uint8_t *)f.u.str->ptr + f.u.str->size;
    return found;
}

/*
 * True if the converted record still belongs to its event. With events of several layouts, the id is read at
 * the place of the first event. For the record's own event these bytes may be no number, and stay as they
 * are: then the id is converted there.
 */
static bool stays_of_event(const struct pi_attrs *attrs, const struct pd_record *rec, uint8_t *bytes)
{
    struct pd_record other = {.type = rec->type, .misc = rec->misc, .size = rec->size, .raw = bytes};
    const size_t back = attrs->seen ? attrs->attr[0]->plan.trailer_id : 0;
    resolve_other(attrs, &other, bytes);
    if (other.attr_index != rec->attr_index && rec->type != PD_RECORD_SAMPLE && back &&
        rec->size >= 8 + back && is_opaque(rec, rec->size - back)) {
        turn_id(bytes + rec->size - back);
        resolve_other(attrs, &other, bytes);
    }
    return other.attr_index == rec->attr_index;
}

static enum pd_code edited_record(struct pi_transcode *t, const struct pd_reader *r, struct pd_record *rec,
                                  const uint8_t **bytes, size_t *n, struct pd_error *error)
{
    *bytes = t->bytes;
    const enum pd_code code = pi_edits_record(t->edits, r, rec, t->nr_cpus_avail, t->bytes, n, error);
    if (!code && t->edits->passed.code)
        tell_finding(t, &t->edits->passed);
    return code;
}

/*
 * Converts the stack in the raw data of an off-cpu sample, which perf reads in the order of the machine that
 * perf runs on. Data in the wrong order stays in the wrong order, so that the conversion back finds it.
 */
static void turn_offcpu(struct pi_transcode *t, struct pd_record *rec)
{
    struct pd_bytes *data = &rec->u.sample.raw.data;
    struct pd_offcpu offcpu;
    enum pd_order order;
    if (t->from == t->to || !pi_find_offcpu(rec, &offcpu, &order))
        return;
    pi_put_offcpu(&offcpu, order == PD_LITTLE ? PD_BIG : PD_LITTLE, t->other, data->n);
    data->ptr = t->other;
}

enum pd_code pi_transcode_record(struct pi_transcode *t, const struct pd_reader *r, struct pd_record *rec,
                                 const uint8_t **bytes, size_t *n, struct pd_error *error)
{
    struct pd_error what;
    const bool attr = rec->type == PD_RECORD_HEADER_ATTR && rec->size >= 16 && !rec->old_feature;
    if (t->edits)
        return edited_record(t, r, rec, bytes, n, error);
    const enum pd_code decoded = pd_reader_decode(r, rec, &what);
    if (decoded)
        tell_finding(t, &what);
    *bytes = rec->raw;
    *n = rec->size;
    pi_transcode_look(t, rec);
    if (t->from == t->to && !t->reencode && !(attr && t->attr_size))
        return PD_OK;
    *bytes = t->bytes;
    if (attr)
        return attr_record(t, rec, n, error);
    if (is_feature(t, rec))
        return feature_record(t, rec, error);
    /* In an unknown type of the kernel, the sample_id at the end is known, and the event is found by it. */
    if (!decoded && (rec->layout || rec->has_id)) {
        struct pd_plan plan = *rec->plan;
        plan.order = (uint8_t)t->to;
        turn_offcpu(t, rec);
        if (pd_record_encode(&plan, rec, t->bytes, sizeof t->bytes, n, NULL) == PD_OK &&
            (t->from == t->to || pi_check_form(&plan, rec, t->bytes, *n, NULL) == PD_OK) &&
            (t->from == t->to || pi_attrs_uniform(&r->attrs) || stays_of_event(&r->attrs, rec, t->bytes))) {
            if (rec->layout == NULL || rec->type == PD_RECORD_SIMPLEPERF_SPLIT)
                leave_record(t, rec); /* only the whole of a large record has a layout */
            look_at_registers(t, rec);
            return PD_OK;
        }
    }
    *n = rec->size;
    if (decoded && t->from != t->to)
        contradicting_record(t, r, rec);
    else
        plain_record(t, rec);
    return PD_OK;
}

/* ---- Feature sections */

void pi_transcode_leave_section(struct pi_transcode *t, uint16_t feature)
{
    leave_feature(t, feature);
}

/*
 * Converts the section to the order `to`, in a separate buffer of n bytes. False: it is invalid in the order
 * `from`.
 */
static bool turn_section(const struct pi_transcode *t, const uint8_t *bytes, size_t n, enum pd_order from,
                         enum pd_order to, struct pd_feature *f, uint8_t *out)
{
    size_t size;
    return pd_feature_decode(from, f->id, t->nr_cpus_avail, bytes, n, f, NULL) == PD_OK && f->layout &&
           pd_feature_encode(to, f, out, n, &size, NULL) == PD_OK && size == n;
}

/* Leaves damaged sections, with the same care as contradicting_record(). */
static void contradicting_section(struct pi_transcode *t, uint16_t feature, uint8_t *bytes, size_t n,
                                  uint8_t *out)
{
    struct pd_feature f = {.id = feature};
    for (int i = 0; i < 16 && turn_section(t, bytes, n, t->to, t->from, &f, out); i++)
        memcpy(bytes, out, n);
    leave_feature(t, feature);
}

/* Converts the arrays of BPF programs in a section that is converted already, at `bytes`. */
static void turn_bpf_arrays(const struct pd_feature *f, uint8_t *bytes)
{
    struct pd_list l = f->u.bpf_prog_info.programs;
    struct pd_bpf_prog p;
    while (pd_bpf_prog_next(&l, &p))
        pi_bpf_swap_arrays(&p, bytes + (p.data.ptr - f->raw.ptr));
}

enum pd_code pi_transcode_section(struct pi_transcode *t, uint16_t feature, uint8_t *bytes, size_t n,
                                  struct pd_error *error)
{
    struct pd_feature f = {.id = feature};
    if (t->from == t->to || n == 0)
        return PD_OK;
    if (!pi_layout_of_feature(feature)) {
        leave_feature(t, feature);
        return PD_OK;
    }
    uint8_t *out = pi_resize(t->allocator, NULL, n);
    if (out == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "feature", 0, n);
    if (turn_section(t, bytes, n, t->from, t->to, &f, out)) {
        if (feature == PD_FEAT_NRCPUS)
            t->nr_cpus_avail = f.u.nrcpus.nr_cpus_avail;
        if (f.rest.n && feature != PD_FEAT_TRACING_DATA)
            leave_feature(t, feature); /* bytes of a newer writer behind the known fields */
        if (feature == PD_FEAT_BPF_PROG_INFO)
            turn_bpf_arrays(&f, out);
        memcpy(bytes, out, n);
    } else {
        contradicting_section(t, feature, bytes, n, out);
    }
    pi_release(t->allocator, out);
    return PD_OK;
}
