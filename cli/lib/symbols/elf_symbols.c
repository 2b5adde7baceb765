/* SPDX-License-Identifier: MIT */
/*
 * elf_symbols.c - the sections of an ELF file: the functions in its symbol tables, and the entries of its
 * procedure linkage table, NAME@plt. Reads one section at a time, and no bytes that are not in the file.
 */
#include "elf_reading.h"
#include "cli/lib/memory.h"
#include "src/support/limits.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SHT_SYMTAB = 2,
    SHT_RELA = 4,
    SHT_NOBITS = 8,
    SHT_DYNSYM = 11,
    SHF_EXECINSTR = 4,
    STT_NOTYPE = 0,
    STT_OBJECT = 1,
    STT_FUNC = 2,
    STT_GNU_IFUNC = 10,
    EM_X86_64 = 62,
    EM_AARCH64 = 183,
    PLT_ENTRY = 16
};

struct section {
    uint32_t name, type, link;
    uint64_t flags, addr, offset, size, entry;
};

struct bytes {
    uint8_t *p;
    size_t n;
};

struct symbols {
    struct cli_elf_reading r;
    uint64_t size; /* of the file */
    struct section *all;
    size_t n;
    struct bytes names; /* of sections */
    struct cli_table *to;
};

static struct section take_section(const struct cli_elf_reading *r, const uint8_t *p)
{
    return (struct section){.name = pi_load32(p, r->order),
                            .type = pi_load32(p + 4, r->order),
                            .flags = cli_elf_load(r, p, 8, 8),
                            .addr = cli_elf_load(r, p, 16, 12),
                            .offset = cli_elf_load(r, p, 24, 16),
                            .size = cli_elf_load(r, p, 32, 20),
                            .link = pi_load32(p + (r->wide ? 40 : 24), r->order),
                            .entry = cli_elf_load(r, p, 56, 36)};
}

static struct bytes read_section(const struct symbols *s, const struct section *section)
{
    struct bytes b = {0};
    if (section->offset > s->size || section->size > s->size - section->offset ||
        section->size > PI_LIMIT_SYMBOLS_ELF || section->size == 0 ||
        (b.p = cli_malloc((size_t)section->size)) == NULL)
        return b;
    b.n = (size_t)section->size;
    if (cli_elf_read_at(&s->r, b.p, b.n, section->offset))
        return b;
    free(b.p);
    return (struct bytes){0};
}

/* A text in a section of texts; "": it does not end there. */
static const char *text_at(const struct bytes *b, uint64_t at)
{
    return at < b->n && memchr(b->p + at, 0, b->n - (size_t)at) ? (const char *)b->p + at : "";
}

static bool read_sections(struct symbols *s)
{
    const struct cli_elf_reading *r = &s->r;
    const uint64_t offset = cli_elf_load(r, r->header, 40, 32);
    const size_t each = pi_load16(r->header + (r->wide ? 58 : 46), r->order), least = r->wide ? 64 : 40;
    size_t n = pi_load16(r->header + (r->wide ? 60 : 48), r->order);
    uint32_t names = pi_load16(r->header + (r->wide ? 62 : 50), r->order);
    uint8_t p[64];
    struct stat st;
    if (fstat(r->fd, &st) != 0 || offset == 0 || each < least || !cli_elf_read_at(r, p, least, offset))
        return false;
    s->size = (uint64_t)st.st_size;
    const struct section first = take_section(r, p);
    if (n == 0) /* more than the header has room for */
        n = first.size < PI_LIMIT_SYMBOLS_SECTIONS ? (size_t)first.size : PI_LIMIT_SYMBOLS_SECTIONS;
    if (names == 0xffff)
        names = first.link;
    if ((s->all = cli_calloc(n ? n : 1, sizeof *s->all)) == NULL)
        return false;
    for (; s->n < n && cli_elf_read_at(r, p, least, offset + s->n * each); s->n++)
        s->all[s->n] = take_section(r, p);
    if (names < s->n)
        s->names = read_section(s, &s->all[names]);
    return true;
}

static void close_sections(struct symbols *s)
{
    free(s->all);
    free(s->names.p);
    close(s->r.fd);
}

static const struct section *find_section(const struct symbols *s, const char *name)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(text_at(&s->names, s->all[i].name), name) == 0)
            return &s->all[i];
    return NULL;
}

static const struct section *find_type(const struct symbols *s, uint32_t type)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->all[i].type == type)
            return &s->all[i];
    return NULL;
}

/* ---- A table of symbols */

struct symbol {
    uint32_t name;
    uint8_t info, other;
    uint16_t section;
    uint64_t value, size;
};

static struct symbol take_symbol(const struct cli_elf_reading *r, const uint8_t *p)
{
    return (struct symbol){.name = pi_load32(p, r->order),
                           .info = p[r->wide ? 4 : 12],
                           .other = p[r->wide ? 5 : 13],
                           .section = pi_load16(p + (r->wide ? 6 : 14), r->order),
                           .value = cli_elf_load(r, p, 8, 4),
                           .size = cli_elf_load(r, p, 16, 8)};
}

/* True for what perf takes: functions, and labels in sections of text that are not hidden. */
static bool is_function(const struct symbols *s, const struct symbol *symbol, const char *name)
{
    const unsigned type = symbol->info & 15, visibility = symbol->other & 3;
    if (!*name || symbol->section == 0 || symbol->section >= s->n)
        return false;
    const struct section *in = &s->all[symbol->section];
    if (!(in->flags & SHF_EXECINSTR))
        return false;
    if (type == STT_NOTYPE)
        return visibility != 1 && visibility != 2 && *name != '$' &&
               strstr(text_at(&s->names, in->name), "text") != NULL;
    return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_OBJECT;
}

