/* SPDX-License-Identifier: MIT */
/* repair.c - `perfdata repair`: a valid recording from a truncated, unfinished or damaged one. */
#define _GNU_SOURCE
#include "src/support/limits.h"
#include "cli/lib/writing.h"
#include "ops/repair/headless.h"
#include <errno.h>
#include <inttypes.h>
#include <perfdata/constants.h>
#include <perfdata/ops/repair.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_TAIL = CLI_LONG, KEY_LIKE, KEY_REPORT, KEY_DROP };

/* clang-format off */
static const struct cli_option options[] = {
    {"keep-tail", KEY_TAIL, NULL, "go on behind damage, at the next place where records make sense"},
    {"drop-unknown", KEY_DROP, NULL, "leave out records of types that are not known, at which perf may stop"},
    {"like", KEY_LIKE, "OTHER", "a recording of the same events: its header, events and features stand in "
                                "for those that\n"
                                "are gone"},
    {"report", KEY_REPORT, NULL, "print on standard output what is lost, with --json as data; without -o, "
                                 "that is all"},
    {0},
};

static const struct cli_spec spec = {
    .usage = "[OPTION]... -o OUTPUT [FILE]",
    .about = "Writes what is intact of a recording as one that perf opens: finished, with all records before "
             "the damage,\n"
             "and with --keep-tail those behind it. What is lost is reported in byte ranges of the input. "
             "The exit status\n"
             "is 3 if something is lost, 0 if not.\n",
    .options = options,
    .common = CLI_IN | CLI_OUT | CLI_JSON,
    .examples = "  perfdata repair -i killed.data -o whole.data\n"
                "  perfdata repair -i damaged.data --keep-tail --report -o whole.data\n"
                "  perfdata repair -i headless.data --like sister.data -o whole.data\n",
};
/* clang-format on */

struct run {
    struct cli_writing w;
    struct cli *cli;
    struct cli_input in, like;
    struct pd_repair_options options;
    const char *like_path;
    bool report;
    bool neither;   /* its own attrs are damaged, and those of the other recording fit no better */
    bool headless;  /* with the header or the attrs of another recording */
    bool unopened;  /* it could not be opened with these either, which was told */
    uint64_t shift; /* of offsets, when the header is that of another recording */
    struct cli_json json;
    struct lost_feature {
        uint16_t number;
        char why[200];
    } features[256]; /* for the report, which lists them behind the ranges */
    unsigned n_features;
    uint64_t n_told;
    struct pd_repair_stats stats;
};

/* ---- What is lost */

static const char *member_of(const struct run *run, uint32_t member)
{
    const bool one = pd_reader_n_members(run->in.reader) < 2;
    return one ? NULL : pd_reader_member(run->in.reader, member)->name;
}

static void reason(const struct run *run, const struct pd_error *why, char *text, size_t cap)
{
    struct pd_error shifted = *why;
    if (shifted.offset != PD_NOWHERE && shifted.offset >= run->shift)
        shifted.offset -= run->shift;
    pd_error_text(&shifted, text, cap);
}

static void on_lost(void *user, const struct pd_lost_range *lost)
{
    struct run *run = user;
    char why[512];
    const char *member = member_of(run, lost->member);
    const uint64_t offset = lost->offset - run->shift;
    reason(run, &lost->why, why, sizeof why);
    cli_raise(run->cli, CLI_DAMAGED);
    cli_progress_end(run->cli);
    if (run->cli->json) {
        cli_json_open(&run->json, NULL, '{');
        if (member)
            cli_json_str(&run->json, "member", member);
        cli_json_count(&run->json, "offset", offset);
        cli_json_count(&run->json, "bytes", lost->bytes);
        cli_json_str(&run->json, "why", why);
        cli_json_close(&run->json, '}');
    } else if (run->report) {
        cli_print(run->cli,
                  "lost: %s%s%" PRIu64 " to %" PRIu64 " (%" PRIu64 " bytes): ", member ? member : "",
                  member ? ", " : "", offset, offset + lost->bytes - 1, lost->bytes);
        pd_out_visible(&run->cli->out, why, strlen(why));
        pd_out_str(&run->cli->out, "\n");
    } else if (run->n_told++ < PI_LIMIT_FINDINGS_TOLD) {
        cli_fail(run->cli, CLI_DAMAGED, "%s%s%s: bytes %" PRIu64 " to %" PRIu64 " are lost: %s", run->in.name,
                 member ? "/" : "", member ? member : "", offset, offset + lost->bytes - 1, why);
    }
}

