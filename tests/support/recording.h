/* SPDX-License-Identifier: MIT */
/* recording.h - invariants of a whole recording in memory, for the harnesses that read or make one. */
#ifndef PERFDATA_FUZZ_RECORDING_H
#define PERFDATA_FUZZ_RECORDING_H

#include "../../fuzz/harness.h"
#include "../../fuzz/image_sink.h"
#include <perfdata/ops/rewrite.h>
#include <perfdata/session/metadata.h>

#define INFLATE_MOST ((uint64_t)1 << 20) /* bytes that one COMPRESSED record may make here */
#define ZSTD_MOST ((size_t)160 << 20)    /* a frame may ask for a window of 128 MiB */

/* What is written again, compared as it comes. */
struct copy {
    const uint8_t *bytes;
    size_t size, at;
};

static inline int compare_write(void *user, const void *bytes, size_t n)
{
    struct copy *copy = user;
    CHECK(n <= copy->size - copy->at);
    CHECK(memcmp(copy->bytes + copy->at, bytes, n) == 0);
    copy->at += n;
    return 0;
}

/* An error says what and where, and has a text. */
static inline void check_error(const struct pd_error *error, enum pd_code code, uint64_t size)
{
    char text[400];
    CHECK(error->code == code && code != PD_OK && code != PD_END && code != PD_ENOMEM && code != PD_EIO);
    CHECK(error->field && error->offset <= size);
    CHECK(pd_error_text(error, text, sizeof text) < sizeof text);
}

static inline void check_finding(void *user, const struct pd_error *error)
{
    const struct copy *copy = user;
    check_error(error, error->code, copy->size);
}

static inline void check_rewrite(struct pd_reader *r, const uint8_t *data, size_t size, bool reencode)
{
    struct copy copy = {data, size, 0};
    const struct pd_sink sink = {.write = compare_write, .user = &copy};
    const struct pd_rewrite_options options = {
        .size = sizeof options, .reencode = reencode, .finding = check_finding, .user = &copy};
    struct pd_rewrite_stats stats;
    struct pd_error error;
    CHECK(pd_rewrite(r, &sink, &options, &stats, &error) == PD_OK);
    CHECK(copy.at == size && stats.bytes == size && stats.differing == 0);
    CHECK(stats.decoded + stats.raw + stats.undecodable <= stats.records);
}

/* ---- The findings of `perfdata check` */

/* That a record's event is not known, it only notes. */
static inline void count_finding(void *user, const struct pd_error *error)
{
    CHECK(error->field);
    *(size_t *)user += error->code != PD_EUNKNOWN;
}

static inline size_t count_findings(struct pd_reader *r)
{
    const size_t members = pd_reader_n_members(r);
    size_t findings = 0;
    for (size_t member = 0; member < (members ? members : 1); member++) {
        const struct pd_rewrite_options options = {.size = sizeof options,
                                                   .reencode = true,
                                                   .finding = count_finding,
                                                   .user = &findings,
                                                   .member = member};
        struct pd_rewrite_stats stats = {0};
        CHECK(pd_rewrite(r, NULL, &options, &stats, NULL) == PD_OK && stats.differing == 0);
    }
    return findings;
}

static inline bool is_clean_reader(struct pd_reader *r)
{
    const size_t findings = count_findings(r) + pd_reader_n_findings(r);
    const struct pd_file_info *info = pd_reader_info(r);
    return !findings && !info->truncated && !info->unfinished;
}

static inline bool is_clean(const uint8_t *bytes, size_t n)
{
    const struct pd_reader_options reading = {.size = sizeof reading, .max_inflate = INFLATE_MOST};
    struct pd_reader *r;
    if (pd_reader_open_memory(&r, bytes, n, &reading, NULL))
        return false;
    const bool clean = is_clean_reader(r);
    pd_reader_close(r);
    return clean;
}

