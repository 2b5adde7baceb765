/* SPDX-License-Identifier: MIT */
/*
 * gen_text.c - the description of a workload, line by line; and the presets, which are such texts.
 * docs/GEN.md has the words.
 */
#include "gen_internal.h"
#include "src/reflect/reflect.h"
#include "src/schema/fail.h"
#include "src/support/text_scan.h"
#include <string.h>

/* ---- Presets */

static const char server[] =
    "cpus 8\nrate 8000\n"
    "event cycles 4000 Hz 70%\nevent cache-misses 1000 period 20%\nevent page-faults 1 period 10%\n"
    "lost 0.5%\nthrottle 50000\nsample callchain\n"
    "process httpd 8 threads 2 copies 55%\n"
    " function main 0x1000 0%\n function worker_loop 0x2000 2% from main\n"
    " function parse_request 0x3000 18% from worker_loop\n"
    " function send_reply 0x4000 10% from worker_loop\n"
    " function memcpy 0x15a000 20% in /usr/lib/libc.so.6 from parse_request\n"
    " function tcp_sendmsg 0x8a0000 30% in [kernel.kallsyms] from send_reply\n"
    " function do_epoll_wait 0x3c0000 15% in [kernel.kallsyms] from worker_loop\n"
    "process app 4 threads 25%\n"
    " function run 0x1200 5%\n function query 0x2200 60% from run\n"
    " function malloc 0x98000 35% in /usr/lib/libc.so.6 from query\n"
    "process cron 5000 samples 5%\n function main 0x1000 100%\n";
static const char build[] =
    "cpus 8\nrate 8000\nevent cycles 4000 Hz\nthrottle 40000\nsample callchain\n"
    "process make 5%\n function main 0x1000 40%\n function reap 0x1800 60% from main\n"
    "process cc1 8 copies 300 samples 75%\n"
    " function toplev_main 0x10000 0%\n function parse 0x20000 25% from toplev_main\n"
    " function fold 0x30000 20% from parse\n function regalloc 0x40000 30% from toplev_main\n"
    " function malloc 0x98000 15% in /usr/lib/libc.so.6 from parse\n"
    " function clear_page 0xa00000 10% in [kernel.kallsyms] from parse\n"
    "process ld 1 copies 2000 samples 10%\n function main 0x5000 30%\n"
    " function relocate 0x6000 70% from main\n"
    "process sh 4 copies 40 samples 5%\n function main 0x3000 20%\n"
    " function do_fork 0x70000 80% in [kernel.kallsyms] from main\n";
static const char database[] =
    "cpus 16\nrate 16000\nswitches\n"
    "event cycles 4000 Hz 60%\nevent instructions 100000 period 25%\n"
    "event LLC-load-misses 500 period 15%\nlost 0.2%\nsample callchain,addr,data_src,weight\n"
    "process postgres 12 copies 70%\n"
    " function PostgresMain 0x10000 0%\n function exec_query 0x20000 5% from PostgresMain\n"
    " function index_scan 0x30000 25% from exec_query\n"
    " function hash_join 0x40000 20% from exec_query\n"
    " function memcmp 0x15f000 15% in /usr/lib/libc.so.6 from index_scan\n"
    " function copy_to_user 0x7b0000 20% in [kernel.kallsyms] from index_scan\n"
    " function futex_wait 0x190000 15% in [kernel.kallsyms] from exec_query\n"
    "process walwriter 10%\n function main 0x10000 20%\n"
    " function ext4_sync 0x4c0000 80% in [kernel.kallsyms] from main\n";
static const char tracing[] =
    "cpus 4\nrate 20000\nevent sched:sched_switch 35%\nevent sched:sched_wakeup 25%\n"
    "event raw_syscalls:sys_enter 20%\nevent raw_syscalls:sys_exit 20%\nlost 1%\n"
    "process bash 3 copies 500 samples 20%\n function main 0x2000 10%\n"
    " function schedule 0xc0b000 90% in [kernel.kallsyms] from main\n"
    "process kworker 4 copies 30%\n function worker_thread 0x0ab000 100% in [kernel.kallsyms]\n"
    "process daemon 2 threads 40%\n function loop 0x1000 5%\n"
    " function do_syscall 0xc01000 70% in [kernel.kallsyms] from loop\n"
    " function probe 0x100 25% in [bpf] from loop\n";
