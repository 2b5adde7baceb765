/* SPDX-License-Identifier: MIT */
/* gen.c - synthetic recordings: opening, the events, and the order of the parts. */
#include "gen_internal.h"
#include "src/reflect/reflect.h"
#include "src/support/limits.h"
#include "src/schema/fail.h"
#include "src/schema/options.h"
#include <assert.h>
#include <string.h>

#define DEFAULT_COUNT 10000

/* ---- Opening */

static enum pd_code no_memory(struct pd_error *error, size_t n)
{
    return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "generator", 0, n);
}

static_assert((int)PD_GEN_MOST_EVENTS == (int)PI_LIMIT_GEN_EVENTS &&
                  (int)PD_GEN_MOST_CPUS == (int)PI_LIMIT_GEN_CPUS &&
                  (int)PD_GEN_MOST_TASKS == (int)PI_LIMIT_GEN_TASKS &&
                  (int)PD_GEN_MOST_DEPTH == (int)PI_LIMIT_GEN_DEPTH,
              "the table of limits");

static enum pd_code check(const struct pd_gen_options *o, struct pd_error *error)
{
    const struct {
        const char *name;
        uint64_t value, most;
    } limits[] = {{"events", o->events, PD_GEN_MOST_EVENTS},
                  {"cpus", o->cpus, PD_GEN_MOST_CPUS},
                  {"tasks", o->tasks, PD_GEN_MOST_TASKS},
                  {"depth", o->depth, PD_GEN_MOST_DEPTH}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].value > limits[i].most)
            return pi_fail(error, PD_EARG, PD_NOWHERE, limits[i].name, limits[i].value, limits[i].most);
    const uint64_t both = PD_SAMPLE_WEIGHT | PD_SAMPLE_WEIGHT_STRUCT;
    const uint64_t known = pi_set_mask(&pd_set_sample_type);
    if ((o->sample_type & both) == both || (o->sample_type & ~known))
        return pi_fail(error, PD_EARG, PD_NOWHERE, "sample_type", o->sample_type, known);
    if (o->container == PD_CONTAINER_DIRECTORY && o->member == NULL)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "member", 0, 0);
    return PD_OK;
}

static enum pd_code allocate(struct pd_gen *g, struct pd_error *error)
{
    const struct pd_allocator *a = g->allocator;
    const size_t events = PD_GEN_MOST_EVENTS * sizeof *g->events;
    g->events = pi_resize(a, NULL, events);
    g->arena = pi_resize(a, NULL, PI_RANDOM_ARENA);
    g->record = pi_resize(a, NULL, UINT16_MAX);
    g->window.bytes = pi_resize(a, NULL, PI_GEN_WINDOW_BYTES);
    g->window.spare = pi_resize(a, NULL, PI_GEN_WINDOW_BYTES);
    if (!g->events || !g->arena || !g->record || !g->window.bytes || !g->window.spare)
        return no_memory(error, 2 * PI_GEN_WINDOW_BYTES);
    memset(g->events, 0, events);
    return PD_OK;
}

static enum pd_code read_text(struct pd_gen *g, struct pd_error *error)
{
    if ((g->text = pi_resize(g->allocator, NULL, sizeof *g->text)) == NULL)
        return no_memory(error, sizeof *g->text);
    return pi_gen_parse(g->text, g->options.workload, error);
}

static enum pd_code open_writers(struct pd_gen *g, const struct pd_sink *sink, struct pd_error *error)
{
    const struct pd_gen_options *o = &g->options;
    const bool directory = o->container == PD_CONTAINER_DIRECTORY;
    struct pd_writer_options how = {.size = sizeof how,
                                    .allocator = o->allocator,
                                    .order = o->order,
                                    .max_features = 1,
                                    .no_feature_end = !o->any,
                                    .container = directory ? PD_CONTAINER_FILE : o->container,
                                    .compression = o->compression,
                                    .level = o->level,
                                    .frame = o->frame,
                                    .workers = o->workers};
    enum pd_code code = pd_writer_open(&g->writer, sink, &how, error);
    how.container = PD_CONTAINER_DIRECTORY;
    how.max_features = 0;
    if (!code && directory)
        code = pd_writer_open(&g->member, o->member, &how, error);
    g->now = g->writer;
    return code;
}

