/* SPDX-License-Identifier: MIT */
/*
 * conversion.h - what verbs share that write a recording again, changed or in another form: convert, edit and
 * redact.
 */
#ifndef PERFDATA_CLI_CONVERSION_H
#define PERFDATA_CLI_CONVERSION_H

#include "writing.h"

struct cli_conversion {
    struct cli_writing w;
    struct cli *cli;
    struct cli_input in;               /* opened by the verb */
    struct pd_convert_options options; /* all but size and callbacks are the verb's */
    bool alone;                        /* files of a directory that hold no records are left out */
    /* Prints an error; false: it is printed as usual. May be NULL. */
    bool (*error)(void *user, const struct pd_error *error);
    /* Takes a note; false: it is printed as usual. May be NULL. */
    bool (*note)(void *user, const struct pd_convert_note *note);
    /*
     * Looks at what was written, before it takes its place; false: it must not, which is printed. NULL:
     * nobody looks.
     */
    bool (*look)(void *user, struct pd_reader *reader);
    /*
     * Puts into place what belongs to the output, just before that is; false: it cannot be, which is printed.
     * May be NULL.
     */
    bool (*ready)(void *user);
    void *user;
};

/* Writes cli->output; the input is open. To standard output it is a pipe stream unless `to` says else. */
void cli_convert(struct cli_conversion *c);

#endif
