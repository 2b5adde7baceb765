/* SPDX-License-Identifier: MIT */
/* reader_open.c - opening a recording, or a member of one that is a directory, and closing it. */
#include "src/container/dir.h"
#include "src/container/file.h"
#include "ahead.h"
#include "src/schema/fail.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include "src/schema/options.h"

enum pd_code pi_reader_new(struct pd_reader **reader, const struct pd_reader_options *options,
                           struct pd_error *error)
{
    struct pd_reader_options o;
    *reader = NULL;
    const enum pd_code code = PI_TAKE_OPTIONS(pd_reader_options, &o, options, error);
    if (code)
        return code;
    struct pd_reader *r = *reader = pi_resize(o.allocator, NULL, sizeof *r);
    if (r == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "reader", 0, sizeof *r);
    *r = (struct pd_reader){.allocator = o.allocator, .in = {.allocator = o.allocator}, .window = o.window};
    r->next_decoded = pi_next_decoded_any;
    r->usual = pi_next_decoded_usual;
    r->keep_compressed = o.keep_compressed;
    r->in.live = o.live;
    r->probe.on = o.probe;
    r->probe.split.parts.allocator = r->allocator;
    r->max_held = o.max_held ? o.max_held : PI_LIMIT_READER_HELD;
    pi_inflate_init(&r->inflate, r->allocator, o.max_inflate ? o.max_inflate : PI_LIMIT_INFLATED);
    r->inflate.max_window = o.max_window;
    r->workers = o.workers;
    return PD_OK;
}

/* The common end of all ways to open. */
static enum pd_code start(struct pd_reader **out, struct pd_reader *r, enum pd_code code,
                          struct pd_error *error)
{
    if (!code)
        code = pi_input_start(&r->in, r->window, error);
    if (!code)
        code = pi_file_open(r, error);
    if (!code)
        code = pi_file_map(r, error);
    if (!code && r->in.seekable)
        code = pi_probe_sections(r, error);
    if (!code && r->dir)
        code = pi_dir_list(r, error);
    r->src = &r->in;
    r->in.begun = true;
    r->at = r->info.data_offset;
    r->end = r->info.data_end;
    *out = r;
    if (code) {
        pd_reader_close(r);
        *out = NULL;
    }
    return code;
}

enum pd_code pd_reader_open(struct pd_reader **reader, const char *path,
                            const struct pd_reader_options *options, struct pd_error *error)
{
    struct pd_reader *r;
    enum pd_code code = pi_reader_new(&r, options, error);
    if (code)
        return code;
    code = pi_dir_find(r, path, error);
    if (!code)
        code = pi_input_open_path(&r->in, r->dir ? r->dir : path, error);
    if (code && r->dir && error && error->field == NULL)
        error->field = pi_dir_data;
    return start(reader, r, code, error);
}

enum pd_code pd_reader_open_fd(struct pd_reader **reader, int fd, const struct pd_reader_options *options,
                               struct pd_error *error)
{
    struct pd_reader *r;
    const enum pd_code code = pi_reader_new(&r, options, error);
    return code ? code : start(reader, r, pi_input_open_fd(&r->in, fd, error), error);
}

enum pd_code pd_reader_open_memory(struct pd_reader **reader, const void *bytes, size_t n,
                                   const struct pd_reader_options *options, struct pd_error *error)
{
    struct pd_reader *r;
    const enum pd_code code = pi_reader_new(&r, options, error);
    if (code)
        return code;
    pi_input_open_memory(&r->in, bytes, n);
    return start(reader, r, PD_OK, error);
}

enum pd_code pd_reader_open_source(struct pd_reader **reader, const struct pd_source *source,
                                   const struct pd_reader_options *options, struct pd_error *error)
{
    struct pd_reader *r;
    const enum pd_code code = pi_reader_new(&r, options, error);
    if (code && source->close) /* as when anything later fails */
        source->close(source->user);
    if (code)
        return code;
    r->in.source = *source;
    return start(reader, r, PD_OK, error);
}

void pd_reader_close(struct pd_reader *r)
{
    if (r == NULL)
        return;
    pi_ahead_free(r->ahead);
    pi_input_close(&r->in);
    pi_dir_free(r);
    if (!r->borrowed)
        pi_attrs_free(&r->attrs);
    pi_inflate_free(&r->inflate);
    pi_probe_free(r);
    pi_release(r->allocator, r->features);
    pi_release(r->allocator, r->findings);
    pi_release(r->allocator, r->extents);
    pi_release(r->allocator, r);
}

enum pd_code pd_reader_open_member(struct pd_reader **member, const struct pd_reader *reader, size_t i,
                                   const struct pd_reader_options *options, struct pd_error *error)
{
    *member = NULL;
    if (i >= reader->n_members)
        return pi_fail(error, PD_EARG, PD_NOWHERE, "member", i, reader->n_members);
    struct pd_reader *r;
    enum pd_code code = pi_reader_new(&r, options, error);
    if (code)
        return code;
    code = pi_dir_open_member(reader, i, &r->in, r->window, error);
    r->number = r->member = (uint32_t)i;
    if (code) {
        pd_reader_close(r);
        return code;
    }
    r->info = reader->info;
    r->attrs = reader->attrs;
    r->borrowed = true;
    r->info.file_size = i && reader->members[i].unreadable ? 0 : reader->members[i].size;
    r->info.data_offset = i ? 0 : reader->info.data_offset;
    r->info.data_end = i ? r->info.file_size : reader->info.data_end;
    *member = r;
    return pi_dir_enter(r, 0, error);
}
