/* SPDX-License-Identifier: MIT */
/* reader_internal.h - the internals of a reader, for code that reads faster or more than its functions do. */
#ifndef PERFDATA_READER_INTERNAL_H
#define PERFDATA_READER_INTERNAL_H

#include "src/container/attrs.h"
#include "src/container/feature_probe.h"
#include "src/container/inflate.h"
#include "src/container/input.h"
#include "skip.h"
#include "src/schema/fail.h"
#include <perfdata/constants.h>

/* pd_reader_next_decoded(), or its variant for some samples */
typedef enum pd_code pi_next_decoded(struct pd_reader *r, struct pd_record *rec, struct pd_error *error);

struct pi_ahead;

struct pd_reader {
    struct pi_input in;
    const struct pd_allocator *allocator;
    struct pd_file_info info;
    struct pi_attrs attrs;
    struct pd_feature_section *features;
    size_t n_features, features_cap;
    struct pd_error *findings;
    size_t n_findings, findings_cap;
    size_t overlaps, overlaps_end; /* the findings that pi_file_map() made */
    struct pd_extent *extents;
    size_t n_extents, extents_cap;
    char *dir; /* path of a directory recording */
    struct pd_member *members;
    size_t n_members, members_cap;
    struct pi_input member_in; /* of the member being read, when that is not `data` */
    bool borrowed;             /* attrs belong to another reader */
    struct pi_input *src;      /* the current source of records */
    uint64_t end;              /* where they end in it; PD_NOWHERE when not known */
    const struct pd_reader
        *whole;  /* of a part, whose records begin before info.data_end: the file's reader; else NULL */
    uint64_t at; /* offset of the next record, or of the rest of this one's payload */
    uint64_t payload_left;   /* unread bytes of the last record's payload */
    struct pd_error payload; /* where that record is; `expected` is the size of the payload */
    uint64_t index;          /* of the next record */
    uint64_t first_index;    /* of the first one; of a member, the number of records in those before it */
    struct pi_inflate inflate;
    const struct pd_workers *workers; /* NULL: none */
    struct pi_ahead *ahead;           /* what they decompress; NULL: nothing yet */
    struct pi_probe probe;
    struct pi_skips *skips;  /* what is left out; NULL: nothing */
    struct pd_error pending; /* lost compressed data; reported after the record that showed it */
    struct pd_error passed;  /* the first COMPRESSED record that was skipped because of earlier damage */
    size_t window;
    uint64_t max_held;
    uint64_t ids_bytes;     /* of all ids sections */
    uint64_t feature_bytes; /* of all features that are intact */
    uint64_t attrs_end;     /* attrs of HEADER_ATTR records before this offset are known */
    bool bad_attrs;         /* a finding reports damage of the file's attrs or of their ids */
    bool begun;             /* the stream has given records that belong, or may belong, to an event */
    bool late_attrs;        /* attrs came behind such records */
    uint32_t nr_cpus_avail; /* from NRCPUS in the stream */
    uint32_t member;        /* the number of member src; both as in struct pd_record, so that they are copied
                               together */
    uint32_t number;        /* of a reader of one member alone: which it is; otherwise 0 */
    bool old_features;      /* feature sections under types 69 to 80 come before the first attr */
    bool keep_compressed;
    bool nested;      /* a COMPRESSED record inside another one was reported and is given next */
    bool inside;      /* records of a COMPRESSED one are being given */
    bool stopped;     /* at damage or at the end */
    bool no_tail;     /* what is behind the data could not be read */
    bool copies_rest; /* pi_reader_copy_rest() was called */
    bool headless;    /* the place of the first record is still to be found: see pi_reader_open_headless() */
    bool mended;      /* pi_find_data() was called */
    pi_next_decoded *next_decoded;      /* of the samples that come now */
    pi_next_decoded *const (*usual)[2]; /* the ones to choose from: pi_next_decoded_usual */
    uint64_t said_end;                  /* of the data, before pi_find_data() */
};

/*
 * True if bytes at the end of a stream are no part of a record. Fewer than 8 bytes are the start of a record
 * if some known type begins like that in this byte order; more, unless they are plain text.
 */
bool pi_is_stray(enum pd_order order, const uint8_t *p, size_t n);

