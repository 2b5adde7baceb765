/* SPDX-License-Identifier: MIT */
/*
 * perfdata/ops/repair.h - writes the intact part of a truncated, unfinished or damaged recording as a
 * recording without damage.
 *
 *     struct pd_repair_options options = {.size = sizeof options, .keep_tail = true, .lost = on_lost};
 *     pd_repair(reader, &sink, &options, &stats, &error);
 *
 * The records are copied up to the first place where they stop making sense, or with `keep_tail` on from the
 * next place where three records in a row do, or all up to the end. If a record contradicts its layout and a
 * record follows it, only this record is left out. Features that cannot be decoded are left out. All bytes of
 * the data that are not copied are reported.
 */
#ifndef PERFDATA_OPS_REPAIR_H
#define PERFDATA_OPS_REPAIR_H

#include <perfdata/ops/convert.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of the input that are in no record of the output; for a record inside a COMPRESSED one, all of that
 * one, whatever else of it is kept. Ranges of one member come in ascending order and do not touch; but what
 * the last COMPRESSED record loses comes behind others of very many (SECURITY.md). */
struct pd_lost_range {
    uint64_t offset, bytes;
    uint32_t member;     /* of a directory */
    struct pd_error why; /* what was found first */
};

struct pd_repair_options {
    size_t size;                          /* sizeof this struct */
    const struct pd_allocator *allocator; /* NULL: malloc */
    bool keep_tail;                       /* go on behind damage */
    /* A recording of the same events, from which missing features are taken unless they are damaged there;
     * may be NULL. */
    struct pd_reader *like;
    /* As in pd_convert_options: a directory becomes a directory. NULL: it becomes a file. */
    int (*open_member)(void *user, const char *name, unsigned mode, struct pd_sink *sink);
    int (*close_member)(void *user, struct pd_sink *sink);
    /* Each may be NULL: lost bytes of the data; a feature that is left out; progress in bytes. */
    void (*lost)(void *user, const struct pd_lost_range *lost);
    void (*feature)(void *user, uint16_t feature, const struct pd_error *why);
    void (*progress)(void *user, uint64_t done, uint64_t total);
    void *user;
    bool drop_unknown; /* leave out records of unknown types, too: a perf that does not know them stops
                          there */
};

struct pd_repair_stats {
    uint64_t samples, others; /* records that were kept */
    uint64_t lost;            /* bytes */
    uint64_t ranges;          /* in which they are */
    uint64_t features;        /* that were left out */
    uint64_t mended;  /* MMAP2 records with an impossibly long build id: its bit is removed, so that perf can
                         continue */
    uint64_t unknown; /* records that were kept though their type is not known */
    uint64_t orphans; /* records that were left out because their event does not exist */
};

/*
 * Writes the intact part, in the container of the input; a sink for a file must be able to patch. With a NULL
 * sink and no open_member nothing is written, only reported. The reader must be able to seek. PD_EUNSUP: it
 * cannot. PD_EATTRS: it has no events (`found` is 0), so no sample can be read, which for a pipe stream is
 * known only at the end; or most samples do not match the attrs, of those before damage or of those that are
 * kept. PD_EOUT: the sink failed.
 */
PD_EXPERIMENTAL enum pd_code pd_repair(struct pd_reader *reader, const struct pd_sink *sink,
                                       const struct pd_repair_options *options, struct pd_repair_stats *stats,
                                       struct pd_error *error);

#ifdef __cplusplus
}
#endif
#endif
