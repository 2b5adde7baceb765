/* SPDX-License-Identifier: MIT */
/* dump_fields.c - `perfdata dump -F`: a line for each sample, spaced as perf script -F spaces it. */
#include "dump.h"
#include "src/reflect/command_text.h"
#include "src/schema/fail.h"
#include <inttypes.h>
#include <perfdata/constants.h>
#include <perfdata/session/event.h>
#include <stdlib.h>
#include <string.h>

/* In the order in which they are printed. */
enum field {
    F_COMM,
    F_PID,
    F_TID,
    F_CPU,
    F_MISC,
    F_TIME,
    F_PERIOD,
    F_EVENT,
    F_TRACE,
    F_ID,
    F_STREAM_ID,
    F_ADDR,
    F_DATA_SRC,
    F_WEIGHT,
    F_INS_LAT,
    F_CGROUP,
    F_IP,
    F_DSO,
    F_IREGS,
    F_UREGS,
    F_BRSTACK,
    F_PHYS_ADDR,
    F_DATA_PAGE_SIZE,
    F_CODE_PAGE_SIZE,
    N_FIELDS
};

#define START ((UINT64_C(1) << (F_EVENT + 1)) - 1) /* the fields that print_start() prints */
/* In the raw data, see pd_offcpu_apply(). */
#define OFFCPU_FIELDS (PD_SAMPLE_IP | PD_SAMPLE_TID | PD_SAMPLE_PERIOD)
#define SHORT 32 /* a text up to here is copied as so many bytes, which is one move in place of a call */

/* Which bits of sample_type give a field: any of them; 0: none is needed. */
static const struct {
    const char *name;
    uint64_t bits;
} fields[N_FIELDS] = {
    [F_COMM] = {"comm", PD_SAMPLE_TID},
    [F_PID] = {"pid", PD_SAMPLE_TID},
    [F_TID] = {"tid", PD_SAMPLE_TID},
    [F_CPU] = {"cpu", PD_SAMPLE_CPU},
    [F_MISC] = {"misc", 0},
    [F_TIME] = {"time", PD_SAMPLE_TIME},
    [F_PERIOD] = {"period", 0},
    [F_EVENT] = {"event", 0},
    [F_TRACE] = {"trace", PD_SAMPLE_RAW},
    [F_ID] = {"id", PD_SAMPLE_ID | PD_SAMPLE_IDENTIFIER},
    [F_STREAM_ID] = {"stream_id", PD_SAMPLE_STREAM_ID},
    [F_ADDR] = {"addr", PD_SAMPLE_ADDR},
    [F_DATA_SRC] = {"data_src", PD_SAMPLE_DATA_SRC},
    [F_WEIGHT] = {"weight", PD_SAMPLE_WEIGHT | PD_SAMPLE_WEIGHT_STRUCT},
    [F_INS_LAT] = {"ins_lat", PD_SAMPLE_WEIGHT_STRUCT},
    [F_CGROUP] = {"cgroup", PD_SAMPLE_CGROUP},
    [F_IP] = {"ip", PD_SAMPLE_IP},
    [F_DSO] = {"dso", PD_SAMPLE_IP},
    [F_IREGS] = {"iregs", PD_SAMPLE_REGS_INTR},
    [F_UREGS] = {"uregs", PD_SAMPLE_REGS_USER},
    [F_BRSTACK] = {"brstack", PD_SAMPLE_BRANCH_STACK},
    [F_PHYS_ADDR] = {"phys_addr", PD_SAMPLE_PHYS_ADDR},
    [F_DATA_PAGE_SIZE] = {"data_page_size", PD_SAMPLE_DATA_PAGE_SIZE},
    [F_CODE_PAGE_SIZE] = {"code_page_size", PD_SAMPLE_CODE_PAGE_SIZE},
};

static bool has(const struct dump *d, enum field f)
{
    return d->chosen >> f & 1;
}

