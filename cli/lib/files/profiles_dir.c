/* SPDX-License-Identifier: MIT */
/* profiles_dir.c - see profiles_dir.h. */
#define _GNU_SOURCE
#include "profiles_dir.h"
#include "cli/lib/memory.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INDEX "index"

struct listing {
    char *bytes;        /* of the index, with a NUL behind */
    const char **names; /* in it, in order */
    size_t n;
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Reads the index as text. False: there is none, or no memory. */
static bool read_index(struct listing *l, int dir)
{
    struct stat st;
    const int fd = openat(dir, INDEX, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool ok = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size < PI_LIMIT_EXPORT_NAMES &&
              (l->bytes = cli_calloc((size_t)st.st_size + 1, 1)) != NULL;
    for (ssize_t done = 0, got; ok && done < st.st_size; done += got)
        ok = (got = read(fd, l->bytes + done, (size_t)(st.st_size - done))) > 0;
    if (fd >= 0)
        close(fd);
    return ok && strlen(l->bytes) == (size_t)st.st_size;
}

/* Takes the name out of a line: name, build id, addresses or offsets, path, with tabs between. */
static bool take_line(struct listing *l, char *line)
{
    char *part[4] = {line};
    for (size_t i = 1; i < 4; i++) {
        if ((part[i] = strchr(part[i - 1], '\t')) == NULL)
            return false;
        *part[i]++ = 0;
    }
    l->names[l->n++] = line;
    return strcmp(part[2], "addresses") == 0 || strcmp(part[2], "offsets") == 0;
}

/* False: it is not an index of profiles, or no memory. */
static bool take_names(struct listing *l)
{
    size_t lines = 0;
    for (const char *c = l->bytes; *c; c++)
        lines += *c == '\n';
    if ((l->names = cli_calloc(lines + 1, sizeof *l->names)) == NULL)
        return false;
    for (char *line = l->bytes, *end; *line; line = end) {
        if ((end = strchr(line, '\n')) == NULL)
            return false;
        *end++ = 0;
        if (!take_line(l, line))
            return false;
    }
    qsort(l->names, l->n, sizeof *l->names, compare_names);
    return true;
}

/* True if the directory has no other files than these. */
static bool has_no_others(const struct listing *l, DIR *dir)
{
    const struct dirent *entry;
    struct stat st;
    while ((entry = readdir(dir)) != NULL) {
        const char *name = entry->d_name;
        if (cli_is_dot(name) || strcmp(name, INDEX) == 0)
            continue;
        if (!bsearch(&name, l->names, l->n, sizeof *l->names, compare_names) ||
            fstatat(dirfd(dir), name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
            return false;
    }
    return true;
}

static bool is_profiles(const char *path)
{
    struct listing l = {0};
    DIR *dir = opendir(path);
    const bool is = dir && read_index(&l, dirfd(dir)) && take_names(&l) && has_no_others(&l, dir);
    if (dir)
        closedir(dir);
    free(l.names);
    free(l.bytes);
    return is;
}

const struct cli_directory_kind cli_profiles = {is_profiles,
                                                "a directory that is not an earlier export is not replaced"};
