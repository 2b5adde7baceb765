/* SPDX-License-Identifier: MIT */
/*
 * pieces.h - shared by the parts of pd_pieces(): pieces.c (passes and cuts), pieces_cgroups.c (cgroups by
 * number), pieces_out.c (writing a piece, and carrying records to the next ones).
 */
#ifndef PERFDATA_PIECES_INTERNAL_H
#define PERFDATA_PIECES_INTERNAL_H

#include "ops/filter/filter.h"
#include "ops/output/reads.h"
#include "src/session/order/sorted_run.h"
#include "src/support/ids.h"
#include "src/session/tasks/task_questions.h"
#include <perfdata/ops/split.h>
#include <perfdata/session/session.h>

/* ---- pieces_cgroups.c */

struct pi_cut_cgroups {
    struct pd_session *session; /* their paths; NULL: not cut by them */
    struct pi_ids numbers;
    uint64_t *ids; /* by number */
    size_t n, cap;
};

struct pi_cutting;
enum pd_code pi_cut_cgroups_open(struct pi_cutting *c);
void pi_cut_cgroups_close(struct pi_cutting *c);
/* Learns paths from a record. */
enum pd_code pi_cut_cgroups_record(struct pi_cutting *c, struct pd_record *rec);
/* The number of a sample's cgroup, which it gives where it is new; UINT32_MAX: it has none. */
uint32_t pi_cut_cgroup_of(struct pi_cutting *c, struct pd_record *rec);
/* Sets cgroup and path of a piece by its key. */
void pi_cut_cgroup_name(const struct pi_cutting *c, struct pd_piece *piece);

/* ---- pieces_out.c */

/* The state of writing pieces. */
struct pi_cutting {
    struct pd_reader *reader;
    const struct pd_pieces_options *options;
    struct pi_output_options output;
    struct pd_pieces_stats *stats;
    struct pd_error *error;
    bool timed;             /* perf sorts */
    uint32_t zip;           /* type of the COMPRESSED records met */
    struct pd_tasks *tasks; /* until when, and where, they are needed */
    struct pi_spill spill;  /* what may have to be carried */
    bool carrying;          /* a run is being written */
    struct pi_waiting *wait;
    struct pi_cut_payload { /* what follows carried records */
        uint64_t offset;
        uint8_t *bytes;
        size_t n;
    } * payloads;
    size_t n_payloads, payloads_cap;
    uint64_t payload_bytes;
    struct pi_reads counters;
    struct pi_cut_cgroups cgroups;
    uint64_t around;              /* bytes of a piece that are not records */
    uint64_t copied, most_copied; /* bytes repeated in pieces, in all */
    uint64_t rounds;              /* ended in all pieces that are open */
};

/* A piece that is being written. */
struct pi_cut {
    struct pi_cutting *c;
    struct pd_piece piece;
    struct pi_output out;
    struct pd_sink sink;
    uint64_t bytes;     /* of records, uncompressed */
    uint64_t newest;    /* time written since the last pair of FINISHED_ROUND */
    bool waiting;       /* perf would let something wait */
    uint64_t rounds;    /* of the cutting's, those whose ends it has */
    struct pi_ids sums; /* of counters in its samples */
    bool open, closing;
};

bool pi_cut_time(const struct pi_cutting *c, const struct pd_record *rec, uint64_t *time);
enum pd_code pi_cut_begin(struct pi_cut *p, struct pi_cutting *c, uint64_t number, uint32_t key);
/* A record of the piece itself, or a copy, and its `payload`. */
enum pd_code pi_cut_put(struct pi_cut *p, struct pd_record *rec, const struct pi_cut_payload *payload,
                        bool copy);
/* The same of a sample of the piece itself, without a payload; most take few instructions. */
enum pd_code pi_cut_put_sample(struct pi_cut *p, struct pd_record *rec);
/* True if a record, inside a COMPRESSED one or not, is the first of its piece that is compressed again. */
static inline bool pi_cut_starts_zip(const struct pi_cut *p, bool inside)
{
    return inside && p->out.z.zip == 0 && p->c->zip && p->c->output.zip == PD_ZIP_KEEP;
}
/*
 * The same of a sample that pi_sorted_is_whole(), if pi_cut_takes() it: it is neither older than those before
 * it, nor is the output more than its bytes.
 */
static inline bool pi_cut_takes(const struct pi_cut *p, const struct pi_queue_entry *e)
{
    return pi_output_is_direct(&p->out) && !(p->waiting && e->time < p->newest) &&
           !pi_cut_starts_zip(p, e->waiting->depth);
}
enum pd_code pi_cut_put_whole(struct pi_cut *p, const struct pi_queue_entry *e);
/*
 * Puts the end of a round into all pieces that are open, as many copies as that: each of them writes it when
 * something follows, or at its end, as most are of other processes than a round is. False: not this record.
 */
bool pi_cut_is_round(const struct pi_cutting *c, const struct pd_record *rec);
enum pd_code pi_cut_round(struct pi_cutting *c, size_t copies);
enum pd_code pi_cut_end(struct pi_cut *p);
/* Frees its memory; an unfinished piece stays as it was written. */
void pi_cut_free(struct pi_cut *p);

/* True if the record describes state for all later records. */
bool pi_cut_is_state(const struct pd_record *rec);
/*
 * Copies the bytes of a record, since reading elsewhere in the input would move them; the copy is valid until
 * the next call.
 */
enum pd_code pi_cut_hold(struct pi_cutting *c, struct pd_record *rec);
/* Takes a record to be carried. */
enum pd_code pi_cut_carry(struct pi_cutting *c, const struct pd_record *rec);
/* Writes the carried records that are still needed from record number `seq` on to a piece. */
enum pd_code pi_cut_carried(struct pi_cut *p, uint64_t seq);
/*
 * Reads the payload of a record from the sorter, which holds the record; *payload is NULL if there is none.
 * *missing: the input ends too early; that was reported.
 */
struct pd_sorter;
enum pd_code pi_cut_payload(struct pi_cutting *c, struct pd_sorter *s, struct pd_record *rec,
                            const struct pi_cut_payload **payload, bool *missing);

#endif
