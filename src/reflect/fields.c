/* SPDX-License-Identifier: MIT */
/* fields.c - reflection: the schema's tables as fields that are present, found by name, read and set. */
#include "reflect.h"
#include "src/codec/variant.h"
#include "src/schema/fail.h"
#include "src/schema/schema.h"
#include <perfdata/feature.h>
#include <perfdata/session/fields.h>
#include <perfdata/session/large_record.h>
#include <string.h>

/* The position of an iterator over a whole record. */
enum stage { STAGE_FIELDS, STAGE_REST, STAGE_ID, STAGE_END };

/* The parts of a record that are not in its payload: a layout over struct pd_record. */
static const struct pd_op envelope[] = {
    {.kind = PI_OP_HEAD},
    {.kind = PI_OP_REST,
     .offset = offsetof(struct pd_record, rest),
     .name = "rest",
     .set = &pd_set_HEX,
     .doc = "bytes behind the known fields"},
    {.kind = PI_OP_SUB,
     .offset = offsetof(struct pd_record, id),
     .name = "sample_id",
     .sub = pi_layout_sample_id,
     .doc = "trailer"},
    {.kind = PI_OP_END},
};
static const struct pd_op nothing[] = {{.kind = PI_OP_HEAD}, {.kind = PI_OP_END}};

void pd_fields_of_record(struct pd_fields *it, const struct pd_record *rec)
{
    const struct pi_view v = pi_view_of(rec);
    *it = (struct pd_fields){.op = nothing, .stage = STAGE_END, .limit = UINT32_MAX};
    if (!v.open)
        return;
    it->op = v.layout ? v.layout : nothing;
    it->value = &rec->u;
    it->rec = rec;
    it->rest = &rec->rest;
    it->attr = rec->attr;
    it->shape = v.shape;
    it->has_id = v.has_id;
    it->stage = STAGE_FIELDS;
}

void pd_fields_of_attr(struct pd_fields *it, const struct pd_attr *attr)
{
    *it = (struct pd_fields){.op = pi_layout_attr(),
                             .value = attr,
                             .attr = attr,
                             .limit = pi_attr_whole(pi_attr_known(attr)),
                             .stage = STAGE_FIELDS};
}

/* The fields of a value that is not a record, and the bytes behind them; `layout` may be NULL. */
static void begin_value(struct pd_fields *it, const struct pd_op *layout, const void *value,
                        const struct pd_bytes *rest)
{
    *it = (struct pd_fields){
        .op = layout ? layout : nothing, .value = value, .rest = rest, .limit = UINT32_MAX};
    it->stage = STAGE_FIELDS;
}

void pd_fields_of_feature(struct pd_fields *it, const struct pd_feature *f)
{
    begin_value(it, f->layout, &f->u, &f->rest);
    it->shape.given = f->nr_cpus_avail;
    it->shape.variant = f->variant;
}

void pd_fields_of_large_record(struct pd_fields *it, const struct pd_large_record *large)
{
    begin_value(it, large->layout, &large->u, &large->rest);
}

void pd_fields_of_offcpu(struct pd_fields *it, const struct pd_offcpu *offcpu)
{
    begin_value(it, pi_layout_offcpu(), offcpu, NULL);
}

bool pd_fields_of_type(struct pd_fields *it, const struct pd_attr *attr, uint32_t type, uint16_t misc)
{
    struct pd_plan plan;
    const struct pd_op *layout = pi_layout_of(type);
    *it = (struct pd_fields){.op = layout ? layout : nothing, .attr = attr, .limit = UINT32_MAX};
    pd_plan_init(&plan, attr, PD_HOST_ORDER);
    it->shape = plan.shape;
    it->shape.misc = misc;
    it->shape.variant = pi_usual_variant(&plan, type);
    it->has_id = pi_has_id(&plan, type, 0);
    return layout != NULL;
}

