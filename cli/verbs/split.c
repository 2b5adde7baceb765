/* SPDX-License-Identifier: MIT */
/* split.c - `perfdata split`: a recording in pieces. */
#define _GNU_SOURCE
#include "cli/lib/writing.h"
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <perfdata/ops/split.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MOST_DIGITS 20

enum { KEY_CHUNKS = CLI_LONG, KEY_SIZE, KEY_TIME, KEY_BY, KEY_MAX_COPIED };

/* clang-format off */
static const struct cli_option options[] = {
    {"chunks", KEY_CHUNKS, "N", "N pieces, one after the other in time, with about as much of the samples "
                                "each"},
    {"size", KEY_SIZE, "SIZE", "pieces of at most this many bytes, likewise: 65536, 100M, 1G"},
    {"time", KEY_TIME, "TIME", "pieces of this time, likewise, counted from the first sample: 30s, 500ms, "
                               "2m"},
    {"by", KEY_BY, "cpu|pid|event|cgroup", "a piece for each cpu, pid, event or cgroup that has samples"},
    {"max-copied", KEY_MAX_COPIED, "SIZE", "stop where pieces repeat more of the input than this (64M and 64 "
                                           "times its size)"},
    CLI_COMPRESSION(CLI_AGAIN),
    {0},
};

static const struct cli_spec spec = {
    .usage = "[OPTION]... -o PATTERN [FILE]",
    .about = "Writes a recording as several, in each of which perf finds all that it needs to show its "
             "samples: events,\n"
             "features, and the names, maps and symbols that there are when the piece begins. PATTERN has a "
             "%d, or %04d, for\n"
             "the number of the piece, from 0 on, or its cpu or pid. Pieces that follow each other in time "
             "give, one\n"
             "behind the other, the samples of the whole in the order of perf script.\n"
             "AUX area traces are refused: they cannot be cut.\n",
    .options = options,
    .common = CLI_IN | CLI_OUT | CLI_JSON,
    .examples = "  perfdata split -i x.data --chunks 4 -o 'part-%04d.data'\n"
                "  perfdata split -i x.data --time 30s -o 'part-%04d.data'\n"
                "  perfdata split -i x.data --by cpu -v -o 'cpu-%d.data'\n",
};
/* clang-format on */

/* "part-%04d.data" taken apart. */
struct pattern {
    char *before, *after;
    int width;
    bool zeros;
};

struct run {
    struct cli_writing w; /* whose directory has the pieces until all are there */
    struct cli *cli;
    struct cli_input in;
    struct pd_pieces_options options;
    struct pattern pattern;
    struct cli_json json;
    bool chosen;  /* how to cut */
    char **names; /* of the pieces */
    size_t written;
};

/* ---- Options */

static bool wrong(struct run *run, const char *option, const char *wanted)
{
    cli_fail(run->cli, CLI_USAGE, "%s: \"%s\" is no %s", option, run->cli->arg, wanted);
    return false;
}

static bool choose(struct run *run, enum pd_pieces_by by)
{
    if (run->chosen) {
        cli_fail(run->cli, CLI_USAGE, "only one of --chunks, --size, --time and --by");
        return false;
    }
    run->chosen = true;
    run->options.by = by;
    return true;
}

static bool take_bytes(struct run *run, const char *option, uint64_t *bytes)
{
    return cli_size(run->cli->arg, bytes) || wrong(run, option, "size like 65536 or 100M");
}

static bool take_size(struct run *run)
{
    return choose(run, PD_PIECES_SIZE) && take_bytes(run, "--size", &run->options.amount);
}

static bool take_time(struct run *run)
{
    uint64_t *amount = &run->options.amount;
    return choose(run, PD_PIECES_TIME) && ((cli_time(run->cli->arg, amount) && *amount) ||
                                           wrong(run, "--time", "time like 30s, 1.5s or 500ms"));
}

static bool take_chunks(struct run *run)
{
    return choose(run, PD_PIECES_COUNT) &&
           ((cli_count(run->cli->arg, &run->options.amount) && run->options.amount) ||
            wrong(run, "--chunks", "number from 1 on"));
}

static bool take_by(struct run *run)
{
    static const char *const names[] = {"cpu", "pid", "event", "cgroup"};
    const int i = CLI_FIND_WORD(run->cli, "--by", run->cli->arg, strlen(run->cli->arg), names);
    return i >= 0 && choose(run, (enum pd_pieces_by)(PD_PIECES_CPU + i));
}

