/* SPDX-License-Identifier: MIT */
/*
 * branches.c - see branches.h. Entries come newest first: after a branch, the instructions from its target up
 * to the source of the next newer branch were executed. What lies in the kernel is left out unless asked for.
 */
#include "branches.h"
#include "src/codec/parts.h"
#include "src/container/reader/sample_run.h"
#include "src/schema/fail.h"
#include "src/session/order/clock.h"
#include "src/session/record_words.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include "src/support/wrap.h"
#include <perfdata/constants.h>

#define KERNEL UINT64_C(0xffff800000000000)
#define KEY_BYTES 34 /* at most */
#define PLACES_FIRST ((size_t)1 << 12)
#define ENTRIES ((size_t)32) /* branches that are looked at together */
#define COUNTED 4

/* ---- Counting */

/*
 * Cache of branches, since programs take the same ones again and again: a branch, the end of the range behind
 * it, and how often it came. It is in one of two neighbouring places, which share a line of the processor's
 * cache.
 */
struct pi_branch_place {
    uint64_t from, to, end; /* addresses; end UINT64_MAX: not known */
    uint32_t who;           /* twice the number of the task, and the bit of a wrong prediction; 0: free */
    uint32_t times;         /* not added to the sums yet */
};
_Static_assert(sizeof(struct pi_branch_place) == 32, "two of them are one line");
_Static_assert(PD_BRANCH_MISPRED == 1, "the lowest bit of `who`");

/* Where the branch of a place is counted. */
struct pi_branch_sums {
    uint32_t n;
    struct pi_stack *at[COUNTED];
};

static void settle_place(struct pi_exporting *x, struct pi_branch_place *p)
{
    const struct pi_branch_sums *sums = &x->branch_sums[p - x->branch_places];
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): what was counted has its sums */
    for (size_t i = 0; p->times && i < sums->n; i++)
        sums->at[i]->sum = pi_stacks_sum(sums->at[i]->sum, p->times);
    p->times = 0;
}

void pi_branches_settle(struct pi_exporting *x)
{
    for (size_t i = 0; i < x->n_branch_places; i++)
        settle_place(x, &x->branch_places[i]);
    if (x->n_branch_places)
        memset(x->branch_places, 0, x->n_branch_places * sizeof *x->branch_places);
}

/* The table of places, which counting a known branch does not change. */
struct places {
    struct pi_branch_place *all;
    unsigned shift; /* a hash becomes a number of a pair of places */
};

static struct places places_of(const struct pi_exporting *x)
{
    return (struct places){x->branch_places, 65 - (unsigned)__builtin_ctzll(x->n_branch_places)};
}

/* The first of the two places that a branch may have. */
PI_WRAPS static inline struct pi_branch_place *find_pair(const struct places *t, uint64_t from, uint64_t to,
                                                         uint64_t end, uint32_t who)
{
    const uint64_t packed = from ^ (to << 21 | to >> 43) ^ (end << 42 | end >> 22);
    return &t->all[2 * ((packed + who) * UINT64_C(0x9e3779b97f4a7c15) >> t->shift)];
}

static struct pi_branch_place *find_pair_again(const struct pi_exporting *x, const struct pi_branch_place *p)
{
    const struct places t = places_of(x);
    return find_pair(&t, p->from, p->to, p->end, p->who);
}

/* A table of so many places, with what the old one has. False: no memory. */
static bool make_places(struct pi_exporting *x, size_t n)
{
    struct pi_branch_place *old = x->branch_places;
    struct pi_branch_sums *old_sums = x->branch_sums;
    const size_t n_old = x->n_branch_places;
    struct pi_branch_place *all = pi_array(x->allocator, NULL, n, sizeof *all);
    struct pi_branch_sums *sums = pi_array(x->allocator, NULL, n, sizeof *sums);
    x->n_pushed = 0;
    if (all == NULL || sums == NULL) {
        pi_release(x->allocator, all);
        pi_release(x->allocator, sums);
        return false;
    }
    memset(all, 0, n * sizeof *all);
    x->branch_places = all;
    x->branch_sums = sums;
    x->n_branch_places = n;
    for (size_t i = 0; i < n_old; i++)
        if (old[i].who) { /* only these two places had what now goes here */
            struct pi_branch_place *p = find_pair_again(x, &old[i]);
            p += p->who != 0;
            *p = old[i];
            sums[p - all] = old_sums[i];
        }
    pi_release(x->allocator, old);
    pi_release(x->allocator, old_sums);
    return true;
}