static const char dwarf[] =
    "cpus 2\nrate 2000\nevent cpu-clock 1000 Hz\nsample callchain,regs_user,stack_user\n"
    "process solver 2 threads 100%\n function main 0x1000 0%\n"
    " function iterate 0x1100-0x1400 10% from main\n function multiply 0x2000-0x2200 60% from iterate\n"
    " function norm 0x3000-0x3080 20% from iterate\n"
    " function exp 0x30000 10% in /usr/lib/libm.so.6 from multiply\n";
static const char branch[] =
    "cpus 4\nrate 4000\nevent cycles 4000 Hz\nsample branch_stack\n"
    "process game 4 threads 80%\n function main 0x1000 5%\n function update 0x2000-0x2400 35% from main\n"
    " function render 0x4000-0x4800 40% from main\n function sort 0x6000-0x6100 20% from update\n"
    "process compositor 20%\n function draw 0x1000-0x1200 100%\n";

static const struct {
    const char *name, *text;
} presets[] = {{"server", server},   {"build", build}, {"database", database},
               {"tracing", tracing}, {"dwarf", dwarf}, {"branch", branch}};
#define N_PRESETS (sizeof presets / sizeof *presets)

const char *pd_gen_preset(const char *name)
{
    for (size_t i = 0; i < N_PRESETS; i++)
        if (strcmp(presets[i].name, name) == 0)
            return presets[i].text;
    return NULL;
}

const char *pd_gen_preset_name(size_t i)
{
    return i < N_PRESETS ? presets[i].name : NULL;
}

/* ---- Words */

struct word {
    const char *at;
    size_t n;
};

/* A line being read. */
struct line {
    struct pi_gen_text *t;
    struct word words[PI_LIMIT_GEN_LINE];
    size_t n, next;
    uint64_t number;
    const char *wrong; /* the error, static */
};

static bool bad(struct line *l, const char *what)
{
    if (l->wrong == NULL)
        l->wrong = what;
    return false;
}

static bool is(const struct word *w, const char *text)
{
    return strlen(text) == w->n && memcmp(w->at, text, w->n) == 0;
}

static struct word *next_word(struct line *l)
{
    return l->next < l->n ? &l->words[l->next++] : NULL;
}

static bool take_name(struct line *l, char *out, size_t cap)
{
    const struct word *w = next_word(l);
    if (w == NULL)
        return bad(l, "a name is missing");
    if (w->n >= cap)
        return bad(l, "the name is too long");
    memcpy(out, w->at, w->n);
    out[w->n] = 0;
    return true;
}

/* Digits from the front of a word; *used: how many bytes. */
static bool digits(struct line *l, const char *at, size_t n, uint64_t *value, size_t *used)
{
    const bool hex = n > 2 && at[0] == '0' && (at[1] | 0x20) == 'x';
    const unsigned base = hex ? 16 : 10;
    size_t i = hex ? 2 : 0;
    *value = 0;
    for (; i < n && pi_digit(at[i]) < base; i++)
        if (__builtin_mul_overflow(*value, (uint64_t)base, value) ||
            __builtin_add_overflow(*value, (uint64_t)pi_digit(at[i]), value))
            return bad(l, "the number is too large");
    *used = i;
    return i > (hex ? 2 : 0) || bad(l, "a number is expected");
}

static bool number(struct line *l, const struct word *w, uint64_t *value)
{
    size_t used = 0;
    if (w == NULL)
        return bad(l, "a number is missing");
    return digits(l, w->at, w->n, value, &used) && (used == w->n || bad(l, "a number is expected"));
}

/* N% or N.NNN%, as thousandths of a percent. */
static bool percent(struct line *l, const struct word *w, uint32_t *share)
{
    uint64_t whole;
    size_t used = 0;
    if (w == NULL || w->n < 2 || w->at[w->n - 1] != '%' || !digits(l, w->at, w->n - 1, &whole, &used))
        return bad(l, "a percentage is expected, like 12.5%");
    uint64_t unit = PI_GEN_PERCENT, value = whole <= 100 ? whole * unit : PI_GEN_WHOLE + 1;
    if (used < w->n - 1 && w->at[used++] != '.')
        return bad(l, "a percentage is expected, like 12.5%");
    for (; used < w->n - 1; used++) {
        unit /= 10;
        if (pi_digit(w->at[used]) > 9 || unit == 0)
            return bad(l, "a percentage has up to three decimals");
        value += unit * pi_digit(w->at[used]);
    }
    *share = (uint32_t)value;
    return value <= PI_GEN_WHOLE || bad(l, "a percentage is at most 100");
}

static bool is_percent(const struct word *w)
{
    return w->n && w->at[w->n - 1] == '%';
}

