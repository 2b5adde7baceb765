/* SPDX-License-Identifier: MIT */
/*
 * profiles.c - branch profiles of perf2bolt (pre-aggregated), llvm-profgen (--unsymbolized-profile) and
 * AutoFDO (--profiler=text): a file for each file of the recording, and an index of them.
 */
#include "ops/export/branches.h"
#include "ops/export/labels.h"
#include "src/schema/fail.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include "text_out.h"
#include <inttypes.h>
#include <stdio.h>

struct profiles {
    struct pd_export *all;
    uint32_t dso; /* being written; 0: none */
    struct pd_export_segment segments[PI_LIMIT_EXPORT_SEGMENTS];
    size_t n_segments; /* 0: the binary is not known */
    struct pi_branch_count *counts;
    size_t n, cap;
    struct pd_out lines; /* of the index */
};

/* ---- Addresses */

/* Without program headers, the first executable mapping tells where the code begins. */
static uint64_t code_start(const struct profiles *p)
{
    for (size_t i = 0; i < p->n_segments; i++)
        if (p->segments[i].executable)
            return p->segments[i].vaddr & ~UINT64_C(4095);
    return p->n_segments ? 0 : p->all->profiled[p->dso].code;
}

/* As the format has it: an address of the program headers, one from the code on, or the offset itself. */
PI_WRAPS static uint64_t address_of(const struct profiles *p, uint64_t offset)
{
    const enum pd_export_format format = p->all->options.format;
    uint64_t address = offset;
    if (offset == PI_BRANCH_ELSEWHERE) /* llvm-profgen itself takes address 1 for that */
        return format == PD_EXPORT_PROFGEN ? 1 - code_start(p) : 0;
    if (format == PD_EXPORT_AUTOFDO)
        return offset;
    const bool offsets = p->all->profiled[p->dso].has_offsets;
    for (size_t i = 0; offsets && i < p->n_segments; i++) {
        const struct pd_export_segment *s = &p->segments[i];
        if (offset >= s->offset && offset - s->offset < s->size)
            address = offset - s->offset + s->vaddr;
    }
    return format == PD_EXPORT_PROFGEN ? address - code_start(p) : address;
}

static void put_address(struct pd_out *out, uint64_t value)
{
    char digits[16], *first = digits + sizeof digits;
    do
        *--first = "0123456789abcdef"[value & 15];
    while (value >>= 4);
    pd_out_bytes(out, first, (size_t)(digits + sizeof digits - first));
}

/* ---- A file */

static void put_pair(const struct profiles *p, struct pd_out *out, const struct pi_branch_count *c,
                     const char *between)
{
    put_address(out, address_of(p, c->from));
    pd_out_str(out, between);
    put_address(out, address_of(p, c->to));
}

static void put_bolt(const struct profiles *p, struct pd_out *out, const struct pi_branch_count *c)
{
    const bool branch = c->section == PI_BRANCH_BRANCHES;
    pd_out_str(out, branch ? "B " : "T ");
    put_pair(p, out, c, " ");
    pd_out_str(out, " ");
    if (!branch) {
        put_address(out, address_of(p, c->end));
        pd_out_str(out, " ");
    }
    pd_out_dec(out, c->n);
    if (branch) {
        pd_out_str(out, " ");
        pd_out_dec(out, c->wrong);
    }
    pd_out_str(out, "\n");
}

static void put_line(const struct profiles *p, struct pd_out *out, const struct pi_branch_count *c)
{
    static const char *const between[] = {
        [PI_BRANCH_RANGES] = "-", [PI_BRANCH_ADDRESSES] = NULL, [PI_BRANCH_BRANCHES] = "->"};
    if (between[c->section])
        put_pair(p, out, c, between[c->section]);
    else
        put_address(out, address_of(p, c->from));
    pd_out_str(out, ":");
    pd_out_dec(out, c->n);
    pd_out_str(out, "\n");
}

/* AutoFDO knows only branches inside the file, llvm-profgen those that lead into it. */
static bool is_told(const struct profiles *p, const struct pi_branch_count *c)
{
    return c->to != PI_BRANCH_ELSEWHERE &&
           (c->from != PI_BRANCH_ELSEWHERE || p->all->options.format == PD_EXPORT_PROFGEN);
}

/* A block: the number of its lines, and these. */
static void put_block(const struct profiles *p, struct pd_out *out, enum pi_branch_section section)
{
    uint64_t n = 0;
    for (size_t i = 0; i < p->n; i++)
        n += p->counts[i].section == section && is_told(p, &p->counts[i]);
    pd_out_dec(out, n);
    pd_out_str(out, "\n");
    for (size_t i = 0; i < p->n; i++)
        if (p->counts[i].section == section && is_told(p, &p->counts[i]))
            put_line(p, out, &p->counts[i]);
}

static void put_profile(const struct profiles *p, struct pd_out *out)
{
    const enum pd_export_format format = p->all->options.format;
    if (format == PD_EXPORT_BOLT) {
        for (size_t i = 0; i < p->n; i++)
            put_bolt(p, out, &p->counts[i]);
        return;
    }
    put_block(p, out, PI_BRANCH_RANGES);
    if (format == PD_EXPORT_AUTOFDO)
        put_block(p, out, PI_BRANCH_ADDRESSES);
    put_block(p, out, PI_BRANCH_BRANCHES);
}

