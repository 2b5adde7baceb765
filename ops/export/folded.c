/* SPDX-License-Identifier: MIT */
/* folded.c - a line for each stack, as flamegraph.pl, speedscope and others read it. */
#include "export.h"
#include "src/schema/fail.h"
#include "text_out.h"
#include <string.h>

struct folding {
    struct pd_export *all;
    struct pd_text_out text;
};

/* A name in which nothing ends a frame or a line. */
static void put_name(struct pd_out *out, const char *name)
{
    const char *stop;
    for (; (stop = strchr(name, ';')); name = stop + 1) {
        pd_out_visible(out, name, (size_t)(stop - name));
        pd_out_bytes(out, ":", 1);
    }
    pd_out_visible(out, name, strlen(name));
}

static void put_between(struct pd_out *out, bool *first)
{
    if (!*first)
        pd_out_bytes(out, ";", 1);
    *first = false;
}

static void put_id(struct pd_out *out, const char *key, const uint8_t **at, bool *first)
{
    put_between(out, first);
    pd_out_str(out, key);
    pd_out_sdec(out, (int32_t)pd_take_number(at));
}

static void put_head(struct folding *f, const uint8_t **at, bool *first)
{
    struct pd_out *out = &f->text.out;
    const uint32_t keys = f->all->options.keys;
    if (keys & PD_EXPORT_COMM) {
        put_between(out, first);
        put_name(out, f->all->comms.all[pd_take_number(at)]);
    }
    if (keys & PD_EXPORT_PID)
        put_id(out, "pid ", at, first);
    if (keys & PD_EXPORT_TID)
        put_id(out, "tid ", at, first);
    if (keys & PD_EXPORT_CPU)
        put_id(out, "cpu ", at, first);
    if (keys & PD_EXPORT_CGROUP) {
        put_between(out, first);
        put_name(out, f->all->cgroups.all[pd_take_number(at)]);
    }
}

static enum pd_code put_stack(void *user, const uint8_t *key, size_t n, uint64_t sum, struct pd_error *error)
{
    struct folding *f = user;
    struct pd_out *out = &f->text.out;
    const uint8_t *at = key;
    bool first = true;
    uint64_t dso;
    const char *event = f->all->events.all[pd_take_number(&at)];
    (void)n;
    if (f->all->events.n > 1) {
        put_between(out, &first);
        put_name(out, event);
    }
    put_head(f, &at, &first);
    while ((dso = pd_take_number(&at)) != 0) {
        put_between(out, &first);
        put_name(out, strchr(f->all->dsos.all[dso - 1], ' ') + 1);
        pd_out_str(out, "+");
        pd_out_hex(out, pd_take_number(&at));
    }
    pd_out_str(out, " ");
    pd_out_dec(out, sum);
    pd_out_str(out, "\n");
    return pd_text_out_code(&f->text, error);
}

enum pd_code pd_export_folded(struct pd_export *all, const struct pd_sink *sink, struct pd_error *error)
{
    struct folding f = {.all = all};
    pd_text_out_open(&f.text, sink);
    const enum pd_code code = pd_stacks_each(&all->stacks, put_stack, &f, error);
    return code ? code : pd_text_out_end(&f.text, error);
}
