/* SPDX-License-Identifier: MIT */
/*
 * output.c - the file of -o: a temporary file beside it replaces it when all is written, so that neither an
 * error nor a signal leaves a partial file.
 */
#define _GNU_SOURCE
#include "output.h"
#include "input.h"
#include "cli/lib/memory.h"
#include "cli/lib/messages/messages.h"
#include "cli/lib/options.h"
#include "cli/lib/print.h"
#include "sink.h"
#include "temporary.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Names */

/* The descriptor that a name like "-" or /dev/fd/3 stands for; -1: it is the name of a file. */
static int named_descriptor(const char *name)
{
    static const char *const prefixes[] = {"/dev/fd/", "/proc/self/fd/"};
    uint64_t n;
    if (strcmp(name, "-") == 0 || strcmp(name, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(name, "/dev/stderr") == 0)
        return STDERR_FILENO;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0 &&
            cli_number(name + strlen(prefixes[i]), &n) && n <= INT_MAX)
            return (int)n;
    return -1;
}

/* dirname(path) + "/" + name, or name where path has no directory or name is absolute. */
static char *beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL || *name == '/')
        return cli_strdup(name);
    return cli_format("%.*s/%s", (int)(slash - path), path, name);
}

/* The target of a path through symbolic links, whether it exists or not; NULL with errno set. */
static char *follow_links(const char *path)
{
    char *at = cli_strdup(path);
    char link[PATH_MAX];
    ssize_t n = 0;
    for (int i = 0; at && i < 40 && (n = readlink(at, link, sizeof link - 1)) >= 0; i++) {
        link[n] = 0;
        char *next = beside(at, link);
        free(at);
        at = next;
    }
    if (at && n >= 0) {
        free(at);
        errno = ELOOP;
        return NULL;
    }
    return at;
}

bool cli_is_stdout(const char *name)
{
    return named_descriptor(name) == STDOUT_FILENO;
}

static bool find_target(const char *name, struct stat *st)
{
    const int fd = named_descriptor(name);
    return (fd >= 0 ? fstat(fd, st) : stat(name, st)) == 0;
}

/* True if both are the same name in the same directory, none of them existing. */
static bool is_same_name(const char *path, const char *other)
{
    char *a = beside(path, "."), *b = beside(other, ".");
    struct stat x, y;
    const bool same = a && b && stat(a, &x) == 0 && stat(b, &y) == 0 && cli_same_file(&x, &y) &&
                      strcmp(cli_last_part(path), cli_last_part(other)) == 0;
    free(a);
    free(b);
    return same;
}

const char *cli_outputs_collide(const char *name, const char *other)
{
    struct stat st, of_other;
    const bool exists = find_target(name, &st), other_exists = find_target(other, &of_other);
    if (exists && other_exists && !S_ISCHR(st.st_mode) && cli_same_file(&st, &of_other))
        return "this is the output";
    char *path = follow_links(name), *other_path = follow_links(other);
    const char *why = NULL;
    if (path && other_path && !exists && !other_exists && is_same_name(path, other_path))
        why = "this is the output";
    else if (path && other_exists && S_ISDIR(of_other.st_mode) && cli_is_inside(path, &of_other))
        why = "this is inside the output";
    free(path);
    free(other_path);
    return why;
}

/* ---- Opening */

static bool refuse(struct cli_output *out, int status, const char *why)
{
    cli_fail(out->cli, status, "%s: %s", out->name, why);
    cli_output_discard(out);
    return false;
}

/* While the temporary file is written, messages name that file. */
static bool name_spool(struct cli_output *out)
{
    if ((out->spool = cli_format("%s: a temporary file in %s", out->name, cli_temporary_dir())) == NULL)
        return refuse(out, CLI_OUTPUT, strerror(ENOMEM));
    out->target_name = out->name;
    out->name = out->spool;
    return true;
}

/*
 * A descriptor, or a path that is not a regular file: written in place, through a temporary file if
 * necessary.
 */
