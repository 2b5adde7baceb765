/* SPDX-License-Identifier: MIT */
/* reader_internal.h - the inside of a reader, for those who read faster or more than its functions do. */
#ifndef PERFDATA_READER_INTERNAL_H
#define PERFDATA_READER_INTERNAL_H

#include "src/container/attrs.h"
#include "src/container/feature_probe.h"
#include "src/container/inflate.h"
#include "src/container/input.h"
#include "src/schema/fail.h"

/* pd_reader_next_decoded(), or what it does for some samples */
typedef enum pd_code pd_next_decoded(struct pd_reader *r, struct pd_record *rec, struct pd_error *error);

struct pd_reader {
    struct pd_input in;
    const struct pd_allocator *allocator;
    struct pd_file_info info;
    struct pd_attrs attrs;
    struct pd_feature_section *features;
    size_t n_features, features_cap;
    struct pd_error *findings;
    size_t n_findings, findings_cap;
    size_t overlaps, overlaps_end; /* the findings that pd_file_map() made */
    struct pd_extent *extents;
    size_t n_extents, extents_cap;
    char *dir; /* path of a directory recording */
    struct pd_member *members;
    size_t n_members, members_cap;
    struct pd_input member_in; /* of the member being read, when that is not `data` */
    bool borrowed;             /* attrs belong to another reader */
    struct pd_input *src;      /* where the records come from now */
    uint64_t end;              /* where they end in it; PD_NOWHERE when not known */
    const struct pd_reader
        *whole;  /* of a part, whose records begin before info.data_end: the file's reader; else NULL */
    uint64_t at; /* where the next record, or the rest of this one's payload, starts */
    uint64_t payload_left;   /* bytes of the last record's payload that were not asked for */
    struct pd_error payload; /* where that record is; `expected` is the size of the payload */
    uint64_t index;          /* of the next record */
    struct pd_inflate inflate;
    struct pd_probe probe;
    struct pd_error pending; /* what was lost of the compressed data; told after the record that showed it */
    struct pd_error passed; /* the first COMPRESSED record that was passed over because of damage before it */
    size_t window;
    uint64_t max_held;
    uint64_t ids_bytes;     /* of all ids sections */
    uint64_t feature_bytes; /* of all features that are intact */
    uint64_t attrs_end;     /* attrs of HEADER_ATTR records before this offset are known */
    bool bad_attrs;         /* a finding tells of damage of the file's attrs or of their ids */
    bool begun;             /* the stream has given records that are, or may be, of an event */
    bool late_attrs;        /* attrs came behind such records */
    uint32_t nr_cpus_avail; /* as NRCPUS in the stream said */
    uint32_t member;   /* which member src is; both as in struct pd_record, so that they are copied as one */
    uint32_t number;   /* of a reader of one member alone: which it is; otherwise 0 */
    bool old_features; /* feature sections under types 69 to 80 come before the first attr */
    bool keep_compressed;
    bool nested;   /* a COMPRESSED record inside another one was told of and is given next */
    bool inside;   /* records of a COMPRESSED one are being given */
    bool stopped;  /* at damage or at the end */
    bool headless; /* where the records begin is yet to be found: see pd_reader_open_headless() */
    bool mended;   /* pd_find_data() has been here */
    pd_next_decoded *next_decoded;      /* of the samples that come now */
    pd_next_decoded *const (*usual)[2]; /* the ones to choose from: pd_next_decoded_usual */
};

pd_next_decoded pd_next_decoded_any;
/*
 * By number of the usual sample type, for the only event and for one of several: pd_next_decoded_any and
 * others.
 */
extern pd_next_decoded *const pd_next_decoded_usual[][2];

/*
 * Of a stream that was read through: PD_EUNSUP if records would say something else behind all attrs than
 * where they stand. Those whose attrs come first, as in all that perf writes, are not looked at again. Else
 * it is read once more, then rewound.
 */
enum pd_code pd_reader_check_attrs(struct pd_reader *r, struct pd_error *error);

/* A reader with nothing open yet. */
enum pd_code pd_reader_new(struct pd_reader **reader, const struct pd_reader_options *options,
                           struct pd_error *error);

/*
 * All that stands behind the record just given, in memory of `a`, of which no more is taken than twice what
 * is there. Also with an error *bytes, NULL if there are none, and *n are what came before it.
 */
enum pd_code pd_reader_hold_payload(struct pd_reader *r, const struct pd_allocator *a, uint8_t **bytes,
                                    size_t *n, struct pd_error *error);
/* pd_reader_next() without going on to the next member. */
enum pd_code pd_reader_next_here(struct pd_reader *r, struct pd_record *rec, struct pd_error *error);

/*
 * The only ways to another place of the member being read, on which more depends than r->at: nothing is left
 * of the record before, and of what was seen.
 */
void pd_reader_move(struct pd_reader *r, uint64_t at);
/* The same behind damage: what was lost may have been of the compressed data. */
void pd_reader_go_on(struct pd_reader *r, uint64_t at);
/* Nothing more is read of this member. */
void pd_reader_stop(struct pd_reader *r);

/* Bytes that follow a record outside of its size. */
uint64_t pd_payload_behind(const struct pd_record *rec, enum pd_order order);

/* Notes something that is wrong but not fatal. */
enum pd_code pd_finding(struct pd_reader *r, struct pd_error *error, enum pd_code code, uint64_t offset,
                        const char *field, uint64_t found, uint64_t expected);

#endif
