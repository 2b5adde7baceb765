/* SPDX-License-Identifier: MIT */
/*
 * dir.c - directory recordings: `data` is an ordinary file with header, attrs and features, the `data.N` beside it are
 * streams of records without a header that belong to the same attrs.
 */
#include "codec_internal.h"
#include "file.h"
#include "memory.h"
#include "wire.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static char *join(const struct pd_reader *r, const char *dir, const char *name)
{
    const size_t n = strlen(dir) + strlen(name) + 2;
    char *path = pd_resize(r->allocator, NULL, n);
    if (path)
        snprintf(path, n, "%s/%s", dir, name);
    return path;
}

enum pd_code pd_dir_find(struct pd_reader *r, const char *path, struct pd_error *error)
{
    static const char data[] = "the file \"data\" of this directory";
    struct stat st = {0};
    if (strcmp(path, "-") == 0 || stat(path, &st) || !S_ISDIR(st.st_mode))
        return PD_OK;
    r->dir = join(r, path, "data");
    if (r->dir == NULL)
        return pd_fail(error, PD_ENOMEM, PD_NOWHERE, "path", 0, strlen(path));
    if (stat(r->dir, &st))
        return pd_fail(error, PD_EIO, PD_NOWHERE, data, (uint64_t)errno, 0);
    if (!S_ISREG(st.st_mode)) /* opening a FIFO would wait for a writer */
        return pd_fail(error, PD_EIO, PD_NOWHERE, data, S_ISDIR(st.st_mode) ? EISDIR : EINVAL, 0);
    return PD_OK;
}

/* Path of a member: beside `data`. */
static char *member_path(const struct pd_reader *r, const char *name)
{
    const size_t n = strlen(r->dir) - 4, size = n + strlen(name) + 1;
    char *path = pd_resize(r->allocator, NULL, size);
    if (path)
        snprintf(path, size, "%.*s%s", (int)n, r->dir, name);
    return path;
}

/* perf names its files data.0, data.1, ...: such a name is never anything else. */
static bool is_numbered(const char *name)
{
    const size_t digits = strlen(name) > 5 ? strspn(name + 5, "0123456789") : 0;
    return digits && digits < 10 && name[5 + digits] == 0;
}

/*
 * Like perf, takes any regular file data.*. What is no regular file but named like one of perf's is a member, too: that it
 * cannot be read is said when its turn comes.
 */
static enum pd_code add_member(struct pd_reader *r, const char *name, struct pd_error *error)
{
    struct stat st = {0};
    char *path = member_path(r, name);
    if (path == NULL)
        return pd_fail(error, PD_ENOMEM, PD_NOWHERE, "member", 0, strlen(name));
    const bool there = stat(path, &st) == 0 && S_ISREG(st.st_mode);
    pd_release(r->allocator, path);
    if (!there && r->n_members && !is_numbered(name))
        return PD_OK;
    char *copy = pd_resize(r->allocator, NULL, strlen(name) + 1);
    if (copy == NULL || !pd_grow(r->allocator, (void **)&r->members, r->n_members, &r->members_cap, sizeof *r->members)) {
        pd_release(r->allocator, copy);
        return pd_fail(error, PD_ENOMEM, PD_NOWHERE, "member", 0, strlen(name));
    }
    memcpy(copy, name, strlen(name) + 1);
    r->members[r->n_members++] =
        there ? (struct pd_member){copy, (uint64_t)st.st_size, st.st_mode & 07777} : (struct pd_member){copy, 0, 0600};
    return PD_OK;
}

static void drop_members(struct pd_reader *r, size_t keep)
{
    while (r->n_members > keep)
        pd_release(r->allocator, (char *)(uintptr_t)r->members[--r->n_members].name);
}

static uint64_t number_of(const struct pd_member *m)
{
    return is_numbered(m->name) ? strtoull(m->name + 5, NULL, 10) : UINT64_MAX;
}

/* `data` first, then by number, then by name. */
static int by_name(const void *a, const void *b)
{
    const struct pd_member *x = a, *y = b;
    const uint64_t m = number_of(x), n = number_of(y);
    if (!x->name[4] != !y->name[4])
        return x->name[4] ? 1 : -1;
    return m != n ? (m < n ? -1 : 1) : strcmp(x->name, y->name);
}

/* The version in the DIR_FORMAT feature; 1 when there is none, since the files are there. */
static uint64_t dir_version(struct pd_reader *r)
{
    const struct pd_feature_section *f = pd_reader_find_feature(r, PD_FEAT_DIR_FORMAT);
    uint8_t version[8];
    if (f == NULL || f->section.size < sizeof version || pd_reader_read(r, f->section.offset, version, sizeof version, NULL))
        return 1;
    return pd_load64(version, r->info.order);
}

