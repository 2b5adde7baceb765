/* SPDX-License-Identifier: MIT */
/* options.c - the options of a verb: reading them, parsing their arguments, and --help. */
#define _GNU_SOURCE
#include "options.h"
#include "src/support/limits.h"
#include "memory.h"
#include "cli/lib/messages/messages.h"
#include "cli/lib/messages/nearest.h"
#include "print.h"
#include <errno.h>
#include <getopt.h>
#include <perfdata/ops/filter.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Numbers */

bool cli_number(const char *text, uint64_t *value)
{
    char *end;
    const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hex ? text + 2 : text;
    if (*digits == 0 || strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789") != strlen(digits))
        return false;
    errno = 0;
    const unsigned long long n = strtoull(digits, &end, hex ? 16 : 10);
    *value = n;
    return errno == 0;
}

/*
 * With one of the units behind it, in either case, each `step` times the one before; the first one, B, is
 * bytes.
 */
static bool take_units(const char *text, const char *units, uint64_t step, uint64_t *value)
{
    const size_t n = strlen(text);
    const char last = n ? text[n - 1] : 0;
    const char *unit = last ? strchr(units, last >= 'a' && last <= 'z' ? last - 'a' + 'A' : last) : NULL;
    char digits[32];
    if (n == 0 || n >= sizeof digits)
        return false;
    memcpy(digits, text, n + 1);
    if (unit)
        digits[n - 1] = 0;
    if (!cli_number(digits, value))
        return false;
    for (const char *u = units; unit && u <= unit; u++)
        if (*u != 'B' && __builtin_mul_overflow(*value, step, value))
            return false;
    return true;
}

bool cli_count(const char *text, uint64_t *value)
{
    return take_units(text, "KMG", 1000, value);
}

bool cli_size(const char *text, uint64_t *value)
{
    return take_units(text, "BKMGT", 1024, value) && *value;
}

bool cli_time(const char *text, uint64_t *nanoseconds)
{
    return *text && pd_time_value(text, strlen(text), nanoseconds);
}

/* ---- Reading them, and --help */

enum { KEY_JSON = CLI_LONG + 1000, KEY_COLOR };

static const struct {
    unsigned common; /* 0: every verb has it */
    struct cli_option option;
} common_options[] = {
    {CLI_IN, {"input", 'i', "FILE", "read FILE; - is standard input (default: perf.data)"}},
    {CLI_STDIN, {"input", 'i', "FILE", "read FILE (default: -, standard input)"}},
    {CLI_OUT, {"output", 'o', "FILE", "write to FILE; - is standard output"}},
    {CLI_OUT, {"force", 'f', NULL, "replace an existing output"}},
    {CLI_JSON, {"json", KEY_JSON, NULL, "print JSON"}},
    {CLI_COLOR,
     {"color", KEY_COLOR, "[=always|never|auto]",
      "colour the text; auto, the default: on a terminal, unless NO_COLOR is set"}},
    {0, {"threads", 'j', "N", "use up to N threads (default 1); the result is the same"}},
    {0, {"quiet", 'q', NULL, "results and errors only"}},
    {0, {"verbose", 'v', NULL, "say more"}},
    {0, {"help", 'h', NULL, "print this help"}},
};
#define N_COMMON (sizeof common_options / sizeof *common_options)
#define MOST_OPTIONS 64

/* The verb's options, then the common ones it has; ended by {0}. */
static void all_options(const struct cli_spec *spec, const struct cli_option *all[MOST_OPTIONS + 1])
{
    size_t n = 0;
    for (const struct cli_option *o = spec->options; o && o->key && n < MOST_OPTIONS; o++)
        all[n++] = o;
    for (size_t i = 0; i < N_COMMON && n < MOST_OPTIONS; i++)
        if (common_options[i].common == 0 || (common_options[i].common & spec->common))
            all[n++] = &common_options[i].option;
    all[n] = NULL;
}

void cli_list_word(struct cli *cli, const char *word, const char *description, const char *argument)
{
    cli_print(cli, "%s\t", word);
    for (; *description; description++)
        pd_out_bytes(&cli->out, *description == '\n' || *description == '\t' ? " " : description, 1);
    cli_print(cli, "\t%s\n", argument ? argument : "");
}

/* One line a word: an option without letter whose argument may be missing takes it behind a = only. */
static void list_options(struct cli *cli, const struct cli_option *const *all)
{
    for (; *all; all++) {
        const struct cli_option *o = *all;
        char word[64];
        if (o->key < CLI_LONG) {
            snprintf(word, sizeof word, "-%c", o->key);
            cli_list_word(cli, word, o->help, o->arg);
        }
        if (o->name) {
            snprintf(word, sizeof word, "--%s", o->name);
            cli_list_word(cli, word, o->help, o->arg);
        }
    }
}

/* Columns that a text in UTF-8 takes: letters of several bytes take one. */
static size_t count_columns(const char *text, size_t bytes)
{
    size_t n = 0;
    for (size_t i = 0; i < bytes; i++)
        n += ((unsigned char)text[i] & 0xc0) != 0x80;
    return n;
}

/* An option, and beside it what it does: a line ends behind a colon of the text, or where it is full. */
static void print_option(struct cli *cli, const char *left, const char *help)
{
    enum { TEXT = 29, FULL = 100 };
    const size_t used = count_columns(left, strlen(left));
    cli_print(cli, "  %s", left);
    if (*help == '\0') {
        cli_print(cli, "\n");
        return;
    }
    if (used > TEXT - 4)
        cli_print(cli, "\n%*s", TEXT, "");
    else
        cli_print(cli, "%*s", (int)(TEXT - 2 - used), "");
    size_t column = 0;
    for (const char *word = help; *word;) {
        const size_t bytes = strcspn(word, " \n"), columns = count_columns(word, bytes);
        const bool ended = word > help + 1 && word[-1] == '\n' && word[-2] == ':';
        if (column && (ended || column + 1 + columns > FULL - TEXT)) {
            cli_print(cli, "\n%*s", TEXT, "");
            column = 0;
        }
        pd_out_bytes(&cli->out, " ", column ? 1 : 0);
        pd_out_bytes(&cli->out, word, bytes);
        column += columns + (column ? 1 : 0);
        word += bytes + (word[bytes] ? 1 : 0);
    }
    pd_out_str(&cli->out, "\n");
}

static void print_help(struct cli *cli)
{
    const struct cli_option *all[MOST_OPTIONS + 1];
    all_options(cli->spec, all);
    if (cli->list_options) {
        list_options(cli, all);
        return;
    }
    cli_print(cli, "Usage: perfdata %s %s\n\n", cli->verb, cli->spec->usage);
    pd_out_str(&cli->out, cli->spec->about);
    pd_out_str(&cli->out, "\nOptions:\n");
    for (size_t i = 0; all[i]; i++) {
        const struct cli_option *o = all[i];
        char left[64];
        snprintf(left, sizeof left, "%c%c%s%s%s%s%s", o->key < CLI_LONG ? '-' : ' ',
                 o->key < CLI_LONG ? o->key : ' ', o->name ? (o->key < CLI_LONG ? ", " : "  ") : "",
                 o->name ? "--" : "", o->name ? o->name : "", o->arg && *o->arg != '[' ? " " : "",
                 o->arg ? o->arg : "");
        print_option(cli, left, o->help);
    }
    if (cli->spec->examples)
        pd_out_str(&cli->out, "\nExamples:\n"), pd_out_str(&cli->out, cli->spec->examples);
}

static bool add_input(struct cli *cli, const char *name, size_t room)
{
    if (cli->inputs == NULL && (cli->inputs = cli_calloc(room + 1, sizeof *cli->inputs)) == NULL) {
        cli_fail(cli, CLI_OUTPUT, "no memory for the names of %zu files", room);
        return false;
    }
    cli->inputs[cli->n_inputs++] = name;
    return true;
}

/* As https://no-color.org and terminals that cannot want it. */
static bool is_colorful(void)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(STDOUT_FILENO) && !(no_color && *no_color) && !(term && strcmp(term, "dumb") == 0);
}

