/* SPDX-License-Identifier: MIT */
/*
 * perfdata/session/sorter.h - the records of a recording in another order than the file's.
 *
 *     struct pd_sorter *s;
 *     struct pd_sorter_options options = {.size = sizeof options, .kind = PD_SORT_TIME};
 *     if (pd_sorter_open(&s, reader, &options, &error) == PD_OK) {
 *         struct pd_record rec = {0};
 *         while (pd_sorter_next(s, &rec, &error) == PD_OK)
 *             if (pd_reader_decode(reader, &rec, &error) == PD_OK) …
 *         pd_sorter_close(s);
 *     }
 *
 * Memory is bounded whatever the input's size: records that must wait are copied, and beyond `memory` bytes
 * they are sorted into a temporary file that has no name.
 */
#ifndef PERFDATA_SESSION_SORTER_H
#define PERFDATA_SESSION_SORTER_H

#include <perfdata/reader.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pd_sort_kind {
    /* The order of pd_reader_next(); in a directory recording one member after the other. */
    PD_SORT_FILE,

    /*
     * The order in which perf (6.1) processes them. A record has a time when it is a SAMPLE whose event
     * samples TIME, or another kernel record with a TIME in its sample_id, unless that time is 0 or
     * UINT64_MAX.
     *  - Records with a time come in order of time, those of equal time in order of the file.
     *  - A record without a time comes at once, before all records that still wait.
     *  - When round n + 1 ends (FINISHED_ROUND, which itself comes first), all up to the newest time of
     *    round n is given; at the end of the input, all the rest. So a record that is older than one already
     *    given, because its writer broke the promise of the rounds, comes late, as the first of the waiting
     *    records.
     *  - Where perf does not sort, it is the file's order: in files whose first event has not sample_id_all.
     *
     * A directory recording with several members is merged by time; the ends of rounds mean nothing there.
     * Records of equal time come by member, then in the member's order. A record without a time comes as if
     * it had the time of the last one with a time that its member gave before it (0: none), before all of
     * this member that still wait: so what perf synthesizes at the start of `data` is first. Each member is
     * read twice, to know how far its records are out of order.
     */
    PD_SORT_TIME,

    /*
     * Time order except between samples, so that most of them need not wait:
     *  - all records but SAMPLE that have a time come in exactly the sequence of PD_SORT_TIME;
     *  - each SAMPLE with a time comes between the same two of them as in PD_SORT_TIME: behind all that are
     *    older, or as old and before it in the file, and before all others. So what is known of tasks and
     *    maps at a sample is the same;
     *  - samples between the same two come in any order;
     *  - records without a time come where they stand.
     *
     * A sample waits only if side-band that is not newer is still to come. To know that, the reader looks
     * ahead, past the ends of rounds that settle a sample's time, in its window, which grows to 8 MiB for it
     * unless its size was chosen. Where that has too few of them, and in streams, compressed data, the other
     * byte order: to the end of the input, all of which is then read again.
     * PD_SORT_TIME, which meets all of these conditions, is used instead if the input cannot be read twice,
     * for directories with several members, where few records wait, and from there on where it is found that
     * records come late, that side-band without a time follows records with one, that samples of an event
     * have counters (PD_SAMPLE_READ), which count what is new since the sample before, or that the times of
     * more than `memory` / 32 records other than SAMPLE must be kept (8 bytes for each).
     */
    PD_SORT_CAUSAL,

    /*
     * As PD_SORT_TIME, but nothing comes late: a record that is older than others of rounds that have ended
     * comes before them, too. A record without a time comes behind all that has been processed where it
     * stands, as if it had their newest time; but COMPRESSED records whose content is given, and HEADER_ATTR,
     * come at once, and where those with a time are in order already, all stays as it stands. The input is
     * read twice, to know how far its records are out of order: PD_EUNSUP if that is impossible.
     */
    PD_SORT_STRICT,
};

struct pd_sorter_options {
    size_t size;                          /* sizeof this struct */
    const struct pd_allocator *allocator; /* NULL: malloc; must outlive the sorter */
    enum pd_sort_kind kind;
    size_t memory; /* memory for waiting records and their bookkeeping, in bytes; 0: 16 MiB. In addition it
                      takes 128 KiB for each temporary file and a reader's window for each member of a
                      directory, which has at least 8 KiB for waiting records */
    const char *tmpdir; /* for temporary files; copied; NULL: $TMPDIR, or else /tmp */
};

/* A record that follows one with a later time. */
struct pd_disorder {
    uint64_t count; /* of such records; 0: the rest is unset */
    /* the first of them, and the latest time before it */
    uint64_t index, offset, time, before;
    uint32_t type;
    uint32_t member;
};

/* What a sorter has done so far. */
struct pd_sorter_stats {
    uint64_t records; /* given */
    uint64_t waited;  /* records that were copied because they had to wait */
    uint64_t late;    /* records given behind one with a later time, except as PD_SORT_CAUSAL allows */
    uint64_t runs;    /* temporary files written */
    uint64_t spilled; /* bytes written to them */
    /* Results of the first reading, for PD_SORT_STRICT and for directories with several members. */
    uint64_t timed;              /* records with a time */
    uint64_t first, last;        /* the earliest and the latest time; 0 without */
    struct pd_disorder disorder; /* in the order of the file, in each member */
};

struct pd_sorter;

/*
 * Starts to iterate over `reader`, which must be new or rewound, and must be neither read from nor closed
 * before the sorter is closed. If all of the input is read twice, this does the first reading, or, with
 * PD_SORT_CAUSAL, pd_sorter_next() may do it. Options NULL: PD_SORT_FILE. PD_EARG: the kind is unknown;
 * PD_ENOMEM; PD_EIO.
 */
PD_EXPERIMENTAL enum pd_code pd_sorter_open(struct pd_sorter **sorter, struct pd_reader *reader,
                                            const struct pd_sorter_options *options, struct pd_error *error);
/* Frees the sorter and its temporary files. NULL is fine. */
PD_EXPERIMENTAL void pd_sorter_close(struct pd_sorter *sorter);

/*
 * The next record, framed as by pd_reader_next(): rec->raw is valid until the next call; event, plan, member,
 * offset and index (its number in the file's order, through all members) are those of the file. To be decoded
 * with pd_reader_decode(). PD_END: no more.
 *
 * Damage that stops a reader, or a missing member, ends that stream; the error comes once, after all intact
 * records were given in order, and then PD_END. PD_EZSTD and PD_ELIMIT, after which a reader continues, are
 * returned at once, and the sorter continues, too: a caller that stops there loses the waiting records.
 * Failures (pd_is_failure(): PD_ETEMP, PD_EIO, PD_ENOMEM) are final: records are lost, and each further call
 * returns the same.
 */
PD_EXPERIMENTAL enum pd_code pd_sorter_next(struct pd_sorter *sorter, struct pd_record *rec,
                                            struct pd_error *error);

/* As pd_reader_payload(), for the record just given. */
PD_EXPERIMENTAL enum pd_code pd_sorter_payload(struct pd_sorter *sorter, const uint8_t **bytes, size_t *n,
                                               struct pd_error *error);

PD_EXPERIMENTAL void pd_sorter_get_stats(const struct pd_sorter *sorter, struct pd_sorter_stats *stats);

#ifdef __cplusplus
}
#endif
#endif
