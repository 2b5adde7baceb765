/* SPDX-License-Identifier: MIT */
/*
 * gen_random.c - random records. Unless any value is allowed, perf accepts them without a message: references
 * have targets, and names come from a small stock, since perf keeps all names.
 */
#include "gen_internal.h"
#include "src/schema/fail.h"
#include "src/schema/roles.h"
#include "src/schema/schema.h"
#include "src/support/wire.h"
#include <perfdata/feature.h>
#include <perfdata/session/event.h>
#include <stdio.h>
#include <string.h>

#define USUAL_DEPTH 16
#define USUAL_TASKS 32
#define MOST_TRIES 1000

/* Types that perf 6.1 and later read correctly. */
static const struct pd_gen_weight usual[] = {
    {PD_RECORD_SAMPLE, 8000},
    {PD_RECORD_MMAP2, 300},
    {PD_RECORD_MMAP, 50},
    {PD_RECORD_COMM, 300},
    {PD_RECORD_FORK, 200},
    {PD_RECORD_EXIT, 150},
    {PD_RECORD_SWITCH, 150},
    {PD_RECORD_SWITCH_CPU_WIDE, 150},
    {PD_RECORD_READ, 50},
    {PD_RECORD_THROTTLE, 30},
    {PD_RECORD_UNTHROTTLE, 30},
    {PD_RECORD_LOST, 10},
    {PD_RECORD_LOST_SAMPLES, 10},
    {PD_RECORD_NAMESPACES, 50},
    {PD_RECORD_KSYMBOL, 20},
    {PD_RECORD_BPF_EVENT, 20},
    {PD_RECORD_CGROUP, 30},
    {PD_RECORD_TEXT_POKE, 10},
    {PD_RECORD_AUX, 20},
    {PD_RECORD_ITRACE_START, 10},
    {PD_RECORD_AUX_OUTPUT_HW_ID, 10},
    {PD_RECORD_FINISHED_ROUND, 100},
    {PD_RECORD_ID_INDEX, 5},
    {PD_RECORD_EVENT_UPDATE, 5},
    {PD_RECORD_TIME_CONV, 5},
    {PD_RECORD_FINISHED_INIT, 5},
};

/* ---- Which types */

/* perf 6.1 does not swap these, or not completely, and then reads wrong times. */
static bool is_unswapped(uint32_t type)
{
    return type == PD_RECORD_KSYMBOL || type == PD_RECORD_BPF_EVENT || type == PD_RECORD_AUX_OUTPUT_HW_ID ||
           type == PD_RECORD_READ;
}

enum pd_code pi_gen_random_weights(struct pd_gen *g, struct pd_error *error)
{
    const bool given = g->options.n_weights != 0;
    const struct pd_gen_weight *from = given ? g->options.weights : usual;
    const size_t n = given ? g->options.n_weights : sizeof usual / sizeof *usual;
    g->options.n_weights = n;
    if ((g->weights = pi_array(g->allocator, NULL, n, sizeof *from)) == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "weights", 0, n * sizeof *from);
    memcpy(g->weights, from, n * sizeof *from);
    for (size_t i = 0; i < n; i++) {
        if (pi_traits_of(from[i].type)->role == PI_ROLE_WRAPPER)
            return pi_fail(error, PD_EARG, PD_NOWHERE, "type that only the writer makes", from[i].type, 0);
        if (!given && g->options.order == PD_BIG && is_unswapped(from[i].type))
            g->weights[i].weight = 0;
        g->total_weight += g->weights[i].weight;
    }
    return g->total_weight ? PD_OK : pi_fail(error, PD_EARG, PD_NOWHERE, "weights", 0, 1);
}

static uint32_t random_type(struct pd_gen *g)
{
    uint64_t at = pi_rng_below(&g->rng, g->total_weight);
    size_t i = 0;
    while (at >= g->weights[i].weight)
        at -= g->weights[i++].weight;
    return g->weights[i].type;
}

/* ---- Events */

