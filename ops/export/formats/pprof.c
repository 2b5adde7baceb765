/* SPDX-License-Identifier: MIT */
/*
 * pprof.c - pprof's profile.proto in gzip. A file of the recording is a mapping of its code, as if byte 0 of
 * the file were at an address of its own: pprof finds the program header by the mapping's offset in the file,
 * and the offset of an address by its distance from the mapping's start. What goes by address is a mapping of
 * all addresses in use. Functions have a mapping without addresses for each file. Messages come in any order:
 * samples first, and what they refer to at the end.
 */
#include "gzip.h"
#include "ops/export/labels.h"
#include "src/schema/fail.h"
#include "src/support/memory.h"

/* Numbers of fields. */
enum { SAMPLE_TYPE = 1, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING, PERIOD_TYPE = 11 };

struct range {
    uint64_t first, last;
    uint64_t sum;   /* of the stacks that it is in */
    uint64_t stack; /* the last of these, from 1 on; 0: it is in none */
};

struct pprof {
    struct pd_export *all;
    struct pi_export_table table;
    struct pi_texts strings;
    struct pi_gzip gzip;
    struct pd_out message, inner; /* being made */
    struct range *ranges;         /* by number of the file */
    uint64_t n_stacks;
    bool no_memory;
};

/* ---- Protocol buffers */

static void put_varint(struct pd_out *out, uint64_t value)
{
    uint8_t bytes[10];
    pd_out_bytes(out, bytes, pi_put_number(bytes, value));
}

/* A field that is a number; 0 is the default, which is left out. */
static void put_field(struct pd_out *out, uint32_t field, uint64_t value)
{
    if (value == 0)
        return;
    put_varint(out, field << 3);
    put_varint(out, value);
}

static void put_bytes(struct pd_out *out, uint32_t field, const struct pd_out *bytes)
{
    put_varint(out, field << 3 | 2);
    put_varint(out, bytes->n);
    pd_out_bytes(out, bytes->buf, bytes->n);
}

/* Writes the message as a field of the profile, and empties it. */
static void end_message(struct pprof *p, uint32_t field)
{
    uint8_t head[20];
    size_t n = pi_put_number(head, field << 3 | 2);
    n += pi_put_number(head + n, p->message.n);
    pi_gzip_put(&p->gzip, head, n);
    if (p->message.n)
        pi_gzip_put(&p->gzip, p->message.buf, p->message.n);
    p->no_memory |= p->message.lost || p->inner.lost;
    p->message.n = 0;
}

static uint64_t add_string(struct pprof *p, const char *text)
{
    struct pd_out visible = {.more = pd_out_grow, .user = p->inner.user};
    uint32_t number = 0;
    pi_export_put_name(&visible, text, false);
    if (visible.lost || !pi_texts_add(&p->strings, visible.n ? visible.buf : "", visible.n, &number))
        p->no_memory = true;
    pi_release(p->all->options.allocator, visible.buf);
    return number;
}

/* ---- Samples */

/* A text, or, if that is NULL, a number. Readers take a number of 0 for none, so it is a text. */
static void put_label(struct pprof *p, const char *key, const char *text, uint64_t number)
{
    p->inner.n = 0;
    if (number == 0 && text == NULL)
        text = "0";
    put_field(&p->inner, 1, add_string(p, key));
    if (text)
        put_field(&p->inner, 2, add_string(p, text));
    else
        put_field(&p->inner, 3, (uint64_t)(int32_t)number);
    put_bytes(&p->message, 3, &p->inner);
}

static void put_labels(struct pprof *p, const uint8_t *at)
{
    const uint32_t keys = p->all->options.keys;
    if (keys & PD_EXPORT_COMM)
        put_label(p, "comm", p->all->comms.all[pi_take_number(&at)], 0);
    if (keys & PD_EXPORT_PID)
        put_label(p, "pid", NULL, pi_take_number(&at));
    if (keys & PD_EXPORT_TID)
        put_label(p, "tid", NULL, pi_take_number(&at));
    if (keys & PD_EXPORT_CPU)
        put_label(p, "cpu", NULL, pi_take_number(&at));
    if (keys & PD_EXPORT_CGROUP)
        put_label(p, "cgroup", p->all->cgroups.all[pi_take_number(&at)], 0);
}

