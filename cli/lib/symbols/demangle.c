/* SPDX-License-Identifier: MIT */
/*
 * demangle.c - see demangle.h. A short name may stand for one without end, so a name that does not fit ends
 * the work by a jump out of the library; its functions with a callback hold no memory.
 */
#include "demangle.h"
#include "src/support/limits.h"
#include <string.h>
#if PERFDATA_DEMANGLE
#include <libiberty/demangle.h>
#include <setjmp.h>

struct writing {
    char *to;
    size_t n, cap;
    jmp_buf full;
};

static void write_part(const char *text, size_t n, void *user)
{
    struct writing *w = user;
    if (n >= w->cap - w->n)
        longjmp(w->full, 1);
    memcpy(w->to + w->n, text, n);
    w->n += n;
}

const char *cli_demangle(const char *name, char *to, size_t cap)
{
    struct writing w = {.to = to, .cap = cap};
    const size_t n = strcspn(name, "@"); /* @plt and versions stay behind the name */
    char mangled[PI_LIMIT_SYMBOLS_NAME + 1];
    if ((strncmp(name, "_Z", 2) != 0 && strncmp(name, "_R", 2) != 0) || n >= sizeof mangled)
        return name;
    memcpy(mangled, name, n);
    mangled[n] = 0;
    if (setjmp(w.full))
        return name;
    if (!rust_demangle_callback(mangled, DMGL_NO_OPTS, write_part, &w)) {
        w.n = 0;
        if (!cplus_demangle_v3_callback(mangled, DMGL_NO_OPTS, write_part, &w))
            return name;
    }
    write_part(name + n, strlen(name + n), &w);
    to[w.n] = 0;
    return to;
}
#else
const char *cli_demangle(const char *name, char *to, size_t cap)
{
    (void)to;
    (void)cap;
    return name;
}
#endif
