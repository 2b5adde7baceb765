/* SPDX-License-Identifier: MIT */
/* build_ids.c - build ids of files, from BUILD_ID, its records and mappings. */
#include "metadata.h"
#include "src/codec/carried.h"
#include "src/support/wrap.h"
#include <string.h>
#include <xxhash.h>

/* ---- Mappings. */

static bool same_file(const struct pd_mmap2 *a, const struct pd_mmap2 *b)
{
    return a->filename.len == b->filename.len &&
           memcmp(a->filename.ptr, b->filename.ptr, a->filename.len) == 0 &&
           memcmp(a->build_id, b->build_id, sizeof a->build_id) == 0;
}

/*
 * Keeps a file with a build id once. Records of files with the same hash have consecutive numbers in the map.
 */
PI_WRAPS enum pd_code pi_meta_keep_mapping(struct pd_metadata *m, const struct pd_record *rec,
                                           struct pd_error *error)
{
    struct pd_record one = {0};
    uint32_t known;
    if (!rec->plan || pd_record_decode(rec->plan, rec->raw, rec->size, &one, NULL))
        return PD_OK; /* whoever reads the records reports damage */
    const struct pd_mmap2 *map = &one.u.mmap2;
    uint32_t hash = (uint32_t)XXH3_64bits_withSeed(
        map->filename.ptr, map->filename.len,
        XXH3_64bits_withSeed(map->build_id, sizeof map->build_id, m->key.before));
    for (; (known = pi_idmap_get(&m->mapped, hash)) != PI_IDMAP_NONE; hash++)
        if (same_file(map, &m->records[known]->rec.u.mmap2))
            return PD_OK;
    const size_t before = m->n_records;
    const enum pd_code code = pi_meta_keep_record(m, rec, error);
    if (code || m->n_records == before)
        return code;
    return pi_idmap_add(&m->mapped, hash, (uint32_t)before) ? PD_OK : pi_meta_no_memory(error, sizeof hash);
}

/* ---- Answers. */

static size_t build_id_size(const struct pd_build_id *b)
{
    size_t n = sizeof b->build_id;
    if (b->misc & PD_MISC_BUILD_ID_SIZE)
        return b->size < n ? b->size : n;
    while (n >= 4 && !b->build_id[n - 1] && !b->build_id[n - 2] && !b->build_id[n - 3] && !b->build_id[n - 4])
        n -= 4;
    return n;
}

/* The build id of a mapping, in the same form as those of other sources. */
static struct pd_build_id mapped_build_id(const struct pd_record *rec)
{
    const struct pd_mmap2 *map = &rec->u.mmap2;
    struct pd_build_id b = {.misc = PD_MISC_BUILD_ID_SIZE | (rec->misc & PD_MISC_CPUMODE),
                            .pid = map->pid,
                            .size = map->build_id_size,
                            .filename = map->filename};
    memcpy(b.build_id, map->build_id, sizeof b.build_id);
    return b;
}

void pd_metadata_each_build_id(const struct pd_metadata *m,
                               void (*take)(void *user, const struct pd_build_id *file, const uint8_t *id,
                                            size_t n),
                               void *user)
{
    const struct pd_feature *f = pi_meta_decoded(m, PD_FEAT_BUILD_ID);
    struct pd_list l = f ? f->u.build_id.entries : (struct pd_list){0};
    struct pd_build_id_entry e;
    while (f && pd_build_id_entry_next(&l, &e)) {
        if (f->variant & PD_VARIANT_NO_PID)
            e.file.pid = (uint32_t)pi_build_id_pid(e.misc);
        take(user, &e.file, e.file.build_id, build_id_size(&e.file));
    }
    for (size_t i = 0; i < m->n_records; i++) {
        const struct pd_build_id *b = &m->records[i]->rec.u.header_build_id.file;
        if (m->records[i]->rec.type == PD_RECORD_HEADER_BUILD_ID)
            take(user, b, b->build_id, build_id_size(b));
        if (m->records[i]->rec.type == PD_RECORD_MMAP2) {
            const struct pd_build_id mapped = mapped_build_id(&m->records[i]->rec);
            take(user, &mapped, mapped.build_id, build_id_size(&mapped));
        }
    }
}

struct wanted_file {
    const char *name;
    uint8_t *id;
    size_t *n;
    bool found;
};

static void take_wanted(void *user, const struct pd_build_id *file, const uint8_t *id, size_t n)
{
    struct wanted_file *w = user;
    if (w->found || strlen(w->name) != file->filename.len ||
        memcmp(w->name, file->filename.ptr, file->filename.len) != 0)
        return;
    memcpy(w->id, id, n);
    *w->n = n;
    w->found = true;
}

bool pd_metadata_build_id(const struct pd_metadata *m, const char *filename, uint8_t id[20], size_t *n)
{
    struct wanted_file w = {filename, id, n, false};
    pd_metadata_each_build_id(m, take_wanted, &w);
    return w.found;
}
