/* SPDX-License-Identifier: MIT */
/* gen_sample.c - the fields of synthetic samples. */
#include "gen_internal.h"
#include "src/codec/variant.h"
#include <string.h>

#define STACK_TOP UINT64_C(0x7ffc00000000)
#define HEAP UINT64_C(0x560000000000)

/* The registers that perf record asks for on x86. */
#define USUAL_REGS 0xff0fffu
#define USUAL_STACK 1024

void pi_gen_complete_attr(struct pd_attr *a)
{
    if (a->sample_type & PD_SAMPLE_REGS_USER)
        a->sample_regs_user = USUAL_REGS;
    if (a->sample_type & PD_SAMPLE_REGS_INTR)
        a->sample_regs_intr = USUAL_REGS;
    if (a->sample_type & PD_SAMPLE_STACK_USER)
        a->sample_stack_user = USUAL_STACK;
    if (a->sample_type & PD_SAMPLE_BRANCH_STACK)
        a->branch_sample_type = PD_BRANCH_SAMPLE_ANY;
    if (a->sample_type & PD_SAMPLE_AUX)
        a->aux_sample_size = 256;
}

struct pi_gen_place pi_gen_random_place(struct pd_gen *g, size_t most)
{
    uint64_t *chain = g->fields.chain;
    const bool kernel = pi_rng_one_in(&g->rng, 4);
    const size_t depth = 1 + (size_t)pi_rng_below(&g->rng, most);
    const size_t in_kernel = kernel ? 1 + (size_t)pi_rng_below(&g->rng, depth) : 0;
    size_t n = 0;
    for (size_t i = 0; i < depth; i++) {
        if (i == 0 && kernel)
            chain[n++] = PD_CONTEXT_KERNEL;
        if (i == in_kernel)
            chain[n++] = PD_CONTEXT_USER;
        chain[n++] = (i < in_kernel ? PI_GEN_KERNEL_TEXT : PI_GEN_USER_TEXT) + pi_rng_below(&g->rng, 1 << 20);
    }
    return (struct pi_gen_place){chain, n, chain[1], kernel};
}

void pi_gen_fill_read(struct pd_gen *g, unsigned event, uint32_t cpu, struct pd_read_values *v)
{
    const bool group = g->events[event].attr.read_format & PD_FORMAT_GROUP;
    struct pi_gen_event *e = &g->events[event];
    struct pd_read_value *values = g->fields.values;
    const uint64_t enabled = g->clock - g->first_time;
    e->count += e->period;
    memset(v, 0, sizeof *v);
    v->time_enabled = v->time_running = enabled;
    v->value = e->count;
    v->id = pi_gen_id(g, event, cpu);
    if (!group)
        return;
    for (unsigned i = 0; i < g->n_events; i++)
        values[i] = (struct pd_read_value){g->events[i].count, pi_gen_id(g, i, cpu), 0};
    v->nr = g->n_events;
    v->values = PD_LIST(values, g->n_events);
}

/* The branches that led here: each from where the one before it went to. */
static void fill_branches(struct pd_gen *g, struct pd_branch_stack *b, const struct pi_gen_place *place)
{
    struct pd_branch_entry *e = g->fields.branches;
    const size_t n = 8 + (size_t)pi_rng_below(&g->rng, 25);
    uint64_t to = place->ip;
    for (size_t i = 0; i < n; i++) {
        const uint64_t *caller =
            place->n > 1 ? &place->chain[1 + pi_rng_below(&g->rng, place->n - 1)] : &place->ip;
        const uint64_t from = (*caller < PD_CONTEXT_MAX ? *caller : place->ip) + pi_rng_below(&g->rng, 64);
        const bool missed = pi_rng_one_in(&g->rng, 20);
        e[i] = (struct pd_branch_entry){from, to, (missed ? 1 : 2) | (1 + pi_rng_below(&g->rng, 200)) << 4};
        to = from - pi_rng_below(&g->rng, 32);
    }
    *b = (struct pd_branch_stack){.nr = n, .hw_idx = UINT64_MAX, .entries = PD_LIST(e, n)};
}

static void fill_regs(struct pd_gen *g, uint64_t mask, uint64_t ip, uint64_t *abi, struct pd_vec *regs)
{
    const size_t n = (size_t)__builtin_popcountll(mask);
    uint64_t *r = g->fields.regs;
    for (size_t i = 0; i < n; i++)
        r[i] = pi_rng_one_in(&g->rng, 3) ? pi_rng_below(&g->rng, 4096)
                                         : STACK_TOP - 8 * pi_rng_below(&g->rng, 1024);
    if (n > 8) /* of x86: the stack pointer and the instruction pointer */
        r[7] = STACK_TOP - 8192, r[8] = ip;
    *abi = PD_REGS_ABI_64;
    *regs = PD_VEC64(r, n);
}

