/* SPDX-License-Identifier: MIT */
/*
 * conversion.h - shared by verbs that write a recording again, changed or in another form: convert, edit and
 * redact.
 */
#ifndef PERFDATA_CLI_CONVERSION_H
#define PERFDATA_CLI_CONVERSION_H

#include "writing.h"

struct cli_conversion {
    struct cli_writing w;
    struct cli *cli;
    struct cli_input in;               /* opened by the verb */
    struct pd_convert_options options; /* set by the verb, except size and callbacks */
    bool alone;                        /* files of a directory that hold no records are left out */
    /* Prints an error; false: it is printed as usual. May be NULL. */
    bool (*error)(void *user, const struct pd_error *error);
    /* Takes a note; false: it is printed as usual. May be NULL. */
    bool (*note)(void *user, const struct pd_convert_note *note);
    /*
     * Checks the output before it replaces its target; false: it must not, which is printed. NULL: no check.
     */
    bool (*look)(void *user, struct pd_reader *reader);
    /*
     * Moves additional files of the output into place, just before the output; false: that failed, which is
     * printed. May be NULL.
     */
    bool (*ready)(void *user);
    void *user;
};

/* The name of what a note is about, a feature or a type of records; without one `number`, which it fills. */
const char *cli_noted_name(const struct pd_convert_note *note, char number[16]);
/* Writes cli->output; the input is open. On standard output it is a pipe stream unless `to` is set. */
void cli_convert(struct cli_conversion *c);

#endif
