/* SPDX-License-Identifier: MIT */
/*
 * merge.h - the internals of pd_merge(): merge.c goes through the records, merge_state.c handles side-band
 * that several inputs have, merge_units.c joins events, merge_events.c assigns ids and changes records,
 * merge_features.c makes the features, merge_large.c joins the parts of large records. They call
 * merge_write.c, which writes records, and merge_common.c; besides, merge_events.c calls merge_units.c, and
 * merge_large.c merge_state.c.
 */
#ifndef PERFDATA_MERGE_INTERNAL_H
#define PERFDATA_MERGE_INTERNAL_H

#include "src/session/record_words.h"
#include "ops/edit/identity.h"
#include "src/codec/record_role.h"
#include "src/session/order/sorted_run.h"
#include "src/support/keyed.h"
#include "ops/output/compression.h"
#include "ops/output/progress.h"
#include "ops/output/rounds.h"
#include "ops/output/sections_out.h"
#include <perfdata/ops/merge.h>
#include "ops/output/reads.h"
#include "src/support/ids.h"
#include <perfdata/session/event.h>
#include <perfdata/session/metadata.h>
#include <perfdata/session/sorter.h>
#include <stdio.h>

/* An event of the output. */
struct pi_merged_event {
    struct pd_attr attr; /* its tail is the input's */
    struct pd_plan plan;
    const char *name; /* NULL: unknown */
    size_t input;     /* the input it came from */
    uint32_t unit;    /* number of its group, or of itself alone */
    uint64_t *ids;
    size_t n_ids, cap;
};

/* Events that belong together. */
struct pi_merged_unit {
    uint32_t first, n;
    struct pd_group_desc group; /* if n > 1 */
    size_t taken_by;            /* the last input that has the unit, + 1 */
    uint32_t next[3]; /* in the chain of units with the same attrs; and names; of which some are not known */
};

/* Units that may be the same, in the order of their appearance. */
struct pi_unit_chain {
    uint32_t first, last;
    uint32_t free; /* units before it are taken by the input ... */
    size_t input;  /* ... with this number, + 1 */
};

enum { PI_READY = 64 }; /* samples that are taken at a time */

struct pi_merge_input {
    struct pd_reader *given;  /* the caller's */
    struct pd_reader *reader; /* the caller's, or that of a temporary file */
    FILE *temporary;
    struct pd_metadata *meta;
    struct pd_sorter *sorter;
    size_t machine;                  /* the first input of the same machine */
    uint32_t pid_step;               /* to be added to pids */
    uint32_t *event;                 /* number of the output's event, by attr */
    uint64_t *own_id;                /* an id in the output, by attr */
    struct pi_ids ids;               /* changed ids */
    struct pi_reads counters;        /* of its samples, by the output's ids */
    bool rewritten;                  /* records change */
    bool unnamed;                    /* of the rewritten records, those with id 0 get an id */
    bool alone;                      /* has one event, and the output others: ids of none become its id */
    bool began;                      /* a record with a time has come */
    bool sampled;                    /* a sample, or another record that comes only then, has come */
    size_t n_waiting;                /* records that merge_state.c holds back */
    struct pd_record rec;            /* the next record, unless it is `whole` */
    const struct pi_ready *whole;    /* the next record: a sample that is merged as it is; or NULL */
    struct pi_ready ready[PI_READY]; /* what the sorter gives next, `whole` included */
    size_t n_ready, n_taken;         /* of these, how many there are, and how many were taken */
    struct pi_merge_parts {
        uint8_t *bytes; /* records */
        size_t n, cap;
        size_t begun; /* so many of the bytes are the begin of a record that another input had whole */
    } parts;          /* of a large record whose end has not come */
    uint64_t key;     /* its time in the merge */
    uint64_t first;   /* time */
    bool early;       /* the next record comes before all that have a time */
};

