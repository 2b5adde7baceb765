/* SPDX-License-Identifier: MIT */
/* metadata.c - collects what a recording says of itself, and answers questions about it. */
#include "src/codec/codec_internal.h"
#include "content.h"
#include "src/container/file.h"
#include "src/support/idmap.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include "src/schema/options.h"
#include "src/support/wire.h"
#include <perfdata/session/large_record.h>
#include <perfdata/session/metadata.h>
#include <perfdata/session/tracepoint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* A feature with its bytes. Allocated one by one, so that what is given out does not move. */
struct held {
    struct pd_feature feature;
    uint64_t offset; /* in the input, of its first byte */
    uint8_t *bytes;
};

/* The name that EVENT_UPDATE gives an event id, or the file that HEADER_BUILD_ID names. */
struct held_record {
    struct pd_record rec;
    uint8_t bytes[];
};

/* Where the name of an event is said, best first. */
enum source { FROM_UPDATE, FROM_DESC, FROM_LINES, FROM_OLD };

/* A name that some source has for a number: an event id, the number of an attr, or what an attr opens. */
struct known_name {
    enum source source;
    uint64_t number, type;
    size_t order; /* of several the lowest counts */
    const char *text;
    size_t len;
    const char *made; /* the text of it, when it was asked for */
};

struct pd_metadata {
    const struct pd_allocator *allocator;
    enum pd_order order;
    uint64_t left; /* bytes that may still be taken */
    struct held **held;
    size_t n_held, cap_held;
    struct held_record **records;
    size_t n_records, cap_records;
    bool full; /* a record was not kept, which has been noted */
    struct pd_error *findings;
    size_t n_findings, cap_findings;
    const char **names; /* of attrs, made when asked for; "": there is none */
    size_t n_names;
    char **texts; /* of these, each once, however many attrs have it */
    size_t n_texts, cap_texts;
    struct pd_idmap by_text;  /* from hashes of them; those of the same hash take the numbers behind it */
    struct known_name *known; /* sorted, made when a name is asked for */
    size_t n_known, cap_known;
    bool indexed;
    struct old_name {
        uint64_t id;
        char *text;
    } * old_names; /* of the event_types section */
    size_t n_old, cap_old;
    struct pd_tracepoints *tracepoints;
    bool parsed;                 /* tracepoints were tried */
    bool out_of_memory;          /* for a finding, a name or the tracepoints */
    struct pd_large_parts split; /* a large record whose parts are coming */
    struct pd_key key;           /* of these hashes */
    bool told_cpus;              /* the finding that NRCPUS comes too often was made */
    unsigned topologies;         /* how often CPU_TOPOLOGY was decoded anew */
    struct pd_idmap mapped;      /* hashes of mapped files with build ids: which of `records` */
};

/* ---- Opening and closing. */

static void close_feature(struct pd_metadata *m, struct held *h)
{
    pd_release(m->allocator, h->bytes);
    pd_release(m->allocator, h);
}

static void forget_names(struct pd_metadata *m)
{
    for (size_t i = 0; i < m->n_texts; i++)
        pd_release(m->allocator, m->texts[i]);
    pd_release(m->allocator, m->texts);
    pd_release(m->allocator, m->names);
    pd_idmap_free(&m->by_text);
    m->by_text.allocator = m->allocator;
    m->texts = NULL;
    m->names = NULL;
    m->n_names = m->n_texts = m->cap_texts = 0;
    m->n_known = 0;
    m->indexed = false;
}

void pd_metadata_close(struct pd_metadata *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->n_held; i++)
        close_feature(m, m->held[i]);
    for (size_t i = 0; i < m->n_records; i++)
        pd_release(m->allocator, m->records[i]);
    for (size_t i = 0; i < m->n_old; i++)
        pd_release(m->allocator, m->old_names[i].text);
    forget_names(m);
    pd_release(m->allocator, m->known);
    pd_large_parts_free(&m->split);
    pd_idmap_free(&m->mapped);
    pd_tracepoints_free(m->tracepoints);
    pd_release(m->allocator, m->held);
    pd_release(m->allocator, m->records);
    pd_release(m->allocator, m->findings);
    pd_release(m->allocator, m->old_names);
    pd_release(m->allocator, m);
}

static enum pd_code no_memory(struct pd_error *error, uint64_t bytes)
{
    return pd_fail(error, PD_ENOMEM, PD_NOWHERE, "metadata", 0, bytes);
}

/*
 * The last one that is held says that there are more: a record of 24 bytes may be as damaged as millions like
 * it.
 */
