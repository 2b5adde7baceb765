/* SPDX-License-Identifier: MIT */
/*
 * writing.c - writes the recording of a verb: its output, in any container, which appears only when complete.
 */
#include "writing.h"
#include "src/support/limits.h"
#include <string.h>

bool cli_take_writing(struct cli_writing *w, int key, enum pd_convert_zip *zip, uint64_t *frame)
{
    return key == CLI_TO ? cli_take_to(w->cli, &w->to) : cli_take_compression(w->cli, key, zip, frame);
}

/* ---- Callbacks of the library */

int cli_open_member(void *user, const char *name, unsigned mode, struct pd_sink *sink)
{
    struct cli_writing *w = user;
    return cli_directory_file(&w->dir, name, (mode_t)mode, sink);
}

int cli_close_member(void *user, struct pd_sink *sink)
{
    struct cli_writing *w = user;
    return cli_directory_close(&w->dir, sink);
}

void cli_on_finding(void *user, const struct pd_error *error)
{
    struct cli_writing *w = user;
    cli_finding(w->in, &w->n_findings, error);
}

void cli_on_progress(void *user, uint64_t done, uint64_t total)
{
    const struct cli_writing *w = user;
    cli_progress(w->cli, done, total);
}

size_t cli_on_build_id(void *user, struct pd_reader *reader, const char *file, uint8_t id[20])
{
    const struct cli_writing *w = user;
    size_t n;
    (void)reader;
    return w->in->meta && pd_metadata_build_id(w->in->meta, file, id, &n) ? n : 0;
}

void cli_tell_error(struct cli_writing *w, const struct pd_error *error)
{
    if (error->code != PD_EOUT)
        cli_input_error(w->in, error);
    else if (w->cli->status != CLI_OUTPUT ||
             !w->dir.cli) /* the file of the directory that failed has been named */
        cli_error(w->cli, w->out.name ? w->out.name : w->cli->output, error);
}

void cli_tell_places(const struct cli_writing *w)
{
    if (w->n_findings > PI_LIMIT_FINDINGS_TOLD)
        cli_say(w->cli, "%zu places could not be read", w->n_findings);
}

/* ---- The output */

bool cli_refuses_output(const struct cli_writing *w, const char *hint)
{
    if (w->cli->output == NULL)
        cli_fail(w->cli, CLI_USAGE, "where to? -o FILE, or -o - for standard output%s", hint);
    else if (w->to == PD_CONVERT_DIRECTORY && cli_is_stdout(w->cli->output))
        cli_fail(w->cli, CLI_USAGE, "a directory cannot be written to standard output");
    else
        return false;
    return true;
}

static bool write_directory(struct cli_writing *w, bool (*write)(void *user), bool (*ready)(void *user))
{
    const bool others = S_ISDIR(w->in->st.st_mode) && !w->alone;
    if (!cli_directory_open(w->cli, &w->dir, w->in, w->n_in, &cli_recordings))
        return false;
    const bool done = write(w) && (!others || cli_directory_copy_others(&w->dir, w->in, w->cli->inputs[0])) &&
                      (!ready || ready(w)) && cli_directory_commit(&w->dir);
    cli_directory_discard(&w->dir);
    return done;
}

static bool write_file(struct cli_writing *w, bool (*write)(void *user), bool (*ready)(void *user))
{
    const bool others =
        S_ISDIR(w->in->st.st_mode) && !w->alone && cli_directory_has_others(w->in, w->cli->inputs[0]);
    const unsigned flags = (w->to == PD_CONVERT_FILE ? CLI_PATCH : 0) | (w->spool ? CLI_SPOOL : 0);
    if (!cli_output_open(w->cli, &w->out, w->in, w->n_in, flags))
        return false;
    if (others)
        cli_say(w->cli, "%s has files beside the records (kcore_dir), which only a directory can hold",
                w->in->name);
    const bool done = write(w) && (!ready || ready(w)) && cli_output_commit(&w->out);
    cli_output_discard(&w->out);
    return done;
}

bool cli_write_recording(struct cli_writing *w, bool (*write)(void *user), bool (*ready)(void *user))
{
    return w->to == PD_CONVERT_DIRECTORY ? write_directory(w, write, ready) : write_file(w, write, ready);
}

/* ---- By way of a file */

static void on_note(void *user, const struct pd_convert_note *note)
{
    const struct cli_writing *w = user;
    const char *name = pd_set_name(&pd_set_feature, note->number);
    if (note->what == PD_NOTED_FEATURE)
        cli_say(w->cli, "feature %s does not come along: %s", name ? name : "unknown", note->why);
}

enum pd_code cli_write_through(struct cli_writing *w, enum pd_convert_zip zip, int level, uint64_t frame,
                               enum pd_code (*write)(void *user, const struct pd_sink *sink,
                                                     struct pd_error *error),
                               struct pd_error *error)
{
    const struct pd_convert_options how = {.size = sizeof how,
                                           .to = w->to,
                                           .zip = zip,
                                           .level = level,
                                           .frame = frame,
                                           .note = on_note,
                                           .open_member = cli_open_member,
                                           .close_member = cli_close_member,
                                           .user = w};
    struct cli_spool spool;
    const enum pd_code code = cli_spool_open(&spool, error);
    return code ? code : cli_spool_convert(&spool, write(w, &spool.sink, error), &how, &w->out.sink, error);
}
