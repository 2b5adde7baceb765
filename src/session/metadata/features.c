/* SPDX-License-Identifier: MIT */
/* features.c - features from a file's sections or a stream's records, and their content. */
#include "src/codec/carried.h"
#include "src/schema/fail.h"
#include "src/codec/transport.h"
#include "metadata.h"
#include "src/container/reader/reader_internal.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include <string.h>

static struct pi_held_feature *find_held(const struct pd_metadata *m, uint32_t id)
{
    for (size_t i = 0; i < m->n_held; i++)
        if (m->held[i]->feature.id == id)
            return m->held[i];
    return NULL;
}

static uint32_t cpus_avail(const struct pd_metadata *m)
{
    const struct pi_held_feature *h = find_held(m, PD_FEAT_NRCPUS);
    return h && h->feature.layout ? h->feature.u.nrcpus.nr_cpus_avail : 0;
}

/* Decodes the kept bytes; damage becomes a finding. */
static void decode_held(struct pd_metadata *m, struct pi_held_feature *h)
{
    struct pd_error e;
    if (pi_probe_feature(m->order, h->feature.id, cpus_avail(m), h->feature.raw, h->offset, false,
                         &h->feature, &e))
        pi_meta_note(m, &e);
}

/*
 * Decodes CPU_TOPOLOGY again, since it depends on NRCPUS. NRCPUS comes once: a file that repeats it too often
 * is not followed.
 */
static void decode_topology(struct pd_metadata *m, struct pi_held_feature *h)
{
    struct pd_error e;
    if (m->topologies++ < PI_LIMIT_TOPOLOGIES) {
        decode_held(m, h);
    } else if (!m->told_cpus) {
        m->told_cpus = true;
        pi_fail(&e, PD_ELIMIT, h->offset, "NRCPUS, which CPU_TOPOLOGY depends on, again", m->topologies,
                PI_LIMIT_TOPOLOGIES);
        pi_meta_note(m, &e);
    }
}

static int later(const struct pi_held_feature *a, uint32_t id)
{
    return a->feature.id > id;
}

/* Keeps the bytes; the metadata owns them. A repeated feature replaces the earlier one. */
static enum pd_code hold(struct pd_metadata *m, uint32_t id, uint64_t offset, uint8_t *bytes, size_t n,
                         struct pd_error *error)
{
    struct pi_held_feature *h = find_held(m, id);
    if (!h) {
        h = pi_resize(m->allocator, NULL, sizeof *h);
        if (!h || !pi_grow(m->allocator, (void **)&m->held, m->n_held, &m->cap_held, sizeof *m->held)) {
            pi_release(m->allocator, h);
            pi_release(m->allocator, bytes);
            return pi_meta_no_memory(error, sizeof *h);
        }
        memset(h, 0, sizeof *h);
        size_t i = m->n_held++;
        for (; i > 0 && later(m->held[i - 1], id); i--)
            m->held[i] = m->held[i - 1];
        m->held[i] = h;
    }
    pi_release(m->allocator, h->bytes);
    h->bytes = bytes;
    h->offset = offset;
    h->feature.id = id;
    h->feature.raw = (struct pd_bytes){bytes, n};
    if (id == PD_FEAT_EVENT_DESC || id == PD_FEAT_TRACING_DATA || id == PD_FEAT_SIMPLEPERF_META_INFO)
        pi_meta_forget_names(m);
    if (id == PD_FEAT_TRACING_DATA) {
        pd_tracepoints_free(m->tracepoints);
        m->tracepoints = NULL;
        m->parsed = false;
    }
    const uint32_t cpus = cpus_avail(m);
    decode_held(m, h);
    if (id == PD_FEAT_NRCPUS && cpus_avail(m) != cpus && (h = find_held(m, PD_FEAT_CPU_TOPOLOGY)))
        decode_topology(m, h);
    return PD_OK;
}