static void note(struct pd_metadata *m, const struct pd_error *error)
{
    struct pd_error more;
    if (m->n_findings == PD_LIMIT_FINDINGS)
        return;
    if (m->n_findings == PD_LIMIT_FINDINGS - 1) {
        pd_fail(&more, PD_ELIMIT, error->offset, "findings", PD_LIMIT_FINDINGS, PD_LIMIT_FINDINGS - 1);
        error = &more;
    }
    if (pd_grow(m->allocator, (void **)&m->findings, m->n_findings, &m->cap_findings, sizeof *m->findings))
        m->findings[m->n_findings++] = *error;
    else
        m->out_of_memory = true;
}

/* A finding that nobody can be told of is an error. */
static enum pd_code noted(const struct pd_metadata *m, enum pd_code code, struct pd_error *error)
{
    return !code && m->out_of_memory ? no_memory(error, sizeof *m->findings) : code;
}

bool pd_metadata_out_of_memory(const struct pd_metadata *m)
{
    return m->out_of_memory;
}

/* ---- Features. */

static struct held *find_held(const struct pd_metadata *m, uint32_t id)
{
    for (size_t i = 0; i < m->n_held; i++)
        if (m->held[i]->feature.id == id)
            return m->held[i];
    return NULL;
}

static uint32_t cpus_avail(const struct pd_metadata *m)
{
    const struct held *h = find_held(m, PD_FEAT_NRCPUS);
    return h && h->feature.layout ? h->feature.u.nrcpus.nr_cpus_avail : 0;
}

/* Decodes what is held; damage is a finding. */
static void decode_held(struct pd_metadata *m, struct held *h)
{
    struct pd_error e;
    if (pd_probe_feature(m->order, h->feature.id, cpus_avail(m), h->feature.raw, h->offset, false,
                         &h->feature, &e))
        note(m, &e);
}

/* It depends on NRCPUS, which comes once; a file that has it again and again is not followed. */
static void decode_topology(struct pd_metadata *m, struct held *h)
{
    struct pd_error e;
    if (m->topologies++ < PD_LIMIT_TOPOLOGIES) {
        decode_held(m, h);
    } else if (!m->told_cpus) {
        m->told_cpus = true;
        pd_fail(&e, PD_ELIMIT, h->offset, "NRCPUS, which CPU_TOPOLOGY depends on, again", m->topologies,
                PD_LIMIT_TOPOLOGIES);
        note(m, &e);
    }
}

static int later(const struct held *a, uint32_t id)
{
    return a->feature.id > id;
}

