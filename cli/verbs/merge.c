/* SPDX-License-Identifier: MIT */
/* merge.c - `perfdata merge`: several recordings as one, by time or one after the other. */
#include "cli/lib/writing.h"
#include "src/support/limits.h"
#include <inttypes.h>
#include <perfdata/constants.h>
#include <perfdata/feature.h>
#include <perfdata/ops/merge.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_PIDS = CLI_LONG, KEY_ANY_CLOCK, KEY_WALL_CLOCK };

/* clang-format off */
static const struct cli_option options[] = {
    {"append", 'a', NULL, "one input behind the other, as they stand, not by time"},
    {"pids", KEY_PIDS, "HOW", "auto (default): the same pid is the same task on the same machine, and pids "
                              "of other machines\n"
                              "are moved; keep: never moved; move: those of each input but the first"},
    {"any-clock", KEY_ANY_CLOCK, NULL, "also what was recorded with different clocks, whose times do not "
                                       "fit"},
    {"wall-clock", KEY_WALL_CLOCK, NULL, "times become those of the wall clock, for several machines"},
    {"memory", 'm', "SIZE", "bytes in which records may wait, K, M or G behind the number (default 64M)"},
    CLI_WRITING("file", "they are if those of the first input are"),
    {0},
};

static const struct cli_spec spec = {
    .usage = "[OPTION]... -o OUTPUT FILE...",
    .about = "Merges recordings of any container and byte order by time into one. Equal events become one; "
             "ids that\n"
             "collide get new numbers, in all records that speak of them. Side-band that several inputs "
             "have, as the\n"
             "pieces of a recording do, is written once. What the inputs contradict each other in is told.\n",
    .options = options,
    .common = CLI_IN | CLI_OUT | CLI_OPERANDS,
    .examples = "  perfdata merge -o all.data part-*.data           what was split, in one again\n"
                "  perfdata merge -o both.data a.data b.data         two recordings of the same machine\n"
                "  perfdata merge -a -o long.data a.data b.data\n",
};
/* clang-format on */

struct noted {
    struct pd_merge_note first;
    char name[PI_LIMIT_NAME_SHOWN + 1];
    size_t others; /* inputs of which the same is noted */
};

struct run {
    struct cli_writing w;
    struct cli *cli;
    struct pd_reader **readers; /* of the inputs that can be read */
    size_t *which;              /* and their numbers in w.in */
    size_t n;
    struct pd_merge_options options;
    struct pd_merge_stats stats;
    size_t failed;
    struct noted notes[PI_LIMIT_MERGE_NOTES];
    size_t n_notes;
};

static bool take_pids(struct run *run)
{
    static const char *const names[] = {
        [PD_MERGE_PIDS_AUTO] = "auto", [PD_MERGE_PIDS_KEEP] = "keep", [PD_MERGE_PIDS_MOVE] = "move"};
    const int i = CLI_FIND_WORD(run->cli, "--pids", run->cli->arg, strlen(run->cli->arg), names);
    if (i >= 0)
        run->options.pids = (enum pd_merge_pids)i;
    return i >= 0;
}

static bool take_option(struct run *run, int key)
{
    switch (key) {
    case 'a': return run->options.append = true;
    case 'm': return cli_take_memory(run->cli, &run->options.memory);
    case KEY_PIDS: return take_pids(run);
    case KEY_ANY_CLOCK: return run->options.any_clock = true;
    case KEY_WALL_CLOCK: return run->options.wall_clock = true;
    default: return cli_take_writing(&run->w, key, &run->options.zip, &run->options.frame);
    }
}

/* ---- Callbacks of the library */

static void on_note(void *user, const struct pd_merge_note *note)
{
    struct run *run = user;
    for (size_t i = 0; i < run->n_notes; i++)
        if (run->notes[i].first.feature == note->feature && run->notes[i].first.text == note->text) {
            run->notes[i].others++;
            return;
        }
    if (run->n_notes == PI_LIMIT_MERGE_NOTES)
        return;
    struct noted *noted = &run->notes[run->n_notes++];
    *noted = (struct noted){.first = *note};
    if (note->name)
        snprintf(noted->name, sizeof noted->name, "%s", note->name);
}

static struct cli_input *input_of(struct run *run, size_t reader)
{
    return &run->w.in[run->which[reader]];
}

/* Each thing that is noted once, with the number of inputs that it concerns. */
static void tell_notes(struct run *run)
{
    for (size_t i = 0; i < run->n_notes; i++) {
        const struct pd_merge_note *note = &run->notes[i].first;
        const char *name = pd_set_name(&pd_set_feature, note->feature);
        char others[48] = "";
        if (run->notes[i].others)
            snprintf(others, sizeof others, " and %zu other input%s", run->notes[i].others,
                     run->notes[i].others == 1 ? "" : "s");
        if (note->feature == UINT32_MAX)
            cli_say(run->cli, "%s%s: %s", input_of(run, note->input)->name, others, note->text);
        else
            cli_say(run->cli, "%s%s: feature %s: %s%s%s", input_of(run, note->input)->name, others,
                    name ? name : "unknown", run->notes[i].name, *run->notes[i].name ? " " : "", note->text);
    }
}

