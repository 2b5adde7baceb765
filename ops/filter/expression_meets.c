/* SPDX-License-Identifier: MIT */
/* expression_meets.c - the fields of an expression in events, and their values in samples. */
#include "expression.h"
#include "src/support/memory.h"
#include <fnmatch.h>
#include <perfdata/constants.h>
#include <perfdata/session/fields.h>
#include <string.h>

/* The path of a field in samples. perf has two fields of weight. */
const char *pi_expression_path(const char *name, const struct pd_attr *attr)
{
    if (strcmp(name, "weight") == 0 && attr->sample_type & PD_SAMPLE_WEIGHT_STRUCT)
        return "weight_struct.var1_dw";
    return name;
}

static bool has_path(const char *name, const struct pd_attr *attr)
{
    struct pd_fields it;
    struct pd_field f;
    return pd_fields_of_type(&it, attr, PD_RECORD_SAMPLE, 0) &&
           pd_fields_find(&it, pi_expression_path(name, attr), &f);
}

#define TRACE "trace." /* before the name of a field that is the tracepoint's, not the sample's */

struct pi_expression_place pi_expression_find(const char *name, const struct pd_attr *attr,
                                              const struct pd_tracepoints *tracepoints)
{
    struct pi_expression_place place = {.known = true};
    const bool is_tracepoint = attr->type == PD_TYPE_TRACEPOINT && tracepoints;
    const struct pd_tracepoint *t = is_tracepoint ? pd_tracepoints_by_id(tracepoints, attr->config) : NULL;
    const bool traced = strncmp(name, TRACE, sizeof TRACE - 1) == 0;
    name += traced ? sizeof TRACE - 1 : 0;
    place.field = t ? pd_tracepoint_find(t, name, strlen(name)) : NULL;
    place.order = t ? (enum pd_order)t->order : PD_LITTLE;
    place.in_sample = place.field == NULL && !traced && has_path(name, attr);
    return place;
}

static bool is_text(const struct pi_expression_place *place)
{
    return place->field && place->field->kind == PD_TRACEPOINT_STRING;
}

/* ---- Checks */

static const char *find_fault(const struct pi_expression_node *node, const struct pi_expression_place *place,
                              bool *of_value)
{
    const enum pi_compare c = node->compare;
    *of_value = false;
    if (is_text(place)) {
        *of_value = true;
        return c == PI_IS || c == PI_IS_NOT || c == PI_IS_LIKE ? NULL : "a text has only ==, != and ~";
    }
    if (place->field && place->field->kind != PD_TRACEPOINT_NUMBER &&
        place->field->kind != PD_TRACEPOINT_POINTER)
        return "this field is neither a number nor a text";
    if (c == PI_IS_LIKE)
        return "~ is for texts";
    *of_value = true;
    return node->is_number ? NULL : "this is no number of 64 bits";
}

static bool check_test(const struct pi_expression_node *node, const struct pd_reader *reader,
                       const struct pd_tracepoints *tracepoints, struct pd_expression_error *wrong)
{
    bool found = false, of_value;
    for (size_t i = 0; i < pd_reader_n_attrs(reader); i++) {
        const struct pi_expression_place place =
            pi_expression_find(node->name, &pd_reader_attr(reader, i)->attr, tracepoints);
        if (!place.field && !place.in_sample)
            continue;
        const char *fault = find_fault(node, &place, &of_value);
        if (fault) {
            *wrong = (struct pd_expression_error){of_value ? node->value_at : node->at,
                                                  of_value ? node->value_n : node->n, fault};
            return false;
        }
        found = true;
    }
    if (!found)
        *wrong = (struct pd_expression_error){node->at, node->n, "no event has this field"};
    return found;
}

bool pd_expression_check(struct pd_expression *x, const struct pd_reader *reader,
                         const struct pd_tracepoints *tracepoints, struct pd_expression_error *wrong)
{
    for (size_t i = 0; i < x->n; i++) {
        struct pi_expression_node *node = &x->nodes[i];
        pi_release(x->allocator, node->places); /* the event is of another input */
        node->places = NULL;
        node->n_places = 0;
        if (node->op == PI_TEST && !check_test(node, reader, tracepoints, wrong))
            return false;
    }
    return true;
}

/* ---- Values */

