/* SPDX-License-Identifier: MIT */
/*
 * gen_workload.c - the records of a described workload: a simulation in which samples fall on functions by
 * their shares.
 *
 * Shares are kept exactly, not only on average: for each event there is a deck of cards, each a function, in
 * proportion; it is shuffled, dealt to the end, and shuffled again.
 */
#include "gen_internal.h"
#include "src/schema/fail.h"
#include <perfdata/session/event.h>
#include <string.h>

#define DECK 2000
#define FIRST_PID 1000
#define LAST_PID 4000000
#define AGAIN_PID 100000 /* the next pid after the last one */
#define LOST_EVERY 1000
#define CLOCK_RATE UINT64_C(3000000000) /* cycles a second */
#define FREQUENCY 4000
#define USUAL_DEPTH 127

/* A process that lives, with its threads, whose numbers follow its own. */
struct instance {
    uint32_t pid, cpu;
    uint64_t left; /* samples until it exits; 0: it stays */
};

struct pi_gen_workload {
    uint16_t deck[PD_GEN_MOST_EVENTS][DECK];
    unsigned dealt[PD_GEN_MOST_EVENTS];
    uint32_t total_share;             /* of the events */
    uint32_t first[PI_GEN_PROCESSES]; /* instance of each process, the others behind it */
    uint32_t next_pid;
    uint64_t samples;
    struct pi_gen_task on_cpu[PD_GEN_MOST_CPUS];
    struct instance instances[];
};

/* ---- Events */

static bool open_event(struct pd_gen *g, struct pi_gen_event *e, const struct pi_gen_event_text *from,
                       unsigned i)
{
    struct pd_event event = {0};
    struct pd_attr *a = &e->attr;
    const size_t n = strlen(from->name);
    const bool trace = !pd_event_parse(from->name, n, &event);
    if (trace && strchr(from->name, ':') == NULL)
        return false;
    const bool clock = event.type == PD_TYPE_SOFTWARE && event.config <= PD_SW_TASK_CLOCK;
    const bool counts = !clock && (trace || event.type == PD_TYPE_SOFTWARE);
    const uint64_t freq = from->freq || from->period || counts ? from->freq : FREQUENCY;
    memcpy(e->name, from->name, n + 1);
    e->share = from->share;
    e->period = from->period ? from->period : freq ? (clock ? 1000000000 : CLOCK_RATE) / freq : 1;
    e->period += e->period == 0;
    *a = (struct pd_attr){.type = trace ? PD_TYPE_TRACEPOINT : event.type,
                          .size = PD_ATTR_SIZE_VER7,
                          .config = trace ? 300 + i : event.config,
                          .sample_period = freq ? freq : e->period,
                          .bp_addr = event.bp_addr,
                          .bp_type = event.bp_type,
                          .bp_len = event.bp_len,
                          .sample_type = g->options.sample_type,
                          .flags = PD_ATTR_SAMPLE_ID_ALL | PD_ATTR_INHERIT | PD_ATTR_DISABLED};
    a->flags |= freq ? PD_ATTR_FREQ : 0;
    if (i == 0)
        a->flags |= PD_ATTR_MMAP | PD_ATTR_MMAP2 | PD_ATTR_COMM | PD_ATTR_COMM_EXEC | PD_ATTR_TASK |
                    PD_ATTR_KSYMBOL | (g->text->switches ? PD_ATTR_CONTEXT_SWITCH : 0);
    if (a->sample_type == 0)
        a->sample_type = g->text->sample | PD_SAMPLE_IP | PD_SAMPLE_TID | PD_SAMPLE_TIME | PD_SAMPLE_CPU |
                         PD_SAMPLE_PERIOD | (trace ? PD_SAMPLE_RAW : 0);
    if (a->sample_type & PD_SAMPLE_READ)
        a->read_format = PD_FORMAT_ID | PD_FORMAT_TOTAL_TIME_ENABLED | PD_FORMAT_TOTAL_TIME_RUNNING;
    pi_gen_complete_attr(a);
    return true;
}

