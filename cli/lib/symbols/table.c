/* SPDX-License-Identifier: MIT */
/*
 * table.c - see table.h. As perf does, chooses one of several names, and an end for functions without a size.
 */
#include "table.h"
#include "cli/lib/memory.h"
#include "src/support/limits.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool make_room(void **array, size_t *cap, size_t needed, size_t size)
{
    if (needed <= *cap)
        return true;
    const size_t more = needed < 2 * *cap ? 2 * *cap : needed + 64;
    void *p = more > PI_LIMIT_SYMBOLS_ELF / size ? NULL : cli_reallocarray(*array, more, size);
    if (p == NULL)
        return false;
    *array = p;
    *cap = more;
    return true;
}

bool cli_table_add(struct cli_table *t, uint64_t start, uint64_t size, uint8_t rank, const char *name,
                   size_t n)
{
    if (!make_room((void **)&t->all, &t->cap, t->n + 1, sizeof *t->all) ||
        !make_room((void **)&t->names, &t->cap_names, t->n_names + n + 1, 1))
        return false;
    const uint64_t end = size < UINT64_MAX - start ? start + size : UINT64_MAX;
    t->all[t->n++] = (struct cli_function){.start = start, .end = end, .name = t->n_names, .rank = rank};
    memcpy(t->names + t->n_names, name, n);
    t->names[t->n_names + n] = 0;
    t->n_names += n + 1;
    return true;
}

void cli_table_free(struct cli_table *t)
{
    free(t->all);
    free(t->names);
    *t = (struct cli_table){0};
}

/* ---- Order */

static size_t underscores(const char *name)
{
    return strspn(name, "_");
}

/* Those at the same address stay in the order in which they were added. */
static int compare_places(const void *a, const void *b)
{
    const struct cli_function *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

/* The end of the page behind an address. */
static uint64_t next_page_end(uint64_t address)
{
    return address > UINT64_MAX - 8191 ? UINT64_MAX : ((address + 4095) & ~UINT64_C(4095)) + 4096;
}

/*
 * Gives labels an end: the next function, which may be at the same address, so that only the last one there
 * gets a length. The last label of the kernel before those of modules, or of these before the kernel, does
 * not fill the gap.
 */
static void end_labels(struct cli_table *t)
{
    for (size_t i = 0; i < t->n; i++) {
        struct cli_function *f = &t->all[i];
        const struct cli_function *next = i + 1 < t->n ? f + 1 : NULL;
        if (f->end != f->start)
            continue;
        f->is_label = true;
        f->end = next && next->in_module == f->in_module ? next->start : next_page_end(f->start);
    }
}

/* Of two at the same address, as perf chooses. */
static bool is_better(const struct cli_table *t, const struct cli_function *f,
                      const struct cli_function *than)
{
    const char *name = t->names + f->name, *other = t->names + than->name;
    const bool sized = f->end > f->start, other_sized = than->end > than->start;
    if (sized != other_sized)
        return sized;
    if (f->rank != than->rank)
        return f->rank > than->rank;
    if (underscores(name) != underscores(other))
        return underscores(name) < underscores(other);
    return strlen(name) > strlen(other);
}

/* Of those at the same address one stays. */
static void drop_others(struct cli_table *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n; i++) {
        const struct cli_function *f = &t->all[i];
        if (n == 0 || f->start != t->all[n - 1].start)
            t->all[n++] = *f;
        else if (is_better(t, f, &t->all[n - 1]))
            t->all[n - 1] = *f;
    }
    t->n = n;
}

/* No label stays inside of a function that has a size. perf takes the one or the other. */
static void drop_inner_labels(struct cli_table *t)
{
    size_t n = 0;
    uint64_t reach = 0;
    for (size_t i = 0; i < t->n; i++) {
        const struct cli_function f = t->all[i];
        if (f.is_label && f.start < reach)
            continue;
        if (!f.is_label && f.end > reach)
            reach = f.end;
        t->all[n++] = f;
    }
    t->n = n;
}

/*
 * Notes which function each one lies in, or would if it were longer: those before it that end later. Every
 * second step or so goes far, so that few are needed out of functions that lie in many others.
 */
