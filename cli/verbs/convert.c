/* SPDX-License-Identifier: MIT */
/* convert.c - `perfdata convert`: a recording in another container, compression, byte order or attr size. */
#define _GNU_SOURCE
#include "src/support/limits.h"
#include "cli/lib/conversion.h"
#include <inttypes.h>
#include <perfdata/ops/convert.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_TO = CLI_LONG, KEY_ENDIAN, KEY_ATTR_SIZE, KEY_REENCODE };

/* clang-format off */
static const struct cli_option options[] = {
    {"to", KEY_TO, "file|pipe|dir", "file, pipe or dir (default: the input's; to standard output: pipe)"},
    {"compression-level", 'z', NULL, "compress the records, as perf record -z; -zN: level N, 1 (default) to "
                                     "22"},
    {"compressed2", CLI_COMPRESSED2, NULL, "the same, in the records of perf 6.16 and later"},
    CLI_FRAMES_OPTION,
    {"decompress", CLI_DECOMPRESS, NULL, "no compressed records"},
    {"endian", KEY_ENDIAN, "little|big", "little or big"},
    {"attr-size", KEY_ATTR_SIZE, "N", "bytes of each perf_event_attr: perf 6.1 reads up to 128"},
    {"reencode", KEY_REENCODE, NULL, "every record through decoding and encoding, not copied"},
    {0},
};

static const struct cli_spec spec = {
    .usage = "[OPTION]... -o OUTPUT [FILE]",
    .about = "Writes a recording in another form. With nothing to change the output is equal byte for byte;\n"
             "perfdata-convert(1) lists what cannot survive in which direction. Compressed records are "
             "copied as they\n"
             "are unless something asks to look into them.\n",
    .options = options,
    .common = CLI_IN | CLI_OUT,
    .examples = "  perfdata convert -i x.data -o - | perf script -i -     as a pipe stream\n"
                "  perfdata convert -i x.data -z -o y.data                compressed\n"
                "  perfdata convert -i recording/ --to file -o y.data     the members of a directory, by "
                "time\n"
                "  perfdata convert -i x.data --attr-size 128 -o y.data   for perf 6.1\n",
};
/* clang-format on */

struct run {
    struct cli *cli;
    struct cli_conversion c;
    struct pd_out left; /* parts left in the old byte order */
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
    run->c.options.finish = true;
    return cli_take_to(run->cli, &run->c.options.to);
}

static bool take_endian(struct run *run)
{
    const int order = cli_take_order(run->cli);
    run->c.options.order = order == PD_BIG ? PD_CONVERT_BIG : PD_CONVERT_LITTLE;
    return order >= 0;
}

static bool take_attr_size(struct run *run)
{
    uint64_t n;
    if (!cli_number(run->cli->arg, &n))
        return wrong(run, "--attr-size");
    if (n < 64 || n > PI_LIMIT_ATTR_CHANGED || n % 8) {
        cli_fail(run->cli, CLI_USAGE, "--attr-size: %" PRIu64 " is no multiple of 8 from 64 to %d", n,
                 PI_LIMIT_ATTR_CHANGED);
        return false;
    }
    run->c.options.attr_size = (uint32_t)n;
    return true;
}

static bool take_option(struct run *run, int key)
{
    switch (key) {
    case KEY_TO: return take_to(run);
    case 'z':
    case CLI_COMPRESSED2:
    case CLI_FRAMES:
    case CLI_DECOMPRESS:
        return cli_take_compression(run->cli, key, &run->c.options.zip, &run->c.options.frame);
    case KEY_ENDIAN: return take_endian(run);
    case KEY_ATTR_SIZE: return take_attr_size(run);
    case KEY_REENCODE: return run->c.options.reencode = true;
    default: return false;
    }
}

static bool check_options(struct run *run)
{
    run->c.w.to = run->c.options.to;
    return !cli_refuses_output(&run->c.w, "");
}

/* ---- Callbacks of the library */

/* One line at the end names the parts left in the old byte order. */
static bool take_note(void *user, const struct pd_convert_note *note)
{
    struct run *run = user;
    const bool registers = note->what == PD_NOTED_REGISTERS, attrs = note->what == PD_NOTED_ATTRS;
    char number[16];
    if (!note->left)
        return false;
    struct pd_out *left = &run->left;
    left->more = pd_out_grow;
    left->user = (void *)(uintptr_t)&cli_allocator;
    pd_out_str(left, left->n ? ", " : "");
    pd_out_str(left, registers ? "bytes behind unknown registers of " : attrs ? "unknown fields of " : "");
    if (note->count)
        pd_out_dec(left, note->count);
    else
        pd_out_str(left, "feature");
    if (registers || attrs) {
        pd_out_str(left, registers ? " SAMPLE" : " attrs");
        return true;
    }
    pd_out_str(left, " ");
    pd_out_str(left, cli_noted_name(note, number));
    return true;
}

static void tell_what_is_left(struct run *run)
{
    if (run->left.n)
        cli_say(run->cli, "in the old byte order still: %.*s", (int)run->left.n, run->left.buf);
    free(run->left.buf);
}

static bool take_error(void *user, const struct pd_error *error)
{
    struct run *run = user;
    char text[512];
    if (error->code != PD_EVALUE || run->c.options.attr_size == 0)
        return false;
    pd_error_text(error, text, sizeof text);
    cli_fail(run->cli, CLI_USAGE, "%s: --attr-size %" PRIu32 " would lose a field: %s", run->c.in.name,
             run->c.options.attr_size, text);
    return true;
}

/* ---- The conversion */

static void run_convert(struct run *run)
{
    const char *path = run->cli->inputs[0];
    if (!check_options(run) || !cli_input_open(run->cli, &run->c.in, path, CLI_META | CLI_STOPS))
        return;
    cli_convert(&run->c);
    tell_what_is_left(run);
    cli_input_close(&run->c.in);
}

int cmd_convert(struct cli *cli, int argc, char **argv)
{
    struct run run = {.cli = cli,
                      .c = {.w = {.cli = cli}, .cli = cli, .error = take_error, .note = take_note}};
    int key;
    run.c.user = &run;
    cli->spec = &spec;
    bool ok = cli_take_level(cli, argc, argv, &run.c.options.level);
    while (ok && (key = cli_next_option(cli, argc, argv)) != CLI_END)
        ok = take_option(&run, key);
    if (ok)
        run_convert(&run);
    return cli->status;
}