/* Events without a share divide the rest equally. */
static void share_events(struct pd_gen *g)
{
    uint32_t used = 0, without = 0;
    for (unsigned i = 0; i < g->n_events; i++) {
        used += g->events[i].share;
        without += g->events[i].share == 0;
    }
    for (unsigned i = 0; i < g->n_events; i++) {
        if (g->events[i].share == 0)
            g->events[i].share = used < PI_GEN_WHOLE ? (PI_GEN_WHOLE - used) / without : 1;
        g->work->total_share += g->events[i].share;
    }
}

static enum pd_code open_events(struct pd_gen *g, struct pd_error *error)
{
    static const struct pi_gen_event_text more[] = {{.name = "cycles"},        {.name = "instructions"},
                                                    {.name = "page-faults"},   {.name = "cache-misses"},
                                                    {.name = "branch-misses"}, {.name = "context-switches"}};
    const struct pi_gen_text *t = g->text;
    g->n_events = g->options.events ? g->options.events : t->n_events ? t->n_events : 1;
    for (unsigned i = 0; i < g->n_events; i++) {
        struct pi_gen_event_text raw = {.name = "r1000"};
        const bool given = i < t->n_events;
        const unsigned extra = given ? 0 : i - t->n_events;
        const bool known = !given && extra < sizeof more / sizeof *more;
        raw.name[3] = (char)('0' + i / 10), raw.name[4] = (char)('0' + i % 10);
        if (!open_event(g, &g->events[i], given ? &t->events[i] : known ? &more[extra] : &raw, i))
            return pi_fail(error, PD_EVALUE, PD_NOWHERE,
                           "an event is not understood: neither perf's name nor SYSTEM:NAME",
                           given ? t->events[i].line : 0, 0);
    }
    share_events(g);
    return PD_OK;
}

/* ---- Decks */

static uint64_t share_of(const struct pi_gen_text *t, const struct pi_gen_function *f)
{
    return (uint64_t)t->processes[f->process].share * f->share; /* of the square of PI_GEN_WHOLE */
}

/* As many cards as the share says; cards left by rounding go to the shares that lost most. */
static void make_deck(const struct pi_gen_text *t, uint16_t deck[DECK])
{
    const uint64_t whole = (uint64_t)PI_GEN_WHOLE * PI_GEN_WHOLE, card = whole / DECK;
    uint64_t cut[PI_GEN_FUNCTIONS];
    unsigned largest = 0; /* takes the rest then */
    size_t n = 0;
    for (unsigned i = 0; i < t->n_functions; i++) {
        const uint64_t share = share_of(t, &t->functions[i]);
        for (uint64_t k = share / card; k && n < DECK; k--)
            deck[n++] = (uint16_t)i;
        cut[i] = share % card;
        if (share > share_of(t, &t->functions[largest]))
            largest = i;
    }
    while (n < DECK) {
        unsigned most = largest;
        for (unsigned i = 0; i < t->n_functions; i++)
            if (cut[i] > cut[most])
                most = i;
        deck[n++] = (uint16_t)most;
        cut[most] = 0;
    }
}

static void shuffle(struct pd_gen *g, uint16_t deck[DECK])
{
    for (size_t i = DECK - 1; i; i--) {
        const size_t k = (size_t)pi_rng_below(&g->rng, i + 1);
        const uint16_t card = deck[i];
        deck[i] = deck[k];
        deck[k] = card;
    }
}

static const struct pi_gen_function *deal(struct pd_gen *g, unsigned event)
{
    struct pi_gen_workload *w = g->work;
    if (w->dealt[event] == 0)
        shuffle(g, w->deck[event]);
    const unsigned i = w->dealt[event];
    w->dealt[event] = (i + 1) % DECK;
    return &g->text->functions[w->deck[event][i]];
}

/* ---- Processes */