/* Fields that any event may have; perf shows little without ip, task and time. */
static uint64_t random_sample_type(struct pd_gen *g)
{
    const uint64_t seed = pi_rng_next(&g->rng);
    uint64_t what = PD_SAMPLE_IP | PD_SAMPLE_TID | PD_SAMPLE_TIME;
    for (size_t i = 0; i < pd_set_sample_type.n; i++)
        if (pi_rng_score(seed, pd_set_sample_type.names[i].name) % 3 == 0)
            what |= pd_set_sample_type.names[i].value;
    return what & PD_SAMPLE_WEIGHT ? what & ~PD_SAMPLE_WEIGHT_STRUCT : what;
}

static void complete_event(struct pd_gen *g, struct pi_gen_event *e)
{
    struct pd_attr *a = &e->attr;
    pi_gen_complete_attr(a);
    e->period = 1 + pi_rng_below(&g->rng, 100000);
    if (a->sample_type & PD_SAMPLE_REGS_INTR)
        a->sample_regs_intr &= pi_rng_next(&g->rng);
    if (a->sample_type & PD_SAMPLE_STACK_USER)
        a->sample_stack_user = 8 * (1 + (uint32_t)pi_rng_below(&g->rng, 512));
    if (a->sample_type & PD_SAMPLE_BRANCH_STACK && pi_rng_one_in(&g->rng, 2))
        a->branch_sample_type |= PD_BRANCH_SAMPLE_HW_INDEX;
}

static const struct {
    uint32_t type;
    uint64_t config;
} kinds[] = {{PD_TYPE_HARDWARE, PD_HW_CPU_CYCLES},    {PD_TYPE_SOFTWARE, PD_SW_CPU_CLOCK},
             {PD_TYPE_HARDWARE, PD_HW_INSTRUCTIONS},  {PD_TYPE_SOFTWARE, PD_SW_PAGE_FAULTS},
             {PD_TYPE_HARDWARE, PD_HW_CACHE_MISSES},  {PD_TYPE_SOFTWARE, PD_SW_CONTEXT_SWITCHES},
             {PD_TYPE_HARDWARE, PD_HW_BRANCH_MISSES}, {PD_TYPE_RAW, 0x1c2}};

static void usual_event(struct pd_gen *g, struct pi_gen_event *e, unsigned i, uint64_t read_format)
{
    const unsigned kind = i % (sizeof kinds / sizeof *kinds);
    const uint64_t again =
        i / (sizeof kinds / sizeof *kinds); /* the same kind of event, in the form of a raw one */
    e->attr = (struct pd_attr){.type = again ? PD_TYPE_RAW : kinds[kind].type,
                               .size = PD_ATTR_SIZE_VER7, /* of Linux 5.13; perf 6.1 reads no more */
                               .config = kinds[kind].config + (again << 8),
                               .sample_type = random_sample_type(g),
                               .read_format = read_format,
                               .flags = PD_ATTR_SAMPLE_ID_ALL | PD_ATTR_MMAP | PD_ATTR_MMAP2 | PD_ATTR_COMM |
                                        PD_ATTR_COMM_EXEC | PD_ATTR_TASK | PD_ATTR_INHERIT};
    e->attr.flags |=
        pi_rng_next(&g->rng) & (PD_ATTR_FREQ | PD_ATTR_DISABLED | PD_ATTR_EXCLUDE_HV | PD_ATTR_CGROUP |
                                PD_ATTR_NAMESPACES | PD_ATTR_KSYMBOL | PD_ATTR_CONTEXT_SWITCH);
    e->attr.sample_period = 1 + pi_rng_below(&g->rng, 100000);
}

/* Any attr; but without an id in front nothing could tell which event a record is of. */
static void any_event(struct pd_gen *g, struct pi_gen_event *e, uint64_t flags)
{
    struct pi_arena arena = pi_gen_arena(g);
    pi_random_attr(&g->rng, &arena, &e->attr);
    if (e->attr.tail.n) { /* would point into the arena */
        e->attr.tail = (struct pd_bytes){NULL, 0};
        e->attr.size = PD_ATTR_SIZE;
    }
    e->attr.flags = (e->attr.flags & ~PD_ATTR_SAMPLE_ID_ALL) | flags;
    e->attr.sample_type |= PD_SAMPLE_IDENTIFIER;
}

