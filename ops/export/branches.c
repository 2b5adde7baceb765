/* SPDX-License-Identifier: MIT */
/*
 * branches.c - see branches.h. Entries come newest first: after a branch, the instructions from its target up
 * to the source of the next newer branch were executed. Entries that lie in the kernel at either end are left
 * out unless asked for.
 */
#include "branches.h"
#include "src/schema/fail.h"
#include "src/session/record_words.h"
#include "src/support/wrap.h"
#include <perfdata/constants.h>

#define KERNEL UINT64_C(0xffff800000000000)
#define KEY_BYTES 30
#define LONGEST (1 << 20) /* bytes; longer ranges are errors of the hardware, and AutoFDO drops them */

#define PLACES ((size_t)1 << 14)

/* ---- Counting */

/*
 * Cache of branches, since programs take the same ones again and again: a branch, the end of the range behind
 * it, and its counts. An entry is valid as long as the mappings of the process and the counts in memory are
 * the same.
 */
struct pd_branch_place {
    uint64_t generation, round; /* round 0: empty */
    uint64_t from, to, end;     /* addresses; end UINT64_MAX: not known */
    uint32_t pid;
    bool wrong;
    uint8_t n;
    struct pd_waiting *counted[5];
    struct pd_export_frame source;
};

enum pd_code pd_branches_make_places(struct pd_exporting *x)
{
    const size_t bytes = PLACES * sizeof *x->branch_places;
    x->branch_places = pd_resize(x->allocator, NULL, bytes);
    if (x->branch_places == NULL)
        return pd_fail(x->error, PD_ENOMEM, PD_NOWHERE, "branches", 0, bytes);
    memset(x->branch_places, 0, bytes);
    return PD_OK;
}

static void put_big(uint8_t *to, uint64_t value, size_t n)
{
    for (; n > 0; n--) {
        to[n - 1] = (uint8_t)value;
        value >>= 8;
    }
}

static enum pd_code count_one(struct pd_exporting *x, const struct pd_branch_count *c, bool wrong)
{
    uint8_t key[KEY_BYTES];
    struct pd_waiting *at;
    put_big(key, c->dso, 4);
    key[4] = (uint8_t)c->section;
    put_big(key + 5, c->from, 8);
    put_big(key + 13, c->to, 8);
    put_big(key + 21, c->end, 8);
    key[29] = wrong;
    const enum pd_code code = pd_stacks_add(&x->all->stacks, key, sizeof key, 1, &at, x->error);
    if (x->n_counted < sizeof x->counted / sizeof *x->counted)
        x->counted[x->n_counted++] = at;
    return code;
}

/* Counts a branch, or, with an end, a trace. Wrong predictions are counted in the section of branches. */
static enum pd_code count_transfer(struct pd_exporting *x, struct pd_branch_count *c, bool wrong)
{
    const enum pd_code code = count_one(x, c, false);
    if (code || !wrong)
        return code;
    c->section = PD_BRANCH_BRANCHES;
    c->end = 0;
    return count_one(x, c, true);
}

/*
 * Counts a branch; one between two files is counted in both, each with its own end of the branch. `end`: of
 * the range behind it; NULL if the format does not write both together.
 */
static enum pd_code count_branch(struct pd_exporting *x, const struct pd_export_frame *from,
                                 const struct pd_export_frame *to, const struct pd_export_frame *end,
                                 bool wrong)
{
    struct pd_branch_count c = {.dso = from->dso, .section = PD_BRANCH_BRANCHES, .from = from->offset};
    enum pd_code code = PD_OK;
    if (from->dso && from->dso != to->dso) {
        c.to = PD_BRANCH_ELSEWHERE;
        code = count_transfer(x, &c, wrong);
    }
    if (code || to->dso == 0)
        return code;
    c = (struct pd_branch_count){.dso = to->dso, .section = PD_BRANCH_BRANCHES, .to = to->offset};
    c.from = from->dso == to->dso ? from->offset : PD_BRANCH_ELSEWHERE;
    if (end && end->dso == to->dso) {
        c.section = PD_BRANCH_TRACES;
        c.end = end->offset;
    }
    return count_transfer(x, &c, wrong);
}

static enum pd_code count_range(struct pd_exporting *x, const struct pd_export_frame *from,
                                const struct pd_export_frame *to)
{
    const struct pd_branch_count c = {
        .dso = from->dso, .section = PD_BRANCH_RANGES, .from = from->offset, .to = to->offset};
    return from->dso && from->dso == to->dso ? count_one(x, &c, false) : PD_OK;
}

/* A branch stack does not tell the cpu mode of its addresses. */
static struct pd_export_frame find_place(struct pd_exporting *x, uint32_t pid, uint64_t ip)
{
    return pd_export_find(x, pid, ip, ip >= KERNEL ? PD_CPUMODE_KERNEL : PD_CPUMODE_USER);
}

static bool is_left_out(const struct pd_exporting *x, uint64_t ip)
{
    return ip >= KERNEL && !x->all->options.kernel;
}

static enum pd_code count_address(struct pd_exporting *x, uint32_t pid, const struct pd_record *rec)
{
    struct pd_branch_count c = {.section = PD_BRANCH_ADDRESSES};
    uint64_t ip;
    if (!pd_word_ip(rec, &ip) || is_left_out(x, ip))
        return PD_OK;
    const struct pd_export_frame frame = find_place(x, pid, ip);
    c.dso = frame.dso;
    c.from = frame.offset;
    return frame.dso ? count_one(x, &c, false) : PD_OK;
}

