/* SPDX-License-Identifier: MIT */
/*
 * frames.c - the frames of a sample: the files that its addresses are mapped from, and offsets in them; and
 * the stack that they make.
 */
#include "labels.h"
#include "rows.h"
#include "src/schema/fail.h"
#include "src/session/call_chain.h"
#include "src/session/session_inside.h"

#define PLACES_BITS 14
#define PLACES ((size_t)1 << PLACES_BITS)
#define MODES (PD_MISC_CPUMODE + UINT64_C(1))

/* Caches what addresses are, for a process between two changes of its mappings, or for the kernel. */
struct pi_frame_place {
    uint64_t ip, who;           /* `who` as of asker_of(); 0: empty */
    union pi_chain_frame frame; /* of n 0: functions are inlined there */
};

struct pi_frame_what {
    uint64_t offset;
    uint32_t dso;
    uint32_t twin, name; /* of the function */
    uint32_t n_names;    /* with those that are inlined; 0: no function is known */
};

PI_WRAPS static inline struct pi_frame_place *place_of(struct pi_exporting *x, uint64_t who, uint64_t ip)
{
    const uint64_t mixed = (ip ^ who << 40) * UINT64_C(0x9e3779b97f4a7c15);
    return &x->frame_places[mixed >> (64 - PLACES_BITS)];
}