/* The number of copies that gives about the requested number of tasks. */
static void scale_copies(struct pi_gen_text *t, unsigned tasks)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < t->n_processes; i++)
        all += (uint64_t)t->processes[i].threads * t->processes[i].copies;
    for (unsigned i = 0; tasks && i < t->n_processes; i++) {
        const uint64_t copies = t->processes[i].copies * (uint64_t)tasks / all;
        t->processes[i].copies = copies ? (uint32_t)copies : 1;
        if (copies == 0 && t->processes[i].threads > tasks)
            t->processes[i].threads = tasks;
    }
}

static bool is_idle(const struct pi_gen_process *p)
{
    return strcmp(p->name, "swapper") == 0;
}

static uint32_t new_pid(struct pd_gen *g, uint32_t threads)
{
    struct pi_gen_workload *w = g->work;
    const uint32_t pid = w->next_pid;
    w->next_pid += threads + (uint32_t)pi_rng_below(&g->rng, 3);
    if (w->next_pid > LAST_PID)
        w->next_pid = AGAIN_PID;
    return pid;
}

static void renew(struct pd_gen *g, const struct pi_gen_process *p, struct instance *in)
{
    in->pid = is_idle(p) ? 0 : new_pid(g, p->threads);
    in->cpu = (uint32_t)pi_rng_below(&g->rng, g->cpus);
    in->left = p->life ? 1 + p->life / 2 + pi_rng_below(&g->rng, p->life) : 0;
}

enum pd_code pi_gen_workload_open(struct pd_gen *g, struct pd_error *error)
{
    struct pi_gen_text *t = g->text;
    uint64_t n = 0;
    scale_copies(t, g->options.tasks);
    for (unsigned i = 0; i < t->n_processes; i++)
        n += t->processes[i].copies;
    const size_t size = sizeof *g->work + (size_t)n * sizeof(struct instance);
    if ((g->work = pi_resize(g->allocator, NULL, size)) == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "workload", 0, size);
    memset(g->work, 0, size);
    g->work->next_pid = FIRST_PID;
    n = 0;
    for (unsigned i = 0; i < t->n_processes; i++) {
        g->work->first[i] = (uint32_t)n;
        for (uint32_t k = 0; k < t->processes[i].copies; k++)
            renew(g, &t->processes[i], &g->work->instances[n++]);
    }
    enum pd_code code = open_events(g, error);
    for (unsigned i = 0; !code && i < g->n_events; i++)
        make_deck(t, g->work->deck[i]);
    return code;
}

/* ---- Records other than samples */

/* All times differ, and none is below that of a record before. */
static void tick(struct pd_gen *g)
{
    g->clock += 1 + pi_rng_below(&g->rng, 500);
}

static enum pd_code put_record(struct pd_gen *g, struct pd_record *rec, const struct pi_gen_task *task,
                               struct pd_error *error)
{
    tick(g);
    pi_gen_identify(g, rec, 0, task);
    if (rec->type == PD_RECORD_FORK || rec->type == PD_RECORD_EXIT)
        rec->u.fork.time = g->clock;
    return pi_gen_put(g, rec, task->cpu, error);
}

static uint64_t base_of(const struct pd_gen *g, unsigned dso)
{
    switch (g->text->dsos[dso].space) {
    case PI_GEN_KERNEL: return PI_GEN_KERNEL_TEXT;
    case PI_GEN_BPF: return PI_GEN_KERNEL_TEXT + PI_GEN_KERNEL_LENGTH;
    default: return PI_GEN_USER_TEXT + PI_GEN_USER_STEP * dso;
    }
}

static enum pd_code put_comm(struct pd_gen *g, const struct pi_gen_task *task, const char *name,
                             uint16_t misc, struct pd_error *error)
{
    struct pd_record rec = {.type = PD_RECORD_COMM, .misc = misc};
    rec.u.comm = (struct pd_comm){task->pid, task->tid, PD_STR(name)};
    return put_record(g, &rec, task, error);
}

