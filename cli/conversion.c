/* SPDX-License-Identifier: MIT */
/* conversion.c - writing a recording again, changed or in another form. */
#include "conversion.h"
#include <inttypes.h>
#include <string.h>


/* ---- What the library tells */

static void on_finding(void *user, const struct pd_error *error)
{
    struct cli_conversion *c = user;
    cli_finding(&c->in, &c->n_findings, error);
}

static void on_progress(void *user, uint64_t done, uint64_t total)
{
    cli_progress(((struct cli_conversion *)user)->cli, done, total);
}

static void on_note(void *user, const struct pd_convert_note *note)
{
    struct cli_conversion *c = user;
    if (c->note && c->note(c->user, note))
        return;
    const bool feature = strcmp(note->what, "feature") == 0;
    const char *name = feature ? pd_feature_name(note->number) : pd_set_name(&pd_set_record_type, note->number);
    char number[16];
    snprintf(number, sizeof number, "%" PRIu32, note->number);
    if (feature)
        cli_say(c->cli, "feature %s does not come along: %s", name ? name : number, note->why);
    else if (strcmp(note->what, "bytes") == 0)
        cli_say(c->cli, "%" PRIu64 " bytes that are no record do not come along: %s", note->count, note->why);
    else
        cli_say(c->cli, "%" PRIu64 " records %s do not come along: %s", note->count, name ? name : number, note->why);
}

static int open_member(void *user, const char *name, unsigned mode, struct pd_sink *sink)
{
    return cli_directory_file(&((struct cli_conversion *)user)->dir, name, (mode_t)mode, sink);
}

static int close_member(void *user, struct pd_sink *sink)
{
    return cli_directory_close(&((struct cli_conversion *)user)->dir, sink);
}

/* ---- The output */

static void report_error(struct cli_conversion *c, const struct pd_error *error)
{
    if (error->code == PD_EOUT)
        cli_error(c->cli, c->out.name ? c->out.name : c->cli->output, error);
    else if (c->error == NULL || !c->error(c->user, error))
        cli_input_error(&c->in, error);
}

static bool write_output(struct cli_conversion *c)
{
    struct pd_convert_options *o = &c->options;
    struct pd_convert_stats stats;
    struct pd_error error;
    o->size = sizeof *o;
    o->finding = on_finding;
    o->note = on_note;
    o->progress = on_progress;
    o->open_member = open_member;
    o->close_member = close_member;
    o->user = c;
    const size_t told = pd_reader_n_findings(c->in.reader);
    const enum pd_code code = pd_convert(c->in.reader, &c->out.sink, o, &stats, &error);
    cli_progress_end(c->cli);
    for (size_t i = told; i < pd_reader_n_findings(c->in.reader); i++)
        on_finding(c, pd_reader_finding(c->in.reader, i)); /* behind the data, or of other members */
    if (code == PD_EOUT && c->cli->status == CLI_OUTPUT && c->dir.cli)
        return false; /* the file of the directory that failed has been named */
    if (code) {
        report_error(c, &error);
        return false;
    }
    if (c->n_findings > CLI_MOST_FINDINGS)
        cli_say(c->cli, "%zu places could not be read", c->n_findings);
    if (c->cli->verbose)
        cli_say(c->cli, "%" PRIu64 " records%s", stats.records, stats.copied ? ", copied as they are" : "");
    return true;
}

/* Shows the verb what was written. */
static bool look(struct cli_conversion *c)
{
    struct pd_source source;
    struct pd_reader *reader;
    struct pd_error error;
    if (c->look == NULL)
        return true;
    if (!c->dir.cli && !cli_output_source(&c->out, &source))
        return false;
    const enum pd_code code = c->dir.cli ? pd_reader_open(&reader, c->dir.temporary, NULL, &error)
                                         : pd_reader_open_source(&reader, &source, NULL, &error);
    if (code) {
        cli_error(c->cli, c->cli->output, &error);
        return false;
    }
    const bool ok = c->look(c->user, reader);
    pd_reader_close(reader);
    return ok;
}

/* Is all well, so that the output can take its place? */
static bool is_ready(struct cli_conversion *c)
{
    return look(c) && (c->ready == NULL || c->ready(c->user));
}

static void to_directory(struct cli_conversion *c, const char *path)
{
    const bool others = S_ISDIR(c->in.st.st_mode) && !c->alone;
    if (!cli_directory_open(c->cli, &c->dir, &c->in, 1))
        return;
    if (write_output(c) && (!others || cli_directory_copy_others(&c->dir, &c->in, path)) && is_ready(c))
        cli_directory_commit(&c->dir);
    cli_directory_discard(&c->dir);
}

static void to_file(struct cli_conversion *c, enum pd_container container, bool others)
{
    const unsigned flags = (container == PD_CONTAINER_FILE ? CLI_PATCH : 0) | (c->look ? CLI_SPOOL : 0);
    if (!cli_output_open(c->cli, &c->out, &c->in, 1, flags))
        return;
    if (others && !c->alone)
        cli_say(c->cli, "%s has files beside the records (kcore_dir), which only a directory can hold", c->in.name);
    if (write_output(c) && is_ready(c))
        cli_output_commit(&c->out);
    cli_output_discard(&c->out);
}

void cli_convert(struct cli_conversion *c, const char *path)
{
    const bool others = S_ISDIR(c->in.st.st_mode) && cli_directory_has_others(&c->in, path);
    if (others && c->alone)
        cli_say(c->cli, "%s has files beside the records (kcore_dir), which do not come along", path);
    if (c->options.to == PD_CONVERT_SAME && strcmp(c->cli->output, "-") == 0)
        c->options.to = PD_CONVERT_PIPE;
    const enum pd_container container = pd_convert_container(c->in.reader, &c->options);
    if (container == PD_CONTAINER_DIRECTORY)
        to_directory(c, path);
    else
        to_file(c, container, others);
}
