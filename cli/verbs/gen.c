/* SPDX-License-Identifier: MIT */
/* gen.c - `perfdata gen`: synthetic recordings, at random or of a workload. */
#include "ops/gen/gen_internal.h"
#include "src/codec/record_role.h"
#include "src/support/limits.h"
#include "cli/lib/files/convert_dir.h"
#include "cli/lib/threads/workers.h"
#include <errno.h>
#include <inttypes.h>
#include <perfdata/ops/gen.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEY_SIZE = CLI_LONG,
    KEY_SEED,
    KEY_SAMPLE_TYPE,
    KEY_EVENTS,
    KEY_CPUS,
    KEY_TASKS,
    KEY_DEPTH,
    KEY_ENDIAN,
    KEY_TO,
    KEY_RANDOM,
    KEY_PRESET,
    KEY_WORKLOAD,
    KEY_FEATURES
};

/* clang-format off */
static const struct cli_option options[] = {
    {"count", 'c', "N", "records to make (default: 10000)"},
    {"size", KEY_SIZE, "SIZE", "bytes of records to make, before compression: 500M, 1G"},
    {"seed", KEY_SEED, "N", "another number, another recording (default: 0)"},
    {"preset", KEY_PRESET, "NAME", "server (default), build, database, tracing, dwarf or branch"},
    {"workload", KEY_WORKLOAD, "FILE", "a workload that this text describes: docs/GEN.md"},
    {"random", KEY_RANDOM, NULL, "random records"},
    {"types", 't', "TYPE[:WEIGHT],…", "random records of these types, ALL being all there are"},
    {"sample-type", KEY_SAMPLE_TYPE, "FIELD,…", "fields of samples: ip,tid,time,callchain,…"},
    {"events", KEY_EVENTS, "N", "number of events"},
    {"cpus", KEY_CPUS, "N", "number of cpus"},
    {"tasks", KEY_TASKS, "N", "about how many tasks live at a time"},
    {"depth", KEY_DEPTH, "N", "depth of call chains"},
    {"features", KEY_FEATURES, "usual|none|all", "usual (default), none, or all: also half of those that "
                                                 "perf only shows, of random content"},
    {"endian", KEY_ENDIAN, "little|big", "little (default) or big"},
    {"to", KEY_TO, "file|pipe|dir", "file, pipe or dir (default: file; to standard output: pipe)"},
    {"compression-level", 'z', NULL, "compress the records; -zN: level N, 1 (default) to 22"},
    {"compressed2", CLI_COMPRESSED2, NULL, "the same, in the records of perf 6.16 and later"},
    CLI_FRAMES_OPTION,
    {0},
};

static const struct cli_spec spec = {
    .usage = "[OPTION]... -o OUTPUT",
    .about = "Makes a synthetic recording: of a workload, on which perf report shows the functions and "
             "percentages that\n"
             "are described; or of random records, for testing readers. The same options give the same "
             "bytes.\n",
    .options = options,
    .common = CLI_OUT,
    .examples = "  perfdata gen --preset database -c 100000 -o db.data      what perf record -a might give\n"
                "  perfdata gen --workload web.txt --size 100M -o web.data  percentages as described\n"
                "  perfdata gen -t ALL --seed 7 --endian big -o any.data     every record type\n"
                "  perfdata gen -t SAMPLE:90,MMAP2:5 --sample-type ip,tid,time,callchain -o - | perf script "
                "-i -\n",
};
/* clang-format on */

struct run {
    struct cli *cli;
    struct pd_gen_options options;
    struct pd_gen_weight weights[PI_LIMIT_GEN_WEIGHTS];
    const char *preset, *workload;
    bool random, has_to;
    int level;
    enum pd_convert_zip zip;
    uint64_t frame;
    char *text;
};

/* ---- Options */

static bool wrong(struct run *run, const char *option)
{
    cli_fail(run->cli, CLI_USAGE, "%s: \"%s\" is not understood; see perfdata gen --help", option,
             run->cli->arg);
    return false;
}

static bool take_number(struct run *run, const char *option, uint64_t least, uint64_t most, uint64_t *value)
{
    if (!cli_count(run->cli->arg, value))
        return wrong(run, option);
    if (*value >= least && *value <= most)
        return true;
    cli_fail(run->cli, CLI_USAGE, "%s: %s is not from %" PRIu64 " to %" PRIu64, option, run->cli->arg, least,
             most);
    return false;
}