static enum pd_code put_mmap2(struct pd_gen *g, const struct pi_gen_task *task, unsigned dso,
                              struct pd_error *error)
{
    const struct pi_gen_dso *d = &g->text->dsos[dso];
    struct pd_record rec = {.type = PD_RECORD_MMAP2, .misc = PD_CPUMODE_USER};
    rec.u.mmap2 = (struct pd_mmap2){.pid = task->pid,
                                    .tid = task->tid,
                                    .addr = base_of(g, dso),
                                    .len = d->length,
                                    .maj = 8,
                                    .min = 1,
                                    .ino = 10000 + dso,
                                    .ino_generation = 1,
                                    .prot = PD_PROT_READ | PD_PROT_EXEC,
                                    .flags = PD_MAP_PRIVATE,
                                    .filename = PD_STR(d->path)};
    return put_record(g, &rec, task, error);
}

static enum pd_code put_fork(struct pd_gen *g, uint32_t type, const struct pi_gen_task *task, uint32_t ppid,
                             uint32_t ptid, struct pd_error *error)
{
    struct pd_record rec = {.type = type};
    rec.u.fork = (struct pd_fork){task->pid, ppid, task->tid, ptid, 0};
    return put_record(g, &rec, task, error);
}

/* The program of a process, and its threads. */
static enum pd_code put_program(struct pd_gen *g, const struct pi_gen_process *p, const struct instance *in,
                                uint16_t misc, struct pd_error *error)
{
    struct pi_gen_task task = {in->pid, in->pid, in->cpu};
    enum pd_code code = put_comm(g, &task, p->name, misc, error);
    for (unsigned i = 0; !code && i < g->text->n_dsos; i++)
        if (p->dsos >> i & 1 && g->text->dsos[i].space == PI_GEN_USER)
            code = put_mmap2(g, &task, i, error);
    for (uint32_t k = 1; !code && k < p->threads; k++) {
        task.tid = in->pid + k;
        code = put_fork(g, PD_RECORD_FORK, &task, in->pid, in->pid, error);
        if (!code)
            code = put_comm(g, &task, p->name, 0, error);
    }
    return code;
}

/* It exits, and its parent starts another one. */
static enum pd_code replace(struct pd_gen *g, const struct pi_gen_process *p, struct instance *in,
                            struct pd_error *error)
{
    enum pd_code code = PD_OK;
    for (uint32_t k = p->threads; !code && k > 0; k--)
        code = put_fork(g, PD_RECORD_EXIT, &(struct pi_gen_task){in->pid, in->pid + k - 1, in->cpu}, 1, 1,
                        error);
    renew(g, p, in);
    const struct pi_gen_task task = {in->pid, in->pid, in->cpu};
    if (!code)
        code = put_fork(g, PD_RECORD_FORK, &task, 1, 1, error);
    return code ? code : put_program(g, p, in, PD_MISC_COMM_EXEC, error);
}

static enum pd_code put_kernel(struct pd_gen *g, struct pd_error *error)
{
    const struct pi_gen_task nobody = {UINT32_MAX, 0, 0};
    struct pd_record rec = {.type = PD_RECORD_MMAP, .misc = PD_CPUMODE_KERNEL};
    rec.u.mmap = (struct pd_mmap){UINT32_MAX,         0,
                                  PI_GEN_KERNEL_TEXT, PI_GEN_KERNEL_LENGTH,
                                  PI_GEN_KERNEL_TEXT, PD_STR("[kernel.kallsyms]_text")};
    enum pd_code code = put_record(g, &rec, &nobody, error);
    for (unsigned i = 0; !code && i < g->text->n_functions; i++) {
        const struct pi_gen_function *f = &g->text->functions[i];
        if (g->text->dsos[f->dso].space != PI_GEN_BPF)
            continue;
        rec = (struct pd_record){.type = PD_RECORD_KSYMBOL};
        rec.u.ksymbol = (struct pd_ksymbol){base_of(g, f->dso) + f->start, (uint32_t)(f->end - f->start) + 64,
                                            PD_KSYM_TYPE_BPF, 0, PD_STR(f->name)};
        code = put_record(g, &rec, &nobody, error);
    }
    return code;
}

