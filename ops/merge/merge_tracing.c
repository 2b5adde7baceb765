/* SPDX-License-Identifier: MIT */
/*
 * merge_tracing.c - unites what inputs of one kernel say of tracepoints: the output has each event's format
 * once, whichever input has it. A kernel numbers its events itself, so one number with two formats is a
 * conflict.
 */
#include "merge.h"
#include "src/schema/fail.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include <perfdata/session/complete.h>
#include <perfdata/session/tracepoint.h>
#include <stdlib.h>
#include <xxhash.h>

#define OF_FTRACE SIZE_MAX

/* A format file. Texts are those of the inputs' metadata. */
struct format {
    size_t system; /* in `systems`, or OF_FTRACE */
    struct pd_bytes text;
    size_t number;
    size_t next; /* the number + 1 of the next one with the same key; 0: none */
};

struct united {
    struct pi_merging *m;
    struct format *formats;
    size_t n_formats, formats_cap;
    struct pd_event_system *systems; /* events: when all are known */
    size_t n_systems, systems_cap;
    struct pi_ids keys;      /* from keys of formats to their number + 1 */
    struct pi_ids of_system; /* from hashes of names of systems to their number + 1 */
    struct pd_format_file *files;
};

static bool same_text(const void *a, size_t n_a, const void *b, size_t n_b)
{
    return n_a == n_b && (n_a == 0 || memcmp(a, b, n_a) == 0);
}

static bool same_name(const struct pd_str *a, const struct pd_str *b)
{
    return same_text(a->ptr, a->len, b->ptr, b->len);
}

static bool same_bytes(const struct pd_bytes *a, const struct pd_bytes *b)
{
    return same_text(a->ptr, a->n, b->ptr, b->n);
}

/* ---- Conflicts */

/* Why two inputs cannot be of one kernel; NULL: nothing says so. */
static const char *differing_kernel(const struct pd_feature_tracing_data *a,
                                    const struct pd_feature_tracing_data *b)
{
    if (a->bigendian != b->bigendian || a->long_size != b->long_size || a->page_size != b->page_size)
        return "its tracing data is of another kind of machine than that of an earlier input";
    if (!same_bytes(&a->header_page, &b->header_page) || !same_bytes(&a->header_event, &b->header_event))
        return "its tracing data is of another kernel than that of an earlier input";
    return NULL;
}

static enum pd_code conflict(struct united *u, size_t input, const char *what, uint64_t id)
{
    u->m->failed = input;
    return pi_fail(u->m->error, PD_EUNSUP, PD_NOWHERE, what, id, 0);
}

/* ---- Formats */

/* What a format says about itself. */
struct said {
    bool has_id; /* else no sample can name it */
    uint32_t id;
    char name[PI_LIMIT_NAME_SHOWN + 1];
};

static struct said look_into(const struct united *u, const struct pd_bytes *text)
{
    struct pd_tracepoints *one = NULL;
    struct said said = {0};
    if (!pd_tracepoints_new(&one, NULL, u->m->allocator, NULL) &&
        !pd_tracepoints_add(one, "", (const char *)text->ptr, text->n, 8, NULL)) {
        const struct pd_tracepoint *tp = pd_tracepoints_at(one, 0);
        const size_t n = tp->name.len < PI_LIMIT_NAME_SHOWN ? tp->name.len : PI_LIMIT_NAME_SHOWN;
        said.has_id = true;
        said.id = tp->id;
        memcpy(said.name, tp->name.ptr, n);
    }
    pd_tracepoints_free(one);
    return said;
}

/* Formats without an id are told apart by their text. */
static uint64_t key_of(const struct united *u, const struct pd_bytes *text, const struct said *said)
{
    const uint64_t seed = pi_keyed(&u->m->hash_key, said->has_id);
    return said->has_id ? pi_keyed(&u->m->hash_key, (uint64_t)said->id << 1 | 1)
                        : XXH3_64bits_withSeed(text->n ? text->ptr : (const void *)"", text->n, seed);
}

