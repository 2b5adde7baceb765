/* SPDX-License-Identifier: MIT */
/* selection.c - the options that select samples; events.c looks up the events that they name. */
#define _GNU_SOURCE
#include "selection.h"
#include "cli/lib/cli.h"
#include "src/session/counts.h"
#include <errno.h>
#include <inttypes.h>
#include <perfdata/constants.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Lists */

/*
 * Cuts off the next element of a list; NULL: there are no more. Commas between the slashes of events do not
 * count.
 */
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

static bool add_id(struct cli_selection *s, const char *option, const char *word, uint32_t **ids, size_t *n)
{
    const bool negative = *word == '-';
    uint64_t value;
    if (!cli_number(word + negative, &value) || value > (negative ? (uint64_t)INT32_MAX + 1 : UINT32_MAX)) {
        cli_fail(s->cli, CLI_USAGE, "%s: \"%s\" is no number", option, word);
        return false;
    }
    return CLI_ADD(s->cli, *ids, *n, (uint32_t)(negative ? -(int64_t)value : (int64_t)value));
}

static bool add_cpus(struct cli_selection *s, const char *option, char *word, struct cli_wanted *l)
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
        cli_fail(s->cli, CLI_USAGE, "%s: \"%s\" is no cpu or range of cpus", option, word);
        return false;
    }
    return CLI_ADD(s->cli, l->cpus, l->n_cpus, ((struct pd_cpu_range){(uint32_t)first, (uint32_t)last}));
}

static bool add_type(struct cli_selection *s, const char *option, const char *word, struct cli_wanted *l)
{
    uint64_t type;
    if (!*word || !pd_set_parse(&pd_set_record_type, word, strlen(word), &type) || type > UINT32_MAX)
        return CLI_NOT_IN_SET(s->cli, option, word, strlen(word), &pd_set_record_type);
    return CLI_ADD(s->cli, l->types, l->n_types, (uint32_t)type);
}

/* Takes a name, or, as perf does, the names in the lines of a file. */
static bool add_name(struct cli_selection *s, const char *option, const char *word, const char ***names,
                     size_t *n)
{
    static const char file[] = "file://";
    char *line = NULL;
    size_t cap = 0;
    bool ok = true;
    if (strncmp(word, file, sizeof file - 1) != 0)
        return CLI_ADD(s->cli, *names, *n, word);
    FILE *f = cli_open_named(s->cli, word + sizeof file - 1);
    if (f == NULL) {
        cli_fail(s->cli, cli_open_status(errno), "%s: %s: %s", option, word + sizeof file - 1,
                 strerror(errno));
        return false;
    }
    while (ok && getline(&line, &cap, f) > 0) {
        line[strcspn(line, "\n")] = 0;
        const char *name = cli_own_text(s, line);
        ok = name && CLI_ADD(s->cli, *names, *n, name);
    }
    if (ok && !feof(f)) {
        cli_fail(s->cli, cli_open_status(errno), "%s: %s: %s", option, word + sizeof file - 1,
                 strerror(errno));
        ok = false;
    }
    free(line);
    fclose(f);
    return ok;
}

static bool add_word(struct cli_selection *s, int what, const char *option, char *word, struct cli_wanted *l)
{
    switch (what) {
    case CLI_PID: return add_id(s, option, word, &l->pids, &l->n_pids);
    case CLI_TID: return add_id(s, option, word, &l->tids, &l->n_tids);
    case 'C': return add_cpus(s, option, word, l);
    case 'c': return add_name(s, option, word, &l->comms, &l->n_comms);
    case 'd': return add_name(s, option, word, &l->dsos, &l->n_dsos);
    case CLI_CGROUP: return add_name(s, option, word, &l->cgroups, &l->n_cgroups);
    case 'r': return add_type(s, option, word, l);
    default: return CLI_ADD(s->cli, l->event_names, l->n_event_names, ((struct cli_event_name){word, false}));
    }
}

/* The long names of the options; with --exclude-, those of the others. */
static const char *name_list(int what)
{
    switch (what) {
    case CLI_PID: return "pid";
    case CLI_TID: return "tid";
    case CLI_TIME: return "time";
    case 'c': return "comms";
    case 'C': return "cpu";
    case 'd': return "dsos";
    case CLI_CGROUP: return "cgroup";
    case 'r': return "record";
    default: return "event";
    }
}

