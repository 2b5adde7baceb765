/* SPDX-License-Identifier: MIT */
/* convert.c - `perfdata convert`: a recording in another container, compression, byte order or attr size. */
#define _GNU_SOURCE
#include "convert_dir.h"
#include <errno.h>
#include <inttypes.h>
#include <perfdata/convert.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FINDINGS 10

enum { KEY_TO = CLI_LONG, KEY_COMPRESSED2, KEY_DECOMPRESS, KEY_ENDIAN, KEY_ATTR_SIZE, KEY_REENCODE };

/* clang-format off */
static const struct cli_option options[] = {
    {"to", KEY_TO, "file|pipe|dir", "file, pipe or dir (default: the input's; to standard output: pipe)"},
    {"compression-level", 'z', NULL, "compress the records, as perf record -z; -zN: level N, 1 (default) to 22"},
    {"compressed2", KEY_COMPRESSED2, NULL, "the same, in the records of perf 6.16 and later"},
    {"decompress", KEY_DECOMPRESS, NULL, "no compressed records"},
    {"endian", KEY_ENDIAN, "little|big", "little or big"},
    {"attr-size", KEY_ATTR_SIZE, "N", "bytes of each perf_event_attr: perf 6.1 reads up to 128"},
    {"reencode", KEY_REENCODE, NULL, "every record through decoding and encoding, not copied"},
    {0},
};

static const struct cli_spec spec = {
    .usage = "[OPTION]... -o OUTPUT [FILE]",
    .about = "Writes a recording in another form. With nothing to change the output is equal byte for byte;\n"
             "perfdata-convert(1) lists what cannot survive in which direction. Compressed records are copied as they\n"
             "are unless something asks to look into them.\n",
    .options = options,
    .common = CLI_IN | CLI_OUT,
    .examples = "  perfdata convert -i x.data -o - | perf script -i -     as a pipe stream\n"
                "  perfdata convert -i x.data -z -o y.data                compressed\n"
                "  perfdata convert -i recording/ --to file -o y.data     the members of a directory, by time\n"
                "  perfdata convert -i x.data --attr-size 128 -o y.data   for perf 6.1\n",
};
/* clang-format on */

struct run {
    struct cli *cli;
    struct cli_input in;
    struct cli_output out;
    struct cli_directory dir;
    struct pd_convert_options options;
    size_t n_findings;
    char *left; /* what was left in the old byte order */
    size_t left_size;
    FILE *left_text;
};

/* ---- Options */

static bool wrong(struct run *run, const char *option)
{
    cli_fail(run->cli, CLI_USAGE, "%s: \"%s\" is not understood; see perfdata convert --help", option,
             run->cli->arg);
    return false;
}

static bool take_to(struct run *run)
{
    static const char *const names[] = {
        [PD_CONVERT_FILE] = "file", [PD_CONVERT_PIPE] = "pipe", [PD_CONVERT_DIRECTORY] = "dir"};
    for (int to = PD_CONVERT_FILE; to <= PD_CONVERT_DIRECTORY; to++)
        if (strcmp(run->cli->arg, names[to]) == 0) {
            run->options.to = (enum pd_convert_to)to;
            run->options.finish = true;
            return true;
        }
    return wrong(run, "--to");
}

static bool take_endian(struct run *run)
{
    const bool big = strcmp(run->cli->arg, "big") == 0;
    if (!big && strcmp(run->cli->arg, "little") != 0)
        return wrong(run, "--endian");
    run->options.order = big ? PD_CONVERT_BIG : PD_CONVERT_LITTLE;
    return true;
}

static bool take_attr_size(struct run *run)
{
    uint64_t n;
    if (!cli_number(run->cli->arg, &n))
        return wrong(run, "--attr-size");
    if (n < 64 || n > 4096 || n % 8) {
        cli_fail(run->cli, CLI_USAGE, "--attr-size: %" PRIu64 " is no multiple of 8 from 64 to 4096", n);
        return false;
    }
    run->options.attr_size = (uint32_t)n;
    return true;
}

static bool take_option(struct run *run, int key)
{
    switch (key) {
    case KEY_TO: return take_to(run);
    case 'z': return cli_take_zip(run->cli, &run->options.zip, PD_ZIP_COMPRESSED);
    case KEY_COMPRESSED2: return cli_take_zip(run->cli, &run->options.zip, PD_ZIP_COMPRESSED2);
    case KEY_DECOMPRESS: return cli_take_zip(run->cli, &run->options.zip, PD_ZIP_NONE);
    case KEY_ENDIAN: return take_endian(run);
    case KEY_ATTR_SIZE: return take_attr_size(run);
    case KEY_REENCODE: return run->options.reencode = true;
    default: return false;
    }
}

static bool check_options(struct run *run)
{
    struct cli *cli = run->cli;
    if (cli->output == NULL) {
        cli_fail(cli, CLI_USAGE, "where to? -o FILE, or -o - for standard output");
        return false;
    }
    const bool standard = strcmp(cli->output, "-") == 0;
    if (standard && run->options.to == PD_CONVERT_SAME)
        run->options.to = PD_CONVERT_PIPE;
    if (standard && run->options.to == PD_CONVERT_DIRECTORY) {
        cli_fail(cli, CLI_USAGE, "a directory cannot be written to standard output");
        return false;
    }
    return true;
}

/* ---- What the library tells */