static bool take_option(struct run *run, int key)
{
    switch (key) {
    case KEY_CHUNKS: return take_chunks(run);
    case KEY_SIZE: return take_size(run);
    case KEY_TIME: return take_time(run);
    case KEY_BY: return take_by(run);
    case KEY_MAX_COPIED: return take_bytes(run, "--max-copied", &run->options.max_copied);
    default: return cli_take_compression(run->cli, key, &run->options.zip, &run->options.frame);
    }
}

/* ---- The names */

/* "%d" or "%04d"; "%%" stands for "%". */
static const char *skip_number(const char *p, struct pattern *pattern)
{
    pattern->zeros = *++p == '0';
    while (*p >= '0' && *p <= '9' && pattern->width <= MOST_DIGITS)
        pattern->width = pattern->width * 10 + (*p++ - '0');
    return *p == 'd' && pattern->width <= MOST_DIGITS ? p + 1 : NULL;
}

static bool take_pattern(struct run *run)
{
    const char *text = run->cli->output, *slash = strrchr(text, '/');
    struct pattern *pattern = &run->pattern;
    char *to = pattern->before = cli_calloc(1, strlen(text) + 1);
    pattern->after = cli_calloc(1, strlen(text) + 1);
    unsigned numbers = 0;
    if (to == NULL || pattern->after == NULL) {
        cli_fail(run->cli, CLI_OUTPUT, "%s", strerror(ENOMEM));
        return false;
    }
    for (const char *p = text; p && *p;) {
        if (p[0] == '%' && p[1] != '%') {
            const bool in_name = slash == NULL || p > slash;
            p = in_name && numbers == 0 ? skip_number(p, pattern) : NULL;
            numbers += p ? 1 : 2;
            to = pattern->after;
        } else {
            p += p[0] == '%';
            *to++ = *p++;
        }
    }
    if (numbers == 1)
        return true;
    cli_fail(run->cli, CLI_USAGE,
             "-o %s: the name needs one %%d for the number of the piece, like part-%%04d.data", text);
    return false;
}

/* True if the names of pieces have their number. */
static bool by_number(const struct run *run)
{
    return run->options.by != PD_PIECES_CPU && run->options.by != PD_PIECES_PID;
}

/* By its cpu or pid, "unknown" for one that is not known; else by its number. */
static char *name_of(struct run *run, uint64_t number, uint32_t key)
{
    const struct pattern *p = &run->pattern;
    const int64_t shown = by_number(run) ? (int64_t)number : (int32_t)key;
    char *name = !by_number(run) && key == UINT32_MAX ? cli_format("%sunknown%s", p->before, p->after)
                 : p->zeros ? cli_format("%s%0*" PRId64 "%s", p->before, p->width, shown, p->after)
                            : cli_format("%s%*" PRId64 "%s", p->before, p->width, shown, p->after);
    if (name == NULL)
        cli_fail(run->cli, CLI_OUTPUT, "%s", strerror(ENOMEM));
    return name;
}

/* True if a piece may have this name. */
static bool may_write(struct run *run, const char *name)
{
    struct stat st;
    const int error = lstat(name, &st) < 0 ? errno : 0;
    const char *why = cli_overwrites(run->cli, name, error ? NULL : &st, &run->in, 1);
    if (!why && !error && !S_ISREG(st.st_mode))
        why = "a piece cannot take the place of this";
    if (!why && !error && !run->cli->force)
        why = "the file exists; -f replaces it";
    if (why)
        cli_fail(run->cli, CLI_USAGE, "%s: %s", name, why);
    else if (error && error != ENOENT)
        cli_fail(run->cli, CLI_OUTPUT, "%s: %s", name, strerror(error));
    return !why && (!error || error == ENOENT);
}

/* ---- Pieces */

static bool add_name(struct run *run, char *name)
{
    const size_t n = run->written;
    char **more = n && n & (n - 1) ? run->names : cli_reallocarray(run->names, n ? 2 * n : 1, sizeof *more);
    if (more == NULL) {
        cli_fail(run->cli, CLI_OUTPUT, "%s", strerror(ENOMEM));
        free(name);
        return false;
    }
    run->names = more;
    run->names[run->written++] = name;
    return true;
}

