/* SPDX-License-Identifier: MIT */
/*
 * perfdata/ops/index.h - an index of a recording, by which a reader of some of its time leaves out the rest.
 * docs/INDEX.md has its layout, and the reasons.
 *
 *     pd_index_build(reader, &sink, NULL, NULL, &error); // once
 *
 *     if (pd_index_open(&index, reader, &source, NULL, &error) == PD_OK &&
 *         pd_index_select(index, ranges, n, &error) == PD_OK)
 *         pd_filter(reader, &sink, &options, &stats, &error); // with these ranges: reads little else
 *     pd_index_close(index);
 *
 * A block is a stretch of whole records, in a compressed recording of whole zstd frames. The index has its
 * place, its least and greatest time, and a copy of those of its records that an operation needs though it
 * selects other times. A reader that leaves out a block gives these instead, with their offsets and numbers
 * in the file: all but samples and what goes with them (SWITCH, READ, AUX); of those the ones without a time
 * or a task, the first and the last in time, and the first that refers to a task; of COMPRESSED records the
 * first of a block, without its data.
 */
#ifndef PERFDATA_OPS_INDEX_H
#define PERFDATA_OPS_INDEX_H

#include <perfdata/ops/filter.h>
#include <perfdata/writer.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pd_index_options {
    size_t size;                          /* sizeof this struct */
    const struct pd_allocator *allocator; /* NULL: malloc; must outlive the index */
    uint64_t block; /* bytes of records, before compression, from which on a block ends; 0: 256 KiB. Only for
                       pd_index_build() */
    /* Called now and then with the work done and to do, in bytes; may be NULL. */
    void (*progress)(void *user, uint64_t done, uint64_t total);
    void *user;
};

struct pd_index_stats {
    uint64_t blocks;
    uint64_t records;  /* of the recording, those of compression included */
    uint64_t left_out; /* records, those of compression not included, that can be left out */
    uint64_t given;    /* records of the same blocks that cannot, of which the index has copies */
    uint64_t block;    /* bytes of records from which on a block ends */
    uint64_t size;     /* bytes of the index */
    bool one_frame;    /* why there is none: all records are compressed as one zstd stream */
};

/*
 * Reads all records and writes their index to a sink that can patch. Memory grows with the blocks (112 bytes
 * each), with tasks (about 100 bytes each), and holds the copies of one block. PD_EUNSUP with the reason as
 * `field`: the recording cannot seek, is a stream or a directory, has no samples with a time, or is
 * compressed as one zstd stream. PD_ELIMIT: it has too many blocks or tasks (SECURITY.md). Errors of its
 * records: a damaged recording gets no index. PD_EOUT: the sink failed. `stats` may be NULL.
 */
PD_EXPERIMENTAL enum pd_code pd_index_build(struct pd_reader *reader, const struct pd_sink *sink,
                                            const struct pd_index_options *options,
                                            struct pd_index_stats *stats, struct pd_error *error);

struct pd_index;

/*
 * Opens the index of the reader's recording, which must stay open as long. The source must be able to seek;
 * it is read once completely for its checksum, and closed with the index, or if this fails. The recording is
 * told from others by its size, a hash of what surrounds its data, and of 64 places in it. PD_EDIFFERENT with
 * what differs as `field`: the index is of another recording. PD_EUNSUP: of another version. PD_EMAGIC,
 * PD_ETRUNC, PD_ERANGE, PD_EVALUE, PD_ECOUNT, PD_ELIMIT: it is damaged.
 */
PD_EXPERIMENTAL enum pd_code pd_index_open(struct pd_index **index, struct pd_reader *reader,
                                           const struct pd_source *source,
                                           const struct pd_index_options *options, struct pd_error *error);
/*
 * From its next rewind on, which this does, the reader leaves out the blocks whose samples are all outside of
 * the ranges (pd_time_match()): whatever selects by these, and depends on the rest only for tasks, their
 * names, mappings and the order of records, gives the same as with all records; not what wants SWITCH, READ
 * and AUX of other times, as PD_SIDEBAND_ALL does. n 0: it leaves out all blocks, for what only needs first
 * and last times and sums, which the functions below give. The bytes of all other blocks are compared with
 * their hashes first; PD_EDIFFERENT: they have changed. PD_EUNSUP with the reason as `field`: ranges do not
 * suffice, as samples count what was counted since the one before (READ). After an error nothing is left out.
 */
PD_EXPERIMENTAL enum pd_code pd_index_select(struct pd_index *index, const struct pd_time_range *ranges,
                                             size_t n, struct pd_error *error);
/* The reader leaves out nothing from its next rewind on, which this does. */
PD_EXPERIMENTAL enum pd_code pd_index_select_all(struct pd_index *index, struct pd_error *error);

/* Sums over the left-out records that the index does not give instead. */
struct pd_index_sums {
    uint64_t blocks;
    uint64_t samples;
    uint64_t others; /* other records with a time */
    uint64_t inside; /* bytes of both inside COMPRESSED records */
};
PD_EXPERIMENTAL void pd_index_get_sums(const struct pd_index *index, struct pd_index_sums *sums);
/*
 * Adds, for each event, its samples that are left out to samples[event]; n: elements. PD_ERANGE: an event has
 * a higher number.
 */
PD_EXPERIMENTAL enum pd_code pd_index_event_sums(struct pd_index *index, uint64_t *samples, size_t n,
                                                 struct pd_error *error);

/*
 * Gives, perhaps several times, the number of records of a type that are left out, and their bytes; a
 * COMPRESSED record that is given counts with the data that it lacks.
 */
PD_EXPERIMENTAL enum pd_code pd_index_type_sums(struct pd_index *index,
                                                void (*take)(void *user, uint32_t type, uint64_t n,
                                                             uint64_t bytes),
                                                void *user, struct pd_error *error);

PD_EXPERIMENTAL void pd_index_get_stats(const struct pd_index *index, struct pd_index_stats *stats);
/*
 * Compares the index with one that is made now of all records of the recording. PD_EDIFFERENT: they differ.
 * Other errors as of pd_index_build().
 */
PD_EXPERIMENTAL enum pd_code pd_index_check(struct pd_index *index, struct pd_error *error);
/* The reader leaves out nothing afterwards. NULL is fine. */
PD_EXPERIMENTAL void pd_index_close(struct pd_index *index);

#ifdef __cplusplus
}
#endif
#endif