#define FIELD_BIT(f_) (UINT64_C(1) << (f_))
#define USUAL                                                                                            \
    (FIELD_BIT(F_COMM) | FIELD_BIT(F_TID) | FIELD_BIT(F_CPU) | FIELD_BIT(F_TIME) | FIELD_BIT(F_PERIOD) | \
     FIELD_BIT(F_EVENT) | FIELD_BIT(F_TRACE) | FIELD_BIT(F_IP))

/* The field of a word with + or - before it, or with neither; *p is moved to the word. */
static bool take_sign(struct dump *d, const char **p, char *sign)
{
    *sign = **p == '+' || **p == '-' ? *(*p)++ : 0;
    if (*sign && d->chosen == 0)
        d->chosen = d->implied = USUAL;
    if ((*sign != 0) == (d->implied != 0))
        return true;
    cli_fail(d->cli, CLI_USAGE, "-F: +FIELD and -FIELD do not go with FIELD");
    return false;
}

static void choose(struct dump *d, char sign, enum field f)
{
    d->chosen = sign == '-' ? d->chosen & ~FIELD_BIT(f) : d->chosen | FIELD_BIT(f);
    d->implied &= ~FIELD_BIT(f) | (d->implied & USUAL & (sign == '+' ? 0 : ~UINT64_C(0)));
}

bool dump_fields_parse(struct dump *d)
{
    static const char *const elsewhere[] = {"sym", "symoff", "srcline", "srccode", "brstacksym", "insn"};
    for (const char *p = d->fields; *p;) {
        char sign;
        if (!take_sign(d, &p, &sign))
            return false;
        const size_t n = strcspn(p, ",");
        for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
            if (strlen(elsewhere[i]) == n && memcmp(elsewhere[i], p, n) == 0) {
                cli_fail(d->cli, CLI_USAGE,
                         "-F: %s needs symbols, which perf script resolves and perfdata does not",
                         elsewhere[i]);
                return false;
            }
        const int found = CLI_FIND_WORD(d->cli, "-F", p, n, fields);
        if (found < 0)
            return false;
        choose(d, sign, (enum field)found);
        p += n + (p[n] == ',');
    }
    if (d->chosen == 0)
        cli_fail(d->cli, CLI_USAGE, "-F: no field is named");
    else if (has(d, F_DSO) && !has(d, F_IP))
        cli_fail(d->cli, CLI_USAGE, "-F: dso is that of ip, which is not named");
    return d->cli->status == CLI_OK;
}

bool dump_fields_seek(const struct dump *d)
{
    return has(d, F_COMM) || has(d, F_CGROUP) || has(d, F_DSO);
}

/* The columns of a task, as they are at the moments whose `at` is between `from` and `to`, both excluded. */
struct known {
    uint64_t from, to;
    uint32_t pid, tid, n;
    char text[2 * SHORT];
};

/*
 * Of a thread: parts of earlier lines to reuse in the next one. Looking up each task and its name, and
 * printing numbers that do not change, was half the work of a line. */
struct dump_lines {
    uint64_t second;
    uint32_t n_second; /* 0: none yet */
    char second_text[SHORT];
    struct known known[256]; /* by the last bits of the tid */
};

/* ---- Before the records */

/* Refuses, as perf does, a field that no event has. */
static bool check_field(struct dump *d, enum field f)
{
    const size_t n = pd_reader_n_attrs(d->in.reader);
    size_t events = 0;
    if (fields[f].bits == 0 || !has(d, f))
        return true;
    for (size_t i = 0; i < n; i++) {
        const struct pd_attr *a = &pd_reader_attr(d->in.reader, i)->attr;
        if (pi_is_dummy(a))
            continue;
        if (a->sample_type & fields[f].bits)
            return true;
        events++;
    }
    if (d->implied & FIELD_BIT(f)) {
        d->chosen &= ~FIELD_BIT(f);
        return true;
    }
    if (events)
        cli_fail(d->cli, CLI_USAGE, "%s: -F: no event has the field %s", d->in.name, fields[f].name);
    return events == 0;
}