/* perf reads events with different fields only if an id at the start of records tells them apart. */
static void make_plans(struct pd_gen *g)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < g->n_events; i++)
        all |= g->events[i].attr.sample_type ^ g->events[0].attr.sample_type;
    for (unsigned i = 0; i < g->n_events; i++) {
        struct pd_attr *attr = &g->events[i].attr;
        if (all || (g->n_events > 1 && !(attr->sample_type & PD_SAMPLE_ID)))
            attr->sample_type |= PD_SAMPLE_IDENTIFIER;
        pd_plan_init(&g->events[i].plan, attr, g->options.order);
    }
}

static enum pd_code put_attrs(struct pd_gen *g, struct pd_error *error)
{
    enum pd_code code = PD_OK;
    uint64_t ids[PD_GEN_MOST_CPUS];
    for (unsigned i = 0; !code && i < g->n_events; i++) {
        for (unsigned cpu = 0; cpu < g->cpus; cpu++)
            ids[cpu] = pi_gen_id(g, i, cpu);
        code = pd_writer_attr(g->writer, &g->events[i].attr, ids, g->cpus, error);
        if (!code && g->member)
            code = pd_writer_attr(g->member, &g->events[i].attr, ids, g->cpus, error);
    }
    return code;
}

static enum pd_code start(struct pd_gen *g, const struct pd_sink *sink, struct pd_error *error)
{
    enum pd_code code = allocate(g, error);
    if (!code && g->options.workload)
        code = read_text(g, error);
    if (code)
        return code;
    g->cpus = g->options.cpus ? g->options.cpus : g->text && g->text->cpus ? g->text->cpus : 4;
    if (g->text)
        code = pi_gen_workload_open(g, error);
    else if ((code = pi_gen_random_weights(g, error)) == PD_OK)
        pi_gen_random_events(g);
    make_plans(g);
    return code ? code : open_writers(g, sink, error);
}

enum pd_code pd_gen_open(struct pd_gen **out, const struct pd_sink *sink,
                         const struct pd_gen_options *options, struct pd_error *error)
{
    struct pd_gen_options own;
    enum pd_code code = PI_TAKE_OPTIONS(pd_gen_options, &own, options, error);
    if (code || (code = check(&own, error)))
        return code;
    struct pd_gen *g = pi_resize(own.allocator, NULL, sizeof *g);
    if (g == NULL)
        return no_memory(error, sizeof *g);
    memset(g, 0, sizeof *g);
    g->options = own;
    g->allocator = own.allocator;
    g->rng.state = own.seed;
    g->clock = g->first_time = UINT64_C(1000000000000) + pi_rng_below(&g->rng, UINT64_C(1000000000000));
    if (own.count == 0 && own.bytes == 0)
        g->options.count = DEFAULT_COUNT;
    code = start(g, sink, error);
    /* They belong to the caller, and are not needed any more. */
    g->options.weights = NULL;
    g->options.workload = NULL;
    if (code)
        pd_gen_close(g);
    else
        *out = g;
    return code;
}

void pd_gen_close(struct pd_gen *g)
{
    if (g == NULL)
        return;
    const struct pd_allocator *a = g->allocator;
    pd_writer_close(g->writer);
    pd_writer_close(g->member);
    pi_release(a, g->events);
    pi_release(a, g->arena);
    pi_release(a, g->record);
    pi_release(a, g->window.bytes);
    pi_release(a, g->window.spare);
    pi_release(a, g->weights);
    pi_release(a, g->text);
    pi_release(a, g->work);
    pi_release(a, g);
}

/* ---- Making it */

enum pd_code pd_gen_run(struct pd_gen *g, struct pd_error *error)
{
    enum pd_code code = put_attrs(g, error);
    if (!code)
        code = pi_gen_put_features(g, error);
    if (!code)
        code = g->text ? pi_gen_workload_run(g, error) : pi_gen_random_run(g, error);
    if (!code)
        code = pi_gen_put_last_features(g, error);
    if (!code)
        code = pd_writer_finish(g->writer, error);
    return code || g->member == NULL ? code : pd_writer_finish(g->member, error);
}

uint64_t pd_gen_records(const struct pd_gen *g)
{
    return g->records;
}

bool pi_gen_hides_callers(const struct pd_gen *g)
{
    const uint64_t showing = PD_SAMPLE_CALLCHAIN | PD_SAMPLE_BRANCH_STACK | PD_SAMPLE_STACK_USER;
    bool callers = false, shown = false;
    for (unsigned i = 0; g->text && i < g->text->n_functions; i++)
        callers |= g->text->functions[i].caller >= 0;
    for (unsigned i = 0; i < g->n_events; i++)
        shown |= (g->events[i].attr.sample_type & showing) != 0;
    return callers && !shown;
}

uint64_t pd_gen_bytes(const struct pd_gen *g)
{
    return g->bytes;
}