static bool compare_texts(const struct pi_expression_node *node, const struct pd_str *value)
{
    char text[UINT16_MAX + 1]; /* the record is too short for it */
    const size_t n = value->len < sizeof text ? value->len : sizeof text - 1;
    if (n)
        memcpy(text, value->ptr, n);
    text[n] = 0;
    switch (node->compare) {
    case PI_IS: return strcmp(node->text, text) == 0;
    case PI_IS_NOT: return strcmp(node->text, text) != 0;
    default: return fnmatch(node->text, text, 0) == 0;
    }
}

/* Compares, for -1, 0 or 1. A negative number of the expression is below all unsigned numbers. */
static int order_numbers(const struct pi_expression_node *node, uint64_t value, bool is_signed)
{
    const bool below = is_signed && value >> 63;
    const uint64_t want = node->number;
    if (below != (node->negative && want))
        return below ? -1 : 1;
    if (!below)
        return (value > want) - (value < want);
    const uint64_t size = ~value + 1;
    return (size < want) - (size > want);
}

static bool compare_numbers(const struct pi_expression_node *node, uint64_t value, bool is_signed)
{
    if (node->compare == PI_HAS_BITS)
        return (value & (node->negative ? ~node->number + 1 : node->number)) != 0;
    const int order = order_numbers(node, value, is_signed);
    switch (node->compare) {
    case PI_IS: return order == 0;
    case PI_IS_NOT: return order != 0;
    case PI_LESS: return order < 0;
    case PI_LESS_OR_IS: return order <= 0;
    case PI_MORE: return order > 0;
    default: return order >= 0;
    }
}

/* The place of the field in the record's event; NULL: no memory. */
static const struct pi_expression_place *place_of(struct pd_expression *x, struct pi_expression_node *node,
                                                  const struct pd_record *rec,
                                                  const struct pd_tracepoints *tracepoints)
{
    const size_t i = rec->attr_index;
    if (i >= node->n_places) {
        struct pi_expression_place *more = pi_array(x->allocator, node->places, i + 1, sizeof *more);
        if (more == NULL)
            return NULL;
        memset(more + node->n_places, 0, (i + 1 - node->n_places) * sizeof *more);
        node->places = more;
        node->n_places = i + 1;
    }
    if (!node->places[i].known)
        node->places[i] = pi_expression_find(node->name, rec->attr, tracepoints);
    return &node->places[i];
}

static bool meets_raw(const struct pi_expression_node *node, const struct pi_expression_place *place,
                      const struct pd_record *rec)
{
    struct pd_tracepoint_data data;
    const struct pd_bytes *raw = &rec->u.sample.raw.data;
    bool of_value;
    if (find_fault(node, place, &of_value) ||
        !pd_tracepoint_value(place->field, place->order, raw->ptr, raw->n, &data))
        return false;
    return is_text(place) ? compare_texts(node, &data.text)
                          : compare_numbers(node, data.number, place->field->is_signed);
}

static bool meets_test(struct pd_expression *x, struct pi_expression_node *node, const struct pd_record *rec,
                       const struct pd_tracepoints *tracepoints)
{
    uint64_t value;
    const struct pi_expression_place *place =
        rec->attr && rec->attr_index != UINT32_MAX ? place_of(x, node, rec, tracepoints) : NULL;
    if (place == NULL || (!place->field && !place->in_sample))
        return false;
    if (place->field)
        return meets_raw(node, place, rec);
    return node->is_number && pd_record_get(rec, pi_expression_path(node->name, rec->attr), &value) &&
           compare_numbers(node, value, false);
}

static bool meets_node(struct pd_expression *x, uint32_t i, const struct pd_record *rec,
                       const struct pd_tracepoints *tracepoints)
{
    struct pi_expression_node *node = &x->nodes[i];
    switch (node->op) {
    case PI_TEST: return meets_test(x, node, rec, tracepoints);
    case PI_NOT: return !meets_node(x, node->left, rec, tracepoints);
    case PI_AND:
        return meets_node(x, node->left, rec, tracepoints) && meets_node(x, node->right, rec, tracepoints);
    default:
        return meets_node(x, node->left, rec, tracepoints) || meets_node(x, node->right, rec, tracepoints);
    }
}

bool pd_expression_meets(struct pd_expression *x, const struct pd_tracepoints *tracepoints,
                         struct pd_record *rec)
{
    if (rec->plan == NULL || pd_record_decode_framed(rec->plan, rec, NULL))
        return false;
    return meets_node(x, x->root, rec, tracepoints);
}
