/* SPDX-License-Identifier: MIT */
/* spool.c - a recording that is written to a temporary file first, and from there in another form. */
#include "cli.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

bool cli_take_to(struct cli *cli, enum pd_convert_to *to)
{
    static const char *const names[] = {
        [PD_CONVERT_FILE] = "file", [PD_CONVERT_PIPE] = "pipe", [PD_CONVERT_DIRECTORY] = "dir"};
    for (int i = PD_CONVERT_FILE; i <= PD_CONVERT_DIRECTORY; i++)
        if (strcmp(cli->arg, names[i]) == 0) {
            *to = (enum pd_convert_to)i;
            return true;
        }
    cli_fail(cli, CLI_USAGE, "--to: \"%s\" is neither file, pipe nor dir", cli->arg);
    return false;
}

enum pd_convert_to cli_container(const struct cli *cli, const struct pd_reader *reader, enum pd_convert_to asked)
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

static int spool_write(void *user, const void *bytes, size_t n)
{
    return fwrite(bytes, 1, n, user) == n ? 0 : errno ? errno : EIO;
}

static int spool_patch(void *user, uint64_t offset, const void *bytes, size_t n)
{
    if (fseeko(user, (off_t)offset, SEEK_SET) || spool_write(user, bytes, n) || fseeko(user, 0, SEEK_END))
        return errno ? errno : EIO;
    return 0;
}

static enum pd_code failed(struct pd_error *error)
{
    *error = (struct pd_error){.code = PD_EOUT,
                               .offset = PD_NOWHERE,
                               .record_index = PD_NOWHERE,
                               .field = "temporary file",
                               .found = (uint64_t)errno};
    return PD_EOUT;
}

enum pd_code cli_spool_open(struct cli_spool *spool, struct pd_error *error)
{
    const int fd = cli_temporary();
    spool->file = fd < 0 ? NULL : fdopen(fd, "w+b");
    spool->sink = (struct pd_sink){.write = spool_write, .patch = spool_patch, .user = spool->file};
    if (spool->file)
        return PD_OK;
    failed(error);
    if (fd >= 0)
        close(fd);
    return PD_EOUT;
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
        error->field = "temporary file";
    if (!code)
        code = convert(spool, how, sink, error);
    fclose(spool->file);
    return code;
}

/* The options that cli_write_through() passes on, with our own note(). */
struct spooled {
    struct cli *cli;
    const struct pd_convert_options *how;
};

static int open_member(void *user, const char *name, unsigned mode, struct pd_sink *sink)
{
    const struct spooled *s = user;
    return s->how->open_member(s->how->user, name, mode, sink);
}

static int close_member(void *user, struct pd_sink *sink)
{
    const struct spooled *s = user;
    return s->how->close_member(s->how->user, sink);
}

static void on_note(void *user, const struct pd_convert_note *note)
{
    const struct spooled *s = user;
    const char *name = pd_set_name(&pd_set_feature, note->number);
    if (strcmp(note->what, "feature") == 0)
        cli_say(s->cli, "feature %s does not come along: %s", name ? name : "unknown", note->why);
}

enum pd_code cli_write_through(struct cli *cli, const struct pd_convert_options *how, const struct pd_sink *sink,
                               enum pd_code (*write)(void *user, const struct pd_sink *sink, struct pd_error *error),
                               void *user, struct pd_error *error)
{
    struct spooled s = {cli, how};
    struct pd_convert_options ours = *how;
    struct cli_spool spool;
    const enum pd_code code = cli_spool_open(&spool, error);
    if (code)
        return code;
    ours.open_member = open_member;
    ours.close_member = close_member;
    ours.note = on_note;
    ours.user = &s;
    return cli_spool_convert(&spool, write(user, &spool.sink, error), &ours, sink, error);
}