static int open_piece(void *user, const struct pd_piece *piece, struct pd_sink *sink)
{
    struct run *run = user;
    char *name = name_of(run, piece->number, piece->key);
    const mode_t mode = S_ISREG(run->in.st.st_mode) ? run->in.st.st_mode & 0777 : 0600;
    const int error = name && may_write(run, name)
                          ? cli_directory_file(&run->w.dir, cli_last_part(name), mode, sink)
                          : ECANCELED;
    if (error == 0)
        return add_name(run, name) ? 0 : ECANCELED;
    free(name);
    return error;
}

static const char *const kinds[] = {[PD_PIECES_CPU] = "cpu",
                                    [PD_PIECES_PID] = "pid",
                                    [PD_PIECES_EVENT] = "event",
                                    [PD_PIECES_CGROUP] = "cgroup"};

/* What its samples have in common. */
static void print_key(struct run *run, const struct pd_piece *piece, char *text, size_t cap)
{
    if (piece->key == UINT32_MAX)
        snprintf(text, cap, "not known");
    else if (run->options.by == PD_PIECES_EVENT)
        cli_event_name(&run->in, piece->key, text, cap);
    else if (piece->path)
        snprintf(text, cap, "%s", piece->path);
    else if (run->options.by == PD_PIECES_CGROUP)
        snprintf(text, cap, "%" PRIu64, piece->cgroup);
    else
        snprintf(text, cap, "%" PRId32, (int32_t)piece->key);
}

static void tell_json(struct run *run, const struct pd_piece *piece, const char *name, const char *of)
{
    struct cli_json *j = &run->json;
    cli_json_open(j, NULL, '{');
    cli_json_str(j, "file", name);
    if (run->options.by >= PD_PIECES_CPU)
        cli_json_str(j, kinds[run->options.by], of);
    cli_json_count(j, "samples", piece->samples);
    cli_json_count(j, "others", piece->others);
    cli_json_count(j, "carried", piece->carried);
    if (piece->first) {
        cli_json_dec(j, "first", piece->first);
        cli_json_dec(j, "last", piece->last);
    }
    cli_json_close(j, '}');
}

static void tell_piece(struct run *run, const struct pd_piece *piece)
{
    const bool by = run->options.by >= PD_PIECES_CPU, by_event = run->options.by == PD_PIECES_EVENT;
    char of[PATH_MAX] = "";
    char *name = name_of(run, piece->number, piece->key);
    if (by)
        print_key(run, piece, of, sizeof of);
    if (name && run->cli->json)
        tell_json(run, piece, name, of);
    if (name && run->cli->verbose)
        cli_say(run->cli, "%s: %s%s%s%s%" PRIu64 " samples, %" PRIu64 " other records, %" PRIu64 " carried",
                name, by && !by_event ? kinds[run->options.by] : "", by && !by_event ? " " : "", of,
                by ? ", " : "", piece->samples, piece->others, piece->carried);
    free(name);
}

static int close_piece(void *user, const struct pd_piece *piece, struct pd_sink *sink)
{
    struct run *run = user;
    tell_piece(run, piece);
    return cli_directory_close(&run->w.dir, sink);
}

/* Unsupported input is not damage. */
static void report_error(struct run *run, const struct pd_error *error)
{
    struct cli *cli = run->cli;
    const bool aux = error->code == PD_EUNSUP && (error->record_type == PD_RECORD_AUXTRACE_INFO ||
                                                  error->record_type == PD_RECORD_AUXTRACE);
    if (aux || cli_is_unsupported(error))
        cli_fail(
            cli, CLI_USAGE, "%s: %s%s", run->in.name, error->field,
            aux ? "; perfdata filter --exclude-record AUXTRACE_INFO,AUXTRACE,AUX,ITRACE_START leaves them out"
                : "");
    else if (error->code != PD_EOUT)
        cli_input_error(&run->in, error);
    else if (cli->status != CLI_OUTPUT && cli->status != CLI_USAGE &&
             cli->out_error == 0) /* else it is told elsewhere */
        cli_error(cli, cli->output, error);
}

/* Moves the pieces to their names: all, or none. A replaced file does not come back. */
static bool move_all(struct run *run)
{
    size_t moved = 0;
    while (moved < run->written &&
           cli_directory_move(&run->w.dir, cli_last_part(run->names[moved]), run->names[moved]))
        moved++;
    const bool ok = moved == run->written;
    while (!ok && !run->cli->force && moved)
        unlink(run->names[--moved]);
    return ok;
}

