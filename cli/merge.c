/* SPDX-License-Identifier: MIT */
/* merge.c - `perfdata merge`: several recordings as one, by time or one behind the other. */
#include "convert_dir.h"
#include <inttypes.h>
#include <perfdata/constants.h>
#include <perfdata/feature.h>
#include <perfdata/merge.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY ((size_t)64 << 20)

enum { KEY_TO = CLI_LONG, KEY_PIDS, KEY_ANY_CLOCK };

/* clang-format off */
static const struct cli_option options[] = {
    {"append", 'a', NULL, "one input behind the other, as they stand, not by time"},
    {"pids", KEY_PIDS, "HOW", "auto (default): the same pid is the same task on the same machine, and pids of other machines\n"
                              "are moved; keep: never moved; move: those of each input but the first"},
    {"any-clock", KEY_ANY_CLOCK, NULL, "also what was recorded with different clocks, whose times do not fit"},
    {"memory", 'm', "SIZE", "bytes in which records may wait, K, M or G behind the number (default 64M)"},
    {"to", KEY_TO, "CONTAINER", "file, pipe or dir (default: file; to standard output: pipe)"},
    CLI_COMPRESSION("they are if those of the first input are"),
    {0},
};

static const struct cli_spec spec = {
    .usage = "[OPTION]... -o OUTPUT FILE...",
    .about = "Merges recordings of any container and byte order by time into one. Equal events become one; ids that\n"
             "collide get new numbers, in all records that speak of them. Side-band that several inputs have, as the\n"
             "pieces of a recording do, is written once. What the inputs contradict each other in is told.\n",
    .options = options,
    .common = CLI_IN | CLI_OUT | CLI_OPERANDS,
    .examples = "  perfdata merge -o all.data part-*.data           what was split, in one again\n"
                "  perfdata merge -o both.data a.data b.data         two recordings of the same machine\n"
                "  perfdata merge -a -o long.data a.data b.data\n",
};
/* clang-format on */

struct run {
    struct cli *cli;
    struct cli_input *in;
    struct pd_reader **readers;
    size_t n;
    struct cli_output out;
    struct cli_directory dir;
    struct pd_merge_options options;
    struct pd_merge_stats stats;
    size_t failed;
    enum pd_convert_to to;
    size_t n_findings;
};

static bool take_pids(struct run *run)
{
    static const char *const names[] = {
        [PD_MERGE_PIDS_AUTO] = "auto", [PD_MERGE_PIDS_KEEP] = "keep", [PD_MERGE_PIDS_MOVE] = "move"};
    for (int i = PD_MERGE_PIDS_AUTO; i <= PD_MERGE_PIDS_MOVE; i++)
        if (strcmp(run->cli->arg, names[i]) == 0) {
            run->options.pids = (enum pd_merge_pids)i;
            return true;
        }
    cli_fail(run->cli, CLI_USAGE, "--pids: \"%s\" is neither auto, keep nor move", run->cli->arg);
    return false;
}

static bool take_option(struct run *run, int key)
{
    switch (key) {
    case 'a': return run->options.append = true;
    case 'm': return cli_take_memory(run->cli, &run->options.memory);
    case KEY_PIDS: return take_pids(run);
    case KEY_ANY_CLOCK: return run->options.any_clock = true;
    case KEY_TO: return cli_take_to(run->cli, &run->to);
    case 'z':
    case CLI_COMPRESSED2:
    case CLI_DECOMPRESS:
        return cli_take_compression(run->cli, key, &run->options.zip);
    default: return false;
    }
}

/* ---- What the library tells and asks */

static int open_member(void *user, const char *name, unsigned mode, struct pd_sink *sink)
{
    return cli_directory_file(&((struct run *)user)->dir, name, (mode_t)mode, sink);
}

static int close_member(void *user, struct pd_sink *sink)
{
    return cli_directory_close(&((struct run *)user)->dir, sink);
}

static void on_note(void *user, const struct pd_merge_note *note)
{
    const struct run *run = user;
    const char *name = note->feature == UINT32_MAX ? NULL : pd_set_name(&pd_set_feature, note->feature);
    if (note->feature == UINT32_MAX)
        cli_say(run->cli, "%s: %s", run->in[note->input].name, note->text);
    else
        cli_say(run->cli, "%s: feature %s: %s", run->in[note->input].name, name ? name : "unknown", note->text);
}

static void on_finding(void *user, size_t input, const struct pd_error *error)
{
    struct run *run = user;
    cli_finding(&run->in[input], &run->n_findings, error);
}

static void on_progress(void *user, uint64_t done, uint64_t total)
{
    cli_progress(((struct run *)user)->cli, done, total);
}

