/* SPDX-License-Identifier: MIT */
/* export.c - `perfdata export`: the stacks of samples, added up, or a table of them, for other tools. */
#define _GNU_SOURCE
#include "src/support/limits.h"
#include "cli/lib/selection/selection.h"
#include "cli/lib/cli.h"
#include "cli/lib/files/profiles_dir.h"
#include "cli/lib/files/indexed.h"
#include "cli/lib/symbols/resolve.h"
#include "cli/lib/symbols/symbol_file.h"
#include "cli/lib/threads/workers.h"
#include "cli/lib/writing.h"
#include <inttypes.h>
#include <perfdata/ops/export.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_TO = CLI_LONG, KEY_COUNT, KEY_BINARY, KEY_SYMBOLS, KEY_ROOT, KEY_KERNEL };

/* clang-format off */
static const struct cli_option options[] = {
    {"to", KEY_TO, "FORMAT", "folded: a line for each stack, as flamegraph.pl reads it; pprof; speedscope; "
                             "firefox;\n"
                             "parquet: a table with a row for each sample; or\n"
                             "branch profiles, a file for each build id in the directory of -o: bolt, "
                             "profgen, autofdo"},
    {"binary", KEY_BINARY, "FILE", "the program or library of that build id, or else that name, which tells "
                                   "the\n"
                                   "addresses of branch profiles; may be repeated; others are found by build "
                                   "id"},
    {"root", KEY_ROOT, "DIR", "look for these below DIR first; may be repeated"},
    {"kernel", KEY_KERNEL, NULL, "branch profiles of the kernel, too"},
    {"symbols", KEY_SYMBOLS, "FILE", "functions instead of offsets, of `perfdata symbols`; may be repeated"},
    {"sort", 's', "KEYS", "what stacks are told apart by: comm, pid, tid, cpu, cgroup, or none; by default "
                          "comm,\n"
                          "and for formats that have threads comm,pid,tid"},
    {"fields", 'F', "NAMES", "more columns for parquet: fields of tracepoints or samples, as in --filter"},
    {"count", KEY_COUNT, NULL, "samples are counted; else their periods are added"},
    CLI_SELECTION,
    CLI_SELECTION_EXCLUDE,
    CLI_SELECTION_MODES,
    {"memory", 'm', "SIZE", "bytes for stacks in memory, by default 64M; the rest waits in temporary files;\n"
                            "or for the rows that are written together"},
    {0},
};

static const struct cli_spec spec = {
    .usage = "--to FORMAT [OPTION]... [-o FILE] [FILE]...",
    .about = "Writes the stacks of the selected samples in a format of another tool, each stack once with "
             "the sum of\n"
             "its samples, or a table of the samples. Several recordings add up. A frame is a file and the "
             "offset in\n"
             "it, or with --symbols a function.\n",
    .options = options,
    .common = CLI_IN | CLI_OUT | CLI_OPERANDS,
    .examples = "  perfdata export --to folded x.data | flamegraph.pl > x.svg\n"
                "  perfdata export --to folded -s comm,tid --count -e cpu-clock -o both.txt a.data b.data\n"
                "  perfdata export --to parquet -F prev_comm,next_pid -o x.parquet x.data\n",
};
/* clang-format on */

struct run {
    struct cli_writing w;
    struct cli *cli;
    struct cli_input *in;
    struct cli_selection selection;
    struct pd_filter_options select;
    struct pd_export_options options;
    struct pd_export *export;
    bool chosen;         /* --to */
    bool lacks_frames;   /* of programs, which perf would find in copies of stacks or in branches */
    const char **fields; /* texts of the selection */
    size_t n_fields;
    struct binary {
        const char *path;
        struct cli_elf elf;
        bool used;
    } * binaries;
    size_t n_binaries;
    struct cli_resolver resolver;
    struct cli_symbol_file symbols;
};

/* ---- Options */

static bool take_format(struct run *run)
{
    static const char *const names[] = {"folded", "pprof",   "speedscope", "firefox",
                                        "bolt",   "profgen", "autofdo",    "parquet"};
    const int i = CLI_FIND_WORD(run->cli, "--to", run->cli->arg, strlen(run->cli->arg), names);
    if (i >= 0)
        run->options.format = i > PD_EXPORT_AUTOFDO ? PD_EXPORT_PARQUET : (enum pd_export_format)i;
    return run->chosen = i >= 0;
}