/* Notes a frame of the last stack, which has this sum. */
static void note_range(struct pprof *p, uint32_t number, uint64_t sum)
{
    const struct pi_export_frame *frame = &p->table.frames[number];
    struct range *r = &p->ranges[frame->dso];
    r->first = r->stack && r->first < frame->offset ? r->first : frame->offset;
    r->last = r->stack && r->last > frame->offset ? r->last : frame->offset;
    if (r->stack != p->n_stacks)
        r->sum = pi_stacks_sum(r->sum, sum);
    r->stack = p->n_stacks;
}

/* The locations, leaf first: `inner` receives them from the last to the first. */
static enum pd_code put_locations(struct pprof *p, const uint8_t **at, uint64_t sum, struct pd_error *error)
{
    uint32_t number;
    bool end;
    enum pd_code code;
    size_t n;
    p->inner.n = 0;
    while (!(code = pi_export_table_next(&p->table, at, &number, &end, error)) && !end) {
        note_range(p, number, sum);
        pd_out_bytes(&p->inner, &number, sizeof number);
    }
    n = p->inner.n / sizeof number;
    for (size_t i = n; !code && i > 0; i--) {
        memcpy(&number, p->inner.buf + (i - 1) * sizeof number, sizeof number);
        put_varint(&p->message, 1 << 3);
        put_varint(&p->message, number + UINT64_C(1));
    }
    return code;
}

/* A value for each event, of which one is not 0. */
static void put_values(struct pprof *p, uint64_t event, uint64_t sum)
{
    p->inner.n = 0;
    for (uint64_t i = 0; i < p->all->events.n; i++)
        put_varint(&p->inner, i != event ? 0 : sum < INT64_MAX ? sum : INT64_MAX);
    put_bytes(&p->message, 2, &p->inner);
}

static enum pd_code out_of_memory(struct pd_error *error)
{
    return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "profile", 0, 0);
}

static enum pd_code put_stack(void *user, const uint8_t *key, size_t n, uint64_t sum, struct pd_error *error)
{
    struct pprof *p = user;
    const uint8_t *at = key, *head;
    const uint64_t event = pi_take_number(&at);
    (void)n;
    head = at;
    pi_export_put_head(p->all, NULL, &at, NULL);
    p->n_stacks++;
    const enum pd_code code = put_locations(p, &at, sum, error);
    if (code)
        return code;
    put_values(p, event, sum);
    put_labels(p, head);
    end_message(p, SAMPLE);
    return p->no_memory ? out_of_memory(error) : PD_OK;
}

/* ---- What samples refer to */

/* Where byte 0 of a file is that is not mapped by address; they are far enough from each other for people. */
static uint64_t base_of(const struct pprof *p, uint32_t dso)
{
    return *p->all->dsos.all[dso] == PI_DSO_OFFSETS ? (dso + UINT64_C(1)) << 32 : 0;
}

/* The place of a file: its code, and the pages of all addresses in use. */
PI_WRAPS static void put_place(struct pprof *p, uint32_t dso)
{
    const struct range *r = &p->ranges[dso];
    const uint64_t base = base_of(p, dso);
    uint64_t first = r->first & ~UINT64_C(4095), last = r->last;
    if (base) {
        const struct pi_profiled *file = &p->all->profiled[dso];
        first = file->code < first ? file->code : first;
        last = file->last_code > last ? file->last_code : last;
    }
    put_field(&p->message, 2, base + first);
    put_field(&p->message, 3, last < UINT64_MAX - base ? base + last + 1 : UINT64_MAX);
    put_field(&p->message, 4, base ? first : 0);
}

static void put_mapping(struct pprof *p, uint32_t dso)
{
    const bool functions = *p->all->dsos.all[dso] == PI_DSO_FUNCTIONS;
    char id[41];
    const char *file = pi_export_dso_parts(p->all, dso, id);
    put_field(&p->message, 1, dso + UINT64_C(1));
    if (!functions)
        put_place(p, dso);
    put_field(&p->message, 5, add_string(p, file));
    put_field(&p->message, 6, add_string(p, id));
    put_field(&p->message, 7, functions);
    end_message(p, MAPPING);
}

/* True of a file that may be a program, by its name: it is no library, and code has a file of its own. */
static bool may_be_program(const char *path)
{
    const char *slash = strrchr(path, '/'), *so = strstr(slash ? slash : path, ".so");
    const bool library = so && (so[3] == 0 || strchr("._-", so[3]));
    return !library && *path != '[' && strncmp(path, "//", 2) != 0 && strncmp(path, "/tmp/perf-", 10) != 0;
}

