/* SPDX-License-Identifier: MIT */
/* filter.c - `perfdata filter`: the selected records, and the records that they need, as a new recording. */
#define _GNU_SOURCE
#include "src/support/limits.h"
#include "cli/lib/files/indexed.h"
#include "cli/lib/selection/selection.h"
#include "cli/lib/writing.h"
#include <errno.h>
#include <fnmatch.h>
#include <fcntl.h>
#include <inttypes.h>
#include <perfdata/constants.h>
#include <perfdata/ops/convert.h>
#include <perfdata/ops/filter.h>
#include <perfdata/session/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_SIDEBAND = CLI_LONG, KEY_EVERY, KEY_LIMIT };

/* clang-format off */
static const struct cli_option options[] = {
    CLI_SELECTION,
    {"record", 'r', "LIST", "records of these types: SAMPLE,SWITCH; types that the side-band leaves out are "
                            "added"},
    CLI_SELECTION_EXCLUDE,
    {"exclude-record", 'r' + CLI_EXCLUDE, "LIST", "no records of these types at all"},
    CLI_SELECTION_MODES,
    {"every", KEY_EVERY, "N", "of the selected samples every Nth, in the order of the file"},
    {"limit", KEY_LIMIT, "N", "of those the first N"},
    CLI_WRITING("the input's", CLI_AGAIN),
    {"sideband", KEY_SIDEBAND, "needed|all|none", "other records to keep: needed (default), all or none"},
    {0},
};

static const struct cli_spec spec = {
    .usage = "[OPTION]... -o OUTPUT [FILE]",
    .about = "Writes the selected samples and the records that they need as a new recording, in which perf "
             "shows\n"
             "them as it did in the old one: with the same names, symbols and call chains. A record must "
             "meet all\n"
             "options; one of an option's values suffices. Times and names are those that perf would take.\n",
    .options = options,
    .common = CLI_IN | CLI_OUT,
    .examples = "  perfdata filter -i x.data --comms make,cc1 -o y.data\n"
                "  perfdata filter -i x.data --time 50%-60% --cpu 0-3 -o y.data\n"
                "  perfdata filter -i x.data --exclude-comms swapper -o y.data\n",
};
/* clang-format on */

struct run {
    struct cli_writing w;
    struct cli *cli;
    struct cli_input in;
    struct cli_selection selection;
    struct pd_filter_options options;
    struct pd_filter_stats stats;
};

static const char *option_name(int key)
{
    for (size_t i = 0; options[i].key; i++)
        if (options[i].key == key)
            return options[i].name;
    return "";
}

/* ---- Other options */

static bool take_count(struct run *run, int key, uint64_t *value)
{
    if (cli_count(run->cli->arg, value) && *value)
        return true;
    cli_fail(run->cli, CLI_USAGE, "--%s: \"%s\" is no number from 1 on", option_name(key), run->cli->arg);
    return false;
}

static bool take_sideband(struct run *run)
{
    static const char *const names[] = {"needed", "all", "none"};
    const int i = CLI_FIND_WORD(run->cli, "--sideband", run->cli->arg, strlen(run->cli->arg), names);
    if (i >= 0)
        run->options.sideband = (enum pd_sideband)i;
    return i >= 0;
}

static bool take_option(struct run *run, int key)
{
    switch (key) {
    case KEY_SIDEBAND: return take_sideband(run);
    case KEY_EVERY: return take_count(run, key, &run->options.every);
    case KEY_LIMIT: return take_count(run, key, &run->options.limit);
    case CLI_TO:
    case 'z':
    case CLI_COMPRESSED2:
    case CLI_FRAMES:
    case CLI_DECOMPRESS: return cli_take_writing(&run->w, key, &run->options.zip, &run->options.frame);
    case CLI_STOP: return false;
    default: return cli_select(&run->selection, key);
    }
}

/* ---- The lists in their final form */

/* Once the events are known: the lists get their final form. */
static bool look_up(void *user)
{
    struct run *run = user;
    return cli_selection_look_up(&run->selection, &run->in, &run->options.keep, &run->options.drop);
}

static bool meets(void *user, struct pd_record *rec)
{
    return cli_selection_meets(&((struct run *)user)->selection, rec);
}

static void know(void *user, enum pd_name_kind kind, const char *name)
{
    cli_selection_known(&((struct run *)user)->selection, kind, name);
}

static void miss(void *user, enum pd_name_kind kind, const char *name)
{
    cli_selection_unmatched(&((struct run *)user)->selection, kind, name);
}

/* Names of events come with features before them. The payload of tracing data is the library's to read. */
static void take_head(void *user, const struct pd_record *rec)
{
    struct run *run = user;
    if (rec->payload_size == 0)
        cli_learn(&run->in, rec);
}

/* A pipe stream that comes through a pipe: the library calls look_up() when its events have come. */
static bool flows(const struct run *run)
{
    return !run->in.seekable && pd_reader_info(run->in.reader)->container == PD_CONTAINER_PIPE;
}

/* ---- Which container */

/*
 * Shares of the time are known only at the end, and a map may come behind its samples; a file, too, is
 * complete only then, and its output is smaller if it is read twice.
 */
static unsigned input_flags(const struct run *run)
{
    const bool twice = cli_selection_needs_all(&run->selection);
    const bool stream = run->w.to == PD_CONVERT_SAME || run->w.to == PD_CONVERT_PIPE;
    return CLI_SEEK | (stream && !twice ? CLI_FLOW : 0);
}

