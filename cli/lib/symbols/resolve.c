/* SPDX-License-Identifier: MIT */
/* resolve.c - see resolve.h. */
#define _GNU_SOURCE
#include "resolve.h"
#include "cli/lib/memory.h"
#include "cli/lib/messages/messages.h"
#include "cli/lib/selection/selection.h"
#include "debuginfod.h"
#include "demangle.h"
#include "ops/filter/build_id.h"
#include "src/support/wrap.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Build ids */

static size_t id_length(const char *id)
{
    return pi_build_id_length(id, strlen(id));
}

static void write_hex(char text[41], const uint8_t *id, size_t n)
{
    text[0] = 0;
    for (size_t i = 0; i < n; i++)
        snprintf(text + 2 * i, 3, "%02x", id[i]);
}

static bool is_same_id(const char *a, const char *b)
{
    const size_t n = id_length(a), m = id_length(b);
    return n == 0 || m == 0 || (n == m && memcmp(a, b, n) == 0);
}

/* ---- What is looked for */

/* A look at the files that may be those of a build id, until one or several have what is wanted. */
struct search {
    struct cli_resolver *r;
    const char *build_id;
    bool any;           /* the first file will do; else that with symbols, and with DWARF if that is wanted */
    bool for_debug;     /* the files are there for their symbols; these may have no build id */
    char *binary;       /* the first file, which has the program headers */
    struct cli_elf elf; /* of it */
    char *functions;    /* the first of those that have the most symbols */
    enum cli_elf_symbols symbols;
    char *dwarf;
};

static bool is_found(const struct search *s)
{
    return s->binary && (s->any || (s->symbols == CLI_ELF_ALL && (s->dwarf || !s->r->inlined)));
}

static void keep_path(char **kept, const char *path)
{
    free(*kept);
    *kept = cli_strdup(path);
}

/* Keeps the path for what the file has. The headers are the search's then. */
static void take_file(struct search *s, const char *path, struct cli_elf *elf)
{
    cli_elf_look(elf, path);
    if (s->functions == NULL || elf->symbols > s->symbols) {
        keep_path(&s->functions, path);
        s->symbols = elf->symbols;
    }
    if (elf->has_dwarf && s->dwarf == NULL)
        keep_path(&s->dwarf, path);
    if (s->binary) {
        cli_elf_free(elf);
        return;
    }
    keep_path(&s->binary, path);
    s->elf = *elf;
    if (id_length(s->build_id) == 0) /* others must be the same as this one */
        s->build_id = s->elf.build_id;
}

/*
 * Takes the file if it is ELF and has the wanted build id, or if the file or the recording has none. After
 * the first file, another one is the same program only if both have the same build id; that files of the same
 * name have others needs no message then. True: nothing more is wanted.
 */
static bool try_file(struct search *s, char *path)
{
    struct cli_elf elf;
    const bool strict = s->binary && !s->for_debug;
    if (path && cli_elf_read(&elf, path) == NULL) {
        const bool known = id_length(elf.build_id) && id_length(s->build_id);
        if (is_same_id(elf.build_id, s->build_id) && (known || !strict)) {
            take_file(s, path, &elf);
        } else {
            if (!strict)
                cli_say(s->r->cli, "%s has the build id %s, the recording %s", path, elf.build_id,
                        s->build_id);
            cli_elf_free(&elf);
        }
    }
    free(path);
    return is_found(s);
}

/* ---- Where files are */

/* Tries the path below each root; the last root is / itself. */
static bool try_roots(struct search *s, const char *path)
{
    const struct cli_resolver *r = s->r;
    for (size_t i = 0; i <= r->n_roots; i++)
        if (try_file(s, cli_format("%s%s", i < r->n_roots ? r->roots[i] : "", path)))
            return true;
    return false;
}

