/* SPDX-License-Identifier: MIT */
/* spool.c - a recording that is written to a temporary file first, and from there in another form. */
#include "cli/lib/cli.h"
#include "encode/container/stdio_sink.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

bool cli_take_to(struct cli *cli, enum pd_convert_to *to)
{
    static const char *const names[] = {
        [PD_CONVERT_FILE] = "file", [PD_CONVERT_PIPE] = "pipe", [PD_CONVERT_DIRECTORY] = "dir"};
    const int i = CLI_FIND_WORD(cli, "--to", cli->arg, strlen(cli->arg), names);
    if (i >= 0)
        *to = (enum pd_convert_to)i;
    return i >= 0;
}

int cli_take_order(struct cli *cli)
{
    static const char *const names[] = {[PD_LITTLE] = "little", [PD_BIG] = "big"};
    return CLI_FIND_WORD(cli, "--endian", cli->arg, strlen(cli->arg), names);
}

enum pd_convert_to cli_container(const struct cli *cli, const struct pd_reader *reader,
                                 enum pd_convert_to asked)
{
    if (asked != PD_CONVERT_SAME)
        return asked;
    if (strcmp(cli->output, "-") == 0)
        return PD_CONVERT_PIPE;
    switch (pd_reader_info(reader)->container) {
    case PD_CONTAINER_PIPE: return PD_CONVERT_PIPE;
    case PD_CONTAINER_DIRECTORY: return PD_CONVERT_DIRECTORY;
    default: return PD_CONVERT_FILE;
    }
}

bool cli_is_direct(const struct pd_reader *reader, enum pd_convert_to to)
{
    switch (pd_reader_info(reader)->container) {
    case PD_CONTAINER_PIPE: return to == PD_CONVERT_PIPE;
    case PD_CONTAINER_DIRECTORY: return to != PD_CONVERT_PIPE;
    default: return to == PD_CONVERT_FILE;
    }
}

static enum pd_code failed(struct pd_error *error)
{
    *error = (struct pd_error){
        .code = PD_ETEMP, .offset = PD_NOWHERE, .record_index = PD_NOWHERE, .found = (uint64_t)errno};
    return PD_ETEMP;
}

enum pd_code cli_spool_open(struct cli_spool *spool, struct pd_error *error)
{
    const int fd = cli_temporary();
    spool->file = fd < 0 ? NULL : fdopen(fd, "w+b");
    spool->sink = pi_stdio_sink(spool->file);
    if (spool->file)
        return PD_OK;
    failed(error);
    if (fd >= 0)
        close(fd);
    return PD_ETEMP;
}

static enum pd_code convert(const struct cli_spool *spool, const struct pd_convert_options *how,
                            const struct pd_sink *sink, struct pd_error *error)
{
    struct pd_convert_stats stats;
    struct pd_reader *r;
    if (fflush(spool->file))
        return failed(error);
    enum pd_code code = pd_reader_open_fd(&r, fileno(spool->file), NULL, error);
    if (code)
        return code;
    code = pd_convert(r, sink, how, &stats, error);
    pd_reader_close(r);
    return code;
}

enum pd_code cli_spool_convert(struct cli_spool *spool, enum pd_code code,
                               const struct pd_convert_options *how, const struct pd_sink *sink,
                               struct pd_error *error)
{
    if (code == PD_EOUT)
        code = error->code = PD_ETEMP;
    if (!code)
        code = convert(spool, how, sink, error);
    fclose(spool->file);
    return code;
}
