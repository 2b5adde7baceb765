/* SPDX-License-Identifier: MIT */
/*
 * branches.c - see branches.h. Entries come newest first: after a branch, the instructions from its target up
 * to the source of the next newer branch were executed. Entries that lie in the kernel at either end are left
 * out unless asked for.
 */
#include "branches.h"
#include "src/container/reader/sample_run.h"
#include "src/schema/fail.h"
#include "src/session/order/clock.h"
#include "src/session/record_words.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include "src/support/wrap.h"
#include <perfdata/constants.h>

#define KERNEL UINT64_C(0xffff800000000000)
#define KEY_BYTES 30
#define PLACES_FIRST ((size_t)1 << 12)
#define BATCH 32 /* branches whose places are fetched before the first of them is looked at */

/* ---- Counting */

/*
 * Cache of branches, since programs take the same ones again and again: a branch, the end of the range behind
 * it, and where they are counted. An entry is valid as long as the mappings of the process are the same.
 */
struct pi_branch_place {
    uint64_t generation;    /* 0: it is free */
    uint64_t from, to, end; /* addresses; end UINT64_MAX: not known */
    uint32_t pid;
    bool wrong;
    uint8_t n;      /* of `counted` */
    uint64_t times; /* not added to these yet */
    struct pi_waiting *counted[2];
};

static void settle_place(struct pi_branch_place *p)
{
    for (size_t i = 0; i < p->n; i++)
        p->counted[i]->time = pi_stacks_sum(p->counted[i]->time, p->times);
    p->times = 0;
}

void pi_branches_settle(struct pi_exporting *x)
{
    for (size_t i = 0; i < x->n_branch_places; i++)
        settle_place(&x->branch_places[i]);
    if (x->n_branch_places)
        memset(x->branch_places, 0, x->n_branch_places * sizeof *x->branch_places);
}

/* The first of the two places that a branch may have. */
PD_WRAPS static inline struct pi_branch_place *places_of(const struct pi_exporting *x,
                                                         const struct pi_branch_place *is)
{
    const uint64_t mixed =
        (is->from ^ is->to << 21 ^ is->to >> 43 ^ is->end << 42 ^ is->end >> 22 ^ (uint64_t)is->pid << 32) *
        UINT64_C(0x9e3779b97f4a7c15);
    return &x->branch_places[(mixed ^ mixed >> 32) & (x->n_branch_places - 2)];
}

/* A table of so many places, with what the old one has. False: no memory. */
static bool make_places(struct pi_exporting *x, size_t n)
{
    struct pi_branch_place *old = x->branch_places, *all = pi_array(x->allocator, NULL, n, sizeof *all);
    const size_t n_old = x->n_branch_places;
    x->n_pushed = 0;
    if (all == NULL)
        return false;
    memset(all, 0, n * sizeof *all);
    x->branch_places = all;
    x->n_branch_places = n;
    for (size_t i = 0; i < n_old; i++) {
        struct pi_branch_place *p = places_of(x, &old[i]);
        if (old[i].generation) /* only these two places had what now goes here */
            p[p->generation ? 1 : 0] = old[i];
    }
    pi_release(x->allocator, old);
    return true;
}

enum pd_code pi_branches_make_places(struct pi_exporting *x)
{
    return make_places(x, PLACES_FIRST)
               ? PD_OK
               : pi_fail(x->error, PD_ENOMEM, PD_NOWHERE, "branches", 0, PLACES_FIRST);
}

static void put_big(uint8_t *to, uint64_t value, size_t n)
{
    for (; n > 0; n--) {
        to[n - 1] = (uint8_t)value;
        value >>= 8;
    }
}

static enum pd_code count_one(struct pi_exporting *x, const struct pi_branch_count *c, bool wrong)
{
    uint8_t key[KEY_BYTES];
    struct pi_waiting *at;
    put_big(key, c->dso, 4);
    key[4] = (uint8_t)c->section;
    put_big(key + 5, c->from, 8);
    put_big(key + 13, c->to, 8);
    put_big(key + 21, c->end, 8);
    key[29] = wrong;
    const enum pd_code code = pi_stacks_add(&x->all->stacks, key, sizeof key, 1, &at, x->error);
    if (x->n_counted < sizeof x->counted / sizeof *x->counted)
        x->counted[x->n_counted++] = at;
    return code;
}

/* Counts a branch, or, with an end, a trace. Wrong predictions are counted in the section of branches. */
static enum pd_code count_transfer(struct pi_exporting *x, struct pi_branch_count *c, bool wrong)
{
    const enum pd_code code = count_one(x, c, false);
    if (code || !wrong || x->all->options.format != PD_EXPORT_BOLT) /* which alone tells them */
        return code;
    c->section = PD_BRANCH_BRANCHES;
    c->end = 0;
    return count_one(x, c, true);
}

/*
 * Counts a branch; one between two files is counted in both, each with its own end of the branch. `end`: of
 * the range behind it; NULL if the format does not write both together.
 */