struct pi_merging {
    struct pi_merge_input *in;
    size_t n;
    const struct pd_merge_options *options;
    const struct pd_allocator *allocator;
    struct pd_merge_stats *stats;
    struct pd_error *error;
    size_t failed;
    enum pd_order order;
    struct pi_merged_event *events;
    size_t n_events, events_cap;
    struct pi_merged_unit *units;
    size_t n_units, units_cap;
    struct pi_unit_chain *chains;
    size_t n_chains, chains_cap;
    struct pi_ids chain_of; /* from hashes of units to their chains */
    struct pi_key hash_key; /* of the hashes of units and of file names */
    struct pi_ids id_owner; /* from the output's ids to event << 32 | machine */
    struct pi_ids repeated; /* hashes of events and ids that belong to others: these are in their lists */
    struct pi_ids sums;     /* of counters in samples of the output */
    uint64_t last_id;       /* the last one assigned */
    struct pi_sections out;
    struct pi_rounds rounds;
    uint32_t last;  /* input of the record written last */
    uint32_t *heap; /* inputs with a record, the next one at the top */
    size_t n_heap;
    struct pi_merge_state *state;
    size_t n_began;                  /* number of inputs that began */
    struct pd_bytes aux_info;        /* the AUXTRACE_INFO in the output */
    struct pi_progress progress;     /* of all inputs */
    struct pi_identities identities; /* the fields that are event ids and pids */
    struct pd_record copy;           /* for a record that is rewritten */
    uint8_t from[UINT16_MAX + 1], to[UINT16_MAX + 1];
};

/* merge_common.c */
void pi_merge_note(const struct pi_merging *m, size_t input, uint32_t feature, const char *text);
void pi_merge_note_event(const struct pi_merging *m, size_t input, uint32_t feature, const char *text,
                         const char *name);
enum pd_code pi_merge_no_memory(struct pi_merging *m, size_t n);

/* merge_tracing.c. Writes the tracing data of the first input that has it, and what others have besides. */
enum pd_code pi_merge_put_tracing(struct pi_merging *m, size_t first);

/* merge_write.c. The time of a record; 0: it has none. */
static inline uint64_t pi_merge_time(const struct pd_record *rec)
{
    uint64_t time;
    return pi_known_time(rec, &time) ? time : 0;
}
/* Writes `bytes` for a record of an input, after the rounds that end before it. */
enum pd_code pi_merge_write_record(struct pi_merging *m, uint32_t i, const struct pd_record *rec,
                                   const uint8_t *bytes, size_t n);
/* The same of a sample with this time, without values of counters; not where inputs are appended. */
enum pd_code pi_merge_write_sample(struct pi_merging *m, uint64_t time, const uint8_t *bytes, size_t n);
/* Writes a record of an input's event; it need not be the input's next record. */
enum pd_code pi_merge_write(struct pi_merging *m, uint32_t input, uint32_t attr, const uint8_t *bytes,
                            size_t n);

/* merge_large.c: large records, which come in parts. They are written as a whole, and once. */
enum pd_code pi_merge_part(struct pi_merging *m, uint32_t input, const struct pd_record *rec);
/* What has no end, behind all inputs: otherwise it would be the begin of the next one. */
enum pd_code pi_merge_open_parts(struct pi_merging *m);

/* A record as it will be in the output. */
struct pi_merged_record {
    const uint8_t *bytes; /* NULL: it cannot be rewritten */
    size_t n;
    size_t trailer; /* of these, the sample_id at the end; 0 if the record was not decoded */
};

/* merge_state.c. Must be closed even if opening failed. */
enum pd_code pi_merge_state_open(struct pi_merging *m);
void pi_merge_state_close(struct pi_merging *m);
/*
 * Takes the next record of an input, as it is to be written, before it is written; may write other records
 * first. *done: the caller must not write it, since it is a duplicate or will be written later.
 */
enum pd_code pi_merge_state_record(struct pi_merging *m, uint32_t input, const struct pi_merged_record *out,
                                   uint64_t time, bool decoded, bool *done);
/* The same of a sample with a time, which is always to be written. */
enum pd_code pi_merge_state_sample(struct pi_merging *m, uint32_t input);
/* Bytes that are copies as a whole: *done, if they were written for another input. */
enum pd_code pi_merge_state_bytes(struct pi_merging *m, uint32_t input, const uint8_t *bytes, size_t n,
                                  bool *done);
/* The input has ended. */
enum pd_code pi_merge_state_end(struct pi_merging *m, uint32_t input);

/* merge_units.c: finds the events of the output for those of an input; adds the missing ones. */
enum pd_code pi_merge_units(struct pi_merging *m, size_t i);

/* merge_events.c: merges the events of all inputs and gives them to the writer. */
enum pd_code pi_merge_events(struct pi_merging *m);
enum pd_code pi_merge_put_events(struct pi_merging *m);
/* A record as it will be in the output; without bytes if it cannot be rewritten, for the reason in *error. */
struct pi_merged_record pi_merge_record(struct pi_merging *m, struct pi_merge_input *in,
                                        struct pd_record *rec, struct pd_error *error);

/* merge_features.c */
/* Finds the inputs that are of one machine. */
void pi_merge_machines(struct pi_merging *m);
/* Determines the features of the output. */
void pi_merge_feed(struct pi_merging *m);

#endif
