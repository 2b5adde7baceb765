/* SPDX-License-Identifier: MIT */
/*
 * perfdata/ops/merge.h - merges several recordings into one, in order of time.
 *
 *     struct pd_merge_options options = {.size = sizeof options};
 *     struct pd_reader *readers[] = {a, b};
 *     pd_merge(readers, 2, &sink, &options, &stats, NULL, &error);
 *
 * Events. Events with equal attrs and names become one, with the ids of all; a group only with an equal
 * group. Of one input, no two become one. If many groups have equal attrs and only some of a group's names
 * are known, equal groups may stay separate. An id stays, unless it already belongs to another event, or to
 * the same event of another machine: then it gets a new value, in samples, trailers, counter values and all
 * other records that contain it. An id that two events of one input have is that of the first, and stays in
 * the lists of both. If the merged recording has events that their samples do not tell apart, IDENTIFIER is
 * added to them, but not if all inputs have the same events.
 *
 * Machines. Recordings are of one machine if their features HOSTNAME, OSRELEASE, ARCH, CPUID and NRCPUS do
 * not contradict each other. On one machine, the same pid is the same task at the same time.
 * PD_MERGE_PID_STEP, times the number of the machine, is added to the pids of other machines; 0 and -1 stay.
 * Raw data, which may have pids, too, stays as it is.
 *
 * Duplicates. A record of side-band (tasks, maps, and what describes the recording; no sample, no loss) that
 * equals one of another input byte for byte, its time included, is written once: pieces of a recording have
 * copies of what they need.
 *
 * Records without a time come as in pd_sort(); those before an input's first time come at that time, behind
 * earlier records of other inputs. If other inputs have begun, such records about tasks wait for the input's
 * first sample, or for a record with a time about the process, since they describe some earlier time. They
 * are duplicates only if no record about the task was written since.
 */
#ifndef PERFDATA_OPS_MERGE_H
#define PERFDATA_OPS_MERGE_H

#include <perfdata/ops/convert.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PD_MERGE_PID_STEP 10000000 /* Linux has no pids of 4,194,304 and up */

enum pd_merge_pids {
    PD_MERGE_PIDS_AUTO, /* moved of other machines */
    PD_MERGE_PIDS_KEEP, /* never moved: all inputs count as one machine */
    PD_MERGE_PIDS_MOVE, /* moved of each input but the first, as if each were another machine's */
};

/* A conflict between inputs. */
struct pd_merge_note {
    size_t input;     /* which one, from 0 */
    uint32_t feature; /* PD_FEAT_*; UINT32_MAX: it does not concern a feature */
    const char *text; /* static */
    const char *name; /* of the tracepoint that it is about, as "sched:sched_switch", valid in the callback;
                         NULL: it is about none */
};

struct pd_merge_options {
    size_t size;                          /* sizeof this struct */
    const struct pd_allocator *allocator; /* NULL: malloc */
    size_t memory;                        /* memory for waiting records of all inputs, in bytes; 0: 64 MiB */
    const char *tmpdir;                   /* for temporary files; NULL: $TMPDIR, or else /tmp */
    enum pd_convert_to to;                /* FILE, which SAME means, too, or PIPE */
    enum pd_convert_zip zip;              /* KEEP: compressed if the first input is */
    int level;                            /* of zstd; 0: 1 */
    bool append;                          /* append the inputs to each other, without sorting */
    bool any_clock;                       /* also merge recordings with different clocks */
    enum pd_merge_pids pids;
    /*
     * All times become nanoseconds since 1970, by the CLOCK_DATA of each input; those of an input whose clock
     * is CLOCK_REALTIME are already. PD_EUNSUP: an input has neither. The merged recording's clock is
     * CLOCK_REALTIME.
     */
    bool wall_clock;
    void (*note)(void *user, const struct pd_merge_note *note); /* may be NULL, as those below */
    /* Damage of an input, whose intact records are still merged. */
    void (*finding)(void *user, size_t input, const struct pd_error *error);
    void (*progress)(void *user, uint64_t done, uint64_t total);
    void *user;
    uint64_t frame; /* least bytes in a zstd frame, as in pd_writer_options */
};

struct pd_merge_stats {
    uint64_t records;    /* written, without FINISHED_ROUND */
    uint64_t samples;    /* of these */
    uint64_t duplicates; /* side-band records left out as duplicates */
    uint64_t events;     /* in the output */
    uint64_t new_ids;    /* ids that were changed */
    uint64_t lost;       /* records left out because they could not be rewritten; each is a finding */
    bool damaged;
};

/*
 * Merges n recordings of any container and byte order; the output has the byte order of the first. They must
 * be able to seek. Streams, and those of another byte order, are converted into temporary files first. A sink
 * for a file must be able to patch. Features are united if possible (build ids, the time of the samples, BPF
 * programs, files of simpleperf, tracing data of one kernel); others are those of the first input, and
 * differences are noted.
 *
 * PD_EUNSUP with the reason as `field`: clocks differ (see any_clock), records of an input have no time
 * (unless append), only some have sample_id_all, AUX data of different recordings, tracing data that
 * contradict each other.
 * PD_EARG: `n` is 0, or the output cannot be of that kind. PD_EOUT: the sink or a temporary file failed.
 * *failed (may be NULL) receives the number of the input with the error, or n.
 */
PD_EXPERIMENTAL enum pd_code pd_merge(struct pd_reader *const *readers, size_t n, const struct pd_sink *sink,
                                      const struct pd_merge_options *options, struct pd_merge_stats *stats,
                                      size_t *failed, struct pd_error *error);

#ifdef __cplusplus
}
#endif
#endif
