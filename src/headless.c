/* SPDX-License-Identifier: MIT */
/* headless.c - a file whose header or attrs are gone, read with those of another recording. */
#include "repair.h"
#include "codec_internal.h"
#include "memory.h"
#include "wire.h"
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_HEAD (UINT64_C(256) << 20)
#define MOST_RECORDS 65536 /* in which the ID_INDEX is looked for: perf writes it before it samples */

/* The head of one file, then all of another. */
struct joined {
    const struct pd_allocator *allocator;
    uint8_t *head;
    size_t n;
    int fd;
};

static int64_t read_joined(void *user, uint64_t offset, void *buf, size_t n)
{
    const struct joined *j = user;
    if (offset < j->n) {
        n = n < j->n - offset ? n : j->n - (size_t)offset;
        memcpy(buf, j->head + offset, n);
        return (int64_t)n;
    }
    ssize_t got;
    while ((got = pread(j->fd, buf, n, (off_t)(offset - j->n))) < 0 && errno == EINTR)
        ;
    return got < 0 ? -errno : got;
}

static void free_joined(void *user)
{
    struct joined *j = user;
    const struct pd_allocator *allocator = j->allocator;
    pd_release(allocator, j->head);
    pd_release(allocator, j);
}

static void put_section(uint8_t *at, uint64_t offset, uint64_t size, enum pd_order order)
{
    pd_store64(at, offset, order);
    pd_store64(at + 8, size, order);
}

/* The head of `like`, of a recording that is not finished and has no features. */
static enum pd_code take_head(struct joined *j, struct pd_reader *like, struct pd_error *error)
{
    const struct pd_file_info *info = pd_reader_info(like);
    const struct pd_file_header *h = &info->header;
    const bool usual = info->container != PD_CONTAINER_PIPE && pd_reader_n_attrs(like) &&
                       h->size >= PD_BYTES_file_header_OLD &&
                       h->attrs.offset + h->attrs.size <= info->data_offset && info->data_offset <= MOST_HEAD;
    if (!usual)
        return pd_fail(error, PD_EUNSUP, PD_NOWHERE,
                       "a recording like it that is no file with its attrs before the data", 0, 0);
    j->n = (size_t)info->data_offset;
    j->head = pd_resize(j->allocator, NULL, j->n);
    if (j->head == NULL)
        return pd_fail(error, PD_ENOMEM, PD_NOWHERE, "header", 0, j->n);
    const enum pd_code code = pd_reader_read(like, 0, j->head, j->n, error);
    if (!code)
        put_section(j->head + 40, j->n, 0, info->order);
    if (!code && h->size > PD_BYTES_file_header_OLD)
        memset(j->head + PD_BYTES_file_header_OLD, 0,
               32 < h->size - PD_BYTES_file_header_OLD ? 32 : (size_t)h->size - PD_BYTES_file_header_OLD);
    return code;
}

/* `head`: that of `like`, changed; NULL: as it is. */
static enum pd_code open_joined(struct pd_reader **reader, int fd, struct pd_reader *like,
                                const uint8_t *head, struct joined **joined, struct pd_error *error)
{
    struct stat st;
    struct joined *j = pd_resize(like->allocator, NULL, sizeof *j);
    if (j == NULL)
        return pd_fail(error, PD_ENOMEM, PD_NOWHERE, "header", 0, sizeof *j);
    *j = (struct joined){.allocator = like->allocator, .fd = fd};
    enum pd_code code = fstat(fd, &st) < 0 ? pd_fail(error, PD_EIO, 0, NULL, (uint64_t)errno, 0) : PD_OK;
    if (!code)
        code = take_head(j, like, error);
    if (!code && head && j->head)
        memcpy(j->head, head, j->n);
    if (code) {
        free_joined(j);
        return code;
    }
    const struct pd_source source = {read_joined, free_joined, j, j->n + (uint64_t)st.st_size};
    const struct pd_reader_options options = {.size = sizeof options, .allocator = like->allocator};
    *joined = j;
    code = pd_reader_open_source(reader, &source, &options, error);
    if (!code)
        (*reader)->headless = true;
    return code;
}

/* ---- Ids */

static uint64_t count_ids(const struct pd_reader *r)
{
    uint64_t n = 0;
    for (size_t i = 0; i < r->attrs.n; i++)
        n += r->attrs.attr[i]->n_ids;
    return n;
}

/* perf lists the ids attr by attr, in the order in which the attrs have them. */
static void put_ids(const struct pd_reader *r, struct joined *j, const struct pd_list *entries)
{
    size_t n = 0;
    for (size_t i = 0; i < r->attrs.n; i++) {
        const struct pd_event_attr *e = r->attrs.attr[i];
        for (size_t k = 0; k < e->n_ids; k++, n++) {
            struct pd_id_index_entry entry;
            const uint64_t at = e->ids_section.offset + 8 * k;
            pd_id_index_entry_at(entries, n, &entry);
            if (at + 8 <= j->n)
                pd_store64(j->head + at, entry.id, r->info.order);
        }
    }
}

/* Puts the file's own ids into the head; *found: it says them. */
static enum pd_code find_ids(struct pd_reader *r, struct joined *j, bool *found, struct pd_error *error)
{
    struct pd_record rec = {0};
    enum pd_code code = PD_OK;
    *found = false;
    pd_reader_go_on(r, pd_find_records(r, r->at));
    for (unsigned i = 0; !*found && i < MOST_RECORDS && (code = pd_reader_next(r, &rec, error)) == PD_OK;
         i++) {
        if (rec.type != PD_RECORD_ID_INDEX || pd_reader_decode(r, &rec, NULL) ||
            rec.u.id_index.nr != count_ids(r))
            continue;
        put_ids(r, j, &rec.u.id_index.entries);
        *found = true;
    }
    return code == PD_ENOMEM || code == PD_EIO ? code : PD_OK;
}

/* Opens it again, with the head as it is now. */
static enum pd_code open_again(struct pd_reader **reader, int fd, struct pd_reader *like, struct joined *j,
                               struct pd_error *error)
{
    uint8_t *head = pd_resize(like->allocator, NULL, j->n);
    if (head == NULL)
        return pd_fail(error, PD_ENOMEM, PD_NOWHERE, "header", 0, j->n);
    memcpy(head, j->head, j->n);
    pd_reader_close(*reader);
    *reader = NULL;
    const enum pd_code code = open_joined(reader, fd, like, head, &j, error);
    pd_release(like->allocator, head);
    return code;
}

enum pd_code pd_reader_open_headless(struct pd_reader **reader, int fd, struct pd_reader *like,
                                     uint64_t *shift, struct pd_error *error)
{
    struct joined *j = NULL;
    bool found = false;
    *reader = NULL;
    enum pd_code code = open_joined(reader, fd, like, NULL, &j, error);
    if (code || j == NULL)
        return code;
    *shift = j->n;
    code = find_ids(*reader, j, &found, error);
    if (!code && found)
        code = open_again(reader, fd, like, j, error);
    if (!code)
        code = pd_reader_rewind(*reader, error);
    if (code) {
        pd_reader_close(*reader);
        *reader = NULL;
    }
    return code;
}
