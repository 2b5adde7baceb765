/* SPDX-License-Identifier: MIT */
/* chosen.c - the samples that a selection wants, in order of time. */
#include "chosen.h"
#include "ops/output/reads.h"
#include "src/container/reader/reader_internal.h"
#include "src/schema/fail.h"
#include "src/session/session_inside.h"

/* The selection's bits, and the caller's above them. */
static uint32_t tag_mapping(void *user, const struct pd_mapping *m)
{
    const struct pi_chosen *c = user;
    const uint32_t own = c->options.tag ? c->options.tag(c->options.tag_user, m) : 0;
    return own << 2 | pi_selector_judge_mapping(&c->selector, m);
}

static bool lists_none(const struct pd_filter_lists *l)
{
    return !pi_lists_any(l) && l->dsos == NULL && l->cgroups == NULL;
}

/* What saves time for each sample. */
static void look_at_selection(struct pi_chosen *c)
{
    const struct pd_filter_options *o = c->options.selection;
    const uint32_t parts = c->options.parts | pi_selector_parts(&c->selector);
    c->all = lists_none(&o->keep) && lists_none(&o->drop) && !o->all_user && !o->all_kernel && !o->predicate;
    c->few = c->options.few && !pi_selector_parts(&c->selector) && !(parts & PD_SESSION_ORIGINS);
}

/* ---- Samples that the caller takes before they are given */

static bool look_ahead(void *user, struct pd_record *rec, const struct pd_moment *when)
{
    const struct pi_taker *t = ((struct pi_chosen *)user)->options.taker;
    return t->ahead(t->user, rec, when);
}

static void take_run(void *user, struct pd_reader *reader, struct pd_clock *clock, uint64_t settled,
                     uint64_t known)
{
    struct pi_chosen *c = user;
    const struct pi_taker *t = c->options.taker;
    const uint64_t at = reader->at, index = reader->index;
    t->take_run(t->user, reader, clock, settled, known);
    c->samples += reader->index - index;
    pi_progress_bytes(&c->progress, reader->at - at);
}

static bool take_one(void *user, struct pd_record *rec, uint64_t time, uint64_t settled)
{
    struct pi_chosen *c = user;
    const struct pi_taker *t = c->options.taker;
    if (!t->take(t->user, rec, time, settled))
        return false;
    c->samples++;
    pi_progress_record(&c->progress, rec);
    return true;
}

/* ---- Opening */

enum pd_code pi_chosen_open(struct pi_chosen *c, struct pd_reader *reader,
                            const struct pi_chosen_options *options, struct pd_error *error)
{
    const struct pd_allocator *allocator = options->selection->allocator;
    const struct pd_sorter_options how = {.size = sizeof how,
                                          .allocator = allocator,
                                          .kind = options->in_order ? PD_SORT_TIME : PD_SORT_CAUSAL};
    *c = (struct pi_chosen){.options = *options, .reader = reader, .counts.allocator = allocator};
    c->progress = (struct pi_progress){
        .callback = options->progress, .user = options->user, .total = reader->in.seekable ? 0 : PD_NOWHERE};
    if (reader->in.seekable)
        pi_progress_expect(&c->progress, pi_record_bytes(reader), 1);
    enum pd_code code = pi_selector_init(&c->selector, options->selection, error);
    const struct pd_session_options session = {.size = sizeof session,
                                               .allocator = allocator,
                                               .tag = tag_mapping,
                                               .user = c,
                                               .parts = options->parts | pi_selector_parts(&c->selector)};
    look_at_selection(c);
    if (!code && session.parts)
        code = pd_session_new(&c->session, &session, error);
    if (!code && c->session && c->selector.keep.names.n + c->selector.drop.names.n)
        pi_session_keep_names(c->session);
    if (!code && reader->in.seekable)
        code = pd_reader_rewind(reader, error);
    c->taker = (struct pi_taker){look_ahead, take_run, take_one, c};
    const struct pi_taker *taker = pi_chosen_offers(c) ? &c->taker : NULL;
    return code ? code : pi_sorter_open_taker(&c->sorter, reader, &how, taker, error);
}