bool pd_fields_of_struct(struct pd_fields *it, const char *layout, const void *value)
{
    for (size_t i = 0; i < pi_n_layouts; i++) {
        const struct pd_op *head = pi_layouts[i]();
        *it = (struct pd_fields){.op = head, .value = value, .limit = UINT32_MAX};
        if (strcmp(head->name, layout) == 0)
            return true;
    }
    it->op = nothing;
    return false;
}

/* ---- One field. */

static enum pd_field_kind kind_of(const struct pd_op *op)
{
    switch (op->kind) {
    case PI_OP_ARR: return PD_FIELD_ARRAY;
    case PI_OP_STR:
    case PI_OP_CSTR:
    case PI_OP_STR64:
    case PI_OP_STRV:
    case PI_OP_STRN:
    case PI_OP_STRMAX:
    case PI_OP_SLOT: return PD_FIELD_STRING;
    case PI_OP_VEC16:
    case PI_OP_VEC32:
    case PI_OP_VEC64:
    case PI_OP_GRID64:
    case PI_OP_VECR64:
    case PI_OP_REGS: return PD_FIELD_VECTOR;
    case PI_OP_BYTES:
    case PI_OP_REST: return PD_FIELD_BYTES;
    case PI_OP_SIZED:
    case PI_OP_ATTR:
    case PI_OP_SUB: return PD_FIELD_PART;
    case PI_OP_LIST:
    case PI_OP_ITEMS:
    case PI_OP_ITEMSR:
    case PI_OP_MESSAGE: return PD_FIELD_LIST;
    default: return PD_FIELD_NUMBER;
    }
}

/*
 * An old record's name may fill its slot, a string of protobuf always does; where no bytes are set aside
 * there is no NUL.
 */
static bool is_unended(const struct pd_op *op, const struct pd_str *s)
{
    const bool needs = op->kind != PI_OP_STRMAX && op->kind != PI_OP_STRV;
    return needs && s->size != PD_AUTO && s->size && s->len == s->size;
}

static void set_values(struct pd_field *f, const struct pd_op *op, const void *value)
{
    f->u.ptr = (const uint8_t *)value + op->offset;
    switch (f->kind) {
    case PD_FIELD_NUMBER: f->value = pi_scalar_value(op, value); break;
    case PD_FIELD_STRING:
        f->n = f->u.str->len;
        f->unended = is_unended(op, f->u.str);
        break;
    case PD_FIELD_VECTOR: f->n = f->u.vec->n; break;
    case PD_FIELD_BYTES: f->n = f->u.bytes->n; break;
    case PD_FIELD_LIST: f->n = f->u.list->n; break;
    default: break;
    }
}

static void set_bytes(struct pd_field *f, const struct pd_bytes *bytes)
{
    f->u.bytes = bytes;
    f->n = bytes->n;
}

static uint64_t register_mask(const struct pd_fields *it, const struct pd_op *op)
{
    if (op->kind != PI_OP_REGS || !it->attr)
        return 0;
    return op->src == PI_REGS_user ? it->attr->sample_regs_user : it->attr->sample_regs_intr;
}

static void make_field(struct pd_field *f, const struct pd_fields *it, const struct pd_op *op,
                       const void *value)
{
    *f = (struct pd_field){.name = op->name, .doc = op->doc, .kind = kind_of(op), .op = op};
    if (f->kind == PD_FIELD_NUMBER || f->kind == PD_FIELD_VECTOR) {
        f->set = op->set;
        f->width = (uint8_t)(f->kind == PD_FIELD_VECTOR ? pi_vec_width(op) : pi_scalar_width(op));
        if (op->kind == PI_OP_VARINT)
            f->width = 8;
    }
    if (op->kind == PI_OP_ARR)
        f->n = (size_t)op->arg;
    if (f->kind == PD_FIELD_VECTOR || f->kind == PD_FIELD_LIST || op->kind == PI_OP_BYTES)
        f->count = op->ref;
    f->registers = register_mask(it, op);
    if (f->registers && value)
        f->abi = pi_value_of(value, op->count_offset, op->count_width);
    if (value)
        set_values(f, op, value);
}