static bool take_keys(struct run *run)
{
    static const char *const names[] = {"comm", "pid", "tid", "cpu", "cgroup", "none"};
    enum { NONE = 5 };
    const char *word = run->cli->arg;
    bool none = false;
    run->options.keys = 0;
    for (bool more = true; more; word++) {
        const size_t n = strcspn(word, ",");
        const int i = CLI_FIND_WORD(run->cli, "--sort", word, n, names);
        if (i < 0)
            return false;
        none |= i == NONE;
        run->options.keys |= i == NONE ? 0 : 1u << i;
        word += n;
        more = *word == ',';
    }
    const bool beside = none && strchr(run->cli->arg, ',');
    if (beside)
        cli_fail(run->cli, CLI_USAGE, "--sort: none is nothing beside others");
    return !beside;
}

static bool take_fields(struct run *run)
{
    char *name = cli_own_text(&run->selection, run->cli->arg), *end;
    if (name == NULL)
        return false;
    for (; name; name = end) {
        if ((end = strchr(name, ',')) != NULL)
            *end++ = 0;
        if (*name == 0) {
            cli_fail(run->cli, CLI_USAGE, "--fields: a name is empty");
            return false;
        }
        if (!CLI_ADD(run->cli, run->fields, run->n_fields, name))
            return false;
    }
    return true;
}

static bool take_binary(struct run *run)
{
    struct binary b = {.path = run->cli->arg};
    const char *why = cli_elf_read(&b.elf, b.path);
    if (why) {
        cli_fail(run->cli, CLI_USAGE, "--binary: %s: %s", b.path, why);
        return false;
    }
    if (CLI_ADD(run->cli, run->binaries, run->n_binaries, b))
        return true;
    cli_elf_free(&b.elf);
    return false;
}

static bool take_option(struct run *run, int key)
{
    switch (key) {
    case KEY_TO: return take_format(run);
    case KEY_BINARY: return take_binary(run);
    case KEY_SYMBOLS: return cli_symbols_read(&run->symbols, run->cli, run->cli->arg);
    case 's': return take_keys(run);
    case 'F': return take_fields(run);
    case KEY_ROOT: return cli_take_root(&run->resolver);
    case KEY_KERNEL: return run->options.kernel = true;
    case KEY_COUNT: return run->options.count = true;
    case 'm': return cli_take_memory(run->cli, &run->options.memory);
    case CLI_STOP: return false;
    default: return cli_select(&run->selection, key);
    }
}

/* ---- Callbacks of the library */

static size_t on_event(void *user, struct pd_reader *reader, uint32_t attr, char *buf, size_t cap)
{
    struct run *run = user;
    (void)reader;
    return cli_event_name(run->w.in, attr, buf, cap);
}

static const struct pd_tracepoints *on_tracepoints(void *user, struct pd_reader *reader)
{
    const struct run *run = user;
    (void)reader;
    return run->w.in->meta ? pd_metadata_tracepoints(run->w.in->meta) : NULL;
}

/* Compares build ids if both have one, else names. */
static bool is_binary(const struct binary *b, const char *file, const char *build_id)
{
    const size_t n = strlen(build_id) < strlen(b->elf.build_id) ? strlen(build_id) : strlen(b->elf.build_id);
    return n ? memcmp(b->elf.build_id, build_id, n) == 0
             : strcmp(cli_last_part(b->path), cli_last_part(file)) == 0;
}

static size_t copy_segments(const struct cli_elf *elf, struct pd_export_segment *segments, size_t cap)
{
    const size_t n = elf->n < cap ? elf->n : cap;
    if (n)
        memcpy(segments, elf->segments, n * sizeof *segments);
    return n;
}

/* Looks for a file that was not named if the recording has its build id, which tells the right one. */
static size_t on_segments(void *user, const char *file, const char *build_id,
                          struct pd_export_segment *segments, size_t cap)
{
    struct run *run = user;
    struct cli_elf elf = {0};
    struct binary *named = NULL;
    for (size_t i = 0; i < run->n_binaries; i++) {
        struct binary *b = &run->binaries[i];
        if (!is_binary(b, file, build_id))
            continue;
        b->used = true;
        if (named == NULL)
            named = b;
    }
    if (named)
        return copy_segments(&named->elf, segments, cap);
    char *path = *build_id ? cli_find_binary(&run->resolver, file, build_id, &elf) : NULL;
    const size_t n = path ? copy_segments(&elf, segments, cap) : 0;
    if (path)
        cli_elf_free(&elf);
    free(path);
    return n;
}