enum pd_code pi_branches_make_places(struct pi_exporting *x)
{
    return make_places(x, PLACES_FIRST)
               ? PD_OK
               : pi_fail(x->error, PD_ENOMEM, PD_NOWHERE, "branches", 0, PLACES_FIRST);
}

void pi_branches_free(struct pi_exporting *x)
{
    pi_release(x->allocator, x->branch_places);
    pi_release(x->allocator, x->branch_sums);
}

/* The number of a process, counted from a place where it has as few bits as there is room for. */
PI_WRAPS static uint32_t number_of(struct pi_exporting *x, uint32_t pid)
{
    const uint64_t number = pi_export_number(x, pid);
    if (number - x->branch_numbers - 1 >= UINT32_MAX / 2) { /* they begin again */
        pi_branches_settle(x);
        x->branch_numbers = number - 1;
    }
    return (uint32_t)(number - x->branch_numbers);
}

/* Keys compare as their numbers do: one is the number of its bytes, and these, the highest first. */
static uint8_t *put_number(uint8_t *to, uint64_t value)
{
    const unsigned n = value ? 8 - (unsigned)__builtin_clzll(value) / 8 : 0;
    *to++ = (uint8_t)n;
    for (unsigned i = n; i > 0; i--)
        *to++ = (uint8_t)(value >> (8 * i - 8));
    return to;
}

static enum pd_code count_one(struct pi_exporting *x, const struct pi_branch_count *c, bool wrong)
{
    uint8_t key[KEY_BYTES], *end = put_number(key, c->dso);
    struct pi_stack *at;
    *end++ = (uint8_t)c->section;
    end = put_number(end, c->from);
    end = put_number(end, c->to);
    end = put_number(end, c->end);
    *end++ = wrong;
    const enum pd_code code = pi_stacks_add(&x->all->stacks, key, (size_t)(end - key), 1, &at, x->error);
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
    c->section = PI_BRANCH_BRANCHES;
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
    struct pi_branch_count c = {.dso = from->dso, .section = PI_BRANCH_BRANCHES, .from = from->offset};
    enum pd_code code = PD_OK;
    if (from->dso && from->dso != to->dso) {
        c.to = PI_BRANCH_ELSEWHERE;
        code = count_transfer(x, &c, wrong);
    }
    if (code || to->dso == 0)
        return code;
    c = (struct pi_branch_count){.dso = to->dso, .section = PI_BRANCH_BRANCHES, .to = to->offset};
    c.from = from->dso == to->dso ? from->offset : PI_BRANCH_ELSEWHERE;
    if (end && end->dso == to->dso) {
        c.section = PI_BRANCH_TRACES;
        c.end = end->offset;
    }
    return count_transfer(x, &c, wrong);
}

static enum pd_code count_range(struct pi_exporting *x, const struct pi_export_frame *from,
                                const struct pi_export_frame *to)
{
    const struct pi_branch_count c = {
        .dso = from->dso, .section = PI_BRANCH_RANGES, .from = from->offset, .to = to->offset};
    return from->dso && from->dso == to->dso && c.from <= c.to ? count_one(x, &c, false) : PD_OK;
}

/*
 * True if AutoFDO leaves out a branch, since what it takes for the range behind it cannot be one: an entry
 * was lost, or one is doubled.
 */
static bool is_bogus(const struct pi_exporting *x, const struct pi_export_frame *to,
                     const struct pi_export_frame *end)
{
    return x->all->options.format == PD_EXPORT_AUTOFDO && to->dso && to->dso == end->dso &&
           (end->offset < to->offset || end->offset - to->offset > PI_LIMIT_EXPORT_RANGE);
}

