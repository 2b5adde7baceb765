/* SPDX-License-Identifier: MIT */
/* headless.c - reads a file whose header or attrs are lost with those of another recording. */
#include "repair.h"
#include "src/codec/parts.h"
#include "src/schema/fail.h"
#include "src/container/file.h"
#include "src/support/limits.h"
#include "src/support/memory.h"
#include "src/support/wire.h"
#include "headless.h"
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* The head of one file, then another one, all or from a place on. */
struct joined {
    const struct pd_allocator *allocator;
    uint8_t *head;
    size_t n;
    uint64_t from;
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
    while ((got = pread(j->fd, buf, n, (off_t)(offset - j->n + j->from))) < 0 && errno == EINTR)
        ;
    return got < 0 ? -errno : got;
}

static void free_joined(void *user)
{
    struct joined *j = user;
    const struct pd_allocator *allocator = j->allocator;
    pi_release(allocator, j->head);
    pi_release(allocator, j);
}

static void put_section(uint8_t *at, uint64_t offset, uint64_t size, enum pd_order order)
{
    pi_store64(at, offset, order);
    pi_store64(at + 8, size, order);
}

/* The head of `like`, of a recording that is not finished and has no features. */
static enum pd_code take_all(struct joined *j, struct pd_reader *like, struct pd_error *error)
{
    const struct pd_file_header *h = &pd_reader_info(like)->header;
    const enum pd_code code = pd_reader_read(like, 0, j->head, j->n, error);
    if (!code)
        put_section(j->head + 40, j->n, 0, like->info.order);
    if (!code && h->size > PI_BYTES_file_header_OLD)
        memset(j->head + PI_BYTES_file_header_OLD, 0,
               32 < h->size - PI_BYTES_file_header_OLD ? 32 : (size_t)h->size - PI_BYTES_file_header_OLD);
    return code;
}

/*
 * The file's own head, with the attrs of `like`, whose own is laid out in the same way; so it keeps its
 * features. `theirs`: with the ids of `like`, too, and all other parts behind its header.
 */
static enum pd_code take_attrs(struct joined *j, struct pd_reader *own, struct pd_reader *like, bool theirs,
                               struct pd_error *error)
{
    enum { FROM = 16, TO = 40 }; /* attr_size, attrs */
    const struct pd_file_header *h = &pd_reader_info(like)->header;
    const struct pd_file_section behind = {h->size, j->n - h->size};
    const struct pd_file_section *part = theirs ? &behind : &h->attrs;
    enum pd_code code = pd_reader_read(own, 0, j->head, j->n, error);
    j->from = j->n;
    if (!code)
        code = pd_reader_read(like, FROM, j->head + FROM, TO - FROM, error);
    return code ? code
                : pd_reader_read(like, part->offset, j->head + part->offset, (size_t)part->size, error);
}

/* True if the header, apart from its data about the attrs, has the layout of that of `like`. */
static bool has_same_head(const struct pd_reader *own, const struct pd_reader *like)
{
    const struct pd_file_info *a = pd_reader_info(own), *b = pd_reader_info(like);
    return a->container != PD_CONTAINER_PIPE && a->order == b->order && a->version == b->version &&
           a->header.size == b->header.size && a->header.data.offset == b->header.data.offset &&
           a->data_offset == b->data_offset;
}

static enum pd_code take_head(struct joined *j, struct pd_reader *like, bool theirs, struct pd_error *error)
{
    const struct pd_file_info *info = pd_reader_info(like);
    const struct pd_file_header *h = &info->header;
    const bool usual = info->container != PD_CONTAINER_PIPE && pd_reader_n_attrs(like) &&
                       h->size >= PI_BYTES_file_header_OLD && h->attrs.offset >= h->size &&
                       h->attrs.size <= info->data_offset &&
                       h->attrs.offset <= info->data_offset - h->attrs.size &&
                       info->data_offset <= PI_LIMIT_REPAIR_HEAD;
    struct pd_reader *own = NULL;
    if (!usual)
        return pi_fail(error, PD_EUNSUP, PD_NOWHERE,
                       "a recording like it that is no file with its attrs before the data", 0, 0);
    j->n = (size_t)info->data_offset;
    j->head = pi_resize(j->allocator, NULL, j->n);
    if (j->head == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "header", 0, j->n);
    const struct pd_reader_options options = {.size = sizeof options, .allocator = j->allocator};
    enum pd_code code = pd_reader_open_fd(&own, j->fd, &options, error);
    if (pd_is_failure(code))
        return code;
    const bool same = !code && has_same_head(own, like);
    code = same ? take_attrs(j, own, like, theirs, error) : take_all(j, like, error);
    pd_reader_close(own);
    return code;
}

/* `head`: that of `like`, changed; NULL: as it is. */
static enum pd_code open_joined(struct pd_reader **reader, int fd, struct pd_reader *like,
                                const uint8_t *head, bool theirs, struct joined **joined,
                                struct pd_error *error)
{
    struct stat st = {0};
    struct joined *j = pi_resize(like->allocator, NULL, sizeof *j);
    if (j == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "header", 0, sizeof *j);
    *j = (struct joined){.allocator = like->allocator, .fd = fd};
    enum pd_code code = fstat(fd, &st) < 0 ? pi_fail(error, PD_EIO, 0, NULL, (uint64_t)errno, 0) : PD_OK;
    if (!code)
        code = take_head(j, like, theirs, error);
    if (!code && head && j->head)
        memcpy(j->head, head, j->n);
    if (code) {
        free_joined(j);
        return code;
    }
    const struct pd_source source = {read_joined, free_joined, j, j->n + (uint64_t)st.st_size - j->from};
    const struct pd_reader_options options = {.size = sizeof options, .allocator = like->allocator};
    *joined = j;
    code = pd_reader_open_source(reader, &source, &options, error);
    if (!code)
        (*reader)->headless = j->from == 0;
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
                pi_store64(j->head + at, entry.id, r->info.order);
        }
    }
}

