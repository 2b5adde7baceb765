/* SPDX-License-Identifier: MIT */
/*
 * writing.h - shared by verbs that write one recording, or what they find in several: the output, and the
 * callbacks of the library.
 */
#ifndef PERFDATA_CLI_WRITING_H
#define PERFDATA_CLI_WRITING_H

#include "cli/lib/files/convert_dir.h"

/* The first member of a verb's own struct, which is `user` of the functions below. */
struct cli_writing {
    struct cli *cli;
    struct cli_input *in; /* opened by the verb; of several, the one that is being read */
    size_t n_in;
    struct cli_output out;
    struct cli_directory dir;
    enum pd_convert_to to; /* the requested container, then the written one */
    bool alone;            /* files of a directory that hold no records are neither mentioned nor copied */
    bool spool;            /* output that is written in place can be read before: cli_output_source() */
    size_t n_findings;
};

/* Options of such verbs; `to_`, `otherwise_`: without them, in a help text. */
enum { CLI_TO = CLI_FRAMES + 1 };
#define CLI_AGAIN "those that were compressed are so again"
#define CLI_WRITING(to_, otherwise_)                                                                   \
    {"to", CLI_TO, "file|pipe|dir", "file, pipe or dir (default: " to_ "; to standard output: pipe)"}, \
        CLI_COMPRESSION(otherwise_)
/* Takes one of these options. False: it is wrong, which is printed; or it is another key. */
bool cli_take_writing(struct cli_writing *w, int key, enum pd_convert_zip *zip, uint64_t *frame);

/* For the library's options. */
int cli_open_member(void *user, const char *name, unsigned mode, struct pd_sink *sink);
int cli_close_member(void *user, struct pd_sink *sink);
void cli_on_finding(void *user, const struct pd_error *error);
void cli_on_progress(void *user, uint64_t done, uint64_t total);
/* That of a file, from the metadata of the input. */
size_t cli_on_build_id(void *user, struct pd_reader *reader, const char *file, uint8_t id[20]);

/* Reports the error that ended it, of the first input or of the output, unless it was already reported. */
void cli_tell_error(struct cli_writing *w, const struct pd_error *error);
/* Prints the number of findings, if they were not all printed. */
void cli_tell_places(const struct cli_writing *w);

/* True, with a message, if -o is missing or cannot be w->to; `hint`: an alternative. */
bool cli_refuses_output(const struct cli_writing *w, const char *hint);
/*
 * Opens the output, has write() write to it and ready(), if set, check it, and moves it to its target. False:
 * there is no output, which is printed.
 */
bool cli_write_recording(struct cli_writing *w, bool (*write)(void *user), bool (*ready)(void *user));
/*
 * Has write() write a temporary file, and converts that to the output, which is open; dropped data is
 * reported.
 */
enum pd_code cli_write_through(struct cli_writing *w, enum pd_convert_zip zip, int level, uint64_t frame,
                               enum pd_code (*write)(void *user, const struct pd_sink *sink,
                                                     struct pd_error *error),
                               struct pd_error *error);

#endif