static const struct format *find_format(const struct united *u, uint64_t key, const struct format *f)
{
    uint64_t k = 0;
    if (u->n_formats)
        pi_ids_get(&u->keys, key, &k);
    for (; k; k = u->formats[k - 1].next)
        if (u->formats[k - 1].system == f->system && same_bytes(&u->formats[k - 1].text, &f->text))
            return &u->formats[k - 1];
    return NULL;
}

static enum pd_code add_format(struct united *u, size_t input, size_t system, const struct pd_bytes *text)
{
    struct format f = {.system = system, .text = *text};
    const struct said said = look_into(u, text);
    const uint64_t key = key_of(u, text, &said);
    uint64_t before = 0;
    if (find_format(u, key, &f))
        return PD_OK;
    if (pi_ids_get(&u->keys, key, &before) && said.has_id) {
        pi_merge_note_event(u->m, input, PD_FEAT_TRACING_DATA,
                            "is another tracepoint than the one of the same number in an earlier input",
                            said.name);
        return conflict(u, input, "its tracepoints are not those of an earlier input", said.id);
    }
    f.next = (size_t)before;
    f.number = u->n_formats;
    if (!pi_grow(u->m->allocator, (void **)&u->formats, u->n_formats, &u->formats_cap, sizeof *u->formats))
        return pi_merge_no_memory(u->m, u->n_formats * sizeof *u->formats);
    u->formats[u->n_formats++] = f;
    return pi_ids_set(&u->keys, key, u->n_formats)
               ? PD_OK
               : pi_merge_no_memory(u->m, u->keys.size * sizeof *u->keys.slots);
}

/* ---- Systems */

static uint64_t hash_name(const struct united *u, const struct pd_str *name)
{
    return XXH3_64bits_withSeed(name->len ? name->ptr : "", name->len, pi_keyed(&u->m->hash_key, 3));
}

/* Of two names with the same hash, the second becomes a further system of that name, which does no harm. */
static enum pd_code find_system(struct united *u, const struct pd_str *name, size_t *system)
{
    const uint64_t hash = hash_name(u, name);
    uint64_t k = 0;
    if (u->n_systems && pi_ids_get(&u->of_system, hash, &k) && same_name(&u->systems[k - 1].name, name)) {
        *system = (size_t)k - 1;
        return PD_OK;
    }
    if (!pi_grow(u->m->allocator, (void **)&u->systems, u->n_systems, &u->systems_cap, sizeof *u->systems))
        return pi_merge_no_memory(u->m, u->n_systems * sizeof *u->systems);
    *system = u->n_systems;
    u->systems[u->n_systems++] = (struct pd_event_system){.name = {name->ptr, name->len, PD_AUTO}};
    return pi_ids_set(&u->of_system, hash, u->n_systems)
               ? PD_OK
               : pi_merge_no_memory(u->m, u->of_system.size * sizeof *u->of_system.slots);
}

static enum pd_code add_formats(struct united *u, size_t input, size_t system, struct pd_list files)
{
    struct pd_format_file file;
    enum pd_code code = PD_OK;
    while (!code && pd_format_file_next(&files, &file))
        code = add_format(u, input, system, &file.text);
    return code;
}

static enum pd_code add_input(struct united *u, size_t input, const struct pd_feature_tracing_data *t)
{
    struct pd_list systems = t->systems;
    struct pd_event_system s;
    size_t system = 0;
    enum pd_code code = add_formats(u, input, OF_FTRACE, t->ftrace);
    while (!code && pd_event_system_next(&systems, &s)) {
        code = find_system(u, &s.name, &system);
        if (!code)
            code = add_formats(u, input, system, s.events);
    }
    return code;
}

/* ---- The output */

