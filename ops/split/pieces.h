/* SPDX-License-Identifier: MIT */
/*
 * pieces.h - what the parts of pd_pieces() share: pieces.c (passes and cuts), pieces_tasks.c (what depends on
 * which task), pieces_out.c (a piece that is being written, and what is carried from one to the next).
 */
#ifndef PERFDATA_PIECES_INTERNAL_H
#define PERFDATA_PIECES_INTERNAL_H

#include "ops/filter/filter.h"
#include "src/session/spill.h"
#include "src/session/task_graph.h"
#include "src/session/told.h"
#include <perfdata/ops/split.h>

/* ---- pieces_tasks.c: a number stands for all tasks that bear it, as pid or tid, at any time */

struct pd_kin {
    const struct pd_allocator *allocator;
    struct pd_idmap map; /* from the number to the task */
    struct pd_kin_task {
        uint64_t last; /* number of the last record that speaks of it, or of one forked from it; UINT64_MAX:
                          none */
        uint64_t mask; /* pieces that depend on it, while they are collected */
        uint32_t pid;  /* what was last said to be its process */
        bool sampled;  /* some piece depends on it */
        bool spoken_of;
    } * tasks;
    size_t n, cap;
    struct pd_task_graph forks; /* each task depends on those that made it */
    struct pd_kin_turn {
        uint64_t last;
        uint32_t task;
    } * turns; /* room for all tasks */
    size_t turns_cap;
};

void pd_kin_init(struct pd_kin *k, const struct pd_allocator *allocator);
void pd_kin_free(struct pd_kin *k);
/* Takes what record number `seq` says of tasks; to be called in the order of processing. False: no memory. */
bool pd_kin_record(struct pd_kin *k, struct pd_record *rec, uint64_t seq);
/* A sample of the pieces in the mask speaks of a task. */
bool pd_kin_need(struct pd_kin *k, uint32_t pid, uint32_t tid, uint64_t mask);
/* What was forked from a task depends on it: passes `last` and `mask` on to the parents. */
void pd_kin_settle(struct pd_kin *k);
/* Notes in `sampled` who has a mask, and takes the masks away. */
void pd_kin_clear(struct pd_kin *k);
/* Forgets which tasks were spoken of, for another reading with pd_kin_owners(). */
void pd_kin_rewind(struct pd_kin *k);

/*
 * The tasks that a PD_ROLE_OF_TASK record matters to; up to two numbers, none if it matters to all, or cannot
 * be decoded. To be called for each such record, in order.
 */
struct pd_owners {
    uint32_t task[2];
    unsigned n; /* 0: all */
};
void pd_kin_owners(struct pd_kin *k, struct pd_record *rec, struct pd_owners *owners);
/* Does anything from record number `seq` on depend on one of them? */
bool pd_kin_alive(const struct pd_kin *k, const struct pd_owners *owners, uint64_t seq);
/* The pieces that depend on one of them; *sampled: some piece does. */
uint64_t pd_kin_mask(const struct pd_kin *k, const struct pd_owners *owners, bool *sampled);

/* ---- pieces_out.c */

/* What pieces are written with. */
struct pd_cutting {
    struct pd_reader *reader;
    const struct pd_pieces_options *options;
    struct pd_output_options output;
    struct pd_pieces_stats *stats;
    struct pd_error *error;
    bool timed;   /* perf sorts */
    uint32_t zip; /* type of the COMPRESSED records met */
    struct pd_kin kin;
    struct pd_spill spill; /* what may have to be carried */
    bool carrying;         /* a run is being written */
    struct pd_waiting *wait;
    struct pd_cut_payload { /* what follows carried records */
        uint64_t offset;
        uint8_t *bytes;
        size_t n;
    } * payloads;
    size_t n_payloads, payloads_cap;
    uint64_t payload_bytes;
    uint64_t around;              /* bytes of a piece that are not records */
    uint64_t copied, most_copied; /* bytes that stand in a piece again, of all pieces */
};

/* A piece that is being written. */
struct pd_cut {
    struct pd_cutting *c;
    struct pd_piece piece;
    struct pd_output out;
    struct pd_sink sink;
    uint64_t bytes;  /* of records, uncompressed */
    uint64_t newest; /* time written since the last pair of FINISHED_ROUND */
    bool waiting;    /* perf would let something wait */
    bool open, closing;
};

bool pd_cut_time(const struct pd_cutting *c, const struct pd_record *rec, uint64_t *time);
enum pd_code pd_cut_begin(struct pd_cut *p, struct pd_cutting *c, uint64_t number, uint32_t key);
/* A record of the piece's own, or a copy; what follows the record is `payload`. */
enum pd_code pd_cut_put(struct pd_cut *p, struct pd_record *rec, const struct pd_cut_payload *payload,
                        bool copy);
enum pd_code pd_cut_end(struct pd_cut *p);
/* Frees what it has; a piece that did not end is what was written of it. */
void pd_cut_free(struct pd_cut *p);

/* Is it a record that tells how things stand for all that follows? */
bool pd_cut_is_state(const struct pd_record *rec);
/* Copies the bytes of a record, which what reads the input elsewhere would move; they stay until the next
 * one. */
enum pd_code pd_cut_hold(struct pd_cutting *c, struct pd_record *rec);
/* Takes a record to be carried. */
enum pd_code pd_cut_carry(struct pd_cutting *c, const struct pd_record *rec);
/* Writes what was taken and is still needed from record number `seq` on to a piece. */
enum pd_code pd_cut_carried(struct pd_cut *p, uint64_t seq);
/*
 * Reads what follows a record from the sorter, which holds the record; *payload is NULL if nothing does.
 * *missing: the input ends before; that was reported.
 */
struct pd_sorter;
enum pd_code pd_cut_payload(struct pd_cutting *c, struct pd_sorter *s, struct pd_record *rec,
                            const struct pd_cut_payload **payload, bool *missing);

#endif
