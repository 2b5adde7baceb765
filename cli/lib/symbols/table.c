/* SPDX-License-Identifier: MIT */
/*
 * table.c - see table.h. As perf does, chooses one of several names, and an end for functions without a size.
 */
#define _GNU_SOURCE
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
    void *p = more > PD_LIMIT_SYMBOLS_ELF / size ? NULL : cli_reallocarray(*array, more, size);
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

/* Of those at the same address, the one to take comes first. */
static int compare_functions(const void *a, const void *b, void *names)
{
    const struct cli_function *x = a, *y = b;
    const char *name = (char *)names + x->name, *other = (char *)names + y->name;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    const bool sized = x->end > x->start, other_sized = y->end > y->start;
    if (sized != other_sized)
        return sized ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank > y->rank ? -1 : 1;
    if (underscores(name) != underscores(other))
        return underscores(name) < underscores(other) ? -1 : 1;
    const size_t n = strlen(name), m = strlen(other);
    if (n != m)
        return n > m ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

/* Of those at the same address the first stays, and no label inside of a function that has a size. */
static size_t drop_others(struct cli_table *t)
{
    size_t n = 0;
    uint64_t reach = 0;
    for (size_t i = 0; i < t->n; i++) {
        const struct cli_function f = t->all[i];
        if (n && (f.start == t->all[n - 1].start || (f.end == f.start && f.start < reach)))
            continue;
        reach = f.end > reach ? f.end : reach;
        t->all[n++] = f;
    }
    return n;
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
    qsort_r(t->all, t->n, sizeof *t->all, compare_functions, t->names);
    const size_t n = t->n = drop_others(t);
    for (size_t i = 0; i < n; i++) {
        struct cli_function *f = &t->all[i];
        if (f->end == f->start)
            f->end = i + 1 < n ? f[1].start : f->start > UINT64_MAX - 8192 ? UINT64_MAX : f->start + 4096;
    }
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

/* Calls `take` for each line, without its end. Lines are cut at 64 KiB. */
static bool read_lines(struct cli_table *t, const char *path, bool (*take)(struct cli_table *t, char *line))
{
    const size_t most = 65536;
    char *line = cli_malloc(most);
    FILE *f = line ? open_text(path) : NULL;
    bool ok = f != NULL;
    while (ok && fgets(line, (int)most, f)) {
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

static bool take_kallsyms(struct cli_table *t, char *line)
{
    char *at;
    const uint64_t address = strtoull(line, &at, 16);
    if (at == line || address == 0 || *at != ' ' || !at[1] || !strchr("tTwW", at[1]) || at[2] != ' ')
        return true;
    return cli_table_add(t, address, 0, at[1] == 'T', at + 3, strcspn(at + 3, "\t "));
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
