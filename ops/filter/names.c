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

bool pd_names_init(struct pd_names *l, const char *const *names, size_t n,
                   const struct pd_allocator *allocator)
{
    *l = (struct pd_names){.allocator = allocator};
    if (n == 0)
        return true;
    l->names = pd_array(allocator, NULL, n, sizeof *l->names);
    l->patterns = pd_array(allocator, NULL, n, sizeof *l->patterns);
    if (l->names == NULL || l->patterns == NULL)
        return false;
    for (size_t i = 0; i < n; i++) {
        l->names[l->n++] = names[i]; /* a pattern, too: a name may be just that */
        if (strpbrk(names[i], "*?"))
            l->patterns[l->n_patterns++] = names[i];
    }
    qsort(l->names, l->n, sizeof *l->names, compare_names);
    return true;
}

void pd_names_free(struct pd_names *l)
{
    pd_release(l->allocator, l->names);
    pd_release(l->allocator, l->patterns);
}

bool pd_names_has(const struct pd_names *l, const char *name)
{
    if (l->n && bsearch(&name, l->names, l->n, sizeof *l->names, compare_names))
        return true;
    for (size_t i = 0; i < l->n_patterns; i++)
        if (fnmatch(l->patterns[i], name, 0) == 0)
            return true;
    return false;
}
