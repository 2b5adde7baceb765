/* SPDX-License-Identifier: MIT */
/* convert_dir.c - a directory recording as output: built beside its place under another name, then renamed.
 */
#define _GNU_SOURCE
#include "convert_dir.h"
#include "src/support/limits.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LARGE_BUFFERS 16 /* files that have them; else 800 pieces of `split` would take 50 MiB more */

/* ---- Opening */

static char *join(const char *dir, const char *name)
{
    return cli_format("%s/%s", dir, name);
}

/* The path without slashes at its end. */
static char *trimmed(const char *path)
{
    char *copy = cli_strdup(path);
    for (size_t n = copy ? strlen(copy) : 0; n > 1 && copy[n - 1] == '/'; n--)
        copy[n - 1] = 0;
    return copy;
}

static char *template_beside(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return cli_strdup(".perfdata-XXXXXX");
    return cli_format("%.*s.perfdata-XXXXXX", (int)(slash + 1 - path), path);
}

static bool refuse(struct cli_directory *d, int status, const char *why)
{
    cli_fail(d->cli, status, "%s: %s", d->cli->output, why);
    cli_directory_discard(d);
    return false;
}

static bool is_recording(const char *path)
{
    struct stat st;
    char *data = join(path, "data");
    const bool is = data && stat(data, &st) == 0 && S_ISREG(st.st_mode);
    free(data);
    return is;
}

static bool is_empty(const char *path)
{
    const struct dirent *entry;
    bool is = true;
    DIR *dir = opendir(path);
    if (dir == NULL)
        return false;
    while (is && (entry = readdir(dir)) != NULL)
        is = cli_is_dot(entry->d_name);
    closedir(dir);
    return is;
}

/* -f is not meant for other directories than an earlier output. */
static bool may_replace(struct cli_directory *d, const struct cli_input *in, size_t n,
                        const struct cli_directory_kind *kind)
{
    struct stat st;
    const int error = lstat(d->final, &st) < 0 ? errno : 0;
    if (error && error != ENOENT)
        return refuse(d, CLI_OUTPUT, strerror(error));
    const char *why = cli_overwrites(d->cli, d->final, error ? NULL : &st, in, n);
    if (why)
        return refuse(d, CLI_USAGE, why);
    if (error)
        return true;
    d->replace = true;
    if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
        return refuse(d, CLI_USAGE, "a directory cannot take the place of this");
    if (S_ISDIR(st.st_mode) && is_empty(d->final)) { /* made to be the output */
        d->mode = st.st_mode & 0777;
        return true;
    }
    if (S_ISDIR(st.st_mode) && !kind->is(d->final))
        return refuse(d, CLI_USAGE, kind->other);
    if (!d->cli->force)
        return refuse(d, CLI_USAGE, "it exists; -f replaces it");
    return true;
}

static bool make_directory(struct cli_directory *d, const char *beside)
{
    char *path = template_beside(beside);
    cli_catch_signals();
    if (path == NULL || mkdtemp(path) == NULL) {
        const int error = errno;
        free(path);
        return refuse(d, CLI_OUTPUT, strerror(error));
    }
    d->temporary = path;
    if (cli_remember_made(path))
        return true;
    rmdir(path);
    return refuse(d, CLI_OUTPUT, strerror(ENOMEM));
}

bool cli_directory_stage(struct cli *cli, struct cli_directory *d, const char *path)
{
    *d = (struct cli_directory){.cli = cli};
    return make_directory(d, path);
}

bool cli_directory_open(struct cli *cli, struct cli_directory *d, const struct cli_input *in, size_t n,
                        const struct cli_directory_kind *kind)
{
    *d = (struct cli_directory){.cli = cli, .mode = S_ISDIR(in->st.st_mode) ? in->st.st_mode & 0777 : 0700};
    if ((d->final = trimmed(cli->output)) == NULL)
        return refuse(d, CLI_OUTPUT, strerror(errno));
    return may_replace(d, in, n, kind) && make_directory(d, d->final);
}

const struct cli_directory_kind cli_recordings = {is_recording,
                                                  "a directory that is no recording is not replaced"};

/* ---- Files of the recording */

/* True if the directory has a file of that path, or one is being written. */
static bool is_taken(const struct cli_directory *d, const char *path)
{
    struct stat st;
    for (size_t i = 0; i < PI_LIMIT_DIRECTORY_FILES; i++)
        if (d->files[i].cli && d->files[i].final && strcmp(d->files[i].final, path) == 0)
            return true;
    return lstat(path, &st) == 0;
}

