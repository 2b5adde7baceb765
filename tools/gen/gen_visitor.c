/* SPDX-License-Identifier: MIT */
/* gen_visitor.c - prints include/perfdata/visitor.h: a callback for every record of the schema. */
#include "gen.h"
#include "src/schema/schema.h"

static const char head[] =
    "/* SPDX-License-Identifier: MIT */\n"
    "/*\n"
    " * perfdata/visitor.h - a callback for each type of record.\n"
    " *\n"
    " * Generated from src/schema/records.def by `perfdata_gen visitor`; do not edit.\n"
    " */\n"
    "#ifndef PERFDATA_VISITOR_H\n"
    "#define PERFDATA_VISITOR_H\n"
    "\n"
    "#include <perfdata/codec.h>\n"
    "\n"
    "#ifdef __cplusplus\n"
    "extern \"C\" {\n"
    "#endif\n"
    "\n"
    "/*\n"
    " * Callbacks for the records that one cares for; the others are NULL. `user` is what the visit was\n"
    " * given.\n"
    " */\n"
    "struct pd_visitor {\n";

static const char tail[] =
    "    /* Records of unknown types, and those that are not decoded. */\n"
    "    void (*unknown)(void *user, const struct pd_record *rec);\n"
    "    /* Records whose own callback is NULL. */\n"
    "    void (*other)(void *user, const struct pd_record *rec);\n"
    "};\n"
    "\n"
    "/*\n"
    " * Calls the callback for a decoded or user-made record with its payload, which is in rec->u. False:\n"
    " * there was none to call.\n"
    " */\n"
    "PD_API bool pd_record_visit(const struct pd_visitor *visitor, void *user,\n"
    "                            const struct pd_record *rec);\n"
    "\n"
    "#ifdef __cplusplus\n"
    "}\n"
    "#endif\n"
    "#endif\n";

int gen_visitor(FILE *out)
{
    fputs(head, out);
    for (size_t i = 0; i < pi_n_layouts; i++) {
        const struct pd_op *layout = pi_layouts[i]();
        if (layout->arg)
            fprintf(out,
                    "    /* %s */\n"
                    "    void (*%s)(void *user, const struct pd_record *rec, const struct pd_%s *payload);\n",
                    layout->doc, layout->name, layout->name);
    }
    fputs(tail, out);
    return 0;
}