static bool in_range(struct line *l, uint64_t value, uint64_t least, uint64_t most)
{
    return (value >= least && value <= most) || bad(l, "the number is out of range");
}

/* ---- Lines */

static bool add_dso(struct line *l, const char *path, unsigned *dso)
{
    struct pi_gen_text *t = l->t;
    for (*dso = 0; *dso < t->n_dsos; ++*dso)
        if (strcmp(t->dsos[*dso].path, path) == 0)
            return true;
    if (t->n_dsos == PI_LIMIT_GEN_FILES)
        return bad(l, "there are too many files");
    struct pi_gen_dso *d = &t->dsos[t->n_dsos++];
    memcpy(d->path, path, strlen(path) + 1);
    d->length = 0x200000;
    if (strcmp(path, "[kernel.kallsyms]") == 0)
        d->space = PI_GEN_KERNEL;
    else if (strcmp(path, "[bpf]") == 0)
        d->space = PI_GEN_BPF;
    return true;
}

/* process NAME [N threads] [N copies] [N samples] [X%] [in PATH] */
static bool process_words(struct line *l, struct pi_gen_process *p, char path[PI_LIMIT_GEN_PATH + 1])
{
    struct word *w;
    while ((w = next_word(l))) {
        uint64_t n;
        if (is_percent(w)) {
            p->has_share = true;
            if (!percent(l, w, &p->share))
                return false;
            continue;
        }
        if (is(w, "in")) {
            if (!take_name(l, path, PI_LIMIT_GEN_PATH + 1))
                return false;
            continue;
        }
        struct word *unit = number(l, w, &n) ? next_word(l) : NULL;
        if (unit == NULL)
            return bad(l, "threads, copies or samples is missing behind the number");
        if (is(unit, "samples"))
            p->life = n;
        else if (!in_range(l, n, 1, PI_LIMIT_GEN_COPIES))
            return false;
        else if (is(unit, "threads"))
            p->threads = (uint32_t)n;
        else if (is(unit, "copies"))
            p->copies = (uint32_t)n;
        else
            return bad(l, "threads, copies or samples is expected behind a number");
    }
    return true;
}

static bool process_line(struct line *l)
{
    struct pi_gen_text *t = l->t;
    char path[PI_LIMIT_GEN_PATH + 1] = "/usr/bin/";
    unsigned dso;
    if (t->n_processes == PI_LIMIT_GEN_PROCESSES)
        return bad(l, "there are too many processes");
    struct pi_gen_process *p = &t->processes[t->n_processes];
    *p = (struct pi_gen_process){.threads = 1, .copies = 1};
    if (!take_name(l, p->name, sizeof p->name))
        return false;
    memcpy(path + strlen(path), p->name, strlen(p->name) + 1);
    if (!process_words(l, p, path) || !add_dso(l, path, &dso))
        return false;
    p->dso = (uint8_t)dso;
    p->dsos = UINT64_C(1) << dso;
    t->n_processes++;
    return true;
}

static bool find_caller(struct line *l, struct pi_gen_function *f)
{
    const struct pi_gen_text *t = l->t;
    const struct word *w = next_word(l);
    for (unsigned i = t->n_functions; w && i > 0; i--)
        if (t->functions[i - 1].process == f->process && is(w, t->functions[i - 1].name)) {
            f->caller = (int16_t)(i - 1);
            return true;
        }
    return bad(l, "the caller is no function of this process above");
}

static bool take_addresses(struct line *l, struct pi_gen_function *f)
{
    const struct word *w = next_word(l);
    size_t used = 0, more = 0;
    if (w == NULL || !digits(l, w->at, w->n, &f->start, &used))
        return bad(l, "an address is missing, like 0x1000 or 0x1000-0x1080");
    f->end = f->start;
    if (used < w->n && w->at[used] == '-' && digits(l, w->at + used + 1, w->n - used - 1, &f->end, &more))
        used += 1 + more;
    return (used == w->n && f->end >= f->start && f->end < UINT32_MAX) ||
           bad(l, "an address is expected, like 0x1000 or 0x1000-0x1080, below 4 GiB");
}