/* Keeps the bytes, which become the metadata's. A feature that comes again replaces what was known of it. */
static enum pd_code hold(struct pd_metadata *m, uint32_t id, uint64_t offset, uint8_t *bytes, size_t n,
                         struct pd_error *error)
{
    struct held *h = find_held(m, id);
    if (!h) {
        h = pd_resize(m->allocator, NULL, sizeof *h);
        if (!h || !pd_grow(m->allocator, (void **)&m->held, m->n_held, &m->cap_held, sizeof *m->held)) {
            pd_release(m->allocator, h);
            pd_release(m->allocator, bytes);
            return no_memory(error, sizeof *h);
        }
        memset(h, 0, sizeof *h);
        size_t i = m->n_held++;
        for (; i > 0 && later(m->held[i - 1], id); i--)
            m->held[i] = m->held[i - 1];
        m->held[i] = h;
    }
    pd_release(m->allocator, h->bytes);
    h->bytes = bytes;
    h->offset = offset;
    h->feature.id = id;
    h->feature.raw = (struct pd_bytes){bytes, n};
    if (id == PD_FEAT_EVENT_DESC || id == PD_FEAT_TRACING_DATA || id == PD_FEAT_SIMPLEPERF_META_INFO)
        forget_names(m);
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

/* Whether so many bytes may be held; if not, that is noted. */
static bool charge(struct pd_metadata *m, uint64_t offset, uint64_t n)
{
    struct pd_error e;
    const bool may = n <= m->left;
    if (!may) {
        pd_fail(&e, PD_ELIMIT, offset, "section", n, m->left);
        note(m, &e);
    }
    m->left -= may ? n : 0;
    return may;
}

/* A buffer for a feature of n bytes; NULL without an error: too much, which has been noted. */
static enum pd_code claim(struct pd_metadata *m, uint64_t offset, uint64_t n, uint8_t **bytes,
                          struct pd_error *error)
{
    *bytes = NULL;
    if (!charge(m, offset, n))
        return PD_OK;
    *bytes = pd_resize(m->allocator, NULL, (size_t)n);
    return *bytes ? PD_OK : no_memory(error, n);
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
    pd_release(m->allocator, bytes);
    if (!pd_is_failure(code)) {
        note(m, &e);
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
        const struct held *h = find_held(m, s->feature);
        if (s->intact && (!h || h->offset != s->section.offset))
            code = read_section(m, r, s, error);
    }
    return noted(m, code, error);
}

/* ---- Names of the event_types section. */

/* Room for a name of n bytes and its NUL, which is there. */
static char *copy_name(struct pd_metadata *m, const char *text, size_t n)
{
    char *p = pd_resize(m->allocator, NULL, n + 1);
    m->out_of_memory |= !p;
    if (p) {
        memcpy(p, text, n);
        p[n] = '\0';
    }
    return p;
}

/* The one text of these bytes, which lives until names are forgotten; NULL: no memory. */
PD_WRAPS static const char *the_text(struct pd_metadata *m, const char *text, size_t n)
{
    uint32_t known, hash = (uint32_t)XXH3_64bits_withSeed(text, n, m->key.before);
    for (; (known = pd_idmap_get(&m->by_text, hash)) != PD_IDMAP_NONE; hash++)
        if (strlen(m->texts[known]) == n && memcmp(m->texts[known], text, n) == 0)
            return m->texts[known];
    char *copy = copy_name(m, text, n);
    if (!copy || !pd_grow(m->allocator, (void **)&m->texts, m->n_texts, &m->cap_texts, sizeof *m->texts) ||
        !pd_idmap_add(&m->by_text, hash, (uint32_t)m->n_texts)) {
        pd_release(m->allocator, copy);
        m->out_of_memory = true;
        return NULL;
    }
    return m->texts[m->n_texts++] = copy;
}

static enum pd_code keep_old_name(struct pd_metadata *m, const struct pd_event_type *type,
                                  struct pd_error *error)
{
    const char *name = (const char *)type->name;
    char *copy = copy_name(m, name, strnlen(name, sizeof type->name));
    if (!copy ||
        !pd_grow(m->allocator, (void **)&m->old_names, m->n_old, &m->cap_old, sizeof *m->old_names)) {
        pd_release(m->allocator, copy);
        return no_memory(error, sizeof type->name);
    }
    m->old_names[m->n_old++] = (struct old_name){type->event_id, copy};
    return PD_OK;
}

static enum pd_code read_old_names(struct pd_metadata *m, struct pd_reader *r, struct pd_error *error)
{
    const uint64_t offset = pd_reader_info(r)->header.event_types.offset;
    enum pd_code code = PD_OK;
    struct pd_error what;
    const size_t n = pd_reader_n_event_types(r);
    for (size_t i = 0; !code && i < n && charge(m, offset + i * PD_BYTES_event_type, PD_BYTES_event_type);
         i++) {
        struct pd_event_type type;
        code = pd_reader_event_type(r, i, &type, &what);
        if (!code)
            code = keep_old_name(m, &type, error);
        else if (pd_is_failure(code) && error)
            *error = what;
        else if (!pd_is_failure(code)) /* others may be there */
            code = PD_OK;
    }
    return noted(m, code, error);
}

enum pd_code pd_metadata_open(struct pd_metadata **metadata, struct pd_reader *r,
                              const struct pd_metadata_options *given, struct pd_error *error)
{
    struct pd_metadata_options o;
    enum pd_code code = PD_TAKE_OPTIONS(pd_metadata_options, &o, given, error);
    if (code)
        return code;
    struct pd_metadata *m = pd_resize(o.allocator, NULL, sizeof *m);
    if (!m)
        return no_memory(error, sizeof *m);
    *m = (struct pd_metadata){.allocator = o.allocator,
                              .split = {.allocator = o.allocator},
                              .mapped = {.allocator = o.allocator},
                              .by_text = {.allocator = o.allocator},
                              .key = pd_key_draw(),
                              .left = o.max_bytes ? o.max_bytes : PD_LIMIT_METADATA};
    if (r) {
        m->order = pd_reader_info(r)->order;
        code = pd_metadata_finish(m, r, error);
        if (!code)
            code = read_old_names(m, r, error);
    }
    if (code) {
        pd_metadata_close(m);
        m = NULL;
    }
    *metadata = m;
    return code;
}

/* ---- What the stream says. */

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
static enum pd_code add_feature(struct pd_metadata *m, const struct pd_record *rec, struct pd_error *error)
{
    struct pd_bytes data;
    uint64_t id;
    if (!pd_record_feature(rec, m->order, &id, &data) || id > UINT16_MAX ||
        (data.n == 0 && !rec->old_feature && !pd_may_be_empty(id)))
        return PD_OK;
    const uint64_t offset = rec->depth ? PD_NOWHERE : rec->offset + (uint64_t)(data.ptr - rec->raw);
    return add_bytes(m, (uint32_t)id, offset, data.ptr, data.n, error);
}

static enum pd_code add_tracing_data(struct pd_metadata *m, struct pd_reader *r, const struct pd_record *rec,
                                     struct pd_error *error)
{
    const uint64_t offset = rec->offset + rec->size;
    uint8_t *bytes;
    size_t n;
    if (!charge(m, offset, rec->payload_size))
        return PD_OK;
    const enum pd_code code = pd_reader_hold_payload(r, m->allocator, &bytes, &n, error);
    if (!code)
        return hold(m, PD_FEAT_TRACING_DATA, offset, bytes, n, error);
    pd_release(m->allocator, bytes);
    return code;
}

/* The blob of simpleperf's records is inside. */
static enum pd_code add_inner_tracing_data(struct pd_metadata *m, const struct pd_record *rec,
                                           struct pd_error *error)
{
    struct pd_bytes data;
    struct pd_error what;
    if (pd_record_tracing_data(rec, m->order, &data, &what))
        note(m, &what);
    return data.ptr ? add_bytes(m, PD_FEAT_TRACING_DATA, rec->offset + (uint64_t)(data.ptr - rec->raw),
                                data.ptr, data.n, error)
                    : PD_OK;
}

/*
 * Whether n bytes for a record may still be taken. The first that may not is a finding, not each of millions.
 */
static bool afford(struct pd_metadata *m, const struct pd_record *rec, size_t n)
{
    struct pd_error e;
    if (!m->full && n <= m->left) {
        m->left -= n;
        return true;
    }
    if (!m->full) {
        pd_fail_record(&e, PD_ELIMIT, rec, 0, "memory for names of events and build ids", n, m->left);
        note(m, &e);
    }
    m->full = true;
    return false;
}

/* What is taken is what it costs: decoded, a build id of 40 bytes has hundreds. */
static enum pd_code keep_record(struct pd_metadata *m, const struct pd_record *rec, struct pd_error *error)
{
    const size_t n = sizeof(struct held_record) + rec->size;
    if (!afford(m, rec, n))
        return PD_OK;
    struct held_record *h = pd_resize(m->allocator, NULL, n);
    if (!h ||
        !pd_grow(m->allocator, (void **)&m->records, m->n_records, &m->cap_records, sizeof *m->records)) {
        pd_release(m->allocator, h);
        return no_memory(error, n);
    }
    memset(h, 0, sizeof *h);
    memcpy(h->bytes, rec->raw, rec->size);
    if (pd_record_decode(rec->plan, h->bytes, rec->size, &h->rec, NULL)) {
        pd_release(m->allocator, h);
        return PD_OK; /* reported by who reads the records */
    }
    h->rec.plan = NULL; /* belongs to the reader */
    m->records[m->n_records++] = h;
    forget_names(m);
    return PD_OK;
}

static bool same_file(const struct pd_mmap2 *a, const struct pd_mmap2 *b)
{
    return a->filename.len == b->filename.len &&
           memcmp(a->filename.ptr, b->filename.ptr, a->filename.len) == 0 &&
           memcmp(a->build_id, b->build_id, sizeof a->build_id) == 0;
}

/* A file with a build id is kept once. Those of the same hash take the numbers behind it. */
PD_WRAPS static enum pd_code keep_mapping(struct pd_metadata *m, const struct pd_record *rec,
                                          struct pd_error *error)
{
    struct pd_record one = {0};
    uint32_t known;
    if (!rec->plan || pd_record_decode(rec->plan, rec->raw, rec->size, &one, NULL))
        return PD_OK; /* damage is reported by who reads the records */
    const struct pd_mmap2 *map = &one.u.mmap2;
    uint32_t hash = (uint32_t)XXH3_64bits_withSeed(
        map->filename.ptr, map->filename.len,
        XXH3_64bits_withSeed(map->build_id, sizeof map->build_id, m->key.before));
    for (; (known = pd_idmap_get(&m->mapped, hash)) != PD_IDMAP_NONE; hash++)
        if (same_file(map, &m->records[known]->rec.u.mmap2))
            return PD_OK;
    const size_t before = m->n_records;
    const enum pd_code code = keep_record(m, rec, error);
    if (code || m->n_records == before)
        return code;
    return pd_idmap_add(&m->mapped, hash, (uint32_t)before) ? PD_OK : no_memory(error, sizeof hash);
}

/* simpleperf's tracing data comes in parts when it is large, as most is. */
static enum pd_code add_part(struct pd_metadata *m, const struct pd_record *rec, struct pd_error *error)
{
    struct pd_large_record large;
    struct pd_error e;
    m->split.max_bytes = m->left + 1;
    const enum pd_code code = pd_large_parts_add(&m->split, m->order, rec, &large, &e);
    if (code == PD_ENOMEM)
        return no_memory(error, e.expected);
    if (code)
        note(m, &e);
    if (large.type != PD_RECORD_SIMPLEPERF_TRACING_DATA || !large.layout)
        return PD_OK;
    const struct pd_bytes *data = &large.u.simpleperf_tracing_data.data;
    return add_bytes(m, PD_FEAT_TRACING_DATA, PD_NOWHERE, data->ptr, data->n, error);
}

static enum pd_code add(struct pd_metadata *m, struct pd_reader *r, const struct pd_record *rec,
                        struct pd_error *error)
{
    if (rec->type < PD_RECORD_HEADER_ATTR)
        return rec->type == PD_RECORD_MMAP2 && rec->misc & PD_MISC_MMAP_BUILD_ID ? keep_mapping(m, rec, error)
                                                                                 : PD_OK;
    if (rec->old_feature)
        return add_feature(m, rec, error);
    switch (rec->type) {
    case PD_RECORD_HEADER_FEATURE: return add_feature(m, rec, error);
    case PD_RECORD_HEADER_TRACING_DATA:
        return rec->size > 16 ? add_inner_tracing_data(m, rec, error) : add_tracing_data(m, r, rec, error);
    case PD_RECORD_SIMPLEPERF_TRACING_DATA: return add_inner_tracing_data(m, rec, error);
    case PD_RECORD_SIMPLEPERF_SPLIT:
    case PD_RECORD_SIMPLEPERF_SPLIT_END: return add_part(m, rec, error);
    case PD_RECORD_EVENT_UPDATE:
    case PD_RECORD_HEADER_BUILD_ID:
    case PD_RECORD_HEADER_EVENT_TYPE: return keep_record(m, rec, error);
    default: return PD_OK;
    }
}

enum pd_code pd_metadata_add(struct pd_metadata *m, struct pd_reader *r, const struct pd_record *rec,
                             struct pd_error *error)
{
    return noted(m, add(m, r, rec, error), error);
}

/* ---- Answers: features. */

size_t pd_metadata_n_findings(const struct pd_metadata *m)
{
    return m->n_findings;
}

const struct pd_error *pd_metadata_finding(const struct pd_metadata *m, size_t i)
{
    return &m->findings[i];
}

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
    const struct held *h = find_held(m, id);
    return h ? &h->feature : NULL;
}