int cli_directory_file(struct cli_directory *d, const char *name, mode_t mode, struct pd_sink *sink)
{
    const char *output = d->cli->output;
    struct cli_output *out = d->files;
    char *path = join(d->temporary, name);
    if (path && is_taken(d, path)) { /* never replaced, with -f either */
        cli_fail(d->cli, CLI_OUTPUT, "%s: two files of it have the name %s", output, name);
        free(path);
        return EIO;
    }
    while (out < d->files + PI_LIMIT_DIRECTORY_FILES && out->cli)
        out++;
    const int error = out == d->files + PI_LIMIT_DIRECTORY_FILES ? EMFILE
                      : path == NULL || !cli_remember_made(path) ? ENOMEM
                                                                 : 0;
    if (error) {
        free(path);
        return error;
    }
    d->cli->output = path;
    const bool many = out - d->files >= LARGE_BUFFERS;
    const bool ok = cli_output_open(d->cli, out, NULL, 0, CLI_PATCH | (many ? CLI_MANY : 0));
    d->cli->output = output;
    if (ok) {
        out->mode = mode & 0777;
        out->name = output;
        if (out->temporary && !cli_remember_made(out->temporary)) {
            cli_output_discard(out);
            free(path);
            return ENOMEM;
        }
        *sink = out->sink;
    }
    free(path);
    return ok ? 0 : EIO; /* the message is printed */
}

int cli_directory_close(struct cli_directory *d, struct pd_sink *sink)
{
    for (size_t i = 0; i < PI_LIMIT_DIRECTORY_FILES; i++)
        if (d->files[i].cli && sink->user == &d->files[i])
            return cli_output_commit(&d->files[i]) ? 0 : EIO;
    return 0;
}

int cli_directory_mkdir(struct cli_directory *d, const char *name)
{
    char *path = join(d->temporary, name);
    const int error = path == NULL || !cli_remember_made(path) ? ENOMEM : mkdir(path, 0700) < 0 ? errno : 0;
    free(path);
    return error;
}

int cli_directory_link(struct cli_directory *d, const char *name, const char *target)
{
    char *path = join(d->temporary, name);
    const int error = path == NULL || !cli_remember_made(path) ? ENOMEM
                      : symlink(target, path) < 0              ? errno
                                                               : 0;
    free(path);
    return error;
}

/* ---- Other files */

bool cli_is_member(const struct cli_input *in, const char *name)
{
    for (size_t i = 0; i < pd_reader_n_members(in->reader); i++)
        if (strcmp(pd_reader_member(in->reader, i)->name, name) == 0)
            return true;
    return false;
}

bool cli_is_dot(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int copy_bytes(int from, int to)
{
    static char buf[65536];
    ssize_t got;
    int error = 0;
    while (!error && (got = read(from, buf, sizeof buf)) != 0) {
        if (got < 0)
            error = errno == EINTR ? 0 : errno;
        else
            error = cli_write_all(to, buf, (size_t)got);
    }
    return error;
}

static int copy_file(const char *from, const char *to, mode_t mode)
{
    const int in = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (in < 0)
        return errno;
    const bool known = cli_remember_made(to);
    const int out = known ? open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    int error = !known ? ENOMEM : out < 0 ? errno : copy_bytes(in, out);
    if (!error && fchmod(out, mode & 07777) < 0)
        error = errno;
    if (out >= 0 && close(out) < 0 && !error)
        error = errno;
    close(in);
    return error;
}

static int copy_link(const char *from, const char *to)
{
    char target[4096];
    const ssize_t n = readlink(from, target, sizeof target - 1);
    if (n < 0)
        return errno;
    target[n] = 0;
    if (!cli_remember_made(to))
        return ENOMEM;
    return symlink(target, to) < 0 ? errno : 0;
}

static int copy_tree(struct cli_directory *d, const char *from, const char *to, const struct cli_input *in,
                     int depth);

static int copy_entry(struct cli_directory *d, const char *from, const char *to, int depth)
{
    struct stat st;
    int error = 0;
    if (lstat(from, &st) < 0)
        return errno;
    if (S_ISREG(st.st_mode))
        return copy_file(from, to, st.st_mode);
    if (S_ISLNK(st.st_mode))
        return copy_link(from, to);
    if (!S_ISDIR(st.st_mode) || depth == PI_LIMIT_COPY_DEPTH) {
        cli_say(d->cli, "%s is not copied", from);
        return 0;
    }
    if (!cli_remember_made(to))
        return ENOMEM;
    if (mkdir(to, 0700) < 0)
        return errno;
    error = copy_tree(d, from, to, NULL, depth + 1);
    return error || chmod(to, st.st_mode & 07777) == 0 ? error : errno;
}

/* Copies the content of a directory, without members of the recording if `in` is given. */
static int copy_tree(struct cli_directory *d, const char *from, const char *to, const struct cli_input *in,
                     int depth)
{
    DIR *dir = opendir(from);
    const struct dirent *entry;
    int error = dir ? 0 : errno;
    while (dir && !error && (entry = readdir(dir))) {
        if (cli_is_dot(entry->d_name) || (in && cli_is_member(in, entry->d_name)))
            continue;
        char *source = join(from, entry->d_name), *target = join(to, entry->d_name);
        error = source && target ? copy_entry(d, source, target, depth) : ENOMEM;
        if (error)
            cli_fail(d->cli, CLI_OUTPUT, "%s: copying it: %s", source ? source : from, strerror(error));
        free(source);
        free(target);
        if (error)
            break;
    }
    if (dir)
        closedir(dir);
    return error;
}

bool cli_directory_copy_others(struct cli_directory *d, const struct cli_input *in, const char *path)
{
    const int error = copy_tree(d, path, d->temporary, in, 0);
    if (error && d->cli->status < CLI_OUTPUT) /* it could not be opened */
        cli_fail(d->cli, CLI_OUTPUT, "%s: copying it: %s", path, strerror(error));
    return error == 0;
}

bool cli_directory_has_others(const struct cli_input *in, const char *path)
{
    DIR *dir = opendir(path);
    const struct dirent *entry;
    bool found = false;
    while (dir && !found && (entry = readdir(dir)))
        found = !cli_is_dot(entry->d_name) && !cli_is_member(in, entry->d_name);
    if (dir)
        closedir(dir);
    return found;
}

/* ---- The end */

/* Removes a directory and its content. */
static void remove_tree(const char *path)
{
    DIR *dir = unlink(path) == 0 ? NULL : opendir(path);
    const struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        char *inside = cli_is_dot(entry->d_name) ? NULL : join(path, entry->d_name);
        if (inside)
            remove_tree(inside);
        free(inside);
    }
    if (dir)
        closedir(dir);
    rmdir(path);
}

