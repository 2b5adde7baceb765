/* SPDX-License-Identifier: MIT */
/*
 * frames.c - the frames of a sample: the files that its addresses are mapped from, and offsets in them; and
 * the stack that they make.
 */
#include "labels.h"
#include "rows.h"
#include "src/schema/fail.h"
#include "src/session/call_chain.h"

#define PLACES ((size_t)1 << 14)

/*
 * Cache of pd_session_find_mapping(); an entry is valid as long as the mappings of the process are the same.
 */
struct pi_frame_place {
    uint64_t generation, ip; /* generation 0: empty */
    uint64_t offset;
    uint32_t pid, dso;
    unsigned cpumode;
    uint32_t twin, name; /* of the function */
    uint32_t n_names;    /* with those that are inlined; 0: no function is known */
    union pi_chain_frame frame;
};

uint64_t pi_export_generation(struct pi_exporting *x, uint32_t pid)
{
    if (x->asked.generation && x->asked.pid == pid)
        return x->asked.generation;
    const uint32_t at = pi_idmap_get(&x->pids, pid);
    x->asked.pid = pid;
    x->asked.generation = at == PI_IDMAP_NONE ? x->generation : x->generation + x->generations[at];
    return x->asked.generation;
}

PI_WRAPS static struct pi_frame_place *place_of(struct pi_exporting *x, uint32_t pid, uint64_t ip)
{
    const uint64_t mixed = (ip ^ ((uint64_t)pid << 40)) * UINT64_C(0x9e3779b97f4a7c15);
    return &x->frame_places[mixed >> 50];
}

/*
 * The number of a file's second name, for frames that are functions. Folded stacks name functions without the
 * file.
 */
static enum pd_code find_twin(struct pi_exporting *x, uint32_t dso, uint32_t *twin)
{
    struct pd_export *e = x->all;
    const size_t known = e->cap_twins;
    while (dso >= e->cap_twins)
        if (!pi_grow(x->allocator, (void **)&e->twins, e->cap_twins, &e->cap_twins, sizeof *e->twins))
            return pi_fail(x->error, PD_ENOMEM, PD_NOWHERE, "files", 0, e->cap_twins);
    if (e->cap_twins > known)
        memset(e->twins + known, 0, (e->cap_twins - known) * sizeof *e->twins);
    if ((*twin = e->twins[dso]) != 0)
        return PD_OK;
    const bool folded = e->options.format == PD_EXPORT_FOLDED;
    const char *text = folded ? "f functions" : e->dsos.all[dso];
    const size_t n = strlen(text);
    char *own = pi_resize(x->allocator, NULL, n + 1);
    if (own == NULL)
        return pi_fail(x->error, PD_ENOMEM, PD_NOWHERE, "files", 0, n);
    memcpy(own, text, n + 1);
    *own = PI_DSO_FUNCTIONS;
    const enum pd_code code = pi_export_text(&e->dsos, own, n, twin, x->error);
    pi_release(x->allocator, own);
    if (!code)
        e->twins[dso] = *twin;
    return code;
}

/*
 * Asks for the function at a place. Symbols of the kernel that have records (KSYMBOL) keep their own names.
 */
static bool ask_symbol(const struct pi_exporting *x, const struct pi_frame_place *place, const char *own,
                       struct pd_symbol *symbol)
{
    const struct pd_export_options *o = &x->all->options;
    char id[41];
    *symbol = (struct pd_symbol){.name = own};
    if (own || place->dso == 0)
        return own;
    const char *file = pi_export_dso_parts(x->all, place->dso, id);
    return o->symbol(o->user, file, id, place->offset, symbol);
}

/* Tells where the kernel is, if that is another place than the last one. */
static void tell_kernel(struct pi_exporting *x, uint32_t dso, const struct pd_mapping *map)
{
    const struct pd_export_options *o = &x->all->options;
    char id[41];
    if (dso == 0 || map->pgoff == 0 || (x->kernel.dso == dso && x->kernel.at == map->pgoff))
        return;
    const char *bracket = strchr(map->file, ']');
    if (bracket == NULL || bracket[1] == 0)
        return;
    x->kernel.dso = dso;
    x->kernel.at = map->pgoff;
    const char *file = pi_export_dso_parts(x->all, dso, id);
    o->kernel_place(o->user, file, id, bracket + 1, map->pgoff);
}