/* As much of the stack as the attr asks for; half of it is really there. */
static void fill_stack(struct pd_gen *g, const struct pd_attr *attr, const struct pi_gen_place *place,
                       struct pd_stack_user *s)
{
    uint8_t *bytes = g->fields.stack;
    const size_t n =
        attr->sample_stack_user < sizeof g->fields.stack ? attr->sample_stack_user : sizeof g->fields.stack;
    if (n == 0)
        return;
    memset(bytes, 0, n);
    for (size_t i = 0; i < place->n && 64 * i + 8 <= n / 2; i++)
        memcpy(bytes + 64 * i, &place->chain[i], 8);
    *s = (struct pd_stack_user){.size = n, .data = {bytes, n}, .dyn_size = n / 2};
}

static void fill_raw(struct pd_gen *g, unsigned event, const struct pi_gen_task *task,
                     struct pd_raw_data *raw)
{
    uint8_t *bytes = g->fields.raw;
    size_t n = 4 + 8 * (size_t)pi_rng_below(&g->rng, 4);
    if (g->events[event].attr.type == PD_TYPE_TRACEPOINT)
        n = pi_gen_trace_raw(g, event, task, bytes, sizeof g->fields.raw);
    else
        for (size_t i = 0; i < n; i++)
            bytes[i] = (uint8_t)pi_rng_next(&g->rng);
    *raw = (struct pd_raw_data){(uint32_t)n, {bytes, n}};
}

static uint64_t load_of(struct pd_gen *g)
{
    static const uint64_t levels[] = {1, 1, 1, 2, 3, 0xd}; /* mem_lvl_num: L1, L2, L3, RAM */
    const uint64_t level = levels[pi_rng_below(&g->rng, 6)];
    return 2 /* load */ | (level == 1 ? 2u : 4u) << 5 | level << 33;
}

static void fill_memory(struct pd_gen *g, struct pd_sample *s)
{
    s->addr = HEAP + 8 * pi_rng_below(&g->rng, 1 << 20);
    s->phys_addr = UINT64_C(0x100000000) + (s->addr & 0xffffff);
    s->weight = 4 + pi_rng_below(&g->rng, 300);
    s->weight_struct = s->weight | (1 + pi_rng_below(&g->rng, 8)) << 32;
    s->data_src = load_of(g);
    s->data_page_size = s->code_page_size = PI_GEN_PAGE;
    s->cgroup = 1;
}

void pi_gen_fill_sample(struct pd_gen *g, struct pd_record *rec, unsigned event,
                        const struct pi_gen_task *task, const struct pi_gen_place *place)
{
    const struct pi_gen_event *e = &g->events[event];
    const uint64_t what = e->attr.sample_type;
    *rec = (struct pd_record){.type = PD_RECORD_SAMPLE,
                              .misc = place->kernel ? PD_CPUMODE_KERNEL : PD_CPUMODE_USER,
                              .variant = pi_usual_variant(&e->plan, PD_RECORD_SAMPLE)};
    struct pd_sample *s = &rec->u.sample;
    s->ip = place->ip;
    s->period = e->period;
    if (e->attr.flags & PD_ATTR_FREQ && e->period > 16) /* the kernel adjusts it all the time */
        s->period = e->period - e->period / 16 + pi_rng_below(&g->rng, e->period / 8);
    fill_memory(g, s);
    s->callchain = (struct pd_callchain){place->n, PD_VEC64(place->chain, place->n)};
    if (what & PD_SAMPLE_READ)
        pi_gen_fill_read(g, event, task->cpu, &s->read);
    if (what & PD_SAMPLE_RAW)
        fill_raw(g, event, task, &s->raw);
    if (what & PD_SAMPLE_BRANCH_STACK)
        fill_branches(g, &s->branch_stack, place);
    if (what & (PD_SAMPLE_REGS_USER | PD_SAMPLE_REGS_INTR)) { /* both are views of the same array */
        fill_regs(g, e->attr.sample_regs_user, place->ip, &s->regs_user.abi, &s->regs_user.regs);
        fill_regs(g, e->attr.sample_regs_intr, place->ip, &s->regs_intr.abi, &s->regs_intr.regs);
    }
    if (what & PD_SAMPLE_STACK_USER)
        fill_stack(g, &e->attr, place, &s->stack_user);
    if (what & PD_SAMPLE_AUX)
        s->aux = (struct pd_aux_data){sizeof g->fields.aux, {g->fields.aux, sizeof g->fields.aux}};
}