static enum pd_code count_branch(struct pi_exporting *x, const struct pi_export_frame *from,
                                 const struct pi_export_frame *to, const struct pi_export_frame *end,
                                 bool wrong)
{
    struct pi_branch_count c = {.dso = from->dso, .section = PD_BRANCH_BRANCHES, .from = from->offset};
    enum pd_code code = PD_OK;
    if (from->dso && from->dso != to->dso) {
        c.to = PD_BRANCH_ELSEWHERE;
        code = count_transfer(x, &c, wrong);
    }
    if (code || to->dso == 0)
        return code;
    c = (struct pi_branch_count){.dso = to->dso, .section = PD_BRANCH_BRANCHES, .to = to->offset};
    c.from = from->dso == to->dso ? from->offset : PD_BRANCH_ELSEWHERE;
    if (end && end->dso == to->dso) {
        c.section = PD_BRANCH_TRACES;
        c.end = end->offset;
    }
    return count_transfer(x, &c, wrong);
}

static enum pd_code count_range(struct pi_exporting *x, const struct pi_export_frame *from,
                                const struct pi_export_frame *to)
{
    const struct pi_branch_count c = {
        .dso = from->dso, .section = PD_BRANCH_RANGES, .from = from->offset, .to = to->offset};
    return from->dso && from->dso == to->dso ? count_one(x, &c, false) : PD_OK;
}

/* A branch stack does not tell the cpu mode of its addresses. */
static struct pi_export_frame find_place(struct pi_exporting *x, uint32_t pid, uint64_t ip)
{
    return pi_export_find(x, pid, ip, ip >= KERNEL ? PD_CPUMODE_KERNEL : PD_CPUMODE_USER);
}

static bool is_left_out(const struct pi_exporting *x, uint64_t ip)
{
    return ip >= KERNEL && !x->all->options.kernel;
}

static enum pd_code count_address(struct pi_exporting *x, uint32_t pid, const struct pd_record *rec)
{
    struct pi_branch_count c = {.section = PD_BRANCH_ADDRESSES};
    uint64_t ip;
    if (!pi_word_ip(rec, &ip) || is_left_out(x, ip))
        return PD_OK;
    const struct pi_export_frame frame = find_place(x, pid, ip);
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

static inline bool is_known(const struct pi_branch_place *place, const struct pi_branch_place *is)
{
    return place->from == is->from && place->to == is->to && place->end == is->end &&
           place->generation == is->generation && place->pid == is->pid && place->wrong == is->wrong;
}

/* The place of a branch in the cache; NULL: it has none. */
static inline struct pi_branch_place *find_branch(const struct pi_exporting *x,
                                                  const struct pi_branch_place *is)
{
    struct pi_branch_place *p = places_of(x, is);
    return is_known(p, is) ? p : is_known(p + 1, is) ? p + 1 : NULL;
}

/* Chooses one of the two places of a branch: a free one, or the one that was used less. */
static struct pi_branch_place *choose_place(const struct pi_exporting *x, const struct pi_branch_place *is)
{
    struct pi_branch_place *p = places_of(x, is);
    return p[1].generation == 0 || (p->generation && p[1].times < p->times) ? p + 1 : p;
}

/* Counts a branch that is not in the cache, with the range behind it. */
__attribute__((noinline)) static enum pd_code count_new(struct pi_exporting *x, struct pi_branch_place *is)
{
    const bool traces = x->all->options.format == PD_EXPORT_BOLT;
    const uint64_t round = x->all->stacks.round;
    const struct pi_export_frame from = find_place(x, is->pid, is->from), to = find_place(x, is->pid, is->to);
    const struct pi_export_frame none = {0},
                                 end = is->end == UINT64_MAX ? none : find_place(x, is->pid, is->end);
    x->n_counted = 0;
    enum pd_code code = count_branch(x, &from, &to, traces ? &end : NULL, is->wrong);
    if (!code && !traces)
        code = count_range(x, &to, &end);
    /* What was counted may have gone to a temporary file. */
    if (code || round != x->all->stacks.round || x->n_counted > sizeof is->counted / sizeof *is->counted)
        return code;
    struct pi_branch_place *place = choose_place(x, is);
    if (place->generation && ++x->n_pushed > x->n_branch_places / 2 &&
        x->n_branch_places < PD_LIMIT_EXPORT_BRANCHES && make_places(x, 2 * x->n_branch_places))
        place = choose_place(x, is);
    settle_place(place);
    is->n = (uint8_t)x->n_counted;
    memcpy(is->counted, x->counted, sizeof is->counted);
    *place = *is;
    return PD_OK;
}

/* A branch whose range ends at `end`. */
static inline struct pi_branch_place branch_of(const struct pi_exporting *x, uint32_t pid,
                                               uint64_t generation, const struct pd_branch_entry *e,
                                               uint64_t end)
{
    const bool wrong = e->flags & PD_BRANCH_MISPRED && x->all->options.format == PD_EXPORT_BOLT;
    return (struct pi_branch_place){
        .generation = generation, .from = e->from, .to = e->to, .end = end, .pid = pid, .wrong = wrong};
}

static enum pd_code count_batch(struct pi_exporting *x, struct pi_branch_place *batch, size_t n)
{
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < n; i++) {
        struct pi_branch_place *place = find_branch(x, &batch[i]);
        if (place)
            place->times = pi_stacks_sum(place->times, 1);
        else
            code = count_new(x, &batch[i]);
    }
    return code;
}