static bool on_symbol(void *user, const char *file, const char *build_id, uint64_t offset,
                      struct pd_symbol *symbol)
{
    struct run *run = user;
    return cli_symbols_find(&run->symbols, file, build_id, offset, symbol);
}

/* ---- The run */

/* True if perf makes the stacks of an event's samples only when it reports. */
static bool needs_unwinding(const struct pd_attr *attr)
{
    return attr->sample_type & PD_SAMPLE_CALLCHAIN &&
           (attr->sample_type & PD_SAMPLE_STACK_USER ||
            (attr->sample_type & PD_SAMPLE_BRANCH_STACK &&
             attr->branch_sample_type & PD_BRANCH_SAMPLE_CALL_STACK));
}

static bool add_input(struct run *run, struct cli_input *in)
{
    struct pd_error error;
    run->w.in = in;
    if (!cli_learn_stream(in) || !cli_learn_names(in) ||
        !cli_selection_look_up(&run->selection, in, &run->select.keep, &run->select.drop) ||
        !cli_index_select_kept(in, &run->select.keep))
        return false;
    const enum pd_code code = pd_export_add(run->export, in->reader, &run->select, &error);
    cli_progress_end(run->cli);
    if (code == PD_EARG)
        cli_fail(run->cli, CLI_USAGE,
                 "--fields: \"%s\" is a column of every table; trace.%s is the tracepoint's", error.field,
                 error.field);
    else if (code)
        cli_input_error(in, &error);
    for (size_t i = 0; i < pd_reader_n_attrs(in->reader); i++)
        run->lacks_frames |= needs_unwinding(&pd_reader_attr(in->reader, i)->attr);
    return code == PD_OK;
}

static bool is_branches(const struct run *run)
{
    return run->options.format >= PD_EXPORT_BOLT && run->options.format <= PD_EXPORT_AUTOFDO;
}

static bool write_output(struct run *run)
{
    struct pd_error error;
    const enum pd_code code = pd_export_write(run->export, &run->w.out.sink, &error);
    if (code)
        cli_error(run->cli, run->w.out.name ? run->w.out.name : run->cli->output, &error);
    return code == PD_OK;
}

static void tell_branches(struct run *run, const struct pd_export_stats *stats)
{
    if (stats->branched == 0)
        cli_say(run->cli, "no sample has a branch stack; perf record -b makes them");
    for (size_t i = 0; i < run->n_binaries; i++)
        if (!run->binaries[i].used)
            cli_say(run->cli, "--binary: %s: the profiles have no file of its build id or name",
                    run->binaries[i].path);
}

static void tell_sums(struct run *run)
{
    struct pd_export_stats stats;
    pd_export_get_stats(run->export, &stats);
    cli_tell_places(&run->w);
    if (stats.cut)
        cli_say(run->cli, "%" PRIu64 " samples had so long a stack that the outermost frames were left out",
                stats.cut);
    if (stats.unknown)
        cli_say(run->cli, "%" PRIu64 " samples of unknown events were left out", stats.unknown);
    if (stats.unjoined)
        cli_say(run->cli, "of %" PRIu64 " samples the user's part of the call chain is missing",
                stats.unjoined);
    if (stats.unfound)
        cli_say(run->cli, "no sample has the field \"%s\"", stats.unfound);
    if (is_branches(run))
        tell_branches(run, &stats);
    else if (run->lacks_frames)
        cli_say(run->cli, "stacks that perf makes from copies of the stack (--call-graph dwarf) or from "
                          "branches (lbr) are not made: frames of programs are missing");
    if (run->cli->verbose)
        cli_say(run->cli,
                "%" PRIu64 " of %" PRIu64 " samples; %" PRIu64 " stacks, %" PRIu64
                " bytes in temporary files",
                stats.exported, stats.samples, stats.stacks, stats.spilled);
}

static void export_inputs(struct run *run)
{
    bool ok = true;
    run->selection.several = run->cli->n_inputs > 1;
    for (size_t i = 0; ok && i < run->cli->n_inputs; i++)
        ok = run->in[i].reader == NULL || add_input(run, &run->in[i]);
    if (ok && cli_selection_found(&run->selection) && write_output(run) && cli_may_commit(run->cli) &&
        (is_branches(run) ? cli_directory_commit(&run->w.dir) : cli_output_commit(&run->w.out)))
        tell_sums(run);
    cli_tell_unmatched(&run->selection);
}

