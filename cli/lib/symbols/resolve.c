/* SPDX-License-Identifier: MIT */
/* resolve.c - see resolve.h. */
#define _GNU_SOURCE
#include "resolve.h"
#include "cli/lib/memory.h"
#include "cli/lib/messages/messages.h"
#include "debuginfod.h"
#include "demangle.h"
#include "ops/filter/build_id.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Build ids */

static size_t id_length(const char *id)
{
    return pi_build_id_length(id, strlen(id));
}

static bool is_same_id(const char *a, const char *b)
{
    const size_t n = id_length(a), m = id_length(b);
    return n == 0 || m == 0 || (n == m && memcmp(a, b, n) == 0);
}

/* True, with the headers, if the path has an ELF file of that build id. Else frees the path. */
static bool try_file(struct cli_resolver *r, char *path, const char *build_id, struct cli_elf *elf)
{
    if (path == NULL || cli_elf_read(elf, path)) {
        free(path);
        return false;
    }
    if (is_same_id(elf->build_id, build_id))
        return true;
    cli_say(r->cli, "%s has the build id %s, the recording %s", path, elf->build_id, build_id);
    cli_elf_free(elf);
    free(path);
    return false;
}

/* ---- Where files are */

/* Tries the path below each root; the last root is / itself. */
static char *try_roots(struct cli_resolver *r, const char *path, const char *build_id, struct cli_elf *elf)
{
    for (size_t i = 0; i <= r->n_roots; i++) {
        char *whole = cli_format("%s%s", i < r->n_roots ? r->roots[i] : "", path);
        if (try_file(r, whole, build_id, elf))
            return whole;
    }
    return NULL;
}

/* Looks up a file in perf's cache by its build id. */
static char *try_cache(struct cli_resolver *r, const char *build_id, const char *name, struct cli_elf *elf)
{
    const char *home = getenv("HOME");
    const size_t n = strlen(build_id);
    for (size_t i = 0; home && n > 2 && i < 2; i++) { /* perf cuts off zeros at the end or not */
        const int length = (int)(i ? id_length(build_id) : n);
        char *path =
            cli_format("%s/.debug/.build-id/%.2s/%.*s/%s", home, build_id, length - 2, build_id + 2, name);
        if (try_file(r, path, build_id, elf))
            return path;
    }
    return NULL;
}

char *cli_find_binary(struct cli_resolver *r, const char *file, const char *build_id, struct cli_elf *elf)
{
    char *path = *file == '/' ? try_roots(r, file, build_id, elf) : NULL;
    if (path == NULL)
        path = try_cache(r, build_id, "elf", elf);
    if (path == NULL)
        path = try_cache(r, build_id, "vdso", elf);
    return path;
}

/* Asks servers, if such are configured; their answer is not believed either. */
static char *ask_debuginfod(struct cli_resolver *r, const char *build_id, struct cli_elf *debug)
{
    char id[41];
    snprintf(id, sizeof id, "%.*s", (int)id_length(build_id), build_id);
    char *path = *id ? cli_debuginfod_find(id) : NULL;
    return try_file(r, path, build_id, debug) ? path : NULL;
}

/*
 * Finds the file with the symbols and DWARF that a stripped file lacks, by its build id or by its debug link.
 */
static char *find_debug(struct cli_resolver *r, const char *file, struct cli_elf *debug)
{
    const char *id = *r->build_id ? r->build_id : r->elf.build_id, *slash = strrchr(file, '/');
    const size_t n = id_length(id), folder = slash ? (size_t)(slash - file) : 0;
    char *path = NULL, *found;
    if (n > 2) {
        path = cli_format("/usr/lib/debug/.build-id/%.2s/%.*s.debug", id, (int)n - 2, id + 2);
        found = path ? try_roots(r, path, id, debug) : NULL;
        free(path);
        if (found || (found = try_cache(r, id, "debug", debug)))
            return found;
    }
    for (size_t i = 0; *file == '/' && *r->elf.debug_link && i < 3; i++) {
        path = i == 0   ? cli_format("%.*s/%s", (int)folder, file, r->elf.debug_link)
               : i == 1 ? cli_format("%.*s/.debug/%s", (int)folder, file, r->elf.debug_link)
                        : cli_format("/usr/lib/debug%.*s/%s", (int)folder, file, r->elf.debug_link);
        found = path ? try_roots(r, path, id, debug) : NULL;
        free(path);
        if (found)
            return found;
    }
    return ask_debuginfod(r, id, debug);
}

/* ---- The kernel */

/* The build id of the running kernel, from a note without program headers. */
static bool is_running(const char *build_id)
{
    uint8_t note[4096];
    char id[41] = "";
    const int fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, note, sizeof note) : -1;
    if (fd >= 0)
        close(fd);
    for (ssize_t at = 0; at + 16 + 20 <= n; at += 4) { /* notes are aligned */
        uint32_t head[3];
        memcpy(head, note + at, sizeof head);
        if (head[0] == 4 && head[1] == 20 && head[2] == 3 && memcmp(note + at + 12, "GNU", 4) == 0)
            for (size_t i = 0; i < 20; i++)
                snprintf(id + 2 * i, 3, "%02x", note[at + 16 + (ssize_t)i]);
    }
    return *id && *build_id && is_same_id(id, build_id);
}

