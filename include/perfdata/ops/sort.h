/* SPDX-License-Identifier: MIT */
/*
 * perfdata/ops/sort.h - writes a recording with its records in order of time.
 *
 *     struct pd_sort_options options = {.size = sizeof options, .memory = (size_t)64 << 20};
 *     struct pd_sort_stats stats;
 *     pd_sort(reader, &sink, &options, &stats, &error);
 *
 * Records with a time come in order of time, those of equal time in order of the file. Records without a time
 * come where perf processes them: behind all records that perf had processed at their position
 * (PD_SORT_STRICT in perfdata/session/sorter.h). perf shows the same before and after, except that records
 * which came too late for it, because their writer broke the promise of the rounds, are now in their place.
 */
#ifndef PERFDATA_OPS_SORT_H
#define PERFDATA_OPS_SORT_H

#include <perfdata/ops/convert.h>
#include <perfdata/session/sorter.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pd_sort_options {
    size_t size;                          /* sizeof this struct */
    const struct pd_allocator *allocator; /* NULL: malloc */
    size_t memory;           /* as in pd_sorter_options: records that do not fit wait, sorted, in temporary
                                files */
    const char *tmpdir;      /* the same */
    enum pd_convert_zip zip; /* KEEP: compressed records are compressed again, in records of the same type */
    int level;               /* of zstd; 0: that of the input, or 1 */
    /* Called for each place that is damaged, whose records are lost; may be NULL. */
    void (*finding)(void *user, const struct pd_error *error);
    /* Called now and then with the work done and to do, in bytes; may be NULL. */
    void (*progress)(void *user, uint64_t done, uint64_t total);
    /*
     * For a directory as output, as in pd_convert_options. NULL: it becomes a file, its members merged by
     * time.
     */
    int (*open_member)(void *user, const char *name, unsigned mode, struct pd_sink *sink);
    int (*close_member)(void *user, struct pd_sink *sink);
    void *user;
    uint64_t frame; /* least bytes in a zstd frame, as in pd_writer_options */
};

struct pd_sort_stats {
    uint64_t records;               /* written, without FINISHED_ROUND */
    uint64_t timed;                 /* records with a time */
    struct pd_disorder disorder;    /* of the input; of a directory, in each of its files */
    uint64_t waited, runs, spilled; /* as in pd_sorter_stats */
    bool damaged;
};

/*
 * Checks whether the records are in order, each file of a directory by itself. PD_EUNSUP: records lack a time
 * (the events sample no TIME, or there is no sample_id_all, so that only samples have one); or the input
 * cannot seek. Damage counts as the end of the records. Leaves the reader rewound.
 */
PD_EXPERIMENTAL enum pd_code pd_sort_check(struct pd_reader *reader, const struct pd_sort_options *options,
                                           struct pd_sort_stats *stats, struct pd_error *error);

/*
 * Writes the recording in order of time to a sink that can patch: a file as a file, a pipe stream as such
 * (which needs no patching), a directory with each of its files in order, or as one file. Attrs and features
 * stay, except COMPRESSED and the index of AUXTRACE records, as in pd_filter(). FINISHED_ROUND records stay,
 * and more are added before records without a time, so that perf processes the earlier records first. What
 * follows AUXTRACE goes with it.
 *
 * Errors as of pd_sort_check(), before anything is written; PD_EOUT: the sink failed. Damage is reported
 * through `finding`, and the intact part is written. options NULL: the defaults.
 */
PD_EXPERIMENTAL enum pd_code pd_sort(struct pd_reader *reader, const struct pd_sink *sink,
                                     const struct pd_sort_options *options, struct pd_sort_stats *stats,
                                     struct pd_error *error);

#ifdef __cplusplus
}
#endif
#endif
