/* SPDX-License-Identifier: MIT */
/*
 * gen_constants.c - prints include/perfdata/constants.h: the constants and the declarations of the sets.
 */
#include "gen.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* One line of names.def. The lines are kept flat, in the order in which they are printed. */
enum line_kind { LINE_SET, LINE_VALUE, LINE_FIELD, LINE_END };
enum set_kind { KIND_DEC, KIND_SDEC, KIND_HEX, KIND_ENUM, KIND_FLAGS, KIND_BITS };

struct line {
    enum line_kind what;
    const char *name;
    uint64_t value;
    enum set_kind kind;
    const char *prefix;
    unsigned lo, width; /* LINE_SET: width of the word */
    const char *doc;
};

#define SET(id_, kind_, prefix_, bits_, doc_) {LINE_SET, #id_, 0, KIND_##kind_, #prefix_, 0, bits_, doc_},
#define VALUE(name_, value_, doc_) {LINE_VALUE, #name_, value_, KIND_DEC, NULL, 0, 0, doc_},
#define FIELD(name_, lo_, width_, set_, doc_) {LINE_FIELD, #name_, 0, KIND_DEC, NULL, lo_, width_, doc_},
#define END(id_) {LINE_END, #id_, 0, KIND_DEC, NULL, 0, 0, NULL},
static const struct line lines[] = {
#include "src/schema/names.def"
};
#undef SET
#undef VALUE
#undef FIELD
#undef END
#define N_LINES (sizeof lines / sizeof *lines)

/* A constant that was printed, to find a second one of the same name. */
struct constant {
    char name[80];
    uint64_t value;
};

struct printer {
    FILE *out;
    struct constant seen[2 * N_LINES];
    size_t n_seen;
    bool failed;
};

static uint64_t field_mask(const struct line *f)
{
    return (f->width >= 64 ? UINT64_MAX : (UINT64_C(1) << f->width) - 1) << f->lo;
}

static void make_name(char *out, size_t cap, const struct line *set, const char *name, const char *suffix)
{
    snprintf(out, cap, "PD_%s_%s%s", set->prefix, name, suffix);
    for (char *p = out; *p; p++)
        *p = (char)toupper((unsigned char)*p);
}

static void fail(struct printer *p, const char *set, const char *name, const char *why)
{
    fprintf(stderr, "names.def: %s: %s: %s\n", set, name, why);
    p->failed = true;
}

/* True when the constant is new. The same name with another value is an error of the schema. */
static bool remember(struct printer *p, const struct line *set, const char *name, uint64_t value)
{
    for (size_t i = 0; i < p->n_seen; i++) {
        if (strcmp(p->seen[i].name, name) != 0)
            continue;
        if (p->seen[i].value != value)
            fail(p, set->name, name, "this constant has another value elsewhere");
        return false;
    }
    struct constant *c = &p->seen[p->n_seen++];
    snprintf(c->name, sizeof c->name, "%s", name);
    c->value = value;
    return true;
}

static void print_macro(struct printer *p, const struct line *set, const char *name, uint64_t value,
                        const char *doc)
{
    char number[40];

    if (!remember(p, set, name, value))
        return;
    if (set->width > 32)
        snprintf(number, sizeof number, "0x%" PRIx64 "ull", value);
    else
        snprintf(number, sizeof number, "0x%" PRIx64 "u", value);
    fprintf(p->out, "#define %-32s %s /* %s */\n", name, number, doc);
}

/* The shift of a sub-field is a count of bits, not a word, so it is a plain int. */
static void print_field(struct printer *p, const struct line *set, const struct line *f)
{
    char name[80];

    make_name(name, sizeof name, set, f->name, "");
    print_macro(p, set, name, field_mask(f), f->doc);
    if (f->width == 1)
        return;
    make_name(name, sizeof name, set, f->name, "_SHIFT");
    if (remember(p, set, name, f->lo))
        fprintf(p->out, "#define %-32s %u\n", name, f->lo);
}

static void print_enumerator(struct printer *p, const struct line *set, const struct line *v)
{
    char name[80];

    make_name(name, sizeof name, set, v->name, "");
    if (remember(p, set, name, v->value))
        fprintf(p->out, "    %s = %" PRIu64 ", /* %s */\n", name, v->value, v->doc);
}

