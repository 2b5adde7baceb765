/* SPDX-License-Identifier: MIT */
/* gen_trace.c - tracepoints of synthetic recordings: their formats, and samples to match. */
#include "gen_internal.h"
#include "src/support/wire.h"
#include <perfdata/feature.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct field {
    const char *declaration; /* as in tracefs */
    uint8_t size;
    bool is_signed;
    char kind; /* p: pid, c: name of a task, n: a small number, a: an address */
};

/* The common fields are the same everywhere. */
static const struct field common[] = {
    {"unsigned short common_type", 2, false, 't'},
    {"unsigned char common_flags", 1, false, 'z'},
    {"unsigned char common_preempt_count", 1, false, 'z'},
    {"int common_pid", 4, true, 'p'},
};

struct trace {
    const char *name;
    struct field fields[8];
    const char *print;
};

static const struct trace traces[] = {
    {"sched:sched_switch",
     {{"char prev_comm[16]", 16, false, 'c'},
      {"pid_t prev_pid", 4, true, 'p'},
      {"int prev_prio", 4, true, 'n'},
      {"long prev_state", 8, true, 'z'},
      {"char next_comm[16]", 16, false, 'c'},
      {"pid_t next_pid", 4, true, 'n'},
      {"int next_prio", 4, true, 'n'}},
     "\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%ld ==> next_comm=%s next_pid=%d next_prio=%d\", "
     "REC->prev_comm, REC->prev_pid, REC->prev_prio, REC->prev_state, REC->next_comm, REC->next_pid, "
     "REC->next_prio"},
    {"sched:sched_wakeup",
     {{"char comm[16]", 16, false, 'c'},
      {"pid_t pid", 4, true, 'p'},
      {"int prio", 4, true, 'n'},
      {"int target_cpu", 4, true, 'n'},
      {"int filler", 4, true, 'z'}},
     "\"comm=%s pid=%d prio=%d target_cpu=%03d\", REC->comm, REC->pid, REC->prio, REC->target_cpu"},
    {"raw_syscalls:sys_enter",
     {{"long id", 8, true, 'n'},
      {"unsigned long first", 8, false, 'a'},
      {"unsigned long second", 8, false, 'n'}},
     "\"NR %ld (%lx, %lx)\", REC->id, REC->first, REC->second"},
    {"raw_syscalls:sys_exit",
     {{"long id", 8, true, 'n'}, {"long ret", 8, true, 'n'}},
     "\"NR %ld = %ld\", REC->id, REC->ret"},
    {NULL,
     {{"u64 value", 8, false, 'a'}, {"u64 count", 8, false, 'n'}},
     "\"value=%llx count=%llu\", REC->value, REC->count"},
};

/* Its own format if it is one of those above, else the last. */
static const struct trace *trace_of(const char *name)
{
    const struct trace *t = traces;
    while (t->name && strcmp(t->name, name) != 0)
        t++;
    return t;
}

/* ---- Samples */

static uint64_t number_of(struct pd_gen *g, char kind, unsigned event, const struct pi_gen_task *task)
{
    switch (kind) {
    case 't': return g->events[event].attr.config;
    case 'p': return task->tid;
    case 'n': return pi_rng_below(&g->rng, 400);
    case 'a': return UINT64_C(0x7ffc00000000) + 8 * pi_rng_below(&g->rng, 4096);
    default: return 0;
    }
}

static size_t put_field(struct pd_gen *g, const struct field *f, unsigned event,
                        const struct pi_gen_task *task, uint8_t *out)
{
    if (f->kind == 'c') {
        char text[16] = {0};
        snprintf(text, sizeof text, "task-%u", task->pid % 1000);
        memcpy(out, text, sizeof text);
    } else {
        pi_store(out, number_of(g, f->kind, event, task), f->size, g->options.order);
    }
    return f->size;
}

size_t pi_gen_trace_raw(struct pd_gen *g, unsigned event, const struct pi_gen_task *task, uint8_t *out,
                        size_t cap)
{
    const struct trace *t = trace_of(g->events[event].name);
    size_t n = 0;
    (void)cap; /* of fields.raw: far more than any of the formats */
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        n += put_field(g, &common[i], event, task, out + n);
    for (const struct field *f = t->fields; f->declaration; f++)
        n += put_field(g, f, event, task, out + n);
    memset(out + n, 0, 8);
    return pi_align8(n + 4) - 4; /* together with the size in front of it a multiple of 8 */
}