/*
 * True for a stream of Google's perf 3.3 up to its first attr: in it, types 69 to 80 are features, also that
 * of HEADER_FEATURE.
 */
static inline bool pi_reader_in_old_features(const struct pd_reader *r)
{
    return r->old_features && r->attrs.seen == 0;
}

pi_next_decoded pi_next_decoded_any;
/*
 * By number of the usual sample type, for the only event and for one of several: pi_next_decoded_any and
 * others.
 */
extern pi_next_decoded *const pi_next_decoded_usual[][2];

/*
 * For a stream that was read to its end: PD_EUNSUP if the meaning of records would change when all attrs come
 * first. A stream whose attrs come first, like all of perf's, is not read again. Others are read once more,
 * then rewound.
 */
enum pd_code pi_reader_check_attrs(struct pd_reader *r, struct pd_error *error);

/* A reader with nothing open yet. */
enum pd_code pi_reader_new(struct pd_reader **reader, const struct pd_reader_options *options,
                           struct pd_error *error);

/*
 * All payload behind the last record, in memory of `a`, at most twice its size. Also after an error, *bytes
 * (NULL if there are none) and *n have the bytes before it.
 */
enum pd_code pi_reader_hold_payload(struct pd_reader *r, const struct pd_allocator *a, uint8_t **bytes,
                                    size_t *n, struct pd_error *error);
/*
 * Looking at records ahead of a reader's position, and back: only where no record needs more than a look at
 * its bytes. False: it would, here.
 */
bool pi_reader_may_look(const struct pd_reader *r);
/*
 * Makes n bytes from the reader's position on visible, fewer at the end of the data, and sets *to to the
 * offset behind them. False: the input ends before, fails, or there is no memory for them.
 */
bool pi_reader_look(struct pd_reader *r, size_t n, uint64_t *to);
/* The reader is at the record of that offset and number, and sees bytes up to an offset: all are visible. */
void pi_reader_stand(struct pd_reader *r, uint64_t at, uint64_t index, uint64_t to);
/* Numbers the records of a new reader from `first` on: of a member, behind those of the members before it. */
void pi_reader_number_from(struct pd_reader *r, uint64_t first);
/*
 * The next record, if all of it may be seen; visible bytes do not move. False: it is not, it is damaged, or
 * it has to do with those behind it.
 */
bool pi_reader_next_near(struct pd_reader *r, struct pd_record *rec);

/* True if this says that compressed records were passed over: it is of the first of them. */
static inline bool pi_reader_tells_passed(const struct pd_reader *r, const struct pd_error *what)
{
    return what->code == r->passed.code && what->record_index == r->passed.record_index;
}

/* True for damage behind which no records come: those of a directory's next member do. */
static inline bool pi_reader_ends_at(const struct pd_reader *r, enum pd_code damage)
{
    return !pi_reader_goes_on(damage) && pd_reader_n_members(r) < 2;
}

/* pd_reader_next() without going on to the next member. */
enum pd_code pi_reader_next_here(struct pd_reader *r, struct pd_record *rec, struct pd_error *error);

/*
 * The only ways to another position in the current member, since more than r->at depends on it: the last
 * record and the visible bytes become invalid.
 */
void pi_reader_move(struct pd_reader *r, uint64_t at);
/* The same behind damage: compressed data may have been lost. */
void pi_reader_go_on(struct pd_reader *r, uint64_t at);
/* The caller reads what is behind damage, also on a pipe, and calls pi_file_tail() then. */
void pi_reader_copy_rest(struct pd_reader *r);
/* Nothing more is read of this member. */
void pi_reader_stop(struct pd_reader *r);
/* PD_END, or what is wrong with a record of which the COMPRESSED ones so far have only the begin: *rec. */
enum pd_code pi_reader_tell_open(const struct pd_reader *r, struct pd_record *rec, struct pd_error *error);

/* The recording calls an event so: its samples are off-cpu ones or not. */
void pi_reader_name_offcpu(struct pd_reader *r, uint32_t attr, bool is, bool updated);

/* Notes an error that is not fatal. */
enum pd_code pi_finding(struct pd_reader *r, struct pd_error *error, enum pd_code code, uint64_t offset,
                        const char *field, uint64_t found, uint64_t expected);

#endif
