/* SPDX-License-Identifier: MIT */
/* names.c - a list of names and patterns, sorted for quick answers. */
#include "names.h"
#include "src/support/memory.h"
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Drops names that come twice from a sorted list; returns how many are left. */
static size_t drop_copies(const char **names, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || strcmp(names[i], names[kept - 1]) != 0)
            names[kept++] = names[i];
    return kept;
}

bool pi_names_init(struct pi_names *l, const char *const *names, size_t n,
                   const struct pd_allocator *allocator)
{
    *l = (struct pi_names){.allocator = allocator};
    if (n == 0)
        return true;
    l->names = pi_array(allocator, NULL, n, sizeof *l->names);
    l->patterns = pi_array(allocator, NULL, n, sizeof *l->patterns);
    l->met = pi_array(allocator, NULL, n, sizeof *l->met);
    if (l->names == NULL || l->patterns == NULL || l->met == NULL)
        return false;
    memcpy(l->names, names, n * sizeof *l->names); /* patterns, too: a name may look like one */
    memset(l->met, 0, n * sizeof *l->met);
    qsort(l->names, n, sizeof *l->names, compare_names);
    l->n = drop_copies(l->names, n);
    for (size_t i = 0; i < l->n; i++)
        if (strpbrk(l->names[i], "*?"))
            l->patterns[l->n_patterns++] = l->names[i];
    return true;
}

void pi_names_free(struct pi_names *l)
{
    pi_release(l->allocator, l->names);
    pi_release(l->allocator, l->patterns);
    pi_release(l->allocator, l->met);
}

static const char **find_name(const struct pi_names *l, const char *name)
{
    return l->n ? bsearch(&name, l->names, l->n, sizeof *l->names, compare_names) : NULL;
}

bool pi_names_has(const struct pi_names *l, const char *name)
{
    if (find_name(l, name))
        return true;
    for (size_t i = 0; i < l->n_patterns; i++)
        if (fnmatch(l->patterns[i], name, 0) == 0)
            return true;
    return false;
}

bool pi_names_meet(const struct pi_names *l, const char *name)
{
    const char **same = find_name(l, name);
    bool any = same != NULL;
    if (same)
        l->met[same - l->names] = true;
    for (size_t i = 0; i < l->n_patterns; i++) {
        if (fnmatch(l->patterns[i], name, 0) != 0)
            continue;
        any = l->met[find_name(l, l->patterns[i]) - l->names] = true;
    }
    return any;
}

void pi_names_know(const struct pi_names *l, const struct pd_filter_options *o, enum pd_name_kind kind,
                   const char *name)
{
    pi_names_meet(l, name);
    if (o->known)
        o->known(o->user, kind, name);
}

void pi_names_tell(const struct pi_names *l, const struct pd_filter_options *o, enum pd_name_kind kind)
{
    for (size_t i = 0; o->unmatched && i < l->n; i++)
        if (!l->met[i])
            o->unmatched(o->user, kind, l->names[i]);
}
