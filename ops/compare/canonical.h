/* SPDX-License-Identifier: MIT */
/*
 * canonical.h - values as the canonical bytes of docs/HASH.md, and their XXH3-128: little-endian numbers of
 * the width that the schema gives them, strings and lists behind their length, whatever form they are stored
 * in.
 */
#ifndef PERFDATA_CANONICAL_H
#define PERFDATA_CANONICAL_H

#include <perfdata/feature.h>
#include <perfdata/ops/hash.h>
#include <perfdata/reader.h>

/* Hashes bytes. Small amounts never reach the state of XXH3, which would cost more. */
struct pi_canon {
    const struct pd_allocator *allocator;
    void *block; /* memory of the state */
    void *state; /* XXH3_state_t, aligned */
    bool begun;  /* the state has what was flushed of the buffer */
    size_t n;
    uint8_t buf[2048];
};

/* PD_ENOMEM. To be freed in any case. */
enum pd_code pi_canon_init(struct pi_canon *c, const struct pd_allocator *allocator, struct pd_error *error);
void pi_canon_free(struct pi_canon *c);

void pi_canon_bytes(struct pi_canon *c, const void *bytes, size_t n);
void pi_canon_number(struct pi_canon *c, uint64_t value, unsigned width);
/* The hash of the bytes since the last call; then starts again. */
struct pd_hash pi_canon_end(struct pi_canon *c);

/* All fields but the size, which is layout. */
void pi_canon_attr(struct pi_canon *c, const struct pd_attr *attr);
/* How many there are, then each. */
void pi_canon_vec(struct pi_canon *c, const struct pd_vec *v);
/*
 * Type, misc and all fields of a record, or its bytes when it is not decoded. The payload behind it is not
 * among them.
 */
void pi_canon_record(struct pi_canon *c, const struct pd_record *rec);
/*
 * The same of a sample of a known event, as the first bytes since pi_canon_end(), without decoding it. False:
 * nothing was done, as it is of no usual type, not in this machine's byte order, damaged, or large.
 */
bool pi_canon_sample(struct pi_canon *c, const struct pd_plan *plan, const uint8_t *raw, size_t size);
/* The fields of a feature of a recording of that byte order, and the bytes behind them. PD_ENOMEM. */
enum pd_code pi_canon_feature(struct pi_canon *c, const struct pd_feature *f, enum pd_order order,
                              struct pd_error *error);
/* A build id with the header.misc of its record or entry. */
void pi_canon_build_id(struct pi_canon *c, const struct pd_build_id *file, uint16_t misc, uint8_t variant);

#endif