static void note_outer(struct cli_table *t)
{
    struct cli_function *all = t->all;
    for (size_t i = 0; i < t->n; i++) {
        struct cli_function *f = &all[i];
        f->out = (uint32_t)i;
        while (f->out && all[f->out - 1].end <= f->end)
            f->out = all[f->out - 1].out;
        const struct cli_function *out = f->out ? &all[f->out - 1] : NULL;
        const struct cli_function *far = out && out->far ? &all[out->far - 1] : NULL;
        f->depth = out ? out->depth + 1 : 0;
        f->far = f->out;
        if (far && out->depth - far->depth == far->depth - (far->far ? all[far->far - 1].depth : 0))
            f->far = far->far;
    }
}

void cli_table_sort(struct cli_table *t)
{
    if (t->n == 0)
        return;
    qsort(t->all, t->n, sizeof *t->all, compare_places);
    end_labels(t);
    drop_others(t);
    drop_inner_labels(t);
    note_outer(t);
}

const struct cli_function *cli_table_find(const struct cli_table *t, uint64_t address)
{
    size_t low = 0, high = t->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (t->all[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    while (low && address >= t->all[low - 1].end) { /* functions may lie inside of others */
        const struct cli_function *f = &t->all[low - 1];
        low = f->far && address >= t->all[f->far - 1].end ? f->far : f->out;
    }
    return low ? &t->all[low - 1] : NULL;
}

/* ---- Text */

/* Opens a plain file, and does not wait for any other kind. Files of the kernel have no size. */
static FILE *open_text(const char *path)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return NULL;
    FILE *f = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? fdopen(fd, "r") : NULL;
    if (f == NULL)
        close(fd);
    return f;
}

/* Calls `take` for each line, without its end, as far as it is kept. */
static bool read_lines(struct cli_table *t, const char *path, bool (*take)(struct cli_table *t, char *line))
{
    char *line = cli_malloc(PI_LIMIT_SYMBOLS_LINE + 1);
    FILE *f = line ? open_text(path) : NULL;
    bool ok = f != NULL;
    while (ok && fgets(line, PI_LIMIT_SYMBOLS_LINE + 1, f)) {
        char *end = strchr(line, '\n');
        if (end)
            *end = 0;
        ok = take(t, line);
        for (int c = 0; !end && c != '\n' && c != EOF;)
            c = getc(f);
    }
    if (f)
        fclose(f);
    free(line);
    cli_table_sort(t);
    return ok;
}

/* Notes that a line of kallsyms is of a module. True: it is one that is wanted. */
static bool take_module(struct cli_table *t, const char *module, bool code, uint64_t address)
{
    if (t->module == NULL)
        return true;
    if (module == NULL || strcmp(module, t->module) != 0)
        return false;
    if (code && address < t->module_code)
        t->module_code = address;
    return true;
}

/*
 * All that perf takes: a label of data ends the function before it, or names the same address. Labels of
 * modules have their name behind a tab.
 */
static bool take_kallsyms(struct cli_table *t, char *line)
{
    char *at;
    const uint64_t address = strtoull(line, &at, 16);
    if (at == line || address == 0 || *at != ' ' || !at[1] || !strchr("tTwWdDbB", at[1]) || at[2] != ' ' ||
        at[3] == '$')
        return true;
    const char *module = strchr(at + 3, '[');
    if (!take_module(t, module, strchr("tTwW", at[1]) != NULL, address))
        return true;
    if (module == NULL && t->symbol && strcmp(at + 3, t->symbol) == 0)
        t->symbol_at = address;
    const uint8_t rank = at[1] == 'W' ? 0 : at[1] < 'a' ? 2 : 1;
    if (!cli_table_add(t, address, 0, rank, at + 3, strcspn(at + 3, "\t ")))
        return false;
    t->all[t->n - 1].in_module = module != NULL;
    return true;
}

static bool take_map(struct cli_table *t, char *line)
{
    char *at, *rest;
    const uint64_t address = strtoull(line, &at, 16), size = strtoull(at, &rest, 16);
    if (at == line || rest == at || *rest != ' ' || !rest[1])
        return true;
    return cli_table_add(t, address, size, 0, rest + 1, strlen(rest + 1));
}

bool cli_table_read_kallsyms(struct cli_table *t, const char *path)
{
    return read_lines(t, path, take_kallsyms);
}

bool cli_table_read_map(struct cli_table *t, const char *path)
{
    return read_lines(t, path, take_map);
}
