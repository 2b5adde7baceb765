/* SPDX-License-Identifier: MIT */
/*
 * firefox.c - the Firefox Profiler's processed profile, version 48: a thread for each event and head, with
 * tables by column. Stacks are a tree; they come in order of their frames, so that those which begin alike
 * follow each other, and the nodes of the last one are all that a new one can share.
 */
#include "groups.h"
#include "src/support/memory.h"
#include <perfdata/version.h>

/* Growing columns of the thread. */
struct column {
    uint64_t *all;
    size_t n, cap;
};

struct node {
    uint32_t frame; /* number in the table */
    uint64_t index; /* in the columns */
};

struct firefox {
    struct pi_export_groups g; /* first */
    struct column prefixes;    /* of nodes: 1 + the node's parent, 0: none */
    struct column frames;      /* of nodes: numbers in `used` */
    struct column stacks;      /* of samples */
    struct column used;        /* frames of the thread: numbers in the table */
    struct column locals;      /* by number in the table: 1 + number in `used` */
    struct node *path;         /* of the last stack */
    size_t n_path, cap_path;
};

static enum pd_code add(struct firefox *f, struct column *c, uint64_t value, struct pd_error *error)
{
    const uint64_t bytes = (c->n + UINT64_C(1)) * sizeof value;
    if (bytes > PI_LIMIT_EXPORT_NAMES)
        return pi_fail(error, PD_ELIMIT, PD_NOWHERE, "frames of a thread", bytes, PI_LIMIT_EXPORT_NAMES);
    if (!pi_grow(f->g.all->options.allocator, (void **)&c->all, c->n, &c->cap, sizeof value))
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "frames of a thread", 0, bytes);
    c->all[c->n++] = value;
    return PD_OK;
}

static void free_columns(struct firefox *f)
{
    struct column *const all[] = {&f->prefixes, &f->frames, &f->stacks, &f->used, &f->locals};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        pi_release(f->g.all->options.allocator, all[i]->all);
    pi_release(f->g.all->options.allocator, f->path);
}

/* ---- Stacks */

static enum pd_code find_local(struct firefox *f, uint32_t frame, uint64_t *local, struct pd_error *error)
{
    enum pd_code code = PD_OK;
    while (!code && f->locals.n <= frame)
        code = add(f, &f->locals, 0, error);
    if (!code && f->locals.all[frame] == 0 && !(code = add(f, &f->used, frame, error)))
        f->locals.all[frame] = f->used.n;
    if (!code)
        *local = f->locals.all[frame] - 1;
    return code;
}

static enum pd_code add_node(struct firefox *f, size_t depth, uint32_t frame, struct pd_error *error)
{
    const uint64_t parent = depth ? f->path[depth - 1].index + 1 : 0, index = f->frames.n;
    uint64_t local;
    enum pd_code code = add(f, &f->prefixes, parent, error);
    if (!code)
        code = find_local(f, frame, &local, error);
    if (!code)
        code = add(f, &f->frames, local, error);
    if (code)
        return code;
    if (!pi_grow(f->g.all->options.allocator, (void **)&f->path, depth, &f->cap_path, sizeof *f->path))
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "frames of a thread", 0, depth * sizeof *f->path);
    f->path[depth] = (struct node){frame, index};
    f->n_path = depth + 1;
    return PD_OK;
}

static enum pd_code add_stack(struct pi_export_groups *g, const uint8_t *frames, struct pd_error *error)
{
    struct firefox *f = (struct firefox *)g;
    uint32_t number;
    enum pd_code code;
    size_t depth = 0;
    bool end, shared = true;
    while (!(code = pi_export_table_next(&g->table, &frames, &number, &end, error)) && !end) {
        shared = shared && depth < f->n_path && f->path[depth].frame == number;
        if (!shared && (code = add_node(f, depth, number, error)))
            return code;
        depth++;
    }
    f->n_path = depth;
    return code ? code : add(f, &f->stacks, depth ? f->path[depth - 1].index + 1 : 0, error);
}

/* ---- Tables */

