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
    struct stat st = {0};
    if (strcmp(path, "-") == 0 || stat(path, &st) || !S_ISDIR(st.st_mode))
        return PD_OK;
    r->dir = join(r, path, "data");
    return r->dir ? PD_OK : pd_fail(error, PD_ENOMEM, PD_NOWHERE, "path", 0, strlen(path));
}

/* Path of a member: beside `data`. */
static char *member_path(const struct pd_reader *r, const char *name)
{
    const size_t n = strlen(r->dir) - 4;
    char *path = pd_resize(r->allocator, NULL, n + strlen(name) + 1);
    if (path) {
        memcpy(path, r->dir, n);
        memcpy(path + n, name, strlen(name) + 1);
    }
    return path;
}

static enum pd_code add_member(struct pd_reader *r, const char *name, struct pd_error *error)
{
    struct stat st = {0};
    char *path = member_path(r, name);
    if (path == NULL)
        return pd_fail(error, PD_ENOMEM, PD_NOWHERE, "member", 0, strlen(name));
    const bool there = stat(path, &st) == 0 && S_ISREG(st.st_mode);
    pd_release(r->allocator, path);
    if (!there)
        return PD_OK;
    char *copy = pd_resize(r->allocator, NULL, strlen(name) + 1);
    if (copy == NULL || !pd_grow(r->allocator, (void **)&r->members, r->n_members, &r->members_cap, sizeof *r->members)) {
        pd_release(r->allocator, copy);
        return pd_fail(error, PD_ENOMEM, PD_NOWHERE, "member", 0, strlen(name));
    }
    memcpy(copy, name, strlen(name) + 1);
    r->members[r->n_members++] = (struct pd_member){copy, (uint64_t)st.st_size, st.st_mode & 07777};
    return PD_OK;
}

/* `data` first, then by number, then by name. */
static int by_name(const void *a, const void *b)
{
    const char *x = ((const struct pd_member *)a)->name + 4, *y = ((const struct pd_member *)b)->name + 4;
    const unsigned long long m = *x ? strtoull(x + 1, NULL, 10) : 0, n = *y ? strtoull(y + 1, NULL, 10) : 0;
    if (!*x != !*y)
        return *x ? 1 : -1;
    return m != n ? (m < n ? -1 : 1) : strcmp(x, y);
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

enum pd_code pd_dir_list(struct pd_reader *r, struct pd_error *error)
{
    char *path = member_path(r, ".");
    DIR *d = path ? opendir(path) : NULL;
    const int e = errno;
    enum pd_code code = add_member(r, "data", error);
    r->info.container = PD_CONTAINER_DIRECTORY;
    pd_release(r->allocator, path);
    if (d == NULL)
        return path ? pd_fail(error, PD_EIO, PD_NOWHERE, NULL, (uint64_t)e, 0) : PD_ENOMEM;
    const struct dirent *entry;
    while (!code && (entry = readdir(d)))
        if (strncmp(entry->d_name, "data.", 5) == 0)
            code = add_member(r, entry->d_name, error);
    closedir(d);
    if (!code && r->n_members > 1)
        qsort(r->members, r->n_members, sizeof *r->members, by_name);
    if (!code && r->n_members > 1 && dir_version(r) == 0) {
        code = pd_finding(r, error, PD_EVALUE, PD_NOWHERE, "DIR_FORMAT version, with data.N files that are not read", 0, 1);
        while (r->n_members > 1)
            pd_release(r->allocator, (char *)(uintptr_t)r->members[--r->n_members].name);
    }
    return code;
}

void pd_dir_free(struct pd_reader *r)
{
    if (r->member)
        pd_input_close(&r->member_in);
    for (size_t i = 0; i < r->n_members; i++)
        pd_release(r->allocator, (char *)(uintptr_t)r->members[i].name);
    pd_release(r->allocator, r->members);
    pd_release(r->allocator, r->dir);
}

static enum pd_code open_member(struct pd_reader *r, size_t i, struct pd_error *error)
{
    char *path = member_path(r, r->members[i].name);
    r->member_in = (struct pd_input){.allocator = r->allocator};
    enum pd_code code = path ? pd_input_open_path(&r->member_in, path, error)
                             : pd_fail(error, PD_ENOMEM, PD_NOWHERE, r->members[i].name, 0, 0);
    pd_release(r->allocator, path);
    return code ? code : pd_input_start(&r->member_in, r->window, error);
}

enum pd_code pd_dir_enter(struct pd_reader *r, size_t i, struct pd_error *error)
{
    enum pd_code code = PD_OK;
    if (r->member)
        pd_input_close(&r->member_in);
    r->member = (uint32_t)i;
    r->src = i ? &r->member_in : &r->in;
    r->payload_left = 0;
    r->inside = r->stopped = false;
    pd_inflate_reset(&r->inflate);
    r->at = i ? 0 : r->info.data_offset;
    r->end = i ? r->members[i].size : r->info.data_end;
    if (i && (code = open_member(r, i, error))) {
        pd_finding(r, NULL, code, PD_NOWHERE, r->members[i].name, error ? error->found : 0, 0);
        r->stopped = true;
    }
    return code == PD_ENOMEM ? code : PD_OK;
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
    if (i >= reader->n_members)
        return pd_fail(error, PD_EARG, PD_NOWHERE, "member", i, reader->n_members);
    struct pd_reader *r = pd_reader_new(options, error);
    char *path = r ? member_path(reader, reader->members[i].name) : NULL;
    enum pd_code code = path ? pd_input_open_path(&r->in, path, error) : PD_ENOMEM;
    pd_release(reader->allocator, path);
    if (!code)
        code = pd_input_start(&r->in, r->window, error);
    if (code) {
        pd_reader_close(r);
        return code;
    }
    r->info = reader->info;
    r->attrs = reader->attrs;
    r->borrowed = true;
    r->info.file_size = reader->members[i].size;
    r->info.data_offset = i ? 0 : reader->info.data_offset;
    r->info.data_end = i ? r->info.file_size : reader->info.data_end;
    *member = r;
    return pd_dir_enter(r, 0, error);
}
