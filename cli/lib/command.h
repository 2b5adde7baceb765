/* SPDX-License-Identifier: MIT */
/* command.h - the shared state of a run of the command, and its exit status. */
#ifndef PERFDATA_CLI_COMMAND_H
#define PERFDATA_CLI_COMMAND_H

#include "src/support/limits.h"
#include <perfdata/session/text.h>
#include <stdio.h>
#include <sys/stat.h>

/* Exit status. */
enum {
    CLI_OK = 0,
    CLI_FINDINGS = 1, /* done, with findings or differences */
    CLI_USAGE = 2,    /* wrong usage, including a missing input */
    CLI_DAMAGED = 3,  /* the input is damaged; the intact part was processed */
    CLI_OUTPUT = 4,   /* writing or reading failed, or memory ran out: no output is made */
};

struct cli_input;
struct cli_output;
struct cli_spec;
struct cli_team;

/* How lines of standard output are coloured, when cli->color; a verb that prints JSON chooses none. */
enum cli_paint {
    CLI_PAINT_NONE,
    CLI_PAINT_KEYS,     /* the first word of each line */
    CLI_PAINT_HEADINGS, /* lines that are not indented, and the first word of the others */
};

struct cli {
    const char *verb;
    const struct cli_spec *spec;
    const char *arg; /* of the option that cli_next_option() gave */
    /* the common options */
    const char *
        *inputs; /* -i and operands, in order; never empty after the options: "perf.data" is the default */
    size_t n_inputs;
    const char *output; /* -o; NULL: none */
    bool force, quiet, json;
    bool list_options; /* --help prints a table for the completion of shells instead */
    bool color;        /* results go to a terminal, or --color=always: after the options */
    int verbose;
    unsigned threads; /* requested by -j; at most PI_LIMIT_THREADS are used */
    /* state */
    struct cli_team *team;        /* cli_workers(); NULL: not begun */
    int status;                   /* exit status so far, see cli_fail() */
    struct pd_out out;            /* standard output, buffered: write with pd_out_*(), cli_print() */
    int out_error;                /* errno of a failed write */
    bool terminal;                /* standard output is one */
    enum cli_paint paint;         /* which parts of standard output are coloured */
    unsigned brush;               /* private: position in the line */
    struct cli_output *recording; /* flushed along with `out` */
    struct cli_input *reading;    /* recordings that are open, the last one first */
    struct cli_identities {
        struct cli_identity {
            dev_t dev;
            ino_t ino;
        } * id;
        size_t n, cap;
    } named; /* files that options name and that were read */
    struct cli_progress {
        bool off;
        int shown;              /* columns that the bar takes; 0: there is none */
        uint64_t started, next; /* milliseconds; 0: not yet */
        uint64_t last;          /* bytes */
    } progress;
};

#endif
