/* SPDX-License-Identifier: MIT */
/* folded.c - a line for each stack, as flamegraph.pl, speedscope and others read it. */
#include "ops/export/labels.h"
#include "src/reflect/emit.h"
#include "src/support/memory.h"
#include "text_out.h"

/* The name of a file, if it is written as it is. */
struct plain {
    const char *name; /* NULL: it is not */
    size_t n;
};

struct folding {
    struct pd_export *all;
    struct pi_text_out text;
    struct plain *files; /* by number in `dsos` */
};

/* Looks at each name once: frames are many. */
static enum pd_code look_at_files(struct folding *f, struct pd_error *error)
{
    const struct pi_texts *dsos = &f->all->dsos;
    f->files = pi_array(f->all->options.allocator, NULL, dsos->n, sizeof *f->files);
    if (f->files == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "files", 0, dsos->n * sizeof *f->files);
    for (size_t i = 0; i < dsos->n; i++) {
        const char *name = pi_export_dso_name(f->all, i);
        const size_t n = strlen(name);
        const bool plain = *dsos->all[i] != PI_DSO_FUNCTIONS && pi_plain_length(name, n) == n &&
                           memchr(name, ';', n) == NULL;
        f->files[i] = (struct plain){plain ? name : NULL, n};
    }
    return PD_OK;
}

static void put_frame(const struct folding *f, struct pd_out *out, uint64_t dso, uint64_t offset)
{
    const struct plain *file = &f->files[dso];
    if (file->name == NULL) {
        pi_export_put_frame(f->all, out, dso, offset, true);
        return;
    }
    pi_emit(out, file->name, file->n);
    pi_emit_char(out, '+');
    pi_emit_hex(out, offset);
}

static enum pd_code put_stack(void *user, const uint8_t *key, size_t n, uint64_t sum, struct pd_error *error)
{
    struct folding *f = user;
    struct pd_out *out = &f->text.out;
    const uint8_t *at = key;
    const char *event = f->all->events.all[pi_take_number(&at)];
    const bool several = pi_export_has_several(f->all);
    uint64_t dso;
    (void)n;
    if (several) {
        pi_export_put_name(out, event, true);
        if (f->all->options.keys)
            pd_out_str(out, ";");
    }
    bool any = pi_export_put_head(f->all, out, &at, ";") || several;
    for (; (dso = pi_take_number(&at)) != 0; any = true) {
        if (any)
            pi_emit_char(out, ';');
        put_frame(f, out, dso - 1, pi_take_number(&at));
    }
    pd_out_str(out, " ");
    pd_out_dec(out, sum);
    pd_out_str(out, "\n");
    return pi_text_out_code(&f->text, error);
}

enum pd_code pi_export_folded(struct pd_export *all, const struct pd_sink *sink, struct pd_error *error)
{
    struct folding f = {.all = all};
    pi_text_out_open(&f.text, sink);
    enum pd_code code = look_at_files(&f, error);
    if (!code)
        code = pi_stacks_each(&all->stacks, put_stack, &f, error);
    pi_release(all->options.allocator, f.files);
    return code ? code : pi_text_out_end(&f.text, error);
}
