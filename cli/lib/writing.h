/* SPDX-License-Identifier: MIT */
/* writing.h - what verbs share that write one recording: where it goes, and what the library asks and tells
 * on the way. */
#ifndef PERFDATA_CLI_WRITING_H
#define PERFDATA_CLI_WRITING_H

#include "cli/lib/files/convert_dir.h"

/* The first member of a verb's own struct, which is `user` of the functions below. */
struct cli_writing {
    struct cli *cli;
    struct cli_input *in; /* opened by the verb */
    size_t n_in;
    struct cli_output out;
    struct cli_directory dir;
    enum pd_convert_to to; /* what was asked for, then what is written */
    bool alone;            /* files of a directory that hold no records are not spoken of, or copied */
    bool spool;            /* what is written in place can be read before: cli_output_source() */
    size_t n_findings;
};

/* Options of such verbs; `to_`, `otherwise_`: without them, in a help text. */
enum { CLI_TO = CLI_DECOMPRESS + 1 };
#define CLI_AGAIN "those that were compressed are so again"
#define CLI_WRITING(to_, otherwise_)                                                                   \
    {"to", CLI_TO, "file|pipe|dir", "file, pipe or dir (default: " to_ "; to standard output: pipe)"}, \
        CLI_COMPRESSION(otherwise_)
/* Takes one of these options. False: it is wrong, which is printed; or it is another key. */
bool cli_take_writing(struct cli_writing *w, int key, enum pd_convert_zip *zip);

/* For the library's options. */
int cli_open_member(void *user, const char *name, unsigned mode, struct pd_sink *sink);
int cli_close_member(void *user, struct pd_sink *sink);
void cli_on_finding(void *user, const struct pd_error *error);
void cli_on_progress(void *user, uint64_t done, uint64_t total);

/* Tells of the error that ended it: of the first input's or of the output's, unless that was told where it
 * happened. */
void cli_tell_error(struct cli_writing *w, const struct pd_error *error);
/* How many findings there were, if they were not all told. */
void cli_tell_places(const struct cli_writing *w);

/* Is there no -o, or one that cannot be w->to? That is printed; `hint`: how to do without. */
bool cli_refuses_output(const struct cli_writing *w, const char *hint);
/*
 * Opens the output, has write() write to it, and ready(), if there is one, say that all is well; puts it in
 * its place. False: it is not there, which is printed.
 */
bool cli_write_recording(struct cli_writing *w, bool (*write)(void *user), bool (*ready)(void *user));
/*
 * Has write() write a file to a temporary one, and converts that to the output, which is open; what does not
 * come along is told.
 */
enum pd_code cli_write_through(struct cli_writing *w, enum pd_convert_zip zip, int level,
                               enum pd_code (*write)(void *user, const struct pd_sink *sink,
                                                     struct pd_error *error),
                               struct pd_error *error);

#endif
