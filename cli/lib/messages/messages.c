/* SPDX-License-Identifier: MIT */
/* messages.c - messages on standard error, and the resulting exit status. */
#include "messages.h"
#include "cli/lib/memory.h"
#include "cli/lib/print.h"
#include "progress.h"
#include <errno.h>
#include <stdarg.h>
#include <string.h>

void cli_raise(struct cli *cli, int status)
{
    if (status > cli->status)
        cli->status = status;
}

__attribute__((format(printf, 2, 0))) static void talk(struct cli *cli, const char *format, va_list args)
{
    cli_progress_end(cli);
    if (cli->terminal)
        cli_flush(cli); /* so that results and messages keep their order */
    char text[4096], plain[4 * sizeof text];
    struct pd_out out = {.buf = plain, .cap = sizeof plain - 1};
    vsnprintf(text, sizeof text, format, args);
    pd_out_visible(&out, text, strlen(text)); /* a name may have any bytes: none may control the terminal */
    plain[out.n] = 0;
    fprintf(stderr, "perfdata%s%s: %s\n", cli->verb ? " " : "", cli->verb ? cli->verb : "", plain);
}

int cli_fail(struct cli *cli, int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    talk(cli, format, args);
    va_end(args);
    cli_raise(cli, status);
    return cli->status;
}

void cli_say(struct cli *cli, const char *format, ...)
{
    va_list args;
    if (cli->quiet)
        return;
    va_start(args, format);
    talk(cli, format, args);
    va_end(args);
}

int cli_status_of(const struct pd_error *error)
{
    switch (error->code) {
    case PD_OK:
    case PD_END: return CLI_OK;
    case PD_EUNKNOWN: return CLI_OK; /* a note */
    case PD_EARG: return CLI_USAGE;
    default: return pd_is_failure(error->code) ? CLI_OUTPUT : CLI_DAMAGED;
    }
}

bool cli_is_unsupported(const struct pd_error *error)
{
    return error->code == PD_EUNSUP && error->field && !error->record_type;
}

int cli_open_status(int error)
{
    const bool none = error == ENOENT || error == ENOTDIR || error == ELOOP || error == ENAMETOOLONG ||
                      error == EISDIR || error == EINVAL || error == ENXIO || error == EBADF; /* closed */
    return none ? CLI_USAGE : CLI_OUTPUT;
}

int cli_part_status(int error)
{
    return cli_open_status(error) == CLI_USAGE ? CLI_DAMAGED : CLI_OUTPUT;
}

int cli_error(struct cli *cli, const char *name, const struct pd_error *error)
{
    char text[512];
    const int status = cli_status_of(error);
    if (error->code == PD_EOUT && error->found == EPIPE) {
        cli_raise(cli, status); /* no message: the reader of the pipe has gone */
        return cli->status;
    }
    pd_error_text(error, text, sizeof text);
    return cli_fail(cli, status, "%s: %s", name, text);
}

bool cli_no_memory(struct cli *cli)
{
    if (cli_ran_out() && cli->status < CLI_OUTPUT)
        cli_fail(cli, CLI_OUTPUT, "no memory");
    return cli_ran_out();
}
