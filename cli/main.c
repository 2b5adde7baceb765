/* SPDX-License-Identifier: MIT */
/* main.c - the `perfdata` command: finds the verb and runs it. */
#include "cli/lib/cli.h"
#include "cli/lib/threads/workers.h"
#include <fcntl.h>
#if PERFDATA_TEXT
#include <jansson.h>
#endif
#include <perfdata/version.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct verb {
    const char *name;
    int (*run)(struct cli *cli, int argc, char **argv);
    const char *does;
} verbs[] = {
    {"info", cmd_info, "what a recording is and holds"},
    {"dump", cmd_dump, "every record as text or JSON"},
#if PERFDATA_TEXT
    {"decode", cmd_decode, "the whole recording as lossless lines of JSON"},
    {"encode", cmd_encode, "lines of JSON back to a recording"},
#endif
    {"report", cmd_report, "shares of tasks, files, cpus, cgroups and times in what was counted"},
    {"check", cmd_check, "validate, and prove that decoding and encoding gives the same bytes"},
    {"filter", cmd_filter, "write the selected records and what they need to a new recording"},
    {"convert", cmd_convert, "another container, compression, byte order or attr size"},
    {"index", cmd_index, "where which times are, beside a recording, so that verbs read little else"},
    {"split", cmd_split, "write a recording in pieces, by time, size, cpu, process or event"},
    {"repair", cmd_repair, "a valid recording from a truncated, unfinished or damaged one"},
    {"sort", cmd_sort, "the records in order of time"},
    {"merge", cmd_merge, "several recordings as one, by time"},
    {"edit", cmd_edit, "change features, fields of samples, times or names, and leave the rest as it is"},
#if PERFDATA_REDACT
    {"redact", cmd_redact, "replace what tells whose recording it is, so that it can be shown to others"},
#endif
    {"export", cmd_export, "stacks and branches, added up, for flame graphs and other tools"},
    {"symbols", cmd_symbols, "the functions at the addresses in use, to take them elsewhere"},
    {"gen", cmd_gen, "a synthetic recording: of a workload, or of random records"},
    {"extract", cmd_extract, "parts as they are stored: a feature, tracing data, AUX data, build ids"},
    {"cmp", cmd_cmp, "what two recordings say differently, by record and field"},
    {"hash", cmd_hash, "a hash of the content: equal across containers, compression and byte order"},
    {"corrupt", cmd_corrupt, "controlled damage, for testing readers"},
    {"bench", cmd_bench, "throughput of this machine on a recording"},
};
#define N_VERBS (sizeof verbs / sizeof *verbs)

/* Verbs that a build may lack, see the options PERFDATA_TEXT and PERFDATA_REDACT of CMakeLists.txt. */
static const char *const optional_verbs[] = {"decode", "encode", "redact"};

static bool is_optional(const char *name)
{
    for (size_t i = 0; i < sizeof optional_verbs / sizeof *optional_verbs; i++)
        if (strcmp(optional_verbs[i], name) == 0)
            return true;
    return false;
}