static bool open_kernel(struct cli_resolver *r)
{
    char *path = r->kernel_dir ? cli_format("%s/kcore_dir/kallsyms", r->kernel_dir) : NULL;
    r->by_address = true;
    bool found = path && cli_table_read_kallsyms(&r->table, path) && r->table.n;
    free(path);
    path = cli_format("%s/.debug/[kernel.kallsyms]/%s/kallsyms", getenv("HOME") ? getenv("HOME") : "",
                      r->build_id);
    found = found || (path && *r->build_id && cli_table_read_kallsyms(&r->table, path) && r->table.n);
    free(path);
    if (!found && is_running(r->build_id))
        found = cli_table_read_kallsyms(&r->table, "/proc/kallsyms") && r->table.n;
    return found;
}

/* ---- A file */

static bool is_map(const char *file)
{
    const char *name = strrchr(file, '/');
    const size_t n = name ? strlen(name) : 0;
    return n > 10 && strncmp(name, "/perf-", 6) == 0 && strcmp(name + n - 4, ".map") == 0;
}

static bool open_map(struct cli_resolver *r)
{
    bool found = false;
    r->by_address = true;
    for (size_t i = 0; !found && i <= r->n_roots; i++) {
        char *path = cli_format("%s%s", i < r->n_roots ? r->roots[i] : "", r->file);
        found = path && cli_table_read_map(&r->table, path) && r->table.n;
        free(path);
    }
    return found;
}

static bool open_elf(struct cli_resolver *r)
{
    struct cli_elf debug = {0};
    char *path = cli_find_binary(r, r->file, r->build_id, &r->elf), *more;
    if (path && !cli_elf_functions(path, &r->elf, &r->table))
        cli_fail(r->cli, CLI_OUTPUT, "%s: no memory for its symbols", path);
    more = path && r->elf.has_symtab && !r->inlined ? NULL : find_debug(r, r->file, &debug);
    if (more) {
        if (!r->elf.has_symtab)
            cli_elf_functions(more, &debug, &r->table);
        if (r->elf.n == 0) { /* there is no other source */
            cli_elf_free(&r->elf);
            r->elf = debug;
        } else {
            cli_elf_free(&debug);
        }
    }
    if (r->inlined && (path || more))
        r->dwarf = cli_dwarf_open(more ? more : path);
    free(path);
    free(more);
    cli_table_sort(&r->table);
    return r->table.n > 0;
}

static void close_file(struct cli_resolver *r)
{
    cli_elf_free(&r->elf);
    cli_table_free(&r->table);
    cli_dwarf_close(r->dwarf);
    r->dwarf = NULL;
    r->by_address = false;
    free(r->file);
    r->file = NULL;
}

static void open_file(struct cli_resolver *r, const char *file, const char *build_id)
{
    close_file(r);
    r->file = cli_strdup(file);
    snprintf(r->build_id, sizeof r->build_id, "%s", build_id);
    if (r->file == NULL)
        return;
    const bool kernel =
        strncmp(file, "[kernel.kallsyms]", 17) == 0 || strncmp(file, "[guest.kernel", 13) == 0;
    const bool found = kernel ? open_kernel(r) : is_map(file) ? open_map(r) : open_elf(r);
    r->n_files++;
    if (found)
        return;
    r->n_unknown++;
    if (r->cli->verbose)
        cli_say(r->cli, "%s: no symbols found", file);
}

/* ---- An address */

static void find_inlined(struct cli_resolver *r, uint64_t address, struct pd_symbol *symbol)
{
    const char *names[PD_LIMIT_SYMBOLS_INLINED];
    symbol->n_inlined = cli_dwarf_inlined(r->dwarf, address, names);
    for (size_t i = 0; i < symbol->n_inlined; i++)
        r->pointers[i] = cli_demangle(names[i], r->names[i + 1], sizeof *r->names);
    symbol->inlined = r->pointers;
}

bool cli_resolve(void *user, const char *file, const char *build_id, uint64_t offset,
                 struct pd_symbol *symbol)
{
    struct cli_resolver *r = user;
    uint64_t address = offset;
    if (r->names == NULL && (r->names = cli_calloc(PD_LIMIT_SYMBOLS_INLINED + 1, sizeof *r->names)) == NULL)
        return false;
    if (r->file == NULL || strcmp(r->file, file) != 0 || strcmp(r->build_id, build_id) != 0)
        open_file(r, file, build_id);
    if (!r->by_address && !cli_elf_address(&r->elf, offset, &address))
        return false;
    const struct cli_function *f = cli_table_find(&r->table, address);
    if (f == NULL)
        return false;
    *symbol = (struct pd_symbol){.offset = address - f->start};
    symbol->name = cli_demangle(r->table.names + f->name, r->names[0], sizeof *r->names);
    if (r->dwarf)
        find_inlined(r, address, symbol);
    return true;
}

void cli_resolver_close(struct cli_resolver *r)
{
    close_file(r);
    free(r->names);
    r->names = NULL;
}
