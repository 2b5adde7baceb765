/* SPDX-License-Identifier: MIT */
/* gen_features.c - the features of synthetic recordings. */
#include "gen_internal.h"
#include "src/codec/carried.h"
#include "src/schema/fail.h"
#include <perfdata/feature.h>
#include <stdio.h>
#include <string.h>

/* To `data`, where the features of a directory are, too. */
static enum pd_code put_bytes(struct pd_gen *g, uint16_t id, const uint8_t *bytes, size_t n,
                              struct pd_error *error)
{
    enum pd_code code = pd_writer_feature(g->writer, id, error);
    return code ? code : pd_writer_feature_bytes(g->writer, bytes, n, error);
}

static enum pd_code put_feature(struct pd_gen *g, const struct pd_feature *f, struct pd_error *error)
{
    size_t n;
    enum pd_code code = pd_feature_encode(g->options.order, f, g->arena, PI_RANDOM_ARENA, &n, error);
    return code ? code : put_bytes(g, (uint16_t)f->id, g->arena, n, error);
}

/* ---- The usual ones */

static enum pd_code put_text(struct pd_gen *g, uint32_t id, const char *text, struct pd_error *error)
{
    struct pd_feature f = {.id = id};
    f.u.hostname.text = PD_STR(text); /* all features of one string are alike */
    return put_feature(g, &f, error);
}

static enum pd_code put_texts(struct pd_gen *g, struct pd_error *error)
{
    const bool big = g->options.order == PD_BIG;
    const struct {
        uint32_t id;
        const char *text;
    } texts[] = {{PD_FEAT_HOSTNAME, "synthetic"},
                 {PD_FEAT_OSRELEASE, "6.1.0-synthetic"},
                 {PD_FEAT_VERSION, "6.1.0"},
                 {PD_FEAT_ARCH, big ? "s390x" : "x86_64"},
                 {PD_FEAT_CPUDESC, "synthetic cpu"},
                 {PD_FEAT_CPUID, big ? "IBM,3931,704,A01,3.7,002f" : "GenuineIntel,6,106,6"}};
    enum pd_code code = PD_OK;
    for (size_t i = 0; !code && i < sizeof texts / sizeof *texts; i++)
        code = put_text(g, texts[i].id, texts[i].text, error);
    return code;
}

static enum pd_code put_machine(struct pd_gen *g, struct pd_error *error)
{
    struct pd_feature cpus = {.id = PD_FEAT_NRCPUS}, memory = {.id = PD_FEAT_TOTAL_MEM};
    cpus.u.nrcpus = (struct pd_feature_nrcpus){g->cpus, g->cpus};
    memory.u.total_mem.total_mem = UINT64_C(16) << 20;
    g->nr_cpus_avail = g->cpus;
    enum pd_code code = put_feature(g, &cpus, error);
    return code ? code : put_feature(g, &memory, error);
}

static enum pd_code put_cmdline(struct pd_gen *g, struct pd_error *error)
{
    const struct pd_string words[] = {{PD_STR("/usr/bin/perf")}, {PD_STR("record")}, {PD_STR("-a")}};
    struct pd_feature f = {.id = PD_FEAT_CMDLINE};
    f.u.cmdline = (struct pd_feature_cmdline){3, PD_LIST(words, 3)};
    return put_feature(g, &f, error);
}

/* Names, attrs and ids of the events: perf shows events by these. */
static enum pd_code put_event_desc(struct pd_gen *g, struct pd_error *error)
{
    struct pd_event_desc *descs = pi_array(g->allocator, NULL, g->n_events, sizeof *descs);
    uint64_t *ids = pi_array(g->allocator, NULL, (size_t)g->n_events * g->cpus, 8);
    struct pd_feature f = {.id = PD_FEAT_EVENT_DESC};
    uint32_t size = 0;
    size_t n = 0;
    for (unsigned i = 0; i < g->n_events; i++)
        size = size > g->events[i].attr.size ? size : g->events[i].attr.size;
    for (unsigned i = 0; descs && ids && i < g->n_events; i++) {
        const struct pi_gen_event *e = &g->events[i];
        for (uint32_t cpu = 0; cpu < g->cpus; cpu++)
            ids[(size_t)i * g->cpus + cpu] = pi_gen_id(g, i, cpu);
        descs[i] = (struct pd_event_desc){size, e->attr, g->cpus, PD_STR(e->name),
                                          PD_VEC64(ids + (size_t)i * g->cpus, g->cpus)};
    }
    f.u.event_desc = (struct pd_feature_event_desc){g->n_events, size, PD_LIST(descs, g->n_events)};
    enum pd_code code = descs && ids ? PD_OK : pi_fail(error, PD_ENOMEM, PD_NOWHERE, "EVENT_DESC", 0, 0);
    if (!code)
        code = pd_feature_encode(g->options.order, &f, NULL, 0, &n, error);
    uint8_t *bytes = code ? NULL : pi_resize(g->allocator, NULL, n);
    if (!code && bytes == NULL)
        code = pi_fail(error, PD_ENOMEM, PD_NOWHERE, "EVENT_DESC", 0, n);
    if (!code)
        code = pd_feature_encode(g->options.order, &f, bytes, n, &n, error);
    /* A stream cannot hold a feature that is larger than a record, and has HEADER_ATTR records instead. */
    if (!code && (g->options.container != PD_CONTAINER_PIPE || n <= PI_CARRIED_MOST))
        code = put_bytes(g, PD_FEAT_EVENT_DESC, bytes, n, error);
    pi_release(g->allocator, bytes);
    pi_release(g->allocator, ids);
    pi_release(g->allocator, descs);
    return code;
}