static bool take_small(struct run *run, const char *option, unsigned most, unsigned *value)
{
    uint64_t n;
    if (!take_number(run, option, 1, most, &n))
        return false;
    *value = (unsigned)n;
    return true;
}

/* A number of bytes, with K, M, G or T behind it for powers of 1024. */
static bool take_size(struct run *run)
{
    return cli_size(run->cli->arg, &run->options.bytes) || wrong(run, "--size");
}

static bool add_weight(struct run *run, uint32_t type, uint64_t weight)
{
    struct pd_gen_options *o = &run->options;
    if (o->n_weights == PI_LIMIT_GEN_WEIGHTS) {
        cli_fail(run->cli, CLI_USAGE, "-t: more than %d types", PI_LIMIT_GEN_WEIGHTS);
        return false;
    }
    if (weight > UINT32_MAX)
        return wrong(run, "-t");
    run->weights[o->n_weights++] = (struct pd_gen_weight){type, (uint32_t)weight};
    return true;
}

/* All types but those that only a writer makes. */
static bool add_all(struct run *run, uint64_t weight)
{
    bool ok = true;
    run->options.any = true;
    for (size_t i = 0; ok && i < pd_set_record_type.n; i++) {
        const uint32_t type = (uint32_t)pd_set_record_type.names[i].value;
        if (!pi_is_wrapper_type(type))
            ok = add_weight(run, type, weight);
    }
    return ok;
}

/* TYPE or TYPE:WEIGHT; `n` bytes. */
static bool take_type(struct run *run, const char *at, size_t n)
{
    const char *colon = memchr(at, ':', n);
    const size_t name = colon ? (size_t)(colon - at) : n;
    uint64_t type, weight = 1;
    char digits[32];
    if (colon) {
        const size_t rest = n - name - 1;
        if (rest >= sizeof digits)
            return wrong(run, "-t");
        memcpy(digits, colon + 1, rest);
        digits[rest] = 0;
        if (!cli_number(digits, &weight))
            return wrong(run, "-t");
    }
    if (name == 3 && strncmp(at, "ALL", 3) == 0)
        return add_all(run, weight);
    if (!pd_set_parse(&pd_set_record_type, at, name, &type) || type > UINT32_MAX)
        return CLI_NOT_IN_SET(run->cli, "-t", at, name, &pd_set_record_type);
    return add_weight(run, (uint32_t)type, weight);
}

static bool take_types(struct run *run)
{
    bool ok = true;
    for (const char *at = run->cli->arg; ok && at;) {
        const char *comma = strchr(at, ',');
        ok = take_type(run, at, comma ? (size_t)(comma - at) : strlen(at));
        at = comma ? comma + 1 : NULL;
    }
    return ok;
}

static bool take_sample_type(struct run *run)
{
    for (const char *at = run->cli->arg; at;) {
        const char *comma = strchr(at, ',');
        const size_t n = comma ? (size_t)(comma - at) : strlen(at);
        uint64_t field;
        if (!pd_set_parse(&pd_set_sample_type, at, n, &field))
            return CLI_NOT_IN_SET(run->cli, "--sample-type", at, n, &pd_set_sample_type);
        run->options.sample_type |= field;
        at = comma ? comma + 1 : NULL;
    }
    return true;
}

/* The index of the argument among the names; -1: it is none of them, which is printed. */
static int take_word(struct run *run, const char *option, const char *const *words)
{
    size_t n = 0;
    while (words[n])
        n++;
    return cli_find_word(run->cli, option, run->cli->arg, strlen(run->cli->arg), words, n, sizeof *words);
}

static bool take_to(struct run *run)
{
    static const char *const words[] = {"file", "pipe", "dir", NULL};
    static const enum pd_container containers[] = {PD_CONTAINER_FILE, PD_CONTAINER_PIPE,
                                                   PD_CONTAINER_DIRECTORY};
    const int i = take_word(run, "--to", words);
    if (i < 0)
        return false;
    run->options.container = containers[i];
    return run->has_to = true;
}

