/* SPDX-License-Identifier: MIT */
/* gen.c - perfdata_gen: prints the files that are generated from src/schema. Uses only the C library. */
#include "gen.h"

#include <string.h>

struct command {
    const char *name;
    int (*run)(FILE *out);
    const char *doc;
};

static int usage(const struct command *commands, size_t n)
{
    fputs("usage: perfdata_gen COMMAND > FILE\n", stderr);
    for (size_t i = 0; i < n; i++) {
        if (commands[i].run)
            fprintf(stderr, "  %-11s  %s\n", commands[i].name, commands[i].doc);
    }
    return 2;
}

int main(int argc, char **argv)
{
    const struct command commands[] = {
        {"constants", gen_constants, "include/perfdata/constants.h, from src/schema/names.def"},
        {"records", gen_records, "include/perfdata/records.h, from src/schema/records.def"},
        {"visitor", gen_visitor, "include/perfdata/visitor.h, from src/schema/records.def"},
        {"python", gen_python, "python/perfdata/records.py, the same as classes"},
        {"format-doc", gen_format_doc, "docs/FORMAT.md, from all of src/schema"},
        {"format-man", gen_format_man, "docs/man/perfdata.5, the same as a manual page"},
        {"text-dict", gen_text_dict, "fuzz/text.dict, from all of src/schema"},
        {"binary-dict", gen_binary_dict, "fuzz/binary.dict, from src/schema/names.def"},
        {"limits", gen_limits, "the table of limits in SECURITY.md, from src/support/limits.h"},
    };
    const size_t n = sizeof commands / sizeof *commands;

    if (argc != 2)
        return usage(commands, n);
    for (size_t i = 0; i < n; i++) {
        if (!commands[i].run || strcmp(argv[1], commands[i].name) != 0)
            continue;
        int rc = commands[i].run(stdout);
        return fflush(stdout) == 0 && !ferror(stdout) ? rc : 1;
    }
    return usage(commands, n);
}
