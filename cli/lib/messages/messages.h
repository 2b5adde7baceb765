/* SPDX-License-Identifier: MIT */
/* messages.h - messages on standard error, and the resulting exit status. */
#ifndef PERFDATA_CLI_MESSAGES_H
#define PERFDATA_CLI_MESSAGES_H

#include "cli/lib/command.h"

/* Prints "perfdata VERB: MESSAGE" on stderr, raises cli->status to `status`, and returns cli->status. */
__attribute__((format(printf, 3, 4))) int cli_fail(struct cli *cli, int status, const char *format, ...);
/* Information: the same without a status, unless -q. */
__attribute__((format(printf, 2, 3))) void cli_say(struct cli *cli, const char *format, ...);
/* Raises cli->status to `status`. */
void cli_raise(struct cli *cli, int status);
/* Reports an error of the library about the file `name`, with the status its code stands for. */
int cli_error(struct cli *cli, const char *name, const struct pd_error *error);
/* That status; CLI_OK for mere notes. */
int cli_status_of(const struct pd_error *error);
/* True for what an operation does not do with such an input, which is no damage: wrong usage. */
bool cli_is_unsupported(const struct pd_error *error);
/*
 * The status for an input that cannot be opened or read: wrong usage if it does not exist or is not a file;
 * else a failure of the system.
 */
int cli_open_status(int error);
/* The same for a part of an input: if it is missing, the input is damaged. */
int cli_part_status(int error);

/*
 * True if an allocation of memory.h has failed. Prints that, with CLI_OUTPUT, unless an error was printed.
 * Called before an output replaces its target and at the end, so that missing memory never silently drops
 * data.
 */
bool cli_no_memory(struct cli *cli);

#endif