static bool take_endian(struct run *run)
{
    const int order = cli_take_order(run->cli);
    run->options.order = order == PD_BIG ? PD_BIG : PD_LITTLE;
    return order >= 0;
}

static bool take_features(struct run *run)
{
    static const char *const words[] = {"usual", "none", "all", NULL};
    const int i = take_word(run, "--features", words);
    if (i >= 0)
        run->options.features = (enum pd_gen_features)i;
    return i >= 0;
}

static bool take_option(struct run *run, int key)
{
    struct pd_gen_options *o = &run->options;
    switch (key) {
    case 'c': return take_number(run, "-c", 1, UINT64_MAX, &o->count);
    case KEY_SIZE: return take_size(run);
    case KEY_SEED: return take_number(run, "--seed", 0, UINT64_MAX, &o->seed);
    case KEY_PRESET: run->preset = run->cli->arg; return true;
    case KEY_WORKLOAD: run->workload = run->cli->arg; return true;
    case KEY_RANDOM: return run->random = true;
    case 't': return take_types(run);
    case KEY_SAMPLE_TYPE: return take_sample_type(run);
    case KEY_EVENTS: return take_small(run, "--events", PD_GEN_MOST_EVENTS, &o->events);
    case KEY_CPUS: return take_small(run, "--cpus", PD_GEN_MOST_CPUS, &o->cpus);
    case KEY_TASKS: return take_small(run, "--tasks", PD_GEN_MOST_TASKS, &o->tasks);
    case KEY_DEPTH: return take_small(run, "--depth", PD_GEN_MOST_DEPTH, &o->depth);
    case KEY_FEATURES: return take_features(run);
    case KEY_ENDIAN: return take_endian(run);
    case KEY_TO: return take_to(run);
    case 'z':
    case CLI_COMPRESSED2:
    case CLI_FRAMES: return cli_take_compression(run->cli, key, &run->zip, &run->frame);
    default: return false;
    }
}

static bool refuse(struct run *run, const char *why)
{
    cli_fail(run->cli, CLI_USAGE, "%s", why);
    return false;
}

static bool no_preset(struct run *run, const char *name)
{
    const char *names[16];
    size_t n = 0;
    while (n < sizeof names / sizeof *names && (names[n] = pd_gen_preset_name(n)))
        n++;
    return cli_no_word(run->cli, "--preset", name, strlen(name), names, n, sizeof *names);
}

/* The text of --workload, a preset, or none for random records. */
static bool find_text(struct run *run)
{
    const bool random = run->random || run->options.n_weights;
    if ((random && (run->preset || run->workload)) || (run->preset && run->workload))
        return refuse(run, "--random or -t, --preset and --workload exclude each other");
    if (random)
        return true;
    if (run->workload == NULL) {
        const char *name = run->preset ? run->preset : "server";
        if ((run->options.workload = pd_gen_preset(name)))
            return true;
        return no_preset(run, name);
    }
    FILE *f = cli_open_named(run->cli, run->workload);
    if (f == NULL || (run->text = cli_malloc(PI_LIMIT_GEN_TEXT + 1)) == NULL) {
        cli_fail(run->cli, cli_open_status(errno), "%s: %s", run->workload, strerror(errno));
        if (f)
            fclose(f);
        return false;
    }
    const size_t n = fread(run->text, 1, PI_LIMIT_GEN_TEXT + 1, f);
    const int error = ferror(f) ? errno : 0;
    fclose(f);
    if (error)
        return cli_fail(run->cli, cli_open_status(error), "%s: %s", run->workload, strerror(error)), false;
    if (n > PI_LIMIT_GEN_TEXT || memchr(run->text, 0, n)) {
        cli_fail(run->cli, CLI_USAGE, "%s: this is no text of up to %d MiB", run->workload,
                 PI_LIMIT_GEN_TEXT >> 20);
        return false;
    }
    run->text[n] = 0;
    run->options.workload = run->text;
    return true;
}

