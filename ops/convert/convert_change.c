/* SPDX-License-Identifier: MIT */
/*
 * convert_change.c - features that a conversion sets or drops: which changes are possible, and what happens
 * to their records.
 */
#include "convert.h"
#include "encode/codec/carried_head.h"
#include "src/schema/fail.h"
#include "src/session/content.h"
#include "src/support/wire.h"

/* ---- Possible changes */

static enum pd_code refuse(const struct pi_conversion *c, uint64_t feature, const char *why)
{
    return pi_fail(c->error, PD_EARG, PD_NOWHERE, why, feature, 0);
}

enum pd_code pi_convert_take_changes(struct pi_conversion *c)
{
    for (size_t i = 0; i < c->options->n_changes; i++) {
        const struct pd_feature_change *change = &c->options->changes[i];
        if (change->feature > 255)
            return refuse(c, change->feature, "features have numbers below 256");
        c->change[change->feature] = change;
    }
    return PD_OK;
}

static const char *compressed_obstacle(const struct pi_conversion *c, const struct pd_feature_change *change)
{
    switch (c->options->zip) {
    case PD_ZIP_KEEP: return c->compressed ? "the compressed records need it as it is" : NULL;
    case PD_ZIP_NONE: return change->drop ? NULL : "no record will be compressed";
    default: return "it tells how the records will be compressed";
    }
}

static const char *dir_format_obstacle(const struct pi_conversion *c, const struct pd_feature_change *change)
{
    if (change->drop)
        return c->to == PD_CONTAINER_DIRECTORY ? "a directory needs it" : NULL;
    if (c->to == PD_CONTAINER_PIPE)
        return "a pipe stream is no directory";
    return c->from == c->to ? NULL : "it follows from the container";
}

/* The index can only be dropped if it is empty, or if the output has none anyway. */
static const char *auxtrace_obstacle(const struct pi_conversion *c, const struct pd_feature_change *change)
{
    const struct pd_feature_section *f = pi_convert_section(c, PD_FEAT_AUXTRACE);
    if (!change->drop)
        return "it follows from where the AUXTRACE records are";
    if (c->to == PD_CONTAINER_PIPE || (c->from != PD_CONTAINER_PIPE && (f == NULL || f->section.size <= 8)))
        return NULL;
    return "it tells where the AUXTRACE records are";
}

static const char *stream_obstacle(const struct pd_feature_change *change)
{
    if (change->drop || pi_has_own_record(change->feature))
        return NULL;
    if (change->n == 0 && !pi_may_be_empty(change->feature))
        return "it is empty, which in a pipe stream marks the end of the features";
    return change->n > PI_CARRIED_MOST ? "it is too large for a record of a pipe stream" : NULL;
}

/* The reason why a change is impossible; NULL: it is possible. */
static const char *obstacle(const struct pi_conversion *c, const struct pd_feature_change *change)
{
    const char *why = NULL;
    switch (change->feature) {
    case PD_FEAT_COMPRESSED: why = compressed_obstacle(c, change); break;
    case PD_FEAT_DIR_FORMAT: why = dir_format_obstacle(c, change); break;
    case PD_FEAT_AUXTRACE: why = auxtrace_obstacle(c, change); break;
    default: break;
    }
    return why || c->to != PD_CONTAINER_PIPE ? why : stream_obstacle(change);
}

enum pd_code pi_convert_check_changes(struct pi_conversion *c)
{
    enum pd_code code = PD_OK;
    for (uint16_t i = 0; !code && i < 256; i++) {
        const struct pd_feature_change *change = c->change[i];
        const char *why = change ? obstacle(c, change) : NULL;
        if (why)
            return refuse(c, i, why);
        if (change && !change->drop)
            code = pi_convert_add(c, i, change->bytes, change->n);
    }
    return code;
}

enum pd_code pi_convert_check_chunk(struct pi_conversion *c, const struct pd_record *rec)
{
    const bool needed = c->change[PD_FEAT_COMPRESSED] && c->options->zip == PD_ZIP_KEEP;
    enum pd_code code =
        needed ? refuse(c, PD_FEAT_COMPRESSED, "the compressed records need it as it is") : PD_OK;
    if (code)
        c->error->offset = rec->offset;
    return code;
}

/* ---- Records that carry features */

