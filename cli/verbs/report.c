/* SPDX-License-Identifier: MIT */
/* report.c - `perfdata report`: shares of what was counted, by task, file, cpu, cgroup or time. */
#include "cli/lib/cli.h"
#include "cli/lib/files/indexed.h"
#include "cli/lib/selection/selection.h"
#include "cli/lib/symbols/symbol_file.h"
#include "cli/lib/writing.h"
#include "src/support/scale.h"
#include <inttypes.h>
#include <perfdata/constants.h>
#include <perfdata/ops/report.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_LIMIT = CLI_LONG, KEY_BASELINE, KEY_SYMBOLS };

/* clang-format off */
static const struct cli_option options[] = {
    {"sort", 's', "KEYS", "what rows are summed by, of comm,dso,sym,pid,tid,cpu,event,cgroup,time/N (N equal "
                          "parts of\n"
                          "the time); default: comm,dso"},
    {"symbols", KEY_SYMBOLS, "FILE", "functions for the key sym, of `perfdata symbols`; may be repeated"},
    {"limit", KEY_LIMIT, "N", "the first N rows of each event"},
    {"baseline", KEY_BASELINE, "FILE", "a second recording: shares of both and their difference, the "
                                       "greatest first, as\n"
                                       "perf diff has them"},
    CLI_SELECTION,
    CLI_SELECTION_EXCLUDE,
    CLI_SELECTION_MODES,
    {0},
};

static const struct cli_spec spec = {
    .usage = "[OPTION]... [FILE]",
    .about = "Shows where events were counted: the share of each task, file, … in the sum of periods, for\n"
             "one event after the other. Shares are those of perf report --no-children; a sample without a\n"
             "period counts that of its event. Members of a sampled group count their own differences.\n",
    .options = options,
    .common = CLI_IN | CLI_JSON | CLI_COLOR,
    .examples = "  perfdata report x.data                          by task and file\n"
                "  perfdata report -s cgroup --limit 5 x.data\n"
                "  perfdata report -s time/10 --comms make --with-children x.data\n"
                "  perfdata report --baseline old.data x.data\n",
};
/* clang-format on */

#define DIGITS 32

/* A recording and the report on it. */
struct side {
    struct cli_input in;
    bool open;
    uint64_t first, last; /* of its samples, for slices of time */
    struct pd_report *report;
};

struct run {
    struct cli_writing w; /* whose output is not used */
    struct cli *cli;
    struct cli_selection selection;
    struct pd_filter_options selected;
    enum pd_report_key keys[PD_REPORT_MOST_KEYS];
    size_t n_keys;
    uint64_t slices, limit;
    const char *baseline;
    struct side now, before;
    struct cli_symbol_file symbols;
};

/* A row of one or both reports. `text`: its keys as they are shown, each with a NUL behind it. */
struct line {
    char *text;
    size_t n;
    const struct pd_report_row *now, *before;
    double share, share_before;
};

static const char *const key_names[] = {"comm", "dso", "pid", "tid", "cpu", "event", "cgroup", "time", "sym"};
static const char *const key_titles[] = {"Command", "Shared Object", "Pid",  "Tid",   "CPU",
                                         "Event",   "Cgroup",        "Time", "Symbol"};

/* ---- Options */

static bool take_key(struct run *run, const char *word, size_t n)
{
    static const char *const all[] = {"comm", "dso", "sym", "pid", "tid", "cpu", "event", "cgroup", "time/N"};
    enum { N_KEYS = sizeof key_names / sizeof *key_names };
    for (size_t i = 0; i < N_KEYS; i++) {
        const bool is_time = i == PD_KEY_TIME, slices = is_time && strncmp(word, "time/", 5) == 0;
        if (!slices && (is_time || strlen(key_names[i]) != n || memcmp(word, key_names[i], n) != 0))
            continue;
        char number[DIGITS] = "";
        if (slices && n - 5 < sizeof number)
            memcpy(number, word + 5, n - 5);
        if (slices && (!cli_number(number, &run->slices) || run->slices == 0 || run->slices > UINT32_MAX))
            break;
        for (size_t k = 0; k < run->n_keys; k++)
            if (run->keys[k] == i)
                return true;
        if (run->n_keys == PD_REPORT_MOST_KEYS) {
            cli_fail(run->cli, CLI_USAGE, "--sort: more than %d keys", PD_REPORT_MOST_KEYS);
            return false;
        }
        run->keys[run->n_keys++] = (enum pd_report_key)i;
        return true;
    }
    return CLI_NO_WORD(run->cli, "--sort", word, n, all);
}