/* An existing target is renamed first, and removed when the new directory has its final name. */
static int replace_old(struct cli_directory *d)
{
    char *aside = template_beside(d->final);
    int error = aside == NULL ? ENOMEM : mkdtemp(aside) ? 0 : errno;
    char *old = error ? NULL : join(aside, "old");
    if (!error && (old == NULL || rename(d->final, old) < 0))
        error = old ? errno : ENOMEM;
    if (!error && rename(d->temporary, d->final) < 0) {
        error = errno;
        if (rename(old, d->final) < 0)
            cli_fail(d->cli, CLI_OUTPUT, "what was at %s is now at %s", d->final, old);
    }
    if (!error)
        remove_tree(old);
    if (aside)
        rmdir(aside);
    free(old);
    free(aside);
    return error;
}

static int put_in_place(struct cli_directory *d)
{
    if (chmod(d->temporary, d->mode) < 0)
        return errno;
    if (d->replace)
        return replace_old(d);
    if (renameat2(AT_FDCWD, d->temporary, AT_FDCWD, d->final, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != ENOSYS && errno != EINVAL)
        return errno;
    return rename(d->temporary, d->final) ? errno : 0; /* a file system without that flag */
}

static int move_file(const struct cli_directory *d, const char *from, const char *to)
{
    if (d->cli->force)
        return rename(from, to) < 0 ? errno : 0;
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != ENOSYS && errno != EINVAL)
        return errno;
    return link(from, to) < 0 ? errno
                              : 0; /* a file system without that flag; the old name goes with the directory */
}

bool cli_directory_move(struct cli_directory *d, const char *name, const char *final)
{
    char *path = cli_may_commit(d->cli) ? join(d->temporary, name) : NULL;
    if (path == NULL && d->cli->status == CLI_OUTPUT)
        return false;
    const int error = path ? move_file(d, path, final) : ENOMEM;
    if (error)
        cli_fail(d->cli, CLI_OUTPUT, "%s: %s", final, strerror(error));
    free(path);
    return error == 0;
}

bool cli_directory_commit(struct cli_directory *d)
{
    if (!cli_may_commit(d->cli)) {
        cli_directory_discard(d);
        return false;
    }
    const sigset_t old = cli_block_signals();
    const int error = put_in_place(d);
    if (!error)
        cli_forget_made();
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (error)
        return refuse(d, CLI_OUTPUT, strerror(error));
    cli_directory_discard(d);
    return true;
}

void cli_directory_discard(struct cli_directory *d)
{
    if (d->cli == NULL)
        return;
    for (size_t i = 0; i < PI_LIMIT_DIRECTORY_FILES; i++)
        cli_output_discard(&d->files[i]);
    cli_remove_made();
    cli_forget_made();
    free(d->final);
    free(d->temporary);
    *d = (struct cli_directory){0};
}