static const struct verb *find_verb(const char *name)
{
    for (size_t i = 0; i < N_VERBS; i++)
        if (strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
    return NULL;
}

static void print_usage(struct cli *cli)
{
    pd_out_str(&cli->out, "Usage: perfdata VERB [OPTION]... [FILE]...\n"
                          "\n"
                          "Reads and writes recordings of Linux perf (perf.data).\n"
                          "\n");
    for (size_t i = 0; i < N_VERBS; i++)
        cli_print(cli, "  %-8s  %s\n", verbs[i].name, verbs[i].does);
    cli_print(cli, "  %-8s  %s\n", "help", "this list; `perfdata help VERB`: the options of a verb");
    cli_print(cli, "  %-8s  %s\n", "version", "the version of perfdata");
    pd_out_str(&cli->out,
               "\n"
               "Examples:\n"
               "  perfdata info                      summary of ./perf.data\n"
               "  perfdata check perf.data old.data  are they intact, and does the round trip hold?\n"
               "  perfdata dump --limit 10 x.data    the first ten records\n"
               "\n"
               "Exit status: 0 done; 1 done, with findings; 2 wrong usage; 3 the input is damaged;\n"
               "4 reading or writing failed.\n");
}

static int refuse_verb(struct cli *cli, const char *name)
{
    struct cli_nearest nearest;
    cli_nearest_start(&nearest, name);
    for (size_t i = 0; i < N_VERBS; i++)
        cli_nearest_try(&nearest, verbs[i].name);
    cli_nearest_try(&nearest, "help");
    cli_nearest_try(&nearest, "version");
    return cli_fail(cli, CLI_USAGE, "there is no verb \"%s\"%s%s", name,
                    *nearest.best ? "" : "; perfdata help lists them", cli_nearest_text(&nearest));
}

static int run_verb(struct cli *cli, const char *name, int argc, char **argv)
{
    const struct verb *verb = find_verb(name);
    if (verb == NULL && is_optional(name))
        return cli_fail(cli, CLI_USAGE, "this perfdata was built without \"%s\"", name);
    if (verb == NULL)
        return refuse_verb(cli, name);
    cli->verb = verb->name;
    return verb->run(cli, argc, argv);
}

/* For completions/: the verbs, or with the name of one its options. */
static int list_words(struct cli *cli, const char *verb)
{
    static char help_option[] = "--help";
    cli->list_options = true;
    if (verb)
        return run_verb(cli, verb, 2, (char *[]){help_option, help_option, NULL});
    for (size_t i = 0; i < N_VERBS; i++)
        cli_list_word(cli, verbs[i].name, verbs[i].does, NULL);
    cli_list_word(cli, "help", "the list of verbs, or the options of one", "VERB");
    cli_list_word(cli, "version", "the version of perfdata", NULL);
    return CLI_OK;
}

/* What the list of verbs says is all that there is to them. */
static bool has_no_options(const char *name)
{
    return strcmp(name, "help") == 0 || strcmp(name, "version") == 0;
}

static int run_command(struct cli *cli, int argc, char **argv)
{
    static char help_option[] = "--help";
    const char *name = argc > 1 ? argv[1] : NULL;
    if (name == NULL)
        return cli_fail(cli, CLI_USAGE, "which verb? perfdata help lists them");
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0 || strcmp(name, "version") == 0) {
        pd_out_str(&cli->out, "perfdata " PD_VERSION_STRING "\n");
        return CLI_OK;
    }
    if (strcmp(name, "--list-options") == 0)
        return list_words(cli, argv[2]);
    const bool help = strcmp(name, "help") == 0;
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 ||
        (help && (argc == 2 || has_no_options(argv[2])))) {
        print_usage(cli);
        return CLI_OK;
    }
    if (help)
        return run_verb(cli, argv[2], 2, (char *[]){argv[2], help_option, NULL});
    if (name[0] == '-')
        return cli_fail(cli, CLI_USAGE, "%s is not understood before a verb; see perfdata help", name);
    return run_verb(cli, name, argc - 1, argv + 1);
}

/*
 * A standard descriptor that is closed must not become that of the next file to be opened. It is replaced by
 * one on which every access fails as before.
 */
static void occupy_standard_descriptors(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
            _exit(CLI_OUTPUT);
}

int main(int argc, char **argv)
{
    struct cli cli = {.threads = 1};
    occupy_standard_descriptors();
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write like any other, but without a message */
    signal(SIGXFSZ, SIG_IGN); /* so is a file that exceeds the size limit */
#if PERFDATA_TEXT
    json_set_alloc_funcs(cli_malloc_or_exit, free);
#endif
    cli_out_init(&cli);
    cli_raise(&cli, run_command(&cli, argc, argv));
    cli_progress_end(&cli);
    cli_out_end(&cli);
    cli_workers_end(&cli);
    free(cli.inputs);
    free(cli.named.id);
    return cli.status;
}