/* The hardware sometimes records the newest entry twice. */
static bool is_doubled(const struct pd_branch_entry *newest, const struct pd_branch_entry *next)
{
    const uint64_t stride = newest->from > newest->to ? newest->from - newest->to : newest->to - newest->from;
    return newest->from == next->from && newest->to == next->to && stride > 0x1000;
}

PD_WRAPS static struct pd_branch_place *place_of(struct pd_exporting *x, const struct pd_branch_place *is)
{
    const uint64_t mixed =
        (is->from ^ is->to << 21 ^ is->end << 42 ^ is->end >> 22 ^ (uint64_t)is->pid << 32) *
        UINT64_C(0x9e3779b97f4a7c15);
    return &x->branch_places[mixed >> 50];
}

static bool is_known(const struct pd_branch_place *place, const struct pd_branch_place *is)
{
    return place->round == is->round && place->from == is->from && place->to == is->to &&
           place->end == is->end && place->generation == is->generation && place->pid == is->pid &&
           place->wrong == is->wrong;
}

/*
 * Counts a branch, with the range behind it. *newer: the source of the next newer branch, where the range
 * ends; then the source of this one.
 */
static enum pd_code count_entry(struct pd_exporting *x, struct pd_branch_place *is,
                                struct pd_export_frame *newer)
{
    const bool traces = x->all->options.format == PD_EXPORT_BOLT;
    struct pd_branch_place *place = place_of(x, is);
    if (is_known(place, is)) {
        for (size_t i = 0; i < place->n; i++)
            place->counted[i]->time = pd_stacks_sum(place->counted[i]->time, 1);
        *newer = place->source;
        return PD_OK;
    }
    const struct pd_export_frame from = find_place(x, is->pid, is->from), to = find_place(x, is->pid, is->to);
    x->n_counted = 0;
    enum pd_code code = count_branch(x, &from, &to, traces ? newer : NULL, is->wrong);
    if (!code && !traces)
        code = count_range(x, &to, newer);
    *newer = is->source = from;
    if (code || is->round != x->all->stacks.round) /* the counts may have gone to a temporary file */
        return code;
    is->n = (uint8_t)x->n_counted;
    memcpy(is->counted, x->counted, sizeof is->counted);
    *place = *is;
    return PD_OK;
}

enum pd_code pd_export_branches(struct pd_exporting *x, uint32_t pid, const struct pd_record *rec)
{
    const struct pd_list *entries = &rec->u.sample.branch_stack.entries;
    const bool autofdo = x->all->options.format == PD_EXPORT_AUTOFDO;
    const uint64_t generation = pd_export_generation(x, pid);
    struct pd_export_frame newer = {0};
    uint64_t end = UINT64_MAX; /* no newer branch */
    enum pd_code code = autofdo ? count_address(x, pid, rec) : PD_OK;
    for (size_t i = 0; !code && i < entries->n; i++) {
        struct pd_branch_entry e, next;
        pd_branch_entry_at(entries, i, &e);
        if (autofdo && i == 0 && entries->n > 1) {
            pd_branch_entry_at(entries, 1, &next);
            if (is_doubled(&e, &next))
                continue;
        }
        if (is_left_out(x, e.from) || is_left_out(x, e.to))
            continue;
        struct pd_branch_place is = {.generation = generation, .round = x->all->stacks.round, .from = e.from};
        is.to = e.to;
        is.end = end;
        is.pid = pid;
        is.wrong = e.flags & PD_BRANCH_MISPRED;
        code = count_entry(x, &is, &newer);
        end = e.from;
    }
    return code;
}

/* ---- Giving */

struct giving {
    struct pd_branch_count count; /* its wrong predictions may follow */
    bool has;
    enum pd_code (*take)(void *user, const struct pd_branch_count *count, struct pd_error *error);
    void *user;
    bool autofdo;
};

static uint64_t take_big(const uint8_t *from, size_t n)
{
    uint64_t value = 0;
    for (size_t i = 0; i < n; i++)
        value = value << 8 | from[i];
    return value;
}

static enum pd_code give(struct giving *g, struct pd_error *error)
{
    const struct pd_branch_count *c = &g->count;
    const bool too_long = c->section == PD_BRANCH_RANGES && (c->to < c->from || c->to - c->from > LONGEST);
    if (!g->has || (g->autofdo && too_long))
        return PD_OK;
    return g->take(g->user, c, error);
}

static enum pd_code take_key(void *user, const uint8_t *key, size_t n, uint64_t sum, struct pd_error *error)
{
    struct giving *g = user;
    struct pd_branch_count c = {.dso = (uint32_t)take_big(key, 4),
                                .section = (enum pd_branch_section)key[4],
                                .from = take_big(key + 5, 8),
                                .to = take_big(key + 13, 8),
                                .end = take_big(key + 21, 8)};
    (void)n;
    *(key[29] ? &c.wrong : &c.n) = sum;
    if (key[29] && g->has && g->count.dso == c.dso && g->count.section == c.section &&
        g->count.from == c.from && g->count.to == c.to) { /* its count came before */
        g->count.wrong = sum;
        return PD_OK;
    }
    const enum pd_code code = give(g, error);
    g->has = true;
    g->count = c;
    return code;
}

enum pd_code pd_branches_each(struct pd_export *all,
                              enum pd_code (*take)(void *user, const struct pd_branch_count *count,
                                                   struct pd_error *error),
                              void *user, struct pd_error *error)
{
    struct giving g = {.take = take, .user = user, .autofdo = all->options.format == PD_EXPORT_AUTOFDO};
    const enum pd_code code = pd_stacks_each(&all->stacks, take_key, &g, error);
    return code ? code : give(&g, error);
}