static enum pd_code put_usual(struct pd_gen *g, struct pd_error *error)
{
    enum pd_code code;
    if ((code = put_texts(g, error)) || (code = put_machine(g, error)) || (code = put_cmdline(g, error)) ||
        (code = put_event_desc(g, error)))
        return code;
    bool branches = false;
    for (unsigned i = 0; i < g->n_events; i++)
        branches |= (g->events[i].attr.sample_type & PD_SAMPLE_BRANCH_STACK) != 0;
    return branches ? put_bytes(g, PD_FEAT_BRANCH_STACK, NULL, 0, error) : PD_OK;
}

/* ---- Random ones */

/* Features that must agree with the rest of the recording. */
static bool is_bound(uint32_t id)
{
    return id == PD_FEAT_DIR_FORMAT || id == PD_FEAT_COMPRESSED || id == PD_FEAT_AUXTRACE ||
           id == PD_FEAT_NRCPUS || id == PD_FEAT_SAMPLE_TIME || id > 255;
}

/* Features that perf relies on: random content would make it refuse the recording, or crash. */
static bool is_believed(uint32_t id)
{
    switch (id) {
    case PD_FEAT_TRACING_DATA:
    case PD_FEAT_BUILD_ID:
    case PD_FEAT_EVENT_DESC:
    case PD_FEAT_CPU_TOPOLOGY:
    case PD_FEAT_NUMA_TOPOLOGY:
    case PD_FEAT_PMU_MAPPINGS:
    case PD_FEAT_GROUP_DESC:
    case PD_FEAT_CACHE:
    case PD_FEAT_MEM_TOPOLOGY:
    case PD_FEAT_CLOCK_DATA:
    case PD_FEAT_HYBRID_TOPOLOGY:
    case PD_FEAT_PMU_CAPS:
    case PD_FEAT_CPU_PMU_CAPS:
    case PD_FEAT_BPF_PROG_INFO:
    case PD_FEAT_BPF_BTF:
    case PD_FEAT_ARCH:
    case PD_FEAT_CPU_DOMAIN_INFO: return true;
    default: return id >= PD_FEAT_SIMPLEPERF_FILE;
    }
}

static enum pd_code put_random(struct pd_gen *g, struct pd_error *error)
{
    const uint64_t seed = pi_rng_next(&g->rng);
    enum pd_code code = put_machine(g, error);
    if (!code && !g->options.any)
        code = put_event_desc(g, error);
    for (size_t i = 0; !code && i < pd_set_feature.n; i++) {
        const uint32_t id = (uint32_t)pd_set_feature.names[i].value;
        struct pi_rng rng = pi_rng_named(seed, pd_set_feature.names[i].name);
        struct pi_arena arena = pi_gen_arena(g);
        struct pd_feature f;
        size_t n;
        if (is_bound(id) || (!g->options.any && is_believed(id)) || id == PD_FEAT_TOTAL_MEM ||
            !pi_rng_one_in(&rng, 2) || !pi_random_feature(&rng, &arena, id, g->nr_cpus_avail, &f))
            continue;
        if (pd_feature_encode(g->options.order, &f, arena.ptr, arena.left, &n, NULL) == PD_OK)
            code = put_bytes(g, (uint16_t)id, arena.ptr, n, error);
    }
    return code;
}

/* ---- All */

static enum pd_code put_tracing(struct pd_gen *g, struct pd_error *error)
{
    const size_t n = pi_gen_trace_data(g, g->arena, PI_RANDOM_ARENA);
    return n ? put_bytes(g, PD_FEAT_TRACING_DATA, g->arena, n, error) : PD_OK;
}

enum pd_code pi_gen_put_features(struct pd_gen *g, struct pd_error *error)
{
    enum pd_code code = PD_OK;
    if (g->options.features == PD_GEN_FEATURES_ALL)
        code = put_random(g, error);
    else if (g->options.features == PD_GEN_FEATURES_USUAL)
        code = put_usual(g, error);
    if (!code && !g->options.any)
        code = put_tracing(g, error);
    if (!code && g->member) {
        const struct pd_feature f = {.id = PD_FEAT_DIR_FORMAT, .u.dir_format.version = 1};
        code = put_feature(g, &f, error);
    }
    return code;
}

/* Features that are known only at the end; a stream has its features in front. */
enum pd_code pi_gen_put_last_features(struct pd_gen *g, struct pd_error *error)
{
    const struct pd_feature f = {.id = PD_FEAT_SAMPLE_TIME,
                                 .u.sample_time = {g->first_sample, g->last_sample}};
    if (g->options.features == PD_GEN_FEATURES_NONE || g->options.container == PD_CONTAINER_PIPE)
        return PD_OK;
    return put_feature(g, &f, error);
}