/* Enumerators must fit an int; an ENUM with larger values is printed as macros. */
static bool is_enum(const struct line *set, size_t n)
{
    for (size_t i = 1; i <= n; i++) {
        if (set[i].value > INT_MAX)
            return false;
    }
    return set->kind == KIND_ENUM;
}

static void check_field(struct printer *p, const struct line *set, const struct line *f, uint64_t *covered)
{
    uint64_t mask = field_mask(f);

    if (f->width == 0 || f->lo + f->width > set->width)
        fail(p, set->name, f->name, "outside of the word");
    if (*covered & mask)
        fail(p, set->name, f->name, "overlaps another field");
    *covered |= mask;
}

static void check_set(struct printer *p, const struct line *set, size_t n)
{
    static const char *const mirrored[] = {"attr_flags", "aux_action", "branch_flags"};
    const uint64_t word = set->width >= 64 ? UINT64_MAX : (UINT64_C(1) << set->width) - 1;
    uint64_t covered = 0;

    for (size_t i = 1; i <= n; i++) {
        const struct line *l = &set[i];
        if ((l->what == LINE_FIELD) != (set->kind == KIND_BITS) || set->kind <= KIND_HEX)
            fail(p, set->name, l->name, "does not belong in a set of this kind");
        else if (l->what == LINE_FIELD)
            check_field(p, set, l, &covered);
        else if (l->value & ~word)
            fail(p, set->name, l->name, "wider than the word");
    }
    for (size_t i = 0; i < sizeof mirrored / sizeof *mirrored; i++) {
        if (strcmp(set->name, mirrored[i]) == 0 && covered != word)
            fail(p, set->name, set->name, "the fields must cover the whole word");
    }
}

static void print_set(struct printer *p, const struct line *set, size_t n)
{
    const bool as_enum = is_enum(set, n) && n > 0;
    char name[80];

    check_set(p, set, n);
    fprintf(p->out, "\n/* %s: %s. */\n", set->name, set->doc);
    if (as_enum)
        fputs("enum {\n", p->out);
    for (size_t i = 1; i <= n; i++) {
        const struct line *l = &set[i];
        make_name(name, sizeof name, set, l->name, "");
        if (l->what == LINE_FIELD)
            print_field(p, set, l);
        else if (as_enum)
            print_enumerator(p, set, l);
        else
            print_macro(p, set, name, l->value, l->doc);
    }
    if (as_enum)
        fputs("};\n", p->out);
    fprintf(p->out, "PD_API extern const struct pd_set pd_set_%s;\n", set->name);
}

/* clang-format off */
static const char head[] =
    "/* SPDX-License-Identifier: MIT */\n"
    "/*\n"
    " * perfdata/constants.h - every constant of the format and the set of names it belongs to.\n"
    " *\n"
    " * Generated from src/schema/names.def by `perfdata_gen constants`; do not edit.\n"
    " *\n"
    " * Values of enumerations are enumerators, or macros where they do not fit an int. Masks of flag words\n"
    " * and of sub-fields of packed words are macros as wide as the word; sub-fields of several bits have a\n"
    " * _SHIFT too. Bits are numbered as in a little-endian stream.\n"
    " */\n"
    "#ifndef PERFDATA_CONSTANTS_H\n"
    "#define PERFDATA_CONSTANTS_H\n"
    "\n"
    "#include <perfdata/names.h>\n"
    "\n"
    "#ifdef __cplusplus\n"
    "extern \"C\" {\n"
    "#endif\n";

static const char tail[] =
    "\n"
    "/* All sets, in the order above. */\n"
    "PD_API extern const struct pd_set *const pd_sets[];\n"
    "PD_API extern const size_t pd_n_sets;\n"
    "\n"
    "#ifdef __cplusplus\n"
    "}\n"
    "#endif\n"
    "#endif\n";
/* clang-format on */

int gen_constants(FILE *out)
{
    static struct printer p; /* too large for the stack */

    p.out = out;
    fputs(head, out);
    for (size_t i = 0, first = 0; i < N_LINES; i++) {
        if (lines[i].what == LINE_SET)
            first = i;
        if (lines[i].what != LINE_END)
            continue;
        if (strcmp(lines[first].name, lines[i].name) != 0)
            fail(&p, lines[first].name, lines[i].name, "END of another set");
        print_set(&p, &lines[first], i - first - 1);
    }
    fputs(tail, out);
    return p.failed;
}
