/* SPDX-License-Identifier: MIT */
/*
 * dir.c - directory recordings: `data` is an ordinary file with header, attrs and features, the `data.N`
 * beside it are streams of records without a header that belong to the same attrs.
 */
#include "src/schema/fail.h"
#include "dir.h"
#include "reader/ahead.h"
#include "reader/reader_internal.h"
#include "src/support/memory.h"
#include <perfdata/feature.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static char *join(const struct pd_reader *r, const char *dir, const char *name)
{
    const size_t n = strlen(dir) + strlen(name) + 2;
    char *path = pi_resize(r->allocator, NULL, n);
    if (path)
        snprintf(path, n, "%s/%s", dir, name);
    return path;
}

bool pi_dir_is_member(const char *name)
{
    return strncmp(name, "data.", 5) == 0;
}

const char pi_dir_data[] = "the file \"data\" of this directory";

enum pd_code pi_dir_find(struct pd_reader *r, const char *path, struct pd_error *error)
{
    const char *const data = pi_dir_data;
    struct stat st = {0};
    if (strcmp(path, "-") == 0 || stat(path, &st) || !S_ISDIR(st.st_mode))
        return PD_OK;
    r->dir = join(r, path, "data");
    if (r->dir == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "path", 0, strlen(path));
    if (stat(r->dir, &st))
        return pi_fail(error, pi_open_code(errno), PD_NOWHERE, data, (uint64_t)errno, 0);
    if (!S_ISREG(st.st_mode)) /* opening a FIFO would wait for a writer */
        return pi_fail(error, PD_EMISSING, PD_NOWHERE, data, S_ISDIR(st.st_mode) ? EISDIR : EINVAL, 0);
    return PD_OK;
}

/* Path of a member, beside `data`, from this allocator. */
static char *member_path(const struct pd_reader *r, const char *name, const struct pd_allocator *allocator)
{
    const size_t n = strlen(r->dir) - 4, size = n + strlen(name) + 1;
    char *path = pi_resize(allocator, NULL, size);
    if (path)
        snprintf(path, size, "%.*s%s", (int)n, r->dir, name);
    return path;
}

bool pi_dir_is_numbered(const char *name)
{
    const size_t digits = strlen(name) > 5 ? strspn(name + 5, "0123456789") : 0;
    return digits && digits < 10 && name[5 + digits] == 0;
}

/*
 * Like perf, takes any regular file data.*. Another entry with the name of one of perf's files is a member,
 * too: the error is reported when it is to be read.
 */
static enum pd_code add_member(struct pd_reader *r, const char *name, struct pd_error *error)
{
    struct stat st = {0};
    char *path = member_path(r, name, r->allocator);
    if (path == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "member", 0, strlen(name));
    const bool there = stat(path, &st) == 0 && S_ISREG(st.st_mode);
    pi_release(r->allocator, path);
    if (!there && r->n_members && !pi_dir_is_numbered(name))
        return PD_OK;
    char *copy = pi_resize(r->allocator, NULL, strlen(name) + 1);
    if (copy == NULL ||
        !pi_grow(r->allocator, (void **)&r->members, r->n_members, &r->members_cap, sizeof *r->members)) {
        pi_release(r->allocator, copy);
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "member", 0, strlen(name));
    }
    memcpy(copy, name, strlen(name) + 1);
    r->members[r->n_members++] =
        there ? (struct pd_member){copy, (uint64_t)st.st_size, st.st_mode & 07777, false}
              : (struct pd_member){copy, 0, 0600, false};
    return PD_OK;
}

static void drop_members(struct pd_reader *r, size_t keep)
{
    while (r->n_members > keep)
        pi_release(r->allocator, (char *)(uintptr_t)r->members[--r->n_members].name);
}