/* ---- Files and their index */

/* The build id, or the number and the last part of the path, of which only plain characters stay. */
static void name_file(const struct profiles *p, char *name, size_t cap)
{
    static const char *const ends[] = {
        [PD_EXPORT_BOLT] = "bolt", [PD_EXPORT_PROFGEN] = "profgen", [PD_EXPORT_AUTOFDO] = "autofdo"};
    char id[41];
    const char *path = pi_export_dso_parts(p->all, p->dso, id), *slash = strrchr(path, '/');
    const char *plain = slash ? slash + 1 : path, *end = ends[p->all->options.format];
    if (*id)
        snprintf(name, cap, "%s.%s", id, end);
    else
        snprintf(name, cap, "%" PRIu32 "-%.100s.%s", p->dso, plain, end);
    for (char *c = name; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", *c))
            *c = '_';
}

/* What the numbers of a file are: AutoFDO counts from its start; the kernel has no file. */
static const char *name_numbers(const struct profiles *p)
{
    const bool moved = p->n_segments && p->all->options.format != PD_EXPORT_AUTOFDO;
    return moved || !p->all->profiled[p->dso].has_offsets ? "addresses" : "offsets";
}

static void note_file(struct profiles *p, const char *name)
{
    char id[41];
    const char *path = pi_export_dso_parts(p->all, p->dso, id);
    pd_out_str(&p->lines, name);
    pd_out_str(&p->lines, "\t");
    pd_out_str(&p->lines, id);
    pd_out_str(&p->lines, "\t");
    pd_out_str(&p->lines, name_numbers(p));
    pd_out_str(&p->lines, "\t");
    pi_export_put_name(&p->lines, path, false);
    pd_out_str(&p->lines, "\n");
}

static enum pd_code fail_output(struct pd_error *error, int why)
{
    return pi_fail(error, PD_EOUT, PD_NOWHERE, "output", (uint64_t)why, 0);
}

/* Writes a file of these bytes, or of the profile. */
static enum pd_code write_file(const struct profiles *p, const char *name, const struct pd_out *bytes,
                               struct pd_error *error)
{
    const struct pd_export_options *o = &p->all->options;
    struct pd_sink sink;
    struct pi_text_out text;
    int why = o->open_member(o->user, name, 0666, &sink);
    if (why)
        return fail_output(error, why);
    pi_text_out_open(&text, &sink);
    if (bytes)
        pd_out_bytes(&text.out, bytes->buf ? bytes->buf : "", bytes->n);
    else
        put_profile(p, &text.out);
    const enum pd_code code = pi_text_out_end(&text, error);
    why = o->close_member(o->user, &sink);
    return !code && why ? fail_output(error, why) : code;
}

static enum pd_code end_file(struct profiles *p, struct pd_error *error)
{
    char name[160];
    if (p->dso == 0)
        return PD_OK;
    name_file(p, name, sizeof name);
    note_file(p, name);
    return p->lines.lost ? pi_fail(error, PD_ENOMEM, PD_NOWHERE, "index", 0, 0)
                         : write_file(p, name, NULL, error);
}

/* Looks for the segments of a file at each of its paths. */
static void find_segments(struct profiles *p)
{
    const struct pd_export_options *o = &p->all->options;
    p->n_segments = 0;
    for (uint32_t dso = p->dso; o->segments && dso && !p->n_segments; dso = p->all->profiled[dso].next) {
        char id[41];
        const char *path = pi_export_dso_parts(p->all, dso, id);
        p->n_segments = o->segments(o->user, path, id, p->segments, PI_LIMIT_EXPORT_SEGMENTS);
    }
}

static void begin_file(struct profiles *p, uint32_t dso)
{
    p->dso = dso;
    p->n = 0;
    find_segments(p);
}

static enum pd_code take_count(void *user, const struct pi_branch_count *c, struct pd_error *error)
{
    struct profiles *p = user;
    if (c->dso != p->dso) {
        const enum pd_code code = end_file(p, error);
        if (code)
            return code;
        begin_file(p, c->dso);
    }
    const uint64_t bytes = (p->n + UINT64_C(1)) * sizeof *c;
    if (bytes > PI_LIMIT_EXPORT_NAMES)
        return pi_fail(error, PD_ELIMIT, PD_NOWHERE, "branches of a file", bytes, PI_LIMIT_EXPORT_NAMES);
    if (!pi_grow(p->all->options.allocator, (void **)&p->counts, p->n, &p->cap, sizeof *c))
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "branches", 0, bytes);
    p->counts[p->n++] = *c;
    return PD_OK;
}

enum pd_code pi_export_profiles(struct pd_export *all, struct pd_error *error)
{
    struct profiles p = {.all = all, .lines = {.more = pd_out_grow, .user = all->allocator}};
    enum pd_code code = pi_branches_each(all, take_count, &p, error);
    if (!code)
        code = end_file(&p, error);
    if (!code)
        code = write_file(&p, "index", &p.lines, error);
    pi_release(all->options.allocator, p.counts);
    pi_release(all->options.allocator, p.lines.buf);
    return code;
}
