/* SPDX-License-Identifier: MIT */
/*
 * merge_units.c - joins events of several recordings into one: groups, and single events, with the same attrs
 * and names. A recording may have tens of thousands of them, so candidates are found by hashes.
 */
#include "merge.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include <perfdata/session/compare.h>
#include <perfdata/session/event.h>
#include <xxhash.h>

#define NONE UINT32_MAX

/*
 * The most units of a chain to be compared. The first free one is the same, unless only some names of a group
 * are known, which perf never writes: then all the others may differ. A group that is not found stays
 * separate, which loses nothing.
 */

/* What the units of a chain have in common besides their attrs. */
enum sort { ANY, NAMED, UNNAMED }; /* nothing; their names; that a name is unknown */

/* Compares attrs without their size, which depends on the version of perf. */
static bool same_attr(const struct pd_attr *a, const struct pd_attr *b)
{
    struct pd_attr x = *a, y = *b;
    if (x.tail.n == 0 && y.tail.n == 0)
        x.size = y.size = x.size > y.size ? x.size : y.size;
    return pd_attr_equal(&x, &y, NULL);
}

/* A name that is not known may be any, but that of an off-cpu event tells how to read its raw data. */
static bool same_name(const char *a, const char *b, const struct pd_attr *attr)
{
    if (a == NULL || b == NULL)
        return a == b || !pd_event_is_offcpu(attr, a ? a : b);
    return strcmp(a, b) == 0;
}

static const struct pd_attr *attr_of(const struct pi_merge_input *in, uint32_t attr)
{
    return &pd_reader_attr(in->reader, attr)->attr;
}

static const char *name_of(struct pi_merge_input *in, uint32_t attr)
{
    return pd_metadata_event_name(in->meta, in->reader, attr);
}

static bool is_same(struct pi_merging *m, size_t i, uint32_t attr, uint32_t n, const struct pi_merged_unit *u)
{
    struct pi_merge_input *in = &m->in[i];
    if (u->n != n || u->taken_by == i + 1)
        return false;
    for (uint32_t k = 0; k < n; k++) {
        const struct pi_merged_event *e = &m->events[u->first + k];
        if (!same_name(name_of(in, attr + k), e->name, &e->attr) ||
            !same_attr(attr_of(in, attr + k), &e->attr))
            return false;
    }
    return true;
}

/* ---- Chains */

/* Attrs that same_attr() calls the same have the same hash. */
static uint64_t hash_attr(const struct pd_attr *attr, uint64_t seed)
{
    struct pd_attr whole = *attr;
    uint8_t bytes[PD_ATTR_SIZE] = {0};
    whole.size = sizeof bytes;
    whole.tail = (struct pd_bytes){0};
    pd_attr_encode(PD_HOST_ORDER, &whole, bytes, sizeof bytes, NULL);
    seed = XXH3_64bits_withSeed(bytes, sizeof bytes, seed);
    return attr->tail.n ? XXH3_64bits_withSeed(attr->tail.ptr, attr->tail.n, seed) : seed;
}

static uint64_t hash_unit(struct pi_merging *m, size_t i, uint32_t attr, uint32_t n, enum sort sort)
{
    struct pi_merge_input *in = &m->in[i];
    uint64_t h = pi_keyed(&m->hash_key, (uint64_t)n << 2 | sort);
    for (uint32_t k = attr; k < attr + n; k++) {
        h = hash_attr(attr_of(in, k), h);
        if (sort == NAMED)
            h = XXH3_64bits_withSeed(name_of(in, k), strlen(name_of(in, k)), h);
    }
    return h;
}

static enum sort sort_of(struct pi_merging *m, size_t i, uint32_t attr, uint32_t n)
{
    for (uint32_t k = attr; k < attr + n; k++)
        if (name_of(&m->in[i], k) == NULL)
            return UNNAMED;
    return NAMED;
}

static bool append(struct pi_merging *m, uint32_t unit, uint64_t hash, enum sort sort)
{
    uint64_t at = m->n_chains;
    m->units[unit].next[sort] = NONE;
    if (pi_ids_get(&m->chain_of, hash, &at)) {
        m->units[m->chains[at].last].next[sort] = unit;
        m->chains[at].last = unit;
        return true;
    }
    if (!pi_grow(m->allocator, (void **)&m->chains, m->n_chains, &m->chains_cap, sizeof *m->chains) ||
        !pi_ids_set(&m->chain_of, hash, at))
        return false;
    m->chains[m->n_chains++] = (struct pi_unit_chain){.first = unit, .last = unit};
    return true;
}

/*
 * The first unit of a chain that is the same and that the input does not have yet. Units at the start of the
 * chain that the input has are skipped only once.
 */
static uint32_t find_in_chain(struct pi_merging *m, size_t i, uint32_t attr, uint32_t n, enum sort sort)
{
    uint64_t at;
    if (!pi_ids_get(&m->chain_of, hash_unit(m, i, attr, n, sort), &at))
        return NONE;
    struct pi_unit_chain *c = &m->chains[at];
    if (c->input != i + 1) {
        c->input = i + 1;
        c->free = c->first;
    }
    while (c->free != NONE && m->units[c->free].taken_by == i + 1)
        c->free = m->units[c->free].next[sort];
    uint32_t unit = c->free;
    for (unsigned k = 0; unit != NONE && k < PI_LIMIT_MERGE_UNITS; k++) {
        if (is_same(m, i, attr, n, &m->units[unit]))
            return unit;
        unit = m->units[unit].next[sort];
    }
    return NONE;
}