static bool take_keys(struct run *run)
{
    for (const char *p = run->cli->arg;; p++) {
        const size_t n = strcspn(p, ",");
        if (!take_key(run, p, n))
            return false;
        p += n;
        if (*p == 0)
            return true;
    }
}

static bool take_option(struct run *run, int key)
{
    switch (key) {
    case 's': return take_keys(run);
    case KEY_SYMBOLS: return cli_symbols_read(&run->symbols, run->cli, run->cli->arg);
    case KEY_BASELINE: run->baseline = run->cli->arg; return true;
    case KEY_LIMIT:
        if (cli_count(run->cli->arg, &run->limit) && run->limit)
            return true;
        cli_fail(run->cli, CLI_USAGE, "--limit: \"%s\" is no number from 1 on", run->cli->arg);
        return false;
    case CLI_STOP: return false;
    default: return cli_select(&run->selection, key);
    }
}

/* ---- Reading */

static bool on_symbol(void *user, const char *file, const char *build_id, uint64_t offset,
                      struct pd_symbol *symbol)
{
    struct run *run = user;
    return cli_symbols_find(&run->symbols, file, build_id, offset, symbol);
}

/* Without symbols there are no functions. */
static bool check_keys(struct run *run)
{
    for (size_t i = 0; i < run->n_keys; i++) {
        if (run->keys[i] == PD_KEY_SYM && run->symbols.n_texts == 0) {
            cli_fail(run->cli, CLI_USAGE, "--sort sym needs --symbols FILE, which perfdata symbols makes");
            return false;
        }
    }
    return true;
}

static bool makes_slices(const struct run *run)
{
    for (size_t i = 0; i < run->n_keys; i++)
        if (run->keys[i] == PD_KEY_TIME)
            return true;
    return false;
}

static bool report_on(struct run *run, struct side *side)
{
    struct pd_error error;
    run->w.in = &side->in;
    if (!cli_learn_stream(&side->in) || !cli_learn_names(&side->in) ||
        (makes_slices(run) && !cli_time_span(&side->in, &side->first, &side->last)) ||
        !cli_selection_look_up(&run->selection, &side->in, &run->selected.keep, &run->selected.drop) ||
        !cli_index_select_kept(&side->in, &run->selected.keep))
        return false;
    const struct pd_report_options how = {.size = sizeof how,
                                          .keys = run->keys,
                                          .n_keys = run->n_keys,
                                          .slices = run->slices,
                                          .first = side->first,
                                          .last = side->last,
                                          .selection = &run->selected,
                                          .symbol = on_symbol,
                                          .build_id = cli_on_build_id,
                                          .finding = cli_on_finding,
                                          .progress = cli_on_progress,
                                          .user = run};
    const enum pd_code code = pd_report_new(&side->report, side->in.reader, &how, &error);
    cli_progress_end(run->cli);
    if (code) {
        cli_input_error(&side->in, &error);
        return false;
    }
    cli_tell_findings(&side->in);
    return true;
}

static bool read_side(struct run *run, struct side *side, const char *path)
{
    side->open = cli_input_open(run->cli, &side->in, path, CLI_SEEK | CLI_META);
    return side->open && report_on(run, side);
}

static void close_side(struct side *side)
{
    pd_report_free(side->report);
    if (side->open)
        cli_input_close(&side->in);
}

/* ---- Rows as text */

/* The moment at which a slice begins, which is the end of the slice before. */
static uint64_t begin_of_slice(const struct run *run, const struct side *side, uint64_t slice)
{
    bool exact;
    const uint64_t after = pi_scale(side->last - side->first, slice, run->slices, &exact);
    return side->first + after + !exact;
}

static void put_slice(const struct run *run, const struct side *side, uint64_t slice, struct pd_out *out)
{
    if (slice == UINT64_MAX) {
        pd_out_str(out, "[unknown]");
        return;
    }
    const uint64_t from = begin_of_slice(run, side, slice);
    uint64_t to = begin_of_slice(run, side, slice + 1);
    to -= slice + 1 < run->slices && to > from;
    cli_print_to(out, "%" PRIu64 ".%09" PRIu64 ",%" PRIu64 ".%09" PRIu64, from / 1000000000,
                 from % 1000000000, to / 1000000000, to % 1000000000);
}

