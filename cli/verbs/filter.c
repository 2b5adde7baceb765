/* SPDX-License-Identifier: MIT */
/* filter.c - `perfdata filter`: the selected records, and the records that they need, as a new recording. */
#define _GNU_SOURCE
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

/* Keys of the options that have no letter. An option and its --exclude-… differ by EXCLUDE. */
enum {
    EXCLUDE = 4096,
    KEY_PID = CLI_LONG,
    KEY_TID,
    KEY_TIME,
    KEY_USER,
    KEY_KERNEL,
    KEY_SIDEBAND,
    KEY_EVERY,
    KEY_LIMIT
};

/* clang-format off */
static const struct cli_option options[] = {
    {"pid", KEY_PID, "LIST", "samples of these processes"},
    {"tid", KEY_TID, "LIST", "samples of these threads"},
    {"comms", 'c', "LIST", "samples of tasks that have one of these names at the time; file://PATH stands "
                           "for the\n"
                           "lines of a file"},
    {"cpu", 'C', "LIST", "samples of these cpus: 0,2-5"},
    {"event", 'e', "LIST", "samples of these events: cycles,page-faults:u; modifiers must agree if they are "
                           "given"},
    {"time", KEY_TIME, "START,STOP", "samples of a time: seconds, either may be missing, several separated "
                                     "by spaces; or\n"
                                     "a part of the recording: 10%/2 (the second tenth), 0%-10%,30%-40%"},
    {"dsos", 'd', "LIST", "samples whose address is mapped from one of these files: names as perf report "
                          "shows them, or\n"
                          "paths; [kernel.kallsyms], [module], [vdso], [unknown]; file://PATH as above"},
    {"record", 'r', "LIST", "records of these types: SAMPLE,SWITCH; types that the side-band leaves out are "
                            "added"},
    {"exclude-pid", KEY_PID + EXCLUDE, "LIST", "no samples of these, likewise:"},
    {"exclude-tid", KEY_TID + EXCLUDE, "LIST", ""},
    {"exclude-comms", 'c' + EXCLUDE, "LIST", ""},
    {"exclude-cpu", 'C' + EXCLUDE, "LIST", ""},
    {"exclude-event", 'e' + EXCLUDE, "LIST", ""},
    {"exclude-time", KEY_TIME + EXCLUDE, "RANGES", ""},
    {"exclude-dsos", 'd' + EXCLUDE, "LIST", ""},
    {"exclude-record", 'r' + EXCLUDE, "LIST", "no records of these types at all"},
    {"all-user", KEY_USER, NULL, "no samples in kernel mode"},
    {"all-kernel", KEY_KERNEL, NULL, "no samples in user mode"},
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

/* Growing arrays for the lists of options. */
struct lists {
    uint32_t *pids, *tids, *types, *events;
    const char **comms, **dsos;
    struct pd_cpu_range *cpus;
    struct pd_time_range *times;
    const char **event_names, **time_texts; /* looked up when the file is open */
    size_t n_pids, n_tids, n_types, n_events, n_comms, n_dsos, n_cpus, n_times, n_event_names, n_time_texts;
};

struct run {
    struct cli_writing w;
    struct cli *cli;
    struct cli_input in;
    struct lists keep, drop;
    struct pd_filter_options options;
    struct pd_filter_stats stats;
    char **owned; /* texts of lists, modified by splitting */
    size_t n_owned;
};

/* ---- Lists */

static bool no_memory(struct cli *cli)
{
    cli_fail(cli, CLI_OUTPUT, "no memory for the lists");
    return false;
}

/* Makes room for one more element of an array that has n; its size is always a power of two. */
static bool grow(struct cli *cli, void **array, size_t n, size_t size)
{
    if (*array && (n & (n - 1)))
        return true;
    void *p = cli_reallocarray(*array, n ? 2 * n : 1, size);
    if (p == NULL)
        return no_memory(cli);
    *array = p;
    return true;
}

#define ADD(run_, array_, n_, value_) \
    (grow((run_)->cli, (void **)&(array_), (n_), sizeof *(array_)) && ((array_)[(n_)++] = (value_), true))

/* A copy of the text that lives as long as the run. */
static char *own(struct run *run, const char *text)
{
    char *copy = cli_strdup(text);
    if (copy == NULL || !ADD(run, run->owned, run->n_owned, copy)) {
        free(copy);
        no_memory(run->cli);
        return NULL;
    }
    return copy;
}

/* The next element of a list, cut off; NULL: no more. Commas between the slashes of events do not count. */
static char *next_word(char **list, bool events)
{
    char *word = *list;
    bool inside = false;
    if (word == NULL)
        return NULL;
    for (char *p = word;; p++) {
        inside ^= events && *p == '/';
        if (*p && (*p != ',' || (inside && strchr(p, '/'))))
            continue;
        *list = *p ? p + 1 : NULL;
        *p = 0;
        return word;
    }
}

static bool add_id(struct run *run, const char *option, const char *word, uint32_t **ids, size_t *n)
{
    const bool negative = *word == '-';
    uint64_t value;
    if (!cli_number(word + negative, &value) || value > (negative ? (uint64_t)INT32_MAX + 1 : UINT32_MAX)) {
        cli_fail(run->cli, CLI_USAGE, "%s: \"%s\" is no number", option, word);
        return false;
    }
    return ADD(run, *ids, *n, (uint32_t)(negative ? -(int64_t)value : (int64_t)value));
}

static bool add_cpus(struct run *run, const char *option, char *word, struct lists *l)
{
    char *dash = strchr(word, '-');
    uint64_t first, last;
    if (dash)
        *dash = 0;
    bool ok = cli_number(word, &first) && first < UINT32_MAX;
    last = first;
    ok = ok && (!dash || (cli_number(dash + 1, &last) && last >= first && last < UINT32_MAX));
    if (dash)
        *dash = '-';
    if (!ok) {
        cli_fail(run->cli, CLI_USAGE, "%s: \"%s\" is no cpu or range of cpus", option, word);
        return false;
    }
    return ADD(run, l->cpus, l->n_cpus, ((struct pd_cpu_range){(uint32_t)first, (uint32_t)last}));
}

static bool add_type(struct run *run, const char *option, const char *word, struct lists *l)
{
    uint64_t type;
    if (!*word || !pd_set_parse(&pd_set_record_type, word, strlen(word), &type) || type > UINT32_MAX) {
        cli_fail(run->cli, CLI_USAGE, "%s: there is no record type \"%s\"", option, word);
        return false;
    }
    return ADD(run, l->types, l->n_types, (uint32_t)type);
}

/* A name, or the names in the lines of a file, as perf has it. */
static bool add_name(struct run *run, const char *option, const char *word, const char ***names, size_t *n)
{
    static const char file[] = "file://";
    char *line = NULL;
    size_t cap = 0;
    bool ok = true;
    if (strncmp(word, file, sizeof file - 1) != 0)
        return ADD(run, *names, *n, word);
    FILE *f = cli_open_named(run->cli, word + sizeof file - 1);
    if (f == NULL) {
        cli_fail(run->cli, cli_open_status(errno), "%s: %s: %s", option, word + sizeof file - 1,
                 strerror(errno));
        return false;
    }
    while (ok && getline(&line, &cap, f) > 0) {
        line[strcspn(line, "\n")] = 0;
        const char *name = own(run, line);
        ok = name && ADD(run, *names, *n, name);
    }
    if (ok && !feof(f)) {
        cli_fail(run->cli, cli_open_status(errno), "%s: %s: %s", option, word + sizeof file - 1,
                 strerror(errno));
        ok = false;
    }
    free(line);
    fclose(f);
    return ok;
}

static bool add_word(struct run *run, int what, const char *option, char *word, struct lists *l)
{
    switch (what) {
    case KEY_PID: return add_id(run, option, word, &l->pids, &l->n_pids);
    case KEY_TID: return add_id(run, option, word, &l->tids, &l->n_tids);
    case 'C': return add_cpus(run, option, word, l);
    case 'c': return add_name(run, option, word, &l->comms, &l->n_comms);
    case 'd': return add_name(run, option, word, &l->dsos, &l->n_dsos);
    case 'r': return add_type(run, option, word, l);
    default: return ADD(run, l->event_names, l->n_event_names, word);
    }
}

static const char *option_name(int key)
{
    for (size_t i = 0; options[i].key; i++)
        if (options[i].key == key)
            return options[i].name;
    return "";
}

static bool take_list(struct run *run, int key)
{
    char name[32];
    char *rest = own(run, run->cli->arg), *word;
    const bool exclude = key >= EXCLUDE;
    struct lists *l = exclude ? &run->drop : &run->keep;
    const int what = exclude ? key - EXCLUDE : key;
    bool ok = rest != NULL;
    snprintf(name, sizeof name, "--%s", option_name(key));
    if (what == KEY_TIME)
        return ok && ADD(run, l->time_texts, l->n_time_texts, rest);
    while (ok && (word = next_word(&rest, what == 'e')))
        ok = add_word(run, what, name, word, l);
    return ok;
}

/* ---- Other options */

static bool take_count(struct run *run, int key, uint64_t *value)
{
    if (cli_number(run->cli->arg, value) && *value)
        return true;
    cli_fail(run->cli, CLI_USAGE, "--%s: \"%s\" is no number from 1 on", option_name(key), run->cli->arg);
    return false;
}

static bool take_sideband(struct run *run)
{
    static const char *const names[] = {"needed", "all", "none"};
    for (size_t i = 0; i < 3; i++) {
        if (strcmp(run->cli->arg, names[i]) == 0) {
            run->options.sideband = (enum pd_sideband)i;
            return true;
        }
    }
    cli_fail(run->cli, CLI_USAGE, "--sideband is needed, all or none, not \"%s\"", run->cli->arg);
    return false;
}

static bool take_option(struct run *run, int key)
{
    switch (key) {
    case KEY_USER: run->options.all_user = true; return true;
    case KEY_KERNEL: run->options.all_kernel = true; return true;
    case KEY_SIDEBAND: return take_sideband(run);
    case KEY_EVERY: return take_count(run, key, &run->options.every);
    case KEY_LIMIT: return take_count(run, key, &run->options.limit);
    case CLI_TO:
    case 'z':
    case CLI_COMPRESSED2:
    case CLI_DECOMPRESS: return cli_take_writing(&run->w, key, &run->options.zip);
    case CLI_STOP: return false;
    default: return take_list(run, key);
    }
}

/* ---- Events */

/* Splits "cycles:uk" or "pmu4/config=1/p" into name and modifiers. */
static size_t split_modifiers(const char *text, const char **modifiers)
{
    const size_t n = strlen(text);
    size_t name = n;
    while (name && strchr("ukhGHpPSDWIeb", text[name - 1]))
        name--;
    *modifiers = text + n;
    if (name == n || name == 0 || (text[name - 1] != ':' && text[name - 1] != '/'))
        return n;
    *modifiers = text + name;
    return text[name - 1] == ':' ? name - 1 : name;
}

/* True if the modifiers agree with the attr. Modifiers that do not concern the counted events are ignored. */
static bool modifiers_agree(const char *m, const struct pd_attr *attr)
{
    const bool user = strchr(m, 'u'), kernel = strchr(m, 'k'), hv = strchr(m, 'h');
    const bool guest = strchr(m, 'G'), host = strchr(m, 'H');
    unsigned precise = 0;
    for (const char *p = m; *p; p++)
        precise += *p == 'p';
    if ((user || kernel || hv) && (user == pd_attr_flag(attr, PD_ATTR_EXCLUDE_USER) ||
                                   kernel == pd_attr_flag(attr, PD_ATTR_EXCLUDE_KERNEL) ||
                                   hv == pd_attr_flag(attr, PD_ATTR_EXCLUDE_HV)))
        return false;
    if (guest != host && (guest == pd_attr_flag(attr, PD_ATTR_EXCLUDE_GUEST) ||
                          host == pd_attr_flag(attr, PD_ATTR_EXCLUDE_HOST)))
        return false;
    return precise == 0 || precise == pd_attr_flag(attr, PD_ATTR_PRECISE_IP);
}

/* On hybrid machines a plain name stands for the event on any PMU. */
static bool same_event(const struct pd_event *wanted, const struct pd_event *event)
{
    struct pd_typed_event a, b;
    pd_event_classify(wanted, &a);
    pd_event_classify(event, &b);
    if (a.kind == PD_EVENT_HARDWARE && b.kind == a.kind && a.u.hardware.pmu_type == 0)
        b.u.hardware.pmu_type = 0;
    if (a.kind == PD_EVENT_CACHE && b.kind == a.kind && a.u.cache.pmu_type == 0)
        b.u.cache.pmu_type = 0;
    struct pd_event x, y;
    pd_event_build(&a, &x);
    pd_event_build(&b, &y);
    return x.type == y.type && x.config == y.config && x.bp_addr == y.bp_addr && x.bp_type == y.bp_type &&
           x.bp_len == y.bp_len;
}

static bool is_event(struct run *run, const char *text, uint32_t i)
{
    const struct pd_attr *attr = &pd_reader_attr(run->in.reader, i)->attr;
    const struct pd_event event = {attr->type, attr->config, attr->bp_addr, attr->bp_type, attr->bp_len};
    struct pd_event wanted;
    const char *modifiers;
    char shown[256];
    const char *name = run->in.meta ? pd_metadata_event_name(run->in.meta, run->in.reader, i) : NULL;
    if (name == NULL) {
        cli_event_name(&run->in, i, shown, sizeof shown);
        name = shown;
    }
    if (strcmp(text, name) == 0 || (strpbrk(text, "*?[") && fnmatch(text, name, 0) == 0))
        return true;
    if (pd_event_parse(text, strlen(text), &wanted))
        return same_event(&wanted, &event);
    const size_t n = split_modifiers(text, &modifiers);
    return *modifiers && pd_event_parse(text, n, &wanted) && same_event(&wanted, &event) &&
           modifiers_agree(modifiers, attr);
}

static bool no_such_event(struct run *run, const char *text)
{
    char all[512] = "", name[256];
    const size_t n = pd_reader_n_attrs(run->in.reader);
    for (size_t i = 0; i < n; i++) {
        cli_event_name(&run->in, (uint32_t)i, name, sizeof name);
        if (strlen(all) + strlen(name) + 8 > sizeof all) {
            strcat(all, ", …");
            break;
        }
        strcat(all, i ? ", " : "");
        strcat(all, name);
    }
    cli_fail(run->cli, CLI_USAGE, "%s: there is no event \"%s\", but %s", run->in.name, text,
             n ? all : "none at all");
    return false;
}

static bool find_events(struct run *run, struct lists *l)
{
    for (size_t i = 0; i < l->n_event_names; i++) {
        const size_t before = l->n_events;
        for (uint32_t k = 0; k < pd_reader_n_attrs(run->in.reader); k++)
            if (is_event(run, l->event_names[i], k) && !ADD(run, l->events, l->n_events, k))
                return false;
        if (l->n_events == before)
            return no_such_event(run, l->event_names[i]);
    }
    return true;
}

/* ---- Times */

static bool find_times(struct run *run, struct lists *l)
{
    for (size_t i = 0; i < l->n_time_texts; i++) {
        const char *text = l->time_texts[i];
        uint64_t first = 0, last = 0;
        size_t n = 0;
        struct pd_time_range *ranges = cli_calloc(pd_time_count(text), sizeof *ranges);
        bool ok = ranges || no_memory(run->cli);
        if (ok && pd_time_is_relative(text) && !cli_time_span(&run->in, &first, &last)) {
            ok = false;
        } else if (ok && !pd_time_parse(text, first, last, ranges, &n)) {
            cli_fail(run->cli, CLI_USAGE,
                     "\"%s\" is no time: START,STOP in ascending seconds, or 10%%/2, or 0%%-10%%", text);
            ok = false;
        }
        for (size_t k = 0; ok && k < n; k++)
            ok = ADD(run, l->times, l->n_times, ranges[k]);
        free(ranges);
        if (!ok)
            return false;
    }
    return true;
}

/* ---- The lists in their final form */

static struct pd_filter_lists lists_of(const struct lists *l)
{
    return (struct pd_filter_lists){.pids = l->pids,
                                    .n_pids = l->n_pids,
                                    .tids = l->tids,
                                    .n_tids = l->n_tids,
                                    .comms = l->comms,
                                    .n_comms = l->n_comms,
                                    .dsos = l->dsos,
                                    .n_dsos = l->n_dsos,
                                    .cpus = l->cpus,
                                    .n_cpus = l->n_cpus,
                                    .events = l->events,
                                    .n_events = l->n_events,
                                    .times = l->times,
                                    .n_times = l->n_times,
                                    .types = l->types,
                                    .n_types = l->n_types};
}

/* Samples without a cpu: keeping all would be as wrong as keeping none, so perf refuses. */
static bool have_cpus(struct run *run)
{
    for (size_t i = 0; i < pd_reader_n_attrs(run->in.reader); i++) {
        char name[256];
        const struct pd_event_attr *e = pd_reader_attr(run->in.reader, i);
        if (e->plan.cpu || (e->attr.type == PD_TYPE_SOFTWARE && e->attr.config == PD_SW_DUMMY))
            continue; /* a dummy never samples */
        cli_event_name(&run->in, (uint32_t)i, name, sizeof name);
        cli_fail(run->cli, CLI_USAGE, "%s: samples of %s do not tell their cpu, so --cpu cannot select them",
                 run->in.name, name);
        return false;
    }
    return true;
}

/* Once the events are known: the lists get their final form. */
static bool look_up(void *user)
{
    struct run *run = user;
    if ((run->keep.cpus || run->drop.cpus) && !have_cpus(run))
        return false;
    if (!find_events(run, &run->keep) || !find_events(run, &run->drop) || !find_times(run, &run->keep) ||
        !find_times(run, &run->drop))
        return false;
    run->options.keep = lists_of(&run->keep);
    run->options.drop = lists_of(&run->drop);
    return true;
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

static bool any_relative(const struct lists *l)
{
    bool any = false;
    for (size_t i = 0; i < l->n_time_texts; i++)
        any |= pd_time_is_relative(l->time_texts[i]);
    return any;
}

/*
 * Shares of the time are known only at the end, and a map may come behind its samples; a file, too, is
 * complete only then, and its output is smaller if it is read twice.
 */
static unsigned input_flags(const struct run *run)
{
    const bool twice =
        any_relative(&run->keep) || any_relative(&run->drop) || run->keep.dsos || run->drop.dsos;
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

static void on_finding(void *user, const struct pd_error *error)
{
    struct run *run = user;
    if (++run->w.n_findings <= CLI_MOST_FINDINGS || error->code != PD_EUNKNOWN)
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
    run->options.user = run;
    if (run->w.to == PD_CONVERT_DIRECTORY && direct) {
        run->options.open_member = cli_open_member;
        run->options.close_member = cli_close_member;
    }
    const enum pd_code code =
        direct ? pd_filter(run->in.reader, &run->w.out.sink, &run->options, &run->stats, &error)
               : cli_write_through(&run->w, run->options.zip, run->options.level, filter_plain, &error);
    cli_progress_end(run->cli);
    return code ? report_error(run, &error) : true;
}

static void tell_kept(struct run *run)
{
    const struct pd_filter_stats *stats = &run->stats;
    if (run->w.n_findings > CLI_MOST_FINDINGS)
        cli_say(run->cli, "%zu records could not be read and were kept", run->w.n_findings);
    cli_say(run->cli, "kept %" PRIu64 " of %" PRIu64 " samples and %" PRIu64 " of %" PRIu64 " other records",
            stats->kept_samples, stats->samples, stats->kept_others, stats->others);
}

static void free_lists(struct lists *l)
{
    free(l->pids);
    free(l->tids);
    free(l->types);
    free(l->events);
    free(l->comms);
    free(l->dsos);
    free(l->cpus);
    free(l->times);
    free(l->event_names);
    free(l->time_texts);
}

static void run_filter(struct run *run)
{
    struct cli *cli = run->cli;
    if (cli_refuses_output(&run->w, ""))
        return;
    if (run->options.all_user && run->options.all_kernel) {
        cli_fail(cli, CLI_USAGE, "--all-user and --all-kernel exclude each other");
        return;
    }
    if (!cli_input_open(cli, &run->in, cli->inputs[0], input_flags(run) | CLI_META))
        return;
    run->w.to = cli_container(run->cli, run->in.reader, run->w.to);
    const bool named = run->keep.n_event_names + run->drop.n_event_names > 0;
    if (flows(run) || (cli_learn_stream(&run->in) && (!named || cli_learn_names(&run->in)) && look_up(run))) {
        if (cli_write_recording(&run->w, filter, NULL))
            tell_kept(run);
        cli_tell_findings(&run->in);
    }
    cli_input_close(&run->in);
}

int cmd_filter(struct cli *cli, int argc, char **argv)
{
    struct run run = {.w = {.cli = cli, .in = &run.in, .n_in = 1}, .cli = cli};
    int key;
    bool ok = true;
    cli->spec = &spec;
    ok = cli_take_level(cli, argc, argv, &run.options.level);
    while (ok && (key = cli_next_option(cli, argc, argv)) != CLI_END)
        ok = take_option(&run, key);
    if (ok)
        run_filter(&run);
    free_lists(&run.keep);
    free_lists(&run.drop);
    for (size_t i = 0; i < run.n_owned; i++)
        free(run.owned[i]);
    free(run.owned);
    return cli->status;
}