/* function NAME ADDRESS X% [in PATH] [from CALLER] */
static bool function_line(struct line *l)
{
    struct pi_gen_text *t = l->t;
    char path[PI_LIMIT_GEN_PATH + 1];
    unsigned dso;
    struct word *w;
    if (t->n_processes == 0)
        return bad(l, "a function needs a process above it");
    if (t->n_functions == PI_LIMIT_GEN_FUNCTIONS)
        return bad(l, "there are too many functions");
    struct pi_gen_process *p = &t->processes[t->n_processes - 1];
    struct pi_gen_function *f = &t->functions[t->n_functions];
    *f = (struct pi_gen_function){.caller = -1, .dso = p->dso, .process = (uint8_t)(t->n_processes - 1)};
    if (!take_name(l, f->name, sizeof f->name) || !take_addresses(l, f) ||
        !percent(l, next_word(l), &f->share))
        return false;
    while ((w = next_word(l))) {
        if (is(w, "in")) {
            if (!take_name(l, path, sizeof path) || !add_dso(l, path, &dso))
                return false;
            f->dso = (uint8_t)dso;
        } else if (!is(w, "from")) {
            return bad(l, "in or from is expected");
        } else if (!find_caller(l, f)) {
            return false;
        }
    }
    struct pi_gen_dso *d = &t->dsos[f->dso];
    if (d->space != PI_GEN_USER && f->end >= PI_GEN_KERNEL_LENGTH)
        return bad(l, "in the kernel an address is an offset below 0x3f000000");
    p->dsos |= UINT64_C(1) << f->dso;
    p->used += f->share;
    if (d->length < f->end + PI_GEN_PAGE)
        d->length = (f->end / PI_GEN_PAGE + 2) * PI_GEN_PAGE;
    t->n_functions++;
    return p->used <= PI_GEN_WHOLE || bad(l, "the functions of this process have more than 100%");
}

/* event NAME [N Hz | N period] [X%] */
static bool event_line(struct line *l)
{
    struct pi_gen_text *t = l->t;
    struct word *w;
    if (t->n_events == PD_GEN_MOST_EVENTS)
        return bad(l, "there are too many events");
    struct pi_gen_event_text *e = &t->events[t->n_events++];
    *e = (struct pi_gen_event_text){.line = l->number};
    if (!take_name(l, e->name, sizeof e->name))
        return false;
    while ((w = next_word(l))) {
        uint64_t n;
        if (is_percent(w)) {
            if (!percent(l, w, &e->share))
                return false;
            continue;
        }
        const struct word *unit =
            number(l, w, &n) && in_range(l, n, 1, PI_LIMIT_GEN_PERIOD) ? next_word(l) : NULL;
        if (unit == NULL || (!is(unit, "Hz") && !is(unit, "period")))
            return bad(l, "Hz or period is expected behind a number");
        if (is(unit, "Hz"))
            e->freq = n;
        else
            e->period = n;
    }
    return true;
}

/* sample FIELD,FIELD,… */
static bool sample_line(struct line *l)
{
    const struct word *w = next_word(l);
    if (w == NULL)
        return bad(l, "names of sample fields are missing");
    for (size_t at = 0, n; at < w->n; at += n + 1) {
        uint64_t value;
        n = 0;
        while (at + n < w->n && w->at[at + n] != ',')
            n++;
        if (!pd_set_parse(&pd_set_sample_type, w->at + at, n, &value) ||
            value & ~pi_set_mask(&pd_set_sample_type))
            return bad(l, "there is no such sample field");
        l->t->sample |= value;
    }
    const uint64_t both = PD_SAMPLE_WEIGHT | PD_SAMPLE_WEIGHT_STRUCT;
    return (l->t->sample & both) != both || bad(l, "weight and weight_struct exclude each other");
}

static bool cpus_line(struct line *l)
{
    uint64_t n;
    if (!number(l, next_word(l), &n) || !in_range(l, n, 1, PD_GEN_MOST_CPUS))
        return false;
    l->t->cpus = (unsigned)n;
    return true;
}

static bool rate_line(struct line *l)
{
    return number(l, next_word(l), &l->t->rate) && in_range(l, l->t->rate, 1, PI_LIMIT_GEN_RATE);
}

static bool throttle_line(struct line *l)
{
    return number(l, next_word(l), &l->t->throttle);
}

static bool lost_line(struct line *l)
{
    return percent(l, next_word(l), &l->t->lost);
}

static bool switches_line(struct line *l)
{
    return l->t->switches = true;
}

static bool take_line(struct line *l)
{
    static const struct {
        const char *word;
        bool (*take)(struct line *l);
    } kinds[] = {{"process", process_line}, {"function", function_line}, {"event", event_line},
                 {"sample", sample_line},   {"cpus", cpus_line},         {"rate", rate_line},
                 {"lost", lost_line},       {"throttle", throttle_line}, {"switches", switches_line}};
    const struct word *w = next_word(l);
    for (size_t i = 0; w && i < sizeof kinds / sizeof *kinds; i++)
        if (is(w, kinds[i].word))
            return kinds[i].take(l) && (next_word(l) == NULL || bad(l, "there is a word too many"));
    return w == NULL ||
           bad(l,
               "a line begins with process, function, event, sample, cpus, rate, lost, throttle or switches");
}

