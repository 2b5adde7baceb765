/* SPDX-License-Identifier: MIT */
/*
 * perfdata/ops/split.h - cuts a recording into pieces, each a recording in which perf resolves samples as it
 * does in the whole. (perfdata/session/large_record.h is about another topic: simpleperf's records in several
 * parts.)
 *
 *     struct pd_pieces_options options = {.size = sizeof options, .by = PD_PIECES_COUNT, .amount = 4,
 *                                         .open = open_piece, .close = close_piece};
 *     pd_pieces(reader, &options, &stats, &error);
 *
 * Cut by count, size or time, pieces are consecutive in the order in which perf processes records
 * (PD_SORT_TIME): by time, ties by file order, where perf sorts, else file order. Every record is in the
 * piece of its time; a record without a time comes where that order has it, behind the last record before it.
 * In addition each piece begins with copies, with their original time, of the earlier records that describe
 * state: COMM, FORK, EXIT, MMAP, MMAP2 and NAMESPACES of all tasks that later records refer to, or from which
 * such a task was forked, even if they have exited; KSYMBOL, BPF_EVENT, CGROUP, TEXT_POKE; and the tool's
 * records about the recording (attrs, features, ID_INDEX, EVENT_UPDATE, TIME_CONV, …).
 *
 * Cut by cpu, process, event or cgroup, each sample is in one piece. Task records go to all pieces with a
 * sample that depends on them, or else to the first; other records that describe state go to all pieces, and
 * the rest to the piece of their cpu, process or event, or else to the first.
 *
 * Within a piece the records are in the order of processing. Pairs of FINISHED_ROUND are inserted where that
 * is not the order of time, so that perf keeps it.
 *
 * A file makes files, a pipe stream makes pipe streams, a directory makes files without DIR_FORMAT.
 * Compressed records are compressed again unless `zip` says otherwise. Features are copied; SAMPLE_TIME of a
 * file is that of its samples.
 *
 * The input is read twice, in order of time; by cpu, process, event and cgroup once more for each `at_once`
 * pieces behind the first ones. Memory grows with tasks (about 70 bytes a tid, 16 a FORK) and with the number
 * of pieces; the records to be copied wait in a temporary file.
 */
#ifndef PERFDATA_OPS_SPLIT_H
#define PERFDATA_OPS_SPLIT_H

#include <perfdata/ops/convert.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pd_pieces_by {
    PD_PIECES_COUNT, /* `amount` pieces with about as many bytes of samples each; fewer if there are fewer
                        samples */
    PD_PIECES_SIZE,  /* pieces of at most `amount` bytes (before compression); if the copies leave less than a
                        fourth of that for records, a piece is larger and has that fourth for records */
    PD_PIECES_TIME,  /* `amount` nanoseconds each, counted from the first sample; an interval without records
                        makes no piece */
    PD_PIECES_CPU, /* one for each cpu, process or event that has samples, in ascending order; and one, the */
    PD_PIECES_PID, /* last, for samples of which that is not known */
    PD_PIECES_EVENT,
    PD_PIECES_CGROUP, /* one for each cgroup, in the order of their first samples; and such a last one */
};

struct pd_piece {
    uint64_t number; /* from 0 */
    uint32_t key;    /* cpu, pid, number of the attr or, from 0 on, of the cgroup; UINT32_MAX: not known */
    uint64_t samples, others; /* of the piece's own */
    uint64_t carried;         /* copies of earlier records */
    uint64_t first, last;     /* time of its samples, 0 without */
    uint64_t cgroup;          /* its id; 0: cut by something else, or not known */
    const char *path;         /* of the cgroup, valid in the callback; NULL: no record tells it */
};

struct pd_pieces_options {
    size_t size;                          /* sizeof this struct */
    const struct pd_allocator *allocator; /* NULL: malloc */
    enum pd_pieces_by by;
    uint64_t amount;
    enum pd_convert_zip zip; /* KEEP: compressed records are compressed again */
    int level;               /* of zstd; 0: that of the input, or 1 */
    size_t memory;           /* for the sorting, see pd_sorter_options; 0: 16 MiB */
    /*
     * open() begins a piece, of which only number, key, cgroup and path are set, and fills the sink, which
     * must be able to patch unless the input is a pipe stream. close() ends a piece, with all fields set.
     * Both return 0 or an errno. Cut by cpu, process, event or cgroup up to `at_once` are open at a time.
     */
    int (*open)(void *user, const struct pd_piece *piece, struct pd_sink *sink);
    int (*close)(void *user, const struct pd_piece *piece, struct pd_sink *sink);
    /* Each may be NULL. Damage, see pd_filter_options; progress in bytes. */
    void (*finding)(void *user, const struct pd_error *error);
    void (*progress)(void *user, uint64_t done, uint64_t total);
    void *user;
    uint64_t max_copied; /* bytes of copies in all pieces together; 0: 64 MiB and 64 times the input's size */
    uint64_t frame;      /* least bytes in a zstd frame, as in pd_writer_options */
    /*
     * So many pieces by cpu, process, event or cgroup are written in one reading of the input: up to 1,024.
     * 0: 64, which is also the most of those that are compressed, and where call chains come later.
     */
    size_t at_once;
};

struct pd_pieces_stats {
    uint64_t pieces;
    uint64_t samples,
        others; /* records of the input, each counted once; without transport: COMPRESSED, FINISHED_ROUND */
    uint64_t carried;   /* copies */
    uint64_t untimed;   /* of the others: they have no time */
    uint64_t oversized; /* pieces that are, or may be, larger than requested */
    bool damaged;       /* some records are lost */
};

/*
 * Writes the pieces. The reader must be able to seek. PD_EUNSUP with the reason as `field`, before anything
 * is written: it cannot seek, it has AUX area traces (which cannot be cut without decoding them), or samples
 * lack the time, cpu, pid or cgroup. PD_EARG: no `amount`. PD_ELIMIT: pieces would repeat more than
 * `max_copied` of the input, more payload than can be held, or there are too many tasks (SECURITY.md).
 * PD_EOUT: open, close or a sink failed. Records that cannot be read are copied in their place and reported.
 */
PD_EXPERIMENTAL enum pd_code pd_pieces(struct pd_reader *reader, const struct pd_pieces_options *options,
                                       struct pd_pieces_stats *stats, struct pd_error *error);

#ifdef __cplusplus
}
#endif
#endif
