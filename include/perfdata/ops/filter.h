/* SPDX-License-Identifier: MIT */
/*
 * perfdata/ops/filter.h - writes the selected records of a recording, with the side-band they need, as a new
 * recording in which perf shows them as it shows them in the old one: same names, maps and symbols.
 *
 *     const char *comms[] = {"bash"};
 *     struct pd_filter_options options = {.size = sizeof options, .keep = {.comms = comms, .n_comms = 1}};
 *     struct pd_filter_stats stats;
 *     pd_filter(reader, &sink, &options, &stats, &error);
 *
 * The input is read up to three times: for the names of tasks over time, for the tasks that the selected
 * records belong to, and to copy. Without names in the selection, the first two passes are one, and the
 * choices in a file without compressed records are remembered, in 8 MiB at most, so that copying repeats no
 * checks. Records are copied as bytes. Memory does not grow with samples, but with tasks and their names (see
 * perfdata/session/tasks.h), with AUXTRACE records (16 bytes each), and, for deferred call chains, with the
 * chains that are kept (24 bytes each).
 *
 * A pipe stream that cannot seek is filtered in one pass. Records whose selection depends on a task wait
 * until perf would know the task: to the end of the next round; in memory, and beyond 16 MiB in a temporary
 * file. Memory then grows only with the number of tids. Records that a later record may need are kept, and so
 * are all deferred call chains.
 */
#ifndef PERFDATA_OPS_FILTER_H
#define PERFDATA_OPS_FILTER_H

#include <perfdata/ops/convert.h>
#include <perfdata/session/tasks.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Ranges of time, as perf's --time has them */

/* Nanoseconds, both included; 0: open. */
struct pd_time_range {
    uint64_t start, end;
};

/*
 * n characters as nanoseconds: a number with up to nine decimals, of seconds or of what is behind it: s, ms,
 * us, ns, m, h. Without characters it is 0. False: not understood, a part of a nanosecond, or above 64 bits.
 */
PD_EXPERIMENTAL bool pd_time_value(const char *text, size_t n, uint64_t *time);
/* Ranges that pd_time_parse() makes of a text are at most this many. */
PD_EXPERIMENTAL size_t pd_time_count(const char *text);
/* True if the ranges depend on the recording's first and last time. */
PD_EXPERIMENTAL bool pd_time_is_relative(const char *text);
/*
 * Makes ranges of a text as perf 6.1 does: `START,STOP`, either part possibly empty, several separated by
 * spaces and in ascending order; or parts of the time from `first` to `last`: `10%`, `10%/2` (the second such
 * part), `0%-10%`, several separated by commas. START and STOP are as pd_time_value() has them; behind a `+`,
 * since `first`. `ranges` has room for pd_time_count(text); *n receives their number. False: not understood,
 * or not ascending.
 */
PD_EXPERIMENTAL bool pd_time_parse(const char *text, uint64_t first, uint64_t last,
                                   struct pd_time_range *ranges, size_t *n);
/* True if the time is in one of n ranges. Time 0 means "unknown" and counts as inside, as in perf. */
PD_EXPERIMENTAL bool pd_time_match(const struct pd_time_range *ranges, size_t n, uint64_t time);
/*
 * The times of the first and last sample: those in the SAMPLE_TIME section, or, without one, those found by
 * reading all records. PD_EUNSUP: no sample has a time. Rewinds the reader.
 */
PD_EXPERIMENTAL enum pd_code pd_time_span(struct pd_reader *reader, uint64_t *first, uint64_t *last,
                                          struct pd_error *error);

/* ---- Filtering */

struct pd_cpu_range {
    uint32_t first, last;
};

/*
 * What to select, or to exclude. A list that is NULL has no effect; a record matches a list if it has one of
 * its values. A value that a record lacks (its event does not sample it) counts as a match, except pid and
 * tid, which are then -1, and the time, which is then the latest.
 *
 * Names of tasks, dsos and cgroups may be patterns with `*` and `?`, as of fnmatch(). For an input that
 * cannot seek, patterns of tasks and lists of dsos and cgroups are PD_EUNSUP.
 *
 * Names of dsos are those of perf: a path or the last part of it; "[kernel.kallsyms]" (also
 * "[kernel.vmlinux]" and "[kernel]"), "[nf_tables]" for a module, "[vdso]", the name of a BPF program;
 * "[unknown]" for unmapped addresses. Dsos and cgroups concern samples only, and take an additional pass,
 * memory for maps (40 bytes each; maps inherited from a parent count once) and 2 bits for each record.
 */
struct pd_filter_lists {
    const uint32_t *pids, *tids;
    size_t n_pids, n_tids;
    const char *const *comms; /* the task's name at that time; ":TID" if it never had one */
    size_t n_comms;
    const struct pd_cpu_range *cpus;
    size_t n_cpus;
    const uint32_t *events; /* numbers of attrs, only for SAMPLE and READ */
    size_t n_events;
    const struct pd_time_range *times;
    size_t n_times;
    const uint32_t *types; /* PD_RECORD_* */
    size_t n_types;
    const char *const *dsos; /* files that a sample's address is mapped from, see below */
    size_t n_dsos;
    const char *const *cgroups; /* paths of the sample's cgroup; events without PD_SAMPLE_CGROUP lack it */
    size_t n_cgroups;
};

