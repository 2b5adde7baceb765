/* SPDX-License-Identifier: MIT */
/*
 * perfdata/ops/gen.h - synthetic recordings: random but valid ones, and those of a described workload. The
 * same options give the same bytes on every machine. Memory does not grow with the size of the recording.
 *
 *     const struct pd_gen_options options = {.size = sizeof options, .workload = pd_gen_preset("server"),
 *                                            .count = 100000};
 *     struct pd_gen *gen;
 *     if (pd_gen_open(&gen, &sink, &options, &error) == PD_OK && pd_gen_run(gen, &error) == PD_OK) …
 *     pd_gen_close(gen);
 *
 * The language of workloads: docs/GEN.md.
 */
#ifndef PERFDATA_OPS_GEN_H
#define PERFDATA_OPS_GEN_H

#include <perfdata/writer.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Limits of a recording that is made. */
#define PD_GEN_MOST_EVENTS 64
#define PD_GEN_MOST_CPUS 1024
#define PD_GEN_MOST_TASKS 65536
#define PD_GEN_MOST_DEPTH 1000

/* How often a record type comes up, in proportion to the other weights. */
struct pd_gen_weight {
    uint32_t type; /* PD_RECORD_*, but not COMPRESSED and COMPRESSED2 */
    uint32_t weight;
};

enum pd_gen_features {
    PD_GEN_FEATURES_USUAL, /* those of a perf record, with plausible content */
    PD_GEN_FEATURES_NONE,  /* none but those that the container needs */
    PD_GEN_FEATURES_ALL, /* about half of those whose content perf does not use, random; with `any` of all */
};

struct pd_gen_options {
    size_t size;                          /* sizeof this struct */
    const struct pd_allocator *allocator; /* NULL: malloc; must outlive the generator */
    uint64_t seed;
    uint64_t count; /* records to make; 0: 10000, if `bytes` is 0, too */
    uint64_t bytes; /* of records to make, before compression; 0: only `count` limits */
    enum pd_order order;
    enum pd_container container; /* a DIRECTORY has two sinks: see `member` */
    uint32_t compression;        /* as in pd_writer_options */
    int level;
    const struct pd_sink *
        member; /* DIRECTORY: of `data.0`, which gets all but the first records; must outlive the generator */
    const char *workload; /* text that describes one, only read by pd_gen_open(); NULL: random records */
    const struct pd_gen_weight *weights; /* types of random records; NULL: those that perf 6.1 reads without a
                                            message. Only read by pd_gen_open() */
    size_t n_weights;
    uint64_t sample_type; /* PD_SAMPLE_*; 0: the workload's, or at random */
    unsigned events;      /* how many; 0: the workload's, or 2 */
    unsigned cpus;        /* 0: the workload's, or 4 */
    unsigned tasks;       /* approximate number that live at a time; 0: the workload's, or 32 */
    unsigned depth;       /* of call chains; 0: the workload's, or at random to 16 */
    enum pd_gen_features features;
    bool any; /* random records: any valid values, also those that perf refuses or warns about */
    /* Called now and then with the records and bytes that were made; may be NULL. */
    void (*progress)(void *user, uint64_t records, uint64_t bytes);
    void *user;
    uint64_t frame;                   /* least bytes in a zstd frame, as in pd_writer_options */
    const struct pd_workers *workers; /* likewise; of a DIRECTORY they compress for both sinks */
};

struct pd_gen;

/*
 * Starts a recording on a sink, which must outlive the generator; a FILE or DIRECTORY needs one that can
 * patch. PD_EVALUE with field and `found`, a line counted from 1: that line of the workload is wrong, and
 * `field` says why. PD_EARG: `field` names the impossible option. *gen is only set on success.
 */
PD_EXPERIMENTAL enum pd_code pd_gen_open(struct pd_gen **gen, const struct pd_sink *sink,
                                         const struct pd_gen_options *options, struct pd_error *error);
/*
 * Makes the whole recording and completes it. It has exactly `count` random records. A workload has at least
 * the records that set it up, and may have a few more than `count`, since groups of records are not divided.
 * PD_EOUT: the sink failed.
 */
PD_EXPERIMENTAL enum pd_code pd_gen_run(struct pd_gen *gen, struct pd_error *error);
/* Records made so far, without those of the container; and their bytes before compression. */
PD_EXPERIMENTAL uint64_t pd_gen_records(const struct pd_gen *gen);
PD_EXPERIMENTAL uint64_t pd_gen_bytes(const struct pd_gen *gen);
/* Frees it. NULL is fine. */
PD_EXPERIMENTAL void pd_gen_close(struct pd_gen *gen);

/* The text of a preset workload, static; NULL: there is none of this name. */
PD_EXPERIMENTAL const char *pd_gen_preset(const char *name);
/* The name of preset `i`, static; NULL: there are no more. */
PD_EXPERIMENTAL const char *pd_gen_preset_name(size_t i);

#ifdef __cplusplus
}
#endif
#endif
