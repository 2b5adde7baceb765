/* SPDX-License-Identifier: MIT */
/* select.c - an index that is open: which blocks a reader leaves out, and what it gets instead. */
#include "opened.h"
#include "src/schema/fail.h"
#include "src/schema/options.h"
#include "src/session/counts.h"
#include "src/support/memory.h"

/* ---- The records of a block */

/* The next record that is given, or PD_END. All were checked when the index was opened. */
static enum pd_code next_given(void *user, size_t i, bool first, struct pi_spared *given,
                               struct pd_error *error)
{
    struct pd_index *x = user;
    const struct pi_index_block *block = &x->blocks[x->left_out[i]];
    if (first)
        pi_given_begin(&x->walk, block);
    return pi_given_next(x, &x->walk, block, given, error);
}

/* ---- Which blocks */

static bool is_outside(const struct pi_index_block *block, const struct pd_time_range *ranges, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ranges[i].start <= block->last && (ranges[i].end == 0 || ranges[i].end >= block->first))
            return false;
    return true;
}

static enum pd_code compare(struct pd_index *x, const struct pi_index_block *block, struct pd_error *error)
{
    uint64_t hash;
    const enum pd_code code = pi_index_hash(x->reader, block->from, block->to, &hash, error);
    if (code || hash == block->content)
        return code;
    return pi_fail(error, PD_EDIFFERENT, block->from, "record", hash, block->content);
}

static void leave_out(struct pd_index *x, size_t i)
{
    const struct pi_index_block *b = &x->blocks[i];
    struct pd_index_sums *sums = &x->sums;
    x->left_out[x->skips.n] = (uint32_t)i;
    x->stretches[x->skips.n++] = (struct pi_stretch){b->from, b->to, b->records, b->inflated};
    sums->blocks++;
    sums->samples += b->samples;
    sums->others += b->others;
    sums->inside += b->inside;
}

static enum pd_code choose(struct pd_index *x, const struct pd_time_range *ranges, size_t n,
                           struct pd_error *error)
{
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < x->header.blocks; i++)
        if (is_outside(&x->blocks[i], ranges, n))
            leave_out(x, i);
        else
            code = compare(x, &x->blocks[i], error);
    return code;
}

enum pd_code pd_index_select_all(struct pd_index *x, struct pd_error *error)
{
    x->sums = (struct pd_index_sums){0};
    x->skips = (struct pi_skips){.stretch = x->stretches, .next = next_given, .user = x};
    pi_reader_skip(x->reader, NULL);
    return pd_reader_rewind(x->reader, error);
}

enum pd_code pd_index_select(struct pd_index *x, const struct pd_time_range *ranges, size_t n,
                             struct pd_error *error)
{
    struct pd_error ignored;
    enum pd_code code = pd_index_select_all(x, error);
    if (!code && n && pi_counts_are_read(x->reader, 0))
        return pi_fail(error, PD_EUNSUP, 0, "samples that have counters (READ)", 0, 0);
    if (!code)
        code = choose(x, ranges, n, error);
    if (code) {
        pd_index_select_all(x, &ignored);
        return code;
    }
    x->skips.samples = x->sums.samples;
    x->skips.others = x->sums.others;
    pi_reader_skip(x->reader, &x->skips);
    return pd_reader_rewind(x->reader, error);
}

/* ---- What it says */

void pd_index_get_sums(const struct pd_index *x, struct pd_index_sums *sums)
{
    *sums = x->sums;
}

static enum pd_code add_events(struct pd_index *x, const struct pi_index_block *block, uint64_t *samples,
                               size_t n, struct pd_error *error)
{
    struct pi_index_event event;
    enum pd_code code = PD_OK;
    for (uint64_t i = 0; !code && i < block->events; i++) {
        code = pi_index_read(x, block->given + i * sizeof event, &event, sizeof event, error);
        if (!code && event.event >= n)
            code = pi_fail(error, PD_ERANGE, PD_NOWHERE, "event", event.event, n);
        if (!code)
            samples[event.event] += event.samples;
    }
    return code;
}

enum pd_code pd_index_event_sums(struct pd_index *x, uint64_t *samples, size_t n, struct pd_error *error)
{
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < x->skips.n; i++)
        code = add_events(x, &x->blocks[x->left_out[i]], samples, n, error);
    return code;
}

enum pd_code pd_index_type_sums(struct pd_index *x,
                                void (*take)(void *user, uint32_t type, uint64_t n, uint64_t bytes),
                                void *user, struct pd_error *error)
{
    struct pi_index_type type;
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < x->skips.n; i++) {
        const struct pi_index_block *b = &x->blocks[x->left_out[i]];
        const uint64_t at = b->given + b->events * sizeof(struct pi_index_event);
        for (uint64_t k = 0; !code && k < b->types; k++)
            if ((code = pi_index_read(x, at + k * sizeof type, &type, sizeof type, error)) == PD_OK)
                take(user, (uint32_t)type.type, type.records, type.bytes);
    }
    return code;
}

void pd_index_get_stats(const struct pd_index *x, struct pd_index_stats *stats)
{
    *stats = (struct pd_index_stats){.blocks = x->header.blocks,
                                     .records = x->header.records,
                                     .block = x->header.least,
                                     .size = x->header.size};
    for (size_t i = 0; i < x->header.blocks; i++)
        stats->left_out += x->blocks[i].samples + x->blocks[i].others;
    stats->given = x->n_given;
}

enum pd_code pd_index_check(struct pd_index *x, struct pd_error *error)
{
    struct pd_index_options options = x->options;
    struct pd_index_stats stats = {0};
    struct pi_index_header header = {0};
    struct pd_error own;
    options.block = x->header.least;
    enum pd_code code = pd_index_select_all(x, error);
    if (!code)
        code = pi_index_make(x->reader, NULL, &options, &header, &stats, error ? error : &own);
    if (!code && memcmp(&header, &x->header, sizeof header) != 0)
        code = pi_fail(error, PD_EDIFFERENT, PD_NOWHERE, "index", header.checksum, x->header.checksum);
    return code;
}