static void on_finding(void *user, size_t input, const struct pd_error *error)
{
    struct run *run = user;
    cli_finding(input_of(run, input), &run->w.n_findings, error);
}

static void report_error(struct run *run, const struct pd_error *error)
{
    struct cli_input *in = run->failed < run->n ? input_of(run, run->failed) : NULL;
    if (cli_is_unsupported(error))
        cli_fail(run->cli, CLI_USAGE, "%s: cannot be merged: %s", in ? in->name : cli_temporary_dir(),
                 error->field);
    else if (in && error->code != PD_EOUT)
        cli_input_error(in, error);
    else if (error->code == PD_EOUT)
        cli_tell_error(&run->w, error);
    else
        cli_error(run->cli, run->w.out.name ? run->w.out.name : run->cli->output, error);
}

/* ---- The run */

static enum pd_code merge_to(void *user, const struct pd_sink *sink, struct pd_error *error)
{
    struct run *run = user;
    return pd_merge(run->readers, run->n, sink, &run->options, &run->stats, &run->failed, error);
}

static bool merge(struct run *run)
{
    struct pd_error error;
    run->failed = run->n;
    run->options.size = sizeof run->options;
    run->options.to = run->w.to == PD_CONVERT_DIRECTORY ? PD_CONVERT_FILE : run->w.to;
    run->options.note = on_note;
    run->options.finding = on_finding;
    run->options.progress = cli_on_progress;
    run->options.user = run;
    const enum pd_code code = run->w.to == PD_CONVERT_DIRECTORY
                                  ? cli_write_through(&run->w, PD_ZIP_KEEP, 0, 0, merge_to, &error)
                                  : merge_to(run, &run->w.out.sink, &error);
    cli_progress_end(run->cli);
    tell_notes(run);
    if (code)
        report_error(run, &error);
    return code == PD_OK;
}

static void tell_sources(struct run *run)
{
    const struct pd_merge_stats *s = &run->stats;
    cli_tell_places(&run->w);
    if (s->lost)
        cli_say(run->cli, "%" PRIu64 " records could not be rewritten and were left out", s->lost);
    cli_say(run->cli,
            "%" PRIu64 " records, %" PRIu64 " samples of them, of %" PRIu64 " events; %" PRIu64
            " duplicates left out, %" PRIu64 " ids renumbered",
            s->records, s->samples, s->events, s->duplicates, s->new_ids);
}

/* Files beside the records: those of the first directory that has any, if the output is one. */
static bool copy_others(struct run *run)
{
    bool copied = run->w.to != PD_CONVERT_DIRECTORY;
    for (size_t i = 0; i < run->n; i++) {
        struct cli_input *in = input_of(run, i);
        const char *path = run->cli->inputs[run->which[i]];
        if (!S_ISDIR(in->st.st_mode) || !cli_directory_has_others(in, path))
            continue;
        if (copied)
            cli_say(run->cli, "%s has files beside the records (kcore_dir), which do not come along", path);
        else if (!cli_directory_copy_others(&run->w.dir, in, path))
            return false;
        copied = true;
    }
    return true;
}

static bool merge_all(void *user)
{
    return merge(user) && copy_others(user);
}

static bool open_inputs(struct run *run)
{
    const size_t n = run->cli->n_inputs;
    run->readers = cli_calloc(n, sizeof(struct pd_reader *));
    run->which = cli_calloc(n, sizeof *run->which);
    if (run->readers == NULL || run->which == NULL) {
        cli_fail(run->cli, CLI_OUTPUT, "no memory for %zu inputs", n);
        return false;
    }
    run->w.in = cli_inputs_open(run->cli, CLI_SEEK);
    if (run->w.in == NULL)
        return false;
    run->w.n_in = n;
    for (size_t i = 0; i < n; i++) {
        if (run->w.in[i].reader == NULL)
            continue;
        run->which[run->n] = i;
        run->readers[run->n++] = run->w.in[i].reader;
    }
    return true;
}

static void run_merge(struct run *run)
{
    struct cli *cli = run->cli;
    const bool to_stdout = cli->output && strcmp(cli->output, "-") == 0;
    if (!cli_refuses_output(&run->w, "") && open_inputs(run)) {
        if (run->w.to == PD_CONVERT_SAME && to_stdout)
            run->w.to = PD_CONVERT_PIPE;
        else if (run->w.to == PD_CONVERT_SAME)
            run->w.to = PD_CONVERT_FILE;
        if (cli_write_recording(&run->w, merge_all, NULL))
            tell_sources(run);
    }
    cli_inputs_close(cli, run->w.in);
    free(run->readers);
    free(run->which);
}

int cmd_merge(struct cli *cli, int argc, char **argv)
{
    struct run run = {
        .w = {.cli = cli, .alone = true}, .cli = cli, .options = {.memory = PI_LIMIT_MERGE_MEMORY}};
    int key;
    cli->spec = &spec;
    bool ok = cli_take_level(cli, argc, argv, &run.options.level);
    while (ok && (key = cli_next_option(cli, argc, argv)) != CLI_END)
        ok = take_option(&run, key);
    if (ok)
        run_merge(&run);
    return cli->status;
}