enum pd_code pi_export_branches(struct pi_exporting *x, uint32_t pid, const struct pd_record *rec)
{
    const struct pd_list *entries = &rec->u.sample.branch_stack.entries;
    const bool autofdo = x->all->options.format == PD_EXPORT_AUTOFDO;
    const uint64_t generation = pi_export_generation(x, pid);
    struct pi_branch_place batch[BATCH];
    struct pd_branch_entry e, next;
    uint64_t end = UINT64_MAX; /* no newer branch */
    size_t n = 0;
    enum pd_code code = autofdo ? count_address(x, pid, rec) : PD_OK;
    for (size_t i = 0; !code && i < entries->n; i++) {
        pd_branch_entry_at(entries, i, &e);
        if (autofdo && i == 0 && entries->n > 1) {
            pd_branch_entry_at(entries, 1, &next);
            if (is_doubled(&e, &next))
                continue;
        }
        if (is_left_out(x, e.from) || is_left_out(x, e.to))
            continue;
        batch[n] = branch_of(x, pid, generation, &e, end);
        const struct pi_branch_place *places = places_of(x, &batch[n]);
        __builtin_prefetch(places, 1);
        __builtin_prefetch(places + 1, 1);
        end = e.from;
        if (++n == BATCH) {
            code = count_batch(x, batch, n);
            n = 0;
        }
    }
    return code ? code : count_batch(x, batch, n);
}

/* ---- Samples that need not be put in order */

/*
 * True if what the session knows of a task now is what it knew at that time: it has taken all side-band
 * before `settled`, and nothing changes for the task in between.
 */
static bool is_as_now(struct pi_exporting *x, uint32_t pid, uint32_t tid, uint64_t time, uint64_t settled)
{
    struct pi_export_span *s = &x->span;
    if (s->to == 0 || s->pid != pid || s->tid != tid || time <= s->from || time >= s->to) {
        s->pid = pid;
        s->tid = tid;
        if (!pi_changes_span(&x->changes, pid, tid, time, &s->from, &s->to)) {
            s->to = 0;
            return false;
        }
    }
    return s->from < settled && (settled < s->to || s->to == UINT64_MAX);
}

bool pi_branches_take(struct pi_exporting *x, struct pd_record *rec, uint64_t time, uint64_t settled)
{
    uint32_t pid, tid;
    if (!x->changes.sorted || rec->plan == NULL || rec->plan->offcpu || !pi_word_task(rec, &pid, &tid) ||
        !is_as_now(x, pid, tid, time, settled) || pd_record_decode_framed(rec->plan, rec, NULL) || x->failed)
        return false;
    if (pi_export_wants(x, rec->attr_index))
        x->failed = pi_export_branches(x, pid, rec);
    x->all->stats.exported++;
    return true;
}

void pi_branches_take_run(struct pi_exporting *x, struct pd_reader *r, struct pd_clock *clock,
                          uint64_t settled)
{
    struct pd_record *rec = &x->branch_record;
    uint64_t time;
    while (pi_reader_next_quick(r, rec)) {
        if (rec->type != PD_RECORD_SAMPLE || !pi_word_time(rec, &time) || time == 0 || time == UINT64_MAX ||
            !pi_branches_take(x, rec, time, settled)) {
            pi_reader_again(r, rec);
            return;
        }
        pi_clock_follow(clock, time);
    }
}

/* ---- Giving */

struct giving {
    struct pi_branch_count count; /* its wrong predictions may follow */
    bool has;
    enum pd_code (*take)(void *user, const struct pi_branch_count *count, struct pd_error *error);
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
    const struct pi_branch_count *c = &g->count;
    const bool too_long =
        c->section == PD_BRANCH_RANGES && (c->to < c->from || c->to - c->from > PD_LIMIT_EXPORT_RANGE);
    if (!g->has || (g->autofdo && too_long))
        return PD_OK;
    return g->take(g->user, c, error);
}

static enum pd_code take_key(void *user, const uint8_t *key, size_t n, uint64_t sum, struct pd_error *error)
{
    struct giving *g = user;
    struct pi_branch_count c = {.dso = (uint32_t)take_big(key, 4),
                                .section = (enum pi_branch_section)key[4],
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

enum pd_code pi_branches_each(struct pd_export *all,
                              enum pd_code (*take)(void *user, const struct pi_branch_count *count,
                                                   struct pd_error *error),
                              void *user, struct pd_error *error)
{
    struct giving g = {.take = take, .user = user, .autofdo = all->options.format == PD_EXPORT_AUTOFDO};
    const enum pd_code code = pi_stacks_each(&all->stacks, take_key, &g, error);
    return code ? code : give(&g, error);
}