static bool open_output(struct run *run)
{
    const bool binary = run->options.format == PD_EXPORT_PPROF || run->options.format == PD_EXPORT_PARQUET;
    const unsigned flags = binary ? 0 : CLI_TEXT;
    const size_t n = run->cli->n_inputs;
    return is_branches(run) ? cli_directory_open(run->cli, &run->w.dir, run->in, n, &cli_profiles)
                            : cli_output_open(run->cli, &run->w.out, run->in, n, flags);
}

static bool check_options(struct run *run)
{
    struct cli *cli = run->cli;
    const bool to_stdout = cli->output == NULL || cli_is_stdout(cli->output);
    const bool is_table = run->options.format == PD_EXPORT_PARQUET;
    if (!run->chosen)
        cli_fail(cli, CLI_USAGE, "--to which format? perfdata help export lists them");
    else if (is_branches(run) && to_stdout)
        cli_fail(cli, CLI_USAGE, "-o which directory? Each build id gets a file of its own");
    else if (!is_branches(run) && (run->n_binaries || run->resolver.n_roots || run->options.kernel))
        cli_fail(cli, CLI_USAGE, "%s is for branch profiles",
                 run->n_binaries       ? "--binary"
                 : run->options.kernel ? "--kernel"
                                       : "--root");
    else if (is_branches(run) && run->symbols.n_texts)
        cli_fail(cli, CLI_USAGE, "--symbols is not for branch profiles, which have addresses");
    else if ((is_table || is_branches(run)) && (run->options.count || run->options.keys != UINT32_MAX))
        cli_fail(cli, CLI_USAGE, "%s is for stacks, and %s", run->options.count ? "--count" : "--sort",
                 is_table ? "parquet has samples" : "branch profiles have branches");
    else if (!is_table && run->n_fields)
        cli_fail(cli, CLI_USAGE, "--fields is for parquet");
    else if (run->n_fields > PI_LIMIT_EXPORT_FIELDS)
        cli_fail(cli, CLI_USAGE, "--fields: %zu fields; the most is %d", run->n_fields,
                 PI_LIMIT_EXPORT_FIELDS);
    else
        return cli_selection_agrees(&run->selection);
    return false;
}

static void run_export(struct run *run)
{
    struct cli *cli = run->cli;
    struct pd_error error;
    if (!check_options(run))
        return;
    cli_selection_use(&run->selection, &run->select);
    if (cli->output == NULL)
        cli->output = "-";
    if (run->options.keys == UINT32_MAX) /* not asked for */
        run->options.keys = run->options.format == PD_EXPORT_FOLDED
                                ? PD_EXPORT_COMM
                                : PD_EXPORT_COMM | PD_EXPORT_PID | PD_EXPORT_TID;
    run->options.size = sizeof run->options;
    run->options.allocator = &cli_allocator;
    run->options.event_name = on_event;
    run->options.build_id = cli_on_build_id;
    run->options.segments = on_segments;
    run->options.symbol = run->symbols.n_texts ? on_symbol : NULL;
    run->options.open_member = cli_open_member;
    run->options.close_member = cli_close_member;
    run->options.finding = cli_on_finding;
    run->options.progress = cli_on_progress;
    run->options.sink = &run->w.out.sink;
    run->options.fields = run->fields;
    run->options.n_fields = run->n_fields;
    run->options.tracepoints = on_tracepoints;
    run->options.workers = cli_workers(cli);
    run->options.user = run;
    run->in = cli_inputs_open(cli, CLI_SEEK | CLI_META);
    if (run->in && open_output(run)) {
        if (pd_export_new(&run->export, &run->options, &error))
            cli_error(cli, cli_temporary_dir(), &error);
        else
            export_inputs(run);
        pd_export_free(run->export);
        cli_output_discard(&run->w.out);
        if (is_branches(run))
            cli_directory_discard(&run->w.dir);
    }
    cli_inputs_close(cli, run->in);
}

int cmd_export(struct cli *cli, int argc, char **argv)
{
    struct run run = {
        .w.cli = cli, .cli = cli, .selection.cli = cli, .resolver.cli = cli, .options.keys = UINT32_MAX};
    int key;
    bool ok = true;
    cli->spec = &spec;
    while (ok && (key = cli_next_option(cli, argc, argv)) != CLI_END)
        ok = take_option(&run, key);
    if (ok)
        run_export(&run);
    cli_selection_free(&run.selection);
    for (size_t i = 0; i < run.n_binaries; i++)
        cli_elf_free(&run.binaries[i].elf);
    free(run.binaries);
    free(run.fields);
    cli_resolver_close(&run.resolver);
    free(run.resolver.roots);
    cli_symbols_free(&run.symbols);
    return cli->status;
}
