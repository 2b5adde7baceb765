/* SPDX-License-Identifier: MIT */
/*
 * writer_record.c - records that a program makes: computes what was left out, and refuses what would be lost.
 */
#include "encode/codec/complete.h"
#include "encode/codec/form.h"
#include "src/codec/interpret.h"
#include "src/schema/fail.h"
#include "src/schema/passes/walk.h"
#include "writer.h"

/* True if all fields that samples of this plan lack are 0. Most are; pi_left_out() takes 30 times as long. */
static bool is_plain_sample(struct pd_writer *w, const struct pd_plan *plan, const struct pd_record *rec)
{
    _Static_assert(sizeof(struct pd_sample) % sizeof(size_t) == 0 &&
                       sizeof(struct pd_sample_id) % sizeof(size_t) == 0,
                   "whole words");
    const uint8_t *sample = (const void *)&rec->u.sample, *id = (const void *)&rec->id;
    const struct pd_list *counters = &rec->u.sample.read.values;
    size_t more = 0, word;
    if (rec->type != PD_RECORD_SAMPLE || rec->variant || (counters->n && counters->form == PD_FORM_STRUCT))
        return false;
    if (w->samples_key != plan->key)
        pi_left_out_of_samples(plan, w->left_out);
    w->samples_key = plan->key;
    for (size_t i = 0; i < sizeof(struct pd_sample) / sizeof word; i++) {
        memcpy(&word, sample + i * sizeof word, sizeof word);
        more |= word & w->left_out[i];
    }
    for (size_t i = 0; i < sizeof(struct pd_sample_id); i += sizeof word) {
        memcpy(&word, id + i, sizeof word);
        more |= word;
    }
    return more == 0;
}

/* Refuses a field that a program has set but the layout leaves out: it would be lost without a message. */
static enum pd_code check_left_out(struct pd_writer *w, const struct pd_plan *plan,
                                   const struct pd_record *rec, struct pd_error *error)
{
    const void *value;
    const struct pd_op *op = is_plain_sample(w, plan, rec) ? NULL : pi_left_out(plan, rec, &value);
    const bool number = op && pi_scalar_width(op);
    return op ? pi_fail_record(error, PD_EVALUE, rec, 0, op->name, number ? pi_scalar_get(op, value) : 1, 0)
              : PD_OK;
}

/* ---- Encoding */

/* Layouts that only the tables write have flags, which the encoder does not miss. */
static bool has_flags(const struct pd_record *rec)
{
    return rec->type >= PD_RECORD_HEADER_ATTR;
}

/* Samples are complete mostly: only those that cannot be encoded are completed. */
static enum pd_code encode(const struct pd_plan *plan, const struct pd_record *rec, uint8_t *bytes,
                           size_t cap, size_t *size, struct pd_error *error)
{
    if (has_flags(rec) || pd_record_encode(plan, rec, bytes, cap, size, NULL))
        return pi_record_encode_completed(plan, rec, bytes, cap, size, error);
    return PD_OK;
}

/* ---- The event */

/* The event that a reader finds for a record; UINT32_MAX: none. */
static uint32_t event_read(const struct pd_writer *w, const struct pd_record *rec, const uint8_t *bytes,
                           size_t size)
{
    uint32_t index;
    if (w->options.order == PD_HOST_ORDER && pi_attrs_quick(&w->attrs, bytes, rec->type, size, &index))
        return index;
    struct pd_record framed = {.type = rec->type, .misc = rec->misc, .size = (uint16_t)size, .raw = bytes};
    pi_attrs_resolve(&w->attrs, &framed);
    return framed.attr_index;
}

static bool has_id(const struct pd_record *rec, const struct pd_plan *plan)
{
    return rec->type == PD_RECORD_SAMPLE ? plan->id : plan->trailer_id;
}

/*
 * True if a reader would take the record for one of another event, or of none: then its id is of none, or it
 * has no place for one, and is a sample of another event than the first.
 */
static bool is_mistaken(const struct pd_record *rec, const struct pd_plan *plan, uint32_t found)
{
    const bool untold = rec->type == PD_RECORD_SAMPLE && rec->attr_index > 0;
    return found == UINT32_MAX ? has_id(rec, plan) || untold : found != rec->attr_index;
}

