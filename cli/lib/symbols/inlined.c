/* SPDX-License-Identifier: MIT */
/* inlined.c - see inlined.h. Loads libdw on demand, so that other runs of the command need not load it. */
#include "inlined.h"
#if PERFDATA_DWARF
#include "cli/lib/memory.h"
#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FUNCTIONS(X)        \
    X(dwarf_attr_integrate) \
    X(dwarf_begin)          \
    X(dwarf_diename)        \
    X(dwarf_end)            \
    X(dwarf_formstring)     \
    X(dwarf_get_units)      \
    X(dwarf_getscopes)      \
    X(dwarf_getscopes_die)  \
    X(dwarf_haspc)          \
    X(dwarf_tag)

static struct {
    void *library;
#define POINTER(name_) __typeof__(&(name_)) name_;
    FUNCTIONS(POINTER)
} dw;

struct cli_dwarf {
    int fd;
    Dwarf *dwarf;
    Dwarf_Die unit; /* the last one */
    int has_unit;
};

int cli_knows_dwarf(void)
{
    if (dw.library || (dw.library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL)) == NULL)
        return dw.library != NULL;
#define LOOK_UP(name_)                                                      \
    {                                                                       \
        void *found = dlsym(dw.library, #name_);                            \
        memcpy(&dw.name_, &found, sizeof found); /* a function, in POSIX */ \
        if (found == NULL) {                                                \
            dlclose(dw.library);                                            \
            return (dw.library = NULL) != NULL;                             \
        }                                                                   \
    }
    FUNCTIONS(LOOK_UP)
    return 1;
}

struct cli_dwarf *cli_dwarf_open(const char *path)
{
    struct cli_dwarf *d = cli_calloc(1, sizeof *d);
    if (d == NULL)
        return NULL;
    d->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    d->dwarf = d->fd >= 0 ? dw.dwarf_begin(d->fd, DWARF_C_READ) : NULL;
    if (d->dwarf)
        return d;
    cli_dwarf_close(d);
    return NULL;
}

void cli_dwarf_close(struct cli_dwarf *d)
{
    if (d == NULL)
        return;
    if (d->dwarf)
        dw.dwarf_end(d->dwarf);
    if (d->fd >= 0)
        close(d->fd);
    free(d);
}

/* Addresses come in order: mostly the last unit has the next one, too. */
static int find_unit(struct cli_dwarf *d, uint64_t address)
{
    Dwarf_CU *cu = NULL;
    Dwarf_Die sub;
    if (d->has_unit && dw.dwarf_haspc(&d->unit, address) > 0)
        return 1;
    d->has_unit = 0;
    while (!d->has_unit && dw.dwarf_get_units(d->dwarf, cu, &cu, NULL, NULL, &d->unit, &sub) == 0)
        d->has_unit = dw.dwarf_haspc(&d->unit, address) > 0;
    return d->has_unit;
}

static const char *name_of(Dwarf_Die *die)
{
    Dwarf_Attribute attr;
    const char *name = dw.dwarf_formstring(dw.dwarf_attr_integrate(die, DW_AT_linkage_name, &attr));
    return name ? name : dw.dwarf_diename(die);
}

/* Collects them from the innermost on, then reverses them. */
static size_t take_scopes(Dwarf_Die *scopes, int n, const char *names[PI_LIMIT_SYMBOLS_INLINED])
{
    size_t found = 0;
    for (int i = 0;
         i < n && found < PI_LIMIT_SYMBOLS_INLINED && dw.dwarf_tag(&scopes[i]) != DW_TAG_subprogram; i++) {
        if (dw.dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine)
            continue;
        const char *name = name_of(&scopes[i]);
        names[found++] = name ? name : "??";
    }
    for (size_t i = 0; i < found / 2; i++) {
        const char *other = names[i];
        names[i] = names[found - 1 - i];
        names[found - 1 - i] = other;
    }
    return found;
}

size_t cli_dwarf_inlined(struct cli_dwarf *d, uint64_t address, const char *names[PI_LIMIT_SYMBOLS_INLINED])
{
    Dwarf_Die *scopes = NULL, *around = NULL;
    size_t found = 0;
    const int n = find_unit(d, address) ? dw.dwarf_getscopes(&d->unit, address, &scopes) : 0;
    for (int i = 0; i < n; i++) { /* the innermost one has the name of what it is inside of */
        if (dw.dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine)
            continue;
        const int m = dw.dwarf_getscopes_die(&scopes[i], &around);
        found = take_scopes(around, m, names);
        free(around);
        break;
    }
    free(scopes);
    return found;
}
#else
int cli_knows_dwarf(void)
{
    return 0;
}

struct cli_dwarf *cli_dwarf_open(const char *path)
{
    (void)path;
    return NULL;
}

void cli_dwarf_close(struct cli_dwarf *d)
{
    (void)d;
}

size_t cli_dwarf_inlined(struct cli_dwarf *d, uint64_t address, const char *names[PI_LIMIT_SYMBOLS_INLINED])
{
    (void)d;
    (void)address;
    (void)names;
    return 0;
}
#endif
