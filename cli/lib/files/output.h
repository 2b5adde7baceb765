/* SPDX-License-Identifier: MIT */
/* output.h - the output of a verb: the file of -o, and the end of standard output. */
#ifndef PERFDATA_CLI_OUTPUT_H
#define PERFDATA_CLI_OUTPUT_H

#include "cli/lib/command.h"
#include <perfdata/reader.h>
#include <perfdata/writer.h>

enum {
    CLI_PATCH = 1, /* the writer patches, so an output that cannot seek is written through a temporary file */
    CLI_TEXT = 2,  /* the output is text: may go to a terminal */
    CLI_SPOOL = 4, /* an output that is written in place is kept in a temporary file first:
                      cli_output_source() */
    CLI_IMPLIED = 8, /* the name is not the user's: whatever stands there but a regular file is left alone,
                        and no link is followed */
    CLI_MANY = 16,   /* more files are written at a time than have large buffers */
};

/* The file of -o. */
struct cli_output {
    struct pd_sink sink; /* the destination of a verb's output */
    struct cli *cli;
    const char *name;        /* for messages */
    int fd;                  /* the open file: the target, or a temporary file */
    int target;              /* the target of a spooled output, else -1 */
    uint64_t base;           /* offset of the output's first byte in the target */
    uint64_t written;        /* bytes so far, those in buf included */
    int error;               /* errno of the first failure */
    mode_t mode;             /* of a new file */
    char *final, *temporary; /* paths; NULL: written in place */
    char *spool;             /* how messages call a temporary file that is copied to the target at the end */
    const char *target_name;
    int slot; /* of the temporary file, for signals */
    uint8_t *buf;
    size_t n, cap;
    struct cli_behind {
        struct pd_job job;
        struct cli_output *out;
        uint8_t *buf; /* its n bytes are being written; NULL: no thread does that */
        size_t n;
        int error;
        bool off; /* of text, which threads of the verb itself write */
    } behind;
};

/*
 * Opens the output cli->output ("-": standard output). It must not be one of the inputs, and a regular file
 * must not exist already without -f; a temporary file beside it is written, which cli_output_commit() makes
 * the output. False: the message is printed and cli->status set.
 */
bool cli_output_open(struct cli *cli, struct cli_output *out, const struct cli_input *inputs, size_t n,
                     unsigned flags);

/* True for "-" and the other names of standard output. */
bool cli_is_stdout(const char *name);
/*
 * The reason why two outputs cannot both be written: they have one target, or the first would be inside the
 * second, a directory; NULL: they can.
 */
const char *cli_outputs_collide(const char *name, const char *other);

/* To read the output before it replaces its target. False: it cannot be written, which is printed. */
bool cli_output_source(struct cli_output *out, struct pd_source *source);
/* False: an error that leaves no output has happened. */
bool cli_may_commit(struct cli *cli);
/* Writes the buffered bytes, and moves the file to its target. */
bool cli_output_commit(struct cli_output *out);
/* Drops the output and its temporary file. Does nothing after a commit, or on a struct that is all 0. */
void cli_output_discard(struct cli_output *out);

/*
 * A file that an option names, for reading: it is an input, too, and never overwritten. NULL with errno set.
 */
FILE *cli_open_named(struct cli *cli, const char *path);
/* The same of a recording that is open. False: no memory. */
bool cli_name_input(struct cli *cli, const struct cli_input *in);

bool cli_same_file(const struct stat *a, const struct stat *b);
/* True if the directory of `path`, existing or not, is that one or inside it. */
bool cli_is_inside(const char *path, const struct stat *dir);
/*
 * The reason why the file must not be written: it is one of the inputs, or part of or inside an input
 * directory, or a directory that contains an input; NULL: it may be written. Files are compared by device and
 * inode. `path`, without symbolic links at its end, is NULL for a descriptor, `st` is NULL for a new file.
 */
const char *cli_overwrites(const struct cli *cli, const char *path, const struct stat *st,
                           const struct cli_input *inputs, size_t n);

/* At the end: flushes standard output and reports whether all of it could be written. */
void cli_out_end(struct cli *cli);

#endif