/* ---- Output in a container that filtering does not give */

static enum pd_code filter_plain(void *user, const struct pd_sink *sink, struct pd_error *error)
{
    struct run *run = user;
    struct pd_filter_options plain = run->options;
    if (plain.zip != PD_ZIP_KEEP) /* compression is done at the end */
        plain.zip = PD_ZIP_NONE;
    return pd_filter(run->in.reader, sink, &plain, &run->stats, error);
}

/* ---- The run */

/* With an index, blocks outside of the times are left out. False: that failed, which is printed. */
static bool use_index(struct run *run)
{
    const struct pd_filter_lists *keep = &run->options.keep;
    if (keep->n_times && run->options.sideband == PD_SIDEBAND_ALL && cli_index_find(&run->in)) {
        cli_say(run->cli,
                "%s" CLI_INDEX_SUFFIX ": the index is not used, and all is read: --sideband=all keeps "
                "records of all times",
                run->in.name);
        return true;
    }
    return cli_index_select_kept(&run->in, keep);
}

static void on_finding(void *user, const struct pd_error *error)
{
    struct run *run = user;
    if (++run->w.n_findings <= PI_LIMIT_FINDINGS_TOLD || error->code != PD_EUNKNOWN)
        cli_input_error(&run->in, error);
}

/* In the kernel: if that is impossible or fails, the library copies the bytes, and reports errors. */
static uint64_t copy(void *user, uint64_t offset, uint64_t n)
{
    struct run *run = user;
    return cli_output_copy(&run->w.out, run->in.fd, offset, n);
}

static bool report_error(struct run *run, const struct pd_error *error)
{
    const bool told = error->code == PD_EARG && run->cli->status != CLI_OK; /* by look_up() */
    if (!told)
        cli_tell_error(&run->w, error);
    return false;
}

/* Writes the output; prints the summary when the output is in place. */
static bool filter(void *user)
{
    struct run *run = user;
    const bool direct = cli_is_direct(run->in.reader, run->w.to);
    struct pd_error error;
    run->options.size = sizeof run->options;
    run->options.finding = on_finding;
    run->options.progress = cli_on_progress;
    run->options.begin = look_up;
    run->options.copy = run->w.out.cli && direct ? copy : NULL;
    run->options.head = take_head;
    run->options.known = know;
    run->options.unmatched = miss;
    run->options.user = run;
    if (run->w.to == PD_CONVERT_DIRECTORY && direct) {
        run->options.open_member = cli_open_member;
        run->options.close_member = cli_close_member;
    }
    const enum pd_code code =
        direct ? pd_filter(run->in.reader, &run->w.out.sink, &run->options, &run->stats, &error)
               : cli_write_through(&run->w, run->options.zip, run->options.level, run->options.frame,
                                   filter_plain, &error);
    cli_progress_end(run->cli);
    return code ? report_error(run, &error) : true;
}

static void tell_kept(struct run *run)
{
    const struct pd_filter_stats *stats = &run->stats;
    if (run->w.n_findings > PI_LIMIT_FINDINGS_TOLD)
        cli_say(run->cli, "%zu records could not be read and were kept", run->w.n_findings);
    if (run->in.meta && pd_metadata_feature(run->in.meta, PD_FEAT_STAT))
        cli_say(
            run->cli,
            "%s: is a recording of perf stat: its counts are no samples and all stay, whatever is selected",
            run->in.name);
    cli_say(run->cli, "kept %" PRIu64 " of %" PRIu64 " samples and %" PRIu64 " of %" PRIu64 " other records",
            stats->kept_samples, stats->samples, stats->kept_others, stats->others);
}

static void run_filter(struct run *run)
{
    struct cli *cli = run->cli;
    if (cli_refuses_output(&run->w, ""))
        return;
    if (!cli_selection_agrees(&run->selection))
        return;
    run->options.all_user = run->selection.all_user;
    run->options.all_kernel = run->selection.all_kernel;
    run->options.with_children = run->selection.with_children;
    run->options.predicate = run->selection.n_conditions ? meets : NULL;
    if (!cli_input_open(cli, &run->in, cli->inputs[0], input_flags(run) | CLI_META | CLI_STOPS))
        return;
    run->w.to = cli_container(run->cli, run->in.reader, run->w.to);
    const bool named = cli_selects_events(&run->selection);
    if (flows(run) || (cli_learn_stream(&run->in) && (!named || cli_learn_names(&run->in)) && look_up(run) &&
                       use_index(run))) {
        if (cli_write_recording(&run->w, filter, NULL))
            tell_kept(run);
        cli_tell_findings(&run->in);
        cli_tell_unmatched(&run->selection);
    }
    cli_input_close(&run->in);
}

int cmd_filter(struct cli *cli, int argc, char **argv)
{
    struct run run = {.w = {.cli = cli, .in = &run.in, .n_in = 1},
                      .cli = cli,
                      .selection = {.cli = cli, .with_leaders = true}};
    int key;
    bool ok = true;
    cli->spec = &spec;
    ok = cli_take_level(cli, argc, argv, &run.options.level);
    while (ok && (key = cli_next_option(cli, argc, argv)) != CLI_END)
        ok = take_option(&run, key);
    if (ok)
        run_filter(&run);
    cli_selection_free(&run.selection);
    return cli->status;
}