/* perf numbers its files without gaps: where there is one, records are missing. */
static enum pd_code find_gaps(struct pd_reader *r, struct pd_error *error)
{
    uint64_t next = 0;
    enum pd_code code = PD_OK;
    for (size_t i = 1; !code && i < r->n_members && is_numbered(r->members[i].name); i++) {
        const uint64_t n = number_of(&r->members[i]);
        if (n > next)
            code = pd_finding(r, error, PD_EVALUE, PD_NOWHERE, "number of the next data.N file", n, next);
        next = n + 1;
    }
    return code;
}

/* Opens the file of member i of the recording `r` for `in`, which is new. */
static enum pd_code open_file(const struct pd_reader *r, size_t i, struct pd_input *in, struct pd_error *error)
{
    const char *name = r->members[i].name;
    struct stat st = {0};
    struct pd_error what = {0};
    char *path = member_path(r, name);
    enum pd_code code;
    if (path == NULL)
        return pd_fail(error, PD_ENOMEM, PD_NOWHERE, name, 0, strlen(r->dir) + strlen(name));
    if (stat(path, &st))
        code = pd_fail(error, PD_EIO, PD_NOWHERE, name, (uint64_t)errno, 0);
    else if (!S_ISREG(st.st_mode)) /* opening a FIFO would wait for a writer */
        code = pd_fail(error, PD_EIO, PD_NOWHERE, name, S_ISDIR(st.st_mode) ? EISDIR : EINVAL, 0);
    else if ((code = pd_input_open_path(in, path, &what)))
        code = pd_fail(error, what.code, PD_NOWHERE, name, what.found, what.expected);
    pd_release(r->allocator, path);
    return code;
}

/* A member that cannot be read is one without records, of which a finding tells. */
static bool is_unreadable(const struct pd_reader *r, size_t i)
{
    for (size_t k = 0; k < r->n_findings; k++)
        if (r->findings[k].field == r->members[i].name)
            return true;
    return false;
}

static enum pd_code note_unreadable(struct pd_reader *r, const struct pd_error *what, struct pd_error *error)
{
    if (what->code == PD_EIO)
        return pd_finding(r, error, PD_EIO, PD_NOWHERE, what->field, what->found, what->expected);
    if (error)
        *error = *what;
    return what->code;
}

/* Can all be opened? Whoever opens the recording learns it then, not only after the records of the others. */
static enum pd_code try_members(struct pd_reader *r, struct pd_error *error)
{
    enum pd_code code = PD_OK;
    for (size_t i = 1; !code && i < r->n_members; i++) {
        struct pd_input in = {.allocator = r->allocator};
        struct pd_error what;
        if (open_file(r, i, &in, &what))
            code = note_unreadable(r, &what, error);
        pd_input_close(&in);
    }
    return code;
}

/* Do the files fit what `data` says of them? */
static enum pd_code check_members(struct pd_reader *r, struct pd_error *error)
{
    const size_t others = r->n_members - 1;
    const uint64_t version = dir_version(r);
    enum pd_code code = PD_OK;
    if (r->info.container == PD_CONTAINER_PIPE) { /* perf writes no such thing; the stream is all there is to it */
        if (others)
            code = pd_finding(r, error, PD_EUNSUP, PD_NOWHERE, "data.N files beside a pipe stream", 0, 0);
        drop_members(r, 0);
        return code;
    }
    r->info.container = PD_CONTAINER_DIRECTORY;
    if (version == 0 && others) {
        code = pd_finding(r, error, PD_EVALUE, PD_NOWHERE, "DIR_FORMAT version, with data.N files that are not read", 0, 1);
        drop_members(r, 1);
        return code;
    }
    if (version > 1)
        code = pd_finding(r, error, PD_EVALUE, PD_NOWHERE, "DIR_FORMAT version", version, 1);
    if (!code && version && !others && pd_reader_find_feature(r, PD_FEAT_DIR_FORMAT))
        code = pd_finding(r, error, PD_ECOUNT, PD_NOWHERE, "data.N files", 0, 1);
    if (!code)
        code = find_gaps(r, error);
    return code ? code : try_members(r, error);
}