static bool take_list(struct cli_selection *s, int key)
{
    char name[32];
    char *rest = cli_own_text(s, s->cli->arg), *word;
    const bool exclude = key >= CLI_EXCLUDE;
    struct cli_wanted *l = exclude ? &s->drop : &s->keep;
    const int what = exclude ? key - CLI_EXCLUDE : key;
    bool ok = rest != NULL;
    snprintf(name, sizeof name, "--%s%s", exclude ? "exclude-" : "", name_list(what));
    if (what == CLI_TIME)
        return ok && CLI_ADD(s->cli, l->time_texts, l->n_time_texts, rest);
    while (ok && (word = next_word(&rest, what == 'e')))
        ok = add_word(s, what, name, word, l);
    return ok;
}

/* ---- Times */

static bool find_times(struct cli_selection *s, struct cli_input *in, struct cli_wanted *l)
{
    for (size_t i = 0; i < l->n_time_texts; i++) {
        const char *text = l->time_texts[i];
        uint64_t first = 0, last = 0;
        size_t n = 0;
        struct pd_time_range *ranges = cli_calloc(pd_time_count(text), sizeof *ranges);
        bool ok = true;
        if (ranges == NULL)
            return cli_no_list(s->cli);
        if (pd_time_is_relative(text) && !cli_time_span(in, &first, &last)) {
            ok = false;
        } else if (!pd_time_parse(text, first, last, ranges, &n)) {
            cli_fail(
                s->cli, CLI_USAGE,
                "\"%s\" is no time: START,STOP ascending, as 2.5,3 or +200ms,+2s, or 10%%/2, or 0%%-10%%",
                text);
            ok = false;
        }
        for (size_t k = 0; ok && k < n; k++)
            ok = CLI_ADD(s->cli, l->times, l->n_times, ranges[k]);
        free(ranges);
        if (!ok)
            return false;
    }
    return true;
}

static struct pd_filter_lists lists_of(const struct cli_wanted *l)
{
    static uint32_t no_events; /* none is another list than no list */
    return (struct pd_filter_lists){.pids = l->pids,
                                    .n_pids = l->n_pids,
                                    .tids = l->tids,
                                    .n_tids = l->n_tids,
                                    .comms = l->comms,
                                    .n_comms = l->n_comms,
                                    .dsos = l->dsos,
                                    .n_dsos = l->n_dsos,
                                    .cgroups = l->cgroups,
                                    .n_cgroups = l->n_cgroups,
                                    .cpus = l->cpus,
                                    .n_cpus = l->n_cpus,
                                    .events = l->n_event_names && !l->n_events ? &no_events : l->events,
                                    .n_events = l->n_events,
                                    .times = l->times,
                                    .n_times = l->n_times,
                                    .types = l->types,
                                    .n_types = l->n_types};
}

static bool lists_event(const struct cli_wanted *l, size_t event)
{
    bool lists = false;
    for (size_t i = 0; i < l->n_events; i++)
        lists |= l->events[i] == event;
    return lists;
}

/*
 * Refuses as perf does: for samples without the value, keeping all would be as wrong as keeping none. Events
 * that are not selected do not matter.
 */
static bool have_values(const struct cli_selection *s, struct cli_input *in, uint64_t bit, const char *value,
                        const char *option)
{
    for (size_t i = 0; i < pd_reader_n_attrs(in->reader); i++) {
        char name[256];
        const struct pd_event_attr *e = pd_reader_attr(in->reader, i);
        if (e->attr.sample_type & bit || pi_is_dummy(&e->attr))
            continue;
        if ((s->keep.n_event_names && !lists_event(&s->keep, i)) || lists_event(&s->drop, i))
            continue;
        cli_event_name(in, (uint32_t)i, name, sizeof name);
        cli_fail(in->cli, CLI_USAGE, "%s: samples of %s do not tell their %s, so %s cannot select them",
                 in->name, name, value, option);
        return false;
    }
    return true;
}

static bool any_relative(const struct cli_wanted *l)
{
    bool any = false;
    for (size_t i = 0; i < l->n_time_texts; i++)
        any |= pd_time_is_relative(l->time_texts[i]);
    return any;
}

/* Patterns are matched when all names are known. */
static bool has_pattern(const char **names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strpbrk(names[i], "*?"))
            return true;
    return false;
}

