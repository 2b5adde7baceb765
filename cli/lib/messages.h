/* SPDX-License-Identifier: MIT */
/* messages.h - what the command says on standard error, and the exit status that it makes of it. */
#ifndef PERFDATA_CLI_MESSAGES_H
#define PERFDATA_CLI_MESSAGES_H

#include "command.h"

/* Prints "perfdata VERB: MESSAGE" on stderr, raises cli->status to `status`, and returns cli->status. */
__attribute__((format(printf, 3, 4))) int cli_fail(struct cli *cli, int status, const char *format, ...);
/* Talk: the same without a status, unless -q. */
__attribute__((format(printf, 2, 3))) void cli_say(struct cli *cli, const char *format, ...);
/* Raises cli->status to `status`. */
void cli_raise(struct cli *cli, int status);
/* Reports an error of the library about the file `name`, with the status its code stands for. */
int cli_error(struct cli *cli, const char *name, const struct pd_error *error);
/* That status; CLI_OK for what is only a note. */
int cli_status_of(const struct pd_error *error);
/*
 * That of an input that cannot be opened or read: there is none, or no file, which is wrong usage; else the
 * system fails.
 */
int cli_open_status(int error);
/* The same for a part of an input: where there is none, the input is damaged. */
int cli_part_status(int error);

/*
 * Has an allocation of memory.h failed? That is told, with CLI_OUTPUT, unless an error was. Asked before an
 * output is put in its place and at the end, so that what could not be held is not left out in silence.
 */
bool cli_no_memory(struct cli *cli);

#endif
