/* SPDX-License-Identifier: MIT */
/* dir_files.c - files of a directory recording that hold no records. */
#include "dir.h"
#include "src/support/limits.h"
#include "reader/reader_internal.h"
#include "src/support/memory.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct walk {
    const struct pd_reader *reader;
    pi_dir_file *file;
    void *user;
    struct pd_error *error;
    uint64_t left;
    size_t root;     /* bytes of the path before the names */
    char path[4096]; /* of the folder or file at hand */
};

static enum pd_code fail_reading(const struct walk *w, const char *field)
{
    return pi_fail(w->error, PD_EIO, PD_NOWHERE, field, (uint64_t)errno, 0);
}

static bool is_passed(const struct walk *w, const char *name, int depth)
{
    bool member = strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
    for (size_t i = 0; depth == 0 && i < w->reader->n_members; i++)
        member |= strcmp(w->reader->members[i].name, name) == 0;
    return member;
}

static enum pd_code walk_folder(struct walk *w, int depth);

static enum pd_code walk_file(struct walk *w, unsigned mode)
{
    if (w->file == NULL) {
        w->left++;
        return PD_OK;
    }
    const int fd = open(w->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return fail_reading(w, "a file of this directory");
    const enum pd_code code = w->file(w->user, w->path + w->root, mode, fd, w->error);
    close(fd);
    return code;
}

static enum pd_code walk_entry(struct walk *w, int depth)
{
    struct stat st;
    if (lstat(w->path, &st) < 0)
        return fail_reading(w, "a file of this directory");
    if (S_ISREG(st.st_mode))
        return walk_file(w, st.st_mode & 07777);
    if (S_ISDIR(st.st_mode) && depth < PI_LIMIT_COPY_DEPTH)
        return walk_folder(w, depth + 1);
    w->left++;
    return PD_OK;
}

static enum pd_code walk_folder(struct walk *w, int depth)
{
    const size_t n = strlen(w->path), room = sizeof w->path - n;
    DIR *d = opendir(w->path);
    const struct dirent *entry;
    enum pd_code code = d ? PD_OK : fail_reading(w, "a folder of this directory");
    while (!code && (entry = readdir(d))) {
        if (is_passed(w, entry->d_name, depth))
            continue;
        const char *slash = depth ? "/" : "";
        if ((size_t)snprintf(w->path + n, room, "%s%s", slash, entry->d_name) < room)
            code = walk_entry(w, depth);
        else
            w->left++;
    }
    w->path[n] = 0;
    if (d)
        closedir(d);
    return code;
}

enum pd_code pi_dir_each_file(const struct pd_reader *r, pi_dir_file *file, void *user, uint64_t *left,
                              struct pd_error *error)
{
    struct walk w = {.reader = r, .file = file, .user = user, .error = error};
    const size_t n = r->dir ? strlen(r->dir) : 0; /* the path ends in "/data" */
    *left = 0;
    if (n < 5 || n >= sizeof w.path)
        return PD_OK;
    w.root = n - 4;
    memcpy(w.path, r->dir, w.root);
    const enum pd_code code = walk_folder(&w, 0);
    *left = w.left;
    return code;
}
