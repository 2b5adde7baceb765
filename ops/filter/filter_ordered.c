/* SPDX-License-Identifier: MIT */
/*
 * filter_ordered.c - lists of files, cgroups and families of tasks: decided in a separate pass over the
 * records in the order in which perf processes them, since in the file a sample may come before the map or
 * the fork that it needs. One bit for each record, by its index, remembers the decision.
 */
#include "selector.h"
#include "src/codec/record_role.h"
#include "src/schema/fail.h"
#include "src/session/session_inside.h"
#include <perfdata/session/sorter.h>

struct pi_ordered {
    struct pd_filter_options only; /* the lists that are decided here */
    struct pi_selector selector;
    struct pd_session *session;
    uint8_t *bits;
    size_t n_bits; /* bytes */
};

static bool lists_order(const struct pd_filter_lists *l, bool with_children)
{
    return l->dsos || l->cgroups || (with_children && (l->pids || l->tids || l->comms));
}

bool pi_filter_asks_order(const struct pi_filtering *f)
{
    const struct pd_filter_options *o = f->options;
    return lists_order(&o->keep, o->with_children) || lists_order(&o->drop, o->with_children);
}

#define MOVE(to_, from_, list_)                \
    do {                                       \
        (to_)->list_ = (from_)->list_;         \
        (to_)->n_##list_ = (from_)->n_##list_; \
        (from_)->list_ = NULL;                 \
        (from_)->n_##list_ = 0;                \
    } while (0)

/* Moves those lists. */
static struct pd_filter_lists take_lists(struct pd_filter_lists *from, bool with_children)
{
    struct pd_filter_lists l = {0};
    MOVE(&l, from, dsos);
    MOVE(&l, from, cgroups);
    if (with_children) {
        MOVE(&l, from, pids);
        MOVE(&l, from, tids);
        MOVE(&l, from, comms);
    }
    return l;
}

/* ---- Decisions */

static bool note(struct pi_ordered *o, uint64_t index)
{
    const uint64_t at = index / 8;
    if (at >= o->n_bits) {
        const uint64_t n = 2 * at + 64;
        uint8_t *more = n > SIZE_MAX ? NULL : pi_resize(o->only.allocator, o->bits, (size_t)n);
        if (more == NULL)
            return false;
        memset(more + o->n_bits, 0, (size_t)n - o->n_bits);
        o->bits = more;
        o->n_bits = (size_t)n;
    }
    o->bits[at] |= (uint8_t)(1u << index % 8);
    return true;
}

bool pi_ordered_meets(const struct pi_ordered *o, const struct pd_record *rec)
{
    const uint64_t at = rec->index / 8;
    return at < o->n_bits && (o->bits[at] >> rec->index % 8 & 1);
}

static bool meets_sample(struct pi_ordered *o, struct pd_record *rec)
{
    bool has;
    const struct pd_filter_lists *keep = &o->only.keep, *drop = &o->only.drop;
    if (keep->dsos == NULL && drop->dsos == NULL)
        return pi_selector_meets(&o->selector, o->session, rec, PI_SELECT_KEEP);
    const struct pd_mapping *m = pi_sample_mapping(o->session, rec, &has);
    const uint32_t sides = !has ? PI_SELECT_KEEP : m ? m->tag : pi_selector_judge_mapping(&o->selector, NULL);
    return pi_selector_meets(&o->selector, o->session, rec, sides);
}

static enum pd_code no_memory(struct pi_filtering *f)
{
    return pi_fail(f->error, PD_ENOMEM, PD_NOWHERE, "samples", 0, f->ordered ? f->ordered->n_bits : 0);
}

/* A record that cannot be decoded is ignored here, and reported when it is copied. */
static enum pd_code take(struct pi_filtering *f, struct pd_record *rec)
{
    struct pi_ordered *o = f->ordered;
    struct pd_error what;
    if (rec->type != PD_RECORD_SAMPLE && !pi_selector_record(&o->selector, o->session, rec))
        return no_memory(f);
    const enum pd_code code = pd_session_record(o->session, rec, &what);
    if (pi_ends_pass(code)) {
        *f->error = what;
        return code;
    }
    const enum pi_role role = pi_role_of(rec);
    const bool meets = role == PI_ROLE_SAMPLE      ? meets_sample(o, rec)
                       : role == PI_ROLE_WITH_TASK ? pi_selector_meets_task(&o->selector, o->session, rec)
                                                   : false;
    return !meets || note(o, rec->index) ? PD_OK : no_memory(f);
}

/* ---- The pass */

static enum pd_code read_all(struct pi_filtering *f, struct pd_sorter *s)
{
    struct pd_record rec = {0};
    struct pd_error what;
    enum pd_code code;
    while ((code = pd_sorter_next(s, &rec, &what)) != PD_END) {
        if (pd_is_failure(code)) {
            *f->error = what;
            return code;
        }
        if (code)
            continue; /* damage, which is reported when it is copied */
        if ((code = take(f, &rec)) != PD_OK)
            return code;
        pi_progress_record(&f->progress, &rec);
    }
    return PD_OK;
}

static uint32_t tag(void *user, const struct pd_mapping *m)
{
    return pi_selector_judge_mapping(user, m);
}

static enum pd_code prepare(struct pi_filtering *f, struct pi_ordered *o)
{
    enum pd_code code = pi_selector_init(&o->selector, &o->only, f->error);
    const struct pd_session_options how = {.size = sizeof how,
                                           .allocator = o->only.allocator,
                                           .tag = tag,
                                           .user = &o->selector,
                                           .parts = pi_selector_parts(&o->selector)};
    if (!code)
        code = pd_session_new(&o->session, &how, f->error);
    if (!code)
        pi_session_keep_names(o->session);
    return code;
}

enum pd_code pi_filter_take_ordered(struct pi_filtering *f)
{
    const struct pd_allocator *allocator = f->options->allocator;
    struct pi_ordered *o = f->ordered = pi_resize(allocator, NULL, sizeof *o);
    if (o == NULL)
        return no_memory(f);
    *o = (struct pi_ordered){.only = {.allocator = allocator,
                                      .with_children = f->options->with_children,
                                      .known = f->options->known,
                                      .unmatched = f->options->unmatched,
                                      .user = f->options->user}};
    o->only.keep = take_lists(&f->asked->keep, o->only.with_children);
    o->only.drop = take_lists(&f->asked->drop, o->only.with_children);
    return PD_OK;
}

enum pd_code pi_filter_find_ordered(struct pi_filtering *f)
{
    struct pi_ordered *o = f->ordered;
    const struct pd_sorter_options how = {
        .size = sizeof how, .allocator = o->only.allocator, .kind = PD_SORT_CAUSAL};
    struct pd_sorter *s;
    enum pd_code code = prepare(f, o);
    if (!code)
        code = pd_reader_rewind(f->reader, f->error);
    if (!code && (code = pd_sorter_open(&s, f->reader, &how, f->error)) == PD_OK) {
        code = read_all(f, s);
        pd_sorter_close(s);
    }
    if (!code)
        pi_selector_tell_names(&o->selector, o->session);
    pd_session_free(o->session);
    o->session = NULL;
    return code;
}

void pi_ordered_free(struct pi_ordered *o)
{
    if (o == NULL)
        return;
    pd_session_free(o->session);
    pi_selector_free(&o->selector);
    pi_release(o->only.allocator, o->bits);
    pi_release(o->only.allocator, o);
}