static enum pd_code name_function(struct pi_exporting *x, const char *name, uint32_t *number)
{
    return pi_export_text(&x->all->functions, name, strlen(name), number, x->error);
}

static enum pd_code find_function(struct pi_exporting *x, const struct pd_mapping *map,
                                  struct pi_frame_place *place)
{
    struct pd_symbol symbol;
    if (!ask_symbol(x, place, map && map->kind == PD_MAPPING_SYMBOL ? map->file : NULL, &symbol))
        return PD_OK;
    const enum pd_code code = find_twin(x, place->dso, &place->twin);
    place->n_names = (uint32_t)symbol.n_inlined + 1;
    return code ? code : name_function(x, symbol.name, &place->name);
}

static union pi_chain_frame key_frame(uint64_t offset, uint32_t dso)
{
    union pi_chain_frame frame = {.ip = 0};
    size_t n = pi_put_number(frame.key.bytes, dso + UINT64_C(1));
    n += pi_put_number(frame.key.bytes + n, offset);
    frame.key.n = (uint8_t)n;
    return frame;
}

/* Whose addresses are looked up. */
struct asker {
    uint32_t pid;
    uint64_t generation;
};

static inline struct asker asker_of(struct pi_exporting *x, uint32_t pid, unsigned cpumode)
{
    if (cpumode == PD_CPUMODE_KERNEL) /* the same for all processes */
        return (struct asker){UINT32_MAX, x->generation};
    return (struct asker){pid, pi_export_generation(x, pid)};
}

__attribute__((noinline)) static void fill_place(struct pi_exporting *x, struct pi_frame_place *place,
                                                 const struct asker *a, uint64_t ip, unsigned cpumode)
{
    const struct pd_mapping *map = pd_session_find_mapping(x->chosen.session, a->pid, ip, cpumode);
    *place =
        (struct pi_frame_place){.generation = a->generation, .ip = ip, .pid = a->pid, .cpumode = cpumode};
    place->offset = map ? pd_mapping_offset(map, ip) : ip;
    place->dso = map ? pi_chosen_tag(map) : 0;
    if (map && map->kind == PD_MAPPING_KERNEL && x->all->options.kernel_place)
        tell_kernel(x, place->dso, map);
    if (x->all->options.symbol && !pi_export_is_branches(x->all) &&
        x->all->options.format != PD_EXPORT_SYMBOLS) {
        const enum pd_code code = find_function(x, map, place);
        if (!x->failed)
            x->failed = code;
    }
    place->frame =
        place->n_names ? key_frame(place->name, place->twin) : key_frame(place->offset, place->dso);
}

static inline struct pi_frame_place *look_up(struct pi_exporting *x, const struct asker *a, uint64_t ip,
                                             unsigned cpumode)
{
    struct pi_frame_place *place = place_of(x, a->pid, ip);
    if (place->generation != a->generation || place->ip != ip || place->pid != a->pid ||
        place->cpumode != cpumode)
        fill_place(x, place, a, ip, cpumode);
    return place;
}

struct pi_export_frame pi_export_find(struct pi_exporting *x, uint32_t pid, uint64_t ip, unsigned cpumode)
{
    const struct asker a = asker_of(x, pid, cpumode);
    const struct pi_frame_place *place = look_up(x, &a, ip, cpumode);
    return (struct pi_export_frame){place->offset, place->dso};
}

struct pi_export_place pi_export_find_function(struct pi_exporting *x, uint32_t pid, uint64_t ip,
                                               unsigned cpumode)
{
    const struct asker a = asker_of(x, pid, cpumode);
    const struct pi_frame_place *place = look_up(x, &a, ip, cpumode);
    return (struct pi_export_place){place->offset, place->dso, place->n_names > 0, place->name};
}

enum pd_code pi_export_make_places(struct pi_exporting *x)
{
    const size_t bytes = PLACES * sizeof *x->frame_places;
    x->frame_places = pi_resize(x->allocator, NULL, bytes);
    if (x->frame_places == NULL)
        return pi_fail(x->error, PD_ENOMEM, PD_NOWHERE, "frames", 0, bytes);
    memset(x->frame_places, 0, bytes);
    return PD_OK;
}