/* A field whose presence its count decides, or the size of what it is in. */
static bool is_left_out(struct pd_fields *it, const struct pd_op *op)
{
    const uint32_t at = it->at;
    if (op->kind == PI_OP_OPT64 && it->value && pi_count(op, &it->shape, it->value) == 0)
        return true;
    it->at += pi_fixed_width(op);
    return at >= it->limit && pi_fixed_width(op) != 0;
}

static bool next_in_layout(struct pd_fields *it, struct pd_field *f)
{
    for (;;) {
        const struct pd_op *op = pi_visible(it->op, &it->shape, it->value);
        it->op = op;
        if (op->kind == PI_OP_END)
            return false;
        it->op++;
        if (is_left_out(it, op))
            continue;
        make_field(f, it, op, it->value);
        return true;
    }
}

/* Fields of the envelope follow those of a record's payload. */
static bool next_in_envelope(struct pd_fields *it, struct pd_field *f)
{
    for (; it->stage < STAGE_END; it->stage++) {
        const bool present = it->stage == STAGE_REST ? it->rest && it->rest->n : it->has_id;
        if (!present || it->stage == STAGE_FIELDS)
            continue;
        make_field(f, it, &envelope[it->stage], it->rec);
        if (it->stage == STAGE_REST)
            set_bytes(f, it->rest);
        it->stage++;
        return true;
    }
    return false;
}

bool pd_fields_next(struct pd_fields *it, struct pd_field *f)
{
    return next_in_layout(it, f) || next_in_envelope(it, f);
}

/* An iterator inside `it`: it shares its data about the record, but not the parts behind the payload. */
static void narrow(struct pd_fields *inner, const struct pd_fields *it, const struct pd_op *layout,
                   const void *value)
{
    const struct pd_shape shape = it->shape;
    const struct pd_attr *attr = it->attr;
    inner->op = layout;
    inner->value = value;
    inner->rec = NULL;
    inner->rest = NULL;
    inner->attr = attr;
    inner->shape = shape;
    inner->at = 0;
    inner->limit = UINT32_MAX;
    inner->stage = STAGE_END;
    inner->has_id = false;
}

/* Bytes of the numbers that fit in a part of this size. */
static uint32_t whole_fields(const struct pd_fields *it, uint32_t size)
{
    uint32_t at = 0;
    for (const struct pd_op *op = pi_visible(it->op, &it->shape, it->value); op->kind != PI_OP_END;
         op = pi_visible(op + 1, &it->shape, it->value)) {
        if (pi_fixed_width(op) > size - at)
            break;
        at += pi_fixed_width(op);
    }
    return at;
}

void pd_fields_enter(struct pd_fields *part, const struct pd_fields *it, const struct pd_field *f)
{
    const bool is_part = f->kind == PD_FIELD_PART;
    const void *value = f->u.ptr;
    const uint32_t size = is_part && value
                              ? pi_stated_size(f->op, &it->shape, (const uint8_t *)value - f->op->offset)
                              : UINT32_MAX;
    narrow(part, it, is_part ? f->op->sub() : nothing, value);
    part->limit = size == UINT32_MAX ? size : whole_fields(part, size);
}

static bool same_list(const struct pd_list *a, const struct pd_list *b)
{
    return a->ptr == b->ptr && a->n == b->n && a->stride == b->stride && a->form == b->form;
}

/* `left` is what is left of the list, when the element before was the last that was asked for. */
static bool take_element(struct pd_fields *element, const struct pd_list *list, const struct pd_op *layout,
                         size_t i)
{
    if (i == 0 || !same_list(&element->whole, list) || element->left.n < list->n - i)
        element->whole = element->left = *list;
    element->shape.given = element->shape.read_format = list->when;
    element->shape.variant = list->variant;
    bool there = true;
    while (there && element->left.n >= list->n - i)
        there = pi_list_take(&element->left, layout, element->element);
    return there;
}

