/* SPDX-License-Identifier: MIT */
/*
 * names.c - the sets of src/schema/names.def as tables, and their values as text, both ways.
 *
 * Items of a flag word or packed word are joined by '|'. A sub-field whose own value is a flag word joins its
 * items by '+', so that splitting at '|' is never ambiguous: "mem_op=LOAD|mem_lvl=HIT+L1".
 */
#include <perfdata/constants.h>
#include <perfdata/names.h>

#include "src/support/text_scan.h"
#include "src/support/wrap.h"

#define WORD_MASK(bits_) ((bits_) >= 64 ? UINT64_MAX : (UINT64_C(1) << ((bits_)&63)) - 1)
#define FIELD_MASK(lo_, width_) (WORD_MASK(width_) << (lo_))

/* clang-format off */
/* The names of each set. The last element only keeps the arrays of sets without names from being empty. */
#define SET(id_, kind_, prefix_, bits_, doc_) static const struct pd_name names_##id_[] = {
#define VALUE(name_, value_, doc_) {#name_, value_, NULL, 0, 0, doc_},
#define FIELD(name_, lo_, width_, set_, doc_) \
    {#name_, FIELD_MASK(lo_, width_), &pd_set_##set_, lo_, width_, doc_},
#define END(id_) {NULL, 0, NULL, 0, 0, NULL}};
#include "names.def"
#undef SET
#undef VALUE
#undef FIELD
#undef END

#define VALUE(name_, value_, doc_)
#define FIELD(name_, lo_, width_, set_, doc_)
#define END(id_)

/* The sets themselves. */
#define SET(id_, kind_, prefix_, bits_, doc_) \
    const struct pd_set pd_set_##id_ = {      \
        #id_,        #prefix_,                \
        PD_SET_##kind_, bits_,                \
        names_##id_, sizeof names_##id_ / sizeof *names_##id_ - 1, doc_};
#include "names.def"
#undef SET

/* The list of them. */
#define SET(id_, kind_, prefix_, bits_, doc_) &pd_set_##id_,
const struct pd_set *const pd_sets[] = {
#include "names.def"
};
const size_t pd_n_sets = sizeof pd_sets / sizeof *pd_sets;
#undef SET
#undef FIELD
#undef END

/* No two sub-fields of a word overlap: their masks have as many bits together as one by one. */
#define SET(id_, kind_, prefix_, bits_, doc_) enum { width_##id_ = 0
#define FIELD(name_, lo_, width_, set_, doc_) + (width_)
#define END(id_) };
#include "names.def"
#undef SET
#undef FIELD
#undef END
#define SET(id_, kind_, prefix_, bits_, doc_) _Static_assert(__builtin_popcountll(UINT64_C(0)
#define FIELD(name_, lo_, width_, set_, doc_) | FIELD_MASK(lo_, width_)
#define END(id_) ) == width_##id_, "sub-fields of " #id_ " overlap");
#include "names.def"
#undef SET
#undef FIELD
#undef END
#undef VALUE
/* clang-format on */

/* Mirroring a word moves every bit of it, so these must be covered whole. */
_Static_assert(width_attr_flags == 64, "attr_flags must cover its word");
_Static_assert(width_aux_action == 32, "aux_action must cover its word");
_Static_assert(width_branch_flags == 64, "branch_flags must cover its word");

static void put_number(struct pi_text *t, uint64_t value, bool hex)
{
    if (hex)
        pi_text_hex(t, value);
    else
        pi_text_number(t, value, 10);
}

static void put_signed(struct pi_text *t, uint64_t value)
{
    const bool negative = value >> 63;

    if (negative)
        pi_text_str(t, "-");
    pi_text_number(t, negative ? ~value + 1 : value, 10);
}

static void put_enum(struct pi_text *t, const struct pd_set *set, uint64_t value)
{
    const char *name = pd_set_name(set, value);

    if (name)
        pi_text_str(t, name);
    else
        put_number(t, value, set->bits > 32);
}

static void put_separator(struct pi_text *t, size_t start, const char *separator)
{
    if (t->len != start)
        pi_text_str(t, separator);
}

static void put_flags(struct pi_text *t, const struct pd_set *set, uint64_t value, const char *separator)
{
    const size_t start = t->len;

    for (size_t i = 0; i < set->n; i++) {
        const struct pd_name *n = &set->names[i];
        if (n->value == 0 || (value & n->value) != n->value)
            continue;
        put_separator(t, start, separator);
        pi_text_str(t, n->name);
        value &= ~n->value;
    }
    if (value || t->len == start) {
        put_separator(t, start, separator);
        put_number(t, value, value != 0);
    }
}

/* A sub-field's value. Packed words do not nest. */
static void put_value(struct pi_text *t, const struct pd_set *set, uint64_t value, const char *separator)
{
    switch (set->kind) {
    case PD_SET_ENUM: put_enum(t, set, value); break;
    case PD_SET_FLAGS: put_flags(t, set, value, separator); break;
    case PD_SET_SDEC: put_signed(t, value); break;
    case PD_SET_HEX: put_number(t, value, true); break;
    case PD_SET_DEC:
    case PD_SET_BITS: put_number(t, value, false); break;
    }
}

/* Not by address: a program may have its own copy of pd_set_FLAG. */
static bool is_flag(const struct pd_set *set)
{
    return set->kind == PD_SET_DEC && set->bits == 1;
}

static void put_bits(struct pi_text *t, const struct pd_set *set, uint64_t word)
{
    const size_t start = t->len;

    for (size_t i = 0; i < set->n; i++) {
        const struct pd_name *f = &set->names[i];
        const uint64_t value = pd_bits_get(f, word);
        if (value == 0)
            continue;
        put_separator(t, start, "|");
        pi_text_str(t, f->name);
        if (!is_flag(f->set)) {
            pi_text_str(t, "=");
            put_value(t, f->set, value, "+");
        }
        word &= ~f->value;
    }
    if (word || t->len == start) {
        put_separator(t, start, "|");
        put_number(t, word, word != 0);
    }
}

size_t pd_set_format(const struct pd_set *set, uint64_t value, char *buf, size_t cap)
{
    struct pi_text t = {buf, cap, 0};

    if (set->kind == PD_SET_BITS)
        put_bits(&t, set, value);
    else
        put_value(&t, set, value, "|");
    return pi_text_close(&t);
}

/* A hexadecimal number may have its sign bit set; a decimal one says the sign. */
static bool parse_signed(struct pi_slice text, uint64_t *value)
{
    struct pi_slice digits = text;

    if (pi_slice_skip(&digits, "-")) {
        if (!pi_slice_digits(digits, 10, UINT64_C(1) << 63, value))
            return false;
        *value = pi_negated(*value);
        return true;
    }
    return pi_slice_number(text, pi_slice_skip(&digits, "0x") ? UINT64_MAX : INT64_MAX, value);
}

static const struct pd_name *find_name(const struct pd_set *set, struct pi_slice text)
{
    for (size_t i = 0; i < set->n; i++) {
        if (pi_slice_is(text, set->names[i].name))
            return &set->names[i];
    }
    return NULL;
}

static bool parse_enum(const struct pd_set *set, struct pi_slice text, uint64_t *value)
{
    const struct pd_name *n = find_name(set, text);

    if (!n)
        return pi_slice_number(text, WORD_MASK(set->bits), value);
    *value = n->value;
    return true;
}

static bool parse_flags(const struct pd_set *set, struct pi_slice text, char separator, uint64_t *value)
{
    struct pi_slice item;

    *value = 0;
    while (pi_slice_next(&text, separator, &item)) {
        uint64_t v;
        if (!parse_enum(set, item, &v))
            return false;
        *value |= v;
    }
    return true;
}

static bool parse_value(const struct pd_set *set, struct pi_slice text, char separator, uint64_t *value)
{
    switch (set->kind) {
    case PD_SET_ENUM: return parse_enum(set, text, value);
    case PD_SET_FLAGS: return parse_flags(set, text, separator, value);
    case PD_SET_SDEC: return parse_signed(text, value);
    case PD_SET_DEC:
    case PD_SET_HEX:
    case PD_SET_BITS: break;
    }
    return pi_slice_number(text, WORD_MASK(set->bits), value);
}

/* "name", "name=value" or a number that is bits in place; `mask` becomes the bits that are then known. */
static bool parse_bits_item(const struct pd_set *set, struct pi_slice item, uint64_t *value, uint64_t *mask)
{
    struct pi_slice name;
    struct pi_slice rest = item;

    pi_slice_next(&rest, '=', &name);
    const struct pd_name *f = find_name(set, name);
    if (!f) {
        if (rest.ptr || !pi_slice_number(item, WORD_MASK(set->bits), value))
            return false;
        *mask = *value;
        return true;
    }
    *value = 1;
    if (rest.ptr ? !parse_value(f->set, rest, '+', value) : !is_flag(f->set))
        return false;
    if (*value > WORD_MASK(f->width))
        return false;
    *value <<= f->lo;
    *mask = f->value;
    return true;
}

/* Bits that are given twice are a mistake of the text. */
static bool parse_bits(const struct pd_set *set, struct pi_slice text, uint64_t *word)
{
    uint64_t known = 0, value, mask;
    struct pi_slice item;

    *word = 0;
    while (pi_slice_next(&text, '|', &item)) {
        if (!parse_bits_item(set, item, &value, &mask) || (known & mask))
            return false;
        known |= mask;
        *word |= value;
    }
    return true;
}

bool pd_set_parse(const struct pd_set *set, const char *text, size_t len, uint64_t *value)
{
    const struct pi_slice all = {text, len};
    uint64_t v;

    if (len == 0)
        return false;
    if (set->kind == PD_SET_BITS ? !parse_bits(set, all, &v) : !parse_value(set, all, '|', &v))
        return false;
    *value = v;
    return true;
}

const char *pd_set_name(const struct pd_set *set, uint64_t value)
{
    if (set->kind != PD_SET_ENUM && set->kind != PD_SET_FLAGS)
        return NULL;
    for (size_t i = 0; i < set->n; i++) {
        if (set->names[i].value == value)
            return set->names[i].name;
    }
    return NULL;
}

const struct pd_name *pd_set_field(const struct pd_set *set, const char *name)
{
    return set->kind == PD_SET_BITS ? find_name(set, (struct pi_slice){name, strlen(name)}) : NULL;
}