void pi_chosen_close(struct pi_chosen *c)
{
    pd_sorter_close(c->sorter);
    pd_session_free(c->session);
    pi_counts_free(&c->counts);
    pi_selector_free(&c->selector);
}

static void tell_finding(struct pi_chosen *c, const struct pd_error *what)
{
    c->damaged = true;
    if (c->options.finding)
        c->options.finding(c->options.user, what);
}

static bool is_wanted(struct pi_chosen *c, struct pd_record *rec)
{
    const struct pd_filter_options *o = c->options.selection;
    bool has = false;
    uint32_t sides = PI_SELECT_KEEP;
    if (c->all)
        return true;
    if (o->keep.dsos || o->drop.dsos) {
        const struct pd_mapping *m = pi_sample_mapping(c->session, rec, &has);
        sides = !has ? PI_SELECT_KEEP : m ? m->tag & 3 : pi_selector_judge_mapping(&c->selector, NULL);
    }
    return pi_selector_meets(&c->selector, c->session, rec, sides);
}

/*
 * True if a record that is no sample is intact, or of an unknown type. All of it is decoded, as by `check`.
 */
static bool is_whole(struct pi_chosen *c, struct pd_record *rec)
{
    struct pd_error what;
    const enum pd_code code = pd_reader_decode(c->reader, rec, &what);
    if (code == PD_OK || code == PD_EUNKNOWN)
        return true;
    tell_finding(c, &what);
    return false;
}

/* Passes a record to the session; `wanted`: it is a sample that the selection wants. */
static enum pd_code take(struct pi_chosen *c, struct pd_record *rec, bool *wanted, struct pd_error *error)
{
    struct pd_error what;
    enum pd_code code = PD_OK;
    pi_progress_record(&c->progress, rec);
    *wanted = false;
    if (rec->type != PD_RECORD_SAMPLE && !is_whole(c, rec))
        return PD_OK;
    if (rec->type != PD_RECORD_SAMPLE && !pi_selector_record(&c->selector, c->session, rec))
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "tasks", 0, c->selector.sides_cap);
    const bool passes = c->few && rec->type == PD_RECORD_SAMPLE;
    if (c->session && !passes && (code = pd_session_record(c->session, rec, &what)) != PD_OK) {
        if (pi_ends_pass(code)) {
            *error = what;
            return code;
        }
        tell_finding(c, &what);
    } else if (rec->type == PD_RECORD_SAMPLE) {
        c->samples++;
        *wanted = is_wanted(c, rec);
    } else if (c->options.other) {
        return c->options.other(c->options.tag_user, rec, error);
    }
    return PD_OK;
}

/* Notes what the counters of a sample have counted that is not wanted. */
static enum pd_code pass_sample(struct pi_chosen *c, struct pd_record *rec, struct pd_error *error)
{
    if (!pi_has_reads(rec) || pd_reader_decode(c->reader, rec, NULL) != PD_OK)
        return PD_OK;
    const enum pd_code code = pi_counts_pass(&c->counts, c->reader, rec);
    return code ? pi_fail(error, code, PD_NOWHERE, "counters", 0, 0) : PD_OK;
}

enum pd_code pi_chosen_next(struct pi_chosen *c, struct pd_record *rec, struct pd_error *error)
{
    struct pd_error what;
    enum pd_code code;
    bool wanted;
    while ((code = pd_sorter_next(c->sorter, rec, &what)) != PD_END) {
        if (pd_is_failure(code)) {
            *error = what;
            return code;
        }
        if (code) {
            tell_finding(c, &what);
            continue;
        }
        if ((code = take(c, rec, &wanted, error)) != PD_OK)
            return code;
        if (!wanted && (code = pass_sample(c, rec, error)) != PD_OK)
            return code;
        if (!wanted)
            continue;
        code = pd_reader_decode(c->reader, rec, &what);
        if (code == PD_OK)
            return PD_OK;
        tell_finding(c, &what);
    }
    pi_selector_tell_names(&c->selector, c->session);
    return PD_END;
}
