/* SPDX-License-Identifier: MIT */
/*
 * filter_dsos.c - which file the address of each sample is mapped from: found in a pass of its own over the
 * records in the order in which perf processes them, since a sample may stand before the map that it needs.
 * What a map is called, and when a process has those of its parent, follows perf 6.1 (thread__find_map, dso
 * list of perf report).
 */
#include "filter.h"
#include "src/codec/codec_internal.h"
#include "spans.h"
#include "src/support/wire.h"
#include "src/session/record_words.h"
#include <perfdata/session/sorter.h>
#include <stdio.h>

/* Bits of a map and of a sample: which lists have its name. */
enum { KEPT = 1, DROPPED = 2, LISTED = 3, KERNEL = 4 /* of a map: it is the kernel's own */ };

#define SAMPLES_IN_BYTE 4

struct name_list {
    const char **names; /* sorted */
    size_t n;
};

struct pd_dsos {
    const struct pd_allocator *allocator;
    struct name_list keep, drop;
    struct pd_spans spans;
    struct pd_idmap pids; /* numbers in `spaces` */
    uint32_t *spaces;
    size_t n_spaces, cap;
    uint32_t kernel;           /* a space */
    uint8_t *bits;             /* two for each record, by its index */
    size_t n_bits;             /* bytes */
    char name[UINT16_MAX + 1]; /* of text_of() */
};

/* ---- Names */