void pi_gen_random_events(struct pd_gen *g)
{
    const uint64_t read_format =
        PD_FORMAT_ID | (pi_rng_next(&g->rng) & (PD_FORMAT_TOTAL_TIME_ENABLED | PD_FORMAT_TOTAL_TIME_RUNNING |
                                                PD_FORMAT_GROUP | PD_FORMAT_LOST));
    const uint64_t all = pi_rng_one_in(&g->rng, 4) ? 0 : PD_ATTR_SAMPLE_ID_ALL;
    g->n_events = g->options.events ? g->options.events : 2;
    for (unsigned i = 0; i < g->n_events; i++) {
        struct pi_gen_event *e = &g->events[i];
        if (g->options.any)
            any_event(g, e, all);
        else
            usual_event(g, e, i, read_format);
        if (g->options.sample_type)
            e->attr.sample_type = g->options.sample_type;
        if (!g->options.any || g->options.sample_type)
            complete_event(g, e);
        pd_event_format(e->attr.type, e->attr.config, 0, 0, 0, e->name, sizeof e->name);
    }
}

/* ---- Targets of references */

static struct pi_gen_task random_task(struct pd_gen *g)
{
    const uint32_t tasks = g->options.tasks ? g->options.tasks : USUAL_TASKS;
    const uint32_t n = (uint32_t)pi_rng_below(&g->rng, tasks);
    return (struct pi_gen_task){1000 + n / 4 * 4, 1000 + n, (uint32_t)pi_rng_below(&g->rng, g->cpus)};
}

static const char *const paths[] = {"/usr/bin/synthetic",  "/usr/lib/libsynthetic.so.1", "/usr/lib/libc.so.6",
                                    "/opt/app/bin/worker", "/opt/app/lib/plugin.so",     "[vdso]"};
static const char *const names[] = {"synthetic", "worker/0", "worker/1", "sh", "cc1", "a name of 15 by"};
#define ONE_OF(g_, stock_) ((stock_)[pi_rng_below(&(g_)->rng, sizeof(stock_) / sizeof *(stock_))])

static void tame_mmap2(struct pd_gen *g, struct pd_record *rec, const struct pi_gen_task *task)
{
    struct pd_mmap2 *m = &rec->u.mmap2;
    const size_t path = (size_t)pi_rng_below(&g->rng, sizeof paths / sizeof *paths);
    m->pid = task->pid;
    m->tid = task->tid;
    m->addr = PI_GEN_USER_TEXT + PI_GEN_PAGE * pi_rng_below(&g->rng, 1 << 16);
    m->len = PI_GEN_PAGE * (1 + pi_rng_below(&g->rng, 256));
    m->pgoff = PI_GEN_PAGE * pi_rng_below(&g->rng, 64);
    m->build_id_size = sizeof m->build_id;
    memset(m->build_id, (int)path + 1, sizeof m->build_id); /* the same file, the same build id */
    m->maj = 8;
    m->min = 1;
    m->ino = 1000 + path;
    m->ino_generation = 1;
    m->filename = PD_STR(paths[path]);
}

static void tame_mmap(struct pd_gen *g, struct pd_record *rec, const struct pi_gen_task *task)
{
    struct pd_record other = {0};
    tame_mmap2(g, &other, task);
    const struct pd_mmap2 *m = &other.u.mmap2;
    rec->u.mmap = (struct pd_mmap){m->pid, m->tid, m->addr, m->len, m->pgoff, m->filename};
}

static const char *numbered(struct pd_gen *g, const char *format, uint64_t n)
{
    char *name = (char *)g->fields.raw;
    int length = snprintf(name, sizeof g->fields.raw, "%s%u", format, (unsigned)n);
    return length > 0 ? name : "";
}

static void tame_ksymbol(struct pd_gen *g, struct pd_record *rec)
{
    const uint64_t n = pi_rng_below(&g->rng, 64);
    struct pd_ksymbol *k = &rec->u.ksymbol;
    k->addr = PI_GEN_KERNEL_TEXT + PI_GEN_KERNEL_LENGTH + PI_GEN_PAGE * n;
    k->len = 512;
    k->ksym_type = PD_KSYM_TYPE_BPF;
    k->flags = 0; /* it stays: samples are shown by that name */
    const char *name = numbered(g, "bpf_prog_", n);
    k->name = PD_STR(name);
}