/* The records of perf record about tasks and maps from before its start. */
static enum pd_code put_begin(struct pd_gen *g, struct pd_error *error)
{
    const struct pi_gen_task init = {1, 1, 0};
    enum pd_code code = put_kernel(g, error);
    if (!code)
        code = put_comm(g, &init, "init", 0, error);
    for (unsigned i = 0; i < g->text->n_processes; i++) {
        const struct pi_gen_process *p = &g->text->processes[i];
        for (uint32_t k = 0; !code && !is_idle(p) && k < p->copies; k++) {
            const struct instance *in = &g->work->instances[g->work->first[i] + k];
            code = put_fork(g, PD_RECORD_FORK, &(struct pi_gen_task){in->pid, in->pid, in->cpu}, 1, 1, error);
            if (!code)
                code = put_program(g, p, in, 0, error);
        }
    }
    return code ? code : pi_gen_tool(g, PD_RECORD_FINISHED_INIT, error);
}

static enum pd_code put_switch(struct pd_gen *g, const struct pi_gen_task *task, struct pd_error *error)
{
    struct pi_gen_task *old = &g->work->on_cpu[task->cpu];
    struct pd_record rec = {.type = PD_RECORD_SWITCH_CPU_WIDE, .misc = PD_MISC_SWITCH_OUT};
    if (!g->text->switches || old->tid == task->tid)
        return PD_OK;
    old->cpu = task->cpu;
    rec.u.switch_cpu_wide = (struct pd_switch_cpu_wide){task->pid, task->tid};
    enum pd_code code = put_record(g, &rec, old, error);
    rec = (struct pd_record){.type = PD_RECORD_SWITCH_CPU_WIDE};
    rec.u.switch_cpu_wide = (struct pd_switch_cpu_wide){old->pid, old->tid};
    *old = *task;
    return code ? code : put_record(g, &rec, task, error);
}

static enum pd_code put_lost(struct pd_gen *g, unsigned event, const struct pi_gen_task *task,
                             struct pd_error *error)
{
    const uint64_t lost = (uint64_t)LOST_EVERY * g->text->lost / PI_GEN_WHOLE;
    struct pd_record rec = {.type = PD_RECORD_LOST};
    if (lost == 0 || !pi_rng_one_in(&g->rng, LOST_EVERY))
        return PD_OK;
    rec.u.lost = (struct pd_lost){pi_gen_id(g, event, task->cpu), lost};
    return put_record(g, &rec, task, error);
}

static enum pd_code put_throttle(struct pd_gen *g, unsigned event, const struct pi_gen_task *task,
                                 struct pd_error *error)
{
    const uint64_t id = pi_gen_id(g, event, task->cpu);
    enum pd_code code = PD_OK;
    if (g->text->throttle == 0 || g->work->samples % g->text->throttle)
        return PD_OK;
    for (uint32_t type = PD_RECORD_THROTTLE; !code && type <= PD_RECORD_UNTHROTTLE; type++) {
        struct pd_record rec = {.type = type};
        tick(g);
        rec.u.throttle = (struct pd_throttle){g->clock, id, id};
        pi_gen_identify(g, &rec, event, task);
        code = pi_gen_put(g, &rec, task->cpu, error);
    }
    return code;
}

/* ---- Samples */

static bool in_kernel(const struct pd_gen *g, const struct pi_gen_function *f)
{
    return g->text->dsos[f->dso].space != PI_GEN_USER;
}

/* The return address in a caller; always the same for the same callee. */
static uint64_t return_address(const struct pd_gen *g, const struct pi_gen_function *caller,
                               const struct pi_gen_function *callee)
{
    const uint64_t index = (uint64_t)(callee - g->text->functions), room = caller->end - caller->start;
    return base_of(g, caller->dso) + caller->start +
           (room > 8 ? 5 + index * 4 % (room - 5) : 5 + index % 16 * 4);
}

/* Frames of a program that has none described this far down, if a depth is asked for. */
static size_t deepen(const struct pd_gen *g, const struct pi_gen_function *f, uint64_t *chain, size_t n,
                     size_t frames)
{
    const unsigned dso = g->text->processes[f->process].dso;
    const bool user = g->text->dsos[dso].space == PI_GEN_USER;
    if (user && in_kernel(g, f) && frames < g->options.depth)
        chain[n++] = PD_CONTEXT_USER;
    for (; user && frames < g->options.depth; frames++)
        chain[n++] = base_of(g, dso) + 0x100 + 16 * (frames % 200);
    return n;
}