/* A buffer for a feature of n bytes; NULL without an error: it is too large, which has been noted. */
static enum pd_code claim(struct pd_metadata *m, uint64_t offset, uint64_t n, uint8_t **bytes,
                          struct pd_error *error)
{
    *bytes = NULL;
    if (!pi_meta_charge(m, offset, n))
        return PD_OK;
    *bytes = pi_resize(m->allocator, NULL, (size_t)n);
    return *bytes ? PD_OK : pi_meta_no_memory(error, n);
}

static enum pd_code read_section(struct pd_metadata *m, struct pd_reader *r,
                                 const struct pd_feature_section *s, struct pd_error *error)
{
    uint8_t *bytes;
    struct pd_error e;
    enum pd_code code = claim(m, s->section.offset, s->section.size, &bytes, error);
    if (code || !bytes)
        return code;
    code = pd_reader_read(r, s->section.offset, bytes, (size_t)s->section.size, &e);
    if (code == PD_OK)
        return hold(m, s->feature, s->section.offset, bytes, (size_t)s->section.size, error);
    pi_release(m->allocator, bytes);
    if (!pd_is_failure(code)) {
        pi_meta_note(m, &e);
        return PD_OK;
    }
    if (error)
        *error = e;
    return code;
}

enum pd_code pd_metadata_finish(struct pd_metadata *m, struct pd_reader *r, struct pd_error *error)
{
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < pd_reader_n_features(r); i++) {
        const struct pd_feature_section *s = pd_reader_feature(r, i);
        const struct pi_held_feature *h = find_held(m, s->feature);
        if (s->intact && (!h || h->offset != s->section.offset))
            code = read_section(m, r, s, error);
    }
    return pi_meta_noted(m, code, error);
}

/* ---- Records of a stream. */

static enum pd_code add_bytes(struct pd_metadata *m, uint32_t id, uint64_t offset, const uint8_t *p, size_t n,
                              struct pd_error *error)
{
    uint8_t *bytes;
    const enum pd_code code = claim(m, offset, n, &bytes, error);
    if (code || !bytes)
        return code;
    memcpy(bytes, p, n);
    return hold(m, id, offset, bytes, n, error);
}

/* An empty payload marks the last feature, unless the feature is one that is always empty. */
enum pd_code pi_meta_add_feature(struct pd_metadata *m, const struct pd_record *rec, struct pd_error *error)
{
    struct pd_bytes data;
    uint64_t id;
    if (!pi_record_feature(rec, m->order, &id, &data) || id > UINT16_MAX ||
        (data.n == 0 && !rec->old_feature && !pi_may_be_empty(id)))
        return PD_OK;
    const uint64_t offset = rec->depth ? PD_NOWHERE : rec->offset + (uint64_t)(data.ptr - rec->raw);
    return add_bytes(m, (uint32_t)id, offset, data.ptr, data.n, error);
}

enum pd_code pi_meta_add_tracing_data(struct pd_metadata *m, struct pd_reader *r, const struct pd_record *rec,
                                      struct pd_error *error)
{
    const uint64_t offset = rec->offset + rec->size;
    uint8_t *bytes;
    size_t n;
    if (!pi_meta_charge(m, offset, rec->payload_size))
        return PD_OK;
    const enum pd_code code = pi_reader_hold_payload(r, m->allocator, &bytes, &n, error);
    if (!code)
        return hold(m, PD_FEAT_TRACING_DATA, offset, bytes, n, error);
    pi_release(m->allocator, bytes);
    return code;
}

/* The record of simpleperf contains its blob. */
enum pd_code pi_meta_add_inner_tracing_data(struct pd_metadata *m, const struct pd_record *rec,
                                            struct pd_error *error)
{
    struct pd_bytes data;
    struct pd_error what;
    const enum pd_code code = pi_record_tracing_data(rec, m->order, &data, &what);
    if (code)
        pi_meta_note(m, &what);
    return data.ptr && !code
               ? add_bytes(m, PD_FEAT_TRACING_DATA, rec->offset + (uint64_t)(data.ptr - rec->raw), data.ptr,
                           data.n, error)
               : PD_OK;
}