/*
 * The main program: the first mapping is its, as pprof takes it for the program that it is called with. Of
 * several the one whose stacks have the greatest sum. 0: none.
 */
static uint32_t find_program(const struct pprof *p)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < p->all->dsos.n; i++)
        if (p->ranges[i].stack && may_be_program(pi_export_dso_name(p->all, i)) &&
            (best == 0 || p->ranges[i].sum > p->ranges[best].sum))
            best = i;
    return best;
}

static void put_mappings(struct pprof *p)
{
    const uint32_t program = find_program(p);
    if (program)
        put_mapping(p, program);
    for (uint32_t i = 1; i < p->all->dsos.n; i++)
        if (p->ranges[i].stack && i != program)
            put_mapping(p, i);
}

PI_WRAPS static void put_location(struct pprof *p, size_t i)
{
    const struct pi_export_frame *frame = &p->table.frames[i];
    put_field(&p->message, 1, i + 1);
    if (frame->dso) /* else it is not mapped */
        put_field(&p->message, 2, frame->dso + UINT64_C(1));
    if (*p->all->dsos.all[frame->dso] != PI_DSO_FUNCTIONS) {
        put_field(&p->message, 3, base_of(p, frame->dso) + frame->offset);
        end_message(p, LOCATION);
        return;
    }
    p->inner.n = 0;
    put_field(&p->inner, 1, i + 1);
    put_bytes(&p->message, 4, &p->inner);
    end_message(p, LOCATION);
    const uint64_t name = add_string(p, p->all->functions.all[frame->offset]);
    put_field(&p->message, 1, i + 1);
    put_field(&p->message, 2, name);
    put_field(&p->message, 3, name);
    end_message(p, FUNCTION);
}

static void put_type(struct pprof *p, uint32_t field, uint64_t event)
{
    const bool count = p->all->options.count;
    put_field(&p->message, 1, add_string(p, p->all->events.all[event]));
    put_field(&p->message, 2,
              add_string(p, count                        ? "samples"
                            : p->all->nanoseconds[event] ? "nanoseconds"
                                                         : "count"));
    end_message(p, field);
}

static void put_strings(struct pprof *p)
{
    for (size_t i = 0; i < p->strings.n; i++) {
        pd_out_str(&p->message, p->strings.all[i]);
        end_message(p, STRING);
    }
}

static enum pd_code put_all(struct pprof *p, struct pd_error *error)
{
    p->ranges = pi_array(p->all->options.allocator, NULL, p->all->dsos.n, sizeof *p->ranges);
    if (p->ranges == NULL)
        return out_of_memory(error);
    memset(p->ranges, 0, p->all->dsos.n * sizeof *p->ranges);
    add_string(p, "");
    for (uint64_t i = 0; i < p->all->events.n; i++)
        put_type(p, SAMPLE_TYPE, i);
    if (p->all->events.n)
        put_type(p, PERIOD_TYPE, 0);
    const enum pd_code code = pi_stacks_each(&p->all->stacks, put_stack, p, error);
    if (!code)
        put_mappings(p);
    for (size_t i = 0; !code && i < p->table.n; i++)
        put_location(p, i);
    if (!code)
        put_strings(p);
    return !code && p->no_memory ? out_of_memory(error) : code;
}

enum pd_code pi_export_pprof(struct pd_export *all, const struct pd_sink *sink, struct pd_error *error)
{
    const struct pd_allocator *allocator = all->options.allocator;
    struct pd_allocator own; /* pd_out_grow() takes one that may be changed */
    struct pprof p = {.all = all, .strings.allocator = allocator};
    if (allocator)
        own = *allocator;
    p.message = p.inner = (struct pd_out){.more = pd_out_grow, .user = allocator ? &own : NULL};
    pi_export_table_open(&p.table, all);
    pi_gzip_open(&p.gzip, sink);
    enum pd_code code = put_all(&p, error);
    if (!code)
        code = pi_gzip_close(&p.gzip, error);
    pi_export_table_close(&p.table);
    pi_texts_free(&p.strings);
    pi_release(allocator, p.ranges);
    pi_release(allocator, p.message.buf);
    pi_release(allocator, p.inner.buf);
    return code;
}
