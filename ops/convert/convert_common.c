/* SPDX-License-Identifier: MIT */
/* convert_common.c - shared by all parts of a conversion: messages, and facts about features. */
#include "convert.h"
#include "src/codec/carried.h"
#include "src/schema/fail.h"
#include "src/session/content.h"
#include "src/support/memory.h"
#include "src/support/wire.h"
#include <string.h>

/* ---- Messages */

void pi_convert_finding(void *user, const struct pd_error *what)
{
    struct pi_conversion *c = user;
    if (what->code == PD_EUNKNOWN) /* no damage: some records have no known layout */
        return;
    c->stats->findings++;
    if (c->options->finding)
        c->options->finding(c->options->user, what);
}

enum pd_code pi_convert_damage(struct pi_conversion *c, const struct pd_error *what)
{
    if (pd_is_failure(what->code)) {
        *c->error = *what;
        return what->code;
    }
    pi_convert_finding(c, what);
    return PD_OK;
}

void pi_convert_note(const struct pi_conversion *c, uint16_t feature, const char *why)
{
    const struct pd_convert_note note = {.what = PD_NOTED_FEATURE, .number = feature, .why = why};
    if (c->options->note)
        c->options->note(c->options->user, &note);
}

void pi_convert_dropped(void *user, uint16_t feature, const char *why)
{
    pi_convert_note(user, feature, why);
}

/* ---- Features */

uint64_t pi_convert_max_held(const struct pi_conversion *c)
{
    return c->options->max_held ? c->options->max_held : PI_LIMIT_CONVERT_HELD;
}

const struct pd_feature_section *pi_convert_section(const struct pi_conversion *c, uint16_t feature)
{
    const struct pd_feature_section *f = pd_reader_find_feature(c->r, feature);
    return f && f->intact ? f : NULL;
}

enum pd_code pi_convert_add(struct pi_conversion *c, uint16_t feature, const void *bytes, size_t n)
{
    struct pi_collected *f = &c->collected[feature];
    size_t cap = f->cap ? f->cap : 256;
    f->there = true;
    if (n > pi_convert_max_held(c) - c->collected_bytes)
        return pi_fail(c->error, PD_ELIMIT, PD_NOWHERE, "features of a stream", c->collected_bytes + n,
                       pi_convert_max_held(c));
    while (cap - f->n < n)
        cap *= 2;
    if (cap != f->cap) {
        uint8_t *more = pi_resize(c->allocator, f->bytes, cap);
        if (more == NULL)
            return pi_fail(c->error, PD_ENOMEM, PD_NOWHERE, "feature", 0, cap);
        f->bytes = more;
        f->cap = cap;
    }
    if (n)
        memcpy(f->bytes + f->n, bytes, n);
    f->n += n;
    c->collected_bytes += n;
    return PD_OK;
}

uint64_t pi_convert_feature_of(const struct pi_conversion *c, const struct pd_record *rec)
{
    struct pd_bytes data;
    uint64_t feature;
    if (pi_record_feature(rec, c->t.from, &feature, &data))
        return pi_is_feature_mark(rec, feature, &data) ? UINT64_MAX : feature;
    switch (rec->type) {
    case PD_RECORD_HEADER_BUILD_ID: return PD_FEAT_BUILD_ID;
    case PD_RECORD_HEADER_TRACING_DATA: return PD_FEAT_TRACING_DATA;
    default: return UINT64_MAX;
    }
}

const struct pd_feature_change *pi_convert_change_of(struct pi_conversion *c, const struct pd_record *rec)
{
    const uint64_t feature = c->options->n_changes ? pi_convert_feature_of(c, rec) : UINT64_MAX;
    const struct pd_feature_change *change = feature < 256 ? c->change[feature] : NULL;
    /* Other features are converted with the number of the input. */
    struct pd_bytes data;
    uint64_t id;
    if (change && pi_record_feature(rec, c->t.from, &id, &data))
        pi_note_nrcpus(c->t.from, id, &data, &c->t.nr_cpus_avail);
    return change;
}