static bool open_in_place(struct cli_output *out, int fd, const struct cli_input *inputs, size_t n,
                          unsigned flags)
{
    struct stat st = {0};
    out->fd = fd;
    if (fd < 0 || fstat(fd, &st) < 0)
        return refuse(out, CLI_OUTPUT, strerror(errno));
    const char *why = cli_overwrites(out->cli, NULL, &st, inputs, n);
    if (why)
        return refuse(out, CLI_USAGE, why);
    if (!(flags & CLI_TEXT) && isatty(fd))
        return refuse(out, CLI_USAGE, "what is no text is not written to a terminal; use -o FILE or a pipe");
    const off_t at = lseek(fd, 0, SEEK_CUR);
    const int mode = fcntl(fd, F_GETFL);
    out->base = at < 0 ? 0 : (uint64_t)at;
    if ((flags & CLI_SPOOL) || ((flags & CLI_PATCH) && (at < 0 || mode < 0 || (mode & O_APPEND)))) {
        out->target = fd;
        out->base = 0;
        if ((out->fd = cli_temporary()) < 0) {
            cli_fail(out->cli, CLI_OUTPUT, "a temporary file in %s: %s", cli_temporary_dir(),
                     strerror(errno));
            cli_output_discard(out);
            return false;
        }
        return name_spool(out);
    }
    return true;
}

/* A regular file, existing or new. */
static bool open_beside(struct cli_output *out)
{
    out->temporary = beside(out->final, ".perfdata-XXXXXX");
    out->fd = out->temporary ? cli_temporary_beside(out->temporary, &out->slot) : -1;
    if (out->fd >= 0)
        return true;
    const int error = errno;
    free(out->temporary);
    out->temporary = NULL;
    return refuse(out, CLI_OUTPUT, strerror(error));
}

static bool open_path(struct cli_output *out, const struct cli_input *inputs, size_t n, unsigned flags)
{
    struct stat st;
    const bool implied = flags & CLI_IMPLIED;
    if ((out->final = implied ? cli_strdup(out->name) : follow_links(out->name)) == NULL)
        return refuse(out, CLI_OUTPUT, strerror(errno));
    const int error = (implied ? lstat : stat)(out->final, &st) < 0 ? errno : 0;
    const bool regular = !error && S_ISREG(st.st_mode);
    const char *why = error == ENOENT || regular
                          ? cli_overwrites(out->cli, out->final, error ? NULL : &st, inputs, n)
                          : NULL;
    if (why)
        return refuse(out, CLI_USAGE, why);
    if (error)
        return error == ENOENT ? open_beside(out) : refuse(out, CLI_OUTPUT, strerror(error));
    if (S_ISDIR(st.st_mode))
        return refuse(out, CLI_USAGE, "this is a directory");
    if (!regular && implied)
        return refuse(out, CLI_USAGE, "this is no regular file; -o writes to it");
    if (!regular)
        return open_in_place(out, open(out->final, O_WRONLY | O_CLOEXEC | O_NOCTTY), inputs, n, flags);
    if (!out->cli->force)
        return refuse(out, CLI_USAGE, "the file exists; -f replaces it");
    return open_beside(out);
}

bool cli_output_open(struct cli *cli, struct cli_output *out, const struct cli_input *inputs, size_t n,
                     unsigned flags)
{
    const int named = named_descriptor(cli->output);
    *out = (struct cli_output){.cli = cli, .fd = -1, .target = -1, .slot = -1, .mode = 0600};
    out->behind.off = flags & (CLI_TEXT | CLI_MANY);
    out->sink = cli_output_sink(out, (flags & CLI_PATCH) != 0);
    out->name = named == STDOUT_FILENO ? "standard output" : cli->output;
    if (n && S_ISREG(inputs[0].st.st_mode))
        out->mode = inputs[0].st.st_mode & 0777;
    out->cap = flags & CLI_MANY ? CLI_MANY_BYTES : CLI_SINK_BYTES;
    if ((out->buf = cli_malloc(out->cap)) == NULL)
        return refuse(out, CLI_OUTPUT, strerror(errno));
    const bool ok = named >= 0 ? open_in_place(out, fcntl(named, F_DUPFD_CLOEXEC, 3), inputs, n, flags)
                               : open_path(out, inputs, n, flags);
    if (ok && out->target < 0)
        cli->recording = out;
    return ok;
}

/* ---- Reading it again */

static int64_t read_output(void *user, uint64_t offset, void *buf, size_t n)
{
    const struct cli_output *out = user;
    ssize_t got;
    do
        got = pread(out->fd, buf, n, (off_t)(out->base + offset));
    while (got < 0 && errno == EINTR);
    return got < 0 ? -errno : got;
}

