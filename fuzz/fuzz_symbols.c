/* SPDX-License-Identifier: MIT */
/*
 * fuzz_symbols.c - where functions are read from: programs, files of `perfdata symbols`, kallsyms, and maps
 * of just-in-time compilers. Whatever they hold, functions are in order and are found by their addresses,
 * names end, and a file of symbols that is not damaged has each of its lines found. DWARF, which libdw reads,
 * is left out. Checks R1, R10.
 *
 * Input: a byte that chooses what it is, then the file.
 */
#define _GNU_SOURCE
#include "harness.h"
#include "cli/lib/cli.h"
#include "cli/lib/symbols/demangle.h"
#include "cli/lib/symbols/elf.h"
#include "cli/lib/symbols/symbol_file.h"
#include <inttypes.h>
#include <sys/mman.h>
#include <unistd.h>

static FILE *talk; /* where messages go */

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    talk = fopen("/dev/null", "w");
    CHECK(talk);
    return 0;
}

/* ---- What must hold */

static void check_name(const char *name)
{
    static char to[PI_LIMIT_SYMBOLS_NAME];
    const char *plain = cli_demangle(name, to, sizeof to);
    CHECK(plain == name || (plain == to && strlen(to) < sizeof to));
}

static void check_table(const struct cli_table *t)
{
    for (size_t i = 0; i < t->n; i++) {
        const struct cli_function *f = &t->all[i];
        CHECK(i == 0 || t->all[i - 1].start < f->start);
        CHECK(f->end >= f->start && f->name < t->n_names);
        check_name(t->names + f->name);
        const struct cli_function *found = cli_table_find(t, f->start);
        CHECK(f->end == f->start || found == f);
        found = cli_table_find(t, f->end);
        CHECK(found == NULL || (found->start <= f->end && f->end < found->end));
    }
}

static void try_elf(const char *path)
{
    struct cli_elf elf;
    struct cli_table t = {0};
    uint64_t address;
    const char *why = cli_elf_read(&elf, path);
    if (why) {
        CHECK(*why);
        return;
    }
    CHECK(strlen(elf.build_id) <= 40);
    for (size_t i = 0; i < elf.n; i++)
        CHECK(elf.segments[i].size == 0 || cli_elf_address(&elf, elf.segments[i].offset, &address));
    cli_elf_look(&elf, path);
    CHECK(strlen(elf.debug_link) < sizeof elf.debug_link && !strchr(elf.debug_link, '/'));
    CHECK(cli_elf_linkage(path, &t) && cli_elf_functions(path, &t));
    cli_table_sort(&t);
    check_table(&t);
    cli_table_free(&t);
    cli_elf_free(&elf);
}

static void try_text(const char *path, bool (*read)(struct cli_table *t, const char *path))
{
    struct cli_table t = {0};
    CHECK(read(&t, path));
    check_table(&t);
    cli_table_free(&t);
}

/* ---- Files of symbols */

/* The lines as they are, where nothing in them is escaped: each must be found. */
static void check_lines(struct cli_symbol_file *s, char *text)
{
    char *file = NULL, *id = NULL, *more;
    for (char *line = strtok_r(text, "\n", &more); line; line = strtok_r(NULL, "\n", &more)) {
        struct pd_symbol symbol;
        if (strncmp(line, "file\t", 5) == 0) {
            id = line + 5;
            file = strchr(id, '\t');
            *file++ = 0;
            id = *id == '-' ? id + strlen(id) : id;
        } else if (file && !strchr(file, '\\')) {
            CHECK(cli_symbols_find(s, file, id, strtoull(line, NULL, 16), &symbol));
            CHECK(symbol.name && strlen(symbol.name) <= PI_LIMIT_SYMBOLS_NAME);
            for (size_t i = 0; i < symbol.n_inlined; i++)
                CHECK(strlen(symbol.inlined[i]) <= PI_LIMIT_SYMBOLS_NAME);
        }
    }
}

static void try_symbols(const char *path, const uint8_t *bytes, size_t n)
{
    struct cli cli = {.threads = 1, .verb = "export"};
    struct cli_symbol_file s = {0};
    FILE *const usual = stderr;
    stderr = talk;
    const bool read = cli_symbols_read(&s, &cli, path);
    stderr = usual;
    CHECK(read == (cli.status == CLI_OK || cli.status == CLI_DAMAGED));
    if (read && cli.status == CLI_OK) {
        char *text = calloc(n + 1, 1); /* strndup() is taken for one that needs an end */
        CHECK(text);
        memcpy(text, bytes, n);
        CHECK(strlen(text) == n);
        check_lines(&s, text);
        free(text);
    }
    cli_symbols_free(&s);
    free(cli.named.id);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[40];
    if (size == 0)
        return 0;
    const int fd = memfd_create("symbols", MFD_CLOEXEC);
    CHECK(fd >= 0 && write(fd, data + 1, size - 1) == (ssize_t)size - 1);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    switch (data[0] % 4) {
    case 0: try_elf(path); break;
    case 1: try_symbols(path, data + 1, size - 1); break;
    case 2: try_text(path, cli_table_read_kallsyms); break;
    default: try_text(path, cli_table_read_map);
    }
    close(fd);
    return 0;
}
