/* SPDX-License-Identifier: MIT */
/* conversion.c - writing a recording again, changed or in another form. */
#include "conversion.h"
#include <inttypes.h>
#include <string.h>

/* ---- Callbacks of the library */

const char *cli_noted_name(const struct pd_convert_note *note, char number[16])
{
    const struct pd_set *set = note->what == PD_NOTED_FEATURE ? &pd_set_feature : &pd_set_record_type;
    const char *name = pd_set_name(set, note->number);
    snprintf(number, 16, "%" PRIu32, note->number);
    return note->what == PD_NOTED_OTHERS ? "of other types" : name ? name : number;
}

static void on_note(void *user, const struct pd_convert_note *note)
{
    struct cli_conversion *c = user;
    if (note->what == PD_NOTED_FILES || (c->note && c->note(c->user, note))) /* they are told of already */
        return;
    char number[16];
    const char *name = cli_noted_name(note, number), *feature = pd_feature_name(note->number);
    if (note->what == PD_NOTED_FEATURE)
        cli_say(c->cli, "feature %s does not come along: %s", feature ? feature : number, note->why);
    else if (note->what == PD_NOTED_BYTES)
        cli_say(c->cli, "%" PRIu64 " bytes that are no record do not come along: %s", note->count, note->why);
    else if (note->left)
        cli_say(c->cli, "%" PRIu64 " records %s stay as they are: their fields are not known", note->count,
                name);
    else
        cli_say(c->cli, "%" PRIu64 " records %s do not come along: %s", note->count, name, note->why);
}

/* ---- The output */

static bool write_output(void *user)
{
    struct cli_conversion *c = user;
    struct pd_convert_options *o = &c->options;
    struct pd_convert_stats stats;
    struct pd_error error;
    o->finding = cli_on_finding;
    o->note = on_note;
    o->progress = cli_on_progress;
    o->open_member = cli_open_member;
    o->close_member = cli_close_member;
    o->user = c;
    const size_t told = pd_reader_n_findings(c->in.reader);
    const enum pd_code code = pd_convert(c->in.reader, &c->w.out.sink, o, &stats, &error);
    cli_progress_end(c->cli);
    for (size_t i = told; i < pd_reader_n_findings(c->in.reader); i++)
        cli_on_finding(c, pd_reader_finding(c->in.reader, i)); /* behind the data, or of other members */
    if (code && (code == PD_EOUT || c->error == NULL || !c->error(c->user, &error)))
        cli_tell_error(&c->w, &error);
    if (code)
        return false;
    cli_tell_places(&c->w);
    if (c->cli->verbose)
        cli_say(c->cli, "%" PRIu64 " records%s", stats.records, stats.copied ? ", copied as they are" : "");
    return true;
}

/* Shows the verb what was written. */
static bool show_output(struct cli_conversion *c)
{
    struct pd_source source;
    struct pd_reader *reader;
    struct pd_error error;
    if (c->look == NULL)
        return true;
    if (!c->w.dir.cli && !cli_output_source(&c->w.out, &source))
        return false;
    const enum pd_code code = c->w.dir.cli ? pd_reader_open(&reader, c->w.dir.temporary, NULL, &error)
                                           : pd_reader_open_source(&reader, &source, NULL, &error);
    if (code) {
        cli_error(c->cli, c->cli->output, &error);
        return false;
    }
    const bool ok = c->look(c->user, reader);
    pd_reader_close(reader);
    return ok;
}

/* True if the output can replace its target. */
static bool is_ready(void *user)
{
    struct cli_conversion *c = user;
    return show_output(c) && (c->ready == NULL || c->ready(c->user));
}

void cli_convert(struct cli_conversion *c)
{
    static const enum pd_convert_to names[] = {[PD_CONTAINER_FILE] = PD_CONVERT_FILE,
                                               [PD_CONTAINER_PIPE] = PD_CONVERT_PIPE,
                                               [PD_CONTAINER_DIRECTORY] = PD_CONVERT_DIRECTORY};
    const char *path = c->cli->inputs[0];
    c->options.size = sizeof c->options;
    c->w.cli = c->cli;
    c->w.in = &c->in;
    c->w.n_in = 1;
    c->w.alone = c->alone;
    c->w.spool = c->look != NULL;
    if (c->alone && S_ISDIR(c->in.st.st_mode) && cli_directory_has_others(&c->in, path))
        cli_say(c->cli, "%s has files beside the records (kcore_dir), which do not come along", path);
    if (c->options.to == PD_CONVERT_SAME && strcmp(c->cli->output, "-") == 0)
        c->options.to = PD_CONVERT_PIPE;
    c->w.to = names[pd_convert_container(c->in.reader, c->options.to)];
    cli_write_recording(&c->w, write_output, is_ready);
}
