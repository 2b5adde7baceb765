/* SPDX-License-Identifier: MIT */
/* symbols.c - `perfdata symbols`: the functions at the addresses that recordings use, to be taken along. */
#include "cli/lib/cli.h"
#include "cli/lib/files/temporary.h"
#include "cli/lib/selection/selection.h"
#include "cli/lib/symbols/debuginfod.h"
#include "cli/lib/symbols/resolve.h"
#include "cli/lib/writing.h"
#include <perfdata/ops/export.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { KEY_ROOT = CLI_LONG, KEY_INLINE };

/* clang-format off */
static const struct cli_option options[] = {
    {"root", KEY_ROOT, "DIR", "look for files below DIR first, as a container or a sysroot has them; may be "
                              "repeated"},
    {"inline", KEY_INLINE, NULL, "functions that are inlined at an address, too, from DWARF"},
    {0},
};

static const struct cli_spec spec = {
    .usage = "[OPTION]... [-o FILE] [FILE]...",
    .about = "Writes the functions at the addresses that recordings use, found in the programs and libraries "
             "on this\n"
             "machine, so that `export --symbols` and `report --symbols` need none of these anywhere else. A "
             "file\n"
             "whose build id is not that of the recording is not used.\n",
    .options = options,
    .common = CLI_IN | CLI_OUT | CLI_OPERANDS,
    .examples = "  perfdata symbols x.data -o x.syms\n"
                "  perfdata export --to folded --symbols x.syms x.data | flamegraph.pl > x.svg\n",
};
/* clang-format on */

struct run {
    struct cli_writing w;
    struct cli *cli;
    struct cli_input *in;
    struct cli_resolver resolver;
    struct pd_export *export;
};

static bool take_option(struct run *run, int key)
{
    struct cli_resolver *r = &run->resolver;
    switch (key) {
    case KEY_ROOT: return cli_take_root(r);
    case KEY_INLINE:
        if (cli_knows_dwarf())
            return r->inlined = true;
        cli_fail(run->cli, CLI_USAGE,
                 "--inline needs libdw, which is not installed or was not when perfdata was built");
        return false;
    default: return false;
    }
}

static bool on_symbol(void *user, const char *file, const char *build_id, uint64_t offset,
                      struct pd_symbol *symbol)
{
    struct run *run = user;
    return cli_resolve(&run->resolver, file, build_id, offset, symbol);
}

static void on_kernel(void *user, const char *file, const char *build_id, const char *symbol,
                      uint64_t address)
{
    struct run *run = user;
    cli_note_kernel(&run->resolver, file, build_id, symbol, address);
}

static bool note_recorded(struct run *run)
{
    uint8_t id[20];
    const size_t n = cli_on_build_id(run, run->w.in->reader, "[kernel.kallsyms]", id);
    return cli_note_recorded(&run->resolver, id, n, S_ISDIR(run->w.in->st.st_mode) ? run->w.in->name : NULL);
}

static bool add_inputs(struct run *run)
{
    struct pd_error error;
    for (size_t i = 0; i < run->cli->n_inputs; i++) {
        run->w.in = &run->in[i];
        if (run->w.in->reader == NULL)
            continue;
        if (!cli_learn_stream(run->w.in) || !note_recorded(run))
            return false;
        const enum pd_code code = pd_export_add(run->export, run->w.in->reader, NULL, &error);
        cli_progress_end(run->cli);
        if (code)
            cli_input_error(run->w.in, &error);
        if (code)
            return false;
    }
    return true;
}

static void write_symbols(struct run *run)
{
    const struct cli_resolver *r = &run->resolver;
    struct pd_error error;
    if (pd_export_write(run->export, &run->w.out.sink, &error)) {
        cli_error(run->cli, run->w.out.name ? run->w.out.name : run->cli->output, &error);
        return;
    }
    if (cli_may_commit(run->cli) && cli_output_commit(&run->w.out) && r->n_unknown)
        cli_say(run->cli, "of %zu files %zu have no symbols here%s", r->n_files, r->n_unknown,
                run->cli->verbose ? "" : "; -v names them");
    if (cli_debuginfod_is_absent())
        cli_say(run->cli, "$DEBUGINFOD_URLS is set, but libdebuginfod.so.1 is not installed");
}

static void run_symbols(struct run *run)
{
    const struct pd_export_options how = {.size = sizeof how,
                                          .allocator = &cli_allocator,
                                          .format = PD_EXPORT_SYMBOLS,
                                          .build_id = cli_on_build_id,
                                          .symbol = on_symbol,
                                          .kernel_place = on_kernel,
                                          .finding = cli_on_finding,
                                          .progress = cli_on_progress,
                                          .user = run};
    struct pd_error error;
    if (run->cli->output == NULL)
        run->cli->output = "-";
    run->in = cli_inputs_open(run->cli, CLI_SEEK | CLI_META);
    if (run->in && cli_output_open(run->cli, &run->w.out, run->in, run->cli->n_inputs, CLI_TEXT)) {
        if (pd_export_new(&run->export, &how, &error))
            cli_error(run->cli, cli_temporary_dir(), &error);
        else if (add_inputs(run))
            write_symbols(run);
        pd_export_free(run->export);
        cli_output_discard(&run->w.out);
    }
    cli_inputs_close(run->cli, run->in);
}

int cmd_symbols(struct cli *cli, int argc, char **argv)
{
    struct run run = {.w.cli = cli, .cli = cli, .resolver.cli = cli};
    int key;
    bool ok = true;
    cli->spec = &spec;
    while (ok && (key = cli_next_option(cli, argc, argv)) != CLI_END)
        ok = take_option(&run, key);
    if (ok)
        run_symbols(&run);
    cli_resolver_close(&run.resolver);
    free(run.resolver.roots);
    return cli->status;
}