static void put_event(struct side *side, uint64_t attr, struct pd_out *out)
{
    char name[PI_LIMIT_NAME_SHOWN + 1] = "[unknown]";
    if (attr < pd_reader_n_attrs(side->in.reader))
        cli_event_name(&side->in, (uint32_t)attr, name, sizeof name);
    pd_out_str(out, name);
}

static void put_value(const struct run *run, struct side *side, enum pd_report_key key, uint64_t value,
                      struct pd_out *out)
{
    const char *text = pd_report_text(side->report, key, value);
    if (text)
        pd_out_str(out, text);
    else if (key == PD_KEY_EVENT)
        put_event(side, value, out);
    else if (key == PD_KEY_TIME && run->baseline)
        cli_print_to(out, "%" PRIu64 "/%" PRIu64, value + 1, run->slices);
    else if (key == PD_KEY_TIME)
        put_slice(run, side, value, out);
    else
        cli_print_to(out, "%" PRId32, (int32_t)value);
}

/* Copies the keys of a row, as text. */
static bool make_text(struct run *run, struct side *side, const struct pd_report_row *row, struct line *line)
{
    char buf[PD_REPORT_MOST_KEYS * (PI_LIMIT_NAME_SHOWN + UINT16_MAX)];
    struct pd_out out = {.buf = buf, .cap = sizeof buf};
    for (size_t i = 0; i < run->n_keys; i++) {
        put_value(run, side, run->keys[i], row->values[i], &out);
        pd_out_bytes(&out, "", 1);
    }
    line->n = out.n;
    line->text = cli_malloc(out.n + 1);
    if (line->text)
        memcpy(line->text, buf, out.n);
    return line->text || cli_no_memory(run->cli);
}

static int compare_texts(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    const int order = memcmp(x->text, y->text, x->n < y->n ? x->n : y->n);
    return order ? order : (x->n > y->n) - (x->n < y->n);
}

static double share_of(const struct pd_report_row *row, const struct pd_report_event *event)
{
    return row && event && event->period ? (double)row->period / (double)event->period : 0;
}

static int compare_changes(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    const double u = x->share - x->share_before, v = y->share - y->share_before;
    const double s = u < 0 ? -u : u, t = v < 0 ? -v : v;
    return s != t ? (s < t) - (s > t) : compare_texts(a, b);
}

/* Unites lines with the same keys. Returns how many are left. */
static size_t join_lines(struct line *lines, size_t n)
{
    size_t kept = 0;
    qsort(lines, n, sizeof *lines, compare_texts);
    for (size_t i = 0; i < n; i++) {
        if (kept && compare_texts(&lines[kept - 1], &lines[i]) == 0) {
            struct line *into = &lines[kept - 1];
            into->now = into->now ? into->now : lines[i].now;
            into->before = into->before ? into->before : lines[i].before;
            free(lines[i].text);
            continue;
        }
        lines[kept++] = lines[i];
    }
    return kept;
}

/* Makes the lines of an event; either of its sides may be NULL. NULL: no memory, which is printed. */
static struct line *make_lines(struct run *run, const struct pd_report_event *now,
                               const struct pd_report_event *before, size_t *n)
{
    const size_t n_now = now ? now->n_rows : 0, n_before = before ? before->n_rows : 0;
    struct line *lines = cli_calloc(n_now + n_before + 1, sizeof *lines);
    bool ok = true;
    *n = 0;
    if (lines == NULL) {
        cli_no_memory(run->cli);
        return NULL;
    }
    for (size_t i = 0; ok && i < n_now; i++, ++*n)
        ok = make_text(run, &run->now, lines[*n].now = &now->rows[i], &lines[*n]);
    for (size_t i = 0; ok && i < n_before; i++, ++*n)
        ok = make_text(run, &run->before, lines[*n].before = &before->rows[i], &lines[*n]);
    if (run->baseline && ok)
        *n = join_lines(lines, *n);
    for (size_t i = 0; ok && i < *n; i++) {
        lines[i].share = share_of(lines[i].now, now);
        lines[i].share_before = share_of(lines[i].before, before);
    }
    if (run->baseline && ok)
        qsort(lines, *n, sizeof *lines, compare_changes);
    if (ok)
        return lines;
    for (size_t i = 0; i < *n; i++)
        free(lines[i].text);
    free(lines);
    return NULL;
}

/* ---- Output */