/* Adds data.*; what of the directory cannot be listed becomes a finding. */
static enum pd_code add_others(struct pd_reader *r, DIR *d, int e, struct pd_error *error)
{
    enum pd_code code = PD_OK;
    while (d && !code) {
        errno = 0;
        const struct dirent *entry = readdir(d);
        e = entry ? 0 : errno;
        if (entry == NULL)
            break;
        if (strncmp(entry->d_name, "data.", 5) == 0)
            code = add_member(r, entry->d_name, error);
    }
    if (!code && e == ENOMEM)
        return pd_fail(error, PD_ENOMEM, PD_NOWHERE, "list of the directory", 0, 0);
    return code || !e ? code : pd_finding(r, error, PD_EIO, PD_NOWHERE, "list of the directory", (uint64_t)e, 0);
}

enum pd_code pd_dir_list(struct pd_reader *r, struct pd_error *error)
{
    char *path = member_path(r, ".");
    if (path == NULL)
        return pd_fail(error, PD_ENOMEM, PD_NOWHERE, "path", 0, strlen(r->dir));
    DIR *d = opendir(path);
    const int e = d ? 0 : errno;
    pd_release(r->allocator, path);
    enum pd_code code = add_member(r, "data", error);
    if (!code)
        code = add_others(r, d, e, error);
    if (d)
        closedir(d);
    if (!code && r->n_members > 1)
        qsort(r->members, r->n_members, sizeof *r->members, by_name);
    return code ? code : check_members(r, error);
}

void pd_dir_free(struct pd_reader *r)
{
    if (r->member)
        pd_input_close(&r->member_in);
    drop_members(r, 0);
    pd_release(r->allocator, r->members);
    pd_release(r->allocator, r->dir);
}

/* Opens member i of the recording `r` for `in`, which is new. */
static enum pd_code open_member(const struct pd_reader *r, size_t i, struct pd_input *in, size_t window,
                                struct pd_error *error)
{
    enum pd_code code = PD_OK;
    if (i && is_unreadable(r, i))
        pd_input_open_memory(in, NULL, 0);
    else
        code = open_file(r, i, in, error);
    return code ? code : pd_input_start(in, window, error);
}

/* Takes member_in, which could not be opened, to be empty. */
static enum pd_code lack(struct pd_reader *r, const struct pd_error *what, struct pd_error *error)
{
    pd_input_close(&r->member_in);
    r->member_in = (struct pd_input){.allocator = r->allocator};
    pd_input_open_memory(&r->member_in, NULL, 0);
    r->stopped = true;
    return note_unreadable(r, what, error);
}

enum pd_code pd_dir_enter(struct pd_reader *r, size_t i, struct pd_error *error)
{
    struct pd_error what;
    if (r->member)
        pd_input_close(&r->member_in);
    r->member = (uint32_t)i;
    r->src = i ? &r->member_in : &r->in;
    r->payload_left = 0;
    pd_input_no_next(r->src);
    r->inside = r->nested = r->stopped = false;
    r->pending.code = PD_OK;
    pd_inflate_reset(&r->inflate);
    r->at = i ? 0 : r->info.data_offset;
    if (!r->whole) /* of a part, whose last record may reach beyond it */
        r->end = i == 0 ? r->info.data_end : is_unreadable(r, i) ? 0 : r->members[i].size;
    if (i == 0)
        return PD_OK;
    r->member_in = (struct pd_input){.allocator = r->allocator};
    return open_member(r, i, &r->member_in, r->window, &what) ? lack(r, &what, error) : PD_OK;
}

size_t pd_reader_n_members(const struct pd_reader *r)
{
    return r->n_members;
}

const struct pd_member *pd_reader_member(const struct pd_reader *r, size_t i)
{
    return i < r->n_members ? &r->members[i] : NULL;
}

enum pd_code pd_reader_open_member(struct pd_reader **member, const struct pd_reader *reader, size_t i,
                                   const struct pd_reader_options *options, struct pd_error *error)
{
    *member = NULL;
    if (i >= reader->n_members)
        return pd_fail(error, PD_EARG, PD_NOWHERE, "member", i, reader->n_members);
    struct pd_reader *r = pd_reader_new(options, error);
    if (r == NULL)
        return PD_ENOMEM;
    const enum pd_code code = open_member(reader, i, &r->in, r->window, error);
    if (code) {
        pd_reader_close(r);
        return code;
    }
    r->info = reader->info;
    r->attrs = reader->attrs;
    r->borrowed = true;
    r->info.file_size = i && is_unreadable(reader, i) ? 0 : reader->members[i].size;
    r->info.data_offset = i ? 0 : reader->info.data_offset;
    r->info.data_end = i ? r->info.file_size : reader->info.data_end;
    *member = r;
    return pd_dir_enter(r, 0, error);
}
