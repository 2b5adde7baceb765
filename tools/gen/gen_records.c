/* SPDX-License-Identifier: MIT */
/* gen_records.c - prints include/perfdata/records.h and docs/FORMAT.md's layout tables from the schema. */
#include "src/schema/schema.h"
#include <stdio.h>
#include <string.h>

int gen_records(FILE *out);

static const char *c_type(const struct pd_op *op)
{
    switch (op->kind) {
    case PI_OP_U8: return "uint8_t";
    case PI_OP_U16: return "uint16_t";
    case PI_OP_U32:
    case PI_OP_B32: return "uint32_t";
    case PI_OP_S32: return "int32_t";
    case PI_OP_U64:
    case PI_OP_B64:
    case PI_OP_VARINT:
    case PI_OP_UNITS:
    case PI_OP_LOW:
    case PI_OP_LESS:
    case PI_OP_OTHER:
    case PI_OP_ONES:
    case PI_OP_OPT64: return "uint64_t";
    case PI_OP_GIVEN: return "uint32_t";
    case PI_OP_ROOM:
    case PI_OP_ROOMN:
    case PI_OP_TEXT:
    case PI_OP_SINCE:
    case PI_OP_ODD64: return "uint8_t";
    case PI_OP_STR:
    case PI_OP_CSTR:
    case PI_OP_STR64:
    case PI_OP_STRV:
    case PI_OP_STRN:
    case PI_OP_STRMAX:
    case PI_OP_SLOT: return "struct pd_str";
    case PI_OP_VEC16:
    case PI_OP_VEC32:
    case PI_OP_VEC64:
    case PI_OP_VECR64:
    case PI_OP_GRID64:
    case PI_OP_REGS: return "struct pd_vec";
    case PI_OP_LIST:
    case PI_OP_ITEMS:
    case PI_OP_ITEMSR:
    case PI_OP_MESSAGE: return "struct pd_list";
    case PI_OP_BYTES:
    case PI_OP_REST: return "struct pd_bytes";
    default: return NULL;
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

/* The remark on a member besides its doc. */
static const char *remark(const struct pd_op *op)
{
    if (op->kind >= PI_OP_GIVEN)
        return "; not in the stream";
    return is_list(op) ? "; elements: struct pd_" : "";
}

/* One member, or the members of an anonymous union when aliases follow; returns the ops used. */
static size_t print_member(FILE *out, const struct pd_op *op)
{
    size_t n = 1;
    const bool group = op[1].kind == PI_OP_ALIAS;
    const char *pad = group ? "        " : "    ";
    if (group)
        fprintf(out, "    union {\n");
    if (is_part(op))
        fprintf(out, "%sstruct pd_%s %s;", pad, op->sub()->name, op->name);
    else if (op->kind == PI_OP_ARR)
        fprintf(out, "%suint8_t %s[%u];", pad, op->name, (unsigned)op->arg);
    else
        fprintf(out, "%s%s %s;", pad, c_type(op), op->name);
    fprintf(out, " /* %s%s%s */\n", op->doc, remark(op), is_list(op) ? op->sub()->name : "");
    for (; op[n].kind == PI_OP_ALIAS; n++)
        fprintf(out, "%s%s %s; /* %s */\n", pad, c_type(op), op[n].name, op[n].doc);
    if (group)
        fprintf(out, "    };\n");
    return n;
}

static void print_struct(FILE *out, const struct pd_op *head)
{
    size_t members = 0;
    const char *what = head->arg                  ? "Payload of a record: "
                       : PI_HEAD_IS_FEATURE(head) ? "A feature section: "
                                                  : "";
    fprintf(out, "/* %s%s */\nstruct pd_%s {\n", what, head->doc, head->name);
    for (const struct pd_op *op = head + 1; op->kind != PI_OP_END;) {
        if (op->kind >= PI_OP_WHEN || (op->kind >= PI_OP_PASS && op->kind < PI_OP_ALIAS)) {
            op++;
            continue;
        }
        op += print_member(out, op);
        members++;
    }
    if (members == 0)
        fprintf(out, "    uint8_t none; /* no fields; not part of the record */\n");
    fprintf(out, "};\n");
}

/* True if some list has such elements, by lines of the kind or (PI_OP_END) of any kind. */
static bool is_element(const struct pd_op *head, enum pi_op_kind kind)
{
    for (size_t i = 0; i < pi_n_layouts; i++)
        for (const struct pd_op *op = pi_layouts[i](); op->kind != PI_OP_END; op++)
            if (is_list(op) && op->sub() == head && (kind == PI_OP_END || op->kind == kind))
                return true;
    return false;
}

static void print_accessors(FILE *out, const struct pd_op *head)
{
    if (is_element(head, PI_OP_LIST))
        fprintf(out,
                "/* Element `i` (which must be < l->n) of a list of these, in host order; absent fields are "
                "0. */\n"
                "PD_API void pd_%s_at(const struct pd_list *l, size_t i, struct pd_%s *out);\n",
                head->name, head->name);
    if (is_element(head, PI_OP_END))
        fprintf(out,
                "/* Takes the first element off a list of these; false: there is none. */\n"
                "PD_API bool pd_%s_next(struct pd_list *l, struct pd_%s *out);\n",
                head->name, head->name);
}

static void print_unions(FILE *out)
{
    fputs("\n/*\n * The payload of a record, by type. After writing into that of a decoded record, call\n"
          " * pd_record_changed() before the next is decoded into it: see struct pd_record in "
          "perfdata/codec.h.\n"
          " */\nunion pd_payload {\n",
          out);
    for (size_t i = 0; i < pi_n_layouts; i++) {
        const struct pd_op *head = pi_layouts[i]();
        if (head->arg)
            fprintf(out, "    struct pd_%s %s;\n", head->name, head->name);
    }
    fputs("};\n\n/* The content of a feature section, by feature. */\nunion pd_feature_payload {\n", out);
    for (size_t i = 0; i < pi_n_layouts; i++) {
        const struct pd_op *head = pi_layouts[i]();
        if (PI_HEAD_IS_FEATURE(head))
            fprintf(out, "    struct pd_%s %s;\n", head->name, head->name + strlen("feature_"));
    }
    fputs("};\n\n/* X(layout) for everything that lists are made of. */\n#define PD_EACH_ELEMENT(X)", out);
    for (size_t i = 0; i < pi_n_layouts; i++)
        if (is_element(pi_layouts[i](), PI_OP_END))
            fprintf(out, " \\\n    X(%s)", pi_layouts[i]()->name);
    fputc('\n', out);
}

int gen_records(FILE *out)
{
    fputs("/* SPDX-License-Identifier: MIT */\n"
          "/*\n"
          " * perfdata/records.h - a C struct for every layout of src/schema/; generated by `perfdata_gen "
          "records`, do not edit.\n"
          " *\n"
          " * Numbers are in host order whatever the stream's order. Which fields are present follows from "
          "the attr (see\n"
          " * perfdata/codec.h); absent ones are 0. Pointers lead into the bytes that were decoded.\n"
          " */\n"
          "#ifndef PERFDATA_RECORDS_H\n#define PERFDATA_RECORDS_H\n\n"
          "#include <perfdata/base.h>\n\n"
          "#ifdef __cplusplus\nextern \"C\" {\n#endif\n",
          out);
    for (size_t i = 0; i < pi_n_layouts; i++) {
        const struct pd_op *head = pi_layouts[i]();
        fputc('\n', out);
        print_struct(out, head);
        print_accessors(out, head);
    }
    print_unions(out);
    fputs("\n#ifdef __cplusplus\n}\n#endif\n#endif\n", out);
    return ferror(out) ? 1 : 0;
}