/* The same, when it could be decoded. */
static const struct pd_feature *decoded(const struct pd_metadata *m, uint32_t id)
{
    const struct pd_feature *f = pd_metadata_feature(m, id);
    return f && f->layout ? f : NULL;
}

const struct pd_str *pd_metadata_text(const struct pd_metadata *m, uint32_t id)
{
    const struct pd_feature *f = decoded(m, id);
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
    const struct pd_feature *f = decoded(m, PD_FEAT_TOTAL_MEM);
    return f && !__builtin_mul_overflow(f->u.total_mem.total_mem, UINT64_C(1024), bytes);
}

const struct pd_str *pd_metadata_pmu_name(const struct pd_metadata *m, uint32_t type,
                                          struct pd_pmu_mapping *out)
{
    const struct pd_feature *f = decoded(m, PD_FEAT_PMU_MAPPINGS);
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
    const struct pd_feature *f = decoded(m, PD_FEAT_GROUP_DESC);
    struct pd_list l = f ? f->u.group_desc.groups : (struct pd_list){0};
    while (pd_group_desc_next(&l, out))
        if (attr >= out->leader_idx && attr - out->leader_idx < out->nr_members)
            return true;
    return false;
}

/* ---- Answers: events. */

const struct pd_tracepoints *pd_metadata_tracepoints(struct pd_metadata *m)
{
    const struct pd_feature *f = decoded(m, PD_FEAT_TRACING_DATA);
    if (f && !m->parsed) {
        m->parsed = true;
        const enum pd_code code = pd_tracepoints_new(&m->tracepoints, &f->u.tracing_data, m->allocator, NULL);
        if (code)
            m->tracepoints = NULL;
        m->out_of_memory |= code == PD_ENOMEM;
    }
    return m->tracepoints;
}

