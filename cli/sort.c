/* SPDX-License-Identifier: MIT */
/* sort.c - `perfdata sort`: a recording in order of time, or whether it is. */
#include "convert_dir.h"
#include <inttypes.h>
#include <perfdata/constants.h>
#include <perfdata/sort.h>
#include <string.h>

#define MEMORY ((size_t)64 << 20)

enum { KEY_TO = CLI_LONG };

/* clang-format off */
static const struct cli_option options[] = {
    {"memory", 'm', "SIZE", "bytes in which records may wait, K, M or G behind the number (default 64M); more wait in\n"
                            "temporary files in $TMPDIR"},
    {"dry-run", 'n', NULL, "write nothing; exit 0: in order, 1: not, and where that is seen first"},
    {"to", KEY_TO, "CONTAINER", "file, pipe or dir (default: the input's; to standard output: pipe)"},
    CLI_COMPRESSION("those that were compressed are so again"),
    {0},
};

static const struct cli_spec spec = {
    .usage = "[OPTION]... -o OUTPUT [FILE]\n       perfdata sort -n [FILE]",
    .about = "Writes a recording with its records in order of time; those of equal time stay as they stand. Ring buffers\n"
             "are read one after the other, so that a recording is hardly ever in order. Records without a time come\n"
             "where perf processes them. perf shows the same before and after.\n",
    .options = options,
    .common = CLI_IN | CLI_OUT,
    .examples = "  perfdata sort -n x.data                   is it in order?\n"
                "  perfdata sort -i x.data -o y.data\n"
                "  perfdata sort -m 1G -i x.data -o y.data   with more memory\n",
};
/* clang-format on */

struct run {
    struct cli *cli;
    struct cli_input in;
    struct cli_output out;
    struct cli_directory dir;
    struct pd_sort_options options;
    struct pd_sort_stats stats;
    enum pd_convert_to to; /* what was asked for, then what is written */
    bool dry;
    size_t n_findings;
};

/* ---- Options */

static bool take_option(struct run *run, int key)
{
    switch (key) {
    case 'm': return cli_take_memory(run->cli, &run->options.memory);
    case 'n': return run->dry = true;
    case KEY_TO: return cli_take_to(run->cli, &run->to);
    case 'z':
    case CLI_COMPRESSED2:
    case CLI_DECOMPRESS:
        return cli_take_compression(run->cli, key, &run->options.zip);
    default: return false;
    }
}

/* ---- The library's questions */

static int open_member(void *user, const char *name, unsigned mode, struct pd_sink *sink)
{
    return cli_directory_file(&((struct run *)user)->dir, name, (mode_t)mode, sink);
}

static int close_member(void *user, struct pd_sink *sink)
{
    return cli_directory_close(&((struct run *)user)->dir, sink);
}

static void on_finding(void *user, const struct pd_error *error)
{
    struct run *run = user;
    cli_finding(&run->in, &run->n_findings, error);
}

static void on_progress(void *user, uint64_t done, uint64_t total)
{
    cli_progress(((struct run *)user)->cli, done, total);
}

static bool report_error(struct run *run, const struct pd_error *error)
{
    const bool named = error->code == PD_EOUT && run->cli->status == CLI_OUTPUT && run->dir.cli;
    const bool spill = error->code == PD_EOUT && error->field;
    if (error->code == PD_EUNSUP && error->field)
        cli_fail(run->cli, CLI_USAGE, "%s cannot be sorted: %s", run->in.name, error->field);
    else if (!named)
        error->code == PD_EOUT && !spill
            ? cli_error(run->cli, run->out.name ? run->out.name : run->cli->output, error)
            : cli_input_error(&run->in, error);
    return false;
}

/* ---- Is it in order? */

static void print_time(struct cli *cli, uint64_t t)
{
    cli_print(cli, "%" PRIu64 ".%09" PRIu64, t / 1000000000, t % 1000000000);
}

static void tell_disorder(struct run *run)
{
    const struct pd_disorder *d = &run->stats.disorder;
    struct cli *cli = run->cli;
    const char *type = pd_set_name(&pd_set_record_type, d->type);
    const struct pd_member *m = pd_reader_member(run->in.reader, d->member);
    cli_print(cli, "%s%s%s: not in order: record %" PRIu64 " (%s) at offset %" PRIu64 " (0x%" PRIx64 ") has time ",
              run->in.name, m && pd_reader_n_members(run->in.reader) > 1 ? "/" : "",
              m && pd_reader_n_members(run->in.reader) > 1 ? m->name : "", d->index, type ? type : "unknown", d->offset,
              d->offset);
    print_time(cli, d->time);
    pd_out_str(&cli->out, " behind ");
    print_time(cli, d->before);
    cli_print(cli, "; so have %" PRIu64 " of %" PRIu64 " records with a time\n", d->count, run->stats.timed);
    cli_raise(cli, CLI_FINDINGS);
}