bool pd_fields_element(struct pd_fields *element, const struct pd_fields *it, const struct pd_field *f,
                       size_t i)
{
    if (f->kind != PD_FIELD_LIST || (f->u.ptr && i >= f->n))
        return false;
    const struct pd_op *layout = f->op->sub();
    if (!f->u.ptr) {
        narrow(element, it, layout, NULL);
        return true;
    }
    const struct pd_list list = *f->u.list; /* which may be in what is overwritten */
    narrow(element, it, layout, element->element);
    if (list.varying)
        return take_element(element, &list, layout, i);
    pi_list_get(&list, layout, i, element->element);
    return true;
}

/* ---- Paths. */

/* The part of a path up to the next '.' or '['; `rest` is what follows, with its separator. */
static size_t first_name(const char *path, const char **rest)
{
    const size_t n = strcspn(path, ".[");
    *rest = path + n;
    return n;
}

static bool is_name(const char *name, const char *text, size_t n)
{
    return strncmp(name, text, n) == 0 && name[n] == '\0';
}

/* Takes "[123]" off a path. */
static bool take_index(const char **path, size_t *index)
{
    const char *p = *path;
    size_t i = 0;
    if (*p++ != '[' || *p < '0' || *p > '9')
        return false;
    for (; *p >= '0' && *p <= '9'; p++) {
        if (i > (SIZE_MAX - 9) / 10)
            return false;
        i = i * 10 + (size_t)(*p - '0');
    }
    *index = i;
    *path = p + 1;
    return *p == ']';
}

static bool find_name(struct pd_fields *it, const char *name, size_t n, struct pd_field *f)
{
    while (pd_fields_next(it, f)) {
        if (is_name(f->name, name, n))
            return true;
        for (const struct pd_op *op = f->op + 1; op->kind == PI_OP_ALIAS; op++) {
            if (is_name(op->name, name, n)) {
                f->name = op->name;
                f->doc = op->doc;
                return true;
            }
        }
    }
    return false;
}

/* Turns a vector into its element, or a packed word into its sub-field. */
static bool pick(struct pd_field *f, const char *path)
{
    size_t i;
    if (f->kind == PD_FIELD_VECTOR && take_index(&path, &i)) {
        if (*path || !f->u.ptr || i >= f->n)
            return false;
        f->kind = PD_FIELD_NUMBER;
        f->value = pd_vec_at(f->u.vec, i);
        f->u.ptr = NULL;
        return true;
    }
    f->bits = f->kind == PD_FIELD_NUMBER && *path == '.' ? pd_set_field(f->set, path + 1) : NULL;
    if (!f->bits)
        return false;
    f->name = f->bits->name;
    f->doc = f->bits->doc;
    f->value = pd_bits_get(f->bits, f->value);
    f->set = f->bits->set;
    return true;
}

/* "sample." of "sample.ip": the struct's own name, which a path may begin with. */
static const char *skip_own_name(const struct pd_fields *it, const char *path)
{
    const char *rest;
    const size_t n = first_name(path, &rest);
    if (it->op->kind == PI_OP_HEAD && it->op->name && is_name(it->op->name, path, n) && *rest == '.')
        return rest + 1;
    return path;
}

bool pd_fields_find(struct pd_fields *it, const char *path, struct pd_field *f)
{
    path = skip_own_name(it, path);
    for (;;) {
        size_t i;
        const size_t n = first_name(path, &path);
        if (!find_name(it, path - n, n, f))
            return false;
        if (*path == '\0')
            return true;
        if (f->kind == PD_FIELD_PART)
            pd_fields_enter(it, it, f);
        else if (f->kind != PD_FIELD_LIST)
            return pick(f, path);
        else if (!take_index(&path, &i) || !pd_fields_element(it, it, f, i))
            return false;
        if (*path++ != '.')
            return false;
    }
}

/* ---- Numbers by path. */