static void report_error(struct run *run, const struct pd_error *error)
{
    const struct cli_input *in = run->failed < run->n ? &run->in[run->failed] : NULL;
    const bool spill = error->field && strcmp(error->field, "temporary file") == 0;
    if (error->code == PD_EOUT && run->cli->status == CLI_OUTPUT && run->dir.cli)
        return; /* the file of the directory that failed has been named */
    if (error->code == PD_EUNSUP && error->field)
        cli_fail(run->cli, CLI_USAGE, "%s: cannot be merged: %s", in ? in->name : cli_temporary_dir(), error->field);
    else if (in && (error->code != PD_EOUT || spill))
        cli_error(run->cli, in->name, error);
    else
        cli_error(run->cli, run->out.name ? run->out.name : run->cli->output, error);
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
    const struct pd_convert_options how = {.size = sizeof how,
                                           .to = run->to,
                                           .open_member = open_member,
                                           .close_member = close_member,
                                           .user = run};
    run->failed = run->n;
    run->options.size = sizeof run->options;
    run->options.to = run->to == PD_CONVERT_DIRECTORY ? PD_CONVERT_FILE : run->to;
    run->options.note = on_note;
    run->options.finding = on_finding;
    run->options.progress = on_progress;
    run->options.user = run;
    const enum pd_code code = run->to == PD_CONVERT_DIRECTORY
                                  ? cli_write_through(run->cli, &how, &run->out.sink, merge_to, run, &error)
                                  : merge_to(run, &run->out.sink, &error);
    cli_progress_end(run->cli);
    if (code)
        report_error(run, &error);
    return code == PD_OK;
}

static void tell(struct run *run)
{
    const struct pd_merge_stats *s = &run->stats;
    if (run->n_findings > CLI_MOST_FINDINGS)
        cli_say(run->cli, "%zu places could not be read", run->n_findings);
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
    bool copied = run->to != PD_CONVERT_DIRECTORY;
    for (size_t i = 0; i < run->n; i++) {
        const char *path = run->cli->inputs[i];
        if (!S_ISDIR(run->in[i].st.st_mode) || !cli_directory_has_others(&run->in[i], path))
            continue;
        if (copied)
            cli_say(run->cli, "%s has files beside the records (kcore_dir), which do not come along", path);
        else if (!cli_directory_copy_others(&run->dir, &run->in[i], path))
            return false;
        copied = true;
    }
    return true;
}

static void to_directory(struct run *run)
{
    if (!cli_directory_open(run->cli, &run->dir, run->in, run->n))
        return;
    if (merge(run) && copy_others(run) && cli_directory_commit(&run->dir))
        tell(run);
    cli_directory_discard(&run->dir);
}

static void to_file(struct run *run)
{
    if (!cli_output_open(run->cli, &run->out, run->in, run->n, run->to == PD_CONVERT_PIPE ? 0 : CLI_PATCH))
        return;
    if (merge(run) && copy_others(run) && cli_output_commit(&run->out))
        tell(run);
    cli_output_discard(&run->out);
}

static bool open_inputs(struct run *run)
{
    run->in = cli_calloc(run->cli->n_inputs, sizeof *run->in);
    run->readers = cli_calloc(run->cli->n_inputs, sizeof(struct pd_reader *));
    if (run->in == NULL || run->readers == NULL) {
        cli_fail(run->cli, CLI_OUTPUT, "no memory for %zu inputs", run->cli->n_inputs);
        return false;
    }
    for (; run->n < run->cli->n_inputs; run->n++) {
        if (!cli_input_open(run->cli, &run->in[run->n], run->cli->inputs[run->n], CLI_SEEK))
            return false;
        run->readers[run->n] = run->in[run->n].reader;
    }
    return true;
}

static void run_merge(struct run *run)
{
    struct cli *cli = run->cli;
    const bool to_stdout = cli->output && strcmp(cli->output, "-") == 0;
    if (cli->output == NULL)
        cli_fail(cli, CLI_USAGE, "where to? -o FILE, or -o - for standard output");
    else if (run->to == PD_CONVERT_DIRECTORY && to_stdout)
        cli_fail(cli, CLI_USAGE, "a directory cannot be written to standard output");
    else if (open_inputs(run)) {
        if (run->to == PD_CONVERT_SAME && to_stdout)
            run->to = PD_CONVERT_PIPE;
        run->to == PD_CONVERT_DIRECTORY ? to_directory(run) : to_file(run);
    }
    for (size_t i = 0; i < run->n; i++) {
        cli_tell_findings(&run->in[i]);
        cli_input_close(&run->in[i]);
    }
    free(run->in);
    free(run->readers);
}

int cmd_merge(struct cli *cli, int argc, char **argv)
{
    struct run run = {.cli = cli, .options = {.memory = MEMORY}};
    int key;
    cli->spec = &spec;
    bool ok = cli_take_level(cli, argc, argv, &run.options.level);
    while (ok && (key = cli_next_option(cli, argc, argv)) != CLI_END)
        ok = take_option(&run, key);
    if (ok)
        run_merge(&run);
    return cli->status;
}