static bool take_color(struct cli *cli, const char *when)
{
    static const char *const words[] = {"always", "never", "auto"};
    const int i = CLI_FIND_WORD(cli, "--color", when, strlen(when), words);
    cli->color = i == 0 || (i == 2 && is_colorful());
    return i >= 0;
}

/* Those that this process may use, as nproc counts them; more than a set has room for: all. */
static unsigned count_cores(void)
{
    cpu_set_t usable;
    if (sched_getaffinity(0, sizeof usable, &usable) == 0)
        return (unsigned)CPU_COUNT(&usable);
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (unsigned)n : 1;
}

/* Takes a common option; CLI_END: taken. */
static int common_option(struct cli *cli, int key, int argc)
{
    uint64_t n;
    switch (key) {
    case 'i': return add_input(cli, optarg, (size_t)argc) ? CLI_END : CLI_STOP;
    case 'o': cli->output = optarg; return CLI_END;
    case 'f': cli->force = true; return CLI_END;
    case 'q': cli->quiet = true; return CLI_END;
    case 'v': cli->verbose++; return CLI_END;
    case KEY_JSON: cli->json = true; return CLI_END;
    case KEY_COLOR: return take_color(cli, optarg ? optarg : "always") ? CLI_END : CLI_STOP;
    case 'h': print_help(cli); return CLI_STOP;
    case 'j':
        if (cli_number(optarg, &n) && n <= PI_LIMIT_THREADS_ASKED) {
            cli->threads = n ? (unsigned)n : count_cores();
            return CLI_END;
        }
        cli_fail(cli, CLI_USAGE, "-j: \"%s\" is no number of threads up to %d", optarg,
                 PI_LIMIT_THREADS_ASKED);
        return CLI_STOP;
    default: return key;
    }
}

