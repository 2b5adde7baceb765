/* SPDX-License-Identifier: MIT */
/*
 * output.h - where the records of an operation go, when the output is like its input: a file, a stream or the
 * files of a directory, in the input's byte order. stream_out.c writes the records, sections_out.c what
 * stands around them.
 */
#ifndef PERFDATA_OUTPUT_H
#define PERFDATA_OUTPUT_H

#include "aux_index.h"
#include "compression.h"
#include "members.h"
#include "encode/container/writer.h"
#include <perfdata/ops/convert.h>
#include <perfdata/session/sorter.h>

struct pd_output_options {
    const struct pd_allocator *allocator;
    enum pd_convert_zip zip;   /* KEEP: what was compressed is so again, in records of the same type */
    int level;                 /* of zstd; 0: that of the input, or 1 */
    struct pd_members members; /* for a directory as output; without them, it makes a file */
};

/* ---- sections_out.c: what stands around the records */

struct pd_sections {
    struct pd_reader *reader;
    struct pd_writer *writer;
    struct pd_aux_index aux;
    uint64_t first, last; /* what SAMPLE_TIME shall say */
    bool no_aux;          /* AUXTRACE records were dropped */
    bool keep_time;       /* SAMPLE_TIME as it is */
    bool mend_attrs;      /* one whose size cannot be says the size it was read with */
    bool keep_dir;
    bool own_zstd;    /* the COMPRESSED feature of the input is not kept */
    const bool *skip; /* of 256 features: not kept; may be NULL */
    struct pd_reader
        *like;    /* of another recording, whose features are taken where the input has none; may be NULL */
    bool new_dir; /* a DIR_FORMAT is written where the input has none */
    struct pd_error *error;
};

/*
 * Opens the writer, and gives it the attrs and event types. `zip`: the type of the records that carry
 * compressed ones, or 0; `keep_dir`: the output is a directory if the input is one.
 */
enum pd_code pd_sections_begin(struct pd_sections *s, const struct pd_sink *sink,
                               const struct pd_allocator *allocator, uint32_t zip, int level, bool keep_dir);
/* The event types of the input; change(), if there is one, changes each. */
enum pd_code pd_copy_event_types(struct pd_reader *reader, struct pd_writer *w,
                                 enum pd_code (*change)(void *user, struct pd_event_type *type), void *user,
                                 struct pd_error *error);
/*
 * A section of the input as the writer's current feature, `most` bytes at a time; change(), if there is one,
 * changes these.
 */
enum pd_code pd_copy_section(struct pd_reader *reader, struct pd_file_section section, size_t most,
                             struct pd_writer *w,
                             enum pd_code (*change)(void *user, uint8_t *bytes, size_t n), void *user,
                             struct pd_error *error);
#define PD_COPY_PIECE ((size_t)65536)
/* The features, and the end. */
enum pd_code pd_sections_end(struct pd_sections *s);
void pd_sections_close(struct pd_sections *s);
/* The feature SAMPLE_TIME for samples between two times, in nanoseconds. */
void pd_put_sample_time(uint8_t times[16], uint64_t first, uint64_t last, enum pd_order order);

/* ---- stream_out.c: the records */

struct pd_output {
    struct pd_sections sections; /* its writer is that of a file, of a directory's `data`, or of a stream */
    const struct pd_sink *sink;
    struct pd_output_options options;
    struct pd_writer *member; /* of a directory: the file beside `data` that is being written */
    struct pd_member_file data_file, member_file;
    uint32_t at;    /* number of the current member */
    uint64_t bytes; /* of records in the files that are finished */
    bool pipe, dir;
    struct pd_compression z;
    bool runs; /* set by who calls pd_output_flush() before the reader's window moves: neighbours are written
                  at once */
    const uint8_t *run; /* bytes in the window that are to be written */
    size_t run_n;
};

enum pd_code pd_output_begin(struct pd_output *o);
/* To be called for each COMPRESSED record of the input, whose place is taken by what is inside. */
enum pd_code pd_output_wrapper(struct pd_output *o, const struct pd_record *rec);
/* The bytes of a record: its own, or others of as many. */
enum pd_code pd_output_record(struct pd_output *o, const struct pd_record *rec, const uint8_t *bytes);
/*
 * Notes for the AUXTRACE index where the record that was just written stands; only AUXTRACE records of
 * sections count.
 */
enum pd_code pd_output_note_aux(struct pd_output *o, const struct pd_record *rec);
/* What follows a record, a piece at a time. */
enum pd_code pd_output_payload(struct pd_output *o, const uint8_t *bytes, size_t n);
/*
 * All that follows the record that the sorter, or without one the reader, gave last; `o` NULL: reads it only.
 */
enum pd_code pd_output_copy_payload(struct pd_output *o, struct pd_reader *reader, struct pd_sorter *sorter,
                                    struct pd_error *error);
/* Writes what records are still in the reader's window: to be called before that moves. */
enum pd_code pd_output_flush(struct pd_output *o);
/* Completes the output. */
enum pd_code pd_output_end(struct pd_output *o);
/* Frees what it has. */
void pd_output_close(struct pd_output *o);

#endif
