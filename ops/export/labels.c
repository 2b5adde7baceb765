/* SPDX-License-Identifier: MIT */
/* labels.c - see labels.h. */
#include "labels.h"
#include "src/schema/fail.h"
#include "src/support/memory.h"

const char *pi_export_dso_name(const struct pd_export *all, uint64_t dso)
{
    return pi_dso_name(all->dsos.all[dso]).ptr;
}

const char *pi_export_dso_parts(const struct pd_export *all, uint64_t dso, char id[41])
{
    const struct pd_str build_id = pi_dso_build_id(all->dsos.all[dso]);
    memcpy(id, build_id.ptr, build_id.len);
    id[build_id.len] = 0;
    return pi_export_dso_name(all, dso);
}

bool pi_export_has_several(const struct pd_export *all)
{
    return all->events.n > 1 || all->declared.n > 1;
}

void pi_export_put_name(struct pd_out *out, const char *name, bool no_semicolon)
{
    const char *stop;
    for (; no_semicolon && (stop = strchr(name, ';')); name = stop + 1) {
        pd_out_visible(out, name, (size_t)(stop - name));
        pd_out_bytes(out, ":", 1);
    }
    pd_out_visible(out, name, strlen(name));
}

static void put_between(struct pd_out *out, const char *between, bool *any)
{
    if (*any && between)
        pd_out_str(out, between);
    *any = true;
}

static void put_text(struct pd_out *out, const char *text, const char *between, bool *any)
{
    put_between(out, between, any);
    if (between)
        pi_export_put_name(out, text, *between == ';');
}

static void put_id(struct pd_out *out, const char *key, uint64_t id, const char *between, bool *any)
{
    put_between(out, between, any);
    if (between) {
        pd_out_str(out, key);
        pd_out_sdec(out, (int32_t)id);
    }
}

bool pi_export_put_head(const struct pd_export *all, struct pd_out *out, const uint8_t **at,
                        const char *between)
{
    const uint32_t keys = all->options.keys;
    bool any = false;
    if (keys & PD_EXPORT_COMM)
        put_text(out, all->comms.all[pi_take_number(at)], between, &any);
    if (keys & PD_EXPORT_PID)
        put_id(out, "pid ", pi_take_number(at), between, &any);
    if (keys & PD_EXPORT_TID)
        put_id(out, "tid ", pi_take_number(at), between, &any);
    if (keys & PD_EXPORT_CPU)
        put_id(out, "cpu ", pi_take_number(at), between, &any);
    if (keys & PD_EXPORT_CGROUP)
        put_text(out, all->cgroups.all[pi_take_number(at)], between, &any);
    return any;
}

void pi_export_put_frame(const struct pd_export *all, struct pd_out *out, uint64_t dso, uint64_t offset,
                         bool no_semicolon)
{
    if (*all->dsos.all[dso] == PI_DSO_FUNCTIONS) {
        pi_export_put_name(out, all->functions.all[offset], no_semicolon);
        return;
    }
    pi_export_put_name(out, pi_export_dso_name(all, dso), no_semicolon);
    pd_out_str(out, "+");
    pd_out_hex(out, offset);
}

void pi_export_put_json(struct pd_out *out, const struct pd_out *text)
{
    pd_out_json_text(out, text->buf ? text->buf : "", text->n);
}

/* ---- Frames by number */

void pi_export_table_open(struct pi_export_table *t, const struct pd_export *all)
{
    const struct pd_allocator *allocator = all->options.allocator;
    *t = (struct pi_export_table){.all = all, .places.allocator = allocator, .key = pi_key_draw()};
}

void pi_export_table_close(struct pi_export_table *t)
{
    pi_release(t->all->options.allocator, t->frames);
    pi_ids_free(&t->places);
}

PI_WRAPS static enum pd_code find_frame(struct pi_export_table *t, const struct pi_export_frame *frame,
                                        uint32_t *number, struct pd_error *error)
{
    uint64_t hash = pi_keyed(&t->key, frame->offset ^ pi_keyed(&t->key, frame->dso)), at;
    for (; pi_ids_get(&t->places, hash, &at); hash++) {
        if (t->frames[at].offset == frame->offset && t->frames[at].dso == frame->dso) {
            *number = (uint32_t)at;
            return PD_OK;
        }
    }
    const uint64_t bytes = (t->n + 1) * (sizeof *frame + 2 * sizeof *t->places.slots);
    if (bytes > PI_LIMIT_EXPORT_NAMES)
        return pi_fail(error, PD_ELIMIT, PD_NOWHERE, "frames", bytes, PI_LIMIT_EXPORT_NAMES);
    if (!pi_grow(t->all->options.allocator, (void **)&t->frames, t->n, &t->cap, sizeof *t->frames) ||
        !pi_ids_set(&t->places, hash, t->n))
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "frames", 0, bytes);
    *number = (uint32_t)t->n;
    t->frames[t->n++] = *frame;
    return PD_OK;
}

enum pd_code pi_export_table_next(struct pi_export_table *t, const uint8_t **at, uint32_t *number, bool *end,
                                  struct pd_error *error)
{
    const uint64_t dso = pi_take_number(at);
    *end = dso == 0;
    if (*end)
        return PD_OK;
    const struct pi_export_frame frame = {.dso = (uint32_t)dso - 1, .offset = pi_take_number(at)};
    return find_frame(t, &frame, number, error);
}