static void on_finding(void *user, const struct pd_error *error)
{
    struct run *run = user;
    if (run->n_findings++ < MOST_FINDINGS)
        cli_input_error(&run->in, error);
    else
        cli_raise(run->cli, cli_status_of(error));
}

static void on_progress(void *user, uint64_t done, uint64_t total)
{
    cli_progress(((struct run *)user)->cli, done, total);
}

/* What was left in the old byte order is told in one line at the end, a feature that is missing at once. */
static void on_note(void *user, const struct pd_convert_note *note)
{
    struct run *run = user;
    const bool feature = strcmp(note->what, "feature") == 0;
    const char *name = pd_set_name(feature ? &pd_set_feature : &pd_set_record_type, note->number);
    char number[16];
    snprintf(number, sizeof number, "%" PRIu32, note->number);
    const char *text = name ? name : number;
    if (strncmp(note->why, "left", 4) != 0) {
        cli_say(run->cli, "%s %s does not come along: %s", note->what, text, note->why);
        return;
    }
    if (run->left_text == NULL && (run->left_text = open_memstream(&run->left, &run->left_size)) == NULL)
        return;
    if (note->count)
        fprintf(run->left_text, ", %" PRIu64 " %s", note->count, text);
    else
        fprintf(run->left_text, ", feature %s", text);
}

static void tell_what_is_left(struct run *run)
{
    if (run->left_text == NULL)
        return;
    if (fclose(run->left_text) == 0)
        cli_say(run->cli, "in the old byte order still: %s", run->left + 2);
    free(run->left);
}

static int open_member(void *user, const char *name, unsigned mode, struct pd_sink *sink)
{
    return cli_directory_file(&((struct run *)user)->dir, name, (mode_t)mode, sink);
}

static int close_member(void *user, struct pd_sink *sink)
{
    return cli_directory_close(&((struct run *)user)->dir, sink);
}

/* ---- The conversion */

static bool report_error(struct run *run, const struct pd_error *error)
{
    char text[512];
    if (error->code == PD_EVALUE && run->options.attr_size) {
        pd_error_text(error, text, sizeof text);
        cli_fail(run->cli, CLI_USAGE, "%s: --attr-size %" PRIu32 " would lose a field: %s", run->in.name,
                 run->options.attr_size, text);
    } else if (error->code == PD_EOUT) {
        cli_error(run->cli, run->out.name ? run->out.name : run->cli->output, error);
    } else {
        cli_input_error(&run->in, error);
    }
    return false;
}

static bool convert(struct run *run)
{
    struct pd_convert_stats stats;
    struct pd_error error;
    run->options.size = sizeof run->options;
    run->options.finding = on_finding;
    run->options.note = on_note;
    run->options.progress = on_progress;
    run->options.open_member = open_member;
    run->options.close_member = close_member;
    run->options.user = run;
    const size_t told = pd_reader_n_findings(run->in.reader);
    const enum pd_code code = pd_convert(run->in.reader, &run->out.sink, &run->options, &stats, &error);
    cli_progress_end(run->cli);
    for (size_t i = told; i < pd_reader_n_findings(run->in.reader); i++) /* behind the data, or of other members */
        on_finding(run, pd_reader_finding(run->in.reader, i));
    if (code == PD_EOUT && run->cli->status == CLI_OUTPUT && run->dir.cli)
        return false; /* the file of the directory that failed has been named */
    if (code)
        return report_error(run, &error);
    if (run->n_findings > MOST_FINDINGS)
        cli_say(run->cli, "%zu places could not be read", run->n_findings);
    tell_what_is_left(run);
    if (run->cli->verbose)
        cli_say(run->cli, "%" PRIu64 " records%s", stats.records, stats.copied ? ", copied as they are" : "");
    return true;
}

static void to_directory(struct run *run, const char *path)
{
    if (!cli_directory_open(run->cli, &run->dir, &run->in))
        return;
    if (convert(run) &&
        (!S_ISDIR(run->in.st.st_mode) || cli_directory_copy_others(&run->dir, &run->in, path)))
        cli_directory_commit(&run->dir);
    cli_directory_discard(&run->dir);
}

static void to_file(struct run *run, const char *path, enum pd_container container)
{
    const unsigned flags = container == PD_CONTAINER_FILE ? CLI_PATCH : 0;
    if (!cli_output_open(run->cli, &run->out, &run->in, 1, flags))
        return;
    if (S_ISDIR(run->in.st.st_mode) && cli_directory_has_others(&run->in, path))
        cli_say(run->cli, "%s has files beside the records (kcore_dir), which only a directory can hold",
                path);
    if (convert(run))
        cli_output_commit(&run->out);
    cli_output_discard(&run->out);
}

static void run_convert(struct run *run)
{
    const char *path = run->cli->inputs[0];
    if (!check_options(run) || !cli_input_open(run->cli, &run->in, path, CLI_META))
        return;
    const enum pd_container container = pd_convert_container(run->in.reader, &run->options);
    if (container == PD_CONTAINER_DIRECTORY)
        to_directory(run, path);
    else
        to_file(run, path, container);
    cli_input_close(&run->in);
}

int cmd_convert(struct cli *cli, int argc, char **argv)
{
    struct run run = {.cli = cli};
    int key;
    cli->spec = &spec;
    bool ok = cli_take_level(cli, argc, argv, &run.options.level);
    while (ok && (key = cli_next_option(cli, argc, argv)) != CLI_END)
        ok = take_option(&run, key);
    if (ok)
        run_convert(&run);
    return cli->status;
}
