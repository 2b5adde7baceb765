/* SPDX-License-Identifier: MIT */
/*
 * writer.h - the internals of a pd_writer, shared by the containers: writer.c (file), writer_stream.c
 * (stream).
 */
#ifndef PERFDATA_WRITER_INTERNAL_H
#define PERFDATA_WRITER_INTERNAL_H

#include "deflate.h"
#include "press.h"
#include "src/container/reader/reader_internal.h"
#include <perfdata/constants.h>
#include <perfdata/writer.h>

enum pi_stage { PI_STAGE_ATTRS, PI_STAGE_DATA, PI_STAGE_FEATURES, PI_STAGE_FINISHED };

/* A feature that waits to be written. */
struct pi_held {
    uint16_t feature;
    uint8_t *bytes;
    size_t n, cap;
};

struct pd_writer {
    struct pd_sink sink;
    const struct pd_allocator *allocator;
    struct pd_writer_options options;
    struct pd_file_header header;
    enum pi_stage stage;
    uint64_t at;        /* bytes written */
    uint64_t n_records; /* by pd_writer_record() */
    struct pi_attrs attrs;
    size_t attrs_written;
    struct pd_event_type *types;
    size_t n_types, types_cap;
    struct pd_feature_section features[256]; /* written, or being written */
    size_t n_features;
    size_t room;    /* entries of the feature table */
    uint64_t table; /* its offset */
    struct pi_held *held;
    size_t n_held, held_cap;
    uint64_t held_bytes;
    bool holding;  /* pd_writer_feature_bytes() goes to the last of `held` */
    bool ignoring; /* or is dropped */
    struct pi_deflate deflate;
    struct pi_press *press; /* which compresses what is collected in `deflate`; NULL: deflate itself does */
    bool plain;             /* records are not compressed for now */
    uint64_t payload_left;  /* bytes of pd_writer_raw() that belong behind a record, not to one */
    struct pd_sink own;     /* of pd_writer_create(), to be closed; else zeros */
    uint64_t samples_key;   /* of the plan that `left_out` is for; 0: of none */
    size_t left_out[sizeof(struct pd_sample) / sizeof(size_t)]; /* pi_left_out_of_samples() */
    bool broken;                                                /* writing failed: the output is not valid */
    char **names;                                               /* of events; NULL: none */
    size_t n_names, names_cap;
};

/* The feature with the names of events; its elements, also after an error, are the caller's to free. */
enum pd_code pi_writer_describe(const struct pd_writer *w, struct pd_feature *f,
                                struct pd_event_desc **events, struct pd_error *error);
void pi_writer_free_names(struct pd_writer *w);

enum pd_code pi_writer_emit(struct pd_writer *w, const void *bytes, size_t n, struct pd_error *error);
/* pd_writer_attr() without a check of its size: of damaged recordings, too. */
enum pd_code pi_writer_any_attr(struct pd_writer *w, const struct pd_attr *attr, const uint64_t *ids,
                                size_t n_ids, struct pd_error *error);
enum pd_code pi_writer_zeros(struct pd_writer *w, uint64_t n, struct pd_error *error);

/* True if records go to the sink as they are, with nothing to be written before them. */
static inline bool pi_writer_is_direct(const struct pd_writer *w)
{
    const bool first = w->n_held && w->options.container == PD_CONTAINER_PIPE; /* elsewhere they are behind */
    return w->stage == PI_STAGE_DATA && !w->broken && !w->deflate.ctx && !first;
}

/* Starts to compress, in a stream before the first record. `type` as in pd_writer_options. */
enum pd_code pi_writer_compress(struct pd_writer *w, uint32_t type, int level, struct pd_error *error);
/* The content of the COMPRESSED feature: five u32s. */
#define PI_COMPRESSED_FEATURE_BYTES 20
void pi_writer_compressed_feature(const struct pd_writer *w, uint8_t bytes[PI_COMPRESSED_FEATURE_BYTES]);
/* Compresses and writes the records that wait for it. `last`: they end the zstd frame. */
enum pd_code pi_writer_flush(struct pd_writer *w, bool last, struct pd_error *error);
/* Writes what other threads compress: w->at is that of a single thread then. */
enum pd_code pi_writer_drain(struct pd_writer *w, struct pd_error *error);
/* A record that keeps its place between those that other threads compress; w->at does not count it yet. */
enum pd_code pi_writer_between(struct pd_writer *w, const struct pd_record *rec, struct pd_error *error);

/* True if it was given the feature. */
bool pi_writer_has_feature(const struct pd_writer *w, uint16_t feature);
/* Sorts the waiting features, without COMPRESSED if the writer makes it. */
void pi_writer_sort_held(struct pd_writer *w);
/* Frees the waiting features after writing them. */
void pi_writer_drop_held(struct pd_writer *w);

/* The header of a stream. */
enum pd_code pi_pipe_header(struct pd_writer *w, struct pd_error *error);
/* The same, and everything given before the first record. */
enum pd_code pi_pipe_begin(struct pd_writer *w, struct pd_error *error);
/* Attrs and features that are given later. */
enum pd_code pi_pipe_attr(struct pd_writer *w, const struct pd_event_attr *e, struct pd_error *error);
enum pd_code pi_pipe_features(struct pd_writer *w, struct pd_error *error);
/* The records of a feature. */
enum pd_code pi_pipe_feature(struct pd_writer *w, uint16_t feature, uint8_t *bytes, size_t n,
                             struct pd_error *error);

#define PI_AMBIGUOUS_FEATURES "features whose big-endian bitmap would be read as that of others"

#endif
