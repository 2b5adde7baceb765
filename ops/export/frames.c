/* SPDX-License-Identifier: MIT */
/*
 * frames.c - the frames of a sample: the files that its addresses are mapped from, and offsets in them; and
 * the stack that they make.
 */
#include "export.h"
#include "src/schema/fail.h"

#define PLACES ((size_t)1 << 14)

/* What pd_session_find_mapping() said, as long as the mappings of the process are the same. */
struct pd_frame_place {
    uint64_t generation, ip; /* generation 0: empty */
    uint64_t offset;
    uint32_t pid, dso;
    unsigned cpumode;
};

uint64_t pd_export_generation(const struct pd_exporting *x, uint32_t pid)
{
    const uint32_t at = pd_idmap_get(&x->pids, pid);
    return at == PD_IDMAP_NONE ? x->generation : x->generation + x->generations[at];
}

PD_WRAPS static struct pd_frame_place *place_of(struct pd_exporting *x, uint32_t pid, uint64_t ip)
{
    const uint64_t mixed = (ip ^ ((uint64_t)pid << 40)) * UINT64_C(0x9e3779b97f4a7c15);
    return &x->frame_places[mixed >> 50];
}

struct pd_export_frame pd_export_find(struct pd_exporting *x, uint32_t pid, uint64_t ip, unsigned cpumode)
{
    const uint64_t generation = pd_export_generation(x, pid);
    struct pd_frame_place *place = place_of(x, pid, ip);
    if (place->generation == generation && place->ip == ip && place->pid == pid && place->cpumode == cpumode)
        return (struct pd_export_frame){place->offset, place->dso};
    const struct pd_mapping *map = pd_session_find_mapping(x->chosen.session, pid, ip, cpumode);
    *place = (struct pd_frame_place){.generation = generation, .ip = ip, .pid = pid, .cpumode = cpumode};
    place->offset = map ? pd_mapping_offset(map, ip) : ip;
    place->dso = map ? pd_chosen_tag(map) : 0;
    return (struct pd_export_frame){place->offset, place->dso};
}

enum pd_code pd_export_make_places(struct pd_exporting *x)
{
    const size_t bytes = PLACES * sizeof *x->frame_places;
    x->frame_places = pd_resize(x->allocator, NULL, bytes);
    if (x->frame_places == NULL)
        return pd_fail(x->error, PD_ENOMEM, PD_NOWHERE, "frames", 0, bytes);
    memset(x->frame_places, 0, bytes);
    return PD_OK;
}

enum pd_code pd_export_frame(struct pd_exporting *x, uint32_t pid, uint64_t ip, unsigned cpumode)
{
    struct pd_export_frames *f = &x->frames;
    if (!pd_grow(x->allocator, (void **)&f->all, f->n, &f->cap, sizeof *f->all))
        return pd_fail(x->error, PD_ENOMEM, PD_NOWHERE, "frames", 0, 2 * f->cap * sizeof *f->all);
    f->all[f->n++] = pd_export_find(x, pid, ip, cpumode);
    return PD_OK;
}

enum pd_code pd_export_chain(struct pd_exporting *x, uint32_t pid, const struct pd_vec *ips)
{
    struct pd_frames frames;
    enum pd_code code = PD_OK;
    unsigned cpumode;
    uint64_t ip;
    pd_frames_begin(&frames, ips);
    while (!code && pd_frames_next(&frames, &ip, &cpumode))
        code = pd_export_frame(x, pid, ip, cpumode);
    return code;
}

enum pd_code pd_export_put(struct pd_exporting *x, const struct pd_export_sample *s, struct pd_waiting **at)
{
    const struct pd_export_frames *f = &x->frames;
    const size_t most = 15; /* bytes of a frame */
    size_t n = x->n_head, first = 0;
    if (x->key == NULL && (x->key = pd_resize(x->allocator, NULL, PD_STACK_MOST)) == NULL)
        return pd_fail(x->error, PD_ENOMEM, PD_NOWHERE, "stacks", 0, PD_STACK_MOST);
    if (f->n > (PD_STACK_MOST - n - 1) / most) {
        first = f->n - (PD_STACK_MOST - n - 1) / most;
        x->all->stats.cut++;
    }
    memcpy(x->key, x->head, n);
    for (size_t i = f->n - first; i-- > 0;) {
        n += pd_put_number(x->key + n, f->all[i].dso + UINT64_C(1));
        n += pd_put_number(x->key + n, f->all[i].offset);
    }
    x->key[n++] = 0;
    return pd_stacks_add(&x->all->stacks, x->key, n, s->weight, at, x->error);
}