/* Large tracing data of simpleperf, which is usual, comes in parts. */
enum pd_code pi_meta_add_part(struct pd_metadata *m, const struct pd_record *rec, struct pd_error *error)
{
    struct pd_large_record large;
    struct pd_error e;
    m->split.max_bytes = m->left + 1;
    const enum pd_code code = pd_large_parts_add(&m->split, m->order, rec, &large, &e);
    if (code == PD_ENOMEM)
        return pi_meta_no_memory(error, e.expected);
    if (code)
        pi_meta_note(m, &e);
    if (large.type != PD_RECORD_SIMPLEPERF_TRACING_DATA || !large.layout)
        return PD_OK;
    const struct pd_bytes *data = &large.u.simpleperf_tracing_data.data;
    return add_bytes(m, PD_FEAT_TRACING_DATA, PD_NOWHERE, data->ptr, data->n, error);
}

/* ---- Answers. */

size_t pd_metadata_n_features(const struct pd_metadata *m)
{
    return m->n_held;
}

const struct pd_feature *pd_metadata_feature_at(const struct pd_metadata *m, size_t i)
{
    return &m->held[i]->feature;
}

const struct pd_feature *pd_metadata_feature(const struct pd_metadata *m, uint32_t id)
{
    const struct pi_held_feature *h = find_held(m, id);
    return h ? &h->feature : NULL;
}

const struct pd_feature *pi_meta_decoded(const struct pd_metadata *m, uint32_t id)
{
    const struct pd_feature *f = pd_metadata_feature(m, id);
    return f && f->layout ? f : NULL;
}

const struct pd_str *pd_metadata_text(const struct pd_metadata *m, uint32_t id)
{
    const struct pd_feature *f = pi_meta_decoded(m, id);
    if (!f)
        return NULL;
    switch (id) {
    case PD_FEAT_HOSTNAME: return &f->u.hostname.text;
    case PD_FEAT_OSRELEASE: return &f->u.osrelease.text;
    case PD_FEAT_VERSION: return &f->u.version.text;
    case PD_FEAT_ARCH: return &f->u.arch.text;
    case PD_FEAT_CPUDESC: return &f->u.cpudesc.text;
    case PD_FEAT_CPUID: return &f->u.cpuid.text;
    default: return NULL;
    }
}

bool pd_metadata_total_mem(const struct pd_metadata *m, uint64_t *bytes)
{
    const struct pd_feature *f = pi_meta_decoded(m, PD_FEAT_TOTAL_MEM);
    return f && !__builtin_mul_overflow(f->u.total_mem.total_mem, UINT64_C(1024), bytes);
}

const struct pd_str *pd_metadata_pmu_name(const struct pd_metadata *m, uint32_t type,
                                          struct pd_pmu_mapping *out)
{
    const struct pd_feature *f = pi_meta_decoded(m, PD_FEAT_PMU_MAPPINGS);
    struct pd_list l = f ? f->u.pmu_mappings.pmus : (struct pd_list){0};
    if (f && f->u.pmu_mappings.nr == 0)
        l = f->u.pmu_mappings.uncounted;
    while (pd_pmu_mapping_next(&l, out))
        if (out->type == type)
            return &out->name;
    return NULL;
}

bool pd_metadata_group(const struct pd_metadata *m, uint32_t attr, struct pd_group_desc *out)
{
    const struct pd_feature *f = pi_meta_decoded(m, PD_FEAT_GROUP_DESC);
    struct pd_list l = f ? f->u.group_desc.groups : (struct pd_list){0};
    while (pd_group_desc_next(&l, out))
        if (attr >= out->leader_idx && attr - out->leader_idx < out->nr_members)
            return true;
    return false;
}