static bool split(struct line *l, const char *at, const char *end)
{
    l->n = l->next = 0;
    while (at < end && *at != '#') {
        const char *from = at;
        while (at < end && *at != ' ' && *at != '\t' && *at != '\r' && *at != '#')
            at++;
        if (at == from) {
            at++;
            continue;
        }
        if (l->n == PI_LIMIT_GEN_LINE)
            return bad(l, "there are too many words");
        l->words[l->n++] = (struct word){from, (size_t)(at - from)};
    }
    return true;
}

/* ---- Remaining shares */

/* Processes without a share divide the rest equally. The idle task has the remainder. */
static bool share_processes(struct line *l)
{
    struct pi_gen_text *t = l->t;
    uint64_t used = 0, without = 0;
    for (unsigned i = 0; i < t->n_processes; i++) {
        used += t->processes[i].has_share ? t->processes[i].share : 0;
        without += !t->processes[i].has_share;
    }
    if (used > PI_GEN_WHOLE)
        return bad(l, "the processes have more than 100% together");
    for (unsigned i = 0; i < t->n_processes; i++)
        if (!t->processes[i].has_share)
            t->processes[i].share = (uint32_t)((PI_GEN_WHOLE - used) / without);
    return true;
}

static bool add_idle(struct line *l)
{
    struct pi_gen_text *t = l->t;
    unsigned dso;
    uint32_t used = 0;
    for (unsigned i = 0; i < t->n_processes; i++)
        used += t->processes[i].share;
    if (used + t->n_processes >= PI_GEN_WHOLE) /* but for what equal parts leave */
        return true;
    if (!add_dso(l, "[kernel.kallsyms]", &dso))
        return false;
    t->processes[t->n_processes++] = (struct pi_gen_process){.name = "swapper",
                                                             .threads = 1,
                                                             .copies = 1,
                                                             .share = PI_GEN_WHOLE - used,
                                                             .dso = (uint8_t)dso,
                                                             .dsos = UINT64_C(1) << dso,
                                                             .used = PI_GEN_WHOLE};
    t->functions[t->n_functions++] = (struct pi_gen_function){.name = "idle",
                                                              .start = 0xc0de00,
                                                              .end = 0xc0de00,
                                                              .share = PI_GEN_WHOLE,
                                                              .caller = -1,
                                                              .dso = (uint8_t)dso,
                                                              .process = (uint8_t)(t->n_processes - 1)};
    return true;
}

/* The samples of a process that no function has are spread over its program. */
static void add_rest(struct pi_gen_text *t)
{
    for (unsigned i = 0; i < t->n_processes; i++) {
        const struct pi_gen_process *p = &t->processes[i];
        if (p->used < PI_GEN_WHOLE)
            t->functions[t->n_functions++] = (struct pi_gen_function){.name = "elsewhere",
                                                                      .start = 0x1000,
                                                                      .end = t->dsos[p->dso].length,
                                                                      .share = PI_GEN_WHOLE - p->used,
                                                                      .caller = -1,
                                                                      .dso = p->dso,
                                                                      .process = (uint8_t)i};
    }
}

static bool share_events(struct line *l)
{
    struct pi_gen_text *t = l->t;
    uint64_t used = 0;
    for (unsigned i = 0; i < t->n_events; i++)
        used += t->events[i].share;
    return used <= PI_GEN_WHOLE || bad(l, "the events have more than 100% together");
}

enum pd_code pi_gen_parse(struct pi_gen_text *t, const char *text, struct pd_error *error)
{
    struct line l = {.t = t, .number = 1};
    memset(t, 0, sizeof *t);
    t->rate = 10000;
    bool ok = true;
    for (const char *at = text; ok && *at; l.number++) {
        const char *end = strchr(at, '\n');
        if (end == NULL)
            end = at + strlen(at);
        ok = split(&l, at, end) && take_line(&l);
        if (ok)
            at = *end ? end + 1 : end;
        else
            break;
    }
    if (ok && t->n_processes == 0)
        ok = bad(&l, "no process is described");
    ok = ok && share_processes(&l) && share_events(&l) && add_idle(&l);
    if (!ok)
        return pi_fail(error, PD_EVALUE, PD_NOWHERE, l.wrong, l.number, 0);
    add_rest(t);
    return PD_OK;
}