static void put_key(struct pd_out *out, const char *key)
{
    pd_out_str(out, "\"");
    pd_out_str(out, key);
    pd_out_str(out, "\":");
}

/* n times the same value. */
static void put_same(struct pd_out *out, const char *key, const char *value, size_t n)
{
    pd_out_str(out, ",");
    put_key(out, key);
    for (size_t i = 0; i < n; i++) {
        pd_out_str(out, i ? "," : "[");
        pd_out_str(out, value);
    }
    pd_out_str(out, n ? "]" : "[]");
}

/* Numbers from 0 on. */
static void put_count(struct pd_out *out, const char *key, size_t n)
{
    pd_out_str(out, ",");
    put_key(out, key);
    for (size_t i = 0; i < n; i++) {
        pd_out_str(out, i ? "," : "[");
        pd_out_dec(out, i);
    }
    pd_out_str(out, n ? "]" : "[]");
}

/* Numbers of which 0 means none, and 1 is 0. */
static void put_links(struct pd_out *out, const char *key, const struct column *c)
{
    pd_out_str(out, ",");
    put_key(out, key);
    for (size_t i = 0; i < c->n; i++) {
        pd_out_str(out, i ? "," : "[");
        if (c->all[i])
            pd_out_dec(out, c->all[i] - 1);
        else
            pd_out_str(out, "null");
    }
    pd_out_str(out, c->n ? "]" : "[]");
}

static void begin_table(struct pd_out *out, const char *key, size_t n)
{
    pd_out_str(out, ",\n");
    put_key(out, key);
    pd_out_str(out, "{\"length\":");
    pd_out_dec(out, n);
}

static void put_frame_table(struct pd_out *out, size_t n)
{
    static const char *const none[] = {"nativeSymbol", "innerWindowID", "implementation", "line", "column"};
    begin_table(out, "frameTable", n);
    put_same(out, "address", "-1", n);
    put_same(out, "inlineDepth", "0", n);
    put_same(out, "category", "0", n);
    put_same(out, "subcategory", "0", n);
    put_count(out, "func", n);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        put_same(out, none[i], "null", n);
    pd_out_str(out, "}");
}

static void put_func_table(struct pd_out *out, size_t n)
{
    begin_table(out, "funcTable", n);
    put_count(out, "name", n);
    put_same(out, "isJS", "false", n);
    put_same(out, "relevantForJS", "false", n);
    put_same(out, "resource", "-1", n);
    put_same(out, "fileName", "null", n);
    put_same(out, "lineNumber", "null", n);
    put_same(out, "columnNumber", "null", n);
    pd_out_str(out, "}");
}

static void put_stack_table(struct firefox *f, struct pd_out *out)
{
    begin_table(out, "stackTable", f->frames.n);
    put_links(out, "prefix", &f->prefixes);
    pd_out_str(out, ",\"frame\":");
    pi_export_put_numbers(out, f->frames.all, f->frames.n);
    put_same(out, "category", "0", f->frames.n);
    put_same(out, "subcategory", "0", f->frames.n);
    pd_out_str(out, "}");
}

static void put_samples(struct firefox *f, struct pd_out *out)
{
    begin_table(out, "samples", f->stacks.n);
    put_links(out, "stack", &f->stacks);
    put_count(out, "time", f->stacks.n); /* sums have none: one after the other */
    pd_out_str(out, ",\"weightType\":\"samples\",\"weight\":");
    pi_export_put_numbers(out, f->g.weights, f->g.n_weights);
    pd_out_str(out, "}");
}

static void put_strings(struct firefox *f, struct pd_out *out)
{
    pd_out_str(out, ",\n\"stringArray\":[");
    for (size_t i = 0; i < f->used.n; i++) {
        if (i)
            pd_out_str(out, ",");
        pi_export_put_frame_json(&f->g, (uint32_t)f->used.all[i]);
    }
    pd_out_str(out, "]");
}

/* ---- Threads */