/* Makes room for so many more frames. */
static enum pd_code enlarge_frames(struct pi_exporting *x, size_t n)
{
    struct pi_export_frames *f = &x->frames;
    while (f->cap - f->n < n)
        if (!pi_grow(x->allocator, (void **)&f->all, f->cap, &f->cap, sizeof *f->all))
            return pi_fail(x->error, PD_ENOMEM, PD_NOWHERE, "frames", 0, 2 * f->cap * sizeof *f->all);
    return PD_OK;
}

static enum pd_code append(struct pi_exporting *x, union pi_chain_frame frame)
{
    const enum pd_code code = enlarge_frames(x, 1);
    if (!code)
        x->frames.all[x->frames.n++] = frame;
    return code;
}

/* Appends the functions that are inlined at a place, the innermost first. */
static enum pd_code append_inlined(struct pi_exporting *x, const struct pi_frame_place *place)
{
    struct pd_symbol symbol;
    enum pd_code code = PD_OK;
    uint32_t name;
    if (!ask_symbol(x, place, NULL, &symbol))
        return PD_OK;
    for (size_t i = symbol.n_inlined; !code && i > 0; i--)
        if ((code = name_function(x, symbol.inlined[i - 1], &name)) == PD_OK)
            code = append(x, key_frame(name, place->twin));
    return code;
}

enum pd_code pi_export_frame(struct pi_exporting *x, uint32_t pid, uint64_t ip, unsigned cpumode)
{
    if (x->all->rows)
        return append(x, (union pi_chain_frame){.ip = ip});
    const struct asker a = asker_of(x, pid, cpumode);
    const struct pi_frame_place *place = look_up(x, &a, ip, cpumode);
    enum pd_code code = x->failed;
    if (!code && place->n_names > 1)
        code = append_inlined(x, place);
    return code ? code : append(x, place->frame);
}

/* Appends frames up to one that has others inlined. */
static void append_plain(struct pi_exporting *x, uint32_t pid, struct pd_frames *frames)
{
    struct pi_export_frames *f = &x->frames;
    const struct asker kernel = asker_of(x, pid, PD_CPUMODE_KERNEL), user = asker_of(x, pid, PD_CPUMODE_USER);
    struct pd_frames next = *frames;
    unsigned cpumode;
    uint64_t ip;
    for (; !x->failed && pi_frames_next(&next, &ip, &cpumode); *frames = next) {
        const struct pi_frame_place *place =
            look_up(x, cpumode == PD_CPUMODE_KERNEL ? &kernel : &user, ip, cpumode);
        if (place->n_names > 1)
            return;
        f->all[f->n++] = place->frame;
    }
}

enum pd_code pi_export_chain(struct pi_exporting *x, uint32_t pid, const struct pd_vec *ips)
{
    struct pd_frames frames;
    unsigned cpumode;
    uint64_t ip;
    pd_frames_begin(&frames, ips);
    enum pd_code code = enlarge_frames(x, ips->n);
    if (!code && !x->all->rows)
        append_plain(x, pid, &frames);
    while (!code && !(code = x->failed) && pi_frames_next(&frames, &ip, &cpumode))
        code = pi_export_frame(x, pid, ip, cpumode);
    return code;
}

enum pd_code pi_export_put(struct pi_exporting *x, const struct pi_export_sample *s, struct pi_stack **at)
{
    const struct pi_export_frames *f = &x->frames;
    const size_t most = sizeof f->all->key.bytes;
    size_t n = x->n_head, first = 0;
    *at = NULL;
    if (x->all->rows)
        return pi_rows_put(x->all->rows, &x->row, f, x->error);
    if (x->key == NULL && (x->key = pi_resize(x->allocator, NULL, PI_STACK_MOST + most)) == NULL)
        return pi_fail(x->error, PD_ENOMEM, PD_NOWHERE, "stacks", 0, PI_STACK_MOST);
    if (f->n > (PI_STACK_MOST - n - 1) / most) {
        first = f->n - (PI_STACK_MOST - n - 1) / most;
        x->all->stats.cut++;
    }
    memcpy(x->key, x->head, n);
    for (size_t i = f->n - first; i > 0; i--) {
        memcpy(x->key + n, f->all[i - 1].key.bytes, most); /* more than it has, which the next one replaces */
        n += f->all[i - 1].key.n;
    }
    x->key[n++] = 0;
    return pi_stacks_add(&x->all->stacks, x->key, n, s->weight, at, x->error);
}