/* Data that `check` does not decode: tracing data and build ids of a stream, which may become sections. */
static inline bool is_clean_within_reader(struct pd_reader *r)
{
    struct pd_metadata *m;
    struct pd_record rec = {0};
    CHECK(pd_metadata_open(&m, r, NULL, NULL) == PD_OK);
    while (pd_reader_next(r, &rec, NULL) == PD_OK)
        if (pd_reader_decode(r, &rec, NULL) == PD_OK)
            pd_metadata_add(m, r, &rec, NULL);
    pd_metadata_finish(m, r, NULL);
    const bool clean = pd_metadata_n_findings(m) == 0;
    pd_metadata_close(m);
    return clean;
}

static inline bool is_clean_within(const uint8_t *bytes, size_t n)
{
    struct pd_reader *r;
    CHECK(pd_reader_open_memory(&r, bytes, n, NULL, NULL) == PD_OK);
    const bool clean = is_clean_within_reader(r);
    pd_reader_close(r);
    return clean;
}

/*
 * ---- Damage that was told, by its place: an operation tells that which `check` does, no less and no more.
 * tests/cli/damage/agree.py holds the command to the same rule.
 */

#define TOLD_PLACES 64 /* of which there may be more: then only that there are any */

struct told_place {
    uint64_t offset;
    uint32_t member; /* of a directory */
    enum pd_code code;
    const char *field;
};

struct told {
    size_t n;
    struct told_place at[TOLD_PLACES];
};

/* `check` only notes that the event of a record is not known. */
static inline void told_add(struct told *t, const struct pd_error *error)
{
    char text[400];
    CHECK(error->code != PD_OK && error->field && pd_error_text(error, text, sizeof text) < sizeof text);
    if (error->code == PD_EUNKNOWN)
        return;
    if (t->n < TOLD_PLACES)
        t->at[t->n] = (struct told_place){error->offset, error->member, error->code, error->field};
    t->n++;
}

static inline void told_take(void *user, const struct pd_error *error)
{
    told_add(user, error);
}

/* What a reader found of header, sections and features. */
static inline void told_add_findings(struct told *t, const struct pd_reader *r)
{
    for (size_t i = 0; i < pd_reader_n_findings(r); i++)
        told_add(t, pd_reader_finding(r, i));
}

/* What `check` calls damage. */
static inline void told_by_check(struct told *t, struct pd_reader *r)
{
    const size_t members = pd_reader_n_members(r);
    *t = (struct told){0};
    for (size_t member = 0; member < (members ? members : 1); member++) {
        const struct pd_rewrite_options options = {
            .size = sizeof options, .reencode = true, .finding = told_take, .user = t, .member = member};
        struct pd_rewrite_stats stats = {0};
        CHECK(pd_rewrite(r, NULL, &options, &stats, NULL) == PD_OK && stats.differing == 0);
    }
    told_add_findings(t, r);
}

/* The records that can be framed and not decoded, before what cannot be framed. */
static inline void told_by_decoding(struct told *t, struct pd_reader *r)
{
    struct pd_record rec = {0};
    struct pd_error error;
    enum pd_code code;
    *t = (struct told){0};
    while ((code = pd_reader_next(r, &rec, &error)) != PD_END)
        if (!code && (code = pd_reader_decode(r, &rec, &error)) != PD_OK)
            told_add(t, &error);
}

static inline bool told_has(const struct told *t, const struct told_place *place)
{
    for (size_t i = 0; i < t->n && i < TOLD_PLACES; i++)
        if (t->at[i].member == place->member && t->at[i].offset == place->offset)
            return true;
    return t->n > TOLD_PLACES;
}

/* True if names of events tell what samples are of: those of off-cpu time. Reads on until that is known. */
static inline bool recording_needs_names(struct pd_reader *r)
{
    struct pd_record rec = {0};
    size_t i = 0;
    do
        for (; i < pd_reader_n_attrs(r); i++)
            if (pd_reader_attr(r, i)->plan.offcpu)
                return true;
    while (pd_reader_next(r, &rec, NULL) == PD_OK);
    return false;
}

#endif