/* True if the record is a sample or has a trailer: a reader must find its own event for it. */
static bool is_of_event(const struct pd_writer *w, const struct pd_record *rec)
{
    const struct pd_event_attr *e = w->attrs.attr[rec->attr_index], *first = w->attrs.attr[0];
    return rec->type == PD_RECORD_SAMPLE ||
           (rec->type < PD_RECORD_HEADER_ATTR && (e->plan.id_all || first->plan.id_all));
}

static void assign_id(uint64_t *id, uint64_t own)
{
    *id = *id ? *id : own;
}

/* A record without an id gets that of its event. */
static enum pd_code encode_with_id(const struct pd_writer *w, const struct pd_record *rec, uint8_t *bytes,
                                   size_t cap, size_t *size, struct pd_error *error)
{
    const struct pd_event_attr *e = w->attrs.attr[rec->attr_index];
    const bool sample = rec->type == PD_RECORD_SAMPLE;
    struct pd_record own = *rec;
    if (e->n_ids && e->plan.shape.sample_type & PD_SAMPLE_ID)
        assign_id(sample ? &own.u.sample.id : &own.id.id, e->ids[0]);
    if (e->n_ids && e->plan.shape.sample_type & PD_SAMPLE_IDENTIFIER)
        assign_id(sample ? &own.u.sample.identifier : &own.id.identifier, e->ids[0]);
    const enum pd_code code = encode(&e->plan, &own, bytes, cap, size, error);
    if (code)
        return code;
    const uint32_t found = event_read(w, rec, bytes, *size);
    if (!is_mistaken(rec, &e->plan, found))
        return PD_OK;
    if (found == UINT32_MAX && has_id(rec, &e->plan)) {
        const bool identifier = e->plan.shape.sample_type & PD_SAMPLE_IDENTIFIER;
        const uint64_t of_sample = identifier ? own.u.sample.identifier : own.u.sample.id;
        const uint64_t of_other = identifier ? own.id.identifier : own.id.id;
        return pi_fail_record(error, PD_EVALUE, rec, 0, identifier ? "identifier" : "id",
                              sample ? of_sample : of_other, e->n_ids ? e->ids[0] : 0);
    }
    return pi_fail_record(error, PD_EVALUE, rec, 0, "attr_index", found, rec->attr_index);
}

/* Only with several events can a record be taken for one of another. */
static bool is_of_other(const struct pd_writer *w, const struct pd_plan *plan, const struct pd_record *rec,
                        const uint8_t *bytes, size_t size)
{
    if (w->attrs.n < 2 || rec->attr_index == UINT32_MAX || w->options.keep_ids || !is_of_event(w, rec))
        return false;
    return is_mistaken(rec, plan, event_read(w, rec, bytes, size));
}

static enum pd_code write_record(struct pd_writer *w, const struct pd_record *rec, struct pd_error *error)
{
    uint8_t bytes[UINT16_MAX];
    size_t size;
    if (rec->attr_index != UINT32_MAX && rec->attr_index >= w->attrs.n)
        return pi_fail_record(error, PD_EARG, rec, 0, "attr_index", rec->attr_index, w->attrs.n);
    const struct pd_plan *plan =
        rec->attr_index == UINT32_MAX ? &w->attrs.none : &w->attrs.attr[rec->attr_index]->plan;
    enum pd_code code = check_left_out(w, plan, rec, error);
    if (!code)
        code = encode(plan, rec, bytes, sizeof bytes, &size, error);
    if (!code && is_of_other(w, plan, rec, bytes, size))
        code = encode_with_id(w, rec, bytes, sizeof bytes, &size, error);
    if (!code)
        code = pi_check_form(plan, rec, bytes, size, error);
    return code ? code : pd_writer_raw(w, bytes, size, error);
}

/* A refused record has no offset yet, whatever rec->offset says. */
enum pd_code pd_writer_record(struct pd_writer *w, const struct pd_record *rec, struct pd_error *error)
{
    struct pd_error own = {0};
    const enum pd_code code = write_record(w, rec, &own);
    if (code && own.record_index != PD_NOWHERE) {
        own.record_index = w->n_records;
        own.offset = PD_NOWHERE;
    }
    if (code && error)
        *error = own;
    w->n_records += code == PD_OK;
    return code;
}