static void tame_cgroup(struct pd_gen *g, struct pd_record *rec)
{
    rec->u.cgroup.id = 1 + pi_rng_below(&g->rng, 16);
    const char *path = numbered(g, "/system.slice/unit-", rec->u.cgroup.id);
    rec->u.cgroup.path = PD_STR(path);
}

static void tame_namespaces(struct pd_gen *g, struct pd_record *rec, const struct pi_gen_task *task)
{
    static struct pd_namespace_entry spaces[7] = {{3, 0xf0000000}, {3, 0xeffffffe}, {3, 0xefffffff},
                                                  {3, 0xeffffffc}, {3, 0xeffffffd}, {3, 0xf0000001},
                                                  {3, 0xeffffffb}};
    (void)g;
    rec->u.namespaces = (struct pd_namespaces){task->pid, task->tid, 7, PD_LIST(spaces, 7)};
}

/* The events and their cpus, as many as fit. */
static void tame_id_index(struct pd_gen *g, struct pd_record *rec, struct pi_arena *arena)
{
    struct pd_id_index_entry *e = (struct pd_id_index_entry *)(void *)g->arena;
    size_t n = (size_t)g->n_events * g->cpus;
    n = n < 1000 ? n : 1000;
    arena->left = 0;
    for (size_t i = 0; i < n; i++)
        e[i] = (struct pd_id_index_entry){PI_GEN_FIRST_ID + i, i % g->cpus, i % g->cpus, UINT64_MAX};
    memset(&rec->u.id_index, 0, sizeof rec->u.id_index);
    rec->u.id_index.nr = n;
    rec->u.id_index.entries = PD_LIST(e, n);
}

static void tame_update(struct pd_gen *g, struct pd_record *rec, uint64_t id)
{
    (void)g;
    memset(&rec->u.event_update, 0, sizeof rec->u.event_update);
    rec->u.event_update =
        (struct pd_event_update){.type = PD_EVENT_UPDATE_UNIT, .id = id, .unit = PD_STR("units")};
}

/* Task of the records that name one first. */
static void tame_task(struct pd_record *rec, const struct pi_gen_task *task)
{
    rec->u.comm.pid = task->pid;
    rec->u.comm.tid = task->tid;
}

static void tame_comm(struct pd_gen *g, struct pd_record *rec, const struct pi_gen_task *task)
{
    const char *name = ONE_OF(g, names);
    rec->u.comm = (struct pd_comm){task->pid, task->tid, PD_STR(name)};
}

/*
 * Threads come from their process, processes from another one: perf copies the mappings from one process to
 * the other.
 */
static void tame_fork(struct pd_gen *g, struct pd_record *rec, const struct pi_gen_task *task)
{
    const uint32_t other = random_task(g).pid;
    const uint32_t parent = task->tid != task->pid ? task->pid : other != task->pid ? other : 1;
    rec->u.fork = (struct pd_fork){task->pid, parent, task->tid, parent, g->clock};
}

/* Without the bits of misc that say what it has. */
static void tame_build_id(struct pd_record *rec)
{
    struct pd_build_id *file = &rec->u.header_build_id.file;
    file->misc = 0;
    file->size = 0;
    file->reserved_1 = 0;
    file->reserved_2 = 0;
}

