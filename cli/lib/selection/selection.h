/* SPDX-License-Identifier: MIT */
/* selection.h - the options that select samples: by task, cpu, event, time and file. */
#ifndef PERFDATA_CLI_SELECTION_H
#define PERFDATA_CLI_SELECTION_H

#include "cli/lib/files/input.h"
#include "cli/lib/options.h"
#include <perfdata/ops/expression.h>
#include <perfdata/ops/filter.h>

/* Keys of the options that have no letter. An option and its --exclude-… differ by CLI_EXCLUDE. */
enum {
    CLI_EXCLUDE = 4096,
    CLI_PID = CLI_LONG + 3000,
    CLI_TID,
    CLI_TIME,
    CLI_ALL_USER,
    CLI_ALL_KERNEL,
    CLI_CGROUP,
    CLI_WITH_CHILDREN,
    CLI_FILTER,
    CLI_IP,
    CLI_ADDR,
};

/* clang-format off */
/* Lines of a verb's table: what to keep; what to drop; by mode. */
#define CLI_SELECTION \
    {"pid", CLI_PID, "LIST", "samples of these processes"}, \
    {"tid", CLI_TID, "LIST", "samples of these threads"}, \
    {"comms", 'c', "LIST", "samples of tasks that have one of these names at the time; file://PATH " \
                           "stands for the\n" \
                           "lines of a file"}, \
    {"cpu", 'C', "LIST", "samples of these cpus: 0,2-5"}, \
    {"event", 'e', "LIST", "samples of these events: cycles,page-faults:u; modifiers must agree if they " \
                           "are given"}, \
    {"time", CLI_TIME, "START,STOP", "samples of a time: seconds, either may be missing, several separated " \
                                     "by spaces; or\n" \
                                     "a part of the recording: 10%/2 (the second tenth), 0%-10%,30%-40%"}, \
    {"dsos", 'd', "LIST", "samples whose address is mapped from one of these files: names as perf report " \
                          "shows them, or\n" \
                          "paths; [kernel.kallsyms], [module], [vdso], [unknown]; file://PATH as above"}, \
    {"cgroup", CLI_CGROUP, "LIST", "samples of these cgroups, as /system.slice/x.service; needs perf " \
                                   "record --all-cgroups"}, \
    {"with-children", CLI_WITH_CHILDREN, NULL, "--pid, --tid and --comms also mean the tasks that theirs " \
                                               "fork, and so on"}, \
    {"filter", CLI_FILTER, "EXPR", "samples by fields of their tracepoint or their own, as the " \
                                   "kernel's event filters:\n" \
                                   "'prev_comm ~ \"ba*\" && prev_pid > 5', 'period > 9 || weight & 16'"}, \
    {"ip", CLI_IP, "RANGES", "samples at these addresses: 0x401000-0x402000,0x405010"}, \
    {"addr", CLI_ADDR, "RANGES", "samples of accesses to these addresses (ADDR)"}
#define CLI_SELECTION_EXCLUDE \
    {"exclude-pid", CLI_PID + CLI_EXCLUDE, "LIST", "no samples of these, likewise:"}, \
    {"exclude-tid", CLI_TID + CLI_EXCLUDE, "LIST", ""}, \
    {"exclude-comms", 'c' + CLI_EXCLUDE, "LIST", ""}, \
    {"exclude-cpu", 'C' + CLI_EXCLUDE, "LIST", ""}, \
    {"exclude-event", 'e' + CLI_EXCLUDE, "LIST", ""}, \
    {"exclude-time", CLI_TIME + CLI_EXCLUDE, "RANGES", ""}, \
    {"exclude-dsos", 'd' + CLI_EXCLUDE, "LIST", ""}, \
    {"exclude-cgroup", CLI_CGROUP + CLI_EXCLUDE, "LIST", ""}
#define CLI_SELECTION_MODES \
    {"all-user", CLI_ALL_USER, NULL, "no samples in kernel mode"}, \
    {"all-kernel", CLI_ALL_KERNEL, NULL, "no samples in user mode"}
/* clang-format on */

struct cli_event_name {
    const char *text;
    bool found; /* in an input */
};

/* The options of one side, keep or drop. */
struct cli_wanted {
    uint32_t *pids, *tids, *types, *events;
    const char **comms, **dsos, **cgroups;
    struct pd_cpu_range *cpus;
    struct pd_time_range *times;
    struct cli_event_name *event_names; /* looked up when the file is open, as are times */
    const char **time_texts;
    size_t n_pids, n_tids, n_types, n_events, n_comms, n_dsos, n_cgroups, n_cpus, n_times, n_event_names,
        n_time_texts;
};

