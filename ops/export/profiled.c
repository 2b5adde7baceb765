/* SPDX-License-Identifier: MIT */
/*
 * profiled.c - the files of branch profiles, and what is code in those of pprof. In the former, a build id is
 * one file, whatever its paths: copies, hard links, a file inside and outside of a container, a file of
 * several recordings.
 */
#include "export.h"
#include "ops/filter/build_id.h"
#include "src/schema/fail.h"
#include <perfdata/constants.h>

static enum pd_code fail_memory(const struct pi_exporting *x, size_t n)
{
    return pi_fail(x->error, PD_ENOMEM, PD_NOWHERE, "files", 0, n);
}

static enum pd_code enlarge(struct pi_exporting *x, uint32_t number)
{
    struct pd_export *e = x->all;
    const size_t known = e->cap_profiled;
    while (number >= e->cap_profiled)
        if (!pi_grow(x->allocator, (void **)&e->profiled, e->cap_profiled, &e->cap_profiled,
                     sizeof *e->profiled))
            return fail_memory(x, e->cap_profiled);
    for (size_t i = known; i < e->cap_profiled; i++)
        e->profiled[i] = (struct pi_profiled){.code = UINT64_MAX};
    return PD_OK;
}

/* Finds the first path of a new path's build id, and adds the new one to its paths. */
static enum pd_code join_paths(struct pi_exporting *x, uint32_t number)
{
    struct pd_export *e = x->all;
    const struct pd_str id = pi_dso_build_id(e->dsos.all[number]);
    const size_t n = pi_build_id_length(id.ptr, id.len), known = e->ids.n;
    struct pi_profiled *all = e->profiled;
    uint32_t place;
    all[number].first = all[number].last = number;
    if (n == 0)
        return PD_OK;
    const enum pd_code code = pi_export_text(&e->ids, id.ptr, n, &place, x->error);
    if (code)
        return code;
    if (place == known) { /* a new one */
        if (!pi_grow(x->allocator, (void **)&e->first_of, known, &e->cap_first_of, sizeof *e->first_of))
            return fail_memory(x, e->cap_first_of);
        e->first_of[place] = number;
        return PD_OK;
    }
    struct pi_profiled *first = &all[all[number].first = e->first_of[place]];
    all[first->last].next = number;
    first->last = number;
    return PD_OK;
}

static void add_code(struct pi_profiled *file, const struct pd_mapping *mapping)
{
    const uint64_t first = pd_mapping_offset(mapping, mapping->start),
                   more = mapping->size ? mapping->size - 1 : 0,
                   last = more < UINT64_MAX - first ? first + more : UINT64_MAX;
    if (mapping->prot && !(mapping->prot & PD_PROT_EXEC))
        return;
    file->code = first < file->code ? first : file->code;
    file->last_code = last > file->last_code ? last : file->last_code;
}

enum pd_code pi_export_note_code(struct pi_exporting *x, const struct pd_mapping *mapping, uint32_t number)
{
    const enum pd_code code = enlarge(x, number);
    if (!code)
        add_code(&x->all->profiled[number], mapping);
    return code;
}

enum pd_code pi_export_profiled(struct pi_exporting *x, const struct pd_mapping *mapping, uint32_t *number)
{
    struct pd_export *e = x->all;
    enum pd_code code = enlarge(x, *number);
    if (!code && e->profiled[*number].first == 0)
        code = join_paths(x, *number);
    if (code)
        return code;
    struct pi_profiled *file = &e->profiled[e->profiled[*number].first];
    file->has_offsets |= *e->dsos.all[*number] == PI_DSO_OFFSETS;
    add_code(file, mapping);
    *number = file->first;
    return PD_OK;
}