static void lose_feature(struct run *run, uint16_t number, const char *why)
{
    struct lost_feature *f = &run->features[run->n_features];
    if (run->n_features == sizeof run->features / sizeof *run->features)
        return;
    run->n_features++;
    f->number = number;
    snprintf(f->why, sizeof f->why, "%.199s", why);
}

static void on_feature(void *user, uint16_t feature, const struct pd_error *error)
{
    struct run *run = user;
    char why[512];
    const char *name = pd_set_name(&pd_set_feature, feature);
    reason(run, error, why, sizeof why);
    lose_feature(run, feature, why);
    cli_fail(run->cli, CLI_DAMAGED, "%s: feature %s (%u) is left out: %s", run->in.name,
             name ? name : "unknown", feature, why);
}

static void report_features(struct run *run)
{
    if (run->cli->json)
        cli_json_open(&run->json, "lost_features", '[');
    for (unsigned i = 0; i < run->n_features; i++) {
        const struct lost_feature *f = &run->features[i];
        const char *name = pd_set_name(&pd_set_feature, f->number);
        if (run->cli->json) {
            cli_json_open(&run->json, NULL, '{');
            cli_json_count(&run->json, "number", f->number);
            cli_json_str(&run->json, "name", name ? name : "unknown");
            cli_json_str(&run->json, "why", f->why);
            cli_json_close(&run->json, '}');
        } else if (run->report) {
            cli_print(run->cli, "lost: feature %s (%u): ", name ? name : "unknown", f->number);
            pd_out_str(&run->cli->out, f->why);
            pd_out_str(&run->cli->out, "\n");
        }
    }
    if (run->cli->json)
        cli_json_close(&run->json, ']');
}

/* Features come behind the data, so they are lost first. The end of the data is known after the repair. */
static void tell_features(struct run *run)
{
    const struct pd_file_info *info = pd_reader_info(run->in.reader);
    char names[1024] = "";
    if (!info->truncated || info->container == PD_CONTAINER_PIPE)
        return;
    for (unsigned i = 0; i < 256; i++) {
        const char *name = pd_set_name(&pd_set_feature, i);
        const size_t n = strlen(names);
        if (!(info->features[i / 8] >> i % 8 & 1))
            continue;
        lose_feature(run, (uint16_t)i, "it is behind the end of the file");
        if (n + 40 < sizeof names)
            snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "", name ? name : "unknown");
    }
    if (*names)
        cli_fail(run->cli, CLI_DAMAGED, "%s: the features are behind the end of the file, and lost: %s%s",
                 run->in.name, names,
                 run->like_path ? "" : "; --like OTHER takes those of a recording of the same machine");
}

/* ---- Opening */

/* The number of samples that the file's own attrs do not explain, `bad`; UINT64_MAX if it has no attrs. */
static enum pd_code judge_own(int fd, struct pi_attrs_fit *fit, struct pd_error *error)
{
    struct pd_reader *r;
    *fit = (struct pi_attrs_fit){.bad = UINT64_MAX};
    enum pd_code code = pd_reader_open_fd(&r, fd, NULL, error);
    if (code)
        return pd_is_failure(code) ? code : PD_OK;
    const bool pipe = pd_reader_info(r)->container == PD_CONTAINER_PIPE;
    if (pipe || (pd_reader_n_attrs(r) && (code = pi_attrs_judge(r, fit, error))))
        fit->bad = 0;
    else if (pd_reader_n_attrs(r) && fit->bad == 0)
        fit->bad = fit->damaged;
    if (!pd_is_failure(code))
        code = pd_reader_failure(r, error);
    pd_reader_close(r);
    return code;
}