/*
 * Makes the names of attrs up to this one when they are first asked for: in a stream attrs come with the
 * records.
 */
static void learn_name(struct dump *d, size_t i)
{
    if (i >= d->n_names) {
        const size_t n = pd_reader_n_attrs(d->in.reader);
        struct dump_name *more = i < n ? cli_realloc(d->names, n * sizeof *more) : NULL;
        if (more == NULL)
            return;
        d->names = more;
        for (; d->n_names < n; d->n_names++) {
            char name[PI_LIMIT_NAME_SHOWN + 1] = "", text[4 * sizeof name];
            cli_event_name(&d->in, (uint32_t)d->n_names, name, sizeof name);
            const size_t size = strlen(name);
            struct pd_out shown = {.buf = text, .cap = sizeof text};
            pd_out_visible(&shown, name, size);
            char *kept = cli_calloc(shown.n > SHORT ? shown.n : SHORT, 1);
            if (kept)
                memcpy(kept, text, shown.n);
            more[d->n_names] = (struct dump_name){shown.n, kept};
            d->name_width = size > d->name_width ? size : d->name_width;
        }
    }
}

static const struct dump_name *known_name(const struct dump *d, size_t i)
{
    static char text[SHORT] = "[unknown]";
    static const struct dump_name unknown = {9, text};
    return i < d->n_names && d->names[i].text ? &d->names[i] : &unknown;
}

static bool check_fields(struct dump *d)
{
    for (int f = 0; f < N_FIELDS; f++)
        if (!check_field(d, (enum field)f))
            return false;
    return true;
}

const size_t dump_lines_size = sizeof(struct dump_lines);

bool dump_fields_learn(struct dump *d, const struct pd_record *rec)
{
    if (!d->checked && !(d->checked = check_fields(d)))
        return false;
    learn_name(d, rec->attr_index);
    return true;
}

/* The whole file once, for the names that tasks had at each time. */
static bool collect_tasks(struct dump *d)
{
    struct pd_error error;
    enum pd_code code = pd_tasks_new(&d->tasks, NULL, &error);
    if (!code)
        code = pd_tasks_collect(d->tasks, d->in.reader, &error); /* damage is reported by the second pass */
    if (!code)
        code = pd_tasks_finish(d->tasks, &error);
    if (!code)
        code = pd_reader_rewind(d->in.reader, &error);
    if (code)
        cli_input_error(&d->in, &error);
    pd_clock_init(&d->clock, pd_clock_is_timed(d->in.reader));
    return code == PD_OK;
}

/* The whole file once, for the paths of cgroups. */
static bool collect_cgroups(struct dump *d)
{
    const struct pd_session_options how = {
        .size = sizeof how, .allocator = &cli_allocator, .parts = PD_SESSION_ORIGINS};
    struct pd_record rec = {0};
    struct pd_error error;
    enum pd_code code = pd_session_new(&d->session, &how, &error);
    if (!code)
        code = pd_reader_rewind(d->in.reader, &error);
    while (!code && (code = pd_reader_next(d->in.reader, &rec, &error)) == PD_OK)
        if (rec.type != PD_RECORD_SAMPLE && (code = pd_session_record(d->session, &rec, &error)) != PD_OK)
            code = pi_ends_pass(code) ? code : PD_OK;
    if (!pi_ends_pass(code)) /* damage is reported by the second pass */
        code = pd_reader_rewind(d->in.reader, &error);
    if (code)
        cli_input_error(&d->in, &error);
    return code == PD_OK;
}