/* What is read once has nothing left for the second time. */
static bool is_stdin_twice(const struct cli *cli)
{
    size_t n = 0;
    for (size_t i = 0; i < cli->n_inputs; i++)
        n += strcmp(cli->inputs[i], "-") == 0;
    return n > 1;
}

/* After the last option: operands, and the default input. */
static int take_operands(struct cli *cli, int argc, char **argv)
{
    const unsigned common = cli->spec->common;
    for (int i = optind; i < argc; i++) {
        if (!(common & (CLI_IN | CLI_STDIN | CLI_OPERANDS))) {
            cli_fail(cli, CLI_USAGE, "\"%s\" is one argument too many; see perfdata %s --help", argv[i],
                     cli->verb);
            return CLI_STOP;
        }
        if (!add_input(cli, argv[i], (size_t)argc))
            return CLI_STOP;
    }
    if (cli->n_inputs == 0 && (common & (CLI_IN | CLI_STDIN)) &&
        !add_input(cli, common & CLI_IN ? "perf.data" : "-", 1))
        return CLI_STOP;
    if (cli->n_inputs > 1 && !(common & CLI_OPERANDS)) {
        cli_fail(cli, CLI_USAGE, "one input file only, here are %zu; see perfdata %s --help", cli->n_inputs,
                 cli->verb);
        return CLI_STOP;
    }
    if (is_stdin_twice(cli)) {
        cli_fail(cli, CLI_USAGE, "standard input can be one of the inputs only");
        return CLI_STOP;
    }
    return CLI_END;
}

static void refuse_long(struct cli *cli, const char *word)
{
    struct cli_nearest nearest;
    char name[64], candidate[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    cli_nearest_start(&nearest, name);
    for (const struct cli_option *o = cli->spec->options; o && o->key; o++) {
        snprintf(candidate, sizeof candidate, "--%s", o->name ? o->name : "");
        cli_nearest_try(&nearest, candidate);
    }
    for (size_t i = 0; i < N_COMMON; i++) {
        snprintf(candidate, sizeof candidate, "--%s", common_options[i].option.name);
        if (common_options[i].common == 0 || common_options[i].common & cli->spec->common)
            cli_nearest_try(&nearest, candidate);
    }
    cli_fail(cli, CLI_USAGE, "%s is not understood%s; see perfdata %s --help", word,
             cli_nearest_text(&nearest), cli->verb);
}

/* The message for an option that getopt_long() does not know. */
static int misunderstood(struct cli *cli, int key, char **argv)
{
    const char *word = optind > 0 ? argv[optind - 1] : "";
    const bool is_long = word[0] == '-' && word[1] == '-';
    if (key == ':' && is_long)
        cli_fail(cli, CLI_USAGE, "%s needs an argument; see perfdata %s --help", word, cli->verb);
    else if (key == ':')
        cli_fail(cli, CLI_USAGE, "-%c needs an argument; see perfdata %s --help", optopt, cli->verb);
    else if (optopt && !is_long)
        cli_fail(cli, CLI_USAGE, "there is no option -%c; see perfdata %s --help", optopt, cli->verb);
    else
        refuse_long(cli, word);
    return CLI_STOP;
}

/* An argument in brackets may be missing. */
static int wants_argument(const struct cli_option *o)
{
    if (o->arg == NULL)
        return no_argument;
    return *o->arg == '[' ? optional_argument : required_argument;
}

static bool is_verbs_own(const struct cli *cli, int key)
{
    for (const struct cli_option *o = cli->spec->options; o && o->key; o++)
        if (o->key == key)
            return true;
    return false;
}

int cli_next_option(struct cli *cli, int argc, char **argv)
{
    const struct cli_option *all[MOST_OPTIONS + 1];
    struct option longs[MOST_OPTIONS + 1] = {0};
    char shorts[3 * MOST_OPTIONS + 2] = ":", *s = shorts + 1;
    all_options(cli->spec, all);
    if (optind <= 1 && (cli->spec->common & CLI_COLOR)) /* before the first option */
        cli->color = is_colorful();
    for (size_t i = 0, n = 0; all[i]; i++) {
        const int argument = wants_argument(all[i]);
        if (all[i]->name)
            longs[n++] = (struct option){all[i]->name, argument, NULL, all[i]->key};
        if (all[i]->key < CLI_LONG) {
            *s++ = (char)all[i]->key;
            *s = ':', s += argument == required_argument;
        }
    }
    *s = 0;
    opterr = 0;
    for (;;) {
        int key = getopt_long(argc, argv, shorts, longs, NULL);
        cli->arg = optarg;
        if (key == -1)
            return take_operands(cli, argc, argv);
        if (key == '?' || key == ':')
            return misunderstood(cli, key, argv);
        if (is_verbs_own(cli, key) || (key = common_option(cli, key, argc)) != CLI_END)
            return key;
    }
}

/* ---- Compression */

/* True if the word is an option of the verb, or a common one, whose argument is the next word. */
static bool takes_next_word(const struct cli *cli, const char *word)
{
    const char letter = word[0] == '-' && word[1] != '-' && word[1] && word[2] == 0 ? word[1] : 0;
    if (letter && strchr("ioj", letter))
        return true;
    for (const struct cli_option *o = cli->spec->options; o->key; o++)
        if (o->arg &&
            (o->key == letter || (o->name && strncmp(word, "--", 2) == 0 && strcmp(word + 2, o->name) == 0)))
            return true;
    return false;
}

bool cli_take_level(struct cli *cli, int argc, char **argv, int *level)
{
    static const char name[] = "--compression-level=";
    bool wrong = false;
    *level = 0;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const bool is_long = strncmp(argv[i], name, sizeof name - 1) == 0;
        char *digits = argv[i] + (is_long ? (int)sizeof name - 1 : 2);
        uint64_t n;
        if (takes_next_word(cli, argv[i])) {
            i++;
        } else if ((is_long || strncmp(argv[i], "-z", 2) == 0) && cli_number(digits, &n)) {
            wrong |= n == 0 || n > CLI_MOST_LEVEL;
            *level = wrong ? 0 : (int)n;
            digits[is_long ? -1 : 0] = 0;
        }
    }
    if (!wrong)
        return true;
    cli_fail(cli, CLI_USAGE, "-z: there are levels 1 to %d", CLI_MOST_LEVEL);
    return false;
}