static struct pi_gen_place place_of(struct pd_gen *g, const struct pi_gen_function *f)
{
    const struct pi_gen_text *t = g->text;
    const size_t most = g->options.depth ? g->options.depth : USUAL_DEPTH;
    const bool kernel = in_kernel(g, f);
    uint64_t *chain = g->fields.chain;
    size_t n = 0, frames = 1;
    uint64_t ip = base_of(g, f->dso) + f->start;
    if (f->end > f->start)
        ip += pi_rng_below(&g->rng, f->end - f->start);
    chain[n++] = kernel ? PD_CONTEXT_KERNEL : PD_CONTEXT_USER;
    chain[n++] = ip;
    for (; f->caller >= 0 && frames < most && n < PD_GEN_MOST_DEPTH; frames++) {
        const struct pi_gen_function *caller = &t->functions[f->caller];
        if (in_kernel(g, caller) != in_kernel(g, f))
            chain[n++] = in_kernel(g, caller) ? PD_CONTEXT_KERNEL : PD_CONTEXT_USER;
        chain[n++] = return_address(g, caller, f);
        f = caller;
    }
    n = deepen(g, f, chain, n, frames);
    return (struct pi_gen_place){chain, n, ip, kernel};
}

static unsigned random_event(struct pd_gen *g)
{
    uint64_t at = pi_rng_below(&g->rng, g->work->total_share);
    unsigned i = 0;
    while (at >= g->events[i].share)
        at -= g->events[i++].share;
    return i;
}

/* A thread of a process, on a cpu that changes now and then. */
static struct pi_gen_task random_thread(struct pd_gen *g, const struct pi_gen_process *p, struct instance *in)
{
    const uint32_t thread = (uint32_t)pi_rng_below(&g->rng, p->threads);
    if (pi_rng_one_in(&g->rng, 64))
        in->cpu = (uint32_t)pi_rng_below(&g->rng, g->cpus);
    return (struct pi_gen_task){in->pid, in->pid + thread, (in->cpu + thread) % g->cpus};
}

static void pass_time(struct pd_gen *g)
{
    const uint64_t step = UINT64_C(1000000000) / g->text->rate;
    g->clock += 1 + step / 2 + pi_rng_below(&g->rng, step + 1);
}

static enum pd_code step(struct pd_gen *g, struct pd_error *error)
{
    const unsigned event = random_event(g);
    const struct pi_gen_function *f = deal(g, event);
    const struct pi_gen_process *p = &g->text->processes[f->process];
    struct instance *in = &g->work->instances[g->work->first[f->process] + pi_rng_below(&g->rng, p->copies)];
    const struct pi_gen_task task = random_thread(g, p, in);
    const struct pi_gen_place place = place_of(g, f);
    struct pd_record rec;
    pass_time(g);
    enum pd_code code = put_switch(g, &task, error);
    if (code)
        return code;
    pi_gen_fill_sample(g, &rec, event, &task, &place);
    tick(g);
    pi_gen_identify(g, &rec, event, &task);
    g->work->samples++;
    if ((code = pi_gen_put(g, &rec, task.cpu, error)) || (code = put_lost(g, event, &task, error)) ||
        (code = put_throttle(g, event, &task, error)))
        return code;
    return in->left && --in->left == 0 ? replace(g, p, in, error) : PD_OK;
}

enum pd_code pi_gen_workload_run(struct pd_gen *g, struct pd_error *error)
{
    enum pd_code code = put_begin(g, error);
    g->now = g->member ? g->member : g->writer;
    g->window.on = (g->events[0].attr.sample_type & PD_SAMPLE_TIME) != 0; /* else nothing tells the order */
    while (!code && !pi_gen_enough(g, 1))
        code = step(g, error);
    return code ? code : pi_gen_round(g, true, error);
}
