/* SPDX-License-Identifier: MIT */
/*
 * compression.h - whether the records of an output are compressed, and the COMPRESSED feature that describes
 * it.
 */
#ifndef PERFDATA_COMPRESSION_H
#define PERFDATA_COMPRESSION_H

#include "encode/container/writer.h"
#include <perfdata/ops/convert.h>

/* ---- The input */

/* The content of a COMPRESSED feature. perf stat writes one without compressing anything. */
enum pi_said { PI_SAID_NOTHING, PI_SAID_PLAIN, PI_SAID_ZSTD };
/* Only PI_SAID_ZSTD sets *level. */
enum pi_said pi_said_compression(const uint8_t *bytes, size_t n, enum pd_order order, int *level);
/* *zstd: the file's section says that its records are compressed. False without a section. */
enum pd_code pi_reader_said_zstd(struct pd_reader *reader, bool *zstd, int *level, struct pd_error *error);

/*
 * The type of COMPRESSED records in the output, by the option; `zstd`: kept records are compressed. 0: none.
 */
uint32_t pi_zip_type(enum pd_convert_zip zip, bool zstd);

/*
 * The number of the feature that a record of a stream carries; UINT64_MAX: none. *mark: the record is the end
 * of the features instead.
 */
uint64_t pi_stream_feature(const struct pd_record *rec, enum pd_order order, bool *mark);

/*
 * True for records that perf synthesizes before it samples; it neither compresses them nor writes them to
 * data.N files.
 */
bool pi_is_early(const struct pd_record *rec);

/*
 * ---- A stream made from a stream, or a file made from a file
 *
 * In a pipe stream the feature is a record, with which compression begins. A stream of Google's perf 3.3 has
 * none before its first attr, where the type of HEADER_FEATURE is another feature's: until then nothing is
 * compressed.
 */

struct pi_compression {
    const struct pd_reader *reader; /* the input */
    bool again;                     /* records that were compressed are compressed again */
    bool pipe;                      /* the output is a pipe stream */
    bool due;                       /* its feature must still be written, and compression begin */
    uint32_t zip;                   /* type of COMPRESSED records in the output; 0: none yet */
    int level;
};

/* From now on, or in a pipe stream from its feature on, the writer can compress. */
enum pd_code pi_compression_start(struct pi_compression *z, struct pd_writer *w, struct pd_error *error);
/*
 * In a pipe stream, called before a record of the input is written: puts our own feature where perf has it,
 * before features of higher numbers and all other records. *taken: the record is the input's own feature,
 * which ours replaces, or which is dropped.
 */
enum pd_code pi_compression_announce(struct pi_compression *z, struct pd_writer *w,
                                     const struct pd_record *rec, bool *taken, struct pd_error *error);
/* Writes the feature if it is due and may stand here. */
enum pd_code pi_compression_end(struct pi_compression *z, struct pd_writer *w, struct pd_error *error);

#endif