bool pd_record_get(const struct pd_record *rec, const char *path, uint64_t *value)
{
    struct pd_fields it;
    struct pd_field f;
    pd_fields_of_record(&it, rec);
    if (pd_fields_find(&it, path, &f)) {
        *value = f.value;
        return f.kind == PD_FIELD_NUMBER;
    }
    if (strcmp(path, "header.type") == 0)
        *value = rec->type;
    else if (strcmp(path, "header.misc") == 0)
        *value = rec->misc;
    else if (strcmp(path, "header.size") == 0)
        *value = rec->size;
    else
        return false;
    return true;
}

bool pd_attr_get(const struct pd_attr *attr, const char *path, uint64_t *value)
{
    struct pd_fields it;
    struct pd_field f;
    pd_fields_of_attr(&it, attr);
    it.limit = UINT32_MAX;
    if (!pd_fields_find(&it, path, &f) || f.kind != PD_FIELD_NUMBER)
        return false;
    *value = f.value;
    return true;
}

/* True if the number fits, as it is or as a negative one. */
static bool fits(uint64_t value, unsigned bits, bool is_signed)
{
    const uint64_t most = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    return value <= most || (is_signed && value >= ~(most >> 1));
}

/* `space` holds the struct that the path leads through: the member is written at its place in there. */
static enum pd_code set_number(const struct pd_field *f, const void *space_begin, void *space, size_t n,
                               uint64_t value, struct pd_error *error)
{
    const uint8_t *member = f->u.ptr;
    const uint8_t *begin = space_begin;
    const unsigned bits = f->bits ? f->bits->width : 8u * f->width;
    if (f->kind != PD_FIELD_NUMBER)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "path", 0, 0);
    if (!member || (uintptr_t)member < (uintptr_t)begin || (uintptr_t)member - (uintptr_t)begin >= n)
        return pi_fail(error, PD_EUNSUP, PD_NOWHERE, f->name, 0, 0);
    if (!fits(value, bits, !f->bits && (f->set->kind == PD_SET_SDEC || f->op->kind == PI_OP_S32)))
        return pi_fail(error, PD_EVALUE, PD_NOWHERE, f->name, value, UINT64_MAX >> (64 - bits));
    uint8_t *base = (uint8_t *)space + (member - begin) - f->op->offset;
    if (f->bits)
        value = pd_bits_put(f->bits, pi_scalar_get(f->op, base), value);
    pi_scalar_set(f->op, base, value);
    return PD_OK;
}

/* The header's numbers are not in the tables. */
static enum pd_code set_header(struct pd_record *rec, const char *path, uint64_t value,
                               struct pd_error *error)
{
    const bool misc = strcmp(path, "header.misc") == 0;
    if (!misc && strcmp(path, "header.size") != 0)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "path", 0, 0);
    if (value > UINT16_MAX)
        return pi_fail(error, PD_EVALUE, PD_NOWHERE, misc ? "misc" : "size", value, UINT16_MAX);
    *(misc ? &rec->misc : &rec->size) = (uint16_t)value;
    return PD_OK;
}

enum pd_code pd_record_set(struct pd_record *rec, const char *path, uint64_t value, struct pd_error *error)
{
    struct pd_fields it;
    struct pd_field f;
    pd_fields_of_record(&it, rec);
    if (!pd_fields_find(&it, path, &f))
        return set_header(rec, path, value, error);
    return set_number(&f, rec, rec, sizeof *rec, value, error);
}

enum pd_code pd_attr_set(struct pd_attr *attr, const char *path, uint64_t value, struct pd_error *error)
{
    struct pd_fields it;
    struct pd_field f;
    pd_fields_of_attr(&it, attr);
    it.limit = UINT32_MAX;
    if (!pd_fields_find(&it, path, &f))
        return pi_fail(error, PD_EARG, PD_NOWHERE, "path", 0, 0);
    return set_number(&f, attr, attr, sizeof *attr, value, error);
}

uint64_t pd_bits_put(const struct pd_name *f, uint64_t word, uint64_t value)
{
    return (word & ~f->value) | ((value << f->lo) & f->value);
}