/* perf prefers symbols that are not weak, then global ones, if several have the same address. */
static uint8_t rank_of(const struct symbol *symbol)
{
    const unsigned binding = symbol->info >> 4;
    return binding == 2 ? 0 : binding == 1 ? 2 : 1;
}

static bool add_symbols(struct symbols *s, const struct section *table)
{
    const size_t each = s->r.wide ? 24 : 16;
    const struct section none = {0}, *texts = table->link < s->n ? &s->all[table->link] : &none;
    const struct bytes b = read_section(s, table), names = read_section(s, texts);
    bool ok = true;
    for (size_t at = 0; ok && b.n - at >= each; at += each) {
        const struct symbol symbol = take_symbol(&s->r, b.p + at);
        const char *name = text_at(&names, symbol.name);
        if (is_function(s, &symbol, name))
            ok = cli_table_add(s->to, symbol.value, symbol.size, rank_of(&symbol), name, strlen(name));
    }
    free(b.p);
    free(names.p);
    return ok;
}

/* ---- The procedure linkage table: its entries come in the order of their relocations */

static bool add_entries(struct symbols *s, const struct section *plt, uint64_t front,
                        const struct bytes *rela, const struct bytes *symbols, const struct bytes *names)
{
    bool ok = true;
    for (size_t i = 0; ok && (i + 1) * 24 <= rela->n && front + (i + 1) * PLT_ENTRY <= plt->size; i++) {
        const uint64_t number = pi_load64(rela->p + i * 24 + 8, s->r.order) >> 32;
        char text[512];
        if (number >= symbols->n / 24)
            continue;
        const struct symbol symbol = take_symbol(&s->r, symbols->p + number * 24);
        const char *name = text_at(names, symbol.name);
        const int n = snprintf(text, sizeof text, "%.500s@plt", name);
        if (*name)
            ok = cli_table_add(s->to, plt->addr + front + i * PLT_ENTRY, PLT_ENTRY, 0, text, (size_t)n);
    }
    return ok;
}

static bool add_plt(struct symbols *s)
{
    const unsigned machine = pi_load16(s->r.header + 18, s->r.order);
    const struct section *rela = find_section(s, ".rela.plt"), *plt = find_section(s, ".plt"),
                         *second = find_section(s, ".plt.sec"), *dynamic = find_type(s, SHT_DYNSYM);
    if (!s->r.wide || !rela || !plt || !dynamic || dynamic->link >= s->n ||
        (machine != EM_X86_64 && machine != EM_AARCH64))
        return true;
    const struct bytes relocations = read_section(s, rela), symbols = read_section(s, dynamic),
                       names = read_section(s, &s->all[dynamic->link]);
    bool ok = add_entries(s, plt, machine == EM_AARCH64 ? 32 : 16, &relocations, &symbols, &names);
    if (ok && second)
        ok = add_entries(s, second, 0, &relocations, &symbols, &names);
    free(relocations.p);
    free(symbols.p);
    free(names.p);
    return ok;
}

/* ---- A file */

static void find_debug_link(const struct symbols *s, struct cli_elf *elf)
{
    const struct section *link = find_section(s, ".gnu_debuglink");
    const struct bytes b =
        link && link->size <= PI_LIMIT_SYMBOLS_LINK ? read_section(s, link) : (struct bytes){0};
    const char *name = text_at(&b, 0);
    if (strlen(name) < sizeof elf->debug_link && !strchr(name, '/') && strcmp(name, "..") != 0)
        strcpy(elf->debug_link, name);
    free(b.p);
}

static bool has_section(const struct symbols *s, const char *name)
{
    const struct section *section = find_section(s, name);
    return section && section->type != SHT_NOBITS;
}

void cli_elf_look(struct cli_elf *elf, const char *path)
{
    struct symbols s = {0};
    if (cli_elf_open(&s.r, path))
        return;
    if (read_sections(&s)) {
        elf->symbols = find_type(&s, SHT_SYMTAB)   ? CLI_ELF_ALL
                       : find_type(&s, SHT_DYNSYM) ? CLI_ELF_DYNAMIC
                                                   : CLI_ELF_NONE;
        elf->has_dwarf = has_section(&s, ".debug_info") || has_section(&s, ".zdebug_info");
        find_debug_link(&s, elf);
    }
    close_sections(&s);
}

static bool add_part(const char *path, struct cli_table *to, bool (*add)(struct symbols *s))
{
    struct symbols s = {.to = to};
    if (cli_elf_open(&s.r, path))
        return true;
    const bool ok = !read_sections(&s) || add(&s);
    close_sections(&s);
    return ok;
}

/* As perf does, first chooses among all symbols, then among these and those for the linker. */
static bool add_tables(struct symbols *s)
{
    const struct section *all = find_type(s, SHT_SYMTAB), *dynamic = find_type(s, SHT_DYNSYM);
    if (all && !add_symbols(s, all))
        return false;
    cli_table_sort(s->to);
    return dynamic == NULL || add_symbols(s, dynamic);
}

bool cli_elf_functions(const char *path, struct cli_table *functions)
{
    return add_part(path, functions, add_tables);
}

bool cli_elf_linkage(const char *path, struct cli_table *functions)
{
    return add_part(path, functions, add_plt);
}