/* Puts the file's own ids into the head; *found: the file has them. */
static enum pd_code find_ids(struct pd_reader *r, struct joined *j, bool *found, struct pd_error *error)
{
    struct pd_record rec = {0};
    enum pd_code code = PD_OK;
    *found = false;
    pi_reader_go_on(r, pi_find_records(r, r->at));
    for (unsigned i = 0;
         !*found && i < PI_LIMIT_REPAIR_RECORDS && (code = pd_reader_next(r, &rec, error)) == PD_OK; i++) {
        if (rec.type != PD_RECORD_ID_INDEX || pd_reader_decode(r, &rec, NULL) ||
            rec.u.id_index.nr != count_ids(r))
            continue;
        put_ids(r, j, &rec.u.id_index.entries);
        *found = true;
    }
    return pd_is_failure(code) ? code : PD_OK;
}

/* Opens it again, with the head as it is now. */
static enum pd_code open_again(struct pd_reader **reader, int fd, struct pd_reader *like, struct joined *j,
                               struct pd_error *error)
{
    uint8_t *head = pi_resize(like->allocator, NULL, j->n);
    if (head == NULL)
        return pi_fail(error, PD_ENOMEM, PD_NOWHERE, "header", 0, j->n);
    memcpy(head, j->head, j->n);
    pd_reader_close(*reader);
    *reader = NULL;
    const enum pd_code code = open_joined(reader, fd, like, head, false, &j, error);
    pi_release(like->allocator, head);
    return code;
}

/* ---- Checking that the attrs explain the samples */

#define LEAST_BAD 3 /* fewer may be damaged themselves */

/* A later kernel adds one more of the lower bits to samples. */
static bool is_explained(const struct pd_record *rec, enum pd_code code)
{
    const struct pd_attr *a = rec->attr;
    if (code == PD_EUNKNOWN && a)
        return a->size >= PD_ATTR_SIZE_VER0 && a->sample_type >> 32 == 0 && a->read_format >> 8 == 0;
    return !code && rec->rest.n == 0;
}

bool pi_attrs_count(struct pi_attrs_count *c, const struct pd_reader *r, const struct pd_record *rec,
                    enum pd_code code)
{
    const bool sample = rec->type == PD_RECORD_SAMPLE, orphan = pi_is_orphan(r, rec);
    if (c->fit.good + c->fit.bad >= PI_LIMIT_REPAIR_SAMPLES)
        return false;
    if (!sample && !orphan)
        return true;
    const bool explained = !orphan && is_explained(rec, code);
    *(explained ? &c->fit.good : &c->fit.bad) += 1;
    c->orphans += orphan && !sample;
    if (!orphan)
        (explained ? c->good : c->bad)[rec->attr_index % PI_ATTRS_APART]++;
    return true;
}

void pi_attrs_conclude(struct pi_attrs_count *c)
{
    const uint64_t bad = c->fit.bad - c->orphans;
    c->fit.fits = bad < LEAST_BAD || bad <= c->fit.good;
    for (unsigned i = 0; i < PI_ATTRS_APART; i++)
        c->fit.fits &= c->bad[i] < LEAST_BAD || c->bad[i] <= c->good[i];
}

enum pd_code pi_attrs_judge(struct pd_reader *r, struct pi_attrs_fit *fit, struct pd_error *error)
{
    struct pi_attrs_count count = {.fit.damaged = r->bad_attrs};
    struct pd_record rec = {0};
    enum pd_code code = pi_find_data(r, error);
    if (!code)
        code = pd_reader_rewind(r, error);
    if (!code && r->headless)
        pi_reader_go_on(r, pi_find_records(r, r->at));
    while (!code && (code = pd_reader_next(r, &rec, error)) == PD_OK)
        if (!pi_attrs_count(&count, r, &rec,
                            rec.type == PD_RECORD_SAMPLE ? pd_reader_decode(r, &rec, NULL) : PD_OK))
            break;
    pi_attrs_conclude(&count);
    *fit = count.fit;
    return pd_is_failure(code) ? code : pd_reader_rewind(r, error);
}

/* `theirs`: see take_attrs(). */
static enum pd_code open_like(struct pd_reader **reader, int fd, struct pd_reader *like, bool theirs,
                              uint64_t *shift, struct pd_error *error)
{
    struct joined *j = NULL;
    bool found = false;
    *reader = NULL;
    enum pd_code code = open_joined(reader, fd, like, NULL, theirs, &j, error);
    if (code || j == NULL)
        return code;
    *shift = j->n - j->from;
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

enum pd_code pi_reader_open_headless(struct pd_reader **reader, int fd, struct pd_reader *like,
                                     uint64_t *shift, struct pd_error *error)
{
    struct pi_attrs_fit fit;
    enum pd_code code = open_like(reader, fd, like, false, shift, error);
    if (code || *shift || (!pi_attrs_judge(*reader, &fit, NULL) && fit.bad == 0))
        return code;
    pd_reader_close(*reader);
    return open_like(reader, fd, like, true, shift, error);
}