/* Looks up a file in perf's cache by its build id. */
static bool try_cache(struct search *s, const char *name)
{
    const char *home = getenv("HOME"), *id = s->build_id;
    const size_t n = strlen(id);
    for (size_t i = 0; home && n > 2 && i < 2; i++) { /* perf cuts off zeros at the end or not */
        const int length = (int)(i ? id_length(id) : n);
        if (try_file(s, cli_format("%s/.debug/.build-id/%.2s/%.*s/%s", home, id, length - 2, id + 2, name)))
            return true;
    }
    return false;
}

/* Tries the program or library itself, which may be stripped in one place and whole in another. */
static bool try_binaries(struct search *s, const char *file)
{
    return (*file == '/' && try_roots(s, file)) || try_cache(s, "elf") || try_cache(s, "vdso");
}

/* Asks servers, if such are configured; their answer is not believed either. */
static bool ask_debuginfod(struct search *s)
{
    char id[41];
    snprintf(id, sizeof id, "%.*s", (int)id_length(s->build_id), s->build_id);
    return *id && try_file(s, cli_debuginfod_find(id));
}

/* Tries the files with the symbols and DWARF that a stripped file lacks, by its build id or debug link. */
static bool try_debug(struct search *s, const char *file)
{
    const char *id = s->build_id, *slash = strrchr(file, '/'), *link = s->elf.debug_link;
    const size_t n = id_length(id), folder = slash ? (size_t)(slash - file) : 0;
    bool found = false;
    s->for_debug = true;
    if (n > 2) {
        char *path = cli_format("/usr/lib/debug/.build-id/%.2s/%.*s.debug", id, (int)n - 2, id + 2);
        found = (path && try_roots(s, path)) || try_cache(s, "debug");
        free(path);
    }
    for (size_t i = 0; !found && *file == '/' && *link && i < 3; i++) {
        char *path = i == 0   ? cli_format("%.*s/%s", (int)folder, file, link)
                     : i == 1 ? cli_format("%.*s/.debug/%s", (int)folder, file, link)
                              : cli_format("/usr/lib/debug%.*s/%s", (int)folder, file, link);
        found = path && try_roots(s, path);
        free(path);
    }
    return found || ask_debuginfod(s);
}

char *cli_find_binary(struct cli_resolver *r, const char *file, const char *build_id, struct cli_elf *elf)
{
    struct search s = {.r = r, .build_id = build_id, .any = true};
    try_binaries(&s, file);
    free(s.functions);
    free(s.dwarf);
    if (s.binary)
        *elf = s.elf;
    return s.binary;
}

bool cli_take_root(struct cli_resolver *r)
{
    struct stat st;
    const char *path = r->cli->arg;
    const int error = stat(path, &st) != 0 ? errno : S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
    if (error == 0)
        return CLI_ADD(r->cli, r->roots, r->n_roots, path);
    cli_fail(r->cli, cli_open_status(error), "--root: %s: %s", path, strerror(error));
    return false;
}

/* ---- The kernel, and its modules. Whose functions a guest's kernel has, nothing here tells. */

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
            write_hex(id, note + at + 16, 20);
    }
    return *id && *build_id && is_same_id(id, build_id);
}

bool cli_note_recorded(struct cli_resolver *r, const uint8_t *id, size_t n, const char *dir)
{
    struct cli_recorded_kernel one = {.dir = dir};
    write_hex(one.build_id, id, n);
    return CLI_ADD(r->cli, r->recorded, r->n_recorded, one);
}

/* A kernel without a build id, of a record or of the recording, may be that of the only recording. */
static bool may_be_of(const struct cli_resolver *r, const struct cli_recorded_kernel *k, const char *build_id)
{
    return strcmp(k->build_id, build_id) == 0 || (r->n_recorded == 1 && (!*k->build_id || !*build_id));
}

/* Reads what recordings with this kernel have beside them. */
static bool read_recorded(struct cli_resolver *r, const char *build_id)
{
    bool found = false;
    for (size_t i = 0; !found && i < r->n_recorded; i++) {
        const struct cli_recorded_kernel *k = &r->recorded[i];
        if (k->dir == NULL || !may_be_of(r, k, build_id))
            continue;
        char *path = cli_format("%s/kcore_dir/kallsyms", k->dir);
        found = path && cli_table_read_kallsyms(&r->table, path) && r->table.n;
        free(path);
    }
    return found;
}