static uint64_t number_of(const struct pd_member *m)
{
    return pi_dir_is_numbered(m->name) ? strtoull(m->name + 5, NULL, 10) : UINT64_MAX;
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

const struct pd_feature_section *pi_dir_version(struct pd_reader *r, uint64_t *version)
{
    const struct pd_feature_section *f = pd_reader_find_feature(r, PD_FEAT_DIR_FORMAT);
    struct pd_feature said;
    uint8_t bytes[64]; /* the bytes behind the version do not matter */
    const size_t n = f && f->section.size < sizeof bytes ? (size_t)f->section.size : sizeof bytes;
    if (f == NULL || pd_reader_read(r, f->section.offset, bytes, n, NULL) ||
        pd_feature_decode(r->info.order, f->feature, 0, bytes, n, &said, NULL) || !said.layout)
        return NULL;
    *version = said.u.dir_format.version;
    return f;
}

/* perf numbers its files without gaps: where there is one, records are missing. */
static enum pd_code find_gaps(struct pd_reader *r, struct pd_error *error)
{
    uint64_t next = 0;
    enum pd_code code = PD_OK;
    for (size_t i = 1; !code && i < r->n_members && pi_dir_is_numbered(r->members[i].name); i++) {
        const uint64_t n = number_of(&r->members[i]);
        if (n > next)
            code = pi_finding(r, error, PD_EVALUE, PD_NOWHERE, "number of the next data.N file", n, next);
        next = n + 1;
    }
    return code;
}

/* Opens the file of member i of the recording `r` for `in`, which is new and may have another allocator. */
static enum pd_code open_file(const struct pd_reader *r, size_t i, struct pi_input *in,
                              struct pd_error *error)
{
    const char *name = r->members[i].name;
    struct pd_error what = {0};
    char *path = member_path(r, name, in->allocator); /* which frees it */
    if (path == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, name, 0, strlen(r->dir) + strlen(name));
    in->parent = (struct pi_input *)(uintptr_t)&r->in; /* only to note a failure */
    const enum pd_code code = pi_input_open_file(in, path, &what);
    if (code == PD_EIO)
        return pi_input_fail(in, PD_NOWHERE, name, (int)what.found, error);
    return code ? pi_fail(error, code, PD_NOWHERE, name, what.found, what.expected) : PD_OK;
}

static enum pd_code note_unreadable(struct pd_reader *r, size_t i, const struct pd_error *what,
                                    struct pd_error *error)
{
    if (what->code == PD_EMISSING) {
        r->members[i].unreadable = true;
        return pi_finding(r, error, PD_EMISSING, PD_NOWHERE, what->field, what->found, what->expected);
    }
    if (error)
        *error = *what;
    return what->code;
}

/* Checks that all can be opened, so that opening the recording reports a failure, not reading it. */
static enum pd_code try_members(struct pd_reader *r, struct pd_error *error)
{
    enum pd_code code = PD_OK;
    for (size_t i = 1; !code && i < r->n_members; i++) {
        struct pi_input in = {.allocator = r->allocator};
        struct pd_error what;
        if (open_file(r, i, &in, &what))
            code = note_unreadable(r, i, &what, error);
        else
            r->members[i].size = pi_input_size(&in);
        pi_input_close(&in);
    }
    if (code && error)
        error->field = "a data.N file of this directory"; /* the names go with the reader */
    return code;
}

/* Compares the files with the information in `data`. */
static enum pd_code check_members(struct pd_reader *r, struct pd_error *error)
{
    const size_t others = r->n_members - 1;
    uint64_t version = 1; /* without a version: the files exist */
    const bool said = pi_dir_version(r, &version) != NULL;
    enum pd_code code = PD_OK;
    if (r->info.container ==
        PD_CONTAINER_PIPE) { /* perf writes no such directory; the stream is the whole recording */
        if (others)
            code = pi_finding(r, error, PD_EUNSUP, PD_NOWHERE, "data.N files beside a pipe stream", 0, 0);
        drop_members(r, 0);
        return code;
    }
    r->info.container = PD_CONTAINER_DIRECTORY;
    if (version > 1 ||
        (version == 0 && others)) /* with 0 perf reads only `data`, and there should be no other files */
        code = pi_finding(r, error, PD_EVALUE, PD_NOWHERE, "DIR_FORMAT version", version, 1);
    if (!code && version && !others && said)
        code = pi_finding(r, error, PD_ECOUNT, PD_NOWHERE, "data.N files", 0, 1);
    if (!code)
        code = find_gaps(r, error);
    return code ? code : try_members(r, error);
}

/* Adds data.*. */
static enum pd_code add_others(struct pd_reader *r, DIR *d, int e, struct pd_error *error)
{
    enum pd_code code = PD_OK;
    while (d && !code) {
        errno = 0;
        const struct dirent *entry = readdir(d);
        e = entry ? 0 : errno;
        if (entry == NULL)
            break;
        if (pi_dir_is_member(entry->d_name))
            code = add_member(r, entry->d_name, error);
    }
    if (!code && e == ENOMEM)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "list of the directory", 0, 0);
    return code || !e ? code : pi_input_fail(&r->in, PD_NOWHERE, "list of the directory", e, error);
}