bool dump_fields_start(struct dump *d)
{
    if (!check_fields(d))
        return false;
    d->lines = cli_calloc(1, sizeof *d->lines);
    learn_name(d, 0);
    if (!d->lines || (has(d, F_CGROUP) && !collect_cgroups(d)))
        return false;
    if (has(d, F_DSO))
        return cli_ordered_open(&d->ordered, &d->in, PD_SORT_TIME,
                                PD_SESSION_MAPPINGS | (has(d, F_COMM) ? PD_SESSION_TASKS : 0u));
    return !has(d, F_COMM) || collect_tasks(d);
}

void dump_fields_free(struct dump *d)
{
    free(d->lines);
    for (size_t i = 0; i < d->n_names; i++)
        free(d->names[i].text);
    free(d->names);
    pd_tasks_free(d->tasks);
    pd_session_free(d->session);
    pi_counts_free(&d->counts);
    cli_ordered_close(&d->ordered);
}

/* ---- A sample */

/* A sample with perf's values for fields that the event does not have. */
struct values {
    struct pd_out *out;
    const struct pd_record *rec;
    const struct pd_attr *attr; /* of an unknown event that is laid out like all others: the first */
    const struct pd_sample *s;
    uint64_t type; /* attr.sample_type */
    bool chain;
    struct dump_lines *lines;
};

/*
 * The line up to the event's name is written straight into the buffer, where there is room for all of it.
 * printf's %*s and %*d were three quarters of the work of -F; asking for room at each column, and a digit at
 * a time, half of what was left.
 */
enum {
    NUMBER = 24, /* bytes for a number or for spaces, including bytes written beyond its end before that is
                    known */
    LINE = 256,  /* for all but names */
};

static inline void append_text(struct pd_out *out, const char *text, size_t n)
{
    pd_out_bytes(out, text, n);
}

#define PUT(out_, literal_) append_text(out_, literal_, sizeof(literal_) - 1)

static void put_columns(struct pd_out *out, const char *text, size_t n, size_t width)
{
    for (size_t i = n; i < width; i++)
        PUT(out, " ");
    append_text(out, text, n);
}

static inline char *pad(char *p, size_t n, size_t width)
{
    memset(p, ' ', NUMBER);
    return n < width ? p + (width - n) : p;
}

/* As %*d; no more columns than NUMBER. */
static inline char *put_signed(char *p, int32_t value, unsigned width)
{
    if (value >= 0)
        return pi_put_columns(p, (uint32_t)value, width, ' ');
    char number[NUMBER];
    *number = '-';
    const size_t n = (size_t)(pi_put_columns(number + 1, (uint64_t) - (int64_t)value, 0, ' ') - number);
    p = pad(p, n, width);
    memcpy(p, number, n);
    return p + n;
}

/* As %-*d */
static inline char *put_left(char *p, int32_t value, unsigned width)
{
    char *const start = p;
    p = put_signed(p, value, 0);
    memset(p, ' ', NUMBER);
    return p < start + width ? start + width : p;
}

/* As %*s. */
static inline char *put_text(char *p, const char *text, size_t n, size_t width)
{
    for (; n < width && width - n > NUMBER; width -= NUMBER, p += NUMBER)
        memset(p, ' ', NUMBER);
    if (n < width)
        p = pad(p, n, width);
    memcpy(p, text, n);
    return p + n;
}

static const char *find_comm(const struct dump *d, const struct values *v, const struct pd_moment *when,
                             char number[16], uint64_t *from, uint64_t *to)
{
    struct pd_task task;
    const struct pd_session_task *now;
    if (d->ordered.session) {
        now = pd_session_find_task(d->ordered.session, v->s->tid);
        *from = *to = 0; /* until the next record */
        if (now && *now->comm)
            return now->comm;
    } else {
        pd_tasks_find_span(d->tasks, when, v->s->tid, &task, from, to);
        if (task.comm != PD_COMM_NONE)
            return pd_tasks_comm(d->tasks, task.comm);
    }
    snprintf(number, 16, ":%" PRId32, (int32_t)v->s->tid);
    return number;
}

