/* SPDX-License-Identifier: MIT */
/*
 * perfdata/ops/merge.h - several recordings as one, its records in order of time.
 *
 *     struct pd_merge_options options = {.size = sizeof options};
 *     struct pd_reader *readers[] = {a, b};
 *     pd_merge(readers, 2, &sink, &options, &stats, &error);
 *
 * Events. Events with equal attrs and names become one, with the ids of all; a group only with an equal
 * group. Of one input, no two become one. Where many groups have equal attrs and only some of a group's names
 * are known, equal ones may stay apart. An id stays, unless it belongs to another event already, or to the
 * same event of another machine: then it gets a new one, in samples, trailers, counter values and all other
 * records that speak of it. Where events come together whose samples do not tell them apart, IDENTIFIER is
 * added to them.
 *
 * Machines. Recordings are of one machine if their features HOSTNAME, OSRELEASE, ARCH, CPUID and NRCPUS do
 * not contradict. There, the same pid is the same task at the same time. To the pids of another machine
 * PD_MERGE_PID_STEP is added, times its number; 0 and -1 stay. Raw data, which may have pids, too, stays as
 * it is.
 *
 * Duplicates. A record of side-band (tasks, maps, and what describes the recording; no sample, no loss) that
 * equals one of another input byte for byte, its time included, is written once: pieces of a recording have
 * copies of what they need.
 *
 * Records without a time come as in pd_sort(); those before an input's first time come there, behind what
 * others have from before. What they say of tasks waits for the input's first sample, or for something with a
 * time about the process, if others have begun: it was so at some time before. It is a duplicate only if
 * nothing was told of the task since it was written.
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
    PD_MERGE_PIDS_KEEP, /* never moved: all inputs count as of one machine */
    PD_MERGE_PIDS_MOVE, /* moved of each input but the first, as if each were another machine's */
};

/* Something that cannot be as it was in all inputs. */
struct pd_merge_note {
    size_t input;     /* which one, from 0 */
    uint32_t feature; /* PD_FEAT_*; UINT32_MAX: it is about something else */
    const char *text; /* static */
};

struct pd_merge_options {
    size_t size;                          /* sizeof this struct */
    const struct pd_allocator *allocator; /* NULL: malloc */
    size_t memory;                        /* bytes in which records may wait, of all inputs; 0: 64 MiB */
    const char *tmpdir;                   /* for temporary files; NULL: $TMPDIR, or else /tmp */
    enum pd_convert_to to;                /* FILE, which SAME means, too, or PIPE */
    enum pd_convert_zip zip;              /* KEEP: compressed if the first input is */
    int level;                            /* of zstd; 0: 1 */
    bool append;                          /* one input behind the other, as they stand */
    bool any_clock;                       /* also what was recorded with different clocks */
    enum pd_merge_pids pids;
    void (*note)(void *user, const struct pd_merge_note *note); /* may be NULL, as those below */
    /* Damage of an input, whose intact records are taken all the same. */
    void (*finding)(void *user, size_t input, const struct pd_error *error);
    void (*progress)(void *user, uint64_t done, uint64_t total);
    void *user;
};

struct pd_merge_stats {
    uint64_t records;    /* written, without FINISHED_ROUND */
    uint64_t samples;    /* of these */
    uint64_t duplicates; /* side-band that was there already */
    uint64_t events;     /* in the output */
    uint64_t new_ids;    /* ids that were changed */
    uint64_t lost;       /* records left out because they could not be rewritten; each is a finding */
    bool damaged;
};

/*
 * Merges n recordings of any container and byte order; the output has the byte order of the first. They must
 * be able to seek. Streams, and those of another byte order, are converted into temporary files first. A sink
 * for a file must be able to patch. Of each feature, what can be united is (build ids, the time of the
 * samples, BPF programs, tracing data only if equal), of others that of the first input counts, and
 * differences are noted.
 *
 * PD_EUNSUP with the reason as `field`: clocks differ (see any_clock), records of an input have no time
 * (unless append), only some have sample_id_all, AUX data of different recordings, different tracing data.
 * PD_EARG: `n` is 0, or the output cannot be of that kind. PD_EOUT: the sink or a temporary file failed.
 * *failed (may be NULL) receives which input the error is about, or n.
 */
PD_EXPERIMENTAL enum pd_code pd_merge(struct pd_reader *const *readers, size_t n, const struct pd_sink *sink,
                                      const struct pd_merge_options *options, struct pd_merge_stats *stats,
                                      size_t *failed, struct pd_error *error);

#ifdef __cplusplus
}
#endif
#endif
