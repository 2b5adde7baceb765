/* SPDX-License-Identifier: MIT */
/* gen_python.c - prints python/perfdata/records.py: a class with typed fields for every layout of the schema.
 */
#include "gen.h"
#include "src/schema/schema.h"

#include <ctype.h>
#include <string.h>

static const char head[] =
    "# SPDX-License-Identifier: MIT\n"
    "# Generated from src/schema/records.def by `perfdata_gen python`; do not edit.\n"
    "\"\"\"A class for each type of record, for the parts of records, attrs and features: what fields they "
    "have.\n"
    "\n"
    "A field that a record lacks is None. Names that are keywords, or that every record or dict has, end in\n"
    "`_`: `record.size` is that of the record, `record.size_` a field.\n"
    "\"\"\"\n"
    "\n"
    "from __future__ import annotations\n"
    "\n"
    "from ._base import Part, Record\n";

/* "branch_entry" as "BranchEntry". */
static void print_class_name(FILE *out, const char *name)
{
    bool upper = true;
    for (; *name; name++) {
        if (*name != '_')
            fputc(upper ? toupper((unsigned char)*name) : *name, out);
        upper = *name == '_';
    }
}

/* " from global " has "from". */
static bool has_word(const char *words, const char *name)
{
    const size_t n = strlen(name);
    for (const char *p = words; (p = strstr(p, name)); p++)
        if (p[-1] == ' ' && p[n] == ' ')
            return true;
    return false;
}

/* Behind names of fields that Python's grammar or the base class, Record or Part (a dict), has taken. */
static const char *suffix_of(const struct pd_op *layout, const char *name)
{
    const char *of_base = layout->arg
                              ? " type misc size offset index event inner raw decoded get text fields set "
                              : " clear copy fromkeys get items keys pop popitem setdefault update values ";
    return has_word(" from global class in is as import pass ", name) || has_word(of_base, name) ? "_" : "";
}

static const char *type_of(const struct pd_op *op)
{
    switch (op->kind) {
    case PI_OP_ARR:
    case PI_OP_BYTES:
    case PI_OP_REST: return "bytes";
    case PI_OP_STR:
    case PI_OP_CSTR:
    case PI_OP_STR64:
    case PI_OP_STRV:
    case PI_OP_STRN:
    case PI_OP_STRMAX:
    case PI_OP_SLOT: return "str";
    case PI_OP_VEC16:
    case PI_OP_VEC32:
    case PI_OP_VEC64:
    case PI_OP_VECR64:
    case PI_OP_GRID64:
    case PI_OP_REGS: return "list[int]";
    default: return "int";
    }
}

static bool is_list(const struct pd_op *op)
{
    return op->kind == PI_OP_LIST || op->kind == PI_OP_ITEMS || op->kind == PI_OP_ITEMSR ||
           op->kind == PI_OP_MESSAGE;
}

static bool is_part(const struct pd_op *op)
{
    return op->kind == PI_OP_SUB || op->kind == PI_OP_SIZED || op->kind == PI_OP_ATTR;
}

/* A remark, at most 100 bytes a line. */
static void print_doc(FILE *out, const char *doc)
{
    while (*doc) {
        size_t n = strlen(doc);
        if (n > 100)
            for (n = 100; n > 1 && doc[n] != ' ';)
                n--;
        fprintf(out, "    #: %.*s\n", (int)n, doc);
        doc += n + (doc[n] == ' ');
    }
}

static void print_field(FILE *out, const struct pd_op *layout, const struct pd_op *type,
                        const struct pd_op *op)
{
    print_doc(out, op->doc);
    fprintf(out, "    %s%s: ", op->name, suffix_of(layout, op->name));
    if (is_list(type))
        fputs("list[", out);
    if (is_list(type) || is_part(type))
        print_class_name(out, type->sub()->name);
    else
        fputs(type_of(type), out);
    fputs(is_list(type) ? "] | None\n" : " | None\n", out);
}

/* The classes of fields that have fields of their own. */
static void print_parts(FILE *out, const struct pd_op *layout)
{
    bool any = false;
    for (const struct pd_op *op = layout + 1; op->kind != PI_OP_END; op++) {
        if (!is_list(op) && !is_part(op))
            continue;
        fprintf(out, "%s        \"%s\": \"", any ? "" : "    PARTS = {\n", op->name);
        print_class_name(out, op->sub()->name);
        fputs("\",\n", out);
        any = true;
    }
    if (any)
        fputs("    }\n", out);
}

static void print_class(FILE *out, const struct pd_op *layout)
{
    const struct pd_op *named = layout;
    fputs("\n\nclass ", out);
    print_class_name(out, layout->name);
    fprintf(out, "(%s):\n    \"\"\"%c%s.\"\"\"\n\n    LAYOUT = \"%s\"\n", layout->arg ? "Record" : "Part",
            toupper((unsigned char)layout->doc[0]), layout->doc + 1, layout->name);
    if (layout->arg)
        fprintf(out, "    TYPE = %u\n", (unsigned)layout->arg);
    if (PI_HEAD_IS_FEATURE(layout))
        fprintf(out, "    FEATURE = %u\n", (unsigned)layout->count_offset);
    print_parts(out, layout);
    for (const struct pd_op *op = layout + 1; op->kind != PI_OP_END; op++) {
        if (op->kind >= PI_OP_WHEN || (op->kind >= PI_OP_PASS && op->kind < PI_OP_ALIAS))
            continue;
        named = op->kind == PI_OP_ALIAS ? named : op;
        print_field(out, layout, named, op);
    }
}

int gen_python(FILE *out)
{
    fputs(head, out);
    for (size_t i = 0; i < pi_n_layouts; i++)
        print_class(out, pi_layouts[i]());
    fputs("\n\nRECORDS = {c.TYPE: c for c in list(globals().values()) if hasattr(c, \"TYPE\") and c.TYPE}\n",
          out);
    fputs("FEATURES = {c.FEATURE: c for c in list(globals().values()) if hasattr(c, \"FEATURE\")}\n", out);
    return 0;
}
