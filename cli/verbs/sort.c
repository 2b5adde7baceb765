/* SPDX-License-Identifier: MIT */
/* sort.c - `perfdata sort`: sorts a recording by time, or checks whether it is sorted. */
#include "cli/lib/writing.h"
#include <inttypes.h>
#include <perfdata/constants.h>
#include <perfdata/ops/sort.h>
#include <string.h>

/* clang-format off */
static const struct cli_option options[] = {
    {"memory", 'm', "SIZE", "bytes in which records may wait, K, M or G behind the number (default 64M); "
                            "more wait in\n"
                            "temporary files in $TMPDIR"},
    {"dry-run", 'n', NULL, "write nothing; exit 0: in order, 1: not, and where that is seen first"},
    CLI_WRITING("the input's", CLI_AGAIN),
    {0},
};

static const struct cli_spec spec = {
    .usage = "[OPTION]... -o OUTPUT [FILE]\n       perfdata sort -n [FILE]",
    .about = "Writes a recording with its records in order of time; those of equal time stay as they stand. "
             "Ring buffers\n"
             "are read one after the other, so that a recording is hardly ever in order. Records without a "
             "time come\n"
             "where perf processes them. perf shows the same before and after.\n",
    .options = options,
    .common = CLI_IN | CLI_OUT,
    .examples = "  perfdata sort -n x.data                   is it in order?\n"
                "  perfdata sort -i x.data -o y.data\n"
                "  perfdata sort -m 1G -i x.data -o y.data   with more memory\n",
};
/* clang-format on */

struct run {
    struct cli_writing w;
    struct cli *cli;
    struct cli_input in;
    struct pd_sort_options options;
    struct pd_sort_stats stats;
    bool dry;
};

/* ---- Options */

static bool take_option(struct run *run, int key)
{
    switch (key) {
    case 'm': return cli_take_memory(run->cli, &run->options.memory);
    case 'n': return run->dry = true;
    default: return cli_take_writing(&run->w, key, &run->options.zip, &run->options.frame);
    }
}

static bool report_error(struct run *run, const struct pd_error *error)
{
    if (cli_is_unsupported(error))
        cli_fail(run->cli, CLI_USAGE, "%s cannot be sorted: %s", run->in.name, error->field);
    else
        cli_tell_error(&run->w, error);
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
    cli_print(cli,
              "%s%s%s: not in order: record %" PRIu64 " (%s) at offset %" PRIu64 " (0x%" PRIx64 ") has time ",
              run->in.name, m && pd_reader_n_members(run->in.reader) > 1 ? "/" : "",
              m && pd_reader_n_members(run->in.reader) > 1 ? m->name : "", d->index, type ? type : "unknown",
              d->offset, d->offset);
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
    while (cli_next_decoded(&run->in, &rec)) /* tells of damage */
        ;
    if (run->stats.disorder.count)
        tell_disorder(run);
    else if (!run->cli->quiet)
        cli_print(run->cli, "%s: in order: %" PRIu64 " records with a time\n", run->in.name,
                  run->stats.timed);
}

/* ---- Sorting */

static enum pd_code sort_to(void *user, const struct pd_sink *sink, struct pd_error *error)
{
    struct run *run = user;
    struct pd_sort_options plain = run->options;
    if (plain.zip != PD_ZIP_KEEP && !cli_is_direct(run->in.reader, run->w.to))
        plain.zip = PD_ZIP_NONE; /* compression is done at the end */
    return pd_sort(run->in.reader, sink, &plain, &run->stats, error);
}

static bool sort(void *user)
{
    struct run *run = user;
    struct pd_error error;
    enum pd_code code;
    const bool direct = cli_is_direct(run->in.reader, run->w.to);
    if (run->w.to == PD_CONVERT_DIRECTORY && direct) {
        run->options.open_member = cli_open_member;
        run->options.close_member = cli_close_member;
    }
    code = direct ? sort_to(run, &run->w.out.sink, &error)
                  : cli_write_through(&run->w, run->options.zip, run->options.level, run->options.frame,
                                      sort_to, &error);
    cli_progress_end(run->cli);
    return code ? report_error(run, &error) : true;
}

static void tell_order(struct run *run)
{
    const struct pd_sort_stats *s = &run->stats;
    cli_tell_places(&run->w);
    cli_say(run->cli, "%" PRIu64 " records, %" PRIu64 " of them stood behind a later one", s->records,
            s->disorder.count);
    if (run->cli->verbose)
        cli_say(run->cli, "%" PRIu64 " records waited; %" PRIu64 " temporary files, %" PRIu64 " bytes",
                s->waited, s->runs, s->spilled);
}

static bool check_options(struct run *run)
{
    struct cli *cli = run->cli;
    if (run->dry && cli->output)
        cli_fail(cli, CLI_USAGE, "-n writes nothing, so there is no use for -o");
    return cli->status == CLI_OK && (run->dry || !cli_refuses_output(&run->w, "; -n only looks"));
}

static void run_sort(struct run *run)
{
    struct cli *cli = run->cli;
    if (!check_options(run) ||
        !cli_input_open(cli, &run->in, cli->inputs[0], CLI_SEEK | CLI_META | CLI_STOPS))
        return;
    run->options.size = sizeof run->options;
    run->options.finding = cli_on_finding;
    run->options.progress = cli_on_progress;
    run->options.user = run;
    if (run->dry) {
        check_order(run);
    } else if (cli_learn_stream(
                   &run->in)) { /* its features are told as those of a file are, damage included */
        run->w.to = cli_container(cli, run->in.reader, run->w.to);
        if (cli_write_recording(&run->w, sort, NULL))
            tell_order(run);
    }
    cli_tell_findings(&run->in);
    cli_input_close(&run->in);
}

int cmd_sort(struct cli *cli, int argc, char **argv)
{
    struct run run = {.w = {.cli = cli, .in = &run.in, .n_in = 1},
                      .cli = cli,
                      .options = {.memory = PI_LIMIT_MERGE_MEMORY}};
    int key;
    cli->spec = &spec;
    bool ok = cli_take_level(cli, argc, argv, &run.options.level);
    while (ok && (key = cli_next_option(cli, argc, argv)) != CLI_END)
        ok = take_option(&run, key);
    if (ok)
        run_sort(&run);
    return cli->status;
}