/*
 * Which other records are kept with the selected samples. Task records are COMM, FORK, EXIT, MMAP, MMAP2 and
 * NAMESPACES; records of the tool are those from type 64 on, which always stay.
 *
 *             task records                        SWITCH, READ, AUX           other kernel records
 *   NEEDED    of the tasks of kept records, of    those that the selection    all
 *             all they were forked from, and      would keep as samples
 *             of the kernel; of an input that
 *             cannot seek, all
 *   ALL       all                                 all                         all
 *   NONE      none                                none                        none
 *
 * CALLCHAIN_DEFERRED goes with the sample it completes. Records of types in keep.types are always kept if
 * they match the other lists; with that list, SAMPLE, SWITCH, READ and AUX records are kept only if their
 * type is in it. Types in drop.types are never kept.
 */
enum pd_sideband { PD_SIDEBAND_NEEDED, PD_SIDEBAND_ALL, PD_SIDEBAND_NONE };

/* What a name of the lists means. */
enum pd_name_kind { PD_NAME_COMM, PD_NAME_DSO, PD_NAME_CGROUP };

struct pd_filter_options {
    size_t size;                          /* sizeof this struct */
    const struct pd_allocator *allocator; /* NULL: malloc */
    struct pd_filter_lists keep;          /* a sample must match all of them */
    struct pd_filter_lists drop;          /* and none of these */
    bool all_user, all_kernel;            /* no samples in kernel mode; none in user mode */
    uint64_t every; /* of the samples left, the first of each `every`, in file order; 0: all */
    uint64_t limit; /* of those, the first in file order; 0: all */
    enum pd_sideband sideband;
    /* Called for each damaged record and section, which is kept as it is or lost; may be NULL. */
    void (*finding)(void *user, const struct pd_error *error);
    /* Called now and then with the work done and to do, in bytes; may be NULL. */
    void (*progress)(void *user, uint64_t done, uint64_t total);
    void *user;
    enum pd_convert_zip zip; /* KEEP: compressed records are compressed again, in records of the same type */
    int level;               /* of zstd; 0: that of the input, or 1 */
    /*
     * For a directory as output, as in pd_convert_options. If set, a directory becomes a directory and the
     * sink is not used; NULL: it becomes a file.
     */
    int (*open_member)(void *user, const char *name, unsigned mode, struct pd_sink *sink);
    int (*close_member)(void *user, struct pd_sink *sink);
    /*
     * An input that cannot seek: called once its events are known, before anything is written. May still fill
     * in the lists, whose events are numbers. False: PD_EARG ends the run. May be NULL.
     */
    bool (*begin)(void *user);
    /*
     * The same: called before that for each record that stands before all others, HEADER_FEATURE among them.
     * May be NULL.
     */
    void (*head)(void *user, const struct pd_record *rec);
    /*
     * Appends n bytes of the input, from that offset, to the sink, faster than by read and write. Returns the
     * number of bytes appended; the rest, which may be all, are read and written. May be NULL.
     */
    uint64_t (*copy)(void *user, uint64_t offset, uint64_t n);
    /*
     * Called for each framed sample that meets the lists, before `every` and `limit` count it; false: it
     * goes. May decode it (pd_record_decode_framed()). Asked in each pass, so more than once of a sample: it
     * must answer alike. NULL: all stay.
     */
    bool (*predicate)(void *user, struct pd_record *rec);
    /*
     * The lists of pids, tids and comms also mean the tasks that theirs fork, from then on, and what those
     * fork. Takes a pass in order of time; PD_EUNSUP if the input cannot seek.
     */
    bool with_children;
    /*
     * Called for the names that the recording has, of kinds that the lists name, as far as they are known: in
     * any order, the same perhaps more than once. May be NULL.
     */
    void (*known)(void *user, enum pd_name_kind kind, const char *name);
    /* Called when all is read for each name and pattern of the lists that is none of these. May be NULL. */
    void (*unmatched)(void *user, enum pd_name_kind kind, const char *name);
    uint64_t frame; /* least bytes in a zstd frame, as in pd_writer_options */
};

struct pd_filter_stats {
    uint64_t samples, kept_samples;
    uint64_t others, kept_others; /* records that are not samples */
    uint64_t undecodable;         /* records that had to be kept because they could not be read */
    uint64_t first, last;         /* time of the kept samples; 0 without */
    uint64_t bytes;               /* of the new data section, of all files of a directory */
    bool damaged;                 /* the records end at damage, and the following ones are lost */
};

/*
 * Writes what is selected of a recording to a sink that can patch. The new file has the standard order of
 * sections, all attrs, and the header features byte for byte except SAMPLE_TIME, which is that of the kept
 * samples unless all are kept, COMPRESSED, which is the writer's own where records are compressed, and the
 * index of AUXTRACE records, which points to their new places. A pipe stream makes a pipe stream, and needs
 * no patching; one that cannot seek keeps its SAMPLE_TIME. A directory makes a directory of the same files,
 * or a file without DIR_FORMAT. PERFFILE (version 1) stays so as in pd_convert().
 *
 * PD_EUNSUP: the input cannot seek, and is no pipe stream. PD_EOUT: the sink failed. Damaged data ends the
 * records (of its file, in a directory) and is reported through `finding`; that is not an error here. options
 * NULL: everything is kept.
 */
PD_EXPERIMENTAL enum pd_code pd_filter(struct pd_reader *reader, const struct pd_sink *sink,
                                       const struct pd_filter_options *options, struct pd_filter_stats *stats,
                                       struct pd_error *error);

#ifdef __cplusplus
}
#endif
#endif
