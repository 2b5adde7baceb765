/* SPDX-License-Identifier: MIT */
/* convert_dir.h - a directory recording as output: built beside its place under another name, then renamed.
 */
#ifndef PERFDATA_CLI_CONVERT_DIR_H
#define PERFDATA_CLI_CONVERT_DIR_H

#include "src/support/limits.h"
#include "cli/lib/cli.h"

struct cli_directory {
    struct cli *cli;
    char *final, *temporary; /* paths */
    mode_t mode;
    bool replace;                                      /* `final` exists and may be replaced */
    struct cli_output files[PI_LIMIT_DIRECTORY_FILES]; /* being written */
    int error;                                         /* errno of the first failure */
};

/* The directories that -f replaces, and what is said of others. */
struct cli_directory_kind {
    bool (*is)(const char *path);
    const char *other;
};
extern const struct cli_directory_kind cli_recordings;

/*
 * Opens the directory cli->output, as cli_output_open() does with a file; n inputs. False: the message is
 * printed.
 */
bool cli_directory_open(struct cli *cli, struct cli_directory *dir, const struct cli_input *in, size_t n,
                        const struct cli_directory_kind *kind);
/* "." and "..". */
bool cli_is_dot(const char *name);
/* A file in it, written through *sink until cli_directory_close(). Both return 0 or an errno. */
int cli_directory_file(struct cli_directory *dir, const char *name, mode_t mode, struct pd_sink *sink);
int cli_directory_close(struct cli_directory *dir, struct pd_sink *sink);
/* A directory and a symbolic link in it. Both return 0 or an errno. */
int cli_directory_mkdir(struct cli_directory *dir, const char *name);
int cli_directory_link(struct cli_directory *dir, const char *name, const char *target);
/* True if the file of that name holds records of the recording. */
bool cli_is_member(const struct cli_input *in, const char *name);
/* Copies the files of the directory `path` that are not members of the recording: kcore_dir and the like. */
bool cli_directory_copy_others(struct cli_directory *dir, const struct cli_input *in, const char *path);
/* True if the directory has such files. */
bool cli_directory_has_others(const struct cli_input *in, const char *path);
/* Moves the directory to its final name. */
bool cli_directory_commit(struct cli_directory *dir);
/*
 * A directory beside a path that holds files until all of them are written; each is then moved to its final
 * name, never over another file without -f. False: the message is printed.
 */
bool cli_directory_stage(struct cli *cli, struct cli_directory *dir, const char *path);
bool cli_directory_move(struct cli_directory *dir, const char *name, const char *final);
/* Removes the files that were not committed. */
void cli_directory_discard(struct cli_directory *dir);

#endif