static char *put_task(const struct dump *d, const struct values *v, char *p)
{
    const bool known = (v->type & PD_SAMPLE_TID) != 0;
    const int32_t pid = known ? (int32_t)v->s->pid : -1, tid = known ? (int32_t)v->s->tid : -1;
    if (!has(d, F_PID) && !has(d, F_TID))
        return p;
    p = put_signed(p, has(d, F_PID) ? pid : tid, 5);
    if (has(d, F_PID) && has(d, F_TID)) {
        *p++ = '/';
        p = put_left(p, tid, 5);
    }
    *p++ = ' ';
    return p;
}

/* perf tests the numbers of the modes as if they were flags: hypervisor mode, 3, has those of kernel and user
 * mode, too. */
static char *put_misc(const struct values *v, char *p)
{
    static const char modes[8][7] = {"      ", "K     ", "U     ", "KUH   ",
                                     "G     ", "KGg   ", "UG    ", "KUHGg "};
    memcpy(p, modes[v->rec->misc & PD_MISC_CPUMODE], 6);
    return p + 6;
}

/* Of a number below 100. */
static inline char *put_pair(char *p, uint32_t value)
{
    static const char pairs[] =
        "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
        "505152535455565758596061626364656667686970717273747576777879808182838485868788899091929394959697989"
        "9";
    memcpy(p, pairs + 2 * value, 2);
    return p + 2;
}

/* As %03d */
static inline char *put_cpu(char *p, int32_t cpu)
{
    if (cpu >= 0 && cpu < 1000) {
        *p = (char)('0' + cpu / 100);
        return put_pair(p + 1, (uint32_t)cpu % 100);
    }
    if (cpu >= 0)
        return pi_put_columns(p, (uint32_t)cpu, 3, '0');
    *p = '-';
    return pi_put_columns(p + 1, (uint64_t) - (int64_t)cpu, 2, '0');
}

static inline char *put_time(const struct values *v, char *p)
{
    const uint64_t t = v->type & PD_SAMPLE_TIME ? v->s->time : UINT64_MAX, second = t / 1000000000;
    struct dump_lines *lines = v->lines;
    if (second != lines->second || lines->n_second == 0) {
        lines->second = second;
        lines->n_second = (uint32_t)(pi_put_columns(lines->second_text, second, 5, ' ') - lines->second_text);
    }
    memcpy(p, lines->second_text, SHORT);
    p += lines->n_second;
    *p++ = '.';
    const uint32_t micro = (uint32_t)(t - second * 1000000000) / 1000;
    p = put_pair(put_pair(put_pair(p, micro / 10000), micro / 100 % 100), micro % 100);
    memcpy(p, ": ", 2);
    return p + 2;
}

static bool make_room(struct pd_out *out, size_t n)
{
    if (out->lost == 0 && out->more && out->more(out, n) && out->cap - out->n >= n)
        return true;
    out->lost += n;
    out->cap = out->n;
    return false;
}

static inline bool reserve(struct pd_out *out, size_t n)
{
    return out->cap - out->n >= n || make_room(out, n);
}

/* The columns of the sample's task, into room for LINE bytes and the name. */
static char *put_columns_of_task(const struct dump *d, const struct values *v, const char *comm,
                                 size_t n_comm, char *p)
{
    if (has(d, F_COMM)) {
        p = put_text(p, comm, n_comm, v->chain ? 0 : 16);
        *p++ = ' ';
    }
    return put_task(d, v, p);
}