static bool take_zip(struct cli *cli, enum pd_convert_zip *zip, enum pd_convert_zip wanted)
{
    if (*zip != PD_ZIP_KEEP && (*zip == PD_ZIP_NONE) != (wanted == PD_ZIP_NONE)) {
        cli_fail(cli, CLI_USAGE, "compressed and --decompress exclude each other");
        return false;
    }
    *zip = wanted > *zip ? wanted : *zip; /* -z --compressed2, in any order */
    return true;
}

static bool take_frames(struct cli *cli, uint64_t *frame)
{
    const bool none = cli_number(cli->arg, frame) && *frame == 0;
    if (!none && !cli_size(cli->arg, frame)) {
        cli_fail(cli, CLI_USAGE, "--frames: \"%s\" is no number of bytes like 64K or 1M", cli->arg);
        return false;
    }
    if (none)
        *frame = UINT64_MAX;
    return true;
}

static bool take_compression(struct cli *cli, int key, enum pd_convert_zip *zip, uint64_t *frame)
{
    switch (key) {
    case 'z': return take_zip(cli, zip, PD_ZIP_COMPRESSED);
    case CLI_COMPRESSED2: return take_zip(cli, zip, PD_ZIP_COMPRESSED2);
    case CLI_DECOMPRESS: return take_zip(cli, zip, PD_ZIP_NONE);
    case CLI_FRAMES: return take_frames(cli, frame);
    default: return false;
    }
}

bool cli_take_compression(struct cli *cli, int key, enum pd_convert_zip *zip, uint64_t *frame)
{
    const bool taken = take_compression(cli, key, zip, frame), both = *zip == PD_ZIP_NONE && *frame;
    if (taken && both)
        cli_fail(cli, CLI_USAGE, "--frames and --decompress exclude each other");
    return taken && !both;
}

bool cli_take_memory(struct cli *cli, size_t *memory)
{
    uint64_t bytes;
    if (!cli_size(cli->arg, &bytes) || bytes > SIZE_MAX) {
        cli_fail(cli, CLI_USAGE, "--memory: \"%s\" is no number of bytes like 500K, 64M or 2G", cli->arg);
        return false;
    }
    *memory = bytes && bytes < CLI_LEAST_MEMORY ? CLI_LEAST_MEMORY : (size_t)bytes;
    return true;
}