static bool is_left_out(const struct pi_exporting *x, uint64_t ip)
{
    return ip >= KERNEL && !x->all->options.kernel;
}

/* A branch stack does not tell the cpu mode of its addresses. What is left out is in no file. */
static struct pi_export_frame find_place(struct pi_exporting *x, uint32_t pid, uint64_t ip)
{
    const struct pi_export_frame none = {0};
    return is_left_out(x, ip)
               ? none
               : pi_export_find(x, pid, ip, ip >= KERNEL ? PD_CPUMODE_KERNEL : PD_CPUMODE_USER);
}

static enum pd_code count_address(struct pi_exporting *x, uint32_t pid, const struct pd_record *rec)
{
    struct pi_branch_count c = {.section = PI_BRANCH_ADDRESSES};
    uint64_t ip;
    if (!pi_word_ip(rec, &ip))
        return PD_OK;
    const struct pi_export_frame frame = find_place(x, pid, ip);
    c.dso = frame.dso;
    c.from = frame.offset;
    return frame.dso ? count_one(x, &c, false) : PD_OK;
}

/*
 * The hardware sometimes records the newest entry twice. As AutoFDO has it: a loop that the same branch would
 * make is too long for one, and each branch forward would make such a loop.
 */
PI_WRAPS static bool is_doubled(struct pi_exporting *x, uint32_t pid, const struct pd_branch_entry *newest,
                                const struct pd_branch_entry *next)
{
    if (newest->from != next->from || newest->to != next->to)
        return false;
    return find_place(x, pid, newest->from).offset - find_place(x, pid, newest->to).offset > 0x1000;
}

static inline bool is_known(const struct pi_branch_place *place, const struct pd_branch_entry *e,
                            uint64_t end)
{
    return ((place->from ^ e->from) | (place->to ^ e->to) | (place->end ^ end) |
            (place->who ^ (uint32_t)e->flags)) == 0;
}

/* Chooses one of the two places of a branch: a free one, or the one that was used less. */
static struct pi_branch_place *choose_place(const struct pi_exporting *x, const struct pi_branch_place *is)
{
    struct pi_branch_place *p = find_pair_again(x, is);
    return p[1].who == 0 || (p->who && p[1].times < p->times) ? p + 1 : p;
}

/* Counts a branch that is not in the cache, with the range behind it. */
__attribute__((noinline)) static enum pd_code count_new(struct pi_exporting *x, uint32_t pid,
                                                        struct pi_branch_place is)
{
    const bool traces = x->all->options.format == PD_EXPORT_BOLT;
    const uint64_t round = x->all->stacks.round;
    const struct pi_export_frame from = find_place(x, pid, is.from), to = find_place(x, pid, is.to);
    const struct pi_export_frame none = {0}, end = is.end == UINT64_MAX ? none : find_place(x, pid, is.end);
    const bool bogus = is_bogus(x, &to, &end);
    x->n_counted = 0;
    enum pd_code code = bogus ? PD_OK : count_branch(x, &from, &to, traces ? &end : NULL, is.who & 1);
    if (!code && !traces && !bogus)
        code = count_range(x, &to, &end);
    /* What was counted may have gone to a temporary file. */
    if (code || round != x->all->stacks.round || x->n_counted > COUNTED)
        return code;
    struct pi_branch_place *place = choose_place(x, &is);
    if (place->who && ++x->n_pushed > x->n_branch_places / 2 &&
        x->n_branch_places < PI_LIMIT_EXPORT_BRANCHES && make_places(x, 2 * x->n_branch_places))
        place = choose_place(x, &is);
    settle_place(x, place);
    struct pi_branch_sums *sums = &x->branch_sums[place - x->branch_places];
    sums->n = (uint32_t)x->n_counted;
    memcpy(sums->at, x->counted, sizeof sums->at);
    *place = is;
    return PD_OK;
}

/* The branch of the second place changes places with that of the first, which is looked at first. */
__attribute__((noinline)) static void move_up(struct pi_exporting *x, struct pi_branch_place *pair)
{
    struct pi_branch_sums *sums = &x->branch_sums[pair - x->branch_places], first_sums = sums[0];
    const struct pi_branch_place first = pair[0];
    pair[0] = pair[1];
    pair[1] = first;
    sums[0] = sums[1];
    sums[1] = first_sums;
}