/* Looks up the task, prints its columns, and caches them. */
static void print_task(const struct dump *d, const struct values *v, const struct pd_moment *when,
                       struct known *known)
{
    char number[16];
    uint64_t from = 0, to = UINT64_MAX;
    const char *comm = has(d, F_COMM) ? find_comm(d, v, when, number, &from, &to) : "";
    const size_t whole = strnlen(comm, PI_LIMIT_NAME_SHOWN + 1),
                 size = whole > PI_LIMIT_NAME_SHOWN ? PI_LIMIT_NAME_SHOWN - 3 : whole;
    const size_t most = 4 * (size + 3); /* \xNN for each byte, and what stands for the rest */
    if (!reserve(v->out, LINE + 2 * most))
        return;
    char *const start = v->out->buf + v->out->n;
    struct pd_out shown = {.buf = start + LINE + most, .cap = most};
    pd_out_visible(&shown, comm, size);
    if (size < whole)
        pd_out_str(&shown, "...");
    const size_t n = (size_t)(put_columns_of_task(d, v, shown.buf, shown.n, start) - start);
    v->out->n += n;
    if (known && n <= sizeof known->text) {
        *known = (struct known){from, to, v->s->pid, v->s->tid, (uint32_t)n, ""};
        memcpy(known->text, start, n);
    }
}

static inline void print_columns_of_task(const struct dump *d, const struct values *v,
                                         const struct pd_moment *when)
{
    struct known *known = &v->lines->known[v->s->tid % (sizeof v->lines->known / sizeof *v->lines->known)];
    if (v->chain || !(v->type & PD_SAMPLE_TID))
        known = NULL;
    if (known == NULL || known->n == 0 || known->tid != v->s->tid || known->pid != v->s->pid ||
        (has(d, F_COMM) && (when->at <= known->from || when->at >= known->to))) {
        print_task(d, v, when, known);
    } else if (reserve(v->out, sizeof known->text)) {
        memcpy(v->out->buf + v->out->n, known->text, sizeof known->text);
        v->out->n += known->n;
    }
}

static inline char *put_event(const struct dump *d, const struct dump_name *event, char *p)
{
    if (event->n <= SHORT && event->n >= d->name_width) {
        memcpy(p, event->text, SHORT);
        p += event->n;
    } else {
        p = put_text(p, event->text, event->n, d->name_width);
    }
    memcpy(p, ": ", 2);
    return p + 2;
}

/* Everything up to the event's name. */
static inline void print_start(const struct dump *d, const struct values *v, const struct pd_moment *when)
{
    const struct dump_name *event = known_name(d, v->rec->attr_index);
    if (d->chosen & (1 << F_COMM | 1 << F_PID | 1 << F_TID))
        print_columns_of_task(d, v, when);
    if (!reserve(v->out, LINE + event->n + d->name_width))
        return;
    char *p = v->out->buf + v->out->n;
    if (has(d, F_CPU)) {
        *p++ = '[';
        p = put_cpu(p, v->type & PD_SAMPLE_CPU ? (int32_t)v->s->cpu : -1);
        memcpy(p, "] ", 2);
        p += 2;
    }
    if (has(d, F_MISC))
        p = put_misc(v, p);
    if (has(d, F_TIME))
        p = put_time(v, p);
    if (has(d, F_PERIOD)) {
        const uint64_t period = v->type & PD_SAMPLE_PERIOD ? v->s->period : v->attr->sample_period;
        p = pi_put_columns(p, period, 10, ' ');
        *p++ = ' ';
    }
    if (has(d, F_EVENT))
        p = put_event(d, event, p);
    if (!(d->chosen & ~START))
        *p++ = '\n';
    v->out->n = (size_t)(p - v->out->buf);
}

/* Apart for its large buffer. */
static __attribute__((noinline)) void print_dso(const struct dump *d, const struct values *v, uint64_t ip,
                                                unsigned cpumode)
{
    char dso[UINT16_MAX + 1] = "[unknown]";
    const struct pd_mapping *m = pd_session_find_mapping(d->ordered.session, v->s->pid, ip, cpumode);
    if (m)
        pd_mapping_dso(m, dso, sizeof dso);
    PUT(v->out, " (");
    pd_out_visible(v->out, dso, strlen(dso));
    PUT(v->out, ")");
}