static void tame(struct pd_gen *g, struct pd_record *rec, unsigned event, const struct pi_gen_task *task,
                 struct pi_arena *arena)
{
    const uint64_t id = pi_gen_id(g, event, task->cpu);
    const uint16_t misc = rec->misc;
    rec->misc = PD_CPUMODE_USER;
    switch (rec->type) {
    case PD_RECORD_MMAP: tame_mmap(g, rec, task); break;
    case PD_RECORD_MMAP2:
        rec->misc |= misc & (PD_MISC_MMAP_DATA | PD_MISC_MMAP_BUILD_ID);
        tame_mmap2(g, rec, task);
        break;
    case PD_RECORD_COMM: tame_comm(g, rec, task); break;
    case PD_RECORD_FORK:
    case PD_RECORD_EXIT: tame_fork(g, rec, task); break;
    case PD_RECORD_THROTTLE:
    case PD_RECORD_UNTHROTTLE: rec->u.throttle = (struct pd_throttle){g->clock, id, id}; break;
    case PD_RECORD_READ:
        tame_task(rec, task);
        pi_gen_fill_read(g, event, task->cpu, &rec->u.read.values);
        break;
    case PD_RECORD_LOST: rec->u.lost = (struct pd_lost){id, 1 + pi_rng_below(&g->rng, 100)}; break;
    case PD_RECORD_LOST_SAMPLES: rec->u.lost_samples.lost = 1; break;
    case PD_RECORD_AUX: rec->u.aux.flags &= PD_AUX_FLAG_OVERWRITE; break;
    case PD_RECORD_SWITCH: rec->misc |= misc & PD_MISC_SWITCH_OUT; break;
    case PD_RECORD_SWITCH_CPU_WIDE: rec->misc |= misc & PD_MISC_SWITCH_OUT; /* fall through */
    case PD_RECORD_ITRACE_START: tame_task(rec, task); break;
    case PD_RECORD_NAMESPACES: tame_namespaces(g, rec, task); break;
    case PD_RECORD_KSYMBOL: tame_ksymbol(g, rec); break;
    case PD_RECORD_BPF_EVENT: rec->u.bpf_event.type = (uint16_t)(1 + pi_rng_below(&g->rng, 2)); break;
    case PD_RECORD_CGROUP: tame_cgroup(g, rec); break;
    case PD_RECORD_TEXT_POKE: rec->misc = PD_CPUMODE_KERNEL; break;
    case PD_RECORD_ID_INDEX: tame_id_index(g, rec, arena); break;
    case PD_RECORD_EVENT_UPDATE: tame_update(g, rec, id); break;
    case PD_RECORD_HEADER_BUILD_ID: tame_build_id(rec); break;
    case PD_RECORD_STAT: rec->u.stat.id = id; break;
    default: break;
    }
    if (rec->type >= PD_RECORD_HEADER_ATTR)
        rec->misc = 0;
    if (rec->rest.n >= 8)
        rec->rest = (struct pd_bytes){NULL, 0};
}

/* ---- Records with a payload, or that give others their meaning */

/* Of an event like the first, so that earlier records keep their meaning. */
static void fix_attr(struct pd_gen *g, struct pd_record *rec)
{
    g->fields.regs[0] = PI_GEN_FIRST_ID + PD_GEN_MOST_EVENTS * PD_GEN_MOST_CPUS + g->records;
    rec->u.header_attr = (struct pd_header_attr){g->events[0].attr, PD_VEC64(g->fields.regs, 1)};
    rec->rest = (struct pd_bytes){NULL, 0};
}

/* A valid feature, one of those that do not change the meaning of others. */
static bool fix_feature(struct pd_gen *g, struct pd_record *rec, struct pi_arena *arena)
{
    static const uint16_t ids[] = {PD_FEAT_HOSTNAME,      PD_FEAT_OSRELEASE,   PD_FEAT_VERSION,
                                   PD_FEAT_CPUDESC,       PD_FEAT_TOTAL_MEM,   PD_FEAT_CMDLINE,
                                   PD_FEAT_NUMA_TOPOLOGY, PD_FEAT_PMU_MAPPINGS};
    struct pd_feature f;
    size_t n;
    if (!pi_random_feature(&g->rng, arena, ONE_OF(g, ids), g->nr_cpus_avail, &f) ||
        pd_feature_encode(g->options.order, &f, arena->ptr, 60000, &n, NULL))
        return false;
    rec->u.header_feature = (struct pd_header_feature){f.id, {arena->ptr, n}};
    rec->rest = (struct pd_bytes){NULL, 0};
    return true;
}

