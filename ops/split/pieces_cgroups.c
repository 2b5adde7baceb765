/* SPDX-License-Identifier: MIT */
/* pieces_cgroups.c - numbers for the cgroups that samples are in, and their paths. */
#include "pieces.h"
#include "src/schema/fail.h"
#include "src/session/record_words.h"

enum pd_code pi_cut_cgroups_open(struct pi_cutting *c)
{
    const struct pd_session_options how = {
        .size = sizeof how, .allocator = c->options->allocator, .parts = PD_SESSION_ORIGINS};
    c->cgroups.numbers.allocator = c->options->allocator;
    return c->options->by == PD_PIECES_CGROUP ? pd_session_new(&c->cgroups.session, &how, c->error) : PD_OK;
}

void pi_cut_cgroups_close(struct pi_cutting *c)
{
    pd_session_free(c->cgroups.session);
    pi_ids_free(&c->cgroups.numbers);
    pi_release(c->options->allocator, c->cgroups.ids);
}

enum pd_code pi_cut_cgroups_record(struct pi_cutting *c, struct pd_record *rec)
{
    struct pd_error what;
    if (c->cgroups.session == NULL || rec->type == PD_RECORD_SAMPLE)
        return PD_OK;
    const enum pd_code code = pd_session_record(c->cgroups.session, rec, &what);
    if (!pi_ends_pass(code))
        return PD_OK; /* damage is reported when the record is copied */
    *c->error = what;
    return code;
}

static bool add_cgroup(struct pi_cutting *c, uint64_t id, uint64_t *number)
{
    struct pi_cut_cgroups *all = &c->cgroups;
    *number = all->n;
    if (!pi_grow(c->options->allocator, (void **)&all->ids, all->n, &all->cap, sizeof *all->ids) ||
        !pi_ids_set(&all->numbers, id, *number))
        return false;
    all->ids[all->n++] = id;
    return true;
}

uint32_t pi_cut_cgroup_of(struct pi_cutting *c, struct pd_record *rec)
{
    uint64_t id, number;
    if (rec->type != PD_RECORD_SAMPLE || rec->plan == NULL || pd_record_decode_framed(rec->plan, rec, NULL) ||
        !pi_sample_cgroup(rec, &id))
        return UINT32_MAX;
    const bool known = pi_ids_get(&c->cgroups.numbers, id, &number) || add_cgroup(c, id, &number);
    return known && number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

void pi_cut_cgroup_name(const struct pi_cutting *c, struct pd_piece *piece)
{
    if (piece->key >= c->cgroups.n)
        return;
    piece->cgroup = c->cgroups.ids[piece->key];
    piece->path = pd_session_find_cgroup(c->cgroups.session, piece->cgroup);
}
