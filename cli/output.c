/* SPDX-License-Identifier: MIT */
/*
 * output.c - standard output, and the file of -o: a temporary file beside it that takes its place when all is
 * written, so that neither an error nor a signal leaves half a file.
 */
#define _GNU_SOURCE
#include "cli.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OUT_BYTES ((size_t)64 << 10)
#define BUFFER_BYTES ((size_t)256 << 10)

int cli_write_all(int fd, const void *bytes, size_t n)
{
    for (size_t done = 0; done < n;) {
        const ssize_t wrote = write(fd, (const char *)bytes + done, n - done);
        if (wrote < 0 && errno != EINTR)
            return errno;
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    return 0;
}

/* ---- Standard output */

static bool out_more(struct pd_out *out, size_t want)
{
    struct cli *cli = out->user;
    (void)want;
    if (cli->out_error == 0)
        cli->out_error = cli_write_all(STDOUT_FILENO, out->buf, out->n);
    out->n = 0;
    return cli->out_error == 0;
}

void cli_out_init(struct cli *cli)
{
    cli->out = (struct pd_out){.buf = malloc(OUT_BYTES), .cap = OUT_BYTES, .more = out_more, .user = cli};
    if (cli->out.buf == NULL)
        cli->out.cap = 0;
}

void cli_print(struct cli *cli, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n >= (int)sizeof text)
        n = (int)sizeof text - 1;
    pd_out_bytes(&cli->out, text, n > 0 ? (size_t)n : 0);
}

static int flush_output(struct cli_output *out);

void cli_flush(struct cli *cli)
{
    if (cli->out.n)
        out_more(&cli->out, 0);
    if (cli->recording)
        flush_output(cli->recording);
}

void cli_out_end(struct cli *cli)
{
    if (cli->out.n)
        out_more(&cli->out, 0);
    if (cli->out_error == 0 && cli->out.lost)
        cli->out_error = ENOMEM;
    if (cli->out_error == EPIPE)
        cli_raise(cli, CLI_OUTPUT); /* quietly: who reads has enough */
    else if (cli->out_error)
        cli_fail(cli, CLI_OUTPUT, "standard output: %s", strerror(cli->out_error));
    free(cli->out.buf);
    cli->out = (struct pd_out){0};
}

/* ---- Temporary files that a signal must remove: the only state of the command that is not in struct cli */

#define SLOTS 4
static char slot_path[SLOTS][PATH_MAX];
static volatile sig_atomic_t slot_used[SLOTS];
static const int slot_signals[] = {SIGINT, SIGTERM, SIGHUP};
#define N_SIGNALS (sizeof slot_signals / sizeof *slot_signals)

static void remove_temporaries(int signal)
{
    for (int i = 0; i < SLOTS; i++)
        if (slot_used[i])
            unlink(slot_path[i]);
    raise(signal); /* SA_RESETHAND: now with the usual effect */
}