static void print_chain(const struct dump *d, const struct values *v)
{
    struct pd_frames frames;
    uint64_t ip;
    unsigned cpumode;
    PUT(v->out, "\n");
    pd_frames_begin(&frames, &v->s->callchain.ips);
    while (pd_frames_next(&frames, &ip, &cpumode)) {
        char text[16], *p = text + sizeof text;
        for (uint64_t left = ip; left || p == text + sizeof text; left >>= 4)
            *--p = "0123456789abcdef"[left & 15];
        PUT(v->out, "\t");
        put_columns(v->out, p, (size_t)(text + sizeof text - p), 16);
        if (has(d, F_DSO))
            print_dso(d, v, ip, cpumode);
        PUT(v->out, "\n");
    }
}

static void print_regs(const struct dump *d, const struct values *v, uint64_t abi, uint64_t mask,
                       const struct pd_vec *regs)
{
    if (abi == PD_REGS_NONE || regs->n == 0)
        return;
    cli_print_to(v->out, " ABI:%" PRIu64 " ", abi);
    for (size_t i = 0; i < regs->n && mask; i++, mask &= mask - 1) {
        const unsigned bit = (unsigned)__builtin_ctzll(mask);
        const char *name = pd_reg_name_of_abi(d->arch, abi, bit);
        cli_print_to(v->out, "%5s:0x%" PRIx64 " ", name ? name : "unknown", pd_vec_at(regs, i));
    }
}

static void print_page_size(const struct values *v, uint64_t size)
{
    static const char units[] = "BKMGTPE";
    unsigned unit = 0;
    if (size == 0) {
        PUT(v->out, " N/A");
        return;
    }
    for (; size % 1024 == 0 && unit < sizeof units - 2; unit++)
        size /= 1024;
    cli_print_to(v->out, " %" PRIu64 "%c", size, units[unit]);
}

static void print_data(const struct dump *d, const struct values *v)
{
    const struct pd_sample *s = v->s;
    const bool packed = (v->type & PD_SAMPLE_WEIGHT_STRUCT) != 0;
    if (has(d, F_ID))
        cli_print_to(v->out, "%16" PRIu64 " ", v->type & PD_SAMPLE_IDENTIFIER ? s->identifier : s->id);
    if (has(d, F_STREAM_ID))
        cli_print_to(v->out, "%16" PRIu64 " ", s->stream_id);
    if (has(d, F_ADDR))
        cli_print_to(v->out, "%16" PRIx64, s->addr);
    if (has(d, F_DATA_SRC) && v->type & PD_SAMPLE_DATA_SRC)
        dump_put_data_src(v->rec, v->out);
    if (has(d, F_WEIGHT))
        cli_print_to(v->out, "%16" PRIu64,
                     packed ? (uint64_t)(s->weight_struct & PD_WEIGHT_VAR1_DW) : s->weight);
    if (has(d, F_INS_LAT))
        cli_print_to(v->out, "%16" PRIu64,
                     (uint64_t)(s->weight_struct & PD_WEIGHT_VAR2_W) >> PD_WEIGHT_VAR2_W_SHIFT);
}

/* The fields of a tracepoint; perf prints them as the text in its format says. */
static void print_trace(const struct dump *d, const struct values *v)
{
    const struct pd_tracepoint *tp = dump_tracepoint_of(d, v->rec);
    if (tp)
        pd_tracepoint_print(tp, (enum pd_order)tp->order, v->s->raw.data.ptr, v->s->raw.data.n, 0, v->out);
}

static void print_cgroup(const struct dump *d, const struct values *v)
{
    const char *path = pd_session_find_cgroup(d->session, v->s->cgroup);
    PUT(v->out, " ");
    if (path)
        pd_out_visible(v->out, path, strlen(path));
    else
        PUT(v->out, "unknown");
}