/* The number of cpus that a change sets; 0: no change sets it. */
static uint32_t cpus_set(const struct pi_conversion *c)
{
    const struct pd_feature_change *cpus = c->change[PD_FEAT_NRCPUS];
    uint32_t n = 0;
    if (cpus && !cpus->drop)
        pi_note_nrcpus(c->t.from, cpus->feature, &(struct pd_bytes){cpus->bytes, cpus->n}, &n);
    return n;
}

enum pd_code pi_convert_check_topology(struct pi_conversion *c, const struct pd_record *rec)
{
    struct pd_feature f;
    struct pd_bytes data;
    uint64_t id;
    if (!c->change[PD_FEAT_NRCPUS] || c->change[PD_FEAT_CPU_TOPOLOGY] ||
        !pi_record_feature(rec, c->t.from, &id, &data) || id != PD_FEAT_CPU_TOPOLOGY ||
        pi_is_feature_mark(rec, id, &data))
        return PD_OK;
    if (cpus_set(c) &&
        pd_feature_decode(c->t.from, PD_FEAT_CPU_TOPOLOGY, cpus_set(c), data.ptr, data.n, &f, NULL) ==
            PD_OK &&
        f.rest.n == 0)
        return PD_OK;
    return refuse(c, PD_FEAT_NRCPUS,
                  "cpu_topology is for another number of cpus than nrcpus would say; drop or set it too");
}

/* Writes a HEADER_FEATURE record, or, in a stream of Google's perf 3.3, one of the feature's own type. */
static enum pd_code put_record(struct pi_conversion *c, const struct pd_feature_change *change, bool old,
                               struct pd_writer *w)
{
    uint8_t *p = c->t.other;
    const size_t head = pi_put_carried_head(c->t.to, change->feature, old, change->n, p);
    if (change->n)
        memcpy(p + head, change->bytes, change->n);
    c->changed[change->feature] = true;
    c->stats->records++;
    return pd_writer_raw(w, p, head + change->n, c->error);
}

/* In a stream: writes all records of the feature, at the place of the first one. */
static enum pd_code put_own(struct pi_conversion *c, const struct pd_feature_change *change,
                            struct pd_writer *w)
{
    if (c->changed[change->feature])
        return PD_OK;
    c->changed[change->feature] = true;
    const struct pi_collected *held = &c->collected[change->feature];
    return pi_pipe_feature(w, (uint16_t)change->feature, held->bytes, held->n, c->error);
}

enum pd_code pi_convert_put_change(struct pi_conversion *c, const struct pd_feature_change *change,
                                   const struct pd_record *rec, struct pd_writer *w)
{
    const bool stream = c->from == PD_CONTAINER_PIPE && c->to == PD_CONTAINER_PIPE;
    if (change->drop) /* such a stream is recognised by the host name */
        return rec->old_feature && change->feature == PD_FEAT_HOSTNAME
                   ? refuse(c, change->feature, "in a stream of this old format it must be the first record")
                   : PD_OK;
    if (pi_has_own_record(change->feature) && !rec->old_feature)
        return stream ? put_own(c, change, w) : PD_OK; /* in a file, the section has it */
    const bool fits = change->n <= PI_CARRIED_MOST && (change->n || pi_may_be_empty(change->feature));
    return fits ? put_record(c, change, rec->old_feature, w) : PD_OK;
}

/* A record of the feature's own type, if the old format has one: others wait for the first attr. */
static enum pd_code put_old(struct pi_conversion *c, const struct pd_feature_change *change, bool last,
                            struct pd_writer *w)
{
    if (pi_is_old_feature(change->feature))
        return put_record(c, change, true, w);
    return last
               ? refuse(c, change->feature, "a stream of this old format has no place for it without an attr")
               : PD_OK;
}

enum pd_code pi_convert_put_due(struct pi_conversion *c, bool own, bool last, struct pd_writer *w)
{
    const bool old = pi_reader_in_old_features(c->r);
    enum pd_code code = PD_OK;
    for (unsigned i = 0; !code && i < 256; i++) {
        const struct pd_feature_change *change = c->change[i];
        if (change == NULL || change->drop || c->changed[i] || pi_has_own_record(i) != own)
            continue;
        code = own   ? put_own(c, change, w)
               : old ? put_old(c, change, last, w)
                     : put_record(c, change, false, w);
    }
    return code;
}
