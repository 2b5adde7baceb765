/* SPDX-License-Identifier: MIT */
/*
 * temporary.h - temporary files and directories: until they are released, a signal that ends the command
 * removes them.
 */
#ifndef PERFDATA_CLI_TEMPORARY_H
#define PERFDATA_CLI_TEMPORARY_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* An unlinked temporary file in $TMPDIR; -1 with errno set. */
int cli_temporary(void);
/* The name of that directory, for messages. */
const char *cli_temporary_dir(void);
/* Writes all n bytes; returns 0 or an errno. */
int cli_write_all(int fd, const void *bytes, size_t n);

/* ---- Removal by signals */

/*
 * From here on SIGINT, SIGTERM and others that end a program, unless ignored, remove the remembered files
 * before they end the command.
 */
void cli_catch_signals(void);
/*
 * From here on the first SIGINT, unless it is ignored, only ends inputs that cli_wait_input() waits for; the
 * second does what it did.
 */
void cli_end_on_interrupt(void);
bool cli_interrupted(void);
/*
 * Waits until the descriptor has bytes or ends. False: it was interrupted, and nothing came for a while; a
 * writer that was interrupted, too, has then written what it had.
 */
bool cli_wait_input(int fd);
/* Blocks these signals; returns the previous mask. */
sigset_t cli_block_signals(void);
/* Makes and opens a file of a mkstemp() template. -1 with errno set; *slot is for cli_temporary_release(). */
int cli_temporary_beside(char *path, int *slot);
/* The file has its place, or is removed. */
void cli_temporary_release(int slot);
/* Remembers a file or directory before it is made, as unknown ones would be left behind. False: no memory. */
bool cli_remember_made(const char *path);
/* All of these have their final name, or are removed. */
void cli_forget_made(void);
/* Removes them, the last one first. */
void cli_remove_made(void);

/*
 * For jansson, whose parser (2.14) frees what it never allocated when an allocation fails: the command ends
 * with CLI_OUTPUT, its temporary files removed.
 */
void *cli_malloc_or_exit(size_t n);

#endif
