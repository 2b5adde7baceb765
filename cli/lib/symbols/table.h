/* SPDX-License-Identifier: MIT */
/* table.h - the functions of a file, by address; and those of /proc/kallsyms and of perf-PID.map. */
#ifndef PERFDATA_CLI_SYMBOL_TABLE_H
#define PERFDATA_CLI_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cli_function {
    uint64_t start, end; /* until they are sorted, end == start: it has no size */
    size_t name;         /* offset in `names` */
    uint8_t rank;        /* of functions at the same address, the one with the greatest rank is taken */
    bool is_label;       /* had no size */
    bool in_module;      /* of the kernel */
    /*
     * Once they are sorted, 1 + the number of the last function before this one that ends behind it, 0: there
     * is none; of one that follows from this step after several; and the number of such steps to 0.
     */
    uint32_t out, far, depth;
};

/* All zeros: empty. */
struct cli_table {
    struct cli_function *all; /* by address, once it is sorted */
    size_t n, cap;
    char *names; /* each with a NUL */
    size_t n_names, cap_names;
    /* Of kallsyms: only lines of this module are read, as "[name]" has it; NULL: all. Its least address of
     * code. */
    const char *module;
    uint64_t module_code;
    /* Of kallsyms: the name of a symbol of the kernel itself, or NULL; and its address, 0: it has none. */
    const char *symbol;
    uint64_t symbol_at;
};

/* False: no memory, or too many. */
bool cli_table_add(struct cli_table *t, uint64_t start, uint64_t size, uint8_t rank, const char *name,
                   size_t n);
/* To be called after the last function, and before others that count as coming later. */
void cli_table_sort(struct cli_table *t);
/* NULL: none has the address. */
const struct cli_function *cli_table_find(const struct cli_table *t, uint64_t address);
void cli_table_free(struct cli_table *t);

/*
 * Reads the lines of kallsyms (address, letter, name) or of perf-PID.map (address, size, name), and leaves
 * out others. False: not readable, or no memory.
 */
bool cli_table_read_kallsyms(struct cli_table *t, const char *path);
bool cli_table_read_map(struct cli_table *t, const char *path);

#endif