/* Reads the lines that the table is for, of the kernel with this build id. False: there are none. */
static bool read_kallsyms(struct cli_resolver *r, const char *build_id)
{
    r->by_address = true;
    bool found = read_recorded(r, build_id);
    char *path =
        cli_format("%s/.debug/[kernel.kallsyms]/%s/kallsyms", getenv("HOME") ? getenv("HOME") : "", build_id);
    found = found || (path && *build_id && cli_table_read_kallsyms(&r->table, path) && r->table.n);
    free(path);
    if (!found && is_running(build_id))
        found = cli_table_read_kallsyms(&r->table, "/proc/kallsyms") && r->table.n;
    return found;
}

void cli_note_kernel(struct cli_resolver *r, const char *file, const char *build_id, const char *symbol,
                     uint64_t address)
{
    for (size_t i = 0; i < r->n_kernels; i++) {
        const struct cli_kernel_place *k = &r->kernels[i];
        if (k->address == address && strcmp(k->file, file) == 0 && strcmp(k->build_id, build_id) == 0 &&
            strcmp(k->symbol, symbol) == 0)
            return;
    }
    struct cli_kernel_place k = {.file = cli_strdup(file), .symbol = cli_strdup(symbol), .address = address};
    snprintf(k.build_id, sizeof k.build_id, "%s", build_id);
    if (k.file && k.symbol && r->n_kernels < PI_LIMIT_SYMBOLS_KERNELS &&
        CLI_ADD(r->cli, r->kernels, r->n_kernels, k))
        return;
    r->too_many_kernels = true;
    free(k.file);
    free(k.symbol);
}

static bool is_of_kernel(const struct cli_resolver *r, const struct cli_kernel_place *k)
{
    return strcmp(k->file, r->file) == 0 && strcmp(k->build_id, r->build_id) == 0;
}

/* Opens the kernel's functions, which may be those of another boot, with another place of the kernel. */
static bool open_kernel(struct cli_resolver *r)
{
    r->is_kernel = true;
    for (size_t i = 0; r->table.symbol == NULL && i < r->n_kernels; i++)
        if (is_of_kernel(r, &r->kernels[i]))
            r->table.symbol = r->kernels[i].symbol;
    return read_kallsyms(r, r->build_id);
}

/*
 * *base becomes what has to be added to an address of the kernel, of recordings of one boot or of several.
 * False: the address may be of two of these, or not all are known.
 */
PI_WRAPS static bool find_kernel_base(const struct cli_resolver *r, uint64_t address, uint64_t *base)
{
    const uint64_t most = UINT64_C(1) << 26; /* bytes of a kernel's code, and more */
    size_t n = 0, n_near = 0;
    uint64_t one = 0, near = 0;
    *base = 0;
    for (size_t i = 0; r->table.symbol_at && i < r->n_kernels; i++) {
        const struct cli_kernel_place *k = &r->kernels[i];
        if (!is_of_kernel(r, k) || strcmp(k->symbol, r->table.symbol) != 0)
            continue;
        n++;
        one = k->address;
        if (address >= k->address && address - k->address < most) {
            n_near++;
            near = k->address;
        }
    }
    if (n)
        *base = r->table.symbol_at - (n == 1 ? one : near);
    return !r->too_many_kernels && (n < 2 || n_near == 1);
}

/* The name of a module without a file is "[name]", as behind its functions in kallsyms. */
static bool is_module(const char *file)
{
    return *file == '[' && file[1] && file[strlen(file) - 1] == ']';
}

/* Of which kernel a module is, where recordings have several, nothing tells. */
static bool have_one_kernel(const struct cli_resolver *r)
{
    for (size_t i = 1; i < r->n_recorded; i++)
        if (strcmp(r->recorded[i].build_id, r->recorded[0].build_id) != 0)
            return false;
    return r->n_recorded;
}