/* In the order in which they came. */
static int by_system(const void *a, const void *b)
{
    const struct format *x = a, *y = b;
    if (x->system != y->system)
        return x->system < y->system ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static enum pd_code write_united(struct united *u, struct pd_feature *f)
{
    struct pi_merging *m = u->m;
    size_t size = 0;
    enum pd_code code = pd_feature_complete(f, &size, m->error);
    uint8_t *bytes = code ? NULL : pi_resize(m->allocator, NULL, size);
    if (!code && bytes == NULL)
        code = pi_merge_no_memory(m, size);
    if (!code)
        code = pd_feature_encode(m->order, f, bytes, size, &size, m->error);
    if (!code)
        code = pd_writer_feature(m->out.writer, PD_FEAT_TRACING_DATA, m->error);
    if (!code)
        code = pd_writer_feature_bytes(m->out.writer, bytes, size, m->error);
    pi_release(m->allocator, bytes);
    return code;
}

static enum pd_code put_united(struct united *u, const struct pd_feature_tracing_data *first)
{
    struct pd_feature f = {.id = PD_FEAT_TRACING_DATA, .u.tracing_data = *first};
    struct pd_feature_tracing_data *t = &f.u.tracing_data;
    u->files = pi_array(u->m->allocator, NULL, u->n_formats + 1, sizeof *u->files);
    if (u->files == NULL)
        return pi_merge_no_memory(u->m, u->n_formats * sizeof *u->files);
    if (u->n_formats)
        qsort(u->formats, u->n_formats, sizeof *u->formats, by_system);
    size_t at = 0;
    for (size_t i = 0, k = 0; i < u->n_systems; i++, at = k) {
        for (; k < u->n_formats && u->formats[k].system == i; k++)
            u->files[k] = (struct pd_format_file){u->formats[k].text.n, u->formats[k].text};
        u->systems[i].nr_events = (uint32_t)(k - at);
        u->systems[i].events = PD_LIST(u->files + at, k - at);
    }
    size_t end = at; /* those of ftrace are the last */
    for (; end < u->n_formats; end++)
        u->files[end] = (struct pd_format_file){u->formats[end].text.n, u->formats[end].text};
    t->ftrace = PD_LIST(u->files + at, end - at);
    t->nr_ftrace = (uint32_t)(end - at);
    t->systems = PD_LIST(u->systems, u->n_systems);
    t->nr_systems = (uint32_t)u->n_systems;
    return write_united(u, &f);
}

static void note_rest(const struct united *u, size_t input, const struct pd_feature_tracing_data *a,
                      const struct pd_feature_tracing_data *b)
{
    if (!same_bytes(&a->kallsyms, &b->kallsyms) || !same_bytes(&a->printk, &b->printk) ||
        !same_bytes(&a->cmdlines, &b->cmdlines))
        pi_merge_note(u->m, input, PD_FEAT_TRACING_DATA,
                      "its symbols, printk formats or task names differ, those of the first input are kept");
}

static enum pd_code unite(struct united *u, size_t first)
{
    struct pi_merging *m = u->m;
    const struct pd_feature *f = pd_metadata_feature(m->in[first].meta, PD_FEAT_TRACING_DATA);
    enum pd_code code = add_input(u, first, &f->u.tracing_data);
    for (size_t i = first + 1; !code && i < m->n; i++) {
        const struct pd_feature *g = pd_metadata_feature(m->in[i].meta, PD_FEAT_TRACING_DATA);
        if (g == NULL || same_bytes(&f->raw, &g->raw))
            continue;
        const char *why = g->layout
                              ? differing_kernel(&f->u.tracing_data, &g->u.tracing_data)
                              : "its tracing data is damaged, and differs from that of an earlier input";
        code = why ? conflict(u, i, why, 0) : add_input(u, i, &g->u.tracing_data);
        if (!code)
            note_rest(u, i, &f->u.tracing_data, &g->u.tracing_data);
    }
    return code ? code : put_united(u, &f->u.tracing_data);
}

enum pd_code pi_merge_put_tracing(struct pi_merging *m, size_t first)
{
    struct united u = {.m = m, .keys.allocator = m->allocator, .of_system.allocator = m->allocator};
    const enum pd_code code = unite(&u, first);
    pi_ids_free(&u.keys);
    pi_ids_free(&u.of_system);
    pi_release(m->allocator, u.formats);
    pi_release(m->allocator, u.systems);
    pi_release(m->allocator, u.files);
    return code;
}