/* What the branches of one sample have in common, and where their ranges end: at the next newer branch. */
struct branches {
    uint32_t pid, who;
    uint64_t wrong; /* the flags of predictions that were wrong, if these are told */
    uint64_t end;   /* UINT64_MAX: no newer branch */
};

/*
 * Finds the pairs of places of branches, behind one that came from `end`, and fetches their memory. Their
 * flags become `who`; a second time, that changes nothing. Returns all bits that their addresses have.
 */
static uint64_t find_pairs(const struct pi_exporting *x, const struct branches *b, uint64_t end,
                           struct pd_branch_entry *entries, size_t n, struct pi_branch_place **pairs)
{
    const struct places t = places_of(x);
    const uint64_t wrong = b->wrong;
    const uint32_t who = b->who;
    uint64_t bits = 0;
    for (size_t i = 0; i < n; i++) {
        struct pd_branch_entry *e = &entries[i];
        e->flags = who | (e->flags & wrong);
        pairs[i] = find_pair(&t, e->from, e->to, end, (uint32_t)e->flags);
        __builtin_prefetch(pairs[i], 1);
        bits |= e->from | e->to;
        end = e->from;
    }
    return bits;
}

/*
 * Moves the branches that are counted to the front. Returns their number. perf2bolt drops those of the kernel
 * before it makes ranges; for the other tools they end ranges.
 */
static size_t leave_out(const struct pi_exporting *x, struct pd_branch_entry *entries, size_t n)
{
    size_t left = 0;
    for (size_t i = 0; i < n; i++)
        if (!is_left_out(x, entries[i].from) && !is_left_out(x, entries[i].to))
            entries[left++] = entries[i];
    return left;
}

/* The place of a branch in a pair; NULL: it has none. */
static inline struct pi_branch_place *find_in_pair(struct pi_exporting *x, struct pi_branch_place *pair,
                                                   const struct pd_branch_entry *e, uint64_t end)
{
    if (is_known(pair, e, end))
        return pair;
    if (!is_known(pair + 1, e, end))
        return NULL;
    if (pair[1].times < pair->times)
        return pair + 1;
    move_up(x, pair);
    return pair;
}

/* Counts the first branches that are in the cache, and one that is not. Returns their number. */
static size_t count_some(struct pi_exporting *x, struct branches *b, const struct pd_branch_entry *entries,
                         size_t n, struct pi_branch_place **pairs, enum pd_code *code)
{
    uint64_t end = b->end;
    for (size_t i = 0; i < n; i++) {
        const struct pd_branch_entry *e = &entries[i];
        struct pi_branch_place *p = find_in_pair(x, pairs[i], e, end);
        if (p == NULL) {
            const struct pi_branch_place is = {e->from, e->to, end, (uint32_t)e->flags, 0};
            b->end = e->from;
            *code = count_new(x, b->pid, is);
            return i + 1;
        }
        if (++p->times == UINT32_MAX)
            settle_place(x, p);
        end = e->from;
    }
    b->end = end;
    return n;
}

/* Counts branches that follow each other, the newest first. */
static enum pd_code count_entries(struct pi_exporting *x, struct branches *b, struct pd_branch_entry *entries,
                                  size_t n)
{
    struct pi_branch_place *pairs[ENTRIES];
    const bool drops = x->all->options.format == PD_EXPORT_BOLT && !x->all->options.kernel;
    enum pd_code code = PD_OK;
    if (find_pairs(x, b, b->end, entries, n, pairs) >= KERNEL && drops) {
        n = leave_out(x, entries, n);
        find_pairs(x, b, b->end, entries, n, pairs);
    }
    for (size_t at = 0; !code && at < n;) {
        const struct pi_branch_place *all = x->branch_places;
        at += count_some(x, b, entries + at, n - at, pairs + at, &code);
        if (all != x->branch_places)
            find_pairs(x, b, b->end, entries + at, n - at, pairs + at);
    }
    return code;
}

