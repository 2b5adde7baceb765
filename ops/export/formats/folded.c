/* SPDX-License-Identifier: MIT */
/* folded.c - a line for each stack, as flamegraph.pl, speedscope and others read it. */
#include "ops/export/labels.h"
#include "text_out.h"

struct folding {
    struct pd_export *all;
    struct pd_text_out text;
};

static enum pd_code put_stack(void *user, const uint8_t *key, size_t n, uint64_t sum, struct pd_error *error)
{
    struct folding *f = user;
    struct pd_out *out = &f->text.out;
    const uint8_t *at = key;
    const char *event = f->all->events.all[pd_take_number(&at)];
    const bool several = f->all->events.n > 1;
    uint64_t dso;
    (void)n;
    if (several) {
        pd_export_put_name(out, event, true);
        if (f->all->options.keys)
            pd_out_str(out, ";");
    }
    bool any = pd_export_put_head(f->all, out, &at, ";") || several;
    for (; (dso = pd_take_number(&at)) != 0; any = true) {
        if (any)
            pd_out_str(out, ";");
        pd_export_put_frame(f->all, out, dso - 1, pd_take_number(&at), true);
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