bool cli_output_source(struct cli_output *out, struct pd_source *source)
{
    const int error = cli_output_flush(out);
    *source = (struct pd_source){.read_at = read_output, .user = out, .size = out->written};
    if (error)
        cli_fail(out->cli, CLI_OUTPUT, "%s: %s", out->name, strerror(error));
    return error == 0;
}

/* ---- The end */

/* Copies a spooled output to its target. */
static int copy_spooled(struct cli_output *out)
{
    int error = lseek(out->fd, 0, SEEK_SET) < 0 ? errno : 0;
    ssize_t got;
    while (!error && (got = read(out->fd, out->buf, out->cap)) != 0) {
        if (got < 0)
            error = errno == EINTR ? 0 : errno;
        else
            error = cli_write_all(out->target, out->buf, (size_t)got);
    }
    return error;
}

/* Gives the temporary file its name; without -f never over another file, even one that came meanwhile. */
static int rename_temporary(struct cli_output *out)
{
    struct stat st;
    if (out->cli->force)
        return rename(out->temporary, out->final) ? errno : 0;
    if (link(out->temporary, out->final) == 0) {
        unlink(out->temporary);
        return 0;
    }
    if (errno == EEXIST)
        return errno;
    if (lstat(out->final, &st) == 0) /* a file system without links */
        return EEXIST;
    return rename(out->temporary, out->final) ? errno : 0;
}

static void forget_temporary(struct cli_output *out, bool remove)
{
    if (out->temporary && remove)
        unlink(out->temporary);
    if (out->slot >= 0)
        cli_temporary_release(out->slot);
    out->slot = -1;
    free(out->temporary);
    out->temporary = NULL;
}

/* After an earlier failure, also of standard output, no output is left that would look like a success. */
bool cli_may_commit(struct cli *cli)
{
    cli_flush_text(cli);
    for (struct cli_input *in = cli->reading; in; in = in->next)
        cli_tell_failure(in);
    const bool printed =
        cli->out_error == 0 || cli->out_error == EPIPE; /* the reader of a pipe has gone, which does not
                                                           concern the output */
    return !cli_no_memory(cli) && printed && cli->status < CLI_OUTPUT;
}

bool cli_output_commit(struct cli_output *out)
{
    if (!cli_may_commit(out->cli)) {
        cli_output_discard(out);
        return false;
    }
    int error = cli_output_flush(out);
    if (!error && out->target >= 0) {
        out->name = out->target_name;
        error = copy_spooled(out);
    }
    if (!error && out->temporary && fchmod(out->fd, out->mode) < 0)
        error = errno;
    if (out->fd >= 0 && close(out->fd) < 0 && !error)
        error = errno;
    out->fd = -1;
    if (!error && out->temporary) {
        error = rename_temporary(out);
        forget_temporary(out, error != 0);
    }
    if (error == EPIPE)
        cli_raise(out->cli, CLI_OUTPUT);
    else if (error)
        cli_fail(out->cli, CLI_OUTPUT, "%s: %s", out->name, strerror(error));
    cli_output_discard(out);
    return error == 0;
}

void cli_output_discard(struct cli_output *out)
{
    if (out->cli == NULL)
        return;
    cli_output_free_buffers(out);
    forget_temporary(out, true);
    if (out->fd >= 0)
        close(out->fd);
    if (out->target >= 0)
        close(out->target);
    if (out->cli->recording == out)
        out->cli->recording = NULL;
    free(out->final);
    free(out->spool);
    *out = (struct cli_output){0};
}

/* ---- The end of standard output */

void cli_out_end(struct cli *cli)
{
    cli_flush_text(cli);
    if (cli->out_error == 0 && cli->out.lost)
        cli->out_error = ENOMEM;
    cli_no_memory(cli);
    if (cli->out_error == EPIPE)
        cli_raise(cli, CLI_OUTPUT); /* no message: the reader of the pipe has gone */
    else if (cli->out_error)
        cli_fail(cli, CLI_OUTPUT, "standard output: %s", strerror(cli->out_error));
    free(cli->out.buf);
    cli->out = (struct pd_out){0};
}
