/* SPDX-License-Identifier: MIT */
/*
 * output.c - standard output, and the file of -o: a temporary file beside it that takes its place when all is
 * written, so that neither an error nor a signal leaves half a file.
 */
#define _GNU_SOURCE
#include "cli.h"
#include "convert_dir.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)256 << 10)
#define LARGE_BYTES ((size_t)16 << 10)

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

/* Where in a line the next byte is, for its colour. */
enum { BRUSH_START, BRUSH_INDENT, BRUSH_HEADING, BRUSH_KEY, BRUSH_PLAIN };

/* The brush behind a byte; *before is what is to be written before it. */
static unsigned stroke(enum cli_paint paint, unsigned brush, char c, const char **before)
{
    const bool begins = brush == BRUSH_START || brush == BRUSH_INDENT, painted = brush == BRUSH_HEADING || brush == BRUSH_KEY;
    *before = "";
    if (c == '\n') {
        *before = painted ? "\033[0m" : "";
        return BRUSH_START;
    }
    if (begins && c == ' ')
        return BRUSH_INDENT;
    if (begins) {
        const bool heading = brush == BRUSH_START && paint == CLI_PAINT_HEADINGS;
        *before = heading ? "\033[1m" : "\033[36m";
        return heading ? BRUSH_HEADING : BRUSH_KEY;
    }
    if (brush == BRUSH_KEY && (c == ' ' || c == ':')) {
        *before = "\033[0m";
        return BRUSH_PLAIN;
    }
    return brush;
}

static int write_painted(struct cli *cli, const char *text, size_t n)
{
    char buf[4096];
    size_t used = 0;
    int error = 0;
    for (size_t i = 0; i < n && !error; i++) {
        const char *before;
        cli->brush = stroke(cli->paint, cli->brush, text[i], &before);
        used += (size_t)snprintf(buf + used, sizeof buf - used, "%s%c", before, text[i]);
        if (used > sizeof buf - 32 || i + 1 == n) {
            error = cli_write_all(STDOUT_FILENO, buf, used);
            used = 0;
        }
    }
    return error;
}

static void make_larger(struct pd_out *out, size_t n)
{
    char *more = cli_realloc(out->buf, n);
    if (more) {
        out->buf = more;
        out->cap = n;
    }
}

static bool out_more(struct pd_out *out, size_t want)
{
    struct cli *cli = out->user;
    if (cli->terminal && cli->progress.shown)
        cli_progress_end(cli);
    if (cli->out_error == 0 && cli->color && cli->paint)
        cli->out_error = write_painted(cli, out->buf, out->n);
    else if (cli->out_error == 0)
        cli->out_error = cli_write_all(STDOUT_FILENO, out->buf, out->n);
    out->n = 0;
    if (cli->out_error == 0 && want > out->cap) /* in one piece, as names are that have no bound */
        make_larger(out, want);
    return cli->out_error == 0;
}

void cli_out_init(struct cli *cli)
{
    cli->out = (struct pd_out){.buf = cli_malloc(BUFFER_BYTES), .cap = BUFFER_BYTES, .more = out_more, .user = cli};
    if (cli->out.buf == NULL)
        cli->out.cap = 0;
    cli->terminal = isatty(STDOUT_FILENO) == 1;
}

__attribute__((format(printf, 2, 0))) static void print_args(struct pd_out *out, const char *format, va_list args)
{
    char text[512];
    int n = vsnprintf(text, sizeof text, format, args);
    if (n >= (int)sizeof text)
        n = (int)sizeof text - 1;
    pd_out_bytes(out, text, n > 0 ? (size_t)n : 0);
}

void cli_print_to(struct pd_out *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_args(out, format, args);
    va_end(args);
}

void cli_print(struct cli *cli, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_args(&cli->out, format, args);
    va_end(args);
}

bool cli_print_much(struct cli *cli, const char *text, size_t n)
{
    if (n < LARGE_BYTES || cli->color || cli->out.lost) {
        pd_out_bytes(&cli->out, text, n);
        return cli->out_error == 0;
    }
    out_more(&cli->out, 0);
    if (cli->out_error == 0)
        cli->out_error = cli_write_all(STDOUT_FILENO, text, n);
    return cli->out_error == 0;
}

void cli_color(struct cli *cli, unsigned color)
{
    if (cli->color)
        cli_print(cli, "\033[%um", color);
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
    cli_no_memory(cli);
    if (cli->out_error == EPIPE)
        cli_raise(cli, CLI_OUTPUT); /* quietly: who reads has enough */
    else if (cli->out_error)
        cli_fail(cli, CLI_OUTPUT, "standard output: %s", strerror(cli->out_error));
    free(cli->out.buf);
    cli->out = (struct pd_out){0};
}