/* Prefers a unit of the same names to one without known names. */
static uint32_t find_unit(struct pi_merging *m, size_t i, uint32_t attr, uint32_t n)
{
    if (sort_of(m, i, attr, n) == UNNAMED)
        return find_in_chain(m, i, attr, n, ANY);
    const uint32_t unit = find_in_chain(m, i, attr, n, NAMED);
    return unit == NONE ? find_in_chain(m, i, attr, n, UNNAMED) : unit;
}

/* ---- Units */

static enum pd_code add_unit(struct pi_merging *m, size_t i, uint32_t attr, uint32_t n,
                             const struct pd_group_desc *group)
{
    const uint32_t unit = (uint32_t)m->n_units;
    if (!pi_grow(m->allocator, (void **)&m->units, m->n_units, &m->units_cap, sizeof *m->units))
        return pi_merge_no_memory(m, sizeof *m->units);
    m->units[m->n_units++] = (struct pi_merged_unit){.first = (uint32_t)m->n_events, .n = n, .group = *group};
    for (uint32_t k = 0; k < n; k++) {
        if (!pi_grow(m->allocator, (void **)&m->events, m->n_events, &m->events_cap, sizeof *m->events))
            return pi_merge_no_memory(m, sizeof *m->events);
        m->events[m->n_events++] = (struct pi_merged_event){.attr = *attr_of(&m->in[i], attr + k),
                                                            .name = name_of(&m->in[i], attr + k),
                                                            .input = i,
                                                            .unit = unit};
    }
    const enum sort sort = sort_of(m, i, attr, n);
    if (!append(m, unit, hash_unit(m, i, attr, n, ANY), ANY) ||
        !append(m, unit, hash_unit(m, i, attr, n, sort), sort))
        return pi_merge_no_memory(m, sizeof *m->chains);
    return PD_OK;
}

/* Names that were not known yet are those of this input. */
static bool take_names(struct pi_merging *m, size_t i, uint32_t attr, uint32_t n, uint32_t unit)
{
    struct pi_merged_event *e = &m->events[m->units[unit].first];
    bool any = false;
    for (uint32_t k = 0; k < n; k++)
        if (e[k].name == NULL)
            any |= (e[k].name = name_of(&m->in[i], attr + k)) != NULL;
    return !any || sort_of(m, i, attr, n) != NAMED || append(m, unit, hash_unit(m, i, attr, n, NAMED), NAMED);
}

/* Maps a group of events, or a single one. */
static enum pd_code map_unit(struct pi_merging *m, size_t i, uint32_t attr, uint32_t n,
                             const struct pd_group_desc *group)
{
    uint32_t unit = find_unit(m, i, attr, n);
    if (unit == NONE) {
        const enum pd_code code = add_unit(m, i, attr, n, group);
        if (code)
            return code;
        unit = (uint32_t)m->n_units - 1;
    } else if (!take_names(m, i, attr, n, unit)) {
        return pi_merge_no_memory(m, sizeof *m->chains);
    }
    if (m->units[unit].group.nr_members == 0) /* an event alone may be named as a group, too */
        m->units[unit].group = *group;
    m->units[unit].taken_by = i + 1;
    for (uint32_t e = 0; e < n; e++)
        m->in[i].event[attr + e] = m->units[unit].first + e;
    return PD_OK;
}

/* Finds the groups of events, at the place of their leader. */
static void find_groups(const struct pd_metadata *meta, struct pd_group_desc *groups, uint32_t n)
{
    const struct pd_feature *f = pd_metadata_feature(meta, PD_FEAT_GROUP_DESC);
    struct pd_list l = f && f->layout ? f->u.group_desc.groups : (struct pd_list){0};
    struct pd_group_desc g;
    memset(groups, 0, n * sizeof *groups);
    while (pd_group_desc_next(&l, &g))
        if (g.leader_idx < n && g.nr_members > 0 && g.nr_members <= n - g.leader_idx &&
            groups[g.leader_idx].nr_members == 0)
            groups[g.leader_idx] = g;
}

static enum pd_code map_units(struct pi_merging *m, size_t i, struct pd_group_desc *groups, uint32_t n)
{
    enum pd_code code = PD_OK;
    find_groups(m->in[i].meta, groups, n);
    for (uint32_t a = 0, step; !code && a < n; a += step) {
        step = groups[a].nr_members ? groups[a].nr_members : 1;
        code = map_unit(m, i, a, step, &groups[a]);
    }
    return code;
}

enum pd_code pi_merge_units(struct pi_merging *m, size_t i)
{
    struct pi_merge_input *in = &m->in[i];
    const uint32_t n = (uint32_t)pd_reader_n_attrs(in->reader);
    struct pd_group_desc *groups = pi_array(m->allocator, NULL, n, sizeof *groups);
    in->event = pi_array(m->allocator, NULL, n, sizeof *in->event);
    in->own_id = pi_array(m->allocator, NULL, n, sizeof *in->own_id);
    const bool room = groups && in->event && in->own_id;
    const enum pd_code code = room ? map_units(m, i, groups, n) : pi_merge_no_memory(m, n * sizeof *groups);
    pi_release(m->allocator, groups);
    return code;
}