/* ---- Formats */

struct text {
    char *at;
    size_t left;
};

__attribute__((format(printf, 2, 3))) static void say(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(t->at, t->left, format, args);
    va_end(args);
    if (n > 0 && (size_t)n < t->left)
        t->at += n, t->left -= (size_t)n;
}

static void say_fields(struct text *t, const struct field *f, size_t n, size_t *offset)
{
    for (size_t i = 0; i < n && f[i].declaration; i++) {
        say(t, "\tfield:%s;\toffset:%zu;\tsize:%u;\tsigned:%d;\n", f[i].declaration, *offset, f[i].size,
            f[i].is_signed);
        *offset += f[i].size;
    }
}

static void say_format(struct text *t, const char *name, uint64_t id)
{
    const struct trace *trace = trace_of(name);
    const char *colon = strchr(name, ':');
    size_t offset = 0;
    say(t, "name: %s\nID: %llu\nformat:\n", colon ? colon + 1 : name, (unsigned long long)id);
    say_fields(t, common, 4, &offset);
    say(t, "\n");
    say_fields(t, trace->fields, 8, &offset);
    say(t, "\nprint fmt: %s\n", trace->print);
}

/* A system for each event: the same system may come more than once. */
struct parts {
    struct pd_event_system systems[PD_GEN_MOST_EVENTS];
    struct pd_format_file files[PD_GEN_MOST_EVENTS];
    char names[PD_GEN_MOST_EVENTS][PI_LIMIT_GEN_EVENT + 1];
    char text[PD_GEN_MOST_EVENTS * 900];
};

static size_t collect(struct pd_gen *g, struct parts *p)
{
    struct text t = {p->text, sizeof p->text};
    size_t n = 0;
    for (unsigned i = 0; i < g->n_events; i++) {
        const struct pi_gen_event *e = &g->events[i];
        if (e->attr.type != PD_TYPE_TRACEPOINT)
            continue;
        const char *from = t.at;
        const size_t length = strcspn(e->name, ":");
        say_format(&t, e->name, e->attr.config);
        memcpy(p->names[n], e->name, length);
        p->names[n][length] = 0;
        const size_t size = (size_t)(t.at - from);
        p->files[n] = (struct pd_format_file){size, {(const uint8_t *)from, size}};
        p->systems[n] =
            (struct pd_event_system){{p->names[n], length, length + 1}, 1, PD_LIST(&p->files[n], 1)};
        n++;
    }
    return n;
}

static const char page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
                           "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
                           "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
                           "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
static const char entry[] =
    "# compressed entry header\n"
    "\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n\tarray       :   32 bits\n\n"
    "\tpadding     : type == 29\n\ttime_extend : type == 30\n\ttime_stamp : type == 31\n"
    "\tdata max type_len  == 28\n";

#define SLOT(s_)                         \
    {                                    \
        (s_), sizeof(s_) - 1, sizeof(s_) \
    }
#define TEXT(s_)                              \
    {                                         \
        (const uint8_t *)(s_), sizeof(s_) - 1 \
    }

size_t pi_gen_trace_data(struct pd_gen *g, uint8_t *out, size_t cap)
{
    struct parts *p = pi_resize(g->allocator, NULL, sizeof *p);
    size_t size = 0;
    const size_t n = p ? collect(g, p) : 0;
    struct pd_feature f = {.id = PD_FEAT_TRACING_DATA};
    f.u.tracing_data = (struct pd_feature_tracing_data){.magic = {0x17, 0x08, 0x44},
                                                        .name = {'t', 'r', 'a', 'c', 'i', 'n', 'g'},
                                                        .version = SLOT("0.5"),
                                                        .bigendian = g->options.order == PD_BIG,
                                                        .long_size = 8,
                                                        .page_size = PI_GEN_PAGE,
                                                        .header_page_name = SLOT("header_page"),
                                                        .header_page_size = sizeof page - 1,
                                                        .header_page = TEXT(page),
                                                        .header_event_name = SLOT("header_event"),
                                                        .header_event_size = sizeof entry - 1,
                                                        .header_event = TEXT(entry),
                                                        .nr_systems = (uint32_t)n};
    if (n)
        f.u.tracing_data.systems = PD_LIST(p->systems, n);
    if (n == 0 || pd_feature_encode(g->options.order, &f, out, cap, &size, NULL))
        size = 0;
    pi_release(g->allocator, p);
    return size;
}