/*
 * All names that are said are put in order once: an event is looked for among as many names as there are
 * events.
 */

static bool know(struct pd_metadata *m, enum source source, uint64_t number, uint64_t type, size_t order,
                 const char *text, size_t len)
{
    if (!pd_grow(m->allocator, (void **)&m->known, m->n_known, &m->cap_known, sizeof *m->known)) {
        m->out_of_memory = true;
        return false;
    }
    m->known[m->n_known++] = (struct known_name){source, number, type, order, text, len, NULL};
    return true;
}

/* The last update of an id counts, the first of the event types of old. */
static bool know_records(struct pd_metadata *m)
{
    bool ok = true;
    for (size_t i = 0; ok && i < m->n_records; i++) {
        const struct pd_record *rec = &m->records[i]->rec;
        const struct pd_event_update *u = &rec->u.event_update;
        if (rec->type == PD_RECORD_EVENT_UPDATE && u->type == PD_EVENT_UPDATE_NAME)
            ok = know(m, FROM_UPDATE, u->id, 0, SIZE_MAX - i, u->name.ptr, u->name.len);
        else if (rec->type == PD_RECORD_HEADER_EVENT_TYPE)
            ok = know(m, FROM_OLD, rec->u.header_event_type.event_id, 0, m->n_old + i,
                      rec->u.header_event_type.name.ptr, rec->u.header_event_type.name.len);
    }
    for (size_t i = 0; ok && i < m->n_old; i++)
        ok = know(m, FROM_OLD, m->old_names[i].id, 0, i, m->old_names[i].text, strlen(m->old_names[i].text));
    return ok;
}

