/* SPDX-License-Identifier: MIT */
/*
 * sections_out.h - attrs, event types and features of an output. Decides for all operations which features a
 * recording has, in which order, and the content of those that follow from its container; the writer
 * (encode/container/writer.c) gives each its place in the file.
 */
#ifndef PERFDATA_SECTIONS_OUT_H
#define PERFDATA_SECTIONS_OUT_H

#include "aux_index.h"
#include "encode/container/writer.h"

struct pi_sections {
    struct pd_reader *reader; /* the source of attrs, event types and features */
    struct pd_writer *writer;
    struct pd_error *error;
    struct pi_aux_index aux;
    uint64_t first, last;   /* times for SAMPLE_TIME */
    bool keep_time;         /* SAMPLE_TIME stays unchanged */
    bool no_aux;            /* AUXTRACE records were dropped */
    bool made_aux;          /* the index is made from the noted records, if any */
    bool dir;               /* the output is a directory, and this is its `data` */
    bool new_dir;           /* the directory gets a DIR_FORMAT even if the input has none */
    bool own_zstd;          /* the COMPRESSED feature of the input is not kept */
    unsigned spare;         /* entries of the feature table, besides those in use */
    const bool *skip;       /* of 256 features: not kept; may be NULL */
    struct pd_reader *like; /* another recording, for features that the input lacks; may be NULL */
    const bool *skip_like;  /* of 256 features: not taken from it; may be NULL */
    /*
     * For operations that change them: an attr; an event type; whether a feature exists, which put_feature()
     * then writes unless it follows from the container. Each may be NULL, the last two together.
     */
    enum pd_code (*change_attr)(void *user, const struct pd_event_attr *from, struct pd_attr *attr);
    enum pd_code (*change_type)(void *user, struct pd_event_type *type);
    bool (*has_feature)(void *user, uint16_t feature);
    enum pd_code (*put_feature)(void *user, uint16_t feature);
    void *user;
};

/* Opens the writer, without compression for now, and gives it the attrs and event types. */
enum pd_code pi_sections_begin(struct pi_sections *s, const struct pd_sink *sink,
                               const struct pd_writer_options *options);
/* Gives the writer the attrs that it does not have yet. */
enum pd_code pi_sections_attrs(struct pi_sections *s);
/* Gives the writer the features that it does not have yet. */
enum pd_code pi_sections_features(struct pi_sections *s);
/* Writes the features, and ends the output. */
enum pd_code pi_sections_end(struct pi_sections *s);
void pi_sections_close(struct pi_sections *s);

/*
 * Copies a section of a reader to the writer's current feature, `most` bytes at a time; change(), if not
 * NULL, changes them.
 */
enum pd_code pi_copy_section(struct pd_reader *reader, struct pd_file_section section, size_t most,
                             struct pd_writer *w,
                             enum pd_code (*change)(void *user, uint8_t *bytes, size_t n), void *user,
                             struct pd_error *error);
#define PI_COPY_PIECE ((size_t)65536)
/* The times in the feature SAMPLE_TIME, in nanoseconds; false: it is too short, or perf left them unknown. */
bool pi_take_sample_time(const struct pd_bytes *feature, enum pd_order order, uint64_t *first,
                         uint64_t *last);

/* The feature SAMPLE_TIME for samples between two times. Unknown times stay unknown. */
enum { PI_SAMPLE_TIME_BYTES = 16 };
void pi_put_sample_time(uint8_t times[PI_SAMPLE_TIME_BYTES], uint64_t first, uint64_t last,
                        enum pd_order order);

#endif
