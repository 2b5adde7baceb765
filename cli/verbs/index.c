/* SPDX-License-Identifier: MIT */
/* index.c - `perfdata index`: the index of a recording, beside it. */
#include "cli/lib/cli.h"
#include "cli/lib/files/indexed.h"
#include "src/container/dir.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_BLOCK = CLI_LONG, KEY_CHECK };

static const struct cli_option options[] = {
    {"block", KEY_BLOCK, "SIZE", "bytes of records in a block, before compression, at least (default: 256K)"},
    {"check", KEY_CHECK, NULL,
     "writes nothing: reads each recording and compares its index; status 1: it is of\n"
     "another recording, or damaged"},
    {0},
};

static const struct cli_spec spec = {
    .usage = "[--check] [OPTION]... [FILE]...",
    .about = "Writes an index of each recording beside it, as FILE.pdi (or with -o elsewhere): where which "
             "times\n"
             "are, and what else an operation on some of the time needs. filter --time, dump --time and info "
             "use\n"
             "it if it stands there and is of that recording: they read little else, and their output is the "
             "same.\n"
             "A compressed recording must have zstd frames of its own, as convert -z writes them.\n",
    .options = options,
    .common = CLI_IN | CLI_OUT | CLI_OPERANDS,
    .examples = "  perfdata index x.data\n"
                "  perfdata filter -i x.data --time 10%-11% -o y.data     reads a hundredth of x.data\n"
                "  perfdata index --check x.data\n"
                "  perfdata convert -z -i x.data -o small.data && perfdata index small.data\n",
};

struct run {
    struct cli *cli;
    struct cli_input in;
    struct pd_index_options how;
    const char *place; /* -o */
    bool check;
};

static void on_progress(void *user, uint64_t done, uint64_t total)
{
    cli_progress(((struct run *)user)->cli, done, total);
}

/* The path of the index; NULL: no memory. To be freed. */
static char *place_of(const struct run *run)
{
    const char *file = run->place ? run->place : run->in.name;
    const size_t n = strlen(file);
    char *path = cli_calloc(n + sizeof CLI_INDEX_SUFFIX, 1);
    if (path) {
        memcpy(path, file, n);
        strcpy(path + n, run->place ? "" : CLI_INDEX_SUFFIX);
    }
    return path;
}

/* ---- --check */

static void tell_difference(struct run *run, const char *path, const struct pd_error *why)
{
    char text[512];
    if (pd_is_failure(why->code) || why->code == PD_EMISSING) {
        cli_fail(run->cli, why->code == PD_ENOMEM ? CLI_OUTPUT : cli_open_status((int)why->found), "%s: %s",
                 path, strerror((int)why->found));
        return;
    }
    pd_error_text(why, text, sizeof text);
    if (why->code == PD_EDIFFERENT)
        cli_fail(run->cli, CLI_FINDINGS, "%s: is not the index of %s: it was made with another %s", path,
                 run->in.name, why->field);
    else
        cli_fail(run->cli, CLI_FINDINGS, "%s: %s", path, text);
}

static void check_index(struct run *run, const char *path)
{
    struct pd_index_stats stats;
    struct pd_error error;
    if (!cli_index_open(&run->in, path, &error)) {
        tell_difference(run, path, &error);
        return;
    }
    pd_index_get_stats(cli_index_of(&run->in), &stats);
    const enum pd_code code = pd_index_check(cli_index_of(&run->in), &error);
    cli_progress_end(run->cli);
    if (code == PD_EDIFFERENT)
        tell_difference(run, path, &error);
    else if (code)
        cli_input_error(&run->in, &error);
    else
        cli_say(run->cli, "%s: is the index of %s: %" PRIu64 " blocks", path, run->in.name, stats.blocks);
}

/* ---- Writing */

static void tell_refusal(struct run *run, const struct pd_index_stats *stats, const struct pd_error *error)
{
    if (error->code != PD_EUNSUP) {
        cli_input_error(&run->in, error);
        return;
    }
    cli_fail(run->cli, CLI_USAGE, "%s: %s cannot be made", run->in.name, error->field);
    if (stats->one_frame)
        cli_say(run->cli, "`perfdata convert -z` compresses in frames, which can be entered");
}

static void make_index(struct run *run, const char *path)
{
    struct cli *cli = run->cli;
    struct cli_output out;
    struct pd_index_stats stats;
    struct pd_error error;
    cli->output = path;
    if (cli_output_open(cli, &out, &run->in, 1, CLI_PATCH | (run->place ? 0 : CLI_IMPLIED))) {
        const enum pd_code code = pd_index_build(run->in.reader, &out.sink, &run->how, &stats, &error);
        cli_progress_end(cli);
        if (code == PD_EOUT)
            cli_error(cli, path, &error);
        else if (code)
            tell_refusal(run, &stats, &error);
        else if (cli_may_commit(cli) && cli_output_commit(&out))
            cli_say(cli, "%s: %" PRIu64 " blocks, %" PRIu64 " of %" PRIu64 " records, %" PRIu64 " bytes",
                    path, stats.blocks, stats.given, stats.records, stats.size);
        cli_output_discard(&out);
    }
    cli->output = run->place;
}

/* True if perf would read an index at this path, beside a file of a directory, as records. */
static bool spoils_directory(const struct run *run, const char *path)
{
    return !run->place && !run->check && pi_dir_is_member(cli_last_part(path)) &&
           pd_reader_find_feature(run->in.reader, PD_FEAT_DIR_FORMAT);
}

static void index_file(struct run *run, const char *file)
{
    if (strcmp(file, "-") == 0) {
        cli_fail(run->cli, CLI_USAGE, "standard input: an index is of a file");
        return;
    }
    if (!cli_input_open(run->cli, &run->in, file, 0))
        return;
    char *path = place_of(run);
    if (path && spoils_directory(run, path))
        cli_fail(run->cli, CLI_USAGE, "%s: an index beside it would be read as a part of the directory",
                 run->in.name);
    else if (path)
        (run->check ? check_index : make_index)(run, path);
    free(path);
    cli_input_close(&run->in);
}

static bool take_option(struct run *run, int key)
{
    switch (key) {
    case KEY_CHECK: run->check = true; return true;
    case KEY_BLOCK:
        if (cli_size(run->cli->arg, &run->how.block))
            return true;
        cli_fail(run->cli, CLI_USAGE, "--block: \"%s\" is no number of bytes like 64K or 1M", run->cli->arg);
        return false;
    default: return false;
    }
}

int cmd_index(struct cli *cli, int argc, char **argv)
{
    struct run run = {.cli = cli};
    int key;
    cli->spec = &spec;
    run.how = (struct pd_index_options){
        .size = sizeof run.how, .allocator = &cli_allocator, .progress = on_progress, .user = &run};
    while ((key = cli_next_option(cli, argc, argv)) != CLI_END)
        if (!take_option(&run, key))
            return cli->status;
    run.place = cli->output;
    if (run.place && cli->n_inputs > 1)
        return cli_fail(cli, CLI_USAGE, "-o names one index, but there are %zu recordings", cli->n_inputs);
    for (size_t i = 0; i < cli->n_inputs; i++)
        index_file(&run, cli->inputs[i]);
    return cli->status;
}