static bool check_options(struct run *run)
{
    struct pd_gen_options *o = &run->options;
    if (run->cli->output == NULL)
        return refuse(run, "where to? -o FILE, or -o - for standard output");
    const bool standard = strcmp(run->cli->output, "-") == 0;
    if (standard && !run->has_to)
        o->container = PD_CONTAINER_PIPE;
    if (standard && o->container == PD_CONTAINER_DIRECTORY)
        return refuse(run, "a directory cannot be written to standard output");
    if (o->any && o->features == PD_GEN_FEATURES_USUAL)
        o->features = PD_GEN_FEATURES_ALL;
    o->weights = run->weights;
    o->level = run->level;
    o->frame = run->frame;
    o->compression = run->zip == PD_ZIP_COMPRESSED    ? PD_RECORD_COMPRESSED
                     : run->zip == PD_ZIP_COMPRESSED2 ? PD_RECORD_COMPRESSED2
                                                      : 0;
    return find_text(run);
}

/* ---- Making it */

static void on_progress(void *user, uint64_t records, uint64_t bytes)
{
    const struct run *run = user;
    const struct pd_gen_options *o = &run->options;
    if (o->bytes)
        cli_progress(run->cli, bytes, o->bytes);
    else
        cli_progress(run->cli, records, o->count);
}

static bool report(struct run *run, const struct pd_error *error)
{
    struct cli *cli = run->cli;
    if (error->code == PD_EVALUE && run->options.workload && error->field)
        cli_fail(cli, CLI_USAGE, "%s: line %" PRIu64 ": %s", run->workload ? run->workload : "preset",
                 error->found, error->field);
    else if (error->code == PD_EARG && error->field)
        cli_fail(cli, CLI_USAGE, "%s: %" PRIu64 " is not possible", error->field, error->found);
    else
        cli_error(cli, cli->output, error);
    return false;
}

static bool generate(struct run *run, const struct pd_sink *sink)
{
    struct pd_gen *gen = NULL;
    struct pd_error error = {0};
    run->options.size = sizeof run->options;
    run->options.workers = cli_workers(run->cli);
    run->options.progress = on_progress;
    run->options.user = run;
    enum pd_code code = pd_gen_open(&gen, sink, &run->options, &error);
    if (!code)
        code = pd_gen_run(gen, &error);
    cli_progress_end(run->cli);
    if (!code && run->cli->verbose)
        cli_say(run->cli, "%" PRIu64 " records, %" PRIu64 " bytes", pd_gen_records(gen), pd_gen_bytes(gen));
    if (!code && run->workload && pi_gen_hides_callers(gen))
        cli_say(run->cli,
                "%s: \"from CALLER\" has no effect, as no call chains are sampled; \"sample callchain\" or "
                "--sample-type does that",
                run->workload);
    pd_gen_close(gen);
    return code ? report(run, &error) : true;
}

static void to_file(struct run *run)
{
    struct cli_output out = {0};
    const unsigned flags = run->options.container == PD_CONTAINER_FILE ? CLI_PATCH : 0;
    if (!cli_output_open(run->cli, &out, NULL, 0, flags))
        return;
    if (generate(run, &out.sink))
        cli_output_commit(&out);
    cli_output_discard(&out);
}

static void to_directory(struct run *run)
{
    const struct cli_input none = {.fd = -1};
    struct cli_directory dir;
    struct pd_sink data, rest;
    if (!cli_directory_open(run->cli, &dir, &none, 1, &cli_recordings))
        return;
    run->options.member = &rest;
    if (cli_directory_file(&dir, "data", 0600, &data) == 0 &&
        cli_directory_file(&dir, "data.0", 0600, &rest) == 0 && generate(run, &data) &&
        cli_directory_close(&dir, &data) == 0 && cli_directory_close(&dir, &rest) == 0)
        cli_directory_commit(&dir);
    cli_directory_discard(&dir);
    run->options.member = NULL;
}

int cmd_gen(struct cli *cli, int argc, char **argv)
{
    struct run run = {.cli = cli};
    int key;
    cli->spec = &spec;
    bool ok = cli_take_level(cli, argc, argv, &run.level);
    while (ok && (key = cli_next_option(cli, argc, argv)) != CLI_END)
        ok = take_option(&run, key);
    if (ok && check_options(&run)) {
        if (run.options.container == PD_CONTAINER_DIRECTORY)
            to_directory(&run);
        else
            to_file(&run);
    }
    free(run.text);
    return cli->status;
}
