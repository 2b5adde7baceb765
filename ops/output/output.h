/* SPDX-License-Identifier: MIT */
/*
 * output.h - the output of an operation that keeps the form of its input: a file, a stream or the files of a
 * directory, in the input's byte order.
 */
#ifndef PERFDATA_OUTPUT_H
#define PERFDATA_OUTPUT_H

#include "compression.h"
#include "members.h"
#include "sections_out.h"
#include "encode/container/writer.h"
#include <perfdata/ops/convert.h>
#include <perfdata/session/sorter.h>

struct pi_output_options {
    const struct pd_allocator *allocator;
    enum pd_convert_zip zip; /* KEEP: compressed records are compressed again, in records of the same type */
    int level;               /* of zstd; 0: that of the input, or 1 */
    uint64_t frame;          /* as in pd_writer_options */
    struct pi_members members; /* for a directory as output; without them, the output is a file */
    bool renumber;             /* the files data.N of a directory are numbered without gaps */
};

struct pi_output {
    struct pi_sections sections; /* its writer is that of a file, of a directory's `data`, or of a stream */
    const struct pd_sink *sink;
    struct pi_output_options options;
    struct pd_writer *member; /* of a directory: the file beside `data` that is being written */
    struct pi_member_file data_file, member_file;
    uint32_t at;    /* number of the current member */
    uint64_t bytes; /* of records in the finished files */
    bool pipe, dir;
    struct pi_compression z;
    bool runs; /* set by callers that call pi_output_flush() before the reader's window moves: neighbours are
                  written at once */
    const uint8_t *run; /* bytes in the window that must be written */
    size_t run_n;
};

/* True if a record, whose bytes are copied in any case, is damaged: *what. An unknown layout is no damage. */
static inline bool pi_record_is_damaged(struct pd_reader *r, struct pd_record *rec, struct pd_error *what)
{
    const enum pd_code code = pd_reader_decode(r, rec, what);
    return code && code != PD_EUNKNOWN;
}

enum pd_code pi_output_begin(struct pi_output *o);
/* Must be called for each COMPRESSED record of the input; the records inside take its place. */
enum pd_code pi_output_wrapper(struct pi_output *o, const struct pd_record *rec);
/*
 * True if records come to the sink as they are: then pi_output_bytes() may write several at once, with less
 * than pi_output_record() does for each.
 */
static inline bool pi_output_is_direct(const struct pi_output *o)
{
    return !o->runs && !o->pipe && !o->dir && pi_writer_is_direct(o->sections.writer);
}
enum pd_code pi_output_bytes(struct pi_output *o, const uint8_t *bytes, size_t n);
/* Writes the bytes of a record: its own, or others of the same number. */
enum pd_code pi_output_record(struct pi_output *o, const struct pd_record *rec, const uint8_t *bytes);
/* Writes n bytes of samples that follow each other, of which *first is the first. */
enum pd_code pi_output_samples(struct pi_output *o, const struct pd_record *first, size_t n);
/*
 * Notes the place of the last written record for the AUXTRACE index; only AUXTRACE records of sections count.
 */
enum pd_code pi_output_note_aux(struct pi_output *o, const struct pd_record *rec);
/* Writes a piece of a record's payload. */
enum pd_code pi_output_payload(struct pi_output *o, const uint8_t *bytes, size_t n);
/*
 * Writes the payload of the last record of the sorter, or, without one, of the reader; `o` NULL: only reads
 * it.
 */
enum pd_code pi_output_copy_payload(struct pi_output *o, struct pd_reader *reader, struct pd_sorter *sorter,
                                    struct pd_error *error);
/* Writes the records that are still in the reader's window: must be called before the window moves. */
enum pd_code pi_output_flush(struct pi_output *o);
/* Completes the output. */
enum pd_code pi_output_end(struct pi_output *o);
/* Frees its memory. */
void pi_output_close(struct pi_output *o);

#endif