static inline struct pi_frame_what *what_of(const struct pi_exporting *x, const struct pi_frame_place *place)
{
    return &x->frame_whats[place - x->frame_places];
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
static bool ask_symbol(const struct pi_exporting *x, const struct pi_frame_what *what, const char *own,
                       struct pd_symbol *symbol)
{
    const struct pd_export_options *o = &x->all->options;
    char id[41];
    *symbol = (struct pd_symbol){.name = own};
    if (own || what->dso == 0)
        return own;
    const char *file = pi_export_dso_parts(x->all, what->dso, id);
    return o->symbol(o->user, file, id, what->offset, symbol);
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
                                  struct pi_frame_what *what)
{
    struct pd_symbol symbol;
    if (!ask_symbol(x, what, map && map->kind == PD_MAPPING_SYMBOL ? map->file : NULL, &symbol))
        return PD_OK;
    const enum pd_code code = find_twin(x, what->dso, &what->twin);
    what->n_names = (uint32_t)symbol.n_inlined + 1;
    return code ? code : name_function(x, symbol.name, &what->name);
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
    uint64_t who; /* the number of the process or kernel, and the cpu mode */
    uint32_t pid;
    unsigned cpumode;
};

static inline struct asker asker_of(struct pi_exporting *x, uint32_t pid, unsigned cpumode)
{
    struct pi_export_processes *p = &x->processes;
    if (cpumode != PD_CPUMODE_KERNEL)
        return (struct asker){MODES * pi_export_number(x, pid) + cpumode, pid, cpumode};
    if (p->kernel == 0)
        p->kernel = ++p->numbers;
    return (struct asker){MODES * p->kernel + cpumode, UINT32_MAX, cpumode};
}

/* The mapping of an address; neighbours of it have the same. */
static const struct pd_mapping *find_mapping(struct pi_exporting *x, const struct asker *a, uint64_t ip)
{
    for (size_t i = 0; i < PI_FRAME_RANGES; i++) {
        const struct pi_frame_range *r = &x->ranges[i];
        if (r->who == a->who && r->first <= ip && ip <= r->last)
            return r->mapping;
    }
    struct pi_frame_range *r = &x->ranges[x->next_range];
    uint64_t first, last;
    const struct pd_mapping *map =
        pi_session_find_range(x->chosen.session, a->pid, ip, a->cpumode, &first, &last);
    if (map) {
        *r = (struct pi_frame_range){first, last, a->who, map};
        x->next_range = (x->next_range + 1) % PI_FRAME_RANGES;
    }
    return map;
}

/* The file and offset of an address. *map: its mapping, NULL if it has none. */
static struct pi_export_frame find_frame(struct pi_exporting *x, const struct asker *a, uint64_t ip,
                                         const struct pd_mapping **map)
{
    *map = find_mapping(x, a, ip);
    if (*map == NULL)
        return (struct pi_export_frame){.offset = ip};
    const struct pi_export_frame frame = {pd_mapping_offset(*map, ip), pi_chosen_tag(*map)};
    if ((*map)->kind == PD_MAPPING_KERNEL && x->all->options.kernel_place)
        tell_kernel(x, frame.dso, *map);
    return frame;
}

__attribute__((noinline)) static void fill_place(struct pi_exporting *x, struct pi_frame_place *place,
                                                 const struct asker *a, uint64_t ip)
{
    const struct pd_mapping *map;
    const struct pi_export_frame frame = find_frame(x, a, ip, &map);
    struct pi_frame_what *what = what_of(x, place);
    *what = (struct pi_frame_what){.offset = frame.offset, .dso = frame.dso};
    if (x->all->options.symbol) {
        const enum pd_code code = find_function(x, map, what);
        if (!x->failed)
            x->failed = code;
    }
    *place = (struct pi_frame_place){.ip = ip, .who = a->who};
    if (what->n_names == 0)
        place->frame = key_frame(frame.offset, frame.dso);
    else if (what->n_names == 1)
        place->frame = key_frame(what->name, what->twin);
}

static inline struct pi_frame_place *look_up(struct pi_exporting *x, const struct asker *a, uint64_t ip)
{
    struct pi_frame_place *place = place_of(x, a->who, ip);
    if (place->ip != ip || place->who != a->who)
        fill_place(x, place, a, ip);
    return place;
}

struct pi_export_frame pi_export_find(struct pi_exporting *x, uint32_t pid, uint64_t ip, unsigned cpumode)
{
    const struct asker a = asker_of(x, pid, cpumode);
    const struct pd_mapping *map;
    return find_frame(x, &a, ip, &map);
}

struct pi_export_place pi_export_find_function(struct pi_exporting *x, uint32_t pid, uint64_t ip,
                                               unsigned cpumode)
{
    const struct asker a = asker_of(x, pid, cpumode);
    const struct pi_frame_what *what = what_of(x, look_up(x, &a, ip));
    return (struct pi_export_place){what->offset, what->dso, what->n_names > 0, what->name};
}

enum pd_code pi_export_make_places(struct pi_exporting *x)
{
    const size_t bytes = PLACES * sizeof *x->frame_places;
    x->frame_places = pi_resize(x->allocator, NULL, bytes);
    x->frame_whats = pi_array(x->allocator, NULL, PLACES, sizeof *x->frame_whats);
    if (x->frame_places == NULL || x->frame_whats == NULL)
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

/* Appends the functions that are inlined at a place, the innermost first, and the one that they are in. */
static enum pd_code append_inlined(struct pi_exporting *x, const struct pi_frame_what *what)
{
    struct pd_symbol symbol;
    enum pd_code code = PD_OK;
    uint32_t name;
    if (ask_symbol(x, what, NULL, &symbol))
        for (size_t i = symbol.n_inlined; !code && i > 0; i--)
            if ((code = name_function(x, symbol.inlined[i - 1], &name)) == PD_OK)
                code = append(x, key_frame(name, what->twin));
    return code ? code : append(x, key_frame(what->name, what->twin));
}

enum pd_code pi_export_frame(struct pi_exporting *x, uint32_t pid, uint64_t ip, unsigned cpumode)
{
    if (x->all->rows)
        return append(x, (union pi_chain_frame){.ip = ip});
    const struct asker a = asker_of(x, pid, cpumode);
    const struct pi_frame_place *place = look_up(x, &a, ip);
    if (x->failed)
        return x->failed;
    return place->frame.key.n ? append(x, place->frame) : append_inlined(x, what_of(x, place));
}

/* Appends frames up to one that has others inlined. */
static void append_plain(struct pi_exporting *x, uint32_t pid, struct pd_frames *frames)
{
    struct pi_export_frames *f = &x->frames;
    const struct asker kernel = asker_of(x, pid, PD_CPUMODE_KERNEL);
    struct asker other = {.cpumode = PD_CPUMODE_KERNEL}; /* none yet */
    struct pd_frames next = *frames;
    unsigned cpumode;
    uint64_t ip;
    for (size_t at = next.next; !x->failed && pi_frames_next(&next, &ip, &cpumode); at = next.next) {
        if (cpumode != PD_CPUMODE_KERNEL && cpumode != other.cpumode)
            other = asker_of(x, pid, cpumode);
        const struct pi_frame_place *place = look_up(x, cpumode == PD_CPUMODE_KERNEL ? &kernel : &other, ip);
        if (place->frame.key.n == 0) {
            next.next = at;
            break;
        }
        f->all[f->n++] = place->frame;
    }
    *frames = next;
}

/* Appends what rows have of frames: there is room for all. */
static void append_addresses(struct pi_exporting *x, struct pd_frames *frames)
{
    unsigned cpumode;
    for (uint64_t ip; pi_frames_next(frames, &ip, &cpumode);)
        x->frames.all[x->frames.n++].ip = ip;
}

enum pd_code pi_export_chain(struct pi_exporting *x, uint32_t pid, const struct pd_vec *ips)
{
    struct pd_frames frames;
    unsigned cpumode;
    uint64_t ip;
    pd_frames_begin(&frames, ips);
    enum pd_code code = enlarge_frames(x, ips->n);
    if (!code && x->all->rows)
        append_addresses(x, &frames);
    else if (!code)
        append_plain(x, pid, &frames);
    while (!code && !(code = x->failed) && pi_frames_next(&frames, &ip, &cpumode))
        code = pi_export_frame(x, pid, ip, cpumode);
    return code;
}

enum pd_code pi_export_make_key(struct pi_exporting *x, uint8_t **key, size_t *n_key)
{
    const struct pi_export_frames *f = &x->frames;
    const size_t most = sizeof f->all->key.bytes;
    size_t n = x->n_head, first = 0;
    if (*key == NULL && (*key = pi_resize(x->allocator, NULL, PI_STACK_MOST + most)) == NULL)
        return pi_fail(x->error, PD_ENOMEM, PD_NOWHERE, "stacks", 0, PI_STACK_MOST);
    uint8_t *const to = *key;
    if (f->n > (PI_STACK_MOST - n - 1) / most) {
        first = f->n - (PI_STACK_MOST - n - 1) / most;
        x->all->stats.cut++;
    }
    memcpy(to, x->head, n);
    for (size_t i = f->n - first; i > 0; i--) {
        memcpy(to + n, f->all[i - 1].key.bytes, most); /* more than it has, which the next one replaces */
        n += f->all[i - 1].key.n;
    }
    to[n++] = 0;
    *n_key = n;
    return PD_OK;
}

enum pd_code pi_export_put(struct pi_exporting *x, const struct pi_export_sample *s, struct pi_stack **at)
{
    size_t n;
    *at = NULL;
    if (x->all->rows)
        return pi_rows_put(x->all->rows, &x->row, &x->frames, x->error);
    const enum pd_code code = pi_export_make_key(x, &x->key, &n);
    return code ? code : pi_stacks_add(&x->all->stacks, x->key, n, s->weight, at, x->error);
}