static bool know_desc(struct pd_metadata *m)
{
    const struct pd_feature *f = decoded(m, PD_FEAT_EVENT_DESC);
    struct pd_list l = f ? f->u.event_desc.events : (struct pd_list){0};
    struct pd_event_desc d;
    bool ok = true;
    for (uint32_t i = 0; ok && pd_event_desc_next(&l, &d); i++)
        ok = d.name.len == 0 || know(m, FROM_DESC, i, 0, 0, d.name.ptr, d.name.len);
    return ok;
}

/* simpleperf: a line "name,type,config" for each event. */
static bool know_lines(struct pd_metadata *m, const struct pd_str *lines)
{
    const char *p = lines->ptr, *end = lines->ptr + lines->len;
    bool ok = true;
    for (size_t i = 0; ok && p < end; i++) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        const char *line_end = stop ? stop : end, *comma = memchr(p, ',', (size_t)(line_end - p));
        char numbers[64] = "";
        unsigned long long type, config;
        if (comma && (size_t)(line_end - comma) < sizeof numbers) {
            memcpy(numbers, comma + 1, (size_t)(line_end - comma) - 1);
            if (sscanf(numbers, "%llu,%llu", &type, &config) == 2)
                ok = know(m, FROM_LINES, config, type, i, p, (size_t)(comma - p));
        }
        p = line_end + 1;
    }
    return ok;
}

static bool know_meta_info(struct pd_metadata *m)
{
    static const char key[] = "event_type_info";
    const struct pd_feature *f = decoded(m, PD_FEAT_SIMPLEPERF_META_INFO);
    struct pd_list l = f ? f->u.simpleperf_meta_info.entries : (struct pd_list){0};
    struct pd_meta_info e;
    while (pd_meta_info_next(&l, &e))
        if (e.key.len == sizeof key - 1 && memcmp(e.key.ptr, key, e.key.len) == 0)
            return know_lines(m, &e.value);
    return true;
}

