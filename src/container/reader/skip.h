/* SPDX-License-Identifier: MIT */
/*
 * skip.h - stretches of the data that a reader leaves out, and the records that it gives in place of each:
 * an index (ops/index) knows them. Their offsets and numbers are those in the file.
 */
#ifndef PERFDATA_SKIP_H
#define PERFDATA_SKIP_H

#include <perfdata/reader.h>

/* Whole records, and whole zstd frames. */
struct pi_stretch {
    uint64_t from, to; /* offsets */
    uint64_t records;  /* all of them, those of compression included */
    uint64_t inflated; /* bytes inside COMPRESSED records */
};

/* A record that is given. */
struct pi_spared {
    const uint8_t *raw; /* a whole record; valid until the next one */
    uint64_t offset;    /* from the start of the stretch: its own, or that of its COMPRESSED record */
    uint64_t inner;     /* inside COMPRESSED records: how many bytes of the stretch come before it */
    uint64_t number;    /* how many records of the stretch come before it */
    bool inside;        /* of a COMPRESSED record */
};

struct pi_skips {
    const struct pi_stretch *stretch; /* ascending, none overlaps another */
    size_t n;
    /* The next record of stretch i; with `first`, its first one. PD_END: there are no more. */
    enum pd_code (*next)(void *user, size_t i, bool first, struct pi_spared *given, struct pd_error *error);
    void *user;
    uint64_t samples, others; /* those left out, in all */
    size_t at;                /* private: the next stretch, or the one that is passed */
    bool passing;             /* private: its records are given */
};

struct pd_reader;

/*
 * Takes effect with the next move; NULL: nothing is left out. The file must not be a stream or a directory.
 */
void pi_reader_skip(struct pd_reader *r, struct pi_skips *skips);
/* The reader moves: the next stretch is another one. */
void pi_skips_move(struct pi_skips *k, uint64_t at);
/* At the start of a stretch, or in it: the next record that is given. PD_END: go on at r->at. */
enum pd_code pi_reader_next_given(struct pd_reader *r, struct pd_record *rec, struct pd_error *error);
/* Adds the samples that the reader leaves out, and the other records but those of compression. */
void pi_reader_left_out(const struct pd_reader *r, uint64_t *samples, uint64_t *others);

/* Up to where records from `at` on are read from the file; `to`: there is no stretch before. */
static inline uint64_t pi_skips_limit(const struct pi_skips *k, uint64_t to)
{
    const uint64_t from = k && k->at < k->n ? k->stretch[k->at].from : to;
    return from < to ? from : to;
}

#endif