/*
 * Opens it with the header or the attrs of the other recording, if these explain more samples than its own
 * remaining ones.
 */
static void try_headless(struct run *run, const struct pi_attrs_fit *own)
{
    struct cli_input *in = &run->in;
    struct pi_attrs_fit fit;
    struct pd_error error;
    const enum pd_code code =
        pi_reader_open_headless(&in->reader, in->fd, run->like.reader, &run->shift, &error);
    if (code == PD_EUNSUP && own->bad == UINT64_MAX)
        cli_fail(run->cli, CLI_USAGE, "--like %s: %s", run->like.name, error.field);
    else if (code && code != PD_EUNSUP)
        cli_error(run->cli, in->name, &error);
    run->unopened = code && (code != PD_EUNSUP || own->bad == UINT64_MAX);
    if (code || own->bad == UINT64_MAX)
        return;
    const enum pd_code judged = pi_attrs_judge(in->reader, &fit, &error);
    if (pd_is_failure(judged))
        cli_error(run->cli, in->name, &error);
    run->unopened = pd_is_failure(judged);
    if (!judged && fit.bad < own->bad && fit.good >= own->good)
        return;
    run->shift = 0;
    run->neither = true;
    pd_reader_close(in->reader);
    in->reader = NULL;
}

/*
 * A regular file by name, whose header or attrs are gone or damaged. False: it is none, or that failed, which
 * is printed.
 */
static bool open_headless(struct run *run, const char *path)
{
    struct cli_input *in = &run->in;
    struct pi_attrs_fit own = {0};
    struct pd_error error;
    enum pd_code code = PD_OK;
    run->unopened = !cli_input_open_bytes(run->cli, in, path);
    if (run->unopened)
        return false;
    if (S_ISREG(in->st.st_mode) && in->fd != STDIN_FILENO)
        code = judge_own(in->fd, &own, &error);
    run->unopened = code != PD_OK;
    if (code)
        cli_error(run->cli, path, &error);
    else if (own.bad)
        try_headless(run, &own);
    if (in->reader) {
        cli_watch(in);
        run->headless = true;
        cli_fail(run->cli, CLI_DAMAGED,
                 "the header or the attrs of %s are gone; those of %s stand in for them", path,
                 run->like.name);
        return true;
    }
    cli_input_close(in);
    return false;
}