static int by_number(const void *pa, const void *pb)
{
    const struct known_name *a = pa, *b = pb;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    if (a->type != b->type)
        return a->type < b->type ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static bool index_names(struct pd_metadata *m)
{
    m->n_known = 0;
    m->indexed = know_records(m) && know_desc(m) && know_meta_info(m);
    if (m->indexed && m->n_known)
        qsort(m->known, m->n_known, sizeof *m->known, by_number);
    return m->indexed;
}

/* The first one that is known of this, or NULL. */
static struct known_name *find_name(const struct pd_metadata *m, enum source source, uint64_t number,
                                    uint64_t type)
{
    const struct known_name wanted = {source, number, type, 0, NULL, 0, NULL};
    size_t low = 0, high = m->n_known;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (by_number(&m->known[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    struct known_name *k = low < m->n_known ? &m->known[low] : NULL;
    return k && k->source == source && k->number == number && k->type == type ? k : NULL;
}

/* Up to a NUL, where a length says more. */
static const char *text_of(struct pd_metadata *m, struct known_name *k)
{
    if (k && !k->made)
        k->made = the_text(m, k->text, strnlen(k->text, k->len));
    return k ? k->made : NULL;
}

/* Of the ids of an event the one that was updated last. */
static const char *name_from_update(struct pd_metadata *m, const struct pd_event_attr *e)
{
    struct known_name *last = NULL;
    if (m->n_known == 0 || m->known[0].source != FROM_UPDATE)
        return NULL;
    for (size_t i = 0; i < e->n_ids; i++) {
        struct known_name *k = find_name(m, FROM_UPDATE, e->ids[i], 0);
        if (k && (!last || k->order < last->order))
            last = k;
    }
    return text_of(m, last);
}

static const char *name_from_tracing(struct pd_metadata *m, const struct pd_attr *attr)
{
    const struct pd_tracepoints *t = attr->type == PD_TYPE_TRACEPOINT ? pd_metadata_tracepoints(m) : NULL;
    const struct pd_tracepoint *tp = t ? pd_tracepoints_by_id(t, attr->config) : NULL;
    if (!tp)
        return NULL;
    char name[PD_LIMIT_EVENT_NAME + 2]; /* a colon and a NUL */
    if (tp->system.len + tp->name.len > PD_LIMIT_EVENT_NAME) {
        struct pd_error e;
        pd_fail(&e, PD_ELIMIT, PD_NOWHERE, "name of an event in the tracing data",
                tp->system.len + tp->name.len, PD_LIMIT_EVENT_NAME);
        note(m, &e);
        return NULL;
    }
    snprintf(name, sizeof name, "%.*s:%.*s", (int)tp->system.len, tp->system.ptr, (int)tp->name.len,
             tp->name.ptr);
    return the_text(m, name, strlen(name));
}

static const char *make_name(struct pd_metadata *m, const struct pd_reader *r, uint32_t attr)
{
    const struct pd_event_attr *e = pd_reader_attr(r, attr);
    const char *name = name_from_update(m, e);
    if (!name)
        name = text_of(m, find_name(m, FROM_DESC, attr, 0));
    if (!name)
        name = name_from_tracing(m, &e->attr);
    if (!name)
        name = text_of(m, find_name(m, FROM_LINES, e->attr.config, e->attr.type));
    return name ? name : text_of(m, find_name(m, FROM_OLD, e->attr.config, 0));
}

const char *pd_metadata_event_name(struct pd_metadata *m, const struct pd_reader *r, uint32_t attr)
{
    const size_t n = pd_reader_n_attrs(r);
    if (attr >= n)
        return NULL;
    if (n > m->n_names) {
        const char **names = pd_array(m->allocator, m->names, n, sizeof *names);
        m->out_of_memory |= !names;
        if (!names)
            return NULL;
        memset(names + m->n_names, 0, (n - m->n_names) * sizeof *names);
        m->names = names;
        m->n_names = n;
    }
    if (!m->names[attr] && (m->indexed || index_names(m)))
        m->names[attr] = make_name(m, r, attr);
    if (!m->names[attr])
        m->names[attr] = ""; /* not to be looked for again with each sample */
    return m->names[attr] && *m->names[attr] ? m->names[attr] : NULL;
}

/* ---- Answers: cpus. */

/* A number at *p; false: there is none, or it is too large. */
static bool take_number(const char **p, const char *end, uint32_t *n)
{
    uint64_t v = 0;
    const char *begin = *p;
    for (; *p < end && **p >= '0' && **p <= '9'; ++*p) {
        v = v * 10 + (uint64_t)(**p - '0');
        if (v > UINT32_MAX)
            return false;
    }
    *n = (uint32_t)v;
    return *p > begin;
}

bool pd_cpu_list_each(const char *list, size_t n, void (*range)(void *user, uint32_t first, uint32_t last),
                      void *user)
{
    const char *p = list, *end = list + n;
    uint32_t first, last;
    while (p < end && *p != '\n') {
        if (!take_number(&p, end, &first))
            return false;
        last = first;
        if (p < end && *p == '-') {
            p++;
            if (!take_number(&p, end, &last) || last < first)
                return false;
        }
        range(user, first, last);
        if (p < end && *p == ',')
            p++;
        else if (p < end && *p != '\n')
            return false;
    }
    return true;
}

struct search {
    uint32_t cpu;
    bool found;
};

static void in_range(void *user, uint32_t first, uint32_t last)
{
    struct search *s = user;
    s->found |= s->cpu >= first && s->cpu <= last;
}

bool pd_cpu_list_has(const char *list, size_t n, uint32_t cpu)
{
    struct search s = {cpu, false};
    pd_cpu_list_each(list, n, in_range, &s);
    return s.found;
}

/* Ranges of the bits that are set. */
static void each_bit(const struct pd_vec *words, void (*range)(void *user, uint32_t first, uint32_t last),
                     void *user)
{
    const uint32_t per = 8u * words->width;
    uint32_t begin = 0;
    bool open = false;
    for (uint32_t i = 0; i <= words->n * per; i++) {
        const bool set = i < words->n * per && pd_vec_at(words, i / per) >> i % per & 1;
        if (set && !open)
            begin = i;
        if (open && !set)
            range(user, begin, i - 1);
        open = set;
    }
}

void pd_cpu_map_each(const struct pd_cpu_map_data *map,
                     void (*range)(void *user, uint32_t first, uint32_t last), void *user)
{
    const struct pd_vec *cpus = &map->cpus.cpu;
    switch (map->type) {
    case PD_CPU_MAP_CPUS:
        for (size_t i = 0; i < cpus->n; i++)
            if (pd_vec_at(cpus, i) != UINT16_MAX)
                range(user, (uint32_t)pd_vec_at(cpus, i), (uint32_t)pd_vec_at(cpus, i));
        break;
    case PD_CPU_MAP_MASK:
        each_bit(map->mask.long_size == 4 ? &map->mask.mask32 : &map->mask.mask64, range, user);
        break;
    case PD_CPU_MAP_RANGE_CPUS:
        if (map->range.start_cpu <= map->range.end_cpu)
            range(user, map->range.start_cpu, map->range.end_cpu);
        break;
    default: break;
    }
}

static int32_t node_of(const struct pd_metadata *m, uint32_t cpu)
{
    const struct pd_feature *f = decoded(m, PD_FEAT_NUMA_TOPOLOGY);
    struct pd_list l = f ? f->u.numa_topology.nodes : (struct pd_list){0};
    struct pd_numa_node node;
    while (pd_numa_node_next(&l, &node))
        if (pd_cpu_list_has(node.cpus.ptr, node.cpus.len, cpu))
            return (int32_t)node.node;
    return -1;
}

struct pd_cpu_place pd_metadata_cpu(const struct pd_metadata *m, uint32_t cpu)
{
    struct pd_cpu_place place = {-1, -1, -1, node_of(m, cpu)};
    const struct pd_feature *f = decoded(m, PD_FEAT_CPU_TOPOLOGY);
    struct pd_cpu_topology_cpu c;
    if (!f || !f->u.cpu_topology.has_cpus || cpu >= f->u.cpu_topology.cpus.n)
        return place;
    pd_cpu_topology_cpu_at(&f->u.cpu_topology.cpus, cpu, &c);
    place.core = (int32_t)c.core_id;
    place.socket = (int32_t)c.socket_id;
    if (f->u.cpu_topology.has_dies && cpu < f->u.cpu_topology.die_ids.n)
        place.die = (int32_t)pd_vec_at(&f->u.cpu_topology.die_ids, cpu);
    return place;
}

/* ---- Answers: build ids. */

static size_t build_id_size(const struct pd_build_id *b)
{
    size_t n = sizeof b->build_id;
    if (b->misc & PD_MISC_BUILD_ID_SIZE)
        return b->size < n ? b->size : n;
    while (n >= 4 && !b->build_id[n - 1] && !b->build_id[n - 2] && !b->build_id[n - 3] && !b->build_id[n - 4])
        n -= 4;
    return n;
}

/* The build id of a mapping, in the form of the others. */
static struct pd_build_id mapped_build_id(const struct pd_record *rec)
{
    const struct pd_mmap2 *map = &rec->u.mmap2;
    struct pd_build_id b = {.misc = PD_MISC_BUILD_ID_SIZE | (rec->misc & PD_MISC_CPUMODE),
                            .pid = map->pid,
                            .size = map->build_id_size,
                            .filename = map->filename};
    memcpy(b.build_id, map->build_id, sizeof b.build_id);
    return b;
}

void pd_metadata_each_build_id(const struct pd_metadata *m,
                               void (*take)(void *user, const struct pd_build_id *file, const uint8_t *id,
                                            size_t n),
                               void *user)
{
    const struct pd_feature *f = decoded(m, PD_FEAT_BUILD_ID);
    struct pd_list l = f ? f->u.build_id.entries : (struct pd_list){0};
    struct pd_build_id_entry e;
    while (pd_build_id_entry_next(&l, &e))
        take(user, &e.file, e.file.build_id, build_id_size(&e.file));
    for (size_t i = 0; i < m->n_records; i++) {
        const struct pd_build_id *b = &m->records[i]->rec.u.header_build_id.file;
        if (m->records[i]->rec.type == PD_RECORD_HEADER_BUILD_ID)
            take(user, b, b->build_id, build_id_size(b));
        if (m->records[i]->rec.type == PD_RECORD_MMAP2) {
            const struct pd_build_id mapped = mapped_build_id(&m->records[i]->rec);
            take(user, &mapped, mapped.build_id, build_id_size(&mapped));
        }
    }
}

struct wanted_file {
    const char *name;
    uint8_t *id;
    size_t *n;
    bool found;
};

static void take_wanted(void *user, const struct pd_build_id *file, const uint8_t *id, size_t n)
{
    struct wanted_file *w = user;
    if (w->found || strlen(w->name) != file->filename.len ||
        memcmp(w->name, file->filename.ptr, file->filename.len) != 0)
        return;
    memcpy(w->id, id, n);
    *w->n = n;
    w->found = true;
}

bool pd_metadata_build_id(const struct pd_metadata *m, const char *filename, uint8_t id[20], size_t *n)
{
    struct wanted_file w = {filename, id, n, false};
    pd_metadata_each_build_id(m, take_wanted, &w);
    return w.found;
}
