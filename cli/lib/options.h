/* SPDX-License-Identifier: MIT */
/* options.h - the options of a verb: their table, reading them, and parsing their arguments. */
#ifndef PERFDATA_CLI_OPTIONS_H
#define PERFDATA_CLI_OPTIONS_H

#include "command.h"
#include <perfdata/ops/convert.h>

/* Keys of options that have no letter begin here. */
#define CLI_LONG 256
enum { CLI_END = -1, CLI_STOP = -2 };

/* The options that verbs have in common; -q, -v, -j and --help are always there. */
enum {
    CLI_IN = 1,       /* -i FILE */
    CLI_OUT = 2,      /* -o FILE, -f */
    CLI_JSON = 4,     /* --json */
    CLI_OPERANDS = 8, /* any number of input files as operands, else one */
    CLI_COLOR = 16,   /* --color; then cli->color */
    CLI_STDIN = 32,   /* -i FILE, by default standard input: perf.data is the default name of the output */
};

struct cli_option {
    const char *name; /* without the dashes; NULL: only a letter */
    int key;          /* the letter, or CLI_LONG and up */
    const char *arg;  /* the name of its argument; NULL: none; "[=NAME]": may be missing, for options without
                         letter */
    const char *help;
};

struct cli_spec {
    const char *usage;                /* behind "perfdata VERB " */
    const char *about;                /* paragraphs for --help */
    const struct cli_option *options; /* the verb's own, ended by {0}; they come before the common ones */
    unsigned common;
    const char *examples; /* lines "  perfdata VERB …" with a word on each */
};

/*
 * A line of the table for the completion of shells: WORD, DESCRIPTION and the name of its argument, with tabs
 * between.
 */
void cli_list_word(struct cli *cli, const char *word, const char *description, const char *argument);

/*
 * The next option of the verb: its key, with cli->arg; common ones are handled here. CLI_END: no more,
 * inputs are set. CLI_STOP: wrong usage (the message is printed, cli->status set) or --help (printed).
 */
int cli_next_option(struct cli *cli, int argc, char **argv);

/* A number of an option: decimal or 0x…. False: not one (nothing is printed). */
bool cli_number(const char *text, uint64_t *value);
/* A count: the same, or with k, M or G behind it: powers of 1000. Units may be lower-case. */
bool cli_count(const char *text, uint64_t *value);
/* A time as pd_time_value() has it; not empty. */
bool cli_time(const char *text, uint64_t *nanoseconds);
/* A number of bytes that is not 0, maybe with B, K, M, G or T behind it: powers of 1024. */
bool cli_size(const char *text, uint64_t *value);

#define CLI_MOST_LEVEL 22

/*
 * -zN and --compression-level=N, as perf has them, have an argument that may be missing: it is taken out of
 * the word, and *level receives it, or 0. To be called with cli->spec before cli_next_option(). False: no
 * such level; that is printed.
 */
bool cli_take_level(struct cli *cli, int argc, char **argv, int *level);
/* The keys of --compressed2, --decompress and --frames; that of --compression-level is 'z'. */
enum { CLI_COMPRESSED2 = CLI_LONG + 2000, CLI_DECOMPRESS, CLI_FRAMES };
#define CLI_FRAMES_OPTION                                                                  \
    {                                                                                      \
        "frames", CLI_FRAMES, "SIZE",                                                      \
            "compress so many bytes of records by themselves, so that readers can begin\n" \
            "there (default: 256K; 0: all in one, as perf)"                                \
    }
/* The options of verbs that keep the compression of their input; `otherwise_` says how, in a help text. */
#define CLI_COMPRESSION(otherwise_)                                                                \
    {"compression-level", 'z', NULL,                                                               \
     "compress the records, as perf record -z; -zN: level N, 1 (default) to 22. Without "          \
     "this,\n" otherwise_},                                                                        \
        {"compressed2", CLI_COMPRESSED2, NULL, "the same, in the records of perf 6.16 and later"}, \
        CLI_FRAMES_OPTION,                                                                         \
    {                                                                                              \
        "decompress", CLI_DECOMPRESS, NULL, "no compressed records"                                \
    }
/*
 * The choice of one of these keys. False: it contradicts an earlier one, which is printed; or it is another
 * key.
 */
bool cli_take_compression(struct cli *cli, int key, enum pd_convert_zip *zip, uint64_t *frame);
/*
 * --memory SIZE; smaller sizes are raised to this, so that each record does not get its own temporary file.
 * False: it is not a size, which is printed. */
enum { CLI_LEAST_MEMORY = 16384 };
bool cli_take_memory(struct cli *cli, size_t *memory);

#endif
