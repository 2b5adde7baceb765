/* SPDX-License-Identifier: MIT */
/* compression.h - whether records that are written are compressed, and the COMPRESSED feature that says so.
 */
#ifndef PERFDATA_COMPRESSION_H
#define PERFDATA_COMPRESSION_H

#include "encode/container/writer.h"
#include <perfdata/ops/convert.h>

/* ---- What the input says */

/* What the bytes of a COMPRESSED feature say. perf stat writes one though nothing is compressed. */
enum pd_said { PD_SAID_NOTHING, PD_SAID_PLAIN, PD_SAID_ZSTD };
/* Only PD_SAID_ZSTD sets *level. */
enum pd_said pd_said_compression(const uint8_t *bytes, size_t n, enum pd_order order, int *level);
/* Does the section of a file say that its records are? Without one it does not. */
enum pd_code pd_reader_said_zstd(struct pd_reader *reader, bool *zstd, int *level, struct pd_error *error);

/* Type of the records that carry compressed ones, as asked for; `zstd`: what is kept is compressed. 0: none.
 */
uint32_t pd_zip_type(enum pd_convert_zip zip, bool zstd);

/* The number of the feature that a record of a stream brings; UINT64_MAX: none. *mark: the end of the
 * features instead. */
uint64_t pd_stream_feature(const struct pd_record *rec, enum pd_order order, bool *mark);

/* What perf synthesizes before it samples, which it neither compresses nor writes to the data.N files. */
bool pd_is_early(const struct pd_record *rec);

/* ---- A stream that is made of a stream, or a file that is made of a file */

struct pd_compression {
    enum pd_order order; /* of the input */
    bool again;          /* what was compressed is so again */
    bool pipe;           /* the output is a pipe stream, in which the feature is a record */
    bool due;            /* which is still to be written */
    uint32_t zip;        /* type of the records that carry compressed ones; 0: none yet */
    int level;
};

/* From now on the writer can compress. */
enum pd_code pd_compression_start(struct pd_compression *z, struct pd_writer *w, struct pd_error *error);
/*
 * In a pipe stream, before a record of the input is written: our own feature goes where perf has it, before
 * those of higher numbers and all that follows. *taken: the record is the input's, for which there is our
 * own, or none.
 */
enum pd_code pd_compression_announce(struct pd_compression *z, struct pd_writer *w,
                                     const struct pd_record *rec, bool *taken, struct pd_error *error);
/* Writes the feature if it is due. */
enum pd_code pd_compression_end(struct pd_compression *z, struct pd_writer *w, struct pd_error *error);

#endif