/* A damaged record may have a name that no NUL ends. */
static const char *text_of(struct pd_dsos *d, const struct pd_str *s)
{
    if (s->len < s->size)
        return s->ptr;
    const size_t n = s->len < sizeof d->name ? s->len : sizeof d->name - 1;
    if (n)
        memcpy(d->name, s->ptr, n);
    d->name[n] = 0;
    return d->name;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool sort_names(struct name_list *l, const char *const *names, size_t n,
                       const struct pd_allocator *allocator)
{
    if (names == NULL)
        return true;
    l->names = pd_array(allocator, NULL, n, sizeof *l->names);
    if (l->names == NULL)
        return false;
    if (n)
        memcpy(l->names, names, n * sizeof *l->names);
    l->n = n;
    qsort(l->names, n, sizeof *l->names, compare_names);
    return true;
}

static bool is_listed(const struct name_list *l, const char *name)
{
    return l->n && bsearch(&name, l->names, l->n, sizeof *l->names, compare_names);
}

static uint8_t bits_of(const struct pd_dsos *d, const char *name)
{
    return (uint8_t)((is_listed(&d->keep, name) ? KEPT : 0) | (is_listed(&d->drop, name) ? DROPPED : 0));
}

/* A path, and the last part of it, which perf calls the short name. */
static uint8_t bits_of_path(const struct pd_dsos *d, const char *path)
{
    const char *slash = strrchr(path, '/');
    return bits_of(d, path) | (slash ? bits_of(d, slash + 1) : 0);
}

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* Code that a process makes itself: perf looks for its symbols in a file of the process. */
static bool is_made(const char *name)
{
    return begins(name, "//anon") || begins(name, "/dev/zero") || begins(name, "/anon_hugepage") ||
           begins(name, "[stack") || begins(name, "/SYSV") || strcmp(name, "[heap]") == 0;
}

static uint8_t bits_of_user(const struct pd_dsos *d, const char *name, uint32_t pid)
{
    char map[32];
    snprintf(map, sizeof map, "/tmp/perf-%d.map", (int)pid);
    return bits_of_path(d, name) | (is_made(name) ? bits_of_path(d, map) : 0);
}

/* perf calls a module by its name in brackets, in which - is _, as the kernel has it. */
static uint8_t bits_of_module(const struct pd_dsos *d, const char *path)
{
    char name[256];
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path, *end = strstr(base, ".ko");
    if (end == NULL ||
        snprintf(name, sizeof name, "[%.*s]", (int)(end - base < 200 ? end - base : 200), base) < 0)
        return 0;
    for (char *p = name; *p; p++)
        *p = *p == '-' ? '_' : *p;
    return bits_of(d, name);
}

static uint8_t bits_of_kernel(const struct pd_dsos *d, const char *name)
{
    if (begins(name, "[kernel.kallsyms]")) /* behind it stands the symbol that tells where it is */
        return KERNEL | bits_of(d, name) | bits_of(d, "[kernel.kallsyms]") | bits_of(d, "[kernel.vmlinux]") |
               bits_of(d, "[kernel]");
    return bits_of_path(d, name) | bits_of_module(d, name);
}

/* ---- Maps */

static bool space_of(struct pd_dsos *d, uint32_t pid, uint32_t **space)
{
    uint32_t i = pd_idmap_get(&d->pids, pid);
    if (i == PD_IDMAP_NONE) {
        i = (uint32_t)d->n_spaces;
        if (!pd_grow(d->allocator, (void **)&d->spaces, d->n_spaces, &d->cap, sizeof *d->spaces) ||
            !pd_idmap_add(&d->pids, pid, i))
            return false;
        d->spaces[d->n_spaces++] = 0;
    }
    *space = &d->spaces[i];
    return true;
}

/* The last address of a map; the kernel's own may be without a size, and is all there is then. */
static uint64_t last_of(uint64_t first, uint64_t n)
{
    uint64_t last;
    if (n == 0)
        return first ? first - 1 : UINT64_MAX;
    return __builtin_add_overflow(first, n - 1, &last) ? UINT64_MAX : last;
}

static bool take_map(struct pd_dsos *d, const struct pd_record *rec, uint32_t pid, uint64_t first, uint64_t n,
                     const char *name)
{
    const unsigned mode = rec->misc & PD_MISC_CPUMODE;
    uint32_t *space;
    if (mode == PD_CPUMODE_KERNEL) {
        pd_spans_put(&d->spans, &d->kernel, first, last_of(first, n), bits_of_kernel(d, name));
        return true;
    }
    if (mode != PD_CPUMODE_USER || n == 0)
        return true;
    if (!space_of(d, pid, &space))
        return false;
    pd_spans_put(&d->spans, space, first, last_of(first, n), bits_of_user(d, name, pid));
    return true;
}

/* A new process has the maps of its parent, unless perf synthesized it: then all of its own follow. */
static bool take_fork(struct pd_dsos *d, const struct pd_record *rec)
{
    uint32_t *space, *parent, pid, ppid, tid;
    if (!pd_told_task(rec, &pid, &tid) || !pd_told_parent(rec, &ppid, &tid) || pid == ppid)
        return true;
    if (!space_of(d, ppid, &parent) || !space_of(d, pid, &space) || !space_of(d, ppid, &parent))
        return false;
    const uint32_t copy = rec->misc & PD_MISC_FORK_EXEC ? 0 : pd_spans_copy(&d->spans, *parent);
    pd_spans_drop(&d->spans, *space);
    *space = copy;
    return true;
}

/* Code that the kernel made later; perf takes it for a map of its own where there is none. */
static void take_symbol(struct pd_dsos *d, const struct pd_ksymbol *k)
{
    const uint64_t last = last_of(k->addr, k->len);
    const bool goes = k->flags & PD_KSYM_FLAG_UNREGISTER;
    uint8_t bits;
    if (k->len == 0)
        return;
    const bool is_there = pd_spans_find(&d->spans, d->kernel, k->addr, &bits);
    if (goes && is_there && !(bits & KERNEL))
        pd_spans_take(&d->spans, &d->kernel, k->addr, last);
    else if (!goes && !is_there)
        pd_spans_put(&d->spans, &d->kernel, k->addr, last, bits_of(d, text_of(d, &k->name)));
}

static uint8_t bits_at(struct pd_dsos *d, const struct pd_record *rec, uint64_t ip)
{
    const unsigned mode = rec->misc & PD_MISC_CPUMODE;
    uint32_t pid = UINT32_MAX, tid, i = PD_IDMAP_NONE;
    uint8_t bits;
    if (mode == PD_CPUMODE_KERNEL && pd_spans_find(&d->spans, d->kernel, ip, &bits))
        return bits;
    if (mode == PD_CPUMODE_USER && pd_word_task(rec, &pid, &tid))
        i = pd_idmap_get(&d->pids, pid);
    if (i != PD_IDMAP_NONE && pd_spans_find(&d->spans, d->spaces[i], ip, &bits))
        return bits;
    return bits_of(d, "[unknown]");
}

/* A sample that does not tell its address is as if it were in what is to be kept. */
static bool take_sample(struct pd_dsos *d, const struct pd_record *rec)
{
    const uint8_t *ip = rec->plan ? pd_word_of(rec, rec->plan->ip, 0) : NULL;
    const uint8_t bits = ip ? bits_at(d, rec, pd_load64(ip, (enum pd_order)rec->plan->order)) : KEPT;
    const uint64_t at = rec->index / SAMPLES_IN_BYTE;
    if (at >= d->n_bits) {
        const uint64_t n = 2 * at + 64;
        uint8_t *more = n > SIZE_MAX ? NULL : pd_resize(d->allocator, d->bits, (size_t)n);
        if (more == NULL)
            return false;
        memset(more + d->n_bits, 0, (size_t)n - d->n_bits);
        d->bits = more;
        d->n_bits = (size_t)n;
    }
    d->bits[at] |= (uint8_t)((bits & LISTED) << 2 * (rec->index % SAMPLES_IN_BYTE));
    return true;
}

/* What cannot be decoded tells nothing; it is reported when it is copied. */
static bool take(struct pd_dsos *d, struct pd_record *rec)
{
    const char *name;
    bool ok = true;
    if (rec->type == PD_RECORD_SAMPLE)
        return take_sample(d, rec);
    const enum pd_tells tells = pd_tells_of(rec);
    if (rec->plan == NULL ||
        (tells != PD_TELLS_MAP && tells != PD_TELLS_BIRTH && rec->type != PD_RECORD_KSYMBOL))
        return true;
    if (pd_record_decode_framed(rec->plan, rec, NULL))
        return true;
    switch (rec->type) {
    case PD_RECORD_MMAP:
        name = text_of(d, &rec->u.mmap.filename);
        ok = take_map(d, rec, rec->u.mmap.pid, rec->u.mmap.addr, rec->u.mmap.len, name);
        break;
    case PD_RECORD_MMAP2:
        name = text_of(d, &rec->u.mmap2.filename);
        ok = take_map(d, rec, rec->u.mmap2.pid, rec->u.mmap2.addr, rec->u.mmap2.len, name);
        break;
    case PD_RECORD_KSYMBOL: take_symbol(d, &rec->u.ksymbol); break;
    default: ok = tells != PD_TELLS_BIRTH || take_fork(d, rec); break;
    }
    return ok && !d->spans.failed;
}

/* ---- The pass */

static enum pd_code no_memory(struct pd_filtering *f)
{
    return pd_fail(f->error, PD_ENOMEM, PD_NOWHERE, "dsos", 0, f->dsos ? f->dsos->n_bits : 0);
}

static enum pd_code read_all(struct pd_filtering *f, struct pd_sorter *s)
{
    struct pd_record rec = {0};
    struct pd_error what;
    enum pd_code code;
    while ((code = pd_sorter_next(s, &rec, &what)) != PD_END) {
        if (pd_is_failure(code)) {
            *f->error = what;
            return code;
        }
        if (code)
            continue; /* damage, which is reported when it is copied */
        if (!take(f->dsos, &rec))
            return no_memory(f);
        pd_progress_record(&f->progress, &rec);
    }
    return PD_OK;
}

static void free_maps(struct pd_dsos *d)
{
    pd_spans_free(&d->spans);
    pd_idmap_free(&d->pids);
    pd_release(d->allocator, d->spaces);
    d->spaces = NULL;
}

enum pd_code pd_filter_find_dsos(struct pd_filtering *f)
{
    const struct pd_allocator *allocator = f->options->allocator;
    const struct pd_filter_lists *keep = &f->options->keep, *drop = &f->options->drop;
    const struct pd_sorter_options how = {.size = sizeof how, .allocator = allocator, .kind = PD_SORT_CAUSAL};
    struct pd_sorter *s;
    struct pd_dsos *d = f->dsos = pd_resize(allocator, NULL, sizeof *d);
    if (d == NULL)
        return no_memory(f);
    *d = (struct pd_dsos){.allocator = allocator, .pids.allocator = allocator};
    pd_spans_init(&d->spans, allocator);
    if (!sort_names(&d->keep, keep->dsos, keep->n_dsos, allocator) ||
        !sort_names(&d->drop, drop->dsos, drop->n_dsos, allocator))
        return no_memory(f);
    enum pd_code code = pd_reader_rewind(f->reader, f->error);
    if (!code && (code = pd_sorter_open(&s, f->reader, &how, f->error)) == PD_OK) {
        code = read_all(f, s);
        pd_sorter_close(s);
    }
    free_maps(d);
    return code;
}

bool pd_dsos_meet(const struct pd_filtering *f, const struct pd_record *rec)
{
    const struct pd_dsos *d = f->dsos;
    const uint64_t at = rec->index / SAMPLES_IN_BYTE;
    const unsigned bits = at < d->n_bits ? d->bits[at] >> 2 * (rec->index % SAMPLES_IN_BYTE) : 0;
    return (f->options->keep.dsos == NULL || bits & KEPT) && !(bits & DROPPED);
}

void pd_dsos_free(struct pd_dsos *d)
{
    if (d == NULL)
        return;
    free_maps(d);
    pd_release(d->allocator, d->keep.names);
    pd_release(d->allocator, d->drop.names);
    pd_release(d->allocator, d->bits);
    pd_release(d->allocator, d);
}
