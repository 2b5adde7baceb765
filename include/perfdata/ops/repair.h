/* SPDX-License-Identifier: MIT */
/*
 * perfdata/ops/repair.h - what is intact of a truncated, unfinished or damaged recording, as a recording
 * without damage.
 *
 *     struct pd_repair_options options = {.size = sizeof options, .keep_tail = true, .lost = on_lost};
 *     pd_repair(reader, &sink, &options, &stats, &error);
 *
 * The records are copied up to the first place where they stop making sense, or with `keep_tail` on from the
 * next place where three records in a row do, or all up to the end. A record that contradicts its layout is
 * left out alone if a record follows it. Features that cannot be decoded are left out. Every byte of the data
 * that is not copied is told.
 */
#ifndef PERFDATA_OPS_REPAIR_H
#define PERFDATA_OPS_REPAIR_H

#include <perfdata/ops/convert.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of the input that are in no record of the output. Ranges of one member come in ascending order and do
 * not touch. */
struct pd_lost_range {
    uint64_t offset, bytes;
    uint32_t member;     /* of a directory */
    struct pd_error why; /* what was found first */
};

struct pd_repair_options {
    size_t size;                          /* sizeof this struct */
    const struct pd_allocator *allocator; /* NULL: malloc */
    bool keep_tail;                       /* go on behind damage */
    /* A recording of the same events, whose features are taken where the input's are gone; may be NULL. */
    struct pd_reader *like;
    /* As in pd_convert_options: a directory makes a directory. NULL: it makes a file. */
    int (*open_member)(void *user, const char *name, unsigned mode, struct pd_sink *sink);
    int (*close_member)(void *user, struct pd_sink *sink);
    /* Each may be NULL: what is lost of the data; a feature that is left out; progress in bytes. */
    void (*lost)(void *user, const struct pd_lost_range *lost);
    void (*feature)(void *user, uint16_t feature, const struct pd_error *why);
    void (*progress)(void *user, uint64_t done, uint64_t total);
    void *user;
    bool drop_unknown; /* records of types that are not known are lost, too: a perf that does not know them
                          stops there */
};

struct pd_repair_stats {
    uint64_t samples, others; /* records that were kept */
    uint64_t lost;            /* bytes */
    uint64_t ranges;          /* in which they are */
    uint64_t features;        /* that were left out */
    uint64_t mended;  /* MMAP2 whose build id is longer than any: its bit is taken away, and perf can go on */
    uint64_t unknown; /* records that were kept though their type is not known */
    uint64_t orphans; /* records that were left out since there is no such event */
};

/*
 * Writes what is intact, in the container of the input; a sink for a file must be able to patch. With a NULL
 * sink and no open_member nothing is written, only told. The reader must be able to seek. PD_EUNSUP: it
 * cannot. PD_EATTRS: it has no events (`found` is 0), without which no sample can be
 * read, which of a pipe stream is only known at the end; or most samples are not as they say. PD_EOUT: the
 * sink failed.
 */
PD_EXPERIMENTAL enum pd_code pd_repair(struct pd_reader *reader, const struct pd_sink *sink,
                                       const struct pd_repair_options *options, struct pd_repair_stats *stats,
                                       struct pd_error *error);

#ifdef __cplusplus
}
#endif
#endif