/* Random tracing data, which follows the record outside of its size. It stays in the arena. */
static bool fix_tracing(struct pd_gen *g, struct pd_record *rec, struct pi_arena *arena,
                        struct pd_bytes *payload)
{
    static const uint8_t pad[8];
    struct pd_feature f;
    size_t n;
    if (!pi_random_feature(&g->rng, arena, PD_FEAT_TRACING_DATA, 0, &f) || arena->left < 16 ||
        pd_feature_encode(g->options.order, &f, arena->ptr, arena->left - 16, &n, NULL))
        return false;
    memset(arena->ptr + n, 0, 16);
    *payload = (struct pd_bytes){arena->ptr, (n + 7) & ~(size_t)7};
    rec->u.header_tracing_data.data_size = (uint32_t)payload->n;
    rec->rest = (struct pd_bytes){pad, 4};
    return true;
}

/* The same inside the record, as simpleperf has it. */
static bool fix_inner_tracing(struct pd_gen *g, struct pd_record *rec, struct pi_arena *arena)
{
    struct pd_bytes bytes;
    struct pd_record outer = {.type = PD_RECORD_HEADER_TRACING_DATA};
    if (!fix_tracing(g, &outer, arena, &bytes))
        return false;
    rec->u.simpleperf_tracing_data = (struct pd_simpleperf_tracing_data){(uint32_t)bytes.n, bytes};
    rec->rest = (struct pd_bytes){bytes.ptr + bytes.n, 4}; /* zeros, for a size that is a multiple of 8 */
    return true;
}

/*
 * The one part of a record that is split: its type, its size in 32 bits, and a SIMPLEPERF_DEBUG record's
 * payload.
 */
static void fix_split(struct pd_gen *g, struct pd_record *rec)
{
    static const char text[24] = "part of a large record";
    uint8_t *bytes = g->fields.raw;
    const size_t n = 16 + sizeof text;
    pi_store(bytes, PD_RECORD_SIMPLEPERF_DEBUG, 4, g->options.order);
    pi_store(bytes + 4, 0, 2, g->options.order); /* misc has the upper half */
    pi_store(bytes + 6, n, 2, g->options.order);
    pi_store(bytes + 8, g->clock, 8, g->options.order);
    memcpy(bytes + 16, text, sizeof text);
    rec->u.simpleperf_split.data = (struct pd_bytes){bytes, n};
    rec->rest = (struct pd_bytes){NULL, 0};
}

/* Parts and their end take turns, whichever comes up. */
static uint32_t next_split(struct pd_gen *g, uint32_t type)
{
    if (type != PD_RECORD_SIMPLEPERF_SPLIT && type != PD_RECORD_SIMPLEPERF_SPLIT_END)
        return type;
    g->split = !g->split;
    return g->split ? PD_RECORD_SIMPLEPERF_SPLIT : PD_RECORD_SIMPLEPERF_SPLIT_END;
}

/* AUX data may be anything; it is made when the record, whose bytes are in the arena, is written. */
static void fix_auxtrace(struct pd_gen *g, struct pd_record *rec, struct pd_bytes *payload)
{
    *payload = (struct pd_bytes){NULL, 8 * (size_t)(1 + pi_rng_below(&g->rng, 32))};
    rec->u.auxtrace.size = payload->n;
}

static bool fix(struct pd_gen *g, struct pd_record *rec, struct pi_arena *arena, struct pd_bytes *payload)
{
    switch (rec->type) {
    case PD_RECORD_HEADER_ATTR: fix_attr(g, rec); return true;
    case PD_RECORD_HEADER_FEATURE: return fix_feature(g, rec, arena);
    case PD_RECORD_HEADER_TRACING_DATA: return fix_tracing(g, rec, arena, payload);
    case PD_RECORD_SIMPLEPERF_TRACING_DATA: return fix_inner_tracing(g, rec, arena);
    case PD_RECORD_SIMPLEPERF_SPLIT: fix_split(g, rec); return true;
    case PD_RECORD_AUXTRACE: fix_auxtrace(g, rec, payload); return true;
    default: return true;
    }
}

/* ---- One record */

static size_t usual_depth(const struct pd_gen *g)
{
    return g->options.depth ? g->options.depth : USUAL_DEPTH;
}

/*
 * True if its layout depends on an event: all records of the kernel, and those of the tool with a sample_id.
 */
