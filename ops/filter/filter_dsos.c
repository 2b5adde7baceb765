/* SPDX-License-Identifier: MIT */
/*
 * filter_dsos.c - the file that the address of each sample is mapped from: found in a separate pass over the
 * records in the order in which perf processes them, since a sample may come before the map that it needs.
 * src/session/mappings.c has perf's rules of mappings.
 */
#include "filter.h"
#include "src/schema/fail.h"
#include "src/support/wire.h"
#include "src/session/mappings.h"
#include "src/session/record_words.h"
#include <perfdata/session/sorter.h>

/* Bits of a mapping and of a sample: the lists that have its name. */
enum { KEPT = 1, DROPPED = 2, LISTED = 3 };

#define SAMPLES_IN_BYTE 4

struct name_list {
    const char **names; /* sorted */
    size_t n;
};

struct pd_dsos {
    const struct pd_allocator *allocator;
    struct name_list keep, drop;
    struct pd_mappings mappings;
    uint8_t *bits; /* two for each record, by its index */
    size_t n_bits; /* bytes */
};

/* ---- Names */

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

/* By the name that is recorded and by the one that perf shows. */
static uint32_t list_mapping(void *user, const struct pd_mapping *m)
{
    const struct pd_dsos *d = user;
    char dso[UINT16_MAX + 1];
    pd_mapping_dso(m, dso, sizeof dso);
    const unsigned bits = bits_of_path(d, m->file) | bits_of_path(d, dso);
    return m->kind == PD_MAPPING_KERNEL ? bits | bits_of(d, "[kernel.vmlinux]") | bits_of(d, "[kernel]")
                                        : bits;
}

static uint8_t bits_at(struct pd_dsos *d, const struct pd_record *rec, uint64_t ip)
{
    uint32_t pid = UINT32_MAX, tid;
    pd_word_task(rec, &pid, &tid);
    const struct pd_mapping *m = pd_mappings_find(&d->mappings, pid, ip, rec->misc & PD_MISC_CPUMODE);
    return m ? (uint8_t)m->tag : bits_of(d, "[unknown]");
}

/* A sample without an address counts as being in the kept files. */
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

/* A record that cannot be decoded is ignored here, and reported when it is copied. */
static enum pd_code take(struct pd_dsos *d, struct pd_record *rec, struct pd_error *error)
{
    if (rec->type == PD_RECORD_SAMPLE)
        return take_sample(d, rec) ? PD_OK : pd_fail(error, PD_ENOMEM, PD_NOWHERE, "dsos", 0, d->n_bits);
    const enum pd_code code = pd_mappings_record(&d->mappings, rec, error);
    return pd_is_failure(code) || code == PD_ELIMIT ? code : PD_OK;
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
        if ((code = take(f->dsos, &rec, f->error)) != PD_OK)
            return code;
        pd_progress_record(&f->progress, &rec);
    }
    return PD_OK;
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
    *d = (struct pd_dsos){.allocator = allocator};
    const struct pd_mappings_options rules = {.tag = list_mapping, .user = d};
    if (!pd_mappings_init(&d->mappings, allocator, &rules) ||
        !sort_names(&d->keep, keep->dsos, keep->n_dsos, allocator) ||
        !sort_names(&d->drop, drop->dsos, drop->n_dsos, allocator))
        return no_memory(f);
    enum pd_code code = pd_reader_rewind(f->reader, f->error);
    if (!code && (code = pd_sorter_open(&s, f->reader, &how, f->error)) == PD_OK) {
        code = read_all(f, s);
        pd_sorter_close(s);
    }
    pd_mappings_free(&d->mappings);
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
    pd_mappings_free(&d->mappings);
    pd_release(d->allocator, d->keep.names);
    pd_release(d->allocator, d->drop.names);
    pd_release(d->allocator, d->bits);
    pd_release(d->allocator, d);
}