static bool open_input(struct run *run)
{
    struct cli *cli = run->cli;
    const char *path = cli->inputs[0];
    struct stat st;
    if (run->like_path) {
        if (!cli_input_open(cli, &run->like, run->like_path, CLI_SEEK))
            return false;
        if (!cli_name_input(cli, &run->like))
            return cli_fail(cli, CLI_OUTPUT, "%s", strerror(ENOMEM)), false;
        run->options.like = run->like.reader;
        if (open_headless(run, path))
            return true;
    }
    if (!run->unopened && cli_input_open(cli, &run->in, path, CLI_SEEK))
        return true;
    if (!run->like_path && stat(path, &st) == 0 && S_ISREG(st.st_mode))
        cli_say(
            cli,
            "if it is a recording whose header is gone, --like OTHER takes that of one of the same events");
    if (run->like_path && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        cli_say(cli, "--like can stand in for the header and attrs of a file, not for those of a directory");
    return false;
}

/* The recording of --like must be from the same machine and byte order. */
static bool check_like(struct run *run)
{
    if (!run->like_path || pd_reader_info(run->like.reader)->order == pd_reader_info(run->in.reader)->order)
        return true;
    cli_fail(run->cli, CLI_USAGE, "--like %s: it has the other byte order", run->like.name);
    return false;
}

/* ---- Writing */

static void report_error(struct run *run, const struct pd_error *error)
{
    const bool attrs = error->code == PD_EATTRS;
    const char *help = "--like OTHER takes those of a recording of the same events";
    if (run->like_path)
        help = run->neither
                   ? "nor do those of the recording after --like"
                   : "--like can stand in for the attrs of a file, not for those of a stream or directory";
    if (attrs && run->headless)
        cli_fail(run->cli, CLI_DAMAGED,
                 "%s: the events of %s are not those of its samples; nothing is written", run->in.name,
                 run->like.name);
    else if (attrs && error->found)
        cli_fail(run->cli, CLI_DAMAGED,
                 "%s: the attrs are damaged or of something else, they do not explain its samples; %s",
                 run->in.name, help);
    else if (attrs)
        cli_fail(run->cli, CLI_DAMAGED, "%s: the attrs are gone, so no sample can be read; %s", run->in.name,
                 help);
    else if (error->code != PD_EOUT || run->cli->status != CLI_OUTPUT)
        cli_tell_error(&run->w, error);
}

/* Output with only data of another recording is not a repaired one. */
static bool has_anything(const struct run *run)
{
    if (!run->headless || run->stats.samples + run->stats.others)
        return true;
    cli_fail(run->cli, CLI_DAMAGED,
             "nothing is left of %s that makes sense with the events of %s; nothing is written", run->in.name,
             run->like.name);
    return false;
}

static enum pd_code repair_to(void *user, const struct pd_sink *sink, struct pd_error *error)
{
    struct run *run = user;
    return pd_repair(run->in.reader, sink, &run->options, &run->stats, error);
}

static void begin_report(struct run *run)
{
    run->json = (struct cli_json){.out = &run->cli->out};
    if (!run->cli->json)
        return;
    cli_json_open(&run->json, NULL, '{');
    cli_json_open(&run->json, "lost", '[');
}

static void end_report(struct run *run)
{
    if (run->cli->json)
        cli_json_close(&run->json, ']');
    report_features(run);
    if (!run->cli->json)
        return;
    cli_json_count(&run->json, "lost_bytes", run->stats.lost);
    cli_json_count(&run->json, "samples", run->stats.samples);
    cli_json_count(&run->json, "others", run->stats.others);
    cli_json_count(&run->json, "unknown", run->stats.unknown);
    cli_json_close(&run->json, '}');
    pd_out_str(&run->cli->out, "\n");
}

/* To standard output a file goes as a stream. Without an output, it only looks. */
static bool repair(void *user)
{
    struct run *run = user;
    const struct pd_sink *sink = run->w.out.cli ? &run->w.out.sink : NULL;
    struct pd_error error;
    run->options.size = sizeof run->options;
    run->options.lost = on_lost;
    run->options.feature = on_feature;
    run->options.progress = cli_on_progress;
    run->options.user = run;
    begin_report(run);
    const bool direct = !run->cli->output || cli_is_direct(run->in.reader, run->w.to);
    const enum pd_code code = direct ? repair_to(run, sink, &error)
                                     : cli_write_through(&run->w, PD_ZIP_KEEP, 0, 0, repair_to, &error);
    cli_progress_end(run->cli);
    if (code) {
        report_error(run, &error);
    } else {
        cli_tell_findings(&run->in);
        tell_features(run);
    }
    end_report(run);
    return code == PD_OK && has_anything(run);
}

static bool has_formats(const struct pd_reader *r)
{
    const struct pd_feature_section *f = r ? pd_reader_find_feature(r, PD_FEAT_TRACING_DATA) : NULL;
    return f && f->intact;
}

/* Of a file that was not finished, the formats of tracepoints never came. */
static bool lacks_formats(const struct run *run)
{
    bool asked = false;
    for (size_t i = 0; i < pd_reader_n_attrs(run->in.reader); i++)
        asked |= pd_reader_attr(run->in.reader, i)->attr.type == PD_TYPE_TRACEPOINT;
    return asked && pd_reader_info(run->in.reader)->container != PD_CONTAINER_PIPE &&
           !has_formats(run->in.reader) && !has_formats(run->options.like);
}

/* False: a file of the directory is not there, or cannot be read. */
static bool is_whole(const struct run *run)
{
    bool whole = true;
    for (size_t i = 0; i < pd_reader_n_members(run->in.reader); i++)
        whole = whole && !pd_reader_member(run->in.reader, i)->unreadable;
    return whole;
}

static void tell_kept(struct run *run)
{
    const struct pd_repair_stats *s = &run->stats;
    if (lacks_formats(run))
        cli_say(run->cli,
                "%s: the formats of its tracepoints are gone, without which perf does not open it; --like "
                "OTHER takes those of a "
                "recording of the same events",
                run->in.name);
    if (s->orphans && !run->headless)
        cli_say(run->cli, "%s: records are of events that its attrs do not have, which may be damaged%s",
                run->in.name,
                run->like_path ? "" : "; --like OTHER takes those of a recording of the same events");
    if (s->mended)
        cli_fail(run->cli, CLI_DAMAGED,
                 "%s: %" PRIu64 " MMAP2 said they had a build id, of impossible size; now they do not",
                 run->in.name, s->mended);
    if (s->unknown)
        cli_say(run->cli,
                "kept %" PRIu64
                " records of types that are not known: a perf that does not know them stops there; "
                "--drop-unknown leaves them out",
                s->unknown);
    if (s->lost)
        cli_say(run->cli,
                "kept %" PRIu64 " samples and %" PRIu64 " other records; lost %" PRIu64 " bytes in %" PRIu64
                " place%s",
                s->samples, s->others, s->lost, s->ranges, s->ranges == 1 ? "" : "s");
    else
        cli_say(run->cli, "kept %s%" PRIu64 " samples and %" PRIu64 " other records",
                is_whole(run) ? "all " : "", s->samples, s->others);
}

static void choose_container(struct run *run)
{
    run->w.to = cli_container(run->cli, run->in.reader, PD_CONVERT_SAME);
    run->w.alone = run->w.to != PD_CONVERT_DIRECTORY;
    if (run->w.alone)
        return;
    run->options.open_member = cli_open_member;
    run->options.close_member = cli_close_member;
}

static void run_repair(struct run *run)
{
    struct cli *cli = run->cli;
    if (cli->output == NULL && !run->report) {
        cli_fail(cli, CLI_USAGE, "where to? -o FILE, or --report to be told only");
        return;
    }
    if (cli->output && cli_is_stdout(cli->output) && (run->report || cli->json)) {
        cli_fail(cli, CLI_USAGE, "the report and the recording cannot both go to standard output");
        return;
    }
    if (open_input(run) && check_like(run)) {
        if (cli->output == NULL) {
            if (repair(run))
                tell_kept(run);
        } else {
            choose_container(run);
            if (cli_write_recording(&run->w, repair, NULL))
                tell_kept(run);
        }
    }
    cli_input_close(&run->in);
    cli_input_close(&run->like);
}

int cmd_repair(struct cli *cli, int argc, char **argv)
{
    struct run run = {
        .w = {.cli = cli, .in = &run.in, .n_in = 1}, .cli = cli, .in = {.fd = -1}, .like = {.fd = -1}};
    int key;
    cli->spec = &spec;
    while ((key = cli_next_option(cli, argc, argv)) != CLI_END) {
        switch (key) {
        case KEY_TAIL: run.options.keep_tail = true; break;
        case KEY_DROP: run.options.drop_unknown = true; break;
        case KEY_LIKE: run.like_path = cli->arg; break;
        case KEY_REPORT: run.report = true; break;
        default: return cli->status;
        }
    }
    run_repair(&run);
    return cli->status;
}