/* ---- Temporary files that a signal must remove: the only state of the command that is not in struct cli */

#define SLOTS 68 /* the files of a directory that are open at a time, and a few */
static char slot_path[SLOTS][PATH_MAX];
static volatile sig_atomic_t slot_used[SLOTS];
static const int slot_signals[] = {SIGINT, SIGTERM, SIGHUP};
#define N_SIGNALS (sizeof slot_signals / sizeof *slot_signals)

void cli_remove_temporaries(void)
{
    for (int i = 0; i < SLOTS; i++)
        if (slot_used[i])
            unlink(slot_path[i]);
    cli_directory_remove();
}

static void remove_temporaries(int signal)
{
    cli_remove_temporaries();
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

const char *cli_temporary_dir(void)
{
    const char *dir = getenv("TMPDIR");
    return dir && *dir ? dir : "/tmp";
}

int cli_temporary(void)
{
    const char *dir = cli_temporary_dir();
    char path[PATH_MAX];
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

/* ---- What must not be overwritten: the input, as a directory with all that is in it */

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool is_among(const struct cli_identities *set, const struct stat *st)
{
    for (size_t i = 0; i < set->n; i++)
        if (set->id[i].dev == st->st_dev && set->id[i].ino == st->st_ino)
            return true;
    return false;
}

static bool add_identity(void *user, const struct stat *st)
{
    struct cli_identities *set = user;
    if (S_ISCHR(st->st_mode))
        return false;
    if (set->n == set->cap) {
        const size_t more = set->cap ? 2 * set->cap : 64;
        struct cli_identity *p = cli_reallocarray(set->id, more, sizeof *p);
        if (p == NULL)
            return true;
        set->id = p;
        set->cap = more;
    }
    set->id[set->n++] = (struct cli_identity){st->st_dev, st->st_ino};
    return false;
}

static bool find_identity(void *user, const struct stat *st)
{
    return is_among(user, st);
}

/*
 * Calls `take` for a file and, if it is a directory, for all that is in it, until that answers true, which is the result.
 * A symbolic link stands for what it leads to, but is not entered.
 */
static bool walk(int at, const char *name, bool (*take)(void *user, const struct stat *st), void *user)
{
    struct stat st;
    if (fstatat(at, name, &st, 0) == 0 && take(user, &st))
        return true;
    const int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;
    bool found = false;
    if (dir == NULL) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    while (!found && (entry = readdir(dir)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            found = walk(fd, entry->d_name, take, user);
    closedir(dir);
    return found;
}

/* Is the directory in which `path` is or would be that one, or somewhere in it? */
static bool is_inside(const char *path, const struct stat *dir)
{
    const char *slash = strrchr(path, '/');
    char *parent = slash == path ? cli_strdup("/") : slash ? cli_strndup(path, (size_t)(slash - path)) : cli_strdup(".");
    int fd = parent ? open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    struct stat at, last = {0};
    bool found = false, end = fd < 0 || fstat(fd, &at) < 0;
    while (!end && !(found = same_file(&at, dir))) {
        const int up = openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
        close(fd);
        fd = up;
        last = at;
        end = fd < 0 || fstat(fd, &at) < 0 || same_file(&at, &last);
    }
    if (fd >= 0)
        close(fd);
    free(parent);
    return found;
}

static const char *overwrites(const char *path, const struct stat *st, const struct cli_input *in)
{
    struct cli_identities set = {0};
    const bool is_dir = S_ISDIR(in->st.st_mode);
    const char *why = NULL;
    if (st && S_ISCHR(st->st_mode))
        return NULL;
    if (st && same_file(st, &in->st))
        return "this is the input, which is never overwritten";
    if (add_identity(&set, &in->st) || (is_dir && walk(in->fd, ".", add_identity, &set)))
        why = strerror(ENOMEM);
    else if (st && is_among(&set, st))
        why = "this is part of the input, which is never overwritten";
    else if (path && is_dir && is_inside(path, &in->st))
        why = "this is inside the input, which is never overwritten";
    else if (path && st && S_ISDIR(st->st_mode) && walk(AT_FDCWD, path, find_identity, &set))
        why = "this contains the input, which is never overwritten";
    free(set.id);
    return why;
}

FILE *cli_open_named(struct cli *cli, const char *path)
{
    struct stat st;
    FILE *file = fopen(path, "rbe");
    if (file && (fstat(fileno(file), &st) < 0 || add_identity(&cli->named, &st))) {
        const int error = errno;
        fclose(file);
        errno = error;
        return NULL;
    }
    return file;
}

bool cli_name_input(struct cli *cli, const struct cli_input *in)
{
    return !add_identity(&cli->named, &in->st) &&
           !(S_ISDIR(in->st.st_mode) && walk(in->fd, ".", add_identity, &cli->named));
}

static bool is_named(const struct cli *cli, const char *path, const struct stat *st)
{
    return st && !S_ISCHR(st->st_mode) &&
           (is_among(&cli->named, st) ||
            (path && S_ISDIR(st->st_mode) && walk(AT_FDCWD, path, find_identity, (void *)(uintptr_t)&cli->named)));
}

const char *cli_overwrites(const struct cli *cli, const char *path, const struct stat *st, const struct cli_input *inputs, size_t n)
{
    const char *why = is_named(cli, path, st) ? "an option has this read, so it is never overwritten" : NULL;
    for (size_t i = 0; why == NULL && i < n; i++)
        why = overwrites(path, st, &inputs[i]);
    return why;
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
    const bool large = n >= LARGE_BYTES; /* more than a window's end: copying it would be for nothing */
    if ((large || n > BUFFER_BYTES - out->n) && flush_output(out))
        return out->error;
    if (large)
        failed(out, cli_write_all(out->fd, bytes, n));
    else
        memcpy(out->buf + out->n, bytes, n), out->n += n;
    out->written += n;
    return out->error;
}

uint64_t cli_output_copy(struct cli_output *out, int fd, uint64_t offset, uint64_t n)
{
    off_t at = (off_t)offset;
    uint64_t done = 0;
    ssize_t got = 1;
    if (flush_output(out))
        return 0;
    while (done < n && (got > 0 || (got < 0 && errno == EINTR))) {
        const uint64_t left = n - done;
        if ((got = copy_file_range(fd, &at, out->fd, NULL, left < SSIZE_MAX ? (size_t)left : SSIZE_MAX, 0)) > 0)
            done += (uint64_t)got;
    }
    out->written += done;
    return done;
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
    if (slash == NULL || *name == '/')
        return cli_strdup(name);
    return cli_format("%.*s/%s", (int)(slash - path), path, name);
}

/* What a path leads to through symbolic links, whether it is there or not; NULL with errno set. */
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

static bool refuse(struct cli_output *out, int status, const char *why)
{
    cli_fail(out->cli, status, "%s: %s", out->name, why);
    cli_output_discard(out);
    return false;
}

/* As long as the temporary file is written, messages are about that. */
static bool name_spool(struct cli_output *out)
{
    if ((out->spool = cli_format("%s: a temporary file in %s", out->name, cli_temporary_dir())) == NULL)
        return refuse(out, CLI_OUTPUT, strerror(ENOMEM));
    out->target_name = out->name;
    out->name = out->spool;
    return true;
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
            cli_fail(out->cli, CLI_OUTPUT, "a temporary file in %s: %s", cli_temporary_dir(), strerror(errno));
            cli_output_discard(out);
            return false;
        }
        return name_spool(out);
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
    const int error = stat(out->final, &st) < 0 ? errno : 0;
    const bool regular = !error && S_ISREG(st.st_mode);
    const char *why = error == ENOENT || regular ? cli_overwrites(out->cli, out->final, error ? NULL : &st, inputs, n) : NULL;
    if (why)
        return refuse(out, CLI_USAGE, why);
    if (error)
        return error == ENOENT ? open_beside(out) : refuse(out, CLI_OUTPUT, strerror(error));
    if (S_ISDIR(st.st_mode))
        return refuse(out, CLI_USAGE, "this is a directory");
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
    out->sink = (struct pd_sink){sink_write, flags & CLI_PATCH ? sink_patch : NULL, out};
    out->name = named == STDOUT_FILENO ? "standard output" : cli->output;
    if (n && S_ISREG(inputs[0].st.st_mode))
        out->mode = inputs[0].st.st_mode & 0777;
    if ((out->buf = cli_malloc(BUFFER_BYTES)) == NULL)
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
    const int error = flush_output(out);
    *source = (struct pd_source){.read_at = read_output, .user = out, .size = out->written};
    if (error)
        cli_fail(out->cli, CLI_OUTPUT, "%s: %s", out->name, strerror(error));
    return error == 0;
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

/* What failed before, standard output included, leaves no output that would look like a success. */
bool cli_may_commit(struct cli *cli)
{
    if (cli->out.n)
        out_more(&cli->out, 0);
    return !cli_no_memory(cli) && cli->out_error == 0 && cli->status < CLI_OUTPUT;
}

bool cli_output_commit(struct cli_output *out)
{
    if (!cli_may_commit(out->cli)) {
        cli_output_discard(out);
        return false;
    }
    int error = flush_output(out);
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
    forget_temporary(out, true);
    if (out->fd >= 0)
        close(out->fd);
    if (out->target >= 0)
        close(out->target);
    if (out->cli->recording == out)
        out->cli->recording = NULL;
    free(out->buf);
    free(out->final);
    free(out->spool);
    *out = (struct cli_output){0};
}