/* An expression, and the option that gave it. */
struct cli_condition {
    struct pd_expression *expression;
    const char *option, *text;
};

struct cli_listed;

/* All zeros but `cli`: nothing is selected, all is kept. */
struct cli_selection {
    struct cli *cli;
    struct cli_wanted keep, drop;
    bool all_user, all_kernel, with_children;
    bool several;      /* inputs, not all of which need have the events: see cli_selection_found() */
    bool with_leaders; /* members of sampled groups are in their leader's samples, which are then kept */
    struct cli_condition *conditions; /* a sample must meet all of them */
    size_t n_conditions;
    const struct pd_tracepoints *tracepoints; /* of the input */
    struct cli_listed *listed;                /* names of tasks, files and cgroups */
    size_t n_listed, n_looked_up;             /* inputs */
    char **owned;                             /* texts of lists, modified by splitting */
    size_t n_owned;
};

/*
 * Takes the option with this key, one of those above or 'r' (types of records), after cli_next_option() gave
 * it. False: its argument is wrong, which is printed.
 */
bool cli_select(struct cli_selection *s, int key);
/* False: the options exclude each other, which is printed. */
bool cli_selection_agrees(const struct cli_selection *s);
/* True if names of events must be known. */
bool cli_selects_events(const struct cli_selection *s);
/* True if nothing can be selected before all of the input is known. */
bool cli_selection_needs_all(const struct cli_selection *s);
/*
 * Gives the lists for pd_filter() and the like, valid as long as the selection. To be called when the events
 * of the input are known. False: an event, a time or a cpu cannot be selected in it, which is printed.
 */
bool cli_selection_look_up(struct cli_selection *s, struct cli_input *in, struct pd_filter_lists *keep,
                           struct pd_filter_lists *drop);
/* After cli_selection_look_up() of several inputs. False: none of them has an event, which is printed. */
bool cli_selection_found(struct cli_selection *s);
/*
 * events.c: adds the events that the names of one side mean. False: there is none, and no other input may
 * have it, which is printed.
 */
bool cli_find_events(struct cli_selection *s, struct cli_input *in, struct cli_wanted *l);
/*
 * For operations that only read: sets the options, with callbacks whose user is the selection. The lists are
 * then those of cli_selection_look_up().
 */
void cli_selection_use(struct cli_selection *s, struct pd_filter_options *options);
/* For pd_filter_options.predicate: the conditions of --filter, --ip and --addr. */
bool cli_selection_meets(struct cli_selection *s, struct pd_record *rec);
void cli_selection_free(struct cli_selection *s);

/* ---- conditions.c */

/* Adds a condition. False: it is wrong, which is printed. */
bool cli_take_condition(struct cli_selection *s, const char *option, const char *text);
/* The same for ranges of a field: "0x1000-0x2000,0x3000". */
bool cli_take_ranges(struct cli_selection *s, const char *option, const char *field, const char *ranges);
/* False: an event does not have the fields, which is printed. */
bool cli_check_conditions(struct cli_selection *s, struct cli_input *in);

/* ---- listed.c */

/* Remembers the names of the lists, once. False: no memory, which is printed. */
bool cli_list_names(struct cli_selection *s);
/* For the callbacks of pd_filter_options; user is the selection. */
void cli_selection_known(void *user, enum pd_name_kind kind, const char *name);
void cli_selection_unmatched(void *user, enum pd_name_kind kind, const char *name);
/* Prints the names that none of the inputs has: findings. */
void cli_tell_unmatched(struct cli_selection *s);
void cli_free_listed(struct cli_selection *s);

/* ---- lists.c */

/*
 * Makes room for one more element of an array that has n; its size is always a power of two. CLI_ADD() adds
 * it. False: no memory, which is printed.
 */
bool cli_grow_list(struct cli *cli, void **array, size_t n, size_t size);
#define CLI_ADD(cli_, array_, n_, value_) \
    (cli_grow_list((cli_), (void **)&(array_), (n_), sizeof *(array_)) && ((array_)[(n_)++] = (value_), true))
/* A copy of the text that lives as long as the selection; NULL: no memory, which is printed. */
char *cli_own_text(struct cli_selection *s, const char *text);
/* Prints that memory ran out; returns false. */
bool cli_no_list(struct cli *cli);

#endif