enum pd_code pi_export_branches(struct pi_exporting *x, uint32_t pid, const struct pd_record *rec)
{
    const struct pd_list *list = &rec->u.sample.branch_stack.entries;
    const bool autofdo = x->all->options.format == PD_EXPORT_AUTOFDO;
    struct branches b = {.pid = pid, .end = UINT64_MAX};
    struct pd_branch_entry entries[ENTRIES];
    x->all->stats.branched += list->n > 0;
    b.who = 2 * number_of(x, pid);
    b.wrong = x->all->options.format == PD_EXPORT_BOLT ? PD_BRANCH_MISPRED : 0;
    enum pd_code code = autofdo ? count_address(x, pid, rec) : PD_OK;
    for (size_t at = 0, n; !code && at < list->n; at += n) {
        n = list->n - at < ENTRIES ? list->n - at : ENTRIES;
        pi_branch_entries_at(list, at, n, entries);
        const bool doubled = autofdo && at == 0 && n > 1 && is_doubled(x, pid, &entries[0], &entries[1]);
        code = count_entries(x, &b, entries + doubled, n - doubled);
    }
    return code;
}

/* ---- Samples that need not be put in order */

/*
 * True if what the session knows of a task now is what it knew at that time: it has taken all side-band
 * before `settled`, and nothing changes for the task in between.
 */
static bool is_as_now(struct pi_changes *c, uint32_t pid, uint32_t tid, uint64_t time, uint64_t settled)
{
    const uint32_t ids[2] = {pid, tid};
    uint64_t task;
    memcpy(&task, ids, sizeof task);
    const struct pi_change_span *s = pi_changes_span(c, task, time);
    if (s && s->to < settled) /* more may be known now */
        s = pi_changes_find(c, task, time);
    return s && s->since < settled && settled <= s->to;
}

bool pi_branches_take(struct pi_exporting *x, struct pd_record *rec, uint64_t time, uint64_t settled)
{
    uint32_t pid, tid;
    if (rec->plan == NULL || rec->plan->offcpu || !pi_word_task(rec, &pid, &tid) ||
        !is_as_now(&x->changes, pid, tid, time, settled) || pd_record_decode_framed(rec->plan, rec, NULL) ||
        x->failed)
        return false;
    if (pi_export_wants(x, rec->attr_index))
        x->failed = pi_export_branches(x, pid, rec);
    x->all->stats.exported++;
    return true;
}

void pi_branches_take_run(struct pi_exporting *x, struct pd_reader *r, struct pd_clock *clock,
                          uint64_t settled, uint64_t known)
{
    struct pd_record *rec = &x->branch_record;
    uint64_t time;
    if (!pi_changes_settle(&x->changes, clock->done, known))
        return;
    while (pi_reader_next_quick(r, rec)) {
        if (rec->type != PD_RECORD_SAMPLE || !pi_known_time(rec, &time) || time >= known ||
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
};

static uint64_t take_number(const uint8_t **from)
{
    uint64_t value = 0;
    for (unsigned n = *(*from)++; n > 0; n--)
        value = value << 8 | *(*from)++;
    return value;
}

static enum pd_code give(struct giving *g, struct pd_error *error)
{
    return g->has ? g->take(g->user, &g->count, error) : PD_OK;
}

static enum pd_code take_key(void *user, const uint8_t *key, size_t n, uint64_t sum, struct pd_error *error)
{
    struct giving *g = user;
    struct pi_branch_count c = {.dso = (uint32_t)take_number(&key)};
    c.section = (enum pi_branch_section) * key++;
    c.from = take_number(&key);
    c.to = take_number(&key);
    c.end = take_number(&key);
    const bool wrong = *key;
    (void)n;
    *(wrong ? &c.wrong : &c.n) = sum;
    if (wrong && g->has && g->count.dso == c.dso && g->count.section == c.section &&
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
    struct giving g = {.take = take, .user = user};
    const enum pd_code code = pi_stacks_each(&all->stacks, take_key, &g, error);
    return code ? code : give(&g, error);
}