static void print_rest(const struct dump *d, const struct values *v)
{
    const struct pd_sample *s = v->s;
    if (has(d, F_TRACE))
        print_trace(d, v);
    print_data(d, v);
    if (has(d, F_CGROUP))
        print_cgroup(d, v);
    if (has(d, F_IP) && v->chain)
        print_chain(d, v);
    else if (has(d, F_IP))
        cli_print_to(v->out, " %16" PRIx64, s->ip);
    if (has(d, F_DSO) && !v->chain)
        print_dso(d, v, s->ip, v->rec->misc & PD_MISC_CPUMODE);
    if (has(d, F_IREGS))
        print_regs(d, v, s->regs_intr.abi, v->attr->sample_regs_intr, &s->regs_intr.regs);
    if (has(d, F_UREGS))
        print_regs(d, v, s->regs_user.abi, v->attr->sample_regs_user, &s->regs_user.regs);
    if (has(d, F_BRSTACK) && v->type & PD_SAMPLE_BRANCH_STACK)
        dump_put_branches(s, v->out);
    if (has(d, F_PHYS_ADDR))
        cli_print_to(v->out, "%16" PRIx64, s->phys_addr);
    if (has(d, F_DATA_PAGE_SIZE))
        print_page_size(v, s->data_page_size);
    if (has(d, F_CODE_PAGE_SIZE))
        print_page_size(v, s->code_page_size);
    PUT(v->out, "\n");
}

void dump_fields_print(const struct dump *d, struct dump_lines *lines, const struct pd_record *rec,
                       const struct pd_moment *when, struct pd_out *out)
{
    static const struct pd_attr none; /* of a sample that belongs to no event */
    const struct pd_event_attr *first = rec->attr ? NULL : pd_reader_attr(d->in.reader, 0);
    const struct pd_attr *a = rec->attr ? rec->attr : first ? &first->attr : &none;
    const uint64_t counted = a->sample_type & PD_SAMPLE_READ ? PD_SAMPLE_PERIOD : 0;
    struct values v = {out,
                       rec,
                       a,
                       &rec->u.sample,
                       a->sample_type | counted,
                       has(d, F_IP) && (a->sample_type & PD_SAMPLE_CALLCHAIN) != 0,
                       lines};
    struct pd_offcpu offcpu;
    struct pd_sample shown;
    const bool is_offcpu = rec->plan && rec->plan->offcpu && pd_offcpu_of(rec, &offcpu);
    if (is_offcpu) {
        shown = rec->u.sample;
        pd_offcpu_apply(&offcpu, &shown);
        v.s = &shown;
        v.type |= OFFCPU_FIELDS;
    }
    print_start(d, &v, when);
    v.chain |= is_offcpu && has(d, F_IP); /* which perf does not consider in the columns before */
    if (d->chosen & ~START)
        print_rest(d, &v);
}

/* The sample that perf makes of a counter: of its event, with its id, and what it has counted as period. */
static void print_counted(struct dump *d, const struct pd_record *rec, const struct pi_counted *counted,
                          const struct pd_moment *when)
{
    struct pd_record one = *rec;
    one.attr_index = counted->attr_index;
    one.attr = &pd_reader_attr(d->in.reader, counted->attr_index)->attr;
    one.u.sample.id = one.u.sample.identifier = counted->id;
    one.u.sample.period = counted->period;
    dump_fields_print(d, d->lines, &one, when, &d->cli->out);
}

void dump_fields_count(struct dump *d, struct pd_record *rec, const struct pd_moment *when, bool shown)
{
    struct pi_counted counted;
    enum pd_code code;
    if (shown ? !cli_decode(&d->in, rec) : pd_reader_decode(d->in.reader, rec, NULL) != PD_OK) {
        d->left_out += shown;
        return;
    }
    d->counts.allocator = &cli_allocator;
    pi_counts_begin(&d->counts);
    while ((code = pi_counts_next(&d->counts, d->in.reader, rec, &counted)) == PD_OK)
        if (shown)
            print_counted(d, rec, &counted, when);
    if (code == PD_ENOMEM)
        cli_no_memory(d->cli);
}
