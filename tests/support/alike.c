/* SPDX-License-Identifier: MIT */
#include "alike.h"
#include "src/schema/schema.h"
#include "src/schema/passes/walk.h"
#include "src/support/wire.h"
#include <string.h>

static size_t slot_size(const struct pd_str *s)
{
    return s->size == PD_AUTO ? (s->len + 8) / 8 * 8 : s->size;
}

/* Byte i of the slot; with PD_AUTO it is zero behind the text. */
static char slot_byte(const struct pd_str *s, size_t i)
{
    return i < s->len || s->size != PD_AUTO ? s->ptr[i] : 0;
}

static bool same_str(const struct pd_str *a, const struct pd_str *b, enum alike how)
{
    bool same = a->len == b->len && slot_size(a) == slot_size(b) && (how == ALIKE_VALUES || a->ptr == b->ptr);
    for (size_t i = 0; same && i < slot_size(a); i++)
        same = slot_byte(a, i) == slot_byte(b, i);
    return same;
}

static bool same_bytes(const struct pd_bytes *a, const struct pd_bytes *b, enum alike how)
{
    return a->n == b->n && (how == ALIKE_VALUES || a->ptr == b->ptr) &&
           (a->n == 0 || !memcmp(a->ptr, b->ptr, a->n));
}

static bool same_vec(const struct pd_vec *a, const struct pd_vec *b, enum alike how)
{
    bool same = a->n == b->n;
    if (how == ALIKE_VIEWS)
        same = same && a->ptr == b->ptr && a->width == b->width && a->form == b->form;
    for (size_t i = 0; same && i < a->n; i++)
        same = pd_vec_at(a, i) == pd_vec_at(b, i);
    return same;
}

/* An element through the public accessor of its layout, if it is known here. */
static void element_at(const struct pd_op *layout, const struct pd_list *l, size_t i, void *out)
{
    if (layout == pi_layout_read_value())
        pd_read_value_at(l, i, out);
    else if (layout == pi_layout_branch_entry())
        pd_branch_entry_at(l, i, out);
    else if (layout == pi_layout_namespace_entry())
        pd_namespace_entry_at(l, i, out);
    else
        pi_list_get(l, layout, i, out);
}

/* Compares lists through the schema's tables (`a`) and through the accessors (`b`). */
static const char *differing_list(const struct pd_op *layout, const struct pd_list *a,
                                  const struct pd_list *b, enum alike how)
{
    _Alignas(8) uint8_t x[64], y[64];
    const char *field = NULL;
    bool same = a->n == b->n;
    if (how == ALIKE_VIEWS)
        same = same && a->ptr == b->ptr && a->stride == b->stride && a->form == b->form && a->when == b->when;
    for (size_t i = 0; same && !field && i < a->n; i++) {
        pi_list_get(a, layout, i, x);
        element_at(layout, b, i, y);
        field = alike_layout(layout, x, y, how);
    }
    return same ? field : layout->name;
}

static const char *differing_field(const struct pd_op *op, const void *va, const void *vb, enum alike how)
{
    const void *a = (const uint8_t *)va + op->offset, *b = (const uint8_t *)vb + op->offset;
    bool same = true;
    switch (op->kind) {
    case PI_OP_HEAD:
    case PI_OP_ALIAS:
    case PI_OP_WHEN:
    case PI_OP_UNLESS:
    case PI_OP_HAS:
    case PI_OP_DONE: break;
    case PI_OP_ARR: same = memcmp(a, b, (size_t)op->arg) == 0; break;
    case PI_OP_STR: same = same_str(a, b, how); break;
    case PI_OP_VEC64:
    case PI_OP_VECR64:
    case PI_OP_GRID64:
    case PI_OP_REGS: same = same_vec(a, b, how); break;
    case PI_OP_BYTES:
    case PI_OP_REST: same = same_bytes(a, b, how); break;
    case PI_OP_SUB: return alike_layout(op->sub(), a, b, how);
    case PI_OP_LIST: return differing_list(op->sub(), a, b, how);
    default: same = pi_scalar_get(op, va) == pi_scalar_get(op, vb); break;
    }
    return same ? NULL : op->name;
}

const char *alike_layout(const struct pd_op *layout, const void *a, const void *b, enum alike how)
{
    const char *field = NULL;
    for (const struct pd_op *op = layout; !field && op->kind != PI_OP_END; op++)
        field = differing_field(op, a, b, how);
    return field;
}

const char *alike_records(const struct pd_record *a, const struct pd_record *b, enum alike how)
{
    const struct pd_op *layout = pi_layout_of(a->type);
    const char *field = layout ? alike_layout(layout, &a->u, &b->u, how) : NULL;
    if (a->type != b->type)
        return "type";
    if (a->misc != b->misc)
        return "misc";
    if (a->variant != b->variant)
        return "variant";
    if (a->has_id != b->has_id)
        return "has_id";
    if (!field && !same_bytes(&a->rest, &b->rest, how))
        return "rest";
    return field ? field : alike_layout(pi_layout_sample_id(), &a->id, &b->id, how);
}

struct place {
    const char *name;
    uint64_t bit; /* of sample_type */
    size_t at;    /* from the record's start, 0: absent */
    unsigned width;
    uint64_t value;
};

static const char *wrong_of(const struct pd_record *rec, const struct place *places, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct place *p = &places[i];
        const bool present = rec->plan->shape.sample_type & p->bit;
        if (present != (p->at != 0))
            return p->name;
        if (present && pi_load(rec->raw + p->at, p->width, (enum pd_order)rec->plan->order) != p->value)
            return p->name;
    }
    return NULL;
}

const char *wrong_place(const struct pd_record *rec)
{
    const struct pd_plan *plan = rec->plan;
    const struct pd_sample *s = &rec->u.sample;
    const struct pd_sample_id *id = &rec->id;
    const uint64_t any_id = PD_SAMPLE_IDENTIFIER | PD_SAMPLE_ID;
    const bool identifier = plan->shape.sample_type & PD_SAMPLE_IDENTIFIER;
    const struct place sample[] = {
        {"ip", PD_SAMPLE_IP, plan->ip, 8, s->ip},
        {"pid", PD_SAMPLE_TID, plan->pid, 4, s->pid},
        {"time", PD_SAMPLE_TIME, plan->time, 8, s->time},
        {"addr", PD_SAMPLE_ADDR, plan->addr, 8, s->addr},
        {"id", any_id, plan->id, 8, identifier ? s->identifier : s->id},
        {"cpu", PD_SAMPLE_CPU, plan->cpu, 4, s->cpu},
        {"period", PD_SAMPLE_PERIOD, plan->period, 8, s->period},
    };
#define FROM_END(at_) (plan->at_ ? (size_t)rec->size - plan->at_ : 0)
    const struct place trailer[] = {
        {"trailer_pid", PD_SAMPLE_TID, FROM_END(trailer_pid), 4, id->pid},
        {"trailer_time", PD_SAMPLE_TIME, FROM_END(trailer_time), 8, id->time},
        {"trailer_id", any_id, FROM_END(trailer_id), 8, identifier ? id->identifier : id->id},
        {"trailer_cpu", PD_SAMPLE_CPU, FROM_END(trailer_cpu), 4, id->cpu},
    };
    if (rec->type == PD_RECORD_SAMPLE)
        return wrong_of(rec, sample, sizeof sample / sizeof *sample);
    return rec->has_id ? wrong_of(rec, trailer, sizeof trailer / sizeof *trailer) : NULL;
}
