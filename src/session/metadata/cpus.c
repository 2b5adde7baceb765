/* SPDX-License-Identifier: MIT */
/* cpus.c - lists and maps of cpus, and the topology of a cpu. */
#include "metadata.h"
#include <string.h>

/* Takes the number at *p; false: there is none, or it is too large. */
static bool take_number(const char **p, const char *end, uint32_t *n)
{
    uint64_t v = 0;
    const char *begin = *p;
    for (; *p < end && **p >= '0' && **p <= '9'; ++*p) {
        v = v * 10 + (uint64_t)(**p - '0');
        if (v > UINT32_MAX)
            return false;
    }
    *n = (uint32_t)v;
    return *p > begin;
}

bool pd_cpu_list_each(const char *list, size_t n, void (*range)(void *user, uint32_t first, uint32_t last),
                      void *user)
{
    const char *p = list, *end = list + n;
    uint32_t first, last;
    while (p < end && *p != '\n') {
        if (!take_number(&p, end, &first))
            return false;
        last = first;
        if (p < end && *p == '-') {
            p++;
            if (!take_number(&p, end, &last) || last < first)
                return false;
        }
        range(user, first, last);
        if (p < end && *p == ',')
            p++;
        else if (p < end && *p != '\n')
            return false;
    }
    return true;
}

struct search {
    uint32_t cpu;
    bool found;
};

static void in_range(void *user, uint32_t first, uint32_t last)
{
    struct search *s = user;
    s->found |= s->cpu >= first && s->cpu <= last;
}

bool pd_cpu_list_has(const char *list, size_t n, uint32_t cpu)
{
    struct search s = {cpu, false};
    pd_cpu_list_each(list, n, in_range, &s);
    return s.found;
}

/* Gives the ranges of set bits. */
static void each_bit(const struct pd_vec *words, void (*range)(void *user, uint32_t first, uint32_t last),
                     void *user)
{
    const uint32_t per = 8u * words->width;
    uint32_t begin = 0;
    bool open = false;
    for (uint32_t i = 0; i <= words->n * per; i++) {
        const bool set = i < words->n * per && pd_vec_at(words, i / per) >> i % per & 1;
        if (set && !open)
            begin = i;
        if (open && !set)
            range(user, begin, i - 1);
        open = set;
    }
}

void pd_cpu_map_each(const struct pd_cpu_map_data *map,
                     void (*range)(void *user, uint32_t first, uint32_t last), void *user)
{
    const struct pd_vec *cpus = &map->cpus.cpu;
    switch (map->type) {
    case PD_CPU_MAP_CPUS:
        for (size_t i = 0; i < cpus->n; i++)
            if (pd_vec_at(cpus, i) != UINT16_MAX)
                range(user, (uint32_t)pd_vec_at(cpus, i), (uint32_t)pd_vec_at(cpus, i));
        break;
    case PD_CPU_MAP_MASK:
        each_bit(map->mask.long_size == 4 ? &map->mask.mask32 : &map->mask.mask64, range, user);
        break;
    case PD_CPU_MAP_RANGE_CPUS:
        if (map->range.start_cpu <= map->range.end_cpu)
            range(user, map->range.start_cpu, map->range.end_cpu);
        break;
    default: break;
    }
}

/* ---- Answers. */

static int32_t node_of(const struct pd_metadata *m, uint32_t cpu)
{
    const struct pd_feature *f = pi_meta_decoded(m, PD_FEAT_NUMA_TOPOLOGY);
    struct pd_list l = f ? f->u.numa_topology.nodes : (struct pd_list){0};
    struct pd_numa_node node;
    while (pd_numa_node_next(&l, &node))
        if (pd_cpu_list_has(node.cpus.ptr, node.cpus.len, cpu))
            return (int32_t)node.node;
    return -1;
}

struct pd_cpu_place pd_metadata_cpu(const struct pd_metadata *m, uint32_t cpu)
{
    struct pd_cpu_place place = {-1, -1, -1, node_of(m, cpu)};
    const struct pd_feature *f = pi_meta_decoded(m, PD_FEAT_CPU_TOPOLOGY);
    struct pd_cpu_topology_cpu c;
    if (!f || !f->u.cpu_topology.has_cpus || cpu >= f->u.cpu_topology.cpus.n)
        return place;
    pd_cpu_topology_cpu_at(&f->u.cpu_topology.cpus, cpu, &c);
    place.core = (int32_t)c.core_id;
    place.socket = (int32_t)c.socket_id;
    if (f->u.cpu_topology.has_dies && cpu < f->u.cpu_topology.die_ids.n)
        place.die = (int32_t)pd_vec_at(&f->u.cpu_topology.die_ids, cpu);
    return place;
}