static void catch_signals(void)
{
    struct sigaction ours = {.sa_handler = remove_temporaries, .sa_flags = (int)SA_RESETHAND}, old;
    sigemptyset(&ours.sa_mask);
    for (size_t i = 0; i < N_SIGNALS; i++)
        if (sigaction(slot_signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(slot_signals[i], &ours, NULL);
}

static sigset_t block_signals(void)
{
    sigset_t set, old;
    sigemptyset(&set);
    for (size_t i = 0; i < N_SIGNALS; i++)
        sigaddset(&set, slot_signals[i]);
    pthread_sigmask(SIG_BLOCK, &set, &old);
    return old;
}

/* Makes the file out->temporary, a mkstemp() template, and has signals remove it. */
static int make_temporary(struct cli_output *out)
{
    int fd = -1, slot = 0;
    while (slot < SLOTS && slot_used[slot])
        slot++;
    if (slot == SLOTS || strlen(out->temporary) >= PATH_MAX) {
        errno = slot == SLOTS ? EMFILE : ENAMETOOLONG;
        return -1;
    }
    catch_signals();
    const sigset_t old = block_signals();
    fd = mkostemp(out->temporary, O_CLOEXEC);
    if (fd >= 0) {
        strcpy(slot_path[slot], out->temporary);
        slot_used[slot] = 1;
        out->slot = slot;
    }
    const int error = errno;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    errno = error;
    return fd;
}

int cli_temporary(void)
{
    const char *dir = getenv("TMPDIR");
    char path[PATH_MAX];
    if (dir == NULL || *dir == 0)
        dir = "/tmp";
    int fd = open(dir, O_RDWR | O_TMPFILE | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    if (snprintf(path, sizeof path, "%s/perfdata-XXXXXX", dir) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    const sigset_t old = block_signals();
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    const int error = errno;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    errno = error;
    return fd;
}

/* ---- The sink */

static int failed(struct cli_output *out, int error)
{
    if (out->error == 0)
        out->error = error;
    return out->error;
}

static int flush_output(struct cli_output *out)
{
    if (out->error == 0 && out->n)
        failed(out, cli_write_all(out->fd, out->buf, out->n));
    out->n = 0;
    return out->error;
}

static int sink_write(void *user, const void *bytes, size_t n)
{
    struct cli_output *out = user;
    if (n > BUFFER_BYTES - out->n && flush_output(out))
        return out->error;
    if (n > BUFFER_BYTES)
        failed(out, cli_write_all(out->fd, bytes, n));
    else
        memcpy(out->buf + out->n, bytes, n), out->n += n;
    out->written += n;
    return out->error;
}

static int sink_patch(void *user, uint64_t offset, const void *bytes, size_t n)
{
    struct cli_output *out = user;
    if (out->error || offset > out->written || n > out->written - offset)
        return failed(out, out->error ? out->error : EINVAL);
    if (offset >= out->written - out->n) {
        memcpy(out->buf + (offset - (out->written - out->n)), bytes, n);
        return 0;
    }
    if (flush_output(out))
        return out->error;
    for (size_t done = 0; done < n;) {
        const ssize_t wrote =
            pwrite(out->fd, (const char *)bytes + done, n - done, (off_t)(out->base + offset + done));
        if (wrote < 0 && errno != EINTR)
            return failed(out, errno);
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    return 0;
}

/* ---- Opening */

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
    char *result;
    if (slash == NULL || *name == '/')
        return strdup(name);
    return asprintf(&result, "%.*s/%s", (int)(slash - path), path, name) < 0 ? NULL : result;
}

/* What a path leads to through symbolic links, whether it is there or not; NULL with errno set. */
static char *follow_links(const char *path)
{
    char *at = strdup(path);
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

static bool is_an_input(const struct stat *st, const struct cli_input *inputs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (inputs[i].st.st_dev == st->st_dev && inputs[i].st.st_ino == st->st_ino && !S_ISCHR(st->st_mode))
            return true;
    return false;
}

static bool refuse(struct cli_output *out, int status, const char *why)
{
    cli_fail(out->cli, status, "%s: %s", out->name, why);
    cli_output_discard(out);
    return false;
}

/* Something that is no regular file, or a descriptor: written as it is, through a temporary file where it
 * must be. */
static bool open_in_place(struct cli_output *out, int fd, const struct cli_input *inputs, size_t n,
                          unsigned flags)
{
    struct stat st = {0};
    out->fd = fd;
    if (fd < 0 || fstat(fd, &st) < 0)
        return refuse(out, CLI_OUTPUT, strerror(errno));
    if (is_an_input(&st, inputs, n))
        return refuse(out, CLI_USAGE, "this is the input, which is never overwritten");
    if (!(flags & CLI_TEXT) && isatty(fd))
        return refuse(out, CLI_USAGE, "a recording is not written to a terminal; use -o FILE or a pipe");
    const off_t at = lseek(fd, 0, SEEK_CUR);
    const int mode = fcntl(fd, F_GETFL);
    out->base = at < 0 ? 0 : (uint64_t)at;
    if ((flags & CLI_PATCH) && (at < 0 || mode < 0 || (mode & O_APPEND))) {
        out->target = fd;
        out->base = 0;
        if ((out->fd = cli_temporary()) < 0) {
            cli_fail(out->cli, CLI_OUTPUT, "a temporary file in $TMPDIR: %s", strerror(errno));
            cli_output_discard(out);
            return false;
        }
    }
    return true;
}

/* A regular file, or one that is to be. */
static bool open_beside(struct cli_output *out)
{
    out->temporary = beside(out->final, ".perfdata-XXXXXX");
    out->fd = out->temporary ? make_temporary(out) : -1;
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
    if ((out->final = follow_links(out->name)) == NULL)
        return refuse(out, CLI_OUTPUT, strerror(errno));
    if (stat(out->final, &st) < 0)
        return errno == ENOENT ? open_beside(out) : refuse(out, CLI_OUTPUT, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return refuse(out, CLI_USAGE, "this is a directory");
    if (!S_ISREG(st.st_mode))
        return open_in_place(out, open(out->final, O_WRONLY | O_CLOEXEC | O_NOCTTY), inputs, n, flags);
    if (is_an_input(&st, inputs, n))
        return refuse(out, CLI_USAGE, "this is the input, which is never overwritten");
    if (!out->cli->force)
        return refuse(out, CLI_USAGE, "the file exists; -f replaces it");
    return open_beside(out);
}

bool cli_output_open(struct cli *cli, struct cli_output *out, const struct cli_input *inputs, size_t n,
                     unsigned flags)
{
    const int named = named_descriptor(cli->output);
    *out = (struct cli_output){.cli = cli, .fd = -1, .target = -1, .slot = -1, .mode = 0600};
    out->sink = (struct pd_sink){sink_write, flags & CLI_PATCH ? sink_patch : NULL, out};
    out->name = named == STDOUT_FILENO ? "standard output" : cli->output;
    if (n && S_ISREG(inputs[0].st.st_mode))
        out->mode = inputs[0].st.st_mode & 0777;
    if ((out->buf = malloc(BUFFER_BYTES)) == NULL)
        return refuse(out, CLI_OUTPUT, strerror(errno));
    const bool ok = named >= 0 ? open_in_place(out, fcntl(named, F_DUPFD_CLOEXEC, 3), inputs, n, flags)
                               : open_path(out, inputs, n, flags);
    if (ok && out->target < 0)
        cli->recording = out;
    return ok;
}

/* ---- The end */

/* Copies a spooled output to where it belongs. */
static int copy_spooled(struct cli_output *out)
{
    int error = lseek(out->fd, 0, SEEK_SET) < 0 ? errno : 0;
    ssize_t got;
    while (!error && (got = read(out->fd, out->buf, BUFFER_BYTES)) != 0) {
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
        slot_used[out->slot] = 0;
    out->slot = -1;
    free(out->temporary);
    out->temporary = NULL;
}

bool cli_output_commit(struct cli_output *out)
{
    int error = flush_output(out);
    if (!error && out->target >= 0)
        error = copy_spooled(out);
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
    forget_temporary(out, true);
    if (out->fd >= 0)
        close(out->fd);
    if (out->target >= 0)
        close(out->target);
    if (out->cli->recording == out)
        out->cli->recording = NULL;
    free(out->buf);
    free(out->final);
    *out = (struct cli_output){0};
}
