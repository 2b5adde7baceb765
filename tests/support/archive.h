/* SPDX-License-Identifier: MIT */
/*
 * archive.h - a directory recording as one input of the fuzzer: "PERFDIR1", then of each file a byte for the
 * length of its name, the name, u32 little-endian the bytes that it has, and these. What does not fit is
 * the rest.
 */
#ifndef PERFDATA_TESTS_ARCHIVE_H
#define PERFDATA_TESTS_ARCHIVE_H

#include "../../fuzz/harness.h"
#include "../../fuzz/image_sink.h"
#include "src/support/wire.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <perfdata/ops/convert.h>
#include <sys/stat.h>
#include <unistd.h>

#define ARCHIVE_MAGIC "PERFDIR1"
#define ARCHIVE_FILES 8
#define ARCHIVE_NAME 40
#define ARCHIVE_PATH 200

/* One file of an archive, at `at` of it; `next` is where the one behind begins. */
struct archived {
    char name[ARCHIVE_NAME];
    size_t size_at, at, n, next;
};

static inline bool is_archive(const uint8_t *data, size_t size)
{
    return size >= 8 && memcmp(data, ARCHIVE_MAGIC, 8) == 0;
}

/* False: there is no further file. */
static inline bool archive_next(const uint8_t *data, size_t size, struct archived *f)
{
    size_t at = f->next ? f->next : 8;
    const size_t length = at < size ? data[at++] : 0;
    if (length == 0 || length >= ARCHIVE_NAME || length + 4 > size - at)
        return false;
    for (size_t i = 0; i < length; i++)
        f->name[i] = data[at + i] < ' ' || data[at + i] == '/' ? '_' : (char)data[at + i];
    f->name[length] = 0;
    f->size_at = at + length;
    f->at = f->size_at + 4;
    const uint32_t said = pi_load32(data + f->size_at, PD_LITTLE);
    f->n = said < size - f->at ? said : size - f->at;
    f->next = f->at + f->n;
    return true;
}

static inline void archive_begin(struct image *im)
{
    *im = (struct image){0};
    image_bytes(im, ARCHIVE_MAGIC, 8);
}

static inline void archive_add(struct image *im, const char *name, const struct image *file)
{
    const size_t length = strlen(name);
    CHECK(length && length < ARCHIVE_NAME);
    image_number(im, length, 1);
    image_bytes(im, name, length);
    image_u32(im, (uint32_t)file->n);
    image_bytes(im, file->b, file->n);
}

/* A directory that is being written. */
struct archive_out {
    struct image files[ARCHIVE_FILES];
    char names[ARCHIVE_FILES][ARCHIVE_NAME];
    size_t n;
};

static inline int archive_open_member(void *user, const char *name, unsigned mode, struct pd_sink *sink)
{
    struct archive_out *a = user;
    (void)mode;
    if (a->n == ARCHIVE_FILES || strlen(name) >= ARCHIVE_NAME)
        return ENOSPC;
    memcpy(a->names[a->n], name, strlen(name) + 1);
    a->files[a->n] = (struct image){0};
    *sink = image_sink(&a->files[a->n++]);
    return 0;
}

static inline int archive_close_member(void *user, struct pd_sink *sink)
{
    (void)user, (void)sink;
    return 0;
}

/* What was written becomes an archive. */
static inline void archive_gather(struct archive_out *a, struct image *out)
{
    archive_begin(out);
    for (size_t i = 0; i < a->n; i++) {
        archive_add(out, a->names[i], &a->files[i]);
        image_free(&a->files[i]);
    }
    a->n = 0;
}

/* A recording as a directory. */
static inline enum pd_code archive_recording(const struct image *in, struct image *out)
{
    struct archive_out made = {.n = 0};
    const struct pd_convert_options options = {.size = sizeof options,
                                               .to = PD_CONVERT_DIRECTORY,
                                               .open_member = archive_open_member,
                                               .close_member = archive_close_member,
                                               .user = &made};
    struct pd_reader *r;
    enum pd_code code = pd_reader_open_memory(&r, in->b, in->n, NULL, NULL);
    if (code)
        return code;
    code = pd_convert(r, NULL, &options, NULL, NULL);
    pd_reader_close(r);
    archive_gather(&made, out);
    return code;
}

/* Writes the files to a new directory, whose path `path` receives. */
static inline void archive_unpack(const uint8_t *data, size_t size, char path[ARCHIVE_PATH])
{
    const char *tmpdir = getenv("TMPDIR");
    struct archived f = {.next = 0};
    char own[2 * ARCHIVE_PATH];
    snprintf(path, ARCHIVE_PATH, "%.100s/archive-XXXXXX", tmpdir ? tmpdir : "/tmp");
    CHECK(mkdtemp(path));
    for (unsigned i = 0; i < ARCHIVE_FILES && archive_next(data, size, &f); i++) {
        snprintf(own, sizeof own, "%s/%s", path, f.name);
        const int fd = open(own, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (fd < 0) /* "." */
            continue;
        CHECK(write(fd, data + f.at, f.n) == (ssize_t)f.n);
        close(fd);
    }
}

static inline void archive_remove(const char *path)
{
    char own[2 * ARCHIVE_PATH + 256];
    DIR *dir = opendir(path);
    CHECK(dir);
    for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
        snprintf(own, sizeof own, "%s/%s", path, e->d_name);
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            CHECK(unlink(own) == 0);
    }
    closedir(dir);
    CHECK(rmdir(path) == 0);
}

#endif