static size_t most_rows(const struct run *run, size_t n)
{
    return run->limit && run->limit < n ? (size_t)run->limit : n;
}

/* The columns that a text takes on a terminal, about: counts bytes that begin a character. */
static size_t width_of(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static void print_column(struct cli *cli, const char *text, size_t width, bool last)
{
    pd_out_visible(&cli->out, text, strlen(text));
    for (size_t n = width_of(text); !last && n < width + 2; n++)
        pd_out_str(&cli->out, " ");
}

/* An eighth of a column is the smallest part. */
static void print_bar(struct cli *cli, double share)
{
    static const char *const parts[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    enum { COLUMNS = 20, EIGHTHS = 8 };
    const unsigned n = (unsigned)(share * (double)(COLUMNS * EIGHTHS) + 0.5);
    for (unsigned i = 0; i < COLUMNS; i++) {
        const unsigned here = n > i * EIGHTHS ? n - i * EIGHTHS : 0;
        pd_out_str(&cli->out, here >= EIGHTHS ? "█" : parts[here]);
    }
    pd_out_str(&cli->out, "  ");
}

static void print_line(struct run *run, const struct line *line, const size_t *widths)
{
    struct cli *cli = run->cli;
    if (run->baseline) {
        if (line->before)
            cli_print(cli, "%8.2f%%", 100 * line->share_before);
        else
            cli_print(cli, "%9s", "");
        cli_print(cli, "  %+8.2f%%", 100 * (line->share - line->share_before));
    } else {
        cli_print(cli, "%8.2f%%  %9" PRIu64, 100 * line->share, line->now->samples);
    }
    pd_out_str(&cli->out, "  ");
    if (cli->color && !run->baseline)
        print_bar(cli, line->share);
    const char *text = line->text;
    for (size_t i = 0; i < run->n_keys; i++, text += strlen(text) + 1)
        print_column(cli, text, widths[i], i + 1 == run->n_keys);
    pd_out_str(&cli->out, "\n");
}

static void print_titles(struct run *run, const size_t *widths)
{
    struct cli *cli = run->cli;
    cli_print(cli, run->baseline ? "#Baseline     Delta  " : "#   Share    Samples  ");
    if (cli->color && !run->baseline)
        cli_print(cli, "%22s", "");
    for (size_t i = 0; i < run->n_keys; i++)
        print_column(cli, key_titles[run->keys[i]], widths[i], i + 1 == run->n_keys);
    pd_out_str(&cli->out, "\n");
}

static void print_table(struct run *run, const char *name, const struct pd_report_event *now,
                        const struct line *lines, size_t n, bool first)
{
    struct cli *cli = run->cli;
    size_t widths[PD_REPORT_MOST_KEYS];
    for (size_t i = 0; i < run->n_keys; i++)
        widths[i] = strlen(key_titles[run->keys[i]]);
    for (size_t k = 0; k < n; k++) {
        const char *text = lines[k].text;
        for (size_t i = 0; i < run->n_keys; i++, text += strlen(text) + 1)
            widths[i] = width_of(text) > widths[i] ? width_of(text) : widths[i];
    }
    cli_print(cli, "%s# ", first ? "" : "\n");
    pd_out_visible(&cli->out, name, strlen(name));
    cli_print(cli, ": %" PRIu64 " samples, period %" PRIu64 "\n", now ? now->samples : 0,
              now ? now->period : 0);
    print_titles(run, widths);
    for (size_t k = 0; k < n; k++)
        print_line(run, &lines[k], widths);
}

static void put_json_side(struct cli_json *j, const struct pd_report_row *row, double share)
{
    char text[DIGITS];
    cli_json_count(j, "samples", row ? row->samples : 0);
    cli_json_dec(j, "period", row ? row->period : 0);
    snprintf(text, sizeof text, "%.17g", share);
    cli_json_key(j, "share");
    pd_out_str(j->out, text);
}

static void put_json_row(struct run *run, struct cli_json *j, const struct line *line)
{
    const char *text = line->text;
    cli_json_open(j, NULL, '{');
    cli_json_open(j, "keys", '{');
    for (size_t i = 0; i < run->n_keys; i++, text += strlen(text) + 1)
        cli_json_str(j, key_names[run->keys[i]], text);
    cli_json_close(j, '}');
    put_json_side(j, line->now, line->share);
    if (run->baseline) {
        cli_json_open(j, "baseline", '{');
        put_json_side(j, line->before, line->share_before);
        cli_json_close(j, '}');
    }
    cli_json_close(j, '}');
}

static void put_json_event(struct run *run, struct cli_json *j, const char *name,
                           const struct pd_report_event *now, const struct line *lines, size_t n)
{
    cli_json_open(j, NULL, '{');
    cli_json_str(j, "name", name);
    cli_json_count(j, "samples", now ? now->samples : 0);
    cli_json_dec(j, "period", now ? now->period : 0);
    cli_json_open(j, "rows", '[');
    for (size_t i = 0; i < n; i++)
        put_json_row(run, j, &lines[i]);
    cli_json_close(j, ']');
    cli_json_close(j, '}');
}

/* ---- Events of both sides */

static void name_event(struct side *side, const struct pd_report_event *e, char name[PI_LIMIT_NAME_SHOWN + 1])
{
    struct pd_out out = {.buf = name, .cap = PI_LIMIT_NAME_SHOWN};
    put_event(side, e->attr_index, &out);
    name[out.n] = 0;
}

/* The first event with that name; NULL: none. */
static const struct pd_report_event *find_event(struct side *side, const char *wanted)
{
    char name[PI_LIMIT_NAME_SHOWN + 1];
    for (size_t i = 0; side->report && i < pd_report_n_events(side->report); i++) {
        name_event(side, pd_report_get_event(side->report, i), name);
        if (strcmp(name, wanted) == 0)
            return pd_report_get_event(side->report, i);
    }
    return NULL;
}

static bool put_event_rows(struct run *run, struct cli_json *j, const char *name,
                           const struct pd_report_event *now, const struct pd_report_event *before,
                           bool first)
{
    size_t n;
    struct line *lines = make_lines(run, now, before, &n);
    if (lines == NULL)
        return false;
    if (run->cli->json)
        put_json_event(run, j, name, now, lines, most_rows(run, n));
    else
        print_table(run, name, now, lines, most_rows(run, n), first);
    for (size_t i = 0; i < n; i++)
        free(lines[i].text);
    free(lines);
    return true;
}

static void put_report(struct run *run)
{
    struct cli_json j = {.out = &run->cli->out};
    char name[PI_LIMIT_NAME_SHOWN + 1];
    bool ok = true, first = true;
    if (run->cli->json) {
        cli_json_open(&j, NULL, '{');
        cli_json_open(&j, "events", '[');
    }
    for (size_t i = 0; ok && i < pd_report_n_events(run->now.report); i++, first = false) {
        const struct pd_report_event *e = pd_report_get_event(run->now.report, i);
        name_event(&run->now, e, name);
        ok = put_event_rows(run, &j, name, e, find_event(&run->before, name), first);
    }
    for (size_t i = 0; ok && run->before.report && i < pd_report_n_events(run->before.report); i++) {
        const struct pd_report_event *e = pd_report_get_event(run->before.report, i);
        name_event(&run->before, e, name);
        if (find_event(&run->now, name))
            continue;
        ok = put_event_rows(run, &j, name, NULL, e, first);
        first = false;
    }
    if (run->cli->json) {
        cli_json_close(&j, ']');
        cli_json_close(&j, '}');
        pd_out_str(&run->cli->out, "\n");
    } else if (first) {
        cli_say(run->cli, "no samples");
    }
}

int cmd_report(struct cli *cli, int argc, char **argv)
{
    struct run run = {.w.cli = cli, .cli = cli, .selection.cli = cli};
    int key;
    bool ok = true;
    cli->spec = &spec;
    while (ok && (key = cli_next_option(cli, argc, argv)) != CLI_END)
        ok = take_option(&run, key);
    if (run.n_keys == 0) {
        run.keys[run.n_keys++] = PD_KEY_COMM;
        run.keys[run.n_keys++] = PD_KEY_DSO;
    }
    cli_selection_use(&run.selection, &run.selected);
    run.selection.several = run.baseline;
    if (ok && check_keys(&run) && cli_selection_agrees(&run.selection) &&
        read_side(&run, &run.now, cli->inputs[0]) &&
        (!run.baseline || read_side(&run, &run.before, run.baseline)) && cli_selection_found(&run.selection))
        put_report(&run);
    cli_tell_unmatched(&run.selection);
    close_side(&run.before);
    close_side(&run.now);
    cli_selection_free(&run.selection);
    cli_symbols_free(&run.symbols);
    return cli->status;
}