static void check_order(struct run *run)
{
    struct pd_error error;
    struct pd_record rec = {0};
    if (pd_sort_check(run->in.reader, &run->options, &run->stats, &error)) {
        report_error(run, &error);
        return;
    }
    while (cli_next_record(&run->in, &rec)) /* tells of damage */
        ;
    if (run->stats.disorder.count)
        tell_disorder(run);
    else if (!run->cli->quiet)
        cli_print(run->cli, "%s: in order: %" PRIu64 " records with a time\n", run->in.name, run->stats.timed);
}

/* ---- Sorting */

static enum pd_code sort_to(void *user, const struct pd_sink *sink, struct pd_error *error)
{
    struct run *run = user;
    struct pd_sort_options plain = run->options;
    if (plain.zip != PD_ZIP_KEEP && !cli_is_direct(run->in.reader, run->to))
        plain.zip = PD_ZIP_NONE; /* what is to be compressed is so in the end */
    return pd_sort(run->in.reader, sink, &plain, &run->stats, error);
}

static bool sort(struct run *run)
{
    struct pd_error error;
    enum pd_code code;
    const bool direct = cli_is_direct(run->in.reader, run->to);
    const struct pd_convert_options how = {.size = sizeof how,
                                           .to = run->to,
                                           .zip = run->options.zip,
                                           .level = run->options.level,
                                           .open_member = open_member,
                                           .close_member = close_member,
                                           .user = run};
    if (run->to == PD_CONVERT_DIRECTORY && direct) {
        run->options.open_member = open_member;
        run->options.close_member = close_member;
    }
    code = direct ? sort_to(run, &run->out.sink, &error)
                  : cli_write_through(run->cli, &how, &run->out.sink, sort_to, run, &error);
    cli_progress_end(run->cli);
    return code ? report_error(run, &error) : true;
}

static void tell(struct run *run)
{
    const struct pd_sort_stats *s = &run->stats;
    if (run->n_findings > CLI_MOST_FINDINGS)
        cli_say(run->cli, "%zu places could not be read", run->n_findings);
    cli_say(run->cli, "%" PRIu64 " records, %" PRIu64 " of them stood behind a later one", s->records,
            s->disorder.count);
    if (run->cli->verbose)
        cli_say(run->cli, "%" PRIu64 " records waited; %" PRIu64 " temporary files, %" PRIu64 " bytes", s->waited,
                s->runs, s->spilled);
}

static void to_directory(struct run *run, const char *path)
{
    if (!cli_directory_open(run->cli, &run->dir, &run->in, 1))
        return;
    if (sort(run) && (!S_ISDIR(run->in.st.st_mode) || cli_directory_copy_others(&run->dir, &run->in, path)) &&
        cli_directory_commit(&run->dir))
        tell(run);
    cli_directory_discard(&run->dir);
}

static void to_file(struct run *run, const char *path)
{
    if (!cli_output_open(run->cli, &run->out, &run->in, 1, run->to == PD_CONVERT_FILE ? CLI_PATCH : 0))
        return;
    if (S_ISDIR(run->in.st.st_mode) && cli_directory_has_others(&run->in, path))
        cli_say(run->cli, "%s has files beside the records (kcore_dir), which only a directory can hold", path);
    if (sort(run) && cli_output_commit(&run->out))
        tell(run);
    cli_output_discard(&run->out);
}

static bool check_options(struct run *run)
{
    struct cli *cli = run->cli;
    if (run->dry && cli->output)
        cli_fail(cli, CLI_USAGE, "-n writes nothing, so there is no use for -o");
    else if (!run->dry && cli->output == NULL)
        cli_fail(cli, CLI_USAGE, "where to? -o FILE, or -o - for standard output; -n only looks");
    else if (!run->dry && run->to == PD_CONVERT_DIRECTORY && strcmp(cli->output, "-") == 0)
        cli_fail(cli, CLI_USAGE, "a directory cannot be written to standard output");
    return cli->status == CLI_OK;
}

static void run_sort(struct run *run)
{
    struct cli *cli = run->cli;
    if (!check_options(run) || !cli_input_open(cli, &run->in, cli->inputs[0], CLI_SEEK | CLI_META))
        return;
    run->options.size = sizeof run->options;
    run->options.finding = on_finding;
    run->options.progress = on_progress;
    run->options.user = run;
    if (run->dry) {
        check_order(run);
    } else if (cli_learn_stream(&run->in)) { /* its features are told as those of a file are, damage included */
        run->to = cli_container(cli, run->in.reader, run->to);
        if (run->to == PD_CONVERT_DIRECTORY)
            to_directory(run, cli->inputs[0]);
        else
            to_file(run, cli->inputs[0]);
    }
    cli_tell_findings(&run->in);
    cli_input_close(&run->in);
}

int cmd_sort(struct cli *cli, int argc, char **argv)
{
    struct run run = {.cli = cli, .options = {.memory = MEMORY}};
    int key;
    cli->spec = &spec;
    bool ok = cli_take_level(cli, argc, argv, &run.options.level);
    while (ok && (key = cli_next_option(cli, argc, argv)) != CLI_END)
        ok = take_option(&run, key);
    if (ok)
        run_sort(&run);
    return cli->status;
}