/* A module begins at the page of its first code, in which the least address is. */
static bool open_module(struct cli_resolver *r)
{
    r->table.module = r->file;
    r->table.module_code = UINT64_MAX;
    const bool found =
        have_one_kernel(r) && read_kallsyms(r, r->recorded[0].build_id) && r->table.module_code != UINT64_MAX;
    r->base = r->table.module_code & ~UINT64_C(4095);
    if (!found) {
        cli_table_free(&r->table);
        r->by_address = false;
        r->base = 0;
    }
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

/*
 * Linkage tables are those of the file that ran, too: one that is there for its symbols has none. They come
 * first, since labels before them end there.
 */
static bool add_functions(struct cli_resolver *r, const struct search *s)
{
    if (s->functions == NULL || s->binary == NULL)
        return true;
    return (strcmp(s->binary, s->functions) == 0 || cli_elf_linkage(s->binary, &r->table)) &&
           cli_elf_linkage(s->functions, &r->table) && cli_elf_functions(s->functions, &r->table);
}

static bool open_elf(struct cli_resolver *r)
{
    struct search s = {.r = r, .build_id = r->build_id};
    if (!try_binaries(&s, r->file))
        try_debug(&s, r->file);
    if (!add_functions(r, &s))
        cli_fail(r->cli, CLI_OUTPUT, "%s: no memory for its symbols", s.functions);
    if (r->inlined && s.dwarf)
        r->dwarf = cli_dwarf_open(s.dwarf);
    cli_table_sort(&r->table);
    if (r->table.n && s.symbols != CLI_ELF_ALL && r->cli->verbose)
        cli_say(r->cli, "%s: stripped, and no file with all its symbols was found", r->file);
    r->elf = s.elf;
    free(s.binary);
    free(s.functions);
    free(s.dwarf);
    return r->table.n > 0;
}

static void close_file(struct cli_resolver *r)
{
    cli_elf_free(&r->elf);
    cli_table_free(&r->table);
    cli_dwarf_close(r->dwarf);
    r->dwarf = NULL;
    r->by_address = r->is_kernel = false;
    r->base = 0;
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
    const bool kernel = strncmp(file, "[kernel.kallsyms]", 17) == 0;
    const bool found = kernel         ? open_kernel(r)
                       : is_map(file) ? open_map(r)
                                      : (is_module(file) && open_module(r)) || open_elf(r);
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
    const char *names[PI_LIMIT_SYMBOLS_INLINED];
    symbol->n_inlined = cli_dwarf_inlined(r->dwarf, address, names);
    for (size_t i = 0; i < symbol->n_inlined; i++)
        r->pointers[i] = cli_demangle(names[i], r->names[i + 1], sizeof *r->names);
    symbol->inlined = r->pointers;
}

PI_WRAPS bool cli_resolve(void *user, const char *file, const char *build_id, uint64_t offset,
                          struct pd_symbol *symbol)
{
    struct cli_resolver *r = user;
    uint64_t address = offset;
    if (r->names == NULL && (r->names = cli_calloc(PI_LIMIT_SYMBOLS_INLINED + 1, sizeof *r->names)) == NULL)
        return false;
    if (r->file == NULL || strcmp(r->file, file) != 0 || strcmp(r->build_id, build_id) != 0)
        open_file(r, file, build_id);
    if (r->is_kernel && !find_kernel_base(r, offset, &r->base))
        return false;
    if (r->by_address)
        address += r->base;
    else if (!cli_elf_address(&r->elf, offset, &address))
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
    for (size_t i = 0; i < r->n_kernels; i++) {
        free(r->kernels[i].file);
        free(r->kernels[i].symbol);
    }
    free(r->kernels);
    free(r->recorded);
    r->kernels = NULL;
    r->recorded = NULL;
    r->n_kernels = r->n_recorded = 0;
}