/* After checking that all can be moved. */
static bool place(struct run *run)
{
    bool ok = true;
    for (size_t i = 0; ok && i < run->written; i++)
        ok = may_write(run, run->names[i]);
    return ok && move_all(run);
}

static void tell_pieces(struct run *run, const struct pd_pieces_stats *stats)
{
    cli_tell_places(&run->w);
    if (run->options.by == PD_PIECES_COUNT && stats->pieces < run->options.amount)
        cli_say(run->cli,
                "there are no more samples than %" PRIu64 ", so there are fewer pieces than asked for",
                stats->samples);
    if (stats->oversized)
        cli_say(run->cli,
                "%" PRIu64
                " of the pieces are larger, as they must carry names, maps and features of nearly that size",
                stats->oversized);
    cli_say(run->cli,
            "%" PRIu64 " piece%s: %" PRIu64 " samples and %" PRIu64 " other records, and %" PRIu64
            " carried along",
            stats->pieces, stats->pieces == 1 ? "" : "s", stats->samples, stats->others, stats->carried);
}

/* Pieces that may be open at a time: some files are needed besides. */
static size_t find_at_once(void)
{
    struct rlimit files = {.rlim_cur = 0};
    getrlimit(RLIMIT_NOFILE, &files);
    const rlim_t half = files.rlim_cur == RLIM_INFINITY ? PI_LIMIT_PIECES_AT_ONCE : files.rlim_cur / 2;
    return half < 1 ? 1 : half < PI_LIMIT_PIECES_AT_ONCE ? (size_t)half : PI_LIMIT_PIECES_AT_ONCE;
}

_Static_assert(PI_LIMIT_PIECES_AT_ONCE <= PI_LIMIT_DIRECTORY_FILES, "each is a file of a directory");

static void split(struct run *run)
{
    struct pd_pieces_stats stats;
    struct pd_error error;
    run->options.size = sizeof run->options;
    run->options.open = open_piece;
    run->options.close = close_piece;
    run->options.finding = cli_on_finding;
    run->options.progress = cli_on_progress;
    run->options.user = run;
    run->options.at_once = find_at_once();
    const enum pd_code code = pd_pieces(run->in.reader, &run->options, &stats, &error);
    cli_progress_end(run->cli);
    cli_tell_findings(&run->in);
    if (run->cli->json) { /* before the pieces are moved, since a failure to print must prevent that */
        cli_json_close(&run->json, ']');
        pd_out_str(&run->cli->out, "\n");
    }
    if (code)
        report_error(run, &error);
    else if (place(run))
        tell_pieces(run, &stats);
}

static void run_split(struct run *run)
{
    struct cli *cli = run->cli;
    const bool by_event = run->options.by == PD_PIECES_EVENT;
    if (!run->chosen || cli->output == NULL) {
        cli_fail(cli, CLI_USAGE,
                 run->chosen ? "where to? -o 'part-%%04d.data'" : "how? --chunks, --size, --time or --by");
        return;
    }
    if (!take_pattern(run) || !cli_input_open(cli, &run->in, cli->inputs[0], CLI_SEEK | CLI_META))
        return;
    char *first = name_of(run, 0, 0);
    if (first && (!by_number(run) || may_write(run, first)) && (!by_event || cli_learn_names(&run->in)) &&
        cli_directory_stage(cli, &run->w.dir, first)) {
        run->json = (struct cli_json){.out = &cli->out};
        if (cli->json)
            cli_json_open(&run->json, NULL, '[');
        split(run);
        cli_directory_discard(&run->w.dir);
    }
    free(first);
    cli_input_close(&run->in);
}

int cmd_split(struct cli *cli, int argc, char **argv)
{
    struct run run = {.w = {.cli = cli, .in = &run.in, .n_in = 1}, .cli = cli};
    int key;
    cli->spec = &spec;
    bool ok = cli_take_level(cli, argc, argv, &run.options.level);
    while (ok && (key = cli_next_option(cli, argc, argv)) != CLI_END)
        ok = take_option(&run, key);
    if (ok)
        run_split(&run);
    while (run.written)
        free(run.names[--run.written]);
    free(run.names);
    free(run.pattern.before);
    free(run.pattern.after);
    return cli->status;
}