static bool needs_all(const struct cli_selection *s, const struct cli_wanted *l)
{
    return any_relative(l) || l->dsos || l->cgroups || has_pattern(l->comms, l->n_comms) ||
           (s->with_children && (l->pids || l->tids || l->comms));
}

bool cli_selection_needs_all(const struct cli_selection *s)
{
    bool all = needs_all(s, &s->keep) || needs_all(s, &s->drop);
    for (size_t i = 0; i < s->n_conditions; i++) /* formats of tracepoints may come with the records */
        all |= strcmp(s->conditions[i].option, "--filter") == 0;
    return all;
}

bool cli_selection_look_up(struct cli_selection *s, struct cli_input *in, struct pd_filter_lists *keep,
                           struct pd_filter_lists *drop)
{
    if (!cli_list_names(s))
        return false;
    s->keep.n_events = s->drop.n_events = s->keep.n_times = s->drop.n_times = 0; /* of another input */
    if (!cli_find_events(s, in, &s->keep) || !cli_find_events(s, in, &s->drop) ||
        !find_times(s, in, &s->keep) || !find_times(s, in, &s->drop))
        return false;
    if ((s->keep.cpus || s->drop.cpus) && !have_values(s, in, PD_SAMPLE_CPU, "cpu", "--cpu"))
        return false;
    if ((s->keep.cgroups || s->drop.cgroups) && !have_values(s, in, PD_SAMPLE_CGROUP, "cgroup", "--cgroup"))
        return false;
    if (!cli_check_conditions(s, in))
        return false;
    *keep = lists_of(&s->keep);
    *drop = lists_of(&s->drop);
    return true;
}

static bool was_found(struct cli_selection *s, const struct cli_wanted *l)
{
    for (size_t i = 0; i < l->n_event_names; i++) {
        if (l->event_names[i].found)
            continue;
        cli_fail(s->cli, CLI_USAGE, "there is no event \"%s\" in any input", l->event_names[i].text);
        return false;
    }
    return true;
}

bool cli_selection_found(struct cli_selection *s)
{
    return was_found(s, &s->keep) && was_found(s, &s->drop);
}

static bool meets_conditions(void *user, struct pd_record *rec)
{
    return cli_selection_meets(user, rec);
}

void cli_selection_use(struct cli_selection *s, struct pd_filter_options *options)
{
    *options = (struct pd_filter_options){.size = sizeof *options,
                                          .allocator = &cli_allocator,
                                          .all_user = s->all_user,
                                          .all_kernel = s->all_kernel,
                                          .with_children = s->with_children,
                                          .predicate = s->n_conditions ? meets_conditions : NULL,
                                          .known = cli_selection_known,
                                          .unmatched = cli_selection_unmatched,
                                          .user = s};
}

bool cli_selects_events(const struct cli_selection *s)
{
    return s->keep.n_event_names + s->drop.n_event_names > 0;
}

bool cli_selection_agrees(const struct cli_selection *s)
{
    if (s->all_user && s->all_kernel)
        cli_fail(s->cli, CLI_USAGE, "--all-user and --all-kernel exclude each other");
    return !(s->all_user && s->all_kernel);
}

bool cli_select(struct cli_selection *s, int key)
{
    switch (key) {
    case CLI_ALL_USER: s->all_user = true; return true;
    case CLI_ALL_KERNEL: s->all_kernel = true; return true;
    case CLI_WITH_CHILDREN: s->with_children = true; return true;
    case CLI_FILTER: return cli_take_condition(s, "--filter", s->cli->arg);
    case CLI_IP: return cli_take_ranges(s, "--ip", "ip", s->cli->arg);
    case CLI_ADDR: return cli_take_ranges(s, "--addr", "addr", s->cli->arg);
    default: return take_list(s, key);
    }
}

static void free_lists(struct cli_wanted *l)
{
    free(l->pids);
    free(l->tids);
    free(l->types);
    free(l->events);
    free(l->comms);
    free(l->dsos);
    free(l->cgroups);
    free(l->cpus);
    free(l->times);
    free(l->event_names);
    free(l->time_texts);
}

void cli_selection_free(struct cli_selection *s)
{
    free_lists(&s->keep);
    free_lists(&s->drop);
    for (size_t i = 0; i < s->n_conditions; i++)
        pd_expression_free(s->conditions[i].expression);
    free(s->conditions);
    cli_free_listed(s);
    for (size_t i = 0; i < s->n_owned; i++)
        free(s->owned[i]);
    free(s->owned);
}