static void begin_thread(struct pi_export_groups *g)
{
    struct firefox *f = (struct firefox *)g;
    f->prefixes.n = f->frames.n = f->stacks.n = f->used.n = f->n_path = 0;
    if (f->locals.n)
        memset(f->locals.all, 0, f->locals.n * sizeof *f->locals.all);
    pd_out_str(&g->text.out, g->n ? ",\n{\"name\":" : "\n{\"name\":");
    pi_export_put_group(g);
}

/* A number of the head, as far as it was asked for; of a thread that has none, its place. */
static uint64_t id_of(const struct pi_export_groups *g, uint32_t wanted)
{
    const uint32_t keys = g->all->options.keys;
    const uint8_t *at = g->head;
    pi_take_number(&at);
    for (uint32_t key = PD_EXPORT_COMM; key <= PD_EXPORT_TID; key <<= 1) {
        const uint64_t value = keys & key ? pi_take_number(&at) : 0;
        if (keys & key && key == wanted)
            return value;
    }
    return g->n;
}

static void end_thread(struct pi_export_groups *g)
{
    struct firefox *f = (struct firefox *)g;
    struct pd_out *out = &g->text.out;
    pd_out_str(out, ",\"processName\":");
    pi_export_put_group(g);
    pd_out_str(out, ",\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":null,"
                    "\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[],\"isMainThread\":");
    pd_out_str(out, id_of(g, PD_EXPORT_PID) == id_of(g, PD_EXPORT_TID) ? "true" : "false");
    pd_out_str(out, ",\"pid\":\"");
    pd_out_sdec(out, (int32_t)id_of(g, PD_EXPORT_PID));
    pd_out_str(out, "\",\"tid\":");
    pd_out_sdec(out, (int32_t)id_of(g, PD_EXPORT_TID));
    put_samples(f, out);
    put_stack_table(f, out);
    put_frame_table(out, f->used.n);
    put_func_table(out, f->used.n);
    pd_out_str(out, ",\n\"resourceTable\":{\"length\":0,\"lib\":[],\"name\":[],\"host\":[],\"type\":[]},"
                    "\"nativeSymbols\":{\"length\":0,\"address\":[],\"functionSize\":[],\"libIndex\":[],"
                    "\"name\":[]},\"markers\":{\"length\":0,\"category\":[],\"data\":[],\"endTime\":[],"
                    "\"name\":[],\"phase\":[],\"startTime\":[]}");
    put_strings(f, out);
    pd_out_str(out, "}");
}

static void put_meta(struct pd_out *out)
{
    pd_out_str(out, "{\"meta\":{\"preprocessedProfileVersion\":48,\"version\":29,\"product\":"
                    "\"perfdata " PD_VERSION_STRING
                    "\",\"interval\":1,\"startTime\":0,\"processType\":0,\"stackwalk\":1,"
                    "\"debug\":false,\"symbolicated\":true,\"categories\":[{\"name\":\"Other\","
                    "\"color\":\"grey\",\"subcategories\":[\"Other\"]}],\"markerSchema\":[],"
                    "\"extensions\":{\"length\":0,\"baseURL\":[],\"id\":[],\"name\":[]},"
                    "\"usesOnlyOneStackType\":true,\"doesNotUseFrameImplementation\":true,"
                    "\"sourceCodeIsNotOnSearchfox\":true},\n\"libs\":[],\"pages\":[],\"counters\":[],"
                    "\"profilerOverhead\":[],\n\"threads\":[");
}

enum pd_code pi_export_firefox(struct pd_export *all, const struct pd_sink *sink, struct pd_error *error)
{
    struct firefox f = {.n_path = 0};
    pi_export_groups_open(&f.g, all, sink);
    f.g.begin = begin_thread;
    f.g.stack = add_stack;
    f.g.end = end_thread;
    put_meta(&f.g.text.out);
    enum pd_code code = pi_export_groups_each(&f.g, error);
    if (!code) {
        pd_out_str(&f.g.text.out, "]}\n");
        code = pi_text_out_end(&f.g.text, error);
    }
    free_columns(&f);
    pi_export_groups_close(&f.g);
    return code;
}