enum pd_code pi_dir_list(struct pd_reader *r, struct pd_error *error)
{
    char *path = member_path(r, ".", r->allocator);
    if (path == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "path", 0, strlen(r->dir));
    DIR *d = opendir(path);
    const int e = d ? 0 : errno;
    pi_release(r->allocator, path);
    enum pd_code code = add_member(r, "data", error);
    if (!code)
        code = add_others(r, d, e, error);
    if (d)
        closedir(d);
    if (!code && r->n_members > 1)
        qsort(r->members, r->n_members, sizeof *r->members, by_name);
    return code ? code : check_members(r, error);
}

void pi_dir_free(struct pd_reader *r)
{
    if (r->member != r->number)
        pi_input_close(&r->member_in);
    drop_members(r, 0);
    pi_release(r->allocator, r->members);
    pi_release(r->allocator, r->dir);
}

enum pd_code pi_dir_open_member(const struct pd_reader *r, size_t i, struct pi_input *in, size_t window,
                                struct pd_error *error)
{
    enum pd_code code = PD_OK;
    if (i && r->members[i].unreadable)
        pi_input_open_memory(in, NULL, 0);
    else
        code = open_file(r, i, in, error);
    return code ? code : pi_input_start(in, window, error);
}

/* Takes member_in, which could not be opened, to be empty. */
static enum pd_code lack(struct pd_reader *r, size_t i, const struct pd_error *what, struct pd_error *error)
{
    pi_input_close(&r->member_in);
    r->member_in = (struct pi_input){.allocator = r->allocator};
    pi_input_open_memory(&r->member_in, NULL, 0);
    r->stopped = true;
    return note_unreadable(r, i, what, error);
}

enum pd_code pi_dir_enter(struct pd_reader *r, size_t i, struct pd_error *error)
{
    struct pd_error what;
    pi_ahead_reset(r->ahead);
    if (r->member != r->number)
        pi_input_close(&r->member_in);
    r->member = r->number + (uint32_t)i;
    r->src = i ? &r->member_in : &r->in;
    pi_reader_move(r, i ? 0 : r->info.data_offset);
    pi_inflate_reset(&r->inflate);
    if (!r->whole) /* of a part, whose last record may reach beyond it */
        r->end = i == 0 ? r->info.data_end : r->members[i].unreadable ? 0 : r->members[i].size;
    if (i == 0)
        return PD_OK;
    r->member_in = (struct pi_input){.allocator = r->allocator};
    return pi_dir_open_member(r, i, &r->member_in, r->window, &what) ? lack(r, i, &what, error) : PD_OK;
}

size_t pd_reader_n_members(const struct pd_reader *r)
{
    return r->n_members;
}

const struct pd_member *pd_reader_member(const struct pd_reader *r, size_t i)
{
    return i < r->n_members ? &r->members[i] : NULL;
}

static bool is_same_finding(const struct pd_error *a, const struct pd_error *b)
{
    return a->code == b->code && a->member == b->member && a->offset == b->offset &&
           a->record_offset == b->record_offset && a->field == b->field && a->found == b->found &&
           a->expected == b->expected;
}

static enum pd_code take_finding(struct pd_reader *r, const struct pd_error *f, struct pd_error *error)
{
    const enum pd_code code = pi_finding(r, error, f->code, f->offset, f->field, f->found, f->expected);
    if (!code)
        r->findings[r->n_findings - 1] = *f;
    return code;
}

/* Each reading finds the same, in the same order: the findings so far are the first ones. */
enum pd_code pi_dir_take_findings(struct pd_reader *r, const struct pd_reader *member, struct pd_error *error)
{
    enum pd_code code = PD_OK;
    size_t known = 0;
    const struct pd_error *parts = pi_probe_take_parts(&r->probe, &member->probe, member->number);
    for (size_t i = 0; known < member->n_findings && i < r->n_findings; i++)
        known += is_same_finding(&r->findings[i], &member->findings[known]);
    for (; !code && known < member->n_findings; known++)
        code = take_finding(r, &member->findings[known], error);
    for (size_t i = 0; parts && i < r->n_findings; i++)
        parts = is_same_finding(&r->findings[i], parts) ? NULL : parts;
    return !code && parts ? take_finding(r, parts, error) : code;
}