static bool is_of_event(uint32_t type)
{
    const struct pd_op *layout = pi_layout_of(type);
    return type < PD_RECORD_HEADER_ATTR || (layout && layout->src);
}

/* *payload: the bytes behind it. False: it could not be made this time. */
static bool make(struct pd_gen *g, struct pd_record *rec, uint32_t type, unsigned event,
                 const struct pi_gen_task *task, struct pd_bytes *payload)
{
    static const struct pd_plan none[] = {{.order = PD_LITTLE}, {.order = PD_BIG}};
    const struct pd_plan *plan = is_of_event(type) ? &g->events[event].plan : &none[g->options.order];
    struct pi_arena arena = pi_gen_arena(g);
    if (!g->options.any && type == PD_RECORD_SAMPLE) {
        const struct pi_gen_place place = pi_gen_random_place(g, usual_depth(g));
        pi_gen_fill_sample(g, rec, event, task, &place);
    } else {
        if (!pi_random_record(plan, type, &g->rng, &arena, rec))
            return false;
        if (!g->options.any)
            tame(g, rec, event, task, &arena);
    }
    *payload = (struct pd_bytes){NULL, 0};
    if (is_of_event(type))
        pi_gen_identify(g, rec, event, task);
    else
        rec->attr_index = UINT32_MAX;
    rec->plan = plan;
    return fix(g, rec, &arena, payload);
}

static enum pd_code put_payload(struct pd_gen *g, const struct pd_bytes *payload, struct pd_error *error)
{
    if (payload->n == 0)
        return PD_OK;
    if (payload->ptr)
        return pi_gen_payload(g, payload->ptr, payload->n, error);
    for (size_t i = 0; i < payload->n; i++)
        g->arena[i] = (uint8_t)pi_rng_next(&g->rng);
    return pi_gen_payload(g, g->arena, payload->n, error);
}

/* Sizes that are no multiples of 8 exist, but perf refuses them: then it is made again. */
static enum pd_code put_one(struct pd_gen *g, uint32_t type, struct pd_error *error)
{
    const struct pi_gen_task task = random_task(g);
    /*
     * Only an id tells the event of a record: all kernel records have one with sample_id_all, samples always.
     */
    const bool told = type == PD_RECORD_SAMPLE ||
                      (type < PD_RECORD_HEADER_ATTR && g->events[0].attr.flags & PD_ATTR_SAMPLE_ID_ALL);
    const unsigned event = told ? (unsigned)pi_rng_below(&g->rng, g->n_events) : 0;
    enum pd_code code = PD_OK;
    struct pd_record rec;
    struct pd_bytes payload = {NULL, 0};
    size_t size = 0;
    for (size_t tries = 0; size == 0 || size % 8; tries++) {
        if (tries == MOST_TRIES)
            return code ? code : pi_fail(error, PD_EARG, PD_NOWHERE, "type that cannot be made", type, 0);
        size = 0;
        if (make(g, &rec, type, event, &task, &payload) &&
            (code = pd_record_size(rec.plan, &rec, &size, error)))
            size = 0;
    }
    code = pi_gen_put(g, &rec, task.cpu, error);
    return code ? code : put_payload(g, &payload, error);
}

/* Each record takes one number of the generator, so that its content does not change later records. */
static enum pd_code put_random(struct pd_gen *g, uint32_t type, struct pd_error *error)
{
    const uint64_t seed = pi_rng_next(&g->rng);
    const struct pi_rng rng = g->rng;
    g->rng.state = seed;
    const enum pd_code code = put_one(g, type, error);
    g->rng = rng;
    return code;
}

enum pd_code pi_gen_random_run(struct pd_gen *g, struct pd_error *error)
{
    enum pd_code code = PD_OK;
    if (g->member)
        code = pi_gen_tool(g, PD_RECORD_FINISHED_INIT, error);
    if (g->member)
        g->now = g->member;
    while (!code && !pi_gen_enough(g, 0)) {
        g->clock += 1 + pi_rng_below(&g->rng, 20000);
        code = put_random(g, next_split(g, random_type(g)), error);
    }
    return code;
}
