/* SPDX-License-Identifier: MIT */
/*
 * info.h - the facts that `perfdata info` collects about a recording (info_scan.c) and prints (info.c,
 * info_json.c; with -I info_features.c, info_bpf.c).
 */
#ifndef PERFDATA_CLI_INFO_H
#define PERFDATA_CLI_INFO_H

#include "cli/lib/cli.h"
#include "cli/lib/files/indexed.h"
#include "src/session/tasks/task_questions.h"

#define INFO_TYPES 256 /* record types that are told apart; real recordings have less than fifty */

struct info_type {
    uint32_t type;
    bool named;
    uint64_t n, bytes;
};

struct info_times {
    uint64_t n, first, last;
};

struct info {
    struct cli *cli;
    struct cli_input *in;
    void (*on_mmap)(struct info *info,
                    const struct pd_record *rec); /* for --mmaps: each decoded MMAP or MMAP2 */
    void *user;
    bool header_only, stats, show_tasks, mmaps, show_info; /* options */
    struct info_type types[INFO_TYPES];                    /* by type */
    size_t n_types;
    struct info_type other;   /* of further types */
    struct info_type *latest; /* where the last record was counted */
    struct info_type unknown; /* of types without a name; `type` is the first of them */
    uint64_t unknown_offset;
    uint64_t records, bytes; /* known at the end */
    struct info_event {
        uint64_t samples, lost;
    } * events; /* for each attr; those behind have none */
    size_t n_events;
    uint64_t unowned;                    /* samples of unknown events */
    struct info_times sample_time, time; /* until the end: those of samples that are not 0, those of others */
    uint64_t untimed;                    /* samples at 0 */
    uint64_t lost_records, lost, lost_samples_records, lost_samples;
    uint64_t compressed, inflated; /* bytes of chunks, and of the records in them */
    uint64_t payload;              /* bytes behind records */
    struct pd_tasks *tasks;        /* asked for the number of tids; with --tasks for the last of each, too */
    const struct pi_tid_set *tids; /* that it has met */
    bool refused;                  /* it did not take a record */
    bool indexed;                  /* the recording has an index, which was used */
};

/* Reads all records; with --header-only those of streams that have features. */
void info_scan(struct info *info);
void info_free(struct info *info);

/* The common fields of MMAP and MMAP2; build_id_size is 0 without a build id. */
struct info_mmap {
    uint32_t pid, tid;
    uint64_t addr, len, pgoff;
    char prot[5];                 /* "r-xp" */
    const struct pd_mmap2 *mmap2; /* NULL: the old form */
    unsigned build_id_size;
    struct pd_str name;
};
void info_take_mmap(const struct pd_record *rec, struct info_mmap *map);

/* The lines of -I. */
void info_show(struct info *info);
void info_bpf_programs(struct info *info, const struct pd_feature *f);
void info_bpf_types(struct info *info, const struct pd_feature *f);

int info_json(struct info *info);
int info_text(struct info *info);

#endif
