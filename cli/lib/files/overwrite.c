/* SPDX-License-Identifier: MIT */
/* overwrite.c - keeps inputs from being overwritten, directories with all their content. */
#define _GNU_SOURCE
#include "input.h"
#include "cli/lib/memory.h"
#include "output.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool cli_same_file(const struct stat *a, const struct stat *b)
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
 * Calls `take` for a file and, if it is a directory, for its content, until it returns true, which is the
 * result. A symbolic link stands for its target, but is not entered.
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

bool cli_is_inside(const char *path, const struct stat *dir)
{
    const char *slash = strrchr(path, '/');
    char *parent = slash == path ? cli_strdup("/")
                   : slash       ? cli_strndup(path, (size_t)(slash - path))
                                 : cli_strdup(".");
    int fd = parent ? open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    struct stat at, last = {0};
    bool found = false, end = fd < 0 || fstat(fd, &at) < 0;
    while (!end && !(found = cli_same_file(&at, dir))) {
        const int up = openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
        close(fd);
        fd = up;
        last = at;
        end = fd < 0 || fstat(fd, &at) < 0 || cli_same_file(&at, &last);
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
    if (st && cli_same_file(st, &in->st))
        return "this is the input, which is never overwritten";
    if (add_identity(&set, &in->st) || (is_dir && walk(in->fd, ".", add_identity, &set)))
        why = strerror(ENOMEM);
    else if (st && is_among(&set, st))
        why = "this is part of the input, which is never overwritten";
    else if (path && is_dir && cli_is_inside(path, &in->st))
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
            (path && S_ISDIR(st->st_mode) &&
             walk(AT_FDCWD, path, find_identity, (void *)(uintptr_t)&cli->named)));
}

const char *cli_overwrites(const struct cli *cli, const char *path, const struct stat *st,
                           const struct cli_input *inputs, size_t n)
{
    const char *why = is_named(cli, path, st) ? "an option has this read, so it is never overwritten" : NULL;
    for (size_t i = 0; why == NULL && i < n; i++)
        why = overwrites(path, st, &inputs[i]);
    return why;
}
